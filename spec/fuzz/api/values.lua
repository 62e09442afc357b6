--- Hostile arguments: of every kind, made anew for every call from one stream of random numbers.
-- @module spec.fuzz.api.values
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local M = {}

local DTYPES = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
  "bfloat16", "float32", "float64", "complex64", "complex128" }
local NUMBERS = { 0, 1, 2, 3, 4, -1, -2, 0.5, -0.5, -0.0, 1.0, 2.0, 7.9, 0 / 0, 1 / 0, -1 / 0, 1 << 31, 1 << 32,
  1 << 53, 1 << 62, math.maxinteger, math.mininteger, 2.0 ^ 62, 9.2e18, 1e300, 1e-300, 5e-324, 255, 256, 100, 65536,
  1e6, -128 }
local TEXTS = { "", "x", "y", "axis", "float64", "float32", "float16", "bfloat16", "int8", "uint64", "complex128",
  "bool", "floatX", "1:3", "::-1", "...", ":, 0", "None", "-1", "::0", "9223372036854775807:", "valid", "full",
  "half", "same", "constant",
  "reflect",
  "max", "sum", "average_exc_pad", "raise", "ignore", "warn", "FAST_RUN", "fast_compile", "canonicalize", "log(1 + x)",
  "a\0b", "%s%n%d", ("long"):rep(5000), "\xff\xfe", "/nonexistent/file.npy", "file.npy", "file.npz", "file.csv",
  "file.safetensors", "C", "left", "mean", "train", "nearest", "i", "ij->ji" }
local KEYWORDS = { "axis", "keepdims", "dtype", "out", "ddof", "name", "k", "kind", "mode", "side", "order", "shape",
  "border_mode", "subsample", "ignore_border", "updates", "givens", "outputs", "inputs", "on_unused_input", "n_steps",
  "sequences", "outputs_info", "fn", "borrow", "strict", "broadcastable", "size", "low", "high", "value",
  "return_index" }

local SMALL = { 0, 1, -1, 2, 3, 0.5, true, false, "float64" } -- what a call may well take

local rng -- function(n): 1..n
local function pick(list) return list[rng(#list)] end
local function chance(n) return rng(n) == 1 end

-- ---- arrays ---------------------------------------------------------------------------------------------------------
local SHAPES = { {}, { 0 }, { 1 }, { 3 }, { 5 }, { 17 }, { 0, 3 }, { 3, 0 }, { 1, 3 }, { 3, 1 }, { 2, 3 }, { 3, 3 },
  { 4, 5 }, { 2, 3, 4 }, { 1, 1, 1 }, { 2, 0, 2 }, { 2, 2, 5, 5 }, { 1, 2, 3, 2, 1 }, { 65 } }

local function fill(a, dtype)
  local n = a.size
  if n == 0 or n > 400 then return a end
  local flat, how = a:reshape({ n }), rng(6)
  for i = 0, n - 1 do
    local x = rng(7) - 4
    if how == 1 and dtype:find("^float") then x = pick(NUMBERS) + 0.0 end
    if how == 2 and dtype:find("float") then x = (i % 5) * 5e-324 end -- ties but for the low bits
    if dtype == "bool" then x = x > 0
    elseif dtype:find("^uint") then x = math.abs(x)
    elseif how == 3 and dtype == "int64" then x = pick({ math.maxinteger, math.mininteger, 0, 1 }) end
    flat[i] = x
  end
  return a
end

local function array()
  local dtype = chance(2) and "float64" or pick(DTYPES)
  local a = fill(nd.zeros(pick(SHAPES), dtype), dtype)
  local how, d = rng(14), a.ndim
  if how == 1 then a = a.T
  elseif how == 2 and d > 0 then a = a["::-1"]
  elseif how == 3 and d > 0 and a.shape[1] > 1 then a = a["::2"]
  elseif how == 4 and d > 0 and a.shape[1] > 1 then a = a["1:"]
  elseif how == 5 and d > 1 then a = a[":, ::-1"]
  elseif how == 6 and rawget(nd, "broadcast_to") then
    local shape = a.shape
    local long = { 3 }
    for i = 1, d do long[i + 1] = shape[i] end
    a = nd.broadcast_to(a, long)
  elseif how == 7 and chance(4) then a:free() end
  return a
end

-- ---- graphs ---------------------------------------------------------------------------------------------------------
local function variable()
  local dtype, ndim, pattern = chance(2) and "float64" or pick(DTYPES), rng(5) - 1, {}
  for i = 1, ndim do pattern[i] = chance(5) end
  local v = theano.tensor.TensorType(dtype, pattern)(chance(2) and "v" or nil)
  local how = rng(12)
  if how == 1 then return v + v end
  if how == 2 and ndim > 0 then return v["1:"] end
  if how == 3 then return v.shape end
  if how == 4 then return T.exp(v * 0.5) end
  if how == 5 then return T.constant(array()) end
  if how == 6 then return theano.shared(array()) end
  if how == 7 and ndim > 0 then return T.zeros_like(v) end
  if how == 8 then return v:sum() end
  return v
end

local MODE = theano.compile.Mode({ linker = "interpreter", optimizer = "fast_compile" })
local function compiled()
  local x = chance(2) and T.dvector("x") or T.dmatrix("x")
  local w = theano.shared(nd.ones({ 3 }))
  local f = theano.compile({ inputs = { x }, outputs = chance(3) and { x * 2, x:sum() } or x + w, mode = MODE,
    updates = chance(2) and { { w, w * 2 } } or nil })
  if chance(8) then f:free() end
  return f
end

-- ---- everything else ------------------------------------------------------------------------------------------------
local function cyclic()
  local t = { 1 }
  t[2] = t
  return t
end

local function deep()
  local t = { 1.0 }
  for _ = 1, 300 do t = { t } end
  return t
end

local value
local function list()
  local t, n = {}, rng(5) - 1
  local one = chance(2) and value or function() return pick(NUMBERS) end
  for i = 1, n do t[i] = one() end
  if chance(6) then t[n + 2] = 1 end -- a hole
  return t
end

local function keywords()
  local t = {}
  for _ = 1, rng(3) do t[pick(KEYWORDS)] = value() end
  return t
end

local function strange()
  return pick({
    cyclic, deep, function() return setmetatable({}, { __index = function() error("index", 0) end }) end,
    function() return setmetatable({}, { __len = function() return 1 << 60 end }) end,
    function() return setmetatable({}, { __tostring = function() error("text", 0) end }) end,
    function() return io.stdout end, function() return coroutine.create(print) end,
    function() return function() end end, function() return function(...) return ... end end,
    function() return function() error("from a callback", 0) end end,
    function() return function() collectgarbage() return 1 end end,
    function() return function() return value() end end,
    function() local t = {} for i = 1, 300 do t[i] = i end return t end,
    function() return { { 1, 2 }, { 3 } } end, function() return { { 1.0, 2.0 }, { 3.0, 4.0 } } end,
    function() return { [0] = 1, [2.5] = 2, [true] = 3 } end,
    function() return theano.In(variable(), {}) end, function() return theano.Out(variable(), {}) end,
    function() return T.dvector().type end, function() return variable().owner end,
    function() return nd.random.RandomState(3) end, function() return MODE end,
    function() local x = T.dvector("x") return theano.gof.FunctionGraph({ x }, { x * 2 + x }) end,
    function() return nd.complex(1, -2) end,
  })()
end

--- One hostile value; nil among them.
function value()
  local k = rng(20)
  if k <= 5 then return array() end
  if k <= 8 then return variable() end
  if k <= 11 then return pick(NUMBERS) end
  if k == 12 then return chance(2) end
  if k <= 14 then return pick(TEXTS) end
  if k <= 16 then return list() end
  if k == 17 then return keywords() end
  if k == 18 then return strange() end
  if k == 19 and chance(4) then return compiled() end
  return nil
end
M.value = value

--- Arguments of a call: a list with n.
-- @tparam table target as spec.fuzz.api.targets has it
function M.arguments(target)
  local args, n = {}, rng(10) == 1 and 0 or rng(4)
  -- Mostly arrays alone, variables alone: calls that get further than the first check.
  local how = rng(6)
  local first = how <= 2 and array or how <= 4 and variable or value
  local rest = how == 1 and array or how == 3 and variable or value
  for i = 1, n do
    if i == 1 then args[i] = first()
    elseif chance(3) then args[i] = value()
    else args[i] = chance(2) and rest() or SMALL[rng(#SMALL)] end
  end
  args.n = n
  if chance(3) and target.keywords and #target.keywords > 0 then
    local t = {}
    for _ = 1, rng(3) do t[pick(target.keywords)] = value() end
    args.n = n + 1
    args[args.n] = t
  end
  return args
end

function M.use(random) rng = random end

-- ---- objects with methods -------------------------------------------------------------------------------------------
local makers = { ndarray = array, Variable = variable, ["function"] = compiled, RandomState = function()
  return nd.random.RandomState(rng(100))
end, shared = function() return theano.shared(array()) end, FunctionGraph = function()
  local x = T.dvector("x")
  return theano.gof.FunctionGraph({ x }, { T.log(1 + x) * x })
end, TensorType = function() return variable().type end, Apply = function()
  return (T.dvector("x") * 2).owner
end, OrderedUpdates = function() return theano.updates.OrderedUpdates() end, Query = function()
  return theano.gof.Query({ include = { "fast_run" } })
end, Mode = function() return theano.compile.get_mode("FAST_RUN") end, Rewrite = function()
  return theano.gof.PatternSub("log(1 + x)", "log1p(x)")
end }
M.objects = { kinds = { "Apply", "FunctionGraph", "Mode", "OrderedUpdates", "Query", "RandomState", "Rewrite",
  "TensorType", "Variable", "function", "ndarray", "shared" } }

function M.object(kind) return makers[kind]() end

--- The names of what can be called on an object of this kind.
function M.objects.methods(kind)
  local object, names, seen = makers[kind](), {}, {}
  local function add(name)
    if type(name) ~= "string" or name:find("^__") or seen[name] then return end
    seen[name] = true
    local ok, v = pcall(function() return object[name] end)
    if ok and type(v) == "function" then names[#names + 1] = name end
  end
  if type(object) == "table" then for k in pairs(object) do add(k) end end
  local meta = debug.getmetatable(object)
  if meta and type(meta.__index) == "table" then for k in pairs(meta.__index) do add(k) end end
  for _, f in ipairs(require("theano.core").functions()) do add(f.name:match("[^.]+$")) end
  for key in pairs(require("theano.reference")) do add(key:match("[%w_]+$")) end
  table.sort(names)
  return names
end

M.objects.operators = {
  index = function(self, key) return self[key] end,
  assign = function(self, key, v) self[key] = v end,
  length = function(self) return #self end,
  text = function(self) return tostring(self) end,
  concat = function(self, other) return self .. other end,
  equal = function(self, other) return self == other end,
  less = function(self, other) return self < other end,
}

return M
