--- Integrals of nd.integrate.quad with a weight that oscillates or is not smooth: a function is interpolated at the 21
-- places of Kronrod's rule, and Legendre's polynomials are integrated with the weight exactly. Gives `integral(f, a, b,
-- weight, wvar, o)` and `adaptive(piece, edges, o, cut)`.
-- @module theano.ndweighted
local util = require("theano.util")

local PLACES = 21
local inf = math.huge

-- ---- integrals of Legendre's polynomials of degrees 0 to 20 with a weight, on [-1, 1] -------------------------------
-- Spherical Bessel functions at k: upward where that is stable, else downward (DLMF 10.51.1; 10.60.12 for the size).
local function spherical(k)
  local j = {}
  if k == 0 then
    for n = 0, PLACES do j[n] = n == 0 and 1.0 or 0.0 end
    return j
  end
  local first, second = math.sin(k) / k, (math.sin(k) / k - math.cos(k)) / k
  if k > PLACES + 4 then
    j[0], j[1] = first, second
    for n = 1, PLACES do j[n + 1] = (2 * n + 1) / k * j[n] - j[n - 1] end
    return j
  end
  local top = PLACES + 2 * math.ceil(k) + 30
  local above, this, square = 0.0, 1e-200, 0.0
  for n = top, 0, -1 do
    j[n] = this
    square = square + (2 * n + 1) * this * this
    above, this = this, (2 * n + 1) / k * this - above
    if math.abs(this) > 1e100 then -- what lies above is nothing beside it
      for m = n, top do j[m] = (j[m] or 0.0) * 1e-200 end
      above, this, square = above * 1e-200, this * 1e-200, square * 1e-200 * 1e-200
    end
  end
  local by = 1 / math.sqrt(square)
  local odd = math.abs(second) > math.abs(first)
  if (odd and j[1] * second or j[0] * first) < 0 then by = -by end
  for n = 0, top do j[n] = j[n] * by end
  return j
end
-- Of cos(k t) and of sin(k t) (DLMF 18.17.19).
local function of_waves(k)
  local j, c, s = spherical(k), {}, {}
  for n = 0, PLACES - 1 do
    local v = 2 * j[n] * (n % 4 < 2 and 1 or -1)
    c[n + 1], s[n + 1] = n % 2 == 0 and v or 0.0, n % 2 == 1 and v or 0.0
  end
  return c, s
end
-- Of (1 + t)^p, and of that times log(1 + t): the derivatives of the former by p.
local function of_power(p)
  local m, l = { 2 ^ (p + 1) / (p + 1) }, {}
  l[1] = m[1] * (math.log(2) - 1 / (p + 1))
  for n = 1, PLACES - 1 do
    local up, below = p - n + 1, p + n + 1
    m[n + 1] = m[n] * up / below
    l[n + 1] = l[n] * up / below + m[n] * 2 * n / (below * below)
  end
  return m, l
end
-- Of 1 / (t - c), c between -1 and 1, the principal value: -2 Q(n, c) of Legendre's functions of the second kind (DLMF
-- 14.7.2, 14.10.3).
local function of_pole(c)
  local m = { math.log((1 - c) / (1 + c)) }
  m[2] = c * m[1] + 2
  for n = 1, PLACES - 2 do m[n + 2] = ((2 * n + 1) * c * m[n + 1] - n * m[n]) / (n + 1) end
  return m
end

-- The interval of the largest error cut, again and again, until the errors are small enough: the sum, how far off it
-- may be, the number of intervals and whether that is near enough. piece(a, b): the integral over an interval, and how
-- far off it may be; cut(a, b): where it is cut, in the middle where that is nil.
local function adaptive(piece, edges, o, cut)
  local list = {}
  local function add(at, a, b)
    local value, err = piece(a, b)
    list[at] = { a = a, b = b, value = value, err = err }
  end
  for i = 1, #edges - 1 do add(i, edges[i], edges[i + 1]) end
  while true do
    local value, err, worst = 0.0, 0.0, 1
    for i, p in ipairs(list) do
      value, err = value + p.value, err + p.err
      if p.err > list[worst].err or p.err ~= p.err then worst = i end
    end
    local p = list[worst]
    local middle = cut and cut(p.a, p.b) or (p.a + p.b) / 2
    local fine = err <= math.max(o.epsabs, o.epsrel * math.abs(value))
    if fine or #list >= o.limit or middle == p.a or middle == p.b then return value, err, #list, fine end
    add(worst, p.a, middle)
    add(#list + 1, middle, p.b)
  end
end

-- rule: places and weights of Kronrod's rule, weights of Gauss's.
return function(nd, rule)
  -- What makes weights of values of moments: the inverse of Legendre's polynomials at n places.
  local function inverse(at)
    local rows, before, this = {}, nd.zeros(at.size), nd.ones(at.size)
    for n = 0, at.size - 1 do
      rows[n + 1] = this
      before, this = this, ((2 * n + 1) * at * this - n * before) / (n + 1)
    end
    return nd.linalg.inv(nd.stack(rows))
  end
  local whole, rough
  -- Weights of the values at all places, and at Gauss's among them.
  local function weights(moments)
    whole, rough = whole or inverse(rule.at), rough or inverse(rule.at["1::2"])
    local m, w = nd.array(moments):astype("float64"), nd.zeros(PLACES)
    w["1::2"] = rough:dot(m["0:10"])
    return { whole:dot(m), w }
  end
  -- The integral by such weights of values y, and how far off it may be; by: what both are multiplied by.
  local function sum(w, y, by)
    local value = w[1]:dot(y) * by
    local off = math.abs(value - w[2]:dot(y) * by)
    return value, math.max(off, nd.abs(w[1]):dot(nd.abs(y)) * math.abs(by) * (50 * 2.0 ^ -52))
  end
  local plain = { rule.whole, rule.rough }
  local function places(a, b) return rule.at * ((b - a) / 2) + (a + b) / 2 end

  -- ---- cos(w x), sin(w x) -------------------------------------------------------------------------------------------
  local function wave_piece(f, sine, w)
    local kept = {} -- by half of an interval's length
    return function(a, b)
      local half, middle = (b - a) / 2, (a + b) / 2
      local by = kept[half]
      if not by then
        local c, s = of_waves(math.abs(w * half))
        by = { weights(c), weights(s) }
        kept[half] = by
      end
      local turn = math.abs(w) * middle
      local p, q = math.cos(turn), -math.sin(turn)
      if sine then p, q = math.sin(turn), math.cos(turn) end
      if sine and w < 0 then p, q = -p, -q end
      return sum({ by[1][1] * p + by[2][1] * q, by[1][2] * p + by[2][2] * q }, f(places(a, b)), half)
    end
  end
  -- Wynn's epsilon algorithm: the limit of partial sums, from the last of them on.
  local function limit(sums)
    local below, this = {}, sums
    for i = 1, #sums + 1 do below[i] = 0.0 end
    local best = sums[#sums]
    for k = 1, #sums - 1 do
      local new = {}
      for i = 1, #this - 1 do
        local d = this[i + 1] - this[i]
        if d == 0 then return best end
        new[i] = below[i + 1] + 1 / d
      end
      below, this = this, new
      if k % 2 == 0 then best = this[#this] end
    end
    return best
  end
  -- From a to infinity: whole cycles one by one, their sums accelerated; only epsabs counts.
  local function endless(f, a, sine, w, o)
    local cycle = (2 * math.floor(math.abs(w)) + 1) * math.pi / math.abs(w)
    local piece, sums, total, err, parts = wave_piece(f, sine, w), {}, 0.0, 0.0, 0
    local last, before
    for k = 0, (o.limlst or 50) - 1 do
      local each = { epsabs = 0.1 * o.epsabs * 0.9 ^ k, epsrel = 0.0, limit = o.limit }
      local value, off, n = adaptive(piece, { a + k * cycle, a + (k + 1) * cycle }, each)
      total, err, parts = total + value, err + off, parts + n
      sums[k + 1] = total
      local now = limit(sums)
      local gap = k >= 5 and math.abs(now - last) + math.abs(now - before) or inf
      before, last = last, now
      if gap + err <= o.epsabs or math.abs(value) + off <= o.epsabs / 10 and k >= 2 then
        return now, math.min(gap, math.abs(value)) + err, parts, true
      end
    end
    return last, math.abs(last - before) + err, parts, false
  end
  local function waves(f, a, b, sine, w, o)
    if w == 0 and sine then return 0.0, 0.0, 0, true end
    if a > -inf and b < inf then return adaptive(wave_piece(f, sine, w), { a, b }, o) end
    if w == 0 then util.raise("ValueError", "quad: wvar is 0, the interval without an end, no wave") end
    if a > -inf then return endless(f, a, sine, w, o) end
    local sign = sine and -1 or 1
    if b < inf then
      local value, err, parts, fine = endless(function(x) return f(-x) end, -b, sine, w, o)
      return sign * value, err, parts, fine
    end
    return endless(function(x) return f(x) + sign * f(-x) end, 0.0, sine, w, o)
  end

  -- ---- (x - a)^p (b - x)^q, logarithms of both ----------------------------------------------------------------------
  local function powers(f, a, b, weight, wvar, o)
    local p, q = wvar[1], wvar[2]
    local left_log, right_log = weight == "alg-loga" or weight == "alg-log", weight == "alg-logb" or weight == "alg-log"
    -- the weight of an end that is `from` away
    local function at(from, e, log) return nd.power(from, e) * (log and nd.log(from) or 1.0) end
    -- weights of the places next to an end, in an interval of that half length, counted away from it
    local function near(e, log, half)
      local m, l = of_power(e)
      for i = 1, PLACES do m[i] = log and m[i] * math.log(half) + l[i] or m[i] end
      return weights(m)
    end
    return adaptive(function(from, to)
      local half, x = (to - from) / 2, places(from, to)
      local y = f(x)
      local off = (rule.at + 1) * half -- from the left end
      if from == a then return sum(near(p, left_log, half), y * at(b - x, q, right_log), half ^ (p + 1)) end
      y = y * at(from - a + off, p, left_log)
      if to == b then
        local w = near(q, right_log, half)
        return sum({ w[1]["::-1"], w[2]["::-1"] }, y, half ^ (q + 1))
      end
      return sum(plain, y * at(b - x, q, right_log), half)
    end, { a, (a + b) / 2, b }, o)
  end

  -- ---- 1 / (x - c) --------------------------------------------------------------------------------------------------
  local function pole(f, a, b, c, o)
    return adaptive(function(from, to)
      local x, half = places(from, to), (to - from) / 2
      local y = f(x)
      if from < c and c < to then return sum(weights(of_pole((c - (from + to) / 2) / half)), y, 1.0) end
      return sum(plain, y / (x - c), half)
    end, { a, b }, o, function(from, to)
      if not (from < c and c < to) then return nil end
      return c < (from + to) / 2 and (c + to) / 2 or (from + c) / 2 -- the pole stays within
    end)
  end

  -- ---- all of them --------------------------------------------------------------------------------------------------
  -- wvar as it is for the weight: a number, or two.
  local function checked(weight, wvar, a, b)
    local function refuse(text) util.raise("ValueError", "quad: the weight '%s' %s", weight, text) end
    if weight ~= "cos" and weight ~= "sin" and not (a > -inf and b < inf) then refuse("is for finite intervals") end
    if not weight:find("^alg") then
      if type(wvar) ~= "number" or wvar ~= wvar or math.abs(wvar) == inf then
        refuse("takes a number as wvar, not " .. util.text(wvar))
      end
      if weight == "cauchy" and (wvar == a or wvar == b) then refuse("has its pole at an end of the interval") end
      return wvar + 0.0
    end
    if util.is_array(wvar) then wvar = wvar:tolist() end
    local p, q
    if type(wvar) == "table" then p, q = wvar[1], wvar[2] end
    if type(p) ~= "number" or type(q) ~= "number" then refuse("takes two numbers as wvar") end
    if not (p > -1 and q > -1 and p < inf and q < inf) then refuse("takes exponents above -1") end
    return { p + 0.0, q + 0.0 }
  end
  local KNOWN = { cos = true, sin = true, alg = true, ["alg-loga"] = true, ["alg-logb"] = true, ["alg-log"] = true,
    cauchy = true }

  -- The integral of f, of vectors of places, with a weight from a to b: the value, how far off it may be, how many
  -- intervals there were, whether it is near enough. o: `epsabs epsrel limit limlst`.
  local function integral(f, a, b, weight, wvar, o)
    if not KNOWN[weight] then
      util.raise("ValueError", "quad: the weight is 'cos', 'sin', 'alg', 'alg-loga', 'alg-logb', 'alg-log' or "
        .. "'cauchy', not '%s'", weight)
    end
    wvar = checked(weight, wvar, a, b)
    if weight == "cos" or weight == "sin" then return waves(f, a, b, weight == "sin", wvar, o) end
    if weight ~= "cauchy" then return powers(f, a, b, weight, wvar, o) end
    return pole(f, a, b, wvar, o)
  end
  return { integral = integral, adaptive = adaptive }
end
