--- Functions of NumPy and of the array API standard that are compositions of others: one text for Variables and for
-- arrays. Each file of them gets a module M (`T` or `nd`) and a kit K, what differs between the two:
-- `K.as(x)` a Variable or an array; `K.order(x, pattern)` dimshuffle, of arrays a view; `K.len(x, d)` a length;
-- `K.one(x, d)` whether it is 1 for broadcasting; `K.known(x, d)` the length as a number, or nil; `K.part(x, d, from,
-- to)` elements along an axis; `K.first(x)` the only element of a vector, without dimensions; `K.whole(i)` a place, for
-- subscripts; `K.number(v, dtype)` a number of a dtype; `K.floats(x)` integers as floats; `K.checked(x, fine, message)`
-- x, or an error when it is computed; `K.result(x)` what a user gets, of arrays without dimensions a Lua value;
-- `K.convolved(a, v)` the convolution of two vectors; `K.falls(x, n)` whether a vector of n does; `K.trimmed(x)` it
-- without zeros in front where that can be known; `K.double(v)` a number that stays float64.
-- @module theano.alike
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

local M = {}

local FILES = { "theano.alikedtypes", "theano.alikeshapes", "theano.alikeproducts", "theano.alikestatistics",
  "theano.alikeseries", "theano.alikepieces", "theano.alikespecial" }

local arrays = { as = core.asarray, result = help.result, floats = help.floats }

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
function arrays.falls(a, n) return n > 1 and a[0] > a[n - 1] end
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
function arrays.number(v, dtype) return core.asarray(v, dtype) end
function arrays.checked(a, fine, message)
  if not fine then util.raise("ValueError", "%s", message) end
  return a
end
function arrays.len(a, d) return a.shape[d + 1] end
function arrays.one(a, d) return a.shape[d + 1] == 1 end
arrays.known = arrays.len
function arrays.part(a, d, from, to) return a[(":,"):rep(d) .. ("%s:%s"):format(from, to or "")] end

local function variables(T)
  local K = { as = T.as_tensor_variable }
  function K.result(x) return x end
  -- Lengths as a sequence: a number, a list, or a vector of known length.
  local function lengths(what, shape)
    if type(shape) == "table" and getmetatable(shape) == nil then return util.list(what .. ": the shape", shape) end
    if not util.is_var(shape) or shape.ndim == 0 then return { shape } end
    local list = {}
    for i = 1, T.get_vector_length(shape) do list[i] = shape[i - 1] end
    return list
  end
  function K.filled(shape, value, dtype)
    return T.alloc(T.asarray(value, dtype), table.unpack(lengths("full", shape)))
  end
  function K.filled_like(x, value, dtype) return T.second(x, T.asarray(value, dtype)) end
  function K.unfilled(shape, dtype) return T.zeros(shape, dtype) end
  function K.floats(x)
    if x.dtype:find("^[fc]") then return x end
    return T.cast(x, T.exp(x).dtype) -- as functions of floats do
  end
  function K.order(x, pattern) return x:dimshuffle(pattern) end
  function K.falls(x) return T.gt(x[0], x[-1]) end
  function K.trimmed(x) return x end
  function K.first(x) return x[0] end
  function K.whole(i)
    if type(i) == "number" then return math.tointeger(i) end
    return i.dtype:find("int") and i or T.cast(i, "int64")
  end
  function K.double(v) return T.constant(v + 0.0, { dtype = "float64" }) end
  function K.number(v, dtype) return T.constant(v, { dtype = dtype }) end
  function K.checked(x, fine, message) return T.opt.assert_op(x, fine, { msg = message }) end
  function K.one(x, d) return x.broadcastable[d + 1] end
  function K.len(x, d) return K.one(x, d) and 1 or x.shape[d] end
  function K.known(x, d)
    if K.one(x, d) then return 1 end
    local fine, n = pcall(T.get_scalar_constant_value, x.shape[d])
    return fine and n or nil
  end
  -- All sums of products of two vectors: a convolution of images of one row. Integers go through float64.
  function K.convolved(a, v)
    local dtype = T.mul(a, v).dtype
    local function one(x, y)
      return T.nnet.conv2d(x:dimshuffle("x", "x", "x", 0), y:dimshuffle("x", "x", "x", 0),
        { border_mode = "full" })["0, 0, 0"]
    end
    if dtype:find("^f") then return one(T.cast(a, dtype), T.cast(v, dtype)) end
    if not dtype:find("^c") then return T.cast(one(T.cast(a, "float64"), T.cast(v, "float64")), dtype) end
    local part = dtype == "complex64" and "float32" or "float64"
    local ar, ai, vr, vi = T.cast(T.real(a), part), T.cast(T.imag(a), part), T.cast(T.real(v), part), T.cast(T.imag(v),
      part)
    return T.complex(one(ar, vr) - one(ai, vi), one(ar, vi) + one(ai, vr))
  end
  function K.part(x, d, from, to)
    local index = {}
    for i = 1, d do index[i] = T.slice() end
    index[d + 1] = T.slice(from, to)
    return x[index]
  end
  return K
end

--- Puts the functions into the module of arrays.
function M.arrays(nd)
  -- All sums of products of two vectors, one moved over the other.
  function arrays.convolved(a, v)
    if v.size > a.size then a, v = v, a end
    local n, m = a.size, v.size
    local out = core.zeros({ n + m - 1 }, (a["0:1"] * v["0:1"]).dtype)
    for i = 0, m - 1 do
      local part = out[("%d:%d"):format(i, i + n)]
      part:assign(part + a * v[("%d:%d"):format(i, i + 1)])
    end
    return out
  end
  for _, file in ipairs(FILES) do require(file)(nd, arrays) end
  return arrays
end

--- Puts the functions into the module of Variables, and what only they need.
function M.variables(T)
  local K = variables(T)
  for _, file in ipairs(FILES) do require(file)(T, K) end

  T.e, T.pi, T.inf, T.nan = math.exp(1), math.pi, math.huge, -(0 / 0)
  T["repeat"], T.permute_dims, T.concat, T.around = T.repeat_, T.transpose, T.concatenate, T.round

  --- Anything as a Variable, of that dtype: `as_tensor_variable`, then `cast`.
  function T.asarray(x, dtype)
    x = K.as(x)
    return dtype and T.cast(x, dtype) or x
  end
end

return M
