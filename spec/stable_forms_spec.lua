--- Forms that overflow, or lose all digits, as they stand: under every view, side, sign and weight, in float32 and
-- float64, value, gradient and second gradient are those of spec/data/stable_forms.json from -1000 to 1000.
local forms = require("spec.support.stable_forms")
local cases = require("spec.support.stable_cases")

local function hold(case, view, weight, dtype)
  local list = forms.differences(case, view, weight, dtype)
  assert.equal("", table.concat(list, "; "), ("%s, weight %s, %s"):format(view.name, weight.name, dtype))
end

describe("far out and at 0", function()
  for _, case in ipairs(cases) do
    it(case.name .. " is right under every weight", function()
      for _, weight in ipairs(forms.weights) do hold(case, forms.views[1], weight, "float64") end
    end)

    it(case.name .. " is right under every view", function()
      for i = 2, #forms.views do
        hold(case, forms.views[i], forms.weights[1], "float64")
        hold(case, forms.views[i], forms.weights[5], "float64")
      end
    end)

    it(case.name .. " is right in single precision", function()
      hold(case, forms.views[1], forms.weights[1], "float32")
      hold(case, forms.views[3], forms.weights[5], "float32")
    end)
  end
end)
