--- GPUs: what there is, what it has, what went there and back.
-- @module theano.cuda
if not package.loaded["theano"] then require("theano") return require("theano.cuda") end -- it loads us
local core = require("theano.core")
local util = require("theano.util")

local M = {}

local MEMORY = {
  "bytes", "unused", "used", "kept", "most", "limit", "arrays", "to_device", "to_device_bytes", "to_host",
  "to_host_bytes", "launches",
}
local INFO = { "name", "number", "capability", "multiprocessors", "cuda", "emulated", "bytes" }

local function fields(device, names)
  if device ~= nil then util.expect("cuda", "the device", device, "string") end
  local all, out = core.device_info(device or "cuda"), {}
  for _, name in ipairs(names) do out[name] = all[name] end
  return out
end

--- How many GPUs there are; 0 where there is no driver.
-- @treturn integer
function M.count() return core.device_count() end

--- Whether there is one.
-- @treturn boolean
function M.available() return core.device_count() > 0 end

--- What a GPU is: name, number, capability ("9.0"), multiprocessors, cuda (version of the driver), emulated, bytes.
-- A GpuError says which piece is missing.
-- @tparam[opt] string device "cuda" (the flag's, or the first), "cuda:1"
-- @treturn table
function M.info(device) return fields(device, INFO) end

--- Its memory and the way there: bytes and unused of the GPU; used, kept for later, most and limit
-- (gpuarray.preallocate) of ours; arrays that live there; values that went to_device and to_host, with their bytes;
-- launches of kernels.
-- @tparam[opt] string device as of info
-- @treturn table
function M.memory(device) return fields(device, MEMORY) end

--- Where an array that lives on a GPU begins there, for other programs in this process: what was queued on it is done,
-- and what they write there is seen. nil: it lives on the host.
-- @tparam ndarray a
-- @treturn ?integer
function M.address(a)
  util.expect("cuda.address", "the array", a, "ndarray")
  return core.device_address(a)
end

--- Memory of a GPU that somebody else had as an array that lives there, in place, in C order. It must stay for as long
-- as the array and its views; from_dlpack takes memory that says when it may go.
-- @tparam integer address
-- @param shape lengths
-- @tparam[opt="float64"] string dtype
-- @tparam[opt="cuda"] string device
-- @treturn ndarray
function M.wrap(address, shape, dtype, device)
  if math.type(address) ~= "integer" then
    util.raise("TypeError", "cuda.wrap: the address should be an integer, not %s", util.kind_of(address))
  end
  if device ~= nil then util.expect("cuda.wrap", "the device", device, "string") end
  return core.array_on_device(device or "cuda", dtype, shape, address)
end

return M
