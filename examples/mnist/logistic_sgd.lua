--- Logistic regression on MNIST digits by stochastic gradient descent, as in the Deep Learning Tutorials: it ends when
-- the validation errors have not become fewer for some epochs, and keeps the best weights.
-- build/theano examples/mnist/logistic_sgd.lua [--epochs 40] [--rate 0.13]
-- Expected: about 90 % of the test digits right, from 7,000 training digits.
local theano = require("theano")
local T = require("theano.tensor")
theano.config.floatX = "float32"

local layers, train, data = theano.layers, theano.train, theano.data
local o = theano.args { epochs = 40, rate = 0.13, batch = 60, patience = 5 }
local here = arg[0]:match("^(.*)/[^/]*$") or "."
local digits = dofile(here .. "/digits.lua")(here)
local known, valid = data.split({ digits.train_x, digits.train_y }, { 7, 1 })

local x, y = T.fmatrix("x"), T.ivector("y")
local p = layers.params { seed = 1 }
local out = T.nnet.softmax(layers.dense(p, x, 784, 10, { init = theano.init.zeros }))
local cost = T.nnet.categorical_crossentropy(out, y):mean()
local errors = theano.compile { inputs = { x, y }, outputs = T.neq(T.argmax(out, { axis = 1 }), y):mean() }
local step = theano.compile { inputs = { x, y }, outputs = cost,
  updates = train.optimizers.sgd(cost, p.weights, { learning_rate = o.rate }) }

local history = train.loop {
  step = step, data = data.batches(known, { size = o.batch, shuffle = 1 }), epochs = o.epochs, log = theano.run,
  valid = function() return errors(table.unpack(valid)) end,
  early_stopping = train.early_stopping { metric = "valid", patience = o.patience, params = p.weights },
}
print(("%d epochs, test accuracy: %.1f %%"):format(#history, 100 * (1 - errors(digits.test_x, digits.test_y))))
