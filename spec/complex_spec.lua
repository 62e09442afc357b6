--- Complex numbers through every operation that has a meaning for them: the gradient against finite differences on the
-- real and the imaginary part of every operand, the gradient of the gradient, forward mode against reverse mode.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")
local skip = require("spec.support.skip")
local T = require("theano.tensor")
local compile, G = theano.compile, theano.gradient
local interpreter = compile.Mode({ linker = "interpreter" })
local rng = nd.random.RandomState(3)

local function part(z) return T.real(z) * 2 + T.imag(z) * 3 end
local function between(low, high, ...) return rng:rand({ ... }) * (high - low) + low end
local function I(...) return T.constant(nd.array({ ... }, "int64")) end

local function forward_agrees(fun, points)
  local x, u, values, ins = {}, {}, {}, {}
  for i, p in ipairs(points) do
    local pattern = {}
    for d = 1, p.ndim do pattern[d] = false end
    x[i], u[i] = T.TensorType(p.dtype, pattern)(), T.TensorType(p.dtype, pattern)()
  end
  local y = fun(table.unpack(x))
  local v = T.ones_like(y) * 0.7
  local forward, back = T.sum(v * G.Rop(y, x, u)), 0
  for i, g in ipairs(G.Lop(y, x, v)) do back = back + T.sum(g * u[i]) end
  for i, p in ipairs(points) do
    ins[i], values[i] = x[i], p
    ins[#points + i], values[#points + i] = u[i], rng:rand(p.shape)
  end
  local f = compile({ inputs = ins, outputs = { forward, back }, mode = interpreter, on_unused_input = "ignore" })
  local a, b = f(table.unpack(values))
  assert(math.abs(a - b) <= 1e-9 * (1 + math.abs(a)), ("forward %.17g, reverse %.17g"):format(a, b))
end

local function holds(fun, points)
  G.verify_grad(fun, points, { mode = interpreter })
  G.verify_grad(function(...)
    local total, x = 0, { ... }
    for i, g in ipairs(T.grad(T.sum(fun(...)), x)) do total = total + T.sum(g * T.sqr(x[i])) end
    return total
  end, points, { mode = interpreter, n_tests = 1 })
  forward_agrees(fun, points)
end

describe("derivatives of complex numbers", function()
  for name in ([[exp expm1 exp2 log log2 log10 log1p sqrt inv sqr sin cos tan arcsin arccos arctan sinh cosh tanh
    arcsinh arccosh arctanh erf erfc abs_ angle conj neg sgn]]):gmatch("%S+") do
    it("through " .. name, function()
      holds(function(x, y) return part(T[name](T.complex(x, y))) end,
        { between(0.2, 0.9, 5), between(-0.9, -0.2, 5) })
    end)
  end
  it("through the angle of real numbers, which is constant but for its step", function()
    for _, dtype in ipairs({ "float32", "float64" }) do
      local x, u = T.vector("x", dtype), T.vector("u", dtype)
      local f = compile({ inputs = { x, u }, outputs = { G.Rop(T.angle(x), x, u), T.grad(T.sum(T.angle(x)), x) },
        mode = interpreter, on_unused_input = "ignore" })
      for _, r in ipairs({ f(nd.array({ 1, -2 }, dtype), nd.array({ 3, 4 }, dtype)) }) do
        assert.same({ dtype, { 0.0, 0.0 } }, { r.dtype, r:tolist() })
      end
    end
  end)
  for name in ("add sub mul true_div pow maximum minimum"):gmatch("%S+") do
    it("through " .. name, function()
      holds(function(x, y, u, v) return part(T[name](T.complex(x, y), T.complex(u, v))) end,
        { between(0.2, 0.9, 5), between(-0.9, -0.2, 5), between(1.2, 1.9, 5), between(0.2, 0.9, 5) })
    end)
  end
  it("through complex_from_polar", function()
    holds(function(x, y) return part(T.complex_from_polar(x, y)) end,
      { between(0.2, 0.9, 5), between(-0.9, -0.2, 5) })
  end)

  local through = {
    { "sum", function(z) return T.sum(T.sqr(z), 0) end },
    { "prod", function(z) return T.prod(z, 1) end },
    { "mean", function(z) return T.mean(T.sqr(z), 1) end },
    { "var", function(z) return T.var(z, 1) end },
    { "std", function(z) return T.std(z, 1) end },
    { "norm", function(z) return z:norm(2, 1) end },
    { "cumsum", function(z) return T.cumsum(z, 1) end },
    { "cumprod", function(z) return T.cumprod(z, 1) end },
    { "diff", function(z) return T.diff(z) end },
    { "dot", function(z) return T.dot(z, z.T) end },
    { "outer", function(z) return T.outer(z[0], z[1]) end },
    { "tensordot", function(z) return T.tensordot(z, z, { axes={ { 0 }, { 0 } } }) end },
    { "batched_dot", function(z) return T.batched_dot(z:dimshuffle(0, 1, "x"), z:dimshuffle(0, "x", 1)) end },
    { "reshape", function(z) return z:reshape{ 4, 3 }*2 end },
    { "sub", function(z) return z["::-1, 1"]*z[0][0] end },
    { "adv", function(z) return z[I(0, 2, 0)]*z[I(1, 1, 0)] end },
    { "adv2", function(z) return z[{ I(0, 2, 0), I(1, 1, 0) }] end },
    { "setsub", function(z) return T.set_subtensor(z[0], z[1]*2) end },
    { "incsub", function(z) return T.inc_subtensor(z[I(0, 0)], z[I(1, 2)]*2) end },
    { "join", function(z) return T.join(0, z, z*z) end },
    { "stack", function(z) return T.stack{ z, z*z } end },
    { "split", function(z) local a, b=T.split(z, { 1, 2 }, 2) return T.sum(a)*T.sum(b) end },
    { "switch", function(z) return T.switch(T.gt(T.real(z), .5), z*2, z*z) end },
    { "diag", function(z) return T.diag(z["0:3, 0:3"]) end },
    { "allocdiag", function(z) return T.diag(z[0]) end },
    { "fill_diagonal", function(z) return T.fill_diagonal(z, z[0][1]) end },
    { "trace", function(z) return T.trace(z["0:3, 0:3"]) end },
    { "tril", function(z) return T.tril(z) end },
    { "take", function(z) return z:take(I(3, 1, 1)) end },
    { "choose", function(z) return T.choose(I(0, 2, 1, 1), z) end },
    { "repeat", function(z) return T.repeat_(z, 2, 0) end },
    { "tile", function(z) return T.tile(z, { 2, 1 }) end },
    { "roll", function(z) return T.roll(z, 1, 0)*z end },
    { "kron", function(z) return T.slinalg.kron(z, z) end },
    { "matrix_power", function(z) return T.nlinalg.matrix_power(z["0:3, 0:3"], 3) end },
    { "sort", function(z) return T.sort(z, 1)*z end },
    { "alloc", function(z) return T.alloc(z, 2, 3, 4) end },
    { "fill", function(z) return T.fill(T.zeros({ 2, 3, 4 }), z) end },
    { "compress", function(z) return T.compress(I(1, 0, 1), z, 0) end },
    { "softsign", function(z) return T.nnet.softsign(z) end },
    { "swapaxes", function(z) return T.dot(z:swapaxes(0, 1), z) end },
    { "squeeze", function(z) return T.addbroadcast(z["0:1"], 0):squeeze() end },
    { "cov", function(z) return T.cov(z) end },
    { "permute", function(z) return T.permute_row_elements(z, I(1, 0, 3, 2)) end },
    { "bincount", function(z) return T.bincount(I(1, 0, 1, 2), { weights=z[0] }) end },
    { "gradclip", function(z) return G.grad_scale(z, 2)*0+z*z end },
    { "specify", function(z) return T.specify_shape(z*z, { 3, 4 }) end },
    { "assert", function(z) return T.opt.assert_op(z*z, T.constant(1)) end },
    { "vmap", function(z) return T.vmap(function(r) return T.dot(r, r)*T.exp(r) end)(z) end },
  }
  for _, case in ipairs(through) do
    it("through " .. case[1], function()
      holds(function(x, y) return part(case[2](T.complex(x, y))) end,
        { between(0.2, 0.9, 3, 4), between(-0.9, -0.2, 3, 4) })
    end)
  end

  it("what needs an order says so", function()
    local z = T.zmatrix("z")
    for _, name in ipairs({ "max", "min", "ptp", "argmax", "ceil", "floor" }) do
      raises("TypeError", "complex", function() T[name](z) end)
    end
    raises("TypeError", "complex", function() T.lt(z, z) end)
    raises("TypeError", "complex", function() T.clip(z, 0, 1) end)
  end)
end)

describe("error functions of complex numbers", function()
  local z = T.zvector("z")
  local modes = { None = "None", interpreter = interpreter, C = compile.Mode({ linker = "c" }) }
  --- x, y, erf(x + iy), erfc(x + iy), by mpmath
  local known = {
    { 0.5, 0.25, 0.5486893605537622, 0.22199095428837334, 0.45131063944623784, -0.22199095428837334 },
    { -1.5, 2.0, 0.10504928977401753, 0.6995116861631244, 0.8949507102259825, -0.6995116861631244 },
    { 3.0, -4.0, -120.18699139507945, 27.750337293623904, 121.18699139507945, -27.750337293623904 },
    { 1e-20, 5.0, 8.124882834111569e-10, 8298273880.676804, 0.9999999991875117, -8298273880.676804 },
    { 7.0, 1e-30, 1.0, 5.91596295800307e-52, 4.183825607779414e-23, -5.91596295800307e-52 },
    { -6.5, 6.25, -0.9975562457160811, 0.0008322702759182305, 1.9975562457160811, -0.0008322702759182305 },
    { 5.0, 25.0, -8.34666253919381e+258, 3.816377047126217e+257, 8.34666253919381e+258, -3.816377047126217e+257 },
    { 20.0, 20.5, 8177947.495779876, -9150263.853440411, -8177946.495779876, 9150263.853440411 },
    { -9.0, -3.0, -1.0, 2.5177439161846428e-33, 2.0, -2.5177439161846428e-33 },
    { 0.0, 3.0, 0.0, 1629.9946226015657, 1.0, -1629.9946226015657 },
    { 12.0, 0.5, 1.0, -8.721252708374339e-65, 1.505648918420166e-64, 8.721252708374339e-65 },
    { 1e-300, -1e-300, 1.1283791670955126e-300, -1.1283791670955126e-300, 1.0, 1.1283791670955126e-300 },
    { 26.0, -1e-200, 1.0, -0.0, 5.663192408856143e-296, 0.0 },
    { 2.5, 7.75, 1.0962104966215614e+22, 1.2143804238972311e+22, -1.0962104966215614e+22, -1.2143804238972311e+22 },
  }
  local function near(want, got, what, k)
    local ok = math.abs(got - want) <= 2e-15 * math.abs(want)
    assert(ok, ("%s of %g + %gi: %.17g, not %.17g"):format(what, k[1], k[2], got, want))
  end
  for name, mode in pairs(modes) do
    local f = compile({ inputs = { z }, outputs = { T.erf(z), T.erfc(z) }, mode = mode })
    local function at(x, y)
      local e, c = f({ nd.complex(x, y) })
      return nd.real(e)[0], nd.imag(e)[0], nd.real(c)[0], nd.imag(c)[0]
    end
    it("keep their digits near the axes and far out, " .. name, function()
      for _, k in ipairs(known) do
        local got = { at(k[1], k[2]) }
        for i, what in ipairs({ "re erf", "im erf", "re erfc", "im erfc" }) do near(k[i + 2], got[i], what, k) end
      end
    end)
    it("are odd, and conjugate with their argument, " .. name, function()
      for _, k in ipairs(known) do
        local a, b, c, d = at(k[1], k[2])
        local e, g = at(-k[1], -k[2])
        assert.same({ -a, -b }, { e, g })
        assert.same({ a, -b, c, -d }, { at(k[1], -k[2]) })
      end
    end)
    it("end at infinities and NaN, " .. name, function()
      local inf, nan = math.huge, 0 / 0
      assert.same({ 1.0, 0.0, 0.0, 0.0 }, { at(inf, 2) })
      assert.same({ -1.0, 0.0, 2.0, 0.0 }, { at(-inf, -2) })
      assert.same({ 0.0, inf, 1.0, -inf }, { at(0, inf) })
      assert.same({ 0.0, inf, 1.0, -inf }, { at(0, 30) })
      assert.same({ -inf, -inf, inf, inf }, { at(5, 30) })
      assert.same({ 1.0, 1.0 }, { (at(1e300, 1)), (at(1e200, 1e200)) })
      for _, p in ipairs({ { nan, 1 }, { 1, nan }, { 1, inf }, { inf, inf } }) do
        for _, v in ipairs({ at(p[1], p[2]) }) do assert.is_true(v ~= v) end
      end
    end)
  end
  it("of complex64 are those of complex128, rounded", function()
    local points = nd.array({ nd.complex(0.5, 0.25), nd.complex(-1.5, 2), nd.complex(9, 8.75) })
    assert.is_true(nd.array_equal(nd.erf(points):astype("complex64"), nd.erf(points:astype("complex64"))))
  end)
end)

describe("complex constants that are no numbers", function()
  it("stand in generated code", function()
    skip.unless(theano.config.cxx ~= "", "no C compiler")
    local x = T.zmatrix("x")
    local c = T.constant(nd.complex(0 / 0, -1 / 0))
    local f = theano.compile({ inputs = { x }, outputs = x + c, mode = theano.compile.Mode({ linker = "c" }) })
    assert.matches("__builtin_nan", theano.printing.ccode(f), nil, true)
    assert.equal("[[nan-infj]]", tostring(f(nd.ones({ 1, 1 }, "complex128"))))
  end)
end)

describe("an imaginary part is dropped by real(x) alone:", function()
  local z = nd.array({ nd.complex(0, 2), nd.complex(0, 0), nd.complex(-1, 0) })
  local function refused(f)
    local ok, why = pcall(f)
    assert.is_false(ok)
    assert.matches("TypeError: cannot cast complex128 to %l+%d+: take the real part with real%(x%)", why)
  end
  for _, dtype in ipairs({ "float64", "float32", "float16", "int64", "uint8" }) do
    it("a cast to " .. dtype, function()
      refused(function() return z:astype(dtype) end)
      refused(function() return nd.astype(z, dtype) end)
      refused(function() return nd.array(z, dtype) end)
      refused(function() return nd.asarray(z, { dtype = dtype }) end)
      refused(function() return nd.array({ nd.complex(1, 2) }, dtype) end)
      refused(function() return T.cast(T.zvector(), dtype) end)
      refused(function() return T.zvector():astype(dtype) end)
    end)
    it("an assignment to " .. dtype, function()
      local a = nd.ones({ 3 }, dtype)
      refused(function() a["0:"] = z end)
      refused(function() a[1] = nd.complex(1, 2) end)
      refused(function() a[nd.array({ 0, 2 })] = nd.complex(1, 0) end)
      refused(function() a[nd.gt(a, 0)] = z end)
      refused(function() nd.copyto(a, z) end)
      refused(function() a:fill(nd.complex(1, 2)) end)
      refused(function() nd.put(a, { 0 }, z) end)
      refused(function() nd.putmask(a, nd.gt(a, 0), z) end)
      refused(function() nd.place(a, nd.gt(a, 0), z) end)
      refused(function() return nd.full({ 2 }, nd.complex(1, 2), dtype) end)
      assert.equal(3, nd.sum(a:astype("float64"))) -- and nothing was written
    end)
  end
  it("they are true where they are not zero", function()
    local x = T.zvector()
    for _, linker in ipairs({ "c", "interpreter" }) do
      local f = theano.compile({ inputs = { x }, outputs = T.cast(x, "bool"),
        mode = theano.compile.Mode({ linker = linker }) })
      assert.equal("[ True False  True]", tostring(f(z)))
    end
    assert.equal("[ True False  True]", tostring(z:astype("bool")))
    assert.equal("[ True False  True]", tostring(nd.astype(z, "bool")))
  end)
end)
