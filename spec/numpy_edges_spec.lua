--- What NumPy does at its edges: NaN among distinct elements, arrays without dimensions or elements, numbers that an
-- array of integers cannot hold. Alike for arrays and in graphs, in every mode.
local raises = require("spec.support.raises")
local theano = require("theano")
local nd = require("theano.ndarray")
local T = theano.tensor

local NAN = 0 / 0
local MODES = { "FAST_RUN", "FAST_COMPILE" }

local function same(want, got, what)
  assert.is_true(nd.array_equal(nd.array(want), got, true), ("%s: %s"):format(what or "", tostring(got)))
end

-- f of x in a graph, in each mode.
local function in_graphs(x, f, check)
  x = nd.array(x)
  for _, mode in ipairs(MODES) do
    local v = T.TensorType(x.dtype, require("theano.util").copied(T.constant(x).type.broadcastable))()
    check(theano.compile { inputs = { v }, outputs = f(T, v), mode = mode }, x, mode)
  end
end

describe("distinct elements", function()
  local ROW = { NAN, 1, NAN, -0.0, 0.0, 2, NAN, 2 }
  it("hold each NaN for itself where the array API wants it, and with equal_nan = false", function()
    for _, dtype in ipairs({ "float64", "float32", "float16", "bfloat16", "complex64", "complex128" }) do
      local x = nd.array(ROW, dtype)
      local want = nd.array({ 0, 1, 2, NAN, NAN, NAN }, dtype)
      local function check(values, index, inverse, counts)
        assert.is_true(nd.array_equal(want, values, true), dtype .. ": " .. tostring(values))
        assert.same({ 3, 1, 5, 0, 2, 6 }, index:tolist())
        assert.same({ 3, 1, 4, 0, 0, 2, 5, 2 }, inverse:tolist())
        assert.same({ 2, 1, 2, 1, 1, 1 }, counts:tolist())
      end
      check(nd.unique_all(x))
      in_graphs(x, function(M, v) return { M.unique_all(v) } end, function(f) check(f(x)) end)
      assert.is_true(nd.array_equal(want, nd.unique_values(x), true), dtype)
      assert.is_true(nd.array_equal(want, nd.unique(x, { equal_nan = false }), true), dtype)
      assert.equal(4, nd.unique(x).size, dtype)
      local values, counts = nd.unique_counts(x)
      assert.same({ 6, 6 }, { values.size, counts.size })
      in_graphs(x, function(M, v) return { M.unique_values(v), M.unique(v) } end, function(f)
        local u, one = f(x)
        assert.is_true(nd.array_equal(want, u, true), dtype)
        assert.equal(4, one.size)
      end)
    end
  end)
  it("are rows too", function()
    local m = nd.array({ { NAN, 1 }, { NAN, 1 }, { 2, 3 }, { 2, 3 } })
    assert.same({ 2, 2 }, nd.unique(m, { axis = 0 }).shape)
    assert.same({ 3, 2 }, nd.unique(m, { axis = 0, equal_nan = false }).shape)
  end)
  it("of integers are as they are", function()
    local x = nd.array({ 4294967295, 4294967295 }, "uint32")
    same({ 4294967295 }, nd.unique(x, { equal_nan = false }):astype("int64"))
  end)
end)

describe("an array without dimensions", function()
  local three = nd.array(3.0)
  it("is folded along axis 0 and -1, as NumPy's functions of two fold it", function()
    for _, axis in ipairs({ 0, -1 }) do
      for name, want in pairs({ sum = 3, prod = 3, max = 3, min = 3, any = true, all = true, argmax = 0, argmin = 0,
        ptp = 0, count_nonzero = 1, nansum = 3, nanmax = 3, nanmean = 3 }) do
        assert.equal(want, nd[name](three, { axis = axis }), name)
        in_graphs(three, function(M, v) return M[name](v, { axis = axis }) end, function(f)
          local got = f(3.0)
          assert.equal(want, type(want) == "boolean" and got or tonumber(got), name)
        end)
      end
      for name, want in pairs({ cumsum = 3, cumprod = 3, argsort = 0, cumulative_sum = 3 }) do
        same({ want }, nd[name](three, { axis = axis }), name)
      end
      same({ 3.0, 3.0 }, nd.repeat_(three, 2, axis))
      assert.equal(3.0, nd.squeeze(three, axis):item())
      assert.equal(3, nd.take(three, 0, axis))
    end
    same({ 3.0 }, nd.cumulative_sum(three))
  end)
  it("has no other axis, and none for means, variances and sorts", function()
    for _, name in ipairs({ "mean", "var", "std", "sort", "median" }) do
      raises("ValueError", "", function() return nd[name](three, { axis = 0 }) end)
    end
    for _, axis in ipairs({ 1, { 0 } }) do
      raises("ValueError", "squeeze", function() return nd.squeeze(three, axis) end)
    end
    for _, name in ipairs({ "sum", "max", "any", "argmax", "cumsum" }) do
      raises("ValueError", "axis 1 is out of range", function() return nd[name](three, { axis = 1 }) end)
      raises("ValueError", "out of range", function() return nd[name](three, { axis = -2 }) end)
    end
  end)
end)

describe("of no elements", function()
  it("the median is NaN, a quantile an IndexError, one over what is not NaN NaN", function()
    local none, rows = nd.zeros({ 0 }), nd.zeros({ 0, 3 })
    local function medians(M, x, axis)
      return { M.median(x, axis), M.nanmedian(x, axis), M.nanquantile(x, 0.3, axis) }
    end
    for _, got in ipairs(medians(nd, none)) do assert.is_true(got ~= got) end
    for _, got in ipairs(medians(nd, rows, 0)) do same({ NAN, NAN, NAN }, got) end
    in_graphs(none, function(M, v) return medians(M, v) end, function(f)
      for _, got in ipairs({ f(none) }) do assert.is_true(got ~= got) end
      for i, got in ipairs({ f({ 3.0, NAN, 1.0 }) }) do assert.equal(i > 1, got == got) end
    end)
    in_graphs(rows, function(M, v) return medians(M, v, 0) end, function(f)
      for _, got in ipairs({ f(rows) }) do same({ NAN, NAN, NAN }, got) end
      local median = f(nd.array({ { -0.0, 1 }, { -0.0, 5 } }))
      same({ -0.0, 3.0 }, median)
      assert.equal(-math.huge, 1 / median[0])
    end)
    for _, name in ipairs({ "quantile", "percentile" }) do
      local why = name .. ": there are no elements"
      raises("IndexError", why, function() return nd[name](none, 0.5) end)
      raises("IndexError", why, function() return nd[name](rows, 0.5, 0) end)
      assert.same({ 0 }, nd[name](rows, 0.5, 1).shape)
      for _, more in ipairs({ {}, { method = "lower" }, { method = "inverted_cdf", weights = nd.zeros({ 0 }) } }) do
        more.axis = 0
        raises("IndexError", why, function() return nd[name](rows, 0.5, more) end)
        in_graphs(rows, function(M, v) return M[name](v, 0.5, more) end, function(f)
          raises("IndexError", why, function() f(rows) end)
        end)
      end
    end
  end)
end)

describe("a number that integers cannot hold", function()
  it("is an OverflowError where it is to be written", function()
    local a = nd.zeros({ 3 }, "int8")
    for _, v in ipairs({ 300, 128, -129, 300.7, 1e300, math.huge, math.maxinteger }) do
      raises("OverflowError", "is out of bounds for int8", function() a[0] = v end)
      raises("OverflowError", "", function() a["1:"] = v end)
      raises("OverflowError", "", function() a[nd.array({ true, false, true })] = v end)
      raises("OverflowError", "", function() a:fill(v) end)
      raises("OverflowError", "", function() a["0:2"] = { 1, v } end)
      raises("OverflowError", "", function() nd.array({ 1, v }, "int8") end)
      raises("OverflowError", "", function() nd.full({ 2 }, v, "int8") end)
    end
    raises("ValueError", "NaN is no int8", function() a[0] = NAN end)
    assert.same({ 0, 0, 0 }, a:tolist())
    a["0:"] = { -128, 127.9, -128.9 }
    assert.same({ -128, 127, -128 }, a:tolist())
    local u = nd.zeros({ 2 }, "uint8")
    raises("OverflowError", "", function() u[0] = -1 end)
    u[0], u[1] = 255, -0.5
    assert.same({ 255, 0 }, u:tolist())
  end)
  it("is held at the ends of 64 bits", function()
    local a, u = nd.zeros({ 1 }, "int64"), nd.zeros({ 1 }, "uint64")
    raises("OverflowError", "", function() a[0] = 2.0 ^ 63 end)
    a[0] = -2.0 ^ 63
    assert.equal(math.mininteger, a[0])
    raises("OverflowError", "", function() u[0] = 2.0 ^ 64 end)
    u[0] = 2.0 ^ 63
    assert.equal("[9223372036854775808]", tostring(u))
    u[0] = -1 -- Lua's word for the largest one
    assert.equal("[18446744073709551615]", tostring(u))
    raises("OverflowError", "", function() u[0] = -1.0 end)
  end)
  it("is below 0 beside uint64 where the result is a float", function()
    local u = nd.array({ { 1, 2 } }, "uint64") -- NumPy's results
    assert.same({ { -0.5, -1.0 } }, (u / -2):tolist())
    assert.same({ { -2.0, -1.0 } }, (-2 / u):tolist())
    assert.same({ { -0.5, -1.0 } }, nd.divide(u, -2):tolist())
    assert.same({ { math.sqrt(5), math.sqrt(8) } }, nd.hypot(u, -2):tolist())
    assert.same({ { -1.0, -2.0 } }, nd.copysign(u, -2):tolist())
    assert.same({ { math.atan(1, -2), math.atan(2, -2) } }, nd.arctan2(u, -2):tolist())
    assert.is_true(nd.all(nd.lt(nd.logaddexp(u, -2), 2.1)))
    assert.same({ { math.sqrt(2), math.sqrt(8) } }, nd.hypot(u, u):tolist())
    assert.same({ { 1.0, math.sqrt(2) } }, nd.sqrt(u):tolist())
  end)
  it("wraps where an array is cast", function()
    local a = nd.zeros({ 1 }, "int8")
    a["0:"] = nd.array({ 300 })
    assert.same({ 44 }, a:tolist())
    assert.same({ 44 }, nd.array({ 300 }):astype("int8"):tolist())
  end)
end)

describe("positions", function()
  it("that are no integers are IndexErrors of arrays, TypeErrors of Variables", function()
    local a = nd.zeros({ 3 })
    for _, at in ipairs({ 1.5, 1.0, NAN }) do
      raises("IndexError", "Expected an integer", function() return a[at] end)
      raises("IndexError", "Expected an integer", function() return a[{ at }] end)
      raises("IndexError", "Expected an integer", function() a[at] = 1 end)
      raises("TypeError", "Expected an integer", function() return T.dvector()[at] end)
    end
  end)
  it("of choices that are not there are ValueErrors, negative ones too", function()
    local i = T.lvector("i")
    for _, at in ipairs({ { 0, 5 }, { 0, -1 } }) do
      raises("ValueError", "invalid entry in choice array", function() nd.choose(at, { { 1, 2 }, { 3, 4 } }) end)
      for _, mode in ipairs(MODES) do
        local y = T.choose(i, T.constant({ { 1, 2 }, { 3, 4 } }))
        local f = theano.compile { inputs = { i }, outputs = y, mode = mode }
        raises("ValueError", "invalid entry in choice array", function() f(at) end)
        assert.same({ 1, 4 }, f({ 0, 1 }):tolist())
      end
    end
  end)
end)

describe("RandomState", function()
  it("draws a sample of one at least from an urn, a Generator nothing too", function()
    local r = nd.random.RandomState(1)
    raises("ValueError", "nsample must be at least 1", function() r:hypergeometric(3, 4, 0) end)
    raises("ValueError", "nsample must be at least 1", function() r:hypergeometric(3, 4, { 1, 0 }) end)
    assert.equal(0, nd.random.default_rng(1):hypergeometric(3, 4, 0))
  end)
end)

describe("the gradient of running products", function()
  local x = T.dvector("x")
  -- d sum(w * cumprod(x)) / dx, by products that leave one factor out.
  local function expected(at, w)
    local want = {}
    for i = 1, #at do
      want[i] = 0
      for j = i, #at do
        local p = w[j]
        for k = 1, j do if k ~= i then p = p * at[k] end end
        want[i] = want[i] + p
      end
    end
    return want
  end
  it("is right where there are zeros, in every mode", function()
    local w = { 1, -2, 3, 0.5, 7 }
    for _, mode in ipairs(MODES) do
      local cost = (T.cumprod(x) * T.constant(w)):sum()
      local g = theano.compile { inputs = { x }, outputs = T.grad(cost, x), mode = mode }
      for _, at in ipairs({ { 2, 3, 4, 5, 6 }, { 0, 3, 4, 5, 6 }, { 2, 3, 0, 5, 6 }, { 2, 0, 4, 0, 6 },
        { 2, 3, 4, 5, 0 }, { 0, 0, 0, 0, 0 }, { 1, -0.0, 2, 3, 4 } }) do
        local got, want = g(at), expected(at, w)
        for i = 1, 5 do assert.near(want[i], got[i - 1], 1e-12 * math.abs(want[i]), table.concat(at, " ")) end
      end
      local masked = theano.compile { inputs = { x }, mode = mode,
        outputs = T.grad(T.switch(T.constant({ 1, 0, 0, 0, 0 }), T.cumprod(x), 0):sum(), x) }
      assert.same({ 1, 0, 0, 0, 0 }, masked({ 2, 0, 4, 0, 6 }):tolist())
    end
  end)
  it("is so along axes, flattened, and of complex numbers", function()
    local m, z = T.dmatrix("m"), T.zvector("z")
    local at = nd.array({ { 2, 0, 3 }, { 0, 5, 0 } })
    local function gradient(v, p) return theano.compile { inputs = { v }, outputs = T.grad(p, v) } end
    local rows = gradient(m, T.cumprod(m, 1):sum())(at)
    for i = 0, 1 do same(expected(at[i]:tolist(), { 1, 1, 1 }), rows[i]) end
    local columns = gradient(m, T.cumprod(m, 0):sum())(at)
    for i = 0, 2 do same(expected(at.T[i]:tolist(), { 1, 1 }), columns.T[i]) end
    same(expected(at:reshape({ 6 }):tolist(), { 1, 1, 1, 1, 1, 1 }), gradient(m, T.cumprod(m):sum())(at):reshape({ 6 }))
    local g = gradient(z, T.real(T.cumprod(z)):sum())({ 2, 0, 3 })
    same({ 1, 8, 0 }, T.real(T.constant(g)):eval())
  end)
end)

describe("round of complex numbers", function()
  it("rounds both parts, whose zeros keep their signs", function()
    for decimals, by in pairs({ [0] = 1, [1] = 0.1, [-1] = 10 }) do
      local r = nd.round(nd.array({ nd.complex(-0.3, -0.2) }) * by, decimals)[0]
      assert.same({ -math.huge, -math.huge }, { 1 / r.real, 1 / r.imag }, decimals)
    end
    assert.equal(nd.complex(-0.5, 2.0), nd.round(nd.complex(-0.46, 2.04), 1))
  end)
end)

describe("a type", function()
  it("is what its letters name", function()
    assert.is_true(T.dscalar("x").type == T.dscalar)
    assert.is_true(T.fmatrix().type == T.fmatrix)
    assert.is_true(T.constant({ 1.0 }, { dtype = "float64" }).type ~= T.fvector)
    assert.equal("TensorType(float64, vector)", tostring(T.dvector))
    assert.same({ "float64", 1 }, { T.dvector.dtype, T.dvector.ndim })
  end)
  it("makes Variables by names and keywords", function()
    assert.equal("q", T.dvector("q").name)
    assert.equal("q", T.dvector({ name = "q" }).name)
    assert.equal(T.fvector, T.dvector("q", { dtype = "float32" }).type)
    assert.equal("q", T.dvector("q", "float32").name)
    assert.is_nil(T.dvector().name)
    raises("TypeError", "the name of a variable is a string", function() T.dvector(3) end)
    raises("TypeError", "'shape'", function() T.dvector("x", { shape = 3 }) end)
  end)
end)

describe("unwrap", function()
  it("of integers with a whole period stays among them", function()
    same(nd.array({ 0, 2, 4, 4, 6 }), nd.unwrap({ 0, 2, 4, 0, 2 }, { period = 4 }))
    same(nd.array({ 0, -1, -2, -3, -4 }), nd.unwrap({ 0, 2, 1, 0, 2 }, { period = 3 }))
    assert.equal("int64", nd.unwrap({ 0, 2, 4 }, { period = 4 }).dtype)
    assert.equal("float64", nd.unwrap({ 0, 2, 4 }, { period = 4.0 }).dtype)
  end)
end)

describe("clip", function()
  it("of bounds that cross gives arrays the upper one, as in NumPy, in graphs Theano's lower one", function()
    same({ 1, 1, 1 }, nd.clip({ 1, 5, 3 }, 2, 1))
    same({ 1, 5, 1 }, nd.clip({ 1, 5, 3 }, { 2, 0, 9 }, { 1, 9, 1 }))
    same({ NAN, 1.0 }, nd.clip({ NAN, 5.0 }, 2.0, 1.0))
    for _, dtype in ipairs({ "uint8", "uint32", "uint64" }) do
      same({ 1, 1, 0 }, nd.clip(nd.array({ 6, 11, 0 }, dtype), -2, 1):astype("int64")) -- below all: bounds nothing
    end
    in_graphs({ 1, 5, 3 }, function(M, v) return M.clip(v, 2, 1) end, function(f) same({ 2, 1, 1 }, f({ 1, 5, 3 })) end)
  end)
end)

describe("polynomials", function()
  it("of a degree that the points do not settle are the smallest that fit", function()
    local p = nd.polyfit({ 1, 2 }, { 1, 2 }, 3)
    local want = { 0.05099514803, 0.1203089415, 0.2821071393, 0.5465887712 }
    for i, v in ipairs(want) do assert.near(v, p[i - 1], 1e-9) end
    raises("TypeError", "no points", function() nd.polyfit({}, {}, 1) end)
    raises("TypeError", "weights are a vector", function() nd.polyfit({ 0, 1 }, { 1, 3 }, 1, { w = { { 1, 2 } } }) end)
  end)
  it("take one constant for all integrals, or one for each", function()
    same({ 1 / 12, 1 / 3, 1.5, 6, 6 }, nd.polyint({ 1, 2, 3 }, 2, { 6 }))
    raises("ValueError", "of 3 constants, not of 2", function() nd.polyint({ 1, 2, 3 }, 3, { 6, 5 }) end)
  end)
  it("without coefficients are 0", function()
    same({ 0.0, 0.0 }, nd.polymul({}, { 1, 2 }))
  end)
end)

describe("what does not fit", function()
  it("is said of edges and weights", function()
    raises("ValueError", "neither increase nor decrease", function() nd.digitize({ 1 }, { 1, 3, 2 }) end)
    raises("ValueError", "neither", function() nd.digitize({ 1 }, { 3, 1, 2 }) end)
    same({ 2 }, nd.digitize({ 2 }, { 3, 3, 1 }))
    raises("TypeError", "do not fit", function() nd.average({ 1, 2, 3 }, { weights = { 1, 2 } }) end)
    raises("ValueError", "do not fit", function() nd.average({ { 1, 2, 3 } }, { weights = { 1, 2 }, axis = 1 }) end)
  end)
end)

describe("an axis that is nil", function()
  it("is no axis, of whatever array", function()
    local x = nd.array({ { 1.5, -2, 7 }, { 0, 3, -1 } })
    for _, a in ipairs({ x, x.T, x["::, ::2"], nd.gt(x, 0), x:astype("int64") }) do
      for _, name in ipairs({ "all", "any", "sum", "prod", "max", "min", "mean", "std", "argmax", "argmin", "cumsum",
        "ptp", "median", "nanmedian", "nansum", "nanmax", "nanargmax", "count_nonzero", "flip", "squeeze" }) do
        local taken, want = pcall(nd[name], a)
        assert.is_true(not taken or nd.array_equal(nd.array(want), nd.array((nd[name](a, nil)))),
          ("%s of %s"):format(name, a.dtype))
      end
    end
    assert.equal(2, nd.nanargmax({ { NAN, NAN }, { 2.9, NAN }, { NAN, NAN } }))
  end)
end)

describe("infinities in the middle", function()
  it("are the median of what is not NaN, and those that differ have none", function()
    local inf = math.huge
    for _, case in ipairs({ { { inf }, inf }, { { 1, inf, NAN }, inf }, { { -inf, inf }, NAN },
      { { 1, inf, inf }, inf },
      { { 1, 3, inf, NAN, inf }, inf }, { { -inf, -inf, 3 }, -inf } }) do
      same(case[2], nd.nanmedian(case[1]))
      same({ case[2] }, nd.nanmedian({ case[1] }, 1))
      in_graphs({ case[1] }, function(M, v) return M.nanmedian(v) end, function(f, x) same(case[2], f(x)) end)
    end
  end)
end)

describe("histograms of float32", function()
  local x = nd.array({ 1.3, -1.6, -6.5, 0.9, 0.6, -1.8 }, "float32")
  it("have edges that were computed in double precision where a range is given", function()
    local want = { -3, -1.9, -0.8, 0.3, 1.4, 2.5 }
    local function check(counts, edges)
      assert.is_true(nd.array_equal(nd.array(want, "float32"), edges), tostring(edges))
      same({ 0, 2, 0, 3, 0 }, counts)
    end
    check(nd.histogram(x, { bins = 5, range = { -3, 2.5 } }))
    in_graphs(x, function(M, v) return { M.histogram(v, { bins = 5, range = { -3, 2.5 } }) } end, function(f)
      check(f(x))
    end)
  end)
  it("have as many bins as NumPy's, whose rules compute in single precision", function()
    local bad = nd.array({ -4.6, -0.9, -1.5, -4.0 }, "float32")
    assert.equal(7, nd.histogram_bin_edges(bad, "stone").size)
    assert.equal(12, nd.histogram_bin_edges({ -2.4, 2.7, -0.4, 2.1, -2.8, -4.4, -7.3, 0.8, -4.2, 3.5, 0, -0.1, -5.6,
      2.1, 1.7, 4.1, -1.2, 0.7, 1.1, 2.1, 2.6, 0.8, 1.4 }, "stone", { 3, 6 }).size)
  end)
  it("of one point count within half of it", function()
    assert.equal(27, nd.histogram_bin_edges({ 5.6, 0.9, 1.3, -1.5, -2.9, 4.0, -3.5, -1.2, 0.0, -2.6, -1.6, -1.6, -1.5,
      4.6, 0.1, 2.9, -2.6, -1.7 }, "rice", { 0.0, 0.0 }).size)
  end)
end)

describe("quantiles of float32", function()
  it("are between neighbours whose difference is one of float32, also where several are asked for", function()
    local x = nd.array({ -5.1, -4.4, -0.4, 1.3 }, "float32")
    for _, name in ipairs({ "quantile", "nanquantile" }) do
      local one, several = nd[name](x, 0.3), nd[name](x, { 0.3 })
      assert.equal("float64", several.dtype)
      local a, b = x[0], x[1]
      local d = nd.array({ b - a }, "float32")[0]
      assert.equal(b - d * (1 - 0.9), several[0])
      assert.is_true(math.abs(one - several[0]) < 1e-6)
      in_graphs(x, function(M, v) return M[name](v, { 0.3 }) end, function(f) same(several, f(x)) end)
    end
  end)
end)

describe("arguments", function()
  local x = nd.array({ 1.0, 2.0, 3.0 })
  it("that must be given are asked for", function()
    for _, pair in ipairs({ { nd, x }, { T, T.dvector() } }) do
      local M, v = table.unpack(pair)
      for name, argument in pairs({ partition = "kth", argpartition = "kth", expand_dims = "axis", resize = "new_shape",
        broadcast_to = "shape", quantile = "q", percentile = "q", nanquantile = "q", nanpercentile = "q",
        delete = "positions", moveaxis = "source" }) do
        raises("TypeError", argument, function() local _ = M[name](v) end)
      end
      raises("TypeError", "destination", function() local _ = M.moveaxis(v, 0) end)
      raises("TypeError", "deg", function() local _ = M.polyfit(v, v) end)
      raises("TypeError", "kind", function() local _ = M.isdtype("int8") end)
      raises("TypeError", "integers", function() local _ = M.delete(v, { 1, 0.5 }) end)
      raises("TypeError", "integers", function() local _ = M.insert(v, { 1, 0.5 }, 7) end)
    end
  end)
  it("of clip may be left out, of convolve be numbers, of polytrim have names", function()
    same({ 1.0, 2.0 }, nd.polynomial.polynomial.polytrim({ 1.0, 2.0, 1e-9 }, { tol = 1e-8 }))
    same({ 1.0 }, nd.polynomial.chebyshev.chebtrim({ 1.0, 0.5 }, 0.5))
    same({ 1.0, 2.0, 3.0 }, nd.clip(x))
    assert.is_false(nd.shares_memory(x, nd.clip(x)))
    assert.equal(3, nd.clip(3))
    same({ 6.0 }, nd.convolve(2.0, 3))
    in_graphs(x, function(M, v) return { M.clip(v), M.convolve(v, 0.5), M.convolve(2.0, v) } end, function(f)
      local a, b, c = f(x)
      same({ 1.0, 2.0, 3.0 }, a)
      same({ 0.5, 1.0, 1.5 }, b)
      same({ 2.0, 4.0, 6.0 }, c)
    end)
  end)
  it("of geomspace: arrays are not 0, complex ones turn with the first", function()
    raises("ValueError", "neither end is 0", function() nd.geomspace(x, { 1.0, 0.0, 2.0 }) end)
    local start = nd.array({ nd.complex(0, 2), nd.complex(-3, 1) })
    in_graphs(start, function(M, v) return M.geomspace(v, 0.5, 4) end, function(f)
      local want = nd.geomspace(start, 0.5, 4)
      assert.is_true(nd.allclose(want, f(start), 1e-12))
      assert.is_true(nd.allclose(want["1:"] / want[":-1"], (0.5 / start) ^ (1 / 3), 1e-12))
    end)
  end)
  it("of pad may be empty at run time, which the mode \"mean\" says as the others do", function()
    local v = T.dmatrix("v")
    local f = theano.compile({ inputs = { v }, outputs = T.pad(v, 1, { mode = "mean" }) })
    assert.is_true(nd.array_equal(nd.ones({ 4, 5 }), f(nd.ones({ 2, 3 }))))
    raises("AssertionError", "axis 0 is empty: only the mode 'constant' can pad it", function()
      f(nd.zeros({ 0, 3 }))
    end)
  end)
  it("of nextafter may be halves without dimensions", function()
    for _, dtype in ipairs({ "bfloat16", "float16" }) do
      for _, pair in ipairs({ { -2, 0 }, { 0.4, 3 }, { 0, -1 }, { math.huge, 0 }, { 1, 1 } }) do
        local a, b = nd.array(pair[1], dtype), nd.array(pair[2], dtype)
        assert.equal(nd.nextafter(a:reshape({ 1 }), b:reshape({ 1 }))[0], nd.nextafter(a, b))
      end
    end
  end)
end)
