-- Fits y = X w + b to noisy data by gradient descent; the true weights are 2, -1, 0.5 and the intercept is 3.
-- Run it with: build/theano examples/linear_regression.lua
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local rng = nd.random.RandomState(0)
local features = rng:randn(200, 3)
local targets = nd.dot(features, nd.array({ 2.0, -1.0, 0.5 })) + 3.0 + 0.01 * rng:randn(200)

local X, y = T.dmatrix("X"), T.dvector("y")
local w, b = theano.shared(nd.zeros({ 3 }), "w"), theano.shared(0.0, "b")
local cost = ((T.dot(X, w) + b - y) ^ 2):mean()
local gw, gb = table.unpack(theano.grad(cost, { w, b }))

local train = theano.compile({
  inputs = { X, y },
  outputs = cost,
  updates = { { w, w - 0.1 * gw }, { b, b - 0.1 * gb } },
})
for step = 1, 200 do
  local value = train(features, targets)
  if step % 50 == 0 then print(("step %d: cost %.6f"):format(step, value)) end
end
local value = w:get_value()
print(("w = %.2f %.2f %.2f, b = %.2f"):format(value[0], value[1], value[2], b:get_value()))
