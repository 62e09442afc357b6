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

  -- The dtype of a function of floats.
  local SMALL = { bool = true, int8 = true, uint8 = true, int16 = true, uint16 = true }
  local function dtype_of(what, ...)
    for i = 1, select("#", ...) do
      local x = select(i, ...)
      if not (type(x) == "number" or util.is_array(x) or util.is_var(x) or type(x) == "table") then
        util.raise("TypeError", "special.%s: value %d is %s, not numbers", what, i, util.kind_of(x))
      end
    end
    local dtype = M.result_type(...)
    if dtype:find("complex") then
      util.raise("TypeError", "special.%s of complex numbers is not available", what)
    end
    return dtype:find("float") and dtype or SMALL[dtype] and "float32" or "float64"
  end
  -- `wide(what, ..)`: values as float64, and behind them the function that gives a result its dtype.
  function K.wide(what, ...)
    local dtype = dtype_of(what, ...)
    local values, n = { ... }, select("#", ...)
    for i = 1, n do
      values[i] = K.to(as(type(values[i]) == "number" and K.double(values[i]) or values[i]), "float64")
    end
    values[n + 1] = function(r) return K.result(K.to(as(r), dtype)) end
    return table.unpack(values, 1, n + 1)
  end
  local wide = K.wide
  local function same(r) return r end
  -- `single(x)`: halves as float32, and the function that rounds a result of them, once; other values as they are.
  local function single(x)
    local dtype = (util.is_array(x) or util.is_var(x)) and x.dtype
    if not dtype or not dtype:find("float16") then return x, same end
    return K.to(x, "float32"), function(r) return K.result(K.to(as(r), dtype)) end
  end

  --- Riemann's zeta function less 1.
  function special.zetac(x) -- above 1 the sum that begins with the second summand, exact where 1 would drown it
    local back
    x, back = single(floats(as(x)))
    return back(chosen(M.gt(x, 1), special.zeta(pick(M.gt(x, 1), x, 2.0), 2.0), special.zeta(x) - 1.0))
  end
  --- `multigammaln(a, d)`: the logarithm of the gamma function of d dimensions.
  function special.multigammaln(a, d)
    if math.type(d) ~= "integer" or d < 1 or d > 10000 then
      util.raise("ValueError", "multigammaln: d is a number of dimensions, 1 to 10000, not %s", util.kind_of(d))
    end
    local r, back = d * (d - 1) / 4 * math.log(math.pi)
    a, back = single(as(a))
    for j = 1, d do r = r + lngamma(a + (1 - j) / 2) end
    return back(r)
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
  --- 1 / gamma(x).
  function special.rgamma(x)
    local back
    x, back = single(floats(as(x)))
    local pole = both(M.le(x, 0), M.eq(M.floor(x), x))
    local r = pick(pole, 0.0, 1.0 / as(M.gamma(pick(pole, 1.0, x))))
    return back(chosen(M.lt(M.abs(x), K.double(1e-300)), x, r)) -- gamma is infinite there
  end

  --- `comb(N, k, {repetition = false})`: in how many ways k of N things are chosen, as floats; 0 where there is none.
  function special.comb(N, k, repetition)
    util.check_type("comb", "repetition", repetition, "boolean")
    N, k = as(N), as(k)
    if repetition then return special.comb(as(N + k - 1), k) end
    local there = both(M.le(k, N), M.ge(k, 0))
    return chosen(there, special.binom(N, k), 0.0)
  end
  --- n! as floats, gamma(n + 1) between whole numbers; 0 below 0.
  function special.factorial(n)
    local back
    n, back = single(as(n))
    return back(chosen(M.lt(n, 0), 0.0, M.gamma(n + 1)))
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
    local back
    x, back = single(floats(as(x)))
    local e = as(M.exp(x - M.max(x, { axis = axis, keepdims = true })))
    return back(e / M.sum(e, { axis = axis, keepdims = true }))
  end
  --- The logarithm of softmax.
  function special.log_softmax(x, axis)
    local back
    x, back = single(floats(as(x)))
    return back(x - M.logsumexp(x, { axis = axis, keepdims = true }))
  end

  --- log(expit(x)), exact far below 0 too.
  function special.log_expit(x) return -as(M.softplus(-floats(as(x)))) end
  --- log(1 + exp(x)).
  special.softplus = M.softplus
  --- (exp(x) - 1) / x, 1 at 0.
  function special.exprel(x) -- near 0 its series, whose derivatives lose nothing and hold at 0
    local back
    x, back = single(floats(as(x)))
    local near = M.lt(M.abs(x), 0.5)
    local y, small, sum = pick(near, 1.0, x), pick(near, x, 0.0), 1.0
    for k = 15, 2, -1 do sum = small / k * sum + 1.0 end
    return back(chosen(near, sum, pick(M.eq(y, math.huge), y, M.expm1(y) / y)))
  end
  --- 10 to the power x.
  function special.exp10(x) return M.power(10.0, floats(as(x))) end
  --- cos(x) - 1, exact near 0.
  function special.cosm1(x)
    local back
    x, back = single(as(x))
    local s = as(M.sin(x * 0.5))
    return back(-2.0 * s * s)
  end
  special.sinc, special.round = M.sinc, M.rint
  --- `huber(delta, r)`: r^2 / 2 where |r| is at most delta, then delta * (|r| - delta / 2).
  function special.huber(delta, r)
    local back
    delta, r, back = wide("huber", delta, r)
    local size = as(M.abs(r))
    local y = pick(M.le(size, delta), 0.5 * r * r, delta * (size - 0.5 * delta))
    return back(pick(M.lt(delta, 0), math.huge, y))
  end

  -- ---- data, angles, means ------------------------------------------------------------------------------------------
  -- l and the term in lmbda behind it, which is nothing beside it at 0 but for its derivative.
  local function at_zero(l, lmbda, by)
    local fine = pick(M.lt(M.abs(l), 1e150), l, 0.0)
    return l + by * lmbda * fine * fine
  end
  --- `boxcox(x, lmbda)`: (x^lmbda - 1) / lmbda, of lmbda 0 log(x).
  function special.boxcox(x, lmbda)
    local back
    x, lmbda, back = wide("boxcox", x, lmbda)
    local zero, l = as(M.lt(M.abs(lmbda), 1e-19)), as(M.log(x))
    local by = pick(zero, 1.0, lmbda)
    return back(pick(zero, at_zero(l, lmbda, 0.5), M.expm1(by * l) / by))
  end
  --- `boxcox1p(x, lmbda)`: ((1 + x)^lmbda - 1) / lmbda, of lmbda 0 log(1 + x).
  function special.boxcox1p(x, lmbda)
    local back
    x, lmbda, back = wide("boxcox1p", x, lmbda)
    local l = as(M.log1p(x))
    local size = as(M.abs(lmbda))
    local zero = as(M.or_(as(M.lt(size, 1e-19)), both(M.lt(M.abs(l), K.double(1e-289)), M.lt(size, K.double(1e273)))))
    local by = pick(zero, 1.0, lmbda)
    return back(pick(zero, at_zero(l, pick(zero, lmbda, 0.0), 0.5), M.expm1(by * l) / by))
  end
  --- `inv_boxcox(y, lmbda)`: x with boxcox(x, lmbda) = y.
  function special.inv_boxcox(y, lmbda)
    local back
    y, lmbda, back = wide("inv_boxcox", y, lmbda)
    local zero = as(M.eq(lmbda, 0))
    local by = pick(zero, 1.0, lmbda)
    return back(pick(zero, M.exp(at_zero(y, lmbda, -0.5)), M.exp(as(M.log1p(by * y)) / by)))
  end
  --- `inv_boxcox1p(y, lmbda)`: x with boxcox1p(x, lmbda) = y.
  function special.inv_boxcox1p(y, lmbda)
    local back
    y, lmbda, back = wide("inv_boxcox1p", y, lmbda)
    local zero = as(M.eq(lmbda, 0))
    local by = pick(zero, 1.0, lmbda)
    local r = pick(M.lt(M.abs(by * y), 1e-154), y, M.expm1(as(M.log1p(by * y)) / by))
    return back(pick(zero, M.expm1(at_zero(y, lmbda, -0.5)), r))
  end
  --- `pseudo_huber(delta, r)`: delta^2 (sqrt(1 + (r / delta)^2) - 1).
  function special.pseudo_huber(delta, r)
    local back
    delta, r, back = wide("pseudo_huber", delta, r)
    local some = M.gt(delta, 0)
    local size = as(M.abs(r))
    local v = size / pick(some, delta, 1.0)
    local y = pick(some, delta, 0.0) * size * (v / (as(M.hypot(1.0, v)) + 1.0))
    y = pick(both(M.eq(size, math.huge), M.lt(delta, math.huge)), size, y)
    y = pick(M.lt(delta, 0), math.huge, pick(M.eq(delta, 0), r * 0.0, y))
    return back(pick(M.isnan(delta), delta, y))
  end
  --- `radian(d, m, s)`: an angle of degrees, minutes and seconds in radians.
  function special.radian(d, m, s)
    local back
    d, m, s, back = wide("radian", d, m, s)
    return back(((d * 60.0 + m) * 60.0 + s) * K.double(math.pi / 648000))
  end
  -- Sine and cosine of degrees; exact multiples are so: of 30 and 45, and none is lost of a large angle.
  local function of_degrees(x)
    local r = as(M.mod(M.abs(x), 360.0))
    local turn = as(M.rint(r / 90.0))
    local d = r - turn * 90.0
    local size, sign = as(M.abs(d)), pick(M.lt(d, 0), -1.0, 1.0)
    local t = d * K.double(math.pi / 180)
    local half, diagonal = M.eq(size, 30), as(M.eq(size, 45))
    local root = K.double(math.sqrt(0.5))
    local s = pick(half, 0.5 * sign, pick(diagonal, root * sign, M.sin(t)))
    local c = pick(diagonal, root, M.cos(t))
    local odd = as(M.eq(M.mod(turn, 2.0), 1))
    local s_sign = pick(both(M.ge(turn, 2), M.lt(turn, 4)), -1.0, 1.0)
    local c_sign = pick(both(M.ge(turn, 1), M.lt(turn, 3)), -1.0, 1.0)
    return pick(odd, c, s) * s_sign * pick(M.lt(x, 0), -1.0, 1.0), pick(odd, s, c) * c_sign
  end
  --- The sine of degrees.
  function special.sindg(x)
    local back
    x, back = wide("sindg", x)
    return back((of_degrees(x)))
  end
  --- The cosine of degrees.
  function special.cosdg(x)
    local back
    x, back = wide("cosdg", x)
    return back((select(2, of_degrees(x))))
  end
  --- The tangent of degrees; infinite at its poles.
  function special.tandg(x)
    local back
    x, back = wide("tandg", x)
    local s, c = of_degrees(x)
    return back(pick(M.eq(c, 0), math.huge, s / c))
  end
  --- The cotangent of degrees; infinite at its poles.
  function special.cotdg(x)
    local back
    x, back = wide("cotdg", x)
    local s, c = of_degrees(x)
    return back(pick(M.eq(s, 0), math.huge, c / s))
  end
  --- `agm(a, b)`: the arithmetic-geometric mean.
  function special.agm(a, b)
    local back
    a, b, back = wide("agm", a, b)
    local sign = pick(M.lt(a, 0), -1.0, 1.0)
    local p, q = a * sign, b * sign
    local good = both(both(M.gt(p, 0), M.gt(q, 0)), both(M.lt(p, math.huge), M.lt(q, math.huge)))
    p, q = pick(good, p, 1.0), pick(good, q, 1.0)
    for _ = 1, 15 do p, q = 0.5 * p + 0.5 * q, as(M.sqrt(p)) * as(M.sqrt(q)) end
    local edge = a * b -- NaN; 0; infinite of one sign
    edge = pick(M.gt(edge, 0), sign * math.huge, pick(M.eq(edge, 0), 0.0, M.nan))
    return back(pick(good, p * sign, edge))
  end
  --- `diric(x, n)`: sin(n x / 2) / (n sin(x / 2)), Dirichlet's kernel of a whole number n.
  function special.diric(x, n)
    local back
    x, n, back = wide("diric", x, n)
    local below = as(M.sin(x * 0.5))
    local near = as(M.lt(M.abs(below), 1e-9))
    local turns = as(M.rint(x * K.double(0.5 / math.pi))) * (n - 1.0)
    local peak = 1.0 - 2.0 * as(M.abs(as(M.mod(turns, 2.0))))
    local good = both(M.gt(n, 0), M.eq(n, M.floor(n)))
    local r = pick(near, peak, M.sin(n * x * 0.5) / (n * pick(near, 1.0, below)))
    return back(pick(good, r, M.nan))
  end

  -- ---- counting ----------------------------------------------------------------------------------------------------
  --- `factorialk(n, k)`: n (n - k) (n - 2 k) .. down to what is at most k, as floats; 0 below 0.
  function special.factorialk(n, k)
    local back
    n, k, back = wide("factorialk", n, k)
    local rest = as(M.mod(n, k))
    rest = pick(M.eq(rest, 0), k, rest)
    local r = as(M.power(k, (n - rest) / k)) * special.gamma(n / k + 1.0) / special.gamma(rest / k + 1.0) * rest
    return back(pick(M.lt(n, 0), 0.0, pick(M.eq(n, 0), 1.0, r)))
  end
  --- n (n - 2) (n - 4) .. of whole numbers, as floats; 0 below 0.
  function special.factorial2(n)
    local back
    n, back = wide("factorial2", n)
    local odd = as(M.eq(M.mod(n, 2.0), 1))
    local r = as(M.exp2(pick(odd, (n + 1.0) * 0.5, n * 0.5))) * special.gamma(n * 0.5 + 1.0)
    r = pick(odd, r * K.double(1 / math.sqrt(math.pi)), r)
    return back(pick(M.lt(n, 0), 0.0, r))
  end

  if not K.plain then return end
  local function count(what, n)
    local k = type(n) == "number" and math.tointeger(n)
    if k and k >= 0 and k <= 100000 then return k end
    return util.raise("ValueError", "special.%s: n is a whole number from 0 to 100000, not %s", what,
      type(n) == "number" and tostring(n) or util.kind_of(n))
  end
  --- `bernoulli(n)`: Bernoulli's numbers B(0) to B(n).
  function special.bernoulli(n) -- by the zeta function, DLMF 25.6.2
    n = count("bernoulli", n)
    local b, size = { 1.0, -0.5 }, 2.0
    for k = 1, n do
      size = size * (k / (2 * math.pi))
      if k > 1 then b[k + 1] = k % 2 == 1 and 0.0 or (k % 4 == 2 and size or -size) * special.zeta(k + 0.0) end
    end
    return M.array(table.move(b, 1, n + 1, 1, {}), "float64")
  end
  --- `euler(n)`: Euler's numbers E(0) to E(n).
  function special.euler(n) -- by the Dirichlet series of 1 - 1/3^s + 1/5^s .. (DLMF 24.8.4), whole where that is known
    n = count("euler", n)
    local e, size = { 1.0 }, 4 / math.pi
    for k = 1, n do
      size = size * (k / (math.pi / 2))
      local s = k + 1.0
      local sum = size < math.huge and 4 ^ -s * (special.zeta(s, 0.25) - special.zeta(s, 0.75)) or 1.0
      local r = size * sum
      if r < 2.0 ^ 50 then r = math.floor(r + 0.5) + 0.0 end
      e[k + 1] = k % 2 == 1 and 0.0 or k % 4 == 2 and -r or r
    end
    return M.array(e, "float64")
  end
end
