--- `nd.optimize`: SciPy's optimize on arrays: where functions are least (theano.ndminimize), where they are zero, least
-- squares. Derivatives come from a graph where a function builds one (theano.ndobjective).
-- @module theano.ndarray.optimize
local core = require("theano.core")
local objective = require("theano.ndobjective")
local util = require("theano.util")

return function(nd)
  local arr = core.asarray
  local M = require("theano.ndminimize")(nd)

  -- ---- functions of one number --------------------------------------------------------------------------------------
  local TOLERANCES = { xtol = 2e-12, rtol = 4 * 2.0 ^ -52, maxiter = 100 }
  local SCALAR = { "f", "a", "b", "args", "xtol", "rtol", "maxiter", "full_output", "disp", xtol = "number",
    rtol = "number", maxiter = "integer", full_output = "boolean", disp = "boolean" }

  -- What the finders of zeros share: arguments, counting, the bracket, the result.
  local function bracketing(what, find, more)
    local known = SCALAR
    if more then -- keywords of its own, behind the others
      known = { table.unpack(SCALAR) }
      for k, v in pairs(SCALAR) do known[k] = v end
      for _, name in ipairs(more) do known[#known + 1], known[name] = name, more[name] end
    end
    return function(...)
      local o = util.bind(what, known, ...)
      util.expect(what, "f", o.f, "function")
      util.expect(what, "a", o.a, "number")
      util.expect(what, "b", o.b, "number")
      local args = objective.args(what, o.args)
      for name, v in pairs(TOLERANCES) do if o[name] == nil then o[name] = v end end
      if more then o.k = o.k or 1 end
      if (o.k or 1) < 1 then util.raise("ValueError", "%s: k is %d, at least 1 is expected", what, o.k) end
      if o.xtol <= 0 then util.raise("ValueError", "%s: xtol is %g, more than 0 is expected", what, o.xtol) end
      if o.rtol < TOLERANCES.rtol then
        util.raise("ValueError", "%s: rtol is %g, at least %g is expected", what, o.rtol, TOLERANCES.rtol)
      end
      local calls = 0
      local function f(x)
        calls = calls + 1
        local y = o.f(x, table.unpack(args))
        if type(y) ~= "number" then
          util.raise("TypeError", "%s: the function gives a number, not %s", what, util.kind_of(y))
        elseif y ~= y then util.raise("ValueError", "%s: the function is NaN at %s", what, util.text(x)) end
        return y
      end
      local a, b = o.a + 0.0, o.b + 0.0
      local fa, fb = f(a), f(b)
      if fa * fb > 0 then
        util.raise("ValueError", "%s: f(a) and f(b) must have different signs, they are %s and %s", what,
          util.text(fa), util.text(fb))
      end
      local root, iterations, converged = fa == 0 and a or b, 0, true
      if fa ~= 0 and fb ~= 0 then root, iterations, converged = find(f, a, b, fa, fb, o) end
      if not converged and o.disp ~= false then
        util.raise("RuntimeError", "%s: no zero was found in %d iterations: %s", what, o.maxiter, util.text(root))
      end
      if not o.full_output then return root end
      return root, { root = root, iterations = iterations, function_calls = calls, converged = converged,
        flag = converged and "converged" or "convergence error" }
    end
  end

  -- Brent's method.
  local function brent(what, extrapolated)
    return bracketing(what, function(f, before, x, fbefore, fx, o)
      local other, fother, step, last = before, fbefore, x - before, x - before
      for i = 1, o.maxiter do
        if fbefore ~= 0 and (fbefore < 0) ~= (fx < 0) then
          other, fother = before, fbefore
          step = x - before
          last = step
        end
        if math.abs(fother) < math.abs(fx) then
          before, x, other = x, other, x
          fbefore, fx, fother = fx, fother, fx
        end
        local near = (o.xtol + o.rtol * math.abs(x)) / 2
        local half = (other - x) / 2
        if fx == 0 or math.abs(half) < near then return x, i, true end
        if math.abs(last) > near and math.abs(fx) < math.abs(fbefore) then
          local try
          if before == other then try = -fx * (x - before) / (fx - fbefore)
          else
            local d1, d2 = (fbefore - fx) / (before - x), (fother - fx) / (other - x)
            try = extrapolated(fx, fbefore, fother, d1, d2)
          end
          if 2 * math.abs(try) < math.min(math.abs(last), 3 * math.abs(half) - near) then last, step = step, try
          else last, step = half, half end
        else last, step = half, half end
        before, fbefore = x, fx
        x = x + (math.abs(step) > near and step or half > 0 and near or -near)
        fx = f(x)
      end
      return x, o.maxiter, false
    end)
  end
  -- `brentq(f, a, b, {args, xtol, rtol, maxiter, full_output})`: a zero of a function of a number between a and b,
  -- where it changes sign, by Brent's method.
  M.brentq = brent("brentq", function(fx, fbefore, fother, d1, d2)
    return -fx * (fother * d2 - fbefore * d1) / (d2 * d1 * (fother - fbefore))
  end)
  -- `brenth(f, a, b, {args, xtol, rtol, maxiter, full_output})`: the same with hyperbolas.
  M.brenth = brent("brenth", function(fx, fbefore, fother, d1, d2)
    return -fx * (fother - fbefore) / (fother * d1 - fbefore * d2)
  end)
  -- `bisect(f, a, b, {args, xtol, rtol, maxiter, full_output})`: the same by halves.
  M.bisect = bracketing("bisect", function(f, a, b, fa, _, o)
    local width = b - a
    for i = 1, o.maxiter do
      width = width / 2
      local middle = a + width
      local fm = f(middle)
      if fm * fa >= 0 then a = middle end
      if fm == 0 or math.abs(width) < o.xtol + o.rtol * math.abs(middle) then return middle, i, true end
    end
    return a, o.maxiter, false
  end)

  -- A zero of f near x by Newton's method, Halley's with a second derivative, or from x and `before` by secants: where,
  -- whether it was found, rounds. Near is within tol + rtol |x|.
  local function zero_near(f, fprime, x, before, tol, most, fprime2, rtol)
    local fx, fbefore = f(x), nil
    if not fprime then
      fbefore = f(before)
      if math.abs(fbefore) < math.abs(fx) then x, before, fx, fbefore = before, x, fbefore, fx end
    end
    for i = 1, most do
      if fx == 0 then return x, true, i - 1 end
      local slope = fprime and fprime(x) or not fprime and (fx - fbefore) / (x - before)
      if slope == 0 then util.raise("RuntimeError", "newton: the derivative is 0 at %s", util.text(x)) end
      local step = fx / slope
      local bend = fprime2 and step * fprime2(x) / slope / 2 or 0
      if bend ~= 0 and math.abs(bend) < 1 then step = step / (1 - bend) end
      local next_ = x - step
      if math.abs(next_ - x) <= tol + (rtol or 0) * math.abs(x) then return next_, true, i end
      before, fbefore, x = x, fx, next_
      fx = f(x)
    end
    return x, false, most
  end
  local function second(x) return x * (1 + 1e-4) + (x >= 0 and 1e-4 or -1e-4) end

  --- `newton(func, x0, {fprime, args, tol, maxiter, fprime2, x1, rtol})`: a zero of a function of a number near x0, by
  -- Newton's method with fprime, Halley's with fprime2 too, else by secants.
  function M.newton(...)
    local o = util.bind("newton", { "func", "x0", "fprime", "args", "tol", "maxiter", "fprime2", "x1", "rtol",
      x0 = "number", fprime = "function", tol = "number", maxiter = "integer", fprime2 = "function", x1 = "number",
      rtol = "number" }, ...)
    util.expect("newton", "func", o.func, "function")
    util.expect("newton", "x0", o.x0, "number")
    if o.tol and o.tol <= 0 then util.raise("ValueError", "newton: tol is %g, more than 0 is expected", o.tol) end
    local args, most = objective.args("newton", o.args), o.maxiter or 50
    local function of(fn)
      return fn and function(x) return objective.number("newton", fn(x, table.unpack(args))) end
    end
    local x, found = zero_near(of(o.func), of(o.fprime), o.x0 + 0.0, o.x1 or second(o.x0 + 0.0), o.tol or 1.48e-8, most,
      of(o.fprime2), o.rtol)
    if found then return x end
    return util.raise("RuntimeError", "newton: no zero was found in %d iterations: %s", most, util.text(x))
  end

  local ROOT = { "f", "args", "method", "bracket", "fprime", "fprime2", "x0", "x1", "xtol", "rtol", "maxiter",
    method = "string", bracket = "table|ndarray", fprime = "function", fprime2 = "function", x0 = "number",
    x1 = "number", xtol = "number", rtol = "number", maxiter = "integer" }
  local BETWEEN = util.set({ "brentq", "brenth", "ridder", "bisect", "toms748" })
  -- The function and the first `order` derivatives of a function that builds a graph of a number; nil where it builds
  -- none.
  local function slopes_of(f, args, order)
    local _, T = objective.modules()
    local x = T.dscalar("x")
    local fine, y = pcall(f, x, table.unpack(args))
    if not fine or not util.is_var(y) or y.ndim ~= 0 then return nil end
    local parts = objective.once("slope" .. order, { y }, function()
      local compiled = {}
      for k = 0, order do
        if k > 0 then y = T.grad(y, x, { disconnected_inputs = "ignore" }) end
        compiled[k + 1] = objective.compile { inputs = { x }, outputs = y }
      end
      return compiled
    end)
    return table.unpack(parts)
  end
  -- What is known near x0: the method, the function, its derivatives, and whether these take the arguments.
  local function near_of(o, method, args)
    local f, fprime, fprime2 = o.f, o.fprime, o.fprime2
    local order = method == "halley" and 2 or method == "newton" and 1 or 0
    if order == 0 then return method, f end
    if not fprime or (order == 2 and not fprime2) then
      f, fprime, fprime2 = slopes_of(f, args, order)
      if f then return method, f, fprime, fprime2, true end
      if o.method then
        util.raise("ValueError", "root_scalar: %s method takes %s, where f builds no graph of a number",
          order == 2 and "Halley's" or "Newton's", order == 2 and "fprime and fprime2" or "fprime")
      end
      return "secant", o.f
    end
    return method, f, fprime, order == 2 and fprime2 or nil
  end
  --- `root_scalar(f, {args, method, bracket, fprime, fprime2, x0, x1, xtol, rtol, maxiter})`: a zero of a function of a
  -- number: methods "brentq", "brenth", "ridder", "bisect" and "toms748" in a bracket `{a, b}`, "newton" and "halley"
  -- from x0 with fprime (and fprime2), or the derivatives of the graph that f builds, "secant" from x0 (and x1); the
  -- first that what is given is enough for. A table: `root converged iterations function_calls flag method`.
  function M.root_scalar(...)
    local o = util.bind("root_scalar", ROOT, ...)
    util.expect("root_scalar", "f", o.f, "function")
    local args, calls = objective.args("root_scalar", o.args), 0
    local method = o.method or o.bracket and "brentq"
      or o.x0 and (o.fprime and o.fprime2 and "halley" or o.x1 and "secant" or "newton")
    if not method then util.raise("ValueError", "root_scalar: a bracket or x0 is to be given") end
    method = method:lower()
    local r
    if BETWEEN[method] then
      local ends = o.bracket and arr(o.bracket):tolist() or {}
      if #ends ~= 2 then util.raise("ValueError", "root_scalar: '%s' takes a bracket of two numbers", method) end
      r = select(2, M[method](o.f, ends[1], ends[2], { args = args, xtol = o.xtol, rtol = o.rtol, maxiter = o.maxiter,
        full_output = true, disp = false }))
    elseif method == "newton" or method == "secant" or method == "halley" then
      if not o.x0 then util.raise("ValueError", "root_scalar: '%s' takes x0", method) end
      local f, fprime, fprime2, bare
      method, f, fprime, fprime2, bare = near_of(o, method, args)
      local more = bare and {} or args
      local function of(fn)
        return fn and function(x)
          calls = calls + 1
          return objective.number("root_scalar", fn(x, table.unpack(more)))
        end
      end
      local x = o.x0 + 0.0
      local root, found, rounds = zero_near(of(f), of(fprime), x, o.x1 or second(x), o.xtol or 1.48e-8,
        o.maxiter or 50, of(fprime2), o.rtol)
      r = { root = root, iterations = rounds, function_calls = calls, converged = found,
        flag = found and "converged" or "convergence error" }
    else
      util.raise("ValueError", "root_scalar: the method is 'brentq', 'brenth', 'ridder', 'bisect', 'toms748', "
        .. "'newton', 'halley' or 'secant', not '%s'", method)
    end
    r.method = method
    return r
  end

  local GOLD = (3 - math.sqrt(5)) / 2
  -- Brent's minimum between a and b.
  local function least_between(f, a, b, xtol, most)
    local x = a + GOLD * (b - a)
    local w, v = x, x
    local fx = f(x)
    local fw, fv, step, last, nfev = fx, fx, 0.0, 0.0, 1
    for i = 1, most do
      local middle = (a + b) / 2
      local tol = math.sqrt(2.0 ^ -52) * math.abs(x) + xtol / 3
      if math.abs(x - middle) <= 2 * tol - (b - a) / 2 then return x, fx, i, nfev, true end
      local golden = true
      if math.abs(last) > tol then -- a parabola through three places
        local r, q = (x - w) * (fx - fv), (x - v) * (fx - fw)
        local p = (x - v) * q - (x - w) * r
        q = 2 * (q - r)
        if q > 0 then p = -p end
        q = math.abs(q)
        if math.abs(p) < math.abs(0.5 * q * last) and p > q * (a - x) and p < q * (b - x) then
          last, step, golden = step, p / q, false
          if x + step - a < 2 * tol or b - x - step < 2 * tol then step = x < middle and tol or -tol end
        end
      end
      if golden then
        last = x >= middle and a - x or b - x
        step = GOLD * last
      end
      local u = x + (math.abs(step) >= tol and step or step > 0 and tol or -tol)
      local fu = f(u)
      nfev = nfev + 1
      if fu <= fx then
        if u >= x then a = x else b = x end
        v, fv, w, fw, x, fx = w, fw, x, fx, u, fu
      else
        if u < x then a = u else b = u end
        if fu <= fw or w == x then v, fv, w, fw = w, fw, u, fu
        elseif fu <= fv or v == x or v == w then v, fv = u, fu end
      end
    end
    return x, fx, most, nfev, false
  end

  -- A bracket around a minimum: downhill from two places with growing steps.
  local function bracket(f, a, b)
    local fa, fb = f(a), f(b)
    if fa < fb then a, b, fb = b, a, fa end
    local c = b + 1.618034 * (b - a)
    local fc = f(c)
    for _ = 1, 1000 do
      if fc ~= fc or fc >= fb then return math.min(a, c), math.max(a, c) end
      a, b, fb = b, c, fc
      c = b + 1.618034 * (b - a)
      fc = f(c)
    end
    return util.raise("RuntimeError", "minimize_scalar: the function falls without end")
  end

  --- `minimize_scalar(fun, {bracket, bounds, args, method, tol, options})`: where a function of a number is least, by
  -- Brent's method ("brent"), within bounds ("bounded") where they are given. A table: `x fun nit nfev success
  -- message`.
  function M.minimize_scalar(...)
    local o = util.bind("minimize_scalar", { "fun", "bracket", "bounds", "args", "method", "tol", "options",
      bracket = "table", bounds = "table", method = "string", tol = "number", options = "table" }, ...)
    util.expect("minimize_scalar", "fun", o.fun, "function")
    local args, given = objective.args("minimize_scalar", o.args), o.options or {}
    util.check_keywords("minimize_scalar: options", given, { maxiter = "integer", xtol = "number", xatol = "number",
      disp = "boolean" })
    local method = (o.method or (o.bounds and "bounded" or "brent")):lower()
    if method ~= "brent" and method ~= "bounded" then
      util.raise("ValueError", "minimize_scalar: the method is 'brent' or 'bounded', not '%s'", o.method)
    end
    if (method == "bounded") ~= (o.bounds ~= nil) then
      util.raise("ValueError", "minimize_scalar: the method 'bounded' takes bounds, and no other does")
    end
    local calls = 0
    local function f(x)
      calls = calls + 1
      return objective.number("minimize_scalar", o.fun(x, table.unpack(args)))
    end
    local a, b
    local from = o.bounds or o.bracket or { 0.0, 1.0 }
    if type(from) ~= "table" or type(from[1]) ~= "number" or type(from[#from]) ~= "number" then
      util.raise("TypeError", "minimize_scalar: bounds, and a bracket, are numbers in a sequence")
    end
    if o.bounds then a, b = objective.number("minimize_scalar", from[1]), objective.number("minimize_scalar", from[2])
    else
      a, b = bracket(f, from[1] + 0.0, from[#from] + 0.0)
    end
    if a > b then util.raise("ValueError", "minimize_scalar: the bounds are crossed") end
    local tol = o.tol or given.xatol or given.xtol or (o.bounds and 1e-5 or 1.48e-8)
    local x, y, nit, _, fine = least_between(f, a, b, tol, given.maxiter or 500)
    return { x = x, fun = y, nit = nit, nfev = calls, success = fine, status = fine and 0 or 1,
      message = fine and "Solution found." or "Maximum number of iterations has been exceeded." }
  end

  -- ---- least squares ------------------------------------------------------------------------------------------------
  local kept -- the compiled parts of a step
  -- linear: of a Jacobian J and residuals r at x its triangular factor and the residuals turned alike, without what a
  -- bound holds; the gradient, the scales of the variables, how far the gradient would go within the bounds, what is
  -- free. step: of these and a damping the next place, what it promises, and how far it is.
  local function parts()
    if kept then return kept end
    local _, T = objective.modules()
    local J, r, x, scale = T.dmatrix("J"), T.dvector("r"), T.dvector("x"), T.dvector("scale")
    local low, high = T.dvector("low"), T.dvector("high")
    local R, b, D, free, damp = T.dmatrix("R"), T.dvector("b"), T.dvector("D"), T.dvector("free"), T.dscalar("damp")
    local function inside(v) return T.maximum(T.minimum(v, high), low) end
    local g = T.dot(J.T, r)
    local size = T.maximum(scale, T.sqrt(T.sum(J * J, { axis = 0 })))
    local loose = T.switch(T.or_(T.and_(T.le(x, low), T.gt(g, 0)), T.and_(T.ge(x, high), T.lt(g, 0))), 0.0, 1.0)
    local q, upper = T.nlinalg.qr(J * loose)
    local linear = objective.compile { inputs = { J, r, x, low, high, scale }, outputs = { upper, T.dot(q.T, r), g,
      T.switch(T.gt(size, 0), size, 1.0), T.max(T.abs(inside(x - g) - x)), loose } }
    local q2, R2 = T.nlinalg.qr(T.concatenate({ R, T.diag(D * T.sqrt(damp)) }, 0))
    local solved = T.slinalg.solve_upper_triangular(R2, T.dot(q2.T, T.concatenate({ b, T.zeros_like(x) }, 0)))
    local at = inside(x - solved * free)
    local p = at - x
    local way = T.dot(R, p)
    local step = objective.compile { inputs = { R, b, D, free, damp, x, low, high }, outputs = { at,
      -(T.dot(b, way) + 0.5 * T.dot(way, way)), T.sqrt(T.dot(p, p)), T.sqrt(T.dot(x, x)) } }
    kept = { linear = linear, step = step }
    return kept
  end

  -- Levenberg's and Marquardt's method, within bounds.
  local function squares(what, O, x, o)
    local r = O.value(x)
    if not nd.all(nd.isfinite(r)) then
      util.raise("ValueError", "%s: the residuals are not finite at the start", what)
    end
    local J = O.jacobian(x)
    local n, damp, P = x.size, 1e-3, parts()
    local cost, scale = r:dot(r) / 2, nd.zeros(n)
    local status, nit = 0, 0
    while true do
      local R, b, g, size, free
      if n == 0 or not nd.all(nd.isfinite(J)) then
        return x, r, J, n == 0 and x or J.T:dot(r), n == 0 and 1 or 0, nit
      end
      R, b, g, scale, size, free = P.linear(J, r, x, o.low, o.high, scale)
      if size <= o.gtol then status = 1 break end
      local done = false
      while not done do
        if O.nfev >= o.max_nfev then return x, r, J, g, 0, nit end
        local at, hoped, far, length = P.step(R, b, scale, free, damp, x, o.low, o.high)
        local next_ = O.value(at)
        local better = next_:dot(next_) / 2
        local ratio = hoped > 0 and (cost - better) / hoped or -1
        local small = far <= o.xtol * (o.xtol + length)
        if better < cost then
          local gain = cost - better
          x, r, done = at, next_, true
          damp = math.max(damp * math.max(1 / 3, 1 - (2 * ratio - 1) ^ 3), 1e-15)
          if ratio > 0.9 then damp = math.max(damp / 3, 1e-15) end
          if gain <= o.ftol * cost and ratio > 0.25 then status = small and 4 or 2 end
          cost = better
        else damp = damp * (ratio ~= ratio and 10 or 4) end
        if small and status == 0 then status = 3 end
        if damp > 1e20 then status = 2 end
        if status > 0 then break end
      end
      nit = nit + 1
      if done then J = O.jacobian(x) end
      if status > 0 then break end
    end
    return x, r, J, J.T:dot(r), status, nit
  end

  -- Bounds `{low, high}` of n variables, numbers or vectors.
  local function limits(what, bounds, n)
    local out = {}
    if bounds ~= nil then
      util.expect(what, "bounds", bounds, "table")
      util.list(what .. ": bounds", bounds)
      if #bounds ~= 2 then util.raise("ValueError", "%s: bounds are {low, high}, not %d entries", what, #bounds) end
    end
    for i, far in ipairs({ -math.huge, math.huge }) do
      local v = bounds and bounds[i]
      local a = nd.atleast_1d(arr(v or far)):astype("float64")
      if a.ndim ~= 1 or a.size ~= 1 and a.size ~= n then
        util.raise("ValueError", "%s: %d bounds for %d variables", what, a.size, n)
      end
      out[i] = nd.broadcast_to(a, { n }):copy()
    end
    if not nd.all(nd.le(out[1], out[2])) then util.raise("ValueError", "%s: the bounds are crossed", what) end
    return out[1], out[2]
  end

  local REASONS = { [0] = "The maximum number of function evaluations is exceeded.",
    "`gtol` termination condition is satisfied.", "`ftol` termination condition is satisfied.",
    "`xtol` termination condition is satisfied.", "Both `ftol` and `xtol` termination conditions are satisfied." }
  local LEAST = { "fun", "x0", "jac", "bounds", "method", "ftol", "xtol", "gtol", "max_nfev", "args",
    jac = "function|boolean", method = "string", ftol = "number", xtol = "number", gtol = "number",
    max_nfev = "integer" }
  local function tolerance(what, name, v, otherwise)
    v = v or otherwise
    if v < 0 or v ~= v then
      util.raise("ValueError", "%s: %s is %s, not below 0 is expected", what, name, util.text(v))
    end
    return v
  end
  -- What least_squares gives, of an objective.
  local function solve(what, O, x, o, otherwise)
    local low, high = limits(what, o.bounds, x.size)
    if nd.any(nd.or_(nd.lt(x, low), nd.gt(x, high))) then
      util.raise("ValueError", "%s: x0 is out of bounds", what)
    end
    local options = { low = low, high = high, max_nfev = o.max_nfev or 100 * (x.size + 1) }
    for _, name in ipairs({ "ftol", "xtol", "gtol" }) do options[name] = tolerance(what, name, o[name], otherwise) end
    local r, J, g, status
    x, r, J, g, status = squares(what, O, x, options)
    return { x = x, cost = r:dot(r) / 2, fun = r, jac = J, grad = g,
      optimality = x.size > 0 and nd.max(nd.abs(g)) or 0.0, nfev = O.nfev, njev = O.njev, status = status,
      success = status > 0, message = REASONS[status] }
  end

  --- `least_squares(fun, x0, {jac, bounds, method, ftol, xtol, gtol, max_nfev, args})`: where the sum of squares of
  -- what fun gives is least, by Levenberg's and Marquardt's method. bounds: `{low, high}`, numbers or vectors. A table:
  -- `x cost fun jac grad optimality nfev njev status success message`.
  function M.least_squares(...)
    local o = util.bind("least_squares", LEAST, ...)
    local what, method = "least_squares", o.method or "trf"
    if method ~= "lm" and method ~= "trf" and method ~= "dogbox" then
      util.raise("ValueError", "least_squares: the method is 'trf', 'dogbox' or 'lm', not '%s'", method)
    end
    local x = objective.vector(what, o.x0)
    return solve(what, objective.vectors(what, o.fun, objective.args(what, o.args), o.jac), x, o, 1e-8)
  end

  -- A start within bounds.
  local function between(low, high)
    local out = {}
    for i = 0, low.size - 1 do
      local a, b = low[i], high[i]
      local bounded = a > -math.huge and b < math.huge
      out[i + 1] = bounded and (a + b) / 2 or a > -math.huge and a + 1 or b < math.huge and b - 1 or 1.0
    end
    return nd.array(out):astype("float64")
  end
  -- What differences from ydata are multiplied by: one over each uncertainty, or of a matrix of covariances the inverse
  -- of its triangular factor.
  local function weights_of(sigma, m)
    sigma = arr(sigma):astype("float64")
    local n = sigma.ndim <= 1 and sigma.size or sigma.ndim == 2 and sigma.shape[1] == sigma.shape[2] and sigma.shape[1]
    if n ~= m and sigma.size ~= 1 then
      util.raise("ValueError", "curve_fit: sigma has %d uncertainties, or is a matrix of so many rows and columns", m)
    end
    if sigma.ndim < 2 or sigma.size == 1 then return 1.0 / sigma:reshape({ -1 }) end
    return nd.linalg.solve_triangular(nd.linalg.cholesky(sigma), nd.eye(m), { lower = true })
  end
  --- `curve_fit(f, xdata, ydata, {p0, sigma, absolute_sigma, bounds, method, maxfev, jac})`: the parameters with which
  -- f(x, a, b, ..) is nearest to ydata, and their covariances. sigma: the uncertainties of ydata, one for each, or the
  -- matrix of their covariances. Every method ("lm", "trf", "dogbox") is Levenberg's and Marquardt's; "lm" has no
  -- bounds.
  function M.curve_fit(...)
    local o = util.bind("curve_fit", { "f", "xdata", "ydata", "p0", "sigma", "absolute_sigma", "bounds", "method",
      "maxfev", "jac", absolute_sigma = "boolean", method = "string", maxfev = "integer", jac = "function" }, ...)
    if o.method and o.method ~= "lm" and o.method ~= "trf" and o.method ~= "dogbox" then
      util.raise("ValueError", "curve_fit: the method is 'lm', 'trf' or 'dogbox', not '%s'", o.method)
    elseif o.method == "lm" and o.bounds ~= nil then
      util.raise("ValueError", "curve_fit: the method 'lm' has no bounds: 'trf' and 'dogbox' do")
    end
    util.expect("curve_fit", "f", o.f, "function")
    local n = debug.getinfo(util.written(o.f), "u").nparams - 1
    local p = o.p0 ~= nil and objective.vector("curve_fit", o.p0) or nil
    if not p then
      if n < 1 then util.raise("ValueError", "curve_fit: how many parameters f has is not known: p0 tells it") end
      p = between(limits("curve_fit", o.bounds, n))
    end
    n = p.size
    local data = { arr(o.ydata):astype("float64"):reshape({ -1 }) }
    if data[1].size == 0 then util.raise("ValueError", "curve_fit: ydata is empty") end
    if o.sigma ~= nil then data[2] = weights_of(o.sigma, data[1].size) end
    local matrix = o.sigma ~= nil and data[2].ndim == 2
    local places = not util.is_var(o.xdata)
    if places then data[#data + 1] = arr(o.xdata) end
    local function parameters(v)
      local list = {}
      for i = 1, n do list[i] = v[i - 1] end
      return table.unpack(list)
    end
    local function rest(v, ys, ...)
      local weights, xs
      if o.sigma ~= nil then weights, xs = ... else xs = ... end
      if not places then xs = o.xdata end
      local d = o.f(xs, parameters(v)) - ys
      if matrix then return weights:dot(d) end
      return weights and d * weights or d
    end
    local function jac(v)
      local J = arr(o.jac(data[#data], parameters(v)))
      if matrix then return data[2]:dot(J) end
      return o.sigma ~= nil and J * data[2]:reshape({ -1, 1 }) or J
    end
    local O = objective.vectors("curve_fit", rest, {}, o.jac and jac or nil, data)
    local r = solve("curve_fit", O, p, { bounds = o.bounds, max_nfev = o.maxfev }, 1e-12)
    if not r.success then
      util.raise("RuntimeError", "curve_fit: no optimal parameters were found: %s", r.message)
    end
    local m = data[1].size
    if nd.linalg.matrix_rank(r.jac) < n then return r.x, nd.full({ n, n }, math.huge) end
    local cov = nd.linalg.inv(r.jac.T:dot(r.jac))
    if not (o.absolute_sigma and o.sigma ~= nil) then
      if m <= n then return r.x, nd.full({ n, n }, math.huge) end
      cov = cov * (2 * r.cost / (m - n))
    end
    return r.x, cov
  end

  --- `root(fun, x0, {args, method, jac, tol, options})`: where a function of a vector that gives as many numbers is
  -- zero. A table: `x fun jac nfev njev success message`. Both methods, "hybr" and "lm", are Levenberg's and
  -- Marquardt's here.
  function M.root(...)
    local o = util.bind("root", { "fun", "x0", "args", "method", "jac", "tol", "options", method = "string",
      jac = "function|boolean", tol = "number", options = "table" }, ...)
    if o.method and o.method ~= "hybr" and o.method ~= "lm" then
      util.raise("ValueError", "root: the method is 'hybr' or 'lm', not '%s'", o.method)
    end
    util.check_keywords("root: options", o.options or {}, { maxfev = "integer", xtol = "number" })
    local x = objective.vector("root", o.x0)
    local O = objective.vectors("root", o.fun, objective.args("root", o.args), o.jac)
    local tol = o.tol or o.options and o.options.xtol or 1.49012e-08
    local low, high = limits("root", nil, x.size)
    local at, r, J, _, status = squares("root", O, x, { ftol = 2.0 ^ -52, xtol = math.min(tol, 1e-10), gtol = 0.0,
      low = low, high = high, max_nfev = o.options and o.options.maxfev or 200 * (x.size + 1) })
    x = at
    if r.size ~= x.size then
      util.raise("TypeError", "root: the function of %d numbers gives %d", x.size, r.size)
    end
    local size = x.size > 0 and nd.max(nd.abs(r)) or 0.0
    local fine = status > 0 and size <= math.sqrt(tol) * (1 + nd.max(nd.abs(J)) * nd.max(nd.abs(x)))
    return { x = x, fun = r, jac = J, nfev = O.nfev, njev = O.njev, success = fine, status = fine and 1 or 5,
      message = fine and "The solution converged." or "The iteration is not making good progress." }
  end
  --- `fsolve(func, x0, {args, fprime})`: the same, and only the place.
  function M.fsolve(...)
    local o = util.bind("fsolve", { "func", "x0", "args", "fprime", fprime = "function" }, ...)
    local r = M.root(o.func, o.x0, { args = o.args, jac = o.fprime })
    if not r.success then util.raise("RuntimeError", "fsolve: %s", r.message) end
    return r.x
  end

  --- `nnls(A, b, {maxiter})`: the x of numbers not below 0 for which A x is nearest to b, and how far off that is, by
  -- Lawson's and Hanson's method.
  function M.nnls(...)
    local o = util.bind("nnls", { "A", "b", "maxiter", maxiter = "integer" }, ...)
    local A, b = arr(o.A):astype("float64"), arr(o.b):astype("float64")
    if A.ndim ~= 2 or b.ndim ~= 1 or A.shape[1] ~= b.size then
      util.raise("ValueError", "nnls: a matrix, and a vector as long as it has rows, are expected")
    end
    if not nd.all(nd.isfinite(A)) or not nd.all(nd.isfinite(b)) then
      util.raise("ValueError", "nnls: there are infinities or NaN")
    end
    local n = A.shape[2]
    local x, inside, most = nd.zeros(n), {}, o.maxiter or 3 * n
    local near = 10 * math.max(A.shape[1], n) * 2.0 ^ -52 * (A.size > 0 and nd.linalg.norm(A, 1) or 0.0)
    local function chosen()
      local list = {}
      for i = 0, n - 1 do if inside[i] then list[#list + 1] = i end end
      return list
    end
    -- Least squares in the columns that are inside alone.
    local function nearest()
      local list, s = chosen(), nd.zeros(n)
      if #list > 0 then s[nd.array(list)] = (nd.linalg.lstsq(nd.take(A, list, 1), b)) end
      return s, list
    end
    local rounds = 0
    while true do
      local slope, best, at = A.T:dot(b - A:dot(x)), near, nil
      for i = 0, n - 1 do if not inside[i] and slope[i] > best then best, at = slope[i], i end end
      if not at then break end
      inside[at] = true
      local s, list = nearest()
      while true do -- back to where the first of them becomes 0
        local step = math.huge
        for _, i in ipairs(list) do
          if s[i] <= 0 then step = math.min(step, x[i] / (x[i] - s[i])) end
        end
        if step == math.huge then break end
        rounds = rounds + 1
        if rounds > most then util.raise("RuntimeError", "nnls: no end in %d iterations", most) end
        x = x + (s - x) * (step == step and step or 0)
        for _, i in ipairs(list) do
          if x[i] <= 1e-300 or s[i] <= 0 and x[i] <= near then inside[i], x[i] = nil, 0.0 end
        end
        s, list = nearest()
      end
      rounds = rounds + 1
      if rounds > most then util.raise("RuntimeError", "nnls: no end in %d iterations", most) end
      x = s
    end
    local rest = b - A:dot(x)
    return x, nd.sqrt(rest:dot(rest))
  end

  -- ---- for trying ---------------------------------------------------------------------------------------------------
  --- Rosenbrock's function of a vector, an array or a Variable: least, 0, at ones.
  function M.rosen(x)
    if not util.is_var(x) then x = arr(x) end
    local a, b = x[":-1"], x["1:"]
    local d, e = b - a * a, 1 - a
    return (100.0 * d * d + e * e):sum()
  end
  --- Its gradient.
  function M.rosen_der(x)
    x = arr(x):astype("float64")
    local g = nd.zeros(x.size)
    local a, b = x[":-1"], x["1:"]
    local d = b - a * a
    g[":-1"] = -400.0 * d * a - 2 * (1 - a)
    g["1:"] = g["1:"] + 200.0 * d
    return g
  end
  --- Its matrix of second derivatives.
  function M.rosen_hess(x)
    x = arr(x):astype("float64")
    local H = nd.diag(-400 * x[":-1"], 1) + nd.diag(-400 * x[":-1"], -1)
    local d = nd.full({ x.size }, 202.0)
    if x.size > 0 then
      d[0] = x.size > 1 and 1200 * x[0] ^ 2 - 400 * x[1] + 2 or 0.0
      d[-1] = x.size > 1 and 200.0 or 0.0
    end
    if x.size > 2 then d["1:-1"] = 202 + 1200 * x["1:-1"] * x["1:-1"] - 400 * x["2:"] end
    return H + nd.diag(d)
  end
  --- That matrix times p.
  function M.rosen_hess_prod(x, p) return M.rosen_hess(x):dot(arr(p):astype("float64")) end
  --- `approx_fprime(xk, f)`: the gradient of a function of a vector by differences.
  function M.approx_fprime(xk, f)
    local x = objective.vector("approx_fprime", xk)
    return (select(2, objective.scalar("approx_fprime", util.callable(f), {}, false).both(x)))
  end
  --- `check_grad(func, grad, x0)`: how far a gradient is from differences.
  function M.check_grad(func, grad, x0)
    func, grad = util.callable(func), util.callable(grad)
    for name, f in pairs({ func = func or false, grad = grad or false }) do
      util.expect("check_grad", name, f, "function")
    end
    local x = objective.vector("check_grad", x0)
    local d = arr(grad(x)) - M.approx_fprime(x, func)
    return nd.sqrt(d:dot(d))
  end

  require("theano.ndsearch")(nd, M, bracketing)
  require("theano.ndprograms")(nd, M)
  return require("theano.ndwhole")(nd, M)
end
