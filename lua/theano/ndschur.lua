--- SciPy's factors of matrices for `nd.linalg` that are made by rounds of elimination in Lua (Hessenberg's and Schur's
-- forms, LDL), and what Riccati's equations need: the sign of a matrix.
-- @module theano.ndschur
local core = require("theano.core")
local util = require("theano.util")

return function(nd, linalg)
  local arr = core.asarray
  local function form(x) return "(" .. table.concat(x.shape, ", ") .. (x.ndim == 1 and ",)" or ")") end
  local function adjoint(x) return nd.conj(x.T) end
  local function floating(what, name, x)
    if x == nil then util.raise("TypeError", "%s: argument '%s' is missing", what, name) end
    x = arr(x)
    if x.ndim ~= 2 then util.raise("ValueError", "%s: %s is a matrix, not of shape %s", what, name, form(x)) end
    if not nd.all(nd.isfinite(x)) then
      util.raise("ValueError", "%s: %s has elements that are infinite or NaN", what, name)
    end
    return x.dtype:find("[fc]") and x or x:astype("float64")
  end
  local function square(what, name, x)
    x = floating(what, name, x)
    if x.shape[1] ~= x.shape[2] then
      util.raise("ValueError", "%s: %s is a square matrix, not of shape %s", what, name, form(x))
    end
    return x
  end
  local function wide(x) return x:astype(x.dtype:find("^c") and "complex128" or "float64") end
  local function size(v)
    return type(v) == "number" and math.abs(v) or math.sqrt(v.real * v.real + v.imag * v.imag)
  end
  local function conj(v) return type(v) == "number" and v or nd.complex(v.real, -v.imag) end

  -- ---- Hessenberg's form --------------------------------------------------------------------------------------------
  -- The reflector 1 - tau v v^H whose adjoint takes x to (beta, 0, ..), as LAPACK's.
  local function reflector(x)
    local first = x[0]
    local rest = nd.sqrt(nd.sum(nd.square(nd.abs(x["1:"]))))
    local re, im = type(first) == "number" and first or first.real, type(first) == "number" and 0 or first.imag
    if rest == 0 and im == 0 then return nil end
    local beta = math.sqrt(re * re + im * im + rest * rest)
    if re >= 0 then beta = -beta end
    local v = x / (first - beta)
    v[0] = 1.0
    return v:reshape({ -1, 1 }), (beta - first) / beta
  end
  local function to_hessenberg(a, calc_q)
    local n, q = a.shape[1], calc_q and nd.eye(a.shape[1], a.shape[1], 0, a.dtype) or nil
    a = a:copy()
    for k = 1, n > 2 and n - 1 or 0 do
      local v, tau = reflector(a[("%d:, %d"):format(k, k - 1)])
      if v then
        local rows, columns = ("%d:"):format(k), (":, %d:"):format(k)
        local part = a[rows]
        a[rows] = part - v * conj(tau) * nd.matmul(adjoint(v), part)
        part = a[columns]
        a[columns] = part - nd.matmul(part, v) * tau * adjoint(v)
        if q then
          part = q[columns]
          q[columns] = part - nd.matmul(part, v) * tau * adjoint(v)
        end
      end
      if k < n - 1 then a[("%d:, %d"):format(k + 1, k - 1)] = 0.0 end
    end
    return a, q
  end
  --- `hessenberg(a, {calc_q = false})`: the matrix H, of zeros below the first diagonal under the main one, with a =
  -- Q H Q^H; with calc_q also Q, unitary.
  function linalg.hessenberg(...)
    local o = util.bind("hessenberg", { "a", "calc_q", calc_q = "boolean" }, ...)
    local a = square("hessenberg", "a", o.a)
    local h, q = to_hessenberg(wide(a), o.calc_q)
    if q then return h:astype(a.dtype), q:astype(a.dtype) end
    return h:astype(a.dtype)
  end

  -- ---- Schur's form of real matrices --------------------------------------------------------------------------------
  -- Both sides of h, and the columns of z, turned in the plane of i and i + 1.
  local function turn(h, z, n, i, c, s)
    for j = 1, n do
      local x, y = h[i][j], h[i + 1][j]
      h[i][j], h[i + 1][j] = c * x + s * y, c * y - s * x
    end
    for r = 1, n do
      local row, vectors = h[r], z[r]
      local x, y, u, w = row[i], row[i + 1], vectors[i], vectors[i + 1]
      row[i], row[i + 1] = c * x + s * y, c * y - s * x
      vectors[i], vectors[i + 1] = c * u + s * w, c * w - s * u
    end
  end
  -- A block of two: of real eigenvalues made a triangle, of others with equal elements on its diagonal.
  local function settle(h, z, n, i)
    local a, b, c, d = h[i][i], h[i][i + 1], h[i + 1][i], h[i + 1][i + 1]
    local half = (a - d) / 2
    local disc = half * half + b * c
    if disc >= 0 then
      local x = half + (half >= 0 and 1 or -1) * math.sqrt(disc)
      local r = math.sqrt(x * x + c * c)
      turn(h, z, n, i, x / r, c / r)
      h[i + 1][i] = 0.0
    elseif a ~= d then
      local angle = math.atan(d - a, b + c) / 2
      turn(h, z, n, i, math.cos(angle), math.sin(angle))
      local middle = (h[i][i] + h[i + 1][i + 1]) / 2
      h[i][i], h[i + 1][i + 1] = middle, middle
    end
  end
  -- The reflector of three numbers (two where r is nil) from both sides, at rows and columns k, k + 1, k + 2.
  local function reflect(h, z, n, k, p, q, r)
    local scale = math.abs(p) + math.abs(q) + math.abs(r or 0)
    if scale == 0 then return end
    p, q, r = p / scale, q / scale, r and r / scale
    local norm = math.sqrt(p * p + q * q + (r and r * r or 0))
    local v1 = p >= 0 and p + norm or p - norm
    local v2, v3 = q / v1, r and r / v1
    local tau = 2 / (1 + v2 * v2 + (v3 and v3 * v3 or 0))
    local first, second, third = h[k], h[k + 1], h[k + 2]
    for j = 1, n do
      local s = tau * (first[j] + v2 * second[j] + (v3 and v3 * third[j] or 0))
      first[j], second[j] = first[j] - s, second[j] - s * v2
      if v3 then third[j] = third[j] - s * v3 end
    end
    for _, side in ipairs({ h, z }) do
      for i = 1, n do
        local row = side[i]
        local s = tau * (row[k] + v2 * row[k + 1] + (v3 and v3 * row[k + 2] or 0))
        row[k], row[k + 1] = row[k] - s, row[k + 1] - s * v2
        if v3 then row[k + 2] = row[k + 2] - s * v3 end
      end
    end
  end
  -- Where the block that ends at `high` begins: below it an element is small enough to be 0.
  local function beginning(h, high, norm)
    for l = high, 2, -1 do
      local near = math.abs(h[l - 1][l - 1]) + math.abs(h[l][l])
      if near == 0 then near = norm end
      if math.abs(h[l][l - 1]) <= 2.0 ^ -52 * near then
        h[l][l - 1] = 0.0
        return l
      end
    end
    return 1
  end
  local function largest(h, n)
    local most = 0.0
    for i = 1, n do for j = 1, n do most = math.max(most, math.abs(h[i][j])) end end
    return most
  end
  local function no_end(what)
    util.raise("LinAlgError", "%s: the eigenvalues do not converge", what)
  end
  -- A round of Francis's steps with two shifts on the rows low to high.
  local function double_step(h, z, n, low, high, count)
    local last, before = h[high], h[high - 1]
    local sum, product = last[high] + before[high - 1], last[high] * before[high - 1] - last[high - 1] * before[high]
    if count % 10 == 0 then
      local s = math.abs(last[high - 1]) + math.abs(before[high - 2])
      sum, product = 1.5 * s, s * s
    end
    local a, b = h[low], h[low + 1]
    local p = a[low] * (a[low] - sum) + product + a[low + 1] * b[low]
    local q, r = b[low] * (a[low] + b[low + 1] - sum), h[low + 2][low + 1] * b[low]
    for k = low, high - 1 do
      if k > low then
        p, q, r = h[k][k - 1], h[k + 1][k - 1], k < high - 1 and h[k + 2][k - 1] or nil
      end
      reflect(h, z, n, k, p, q, r)
      if k > low then
        h[k + 1][k - 1] = 0.0
        if r then h[k + 2][k - 1] = 0.0 end
      end
    end
  end
  local function real_schur(what, h, z, n)
    local high, count, norm = n, 0, largest(h, n)
    while high > 0 do
      local low = beginning(h, high, norm)
      if low == high then high, count = high - 1, 0
      elseif low == high - 1 then
        settle(h, z, n, low)
        high, count = high - 2, 0
      else
        count = count + 1
        if count > 300 then no_end(what) end
        double_step(h, z, n, low, high, count)
      end
    end
  end

  -- ---- of complex matrices ------------------------------------------------------------------------------------------
  local function root(v)
    local m = size(v)
    local re, im = math.sqrt(math.max((m + v.real) / 2, 0)), math.sqrt(math.max((m - v.real) / 2, 0))
    return nd.complex(re, v.imag < 0 and -im or im)
  end
  -- The eigenvalue of the last block of two (from row k on, counted from 0) that is nearer to its last element.
  local function shift_of(h, k, count)
    local a, b, c, d = h[{ k, k }], h[{ k, k + 1 }], h[{ k + 1, k }], h[{ k + 1, k + 1 }]
    if count % 10 == 0 then return d + size(c) end
    local half = (a - d) * 0.5
    local away = root(half * half + b * c)
    local one, two = half + away, half - away
    return d + (size(one) < size(two) and one or two)
  end
  local function single_step(h, z, low, high, count)
    local x, y = h[{ low, low }] - shift_of(h, high - 1, count), h[{ low + 1, low }]
    for k = low, high - 1 do
      if k > low then x, y = h[{ k, k - 1 }], h[{ k + 1, k - 1 }] end
      local r = math.sqrt(size(x) ^ 2 + size(y) ^ 2)
      if r > 0 then
        local c, s = x * (1 / r), y * (1 / r)
        local rows, columns = ("%d:%d"):format(k, k + 2), (":, %d:%d"):format(k, k + 2)
        local g = nd.array({ { c, -conj(s) }, { s, conj(c) } }):astype("complex128")
        h[rows] = nd.matmul(adjoint(g), h[rows])
        h[columns], z[columns] = nd.matmul(h[columns], g), nd.matmul(z[columns], g)
      end
      if k > low then h[{ k + 1, k - 1 }] = 0.0 end
    end
  end
  local function complex_schur(what, h, z)
    local high, count, norm = h.shape[1] - 1, 0, nd.max(nd.abs(h))
    while high > 0 do
      local low = high
      while low > 0 do
        local near = size(h[{ low, low }]) + size(h[{ low - 1, low - 1 }])
        if size(h[{ low, low - 1 }]) <= 2.0 ^ -52 * (near > 0 and near or norm) then break end
        low = low - 1
      end
      if low == high then high, count = high - 1, 0
      else
        count = count + 1
        if count > 300 then no_end(what) end
        single_step(h, z, low, high, count)
      end
    end
    return nd.triu(h), z
  end
  local function schur(what, a, complex)
    local n = a.shape[1]
    if n == 0 then return a:copy(), a:copy() end
    local most = nd.max(nd.abs(a))
    local scale = most > 0 and 2.0 ^ math.floor(math.log(most, 2)) or 1.0 -- squares are in range
    local h, q = to_hessenberg((complex and a:astype("complex128") or a) / scale, true)
    if complex then
      local t, z = complex_schur(what, h, q)
      return t * scale, z
    end
    local rows, vectors = h:tolist(), q:tolist()
    real_schur(what, rows, vectors, n)
    return nd.array(rows) * scale, nd.array(vectors)
  end
  --- `schur(a, {output = "real"})`: T and Z, unitary, with a = Z T Z^H: T is a triangle, for a real matrix with blocks
  -- of two on its diagonal where eigenvalues are complex; with output = "complex" a triangle of complex numbers.
  function linalg.schur(...)
    local o = util.bind("schur", { "a", "output", output = "string" }, ...)
    local a, output = square("schur", "a", o.a), o.output or "real"
    if output ~= "real" and output ~= "complex" and output ~= "r" and output ~= "c" then
      util.raise("ValueError", "schur: output is 'real' or 'complex', not '%s'", output)
    end
    local complex = a.dtype:find("^c") or output:sub(1, 1) == "c"
    local single = a.dtype == "float32" or a.dtype == "complex64"
    local t, z = schur("schur", wide(a), complex)
    local dtype = complex and (single and "complex64" or "complex128") or single and "float32" or "float64"
    return t:astype(dtype), z:astype(dtype)
  end

  -- ---- LDL ----------------------------------------------------------------------------------------------------------
  local ALPHA = (1 + math.sqrt(17)) / 8
  local function sum_of(v) -- as LAPACK measures
    return type(v) == "number" and math.abs(v) or math.abs(v.real) + math.abs(v.imag)
  end
  -- Which row comes to k, and whether it and the next are eliminated together, by Bunch's and Kaufman's rule.
  local function pivot_of(m, k, n)
    local here, best, at = sum_of(m[k][k]), 0.0, k
    for i = k + 1, n do
      local v = sum_of(m[i][k])
      if v > best then best, at = v, i end
    end
    if math.max(here, best) == 0 or here >= ALPHA * best then return k, 1 end
    local other = 0.0
    for j = k, n do
      if j ~= at then other = math.max(other, sum_of(m[at][j])) end
    end
    if here * other >= ALPHA * best * best then return k, 1 end
    if sum_of(m[at][at]) >= ALPHA * other then return at, 1 end
    return at, 2
  end
  local function exchange(m, l, order, i, j, n)
    if i == j then return end
    m[i], m[j], l[i], l[j], order[i], order[j] = m[j], m[i], l[j], l[i], order[j], order[i]
    for r = 1, n do m[r][i], m[r][j] = m[r][j], m[r][i] end
  end
  -- Rows and columns k to k + step - 1 of m leave it: their part of l and d.
  local function eliminate(m, l, d, k, step, n, turned)
    local last = k + step - 1
    for i = k, last do
      l[i][i] = 1.0
      for j = k, last do d[i][j] = m[i][j] end
    end
    local a, b, c, e = m[k][k], m[k][last], m[last][k], m[last][last]
    local det = step == 2 and a * e - b * c or a
    if size(det) == 0 then return end
    for i = last + 1, n do
      local x, y = m[i][k], m[i][last]
      if step == 1 then l[i][k] = x / a
      else l[i][k], l[i][last] = (x * e - y * c) / det, (y * a - x * b) / det end
    end
    for i = last + 1, n do
      local row, factors = m[i], l[i]
      for j = last + 1, n do
        for p = k, last do row[j] = row[j] - factors[p] * m[p][j] end
      end
      if turned and type(row[i]) ~= "number" then row[i] = nd.complex(row[i].real, 0) end
    end
  end
  local function zeros(n)
    local rows = {}
    for i = 1, n do
      rows[i] = {}
      for j = 1, n do rows[i][j] = 0.0 end
    end
    return rows
  end
  --- `ldl(A, {lower = true, hermitian = true})`: of a symmetric or Hermitian matrix, of which one triangle is read, L,
  -- D with blocks of one and two, and the order that makes a triangle of L's rows: A = L D L^H (L^T where hermitian is
  -- false).
  function linalg.ldl(...)
    local o = util.bind("ldl", { "A", "lower", "hermitian", lower = "boolean", hermitian = "boolean" }, ...)
    local A, turned = square("ldl", "A", o.A), o.hermitian ~= false
    local n, dtype = A.shape[1], A.dtype
    if n == 0 then return A:copy(), A:copy(), nd.zeros(0, "int64") end
    local below = wide(A)
    if o.lower == false then below = nd.flip(below) end
    below = nd.tril(below)
    local above = turned and adjoint(nd.tril(below, -1)) or nd.tril(below, -1).T
    if turned and dtype:find("^c") then
      below = nd.tril(below, -1) + nd.diag(nd.real(nd.diagonal(below)))
    end
    local m, l, d, order, k = (below + above):tolist(), zeros(n), zeros(n), nd.arange(n):tolist(), 1
    while k <= n do
      local at, step = pivot_of(m, k, n)
      exchange(m, l, order, k + step - 1, at, n)
      eliminate(m, l, d, k, step, n, turned)
      k = k + step
    end
    local L, D, perm = nd.array(l):astype(below.dtype), nd.array(d):astype(below.dtype), nd.array(order)
    if o.lower == false then L, D, perm = nd.flip(L), nd.flip(D), n - 1 - nd.flip(perm) end
    return nd.take(L, nd.argsort(perm), 0):astype(dtype), D:astype(dtype), perm:astype("int64")
  end

  -- ---- the sign, and Riccati's equations ----------------------------------------------------------------------------
  local function sign(what, z, words)
    local n = z.shape[1]
    local scaled, last = true, math.huge
    for _ = 1, 100 do
      local fine, inverse = pcall(linalg.inv, z)
      if not fine or not nd.all(nd.isfinite(inverse)) then break end
      local c = scaled and math.sqrt(linalg.norm(inverse) / linalg.norm(z)) or 1.0
      local next_ = (z * c + inverse / c) * 0.5
      local off = linalg.norm(next_ - z) / linalg.norm(next_)
      z = next_
      if off < 1e-2 then scaled = false end
      if off <= n * 2.0 ^ -52 or not scaled and off < 1e-8 and off >= last then return z end
      last = off
    end
    return util.raise("LinAlgError", "%s: %s", what, words)
  end
  --- `signm(A)`: the sign of a matrix: its eigenvectors with eigenvalues 1 and -1, by the side of the imaginary axis on
  -- which those of A lie; by Newton's steps.
  function linalg.signm(A)
    A = square("signm", "A", A)
    if A.size == 0 then return A:copy() end
    return sign("signm", wide(A), "an eigenvalue lies on the imaginary axis"):astype(A.dtype)
  end
  -- The four matrices of an equation, and B R^-1 B^H.
  local function riccati(what, ...)
    local o = util.bind(what, { "a", "b", "q", "r" }, ...)
    local a, b = square(what, "a", o.a), floating(what, "b", o.b)
    local q, r = square(what, "q", o.q), square(what, "r", o.r)
    local n, m = a.shape[1], r.shape[1]
    if b.shape[1] ~= n or b.shape[2] ~= m or q.shape[1] ~= n then
      util.raise("ValueError", "%s: q is as large as a, b has as many rows as a and columns as r, not a %s, b %s, q %s "
        .. "and r %s", what, form(a), form(b), form(q), form(r))
    end
    for name, x in pairs({ q = q, r = r }) do
      if x.size > 0 and nd.max(nd.abs(x - adjoint(x))) > 100 * nd.finfo(x.dtype).eps * nd.max(nd.abs(x)) then
        util.raise("ValueError", "%s: %s is symmetric (Hermitian)", what, name)
      end
    end
    local dtype = nd.result_type(nd.result_type(a, b), nd.result_type(q, r))
    local fine, half = pcall(linalg.solve, wide(r), adjoint(wide(b)))
    if not fine then util.raise("LinAlgError", "%s: r is singular", what) end
    return wide(a), nd.matmul(wide(b), half), wide(q), dtype
  end
  local NONE = "there is no solution that is stable and finite"
  --- `solve_continuous_are(a, b, q, r)`: the stabilising x of a^H x + x a - x b r^-1 b^H x + q = 0, Riccati's equation.
  function linalg.solve_continuous_are(...)
    local what = "solve_continuous_are"
    local a, g, q, dtype = riccati(what, ...)
    local n = a.shape[1]
    if n == 0 then return nd.zeros({ 0, 0 }, dtype) end
    local above, below = nd.concatenate({ a, -g }, 1), nd.concatenate({ -q, -adjoint(a) }, 1)
    local w = sign(what, nd.concatenate({ above, below }, 0), NONE)
    w = w + nd.eye(2 * n)
    local x = (linalg.lstsq(w[(":, %d:"):format(n)], -w[(":, :%d"):format(n)]))
    for _ = 1, 2 do -- a step of Newton's sharpens it
      x = (x + adjoint(x)) * 0.5
      local xg = nd.matmul(x, g)
      x = linalg.solve_continuous_lyapunov(adjoint(a) - xg, -(q + nd.matmul(xg, x)))
    end
    return ((x + adjoint(x)) * 0.5):astype(dtype)
  end
  --- `solve_discrete_are(a, b, q, r)`: the stabilising x of a^H x a - x - a^H x b (r + b^H x b)^-1 b^H x a + q = 0, by
  -- doubling.
  function linalg.solve_discrete_are(...)
    local what = "solve_discrete_are"
    local a, g, x, dtype = riccati(what, ...)
    if a.size == 0 then return nd.zeros({ 0, 0 }, dtype) end
    local unit, last = nd.eye(a.shape[1]), math.huge
    for _ = 1, 60 do
      local fine, w = pcall(linalg.inv, unit + nd.matmul(g, x))
      if not fine then break end
      local wa = nd.matmul(w, a)
      local more = nd.matmul(adjoint(a), nd.matmul(x, wa))
      a, g = nd.matmul(a, wa), g + nd.matmul(nd.matmul(a, nd.matmul(w, g)), adjoint(a))
      x = x + (more + adjoint(more)) * 0.5
      if not nd.all(nd.isfinite(x)) then break end
      local length = linalg.norm(x)
      local off = length > 0 and linalg.norm(more) / length or 0.0
      if off <= 2.0 ^ -52 or off < 1e-12 and off >= last then return x:astype(dtype) end
      last = off
    end
    return util.raise("LinAlgError", "%s: %s", what, NONE)
  end
  return linalg
end
