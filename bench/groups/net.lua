-- A training step of the MLP 784-500-10 (tanh, softmax, negative log-likelihood, SGD) and of logistic regression.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local G = {
  title = "training steps: MLP 784-500-10, logistic regression 784-10",
  peers = {
    "lua", "numpy", "numpy-gemm", "torch", "torch-compile", "jax", "pytensor-c", "pytensor-numba", "theano", "floor",
  },
  cases = {},
}
for _, model in ipairs({ "mlp", "logreg" }) do
  for _, batch in ipairs({ "60", "1" }) do
    for _, dtype in ipairs({ "float32", "float64" }) do G.cases[#G.cases + 1] = { model, dtype, batch } end
  end
end

-- Multiply-adds of all products but the first layer's input gradient; bytes: each weight is read twice, written once.
function G.work(model, dtype, batch)
  local weights = model == "mlp" and 784 * 500 + 500 * 10 or 784 * 10
  local flops = 2 * batch * (2 * weights + (model == "mlp" and 500 * 10 or 0))
  local size = dtype == "float32" and 4 or 8
  return { flops = flops, bytes = 3 * weights * size, dtype = dtype }
end

function G.network(model, dtype, batch)
  local rng = nd.random.RandomState(0)
  local xv, yv = rng:rand(batch, 784):astype(dtype), rng:randint(0, 10, { batch })
  local bound = 1 / math.sqrt(784)
  local function weight(a, b) return theano.shared(rng:uniform(-bound, bound, { a, b }):astype(dtype)) end
  local function bias(n) return theano.shared(nd.zeros({ n }, dtype)) end
  local x, y = T.matrix("x", { dtype = dtype }), T.lvector("y")
  local params, h = { weight(784, model == "mlp" and 500 or 10), bias(model == "mlp" and 500 or 10) }, x
  if model == "mlp" then
    params[3], params[4] = weight(500, 10), bias(10)
    h = T.tanh(T.dot(x, params[1]) + params[2])
  end
  local p = T.nnet.softmax(T.dot(h, params[#params - 1]) + params[#params])
  local cost, updates = (-T.log(p)[{ T.arange(y.shape[0]), y }]):mean(), {}
  local rate = T.constant(0.01, { dtype = dtype })
  for i, g in ipairs(theano.grad(cost, params)) do updates[i] = { params[i], params[i] - rate * g } end
  return { inputs = { x, y }, outputs = cost, updates = updates }, xv, yv
end

function G.prepare(model, dtype, batch)
  local spec, x, y = G.network(model, dtype, math.tointeger(tonumber(batch)))
  local f = theano.compile(spec)
  return { f = f, args = { x, y } }, f(x, y)
end

return G
