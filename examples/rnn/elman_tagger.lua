--- What is each word of a question about flights? An Elman network with word embeddings and windows of words around, as
-- in the Deep Learning Tutorials; the questions are made here.
-- build/theano examples/rnn/elman_tagger.lua [--epochs 8] [--sentences 1500]
-- Expected: more than 99 % of the words of test questions tagged right, and "from boston to denver" read the right way.
local theano = require("theano")
local T, nd = require("theano.tensor"), require("theano.ndarray")
theano.config.floatX = "float32"

local layers, train, data = theano.layers, theano.train, theano.data
local o = theano.args { epochs = 8, sentences = 1500, batch = 20, size = 40, rate = 0.01 }

-- ---- questions: what stands after CITY, DAY and TIME depends on the words before and behind ------------------------
local cities = { "boston", "denver", "atlanta", "dallas", "oakland", "seattle" }
local days, times = { "monday", "tuesday", "friday", "sunday" }, { "morning", "noon", "evening" }
local forms = {
  "show me flights from CITY:from to CITY:to", "flights to CITY:to from CITY:from on DAY:day",
  "i want to leave CITY:from on DAY:day and arrive in CITY:to by TIME:time", "is there a TIME:time flight to CITY:to",
  "what leaves CITY:from for CITY:to DAY:day TIME:time", "arriving in CITY:to from CITY:from by way of CITY:over",
}
local kinds, number, tag_number = { CITY = cities, DAY = days, TIME = times }, {}, {}
local tags = { "-", "from", "to", "over", "day", "time" }
for i, t in ipairs(tags) do tag_number[t] = i - 1 end
local count = 1 -- 0 stands before and behind a question
local function word(w)
  if not number[w] then number[w], count = count, count + 1 end
  return number[w]
end
local rng, longest = nd.random.RandomState(3), 15
local function question(form)
  local ws, ts = {}, {}
  for part in form:gmatch("%S+") do
    local kind, tag = part:match("^(%u+):(%l+)$")
    local w = kind and kinds[kind][rng:randint(1, #kinds[kind] + 1)] or part
    ws[#ws + 1], ts[#ts + 1] = word(w), tag_number[tag or "-"]
  end
  return ws, ts
end
local xs, ys = nd.zeros({ o.sentences, longest }, "int32"), nd.full({ o.sentences, longest }, -1, "int32")
for i = 0, o.sentences - 1 do
  local ws, ts = question(forms[rng:randint(1, #forms + 1)])
  for k in ipairs(ws) do xs[{ i, k - 1 }], ys[{ i, k - 1 }] = ws[k], ts[k] end
end
local known, test = data.split({ xs, ys }, { 4, 1 })

-- ---- the network: a window of three embeddings for each word -------------------------------------------------------
local p = layers.params { seed = 1 }
local x, y = T.imatrix("x"), T.imatrix("y") -- (batch, time); y is -1 behind the end
local e = layers.embedding(p, x.T, count, o.size) -- (time, batch, size)
local none = T.zeros_like(e["0:1"])
local window = T.concatenate({ T.concatenate({ none, e[":-1"] }), e, T.concatenate({ e["1:"], none }) }, { axis = 2 })
local h = layers.rnn(p, window, 3 * o.size, o.size)
local z = layers.dense(p, h, o.size, #tags):dimshuffle(1, 0, 2):reshape({ -1, #tags })
local there, wanted = T.neq(y, -1):flatten(), T.maximum(y, 0):flatten()
local weight = T.cast(there, "float32")
local cost = (T.nnet.categorical_crossentropy(T.nnet.softmax(z), wanted) * weight):sum() / weight:sum()
local guess = T.argmax(z, { axis = 1 })
local right = (T.cast(T.eq(guess, wanted), "float32") * weight):sum() / weight:sum()
local accuracy = theano.compile { inputs = { x, y }, outputs = right }
local tag = theano.compile { inputs = { x }, outputs = guess }
local step = theano.compile { inputs = { x, y }, outputs = cost,
  updates = train.optimizers.adam(cost, p.weights, { learning_rate = o.rate }) }

train.loop { step = step, data = data.batches(known, { size = o.batch, shuffle = 1 }), epochs = o.epochs,
  valid = function() return { accuracy = accuracy(table.unpack(test)) } end, log = theano.run }
local text, line = {}, nd.zeros({ 1, longest }, "int32")
for w in ("show me flights from boston to denver"):gmatch("%S+") do
  line[{ 0, #text }] = word(w)
  text[#text + 1] = w
end
local found = tag(line)
for i, w in ipairs(text) do text[i] = w .. "/" .. tags[found[i - 1] + 1] end
print(table.concat(text, " "))
print(("words of test questions tagged right: %.1f %%"):format(100 * accuracy(table.unpack(test))))
