--- The mistakes of scripts/mutants: those in the code can still be made (`scripts/mutants code` makes them).
local code = require("spec.mutants.code")

describe("mistakes in the code", function()
  it("are texts that stand once in their files, and have a spec", function()
    for _, m in ipairs(code.list) do
      assert.truthy(code.broken(m):find(m.after, 1, true))
      assert(io.open(m.spec)):close()
    end
  end)
end)
