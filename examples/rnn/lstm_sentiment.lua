--- Is a review good or bad? An LSTM over sentences of different lengths, padded and masked, as in the Deep Learning
-- Tutorials; sentences are made here, and "not" turns the next word of praise or blame around.
-- build/theano examples/rnn/lstm_sentiment.lua [--epochs 6] [--sentences 4000]
-- Expected: more than 99 % of the test sentences right, after two or three epochs.
local theano = require("theano")
local T, nd = require("theano.tensor"), require("theano.ndarray")
theano.config.floatX = "float32"

local layers, train, data = theano.layers, theano.train, theano.data
local o = theano.args { epochs = 6, sentences = 4000, batch = 50, size = 32, rate = 0.01 }

-- ---- sentences: word numbers from 1, 0 behind the end; a judgement or two, of which the last one counts ------------
local words = { "the", "a", "film", "actor", "story", "music", "was", "really", "and", "in", "fact", "not", "but" }
local praise, blame = { "good", "great", "moving", "funny" }, { "bad", "dull", "silly", "boring" }
local number = {}
for _, list in ipairs({ words, praise, blame }) do
  for _, w in ipairs(list) do
    number[#number + 1] = w
    number[w] = #number
  end
end
local rng, longest = nd.random.RandomState(7), 24
local function pick(list) return list[rng:randint(1, #list + 1)] end
local function sentence()
  local list, good = {}, nil
  local function filler(n) for _ = 1, rng:randint(1, n) do list[#list + 1] = words[rng:randint(1, 12)] end end
  for part = 1, rng:randint(1, 3) do
    if part > 1 then list[#list + 1] = "but" end
    filler(7)
    good = rng:randint(0, 2) == 1
    local turned = rng:randint(0, 2) == 1
    if turned then list[#list + 1] = "not" end
    list[#list + 1] = pick(good ~= turned and praise or blame)
  end
  filler(4)
  return list, good and 1 or 0
end
local xs, ys = nd.zeros({ o.sentences, longest }, "int32"), {}
for i = 1, o.sentences do
  local list, good = sentence()
  for k, w in ipairs(list) do xs[{ i - 1, k - 1 }] = number[w] end
  ys[i] = good
end
local known, test = data.split({ xs, nd.array(ys, "int32") }, { 3, 1 })

-- ---- the network ---------------------------------------------------------------------------------------------------
local p = layers.params { seed = 1 }
local x, y = T.imatrix("x"), T.ivector("y") -- (batch, time)
local mask = T.neq(x, 0).T
local h = layers.lstm(p, layers.embedding(p, x.T, #number + 1, o.size), o.size, o.size, { mask = mask })
local count = T.cast(mask:sum({ axis = 0 }), "float32"):dimshuffle(0, "x")
local mean = (h * T.cast(mask, "float32"):dimshuffle(0, 1, "x")):sum({ axis = 0 }) / count
local out = T.nnet.softmax(layers.dense(p, T.concatenate({ mean, h[-1] }, { axis = 1 }), 2 * o.size, 2))
local cost = T.nnet.categorical_crossentropy(out, y):mean()
local errors = theano.compile { inputs = { x, y }, outputs = T.neq(T.argmax(out, { axis = 1 }), y):mean() }
local grads = train.optimizers.clip_by_global_norm(theano.grad(cost, p.weights), 5)
local step = theano.compile { inputs = { x, y }, outputs = cost,
  updates = train.optimizers.adam(grads, p.weights, { learning_rate = o.rate }) }

train.loop { step = step, data = data.batches(known, { size = o.batch, shuffle = 1 }), epochs = o.epochs,
  valid = function() return { accuracy = 1 - errors(table.unpack(test)) } end, log = theano.run }
print(("test accuracy: %.1f %%"):format(100 * (1 - errors(table.unpack(test)))))
