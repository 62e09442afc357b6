--- What Variables are to the functions of theano.alike: their kit.
-- @module theano.alikevariables
local help = require("theano.ndhelp")
local util = require("theano.util")

local T -- set by theano.alike
local K = {}
function K.result(x) return x end
-- Lengths as a sequence: a number, a list, or a vector of known length.
local function lengths(what, shape)
  if type(shape) == "table" and getmetatable(shape) == nil then return util.list(what .. ": the shape", shape) end
  if not util.is_var(shape) or shape.ndim == 0 then return { shape } end
  local list = {}
  for i = 1, T.get_vector_length(shape) do list[i] = shape[i - 1] end
  return list
end
-- What fills: a boolean too, which is no operand elsewhere.
local function filling(value, dtype)
  return T.asarray(type(value) == "boolean" and T.constant(value) or value, dtype)
end
function K.filled(shape, value, dtype)
  return T.alloc(filling(value, dtype), table.unpack(lengths("full", shape)))
end
function K.filled_like(x, value, dtype) return T.second(x, filling(value, dtype)) end
function K.unfilled(shape, dtype) return T.zeros(shape, dtype) end
function K.floats(x)
  if x.dtype:find("[fc]") then return x end
  return T.cast(x, T.exp(x).dtype) -- as functions of floats do
end
function K.order(x, pattern) return x:dimshuffle(pattern) end
function K.falls(x) return T.any(T.gt(x[":1"], x["-1:"])) end -- also of none
function K.trimmed(x) return x end
function K.first(x) return x[0] end
function K.whole(i)
  if type(i) == "number" then return math.tointeger(i) end
  return i.dtype:find("int") and i or T.cast(i, "int64")
end
function K.double(v) return T.constant(v + 0.0, { dtype = "float64" }) end
function K.to(x, dtype) return T.cast(x, dtype) end
function K.number(v, dtype) return T.constant(v, { dtype = dtype }) end
function K.checked(x, fine, message, kind)
  return T.opt.assert_op(x, fine, { msg = message, kind = kind or "ValueError" })
end
function K.fine(n, fine, message, kind)
  if fine == false then util.raise(kind or "ValueError", "%s", message) end
  return fine == true and n or K.checked(K.as(n), fine, message, kind)
end
function K.written(x, at, v) return T.set_subtensor(x[at], v) end
function K.spread(x, shape) return T.alloc(x, table.unpack(shape)) end
K.broadcast = K.spread
function K.chosen(out, where, x, fn) return T.switch(where, T.cast(K.as(fn(x)), out.dtype), out) end
-- With an element more, where there may be none.
function K.longer(x, v, of)
  local n = K.known(of or x, 0)
  return n and n > 0 and x or T.concatenate({ x, T.cast(K.as(v), x.dtype):dimshuffle("x") }, 0)
end
function K.mapped(_, fn, rows) return T.vmap(fn)(rows) end
function K.same_form(a, b, fn)
  if a.ndim ~= b.ndim then return T.constant(false) end
  if a.ndim == 0 then return fn(a, b) end
  return require("theano.ifelse").ifelse(T.all(T.eq(a.shape, b.shape)), fn(a, b), T.constant(false))
end
function K.count(what, n)
  if not util.is_var(n) then return help.count(what, n) end
  if n.ndim ~= 0 or not n.dtype:find("int") then
    util.raise("TypeError", "%s: num is an integer scalar, not %s", what, tostring(n.type))
  end
  return T.cast(n, "int64")
end
function K.ends(_, start, stop) -- both of one dtype of floats
  local numbers = type(start) == "number" and type(stop) == "number"
  start, stop = K.as(start), K.as(stop)
  local dtype = not numbers and T.promote_types(start.dtype, stop.dtype)
  if numbers or not dtype:find("[fc]") then dtype = require("theano.config").floatX end
  return T.cast(start, dtype), T.cast(stop, dtype)
end
function K.ended(y, at, num, stop)
  if num == 0 or num == 1 then return y end
  local last = T.eq(at, num - 1)
  return T.switch(type(num) == "number" and last or T.and_(last, T.gt(num, 1)), stop, y)
end
function K.uniform() return false end
function K.remainder(r, from)
  local n = K.known(r, 0)
  return n and r[T.slice(math.min(from, math.max(n - 1, 0)), nil)] or r[T.slice(from, nil)]
end
function K.stripped(p) return p end
function K.eigenvalues(_, A) return T.nlinalg.eigvals(T.cast(A, "complex128")) end
function K.real_where_all(x) return x end
K.paired = K.real_where_all
function K.lstsq(A, y, rcond) return T.nlinalg.lstsq(A, y, rcond) end
function K.inverse(A) return T.nlinalg.matrix_inverse(A) end
function K.nearest(A, y) -- what A times it is nearest to y
  local q, r = T.nlinalg.qr(A)
  return T.slinalg.solve_upper_triangular(r, T.dot(T.conj(q.T), y))
end
function K.bins(what)
  return util.raise("TypeError", "%s: a number of bins, or their edges, is expected: in graphs no number follows from "
    .. "the elements", what)
end
function K.one(x, d) return x.broadcastable[d + 1] end
function K.complex(re, im) return T.complex(re, im) end
function K.len(x, d) return K.one(x, d) and 1 or x.shape[d] end
function K.known(x, d)
  if K.one(x, d) then return 1 end
  local fine, n = pcall(T.get_scalar_constant_value, x.shape[d])
  return fine and n or nil
end
-- All sums of products of two vectors: a convolution of images of one row. Integers go through float64.
function K.convolved(a, v)
  local dtype = T.mul(a[0], v[0]).dtype
  local function one(x, y)
    return T.nnet.conv2d(x:dimshuffle("x", "x", "x", 0), y:dimshuffle("x", "x", "x", 0),
      { border_mode = "full" })["0, 0, 0"]
  end
  if dtype:find("f") then return one(T.cast(a, dtype), T.cast(v, dtype)) end
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

--- The kit, for a module.
return function(module)
  T = module
  K.as = T.as_tensor_variable
  return K
end
