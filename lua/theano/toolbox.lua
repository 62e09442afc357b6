--- Features for FunctionGraphs: `theano.gof.toolbox`. A feature is a table of callbacks; see `fgraph:attach_feature`.
-- @module theano.gof.toolbox
local util = require("theano.util")

local M = {}

local Feature = { __name = "Feature" }
Feature.__index = Feature
Feature.__tostring = function(f) return ("<theano.gof.toolbox.%s>"):format(f.name or "Feature") end

--- A feature of these callbacks: `Feature{on_import = function(self, fgraph, node, reason) .. end}`. Any table will do;
-- this one can be printed by its `name`, and unknown callbacks are refused.
function M.Feature(fields)
  fields = fields or {}
  local known = util.set({ "on_attach", "on_detach", "on_import", "on_prune", "on_change_input", "validate", "name" })
  for k, v in pairs(fields) do
    if type(k) == "string" and k:find("^on_") and not known[k] then
      util.raise("AttributeError", "a feature has on_attach, on_detach, on_import, on_prune, on_change_input and "
        .. "validate; '%s' would never be called", k)
    end
    if known[k] and k ~= "name" and type(v) ~= "function" then
      util.raise("TypeError", "Feature: %s is a function, got %s", k, type(v))
    end
  end
  return setmetatable(fields, Feature)
end

--- Calls `on_import` for every node there is when it is attached: for features that keep a list of all nodes.
function M.Bookkeep(fields)
  local f = M.Feature(fields)
  f.name = f.name or "Bookkeep"
  local after = f.on_attach
  function f:on_attach(fgraph)
    if after then after(self, fgraph) end
    for _, node in ipairs(fgraph:toposort()) do
      if self.on_import then self:on_import(fgraph, node, "on_attach") end
    end
  end
  return f
end

--- `fgraph:checkpoint()` and `fgraph:revert(checkpoint)`, which every graph has: kept for programs that attach it.
function M.History() return M.Feature({ name = "History" }) end

--- `fgraph:validate()` and `fgraph:consistent()`, which every graph has.
function M.Validator() return M.Feature({ name = "Validator" }) end

--- `fgraph:replace_validate(..)` and its like, which every graph has.
function M.ReplaceValidate() return M.Feature({ name = "ReplaceValidate" }) end

--- `fgraph:get_nodes("dot")` gives the nodes of an operation, as they are now; `fgraph.get_nodes` is there while it is
-- attached.
function M.NodeFinder()
  local by, at, count = {}, {}, 0
  local f = { name = "NodeFinder" }
  function f.on_import(_, _, node)
    local kind = node.op.kind
    count = count + 1
    by[kind] = by[kind] or {}
    by[kind][count], at[node.outputs[1]] = node, count
  end
  function f.on_prune(_, _, node)
    local place = at[node.outputs[1]]
    if place then by[node.op.kind][place] = nil end
  end
  function f.on_attach(_, fgraph)
    fgraph.get_nodes = function(g, op)
      local pattern, places, list = require("theano.pattern"), {}, {}
      local kind = pattern.op_name("get_nodes", op)
      for place in pairs(by[kind] or {}) do places[#places + 1] = place end
      table.sort(places)
      for _, place in ipairs(places) do
        local node = g:current(by[kind][place])
        if not node then by[kind][place] = nil
        elseif type(op) ~= "table" or pattern.is_op(node, op) then list[#list + 1] = node end
      end
      return list
    end
  end
  function f.on_detach(_, fgraph) fgraph.get_nodes = nil end
  return M.Bookkeep(f)
end

--- Prints a line for everything that happens to the graph. `write`: a function of the text (default: io.stdout).
function M.PrintListener(write)
  write = write or function(text) io.stdout:write(text) end
  local function line(what)
    return function(_, _, node, reason) write(("%s %s (%s)\n"):format(what, tostring(node), reason or "")) end
  end
  return M.Feature({
    name = "PrintListener",
    on_attach = function(_, fgraph) write("-- attaching to " .. tostring(fgraph) .. "\n") end,
    on_detach = function(_, fgraph) write("-- detaching from " .. tostring(fgraph) .. "\n") end,
    on_import = line("-- importing"),
    on_prune = line("-- pruning"),
    on_change_input = function(_, _, node, i, old, new, reason)
      write(("-- changing (%s.inputs[%d]) from %s to %s (%s)\n"):format(tostring(node), i, tostring(old), tostring(new),
        reason))
    end,
  })
end

return M
