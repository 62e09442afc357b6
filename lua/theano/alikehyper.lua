--- Hypergeometric functions of real numbers, for Variables and arrays alike (see theano.alike): `M.special`. Power
-- series as running products along an axis of their own; far out asymptotic ones, near 1 those around 1. NaN is given
-- where none of them has converged.
-- @module theano.alikehyper
local TERMS = 600

return function(M, K)
  local special = M.special
  local as, wide, D = K.as, K.wide, K.double
  local inf = math.huge

  local C = require("theano.alikechoice")(M, K)
  local call, stop, pick, both, either = C.call, C.stop, C.pick, C.both, C.either

  local function column(a) return call(M.expand_dims, a, -1) end
  -- 0, 1, .. n - 1, behind an element
  local function counted(n)
    local count = {}
    for i = 1, n do count[i] = i - 1.0 end
    return K.to(as(count), "float64")
  end
  local function no_more(a) return both(M.le(a, 0), M.eq(a, M.floor(a))) end -- a polynomial, or a pole

  -- 1 + sum of prod (a)_k / prod (c)_k z^k / k! of n terms, and whether it has converged. ended: factors behind a zero
  -- are zeros as well, without which gradients by z would overflow beyond 1; those by a go through them.
  local function series(above, below, z, n, ended)
    local k = counted(n)
    local ratio = column(z) / (k + 1.0)
    for _, a in ipairs(above) do
      local factor = column(a) + k
      if ended then factor = pick(both(M.gt(factor, 0), column(no_more(a))), 0.0, factor) end
      ratio = ratio * factor
    end
    for _, c in ipairs(below) do
      local d = column(c) + k
      ratio = ratio / pick(M.eq(d, 0), 1.0, d)
    end
    local terms = call(M.cumprod, ratio, -1)
    local sum = 1.0 + call(M.sum, terms, -1)
    local last = call(M.max, M.abs(terms[("..., %d:"):format(n - 4)]), -1)
    return sum, both(M.le(last, D(1e-15) * call(M.abs, sum)), M.lt(M.abs(sum), inf))
  end
  -- Whether c is a pole: no parameter above ends the series before it.
  local function poles(c, ...)
    local pole = no_more(c)
    for _, a in ipairs({ ... }) do pole = both(pole, M.logical_not(both(no_more(a), M.ge(a, c)))) end
    return pole
  end
  -- known: the sum of the parameters
  local function checked(r, pole, fine, x, known)
    return pick(M.isnan(x + known), M.nan, pick(pole, pick(M.eq(x, 0), 1.0, inf), pick(fine, r, M.nan)))
  end

  --- `hyp0f1(b, x)`: the confluent hypergeometric function 0F1 of real numbers. Its gradient is by x only.
  function special.hyp0f1(b, x)
    local back
    b, x, back = wide("hyp0f1", b, x)
    b = stop(b)
    local near = M.lt(M.abs(x), M.maximum(1.0, pick(M.lt(x, 0), 1.0, 4.0) * call(M.abs, b)))
    local sum, fine = series({}, { b }, pick(near, x, 0.0), 60)
    -- beyond, Bessel functions of 2 sqrt(|x|) (DLMF 10.16.9, 10.39.9)
    local size = pick(near, 1.0, call(M.abs, x))
    local root, v = 2.0 * call(M.sqrt, size), pick(near, 1.0, b) - 1.0
    local power = call(special.gamma, v + 1.0) * call(M.power, size, -0.5 * v)
    local e = call(M.exp, 0.5 * root)
    local r = pick(M.gt(x, 0), call(special.ive, v, root) * e * power * e, call(M.jv, v, root) * power)
    return back(checked(pick(near, sum, r), poles(b), either(fine, M.logical_not(as(near))), x, b))
  end

  -- sum of (p)_n (q)_n / n! y^-n, of large y
  local function asymptotic(p, q, y)
    local k = counted(30)
    local ratio = (column(p) + k) * (column(q) + k) / (k + 1.0) / column(y)
    return 1.0 + call(M.sum, M.cumprod(ratio, -1), -1)
  end
  --- `hyp1f1(a, b, x)`: the confluent hypergeometric function 1F1 of real numbers, Kummer's M.
  function special.hyp1f1(a, b, x) -- DLMF 13.2.2, 13.2.39, 13.7.2
    local back
    a, b, x, back = wide("hyp1f1", a, b, x)
    local other = b - a
    local size = call(M.abs, x)
    local ends, turns = no_more(a), no_more(other)
    -- e^x M(b - a, b, -x): its terms have one sign where those of M(a, b, x) do not
    local turned = both(M.logical_not(ends), either(turns, M.lt(x, 0)))
    local first, second = pick(M.lt(x, 0), a, 1.0 - a), pick(M.lt(x, 0), 1.0 - other, other)
    local far = both(M.gt(size, 100), M.lt((M.abs(first) + 1.0) * (M.abs(second) + 1.0), size * 0.25))
    far = both(far, M.logical_not(either(ends, turns)))
    far = both(far, M.logical_not(no_more(b)))
    local z = pick(far, 0.0, pick(turned, -x, x))
    local sum, fine = series({ pick(turned, other, a) }, { b }, z, TERMS)
    sum = sum * call(M.exp, pick(both(turned, M.logical_not(far)), x, 0.0))
    local y, up = pick(far, size, 1e3), M.gt(x, 0)
    local p, q = pick(far, a, 0.5), pick(far, b, 1.0)
    local e = call(M.exp, pick(up, pick(far, x, 0.0), 0.0) * 0.5)
    local power = pick(up, call(special.poch, p, q - p), call(special.poch, q - p, p))
    local r = e * power * call(M.power, y, pick(up, p - q, -p)) * e
      * asymptotic(pick(far, first, 0.5), pick(far, second, 0.5), y)
    return back(checked(pick(far, r, sum), poles(b, a), either(fine, far), x, a + b))
  end

  -- ---- Gauss's function --------------------------------------------------------------------------------------------
  -- Around 1, of w = 1 - z and d = c - a - b without a whole number near (DLMF 15.8.4).
  local function around(a, b, c, w, d)
    local s = series({ a, b }, { 1.0 - d }, w, 80)
    local t = series({ c - a, c - b }, { 1.0 + d }, w, 80)
    local function gammas(p, q, r, u) -- gamma(p) gamma(q) / gamma(r) / gamma(u)
      return call(special.gamma, p) * call(special.rgamma, r) * call(special.gamma, q) * call(special.rgamma, u)
    end
    return gammas(c, d, c - a, c - b) * s + gammas(c, -d, a, b) * call(M.power, w, d) * t
  end
  -- The same of d = m, a whole number that is not negative (DLMF 15.8.10).
  local function around_whole(a, b, c, w, m)
    local k = counted(80)
    local ca, cb, cm, cw = column(a), column(b), column(m), column(w)
    local front = M.lt(k, cm)
    local some = pick(front, cm - k, 1.0)
    -- (a)_k (b)_k / k! w^k, from k = 0 on, by products
    local function products(p, q, more)
      local before = k - 1.0
      local ratio = (column(p) + before) * (column(q) + before) * cw / M.maximum(k, 1.0) / more(before)
      return call(M.cumprod, pick(M.eq(k, 0), 1.0, ratio), -1)
    end
    local function sign(n) return 1.0 - 2.0 * call(M.mod, n, 2.0) end
    local finite = products(a, b, function() return 1.0 end) * sign(k) * call(special.gamma, some)
    local first = call(M.sum, pick(front, finite, 0.0), -1)
    local bracket = call(M.log, cw) - call(M.psi, k + 1.0) - call(M.psi, k + cm + 1.0) + call(M.psi, ca + k + cm)
      + call(M.psi, cb + k + cm)
    local endless = products(a + m, b + m, function(before) return cm + before + 1.0 end)
    local second = call(M.sum, endless * bracket, -1) * call(special.rgamma, m + 1.0)
    local size, r = call(special.gamma, c), special.rgamma
    return size * call(r, a + m) * call(r, b + m) * first
      - size * sign(m) * call(M.power, w, m) * call(r, a) * call(r, b) * second
  end
  -- F(a, b, c, 1 - w), and whether it has converged. Where that is a polynomial, or where d = c - a - b is negative
  -- near 1, it is w^d F(c - a, c - b, c, 1 - w) (DLMF 15.8.1), in whose sum less is lost.
  local function gauss(a, b, c, w)
    local d = c - a - b
    local ends, others = either(no_more(a), no_more(b)), either(no_more(c - a), no_more(c - b))
    local close = M.lt(w, 0.1)
    local flip = either(others, both(both(close, M.lt(d, 0)), M.logical_not(ends)))
    flip = both(flip, both(M.gt(w, 0), M.logical_not(no_more(c))))
    local by = call(M.power, pick(flip, w, 1.0), pick(flip, d, 0.0))
    a, b, d = pick(flip, c - a, a), pick(flip, c - b, b), pick(flip, -d, d)
    local near = both(close, M.logical_not(either(no_more(a), no_more(b))))
    local sum, fine = series({ a, b }, { c }, pick(near, 0.0, 1.0 - w), TERMS, true)
    local m = call(M.rint, d)
    local whole = M.lt(M.abs(d - m), D(1e-13) * (1.0 + call(M.abs, c)))
    local plain, logs = both(near, M.logical_not(as(whole))), both(near, whole)
    local v = pick(near, call(M.maximum, w, D(1e-300)), 0.05)
    -- elsewhere of numbers without a pole
    local r = around(pick(plain, a, 0.3), pick(plain, b, 0.4), pick(plain, c, 1.1), v, pick(plain, d, 0.4))
    local s = around_whole(pick(logs, a, 0.3), pick(logs, b, 0.4), pick(logs, c, 1.7), v, pick(logs, m, 1.0))
    return pick(near, pick(logs, s, r), sum) * by, either(fine, near)
  end
  --- `hyp2f1(a, b, c, z)`: Gauss's hypergeometric function 2F1 of real numbers, z up to 1 (NaN beyond, but for
  -- polynomials). Gradients are by z only.
  function special.hyp2f1(a, b, c, z) -- below 0 by z / (z - 1) (DLMF 15.8.1)
    local back
    a, b, c, z, back = wide("hyp2f1", a, b, c, z)
    a, b, c = stop(a), stop(b), stop(c)
    local ends = either(no_more(a), no_more(b))
    local below, beyond = both(M.lt(z, 0), M.logical_not(ends)), both(M.gt(z, 1), M.logical_not(ends))
    local y = pick(beyond, 0.5, z)
    local w = pick(below, 1.0 / (1.0 - pick(below, y, 0.0)), 1.0 - y)
    -- of both ways, the one whose terms fall faster
    local swap = both(below, M.gt(M.abs(a), M.abs(b)))
    local p, q = pick(swap, b, a), pick(swap, a, b)
    local r, fine = gauss(p, pick(below, c - q, q), c, w)
    r = r * call(M.power, pick(below, w, 1.0), pick(below, p, 0.0))
    local at_end = both(M.eq(z, 1), M.logical_not(ends))
    local d = c - a - b
    r = pick(both(at_end, M.le(d, 0)), inf, r)
    return back(checked(r, poles(c, a, b), both(fine, M.logical_not(beyond)), z, a + b + c))
  end
end
