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

  return function(S, o, t, y, bound, direction)
    local n, f = y.size, S.slope(t, y)
    local size = o.first_step or kit.first_step(S, t, y, bound, f, direction, 1, o)
    local goal = math.max(10 * 2.0 ^ -52 / o.rtol, math.min(0.03, o.rtol ^ 0.5))
    local J, fresh, inverse, eye = S.jacobian(t, y), true, nil, nd.eye(n)
    local k, equal = 1, 0 -- the order, and how many steps of one length and order there were
    local D = { [0] = y, f * (size * direction) }
    for m = 2, MOST + 2 do D[m] = nd.zeros(n) end
    S.nlu = 0
    local function stretch(factor)
      changed(D, k, factor)
      size, equal, inverse = size * factor, 0, nil
    end
    -- The factor of the next step, and its order: of those beside the last one, the one that allows the longest.
    local function choose(d, scale, err, safety)
      local best, order = 0, k
      for q = math.max(k - 1, 1), math.min(k + 1, MOST) do
        local e = q == k and err or kit.rms(D[q + 1] * error_of(q) / scale)
        local by = e == 0 and math.huge or e ^ (-1 / (q + 1))
        if by > best then best, order = by, q end
      end
      return math.min(10, safety * best), order
    end
    return function()
      local least = 10 * kit.ulp(t)
      if size > o.max_step then stretch(o.max_step / size) elseif size < least then stretch(least / size) end
      while true do
        local next_, h = kit.advanced(t, size, least, direction, bound)
        if not next_ then return nil, h end
        if math.abs(h) ~= size then stretch(math.abs(h) / size) end
        size = math.abs(h)
        local alpha = (1 - KAPPA[k]) * GAMMA[k]
        local ones = {}
        for m = 0, k do ones[m] = 1 end
        local at, psi, c = combined(D, ones, 0, k), combined(D, GAMMA, 1, k) / alpha, h / alpha
        local scale = o.atol + nd.abs(at) * o.rtol
        local d, iterations
        while true do
          if not inverse then inverse, S.nlu = nd.linalg.inv(eye - c * J), S.nlu + 1 end
          d, iterations = corrected(S, next_, at, psi, c, inverse, scale, goal)
          if d or fresh then break end
          J, fresh, inverse = S.jacobian(next_, at), true, nil
        end
        if not d then stretch(0.5)
        else
          local safety = 0.9 * 9 / (8 + iterations)
          local ynew = at + d
          scale = o.atol + nd.abs(ynew) * o.rtol
          local err = kit.rms(d * error_of(k) / scale)
          if err > 1 or err ~= err then
            stretch(err == err and math.max(0.2, safety * err ^ (-1 / (k + 1))) or 0.2)
          else
            t, fresh, equal = next_, false, equal + 1
            D[k + 2] = d - D[k + 1]
            D[k + 1] = d
            for m = k, 0, -1 do D[m] = D[m] + D[m + 1] end
            local here, order, from = {}, k, t
            for m = 0, k do here[m] = D[m] end
            local function inside(times)
              local s, r, p = (times - from) / h, here[0]:reshape({ n, 1 }) + nd.zeros({ 1, times.size }), nil
              for m = 1, order do
                p = p and p * (s + (m - 1)) / m or s
                r = r + here[m]:reshape({ n, 1 }) * p
              end
              return r
            end
            if equal > k then
              local by, q = choose(d, scale, err, safety)
              k = q
              stretch(by)
            end
            return t, D[0], inside
          end
        end
      end
    end
  end
end
