--- Definitions for editors (LuaCATS, as the Lua language server reads them), from the tables and comments that
-- theano.help reads. Used by scripts/make-reference, which writes them into editor/.
-- @module scripts.definitions
local core = require("theano.core")
local help = require("theano.help")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local M = {}

local HEADER = "-- Made by `build/theano scripts/make-reference` from the engine's tables; not edited by hand.\n"
  .. "-- For the Lua language server: see docs/editor.md.\n"

-- ---- types ----------------------------------------------------------------------------------------------------------
local ALIASES = [[
---@alias theano.Dtype
---| "bool"
---| "int8"
---| "int16"
---| "int32"
---| "int64"
---| "uint8"
---| "uint16"
---| "uint32"
---| "uint64"
---| "float32"
---| "float64"
---| "complex64"
---| "complex128"
---| "floatX"

---@alias theano.Value number|boolean|theano.ndarray|theano.complex|table
---@alias theano.Operand theano.Variable|theano.Value
---@alias theano.Axis integer|integer[]
]]

-- By the name of a parameter; else by its default, else `Operand` in the engine's table and `any` elsewhere.
local BY_NAME = {
  axis = "theano.Axis", axes = "theano.Axis", axis1 = "integer", axis2 = "integer", dtype = "theano.Dtype",
  acc_dtype = "theano.Dtype", name = "string", path = "string", text = "string", options = "table", mode = "string",
  broadcastable = "boolean[]", cost = "theano.Variable", wrt = "theano.Variable|theano.Variable[]", fun = "function",
  fn = "function", size = "integer|integer[]", seed = "integer", message = "string", on = "boolean", ndim = "integer",
}

local function type_of(parameter, otherwise)
  if BY_NAME[parameter.name] then return BY_NAME[parameter.name] end
  local default = parameter.default
  if default == "True" or default == "False" or default == "true" or default == "false" then return "boolean" end
  if default and default:find('^"') then return "string" end
  if default and tonumber(default) then return "number" end
  return otherwise
end

local RESERVED = { ["end"] = "end_", ["repeat"] = "repeat_", ["function"] = "func" }

-- In functions written in Lua, whose signature has no defaults.
local OPTIONAL = {}
for name in ("options name dtype step stop m n k rtol atol equal_nan optimizer inputs size seed replace axes from o "
  .. "comment message known_grads"):gmatch("%S+") do
  OPTIONAL[name] = true
end

-- Parameters of a signature written as in Python: {name =, default =, optional =}, and whether more may follow.
local function parameters_of(signature, all_optional, lua)
  local list, more = {}, false
  if signature:find(" or ", 1, true) then return list, true end
  for part in signature:gsub("%b{}", "options=None"):gmatch("[^,]+") do
    local name, default = part:match("^%s*([%a_][%w_]*)=(.*)$")
    name = name or part:match("^%s*([%a_][%w_]*)%s*$")
    if name and not more then
      local optional = default ~= nil or all_optional or (lua and #list > 0 and OPTIONAL[name]) or name == "options"
      list[#list + 1] = { name = RESERVED[name] or name, default = default, optional = optional }
    elseif not name then
      more = true
    end
  end
  -- What stands behind an optional parameter may be left out as well.
  local optional = false
  for _, parameter in ipairs(list) do
    optional = optional or parameter.optional
    parameter.optional = optional
  end
  return list, more
end

-- ---- one function ---------------------------------------------------------------------------------------------------
local out

local function say(...) out[#out + 1] = string.format(...) end

local function comment(doc)
  local text = doc:gsub("%s+", " ")
  while #text > 110 do
    local cut = text:sub(1, 110):match("^.*() ") or 110
    say("---%s", text:sub(1, cut - 1))
    text = text:sub(cut + 1)
  end
  say("---%s", text)
end

-- The form with a trailing table of keywords, where there are any.
local function keyword_form(list, from, otherwise, result, class)
  local fixed, keywords = { class and "self: " .. class }, {}
  for i = from, #list do
    local parameter = list[i]
    local kind = type_of(parameter, otherwise)
    if parameter.optional then keywords[#keywords + 1] = parameter.name .. "?: " .. kind
    else fixed[#fixed + 1] = parameter.name .. ": " .. kind end
  end
  if #keywords == 0 or list[#list].name == "options" then return end
  fixed[#fixed + 1] = "keywords: { " .. table.concat(keywords, ", ") .. " }"
  say("---@overload fun(%s): %s", table.concat(fixed, ", "), result)
end

-- One function; `how.self` 1: a method whose first parameter is the object.
local function define(name, signature, doc, how)
  local list, more = parameters_of(signature, how.all_optional, how.otherwise == "any")
  local from, names = 1 + (how.self or 0), {}
  comment(doc)
  for i = from, #list do
    local parameter = list[i]
    say("---@param %s%s %s", parameter.name, parameter.optional and "?" or "", type_of(parameter, how.otherwise))
    names[#names + 1] = parameter.name
  end
  if more then
    say("---@param ... %s", how.otherwise)
    names[#names + 1] = "..."
  end
  if not more then keyword_form(list, from, how.otherwise, how.result or "any", how.class) end
  if how.result then say("---@return %s", how.result) end
  say("function %s(%s) end", name, table.concat(names, ", "))
  say("")
end

local function several(f) return f.doc:find("results") or f.name:find("crossentropy_softmax") end

local function variable_result(f) return several(f) and "theano.Variable ..." or "theano.Variable" end

-- ---- entries by their owner -----------------------------------------------------------------------------------------
-- Words of Lua's have other names, which stand there too.
local function entries_of(owner)
  local list, pattern = {}, "^" .. owner:gsub("%.", "%%.") .. "%.([%w_]+)$"
  for _, entry in ipairs(help.entries()) do
    local name = entry.key:match(pattern)
    if name and not RESERVED[name] then
      list[#list + 1] = { name = name, signature = entry.signature, doc = entry.doc }
    end
  end
  return list
end

local FIELD = {
  ndim = "integer", index = "integer", dtype = "theano.Dtype", broadcastable = "boolean[]", type = "theano.TensorType",
  name = "string?", owner = "theano.Apply?", data = "theano.ndarray?", tag = "table", input_names = "string[]",
  strides = "integer[]", itemsize = "integer", nbytes = "integer", flags = "table", maker = "table",
}
local VARIABLE_FIELD = { shape = "theano.Variable", size = "theano.Variable" }
local ARRAY_FIELD = { shape = "integer[]", size = "integer" }

-- The fields of a class; what has no other type is of the class itself (x.T, x.real).
local function fields(owner, own, itself)
  for _, entry in ipairs(entries_of(owner)) do
    if not entry.signature then
      local doc = entry.doc:gsub("%s+", " ")
      say("---@field %s %s %s", entry.name, own[entry.name] or FIELD[entry.name] or itself, doc)
    end
  end
end

local OPERATOR = {
  __add = "add", __sub = "sub", __mul = "mul", __div = "div", __idiv = "idiv", __mod = "mod", __pow = "pow",
  __unm = "unm", __band = "band", __bor = "bor", __bxor = "bxor", __bnot = "bnot", __shl = "shl", __shr = "shr",
}

local function operators(operand, result)
  for _, f in ipairs(core.functions()) do
    local operator = f.metamethod and OPERATOR[f.metamethod]
    if operator == "unm" or operator == "bnot" then say("---@operator %s: %s", operator, result)
    elseif operator then say("---@operator %s(%s): %s", operator, operand, result) end
  end
  say("---@operator len: %s", result == "theano.Variable" and result or "integer")
end

-- Methods: those of the table, then those that theano.reference and comments know.
local function methods(class, owner, result, operand)
  local done = {}
  for _, entry in ipairs(entries_of(owner)) do done[entry.name] = true end
  for _, f in ipairs(core.functions()) do
    if f.method and not done[f.name] then
      local several_results = several(f) and result .. " ..." or result
      define(class .. ":" .. f.name, f.signature, f.doc,
        { self = 1, class = "theano." .. class, otherwise = operand, result = several_results })
    end
  end
  for _, entry in ipairs(entries_of(owner)) do
    if entry.signature then
      define(class .. ":" .. entry.name, entry.signature, entry.doc, { otherwise = "any", result = "any" })
    end
  end
end

-- ---- the pages ------------------------------------------------------------------------------------------------------
local function begin(module)
  out = {}
  say("---@meta %s", module)
  say("%s", HEADER)
end

local function finish(value)
  say("return %s", value)
  return table.concat(out, "\n") .. "\n"
end

local function class_of_variables()
  say("---A symbolic variable.")
  say("---@class theano.Variable")
  fields("Variable", VARIABLE_FIELD, "theano.Variable")
  operators("theano.Operand", "theano.Variable")
  say("---@field [theano.Operand|string] theano.Variable a subscript: `x[0]`, `x[\"1:3\"]`, `x[{T.slice(a, b), 0}]`")
  say("local Variable = {}")
  say("")
  methods("Variable", "Variable", "theano.Variable", "theano.Operand")
  say("---@class theano.TensorType")
  say("---@field dtype theano.Dtype")
  say("---@field ndim integer")
  say("---@field broadcastable boolean[]")
  say("---@overload fun(name?: string): theano.Variable")
  say("")
  say("---@class theano.Apply")
  say("---@field op any")
  say("---@field inputs theano.Variable[]")
  say("---@field outputs theano.Variable[]")
  say("")
end

local function class_of_functions()
  say("---A compiled function: called with arrays, numbers and nested tables by position, or with a table by name.")
  say("---@class theano.Function")
  fields("function", {}, "any")
  say("---@overload fun(...): any ...")
  say("local Function = {}")
  say("")
  for _, entry in ipairs(entries_of("function")) do
    if entry.signature then
      define("Function:" .. entry.name, entry.signature, entry.doc, { otherwise = "any", result = "any" })
    end
  end
end

local RESULT = {
  shared = "theano.Variable", grad = "theano.Variable|theano.Variable[]", clone = "theano.Variable|theano.Variable[]",
  pp = "string", help = "string", error_kind = "string?", interrupted = "boolean", dot = "theano.Variable",
  TensorType = "theano.TensorType", tensor = "theano.Variable", constant = "theano.Variable",
  as_tensor_variable = "theano.Variable",
}

local function module_functions(variable, owner)
  for _, entry in ipairs(entries_of(owner)) do
    if entry.signature and not (owner == "theano" and entry.name == "compile") then
      define(variable .. "." .. entry.name, entry.signature, entry.doc,
        { otherwise = "any", result = RESULT[entry.name] or "any" })
    end
  end
end

local COMPILE = [[
---@class theano.CompileSpec
---@field inputs? (theano.Variable|table)[] variables, or theano.In(x, {...})
---@field outputs? theano.Variable|table one, a sequence, or a table by name
---@field mode? string|table "FAST_RUN", "FAST_COMPILE", "None", or theano.compile.Mode{...}
---@field updates? table pairs {shared, expression}, or a map
---@field givens? table pairs {variable, replacement}, or a map
---@field no_default_updates? boolean|theano.Variable[]
---@field accept_inplace? boolean
---@field name? string
---@field rebuild_strict? boolean
---@field allow_input_downcast? boolean
---@field profile? boolean
---@field on_unused_input? "raise"|"warn"|"ignore"
]]

local function flag_type(allowed)
  if allowed == "" then return "string" end
  if allowed == "true,false" then return "boolean" end
  if allowed == "an integer" then return "integer" end
  return '"' .. allowed:gsub(",", '"|"') .. '"'
end

--- editor/theano.lua
function M.theano()
  begin("theano")
  say("%s", ALIASES)
  class_of_variables()
  class_of_functions()
  say("%s", COMPILE)
  say("---@class theano.Config")
  for _, flag in ipairs(core.config_flags()) do
    if not flag[1]:find(".", 1, true) then
      say("---@field %s %s %s (default %s)", flag[1], flag_type(flag[4]), flag[2], flag[3] == "" and "empty" or flag[3])
    end
  end
  say("---@field [string] any")
  say("")
  for _, name in ipairs({ "compile", "gradient", "printing", "updates" }) do
    say("---@class theano.module.%s", name)
    if name == "compile" then
      say("---@field optdb table")
      say("---@overload fun(spec: theano.CompileSpec): theano.Function")
    end
    say("local %s = {}", name)
    say("")
    module_functions(name, "theano." .. name)
  end
  say("---@class theano.module")
  say("---@field _VERSION string")
  say("---@field config theano.Config")
  say("---@field tensor theano.module.tensor")
  say("---@field ndarray theano.module.ndarray")
  for _, name in ipairs({ "compile", "gradient", "printing", "updates" }) do
    say("---@field %s theano.module.%s", name, name)
  end
  say("local theano = {}")
  say("")
  module_functions("theano", "theano")
  return finish("theano")
end

local function constructors()
  local names = {}
  for name in pairs(T) do
    local stem = name:gsub("ices$", "ix"):gsub("s$", "")
    if stem:find("^[bwilfdcz]?scalar$") or stem:find("^[bwilfdcz]?vector$") or stem:find("^[bwilfdcz]?row$")
      or stem:find("^[bwilfdcz]?col$") or stem:find("^[bwilfdcz]?matrix$") or stem:find("^[bwilfdcz]?tensor[3-7]$") then
      names[#names + 1] = name
    end
  end
  table.sort(names)
  return names
end

--- editor/tensor.lua
function M.tensor()
  begin("theano.tensor")
  local modules, seen = {}, {}
  for _, f in ipairs(core.functions()) do
    local path = f.name:match("^(.*)%.[^.]+$")
    while path and not seen[path] do
      seen[path], modules[#modules + 1] = true, path
      path = path:match("^(.*)%.[^.]+$")
    end
  end
  table.sort(modules)
  say("---@class theano.module.tensor")
  say("---@field newaxis any a new dimension in a table subscript")
  say("---@field none any an explicit None where the default is another")
  say("local T = {}")
  for _, path in ipairs(modules) do say("T.%s = {}", path) end
  say("")
  for _, name in ipairs(constructors()) do
    local plural = name:find("s$")
    say("---%s", plural and "variables: names, or how many" or "a variable")
    if plural then say("---@param ... string|integer")
    else
      say("---@param name? string|table")
      say("---@param options? theano.Dtype|table")
    end
    say("---@return theano.Variable%s", plural and " ..." or "")
    say("function T.%s(%s) end", name, plural and "..." or "name, options")
    say("")
  end
  for _, f in ipairs(core.functions()) do
    local name = f.name == "repeat" and "repeat_" or f.name
    define("T." .. name, f.signature, f.doc, { otherwise = "theano.Operand", result = variable_result(f) })
  end
  local tabled = {}
  for _, f in ipairs(core.functions()) do tabled[f.name] = true end
  for _, entry in ipairs(entries_of("T")) do
    if entry.signature and not tabled[entry.name] and entry.name ~= "repeat_" then
      define("T." .. entry.name, entry.signature, entry.doc,
        { otherwise = "any", result = RESULT[entry.name] or "any" })
    end
  end
  return finish("T")
end

--- editor/ndarray.lua
function M.ndarray()
  begin("theano.ndarray")
  say("---@class theano.complex")
  say("---@field real number")
  say("---@field imag number")
  say("")
  say("---A strided N-d array. Its shape counts from 1, what is inside from 0.")
  say("---@class theano.ndarray")
  fields("ndarray", ARRAY_FIELD, "theano.ndarray")
  operators("theano.Value", "theano.ndarray")
  say("---@field [theano.Value|string] any a subscript: `a[0]`, `a[\"1:3, ::-1\"]`, `a[mask]`")
  say("local ndarray = {}")
  say("")
  methods("ndarray", "ndarray", "any", "theano.Value")
  say("---NumPy's legacy generator.")
  say("---@class theano.RandomState")
  say("local RandomState = {}")
  say("")
  for _, entry in ipairs(entries_of("RandomState")) do
    define("RandomState:" .. entry.name, entry.signature, entry.doc,
      { class = "theano.RandomState", otherwise = "any", result = "any", all_optional = entry.signature:find("size") })
  end
  say("---@class theano.module.ndarray")
  say("local nd = {}")
  say("---@class theano.module.random")
  say("nd.random = {}")
  say("")
  define("nd.random.RandomState", "seed=None", "NumPy's legacy generator, the same numbers bit for bit",
    { otherwise = "any", result = "theano.RandomState" })
  local done = {}
  for _, entry in ipairs(entries_of("nd")) do
    if entry.signature then
      done[entry.name] = true
      define("nd." .. entry.name, entry.signature, entry.doc, { otherwise = "any", result = "any" })
    end
  end
  for _, f in ipairs(core.functions()) do
    local name = f.name == "repeat" and "repeat_" or f.name
    if rawget(nd, name) and not done[name] and not name:find(".", 1, true) then
      local result = several(f) and "any ..." or "any"
      define("nd." .. name, f.signature, f.doc, { otherwise = "theano.Value", result = result })
    end
  end
  return finish("nd")
end

M.pages = { "theano", "tensor", "ndarray" }

return M
