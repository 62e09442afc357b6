--- `nd.sparse`: sparse matrices as values, under SciPy's names. CSR and CSC matrices are the engine's: arguments,
-- results and shared values of functions; every operation on them is that of `theano.sparse`, done at once. COO
-- matrices are triplets on their way to one of these.
-- @module theano.ndarray.sparse
local core = require("theano.core")
local util = require("theano.util")

return function(nd)
  local sparse, eager, methods = {}, {}, {}
  for _, f in ipairs(core.functions()) do
    local name = f.name:match("^sparse%.([^.]+)$")
    if name then eager[name] = f.eager end
  end

  local LONG = { csr = "Compressed Sparse Row", csc = "Compressed Sparse Column", coo = "COOrdinate" }
  local MOST = 50 -- values that are printed

  --- Whether x is a sparse matrix.
  function sparse.issparse(x) return core.kind(x) == "sparse" or getmetatable(x) == "coo" end
  local issparse = sparse.issparse
  sparse.isspmatrix = issparse

  -- ---- making them --------------------------------------------------------------------------------------------------
  local known = { shape = "table", dtype = "string", format = "string" }
  local coo = { __name = "coo", __metatable = "coo" }

  local function is_coo(x) return getmetatable(x) == "coo" end

  local function shape_of(what, shape)
    local list = util.list(what .. ": shape", shape)
    if #list ~= 2 or math.type(list[1]) ~= "integer" or math.type(list[2]) ~= "integer" then
      util.raise("ValueError", "%s: a shape is two integers", what)
    end
    return { list[1], list[2] }
  end

  local function largest(v)
    return v.size > 0 and nd.asarray(v):max() + 1 or 0
  end

  -- {data, {row, col}}
  local function triplets(what, t, options)
    local at = util.list(what .. ": positions", t[2])
    local data, row, col = nd.asarray(t[1]), nd.asarray(at[1]), nd.asarray(at[2])
    if row.size == 0 then row, col = row:astype("int64"), col:astype("int64") end
    if options.dtype then data = data:astype(options.dtype) end
    local shape = options.shape and shape_of(what, options.shape) or { largest(row), largest(col) }
    return { data = data, row = row, col = col, shape = shape }
  end

  local function is_pair(t) return type(t) == "table" and type(t[2]) == "table" and getmetatable(t[2]) == nil
    and #t[2] == 2 and type(t[2][1]) ~= "number" and t[3] == nil end

  local function is_shape(t)
    return type(t) == "table" and #t == 2 and math.type(t[1]) == "integer" and math.type(t[2]) == "integer"
  end

  local function compressed(format, what, t, options)
    local data, indices, indptr = nd.asarray(t[1]), nd.asarray(t[2]), nd.asarray(t[3])
    if options.dtype then data = data:astype(options.dtype) end
    if indices.size == 0 then indices = indices:astype("int64") end
    local lines = indptr.size - 1
    local shape = options.shape and shape_of(what, options.shape)
      or format == "csr" and { lines, largest(indices) } or { largest(indices), lines }
    return core.sparse_new(format, shape, data, indices, indptr)
  end

  local function empty(format, shape, dtype)
    local none = core.zeros({ 0 }, dtype or "float64")
    local lines = shape[format == "csr" and 1 or 2]
    if lines < 0 then util.raise("ValueError", "negative length %d", lines) end
    return core.sparse_new(format, shape, none, core.zeros({ 0 }, "int32"), core.zeros({ lines + 1 }, "int32"))
  end

  local function cast(x, dtype) return dtype and dtype ~= x.dtype and x:astype(dtype) or x end

  -- What a constructor is given: a dense matrix, a sparse one, a shape, parts or triplets.
  local function make(format, x, options)
    local what = format .. "_matrix"
    options = options or {}
    util.check_keywords(what, options, known)
    if issparse(x) then return cast(x:asformat(format), options.dtype) end
    if util.is_array(x) then
      if x.ndim ~= 2 then util.raise("TypeError", "%s: a matrix is needed, not %d dimensions", what, x.ndim) end
      return cast(eager[format .. "_from_dense"](x), options.dtype)
    end
    if type(x) ~= "table" then util.raise("TypeError", "%s cannot be made of %s", what, util.kind_of(x)) end
    if is_shape(x) then return empty(format, x, options.dtype) end
    if is_pair(x) then
      local t = triplets(what, x, options)
      return eager.from_triplets(t.data, t.row, t.col, nd.array(t.shape), format)
    end
    if #x == 3 and type(x[1]) ~= "number" and (util.is_array(x[1]) or options.shape) then
      return compressed(format, what, x, options)
    end
    return make(format, nd.array(x, options.dtype), options)
  end

  --- A sparse matrix by rows: `csr_matrix(dense)`, `csr_matrix({data, indices, indptr}, {shape = {m, n}})`,
  -- `csr_matrix({data, {row, col}}, {shape =})`, `csr_matrix({m, n})` without values, or of another sparse matrix.
  function sparse.csr_matrix(x, options) return make("csr", x, options) end
  --- The same by columns; indices are rows, indptr says where columns begin.
  function sparse.csc_matrix(x, options) return make("csc", x, options) end
  sparse.csr_array, sparse.csc_array = sparse.csr_matrix, sparse.csc_matrix

  --- A matrix of triplets: `coo_matrix({data, {row, col}}, {shape =})`, or of a dense or sparse matrix.
  function sparse.coo_matrix(x, options)
    options = options or {}
    util.check_keywords("coo_matrix", options, known)
    if issparse(x) or not is_pair(x) then return make("csr", x, options):tocoo() end
    return setmetatable(triplets("coo_matrix", x, options), coo)
  end
  sparse.coo_array = sparse.coo_matrix

  local function format_or(format, absent)
    format = format or absent
    if not LONG[format] then util.raise("ValueError", "the format is csr, csc or coo, not %s", util.text(format)) end
    return format
  end

  --- Identity matrix (m rows, n columns) with the ones on diagonal k.
  function sparse.eye(m, n, k, dtype, format)
    n, k = n or m, k or 0
    local count = math.max(0, math.min(m, n - k) - math.max(0, -k))
    local first = math.max(0, -k)
    local row = nd.arange(first, first + count)
    local data = nd.ones({ count }, dtype or "float64")
    return sparse.coo_matrix({ data, { row, row + k } }, { shape = { m, n } }):asformat(format_or(format, "csr"))
  end
  function sparse.identity(n, dtype, format) return sparse.eye(n, n, 0, dtype, format) end

  --- A matrix with given diagonals: `diags({d0, d1, ..}, {0, 1, ..}, {m, n})`; one number stands for a whole diagonal.
  function sparse.diags(diagonals, offsets, shape, format, dtype)
    if type(offsets) ~= "table" then diagonals, offsets = { diagonals }, { offsets or 0 } end
    local first = nd.asarray(diagonals[1])
    local n = first.size + math.abs(offsets[1])
    shape = shape or { n, n }
    local row, col, data = {}, {}, {}
    for i, k in ipairs(offsets) do
      local count = math.max(0, math.min(shape[1] + math.min(k, 0), shape[2] - math.max(k, 0)))
      local d = nd.asarray(diagonals[i])
      if d.size ~= 1 and d.size < count then
        util.raise("ValueError", "diagonal %d has %d elements, %d are needed", k, d.size, count)
      end
      local at = nd.arange(count)
      row[i], col[i] = at + math.max(0, -k), at + math.max(0, k)
      local whole = d.size == 1 and nd.ones({ count }, d.dtype) * d:reshape({ -1 })
      data[i] = whole or d:reshape({ -1 })[("0:%d"):format(count)]
    end
    local all = sparse.coo_matrix({ nd.concatenate(data), { nd.concatenate(row), nd.concatenate(col) } },
      { shape = shape, dtype = dtype })
    return all:asformat(format_or(format, "csr"))
  end

  --- Random matrix: density of all places are stored, with uniform values in [0, 1), drawn by a RandomState.
  function sparse.random(m, n, density, format, dtype, rng)
    rng = rng or nd.random.RandomState()
    if type(rng) == "number" then rng = nd.random.RandomState(rng) end
    local count = math.floor((density or 0.01) * m * n + 0.5)
    if count < 0 or count > m * n then util.raise("ValueError", "the density is a number of 0 to 1") end
    local place = count > 0 and rng:permutation(m * n)[("0:%d"):format(count)] or core.zeros({ 0 }, "int64")
    local data = rng:random_sample({ count }):astype(dtype or "float64")
    return sparse.coo_matrix({ data, { place // n, place % n } }, { shape = { m, n } })
      :asformat(format_or(format, "coo"))
  end
  sparse.rand = sparse.random

  local function stack(name)
    return function(blocks, format, dtype)
      local list = {}
        for i, x in ipairs(util.list("blocks", blocks)) do
        list[i] = issparse(x) and x:tocsr() or sparse.csr_matrix(x)
      end
      local r = eager[name](list, "csr", dtype)
      return format and r:asformat(format) or r
    end
  end
  sparse.hstack, sparse.vstack = stack("hstack"), stack("vstack")

  -- ---- attributes and methods ---------------------------------------------------------------------------------------
  local parts = setmetatable({}, { __mode = "k" })
  local function part(x, key)
    local p = parts[x]
    if not p then
      p = core.sparse_parts(x)
      setmetatable(p.shape, getmetatable(core.zeros({ 0 }).shape))
      parts[x] = p
    end
    return p[key]
  end

  local attributes = util.set({ "format", "dtype", "shape", "nnz", "data", "indices", "indptr" })
  local computed = {
    ndim = function() return 2 end,
    size = function(x) return part(x, "nnz") end,
    has_sorted_indices = function(x) return part(x, "sorted") end,
    has_canonical_format = function(x) return part(x, "sorted") end,
    T = function(x) return eager.transpose(x) end,
  }

  function methods.toarray(x) return eager.dense_from_sparse(x) end
  methods.todense = methods.toarray
  methods.sub = core.sparse_sub
  function methods.copy(x) return core.sparse_copy(x) end
  function methods.tocsr(x) return eager.tocsr(x) end
  function methods.tocsc(x) return eager.tocsc(x) end
  function methods.transpose(x) return eager.transpose(x) end
  function methods.astype(x, dtype) return eager.cast(x, dtype) end
  function methods.conj(x) return eager.conj(x) end
  --- Product with a dense matrix or vector (dense) or with a sparse matrix (sparse).
  function methods.dot(x, y)
    if issparse(y) then return eager.true_dot(x, is_coo(y) and y:tocsr() or y) end
    return eager.dot(x, nd.asarray(y))
  end
  -- With one value at each place: what is not linear is of their sum.
  local function one_each(x)
    if core.kind(x) ~= "sparse" or part(x, "sorted") then return x end
    return eager.sum_duplicates(eager.ensure_sorted_indices(x))
  end
  --- Elementwise product, sparse.
  function methods.multiply(x, y)
    if is_coo(y) then y = y:tocsr() end
    if issparse(y) or type(y) ~= "table" and not util.is_array(y) then return eager.mul(one_each(x), one_each(y)) end
    y = nd.asarray(y)
    local m, n = part(x, "shape")[1], part(x, "shape")[2]
    if y.ndim ~= 2 or y.shape[1] == m and y.shape[2] == n then return eager.mul(one_each(x), y) end
    return eager.mul(one_each(x), nd.broadcast_to(y, { m, n }))
  end
  local function axis_of(what, axis)
    if math.type(axis) ~= "integer" or axis < -2 or axis > 1 then
      util.raise("ValueError", "%s: the axis of a sparse matrix is 0, 1, -1 or -2, not %s", what, util.text(axis))
    end
    return axis % 2
  end
  -- Whole numbers are added up in 64 bits, as those of arrays.
  local WIDE = { bool = "int64", int8 = "int64", int16 = "int64", int32 = "int64", uint8 = "uint64", uint16 = "uint64",
    uint32 = "uint64" }
  function methods.sum(x, axis)
    local wide = WIDE[part(x, "dtype")]
    if wide then x = x:astype(wide) end
    if axis == nil then return eager.sp_sum(x) end
    return eager.sp_sum(x, axis_of("sum", axis))
  end
  function methods.mean(x, axis)
    local shape = part(x, "shape")
    local n = axis == nil and shape[1] * shape[2] or shape[axis_of("mean", axis) + 1]
    return methods.sum(x, axis) / n
  end
  --- The elements of diagonal k, dense.
  function methods.diagonal(x, k)
    util.check_type("diagonal", "k", k, "integer")
    local m, n = part(x, "shape")[1], part(x, "shape")[2]
    k = k or 0
    local down, right = math.max(-k, 0), math.max(k, 0)
    local at = nd.arange(math.max(math.min(m - down, n - right), 0))
    return eager.get_item_2lists(x, at + down, at + right)
  end
  function methods.trace(x, k) return nd.sum(methods.diagonal(x, k)) end
  -- Where the values of each line lie that is no other's: its first position and how many there are.
  local function lines_along(x, axis)
    x = one_each(axis == 1 and x:tocsr() or x:tocsc())
    local at = part(x, "indptr"):astype("int64")
    return x, at["0:-1"], at["1:"] - at["0:-1"]
  end
  --- How many values are stored, along an axis as a vector.
  function methods.getnnz(x, axis)
    if axis == nil then return part(x, "nnz") end
    axis = axis_of("getnnz", axis)
    local at = part(axis == 1 and x:tocsr() or x:tocsc(), "indptr"):astype("int64")
    return at["1:"] - at["0:-1"]
  end
  function methods.count_nonzero(x) return nd.count_nonzero(part(one_each(x), "data")) end
  --- Rows and columns of the values that are not zero, and these values.
  function sparse.find(x)
    local t = eager.remove0(one_each(x:tocsr())):tocoo()
    return t.row, t.col, t.data
  end
  function methods.nonzero(x)
    local row, col = sparse.find(x)
    return row, col
  end
  -- The largest or smallest element, also of those that are not stored; along an axis a vector.
  local function extremum(name, fold)
    methods[name] = function(x, axis)
      local m, n = part(x, "shape")[1], part(x, "shape")[2]
      if axis ~= nil then axis = axis_of(name, axis) end
      if (axis == nil and m * n or axis == 0 and m or n) == 0 then
        util.raise("ValueError", "%s: there are no elements", name)
      end
      if axis == nil then
        local data = part(one_each(x), "data")
        if data.size < m * n then data = nd.concatenate({ data, core.zeros({ 1 }, data.dtype) }) end
        return nd[name](data)
      end
      local from, at, many = lines_along(x, axis)
      local filled = nd.flatnonzero(many)
      local out = core.zeros({ axis == 1 and m or n }, part(x, "dtype"))
      if filled.size == 0 then return out end
      local found = nd.ufunc(fold).reduceat(part(from, "data"), at[filled])
      local whole = nd.eq(many[filled], axis == 1 and n or m)
      out[filled] = nd.where(whole, found, fold(found, core.zeros({}, out.dtype)))
      return out
    end
  end
  extremum("max", nd.maximum)
  extremum("min", nd.minimum)
  function methods.asformat(x, format)
    if format == "coo" then return x:tocoo() end
    return eager["to" .. format_or(format, "csr")](x)
  end
  function methods.sorted_indices(x) return eager.ensure_sorted_indices(x) end
  function methods.sum_duplicates(x) return eager.sum_duplicates(x) end
  function methods.eliminate_zeros(x) return eager.remove0(x) end
  --- With other stored values.
  function methods.with_data(x, data) return eager.with_data(x, nd.asarray(data)) end
  function methods.getrow(x, i) return eager.get_item_list(x, { i }) end
  function methods.getcol(x, j) return eager.transpose(eager.get_item_list(eager.transpose(x), { j })) end
  -- Two matrices' values at all places where one of them has one, by a function of both.
  local function joined(fn, x, y)
    local format = x.format
    x, y = one_each(x), one_each(y:asformat(format))
    local function marked(a) return eager.with_data(a, nd.ones(part(a, "data").shape, part(a, "dtype"))) end
    local places = eager.add(marked(x), marked(y))
    local none = eager.with_data(places, nd.zeros_like(part(places, "data")))
    local a, b = part(eager.add(none, x), "data"), part(eager.add(none, y), "data")
    return eager.remove0(eager.with_data(places, fn(a, b)))
  end
  -- By element, also of those that are not stored: with a number that changes these, the matrix is full.
  local function bounded(name, fn, changes)
    methods[name] = function(x, y)
      if issparse(y) then return joined(fn, x, y) end
      if type(y) == "number" and changes(y) then return make(x.format, fn(x:toarray(), y)) end
      return eager["structured_" .. name](one_each(x), y)
    end
  end
  bounded("maximum", nd.maximum, function(v) return v > 0 end)
  bounded("minimum", nd.minimum, function(v) return v < 0 end)
  function methods.power(x, n) return eager.structured_pow(one_each(x), n) end
  for _, name in ipairs({ "sin", "tan", "arcsin", "arctan", "sinh", "arcsinh", "tanh", "arctanh", "rint", "ceil",
    "floor", "log1p", "expm1", "deg2rad", "rad2deg", "trunc", "sqrt", "sgn" }) do
    methods[name] = function(x) return eager[name](one_each(x)) end
  end
  methods.sign = methods.sgn
  function methods.abs(x) return eager.abs_(one_each(x)) end

  function methods.tocoo(x)
    local p = core.sparse_parts(x)
    local lines = p.indptr.size - 1
    local line = nd.repeat_(nd.arange(lines), p.indptr["1:"] - p.indptr["0:-1"]):astype("int32")
    local rows = p.format == "csr"
    return setmetatable({
      data = p.data:copy(), row = rows and line or p.indices:copy(), col = rows and p.indices:copy() or line,
      shape = { p.shape[1], p.shape[2] },
    }, coo)
  end

  -- ---- printing -----------------------------------------------------------------------------------------------------
  local function plain(a, i)
    local v = a[{ i }]
    if type(v) == "boolean" then return v and "True" or "False" end
    return tostring(core.array(v, a.dtype))
  end

  local function repr(x)
    local kind = is_coo(x) and "coo" or x.format
    return ("<%s sparse matrix of dtype '%s'\n\twith %d stored elements and shape (%d, %d)>"):format(LONG[kind],
      x.dtype, x.nnz, x.shape[1], x.shape[2])
  end

  local function text(x)
    local t, out = is_coo(x) and x or x:tocoo(), { repr(x) }
    local n = t.data.size
    if n > 0 then out[2] = "  Coords\tValues" end
    local function line(i)
      out[#out + 1] = ("  (%d, %d)\t%s"):format(t.row[{ i }], t.col[{ i }], plain(t.data, i))
    end
    local half = MOST // 2
    for i = 0, (n > MOST and half or n) - 1 do line(i) end
    if n > MOST then
      out[#out + 1] = "  :\t:"
      for i = n - half, n - 1 do line(i) end
    end
    return table.concat(out, "\n")
  end

  --- As SciPy's repr: one line about format, dtype, values and shape.
  function methods.repr(x) return repr(x) end

  -- ---- operators ----------------------------------------------------------------------------------------------------
  local meta = core.sparse_meta
  local function plain_operand(x) return is_coo(x) and x:tocsr() or one_each(x) end
  local function operator(name)
    return function(x, y)
      x, y = plain_operand(x), plain_operand(y)
      if name == "add" and (x == 0 or y == 0) then return (issparse(x) and x or y):copy() end
      if name == "sub" and y == 0 then return x:copy() end
      return eager[name](x, y)
    end
  end
  local function scaled(name)
    return function(x, y)
      if type(y) == "number" or type(x) == "number" then
        local a, k = x, y
        if type(x) == "number" then a, k = y, x end
        a = plain_operand(a)
        return eager.with_data(a, name == "mul" and a.data * k or a.data / k)
      end
      return eager[name](plain_operand(x), plain_operand(y))
    end
  end
  for _, m in ipairs({ meta, coo }) do
    m.__add, m.__sub, m.__mul, m.__div = operator("add"), operator("sub"), scaled("mul"), scaled("true_div")
    m.__unm = function(x) return eager.neg(plain_operand(x)) end
    m.__pow = function(x, n) return methods.power(plain_operand(x), n) end
    m.__tostring = text
    m.__concat = util.concat
    m.__len = function(x) return x.shape[1] end
    m.__lt = function()
      util.raise("TypeError", "Lua makes a boolean of every comparison: use nd.sparse.lt(a, b)")
    end
    m.__le = m.__lt
  end
  for _, name in ipairs({ "eq", "neq", "lt", "le", "gt", "ge" }) do sparse[name] = operator(name) end

  meta.__index = function(x, key)
    if type(key) == "string" then
      if attributes[key] then return part(x, key) end
      if methods[key] then return methods[key] end
      if computed[key] then return computed[key](x) end
      if not key:find("[%d:]") then
        util.raise("AttributeError", "a sparse matrix has no '%s'", key)
      end
    end
    return core.sparse_item(x, key)
  end
  meta.__newindex = function()
    util.raise("TypeError", "elements of a sparse matrix cannot be set: write into x.data, or make another matrix")
  end

  -- ---- COO ----------------------------------------------------------------------------------------------------------
  local coo_methods = {}
  function coo_methods.tocsr(x) return eager.from_triplets(x.data, x.row, x.col, nd.array(x.shape), "csr") end
  function coo_methods.tocsc(x) return eager.from_triplets(x.data, x.row, x.col, nd.array(x.shape), "csc") end
  function coo_methods.tocoo(x) return x end
  function coo_methods.toarray(x) return x:tocsr():toarray() end
  coo_methods.todense = coo_methods.toarray
  function coo_methods.asformat(x, format) return x["to" .. format_or(format, "coo")](x) end
  function coo_methods.astype(x, dtype)
    return setmetatable({ data = x.data:astype(dtype), row = x.row, col = x.col, shape = x.shape }, coo)
  end
  function coo_methods.copy(x)
    return setmetatable({ data = x.data:copy(), row = x.row:copy(), col = x.col:copy(),
      shape = { x.shape[1], x.shape[2] } }, coo)
  end
  function coo_methods.repr(x) return repr(x) end
  coo.__index = function(x, key)
    if coo_methods[key] then return coo_methods[key] end
    if key == "nnz" or key == "size" then return rawget(x, "data").size end
    if key == "dtype" then return rawget(x, "data").dtype end
    if key == "format" then return "coo" end
    if key == "ndim" then return 2 end
    if key == "T" then
      return setmetatable({ data = x.data, row = x.col, col = x.row, shape = { x.shape[2], x.shape[1] } }, coo)
    end
    if methods[key] then
      return function(a, ...) return methods[key](a:tocsr(), ...) end
    end
    return nil
  end

  -- ---- files --------------------------------------------------------------------------------------------------------
  --- Writes a matrix as SciPy's save_npz does, so that its load_npz reads it.
  function sparse.save_npz(path, x)
    local format = is_coo(x) and "coo" or x.format
    local file = {
      format = core.text_array(format), shape = nd.array({ x.shape[1], x.shape[2] }), data = x.data,
    }
    if format == "coo" then file.row, file.col = x.row, x.col
    else file.indices, file.indptr = x.indices, x.indptr end
    nd.savez(path, file)
  end

  --- Reads what SciPy's save_npz or ours wrote: CSR, CSC or COO.
  function sparse.load_npz(path)
    local file = nd.load(path)
    local format = file.format and file.format:tostring()
    if not format or not file.shape or not file.data then
      util.raise("ValueError", "%s holds no sparse matrix: format, shape and data are needed", path)
    end
    format = format:gsub("%z", "")
    local shape = file.shape:tolist()
    if format == "coo" then return sparse.coo_matrix({ file.data, { file.row, file.col } }, { shape = shape }) end
    if format ~= "csr" and format ~= "csc" then
      util.raise("NotImplementedError", "%s holds a matrix in the format '%s': csr, csc and coo can be read", path,
        format)
    end
    return core.sparse_new(format, shape, file.data, file.indices, file.indptr)
  end

  require("theano.ndsparseforms")(nd, sparse)
  return sparse
end
