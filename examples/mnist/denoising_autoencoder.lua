--- A denoising autoencoder on MNIST digits (Vincent et al., as in the Deep Learning Tutorials): pixels are wiped out at
-- random, and 200 hidden units learn to put them back; tied weights.
-- build/theano examples/mnist/denoising_autoencoder.lua [epochs] [folder]
-- Prints the cost of every epoch; writes what the units look at as a picture, dae-filters.png.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
theano.config.floatX = "float32"

local here = arg[0]:match("^(.*)/[^/]*$") or "."
local digits = dofile(here .. "/digits.lua")(here)
local epochs, out_dir = tonumber(arg[1]) or 10, arg[2] or "."
local hidden, batch, corruption = 200, 20, 0.3

local rng, srng = nd.random.RandomState(123), theano.random.RandomStreams(234)
local bound = 4 * math.sqrt(6 / (784 + hidden))
local W = theano.shared(rng:uniform(-bound, bound, { 784, hidden }):astype("float32"), "W")
local b = theano.shared(nd.zeros({ hidden }, "float32"), "b")
local b_prime = theano.shared(nd.zeros({ 784 }, "float32"), "b'")

local x = T.fmatrix("x")
local tilde = srng:binomial(x.shape, 1, 1 - corruption, { ndim = 2, dtype = "float32" }) * x
local z = T.nnet.sigmoid(T.dot(T.nnet.sigmoid(T.dot(tilde, W) + b), W.T) + b_prime)
local cost = -T.sum(x * T.log(z) + (1 - x) * T.log(1 - z), { axis = 1 }):mean()
local updates = {}
for i, g in ipairs(theano.grad(cost, { W, b, b_prime })) do
  local w = ({ W, b, b_prime })[i]
  updates[i] = { w, w - T.constant(0.1, { dtype = "float32" }) * g }
end
local train = theano.compile { inputs = { x }, outputs = cost, updates = updates }

for epoch = 1, epochs do
  local sum, n = 0, digits.train_x.shape[1] // batch
  for k = 0, n - 1 do sum = sum + train(digits.train_x[{ T.slice(k * batch, (k + 1) * batch) }]) end
  print(("epoch %d: cost %.2f"):format(epoch, sum / n))
end
local path = out_dir .. "/dae-filters.png"
local seen = W:get_value().T[{ T.slice(0, 100) }]:copy():reshape({ 100, 28, 28 })
theano.plot.images(path, seen, { columns = 10, scale = 2 })
print("filters: " .. path)
