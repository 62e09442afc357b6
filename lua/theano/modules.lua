--- Fields that a module does not have: reading or setting one raises, with the nearest name, the module that has it, or
-- the word that Theano (or NumPy) has it and this version does not. `rawget(T, "name")` asks without raising.
-- @module theano.modules
local core = require("theano.core")
local util = require("theano.util")

local M = {}

local sealed, order = {}, {} -- by name as shown; names in the order of MODULES
local place_of -- a name's place in MODULES

-- Before all names are looked through, those that were put off are made.
local function complete() require("theano.parts").complete() end

-- Whether the original has the name: `names` has the text of all.
local function original(key, name)
  local text = require("theano.names")[key]
  return text ~= nil and (" " .. text:gsub("%s+", " ")):find(" " .. name .. " ", 1, true) ~= nil
end

local function family(shown) return shown:match("^[^.]+%.ndarray") or "theano" end

-- The modules that could be meant instead of this one, inner ones first.
local function others(shown)
  complete()
  local list = {}
  for _, name in ipairs(order) do
    local related = family(name) == family(shown) and name ~= shown
    if related then list[#list + 1] = name end
  end
  local function rank(name) return name:find(shown .. ".", 1, true) == 1 and 0 or 1 end
  local place = {}
  for i, name in ipairs(list) do place[name] = i end
  table.sort(list, function(a, b)
    if rank(a) ~= rank(b) then return rank(a) < rank(b) end
    return place[a] < place[b]
  end)
  return list
end

local function names_in(t, prefix, into)
  local names = {}
  for name in pairs(t) do
    if type(name) == "string" and name:find("^%a") then names[#names + 1] = prefix .. name end
  end
  table.sort(names)
  return table.move(names, 1, #names, #into + 1, into)
end

-- "theano.tensor.nnet.softmax" for a name that another module has.
local function elsewhere(shown, name)
  for _, other in ipairs(others(shown)) do
    if rawget(sealed[other].module, name) ~= nil then return other .. "." .. name end
  end
  for _, flag in ipairs(require("theano.core").config_flags()) do
    if flag[1] == name then return "theano.config." .. name end
  end
end

-- The nearest name in the module, or one below it that is nearer still.
local function near(shown, name)
  local best, least = util.nearest(name, names_in(sealed[shown].module, "", {}))
  for _, other in ipairs(others(shown)) do
    if other:find(shown .. ".", 1, true) == 1 then
      local found, distance = util.nearest(name, names_in(sealed[other].module, "", {}))
      if found and (not best or distance < least) then
        best, least = other:sub(#shown + 2) .. "." .. found, distance
      end
    end
  end
  return best
end

--- Why there is no such name, for the end of a message: ": did you mean 'sum'?". `like` is the original's module, as
-- theano.names has it, `whose` that library.
function M.hint(name, names, like, whose)
  if like and original(like, name) then
    return (": %s has it, this version does not"):format(whose or "Theano")
  end
  local found = util.nearest(name, names)
  return found and (": did you mean '" .. found .. "'?") or ""
end

local DTYPES = util.set({
  "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
  "float32", "float64", "complex64", "complex128",
})

local function reason(shown, name)
  local about = sealed[shown]
  if DTYPES[name] then return (": a dtype is a text, as in a:astype(\"%s\")"):format(name) end
  local why = about.like == "numpy" and require("theano.ported").unwanted[name]
  if why then return (": NumPy has it: %s"):format(why) end
  why = about.like == "scipy.sparse" and require("theano.ported").sparse[name]
  if why then return (": SciPy has it: %s"):format(why) end
  local there = elsewhere(shown, name)
  if there then return (": it is %s"):format(there) end
  local module = shown:match("^theano%.(.*)$")
  if original(about.like, name) or original("modules", module and module .. "." .. name or name) then
    local lacks = about.whose == "Theano" and require("theano.lacking").why(name)
    return (": %s has it, this version does not%s"):format(about.whose, lacks and ": " .. lacks or "")
  end
  local found = near(shown, name)
  return found and (": did you mean '%s'?"):format(found) or ""
end

-- Names with two underscores in front are asked for by tools, what is no string by nobody's mistake.
local function asked(key) return type(key) == "string" and not key:find("^__") end

--- From now on a field that the module lacks raises an AttributeError when it is read or set.
-- @tparam table module
-- @tparam string shown its name in messages, "theano.tensor"
-- @tparam[opt=shown] string like the original's module in theano.names
function M.seal(module, shown, like)
  local meta = getmetatable(module) or {}
  like = like or shown
  local whose = like:find("^theano") and "Theano" or like:find("^scipy") and "SciPy" or "NumPy"
  sealed[shown] = { module = module, like = like, whose = whose }
  local at = #order + 1
  while at > 1 and (place_of[order[at - 1]] or math.huge) > (place_of[shown] or math.huge) do at = at - 1 end
  table.insert(order, at, shown)
  local found = meta.__index -- fields that are made when they are asked for
  meta.__index = function(_, key)
    local value = found and asked(key) and found(module, key)
    if value then return value end
    if asked(key) then util.raise("AttributeError", "%s has no '%s'%s", shown, key, reason(shown, key)) end
    return nil
  end
  meta.__newindex = function(t, key, value)
    if asked(key) then
      util.raise("AttributeError", "%s has no '%s' to be set%s (rawset(module, name, value) adds a field on purpose)",
        shown, key, reason(shown, key))
    end
    rawset(t, key, value)
  end
  return setmetatable(module, meta)
end

--- The name of a sealed module with a field of this name, "theano.tensor.nnet.softmax", or nil.
function M.find(name)
  complete()
  for _, shown in ipairs(order) do
    if rawget(sealed[shown].module, name) ~= nil then return shown .. "." .. name end
  end
end

--- Modules and their fields under that path or its end ("nnet.relu", "relu", "nnet"): a sequence of {path =, value =},
-- each value once.
function M.under(path)
  complete()
  local list, seen = {}, {}
  local function add(shown, value)
    local ends = ("." .. shown):sub(-#path - 1) == "." .. path
    if value == nil or seen[value] or not ends or path == "" then return end
    seen[value] = true
    list[#list + 1] = { path = shown, value = value }
  end
  for _, shown in ipairs(order) do add(shown, sealed[shown].module) end
  local last = path:match("[^.]*$")
  for _, shown in ipairs(order) do add(shown .. "." .. last, rawget(sealed[shown].module, last)) end
  return list
end

--- The public names of one of the library's modules, sorted; nil for anything else.
function M.names(module)
  complete()
  for _, about in pairs(sealed) do
    if about.module == module then return names_in(module, "", {}) end
  end
end

--- Whether Theano or NumPy has something of this name: the module there, or nil.
function M.original(name)
  if name == "" then return nil end
  local keys = {}
  for key in pairs(require("theano.names")) do
    if key ~= "modules" then keys[#keys + 1] = key end
  end
  table.sort(keys)
  for _, key in ipairs(keys) do
    if original(key, name) then return key end
  end
end

local MODULES = {
  "theano", "theano.tensor", "theano.tensor.nnet", "theano.tensor.nnet.bn", "theano.tensor.nnet.blocksparse",
  "theano.tensor.nnet.neighbours", "theano.tensor.nnet.abstract_conv", "theano.tensor.nnet.conv",
  "theano.tensor.nnet.conv3d2d", "theano.tensor.nnet.ctc", "theano.tensor.nnet.nnet", "theano.tensor.nnet.sigm",
  "theano.tensor.signal", "theano.tensor.signal.pool", "theano.tensor.signal.conv", "theano.tensor.signal.downsample",
  "theano.tensor.slinalg", "theano.tensor.nlinalg", "theano.tensor.fft", "theano.tensor.extra_ops",
  "theano.tensor.opt", "theano.tensor.xlogx", "theano.gradient", "theano.printing", "theano.compile",
  "theano.compile.mode", "theano.compile.nanguardmode", "theano.compile.debugmode", "theano.compile.monitormode",
  "theano.gof", "theano.gof.graph", "theano.gof.toolbox", "theano.gof.opt", "theano.gof.fg", "theano.scan_module",
  "theano.ifelse", "theano.typed_list", "theano.updates", "theano.sparse",
  "theano.random", "theano.sandbox", "theano.sandbox.rng_mrg", "theano.tensor.random", "theano.tensor.special",
  "theano.tensor.linalg",
  "theano.tensor.raw_random", "theano.tensor.shared_randomstreams",
  "theano.ndarray", "theano.ndarray.fft", "theano.ndarray.special", "theano.ndarray.optimize",
  "theano.ndarray.integrate", "theano.ndarray.interpolate", "theano.ndarray.signal", "theano.ndarray.signal.windows",
  "theano.ndarray.polynomial",
  "theano.ndarray.sparse", "theano.ndarray.linalg", "theano.ndarray.random",
}
place_of = {}
for i, path in ipairs(MODULES) do place_of[path] = i end


-- Parameters that take a table of keywords themselves, or any value at all: no names then, as many arguments as ever.
local FREE = util.set({
  "options", "axes", "default", "name", "t", "from", "fields", "given", "flags", "value", "spec", "rule",
})

-- What a parameter of this name is in every function of NumPy's; elsewhere functions say it themselves.
local TYPES = {
  keepdims = "boolean", equal_nan = "boolean", right = "boolean", increasing = "boolean", endpoint = "boolean",
  density = "boolean", copy = "boolean|number", k = "integer", nan = "number", posinf = "number", neginf = "number",
  range = "table|ndarray", rtol = "number", atol = "number", include_initial = "boolean", ndim = "integer",
}
M.TYPES = TYPES
local BOUNDS = setmetatable({ rtol = "number|ndarray|table", atol = "number|ndarray|table" }, { __index = TYPES })
local TYPES_OF = { ["nd.isclose"] = BOUNDS, ["nd.allclose"] = BOUNDS } -- those whose bounds are broadcast

-- Functions in Lua take no more arguments than they have; those on tensors and arrays take them by name, too.
local function on_tensors(path)
  return path:find("^theano%.tensor") or path == "theano.gradient" or path:find("^nd") or path == "a"
end
local lazy = {} -- module -> what makes its fields
local by_name = {} -- function -> what takes its place, in every module that has it
local function name_parameters(module, path, types)
  for name, f in next, module do
    local info = type(f) == "function" and debug.getinfo(f, "Su")
    local plain = info and info.what == "Lua" and not info.isvararg
    if plain and name ~= "help" then -- by which tools find where our files are
      local free = not on_tensors(path)
      for i = 1, info.nparams do free = free or FREE[debug.getlocal(f, i)] end
      local shown = (path .. "." .. name):gsub("^theano%.tensor%.", "")
      by_name[f] = by_name[f] or util.by_name(shown, f, free, TYPES_OF[shown] or types)
      module[name] = by_name[f]
    end
  end
end

-- The common calls of functions of arrays in C, the rest as they are.
local function shorten(functions)
  for name, f in next, functions do
    local short = type(f) == "function" and core.shorter(name, f)
    if short then functions[name] = util.instead(short, f) end
  end
end

-- What require finds where no file of theano.NAME is: the words of why there is none.
local function no_module(name)
  local inner = type(name) == "string" and name:match("^theano%.(.+)$")
  if not inner then return nil end
  if original("modules", inner) then
    util.raise("ImportError", "require: Theano has the module '%s', this version does not", name)
  end
  local there = {}
  for _, shown in ipairs(order) do there[#there + 1] = shown end
  local found = util.nearest(name, there)
  util.raise("ImportError", "require: there is no module '%s'%s", name,
    found and (": did you mean '%s'?"):format(found) or "")
end

--- Fields that are made when they are first asked for: `load(name)` sets them with rawset. Of those under `names`,
-- pairs shows the ones that are true there.
function M.later(module, names, load)
  lazy[module] = function(name)
    if names[name] ~= nil and rawget(module, name) == nil then load(name) end
    return rawget(module, name)
  end
  local meta = getmetatable(module) or {}
  meta.__index = function(_, name) return lazy[module](name) end
  meta.__pairs = function(t)
    for name, shown in pairs(names) do if shown then lazy[module](name) end end
    return next, t, nil
  end
  return setmetatable(module, meta)
end

--- A module's field, made where it was put off; nil where there is none.
function M.field(module, name)
  local value = rawget(module, name)
  if value == nil and lazy[module] then return lazy[module](name) end
  return value
end

-- The parts of theano.parts, by what stands behind "theano." in the paths of their modules; the rest is the language.
local PARTS = { ndarray = "arrays", compile = "functions", gof = "functions", updates = "functions",
  printing = "printing" }

local function seal_arrays(nd)
  name_parameters(nd, "nd", TYPES)
  name_parameters(core.array_methods, "a", TYPES)
  shorten(nd)
  shorten(core.array_methods)
  M.seal(nd, "theano.ndarray", "numpy")
  for _, name in ipairs({ "special", "sparse" }) do M.seal_arrays_module(nd[name], name) end
end

local NAMED = { -- what is NumPy's here or SciPy's: types of parameters by name, where they are given by name
  fft = { "numpy.fft", { n = "integer", axis = "integer", norm = "string" } }, linalg = { "numpy.linalg", TYPES },
  random = { "numpy.random", false }, sparse = { "scipy.sparse", false },
}

--- A module that stands in theano.ndarray, once it is put together.
function M.seal_arrays_module(module, name)
  local like, types = table.unpack(NAMED[name] or { "scipy." .. name })
  if types ~= false then name_parameters(module, "nd." .. name, types) end
  M.seal(module, "theano.ndarray." .. name, like)
  if name == "signal" then M.seal(module.windows, "theano.ndarray.signal.windows", "scipy.signal.windows") end
end

--- A part of the library (theano.parts; "theano" for its own functions), once it is put together.
function M.seal_part(theano, part)
  if part == "theano" then
    M.seal(theano, "theano")
    table.insert(package.searchers, no_module) -- the last one to be asked
  end
  name_parameters(theano, "theano")
  for _, path in ipairs(MODULES) do
    local module, first = theano, path:match("^theano%.([^.]+)")
    for inner in path:gmatch("%.([^.]+)") do module = module and rawget(module, inner) end
    if first and (PARTS[first] or "language") == part and part ~= "arrays" and type(module) == "table" then
      name_parameters(module, path)
      M.seal(module, path)
    end
  end
  for name, f in next, theano do theano[name] = by_name[f] or f end
  for name, f in pairs(package.loaded) do package.loaded[name] = by_name[f] or f end
  if part == "arrays" then seal_arrays(theano.ndarray) end
end

return M
