--- What a compiled function is besides callable: attributes, defaults, copies, bound calls.
-- @module theano.function_object
local core = require("theano.core")
local profile = require("theano.profile")
local updates = require("theano.updates")
local util = require("theano.util")

local methods = {}

-- ---- defaults and states
-- ------------------------------------------------------------------------------------------------
-- A number of an input, or the SharedVariable that stands for it.
local function find(f, key)
  local states = debug.getuservalue(f, 2)
  if states and states[key] then return nil, states[key] end
  local at = core.find_input(f, key)
  if at then return at end
  util.raise("TypeError", "Unknown input or state: %s", tostring(key))
end

local function get(f, key)
  local at, shared = find(f, key)
  if at then return core.get_default(f, at) end
  return core.get_value(shared)
end

local function set(f, key, value)
  local at, shared = find(f, key)
  if at then return core.set_default(f, at, value) end
  core.set_value(shared, value)
end

local values = {
  __name = "values",
  __index = function(v, key) return get(rawget(v, "fn"), key) end,
  __newindex = function(v, key, value) set(rawget(v, "fn"), key, value) end,
}

local function only_value(key)
  if key ~= "value" and key ~= "data" then
    util.raise("AttributeError", "a container has a value, not '%s'", tostring(key))
  end
end

local one = {
  __name = "container",
  __index = function(c, key)
    only_value(key)
    return get(rawget(c, "fn"), rawget(c, "key"))
  end,
  __newindex = function(c, key, value)
    only_value(key)
    set(rawget(c, "fn"), rawget(c, "key"), value)
  end,
}

--- What stands behind f.container[x]: the function and the number of its input, or a SharedVariable; nil: v is none.
local function behind(v)
  if getmetatable(v) ~= one then return nil end
  local at, shared = find(rawget(v, "fn"), rawget(v, "key"))
  if shared then return shared end
  return rawget(v, "fn"), at
end

local containers = {
  __name = "containers",
  __index = function(v, key)
    find(rawget(v, "fn"), key)
    return setmetatable({ fn = rawget(v, "fn"), key = key }, one)
  end,
  __newindex = function()
    util.raise("TypeError", "f.container[x] is not assigned to: write f.container[x].value = v, or f[x] = v")
  end,
}

-- ---- the compiled graph
-- -------------------------------------------------------------------------------------------------
local fgraph = { __name = "FunctionGraph" }
local graph_read = {
  apply_nodes = function(f) return core.toposort(f) end,
  inputs = function(f) return (core.graph_variables(f)) end,
  outputs = function(f) return (select(2, core.graph_variables(f))) end,
}
fgraph.__index = function(g, key)
  local f = rawget(g, "fn")
  if key == "toposort" then return function() return core.toposort(f) end end
  if key == "clients" then return function(_, v) return v.clients end end
  if graph_read[key] then return graph_read[key](f) end
  if key == "replace" or key == "replace_validate" or key == "attach_feature" then
    util.raise("AttributeError", "the FunctionGraph of a compiled function is not changed any more, it has no '%s'; "
      .. "theano.gof.FunctionGraph(inputs, outputs) makes one that can be", key)
  end
  util.raise("AttributeError", "a compiled function's FunctionGraph has inputs, outputs, apply_nodes, toposort() and "
    .. "clients(v), not '%s'", tostring(key))
end
fgraph.__tostring = function(g)
  local inputs, outputs = core.graph_variables(rawget(g, "fn"))
  return "[" .. table.concat(require("theano.gofgraph").as_string(inputs, outputs), ", ") .. "]"
end

-- ---- methods
-- ------------------------------------------------------------------------------------------------------------
local copy_known = {
  share_memory = "boolean", swap = true, delete_updates = "boolean", name = "string", profile = "boolean",
}

--- A function of the same expression, with defaults of its own. Options: `swap`, a map or a sequence of pairs from
-- shared to shared variables of the same type; `delete_updates`; `name` (default: the old one and " copy"); `profile`.
-- `share_memory` is taken and changes nothing that can be seen.
function methods.copy(f, options)
  options = options or {}
  if type(options) ~= "table" then util.raise("TypeError", "copy takes a table of options, got %s", type(options)) end
  util.check_keywords("copy", options, copy_known)
  local copy = core.function_copy(f, updates.pairs_of(options.swap, "swap"), options.delete_updates, options.name,
    options.profile)
  if core.function_trust(f) then core.function_trust(copy, true) end
  return profile.watch(copy)
end

--- Binds the arguments: everything is checked once; the closure that comes back runs on the same memory, without checks
-- and without garbage. Its results are overwritten at every call. ndarrays are pinned: what is written into them is
-- seen
-- by the next call, and freeing them raises until the closure is collected.
methods.bind = core.function_bind

--- Binds the arguments as `bind` does, for a call in slices: the closure `step` that comes back runs for about so many
-- microseconds (and to the end of the step at work). `step(2000)` is false while there is more to do, then true and the
-- results. Shared variables that the function updates stay locked from the first slice to the last.
methods.slices = core.function_slices

--- `f:save(path)`: the function as a file of data, for `theano.load`.
methods.save = require("theano.model").save

--- `f:export(name, options)`: the function as a C program of its own (docs/export.md).
methods.export = require("theano.export").export

--- Gives back the memory that the function keeps between calls; it can be called again.
methods.free = core.function_trim

--- Bytes of temporaries, results and working memory at the lengths of the last call that had new ones; 0 before any.
-- Sizes that only a run tells, and the working memory of products and convolutions, are not in it.
methods.memory = core.function_memory

--- The shared variables that the function reads or updates.
methods.get_shared = core.function_shared

local read = {
  maker = function(f) return { fgraph = setmetatable({ fn = f }, fgraph) } end,
  name = function(f) return (select(2, core.function_names(f))) end,
  input_names = function(f) return (core.function_names(f)) end,
  value = function(f) return setmetatable({ fn = f }, values) end,
  container = function(f) return setmetatable({ fn = f }, containers) end,
  profile = profile.of,
  trust_input = function(f) return core.function_trust(f) end,
}

local meta = core.function_meta
meta.__index = function(f, key)
  if methods[key] then return methods[key] end
  if read[key] then return read[key](f) end
  local states = debug.getuservalue(f, 2)
  if type(key) == "string" and not core.find_input(f, key) and not (states and states[key]) then
    local names = { "trust_input" }
    for _, t in ipairs({ methods, read }) do
      for name in pairs(t) do names[#names + 1] = name end
    end
    for _, name in ipairs((core.function_names(f))) do names[#names + 1] = name or nil end
    table.sort(names)
    util.raise("AttributeError", "a compiled function has no attribute and no input '%s'%s", key,
      require("theano.modules").hint(key, names, "function"))
  end
  return get(f, key)
end

meta.__newindex = function(f, key, value)
  if key == "trust_input" then
    core.function_trust(f, value)
  elseif methods[key] or read[key] then
    util.raise("AttributeError", "'%s' of a function cannot be set", tostring(key))
  else
    set(f, key, value)
  end
end

meta.__tostring = function(f) return ("<theano function %s>"):format(f.name or "without a name") end

return { behind = behind }
