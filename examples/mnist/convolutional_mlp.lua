--- LeNet on MNIST digits: 20 filters 5x5, pooling, 50 filters 5x5, pooling, 500 hidden units, 10 classes; tanh,
-- minibatches of 60, plain SGD, float32, once for each of three seeds.
-- build/theano examples/mnist/convolutional_mlp.lua [epochs] [folder]
-- Prints the test accuracy of every epoch and the median of the three runs; writes the learned filters of the first
-- layer as a picture, lenet-filters.png. Ctrl-C saves what there is and exits.
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local here = arg[0]:match("^(.*)/[^/]*$") or "."
local report = dofile(here .. "/report.lua")
local png = dofile(here .. "/../images/png.lua")

local epochs, out_dir = tonumber(arg[1]) or 12, arg[2] or "."
local SEEDS = { 23455, 1234, 7 }
local batch, rate = 60, 0.1

-- ---- data: 8,000 training and 2,000 test digits, pixels in [0, 1], one channel ------------------------------------
local function images(name)
  local a = nd.load(here .. "/data/" .. name)
  return a:reshape({ a.shape[1], 1, 28, 28 }):astype("float32") / 255
end
local function labels(name) return nd.load(here .. "/data/" .. name):astype("int32") end

local train_x, train_y = images("mnist8k-train-images-idx3-ubyte.gz"), labels("mnist8k-train-labels-idx1-ubyte.gz")
local test_x, test_y = images("mnist2k-test-images-idx3-ubyte.gz"), labels("mnist2k-test-labels-idx1-ubyte.gz")
local n_batches, n_test = train_x.shape[1] // batch, test_x.shape[1]

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
  local updates = {}
  for i, g in ipairs(theano.grad(cost, params)) do
    updates[i] = { params[i], params[i] - T.constant(rate, { dtype = "float32" }) * g }
  end
  return {
    rng = rng, filters = params[1],
    train = theano.compile({ inputs = { x, y }, outputs = cost, updates = updates, name = "train" }),
    errors = theano.compile({ inputs = { x, y }, outputs = T.neq(T.argmax(p, { axis = 1 }), y):sum() }),
  }
end

-- ---- training -----------------------------------------------------------------------------------------------------
theano.catch_interrupt(true)

local function run(seed)
  local net, bar, accuracy = build(seed), report.progress(epochs), nil
  print(("seed %d"):format(seed))
  for epoch = 1, epochs do
    local order, sum, started = net.rng:permutation(n_batches), 0.0, os.clock()
    for k = 0, n_batches - 1 do
      local rows = T.slice(order[k] * batch, (order[k] + 1) * batch)
      sum = sum + net.train(train_x[{ rows }], train_y[{ rows }])
      bar:step(epoch, (k + 1) / n_batches, sum / (k + 1), (k + 1) * batch / math.max(os.clock() - started, 1e-9))
      if theano.interrupted() then break end
    end
    local wrong = 0
    for first = 0, n_test - 1, 500 do
      local rows = T.slice(first, first + 500)
      wrong = wrong + net.errors(test_x[{ rows }], test_y[{ rows }])
    end
    accuracy = 100 * (1 - wrong / n_test)
    bar:done(epoch, sum / n_batches, accuracy)
    if theano.interrupted() then break end
  end
  return accuracy, net.filters
end

local accuracies, filters = {}, nil
for _, seed in ipairs(SEEDS) do
  if theano.interrupted() then break end
  local accuracy, W = run(seed)
  accuracies[#accuracies + 1], filters = accuracy, filters or W
end

-- ---- results ------------------------------------------------------------------------------------------------------
local path = out_dir .. "/lenet-filters.png"
png.write(path, png.tiles(filters:get_value():reshape({ 20, 5, 5 }), 5, 8))
table.sort(accuracies)
print(("median test accuracy of %d seeds: %.2f %%"):format(#accuracies, accuracies[(#accuracies + 1) // 2]))
print("learned filters: " .. path)
