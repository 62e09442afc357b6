--- What else becomes C: results as long as a call's values say, draws of RandomStreams, halves; and the list of what
-- does not.
local theano = require("theano")
local exported = require("spec.support.exported")
local raises = require("spec.support.raises")
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")
local T, nd = theano.tensor, theano.ndarray

local rng = nd.random.RandomState(7)
local MAKE = ("cd %%s && gcc %s -fPIC -shared -I/usr/include/lua5.4 %%s.c %%s_lua.c -lm -o %%s.so 2>&1 && "
  .. "lua5.4 main.lua 2>&1"):format(exported.strict)

-- What the module of that name and main.lua print; the folder goes.
local function module_says(dir, name, main)
  runner.write(dir .. "/main.lua", 'package.cpath = "./?.so"\n' .. main)
  local pipe = io.popen(MAKE:format(dir, name, name, name))
  local said = pipe:read("a")
  pipe:close()
  runner.remove(dir)
  return said
end

local function value(dtype, ...) return (rng:randn(...) * 2):astype(dtype) end

local REALS = { "bool", "int8", "uint16", "int64", "uint64", "float32", "float64" }

local function counted(add)
  for _, d in ipairs(REALS) do
    local x = T.TensorType(d, { false, false })("x")
    local v = value(d, 7, 5)
    if d:find("float") then v[{ 0, 0 }], v[{ 1, 0 }], v[{ 1, 1 }], v[{ 2, 2 }] = 0 / 0, -0.0, 0.0, 0 / 0 end
    local row, column = T.nonzero(x)
    add("nonzero_" .. d, theano.compile { inputs = { x }, outputs = { row, column, T.flatnonzero(x.T), x[T.neq(x, 0)],
      x[T.neq(x[":, 0"], 0)]:sum() } }, { v })
    local flat = v:reshape { 35 }
    local y = T.TensorType(d, { false })("y")
    local some, first, back, times = T.unique(y, { return_index = true, return_inverse = true,
      return_counts = true })
    local apart, index, inverse, counts = T.unique_all(y)
    add("unique_" .. d, theano.compile { inputs = { y }, outputs = { T.unique(y), some, first, back, times,
      T.unique_values(y), apart, index, inverse, counts } }, { flat })
  end
  local z, n = T.zmatrix("z"), T.lvector("n")
  add("nonzero_complex", theano.compile { inputs = { z }, outputs = { T.nonzero(z) } },
    { (value("int8", 3, 4) * nd.complex(1, -1)):astype("complex128") })
  local x = T.dmatrix("x")
  add("repeated", theano.compile { inputs = { x, n }, outputs = { T.repeat_(x, n, 0) } },
    { value("float64", 3, 2), nd.array({ 2, 0, 3 }, { dtype = "int64" }) })
end

-- Complex numbers in order: by real part, then imaginary part, those with NaN last.
local function complex(add)
  for _, d in ipairs { "complex64", "complex128" } do
    local z, y = T.TensorType(d, { false, false })("z"), T.TensorType(d, { false })("y")
    local v = (nd.round(rng:randn(8, 6)) + nd.round(rng:randn(8, 6)) * nd.complex(0, 1)):astype(d)
    local nan = 0 / 0
    v[{ 0, 0 }], v[{ 2, 0 }], v[{ 5, 0 }] = nd.complex(nan, 1), nd.complex(1, nan), nd.complex(nan, nan)
    v[{ 1, 1 }], v[{ 4, 1 }] = nd.complex(-0.0, 2), nd.complex(0.0, 2)
    local some, first, back, times = T.unique(y, { return_index = true, return_inverse = true,
      return_counts = true })
    add("order_" .. d, theano.compile { inputs = { z, y }, outputs = { T.sort(z, 0), T.sort(z.T, 0), T.argsort(z, 0),
      T.argsort(z, 1), T.sort(z, nil), T.searchsorted(T.sort(y), z), T.unique(y), some, first, back, times,
      T.unique_values(y), T.cumsum(z, 0), T.cumprod(z, 1), T.cumsum(z.T, 0), T.cumprod(y), T.dot(z, z.T) } },
      { v, v:reshape { 48 } })
  end
end

local function draws(add)
  local function drawn(name, ...)
    local streams = T.shared_randomstreams.RandomStreams(11)
    local out = {}
    for i, one in ipairs { ... } do
      local fn, options = one[1], one[2]
      out[i] = streams[fn](streams, options)
    end
    add("draws_" .. name, theano.compile { inputs = {}, outputs = out }, {})
  end
  drawn("plain", { "uniform", { size = { 7 }, low = -2, high = 3 } },
    { "normal", { size = { 3, 5 }, avg = 1, std = 2 } }, { "uniform", { size = { 700 } } },
    { "normal", { size = { 9 }, dtype = "float32" } })
  drawn("whole", { "random_integers", { size = { 20 }, low = -3, high = 9 } },
    { "binomial", { size = { 9 }, n = 30, p = 0.4 } }, { "poisson", { size = { 9 }, lam = 3.5 } },
    { "poisson", { size = { 9 }, lam = 30 } })
  drawn("orders", { "permutation", { size = { 3 }, n = 8 } }, { "choice", { size = { 12 }, a = 6 } },
    { "choice", { size = { 4 }, a = 6, replace = false } },
    { "choice", { size = { 5 }, a = T.constant { 0.5, 1.5, 2.5 }, p = T.constant { 0.2, 0.5, 0.3 } } },
    { "multinomial", { size = { 4 }, n = 6, pvals = T.constant { 0.2, 0.5, 0.3 } } })
  for _, fn in ipairs { "standard_gamma", "exponential", "beta", "laplace", "vonmises", "hypergeometric", "zipf" } do
    local s = theano.shared(nd.random.RandomState(3))
    local args = ({ standard_gamma = { 0.7 }, exponential = { 2 }, beta = { 0.5, 2 }, laplace = { 0, 1 },
      vonmises = { 0, 2 }, hypergeometric = { 9, 12, 8 }, zipf = { 2.5 } })[fn]
    local made = rawget(T.raw_random, fn)
    if made then
      local after, z = made(s, { 9 }, table.unpack(args))
      add("draws_" .. fn, theano.compile { inputs = {}, outputs = z, updates = { { s, after } } }, {})
    end
  end
end

local function halves(add)
  for _, d in ipairs { "float16", "bfloat16" } do
    local x = T.TensorType(d, { false, false })("x")
    local W = theano.shared(value(d, 5, 4), "W")
    local y = T.tanh(T.dot(x, W))
    add("half_" .. d, theano.compile { inputs = { x }, outputs = { y, x + x * 2, x:sum(0), x:max(1), T.nnet.softmax(x),
      T.sort(x, 0), T.cumsum(x, 1), x:astype("float32"), x:astype("int8"), x[T.gt(x, 0)], x:argmax(0) },
      updates = { { W, (W - 0.1 * T.grad(y:sum(), W)):astype(d) } } }, { value(d, 6, 5) })
  end
end

local function functions(add)
  counted(add)
  complex(add)
  draws(add)
  halves(add)
end

describe("an exported program", function()
  for _, by in ipairs(exported.compilers(100, 5, 5)) do
    it("counts and draws with the bits of the function, by " .. by.name, function() by:has_bits(functions) end)
  end

  it("has room for as many elements as there can be, whatever the example had", function()
    skip.unless(exported.has("gcc"), "gcc is not here")
    skip.without_program("lua5.4")
    local x = T.dvector("x")
    local f = theano.compile { inputs = { x }, outputs = { x[T.gt(x, 0)], T.unique(x), (T.nonzero(x)) } }
    local dir = runner.folder()
    f:export("some", { dir = dir, lua = true, names = { "above", "distinct", "places" },
      args = { { -1, -1, -1, 1 } } })
    local said = module_says(dir, "some", [[
local s = require("some").new()
local function text(t) return "{" .. table.concat(t, " ") .. "}" end
for _, v in ipairs { { 4, 3, 2, 1 }, { 0, 0, 0, 0 }, { 5, -1, 5, -1 } } do
  local above, distinct, places = s(v)
  print(text(above), text(distinct), text(places))
end
]])
    assert.equal("{4.0 3.0 2.0 1.0}\t{1.0 2.0 3.0 4.0}\t{0 1 2 3}\n{}\t{0.0}\t{}\n{5.0 5.0}\t{-1.0 5.0}\t{0 1 2 3}\n",
      said)
  end)

  it("goes on with a stream where it stands, and begins again after init", function()
    skip.unless(exported.has("gcc"), "gcc is not here")
    skip.without_program("lua5.4")
    local streams = T.shared_randomstreams.RandomStreams(5)
    local f = theano.compile { inputs = {}, outputs = streams:uniform { size = { 2 } } }
    local dir = runner.folder()
    f:export("draw", { dir = dir, lua = true, names = { "z" }, args = {} })
    local said = module_says(dir, "draw", [[
local module = require("draw")
local s = module.new()
for _ = 1, 2 do print(("%.17g %.17g"):format(table.unpack(s()))) end
module.reset(s)
print(("%.17g"):format(s()[1]))
]])
    local first, second = f(), f()
    assert.equal(("%.17g %.17g\n%.17g %.17g\n%.17g\n"):format(first[0], first[1], second[0], second[1], first[0]), said)
  end)

  it("takes and gives halves as a module of Lua", function()
    skip.unless(exported.has("gcc"), "gcc is not here")
    skip.without_program("lua5.4")
    local x, y = T.TensorType("float16", { false })("x"), T.TensorType("bfloat16", { false })("y")
    local f = theano.compile { inputs = { x, y }, outputs = { x * 2, y / 3 } }
    local dir = runner.folder()
    f:export("half", { dir = dir, lua = true, names = { "a", "b" }, shapes = { { 2 }, { 2 } } })
    local said = module_says(dir, "half", [[
local a, b = require("half").new()({ 0.1, -3 }, { 1, 2 })
print(a[1], a[2], b[1], b[2])
]])
    local a, b = f(nd.array({ 0.1, -3 }, "float16"), nd.array({ 1, 2 }, "bfloat16"))
    assert.equal(("%s\t%s\t%s\t%s\n"):format(a[0], a[1], b[0], b[1]), said)
  end)
end)

-- Operations without a text, each with a function that has it; the message names the operation.
describe("export refuses, by name", function()
  local x = T.dmatrix("x")
  local REFUSED = {
    SVD = function() return T.nlinalg.svd(x) end,
    Eigh = function() return T.nlinalg.eigh(x) end,
    Eig = function() return T.nlinalg.eig(x.T) end,
    QR = function() return T.nlinalg.qr(x) end,
    MatrixPinv = function() return T.nlinalg.pinv(x) end,
    Expm = function() return T.slinalg.expm(x) end,
    lstsq = function() return T.nlinalg.lstsq(x, x, -1) end,
    SparseFromDense = function() return theano.sparse.dot(theano.sparse.csr_from_dense(x), x) end,
    Unique = function() return T.unique(x, { axis = 0 }) end,
    RandomFunction = function()
      return T.shared_randomstreams.RandomStreams(3):normal { size = { 5 }, avg = x[0] }
    end,
  }
  for name, build in pairs(REFUSED) do
    it(name, function()
      local out = build()
      local inputs = {}
      for _, v in ipairs(theano.gof.graph.inputs(type(out) == "table" and out or { out })) do
        if v == x then inputs[#inputs + 1] = v end
      end
      local f = theano.compile { inputs = inputs, outputs = out }
      local args = {}
      for i = 1, #inputs do args[i] = nd.eye(5) end
      local dir = runner.folder()
      raises("NotImplementedError", name, function() f:export("no", { dir = dir, args = args }) end)
      assert.is_nil(io.open(dir .. "/no.c"))
      runner.remove(dir)
    end)
  end
end)
