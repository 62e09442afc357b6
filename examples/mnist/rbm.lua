--- A restricted Boltzmann machine on MNIST digits, trained by persistent contrastive divergence (as in the Deep
-- Learning Tutorials): 784 visible, 200 hidden units, five Gibbs steps in a scan for each update.
-- build/theano examples/mnist/rbm.lua [epochs] [folder]
-- Prints the pseudo-likelihood of every epoch; writes filters and samples of the chains as pictures, rbm-filters.png
-- and rbm-samples.png.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
theano.config.floatX = "float32"

local here = arg[0]:match("^(.*)/[^/]*$") or "."
local digits = dofile(here .. "/digits.lua")(here)
local epochs, out_dir = tonumber(arg[1]) or 6, arg[2] or "."
local hidden, batch, steps, rate = 200, 20, 5, 0.1

local rng, srng = nd.random.RandomState(123), theano.random.RandomStreams(1)
local bound = 4 * math.sqrt(6 / (784 + hidden))
local W = theano.shared(rng:uniform(-bound, bound, { 784, hidden }):astype("float32"), "W")
local function zeros(...) return theano.shared(nd.zeros({ ... }, "float32")) end
local hbias, vbias, chain = zeros(hidden), zeros(784), zeros(batch, hidden)

local function free_energy(v)
  return -T.dot(v, vbias) - T.sum(T.nnet.softplus(T.dot(v, W) + hbias), { axis = 1 })
end
local function sample(mean) return srng:binomial(mean.shape, 1, mean, { ndim = 2, dtype = "float32" }) end
local function gibbs(h) -- hidden to visible and back
  local mean = T.nnet.sigmoid(T.dot(h, W.T) + vbias)
  local v = sample(mean)
  return mean, v, sample(T.nnet.sigmoid(T.dot(v, W) + hbias))
end

local x, index = T.fmatrix("x"), theano.shared(0, "bit")
-- The states of draws inside of the loop move on by its updates.
local out, moves = theano.scan { fn = gibbs, outputs_info = { false, false, chain }, n_steps = steps }
local means, v_end, h_end = out[1][-1], out[2][-1], out[3][-1]
local cost = free_energy(x):mean() - free_energy(v_end):mean()
moves:set(chain, h_end)
local updates, params = theano.OrderedUpdates(moves), { W, hbias, vbias }
for i, g in ipairs(theano.grad(cost, params, { consider_constant = { v_end } })) do
  updates:set(params[i], params[i] - T.constant(rate, { dtype = "float32" }) * g)
end
-- How much likelier a digit is than the same with one pixel turned over, for all pixels.
local xi = T.round(x)
local column = T.set_subtensor(xi[{ T.slice(), index }], 1 - xi[{ T.slice(), index }])
local monitor = T.mean(784 * T.log(T.nnet.sigmoid(free_energy(column) - free_energy(xi))))
updates:set(index, (index + 1) % 784)

local train = theano.compile { inputs = { x }, outputs = monitor, updates = updates }
local show = theano.compile { inputs = {}, outputs = means, updates = moves }

for epoch = 1, epochs do
  local sum, n = 0, digits.train_x.shape[1] // batch
  for k = 0, n - 1 do sum = sum + train(digits.train_x[{ T.slice(k * batch, (k + 1) * batch) }]) end
  print(("epoch %d: pseudo-likelihood %.1f"):format(epoch, sum / n))
end
local filters = W:get_value().T[{ T.slice(0, 100) }]:copy():reshape({ 100, 28, 28 })
theano.plot.images(out_dir .. "/rbm-filters.png", filters, { columns = 10, scale = 2 })
local pictures
for _ = 1, 20 do pictures = show() end
theano.plot.images(out_dir .. "/rbm-samples.png", pictures:reshape({ batch, 28, 28 }), { columns = 10, scale = 2 })
print("filters and samples: " .. out_dir .. "/rbm-filters.png, rbm-samples.png")
