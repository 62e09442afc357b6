--- Text about functions, methods and flags: from the engine's tables, the comments above Lua functions, the table of
-- distributions, and theano.reference for the rest.
-- @module theano.help
local core = require("theano.core")
local reference = require("theano.reference")
local util = require("theano.util")

local M = {}
local modules -- theano.modules, on first use: it is loaded after us

-- ---- comments above Lua functions ----------------------------------------------------------------------------------
local source = {}
local function lines_of(path)
  if not source[path] then
    source[path] = {}
    local file = io.open(path)
    for line in file and file:lines() or function() end do table.insert(source[path], line) end
    if file then file:close() end
  end
  return source[path]
end

--- The parameters of a Lua function and the comment above it; nil for other values and without one.
-- @treturn ?string parameters, with commas
-- @treturn ?string the first sentence
-- @treturn ?string the whole comment
function M.commented(f)
  f = util.written(f)
  local info = type(f) == "function" and debug.getinfo(f, "Su")
  if not info or info.what == "C" then return nil end
  local lines, at = lines_of(info.source:sub(2)), info.linedefined - 1
  local first = at
  local function starts(pattern) return lines[first] and lines[first]:find(pattern) end
  while starts("^%s*%-%-") and not starts("^%s*%-%-%-") do first = first - 1 end
  if not starts("^%s*%-%-%-") then return nil end
  local text = {}
  for i = first, at do
    local line = lines[i]:gsub("^%s*%-%-%-?%s*", "")
    if line:find("^@") then break end
    text[#text + 1] = line
  end
  local whole = table.concat(text, " ")
  local short = (whole:match("^(.-%S)%. %f[%u`]") or whole):gsub("%.$", ""):gsub("^%u%f[%l%s]", string.lower)
  local parameters = {}
  for i = 1, info.nparams do parameters[i] = debug.getlocal(f, i) end
  if info.isvararg then parameters[#parameters + 1] = "..." end
  return table.concat(parameters, ", "), short, whole
end

-- ---- every name ----------------------------------------------------------------------------------------------------
local OPERATOR = {
  __add = "x + y", __sub = "x - y", __mul = "x * y", __div = "x / y", __idiv = "x // y", __mod = "x % y",
  __pow = "x ^ y", __unm = "-x", __band = "x & y", __bor = "x | y", __bxor = "x ~ y", __bnot = "~x",
  __shl = "x << y", __shr = "x >> y",
}

-- What stands before the name, for keys of theano.reference such as "ndarray.fill".
local SHOWN = { Variable = "x", ["function"] = "f", ndarray = "a", RandomState = "rng" }

local function unlinked(text) return (text:gsub("%[([^%]]*)%]%([^)]*%)", "%1")) end

local function tabled(list)
  local nd = require("theano.ndarray")
  for _, f in ipairs(core.functions()) do
    local name = f.name == "repeat" and "repeat_" or f.name
    local forms = {}
    if f.method then forms[#forms + 1] = "x:" .. name .. "(..)" end
    if not name:find(".", 1, true) and rawget(nd, name) then forms[#forms + 1] = "nd." .. name .. "(..) on arrays" end
    if f.metamethod then forms[#forms + 1] = OPERATOR[f.metamethod] end
    list[#list + 1] = {
      key = "T." .. name,
      shown = (name:find("^sparse%.") and "theano." or "T.") .. name,
      signature = f.signature, doc = f.doc,
      forms = #forms > 0 and "also " .. table.concat(forms, ", ") or nil,
    }
  end
end

local function noted(list)
  local keys = {}
  for key, note in pairs(reference) do
    if note then keys[#keys + 1] = key end
  end
  table.sort(keys)
  for _, key in ipairs(keys) do
    local owner, name = key:match("^(.*)%.([^.]+)$")
    local note = reference[key]
    local shown = (SHOWN[owner] or owner) .. (SHOWN[owner] and note[1] and ":" or ".") .. name
    list[#list + 1] = { key = key, shown = shown, signature = note[1] or nil, doc = unlinked(note[2]) }
  end
end

local function drawn(list)
  for _, d in ipairs(core.distributions()) do
    local signature = table.concat(d, ", ") .. (#d > 0 and ", " or "") .. "size"
    list[#list + 1] = { key = "RandomState." .. d.name, shown = "rng:" .. d.name, signature = signature, doc = d.doc }
  end
end

-- Lua functions of a module, by their comments; `separator` ":" leaves the first parameter out.
local function written(list, known, prefix, shown, from, separator)
  for name, value in pairs(from) do
    local key = prefix .. "." .. tostring(name)
    if type(name) == "string" and not known[key] and reference[key] == nil then
      local signature, _, whole = M.commented(value)
      if signature and separator == ":" then signature = signature:gsub("^[%w_]+,? ?", "", 1) end
      if whole then
        list[#list + 1] = { key = key, shown = shown .. separator .. name, signature = signature, doc = whole }
      end
    end
  end
end

-- Tables that an __index function looks into: the methods written in Lua stand there.
local function looked_into(index)
  local tables, loaded = {}, {}
  for _, module in pairs(package.loaded) do loaded[module] = true end
  for i = 1, 99 do
    local name, value = debug.getupvalue(index, i)
    if not name then return tables end
    if type(value) == "table" and not loaded[value] and getmetatable(value) == nil then
      tables[#tables + 1] = value
    end
  end
  return tables
end

--- Every documented name, sorted: a sequence of {key =, shown =, signature =, doc =, forms =}. `key` is the owner and
-- the name ("T.sum", "ndarray.fill", "theano.shared"), `shown` how it is called, `signature` nil for what is not.
function M.entries()
  local theano = require("theano")
  local list, known = {}, {}
  tabled(list)
  noted(list)
  drawn(list)
  for _, entry in ipairs(list) do known[entry.key] = true end
  for _, name in ipairs({ "T", "nd", "theano" }) do
    written(list, known, name, name, ({ T = theano.tensor, nd = theano.ndarray, theano = theano })[name], ".")
  end
  for _, name in ipairs({ "compile", "gradient", "printing", "updates" }) do
    written(list, known, "theano." .. name, "theano." .. name, theano[name], ".")
  end
  written(list, known, "theano.config", "theano.config", { change_flags = theano.config.change_flags }, ".")
  written(list, known, "ndarray", "a", core.array_methods, ":")
  for _, methods in ipairs(looked_into(core.variable_meta.__index)) do
    written(list, known, "Variable", "x", methods, ":")
  end
  for _, flag in ipairs(core.config_flags()) do
    list[#list + 1] = {
      key = "theano.config." .. flag[1], shown = ("theano.config.%s (default %q)"):format(flag[1], flag[3]),
      doc = flag[2], forms = flag[4] ~= "" and "allowed: " .. flag[4]:gsub(",", ", ") or nil,
    }
  end
  table.sort(list, function(a, b) return a.key < b.key end)
  return list
end

-- ---- asking --------------------------------------------------------------------------------------------------------
local function text_of(entry)
  local signature = entry.signature and "(" .. entry.signature .. ")" or ""
  local also = entry.forms and "\n    " .. entry.forms or ""
  return ("%s%s\n    %s%s"):format(entry.shown, signature, entry.doc, also)
end

-- "x:sum", "theano.tensor.sum", "numpy.load" as keys name them.
local function canonical(name)
  local text = name:gsub("[()%s]", ""):gsub(":", ".")
  text = text:gsub("^theano%.tensor%.", "T."):gsub("^theano%.ndarray%.", "nd."):gsub("^theano%.T%.", "T.")
  text = text:gsub("^theano%.sparse%.", "T.sparse.")
  return (text:gsub("^rng%.", "RandomState."))
end

-- Entries whose key is the name, or ends in it after a dot.
local function matching(list, name)
  local exact, ending = {}, {}
  for _, entry in ipairs(list) do
    if entry.key == name then exact[#exact + 1] = entry end
    if entry.key:sub(-#name - 1) == "." .. name then ending[#ending + 1] = entry end
  end
  if #exact > 0 then return exact end
  local plain = {} -- what sparse matrices have of the same name is asked for by its module
  for _, entry in ipairs(ending) do
    if not entry.key:find("^T%.sparse%.") then plain[#plain + 1] = entry end
  end
  return #plain > 0 and plain or ending
end

-- A method of a variable or an array is asked for as x:sum, a.fill: by what follows the dot.
local function method_name(name)
  for _, owner in ipairs({ "%l%w?", "Variable", "ndarray" }) do
    local method = name:match("^" .. owner .. "%.([%w_]+)$")
    if method then return method end
  end
end

-- T.dmatrix and its like, which have no line of their own.
local DTYPE = {
  b = "int8", w = "int16", i = "int32", l = "int64", f = "float32", d = "float64", c = "complex64", z = "complex128",
}
local SHAPE = {
  scalar = "no dimensions", vector = "one dimension", matrix = "two dimensions",
  row = "two dimensions, one row", col = "two dimensions, one column",
  tensor3 = "3 dimensions", tensor4 = "4 dimensions", tensor5 = "5 dimensions",
  tensor6 = "6 dimensions", tensor7 = "7 dimensions",
}

local function constructor(path)
  local name = path:match("^theano%.tensor%.(%w+)$") or ""
  local one = name:gsub("matrices$", "matrixs"):gsub("s$", "")
  local dtype, shape = "floatX", SHAPE[one]
  if not shape then dtype, shape = DTYPE[one:sub(1, 1)], SHAPE[one:sub(2)] end
  if not dtype or not shape then return nil end
  if one == name then return ("T.%s(name)\n    a variable of dtype %s, %s"):format(name, dtype, shape) end
  return ('T.%s("x", "y", ..)\n    variables of dtype %s, %s: one for each name'):format(name, dtype, shape)
end

-- What stands in a module and has no entry: a function by its comment, a module by its names, the rest by its kind.
local function told(found)
  local names = modules.names(found.value)
  if names then return ("%s\n    a module: %s"):format(found.path, table.concat(names, ", ")) end
  local signature, _, whole = M.commented(found.value)
  if whole then return ("%s(%s)\n    %s"):format(found.path, signature, whole) end
  return constructor(found.path) or ("%s\n    a %s of this version"):format(found.path, core.kind(found.value) or
    type(found.value))
end

-- The method of a function that NumPy's have, "nd.add.at": it is one of nd.ufunc's object here.
local function method_of(name)
  local f, method = name:match("^nd%.([%a_][%w_]*)%.(%l+)$")
  if not f then f, method = name:match("^([%a_][%w_]*)%.(%l+)$") end
  if not f or rawget(require("theano.ndarray"), f) == nil then return nil end
  for _, m in ipairs(require("theano.ported").methods) do
    if m[1] == method then
      return ("nd.ufunc(nd.%s).%s(%s)\n    %s; in graphs %s"):format(f, method, m[2], m[3], m[4])
    end
  end
end

-- Names as they are called in Theano, with the full path of the module.
local function spelled(name)
  return (name:gsub("^T%.", "theano.tensor."):gsub("^nd%.", "theano.ndarray."))
end

--- What is known of a name: "sum", "T.nnet.softmax", "theano.shared", "a:fill", "floatX". Signature and one line for
-- each thing of that name; a KeyError with the nearest name when there is none.
function M.text(name)
  util.expect("help", "the name", name, "string")
  modules = modules or require("theano.modules")
  local list, wanted = M.entries(), canonical(name)
  local found = matching(list, wanted)
  if #found == 0 and wanted:find("^nd%.") then found = matching(list, "T" .. wanted:sub(3)) end
  local why = #found == 0 and require("theano.ported").unwanted[name:match("^nd%.(.*)") or name]
  if why and name:find("^nd%.") then util.raise("KeyError", "no help on '%s': NumPy has it: %s", name, why) end
  local text = #found == 0 and method_of(name)
  if text then return text end
  if #found == 0 and method_name(wanted) then found = matching(list, method_name(wanted)) end
  if #found > 0 then
    local texts = {}
    for i, entry in ipairs(found) do texts[i] = text_of(entry) end
    return table.concat(texts, "\n")
  end
  local there = {}
  for _, other in ipairs(modules.under(spelled(wanted))) do
    there[#there + 1] = told(other)
    if modules.names(other.value) then break end
  end
  if #there > 0 then return table.concat(there, "\n") end
  local last, names = wanted:match("[^.]*$"), {}
  for i, entry in ipairs(list) do names[i] = entry.key:match("[^.]*$") end
  local near, original = #last > 1 and util.nearest(last, names), modules.original(last)
  local whose = original and (original:find("^numpy") and "NumPy" or original:find("^scipy") and "SciPy" or "Theano")
  local lacks = whose == "Theano" and require("theano.lacking").why(last)
  if why then util.raise("KeyError", "no help on '%s': NumPy has it: %s", name, why) end
  util.raise("KeyError", "no help on '%s'%s", name, original and (": %s has it in %s, this version does not%s"):format(
    whose, original, lacks and ": " .. lacks or "") or near and (": did you mean '" .. near .. "'?") or "")
end

return M
