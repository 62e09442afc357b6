--- Lengths of convolutions: of the result from image and filters, of filters and image from the others. Lengths are
-- numbers or integer scalars; one that is not known is false (nil, for functions of one axis).
-- @module theano.convlengths
local T = require("theano.tensor")
local util = require("theano.util")

local M = {}

local BORDERS = util.set({ "valid", "half", "full" })

-- An integer or a symbolic one; what is not known is nil or false.
local function length(what, name, v)
  if v and math.type(v) ~= "integer" and not util.is_var(v) then
    util.raise("TypeError", "%s: %s is an integer, an integer scalar or false (not known), not %s", what, name,
      util.text(v))
  end
end

-- A border of one axis as its two sides, for filters of k elements with their gaps.
local function sides(what, border, k)
  if border == "valid" then return 0, 0 end
  if border == "half" then return k // 2, k // 2 end
  if border == "full" then return k - 1, k - 1 end
  local pair = type(border) == "table" and border or { border, border }
  for i = 1, 2 do
    length(what, "border_mode", pair[i] or "missing")
    if type(pair[i]) == "number" and pair[i] < 0 then util.raise("ValueError", "%s: border_mode must be >= 0", what) end
  end
  return pair[1], pair[2]
end

local function spread(k, dilation) return (k - 1) * dilation + 1 end

-- Whether everything about one axis is known; what is, must be what it should be.
local function known(what, border, lengths)
  if border and not BORDERS[border] then sides(what, border, 1) end
  local all = border
  for name, v in pairs(lengths) do
    length(what, name, v)
    all = all and v
  end
  return all
end

-- What functions of all axes take: lists of lengths and steps, and a border.
local function lists(what, border, given)
  for name, v in pairs(given) do util.check_type(what, name, v, "table") end
  local fine = BORDERS[border] or util.is_var(border) or type(border) == "table"
  if fine or math.type(border) == "integer" then return end
  util.raise(type(border) == "string" and "ValueError" or "TypeError",
    '%s: border_mode is "valid", "half", "full", an integer or a list, not %s', what, util.text(border))
end

--- Length of the result along one axis.
function M.get_conv_shape_1axis(image_shape, kernel_shape, border_mode, subsample, dilation)
  if dilation == nil then dilation = 1 end
  if not known("get_conv_shape_1axis", border_mode, { image_shape = image_shape or false,
    kernel_shape = kernel_shape or false, subsample = subsample or false, dilation = dilation }) then
    return nil
  end
  local k = spread(kernel_shape, dilation)
  local left, right = sides("get_conv_shape_1axis", border_mode, k)
  local n = image_shape - k
  if left ~= 0 then n = n + left end
  if right ~= 0 then n = n + right end
  if subsample ~= 1 then n = n // subsample end
  return n + 1
end

--- Length of filters along one axis, from those of image and result: known where subsample is 1 and the border is not
-- "half".
function M.get_conv_gradweights_shape_1axis(image_shape, top_shape, border_mode, subsample, dilation)
  if dilation == nil then dilation = 1 end
  if not known("get_conv_gradweights_shape_1axis", border_mode, { image_shape = image_shape or false,
    top_shape = top_shape or false, subsample = subsample or false, dilation = dilation }) then
    return nil
  end
  if subsample ~= 1 or border_mode == "half" then return nil end
  local k
  if border_mode == "full" then
    k = top_shape - image_shape
  else
    local left, right = sides("get_conv_gradweights_shape_1axis", border_mode, 1)
    k = image_shape + left + right - top_shape
  end
  if dilation ~= 1 then k = k // dilation end
  return k + 1
end

--- Length of the image along one axis, from those of filters and result: known where subsample is 1.
function M.get_conv_gradinputs_shape_1axis(kernel_shape, top_shape, border_mode, subsample, dilation)
  if dilation == nil then dilation = 1 end
  if not known("get_conv_gradinputs_shape_1axis", border_mode, { kernel_shape = kernel_shape or false,
    top_shape = top_shape or false, subsample = subsample or false, dilation = dilation }) or subsample ~= 1 then
    return nil
  end
  local k = spread(kernel_shape, dilation)
  local left, right = sides("get_conv_gradinputs_shape_1axis", border_mode, k)
  local n = top_shape + k - 1
  if left ~= 0 then n = n - left end
  if right ~= 0 then n = n - right end
  return n
end

-- The same function for each axis: `at` tells the two lengths along axis i.
local function each_axis(one, into, at, border, subsample, dilation)
  for i = 1, #subsample do
    local a, b = at(i)
    local mode = type(border) == "table" and border[i] or border
    into[#into + 1] = one(a, b, mode, subsample[i], dilation and dilation[i] or 1) or false
  end
  return into
end

--- Lengths of the result of a convolution.
-- @param image_shape batch, channels, and the lengths of the image
-- @param kernel_shape filters, channels, and the lengths of a filter (last)
-- @param border_mode "valid", "half", "full", a number, or a list of numbers or of pairs, one for each axis
-- @param subsample steps, one for each axis
-- @param filter_dilation (1 for each axis)
function M.get_conv_output_shape(image_shape, kernel_shape, border_mode, subsample, filter_dilation)
  lists("get_conv_output_shape", border_mode, {
    image_shape = image_shape, kernel_shape = kernel_shape, subsample = subsample, filter_dilation = filter_dilation,
  })
  local skipped = #kernel_shape - #subsample
  return each_axis(M.get_conv_shape_1axis, { image_shape[1], kernel_shape[1] },
    function(i) return image_shape[2 + i], kernel_shape[skipped + i] end, border_mode, subsample, filter_dilation)
end

--- Lengths of the filters of a convolution, from those of its image and its result.
-- @param num_groups (1)
-- @param unshared filters of their own for each place of the result (false)
function M.get_conv_gradweights_shape(image_shape, top_shape, border_mode, subsample, filter_dilation, num_groups,
                                      unshared)
  lists("get_conv_gradweights_shape", border_mode, {
    image_shape = image_shape, top_shape = top_shape, subsample = subsample, filter_dilation = filter_dilation,
  })
  util.check_type("get_conv_gradweights_shape", "num_groups", num_groups, "integer")
  util.check_type("get_conv_gradweights_shape", "unshared", unshared, "boolean")
  local filters = top_shape[2]
  if filters and (num_groups or 1) > 1 then filters = filters // num_groups end
  local out = { filters }
  if unshared then table.move(top_shape, 3, #top_shape, 2, out) end
  out[#out + 1] = image_shape[2]
  return each_axis(M.get_conv_gradweights_shape_1axis, out,
    function(i) return image_shape[2 + i], top_shape[2 + i] end, border_mode, subsample, filter_dilation)
end

--- Lengths of the image of a convolution, from those of its filters and its result.
function M.get_conv_gradinputs_shape(kernel_shape, top_shape, border_mode, subsample, filter_dilation, num_groups)
  lists("get_conv_gradinputs_shape", border_mode, {
    kernel_shape = kernel_shape, top_shape = top_shape, subsample = subsample, filter_dilation = filter_dilation,
  })
  util.check_type("get_conv_gradinputs_shape", "num_groups", num_groups, "integer")
  local channels, skipped = kernel_shape[2], #kernel_shape - #subsample
  if channels and (num_groups or 1) > 1 then channels = channels * num_groups end
  return each_axis(M.get_conv_gradinputs_shape_1axis, { top_shape[1], channels },
    function(i) return kernel_shape[skipped + i], top_shape[2 + i] end, border_mode, subsample, filter_dilation)
end

--- Whether these lengths of image, filters and result may belong to one convolution: what is not known may be anything.
function M.check_conv_gradinputs_shape(image_shape, kernel_shape, output_shape, border_mode, subsample,
                                       filter_dilation)
  lists("check_conv_gradinputs_shape", border_mode, {
    image_shape = image_shape, kernel_shape = kernel_shape, output_shape = output_shape, subsample = subsample,
    filter_dilation = filter_dilation,
  })
  local n = #image_shape
  if n ~= #kernel_shape or n ~= #output_shape or n - 2 ~= #subsample then return false end
  if filter_dilation and #filter_dilation ~= n - 2 then return false end
  local computed = M.get_conv_output_shape(image_shape, kernel_shape, border_mode, subsample, filter_dilation)
  for i = 1, n do
    local given, want = T.extract_constant(output_shape[i] or -1), T.extract_constant(computed[i] or -1)
    local numbers = output_shape[i] and computed[i] and type(given) == "number" and type(want) == "number"
    if numbers and given ~= want then return false end
  end
  return true
end

--- The lengths of a convolution's result, which must not be negative (those of images: not 0); symbolic ones are
-- checked when run.
function M.assert_conv_shape(shape)
  local out = {}
  for i, n in ipairs(util.list("assert_conv_shape: the shape", shape)) do
    local value, most, sign = T.extract_constant(n), i < 3 and 0 or 1, i < 3 and "<" or "<="
    local text = ("The convolution would produce an invalid shape (dim[%d] %s 0)."):format(i - 1, sign)
    if type(value) ~= "number" then
      n = T.opt.Assert(text)(n, T.ge(n, most))
    elseif value < most then
      util.raise("ValueError", "The convolution would produce an invalid shape (dim[%d]: %d %s 0).", i - 1, value, sign)
    end
    out[i] = n
  end
  return out
end

--- x, checked to have these lengths when run, as far as they are given.
-- @param msg of the error ("Unexpected shape.")
function M.assert_shape(x, expected_shape, msg)
  util.check_type("assert_shape", "expected_shape", expected_shape, "table")
  util.check_type("assert_shape", "msg", msg, "string")
  local tests = {}
  for d = 0, expected_shape and x.ndim - 1 or -1 do
    local want = expected_shape[d + 1]
    if want then tests[#tests + 1] = T.eq(x.shape[d], want) end
  end
  return #tests == 0 and x or T.opt.Assert(msg or "Unexpected shape.")(x, table.unpack(tests))
end

-- One axis of a list of borders, as a pair.
local function pair(m)
  local two = type(m) == "table" and #m == 2 and m or { m, m }
  for _, side in ipairs(two) do
    if math.type(side) ~= "integer" or side < 0 then
      util.raise("ValueError", "invalid border mode: a list holds integers from 0 on, or pairs of them, not %s",
        util.text(side))
    end
  end
  return { two[1], two[2] }
end

--- A border as a pair of numbers for each of `convdim` axes.
-- @param mode "valid", "half", "full", or a list of numbers or pairs
-- @param convdim number of axes
-- @param kshp lengths of a filter
function M.border_mode_to_pad(mode, convdim, kshp)
  util.check_type("border_mode_to_pad", "kshp", kshp, "table")
  local pad = {}
  if type(mode) == "table" then
    if #mode ~= convdim then
      util.raise("ValueError", "invalid border_mode: a list must have %d entries, it has %d", convdim, #mode)
    end
    for i, m in ipairs(mode) do pad[i] = pair(m) end
    return pad
  end
  if mode ~= "valid" and mode ~= "half" and mode ~= "full" then
    util.raise("ValueError",
      'invalid border_mode %s: "valid", "full", "half" or a list of %d integers or pairs', util.text(mode), convdim)
  end
  for i = 1, convdim do
    local left, right = sides("border_mode_to_pad", mode, kshp[i])
    pad[i] = { left, right }
  end
  return pad
end

return M
