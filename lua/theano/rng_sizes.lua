--- What draws in graphs share: sizes, dtypes and parameters as users give them; pairs of normal numbers.
-- @module theano.rng_sizes
local core = require("theano.core")
local nd = require("theano.ndarray")
local T = require("theano.tensor")
local config = require("theano.config")
local util = require("theano.util")

local M = {}
local raise = util.raise

--- The product of a list's integers as a float; nil where one is symbolic, or for a vector.
function M.count(size)
  if type(size) ~= "table" then return nil end
  local n = 1.0
  for _, v in ipairs(size) do
    if math.type(v) ~= "integer" then return nil end
    n = n * v
  end
  return n
end

local function check_entry(what, v, place, least)
  if util.is_var(v) then
    if v.ndim ~= 0 or not v.dtype:find("int") then
      raise("TypeError", "%s must be an integer scalar, it is %s", place, tostring(v.type))
    end
  elseif math.type(v) ~= "integer" then
    raise("TypeError", "%s: size must be a table of integers or a Variable, but %s is %s", what, place:match("size.*"),
      util.kind_of(v))
  elseif v < least then
    raise("ValueError", "%s: the specified size contains a dimension with value %s: %s is %d", what,
      least == 1 and "<= 0" or "< 0", place:match("size.*"), v)
  end
  return v
end

--- A size as a vector of integers, and as the list or the vector that the user gave: a list of integers and scalars, or
-- a vector.
-- @tparam string what function's name, for messages
-- @tparam ?table how `scalar`: one integer will do, too; `zero`: lengths may be 0
function M.vector(what, size, how)
  how = how or {}
  local wrong = how.scalar and "ValueError" or "TypeError"
  if how.scalar and (math.type(size) == "integer" or util.is_var(size) and size.ndim == 0) then size = { size } end
  if util.is_array(size) then size = size.ndim == 1 and size:tolist() or size end
  if util.is_var(size) then
    if size.ndim ~= 1 or not size.dtype:find("int") then
      raise(wrong, "%s: a size that is a Variable must be a vector of integers, it is %s", what, tostring(size.type))
    end
    return size, size
  end
  if type(size) ~= "table" then
    raise(wrong, "%s: size must be a table of integers or a Variable with 1 dimension, got %s", what,
      util.kind_of(size))
  end
  local least = how.zero and 0 or 1
  local list = util.each(what .. ": size", size, function(v, place) return check_entry(what, v, place, least) end)
  if #list == 0 then return T.constant(nd.zeros({ 0 }, "int64")), list end
  return T.cast(T.as_tensor_variable(list), "int64"), list
end

--- The dtype of draws with these parameters: at least floatX.
function M.upcast(...)
  local sum = nd.zeros({ 1 }, config.floatX)
  for _, v in ipairs({ ... }) do sum = sum + nd.zeros({ 1 }, v.dtype) end
  return sum.dtype
end

--- What numbers of a dtype are made in: float32 for halves.
function M.single(dtype) return (dtype == "float16" or dtype == "bfloat16") and "float32" or dtype end

--- Refuses probabilities that are known already and lie outside of [0, 1].
function M.check_probability(what, p)
  local value = p
  if util.is_var(p) then
    if core.kind(p) ~= "constant" then return end
    value = p.data
  end
  local array = util.is_array(value) and value or nd.array(value)
  if array.size > 0 and not (array:min() >= 0 and array:max() <= 1) then
    raise("ValueError", "%s: p must lie in [0, 1]%s", what, array.ndim == 0 and ", it is " .. util.text(value) or "")
  end
end

--- Normal numbers n of mean avg and deviation std, from these two halves of standard ones: numbers by which all are
-- moved alike before they lie side by side, so that they are written once. `shaped` brings them into their shape.
function M.placed(z0, z1, avg, std, shaped)
  local each = avg.ndim > 0 or std.ndim > 0
  local function moved(z) return z * std + avg end
  if each then return moved(shaped(T.join(0, z0, z1))) end
  return shaped(T.join(0, moved(z0), moved(z1)))
end

--- Both halves of 2 * half numbers, by rows: a slice whose end only a call tells would have to be looked at.
function M.halves(u, half)
  local rows = u:reshape({ 2, half })
  return rows[0], rows[1]
end

--- Box and Muller's pairs of normal numbers from pairs of uniform ones, u1 above 0: radius, cosine and sine.
function M.polar(u1, u2, dtype)
  local angle = T.constant(nd.array(2 * math.pi, dtype)) * u2
  return T.sqrt(-2.0 * T.log(u1)), T.cos(angle), T.sin(angle)
end

return M
