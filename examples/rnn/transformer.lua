--- A small transformer that learns the pages of docs/ letter by letter and writes: two causal blocks of four heads.
-- build/theano examples/rnn/transformer.lua [--rounds 600] [--folder docs]
-- Expected: after 600 rounds a perplexity of about 9 on text that it has not seen, of some 50 different letters.
local theano = require("theano")
local T, nd = require("theano.tensor"), require("theano.ndarray")
theano.config.floatX = "float32"

local layers, train = theano.layers, theano.train
local o = theano.args { rounds = 600, folder = "docs", size = 64, heads = 4, blocks = 2, time = 64, batch = 16,
  rate = 0.003 }

-- ---- text as numbers -----------------------------------------------------------------------------------------------
local texts = {}
for i, page in ipairs({ "lua", "getting-started", "errors", "arrays", "loops", "debugging", "convolution" }) do
  local file = assert(io.open(("%s/%s.md"):format(o.folder, page)))
  texts[i] = file:read("a"):lower():gsub("[^%w%s.,;:()'\"-]", ""):gsub("%s+", " ")
  file:close()
end
local text, letters, number = table.concat(texts, " "), {}, {}
local codes = {}
for c in text:gmatch(".") do
  if not number[c] then
    letters[#letters + 1] = c
    number[c] = #letters - 1
  end
  codes[#codes + 1] = number[c]
end
local all, n = nd.array(codes, "int32"), #codes - #codes // 10 -- the last tenth is for the test
print(("%d characters, %d different"):format(#codes, #letters))

-- ---- the network ---------------------------------------------------------------------------------------------------
local p = layers.params { seed = 1 }
local x, y = T.imatrix("x"), T.imatrix("y") -- (batch, time), and the next letters
local places = p:get("places", { o.time, o.size }, function(shape, given)
  return theano.init.normal(shape, { rng = given.rng, dtype = given.dtype, std = 0.02 })
end)
local h = layers.embedding(p, x, #letters, o.size) + places[{ T.slice(0, x.shape[1]) }]:dimshuffle("x", 0, 1)
for _ = 1, o.blocks do h = layers.transformer_block(p, h, o.size, { heads = o.heads, causal = true }) end
local z = layers.dense(p, layers.layer_norm(p, h, o.size), o.size, #letters):reshape({ -1, #letters })
local guess = T.nnet.softmax(z)
local cost = T.nnet.categorical_crossentropy(guess, y:flatten()):mean()
local schedule = train.optimizers.schedules.cosine { rate = o.rate, steps = o.rounds, warmup = math.min(50, o.rounds) }
local grads = train.optimizers.clip_by_global_norm(theano.grad(cost, p.weights), 1)
local step = theano.compile { inputs = { x, y }, outputs = cost,
  updates = train.optimizers.adamw(grads, p.weights, { learning_rate = schedule }) }
local surprise = theano.compile { inputs = { x, y }, outputs = cost }
local next_letter = theano.compile { inputs = { x }, outputs = guess[-1] }

-- ---- training ------------------------------------------------------------------------------------------------------
local rng = nd.random.RandomState(5)
local function some(from, to) -- a batch of places between the two
  local starts = rng:randint(from, to - o.time, { o.batch, 1 })
  local rows = starts + nd.arange(o.time):reshape({ 1, -1 })
  return all[rows], all[rows + 1]
end
local function perplexity()
  local sum = 0
  for _ = 1, 8 do sum = sum + surprise(some(n, #codes - 1)) end
  return math.exp(sum / 8)
end
local sum = 0
for round = 1, o.rounds do
  sum = sum + step(some(0, n))
  if round % 100 == 0 or round == o.rounds then
    local few = (round - 1) % 100 + 1
    print(("round %d: perplexity %.2f, of the test %.2f"):format(round, math.exp(sum / few), perplexity()))
    theano.run:log { round = round, loss = sum / few }
    sum = 0
  end
  if theano.interrupted() then break end
end
local written = { table.unpack(codes, 1, 16) }
for _ = 1, 60 do
  local line = nd.array({ { table.unpack(written, math.max(1, #written - o.time + 1)) } }, "int32")
  local chances, u, k = nd.cumsum(next_letter(line)), rng:rand(), 0
  while k < #letters - 1 and chances[k] < u do k = k + 1 end
  written[#written + 1] = k
end
for i, k in ipairs(written) do written[i] = letters[k + 1] end
print("it writes: " .. table.concat(written))
