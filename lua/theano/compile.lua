--- Compiled functions: `theano.compile{inputs = {x}, outputs = y, updates = {{w, w - g}}}`.
-- @module theano.compile
if not package.loaded["theano"] then require("theano") return require("theano.compile") end -- it loads us
local core = require("theano.core")
require("theano.gof")
local mode = require("theano.mode")
local modes = require("theano.modes")
local profile = require("theano.profile")
local updates = require("theano.updates")
local util = require("theano.util")
local function_object = require("theano.function_object")

local M = {}

-- ---- In and Out -----------------------------------------------------------------------------------------------------
local in_known = {
  variable = true, name = "string", value = true, update = true, mutable = "boolean", strict = "boolean",
  allow_downcast = "boolean", autoname = "boolean", implicit = "boolean", borrow = "boolean", shared = "boolean",
}

local function keyed(what, variable, options, known)
  if options == nil and type(variable) == "table" and variable.variable then options, variable = variable, nil end
  options = options or {}
  local t = {}
  for k, v in pairs(options) do t[k] = v end
  util.check_keywords(what, t, known)
  if variable ~= nil and t.variable ~= nil then util.raise("TypeError", "%s: 'variable' is given twice", what) end
  t.variable = variable or t.variable
  if not util.is_var(t.variable) then util.raise("TypeError", "%s takes a Variable, got %s", what, type(t.variable)) end
  return t
end

local InMeta, OutMeta = { __name = "In" }, { __name = "Out" }

local function is_tensor(v) return tostring(v.type):find("TensorType", 1, true) == 1 end

--- An input with more to say: `In(x, {value =, update =, name =, mutable =, borrow =, strict =, allow_downcast =})`.
-- Options:
--
-- * `name` (default: the variable's; `autoname = false`: none), `strict`, `allow_downcast`,
-- * `value`: the default, which makes the argument optional; a SharedVariable makes its storage the value and the input
--   implicit: it is no argument then; `f.container[x]` of another function shares that function's value, and its state
--   (`implicit = false` lets it be an argument too),
-- * `update`: an expression; after each call it is the new default,
-- * `borrow`: results may share the argument's memory, the default is kept without a copy; `mutable`: the argument may
--   be overwritten,
-- * `implicit`: no value can be given in a call; `shared`: the value is kept in a SharedVariable.
function M.In(variable, options)
  local t = keyed("In", variable, options, in_known)
  if t.mutable and t.borrow == false then
    util.raise("ValueError", "In: a mutable input is borrowed too; borrow = false contradicts it")
  end
  if t.update ~= nil and not util.is_var(t.update) and type(t.update) ~= "number" and not util.is_array(t.update) then
    util.raise("TypeError", "In: update is an expression, got %s", type(t.update))
  end
  if util.is_var(t.update) and is_tensor(t.update) and is_tensor(t.variable) and t.update.ndim ~= t.variable.ndim then
    util.raise("TypeError", "In: an update of another type: it has %d dimensions, %s has %d", t.update.ndim,
      tostring(t.variable), t.variable.ndim)
  end
  util.check_type("In", "value", t.value, "number|boolean|object|userdata")
  if util.is_var(t.value) and core.kind(t.value) ~= "shared" then
    util.raise("TypeError",
      "In: value is a number, an ndarray, a table or a SharedVariable, not the symbolic Variable %s",
      tostring(t.value))
  end
  return setmetatable(t, InMeta)
end

--- An output with more to say: `Out(y, {borrow = true})`, `Out(y, {array = true})` keeps a 0-d result as an array.
function M.Out(variable, options)
  local known = { variable = true, borrow = "boolean", array = "boolean", return_internal_type = "boolean" }
  return setmetatable(keyed("Out", variable, options, known), OutMeta)
end

M.In = util.by_position("In", M.In, 1, {
  "name", "value", "update", "mutable", "strict", "allow_downcast", "autoname", "implicit", "borrow", "shared",
})
M.Out = util.by_position("Out", M.Out, 1, { "borrow" })

-- ---- normalising the specification
-- ----------------------------------------------------------------------------------------
-- A value for a variable (an update, a given) that is no Variable becomes a Constant of the variable's type.
local function expression(v, key, what)
  if util.is_var(v) then return v end
  if type(v) ~= "number" and type(v) ~= "boolean" and type(v) ~= "table" and not util.is_array(v) then
    util.raise("TypeError", "%s of %s is a %s: an expression expected", what, tostring(key), type(v))
  end
  return core.constant_typed(core.filter(key, v), key.broadcastable)
end

-- An input whose value is a SharedVariable is no argument: the variable is replaced by it.
local function state_of(v, spec)
  local s = v.value
  if not util.is_var(s) then s = require("theano.shared")(core.filter(v.variable, s), v.name or v.variable.name) end
  table.insert(spec.givens, { v.variable, s })
  if v.update ~= nil then table.insert(spec.updates, { s, expression(v.update, v.variable, "update") }) end
  spec.states[v.variable] = s
  local name = v.name or v.variable.name
  if name then spec.states[name] = s end
end

local function input_of(i, v, spec)
  if getmetatable(v) == InMeta then
    if core.kind(v.value) == "shared" or (v.shared and v.value ~= nil) then return state_of(v, spec) end
    local name = v.name
    if v.autoname == false and not name then name = "" end
    local from, number = function_object.behind(v.value) -- f.container[x]: one value for both functions
    if from and not number then return state_of(setmetatable({ value = from }, { __index = v }), spec) end
    local implicit = v.implicit
    if from and implicit == nil then implicit = true end
    table.insert(spec.inputs, { v.variable, name = name, mutable = v.mutable, strict = v.strict, implicit = implicit,
      update = v.update ~= nil and expression(v.update, v.variable, "update") or nil,
      allow_downcast = v.allow_downcast, borrow = v.borrow or v.mutable })
    if from then
      table.insert(spec.shares, { #spec.inputs - 1, from, number })
    elseif v.value ~= nil then
      table.insert(spec.values, { #spec.inputs - 1, v.value })
    end
    return
  end
  if not util.is_var(v) then
    util.raise("TypeError", "inputs[%d] is %s: a Variable or theano.In is expected", i, util.kind_of(v))
  end
  table.insert(spec.inputs, { v })
end

local function inputs_of(list, spec)
  if util.is_var(list) or type(list) ~= "table" or getmetatable(list) ~= nil then
    local got = util.is_var(list) and "a Variable (write {x})" or type(list)
    util.raise("TypeError", "inputs is a table of Variables, got %s", got)
  end
  for i, v in ipairs(util.list("inputs", list)) do input_of(i, v, spec) end
end

local T -- theano.tensor, on first use: it requires us back

local function output_of(v, what)
  T = T or require("theano.tensor")
  if getmetatable(v) == OutMeta then return { v.variable, borrow = v.borrow, array = v.array } end
  if util.is_var(v) then return { v } end
  if type(v) == "number" or util.is_array(v) then return { T.as_tensor_variable(v) } end
  util.raise("TypeError", "%s is %s: a Variable or theano.Out is expected", what, util.kind_of(v))
end

local function outputs_of(o)
  local list = {}
  if o == nil then return list, nil end
  if type(o) ~= "table" or getmetatable(o) == OutMeta then return { output_of(o, "outputs") }, nil end
  if next(o) ~= nil and math.type(next(o)) ~= "integer" then
    local names = {}
    for k in pairs(o) do
      if type(k) ~= "string" then
        util.raise("TypeError", "named outputs have string keys, found %s", util.kind_of(k))
      end
      names[#names + 1] = k
    end
    table.sort(names)
    for i, k in ipairs(names) do list[i] = output_of(o[k], "output '" .. k .. "'") end
    return list, names
  end
  return util.each("outputs", o, output_of), nil
end

local function pairs_of(t, what, list)
  for i, p in ipairs(updates.pairs_of(t, what)) do
    if not util.is_var(p[1]) then
      util.raise("TypeError", "%s: entry %d is for a %s, a Variable expected", what, i, type(p[1]))
    end
    table.insert(list, { p[1], expression(p[2], p[1], what) })
  end
end

local known = {
  inputs = true, outputs = true, mode = true, updates = true, givens = true, no_default_updates = true,
  accept_inplace = "boolean", name = "string", rebuild_strict = "boolean", allow_input_downcast = "boolean",
  profile = "boolean", on_unused_input = "string", memory = "number|string", amp = "string", device = "string",
}

local positional = {
  "inputs", "outputs", "mode", "updates", "givens", "no_default_updates", "accept_inplace", "name", "rebuild_strict",
  "allow_input_downcast", "profile", "on_unused_input",
}

-- compile({x}, {a = y, b = z}): named outputs, not keywords.
local function names_outputs(t)
  for k, v in pairs(t) do
    if known[k] or not (util.is_var(v) or getmetatable(v) == OutMeta) then return false end
  end
  return getmetatable(t) == nil
end

local function arguments(...)
  local a = table.pack(...)
  local last = a[a.n]
  local spec = {}
  if a.n >= 1 and type(last) == "table" and util.is_keywords(last) and (a.n == 1 or last.inputs == nil) then
    if a.n == 1 or not (a.n == 2 and (getmetatable(last) == OutMeta or names_outputs(last))) then
      for k, v in pairs(last) do spec[k] = v end
      a.n = a.n - 1
    end
  end
  if a.n > #positional then
    util.raise("TypeError", "compile takes at most %d arguments by position, got %d", #positional, a.n)
  end
  for i = 1, a.n do
    if spec[positional[i]] ~= nil then util.raise("TypeError", "compile: '%s' is given twice", positional[i]) end
    spec[positional[i]] = a[i]
  end
  util.check_keywords("compile", spec, known)
  return spec
end

-- A mode whose functions are looked at node by node: theano.modes made the watch.
local function watched(watch, options)
  local m = mode.Mode({ linker = options.linker, optimizer = options.optimizer })
  m.watch = watch
  return m
end

--- A mode that computes everything several times and compares: `DebugMode{stability_patience = 10, check_c_code = true,
-- check_py_code = true, check_isfinite = true, optimizer = "fast_run"}`; see docs/modes.md.
function M.DebugMode(options) return watched(modes.DebugMode(options)) end

--- A mode in which NaN, infinity and numbers beyond 1e10 are errors of the node they come from: `NanGuardMode{
-- nan_is_error = true, inf_is_error = true, big_is_error = true, action = "raise"}`.
function M.NanGuardMode(options, inf, big) return watched(modes.NanGuardMode(options, inf, big)) end

--- A mode that calls `pre_func(i, node, fn)` before and `post_func(i, node, fn)` after every node.
function M.MonitorMode(options, post) return watched(modes.MonitorMode(options, post)) end

M.nanguardmode = { NanGuardMode = M.NanGuardMode }
M.debugmode = { DebugMode = M.DebugMode }
M.monitormode = { MonitorMode = M.MonitorMode, detect_nan = modes.detect_nan }

-- no_default_updates: false, true, or the shareds whose default updates are left out.
local function exclusions(v)
  if v == nil or type(v) == "boolean" then return v or false end
  if type(v) ~= "table" then
    util.raise("TypeError", "no_default_updates is a boolean or a list of shared variables, got %s", type(v))
  end
  for i, s in ipairs(util.list("no_default_updates", v)) do
    if core.kind(s) ~= "shared" then
      util.raise("TypeError", "no_default_updates[%d] is a %s: a shared variable expected", i, core.kind(s) or type(s))
    end
  end
  return v
end

-- memory: bytes, or "64MB" (a KB is 1024 bytes).
local function bytes_of(v)
  if v == nil then return 0 end
  local power = { [""] = 0, B = 0, KB = 1, MB = 2, GB = 3 }
  local number, unit = v, ""
  if type(v) == "string" then number, unit = v:match("^%s*([%d.]+)%s*(%a*)%s*$") end
  local n = tonumber(number)
  if not n or type(v) == "boolean" or not power[unit:upper()] then
    util.raise("ValueError", 'memory is a number of bytes or a text like "64MB" or "1.5GB", got %s', util.text(v))
  end
  n = n * 1024 ^ power[unit:upper()]
  if not (n >= 1 and n < 2 ^ 62) then util.raise("ValueError", "memory is at least one byte, got %s", util.text(v)) end
  return math.floor(n)
end

-- amp: products and convolutions of float32 take operands rounded to a half, by a pass of the optimizer.
local function with_amp(m, amp)
  if amp == nil then return m end
  if amp ~= "float16" and amp ~= "bfloat16" then
    util.raise("ValueError", "compile: amp is \"float16\" or \"bfloat16\", not %s", util.text(amp))
  end
  local known_mode = mode.get_mode(m)
  if known_mode.watch and known_mode.watch.name == "DebugMode" or tostring(known_mode.mode):upper():find("^DEBUG") then
    util.raise("ValueError", "compile: amp changes values, and DebugMode compares them: take another mode")
  end
  return known_mode:including("amp_" .. amp)
end

-- On the device that is asked for, which has to be there.
local function compiled(spec, device)
  if device == nil then return core.compile(spec) end
  local _ <close> = require("theano.config").change_flags({ device = device, force_device = device ~= "cpu" })
  return core.compile(spec)
end

local typed_list -- theano.typed_list, on first use: it requires us back

local function build(...)
  local a = arguments(...)
  typed_list = typed_list or require("theano.typed_list")
  if typed_list.used(a) then return typed_list.compile(a, M) end
  local spec = { inputs = {}, updates = {}, givens = {}, values = {}, shares = {}, states = {}, keep_array = {} }
  inputs_of(a.inputs == nil and {} or a.inputs, spec)
  spec.outputs, spec.output_names = outputs_of(a.outputs)
  for i, o in ipairs(spec.outputs) do spec.keep_array[i] = o.array or false end
  pairs_of(a.updates, "updates", spec.updates)
  pairs_of(a.givens, "givens", spec.givens)
  mode.set(spec, with_amp(a.mode, a.amp))
  spec.name = a.name or util.where()
  spec.on_unused_input = a.on_unused_input
  spec.allow_input_downcast = a.allow_input_downcast
  spec.no_default_updates = exclusions(a.no_default_updates)
  spec.accept_inplace = a.accept_inplace
  spec.no_rebuild_strict = a.rebuild_strict == false
  spec.profile = a.profile
  spec.memory = bytes_of(a.memory)
  local f = compiled(spec, a.device)
  for _, v in ipairs(spec.values) do core.set_default(f, v[1], v[2]) end
  for _, v in ipairs(spec.shares) do core.share_default(f, table.unpack(v)) end
  if next(spec.states) then debug.setuservalue(f, spec.states, 2) end
  return profile.watch(f)
end

for _, name in ipairs({
  "Mode", "get_mode", "get_default_mode", "register_mode", "register_optimizer", "optdb", "predefined_optimizers",
  "predefined_linkers", "predefined_modes",
}) do M[name] = mode[name] end
M.mode = mode

return setmetatable(M, {
  __call = function(_, ...) return build(...) end,
  __tostring = function() return "theano.compile: theano.compile{inputs = .., outputs = ..} makes a function" end,
})
