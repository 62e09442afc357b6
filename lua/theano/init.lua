--- Theano for Lua: symbolic tensors, gradients and compiled functions.
-- `local theano = require "theano"`; nothing global is set, nothing is printed.
-- @module theano
if ... == "theano.init" then -- the module of that name, not this file
  require("theano")
  return require("theano.initializers")
end
local core = require("theano.core")
-- Who takes `theano` alone out of package.loaded and requires it again gets the library that is there.
local there = package.loaded["theano.parts"] and package.loaded["theano.parts"].library()
if there then return there end

local here = debug.getinfo(1, "S").source:gsub("init%.lua$", "")
core.set_home(here)
core.set_logger(function(lines)
  io.stderr:write(lines)
end)

local theano = { _VERSION = core.version }
package.loaded["theano"] = theano -- submodules may require it while it loads

theano.config = require("theano.config")
theano.config.load()
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
  require("theano.ndarray") -- what the array can do
  return core.from_dlpack(tensor, options and options.versioned or false)
end

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
require("theano.parts").install(theano, LATER)
require("theano.modules").seal_part(theano, "theano")
return theano
