--- Theano for Lua: symbolic tensors, gradients and compiled functions.
-- `local theano = require "theano"`; nothing global is set, nothing is printed.
-- @module theano
if ... == "theano.init" then -- the module of that name, not this file
  require("theano")
  return require("theano.initializers")
end
local core = require("theano.core")

local here = debug.getinfo(1, "S").source:gsub("init%.lua$", "")
core.set_home(here)
core.set_logger(function(lines)
  io.stderr:write(lines)
end)

local theano = { _VERSION = core.version }
package.loaded["theano"] = theano -- submodules may require it while it loads

theano.config = require("theano.config")
theano.config.load()
theano.ndarray = require("theano.ndarray")
theano.tensor = require("theano.tensor")
theano.gradient = require("theano.gradient")
theano.sparse = require("theano.sparse")
require("theano.nnet")
require("theano.images")
require("theano.types")
theano.get_test_value = require("theano.test_value").get_test_value
require("theano.extra")
local sandbox_linalg = require("theano.linalg")(theano.tensor)
require("theano.pad")
require("theano.alike").variables(theano.tensor)
theano.printing = require("theano.printing")
theano.why = require("theano.why").why
theano.updates = require("theano.updates")
theano.typed_list = require("theano.typed_list")

local fn = require("theano.compile")
theano.compile = fn
theano["function"] = fn
theano.In, theano.Out = fn.In, fn.Out
theano.load = require("theano.model").load
local keep = require("theano.keep")
theano.keep, theano.kept, theano.forget = keep.keep, keep.kept, keep.forget

--- A place for scripts of others: a Lua state and an engine of their own, without files, processes, compiler or flags.
-- Limits, of which 0 is none: `memory` (bytes of each of the two, 256e6), `seconds` of one run (10), `steps` of Lua's
-- machine of one run (0), `nodes` of graphs (1e6). `box:run(text, ...)` gives what the script returns or raises what it
-- raises; `box:printed()` what it printed since; `box:used()` bytes; `box:close()`.
function theano.sandboxed(limits)
  local util = require("theano.util")
  limits = limits or {}
  util.expect("sandboxed", "limits", limits, "table")
  util.check_keywords("sandboxed", limits, { memory = "number", seconds = "number", steps = "number",
    nodes = "number" })
  return core.sandboxed(limits)
end
theano.gof = require("theano.gof")
theano.tensor.opt = theano.tensor.opt or {}
for k, v in pairs(theano.gof.phases) do theano.tensor.opt[k] = v end
setmetatable(theano.tensor.opt, { __index = require("theano.optdb").field })
theano.shared = require("theano.shared")
theano.cuda = require("theano.cuda")

--- An array for another library of this process, without a copy, as DLPack has it: a capsule, which keeps the array's
-- memory until the library lets go. `capsule:take()` is the tensor (light userdata) for code in C, which then calls its
-- deleter; what nobody took goes with the capsule. Without options a DLManagedTensor; versioned: that of DLPack 1.0,
-- which alone can say that an array is read-only.
-- @tparam ndarray a
-- @tparam[opt] table options versioned
function theano.to_dlpack(a, options)
  local util = require("theano.util")
  util.expect("to_dlpack", "the array", a, "ndarray")
  util.check_keywords("to_dlpack", options or {}, { versioned = "boolean" })
  return core.to_dlpack(a, options and options.versioned or false)
end

--- Another library's tensor as an array, without a copy: a capsule of to_dlpack, or the tensor's address (light
-- userdata; versioned: a DLManagedTensorVersioned), whose deleter is called when the last view of it is gone.
-- @param tensor
-- @tparam[opt] table options versioned
-- @treturn ndarray
function theano.from_dlpack(tensor, options)
  local util = require("theano.util")
  if type(tensor) ~= "userdata" or util.is_var(tensor) or util.is_array(tensor) then
    util.raise("TypeError", "from_dlpack takes a capsule of to_dlpack or light userdata, got %s", util.kind_of(tensor))
  end
  util.check_keywords("from_dlpack", options or {}, { versioned = "boolean" })
  return core.from_dlpack(tensor, options and options.versioned or false)
end

theano.clone = require("theano.clone")
theano.grad = theano.gradient.grad
theano.Lop, theano.Rop, theano.subgraph_grad = theano.gradient.Lop, theano.gradient.Rop, theano.gradient.subgraph_grad
for _, name in ipairs({ "grad", "Lop", "Rop", "jacobian", "hessian", "vmap", "verify_grad", "consider_constant" }) do
  theano.tensor[name] = theano.gradient[name]
end
theano.sparse_grad = theano.gradient.sparse_grad
theano.dot = theano.tensor.dot
theano.get_scalar_constant_value = theano.tensor.get_scalar_constant_value
theano.pp = theano.printing.pp
local op = require("theano.op")
theano.Op, theano.Apply, theano.as_op, theano.OpFromGraph = op.Op, op.Apply, op.as_op, op.OpFromGraph
local scan = require("theano.scan")
theano.scan, theano.map, theano.reduce, theano.foldl, theano.foldr = scan.scan, scan.map, scan.reduce, scan.foldl,
  scan.foldr
theano.until_, theano.scan_module, theano.scan_checkpoints = scan.until_, scan, scan.scan_checkpoints
theano.ifelse = require("theano.ifelse")
theano.sandbox = { rng_mrg = require("theano.rng_mrg"), linalg = sandbox_linalg }
package.loaded["theano.sandbox"] = theano.sandbox
package.loaded["theano.sandbox.linalg"] = theano.sandbox.linalg
theano.tensor.raw_random = require("theano.raw_random")
theano.tensor.shared_randomstreams = require("theano.shared_randomstreams")
theano.random = require("theano.random")
require("theano.dropout")
theano.OrderedUpdates = theano.updates.OrderedUpdates

--- Kind of an error message raised by this library ("ShapeError"), or nil.
-- @tparam string message
-- @treturn ?string
function theano.error_kind(message)
  local text = tostring(message)
  return text:match("^[^\n]-:%d+: (%u[%w]*): ") or text:match("^(%u[%w]*): ")
end

--- Text about a function of the tensor language or a flag: signature and one line.
-- @tparam string name "sum", "T.sum", "nnet.softmax", "floatX"
-- @treturn string
function theano.help(name)
  return require("theano.help").text(name)
end

--- Whether Ctrl-C and SIGTERM only set a flag (runner only): a training loop can then save and end by itself.
-- @tparam boolean on
-- @treturn boolean whether it was so before: then the flag stays as it is
function theano.catch_interrupt(on)
  return core.catch_interrupt ~= nil and core.catch_interrupt(on)
end

--- True once Ctrl-C was pressed under `catch_interrupt(true)`; of several ranks: once all know that one was to end.
function theano.interrupted()
  local mpi = package.loaded["theano.mpi"]
  if mpi and mpi.size > 1 then return mpi.interrupted() end
  return core.interrupted ~= nil and core.interrupted()
end

--- Totals of the engine, for tests and tools: "live_bytes", "live_nodes", "allocs", "cache_bytes".
theano.stat = core.stat

-- Loaded when they are first asked for: what a training script needs and an engine does not.
local LATER = { init = "initializers", layers = "layers", train = "train", data = "data", checkpoint = "checkpoint",
  progress = "progress", mpi = "mpi", plot = "plot", args = "runner.args", run = "runner.current", onnx = "onnx" }
setmetatable(theano, { __index = function(t, name)
  if not LATER[name] then return nil end
  local module = require("theano." .. LATER[name])
  rawset(t, name, module)
  return module
end })
require("theano.modules").seal_all(theano)
return theano
