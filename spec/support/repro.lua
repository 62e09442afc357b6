--- Many operations in a process of their own, which was started with the flag repro: a line for each with a hash of its
-- result's bits, NaN's sign and payload left out, which are the processor's.
--   build/theano spec/support/repro.lua               hashes
--   build/theano spec/support/repro.lua COMPILER [EMULATOR]   what tests of the exported functions say
-- @script spec.support.repro
package.path = "./?.lua;" .. package.path
local nd = require("theano.ndarray")
local theano = require("theano")
local T = require("theano.tensor")

local rng = nd.random.RandomState(5)
local list = {} -- {name, inputs, values, {output's name, output, ..}}

local function hash(text)
  local h = 0xcbf29ce484222325 -- FNV-1a
  for i = 1, #text do h = (h ~ text:byte(i)) * 0x100000001b3 end
  return ("%016x"):format(h)
end

local function bits(a)
  if type(a) == "number" then a = nd.array(a) end
  a = a:reshape({ -1 })
  if a.dtype:find("complex", 1, true) then return bits(nd.concatenate({ nd.real(a), nd.imag(a) }, { axis = 0 })) end
  return hash(nd.where(nd.eq(a, a), a, nd.zeros_like(a) + 7.25):tobytes())
end

local function group(name, inputs, values, outputs)
  list[#list + 1] = { name = name, inputs = inputs, values = values, outputs = outputs }
end

local ONE = "exp exp2 expm1 log log2 log10 log1p sqrt tanh erf erfc sigmoid softplus deg2rad inv sqr cbrt floor rint"
local TURNS = "sin cos tan arcsin arccos arctan sinh cosh arcsinh arccosh arctanh"
local SPECIAL = "erfcx erfinv erfcinv gamma gammaln psi tri_gamma j0 j1 i0 i1"
local TWO = "pow arctan2 hypot true_div mod logaddexp maximum"
local SPECIAL_TWO = "gammainc gammaincc"
local COMPLEX = [[exp expm1 log log2 log10 log1p sqrt sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh
  arctanh abs sqr]]

local function each(names, ...)
  local outputs = {}
  for name in names:gmatch("%S+") do
    outputs[#outputs + 1] = name
    outputs[#outputs + 1] = T[name](...)
  end
  return outputs
end

local function elementwise(dt)
  local x, y = T.TensorType(dt, { false })("x"), T.TensorType(dt, { false })("y")
  local a = nd.concatenate({ rng:uniform(-3, 3, { 90 }), rng:uniform(0, 1, { 60 }),
    rng:uniform(0, 900, { 40 }) * rng:uniform(0, 1, { 40 }), rng:uniform(-1, 1, { 20 }) * 0x1p-70,
    nd.array({ 0.0, -0.0, 1, -1, 1 / 0, -1 / 0, 0 / 0, 0x1p-1040, 1e22 }) }, { axis = 0 }):astype(dt)
  local b = rng:uniform(-4, 4, { 219 }):astype(dt)
  group("one_" .. dt, { x }, { a }, each(ONE, x))
  group("turns_" .. dt, { x }, { a }, each(TURNS, x))
  group("special_" .. dt, { x }, { a:sub({ 0, 120 }) }, each(SPECIAL, x))
  group("two_" .. dt, { x, y }, { a, b }, each(TWO, x, y))
  group("special_two_" .. dt, { x, y }, { nd.abs(b), nd.abs(a) }, each(SPECIAL_TWO, x, y))
end

local function reductions(dt)
  local x, X = T.TensorType(dt, { false })("x"), T.TensorType(dt, { false, false })("X")
  local many, M = rng:uniform(-1, 1, { 100003 }):astype(dt), rng:uniform(-1, 1, { 37, 53 }):astype(dt)
  group("sums_" .. dt, { x }, { many },
    { "sum", x:sum(), "var", x:var(), "prod", (x / 1000 + 1):prod(), "max", x:max(), "tanh", T.tanh(x * x):sum(),
      "cumsum", T.cumsum(x) })
  group("rows_" .. dt, { X }, { M },
    { "columns", X:sum({ axis = 0 }), "rows", X:sum({ axis = 1 }), "softmax", T.nnet.softmax(X),
      "logsumexp", T.log(T.exp(X):sum({ axis = 1 })), "turned", X.T:sum({ axis = 1 }), "sorted", T.sort(X) })
end

local function products(dt)
  local X, Y = T.TensorType(dt, { false, false })("X"), T.TensorType(dt, { false, false })("Y")
  local v = T.TensorType(dt, { false })("v")
  local A, B = rng:uniform(-1, 1, { 61, 300 }):astype(dt), rng:uniform(-1, 1, { 300, 47 }):astype(dt)
  local z = T.dot(X, Y)
  group("products_" .. dt, { X, Y, v }, { A, B, rng:uniform(-1, 1, { 300 }):astype(dt) },
    { "dot", z, "tanh", T.tanh(z + 1), "vector", T.dot(X, v), "inner", T.dot(v, v), "outer", T.outer(v, v),
      "narrow", T.dot(X, Y[{ T.slice(nil, nil), T.slice(0, 3) }]),
      "gradient", T.grad(T.log(T.nnet.softmax(z)):sum(), X) })
  local images = T.TensorType(dt, { false, false, false, false })
  local I, F = images("I"), images("F")
  local c = T.nnet.conv2d(I, F)
  group("images_" .. dt, { I, F },
    { rng:uniform(-1, 1, { 2, 3, 14, 14 }):astype(dt), rng:uniform(-1, 1, { 4, 3, 3, 3 }):astype(dt) },
    { "conv", c, "max", T.signal.pool.pool_2d(I, { ws = { 2, 2 }, ignore_border = true }),
      "mean", T.signal.pool.pool_2d(I, { ws = { 2, 2 }, ignore_border = true, mode = "average_inc_pad" }) })
  group("image_gradients_" .. dt, { I, F }, list[#list].values,
    { "filters", T.grad((c * c):sum(), F), "images", T.grad((c * c):sum(), I) })
end

local function complex()
  local z, w = T.zvector("z"), T.zvector("w")
  local function values() return nd.complex(0, 1) * rng:uniform(-3, 3, { 93 }) + rng:uniform(-3, 3, { 93 }) end
  local outputs = each(COMPLEX, z)
  for _, more in ipairs({ "product", z * w, "quotient", z / w, "sum", z:sum({ keepdims = true }),
    "power", z ^ w, "angle", T.angle(z) }) do
    outputs[#outputs + 1] = more
  end
  group("complex", { z, w }, { values(), values() }, outputs)
end

local function others()
  local s, n = T.dvector("s"), 40
  local walk = theano.scan({ fn = function(h) return T.tanh(h * 1.5 + 0.1) * T.cos(h) end, outputs_info = s,
    n_steps = n })
  group("scan", { s }, { rng:uniform(-1, 1, { 17 }) }, { "last", walk[-1], "gradient", T.grad(walk[-1]:sum(), s) })
end

for _, dt in ipairs({ "float64", "float32" }) do
  elementwise(dt)
  reductions(dt)
  products(dt)
end
complex()
others()

local compiler, emulator = arg[1], arg[2]
local exports = {}
for _, g in ipairs(list) do
  local outputs = {}
  for i = 2, #g.outputs, 2 do outputs[#outputs + 1] = g.outputs[i] end
  local f = theano.compile({ inputs = g.inputs, outputs = outputs, on_unused_input = "ignore" })
  if compiler then
    exports[#exports + 1] = { g.name, f, { args = g.values } }
  else
    local results = table.pack(f(table.unpack(g.values)))
    if #outputs > 1 and results.n == 1 then results = results[1] end
    for i = 1, #outputs do print(g.name, g.outputs[2 * i - 1], bits(results[i])) end
  end
end
if compiler then
  io.write(require("spec.support.exported").run(compiler, "-std=c99 -O1 -ffp-contract=off -w" ..
    (emulator and " -static" or ""), exports, emulator))
end
