-- Logistic regression: the program of Figures 1 to 4 of the SciPy paper on Theano, in Lua.
-- Run it with: build/theano examples/logistic_regression.lua
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local rng = nd.random.RandomState(42)
local N, feats, steps = 4, 100, 10

-- Declare symbolic variables.
local x, y = T.matrix("x"), T.lvector("y")
local w = theano.shared(rng:randn(feats), "w")
local b = theano.shared(nd.zeros({}), "b")
print("Initial model:")
print(w:get_value(), b:get_value())

-- Build the expression graph.
local p_1 = 1 / (1 + T.exp(-T.dot(x, w) - b)) -- probability of having a one
local xent = -y * T.log(p_1) - (1 - y) * T.log(1 - p_1) -- cross-entropy
local cost = xent:mean() + 0.01 * (w ^ 2):sum() -- the cost to optimize
local gw, gb = table.unpack(theano.grad(cost, { w, b }))
local prediction = T.gt(p_1, 0.5)

-- Compile the expressions to functions.
local predict = theano.compile({ inputs = { x }, outputs = prediction, name = "predict" })
local train = theano.compile({
  inputs = { x, y },
  outputs = { prediction, xent },
  updates = { { w, w - 0.1 * gw }, { b, b - 0.1 * gb } },
  name = "train",
})

-- Train.
local data_x, data_y = rng:randn(N, feats), rng:randint(0, 2, { N })
for _ = 1, steps do
  train(data_x, data_y)
end

print("Final model:")
print(w:get_value(), b:get_value())
print("target values for D")
print(data_y)
print("prediction on D")
print(predict(data_x))
