--- Valid calls of what arrays and Variables share, each from one stream of random numbers.
-- @module spec.fuzz.alike.calls
local nd = require("theano.ndarray")

local M = {}

local DTYPES = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
  "bfloat16", "float32", "float64", "complex64", "complex128" }
local KINDS = {
  f = { "float16", "bfloat16", "float32", "float64", "float64", "float32" },
  c = { "float16", "bfloat16", "float32", "float64", "complex64", "complex128" },
  i = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" },
  j = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" },
  r = { table.unpack(DTYPES, 1, 13) }, x = DTYPES, wide = { "float64", "float32", "int64", "complex128" },
  big = { "float32", "float64" },
}
local SHAPES = { {}, { 1 }, { 3 }, { 7 }, { 33 }, { 1, 4 }, { 4, 1 }, { 2, 3 }, { 3, 3 }, { 5, 9 }, { 2, 3, 4 },
  { 1, 1, 1 }, { 2, 1, 3 }, { 2, 2, 1, 3 }, { 0 }, { 0, 3 }, { 3, 0 }, { 19, 2 } }
local SPECIAL = { 0 / 0, 1 / 0, -1 / 0, 0.0, -0.0 }

local rng -- function(n): 1..n
local function pick(list) return list[rng(#list)] end
local function chance(n) return rng(n) == 1 end
local function wanted(dtype, letter) return dtype:find(letter) ~= nil end

local function size_of(shape)
  local n = 1
  for _, d in ipairs(shape) do n = n * d end
  return n
end

local function number(special)
  if special and chance(3) then return pick(SPECIAL) end
  return (rng(41) - 21) / (chance(2) and 4 or 5)
end

--- An array of a dtype and a shape: mild numbers, in one of eight the dtype's extremes or NaN and infinities.
local function filled(dtype, shape)
  local n, how = size_of(shape), rng(8)
  local list = {}
  for k = 1, n do
    if dtype == "bool" then list[k] = chance(2)
    elseif wanted(dtype, "int") then
      local x = rng(13) - (wanted(dtype, "^u") and 1 or 7)
      if how == 1 then x = pick({ 0, 1, 127, wanted(dtype, "^u") and 255 or -128 }) end
      if dtype == "int8" then x = math.max(-128, math.min(127, x)) end
      list[k] = x
    elseif wanted(dtype, "complex") then
      list[k] = nd.complex(number(how == 1), number(how == 1))
    else list[k] = number(how == 1) + 0.0 end
  end
  return nd.array(list, dtype):reshape(shape)
end

-- The same numbers, lying in memory in another way.
local function laid(a)
  local how, d = rng(8), a.ndim
  if d == 0 or a.size == 0 then return a end
  if how == 1 then return nd.flip(a):copy()["::-1" .. (", ::-1"):rep(d - 1)] end
  if how == 2 and d > 1 then return a.T:copy().T end
  if how == 3 then return nd.repeat_(a, 2, 0)["::2"] end
  return a
end

local function array(dtype, shape) return laid(filled(dtype, shape)) end

local function partner(shape)
  local s = { table.unpack(shape) }
  for k = 1, #s do if chance(4) then s[k] = 1 end end
  while #s > 0 and chance(5) do table.remove(s, 1) end
  return s
end

local function shape_of(a) return { table.unpack(a.shape) } end

local function square(dtype, definite)
  local n = pick({ 1, 2, 3, 5 })
  local a = nd.asarray(filled(dtype, { n, n }))
  if not definite then return laid(a) end
  for i = 0, n - 1 do for j = 0, n - 1 do
    local x = ((i * 7 + j * 7 + i * j) % 5) / 8
    a[{ i, j }] = i == j and x + n or x
  end end
  return a
end

-- What stands for a word of a row; `first` is the first array of the call, `last` the one before.
local make = {}
for letter in ("xfcijr"):gmatch(".") do
  make[letter] = function() return array(pick(KINDS[letter]), pick(SHAPES)) end
end
function make.b() return array("bool", pick(SHAPES)) end
function make.y(first)
  local others = KINDS[wanted(first.dtype, "complex") and "x" or "r"]
  return array(chance(2) and first.dtype or pick(others), partner(first.shape))
end
function make.s(first) return array(first.dtype, shape_of(first)) end
function make.S(first) return array(pick({ "float32", "float64", "int32" }), shape_of(first)) end
make.same = function(first) return first and make.s(first) or make.x() end
function make.v() return array(pick(DTYPES), { pick({ 1, 2, 5, 17 }) }) end
function make.V(first) return array(first.dtype, { pick({ 1, 2, 5 }) }) end
function make.m() return array(pick(DTYPES), { pick({ 1, 2, 3, 6 }), pick({ 1, 2, 3, 6 }) }) end
function make.q() return square(pick(DTYPES)) end
function make.p() return square(pick(KINDS.big), true) end
function make.Q(first) return array(first.dtype, { first.shape[1], pick({ 1, 2, 4 }) }) end
function make.turned(first) return array(first.dtype, { first.shape[2], first.shape[1] }) end
function make.three() return array(pick({ "float64", "float32", "int32", "complex64" }), { pick({ 1, 4 }), 3 }) end
function make.n() return pick({ 0, 1, 2, -1, 0.5, -2.5 }) end
function make.flag() return chance(2) end
function make.wide() return pick(KINDS.wide) end
function make.any() return pick(DTYPES) end
function make.shape() return pick({ { 2 }, { 1, 3 }, { 2, 2 }, { 0 }, { 3, 1, 2 } }) end
function make.must(first)
  return first.ndim > 0 and rng(first.ndim) - 1 - (chance(2) and first.ndim or 0) or 0
end
function make.axis(first)
  if first.ndim > 0 then return make.must(first) end
end
function make.axes(first)
  if first.ndim < 2 or chance(2) then return make.axis(first) end
  local list = {}
  for k = 0, first.ndim - 1 do if chance(2) then list[#list + 1] = k end end
  return list
end
function make.mask(first) return array("bool", partner(first.shape)) end
function make.wider(first)
  local s = shape_of(first)
  table.insert(s, 1, 2)
  return s
end
function make.places(first) return array("int64", pick({ { 2 }, { 3, 1 }, {} })), first end
function make.sorted(first)
  return nd.sort(nd.nan_to_num(filled(first and first.dtype or "float64", { pick({ 1, 4, 9 }) })))
end
function make.counts() return nd.array({ 3, 0, 1, 3, 2 }, pick({ "int32", "int64", "uint8" })) end
function make.real_weights() return array(pick({ "float32", "float64", "int32" }), { 5 }) end
function make.increasing() return nd.array({ -2.0, 0.0, 0.5, 4.0 }) end
function make.rising() return array(pick({ "float64", "float32", "int64" }), { 4 }) end
function make.bits() return nd.array({ true }) end
function make.mask_of() return array("bool", { 3 }) end
function make.masks() return { array("bool", { 3, 2 }), array("bool", { 2 }) } end
function make.likes()
  local d = pick(DTYPES)
  return { array(d, { 3, 2 }), array(d, { 3, 1 }) }
end
function make.few() return nd.array({ 0, 0, 0 }) end
function make.u8() return array("uint8", pick(SHAPES)) end

local function value(kind, first)
  if kind:sub(1, 1) == "/" then
    local words = {}
    for word in kind:gmatch("[^/]+") do
      local n = tonumber(word)
      words[#words + 1] = math.tointeger(n) or n or word
    end
    return pick(words)
  end
  if kind:sub(-1) == "*" then
    local list, one = {}, kind:sub(1, -2)
    for k = 1, rng(3) do
      list[k] = make[one](first or list[1])
    end
    return list
  end
  return make[kind](first)
end

--- The rows: { names, positional kinds, keywords }.
function M.rows()
  local text = require("spec.fuzz.alike.rows"):gsub("\n%+", "")
  local rows = {}
  for line in text:gmatch("[^\n]+") do
    local names, kinds = line:match("^(.-) : (.*)$")
    local row = { names = {}, given = {}, keywords = {} }
    for name in names:gmatch("%S+") do row.names[#row.names + 1] = name end
    for word in kinds:gmatch("%S+") do
      local key, kind = word:match("^([%w_]+)=(.+)$")
      if key then row.keywords[#row.keywords + 1] = { key, kind } else row.given[#row.given + 1] = word end
    end
    for _, name in ipairs(row.names) do
      rows[#rows + 1] = { name = name, given = row.given, keywords = row.keywords }
    end
  end
  return rows
end

local function array_of(v)
  if type(v) == "userdata" then return v end
  return type(v) == "table" and type(v[1]) == "userdata" and v[1] or nil
end

--- A stream of random numbers of one call: xorshift of 64 bits, 1..n.
function M.stream(seed, at)
  local x = (seed * 0x9E3779B97F4A7C15) ~ (at * 0xD1B54A32D192ED03) ~ 0x632BE59BD9B4E019
  if x == 0 then x = 1 end
  local function bits()
    x = x ~ (x << 13)
    x = x ~ (x >> 7)
    x = x ~ (x << 17)
    return x
  end
  for _ = 1, 3 do bits() end
  return function(n) return (bits() >> 11) % n + 1 end
end

local function mapped(v, fn)
  if type(v) == "userdata" then return fn(v) end
  if type(v) ~= "table" then return v end
  local t = {}
  for key, x in pairs(v) do t[key] = mapped(x, fn) end
  return t
end

--- What a call is made with, its arrays replaced by what fn gives of them.
function M.arguments(call, fn)
  fn = fn or function(a) return a end
  local list = mapped(call.given, fn)
  if call.keywords then list[#list + 1] = mapped(call.keywords, fn) end
  return list
end

function M.each_array(call, fn) M.arguments(call, fn) end

local function words(v)
  if type(v) == "userdata" then
    local text = ("%s{%s}"):format(v.dtype, table.concat(v.shape, ","))
    return v.size <= 8 and text .. nd.array2string(v):gsub("%s+", " ") or text
  end
  if type(v) ~= "table" then return tostring(v) end
  local list = {}
  for _, x in ipairs(v) do list[#list + 1] = words(x) end
  local keys = {}
  for key in pairs(v) do if type(key) == "string" then keys[#keys + 1] = key end end
  table.sort(keys)
  for _, key in ipairs(keys) do list[#list + 1] = key .. " = " .. words(v[key]) end
  return "{" .. table.concat(list, ", ") .. "}"
end

--- A call as text.
function M.shown(call)
  local list = {}
  for k, v in ipairs(M.arguments(call)) do list[k] = words(v) end
  return ("%s(%s)"):format(call.name, table.concat(list, ", "))
end

--- A call of a row: its name, positional arguments and keywords (nil without).
function M.call(row, random)
  rng = random
  local call, first = { name = row.name, given = {}, keywords = nil }, nil
  for k, kind in ipairs(row.given) do
    call.given[k] = value(kind, first)
    first = first or array_of(call.given[k])
  end
  for _, keyword in ipairs(row.keywords) do
    if chance(3) or keyword[2] == "must" and chance(2) then
      call.keywords = call.keywords or {}
      call.keywords[keyword[1]] = value(keyword[2], first)
    end
  end
  if call.keywords and next(call.keywords) == nil then call.keywords = nil end
  return call
end

return M
