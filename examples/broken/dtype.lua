-- Broken on purpose: a float32 model that computes in float64 from one line on. `theano.printing.advice` names the
-- line.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local x = T.fmatrix("x")
local w = theano.shared(nd.ones({ 8, 4 }, "float32"), "w")
local scale = theano.shared(nd.linspace(0.5, 2.0, 4), "scale") -- wrong: float64, as arrays of numbers are
local hidden = T.nnet.relu(T.dot(x, w)) * scale
local f = theano.compile({ inputs = { x }, outputs = T.tanh(hidden):sum() })
f(nd.ones({ 16, 8 }, "float32"))
print(theano.printing.advice(f))
