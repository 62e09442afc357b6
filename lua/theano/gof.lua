--- Graphs and rewrites of your own: FunctionGraph, text and table patterns, functions on a node and on the whole graph,
-- and the table they go into.
-- @module theano.gof
if not package.loaded["theano"] then require("theano") return require("theano.gof") end -- it loads us
local core = require("theano.core")
local fg = require("theano.fgraph")
local opt = require("theano.rewriters")
local optdb = require("theano.optdb")
local pattern = require("theano.pattern")
local util = require("theano.util")

local M = { graph = require("theano.gofgraph"), toolbox = require("theano.toolbox"), opt = opt, fg = fg }

for _, name in ipairs({
  "PatternSub", "PatternOptimizer", "OpSub", "OpRemove", "local_optimizer", "LocalOptimizer", "LocalOptGroup",
  "optimizer", "Optimizer", "inplace_optimizer", "MergeOptimizer", "SeqOptimizer", "TopoOptimizer",
  "NavigatorOptimizer", "OpKeyOptimizer", "EquilibriumOptimizer", "out2in", "in2out",
}) do M[name] = opt[name] end

M.FunctionGraph = fg.FunctionGraph
M.Feature = M.toolbox.Feature
M.Query, M.phases = optdb.Query, optdb.phases

--- Is the node's operation this one? `is_op(node, T.add)`, `is_op(node, "Sum")`, `is_op(node, my_op)`.
function M.is_op(node, op)
  if core.kind(node) ~= "apply" then
    util.raise("TypeError", "is_op(node, op): node is an Apply, got %s", type(node))
  end
  return pattern.is_op(node, op)
end

-- ---- node.op --------------------------------------------------------------------------------------------------------
-- An operation as a node has it can be compared, and applied to other inputs.
local op_meta = core.op_meta
op_meta.__eq = function(a, b)
  if not (a.node and b.node) then return M.is_op((a.node and a or b).node, a.node and b or a) end
  return a.name == b.name and a.kind == b.kind and a.key == b.key
end
op_meta.__call = function(op, ...)
  local T = require("theano.tensor")
  local inputs, like = { ... }, op.node.inputs
  for i, v in ipairs(inputs) do
    if not util.is_var(v) then inputs[i] = T.as_tensor_variable(v) end
  end
  if #inputs ~= #like then
    util.raise("TypeError", "%s takes %d inputs as it stands in the graph, got %d", op.name, #like, #inputs)
  end
  return table.unpack(core.apply_with_inputs(op.node, inputs).outputs)
end
local methods = {
  --- The node of the operation on other inputs.
  make_node = function(op, ...) return (op_meta.__call(op, ...)).owner end,
}
op_meta.__index = function(op, name)
  if methods[name] or name == "key" then return methods[name] end -- operations of ours have no key
  local near = util.nearest(tostring(name), { "name", "kind", "key", "node", "make_node" })
  return util.raise("AttributeError", "the operation %s has no attribute '%s'%s: it has name, kind, key, node and "
    .. "make_node; what else it is made with stands in its name", op.name, tostring(name),
    near and (": did you mean '%s'?"):format(near) or "")
end

return M
