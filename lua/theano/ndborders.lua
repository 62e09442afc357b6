--- NumPy's functions on arrays that move elements: padding, grids, writing through masks and positions. Installed
-- by theano.ndnumpy.
-- @module theano.ndborders
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(nd)
  local arr, result = core.asarray, help.result

  nd.permute_dims, nd.asanyarray, nd.may_share_memory = nd.transpose, nd.asarray, nd.shares_memory
  --- The array in row-major order, at least one dimension: itself where it is so already.
  function nd.ascontiguousarray(a, dtype)
    a = nd.atleast_1d(arr(a, dtype))
    return core.lies(a) and a or a:copy()
  end
  --- An array; a ValueError where an element is NaN or infinite.
  function nd.asarray_chkfinite(a, dtype)
    a = arr(a, dtype)
    if not nd.all(nd.isfinite(a)) then
      util.raise("ValueError", "asarray_chkfinite: there are elements that are NaN or infinite")
    end
    return a
  end
  --- Whether the elements lie in column-major order only.
  function nd.isfortran(a)
    local rows, columns = core.lies(arr(a))
    return columns and not rows
  end
  --- Whether a value can be walked: a sequence, a text, or an array that has dimensions.
  function nd.iterable(y)
    if util.is_array(y) then return y.ndim > 0 end
    return type(y) == "table" and getmetatable(y) == nil or type(y) == "string"
  end

  -- ---- pad ----------------------------------------------------------------------------------------------------------
  -- Positions in an axis of length n for the positions `at`, which may lie in front of it and behind it.
  local INSIDE = {
    edge = function(at, n) return nd.clip(at, 0, n - 1) end,
    wrap = function(at, n) return nd.mod(at, n) end,
    symmetric = function(at, n)
      local turn = nd.mod(at, 2 * n)
      return nd.minimum(turn, 2 * n - 1 - turn)
    end,
    reflect = function(at, n)
      local turn = nd.mod(at, math.max(2 * (n - 1), 1))
      return nd.minimum(turn, 2 * (n - 1) - turn)
    end,
  }
  local STATISTIC = {
    maximum = function(a, axis) return nd.max(a, axis, true) end,
    minimum = function(a, axis) return nd.min(a, axis, true) end,
    mean = function(a, axis)
      local m = arr(nd.mean(a, axis, nil, true))
      return (a.dtype:find("[fc]") and m or arr(nd.rint(m))):astype(a.dtype)
    end,
    median = function(a, axis)
      local m = arr(nd.median(a, axis, true))
      return (a.dtype:find("[fc]") and m or arr(nd.rint(m))):astype(a.dtype)
    end,
  }

  local function width(v, place)
    if math.type(v) ~= "integer" then
      util.raise("TypeError", "%s is %s, an integer is expected", place, util.kind_of(v))
    end
    if v < 0 then util.raise("ValueError", "%s is %d: a width cannot be negative", place, v) end
    return v
  end
  local function number(v, place)
    if type(v) == "number" or core.kind(v) == "complex" then return v end
    return util.raise("TypeError", "%s is %s, a number is expected", place, util.kind_of(v))
  end

  -- The array with borders along an axis; before, after: what they are filled with.
  local function bordered(a, axis, w, before, after)
    local function block(v, n)
      local shape = a.shape
      shape[axis + 1] = n
      return core.empty(shape, a.dtype):fill(v)
    end
    return nd.concatenate({ block(before, w[1]), a, block(after, w[2]) }, axis)
  end

  -- From the end value to the edge, which is not reached.
  local function ramp(a, axis, w, values)
    local n = a.shape[axis + 1]
    local function side(v, length, at)
      local edge = nd.take(a, { at }, axis)
      local form = {}
      for d = 1, a.ndim do form[d] = d == axis + 1 and length or 1 end
      local step = (edge:astype("float64") - v) / math.max(length, 1)
      local line = nd.arange(length):reshape(form) * step + v
      return (a.dtype:find("f") and line or nd.floor(line)):astype(a.dtype)
    end
    return nd.concatenate({ side(values[1], w[1], 0), a, nd.flip(side(values[2], w[2], n - 1), axis) }, axis)
  end

  local PAD = { "array", "pad_width", "mode", "constant_values", "end_values", "stat_length", mode = "string",
    stat_length = "integer", constant_values = "number|table|ndarray|complex",
    end_values = "number|table|ndarray" }
  local ONLY = { constant_values = "constant", end_values = "linear_ramp" }

  local function statistics(a, axis, g)
    local n = a.shape[axis + 1]
    local k = math.min(g.stat_length or n, n)
    if k < 1 then util.raise("ValueError", "pad: stat_length is %d, at least 1 is expected", k) end
    local of = STATISTIC[g.mode]
    return arr(of(nd.take(a, nd.arange(k), axis), axis)), arr(of(nd.take(a, nd.arange(n - k, n), axis), axis))
  end

  local function padded_axis(a, axis, w, g, constants, ends)
    local n = a.shape[axis + 1]
    if g.mode == "constant" then return bordered(a, axis, w, constants[1], constants[2]) end
    if n == 0 then
      util.raise("ValueError", "pad: axis %d is empty: only the mode 'constant' can pad it, not '%s'", axis, g.mode)
    end
    if INSIDE[g.mode] then return nd.take(a, INSIDE[g.mode](nd.arange(-w[1], n + w[2]), n), axis) end
    if g.mode == "linear_ramp" then return ramp(a, axis, w, ends) end
    return bordered(a, axis, w, statistics(a, axis, g))
  end

  --- `pad(array, pad_width, {mode = "constant", constant_values = 0, end_values = 0, stat_length =})`: more elements
  -- before and behind each axis. pad_width, and the values: one for all, `{before, after}`, or `{{before, after}, ..}`
  -- for each axis. Modes: "constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp" (to the end values),
  -- "maximum", "minimum", "mean", "median" (of the axis, or of `stat_length` elements at its end).
  function nd.pad(...)
    local g = util.bind("pad", PAD, ...)
    g.mode = g.mode or "constant"
    if g.array == nil or g.pad_width == nil then
      util.raise("TypeError", "pad: argument '%s' is missing", g.array == nil and "array" or "pad_width")
    end
    if g.mode ~= "constant" and g.mode ~= "linear_ramp" and not INSIDE[g.mode] and not STATISTIC[g.mode] then
      util.raise("ValueError", "pad: the mode is 'constant', 'edge', 'reflect', 'symmetric', 'wrap', 'linear_ramp', "
        .. "'maximum', 'minimum', 'mean' or 'median', not '%s'", g.mode)
    end
    for name, mode in pairs(ONLY) do
      if g[name] ~= nil and g.mode ~= mode then
        util.raise("ValueError", "pad: %s are for the mode '%s', this one is '%s'", name, mode, g.mode)
      end
    end
    if g.stat_length and not STATISTIC[g.mode] then
      util.raise("ValueError", "pad: stat_length is for statistics, the mode is '%s'", g.mode)
    end
    local a = arr(g.array)
    local widths = util.pairs_by_axis("pad: pad_width", g.pad_width, a.ndim, width)
    local constants = util.pairs_by_axis("pad: constant_values", g.constant_values or 0, a.ndim, number)
    local ends = util.pairs_by_axis("pad: end_values", g.end_values or 0, a.ndim, number)
    local out = a:copy()
    for d = 0, a.ndim - 1 do
      local w = widths[d + 1]
      if w[1] + w[2] > 0 then out = padded_axis(out, d, w, g, constants[d + 1], ends[d + 1]) end
    end
    return out
  end

  -- ---- positions ----------------------------------------------------------------------------------------------------
  -- A slice of a grid, "0:3", "0:1:0.25" or "0:1:5j" (five values, both ends among them), as a vector.
  local function grid_range(name, text)
    local start, stop, step = text:match("^%s*([^:]*):([^:]*):?([^:]*)$")
    local points = step and math.tointeger(tonumber(step:match("^%s*(%d+)j%s*$")))
    local function of(part, otherwise)
      if not part or part:match("^%s*$") then return otherwise end
      return math.tointeger(tonumber(part)) or tonumber(part)
        or util.raise("ValueError", "%s: '%s' is no number", name, part)
    end
    if not start or not tonumber(stop) then
      util.raise("ValueError", "%s: slices such as \"0:3\", \"0:1:0.1\" or \"0:1:5j\" are expected, not '%s'", name,
        text)
    end
    if points then return nd.linspace(of(start, 0), of(stop), points) end
    return nd.arange(of(start, 0), of(stop), of(step, 1))
  end
  local function grid(name, make)
    return setmetatable({}, { __name = name, __index = function(_, key)
      if type(key) ~= "string" then
        util.raise("TypeError", "%s: slices in a text are expected, %s[\"0:3, 0:1:0.25\"], not %s", name, name,
          util.kind_of(key))
      end
      local list = {}
      for part in key:gmatch("[^,]+") do list[#list + 1] = grid_range(name, part) end
      if #list == 1 then return list[1] end
      return make(list)
    end })
  end
  --- Coordinates of a rectangular grid in one array, the first axis for the axes.
  nd.mgrid = grid("mgrid", function(list)
    list[#list + 1] = { indexing = "ij" }
    return nd.stack({ nd.meshgrid(table.unpack(list)) })
  end)
  --- The same as a sequence of arrays, each of length 1 but along its own axis.
  nd.ogrid = grid("ogrid", function(list) return { nd.ix_(table.unpack(list)) } end)

  -- ---- choosing and writing -----------------------------------------------------------------------------------------
  --- Writes into a, in order, where the mask holds: the values again and again.
  function nd.place(a, mask, vals)
    util.expect("place", "a", a, "ndarray")
    local at = nd.flatnonzero(arr(mask))
    vals = arr(vals):reshape({ -1 })
    if at.size == 0 then return end
    if vals.size == 0 then util.raise("ValueError", "place: there are no values for %d elements", at.size) end
    a[arr(mask):reshape(a.shape):astype("bool")] = nd.take(vals, nd.mod(nd.arange(at.size), vals.size))
  end
  --- Writes into a where the mask holds what stands at the same place of the values (again and again).
  function nd.putmask(a, mask, values)
    util.expect("putmask", "a", a, "ndarray")
    a[arr(mask):astype("bool")] = nd.resize(values, a.shape)[arr(mask):astype("bool")]
  end
  --- `put(a, ind, v)`: writes at positions of the elements in order, the values again and again.
  function nd.put(a, ind, v)
    util.expect("put", "a", a, "ndarray")
    local at = arr(ind):reshape({ -1 })
    local flat = a:copy():reshape({ -1 })
    flat[at] = nd.resize(v, { at.size }):astype(a.dtype)
    a:assign(flat:reshape(a.shape))
  end
  --- `vectorize(fn)`: a function of arrays (and numbers) of fitting shapes that calls fn with their elements, one by
  -- one, and makes an array of what it gives.
  function nd.vectorize(fn)
    util.expect("vectorize", "fn", fn, "function")
    return function(...)
      local list, out = table.pack(nd.broadcast_arrays(...)), {}
      if list.n == 0 then util.raise("TypeError", "vectorize: the function takes at least one array") end
      local shape = arr(list[1]).shape
      for i, a in ipairs(list) do list[i] = arr(a):reshape({ -1 }):tolist() end
      for k = 1, #list[1] do
        local values = {}
        for i = 1, list.n do values[i] = list[i][k] end
        out[k] = fn(table.unpack(values))
      end
      return result(nd.array(out):reshape(shape))
    end
  end
  --- Writes val (a number, or a vector along it) into the diagonal of a, and gives a.
  function nd.fill_diagonal(a, val)
    util.expect("fill_diagonal", "a", a, "ndarray")
    if a.ndim < 2 then util.raise("ValueError", "fill_diagonal: an array of at least two dimensions is needed") end
    local n, at = math.min(table.unpack(a.shape)), {}
    for d = 1, a.ndim do
      if a.ndim > 2 and a.shape[d] ~= n then
        util.raise("ValueError", "fill_diagonal: with more than two dimensions all lengths are equal")
      end
      at[d] = nd.arange(n)
    end
    a[at] = val
    return a
  end
end
