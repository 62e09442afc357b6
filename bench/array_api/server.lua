--- Holds the arrays of bench/array_api/theano_array_api.py: each line it reads is a Lua expression over the functions
-- below, each line it writes a JSON value. Results without dimensions keep their dtype here: functions are called with
-- one more axis in front, or with `keepdims`, which is taken away afterwards.
--
-- With GRAPHS=1 in its environment each function that graphs have is called on Variables instead, whose lengths are
-- known, compiled (the interpreter, fast_run) and run.
local nd = require("theano.ndarray")
if os.getenv("GRAPHS") == "1" then nd = require("bench.array_api.graphs") end
local held, last = {}, 0

local function is_array(v) return type(v) == "userdata" and pcall(function() return v.dtype end) and v.shape ~= nil end

-- ---- what goes back -------------------------------------------------------------------------------------------------
local function hold(a)
  last = last + 1
  held[last] = a
  return ('{"@":%d,"d":"%s","s":[%s]}'):format(last, a.dtype, table.concat(a.shape, ","))
end
local function number(v)
  if v ~= v then return "NaN" end
  if v == math.huge then return "Infinity" elseif v == -math.huge then return "-Infinity" end
  if math.type(v) == "integer" then return tostring(v) end
  local digits = ("%.17g"):format(v)
  return digits:find("[.e]") and digits or digits .. ".0" -- the sign of -0.0
end
local function text(v)
  if v == nil then return "null" end
  if is_array(v) then return hold(v) end
  if type(v) == "number" then return number(v) end
  if type(v) == "boolean" then return tostring(v) end
  if type(v) == "string" then return ("%q"):format(v):gsub("\\\n", "\\n") end
  if type(v) == "userdata" then return ("[%s,%s]"):format(number(v.real), number(v.imag)) end
  local parts = {}
  if #v > 0 or next(v) == nil then
    for i, e in ipairs(v) do parts[i] = text(e) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  for k, e in pairs(v) do parts[#parts + 1] = ("%q:%s"):format(k, text(e)) end
  return "{" .. table.concat(parts, ",") .. "}"
end

-- ---- families of functions ------------------------------------------------------------------------------------------
local function set(names)
  local s = {}
  for name in names:gmatch("%S+") do s[name] = true end
  return s
end
local ELEMENTWISE = set([[abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert
  bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor
  floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp
  logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow
  real reciprocal remainder round sign signbit sin sinh square sqrt subtract tan tanh trunc where searchsorted]])

local function lifted(a) return is_array(a) and a:reshape({ 1, table.unpack(a.shape) }) or a end
local function lowered(r)
  local shape = r.shape
  return r:reshape({ table.unpack(shape, 2) })
end

local F = {}
local function of(name)
  local module = nd
  for part in name:gmatch("([^.]+)%.") do module = module[part] end
  return module[name:match("[^.]+$")]
end

local function elementwise(name, ...)
  local args, most = table.pack(...), 0
  for i = 1, args.n do if is_array(args[i]) then most = math.max(most, args[i].ndim) end end
  if most > 0 then return of(name)(...) end
  for i = 1, args.n do args[i] = lifted(args[i]) end
  return lowered(of(name)(table.unpack(args, 1, args.n)))
end

local function reduction(name, x, o)
  local keep = o.keepdims
  local axes = type(o.axis) == "table" and o.axis or { o.axis }
  if o.axis == nil then
    for d = 1, x.ndim do axes[d] = d - 1 end
  elseif #axes == 0 then o.axis = {} end
  if x.ndim == 0 then
    local r = reduction(name, x:reshape({ 1 }), { axis = 0, dtype = o.dtype, correction = o.correction })
    return r
  end
  o.keepdims = true
  local r = of(name)(x, o)
  if keep then return r end
  local gone, shape = {}, {}
  for _, d in ipairs(axes) do gone[d % x.ndim] = true end
  for d, n in ipairs(r.shape) do if not gone[d - 1] then shape[#shape + 1] = n end end
  return r:reshape(shape)
end

-- A result that should be an array, with the dtype given.
local function array(r, dtype)
  if is_array(r) then return dtype and r:astype(dtype) or r end
  return nd.array(r, dtype)
end

function F.matmul(a, b)
  if a.ndim == 1 and b.ndim == 1 then
    return nd.matmul(a:reshape({ 1, -1 }), b:reshape({ -1, 1 })):reshape({})
  end
  return nd.matmul(a, b)
end
function F.vecdot(a, b, axis)
  return lowered(nd.vecdot(lifted(nd.broadcast_to(a, nd.broadcast_shapes(a.shape, b.shape))),
    lifted(nd.broadcast_to(b, nd.broadcast_shapes(a.shape, b.shape))), axis))
end
function F.tensordot(a, b, axes)
  if type(axes) == "table" then
    local first = {}
    for i, d in ipairs(axes[1]) do first[i] = d >= 0 and d + 1 or d end
    axes = { first, axes[2] }
  end
  return lowered(nd.tensordot(lifted(a), b, axes))
end
function F.dtype_of(...) return nd.result_type(...) end
function F.new(list, dtype, shape)
  if #list == 0 then return nd.zeros(shape, dtype) end
  return nd.array(list, dtype):reshape(shape)
end
function F.values(a) return a:reshape({ -1 }):tolist() end
function F.get(a, key)
  if #key == 0 then return a end
  return array(a[key], a.dtype)
end
function F.set(a, key, v)
  if #key == 0 then key = { "..." } end
  a[key] = is_array(v) and v:astype(a.dtype) or v
end
function F.copy(a) return a:copy() end
function F.astype(a, dtype) return a:astype(dtype) end
function F.call(name, ...)
  if ELEMENTWISE[name] then return elementwise(name, ...) end
  return of(name)(...)
end
function F.reduce(name, x, o) return reduction(name, x, o) end
-- A function whose results keep the dtype of x where they have no dimensions.
function F.keep(name, x, ...)
  local r = of(name)(x, ...)
  return array(r, not is_array(r) and x.dtype or nil)
end
-- Of a matrix, or of stacks of them, with a number for each.
function F.matrices(name, x, ...)
  local results = table.pack(of(name)(lifted(x), ...))
  for i = 1, results.n do results[i] = lowered(array(results[i])) end
  return table.unpack(results, 1, results.n)
end
function F.vector_norm(x, axis, keepdims, ord)
  local r = nd.linalg.vector_norm(x, axis, true, ord)
  r = array(r, nil)
  if keepdims then return r end
  local gone, shape = {}, {}
  for _, d in ipairs(type(axis) == "table" and axis or axis and { axis } or {}) do gone[d % x.ndim] = true end
  if axis ~= nil then for d, n in ipairs(x.shape) do if not gone[d - 1] then shape[#shape + 1] = n end end end
  return r:reshape(shape)
end
function F.free(ids)
  for _, id in ipairs(ids) do held[id] = nil end
end

local env = setmetatable({ nd = nd, C = nd.complex, inf = math.huge, nan = -(0 / 0), math = math, X = nd.newaxis,
  A = setmetatable({}, { __index = function(_, id) return held[id] end }) }, { __index = F })

io.stdout:setvbuf("full")
for line in io.lines() do
  local chunk, why = load("return " .. line, "=request", "t", env)
  local answer
  if not chunk then answer = '{"e":' .. text(why) .. "}"
  else
    local results = table.pack(pcall(chunk))
    if not results[1] then answer = '{"e":' .. text(tostring(results[2])) .. "}"
    elseif results.n == 2 then answer = text(results[2])
    else
      local parts = {}
      for i = 2, results.n do parts[i - 1] = text(results[i]) end
      answer = "[" .. table.concat(parts, ",") .. "]"
    end
  end
  io.stdout:write((answer:gsub("\n", "\\n")), "\n")
  io.stdout:flush()
end
