--- Convolutions as C: each way that they go, with the same bits, gradients too.
local exported = require("spec.support.exported")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local rng = nd.random.RandomState(9)
local function value(dtype, ...) return rng:randn(...):astype(dtype) end

-- Images, channels, filters, height, width, size of filters; options of conv2d.
local SHAPES = {
  rows = { 2, 3, 4, 9, 8, 3 },
  squares = { 3, 16, 16, 12, 12, 3, { border_mode = "half" } },
  parts = { 8, 16, 32, 32, 32, 3, { border_mode = "half" } },
  few_squares = { 32, 32, 64, 4, 4, 3 },
  steps = { 8, 8, 24, 14, 14, 3, { border_mode = "half", subsample = { 2, 2 } } },
  far = { 2, 4, 8, 20, 20, 5, { border_mode = "full", subsample = { 2, 2 } } },
  added = { 12, 1, 20, 28, 28, 5 },
  lines = { 13, 4, 10, 12, 11, 5 },
  plain = { 2, 16, 8, 7, 7, 1 },
  dilated = { 3, 8, 8, 13, 11, 3, { border_mode = "half", filter_dilation = { 2, 2 } } },
  groups = { 2, 16, 16, 10, 10, 3, { border_mode = "half", num_groups = 4 } },
  deep = { 1, 128, 64, 6, 6, 3, { border_mode = "half" } },
}

local function one(add, name, s, dtype)
  local kind = T.TensorType(dtype, { false, false, false, false })
  local x, w, options = kind("x"), kind("w"), s[7] or {}
  local y = T.nnet.conv2d(x, w, options)
  local gx, gw = table.unpack(T.grad(T.sqr(y):sum(), { x, w }))
  local f = theano.compile { inputs = { x, w }, outputs = { y, gx, gw } }
  local images = value(dtype, s[1], s[2], s[4], s[5])
  local filters = value(dtype, s[3], s[2] // (options.num_groups or 1), s[6], s[6])
  add(name .. "_" .. dtype, f, { images, filters })
  if name ~= "squares" or dtype ~= "float32" then return end
  images, filters = images:copy(), filters:copy() -- what is not finite is computed again
  images[{ 1, 2, 3, 4 }], filters[{ 5, 0, 1, 1 }] = 1 / 0, 0 / 0
  add("not_finite", f, { images, filters })
end

local function functions(add)
  local names = {}
  for name in pairs(SHAPES) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    for _, dtype in ipairs { "float32", "float64" } do one(add, name, SHAPES[name], dtype) end
  end
  local v, k = T.TensorType("float32", { false, false, false, false, false })("v"), theano.shared(
    value("float32", 4, 2, 2, 3, 3), "k")
  local z = T.nnet.relu(T.nnet.conv3d(v, k))
  add("volumes", theano.compile { inputs = { v }, outputs = z, updates = { { k, k - 0.5 * T.grad(z:sum(), k) } } },
    { value("float32", 2, 2, 5, 7, 8) })
  local x, w = T.ftensor4("x"), theano.shared(value("float32", 8, 8, 3, 3), "w")
  local pooled = T.signal.pool.pool_2d(T.nnet.relu(T.nnet.conv2d(x, w, { border_mode = "half" })), { 2, 2 },
    { ignore_border = true })
  add("pooled", theano.compile { inputs = { x }, outputs = pooled }, { value("float32", 3, 8, 20, 20) })
  local g = T.ftensor4("g")
  for name, ws in pairs({ pairs_ = { 2, 2 }, shared = { 3, 2 } }) do
    for _, ignore in ipairs { true, false } do
      local y = T.signal.pool.pool_2d(x, ws, { ignore_border = ignore, stride = { 2, 2 } })
      local gx = T.grad(nil, x, { known_grads = { [y] = g } })
      local f, images = theano.compile { inputs = { x, g }, outputs = gx }, value("float32", 2, 3, 9, 11)
      images[{ 0, 0, 2, 2 }], images[{ 0, 1, 3, 3 }] = 0 / 0, images[{ 0, 1, 2, 3 }]
      local shape = y:eval({ [x] = images }).shape
      add("maxima_" .. name .. tostring(ignore), f, { images, value("float32", table.unpack(shape)) })
    end
  end
end

-- Gradients for images whose products are added as lines: maps of whole vectors and others, padding, dilation.
local LINES = { even = { 7, 3, 9, 12, 12, 5 }, odd = { 4, 4, 6, 9, 11, 3, { border_mode = "half" } },
  tall = { 3, 2, 8, 15, 11, 7, { border_mode = "full" } },
  wide = { 3, 2, 5, 14, 12, 3, { filter_dilation = { 2, 3 } } },
  line = { 5, 4, 6, 1, 30, 1 } }
local function lines(add)
  for _, name in ipairs { "even", "odd", "tall", "wide", "line" } do
    for _, dtype in ipairs { "float32", "float64" } do one(add, name, LINES[name], dtype) end
  end
end

describe("an exported convolution", function()
  for _, by in ipairs(exported.compilers(10, 4, 4)) do
    it("has the bits of the function, by " .. by.name, function() by:has_bits(functions) end)
    it("folds lines of products with the bits of the function, by " .. by.name, function()
      theano.config["conv.algorithm"] = "fold"
      finally(function() theano.config["conv.algorithm"] = "auto" end)
      by:has_bits(lines)
    end)
  end
end)
