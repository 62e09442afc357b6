--- nd.optimize.minimize under constraints: an augmented Lagrangian, made least again and again while its multipliers
-- settle; with bounds or without. Installed by theano.ndminimize.
-- @module theano.ndconstrained
local core = require("theano.core")
local objective = require("theano.ndobjective")
local help = require("theano.ndhelp")
local util = require("theano.util")

local LINEAR, NONLINEAR = { __name = "LinearConstraint" }, { __name = "NonlinearConstraint" }

return function(nd)
  local M = {}
  local arr = core.asarray

  -- ---- what users give ----------------------------------------------------------------------------------------------
  --- `LinearConstraint(A, lb, ub)`: that A x lies between lb and ub, numbers or vectors; nil is no limit.
  function M.LinearConstraint(A, lb, ub)
    A = arr(A):astype("float64")
    if A.ndim == 1 then A = A:reshape({ 1, -1 }) end
    if A.ndim ~= 2 then util.raise("ValueError", "LinearConstraint: A is a matrix, not of %d dimensions", A.ndim) end
    return setmetatable({ A = A, lb = lb, ub = ub }, LINEAR)
  end
  --- `NonlinearConstraint(fun, lb, ub, jac)`: that what fun gives of a vector lies between lb and ub.
  function M.NonlinearConstraint(fun, lb, ub, jac)
    fun, jac = util.callable(fun), util.callable(jac)
    util.expect("NonlinearConstraint", "fun", fun, "function")
    return setmetatable({ fun = fun, lb = lb, ub = ub, jac = type(jac) == "function" and jac or nil }, NONLINEAR)
  end
  --- `Bounds(lb, ub)`: bounds of each variable, for `minimize`.
  function M.Bounds(lb, ub)
    local low, high = nd.broadcast_arrays(lb or -math.huge, ub or math.huge)
    local out = {}
    low, high = help.floats(nd.atleast_1d(low)), help.floats(nd.atleast_1d(high))
    if low.dtype:find("^c") or high.dtype:find("^c") then
      util.raise("TypeError", "Bounds: bounds are real numbers, not complex ones")
    end
    for i = 0, low.size - 1 do out[i + 1] = { low[i] + 0.0, high[i] + 0.0 } end
    return out
  end

  local WORDS = { type = "string", fun = "function", jac = "function|boolean|string", args = true }
  local function one(c, place)
    local kind = type(c) == "table" and getmetatable(c)
    if kind == LINEAR then
      return { lb = c.lb, ub = c.ub, jac = function() return c.A end, fn = function(x)
        if not util.is_var(x) then return c.A:dot(x) end
        local T = select(2, objective.modules())
        return T.dot(T.constant(c.A), x)
      end, args = {} }
    elseif kind == NONLINEAR then return { lb = c.lb, ub = c.ub, jac = c.jac, given = c.jac, fn = c.fun, args = {} }
    elseif type(c) ~= "table" then
      util.raise("TypeError", "%s is a table {type = .., fun = ..} or made by LinearConstraint or NonlinearConstraint, "
        .. "not %s", place, util.kind_of(c))
    end
    local given = c
    c = {}
    for key, v in pairs(given) do c[key] = util.callable(v) end
    util.check_keywords(place, c, WORDS)
    util.expect("minimize", place .. ": fun", c.fun, "function")
    if c.type ~= "eq" and c.type ~= "ineq" then
      util.raise("ValueError", "%s: type is 'eq' or 'ineq', not '%s'", place, tostring(c.type))
    end
    local jac = type(c.jac) == "function" and c.jac or nil
    return { lb = 0.0, ub = c.type == "eq" and 0.0 or nil, fn = c.fun, jac = jac, given = jac,
      args = objective.args(place, c.args) }
  end
  --- Constraints as users give them, as a list of {fn, lb, ub, jac, args}.
  function M.read(given)
    if type(given) ~= "table" then return { one(given, "minimize: constraints") } end
    local single = getmetatable(given) ~= nil or given.type ~= nil or given.fun ~= nil
    return util.each("minimize: constraints", single and { given } or given, one)
  end

  -- ---- the augmented Lagrangian -------------------------------------------------------------------------------------
  -- How far t is from between two limits.
  local function away(S, t, low, high) return S.maximum(t - high, 0.0) - S.maximum(low - t, 0.0) end
  local function penalty(S, off, rho) return 0.5 * rho * S.sum(off * off) end

  -- Of graphs: compiled with the multipliers, the limits and the weight as inputs. nil where one of them is no graph.
  local function of_graphs(what, fn, args, list)
    local T = select(2, objective.modules())
    local x, y, low, high, rho = T.dvector("x"), T.dvector("y"), T.dvector("low"), T.dvector("high"), T.dscalar("rho")
    local fine, cost, all = pcall(function()
      local parts = {}
      for i, c in ipairs(list) do
        local v = c.fn(x, table.unpack(c.args))
        if not util.is_var(v) then error("no graph") end
        v = T.cast(v, "float64")
        parts[i] = v.ndim == 0 and v:dimshuffle("x") or v
      end
      return T.cast(fn(x, table.unpack(args)), "float64"), T.concatenate(parts, 0)
    end)
    if not fine or not util.is_var(cost) or cost.ndim ~= 0 or all.ndim ~= 1 then return nil end
    local O = objective.graph(cost + penalty(T, away(T, all + y / rho, low, high), rho), x, { y, low, high, rho })
    local parts = objective.once(what, { cost, all }, function()
      return { f = objective.compile { inputs = { x }, on_unused_input = "ignore",
        outputs = { cost, T.grad(cost, x, { disconnected_inputs = "ignore" }), all } } }
    end)
    O.parts = parts.f
    return O
  end

  -- Of functions of numbers, with differences where there is no jac.
  local function of_functions(what, fn, args, jac, list)
    local f, rows, O = objective.scalar(what, fn, args, jac), {}, {}
    for i, c in ipairs(list) do rows[i] = objective.vectors(what, c.fn, c.args, c.jac) end
    local function values(v)
      local out = {}
      for i, c in ipairs(rows) do out[i] = c.value(v) end
      return nd.concatenate(out)
    end
    function O.parts(v)
      local y, g = f.both(v)
      return y, g, values(v)
    end
    function O.both(v)
      local y, low, high, rho = table.unpack(O.more)
      local value, g, c = O.parts(v)
      local off = away(nd, c + y / rho, low, high)
      local J = {}
      for i, r in ipairs(rows) do J[i] = r.jacobian(v) end
      return value + penalty(nd, off, rho), g + nd.concatenate(J, 0).T:dot(off * rho)
    end
    function O.value(v)
      local y, low, high, rho = table.unpack(O.more)
      return f.value(v) + penalty(nd, away(nd, values(v) + y / rho, low, high), rho)
    end
    function O.along(v, d, step)
      local at = v + d * step
      local y, g = O.both(at)
      return y, g:dot(d), at, g, nd.max(nd.abs(g))
    end
    return setmetatable(O, { __index = function(_, k) return f[k] end }) -- nfev, njev
  end

  local function limit(v, n, otherwise)
    v = nd.atleast_1d(arr(v == nil and otherwise or v)):astype("float64")
    if v.size ~= 1 and v.size ~= n then
      util.raise("ValueError", "minimize: %d limits for the %d numbers of a constraint", v.size, n)
    end
    return nd.broadcast_to(v:reshape({ -1 }), { n })
  end

  local FAR, STEADY = 1e12, 30
  --- The least of fn under constraints: `inner(O, x, o)` makes a Lagrangian least, with the options o.
  function M.solve(fn, x, args, jac, constraints, inner, o)
    local list = M.read(constraints)
    if #list == 0 then
      return inner(objective.scalar("minimize", fn, args, jac, x.size), x, { gtol = o.gtol, maxiter = o.maxiter })
    end
    local given = jac ~= nil
    for _, c in ipairs(list) do given = given or c.given ~= nil end
    local O = not given and of_graphs("minimize", fn, args, list) or of_functions("minimize", fn, args, jac, list)
    local value, slope, c = O.parts(x)
    local low, high, at = {}, {}, c.size
    local sizes = {}
    for i, r in ipairs(list) do
      local v = r.fn(x, table.unpack(r.args))
      if util.is_var(v) then v = v:eval() end
      sizes[i] = arr(v).size
      low[i], high[i] = limit(r.lb, sizes[i], -math.huge), limit(r.ub, sizes[i], math.huge)
    end
    low, high = nd.concatenate(low), nd.concatenate(high)
    if nd.any(nd.gt(low, high)) then util.raise("ValueError", "minimize: the limits of a constraint are crossed") end
    local y, before, status, nit = nd.zeros(at), math.huge, 1, 0
    local off = away(nd, c, low, high)
    local rho = math.max(1e-3, math.min(1e3, 10 * math.max(1, math.abs(value)) / math.max(1, off:dot(off) / 2)))
    local missed
    for k = 1, STEADY do
      O.more = { y, low, high, rho }
      local r = inner(O, x, { gtol = math.max(o.gtol, 0.1 ^ (k + 1)), maxiter = o.maxiter - nit })
      x, nit = r.x, nit + r.nit
      value, slope, c = O.parts(x)
      local t = away(nd, c + y / rho, low, high)
      local moved = t - y / rho -- what is missed, and what is let go without a reason
      local worst = moved.size > 0 and nd.max(nd.abs(moved)) or 0.0
      missed = c.size > 0 and nd.max(nd.abs(away(nd, c, low, high))) or 0.0
      y = t * rho
      if r.status == 99 then status = 99 break end
      if value ~= value or worst ~= worst then status = 3 break end
      if worst <= o.ctol and 0.1 ^ (k + 1) <= o.gtol then status = 0 break end
      if nit >= o.maxiter then break end
      if worst > 0.25 * before then rho = math.min(rho * 10, FAR) end
      before = worst
    end
    if status == 1 and missed > math.sqrt(o.ctol) then status = 4 end
    return { x = x, fun = value, jac = slope, nit = nit, nfev = O.nfev, njev = O.njev, status = status,
      constr_violation = missed, multipliers = -y }
  end

  return M
end
