--- Golden schedules: how each kernel of a function runs on each target, as theano.printing.plan(f, target) shows it.
-- The functions are those of the golden units, and more that stand at the chooser's thresholds (schedule_edges.lua).
-- @module spec.support.schedule_golden
local theano = require("theano")
local units = require("spec.support.unit_golden")
local M = require("spec.support.kept")("spec/golden/schedule/")

M.targets = { "sse2", "avx2", "avx512", "cuda" }

--- All cases, in order.
function M.cases()
  local list = units.cases()
  for _, case in ipairs(require("spec.support.schedule_edges")) do list[#list + 1] = case end
  return list
end

--- The kernels of a plan's text: { title = .., nest = .. }.
function M.kernels(plan)
  local list = {}
  local text = plan:gsub("\non the host:\n.*", "\n"):match("\nkernels:\n(.*)")
  for block in (text .. " k:\n"):gmatch("kernel (.-\n) k%d*:\n") do
    local nest = block:match("\n  nest for .*") or block:match("\n  no nest .*")
    list[#list + 1] = { title = block:match("^[^\n]*"), nest = nest }
  end
  return list
end

-- What follows "nest for TARGET", and what to call the same on another target.
local function body(nest) return (nest:gsub("\n  nest for %w+\n", "\n  nest\n")) end

--- The text of a case: for each kernel its Nests; one that is as on the target above is not repeated.
function M.text(case)
  local out = { "# " .. case[2] .. "\n" }
  units.with(case, function(f)
    local by = {}
    for _, target in ipairs(M.targets) do
      local known = target ~= "cuda" and case.sizes or nil
      by[target] = M.kernels(theano.printing.plan(f, target, known))
    end
    for k, kernel in ipairs(by.sse2) do
      out[#out + 1] = ("k%d: %s"):format(k - 1, kernel.title)
      local above
      for _, target in ipairs(M.targets) do
        local nest = assert(by[target][k].nest, "a kernel without a Nest")
        out[#out + 1] = above and body(nest) == body(by[above][k].nest)
          and ("\n  nest for %s: as for %s\n"):format(target, above) or nest
        above = target
      end
    end
  end)
  return (table.concat(out):gsub("\n\n+", "\n"))
end

--- All files by name: the text of each.
function M.files()
  local files = {}
  for _, case in ipairs(M.cases()) do files[case[1] .. ".txt"] = M.text(case) end
  return files
end

return M
