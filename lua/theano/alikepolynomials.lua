--- Polynomials, the highest power first, for Variables and arrays alike (see theano.alike).
-- @module theano.alikepolynomials
local util = require("theano.util")

return function(M, K)
  local as, order, len, part, floats = K.as, K.order, K.len, K.part, K.floats

  local function coefficients(what, p)
    p = M.atleast_1d(p)
    if p.ndim ~= 1 then util.raise("ValueError", "%s: coefficients are a vector", what) end
    return p
  end
  local function known(what, p)
    return K.known(p, 0) or util.raise("ValueError",
      "%s: the number of coefficients is not known while building: T.specify_shape tells it", what)
  end
  local function one(p, i) return part(p, 0, i, i + 1) end
  local function most(v, least)
    if type(v) == "number" then return math.max(v, least) end
    return M.maximum(v, least)
  end
  -- Both with as many coefficients, and what fn makes of them.
  local function summed(what, fn, a1, a2)
    local a, b = coefficients(what, a1), coefficients(what, a2)
    local function longer(p, n) return M.concatenate({ M.zeros({ most(n - len(p, 0), 0) }, p.dtype), p }, 0) end
    return fn(longer(a, len(b, 0)), longer(b, len(a, 0)))
  end
  --- The sum of two polynomials.
  function M.polyadd(a1, a2) return summed("polyadd", M.add, a1, a2) end
  --- The difference of two polynomials.
  function M.polysub(a1, a2) return summed("polysub", M.sub, a1, a2) end
  --- The product of two polynomials; one without coefficients is 0. In graphs zeros in front stay.
  function M.polymul(a1, a2)
    local function factor(a)
      a = coefficients("polymul", a)
      return K.known(a, 0) == 0 and M.zeros({ 1 }, a.dtype) or K.trimmed(a)
    end
    return M.convolve(factor(a1), factor(a2))
  end
  --- `polydiv(u, v)`: quotient and remainder of two polynomials. In graphs both lengths are known, and zeros in front
  -- stay.
  function M.polydiv(u, v)
    u, v = floats(coefficients("polydiv", u)), floats(coefficients("polydiv", v))
    local n, m = known("polydiv", u), known("polydiv", v)
    if m == 0 then util.raise("ZeroDivisionError", "polydiv: the divisor has no coefficients") end
    v = K.checked(v, M.all(M.neq(one(v, 0), 0)), "polydiv: the first coefficient of the divisor is 0",
      "ZeroDivisionError")
    local dtype = M.promote_types(u.dtype, v.dtype)
    local q, r = {}, u:astype(dtype)
    if n < m then q[1] = M.zeros({ 1 }, dtype) end
    for k = 0, n - m do
      local by = one(r, k) / K.first(one(v, 0))
      q[k + 1] = by
      r = M.concatenate({ part(r, 0, 0, k), part(r, 0, k, k + m) - v * K.first(by), part(r, 0, k + m) }, 0)
    end
    return M.concatenate(q, 0), K.remainder(r, most(n - m + 1, 0))
  end

  -- How many times.
  local MOST = 10000
  local function times(what, m)
    util.check_type(what, "m", m, "integer")
    if m and m < 0 then util.raise("ValueError", "%s: m is %d, less than 0", what, m) end
    if m and m > MOST then util.raise("ValueError", "%s: m is %d, at most %d is expected", what, m, MOST) end
    return m or 1
  end
  --- The m-th derivative (the first) of a polynomial.
  function M.polyder(p, m)
    p = coefficients("polyder", p)
    local n = K.known(p, 0)
    for i = 1, math.min(times("polyder", m), n or MOST) do
      if n and n - i < 1 then return p["0:0"] * M.arange(0) end
      p = p[":-1"] * M.arange(len(p, 0) - 1, 0, -1)
    end
    return p
  end
  --- `polyint(p, m, k)`: the m-th integral (the first) of a polynomial, with the constants k.
  function M.polyint(...)
    local o = util.bind("polyint", { "p", "m", "k", m = "integer", k = "number|table" }, ...)
    local p, k = coefficients("polyint", o.p), o.k
    local many = times("polyint", o.m)
    if type(k) == "table" then
      local given = #util.list("polyint: k", k)
      if given == 1 then k = k[1]
      elseif given < many then
        util.raise("ValueError", "polyint: k is a number, or a list of one or of %d constants, not of %d", many, given)
      end
    end
    if many > 0 then p = floats(p) end
    for i = 1, many do
      local constant = type(k) == "table" and k[i] or type(k) == "number" and k or 0
      p = M.concatenate({ p / M.arange(len(p, 0), 0, -1), order(K.number(constant + 0.0, p.dtype), { "x" }) }, 0)
    end
    return p
  end

  --- The polynomial with these zeros, or of arrays the characteristic polynomial of a matrix. In graphs their number is
  -- known.
  function M.poly(zeros)
    zeros = M.atleast_1d(zeros)
    if zeros.ndim == 2 then zeros = K.eigenvalues("poly", zeros) end
    zeros = coefficients("poly", zeros)
    local n = known("poly", zeros)
    if n == 0 then return K.result(M.ones({}, "float64")) end
    if zeros.dtype:find("float16") or not zeros.dtype:find("[fc]") then zeros = floats(zeros) end
    local p = M.ones({ 1 }, zeros.dtype)
    for i = 0, n - 1 do
      local none = M.zeros({ 1 }, zeros.dtype)
      p = M.concatenate({ p, none }, 0) - K.first(one(zeros, i)) * M.concatenate({ none, p }, 0)
    end
    return K.paired(p, zeros)
  end
  --- The zeros of a polynomial: eigenvalues of its companion matrix. In graphs they are complex, and the first
  -- coefficient is not 0.
  function M.roots(p)
    p = coefficients("roots", p)
    local kept, zeros = K.stripped(p)
    if not kept then return M.zeros({ 0 }, "float64") end
    p = floats(kept)
    local degree = len(p, 0) - 1
    if degree == 0 then return zeros end
    local companion = K.written(M.eye(degree, degree, -1, p.dtype), 0, -p["1:"] / K.first(p["0:1"]))
    local r = K.real_where_all(K.eigenvalues("roots", companion), p)
    return zeros and M.concatenate({ r, zeros:astype(r.dtype) }, 0) or r
  end
  -- What the points A, y say about how sure the coefficients c are: their covariances, scaled by what is left over.
  local function covariance_of(A, y, c, sizes, n, cov)
    local V = as(K.inverse(as(M.dot(A.T, A)))) / M.outer(sizes, sizes)
    if cov == "unscaled" then return y.ndim == 1 and V or order(V, { 0, 1, "x" }) end
    local off = as(M.dot(A, c)) - y
    local free = n - K.known(A, 1)
    if type(free) == "number" and free <= 0 then
      util.raise("ValueError", "polyfit: %d points say nothing about the covariance of %d coefficients", n,
        K.known(A, 1))
    end
    local left = as(M.sum(off * off, { axis = 0 })) / free
    return y.ndim == 1 and V * left or order(V, { 0, 1, "x" }) * left
  end
  --- `polyfit(x, y, deg, rcond, full, w, cov)`: the polynomial of that degree with the least squared distance from the
  -- points (weighted); of columns of y one each. full: also what is left, rank, singular values and rcond of the least
  -- squares; cov: also the covariance of the coefficients (true, or "unscaled").
  function M.polyfit(x, y, deg, rcond, full, w, cov)
    util.check_type("polyfit", "full", full, "boolean")
    util.check_type("polyfit", "cov", cov, "boolean|string")
    util.check_type("polyfit", "rcond", rcond, "number")
    if type(cov) == "string" and cov ~= "unscaled" then
      util.raise("ValueError", "polyfit: cov is a boolean or \"unscaled\", not %s", util.text(cov))
    end
    x = as(x)
    if x.ndim ~= 1 then util.raise("TypeError", "polyfit: x is a vector, it has %d dimensions", x.ndim) end
    x, y = floats(coefficients("polyfit", x)), floats(M.atleast_1d(y))
    local wide = (x.dtype .. y.dtype):find("complex") and "complex128" or "float64"
    x, y = K.to(x, wide), K.to(y, wide)
    util.needed("polyfit", "deg", deg)
    local n, m = K.known(x, 0), K.known(y, 0)
    if math.type(deg) ~= "integer" or deg < 0 then
      util.raise("ValueError", "polyfit: a degree is an integer of at least 0, not %s", util.text(deg))
    end
    if n == 0 then util.raise("TypeError", "polyfit: there are no points") end
    if y.ndim > 2 then util.raise("TypeError", "polyfit: y is a vector or a matrix") end
    if n and m and n ~= m then util.raise("TypeError", "polyfit: %d values of x, %d of y", n, m) end
    local columns = y.ndim == 1 and order(y, { 0, "x" }) or y
    if w ~= nil then
      w = floats(as(w))
      if w.ndim ~= 1 then util.raise("TypeError", "polyfit: weights are a vector") end
      w = w:astype(wide)
      local k = K.known(w, 0)
      if n and k and k ~= n then util.raise("TypeError", "polyfit: %d weights for %d points", k, n) end
      columns = columns * order(w, { 0, "x" })
    end
    -- Powers as columns of length 1 each, the highest in front.
    local power, powers, sizes = w or M.ones_like(x), {}, {}
    for i = deg + 1, 1, -1 do
      local square = wide == "float64" and power * power or as(M.real(power * M.conj(power)))
      if K.plain then -- a number
        local size = math.sqrt(M.sum(square))
        sizes[i] = size == 0 and 1.0 or size
      else
        local size = as(M.sqrt(M.sum(square, { axis = 0, keepdims = true })))
        sizes[i] = as(M.switch(M.eq(size, 0), 1.0, size))
      end
      powers[i] = power / sizes[i]
      if i > 1 then power = power * x end
    end
    local A = M.stack(powers, 1)
    sizes = as(K.plain and sizes or M.concatenate(sizes, 0))
    if full or rcond ~= nil then
      rcond = rcond or (n or util.raise("TypeError", "polyfit: of points of unknown number rcond must be said"))
        * 2.0 ^ -52
    end
    local extra = rcond and table.pack(K.lstsq(A, columns, rcond)) or { K.nearest(A, columns) }
    local found = as(extra[1])
    local fitted = found / order(sizes, { 0, "x" })
    if y.ndim == 1 then fitted = fitted:reshape({ deg + 1 }) end
    if full then return fitted, extra[2], extra[3], extra[4], rcond end
    if cov then
      if y.ndim == 1 then found, columns = found:reshape({ deg + 1 }), columns:reshape({ -1 }) end
      return fitted, covariance_of(A, columns, found, sizes, len(x, 0), cov)
    end
    return fitted
  end
end
