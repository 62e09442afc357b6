-- adding.py beside it, ported line by line: an LSTM that learns to add two marked numbers. Both print the same numbers,
-- draws, dropout and all.
-- Run it with: build/theano examples/ported/adding.lua [adding.npz]
local theano = require "theano"
local T = require "theano.tensor"
local nd = require "theano.ndarray"

local floatX = theano.config.floatX
local rng = nd.random.RandomState(1)
local n_in, n_hid, batch, steps = 2, 24, 20, 10

local function weight(n, m, name)
  local bound = math.sqrt(6 / (n + m))
  return theano.shared(rng:uniform(-bound, bound, { n, m }):astype(floatX), name)
end

-- two numbers of a sequence are marked; their sum is wanted
local function sequences(n)
  local x = nd.zeros({ n, steps, 2 }, floatX)
  x[":, :, 0"] = rng:uniform(0, 1, { n, steps })
  local first, second = rng:randint(0, steps // 2, n), rng:randint(steps // 2, steps, n)
  x[{ nd.arange(n), first, 1 }] = 1
  x[{ nd.arange(n), second, 1 }] = 1
  return x, (x[":, :, 0"] * x[":, :, 1"]):sum { axis = 1 }
end

local W_x, W_h = weight(n_in, 4 * n_hid, "W_x"), weight(n_hid, 4 * n_hid, "W_h")
local b = theano.shared(nd.zeros(4 * n_hid, floatX), "b")
local W_o, b_o = weight(n_hid, 1, "W_o"), theano.shared(nd.array(0.0, floatX), "b_o")
local params = { W_x, W_h, b, W_o, b_o }

local function step(x_t, h_tm1, c_tm1)
  local pre = x_t + T.dot(h_tm1, W_h)
  local function part(i) return pre[{ T.slice(), T.slice(i * n_hid, (i + 1) * n_hid) }] end
  local i, f, o = T.nnet.sigmoid(part(0)), T.nnet.sigmoid(part(1)), T.nnet.sigmoid(part(2))
  local c = f * c_tm1 + i * T.tanh(part(3))
  return o * T.tanh(c), c
end

local x, y = T.tensor3("x"), T.vector("y")
local zeros = T.zeros({ x.shape[0], n_hid }, floatX)
local hc = theano.scan {
  fn = step,
  sequences = T.dot(x:dimshuffle(1, 0, 2), W_x) + b,
  outputs_info = { zeros, zeros },
}
local h = hc[1]
local srng = theano.random.MRG_RandomStreams(42)
local noise = T.scalar("noise")
local mask = T.switch(noise:gt(0), srng:binomial { size = h[-1].shape, p = 0.9, dtype = floatX } / 0.9, 1)
local out = T.dot(h[-1] * mask, W_o):flatten() + b_o
local cost = T.mean((out - y) ^ 2)

local grads = T.grad(cost, params)
local squares = 0
for _, g in ipairs(grads) do squares = squares + T.sum(g ^ 2) end
local norm = T.sqrt(squares)
local updates = {}
for k, p in ipairs(params) do
  local g = grads[k] * T.minimum(1, 5 / norm)
  local acc = theano.shared(nd.zeros_like(p:get_value()), { broadcastable = p.broadcastable })
  updates[acc] = 0.9 * acc + 0.1 * g ^ 2
  updates[p] = p - 0.01 * g / T.sqrt(updates[acc] + 1e-6)
end

local sx, sy = sequences(400)
local data_x, data_y = theano.shared(sx), theano.shared(sy)
local i = T.lscalar("i")
local rows = T.slice(i * batch, (i + 1) * batch)
local train = theano.compile {
  inputs = { i }, outputs = cost, updates = updates,
  givens = { [x] = data_x[rows], [y] = data_y[rows], [noise] = nd.array(1, floatX) },
}
local test = theano.compile { inputs = { x, y, theano.In(noise, { value = 0 }) }, outputs = cost }
local test_x, test_y = sequences(100)
for epoch = 1, 20 do
  local costs = {}
  for k = 0, 400 // batch - 1 do costs[#costs + 1] = train(k) end
  if epoch % 5 == 0 then
    print(("epoch %d: %.4f, test %.4f"):format(epoch, nd.mean(costs), test(test_x, test_y)))
  end
end
local values = {}
for _, p in ipairs(params) do values[p.name] = p:get_value() end
nd.save(arg[1] or "adding.npz", values)
