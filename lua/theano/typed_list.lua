--- Lists of arrays of one type whose number and shapes only a call knows: Theano's `theano.typed_list`.
-- A list is its elements one after the other in a vector, a matrix with the shape of each, and for lists of lists a
-- vector of lengths for each level. So what is done with lists are operations on tensors: they have gradients and run
-- in every mode. A compiled function takes and gives Lua sequences.
-- @module theano.typed_list
if not package.loaded["theano"] then require("theano") return require("theano.typed_list") end -- it loads us
local core = require("theano.core")
local nd = require("theano.ndarray")
local T = require("theano.tensor")
local util = require("theano.util")

local M = {}
package.loaded["theano.typed_list"] = M

local List, ListType = { __name = "TypedList" }, { __name = "TypedListType" }

local function is_list(v) return getmetatable(v) == List end
local function check(what, l)
  if is_list(l) then return l end
  util.raise("TypeError", "%s takes a typed list, got %s", what, util.is_var(l) and tostring(l.type) or type(l))
end

-- ---- types ----------------------------------------------------------------------------------------------------------
--- The type of lists of `ttype` (a TensorType); depth 1: of lists of such lists, and so on. Calling it makes a
-- variable.
function M.TypedListType(ttype, depth)
  depth = depth or 0
  if math.type(depth) ~= "integer" or depth < 0 then
    util.raise("ValueError", "TypedListType: depth is an integer of at least 0, not %s", util.text(depth))
  end
  if getmetatable(ttype) == ListType then ttype, depth = ttype.leaf, depth + ttype.depth + 1 end
  if type(ttype) ~= "userdata" or require("theano.core").kind(ttype) ~= "type" then
    util.raise("TypeError", "TypedListType: a type expected, got %s", type(ttype))
  end
  return setmetatable({ leaf = ttype, depth = depth }, ListType)
end

function ListType.__eq(a, b) return a.leaf == b.leaf and a.depth == b.depth end
function ListType.__tostring(t)
  return ("TypedList <"):rep(t.depth + 1) .. tostring(t.leaf) .. (">"):rep(t.depth + 1)
end
-- ttype: what an element is
function ListType.__index(t, k)
  if k ~= "ttype" then return nil end
  return t.depth == 0 and t.leaf or M.TypedListType(t.leaf, t.depth - 1)
end

local function new(type_, data, shapes, lengths, name)
  return setmetatable({ type = type_, data = data, shapes = shapes, lengths = lengths, name = name }, List)
end

function ListType.__call(t, name)
  local lengths, of = {}, name or "list"
  for level = 1, t.depth do lengths[level] = T.lvector(("%s.lengths%d"):format(of, level)) end
  return new(t, T.TensorType(t.leaf.dtype, { false })(of .. ".data"), T.lmatrix(of .. ".shapes"), lengths, name)
end

function List.__tostring(l) return l.name or ("<%s>"):format(tostring(l.type)) end

-- All tensors of a list, in order.
local function parts(l)
  local out = { l.data, l.shapes }
  return table.move(l.lengths, 1, #l.lengths, 3, out)
end

local function from_parts(type_, p)
  return new(type_, p[1], p[2], table.move(p, 3, 2 + type_.depth, 1, {}))
end

-- ---- building blocks ------------------------------------------------------------------------------------------------
local function sizes(l) return T.prod(l.shapes, { axis = 1, dtype = "int64" }) end

local function slice(v, a, b) return v[{ T.slice(a, b) }] end

-- Elements a .. b - 1.
local function range(l, a, b)
  local lengths = {}
  for level = #l.lengths, 1, -1 do
    local all = l.lengths[level]
    lengths[level] = slice(all, a, b)
    a, b = T.sum(slice(all, nil, a)), T.sum(slice(all, nil, b))
  end
  local size, shapes = sizes(l), slice(l.shapes, a, b)
  return new(l.type, slice(l.data, T.sum(slice(size, nil, a)), T.sum(slice(size, nil, b))), shapes, lengths)
end

-- Positions, one level lower, of what the elements at `at` consist of.
local function below(count, at)
  local chosen = count[at]
  local moved = T.cumsum(count)[at] - T.cumsum(chosen) -- from where they will stand to where they are
  return T.arange(T.sum(chosen)) + T.repeat_(moved, chosen, 0)
end

-- The elements at an integer vector of positions.
local function gather(l, at)
  local lengths = {}
  for level = #l.lengths, 1, -1 do
    lengths[level] = l.lengths[level][at]
    at = below(l.lengths[level], at)
  end
  return new(l.type, l.data[below(sizes(l), at)], l.shapes[at], lengths)
end

local function concatenate(type_, lists)
  local p = {}
  for i = 1, 2 + type_.depth do
    local column = {}
    for k, l in ipairs(lists) do column[k] = parts(l)[i] end
    p[i] = T.concatenate(column, { axis = 0 })
  end
  return from_parts(type_, p)
end

-- A value as an element of the list's type.
local function element(what, type_, x)
  local want = type_.ttype
  if is_list(x) then
    if x.type == want then return x end
  elseif type_.depth == 0 then
    if not util.is_var(x) then x = want:make_constant(x) end
    if x.type == want then return x end
    if x.dtype == want.dtype and x.ndim == want.ndim then return want:filter_variable(x) end
  end
  return util.raise("TypeError", "%s: a %s expected, got %s", what, tostring(want),
    (is_list(x) or util.is_var(x)) and tostring(x.type) or type(x))
end

-- A list of the one element.
local function wrap(type_, x)
  if type_.depth == 0 then
    return new(type_, T.flatten(x), T.shape_padleft(T.cast(x.shape, "int64")), {})
  end
  local lengths = table.move(x.lengths, 1, #x.lengths, 1, {})
  lengths[type_.depth] = T.shape_padleft(M.length(x))
  return new(type_, x.data, x.shapes, lengths)
end

local function index_of(what, i)
  if math.type(i) == "integer" then return T.constant(i, { dtype = "int64" }) end
  if util.is_var(i) and i.ndim == 0 and i.dtype:find("int") then return T.cast(i, "int64") end
  return util.raise("TypeError", "%s: an integer expected, got %s", what,
    util.is_var(i) and tostring(i.type) or type(i))
end

local function from_end(l, i)
  return T.switch(T.lt(i, 0), i + M.length(l), i)
end

-- ---- operations -----------------------------------------------------------------------------------------------------
--- The number of elements, a 0-d int64 variable.
function M.length(l)
  check("length", l)
  local top = l.lengths[#l.lengths] or l.shapes
  return T.cast(top.shape[0], "int64")
end

local function sliced(l, s)
  local n = T.shape_padleft(M.length(l))
  local at = T.arange(n[0])[s]
  return gather(l, at)
end

--- The element at a position (from 0, or from the end when negative); of a slice (`"1:3"`, `T.slice(a, b)`), a list.
function M.getitem(l, i)
  check("getitem", l)
  if type(i) == "table" and #i == 1 and getmetatable(i) == nil then i = i[1] end
  if type(i) == "string" or type(i) == "table" and i.__arg == "slice" then
    return sliced(l, type(i) == "table" and { i } or i)
  end
  i = index_of("getitem", i)
  if l.type.depth == 0 then
    local shape, size, pattern = l.shapes[i], sizes(l), l.type.leaf.broadcastable
    local start = T.sum(slice(size, nil, from_end(l, i)))
    return T.patternbroadcast(slice(l.data, start, start + size[i]):reshape(shape, #pattern), pattern)
  end
  local checked = l.lengths[l.type.depth][i] * 0 + from_end(l, i) -- raises where there is no such element
  local one = range(l, checked, checked + 1)
  one.lengths[l.type.depth] = nil
  return new(l.type.ttype, one.data, one.shapes, one.lengths)
end

--- The list with an element more at its end.
function M.append(l, x)
  check("append", l)
  return concatenate(l.type, { l, wrap(l.type, element("append", l.type, x)) })
end

--- The elements of one list and then those of another.
function M.extend(l, other)
  check("extend", l)
  check("extend", other)
  if l.type ~= other.type then
    util.raise("TypeError", "extend: a %s expected, got %s", tostring(l.type), tostring(other.type))
  end
  return concatenate(l.type, { l, other })
end

--- The list with an element more before a position, as Python's `insert`.
function M.insert(l, i, x)
  check("insert", l)
  local n = M.length(l)
  local at = T.clip(from_end(l, index_of("insert", i)), 0, n)
  return concatenate(l.type, { range(l, 0, at), wrap(l.type, element("insert", l.type, x)), range(l, at, n) })
end

--- The elements in reverse order.
function M.reverse(l)
  check("reverse", l)
  return gather(l, T.arange(M.length(l))["::-1"])
end

-- For each element whether it equals x, shape included.
local function matches(what, l, x)
  check(what, l)
  if l.type.depth > 0 then
    util.raise("NotImplementedError", "%s: lists are not compared with each other, only arrays are", what)
  end
  x = element(what, l.type, x)
  local size, n = sizes(l), M.length(l)
  local owner = T.repeat_(T.arange(n), size, 0) -- of each number
  local place = T.arange(l.data.shape[0]) - (T.cumsum(size) - size)[owner]
  -- Numbers of arrays of another size are compared with anything: their shape differs.
  local padded = T.concatenate({ T.flatten(x), T.zeros({ 1 }, { dtype = x.dtype }) }, { axis = 0 })
  local differs = T.neq(l.data, padded[T.minimum(place, T.prod(x.shape))])
  local wrong = T.inc_subtensor(T.zeros_like(size)[owner], T.cast(differs, "int64"))
  if l.type.leaf.ndim == 0 then return T.eq(wrong, 0) end
  return T.and_(T.eq(wrong, 0), T.all(T.eq(l.shapes, T.shape_padleft(x.shape)), { axis = 1 }))
end

--- How many elements equal x.
function M.count(l, x)
  return T.sum(T.cast(matches("count", l, x), "int64"))
end

--- The first position of an element that equals x; raises an AssertionError in the call when there is none.
function M.index(l, x)
  local found = matches("index", l, x)
  local any = T.gt(T.sum(T.cast(found, "int64")), 0)
  local first = T.argmax(T.concatenate({ T.cast(found, "int8"), T.ones({ 1 }, { dtype = "int8" }) }, { axis = 0 }))
  return T.opt.assert_op(first, any, { msg = "typed_list.index: the value is not in the list" })
end
M.index_ = M.index

--- The list without the first element that equals x; unchanged when there is none.
function M.remove(l, x)
  local found = T.cast(matches("remove", l, x), "int8")
  local n = M.length(l)
  local first = T.argmax(T.concatenate({ found, T.ones({ 1 }, { dtype = "int8" }) }, { axis = 0 }))
  return concatenate(l.type, { range(l, 0, first), range(l, T.minimum(first + 1, n), n) })
end

--- A list of variables of one type, or of typed lists.
function M.make_list(list)
  if type(list) ~= "table" or is_list(list) or core.length(list, "make_list: the list") == 0 then
    util.raise("TypeError", "make_list takes a sequence of at least one Variable, got %s", util.kind_of(list))
  end
  local items = {}
  for i, x in ipairs(list) do items[i] = is_list(x) and x or T.as_tensor_variable(x) end
  local first = items[1].type
  local type_ = M.TypedListType(first)
  for i, x in ipairs(items) do
    if x.type ~= first then
      util.raise("TypeError", "make_list: element %d is a %s, the first one a %s", i, tostring(x.type), tostring(first))
    end
    items[i] = wrap(type_, x)
  end
  return concatenate(type_, items)
end

-- ---- variables ------------------------------------------------------------------------------------------------------
local methods = {
  append = M.append, extend = M.extend, insert = M.insert, remove = M.remove, reverse = M.reverse, count = M.count,
  ind = M.index, length = M.length,
}

--- The tensors that hold the list: numbers, shapes, lengths.
function methods.parts(l) return parts(l) end

--- Its value for given inputs, as a sequence.
function methods.eval(l, inputs)
  local vars, values = {}, {}
  for v in pairs(inputs or {}) do vars[#vars + 1] = v end
  table.sort(vars, function(a, b) return tostring(a) < tostring(b) end)
  for i, v in ipairs(vars) do values[i] = inputs[v] end
  return require("theano.compile")({ inputs = vars, outputs = l })(table.unpack(values))
end

function List.__index(l, k)
  if k == "ttype" then return l.type.ttype end
  if type(k) == "string" and k:find("^[%a_][%w_]*$") then
    if methods[k] or k == "name" then return methods[k] end -- an unnamed list has no field `name`
    local names = { "type", "ttype", "name" }
    for name in pairs(methods) do names[#names + 1] = name end
    table.sort(names)
    util.raise("AttributeError", "a typed list has no attribute '%s'%s", k, require("theano.modules").hint(k, names))
  end
  return M.getitem(l, k)
end
function List.__len(l) return M.length(l) end

-- ---- values ---------------------------------------------------------------------------------------------------------
-- level: how many levels of lists the value is, 0 an array.
local function gather_values(t, level, value, into, name)
  if level == 0 then
    local a = t.leaf:filter(value)
    into.data[#into.data + 1] = a:reshape({ -1 })
    into.shapes[#into.shapes + 1] = a.shape
    return
  end
  if type(value) ~= "table" then
    util.raise("TypeError", "the typed list %s takes a sequence of values, got %s", name, type(value))
  end
  table.insert(into.lengths[level], core.length(value, name))
  for _, v in ipairs(value) do gather_values(t, level - 1, v, into, name) end
end

-- The parts of a list's value.
local function pack(l, value)
  local t, into = l.type, { data = {}, shapes = {}, lengths = {} }
  for level = 1, t.depth do into.lengths[level] = {} end
  if type(value) ~= "table" then
    util.raise("TypeError", "the typed list %s takes a sequence of values, got %s", tostring(l), type(value))
  end
  for i, v in ipairs(util.list(tostring(l), value)) do
    gather_values(t, t.depth, v, into, ("%s[%d]"):format(tostring(l), i))
  end
  local shapes = nd.zeros({ #into.shapes, t.leaf.ndim }, "int64")
  for i, s in ipairs(into.shapes) do
    for d, n in ipairs(s) do shapes[{ i - 1, d - 1 }] = n end
  end
  local empty = nd.zeros({ 0 }, t.leaf.dtype)
  local out = { #into.data > 0 and nd.concatenate(into.data, { axis = 0 }) or empty, shapes }
  for level = 1, t.depth do out[2 + level] = nd.array(into.lengths[level], "int64") end
  return out
end

local function unpack_value(t, p)
  local at, row, next_of = 0, 0, {}
  for level = 1, t.depth do next_of[level] = 0 end
  local function take(depth, n)
    local out = {}
    for i = 1, n do
      if depth == 0 then
        local shape, size = {}, 1
        for d = 0, t.leaf.ndim - 1 do
          shape[d + 1] = p[2][{ row, d }]
          size = size * shape[d + 1]
        end
        out[i] = p[1]:sub({ at, at + size }):reshape(shape):copy()
        at, row = at + size, row + 1
      else
        local length = p[2 + depth][next_of[depth]]
        next_of[depth] = next_of[depth] + 1
        out[i] = take(depth - 1, length)
      end
    end
    return out
  end
  return take(t.depth, t.depth == 0 and p[2].shape[1] or p[2 + t.depth].shape[1])
end

-- ---- compiled functions ---------------------------------------------------------------------------------------------
--- Whether typed lists are among a function's inputs or outputs.
function M.used(spec)
  if is_list(spec.outputs) then return true end
  for _, list in ipairs({ spec.inputs or {}, type(spec.outputs) == "table" and spec.outputs or {} }) do
    if type(list) == "table" and getmetatable(list) == nil then
      for _, v in pairs(list) do
        if is_list(v) then return true end
      end
    end
  end
  return false
end

local Function = { __name = "function" }
Function.__index = function(f, k) return rawget(f, "inner")[k] end
Function.__tostring = function(f) return tostring(rawget(f, "inner")) end
Function.__call = function(f, ...)
  local given, flat = table.pack(...), {}
  local inputs, outputs = rawget(f, "inputs"), rawget(f, "outputs")
  if given.n ~= #inputs then
    util.raise("TypeError", "the function takes %d arguments, got %d (with typed lists, arguments are positional)",
      #inputs, given.n)
  end
  for i, v in ipairs(inputs) do
    if is_list(v) then
      table.move(pack(v, given[i]), 1, 2 + v.type.depth, #flat + 1, flat)
    else
      flat[#flat + 1] = given[i]
    end
  end
  local results, values, k = table.pack(rawget(f, "inner")(table.unpack(flat))), {}, 1
  for i, o in ipairs(outputs) do
    if is_list(o) then
      values[i] = unpack_value(o.type, table.move(results, k, k + 1 + o.type.depth, 1, {}))
      k = k + 2 + o.type.depth
    else
      values[i], k = results[k], k + 1
    end
  end
  return table.unpack(values, 1, #outputs)
end

--- A compiled function whose inputs or outputs are typed lists: `build` compiles the tensors that hold them.
function M.compile(spec, build)
  local outputs = spec.outputs
  if outputs == nil or is_list(outputs) or getmetatable(outputs) ~= nil or util.is_var(outputs) then
    outputs = { outputs }
  end
  local inner, ins, outs = {}, {}, {}
  for k, v in pairs(spec) do inner[k] = v end
  for _, v in ipairs(spec.inputs or {}) do
    table.move(is_list(v) and parts(v) or { v }, 1, is_list(v) and 2 + v.type.depth or 1, #ins + 1, ins)
  end
  for _, o in ipairs(outputs) do
    table.move(is_list(o) and parts(o) or { o }, 1, is_list(o) and 2 + o.type.depth or 1, #outs + 1, outs)
  end
  if #outs == 0 and next(outputs) then
    util.raise("TypeError", "named outputs and typed lists do not go together: give a sequence")
  end
  inner.inputs, inner.outputs = ins, outs
  inner.on_unused_input = spec.on_unused_input or "ignore" -- parts of a list may be
  return setmetatable({ inner = build(inner), inputs = spec.inputs or {}, outputs = outputs }, Function)
end

return M
