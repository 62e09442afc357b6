--- Operations written in Lua (`theano.Op`, `theano.as_op`) and graphs as operations (`theano.OpFromGraph`).
-- @module theano.op
local core = require("theano.core")
local util = require("theano.util")

local M = {}

local HOME = debug.getinfo(1, "S").source:sub(2):gsub("op%.lua$", "")

-- ---- errors of callbacks
-- ----------------------------------------------------------------------------------------------
-- A function whose results come after `true`; of an error: false, its kind, its text with the position behind. `what`
-- names it in front of the text, where the engine does not.
local function guard(fn, what)
  local front = what and what .. ": " or ""
  return function(...)
    local r = table.pack(pcall(fn, ...))
    if r[1] then return table.unpack(r, 1, r.n) end
    local message = tostring(r[2])
    local at, kind, text = message:match("^([^\n]-:%d+): (%u%w*): (.*)$")
    if not kind then
      kind, text = message:match("^(%u%w*): (.*)$")
    end
    if not kind then return false, "RuntimeError", front .. message end
    if at and at:sub(1, #HOME) ~= HOME then text = text .. " (" .. at .. ")" end
    return false, kind, front .. text
  end
end

-- ---- Apply
-- ------------------------------------------------------------------------------------------------------------
--- What make_node returns: the operation, its inputs, and a variable of the type of each result.
function M.Apply(op, inputs, outputs)
  for _, what in ipairs({ "inputs", "outputs" }) do
    local list = what == "inputs" and inputs or what == "outputs" and outputs
    if type(list) ~= "table" then
      util.raise("TypeError", "Apply: %s must be a list of Variables, got %s", what, util.kind_of(list))
    end
    util.variables("Apply: " .. what, list)
  end
  return { op = op, inputs = inputs, outputs = outputs }
end

-- ---- callbacks of one operation
-- ---------------------------------------------------------------------------------------
local function node_of(op, inputs, types)
  local node = { op = op, inputs = {}, outputs = {} }
  for i, a in ipairs(inputs) do node.inputs[i] = { dtype = a.dtype, ndim = a.ndim } end
  for i, t in ipairs(types) do node.outputs[i] = { type = t, dtype = t.dtype, ndim = t.ndim } end
  return node
end

-- perform(self, node, inputs, outputs): results are what it puts into outputs, or what it returns.
local function perform_of(op)
  return guard(function(inputs, types)
    local outputs = {}
    local r = table.pack(op:perform(node_of(op, inputs, types), inputs, outputs))
    for i in ipairs(types) do
      if outputs[i] == nil then outputs[i] = r[i] end
    end
    return outputs
  end)
end

local function lengths(i, shape)
  local T = require("theano.tensor")
  if util.is_var(shape) then return T.cast(shape, "int64") end
  if type(shape) ~= "table" then
    util.raise("TypeError", "infer_shape must return a list of lengths for result %d, got %s", i,
      type(shape))
  end
  local all = {}
  if core.length(shape, ("infer_shape: shape %d"):format(i)) == 0 then return T.zeros({ 0 }, { dtype = "int64" }) end
  for d, n in ipairs(shape) do all[d] = T.cast(T.as_tensor_variable(n), "int64") end
  return T.stack(all)
end

local function infer_shape_of(op)
  return guard(function(inputs, shapes)
    local lists = {}
    for i, s in ipairs(shapes) do
      lists[i] = {}
      for d = 1, inputs[i].ndim or 0 do lists[i][d] = s[d - 1] end
    end
    local out = op:infer_shape({ op = op, inputs = inputs }, lists)
    if type(out) ~= "table" then
      util.raise("TypeError", "infer_shape must return a list of shapes, got %s", type(out))
    end
    for i, s in ipairs(util.list("infer_shape's result", out)) do out[i] = lengths(i, s) end
    return out
  end, op.name .. ".infer_shape")
end

-- Gradients as a list whose holes are false; anything that is no Variable is refused.
local function checked(what, list, n)
  if util.is_var(list) then list = { list } end
  if type(list) ~= "table" then
    util.raise("TypeError", "%s must return a list of Variables, got %s", what, type(list))
  end
  local out, got = {}, core.length(list, "what " .. what .. " returned")
  if got ~= n then
    util.raise("ValueError", "%s must return %d results, it returned %d; false stands for one that is disconnected",
      what, n, got)
  end
  for i = 1, n do
    out[i] = list[i] or false
    if out[i] and not util.is_var(out[i]) then
      if type(out[i]) ~= "number" then
        util.raise("TypeError", "%s returned a %s at position %d", what, type(out[i]), i)
      end
      out[i] = require("theano.tensor").as_tensor_variable(out[i])
    end
  end
  return out
end

local function filled(gz)
  for i, g in ipairs(gz) do gz[i] = g or core.grad_none("d") end
  return gz
end

local function callbacks_of(op)
  local f = {}
  if op.perform then f.perform = perform_of(op) end
  if op.infer_shape then f.infer_shape = infer_shape_of(op) end
  if op.L_op then
    f.grad = guard(function(inputs, outputs, gz) return checked("L_op", op:L_op(inputs, outputs, filled(gz)),
      #inputs) end, op.name .. ".L_op")
  elseif op.grad then
    f.grad = guard(function(inputs, _, gz)
      return checked("grad", op:grad(inputs, filled(gz)), #inputs)
    end, op.name .. ".grad")
  end
  if op.R_op then
    f.rop = guard(function(inputs, points, results)
      return checked("R_op", op:R_op(inputs, points), #results)
    end, op.name .. ".R_op")
  end
  return f
end

-- ---- identity
-- ---------------------------------------------------------------------------------------------------------
local numbers, last = setmetatable({}, { __mode = "k" }), 0

-- Operations are equal when they are the same table, or of one class with equal __props__.
local function number_of(t)
  if not numbers[t] then
    last = last + 1
    numbers[t] = last
  end
  return numbers[t]
end

local function key_of(op)
  if not op.__props__ then return ("%s#%d"):format(op.name, number_of(op)) end
  local values = {}
  for i, name in ipairs(op.__props__) do
    local v = op[name]
    values[i] = type(v) == "table" and "table" .. number_of(v) or math.type(v) == "float" and util.format("%a", v)
      or tostring(v)
    values[i] = name .. "=" .. type(v) .. ":" .. values[i]
  end
  return ("%s#%d{%s}"):format(op.name, number_of(op.class or op), table.concat(values, ","))
end

--- Is it a node of this operation? Equal names do not make operations equal.
function M.is_of(node, op)
  local key, own = node.op.key, key_of(op)
  return key ~= nil and (key == own or key:sub(1, #own + 1) == own .. "(")
end

local function printed(op)
  if op.__str__ then return op:__str__() end
  if not op.__props__ then return op.name end
  local values = {}
  for i, name in ipairs(op.__props__) do values[i] = name .. "=" .. util.text(op[name]) end
  return ("%s{%s}"):format(op.name, table.concat(values, ", "))
end

-- Which inputs perform may overwrite, and which its results may be views of, as bits; maps count from 1.
local function maps_of(op)
  local bits = { destroy_map = 0, view_map = 0 }
  for what, map in pairs({ destroy_map = op.destroy_map or {}, view_map = op.view_map or {} }) do
    for out, list in pairs(map) do
      if math.type(out) ~= "integer" or type(list) ~= "table" then
        util.raise("TypeError", "%s: %s is a table {[output] = {inputs}}, counted from 1", op.name, what)
      end
      for _, i in ipairs(util.list(("%s: %s[%d]"):format(op.name, what, out), list)) do
        if math.type(i) ~= "integer" or i < 1 or i > 32 then
          util.raise("ValueError", "%s: %s names input %s; inputs count from 1", op.name, what, util.text(i))
        end
        bits[what] = bits[what] | 1 << (i - 1)
      end
    end
  end
  return bits
end

-- ---- applying
-- ---------------------------------------------------------------------------------------------------------
local function results(apply)
  local outs = apply.outputs
  if require("theano.config").test_values() then require("theano.test_value").built(table.unpack(outs)) end
  return table.unpack(outs)
end

local NAMES = { "x", "y", "z", "w" }

-- kernel = "x * exp(-y)": the text on stand-ins of the arguments' types is the operation's graph.
local function apply_kernel(op, args)
  local names, ins, types = op.inputs or NAMES, {}, {}
  if #args > #names then util.raise("TypeError", "%s: %d arguments but %d names in its kernel", op.name, #args,
    #names) end
  for i, a in ipairs(args) do
    ins[i] = a.type(names[i])
    types[i] = tostring(a.type)
  end
  local key = key_of(op) .. "(" .. table.concat(types, ",") .. ")"
  local out = core.expr(op.kernel, table.move(names, 1, #args, 1, {}), ins)
  if op.dtype then out = require("theano.tensor").cast(out, op.dtype) end
  local f = callbacks_of(op)
  core.op_define(key, printed(op), f, 0, ins, { out })
  return core.op_apply(key, args)
end

-- connection_pattern: for each input a list that says of each result whether it depends on it, as a text of digits.
local function digits_of(name, pattern, nin, nout)
  local function list(t, n, what)
    if type(t) ~= "table" or core.length(t, what) ~= n then
      util.raise("ValueError", "%s: %s must be a list of %d, got %s", name, what, n,
        type(t) == "table" and "one of " .. #t or type(t))
    end
  end
  local digits = {}
  list(pattern, nin, "connection_pattern")
  for i = 1, nin do
    list(pattern[i], nout, ("connection_pattern[%d]"):format(i))
    for o = 1, nout do
      if type(pattern[i][o]) ~= "boolean" then
        util.raise("TypeError", "%s: connection_pattern[%d][%d] must be a boolean, got %s", name, i, o,
          type(pattern[i][o]))
      end
      digits[#digits + 1] = pattern[i][o] and "1" or "0"
    end
  end
  return table.concat(digits)
end

local function apply_code(op, args)
  local node = op:make_node(table.unpack(args))
  if type(node) ~= "table" or type(node.outputs) ~= "table" then
    util.raise("TypeError", "%s: make_node must return theano.Apply(self, inputs, outputs)", op.name)
  end
  local types = {}
  for i, v in ipairs(util.list(op.name .. ": the outputs of make_node", node.outputs)) do types[i] = v.type end
  if #types == 0 then util.raise("ValueError", "%s: make_node gave no outputs", op.name) end
  local key = key_of(op)
  local maps = maps_of(op)
  core.op_define(key, printed(op), callbacks_of(op), maps.destroy_map, nil, nil, maps.view_map)
  local pattern = op.connection_pattern and op:connection_pattern({
    op = op, inputs = node.inputs, outputs = node.outputs,
  })
  return core.op_apply(key, node.inputs, types, pattern and digits_of(op.name, pattern, #node.inputs, #types))
end

local Op = {}
Op.__index = Op
Op.__tostring = function(op) return printed(op) end
Op.__call = function(op, ...)
  local T = require("theano.tensor")
  local args = table.pack(...)
  for i = 1, args.n do
    if not (op.make_node ~= Op.make_node and not util.is_var(args[i])) then args[i] = T.as_tensor_variable(args[i]) end
  end
  return results(op.kernel and apply_kernel(op, args) or apply_code(op, args))
end

--- The usual make_node, from `itypes` and `otypes`: the inputs must have exactly these types.
function Op:make_node(...)
  local inputs = { ... }
  if not self.itypes or not self.otypes then
    util.raise("NotImplementedError", "%s: write make_node, or give itypes and otypes", self.name)
  end
  if #inputs ~= #self.itypes then
    util.raise("TypeError", "%s takes %d inputs, got %d", self.name, #self.itypes, #inputs)
  end
  local outputs = {}
  for i, x in ipairs(inputs) do
    if x.type ~= self.itypes[i] then
      util.raise("TypeError", "%s: input %d must be a %s, got a %s", self.name, i, tostring(self.itypes[i]),
        tostring(x.type))
    end
  end
  for i, t in ipairs(self.otypes) do outputs[i] = t() end
  return M.Apply(self, inputs, outputs)
end

--- Another operation of the same class, with these fields: `Scale:new{by = 3}`.
function Op:new(fields)
  local o = {}
  for k, v in pairs(fields or {}) do o[k] = v end
  o.class = rawget(self, "class") or self
  return setmetatable(o, {
    __index = function(_, k) return self[k] end, __call = Op.__call, __tostring = Op.__tostring,
  })
end

local known = util.set({
  "name", "make_node", "perform", "infer_shape", "grad", "L_op", "R_op", "connection_pattern", "view_map",
  "destroy_map", "itypes", "otypes",
  "kernel", "inputs", "dtype", "__props__", "__str__",
})

-- Types, for which constructors may stand: T.dmatrix is that of T.dmatrix().
local function types_of(what, list)
  if list == nil or type(list) ~= "table" then return list end
  local types = {}
  for i, t in ipairs(list) do
    types[i] = t
    if type(t) == "function" then
      local fine, v = pcall(t)
      if not fine or not util.is_var(v) then
        util.raise("TypeError", "%s[%d] is a function that makes no variable: a type is expected, T.dmatrix or "
          .. "x.type", what, i)
      end
      types[i] = v.type
    end
  end
  return types
end

--- An operation: a table of name, make_node (or itypes and otypes), perform, and as wished infer_shape, grad or L_op,
-- R_op,
-- view_map, destroy_map, __props__; or kernel, a text over x, y, z, w (or the names in `inputs`) that is computed for
-- each
-- element, differentiated, fused and compiled as the engine's own operations are. Calling it makes its results.
function M.Op(t)
  if type(t) ~= "table" then util.raise("TypeError", "Op takes a table, got %s", type(t)) end
  t.name = t.name or "Op"
  for _, k in ipairs({
    "make_node", "perform", "infer_shape", "grad", "L_op", "R_op", "connection_pattern", "__str__",
  }) do
    if t[k] ~= nil and type(t[k]) ~= "function" then
      util.raise("TypeError", "Op %s: %s must be a function, got %s", t.name, k, type(t[k]))
    end
  end
  if not t.perform and not t.kernel then util.raise("TypeError", "Op %s needs perform, or a kernel text", t.name) end
  t.itypes, t.otypes = types_of("itypes", t.itypes), types_of("otypes", t.otypes)
  for k in pairs(t) do
    local near = type(k) == "string" and not known[k] and k:lower():gsub("_", "")
    for name in pairs(known) do
      if near and near == name:lower():gsub("_", "") then
        util.raise("TypeError", "Op %s: unknown field '%s': did you mean '%s'?", t.name, k, name)
      end
    end
  end
  return setmetatable(t, Op)
end

--- A Lua function of arrays as an operation: as_op{itypes = .., otypes = .., fn = .., infer_shape = .., grad = ..,
-- connection_pattern = .., name = ..}; the pattern is a list, or a function of the node.
function M.as_op(t)
  util.check_keywords("as_op", t, { itypes = true, otypes = true, fn = true, infer_shape = "function",
    grad = "function", connection_pattern = "function|table", name = "string" })
  if type(t.fn) ~= "function" then util.raise("TypeError", "as_op: fn must be a function, got %s", type(t.fn)) end
  local function list(v) return v and (getmetatable(v) == nil or v.dtype == nil) and type(v) == "table" and v
    or { v } end
  return M.Op({
    name = t.name or "FromFunctionOp", itypes = list(t.itypes), otypes = list(t.otypes),
    perform = function(_, _, inputs) return t.fn(table.unpack(inputs)) end,
    infer_shape = t.infer_shape and function(_, node, shapes) return t.infer_shape(node, shapes) end,
    grad = t.grad and function(_, inputs, gz) return t.grad(inputs, gz) end,
    connection_pattern = t.connection_pattern and function(_, node)
      return type(t.connection_pattern) == "function" and t.connection_pattern(node) or t.connection_pattern
    end,
  })
end

-- ---- graphs
-- -----------------------------------------------------------------------------------------------------------
local function check_list(what, v)
  local list = util.variables("OpFromGraph: " .. what, v)
  if #list == 0 then util.raise("TypeError", "OpFromGraph: %s must be a list of Variables, it is empty", what) end
  return list
end

local graphs = setmetatable({}, { __mode = "k" }) -- OpFromGraph -> how many inputs it takes and results it gives

-- The one gradient of an override given as a variable: undefined or disconnected.
local function special(what, v)
  if tostring(v.type):find("^TensorType") then
    util.raise("ValueError", "OpFromGraph: %s is the variable %s; only those of DisconnectedType and NullType stand "
      .. "for a gradient", what, tostring(v))
  end
  return v
end

-- All of them from another OpFromGraph, which takes the lists of arguments one after the other, each as tensors. It may
-- leave out the shared variables at the end of the first list.
local function by_graph(what, op, lists, explicit)
  local T, args = require("theano.tensor"), {}
  local whole = 0
  for _, list in ipairs(lists) do whole = whole + #list end
  local few = whole - #lists[1] + explicit
  if graphs[op].nin ~= whole and graphs[op].nin ~= few then
    util.raise("ValueError", "OpFromGraph: %s is an operation of %d inputs, %d are needed", what, graphs[op].nin, few)
  end
  for l, list in ipairs(lists) do
    for i, v in ipairs(list) do
      local stands = lists.like[l]
      if l > 1 or i <= explicit or graphs[op].nin == whole then
        local tensor = v and tostring(v.type):find("^TensorType")
        args[#args + 1] = tensor and v or T.zeros_like(stands[i])
      end
    end
  end
  return table.pack(op(table.unpack(args)))
end

-- What stands for one result, or for all of them: a function of the lists, or an OpFromGraph.
local function run(what, given, lists, explicit)
  if graphs[given] then return by_graph(what, given, lists, explicit) end
  return given(table.unpack(lists))
end

-- The results of an override: one for all of them, or a list with one, "default" or false (disconnected) for each.
-- o: how many there are; the first `explicit` of them may be all that are given, the others then have their default.
local function overridden(what, given, o)
  local out, usual = {}, nil
  local function default(i)
    usual = usual or o.default()
    return usual[i] or false
  end
  local list = given
  if util.is_var(given) then
    for i = 1, o.count do out[i] = special(what, given) end
    return out
  elseif type(given) == "function" or graphs[given] then
    local r = run(what, given, o.lists, o.inputs)
    list = util.is_var(r) and { r } or type(r) == "table" and r
    if not list then
      util.raise("TypeError", "OpFromGraph: %s must return a list of Variables, got %s", what, type(r))
    end
    list.n = nil
  elseif type(given) ~= "table" then
    util.raise("TypeError", "OpFromGraph: %s must be a function, an OpFromGraph or a list of them, got %s", what,
      util.kind_of(given))
  end
  local n, made = core.length(list, "OpFromGraph: " .. what), list ~= given
  if n ~= o.count and n ~= o.explicit then
    util.raise(made and "ValueError" or "TypeError", "OpFromGraph: %s %s %d entries, %d are needed", what,
      made and "gave" or "is a list of", n, o.explicit)
  end
  for i = 1, o.count do
    local f, at = list[i], ("%s[%d]"):format(what, i)
    if i > n or f == "default" then
      out[i] = default(i)
    elseif made or not f then
      out[i] = f
    elseif util.is_var(f) then
      out[i] = special(at, f)
    elseif type(f) == "function" or graphs[f] then
      local r = run(at, f, o.lists, o.inputs)
      out[i] = not util.is_var(r) and type(r) == "table" and r[1] or r
    else
      util.raise("TypeError", "OpFromGraph: %s is %s: a function, an OpFromGraph, \"default\" or false is expected", at,
        util.kind_of(f))
    end
  end
  return out
end

-- Shared variables of a graph that are not among its inputs.
local function shareds_of(ins, outs)
  local given, found = util.set(ins), {}
  for _, v in ipairs(require("theano.gof").graph.inputs(outs, ins)) do
    if core.kind(v) == "shared" and not given[v] then found[#found + 1] = v end
  end
  return found
end

local function check_unused(policy, ins, outs)
  if policy == nil or policy == "ignore" then return end
  if policy ~= "raise" and policy ~= "warn" then
    util.raise("ValueError", "OpFromGraph: on_unused_input is 'raise', 'warn' or 'ignore', not '%s'", policy)
  end
  core.compile({
    inputs = util.each("inputs", ins, function(v) return { v } end), updates = {}, givens = {},
    outputs = util.each("outputs", outs, function(v) return { v } end), on_unused_input = policy, mode = "FAST_COMPILE",
    no_default_updates = true, keep_array = {},
  })
end

-- The derivatives of a graph without those that its user gave, as functions of its arguments.
local function usual_derivatives(key, define)
  local G, T = require("theano.gradient"), require("theano.tensor")
  local function plain(args)
    define(key .. " plain", {})
    return core.op_apply(key .. " plain", args).outputs
  end
  local function lop(args, gz)
    local own, gradients = {}, {} -- copies: one argument may be made from another
    for i, a in ipairs(args) do own[i] = T.tensor_copy(a) end
    for i, y in ipairs(plain(own)) do
      if tostring(gz[i].type):find("^TensorType") then gradients[#gradients + 1] = { y, gz[i] } end
    end
    return G.grad(nil, own, {
      known_grads = gradients, disconnected_inputs = "ignore", return_disconnected = "None", null_gradients = "return",
    })
  end
  local function rop(args, points)
    local wrt, at = {}, {}
    for i, p in ipairs(points) do
      if p then wrt[#wrt + 1], at[#at + 1] = args[i], p end
    end
    return G.Rop(plain(args), wrt, at, { disconnected_outputs = "ignore" })
  end
  return lop, rop
end

-- The callbacks that overrides make. nin: arguments that are not shared variables.
local function overriding(o, name, nin, nout, usual_lop, usual_rop)
  local f = {}
  local which = o.lop_overrides ~= nil and "lop_overrides" or "grad_overrides"
  local lop = o[which]
  if lop ~= nil and lop ~= "default" then
    f.grad = guard(function(args, outs, gz)
      filled(gz)
      local lists = which == "lop_overrides" and { args, outs, gz, like = { args, outs, outs } }
        or { args, gz, like = { args, outs } }
      local function default() return usual_lop(args, gz) end
      return checked(which, overridden(which, lop, {
        lists = lists, count = #args, explicit = nin, inputs = nin, default = default,
      }), #args)
    end, name)
  end
  local rop = o.rop_overrides
  if rop ~= nil and rop ~= "default" then
    f.rop = guard(function(args, points)
      local function default() return usual_rop(args, points) end
      return checked("rop_overrides", overridden("rop_overrides", rop, {
        lists = { args, points, like = { args, args } }, count = nout, explicit = nout, inputs = nin, default = default,
      }), nout)
    end, name)
  end
  return f
end

--- A graph as one operation: calling it puts it over other inputs. It keeps its name in the user's graph and is written
-- out when a function is compiled (`inline` is accepted: it is always so). Shared variables in it are further inputs of
-- its nodes and have gradients. Options:
--
-- * `inline`, `name`,
-- * `grad_overrides` (functions of inputs and gradients of the results), `lop_overrides` (of inputs, results and their
--   gradients), `rop_overrides` (of inputs and evaluation points): a function, another OpFromGraph, a variable of
--   DisconnectedType or NullType, or a list with one of these, `"default"` or false (disconnected) for each place,
-- * `connection_pattern`: for each input a list of booleans, whether each result depends on it for gradients,
-- * `on_unused_input`: `"raise"` and `"warn"` look for inputs that no result needs; `"ignore"` (default).
function M.OpFromGraph(inputs, outputs, options)
  local o = options or {}
  local override = "function|object|string|Variable"
  util.check_keywords("OpFromGraph", o, {
    inline = "boolean", name = "string", grad_overrides = override, lop_overrides = override, rop_overrides = override,
    connection_pattern = "table", on_unused_input = "string",
  })
  local ins, outs = check_list("inputs", inputs), check_list("outputs", outputs)
  if o.grad_overrides and o.lop_overrides then
    util.raise("ValueError", "OpFromGraph: give grad_overrides or lop_overrides, not both")
  end
  check_unused(o.on_unused_input, ins, outs)
  local shared = shareds_of(ins, outs)
  local op = { name = o.name or ("OpFromGraph{inline=%s}"):format(o.inline and "True" or "False") }
  local key, all, body = ("%s#%d"):format(op.name, number_of(op)), table.move(ins, 1, #ins, 1, {}), outs
  if #shared > 0 then
    local stands = {}
    for i, s in ipairs(shared) do
      stands[i] = { s, s.type(s.name) }
      all[#all + 1] = stands[i][2]
    end
    body = require("theano.clone")(outs, { replace = stands })
  end
  local function define(k, f) core.op_define(k, op.name, f, 0, all, body) end
  define(key, overriding(o, op.name, #ins, #outs, usual_derivatives(key, define)))
  local pattern
  if o.connection_pattern then
    local rows = table.move(o.connection_pattern, 1, #o.connection_pattern, 1, {})
    if #rows == #ins then -- shared variables count
      for i = #ins + 1, #all do
        rows[i] = {}
        for k = 1, #outs do rows[i][k] = true end
      end
    end
    pattern = digits_of("OpFromGraph", rows, #all, #outs)
  end
  graphs[op] = { nin = #ins, nout = #outs }
  op.inputs, op.outputs, op.shared_inputs = ins, outs, shared
  return setmetatable(op, {
    __tostring = function() return op.name end,
    __call = function(_, ...)
      local args = table.pack(...)
      if args.n ~= #ins then util.raise("TypeError", "%s takes %d inputs, got %d", op.name, #ins, args.n) end
      for i, x in ipairs(ins) do
        if util.is_var(args[i]) then args[i] = x.type:convert_variable(args[i]) or args[i] -- or core.op_apply complains
        elseif args[i] == nil then util.raise("TypeError", "input %d of %s is nil", i, op.name)
        else args[i] = x.type:make_constant(args[i]) end
      end
      table.move(shared, 1, #shared, #ins + 1, args)
      args.n = nil
      return results(core.op_apply(key, args, nil, pattern))
    end,
  })
end

M.OpFromGraph = util.by_position("OpFromGraph", M.OpFromGraph, 2, {
  "inline", "lop_overrides", "grad_overrides", "rop_overrides", "connection_pattern", "name",
})

return M
