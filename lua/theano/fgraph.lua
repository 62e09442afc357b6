--- A graph that can be changed: `theano.gof.FunctionGraph(inputs, outputs)`, and what a rewrite sees of a function
-- being
-- compiled. Nodes and variables shown are ordinary ones and do not change; `toposort()`, `clients(v)` and
-- `current(node)`
-- show them as they are now.
-- @module theano.gof.fg
local core = require("theano.core")
local walks = require("theano.gofgraph")
local util = require("theano.util")

local M = {}
local meta = core.graph_meta
local methods = {}

-- ---- features -------------------------------------------------------------------------------------------------------
local callbacks = { import = "on_import", prune = "on_prune", change = "on_change_input" }

-- Tells the features what happened since they were told last. What they change is told to all after it.
local function deliver(g, state, reason)
  if state.telling then return end
  state.telling = true
  local ok, message = pcall(function()
    while #state.features > 0 do
      local events = core.graph_events(g)
      if #events == 0 then break end
      for _, e in ipairs(events) do
        for _, f in ipairs({ table.unpack(state.features) }) do
          local fn = f[callbacks[e[1]]]
          if fn and e[1] == "change" then fn(f, g, e[2], e[3], e[4], e[5], e[6])
          elseif fn then fn(f, g, e[2], reason or "") end
        end
      end
    end
  end)
  state.telling = false
  if not ok then error(message, 0) end
end

local function state_of(g)
  local state = core.graph_state(g)
  if not state then
    util.raise("TypeError", "FunctionGraph expected, got %s: methods are called with a colon", type(g))
  end
  state.features = state.features or {}
  return state
end

local function changed(g, reason)
  local state = state_of(g)
  if #state.features > 0 then deliver(g, state, reason) end
end

local function validators(state)
  for _, f in ipairs(state.features) do
    if f.validate then return true end
  end
  return false
end

-- Makes a change, tells the features, asks their `validate`; where one of them raises, nothing has changed.
local function validated(g, reason, change)
  local state = state_of(g)
  local before = validators(state) and core.graph_vars(g, "o")
  change()
  deliver(g, state, reason)
  if not before then return end
  local ok, message = pcall(methods.validate, g)
  if ok then return end
  core.graph_restore(g, before)
  deliver(g, state, "revert")
  error(message, 0)
end

--- Adds a feature: a table with any of `on_attach(self, fgraph)`, `on_detach(self, fgraph)`, `on_import(self, fgraph,
-- node, reason)`, `on_prune(self, fgraph, node, reason)`, `on_change_input(self, fgraph, node, i, old, new, reason)`
-- and
-- `validate(self, fgraph)`. They are told after a change is complete; `i` counts from 0, `node` is "output" for an
-- output.
function methods.attach_feature(g, feature)
  local state = state_of(g)
  if type(feature) ~= "table" then
    util.raise("TypeError", "a feature is a table of callbacks, got %s", type(feature))
  end
  for _, f in ipairs(state.features) do
    if f == feature then return end
  end
  deliver(g, state)
  if feature.on_attach and feature:on_attach(g) == false then return end
  state.features[#state.features + 1] = feature
  core.graph_watch(g, true)
end

--- Takes a feature out; nothing happens where it is not attached.
function methods.remove_feature(g, feature)
  local state = state_of(g)
  for i, f in ipairs(state.features) do
    if f == feature then
      deliver(g, state)
      table.remove(state.features, i)
      if #state.features == 0 then core.graph_watch(g, false) end
      if feature.on_detach then feature:on_detach(g) end
      return
    end
  end
end

--- Calls `feature[name](feature, fgraph, ..)` of every feature that has it.
function methods.execute_callbacks(g, name, ...)
  for _, f in ipairs({ table.unpack(state_of(g).features) }) do
    if f[name] then f[name](f, g, ...) end
  end
end

--- The same; what they return, by feature.
function methods.collect_callbacks(g, name, ...)
  local got = {}
  for _, f in ipairs({ table.unpack(state_of(g).features) }) do
    if f[name] then got[f] = f[name](f, g, ...) end
  end
  return got
end

--- Asks every feature's `validate`, which raises where the graph is not as it wants it.
function methods.validate(g) methods.execute_callbacks(g, "validate") end

--- True where no feature objects.
function methods.consistent(g) return (pcall(methods.validate, g)) end

-- ---- asking ---------------------------------------------------------------------------------------------------------
--- Nodes in an order of computing, as they are now.
function methods.toposort(g) return core.graph_nodes(g) end

--- Users of a variable: `{{node, i}, ..}` with `node.inputs[i + 1] == v`, `{"output", i}` for outputs of the graph.
function methods.clients(g, v) return core.graph_clients(g, v) end

--- The node as it is now, on what its inputs have become; nil when it is no longer in the graph.
function methods.current(g, node) return core.graph_current(g, node) end

--- Is the variable or the node still in the graph?
function methods.contains(g, what)
  if util.is_var(what) then
    if what.owner then return core.graph_current(g, what.owner) ~= nil end
    if #core.graph_clients(g, what) > 0 then return true end
    for _, v in ipairs(core.graph_vars(g, "i")) do
      if v == what then return true end
    end
    return false
  end
  return core.graph_current(g, what) ~= nil
end

--- Raises where types, clients or the order of the graph do not hold: after any change, they should.
function methods.check_integrity(g) core.graph_verify(g) end

--- Makes equal nodes and equal constants one; nodes that come later are merged as they come.
function methods.merge(g)
  core.graph_merge(g)
  changed(g)
end

--- A graph of its own with the same nodes and no features.
function methods.clone(g) return M.FunctionGraph(core.graph_vars(g, "i"), core.graph_vars(g, "o")) end

--- A state to which `revert` goes back.
function methods.checkpoint(g) return { outputs = core.graph_vars(g, "o") } end

--- The graph as it was at the checkpoint.
function methods.revert(g, checkpoint)
  if type(checkpoint) ~= "table" or not checkpoint.outputs then
    util.raise("TypeError", "revert takes what checkpoint() gave, got %s", type(checkpoint))
  end
  core.graph_restore(g, checkpoint.outputs)
  changed(g, "revert")
end

-- ---- changing -------------------------------------------------------------------------------------------------------
local function reason_of(what, reason)
  if type(reason) == "table" then
    util.check_keywords(what, reason, util.set({ "reason" }))
    reason = reason.reason
  end
  if reason ~= nil and type(reason) ~= "string" then
    util.raise("TypeError", "%s: the reason is a text, got %s", what, type(reason))
  end
  return reason
end

local function variable(what, name, v)
  if not util.is_var(v) then util.raise("TypeError", "%s: %s is a %s, a Variable expected", what, name, type(v)) end
end

--- Every user of `old` uses `new` from now on. Types must be equal, `new` must not need `old`; else it raises and
-- nothing has changed. The features' `validate` is not asked.
function methods.replace(g, old, new, reason)
  variable("replace", "old", old)
  variable("replace", "new", new)
  reason = reason_of("replace", reason)
  core.graph_replace(g, old, new, reason)
  changed(g, reason)
end

--- `{{old, new}, ..}` at once: where one cannot be, or they make a cycle together, it raises and none is made.
function methods.replace_all(g, list, reason)
  reason = reason_of("replace_all", reason)
  core.graph_replace_all(g, list, reason)
  changed(g, reason)
end

--- `replace`, then the features' `validate`: where one of them raises, it is undone.
function methods.replace_validate(g, old, new, reason)
  variable("replace_validate", "old", old)
  variable("replace_validate", "new", new)
  reason = reason_of("replace_validate", reason)
  validated(g, reason, function() core.graph_replace(g, old, new, reason) end)
end

--- `replace_all`, then the features' `validate`: where one of them raises, all of it is undone.
function methods.replace_all_validate(g, list, reason)
  reason = reason_of("replace_all_validate", reason)
  validated(g, reason, function() core.graph_replace_all(g, list, reason) end)
end

--- The same; where one of the variables in `remove` is still computed afterwards, it raises and all of it is undone.
function methods.replace_all_validate_remove(g, list, remove, reason)
  reason = reason_of("replace_all_validate_remove", reason)
  local before = core.graph_vars(g, "o")
  methods.replace_all_validate(g, list, reason)
  for _, v in ipairs(util.variables("replace_all_validate_remove: remove", remove)) do
    if methods.contains(g, v) then
      core.graph_restore(g, before)
      changed(g)
      util.raise("BadOptimization", "%s is still in the graph after the replacement that was to remove it", tostring(v))
    end
  end
end

--- Input `i` (from 0) of one node becomes `v`; `node` is "output" for output `i` of the graph.
function methods.change_input(g, node, i, v, reason)
  if math.type(i) ~= "integer" then util.raise("TypeError", "change_input: i counts from 0, got %s", util.text(i)) end
  variable("change_input", "the new input", v)
  core.graph_change_input(g, node, i, v, reason_of("change_input", reason))
  changed(g)
end

-- ---- attributes -----------------------------------------------------------------------------------------------------
local function shape_feature(g)
  return {
    shape_of = setmetatable({}, {
      __index = function(_, v)
        if not util.is_var(v) then util.raise("TypeError", "shape_of[v]: v is a Variable, got %s", type(v)) end
        local t = {}
        for d = 1, v.ndim do t[d] = core.graph_shape(g, v, d - 1) end
        return t
      end,
    }),
  }
end

local read = {
  inputs = function(g) return core.graph_vars(g, "i") end,
  outputs = function(g) return core.graph_vars(g, "o") end,
  apply_nodes = function(g) return core.graph_nodes(g) end,
  variables = function(g) return walks.variables(core.graph_vars(g, "i"), core.graph_vars(g, "o")) end,
  features = function(g) return { table.unpack(state_of(g).features) } end,
  shape_feature = shape_feature,
}

meta.__index = function(g, key)
  if methods[key] then return methods[key] end
  if read[key] then return read[key](g) end
  local kept = state_of(g).kept
  if kept and kept[key] ~= nil then return kept[key] end
  local names = {}
  for name in pairs(methods) do names[#names + 1] = name end
  for name in pairs(read) do names[#names + 1] = name end
  table.sort(names)
  local near = util.nearest(tostring(key), names)
  util.raise("AttributeError", "a FunctionGraph has no attribute '%s'%s; it has %s", tostring(key),
    near and " (nearest is " .. near .. ")" or "", table.concat(names, ", "))
end

-- Features keep things with the graph; what it has of its own stays.
meta.__newindex = function(g, key, value)
  if methods[key] or read[key] then
    util.raise("AttributeError", "'%s' of a FunctionGraph cannot be set", tostring(key))
  end
  local state = state_of(g)
  state.kept = state.kept or {}
  state.kept[key] = value
end

meta.__tostring = function(g)
  local ok, text = pcall(function()
    return "[" .. table.concat(walks.as_string(core.graph_vars(g, "i"), core.graph_vars(g, "o")), ", ") .. "]"
  end)
  return ok and text or "FunctionGraph (of a rewrite that has ended)"
end

--- A graph to be changed, of the nodes between `inputs` and `outputs`. Shared variables become inputs after yours. The
-- user's own graph stays as it is. Options: `features`, a list; `clone` is taken and changes nothing.
function M.FunctionGraph(inputs, outputs, options)
  options = options or {}
  util.check_keywords("FunctionGraph", options, { features = "table", clone = "boolean" })
  local lists = { inputs = inputs, outputs = outputs }
  for _, what in ipairs({ "inputs", "outputs" }) do
    local list = lists[what]
    if not util.is_var(list) and type(list) ~= "table" then
      util.raise("TypeError", "FunctionGraph(inputs, outputs): %s is a list of Variables, got %s", what,
        util.kind_of(list))
    end
    lists[what] = util.variables("FunctionGraph: " .. what, list)
  end
  for i, v in ipairs(lists.inputs) do
    if core.kind(v) == "constant" then
      util.raise("ValueError", "FunctionGraph: inputs[%d] is the constant %s; constants need no place there", i,
        tostring(v))
    end
  end
  local g = core.graph_new(lists.inputs, lists.outputs)
  for _, f in ipairs(util.list("FunctionGraph: features", options.features or {})) do methods.attach_feature(g, f) end
  return g
end

--- Is it a FunctionGraph?
function M.is_graph(g) return type(g) == "userdata" and core.kind(g) == "fgraph" end

return M
