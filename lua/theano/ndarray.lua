--- The strided N-d array: creation, views, eager arithmetic through the same definitions as the symbolic functions,
-- files, and NumPy's legacy random streams. Shapes are tables; axes and positions count from 0.
-- @module theano.ndarray
if not package.loaded["theano"] then require("theano") return require("theano.ndarray") end -- it loads us
local core = require("theano.core")
local util = require("theano.util")

local nd = {}
package.loaded["theano.ndarray"] = nd

nd.array, nd.asarray, nd.zeros = core.array, core.asarray, core.zeros
nd.frombuffer, nd.complex = core.frombuffer, core.complex
nd.array_equal, nd.shares_memory = core.array_equal, core.shares_memory

--- Array filled with ones.
function nd.ones(shape, dtype) return core.empty(shape, dtype):fill(1) end
function nd.zeros_like(a, dtype, shape)
  a = nd.asarray(a)
  return core.zeros(shape or a.shape, dtype or a.dtype)
end
function nd.ones_like(a, dtype, shape)
  a = nd.asarray(a)
  return nd.ones(shape or a.shape, dtype or a.dtype)
end

-- How many integers stand from start below stop (above it for a negative step): differences are unsigned.
local function steps(start, stop, step)
  if step < 0 then start, stop, step = stop, start, -step end
  if start >= stop then return 0 end
  if step < 0 then return 1 end -- the least integer has no opposite, and is longer than any way
  local way = stop - start - 1
  local q = way >= 0 and way // step or (way >> 1) // step << 1
  if way < 0 and not math.ult(way - q * step, step) then q = q + 1 end
  return q + 1
end

--- `arange(stop)`, `arange(start, stop, step, dtype)`: int64 when all are integers, else float64.
function nd.arange(start, stop, step, dtype)
  if stop == nil and step == nil and dtype == nil and math.type(start) == "integer" and start >= 0 then
    return core.ramp(start, 0, 1)
  end
  if stop == nil then start, stop = 0, start end
  step = step or 1
  util.expect("arange", "start", start, "number")
  util.expect("arange", "stop", stop, "number")
  util.expect("arange", "step", step, "number")
  if step == 0 then util.raise("ZeroDivisionError", "arange: the step is zero") end
  local n = math.max(0, math.ceil((stop - start) / step))
  local whole = math.type(start) == "integer" and math.type(stop) == "integer" and math.type(step) == "integer"
  if whole then -- no rounding, and no quotient of integers that a float cannot hold
    n = steps(start, stop, step)
    if n < 0 then util.raise("ValueError", "arange: more than 2^63 elements") end
  elseif n ~= n or n >= 2 ^ 53 then
    util.raise("ValueError", "arange: %s elements", util.text(n))
  end
  -- NumPy's step is the difference of the first two values
  local a = whole and core.ramp(n, start, step) or core.ramp(math.tointeger(n), start, start + step - start + 0.0)
  return dtype and dtype ~= a.dtype and a:astype(dtype) or a
end

-- ---- every function of the table, on values -------------------------------------------------------------------------
local methods = core.array_methods
--- The array on a device, "cpu", "cuda" or "cuda:1": itself where it lives there, else a copy. `a.device` says where.
methods.to_device = core.array_to_device
nd.special = {}
package.loaded["theano.ndarray.special"] = nd.special
for _, f in ipairs(core.functions()) do
  local name = f.name
  local special = name:match("^special%.(.*)$")
  if special then nd.special[special] = f.eager end
  if not name:find(".", 1, true) then
    if nd[name] == nil then nd[name] = f.eager end
    if f.method and methods[name] == nil then methods[name] = f.eager_method end
  end
end
nd["repeat"] = nd.repeat_

local close = nd.isclose
local function is_real(a) return a.dtype:find("f") ~= nil end
--- Where |a - b| <= atol + rtol |b|, in floats (NaN differs unless equal_nan), broadcasting; equal infinities are
-- close. rtol and atol may be arrays, which are broadcast too.
function nd.isclose(a, b, rtol, atol, equal_nan)
  a, b = nd.asarray(a), nd.asarray(b)
  local function bound(v)
    if v == nil or type(v) == "number" then return v end
    v = nd.asarray(v)
    return v.ndim == 0 and v:item() or v
  end
  rtol, atol = bound(rtol), bound(atol)
  local single = (rtol == nil or type(rtol) == "number") and (atol == nil or type(atol) == "number")
  if single and is_real(a) and is_real(b) then return close(a, b, rtol or 1e-5, atol or 1e-8, equal_nan or false) end
  if not b.dtype:find("[fc]") then b = b:astype("float64") end
  local number = single and a.ndim == 0 and b.ndim == 0
  if a.ndim == 0 then a = a:reshape({ 1 }) end -- results of no dimension would be Lua values
  if b.ndim == 0 then b = b:reshape({ 1 }) end
  local near = nd.le(nd.abs(a - b), nd.abs(b) * (rtol or 1e-5) + (atol or 1e-8))
  local same = nd.or_(nd.and_(near, nd.isfinite(b)), nd.eq(a, b))
  if equal_nan then same = nd.or_(same, nd.and_(nd.isnan(a), nd.isnan(b))) end
  return number and same[0] or not number and same
end
--- Whether isclose holds everywhere.
function nd.allclose(a, b, rtol, atol, equal_nan)
  local r = nd.isclose(a, b, rtol, atol, equal_nan)
  return type(r) == "boolean" and r or type(r) ~= "boolean" and nd.all(r)
end

--- Positions of what is not zero: a vector for each dimension.
function nd.nonzero(a) return core.nonzero(nd.asarray(a)) end
function nd.flatnonzero(a) return (core.nonzero(nd.asarray(a):reshape({ -1 }))) end
methods.nonzero = core.nonzero
nd.frombytes = core.frombuffer

function methods.flatten(a, ndim)
  local r = (ndim or 1) == 1 and a:reshape({ -1 }) or nd.flatten(a, ndim)
  return nd.shares_memory(r, a) and r:copy() or r
end
require("theano.ndviews")(nd, methods)
--- Iterates over the first axis: `for i, row in a:rows()`.
function methods.rows(a)
  local i = -1
  return function()
    i = i + 1
    if i < (a.shape[1] or 0) then return i, a[i] end
  end
end

--- What stands along the first axis as values: `local x, y = p:unpack()`; elements of a vector are numbers.
function methods.unpack(a)
  if a.ndim == 0 then util.raise("TypeError", "unpack: an array without dimensions has nothing to unpack") end
  if a.shape[1] > 100000 then
    util.raise("ValueError", "unpack: %d values are too many at once: a:rows() walks the first axis", a.shape[1])
  end
  return table.unpack(a.ndim == 1 and a:tolist() or nd.unstack(a))
end

require("theano.ndnumpy")(nd, require("theano.alike").arrays(nd))
core.metamethods(core.complex_meta, true) -- z * 2, a * z; nd.abs, nd.exp and the others take them too

-- ---- userdata -------------------------------------------------------------------------------------------------------
local meta = core.ndarray_meta
core.metamethods(meta, true)
local attribute, index, setindex = core.array_attribute, core.index, core.setindex

local function unknown(key)
  local names = { "shape", "strides", "dtype", "ndim", "size", "itemsize", "nbytes", "flags", "T", "mT" }
  for n in pairs(methods) do names[#names + 1] = n end
  table.sort(names)
  local why = require("theano.ported").attributes[key]
  local hint = why and (": NumPy has it: " .. why) or type(rawget(nd, key)) == "function"
    and (": it is the function theano.ndarray.%s"):format(key)
    or require("theano.modules").hint(key, names, "ndarray", "NumPy")
  util.raise("AttributeError", "an ndarray has no attribute '%s'%s", key, hint)
end

-- a.flags: what is known, and writeable = false.
local Flags = { __name = "flags" }
Flags.__index = function(f, key)
  local v = rawget(f, "values")[type(key) == "string" and key:lower() or key]
  if v == nil then
    util.raise("AttributeError", "flags are c_contiguous, f_contiguous, owndata, writeable, aligned; not '%s'",
      tostring(key))
  end
  return v
end
Flags.__newindex = function(f, key, value)
  local values = rawget(f, "values")
  if tostring(key):lower() ~= "writeable" then
    util.raise("AttributeError", "the flag '%s' cannot be set: only writeable = false can", tostring(key))
  elseif value and not values.writeable then
    util.raise("ValueError", "an array that is read-only stays so: a:copy() is writeable")
  elseif not value then
    rawget(f, "array"):protect()
    values.writeable = false
  end
end
Flags.__tostring = function(f)
  local lines = {}
  for i, key in ipairs({ "c_contiguous", "f_contiguous", "owndata", "writeable", "aligned" }) do
    lines[i] = ("  %s : %s"):format(key:upper(), f[key] and "True" or "False")
  end
  return table.concat(lines, "\n")
end

-- a.shape and a.strides: Lua sequences that print and compare as Python's tuples.
local Tuple = { __name = "tuple" }
Tuple.__tostring = function(t) return "(" .. table.concat(t, ", ") .. (#t == 1 and ",)" or ")") end
Tuple.__eq = function(a, b)
  if #a ~= #b then return false end
  for i = 1, #a do
    if a[i] ~= b[i] then return false end
  end
  return true
end
Tuple.__concat = function(a, b) return tostring(a) .. tostring(b) end
Tuple.__index = function(_, key)
  if math.type(key) == "integer" and key > 0 then return nil end -- behind the end, as ipairs wants it
  if type(key) == "string" and key:find("^__") then return nil end
  util.raise("IndexError", "the shape of an array is a Lua sequence, counted from 1: a.shape[1] is the first length, "
    .. "a.shape[#a.shape] the last; there is no a.shape[%s] (x.shape[0] is for Variables)", tostring(key))
end

local function flags_of(a, values)
  values.aligned = true
  return setmetatable({ array = a, values = values }, Flags)
end

-- A name that is a subscript.
local AXIS = { None = true, newaxis = true }
local function get(a, key)
  if type(key) == "string" and key:find("^[%a_][%w_]*$") and not AXIS[key] then
    local m = methods[key]
    if m then return m end
    if key == "T" then return methods.transpose(a) end
    if key == "mT" then return nd.matrix_transpose(a) end
    local v = attribute(a, key)
    if v == nil then
      if key == "real" or key == "imag" then return nd[key](a) end
      unknown(key)
    end
    if type(v) == "table" then return key == "flags" and flags_of(a, v) or setmetatable(v, Tuple) end
    return v
  end
  return index(a, key)
end
local function set(a, key, value)
  if type(key) == "string" and key:find("^[%a_][%w_]*$") and not AXIS[key] then
    local hint = key == "shape" and ": a:reshape(shape) gives a view" or key == "dtype" and ": a:astype(dtype)" or ""
    util.raise("AttributeError", "the attribute '%s' of an ndarray cannot be set%s", key, hint)
  end
  setindex(a, key, value)
end
meta.__index, meta.__newindex = core.quick_index(methods, get, Tuple, set)
-- What Lua makes of a < b is a boolean, so there is no operator for it.
local function no_comparison()
  util.raise("TypeError", "Lua makes a boolean of every comparison, so arrays have no operator: use nd.lt(a, b), "
    .. "nd.le, nd.gt or nd.ge")
end
meta.__lt, meta.__le = no_comparison, no_comparison
meta.__concat = util.concat
--- `for i, row in pairs(a)`: the first axis, counted from 0.
meta.__pairs = function(a) return methods.rows(a) end
meta.__len = function(a)
  if a.ndim == 0 then util.raise("TypeError", "a 0-d array has no length") end
  return a.shape[1]
end
meta.__eq = nil

-- ---- printing -------------------------------------------------------------------------------------------------------
nd.get_printoptions = core.get_printoptions
local PRINT = util.set({ "precision", "threshold", "edgeitems", "linewidth", "suppress", "floatmode", "sign", "nanstr",
  "infstr" })

--- How arrays print from now on: `{precision = 8, threshold = 1000, edgeitems = 3, linewidth = 75, suppress = false,
-- floatmode = "maxprec", sign = "-", nanstr = "nan", infstr = "inf"}`. `math.huge` stands for no limit; floatmode is
-- also "fixed" (so many digits behind the point), "maxprec_equal" (as many for all) or "unique" (without a limit), sign
-- "+" or " ".
function nd.set_printoptions(options)
  util.check_keywords("set_printoptions", options, PRINT)
  core.set_printoptions(options)
end

--- The same until the end of the block: `local _ <close> = nd.printoptions { precision = 3 }`.
function nd.printoptions(options)
  local before = core.get_printoptions()
  nd.set_printoptions(options)
  return setmetatable({}, { __close = function() core.set_printoptions(before) end })
end

--- What is known of a function of arrays, as `theano.help("nd.NAME")` says; of what is not wanted, why.
-- @tparam string name "sum", "linalg.svd"
-- @treturn string
function nd.help(name)
  util.expect("help", "the name", name, "string")
  return require("theano.help").text(name:find("^nd%.") and name or "nd." .. name)
end

--- The methods of NumPy's elementwise functions: `np.add.at(a, i, v)` is `nd.ufunc(nd.add).at(a, i, v)`; so `reduce(a,
-- axis, dtype, keepdims, initial, where)`, `accumulate(a, axis, dtype)`, `reduceat(a, indices, axis, dtype)`, `outer(a,
-- b)`. Along the first axis, unless another is said (`nd.none`: all).
-- @param fn a function of one or two arrays, of nd or your own, or the name of one of nd's
function nd.ufunc(fn) return require("theano.ndufunc").of(nd, fn) end

-- ---- files and random streams -----------------------------------------------------------------------------------
for name, f in pairs(require("theano.ndfiles")) do nd[name] = f end
nd.sparse = require("theano.ndsparse")(nd)
package.loaded["theano.ndarray.sparse"] = nd.sparse

-- What is loaded when it is first asked for.
local LATER = { random = true, fft = true, linalg = true, optimize = true, integrate = true, interpolate = true,
  signal = true, polynomial = true }
return require("theano.modules").later(nd, LATER, function(name)
  local module = require("theano.nd" .. name)
  if name ~= "random" then module = module(nd) end
  rawset(nd, name, module)
  package.loaded["theano.ndarray." .. name] = module
  require("theano.modules").seal_arrays_module(module, name)
end)
