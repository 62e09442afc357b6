--- `nd.integrate`: SciPy's integrals of functions and of samples; differential equations are in theano.ndivp.
-- @module theano.ndarray.integrate
local core = require("theano.core")
local help = require("theano.ndhelp")
local objective = require("theano.ndobjective")
local util = require("theano.util")

-- Kronrod's rule of 21 points on [-1, 1]: places, weights, and those of Gauss's rule of 10 points in it; the other half
-- is the mirror image.
local PLACE = { 0.995657163025808080735527280689003, 0.973906528517171720077964012084452,
  0.930157491355708226001207180059508, 0.865063366688984510732096688423493, 0.780817726586416897063717578345042,
  0.679409568299024406234327365114874, 0.562757134668604683339000099272694, 0.433395394129247190799265943165784,
  0.294392862701460198131126603103866, 0.148874338981631210884826001129720, 0.0 }
local WEIGHT = { 0.011694638867371874278064396062192, 0.032558162307964727478818972459390,
  0.054755896574351996031381300244580, 0.075039674810919952767043140916190, 0.093125454583697605535065465083366,
  0.109387158802297641899210590325805, 0.123491976262065851077958109831074, 0.134709217311473325928054001771707,
  0.142775938577060080797094273138717, 0.147739104901338491374841515972068, 0.149445554002916905664936468389821 }
local GAUSS = { 0.0, 0.066671344308688137593568809893332, 0.0, 0.149451349150580593145776339657697, 0.0,
  0.219086362515982043995534934228163, 0.0, 0.269266719309996355091226921569469, 0.0,
  0.295524224714752870173892994651338, 0.0 }

return function(nd)
  local arr, axis_of = core.asarray, help.axis_of
  local M = {}
  M.trapezoid, M.solve_ivp, M.odeint = nd.trapezoid, table.unpack(require("theano.ndivp")(nd))

  local at21, w21, w10 = nd.zeros(21), nd.zeros(21), nd.zeros(21)
  for i = 0, 10 do
    at21[i], at21[20 - i] = -PLACE[i + 1], PLACE[i + 1]
    w21[i], w21[20 - i], w10[i], w10[20 - i] = WEIGHT[i + 1], WEIGHT[i + 1], GAUSS[i + 1], GAUSS[i + 1]
  end

  -- ---- functions ----------------------------------------------------------------------------------------------------
  -- What Kronrod's rule makes of values y at its places in an interval of that half length: the integral, and how far
  -- off it may be; of Variables or of arrays alike.
  local function estimate(S, y, half)
    local whole, rough = S.dot(w21, y) * half, S.dot(w10, y) * half
    local size = S.abs(half)
    local spread = S.dot(w21, S.abs(y - whole / (2 * half))) * size
    local err = S.abs(whole - rough)
    local near = S.minimum(1.0, S.power(200 * err / S.maximum(spread, 1e-300), 1.5))
    local floor = S.dot(w21, S.abs(y)) * (size * (50 * 2.0 ^ -52))
    return whole, S.maximum(near * spread, floor)
  end

  -- The graph of fn(x, ...), of a vector element by element, or nil where it builds none.
  local function graph(T, fn, x, args, endless)
    local fine, y = pcall(fn, x, table.unpack(args))
    if not fine or not util.is_var(y) or y.ndim ~= 1 then return nil end
    local function inner(v) return T.cast(fn(v, table.unpack(args)), "float64") end
    return endless and endless(inner)(x) or T.cast(y, "float64")
  end

  -- A function over intervals: `f(places)` of a vector, `rule(a, b)`: compiled where fn builds a graph of a vector,
  -- element by element; numbers among its arguments are inputs then, so that others need no other graph. endless: what
  -- becomes of the function where an end is infinite; inside: whether the arguments are new at each call, where a
  -- graph of their values would be.
  local function integrand(what, fn, args, endless, inside)
    util.expect(what, "func", fn, "function")
    local _, T = objective.modules()
    local x, given, numbers, values = T.dvector("x"), {}, {}, {}
    for i, v in ipairs(args) do
      given[i] = v
      if type(v) == "number" then
        given[i] = T.dscalar()
        numbers[#numbers + 1], values[#values + 1] = given[i], v + 0.0
      end
    end
    local y = graph(T, fn, x, given, endless)
    if not y and #values > 0 and not (inside and type(select(2, pcall(fn, 0.5, table.unpack(args)))) == "number") then
      numbers, values = {}, {}
      y = graph(T, fn, x, args, endless)
    end
    if y then
      local parts = objective.once("integrand", { y }, function()
        local a, b = T.dscalar("a"), T.dscalar("b")
        local half = (b - a) / 2
        local value, err = estimate(T, y, half)
        return { f = objective.compile { inputs = { x, table.unpack(numbers) }, outputs = y,
            on_unused_input = "ignore" },
          rule = objective.compile { inputs = { a, b, table.unpack(numbers) }, outputs = { value, err },
            on_unused_input = "ignore", givens = { { x, T.constant(at21) * half + (a + b) / 2 } } } }
      end)
      if #values == 0 then return parts.f, parts.rule end
      return function(v) return parts.f(v, table.unpack(values)) end,
        function(a, b) return parts.rule(a, b, table.unpack(values)) end
    end
    local function f(v)
      local out = {}
      for i = 0, v.size - 1 do
        local value = fn(v[i], table.unpack(args))
        if type(value) ~= "number" then
          util.raise("TypeError", "%s: the function gives a number, not %s", what, util.kind_of(value))
        end
        out[i + 1] = value + 0.0
      end
      return core.array(out, "float64")
    end
    if endless then f = endless(f) end
    return f, function(a, b) return estimate(nd, f(at21 * ((b - a) / 2) + (a + b) / 2), (b - a) / 2) end
  end

  -- Over an interval that ends at infinity: x of t in (0, 1], and what the integrand is multiplied by.
  local function endless_of(a, b)
    local function half(f, sign, from)
      return function(t) return f((1 / t - 1) * sign + from) / (t * t) end
    end
    return function(f)
      if a > -math.huge then return half(f, 1.0, a) end
      if b < math.huge then return half(f, -1.0, b) end
      local up, down = half(f, 1.0, 0.0), half(f, -1.0, 0.0)
      return function(t) return up(t) + down(t) end
    end
  end

  -- Sums of the trapezoidal rule after x = tanh(pi/2 sinh t), which no singularity at an end disturbs; steps halved
  -- until two agree.
  local function double_exponential(f, a, b, eps)
    local half, before, err = (b - a) / 2, nil, math.huge
    local value
    for level = 2, 9 do
      local h = 2.0 ^ -level
      local t = nd.arange(-math.floor(4.2 / h), math.floor(4.2 / h) + 1) * h
      local u = nd.sinh(t) * (math.pi / 2)
      local near = 2 / (1 + nd.exp(2 * nd.abs(u))) -- 1 - |x|, exact near the ends
      local x = nd.where(nd.lt(u, 0), a + half * near, b - half * near)
      local inner = nd.and_(nd.gt(x, a), nd.lt(x, b))
      local w = nd.cosh(t) * (math.pi / 2) / nd.square(nd.cosh(u))
      local y = f(x[inner])
      value = nd.sum(nd.where(nd.isfinite(y), y, 0.0) * w[inner]) * h * half
      if before then err = math.abs(value - before) end
      if before and err <= eps(value) then break end
      before = value
    end
    return value, err
  end

  local QUAD = { "func", "a", "b", "args", "full_output", "epsabs", "epsrel", "limit", "points", "weight", "wvar",
    "limlst", "complex_func", full_output = "boolean", epsabs = "number", epsrel = "number", limit = "integer",
    points = "table|ndarray", weight = "string", wvar = "number|table|ndarray", limlst = "integer",
    complex_func = "boolean" }

  local weighted = require("theano.ndweighted")(nd, { at = at21, whole = w21, rough = w10 })

  -- By intervals that are halved; where that ends too early, by the rule that knows singular ends, if it is nearer.
  local function adaptive(f, rule, edges, o)
    local value, err, parts, fine = weighted.adaptive(rule, edges, o)
    if fine then return value, err, parts, true end
    local function goal(v) return math.max(o.epsabs, o.epsrel * math.abs(v)) end
    local sum, error_ = 0.0, 0.0
    for i = 1, #edges - 1 do
      local v, e = double_exponential(f, edges[i], edges[i + 1], goal)
      sum, error_ = sum + v, error_ + e
    end
    if error_ < err or err ~= err then value, err = sum, error_ end
    return value, err, parts, err <= goal(value)
  end

  local quad
  -- Real and imaginary parts, one after the other.
  local function complex_quad(inside, o)
    local T, fn = select(2, objective.modules()), o.func
    util.expect("quad", "func", fn, "function")
    local function part(name)
      local how = {}
      for k, v in pairs(o) do how[k] = v end
      how.complex_func = nil
      function how.func(...)
        local v = fn(...)
        if util.is_var(v) then return T[name](v) end
        return help.result(nd[name](arr(v)))
      end
      return quad(inside, how)
    end
    local re, re_err, re_more = part("real")
    local im, im_err, im_more = part("imag")
    local value, err = nd.complex(re, im), nd.complex(re_err, im_err)
    if o.full_output then return value, err, { real = re_more, imag = im_more } end
    return value, err
  end

  function quad(inside, ...)
    local o = util.bind("quad", QUAD, ...)
    local a, b = o.a, o.b
    util.expect("quad", "a", a, "number")
    util.expect("quad", "b", b, "number")
    o.epsabs, o.epsrel, o.limit = o.epsabs or 1.49e-8, o.epsrel or 1.49e-8, o.limit or 50
    if o.epsabs <= 0 and o.epsrel < 50 * 2.0 ^ -52 then
      util.raise("ValueError",
        "quad: epsabs is not more than 0, and epsrel less than rounding: no result is near enough")
    end
    if o.complex_func then return complex_quad(inside, o) end
    local sign = 1
    if a > b then a, b, sign = b, a, -1 end
    if a == b then return 0.0, 0.0 end
    local edges = { a + 0.0, b + 0.0 }
    local infinite = a == -math.huge or b == math.huge
    if o.points and (infinite or o.weight) then
      util.raise("ValueError", "quad: points are for finite intervals, and not for weights")
    end
    if infinite and not o.weight then edges = { 0.0, 1.0 } end
    local f, rule = integrand("quad", o.func, objective.args("quad", o.args),
      infinite and not o.weight and endless_of(a, b), inside)
    for _, p in ipairs(o.points and (util.is_array(o.points) and o.points:tolist() or o.points) or {}) do
      if p > a and p < b then edges[#edges + 1] = p + 0.0 end
    end
    table.sort(edges)
    local value, err, parts, fine
    if o.weight then value, err, parts, fine = weighted.integral(f, a, b, o.weight, o.wvar, o)
    else value, err, parts, fine = adaptive(f, rule, edges, o)
    end
    if not o.full_output then return sign * value, err end
    return sign * value, err, { last = parts, neval = 21 * (2 * parts - 1), success = fine,
      message = fine and "" or "the error is larger than was asked for" }
  end
  --- `quad(func, a, b, {args, epsabs, epsrel, limit, points, weight, wvar, complex_func, full_output})`: the integral
  -- of a function of a number, and how far off it may be. Ends may be infinite; points: where the function is not
  -- smooth. weight, what the function is multiplied by: "cos" and "sin" of wvar x; "alg", (x - a)^wvar[1] (b -
  -- x)^wvar[2], and "alg-loga", "alg-logb", "alg-log" with log(x - a), log(b - x), both; "cauchy", 1 / (x - wvar). A
  -- function that builds a graph of a vector is compiled and called with 21 places at a time.
  function M.quad(...) return quad(false, ...) end

  -- The integral of fn over ranges, `range(outer)` each, the first for its first argument and innermost; and the
  -- largest of the estimates of how far off one of the integrals may be.
  local function nested(fn, ranges, args, how)
    local worst = 0.0
    local function integral(k, outer)
      local from, to = ranges[k](outer)
      local value, err
      if k == 1 then
        local o = { args = table.move(args, 1, #args, #outer + 1, { table.unpack(outer) }) }
        for name, v in pairs(how or {}) do o[name] = v end
        value, err = quad(true, fn, from, to, o)
      else
        value, err = M.quad(function(x)
          if type(x) ~= "number" then return nil end -- one at a time
          return integral(k - 1, { x, table.unpack(outer) })
        end, from, to, how)
      end
      worst = math.max(worst, err)
      return value
    end
    return integral(#ranges, {}), worst
  end
  local function between(from, to) -- numbers, or functions of what is further out, the outermost first
    local function edge(e, outer)
      if type(e) ~= "function" then return e end
      local list = {}
      for i, v in ipairs(outer) do list[#outer + 1 - i] = v end
      return e(table.unpack(list))
    end
    return function(outer) return edge(from, outer), edge(to, outer) end
  end

  --- `dblquad(func, a, b, gfun, hfun, {args, epsabs, epsrel})`: the integral of func(y, x) over x from a to b and y
  -- from gfun(x) to hfun(x), which may be numbers.
  function M.dblquad(...)
    local o = util.bind("dblquad", { "func", "a", "b", "gfun", "hfun", "args", "epsabs", "epsrel" }, ...)
    util.expect("dblquad", "func", o.func, "function")
    return nested(o.func, { between(o.gfun, o.hfun), between(o.a, o.b) }, objective.args("dblquad", o.args),
      { epsabs = o.epsabs, epsrel = o.epsrel })
  end
  --- `tplquad(func, a, b, gfun, hfun, qfun, rfun, {args, epsabs, epsrel})`: the integral of func(z, y, x) over x from a
  -- to b, y from gfun(x) to hfun(x), z from qfun(x, y) to rfun(x, y), which may be numbers.
  function M.tplquad(...)
    local o = util.bind("tplquad", { "func", "a", "b", "gfun", "hfun", "qfun", "rfun", "args", "epsabs", "epsrel" },
      ...)
    util.expect("tplquad", "func", o.func, "function")
    return nested(o.func, { between(o.qfun, o.rfun), between(o.gfun, o.hfun), between(o.a, o.b) },
      objective.args("tplquad", o.args), { epsabs = o.epsabs, epsrel = o.epsrel })
  end
  --- `nquad(func, ranges, args, opts)`: the integral of func(x0, x1, ..) over ranges `{from, to}`, that of x0 first, or
  -- functions of the later arguments which give one. opts: what each `quad` takes, `{epsabs = .., limit = ..}`.
  function M.nquad(...)
    local o = util.bind("nquad", { "func", "ranges", "args", "opts", ranges = "table", opts = "table" }, ...)
    util.expect("nquad", "func", o.func, "function")
    local ranges, args = {}, objective.args("nquad", o.args)
    for i, range in ipairs(util.list("nquad: ranges", o.ranges)) do
      ranges[i] = function(outer)
        local pair = range
        if type(range) == "function" then
          local list = { table.unpack(outer) }
          table.move(args, 1, #args, #list + 1, list)
          pair = range(table.unpack(list))
        end
        if type(pair) ~= "table" or #pair ~= 2 then
          util.raise("TypeError", "nquad: a range is {from, to}, or a function that gives one, not %s", util.text(pair))
        end
        return pair[1], pair[2]
      end
    end
    if #ranges == 0 then util.raise("ValueError", "nquad: there are no ranges") end
    return nested(o.func, ranges, args, o.opts)
  end

  -- Gauss's places and weights: zeros of Legendre's polynomial by Newton's method.
  local function legendre(n)
    local x = nd.cos((nd.arange(n) + 0.75) * (math.pi / (n + 0.5)))
    local slope
    for _ = 1, 10 do
      local p, before = x, nd.ones(n)
      for k = 2, n do p, before = ((2 * k - 1) * x * p - (k - 1) * before) / k, p end
      slope = n * (x * p - before) / (x * x - 1)
      x = x - p / slope
    end
    return x["::-1"], (2 / ((1 - x * x) * slope * slope))["::-1"]
  end
  --- `fixed_quad(func, a, b, {args, n = 5})`: the integral by Gauss's rule of n places. The function gets all places as
  -- one array, and may give arrays whose last axis they are; one that knows no arrays gets numbers.
  function M.fixed_quad(...)
    local o = util.bind("fixed_quad", { "func", "a", "b", "args", "n", a = "number", b = "number", n = "integer" }, ...)
    util.present("fixed_quad", o, { "func", "a", "b" })
    local n = o.n or 5
    if n < 1 or n > 10000 then util.raise("ValueError", "fixed_quad: n is %d, 1 to 10000 are expected", n) end
    util.expect("fixed_quad", "func", o.func, "function")
    local args = objective.args("fixed_quad", o.args)
    local function f(at)
      local fine, y = pcall(o.func, at, table.unpack(args))
      if fine and util.is_array(y) and (y.ndim == 0 or y.shape[y.ndim] == n or y.shape[y.ndim] == 1) then
        return nd.broadcast_to(y, nd.broadcast_shapes(y.shape, { n }))
      end
      return (integrand("fixed_quad", o.func, args))(at)
    end
    local x, w = nd.zeros(1), nd.full({ 1 }, 2.0)
    if n > 1 then x, w = legendre(n) end
    local half = (o.b - o.a) / 2
    return help.result(arr(nd.dot(f(x * half + (o.a + o.b) / 2), w) * half))
  end

  -- ---- samples ------------------------------------------------------------------------------------------------------
  local function part(a, axis, slice) return a[(":,"):rep(axis) .. slice] end
  -- The distances between samples, in the shape of y less one along the axis.
  local function distances(what, y, x, dx, axis)
    if x == nil then return nd.full({ 1 }, dx or 1.0) end
    x = arr(x):astype("float64")
    if x.ndim ~= 1 then return nd.diff(x, { axis = axis }) end
    if x.size ~= y.shape[axis + 1] then
      util.raise("ValueError", "%s: %d places for %d samples", what, x.size, y.shape[axis + 1])
    end
    local form = {}
    for d = 1, y.ndim do form[d] = d == axis + 1 and -1 or 1 end
    return nd.diff(x):reshape(form)
  end
  --- `cumulative_trapezoid(y, x, dx, axis, initial)`: the integral up to each sample by trapezoids; `initial` (0)
  -- stands in front where it is given.
  function M.cumulative_trapezoid(...)
    local o = util.bind("cumulative_trapezoid", { "y", "x", "dx", "axis", "initial", dx = "number", axis = "integer",
      initial = "number" }, ...)
    local y = help.floats(arr(o.y))
    local axis = axis_of("cumulative_trapezoid", y, o.axis or -1)
    local h = distances("cumulative_trapezoid", y, o.x, o.dx, axis)
    local r = nd.cumsum(h * (part(y, axis, "1:") + part(y, axis, ":-1")) / 2.0, { axis = axis })
    if o.initial == nil then return r end
    if o.initial ~= 0 then util.raise("ValueError", "cumulative_trapezoid: initial is 0 or not given") end
    local shape = r.shape
    shape[axis + 1] = 1
    return nd.concatenate({ nd.zeros(shape, r.dtype), r }, axis)
  end

  -- Simpson's sum over pairs of steps from the first to the last sample, an odd number of them.
  local function pairs_of_steps(y, h, axis, uniform)
    local a, b, c = part(y, axis, ":-2:2"), part(y, axis, "1:-1:2"), part(y, axis, "2::2")
    if uniform then return nd.sum((a + 4 * b + c) * (h / 3), { axis = axis }) end
    local h0, h1 = part(h, axis, "0::2"), part(h, axis, "1::2")
    local both, ratio = h0 + h1, h0 / h1
    return nd.sum(both / 6.0 * (a * (2.0 - 1.0 / ratio) + b * (both * (both / (h0 * h1))) + c * (2.0 - ratio)),
      { axis = axis })
  end
  --- `simpson(y, {x, dx, axis})`: the integral along an axis (the last) by parabolas; of an even number of samples the
  -- last step by the parabola through the last three.
  function M.simpson(...)
    local o = util.bind("simpson", { "y", "x", "dx", "axis", dx = "number", axis = "integer" }, ...)
    local y = help.floats(arr(o.y))
    local axis = axis_of("simpson", y, o.axis or -1)
    local n = y.shape[axis + 1]
    local uniform, dx = o.x == nil, o.dx or 1.0
    local h = uniform and dx or distances("simpson", y, o.x, nil, axis)
    if n == 2 then return M.trapezoid(y, o.x, dx, axis) end
    if n < 2 then return nd.sum(y * 0.0, { axis = axis }) end
    if not uniform and h.ndim == 1 then h = h:reshape({ -1 }) end
    if n % 2 == 1 then return pairs_of_steps(y, h, axis, uniform) end
    local front = pairs_of_steps(part(y, axis, ":-1"), uniform and h or part(h, axis, ":-1"), axis, uniform)
    local function at(a, i) return part(a, axis, tostring(i)) end
    local h0, h1 = dx, dx
    if not uniform then h0, h1 = at(h, -2), at(h, -1) end
    local last = (2 * h1 * h1 + 3 * h0 * h1) / (6 * (h1 + h0)) * at(y, -1)
      + (h1 * h1 + 3.0 * h0 * h1) / (6 * h0) * at(y, -2) - h1 * h1 * h1 / (6 * h0 * (h0 + h1)) * at(y, -3)
    return front + last
  end

  return require("theano.ndrules")(nd, M, distances, { at = at21, whole = w21, rough = w10 })
end
