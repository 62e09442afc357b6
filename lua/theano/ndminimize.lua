--- nd.optimize.minimize: BFGS, L-BFGS, conjugate gradients, Newton's method and Nelder's and Mead's, with gradients
-- from a graph. What a step computes of vectors and matrices is one compiled function. Installed by theano.ndoptimize.
-- @module theano.ndminimize
local objective = require("theano.ndobjective")
local help = require("theano.ndhelp")
local util = require("theano.util")

local MESSAGES = {
  [0] = "Optimization terminated successfully.", [1] = "Maximum number of iterations has been exceeded.",
  [2] = "Desired error not necessarily achieved due to precision loss.",
  [3] = "NaN result encountered.", [4] = "No place was found that meets the constraints.",
  [99] = "The callback stopped the minimization.",
}

return function(nd)
  local M = {}

  local kept = {} -- compiled parts of steps
  local function part(name, build)
    kept[name] = kept[name] or objective.compile(build(select(2, objective.modules())))
    return kept[name]
  end

  local function largest(g) return g.size > 0 and nd.max(nd.abs(g)) or 0.0 end

  -- ---- line search --------------------------------------------------------------------------------------------------
  -- The minimum of the cubic through two values and slopes, well between the two places.
  local function between(a, fa, da, b, fb, db)
    local t = (a + b) / 2
    if fb == fb and db == db and math.abs(fb) < math.huge then
      local d1 = da + db - 3 * (fa - fb) / (a - b)
      local root = d1 * d1 - da * db
      if root >= 0 then
        local d2 = math.sqrt(root) * (b > a and 1 or -1)
        local c = b - (b - a) * (db + d2 - d1) / (db - da + 2 * d2)
        if c == c then t = c end
      end
    end
    local low, high = math.min(a, b), math.max(a, b)
    local margin = 0.1 * (high - low)
    return math.max(low + margin, math.min(high - margin, t))
  end

  -- A step along p that meets Wolfe's strong conditions: the step and what `along` gives there; nil where none is
  -- found. from: {value, slope} at 0.
  local function search(along, from, first, c1, c2)
    local f0, d0 = from[1], from[2]
    local function good(a, f) return f <= f0 + c1 * a * d0 end
    local function zoom(lo, hi)
      for _ = 1, 40 do
        local a = between(lo[1], lo[2], lo[3], hi[1], hi[2], hi[3])
        local f, d, x, g, size = along(a)
        local here = { a, f, d, x, g, size }
        if f ~= f or not good(a, f) or f >= lo[2] then hi = here
        else
          if math.abs(d) <= -c2 * d0 then return here end
          if d * (hi[1] - lo[1]) >= 0 then hi = lo end
          lo = here
        end
        if math.abs(hi[1] - lo[1]) <= 1e-14 * math.abs(lo[1]) then break end
      end
      return lo[1] > 0 and lo or nil
    end
    local before, a = { 0.0, f0, d0 }, first
    for i = 1, 30 do
      local f, d, x, g, size = along(a)
      local here = { a, f, d, x, g, size }
      if not good(a, f) or i > 1 and f >= before[2] then return zoom(before, here) end
      if math.abs(d) <= -c2 * d0 then return here end
      if d >= 0 then return zoom(here, before) end
      before, a = here, 2 * a
    end
    return before
  end

  -- ---- the loop of those that go along lines ------------------------------------------------------------------------
  -- S: `direction(x, at, g, next, p)` gives a direction and the slope along it, and remembers; `restart()` forgets what
  -- was learned. The result's table.
  local function descend(O, x, S, o)
    local f, g = O.both(x)
    local before, status, nit = f + nd.sqrt(g:dot(g)) / 2, 0, 0
    local p, size, fresh, large = -g, largest(g), true, x.size > 4096 -- small ones cost more to free than to keep
    local slope = g:dot(p)
    while size > o.gtol do
      if nit >= o.maxiter then status = 1 break end
      if slope ~= slope or slope >= 0 then
        p, fresh = -g, true
        S.restart()
        slope = g:dot(p)
      end
      local first = 1.0
      if S.scaled or fresh then
        first = math.min(1.0, 1.01 * 2 * (f - before) / slope)
        if first ~= first or first <= 0 then first = 1.0 end
      end
      local step = search(function(a) return O.along(x, p, a) end, { f, slope }, first, o.c1, o.c2)
      if not step then
        if fresh then status = f ~= f and 3 or 2 break end
        slope = 0.0
      else
        nit = nit + 1
        local at, next_ = step[4], step[5]
        local moved = f - step[2]
        before = f
        local way, from, before_ = p, x, g
        p, slope = S.direction(x, at, g, next_, p)
        fresh = false
        x, f, g, size = at, step[2], next_, step[6]
        if large and O.own and not o.callback then -- what lives through a call is old: the collector comes late
          way:free()
          from:free()
          before_:free()
        end
        if o.callback and o.callback(x, f) == true then status = 99 break end
        if f ~= f then status = 3 break end
        if o.ftol and moved <= o.ftol * math.max(math.abs(f), math.abs(before), 1) then break end
      end
    end
    return { x = x, fun = f, jac = g, nit = nit, nfev = O.nfev, njev = O.njev, status = status,
      success = status == 0, message = MESSAGES[status] }
  end

  -- ---- directions ---------------------------------------------------------------------------------------------------
  -- The inverse Hessian after a step, and the direction that it gives.
  local function bfgs_step()
    return part("bfgs", function(T)
      local H, x, at, g, next_ = T.dmatrix("H"), T.dvector("x"), T.dvector("at"), T.dvector("g"), T.dvector("next")
      local theano = objective.modules()
      local s, y = at - x, next_ - g
      local sy = T.dot(s, y)
      local Hy = T.dot(H, y)
      local rho = T.switch(T.gt(sy, 0), 1 / T.switch(T.gt(sy, 0), sy, 1.0), 0.0)
      local by = rho * (1 + rho * T.dot(y, Hy))
      local column, row = s:dimshuffle(0, "x"), s:dimshuffle("x", 0)
      local new = H + column * (by * row - rho * Hy:dimshuffle("x", 0)) - (rho * Hy):dimshuffle(0, "x") * row
      local p = -T.dot(new, next_)
      return { inputs = { theano.In(H, { mutable = true }), x, at, g, next_ },
        outputs = { theano.Out(new, { borrow = true }), p, T.dot(p, next_) } }
    end)
  end
  local function bfgs(n)
    local S, step, H = { scaled = true }, bfgs_step(), nil
    function S.restart() H = nd.eye(n) end
    function S.direction(x, at, g, next_)
      local p, slope
      H, p, slope = step(H, x, at, g, next_)
      return p, slope
    end
    function S.finish(r) r.hess_inv = H end
    S.restart()
    return S
  end

  -- The last m steps and differences of gradients, oldest first, and the direction that they give. W holds both, with a
  -- last place for those of this step, and rho their products' inverses: both are written into.
  local function lbfgs_step(m)
    return part("lbfgs" .. m, function(T)
      local theano = objective.modules()
      local W, rho, gamma = T.dtensor3("W"), T.dvector("rho"), T.dscalar("gamma")
      local x, at, g, next_ = T.dvector("x"), T.dvector("at"), T.dvector("g"), T.dvector("next")
      local s, y = at - x, next_ - g
      local sy, yy = T.dot(s, y), T.dot(y, y)
      local use = T.gt(sy, 2.2e-16 * yy)
      local inverse = T.switch(use, 1 / T.switch(use, sy, 1.0), 0.0)
      local scale = T.switch(use, sy / T.switch(use, yy, 1.0), gamma)
      local rows = T.set_subtensor(W[{ m - 1, 0 }], s)
      rows = T.set_subtensor(rows[{ m - 1, 1 }], y)
      local weights = T.set_subtensor(rho[m - 1], inverse)
      local q, by = next_, {}
      for i = m - 1, 0, -1 do
        by[i] = weights[i] * T.dot(rows[{ i, 0 }], q)
        q = q - by[i] * rows[{ i, 1 }]
      end
      q = q * scale
      for i = 0, m - 1 do q = q + rows[{ i, 0 }] * (by[i] - weights[i] * T.dot(rows[{ i, 1 }], q)) end
      local function own(v) return theano.In(v, { mutable = true }) end
      return { inputs = { own(W), own(rho), gamma, x, at, g, next_ }, outputs = { -q, -T.dot(q, next_), scale,
        theano.Out(rows, { borrow = true }), theano.Out(weights, { borrow = true }) } }
    end)
  end
  local function lbfgs(n, m)
    local LENGTH = 3 * m -- then what counts is moved to the front
    local R, step = { scaled = false }, lbfgs_step(m)
    local W, rho, windows, gamma, place -- windows: parts of both, by where they begin
    local copies -- whether results are not where the operands were, as in modes that write nowhere
    function R.restart()
      W, rho, windows, gamma, place = nd.zeros({ LENGTH, 2, n }), nd.zeros({ LENGTH }), {}, 1.0, 0
    end
    local function window(i)
      local rows = ("%d:%d"):format(i, i + m)
      windows[i] = windows[i] or { W[rows], rho[rows] }
      return windows[i]
    end
    function R.direction(x, at, g, next_)
      local p, slope, new, weights
      if place == LENGTH - m then
        window(1)[1]:assign(window(place)[1])
        window(1)[2]:assign(window(place)[2])
        place = 1
      end
      place = place + 1
      local here = windows[place] or window(place)
      p, slope, gamma, new, weights = step(here[1], here[2], gamma, x, at, g, next_)
      if copies == nil then copies = not nd.shares_memory(new, here[1]) or not nd.shares_memory(weights, here[2]) end
      if copies then
        here[1]:assign(new)
        here[2]:assign(weights)
      end
      return p, slope
    end
    R.restart()
    return R
  end

  -- Polak's and Ribiere's conjugate direction.
  local function cg()
    local step = part("cg", function(T)
      local g, next_, p = T.dvector("g"), T.dvector("next"), T.dvector("p")
      local beta = T.maximum(T.dot(next_, next_ - g) / T.dot(g, g), 0.0)
      local way = beta * p - next_
      return { inputs = { g, next_, p }, outputs = { way, T.dot(way, next_) } }
    end)
    return { scaled = true, restart = function() end,
      direction = function(_, _, g, next_, p) return step(g, next_, p) end }
  end

  -- ---- Newton's method, its equations solved by conjugate gradients -------------------------------------------------
  -- conjugate(x, z, r, d): a step of conjugate gradients with the Hessian at x.
  local function newton_direction(conjugate, x, g)
    local left = nd.sum(nd.abs(g))
    local goal = math.min(0.5, math.sqrt(left)) * left
    local z, r, d = nd.zeros(x.size), g, -g
    for k = 0, 20 * x.size do
      if left <= goal then break end
      local next_, rest, turned, curve, size = conjugate(x, z, r, d)
      local flat = 3 * 2.0 ^ -52
      if curve <= flat then
        if k == 0 then z = d end -- downhill, however the function bends
        break
      end
      z, r, d, left = next_, rest, turned, size
    end
    return z
  end
  -- The same with a Hessian's products that are given.
  local function with_products(times)
    local step = part("newton", function(T)
      local z, r, d, Ad = T.dvector("z"), T.dvector("r"), T.dvector("d"), T.dvector("Ad")
      return { inputs = { z, r, d, Ad }, outputs = objective.conjugate(z, r, d, Ad) }
    end)
    return function(x, z, r, d) return step(z, r, d, times(x, d)) end
  end
  local function newton(O, x, o, conjugate)
    local f, g = O.both(x)
    local status, nit, nhev = 0, 0, 0
    local function counted(...)
      nhev = nhev + 1
      return conjugate(...)
    end
    local moved = math.huge
    while moved > x.size * o.xtol do
      if nit >= o.maxiter then status = 1 break end
      local p = newton_direction(counted, x, g)
      local slope = g:dot(p)
      if slope == 0 then
        status = largest(g) <= 1e-8 and 0 or 2
        break
      end
      local step = search(function(a) return O.along(x, p, a) end, { f, slope }, 1.0, o.c1, o.c2)
      if not step then
        status = f ~= f and 3 or 2
        if largest(g) <= 1e-8 then status = 0 end
        break
      end
      nit = nit + 1
      moved = nd.sum(nd.abs(step[4] - x))
      x, f, g = step[4], step[2], step[5]
      if o.callback and o.callback(x, f) == true then status = 99 break end
      if f ~= f then status = 3 break end
    end
    local r = { x = x, fun = f, jac = g, nit = nit, nfev = O.nfev, njev = O.njev, nhev = nhev, status = status }
    r.success, r.message = status == 0, MESSAGES[status]
    return r
  end

  -- ---- within bounds: gradients projected ---------------------------------------------------------------------------
  -- Directions by the last steps in what is not held by a bound, steps cut at the bounds.
  local function bounded(O, x, o, low, high, m)
    x = nd.maximum(nd.minimum(x, high), low)
    local f, g = O.both(x)
    local S, status, nit = lbfgs(x.size, m), 0, 0
    local p, fresh = -g, true
    local function free() return nd.logical_not(nd.or_(nd.and_(nd.le(x, low), nd.gt(g, 0)),
      nd.and_(nd.ge(x, high), nd.lt(g, 0)))):astype("float64") end
    local function inside(v) return nd.maximum(nd.minimum(v, high), low) end
    while largest(inside(x - g) - x) > o.gtol do
      if nit >= o.maxiter then status = 1 break end
      local mask = free()
      p = p * mask
      local slope = g:dot(p)
      if slope ~= slope or slope >= 0 then
        p, fresh = -g * mask, true
        S.restart()
      end
      local a, found = fresh and math.min(1.0, 1 / nd.sum(nd.abs(g))) or 1.0, nil
      for _ = 1, 40 do
        local at = inside(x + p * a)
        local y = O.value(at)
        if y <= f + o.c1 * g:dot(at - x) then found = at break end
        a = a / 2
      end
      if not found then
        if fresh then status = 2 break end
        p, fresh = -g, true
        S.restart()
      else
        nit = nit + 1
        local y, next_ = O.both(found)
        local moved = f - y
        p, fresh = (S.direction(x, found, g, next_)), false
        x, g = found, next_
        local before = f
        f = y
        if o.callback and o.callback(x, f) == true then status = 99 break end
        if moved <= o.ftol * math.max(math.abs(f), math.abs(before), 1) then break end
      end
    end
    return { x = x, fun = f, jac = g, nit = nit, nfev = O.nfev, njev = O.njev, status = status, success = status == 0,
      message = MESSAGES[status] }
  end

  -- ---- without derivatives ------------------------------------------------------------------------------------------
  local function nelder_mead(O, x, o)
    local n = x.size
    local sim = {}
    local function at(v) return { v, O.value(v) } end
    local best -- the sum of all places but the worst
    sim[1] = at(x)
    for i = 0, n - 1 do
      local y = x:copy()
      y[i] = y[i] ~= 0 and 1.05 * y[i] or 0.00025
      sim[i + 2] = at(y)
    end
    local most, calls = o.maxiter or 200 * n, o.maxfev or 200 * n
    local a, b, c, d = 1, 2, 0.5, 0.5
    if o.adaptive then b, c, d = 1 + 2 / n, 0.75 - 1 / (2 * n), 1 - 1 / n end
    local function ordered() -- by insertion: one is out of order, mostly
      for i = 2, n + 1 do
        local s, k = sim[i], i
        while k > 1 and (s[2] < sim[k - 1][2] or sim[k - 1][2] ~= sim[k - 1][2] and s[2] == s[2]) do
          sim[k], k = sim[k - 1], k - 1
        end
        sim[k] = s
      end
    end
    local function settled()
      for i = 2, n + 1 do
        if not (math.abs(sim[i][2] - sim[1][2]) <= o.fatol) then return false end -- luacheck: ignore 581
      end
      for i = 2, n + 1 do
        if largest(sim[i][1] - sim[1][1]) > o.xatol then return false end
      end
      return true
    end
    local function sum()
      best = sim[1][1]
      for i = 2, n do best = best + sim[i][1] end
    end
    ordered()
    local nit, status = 1, 0
    while true do
      if nit >= most or O.nfev >= calls then status = 1 break end
      if settled() then break end
      sum()
      local worst = sim[n + 1]
      local function moved(by) return { O.beside(best, worst[1], (1 + by) / n, by) } end
      local r = moved(a)
      local new
      if r[2] < sim[1][2] then
        local e = moved(a * b)
        new = e[2] < r[2] and e or r
      elseif r[2] < sim[n][2] then new = r
      elseif r[2] < worst[2] then
        local e = moved(a * c)
        new = e[2] <= r[2] and e or nil
      else
        local e = moved(-c)
        new = e[2] < worst[2] and e or nil
      end
      if new then sim[n + 1] = new
      else for i = 2, n + 1 do sim[i] = at(sim[1][1] + (sim[i][1] - sim[1][1]) * d) end end
      nit = nit + 1
      ordered()
      if o.callback and o.callback(sim[1][1], sim[1][2]) == true then status = 99 break end
    end
    return { x = sim[1][1], fun = sim[1][2], nit = nit, nfev = O.nfev, status = status, success = status == 0,
      message = MESSAGES[status] }
  end

  -- ---- minimize -----------------------------------------------------------------------------------------------------
  local METHODS = { ["nelder-mead"] = { adaptive = "boolean", xatol = "number", fatol = "number", maxfev = "integer" },
    slsqp = { ftol = "number", eps = "number" }, ["trust-constr"] = { xtol = "number" }, cg = {}, bfgs = {},
    ["newton-cg"] = { xtol = "number" }, ["l-bfgs-b"] = { maxcor = "integer", ftol = "number" } }
  local COMMON = { maxiter = "integer", gtol = "number", c1 = "number", c2 = "number", disp = "boolean" }

  local constrained = require("theano.ndconstrained")(nd)
  M.LinearConstraint, M.NonlinearConstraint = constrained.LinearConstraint, constrained.NonlinearConstraint
  M.Bounds = constrained.Bounds

  local function limits(bounds, n)
    local low, high = nd.full({ n }, -math.huge), nd.full({ n }, math.huge)
    for i, pair in ipairs(util.list("minimize: bounds", bounds)) do
      if i > n then util.raise("ValueError", "minimize: bounds for more than %d variables", n) end
      low[i - 1], high[i - 1] = help.bounds("minimize", i, pair)
      if low[i - 1] > high[i - 1] then util.raise("ValueError", "minimize: bounds %d are crossed", i) end
    end
    return low, high
  end

  local ORDER = { "fun", "x0", "args", "method", "jac", "hess", "hessp", "bounds", "constraints", "tol", "callback",
    "options", method = "string", jac = "function|boolean", hess = "function", hessp = "function",
    bounds = "table", tol = "number", callback = "function", options = "table" }

  local function settings(method, given, tol)
    local known = {}
    for _, list in ipairs({ COMMON, METHODS[method] }) do for k, v in pairs(list) do known[k] = v end end
    util.check_keywords("minimize: options", given, known)
    local o = { gtol = 1e-5, c1 = 1e-4, c2 = method == "cg" and 0.4 or 0.9, xtol = 1e-5, xatol = 1e-4, fatol = 1e-4 }
    if method == "l-bfgs-b" then o.ftol, o.maxcor = 2.220446049250313e-09, 10 end
    if tol then o.gtol, o.xtol, o.xatol, o.fatol, o.ftol = tol, tol, tol, tol, o.ftol and tol end
    for k, v in pairs(given) do o[k] = v end
    return o
  end

  -- Under constraints, of which there may be none, and bounds.
  local function under(g, x, args, o)
    local low, high
    if g.bounds then
      low, high = limits(g.bounds, x.size)
      x = nd.maximum(nd.minimum(x, high), low)
    end
    local function inner(O, from, how)
      how.c1, how.c2, how.ftol, how.callback = o.c1, o.c2, 1e-15, o.callback
      if low then return bounded(O, from, how, low, high, 10) end
      how.ftol = nil
      return descend(O, from, from.size <= 200 and bfgs(from.size) or lbfgs(from.size, 10), how)
    end
    local r = constrained.solve(g.fun, x, args, g.jac, g.constraints or {}, inner, { gtol = math.min(o.gtol, 1e-6),
      ctol = 1e-8, maxiter = o.maxiter or 10000 })
    r.success, r.message = r.status == 0, MESSAGES[r.status]
    return r
  end

  --- `minimize(fun, x0, {args, method, jac, hess, hessp, bounds, constraints, tol, callback, options})`: where a
  -- function of a vector is least. Where fun builds a graph of a Variable its gradient comes from it, else from
  -- differences, or from jac. Methods: "BFGS" (the default), "L-BFGS-B" (the default with bounds, `{{low, high}, ..}`),
  -- "CG", "Newton-CG", "Nelder-Mead"; with constraints "SLSQP" (the default) and "trust-constr": one or a list of
  -- `{type = "eq" or "ineq", fun, jac, args}` (0, or not below 0), LinearConstraint and NonlinearConstraint. Options:
  -- maxiter, gtol, and by method xtol, ftol, maxcor, xatol, fatol, maxfev, adaptive. The callback gets the place and
  -- the value of each step; true ends it. Gives a table: `x fun jac nit nfev njev success status message`.
  function M.minimize(...)
    local g = util.bind("minimize", ORDER, ...)
    local method = (g.method or (g.constraints and "SLSQP" or g.bounds and "L-BFGS-B" or "BFGS")):lower()
    local free = method ~= "slsqp" and method ~= "trust-constr"
    if not METHODS[method] then
      util.raise("ValueError", "minimize: the method is 'BFGS', 'L-BFGS-B', 'CG', 'Newton-CG', 'Nelder-Mead', 'SLSQP' "
        .. "or 'trust-constr', not '%s'", g.method)
    end
    if g.constraints and free then
      util.raise("ValueError", "minimize: constraints are for the methods 'SLSQP' and 'trust-constr', not '%s'",
        g.method)
    end
    if g.bounds and free and method ~= "l-bfgs-b" then
      util.raise("ValueError", "minimize: bounds are for the methods 'L-BFGS-B', 'SLSQP' and 'trust-constr', not '%s'",
        g.method)
    end
    local args = objective.args("minimize", g.args)
    local x, o = objective.vector("minimize", g.x0), settings(method, g.options or {}, g.tol)
    o.callback = g.callback
    util.expect("minimize", "fun", g.fun, "function")
    if not free then return under(g, x, args, o) end
    local O = objective.scalar("minimize", g.fun, args, g.jac, x.size)
    if x.size == 0 then
      return { x = x, fun = O.value(x), jac = x, nit = 0, nfev = O.nfev, njev = 0, status = 0, success = true,
        message = MESSAGES[0] }
    end
    if method == "nelder-mead" then return nelder_mead(O, x, o) end
    o.maxiter = o.maxiter or (method == "l-bfgs-b" and 15000 or 200 * x.size)
    if method == "newton-cg" then
      local times = not O.conjugate and O.times
      if g.hessp then times = function(v, d) return nd.asarray(g.hessp(v, d, table.unpack(args))) end
      elseif g.hess then times = function(v, d) return nd.asarray(g.hess(v, table.unpack(args))):dot(d) end end
      return newton(O, x, o, times and with_products(times) or O.conjugate)
    end
    if g.bounds then
      local low, high = limits(g.bounds, x.size)
      return bounded(O, x, o, low, high, o.maxcor)
    end
    local S = method == "bfgs" and bfgs(x.size) or method == "cg" and cg() or lbfgs(x.size, o.maxcor)
    local r = descend(O, x, S, o)
    if S.finish then S.finish(r) end
    return r
  end

  return M
end
