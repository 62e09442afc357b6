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

  local positions = kit.positions
  --- `split(a, n)` or `split(a, {i, j}, axis)`: a sequence of views, n equal ones or cut before the positions given.
  function nd.split(a, at, axis) return kit.cut("split", a, at, axis) end

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

  for _, part in ipairs({ "ndstatistics", "ndborders", "ndseries", "ndtext" }) do
    require("theano." .. part)(nd, kit)
  end
end
