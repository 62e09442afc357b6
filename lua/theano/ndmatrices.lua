--- SciPy's functions of matrices for `nd.linalg` whose results' shapes follow from the elements, or that are no formula
-- of arrays: ranks, tests, bands.
-- @module theano.ndmatrices
local core = require("theano.core")
local util = require("theano.util")

return function(nd, linalg)
  local arr = core.asarray
  local function form(x) return "(" .. table.concat(x.shape, ", ") .. (x.ndim == 1 and ",)" or ")") end
  local function matrix(what, name, x)
    if x == nil then util.raise("TypeError", "%s: argument '%s' is missing", what, name) end
    x = arr(x)
    if x.ndim ~= 2 then util.raise("ValueError", "%s: %s is a matrix, not of shape %s", what, name, form(x)) end
    return x.dtype:find("[fc]") and x or x:astype("float64")
  end
  local function adjoint(x) return nd.conj(x.T) end
  -- How many singular values are more than rcond times the largest.
  local function rank(s, x, rcond)
    local single = s.dtype == "float32"
    rcond = rcond or 2.0 ^ (single and -23 or -52) * math.max(x.shape[1], x.shape[2])
    return s.size > 0 and nd.sum(nd.gt(s, nd.max(s) * rcond)) or 0
  end

  --- `null_space(A, rcond)`: orthonormal columns that A takes to zero.
  function linalg.null_space(A, rcond)
    A = matrix("null_space", "A", A)
    local n = A.shape[2]
    if A.size == 0 then return nd.eye(n, n, 0, A.dtype) end
    local _, s, vh = linalg.svd(A, true)
    return adjoint(vh[("%d:"):format(rank(s, A, rcond))]):copy()
  end
  --- `orth(A, rcond)`: orthonormal columns that A's columns are sums of.
  function linalg.orth(A, rcond)
    A = matrix("orth", "A", A)
    if A.size == 0 then return nd.zeros({ A.shape[1], 0 }, A.dtype) end
    local u, s = linalg.svd(A, false)
    return u[(":, :%d"):format(rank(s, A, rcond))]:copy()
  end
  --- `subspace_angles(A, B)`: the angles between the spaces of the columns of two matrices, descending.
  function linalg.subspace_angles(A, B)
    A, B = matrix("subspace_angles", "A", A), matrix("subspace_angles", "B", B)
    if A.shape[1] ~= B.shape[1] then
      util.raise("ValueError", "subspace_angles: A and B have as many rows, not %s and %s", form(A), form(B))
    end
    local qa, qb = linalg.orth(A), linalg.orth(B)
    local both = nd.matmul(adjoint(qa), qb)
    local cosines = nd.minimum(linalg.svdvals(both), 1.0)
    local rest
    if qa.shape[2] >= qb.shape[2] then rest = qb - nd.matmul(qa, both)
    else rest = qa - nd.matmul(qb, adjoint(both)) end
    local sines = nd.minimum(linalg.svdvals(rest), 1.0)
    local falling = nd.flip(cosines)
    return nd.where(nd.ge(falling * falling, 0.5), nd.arcsin(sines), nd.arccos(falling))
  end

  local function alike(what, a, other, atol, rtol)
    if a.shape[1] ~= a.shape[2] then
      util.raise("ValueError", "%s: a is a square matrix, not of shape %s", what, form(a))
    end
    if a.size == 0 then return true end
    if not atol and not rtol then return nd.all(nd.eq(a, other)) end
    return nd.allclose(a, other, rtol or 0.0, atol or 0.0)
  end
  --- `issymmetric(a, atol, rtol)`: whether a matrix is its transposed one, exactly or within bounds.
  function linalg.issymmetric(a, atol, rtol)
    a = matrix("issymmetric", "a", a)
    return alike("issymmetric", a, a.T, atol, rtol)
  end
  --- `ishermitian(a, atol, rtol)`: whether a matrix is its transposed conjugate one, exactly or within bounds.
  function linalg.ishermitian(a, atol, rtol)
    a = matrix("ishermitian", "a", a)
    return alike("ishermitian", a, adjoint(a), atol, rtol)
  end
  --- `bandwidth(a)`: how many diagonals below and above the main one hold something.
  function linalg.bandwidth(a)
    a = matrix("bandwidth", "a", a)
    local i, j = core.nonzero(a)
    if i.size == 0 then return 0, 0 end
    return math.max(0, nd.max(i - j)), math.max(0, nd.max(j - i))
  end

  -- Rows of a banded matrix, each of the columns from its first on; right sides as lists of a number for each column.
  local function rows_of(l, u, ab, n)
    local bands, rows = {}, {}
    for i = 1, l + u + 1 do bands[i] = ab[i - 1]:tolist() end
    for i = 1, n do
      local row = {}
      for j = math.max(1, i - l), math.min(n, i + u) do row[j] = bands[u + 1 + i - j][j] end
      rows[i] = row
    end
    return rows
  end
  local function size(v)
    return type(v) == "number" and math.abs(v) or math.sqrt(v.real * v.real + v.imag * v.imag)
  end
  local function subtract(to, from, factor, first, last)
    for j = first, last do
      if from[j] then to[j] = (to[j] or 0.0) - factor * from[j] end
    end
  end
  -- Gauss's elimination with exchanges among the rows of the band, then backward.
  local function eliminate(rows, right, l, u, n, columns)
    for k = 1, n do
      local best, at = size(rows[k][k] or 0.0), k
      for i = k + 1, math.min(n, k + l) do
        local here = size(rows[i][k] or 0.0)
        if here > best then best, at = here, i end
      end
      if best == 0 then util.raise("LinAlgError", "solve_banded: the matrix is singular") end
      rows[k], rows[at], right[k], right[at] = rows[at], rows[k], right[at], right[k]
      for i = k + 1, math.min(n, k + l) do
        local below = rows[i][k]
        if below and below ~= 0 then
          local factor = below / rows[k][k]
          subtract(rows[i], rows[k], factor, k + 1, math.min(n, k + l + u))
          subtract(right[i], right[k], factor, 1, columns)
        end
      end
    end
    for k = n, 1, -1 do
      for j = k + 1, math.min(n, k + l + u) do
        if rows[k][j] then subtract(right[k], right[j], rows[k][j], 1, columns) end
      end
      for c = 1, columns do right[k][c] = right[k][c] / rows[k][k] end
    end
    return right
  end
  --- `solve_banded({l, u}, ab, b)`: x with a x = b, a with l diagonals below the main one and u above it:
  -- ab[u + i - j, j] = a[i, j]. b is a vector or columns.
  function linalg.solve_banded(l_and_u, ab, b)
    local lengths = util.is_array(l_and_u) and l_and_u:reshape({ -1 }):tolist() or l_and_u
    local l, u
    if type(lengths) == "table" then l, u = lengths[1], lengths[2] end
    if math.type(l) ~= "integer" or math.type(u) ~= "integer" or l < 0 or u < 0 then
      util.raise("ValueError", "solve_banded: the first argument is {l, u}, two numbers of diagonals")
    end
    ab = matrix("solve_banded", "ab", ab)
    b = arr(b == nil and util.raise("TypeError", "solve_banded: argument 'b' is missing") or b)
    local n = ab.shape[2]
    if ab.shape[1] ~= l + u + 1 then
      util.raise("ValueError", "solve_banded: ab has l + u + 1 = %d rows, not %d", l + u + 1, ab.shape[1])
    end
    if b.ndim < 1 or b.ndim > 2 or b.shape[1] ~= n then
      util.raise("ValueError", "solve_banded: b has as many rows as ab has columns, not %s beside %s", form(b),
        form(ab))
    end
    local dtype = nd.result_type(ab, b)
    if not dtype:find("[fc]") then dtype = "float64" end
    if b.size == 0 then return nd.zeros(b.shape, dtype) end
    if not (nd.all(nd.isfinite(ab)) and nd.all(nd.isfinite(b))) then
      util.raise("ValueError", "solve_banded: the elements must not be infinite or NaN")
    end
    local wide = dtype:find("^c") and "complex128" or "float64"
    local right = b:astype(wide):reshape({ n, -1 })
    local x = eliminate(rows_of(l, u, ab:astype(wide), n), right:tolist(), l, u, n, right.shape[2])
    return nd.array(x):astype(dtype):reshape(b.shape)
  end
  return linalg
end
