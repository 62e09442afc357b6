--- SciPy's special functions that are made of others, for Variables and arrays alike (see theano.alike): `M.special`.
-- Those that are one operation are lines of core/ops/front/table_special.h.
-- @module theano.alikespecial
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(M, K)
  local special = M.special
  local as, floats, over = K.as, K.floats, help.over
  local lngamma = special.gammaln

  local function both(a, b) return as(M.and_(as(a), as(b))) end
  local function pick(c, a, b) return as(M.switch(as(c), a, b)) end
  local function chosen(c, a, b) return M.switch(as(c), a, b) end

  --- Riemann's zeta function less 1.
  function special.zetac(x) -- above 1 the sum that begins with the second summand, exact where 1 would drown it
    x = floats(as(x))
    return chosen(M.gt(x, 1), special.zeta(pick(M.gt(x, 1), x, 2.0), 2.0), special.zeta(x) - 1.0)
  end
  --- `multigammaln(a, d)`: the logarithm of the gamma function of d dimensions.
  function special.multigammaln(a, d)
    if math.type(d) ~= "integer" or d < 1 or d > 10000 then
      util.raise("ValueError", "multigammaln: d is a number of dimensions, 1 to 10000, not %s", util.kind_of(d))
    end
    local r = d * (d - 1) / 4 * math.log(math.pi)
    for j = 1, d do r = r + lngamma(as(a) + (1 - j) / 2) end
    return r
  end
  --- The sign of the gamma function.
  function special.gammasgn(x)
    x = floats(as(x))
    local whole = as(M.floor(x))
    local r = 1 - 2 * M.mod(M.minimum(whole, 0.0), 2.0)
    local pole = both(M.lt(x, 0), M.eq(whole, x))
    r = pick(pole, M.nan, pick(M.eq(x, 0), M.copysign(1.0, x), r))
    return chosen(M.isnan(x), x, r)
  end
  --- `poch(z, m)`: gamma(z + m) / gamma(z).
  function special.poch(z, m)
    z, m = floats(as(z)), as(m)
    local all = as(z + m)
    local r = special.gammasgn(all) * as(special.gammasgn(z)) * M.exp(lngamma(all) - as(lngamma(z)))
    return chosen(M.eq(m, 0), 1.0, r) -- at poles of both too
  end
  --- 1 / gamma(x).
  function special.rgamma(x)
    x = floats(as(x))
    local pole = both(M.le(x, 0), M.eq(M.floor(x), x))
    local r = pick(pole, 0.0, 1.0 / as(M.gamma(pick(pole, 1.0, x))))
    return chosen(M.lt(M.abs(x), 1e-300), x, r) -- gamma is infinite there
  end

  --- `comb(N, k, {repetition = false})`: in how many ways k of N things are chosen, as floats; 0 where there is none.
  function special.comb(N, k, repetition)
    util.check_type("comb", "repetition", repetition, "boolean")
    N, k = as(N), as(k)
    if repetition then return special.comb(as(N + k - 1), k) end
    local there = both(M.le(k, N), M.ge(k, 0))
    return chosen(there, special.binom(N, k), 0.0)
  end
  --- `perm(N, k)`: in how many ways k of N things are put in order, as floats.
  function special.perm(N, k)
    N, k = as(N), as(k)
    local there = both(M.le(k, N), M.ge(k, 0))
    return chosen(there, special.poch(as(N - k + 1), k), 0.0)
  end
  --- n! as floats, gamma(n + 1) between whole numbers; 0 below 0.
  function special.factorial(n)
    n = as(n)
    return chosen(M.lt(n, 0), 0.0, M.gamma(n + 1))
  end

  --- `logsumexp(a, axis, b, keepdims)`: log(sum(b * exp(a))) over an axis, a sequence of axes or all, without overflow;
  -- of nothing it is -inf, as SciPy's is since 1.15.
  function special.logsumexp(a, ...)
    local o = help.options("logsumexp", { "axis", "b", "keepdims" }, ...)
    if o.b == nil then return M.logsumexp(a, over(o.axis, o.keepdims)) end
    return M.logsumexp(a, { axis = o.axis, keepdims = o.keepdims, b = o.b })
  end
  --- `softmax(x, axis)`: exp(x) / sum(exp(x)) over an axis, a sequence of axes or all.
  function special.softmax(x, axis)
    x = floats(as(x))
    local e = as(M.exp(x - M.max(x, { axis = axis, keepdims = true })))
    return e / M.sum(e, { axis = axis, keepdims = true })
  end
  --- The logarithm of softmax.
  function special.log_softmax(x, axis)
    x = floats(as(x))
    return x - M.logsumexp(x, { axis = axis, keepdims = true })
  end

  --- log(expit(x)), exact far below 0 too.
  function special.log_expit(x) return -as(M.softplus(-floats(as(x)))) end
  --- log(1 + exp(x)).
  special.softplus = M.softplus
  --- (exp(x) - 1) / x, 1 at 0.
  function special.exprel(x)
    x = floats(as(x))
    local zero = M.eq(x, 0)
    local y = pick(zero, 1.0, x)
    return chosen(zero, 1.0, pick(M.eq(y, math.huge), y, M.expm1(y) / y))
  end
  --- 10 to the power x.
  function special.exp10(x) return M.power(10.0, floats(as(x))) end
  --- cos(x) - 1, exact near 0.
  function special.cosm1(x)
    local s = as(M.sin(as(x) * 0.5))
    return -2.0 * s * s
  end
  special.sinc, special.round = M.sinc, M.rint
  --- `huber(delta, r)`: r^2 / 2 where |r| is at most delta, then delta * (|r| - delta / 2).
  function special.huber(delta, r)
    delta, r = as(delta), floats(as(r))
    local size = as(M.abs(r))
    local y = pick(M.le(size, delta), 0.5 * r * r, delta * (size - 0.5 * delta))
    return chosen(M.lt(delta, 0), math.huge, y)
  end
end
