-- Broken on purpose: a cost whose gradient is NaN from the first step on. NanGuardMode stops at the node where it
-- begins.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local x, y = T.dmatrix("x"), T.dvector("y")
local w = theano.shared(nd.zeros(3), "w")
local norm = T.sqrt((w ^ 2):sum()) -- wrong: its gradient at zero is 0 / 0; (w ^ 2):sum() has one
norm.name = "norm"
local cost = ((T.dot(x, w) - y) ^ 2):mean() + 0.01 * norm
local train = theano.compile({
  inputs = { x, y }, outputs = cost, updates = { { w, w - 0.1 * T.grad(cost, w) } },
  mode = theano.compile.NanGuardMode({ big_is_error = false }),
})
for _ = 1, 50 do train({ { 1.0, 2.0, 3.0 }, { 3.0, 2.0, 1.0 } }, { 1.0, 0.0 }) end
