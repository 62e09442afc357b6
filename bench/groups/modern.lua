-- Steps that people train and run today, float32 but where it is said: every server starts from the same numbers.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local G = {
  title = "what is trained today: transformers, recurrent networks, images; ordinary differential equations, bodies",
  peers = { "lua", "jax", "torch", "torch-compile", "floor" },
  tolerance = 1e-4,
  cases = {
    { "transformer", "8", "64" }, { "transformer", "4", "512" }, { "lstm" }, { "gru" }, { "resblock" },
    { "embedding" }, { "vae" }, { "wgan-gp" }, { "unet" }, { "mlp", "1" }, { "rk4" }, { "bodies" },
  },
}
local RATE, STEPS = 1e-3, 20 -- the check is the loss after so many steps

-- ---- the same numbers everywhere ----
local params, made, dtype
local function sines(n, step, from)
  local _ <close> = theano.config.change_flags({ floatX = "float64" })
  return (nd.arange(n):astype("float64") * step + from):sin()
end
local function share(value)
  local p = theano.shared(value:astype(dtype))
  params[#params + 1] = p
  return p
end
local function weight(...)
  local shape, n = { ... }, 1
  for _, s in ipairs(shape) do n = n * s end
  made = made + 1
  local inputs = #shape == 2 and shape[1] or n / shape[1] -- of a layer or of a filter
  local v = sines(n, 12.9898, made) * 43758.5453 -- its fraction is as good as random
  return share(((v - v:floor() - 0.5) * (2 / math.sqrt(inputs))):reshape(shape))
end
local function const(n, value) return share(nd.full({ n }, value, dtype)) end
local function remainders(n, times, plus, of, shape)
  return ((nd.arange(n) * times + plus) % of):astype("int32"):reshape(shape or { n })
end

-- ---- what several share ----
local function c(value) return T.constant(value, { dtype = dtype }) end
local function dense(h, n, m) return T.dot(h, weight(n, m)) + const(m, 0) end
local function cross_entropy(z, labels)
  return T.nnet.categorical_crossentropy(T.nnet.softmax(z), labels):mean()
end
local function normal(h, axis, order, size)
  local gain, shift = const(size, 1), const(size, 0)
  if order then gain, shift = gain:dimshuffle(order), shift:dimshuffle(order) end
  local m = h - h:mean({ axis = axis, keepdims = true })
  return m / T.sqrt(T.sqr(m):mean({ axis = axis, keepdims = true }) + c(1e-5)) * gain + shift
end
local function batch_norm(h, channels) return normal(h, { 0, 2, 3 }, { "x", 0, "x", "x" }, channels) end
local function conv(h, from, to)
  return T.nnet.conv2d(h, weight(to, from, 3, 3), { border_mode = "half", filter_flip = false })
end

-- ---- workloads: inputs, their values, and the cost; `flops` multiply-adds twice, forward and backward ----
local W = {}

function W.transformer(B, L)
  B, L = math.tointeger(tonumber(B)), math.tointeger(tonumber(L))
  local D, H, V, F = 128, 4, 64, 512
  local x, y = T.imatrix("x"), T.imatrix("y")
  local mask = theano.shared((nd.arange(L):reshape({ 1, L }):gt(nd.arange(L):reshape({ L, 1 })):astype(dtype) * -1e9)
    :astype(dtype))
  local function heads(h)
    return h:reshape({ B, L, H, D // H }):dimshuffle(0, 2, 1, 3):reshape({ B * H, L, D // H })
  end
  local table_, places = weight(V, D), weight(L, D)
  local h = (table_[{ x }] + places):reshape({ B * L, D })
  for _ = 1, 2 do
    local n = normal(h, 1, nil, D)
    local q, k, v = heads(T.dot(n, weight(D, D))), heads(T.dot(n, weight(D, D))), heads(T.dot(n, weight(D, D)))
    local s = T.batched_dot(q, k:dimshuffle(0, 2, 1)) * c(1 / math.sqrt(D // H)) + mask
    local a = T.batched_dot(T.nnet.softmax(s, { axis = -1 }), v)
    h = h + T.dot(a:reshape({ B, H, L, D // H }):dimshuffle(0, 2, 1, 3):reshape({ B * L, D }), weight(D, D))
    local u = dense(normal(h, 1, nil, D), D, F)
    h = h + dense(u * c(0.5) * (1 + T.erf(u * c(math.sqrt(0.5)))), F, D)
  end
  return { x, y }, { remainders(B * L, 7, 0, V, { B, L }), remainders(B * L, 11, 3, V, { B, L }) },
    cross_entropy(T.dot(normal(h, 1, nil, D), weight(D, V)), y:flatten()),
    6 * B * L * (2 * (4 * D * D + 2 * D * F + 2 * L * D) + D * V)
end

local function recurrent(gates, step, states)
  local B, L, V, E, H = 32, 32, 64, 128, 256
  local x, y = T.imatrix("x"), T.imatrix("y")
  local emb, Wx, U, b, O = weight(V, E), weight(E, gates * H), weight(H, gates * H), const(gates * H, 0), weight(H, V)
  local pre = (T.dot(emb[{ x }]:reshape({ L * B, E }), Wx) + b):reshape({ L, B, gates * H })
  local zero = T.zeros({ B, H }, dtype)
  local out = theano.scan({
    fn = function(p, ...)
      local state = { ... }
      local u = table.remove(state)
      local function part(g, i) return g[{ T.slice(), T.slice(i * H, (i + 1) * H) }] end
      return step(part, p, T.dot(state[1], u), table.unpack(state))
    end,
    sequences = pre, outputs_info = states == 2 and { zero, zero } or { zero }, non_sequences = U, strict = true,
  })
  local h = states == 2 and out[1] or out
  return { x, y }, { remainders(B * L, 7, 0, V, { L, B }), remainders(B * L, 11, 3, V, { L, B }) },
    cross_entropy(T.dot(h:reshape({ L * B, H }), O), y:flatten()),
    6 * B * L * (E * gates * H + H * gates * H + H * V)
end
function W.lstm()
  return recurrent(4, function(part, p, hu, _, cell)
    local g = p + hu
    local s = T.nnet.sigmoid
    local next_cell = s(part(g, 1)) * cell + s(part(g, 0)) * T.tanh(part(g, 2))
    return s(part(g, 3)) * T.tanh(next_cell), next_cell
  end, 2)
end
function W.gru()
  return recurrent(3, function(part, p, hu, h)
    local s = T.nnet.sigmoid
    local reset, keep = s(part(p, 0) + part(hu, 0)), s(part(p, 1) + part(hu, 1))
    return keep * h + (1 - keep) * T.tanh(part(p, 2) + reset * part(hu, 2))
  end, 1)
end

function W.resblock()
  local B, C, N = 16, 32, 32
  local x, y = T.tensor4("x"), T.ivector("y")
  local h = T.nnet.relu(batch_norm(conv(x, 3, C), C))
  for _ = 1, 2 do
    local inner = T.nnet.relu(batch_norm(conv(h, C, C), C))
    h = T.nnet.relu(h + batch_norm(conv(inner, C, C), C))
  end
  return { x, y }, { sines(B * 3 * N * N, 0.37, 0):astype(dtype):reshape({ B, 3, N, N }), remainders(B, 7, 0, 10) },
    cross_entropy(T.dot(h:mean({ axis = { 2, 3 } }), weight(C, 10)), y), 2 * 9 * B * N * N * (2 * 3 * C + 12 * C * C)
end

-- Skip-grams with five negative samples; only rows that were used change.
function W.embedding()
  local V, D, B, N = 100000, 64, 512, 5
  local centre, near, far = T.ivector("centre"), T.ivector("near"), T.ivector("far")
  local input, output = weight(V, D), weight(V, D)
  local rows = { input[{ centre }], output[{ near }], output[{ far }] }
  local good = (rows[1] * rows[2]):sum({ axis = 1 })
  local bad = (rows[1]:dimshuffle(0, "x", 1) * rows[3]:reshape({ B, N, D })):sum({ axis = 2 })
  local cost = T.nnet.softplus(-good):mean() + T.nnet.softplus(bad):mean()
  local g = T.grad(cost, rows)
  return { centre, near, far },
    { remainders(B, 7919, 0, V), remainders(B, 104729, 1, V), remainders(B * N, 1299709, 2, V) }, cost,
    4 * B * (N + 1) * D, 4 * 3 * B * (N + 2) * D,
    { { input, T.inc_subtensor(rows[1], g[1] * c(-RATE)) },
      { output, T.inc_subtensor(T.inc_subtensor(rows[2], g[2] * c(-RATE))[{ far }], g[3] * c(-RATE)) } }
end

function W.vae()
  local B, P, H, Z = 64, 784, 400, 20
  local x, e = T.matrix("x"), T.matrix("e")
  local h = T.tanh(dense(x, P, H))
  local mean, logs = dense(h, H, Z), dense(h, H, Z)
  local logits = dense(T.tanh(dense(mean + T.exp(logs * c(0.5)) * e, Z, H)), H, P)
  local cost = (T.nnet.softplus(logits) - x * logits):sum({ axis = 1 }):mean()
    - c(0.5) * (1 + logs - T.sqr(mean) - T.exp(logs)):sum({ axis = 1 }):mean()
  return { x, e }, { sines(B * P, 0.37, 0):abs():astype(dtype):reshape({ B, P }),
    sines(B * Z, 1.3, 0):astype(dtype):reshape({ B, Z }) }, cost * c(0.01), 2 * B * (5 * P * H + 9 * Z * H)
end

-- A critic's loss with a penalty on its gradient for points between real and made ones.
W["wgan-gp"] = function()
  local B, P, H = 64, 128, 256
  local x, made_ = T.matrix("x"), T.matrix("made")
  local layer = {}
  for i, size in ipairs({ { P, H }, { H, H }, { H, 1 } }) do
    layer[i] = { weight(size[1], size[2]), const(size[2], 0) }
  end
  local function critic(h)
    for i, l in ipairs(layer) do
      h = T.dot(h, l[1]) + l[2]
      if i < 3 then h = T.tanh(h) end
    end
    return h
  end
  local between = x * c(0.3) + made_ * c(0.7)
  local slope = T.grad(critic(between):sum(), between)
  local penalty = T.sqr(T.sqrt(T.sqr(slope):sum({ axis = 1 }) + c(1e-8)) - 1):mean()
  return { x, made_ }, { sines(B * P, 0.37, 0):astype(dtype):reshape({ B, P }),
    sines(B * P, 0.91, 2):astype(dtype):reshape({ B, P }) },
    critic(made_):mean() - critic(x):mean() + c(10) * penalty, 2 * B * (P * H * 10 + H * H * 12)
end

function W.unet()
  local B, N, C = 2, 64, 16
  local x, y = T.tensor4("x"), T.tensor4("y")
  local function twice(h, from, to) return T.nnet.relu(conv(T.nnet.relu(conv(h, from, to)), to, to)) end
  local function half(h) return T.signal.pool.pool_2d(h, { 2, 2 }, { ignore_border = true }) end
  local function double(h) return T.repeat_(T.repeat_(h, 2, { axis = 2 }), 2, { axis = 3 }) end
  local a = twice(x, 1, C)
  local b = twice(half(a), C, 2 * C)
  local low = twice(half(b), 2 * C, 4 * C)
  local up = twice(T.concatenate({ double(low), b }, { axis = 1 }), 6 * C, 2 * C)
  up = twice(T.concatenate({ double(up), a }, { axis = 1 }), 3 * C, C)
  local w = 6 * 9 * B * N * N * C * C
  return { x, y }, { sines(B * N * N, 0.37, 0):astype(dtype):reshape({ B, 1, N, N }),
    sines(B * N * N, 0.0037, 0):astype(dtype):reshape({ B, 1, N, N }) },
    T.sqr(conv(up, C, 1) - y):mean(),
    w * (1 + (2 + 4) / 4 + (8 + 16) / 16 + (12 + 4) / 4 + 3 + 1) + 5 * 9 * B * N * N * C
end

function W.mlp(B)
  B = math.tointeger(tonumber(B))
  local x = T.matrix("x")
  local h = T.nnet.relu(dense(x, 784, 512))
  for _ = 1, 2 do h = T.nnet.relu(dense(h, 512, 512)) end
  local weights = 784 * 512 + 2 * 512 * 512 + 512 * 10
  local p = T.nnet.softmax(dense(h, 512, 10))
  return { x }, { sines(784 * B, 0.37, 0):astype(dtype):reshape({ B, 784 }) }, T.sqr(p):sum(),
    2 * B * weights, 4 * weights, {}
end

-- Lorenz's equations, 1,000 steps of Runge and Kutta's fourth order, float64; down the gradient of the end's distance.
function W.rk4()
  dtype = "float64"
  local start, rates = share(nd.array({ 1, 1.5, 2 })), share(nd.array({ 10, 28, 8 / 3 }))
  local target = T.dvector("target")
  local function f(s, r)
    return T.stack({ r[0] * (s[1] - s[0]), s[0] * (r[1] - s[2]) - s[1], s[0] * s[1] - r[2] * s[2] })
  end
  local h = 1e-3
  local path = theano.scan({
    fn = function(s, r)
      local a = f(s, r)
      local b = f(s + a * (h / 2), r)
      local d = f(s + b * (h / 2), r)
      return s + (a + 2 * b + 2 * d + f(s + d * h, r)) * (h / 6)
    end,
    outputs_info = start, non_sequences = rates, n_steps = 1000, strict = true,
  })
  return { target }, { nd.array({ -3, 2, 20 }) }, T.sqr(path[-1] - target):sum() * 1e-3
end

-- A leap of 512 bodies down the gradient of their energy, float64.
function W.bodies()
  dtype = "float64"
  local n = 512
  local place, speed = share((sines(3 * n, 0.7, 1) * 10):reshape({ n, 3 })), share(nd.zeros({ n, 3 }))
  local mass = T.dvector("mass")
  local apart = place:dimshuffle(0, "x", 1) - place:dimshuffle("x", 0, 1)
  local near = 1 / T.sqrt(T.sqr(apart):sum({ axis = 2 }) + 1e-2)
  local energy = (near * mass * mass:dimshuffle(0, "x")):sum() * -0.5
  local later = speed - T.grad(energy, place) / mass:dimshuffle(0, "x") * 1e-3
  return { mass }, { sines(n, 0.3, 1):abs() + 0.1 }, energy, 32 * n * n, 8 * n * 7,
    { { speed, later }, { place, place + later * 1e-3 } }
end

--- A step, not run yet, and its arguments.
function G.make(name, ...)
  params, made, dtype = {}, 0, "float32"
  local _ <close> = theano.config.change_flags({ floatX = "float32" })
  local inputs, values, cost, _, _, updates = W[name](...)
  if not updates then
    updates = {}
    for i, g in ipairs(T.grad(cost, params)) do updates[i] = { params[i], params[i] - c(RATE) * g } end
  end
  return theano.compile({ inputs = inputs, outputs = cost, updates = updates }), values
end

function G.prepare(...)
  local f, values = G.make(...)
  local last
  for _ = 1, STEPS do last = f(table.unpack(values)) end
  return { f = f, args = values }, type(last) == "number" and last or last:astype("float64"):sum()
end

function G.work(name, ...)
  params, made, dtype = {}, 0, "float32"
  local _ <close> = theano.config.change_flags({ floatX = "float32" })
  local _, values, _, flops, bytes = W[name](...)
  if not flops then return nil end -- a chain of dependent steps
  local held = 0
  for _, p in ipairs(params) do held = held + p:get_value().size end
  for _, v in ipairs(values) do held = held + v.size end
  return { flops = flops, bytes = bytes or 3 * held * (dtype == "float32" and 4 or 8), dtype = dtype }
end

return G
