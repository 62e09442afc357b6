--- nd.optimize: assignments, linear programs, least squares within bounds, isotonic regression. Installed by
-- theano.ndoptimize.
-- @module theano.ndprograms
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(nd, M)
  local arr = core.asarray
  local INF = math.huge
  local function form(x) return "(" .. table.concat(x.shape, ", ") .. (x.ndim == 1 and ",)" or ")") end
  local function real(what, name, x)
    x = arr(x)
    if x.dtype:find("^c") then util.raise("TypeError", "%s: %s is real, not %s", what, name, x.dtype) end
    return x:astype("float64")
  end

  -- ---- assignments --------------------------------------------------------------------------------------------------
  -- The shortest way from row i to a column without a row: that column, its length; what was seen on the way in w.
  local function shortest(cost, i, u, v, w, columns)
    local least, left = 0.0, columns
    local remaining, way, rows, seen = {}, {}, {}, {}
    for j = 1, columns do remaining[j], way[j] = columns - j + 1, INF end
    w.way, w.rows, w.seen = way, rows, seen
    while true do
      local index, lowest, row = nil, INF, cost[i]
      rows[#rows + 1] = i
      for k = 1, left do
        local j = remaining[k]
        local r = least + row[j] - u[i] - v[j]
        if r < way[j] then w.path[j], way[j] = i, r end
        if way[j] < lowest or way[j] == lowest and not w.row_of[j] then lowest, index = way[j], k end
      end
      least = lowest
      if least == INF then return nil end
      local j = remaining[index]
      seen[#seen + 1] = j
      remaining[index] = remaining[left]
      left = left - 1
      if not w.row_of[j] then return j, least end
      i = w.row_of[j]
    end
  end
  local function assigned(cost, n, columns)
    local u, v, column_of = {}, {}, {}
    local w = { path = {}, row_of = {} }
    for i = 1, n do u[i] = 0.0 end
    for j = 1, columns do v[j] = 0.0 end
    for from = 1, n do
      local j, least = shortest(cost, from, u, v, w, columns)
      if not j then
        util.raise("ValueError", "linear_sum_assignment: the cost matrix has no assignment that is finite")
      end
      u[from] = u[from] + least
      for _, i in ipairs(w.rows) do
        if i ~= from then u[i] = u[i] + least - w.way[column_of[i]] end
      end
      for _, k in ipairs(w.seen) do v[k] = v[k] - least + w.way[k] end
      repeat
        local i = w.path[j]
        w.row_of[j] = i
        column_of[i], j = j, column_of[i]
      until i == from
    end
    return column_of
  end
  --- `linear_sum_assignment(cost_matrix, maximize)`: for each row a column of its own (or for each column a row, where
  -- there are more rows) so that the sum of the costs is least, or greatest: rows, ascending, and columns.
  function M.linear_sum_assignment(cost_matrix, maximize)
    local what = "linear_sum_assignment"
    if cost_matrix == nil then util.raise("TypeError", "%s: argument 'cost_matrix' is missing", what) end
    local c = real(what, "cost_matrix", cost_matrix)
    if c.ndim ~= 2 then util.raise("ValueError", "%s: a matrix is expected, not of shape %s", what, form(c)) end
    if maximize then c = -c end
    if c.size == 0 then return nd.zeros(0, "int64"), nd.zeros(0, "int64") end
    if nd.any(nd.isnan(c)) or nd.any(nd.eq(c, -INF)) then
      util.raise("ValueError", "%s: the cost matrix has NaN or an infinity that no sum can leave out", what)
    end
    local turned = c.shape[1] > c.shape[2]
    if turned then c = c.T end
    local columns = nd.array(assigned(c:tolist(), c.shape[1], c.shape[2])) - 1
    if not turned then return nd.arange(columns.size), columns end
    local order = nd.argsort(columns)
    return nd.take(columns, order), order
  end

  -- ---- isotonic regression ------------------------------------------------------------------------------------------
  --- `isotonic_regression(y, {weights, increasing = true})`: the ascending (descending) numbers that are nearest to y.
  -- A table: `x`, and of the blocks of equal ones `weights` and `blocks`, where they begin and the last one ends.
  function M.isotonic_regression(...)
    local what = "isotonic_regression"
    local o = util.bind(what, { "y", "weights", "increasing", increasing = "boolean" }, ...)
    util.present(what, o, { "y" })
    local y = real(what, "y", o.y)
    local w = o.weights == nil and nd.ones(y.shape) or real(what, "weights", o.weights)
    if y.ndim ~= 1 or w.ndim ~= 1 or w.size ~= y.size then
      util.raise("ValueError", "%s: y and weights are vectors of one length, not %s and %s", what, form(y), form(w))
    end
    if not nd.all(nd.gt(w, 0)) then util.raise("ValueError", "%s: weights are more than 0", what) end
    local down = o.increasing == false
    if down then y, w = nd.flip(y), nd.flip(w) end
    local ys, ws, means, sums, from, n = y:tolist(), w:tolist(), {}, {}, {}, 0
    for i = 1, #ys do
      n = n + 1
      means[n], sums[n], from[n] = ys[i], ws[i], i - 1
      while n > 1 and means[n - 1] >= means[n] do
        local weight = sums[n - 1] + sums[n]
        means[n - 1] = (sums[n - 1] * means[n - 1] + sums[n] * means[n]) / weight
        sums[n - 1], n = weight, n - 1
      end
    end
    local x, blocks, weights = {}, {}, {}
    for k = 1, n do
      local to = k < n and from[k + 1] or #ys
      for i = from[k] + 1, to do x[i] = means[k] end
      blocks[k], weights[k] = from[k], sums[k]
    end
    blocks[n + 1] = #ys
    local function vector(list, dtype) return #list == 0 and nd.zeros(0, dtype) or nd.array(list):astype(dtype) end
    local r = { x = vector(x, "float64"), weights = vector(weights, "float64"), blocks = vector(blocks, "int64") }
    if down then r.x, r.weights, r.blocks = nd.flip(r.x), nd.flip(r.weights), #ys - nd.flip(r.blocks) end
    return r
  end

  -- ---- least squares within bounds ----------------------------------------------------------------------------------
  local function vector_of(what, name, v, n)
    v = real(what, name, v)
    if v.ndim == 0 then return nd.full({ n }, v:item()) end
    if v.ndim ~= 1 or v.size ~= n then
      util.raise("ValueError", "%s: %s has %d elements, or is a number, not of shape %s", what, name, n, form(v))
    end
    return v
  end
  local function ends(what, bounds, n)
    if bounds == nil then return nd.full({ n }, -INF), nd.full({ n }, INF) end
    local low, high = bounds[1], bounds[2]
    if getmetatable(bounds) and not util.is_array(bounds) then low, high = bounds.lb, bounds.ub
    elseif util.is_array(bounds) then low, high = bounds[0], bounds[1] end
    if low == nil or high == nil then util.raise("ValueError", "%s: bounds are {low, high}", what) end
    low, high = vector_of(what, "the low bound", low, n), vector_of(what, "the high bound", high, n)
    if nd.any(nd.ge(low, high)) then
      util.raise("ValueError", "%s: each low bound is less than the high one", what)
    end
    return low, high
  end
  local STATUS = { [0] = "The maximum number of iterations is exceeded.",
    "The first-order optimality measure is less than `tol`.",
    "The relative change of the cost function is less than `tol`.",
    "The unconstrained solution is optimal." }
  -- The problem while it is solved: x, which elements lie on bounds (-1, 1), residuals, gradient, cost.
  local function measured(p)
    p.r = p.A:dot(p.x) - p.b
    p.g, p.cost = p.A.T:dot(p.r), 0.5 * p.r:dot(p.r)
    local worst = 0.0
    for j, g in ipairs(p.g:tolist()) do worst = math.max(worst, p.on[j] == 0 and math.abs(g) or g * p.on[j]) end
    p.optimality = worst
  end
  local function free_of(p)
    local list = {}
    for j = 1, p.n do if p.on[j] == 0 then list[#list + 1] = j - 1 end end
    return list
  end
  -- Least squares in the free ones alone.
  local function nearest(p, free)
    local rest = p.x:copy()
    for _, j in ipairs(free) do rest[j] = 0.0 end
    return nd.linalg.lstsq(nd.take(p.A, nd.array(free), 1), p.b - p.A:dot(rest))
  end
  -- One after the other all that leave the bounds are put on them.
  local function start(p)
    local free = free_of(p)
    while #free > 0 do
      p.nit = p.nit + 1
      local z, out = nearest(p, free):tolist(), false
      for k, j in ipairs(free) do
        if z[k] < p.low[j] then p.x[j], p.on[j + 1], out = p.low[j], -1, true
        elseif z[k] > p.high[j] then p.x[j], p.on[j + 1], out = p.high[j], 1, true
        else p.x[j] = z[k] end
      end
      if not out then break end
      free = free_of(p)
    end
    measured(p)
  end
  -- From x towards the least squares of the free ones, to the first bound; again until none is met.
  local function inward(p)
    for _ = 1, p.n + 1 do
      local free = free_of(p)
      if #free == 0 then return end
      local z, step, at, side = nearest(p, free):tolist(), 1.0, nil, nil
      for k, j in ipairs(free) do
        local limit = z[k] < p.low[j] and p.low[j] or z[k] > p.high[j] and p.high[j]
        if limit then
          local a = (limit - p.x[j]) / (z[k] - p.x[j])
          if not at or a < step then step, at, side = a, j, z[k] < p.low[j] and -1 or 1 end
        end
      end
      for k, j in ipairs(free) do p.x[j] = at and p.x[j] * (1 - step) + step * z[k] or z[k] end
      if not at then return end
      p.x[at], p.on[at + 1] = side < 0 and p.low[at] or p.high[at], side
    end
  end
  local function within_bounds(p, tol, most)
    start(p)
    most = (most or p.n) + p.nit
    local status = 0
    while p.nit < most do
      if p.optimality < tol then status = 1 break end
      local at, steepest
      for j, g in ipairs(p.g:tolist()) do
        if not at or g * p.on[j] > steepest then at, steepest = j, g * p.on[j] end
      end
      local before = p.cost
      p.on[at] = 0
      inward(p)
      measured(p)
      p.nit = p.nit + 1
      if before - p.cost < tol * p.cost and p.optimality >= tol then status = 2 break end
    end
    return p.optimality < tol and 1 or status
  end
  --- `lsq_linear(A, b, {bounds = {low, high}, tol = 1e-10, max_iter})`: the x within bounds for which A x is nearest to
  -- b, by sets of elements that lie on bounds (SciPy's "bvls"). A table: `x cost fun optimality active_mask nit status
  -- message success unbounded_sol`.
  function M.lsq_linear(...)
    local what = "lsq_linear"
    local o = util.bind(what, { "A", "b", "bounds", "method", "tol", "max_iter", bounds = "table|ndarray",
      method = "string", tol = "number", max_iter = "integer" }, ...)
    util.present(what, o, { "A", "b" })
    if o.method and o.method ~= "bvls" and o.method ~= "trf" then
      util.raise("ValueError", "%s: method is 'bvls' or 'trf', which is done as it, not '%s'", what, o.method)
    end
    local A, b = real(what, "A", o.A), real(what, "b", o.b)
    if A.ndim ~= 2 or b.ndim ~= 1 or A.shape[1] ~= b.size or A.size == 0 then
      util.raise("ValueError", "%s: a matrix, and a vector as long as it has rows, are expected, not %s and %s", what,
        form(A), form(b))
    end
    if not nd.all(nd.isfinite(A)) or not nd.all(nd.isfinite(b)) then
      util.raise("ValueError", "%s: there are infinities or NaN", what)
    end
    local n = A.shape[2]
    local low, high = ends(what, o.bounds, n)
    local p = { A = A, b = b, n = n, low = low, high = high, nit = 0, on = {} }
    local free = (nd.linalg.lstsq(A, b, -1))
    p.x = nd.minimum(nd.maximum(free, low), high)
    local xs, ls, hs = free:tolist(), low:tolist(), high:tolist()
    local inside = true
    for j = 1, n do
      p.on[j] = xs[j] <= ls[j] and -1 or xs[j] >= hs[j] and 1 or 0
      inside = inside and xs[j] >= ls[j] and xs[j] <= hs[j]
    end
    local status = 3
    if inside then
      p.on = nd.zeros(n, "int64"):tolist()
      measured(p)
    else status = within_bounds(p, o.tol or 1e-10, o.max_iter) end
    return { x = p.x, cost = p.cost, fun = p.r, optimality = p.optimality, nit = p.nit, status = status,
      active_mask = nd.array(p.on):astype("int64"), message = STATUS[status], success = status > 0,
      unbounded_sol = free }
  end

  -- ---- linear programs ----------------------------------------------------------------------------------------------
  -- A pair of bounds for each of n numbers: infinity where there is none.
  local function pairs_of(what, bounds, n)
    local low, high = {}, {}
    if util.is_array(bounds) then bounds = bounds:tolist() end
    local one = bounds == nil and { 0, false }
    if bounds and (type(bounds[1]) ~= "table" or help.is_none(bounds[1])) then one = bounds end
    if not one and #bounds == 1 then one = bounds[1] end
    if not one and #bounds ~= n then
      util.raise("ValueError", "%s: bounds are one pair, or %d of them, not %d", what, n, #bounds)
    end
    for j = 1, n do low[j], high[j] = help.bounds(what, j, one or bounds[j]) end
    return low, high
  end
  local function constraints(what, name, A, b, n)
    if (A == nil) ~= (b == nil) then
      util.raise("ValueError", "%s: A_%s and b_%s are given together", what, name, name)
    end
    if A == nil then return nd.zeros({ 0, n }), nd.zeros(0) end
    A, b = real(what, "A_" .. name, A), real(what, "b_" .. name, b)
    if b.ndim == 0 then b = b:reshape({ 1 }) end
    if A.ndim == 1 and A.size == 0 then A = A:reshape({ 0, n }) end
    if A.ndim ~= 2 or A.shape[2] ~= n or b.ndim ~= 1 or b.size ~= A.shape[1] then
      util.raise("ValueError", "%s: A_%s has %d columns, and as many rows as b_%s has elements, not %s and %s", what,
        name, n, name, form(A), form(b))
    end
    if not nd.all(nd.isfinite(A)) or nd.any(nd.isnan(b)) then
      util.raise("ValueError", "%s: A_%s and b_%s have no NaN, A_%s no infinities", what, name, name, name)
    end
    return A, b
  end
  -- The numbers y, not below 0, that x is made of: x = shift + S y, and rows for the high bounds.
  local function standard(low, high, n)
    local shift, columns, rows, limits = nd.zeros(n), {}, {}, {}
    for j = 1, n do
      if low[j] > -INF then
        shift[j - 1] = low[j]
        columns[#columns + 1] = { j, 1 }
        if high[j] < INF then rows[#rows + 1], limits[#limits + 1] = #columns, high[j] - low[j] end
      elseif high[j] < INF then
        shift[j - 1] = high[j]
        columns[#columns + 1] = { j, -1 }
      else
        columns[#columns + 1] = { j, 1 }
        columns[#columns + 1] = { j, -1 }
      end
    end
    local S = nd.zeros({ n, #columns })
    for k, c in ipairs(columns) do S[{ c[1] - 1, k - 1 }] = c[2] end
    return shift, S, rows, limits
  end
  local NEAR = 1e-9
  local function pivot(t, row, column)
    t.T[row] = t.T[row] / t.T[{ row, column }]
    local factors = t.T[{ ":", column }]:copy()
    factors[row] = 0.0
    t.T = t.T - factors:reshape({ -1, 1 }) * t.T[row]
    t.basis[row + 1] = column
  end
  -- Dantzig's simplex method on a tableau whose last row are the costs: after some steps without progress by Bland's
  -- rule, which does not turn in circles. nil: done, else why not.
  local function simplex(t, columns, most)
    local stuck, last = 0, nil
    local m = t.T.shape[1] - 1
    while true do
      local costs = t.T[("-1, :%d"):format(columns)]
      local entering = stuck > 50 and nd.argmax(nd.lt(costs, -NEAR):astype("int64")) or nd.argmin(costs)
      if columns == 0 or costs[entering] >= -NEAR then return nil end
      if t.nit >= most then return 1 end
      local column, right, best, leaving = t.T[{ ":", entering }]:tolist(), t.T[{ ":", -1 }]:tolist(), INF, nil
      for i = 1, m do
        if column[i] > NEAR then
          local ratio = right[i] / column[i]
          local tie = leaving and math.abs(ratio - best) <= 1e-12 * math.max(1, math.abs(best))
          if not leaving or ratio < best and not tie or tie and t.basis[i] < t.basis[leaving] then
            best, leaving = math.min(ratio, best), i
          end
        end
      end
      if not leaving then return 3 end
      pivot(t, leaving - 1, entering)
      t.nit = t.nit + 1
      local value = t.T[{ -1, -1 }]
      stuck = last and math.abs(value - last) <= 1e-12 * math.max(1, math.abs(value)) and stuck + 1 or 0
      last = value
    end
  end
  -- Least c y with A y = b and y not below 0: y, or why not; first with numbers that are to become 0.
  local function solved(c, A, b, most)
    local m, n = A.shape[1], A.shape[2]
    local signs = nd.where(nd.lt(b, 0), -1.0, 1.0)
    A, b = A * signs:reshape({ -1, 1 }), b * signs
    local t = { nit = 0, basis = {} }
    t.T = nd.zeros({ m + 1, n + m + 1 })
    if m > 0 then
      t.T[(":-1, :%d"):format(n)], t.T[(":-1, %d:%d"):format(n, n + m)], t.T[":-1, -1"] = A, nd.eye(m), b
      t.T[("-1, :%d"):format(n)], t.T["-1, -1"] = -nd.sum(A, { axis = 0 }), -nd.sum(b)
    end
    for i = 1, m do t.basis[i] = n + i - 1 end
    local why = simplex(t, n, most)
    if why then return nil, why == 3 and 4 or why, t.nit end
    if -t.T[{ -1, -1 }] > 1e-8 * math.max(1, m > 0 and nd.max(nd.abs(b)) or 0) then return nil, 2, t.nit end
    for i = m, 1, -1 do -- what is still made of those numbers, or a row that says nothing
      if t.basis[i] >= n then
        local row = nd.abs(t.T[{ i - 1, ("0:%d"):format(n) }])
        local at = n > 0 and nd.argmax(row) or 0
        if n > 0 and row[at] > NEAR then pivot(t, i - 1, at)
        else
          t.T = nd.delete(t.T, i - 1, 0)
          table.remove(t.basis, i)
        end
      end
    end
    t.T = nd.concatenate({ t.T[(":, :%d"):format(n)], t.T[":, -1:"] }, 1)
    t.T["-1"] = nd.concatenate({ c, nd.zeros(1) }, 0)
    for i, j in ipairs(t.basis) do t.T["-1"] = t.T[-1] - t.T[i - 1] * c[j] end
    why = simplex(t, n, most)
    if why then return nil, why, t.nit end
    local y = nd.zeros(n)
    for i, j in ipairs(t.basis) do y[j] = t.T[{ i - 1, -1 }] end
    return y, 0, t.nit
  end
  local WORDS = { [0] = "Optimization terminated successfully.", "Iteration limit reached.",
    "The problem is infeasible.", "The problem is unbounded.", "Numerical difficulties encountered." }
  local LINEAR = { "c", "A_ub", "b_ub", "A_eq", "b_eq", "bounds", "method", "callback", "options",
    bounds = "table|ndarray", method = "string", options = "table" }
  --- `linprog(c, {A_ub, b_ub, A_eq, b_eq, bounds = {0, false}, options = {maxiter}})`: the x for which dot(c, x) is
  -- least with A_ub x up to b_ub, A_eq x = b_eq and x within bounds: one pair or one for each, false for none. By the
  -- simplex method on a full table, for some hundred numbers. A table: `x fun slack con success status message nit`.
  function M.linprog(...)
    local what = "linprog"
    local o = util.bind(what, LINEAR, ...)
    util.present(what, o, { "c" })
    local c, options = real(what, "c", o.c), o.options or {}
    util.check_keywords("linprog: options", options, { maxiter = "integer", disp = "boolean", tol = "number",
      presolve = "boolean" })
    if c.ndim ~= 1 or c.size == 0 or not nd.all(nd.isfinite(c)) then
      util.raise("ValueError", "%s: c is a vector of finite numbers, not of shape %s", what, form(c))
    end
    local n = c.size
    local Au, bu = constraints(what, "ub", o.A_ub, o.b_ub, n)
    local Ae, be = constraints(what, "eq", o.A_eq, o.b_eq, n)
    local low, high = pairs_of(what, o.bounds, n)
    local status, nit, x = 2, 0, nil
    local possible = true
    for j = 1, n do possible = possible and low[j] <= high[j] and low[j] < INF and high[j] > -INF end
    local finite = nd.isfinite(bu)
    possible = possible and not nd.any(nd.eq(bu, -INF)) and nd.all(nd.isfinite(be))
    if possible then
      local rows = nd.flatnonzero(finite)
      local A, b = nd.take(Au, rows, 0), nd.take(bu, rows)
      local shift, S, bounded, limits = standard(low, high, n)
      local k, more = S.shape[2], rows.size + #bounded
      local W = nd.zeros({ more + be.size, k + more })
      local right = nd.zeros(more + be.size)
      if rows.size > 0 then
        W[(":%d, :%d"):format(rows.size, k)], right[(":%d"):format(rows.size)] = A:dot(S), b - A:dot(shift)
      end
      for i, j in ipairs(bounded) do
        W[{ rows.size + i - 1, j - 1 }], right[rows.size + i - 1] = 1.0, limits[i]
      end
      if more > 0 then W[(":%d, %d:"):format(more, k)] = nd.eye(more) end
      if be.size > 0 then
        W[("%d:, :%d"):format(more, k)], right[("%d:"):format(more)] = Ae:dot(S), be - Ae:dot(shift)
      end
      local y
      y, status, nit = solved(nd.concatenate({ S.T:dot(c), nd.zeros(more) }, 0), W, right, options.maxiter or 5000)
      if y then x = shift + S:dot(y[(":%d"):format(k)]) end
    end
    return { x = x, fun = x and c:dot(x) or nil, slack = x and bu - Au:dot(x) or nil, con = x and be - Ae:dot(x) or nil,
      success = status == 0, status = status, message = WORDS[status], nit = nit }
  end
  return M
end
