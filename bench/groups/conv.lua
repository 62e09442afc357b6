-- Convolution and pooling, float32: training steps of LeNet and of the 256x256 net, single operations and their
-- gradients. Results of single operations are lent; a check is their sum, elements weighted by place, to their norm.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local G = { title = "convolution and pooling, float32",
  peers = { "lua", "torch", "torch-compile", "jax", "theano", "floor" }, cases = {} }

-- images, filters, border
local SHAPES = {
  wide = { { 60, 1, 256, 256 }, { 6, 1, 7, 7 }, "valid" },
  ["3x3 64 to 64, 56x56"] = { { 8, 64, 56, 56 }, { 64, 64, 3, 3 }, "half" },
  ["1x1 256 to 64, 14x14"] = { { 8, 256, 14, 14 }, { 64, 256, 1, 1 }, "valid" },
  lenet1 = { { 60, 1, 28, 28 }, { 20, 1, 5, 5 }, "valid" },
  lenet2 = { { 60, 20, 12, 12 }, { 50, 20, 5, 5 }, "valid" },
  ["large filter 31x31"] = { { 4, 3, 128, 128 }, { 8, 3, 31, 31 }, "valid" },
}
local POOLS = { ["60x20x24x24"] = { 60, 20, 24, 24 }, ["60x6x250x250"] = { 60, 6, 250, 250 } }
-- side of the images, {filters, size} .. each with 2x2 pooling and tanh, hidden layers and classes
local NETS = {
  LeNet = { 28, { { 20, 5 }, { 50, 5 } }, { 500, 10 } },
  ["256x256 net"] = { 256, { { 6, 7 }, { 16, 7 } }, { 120, 84, 10 } },
}
for _, case in ipairs({ { "step", "LeNet", "60" }, { "step", "256x256 net", "1" }, { "step", "256x256 net", "60" } }) do
  G.cases[#G.cases + 1] = case
end
for _, name in ipairs({ "wide", "3x3 64 to 64, 56x56", "1x1 256 to 64, 14x14", "lenet1", "lenet2",
  "large filter 31x31" }) do
  for _, way in ipairs({ "forward", "for images", "for filters" }) do
    G.cases[#G.cases + 1] = { "conv", name, way }
  end
end
for _, mode in ipairs({ "max", "average_exc_pad" }) do
  for _, shape in ipairs({ "60x20x24x24", "60x6x250x250" }) do
    for _, way in ipairs({ "forward", "gradient" }) do G.cases[#G.cases + 1] = { "pool", mode, shape, way } end
  end
end

local function product(list, from, to)
  local n = 1
  for i = from or 1, to or #list do n = n * list[i] end
  return n
end

local function result_shape(images, filters, border)
  local pad = border == "half" and filters[3] // 2 or 0
  return { images[1], filters[1], images[3] + 2 * pad - filters[3] + 1, images[4] + 2 * pad - filters[4] + 1 }
end

-- Layers of a net: what each product multiplies and how many weights it has; fn(shape of weights, positions, first).
local function each_layer(name, fn)
  local side, convs, hidden = table.unpack(NETS[name])
  local channels = 1
  for i, c in ipairs(convs) do
    side = side - c[2] + 1
    fn({ c[1], channels, c[2], c[2] }, side * side, i == 1)
    channels, side = c[1], side // 2
  end
  local width = channels * side * side
  for _, n in ipairs(hidden) do
    fn({ width, n }, 1, false)
    width = n
  end
end

-- Floors: every multiply-add (no gradient for the first images), every element read and written once. A maximum's
-- gradient finds the maxima, then reads images, maxima and what comes back.
function G.work(kind, name, a, b)
  if kind == "step" then
    local flops, bytes = 0, 0
    each_layer(name, function(shape, places, first)
      flops = flops + 2 * tonumber(a) * places * product(shape) * (first and 2 or 3)
      bytes = bytes + 4 * 3 * product(shape)
    end)
    return { flops = flops, bytes = bytes, dtype = "float32" }
  elseif kind == "conv" then
    local images, filters, border = table.unpack(SHAPES[name])
    local out = result_shape(images, filters, border)
    return { flops = 2 * product(out) * product(filters, 2), dtype = "float32",
      bytes = 4 * (product(images) + product(filters) + product(out)) }
  end
  local n = product(POOLS[a])
  local read = b == "forward" and 1.25 or name == "max" and 3.75 or 1.25
  return { flops = 0, bytes = 4 * n * read, dtype = "float32" }
end

local function array(rng, shape, scale) return nd.asarray(rng:randn(table.unpack(shape)) * (scale or 1), "float32") end

-- A net's step: mean negative log-likelihood, descent by 0.01 of the gradients.
local function step(name, batch)
  local rng = nd.random.RandomState(1)
  local side, convs, hidden = table.unpack(NETS[name])
  local x, params = theano.shared(array(rng, { batch, 1, side, side })), {}
  local y = theano.shared(nd.asarray(rng:randint(0, 10, { batch }), "int32"))
  each_layer(name, function(shape)
    local fan = #shape == 2 and shape[1] or product(shape, 2)
    params[#params + 1] = theano.shared(array(rng, shape, 1 / math.sqrt(fan)))
    params[#params + 1] = theano.shared(nd.zeros({ #shape == 2 and shape[2] or shape[1] }, "float32"))
  end)
  local h = x
  for i = 1, #convs do
    h = T.signal.pool.pool_2d(T.nnet.conv2d(h, params[2 * i - 1]), { 2, 2 }, { ignore_border = true })
    h = T.tanh(h + params[2 * i]:dimshuffle("x", 0, "x", "x"))
  end
  h = h:flatten(2)
  for i = #convs + 1, #convs + #hidden do
    h = T.dot(h, params[2 * i - 1]) + params[2 * i]
    if i < #convs + #hidden then h = T.tanh(h) end
  end
  local cost, updates = -T.mean(T.log(T.nnet.softmax(h))[{ T.arange(batch), y }]), {}
  for i, g in ipairs(T.grad(cost, params)) do updates[i] = { params[i], params[i] - 0.01 * g } end
  return theano.compile({ inputs = {}, outputs = cost, updates = updates })
end

local function lent(y) return theano.compile({ inputs = {}, outputs = theano.Out(y, { borrow = true }) }) end

-- Sum of the elements times 1, 2, 3, 1, 2, .. to their norm; a number is itself.
local function check(value)
  local flat = value:astype("float64"):reshape({ -1 })
  if flat.shape[1] == 1 then return flat[0] end
  return (flat * (nd.arange(flat.shape[1]) % 3 + 1)):sum() / math.sqrt((flat * flat):sum())
end

local function conv(name, way)
  local images, filters, border = table.unpack(SHAPES[name])
  local rng = nd.random.RandomState(1)
  local x, w = theano.shared(array(rng, images)), theano.shared(array(rng, filters))
  local y = T.nnet.conv2d(x, w, { border_mode = border })
  if way == "forward" then return lent(y) end
  local g = theano.shared(array(rng, result_shape(images, filters, border)))
  return lent(T.grad(nil, way == "for images" and x or w, { known_grads = { [y] = g } }))
end

local function pool(mode, shape, way)
  local rng = nd.random.RandomState(1)
  local size = POOLS[shape]
  local x = theano.shared(array(rng, size))
  local y = T.signal.pool.pool_2d(x, { 2, 2 }, { ignore_border = true, mode = mode })
  if way == "forward" then return lent(y) end
  local g = theano.shared(array(rng, { size[1], size[2], size[3] // 2, size[4] // 2 }))
  return lent(T.grad(nil, x, { known_grads = { [y] = g } }))
end

local previous = theano.config.floatX
function G.prepare(kind, name, a, b)
  theano.config.floatX = "float32"
  local f
  if kind == "step" then f = step(name, math.tointeger(tonumber(a)))
  elseif kind == "conv" then f = conv(name, a)
  else f = pool(name, a, b) end
  theano.config.floatX = previous
  return { f = f }, check(nd.asarray(f()))
end

return G
