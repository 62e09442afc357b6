--- Faddeeva's function and what is made of it, for Variables and arrays alike (see theano.alike): `M.special`.
-- @module theano.alikefaddeeva

local NODES = 12
local H = math.sqrt(math.pi / NODES) -- the step of the rule

return function(M, K)
  local special = M.special
  local as, wide, D = K.as, K.wide, K.double
  local inf = math.huge

  local C = require("theano.alikechoice")(M, K)
  local call, stop, pick, both, either = C.call, C.stop, C.pick, C.both, C.either

  -- w(x + i y) of x and y that are not negative: the trapezoidal rule for its integral (DLMF 7.7.2), with places in
  -- the middle where x is near those at the ends, and what the pole at x + i y adds (Al Azah and Chandler-Wilde, SIAM
  -- Journal on Numerical Analysis 59, 2021). Sums are of terms of one sign, so that the real part is as exact as the
  -- whole.
  local function near(x, y)
    local turn = x * D(1 / H)
    turn = turn - stop(call(M.floor, turn))
    local ends = both(M.lt(y, x), both(M.ge(turn, 0.25), M.le(turn, 0.75)))
    local beyond = M.ge(y, call(M.maximum, x, D(math.pi / H)))
    local count = {}
    for i = 1, NODES do count[i] = i - 1.0 end
    local function column(a) return call(M.expand_dims, a, -1) end
    local t = (K.to(as(count), "float64") + column(pick(ends, 1.0, 0.5))) * D(H)
    local cx, cy, squares = column(x), column(y), t * t
    local cross = 2.0 * cx * cy
    local p, size = (cx - t) * (cx + t) - cy * cy, cx * cx + cy * cy
    local part = call(M.exp, -squares) / (p * p + cross * cross)
    local u = call(M.sum, part * (size + squares), -1)
    local v = call(M.sum, part * (size - squares), -1)
    local middle = pick(ends, 0.5 / pick(ends, x * x + y * y, 1.0), 0.0) -- half of the place 0
    u, v = y * (u + middle) * D(2 * H / math.pi), x * (v + middle) * D(2 * H / math.pi)
    -- 2 exp(-z^2) / (1 -+ exp(-2 i pi z / h))
    local less = call(M.exp, y * D(-2 * math.pi / H))
    local sign, angle = pick(ends, -1.0, 1.0), turn * D(2 * math.pi)
    local a, b = less + sign * call(M.cos, angle), -sign * call(M.sin, angle)
    local top = 2.0 * call(M.exp, (y - x) * (y + x) - y * D(2 * math.pi / H)) / pick(beyond, 1.0, a * a + b * b)
    local c, s = call(M.cos, 2.0 * x * y), call(M.sin, 2.0 * x * y)
    return u + pick(beyond, 0.0, top * (c * a - s * b)), v - pick(beyond, 0.0, top * (s * a + c * b))
  end
  -- w(x + i y) of y that are not negative, real and imaginary part
  local function upper(x, y)
    local size = call(M.abs, x)
    local far = either(M.gt(size, 1e7), M.gt(y, 1e7))
    local u, v = near(pick(far, 1.0, size), pick(far, 1.0, y))
    local most = pick(far, call(M.maximum, size, y), 1.0) -- beyond, i / (z sqrt(pi))
    local ended = M.eq(most, inf)
    local p, q = pick(ended, 1.0, size / most), pick(ended, 1.0, y / most)
    local by = D(1 / math.sqrt(math.pi)) / (p * p + q * q) / most
    u, v = pick(far, by * q, u), pick(far, by * p, v)
    return pick(M.isnan(x + y), M.nan, u), pick(M.isnan(x + y), M.nan, pick(M.lt(x, 0), -v, v))
  end

  --- `wofz(z)`: Faddeeva's function exp(-z^2) erfc(-i z) of complex numbers.
  function special.wofz(z)
    z = as(z)
    local complex = z.dtype:find("complex")
    local dtype = z.dtype == "complex64" and "complex64" or "complex128"
    local x = K.to(complex and call(M.real, z) or z, "float64")
    local y = complex and K.to(call(M.imag, z), "float64") or x * 0.0
    y = complex and y or pick(M.isnan(x), x, 0.0)
    local u, v = upper(x, call(M.abs, y))
    -- below the real axis 2 exp(-z^2) less the conjugate of what is above
    local below = M.lt(y, 0)
    local p, q = pick(below, x, 0.0), pick(below, y, 0.0)
    local e, turn = 2.0 * call(M.exp, (q - p) * (q + p)), 2.0 * p * q
    u = pick(below, e * call(M.cos, turn) - u, u)
    v = pick(below, v - e * call(M.sin, turn), v)
    return K.result(K.to(K.complex(u, v), dtype))
  end
  --- `voigt_profile(x, sigma, gamma)`: the density of the sum of a normal and a Cauchy variable of these widths.
  function special.voigt_profile(x, sigma, gamma)
    local back
    x, sigma, gamma, back = wide("voigt_profile", x, sigma, gamma)
    local normal, cauchy = M.eq(gamma, 0), M.eq(sigma, 0)
    local good = both(M.gt(sigma, 0), M.ge(gamma, 0))
    local s = pick(good, sigma, 1.0)
    local u = upper(x / s * D(math.sqrt(0.5)), pick(good, gamma, 1.0) / s * D(math.sqrt(0.5)))
    local r = u / s * D(1 / math.sqrt(2 * math.pi))
    local w, g = pick(cauchy, x, 0.0), pick(both(cauchy, M.gt(gamma, 0)), gamma, 1.0)
    local only = 1.0 / (g * (1.0 + (w / g) * (w / g))) * D(1 / math.pi)
    only = pick(normal, pick(M.eq(x, 0), inf, 0.0), only)
    r = pick(cauchy, only, pick(good, r, M.nan))
    return back(pick(M.isnan(x + sigma + gamma), M.nan, pick(M.lt(gamma, 0), M.nan, r)))
  end
end
