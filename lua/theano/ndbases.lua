--- Series of polynomials p_0, p_1, ..: what the functions of `nd.polynomial` are for six families of them. A series is
-- a sequence of its coefficients, numbers or anything with Lua's operators.
--
-- A family says x p_n = a(n) p_(n+1) + b(n) p_n + c(n) p_(n-1), p_0 = 1 (DLMF 18.9.1, 18.9.2), how a derivative and an
-- integral of a series lie on it, and what its integrals with weight(x) are. The powers of x are one with c = 0.
-- @module theano.ndbases
local util = require("theano.util")

local M = {}

local function nothing() return 0.0 end
local function one() return 1.0 end

-- d: the derivative of what `c` says, which may be changed.
local function der_powers(c, d)
  for j = #c - 1, 1, -1 do d[j] = c[j + 1] * j end
end
local function der_chebyshev(c, d)
  for j = #c - 1, 3, -1 do
    d[j] = c[j + 1] * (2.0 * j)
    c[j - 1] = c[j - 1] + c[j + 1] * j / (j - 2)
  end
  if #c > 2 then d[2] = c[3] * 4.0 end
  d[1] = c[2]
end
local function der_legendre(c, d)
  for j = #c - 1, 3, -1 do
    d[j] = c[j + 1] * (2.0 * j - 1)
    c[j - 1] = c[j - 1] + c[j + 1]
  end
  if #c > 2 then d[2] = c[3] * 3.0 end
  d[1] = c[2]
end
local function der_hermite(c, d)
  for j = #c - 1, 1, -1 do d[j] = c[j + 1] * (2.0 * j) end
end
local function der_laguerre(c, d)
  for j = #c - 1, 2, -1 do
    d[j] = -c[j + 1]
    c[j] = c[j] + c[j + 1]
  end
  d[1] = -c[2]
end

-- t: an integral of c, zeros so far.
local function int_powers(c, t)
  for j = 0, #c - 1 do t[j + 2] = c[j + 1] / (j + 1) end
end
local function int_chebyshev(c, t)
  t[2] = c[1]
  if #c > 1 then t[3] = c[2] / 4.0 end
  for j = 2, #c - 1 do
    t[j + 2] = c[j + 1] / (2.0 * (j + 1))
    t[j] = t[j] - c[j + 1] / (2.0 * (j - 1))
  end
end
local function int_legendre(c, t)
  t[2] = c[1]
  if #c > 1 then t[3] = c[2] / 3.0 end
  for j = 2, #c - 1 do
    local part = c[j + 1] / (2.0 * j + 1)
    t[j + 2] = part
    t[j] = t[j] - part
  end
end
local function int_hermite(c, t)
  for j = 0, #c - 1 do t[j + 2] = c[j + 1] / (2.0 * (j + 1)) end
end
local function int_laguerre(c, t)
  for j = 0, #c - 1 do
    t[j + 1] = t[j + 1] + c[j + 1]
    t[j + 2] = -c[j + 1]
  end
end

local pi = math.pi
M.FAMILIES = {
  polynomial = { prefix = "poly", class = "Polynomial", a = one, b = nothing, c = nothing, domain = { -1.0, 1.0 },
    der = der_powers, int = int_powers },
  chebyshev = { prefix = "cheb", class = "Chebyshev", domain = { -1.0, 1.0 }, symbol = "T", even = true, total = pi,
    a = function(n) return n == 0 and 1.0 or 0.5 end, b = nothing, c = function() return 0.5 end,
    weight = function(nd, x) return 1 / (nd.sqrt(1 + x) * nd.sqrt(1 - x)) end,
    der = der_chebyshev, int = int_chebyshev },
  legendre = { prefix = "leg", class = "Legendre", domain = { -1.0, 1.0 }, symbol = "P", even = true, total = 2.0,
    a = function(n) return (n + 1) / (2 * n + 1) end, b = nothing, c = function(n) return n / (2 * n + 1) end,
    weight = function(_, x) return x * 0 + 1.0 end, der = der_legendre, int = int_legendre },
  hermite = { prefix = "herm", class = "Hermite", domain = { -1.0, 1.0 }, symbol = "H", even = true,
    total = math.sqrt(pi), a = function() return 0.5 end, b = nothing, c = function(n) return 1.0 * n end,
    weight = function(nd, x) return nd.exp(-(x * x)) end, der = der_hermite, int = int_hermite },
  hermite_e = { prefix = "herme", class = "HermiteE", domain = { -1.0, 1.0 }, symbol = "He", even = true,
    total = math.sqrt(2 * pi), a = one, b = nothing, c = function(n) return 1.0 * n end,
    weight = function(nd, x) return nd.exp(-0.5 * (x * x)) end, der = der_powers, int = int_powers },
  laguerre = { prefix = "lag", class = "Laguerre", domain = { 0.0, 1.0 }, symbol = "L", total = 1.0,
    a = function(n) return -(n + 1.0) end, b = function(n) return 2.0 * n + 1 end, c = function(n) return -1.0 * n end,
    weight = function(nd, x) return nd.exp(-x) end, der = der_laguerre, int = int_laguerre },
}

-- ---- sums ---------------------------------------------------------------------------------------------------------
local function is_zero(v)
  if util.is_array(v) then return not v:any() end
  return v == 0 or type(v) == "userdata" and v.real == 0 and v.imag == 0
end

-- Without the zeros at its end; one coefficient stays.
function M.trimmed(c)
  for i = #c, 2, -1 do
    if not is_zero(c[i]) then return c end
    c[i] = nil
  end
  return c
end

function M.times(c, factor)
  local out = {}
  for i, v in ipairs(c) do out[i] = v * factor end
  return out
end

function M.plus(p, q)
  local out = {}
  for i = 1, math.max(#p, #q) do out[i] = p[i] and q[i] and p[i] + q[i] or p[i] or q[i] end
  return out
end

-- ---- products -----------------------------------------------------------------------------------------------------
--- x times a series.
function M.by_x(F, c)
  local out = {}
  for i = 1, #c + 1 do out[i] = 0.0 end
  for n = 0, #c - 1 do
    local v = c[n + 1]
    out[n + 2] = out[n + 2] + v * F.a(n)
    if F.b(n) ~= 0 then out[n + 1] = out[n + 1] + v * F.b(n) end
    if n > 0 and F.c(n) ~= 0 then out[n] = out[n] + v * F.c(n) end
  end
  return out
end

-- Clenshaw's sum of coefficients c of the family F (DLMF 3.11.15), where `add`, `times` and `by` (x less b) are those
-- of what is summed: numbers, or series of another family.
local function clenshaw(F, c, add, times, by)
  local last, before
  for n = #c - 1, 0, -1 do
    local v = c[n + 1]
    if last then v = add(v, times(by(last, F.b(n)), 1 / F.a(n))) end
    if before and F.c(n + 1) ~= 0 then v = add(v, times(before, -(F.c(n + 1) / F.a(n + 1)))) end
    last, before = v, last
  end
  return last
end

--- The value at x, a number or an array.
function M.value(F, c, x)
  if #c == 1 then return c[1] + x * 0 end
  return clenshaw(F, c, function(u, v) return u + v end,
    function(u, s) return s == 1 and u or u * s end,
    function(u, b) return u * (b == 0 and x or x - b) end)
end

--- The series of `into` that a series of F is at the series x of `into`.
function M.composed(F, c, into, x)
  local terms = {}
  for i, v in ipairs(c) do terms[i] = { v } end
  return clenshaw(F, terms, M.plus, M.times, function(u, b)
    return M.product(into, b == 0 and x or M.plus(x, { -b }), u)
  end)
end

--- p times q.
function M.product(F, p, q)
  if #p < #q then p, q = q, p end
  local terms = {}
  for i, v in ipairs(q) do terms[i] = M.times(p, v) end
  return M.trimmed(clenshaw(F, terms, M.plus, M.times, function(u, b)
    local r = M.by_x(F, u)
    return b == 0 and r or M.plus(r, M.times(u, -b))
  end))
end

--- Quotient and remainder; q's last coefficient is not zero.
function M.divided(F, p, q)
  if #p < #q then return { p[1] * 0 }, p end
  if #q == 1 then return M.times(p, 1 / q[1]), { p[1] * 0 } end
  local quotient, rest = {}, M.times(p, 1.0)
  for i = #p - #q, 0, -1 do
    local unit = {}
    for k = 1, i do unit[k] = 0.0 end
    unit[i + 1] = 1.0
    local shifted = M.product(F, unit, q)
    local factor = rest[i + #q] / shifted[i + #q]
    quotient[i + 1] = factor
    for k = 1, i + #q - 1 do rest[k] = rest[k] - shifted[k] * factor end
    rest[i + #q] = nil
  end
  return quotient, M.trimmed(rest)
end

--- off + scale x.
function M.line(F, off, scale)
  if scale == 0 then return { off } end
  return { F.b(0) == 0 and off or off + scale * F.b(0), scale * F.a(0) }
end

--- The product of x - r of all roots, halves first.
function M.from_roots(F, roots)
  if #roots == 0 then return { 1.0 } end
  local parts = {}
  for i, r in ipairs(roots) do parts[i] = M.line(F, -r, 1.0) end
  while #parts > 1 do
    local half, next = #parts // 2, {}
    for i = 1, half do next[i] = M.product(F, parts[i], parts[i + half]) end
    if #parts % 2 == 1 then next[1] = M.product(F, next[1], parts[#parts]) end
    parts = next
  end
  return parts[1]
end

-- ---- derivatives, integrals ---------------------------------------------------------------------------------------
function M.derivative(F, c, m, scale)
  if m >= #c then return { c[1] * 0 } end
  for _ = 1, m do
    local d = {}
    F.der(M.times(c, scale), d)
    c = d
  end
  return c
end

--- m times, each one with the value k[i] at `from`.
function M.integral(F, c, m, k, from, scale)
  for i = 1, m do
    local t = { c[1] * 0 }
    if #c > 1 or not is_zero(c[1]) then
      for j = 2, #c + 1 do t[j] = t[1] end
      F.int(M.times(c, scale), t)
    end
    t[1] = t[1] + ((k[i] or 0.0) - M.value(F, t, from))
    c = t
  end
  return c
end

-- ---- roots --------------------------------------------------------------------------------------------------------
--- Rows of the matrix whose eigenvalues are the roots of a series: symmetric but for its last column where the family
-- is orthogonal.
function M.companion(F, c)
  local n, rows = #c - 1, {}
  for i = 1, n do
    rows[i] = {}
    for j = 1, n do rows[i][j] = i == j and F.b(i - 1) or 0.0 end
  end
  local powers = not F.total
  for i = 1, n - 1 do
    local off = math.sqrt(F.a(i - 1) * F.c(i))
    rows[i + 1][i] = powers and 1.0 or F.a(i - 1) < 0 and -off or off
    rows[i][i + 1] = powers and 0.0 or rows[i + 1][i]
  end
  local size = 1.0 -- of p_i beside p_(n-1)
  for i = n, 1, -1 do
    rows[i][n] = rows[i][n] - c[i] / c[n + 1] * (size * F.a(n - 1))
    if i > 1 and not powers then size = size / math.sqrt(F.c(i - 1) / F.a(i - 2)) end
  end
  return rows
end

--- Values of the orthonormal polynomials n and n - 1 at x times 1/a, and the sum of the squares of those before n.
function M.orthonormal(F, n, x)
  local before, at, sum, off = x * 0, x * 0 + 1 / math.sqrt(F.total), x * 0, 0.0
  for k = 0, n - 1 do
    sum = sum + at * at
    local next_off = math.sqrt(F.a(k) * F.c(k + 1)) * (F.a(k) < 0 and -1 or 1)
    at, before = ((x - F.b(k)) * at - before * off) / next_off, at
    off = next_off
  end
  return at, before * off, sum
end

return M
