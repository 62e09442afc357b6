--- Bessel functions of real orders by integrals, Airy's functions and what else is made of them, for Variables and
-- arrays alike (see theano.alike): `M.special`.
-- @module theano.alikeairy
local util = require("theano.util")

local NODES = 192

return function(M, K)
  local special = M.special
  local as, wide, D = K.as, K.wide, K.double
  local inf = math.huge

  local C = require("theano.alikechoice")(M, K)
  local call, stop, pick, both, kept = C.call, C.stop, C.pick, C.both, C.kept
  local function root(x) return call(M.sqrt, x) end
  local function powers(c, z) -- sum of c[k + 1] z^k
    local s = D(c[#c])
    for k = #c - 1, 1, -1 do s = s * z + D(c[k]) end
    return s
  end

  -- ---- modified, of the second kind --------------------------------------------------------------------------------
  -- Half the integral of exp(v t - x cosh t) over all t (DLMF 10.32.9) by the trapezoidal rule around the peak
  -- t = arsinh(v / x), from where the logarithm is -v (e^s - 1 - s) - (w - v) (cosh s - 1), w = hypot(v, x). The ends
  -- are where it is below -40; they are no part of gradients, since the sum depends on them by rounding only.
  local function k_integral(v, x)
    local w = call(M.hypot, v, x)
    local less = x * (x / (w + v))
    local function reach(size) return 2.0 * call(M.arcsinh, root(20.0 / kept(size, 1e-300, inf))) end
    local c = 40.0 / kept(v, 1e-300, inf)
    local left = stop(call(M.minimum, reach(less), 0.5 * c + root(0.25 * c * c + 2.0 * c)))
    local step = (stop(reach(w)) + left) * D(1 / (NODES - 1))
    local count = {}
    for i = 1, NODES do count[i] = i - 1.0 end
    local function column(a) return call(M.expand_dims, a, -1) end
    local s = column(step) * K.to(as(count), "float64") - column(left)
    local half = call(M.sinh, 0.5 * s)
    local sum = call(M.sum, M.exp(-column(v) * (call(M.expm1, s) - s) - column(less) * 2.0 * half * half), -1)
    local size = v * call(M.arcsinh, v / x) - v * (v / (x + w)) -- of the peak, times e^x
    return 0.5 * step * sum * call(M.exp, size)
  end
  -- The first terms at 0 of |v| < 0.9, times e^x: sqrt(pi v / sin(pi v)) sinh(v log(2 / x) + a) / v, where a is half of
  -- log(gamma(1 + v) / gamma(1 - v))
  local function k_small(v, x)
    v = kept(v, 1e-20, 0.9)
    local z, far = v * v, kept(v, 1e-3, 0.9)
    local a = pick(M.lt(v, 1e-3), v * powers({ -C.EULER, -1.2020569031595943 / 3, -1.03692775514337 / 5 }, z),
      0.5 * (call(special.gammaln, 1.0 + far) - call(special.gammaln, 1.0 - far)))
    local turn = D(math.pi) * v
    return root(turn / call(M.sin, turn)) * call(M.sinh, a - v * call(M.log, 0.5 * x)) / v * call(M.exp, x)
  end
  -- e^x K(v, x)
  local function k_scaled(v, x)
    v = call(M.abs, v)
    local good = both(both(M.gt(x, 0), M.lt(x, inf)), M.lt(v, inf))
    local y, u = kept(pick(good, x, 1.0), 1e-320, C.MAX), kept(pick(good, v, 0.0), 0.0, 1e150)
    local tiny = both(M.lt(y, 1e-8), M.lt(u, 0.9))
    local far = M.gt(y, D(1e300)) -- the order is nothing beside it
    local r = pick(tiny, k_small(pick(tiny, u, 0.3), pick(tiny, y, 1e-9)),
      k_integral(pick(tiny, 1.0, u), pick(tiny, 1.0, kept(y, 0.0, 1e300))))
    r = pick(far, D(math.sqrt(math.pi / 2)) / root(y), r)
    local edge = pick(M.isnan(x + v), M.nan, pick(M.lt(x, 0), M.nan, pick(M.eq(x, inf), 0.0, inf)))
    return pick(good, r, edge)
  end
  --- `kve(v, x)`: exp(x) kv(v, x).
  function special.kve(v, x)
    local back
    v, x, back = wide("kve", v, x)
    return back(k_scaled(v, x))
  end
  local function k_plain(v, x)
    local e = call(M.exp, -0.5 * x)
    return k_scaled(v, x) * e * e
  end
  --- `kv(v, x)`: modified Bessel function of the second kind, of a real order.
  function special.kv(v, x)
    local back
    v, x, back = wide("kv", v, x)
    return back(k_plain(v, x))
  end

  -- ---- scaled, of the first kind -----------------------------------------------------------------------------------
  -- Debye's polynomials U(k) of p^2 without p^k (DLMF 10.41.10)
  local DEBYE = { { 3 / 24, -5 / 24 }, { 81 / 1152, -462 / 1152, 385 / 1152 },
    { 30375 / 414720, -369603 / 414720, 765765 / 414720, -425425 / 414720 },
    { 4465125 / 39813120, -94121676 / 39813120, 349922430 / 39813120, -446185740 / 39813120, 185910725 / 39813120 } }
  -- e^-x I(v, x) of w = hypot(v, x) above 700 (DLMF 10.41.3)
  local function i_far(v, x)
    local u = call(M.abs, v)
    local w = call(M.hypot, u, x)
    local p = u / w
    local z, s = p * p, nil
    for k = #DEBYE, 1, -1 do
      local one = powers(DEBYE[k], z)
      s = s and one + s / w or one
    end
    local size = u * (u / (x + w)) - u * call(M.arcsinh, u / x)
    return call(M.exp, size) * (1.0 + s / w) / root(w) * D(1 / math.sqrt(2 * math.pi))
  end
  -- e^-x I(v, x) of x that are not negative; of fractions v below -2 x beyond 700 what K would add is not known
  local function i_scaled(v, x)
    local far = both(M.gt(x, 700), M.lt(x, inf))
    local near = pick(far, 1.0, pick(M.eq(x, inf), 1.0, x))
    local r = call(M.iv, v, near) * call(M.exp, -near)
    local beyond = both(M.lt(v, -2.0 * x), M.neq(v, M.floor(v)))
    r = pick(far, pick(beyond, M.nan, i_far(v, kept(pick(far, x, 1e3), 700.0, C.MAX))), r)
    return pick(M.eq(x, inf), 0.0, r)
  end
  --- `ive(v, x)`: exp(-|x|) iv(v, x).
  function special.ive(v, x)
    local back
    v, x, back = wide("ive", v, x)
    local size = call(M.abs, x)
    local whole = M.eq(v, M.floor(v))
    local sign = pick(M.lt(x, 0), pick(whole, 1.0 - 2.0 * call(M.abs, call(M.mod, v, 2.0)), M.nan), 1.0)
    return back(i_scaled(v, size) * sign)
  end
  --- `jve(v, x)`: jv(v, x), which real arguments need not scale.
  function special.jve(v, x)
    local back
    v, x, back = wide("jve", v, x)
    return back(call(M.jv, v, x))
  end

  -- ---- Airy's (DLMF 9.4, 9.6) --------------------------------------------------------------------------------------
  -- Ai and -Ai' at 0
  local AI, SLOPE = 0.35502805388781723926, 0.25881940379280679841
  -- The two power series at 0 and their derivatives
  local F, G, DF, DG = { 1.0 }, { 1.0 }, { 0.5 }, { 1.0 }
  for k = 1, 9 do
    F[k + 1] = F[k] / ((3 * k - 1) * (3 * k))
    G[k + 1] = G[k] / ((3 * k) * (3 * k + 1))
    DF[k + 1], DG[k + 1] = F[k + 1] / (3 * k + 2), G[k + 1] * (3 * k + 1)
  end
  local function airy_near(x)
    local z = x * x * x
    local f, g, df, dg = powers(F, z) * D(AI), x * powers(G, z) * D(SLOPE), x * x * powers(DF, z) * D(AI),
      powers(DG, z) * D(SLOPE)
    return { f - g, df - dg, D(math.sqrt(3)) * (f + g), D(math.sqrt(3)) * (df + dg) }
  end
  local function order(v, x) return stop(x * 0.0 + D(v)) end
  local function airy_above(x) -- scaled
    local s = root(x)
    local t = x * s * D(2 / 3)
    local function i(v) return i_scaled(order(v, t), t) end
    return { D(1 / math.pi / math.sqrt(3)) * s * k_scaled(order(1 / 3, t), t),
      D(-1 / math.pi / math.sqrt(3)) * x * k_scaled(order(2 / 3, t), t),
      D(1 / math.sqrt(3)) * s * (i(-1 / 3) + i(1 / 3)), D(1 / math.sqrt(3)) * x * (i(-2 / 3) + i(2 / 3)) }, t
  end
  local function airy_below(x)
    local s = root(x)
    local t = x * s * D(2 / 3)
    local function j(v) return call(M.jv, order(v, t), t) end
    local a, b, c, d = j(-1 / 3), j(1 / 3), j(-2 / 3), j(2 / 3)
    return { D(1 / 3) * s * (a + b), D(1 / 3) * x * (d - c), D(1 / math.sqrt(3)) * s * (a - b),
      D(1 / math.sqrt(3)) * x * (c + d) }
  end
  local function airy(x, scaled)
    local near = airy_near(kept(x, -1.0, 1.0))
    local above, t = airy_above(kept(x, 1.0, 1e180))
    local below = airy_below(kept(-x, 1.0, 1e180))
    local z = kept(x, 1e-320, 1.0)
    local small = z * root(z) * D(2 / 3)
    local high, low = M.gt(x, 1), M.lt(x, -1)
    local r = {}
    for k = 1, 4 do
      local sign = k <= 2 and 1.0 or -1.0
      local up, middle = above[k], near[k]
      if not scaled then
        local e = call(M.exp, -0.5 * sign * t)
        up = up * e * e
      else
        up = up * call(M.power, kept(x, 1e180, inf) * D(1e-180), k % 2 == 1 and -0.25 or 0.25) -- beyond what t holds
        local left = k <= 2 and pick(M.lt(x, 0), M.nan, middle) or middle
        middle = pick(M.gt(x, 0), middle * call(M.exp, sign * small), left)
      end
      local down = pick(M.lt(x, -1e180), M.nan, scaled and k <= 2 and M.nan or below[k])
      r[k] = pick(M.isnan(x), x, pick(high, up, pick(low, down, middle)))
    end
    return r
  end
  local function four(what, x, scaled)
    local back
    x, back = wide(what, x)
    local r = airy(x, scaled)
    return back(r[1]), back(r[2]), back(r[3]), back(r[4])
  end
  --- `airy(x)`: Airy's functions and their derivatives, Ai, Ai', Bi, Bi', of real numbers.
  function special.airy(x) return four("airy", x, false) end
  --- `airye(x)`: those of airy, Ai and Ai' times exp(2/3 x^(3/2)) (NaN below 0), Bi and Bi' above 0 divided by it.
  function special.airye(x) return four("airye", x, true) end

  -- ---- of spheres (DLMF 10.47) -------------------------------------------------------------------------------------
  local function whole(what, n) return C.order(what, "n", n, 0) end
  local function sphere_i(n, x) -- of x that are not negative
    local some = both(M.gt(x, 0), M.lt(x, inf))
    local y = pick(some, x, 1.0)
    local r = root(D(math.pi / 2) / y) * call(M.iv, n + 0.5, y)
    return pick(some, r, pick(M.eq(x, 0), n == 0 and 1.0 or 0.0, x))
  end
  --- `spherical_in(n, z, derivative)`: the modified spherical Bessel function of the first kind, of a whole order.
  function special.spherical_in(n, z, derivative)
    local back
    n = whole("spherical_in", n)
    util.check_type("spherical_in", "derivative", derivative, "boolean")
    z, back = wide("spherical_in", z)
    local sign = pick(M.lt(z, 0), -1.0, 1.0)
    local x = z * sign
    local r = sphere_i(derivative and n == 0 and 1 or derivative and n - 1 or n, x)
    if derivative and n > 0 then
      r = r - (n + 1.0) * sphere_i(n, x) / pick(M.eq(x, 0), 1.0, x)
      r = pick(M.eq(x, 0), n == 1 and D(1 / 3) or 0.0, pick(M.eq(x, inf), inf, r))
    end
    return back((n % 2 == 1) == not derivative and r * sign or r)
  end
  -- k(n + 1) = k(n - 1) + (2 n + 1) / z k(n); of z that are positive
  local function sphere_k(n, z)
    local e = call(M.exp, -0.5 * z)
    local a = D(math.pi / 2) / z
    local b = a * (1.0 + 1.0 / z)
    for k = 1, n do a, b = b, a + (2.0 * k + 1.0) / z * b end
    return a * e * e
  end
  --- `spherical_kn(n, z, derivative)`: the modified spherical Bessel function of the second kind, of a whole order.
  function special.spherical_kn(n, z, derivative)
    local back
    n = whole("spherical_kn", n)
    util.check_type("spherical_kn", "derivative", derivative, "boolean")
    z, back = wide("spherical_kn", z)
    local good = both(M.gt(z, 0), M.lt(z, inf))
    local x = pick(good, z, 1.0)
    local r
    if not derivative then r = sphere_k(n, x)
    elseif n == 0 then r = -sphere_k(1, x)
    else r = -sphere_k(n - 1, x) - (n + 1.0) / x * sphere_k(n, x)
    end
    local pole = pick(M.eq(z, 0), derivative and -inf or inf, M.nan)
    return back(pick(good, r, pick(M.eq(z, inf), 0.0, pole)))
  end
end
