-- Broken on purpose: an operation whose gradient is wrong. `verify_grad` compares it with differences.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local softsign = theano.as_op({
  itypes = { T.dvector().type }, otypes = { T.dvector().type }, name = "Softsign",
  fn = function(x) return x / (1 + nd.abs(x)) end,
  grad = function(inputs, gz) return { gz[1] / (1 + T.abs_(inputs[1])) } end, -- wrong: the square of it
})
theano.gradient.verify_grad(function(x) return T.exp(softsign(x)) end, { nd.array({ 0.5, -1.5, 2.0 }) })
