--- The text of generated code, for every instruction set and for CUDA, as it is kept in spec/golden/units.
-- `build/theano scripts/golden --update` writes it anew: review the diff.
local theano = require("theano")
local units = require("spec.support.unit_golden")

describe("the text of a unit", function()
  local files = units.files()

  for _, case in ipairs(units.cases()) do
    local name = case[1] .. ".txt"
    it(case[1] .. ": " .. case[2], function()
      local kept = units.stored(name)
      assert.is_true(kept == files[name], units.difference(kept, files[name]))
    end)
  end

  it("uses helpers that are what they were", function()
    for _, target in ipairs(units.targets) do
      local name = target .. ".lst"
      local kept = units.stored(name)
      assert.is_true(kept == files[name], name .. ": " .. tostring(units.difference(kept, files[name])))
    end
  end)

  it("is kept for these functions alone", function()
    for _, name in ipairs(units.stored_names()) do assert.truthy(files[name], name) end
  end)

  it("is kept whole", function()
    for i, case in ipairs(units.cases()) do
      for target, text in pairs(i % 5 == 0 and units.texts(case) or {}) do
        if target ~= "plan" and text:sub(1, 5) ~= "none:" then
          local want = text:gsub("^[^\n]*\n", "", 1) -- the line with the version
          assert.is_true(want == units.whole(case[1], target, files), case[1] .. ", " .. target)
        end
      end
    end
  end)

  it("does not depend on what was compiled before, nor on the flags around it", function()
    local cases = units.cases()
    local first = {}
    for i = #cases, 1, -3 do first[i] = units.texts(cases[i]) end
    local _ <close> = theano.config.change_flags({ openmp = true, openmp_elemwise_minsize = 1, floatX = "float32",
      optimizer = "fast_compile", ["gcc.cxxflags"] = "-march=x86-64", ["compile.tiers"] = true, profile = true,
      ["tensor.local_elemwise_fusion"] = false, cast_policy = "numpy+floatX", device = "cuda-emulated" })
    for i, texts in pairs(first) do assert.same(texts, units.texts(cases[i])) end
  end)

  it("for CUDA is one for all devices", function()
    local x = theano.tensor.dmatrix("x")
    local f = theano.compile({ inputs = { x }, outputs = theano.tensor.tanh(x):sum { axis = 1 },
      mode = theano.compile.Mode({ linker = "interpreter" }) })
    local text = theano.printing.ccode(f, "cuda")
    assert.truthy(text:find("KERNEL kernel_0", 1, true))
    assert.equal(text, theano.printing.ccode(f, "cuda-emulated"))
  end)
end)
