--- Positions, pieces and products by blocks, for Variables and arrays alike (see theano.alike).
-- @module theano.alikepieces
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(M, K)
  local as, order, len = K.as, K.order, K.len
  local axis_of = help.axis_of

  -- ---- making -------------------------------------------------------------------------------------------------------
  --- An array of a shape filled with a value, of the value's dtype unless one is given.
  function M.full(shape, value, dtype) return K.filled(shape, value, dtype) end
  --- `full_like(x, value, dtype, shape)`: the value in the shape and dtype of x, or in those that are given.
  function M.full_like(x, value, ...)
    local o = help.options("full_like", { "dtype", "shape" }, ...)
    x = as(x)
    if o.shape ~= nil then return K.filled(o.shape, value, o.dtype or x.dtype) end
    return K.filled_like(x, value, o.dtype or x.dtype)
  end
  --- Not filled; in graphs zeros, since what is not filled is no function of the inputs.
  function M.empty(shape, dtype) return K.unfilled(shape, dtype) end
  --- `empty_like(x, dtype, shape)`: the same in the shape and dtype of x, or in those that are given.
  function M.empty_like(x, dtype, shape)
    x = as(x)
    if shape == nil then
      shape = {}
      for d = 0, x.ndim - 1 do shape[d + 1] = len(x, d) end
    end
    return K.unfilled(shape, dtype or x.dtype)
  end
  --- The identity matrix.
  function M.identity(n, dtype) return M.eye(n, n, 0, dtype) end
  --- `indices(shape, dtype, sparse)`: the position along each axis, for every element; sparse: as many results as axes,
  -- each of length 1 along the others.
  function M.indices(shape, dtype, sparse)
    util.check_type("indices", "sparse", sparse, "boolean")
    local list, out = util.list("indices: the shape", shape), {}
    for d, n in ipairs(list) do
      local pattern = {}
      for k = 1, #list do pattern[k] = k == d and 0 or "x" end
      local place = order(as(M.arange(n)):astype(dtype or "int64"), pattern)
      out[d] = sparse and place or K.spread(place, list)
    end
    if sparse then return table.unpack(out) end
    if #out == 0 then return M.zeros({ 0 }, dtype or "int64") end
    return M.stack(out)
  end
  -- Between two numbers, whose logarithms are Lua's.
  local function geometric_line(start, stop, num, endpoint)
    if start == 0 or stop == 0 or (start < 0) ~= (stop < 0) then
      util.raise("ValueError", "geomspace: from %s to %s: neither is 0, and both have one sign", util.text(start),
        util.text(stop))
    end
    num = num == nil and 50 or num
    local sign = start < 0 and -1.0 or 1.0
    local powers = M.linspace(K.double(math.log(start * sign, 10)), K.double(math.log(stop * sign, 10)), num,
      endpoint ~= false)
    local r = as(M.power(K.number(10.0, "float64"), powers))
    if sign < 0 then r = -r end
    if K.plain then -- its ends without rounding
      if num > 0 then r[0] = start end
      if num > 1 and endpoint ~= false then r[num - 1] = stop end
      return r
    end
    local at = M.arange(num)
    r = as(M.switch(M.eq(at, 0), K.number(start, "float64"), r))
    if endpoint == false then return r end
    return as(M.switch(M.and_(M.eq(at, num - 1), M.gt(at, 0)), K.number(stop, "float64"), r))
  end
  -- Of tensors, along a new first axis; what has no logarithm is NaN, in graphs the line of a 0 too.
  local function geometric(start, stop, num, endpoint)
    start, stop = as(as(start) + 0.0), as(as(stop) + 0.0)
    start, stop = as(start + M.zeros_like(stop)), as(stop + M.zeros_like(start))
    if K.plain and not (M.all(start) and M.all(stop)) then
      util.raise("ValueError", "geomspace: neither end is 0")
    end
    local sign, pattern = M.sign(start), { 0 } -- of complex numbers the direction of the first
    for d = 1, start.ndim do pattern[d + 1] = "x" end
    local line = M.linspace(M.log10(start / sign), M.log10(stop / sign), num, endpoint ~= false)
    local r, at = M.power(10.0, line) * sign, order(as(M.arange(num)), pattern)
    r = as(M.switch(M.eq(at, 0), start, r))
    if endpoint == false then return r end
    return as(M.switch(M.and_(M.eq(at, num - 1), M.gt(at, 0)), stop, r))
  end
  --- `geomspace(start, stop, num, endpoint, dtype, axis)`: values (50) with one ratio between neighbours, both ends
  -- included. start and stop may be tensors, the values stand along a new axis then.
  function M.geomspace(start, stop, num, endpoint, dtype, axis)
    util.check_type("geomspace", "endpoint", endpoint, "boolean")
    util.check_type("geomspace", "axis", axis, "integer")
    local r
    if type(start) == "number" and type(stop) == "number" then r = geometric_line(start, stop, num, endpoint)
    else r = geometric(start, stop, num == nil and 50 or num, endpoint) end
    if dtype and dtype ~= r.dtype then r = r:astype(dtype) end
    return axis and axis ~= 0 and M.moveaxis(r, 0, axis) or r
  end
  -- ---- positions ----------------------------------------------------------------------------------------------------
  --- Rows and columns of the lower triangle of an n by m matrix, up to diagonal k.
  function M.tril_indices(n, k, m)
    util.check_type("tril_indices", "k", k, "integer")
    return M.nonzero(M.tri(n, m or n, k or 0, "bool"))
  end
  --- Rows and columns of the upper triangle of an n by m matrix, from diagonal k.
  function M.triu_indices(n, k, m)
    util.check_type("triu_indices", "k", k, "integer")
    return M.nonzero(M.eq(M.tri(n, m or n, (k or 0) - 1, "int8"), 0))
  end
  local function square(what, x)
    x = as(x)
    if x.ndim ~= 2 then util.raise("ValueError", "%s: a matrix is expected, not %d dimensions", what, x.ndim) end
    return len(x, 0), len(x, 1)
  end
  --- The same for a matrix.
  function M.tril_indices_from(matrix, k)
    local n, m = square("tril_indices_from", matrix)
    return M.tril_indices(n, k, m)
  end
  --- The same for a matrix.
  function M.triu_indices_from(matrix, k)
    local n, m = square("triu_indices_from", matrix)
    return M.triu_indices(n, k, m)
  end
  --- `diag_indices(n, ndim)`: the positions of a diagonal, a vector for each dimension (2).
  function M.diag_indices(n, ndim)
    util.check_type("diag_indices", "ndim", ndim, "integer")
    if ndim and (ndim < 0 or ndim > 32) then
      util.raise("ValueError", "diag_indices: an array has at most 32 dimensions, not %d", ndim)
    end
    local list, vector = {}, M.arange(n)
    for i = 1, ndim or 2 do list[i] = vector end
    return table.unpack(list)
  end
  --- `ix_(x, y, ..)`: vectors that as subscripts `a[{ix_(..)}]` take each with each.
  function M.ix_(...)
    local list = util.list("ix_", { ... })
    for i, x in ipairs(list) do
      x = as(x)
      if x.ndim ~= 1 then util.raise("ValueError", "ix_: vector %d has %d dimensions", i, x.ndim) end
      if x.dtype == "bool" then x = M.flatnonzero(x) end
      local pattern = {}
      for d = 1, #list do pattern[d] = d == i and 0 or "x" end
      list[i] = order(x, pattern)
    end
    return table.unpack(list)
  end
  --- `digitize(x, bins, right)`: which bin each element falls into; the edges increase or decrease.
  function M.digitize(x, bins, right)
    util.check_type("digitize", "right", right, "boolean")
    x, bins = as(x), as(bins)
    if x.dtype:find("^complex") or bins.dtype:find("^complex") then
      util.raise("TypeError", "digitize: complex numbers have no order")
    end
    local n = len(bins, 0)
    local up = M.searchsorted(bins, x, { side = right and "left" or "right" })
    local falls = K.falls(bins, n)
    if K.plain and n > 2 and M.any((falls and M.lt or M.gt)(bins[":-1"], bins["1:"])) then
      util.raise("ValueError", "digitize: the edges neither increase nor decrease")
    end
    if falls == false then return up end
    local down = n - M.searchsorted(M.flip(bins), x, { side = right and "left" or "right" })
    if falls == true then return down end
    return M.switch(falls, down, up)
  end

  -- ---- order --------------------------------------------------------------------------------------------------------
  local function introselect(what, kind)
    if kind ~= nil and kind ~= "introselect" then
      util.raise("ValueError", "%s: kind is 'introselect', not %s", what, util.text(kind))
    end
  end
  local function kth_of(what, x, kth, axis)
    x = as(x)
    axis = axis == nil and -1 or axis
    util.needed(what, "kth", kth)
    local n = x.ndim == 0 and 1 or K.known(x, axis_of(what, x, axis))
    for _, k in ipairs(type(kth) == "table" and util.list(what .. ": kth", kth) or { kth }) do
      if math.type(k) ~= "integer" or n and (k < -n or k >= n) then
        util.raise("ValueError", "%s: kth = %s is out of range for %s elements", what, util.text(k), tostring(n))
      end
    end
    return x, axis
  end
  --- Along an axis (the last) the element of position kth where a sort puts it, none larger before it, none smaller
  -- behind it; the order of these says nothing.
  function M.partition(x, kth, axis, kind)
    introselect("partition", kind)
    return M.sort(kth_of("partition", x, kth, axis))
  end
  --- The positions of the elements of such a partition.
  function M.argpartition(x, kth, axis, kind)
    introselect("argpartition", kind)
    return M.argsort(kth_of("argpartition", x, kth, axis))
  end
  --- `lexsort(keys, axis)`: positions that sort by several keys along an axis (the last), the last key first of all.
  function M.lexsort(keys, axis)
    local list = (util.is_array(keys) or util.is_var(keys)) and M.unstack(keys) or util.list("lexsort: the keys", keys)
    if #list == 0 then util.raise("TypeError", "lexsort takes a sequence of arrays, at least one") end
    axis = axis == nil and -1 or axis
    local places = M.argsort(as(list[1]), axis)
    for i = 2, #list do
      local key = as(list[i])
      if key.ndim == 1 then places = places[M.argsort(key[places])]
      else
        key = M.take_along_axis(key, places, axis)
        places = M.take_along_axis(places, M.argsort(key, axis), axis)
      end
    end
    return places
  end

  --- Sorted along the last axis by the real parts and then the imaginary ones, as complex numbers; those with NaN stand
  -- last.
  function M.sort_complex(x)
    x = as(x)
    if x.ndim == 0 then util.raise("ValueError", "sort_complex: a number has no order") end
    if not x.dtype:find("^complex") then
      local single = x.dtype:find("int8") or x.dtype:find("int16")
      return M.sort(x, -1):astype(single and "complex64" or "complex128")
    end
    local re, im = as(M.real(x)), as(M.imag(x))
    local broken = as(M.isnan(re)):astype("int8") * 2 + as(M.isnan(im)):astype("int8")
    local places = M.argsort(im, { axis = -1 })
    for _, key in ipairs({ re, broken }) do
      places = M.take_along_axis(places, M.argsort(M.take_along_axis(key, places, -1), { axis = -1 }), -1)
    end
    return M.take_along_axis(x, places, -1)
  end

  -- ---- pieces -------------------------------------------------------------------------------------------------------
  local MANY = 1000000 -- parts of an array

  -- Integers of a list or an array, as a sequence.
  function K.positions(what, at)
    if util.is_array(at) then at = at.ndim > 0 and at:tolist() or { at:item() } end
    return util.each(what .. ": the positions", at, function(v, place)
      if math.type(v) ~= "integer" then util.raise("TypeError", "%s is no integer but %s", place, util.kind_of(v)) end
      return v
    end)
  end

  -- The parts of x along an axis: so many, or those before and behind the positions given.
  local function cut(what, x, at, axis, uneven)
    x = as(x)
    axis = axis_of(what, x, axis or 0)
    local n, ends, parts = K.known(x, axis), {}, {}
    if type(at) == "number" then
      if not n then
        util.raise("ValueError", "%s: the length of axis %d is not known while building: T.specify_shape tells it",
          what,
          axis)
      elseif math.type(at) ~= "integer" or at < 1 or (n % at ~= 0 and not uneven) or at > MANY then
        util.raise("ValueError", "%s: a length of %d is not cut into %s %sparts", what, n, util.text(at),
          uneven and "" or "equal ")
      end
      for i = 1, at do ends[i] = i * (n // at) + math.min(i, n % at) end
    else
      ends = K.positions(what, at)
      ends[#ends + 1] = false
    end
    local from = 0
    for i, to in ipairs(ends) do
      parts[i] = K.part(x, axis, from, i < #ends and to or nil)
      from = to
    end
    return parts
  end
  K.cut = cut
  --- `array_split(x, n)` or `array_split(x, {i, j}, axis)`: a sequence of parts, whose lengths differ by one where they
  -- must, or cut before the positions given.
  function M.array_split(x, at, axis) return cut("array_split", x, at, axis, true) end
  local function along(what, x, least)
    x = as(x)
    if x.ndim < least then
      util.raise("ValueError", "%s: at least %d dimension%s needed, there %s %d", what, least,
        least == 1 and " is" or "s are", x.ndim == 1 and "is" or "are", x.ndim)
    end
    return x
  end
  --- Equal parts, or parts cut before positions, along the first axis.
  function M.vsplit(x, at) return cut("vsplit", along("vsplit", x, 2), at, 0) end
  --- The same along the second axis, of vectors along the first.
  function M.hsplit(x, at)
    x = along("hsplit", x, 1)
    return cut("hsplit", x, at, x.ndim > 1 and 1 or 0)
  end
  --- The same along the third axis.
  function M.dsplit(x, at) return cut("dsplit", along("dsplit", x, 3), at, 2) end

  --- The elements in order, again and again, until the shape is full.
  function M.resize(x, new_shape)
    x = as(x):reshape({ -1 })
    util.needed("resize", "new_shape", new_shape)
    local shape = type(new_shape) == "table" and util.list("resize: the shape", new_shape) or { new_shape }
    local n = 1
    for i, d in ipairs(shape) do
      util.check_type("resize", ("length %d"):format(i), d, "integer|Variable")
      if math.type(d) == "integer" and d < 0 then util.raise("ValueError", "resize: length %d is %d, below 0", i, d) end
      n = n * d
    end
    local known = K.known(x, 0)
    if known == 0 then return M.zeros(shape, x.dtype) end
    local m = len(x, 0)
    if not known then -- a zero behind the elements, which is taken where there are none
      x, m = M.concatenate({ x, M.zeros({ 1 }, x.dtype) }), M.maximum(m, 1)
    end
    return as(M.take(x, M.mod(M.arange(n), m))):reshape(shape)
  end
  --- The Kronecker product.
  function M.kron(a, b)
    a, b = as(a), as(b)
    local n = math.max(a.ndim, b.ndim)
    local pa, pb, shape = {}, {}, {}
    for d = 0, n - 1 do
      local i, j = d - (n - a.ndim), d - (n - b.ndim)
      pa[2 * d + 1], pa[2 * d + 2], pb[2 * d + 1], pb[2 * d + 2] = i < 0 and "x" or i, "x", "x", j < 0 and "x" or j
      shape[d + 1] = (i < 0 and 1 or len(a, i)) * (j < 0 and 1 or len(b, j))
    end
    return K.result(as(order(a, pa) * order(b, pb)):reshape(shape))
  end
end
