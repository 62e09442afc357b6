--- What comes behind pretraining (dbn.lua, stacked_autoencoder.lua): a softmax layer on top, and all layers learn the
-- classes from o.labels digits. `dofile(here .. "/fine_tune.lua")(p, x, h, width, digits, o)`: the parameters, the
-- pixels, the uppermost layer and its width, digits.lua's table, the program's arguments.
local theano = require("theano")
local T = require("theano.tensor")
local layers, train, data, optimizers = theano.layers, theano.train, theano.data, theano.train.optimizers

return function(p, x, h, width, digits, o)
  local y = T.ivector("y")
  local out = T.nnet.softmax(layers.dense(p, h, width, 10, { init = theano.init.zeros }))
  local cost = T.nnet.categorical_crossentropy(out, y):mean()
  local errors = theano.compile { inputs = { x, y }, outputs = T.neq(T.argmax(out, { axis = 1 }), y):mean() }
  local step = theano.compile { inputs = { x, y }, outputs = cost,
    updates = optimizers.sgd(cost, p.weights, { learning_rate = o.rate }) }
  local few = T.slice(0, o.labels)
  train.loop { step = step, epochs = o.epochs, log = theano.run,
    data = data.batches({ digits.train_x[{ few }], digits.train_y[{ few }] }, { size = o.batch, shuffle = 9 }) }
  print(("test accuracy: %.1f %%"):format(100 * (1 - errors(digits.test_x, digits.test_y))))
end
