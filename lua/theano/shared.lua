--- Shared variables: values that live in the engine and keep their place between calls.
-- @module theano.shared
if not package.loaded["theano"] then require("theano") return require("theano.shared") end -- it loads us
local core = require("theano.core")
local nd = require("theano.ndarray")
local util = require("theano.util")

local known = {
  name = "string", strict = "boolean", allow_downcast = "boolean", borrow = "boolean", broadcastable = "table",
  target = "string", dtype = "string",
}

--- `theano.shared(value, name, {borrow =, broadcastable =, dtype =})`: a SharedVariable holding a copy of value.
-- An ndarray keeps its dtype and promises no dimension to be 1 (unless broadcastable says so); a Lua integer becomes
-- int64, a float float64, a nested table an ndarray.
local function shared(value, name, options)
  if util.is_keywords(name) then name, options = nil, name end
  options = options or {}
  util.check_keywords("shared", options, known)
  if util.is_var(value) then
    util.raise("TypeError", "a shared variable holds a value, not the symbolic Variable %s", tostring(value))
  end
  if value == nil or type(value) == "string" or type(value) == "function" then
    util.raise("TypeError", "a shared variable holds a number, an ndarray or a nested table, got %s", type(value))
  end
  if type(value) == "userdata" and core.kind(value) == "random" then
    if options.dtype or options.broadcastable then
      util.raise("TypeError", "shared: a RandomState has neither dtype nor broadcastable")
    end
    return core.shared_random(value, options.name or name, options.borrow)
  end
  if core.kind(value) == "sparse" then
    if options.broadcastable then util.raise("TypeError", "shared: a sparse matrix has no broadcastable") end
    local own = options.dtype and options.dtype ~= value.dtype and value:astype(options.dtype) or value
    return core.shared(own, options.name or name, options.borrow, nil, options.strict, options.allow_downcast)
  end
  local array, borrow = value, options.borrow
  if not util.is_array(value) then
    array, borrow = nd.array(value, options.dtype), true
  elseif options.dtype and value.dtype ~= options.dtype then
    array, borrow = value:astype(options.dtype), true
  end
  return core.shared(array, options.name or name, borrow, options.broadcastable, options.strict, options.allow_downcast)
end

--- The same with `target =` "cpu" (it stays there), "cuda", "cuda0": where the value lives. Without it floats go to the
-- GPU with the first function that uses them there.
local function on(value, name, options)
  if util.is_keywords(name) then name, options = nil, name end
  local v = shared(value, name, options)
  if options and options.target then core.shared_to_device(v, options.target) end
  return v
end

return util.by_position("shared", on, 2, { "strict", "allow_downcast", "borrow", "broadcastable" })
