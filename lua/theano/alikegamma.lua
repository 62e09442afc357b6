--- Quotients of gamma functions, for Variables and arrays alike (see theano.alike): `M.special`.
-- @module theano.alikegamma
return function(M, K)
  local special = M.special
  local as, wide, D = K.as, K.wide, K.double
  local C = require("theano.alikechoice")(M, K)
  local call, pick, both, either, kept = C.call, C.pick, C.both, C.either, C.kept

  -- log gamma(x) less (x - 1/2) log x - x + log(2 pi) / 2, x >= 10 (DLMF 5.11.1)
  local REST = { 1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156 }
  local function rest(x)
    local s, u = D(REST[#REST]), 1.0 / (x * x)
    for k = #REST - 1, 1, -1 do s = s * u + D(REST[k]) end
    return s / x
  end
  -- gamma(x + d) / gamma(x) of both above 10: x^d times what is left, whose exponent is small where d is
  local function far_ratio(x, d)
    local y = x + d
    local e = (y - 0.5) * call(M.log1p, d / x) - d + (rest(y) - rest(x))
    local all = e + d * call(M.log, x)
    local some = as(M.lt(M.abs(all), 700.0))
    local root = call(M.power, x, 0.5 * pick(some, d, 0.0))
    return pick(some, root * call(M.exp, pick(some, e, 0.0)) * root, M.exp(pick(some, 0.0, all)))
  end
  local function in_range(x) return both(M.lt(x, 170.0), M.gt(x, -170.0)) end
  -- gamma(z + m) / gamma(z) of both above 0
  local function ratio(z, m)
    local s = z + m
    local far, near = both(M.ge(z, 10.0), M.ge(s, 10.0)), both(in_range(z), in_range(s))
    local r = far_ratio(pick(far, z, 16.0), pick(far, m, 0.0))
    local plain = call(special.gamma, pick(near, s, 1.0)) / call(special.gamma, pick(near, z, 1.0))
    local logs = call(M.exp, call(special.gammaln, kept(s, 1e-305, math.huge))
      - call(special.gammaln, kept(z, 1e-305, math.huge)))
    return pick(far, r, pick(near, plain, logs))
  end
  -- sin(pi x) where x is no whole number, and its sign
  local function sine(x)
    local turn = as(M.rint(x))
    return call(M.sin, D(math.pi) * (x - turn)) * (1.0 - 2.0 * call(M.mod, call(M.abs, turn), 2.0))
  end
  local function pole(x) return both(M.le(x, 0), M.eq(x, M.floor(x))) end
  -- One of z and z + m is above 0, or above 1
  local function across(z, s)
    local plain = both(in_range(z), in_range(s))
    local free = either(pole(z), pole(s))
    local a, b = pick(free, 1.0, s), pick(free, 1.0, z)
    local small = call(special.gamma, pick(plain, a, 1.0)) / call(special.gamma, pick(plain, b, 1.0))
    local signs = call(special.gammasgn, a) * call(special.gammasgn, b)
    local large = signs * call(M.exp, call(special.gammaln, a) - call(special.gammaln, b))
    return pick(pole(z), 0.0, pick(pole(s), math.huge, pick(plain, small, large)))
  end
  local function rising(z, m)
    local s = z + m
    local above, below = both(M.gt(z, 0), M.gt(s, 0)), both(M.lt(z, 1), M.lt(s, 1))
    local whole = as(M.eq(m, M.floor(m)))
    -- below 1 by reflection: gamma(1 - z) / gamma(1 - s) times sin(pi z) / sin(pi s), of a whole m 1 or -1
    local turned = both(below, M.logical_not(above))
    local mirror = ratio(pick(turned, 1.0 - s, 1.0), pick(turned, m, 0.0))
    local poles = both(turned, pole(s))
    local part = both(turned, M.logical_not(either(whole, poles)))
    local turn = pick(part, sine(pick(part, z, 0.5)) / sine(pick(part, s, 0.5)), pick(pole(z), 0.0, math.huge))
    local free = both(whole, M.neq(z, M.floor(z))) -- 1, but with its derivatives
    local r0 = pick(free, z - call(M.rint, z), 0.5)
    local one = call(M.sin, D(math.pi) * r0) / call(M.sin, D(math.pi) * (r0 + (m - C.stop(m))))
    turn = pick(whole, (1.0 - 2.0 * call(M.mod, call(M.abs, C.stop(m)), 2.0)) * one, turn)
    local r = pick(above, ratio(pick(above, z, 1.0), pick(above, m, 0.0)), pick(turned, mirror * turn,
      across(pick(either(above, turned), 1.0, z), pick(either(above, turned), 1.0, s))))
    -- of few factors their product, which loses nothing beside poles; derivatives are those of what it replaces
    local few = both(whole, both(M.ge(m, 1), both(M.le(m, 8), both(M.neq(r, 0), M.lt(M.abs(r), math.huge)))))
    local product = z
    for k = 1, 7 do product = product * pick(M.gt(m, k + 0.0), z + (k + 0.0), 1.0) end
    r = pick(few, r * C.stop(product / pick(few, r, 1.0)), r)
    local nothing = both(M.eq(m, 0), either(pole(z), M.logical_not(as(M.isfinite(z))))) -- at poles of both too
    return pick(either(M.isnan(z), M.isnan(m)), s, pick(nothing, 1.0, r))
  end
  --- `poch(z, m)`: gamma(z + m) / gamma(z).
  function special.poch(z, m)
    local back
    z, m, back = wide("poch", z, m)
    return back(rising(z, m))
  end
  --- `perm(N, k)`: in how many ways k of N things are put in order, as floats; 0 where there is none.
  function special.perm(N, k)
    local back
    N, k, back = wide("perm", N, k)
    local there = both(M.le(k, N), M.ge(k, 0))
    return back(pick(there, rising(pick(there, N - k + 1.0, 1.0), pick(there, k, 0.0)), 0.0))
  end
end
