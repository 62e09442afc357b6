--- `T.pad`: NumPy's function of this name on Variables. Its gradient follows from what it is made of; lengths may be
-- symbolic.
-- @module theano.pad
local T = require("theano.tensor")
local util = require("theano.util")

local function discrete(dtype) return dtype == "bool" or dtype:find("int") ~= nil end

-- ---- pad ------------------------------------------------------------------------------------------------------------
-- Positions in an axis of length n for the positions at, which may lie in front of it and behind it.
local INSIDE = {
  edge = function(at, n) return T.clip(at, 0, n - 1) end,
  wrap = function(at, n) return at % n end,
  symmetric = function(at, n)
    local turn = at % (2 * n)
    return T.minimum(turn, 2 * n - 1 - turn)
  end,
  reflect = function(at, n)
    local period = T.maximum(2 * (n - 1), 1)
    local turn = at % period
    return T.minimum(turn, 2 * (n - 1) - turn)
  end,
}

local STATISTIC = {
  mean = function(x, axis)
    local m = T.mean(x, { axis = axis, keepdims = true })
    return discrete(x.dtype) and T.cast(T.round(m, { mode = "half_to_even" }), x.dtype) or T.cast(m, x.dtype)
  end,
  maximum = function(x, axis) return T.max(x, { axis = axis, keepdims = true }) end,
  minimum = function(x, axis) return T.min(x, { axis = axis, keepdims = true }) end,
}

local function width(v, place)
  if math.type(v) == "integer" and v >= 0 then return v end
  if util.is_var(v) and v.ndim == 0 and v.dtype:find("int") then return T.cast(v, "int64") end
  if math.type(v) == "integer" then util.raise("ValueError", "%s is %d: a width cannot be negative", place, v) end
  return util.raise("TypeError", "%s is %s, an integer or an integer scalar is expected", place, util.kind_of(v))
end

-- x with tensors of one row along the axis repeated in front and behind.
local function bordered(x, axis, widths, before, after)
  local function block(row, n)
    local shape = {}
    for d = 0, x.ndim - 1 do shape[d + 1] = d == axis and n or x.shape[d] end
    return T.alloc(row, table.unpack(shape))
  end
  local parts = { x }
  if widths[1] ~= 0 then table.insert(parts, 1, block(before, widths[1])) end
  if widths[2] ~= 0 then parts[#parts + 1] = block(after, widths[2]) end
  return #parts > 1 and T.concatenate(parts, { axis = axis }) or x
end

-- Modes whose border is made of one row along each axis.
local function padded_by_rows(x, widths, row)
  for axis = 0, x.ndim - 1 do
    local w = widths[axis + 1]
    if w[1] ~= 0 or w[2] ~= 0 then x = bordered(x, axis, w, row(x, axis, 1), row(x, axis, 2)) end
  end
  return x
end

local function padded_by_positions(x, widths, inside)
  for axis = 0, x.ndim - 1 do
    local w, n = widths[axis + 1], x.shape[axis]
    if w[1] ~= 0 or w[2] ~= 0 then
      x = T.take(x, inside(T.arange(-w[1], n + w[2], { dtype = "int64" }), n), { axis = axis })
    end
  end
  return x
end

local PAD = { "x", "pad_width", "mode", "constant_values", mode = "string" }

--- `pad(x, pad_width, {mode = "constant", constant_values = 0})`: x with more elements before and behind each axis.
-- pad_width: one number for all, `{before, after}`, or `{{before, after}, ..}` for each axis; integers or integer
-- scalars. Modes: "constant" (the values likewise: one, a pair, or a pair for each axis), "edge" (the last one again),
-- "reflect", "symmetric" (mirrored, without and with the edge), "wrap" (from the other side), "mean", "maximum",
-- "minimum" (of the whole axis).
function T.pad(...)
  local what = "pad"
  local a = util.bind(what, PAD, ...)
  util.need(what, a, { "x" }, T.as_tensor_variable)
  local x, mode = a.x, a.mode or "constant"
  if a.pad_width == nil then util.raise("TypeError", "pad: argument 'pad_width' is missing") end
  local widths = util.pairs_by_axis(what .. ": pad_width", a.pad_width, x.ndim, width)
  if a.constant_values ~= nil and mode ~= "constant" then
    util.raise("ValueError", "pad: constant_values are for the mode \"constant\", this one is \"%s\"", mode)
  end
  if INSIDE[mode] then return padded_by_positions(x, widths, INSIDE[mode]) end
  if STATISTIC[mode] then
    return padded_by_rows(x, widths, function(y, axis)
      return STATISTIC[mode](y, axis)
    end)
  end
  if mode ~= "constant" then
    util.raise("ValueError", "pad: the mode is \"constant\", \"edge\", \"reflect\", \"symmetric\", \"wrap\", "
      .. "\"mean\", \"maximum\" or \"minimum\", not \"%s\"", mode)
  end
  local values = util.pairs_by_axis(what .. ": constant_values",
    a.constant_values == nil and 0 or a.constant_values, x.ndim,
    function(v, place)
      if v == nil then util.raise("TypeError", "%s is nil", place) end
      local c = T.cast(T.as_tensor_variable(v), x.dtype)
      if c.ndim ~= 0 then util.raise("ValueError", "%s has %d dimensions, a scalar is expected", place, c.ndim) end
      return c
    end)
  return padded_by_rows(x, widths, function(_, axis, side)
    return T.shape_padleft(values[axis + 1][side], x.ndim)
  end)
end

return T
