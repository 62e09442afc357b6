--- What arrays are to the functions of theano.alike: their kit.
-- @module theano.alikearrays
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

local nd -- set by theano.alike
local arrays = { as = core.asarray, result = help.result, floats = help.floats, plain = true }

function arrays.order(a, pattern)
  local kept, form, moved = {}, {}, false
  for i, d in ipairs(pattern) do
    form[i] = d == "x" and 1 or a.shape[d + 1]
    if d ~= "x" then
      moved = moved or d ~= #kept
      kept[#kept + 1] = d
    end
  end
  if moved then a = a:transpose(kept) end
  return a:reshape(form)
end
-- Whether a vector of n falls: a boolean, or of Variables one that is known in the call.
function arrays.falls(a, n) return n > 1 and nd.all(nd.gt(a["0:1"], a["-1:"])) end
-- A vector without the zeros in front.
function arrays.trimmed(a)
  local first = core.nonzero(a)
  return first.size > 0 and a[("%d:"):format(first[0])] or a["-1:"]
end
function arrays.first(a) return a:reshape({}) end
function arrays.whole(i) return math.tointeger(i) end
function arrays.filled(shape, value, dtype)
  return core.empty(shape, dtype or core.asarray(value).dtype):fill(value)
end
function arrays.filled_like(a, value, dtype) return arrays.filled(a.shape, value, dtype) end
arrays.unfilled = core.empty
function arrays.double(v) return v + 0.0 end
-- As that dtype, itself where it is; not to be written to.
function arrays.to(a, dtype) return a.dtype == dtype and a or a:astype(dtype) end
function arrays.number(v, dtype) return core.asarray(v, dtype) end
function arrays.checked(a, fine, message, kind)
  if not fine then util.raise(kind or "ValueError", "%s", message) end
  return a
end
arrays.fine = arrays.checked
function arrays.written(a, at, v)
  a = a:copy()
  a[at] = v
  return a
end
function arrays.longer(a) return a end
function arrays.spread(a, shape)
  local out = core.empty(shape, a.dtype)
  out:assign(a)
  return out
end
function arrays.broadcast(a, shape) return core.broadcast_view(a, shape) or arrays.spread(a, shape) end
function arrays.chosen(out, where, x, fn)
  out[where] = fn(x[where])
  return out
end
function arrays.same_form(a, b, fn)
  return table.concat(a.shape, ",") == table.concat(b.shape, ",") and fn(a:reshape({ -1 }), b:reshape({ -1 }))
end
arrays.count = help.count
function arrays.ends(what, start, stop)
  local function of(v, name)
    if type(v) == "number" then return v + 0.0 end
    if type(v) == "table" or util.is_array(v) or core.kind(v) == "complex" then return core.asarray(v) end
    return util.raise("TypeError", "%s: %s should be a number or an array, not %s", what, name, util.kind_of(v))
  end
  start, stop = of(start, "start"), of(stop, "stop")
  if type(start) == "number" and type(stop) == "number" then return start, stop end
  local dtype = nd.result_type(start, stop) -- a number has no say beside floats
  if not dtype:find("[fc]") then dtype = "float64" end
  return core.asarray(start):astype(dtype), core.asarray(stop):astype(dtype)
end
function arrays.ended(y, _, num, stop)
  if num > 1 then y[num - 1] = stop end
  return y
end
-- What clip's bounds are to arrays, as NumPy has it: integers beyond the dtype bound nothing, NaN is in the result.
local LEAST = { uint8 = 0, uint16 = 0, uint32 = 0, uint64 = 0, int8 = -128, int16 = -32768, int32 = -2147483648 }
local MOST = { uint8 = 255, uint16 = 65535, uint32 = 4294967295, int8 = 127, int16 = 32767, int32 = 2147483647 }
function arrays.within(x, min, max)
  x = core.asarray(x)
  local least, most = LEAST[x.dtype], MOST[x.dtype]
  if least and math.type(min) == "integer" and min < least then min = least end
  if most and math.type(max) == "integer" and max > most then max = most end
  if min ~= min or max ~= max then x, min, max = x * (-(0 / 0)), nil, math.huge end
  return x, min, max
end
function arrays.ramp(n, from, step) return core.ramp(n, from + 0.0, step + 0.0) end
function arrays.remainder(r, from) -- of a division: without what is nothing but rounding in front
  r = r[("%d:"):format(math.min(from, math.max(r.size - 1, 0)))]
  while r.size > 1 and nd.abs(r[0]) <= 1e-8 do r = r["1:"] end
  return r
end
-- Without the zeros in front, nil where there is nothing else, and a zero for each of those behind, which are left out.
function arrays.stripped(p)
  local at = core.nonzero(p)
  if at.size == 0 then return nil end
  local last = at[at.size - 1]
  return p[("%d:%d"):format(at[0], last + 1)], core.zeros(p.size - 1 - last)
end
function arrays.complex(re, im)
  local z = core.empty({ re.size }, "complex128")
  nd.real(z):assign(re:reshape({ -1 }))
  nd.imag(z):assign(im:reshape({ -1 }))
  return z:reshape(re.shape)
end
function arrays.len(a, d) return a.shape[d + 1] end
function arrays.one(a, d) return a.shape[d + 1] == 1 end
arrays.known = arrays.len
function arrays.part(a, d, from, to) return a[(":,"):rep(d) .. ("%s:%s"):format(from, to or "")] end

-- ---- by other functions of the module -------------------------------------------------------------------------------
-- All sums of products of two vectors, one moved over the other: of long ones in parts that the short way takes.
local MANY = 1 << 27
function arrays.convolved(a, v)
  if v.size > a.size then a, v = v, a end
  local dtype = (a["0:1"] * v["0:1"]).dtype
  if dtype:find("float16") then return arrays.convolved(a:astype("float32"), v:astype("float32")):astype(dtype) end
  local n, m = a.size, v.size
  local each = math.max(1, n * m > 2 * MANY and MANY // n or 1)
  local out = core.zeros({ n + m - 1 }, dtype)
  for i = 0, m - 1, each do
    local k = math.min(each, m - i)
    local part, some = out[("%d:%d"):format(i, i + n + k - 1)], v[("%d:%d"):format(i, i + k)]
    part:assign(part + (k == 1 and a * some or nd.convolve(a, some)))
  end
  return out
end
function arrays.mapped(what, fn, rows)
  if rows.shape[1] == 0 then util.raise("ValueError", "%s: the array has no elements", what) end
  local out = {}
  for i = 1, rows.shape[1] do out[i] = core.asarray(fn(rows[i - 1])) end
  return nd.stack(out)
end
function arrays.eigenvalues(what, A)
  if A.shape[1] ~= A.shape[2] then util.raise("ValueError", "%s: a square matrix is expected", what) end
  return nd.linalg.eigvals(A)
end
-- The step, where all are equal.
function arrays.uniform(steps) return steps.size > 0 and nd.all(nd.eq(steps, steps[0])) and steps[0] end
local function whole(z) return z.dtype:find("^complex") and nd.all(nd.eq(nd.imag(z), 0)) end
-- Eigenvalues of what was real: real, where all of them are.
function arrays.real_where_all(z, from)
  return not from.dtype:find("^complex") and whole(z) and nd.real(z) or z
end
-- Coefficients of a polynomial whose zeros come in conjugate pairs are real.
function arrays.paired(p, zeros)
  if not zeros.dtype:find("^complex") then return p end
  local function sorted(z) return nd.sort_complex(z) end
  return nd.array_equal(sorted(zeros), sorted(nd.conj(zeros))) and nd.real(p) or p
end
function arrays.lstsq(A, y, rcond) return nd.linalg.lstsq(A, y, { rcond = rcond }) end
function arrays.nearest(A, y) return (arrays.lstsq(A, y, A.shape[1] * 2.0 ^ -52)) end
function arrays.inverse(A) return nd.linalg.inv(A) end
-- A number as NumPy has it that computes with one of float32.
local function rounded(x, v) return x.dtype == "float32" and string.unpack("f", string.pack("f", v)) or v end
-- How many bins of equal width a rule of that name gives; what the rule knows: the elements in the range.
local WIDTHS = {
  sqrt = function(x) return nd.ptp(x) / math.sqrt(x.size) end,
  sturges = function(x) return nd.ptp(x) / (math.log(x.size, 2) + 1) end,
  rice = function(x) return rounded(x, nd.ptp(x) / rounded(x, 2 * x.size ^ (1 / 3))) end,
  scott = function(x) return rounded(x, rounded(x, (24 * math.sqrt(math.pi) / x.size) ^ (1 / 3)) * nd.std(x)) end,
  fd = function(x)
    local q = nd.percentile(x, { 75, 25 })
    return 2 * (q[0] - q[1]) * x.size ^ (-1 / 3)
  end,
  doane = function(x)
    local n, sigma = x.size, nd.std(x)
    if n <= 2 or sigma == 0 then return 0 end
    local skew = nd.abs(nd.mean(nd.power((x - nd.mean(x)) / sigma, 3)))
    local spread = math.sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))
    return nd.ptp(x) / (1 + math.log(n, 2) + math.log(1 + skew / spread, 2))
  end,
  stone = function(x, range) -- the number of bins whose histogram, left one element out, is the nearest
    local n, far, best, least = x.size, nd.ptp(x), 1, math.huge
    if n <= 1 or far == 0 then return 0 end
    for bins = 1, math.max(100, math.floor(math.sqrt(n))) do
      local p = nd.histogram(x, { bins = bins, range = range }) / n
      local off = (2 - (n + 1) * nd.dot(p, p)) / rounded(x, far / bins)
      if off < least then best, least = bins, off end
    end
    return rounded(x, far / best)
  end,
}
function WIDTHS.auto(x)
  return math.min(math.max(WIDTHS.fd(x), WIDTHS.sqrt(x) / 2), WIDTHS.sturges(x))
end
function arrays.bins(what, x, name, range, discrete)
  local width = WIDTHS[name] or util.raise("ValueError", "%s: bins is a number, edges, or 'auto', 'fd', 'doane', "
    .. "'scott', 'stone', 'rice', 'sturges' or 'sqrt', not '%s'", what, name)
  local lo, hi
  if range then
    local alone = range[1] == range[2] and 0.5 or 0
    lo, hi = range[1] - alone, range[2] + alone
    x = x[nd.and_(nd.ge(x, lo), nd.le(x, hi))]
  end
  if x.size == 0 then return 1 end
  local w = width(x, range)
  if w <= 0 or w ~= w then return 1 end
  w = discrete and math.max(w, 1) or w
  local n = math.ceil(lo and (hi - lo) / w or w == rounded(x, w) and rounded(x, nd.ptp(x) / w) or nd.ptp(x) / w)
  if n >= 2 ^ 31 or n ~= n then util.raise("ValueError", "%s: '%s' gives %s bins", what, name, util.text(n)) end
  return math.max(math.tointeger(n), 1)
end

--- The kit, for a module.
return function(module)
  nd = module
  return arrays
end
