--- Plans of small functions, as text. `build/theano scripts/golden --update` writes them anew: review the diff.
local golden = require("spec.support.plan_golden")

describe("the plan", function()
  for _, case in ipairs(golden.cases) do
    it(case.name .. ": " .. case.about, function()
      assert.equal(golden.stored(case), golden.text(case))
    end)
  end

  it("is the same text each time", function()
    for _, case in ipairs(golden.cases) do
      assert.equal(golden.text(case), golden.text(case))
    end
  end)
end)
