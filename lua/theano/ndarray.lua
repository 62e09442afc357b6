--- The strided N-d array: creation, views, eager arithmetic through the same definitions as the symbolic functions,
-- files, and NumPy's legacy random streams. Shapes are tables; axes and positions count from 0.
-- @module theano.ndarray
if not package.loaded["theano"] then require("theano") return package.loaded["theano.ndarray"] end -- it loads us
local core = require("theano.core")
local util = require("theano.util")

local nd = {}
package.loaded["theano.ndarray"] = nd

nd.array, nd.asarray, nd.zeros, nd.empty = core.array, core.asarray, core.zeros, core.empty
nd.frombuffer, nd.complex = core.frombuffer, core.complex
nd.array_equal, nd.shares_memory = core.array_equal, core.shares_memory

--- Array filled with ones, or with a value.
function nd.ones(shape, dtype) return core.empty(shape, dtype):fill(1) end
function nd.full(shape, value, dtype)
  if not dtype then dtype = nd.asarray(value).dtype end
  return core.empty(shape, dtype):fill(value)
end
function nd.zeros_like(a, dtype)
  a = nd.asarray(a)
  return core.zeros(a.shape, dtype or a.dtype)
end
function nd.ones_like(a, dtype)
  a = nd.asarray(a)
  return nd.ones(a.shape, dtype or a.dtype)
end
function nd.full_like(a, value, dtype)
  a = nd.asarray(a)
  return nd.full(a.shape, value, dtype or a.dtype)
end

--- `arange(stop)`, `arange(start, stop, step, dtype)`: int64 when all are integers, else float64.
function nd.arange(start, stop, step, dtype)
  if stop == nil then start, stop = 0, start end
  step = step or 1
  util.expect("arange", "start", start, "number")
  util.expect("arange", "stop", stop, "number")
  util.expect("arange", "step", step, "number")
  if step == 0 then util.raise("ZeroDivisionError", "arange: the step is zero") end
  local n = math.max(0, math.ceil((stop - start) / step))
  local whole = math.type(start) == "integer" and math.type(stop) == "integer" and math.type(step) == "integer"
  local list = {}
  for i = 1, n do list[i] = start + (i - 1) * step end
  if n == 0 then return core.zeros({ 0 }, dtype or (whole and "int64" or "float64")) end
  return core.array(list, dtype or (whole and "int64" or "float64"))
end

--- `n` evenly spaced values from start to stop, both included.
function nd.linspace(start, stop, n)
  n = n or 50
  util.expect("linspace", "start", start, "number")
  util.expect("linspace", "stop", stop, "number")
  util.expect("linspace", "num", n, "number")
  local list, step = {}, n > 1 and (stop - start) / (n - 1) or 0.0
  for i = 1, n do list[i] = start + (i - 1) * step + 0.0 end
  if n > 1 then list[n] = stop + 0.0 end
  return n > 0 and core.array(list, "float64") or core.zeros({ 0 })
end

--- Identity-like matrix with ones on diagonal k.
function nd.eye(n, m, k, dtype)
  m, k = m or n, k or 0
  util.expect("eye", "n", n, "number")
  local a = core.zeros({ n, m }, dtype)
  for i = math.max(0, -k), math.min(n, m - k) - 1 do a[{ i, i + k }] = 1 end
  return a
end

-- ---- every function of the table, on values -------------------------------------------------------------------------
local methods = core.array_methods
for _, f in ipairs(core.functions()) do
  local name = f.name
  if not name:find(".", 1, true) then
    if nd[name] == nil then nd[name] = f.eager end
    if f.method and methods[name] == nil then methods[name] = f.eager end
  end
end
nd.repeat_ = nd.repeat_ or nd["repeat"]

--- True where |a - b| <= atol + rtol |b| everywhere (NaN differs unless equal_nan).
function nd.allclose(a, b, rtol, atol, equal_nan)
  a, b = nd.asarray(a), nd.asarray(b)
  rtol, atol = rtol or 1e-5, atol or 1e-8
  local full = core.empty(a.ndim >= b.ndim and a.shape or b.shape, "float64")
  local x, y = full:copy():fill(a):reshape({ -1 }), full:copy():fill(b):reshape({ -1 })
  for i = 0, x.size - 1 do
    local u, v = x[i], y[i]
    local same = u == v or (equal_nan and u ~= u and v ~= v)
    if not same and not (math.abs(u - v) <= atol + rtol * math.abs(v) and math.abs(v) < math.huge) then return false end
  end
  return true
end

function methods.ravel(a) return a:reshape({ -1 }) end
methods.flatten = methods.ravel
function methods.squeeze(a)
  local shape = {}
  for _, n in ipairs(a.shape) do if n ~= 1 then shape[#shape + 1] = n end end
  return a:reshape(shape)
end
function methods.swapaxes(a, i, j)
  local perm = {}
  for d = 1, a.ndim do perm[d] = d - 1 end
  for _, axis in ipairs({ i, j }) do
    if axis < -a.ndim or axis >= a.ndim then
      util.raise("ValueError", "swapaxes: axis %d is out of range for an array with %d dimensions", axis, a.ndim)
    end
  end
  i, j = i % a.ndim + 1, j % a.ndim + 1
  perm[i], perm[j] = perm[j], perm[i]
  return a:transpose(perm)
end
--- Iterates over the first axis: `for i, row in a:rows()`.
function methods.rows(a)
  local i = -1
  return function()
    i = i + 1
    if i < (a.shape[1] or 0) then return i, a[i] end
  end
end

-- ---- userdata -------------------------------------------------------------------------------------------------------
local meta = core.ndarray_meta
core.metamethods(meta, true)
local attribute, index, setindex = core.array_attribute, core.index, core.setindex

local function unknown(key)
  local names = { "shape", "strides", "dtype", "ndim", "size", "itemsize", "nbytes", "flags", "T" }
  for n in pairs(methods) do names[#names + 1] = n end
  table.sort(names)
  local near = util.nearest(key, names)
  local hint = near and (": did you mean '" .. near .. "'?") or ""
  util.raise("AttributeError", "an ndarray has no attribute '%s'%s", key, hint)
end

meta.__index = function(a, key)
  if type(key) == "string" and key:find("^[%a_][%w_]*$") then
    local m = methods[key]
    if m then return m end
    if key == "T" then return methods.transpose(a) end
    local v = attribute(a, key)
    if v == nil then unknown(key) end
    return v
  end
  return index(a, key)
end
meta.__newindex = setindex
meta.__len = function(a)
  if a.ndim == 0 then util.raise("TypeError", "a 0-d array has no length") end
  return a.shape[1]
end
meta.__eq = nil

-- ---- files ----------------------------------------------------------------------------------------------------------
--- Writes an array as .npy, or a table of named arrays as .npz (names sorted; or a list of {name, array}).
function nd.save(path, value)
  if util.is_array(value) then return core.save_npy(path, value) end
  if type(value) ~= "table" then util.raise("TypeError", "save: an ndarray or a table of them, got %s", type(value)) end
  local names, arrays = {}, {}
  if #value > 0 then
    for i, p in ipairs(value) do names[i], arrays[i] = p[1], p[2] end
  else
    for name in pairs(value) do names[#names + 1] = name end
    table.sort(names)
    for i, name in ipairs(names) do arrays[i] = value[name] end
  end
  return core.save_npz(path, names, arrays)
end

--- Reads .npy (an ndarray), .npz (a table by name and the list of names), IDX files with or without gzip.
function nd.load(path)
  util.expect("load", "the path", path, "string")
  if path:find("%.npz$") then return core.load_npz(path) end
  if path:find("idx%d") or path:find("%.idx$") or path:find("ubyte") then return core.load_idx(path) end
  return core.load_npy(path)
end
nd.load_npy, nd.save_npy, nd.load_npz, nd.load_idx = core.load_npy, core.save_npy, core.load_npz, core.load_idx

nd.random = require("theano.ndrandom")
package.loaded["theano.ndarray.random"] = nd.random

return nd
