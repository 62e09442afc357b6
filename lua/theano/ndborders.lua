--- NumPy's functions on arrays that move elements: grids, writing through masks and positions. Installed
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
    if not nd.all(arr(nd.isfinite(a))) then
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
  function nd.put(a, ind, v, mode)
    util.expect("put", "a", a, "ndarray")
    local at = arr(ind):reshape({ -1 })
    if mode == "wrap" then at = nd.mod(at, a.size)
    elseif mode == "clip" then at = nd.clip(at, 0, a.size - 1)
    elseif mode ~= nil and mode ~= "raise" then
      util.raise("ValueError", "put: mode is 'raise', 'wrap' or 'clip', not %s", util.text(mode))
    end
    local flat = a:copy():reshape({ -1 })
    flat[at] = nd.resize(v, { at.size }):astype(a.dtype)
    a:assign(flat:reshape(a.shape))
  end
  --- `vectorize(fn)`: a function of arrays (and numbers) of fitting shapes that calls fn with their elements, one by
  -- one, and makes an array of what it gives.
  function nd.vectorize(fn)
    fn = util.callable(fn)
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
  -- `count` numbers, those of val taken in turn.
  local function in_turn(what, val, count)
    if type(val) == "number" then return val end
    val = arr(val)
    if val.size == 0 then util.raise("ValueError", "%s: there is nothing to write", what) end
    return val.size == 1 and val:reshape({ 1 }) or nd.resize(val:reshape({ -1 }), count)
  end
  --- `fill_diagonal(a, val, wrap)`: writes val (a number, or numbers in turn) into the diagonal of a, and gives a; with
  -- wrap that of a matrix with more rows than columns begins again below its end, one row further.
  function nd.fill_diagonal(...)
    local o = util.bind("fill_diagonal", { "a", "val", "wrap", wrap = "boolean" }, ...)
    util.present("fill_diagonal", o, { "a", "val" })
    local a = o.a
    util.expect("fill_diagonal", "a", a, "ndarray")
    if a.ndim < 2 then util.raise("ValueError", "fill_diagonal: an array of at least two dimensions is needed") end
    local n, at = math.min(table.unpack(a.shape)), {}
    for d = 1, a.ndim do
      if a.ndim > 2 and a.shape[d] ~= n then
        util.raise("ValueError", "fill_diagonal: with more than two dimensions all lengths are equal")
      end
      at[d] = nd.arange(n)
    end
    if o.wrap and a.ndim == 2 and a.shape[1] > n and n > 0 then
      local places = nd.arange(0, a.size, n + 1)
      at = { places // n, places % n }
    end
    if at[1].size > 0 then a[at] = in_turn("fill_diagonal", o.val, at[1].size) end
    return a
  end

  -- What three arrays or more give together: floats meet each integer, as in NumPy, not what integers are together. The
  -- engine's dtype is the greater one, so values stay.
  local function together(r, list)
    if not util.is_array(r) or #list < 3 then return r end
    for i = 1, #list do if not util.is_array(list[i]) or list[i].dtype == r.dtype then return r end end
    return r:astype(nd.result_type(table.unpack(list)))
  end
  local function joined(join, arrays, axis, ...)
    local asked = ...
    if type(axis) == "table" then asked = axis.dtype end
    local r = join(arrays, axis, ...)
    return type(arrays) == "table" and asked == nil and together(r, arrays) or r
  end
  local concatenate, stack, einsum = nd.concatenate, nd.stack, nd.einsum
  --- `concatenate(arrays, {axis = 0, dtype})`: arrays one after the other along axis (None: flattened), of dtype.
  function nd.concatenate(...) return joined(concatenate, ...) end
  --- The same.
  function nd.concat(...) return joined(concatenate, ...) end
  --- `stack(arrays, {axis = 0, dtype})`: arrays one above the other along a new axis, of dtype.
  function nd.stack(...) return joined(stack, ...) end
  --- `einsum(subscripts, ..)`: sums of products over labelled dimensions, "ij,jk->ik": labels that the result lacks are
  -- summed, a label twice in an operand is its diagonal, "..." stands for other dimensions; or each operand is followed
  -- by a list of numbers as its labels.
  function nd.einsum(...) return together(einsum(...), { select(2, ...) }) end

  local choose = nd.choose
  --- `choose(a, choices, {mode = "raise"})`: the element of choices[a] at each place of a. Choices that are arrays are
  -- broadcast, and numbers among them take the dtype of the arrays.
  function nd.choose(...)
    local a, choices = ...
    local arrays, others = false, false
    for i = 1, type(choices) == "table" and #choices or 0 do
      if util.is_array(choices[i]) then arrays = true else others = true end
    end
    if not arrays then return choose(...) end
    if not others then -- arrays of the same lengths, most often: else what is wrong is said below
      local ok, r = pcall(choose, ...)
      if ok then return together(r, choices) end
    end
    local list, dtypes = {}, {}
    for i, c in ipairs(choices) do
      dtypes[i] = type(c) == "table" and arr(c) or c
      list[i] = arr(c)
    end
    local dtype = nd.result_type(table.unpack(dtypes))
    for i, c in ipairs({ nd.broadcast_arrays(table.unpack(list)) }) do list[i] = arr(c):astype(dtype) end
    return choose(a, nd.stack(list), select(3, ...))
  end
end
