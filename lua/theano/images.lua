--- Functions over images that are written with other functions: separable and causal convolution, convolution of
-- matrices, images from their patches, bilinear upsampling. Their gradients, vmap and compiled code follow from what
-- they are made of.
-- @module theano.images
local T = require("theano.tensor")
local config = require("theano.config")
local util = require("theano.util")

local nnet, signal = T.nnet, T.signal
local abstract = nnet.abstract_conv or {}
nnet.abstract_conv, nnet.conv = abstract, nnet.conv or {}

local function rank(what, name, x, n)
  if x.ndim ~= n then util.raise("TypeError", "%s: %s must have %d dimensions, it has %d", what, name, n, x.ndim) end
end

-- ---- convolutions made of convolutions ----------------------------------------------------------------------------
local SEPARABLE = { "input", "depthwise_filters", "pointwise_filters", "num_channels", "input_shape",
  "depthwise_filter_shape", "pointwise_filter_shape", "border_mode", "subsample", "filter_flip", "filter_dilation" }

local function separable(what, conv, dims, ...)
  local a = util.bind(what, SEPARABLE, ...)
  util.need(what, a, { "input", "depthwise_filters", "pointwise_filters" }, T.as_tensor_variable)
  if math.type(a.num_channels) ~= "integer" then
    util.raise("TypeError", "%s: num_channels must be an integer", what)
  end
  for _, name in ipairs({ "input", "depthwise_filters", "pointwise_filters" }) do
    rank(what, name, a[name], dims + 2)
  end
  local depthwise = conv(a.input, a.depthwise_filters, { input_shape = a.input_shape,
    filter_shape = a.depthwise_filter_shape, border_mode = a.border_mode, subsample = a.subsample,
    filter_flip = a.filter_flip, filter_dilation = a.filter_dilation, num_groups = a.num_channels })
  return conv(depthwise, a.pointwise_filters, { border_mode = "valid", filter_shape = a.pointwise_filter_shape,
    filter_flip = a.filter_flip })
end

--- Each channel convolved with filters of its own, then all channels mixed by 1x1 filters.
-- @param input (batch, channels, rows, columns)
-- @param depthwise_filters (channels * multiplier, 1, rows, columns)
-- @param pointwise_filters (filters, channels * multiplier, 1, 1)
-- @param num_channels channels of the input
function abstract.separable_conv2d(...) return separable("separable_conv2d", nnet.conv2d, 2, ...) end

--- The same over three dimensions.
function abstract.separable_conv3d(...) return separable("separable_conv3d", nnet.conv3d, 3, ...) end

local CAUSAL = { "input", "filters", "filter_shape", "input_shape", "subsample", "filter_flip", "filter_dilation",
  "num_groups", "unshared", filter_shape = "table", input_shape = "table", subsample = "integer",
  filter_flip = "boolean", filter_dilation = "integer", num_groups = "integer", unshared = "boolean" }

local function with_one(shape)
  if type(shape) ~= "table" then return nil end
  return { shape[1] or false, shape[2] or false, shape[3] or false, 1 }
end

--- Convolution along time that never looks ahead: output t is made of inputs up to t.
-- @param input (batch, channels, time)
-- @param filters (filters, channels, length)
-- @param filter_shape the same three lengths as numbers (the last is needed; by default the filters' own)
function abstract.causal_conv1d(...)
  local a = util.bind("causal_conv1d", CAUSAL, ...)
  util.need("causal_conv1d", a, { "input", "filters" }, T.as_tensor_variable)
  rank("causal_conv1d", "input", a.input, 3)
  rank("causal_conv1d", "filters", a.filters, 3)
  local length = type(a.filter_shape) == "table" and a.filter_shape[3]
  if math.type(length) ~= "integer" then
    util.raise("ValueError", "causal_conv1d: filter_shape[3], the filters' length, must be given as an integer")
  end
  local dilation = a.filter_dilation or 1
  local y = nnet.conv2d(a.input:dimshuffle(0, 1, 2, "x"), a.filters:dimshuffle(0, 1, 2, "x"), {
    input_shape = with_one(a.input_shape), filter_shape = with_one(a.filter_shape),
    border_mode = { { (length - 1) * dilation, 0 }, { 0, 0 } }, subsample = { a.subsample or 1, 1 },
    filter_flip = a.filter_flip, filter_dilation = { dilation, 1 }, num_groups = a.num_groups, unshared = a.unshared })
  return y[{ T.slice(), T.slice(), T.slice(), 0 }]
end

signal.conv = signal.conv or {}
local SIGNAL = { "input", "filters", "image_shape", "filter_shape", "border_mode", "subsample", image_shape = "table",
  filter_shape = "table", border_mode = "string" }

--- Convolution of a matrix, or of each matrix of a stack, with a filter or a stack of them.
-- @param input (rows, columns), or (images, rows, columns)
-- @param filters (rows, columns), or (filters, rows, columns)
-- @return (rows, columns); with one stack (stack, rows, columns); with two (images, filters, rows, columns)
function signal.conv.conv2d(...)
  local a = util.bind("signal.conv.conv2d", SIGNAL, ...)
  util.need("signal.conv.conv2d", a, { "input", "filters" }, T.as_tensor_variable)
  local function four(name, shape, first)
    local x = a[name]
    if x.ndim ~= 2 and x.ndim ~= 3 then
      util.raise("TypeError", "signal.conv.conv2d: %s must have 2 or 3 dimensions, it has %d", name, x.ndim)
    end
    if shape then shape = x.ndim == 2 and { 1, 1, shape[1], shape[2] } or { shape[1], 1, shape[2], shape[3] } end
    if x.ndim == 2 then return x:dimshuffle("x", "x", 0, 1), shape end
    return x:dimshuffle(first, "x", 1, 2), shape
  end
  local image, image_shape = four("input", a.image_shape, 0)
  local filter, filter_shape = four("filters", a.filter_shape, 0)
  if a.border_mode and a.border_mode ~= "valid" and a.border_mode ~= "full" then
    util.raise("ValueError", "signal.conv.conv2d: border_mode must be \"valid\" or \"full\", not %s",
      util.text(a.border_mode))
  end
  local y = nnet.conv2d(image, filter, { input_shape = image_shape, filter_shape = filter_shape,
    border_mode = a.border_mode, subsample = a.subsample })
  if a.input.ndim == 3 and a.filters.ndim == 3 then return y end
  return T.flatten(y.T, a.input.ndim == 2 and a.filters.ndim == 2 and 2 or 3).T
end

-- ---- videos -------------------------------------------------------------------------------------------------------
nnet.conv3d2d = nnet.conv3d2d or {}
local VIDEO = { "signals", "filters", "signals_shape", "filters_shape", "border_mode", signals_shape = "table",
  filters_shape = "table", border_mode = "string|table" }

-- "full", or one for time, rows and columns, as {time, rows, columns}.
local function border_modes(what, mode)
  local modes = type(mode) == "table" and util.list(what .. ": border_mode", mode) or { mode, mode, mode }
  if #modes ~= 3 then
    util.raise("ValueError", "%s: border_mode has %d entries, for time, rows and columns", what, #modes)
  end
  for _, m in ipairs(modes) do
    if m ~= "valid" and m ~= "full" and m ~= "half" then
      util.raise("ValueError", "%s: border_mode is \"valid\", \"full\" or \"half\", not %s", what, tostring(m))
    end
  end
  return modes
end

--- Convolution over time, rows and columns, with time before the channels: Theano's older order of axes.
-- @param signals (batch, time, channels, rows, columns)
-- @param filters (filters, time, channels, rows, columns)
-- @param signals_shape five lengths as numbers, or nil
-- @param filters_shape five lengths as numbers, or nil
-- @param border_mode "valid" (the default), "full" or "half", or one for each of time, rows and columns
-- @return (batch, time, filters, rows, columns)
function nnet.conv3d2d.conv3d(...)
  local what = "conv3d2d.conv3d"
  local a = util.bind(what, VIDEO, ...)
  util.need(what, a, { "signals", "filters" }, T.as_tensor_variable)
  rank(what, "signals", a.signals, 5)
  rank(what, "filters", a.filters, 5)
  local modes = border_modes(what, a.border_mode or "valid")
  local function moved(shape)
    if not shape then return nil end
    if #shape ~= 5 then util.raise("ValueError", "%s: a shape has five lengths, not %d", what, #shape) end
    return { shape[1], shape[3], shape[2], shape[4], shape[5] }
  end
  local x, w = a.signals:dimshuffle(0, 2, 1, 3, 4), a.filters:dimshuffle(0, 2, 1, 3, 4)
  local options = { border_mode = modes[1] }
  options.input_shape, options.filter_shape = moved(a.signals_shape), moved(a.filters_shape)
  if modes[1] ~= modes[2] or modes[1] ~= modes[3] then -- borders of zeros
    local widths = { { 0, 0 }, { 0, 0 } }
    for d, m in ipairs(modes) do
      local n = w.shape[d + 1]
      local border = m == "full" and n - 1 or m == "half" and n // 2 or 0
      widths[d + 2] = { border, border }
    end
    x, options.border_mode, options.input_shape = T.pad(x, widths), "valid", nil
  end
  return nnet.conv3d(x, w, options):dimshuffle(0, 2, 1, 3, 4)
end

-- ---- patches ------------------------------------------------------------------------------------------------------
local NEIBS = { "neibs", "neib_shape", "original_shape", "mode" }

--- Images from the rows that images2neibs gave, where patches do not overlap.
-- @param neibs (patches, elements)
-- @param neib_shape two lengths of a patch
-- @param original_shape four lengths of the images
-- @param mode "valid", or "ignore_borders": borders that no patch covered are zero
function nnet.neighbours.neibs2images(...)
  local a = util.bind("neibs2images", NEIBS, ...)
  util.need("neibs2images", a, { "neibs", "neib_shape", "original_shape" }, T.as_tensor_variable)
  rank("neibs2images", "neibs", a.neibs, 2)
  local mode, patch, shape = a.mode or "valid", a.neib_shape, a.original_shape
  if mode ~= "valid" and mode ~= "ignore_borders" then
    util.raise("NotImplementedError", "neibs2images: mode \"%s\": only \"valid\" and \"ignore_borders\" can be undone",
      tostring(mode))
  end
  local across = T.stack({ shape[3] // patch[1], patch[1] })
  local flat = nnet.neighbours.images2neibs(a.neibs:dimshuffle("x", "x", 0, 1), across, { mode = mode })
  if mode == "valid" then return flat:reshape(shape, { ndim = 4 }) end
  local rows, cols = shape[2] // patch[0] * patch[0], shape[3] // patch[1] * patch[1]
  local images = flat:reshape(T.stack({ shape[0], shape[1], rows, cols }), { ndim = 4 })
  for d = 2, 3 do
    local pad = {}
    for i = 0, 3 do pad[i + 1] = i == d and shape[d] - images.shape[d] or images.shape[i] end
    images = T.concatenate({ images, T.zeros(pad, { dtype = images.dtype }) }, { axis = d })
  end
  return images
end

-- ---- upsampling ---------------------------------------------------------------------------------------------------
local function is_int(v) return math.type(v) == "integer" and v > 0 end

--- The triangle 1, 2 .. ratio .. 2, 1, divided by ratio: weights of linear interpolation.
function abstract.bilinear_kernel_1D(...)
  local a = util.bind("bilinear_kernel_1D", { "ratio", "normalize", normalize = "boolean" }, ...)
  if not is_int(a.ratio) then util.raise("ValueError", "bilinear_kernel_1D: ratio must be a positive integer") end
  local rise = T.arange(1, a.ratio + 1, { dtype = config.floatX })
  local kernel = a.ratio == 1 and rise or T.concatenate({ rise, rise[T.slice(-2, nil, -1)] })
  if a.normalize == false then return kernel end
  return kernel / T.cast(a.ratio, config.floatX)
end

--- The product of two such triangles, down and across; ratio may be a pair.
function abstract.bilinear_kernel_2D(...)
  local a = util.bind("bilinear_kernel_2D", { "ratio", "normalize", normalize = "boolean" }, ...)
  local down, across = a.ratio, a.ratio
  if type(a.ratio) == "table" then down, across = a.ratio[1], a.ratio[2] end
  return abstract.bilinear_kernel_1D(across, a.normalize):dimshuffle("x", 0)
    * abstract.bilinear_kernel_1D(down, a.normalize):dimshuffle(0, "x")
end

-- The images one by one, first and last rows and columns twice.
local function bordered(input)
  rank("bilinear_upsampling", "input", input, 4)
  local row, col = input.shape[2], input.shape[3]
  local x = input:reshape({ -1, 1, row, col })
  local all = T.slice()
  x = T.concatenate({ x[{ all, all, T.slice(nil, 1), all }], x, x[{ all, all, T.slice(-1, nil), all }] }, { axis = 2 })
  return T.concatenate({ x[{ all, all, all, T.slice(nil, 1) }], x, x[{ all, all, all, T.slice(-1, nil) }] },
    { axis = 3 }), row, col
end

-- {p, q}, or a pair of such for rows and columns: numerators and denominators by axis.
local function fractions(frac)
  local function bad()
    util.raise("ValueError", "frac_ratio must be a pair {numerator, denominator} of positive integers, or two of them")
  end
  if type(frac) ~= "table" or #frac ~= 2 then bad() end
  local down, across = frac, frac
  if type(frac[1]) == "table" then down, across = frac[1], frac[2] end
  for _, f in ipairs({ down, across }) do
    if type(f) ~= "table" or #f ~= 2 or not (is_int(f[1]) and is_int(f[2])) then bad() end
  end
  return { down[1], across[1] }, { down[2], across[2] }
end

--- Images made larger (or smaller) by a fraction, by linear interpolation in both directions.
-- @param input (batch, channels, rows, columns)
-- @param frac_ratio {numerator, denominator}, or one such pair for rows and one for columns
function abstract.frac_bilinear_upsampling(...)
  local a = util.bind("frac_bilinear_upsampling", { "input", "frac_ratio" }, ...)
  util.need("frac_bilinear_upsampling", a, { "input" }, T.as_tensor_variable)
  local ratio, subsample = fractions(a.frac_ratio)
  local images, row, col = bordered(a.input)
  local kernel = T.cast(abstract.bilinear_kernel_2D(ratio), config.floatX):dimshuffle("x", "x", 0, 1)
  -- the images are the filters, spread by their dilation, over a triangle with room around it
  for d, n in ipairs({ row, col }) do
    local double = (2 * n - 1) * ratio[d] + 1
    local before = double // 2
    local function zeros(length)
      local shape = {}
      for i = 0, 3 do shape[i + 1] = i == d + 1 and length or kernel.shape[i] end
      return T.zeros(shape, { dtype = config.floatX })
    end
    kernel = T.concatenate({ zeros(before), kernel, zeros(double - before) }, { axis = d + 1 })
  end
  local y = nnet.conv2d(kernel, images, { filter_dilation = ratio, subsample = subsample })
  return y:reshape({ a.input.shape[0], a.input.shape[1], y.shape[2], y.shape[3] })
end

local UPSAMPLING = { "input", "ratio", "frac_ratio", "batch_size", "num_input_channels", "use_1D_kernel",
  batch_size = "integer|Variable", num_input_channels = "integer|Variable", use_1D_kernel = "boolean" }

--- Images made `ratio` times as large by linear interpolation in both directions.
-- @param input (batch, channels, rows, columns)
-- @param ratio a positive integer; or frac_ratio, with use_1D_kernel = false
-- @param use_1D_kernel rows first, then columns (the default); false: both at once
function abstract.bilinear_upsampling(...)
  local a = util.bind("bilinear_upsampling", UPSAMPLING, ...)
  util.need("bilinear_upsampling", a, { "input" }, T.as_tensor_variable)
  if a.ratio and a.frac_ratio then
    util.raise("ValueError", "bilinear_upsampling: ratio and frac_ratio exclude each other")
  end
  local apart = a.use_1D_kernel ~= false
  if a.frac_ratio then
    if apart then
      util.raise("ValueError", "bilinear_upsampling: frac_ratio needs use_1D_kernel = false")
    end
    return abstract.frac_bilinear_upsampling(a.input, a.frac_ratio)
  end
  local ratio = a.ratio
  if not is_int(ratio) then util.raise("ValueError", "bilinear_upsampling: ratio must be a positive integer") end
  local count = is_int(a.batch_size) and is_int(a.num_input_channels) and a.batch_size * a.num_input_channels or false
  local images, row, col = bordered(a.input)
  local pad = 2 * ratio - (ratio - 1) // 2 - 1
  local function larger(x, kernel, rows, cols, border, step)
    return abstract.conv2d_grad_wrt_inputs(x, kernel, { count, 1, rows, cols }, { border_mode = border,
      subsample = step })
  end
  local y
  if apart then
    local kernel = abstract.bilinear_kernel_1D(ratio)
    y = larger(images, kernel:dimshuffle("x", "x", 0, "x"), row * ratio, col + 2, { pad, 0 }, { ratio, 1 })
    y = larger(y, kernel:dimshuffle("x", "x", "x", 0), row * ratio, col * ratio, { 0, pad }, { 1, ratio })
  else
    local kernel = abstract.bilinear_kernel_2D(ratio):dimshuffle("x", "x", 0, 1)
    y = larger(images, kernel, row * ratio, col * ratio, { pad, pad }, { ratio, ratio })
  end
  return y:reshape({ a.input.shape[0], a.input.shape[1], row * ratio, col * ratio })
end

-- ---- the same functions in all the places Theano has them ---------------------------------------------------------
for _, name in ipairs({ "conv2d", "conv3d", "conv2d_transpose" }) do abstract[name] = nnet[name] end
for _, name in ipairs({ "conv2d_grad_wrt_inputs", "conv2d_grad_wrt_weights", "separable_conv2d", "separable_conv3d",
  "causal_conv1d", "bilinear_upsampling", "frac_bilinear_upsampling" }) do
  nnet[name] = nnet[name] or abstract[name]
end
nnet.conv.conv2d = nnet.conv2d
for name, f in pairs(require("theano.convlengths")) do abstract[name] = f end
for _, name in ipairs({ "get_conv_output_shape", "get_conv_shape_1axis" }) do nnet.conv[name] = abstract[name] end
nnet.images2neibs, nnet.neibs2images = nnet.neighbours.images2neibs, nnet.neighbours.neibs2images
signal.downsample = signal.downsample or {}

--- pool_2d with the maximum, under its old name and with its old keywords.
function signal.downsample.max_pool_2d(...)
  local a = util.bind("max_pool_2d", { "input", "ds", "ignore_border", "st", "padding", "mode" }, ...)
  util.need("max_pool_2d", a, { "input" }, T.as_tensor_variable)
  return signal.pool.pool_2d(a.input, { ws = a.ds, ignore_border = a.ignore_border, stride = a.st, pad = a.padding,
    mode = a.mode })
end
local OUT_SHAPE = { "imgshape", "ws", "ignore_border", "stride", "pad", "ndim", imgshape = "table",
  ignore_border = "boolean", ndim = "integer" }

-- Numbers of one axis: lengths that are not known are Variables.
local function pooled(n, ws, stride, ignore_border)
  local function least(v) return util.is_var(v) and T.maximum(v, 0) or math.max(v, 0) end
  if ignore_border then return least((n - ws) // stride + 1) end
  if type(ws) == "number" and type(stride) == "number" and stride >= ws then return (n - 1) // stride + 1 end
  return least((n - 1 - ws + stride) // stride) + 1
end

--- `out_shape(imgshape, ws, ignore_border, stride, pad, ndim)`: the shape that pooling gives images of this shape,
-- whose lengths are integers or integer Variables; of their last ndim (2) axes, windows of ws every stride (ws), after
-- so much padding on both sides.
local Pool = {}
function Pool.out_shape(...)
  local a = util.bind("Pool.out_shape", OUT_SHAPE, ...)
  local n = a.ndim or 2
  local shape = util.list("Pool.out_shape: imgshape", a.imgshape)
  local function each(name, v, otherwise)
    local list = v == nil and otherwise or type(v) == "table" and util.list("Pool.out_shape: " .. name, v) or nil
    if not list or #list ~= n then
      util.raise("ValueError", "Pool.out_shape: %s must be a list of %d", name, n)
    end
    return list
  end
  if n < 1 or #shape < n then
    util.raise("TypeError", "Pool.out_shape: imgshape must have at least %d dimensions", math.max(n, 1))
  end
  local none = {}
  for i = 1, n do none[i] = 0 end
  local ws = each("ws", a.ws)
  local stride, pad = each("stride", a.stride, ws), each("pad", a.pad, none)
  local out = table.move(shape, 1, #shape - n, 1, {})
  for i = 1, n do
    out[#out + 1] = pooled(shape[#shape - n + i] + pad[i] * 2, ws[i], stride[i], a.ignore_border)
  end
  return out
end
signal.pool.Pool = Pool

signal.downsample.max_pool_2d_same_size = signal.pool.max_pool_2d_same_size
signal.pool.max_pool_2d = signal.downsample.max_pool_2d

package.loaded["theano.tensor.nnet.abstract_conv"], package.loaded["theano.tensor.nnet.conv"] = abstract, nnet.conv
package.loaded["theano.tensor.nnet.neighbours"] = nnet.neighbours
package.loaded["theano.tensor.nnet.conv3d2d"] = nnet.conv3d2d
package.loaded["theano.tensor.signal.conv"], package.loaded["theano.tensor.signal.pool"] = signal.conv, signal.pool
package.loaded["theano.tensor.signal.downsample"] = signal.downsample
package.loaded["theano.tensor.signal"] = signal
return abstract
