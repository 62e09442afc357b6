-- Softmax regression in float32: the data lie in shared variables, and `givens` picks one minibatch a call, so that
-- only an index travels. The loss is written by hand, with advanced indexing; the optimizer makes it stable.
-- Run it with: build/theano examples/softmax_regression.lua
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

-- Three clouds of points around (0, 3), (-3, -2) and (3, -2).
local rng = nd.random.RandomState(7)
local n, classes, batch = 600, 3, 50
local labels = rng:randint(0, classes, { n })
local centres = nd.array({ { 0.0, 3.0 }, { -3.0, -2.0 }, { 3.0, -2.0 } })
local points = (centres[labels] + rng:randn(n, 2)):astype("float32")

local data_x, data_y = theano.shared(points, "data_x"), theano.shared(labels, "data_y")
local W = theano.shared(nd.zeros({ 2, classes }, "float32"), "W")
local b = theano.shared(nd.zeros({ classes }, "float32"), "b")

local x, y, index = T.fmatrix("x"), T.lvector("y"), T.lscalar("index")
local scores = T.dot(x, W) + b
local e = T.exp(scores)
local p = e / e:sum({ axis = 1, keepdims = true })
local cost = -T.log(p)[{ T.arange(y.shape[0]), y }]:mean()

local rate, updates = T.constant(0.1, { dtype = "float32" }), {}
for i, g in ipairs(theano.grad(cost, { W, b })) do
  local param = ({ W, b })[i]
  updates[i] = { param, param - rate * g }
end
local rows = T.slice(index * batch, (index + 1) * batch)
local train = theano.compile({
  inputs = { index },
  outputs = cost,
  updates = updates,
  givens = { { x, data_x[rows] }, { y, data_y[rows] } },
})
local accuracy = theano.compile({ inputs = { x, y }, outputs = T.eq(T.argmax(p, { axis = 1 }), y):mean() })

for epoch = 1, 5 do
  local total = 0.0
  for i = 0, n // batch - 1 do
    total = total + train(i)
  end
  print(("epoch %d: cost %.3f"):format(epoch, total / (n // batch)))
end
print(("accuracy %.1f %%"):format(100 * accuracy(points, labels)))
