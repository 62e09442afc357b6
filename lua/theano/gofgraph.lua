--- Walking a graph of Variables: `theano.gof.graph`. Nothing recurses; what is met first comes first.
-- @module theano.gof.graph
local core = require("theano.core")
local util = require("theano.util")

local M = {}

local function list_of(what, vars)
  if util.is_var(vars) then return { vars } end
  if type(vars) ~= "table" then
    util.raise("TypeError", "gof.graph.%s takes a list of Variables, got %s", what, util.kind_of(vars))
  end
  return (util.variables(("gof.graph.%s: the list"):format(what), vars))
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

--- Those of the variables between them that nothing computes and that are not among the inputs: constants, shared
-- variables, inputs that are missing.
function M.orphans(inputs, outputs)
  local given, out = set_of("orphans", inputs), {}
  for _, v in ipairs(walk("orphans", outputs, inputs)) do
    if not v.owner and not given[v] then out[#out + 1] = v end
  end
  return out
end

--- The variables from `inputs` to `outputs`, and the orphans among them.
function M.variables_and_orphans(inputs, outputs) return M.variables(inputs, outputs), M.orphans(inputs, outputs) end

M.list_of_nodes = M.io_toposort

--- A copy of the graph: new variables for the inputs (`copy_inputs`, true) and for the orphans (`copy_orphans`, as
-- copy_inputs), and what is computed from them.
-- @return the inputs and the outputs of the copy
function M.clone(inputs, outputs, copy_inputs, copy_orphans)
  util.check_type("gof.graph.clone", "copy_inputs", copy_inputs, "boolean")
  util.check_type("gof.graph.clone", "copy_orphans", copy_orphans, "boolean")
  inputs, outputs = list_of("clone", inputs), list_of("clone", outputs)
  if copy_orphans == nil then copy_orphans = copy_inputs end
  local ins, replace = {}, {}
  for i, v in ipairs(inputs) do
    ins[i] = copy_inputs == false and v or v:clone()
    if copy_inputs ~= false then replace[#replace + 1] = { v, ins[i] } end
  end
  for _, v in ipairs(copy_orphans ~= false and M.orphans(inputs, outputs) or {}) do
    replace[#replace + 1] = { v, v:clone() }
  end
  return ins, require("theano.clone")(outputs, replace)
end

-- What tells a constant from others: its type and value; NaN is itself.
local function same_constant(a, b)
  if a.type ~= b.type then return false end
  return require("theano.ndarray").array_equal(a.data, b.data, true)
end

-- Numbers of variables: equal ones are computed alike from the same leaves.
local function numbering()
  local number, by_key, constants, count = {}, {}, {}, 0
  local function fresh()
    count = count + 1
    return count
  end
  local function leaf(v)
    if core.kind(v) ~= "constant" or v.type.ndim == nil then return fresh() end
    for _, c in ipairs(constants) do
      if same_constant(c, v) then return number[c] end
    end
    constants[#constants + 1] = v
    return fresh()
  end
  local function of(v)
    number[v] = number[v] or leaf(v)
    return number[v]
  end
  local function add(node)
    local op = node.op
    local parts = { op.name, tostring(op.kind), tostring(op.key) }
    for i, v in ipairs(node.inputs) do parts[i + 3] = ("%d"):format(of(v)) end
    local key = table.concat(parts, "\0")
    for i, v in ipairs(node.outputs) do
      local each = key .. "\0" .. i
      by_key[each] = by_key[each] or fresh()
      number[v] = by_key[each]
    end
  end
  return of, add
end

--- Whether two Variables are the same computation, step for step, of the same inputs: x * (y * z) is not (x * y) * z.
-- @param givens pairs `{{x, y}, ..}` or a table `{[x] = y}`: what is put in the place of what in both of them
function M.is_same_graph(var1, var2, givens)
  local both = { util.variables("gof.graph.is_same_graph", { var1, var2 })[1], var2 }
  local pairs_of = {}
  for x, y in pairs(givens or {}) do pairs_of[#pairs_of + 1] = type(x) == "number" and y or { x, y } end
  if #pairs_of > 0 then both = require("theano.clone")(both, pairs_of) end
  local of, add = numbering()
  for _, node in ipairs(M.io_toposort({}, both)) do add(node) end
  return of(both[1]) == of(both[2])
end

--- Which inputs a gradient of which outputs reaches, be it zeros, as those of integers are: for each input a list of
-- booleans, one for each output.
function M.io_connection_pattern(inputs, outputs)
  inputs, outputs = list_of("io_connection_pattern", inputs), list_of("io_connection_pattern", outputs)
  local T, rows = require("theano.tensor"), {}
  for i = 1, #inputs do rows[i] = {} end
  for o, out in ipairs(outputs) do
    local whole = out.dtype:find("int") or out.dtype == "bool"
    local gradients = T.grad(nil, inputs, { known_grads = { [out] = T.zeros_like(out, whole and "float64" or nil) },
      return_disconnected = "None", disconnected_inputs = "ignore", null_gradients = "return" })
    for i = 1, #inputs do rows[i][o] = gradients[i] ~= nil and gradients[i] ~= false end
  end
  return rows
end

-- Nodes met more than once between inputs and outputs.
local function met_again(stop, inputs, outputs)
  local seen, again = {}, {}
  local function meet(v)
    local node = not stop[v] and v.owner
    if not node then return end
    if seen[node] then again[node] = true end
    seen[node] = true
  end
  for _, v in ipairs(outputs) do meet(v) end
  for _, node in ipairs(M.io_toposort(inputs, outputs)) do
    for _, v in ipairs(node.inputs) do meet(v) end
  end
  return again
end

--- Texts of the outputs as calls, `Elemwise{add,no_inplace}(x, y)`. What is used more than once has a number:
-- `*1 -> exp(x)` at first, `*1` then.
function M.as_string(inputs, outputs)
  local stop = set_of("as_string", inputs)
  outputs = list_of("as_string", outputs)
  local again, number, count, texts = met_again(stop, inputs, outputs), {}, 0, {}
  for i, output in ipairs(outputs) do
    local words, stack = {}, { output }
    while #stack > 0 do
      local v = table.remove(stack)
      local node = type(v) ~= "string" and not stop[v] and v.owner
      local which = node and #node.outputs > 1 and "::" .. v.index or ""
      if not node then
        words[#words + 1] = tostring(v)
      elseif number[node] then
        words[#words + 1] = "*" .. number[node] .. which
      else
        if again[node] then
          count = count + 1
          number[node] = count
          words[#words + 1] = ("*%d -> "):format(count)
        end
        words[#words + 1] = node.op.name .. "("
        stack[#stack + 1] = ")" .. which
        local from = node.inputs
        for k = #from, 1, -1 do
          stack[#stack + 1] = from[k]
          if k > 1 then stack[#stack + 1] = ", " end
        end
      end
    end
    texts[i] = table.concat(words)
  end
  return texts
end

return M
