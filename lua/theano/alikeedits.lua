--- Parts taken out, put in and put together, ranges, bits, functions of rows, for Variables and arrays alike (see
-- theano.alike).
-- @module theano.alikeedits
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(M, K)
  local as, order, len, part = K.as, K.order, K.len, K.part
  local axis_of = help.axis_of

  -- x and an axis of it; without one all elements in order.
  local function flattened(what, x, axis)
    x = as(x)
    if axis == nil then return x:reshape({ -1 }), 0 end
    return x, axis_of(what, x, axis)
  end
  local function lengths(x)
    local shape = {}
    for d = 0, x.ndim - 1 do shape[d + 1] = len(x, d) end
    return shape
  end
  -- Places along an axis: an integer, or int64 for a list, bool for one of booleans.
  local function places(what, at)
    util.needed(what, "positions", at)
    if type(at) == "table" and getmetatable(at) == nil then
      at = util.list(what .. ": the positions", at)
      for _, v in ipairs(at) do
        if math.type(v) == "float" then util.raise("TypeError", "%s: positions are integers, not %s", what, v) end
      end
      return K.number(at, type(at[1]) == "boolean" and "bool" or "int64")
    end
    if type(at) == "number" and math.type(at) ~= "integer" then
      util.raise("TypeError", "%s: positions are integers, not %s", what, util.kind_of(at))
    end
    return at
  end

  -- ---- elements out and in ------------------------------------------------------------------------------------------
  --- `delete(x, positions, axis)`: a copy without them: an integer, several, a mask, or a slice such as "1:3"; without
  -- an axis x is flattened.
  function M.delete(x, at, axis)
    x, axis = flattened("delete", x, axis)
    at = places("delete", at)
    if type(at) == "userdata" and as(at).dtype:find("[fc]") then
      util.raise("TypeError", "delete: positions are integers, not %s", as(at).dtype)
    end
    local keep = K.written(M.ones({ len(x, axis) }, "bool"), at, K.number(false, "bool"))
    if K.plain and x.size == 0 then return part(x, axis, 0, M.count_nonzero(keep)):copy() end
    return M.compress(keep, x, axis)
  end

  -- Values in the form of x, but with a length of their own along the axis.
  local function fitted(x, values, axis, n)
    local shape = lengths(x)
    shape[axis + 1] = n
    return M.broadcast_to(values, shape)
  end
  local function inserted_at(x, at, values, axis, turned)
    local n = len(x, axis)
    if type(n) == "number" and (at < -n or at > n) then
      util.raise("IndexError", "insert: position %s is out of bounds for axis %d with size %d", util.text(at), axis, n)
    elseif type(n) ~= "number" then
      x = K.checked(x, M.and_(M.ge(n, at), M.ge(n, -at)), "insert: the position is out of bounds")
    end
    if at < 0 then at = at + n end
    local pattern = {}
    for d = 1, x.ndim do
      local own = d - 1 - (x.ndim - values.ndim)
      pattern[d] = own < 0 and "x" or own
    end
    values = order(values, pattern)
    if turned then values = M.moveaxis(values, 0, axis) end
    return M.concatenate({ part(x, axis, 0, at), fitted(x, values, axis, len(values, axis)), part(x, axis, at) }, axis)
  end
  --- `insert(x, position, values, axis)`: a copy with the values before a position, or before each of several, of a
  -- slice such as "1:3" or of a mask, all of them places in x; without an axis x is flattened.
  function M.insert(x, at, values, axis)
    x, axis = flattened("insert", x, axis)
    at, values = places("insert", at), as(values):astype(x.dtype)
    if values.ndim > x.ndim then
      util.raise("ValueError", "insert: values of %d dimensions into %d", values.ndim, x.ndim)
    end
    if type(at) == "number" then return inserted_at(x, at, values, axis, true) end
    if type(at) == "string" or type(at) == "table" and at.__arg then at = M.arange(len(x, axis))[at] end
    at = as(at)
    if at.ndim == 1 and at.dtype == "bool" then at = M.flatnonzero(at) end
    if at.ndim ~= 1 or not at.dtype:find("int") then
      util.raise("TypeError", "insert: positions are an integer or a vector of integers, not %s of %d dimensions",
        at.dtype, at.ndim)
    end
    local n, k = len(x, axis), len(at, 0)
    if k == 1 and util.is_array(at) then return inserted_at(x, at[0], values, axis) end
    at = M.switch(M.lt(at, 0), at + n, at)
    at = K.checked(as(at), M.all(M.and_(M.ge(at, 0), M.le(at, n))), "insert: a position is out of bounds", "IndexError")
    local sorted = M.argsort(at)
    local to = K.written(at, sorted, at[sorted] + M.arange(k))
    local shape = lengths(M.moveaxis(x, axis, 0))
    shape[1] = n + k
    local kept = M.flatnonzero(K.written(M.ones({ n + k }, "bool"), to, K.number(false, "bool")))
    local out = K.written(M.zeros(shape, x.dtype), to, M.moveaxis(fitted(x, values, axis, k), axis, 0))
    return M.moveaxis(K.written(out, kept, M.moveaxis(x, axis, 0)), 0, axis)
  end

  --- Without the zeros at the front ("f"), the back ("b") or both ("fb") of every axis, or of the axis given.
  function M.trim_zeros(filt, trim, axis)
    filt, trim = as(filt), trim or "fb"
    local sides = type(trim) == "string" and trim:lower() or ""
    if not sides:find("^[fb]+$") then
      util.raise("ValueError", "trim_zeros: trim is 'f', 'b' or 'fb', not %s", util.text(trim))
    end
    local nothing = util.is_array(filt) and filt.size == 0
    for _, d in ipairs(help.axes_of("trim_zeros", filt, axis)) do
      if nothing then filt = part(filt, d, 0, 0) end
      local others, hit = {}, M.neq(filt, 0)
      for e = 0, filt.ndim - 1 do if e ~= d then others[#others + 1] = e end end
      if #others > 0 then hit = M.any(hit, { axis = others }) end
      hit = as(hit):astype("int64")
      local function silent(v) return M.sum(M.eq(M.cumsum(v), 0):astype("int64")) end
      local from, to = 0, nil
      if sides:find("f") then from = silent(hit) end
      if sides:find("b") then to = len(filt, d) - silent(hit["::-1"]) end
      filt = part(filt, d, from, to)
    end
    return filt
  end

  --- `piecewise(x, condlist, funclist)`: what the function (or number) of the last condition that holds makes of the
  -- elements; one function more is for where none holds. In graphs every function gets all elements.
  function M.piecewise(x, condlist, funclist)
    local single = as(x).ndim == 0
    x = M.atleast_1d(x)
    if util.is_array(condlist) or util.is_var(condlist) then condlist = { condlist } end
    local conditions = util.each("piecewise: condlist", condlist, function(c) return M.neq(M.atleast_1d(c), 0) end)
    local functions = util.list("piecewise: funclist", funclist)
    local n = #functions
    if n ~= #conditions and n ~= #conditions + 1 then
      util.raise("ValueError", "piecewise: %d conditions, %d functions", #conditions, n)
    end
    local out = M.zeros_like(x)
    local function write(where, f)
      out = K.chosen(out, where, x, type(f) == "function" and f or function() return f end)
    end
    if n > #conditions then
      local any = conditions[1] or M.zeros_like(x, "bool")
      for i = 2, #conditions do any = M.or_(any, conditions[i]) end
      write(M.logical_not(any), functions[n])
    end
    for i, c in ipairs(conditions) do write(c, functions[i]) end
    return single and K.result(M.reshape(out, {})) or out
  end

  --- `block(arrays)`: nested lists put together, the innermost along the last axis.
  function M.block(arrays)
    local depth, ndim, first = 0, 0, arrays
    while type(first) == "table" do
      depth, first = depth + 1, first[1]
      if depth > 32 then util.raise("ValueError", "block: lists nested more than 32 deep") end
    end
    local function walk(x, level)
      if (type(x) == "table") ~= (level < depth) then
        util.raise("ValueError", "block: the lists are nested to different depths")
      end
      if type(x) ~= "table" then
        x = as(x)
        ndim = math.max(ndim, x.ndim, depth)
        return x
      end
      return util.each("block", x, function(y) return walk(y, level + 1) end)
    end
    local function join(x, level)
      if type(x) ~= "table" then
        local pattern = {}
        for d = 1, ndim do
          local own = d - 1 - (ndim - x.ndim)
          pattern[d] = own < 0 and "x" or own
        end
        return order(x, pattern)
      end
      local list = {}
      for i, y in ipairs(x) do list[i] = join(y, level + 1) end
      return M.concatenate(list, ndim - depth + level)
    end
    return join(walk(arrays, 0), 0)
  end

  -- ---- functions of rows and axes -----------------------------------------------------------------------------------
  --- `apply_along_axis(func1d, axis, x)`: what a function makes of each vector along an axis, in its place. In graphs
  -- it is called once, and mapped (`T.vmap`).
  function M.apply_along_axis(func1d, axis, x)
    func1d = util.callable(func1d)
    util.expect("apply_along_axis", "func1d", func1d, "function")
    x = as(x)
    axis = axis_of("apply_along_axis", x, axis)
    local last = M.moveaxis(x, axis, -1)
    local shape, count = lengths(last), 1
    local n = table.remove(shape)
    for _, m in ipairs(shape) do count = count * m end
    local rows = K.mapped("apply_along_axis", func1d, last:reshape({ count, n }))
    local inner = rows.ndim - 1
    for d = 1, inner do shape[#shape + 1] = len(rows, d) end
    local all = rows:reshape(shape)
    for d = 1, inner do all = M.moveaxis(all, last.ndim - 2 + d, axis + d - 1) end
    return all
  end
  --- `apply_over_axes(func, x, axes)`: what a function of a tensor and an axis makes of each axis in turn; an axis that
  -- it takes away comes back with length 1.
  function M.apply_over_axes(func, x, axes)
    func = util.callable(func)
    util.expect("apply_over_axes", "func", func, "function")
    local r = as(x)
    local n = r.ndim
    for _, d in ipairs(type(axes) == "table" and util.list("apply_over_axes: axes", axes) or { axes }) do
      d = axis_of("apply_over_axes", r, d)
      local next_ = as(func(r, d))
      if next_.ndim == n - 1 then next_ = M.expand_dims(next_, d) end
      if next_.ndim ~= n then
        util.raise("ValueError", "apply_over_axes: the function gives %d dimensions of %d", next_.ndim, n)
      end
      r = next_
    end
    return r
  end
  --- `fromfunction(fn, shape, dtype)`: what fn makes of the positions along each axis, of the dtype (float64).
  function M.fromfunction(fn, shape, dtype)
    fn = util.callable(fn)
    util.expect("fromfunction", "fn", fn, "function")
    util.check_type("fromfunction", "dtype", dtype, "string")
    local form, list = util.list("fromfunction: the shape", shape), {}
    for d, n in ipairs(form) do
      local pattern = {}
      for k = 1, #form do pattern[k] = k == d and 0 or "x" end
      list[d] = K.spread(order(as(M.arange(n)):astype(dtype or "float64"), pattern), form)
    end
    return fn(table.unpack(list))
  end

  -- ---- positions and lengths ----------------------------------------------------------------------------------------
  --- `mask_indices(n, mask_func, k)`: the positions that a function such as `triu` leaves of an n by n matrix.
  function M.mask_indices(n, mask_func, k)
    util.expect("mask_indices", "mask_func", mask_func, "function")
    util.check_type("mask_indices", "k", k, "integer")
    return M.nonzero(as(mask_func(M.ones({ n, n }, "int64"), k or 0)))
  end
  --- The positions of the diagonal of something whose lengths are equal, a vector for each dimension.
  function M.diag_indices_from(x)
    x = as(x)
    if x.ndim < 2 then util.raise("ValueError", "diag_indices_from: at least two dimensions are needed") end
    local n = len(x, 0)
    for d = 1, x.ndim - 1 do
      local m = len(x, d)
      local same = type(n) == "number" and type(m) == "number"
      if same then same = n == m else same = M.eq(n, m) end
      n = K.fine(n, same, "diag_indices_from: all lengths are equal")
    end
    return M.diag_indices(n, x.ndim)
  end
  --- How many dimensions.
  function M.ndim(x) return as(x).ndim end
  --- `broadcast_shapes(shape, ..)`: the shape that tensors of these shapes have together.
  function M.broadcast_shapes(...)
    local all = {}
    for i, shape in ipairs(util.list("broadcast_shapes", { ... })) do
      shape = type(shape) == "table" and util.list(("broadcast_shapes: shape %d"):format(i), shape) or { shape }
      for d = 1, #shape do util.check_type("broadcast_shapes", ("length %d"):format(d), shape[d], "integer") end
      while #all < #shape do table.insert(all, 1, 1) end
      for d = 1, #shape do
        local at = #all - #shape + d
        if shape[d] ~= 1 and all[at] ~= 1 and all[at] ~= shape[d] then
          util.raise("ValueError", "broadcast_shapes: lengths %d and %d do not fit", all[at], shape[d])
        end
        if all[at] == 1 then all[at] = shape[d] end
      end
    end
    return all
  end
  --- Whether two tensors have one shape and equal elements; NaN is none, unless equal_nan.
  function M.array_equal(a, b, equal_nan)
    util.check_type("array_equal", "equal_nan", equal_nan, "boolean")
    a, b = as(a), as(b)
    return K.same_form(a, b, function(x, y)
      local same = M.eq(x, y)
      if equal_nan then same = M.or_(same, M.and_(M.isnan(x), M.isnan(y))) end
      return M.all(same)
    end)
  end

  -- ---- bits in bytes ------------------------------------------------------------------------------------------------
  local function weights(what, bitorder)
    local w = { 128, 64, 32, 16, 8, 4, 2, 1 }
    if bitorder ~= nil and bitorder ~= "big" and bitorder ~= "little" then
      util.raise("ValueError", "%s: bitorder is 'big' or 'little'", what)
    end
    if bitorder == "little" then for i = 1, 8 do w[i] = 1 << (i - 1) end end
    return K.number(w, "uint8")
  end
  --- `packbits(x, axis, bitorder)`: eight elements that are or are not 0 as the bits of one uint8.
  function M.packbits(x, axis, bitorder)
    x, axis = flattened("packbits", x, axis)
    if x.dtype:find("[fc]") then
      util.raise("TypeError", "packbits: integers or booleans are expected, not %s", x.dtype)
    end
    local rows = M.neq(M.moveaxis(x, axis, -1), 0):astype("uint8")
    local shape = lengths(rows)
    local n = shape[#shape]
    local bytes = (n + 7) // 8
    shape[#shape] = bytes * 8 - n
    rows = M.concatenate({ rows, M.zeros(shape, "uint8") }, rows.ndim - 1)
    shape[#shape], shape[#shape + 1] = bytes, 8
    local sums = M.sum(rows:reshape(shape) * weights("packbits", bitorder), { axis = #shape - 1, dtype = "uint8" })
    return M.moveaxis(as(sums), -1, axis)
  end
  --- `unpackbits(x, axis, count, bitorder)`: the bits of uint8 elements; the first `count` of them, zeros behind where
  -- there are not so many, or without the last ones where count is negative.
  function M.unpackbits(x, axis, count, bitorder)
    util.check_type("unpackbits", "count", count, "integer")
    x, axis = flattened("unpackbits", x, axis)
    if x.dtype ~= "uint8" then util.raise("TypeError", "unpackbits: an array of uint8 is expected, not %s", x.dtype) end
    local rows, pattern = M.moveaxis(x, axis, -1), {}
    for d = 1, rows.ndim do pattern[d] = d - 1 end
    pattern[#pattern + 1] = "x"
    local shape = lengths(rows)
    local n = shape[#shape] * 8
    shape[#shape] = n
    local bits = M.neq(M.bitwise_and(order(rows, pattern), weights("unpackbits", bitorder)), 0):astype("uint8")
    bits = bits:reshape(shape)
    if count then
      if type(n) == "number" and count < -n then
        util.raise("ValueError", "unpackbits: %d bits are left out of %d", -count, n)
      end
      local more = count - n
      if type(more) == "number" then more = math.max(more, 0) else more = M.maximum(more, 0) end
      shape[#shape] = more
      bits = M.concatenate({ bits, M.zeros(shape, "uint8") }, #shape - 1)
      bits = part(bits, #shape - 1, 0, count)
    end
    return M.moveaxis(bits, -1, axis)
  end
end
