--- NumPy's functions on arrays alone: rounding, choosing, writing, copies.
-- `install(nd)` puts them into the module; nothing here is symbolic.
-- @module theano.ndnumpy
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(nd, kit)
  local arr = core.asarray
  local result = help.result

  nd.concat = nd.concatenate
  nd.pi, nd.e, nd.inf, nd.nan = math.pi, math.exp(1), math.huge, -(0 / 0)
  nd.euler_gamma, nd.True_, nd.False_ = 0.5772156649015329, true, false
  nd.newaxis = setmetatable({ __arg = "newaxis" }, { __name = "newaxis" })
  nd.none = setmetatable({ __arg = "none" }, { __name = "None" })

  local nearest = nd.round
  --- `round(a, decimals)`: to so many decimals (0), halves to even; or `round(a, mode)` as in the tensor language.
  function nd.round(a, decimals)
    if math.type(decimals) ~= "integer" then return nearest(a, decimals) end
    a = arr(a)
    if decimals >= 0 and not a.dtype:find("[fc]") then return result(a:copy()) end
    if decimals == 0 then return nearest(a) end
    if a.dtype:find("^c") then -- each part alone, so that zeros keep their signs
      local r = a:copy():reshape({ -1 })
      nd.real(r):assign(nd.round(nd.real(r), decimals))
      nd.imag(r):assign(nd.round(nd.imag(r), decimals))
      return result(r:reshape(a.shape))
    end
    local scale = 10.0 ^ math.abs(decimals)
    if decimals >= 0 then return nearest(a * scale) / scale end
    local r = nearest(a / scale) * scale
    return result(arr(r):astype(a.dtype))
  end
  nd.around = nd.round

  local bessel = nd.i0
  --- The modified Bessel function of order 0; of integers in float64, where `special.i0` gives float32 for small ones.
  function nd.i0(x)
    x = arr(x)
    return bessel(x.dtype:find("[fc]") and x or x:astype("float64"))
  end

  --- `split(a, n)` or `split(a, {i, j}, axis)`: a sequence of views, n equal ones or cut before the positions given.
  function nd.split(a, at, axis) return kit.cut("split", a, at, axis) end

  -- ---- logic and sets -----------------------------------------------------------------------------------------------
  local repeated = nd.repeat_
  --- `repeat_(a, repeats, axis)`: each element so many times, or a number of times for each; without an axis of all
  -- elements in order.
  function nd.repeat_(a, repeats, axis)
    if math.type(repeats) ~= "integer" or repeats < 0 then return repeated(a, repeats, axis) end
    a = arr(a)
    if axis == nil or a.ndim == 0 and (axis == 0 or axis == -1) then a, axis = a:reshape({ -1 }), 0 end
    axis = help.axis_of("repeat", a, axis)
    local form, wide, shape = {}, {}, a.shape
    for d = 0, a.ndim - 1 do
      form[#form + 1], wide[#wide + 1] = shape[d + 1], shape[d + 1]
      if d == axis then form[#form + 1], wide[#wide + 1] = 1, repeats end
    end
    shape[axis + 1] = shape[axis + 1] * repeats
    return kit.spread(a:reshape(form), wide):reshape(shape)
  end
  core.array_methods["repeat"], nd["repeat"] = nd.repeat_, nd.repeat_

  --- `trace(a, offset, axis1, axis2, dtype)`: the sums of a diagonal of each matrix along two axes (the first ones).
  function nd.trace(a, offset, axis1, axis2, dtype)
    a = dtype and arr(a):astype(dtype) or arr(a)
    if a.ndim == 2 and offset == nil and axis1 == nil and axis2 == nil and a.flags.c_contiguous and a.size > 0 then
      local m = a.shape[2]
      local flat = a:reshape({ -1 })[("0:%d:%d"):format((math.min(a.shape[1], m) - 1) * (m + 1) + 1, m + 1)]
      return nd.sum(flat, { axis = 0, dtype = dtype })
    end
    return nd.sum(nd.diagonal(a, offset or 0, axis1 or 0, axis2 or 1), { axis = -1, dtype = dtype })
  end
  core.array_methods.trace, core.array_methods.clip = nd.trace, nd.clip

  --- `eye(n, m, k, dtype)`: ones on diagonal k of a matrix of n rows and m columns (as many), else zeros.
  function nd.eye(...)
    local o = util.bind("eye", { "n", "m", "k", "dtype", m = "integer", k = "integer", dtype = "string" }, ...)
    local n, m, k = o.n, o.m or o.n, o.k or 0
    if math.type(n) ~= "integer" or n < 0 or m < 0 then
      util.raise(math.type(n) == "integer" and "ValueError" or "TypeError",
        "eye: the lengths are integers, not below 0; they are %s and %s", util.text(n), util.text(m))
    end
    local a = core.zeros({ n, m }, o.dtype or "float64")
    if k >= m or k <= -n then return a end
    local from = k >= 0 and k or -k * m
    local long = k >= 0 and math.min(n, m - k) or math.min(n + k, m)
    a:reshape({ -1 })[("%d:%d:%d"):format(from, from + (long - 1) * (m + 1) + 1, m + 1)] = 1
    return a
  end

  local count = nd.bincount
  --- `bincount(x, weights, minlength)`: how often each value 0, 1, .. occurs in a vector, or the sum of its weights.
  function nd.bincount(x, ...)
    x = arr(x)
    if x.size == 0 and x.ndim == 1 and not x.dtype:find("^complex") then x = x:astype("int64") end
    if x.size > 0 or x.ndim ~= 1 then return count(x, ...) end
    local o = help.options("bincount", { "weights", "minlength" }, ...)
    local n = o.minlength or 0
    if math.type(n) ~= "integer" or n < 0 then
      util.raise("ValueError", "bincount: minlength is a number of bins, not %s", util.text(n))
    end
    return core.zeros(n, o.weights and "float64" or "int64")
  end

  --- Whether two arrays are equal after broadcasting.
  function nd.array_equiv(a, b)
    local fine, same = pcall(nd.eq, arr(a), arr(b))
    return fine and nd.all(arr(same))
  end

  -- ---- searching ----------------------------------------------------------------------------------------------------
  local choose = nd.switch
  function nd.where(c, ...)
    if select("#", ...) == 0 then return nd.nonzero(c) end
    return choose(c, ...)
  end
  --- `put_along_axis(a, indices, values, axis)`: writes there.
  function nd.put_along_axis(a, at, values, axis)
    util.expect("put_along_axis", "a", a, "ndarray")
    a[kit.along("put_along_axis", a, at, axis)] = values
  end
  --- `copyto(to, from)`: writes one array into another.
  function nd.copyto(to, from)
    util.expect("copyto", "to", to, "ndarray")
    to:assign(from)
  end

  --- `real_if_close(a, tol)`: the real parts, where all imaginary ones are at most tol (100) times the spacing at 1.
  function nd.real_if_close(a, tol)
    a, tol = arr(a), tol or 100
    util.expect("real_if_close", "tol", tol, "number")
    if not a.dtype:find("^complex") then return a end
    local least = tol > 1 and tol * nd.finfo(a.dtype).eps or tol
    return nd.all(arr(nd.lt(nd.abs(nd.imag(a)), least))) and nd.real(a) or a
  end

  for _, part in ipairs({ "ndborders", "ndtext" }) do
    require("theano." .. part)(nd, kit)
  end
end
