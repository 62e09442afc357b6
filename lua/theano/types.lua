--- What a TensorType can do besides making variables: `x.type:filter(value)` and so on.
-- @module theano.types
local core = require("theano.core")
local util = require("theano.util")

local methods = core.type_methods

local function options_of(what, strict, allow_downcast, known)
  if type(strict) == "table" then
    util.check_keywords(what, strict, known)
    return strict
  end
  return { strict = strict, allow_downcast = allow_downcast }
end

local filter_known = util.set({ "strict", "allow_downcast" })

--- The value as an array of this type: what a compiled function does with its arguments. Raises a TypeError when it
-- does not fit. strict: an array of this very dtype only; allow_downcast: nil lets numbers down to floatX, true any
-- numeric value, false nothing.
function methods.filter(t, value, strict, allow_downcast)
  local o = options_of("filter", strict, allow_downcast, filter_known)
  return core.type_filter(t, value, o.strict, o.allow_downcast)
end

--- Whether filter takes the value.
function methods.is_valid_value(t, value, strict)
  local o = options_of("is_valid_value", strict == nil and true or strict, nil, filter_known)
  return (pcall(core.type_filter, t, value, o.strict, o.allow_downcast))
end

-- A type that is called with keywords, `T.dvector { name = "x" }`; a dtype among them stands for the type's own.
function methods.__call(t, name, options)
  local called, kind = util.variable_options("constructor", name, options)
  return (kind and core.TensorType(kind, t.broadcastable) or t)(called)
end

--- A variable of this type; the same as calling the type.
function methods.make_variable(t, name)
  return t(name)
end

--- A Constant of this type.
function methods.make_constant(t, value, name)
  local T = require("theano.tensor")
  local c = T.constant(methods.filter(t, value), { name = name, dtype = t.dtype })
  return c.type == t and c or T.patternbroadcast(c, t.broadcastable)
end

--- The Variable as one of exactly this type: it may promise lengths of 1 that the type does not, nothing else may
-- differ; nil when it cannot be.
function methods.convert_variable(t, other)
  if not util.is_var(other) or other.dtype ~= t.dtype or other.ndim ~= t.ndim then return nil end
  local has = other.broadcastable
  for d, one in ipairs(t.broadcastable) do
    if one and not has[d] then return nil end
  end
  return require("theano.tensor").patternbroadcast(other, t.broadcastable)
end

--- A Variable as convert_variable takes it, or a value, as a variable of exactly this type.
function methods.filter_variable(t, other)
  if not util.is_var(other) then return methods.make_constant(t, other) end
  return methods.convert_variable(t, other) or util.raise("TypeError", "cannot convert %s (of type %s) to %s: cast it, "
    .. "give it as many dimensions, or promise lengths of 1 with T.addbroadcast", tostring(other), tostring(other.type),
    tostring(t))
end

local function same_shape(a, b)
  for d, n in ipairs(a.shape) do
    if b.shape[d] ~= n then return false end
  end
  return true
end

--- Whether two arrays are equal: dtype, shape and every element (NaN equals NaN here).
function methods.values_eq(t, a, b)
  if t == core.random_state_type() then return core.same_random_state(a, b) end
  local nd = require("theano.ndarray")
  a, b = methods.filter(t, a), methods.filter(t, b)
  return same_shape(a, b) and nd.allclose(a, b, 0, 0, true)
end

--- Whether two arrays are equal up to rounding; rtol and atol are 1e-5 and 1e-8, 1e-4 and 1e-5 for float32.
function methods.values_eq_approx(t, a, b, o)
  if t == core.random_state_type() then return core.same_random_state(a, b) end
  local nd = require("theano.ndarray")
  o = o or {}
  util.check_keywords("values_eq_approx", o, util.set({ "rtol", "atol" }))
  a, b = methods.filter(t, a), methods.filter(t, b)
  local narrow = t.dtype == "float32" or t.dtype == "complex64"
  local half = ({ float16 = 5e-3, bfloat16 = 2e-2 })[t.dtype] -- of single results, not of the sums behind them
  return same_shape(a, b)
    and nd.allclose(a, b, o.rtol or half or (narrow and 1e-4 or 1e-5),
      o.atol or half or (narrow and 1e-5 or 1e-8), true)
end

--- A type with another dtype or broadcast pattern: `t:clone{dtype = "float32"}`.
function methods.clone(t, dtype, broadcastable)
  local o = type(dtype) == "table" and dtype or { dtype = dtype, broadcastable = broadcastable }
  util.check_keywords("clone", o, util.set({ "dtype", "broadcastable" }))
  return core.TensorType(o.dtype or t.dtype, o.broadcastable or t.broadcastable)
end

return methods
