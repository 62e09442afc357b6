--- nd.integrate.solve_ivp and odeint: differential equations from a start. A step of Runge's and Kutta's methods is one
-- compiled function where the right side builds a graph. Gives both functions.
-- @module theano.ndivp
local core = require("theano.core")
local objective = require("theano.ndobjective")
local util = require("theano.util")

local METHODS = {
  RK45 = { order = 5, estimate = 4, C = { 0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1 },
    A = { {}, { 1 / 5 }, { 3 / 40, 9 / 40 }, { 44 / 45, -56 / 15, 32 / 9 },
      { 19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729 },
      { 9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656 } },
    B = { 35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84 },
    E = { -71 / 57600, 0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40 },
    P = { { 1, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432 }, { 0, 0, 0, 0 },
      { 0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799 },
      { 0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072 },
      { 0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632 },
      { 0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844 },
      { 0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423 } } },
  RK23 = { order = 3, estimate = 2, C = { 0, 1 / 2, 3 / 4 }, A = { {}, { 1 / 2 }, { 0, 3 / 4 } },
    B = { 2 / 9, 1 / 3, 4 / 9 }, E = { 5 / 72, -1 / 12, -1 / 9, 1 / 8 },
    P = { { 1, -4 / 3, 5 / 9 }, { 0, 1, -2 / 3 }, { 0, 4 / 3, -8 / 9 }, { 0, -1, 1 } } },
}
local S6 = math.sqrt(6)
local RADAU = { estimate = 3, C = { (4 - S6) / 10, (4 + S6) / 10, 1 },
  A = { { (88 - 7 * S6) / 360, (296 - 169 * S6) / 1800, (-2 + 3 * S6) / 225 },
    { (296 + 169 * S6) / 1800, (88 + 7 * S6) / 360, (-2 - 3 * S6) / 225 },
    { (16 - S6) / 36, (16 + S6) / 36, 1 / 9 } },
  E = { (-13 - 7 * S6) / 3, (-13 + 7 * S6) / 3, -1 / 3 }, root = 3 + 3 ^ (2 / 3) - 3 ^ (1 / 3),
  P = { { 13 / 3 + 7 * S6 / 3, -23 / 3 - 22 * S6 / 3, 10 / 3 + 5 * S6 },
    { 13 / 3 - 7 * S6 / 3, -23 / 3 + 22 * S6 / 3, 10 / 3 - 5 * S6 }, { 1 / 3, -8 / 3, 10 / 3 } } }

return function(nd)
  local arr = core.asarray
  METHODS.DOP853 = require("theano.nddop853")(nd)

  local function rms(v) return v.size > 0 and nd.sqrt(nd.sum(v * v) / v.size) or 0.0 end

  -- ---- the right side -----------------------------------------------------------------------------------------------
  -- One step, of Variables or of arrays alike: the place at its end, what f gives there, how large the error is beside
  -- what is allowed, and all that f gave.
  local function formula(M, f, R, t, y, h, first, atol, rtol)
    local K = { first }
    local function sum(coefficients)
      local r
      for i, c in ipairs(coefficients) do
        if c ~= 0 then r = r and r + c * K[i] or c * K[i] end
      end
      return r
    end
    for s = 2, #R.C do K[s] = f(t + R.C[s] * h, y + h * sum(R.A[s])) end
    local next_ = y + h * sum(R.B)
    local last = f(t + h, next_)
    K[#K + 1] = last
    local scale = atol + M.maximum(M.abs(y), M.abs(next_)) * rtol
    local function squares(E) -- their mean
      local v = M.sqr(h * sum(E) / scale)
      return M.sum(v) / (M == nd and math.max(v.size, 1) or M.maximum(v.size, 1))
    end
    local size = squares(R.E)
    if R.E3 then return next_, last, size / M.sqrt(size + 0.01 * squares(R.E3) + 1e-300), M.stack(K) end
    return next_, last, M.sqrt(size), M.stack(K)
  end

  -- One of Newton's iterations for the three places of a Radau step, of Variables or of arrays alike: what they add to
  -- y (rows), and how much was added now.
  local function iterate(M, f, t, y, h, Z, inverse, scale)
    local F = {}
    for i = 1, 3 do F[i] = f(t + h * RADAU.C[i], y + Z[i - 1]) end
    local rest = Z - h * M.dot(M == nd and nd.array(RADAU.A) or M.constant(nd.array(RADAU.A)), M.stack(F))
    local d = M.dot(inverse, rest:reshape({ -1 })):reshape(M == nd and Z.shape or { 3, Z.shape[1] })
    return Z - d, M.sqrt(M.mean(M.sqr(d / scale)))
  end

  local parts_of_radau
  -- What a Radau step computes whatever the right side is. matrices: the inverses for its three places and for its
  -- error, of the Jacobian and the step; guess: where the three places may be, from those of the last step, x being
  -- where they lie beyond it; off: the next place, the error's size and scale.
  local function radau_parts()
    if parts_of_radau then return parts_of_radau end
    local _, T = objective.modules()
    local J, h, Z, y, x = T.dmatrix("J"), T.dscalar("h"), T.dmatrix("Z"), T.dvector("y"), T.dvector("x")
    local small, f, atol, rtol = T.dmatrix("small"), T.dvector("f"), T.dvector("atol"), T.dscalar("rtol")
    local n, A = J.shape[0], T.constant(nd.array(RADAU.A))
    local powers = T.stack({ x, x * x, x * x * x })
    local E = T.constant(nd.array(RADAU.E))
    local guess = T.dot(E, Z) / h
    local ynew = y + Z[2]
    local scale = atol + T.maximum(T.abs(y), T.abs(ynew)) * rtol
    parts_of_radau = {
      matrices = objective.compile { inputs = { J, h }, outputs = {
        T.nlinalg.matrix_inverse(T.eye(3 * n) - T.kron(A, J) * h),
        T.nlinalg.matrix_inverse(T.eye(n) * (RADAU.root / h) - J) } },
      guess = objective.compile { inputs = { Z, x },
        outputs = T.dot(powers.T, T.dot(T.constant(nd.array(RADAU.P).T:copy()), Z)) - Z[2] },
      off = objective.compile { inputs = { small, f, Z, y, h, atol, rtol },
        outputs = { ynew, T.sqrt(T.mean(T.sqr(T.dot(small, f + guess) / scale))), scale, guess } },
    }
    return parts_of_radau
  end

  -- The right side of an equation: `slope(t, y)`, `step(R, t, y, h, first, atol, rtol)`: the place after a step, the
  -- slope there, the error's size and all slopes; `iterate(t, y, h, Z, inverse, scale)`; `jacobian(t, y)`.
  local function right_side(fun, args, jac)
    util.expect("solve_ivp", "fun", fun, "function")
    local _, T = objective.modules()
    local S = { nfev = 0, njev = 0 }
    local t, y, h, first = T.dscalar("t"), T.dvector("y"), T.dscalar("h"), T.dvector("first")
    local function graph(at, v)
      local r = fun(at, v, table.unpack(args))
      if type(r) == "number" then util.raise("TypeError", "solve_ivp: a number is no graph") end
      r = T.cast(T.as_tensor_variable(r), "float64")
      return r.ndim == 0 and r:dimshuffle("x") or r
    end
    local fine, slope = pcall(graph, t, y)
    local function numbers(at, v)
      S.nfev = S.nfev + 1
      return arr(fun(at, v, table.unpack(args))):reshape({ -1 }):astype("float64")
    end
    if fine and util.is_var(slope) and slope.ndim == 1 then
      local parts = objective.once("slope", { slope }, function()
        return { f = objective.compile { inputs = { t, y }, outputs = slope, on_unused_input = "ignore" } }
      end)
      function S.slope(at, v)
        S.nfev = S.nfev + 1
        return parts.f(at, v)
      end
      function S.start(R)
        local atol, rtol = T.dvector("atol"), T.dscalar("rtol")
        if not parts[R] then
          parts[R] = objective.compile { inputs = { t, y, h, first, atol, rtol }, on_unused_input = "ignore",
            outputs = { formula(T, graph, R, t, y, h, first, atol, rtol) } }
        end
        function S.step(...)
          S.nfev = S.nfev + #R.C
          return parts[R](...)
        end
      end
      function S.iterate(...)
        if not parts.iterate then
          local Z, inverse, scale = T.dmatrix("Z"), T.dmatrix("inverse"), T.dvector("scale")
          parts.iterate = objective.compile { inputs = { t, y, h, Z, inverse, scale }, on_unused_input = "ignore",
            outputs = { iterate(T, graph, t, y, h, Z, inverse, scale) } }
        end
        S.nfev = S.nfev + 3
        return parts.iterate(...)
      end
      if jac == nil then
        function S.jacobian(at, v)
          parts.J = parts.J or objective.compile { inputs = { t, y }, outputs = objective.jacobian(slope, y),
            on_unused_input = "ignore" }
          S.njev = S.njev + 1
          return parts.J(at, v)
        end
      end
    else
      S.slope = numbers
      function S.iterate(...) return iterate(nd, numbers, ...) end
      function S.start(R)
        function S.step(...) return formula(nd, numbers, R, ...) end
      end
    end
    if type(jac) == "function" then
      function S.jacobian(at, v)
        S.njev = S.njev + 1
        return arr(jac(at, v, table.unpack(args))):astype("float64")
      end
    elseif jac ~= nil then
      local J = arr(jac):astype("float64")
      function S.jacobian() return J end
    end
    S.jacobian = S.jacobian or function(at, v)
      local O = objective.vectors("solve_ivp", function(x) return S.slope(at, x) end, {}, false)
      S.njev = S.njev + 1
      return O.jacobian(v)
    end
    return S
  end

  -- ---- steps --------------------------------------------------------------------------------------------------------
  -- A first step, from how fast the slope changes.
  local function first_step(S, t, y, bound, f0, direction, order, o)
    local interval = math.abs(bound - t)
    if y.size == 0 or interval == 0 then return math.huge end
    local scale = o.atol + nd.abs(y) * o.rtol
    local d0, d1 = rms(y / scale), rms(f0 / scale)
    local h0 = math.min((d0 < 1e-5 or d1 < 1e-5) and 1e-6 or 0.01 * d0 / d1, interval)
    local f1 = S.slope(t + h0 * direction, y + f0 * (h0 * direction))
    local d2 = rms((f1 - f0) / scale) / h0
    local h1 = (d1 <= 1e-15 and d2 <= 1e-15) and math.max(1e-6, h0 * 1e-3)
      or (0.01 / math.max(d1, d2)) ^ (1 / (order + 1))
    return math.min(100 * h0, h1, interval, o.max_step)
  end

  local function ulp(t) return math.max(2.0 ^ -1074, math.abs(t) * 2.0 ^ -52) end

  -- What is between t and t + h: y + (x, x^2, ..) Q h, x from 0 to 1; make: Q, when it is asked for.
  local function between(t, y, h, make)
    local Q
    return function(at) -- a vector of places: a column each
      Q = Q or make()
      local x = (at - t) / h
      local p, powers = x, {}
      for k = 1, Q.shape[2] do
        powers[k] = p
        p = p * x
      end
      return Q:dot(nd.stack(powers)) * h + y:reshape({ -1, 1 })
    end
  end

  -- Where a step from t ends, which is not behind the bound, and how far that is; nil and the words where it is too
  -- short.
  local function advanced(t, size, least, direction, bound)
    if size < least then return nil, "Required step size is less than spacing between numbers." end
    local to = t + size * direction
    if direction * (to - bound) > 0 then to = bound end
    return to, to - t
  end

  -- Each step gives t, y, and what is between; nil and the words where it fails.
  local function explicit(S, R, o, t, y, bound, direction)
    S.start(R)
    local f = S.slope(t, y)
    local size = o.first_step or first_step(S, t, y, bound, f, direction, R.estimate, o)
    local P, power = R.P and nd.array(R.P):astype("float64"), -1 / (R.estimate + 1)
    return function()
      local least, rejected = 10 * ulp(t), false
      size = math.max(math.min(size, o.max_step), least)
      while true do
        local next_, h = advanced(t, size, least, direction, bound)
        if not next_ then return nil, h end
        size = math.abs(h)
        local ynew, fnew, err, K = S.step(t, y, h, f, o.atol, o.rtol)
        if err < 1 then
          local factor = err == 0 and 10 or math.min(10, 0.9 * err ^ power)
          size = size * (rejected and math.min(1, factor) or factor)
          local inside = R.between and R.between(S, t, y, h, ynew, K)
            or between(t, y, h, function() return K.T:dot(P) end)
          t, y, f = next_, ynew, fnew
          return t, y, inside
        end
        size = size * (err == err and math.max(0.2, 0.9 * err ^ power) or 0.2)
        rejected = true
      end
    end
  end

  -- Newton's iterations for the three places of a step: what they add to y (rows), or nil; how many, and how fast.
  local function newton(S, t, y, h, inverse, scale, goal, Z)
    local before, rate, size
    for k = 1, 6 do
      Z, size = S.iterate(t, y, h, Z, inverse, scale)
      if size ~= size or size == math.huge then return nil end
      rate = before and size / before
      if rate and (rate >= 1 or rate ^ (6 - k) / (1 - rate) * size > goal) then return nil, k, rate end
      if size == 0 or rate and rate / (1 - rate) * size < goal then return Z, k, rate end
      before = size
    end
    return nil, 6, rate
  end

  -- Radau's method of the fifth order, for stiff equations.
  local function implicit(S, o, t, y, bound, direction)
    local n = y.size
    local f, J = S.slope(t, y), S.jacobian(t, y)
    local size = o.first_step or first_step(S, t, y, bound, f, direction, 3, o)
    local goal = math.max(10 * 2.0 ^ -52 / o.rtol, math.min(0.03, o.rtol ^ 0.5))
    local P, R = nd.array(RADAU.P), radau_parts()
    local inverse, small, made = nil, nil, nil -- of which step
    local last, fresh, before, err_before = nil, true, nil, nil -- last: the places of the step before, and its length
    S.nlu = 0
    local function factor(h)
      inverse, small = R.matrices(J, h)
      made = h
      S.nlu = S.nlu + 2
    end
    -- What would be right for the next step.
    local function better(h, err)
      local mult = 1
      if err_before and before and err ~= 0 then mult = math.abs(h / before) * (err_before / err) ^ 0.25 end
      return math.min(1, mult) * (err == 0 and 10 or err ^ -0.25)
    end
    return function()
      local least, rejected = 10 * ulp(t), false
      if size > o.max_step or size < least then
        size, before, err_before = math.max(math.min(size, o.max_step), least), nil, nil
      end
      while true do
        local next_, h = advanced(t, size, least, direction, bound)
        if not next_ then return nil, h end
        size = math.abs(h)
        local from = last and R.guess(last[1], 1 + nd.array(RADAU.C) * (h / last[2])) or nd.zeros({ 3, n })
        local scale = o.atol + nd.abs(y) * o.rtol
        local Z, iterations, rate
        while true do
          if made ~= h then factor(h) end
          Z, iterations, rate = newton(S, t, y, h, inverse, scale, goal, from)
          if Z or fresh then break end
          J, fresh, made = S.jacobian(t, y), true, nil
        end
        if not Z then size, last = size / 2, nil
        else
          local ynew, err, size_of, guess = R.off(small, f, Z, y, h, o.atol, o.rtol)
          local safety = 0.9 * 13 / (12 + iterations)
          if rejected and err > 1 then
            local off = small:dot(f + guess)
            err = rms(small:dot(S.slope(t, y + off) + guess) / size_of)
          end
          if err > 1 or err ~= err then
            size = size * math.max(0.2, err == err and safety * better(h, err) or 0.2)
            rejected, made = true, nil
          else
            local slow = iterations > 2 and rate and rate > 1e-3
            local by = math.min(10, safety * better(h, err))
            if not slow and by < 1.2 then by = 1 end
            before, err_before = h, err
            last = { Z, h }
            local inside = between(t, y, h, function() return (Z.T / h):dot(P) end)
            t, y = next_, ynew
            f = S.slope(t, y)
            if slow then J, made = S.jacobian(t, y), nil end
            fresh = slow
            size = size * by
            return t, y, inside
          end
        end
      end
    end
  end

  local backward = require("theano.ndbdf")(nd, { rms = rms, first_step = first_step, advanced = advanced, ulp = ulp })
  local STIFF = { Radau = implicit, BDF = backward }

  -- ---- events -------------------------------------------------------------------------------------------------------
  local function events_of(events)
    if events == nil then return {} end
    if type(events) == "function" or type(events) == "table" and type(events[1]) == "function"
      and (events.terminal ~= nil or events.direction ~= nil) then events = { events } end
    return util.each("solve_ivp: events", events, function(e)
      if type(e) == "function" then return { fn = e } end
      util.check_type("solve_ivp", "an event", e, "table")
      util.check_type("solve_ivp", "an event's function", e[1], "function")
      return { fn = e[1], terminal = e.terminal, direction = e.direction or 0 }
    end)
  end
  -- Those that a step passed, in the order of time; whether one of them ends it.
  local function passed(list, args, t0, t, y, inside)
    local found = {}
    for i, e in ipairs(list) do
      local now = e.fn(t, y, table.unpack(args))
      local up, down = e.value <= 0 and now >= 0, e.value >= 0 and now <= 0
      local direction = e.direction or 0
      if direction > 0 and up or direction < 0 and down or direction == 0 and (up or down) then
        local root = nd.optimize.brentq(function(at)
          return e.fn(at, inside(nd.array({ at }))[":, 0"], table.unpack(args))
        end, t0, t, { xtol = 4 * 2.0 ^ -52, rtol = 4 * 2.0 ^ -52 })
        found[#found + 1] = { i, root }
      end
      e.value = now
    end
    table.sort(found, function(a, b) return (a[2] - b[2]) * (t - t0) < 0 end)
    for k, f in ipairs(found) do
      local e = list[f[1]]
      e.count = (e.count or 0) + 1
      if e.terminal == true or type(e.terminal) == "number" and e.count >= e.terminal then
        return table.move(found, 1, k, 1, {}), f[2]
      end
    end
    return found
  end

  -- ---- solve_ivp ----------------------------------------------------------------------------------------------------
  local ORDER = { "fun", "t_span", "y0", "method", "t_eval", "dense_output", "events", "vectorized", "args", "rtol",
    "atol", "max_step", "first_step", "jac", method = "string", dense_output = "boolean", rtol = "number",
    atol = "number|table|ndarray", max_step = "number", first_step = "number", events = "function|table",
    jac = "function|table|ndarray" }

  local function columns(list, n)
    return #list > 0 and nd.concatenate(list, 1) or nd.zeros({ n, 0 })
  end

  -- The pieces of a solution as one function of t.
  local function whole(ts, pieces, direction)
    return function(t)
      local at = nd.atleast_1d(arr(t):astype("float64"))
      local out, list = nd.zeros({ pieces.n, at.size }), at:tolist()
      for i, v in ipairs(list) do
        local low, high = 1, #pieces
        while low < high do
          local middle = (low + high) // 2
          if direction * (v - ts[middle + 1]) <= 0 then high = middle else low = middle + 1 end
        end
        out[{ ":", i - 1 }] = pieces[low](nd.array({ v }))[":, 0"]
      end
      return arr(t).ndim == 0 and out[":, 0"] or out
    end
  end

  local function settings(g)
    local span = util.is_array(g.t_span) and g.t_span:tolist() or g.t_span
    local t0, bound
    if type(span) == "table" then t0, bound = span[1], span[2] end
    if type(t0) ~= "number" or type(bound) ~= "number" then
      util.raise("TypeError", "solve_ivp: t_span is a sequence of two numbers")
    end
    local y = objective.vector("solve_ivp", g.y0)
    local atol = arr(g.atol or 1e-6):astype("float64")
    local o = { rtol = math.max(g.rtol or 1e-3, 100 * 2.0 ^ -52), max_step = g.max_step or math.huge,
      atol = atol.ndim == 0 and nd.full({ y.size }, atol:item()) or atol }
    if o.max_step <= 0 then util.raise("ValueError", "solve_ivp: max_step is %g, not positive", o.max_step) end
    if o.atol.size ~= y.size then util.raise("ValueError", "solve_ivp: atol has %d elements, y0 %d", o.atol.size,
      y.size) end
    if g.first_step then
      if g.first_step <= 0 or g.first_step > math.abs(bound - t0) then
        util.raise("ValueError", "solve_ivp: first_step is positive, and not longer than the interval")
      end
      o.first_step = g.first_step
    end
    return t0 + 0.0, bound + 0.0, y, o
  end

  -- The times asked for, in the order of the integration.
  local function times(t_eval, t0, bound)
    if t_eval == nil then return nil end
    local list = arr(t_eval):astype("float64"):tolist()
    local direction = bound >= t0 and 1 or -1
    for i, t in ipairs(list) do
      if t < math.min(t0, bound) or t > math.max(t0, bound) then
        util.raise("ValueError", "solve_ivp: t_eval has times outside of t_span")
      elseif i > 1 and (t - list[i - 1]) * direction <= 0 then
        util.raise("ValueError", "solve_ivp: the times of t_eval are not in order")
      end
    end
    return list
  end

  local MESSAGES = { [0] = "The solver successfully reached the end of the integration interval.",
    [1] = "A termination event occurred." }

  --- `solve_ivp(fun, t_span, y0, {method, t_eval, dense_output, events, args, rtol, atol, max_step, first_step, jac})`:
  -- y(t) with y' = fun(t, y) from y0 at t_span[1] to t_span[2]. Methods: "RK45" (the default), "RK23", "DOP853",
  -- "Radau" and "BDF" (for stiff equations, their Jacobian from the graph). Events: functions of t and y, or `{fn,
  -- terminal = true, direction = 1}`. A table: `t y sol t_events y_events nfev njev nlu status message success`.
  local function solve_ivp(...)
    local g = util.bind("solve_ivp", ORDER, ...)
    if g.t_span == nil then util.raise("TypeError", "solve_ivp: argument 't_span' is missing") end
    util.check_type("solve_ivp", "t_span", g.t_span, "table|ndarray")
    if util.is_array(g.t_span) then g.t_span = g.t_span:tolist() end
    local method = g.method or "RK45"
    if method == "LSODA" then
      util.raise("ValueError", "solve_ivp: the method LSODA, which changes between Adams' and backward differences, is "
        .. "not available: 'BDF' or 'Radau' solve stiff equations, 'DOP853' or 'RK45' others")
    end
    if not METHODS[method] and not STIFF[method] then
      util.raise("ValueError", "solve_ivp: the method is 'RK45', 'RK23', 'DOP853', 'Radau' or 'BDF', not '%s'",
        method)
    end
    local t, bound, y, o = settings(g)
    local wanted, args = times(g.t_eval, t, bound), objective.args("solve_ivp", g.args)
    local S = right_side(g.fun, args, g.jac)
    local direction, events = bound >= t and 1 or -1, events_of(g.events)
    local take = METHODS[method] and explicit(S, METHODS[method], o, t, y, bound, direction)
      or STIFF[method](S, o, t, y, bound, direction)
    for _, e in ipairs(events) do e.value, e.t, e.y = e.fn(t, y, table.unpack(args)), {}, {} end
    local ts, ys, pieces, steps, at = {}, {}, { n = y.size }, { t }, 1
    local function note(time, place)
      ts[#ts + 1], ys[#ys + 1] = time, place:reshape({ -1, 1 })
    end
    if not wanted then note(t, y) end
    local status, message = 0, nil
    while direction * (t - bound) < 0 do
      local before = t
      local next_, place, inside = take()
      if not next_ then status, message = -1, place break end
      t, y = next_, place
      local found, last = passed(events, args, before, t, y, inside)
      for _, f in ipairs(found) do
        local e = events[f[1]]
        e.t[#e.t + 1], e.y[#e.y + 1] = f[2], inside(nd.array({ f[2] })).T
      end
      if last then
        t, y, status = last, inside(nd.array({ last }))[":, 0"], 1
      end
      steps[#steps + 1], pieces[#pieces + 1] = t, inside
      local here = {}
      while wanted and wanted[at] and direction * (wanted[at] - t) <= 0 do
        here[#here + 1], ts[#ts + 1] = wanted[at], wanted[at]
        at = at + 1
      end
      if #here > 0 then ys[#ys + 1] = inside(nd.array(here):astype("float64")) end
      if not wanted then note(t, y) end
      if last then break end
    end
    local r = { t = nd.array(ts):astype("float64"), y = columns(ys, y.size), nfev = S.nfev, njev = S.njev,
      nlu = S.nlu or 0, status = status, success = status >= 0, message = message or MESSAGES[status] }
    if g.dense_output then r.sol = whole(steps, pieces, direction) end
    if g.events then
      r.t_events, r.y_events = {}, {}
      for i, e in ipairs(events) do
        r.t_events[i] = nd.array(e.t):astype("float64")
        r.y_events[i] = #e.y > 0 and nd.concatenate(e.y, 0) or nd.zeros({ 0, y.size })
      end
    end
    return r
  end

  --- `odeint(func, y0, t, {args, tfirst, rtol, atol, method})`: y at each of the times, a row each, with y' = func(y,
  -- t), or func(t, y) where tfirst is true.
  local function odeint(...)
    local g = util.bind("odeint", { "func", "y0", "t", "args", "tfirst", "rtol", "atol", "method", tfirst = "boolean",
      rtol = "number", method = "string" }, ...)
    util.expect("odeint", "func", g.func, "function")
    local t = arr(g.t):astype("float64")
    if t.ndim ~= 1 or t.size == 0 then util.raise("ValueError", "odeint: the times are a vector, not empty") end
    local fun = g.tfirst and g.func or function(at, y, ...) return g.func(y, at, ...) end
    local r = solve_ivp(fun, { t[0], t[t.size - 1] }, g.y0, { t_eval = t, args = g.args, rtol = g.rtol or 1.49012e-8,
      atol = g.atol or 1.49012e-8, method = g.method or "Radau" })
    if not r.success then util.raise("RuntimeError", "odeint: %s", r.message) end
    return r.y.T
  end

  return { solve_ivp, odeint }
end
