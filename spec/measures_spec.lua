--- Every rule lowers what it says it lowers (spec.support.measures), on every golden case in which it fires.
local core = require("theano.core")
local golden = require("spec.support.golden")
local measures = require("spec.support.measures")

local rules = {} -- name -> whether a case of its own fired
for name in core.optdb_fired():gmatch("(%S+) %d+") do rules[name] = false end

-- Passes over the whole graph: a line of the summary that no rules follow and no note ends.
local passes, last = 0, nil
for line in (core.optdb_summary("fast_run") .. "\n     100  end"):gmatch("[^\n]+") do
  local name, rest = line:match("^ *[%d.]+  (%S+)(.*)$")
  if name or line:match("^           %S") then
    if last and name and not measures.neutral[last] then
      rules[last], passes = false, passes + 1
    end
    last = name and rest == "" and name or nil
  end
end

describe("the measure of", function()
  for _, path in ipairs(golden.files()) do
    for _, case in ipairs(golden.read(path)) do
      for rule in case.pass:gmatch("[^:]+") do
        -- before: what the other passes of the case make of it
        local others = (":" .. case.pass .. ":"):gsub(":" .. rule .. ":", ":"):gsub("^:", ""):gsub(":$", "")
        local before = rules[rule] ~= nil and core.optimize_text(case.given, others) or case.want
        if before ~= case.want then
          rules[rule] = true
          it(rule .. " goes down in " .. case.name, function()
            local lower, text = measures.lowers(rule, before, case.want)
            assert.is_true(lower, text)
          end)
        end
      end
    end
  end
end)

describe("a measure", function()
  it("is declared for every pass over the whole graph", function()
    assert.equal(20, passes)
    for _, name in ipairs({ "merge1", "elemwise_fusion", "GemmOptimizer", "inplace_elemwise_opt", "scan_merge" }) do
      assert.is_not_nil(rules[name], name)
      assert.is_string(measures.of[name], name)
    end
  end)

  it("is checked for every rule", function()
    local left = {}
    for name, checked in pairs(rules) do
      if not checked then left[#left + 1] = name end
    end
    table.sort(left)
    assert.same({}, left)
  end)

  it("is declared for rules that exist", function()
    for name in pairs(measures.of) do
      assert.truthy(rules[name] ~= nil or core.optdb_summary("fast_run"):find(name, 1, true), name)
    end
  end)

  it("is not lower the other way round", function()
    local n = 0
    for _, path in ipairs(golden.files()) do
      for _, case in ipairs(golden.read(path)) do
        if rules[case.pass] and core.optimize_text(case.given, "") ~= case.want then
          n = n + 1
          assert.is_false(measures.lowers(case.pass, case.want, core.optimize_text(case.given, "")), case.name)
        end
      end
    end
    assert.is_true(n > 100)
  end)
end)
