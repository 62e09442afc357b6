--- Every golden case of the optimizer, and that every rule has one where it fires and one where it must not.
local core = require("theano.core")
local golden = require("spec.support.golden")
local names = require("spec.support.rewrite_names")

local fires, stays = {}, {}
for _, path in ipairs(golden.files()) do
  describe(path, function()
    for _, case in ipairs(golden.read(path)) do
      it(case.name, function()
        assert.equal(case.want, golden.run(case))
      end)
      local unchanged = core.optimize_text(case.given, "") == case.want
      for word in case.pass:gmatch("[^:]+") do
        if unchanged then stays[word] = true else fires[word] = true end
      end
    end
  end)
end

describe("the rules", function() -- those too that run only where they are asked for
  local seen = {}
  for name in pairs((names.present(core.optdb_summary))) do seen[#seen + 1] = name end
  for _, pass in ipairs(names.whole) do seen[#seen + 1] = pass end
  table.sort(seen)
  for _, rule in ipairs(seen) do
    it(rule .. " fires in a golden case", function() assert.truthy(fires[rule]) end)
    it(rule .. " leaves another golden case alone", function() assert.truthy(stays[rule]) end)
  end
  it("are all of them", function() assert.truthy(#seen > 140) end)
end)

describe("opt", function()
  it("names a pass that does not exist", function()
    local ok, message = pcall(core.optimize_text, "x: float64[?]\nout x\n", "canonicalise")
    assert.is_false(ok)
    assert.truthy(tostring(message):find("canonicalise", 1, true))
  end)

  it("finds nothing more to do in what the phases leave", function()
    local phases = "merge1:useless:canonicalize:stabilize:specialize"
    for _, path in ipairs(golden.files()) do
      for _, case in ipairs(golden.read(path)) do
        local once = core.optimize_text(case.given, phases)
        assert.equal(once, core.optimize_text(once, phases), case.name)
      end
    end
  end)
end)
