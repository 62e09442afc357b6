--- README.md: its program runs as it stands and learns.
local slurp = require("spec.support.slurp")

describe("the program of README.md", function()
  local text = slurp("README.md"):match("\n```lua\n(.-)\n```\n")

  it("has 25 lines at most, blank ones left out", function()
    local count = 0
    for line in text:gmatch("[^\n]+") do
      if line:match("%S") then count = count + 1 end
    end
    assert.is_true(count <= 25, count .. " lines")
  end)

  it("runs and its cost falls", function()
    local costs, printed = {}, {}
    local env = setmetatable({
      print = function(a, b)
        if type(b) == "number" then costs[#costs + 1] = b else printed[#printed + 1] = tostring(a) end
      end,
    }, { __index = _G })
    assert(load(text, "=README.md", "t", env))()
    assert.equal(4, #costs)
    for i = 2, 4 do assert.is_true(costs[i] < costs[i - 1]) end
    assert.equal(1, #printed)
    assert.truthy(printed[1]:match("^%[[TrueFals ]+%]$"), printed[1])
  end)
end)
