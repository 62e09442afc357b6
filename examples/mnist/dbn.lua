--- A deep belief network on MNIST digits, as in the Deep Learning Tutorials: two restricted Boltzmann machines, one on
-- top of the other, learn by contrastive divergence; their weights begin a network that learns the classes.
-- build/theano examples/mnist/dbn.lua [--pretrain 8] [--epochs 15] [--labels 1000]
-- Expected: with 1,000 labels about 91 % of the test digits right; without pretraining (--pretrain 0) about 69 %.
local theano = require("theano")
local T, nd = require("theano.tensor"), require("theano.ndarray")
theano.config.floatX = "float32"

local layers, train, data, optimizers = theano.layers, theano.train, theano.data, theano.train.optimizers
local o = theano.args { pretrain = 8, epochs = 15, labels = 1000, batch = 20, rate = 0.1, digits = 8000 }
local here = arg[0]:match("^(.*)/[^/]*$") or "."
local digits = dofile(here .. "/digits.lua")(here)

local sizes = { 784, 300, 200 }
local x = T.fmatrix("x")
local p = layers.params { seed = 1 }
local srng = theano.random.RandomStreams(1)
local function draw(mean) return srng:binomial(mean.shape, 1, mean, { ndim = 2, dtype = "float32" }) end

local h, below = x, digits.train_x[{ T.slice(0, o.digits) }] -- in the graph; and what the layer sees of all digits
for i = 1, #sizes - 1 do
  h = layers.dense(p, h, sizes[i], sizes[i + 1], { name = "layer" .. i, activation = T.nnet.sigmoid })
  local W, b = p.weights[#p.weights - 1], p.weights[#p.weights]
  local back = theano.shared(nd.zeros({ sizes[i] }, "float32"), "back" .. i)
  local v = T.fmatrix("v")
  local function up(u) return T.nnet.sigmoid(T.dot(u, W) + b) end
  local function down(u) return T.nnet.sigmoid(T.dot(u, W.T) + back) end
  local function free_energy(u) return -T.dot(u, back) - T.sum(T.nnet.softplus(T.dot(u, W) + b), { axis = 1 }) end
  local guess = down(draw(up(v)))
  local dreamt = theano.gradient.disconnected_grad(draw(guess)) -- one step of the chain from the data
  local cost = free_energy(v):mean() - free_energy(dreamt):mean()
  local step = theano.compile { inputs = { v }, outputs = T.sqr(v - guess):sum({ axis = 1 }):mean(),
    updates = optimizers.sgd(cost, { W, b, back }, { learning_rate = o.rate }) }
  print(("machine %d: %d visible, %d hidden units; how far what it sees is from what it makes of it:"):format(i,
    sizes[i], sizes[i + 1]))
  train.loop { step = step, epochs = o.pretrain, data = data.batches({ below }, { size = o.batch, shuffle = i }) }
  below = theano.compile { inputs = { v }, outputs = up(v) }(below)
end

dofile(here .. "/fine_tune.lua")(p, x, h, sizes[#sizes], digits, o)
