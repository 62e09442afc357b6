-- A character LSTM: learns the pages of docs/ letter by letter, says how surprised it still is, and writes a line.
-- Run it with: build/theano examples/rnn/char_lstm.lua [rounds] [folder of *.md]
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local rounds, folder = tonumber(arg and arg[1]) or 200, arg and arg[2] or "docs"
local HIDDEN, STEPS, BATCH, RATE = 64, 32, 16, 0.01

-- ---- text as numbers
local texts = {}
for _, page in ipairs { "lua", "getting-started", "errors", "arrays", "dtypes" } do
  local file = assert(io.open(("%s/%s.md"):format(folder, page)))
  texts[#texts + 1] = file:read("a"):lower():gsub("[^%w%s.,;:()'\"-]", ""):gsub("%s+", " ")
  file:close()
end
local text = table.concat(texts, " ")
local letters, number = {}, {}
for c in text:gmatch(".") do
  if not number[c] then
    letters[#letters + 1] = c
    number[c] = #letters - 1
  end
end
local N = #letters
print(("%d characters, %d different"):format(#text, N))

-- ---- the network: one matrix for all gates
local rng = nd.random.RandomState(1)
local function weight(name, rows, cols)
  return theano.shared((rng:randn(rows, cols) / math.sqrt(rows)):astype("float32"), { name = name })
end
local Wx, Wh, Wy = weight("Wx", N, 4 * HIDDEN), weight("Wh", HIDDEN, 4 * HIDDEN), weight("Wy", HIDDEN, N)
local b, by = theano.shared(nd.zeros({ 4 * HIDDEN }, "float32")), theano.shared(nd.zeros({ N }, "float32"))
local weights = { Wx, Wh, Wy, b, by }

local function gate(z, i) return z:sub("all", { i * HIDDEN, (i + 1) * HIDDEN }) end
local function step(seen, h, c)
  local z = Wx[seen] + T.dot(h, Wh) + b -- seen: one letter of every text of the batch
  local keep, take, give = T.nnet.sigmoid(gate(z, 0) + 1), T.nnet.sigmoid(gate(z, 1)), T.nnet.sigmoid(gate(z, 2))
  local now = keep * c + take * T.tanh(gate(z, 3))
  return give * T.tanh(now), now
end

-- ---- training: letters (steps, batch), each predicted from those before it
local seen, next_ = T.lmatrix("seen"), T.lmatrix("next")
local zero = T.zeros({ seen.shape[1], HIDDEN }, { dtype = "float32" })
local states = theano.scan { fn = step, sequences = seen, outputs_info = { zero, zero }, name = "lstm" }
local scores = T.dot(states[1]:reshape({ -1, HIDDEN }), Wy) + by
local cost = T.nnet.categorical_crossentropy(T.nnet.softmax(scores), next_:flatten()):mean()

local updates, slopes = {}, theano.grad(cost, weights)
for i, w in ipairs(weights) do -- Adam, a step shorter for weights whose slopes vary
  local m = theano.shared(w:get_value() * 0)
  local v = theano.shared(w:get_value() * 0)
  local m1 = T.cast(0.9 * m + 0.1 * slopes[i], "float32")
  local v1 = T.cast(0.99 * v + 0.01 * slopes[i] ^ 2, "float32")
  updates[#updates + 1] = { m, m1 }
  updates[#updates + 1] = { v, v1 }
  updates[#updates + 1] = { w, T.cast(w - RATE * m1 / (T.sqrt(v1) + 1e-4), "float32") }
end
local train = theano.compile { inputs = { seen, next_ }, outputs = cost, updates = updates }

local function batch()
  local a, z = {}, {}
  for t = 1, STEPS do a[t], z[t] = {}, {} end
  for i = 1, BATCH do
    local from = rng:randint(1, #text - STEPS)
    for t = 1, STEPS do
      a[t][i] = number[text:sub(from + t - 1, from + t - 1)]
      z[t][i] = number[text:sub(from + t, from + t)]
    end
  end
  return nd.array(a), nd.array(z)
end

local mean
for i = 1, rounds do
  local c = train(batch())
  mean = mean and 0.95 * mean + 0.05 * c or c
  if i == 1 or i % 50 == 0 then print(("round %d: perplexity %.2f"):format(i, math.exp(mean))) end
end

-- ---- writing: one letter at a time, drawn from what the network expects
local letter, h0, c0 = T.lvector(), T.fmatrix(), T.fmatrix()
local h1, c1 = step(letter, h0, c0)
local write = theano.compile {
  inputs = { letter, h0, c0 }, outputs = { T.nnet.softmax(1.5 * (T.dot(h1, Wy) + by))[0], h1, c1 },
  allow_input_downcast = true,
}
local h, c, at, line = nd.zeros({ 1, HIDDEN }, "float32"), nd.zeros({ 1, HIDDEN }, "float32"), number["t"], { "t" }
for _ = 1, 70 do
  local p
  p, h, c = write({ at }, h, c)
  local u, sum = rng:rand(), 0
  for k = 0, N - 1 do
    sum = sum + p[k]
    at = k
    if sum > u then break end
  end
  line[#line + 1] = letters[at + 1]
end
print("it writes: " .. table.concat(line))
