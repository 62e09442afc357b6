--- The text lines of the rewrite tables, one by one: what each makes of its left side, and that both sides agree.
local rules = require("spec.support.rule_lines")
local fuzz = require("spec.support.fuzz")

local becomes, extremes = rules.stored(rules.becomes_path), rules.stored(rules.extremes_path)

local function entry(stored, text)
  local head = text:match("^[^\n]*")
  return stored[head] or "not listed: run build/theano scripts/golden --update and review the difference"
end

for _, line in ipairs(rules.read()) do
  describe(("%s: %s -> %s"):format(line.name, line.before, line.after), function()
    it("makes of its left side what spec/golden/rules.lst lists", function()
      local got = rules.becomes(line)
      assert.equal(entry(becomes, got), got)
    end)
    it("has sides that agree on tame values", function()
      assert.is_nil(rules.random_difference(line, "float64", fuzz.rng(3)))
      assert.is_nil(rules.random_difference(line, "float32", fuzz.rng(4)))
    end)
    it("keeps what integers give, with their wrapping", function()
      for _, dtype in ipairs({ "int8", "uint8", "int64" }) do assert.is_nil(rules.integer_difference(line, dtype)) end
    end)
    it("has sides that differ on extreme values only where spec/golden/extremes.lst lists it", function()
      local got = rules.differences(line)
      assert.equal(entry(extremes, got), got)
    end)
  end)
end
