-- Gradients: as expressions, checked by finite differences, through several variables, with parts held constant.
-- Run it with: build/theano examples/gradients.lua
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local x, y = T.dscalar("x"), T.dscalar("y")
local z = x ^ 2 * y + T.sin(y)
local gx, gy = table.unpack(theano.grad(z, { x, y }))
print("dz/dx, dz/dy at (3, 2):", theano.compile({ inputs = { x, y }, outputs = { gx, gy } })(3, 2))

-- A gradient is an expression: its gradient is the second derivative.
print("d2z/dx2 at (3, 2):", theano.grad(gx, x):eval({ [x] = 3.0, [y] = 2.0 }))

-- What is held constant passes no gradient: here only the first factor counts.
local e = T.exp(x)
local held = theano.grad(x * e, x, { consider_constant = { e } })
print("with exp(x) held constant, at 1:", held:eval({ [x] = 1.0 }))
print("without:", theano.grad(x * e, x):eval({ [x] = 1.0 }))

-- verify_grad compares a symbolic gradient with finite differences; it raises when they differ.
local rng = nd.random.RandomState(3)
local function layer(a, w) return T.nnet.softmax(T.tanh(T.dot(a, w))) end
theano.gradient.verify_grad(layer, { rng:rand(4, 3), rng:rand(3, 2) }, { rng = rng })
print("the gradient of the layer is right")
