--- nd.integrate: Romberg's and Newton's and Cotes' rules, running sums by Simpson's, integrals of functions whose
-- values are arrays. Installed by theano.ndintegrate.
-- @module theano.ndrules
local core = require("theano.core")
local help = require("theano.ndhelp")
local objective = require("theano.ndobjective")
local util = require("theano.util")

-- `distances(what, y, x, dx, axis)`: steps along an axis; `rule`: places and weights of Kronrod's rule, weights of
-- Gauss's.
return function(nd, M, distances, rule)
  local arr, axis_of = core.asarray, help.axis_of

  -- ---- samples ------------------------------------------------------------------------------------------------------
  -- Integrals over the first of each two intervals; h: the steps, or one.
  local function firsts(y, h)
    local a, b, c = y["..., :-2"], y["..., 1:-1"], y["..., 2:"]
    if type(h) == "number" then return (1.25 * a + 2 * b - 0.25 * c) * (h / 3) end
    local left, right = h["..., :-1"], h["..., 1:"]
    local p, q = left / (left + right), left / right
    return left / 6 * ((3 - p) * a + (3 + p * q + p) * b - p * q * c)
  end
  --- `cumulative_simpson(y, {x, dx = 1, axis = -1, initial})`: running integrals of samples by Simpson's rule.
  function M.cumulative_simpson(...)
    local what = "cumulative_simpson"
    local o = util.bind(what, { "y", "x", "dx", "axis", "initial", dx = "number", axis = "integer",
      initial = "number" }, ...)
    util.present(what, o, { "y" })
    local y = help.floats(arr(o.y))
    local axis = axis_of(what, y, o.axis or -1)
    local n = y.shape[axis + 1]
    local r
    if n < 3 then
      r = nd.moveaxis(M.cumulative_trapezoid(y, o.x, { dx = o.dx or 1.0, axis = axis }), axis, -1)
    else
      local h = o.dx or 1.0
      if o.x ~= nil then
        h = nd.moveaxis(arr(distances(what, y, o.x, 1.0, axis)), axis, -1)
        if nd.any(nd.le(h, 0)) then util.raise("ValueError", "%s: x must increase", what) end
      end
      y = nd.moveaxis(y, axis, -1)
      local turned = type(h) == "number" and h or h["..., ::-1"]
      local forward, back = firsts(y, h), firsts(y["..., ::-1"], turned)["..., ::-1"]
      local shape = y.shape
      shape[#shape] = n - 1
      r = core.zeros(shape, forward.dtype)
      r["..., :-1:2"], r["..., 1::2"] = forward["..., ::2"], back["..., ::2"]
      r["..., -1"] = back["..., -1"]
      r = nd.cumsum(r, { axis = -1 })
    end
    if o.initial then
      local first = r.shape
      first[#first] = 1
      r = nd.concatenate({ core.zeros(first, r.dtype), r }, r.ndim - 1) + o.initial
    end
    return nd.moveaxis(r, -1, axis)
  end
  --- `romb(y, dx, axis)`: the integral of 2^k + 1 samples by Romberg's rule.
  function M.romb(y, dx, axis)
    if y == nil then util.raise("TypeError", "romb: argument 'y' is missing") end
    y, dx = help.floats(arr(y)), dx or 1.0
    util.expect("romb", "dx", dx, "number")
    axis = axis_of("romb", y, axis or -1)
    y = nd.moveaxis(y, axis, -1)
    local n = y.shape[y.ndim] - 1
    if n < 1 or n & (n - 1) ~= 0 then
      util.raise("ValueError", "romb: 2^k + 1 samples are expected, not %d", n + 1)
    end
    local h, step = n * dx + 0.0, n
    local before = { [0] = arr(y["..., 0"] + y["..., -1"]) * (h / 2) }
    while step > 1 do
      local between = nd.sum(y[("..., %d::%d"):format(step // 2, step)], { axis = -1 })
      local now = { [0] = (before[0] + between * h) * 0.5 }
      for j = 1, #before + 1 do now[j] = now[j - 1] + (now[j - 1] - before[j - 1]) / ((1 << 2 * j) - 1) end
      before, h, step = now, h / 2, step // 2
    end
    return help.result(arr(before[#before]))
  end
  --- `newton_cotes(rn, equal)`: weights of samples at 0, 1, .., rn (or at the places rn), and the factor of the error.
  function M.newton_cotes(rn, equal)
    local places, N
    if math.type(rn) == "integer" then
      if rn < 1 or rn > 500 then util.raise("ValueError", "newton_cotes: rn is from 1 to 500, not %d", rn) end
      places, N, equal = nd.arange(rn + 1) * 1.0, rn, true
    else
      if rn == nil then util.raise("TypeError", "newton_cotes: argument 'rn' is missing") end
      places = arr(rn):astype("float64")
      N = places.size - 1
      if places.ndim ~= 1 or N < 1 or places[0] ~= 0 or places[N] ~= N then
        util.raise("ValueError", "newton_cotes: places begin with 0 and end with their number less 1")
      end
      equal = equal or nd.array_equal(places, nd.arange(N + 1) * 1.0)
    end
    local y, k = places / N, nd.arange(N + 1)
    local powers = nd.power(2 * y - 1, k:reshape({ -1, 1 }))
    local right = nd.where(nd.eq(nd.mod(k, 2), 0), 2.0 / (k + 1.0), 0.0)
    local weights = nd.linalg.solve(powers, right)
    weights = (weights + nd.linalg.solve(powers, right - powers:dot(weights))) * (N / 2)
    local even = N % 2 == 0 and equal
    local power = even and N + 2 or N + 1
    local off = (even and N / (N + 3) or N / (N + 2)) - nd.power(y, power):dot(weights)
    return weights, off * math.exp(power * math.log(N) - nd.special.gammaln(power + 1.0))
  end

  -- ---- functions whose values are arrays ----------------------------------------------------------------------------
  -- The function of a number between -1 and 1, or from a to b where both are finite.
  local function finite(f, a, b)
    local inf = math.huge
    if a > -inf and b < inf then return f, a, b end
    if a > -inf then return function(t) return f(a + (1 - t) / t) / (t * t) end, 0.0, 1.0 end
    if b < inf then return function(t) return f(b - (1 - t) / t) / (t * t) end, 0.0, 1.0 end
    return function(t)
      local x = (1 - t) / t
      return (f(x) + f(-x)) / (t * t)
    end, 0.0, 1.0
  end
  local NORMS = {
    ["2"] = function(v) return math.sqrt(nd.sum(nd.abs(v) * nd.abs(v))) end,
    max = function(v) return v.size > 0 and nd.max(nd.abs(v)) or 0.0 end,
  }
  local function measured(f, a, b, norm)
    local half, middle = (b - a) / 2, (a + b) / 2
    local whole, rough
    for i = 0, rule.at.size - 1 do
      local y = f(middle + half * rule.at[i])
      local w, g = rule.whole[i] * half, rule.rough[i] * half
      whole, rough = whole and whole + y * w or y * w, rough and rough + y * g or y * g
    end
    local off = norm(whole - rough)
    local near = norm(whole) * (50 * 2.0 ^ -52)
    return { a = a, b = b, value = whole, err = math.max(off > 0 and off * math.min(1, (200 * off
      / math.max(norm(whole), 1e-300)) ^ 0.5) or 0.0, math.min(near, off)) }
  end
  --- `quad_vec(f, a, b, {epsabs = 1e-200, epsrel = 1e-8, norm = "2", limit = 10000, points, args})`: the integral of a
  -- function of a number whose values are arrays of one shape, and how far off it may be, by that norm ("2", "max"),
  -- where the intervals with the largest errors are halved.
  function M.quad_vec(...)
    local what = "quad_vec"
    local o = util.bind(what, { "f", "a", "b", "epsabs", "epsrel", "norm", "limit", "points", "args", a = "number",
      b = "number", epsabs = "number", epsrel = "number", norm = "string", limit = "integer", points = "table" }, ...)
    util.present(what, o, { "f", "a", "b" })
    util.expect(what, "f", o.f, "function")
    local norm = NORMS[o.norm or "2"] or util.raise("ValueError", "%s: norm is '2' or 'max', not '%s'", what, o.norm)
    local args, a, b, sign = objective.args(what, o.args), o.a + 0.0, o.b + 0.0, 1
    if a ~= a or b ~= b then util.raise("ValueError", "%s: a and b are numbers, not NaN", what) end
    if a > b then a, b, sign = b, a, -1 end
    local function value(x)
      local y = o.f(x, table.unpack(args))
      if type(y) ~= "number" and not util.is_array(y) and type(y) ~= "table" then
        util.raise("TypeError", "%s: the function gives a number or an array, not %s", what, util.kind_of(y))
      end
      return help.floats(arr(y))
    end
    local f, from, to = finite(function(x) return value(x) end, a, b)
    local edges = { from }
    if f == nil or from == a and to == b then
      for _, p in ipairs(o.points or {}) do
        if type(p) == "number" and p > from and p < to then edges[#edges + 1] = p + 0.0 end
      end
      table.sort(edges)
    end
    edges[#edges + 1] = to
    local list = {}
    for i = 1, #edges - 1 do list[i] = measured(f, edges[i], edges[i + 1], norm) end
    while true do
      local total, err, worst = nil, 0.0, 1
      for i, p in ipairs(list) do
        total, err = total and total + p.value or p.value, err + p.err
        if p.err > list[worst].err then worst = i end
      end
      local near = math.max(o.epsabs or 1e-200, (o.epsrel or 1e-8) * norm(arr(total)))
      local p = list[worst]
      local middle = (p.a + p.b) / 2
      local done = err <= near or err ~= err or #list >= (o.limit or 10000) or middle <= p.a or middle >= p.b
      if done then return help.result(arr(total * sign)), err end
      list[worst] = measured(f, p.a, middle, norm)
      list[#list + 1] = measured(f, middle, p.b, norm)
    end
  end
  return M
end
