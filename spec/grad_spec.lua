--- T.grad by Theano's rules, and every gradient of every function against finite differences.
local core = require("theano.core")
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")
local T = require("theano.tensor")
local compile = theano.compile

-- ---- every function ------------------------------------------------------------------------------------------------
local rng = nd.random.RandomState(20)
local function between(low, high, ...) return rng:uniform(low, high, { ... }) end
local function mat() return between(0.2, 0.8, 3, 4) end
local function vec(n) return between(0.2, 0.8, n or 4) end
local INDEX = T.constant({ 2, 0, 2 }, { dtype = "int64" })
local LABELS = T.constant({ 1, 3, 0 }, { dtype = "int64" })

-- Functions of one tensor, elementwise, with the interval of their points.
local UNARY = {
  arccosh = { 1.2, 3 }, acosh = { 1.2, 3 },
  log = { 0.2, 3 }, abs = { -2, -0.1 }, abs_ = { 0.1, 2 }, ["nnet.relu"] = { -2, -0.1 },
  ultra_fast_sigmoid = { -2, 2 }, ["nnet.ultra_fast_sigmoid"] = { 4, 5 }, gamma = { 1.2, 3 },
  ["nnet.elu"] = { -2, -0.1 }, ["nnet.selu"] = { -2, -0.1 }, ["nnet.hard_sigmoid"] = { -1, 1 },
  ["nnet.leaky_relu"] = { -2, -0.1 }, ["nnet.gelu"] = { -3, 3 }, ["nnet.silu"] = { -3, 3 }, ["nnet.mish"] = { -3, 3 },
}
for name in ([[neg inv sqr sqrt exp exp2 expm1 log2 log10 log1p deg2rad rad2deg sin cos tan arcsin arccos arctan sinh
  cosh tanh arcsinh arctanh erf erfc erfcx erfinv erfcinv gammaln psi tri_gamma j0 j1 i0 i1 sigmoid
  softplus square cbrt acos asin asinh atan atanh absolute negative conjugate
  degrees radians positive reciprocal fabs sinc nnet.sigmoid nnet.softplus nnet.softsign
  nnet.nnet.softsign xlogx.xlogx copy tensor_copy real conj remat]]):gmatch("%S+") do
  UNARY[name] = { 0.1, 0.9 }
end
for name in ([[gamma gammaln loggamma psi digamma erf erfc erfcx erfinv erfcinv ndtr log_ndtr ndtri expi exp1 ellipk
  ellipe j0 j1 i0 i1 i0e i1e expit logit entr exp2 expm1 log1p cbrt]]):gmatch("%S+") do
  UNARY["special." .. name] = { 0.1, 0.9 }
end

-- Functions whose gradient is zero almost everywhere: checked to be zero.
local FLAT = {}
for name in ("ceil floor trunc round_half_to_even round_half_away_from_zero round sgn sign fix"):gmatch("%S+") do
  FLAT[name] = true
end

local BINARY = {}
for name in ([[add sub mul true_div pow power maximum minimum arctan2 nnet.binary_crossentropy
  nnet.sigmoid_binary_crossentropy mod xlogx.xlogy0
  subtract multiply divide true_divide remainder atan2 hypot logaddexp logaddexp2 fmax fmin copysign]]):gmatch("%S+") do
  BINARY[name] = true
end
for name in ("beta betaln binom xlogy xlog1py rel_entr kl_div"):gmatch("%S+") do BINARY["special." .. name] = true end

-- The rest by hand: points, and what to do with the variables.
local BY_HAND = {
  imag = { { vec() }, function(f, x)
    return T.switch(T.gt(x, 9), 0.0, x) + 0 * T.cast(f(T.cast(x, "complex128")), "float64")
  end },
  complex = { { vec(), vec() }, function(f, x, y) return T.real(f(x, y)) + T.imag(f(x, y)) * 2 end },
  ["special.betainc"] = { { vec() }, function(f, x) return f(1.5, 2.5, x) end },
  ["special.zeta"] = { { vec() }, function(f, x) return f(2.5, x) end },
  ["special.polygamma"] = { { vec() }, function(f, x) return f(2, x + 1) end },
  jv = { { vec() }, function(f, x) return f(1.5, x) end },
  iv = { { vec() }, function(f, x) return f(1.5, x) end },
  gammainc = { { vec() }, function(f, x) return f(1.5, x) end },
  gammaincc = { { vec() }, function(f, x) return f(1.5, x) end },
  gammal = { { vec() }, function(f, x) return f(1.5, x) end },
  gammau = { { vec() }, function(f, x) return f(1.5, x) end },
  chi2sf = { { vec() }, function(f, x) return f(x, 3.5) end },
  angle = { { vec(), vec() }, function(f, x, y) return f(T.complex(x, y)) end },
  complex_from_polar = { { vec(), vec() }, function(f, x, y) return T.real(f(x, y)) + T.imag(f(x, y)) * 2 end },
  cast = { { mat() }, function(f, x) return f(x, "float64") * x end },
  astype = { { mat() }, function(f, x) return f(x, "float64") * x end },
  dimshuffle = { { mat() }, function(f, x) return f(x, 1, "x", 0) * 2 end },
  sum = { { mat() }, function(f, x) return f(x, { axis = 1 }) + f(x) end },
  prod = { { mat() }, function(f, x) return f(x, { axis = 0 }) end },
  mean = { { mat() }, function(f, x) return f(x, { axis = 0, keepdims = true }) * x end },
  var = { { mat() }, function(f, x) return f(x, { axis = 1 }) end },
  std = { { mat() }, function(f, x) return f(x, { axis = 1, ddof = 1 }) end },
  max = { { mat() }, function(f, x) return f(x, { axis = 1 }) end },
  min = { { mat() }, function(f, x) return f(x, { axis = 0 }) end },
  max_and_argmax = { { mat() }, function(f, x) return (f(x, { axis = 1 })) end },
  ptp = { { mat() }, function(f, x) return f(x, { axis = 1 }) end },
  norm = { { mat() }, function(f, x) return f(x, 2, { axis = 1 }) + f(x, 1, { axis = 1 }) end },
  reshape = { { mat() }, function(f, x) return f(x, { 2, -1 }) * 2 end },
  flatten = { { mat() }, function(f, x) return f(x) * 2 end },
  ravel = { { mat() }, function(f, x) return f(x) * 2 end },
  transpose = { { mat() }, function(f, x) return T.dot(f(x), x) end },
  swapaxes = { { mat() }, function(f, x) return f(x, 0, 1) * 2 end },
  shape_padleft = { { mat() }, function(f, x) return f(x, 2) * 2 end },
  shape_padright = { { mat() }, function(f, x) return f(x) * 2 end },
  shape_padaxis = { { mat() }, function(f, x) return f(x, 1) * 2 end },
  squeeze = { { between(0, 1, 3, 1) }, function(f, x) return f(x) * 2 end },
  addbroadcast = { { between(0, 1, 3, 1) }, function(f, x) return f(T.unbroadcast(x, 1), 1) * 2 end },
  unbroadcast = { { between(0, 1, 3, 1) }, function(f, x) return f(x, 1) * 2 end },
  patternbroadcast = { { between(0, 1, 3, 1) }, function(f, x) return f(x, { false, false }) * 2 end },
  specify_shape = { { mat() }, function(f, x) return f(x, { 3, 4 }) * 2 end },
  tile = { { vec() }, function(f, x) return f(x, { 2, 3 }) * 2 end },
  repeat_ = { { mat() }, function(f, x) return f(x, 2, { axis = 1 }) * 2 end },
  alloc = { { vec() }, function(f, x) return f(x, 3, 4) * 2 end },
  zeros_like = { { vec() }, function(f, x) return f(x) + x end },
  ones_like = { { vec() }, function(f, x) return f(x) * x end },
  identity_like = { { between(0, 1, 3, 3) }, function(f, x) return f(x) * x end },
  tril = { { between(0, 1, 3, 3) }, function(f, x) return f(x, 1) * 2 end },
  triu = { { between(0, 1, 3, 3) }, function(f, x) return f(x, -1) * 2 end },
  subtensor = { { mat() }, function(f, x) return f(x, { T.slice(nil, nil, -1), 1 }) + x[INDEX]:sub("all", 0) end },
  take = { { mat() }, function(f, x) return f(x, INDEX, { axis = 1 }) * 2 end },
  set_subtensor = { { mat(), vec() }, function(f, x, y) return f(x[1], y) * 2 end },
  inc_subtensor = { { mat(), between(0, 1, 3, 4) }, function(f, x, y) return f(x[INDEX], y) * 2 + f(x["::-1"], y) end },
  join = { { mat(), mat() }, function(f, x, y) return f(1, x, y) * 2 end },
  concatenate = { { mat(), mat() }, function(f, x, y) return f({ x, y, x }, { axis = 0 }) * 2 end },
  stack = { { mat(), mat() }, function(f, x, y) return f({ x, y }, { axis = 1 }) * 2 end },
  split = { { between(0, 1, 6) }, function(f, x)
    local a, b = f(x, { 2, 4 }, 2)
    return a:sum() * 2 + T.sqr(b):sum()
  end },
  horizontal_stack = { { mat(), mat() }, function(f, x, y) return f(x, y) * 2 end },
  vertical_stack = { { mat(), mat() }, function(f, x, y) return f(x, y) * 2 end },
  dot = { { mat(), between(0, 1, 4, 2) }, function(f, x, y) return f(x, y) end },
  tensordot = { { between(0, 1, 2, 3, 4), between(0, 1, 4, 3, 2) },
    function(f, x, y) return f(x, y, { axes = { { 1, 2 }, { 1, 0 } } }) end },
  outer = { { vec(), vec(3) }, function(f, x, y) return f(x, y) end },
  ["nnet.ctc"] = { { mat() }, function(f, x)
    return f(x:dimshuffle(0, "x", 1), T.constant({ { 1 } }), T.stack({ x.shape[0] }))
  end },
  ["nnet.softmax"] = { { mat() }, function(f, x) return f(x) end },
  ["nnet.logsoftmax"] = { { mat() }, function(f, x) return f(x) end },
  ["nnet.softmax_graph"] = { { mat() }, function(f, x) return f(x) end },
  ["nnet.softmax_with_bias"] = { { mat(), vec() }, function(f, x, b) return f(x, b) end },
  ["nnet.categorical_crossentropy"] = { { mat(), mat() }, function(f, x, y)
    return f(T.nnet.softmax(x), LABELS) + f(T.nnet.softmax(x), T.nnet.softmax(y))
  end },
  ["nnet.crossentropy_categorical_1hot"] = { { mat() }, function(f, x) return f(T.nnet.softmax(x), LABELS) end },
  ["nnet.crossentropy_softmax_1hot"] = { { mat() }, function(f, x) return (f(x, LABELS)) end },
  ["nnet.crossentropy_softmax_1hot_with_bias"] = { { mat(), vec() }, function(f, x, b) return (f(x, b, LABELS)) end },
  ["nnet.crossentropy_softmax_argmax_1hot_with_bias"] = {
    { mat(), vec() }, function(f, x, b) return (f(x, b, LABELS)) end,
  },
  ["nnet.crossentropy_softmax_max_and_argmax_1hot"] = { { mat() }, function(f, x) return (f(x, LABELS)) end },
  ["nnet.crossentropy_softmax_max_and_argmax_1hot_with_bias"] = { { mat(), vec() },
    function(f, x, b) return (f(x, b, LABELS)) end },
  clip = {
    { between(-2, 2, 9), between(-1, -0.9, 9), between(0.9, 1, 9) }, function(f, x, a, b) return f(x, a, b) end,
  },
  switch = { { vec(), vec() }, function(f, x, y) return f(T.gt(x, 0.5), x * 2, y) end },
  where = { { vec(), vec() }, function(f, x, y) return f(T.gt(x, 0.5), x * 2, y) end },
  second = { { vec(), vec() }, function(f, x, y) return f(x, y) * 2 end },
  fill = { { vec(), vec() }, function(f, x, y) return f(x, y) * 2 end },
}
BY_HAND.imag = nil -- covered by complex

-- No gradient: what they give is discrete, a shape, or made of nothing.
local NONE = {} -- or not here: those of the Fourier transforms are in spec/fft_spec.lua
for name in ([[iround divmod ceil_intdiv isclose allclose argmax argmin any all shape size zeros ones arange eye tri
  lt gt le ge eq neq isnan isinf and_ or_ xor invert bitwise_and bitwise_or bitwise_xor bitwise_not left_shift
  right_shift int_div floor_div equal not_equal less less_equal greater greater_equal bitwise_invert
  bitwise_left_shift bitwise_right_shift floor_divide isfinite signbit gcd lcm logical_and logical_or logical_xor
  logical_not isposinf isneginf iscomplex isreal bitwise_count spacing
  fft.rfft fft.irfft fft.rfft_op fft.irfft_op fft.fft fft.ifft fft.fft2 fft.ifft2 fft.fftn fft.ifftn fft.rfft2
  fft.irfft2 fft.rfftn fft.irfftn fft.hfft fft.ihfft fft.fftfreq fft.rfftfreq fft.fftshift fft.ifftshift
  random.mrg_uniform random.philox random.multinomial_from_uniform random.choice_from_uniform
  imag]]):gmatch("%S+") do
  NONE[name] = true
end

local RAGGED
do
  local by_hand, none
  by_hand, none, RAGGED = require("spec.support.tensor_grads")(between)
  for name, line in pairs(by_hand) do BY_HAND[name] = line end
  for name in pairs(none) do NONE[name] = true end
  for name, line in pairs(require("spec.support.image_grads")(between)) do BY_HAND[name] = line end
  for name, line in pairs({
    nextafter = { { mat() }, function(f, x) return f(x, T.constant(9.0)) * x end },
    heaviside = { { vec(), vec() }, function(f, x, y) return f(x - 2, y) + f(T.zeros_like(x), y) * x end },
    fmod = { { vec(), vec() }, function(f, x, y) return f(x * 0.1 + 2.5, y * 0.1 + 1) end },
    modf = { { mat() }, function(f, x)
      local part, whole = f(x * 3)
      return part * 2 + whole
    end },
    frexp = { { mat() }, function(f, x) return (f(x)) * x end },
    ldexp = { { mat() }, function(f, x) return f(x, 3) * x end },
    float_power = { { mat(), mat() }, function(f, x, y) return f(x, y) end },
  }) do BY_HAND[name] = line end
end

for name in pairs(require("spec.support.linalg_names")) do NONE[name] = true end -- in specs of their own
NONE["nlinalg.norm"], NONE["nlinalg.inv"] = true, true
for name in ("disconnected_grad zero_grad undefined_grad grad_clip grad_scale"):gmatch("%S+") do
  NONE["gradient." .. name] = true -- they change gradients: spec/derive_spec.lua
end

NONE.transfer = true -- it sends them back: spec/transfers_spec.lua

for name, of in pairs({ gammainc = "gammainc", gammaincc = "gammaincc", jv = "jv", jn = "jv", iv = "iv" }) do
  BY_HAND["special." .. name] = BY_HAND[of]
end

-- spec/derive_spec.lua loads this file without a `describe`, for the cases.
if not describe then return { unary = UNARY, binary = BINARY, by_hand = BY_HAND, flat = FLAT, between = between,
  ragged = RAGGED } end

local function verify(fun, points, options) theano.gradient.verify_grad(fun, points, options) end

local function narrow(points)
  local out = {}
  for i, p in ipairs(points) do out[i] = p.dtype == "float64" and p:astype("float32") or p end
  return out
end

local function gradients(fun, points)
  local vars, outs = {}, {}
  for i, p in ipairs(points) do
    local pattern = {}
    for d = 1, p.ndim do pattern[d] = p.shape[d] == 1 end
    vars[i] = T.TensorType(p.dtype, pattern)()
  end
  local y = fun(table.unpack(vars))
  local grads = T.grad(T.sum(T.sqr(y)), vars, { disconnected_inputs = "ignore" })
  for i, g in ipairs(grads) do outs[i] = compile.Out(g, { array = true }) end
  local mode = compile.Mode({ linker = "interpreter" })
  local f = compile({ inputs = vars, outputs = outs, mode = mode, on_unused_input = "ignore" })
  return { f(table.unpack(points)) }, y.dtype
end

-- In float32: against differences, and against the gradient in float64 at the same points, to float32's precision.
local function verify_narrow(fun, points, options)
  local small = narrow(points)
  local wide = {}
  for i, p in ipairs(small) do wide[i] = p.dtype == "float32" and p:astype("float64") or p end
  local got, dtype = gradients(fun, small)
  local want = gradients(fun, wide)
  for i, g in ipairs(got) do
    if dtype == "float32" then assert.equal(small[i].dtype, g.dtype) end -- not of what widens: cast, cov, selu
    local scale = nd.max(nd.abs(want[i]))
    local off = nd.max(nd.abs(g:astype("float64") - want[i]))
    assert(off <= 2e-5 * (scale + 1e-3), ("input %d: off by %g of %g"):format(i - 1, off, scale))
  end
  -- Differences of float32 are rough: of a cost of 300, one unit in its last place over a step of 3e-4 is 0.1.
  verify(fun, small, { mode = options.mode, eps = 1e-3, abs_tol = 6e-2, rel_tol = 6e-2 })
end

local interpreter = compile.Mode({ linker = "interpreter" })

describe("the gradient against finite differences", function()
  for _, entry in ipairs(core.functions()) do
    local name, f = entry.name, entry.symbolic
    if UNARY[name] then
      it("of " .. name, function()
        local low, high = table.unpack(UNARY[name])
        local function times_two(x) return f(x) * 2 end
        verify(times_two, { between(low, high, 2, 3) }, { mode = interpreter })
        verify_narrow(times_two, { between(low, high, 5) }, { mode = interpreter })
      end)
    elseif BINARY[name] then
      it("of " .. name .. ", broadcast on either side", function()
        local high, low = between(0.6, 0.9, 2, 3), between(0.2, 0.5, 2, 3)
        verify(f, { high, low }, { mode = interpreter })
        verify(f, { between(0.6, 0.9, 1, 3), low }, { mode = interpreter })
        verify(f, { between(0.6, 0.9, 2, 3), between(0.2, 0.5, 3) }, { mode = interpreter })
        verify(f, { nd.array(0.7), low }, { mode = interpreter })
        verify_narrow(f, { high, between(0.2, 0.5, 3) }, { mode = interpreter })
      end)
    elseif BY_HAND[name] then
      it("of " .. name, function()
        local points, fun = table.unpack(BY_HAND[name])
        local function of(...) return fun(f, ...) end
        verify(of, points, { mode = interpreter })
        verify_narrow(of, points, { mode = interpreter })
      end)
    elseif FLAT[name] then
      it("of " .. name .. " is zero", function()
        local x = T.dvector("x")
        local g = compile({ inputs = { x }, outputs = T.grad(T.sum(f(x) + x * 3), x), mode = interpreter })
        assert.same({ 3.0, 3.0 }, g({ 0.3, 1.7 }):tolist())
      end)
    end
  end

  it("is known for every function, or known not to exist", function()
    for _, entry in ipairs(core.functions()) do
      local n = entry.name
      if n:find("^sparse%.") then NONE[n] = true end -- or not here: spec/sparse_grad_spec.lua
      assert(UNARY[n] or BINARY[n] or BY_HAND[n] or FLAT[n] or NONE[n], n .. " has no line in this spec")
    end
    for _, list in ipairs({ UNARY, BINARY, BY_HAND, FLAT, NONE }) do
      for n in pairs(list) do
        local found = false
        for _, entry in ipairs(core.functions()) do found = found or entry.name == n end
        assert(found, n .. " is no function any more")
      end
    end
  end)

  it("holds through C too", function()
    local points = { mat(), between(-1, 1, 4, 3), vec(3) }
    local mode = compile.Mode({ linker = "c" })
    verify(function(x, w, b) return T.nnet.softmax(T.tanh(T.dot(x, w)) + b) end, points, { mode = mode })
  end)

  it("holds for gradients of gradients", function()
    verify(function(x) return T.grad(T.sum(T.exp(x) * T.sin(x)), x) end, { vec() })
    verify(function(x) return T.grad(T.sum(T.nnet.softmax(x) ^ 2), x) end, { mat() })
    verify(function(x, y) return T.grad(T.sum(T.tanh(T.dot(x, y))), x) end, { mat(), between(0, 1, 4, 2) })
  end)
end)

-- ---- complex numbers ------------------------------------------------------------------------------------------------
-- Functions of the real and the imaginary part of every operand: a name, points, and the function.
local COMPLEX = {}
do
  local function part(z) return T.real(z) * 2 + T.imag(z) * 3 end
  local z = T.complex
  local function more(name, points, fun)
    COMPLEX[#COMPLEX + 1] = { "complex " .. name, points, function(...) return part(fun(...)) end }
  end
  local function points()
    return between(0.2, 0.9, 5), between(-0.9, -0.2, 5), between(1.2, 1.9, 5), between(0.2, 0.9, 5)
  end
  for name in ([[exp expm1 exp2 log log2 log10 log1p sqrt inv sqr sin cos tan arcsin arccos arctan sinh cosh tanh
    arcsinh arccosh arctanh abs_ angle conj neg]]):gmatch("%S+") do
    local re, im = points()
    more(name, { re, im }, function(x, y) return T[name](z(x, y)) end)
  end
  for name in ("add sub mul true_div pow maximum minimum"):gmatch("%S+") do
    local a, b, c, d = points()
    more(name, { a, b, c, d }, function(x, y, u, v) return T[name](z(x, y), z(u, v)) end)
    more(name .. " beside a real", { a, b, c }, function(x, y, u) return T[name](z(x, y), u) end)
    more(name .. " behind a real", { a, b, c }, function(x, y, u) return T[name](u, z(x, y)) end)
  end
  local re, im = between(0.2, 0.9, 3, 4), between(-0.9, -0.2, 3, 4)
  more("sum", { re, im }, function(x, y) return T.sum(T.sqr(z(x, y)), { axis = 0 }) end)
  more("prod", { re, im }, function(x, y) return T.prod(z(x, y), { axis = 1 }) end)
  more("mean", { re, im }, function(x, y) return T.mean(T.exp(z(x, y)), { axis = 0 }) end)
  more("dot", { re, im, between(0, 1, 4, 2) }, function(x, y, w) return T.dot(z(x, y), z(w, w * 2)) end)
  more("dot with reals", { re, im, between(0, 1, 4) }, function(x, y, w) return T.dot(z(x, y), w) end)
  more("dot of reals", { re, im, between(0, 1, 3) }, function(x, y, w) return T.dot(w, z(x, y)) end)
end

describe("the gradient of", function()
  for _, case in ipairs(COMPLEX) do
    it(case[1], function() verify(case[3], case[2], { mode = interpreter }) end)
  end

  it("is dC/dx + i dC/dy", function()
    local w = T.zvector("w")
    local g = T.grad(T.sum(T.sqr(T.abs_(w))), w)
    assert.equal("complex128", g.dtype)
    local got = g:eval({ [w] = nd.array({ nd.complex(1, 2) }) })[0]
    assert.near(2, got.real, 1e-14)
    assert.near(4, got.imag, 1e-14)
  end)
end)

-- ---- generated C ----------------------------------------------------------------------------------------------------
-- Many gradients in one compiled unit, in float64 and float32.
describe("gradients through generated C", function()
  local BATCH, all = 24, {}
  for _, entry in ipairs(core.functions()) do
    local name, f = entry.name, entry.symbolic
    if UNARY[name] then
      local low, high = table.unpack(UNARY[name])
      all[#all + 1] = { name, { between(low, high, 2, 3) }, function(x) return f(x) * 2 end }
    elseif BINARY[name] then
      all[#all + 1] = { name, { between(0.6, 0.9, 2, 3), between(0.2, 0.5, 3) }, f }
    elseif BY_HAND[name] then
      all[#all + 1] = { name, BY_HAND[name][1], function(...) return BY_HAND[name][2](f, ...) end }
    elseif FLAT[name] then
      all[#all + 1] = { name, { vec() }, function(x) return f(x) + x * 3 end }
    end
  end
  for _, case in ipairs(COMPLEX) do all[#all + 1] = case end

  local function unit(first, dtype)
    local inputs, values, outputs, names = {}, {}, {}, {}
    for k = first, math.min(first + BATCH - 1, #all) do
      local name, points, fun = table.unpack(all[k])
      if dtype == "float32" then points = narrow(points) end
      local vars = {}
      for i, p in ipairs(points) do
        local pattern = {}
        for d = 1, p.ndim do pattern[d] = p.shape[d] == 1 end
        vars[i] = T.TensorType(p.dtype, pattern)()
        inputs[#inputs + 1], values[#values + 1] = vars[i], p
      end
      for _, g in ipairs(T.grad(T.sum(T.sqr(fun(table.unpack(vars)))), vars, { disconnected_inputs = "ignore" })) do
        outputs[#outputs + 1], names[#names + 1] = compile.Out(g, { array = true }), name
      end
    end
    local function run(linker)
      local _ <close> = theano.config.change_flags({ ["gcc.cxxflags"] = "-O0" }) -- the texts count, not the speed
      local mode = compile.Mode({ linker = linker })
      local f = compile({ inputs = inputs, outputs = outputs, mode = mode, on_unused_input = "ignore" })
      return { f(table.unpack(values)) }
    end
    return run("interpreter"), run("c"), names
  end

  for _, dtype in ipairs({ "float64", "float32" }) do
    for first = 1, #all, BATCH do
      it(("of %s to %s in %s are the interpreter's"):format(all[first][1], all[math.min(first + BATCH - 1, #all)][1],
        dtype), function()
        local interpreted, compiled, names = unit(first, dtype)
        local rtol = dtype == "float64" and 1e-11 or 2e-5
        for i, name in ipairs(names) do
          assert(nd.allclose(interpreted[i], compiled[i], rtol, rtol),
            ("%s: %s and %s"):format(name, tostring(interpreted[i]), tostring(compiled[i])))
        end
      end)
    end
  end
end)

-- ---- rules ----------------------------------------------------------------------------------------------------------
-- Which graph a gradient is counts here, so the interpreter runs them; those of products run as C.
describe("T.grad", function()
  local x, y = T.dvector("x"), T.dvector("y")
  local interpreted
  setup(function() interpreted = theano.config.change_flags({ linker = "interpreter" }) end)
  teardown(function() getmetatable(interpreted).__close(interpreted) end)

  it("gives one gradient or a list, as asked", function()
    assert.equal("variable", core.kind(T.grad(x:sum(), x)))
    local list = T.grad((x * y):sum(), { x, y })
    assert.equal(2, #list)
    assert.equal(theano.pp(T.grad((x * y):sum(), x)), theano.pp(list[1]))
  end)

  it("names gradients after cost and variable", function()
    local cost = (x ^ 2):sum()
    cost.name = "cost"
    assert.equal("(dcost/dx)", T.grad(cost, x).name)
    assert.is_nil(T.grad(cost, x, { add_names = false }).name)
  end)

  it("adds what comes along several ways", function()
    assert.same({ 9.0 }, T.grad((x * 2 + x * 7):sum(), x):eval({ [x] = { 1.0 } }):tolist())
    assert.same({ 6.0 }, T.grad((x * x):sum(), x):eval({ [x] = { 3.0 } }):tolist())
  end)

  it("holds what consider_constant says constant", function()
    local c = x * 2
    local g = T.grad((c * x):sum(), x, { consider_constant = { c } })
    assert.same({ 6.0 }, g:eval({ [x] = { 3.0 } }):tolist())
  end)

  it("continues from known_grads", function()
    local h = T.exp(x)
    local g = T.grad(nil, x, { known_grads = { [h] = T.ones_like(h) * 3 } })
    assert.same({ 3.0 }, g:eval({ [x] = { 0.0 } }):tolist())
  end)

  it("takes numbers and arrays as known_grads, and says what does not fit", function()
    local h, s = T.exp(x), T.dscalar("s")
    local c = s ^ 2
    assert.equal(10.0, T.grad(nil, s, { known_grads = { [c] = 1 } }):eval({ [s] = 5 }))
    assert.same({ 3.0 }, T.grad(nil, x, { known_grads = { [h] = nd.array({ 3.0 }) } }):eval({ [x] = { 0.0 } }):tolist())
    raises("TypeError", "known_grads, pair 1", function() T.grad(nil, x, { known_grads = { [h] = 1 } }) end)
    raises("TypeError", "pair 1, what is differentiated is a number", function()
      T.grad(nil, x, { known_grads = { { 3, h } } })
    end)
  end)

  it("answers what is disconnected as asked", function()
    local cost = x:sum()
    assert.same({ 0.0 }, T.grad(cost, y, { disconnected_inputs = "ignore" }):eval({ [y] = { 5.0 } }):tolist())
    assert.is_nil(T.grad(cost, y, { disconnected_inputs = "ignore", return_disconnected = "None" }))
    raises("DisconnectedInputError", "y", function() T.grad(cost, y) end)
    raises("ValueError", "disconnected_inputs", function() T.grad(cost, y, { disconnected_inputs = "maybe" }) end)
    raises("ValueError", "return_disconnected", function() T.grad(cost, y, { return_disconnected = "maybe" }) end)
  end)

  it("is disconnected through shapes and comparisons", function()
    raises("DisconnectedInputError", "x", function() T.grad(T.cast(x.shape[0], "float64"), x) end)
  end)

  it("of a sum of integers is zeros of floatX", function()
    local i = T.lvector("i")
    local g = T.grad(i:sum(), i)
    assert.equal("float64", g.dtype)
    assert.same({ 0.0, 0.0 }, g:eval({ [i] = { 1, 2 } }):tolist())
  end)

  it("has the pattern of its variable", function()
    local m, r = T.dmatrix("m"), T.drow("r")
    local gm, gr = table.unpack(T.grad((m * r):sum(), { m, r }))
    assert.same({ false, false }, gm.broadcastable)
    assert.same({ true, false }, gr.broadcastable)
    assert.same({ { 4.0, 6.0 } }, gr:eval({ [m] = { { 1.0, 2.0 }, { 3.0, 4.0 } }, [r] = { { 0.0, 0.0 } } }):tolist())
  end)

  it("stays float32 where everything is", function()
    local f = T.fvector("f")
    assert.equal("float32", T.grad((T.exp(f) * 2):mean(), f).dtype)
  end)

  it("of a maximum of equal elements goes to all of them", function()
    assert.same({ 1.0, 0.0, 1.0 }, T.grad(T.max(x), x):eval({ [x] = { 2.0, 1.0, 2.0 } }):tolist())
  end)

  it("of a repeated index adds up", function()
    assert.same({ 1.0, 0.0, 2.0 }, T.grad(x[INDEX]:sum(), x):eval({ [x] = { 1.0, 2.0, 3.0 } }):tolist())
  end)
end)

describe("T.grad through C", function()
  local x = T.dvector("x")

  it("of a product with zeros is right", function()
    assert.same({ 0.0, 12.0, 0.0 }, T.grad(T.prod(x), x):eval({ [x] = { 3.0, 0.0, 4.0 } }):tolist())
    assert.same({ 0.0, 0.0, 0.0 }, T.grad(T.prod(x), x):eval({ [x] = { 0.0, 0.0, 4.0 } }):tolist())
  end)

  it("of the gradient of a product with zeros is right", function()
    -- d2 prod / dx_i dx_k is the product of the others; the rows hold no, one, two and three zeros
    local points = { { 2.0, 3.0, 5.0 }, { 0.0, 3.0, 5.0 }, { 0.0, 0.0, 4.0 }, { 0.0, 0.0, 0.0 }, { 2.0, 3.0, 0.0 } }
    local m, w = T.dmatrix("m"), { 1.0, 2.0, 4.0 }
    for _, turned in ipairs({ false, true }) do
      local product = turned and T.prod(m.T, { axis = 0 }) or T.prod(m, { axis = 1 })
      local got = T.grad(T.sum(T.grad(product:sum(), m) * T.constant(w)), m):eval({ [m] = points })
      for r, p in ipairs(points) do
        local want = { w[2] * p[3] + w[3] * p[2], w[1] * p[3] + w[3] * p[1], w[1] * p[2] + w[2] * p[1] }
        for i = 1, 3 do assert.near(want[i], got[r - 1][i - 1], 1e-13) end
      end
    end
    local all = T.jacobian(T.grad(T.prod(x), x), x):eval({ [x] = { 0.0, 3.0, 0.0 } })
    assert.same({ { 0.0, 0.0, 3.0 }, { 0.0, 0.0, 0.0 }, { 3.0, 0.0, 0.0 } }, all:tolist())
  end)
end)

describe("verify_grad", function()
  it("finds a wrong gradient in any element", function()
    raises("GradientError", "input 0, element 1", function()
      theano.gradient.verify_grad(function(x)
        return T.switch(T.gt(x, 0.5), T.floor(x * 1e9) / 1e9, x)
      end, { nd.array({ 0.1, 0.7 }) })
    end)
  end)

  it("takes Theano's options", function()
    local x = nd.array({ 0.5, 1.5 }, "float32")
    for _, cast in ipairs({ true, false }) do
      theano.gradient.verify_grad(T.exp, { x }, { out_type = "float32", cast_to_output_type = cast, n_tests = 1 })
    end
    raises("GradientError", "symbolic", function()
      theano.gradient.verify_grad(T.exp, { x }, { abs_tol = 1e-9, rel_tol = 1e-9, eps = 0.1 })
    end)
    raises("TypeError", "unknown keyword", function() theano.gradient.verify_grad(T.exp, { x }, { tests = 1 }) end)
  end)

  it("checks floats only", function()
    raises("TypeError", "int64", function() theano.gradient.verify_grad(T.exp, { nd.array({ 1 }) }) end)
  end)
end)

describe("running products", function()
  it("have exact second derivatives, at zeros too", function()
    local x = T.dvector("x")
    local weights = { 1.0, -2, 3, 0.5 }
    local function f(v, M) return M.sum(M.cumprod(v) * nd.array(weights)) end
    local H = theano.compile({ x }, theano.gradient.hessian(f(x, T), x))
    for _, at in ipairs({ { 2.0, 3, 4, 5 }, { 0, 3, 4, 5 }, { 2, 0, 0, 5 }, { 0, 0, 4, 5 }, { 0, 2, 0, 3 },
      { 0, 0, 0, 1 }, { 0, 0, 0, 0 } }) do
      local got = H(at)
      for i = 0, 3 do
        for j = 0, 3 do
          local want = 0.0
          for k = 0, i ~= j and 3 or -1 do -- in each of two elements the products are linear
            local v = nd.array(at)
            v[i], v[j] = k // 2, k % 2
            want = want + (k == 1 and -1 or k == 2 and -1 or 1) * f(v, nd)
          end
          assert.equal(want, got[{ i, j }], ("%d, %d of %s"):format(i, j, nd.array(at)))
        end
      end
    end
  end)
end)

describe("quotients that are continued where they are 0 / 0", function()
  it("have their derivatives there", function()
    local x = T.dvector("x")
    local outputs = { T.special.exprel(x) }
    for k = 1, 4 do outputs[k + 1] = T.grad(T.sum(outputs[k]), x) end
    local f = theano.compile({ x }, outputs)
    for k, got in ipairs({ f({ 0, -0.0, 1e-12, -1e-300 }) }) do
      assert.is_true(nd.allclose(got, 1 / k, 1e-11), ("%d: %s"):format(k, got))
    end
    for k, got in ipairs({ f({ 0.499999, 0.500001 }) }) do -- the series and the quotient meet
      assert.is_true(math.abs(got[0] / got[1] - 1) < 1e-5, ("%d: %s"):format(k, got))
    end
  end)
end)
