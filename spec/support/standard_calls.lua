--- Sample calls of every name of the array API standard (spec/support/array_api.lua), for arrays and Variables alike:
-- which dtypes it takes, its arguments, what is refused, and whether it has a derivative.
-- @module spec.support.standard_calls
local nd = require("theano.ndarray")
local theano = require("theano")

local M = {}
M.dtypes = {
  b = { "bool" }, i = { "int8", "int32", "int64", "uint8", "uint16" }, f = { "float32", "float64" },
  c = { "complex64", "complex128" },
}

local rng = nd.random.RandomState(5)
local SHAPES = { s = {}, v = { 4 }, r = { 1, 4 }, m = { 3, 4 }, q = { 3, 3 }, c = { 2, 3, 4 }, t = { 2, 3, 3 } }
local DOMAINS = { any = { -2, 2 }, pos = { 0.3, 3 }, unit = { -0.9, 0.9 }, big = { 1.2, 3 }, few = { 0, 3 } }

--- An array of a letter's shape and a domain ("m any"), of a dtype.
function M.point(text, dtype)
  local shape, domain = text:match("^(%a) (%a+)$")
  local low, high = table.unpack(DOMAINS[domain])
  local x = nd.asarray(rng:uniform(low, high, SHAPES[shape]))
  if dtype == "bool" then return nd.asarray(nd.gt(x, (low + high) / 2)) end
  if dtype:find("complex") then
    local y = nd.asarray(rng:uniform(low, high, SHAPES[shape]))
    return nd.asarray((x + y * nd.complex(0, 0.5))):astype(dtype)
  end
  if dtype:find("int") then -- integers of every sign that there is, without zero
    x = nd.asarray(nd.floor(nd.abs(x) * 2) + 1) * (dtype:find("^u") and 1 or nd.sign(x))
  end
  return nd.asarray(x):astype(dtype)
end

-- Elementwise functions: dtypes, domain of the operands, how many.
local ELEMENTWISE = {
  { "ifc any 1", "abs negative positive sign square round conj real isfinite isinf isnan" },
  { "fc any 1", "exp expm1 sin cos sinh cosh tanh tan atan asinh" },
  { "fc unit 1", "acos asin atanh" },
  { "fc big 1", "acosh" },
  { "fc pos 1", "log log1p log2 log10 sqrt reciprocal" },
  { "if any 1", "ceil floor trunc" },
  { "f any 1", "signbit" },
  { "c any 1", "imag" },
  { "ib few 1", "bitwise_invert" },
  { "b any 1", "logical_not" },
  { "ifc any 2", "add multiply subtract" },
  { "fc pos 2", "divide" },
  { "if pos 2", "pow floor_divide remainder" },
  { "bifc any 2", "equal not_equal" },
  { "if any 2", "greater greater_equal less less_equal maximum minimum" },
  { "f any 2", "atan2 copysign hypot logaddexp nextafter" },
  { "ib few 2", "bitwise_and bitwise_or bitwise_xor" },
  { "i few 2", "bitwise_left_shift bitwise_right_shift" },
  { "b any 2", "logical_and logical_or logical_xor" },
}

-- Why a function of floats has no derivative to be compared, or none but zero.
local STEPS = "constant but for steps"
M.flat = {
  sign = STEPS, round = STEPS, ceil = STEPS, floor = STEPS, trunc = STEPS, floor_divide = STEPS,
  isfinite = "a bool", isinf = "a bool", isnan = "a bool", signbit = "a bool", equal = "a bool", not_equal = "a bool",
  greater = "a bool", greater_equal = "a bool", less = "a bool", less_equal = "a bool", any = "a bool", all = "a bool",
  nextafter = "a step of one unit in the last place is below what differences see",
  argmax = "a place", argmin = "a place", argsort = "places", searchsorted = "places", nonzero = "places",
  count_nonzero = "a count", matrix_rank = "a count",
  unique_counts = "how many there are depends on values", unique_values = "how many there are depends on values",
  unique_all = "how many there are depends on values", unique_inverse = "how many there are depends on values",
  empty_like = "its values mean nothing", zeros_like = "a constant", ones_like = "a constant", full_like = "a constant",
}
-- Lengths that only values tell.
M.open = { nonzero = true, unique_counts = true, unique_values = true, unique_all = true, unique_inverse = true }
-- Numbers that are not determined: results are compared by what they multiply to (or not at all).
M.loose = { empty = true, empty_like = true }

M.calls = {}
local function call(name, dtypes, points, fn, more)
  local list = M.calls[name] or {}
  M.calls[name] = list
  list[#list + 1] = { dtypes = dtypes, points = points, fn = fn, more = more or {} }
end

for _, row in ipairs(ELEMENTWISE) do
  local dtypes, domain, n = row[1]:match("(%a+) (%a+) (%d)")
  for name in row[2]:gmatch("%S+") do
    if n == "1" then
      for _, shape in ipairs({ "m", "s" }) do
        call(name, dtypes, { shape .. " " .. domain }, function(A, x) return A[name](x) end)
      end
    else
      for _, shapes in ipairs({ "mm", "mv", "rm", "sm", "cv" }) do
        call(name, dtypes, { shapes:sub(1, 1) .. " " .. domain, shapes:sub(2) .. " " .. domain },
          function(A, x, y) return A[name](x, y) end)
      end
      call(name, dtypes, { "m " .. domain }, function(A, x) return A[name](x, 1) end, { literal = true })
    end
  end
end
call("clip", "if", { "m any" }, function(A, x) return A.clip(x, 1, 2) end, { literal = true })
call("clip", "f", { "m any", "v unit", "v big" }, function(A, x, l, u) return A.clip(x, l, u) end)

-- ---- creation -------------------------------------------------------------------------------------------------------
local function made(name, fn) call(name, "f", {}, function(A, d) return fn(A, d) end, { made = true }) end
made("arange", function(A, d) return A.arange(0, 3, 0.5, d) end)
made("empty", function(A, d) return A.empty({ 2, 3 }, d) end)
made("eye", function(A, d) return A.eye(3, 4, 1, d) end)
made("full", function(A, d) return A.full({ 2, 3 }, 7, d) end)
made("linspace", function(A, d) return A.linspace(0, 1, 5, { dtype = d, endpoint = false }) end)
made("ones", function(A, d) return A.ones({ 2, 3 }, d) end)
made("zeros", function(A, d) return A.zeros({ 2, 3 }, d) end)
call("asarray", "bifc", { "m any" }, function(A, x) return A.asarray(x) end)
for name in ("empty_like ones_like zeros_like"):gmatch("%S+") do
  call(name, "bifc", { "m any" }, function(A, x) return A[name](x) end)
end
call("full_like", "ifc", { "m any" }, function(A, x) return A.full_like(x, 3) end)
call("meshgrid", "ifc", { "v any", "v any" }, function(A, x, y)
  local a, b = A.meshgrid(x, y, { indexing = "ij" })
  return a * b
end)
for name in ("tril triu"):gmatch("%S+") do
  call(name, "bifc", { "c any" }, function(A, x) return A[name](x, 1) end)
end

-- ---- dtypes, about itself -------------------------------------------------------------------------------------------
call("astype", "bif", { "m pos" }, function(A, x) return A.astype(x, "float64") end)

-- ---- indexing, manipulation -----------------------------------------------------------------------------------------
call("take", "bifc", { "m any" }, function(A, x) return A.take(x, { 2, 0, 2 }, 0) end)
call("take_along_axis", "bifc", { "m any" }, function(A, x)
  return A.take_along_axis(x, { { 0, 1, 0, 2 }, { 2, 2, 1, 0 } }, 0)
end)
call("broadcast_arrays", "ifc", { "m any", "v any" }, function(A, x, y)
  local a, b = A.broadcast_arrays(x, y)
  return a * b
end)
call("broadcast_to", "bifc", { "v any" }, function(A, x) return A.broadcast_to(x, { 2, 3, 4 }) end)
call("concat", "bifc", { "m any", "m any" }, function(A, x, y) return A.concat({ x, y }, -1) end)
call("expand_dims", "bifc", { "m any" }, function(A, x) return A.expand_dims(x, { axis = 1 }) end)
call("flip", "bifc", { "c any" }, function(A, x) return A.flip(x, { axis = { 0, -1 } }) end)
call("moveaxis", "bifc", { "c any" }, function(A, x) return A.moveaxis(x, { 0, 1 }, { -1, 0 }) end)
call("permute_dims", "bifc", { "c any" }, function(A, x) return A.permute_dims(x, { 2, 0, 1 }) end)
call("repeat", "bifc", { "m any" }, function(A, x) return A["repeat"](x, 2, { axis = 1 }) end)
call("reshape", "bifc", { "m any" }, function(A, x) return A.reshape(x, { 2, -1 }) end)
call("roll", "bifc", { "m any" }, function(A, x) return A.roll(x, { 1, -2 }, { axis = { 0, 1 } }) end)
call("squeeze", "bifc", { "r any" }, function(A, x) return A.squeeze(x, 0) end)
call("stack", "bifc", { "m any", "m any" }, function(A, x, y) return A.stack({ x, y }, 1) end)
call("tile", "bifc", { "m any" }, function(A, x) return A.tile(x, { 2, 1 }) end)
call("unstack", "bifc", { "m any" }, function(A, x) -- so many Variables as there are elements: that has to be known
  if A ~= nd then x = A.specify_shape(x, { 3, 4 }) end
  return A.unstack(x, { axis = 1 })[2]
end)

-- ---- products -------------------------------------------------------------------------------------------------------
call("matmul", "ifc", { "c any", "m any" }, function(A, x, y) return A.matmul(x, A.matrix_transpose(y)) end)
call("matrix_transpose", "bifc", { "c any" }, function(A, x) return A.matrix_transpose(x) end)
call("tensordot", "ifc", { "c any", "m any" },
  function(A, x, y) return A.tensordot(x, y, { axes = { { 1, 2 }, { 0, 1 } } }) end)
call("vecdot", "ifc", { "m any", "v any" }, function(A, x, y) return A.vecdot(x, y) end)

-- ---- searching, sets, sorting, statistics ---------------------------------------------------------------------------
for name in ("argmax argmin"):gmatch("%S+") do
  call(name, "if", { "m any" }, function(A, x) return A[name](x, { axis = 1 }) end)
end
call("count_nonzero", "bifc", { "m any" }, function(A, x) return A.count_nonzero(x, { axis = 0 }) end)
call("nonzero", "bifc", { "m any" }, function(A, x) return A.stack({ A.nonzero(x) }) end)
call("searchsorted", "if", { "v any", "m any" }, function(A, x, y) return A.searchsorted(A.sort(x), y) end)
call("where", "bifc", { "m any", "v any" },
  function(A, x, y) return A.where(nd.array({ true, false, false, true }), x, y) end)
call("unique_all", "bif", { "m any" }, function(A, x) return A.unique_all(x) end)
call("unique_counts", "bif", { "m any" }, function(A, x) return A.unique_counts(x) end)
call("unique_inverse", "bif", { "m any" }, function(A, x) return A.unique_inverse(x) end)
call("unique_values", "bif", { "m any" }, function(A, x) return A.unique_values(x) end)
call("argsort", "if", { "m any" }, function(A, x) return A.argsort(x, { descending = true }) end)
call("sort", "if", { "m any" }, function(A, x) return A.sort(x, { axis = 0, descending = true }) end)
for name in ("cumulative_prod cumulative_sum"):gmatch("%S+") do
  call(name, "ifc", { "m pos" }, function(A, x) return A[name](x, { axis = 1, include_initial = true }) end)
end
for name in ("max min"):gmatch("%S+") do
  call(name, "if", { "m any" }, function(A, x) return A[name](x, { axis = 1, keepdims = true }) end)
  call(name, "if", { "c any" }, function(A, x) return A[name](x, { axis = { 0, 2 } }) end)
end
for name in ("prod sum"):gmatch("%S+") do
  call(name, "ifc", { "m pos" }, function(A, x) return A[name](x, { axis = 1, keepdims = true }) end)
  call(name, "ifc", { "c pos" }, function(A, x) return A[name](x, { axis = { 0, 2 } }) end)
end
call("mean", "fc", { "m any" }, function(A, x) return A.mean(x, { axis = 0 }) end)
for name in ("std var"):gmatch("%S+") do
  call(name, "f", { "c any" }, function(A, x) return A[name](x, { axis = { 0, 2 }, correction = 1 }) end)
end
for name in ("all any"):gmatch("%S+") do
  call(name, "bif", { "m any" }, function(A, x) return A[name](x, { axis = 1, keepdims = true }) end)
end
call("diff", "ifc", { "m any" }, function(A, x) return A.diff(x, { n = 2, axis = 1, prepend = x[":, :1"] }) end)

-- ---- extensions -----------------------------------------------------------------------------------------------------
for name in ("fft ifft hfft ifftn fftn"):gmatch("%S+") do
  call("fft." .. name, "c", { "m any" }, function(A, x) return A.fft[name](x) end)
end
-- T.fft has Theano's two under these names, whose complex numbers are pairs.
call("fft.rfft", "f", { "m any" }, function(A, x)
  local r = A.fft.rfft(x)
  return A == nd and r or A.complex(r["..., 0"], r["..., 1"])
end)
call("fft.irfft", "c", { "m any" }, function(A, x)
  return A.fft.irfft(A == nd and x or A.stack({ A.real(x), A.imag(x) }, -1))
end)
for name in ("rfftn ihfft"):gmatch("%S+") do
  call("fft." .. name, "f", { "m any" }, function(A, x) return A.fft[name](x) end)
end
call("fft.irfftn", "c", { "m any" }, function(A, x) return A.fft.irfftn(x) end)
for name in ("fftfreq rfftfreq"):gmatch("%S+") do
  call("fft." .. name, "f", {}, function(A) return A.fft[name](7, 0.5) end, { made = true })
end
for name in ("fftshift ifftshift"):gmatch("%S+") do
  call("fft." .. name, "bifc", { "m any" }, function(A, x) return A.fft[name](x, { axes = { 1 } }) end)
end

local function definite(A, x)
  return A.matmul(x, A.conj(A.matrix_transpose(x))) + A.asarray(nd.eye(3) * 2):astype(x.dtype)
end
local function triple(name, fn, dtypes)
  call("linalg." .. name, dtypes or "fc", { "t any" }, fn)
end
triple("cholesky", function(A, x) return A.linalg.cholesky(definite(A, x), { upper = true }) end)
call("linalg.cross", "ifc", { "q any", "q any" }, function(A, x, y) return A.linalg.cross(x, y) end)
triple("det", function(A, x) return A.linalg.det(x) end)
triple("diagonal", function(A, x) return A.linalg.diagonal(x, { offset = 1 }) end, "bifc")
triple("eigh", function(A, x)
  local w, v = A.linalg.eigh(definite(A, x))
  return A.matmul(v * A.expand_dims(A.sqrt(w), 1):astype(v.dtype), A.conj(A.matrix_transpose(v)))
end)
triple("eigvalsh", function(A, x) return A.linalg.eigvalsh(definite(A, x)) end)
triple("inv", function(A, x) return A.linalg.inv(definite(A, x)) end)
call("linalg.matmul", "fc", { "t any", "q any" }, function(A, x, y) return A.linalg.matmul(x, y) end)
for _, ord in ipairs({ "fro", "nuc", 1, -1, 2, -2, math.huge, -math.huge }) do
  triple("matrix_norm", function(A, x) return A.linalg.matrix_norm(x, { ord = ord }) end)
end
triple("matrix_power", function(A, x) return A.linalg.matrix_power(x, 3) end)
triple("matrix_rank", function(A, x) return A.linalg.matrix_rank(x) end)
triple("matrix_transpose", function(A, x) return A.linalg.matrix_transpose(x) end)
call("linalg.outer", "ifc", { "v any", "v any" }, function(A, x, y) return A.linalg.outer(x, y) end)
triple("pinv", function(A, x) return A.linalg.pinv(x) end)
triple("qr", function(A, x)
  local q, r = A.linalg.qr(x)
  return A.matmul(q * 2, r)
end)
triple("slogdet", function(A, x)
  local _, log = A.linalg.slogdet(x)
  return log
end)
call("linalg.solve", "fc", { "t any", "q any" }, function(A, x, y) return A.linalg.solve(definite(A, x), y) end)
triple("svd", function(A, x)
  local u, s, v = A.linalg.svd(x, { full_matrices = false })
  return A.matmul(u * A.expand_dims(A.sqrt(s), 1):astype(u.dtype), v)
end)
triple("svdvals", function(A, x) return A.linalg.svdvals(x) end)
call("linalg.tensordot", "ifc", { "t any", "q any" }, function(A, x, y) return A.linalg.tensordot(x, y, 1) end)
triple("trace", function(A, x) return A.linalg.trace(x, { offset = 1 }) end, "ifc")
call("linalg.vecdot", "ifc", { "m any", "v any" }, function(A, x, y) return A.linalg.vecdot(x, y) end)
for _, ord in ipairs({ 1, 2, 3, 0, math.huge, -math.huge }) do
  call("linalg.vector_norm", "fc", { "c any" },
    function(A, x) return A.linalg.vector_norm(x, { axis = { 0, 2 }, ord = ord }) end,
    { flat = ord == 0 and "a count" or nil })
end

M.flat["linalg.matrix_rank"] = "a count"

-- ---- what is refused while the graph is built, as arrays refuse it -------------------------------------------------
local function V(shape, dtype) return function(A)
  if A == nd then return nd.ones(shape, dtype or "float64") end
  local pattern = {}
  for d = 1, #shape do pattern[d] = false end
  return theano.tensor.specify_shape(theano.tensor.TensorType(dtype or "float64", pattern)(), shape)
end end
local m34, m25, v3, c234 = V { 3, 4 }, V { 2, 5 }, V { 3 }, V { 2, 3, 4 }
M.refused = {}
local function bad(names, class, fn)
  for name in names:gmatch("%S+") do M.refused[#M.refused + 1] = { name, class, fn } end
end
for _, row in ipairs(ELEMENTWISE) do
  local dtypes, _, n = row[1]:match("(%a+) (%a+) (%d)")
  local dtype = dtypes:find("f") and "float64" or dtypes:find("i") and "int64" or dtypes:find("b") and "bool"
    or "complex128"
  if n == "2" then
    bad(row[2], "ValueError", function(A, f) return f(V({ 3, 4 }, dtype)(A), V({ 2, 5 }, dtype)(A)) end)
    local two = row[2]:gsub("add multiply", "") -- these take as many as there are
    bad(two, "TypeError", function(A, f) return f(V({ 3, 4 }, dtype)(A)) end)
  end
  bad(row[2], "TypeError", function(_, f) return f() end)
  if not dtypes:find("f") and dtypes ~= "b" and dtypes ~= "c" then
    bad(row[2], "TypeError", function(A, f) return f(m34(A), m34(A)) end)
  end
end
bad("max min sum prod mean std var all any argmax argmin cumulative_sum cumulative_prod sort argsort diff flip roll "
  .. "count_nonzero expand_dims unstack", "AxisError", function(A, f)
    if f == A.roll then return f(m34(A), 1, 5) end
    return f(m34(A), { axis = 5 })
  end)
bad("concat stack", "ValueError", function(A, f) return f({ m34(A), m25(A) }, 0) end)
bad("concat", "TypeError", function(A, f) return f(3.5) end)
bad("reshape", "ValueError", function(A, f) return f(m34(A), { 5, 5 }) end)
bad("broadcast_to", "ValueError", function(A, f) return f(m34(A), { 2, 5 }) end)
bad("broadcast_arrays", "ValueError", function(A, f) return f(m34(A), m25(A)) end)
bad("squeeze", "ValueError", function(A, f) return f(m34(A), 0) end)
bad("permute_dims", "ValueError", function(A, f) return f(m34(A), { 0, 0 }) end)
bad("moveaxis", "AxisError", function(A, f) return f(m34(A), 0, 7) end)
bad("matmul", "ValueError", function(A, f) return f(m34(A), m25(A)) end)
bad("tensordot", "ValueError", function(A, f) return f(m34(A), m25(A), 1) end)
bad("vecdot", "ValueError", function(A, f) return f(m34(A), m25(A)) end)
bad("matrix_transpose", "ValueError", function(A, f) return f(v3(A)) end)
bad("take_along_axis", "ValueError", function(A, f) return f(m34(A), { 0, 1 }, 0) end)
bad("take", "ValueError", function(A, f) return f(m34(A), { 0 }, 5) end)
bad("where", "ValueError", function(A, f) return f(V({ 3, 4 }, "bool")(A), m25(A), m34(A)) end)
bad("linalg.cholesky linalg.det linalg.inv linalg.slogdet linalg.eigh linalg.eigvalsh", "LinAlgError",
  function(A, f) return f(m34(A)) end)
bad("linalg.matrix_power", "LinAlgError", function(A, f) return f(m34(A), 2) end)
bad("linalg.solve", "LinAlgError", function(A, f) return f(m34(A), v3(A)) end)
bad("linalg.cross", "ValueError", function(A, f) return f(m34(A), m34(A)) end)
bad("linalg.matrix_norm", "ValueError", function(A, f) return f(m34(A), { ord = 7 }) end)
bad("linalg.vector_norm", "ValueError", function(A, f) return f(c234(A), { axis = 5 }) end)
bad("fft.fft fft.ifft fft.hfft fft.ihfft", "ValueError", function(A, f) return f(m34(A), { axis = 5 }) end)
return M
