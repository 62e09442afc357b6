--- NumPy's functions on arrays that are compositions of others: joining, splitting, statistics, sets, einsum.
-- `install(nd)` puts them into the module; nothing here is symbolic.
-- @module theano.ndnumpy
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(nd, kit)
  local arr = core.asarray
  local axis_of, result = help.axis_of, help.result

  nd.concat = nd.concatenate
  nd.pi, nd.e, nd.inf, nd.nan = math.pi, math.exp(1), math.huge, -(0 / 0)
  nd.newaxis = setmetatable({ __arg = "newaxis" }, { __name = "newaxis" })

  --- How many dimensions.
  function nd.ndim(a) return arr(a).ndim end

  local nearest = nd.round
  --- `round(a, decimals)`: to so many decimals (0), halves to even; or `round(a, mode)` as in the tensor language.
  function nd.round(a, decimals)
    if math.type(decimals) ~= "integer" then return nearest(a, decimals) end
    a = arr(a)
    if decimals >= 0 and not a.dtype:find("^[fc]") then return result(a:copy()) end
    local scale = 10.0 ^ math.abs(decimals)
    if decimals >= 0 then return nearest(a * scale) / scale end
    local r = nearest(a / scale) * scale
    return util.is_array(r) and r:astype(a.dtype) or r
  end
  nd.around = nd.round

  local MANY = 1000000 -- parts of an array

  -- Integers of a list or an array, as a sequence.
  local function positions(what, at)
    if util.is_array(at) then at = nd.atleast_1d(at):tolist() end
    return util.each(what .. ": the positions", at, function(v, place)
      if math.type(v) ~= "integer" then util.raise("TypeError", "%s is no integer but %s", place, util.kind_of(v)) end
      return v
    end)
  end

  local function cut(what, a, at, axis, uneven)
    a, axis = arr(a), axis or 0
    axis = axis_of(what, a, axis)
    local n, ends, parts = a.shape[axis + 1], {}, {}
    if type(at) == "number" then
      if math.type(at) ~= "integer" or at < 1 or (n % at ~= 0 and not uneven) or at > MANY then
        util.raise("ValueError", "%s: a length of %d is not cut into %s %sparts", what, n, util.text(at),
          uneven and "" or "equal ")
      end
      for i = 1, at do ends[i] = i * (n // at) + math.min(i, n % at) end
    else
      ends = positions(what, at)
      ends[#ends + 1] = n
    end
    local from, front = 0, ("::,"):rep(axis)
    for i, to in ipairs(ends) do
      parts[i] = a[("%s%d:%d"):format(front, from, i == #ends and n or to)]
      from = to
    end
    return parts
  end
  --- `split(a, n)` or `split(a, {i, j}, axis)`: a sequence of views, n equal ones or cut before the positions given.
  function nd.split(a, at, axis) return cut("split", a, at, axis) end
  --- The same, with parts whose lengths differ by one where they must.
  function nd.array_split(a, at, axis) return cut("array_split", a, at, axis, true) end
  --- `split` along the first axis.
  function nd.vsplit(a, at) return cut("vsplit", a, at, 0) end
  --- `split` along the second axis, of vectors along the first.
  function nd.hsplit(a, at)
    a = arr(a)
    return cut("hsplit", a, at, a.ndim > 1 and 1 or 0)
  end
  --- `split` along the third axis.
  function nd.dsplit(a, at) return cut("dsplit", a, at, 2) end

  --- `delete(a, positions, axis)`: a copy without them; without an axis a is flattened.
  function nd.delete(a, at, axis)
    a = arr(a)
    if axis == nil then a, axis = a:reshape({ -1 }), 0 end
    axis = axis_of("delete", a, axis)
    local keep = nd.ones(a.shape[axis + 1], "bool")
    for _, i in ipairs(positions("delete", type(at) == "number" and { at } or at)) do keep[i] = false end
    return nd.compress(keep, a, axis)
  end

  --- `insert(a, position, values, axis)`: a copy with the values before a position; without an axis a is flattened.
  function nd.insert(a, at, values, axis)
    a = arr(a)
    if axis == nil then a, axis = a:reshape({ -1 }), 0 end
    axis = axis_of("insert", a, axis)
    local n, shape = a.shape[axis + 1], a.shape
    if math.type(at) ~= "integer" or at < -n or at > n then
      util.raise("IndexError", "insert: position %s is out of bounds for axis %d with size %d", util.text(at), axis, n)
    end
    if at < 0 then at = at + n end
    values = arr(values, a.dtype)
    local form = values.shape
    while #form < a.ndim do table.insert(form, 1, 1) end
    values = nd.moveaxis(values:reshape(form), 0, axis)
    shape[axis + 1] = values.shape[axis + 1]
    local new = core.empty(shape, a.dtype):fill(values)
    local front = ("::,"):rep(axis)
    return nd.concatenate({ a[front .. ":" .. at], new, a[front .. at .. ":"] }, axis)
  end

  -- ---- making -------------------------------------------------------------------------------------------------------
  --- The identity matrix.
  function nd.identity(n, dtype) return nd.eye(n, n, 0, dtype) end
  --- Not filled, of a's shape and dtype.
  function nd.empty_like(a, dtype)
    a = arr(a)
    return core.empty(a.shape, dtype or a.dtype)
  end
  --- `indices(shape)`: the position along each axis, for every element.
  function nd.indices(shape)
    util.list("indices: the shape", shape)
    local out = core.zeros({ #shape, table.unpack(shape) }, "int64")
    for d, n in ipairs(shape) do
      local form = {}
      for k = 1, #shape do form[k] = k == d and n or 1 end
      out[d - 1] = nd.arange(n):reshape(form)
    end
    return out
  end

  --- `fromfunction(fn, shape)`: what fn makes of the positions along each axis (float64 arrays).
  function nd.fromfunction(fn, shape)
    util.expect("fromfunction", "fn", fn, "function")
    local at, list = nd.indices(shape):astype("float64"), {}
    for d = 1, #shape do list[d] = at[d - 1] end
    return fn(table.unpack(list))
  end

  -- ---- logic and sets -----------------------------------------------------------------------------------------------
  --- Whether two arrays are equal after broadcasting.
  function nd.array_equiv(a, b)
    local fine, same = pcall(nd.eq, arr(a), arr(b))
    return fine and nd.all(same)
  end

  -- ---- searching ----------------------------------------------------------------------------------------------------
  local choose = nd.switch
  function nd.where(c, ...)
    if select("#", ...) == 0 then return nd.nonzero(c) end
    return choose(c, ...)
  end
  --- `digitize(x, bins, right)`: which bin each element falls into; the edges increase or decrease.
  function nd.digitize(x, bins, right)
    bins = arr(bins)
    local n = bins.size
    if n > 1 and bins[0] > bins[n - 1] then
      return n - nd.searchsorted(nd.flip(bins), x, { side = right and "left" or "right" })
    end
    return nd.searchsorted(bins, x, { side = right and "left" or "right" })
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

  for _, part in ipairs({ "ndlinear", "ndstatistics", "ndborders", "ndseries", "ndtext" }) do
    require("theano." .. part)(nd)
  end
end
