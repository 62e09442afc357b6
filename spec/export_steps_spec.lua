--- Training steps of the kinds of networks that people train, as C: the same bits in every parameter.
local exported = require("spec.support.exported")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local nnet = T.nnet

local rng = nd.random.RandomState(9)
local function value(...) return (rng:randn(...) * 0.3):astype("float32") end
local function weight(name, ...) return theano.shared(value(...), name) end
local function mrg() return require("theano.sandbox.rng_mrg").MRG_RandomStreams(7) end

-- Each gives inputs, cost, parameters, arguments.
local KINDS = {}

function KINDS.lstm()
  local x = T.ftensor3("x")
  local W, U, b = weight("W", 12, 64), weight("U", 16, 64), weight("b", 64)
  local function part(g, i) return g[{ T.slice(), T.slice(16 * i, 16 * i + 16) }] end
  local none = T.zeros({ 5, 16 }, { dtype = "float32" })
  local h = theano.scan { sequences = x, outputs_info = { none, none }, fn = function(now, h, c)
    local g = T.dot(now, W) + T.dot(h, U) + b
    local next_c = nnet.sigmoid(part(g, 0)) * c + nnet.sigmoid(part(g, 1)) * T.tanh(part(g, 2))
    return { nnet.sigmoid(part(g, 3)) * T.tanh(next_c), next_c }
  end }
  return { x }, T.sqr(h[1][-1]):mean(), { W, U, b }, { value(9, 5, 12) }
end

function KINDS.transformer()
  local x, p = T.ftensor3("x"), {}
  for i = 1, 4 do p[i] = weight("W" .. i, 16, 16) end
  local q, k, v = T.dot(x, p[1]), T.dot(x, p[2]), T.dot(x, p[3])
  local h = T.batched_dot(nnet.softmax(T.batched_dot(q, k:dimshuffle(0, 2, 1)) * 0.25), v) + x
  local normal = (h - h:mean(2, { keepdims = true })) / T.sqrt(h:var(2, { keepdims = true }) + 1e-5)
  return { x }, T.sqr(nnet.relu(T.dot(normal, p[4]))):mean(), p, { value(3, 10, 16) }
end

function KINDS.residual()
  local x = T.ftensor4("x")
  local w1, w2, gamma, beta = weight("w1", 8, 8, 3, 3), weight("w2", 8, 8, 3, 3), weight("gamma", 8), weight("beta", 8)
  local half = { border_mode = "half" }
  local h = nnet.bn.batch_normalization_train(nnet.conv2d(x, w1, half), gamma:dimshuffle("x", 0, "x", "x"),
    beta:dimshuffle("x", 0, "x", "x"), "spatial")
  local y = nnet.relu(nnet.conv2d(nnet.relu((h)), w2, half) + x)
  return { x }, T.sqr(y):mean(), { w1, w2, gamma, beta }, { value(4, 8, 10, 10) }
end

function KINDS.unet()
  local x = T.ftensor4("x")
  local w1, w2, w3 = weight("w1", 8, 3, 3, 3), weight("w2", 16, 8, 3, 3), weight("w3", 3, 24, 3, 3)
  local half = { border_mode = "half" }
  local a = nnet.relu(nnet.conv2d(x, w1, half))
  local down = T.signal.pool.pool_2d(a, { 2, 2 }, { ignore_border = true })
  local up = T.repeat_(T.repeat_(nnet.relu(nnet.conv2d(down, w2, half)), 2, 2), 2, 3)
  local y = nnet.conv2d(T.concatenate({ a, up }, 1), w3, half)
  return { x }, T.sqr(y - x):mean(), { w1, w2, w3 }, { value(2, 3, 16, 16) }
end

function KINDS.vae()
  local x = T.fmatrix("x")
  local W1, Wm, Ws, W2 = weight("W1", 20, 16), weight("Wm", 16, 4), weight("Ws", 16, 4), weight("W2", 4, 20)
  local h = T.tanh(T.dot(x, W1))
  local m, s = T.dot(h, Wm), T.dot(h, Ws)
  local z = m + T.exp(0.5 * s) * mrg():normal { size = { 6, 4 }, dtype = "float32" }
  local apart = nnet.binary_crossentropy(nnet.sigmoid(T.dot(z, W2)), nnet.sigmoid(x)):sum()
  return { x }, apart - 0.5 * (1 + s - T.sqr(m) - T.exp(s)):sum(), { W1, Wm, Ws, W2 }, { value(6, 20) }
end

function KINDS.wgan()
  local x = T.fmatrix("x")
  local W1, W2 = weight("W1", 10, 16), weight("W2", 16, 1)
  local critic = T.dot(T.tanh(T.dot(x, W1)), W2):sum()
  local slope = T.sqrt(T.sqr(T.grad(critic, x)):sum(1))
  return { x }, critic + 10 * T.sqr(slope - 1):mean(), { W1, W2 }, { value(7, 10) }
end

function KINDS.embedding()
  local i, E, W = T.lmatrix("i"), weight("E", 50, 8), weight("W", 8, 3)
  local y = nnet.softmax(T.dot(E[i:flatten()], W))
  return { i }, T.log(y):mean(), { E, W }, { nd.array({ { 1, 2, 49 }, { 0, 0, 7 } }, { dtype = "int64" }) }
end

local function others(add)
  local y0, k = T.dvector("y0"), theano.shared(1.3, "k")
  local function f(y) return T.stack({ y[1], -k * T.sin(y[0]) }) end
  local ys = theano.scan { outputs_info = y0, n_steps = 50, fn = function(y)
    local a = f(y)
    local b = f(y + 0.005 * a)
    local c = f(y + 0.005 * b)
    return y + 0.01 / 6 * (a + 2 * b + 2 * c + f(y + 0.01 * c))
  end }
  local cost = T.sqr(ys[-1]):sum()
  add("pendulum", theano.compile { inputs = { y0 }, outputs = { ys[-1], T.grad(cost, y0), T.grad(cost, k) } },
    { nd.array { 1, 0 } })
  local x = T.ftensor4("x")
  for _, mode in ipairs { "average_exc_pad", "sum", "max" } do
    local y = T.signal.pool.pool_2d(x, { 3, 3 },
      { stride = { 2, 2 }, pad = { 1, 1 }, ignore_border = true, mode = mode })
    add("pool_" .. mode, theano.compile { inputs = { x }, outputs = { y, T.grad(T.sqr(y):sum(), x) } },
      { value(2, 3, 33, 31) })
  end
  for i, s in ipairs { { 4, 3, 5, 7 }, { 8, 16, 16, 16 }, { 3, 40, 130, 10 }, { 6, 33, 64, 33 }, { 16, 8, 8, 1 } } do
    local a, b = T.dtensor3("a"), T.dtensor3("b")
    local z = T.batched_dot(a, b)
    local slopes = T.grad(T.sqr(z):sum(), { a, b })
    add("batch" .. i, theano.compile { inputs = { a, b }, outputs = { z, slopes[1], slopes[2] } },
      { rng:randn(s[1], s[2], s[3]), rng:randn(s[1], s[3], s[4]) })
  end
end

local function functions(add)
  local names = {}
  for name in pairs(KINDS) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local inputs, cost, parameters, args = KINDS[name]()
    local updates = {}
    for i, slope in ipairs(T.grad(cost, parameters)) do
      updates[i] = { parameters[i], (parameters[i] - 0.1 * slope):astype("float32") }
    end
    add(name, theano.compile { inputs = inputs, outputs = cost, updates = updates }, args)
  end
  others(add)
end

describe("an exported training step", function()
  for _, by in ipairs(exported.compilers(100, 4, 4)) do
    it("has the bits of the function, by " .. by.name, function() by:has_bits(functions) end)
  end
end)
