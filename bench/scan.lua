-- Loops: a recurrence of a million single numbers (the same loop in C: scan.c), and a tanh RNN forward and as a
-- training step, an LSTM's training step (NumPy: scan.numpy.py), and how long compiling takes for 10 and for 10,000
-- steps. Minimum and median of the rounds, in milliseconds.
local theano = require "theano"
local T, nd = theano.tensor, theano.ndarray

local function time(name, f, rounds)
  local t = {}
  f()
  for i = 1, rounds do
    local start = os.clock()
    f()
    t[i] = (os.clock() - start) * 1e3
  end
  table.sort(t)
  print(("theano  %-28s min %8.3f  median %8.3f ms"):format(name, t[1], t[(rounds + 1) // 2]))
end

local x, h0 = T.dvector("x"), T.dscalar("h0")
local s = theano.scan { fn = function(xt, h) return 0.999 * h + xt end, sequences = x, outputs_info = h0 }
local last = theano.compile { inputs = { x, h0 }, outputs = s[-1] }
local ones = nd.ones({ 1000000 })
time("scalar recurrence, 10^6", function() last(ones, 0.5) end, 21)

local H, STEPS, B = 100, 100, 10
local rng = nd.random.RandomState(1)
local function small(...) return (rng:uniform(-0.1, 0.1, { ... })):astype("float32") end
local W, U = theano.shared(small(H, H), { name = "W" }), theano.shared(small(H, H), { name = "U" })
local xs, start = T.ftensor3("xs"), T.fmatrix("start")
local hs = theano.scan { fn = function(xt, h) return T.tanh(T.dot(xt, W) + T.dot(h, U)) end, sequences = xs,
  outputs_info = start }
local xv, hv = small(STEPS, B, H), nd.zeros({ B, H }, "float32")
local forward = theano.compile { inputs = { xs, start }, outputs = hs[-1] }
time("tanh RNN forward", function() forward(xv, hv) end, 41)
local cost = T.mean(hs[-1] ^ 2)
local g = T.grad(cost, { W, U })
local rate = T.constant(0.01, { dtype = "float32" })
local train = theano.compile { inputs = { xs, start }, outputs = cost,
  updates = { { W, W - rate * g[1] }, { U, U - rate * g[2] } } }
time("tanh RNN training step", function() train(xv, hv) end, 41)

local LH, LB, E = 128, 32, 64
local P = { theano.shared(small(E, 4 * LH), { name = "Wx" }), theano.shared(small(LH, 4 * LH), { name = "Wh" }),
  theano.shared(nd.zeros({ 4 * LH }, "float32"), { name = "b" }) }
local function lstm(xt, h, c, wx, wh, b)
  local z = T.dot(xt, wx) + T.dot(h, wh) + b
  local function gate(k) return z:sub(":", { start = k * LH, stop = (k + 1) * LH }) end
  local now = T.nnet.sigmoid(gate(1)) * c + T.nnet.sigmoid(gate(0)) * T.tanh(gate(3))
  return T.nnet.sigmoid(gate(2)) * T.tanh(now), now
end
local function lstm_step(steps)
  local zero = T.zeros({ xs.shape[1], LH }, { dtype = "float32" })
  local out = theano.scan { fn = lstm, sequences = xs, outputs_info = { zero, zero }, non_sequences = P,
    n_steps = steps }
  local loss, updates = T.mean(out[1][-1] ^ 2), {}
  for i, d in ipairs(T.grad(loss, P)) do updates[i] = { P[i], P[i] - rate * d } end
  return theano.compile { inputs = { xs }, outputs = loss, updates = updates }
end
local lv, lstm_train = small(STEPS, LB, E), lstm_step()
time("LSTM training step", function() lstm_train(lv) end, 21)
for _, steps in ipairs { 10, 10000 } do
  time(("compiling it, T = %d"):format(steps), function() lstm_step(steps) end, 11)
end
