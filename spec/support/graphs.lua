--- What specs ask of texts and compiled graphs.
local M = {}

--- The text has the part, as it stands; the failure shows both.
function M.contains(text, part)
  assert(text:find(part, 1, true), ("no %q in:\n%s"):format(part, text))
end

--- Names of a function's operations, in order, a space between.
function M.ops(f)
  local list = {}
  for i, node in ipairs(f.maker.fgraph:toposort()) do list[i] = node.op.name end
  return table.concat(list, " ")
end

return M
