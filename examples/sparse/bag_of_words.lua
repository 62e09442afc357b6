--- Logistic regression on texts of 100,000 different words: a text is a sparse row of how often it has each word.
-- build/theano examples/sparse/bag_of_words.lua [epochs]
-- Makes texts about two subjects, which use some words more than others; prints the accuracy on others.
local theano = require("theano")
local T, nd, sparse = theano.tensor, theano.ndarray, theano.sparse

local epochs, batch = tonumber(arg[1]) or 3, 100
local words, texts, length, telling = 100000, 4000, 80, 2000
local rng = nd.random.RandomState(6)

-- ---- texts: frequent words have low numbers; one word in 25 is of the subject ---------------------------------------
local function make(count)
  local subject = rng:randint(0, 2, count)
  -- Zipf's law: the chance of word k falls as 1 / k.
  local common = nd.floor(nd.exp(rng:rand(count, length) * math.log(words))):astype("int64") - 1
  local own = rng:randint(0, telling // 2, { count, length }) * 2 + subject:reshape({ count, 1 }) -- even or odd ones
  local which = nd.where(nd.lt(rng:rand(count, length), 0.04), words - 1 - own, common)
  local text = nd.repeat_(nd.arange(count), length)
  local counts = nd.sparse.csr_matrix({ nd.ones { count * length }, { text, which:reshape(-1) } },
    { shape = { count, words } }) -- words that come twice are added
  return counts, subject:astype("float64")
end
local train_x, train_y = make(texts)
local test_x, test_y = make(1000)
print(("%d texts, %d different words, %.0f in a text on average"):format(texts, words, train_x.nnz / texts))

-- ---- the model ------------------------------------------------------------------------------------------------------
local x, y = sparse.csr_matrix("x"), T.dvector("y")
local w, b = theano.shared(nd.zeros { words }, "w"), theano.shared(0.0, "b")
local p = T.nnet.sigmoid(sparse.dot(x, w) + b)
local cost = T.mean(T.nnet.binary_crossentropy(p, y))
local gw, gb = table.unpack(T.grad(cost, { w, b }))
-- Each word has a step of its own, shorter the more was learnt of it (AdaGrad).
local learnt = theano.shared(nd.full({ words }, 1e-6), "learnt")
local more = learnt + T.sqr(gw)
local step = theano.compile {
  inputs = { x, y }, outputs = cost,
  updates = { { w, w - 0.05 * gw / T.sqrt(more) }, { learnt, more }, { b, b - 0.1 * gb } },
}
local accuracy = theano.compile { inputs = { x, y }, outputs = T.mean(T.eq(T.gt(p, 0.5), T.gt(y, 0.5))) }

for epoch = 1, epochs do
  local sum, order = 0, rng:permutation(texts // batch)
  for k = 0, texts // batch - 1 do
    local first = order[k] * batch
    local rows = T.slice(first, first + batch)
    sum = sum + step(train_x[{ rows }], train_y[{ rows }])
  end
  print(("epoch %d: cost %.3f, test accuracy %.1f %%"):format(epoch, sum / (texts // batch),
    100 * accuracy(test_x, test_y)))
end
