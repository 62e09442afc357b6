--- What kernels of PyTorch take by the reckoning of theano.printing.roofline, from the code that its library has for
-- this GPU: those that instructions may hold back, not memory alone.
--   build/theano bench/gpu/peer_kernels.lua CUOBJDUMP LIBTORCH_CUDA [GPU]
-- CUOBJDUMP is NVIDIA's (the toolkit's, or triton's); it takes some minutes, and a gigabyte of temporary files.
package.path = "./?.lua;" .. package.path
local roofline = require("theano.roofline")

local tool, library, gpu = arg[1], arg[2], arg[3] or "h100"
if not library or not roofline.limits[gpu] then
  io.stderr:write("usage: build/theano bench/gpu/peer_kernels.lua CUOBJDUMP LIBTORCH_CUDA [GPU]\n")
  os.exit(2)
end
local limits = roofline.limits[gpu]
local N, NUMBERS = 8192 * 1024, 1 << 24

-- A thread's turns through the loop, as PyTorch launches them: draws of four numbers by at most eight blocks a
-- multiprocessor, elementwise kernels of four elements a thread and no loop.
local drawing = { blocks = limits.multiprocessors * 8, threads = 256, bytes = 4 * NUMBERS }
drawing.turns = math.ceil(NUMBERS / (drawing.blocks * drawing.threads * 4))
local function elementwise(passes) return { blocks = N // 512, threads = 128, turns = 1, bytes = 4 * passes * N } end

local KERNELS = {
  { "uniform", "DistributionUniform.*grid_stride_kernelIfLi4E.*uniform_and_transformIff", drawing },
  { "normal", "DistributionNormal.*grid_stride_kernelIfLi4E.*normal_and_transformIff", drawing },
  { "GELU", "vectorized_elementwise_kernelILi4E.*18GeluCUDAKernelImpl.*UlvE0_clEvENKUlvE0_clEvEUlfE_", elementwise(2) },
  { "GELU, gradient", "vectorized_elementwise_kernelILi4E.*GeluBackwardCUDAKernelImpl.*UlvE0_clEvENKUlvE0_clEvEUlffE_",
    elementwise(3) },
}

local folder = assert(io.popen("mktemp -d")):read("l")
local function quoted(word) return "'" .. word:gsub("'", "'\\''") .. "'" end
assert(os.execute(("cd %s && %s -arch %s -xelf all %s >/dev/null"):format(quoted(folder), quoted(tool), limits.arch,
  quoted(library))))

-- Of each kernel the version with least code: what it has for operands that lie well.
local best = {}
for path in assert(io.popen("ls " .. quoted(folder) .. "/*.cubin")):lines() do
  local file <close> = assert(io.open(path, "rb"))
  local image = file:read("a")
  for _, k in ipairs(KERNELS) do
    if image:find(k[2]:match("%w+CUDAKernelImpl") or k[2]:match("^%w+"), 1, true) then
      for name, code in pairs(roofline.code_of(image)) do
        if name:find(k[2]) and (not best[k] or #code < #best[k]) then best[k] = code end
      end
    end
  end
end
os.execute("rm -rf " .. quoted(folder))

print("| " .. gpu .. " | instructions of a thread | of the whole numbers' units | us by memory | us |")
print("|---|---|---|---|---|")
for _, k in ipairs(KERNELS) do
  local r = best[k] and roofline.foreign(gpu, best[k], k[3])
  print(r and ("| %s | %d | %d | %.1f | %.1f |"):format(k[1], r.issued.all, r.issued.int or 0, r.memory * 1e6,
    r.estimate * 1e6) or ("| %s | not found |"):format(k[1]))
end
