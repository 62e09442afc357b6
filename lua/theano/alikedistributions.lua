--- Special functions of probability, and inverses of the incomplete gamma and beta functions, for Variables and arrays
-- alike (see theano.alike): `M.special`. What float32 is given is computed in float64 and rounded once.
-- @module theano.alikedistributions

return function(M, K)
  local special = M.special
  local as, wide, D = K.as, K.wide, K.double

  local C = require("theano.alikechoice")(M, K)
  local call, stop, pick, both, either = C.call, C.stop, C.pick, C.both, C.either
  -- What has no gradient: starts, and what chooses (an argument without a gradient may be what is chosen).
  local function log(x) return call(M.log, x) end
  local function gammainc(a, x) return call(special.gammainc, a, x) end
  local function gammaincc(a, x) return call(special.gammaincc, a, x) end
  local function betainc(a, b, x) return call(special.betainc, a, b, x) end

  -- 1 - betainc(a, b, x) of a that is nothing beside 1 and b, of x below the middle, or `plain`. It is 1 - x^a (1 + a
  -- s) / (a B(a, b)), s by the power series (DLMF 8.17.7), the rest by powers of a (DLMF 5.7.3).
  local function rest_of_tiny(a, b, x, plain)
    local tiny = both(both(M.lt(a, D(1e-5)), M.lt(a, D(1e-5) * b)), both(M.gt(a, 0), M.gt(x, 0)))
    local p, q, y = pick(tiny, a, 1e-6), pick(tiny, b, 1.0), pick(tiny, x, 0.5)
    local term, sum = 1.0, 0.0
    for k = 1, 30 do
      term = term * ((k - q) * y / (k + 0.0))
      sum = sum + term / (k + p)
    end
    local function psi(n) return n == 0 and call(M.psi, q) or call(special.polygamma, n, q) end
    local size = p * (0.5 * psi(1) - D(math.pi ^ 2 / 12) + p * (psi(2) / 6.0 + D(0.40068563438653143)))
    size = D(C.EULER) + psi(0) + size
    return pick(tiny, -call(M.expm1, p * (log(y) + size) + call(M.log1p, p * sum)), plain)
  end
  --- `betaincc(a, b, x)`: 1 - betainc(a, b, x), exact where that is small.
  function special.betaincc(a, b, x)
    local back
    a, b, x, back = wide("betaincc", a, b, x)
    local low = M.lt(x * (a + b + 2.0), a + 1.0)
    local r = betainc(pick(low, a, b), pick(low, b, a), pick(low, x, 1.0 - x))
    return back(pick(low, rest_of_tiny(a, b, pick(low, x, 0.0), 1.0 - r), r))
  end
  local function betaincc(a, b, x) return call(special.betaincc, a, b, x) end

  -- ---- inverses -----------------------------------------------------------------------------------------------------
  -- Densities of gamma and beta distributions are log-concave in u = log(x) and u = log(x / (1 - x)), and so are their
  -- integrals: log(F(u) / p) = 0 is found by Halley's steps, which come to the root from anywhere. The last two are
  -- Newton's in x = e^u, for its last digits; they alone have a gradient, the implicit function's, first to third.
  -- `F(x)` gives the value, its derivative by u, and the derivative of the logarithm of that.
  local STEPS, MOST, FAR = 16, 40.0, 600.0
  local function rooted(F, u, p, sign)
    local function away(x, bend)
      local value, slope, g = F(x)
      local d = log(value / p) * value / slope
      if bend then d = d / as(M.maximum(1.0 - 0.5 * d * (g - slope / value), 0.5)) end
      return pick(M.isfinite(d), M.clip(d, -MOST, MOST), pick(M.gt(value, 0.5 * p), 0.5, -0.5) * sign)
    end
    for _ = 1, STEPS do u = stop(u - away(as(M.exp(u)), true)) end
    local x = call(M.exp, u)
    for _ = 1, 2 do x = x * (1.0 - away(x)) end
    return x
  end

  -- ndtri of p <= 1/2 by Hastings' formula (A&S 26.2.23): a start
  local function normal(p)
    local t = call(M.sqrt, -2.0 * log(p))
    return (D(2.30753) + t * D(0.27061)) / (1.0 + t * (D(0.99229) + t * D(0.04481))) - t
  end

  -- x with gammainc(a, x) = p and gammaincc(a, x) = q, p + q = 1
  local function gamma_root(a, p, q)
    local low = as(M.le(p, 0.5))
    local small, sign = pick(low, p, q), pick(low, 1.0, -1.0)
    local lg = call(special.gammaln, a)
    local least = (log(p) + lg + log(a)) / a -- x^a / gamma(a + 1) = p: below the root
    local k = 1.0 - 1.0 / (9.0 * a) + sign * normal(small) / (3.0 * as(M.sqrt(a))) -- Wilson and Hilferty, A&S 26.4.17
    local middle = log(a) + 3.0 * log(M.maximum(k, D(1e-3)))
    local tail = -log(q) - lg -- of small a the upper one falls as exp(-x)
    local start = pick(M.gt(a, 0.5), M.maximum(least, middle),
      pick(both(M.eq(low, 0), M.gt(tail, 1.0)), log(M.maximum(tail, 1.0)), M.minimum(least, 1.0)))
    local r = rooted(function(x)
      return pick(low, gammainc(a, x), gammaincc(a, x)), sign * call(M.exp, a * log(x) - x - lg), a - x
    end, stop(M.maximum(start, -FAR)), small, sign)
    return pick(both(low, M.lt(least, -FAR)), M.exp(M.minimum(least, 0.0)), r) -- so near 0 that bound is the root
  end
  local function gamma_inverse(a, p, q)
    local good = both(both(M.gt(a, 0), M.lt(a, math.huge)), both(M.gt(p, 0), M.gt(q, 0)))
    local r = gamma_root(pick(good, a, 1.0), pick(good, p, 0.5), pick(good, q, 0.5))
    local edge = pick(either(M.lt(a, 0), either(M.lt(p, 0), M.lt(q, 0))), M.nan,
      pick(M.eq(p, 0), 0.0, pick(M.eq(q, 0), math.huge, M.nan)))
    return pick(good, M.maximum(r, 0.0), edge)
  end
  --- `gammaincinv(a, p)`: x with gammainc(a, x) = p.
  function special.gammaincinv(a, p)
    local back
    a, p, back = wide("gammaincinv", a, p)
    return back(gamma_inverse(a, p, 1.0 - p))
  end
  --- `gammainccinv(a, q)`: x with gammaincc(a, x) = q.
  function special.gammainccinv(a, q)
    local back
    a, q, back = wide("gammainccinv", a, q)
    return back(gamma_inverse(a, 1.0 - q, q))
  end

  -- Starts for u = log(x / (1 - x)) where betainc(a, b, x) = p <= 1/2, lb the logarithm of beta(a, b): of large a and b
  -- A&S 26.5.22; powers of x; of b below 1 powers of 1 - x, or exponentials of a (1 - x)
  local function beta_start(a, b, p, lb)
    local large, few = both(M.ge(a, 1), M.ge(b, 1)), as(M.lt(b, 1))
    local z = normal(p)
    local l = (z * z - 3.0) / 6.0
    local r, t = 1.0 / (2.0 * pick(large, a, 1.0) - 1.0), 1.0 / (2.0 * pick(large, b, 1.0) - 1.0)
    local h = 2.0 / (r + t)
    local w = z * as(M.sqrt(M.maximum(h + l, 0.0))) / h - (t - r) * (l + D(5 / 6) - D(2 / 3) / h)
    local left = (log(p) + log(a) + lb) / a
    local right = -(log(1.0 - p) + log(b) + lb) / b
    local tail = -log(p) - call(special.gammaln, b)
    local far = pick(M.gt(tail, 1.0), log(a) - log(M.maximum(tail, 1.0)), M.maximum(right, log(a) - 1.0))
    local upper = M.lt(betainc(a, b, D(0.5)), p)
    return pick(large, M.maximum(log(a / b) + 2.0 * w, left), -- left is below the root
      pick(few, pick(M.ge(a, 1), far, pick(upper, M.maximum(right, 0.0), left)), left))
  end
  -- x / (1 - x) where betainc(a, b, x) = p and betaincc(a, b, x) = q, p + q = 1
  local function beta_root(a, b, p, q)
    local low = as(M.le(p, 0.5))
    local small = pick(low, p, q)
    a, b = pick(low, a, b), pick(low, b, a)
    local lb = call(special.betaln, a, b)
    local odds = rooted(function(o)
      local x, y = o / (1.0 + o), 1.0 / (1.0 + o)
      local slope = call(M.exp, a * log(x) + b * log(y) - lb)
      local near = both(M.gt(x, 0.5), M.gt(slope, y)) -- so near 1 that digits of y are lost in x
      local r = betainc(pick(near, b, a), pick(near, a, b), pick(near, y, x))
      return pick(near, 1.0 - r, r), slope, a * y - b * x
    end, stop(M.maximum(beta_start(a, b, small, lb), -FAR)), small, 1.0)
    local left = (log(small) + log(a) + lb) / a
    odds = pick(M.lt(left, -FAR), M.exp(M.minimum(left, 0.0)), odds)
    return pick(low, odds, 1.0 / odds)
  end
  local function within(p, q) return both(M.gt(p, 0), M.gt(q, 0)) end
  -- The same of any values: 0 and infinite at the ends, NaN outside
  local function beta_odds(a, b, p, q)
    local fine = both(both(M.gt(a, 0), M.lt(a, math.huge)), both(M.gt(b, 0), M.lt(b, math.huge)))
    local good = both(fine, within(p, q))
    local r = beta_root(pick(good, a, 1.0), pick(good, b, 1.0), pick(good, p, 0.5), pick(good, q, 0.5))
    local edge = pick(both(fine, M.eq(p, 0)), 0.0, pick(both(fine, M.eq(q, 0)), math.huge, M.nan))
    return pick(good, r, edge)
  end
  local function part_of(odds) -- x of x / (1 - x)
    local finite = as(M.lt(odds, D(1e300)))
    return pick(finite, pick(finite, odds, 1.0) / (1.0 + odds), pick(M.isnan(odds), odds, 1.0))
  end
  --- `betaincinv(a, b, p)`: x with betainc(a, b, x) = p.
  function special.betaincinv(a, b, p)
    local back
    a, b, p, back = wide("betaincinv", a, b, p)
    return back(part_of(beta_odds(a, b, p, 1.0 - p)))
  end
  --- `betainccinv(a, b, q)`: x with betaincc(a, b, x) = q.
  function special.betainccinv(a, b, q)
    local back
    a, b, q, back = wide("betainccinv", a, b, q)
    return back(part_of(beta_odds(a, b, 1.0 - q, q)))
  end

  -- ---- distributions ------------------------------------------------------------------------------------------------
  local function lacks(bad, r) return pick(bad, M.nan, r) end

  --- `bdtr(k, n, p)`: the binomial distribution: the chance of at most k successes in n trials.
  function special.bdtr(k, n, p)
    local back
    k, n, p, back = wide("bdtr", k, n, p)
    k = call(M.floor, k)
    local all = as(M.eq(k, n))
    local r = betaincc(M.maximum(k + 1.0, 1.0), pick(all, 1.0, n - k), p)
    return back(lacks(either(M.lt(k, 0), M.lt(n, k)), pick(all, pick(M.isnan(r), r, 1.0), r)))
  end
  --- `bdtrc(k, n, p)`: the chance of more than k successes in n trials.
  function special.bdtrc(k, n, p)
    local back
    k, n, p, back = wide("bdtrc", k, n, p)
    k = call(M.floor, k)
    local all, none = as(M.eq(k, n)), as(M.lt(k, 0))
    local r = betainc(M.maximum(k + 1.0, 1.0), pick(either(all, none), 1.0, n - k), p)
    r = pick(M.isnan(r), r, pick(none, 1.0, pick(all, 0.0, r)))
    return back(lacks(M.lt(n, k), r))
  end
  --- `bdtri(k, n, y)`: p with bdtr(k, n, p) = y.
  function special.bdtri(k, n, y)
    local back
    k, n, y, back = wide("bdtri", k, n, y)
    k = call(M.floor, k)
    local bad = either(either(M.lt(k, 0), M.le(n, k)), either(M.lt(y, 0), M.gt(y, 1)))
    return back(lacks(bad, part_of(beta_odds(M.maximum(k + 1.0, 1.0), pick(bad, 1.0, n - k), 1.0 - y, y))))
  end
  --- `nbdtr(k, n, p)`: the negative binomial distribution: the chance of at most k failures before n successes.
  function special.nbdtr(k, n, p)
    local back
    k, n, p, back = wide("nbdtr", k, n, p)
    k = call(M.floor, k)
    return back(lacks(M.lt(k, 0), betainc(n, M.maximum(k + 1.0, 1.0), p)))
  end
  --- `nbdtrc(k, n, p)`: the chance of more than k failures before n successes.
  function special.nbdtrc(k, n, p)
    local back
    k, n, p, back = wide("nbdtrc", k, n, p)
    k = call(M.floor, k)
    return back(lacks(M.lt(k, 0), betaincc(n, M.maximum(k + 1.0, 1.0), p)))
  end
  --- `nbdtri(k, n, y)`: p with nbdtr(k, n, p) = y.
  function special.nbdtri(k, n, y)
    local back
    k, n, y, back = wide("nbdtri", k, n, y)
    k = call(M.floor, k)
    return back(lacks(M.lt(k, 0), part_of(beta_odds(n, M.maximum(k + 1.0, 1.0), y, 1.0 - y))))
  end

  --- `pdtr(k, m)`: Poisson's distribution of mean m: the chance of at most k.
  function special.pdtr(k, m)
    local back
    k, m, back = wide("pdtr", k, m)
    local bad = either(M.lt(k, 0), M.lt(m, 0))
    return back(lacks(bad, gammaincc(pick(bad, 1.0, as(M.floor(k)) + 1.0), pick(bad, 1.0, m))))
  end
  --- `pdtrc(k, m)`: the chance of more than k.
  function special.pdtrc(k, m)
    local back
    k, m, back = wide("pdtrc", k, m)
    local bad = either(M.lt(k, 0), M.lt(m, 0))
    return back(lacks(bad, gammainc(pick(bad, 1.0, as(M.floor(k)) + 1.0), pick(bad, 1.0, m))))
  end
  --- `pdtri(k, y)`: m with pdtr(k, m) = y.
  function special.pdtri(k, y)
    local back
    k, y, back = wide("pdtri", k, y)
    local bad = either(M.lt(k, 0), either(M.lt(y, 0), M.ge(y, 1)))
    return back(lacks(bad, gamma_inverse(pick(bad, 1.0, as(M.floor(k)) + 1.0), 1.0 - y, y)))
  end

  --- `chdtr(v, x)`: chi squared of v degrees of freedom: the part below x.
  function special.chdtr(v, x)
    local back
    v, x, back = wide("chdtr", v, x)
    return back(gammainc(v * 0.5, x * 0.5))
  end
  --- `chdtrc(v, x)`: the part above x.
  function special.chdtrc(v, x)
    local back
    v, x, back = wide("chdtrc", v, x)
    return back(gammaincc(v * 0.5, x * 0.5))
  end
  --- `chdtri(v, p)`: x with chdtrc(v, x) = p.
  function special.chdtri(v, p)
    local back
    v, p, back = wide("chdtri", v, p)
    return back(2.0 * gamma_inverse(v * 0.5, 1.0 - p, p))
  end
  --- `gdtr(a, b, x)`: the gamma distribution of rate a and shape b: the part below x.
  function special.gdtr(a, b, x)
    local back
    a, b, x, back = wide("gdtr", a, b, x)
    return back(lacks(M.lt(x, 0), gammainc(b, a * x)))
  end
  --- `gdtrc(a, b, x)`: the part above x.
  function special.gdtrc(a, b, x)
    local back
    a, b, x, back = wide("gdtrc", a, b, x)
    return back(lacks(M.lt(x, 0), gammaincc(b, a * x)))
  end
  --- `gdtrix(a, b, p)`: x with gdtr(a, b, x) = p.
  function special.gdtrix(a, b, p)
    local back
    a, b, p, back = wide("gdtrix", a, b, p)
    return back(gamma_inverse(b, p, 1.0 - p) / a)
  end

  -- The same of b that is many times a: of t = -log(1 - x) the integrand is t^(a - 1) e^(-m t) (sinh(t / 2) / (t /
  -- 2))^(a - 1), m = b + (a - 1) / 2, whose last factor is 1 and powers of t^2: incomplete gamma functions.
  local function many_odds(a, b, odds)
    local m, c = b + 0.5 * (a - 1.0), (a - 1.0) / 24.0
    local u, by = m * call(M.log1p, odds), 1.0 / (m * m)
    local second = c * a * (a + 1.0) * by
    local fourth = (0.5 * c * c - c / 120.0) * a * (a + 1.0) * (a + 2.0) * (a + 3.0) * by * by
    local function part(f)
      return (f(a, u) + second * f(a + 2.0, u) + fourth * f(a + 4.0, u)) / (1.0 + second + fourth)
    end
    return part(gammainc), part(gammaincc)
  end
  -- betainc and betaincc of x = odds / (1 + odds), 1 - x as exact as x
  local function of_odds(a, b, odds)
    local finite = as(M.lt(odds, math.huge))
    local o = pick(finite, odds, 1.0)
    local x, y = pick(finite, o / (1.0 + o), 1.0), pick(finite, 1.0 / (1.0 + o), 0.0)
    local low = as(M.lt(x * (a + b + 2.0), a + 1.0))
    local p, q, z = pick(low, a, b), pick(low, b, a), pick(low, x, y)
    local r = betainc(p, q, z)
    local rest = rest_of_tiny(p, q, z, 1.0 - r)
    r, rest = pick(M.isnan(odds), odds, r), pick(M.isnan(odds), odds, rest)
    local large, many, few = as(M.gt(b, a)), M.maximum(a, b), M.minimum(a, b)
    local below, above = many_odds(few, many, pick(large, odds, 1.0 / pick(large, 1.0, odds)))
    local far = both(both(M.gt(many, 1e4), M.lt(few * few * few, D(1e-3) * many * many)), M.gt(odds, 0))
    far = both(far, M.lt(many, math.huge))
    local lower, upper = pick(low, r, rest), pick(low, rest, r)
    return pick(far, pick(large, below, above), lower), pick(far, pick(large, above, below), upper)
  end
  local function f_parts(dfn, dfd, x)
    local bad = either(either(M.le(dfn, 0), M.le(dfd, 0)), M.lt(x, 0))
    local below, above = of_odds(dfn * 0.5, dfd * 0.5, M.maximum(x, 0.0) * dfn / dfd)
    return lacks(bad, below), lacks(bad, above)
  end
  --- `fdtr(dfn, dfd, x)`: the F distribution: the part below x.
  function special.fdtr(dfn, dfd, x)
    local back
    dfn, dfd, x, back = wide("fdtr", dfn, dfd, x)
    return back((f_parts(dfn, dfd, x)))
  end
  --- `fdtrc(dfn, dfd, x)`: the part above x.
  function special.fdtrc(dfn, dfd, x)
    local back
    dfn, dfd, x, back = wide("fdtrc", dfn, dfd, x)
    return back(select(2, f_parts(dfn, dfd, x)))
  end
  --- `fdtri(dfn, dfd, p)`: x with fdtr(dfn, dfd, x) = p.
  function special.fdtri(dfn, dfd, p)
    local back
    dfn, dfd, p, back = wide("fdtri", dfn, dfd, p)
    return back(dfd / dfn * beta_odds(dfn * 0.5, dfd * 0.5, p, 1.0 - p))
  end

  -- Of more than 10^4 degrees of freedom t is a normal number of another size (Hill, Comm. ACM 13, 1970)
  local MANY = 1e4
  local function many(df)
    local far = as(M.gt(df, MANY))
    local n = pick(both(far, M.lt(df, 1e300)), df, 1e300)
    return far, n, n - 0.5
  end
  local function hill(a, z)
    local b, u = 48.0 * a * a, z * z
    return z / b * (u + 3.0 - (((4.0 * u + 33.0) * u + 240.0) * u + 855.0) / (10.0 * (b + 0.8 * u * u + 100.0)))
  end
  local function to_normal(n, a, t)
    local z = call(M.sqrt, a * call(M.log1p, t * t / n))
    return z + hill(a, z)
  end
  local function from_normal(n, a, z)
    local y = z - hill(a, z)
    y = z - hill(a, z - hill(a, y))
    return call(M.sqrt, n * call(M.expm1, y * y / a))
  end
  -- The density of Student's t at 0
  local function t_density(df) return call(M.exp, -call(special.betaln, df * 0.5, D(0.5))) / as(M.sqrt(df)) end
  --- `stdtr(df, t)`: Student's t of df degrees of freedom: the part below t.
  function special.stdtr(df, t)
    local back
    df, t, back = wide("stdtr", df, t)
    local good, near = both(M.gt(df, 0), M.lt(df, math.huge)), as(M.lt(M.abs(t), 1e-8))
    local far, wide_n, a = many(df)
    local n, u = pick(both(good, M.le(df, MANY)), df, 1.0), pick(near, 1.0, t)
    local inner, outer = of_odds(D(0.5), n * 0.5, u * u / n)
    local low = as(M.lt(u, 0))
    local r = pick(M.gt(inner, 0.5), pick(low, 0.5 * outer, 1.0 - 0.5 * outer), 0.5 + pick(low, -0.5, 0.5) * inner)
    local z = to_normal(wide_n, a, as(M.clip(u, -1e100, 1e100)))
    r = pick(far, special.ndtr(pick(low, -z, z)), r)
    r = pick(near, 0.5 + t * t_density(pick(good, df, 1.0)), r)
    r = pick(M.lt(df, 1e-290), pick(M.isnan(t), t, 0.5), r) -- odds of the square have no bounds there
    r = pick(M.eq(M.abs(t), math.huge), pick(M.gt(t, 0), 1.0, 0.0), r)
    return back(pick(good, r, pick(M.eq(df, math.huge), special.ndtr(t), M.nan)))
  end
  --- `stdtrit(df, p)`: t with stdtr(df, t) = p.
  function special.stdtrit(df, p)
    local back
    df, p, back = wide("stdtrit", df, p)
    local good, near = both(M.gt(df, 0), M.lt(df, math.huge)), as(M.lt(M.abs(p - 0.5), 1e-8))
    local far, wide_n, a = many(df)
    local n, c = pick(both(good, M.le(df, MANY)), df, 1.0), pick(near, 0.25, p)
    local low = as(M.lt(c, 0.5))
    local tail = 2.0 * pick(low, c, 1.0 - c)
    local t = call(M.sqrt, n / beta_odds(n * 0.5, D(0.5), tail, call(M.abs, 1.0 - 2.0 * c)))
    t = pick(far, from_normal(wide_n, a, -as(special.ndtri(0.5 * tail))), t)
    local r = pick(near, (p - 0.5) / t_density(pick(good, df, 1.0)), pick(low, -t, t))
    return back(pick(good, r, pick(M.eq(df, math.huge), special.ndtri(p), M.nan)))
  end
end
