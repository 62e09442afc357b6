-- One SGD step of the MLP 784-500-10 (tanh, softmax NLL), batch 60 and 1, float32 and float64:
-- microseconds, minimum of rounds.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function network(dtype, batch)
  local rng = nd.random.RandomState(0)
  local bound = 1 / math.sqrt(784)
  local function weight(a, b) return theano.shared(rng:uniform(-bound, bound, { a, b }):astype(dtype)) end
  local x, y = T.matrix("x", { dtype = dtype }), T.lvector("y")
  local function bias(n) return theano.shared(nd.zeros({ n }, dtype)) end
  local params = { weight(784, 500), bias(500), weight(500, 10), bias(10) }
  local h = T.tanh(T.dot(x, params[1]) + params[2])
  local p = T.nnet.softmax(T.dot(h, params[3]) + params[4])
  local cost = (-T.log(p)[{ T.arange(y.shape[0]), y }]):mean()
  local updates = {}
  for i, g in ipairs(theano.grad(cost, params)) do
    updates[i] = { params[i], params[i] - T.constant(0.01, { dtype = dtype }) * g }
  end
  local f = theano.compile({ inputs = { x, y }, outputs = cost, updates = updates })
  return f, rng:rand(batch, 784):astype(dtype), rng:randint(0, 10, { batch })
end

for _, dtype in ipairs({ "float32", "float64" }) do
  for _, batch in ipairs({ 60, 1 }) do
    local f, x, y = network(dtype, batch)
    local n, best = batch == 1 and 300 or 60, math.huge
    for _ = 1, 15 do
      local t = os.clock()
      for _ = 1, n do f(x, y) end
      best = math.min(best, (os.clock() - t) / n)
    end
    print(("theano mlp %s batch %d: %.1f us"):format(dtype, batch, best * 1e6))
  end
end
