--- What is known of each function of the tensor language, found by trying it: dtypes, an example with its result, the
-- gradient, where it runs under device=cuda, whether it is exported as C.
-- @module scripts.site.reference
local core = require("theano.core")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local M = {}

local INTERPRETED = theano.compile.Mode({ linker = "interpreter" })
local DTYPES = { "bool", "int8", "int32", "int64", "float32", "float64", "complex128" }
local VARIABLE = getmetatable(T.dscalar())

-- Arguments that a function is tried with, in this order: the kinds of their values by letter, and others as they are.
local TRIES = { { "m" }, { "m", "m" }, { "v" }, { "v", "v" }, { "m", "v" }, { "i" }, { "i", "i" }, { "v", "i" },
  { "m", 2 }, { "v", 2 }, { "t" }, { "t", "t" }, { "q" }, { "q", "q" }, { "m", "m", "m" }, { "i", 3 }, { "k" }, { "s" },
  { "c" }, { "p" }, { "p", "v" }, { "S" }, { "S", "S" }, { "S", "m" }, { "m", "S" }, { "S", "v" },
  { "S", "i" }, { "S", 2 }, { "S", 0, 1 }, { "S", "w" }, { "S", "j" }, { "S", "float32" }, { "m", "w" },
  { "m", "j" }, { "m", "w", "j" }, { "u", "u" }, { "u", 2 }, { "t", 0, 1 }, { "m", "float32" }, { "q", 2 },
  { { "S", "S" } }, { "S", "S", "m" }, { "m", "m", "S" },
  { { 2, 3 } }, { { 2, 3 }, 7 }, { 3 }, { 0, 1, 3 }, { { "m", "m" } } }

local VALUES = {
  m = function(dtype) return nd.array({ { 0.5, 0.25 }, { 0.75, 0.125 } }):astype(dtype) end,
  v = function(dtype) return nd.array({ 0.5, 0.25, 0.75 }):astype(dtype) end,
  w = function(dtype) return nd.array({ 0.5, 0.25 }):astype(dtype) end,
  i = function() return nd.array({ 2, 0, 1 }) end,
  j = function() return nd.array({ 1, 0 }) end,
  u = function(dtype) return (nd.arange(8):reshape({ 1, 1, 2, 2, 2 }) / 8):astype(dtype) end,
  t = function(dtype) return (nd.arange(8):reshape({ 2, 2, 2 }) / 8):astype(dtype) end,
  q = function(dtype) return (nd.arange(16):reshape({ 1, 1, 4, 4 }) / 16):astype(dtype) end,
  k = function() return nd.array(2) end,
  s = function(dtype) return nd.array(0.5):astype(dtype) end,
  p = function(dtype) return nd.array({ { 4, 1 }, { 1, 3 } }):astype(dtype) end,
  S = function(dtype) return nd.sparse.csr_matrix(nd.array({ { 0, 0.5 }, { 0.25, 0 } }):astype(dtype)) end,
  c = function() return nd.array({ nd.complex(0.5, 0.25) }) end,
}

local function variable(name, value)
  if name == "S" then return theano.sparse.csr_matrix(name, { dtype = value.dtype }) end
  local pattern = {}
  for j = 1, value.ndim do pattern[j] = false end
  return T.TensorType(value.dtype, pattern)(name)
end

-- The arguments of a try: what the function gets, the variables among them, their values, and how one writes it.
local function arguments(kinds, dtype)
  local made = { args = {}, inputs = {}, values = {}, text = {} }
  local function one(kind)
    if not VALUES[kind] then
      local quoted = type(kind) == "string" and '"' .. kind .. '"' or tostring(kind)
      return kind, type(kind) == "table" and "{" .. table.concat(kind, ", ") .. "}" or quoted
    end
    local value = VALUES[kind](dtype)
    local v = variable(kind, value)
    made.inputs[#made.inputs + 1], made.values[#made.values + 1] = v, value
    return v, kind
  end
  for i, kind in ipairs(kinds) do
    if type(kind) == "table" and type(kind[1]) == "string" then
      local list, text = {}, {}
      for j, inner in ipairs(kind) do list[j], text[j] = one(inner) end
      made.args[i], made.text[i] = list, "{" .. table.concat(text, ", ") .. "}"
    else made.args[i], made.text[i] = one(kind) end
  end
  return made
end

local function first_result(f, made)
  local results = table.pack(pcall(f, table.unpack(made.args)))
  if results[1] and getmetatable(results[2]) == VARIABLE then return results[2] end
end

-- The first try that builds and runs: the try, its arguments, its variable, the compiled function and its value.
local function working(f)
  for _, kinds in ipairs(TRIES) do
    local made = arguments(kinds, "float64")
    local out = first_result(f, made)
    if out then
      local ok, fn = pcall(theano.compile, { inputs = made.inputs, outputs = out, mode = INTERPRETED,
        on_unused_input = "ignore" })
      local ran, value
      if ok then ran, value = pcall(fn, table.unpack(made.values)) end
      if ran then return kinds, made, out, fn, value end
    end
  end
end

-- "int8 -> float32, ..": dtypes of one result by those of all arguments; those with one result together.
local function dtypes(f, kinds)
  local order, by = {}, {}
  for _, dtype in ipairs(DTYPES) do
    local ok, made = pcall(arguments, kinds, dtype)
    local out = ok and first_result(f, made)
    local result = out and (out.dtype == dtype and "the same" or out.dtype) or "refused"
    if not by[result] then
      by[result] = {}
      order[#order + 1] = result
    end
    table.insert(by[result], dtype)
  end
  if #order == 1 then return ({ refused = "", ["the same"] = "as the arguments'" })[order[1]] or order[1] end
  local parts = {}
  for i, result in ipairs(order) do parts[i] = table.concat(by[result], ", ") .. ": " .. result end
  return table.concat(parts, "; ")
end

local function gradient(made, out)
  if out.dtype:find("int") or out.dtype == "bool" then return "none: the result is not of floats" end
  local wrt
  for _, v in ipairs(made.inputs) do
    if v.dtype:find("float") then wrt = v break end
  end
  if not wrt then return "none: no argument is of floats" end
  local ok, g = pcall(function()
    if theano.sparse.is_sparse(out) then return T.grad(theano.sparse.sp_sum(out), wrt) end
    return theano.gradient.Lop(out, wrt, out.type("gz"))
  end)
  if not ok then
    local said = tostring(g):match("%u%w+Error: ([^\n]*)") or tostring(g)
    return "none: " .. said:sub(1, 160)
  end
  local text = theano.pp(g)
  return #text < 240 and text or "there is one; its expression is long"
end

local function on_gpu(fn)
  local ok, plan = pcall(theano.printing.plan, fn, "cuda")
  if not ok then return "not known" end
  local host = plan:find("\non the host:\n", 1, true)
  return host and "on the host, with copies" or "kernels or library calls of the device"
end

local function exported(fn, values)
  local folder = os.tmpname()
  os.remove(folder)
  os.execute("mkdir " .. folder)
  local ok, why = pcall(function() fn:export("f", { dir = folder, args = values }) end)
  os.execute("rm -rf " .. folder)
  if ok then return "C99" end
  local said = (tostring(why):match("%u%w+Error: ([^\n]*)") or ""):gsub(" %(made at [^)]*%)", "")
  return "not exported: " .. said:gsub("^export: ", ""):sub(1, 120)
end

--- What there is to say of one function of core.functions(): {key, text} pairs, in order.
function M.about(f)
  local list = {}
  local function say(key, text)
    if text and text ~= "" then list[#list + 1] = { key, text } end
  end
  local kinds, made, out, fn, value = working(f.symbolic)
  if not kinds then return list end
  say("dtypes", dtypes(f.symbolic, kinds))
  local shown = tostring(value)
  if #shown < 400 then
    local name = (f.name:find("^sparse%.") and "theano." or "T.") .. (f.name == "repeat" and "repeat_" or f.name)
    say("example", ("%s(%s)\n%s"):format(name, table.concat(made.text, ", "), shown))
  end
  say("gradient", gradient(made, out))
  say("GPU", on_gpu(fn))
  say("export", exported(fn, made.values))
  return list
end

--- The values of the examples' letters, as text.
function M.letters()
  local list = {}
  for _, kind in ipairs({ "m", "v", "w", "i", "j", "t", "q", "u", "k", "s", "c", "p" }) do
    list[#list + 1] = kind .. " = " .. tostring(VALUES[kind]("float64")):gsub("\n%s*", " ")
  end
  list[#list + 1] = "S = csr_matrix([[0. 0.5] [0.25 0.]])"
  return list
end

function M.functions()
  local list = {}
  for _, f in ipairs(core.functions()) do list[#list + 1] = f end
  table.sort(list, function(a, b) return a.name < b.name end)
  return list
end

return M
