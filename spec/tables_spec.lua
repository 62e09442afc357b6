--- Tables whose rows are code, line by line: what stands under "here" gives what stands under "gives".
local tables = require("spec.support.tables")

local LEAST = {
  ["from-theano"] = 60, ["from-numpy"] = 55, ["from-pytorch"] = 45, ["from-torch7"] = 50, optimizations = 30,
}

describe("the rows of", function()
  for name, least in pairs(LEAST) do
    local path = "docs/" .. name .. ".md"
    it(path .. " give what they say", function()
      local env, n, wrong = tables.environment(path), 0, {}
      for _, row in ipairs(tables.rows(path)) do
        local ok, gives = pcall(tables.evaluate, row.code, env)
        if not ok or gives ~= row.gives then
          wrong[#wrong + 1] = ("%s:%d: %s\n  gives %s\n  not   %s"):format(path, row.line, row.code, gives, row.gives)
        end
        n = n + 1
      end
      assert.equal("", table.concat(wrong, "\n"))
      assert.is_true(n >= least, n .. " rows")
    end)
  end
end)
