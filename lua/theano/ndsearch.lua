--- nd.optimize: more ways to zeros and minima of functions of a number, fixed points, and minima by populations.
-- Installed by theano.ndoptimize.
-- @module theano.ndsearch
local core = require("theano.core")
local objective = require("theano.ndobjective")
local util = require("theano.util")

return function(nd, M, bracketing)
  local arr = core.asarray

  -- `ridder(f, a, b, {args, xtol, rtol, maxiter, full_output})`: a zero of a function of a number between a and b,
  -- where it changes sign, by Ridder's method.
  M.ridder = bracketing("ridder", function(f, a, b, fa, fb, o)
    local tol = o.xtol + o.rtol * math.min(math.abs(a), math.abs(b))
    local x
    for i = 1, o.maxiter do
      local half = 0.5 * (b - a)
      local middle = a + half
      local fm = f(middle)
      local step = (fb > fa and 1 or -1) * half * fm / math.sqrt(fm * fm - fa * fb)
      local most = math.min(math.abs(step), math.abs(half) - 0.5 * tol)
      x = middle - (step < 0 and -most or most)
      local fx = f(x)
      if fx * fm < 0 then a, fa, b, fb = x, fx, middle, fm
      elseif fx * fa < 0 then b, fb = x, fx
      else a, fa = x, fx end
      tol = o.xtol + o.rtol * math.abs(x)
      if fx == 0 or math.abs(b - a) < tol then return x, i, true end
    end
    return x, o.maxiter, false
  end)

  -- ---- Alefeld's, Potra's and Shi's Algorithm 748 (ACM Trans. Math. Software 21, 1995) ------------------------------
  local EPS = 2.0 ^ -52
  -- Whether values differ by more than rounding, and none is 0.
  local function apart(list)
    for i, v in ipairs(list) do
      if v == 0 or v - v ~= 0 then return false end
      for k = 1, i - 1 do if math.abs(v - list[k]) <= 32 * EPS then return false end end
    end
    return #list == 4
  end
  -- Where the cubic through four places, as a function of the values there, is at 0.
  local function cubic_zero(x, y)
    local c = { table.unpack(x) }
    for level = 1, 3 do
      for i = 4, level + 1, -1 do c[i] = (c[i] - c[i - 1]) / (y[i] - y[i - level]) end
    end
    local r = c[4]
    for i = 3, 1, -1 do r = c[i] - y[i] * r end
    return r
  end
  -- Some steps of Newton's to the zero of the parabola through the ends of s and the place d.
  local function parabola_zero(s, rounds)
    local a, b, fa = s.a, s.b, s.fa
    local B = (s.fb - fa) / (b - a)
    local A = ((s.fd - s.fb) / (s.d - b) - B) / (s.d - a)
    if A == 0 then return a - fa / B end
    local r = (A > 0) == (fa > 0) and a or b
    for _ = 1, rounds do
      local try = r - ((A * (r - b) + B) * (r - a) + fa) / (B + A * (2 * r - a - b))
      if not (a < try and try < b) then return a < r and r < b and r or (a + b) / 2 end
      r = try
    end
    return r
  end
  -- The bracket s with a place in it: what it was at one end is d; whether the place is the zero.
  local function narrow(s, f, x)
    local fx = f(x)
    s.e, s.fe = s.d, s.fd
    if (s.fa > 0) == (fx > 0) then s.d, s.fd, s.a, s.fa = s.a, s.fa, x, fx
    else s.d, s.fd, s.b, s.fb = s.b, s.fb, x, fx end
    return fx == 0
  end
  -- Twice the step of a secant from the better end, or the middle.
  local function double_step(s, o)
    local first = math.abs(s.fa) < math.abs(s.fb)
    local u, fu, other = first and s.a or s.b, first and s.fa or s.fb, first and s.fb or s.fa
    local x = u - 2 * fu * (s.b - s.a) / (s.fb - s.fa)
    if math.abs(x - u) > 0.5 * (s.b - s.a) then return (s.a + s.b) / 2 end
    if math.abs(x - u) <= EPS * math.abs(u) then -- nowhere: one end is far steeper, or the zero lies at the end
      if math.abs(fu) < math.abs(other) * 2.0 ^ -50 then x = (31 * u + (first and s.b or s.a)) / 32
      else x = u + (first and 1 or -1) * (math.abs(x) * o.rtol + o.xtol) end
      if not (s.a < x and x < s.b) then x = (s.a + s.b) / 2 end
    end
    return x
  end
  -- One round: k interpolations, a double step, and a halving where these did not halve.
  local function round_748(s, f, o)
    local width, x = s.b - s.a, nil
    for step = 2, o.k + 1 do
      local y = { s.fa, s.fb, s.fd, s.fe }
      if apart(y) then
        local try = cubic_zero({ s.a, s.b, s.d, s.e }, y)
        if s.a < try and try < s.b then x = try end
      end
      x = x or parabola_zero(s, step)
      if narrow(s, f, x) then return x end
    end
    x = double_step(s, o)
    if narrow(s, f, x) then return x end
    if s.b - s.a > 0.5 * width then
      x = (s.a + s.b) / 2
      if narrow(s, f, x) then return x end
    end
  end
  local toms748 = bracketing("toms748", function(f, a, b, fa, fb, o)
    local s = { a = a, b = b, fa = fa, fb = fb }
    if a > b then s = { a = b, b = a, fa = fb, fb = fa } end
    local x = math.abs(fb) > math.abs(fa) and (a - fa / fb * b) / (1 - fa / fb) or (b - fb / fa * a) / (1 - fb / fa)
    if not (s.a < x and x < s.b) then x = (a + b) / 2 end
    if narrow(s, f, x) then return x, 0, true end
    for i = 2, math.max(o.maxiter, 2) do
      local zero = round_748(s, f, o)
      if zero then return zero, i, true end
      x = (s.a + s.b) / 2
      if math.abs(s.a - s.b) <= o.xtol + o.rtol * math.abs(s.b) then return x, i, true end
    end
    return x, o.maxiter, false
  end, { "k", k = "integer" })
  -- `toms748(f, a, b, {args, k = 1, xtol, rtol, maxiter, full_output})`: a zero of a function of a number between a
  -- and b, where it changes sign, by Algorithm 748: cubics and parabolas, k of them a round.
  M.toms748 = toms748

  -- ---- minima of functions of a number ------------------------------------------------------------------------------
  local function counted(what, func, args)
    util.expect(what, "func", func, "function")
    args = objective.args(what, args)
    local count = { calls = 0 }
    return function(x)
      count.calls = count.calls + 1
      return objective.number(what, func(x, table.unpack(args)))
    end, count
  end

  local GOLD, SMALL = 1.618034, 1e-21
  -- Three places whose middle one is the least, from two: downhill by parabolas.
  local function around(what, f, xa, xb, grow, most)
    local fa, fb = f(xa), f(xb)
    if fa < fb then xa, xb, fa, fb = xb, xa, fb, fa end
    local xc = xb + GOLD * (xb - xa)
    local fc, rounds = f(xc), 0
    while fc < fb do
      local p, q = (xb - xa) * (fb - fc), (xb - xc) * (fb - fa)
      local w = xb - ((xb - xc) * q - (xb - xa) * p) / (math.abs(q - p) < SMALL and 2 * SMALL or 2 * (q - p))
      local limit = xb + grow * (xc - xb)
      if rounds > most then
        util.raise("RuntimeError", "%s: no bracket was found in %d iterations", what, most)
      end
      rounds = rounds + 1
      local fw
      if (w - xc) * (xb - w) > 0 then
        fw = f(w)
        if fw < fc then
          xa, xb, fa, fb = xb, w, fb, fw
          break
        elseif fw > fb then
          xc, fc = w, fw
          break
        end
        w = xc + GOLD * (xc - xb)
      elseif (w - limit) * (limit - xc) >= 0 then w = limit
      elseif (w - limit) * (xc - w) > 0 then
        fw = f(w)
        if fw < fc then
          xb, xc, fb, fc = xc, w, fc, fw
          w = xc + GOLD * (xc - xb)
          fw = nil
        end
        goto have
      else w = xc + GOLD * (xc - xb) end
      fw = nil
      ::have::
      fw = fw or f(w)
      xa, xb, xc, fa, fb, fc = xb, xc, w, fb, fc, fw
    end
    local lower = fb < fc and fb <= fa or fb < fa and fb <= fc
    local ordered = xa < xb and xb < xc or xc < xb and xb < xa
    if not lower or not ordered or xa - xa ~= 0 or xb - xb ~= 0 or xc - xc ~= 0 then
      util.raise("RuntimeError", "%s: no bracket was found: the function has no minimum below %s, %s, %s", what,
        util.text(xa), util.text(xb), util.text(xc))
    end
    return xa, xb, xc, fa, fb, fc
  end
  --- `bracket(func, {xa = 0, xb = 1, args, grow_limit = 110, maxiter = 1000})`: three places whose middle one is the
  -- least, the values there, and the number of calls.
  function M.bracket(...)
    local o = util.bind("bracket", { "func", "xa", "xb", "args", "grow_limit", "maxiter", xa = "number", xb = "number",
      grow_limit = "number", maxiter = "integer" }, ...)
    local f, count = counted("bracket", o.func, o.args)
    local xa, xb, xc, fa, fb, fc = around("bracket", f, (o.xa or 0) + 0.0, (o.xb or 1) + 0.0, o.grow_limit or 110.0,
      o.maxiter or 1000)
    return xa, xb, xc, fa, fb, fc, count.calls
  end
  local function numbers(what, list)
    list = util.is_array(list) and list:reshape({ -1 }):tolist() or list
    for i, v in ipairs(list) do
      if type(v) ~= "number" then
        util.raise("TypeError", "%s: [%d] is a number, not %s", what, i, util.kind_of(v))
      end
    end
    return list
  end
  -- Three places from what the user gives: nothing, two places, or three.
  local function triple(what, f, brack)
    if brack == nil then return around(what, f, 0.0, 1.0, 110.0, 1000) end
    local b = numbers(what, brack)
    if #b == 2 then return around(what, f, b[1] + 0.0, b[2] + 0.0, 110.0, 1000) end
    if #b ~= 3 then util.raise("ValueError", "%s: brack has two or three numbers, not %d", what, #b) end
    local xa, xb, xc = b[1] + 0.0, b[2] + 0.0, b[3] + 0.0
    if xa > xc then xa, xc = xc, xa end
    if not (xa < xb and xb < xc) or not (f(xb) < f(xa) and f(xb) < f(xc)) then
      util.raise("ValueError", "%s: the middle one of brack lies between the others, and the function is least there",
        what)
    end
    return xa, xb, xc
  end
  --- `golden(func, {args, brack, tol, full_output, maxiter = 5000})`: where a function of a number is least, by golden
  -- sections; with full_output the value and the number of calls, too.
  function M.golden(...)
    local o = util.bind("golden", { "func", "args", "brack", "tol", "full_output", "maxiter", brack = "table|ndarray",
      tol = "number", full_output = "boolean", maxiter = "integer" }, ...)
    local f, count = counted("golden", o.func, o.args)
    local x0, xb, x3 = triple("golden", f, o.brack)
    local R, tol = 0.61803399, o.tol or 1.4901161193847656e-08
    local x1, x2 = xb, xb
    if math.abs(x3 - xb) > math.abs(xb - x0) then x2 = xb + (1 - R) * (x3 - xb) else x1 = xb - (1 - R) * (xb - x0) end
    local f1, f2 = f(x1), f(x2)
    for _ = 1, o.maxiter or 5000 do
      if math.abs(x3 - x0) <= tol * (math.abs(x1) + math.abs(x2)) then break end
      if f2 < f1 then
        x0, x1 = x1, x2
        x2 = R * x1 + (1 - R) * x3
        f1, f2 = f2, f(x2)
      else
        x3, x2 = x2, x1
        x1 = R * x2 + (1 - R) * x0
        f2, f1 = f1, f(x1)
      end
    end
    local x, y = x1, f1
    if f2 <= f1 then x, y = x2, f2 end
    if o.full_output then return x, y, count.calls end
    return x
  end
  --- `fminbound(func, x1, x2, {args, xtol = 1e-5, maxfun = 500})`: where a function of a number is least between x1 and
  -- x2: minimize_scalar's "bounded".
  function M.fminbound(...)
    local o = util.bind("fminbound", { "func", "x1", "x2", "args", "xtol", "maxfun", x1 = "number", x2 = "number",
      xtol = "number", maxfun = "integer" }, ...)
    util.present("fminbound", o, { "func", "x1", "x2" })
    return M.minimize_scalar(o.func, { bounds = { o.x1, o.x2 }, args = o.args, method = "bounded",
      options = { xatol = o.xtol or 1e-5, maxiter = o.maxfun or 500 } }).x
  end

  -- ---- fixed points -------------------------------------------------------------------------------------------------
  --- `fixed_point(func, x0, {args, xtol = 1e-8, maxiter = 500, method = "del2"})`: x with func(x) = x, a number or an
  -- array, by steps that Aitken's rule makes longer, or plain ones ("iteration").
  function M.fixed_point(...)
    local o = util.bind("fixed_point", { "func", "x0", "args", "xtol", "maxiter", "method", xtol = "number",
      maxiter = "integer", method = "string" }, ...)
    util.expect("fixed_point", "func", o.func, "function")
    util.present("fixed_point", o, { "x0" })
    local method = o.method or "del2"
    if method ~= "del2" and method ~= "iteration" then
      util.raise("ValueError", "fixed_point: the method is 'del2' or 'iteration', not '%s'", method)
    end
    local args, plain = objective.args("fixed_point", o.args), type(o.x0) == "number"
    local before = arr(o.x0)
    if before.dtype ~= "float32" and not before.dtype:find("^c") then before = before:astype("float64") end
    local shape = before.shape
    local function f(x)
      local y = o.func(plain and x:item() or x, table.unpack(args))
      if type(y) ~= "number" and not util.is_array(y) and type(y) ~= "table" then
        util.raise("TypeError", "fixed_point: the function gives a number or an array, not %s", util.kind_of(y))
      end
      y = arr(y)
      if table.concat(y.shape, ",") ~= table.concat(shape, ",") then
        util.raise("ValueError", "fixed_point: the function gives an array of shape (%s) of one of shape (%s)",
          table.concat(y.shape, ", "), table.concat(shape, ", "))
      end
      return y
    end
    local function up(x) return arr(x):reshape({ -1 }) end
    for _ = 1, o.maxiter or 500 do
      local first = f(before)
      local p0, p1 = up(before), up(first)
      local p = p1
      if method == "del2" then
        local p2 = up(f(first))
        local d = p2 - 2.0 * p1 + p0
        local still = nd.eq(d, 0)
        p = nd.where(still, p2, p0 - (p1 - p0) * (p1 - p0) / nd.where(still, 1.0, d))
      end
      local none = nd.eq(p0, 0)
      local off = nd.where(none, p, (p - p0) / nd.where(none, 1.0, p0))
      before = up(p):reshape(shape)
      if nd.all(nd.lt(nd.abs(off), o.xtol or 1e-8)) then return plain and before:item() or before end
    end
    return util.raise("RuntimeError", "fixed_point: no end in %d iterations, at %s", o.maxiter or 500,
      tostring(plain and util.text(before:item()) or before))
  end

  -- ---- populations --------------------------------------------------------------------------------------------------
  local function random_of(what, rng)
    if rng == nil then rng = 0 end
    if math.type(rng) == "integer" then
      if rng < 0 or rng >= 1 << 32 then util.raise("ValueError", "%s: the seed is from 0 to 2^32 - 1", what) end
      rng = nd.random.RandomState(rng)
    end
    if type(rng) ~= "userdata" and type(rng) ~= "table" then
      util.raise("TypeError", "%s: rng is a seed or a generator, not %s", what, util.kind_of(rng))
    end
    return rng
  end
  local function bounds_of(what, bounds)
    if getmetatable(bounds) and not util.is_array(bounds) and rawget(bounds, "lb") then
      bounds = nd.stack({ arr(bounds.lb):reshape({ -1 }), arr(bounds.ub):reshape({ -1 }) }, -1)
    end
    local b = arr(bounds):astype("float64")
    if b.ndim ~= 2 or b.shape[2] ~= 2 or b.shape[1] == 0 then
      util.raise("ValueError", "%s: bounds are a list of pairs {low, high}, one for each number", what)
    end
    if not nd.all(nd.isfinite(b)) or nd.any(nd.gt(b[":, 0"], b[":, 1"])) then
      util.raise("ValueError", "%s: bounds are finite, low up to high", what)
    end
    return b[":, 0"]:tolist(), b[":, 1"]:tolist()
  end
  -- What makes a new member of others: weights by places in the list of members, the best one first.
  local STRATEGIES = {
    best1 = function(_, best, r, F, j) return best[j] + F * (r[1][j] - r[2][j]) end,
    rand1 = function(_, _, r, F, j) return r[1][j] + F * (r[2][j] - r[3][j]) end,
    best2 = function(_, best, r, F, j) return best[j] + F * (r[1][j] + r[2][j] - r[3][j] - r[4][j]) end,
    rand2 = function(_, _, r, F, j) return r[1][j] + F * (r[2][j] + r[3][j] - r[4][j] - r[5][j]) end,
    currenttobest1 = function(x, best, r, F, j) return x[j] + F * (best[j] - x[j] + r[1][j] - r[2][j]) end,
    randtobest1 = function(_, best, r, F, j) return r[1][j] + F * (best[j] - r[1][j] + r[2][j] - r[3][j]) end,
  }
  local function first_members(what, o, n, rng)
    local init = o.init or "latinhypercube"
    if type(init) ~= "string" then return init end
    local count = math.max(5, (o.popsize or 15) * n)
    local draws = rng:uniform(0, 1, { count, n })
    if init == "random" then return draws:tolist() end
    if init ~= "latinhypercube" then
      util.raise("ValueError", "%s: init is 'latinhypercube', 'random' or an array, not '%s'", what, init)
    end
    for j = 0, n - 1 do
      draws[{ nd.arange(count), j }] = nd.take((draws[{ ":", j }] + nd.arange(count)) / count, rng:permutation(count))
    end
    return draws:tolist()
  end
  local DIFFERENTIAL = { "func", "bounds", "args", "strategy", "maxiter", "popsize", "tol", "mutation", "recombination",
    "rng", "callback", "disp", "polish", "init", "atol", "x0", "seed", strategy = "string", maxiter = "integer",
    popsize = "integer", tol = "number", mutation = "number|table", recombination = "number", callback = "function",
    disp = "boolean", polish = "boolean", init = "string|table|ndarray", atol = "number", seed = "integer" }
  local function settings(what, o)
    util.expect(what, "func", o.func, "function")
    util.present(what, o, { "bounds" })
    local name, kind = (o.strategy or "best1bin"):match("^(%w-)(%l%l%l)$")
    if not STRATEGIES[name] or kind ~= "bin" and kind ~= "exp" then
      util.raise("ValueError", "%s: strategy is 'best1', 'rand1', 'best2', 'rand2', 'currenttobest1' or 'randtobest1' "
        .. "with 'bin' or 'exp' behind it, not '%s'", what, o.strategy)
    end
    local F = o.mutation or { 0.5, 1.0 }
    F = type(F) == "number" and { F, F } or numbers(what, F)
    if #F ~= 2 or F[1] < 0 or F[2] >= 2 and F[1] ~= F[2] or F[1] >= 2 or F[1] > F[2] then
      util.raise("ValueError", "%s: mutation is a number from 0 to 2, or two of them", what)
    end
    if (o.popsize or 15) < 1 then util.raise("ValueError", "%s: popsize is at least 1, not %d", what, o.popsize) end
    return STRATEGIES[name], kind, F
  end
  -- Members as lists of numbers from 0 to 1, their values, the least of them in front.
  local function begun(what, o, low, high, value, rng)
    local n, members = #low, first_members(what, o, #low, rng)
    if type(members) == "userdata" or type(members[1]) ~= "table" or o.init and type(o.init) ~= "string" then
      members = arr(members):astype("float64")
      if members.ndim ~= 2 or members.shape[2] ~= n or members.shape[1] < 5 then
        util.raise("ValueError", "%s: init has at least 5 rows of %d numbers", what, n)
      end
      members = members:tolist()
      for _, m in ipairs(members) do
        for j = 1, n do
          m[j] = high[j] > low[j] and math.min(math.max((m[j] - low[j]) / (high[j] - low[j]), 0), 1) or 0
        end
      end
    end
    if o.x0 then
      local x0 = objective.vector(what, o.x0):tolist()
      if #x0 ~= n then util.raise("ValueError", "%s: x0 has %d numbers, not %d", what, n, #x0) end
      for j = 1, n do
        if x0[j] < low[j] or x0[j] > high[j] then util.raise("ValueError", "%s: x0 lies within the bounds", what) end
        members[1][j] = high[j] > low[j] and (x0[j] - low[j]) / (high[j] - low[j]) or 0.0
      end
    end
    local values, best = {}, 1
    for i, m in ipairs(members) do
      values[i] = value(m)
      if values[i] < values[best] then best = i end
    end
    members[1], members[best], values[1], values[best] = members[best], members[1], values[best], values[1]
    return members, values
  end
  local function settled(values, tol, atol)
    local sum, squares = 0.0, 0.0
    for _, v in ipairs(values) do sum = sum + v end
    local mean = sum / #values
    for _, v in ipairs(values) do squares = squares + (v - mean) * (v - mean) end
    return math.sqrt(squares / #values) <= atol + tol * math.abs(mean)
  end
  -- A member for the place i of those of others: parts of one made by the strategy, the rest as it was.
  local function trial(members, i, make, kind, F, recombination, draw)
    local n, chosen, others, taken = #members[1], {}, {}, { [i] = true }
    while #others < math.min(5, #members - 1) do
      local k = 1 + math.floor(draw() * #members)
      if not taken[k] then
        taken[k] = true
        others[#others + 1] = members[k]
      end
    end
    local at = 1 + math.floor(draw() * n)
    if kind == "bin" then
      for j = 1, n do chosen[j] = draw() < recombination end
      chosen[at] = true
    else
      local count = 0
      repeat
        chosen[(at - 1 + count) % n + 1] = true
        count = count + 1
      until count >= n or draw() >= recombination
    end
    local new = {}
    for j = 1, n do
      local v = chosen[j] and make(members[i], members[1], others, F, j) or members[i][j]
      new[j] = v >= 0 and v <= 1 and v or draw()
    end
    return new
  end
  local function draws_of(rng) -- one number after the other, many of a time
    local list, at = {}, 0
    return function()
      at = at + 1
      if at > #list then list, at = rng:uniform(0, 1, { 1024 }):tolist(), 1 end
      return list[at]
    end
  end
  --- `differential_evolution(func, bounds, {args, strategy = "best1bin", maxiter = 1000, popsize = 15, tol = 0.01,
  -- mutation = {0.5, 1}, recombination = 0.7, rng, callback, polish = true, init, atol = 0, x0})`: where a function
  -- of a vector is least within bounds, by a population; then by L-BFGS-B from the best one. rng: a seed (0) or a
  -- generator of nd.random. A table: `x fun success message nfev nit population population_energies`.
  function M.differential_evolution(...)
    local what = "differential_evolution"
    local o = util.bind(what, DIFFERENTIAL, ...)
    local make, kind, F = settings(what, o)
    local low, high = bounds_of(what, o.bounds)
    local args, rng, nfev = objective.args(what, o.args), random_of(what, o.rng or o.seed), 0
    local function real(m)
      local x = {}
      for j, v in ipairs(m) do x[j] = low[j] + v * (high[j] - low[j]) end
      return nd.array(x):astype("float64")
    end
    local function value(m)
      nfev = nfev + 1
      local y = objective.number(what, o.func(real(m), table.unpack(args)))
      return y == y and y or math.huge
    end
    local members, values = begun(what, o, low, high, value, rng)
    local draw, tol, nit, most = draws_of(rng), o.tol or 0.01, 0, o.maxiter or 1000
    local message = "Optimization terminated successfully."
    local fine = settled(values, tol, o.atol or 0)
    while not fine do
      if nit >= most then
        message = "Maximum number of iterations has been exceeded."
        break
      end
      nit = nit + 1
      local factor = F[1] + draw() * (F[2] - F[1])
      for i = 1, #members do
        local new = trial(members, i, make, kind, factor, o.recombination or 0.7, draw)
        local y = value(new)
        if y <= values[i] then
          members[i], values[i] = new, y
          if y < values[1] then members[1], members[i], values[1], values[i] = new, members[1], y, values[1] end
        end
      end
      if o.callback and o.callback(real(members[1]), values[1]) == true then
        message = "callback function requested stop early"
        break
      end
      fine = settled(values, tol, o.atol or 0)
    end
    local r = { x = real(members[1]), fun = values[1], success = fine, message = message, nit = nit }
    if o.polish ~= false and r.fun - r.fun == 0 then
      local bounds = {}
      for j = 1, #low do bounds[j] = { low[j], high[j] } end
      local ok, p = pcall(M.minimize, o.func, r.x, { args = o.args, method = "L-BFGS-B", bounds = bounds })
      if ok and p.fun < r.fun then r.x, r.fun, r.jac = p.x, p.fun, p.jac end
      nfev = nfev + (ok and p.nfev or 0)
    end
    local all = {}
    for i, m in ipairs(members) do all[i] = real(m) end
    r.nfev, r.population, r.population_energies = nfev, nd.stack(all), nd.array(values):astype("float64")
    return r
  end
  return M
end
