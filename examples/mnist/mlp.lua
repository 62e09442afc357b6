--- Trains a 784-500-10 network on MNIST digits: tanh, softmax, minibatches of 60, plain SGD, float32, fixed seed.
-- build/theano examples/mnist/mlp.lua [epochs]
-- Shows a progress bar on a terminal (plain lines when piped), writes the learning curve as SVG and the weights as
-- .npz, and ends with the accuracy on the test digits. Ctrl-C saves what there is and exits.
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local train, data, plot = theano.train, theano.data, theano.plot

local here = arg[0]:match("^(.*)/[^/]*$") or "."
local digits = dofile(here .. "/digits.lua")(here) -- 8,000 training and 2,000 test digits, pixels in [0, 1]

local epochs = tonumber(arg[1]) or 40
local batch, hidden, rate = 60, 500, 0.5
local out_dir = arg[2] or "."

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

local updates = train.optimizers.sgd(cost, params, { learning_rate = rate })
local step = theano.compile({ inputs = { x, y }, outputs = cost, updates = updates, name = "train" })
local count_errors = theano.compile({ inputs = { x, y }, outputs = errors, name = "count_errors" })

-- ---- training -----------------------------------------------------------------------------------------------------
local function accuracy() return 100 * (1 - count_errors(digits.test_x, digits.test_y) / digits.test_x.shape[1]) end
local history = train.loop {
  step = step, epochs = epochs, valid = function() return { ["test accuracy"] = accuracy() } end,
  data = data.batches({ digits.train_x, digits.train_y }, { size = batch, shuffle = 1234, drop_last = true }),
}
if history.stopped == "interrupt" then print("interrupted: saving what there is") end

-- ---- results ------------------------------------------------------------------------------------------------------
local svg, npz = out_dir .. "/mlp-learning-curve.svg", out_dir .. "/mlp-weights.npz"
local losses, wrong = {}, {}
for i, values in ipairs(history) do losses[i], wrong[i] = values.loss, 1 - values["test accuracy"] / 100 end
plot.figure({ title = "784-500-10 on MNIST digits", xlabel = "epoch", ylog = true })
  :line(losses, { label = "training loss" }):line(wrong, { label = "test errors" }):save(svg)
local weights = {}
for i, v in ipairs(params) do weights[i] = { v.name, v:get_value({ borrow = true }) } end
nd.save(npz, weights)
print(("learning curve: %s\nweights: %s"):format(svg, npz))
print(("test accuracy: %.1f %%"):format(accuracy()))
