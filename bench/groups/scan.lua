-- Loops: a recurrence of a million numbers, a tanh RNN (100 steps, batch 10, hidden 100), an LSTM (100, 32, 128).
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local G = {
  title = "loops", peers = { "lua", "numpy", "torch", "jax", "pytensor-c", "pytensor-numba", "theano", "c" },
  cases = { { "recurrence of 10^6" }, { "tanh RNN, forward" }, { "tanh RNN, training step" },
    { "LSTM, training step" } },
}
local STEPS = 100
local rate = T.constant(0.01, { dtype = "float32" })

local function small(rng, ...) return rng:uniform(-0.1, 0.1, { ... }):astype("float32") end

local function descend(cost, params)
  local updates = {}
  for i, g in ipairs(theano.grad(cost, params)) do updates[i] = { params[i], params[i] - rate * g } end
  return updates
end

local function recurrence()
  local x, h0 = T.dvector("x"), T.dscalar("h0")
  local s = theano.scan({ fn = function(xt, h) return 0.999 * h + xt end, sequences = x, outputs_info = h0 })
  local f, ones = theano.compile({ inputs = { x, h0 }, outputs = s[-1] }), nd.ones({ 1000000 })
  return { f = f, args = { ones, 0.5 } }, f(ones, 0.5)
end

local function rnn(train)
  local rng = nd.random.RandomState(1)
  local W, U = theano.shared(small(rng, 100, 100)), theano.shared(small(rng, 100, 100))
  local x, h0 = T.ftensor3("x"), T.fmatrix("h0")
  local h = theano.scan({ fn = function(xt, h) return T.tanh(T.dot(xt, W) + T.dot(h, U)) end, sequences = x,
    outputs_info = h0 })
  local xv, hv = small(rng, STEPS, 10, 100), nd.zeros({ 10, 100 }, "float32")
  local cost = T.mean(h[-1] ^ 2)
  local f = theano.compile({ inputs = { x, h0 }, outputs = cost, updates = train and descend(cost, { W, U }) or {} })
  return { f = f, args = { xv, hv } }, f(xv, hv)
end

local function lstm()
  local H, rng = 128, nd.random.RandomState(1)
  local P = { theano.shared(small(rng, 64, 4 * H)), theano.shared(small(rng, H, 4 * H)),
    theano.shared(nd.zeros({ 4 * H }, "float32")) }
  local x = T.ftensor3("x")
  local zero = T.zeros({ x.shape[1], H }, { dtype = "float32" })
  local s = theano.scan({ fn = function(xt, h, c, wx, wh, b)
    local z = T.dot(xt, wx) + T.dot(h, wh) + b
    local function gate(k) return z:sub(":", { start = k * H, stop = (k + 1) * H }) end
    local now = T.nnet.sigmoid(gate(1)) * c + T.nnet.sigmoid(gate(0)) * T.tanh(gate(3))
    return T.nnet.sigmoid(gate(2)) * T.tanh(now), now
  end, sequences = x, outputs_info = { zero, zero }, non_sequences = P })
  local cost, v = T.mean(s[1][-1] ^ 2), small(rng, STEPS, 32, 64)
  local f = theano.compile({ inputs = { x }, outputs = cost, updates = descend(cost, P) })
  return { f = f, args = { v } }, f(v)
end

function G.prepare(name)
  if name:find("recurrence", 1, true) then return recurrence() end
  if name:find("LSTM", 1, true) then return lstm() end
  return rnn(name:find("training", 1, true) ~= nil)
end

return G
