--- LeNet on MNIST digits: 20 filters 5x5, pooling, 50 filters 5x5, pooling, 500 hidden units, 10 classes; tanh,
-- minibatches of 60, plain SGD, float32, once for each of three seeds.
-- build/theano examples/mnist/convolutional_mlp.lua [epochs] [folder] [digits, for one quick run]
-- Prints the test accuracy of every epoch and the median of the three runs; writes the learned filters of the first
-- layer as a picture, lenet-filters.png. Ctrl-C saves what there is and exits.
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local here = arg[0]:match("^(.*)/[^/]*$") or "."
local train, data = theano.train, theano.data

local epochs, out_dir = tonumber(arg[1]) or 12, arg[2] or "."
local quick = tonumber(arg[3])
local SEEDS = quick and { 23455 } or { 23455, 1234, 7 }
local batch, rate = 60, 0.1

-- ---- data: 8,000 training and 2,000 test digits, pixels in [0, 1], one channel ------------------------------------
local digits = dofile(here .. "/digits.lua")(here)
local function pictures(a) return a:reshape({ a.shape[1], 1, 28, 28 }) end
local train_x, test_x = pictures(digits.train_x), pictures(digits.test_x)
local train_y, test_y = digits.train_y, digits.test_y
if quick then
  local some, few = T.slice(0, quick), T.slice(0, quick // 4)
  train_x, train_y, test_x, test_y = train_x[{ some }], train_y[{ some }], test_x[{ few }], test_y[{ few }]
end
local n_test = test_x.shape[1]

-- ---- model --------------------------------------------------------------------------------------------------------
-- Convolution, pooling of 2x2, bias, tanh. Weights as large as fan-in and fan-out ask for.
local function conv_layer(rng, input, channels, filters, size, params)
  local bound = math.sqrt(6 / (channels * size * size + filters * size * size // 4))
  local W = theano.shared(rng:uniform(-bound, bound, { filters, channels, size, size }):astype("float32"), "W")
  local b = theano.shared(nd.zeros({ filters }, "float32"), "b")
  params[#params + 1], params[#params + 2] = W, b
  local pooled = T.signal.pool.pool_2d(T.nnet.conv2d(input, W), { 2, 2 }, { ignore_border = true })
  return T.tanh(pooled + b:dimshuffle("x", 0, "x", "x"))
end

local function dense_layer(rng, input, n_in, n_out, params)
  local bound = math.sqrt(6 / (n_in + n_out))
  local W = theano.shared(rng:uniform(-bound, bound, { n_in, n_out }):astype("float32"), "W")
  local b = theano.shared(nd.zeros({ n_out }, "float32"), "b")
  params[#params + 1], params[#params + 2] = W, b
  return T.dot(input, W) + b
end

local function build(seed)
  local rng, params = nd.random.RandomState(seed), {}
  local x, y = T.ftensor4("x"), T.ivector("y")
  local h = conv_layer(rng, x, 1, 20, 5, params)    -- (batch, 20, 12, 12)
  h = conv_layer(rng, h, 20, 50, 5, params)         -- (batch, 50, 4, 4)
  h = T.tanh(dense_layer(rng, h:flatten(2), 50 * 4 * 4, 500, params))
  local p = T.nnet.softmax(dense_layer(rng, h, 500, 10, params))
  local cost = -T.mean(T.log(p)[{ T.arange(y.shape[0]), y }])
  local updates = train.optimizers.sgd(cost, params, { learning_rate = rate })
  return {
    filters = params[1],
    step = theano.compile({ inputs = { x, y }, outputs = cost, updates = updates, name = "train" }),
    errors = theano.compile({ inputs = { x, y }, outputs = T.neq(T.argmax(p, { axis = 1 }), y):sum() }),
  }
end

-- ---- training -----------------------------------------------------------------------------------------------------
theano.catch_interrupt(true)
local tests = data.batches({ test_x, test_y }, { size = 500 })

local function run(seed)
  local net = build(seed)
  print(("seed %d"):format(seed))
  local history = train.loop {
    step = net.step, epochs = epochs, valid = function()
      local wrong = 0
      for x, y in tests:epoch() do wrong = wrong + net.errors(x, y) end
      return { ["test accuracy"] = 100 * (1 - wrong / n_test) }
    end,
    data = data.batches({ train_x, train_y }, { size = batch, shuffle = seed, drop_last = true }),
  }
  return history[#history]["test accuracy"], net.filters
end

local accuracies, filters = {}, nil
for _, seed in ipairs(SEEDS) do
  if theano.interrupted() then break end
  local accuracy, W = run(seed)
  accuracies[#accuracies + 1], filters = accuracy, filters or W
end

-- ---- results ------------------------------------------------------------------------------------------------------
local path = out_dir .. "/lenet-filters.png"
theano.plot.images(path, filters:get_value():reshape({ 20, 5, 5 }), { columns = 5, scale = 8 })
table.sort(accuracies)
print(("median test accuracy of %d seeds: %.2f %%"):format(#accuracies, accuracies[(#accuracies + 1) // 2]))
print("learned filters: " .. path)
