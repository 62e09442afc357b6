--- SciPy's matrices of a known form, equations of matrices and functions of matrices: `T.linalg` and `nd.linalg`, as
-- compositions of what theano.alikelinalg puts there.
-- @module theano.alikematrices
local util = require("theano.util")

--- Puts them into `linalg`; M is `T` or `nd`, K its kit (theano.alike).
return function(M, K, linalg)
  local function form(x)
    local list = {}
    for d = 0, x.ndim - 1 do list[d + 1] = tostring(K.known(x, d) or "?") end
    return "(" .. table.concat(list, ", ") .. (#list == 1 and ",)" or ")")
  end
  local function refuse(what, format, ...) util.raise("ValueError", what .. ": " .. format, ...) end
  local function given(what, name, x)
    if x == nil then util.raise("TypeError", "%s: argument '%s' is missing", what, name) end
    return K.as(x)
  end
  local function along(what, name, x) -- at least a vector
    x = given(what, name, x)
    return x.ndim == 0 and x:reshape({ 1 }) or x
  end
  local function vector(what, name, x)
    x = along(what, name, x)
    if x.ndim ~= 1 then refuse(what, "%s is a vector, not of shape %s", name, form(x)) end
    return x
  end
  local function matrix(what, name, x)
    x = given(what, name, x)
    if x.ndim ~= 2 then refuse(what, "%s is a matrix, not of shape %s", name, form(x)) end
    return K.floats(x)
  end
  local function differ(m, n) return m and n and m ~= n end
  local function square(what, name, x, many)
    x = given(what, name, x)
    local n = x.ndim
    if n < 2 or not many and n > 2 or differ(K.known(x, n - 2), K.known(x, n - 1)) then
      refuse(what, "%s is a square matrix, not of shape %s", name, form(x))
    end
    return K.floats(x)
  end
  local function adjoint(x) return M.conj(M.matrix_transpose(x)) end
  local function is_complex(x) return x.dtype:find("^c") ~= nil end
  local function last(x) return K.len(x, x.ndim - 1) end
  local function tail(x) return K.part(x, x.ndim - 1, 1) end
  local function column(n) return K.order(K.as(M.arange(n)), { 0, "x" }) end
  local function row(n) return K.order(K.as(M.arange(n)), { "x", 0 }) end
  local function number_of(what, n)
    if math.type(n) ~= "integer" or n < 0 then
      util.raise(type(n) == "number" and "ValueError" or "TypeError", "%s: n is an integer of at least 0, not %s", what,
        type(n) == "number" and util.text(n) or util.kind_of(n))
    end
    return n
  end

  -- ---- of vectors ---------------------------------------------------------------------------------------------------
  --- `toeplitz(c, r)`: the matrix with the first column c and the first row r (conj(c)), equal along diagonals; of more
  -- dimensions one for each vector in the last. r[0] is not read.
  function linalg.toeplitz(c, r)
    c = along("toeplitz", "c", c)
    r = r == nil and M.conj(c) or along("toeplitz", "r", r)
    local m, n = last(c), last(r)
    local both = M.concatenate({ M.flip(c, -1), tail(r) }, c.ndim - 1)
    return M.take(both, (m - 1) - column(m) + row(n), c.ndim - 1)
  end
  --- `hankel(c, r)`: the matrix with the first column c and the last row r (zeros), equal along antidiagonals.
  function linalg.hankel(c, r)
    c = along("hankel", "c", c)
    r = r == nil and M.zeros_like(c) or along("hankel", "r", r)
    local both = M.concatenate({ c, tail(r) }, c.ndim - 1)
    return M.take(both, column(last(c)) + row(last(r)), c.ndim - 1)
  end
  --- The matrix whose columns are c and c turned round by 1, 2, ..
  function linalg.circulant(c)
    c = along("circulant", "c", c)
    local n = last(c)
    return M.take(c, M.mod(column(n) - row(n), n), c.ndim - 1)
  end
  --- The matrix whose eigenvalues are the zeros of the polynomial with coefficients a, the highest power first.
  function linalg.companion(a)
    a = K.floats(vector("companion", "a", a))
    local n = last(a)
    if K.known(a, 0) and K.known(a, 0) < 2 then
      refuse("companion", "a has at least 2 coefficients, not %d", K.known(a, 0))
    end
    a = K.checked(a, M.neq(a[0], 0), "companion: the first coefficient must not be 0")
    local first = -K.part(a, 0, 1) / a[0]
    return M.concatenate({ K.order(first, { "x", 0 }), M.eye(n - 2, n - 1, 0, a.dtype) }, 0)
  end
  --- `leslie(f, s)`: the matrix with the first row f and the subdiagonal s.
  function linalg.leslie(f, s)
    f, s = vector("leslie", "f", f), vector("leslie", "s", s)
    local n, less = K.known(f, 0), K.known(s, 0)
    if differ(n, less and less + 1) then refuse("leslie", "s is one shorter than f: %s, %s", form(f), form(s)) end
    if less == 0 then refuse("leslie", "s has at least one element") end
    local below = M.eye(last(s), last(f), 0, s.dtype) * K.order(s, { 0, "x" })
    return M.concatenate({ K.order(f, { "x", 0 }), below }, 0)
  end
  --- The distances of the elements of a vector from each other.
  function linalg.fiedler(a)
    a = vector("fiedler", "a", a)
    return M.abs(K.order(a, { 0, "x" }) - K.order(a, { "x", 0 }))
  end
  --- `convolution_matrix(a, n, mode)`: the matrix that times a vector of n is convolve(a, that vector, mode).
  function linalg.convolution_matrix(a, n, mode)
    a, mode = vector("convolution_matrix", "a", a), mode or "full"
    number_of("convolution_matrix", n)
    local m = K.known(a, 0)
    if n == 0 or m == 0 then refuse("convolution_matrix", "a and n are not empty") end
    if mode ~= "full" and mode ~= "valid" and mode ~= "same" then
      refuse("convolution_matrix", "mode is 'full', 'valid' or 'same', not '%s'", tostring(mode))
    end
    if not m and mode ~= "full" then refuse("convolution_matrix", "the length of a is to be known for '%s'", mode) end
    local zeros = M.zeros({ n - 1 }, a.dtype)
    local first = M.concatenate({ a, zeros }, 0)
    local whole = linalg.toeplitz(first, M.concatenate({ K.part(a, 0, 0, 1), zeros }, 0))
    if mode == "full" then return whole end
    local short = math.min(m, n)
    local from = mode == "valid" and short - 1 or (short - 1) // 2
    local rows = mode == "valid" and math.max(m, n) - short + 1 or math.max(m, n)
    return K.part(whole, 0, from, from + rows)
  end
  --- `khatri_rao(a, b)`: the Kronecker products of the columns of two matrices, as columns.
  function linalg.khatri_rao(a, b)
    a, b = given("khatri_rao", "a", a), given("khatri_rao", "b", b)
    if a.ndim ~= 2 or b.ndim ~= 2 or differ(K.known(a, 1), K.known(b, 1)) then
      refuse("khatri_rao", "two matrices of as many columns are expected, not %s and %s", form(a), form(b))
    end
    local product = K.order(a, { 0, "x", 1 }) * K.order(b, { "x", 0, 1 })
    return product:reshape({ K.len(a, 0) * K.len(b, 0), K.len(a, 1) })
  end
  --- `diagsvd(s, M, N)`: the M x N matrix with s on its diagonal.
  function linalg.diagsvd(s, m, n)
    s = vector("diagsvd", "s", s)
    number_of("diagsvd", m)
    number_of("diagsvd", n)
    local k = K.known(s, 0)
    if k and k ~= m and k ~= n then refuse("diagsvd", "s has M or N elements (%d, %d), not %d", m, n, k) end
    local rows, columns = k == m and m or k or m, k == m and n - m or n - (k or n)
    local core = M.diag(s)
    if k == m and n > m then return M.concatenate({ core, M.zeros({ m, columns }, s.dtype) }, 1) end
    if k == n and m > n then return M.concatenate({ core, M.zeros({ m - n, n }, s.dtype) }, 0) end
    if k and (k > m or k > n) then refuse("diagsvd", "s has at most %d elements, not %d", math.min(m, n), rows) end
    return core
  end

  -- ---- of a number --------------------------------------------------------------------------------------------------
  local nd = require("theano.ndarray")
  --- The matrix of 1 / (i + j + 1).
  function linalg.hilbert(n)
    number_of("hilbert", n)
    return K.as(1.0 / (nd.arange(n):reshape({ -1, 1 }) + nd.arange(n) + 1.0))
  end
  local function choose(n, k)
    local r = 1.0
    for i = 1, k do r = r * (n - k + i) / i end
    return r
  end
  --- The inverse of hilbert(n), in float64.
  function linalg.invhilbert(n)
    local out = nd.zeros({ number_of("invhilbert", n), n })
    for i = 1, n do
      for j = 1, n do
        local c = choose(i + j - 2, i - 1)
        out[{ i - 1, j - 1 }] = ((i + j) % 2 == 0 and 1 or -1) * (i + j - 1) * choose(n + i - 1, n - j)
          * choose(n + j - 1, n - i) * c * c
      end
    end
    return K.as(out)
  end
  local function triangle(n) -- of Pascal, lower
    local out, line = nd.zeros({ n, n }, n < 35 and "uint64" or "float64"), {}
    for i = 1, n do
      for j = i, 2, -1 do line[j] = (line[j] or 0) + line[j - 1] end
      line[1] = n < 35 and 1 or 1.0
      out[{ i - 1, nd.arange(i) }] = nd.array(line):astype(out.dtype)
    end
    return out
  end
  --- `pascal(n, kind, exact)`: Pascal's triangle as a "lower" or "upper" triangular matrix, or their product
  -- ("symmetric"): uint64, from 35 on or where exact is false float64.
  function linalg.pascal(n, kind, exact)
    number_of("pascal", n)
    kind = kind or "symmetric"
    if kind ~= "symmetric" and kind ~= "lower" and kind ~= "upper" then
      refuse("pascal", "kind is 'symmetric', 'lower' or 'upper', not '%s'", tostring(kind))
    end
    local lower = triangle(n)
    if exact == false then lower = lower:astype("float64") end
    if kind == "lower" then return K.as(lower) end
    if kind == "upper" then return K.as(lower.T:copy()) end
    return K.as(n == 0 and lower or nd.sum(lower:reshape({ n, 1, n }) * lower:reshape({ 1, n, n }), { axis = 2 }))
  end
  --- The inverse of pascal(n, kind): int64, from 35 on or where exact is false float64.
  function linalg.invpascal(n, kind, exact)
    local whole = number_of("invpascal", n) < 35 and exact ~= false
    local i = nd.arange(n)
    local signs = 1 - 2 * nd.mod(i:reshape({ -1, 1 }) + i, 2)
    kind = kind or "symmetric"
    if kind ~= "symmetric" and kind ~= "lower" and kind ~= "upper" then
      refuse("invpascal", "kind is 'symmetric', 'lower' or 'upper', not '%s'", tostring(kind))
    end
    local lower = triangle(n):astype(whole and "int64" or "float64") * signs
    if kind == "lower" then return K.as(lower) end
    if kind == "upper" then return K.as(lower.T:copy()) end
    if n == 0 then return K.as(lower) end
    return K.as(nd.sum(lower.T:reshape({ n, 1, n }) * lower.T:reshape({ 1, n, n }), { axis = 2 }))
  end
  --- `hadamard(n, dtype)`: the matrix of n orthogonal rows of 1 and -1; n is a power of 2.
  function linalg.hadamard(n, dtype)
    if number_of("hadamard", n) == 0 or n & (n - 1) ~= 0 then refuse("hadamard", "n is a power of 2, not %d", n) end
    local h, k = nd.empty({ n, n }, dtype or "int64"), 1
    h["0, 0"] = 1
    while k < n do
      local part = h[(":%d, :%d"):format(k, k)]
      h[(":%d, %d:%d"):format(k, k, 2 * k)] = part
      h[("%d:%d, :%d"):format(k, 2 * k, k)] = part
      h[("%d:%d, %d:%d"):format(k, 2 * k, k, 2 * k)] = -part
      k = 2 * k
    end
    return K.as(h)
  end
  --- `helmert(n, full)`: n - 1 orthonormal rows that are orthogonal to ones; with full the row of equal numbers first.
  function linalg.helmert(n, full)
    number_of("helmert", n)
    if n == 0 then return K.as(nd.zeros({ 0, 0 })) end
    local i = nd.arange(n)
    local h = nd.tril(nd.ones({ n, n }), -1) - nd.diag(i * 1.0)
    h["0"] = 1.0
    local d = i * (i + 1.0)
    d[0] = n + 0.0
    h = h / nd.sqrt(d):reshape({ -1, 1 })
    return K.as(full and h or h["1:"])
  end
  --- `dft(n, scale)`: the matrix of the Fourier transform, divided by n ("n") or its root ("sqrtn").
  function linalg.dft(n, scale)
    number_of("dft", n)
    if scale ~= nil and scale ~= "sqrtn" and scale ~= "n" then
      refuse("dft", "scale is 'sqrtn', 'n' or nil, not '%s'", tostring(scale))
    end
    local i = nd.arange(n)
    local m = nd.exp(nd.mod(i:reshape({ -1, 1 }) * i, math.max(n, 1)) * (nd.complex(0, -2 * math.pi) / math.max(n, 1)))
    return K.as(scale and m / (scale == "n" and n + 0.0 or math.sqrt(n)) or m)
  end

  -- ---- factors ------------------------------------------------------------------------------------------------------
  --- `polar(a, side)`: u and p with a = u p ("right") or p u ("left"): u unitary, p not negative.
  function linalg.polar(a, side)
    a, side = matrix("polar", "a", a), side or "right"
    if side ~= "right" and side ~= "left" then
      refuse("polar", "side is 'right' or 'left', not '%s'", tostring(side))
    end
    local w, s, vh = linalg.svd(a, false)
    s = K.order(s, { "x", 0 }):astype(a.dtype)
    local p = side == "right" and M.matmul(adjoint(vh) * s, vh) or M.matmul(w * s, adjoint(w))
    return M.matmul(w, vh), p
  end
  --- `cho_factor(a, lower)`: the triangular factor that cho_solve takes, and lower: {c, lower} as two values. The other
  -- triangle is zeros.
  function linalg.cho_factor(a, lower)
    lower = lower or false
    return linalg.cholesky(square("cho_factor", "a", a, true), not lower), lower
  end
  --- `orthogonal_procrustes(A, B)`: the unitary matrix R with A R nearest to B, and the sum of the singular values of
  -- conj(A).T B.
  function linalg.orthogonal_procrustes(A, B)
    A, B = matrix("orthogonal_procrustes", "A", A), matrix("orthogonal_procrustes", "B", B)
    if differ(K.known(A, 0), K.known(B, 0)) or differ(K.known(A, 1), K.known(B, 1)) then
      refuse("orthogonal_procrustes", "A and B are of one shape, not %s and %s", form(A), form(B))
    end
    local u, s, vh = linalg.svd(M.matmul(adjoint(A), B), true)
    return M.matmul(u, vh), M.sum(s)
  end
  --- `pinvh(a, atol, rtol, lower, return_rank)`: the pseudo-inverse of a Hermitian matrix by its eigenvalues; those up
  -- to atol + rtol (n times epsilon) times the largest count as 0. return_rank: how many do not, too.
  function linalg.pinvh(a, atol, rtol, lower, return_rank)
    a = square("pinvh", "a", a, true)
    if K.plain and a.size == 0 then return return_rank and a or a:copy(), return_rank and 0 or nil end
    local w, v = linalg.eigh(a, lower == false and "U" or "L")
    local epsilon = 2.0 ^ (w.dtype == "float32" and -23 or -52)
    local size = M.abs(w)
    local most = M.max(size, { axis = -1, keepdims = true })
    local counts = M.gt(size, (atol or 0.0) + most * (rtol or epsilon * (K.known(a, a.ndim - 1) or last(a))))
    local inverse = M.switch(counts, 1 / K.as(M.switch(counts, w, K.number(1, w.dtype))), K.number(0, w.dtype))
    local r = M.matmul(v * M.expand_dims(K.as(inverse), -2):astype(v.dtype), adjoint(v))
    if return_rank then return r, M.sum(M.cast(counts, "int64"), { axis = -1 }) end
    return r
  end
  --- `eigh_tridiagonal(d, e, eigvals_only)`: eigenvalues and vectors of the matrix with d on its diagonal and e above
  -- and below, which is made.
  function linalg.eigh_tridiagonal(d, e, eigvals_only)
    d, e = K.floats(vector("eigh_tridiagonal", "d", d)), K.floats(vector("eigh_tridiagonal", "e", e))
    if is_complex(d) or is_complex(e) then util.raise("TypeError", "eigh_tridiagonal: d and e are real") end
    local n, less = K.known(d, 0), K.known(e, 0)
    if differ(n, less and less + 1) then
      refuse("eigh_tridiagonal", "e is one shorter than d: %s, %s", form(d), form(e))
    end
    local a = M.diag(d)
    if n ~= 1 then a = a + M.diag(e, 1) + M.diag(e, -1) end
    if eigvals_only then return linalg.eigvalsh(a) end
    return linalg.eigh(a)
  end
  --- The eigenvalues alone of eigh_tridiagonal.
  function linalg.eigvalsh_tridiagonal(d, e) return linalg.eigh_tridiagonal(d, e, true) end

  -- ---- equations ----------------------------------------------------------------------------------------------------
  local function kron(a, b)
    local m, n, p, q = K.len(a, 0), K.len(a, 1), K.len(b, 0), K.len(b, 1)
    return (K.order(a, { 0, "x", 1, "x" }) * K.order(b, { "x", 0, "x", 1 })):reshape({ m * p, n * q })
  end
  -- As one system of as many unknowns as x has elements.
  local function sylvester(a, b, q)
    local m, n = K.len(a, 0), K.len(b, 0)
    local system = kron(a, M.eye(n, n, 0, b.dtype)) + kron(M.eye(m, m, 0, a.dtype), b.T)
    return linalg.solve(system, q:reshape({ -1 })):reshape({ m, n })
  end
  -- By eigenvectors, twice: what the first time left over, too. nil where that is much.
  local function by_eigenvectors(a, b, q)
    local small = M.result_type(a, b, q)
    local wide = (small == "float32" or small == "complex64") and "complex64" or "complex128"
    local d, v = linalg.eig(a:astype(wide))
    local e, w = linalg.eig(b:astype(wide))
    local sums = K.order(d, { 0, "x" }) + K.order(e, { "x", 0 })
    local real = not (is_complex(a) or is_complex(b) or is_complex(q))
    local function once(right)
      local inner = linalg.solve(v, M.matmul(right:astype(wide), w)) / sums
      local x = linalg.solve(w.T, M.matmul(v, inner).T).T
      return real and M.real(x):astype(small) or x
    end
    local fine, x = pcall(function()
      local first = once(q)
      return first + once(q - M.matmul(a, first) - M.matmul(first, b))
    end)
    if not fine then return nil end
    local left = M.max(M.abs(q - M.matmul(a, x) - M.matmul(x, b)))
    local scale = (M.max(M.abs(a)) + M.max(M.abs(b))) * M.max(M.abs(x))
    local epsilon = (x.dtype == "float32" or x.dtype == "complex64") and 2.0 ^ -23 or 2.0 ^ -52
    return left <= 64 * epsilon * scale * K.len(a, 0) and x or nil
  end
  --- `solve_sylvester(a, b, q)`: x with a x + x b = q: one system of as many unknowns as q has elements; of more than
  -- 400 in arrays by eigenvectors, where these are good enough.
  function linalg.solve_sylvester(a, b, q)
    a, b, q = square("solve_sylvester", "a", a), square("solve_sylvester", "b", b), matrix("solve_sylvester", "q", q)
    if differ(K.known(a, 0), K.known(q, 0)) or differ(K.known(b, 0), K.known(q, 1)) then
      refuse("solve_sylvester", "a is m x m, b n x n and q m x n, not %s, %s and %s", form(a), form(b), form(q))
    end
    if K.plain and q.size == 0 then return q:copy() end
    return K.plain and q.size > 400 and by_eigenvectors(a, b, q) or sylvester(a, b, q)
  end
  local function pair(what, a, q)
    a, q = square(what, "a", a), square(what, "q", q)
    if differ(K.known(a, 0), K.known(q, 0)) then
      refuse(what, "a and q are of one shape, not %s and %s", form(a), form(q))
    end
    return a, q
  end
  --- `solve_continuous_lyapunov(a, q)`: x with a x + x conj(a).T = q.
  function linalg.solve_continuous_lyapunov(a, q)
    a, q = pair("solve_continuous_lyapunov", a, q)
    return linalg.solve_sylvester(a, adjoint(a), q)
  end
  linalg.solve_lyapunov = linalg.solve_continuous_lyapunov
  --- `solve_discrete_lyapunov(a, q, method)`: x with a x conj(a).T - x + q = 0: as one system ("direct", below 10
  -- rows), or as a continuous one ("bilinear").
  function linalg.solve_discrete_lyapunov(a, q, method)
    a, q = pair("solve_discrete_lyapunov", a, q)
    local n = K.known(a, 0)
    method = method or (n or 0) < 10 and "direct" or "bilinear"
    local size = K.len(a, 0)
    if n == 0 then return q end
    if method == "direct" then
      local unit = M.eye(size * size, size * size, 0, a.dtype)
      return linalg.solve(unit - kron(a, M.conj(a)), q:reshape({ -1 })):reshape({ size, size })
    elseif method ~= "bilinear" then
      refuse("solve_discrete_lyapunov", "method is 'direct' or 'bilinear', not '%s'", tostring(method))
    end
    local unit, turned = M.eye(size, size, 0, a.dtype), adjoint(a)
    local inverse = linalg.inv(turned + unit)
    local b = M.matmul(turned - unit, inverse)
    local c = M.matmul(M.matmul(linalg.inv(a + unit), q), inverse) * 2
    return linalg.solve_sylvester(adjoint(b), b, -c)
  end
  -- First column and first row of one argument.
  local function column_and_row(what, c_or_cr)
    local list = type(c_or_cr) == "table" and getmetatable(c_or_cr) == nil and #c_or_cr == 2
    if list and type(c_or_cr[1]) ~= "number" then
      return vector(what, "c", c_or_cr[1]), vector(what, "r", c_or_cr[2])
    end
    local c = vector(what, "c", c_or_cr)
    return c, M.conj(c)
  end
  --- `solve_toeplitz(c_or_cr, b)`: x with toeplitz(c, r) x = b, which is made; `{c, r}`, or c alone.
  function linalg.solve_toeplitz(c_or_cr, b)
    local c, r = column_and_row("solve_toeplitz", c_or_cr)
    b = K.floats(given("solve_toeplitz", "b", b))
    if differ(K.known(c, 0), K.known(r, 0)) or b.ndim == 0 or differ(K.known(c, 0), K.known(b, 0)) then
      refuse("solve_toeplitz", "c, r and b are of one length, not %s, %s and %s", form(c), form(r), form(b))
    end
    return linalg.solve(K.floats(linalg.toeplitz(c, r)), b)
  end
  --- `solve_circulant(c, b)`: x with circulant(c) x = b, a vector or columns, by Fourier transforms.
  function linalg.solve_circulant(c, b)
    c, b = vector("solve_circulant", "c", c), given("solve_circulant", "b", b)
    if b.ndim == 0 or differ(K.known(c, 0), K.known(b, 0)) then
      refuse("solve_circulant", "c and b are of one length, not %s and %s", form(c), form(b))
    end
    local f, g = M.fft.fft(c), M.fft.fft(b, nil, 0)
    for _ = 2, b.ndim do f = M.expand_dims(f, f.ndim) end
    local size = M.abs(f)
    if K.plain and c.size > 0 and M.min(size) <= M.max(size) * c.size * 2.0 ^ -52 then
      util.raise("LinAlgError", "solve_circulant: the matrix is singular")
    end
    local x = M.fft.ifft(g / f, nil, 0)
    return (is_complex(c) or is_complex(b)) and x or M.real(x):astype(K.floats(c * 1.0).dtype)
  end

  -- ---- functions of matrices ----------------------------------------------------------------------------------------
  local function turned(what, a) -- a and expm(i a)
    a = square(what, "a", a, true)
    local wide = (a.dtype == "float32" or a.dtype == "complex64") and "complex64" or "complex128"
    local i = K.plain and nd.complex(0, 1) or M.constant(nd.array(nd.complex(0, 1)):astype(wide))
    return a, i, linalg.expm(a:astype(wide) * i), wide
  end
  --- The cosine of matrices.
  function linalg.cosm(a)
    local x, i, e, wide = turned("cosm", a)
    if not is_complex(x) then return M.real(e):astype(x.dtype) end
    return (e + linalg.expm(x * -i)) * (K.plain and 0.5 or K.number(0.5, wide))
  end
  --- The sine of matrices.
  function linalg.sinm(a)
    local x, i, e, wide = turned("sinm", a)
    if not is_complex(x) then return M.imag(e):astype(x.dtype) end
    return (e - linalg.expm(x * -i)) * (i * (K.plain and -0.5 or K.number(-0.5, wide)))
  end
  --- The tangent of matrices.
  function linalg.tanm(a) return linalg.solve(linalg.cosm(a), linalg.sinm(a)) end
  local function halves(what, a, sign)
    a = square(what, "a", a, true)
    return (linalg.expm(a) + linalg.expm(-a) * sign) * K.number(0.5, a.dtype)
  end
  --- The hyperbolic cosine of matrices.
  function linalg.coshm(a) return halves("coshm", a, 1) end
  --- The hyperbolic sine of matrices.
  function linalg.sinhm(a) return halves("sinhm", a, -1) end
  --- The hyperbolic tangent of matrices.
  function linalg.tanhm(a) return linalg.solve(linalg.coshm(a), linalg.sinhm(a)) end
  --- `expm_frechet(A, E)`: expm(A), and its derivative in the direction E.
  function linalg.expm_frechet(A, E)
    A, E = pair("expm_frechet", A, E)
    local n = K.len(A, 0)
    local both = M.concatenate({ M.concatenate({ A, E }, 1), M.concatenate({ A * 0, A }, 1) }, 0)
    local upper = K.part(linalg.expm(both), 0, 0, n)
    return K.part(upper, 1, 0, n), K.part(upper, 1, n)
  end
  --- `fractional_matrix_power(A, t)`: the power t of a matrix: of whole t products, else exp(t log(A)), of arrays
  -- complex where the logarithm of a real matrix is.
  function linalg.fractional_matrix_power(A, t)
    A = square("fractional_matrix_power", "A", A)
    if type(t) ~= "number" then
      util.raise("TypeError", "fractional_matrix_power: t is a number, not %s", util.kind_of(t))
    end
    if math.tointeger(t) then return linalg.matrix_power(A, math.tointeger(t)) end
    if not K.plain then return linalg.expm(linalg.logm(A) * K.number(t, A.dtype)) end
    local fine, log = pcall(linalg.logm, A)
    if not fine then log = linalg.logm(A:astype(A.dtype == "float32" and "complex64" or "complex128")) end
    return linalg.expm(log * t)
  end
  return linalg
end
