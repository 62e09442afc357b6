--- Training steps of small networks: what a step takes of a device is asked of them (spec/cuda_steps_spec.lua).
-- Each makes a function of a minibatch that gives the cost and changes the weights, and a minibatch for it.
local theano = require("theano")
local T, nd = require("theano.tensor"), require("theano.ndarray")

local M = {}

local function numbers(scale, ...)
  local n = 1
  for _, k in ipairs({ ... }) do n = n * k end
  return (nd.sin(nd.arange(n):astype("float64") * 0.7 + n) * scale):astype("float32"):reshape({ ... })
end

-- Weights are noted in the order that they are made in.
local function model()
  local m = { params = {} }
  local function keep(value)
    local p = theano.shared(value, { name = "p" .. #m.params + 1 })
    m.params[#m.params + 1] = p
    return p
  end
  function m.weight(...) return keep(numbers(0.5, ...)) end
  function m.constant(n, value) return keep(nd.full({ n }, value, "float32")) end
  function m.step(x, y, logits)
    local cost = T.nnet.categorical_crossentropy(T.nnet.softmax(logits), y:flatten()):mean()
    local updates = {}
    for i, g in ipairs(T.grad(cost, m.params)) do
      updates[i] = { m.params[i], m.params[i] - T.cast(0.01, "float32") * g }
    end
    return theano.compile({ inputs = { x, y }, outputs = cost, updates = updates }), m.params
  end
  return m
end

local function labels(n, classes) return ((nd.arange(n) * 7 + 3) % classes):astype("int32") end

function M.mlp()
  local m, x, y = model(), T.fmatrix("x"), T.ivector("y")
  local h = T.tanh(T.dot(x, m.weight(12, 9)) + m.constant(9, 0))
  local f, params = m.step(x, y, T.dot(h, m.weight(9, 4)) + m.constant(4, 0))
  return f, { numbers(1, 6, 12), labels(6, 4) }, params
end

function M.lenet()
  local m, x, y = model(), T.ftensor4("x"), T.ivector("y")
  local function layer(h, filters, channels)
    local pooled = T.signal.pool.pool_2d(T.nnet.conv2d(h, m.weight(filters, channels, 3, 3)), { 2, 2 },
      { ignore_border = true })
    return T.tanh(pooled + m.constant(filters, 0):dimshuffle("x", 0, "x", "x"))
  end
  local h = layer(layer(x, 3, 1), 4, 3):flatten(2)
  h = T.tanh(T.dot(h, m.weight(16, 8)) + m.constant(8, 0))
  local f, params = m.step(x, y, T.dot(h, m.weight(8, 4)) + m.constant(4, 0))
  return f, { numbers(1, 2, 1, 14, 14), labels(2, 4) }, params
end

-- Letters of `length` places; a state and a cell of `hidden` numbers.
function M.lstm()
  local batch, length, letters, hidden = 3, 5, 7, 6
  local m, x, y = model(), T.imatrix("x"), T.imatrix("y")
  local before = m.weight(letters, hidden)[{ x }]:reshape({ length * batch, hidden })
  before = T.dot(before, m.weight(hidden, 4 * hidden)) + m.constant(4 * hidden, 0)
  before = before:reshape({ length, batch, 4 * hidden })
  local zero = T.zeros({ batch, hidden }, "float32")
  local out = theano.scan { fn = function(now, cell, state, u)
    local g = now + T.dot(state, u)
    local function part(i) return g[{ T.slice(), T.slice(i * hidden, (i + 1) * hidden) }] end
    local fresh = T.nnet.sigmoid(part(1)) * cell + T.nnet.sigmoid(part(0)) * T.tanh(part(2))
    return fresh, T.nnet.sigmoid(part(3)) * T.tanh(fresh)
  end, sequences = before, outputs_info = { zero, zero }, non_sequences = m.weight(hidden, 4 * hidden), strict = true }
  local logits = T.dot(out[2]:reshape({ length * batch, hidden }), m.weight(hidden, letters))
  local f, params = m.step(x, y, logits)
  local text = labels(length * batch, letters):reshape({ length, batch })
  return f, { text, text }, params
end

-- Two blocks of attention and a wide layer, each behind a norm.
function M.transformer()
  local _ <close> = theano.config.change_flags { floatX = "float32" } -- of the numbers below
  local batch, length, width, heads, letters, wide = 2, 4, 8, 2, 7, 12
  local m, x, y = model(), T.imatrix("x"), T.imatrix("y")
  local future = nd.gt(nd.arange(length):reshape({ 1, length }), nd.arange(length):reshape({ length, 1 }))
  local mask = theano.shared(future:astype("float32") * nd.array(-1e9, "float32"))
  local function norm(h)
    local c = h - h:mean { axis = 1, keepdims = true }
    local deviation = T.sqrt(T.sqr(c):mean { axis = 1, keepdims = true } + 1e-5)
    return c / deviation * m.constant(width, 1) + m.constant(width, 0)
  end
  local function split(h)
    h = h:reshape({ batch, length, heads, width // heads }):dimshuffle(0, 2, 1, 3)
    return h:reshape({ batch * heads, length, width // heads })
  end
  local function attention(h)
    local q, k, v = split(T.dot(h, m.weight(width, width))), split(T.dot(h, m.weight(width, width))),
      split(T.dot(h, m.weight(width, width)))
    local scores = T.batched_dot(q, k:dimshuffle(0, 2, 1)) * (heads / width) ^ 0.5 + mask
    local a = T.batched_dot(T.nnet.softmax(scores, { axis = -1 }), v)
    a = a:reshape({ batch, heads, length, width // heads }):dimshuffle(0, 2, 1, 3)
    return T.dot(a:reshape({ batch * length, width }), m.weight(width, width))
  end
  local function wider(h)
    local u = T.dot(h, m.weight(width, wide)) + m.constant(wide, 0)
    return T.dot(u * 0.5 * (1 + T.erf(u * 0.5 ^ 0.5)), m.weight(wide, width)) + m.constant(width, 0)
  end
  local h = (m.weight(letters, width)[{ x }] + m.weight(length, width)):reshape({ batch * length, width })
  for _ = 1, 2 do
    h = h + attention(norm(h))
    h = h + wider(norm(h))
  end
  local f, params = m.step(x, y, T.dot(norm(h), m.weight(width, letters)))
  local text = labels(batch * length, letters):reshape({ batch, length })
  return f, { text, text }, params
end

return M
