--- Trains a 784-500-10 network on MNIST digits: tanh, softmax, minibatches of 60, plain SGD, float32, fixed seed.
-- build/theano examples/mnist/mlp.lua [epochs]
-- Shows a progress bar on a terminal (plain lines when piped), writes the learning curve as SVG and the weights as
-- .npz, and ends with the accuracy on the test digits. Ctrl-C saves what there is and exits.
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local here = arg[0]:match("^(.*)/[^/]*$") or "."
local report = dofile(here .. "/report.lua")

local epochs = tonumber(arg[1]) or 40
local batch, hidden, rate = 60, 500, 0.5
local out_dir = arg[2] or "."

-- ---- data: 8,000 training and 2,000 test digits, pixels in [0, 1] -------------------------------------------------
local function images(name)
  local a = nd.load(here .. "/data/" .. name)
  return a:reshape({ a.shape[1], 784 }):astype("float32") / 255
end
local function labels(name) return nd.load(here .. "/data/" .. name):astype("int32") end

local train_x, train_y = images("mnist8k-train-images-idx3-ubyte.gz"), labels("mnist8k-train-labels-idx1-ubyte.gz")
local test_x, test_y = images("mnist2k-test-images-idx3-ubyte.gz"), labels("mnist2k-test-labels-idx1-ubyte.gz")
local n_train, n_test = train_x.shape[1], test_x.shape[1]
local n_batches = n_train // batch

-- ---- model --------------------------------------------------------------------------------------------------------
local rng = nd.random.RandomState(1234)
local function uniform(n_in, n_out)
  local bound = math.sqrt(6 / (n_in + n_out))
  return rng:uniform(-bound, bound, { n_in, n_out }):astype("float32")
end

local x, y = T.fmatrix("x"), T.ivector("y")
local W1 = theano.shared(uniform(784, hidden), "W1")
local b1 = theano.shared(nd.zeros({ hidden }, "float32"), "b1")
local W2 = theano.shared(uniform(hidden, 10), "W2")
local b2 = theano.shared(nd.zeros({ 10 }, "float32"), "b2")
local params = { W1, b1, W2, b2 }

local h = T.tanh(T.dot(x, W1) + b1)
local p = T.nnet.softmax(T.dot(h, W2) + b2)
local nll = -T.log(p)[{ T.arange(y.shape[0]), y }]
local cost = nll:mean()
local errors = T.neq(T.argmax(p, { axis = 1 }), y):sum()

local updates = {}
for i, g in ipairs(theano.grad(cost, params)) do
  updates[i] = { params[i], params[i] - T.constant(rate, { dtype = "float32" }) * g }
end

local train = theano.compile({ inputs = { x, y }, outputs = cost, updates = updates, name = "train" })
local count_errors = theano.compile({ inputs = { x, y }, outputs = errors, name = "count_errors" })

-- ---- training -----------------------------------------------------------------------------------------------------
theano.catch_interrupt(true)
local bar, curve = report.progress(epochs), {}
for epoch = 1, epochs do
  local order = rng:permutation(n_batches)
  local sum, started = 0.0, os.clock()
  for k = 0, n_batches - 1 do
    local first = order[k] * batch
    local rows = T.slice(first, first + batch)
    sum = sum + train(train_x[{ rows }], train_y[{ rows }])
    bar:step(epoch, (k + 1) / n_batches, sum / (k + 1), (k + 1) * batch / math.max(os.clock() - started, 1e-9))
    if theano.interrupted() then break end
  end
  local wrong = count_errors(test_x, test_y)
  curve[#curve + 1] = { loss = sum / n_batches, accuracy = 100 * (1 - wrong / n_test) }
  bar:done(epoch, curve[#curve].loss, curve[#curve].accuracy)
  if theano.interrupted() then
    print("interrupted: saving what there is")
    break
  end
end

-- ---- results ------------------------------------------------------------------------------------------------------
local svg, npz = out_dir .. "/mlp-learning-curve.svg", out_dir .. "/mlp-weights.npz"
report.curve(svg, curve)
local weights = {}
for i, v in ipairs(params) do weights[i] = { v.name, v:get_value({ borrow = true }) } end
nd.save(npz, weights)
print(("learning curve: %s\nweights: %s"):format(svg, npz))
print(("test accuracy: %.1f %%"):format(100 * (1 - count_errors(test_x, test_y) / n_test)))
