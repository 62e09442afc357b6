--- Bessel functions of the second kind and of spheres, and integrals that are special functions, for Variables and
-- arrays alike (see theano.alike): `M.special`. Series near 0; elsewhere Chebyshev series of what is left of the
-- asymptotic form.
-- @module theano.alikebessel
local tables = require("theano.alikechebyshev")
local util = require("theano.util")

return function(M, K)
  local special = M.special
  local as, wide, D = K.as, K.wide, K.double
  local inf = math.huge

  local C = require("theano.alikechoice")(M, K)
  local call, stop, pick, both, kept = C.call, C.stop, C.pick, C.both, C.kept
  local whole, EULER, MOST, MAX = C.order, C.EULER, C.MOST, C.MAX

  -- sum of c[k + 1] T(k, t) by Clenshaw's recurrence
  local function chebyshev(c, t)
    local b, below = t * 0.0 + D(c[#c]), t * 0.0
    for k = #c - 1, 2, -1 do b, below = 2.0 * t * b - below + D(c[k]), b end
    return t * b - below + D(c[1])
  end
  -- sum of c(k) z^k, k = 0 .. n
  local function powers(c, n, z)
    local s = D(c(n))
    for k = n - 1, 0, -1 do s = s * z + D(c(k)) end
    return as(s)
  end
  local function harmonic(k) -- psi(k + 1)
    local s = -EULER
    for i = 1, k do s = s + 1 / i end
    return s
  end
  local function over_factorials(n, m) -- 1 / (n! m!)
    local f = 1.0
    for i = 2, n do f = f * i end
    for i = 2, m do f = f * i end
    return 1 / f
  end

  -- ---- modified, of the second kind (DLMF 10.31) -------------------------------------------------------------------
  local function k_small(n, x)
    local z, l = x * x * 0.25, call(M.log, x * 0.5)
    if n == 0 then
      return powers(function(k) return harmonic(k) * over_factorials(k, k) end, 14, z) - l * call(M.i0, x)
    end
    local s = powers(function(k) return (harmonic(k) + harmonic(k + 1)) * over_factorials(k, k + 1) end, 14, z)
    return 1.0 / x + l * call(M.i1, x) - 0.25 * x * s
  end
  -- e^x K(n, x)
  local function k_scaled(n, x)
    local near, far = kept(x, 1e-320, 2.0), kept(x, 2.0, inf)
    local r = chebyshev(tables["k" .. n], 4.0 / far - 1.0) / as(M.sqrt(far))
    r = pick(M.le(x, 2), k_small(n, near) * as(M.exp(near)), r)
    return pick(M.eq(x, 0), inf, pick(M.lt(x, 0), M.nan, r))
  end
  local function k_climbed(n, x)
    local a, b = k_scaled(0, x), k_scaled(1, x)
    if n == 0 then return a end
    for k = 1, n - 1 do a, b = b, a + (2.0 * k) / x * b end
    return b
  end
  local function k_plain(n, x)
    local e = call(M.exp, -0.5 * x)
    return k_climbed(n, x) * e * e
  end
  --- Modified Bessel function of the second kind, order 0.
  function special.k0(x)
    local back
    x, back = wide("k0", x)
    return back(k_plain(0, x))
  end
  --- Modified Bessel function of the second kind, order 1.
  function special.k1(x)
    local back
    x, back = wide("k1", x)
    return back(k_plain(1, x))
  end
  --- exp(x) k0(x).
  function special.k0e(x)
    local back
    x, back = wide("k0e", x)
    return back(k_scaled(0, x))
  end
  --- exp(x) k1(x).
  function special.k1e(x)
    local back
    x, back = wide("k1e", x)
    return back(k_scaled(1, x))
  end
  --- `kn(n, x)`: modified Bessel function of the second kind, of a whole order.
  function special.kn(n, x)
    local back
    n, x, back = math.abs(whole("kn", "n", n, -MOST)), wide("kn", x)
    return back(k_plain(n, x))
  end

  -- ---- of the second kind (DLMF 10.8, 10.17) -----------------------------------------------------------------------
  local function y_small(n, x)
    local z, l = x * x * -0.25, call(M.log, x * 0.5)
    if n == 0 then
      local s = powers(function(k) return harmonic(k) * over_factorials(k, k) end, 16, z)
      return D(2 / math.pi) * (l * call(M.j0, x) - s)
    end
    local s = powers(function(k) return (harmonic(k) + harmonic(k + 1)) * over_factorials(k, k + 1) end, 16, z)
    return D(2 / math.pi) * (l * call(M.j1, x) - 1.0 / x - 0.25 * x * s)
  end
  local function y_far(n, x)
    local u = 8.0 / x
    local t = 2.0 * u * u - 1.0
    local s, c = call(M.sin, x), call(M.cos, x)
    local cosine, sine = s + c, s - c -- of x - pi / 4, times the root of 2
    if n == 1 then cosine, sine = sine, -cosine end
    local r = chebyshev(tables["y" .. n .. "p"], t) * sine + chebyshev(tables["y" .. n .. "q"], t) / x * cosine
    return r * D(1 / math.sqrt(math.pi)) / as(M.sqrt(x))
  end
  local function bessel_y(n, x)
    local middle = chebyshev(tables["y" .. n], (kept(x, 3.0, 8.0) - 5.5) / 2.5)
    local r = pick(M.lt(x, 8), middle, y_far(n, kept(x, 8.0, 1e300)))
    r = pick(M.le(x, 3), y_small(n, kept(x, 1e-320, 3.0)), r)
    r = pick(M.isnan(x), x, pick(M.gt(x, D(1e300)), 0.0, r))
    return pick(M.eq(x, 0), -inf, pick(M.lt(x, 0), M.nan, r))
  end
  local function y_climbed(n, x)
    local a, b = bessel_y(0, x), bessel_y(1, x)
    if n == 0 then return a end
    for k = 1, n - 1 do a, b = b, pick(M.eq(b, -inf), -inf, (2.0 * k) / x * b - a) end
    return b
  end
  local function y_any(n, x)
    local r = y_climbed(math.abs(n), x)
    return n < 0 and n % 2 == 1 and -r or r
  end
  --- Bessel function of the second kind, order 0.
  function special.y0(x)
    local back
    x, back = wide("y0", x)
    return back(bessel_y(0, x))
  end
  --- Bessel function of the second kind, order 1.
  function special.y1(x)
    local back
    x, back = wide("y1", x)
    return back(bessel_y(1, x))
  end
  --- `yn(n, x)`: Bessel function of the second kind, of a whole order.
  function special.yn(n, x)
    local back
    n, x, back = whole("yn", "n", n, -MOST), wide("yn", x)
    return back(y_any(n, x))
  end

  -- The n-th derivative from functions of orders v - n to v + n, DLMF 10.6.7 and 10.29.5
  local function derived(n, of, sign)
    local s, c = nil, 1.0
    for i = 0, n do
      local one = of(2 * i - n) * (c * (i % 2 == 1 and sign or 1))
      s = s and s + one or one
      c = c * (n - i) / (i + 1)
    end
    return s / 2.0 ^ n
  end
  --- `jvp(v, z, n)`: the n-th (1) derivative of jv.
  function special.jvp(v, z, n)
    local back
    n = whole("jvp", "n", n or 1, 0)
    v, z, back = wide("jvp", v, z)
    return back(derived(n, function(d) return call(M.jv, v + (d + 0.0), z) end, -1))
  end
  --- `ivp(v, z, n)`: the n-th (1) derivative of iv.
  function special.ivp(v, z, n)
    local back
    n = whole("ivp", "n", n or 1, 0)
    v, z, back = wide("ivp", v, z)
    return back(derived(n, function(d) return call(M.iv, v + (d + 0.0), z) end, 1))
  end
  --- `yvp(v, z, n)`: the n-th (1) derivative of yn.
  function special.yvp(v, z, n)
    local back
    v, n = whole("yvp", "v", v, -MOST), whole("yvp", "n", n or 1, 0)
    z, back = wide("yvp", z)
    return back(derived(n, function(d) return y_any(v + d, z) end, -1))
  end
  --- `kvp(v, z, n)`: the n-th (1) derivative of kn.
  function special.kvp(v, z, n)
    local back
    v, n = whole("kvp", "v", v, -MOST), whole("kvp", "n", n or 1, 0)
    z, back = wide("kvp", z)
    return back(derived(n, function(d) return k_plain(math.abs(v + d), z) end, 1) * (n % 2 == 1 and -1.0 or 1.0))
  end

  -- ---- of spheres (DLMF 10.47) -------------------------------------------------------------------------------------
  local function scale(z) return call(M.sqrt, D(math.pi / 2) / z) end
  local function spherical_j(n, z)
    local some = both(M.gt(z, 0), M.lt(z, inf))
    local x = pick(some, z, 1.0)
    local r = scale(x) * call(M.jv, n + 0.5, x)
    return pick(some, r, pick(M.eq(z, 0), n == 0 and 1.0 or 0.0, pick(M.eq(z, inf), 0.0, M.nan)))
  end
  local function spherical_y(n, z)
    local some = both(M.gt(z, 0), M.lt(z, inf))
    local x = pick(some, z, 1.0)
    local r = scale(x) * call(M.jv, -n - 0.5, x) * (n % 2 == 0 and -1.0 or 1.0)
    return pick(some, r, pick(M.eq(z, 0), -inf, pick(M.eq(z, inf), 0.0, M.nan)))
  end
  -- With its derivative, f(n - 1) - (n + 1) / z f(n) but of n = 0
  local function sphere(name, f, first, at_zero)
    return function(n, z, derivative)
      local back
      n = whole(name, "n", n, 0)
      util.check_type(name, "derivative", derivative, "boolean")
      z, back = wide(name, z)
      local sign = pick(M.lt(z, 0), -1.0, 1.0)
      local x, odd = z * sign, n % 2 == 1
      if derivative then odd = not odd end
      local r
      if not derivative then r = f(n, x)
      elseif n == 0 then r = f(1, x) * first
      else
        r = f(n - 1, x) - (n + 1.0) * f(n, x) / pick(M.eq(x, 0), 1.0, x)
        r = pick(M.eq(x, 0), at_zero(n), r)
      end
      if name == "spherical_yn" then odd = not odd end
      return back(odd and r * sign or r)
    end
  end
  local function from_zero(n) return n == 1 and 1 / 3 or 0.0 end
  local jn = sphere("spherical_jn", spherical_j, -1.0, function(n) return D(from_zero(n)) end)
  local yn = sphere("spherical_yn", spherical_y, -1.0, function() return inf end)
  --- `spherical_jn(n, z, derivative)`: the spherical Bessel function of the first kind, of a whole order.
  function special.spherical_jn(n, z, derivative) return jn(n, z, derivative) end
  --- `spherical_yn(n, z, derivative)`: the spherical Bessel function of the second kind, of a whole order.
  function special.spherical_yn(n, z, derivative) return yn(n, z, derivative) end

  -- ---- integrals ---------------------------------------------------------------------------------------------------
  --- `expn(n, x)`: the exponential integral E(n, x) of a whole n.
  function special.expn(n, x) -- upward from E(1) below 2 (DLMF 8.19.12), above by the continued fraction 8.19.17
    local back
    n, x, back = whole("expn", "n", n, 0), wide("expn", x)
    local near, far = kept(x, 0.0, 2.0), kept(x, 2.0, 1e4)
    local e = call(M.exp, -near)
    if n == 0 then return back(pick(M.lt(x, 0), M.nan, as(M.exp(-x)) / x)) end
    local r = call(special.exp1, near)
    for k = 1, n - 1 do r = (e - pick(M.eq(near, 0), 0.0, near * r)) / (k + 0.0) end
    local f = far + (n + 160.0)
    for k = 80, 1, -1 do f = far + (n + 2.0 * k - 2.0) - k * (n + k - 1.0) / f end
    r = pick(M.gt(x, 2), as(M.exp(-far)) / f, r)
    return back(pick(M.isnan(x), x, pick(M.lt(x, 0), M.nan, r)))
  end
  -- Dawson's integral: its power series (DLMF 7.6.2), Rybicki's sum (Computers in Physics 3, 1989), 1 / (2 x).
  local function dawson(x)
    local size = call(M.abs, x)
    local near, y = kept(x, -0.5, 0.5), kept(size, 0.25, 1e8)
    local c, z = { 1.0 }, near * near
    for k = 1, 13 do c[k + 1] = c[k] * -2 / (2 * k + 1) end
    local small = near * powers(function(k) return c[k + 1] end, 13, z)
    local n = stop(2.0 * call(M.rint, y * 2.0))
    local d, s = y - n * 0.25, nil
    for k = -27, 27, 2 do
      local u = d - 0.25 * k
      local one = call(M.exp, -u * u) / (n + k)
      s = s and s + one or one
    end
    local r = pick(M.lt(size, 1e8), s * D(1 / math.sqrt(math.pi)), 0.5 / kept(size, 1.0, inf))
    return pick(M.lt(size, 0.5), small, pick(M.lt(x, 0), -r, r))
  end
  --- Dawson's integral exp(-x^2) times that of exp(t^2) from 0 to x.
  function special.dawsn(x)
    local back
    x, back = wide("dawsn", x)
    return back(pick(M.isnan(x), x, dawson(x)))
  end
  --- -i erf(i x).
  function special.erfi(x)
    local back
    x, back = wide("erfi", x)
    local y = kept(x, -27.0, 27.0)
    local r = D(2 / math.sqrt(math.pi)) * call(M.exp, y * y) * dawson(y)
    return back(pick(M.gt(M.abs(x), 26.9), x * inf, pick(M.isnan(x), x, r)))
  end
  --- `sici(x)`: the sine and the cosine integral (of |x|).
  function special.sici(x)
    local back
    x, back = wide("sici", x)
    local size = call(M.abs, x)
    local near, far = kept(size, 1e-320, 4.0), kept(size, 4.0, 1e300)
    local z = near * near
    local function term(m) return (m // 2 % 2 == 1 and -1 or 1) * over_factorials(m, 0) / m end
    local si = near * powers(function(k) return term(2 * k + 1) end, 18, z)
    local ci = D(EULER) + call(M.log, near) + z * powers(function(k) return term(2 * k + 2) end, 18, z)
    local u = 4.0 / far
    local t = 2.0 * u * u - 1.0
    local f, g = chebyshev(tables.sif, t) / far, chebyshev(tables.sig, t) / far / far
    local s, c = call(M.sin, far), call(M.cos, far)
    local low = M.le(size, 4)
    si = pick(low, si, D(math.pi / 2) - f * c - g * s)
    ci = pick(low, pick(M.eq(x, 0), -inf, ci), pick(M.eq(size, inf), 0.0, f * s - g * c))
    si = pick(M.eq(x, 0), x, pick(M.lt(x, 0), -si, si))
    return back(pick(M.isnan(x), x, si)), back(pick(M.isnan(x), x, ci))
  end
  --- `shichi(x)`: the hyperbolic sine and cosine integral (of |x|).
  function special.shichi(x)
    local back
    x, back = wide("shichi", x)
    local size = call(M.abs, x)
    local near, far = kept(x, -1.0, 1.0), kept(size, 1.0, inf)
    local small = near * powers(function(k) return over_factorials(2 * k + 1, 0) / (2 * k + 1) end, 9, near * near)
    local shi = 0.5 * (call(special.expi, far) + call(special.exp1, far))
    local chi = 0.5 * (call(special.expi, size) - call(special.exp1, size))
    shi = pick(M.lt(size, 1), small, pick(M.lt(x, 0), -shi, shi))
    return back(shi), back(pick(M.eq(x, 0), -inf, chi))
  end
  --- `fresnel(z)`: Fresnel's integrals S and C, of sin and cos of pi t^2 / 2.
  function special.fresnel(z)
    local back
    z, back = wide("fresnel", z)
    local size = call(M.abs, z)
    local near, far = kept(z, -1.5, 1.5), kept(size, 1.5, 1e9)
    local q = near * near
    q = q * q
    local function term(m)
      return (m // 2 % 2 == 1 and -1 or 1) * (math.pi / 2) ^ m * over_factorials(m, 0) / (2 * m + 1)
    end
    local s = near * near * near * powers(function(k) return term(2 * k + 1) end, 13, q)
    local c = near * powers(function(k) return term(2 * k) end, 13, q)
    local u = 1.5 / far
    u = u * u
    local t = 2.0 * u * u - 1.0
    local f = chebyshev(tables.fresnelf, t) * D(1 / math.pi) / far
    local g = chebyshev(tables.fresnelg, t) * D(1 / math.pi ^ 2) / far / far / far
    local high = K.to(K.to(far, "float32"), "float64") -- far^2 to all digits, without multiples of 4
    local low = far - high
    local turn = (call(M.mod, high * high, 4.0) + call(M.mod, 2.0 * high * low, 4.0) + low * low) * D(math.pi / 2)
    local sine, cosine = call(M.sin, turn), call(M.cos, turn)
    local sign, inner = pick(M.lt(z, 0), -1.0, 1.0), M.le(size, 1.5)
    local beyond = M.gt(size, 1e9)
    s = pick(inner, s, sign * (0.5 - pick(beyond, 0.0, f * cosine + g * sine)))
    c = pick(inner, c, sign * (0.5 + pick(beyond, 0.0, f * sine - g * cosine)))
    return back(pick(M.isnan(z), z, s)), back(pick(M.isnan(z), z, c))
  end
  -- Spence's function for x in [1/2, 2], by powers of log(x) with Bernoulli's numbers B(2 k) / (2 k + 1)!
  local BERNOULLI = { 1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798,
    -174611 / 330 }
  local function spence(x)
    local w = -call(M.log, x)
    local z = w * w
    return w - 0.25 * z + w * z * powers(function(k) return BERNOULLI[k + 1] * over_factorials(2 * k + 3, 0) end, 9, z)
  end
  --- Spence's function, the dilogarithm of 1 - x.
  function special.spence(x) -- DLMF 25.12.4 and 25.12.6
    local back
    x, back = wide("spence", x)
    local large = M.gt(x, 2)
    local l = kept(x, 2.0, MAX)
    local y = pick(large, 1.0 / l, kept(x, 0.0, 2.0))
    local s, log_l = kept(y, 1e-320, 0.5), call(M.log, l)
    local low = D(math.pi ^ 2 / 6) - call(M.log, s) * call(M.log1p, -s) - spence(1.0 - s)
    local r = pick(M.lt(y, 0.5), low, spence(kept(y, 0.5, 2.0)))
    r = pick(large, -r - 0.5 * log_l * log_l, r)
    return back(pick(M.isnan(x), x, pick(M.lt(x, 0), M.nan, pick(M.eq(x, inf), -inf, r))))
  end
end
