--- Elliptic integrals and functions, and Lambert's W of real numbers, for Variables and arrays alike (theano.alike):
-- `M.special`. Symmetric integrals by Carlson's duplication (DLMF 19.36), a fixed number of steps.
-- @module theano.alikeelliptic
local util = require("theano.util")

return function(M, K)
  local special = M.special
  local wide, D = K.wide, K.double
  local inf = math.huge

  local C = require("theano.alikechoice")(M, K)
  local call, stop, pick, both, either = C.call, C.stop, C.pick, C.both, C.either
  local function root(x) return call(M.sqrt, x) end

  -- The integral of the first kind; of values that are not negative, at most one of them 0
  local function rf(x, y, z, steps)
    local mean = (x + y + z) * D(1 / 3)
    local a, dx, dy = mean, mean - x, mean - y
    for _ = 1, steps do
      local p, q, r = root(x), root(y), root(z)
      local l = p * q + q * r + r * p
      x, y, z, a = 0.25 * (x + l), 0.25 * (y + l), 0.25 * (z + l), 0.25 * (a + l)
    end
    local scale = 4.0 ^ -steps
    local X, Y = dx * scale / a, dy * scale / a
    local Z = -X - Y
    local e2, e3 = X * Y - Z * Z, X * Y * Z
    local s = 1.0 - e2 * 0.1 + e3 * D(1 / 14) + e2 * e2 * D(1 / 24) - e2 * e3 * D(3 / 44) - e2 * e2 * e2 * D(5 / 208)
      + e3 * e3 * D(3 / 104) + e2 * e2 * e3 * D(1 / 16)
    return s / root(a)
  end
  -- That of the second kind, z above 0
  local function rd(x, y, z, steps)
    local mean = (x + y + 3.0 * z) * D(0.2)
    local a, dx, dy, sum, scale = mean, mean - x, mean - y, nil, 1.0
    for _ = 1, steps do
      local p, q, r = root(x), root(y), root(z)
      local l = p * q + q * r + r * p
      local one = scale / (r * (z + l))
      sum = sum and sum + one or one
      x, y, z, a = 0.25 * (x + l), 0.25 * (y + l), 0.25 * (z + l), 0.25 * (a + l)
      scale = scale * 0.25
    end
    local X, Y = dx * scale / a, dy * scale / a
    local Z = -(X + Y) * D(1 / 3)
    local xy, zz = X * Y, Z * Z
    local e2, e3, e4, e5 = xy - 6.0 * zz, (3.0 * xy - 8.0 * zz) * Z, 3.0 * (xy - zz) * zz, xy * zz * Z
    local s = 1.0 - e2 * D(3 / 14) + e3 * D(1 / 6) + e2 * e2 * D(9 / 88) - e4 * D(3 / 22) - e2 * e3 * D(9 / 52)
      + e5 * D(3 / 26) - e2 * e2 * e2 * D(1 / 16) + e3 * e3 * D(3 / 40) + e2 * e4 * D(3 / 20)
      + e2 * e2 * e3 * D(45 / 272) - (e3 * e4 + e2 * e5) * D(9 / 68)
    return 3.0 * sum + s * scale / (a * root(a))
  end
  local STEPS = 16
  local function few_zeros(x, y, z) -- a number of zeros of three
    local function one(v) return pick(M.eq(v, 0), 1.0, 0.0) end
    return one(x) + one(y) + one(z)
  end
  local function least(x, y, z) return call(M.minimum, x, call(M.minimum, y, z)) end

  --- `elliprf(x, y, z)`: Carlson's symmetric integral of the first kind.
  function special.elliprf(x, y, z)
    local back
    x, y, z, back = wide("elliprf", x, y, z)
    local zeros, low = few_zeros(x, y, z), least(x, y, z)
    local high = call(M.maximum, x, call(M.maximum, y, z))
    local good = both(both(M.lt(zeros, 1.5), M.ge(low, 0)), M.lt(high, inf))
    local r = rf(pick(good, x, 1.0), pick(good, y, 1.0), pick(good, z, 1.0), STEPS)
    local edge = pick(M.lt(low, 0), M.nan, pick(M.eq(high, inf), 0.0, pick(M.gt(zeros, 1.5), inf, M.nan)))
    return back(pick(good, r, edge))
  end
  --- `elliprc(x, y)`: Carlson's degenerate integral elliprf(x, y, y); of y below 0 its principal value.
  function special.elliprc(x, y)
    local back
    x, y, back = wide("elliprc", x, y)
    local good = both(both(M.ge(x, 0), M.lt(x, inf)), both(both(M.gt(y, -inf), M.lt(y, inf)), M.neq(y, 0)))
    local a, b = pick(good, x, 1.0), pick(good, y, 1.0)
    local below = M.lt(b, 0)
    local p, q = pick(below, a - b, a), pick(below, -b, b)
    local r = rf(p, q, q, STEPS) * pick(below, root(pick(below, a / p, 1.0)), 1.0)
    local some = both(M.ge(x, 0), M.eq(y, y))
    local edge = pick(both(some, M.neq(y, 0)), 0.0, M.nan)
    return back(pick(good, r, edge))
  end
  --- `elliprd(x, y, z)`: Carlson's symmetric integral of the second kind.
  function special.elliprd(x, y, z)
    local back
    x, y, z, back = wide("elliprd", x, y, z)
    local low, zeros = least(x, y, z), few_zeros(x, y, D(1.0) + z * 0.0)
    local high = call(M.maximum, x, call(M.maximum, y, z))
    local good = both(both(M.lt(zeros, 1.5), M.ge(low, 0)), both(M.lt(high, inf), M.gt(z, 0)))
    local r = rd(pick(good, x, 1.0), pick(good, y, 1.0), pick(good, z, 1.0), STEPS)
    local edge = pick(M.lt(low, 0), M.nan, pick(M.eq(high, inf), 0.0,
      pick(either(M.eq(z, 0), M.gt(zeros, 1.5)), inf, M.nan)))
    return back(pick(good, r, edge))
  end

  -- An angle as r + n pi, r within pi / 2
  local function reduced(phi)
    local n = stop(call(M.rint, phi * D(1 / math.pi)))
    return call(M.clip, phi - n * D(math.pi), -2.0, 2.0) - n * D(1.2246467991473532e-16), n
  end
  local function incomplete(phi, m, first)
    local good = both(M.le(m, 1), both(M.gt(m, -inf), M.lt(M.abs(phi), inf)))
    local p, q = reduced(pick(good, phi, 0.5))
    local k = pick(good, m, 0.5)
    local s, c = call(M.sin, p), call(M.cos, p)
    local rest = pick(M.lt(k, 0), 1.0 - k * s * s, (1.0 - k) + k * c * c) -- 1 - m sin^2
    rest = pick(M.gt(rest, 0), rest, D(1e-300))
    local one = s * 0.0 + 1.0
    local r = s * rf(c * c, rest, one, 8)
    if first then -- of a rest that 8 steps do not bring near the others log(4 tan(phi / 2) sqrt(-m)) / sqrt(-m)
      local far, high = M.gt(rest, D(1e20)), root(pick(M.gt(rest, D(1e20)), -k, 1.0))
      local size = pick(far, M.abs(s), 1.0)
      r = pick(far, pick(M.lt(s, 0), -1.0, 1.0) * call(M.log, 4.0 * size / (1.0 + c) * high) / high, r)
    else r = r - k * s * s * s * D(1 / 3) * rd(c * c, rest, one, 8) end
    local whole = call(first and special.ellipk or special.ellipe, k)
    r = r + pick(M.eq(q, 0), 0.0, 2.0 * q * whole)
    return pick(good, r, pick(M.eq(m, -inf), first and 0.0 or M.nan, M.nan))
  end
  --- `ellipkinc(phi, m)`: the elliptic integral of the first kind up to an angle, of the parameter m = k^2.
  function special.ellipkinc(phi, m)
    local back
    phi, m, back = wide("ellipkinc", phi, m)
    local r = incomplete(phi, m, true)
    local pole = both(M.eq(m, 1), M.ge(M.abs(phi), math.pi / 2))
    return back(pick(pole, pick(M.lt(phi, 0), -inf, inf), r))
  end
  --- `ellipeinc(phi, m)`: that of the second kind.
  function special.ellipeinc(phi, m)
    local back
    phi, m, back = wide("ellipeinc", phi, m)
    return back(incomplete(phi, m, false))
  end
  --- `ellipkm1(p)`: ellipk(1 - p), exact near 0.
  function special.ellipkm1(p) -- pi / 2 over the arithmetic-geometric mean of 1 and sqrt(p), DLMF 19.8.5
    local back
    p, back = wide("ellipkm1", p)
    local good = both(M.gt(p, 0), M.lt(p, inf))
    local a, b = p * 0.0 + 1.0, root(pick(good, p, 1.0))
    a = pick(good, a, 1.0)
    for _ = 1, 15 do a, b = 0.5 * (a + b), root(a) * root(b) end
    return back(pick(good, D(math.pi / 2) / a, pick(M.eq(p, 0), inf, pick(M.eq(p, inf), 0.0, M.nan))))
  end
  --- `ellipj(u, m)`: Jacobi's elliptic functions sn, cn, dn and the amplitude, of the parameter m in [0, 1].
  function special.ellipj(u, m) -- by the arithmetic-geometric mean, DLMF 22.20(ii)
    local back
    u, m, back = wide("ellipj", u, m)
    local good, last = both(M.ge(m, 0), M.le(m, 1)), M.eq(m, 1)
    local k = pick(both(good, M.lt(m, 1)), m, 0.5)
    local a, b, c = { k * 0.0 + 1.0 }, { root(1.0 - k) }, { root(k) }
    for n = 1, 9 do
      local p, q = a[n], b[n]
      a[n + 1], b[n + 1], c[n + 1] = 0.5 * (p + q), root(p * q), 0.5 * (p - q)
    end
    local phi = 2.0 ^ 9 * a[10] * u
    for n = 10, 2, -1 do -- the arcsine of c / a sin(phi), exact near pi / 2 too
      local x, y = a[n] * call(M.cos, phi), call(M.sin, phi)
      phi = 0.5 * (phi + call(M.arctan2, c[n] * y, root(x * x + b[n] * b[n] * y * y)))
    end
    local sech = 1.0 / call(M.cosh, u)
    local sn, cn = pick(last, M.tanh(u), M.sin(phi)), pick(last, sech, M.cos(phi))
    local dn = pick(last, sech, root((1.0 - k) + k * cn * cn))
    local ph = pick(last, 2.0 * call(M.arctan, M.tanh(0.5 * u)), phi)
    local function given(r) return back(pick(good, r, M.nan)) end
    return given(sn), given(cn), given(dn), given(ph)
  end

  -- ---- Lambert's W -------------------------------------------------------------------------------------------------
  -- Near -1/e by powers of p = sqrt(2 (e z + 1)), DLMF 4.13.6; signs are those of the branch
  local SERIES = { -1, 1, -1 / 3, 11 / 72, -43 / 540, 769 / 17280, -221 / 8505, 680863 / 43545600 }
  local function near_branch(p)
    local s = D(SERIES[#SERIES])
    for k = #SERIES - 1, 1, -1 do s = s * p + D(SERIES[k]) end
    return s
  end
  --- `lambertw(z, k)`: w with w exp(w) = z of real z: the branch k = 0 (above -1) or -1; NaN where w is not real.
  function special.lambertw(z, k)
    k = k or 0
    if k ~= 0 and k ~= -1 then
      util.raise("ValueError", "special.lambertw: k is 0 or -1, the branches of real numbers")
    end
    local back
    z, back = wide("lambertw", z)
    -- z + 1/e of two doubles; the maximum keeps graphs from adding these first
    local d = call(M.maximum, z + D(0.36787944117144233), -1.0) - D(1.2428753672788363e-17)
    local edge = M.lt(M.abs(d), 1e-16)
    local inside = both(M.gt(d, 0), both(M.neq(z, 0), M.lt(z, k == 0 and inf or 0.0)))
    local x = pick(inside, z, k == 0 and 1.0 or -0.25)
    local p = root(pick(both(inside, M.lt(d, 10.0)), d, 1.0) * D(2 * math.exp(1))) * (k == 0 and 1.0 or -1.0)
    local close = M.lt(M.abs(p), 0.02)
    x = pick(close, k == 0 and 1.0 or -0.25, x)
    local w
    if k == 0 then -- Iacono and Boyd, Adv. Comput. Math. 43, 2017
      local l = call(M.log1p, call(M.maximum, x, -0.3))
      w = pick(M.lt(x, -0.25), near_branch(p), l * (1.0 - call(M.log1p, l) / (2.0 + l)))
      w = pick(M.lt(M.abs(x), 1e-8), x * (1.0 - x), w)
    else
      local l = call(M.log, -x)
      local far = call(M.minimum, l, -1.5)
      local ll = call(M.log, -far)
      w = pick(M.lt(x, -0.1), near_branch(p), far - ll + ll / far)
    end
    w = stop(w)
    for turn = 1, 5 do -- Fritsch, Shafer and Crowley, CACM 16, 1973
      local r, u = call(M.log, x / w) - w, 1.0 + w
      local q = 2.0 * u * (u + D(2 / 3) * r)
      w = w * (1.0 + r / u * (q - r) / (q - 2.0 * r))
      if turn < 5 then w = stop(w) end
    end
    w = pick(close, near_branch(p), w)
    local out = k == 0 and pick(M.eq(z, inf), inf, M.nan) or pick(M.eq(z, 0), -inf, M.nan)
    if k == 0 then out = pick(M.eq(z, 0), z, out) end
    return back(pick(edge, -1.0, pick(inside, w, out)))
  end
end
