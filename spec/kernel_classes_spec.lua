--- A function of each class of kernels: its exported program has the bits of the function, or it is said what has no C
-- text; its graph is kept for the C tests.
local classes = require("spec.support.kernel_classes")
local cpu = require("spec.support.cpu")
local exported = require("spec.support.exported")
local raises = require("spec.support.raises")
local rotate = require("spec.support.rotate")
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")

-- No text of their own: what the refusal names.
local refused = { ["factorizations"] = "Eig", ["sparse matrices"] = "CSM",
  ["alignments"] = "ConnectionistTemporalClassificationGrad" }
-- Transforms of another length order their sums in another way.
local near = { ["Fourier transforms"] = true, ["convolution, fft"] = true }

describe("a class of kernels", function()
  it("has its graph in the file that C tests read", function()
    local file <close> = assert(io.open(classes.path))
    assert.equal(file:read("a"), classes.texts())
    assert.is_true(#classes.classes > 30)
  end)

  -- all of them by gcc, others every day by the rest
  for _, by in ipairs { { "gcc", 100 }, { "clang", 5 }, { "aarch64-linux-gnu-gcc", 5, "qemu-aarch64" } } do
    local compiler, many, run = table.unpack(by)
    it("gives the same bits as an exported program, by " .. compiler, function()
      cpu.only("the bits of the CPU")
      skip.unless(exported.has(compiler) and (not run or exported.has(run)), compiler .. " is not here")
      local list, tried = {}, {}
      for _, c in ipairs(classes.classes) do
        if not refused[c.name] then tried[#tried + 1] = c end
      end
      for i, c in ipairs(rotate.some(tried, many)) do
        local f, args = classes.compiled(c)
        list[i] = { (c.name:gsub("%W+", "_")), f, { args = args }, near = near[c.name] }
      end
      local said = exported.run(compiler, exported.strict .. " -O1" .. (run and " -static" or ""), list, run)
      for _, e in ipairs(list) do assert(said:find("\n" .. e[1] .. ": 0\n", 1, true), said) end
    end)
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
