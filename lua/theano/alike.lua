--- Functions of NumPy and of the array API standard that are compositions of others: one text for Variables and for
-- arrays. Each file of them gets a module M (`T` or `nd`) and a kit K, what differs between the two
-- (theano.alikearrays, theano.alikevariables): `K.as(x)` a Variable or an array; `K.order(x, pattern)` dimshuffle, of
-- arrays a view; `K.len(x, d)` a length; `K.one(x, d)` whether it is 1 for broadcasting; `K.known(x, d)` the length as
-- a number, or nil; `K.part(x, d, from, to)` elements along an axis; `K.first(x)` the only element of a vector, without
-- dimensions; `K.whole(i)` a place, for subscripts; `K.number(v, dtype)` a number of a dtype; `K.floats(x)` integers as
-- floats; `K.checked(x, fine, message)` x, or an error (a ValueError, or of a kind) when it is computed;
-- `K.fine(n, ..)` the same of a length; `K.written(x, at, v)` x with v at a subscript; `K.longer(x, v, of)` a vector
-- with v behind it, where `of` (x) may be empty; `K.chosen(out, where, x, fn)` fn of x there; `K.spread(x, shape)`
-- alloc, `K.broadcast(x, shape)` the same to be read; `K.mapped(what, fn, rows)` fn of each row; `K.ramp(n, from,
-- step)`; `K.same_form(a, b, fn)` what fn gives of two of one shape, else false; `K.result(x)` what a user gets, of
-- arrays without dimensions a Lua value; `K.convolved(a, v)` the convolution of two vectors; `K.falls(x, n)` whether a
-- vector of n does; `K.trimmed(x)` it without zeros in front where that can be known; `K.double(v)` a number that
-- stays float64.
-- @module theano.alike

local M = {}

local FILES = { "theano.alikedtypes", "theano.alikeshapes", "theano.alikeproducts", "theano.alikestatistics",
  "theano.alikehistograms", "theano.alikeseries", "theano.alikepolynomials", "theano.alikepieces", "theano.alikeedits",
  "theano.alikeborders", "theano.alikespecial", "theano.alikegamma", "theano.alikedistributions",
  "theano.alikeorthogonal", "theano.alikebessel", "theano.alikeelliptic", "theano.alikeairy", "theano.alikefaddeeva",
  "theano.alikehyper", "theano.alikesecond" }

--- Puts the functions into the module of arrays.
function M.arrays(nd)
  local arrays = require("theano.alikearrays")(nd)
  for _, file in ipairs(FILES) do require(file)(nd, arrays) end
  nd.gradient = arrays.gradient
  return arrays
end

--- Puts the functions into the module of Variables, and what only they need.
function M.variables(T)
  local K = require("theano.alikevariables")(T)
  for _, file in ipairs(FILES) do require(file)(T, K) end
  require("theano.puts")(T, K)
  T.linalg = require("theano.alikelinalg")(T, K, function(name)
    local f = T
    for part in name:gmatch("[^.]+") do f = f[part] end
    return f
  end, {})
  require("theano.alikematrices")(T, K, T.linalg)
  require("theano.alikecosines")(T, K, T.fft)
  package.loaded["theano.tensor.linalg"] = T.linalg
  -- Theano's module of this name, called: NumPy's function of differences.
  setmetatable(T.gradient, { __call = function(_, ...) return K.gradient(...) end })

  T.e, T.pi, T.inf, T.nan = math.exp(1), math.pi, math.huge, -(0 / 0)
  T["repeat"], T.permute_dims, T.concat, T.around = T.repeat_, T.transpose, T.concatenate, T.round

  --- Anything as a Variable, of that dtype: `as_tensor_variable`, then `cast`.
  function T.asarray(x, dtype)
    x = K.as(x)
    return dtype and T.cast(x, dtype) or x
  end
  T.asanyarray = T.asarray
end

return M
