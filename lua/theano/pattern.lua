--- Patterns of rewrites as tables: `{T.log, {T.add, 1, "x"}}`. Matching them at a node, building what takes its place.
-- @module theano.pattern
local util = require("theano.util")
local core = require("theano.core")

local M = {}
local T -- theano.tensor, on first use

-- ---- operations -----------------------------------------------------------------------------------------------------
local names -- function of the tensor language -> its name

local function function_names()
  if names then return names end
  T = T or require("theano.tensor")
  names = {}
  for _, space in ipairs({ T, T.nnet }) do
    for k, v in pairs(space) do
      if type(v) == "function" or type(v) == "table" then names[v] = k end
    end
  end
  return names
end

-- "sum" -> "Sum", "set_subtensor" -> "SetSubtensor": functions and the operations that they make.
local function kind_of(name)
  return core.rewrite_op(name) or core.rewrite_op((("_" .. name):gsub("_(%l)", string.upper):gsub("_", "")))
end

local function is_lua_op(op) return type(op) == "table" and op.perform ~= nil or type(op) == "table"
  and op.kernel ~= nil end

--- The kind of an operation given as a name, a function of the tensor language, a node's `op` or a `theano.Op`.
function M.op_name(what, op)
  local name
  if type(op) == "string" then name = op
  elseif type(op) == "table" and op.kind and op.node then return op.kind
  elseif is_lua_op(op) then return "UserOp"
  elseif op ~= nil then name = function_names()[op] end
  if not name then
    util.raise("TypeError", "%s: an operation is a name (\"log\", \"Sum\"), a function as T.log, or a theano.Op, "
      .. "not %s",
      what, type(op) == "string" and "'" .. op .. "'" or tostring(op))
  end
  local kind = kind_of(name)
  if kind then return kind end
  util.raise("KeyError", "%s: there is no operation '%s' (an operation's name is what `node.op.kind` says)", what, name)
end

--- Is it the node of a theano.Op? While a function is compiled such nodes are UserPerform, and have the lengths of
-- their
-- results as inputs after their own.
function M.is_user(node) return node.op.kind == "UserOp" or node.op.kind == "UserPerform" end

--- Is the node one of this operation?
function M.is_op(node, op)
  if type(op) == "table" and op.kind and op.node then return node.op == op end
  if is_lua_op(op) then return require("theano.op").is_of(node, op) end
  if op == "*" then return true end
  return node.op.kind == M.op_name("is_op", op)
end

--- The function that makes the operation.
function M.maker(what, op)
  if type(op) ~= "string" then
    if type(op) == "function" or is_lua_op(op) or type(op) == "table" and op.node then return op end
    util.raise("TypeError", "%s: %s is no operation", what, tostring(op))
  end
  T = T or require("theano.tensor")
  for _, space in ipairs({ T, T.nnet }) do
    local fn = rawget(space, op) or rawget(space, op:lower())
    if fn then return fn end
  end
  util.raise("KeyError", "%s: there is no function T.%s to make it", what, op)
end

-- ---- patterns -------------------------------------------------------------------------------------------------------
local commutes = util.set({ "add", "mul", "maximum", "minimum", "and_", "or_", "xor", "eq", "neq" })

local DEEPEST = 100 -- levels; also ends a table that holds itself

-- {op, ..} | "x" | number | {pattern = "x", constraint = fn}, checked, as {kind =, op =, args = ..} | {var =} |
-- {number =}
local function compile(what, p, bound, depth)
  depth = (depth or 0) + 1
  if depth > DEEPEST then
    util.raise("ValueError", "%s: a pattern nested deeper than %d levels, or a table that holds itself", what, DEEPEST)
  end
  if type(p) == "number" then return { number = p } end
  if type(p) == "string" then
    if bound and not bound[p] then util.raise("ValueError", "%s: '%s' stands on the right side only", what, p) end
    return { var = p }
  end
  if util.is_var(p) and core.kind(p) == "constant" then return { constant = p } end
  if type(p) ~= "table" then
    util.raise("TypeError", "%s: a pattern is {operation, ..}, a name, a number or {pattern = .., constraint = ..}, "
      .. "not a %s",
      what, type(p))
  end
  if p.pattern ~= nil then
    util.check_keywords(what .. ": a constrained pattern", p, util.set({ "pattern", "constraint" }))
    if type(p.constraint) ~= "function" then
      util.raise("TypeError", "%s: constraint is a function of the Variable, got %s", what, type(p.constraint))
    end
    local inner = compile(what, p.pattern, bound, depth)
    inner.constraint = p.constraint
    return inner
  end
  if p[1] == nil then util.raise("ValueError", "%s: a table pattern is {operation, arguments..}", what) end
  local node = { kind = M.op_name(what, p[1]), op = p[1], args = {} }
  for i = 2, #p do node.args[i - 1] = compile(what, p[i], bound, depth) end
  return node
end

local function variables_of(p, set)
  if p.var then set[p.var] = true end
  for _, a in ipairs(p.args or {}) do variables_of(a, set) end
  return set
end

local function text_of(p, depth)
  depth = (depth or 0) + 1
  if depth > DEEPEST then return "..." end
  if type(p) == "number" or type(p) == "string" then return util.text(p) end
  if type(p) ~= "table" then return tostring(p) end
  if p.pattern then return text_of(p.pattern, depth) .. " subject to " .. tostring(p.constraint) end
  local args = {}
  for i = 2, #p do args[i - 1] = text_of(p[i], depth) end
  return ("%s(%s)"):format(M.op_name("pattern", p[1]), table.concat(args, ", "))
end

--- `log(add(1, x))` of a table pattern.
function M.text(p) return text_of(p) end

-- The number that a constant is filled with, also behind a DimShuffle; nil when it is none.
local function number_of(v)
  while core.kind(v) ~= "constant" and v.owner and v.owner.op.kind == "DimShuffle" do v = v.owner.inputs[1] end
  if core.kind(v) ~= "constant" or not v.data or v.data.size == 0 then return nil end
  local data = v.data
  local first = data.ndim == 0 and data:item() or data:reshape({ -1 })[0]
  if data.size > 1 then
    local flat = data:reshape({ -1 })
    for i = 1, data.size - 1 do
      if flat[i] ~= first then return nil end
    end
  end
  return type(first) == "number" and first or nil
end

local function one_user(ctx, v) return ctx.many or not ctx.graph or #ctx.graph:clients(v) <= 1 end

local match

-- Arguments from number i on; what is chosen for one may be taken back when a later one does not fit: `rest` says
-- whether everything after these fits.
local function match_args(ctx, p, inputs, swapped, i, rest)
  if i > #p.args then return rest() end
  return match(ctx, p.args[i], inputs[swapped and #inputs + 1 - i or i], function()
    return match_args(ctx, p, inputs, swapped, i + 1, rest)
  end)
end

local function match_node(ctx, p, node, rest)
  if not node or not M.is_op(node, p.op) then return false end
  local inputs = node.inputs
  if #inputs ~= #p.args and not (node.op.kind == "UserPerform" and #inputs > #p.args) then return false end
  if match_args(ctx, p, inputs, false, 1, rest) then return true end
  return #p.args == 2 and commutes[p.kind] and match_args(ctx, p, inputs, true, 1, rest)
end

local function match_variable(ctx, name, v, rest)
  local bound = ctx.bound[name]
  if bound ~= nil then return bound == v and rest() end
  ctx.bound[name] = v
  if rest() then return true end
  ctx.bound[name] = nil
  return false
end

local function same_constant(v, want)
  return v == want or core.kind(v) == "constant" and v.type == want.type
    and require("theano.ndarray").array_equal(v.data, want.data)
end

function match(ctx, p, v, rest)
  if p.constraint and not p.constraint(v) then return false end
  if p.number then return number_of(v) == p.number and rest() end
  if p.constant then return same_constant(v, p.constant) and rest() end
  if p.var then return match_variable(ctx, p.var, v, rest) end
  return one_user(ctx, v) and match_node(ctx, p, v.owner, rest)
end

local function build(what, p, bound)
  if p.var then return bound[p.var] end
  if p.number then return p.number end
  if p.constant then return p.constant end
  local args = {}
  for i, a in ipairs(p.args) do args[i] = build(what, a, bound) end
  return M.maker(what, p.op)(table.unpack(args))
end

--- The two sides of a PatternSub as a function on a node: what takes its place, or nil. Options: name,
-- `allow_multiple_clients` (false): may what lies between the pattern's operations be used elsewhere?
function M.substitute(before, after, options)
  local what = "PatternSub"
  local from = compile(what, before)
  if not from.kind then util.raise("ValueError", "PatternSub: the left side is {operation, ..}, there to be found") end
  local to = compile(what, after, variables_of(from, {}))
  local many = options.allow_multiple_clients
  local root = { op = from.op, kind = from.kind, args = from.args }
  return function(node, graph)
    local ctx = { bound = {}, graph = graph, many = many }
    if from.constraint and not from.constraint(node.outputs[1]) then return nil end
    if not match_node(ctx, root, node, function() return true end) then return nil end
    local made = build(what, to, ctx.bound)
    T = T or require("theano.tensor")
    return util.is_var(made) and made or T.as_tensor_variable(made)
  end, from.kind
end

-- ---- texts ----------------------------------------------------------------------------------------------------------
local infix = { ["+"] = "add", ["-"] = "sub", ["*"] = "mul", ["/"] = "true_div" }

--- A text rule as a table pattern: `"log(1 + x)"` -> `{"log", {"add", 1, "x"}}`. Attributes in braces and subterms with
-- names are the engine's alone: nil, and why.
function M.from_text(text)
  if text:find("[{}:]") then return nil, "it has braces or names for subterms" end
  local at, sum = 1, nil
  local function skip() at = text:find("%S", at) or #text + 1 end
  local function take(pattern)
    skip()
    local s, e = text:find("^" .. pattern, at)
    if s then at = e + 1 end
    return s and text:sub(s, e)
  end
  local function atom()
    local number = take("%d+%.?%d*[eE]?[+-]?%d*") or take("%.%d+")
    if number then return tonumber(number) or tonumber(number:match("^[%d.]+")) end
    local name = take("[%a_][%w_]*")
    if name and take("%(") then
      local call = { name }
      repeat call[#call + 1] = sum() until not take(",")
      if not take("%)") then error("')' expected", 0) end
      return call
    end
    if name then return name end
    if not take("%(") then error("an expression expected", 0) end
    local inside = sum()
    if not take("%)") then error("')' expected", 0) end
    return inside
  end
  local function power()
    local base = atom()
    if take("%^") then return { "pow", base, take("%-") and { "neg", power() } or power() } end
    return base
  end
  local function unary()
    if not take("%-") then return power() end
    local inside = unary()
    return type(inside) == "number" and -inside or { "neg", inside }
  end
  local function chain(next_one, ops)
    local left = next_one()
    local op = take(ops)
    while op do
      left = { infix[op], left, next_one() }
      op = take(ops)
    end
    return left
  end
  local function product() return chain(unary, "[*/]") end
  function sum() return chain(product, "[+-]") end
  local ok, p = pcall(sum)
  skip()
  if not ok or at <= #text then return nil, ("near '%s'"):format(text:sub(at)) end
  return p
end

return M
