--- The tensor language: constructors, and every function of the engine's table under its dotted name.
-- Axes and positions inside tensors count from 0; see `theano.help(name)` for a function's signature.
-- @module theano.tensor
if not package.loaded["theano"] then require("theano") return require("theano.tensor") end -- it loads us
local core = require("theano.core")
local util = require("theano.util")

local T = {}
package.loaded["theano.tensor"] = T

-- ---- functions of the table -----------------------------------------------------------------------------------------
local methods = {}

local function place(name, f)
  local where = T
  for part in name:gmatch("([^.]+)%.") do
    where[part] = where[part] or {}
    where = where[part]
  end
  where[name:match("[^.]+$")] = f
end

for _, f in ipairs(core.functions()) do
  place(f.name, f.symbolic)
  if f.method then methods[f.name] = f.symbolic_method end
end
T.repeat_ = T.repeat_ or T["repeat"]

-- Theano's older form: the tensors one by one.
local stack = T.stack
T.stack = util.instead(function(first, second, ...)
  if util.is_var(second) then return stack({ first, second, ... }) end
  return stack(first, second, ...)
end, stack)
T["repeat"] = nil
for _, name in ipairs({ "nnet", "signal", "slinalg", "nlinalg", "fft", "extra_ops", "xlogx" }) do
  if T[name] then package.loaded["theano.tensor." .. name] = T[name] end
end

-- ---- types and variables --------------------------------------------------------------------------------------------
--- A tensor type: `TensorType(dtype, {broadcastable..})`; calling it makes a variable.
T.TensorType = core.TensorType

local shapes = {
  scalar = {}, vector = { false }, row = { true, false }, col = { false, true }, matrix = { false, false },
}
for n = 3, 7 do
  shapes["tensor" .. n] = {}
  for d = 1, n do shapes["tensor" .. n][d] = false end
end
local letters = {
  b = "int8", w = "int16", i = "int32", l = "int64",
  f = "float32", d = "float64", c = "complex64", z = "complex128",
}

-- With a letter it is the type itself, as in Theano: `x.type == T.dvector`.
local function constructor(pattern, dtype)
  if dtype then return core.TensorType(dtype, pattern) end
  return function(name, options)
    local called, kind = util.variable_options("constructor", name, options)
    return core.TensorType(kind or "floatX", pattern)(called)
  end
end

local MANY = 10000 -- variables of one call; Lua has no room for many more results

local function plural(one)
  return function(...)
    local a, out = table.pack(...), {}
    if a.n == 1 and type(a[1]) == "number" then
      if math.type(a[1]) ~= "integer" or a[1] < 0 or a[1] > MANY then
        util.raise("ValueError", "a number of variables is an integer of 0 to %d, not %s", MANY, util.text(a[1]))
      end
      for i = 1, a[1] do out[i] = one() end
    else
      if a.n == 1 and type(a[1]) == "string" and #a[1] > 1 then -- a letter each, as in Theano
        a = { n = 0 }
        for letter in (...):gmatch(utf8.charpattern) do a.n, a[a.n + 1] = a.n + 1, letter end
      end
      if a.n == 1 and type(a[1]) == "table" then a = table.pack(table.unpack(util.list("the names", a[1]))) end
      for i = 1, a.n do out[i] = one(a[i]) end
    end
    return table.unpack(out)
  end
end

for name, pattern in pairs(shapes) do
  local many = name == "matrix" and "matrices" or name .. "s"
  T[name] = constructor(pattern)
  T[many] = plural(T[name])
  for letter, dtype in pairs(letters) do
    T[letter .. name] = constructor(pattern, dtype)
    T[letter .. many] = plural(T[letter .. name])
  end
end

--- `tensor(dtype, {broadcastable..}, name)`
function T.tensor(...)
  local a = util.bind("tensor", { "dtype", "broadcastable", "name", dtype = "string", name = "string" }, ...)
  return core.TensorType(a.dtype, a.broadcastable)(a.name)
end

--- A Constant: numbers take the smallest dtype that holds them unless dtype is given.
function T.constant(value, name, options)
  if util.is_keywords(name) then name, options = nil, name end
  options = options or {}
  util.check_keywords("constant", options, { name = "string", dtype = "string", ndim = "integer" })
  if util.is_var(value) then util.raise("TypeError", "constant: %s is a symbolic Variable already", tostring(value)) end
  local c = core.constant(value, name or options.name, options.dtype)
  if options.ndim and (options.ndim < 0 or options.ndim > 32) then
    util.raise("ValueError", "constant: ndim is a number of dimensions, not %d", options.ndim)
  elseif options.ndim and c.ndim > options.ndim then
    util.raise("ValueError", "constant: ndim is %d, the value has %d dimensions", options.ndim, c.ndim)
  end
  while options.ndim and c.ndim < options.ndim do c = T.shape_padleft(c) end
  return c
end

-- Tables that hold variables, however deep, as one tensor; tables of numbers only are constants.
local function stacked(v, what, depth)
  if depth > 64 then util.raise("TypeError", "tables nested deeper than 64 levels, or a table that holds itself") end
  local symbolic, out = false, {}
  for i, e in ipairs(util.list(what, v)) do
    out[i] = e
    if type(e) == "table" and getmetatable(e) == nil then
      local inner, is = stacked(e, ("%s[%d]"):format(what, i), depth + 1)
      out[i], symbolic = inner, symbolic or is
    else
      symbolic = symbolic or util.is_var(e)
    end
  end
  return symbolic and T.stack(out) or v, symbolic
end

T.constant = util.by_position("constant", T.constant, 2, { "ndim", "dtype" })

--- Anything as a variable: Variables stay, numbers and arrays become Constants, lists with variables are stacked.
-- name names a Constant; ndim adds broadcastable dimensions in front, or drops those, until there are so many.
function T.as_tensor_variable(v, name, ndim)
  local o = util.is_keywords(name) and name or { name = name, ndim = ndim }
  util.check_keywords("as_tensor_variable", o, { name = "string", ndim = "integer" })
  if type(v) == "boolean" then
    util.raise("TypeError", "a boolean is no tensor: x == y is identity in Lua, use T.eq(x, y)")
  end
  local x = v
  if type(v) == "table" and getmetatable(v) == nil then x = stacked(v, "the list", 1) end
  if not util.is_var(x) then x = o.name and T.constant(x, o.name) or core.as_var(x) end
  if not o.ndim or x.ndim == o.ndim then return x end
  if x.ndim < o.ndim then return T.shape_padleft(x, o.ndim - x.ndim) end
  local kept, pattern = {}, x.broadcastable
  for d = x.ndim - 1, 0, -1 do
    if d >= x.ndim - o.ndim then table.insert(kept, 1, d)
    elseif not pattern[d + 1] then
      util.raise("ValueError", "as_tensor_variable: %s has %d dimensions, not %d: dimension %d may be longer than 1",
        tostring(x), x.ndim, o.ndim, d)
    end
  end
  return x:dimshuffle(kept)
end

-- ---- subscripts -----------------------------------------------------------------------------------------------------
--- A slice for a table subscript: `x[{T.slice(a, b), 0}]`; `T.slice()` is `:`.
function T.slice(start, stop, step)
  for name, v in pairs({ start = start, stop = stop, step = step }) do
    if v and math.type(v) ~= "integer" and not util.is_var(v) and not util.is_array(v) then
      util.raise("TypeError", "slice: %s is %s, an integer or an integer scalar is expected", name, util.kind_of(v))
    end
  end
  return setmetatable({ start or false, stop or false, step or false, __arg = "slice" }, { __name = "slice" })
end
T.newaxis = setmetatable({ __arg = "newaxis" }, { __name = "newaxis" })
T.none = setmetatable({ __arg = "none" }, { __name = "None" })

-- ---- grids ----------------------------------------------------------------------------------------------------------
-- The parts of one slice: numbers or integer scalars; false where it is open.
local function grid_range(name, entry)
  if type(entry) == "string" then
    local parts, n = {}, 0
    for part in (entry .. ":"):gmatch("%s*([^:]-)%s*:") do
      n = n + 1
      parts[n] = part ~= "" and (math.tointeger(tonumber(part)) or tonumber(part)) or false
      if part ~= "" and not parts[n] then util.raise("ValueError", "%s: '%s' is no number", name, part) end
    end
    entry = parts
    if n < 2 or n > 3 then
      util.raise("ValueError", "%s: a slice such as \"0:3\" or \"0:1:0.1\" is expected", name)
    end
  end
  if type(entry) ~= "table" then util.raise("TypeError", "%s: slices only, got %s", name, util.kind_of(entry)) end
  if util.is_keywords(entry) then
    util.check_keywords(name, entry, { start = true, stop = true, step = true })
  elseif getmetatable(entry) == nil and core.length(entry, name .. ": the slice") > 3 then
    util.raise("ValueError", "%s: a slice has a start, a stop and a step, not %d entries", name, #entry)
  end
  local start, stop, step = entry.start or entry[1], entry.stop or entry[2], entry.step or entry[3]
  return T.arange(start or 0, stop or 1, step or 1)
end

-- A grid maker: T.mgrid["0:3, 0:1:0.25"] or T.mgrid(T.slice(0, 3), T.slice(0, n)). One slice gives its range; several
-- give a list of tensors, each stepping along its own dimension.
local function grid(name, sparse)
  local function make(...)
    local entries = table.pack(...)
    if entries.n == 1 and type(entries[1]) == "string" then
      local list = {}
      for part in entries[1]:gmatch("[^,]+") do list[#list + 1] = part end
      if #list == 1 then return grid_range(name, list[1]) end
      entries = table.pack(table.unpack(list))
    elseif entries.n == 1 and type(entries[1]) == "table" and getmetatable(entries[1]) == nil
      and type(entries[1][1]) ~= "number" then
      entries = table.pack(table.unpack(entries[1]))
    elseif entries.n == 1 then
      return grid_range(name, entries[1])
    end
    local out = {}
    for d = 1, entries.n do
      local order = {}
      for i = 1, entries.n do order[i] = i == d and 0 or "x" end
      out[d] = grid_range(name, entries[d]):dimshuffle(table.unpack(order))
    end
    if sparse then return out end
    local full = {}
    for d = 1, entries.n do
      full[d] = out[d]
      for i = 1, entries.n do
        if i ~= d then full[d] = full[d] * T.ones_like(out[i]) end
      end
    end
    return full
  end
  return setmetatable({}, {
    __name = name, __index = function(_, key) return make(key) end, __call = function(_, ...) return make(...) end,
  })
end
--- Coordinates of a rectangular grid, each as a full tensor.
T.mgrid = grid("mgrid", false)
--- The same with each tensor of length 1 but along its own dimension.
T.ogrid = grid("ogrid", true)

--- `Assert(msg)(value, cond, ..)`: value, raising AssertionError while running unless the conditions hold.
function T.opt.Assert(msg)
  util.check_type("Assert", "msg", msg, "string")
  return function(value, ...)
    return T.opt.assert_op(value, table.pack(...), { msg = msg or "Theano Assert failed!" })
  end
end

-- ---- the Variable's attributes and methods --------------------------------------------------------------------------
local meta = core.variable_meta
core.metamethods(meta, false)

local computed = {
  T = function(x) return T.transpose(x) end,
  mT = function(x) return T.matrix_transpose(x) end,
  shape = function(x) return T.shape(x) end,
  size = function(x) return T.size(x) end,
  real = function(x) return T.real(x) end,
  imag = function(x) return T.imag(x) end,
  clients = function(x)
    local list = core.var_clients(x)
    if not list then
      util.raise("AttributeError", "a Variable has clients in a compiled function's graph only, as in "
        .. "f.maker.fgraph:toposort()[1].outputs[1].clients; of a FunctionGraph it is fgraph:clients(v)")
    end
    return list
  end,
}

local own = {
  sub = core.sub,
}
T.variable_methods = own -- more of them come with theano.extra

-- ---- shared variables
-- -------------------------------------------------------------------------------------------------
local function options_of(what, o, known, ...)
  if select("#", ...) > 0 then util.raise("TypeError", "%s: the table of options is the last argument", what) end
  if o == nil then return {} end
  if type(o) == "boolean" then return { borrow = o } end
  if type(o) ~= "table" then util.raise("TypeError", "%s takes a table of options, got %s", what, type(o)) end
  util.check_keywords(what, o, known)
  return o
end

local value_known = { borrow = "boolean", return_internal_type = "boolean", array = "boolean" }

--- The value: a copy, or with `{borrow = true}` the storage itself, which later calls may overwrite. What has no
-- dimensions is a Lua number, boolean or nd.complex, as call results are; it stays an ndarray, with its dtype, where
-- it is borrowed, under `array = true`, and under `return_internal_type = true`: a copy that lives where the value
-- does.
function own.get_value(s, o, ...)
  local options = options_of("get_value", o, value_known, ...)
  local internal = options.return_internal_type
  local device = internal and not options.borrow and core.get_value(s, true).device or "cpu"
  local value = core.get_value(s, options.borrow, options.array or internal)
  return device ~= "cpu" and value:to_device(device) or value
end

--- Another value of the same type; with `{borrow = true}` an ndarray may become the storage itself.
function own.set_value(s, v, o, ...)
  core.set_value(s, v, options_of("set_value", o, { borrow = "boolean" }, ...).borrow)
end

--- All elements become 0; with `{borrow = true}` in the storage itself, which a borrowed value shows.
function own.zero(s, o, ...)
  local borrow = options_of("zero", o, { borrow = "boolean" }, ...).borrow
  local a = core.get_value(s, true)
  core.set_value(s, borrow and a:fill(0) or core.zeros(a.shape, a.dtype), true)
end

--- Another variable of the same type, name and tag; a shared one has the same storage, a constant the same value.
function own.clone(x, ...)
  local kind = core.kind(x)
  if kind == "shared" then return core.shared_clone(x, ...) end
  local copy = kind == "constant" and core.constant(x.data, x.name) or x.type(x.name)
  for k, v in pairs(x.tag) do copy.tag[k] = v end
  return copy
end

-- By variable, as long as a handle on it lives; a function does not refer to the Lua side of its variables.
local eval_cache = setmetatable({}, { __mode = "k" })

--- Value of a variable: compiles a function of the given inputs (kept on the variable) and calls it.
function own.eval(x, inputs)
  local names, vars, values = {}, {}, {}
  if not util.is_var(x) then util.raise("TypeError", "argument 1: Variable expected, got %s", type(x)) end
  util.check_type("eval", "the inputs", inputs, "table")
  for k in pairs(inputs or {}) do
    if not util.is_var(k) then
      util.raise("TypeError", "eval: keys are Variables, as in x:eval({[y] = value}), got %s",
        type(k) == "string" and "the text '" .. k .. "'" or tostring(k))
    end
    names[#names + 1] = k
  end
  table.sort(names, function(a, b) return core.serial(a) < core.serial(b) end)
  local key = {}
  for i, v in ipairs(names) do vars[i], values[i], key[i] = v, inputs[v], core.serial(v) end
  local cache = eval_cache[x] or {}
  eval_cache[x] = cache
  local id = table.concat(key, ",")
  cache[id] = cache[id] or require("theano.compile")({ inputs = vars, outputs = x })
  return cache[id](table.unpack(values))
end

local plain = util.set({
  "ndim", "dtype", "broadcastable", "type", "name", "owner", "index", "data", "tag",
})

local function unknown(x, key)
  local names = {}
  for _, t in ipairs({ plain, computed, own, methods }) do
    for n in pairs(t) do names[#names + 1] = n end
  end
  table.sort(names)
  local modules = require("theano.modules")
  local hint = modules.hint(key, names, "Variable")
  if core.kind(x) == "shared" and (key == "value" or key == "data" or key == "container") then
    hint = ": a shared variable has get_value() and set_value(v)"
  end
  local found = hint == "" and modules.find(key)
  util.raise("AttributeError", "a Variable has no attribute '%s'%s", key,
    found and found:find("^theano%.tensor%.") and (": it is the function " .. found) or hint)
end

-- ipairs asks until it gets nil, which no subscript of a variable gives.
local step = ipairs({})
local function no_walk(x, key)
  local caller = debug.getinfo(3, "f")
  if not caller or caller.func ~= step then return end
  util.raise("TypeError", "a Variable is no sequence (%s, ipairs at element %d): its elements count from 0, and only a "
    .. "call knows how many there are. Loop with theano.scan, or over a list of variables", tostring(x), key)
end

-- What random variables know of: kept in the tag.
local noted = { rng = true, rstate = true, update = true, permutation = true }

meta.__index = function(x, key)
  if type(key) == "number" then
    no_walk(x, key)
  elseif type(key) == "string" and key:find("^[%a_][%w_]*$") and key ~= "None" and key ~= "newaxis" then
    if plain[key] then
      local value, has = core.var_attribute(x, key)
      if not has then unknown(x, key) end -- of a state, which is no tensor
      return value
    end
    if computed[key] then return computed[key](x) end
    if key == "default_update" and core.kind(x) == "shared" then return core.default_update(x) end
    return own[key] or methods[key] or noted[key] and core.var_attribute(x, "tag")[key] or unknown(x, key)
  end
  return core.subtensor(x, key)
end

meta.__newindex = function(x, key, value)
  if key == "name" then return core.set_name(x, value) end
  if key == "default_update" then return core.set_default_update(x, value) end
  if key == "tag" then util.raise("TypeError", "the tag is a table of its own: set fields of it") end
  if type(key) == "string" and key:find("^[%a_][%w_]*$") then
    util.raise("AttributeError", "the attribute '%s' of a Variable cannot be set: name, default_update (of a shared "
      .. "variable) and fields of tag can%s", key, key == "value" and "; a value is set by x:set_value(v)" or "")
  end
  util.raise("TypeError", "a Variable is not assigned to: use T.set_subtensor(x[..], value)%s",
    core.kind(x) == "shared" and "; a shared variable's value is set by s:set_value(v)" or "")
end

meta.__len = function(x) return x.shape[0] end
meta.__concat = util.concat

return T
