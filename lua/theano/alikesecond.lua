--- Bessel functions of the second kind of real orders, for Variables and arrays alike (see theano.alike): `M.special`.
-- Schlaefli's integrals by Gauss's rule, far out Hankel's asymptotic series.
-- @module theano.alikesecond
local WAVES, TAILS, DEPTH = 320, 96, 45.0

return function(M, K)
  local special = M.special
  local as, wide, D = K.as, K.wide, K.double
  local inf, pi = math.huge, math.pi

  local C = require("theano.alikechoice")(M, K)
  local call, stop, pick, both, either, kept = C.call, C.stop, C.pick, C.both, C.either, C.kept

  local rules = {}
  -- Places on [0, 1] and weights of Gauss's rule
  local function rule(n)
    if not rules[n] then
      local x, w = require("theano.ndarray").special.roots_legendre(n)
      rules[n] = { (x + 1.0) / 2.0, w / 2.0 }
    end
    return as(rules[n][1]), as(rules[n][2])
  end
  local function column(a) return call(M.expand_dims, a, -1) end
  -- The integral of f(t) from `from` on, so far
  local function integral(n, from, length, f)
    local at, w = rule(n)
    return length * call(M.sum, f(column(from) + column(length) * at) * w, -1)
  end
  -- cos(pi u), sin(pi u) without loss where u is large
  local function turned(u)
    local r = u - 2.0 * call(M.rint, u * 0.5)
    local whole, half = M.eq(r, M.rint(r)), M.eq(r - 0.5, M.rint(r - 0.5))
    return pick(half, 0.0, M.cos(r * D(pi))), pick(whole, 0.0, M.sin(r * D(pi)))
  end

  -- DLMF 10.9.7: of waves up to pi, less (e^(v t) + cos(pi v) e^(-v t)) e^(-x sinh t) over t, the former around its
  -- peak
  local function near(v, x)
    local at, w = rule(WAVES)
    local angle = at * D(pi)
    local waves = call(M.sum, M.sin(column(x) * call(M.sin, angle) - column(v) * angle) * w, -1)
    local most, rises = call(M.maximum, v, x), M.ge(v, x)
    local peak = pick(rises, M.arccosh(pick(rises, v / x, 1.0)), 0.0)
    local fall = pick(rises, call(M.sqrt, pick(rises, (v - x) * (v + x), 1.0)), 1.0)
    -- how far it goes until e^-45 of the peak is left
    local right = call(M.minimum, M.power(6.0 * DEPTH / most, D(1 / 3)), M.maximum(2.2, M.arcsinh(2.0 * DEPTH / most)))
    right = call(M.minimum, right, pick(rises, 2.0 * call(M.arcsinh, M.sqrt(0.5 * DEPTH / M.maximum(fall, D(1e-9)))),
      DEPTH / M.maximum(x - v, D(1e-9))))
    local c = DEPTH / call(M.maximum, v, D(1e-9))
    local from = call(M.maximum, 0.0, peak - 1.3 * (0.5 * c + M.sqrt(0.25 * c * c + 2.0 * c)))
    from, right = stop(from), stop(right + peak)
    local size = v * peak - pick(rises, fall, 0.0)
    local up = integral(TAILS, from, right - from, function(t)
      return call(M.exp, column(v) * t - column(x) * M.sinh(t) - column(size))
    end)
    local far = stop(call(M.minimum, M.arcsinh(DEPTH / x), c))
    local down = integral(TAILS, x * 0.0, far, function(t)
      return call(M.exp, -column(v) * t - column(x) * M.sinh(t))
    end)
    local e = call(M.exp, 0.5 * size)
    return waves - (up * e * e + turned(v) * down) * D(1 / pi)
  end
  -- The first terms at 0 of v < 0.9: -(2 / pi) K(v, x) less sin(pi v / 2)^2 gamma(1 - v) (x / 2)^v 2 / (pi v)
  local function small(v, x)
    local u = kept(v, 1e-20, 0.9)
    local s = call(M.sin, u * D(pi / 2))
    local second = s * s * call(special.gamma, 1.0 - u) * call(M.power, 0.5 * x, u) / u
    return (call(special.kv, u, x) + second) * D(-2 / pi)
  end
  -- DLMF 10.17.4
  local function far(v, x)
    local mu, term, p, q = 4.0 * v * v, 1.0, 1.0, 0.0
    for k = 1, 40 do
      term = term * ((mu - (2 * k - 1.0) ^ 2) / (8.0 * k)) / x
      local sign = k // 2 % 2 == 1 and -1.0 or 1.0
      if k % 2 == 1 then q = q + sign * term else p = p + sign * term end
    end
    local c, s = turned(0.5 * v + 0.25)
    local sine, cosine = call(M.sin, x), call(M.cos, x)
    return call(M.sqrt, D(2 / pi) / x) * ((sine * c - cosine * s) * p + (cosine * c + sine * s) * q)
  end
  -- Of orders that are not negative and x > 0; what neither integrals nor the series have is NaN
  local function above(v, x)
    local out = M.ge(x, 25.0 + v * v / 6.0)
    local tiny = both(M.lt(x, D(1e-8)), M.lt(v, 0.9))
    local good = either(M.lt(x + v, 420.0), M.lt(x, v))
    local plain = both(both(good, M.logical_not(as(out))), M.logical_not(as(tiny)))
    local r = near(pick(plain, v, 1.0), pick(plain, x, 1.0))
    r = pick(plain, r, pick(tiny, small(pick(tiny, v, 0.5), pick(tiny, x, 1e-9)), M.nan))
    return pick(out, far(pick(out, v, 1.0), pick(out, kept(x, 25.0, C.MAX), 100.0)), r)
  end
  local function bessel(v, x)
    v = stop(v)
    local some = both(both(M.gt(x, 0), M.lt(x, inf)), M.lt(M.abs(v), inf))
    local y, order = pick(some, x, 1.0), pick(some, v, 1.0)
    local u, below = call(M.abs, order), M.lt(order, 0)
    local r = above(u, y)
    local c, s = turned(u)
    local j = call(M.jv, pick(below, u, 1.0), y)
    r = pick(below, pick(M.eq(c, 0), 0.0, c * r) + pick(M.eq(s, 0), 0.0, s * j), r)
    local back, half = turned(call(M.abs, v)) -- at 0 the sign of the larger part; of halves below 0 nothing
    local pole = pick(M.lt(v, 0), pick(M.eq(back, 0), 0.0, pick(M.lt(back, 0), inf, -inf)), -inf)
    pole = pick(M.isnan(half), M.nan, pole)
    r = pick(some, r, pick(M.eq(x, 0), pole, pick(M.eq(x, inf), 0.0, M.nan)))
    return pick(M.isnan(v + x), M.nan, r)
  end
  local function of_second_kind(what, v, x)
    local back
    v, x, back = wide(what, v, x)
    return back(bessel(v, x))
  end
  --- `yv(v, x)`: Bessel function of the second kind, of a real order. Its gradient is by x only.
  function special.yv(v, x) return of_second_kind("yv", v, x) end
  --- `yve(v, x)`: yv(v, x), which real arguments need not scale.
  function special.yve(v, x) return of_second_kind("yve", v, x) end
  local function hankel(what, sign)
    return function(v, x)
      v, x = wide(what, v, x)
      return K.result(K.complex(call(M.jv, stop(v), x), sign * bessel(v, x)))
    end
  end
  local first, second = hankel("hankel1", 1.0), hankel("hankel2", -1.0)
  --- `hankel1(v, x)`: jv(v, x) + i yv(v, x), of real arguments.
  function special.hankel1(v, x) return first(v, x) end
  --- `hankel2(v, x)`: jv(v, x) - i yv(v, x), of real arguments.
  function special.hankel2(v, x) return second(v, x) end
end
