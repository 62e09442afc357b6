-- Broken on purpose: a layer gets a batch of the wrong width. The message leads to the line; docs/debugging.md goes
-- through it.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local pixels = T.dmatrix("pixels")
local w1, b1 = theano.shared(nd.ones({ 6, 4 }), "w1"), theano.shared(nd.zeros(4), "b1")
local w2, b2 = theano.shared(nd.ones({ 5, 2 }), "w2"), theano.shared(nd.zeros(2), "b2") -- wrong: 4 rows are wanted
local hidden = T.tanh(T.dot(pixels, w1) + b1)
hidden.name = "hidden"
local scores = T.dot(hidden, w2) + b2
local predict = theano.compile({ inputs = { pixels }, outputs = T.nnet.softmax(scores) })
print(predict(nd.ones({ 3, 6 })))
