--- Every name of the array API standard, from the table of them (spec/support/array_api.lua) with the sample calls of
-- spec/support/standard_calls.lua: graphs give what arrays give for every dtype, know their lengths while they are
-- built, refuse what does not fit, and have gradients, forward mode and vmap where they are smooth.
local nd = require("theano.ndarray")
local samples = require("spec.support.standard_calls")
local standard = require("spec.support.array_api")
local theano = require("theano")
local variables = require("spec.support.variables")
local T = require("theano.tensor")
local compile, G = theano.compile, theano.gradient

local INTERPRETER = compile.Mode({ linker = "interpreter" })
local ELSEWHERE = {} -- spec/alike_spec.lua has them
for name in ("e inf nan newaxis pi can_cast finfo iinfo isdtype result_type __array_namespace_info__"):gmatch("%S+") do
  ELSEWHERE[name] = true
end

local names = {}
for heading, list in pairs(standard) do
  if heading ~= "version" and heading ~= "absent" then
    for name in list:gmatch("%S+") do
      if not standard.absent[name] and not ELSEWHERE[name] then
        local prefix = (heading == "fft" or heading == "linalg") and heading .. "." or ""
        names[#names + 1] = prefix .. name
      end
    end
  end
end
table.sort(names)

local function each_dtype(letters)
  local list = {}
  for letter in letters:gmatch("%a") do
    for _, dtype in ipairs(samples.dtypes[letter]) do list[#list + 1] = dtype end
  end
  return list
end

local function points_of(case, dtype)
  local points = {}
  for i, text in ipairs(case.points) do points[i] = samples.point(text, dtype) end
  return points
end

local function arguments(case, dtype, points) return case.more.made and { dtype } or points end

local function near(dtype)
  return (dtype == "float32" or dtype == "complex64") and 2e-5 or 1e-12
end

local function same(want, got, dtype, what)
  want, got = nd.asarray(want), nd.asarray(got)
  assert.same({ table.unpack(want.shape) }, { table.unpack(got.shape) }, what)
  local eps = near(dtype)
  local a = want.dtype:find("complex") and want or want:astype("float64")
  local b = got.dtype:find("complex") and got or got:astype("float64")
  assert(nd.allclose(a, b, eps, eps, true), ("%s: %s and %s"):format(what, tostring(want), tostring(got)))
end

local function agree(name, case)
  for _, dtype in ipairs(each_dtype(case.dtypes)) do
    local what = name .. " of " .. dtype
    local points = points_of(case, dtype)
    local vars = variables(points)
    local want = table.pack(case.fn(nd, table.unpack(arguments(case, dtype, points))))
    local outs = table.pack(case.fn(T, table.unpack(arguments(case, dtype, vars))))
    assert.equal(want.n, outs.n, what)
    for i = 1, outs.n do outs[i] = compile.Out(outs[i], { array = true }) end
    outs.n = nil
    local got = table.pack(compile({ inputs = vars, outputs = outs, mode = INTERPRETER })(table.unpack(points)))
    for i = 1, want.n do
      want[i] = nd.asarray(want[i]):astype(got[i].dtype) -- spec/promotion_spec.lua compares these
      if samples.loose[name] then assert.same(nd.asarray(want[i]).shape, got[i].shape, what)
      else same(want[i], got[i], dtype, what) end
    end
  end
end

-- Lengths of the result, as numbers, of arguments whose lengths are said.
local function knows_lengths(name, case)
  local dtype = each_dtype(case.dtypes)[1]
  local points = points_of(case, dtype)
  local vars = variables(points)
  for i, p in ipairs(points) do if p.ndim > 0 then vars[i] = T.specify_shape(vars[i], p.shape) end end
  local want = table.pack(case.fn(nd, table.unpack(arguments(case, dtype, points))))
  local outs = table.pack(case.fn(T, table.unpack(arguments(case, dtype, vars))))
  for i = 1, outs.n do
    local shape = nd.asarray(want[i]).shape
    assert.equal(#shape, outs[i].ndim, name)
    for d = 1, #shape do
      local fine, n = pcall(T.get_scalar_constant_value, outs[i].shape[d - 1])
      assert(fine and n == shape[d], ("%s: length %d is not known to be %d: %s"):format(name, d - 1, shape[d],
        tostring(n)))
    end
  end
end

local function smooth(name, case)
  local complex = not case.dtypes:find("f")
  local points = points_of(case, "float64")
  local function f(...)
    local x = { ... }
    if complex then for i, v in ipairs(x) do x[i] = T.cast(v, "complex128") * T.constant(nd.complex(1, 0.5)) end end
    local y = case.fn(T, table.unpack(arguments(case, "float64", x)))
    return y.dtype:find("complex") and T.real(y) + 2 * T.imag(y) or y
  end
  G.verify_grad(function(...) return T.sqr(f(...)) end, points, { mode = INTERPRETER })
  -- forward mode is the transposed of backward mode
  local x, u, steps = variables(points), variables(points), {}
  for i, p in ipairs(points) do steps[i] = nd.asarray(samples.point(case.points[i], "float64")):reshape(p.shape) end
  local y = f(table.unpack(x))
  local forward, back = T.sum(G.Rop(y, x, u)), 0
  for i, g in ipairs(G.Lop(y, x, T.ones_like(y))) do back = back + T.sum(g * u[i]) end
  local inputs, values = { table.unpack(x) }, { table.unpack(points) }
  for i, v in ipairs(u) do inputs[#inputs + 1], values[#values + 1] = v, steps[i] end
  local both = compile({ inputs = inputs, outputs = { forward, back }, mode = INTERPRETER, on_unused_input = "ignore" })
  local a, b = both(table.unpack(values))
  assert(math.abs(a - b) <= 1e-8 * (1 + math.abs(a)), ("%s: forward %s, backward %s"):format(name, a, b))
end

-- vmap gives what calls one by one give, of whatever has lengths that no value tells.
local function mapped(name, case)
  local dtype = each_dtype(case.dtypes)[1]
  if case.dtypes:find("f") then dtype = "float64" end
  local rows, stacks, types = {}, {}, {}
  for k = 1, 3 do rows[k] = points_of(case, dtype) end
  for i, p in ipairs(rows[1]) do
    stacks[i] = nd.stack({ p, rows[2][i], rows[3][i] })
    local pattern = { false }
    for d = 1, p.ndim do pattern[d + 1] = p.shape[d] == 1 end
    types[i] = T.TensorType(dtype, pattern)()
  end
  local function f(...) return (case.fn(T, ...)) end
  local got = compile({ inputs = types, outputs = compile.Out(T.vmap(f)(table.unpack(types)), { array = true }),
    mode = INTERPRETER })(table.unpack(stacks))
  for k = 1, 3 do
    same((case.fn(nd, table.unpack(rows[k]))), got[k - 1], dtype, "vmap of " .. name)
  end
end

describe("the array API standard:", function()
  it("every name has sample calls", function()
    local missing, known = {}, {}
    for _, name in ipairs(names) do
      known[name] = true
      if not samples.calls[name] then missing[#missing + 1] = name end
    end
    for name in pairs(samples.calls) do
      if not known[name] then missing[#missing + 1] = name .. " is none of its names" end
    end
    assert.same({}, missing)
  end)

  for _, name in ipairs(names) do
    local cases = samples.calls[name] or {}
    it(name .. " of graphs is that of arrays, for every dtype", function()
      for _, case in ipairs(cases) do agree(name, case) end
    end)
    if not samples.open[name] then
      it(name .. " knows its lengths while it is built", function()
        for _, case in ipairs(cases) do knows_lengths(name, case) end
      end)
    end
    local first = cases[1]
    if first and #first.points > 0 then
      if first.dtypes:find("[fc]") and not samples.flat[name] then
        it(name .. " has its gradient and forward mode", function()
          for _, case in ipairs(cases) do if not case.more.flat then smooth(name, case) end end
        end)
      end
      if not samples.open[name] and not samples.loose[name] then
        it(name .. " under vmap", function()
          for _, case in ipairs(cases) do mapped(name, case) end
        end)
      end
    end
  end
end)

describe("the array API standard refuses", function()
  local function named(A, name)
    for part in name:gmatch("[^.]+") do A = A[part] end
    return A
  end
  for _, row in ipairs(samples.refused) do
    local name, class, fn = table.unpack(row)
    it(("with a %s what does not fit %s, in graphs as in arrays"):format(class, name), function()
      for module, A in pairs({ T = T, nd = nd }) do
        local fine, message = pcall(fn, A, named(A, name))
        assert(not fine, ("%s.%s does not raise"):format(module, name))
        local kind = theano.error_kind(message)
        assert(kind == class or class == "AxisError" and (kind == "ValueError" or kind == "IndexError"),
          ("%s.%s raises no %s: %s"):format(module, name, class, tostring(message)))
      end
    end)
  end
end)

-- What scripts use beyond the standard, by themes; gradients of it are in spec/alike_spec.lua and spec/grad_spec.lua.
local EVERYDAY = [[nansum nanprod nanmean nanstd nanvar nanmax nanmin nanmedian nanquantile nanpercentile nancumsum
  nancumprod nanargmax nanargmin histogram histogram2d histogramdd histogram_bin_edges corrcoef cov average trapezoid
  gradient interp percentile quantile median ptp poly polyfit polyval roots polyadd polysub polymul polydiv polyder
  polyint blackman hamming hanning kaiser bartlett convolve correlate setxor1d union1d intersect1d setdiff1d isin ix_
  tril_indices triu_indices tril_indices_from triu_indices_from mask_indices diag_indices diag_indices_from put place
  putmask put_along_axis packbits unpackbits bitwise_count pad block array_split rollaxis resize trim_zeros
  apply_along_axis apply_over_axes piecewise select frexp ldexp modf nextafter spacing signbit copysign heaviside sinc
  cbrt gcd lcm unwrap partition argpartition lexsort sort_complex can_cast result_type finfo iinfo issubdtype
  promote_types]]
local ARRAYS_ONLY = [[vectorize real_if_close array2string format_float_positional set_printoptions printoptions
  genfromtxt savez_compressed fromfile]]
local SPECIAL = [[gamma gammaln loggamma digamma psi polygamma gammainc gammaincc beta betaln betainc erf erfc erfcx
  erfinv erfcinv zeta ellipk ellipe expi exp1 logsumexp ndtr log_ndtr ndtri xlogy xlog1py entr rel_entr kl_div logit
  expit softmax log_softmax comb factorial binom j0 j1 jv i0 i0e i1 i1e iv]]
local SCIPY = {
  optimize = "minimize minimize_scalar root brentq bisect newton fsolve curve_fit least_squares",
  integrate = "quad solve_ivp odeint simpson trapezoid cumulative_trapezoid",
  interpolate = "interp1d CubicSpline PchipInterpolator RegularGridInterpolator",
  signal = "convolve correlate fftconvolve lfilter filtfilt butter cheby1 sosfilt stft istft welch find_peaks windows",
}

describe("what scripts use beyond the standard", function()
  local function missing(modules, list)
    local none = {}
    for name in list:gmatch("%S+") do
      for module, A in pairs(modules) do
        if not pcall(function() return A[name] end) then none[#none + 1] = module .. "." .. name end
      end
    end
    return none
  end
  it("is there for arrays and for graphs", function()
    assert.same({}, missing({ nd = nd, T = T }, EVERYDAY))
    assert.same({}, missing({ nd = nd }, ARRAYS_ONLY))
    assert.same({}, missing({ ["nd.special"] = nd.special, ["T.special"] = T.special }, SPECIAL))
    assert.is_function(nd.ones(1).tofile)
  end)
  for module, list in pairs(SCIPY) do
    it("is in nd." .. module, function() assert.same({}, missing({ [module] = nd[module] }, list)) end)
  end
end)
