--- Rewriting what is rewritten already: golden graphs and a known case stay as they are, and so do random graphs and
-- gradients but for a few. Three runs: every pass up to the schedule but elemwise_fusion (whose Composites hide what a
-- second run would ask), every one of them, and the in-place passes too (a graph with overwritten inputs has one order
-- only, so there the rewritten graph is taken before them).
local core = require("theano.core")
local theano = require("theano")
local fuzz = require("spec.support.fuzz")
local golden = require("spec.support.golden")
local T = theano.tensor

local function passes_of(optimizer, without)
  local names = {}
  for pass in core.optdb_summary(optimizer):gmatch("\n? +[%d.]+  (%S+)") do
    if pass ~= without then names[#names + 1] = pass end
  end
  return names
end
local parts, all, whole = passes_of("o3", "elemwise_fusion"), passes_of("o3"), passes_of("o4")
local run = {}
for name, list in pairs({ parts = parts, all = all, whole = whole }) do run[name] = table.concat(list, ":") end

--- The text in an order that depends on the graph alone.
local function ordered(text) return core.optimize_text(core.optimize_text(text, "merge1"), "merge1") end

local function nodes(text) return select(2, text:gsub("\n[^\n]- = ", "")) end

local function twice(text, passes)
  local once = core.optimize_text(text, passes)
  return ordered(once), ordered(core.optimize_text(once, passes)), once
end

--- Nodes in their order, and what they are computed from in any.
local function scheduled(text)
  local leaves, rest = {}, {}
  for line in text:gmatch("[^\n]+") do
    local to = line:find("^v%d+:") and leaves or rest
    to[#to + 1] = line
  end
  table.sort(leaves)
  return table.concat(leaves, "\n") .. "\n" .. table.concat(rest, "\n")
end

local function in_place(text, once)
  return scheduled(core.optimize_text(ordered(text), run.whole)),
    scheduled(core.optimize_text(ordered(once), run.whole))
end

describe("a second run of the optimizer", function()
  it("is a run of every pass", function()
    assert.truthy(#parts > 15)
    assert.equal(#parts + 1, #all)
    assert.truthy(#whole > #all + 2)
  end)

  it("leaves every golden graph as the first made it", function()
    for _, path in ipairs(golden.files()) do
      for _, case in ipairs(golden.read(path)) do
        for _, passes in ipairs({ run.parts, run.all }) do
          local first, second = twice(case.given, passes)
          assert.equal(first, second, case.name)
        end
      end
    end
  end)

  it("leaves the gradient of a loop's sum as the first made it", function()
    local x, n = T.dvector("x"), T.iscalar("n")
    for _, steps in ipairs({ 5, n }) do
      local hs = theano.scan(function(s) return T.tanh(s + x) end,
        { outputs_info = { T.zeros_like(x) }, n_steps = steps })
      local text = theano.printing.graph_text({ theano.grad(hs:sum(), x) })
      for _, passes in ipairs({ run.parts, run.all }) do
        local first, second = twice(text, passes)
        assert.equal(first, second)
      end
    end
  end)

  it("changes hardly one random graph or gradient, and refuses none", function()
    local graphs, changed, shorter = 0, { parts = {}, all = {}, whole = {} }, {}
    local function note(what, seed, first, second)
      if first ~= second then table.insert(changed[what], seed) end
      if nodes(second) < nodes(first) then shorter[#shorter + 1] = seed end
    end
    local function look(seed, outputs)
      local text = theano.printing.graph_text(outputs)
      local first, second, once = twice(text, run.parts)
      graphs = graphs + 1
      note("parts", seed, first, second)
      note("all", seed, twice(text, run.all))
      note("whole", seed, in_place(text, once))
    end
    for seed = 1, 200 do
      local p = fuzz.program(seed)
      local g, wrt = fuzz.build(p), {}
      look(seed, g.outputs)
      for _, v in ipairs(g.inputs) do
        if v.dtype == "float64" then wrt[#wrt + 1] = v end
      end
      for _, y in ipairs(#wrt > 0 and g.outputs or {}) do
        local ok, grads = pcall(theano.grad, T.sum(T.sin(y)), wrt, { disconnected_inputs = "ignore" })
        if y.dtype == "float64" and ok then
          look(seed, grads)
          break
        end
      end
    end
    assert.truthy(graphs > 250)
    for what, seeds in pairs(changed) do
      local text = ("%s: %d of %d: seeds %s"):format(what, #seeds, graphs, table.concat(seeds, " "))
      assert.truthy(#seeds <= 0.02 * graphs, text)
    end
    assert.truthy(#shorter <= 0.02 * graphs, #shorter .. " shorter: seeds " .. table.concat(shorter, " "))
  end)
end)
