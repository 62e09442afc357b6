--- Convolution and pooling, float32, on one thread: milliseconds of single operations beside their floor of operations,
-- and a training step of LeNet and of the 256x256 net. `build/theano bench/conv.lua [NAME]`; peers: conv.jax.py,
-- conv.torch.py (`PYTHON=...`).
local theano = require("theano")
local nd = require("theano.ndarray")
local T = theano.tensor

theano.config.floatX = "float32"
local only = arg and arg[1]
local rng = nd.random.RandomState(1)

local function array(...) return nd.asarray(rng:randn(...), "float32") end

local function clock(fn, least)
  fn()
  local best, started, rounds = math.huge, os.clock(), 0
  while rounds < 5 or (os.clock() - started < least and rounds < 2000) do
    local t = os.clock()
    fn()
    best, rounds = math.min(best, os.clock() - t), rounds + 1
  end
  return best * 1e3
end

local function row(name, ms, flops)
  if flops then print(("%-44s %9.3f ms %8.1f GF/s"):format(name, ms, flops / ms * 1e-6))
  else print(("%-44s %9.3f ms"):format(name, ms)) end
end

local function wanted(name) return not only or name:find(only, 1, true) end

-- ---- single operations --------------------------------------------------------------------------------------------
local function conv(name, image, filter, border)
  if not wanted(name) then return end
  local x, w = theano.shared(array(table.unpack(image))), theano.shared(array(table.unpack(filter)))
  local y = T.nnet.conv2d(x, w, { border_mode = border or "valid" })
  local f = theano.compile({ inputs = {}, outputs = theano.Out(y, { borrow = true }) })
  local out = f().shape
  local g = theano.shared(array(table.unpack(out)))
  local gx, gw = table.unpack(T.grad(nil, { x, w }, { known_grads = { [y] = g } }))
  local fx = theano.compile({ inputs = {}, outputs = theano.Out(gx, { borrow = true }) })
  local fw = theano.compile({ inputs = {}, outputs = theano.Out(gw, { borrow = true }) })
  local flops = 2 * out[1] * out[2] * out[3] * out[4] * filter[2] * filter[3] * filter[4]
  row(name .. " forward", clock(f, 0.4), flops)
  row(name .. " for images", clock(fx, 0.4), flops)
  row(name .. " for filters", clock(fw, 0.4), flops)
end

conv("wide (60,1,256,256)x(6,1,7,7)", { 60, 1, 256, 256 }, { 6, 1, 7, 7 })
conv("lenet1 (60,1,28,28)x(20,1,5,5)", { 60, 1, 28, 28 }, { 20, 1, 5, 5 })
conv("lenet2 (60,20,12,12)x(50,20,5,5)", { 60, 20, 12, 12 }, { 50, 20, 5, 5 })
conv("3x3 (8,64,56,56)x(64,64,3,3)", { 8, 64, 56, 56 }, { 64, 64, 3, 3 }, "half")
conv("1x1 (8,256,14,14)x(64,256,1,1)", { 8, 256, 14, 14 }, { 64, 256, 1, 1 })

local function pooling(name, image)
  if not wanted(name) then return end
  local x = theano.shared(array(table.unpack(image)))
  for _, mode in ipairs({ "max", "average_exc_pad" }) do
    local y = T.signal.pool.pool_2d(x, { 2, 2 }, { ignore_border = true, mode = mode })
    local f = theano.compile({ inputs = {}, outputs = theano.Out(y, { borrow = true }) })
    local g = theano.shared(array(table.unpack(f().shape)))
    local gx = T.grad(nil, x, { known_grads = { [y] = g } })
    local fx = theano.compile({ inputs = {}, outputs = theano.Out(gx, { borrow = true }) })
    row(("%s %s"):format(name, mode), clock(f, 0.3))
    row(("%s %s gradient"):format(name, mode), clock(fx, 0.3))
  end
  local f = theano.compile({ inputs = {}, outputs = theano.Out(x * 2, { borrow = true }) })
  row(name .. ": twice the images, for scale", clock(f, 0.3))
end

pooling("pool 2x2 (60,20,24,24)", { 60, 20, 24, 24 })
pooling("pool 2x2 (60,6,250,250)", { 60, 6, 250, 250 })

-- ---- training steps -----------------------------------------------------------------------------------------------
local function weight(...)
  local shape = { ... }
  local fan = 1
  for d = 2, #shape do fan = fan * shape[d] end
  if #shape == 2 then fan = shape[1] end
  return theano.shared(nd.asarray(rng:randn(...) / math.sqrt(fan), "float32"))
end
local function bias(n) return theano.shared(nd.zeros({ n }, "float32")) end

-- layers: {filters, size} .. with 2x2 pooling and tanh, then {hidden} .. with tanh, then classes.
local function step(name, batch, side, convs, hidden)
  if not wanted(name) then return end
  local x = theano.shared(array(batch, 1, side, side))
  local y = theano.shared(nd.asarray(rng:randint(0, 10, { batch }), "int32"))
  local params, h, channels, n = {}, x, 1, side
  for _, c in ipairs(convs) do
    local w, b = weight(c[1], channels, c[2], c[2]), bias(c[1])
    h = T.signal.pool.pool_2d(T.nnet.conv2d(h, w), { 2, 2 }, { ignore_border = true })
    h = T.tanh(h + b:dimshuffle("x", 0, "x", "x"))
    params[#params + 1], params[#params + 2] = w, b
    channels, n = c[1], (n - c[2] + 1) // 2
  end
  h = h:flatten(2)
  local width = channels * n * n
  for i, k in ipairs(hidden) do
    local w, b = weight(width, k), bias(k)
    h = T.dot(h, w) + b
    if i < #hidden then h = T.tanh(h) end
    params[#params + 1], params[#params + 2] = w, b
    width = k
  end
  local cost = -T.mean(T.log(T.nnet.softmax(h))[{ T.arange(batch), y }])
  local updates = {}
  for i, g in ipairs(T.grad(cost, params)) do updates[i] = { params[i], params[i] - 0.01 * g } end
  local f = theano.compile({ inputs = {}, outputs = cost, updates = updates })
  row(("step %s, batch %d"):format(name, batch), clock(f, 1))
end

step("LeNet", 60, 28, { { 20, 5 }, { 50, 5 } }, { 500, 10 })
step("256x256 net", 1, 256, { { 6, 7 }, { 16, 7 } }, { 120, 84, 10 })
step("256x256 net", 60, 256, { { 6, 7 }, { 16, 7 } }, { 120, 84, 10 })
