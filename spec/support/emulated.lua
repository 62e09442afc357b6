--- What a spec asks of the emulated driver: calls counted, calls that fail, less memory.
local runner = require("spec.support.runner")
local M = {}

--- Where it lies: beside the runner.
M.library = os.getenv("EMULATED_DRIVER") or runner.path:gsub("[^/]*$", "") .. "libcuda-emulated.so"
local function entry(name) return assert(package.loadlib(M.library, "emulated_" .. name)) end

--- How often an entry point was called; without a name: all of them.
M.calls = entry("calls")
--- The n-th call of an entry point from now on gives CUDA's number `code` and does nothing; n 0: none does.
M.fail = entry("fail")
M.memory = entry("memory")
--- 1: kernels and libraries do nothing from now on, so that a call of any size queues what it would; 0: they run.
M.idle = entry("idle")
--- So many blocks that wait for each other run at once on each of its four multiprocessors, of what is loaded from now
-- on; 1 unless told.
M.resident = entry("resident")

M.flags = { device = "cuda-emulated", force_device = true }

--- The entry points that a call may reach.
M.entries = { "cuCtxSetCurrent", "cuMemAllocAsync", "cuMemFreeAsync", "cuMemHostAlloc", "cuMemcpyHtoDAsync_v2",
  "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoDAsync_v2", "cuMemsetD8Async", "cuStreamCreate", "cuStreamSynchronize",
  "cuStreamWaitEvent", "cuEventCreate", "cuEventRecord", "cuEventSynchronize", "cuModuleLoadData",
  "cuModuleGetFunction", "cuLaunchKernel", "cuLaunchCooperativeKernel", "cuStreamBeginCapture_v2", "cuStreamEndCapture",
  "cuStreamGetCaptureInfo_v2",
  "cuStreamUpdateCaptureDependencies", "cuGraphInstantiateWithFlags", "cuGraphLaunch" }

--- Calls that `run` makes, by entry point; those of none are not there.
function M.counted(run)
  local before, counts = {}, {}
  for _, name in ipairs(M.entries) do before[name] = M.calls(name) end
  run()
  for _, name in ipairs(M.entries) do
    local n = M.calls(name) - before[name]
    if n > 0 then counts[name] = n end
  end
  return counts
end

--- What shared variables hold now, as arrays.
function M.values(shareds)
  local all = {}
  for i, s in ipairs(shareds) do all[i] = s:get_value({ array = true }) end
  return all
end

return M
