-- Rows of a matrix: softmax, layer norm, what reduces a row, gradients, a vector broadcast over short rows.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local G = { title = "rows", peers = { "lua", "numpy", "torch", "torch-compile", "jax", "pytensor-c", "pytensor-numba",
  "theano", "floor" }, cases = {} }

local function over(x, how) return how(x, { axis = 1, keepdims = true }) end
local function norm(x)
  local c = x - over(x, T.mean)
  return c / T.sqrt(over(c * c, T.mean) + T.constant(1e-5, { dtype = x.dtype }))
end

-- What is computed of a matrix and a vector of its columns; how many arrays of the matrix's size go through memory.
local WORK = {
  softmax = { function(x) return T.nnet.softmax(x) end, 2 },
  ["layer norm"] = { norm, 2 },
  argmax = { function(x) return T.argmax(x, { axis = 1 }) end, 1 },
  logsoftmax = { function(x) return T.nnet.logsoftmax(x) end, 2 },
  ["log-sum-exp"] = {
    function(x)
      local most = over(x, T.max)
      return T.log(T.exp(x - most):sum({ axis = 1 })) + most:dimshuffle(0)
    end, 1,
  },
  ["gradient of softmax"] = { function(x) return T.grad(T.sqr(T.nnet.softmax(x)):sum(), x) end, 2 },
  ["gradient of layer norm"] = { function(x) return T.grad(T.sin(norm(x)):sum(), x) end, 2 },
  ["tanh(x+v)"] = { function(x, v) return T.tanh(x + v) end, 2 },
  ["x*sum of row"] = { function(x) return x * over(x, T.sum) end, 2 },
}

local function add(names, shapes, dtype)
  for _, name in ipairs(names) do
    for _, shape in ipairs(shapes) do G.cases[#G.cases + 1] = { name, shape, dtype } end
  end
end
local MAIN = { "softmax", "layer norm", "argmax" }
add(MAIN, { "60x10", "10000x10", "1000x1000", "20000x64" }, "float32")
add(MAIN, { "10000x10", "1000x1000" }, "float64")
add({ "logsoftmax", "log-sum-exp", "gradient of softmax", "gradient of layer norm" }, { "1000x1000" }, "float64")
add({ "tanh(x+v)", "x*sum of row" }, { "60x10", "10000x10", "30000x3" }, "float64")

local function size(shape)
  local rows, columns = shape:match("(%d+)x(%d+)")
  return math.tointeger(tonumber(rows)), math.tointeger(tonumber(columns))
end

function G.work(name, shape, dtype)
  local rows, columns = size(shape)
  return { flops = 0, bytes = rows * columns * (dtype == "float32" and 4 or 8) * WORK[name][2], dtype = dtype }
end

function G.prepare(name, shape, dtype)
  local rows, columns = size(shape)
  local rng = nd.random.RandomState(2)
  local a, b = rng:rand(rows, columns):astype(dtype), rng:rand(columns):astype(dtype)
  local x, v = T.matrix("x", { dtype = dtype }), T.vector("v", { dtype = dtype })
  local two = name:find("v", 1, true) ~= nil
  local f = theano.compile({ inputs = two and { x, v } or { x },
    outputs = theano.Out(WORK[name][1](x, v), { borrow = true }) })
  f.trust_input = true
  local args = two and { a, b } or { a }
  local r = f(table.unpack(args)):astype("float64")
  return { f = f, args = args }, (r * r):sum() + r:flatten()[0]
end

return G
