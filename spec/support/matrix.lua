--- Reads spec/data/matrix.npz (scripts/make-matrix-data.py says what is in it), makes its calls and compares results.
-- @module spec.support.matrix
local core = require("theano.core")
local nd = require("theano.ndarray")
local theano = require("theano")

local M = {}
M.dtypes = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
  "float64", "complex64", "complex128" }
local OF_LETTER, LETTER, BYTES = {}, {}, {}
for i, d in ipairs(M.dtypes) do
  local letter = ("?bhilBHILefdFD"):sub(i, i)
  OF_LETTER[letter], LETTER[d], BYTES[letter] = d, letter, nd.zeros(1, d).nbytes
end
local SHAPES = { m = { 3, 4 }, v = { 6 }, l = { 24 }, q = { 3, 3 }, p = { 3, 3 } }

local WRAPS = { packed = true, sort = true, take = true, shape = true, abs = true, select = true }

--- What a call calls: "sum", "linalg.inv", "signal.windows.hann".
function M.name_of(call)
  local name = call:match("^changed%(\"([%w_]+)") or call:match("nd%.(%l+%.[%w_.]+)%(")
  if name then return name end
  local first
  for word in call:gmatch("([%w_]+)%(") do
    first = first or word
    if not WRAPS[word] then return word == "repeat_" and "repeat" or word end
  end
  return first
end

--- All calls: { call, name, form, kinds, units, relative, lines = { { dtype, { word, .. } }, .. } }; a word is
-- { kind, text, at }: what it gives, and where its bytes begin.
function M.read()
  local file = nd.load("spec/data/matrix.npz")
  local calls, at = {}, 1
  for line in file.text:bytes():gmatch("[^\n]+") do
    local form, kinds, units, call = line:match("^(%l) (%w+) (%S+) (.*)$")
    if form then
      calls[#calls + 1] = { call = call, form = form, kinds = kinds, units = tonumber((units:gsub("~", ""))),
        relative = units:find("~") ~= nil, lines = {},
        name = M.name_of(call) }
    elseif line:sub(1, 1) == " " then
      local this = calls[#calls]
      local words, k = {}, 0
      local dtype = this.kinds == "1" and "float64" or M.dtypes[#this.lines + 1]
      for text in line:gmatch("%S+") do
        repeat
          k = k + 1
        until this.kinds == "P" or not ((this.kinds:sub(k, k):find("[nh]") and dtype == "bool")
          or this.kinds:sub(k, k) == "n" and dtype:find("int"))
        local kind = this.kinds == "P" and LETTER[M.dtypes[k]] or this.kinds:sub(k, k)
        words[#words + 1] = { kind, text, at }
        if text:sub(1, 1) ~= "!" and text ~= "none" then
          for letter, shape in text:gmatch("([^;%d,])([%d,]*)") do
            local n = 1
            for length in shape:gmatch("%d+") do n = n * tonumber(length) end
            at = at + n * BYTES[letter]
          end
        end
      end
      this.lines[#this.lines + 1] = { dtype, words }
    end
  end
  local bytes = file.values:bytes()
  assert(at == #bytes + 1, "answers and their bytes differ in number")
  return calls, file, bytes
end

-- ---- calls ----------------------------------------------------------------------------------------------------------
local function array(file, form, kind, dtype, k)
  local a = file[("%s%s%d_%s"):format(form, kind, k, LETTER[dtype]:gsub("?", "t"))]
  if not a then return nil end
  if kind == "s" then return a.ndim == 1 and a["::-2"] or a["::-2, ::-2"].T end
  if kind == "b" and not (form == "m" and k == 1) then return nd.broadcast_to(a, SHAPES[form]) end
  return a
end

--- The environment of calls.
function M.environment(file)
  local env = { nd = nd, M = nd }
  for name in ("i34 i14 b34 b6 v3 v4 w4 t6 p3 p31 q33 p33"):gmatch("%S+") do env[name] = file[name] end
  function env.changed(name, x, ...)
    x = nd.array(x)
    nd[name](x, ...)
    return x
  end
  function env.abs_(y)
    if y.dtype == "bool" or y.dtype:find("uint") then return y end
    return y.dtype:find("int") and nd.abs(y) % 70 or nd.abs(y)
  end
  function env.packed(...) return { ... } end
  function env.total(a) return a:sum() end
  function env.summed(a, axis) return nd.sum(a, { axis = axis }) end
  function env.added(i, j) return i + j end
  function env.shape(a) return { table.unpack(nd.asarray(a).shape) } end
  function env.select(first, ...) -- Lua's and NumPy's
    if type(first) == "number" then return select(first, ...) end
    return nd.select(first, ...)
  end
  return setmetatable(env, { __index = nd })
end

--- Arguments of a word of a call.
function M.arguments(file, this, dtype, kind)
  if this.form == "d" then return { D = dtype } end
  if this.kinds == "P" then
    return { D = dtype, x = array(file, this.form, "m", dtype, 0), y = array(file, this.form, "m", OF_LETTER[kind], 1) }
  end
  return { D = dtype, x = array(file, this.form, kind, dtype, 0), y = array(file, this.form, kind, dtype, 1) }
end

-- ---- comparison -----------------------------------------------------------------------------------------------------
local function flat(list, r, n)
  for i = 1, n do
    local v = r[i]
    if type(v) == "table" and getmetatable(v) == nil then flat(list, v, #v)
    else list[#list + 1] = v end
  end
  return list
end

--- What a call gave: the results behind r[1], lists of them taken apart.
function M.results(r) return flat({}, table.move(r, 2, r.n, 1, {}), r.n - 1) end

local EPS = { e = 2.0 ^ -10, f = 2.0 ^ -23, F = 2.0 ^ -23, d = 2.0 ^ -52, D = 2.0 ^ -52 }

local function kind_of(v)
  return math.type(v) == "integer" and "[bhilBHIL]" or math.type(v) == "float" and "[efd]"
    or type(v) == "boolean" and "?" or "[FD]"
end

local function near(got, want, allowed, exact)
  if got == want then
    return not exact or got ~= 0 or math.type(got) ~= "float" or math.type(want) ~= "float" or 1 / got == 1 / want
  end
  if type(got) ~= "number" or type(want) ~= "number" then return false end
  if want ~= want then return got ~= got end
  return math.abs(want) < math.huge and math.abs(got - want) <= allowed
end

local function magnitude(v)
  if type(v) == "boolean" then return 0 end
  if type(v) ~= "number" then return math.max(magnitude(v.real), magnitude(v.imag)) end
  v = math.abs(v)
  return v < math.huge and v or 0
end

local function elements_differ(got, want, units, eps, relative)
  local size = 0
  if relative then for _, w in ipairs(want) do size = math.max(size, magnitude(w)) end end
  for i, w in ipairs(want) do
    local g, exact = got[i], units == 0
    local fine
    local allowed = units * eps * (relative and size or magnitude(w))
    if type(w) == "userdata" or type(w) == "table" then
      fine = type(g) == type(w) and near(g.real, w.real, allowed, exact) and near(g.imag, w.imag, allowed, exact)
    else
      fine = near(g, w, allowed, exact)
    end
    if not fine then return ("element %d is %s, not %s"):format(i - 1, tostring(g), tostring(w)) end
  end
end

-- Why a result is not what is wanted. float16 for which there is float32 is compared as float16.
local function differs(got, letter, shape, bytes, this)
  local eps, units = EPS[letter] or 0, this.units
  if letter == "e" and units > 0 then units = math.max(1, units / 8192) end
  local lengths = {}
  for n in shape:gmatch("%d+") do lengths[#lengths + 1] = math.tointeger(n) end
  if type(got) == "userdata" and core.kind(got) == "ndarray" then
    local mine = LETTER[got.dtype]
    local its = table.concat(got.shape, ",")
    if its ~= shape then return ("shape (%s), not (%s)"):format(its, shape) end
    local other = mine ~= letter and ("dtype %s, not %s"):format(got.dtype, OF_LETTER[letter]) or nil
    if #bytes == 0 or not other and got:bytes() == bytes then return other end
    if other then eps, units = math.max(eps, EPS[mine] or 0), math.max(units, 1) end
    local why = elements_differ(got:reshape(-1):tolist(), nd.frombytes(bytes, OF_LETTER[letter]):tolist(), units, eps,
      this.relative)
    return other and why and other .. ", " .. why or other or why
  end
  if #lengths > 0 then return ("%s, not of shape (%s)"):format(tostring(got), shape) end
  if type(got) == "string" or type(got) == "nil" or not letter:find(kind_of(got)) then
    return ("%s, not of dtype %s"):format(tostring(got), OF_LETTER[letter])
  end
  return elements_differ({ got }, { nd.frombytes(bytes, OF_LETTER[letter])[0] }, units, eps, this.relative)
end

--- Why what a call gives differs from NumPy's word; nil when it does not.
-- @tparam table r what pcall gave, packed
function M.why(r, this, word, bytes)
  local text, at = word[2], word[3]
  if not r[1] then
    local class = theano.error_kind(r[2])
    local said = ("raises %s: %s"):format(tostring(class), tostring(r[2]):match("[^\n]*"):sub(1, 120))
    if text:sub(1, 1) ~= "!" then return said .. ", NumPy gives " .. text end
    return class ~= text:sub(2) and said .. ", NumPy " .. text or nil
  end
  local got = M.results(r)
  if text:sub(1, 1) == "!" then return "no error, NumPy " .. text end
  local n = 0
  if text == "none" then text = "" end
  for letter, shape in text:gmatch("([^;%d,])([%d,]*)") do
    n = n + 1
    local size = BYTES[letter]
    for length in shape:gmatch("%d+") do size = size * tonumber(length) end
    local why = differs(got[n], letter, shape, bytes:sub(at, at + size - 1), this)
    if why then return (n > 1 and "result " .. n .. ": " or "") .. why end
    at = at + size
  end
  return n ~= #got and ("%d results, not %d"):format(#got, n) or nil
end

return M
