--- nd.optimize: least values in the whole of a space: linear programs in whole numbers, grids, hops between minima.
-- Installed by theano.ndoptimize.
-- @module theano.ndwhole
local core = require("theano.core")
local help = require("theano.ndhelp")
local objective = require("theano.ndobjective")
local util = require("theano.util")

return function(nd, M)
  local arr = core.asarray
  local INF, WHOLE = math.huge, 1e-6
  local function form(x) return "(" .. table.concat(x.shape, ", ") .. (x.ndim == 1 and ",)" or ")") end
  local function vector(what, name, x, n)
    x = arr(x)
    if x.dtype:find("^c") then util.raise("TypeError", "%s: %s is real, not %s", what, name, x.dtype) end
    x = x:astype("float64")
    if n and x.ndim == 0 then return nd.full({ n }, x:item()) end
    if x.ndim ~= 1 or n and x.size ~= n then
      util.raise("ValueError", "%s: %s is a vector%s, not of shape %s", what, name,
        n and (" of %d numbers"):format(n) or "", form(x))
    end
    return x
  end

  -- ---- linear programs in whole numbers -----------------------------------------------------------------------------
  local function is_constraint(c) return type(c) == "table" and rawget(c, "A") ~= nil end
  -- Rows A_ub, b_ub and A_eq, b_eq of constraints.
  local function rows_of(what, given, n)
    local rows = { A_ub = {}, b_ub = {}, A_eq = {}, b_eq = {} }
    local function row(kind, values, limit, sign)
      local A, b = rows["A_" .. kind], rows["b_" .. kind]
      A[#A + 1], b[#b + 1] = values * sign, limit * sign
    end
    if given == nil then given = {} elseif is_constraint(given) then given = { given } end
    if type(given) ~= "table" then
      util.raise("TypeError", "%s: constraints are LinearConstraint(A, lb, ub), one or a list", what)
    end
    for _, c in ipairs(given) do
      if not is_constraint(c) then
        util.raise("TypeError", "%s: a constraint is LinearConstraint(A, lb, ub), not %s", what, util.kind_of(c))
      end
      if c.A.shape[2] ~= n or not nd.all(nd.isfinite(c.A)) then
        util.raise("ValueError", "%s: a constraint's A has %d columns of finite numbers, not shape %s", what, n,
          form(c.A))
      end
      local m = c.A.shape[1]
      local lb, ub = vector(what, "lb", c.lb or -INF, m):tolist(), vector(what, "ub", c.ub or INF, m):tolist()
      for i = 1, m do
        if lb[i] ~= lb[i] or ub[i] ~= ub[i] then
          util.raise("ValueError", "%s: a constraint's limits are not NaN", what)
        end
        if lb[i] == ub[i] then row("eq", c.A[i - 1], ub[i], 1)
        else
          if ub[i] < INF then row("ub", c.A[i - 1], ub[i], 1) end
          if lb[i] > -INF then row("ub", c.A[i - 1], lb[i], -1) end
        end
      end
    end
    for _, kind in ipairs({ "ub", "eq" }) do
      local A, b = "A_" .. kind, "b_" .. kind
      rows[A] = #rows[A] > 0 and nd.stack(rows[A]) or nil
      rows[b] = rows[A] and nd.array(rows[b]):astype("float64") or nil
    end
    return rows
  end
  local function bounds_of(what, given, n, whole)
    local low, high = {}, {}
    if util.is_array(given) then given = given:tolist() end
    given = given or { { 0, false } }
    if #given ~= 1 and #given ~= n then
      util.raise("ValueError", "%s: bounds are one pair, or %d of them, not %d", what, n, #given)
    end
    for j = 1, n do
      low[j], high[j] = help.bounds(what, j, given[#given == 1 and 1 or j])
      if whole[j] then low[j], high[j] = math.ceil(low[j] - WHOLE), math.floor(high[j] + WHOLE) end
    end
    return low, high
  end
  -- The element that is farthest from whole numbers, of those that are to be whole.
  local function broken(x, whole)
    local worst, at = WHOLE, nil
    for j, v in ipairs(x) do
      local off = whole[j] and math.abs(v - math.floor(v + 0.5)) or 0
      if off > worst then worst, at = off, j end
    end
    return at
  end
  local function relaxed(p, node)
    local bounds = {}
    for j = 1, p.n do
      bounds[j] = { node.low[j] > -INF and node.low[j], node.high[j] < INF and node.high[j] }
      if node.low[j] > node.high[j] then return { status = 2 } end
    end
    return M.linprog(p.c, { A_ub = p.rows.A_ub, b_ub = p.rows.b_ub, A_eq = p.rows.A_eq, b_eq = p.rows.b_eq,
      bounds = bounds })
  end
  local function child(node, j, field, value, bound)
    local new = { low = { table.unpack(node.low) }, high = { table.unpack(node.high) }, bound = bound }
    new[field][j] = value
    return new
  end
  -- Whether a node may hold what is better than the best by more than the gap; the least bound of better ones that are
  -- left out so is kept.
  local function worth(p, bound)
    if not p.best then return true end
    local size = math.abs(p.best)
    if bound >= p.best - 1e-9 * math.max(1, size) then return false end
    if bound < p.best - p.gap * size then return true end
    p.left = math.min(p.left, bound)
    return false
  end
  -- Depth first: the side that is nearer to the program's own answer before the other.
  local function branch(p, most)
    local stack, count = { { low = p.low, high = p.high, bound = -INF } }, 0
    while #stack > 0 do
      if count >= most then return 1, count, stack end
      local node = table.remove(stack)
      if worth(p, node.bound) then
        count = count + 1
        local r = relaxed(p, node)
        if r.status == 1 or r.status == 3 or r.status == 4 then return r.status, count, stack end
        local bound = r.status == 0 and (p.steps and math.ceil(r.fun - WHOLE) or r.fun)
        if bound and worth(p, bound) then
          local x = r.x:tolist()
          local j = broken(x, p.whole)
          if j then
            local down = math.floor(x[j])
            local below, above = child(node, j, "high", down, bound), child(node, j, "low", down + 1, bound)
            local first = x[j] - down < 0.5
            stack[#stack + 1] = first and above or below
            stack[#stack + 1] = first and below or above
          else
            for k = 1, p.n do if p.whole[k] then x[k] = math.floor(x[k] + 0.5) + 0.0 end end
            p.x = nd.array(x):astype("float64")
            p.best = p.c:dot(p.x)
          end
        end
      end
    end
    return p.x and 0 or 2, count, stack
  end
  local WORDS = { [0] = "Optimization terminated successfully.", "The limit of nodes or iterations is reached.",
    "The problem is infeasible.", "The problem is unbounded.", "Numerical difficulties encountered." }
  --- `milp(c, {integrality, bounds, constraints, options = {node_limit, mip_rel_gap}})`: the x for which dot(c, x) is
  -- least, within bounds (Bounds, or pairs; not below 0 where there are none) and LinearConstraints; integrality: 1 for
  -- what is a whole number, else 0. By linprog, branched where an element is none; what is better by no more than
  -- mip_rel_gap (0) times the value is not looked for. A table: `x fun status success message mip_node_count
  -- mip_dual_bound mip_gap`.
  function M.milp(...)
    local what = "milp"
    local o = util.bind(what, { "c", "integrality", "bounds", "constraints", "options",
      bounds = "table|ndarray", options = "table" }, ...)
    util.present(what, o, { "c" })
    local options, c = o.options or {}, vector(what, "c", o.c)
    util.check_keywords("milp: options", options, { node_limit = "integer", disp = "boolean", mip_rel_gap = "number",
      presolve = "boolean" })
    if c.size == 0 or not nd.all(nd.isfinite(c)) then
      util.raise("ValueError", "%s: c is a vector of finite numbers", what)
    end
    local gap = options.mip_rel_gap or 0
    if gap ~= gap or gap < 0 then util.raise("ValueError", "%s: mip_rel_gap is at least 0, not %s", what, gap) end
    local n, whole, steps = c.size, {}, true
    local kinds, costs = vector(what, "integrality", o.integrality or 0, c.size):tolist(), c:tolist()
    for j = 1, n do
      if kinds[j] ~= 0 and kinds[j] ~= 1 then
        util.raise("ValueError", "%s: integrality is 0 or 1, not %s", what, util.text(kinds[j]))
      end
      whole[j] = kinds[j] == 1
      steps = steps and (costs[j] == 0 or whole[j] and costs[j] % 1 == 0)
    end
    local p = { c = c, n = n, whole = whole, steps = steps, gap = gap, left = INF,
      rows = rows_of(what, o.constraints, n) }
    p.low, p.high = bounds_of(what, o.bounds, n, whole)
    local status, count, open = branch(p, options.node_limit or 100000)
    local least = p.best and math.min(p.best, p.left)
    for _, node in ipairs(open) do least = math.min(least or INF, node.bound) end
    return { x = p.x, fun = p.best, status = status, success = status == 0, message = WORDS[status],
      mip_node_count = count, mip_dual_bound = least,
      mip_gap = p.best and (p.best - least) / math.max(math.abs(p.best), 1e-300) }
  end

  -- ---- grids --------------------------------------------------------------------------------------------------------
  local function axis_of(r, count)
    if util.is_array(r) then r = r:tolist() end
    if type(r) ~= "table" or type(r[1]) ~= "number" or type(r[2]) ~= "number" or #r > 3
      or r[3] ~= nil and (type(r[3]) ~= "number" or r[3] <= 0 or r[3] ~= r[3]) then
      util.raise("ValueError", "brute: each range is {low, high} or {low, high, step}")
    end
    local axis = r[3] and nd.arange(r[1], r[2], r[3]) or nd.linspace(r[1], r[2], count)
    if axis.size == 0 then util.raise("ValueError", "brute: a range has no places: step is too large") end
    return axis:astype("float64"):tolist()
  end
  --- `brute(func, ranges, {args, Ns = 20, full_output, finish})`: where a function of a vector is least on a grid, a
  -- range for each element, {low, high} (Ns places) or {low, high, step}; then by Nelder's and Mead's method from
  -- there, by finish(func, x), or not (finish = false). full_output: x, the value, the places' values.
  function M.brute(...)
    local what = "brute"
    local o = util.bind(what, { "func", "ranges", "args", "Ns", "full_output", "finish", ranges = "table|ndarray",
      Ns = "integer", full_output = "boolean", finish = "function|boolean" }, ...)
    util.expect(what, "func", o.func, "function")
    util.present(what, o, { "ranges" })
    if (o.Ns or 20) < 1 then util.raise("ValueError", "%s: Ns is at least 1, not %d", what, o.Ns) end
    local axes, shape, total, args = {}, {}, 1, objective.args(what, o.args)
    local ranges = util.is_array(o.ranges) and o.ranges:tolist() or o.ranges
    for d, r in ipairs(ranges) do
      axes[d] = axis_of(r, o.Ns or 20)
      shape[d], total = #axes[d], total * #axes[d]
    end
    if #axes == 0 then util.raise("ValueError", "%s: there is at least one range", what) end
    local values, least, place = {}, INF, nil
    for i = 0, total - 1 do
      local x, rest = {}, i
      for d = #axes, 1, -1 do x[d], rest = axes[d][rest % shape[d] + 1], rest // shape[d] end
      local at = nd.array(x):astype("float64")
      local y = objective.number(what, o.func(at, table.unpack(args)))
      values[i + 1] = y
      if not place or y < least or least ~= least then least, place = y, at end
    end
    if type(o.finish) == "function" then
      place = arr(o.finish(o.func, place))
      least = objective.number(what, o.func(place, table.unpack(args)))
    elseif o.finish ~= false then
      local r = M.minimize(o.func, place, { args = o.args, method = "Nelder-Mead" })
      if r.fun < least then place, least = r.x, r.fun end
    end
    if not o.full_output then return place end
    return place, least, nd.array(values):astype("float64"):reshape(shape)
  end

  -- ---- hops between minima ------------------------------------------------------------------------------------------
  local HOPS = { "func", "x0", "niter", "T", "stepsize", "minimizer_kwargs", "callback", "interval", "niter_success",
    "rng", "seed", niter = "integer", T = "number", stepsize = "number", minimizer_kwargs = "table",
    callback = "function", interval = "integer", niter_success = "integer" }
  --- `basinhopping(func, x0, {niter = 100, T = 1, stepsize = 0.5, minimizer_kwargs, callback, interval = 50,
  -- niter_success, rng})`: the least of the minima that `minimize` finds from places around the last one; a higher one
  -- is taken by chance, as T is high. callback(x, f, accepted) ends it by giving true. rng: a seed (0) or a generator.
  -- minimize's table, with `nit` hops and `lowest_optimization_result`.
  function M.basinhopping(...)
    local what = "basinhopping"
    local o = util.bind(what, HOPS, ...)
    util.expect(what, "func", o.func, "function")
    util.present(what, o, { "x0" })
    local rng = o.rng or o.seed or 0
    if math.type(rng) == "integer" then rng = nd.random.RandomState(rng) end
    if type(rng) ~= "userdata" and type(rng) ~= "table" then
      util.raise("TypeError", "%s: rng is a seed or a generator, not %s", what, util.kind_of(rng))
    end
    local nfev = 0
    local function down(x)
      local r = M.minimize(o.func, x, o.minimizer_kwargs or {})
      nfev = nfev + (r.nfev or 0)
      return r
    end
    local here = down(objective.vector(what, o.x0))
    local best, step, taken, since, nit = here, o.stepsize or 0.5, 0, 0, 0
    local heat, every = o.T or 1.0, o.interval or 50
    local message = "requested number of basinhopping iterations completed successfully"
    for i = 1, o.niter or 100 do
      nit = i
      local next_ = down(here.x + rng:uniform(-step, step, { here.x.size }))
      local rise = next_.fun - here.fun
      local yes = rise <= 0 or heat > 0 and rng:uniform(0, 1, { 1 })[0] < math.exp(-rise / heat)
      since = since + 1
      if yes then here, taken = next_, taken + 1 end
      if next_.fun < best.fun then best, since = next_, 0 end
      if i % every == 0 then
        step = taken / every > 0.5 and step / 0.9 or step * 0.9
        taken = 0
      end
      if o.callback and o.callback(next_.x, next_.fun, yes) == true then
        message = "callback function requested stop early"
        break
      elseif o.niter_success and since >= o.niter_success then
        message = "success condition satisfied"
        break
      end
    end
    return { x = best.x, fun = best.fun, success = best.success, message = message, nit = nit, nfev = nfev,
      lowest_optimization_result = best }
  end
  return M
end
