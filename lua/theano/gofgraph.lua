--- Walking a graph of Variables: `theano.gof.graph`. Nothing recurses; what is met first comes first.
-- @module theano.gof.graph
local util = require("theano.util")

local M = {}

local function list_of(what, vars)
  if util.is_var(vars) then return { vars } end
  if type(vars) ~= "table" then
    util.raise("TypeError", "gof.graph.%s takes a list of Variables, got %s", what, type(vars))
  end
  for i, v in ipairs(vars) do
    if not util.is_var(v) then
      util.raise("TypeError", "gof.graph.%s takes a list of Variables; number %d is a %s", what, i, type(v))
    end
  end
  return vars
end

local function set_of(what, vars)
  local set = {}
  for _, v in ipairs(list_of(what, vars or {})) do set[v] = true end
  return set
end

local function walk(what, vars, blockers)
  local stop, seen, order, stack = set_of(what, blockers), {}, {}, {}
  local given = list_of(what, vars)
  for i = #given, 1, -1 do stack[#stack + 1] = given[i] end
  while #stack > 0 do
    local v = table.remove(stack)
    if not seen[v] then
      seen[v], order[#order + 1] = true, v
      local inputs = not stop[v] and v.owner and v.owner.inputs or {}
      for i = #inputs, 1, -1 do stack[#stack + 1] = inputs[i] end
    end
  end
  return order
end

--- The variables that `vars` depend on, themselves included, each once; `blockers` are not looked behind.
function M.ancestors(vars, blockers) return walk("ancestors", vars, blockers) end

--- Those of the ancestors that nothing computes: inputs, constants, shared variables.
function M.inputs(vars, blockers)
  local leaves = {}
  for _, v in ipairs(walk("inputs", vars, blockers)) do
    if not v.owner then leaves[#leaves + 1] = v end
  end
  return leaves
end

--- The Apply nodes between `inputs` and `outputs`, what is computed first before what needs it.
function M.io_toposort(inputs, outputs)
  local stop, state, order, stack = set_of("io_toposort", inputs), {}, {}, {}
  local function push(v)
    local node = not stop[v] and v.owner
    if node and not state[node] then stack[#stack + 1] = node end
  end
  local given = list_of("io_toposort", outputs)
  for i = #given, 1, -1 do push(given[i]) end
  while #stack > 0 do
    local node = stack[#stack]
    if not state[node] then
      state[node] = "open"
      local from = node.inputs
      for i = #from, 1, -1 do push(from[i]) end
    else
      table.remove(stack)
      if state[node] == "open" then state[node], order[#order + 1] = "done", node end
    end
  end
  return order
end

--- The same nodes, in the order of `io_toposort`.
M.ops = M.io_toposort

--- The variables from `inputs` to `outputs`, both included, and the other inputs of the nodes between.
function M.variables(inputs, outputs)
  return walk("variables", outputs, inputs)
end

return M
