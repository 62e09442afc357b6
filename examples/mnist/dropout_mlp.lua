--- A network on MNIST digits whose hidden units and pixels are left out at random while it is trained: 784, 400, 400,
-- 10 units.
-- build/theano examples/mnist/dropout_mlp.lua [epochs]
-- Prints the test accuracy of every epoch; without dropout the same network gets its training digits right sooner, and
-- unseen ones less often.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
theano.config.floatX = "float32"

local here = arg[0]:match("^(.*)/[^/]*$") or "."
local digits = dofile(here .. "/digits.lua")(here)
local epochs, batch, rate = tonumber(arg[1]) or 12, 50, 0.1

local rng, srng = nd.random.RandomState(1), theano.random.MRG_RandomStreams(2)
local x, y, train = T.fmatrix("x"), T.ivector("y"), T.iscalar("train")
local params, h = {}, x
for i, size in ipairs({ { 784, 400 }, { 400, 400 }, { 400, 10 } }) do
  local W = theano.shared((rng:randn(size[1], size[2]) * math.sqrt(2 / size[1])):astype("float32"), "W" .. i)
  local b = theano.shared(nd.zeros({ size[2] }, "float32"), "b" .. i)
  h = T.dot(T.nnet.dropout(h, i == 1 and 0.2 or 0.5, srng, { train = train }), W) + b
  if i < 3 then h = T.nnet.relu(h) end
  params[#params + 1], params[#params + 2] = W, b
end
local p = T.nnet.softmax(h)
local cost = T.nnet.categorical_crossentropy(p, y):mean()
local updates = {}
for i, g in ipairs(theano.grad(cost, params)) do
  updates[i] = { params[i], params[i] - T.constant(rate, { dtype = "float32" }) * g }
end
local function switched(on) return { [train] = T.constant(on, { dtype = "int32" }) } end
local step = theano.compile { inputs = { x, y }, outputs = cost, updates = updates, givens = switched(1) }
local errors = theano.compile {
  inputs = { x, y }, outputs = T.neq(T.argmax(p, { axis = 1 }), y):mean(), givens = switched(0),
}

for epoch = 1, epochs do
  local sum, n = 0, digits.train_x.shape[1] // batch
  local order = rng:permutation(n)
  for k = 0, n - 1 do
    local rows = T.slice(order[k] * batch, (order[k] + 1) * batch)
    sum = sum + step(digits.train_x[{ rows }], digits.train_y[{ rows }])
  end
  local accuracy = 100 * (1 - errors(digits.test_x, digits.test_y))
  print(("epoch %d: cost %.3f, test accuracy %.2f %%"):format(epoch, sum / n, accuracy))
end
