-- Rows of a float32 matrix: softmax, layer norm, argmax.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local G = { title = "rows, float32", peers = { "lua", "numpy", "torch", "torch-compile", "jax", "pytensor-c",
  "pytensor-numba", "theano", "floor" }, cases = {} }
for _, name in ipairs({ "softmax", "layer norm", "argmax" }) do
  for _, shape in ipairs({ "60x10", "1000x1000", "20000x64" }) do G.cases[#G.cases + 1] = { name, shape } end
end

local EXPRESSIONS = {
  softmax = T.nnet.softmax,
  ["layer norm"] = function(x)
    local c = x - T.mean(x, { axis = 1, keepdims = true })
    return c / T.sqrt(T.mean(c * c, { axis = 1, keepdims = true }) + T.constant(1e-5, { dtype = "float32" }))
  end,
  argmax = function(x) return T.argmax(x, { axis = 1 }) end,
}

local function size(shape)
  local rows, columns = shape:match("(%d+)x(%d+)")
  return math.tointeger(tonumber(rows)), math.tointeger(tonumber(columns))
end

function G.work(name, shape)
  local rows, columns = size(shape)
  return { flops = 0, bytes = rows * columns * 4 * (name == "argmax" and 1 or 2), dtype = "float32" }
end

function G.prepare(name, shape)
  local rows, columns = size(shape)
  local v, x = nd.random.RandomState(2):rand(rows, columns):astype("float32"), T.fmatrix("x")
  local f = theano.compile({ inputs = { x }, outputs = theano.Out(EXPRESSIONS[name](x), { borrow = true }) })
  f.trust_input = true
  local r = f(v)
  return { f = f, args = { v } }, (r[0] * 1.0):sum() + r:astype("float64"):sum()
end

return G
