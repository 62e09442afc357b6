--- Functions of shapes, places and sets, for Variables and arrays alike (see theano.alike).
-- @module theano.alikeshapes
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(M, K)
  local as, order, len = K.as, K.order, K.len
  local axis_of = help.axis_of

  -- Axes of x as 0, 1, .. with "x" wherever a new one stands.
  local function straight(n, first)
    local pattern = {}
    for d = 1, n do pattern[d] = d - 1 + (first or 0) end
    return pattern
  end
  local function several(what, axis) return type(axis) == "table" and util.list(what .. ": axis", axis) or { axis } end
  local function many(what, x, least)
    x = as(x)
    if x.ndim < least then
      util.raise("ValueError", "%s: at least %d dimensions are needed, there %s %d", what, least,
        x.ndim == 1 and "is" or "are", x.ndim)
    end
    return x
  end

  -- ---- rank and order -----------------------------------------------------------------------------------------------
  -- Of several tensors, as many results.
  local function of_each(what, fn)
    return function(...)
      local given = table.pack(...)
      if given.n == 0 then util.raise("TypeError", "%s takes a tensor, or several", what) end
      for i = 1, given.n do given[i] = fn(as(given[i])) end
      return table.unpack(given, 1, given.n)
    end
  end
  local function row(x) return x.ndim == 0 and order(x, { "x", "x" }) or x.ndim == 1 and order(x, { "x", 0 }) or x end
  -- At least one dimension; of several tensors as many results.
  M.atleast_1d = of_each("atleast_1d", function(x) return x.ndim == 0 and order(x, { "x" }) or x end)
  -- At least two dimensions: a vector becomes a row.
  M.atleast_2d = of_each("atleast_2d", row)
  -- At least three dimensions, as NumPy puts them: a vector becomes (1, n, 1), a matrix (m, n, 1).
  M.atleast_3d = of_each("atleast_3d", function(x)
    x = row(x)
    return x.ndim == 2 and order(x, { 0, 1, "x" }) or x
  end)

  --- A new dimension of length 1 at a position, or at each of a sequence of positions.
  function M.expand_dims(x, axis)
    x = as(x)
    local axes = several("expand_dims", util.needed("expand_dims", "axis", axis))
    local ndim, new = x.ndim + #axes, {}
    for _, d in ipairs(axes) do
      if math.type(d) ~= "integer" or d < -ndim or d >= ndim or new[d % ndim] then
        util.raise("ValueError", "expand_dims: axis %s does not fit a result of %d dimensions", util.text(d), ndim)
      end
      new[d % ndim] = true
    end
    local pattern, at = {}, 0
    for d = 0, ndim - 1 do
      pattern[d + 1] = new[d] and "x" or at
      if not new[d] then at = at + 1 end
    end
    return order(x, pattern)
  end

  --- The elements in reverse along an axis, a sequence of axes, or all.
  function M.flip(x, axis)
    x = as(x)
    if x.ndim == 0 and axis == nil then return x end
    local turn, index = {}, {}
    if axis == nil then for d = 0, x.ndim - 1 do turn[d] = true end end
    for _, d in ipairs(several("flip", axis)) do turn[axis_of("flip", x, d)] = true end
    for d = 0, x.ndim - 1 do index[d + 1] = turn[d] and "::-1" or ":" end
    return x[table.concat(index, ", ")]
  end
  --- Columns in reverse.
  function M.fliplr(x) return M.flip(x, 1) end
  --- Rows in reverse.
  function M.flipud(x) return M.flip(x, 0) end

  --- `rot90(x, k, axes)`: turned by 90 degrees k times (1) in the plane of two axes, the first two.
  function M.rot90(x, ...)
    local o = util.bind("rot90", { "k", "axes", k = "integer" }, ...)
    local k, pair = (o.k or 1) % 4, util.list("rot90: axes", o.axes or { 0, 1 })
    x = many("rot90", x, 2)
    local a, b = axis_of("rot90", x, pair[1]), axis_of("rot90", x, pair[2])
    if #pair ~= 2 or a == b then util.raise("ValueError", "rot90: the plane has two different axes") end
    if k == 0 then return x end
    if k == 2 then return M.flip(x, { a, b }) end
    local pattern = straight(x.ndim)
    pattern[a + 1], pattern[b + 1] = b, a
    return M.flip(order(x, pattern), k == 1 and a or b)
  end
  --- The last two axes exchanged.
  function M.matrix_transpose(x)
    x = many("matrix_transpose", x, 2)
    local pattern = straight(x.ndim)
    pattern[x.ndim - 1], pattern[x.ndim] = x.ndim - 1, x.ndim - 2
    return order(x, pattern)
  end
  --- An axis moved before another one (the first).
  function M.rollaxis(x, axis, start)
    x, start = as(x), start or 0
    axis = axis_of("rollaxis", x, axis)
    if math.type(start) ~= "integer" or start < -x.ndim or start > x.ndim then
      util.raise("ValueError", "rollaxis: start %s is out of range for %d dimensions", util.text(start), x.ndim)
    end
    if start < 0 then start = start + x.ndim end
    local pattern = straight(x.ndim)
    table.remove(pattern, axis + 1)
    table.insert(pattern, start > axis and start or start + 1, axis)
    return order(x, pattern)
  end

  -- ---- broadcasting -------------------------------------------------------------------------------------------------
  --- With the shape given, as broadcasting would have it: of arrays a view that is read-only.
  function M.broadcast_to(x, shape)
    util.needed("broadcast_to", "shape", shape)
    x, shape = as(x), type(shape) == "table" and util.list("broadcast_to: shape", shape) or { shape }
    if x.ndim > #shape then
      util.raise("ValueError", "broadcast_to: %d dimensions do not broadcast to %d", x.ndim, #shape)
    end
    return K.broadcast(x, shape)
  end

  -- The lengths that tensors have together: of each axis the first that is not 1; others are held against it later.
  local function together(list)
    local ndim, shape = 0, {}
    for _, x in ipairs(list) do ndim = math.max(ndim, x.ndim) end
    for d = 1, ndim do
      shape[d] = 1
      for _, x in ipairs(list) do
        local at = d - 1 - (ndim - x.ndim)
        if at >= 0 and not K.one(x, at) then
          shape[d] = len(x, at)
          break
        end
      end
    end
    return shape
  end
  --- `broadcast_arrays(a, b, ..)`: all with one shape, one result for each; of arrays read-only views.
  function M.broadcast_arrays(...)
    local list = table.pack(...)
    for i = 1, list.n do list[i] = as(list[i]) end
    local shape = together(list)
    for i = 1, list.n do list[i] = M.broadcast_to(list[i], shape) end
    return table.unpack(list, 1, list.n)
  end

  --- `meshgrid(x, y, .., {indexing = "xy", sparse = false})`: coordinates of a grid, one result for each vector;
  -- sparse: each with length 1 along the other axes.
  function M.meshgrid(...)
    local list = table.pack(...)
    local o = {}
    if util.is_keywords(list[list.n]) then
      o = list[list.n]
      list[list.n], list.n = nil, list.n - 1
      util.check_keywords("meshgrid", o, { indexing = "string", sparse = "boolean", copy = "boolean" })
    end
    local indexing = o.indexing or "xy"
    if indexing ~= "xy" and indexing ~= "ij" then
      util.raise("ValueError", "meshgrid: indexing is 'xy' or 'ij', not '%s'", tostring(indexing))
    end
    util.list("meshgrid: the vectors", list)
    local swap, shape = indexing == "xy" and #list > 1, {}
    for i, x in ipairs(list) do
      x = as(x):reshape({ -1 })
      local pattern, d = {}, swap and i < 3 and 3 - i or i
      for k = 1, #list do pattern[k] = k == d and 0 or "x" end
      shape[d] = len(x, 0)
      list[i] = order(x, pattern)
    end
    if not o.sparse then for i, x in ipairs(list) do list[i] = K.spread(x, shape) end end
    return table.unpack(list)
  end

  -- ---- joining and parts --------------------------------------------------------------------------------------------
  local function list_of(what, arrays)
    local list = {}
    if util.is_array(arrays) or util.is_var(arrays) then
      list = M.unstack(arrays.ndim == 1 and order(arrays, { 0, "x" }) or arrays)
    elseif type(arrays) == "table" and not getmetatable(arrays) then list = util.list(what .. ": the list", arrays) end
    if #list == 0 then util.raise("TypeError", "%s takes a sequence of arrays, at least one", what) end
    return list
  end
  local function joined(what, arrays, axis, form, dtype)
    local list = {}
    if util.is_array(dtype) or util.is_var(dtype) or type(dtype) == "number" then
      util.raise("TypeError", "%s takes one sequence of arrays, %s({ a, b }), not %s beside the first", what, what,
        util.kind_of(dtype))
    end
    for i, x in ipairs(list_of(what, arrays)) do list[i] = form(x) end
    return M.concatenate(list, list[1].ndim == 1 and 0 or axis, dtype)
  end
  --- `vstack(arrays, dtype)`: arrays on top of each other, vectors as rows.
  function M.vstack(arrays, dtype) return joined("vstack", arrays, 0, M.atleast_2d, dtype) end
  --- The same.
  function M.row_stack(arrays, dtype) return joined("row_stack", arrays, 0, M.atleast_2d, dtype) end
  --- `hstack(arrays, dtype)`: arrays side by side, along the second axis, vectors along the first.
  function M.hstack(arrays, dtype) return joined("hstack", arrays, 1, M.atleast_1d, dtype) end
  --- Arrays behind each other: along the third axis.
  function M.dstack(arrays, dtype) return joined("dstack", arrays, 2, M.atleast_3d, dtype) end
  --- Vectors as the columns of a matrix; matrices side by side.
  function M.column_stack(arrays, dtype)
    return joined("column_stack", arrays, 1, function(x)
      x = M.atleast_1d(x)
      return x.ndim == 1 and order(x, { 0, "x" }) or x
    end, dtype)
  end
  --- `append(a, values, axis)`: joined; without an axis both are flattened.
  function M.append(a, values, axis)
    a, values = as(a), as(values)
    if axis == nil then return M.concatenate({ a:reshape({ -1 }), values:reshape({ -1 }) }, 0) end
    return M.concatenate({ a, values }, axis_of("append", a, axis))
  end
  --- The parts along an axis, each without it: a sequence. In graphs the length must be known while they are built.
  function M.unstack(x, axis)
    x = as(x)
    axis = axis_of("unstack", x, axis or 0)
    local n = K.known(x, axis)
    if not n then
      util.raise("ValueError", "unstack: the length of axis %d is not known while building: T.specify_shape tells it",
        axis)
    end
    local parts, front = {}, (":,"):rep(axis)
    for i = 0, n - 1 do parts[i + 1] = x[front .. i] end
    return parts
  end
  --- `sliding_window_view(x, window_shape, axis)`: every window of that length, or of these lengths, along the axes
  -- (all), as new dimensions at the end. A copy.
  function M.sliding_window_view(x, window_shape, axis)
    local what = "sliding_window_view"
    x = as(x)
    local widths = type(window_shape) == "table" and util.list(what .. ": window_shape", window_shape)
      or { window_shape }
    local axes = {}
    if axis == nil then for d = 1, x.ndim do axes[d] = d - 1 end
    else axes = several(what, axis) end
    if #axes ~= #widths then
      util.raise("ValueError", "%s: %d lengths of windows for %d axes", what, #widths, #axes)
    end
    for i, d in ipairs(axes) do axes[i] = axis_of(what, x, d) end
    for i, w in ipairs(widths) do
      if math.type(w) ~= "integer" or w < 0 then
        util.raise("ValueError", "%s: a window's length is an integer of at least 0, not %s", what, util.text(w))
      end
      local d = axes[i]
      local length = K.known(x, d)
      if length and w > length then
        util.raise("ValueError", "%s: windows of %d do not fit a length of %d", what, w, length)
      end
      local at = order(as(M.arange(len(x, d) - w + 1)), { 0, "x" }) + order(as(M.arange(w)), { "x", 0 })
      x = as(M.moveaxis(as(M.take(x, at, d)), d + 1, -1))
    end
    return K.result(x)
  end

  -- ---- places -------------------------------------------------------------------------------------------------------
  --- A subscript that takes `indices` along one axis and every position along the others: `x[along_axis(..)]`.
  local function along(what, x, indices, axis)
    local at = as(indices)
    if at.ndim ~= x.ndim then
      util.raise("ValueError", "%s: indices have %d dimensions, the array %d", what, at.ndim, x.ndim)
    end
    axis = axis_of(what, x, axis == nil and -1 or axis)
    local index = {}
    for d = 0, x.ndim - 1 do
      local pattern = {}
      for k = 1, x.ndim do pattern[k] = k == d + 1 and 0 or "x" end
      if d == axis then index[d + 1] = at
      elseif K.one(x, d) then index[d + 1] = order(M.zeros({ 1 }, "int64"), pattern)
      else index[d + 1] = order(M.arange(len(x, d)), pattern) end
    end
    return index
  end
  --- `take_along_axis(x, indices, axis)`: what argsort and argmax along that axis (the last) point to.
  function M.take_along_axis(x, indices, axis)
    x = as(x)
    return x[along("take_along_axis", x, indices, axis)]
  end
  K.along = along

  --- How many elements are not zero, over an axis, a sequence of axes, or all.
  function M.count_nonzero(x, axis, keepdims)
    return M.sum(as(M.neq(as(x), 0)), { axis = axis, keepdims = keepdims, dtype = "int64" })
  end
  --- Positions of what is not zero, one row each.
  function M.argwhere(x)
    x = as(x)
    if x.ndim > 0 or util.is_var(x) then return M.stack({ M.nonzero(x) }, 1) end
    return M.zeros({ M.count_nonzero(x), 0 }, "int64") -- NumPy's: a row, or none, without positions
  end
  --- The elements where a condition holds, as a vector.
  function M.extract(condition, x)
    return M.compress(M.neq(as(condition):reshape({ -1 }), 0), as(x):reshape({ -1 }))
  end

  -- ---- running sums -------------------------------------------------------------------------------------------------
  local function running(what, fn, first)
    return function(x, axis, dtype, include_initial)
      util.check_type(what, "include_initial", include_initial, "boolean")
      x = as(x)
      if x.ndim == 0 and (axis == nil or axis == 0 or axis == -1) then x = order(x, { "x" }) end
      if axis == nil and x.ndim ~= 1 then util.raise("ValueError", "%s: several axes, so one is to be named", what) end
      axis = axis_of(what, x, axis or 0)
      local r = fn(dtype and x:astype(dtype) or x, { axis = axis })
      if dtype then r = r:astype(dtype) end
      if not include_initial then return r end
      local shape = {}
      for d = 0, x.ndim - 1 do shape[d + 1] = d == axis and 1 or len(x, d) end
      return M.concatenate({ M.alloc(as(first):astype(r.dtype), table.unpack(shape)), r }, axis)
    end
  end
  -- Running sums along an axis; with `include_initial` from 0 on.
  M.cumulative_sum = running("cumulative_sum", M.cumsum, 0)
  -- Running products along an axis; with `include_initial` from 1 on.
  M.cumulative_prod = running("cumulative_prod", M.cumprod, 1)

  -- ---- sets ---------------------------------------------------------------------------------------------------------
  local function shaped(inverse, x)
    local shape = {}
    for d = 0, x.ndim - 1 do shape[d + 1] = len(x, d) end
    return as(inverse):reshape(shape)
  end
  -- As the array API has them: each NaN is a value of its own.
  --- The distinct elements in ascending order; NaN equals none.
  function M.unique_values(x) return M.unique(as(x), { equal_nan = false }) end
  --- The distinct elements and how often each occurs; NaN equals none.
  function M.unique_counts(x) return M.unique(as(x), { return_counts = true, equal_nan = false }) end
  --- The distinct elements, and for each element of x the position of its value among them; NaN equals none.
  function M.unique_inverse(x)
    x = as(x)
    local values, inverse = M.unique(x, { return_inverse = true, equal_nan = false })
    return values, shaped(inverse, x)
  end
  --- The distinct elements, their first positions in the flattened x, the position of each element's value among them,
  -- and how often each occurs; NaN equals none.
  function M.unique_all(x)
    x = as(x)
    local values, index, inverse, counts = M.unique(x, { return_index = true, return_inverse = true,
      return_counts = true, equal_nan = false })
    return values, index, shaped(inverse, x), counts
  end
end
