--- docs/lacking.md, errors and help say the same of what Theano has by name and this version has not.
local lacking = require("theano.lacking")
local raises = require("spec.support.raises")
local runner = require("spec.support.runner")
local theano = require("theano")

describe("what Theano has and this version has not", function()
  it("is in docs/lacking.md, as scripts/make-lacking writes it", function()
    local text, status = runner.run({ "scripts/make-lacking", "--print" })
    assert.equal(0, status, text)
    local file <close> = assert(io.open("docs/lacking.md"))
    assert.is_true(text == file:read("a"), "run `build/theano scripts/make-lacking` and commit docs/lacking.md")
  end)

  it("has a reason each, which errors and help say too", function()
    local n, lacked = 0, {}
    for _, module in ipairs(lacking.modules) do
      local ours = theano
      for part in module:gsub("^theano%.?", ""):gmatch("[^.]+") do ours = ours[part] end
      for _, name in ipairs(lacking.of(module)) do
        local why = assert(lacking.why(name), name)
        raises("AttributeError", why, function() return ours[name] end)
        lacked[name], n = true, n + 1
      end
    end
    assert.is_true(n > 250, n .. " names")
    for _, name in ipairs({ "d3viz", "MPISend", "csr_dmatrix", "PPrinter", "AdvancedSubtensor", "EquilibriumDB" }) do
      raises("KeyError", lacking.why(name), function() theano.help(name) end)
    end
    for _, family in ipairs(lacking.families) do
      for name in family[2]:gmatch("%f[^%s%z]%a[%w_]*%f[%s%z]") do assert.is_true(lacked[name], name .. " is there") end
    end
  end)
end)
