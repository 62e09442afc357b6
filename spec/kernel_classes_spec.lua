--- A function of each class of kernels: its exported program has the bits of the function, or it is said what has no C
-- text; its graph is kept for the C tests.
local classes = require("spec.support.kernel_classes")
local cpu = require("spec.support.cpu")
local exported = require("spec.support.exported")
local raises = require("spec.support.raises")
local runner = require("spec.support.runner")

-- No text of their own: what the refusal names.
local refused = { ["factorizations"] = "Eig", ["sparse matrices"] = "CSM",
  ["alignments"] = "ConnectionistTemporalClassificationGrad" }
-- Transforms of another length order their sums in another way.
local near = { ["Fourier transforms"] = true, ["convolution, fft"] = true }

-- Those that have a text, each compiled once its turn comes.
local function functions(add)
  for _, c in ipairs(classes.classes) do
    local name = c.name:gsub("%W+", "_")
    if not refused[c.name] then add(name, function() return classes.compiled(c) end, nil, near[c.name]) end
  end
end

describe("a class of kernels", function()
  it("has its graph in the file that C tests read", function()
    local file <close> = assert(io.open(classes.path))
    assert.equal(file:read("a"), classes.texts())
    assert.is_true(#classes.classes > 30)
  end)

  -- all of them by gcc, others every day by the rest
  for _, by in ipairs(exported.compilers(100, 5, 5)) do
    it("gives the same bits as an exported program, by " .. by.name, function() by:has_bits(functions) end)
  end

  it("is refused by the name of what has no C text yet", function()
    cpu.only("what becomes C for the CPU")
    local met = 0
    for _, c in ipairs(classes.classes) do
      if refused[c.name] then
        local f, args = classes.compiled(c)
        local dir = runner.folder()
        raises("NotImplementedError", refused[c.name], function() f:export("x", { dir = dir, args = args }) end)
        runner.remove(dir)
        met = met + 1
      end
    end
    assert.equal(3, met)
  end)
end)
