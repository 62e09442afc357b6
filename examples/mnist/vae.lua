--- A variational autoencoder on MNIST digits (Kingma and Welling): 784, 200, a normal variable of 10 dimensions, 200,
-- 784 units.
-- build/theano examples/mnist/vae.lua [epochs] [folder]
-- Prints the bound of every epoch; writes digits made of random numbers, vae-samples.png.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
theano.config.floatX = "float32"

local here = arg[0]:match("^(.*)/[^/]*$") or "."
local digits = dofile(here .. "/digits.lua")(here)
local epochs, out_dir = tonumber(arg[1]) or 40, arg[2] or "."
local latent, width, batch = 10, 200, 50

local rng, srng, params = nd.random.RandomState(3), theano.random.MRG_RandomStreams(4), {}
local function layer(n_in, n_out)
  local W = theano.shared((rng:randn(n_in, n_out) / math.sqrt(n_in)):astype("float32"), "W")
  local b = theano.shared(nd.zeros({ n_out }, "float32"), "b")
  params[#params + 1], params[#params + 2] = W, b
  return function(x) return T.dot(x, W) + b end
end
local encode, mean, spread = layer(784, width), layer(width, latent), layer(width, latent)
local decode, pixels = layer(latent, width), layer(width, 784)
local function picture(z) return pixels(T.tanh(decode(z))) end

local x = T.fmatrix("x")
local h = T.tanh(encode(x))
local mu, log_var = mean(h), spread(h)
local noise = srng:normal(mu.shape, { ndim = 2, dtype = "float32" })
local logits = picture(mu + T.exp(log_var / 2) * noise)
local likelihood = T.sum(x * logits - T.nnet.softplus(logits), { axis = 1 })
local divergence = T.sum(T.sqr(mu) + T.exp(log_var) - log_var - 1, { axis = 1 }) / 2
local bound = T.mean(likelihood - divergence)

local function float(v) return T.constant(v, { dtype = "float32" }) end
local updates = {} -- Adam's without its correction of the start
for i, g in ipairs(theano.grad(-bound, params)) do
  local zero = nd.zeros(params[i]:get_value().shape, "float32")
  local m, v = theano.shared(zero, "m"), theano.shared(zero, "v")
  local m1, v1 = float(0.9) * m + float(0.1) * g, float(0.999) * v + float(0.001) * T.sqr(g)
  table.insert(updates, { m, m1 })
  table.insert(updates, { v, v1 })
  table.insert(updates, { params[i], params[i] - float(0.001) * m1 / (T.sqrt(v1) + float(1e-6)) })
end
local train = theano.compile { inputs = { x }, outputs = bound, updates = updates }
local dream = theano.compile {
  inputs = {}, outputs = T.nnet.sigmoid(picture(srng:normal({ 100, latent }, { dtype = "float32" }))),
}

for epoch = 1, epochs do
  local sum, n = 0, digits.train_x.shape[1] // batch
  local order = rng:permutation(n)
  for k = 0, n - 1 do sum = sum + train(digits.train_x[{ T.slice(order[k] * batch, (order[k] + 1) * batch) }]) end
  print(("epoch %d: bound %.2f"):format(epoch, sum / n))
end
theano.plot.images(out_dir .. "/vae-samples.png", dream():reshape({ 100, 28, 28 }), { columns = 10, scale = 2 })
print("samples: " .. out_dir .. "/vae-samples.png")
