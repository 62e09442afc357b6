--- Stacked denoising autoencoders on MNIST digits, as in the Deep Learning Tutorials: each layer first learns to put
-- back what was wiped out of its input, then all of them together learn the classes, from few labelled digits.
-- build/theano examples/mnist/stacked_autoencoder.lua [--pretrain 8] [--epochs 15] [--labels 1000]
-- Expected: with 1,000 labels about 89 % of the test digits right; without pretraining (--pretrain 0) about 69 %.
local theano = require("theano")
local T = require("theano.tensor")
theano.config.floatX = "float32"

local layers, train, data, optimizers = theano.layers, theano.train, theano.data, theano.train.optimizers
local o = theano.args { pretrain = 8, epochs = 15, labels = 1000, batch = 20, rate = 0.1, digits = 8000 }
local here = arg[0]:match("^(.*)/[^/]*$") or "."
local digits = dofile(here .. "/digits.lua")(here)
local unlabelled = digits.train_x[{ T.slice(0, o.digits) }]

local sizes, corruption = { 784, 300, 200 }, { 0.1, 0.2 }
local x = T.fmatrix("x")
local p = layers.params { seed = 1 }
local srng = theano.random.RandomStreams(1)
local h = x
for i = 1, #sizes - 1 do
  local below, name = h, "layer" .. i
  local function encode(v)
    return layers.dense(p, v, sizes[i], sizes[i + 1], { name = name, activation = T.nnet.sigmoid })
  end
  h = encode(below)
  -- what it is pretrained by: its own weights, turned around, give back what was there before some of it was wiped out
  local W, b = p.weights[#p.weights - 1], p.weights[#p.weights]
  local back = theano.shared(theano.ndarray.zeros({ sizes[i] }, "float32"), "back" .. i)
  local kept = srng:binomial(below.shape, 1, 1 - corruption[i], { ndim = 2, dtype = "float32" })
  local again = T.nnet.sigmoid(T.dot(encode(below * kept), W.T) + back)
  local cost = T.nnet.binary_crossentropy(again, below):sum({ axis = 1 }):mean()
  local step = theano.compile { inputs = { x }, outputs = cost,
    updates = optimizers.sgd(cost, { W, b, back }, { learning_rate = o.rate }) }
  print(("layer %d: %d to %d"):format(i, sizes[i], sizes[i + 1]))
  train.loop { step = step, epochs = o.pretrain, data = data.batches({ unlabelled }, { size = o.batch, shuffle = i }) }
end

dofile(here .. "/fine_tune.lua")(p, x, h, sizes[#sizes], digits, o)
