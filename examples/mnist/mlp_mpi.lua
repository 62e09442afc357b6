--- The network of mlp.lua trained by several processes, each with its share of every minibatch.
-- mpirun -n 2 build/theano run examples/mnist/mlp_mpi.lua [--epochs 3] [--batch 120] [--hidden 500] [--digits 8000]
-- Losses and weights are, bit for bit, those of one process that adds up the gradients of as many parts of a batch
-- (`build/theano run examples/mnist/mlp_mpi.lua --parts 2`), and to 1e-6 those of whole batches (`--parts 1`). A run
-- goes on (`mpirun -n 3 build/theano run --resume FOLDER`) with any number of ranks that divides the batch.
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local mpi, data, optimizers = theano.mpi, theano.data, theano.train.optimizers
local o = theano.args { epochs = 3, batch = 120, hidden = 500, rate = 0.5, digits = 8000, parts = mpi.size }

local here = arg[0]:match("^(.*)/[^/]*$") or "."
local digits = dofile(here .. "/digits.lua")(here)
local few = T.slice(0, o.digits)
local batches = data.batches({ digits.train_x[{ few }], digits.train_y[{ few }] },
  { size = o.batch, shuffle = 1, drop_last = true })

-- ---- model ----------------------------------------------------------------------------------------------------------
local rng = nd.random.RandomState(1234) -- the same on every rank
local function uniform(n_in, n_out)
  local bound = math.sqrt(6 / (n_in + n_out))
  return rng:uniform(-bound, bound, { n_in, n_out }):astype("float32")
end
local x, y = T.fmatrix("x"), T.ivector("y")
local W1, b1 = theano.shared(uniform(784, o.hidden), "W1"), theano.shared(nd.zeros({ o.hidden }, "float32"), "b1")
local W2, b2 = theano.shared(uniform(o.hidden, 10), "W2"), theano.shared(nd.zeros({ 10 }, "float32"), "b2")
local params = { W1, b1, W2, b2 }
local p = T.nnet.softmax(T.dot(T.tanh(T.dot(x, W1) + b1), W2) + b2)
local cost = T.nnet.categorical_crossentropy(p, y):mean()
local wrong = T.neq(T.argmax(p, { axis = 1 }), y):mean()
local grads, loss = theano.grad(cost, params), T.cast(cost, "float64")
local errors = theano.compile { inputs = { x, y }, outputs = wrong }

-- ---- a step: of several ranks, or of several parts ------------------------------------------------------------------
local step
if mpi.size > 1 then
  local rank_step = theano.compile {
    inputs = { x, y }, outputs = mpi.allreduce(loss, "mean"),
    updates = optimizers.sgd(mpi.mean(grads), params, { learning_rate = o.rate }),
  }
  step = function(...) return rank_step(mpi.part(...)) end
else
  local sum = theano.train.accumulate(grads, params)
  local add = theano.compile { inputs = { x, y }, outputs = loss, updates = sum.add }
  local updates = optimizers.sgd(sum.mean, params, { learning_rate = o.rate })
  updates:update(sum.clear)
  local apply = theano.compile { inputs = {}, updates = updates }
  step = function(bx, by)
    local rows, total = o.batch // o.parts, 0.0
    for k = 0, o.parts - 1 do
      local part = T.slice(k * rows, (k + 1) * rows)
      total = total + add(bx[{ part }], by[{ part }])
    end
    apply()
    return total / o.parts
  end
end

-- ---- training -------------------------------------------------------------------------------------------------------
local kept = { weights = params, batches = batches }
local at = theano.run:resume(kept)
theano.train.loop {
  step = step, data = batches, epochs = o.epochs, first = at and at.epoch + 1 or 1, progress = mpi.rank == 0,
  valid = function() return { errors = errors(digits.test_x, digits.test_y) } end, log = theano.run,
  on_epoch = function(epoch) theano.run:save { weights = params, batches = batches, epoch = epoch } end,
}
if mpi.rank == 0 then print(("test accuracy: %.1f %%"):format(100 * (1 - errors(digits.test_x, digits.test_y)))) end
