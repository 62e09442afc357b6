--- The kernels' CUDA text, compiled and assembled for two GPUs that are not there: registers, spills, shared memory,
-- occupancy, and the width of loads and stores. scripts/gpu-proof looks at all kernels, this at other ones every day.
local proof = require("spec.gpu.proof")
local rotate = require("spec.support.rotate")
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")

local THREADS = 256 -- CHOOSE_THREADS: what choose.c starts a block with
local SHARED = 48 << 10 -- bytes that a block may have without asking

local function assembled(cases, archs, folder)
  local kernels, why = proof.assemble(cases, archs, folder)
  if not kernels then skip.now(why) end
  return kernels
end

-- Nothing spills, all fits, and a multiprocessor is filled to a quarter at least; to an eighth, one block, by tiles of
-- products, which keep their sums in registers and slices of the factors in shared memory.
local function fits(cases)
  local wrong = {}
  for _, k in ipairs(assembled(cases, proof.archs)) do
    local what = k.spilled > 0 and "spills" or k.shared > SHARED and "has too much shared memory"
      or proof.occupancy(k, THREADS) < (k.shared >= 4096 and 0.125 or 0.25) and "takes too many registers"
    if what then wrong[#wrong + 1] = ("%s of %s %s (%s, seed %d)"):format(k.name, k.unit, what, k.arch, rotate.seed) end
  end
  assert(#wrong == 0, table.concat(wrong, "\n"))
end

-- Those with so long a text that a thread has fewer neighbours, or none.
local LONG = {}

describe("kernels for a GPU", function()
  it("of the goldens neither spill nor crowd a multiprocessor", function() fits(rotate.some(proof.golden(), 12)) end)

  it("of single operations neither spill nor crowd a multiprocessor", function()
    fits(rotate.some(proof.operations(), 32))
  end)

  it("of single operations with floats load 16 bytes at a time", function()
    if not proof.tool("nvdisasm") then skip.now("nvdisasm is not found: scripts/setup --gpu-tests fetches it") end
    local cases, wrong = {}, {}
    for _, case in ipairs(proof.operations()) do
      if case.elementwise and case.dtype:find("^float") and not LONG[case.name] then cases[#cases + 1] = case end
    end
    local folder = runner.folder()
    for _, k in ipairs(assembled(rotate.some(cases, 12), { "sm_90" }, folder)) do
      local bits = proof.widest_load(k.image, k.name)
      local what = ("%s of %s: %d bits (seed %d)"):format(k.name, k.unit, bits, rotate.seed)
      if bits ~= 128 then wrong[#wrong + 1] = what end
    end
    runner.remove(folder)
    assert(#wrong == 0, table.concat(wrong, "\n"))
  end)

  it("that are no CUDA are refused", function()
    assembled({ { name = "empty", text = function() return "" end } }, { "sm_90" })
    local broken = { name = "broken", text = function() return "nonsense_here;" end }
    local ok, why = pcall(proof.assemble, { broken }, { "sm_80" })
    assert.is_false(ok)
    assert.matches("broken, sm_80: .*nonsense_here", tostring(why))
  end)

  it("that spill are found", function()
    local text = [[extern "C" __global__ void __launch_bounds__(1024, 2) kernel_0(double *p) {
      double v[64];
      #pragma unroll
      for (int i = 0; i < 64; i++) v[i] = p[i * 1024 + threadIdx.x];
      __syncthreads();
      #pragma unroll
      for (int i = 0; i < 64; i++) p[i * 1024 + threadIdx.x] = v[i] * v[63 - i];
    }]]
    local k = assembled({ { name = "many", text = function() return text end } }, { "sm_80" })[1]
    assert.equal("kernel_0", k.name)
    assert.is_true(k.spilled > 0)
    assert.is_true(k.registers <= 32)
  end)

  it("fill what NVIDIA's occupancy calculator says", function()
    local function part(arch, registers, shared, threads)
      return proof.occupancy({ arch = arch, registers = registers, shared = shared }, threads)
    end
    assert.equal(1, part("sm_80", 32, 0, 256))
    assert.equal(0.75, part("sm_80", 40, 0, 256))
    assert.equal(0.5, part("sm_90", 64, 4096, 256))
    assert.equal(0.375, part("sm_80", 16, 48 << 10, 256))
    assert.equal(0.5, part("sm_90", 16, 48 << 10, 256))
    assert.equal(0.125, part("sm_90", 255, 0, 256))
  end)
end)
