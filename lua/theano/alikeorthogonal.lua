--- Orthogonal polynomials of whole degrees, for Variables and arrays alike (see theano.alike), and of arrays the nodes
-- and weights of Gauss's rules: `M.special`.
-- @module theano.alikeorthogonal
local util = require("theano.util")

local MOST = 1000 -- degrees; nodes

return function(M, K)
  local special = M.special
  local as, wide = K.as, K.wide
  local function call(f, ...) return as(f(...)) end

  local function whole(what, n, least)
    local k = type(n) == "number" and math.tointeger(n)
    if not k or k < least or k > MOST then
      util.raise("ValueError", "special.%s: n is a whole number from %d to %d, not %s", what, least, MOST,
        type(n) == "number" and tostring(n) or util.kind_of(n))
    end
    return k
  end

  -- The polynomial of degree n by p(k + 1) = step(k, p(k), p(k - 1)) (DLMF 18.9), from p(0) = 1 and p(1)
  local function climbed(n, x, first, step)
    local p, below = first, x * 0.0 + 1.0
    if n == 0 then return below end
    for k = 1, n - 1 do p, below = as(step(k, p, below)), p end
    return p
  end
  local function chebyt(n, x) return climbed(n, x, x, function(_, p, q) return 2.0 * x * p - q end) end
  local function chebyu(n, x) return climbed(n, x, 2.0 * x, function(_, p, q) return 2.0 * x * p - q end) end
  local function legendre(n, x)
    return climbed(n, x, x, function(k, p, q) return ((2.0 * k + 1) * x * p - k * q) / (k + 1.0) end)
  end
  local function laguerre(n, alpha, x)
    return climbed(n, x, 1.0 + alpha - x, function(k, p, q)
      return ((2.0 * k + 1 + alpha - x) * p - (k + alpha) * q) / (k + 1.0)
    end)
  end
  local function gegenbauer(n, alpha, x)
    return climbed(n, x, 2.0 * alpha * x, function(k, p, q)
      return (2.0 * (k + alpha) * x * p - (k - 1.0 + 2.0 * alpha) * q) / (k + 1.0)
    end)
  end
  local function jacobi(n, a, b, x) -- DLMF 18.9.2
    local s, first = a + b, (a + 1.0) + (a + b + 2.0) * (x - 1.0) * 0.5
    return climbed(n, x, first, function(k, p, q)
      local t = 2.0 * k + s
      local r = (t + 1.0) * (t * (t + 2.0) * x + (a - b) * s) * p - 2.0 * (k + a) * (k + b) * (t + 2.0) * q
      return r / (2.0 * (k + 1) * (k + 1.0 + s) * t)
    end)
  end

  --- `eval_legendre(n, x)`: Legendre's polynomial of a whole degree.
  function special.eval_legendre(n, x)
    local back
    n, x, back = whole("eval_legendre", n, 0), wide("eval_legendre", x)
    return back(legendre(n, x))
  end
  --- `eval_sh_legendre(n, x)`: that of 2 x - 1.
  function special.eval_sh_legendre(n, x)
    local back
    n, x, back = whole("eval_sh_legendre", n, 0), wide("eval_sh_legendre", x)
    return back(legendre(n, 2.0 * x - 1.0))
  end
  --- `eval_chebyt(n, x)`: Chebyshev's polynomial of the first kind, of a whole degree.
  function special.eval_chebyt(n, x)
    local back
    n, x, back = whole("eval_chebyt", n, 0), wide("eval_chebyt", x)
    return back(chebyt(n, x))
  end
  --- `eval_chebyu(n, x)`: Chebyshev's polynomial of the second kind, of a whole degree.
  function special.eval_chebyu(n, x)
    local back
    n, x, back = whole("eval_chebyu", n, 0), wide("eval_chebyu", x)
    return back(chebyu(n, x))
  end
  --- `eval_chebyc(n, x)`: 2 eval_chebyt(n, x / 2).
  function special.eval_chebyc(n, x)
    local back
    n, x, back = whole("eval_chebyc", n, 0), wide("eval_chebyc", x)
    return back(2.0 * chebyt(n, x * 0.5))
  end
  --- `eval_chebys(n, x)`: eval_chebyu(n, x / 2).
  function special.eval_chebys(n, x)
    local back
    n, x, back = whole("eval_chebys", n, 0), wide("eval_chebys", x)
    return back(chebyu(n, x * 0.5))
  end
  --- `eval_sh_chebyt(n, x)`: eval_chebyt(n, 2 x - 1).
  function special.eval_sh_chebyt(n, x)
    local back
    n, x, back = whole("eval_sh_chebyt", n, 0), wide("eval_sh_chebyt", x)
    return back(chebyt(n, 2.0 * x - 1.0))
  end
  --- `eval_sh_chebyu(n, x)`: eval_chebyu(n, 2 x - 1).
  function special.eval_sh_chebyu(n, x)
    local back
    n, x, back = whole("eval_sh_chebyu", n, 0), wide("eval_sh_chebyu", x)
    return back(chebyu(n, 2.0 * x - 1.0))
  end
  --- `eval_hermite(n, x)`: Hermite's polynomial of a whole degree, of the weight exp(-x^2).
  function special.eval_hermite(n, x)
    local back
    n, x, back = whole("eval_hermite", n, 0), wide("eval_hermite", x)
    return back(climbed(n, x, 2.0 * x, function(k, p, q) return 2.0 * x * p - 2.0 * k * q end))
  end
  --- `eval_hermitenorm(n, x)`: Hermite's polynomial of a whole degree, of the weight exp(-x^2 / 2).
  function special.eval_hermitenorm(n, x)
    local back
    n, x, back = whole("eval_hermitenorm", n, 0), wide("eval_hermitenorm", x)
    return back(climbed(n, x, x, function(k, p, q) return x * p - (k + 0.0) * q end))
  end
  --- `eval_laguerre(n, x)`: Laguerre's polynomial of a whole degree.
  function special.eval_laguerre(n, x)
    local back
    n, x, back = whole("eval_laguerre", n, 0), wide("eval_laguerre", x)
    return back(laguerre(n, 0.0, x))
  end
  --- `eval_genlaguerre(n, alpha, x)`: the same of the weight x^alpha exp(-x).
  function special.eval_genlaguerre(n, alpha, x)
    local back
    n = whole("eval_genlaguerre", n, 0)
    alpha, x, back = wide("eval_genlaguerre", alpha, x)
    return back(laguerre(n, alpha, x))
  end
  --- `eval_gegenbauer(n, alpha, x)`: Gegenbauer's polynomial of a whole degree.
  function special.eval_gegenbauer(n, alpha, x)
    local back
    n = whole("eval_gegenbauer", n, 0)
    alpha, x, back = wide("eval_gegenbauer", alpha, x)
    return back(gegenbauer(n, alpha, x))
  end
  --- `eval_jacobi(n, alpha, beta, x)`: Jacobi's polynomial of a whole degree.
  function special.eval_jacobi(n, alpha, beta, x)
    local back
    n = whole("eval_jacobi", n, 0)
    alpha, beta, x, back = wide("eval_jacobi", alpha, beta, x)
    return back(jacobi(n, alpha, beta, x))
  end
  --- `eval_sh_jacobi(n, p, q, x)`: eval_jacobi(n, p - q, q - 1, 2 x - 1) / binom(2 n + p - 1, n).
  function special.eval_sh_jacobi(n, p, q, x)
    local back
    n = whole("eval_sh_jacobi", n, 0)
    p, q, x, back = wide("eval_sh_jacobi", p, q, x)
    return back(jacobi(n, p - q, q - 1.0, 2.0 * x - 1.0) / call(special.binom, 2.0 * n - 1.0 + p, n + 0.0))
  end

  if not K.plain then return end
  -- ---- of arrays: Gauss's rules ------------------------------------------------------------------------------------
  -- Golub and Welsch (Math. Comp. 23, 1969): nodes are the eigenvalues of the matrix of the three-term recurrence of
  -- orthonormal polynomials, b(k + 1) p(k + 1) = (x - a(k)) p(k) - b(k) p(k - 1). Two steps of Newton's give their last
  -- digits; a weight is 1 over the sum of the squares p(k)^2, k < n (DLMF 3.5.18 and 18.2.11).
  local function gauss(n, a, b, total, even)
    local J = M.zeros({ n, n })
    for k = 0, n - 1 do
      J[{ k, k }] = a(k)
      if k > 0 then
        J[{ k, k - 1 }] = b(k)
        J[{ k - 1, k }] = b(k)
      end
    end
    local x, w = M.linalg.eigvalsh(J), nil
    for turn = 1, 3 do
      local p, q = M.full({ n }, 1 / math.sqrt(total)), M.zeros({ n })
      local dp, dq = M.zeros({ n }), M.zeros({ n })
      local sum = M.zeros({ n })
      for k = 0, n - 1 do
        sum = sum + p * p
        local last = b(k + 1) > 0 and b(k + 1) or 1.0
        local bk, d = k > 0 and b(k) or 0.0, x - a(k)
        p, q, dp, dq = (d * p - bk * q) / last, p, (p + d * dp - bk * dq) / last, dp
      end
      w = M.where(M.lt(sum, math.huge), 1.0 / sum, 0.0) -- those beyond the range are NaN, too
      local step = p / dp
      if turn < 3 then x = x - M.where(M.lt(M.abs(step), 1e-6 * M.maximum(M.abs(x), 1e-3)), step, 0.0) end
    end
    if even then x, w = (x - x["::-1"]) * 0.5, (w + w["::-1"]) * 0.5 end
    return x, w * (total / M.sum(w))
  end
  local function given(x, w, total, mu)
    if mu then return x, w, total end
    return x, w
  end
  local function parameter(what, name, v, above)
    if type(v) ~= "number" or v ~= v or v <= above or v > 1e6 then
      util.raise("ValueError", "special.%s: %s is a number above %s", what, name, tostring(above))
    end
    return v + 0.0
  end
  local function unit(n) return M.arange(n) + 1.0 end

  local function legendre_roots(n)
    return gauss(n, function() return 0.0 end, function(k) return k / math.sqrt(4.0 * k * k - 1) end, 2.0, true)
  end
  --- `roots_legendre(n, mu)`: nodes and weights of Gauss's rule of the weight 1 on [-1, 1]; with mu the sum of weights.
  function special.roots_legendre(n, mu)
    local x, w = legendre_roots(whole("roots_legendre", n, 1))
    return given(x, w, 2.0, mu)
  end
  --- `roots_sh_legendre(n, mu)`: the same on [0, 1].
  function special.roots_sh_legendre(n, mu)
    local x, w = legendre_roots(whole("roots_sh_legendre", n, 1))
    return given((x + 1.0) * 0.5, w * 0.5, 1.0, mu)
  end
  -- -cos of (2 k - 1) pi / (2 n), as sines, so that the middle is exact
  local function chebyt_roots(n) return M.sin((2.0 * unit(n) - 1.0 - n) * (math.pi / (2.0 * n))) end
  --- `roots_chebyt(n, mu)`: nodes and weights of Gauss's rule of the weight 1 / sqrt(1 - x^2) on [-1, 1].
  function special.roots_chebyt(n, mu)
    n = whole("roots_chebyt", n, 1)
    return given(chebyt_roots(n), M.full({ n }, math.pi / n), math.pi, mu)
  end
  --- `roots_chebyc(n, mu)`: those of the weight 1 / sqrt(1 - x^2 / 4) on [-2, 2].
  function special.roots_chebyc(n, mu)
    n = whole("roots_chebyc", n, 1)
    return given(chebyt_roots(n) * 2.0, M.full({ n }, 2 * math.pi / n), 2 * math.pi, mu)
  end
  --- `roots_sh_chebyt(n, mu)`: those of the weight 1 / sqrt(x - x^2) on [0, 1].
  function special.roots_sh_chebyt(n, mu)
    n = whole("roots_sh_chebyt", n, 1)
    return given((chebyt_roots(n) + 1.0) * 0.5, M.full({ n }, math.pi / n), math.pi, mu)
  end
  local function chebyu_roots(n)
    local t = (2.0 * unit(n) - 1.0 - n) * (math.pi / (2.0 * (n + 1)))
    local c = M.cos(t)
    return M.sin(t), c * c * (math.pi / (n + 1))
  end
  --- `roots_chebyu(n, mu)`: nodes and weights of Gauss's rule of the weight sqrt(1 - x^2) on [-1, 1].
  function special.roots_chebyu(n, mu)
    local x, w = chebyu_roots(whole("roots_chebyu", n, 1))
    return given(x, w, math.pi / 2, mu)
  end
  --- `roots_chebys(n, mu)`: those of the weight sqrt(1 - x^2 / 4) on [-2, 2].
  function special.roots_chebys(n, mu)
    local x, w = chebyu_roots(whole("roots_chebys", n, 1))
    return given(x * 2.0, w * 2.0, math.pi, mu)
  end
  --- `roots_sh_chebyu(n, mu)`: those of the weight sqrt(x - x^2) on [0, 1].
  function special.roots_sh_chebyu(n, mu)
    local x, w = chebyu_roots(whole("roots_sh_chebyu", n, 1))
    return given((x + 1.0) * 0.5, w * 0.25, math.pi / 8, mu)
  end
  --- `roots_hermite(n, mu)`: nodes and weights of Gauss's rule of the weight exp(-x^2).
  function special.roots_hermite(n, mu)
    local total = math.sqrt(math.pi)
    local x, w = gauss(whole("roots_hermite", n, 1), function() return 0.0 end, function(k) return math.sqrt(k / 2) end,
      total, true)
    return given(x, w, total, mu)
  end
  --- `roots_hermitenorm(n, mu)`: nodes and weights of Gauss's rule of the weight exp(-x^2 / 2).
  function special.roots_hermitenorm(n, mu)
    local total = math.sqrt(2 * math.pi)
    local x, w = gauss(whole("roots_hermitenorm", n, 1), function() return 0.0 end, math.sqrt, total, true)
    return given(x, w, total, mu)
  end
  local function laguerre_roots(n, alpha)
    local total = special.gamma(alpha + 1)
    local x, w = gauss(n, function(k) return 2 * k + 1 + alpha end,
      function(k) return math.sqrt(k * (k + alpha)) end, total)
    return x, w, total
  end
  --- `roots_laguerre(n, mu)`: nodes and weights of Gauss's rule of the weight exp(-x) above 0.
  function special.roots_laguerre(n, mu)
    local x, w, total = laguerre_roots(whole("roots_laguerre", n, 1), 0.0)
    return given(x, w, total, mu)
  end
  --- `roots_genlaguerre(n, alpha, mu)`: those of the weight x^alpha exp(-x).
  function special.roots_genlaguerre(n, alpha, mu)
    n, alpha = whole("roots_genlaguerre", n, 1), parameter("roots_genlaguerre", "alpha", alpha, -1)
    local x, w, total = laguerre_roots(n, alpha)
    return given(x, w, total, mu)
  end
  local function jacobi_roots(n, a, b)
    local s = a + b
    local function diagonal(k)
      if a == b then return 0.0 end
      return k == 0 and (b - a) / (s + 2) or (b - a) * s / ((2 * k + s) * (2 * k + s + 2))
    end
    local function beside(k)
      local t = 2 * k + s
      if k == 1 then return 2 / t * math.sqrt((1 + a) * (1 + b) / (t + 1)) end
      return 2 / t * math.sqrt(k * (k + a) * (k + b) * (k + s) / ((t - 1) * (t + 1)))
    end
    local total = 2 ^ (s + 1) * special.beta(a + 1, b + 1)
    local x, w = gauss(n, diagonal, beside, total, a == b)
    return x, w, total
  end
  --- `roots_jacobi(n, alpha, beta, mu)`: those of the weight (1 - x)^alpha (1 + x)^beta on [-1, 1].
  function special.roots_jacobi(n, alpha, beta, mu)
    n = whole("roots_jacobi", n, 1)
    alpha, beta = parameter("roots_jacobi", "alpha", alpha, -1), parameter("roots_jacobi", "beta", beta, -1)
    local x, w, total = jacobi_roots(n, alpha, beta)
    return given(x, w, total, mu)
  end
  --- `roots_sh_jacobi(n, p, q, mu)`: those of the weight (1 - x)^(p - q) x^(q - 1) on [0, 1].
  function special.roots_sh_jacobi(n, p, q, mu)
    n = whole("roots_sh_jacobi", n, 1)
    q = parameter("roots_sh_jacobi", "q", q, 0)
    p = parameter("roots_sh_jacobi", "p", p, q - 1)
    local x, w, total = jacobi_roots(n, p - q, q - 1)
    local scale = 2 ^ p
    return given((x + 1.0) * 0.5, w / scale, total / scale, mu)
  end
  --- `roots_gegenbauer(n, alpha, mu)`: those of the weight (1 - x^2)^(alpha - 1/2) on [-1, 1].
  function special.roots_gegenbauer(n, alpha, mu)
    n, alpha = whole("roots_gegenbauer", n, 1), parameter("roots_gegenbauer", "alpha", alpha, -0.5)
    if alpha == 0 then return special.roots_chebyt(n, mu) end
    local x, w, total = jacobi_roots(n, alpha - 0.5, alpha - 0.5)
    return given(x, w, total, mu)
  end
end
