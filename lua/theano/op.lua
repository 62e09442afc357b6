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
  local out = {}
  for i = 1, n do
    out[i] = list[i] or false
    if out[i] and not util.is_var(out[i]) then
      if type(out[i]) ~= "number" then
        util.raise("TypeError", "%s returned a %s at position %d", what, type(out[i]), i)
      end
      out[i] = require("theano.tensor").as_tensor_variable(out[i])
    end
  end
  for i in pairs(list) do
    if math.type(i) ~= "integer" or i > n then
      util.raise("ValueError", "%s must return %d results, it returned more", what, n)
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
    f.rop = guard(function(inputs, points)
      return checked("R_op", op:R_op(inputs, points), 256)
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
  return core.op_apply(key, node.inputs, types)
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
  "name", "make_node", "perform", "infer_shape", "grad", "L_op", "R_op", "view_map", "destroy_map", "itypes", "otypes",
  "kernel", "inputs", "dtype", "__props__", "__str__",
})

--- An operation: a table of name, make_node (or itypes and otypes), perform, and as wished infer_shape, grad or L_op,
-- R_op,
-- view_map, destroy_map, __props__; or kernel, a text over x, y, z, w (or the names in `inputs`) that is computed for
-- each
-- element, differentiated, fused and compiled as the engine's own operations are. Calling it makes its results.
function M.Op(t)
  if type(t) ~= "table" then util.raise("TypeError", "Op takes a table, got %s", type(t)) end
  t.name = t.name or "Op"
  for _, k in ipairs({ "make_node", "perform", "infer_shape", "grad", "L_op", "R_op", "__str__" }) do
    if t[k] ~= nil and type(t[k]) ~= "function" then
      util.raise("TypeError", "Op %s: %s must be a function, got %s", t.name, k, type(t[k]))
    end
  end
  if not t.perform and not t.kernel then util.raise("TypeError", "Op %s needs perform, or a kernel text", t.name) end
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

--- A Lua function of arrays as an operation: as_op{itypes = .., otypes = .., fn = .., infer_shape = .., name = ..}.
function M.as_op(t)
  util.check_keywords("as_op", t, { itypes = true, otypes = true, fn = true, infer_shape = "function",
    grad = "function", name = "string" })
  if type(t.fn) ~= "function" then util.raise("TypeError", "as_op: fn must be a function, got %s", type(t.fn)) end
  local function list(v) return v and (getmetatable(v) == nil or v.dtype == nil) and type(v) == "table" and v
    or { v } end
  return M.Op({
    name = t.name or "FromFunctionOp", itypes = list(t.itypes), otypes = list(t.otypes),
    perform = function(_, _, inputs) return t.fn(table.unpack(inputs)) end,
    infer_shape = t.infer_shape and function(_, node, shapes) return t.infer_shape(node, shapes) end,
    grad = t.grad and function(_, inputs, gz) return t.grad(inputs, gz) end,
  })
end

-- ---- graphs
-- -----------------------------------------------------------------------------------------------------------
local function check_list(what, v)
  local list = util.variables("OpFromGraph: " .. what, v)
  if #list == 0 then util.raise("TypeError", "OpFromGraph: %s must be a list of Variables, it is empty", what) end
  return list
end

-- An override: one function for all, or a list with a function, "default" or false (disconnected) for each place.
local function overridden(what, given, count, default, ...)
  if type(given) == "function" then return given(...) end
  if type(given) ~= "table" or core.length(given, "OpFromGraph: " .. what) ~= count then
    util.raise("TypeError", "OpFromGraph: %s must be a function or a list of %d functions", what, count)
  end
  local out, usual = {}, nil
  for i, f in ipairs(given) do
    if type(f) == "function" then
      out[i] = f(...)
    elseif f == "default" then
      usual = usual or default()
      out[i] = usual[i]
    elseif f then
      util.raise("TypeError", "OpFromGraph: %s[%d] is %s: a function, \"default\" or false is expected", what, i,
        util.kind_of(f))
    else
      out[i] = false
    end
  end
  return out
end

--- A graph as one operation: calling it puts it over other inputs. It keeps its name in the user's graph and is written
-- out when a function is compiled (`inline` is accepted: it is always so). Options: inline, name, grad_overrides,
-- lop_overrides, rop_overrides (functions, or lists with "default").
function M.OpFromGraph(inputs, outputs, options)
  local o = options or {}
  util.check_keywords("OpFromGraph", o,
    { inline = "boolean", name = "string", grad_overrides = "function|table", lop_overrides = "function|table",
      rop_overrides = "function|table" })
  local ins, outs, G = check_list("inputs", inputs), check_list("outputs", outputs), require("theano.gradient")
  if o.grad_overrides and o.lop_overrides then
    util.raise("ValueError", "OpFromGraph: give grad_overrides or lop_overrides, not both")
  end
  local op = { name = o.name or ("OpFromGraph{inline=%s}"):format(o.inline and "True" or "False") }
  local key = ("%s#%d"):format(op.name, number_of(op))
  local function define(k, f) core.op_define(k, op.name, f, 0, ins, outs) end
  local function plain(args)
    define(key .. " plain", {})
    return core.op_apply(key .. " plain", args).outputs
  end
  local f = {}
  local lop = o.lop_overrides or o.grad_overrides
  if lop then
    f.grad = guard(function(args, results_, gz)
      filled(gz)
      local function default()
        local own, T = {}, require("theano.tensor") -- copies: one argument may be made from another
        for i, a in ipairs(args) do own[i] = T.tensor_copy(a) end
        return G.Lop(plain(own), own, gz, { disconnected_inputs = "ignore" })
      end
      local given
      if o.lop_overrides then
        given = overridden("lop_overrides", lop, #args, default, args, results_, gz)
      else
        given = overridden("grad_overrides", lop, #args, default, args, gz)
      end
      return checked("the override", given, #args)
    end, op.name)
  end
  if o.rop_overrides then
    f.rop = guard(function(args, points)
      local function default() return G.Rop(plain(args), args, points, { disconnected_outputs = "ignore" }) end
      return checked("rop_overrides", overridden("rop_overrides", o.rop_overrides, #outs, default, args, points),
        #outs)
    end, op.name)
  end
  define(key, f)
  return setmetatable(op, {
    __tostring = function() return op.name end,
    __call = function(_, ...)
      local T, args = require("theano.tensor"), table.pack(...)
      for i = 1, args.n do args[i] = T.as_tensor_variable(args[i]) end
      return results(core.op_apply(key, args))
    end,
  })
end

return M
