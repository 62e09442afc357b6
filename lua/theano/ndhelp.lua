--- What NumPy's functions on arrays are written with: arguments, axes, results. For the files of theano.ndnumpy.
-- @module theano.ndhelp
local core = require("theano.core")
local TYPES = require("theano.modules").TYPES
local util = require("theano.util")

local M = {}
local arr = core.asarray

-- Positional values, or one table of keywords, by the names in `order`.
function M.options(what, order, first, ...)
  local given = {}
  if util.is_keywords(first) then
    if select("#", ...) > 0 then util.raise("TypeError", "%s: the table of keywords stands last", what) end
    given = util.renamed(first, util.set(order))
    util.check_keywords(what, given, util.set(order))
  else
    local values = table.pack(first, ...)
    local last = values[values.n]
    if util.is_keywords(last) then
      last = util.renamed(last, util.set(order))
      util.check_keywords(what, last, util.set(order))
      for k, v in pairs(last) do given[k] = v end
      values.n = values.n - 1
    end
    if values.n > #order then
      util.raise("TypeError", "%s takes at most %d of %s, got %d", what, #order, table.concat(order, ", "), values.n)
    end
    for i = 1, values.n do
      if values[i] ~= nil and given[order[i]] ~= nil then
        util.raise("TypeError", "%s: '%s' is given twice", what, order[i])
      end
      if values[i] ~= nil then given[order[i]] = values[i] end
    end
  end
  for name, v in pairs(given) do
    if TYPES[name] then util.check_type(what, name, v, TYPES[name]) end
  end
  return given
end

function M.axis_of(what, a, axis)
  if math.type(axis) ~= "integer" then
    util.raise("TypeError", "%s: an axis is an integer, not %s", what, util.kind_of(axis))
  elseif axis < -a.ndim or axis >= a.ndim then
    util.raise("ValueError", "%s: axis %s is out of range for an array with %d dimensions", what, util.text(axis),
      a.ndim)
  end
  return axis % a.ndim
end

-- A result without dimensions is a Lua value.
function M.result(a)
  if util.is_array(a) and a.ndim == 0 then return a:item() end
  return a
end

-- The axes of a as a sequence, increasing; all of them where axis is nil.
function M.axes_of(what, a, axis)
  local axes, seen = {}, {}
  if axis == nil then for d = 0, a.ndim - 1 do axes[d + 1] = d end end
  for _, d in ipairs(type(axis) == "table" and util.list(what .. ": axis", axis) or { axis }) do
    d = M.axis_of(what, a, d)
    if seen[d] then util.raise("ValueError", "%s: axis %d stands twice", what, d) end
    seen[d] = true
    axes[#axes + 1] = d
  end
  table.sort(axes)
  return axes
end

-- A result that kept its axes at length 1, without them unless they are wanted.
function M.dropped(what, r, axis, keepdims)
  r = arr(r)
  if keepdims then return r end
  local shape = r.shape
  for i, d in ipairs(M.axes_of(what, r, axis)) do table.remove(shape, d + 2 - i) end
  return M.result(r:reshape(shape))
end

function M.list_of(what, arrays)
  if type(arrays) ~= "table" or core.length(arrays, what .. ": the list") == 0 then
    util.raise("TypeError", "%s takes a sequence of arrays, at least one", what)
  end
  return util.each(what, arrays, function(a) return arr(a) end)
end

-- Keywords of a reduction; an empty table would be an empty list of axes.
function M.over(axis, keepdims)
  if axis == nil and keepdims == nil then return nil end
  return { axis = axis, keepdims = keepdims }
end

--- A number of elements.
function M.count(what, n)
  if type(n) ~= "number" then
    util.raise("TypeError", "%s: num is a number of elements, not %s", what, util.kind_of(n))
  end
  if math.type(n) ~= "integer" or n < 0 then
    util.raise("ValueError", "%s: num is a number of elements, not %s", what, util.text(n))
  end
  return n
end

--- Whether v is None: `nd.none`, `T.none`.
function M.is_none(v) return type(v) == "table" and rawget(v, "__arg") == "none" end

--- Number i of some pairs of bounds as two numbers: an end that is nil, false or None is infinity.
function M.bounds(what, i, pair)
  if util.is_array(pair) then pair = pair:tolist() end
  if type(pair) ~= "table" then
    util.raise("TypeError", "%s: bounds %d are a pair {low, high}, not %s", what, i, util.kind_of(pair))
  end
  local ends = { -math.huge, math.huge }
  for k = 1, 2 do
    local v = pair[k]
    if v and not M.is_none(v) then
      if type(v) ~= "number" or v ~= v then
        util.raise("TypeError", "%s: bounds %d are numbers, false for none, not %s", what, i, util.text(v))
      end
      ends[k] = v + 0.0
    end
  end
  return ends[1], ends[2]
end

--- Integers and booleans as float64.
function M.floats(a) return a.dtype:find("[fc]") and a or a:astype("float64") end

return M
