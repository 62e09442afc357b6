--- Functions of `nd.sparse` that put matrices together or take parts of them, as compositions of triplets, under
-- SciPy's names.
-- @module theano.ndsparseforms
local util = require("theano.util")

return function(nd, sparse)
  local issparse = sparse.issparse

  local function matrix(x) return issparse(x) and x:tocoo() or sparse.coo_matrix(x) end
  local function made(data, row, col, shape, format)
    return sparse.coo_matrix({ data, { row, col } }, { shape = shape }):asformat(format or "csr")
  end

  --- The Kronecker product: each element of A times the matrix B.
  function sparse.kron(A, B, format)
    A, B = matrix(A), matrix(B)
    local m, n = B.shape[1], B.shape[2]
    local function each(a, b, step) return (a:reshape({ -1, 1 }) * step + b:reshape({ 1, -1 })):reshape({ -1 }) end
    local data = (A.data:reshape({ -1, 1 }) * B.data:reshape({ 1, -1 })):reshape({ -1 })
    return made(data, each(A.row, B.row, m), each(A.col, B.col, n), { A.shape[1] * m, A.shape[2] * n }, format)
  end
  --- The Kronecker sum of square matrices: kron(I, A) + kron(B, I).
  function sparse.kronsum(A, B, format)
    A, B = matrix(A), matrix(B)
    for _, x in ipairs({ A, B }) do
      if x.shape[1] ~= x.shape[2] then
        util.raise("ValueError", "kronsum: matrices are square, not %d by %d", x.shape[1], x.shape[2])
      end
    end
    local left = sparse.kron(sparse.eye(B.shape[1], B.shape[1], 0, A.dtype), A)
    local sum = left + sparse.kron(B, sparse.eye(A.shape[1], A.shape[1], 0, B.dtype))
    return sum:asformat(format or "csr")
  end

  -- Matrices where they stand: {matrix, first row, first column}.
  local function placed(parts, shape, format, dtype)
    if #parts == 0 then return sparse.csr_matrix(shape, { dtype = dtype }):asformat(format or "coo") end
    local data, row, col = {}, {}, {}
    for i, p in ipairs(parts) do data[i], row[i], col[i] = p[1].data, p[1].row + p[2], p[1].col + p[3] end
    local all = made(nd.concatenate(data), nd.concatenate(row), nd.concatenate(col), shape, format or "coo")
    return dtype and all:astype(dtype) or all
  end
  --- Matrices along a diagonal.
  function sparse.block_diag(mats, format, dtype)
    local parts, m, n = {}, 0, 0
    for i, x in ipairs(util.list("block_diag: mats", mats)) do
      if type(x) == "number" or util.is_array(x) and x.ndim < 2 then x = nd.atleast_2d(x) end
      x = matrix(x)
      parts[i] = { x, m, n }
      m, n = m + x.shape[1], n + x.shape[2]
    end
    return placed(parts, { m, n }, format, dtype)
  end
  --- A matrix of matrices, rows of them; `false` is a block of zeros.
  function sparse.block_array(blocks, format, dtype)
    local rows, heights, widths = util.list("block_array: blocks", blocks), {}, {}
    local grid = {}
    local function agree(list, i, n, what)
      if list[i] and list[i] ~= n then
        util.raise("ValueError", "block_array: blocks of %d and %d %s stand in line %d", list[i], n, what, i - 1)
      end
      list[i] = n
    end
    for i, line in ipairs(rows) do
      grid[i] = {}
      for j = 1, math.max(#line, #rows[1]) do
        local x = line[j]
        if x ~= false and x ~= nil then
          x = matrix(x)
          grid[i][j] = x
          agree(heights, i, x.shape[1], "rows")
          agree(widths, j, x.shape[2], "columns")
        end
      end
    end
    local parts, m = {}, 0
    for i = 1, #rows do
      if not heights[i] then util.raise("ValueError", "block_array: row %d has zeros alone", i - 1) end
      local n = 0
      for j = 1, #rows[1] do
        if not widths[j] then util.raise("ValueError", "block_array: column %d has zeros alone", j - 1) end
        if grid[i][j] then parts[#parts + 1] = { grid[i][j], m, n } end
        n = n + widths[j]
      end
      m = m + heights[i]
      rows.width = n
    end
    return placed(parts, { m, rows.width or 0 }, format, dtype)
  end
  sparse.bmat = sparse.block_array

  local function triangle(keep)
    return function(A, k, format)
      A = matrix(A)
      local at = nd.flatnonzero(keep(A.col - A.row, k or 0))
      return made(A.data[at], A.row[at], A.col[at], A.shape, format or "coo")
    end
  end
  --- The elements on diagonal k and below it.
  sparse.tril = triangle(nd.le)
  --- The elements on diagonal k and above it.
  sparse.triu = triangle(nd.ge)

  --- A matrix whose diagonals are the rows of `data`: element j of a row stands in column j.
  function sparse.spdiags(data, diags, m, n, format)
    data, diags = nd.atleast_2d(data), nd.atleast_1d(diags):astype("int64")
    if type(m) == "table" then m, n, format = m[1], m[2], n end
    m, n = m or data.shape[2], n or m or data.shape[2]
    if data.shape[1] ~= diags.size then
      util.raise("ValueError", "spdiags: %d diagonals, %d offsets", data.shape[1], diags.size)
    end
    local width = math.min(n, data.shape[2])
    local col = nd.broadcast_to(nd.arange(width), { diags.size, width }):reshape({ -1 })
    local row = col - nd.repeat_(diags, width)
    local values = data[(":, 0:%d"):format(width)]:reshape({ -1 })
    local at = nd.flatnonzero(nd.and_(nd.and_(nd.ge(row, 0), nd.lt(row, m)), nd.neq(values, 0)))
    return made(values[at], row[at], col[at], { m, n }, format)
  end
  --- `diags_array(diagonals, {offsets = 0, shape, format, dtype})`: `diags` under its newer name.
  function sparse.diags_array(diagonals, ...)
    local o = util.bind("diags_array", { "offsets", "shape", "format", "dtype", format = "string" }, ...)
    return sparse.diags(diagonals, o.offsets, o.shape, o.format, o.dtype)
  end
  --- `eye_array(m, n, {k = 0, dtype, format})`: `eye` under its newer name.
  function sparse.eye_array(m, ...)
    local o = util.bind("eye_array", { "n", "k", "dtype", "format", k = "integer", format = "string" }, ...)
    return sparse.eye(m, o.n, o.k, o.dtype, o.format)
  end
  --- `random_array({m, n}, {density = 0.01, format, dtype, rng})`: `random` under its newer name.
  function sparse.random_array(shape, ...)
    local o = util.bind("random_array", { "density", "format", "dtype", "rng", format = "string" }, ...)
    util.check_type("random_array", "shape", shape, "table")
    return sparse.random(shape[1], shape[2], o.density, o.format, o.dtype, o.rng)
  end

  --- The axes in another order: nil or {1, 0} turn the matrix, {0, 1} leave it.
  function sparse.permute_dims(A, axes)
    local a, b = (axes or { 1, 0 })[1], (axes or { 1, 0 })[2]
    local ends = { [0] = 0, 1, [-1] = 1, [-2] = 0 }
    if not ends[a] or not ends[b] or ends[a] == ends[b] then
      util.raise("ValueError", "permute_dims: axes are {0, 1} or {1, 0}")
    end
    return ends[a] == 1 and A.T or A
  end
  --- Two axes exchanged.
  function sparse.swapaxes(A, axis1, axis2)
    local ends = { [0] = 0, 1, [-1] = 1, [-2] = 0 }
    if not ends[axis1] or not ends[axis2] then util.raise("ValueError", "swapaxes: axes are 0 and 1") end
    return ends[axis1] ~= ends[axis2] and A.T or A
  end
  for _, format in ipairs({ "csr", "csc", "coo" }) do
    sparse["isspmatrix_" .. format] = function(x) return issparse(x) and x.format == format end
  end
  for _, format in ipairs({ "bsr", "dia", "dok", "lil" }) do
    sparse["isspmatrix_" .. format] = function() return false end
  end
end
