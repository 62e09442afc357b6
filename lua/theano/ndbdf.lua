--- Backward differences for `nd.integrate.solve_ivp`: numerical differentiation formulas of orders 1 to 5, as Shampine
-- and Reichelt have them (The MATLAB ODE Suite, 1997), in steps of equal length until that changes.
-- @module theano.ndbdf
local MOST = 5
local KAPPA = { [0] = 0, -0.1850, -1 / 9, -0.0823, -0.0415, 0 } -- by order
local GAMMA = { [0] = 0 }
for k = 1, MOST + 1 do GAMMA[k] = GAMMA[k - 1] + 1 / k end
-- What the correction d leaves as an error of order k.
local function error_of(k) return (KAPPA[k] or 0) * GAMMA[k] + 1 / (k + 1) end

-- How values at steps theta long, counted back, follow from differences of steps 1 long: rows and columns from 0.
local function steps_of(theta, k)
  local R = {}
  for i = 0, k do
    R[i] = {}
    for j = 0, k do
      R[i][j] = i == 0 and 1 or R[i - 1][j] * (i - 1 - theta * j) / i
    end
  end
  return R
end

--- The steps of solve_ivp with this method: a function of each. kit: `rms(v)`, `first_step`, `advanced`, `ulp`.
return function(nd, kit)
  local function combined(list, weights, from, to)
    local r
    for m = from, to do r = r and r + list[m] * weights[m] or list[m] * weights[m] end
    return r
  end

  -- Differences for steps `factor` times as long.
  local function changed(D, k, factor)
    local R, U, new = steps_of(factor, k), steps_of(1, k), {}
    for j = 0, k do
      local weights = {}
      for i = 0, k do
        weights[i] = 0
        for m = 0, k do weights[i] = weights[i] + R[i][m] * U[m][j] end
      end
      new[j] = combined(D, weights, 0, k)
    end
    for j = 0, k do D[j] = new[j] end
  end

  -- d with d = c f(y + d) - psi by Newton's iterations; nil where they do not converge, and how many there were.
  local function corrected(S, t, y, psi, c, inverse, scale, goal)
    local d, before = nd.zeros(y.size), nil
    for k = 1, 4 do
      local f = S.slope(t, y + d)
      local off = inverse:dot(c * f - psi - d)
      local size = kit.rms(off / scale)
      if size ~= size or size == math.huge then return nil, k end
      local rate = before and size / before
      if rate and (rate >= 1 or rate ^ (4 - k) / (1 - rate) * size > goal) then return nil, k end
      d = d + off
      if size == 0 or rate and rate / (1 - rate) * size < goal then return d, k end
      before = size
    end
    return nil, 4
  end

  -- What a solution is between the last steps: here[m] its differences at time `from`, after a step h.
  local function between(here, order, from, h)
    return function(times)
      local n = here[0].size
      local s, r, p = (times - from) / h, here[0]:reshape({ n, 1 }) + nd.zeros({ 1, times.size }), nil
      for m = 1, order do
        p = p and p * (s + (m - 1)) / m or s
        r = r + here[m]:reshape({ n, 1 }) * p
      end
      return r
    end
  end

  -- State of the steps: D differences, k their order, size of a step, equal how many steps of one size and order there
  -- were, J the Jacobian (fresh: of this step), inverse of what Newton's iterations solve, nil when it has to be made.
  local function begin(S, o, t, y, bound, direction)
    local f = S.slope(t, y)
    local size = o.first_step or kit.first_step(S, t, y, bound, f, direction, 1, o)
    local B = { S = S, o = o, t = t, k = 1, equal = 0, size = size, J = S.jacobian(t, y), fresh = true,
      eye = nd.eye(y.size), D = { [0] = y, f * (size * direction) },
      goal = math.max(10 * 2.0 ^ -52 / o.rtol, math.min(0.03, o.rtol ^ 0.5)) }
    for m = 2, MOST + 2 do B.D[m] = nd.zeros(y.size) end
    S.nlu = 0
    return B
  end

  local function stretch(B, factor)
    changed(B.D, B.k, factor)
    B.size, B.equal, B.inverse = B.size * factor, 0, nil
  end

  -- The factor of the next step, and its order: of those beside the last one, the one that allows the longest.
  local function choose(B, scale, err, safety)
    local best, order = 0, B.k
    for q = math.max(B.k - 1, 1), math.min(B.k + 1, MOST) do
      local e = q == B.k and err or kit.rms(B.D[q + 1] * error_of(q) / scale)
      local by = e == 0 and math.huge or e ^ (-1 / (q + 1))
      if by > best then best, order = by, q end
    end
    return math.min(10, safety * best), order
  end

  -- The correction at time `to`, a step h on from values `at`, and how many iterations it took; nil: there is none.
  local function correction(B, to, h, at, scale)
    local k, S = B.k, B.S
    local alpha = (1 - KAPPA[k]) * GAMMA[k]
    local psi, c = combined(B.D, GAMMA, 1, k) / alpha, h / alpha
    while true do
      if not B.inverse then B.inverse, S.nlu = nd.linalg.inv(B.eye - c * B.J), S.nlu + 1 end
      local d, iterations = corrected(S, to, at, psi, c, B.inverse, scale, B.goal)
      if d or B.fresh then return d, iterations end
      B.J, B.fresh, B.inverse = S.jacobian(to, at), true, nil
    end
  end

  -- The step is taken: differences with the correction d.
  local function accept(B, to, d)
    local D, k = B.D, B.k
    B.t, B.fresh, B.equal = to, false, B.equal + 1
    D[k + 2] = d - D[k + 1]
    D[k + 1] = d
    for m = k, 0, -1 do D[m] = D[m] + D[m + 1] end
  end

  -- Tries a step h to time `to`: whether it is taken, and the function between.
  local function try(B, to, h)
    local k, ones = B.k, {}
    for m = 0, k do ones[m] = 1 end
    local at = combined(B.D, ones, 0, k)
    local d, iterations = correction(B, to, h, at, B.o.atol + nd.abs(at) * B.o.rtol)
    if not d then
      stretch(B, 0.5)
      return false
    end
    local safety = 0.9 * 9 / (8 + iterations)
    local scale = B.o.atol + nd.abs(at + d) * B.o.rtol
    local err = kit.rms(d * error_of(k) / scale)
    if err > 1 or err ~= err then
      stretch(B, err == err and math.max(0.2, safety * err ^ (-1 / (k + 1))) or 0.2)
      return false
    end
    accept(B, to, d)
    local inside = between(table.move(B.D, 0, k, 0, {}), k, to, h)
    if B.equal > k then
      local by, order = choose(B, scale, err, safety)
      B.k = order
      stretch(B, by)
    end
    return true, inside
  end

  return function(S, o, t, y, bound, direction)
    local B = begin(S, o, t, y, bound, direction)
    return function()
      local least = 10 * kit.ulp(B.t)
      if B.size > o.max_step then stretch(B, o.max_step / B.size)
      elseif B.size < least then stretch(B, least / B.size) end
      while true do
        local to, h = kit.advanced(B.t, B.size, least, direction, bound)
        if not to then return nil, h end
        if math.abs(h) ~= B.size then stretch(B, math.abs(h) / B.size) end
        B.size = math.abs(h)
        local taken, inside = try(B, to, h)
        if taken then return B.t, B.D[0], inside end
      end
    end
  end
end
