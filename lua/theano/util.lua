--- Small helpers of the Lua side. Errors look as those of the engine: "file:line: Kind: message".
-- @module theano.util
local core = require("theano.core")

local M = {}

local home = debug.getinfo(1, "S").source:gsub("util%.lua$", "")

--- "file:line" of the first frame outside our own files, or nil.
function M.where()
  for level = 2, 1000 do
    local info = debug.getinfo(level, "Sl")
    if not info then return nil end
    if info.currentline >= 0 and info.source:sub(1, #home) ~= home then
      return ("%s:%d"):format(info.source:match("^[@=](.*)$") or info.short_src, info.currentline)
    end
  end
end

-- What Lua writes for a float follows the locale; a point is a point here.
local function pointed(text) return (text:gsub("[^0-9A-Za-z+-]+", ".")) end

--- As Lua's tostring, but numbers look the same in every locale.
function M.text(v) return math.type(v) == "float" and pointed(tostring(v)) or tostring(v) end

--- As string.format, but numbers look the same in every locale.
function M.format(format, ...)
  local values, n = { ... }, 0
  local full = format:gsub("%%([-+ #0-9.]*)([%a%%])", function(flags, kind)
    if kind == "%" then return nil end
    n = n + 1
    if kind == "s" and math.type(values[n]) == "float" then
      values[n] = M.text(values[n])
    elseif kind:find("[aAeEfgG]") and type(values[n]) == "number" then
      local text = ("%" .. flags .. kind):format(values[n])
      local blanks, rest = text:match("^( *)(.*)$")
      local digits, behind = rest:match("^(.-)( *)$")
      values[n] = blanks .. pointed(digits) .. behind
      return "%s"
    end
  end)
  return full:format(table.unpack(values, 1, select("#", ...)))
end

--- Raises `Kind: message` at the first frame outside our own files.
function M.raise(kind, format, ...)
  local text = select("#", ...) > 0 and M.format(format, ...) or format
  for level = 2, 1000 do
    local info = debug.getinfo(level, "Sl")
    if not info then break end
    if info.currentline >= 0 and info.source:sub(1, #home) ~= home then
      local file = info.source:match("^[@=](.*)$") or info.short_src
      error(("%s:%d: %s: %s"):format(file, info.currentline, kind, text), 0)
    end
  end
  error(kind .. ": " .. text, 0)
end

--- What `..` does for arrays and variables: their texts, joined to a text or a number.
function M.concat(a, b)
  local function text(v)
    local kind = type(v)
    if kind ~= "string" and kind ~= "number" and kind ~= "userdata" then
      M.raise("TypeError", "'..' joins texts, and this is a %s: write tostring(v)", kind)
    end
    return tostring(v)
  end
  return text(a) .. text(b)
end

--- True for a non-empty table all of whose keys are strings (and which is no class of ours).
function M.is_keywords(t)
  if type(t) ~= "table" or getmetatable(t) ~= nil then return false end
  for k in pairs(t) do
    if type(k) ~= "string" then return false end
  end
  return next(t) ~= nil
end

-- No object of ours: a table without a metatable that makes it behave otherwise. An array's shape is one.
local function is_plain(t)
  local meta = getmetatable(t)
  return meta == nil or type(meta) == "table" and (meta.__name == "tuple" or meta.__index == nil and meta.__call == nil
    and meta.__name == nil)
end

-- Whether v is of one of the types in a text such as "boolean", "integer|table", "Variable|number".
local function fits(v, types)
  for wanted in types:gmatch("[^|]+") do
    if wanted == type(v) and (wanted ~= "table" or is_plain(v)) then return true end
    if wanted == "integer" and math.type(v) == "integer" then return true end
    if wanted == "Variable" and M.is_var(v) or wanted == "ndarray" and M.is_array(v) then return true end
    if wanted == "object" and type(v) == "table" then return true end
    if wanted == "complex" and type(v) == "userdata" and core.kind(v) == "complex" then return true end
  end
  return false
end

--- What a value is, in words: "a Variable", "an ndarray", "a string", "nil".
function M.kind_of(v)
  if v == nil then return "nil" end
  local kind = type(v) == "userdata" and core.kind(v)
  if kind == "variable" or kind == "constant" or kind == "shared" then return "a Variable" end
  if type(v) == "number" then return ("a number (%s)"):format(v) end
  local meta = type(v) == "table" and getmetatable(v)
  local name = type(meta) == "table" and rawget(meta, "__name") or kind == "random" and "RandomState" or kind or type(v)
  local an = name:find("^[AEIOaeio]") or name:find("^MRG") or name == "ndarray"
  return (an and "an " or "a ") .. name
end

--- A table of an object's methods in which a name that is none raises. `elsewhere`: by such names, whose they are.
function M.methods_of(kind, elsewhere)
  return setmetatable({}, { __index = function(methods, key)
    if type(key) ~= "string" or key:find("^__") then return nil end
    local names = {}
    for name in next, methods do names[#names + 1] = name end
    table.sort(names)
    local near = M.nearest(key, names)
    local hint = elsewhere and elsewhere[key] and (": %s has it"):format(elsewhere[key])
      or near and (": did you mean '%s'?"):format(near) or ""
    return M.raise("AttributeError", "%s has no '%s'%s", kind, key, hint)
  end })
end

--- Checks the type of one argument by name; nil is left to the caller. `types` as "boolean" or "integer|table".
function M.check_type(what, name, value, types)
  if value ~= nil and not fits(value, types) then
    M.raise("TypeError", "%s: %s is %s, %s is expected", what, name, M.kind_of(value),
      (types:gsub("object", "table"):gsub("|", " or ")))
  end
end

--- An argument that must be given.
function M.needed(what, name, value)
  if value == nil then M.raise("TypeError", "%s: argument '%s' is missing", what, name) end
  return value
end

--- Checks the keys of a keyword table; unknown ones raise and list the known ones.
-- @tparam table known by name: true, or the types that its value may have, as check_type takes them
function M.check_keywords(what, t, known)
  if type(t) ~= "table" then M.raise("TypeError", "%s takes a table of keywords, got %s", what, M.kind_of(t)) end
  for k, v in pairs(t) do
    local types = known[k]
    if not types then
      local names = {}
      for n in pairs(known) do names[#names + 1] = n end
      table.sort(names)
      local near = M.nearest(tostring(k), names)
      M.raise("TypeError", "%s: unknown keyword '%s' (known: %s)%s", what, tostring(k), table.concat(names, ", "),
        near and (": did you mean '" .. near .. "'?") or "")
    end
    if types ~= true then M.check_type(what, k, v, types) end
  end
end

--- Name and dtype of what makes variables: `(name)`, `(name, dtype)`, `(name, {name =, dtype =})` or the table alone.
-- @return the name or nil; the dtype or nil
function M.variable_options(what, name, options)
  if M.is_keywords(name) then name, options = nil, name end
  if type(options) == "string" then options = { dtype = options } end
  options = options or {}
  if name ~= nil and type(name) ~= "string" then
    M.raise("TypeError", "the name of a variable is a string, not a %s", type(name))
  end
  M.check_keywords(what, options, { name = "string", dtype = "string" })
  return name or options.name, options.dtype
end

--- The same keys and values in a new table.
function M.copied(t)
  local out = {}
  for k, v in pairs(t) do out[k] = v end
  return out
end

-- NumPy's names of parameters that have others here: the first of these that a function has.
local NUMPY_NAMES = {
  a = { "x" }, arr = { "x", "a" }, ary = { "x", "a" }, array = { "x" }, m = { "x" }, x = { "array" }, v = { "x" },
  N = { "n" }, M = { "m", "n" }, tup = { "arrays" }, ar1 = { "x" }, ar2 = { "y" }, element = { "x" },
  test_elements = { "set" }, indices_or_sections = { "at" }, obj = { "at" }, default = { "otherwise" },
  seq_of_zeros = { "zeros" }, a1 = { "a" }, a2 = { "b" }, x1 = { "a" }, x2 = { "b" }, prototype = { "x" },
  dimensions = { "shape" }, fill_value = { "value" }, a_min = { "min" }, a_max = { "max" },
  ["function"] = { "fn" }, mask = { "where" }, f = { "x" },
}
--- A table of keywords under the names that the function has: NumPy's are changed into them.
-- @tparam table known by name
function M.renamed(t, known)
  local out
  for k, v in pairs(t) do
    for _, name in ipairs(not known[k] and NUMPY_NAMES[k] or {}) do
      if known[name] and t[name] == nil then
        out = out or M.copied(t)
        out[k], out[name] = nil, v
        break
      end
    end
  end
  return out or t
end

-- Parameters that functions stand for.
local CALLED = { f = true, fun = true, func = true, fprime = true, fprime2 = true, jac = true, hess = true,
  hessp = true, gfun = true, hfun = true, qfun = true, rfun = true, callback = true }

--- A compiled function as one of Lua's; any other value as it is.
function M.callable(v)
  if type(v) ~= "userdata" or core.kind(v) ~= "function" then return v end
  return function(...) return v(...) end
end

--- Positional values and one trailing table of keywords, as a table of all by name.
-- @tparam string what function's name, for messages
-- @tparam table names parameters in order; under a name, the types that its value may have
function M.bind(what, names, ...)
  local n = select("#", ...)
  local given, out = { ... }, {}
  if n > 0 and M.is_keywords(given[n]) then
    local known = {}
    for _, name in ipairs(names) do known[name] = true end
    local keywords = M.renamed(given[n], known)
    M.check_keywords(what, keywords, known)
    for k, v in pairs(keywords) do out[k] = v end
    n = n - 1
  end
  if n > #names then M.raise("TypeError", "%s takes at most %d arguments, got %d", what, #names, n) end
  for i = 1, n do
    if out[names[i]] ~= nil then M.raise("TypeError", "%s: '%s' is given twice", what, names[i]) end
    out[names[i]] = given[i]
  end
  for name, v in pairs(out) do
    if CALLED[name] then out[name] = M.callable(v) end
  end
  for name, types in pairs(names) do
    if type(name) == "string" then M.check_type(what, name, out[name], types) end
  end
  return out
end

local written = setmetatable({}, { __mode = "k" }) -- what by_name gives -> the function as it is written

--- A function that takes its parameters also by name, and refuses more arguments than it has parameters.
-- @tparam string what its name, for messages
-- @tparam function fn without `...`, which stays as it is
-- @tparam ?boolean by_position its last argument may be a table of keywords or any other: names are left to fn
-- @tparam ?table types by a parameter's name, as check_type takes them
function M.by_name(what, fn, by_position, types)
  local info = debug.getinfo(fn, "u")
  if info.isvararg then return fn end
  local names = {}
  local typed = {} -- those of the parameters that have a type
  for i = 1, info.nparams do
    names[i] = debug.getlocal(fn, i)
    if types and types[names[i]] then typed[#typed + 1] = i end
  end
  local most, untyped = #names, #typed == 0
  local function called(...)
    local n = select("#", ...)
    if untyped and n <= most and (n == 0 or type((select(n, ...))) ~= "table") then return fn(...) end
    local keywords = not by_position and n > 0 and M.is_keywords((select(n, ...)))
    for _, i in ipairs(not keywords and typed or {}) do
      M.check_type(what, names[i], (select(i, ...)), types[names[i]])
    end
    if not keywords and n <= most then return fn(...) end
    if by_position then M.raise("TypeError", "%s takes at most %d arguments, got %d", what, #names, n) end
    local given, values = M.bind(what, names, ...), {}
    for i, name in ipairs(names) do values[i] = given[name] end
    for _, i in ipairs(typed) do M.check_type(what, names[i], values[i], types[names[i]]) end
    return fn(table.unpack(values, 1, #names))
  end
  written[called] = fn
  return called
end

--- A function whose last parameter is a table of keywords, which takes them by position, too, in Theano's order.
-- @tparam string what its name, for messages
-- @tparam function fn
-- @tparam number fixed how many parameters stand before the table
-- @tparam table order names of the keywords, as bind takes them
function M.by_position(what, fn, fixed, order)
  local names = {}
  for i = 1, fixed do names[i] = debug.getlocal(fn, i) end
  local function called(...)
    local n = select("#", ...)
    local only = n == 1 and (...)
    if only and M.is_keywords(only) and only[names[1]] ~= nil and fixed > 1 then -- all by name
      local options, values = {}, {}
      for k, v in pairs(only) do options[k] = v end
      for i, name in ipairs(names) do values[i], options[name] = options[name], nil end
      values[fixed + 1] = options
      return fn(table.unpack(values, 1, fixed + 1))
    end
    local first = n > fixed and (select(fixed + 1, ...)) or nil
    if n <= fixed + 1 and (first == nil or type(first) == "table" and (M.is_keywords(first) or next(first) == nil)) then
      return fn(...)
    end
    if n > fixed + #order + 1 then
      M.raise("TypeError", "%s takes at most %d arguments, got %d", what, fixed + #order, n)
    end
    local all = table.pack(...)
    all[fixed + 1] = M.bind(what, order, table.unpack(all, fixed + 1, n))
    return fn(table.unpack(all, 1, fixed + 1))
  end
  return M.instead(called, fn)
end

--- A function that stands in the place of another one, which is the one that is written.
function M.instead(short, fn)
  written[short] = M.written(fn)
  return short
end

--- The function as it stands in the source: what by_name was given.
function M.written(f) return written[f] or f end

--- Arguments that must be there, by name, as from bind.
function M.present(what, a, names)
  for _, name in ipairs(names) do
    if a[name] == nil then M.raise("TypeError", "%s: argument '%s' is missing", what, name) end
  end
end

--- Arguments that must be there, made Variables in place.
-- @tparam string what function's name, for messages
-- @tparam table a arguments by name, as from bind
-- @tparam table names those that are needed
-- @tparam function as_variable T.as_tensor_variable
function M.need(what, a, names, as_variable)
  for _, name in ipairs(names) do
    if a[name] == nil then M.raise("TypeError", "%s: argument '%s' is missing", what, name) end
    a[name] = as_variable(a[name])
  end
end

--- True for a symbolic variable of any kind.
function M.is_var(v)
  if type(v) ~= "userdata" then return false end
  local k = core.kind(v)
  return k == "variable" or k == "constant" or k == "shared"
end

--- The list t, whose keys are 1 .. n and nothing else: a hole raises and is named ("updates[2] is nil"). Every table of
-- the user's that is read as a list comes through here.
function M.list(what, t)
  core.length(t, what)
  return t
end

--- A value for each entry of a list: `M.each("wrt", list, function(v, place) .. end)`; place is "wrt[2]".
function M.each(what, t, fn)
  local out = {}
  for i = 1, core.length(t, what) do out[i] = fn(t[i], ("%s[%d]"):format(what, i)) end
  return out
end

--- A Variable, or a list of them, as a list, and whether it was a single one.
function M.variables(what, v)
  if M.is_var(v) then return { v }, true end
  if type(v) ~= "table" then M.raise("TypeError", "%s is a Variable or a list of them, got %s", what, M.kind_of(v)) end
  return M.each(what, v, function(x, place)
    if not M.is_var(x) then M.raise("TypeError", "%s is no Variable but %s", place, M.kind_of(x)) end
    return x
  end), false
end

--- Checks one argument's Lua type ("number", "string", "table", "function", or "ndarray"); raises a TypeError.
function M.expect(what, name, value, wanted)
  local got = M.is_array(value) and "ndarray" or type(value)
  if got ~= wanted then M.raise("TypeError", "%s: %s should be a %s, not %s", what, name, wanted, got) end
end

function M.is_array(v)
  return type(v) == "userdata" and core.kind(v) == "ndarray"
end

--- The compiled function behind a function, or behind its f.maker.fgraph; nil: v is neither.
function M.function_of(v)
  if type(v) == "table" and getmetatable(v) ~= nil then v = rawget(v, "inner") or v end -- of typed lists
  if type(v) == "userdata" and core.kind(v) == "function" then return v end
  local f = type(v) == "table" and getmetatable(v) ~= nil and rawget(v, "fn")
  return type(f) == "userdata" and core.kind(f) == "function" and f or nil
end

--- A set from a list of names.
function M.set(names)
  local s = {}
  for _, n in ipairs(names) do s[n] = true end
  return s
end

local function plain(name) return (name:lower():gsub("_", "")) end

--- Nearest of the names to s, for messages; nil when none is near. Case and underscores count little.
function M.nearest(s, names)
  local best, least = nil, #s < 4 and 2 or 3 -- further away it is another word
  local wanted = plain(s)
  for _, n in ipairs(names) do
    if plain(n) == wanted then return n, 0 end
    local row = {}
    for j = 0, #n do row[j] = j end
    for i = 1, #s do
      local last = row[0]
      row[0] = i
      for j = 1, #n do
        local cost = s:byte(i) == n:byte(j) and last or last + 1
        last = row[j]
        row[j] = math.min(cost, row[j] + 1, row[j - 1] + 1)
      end
    end
    if row[#n] < least then best, least = n, row[#n] end
  end
  return best, least
end

--- Names in columns that fill lines of a width, read downwards.
function M.columns(names, width)
  local widest = 1
  for _, name in ipairs(names) do widest = math.max(widest, #name + 2) end
  local across = math.max(1, width // widest)
  local down = (#names + across - 1) // across
  local lines = {}
  for row = 1, down do
    local line = {}
    for at = row, #names, down do line[#line + 1] = names[at] .. (" "):rep(widest - #names[at]) end
    lines[row] = table.concat(line):gsub(" +$", "")
  end
  return table.concat(lines, "\n")
end

--- One value, {before, after}, or {{before, after}, ..} for each axis: a pair for each of ndim axes.
-- `check(value, place)` makes each value; place says whose they are.
function M.pairs_by_axis(place, given, ndim, check)
  if M.is_array(given) then given = given:tolist() end
  local function pair(p, at)
    if type(p) ~= "table" then return { check(p, at), check(p, at) } end
    local n = core.length(p, at)
    if n ~= 1 and n ~= 2 then M.raise("ValueError", "%s has %d entries: {before, after} is expected", at, n) end
    return { check(p[1], at .. "[1]"), check(p[n], ("%s[%d]"):format(at, n)) }
  end
  local out, list = {}, type(given) == "table" and type(given[1]) == "table" and M.list(place, given)
  if list and #list ~= ndim and #list ~= 1 then
    M.raise("ValueError", "%s has %d pairs, x has %d dimensions", place, #list, ndim)
  end
  for d = 1, ndim do
    local i = list and (#list == 1 and 1 or d)
    out[d] = i and pair(list[i], ("%s[%d]"):format(place, i)) or pair(given, place)
  end
  return out
end

--- Writes a file of a text, whole or not at all: with an IOError, and what stood there stays. All of our files are
-- written so or by the engine's own savers; none is opened for writing.
function M.write_file(path, text) core.save_bytes(path, text) end

--- The same of what a program makes of a text: make(from, to) lets it read one file and write another.
function M.write_made(path, text, make)
  local from, to = os.tmpname(), os.tmpname()
  local fine, made = pcall(function()
    M.write_file(from, text)
    make(from, to)
    local file <close> = assert(io.open(to, "rb"))
    return file:read("a")
  end)
  os.remove(from)
  os.remove(to)
  if not fine then error(made, 0) end
  M.write_file(path, made)
end

return M
