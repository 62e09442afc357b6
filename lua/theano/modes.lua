--- Modes that look at every node of a function while it runs: DebugMode, NanGuardMode, MonitorMode.
-- `theano.compile.DebugMode{...}` and its like are made of these; docs/modes.md says what they find.
-- @module theano.modes
local core = require("theano.core")
local util = require("theano.util")

local M = {}

local function options_of(what, given, known)
  local o = given or {}
  if type(o) ~= "table" then util.raise("TypeError", "%s takes a table of options, got %s", what, type(o)) end
  known.linker, known.optimizer = "string", true
  util.check_keywords(what, o, known)
  return o
end

--- Options: `optimizer` ("fast_run"), `stability_patience`, `check_c_code`, `check_py_code`, `check_isfinite`; defaults
-- are the flags DebugMode.*.
function M.DebugMode(given)
  local o = options_of("DebugMode", given,
    { stability_patience = "integer", check_c_code = "boolean", check_py_code = "boolean", check_isfinite = "boolean" })
  return core.watch("debug", o), { linker = o.linker, optimizer = o.optimizer or "fast_run" }
end

--- Options: `nan_is_error`, `inf_is_error`, `big_is_error` (true), `action` ("raise" or "warn"); or the three in this
-- order, as Theano's.
function M.NanGuardMode(given, inf, big)
  if type(given) == "boolean" then given = { nan_is_error = given, inf_is_error = inf, big_is_error = big } end
  local known = { nan_is_error = "boolean", inf_is_error = "boolean", big_is_error = "boolean", action = "string" }
  local o = options_of("NanGuardMode", given, known)
  if o.action ~= nil and o.action ~= "raise" and o.action ~= "warn" then
    util.raise("ValueError", "NanGuardMode: action is 'raise' or 'warn', not '%s'", tostring(o.action))
  end
  return core.watch("guard", o), o
end

--- `pre_func(i, node, fn)` before and `post_func(i, node, fn)` after every node: i is its place in the toposort, from
-- 0;
-- fn.inputs and fn.outputs hold a cell for each variable, whose [1] is its value; in the body of a loop fn.within is
-- the loop's node and fn.step the turn.
function M.MonitorMode(given, post)
  if type(given) == "function" then given = { pre_func = given, post_func = post } end
  local o = options_of("MonitorMode", given, util.set({ "pre_func", "post_func" }))
  for _, name in ipairs({ "pre_func", "post_func" }) do
    if o[name] ~= nil and type(o[name]) ~= "function" then
      util.raise("TypeError", "MonitorMode: %s is a function, got %s", name, type(o[name]))
    end
  end
  if not o.pre_func and not o.post_func then
    util.raise("TypeError", "MonitorMode takes pre_func, post_func or both")
  end
  return core.watch("monitor", o), o
end

-- Some element of the array is NaN: it alone differs from itself.
local function has_nan(a)
  if not a.dtype:find("[fc]") then return false end
  local nd = require("theano.ndarray")
  return not nd.array_equal(a, a)
end

--- A post_func that prints the first node with a NaN in its results, with its inputs and outputs.
function M.detect_nan(_, node, fn)
  for _, cell in ipairs(fn.outputs) do
    if cell[1] and has_nan(cell[1]) then
      print("*** NaN detected ***")
      require("theano.printing").debugprint(node)
      for _, what in ipairs({ "inputs", "outputs" }) do
        for i, c in ipairs(fn[what]) do print(("%s %d: %s"):format(what:sub(1, -2), i, tostring(c[1]))) end
      end
      return
    end
  end
end

return M
