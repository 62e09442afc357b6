--- Splines near points, in plain tables: least squares by rotations, knots where they are needed, smoothing. What
-- theano.ndsmooth is made of. Points are {x, y, w, k, m, first, last}: lists of m places, values and weights, the
-- degree and the ends; `twice`: a place stands twice; knots and coefficients are lists too.
-- @module theano.ndcurves
local M = {}

--- Knots between the ends with those at the ends, each k + 1 times.
function M.ended(d, inner)
  local t = {}
  for _ = 0, d.k do t[#t + 1] = d.first end
  for i = 1, #inner do t[#t + 1] = inner[i] end
  for _ = 0, d.k do t[#t + 1] = d.last end
  return t
end

-- The k + 1 splines that are not 0 in the piece from t[l] to t[l + 1], at v (de Boor and Cox).
local function basis(t, k, v, l)
  local h = { 1.0 }
  for r = 1, k do
    local saved = 0.0
    for j = 1, r do
      local low, high = t[l + j - r], t[l + j]
      local part = h[j] / (high - low)
      h[j] = saved + part * (high - v)
      saved = part * (v - low)
    end
    h[r + 1] = saved
  end
  return h
end

-- Each point's piece and splines there.
local function design(d, t)
  local rows, left, l, n = {}, {}, d.k + 1, #t - d.k - 1
  for i = 1, d.m do
    while l < n and d.x[i] >= t[l + 1] do l = l + 1 end
    rows[i], left[i] = basis(t, d.k, d.x[i], l), l
  end
  return rows, left
end

-- A row that begins at column `first`, and its right side q, rotated into the triangle a (rows begin at the diagonal)
-- with right sides z; q afterwards.
local function rotate(a, z, row, first, q)
  local width = #row
  for i = 1, width do
    local pivot, j = row[i], first + i - 1
    if pivot ~= 0 and j <= #a then
      local into = a[j]
      local length = math.sqrt(pivot * pivot + into[1] * into[1])
      local c, s = into[1] / length, pivot / length
      into[1] = length
      q, z[j] = c * q - s * z[j], c * z[j] + s * q
      for e = i + 1, width do
        local o, v = into[e - i + 1], row[e]
        into[e - i + 1], row[e] = c * o + s * v, c * v - s * o
      end
    end
  end
  return q
end

local function triangle(n, width)
  local a, z = {}, {}
  for i = 1, n do
    a[i], z[i] = {}, 0.0
    for j = 1, width do a[i][j] = 0.0 end
  end
  return a, z
end

local function solved(a, z)
  local c, n = {}, #a
  for i = n, 1, -1 do
    local v = z[i]
    for j = 2, math.min(#a[i], n - i + 1) do v = v - a[i][j] * c[i + j - 1] end
    c[i] = v / a[i][1]
  end
  return c
end

-- The triangle of the least squares with knots t, and what remains.
local function decomposed(d, rows, left, n)
  local a, z = triangle(n, d.k + 1)
  local squares = 0.0
  for i = 1, d.m do
    local row, w = {}, d.w[i]
    for j = 1, d.k + 1 do row[j] = rows[i][j] * w end
    local q = rotate(a, z, row, left[i] - d.k, d.y[i] * w)
    squares = squares + q * q
  end
  return a, z, squares
end

--- Coefficients of least squares with knots t, and the sum of squares.
function M.least(d, t)
  local rows, left = design(d, t)
  local a, z, squares = decomposed(d, rows, left, #t - d.k - 1)
  return solved(a, z), squares
end

-- Each point's weighted square.
local function terms(d, rows, left, c)
  local list, sum = {}, 0.0
  for i = 1, d.m do
    local v, at = 0.0, left[i] - d.k - 1
    for j = 1, d.k + 1 do v = v + c[at + j] * rows[i][j] end
    v = d.w[i] * (v - d.y[i])
    list[i], sum = v * v, sum + v * v
  end
  return list, sum
end

-- ---- knots ----------------------------------------------------------------------------------------------------------
-- Knots between the ends of a spline through all points.
local function through(d)
  local x, k, inner = d.x, d.k, {}
  local half = k // 2
  for i = 1, d.m - k - 1 do
    local at = half + 1 + i
    inner[i] = k % 2 == 1 and x[at] or (x[at] + x[at - 1]) / 2
  end
  return inner
end

-- The squares of each piece; those of a point at a knot go to both by halves.
local function by_piece(d, list, left, pieces)
  local sums, at, part = {}, 1, 0.0
  for i = 1, d.m do
    part = part + list[i]
    if left[i] > d.k + at then
      sums[at], at, part = part - list[i] / 2, at + 1, list[i] / 2
    end
  end
  sums[at] = part
  for i = at + 1, pieces do sums[i] = 0.0 end
  return sums
end

-- One more knot, at the point in the middle of the piece whose squares are most; false: no piece has points within.
local function add_knot(d, inner, sums, within)
  local most, piece, begin, at = 0.0, nil, nil, 1
  for j = 1, #within do
    if within[j] > 0 and sums[j] > most then most, piece, begin = sums[j], j, at end
    at = at + within[j] + 1
  end
  if not piece then return false end
  local count = within[piece]
  local half = count // 2 + 1
  table.insert(inner, piece, d.x[begin + half])
  within[piece] = half - 1
  table.insert(within, piece + 1, count - half)
  sums[piece] = most * (half - 1) / count
  table.insert(sums, piece + 1, most * (count - half) / count)
  return true
end

-- How many knots come next, after what the last ones won.
local function more(plus, won, missing, exact)
  local wanted = plus * 2
  if won > exact then wanted = math.tointeger(math.floor(math.min(plus * missing / won, 1e9))) end
  return math.min(plus * 2, math.max(wanted, plus // 2, 1))
end

-- ---- smoothing ------------------------------------------------------------------------------------------------------
-- Jumps of the derivative k at the knots, a row of k + 2 each.
local function jumps(t, k)
  local n = #t - k - 1
  local scale = (n - k) / (t[n + 1] - t[k + 1])
  local rows = {}
  for l = k + 2, n do
    local row, first = {}, l - k - 1
    for j = 1, k + 2 do
      local product = 1.0
      for i = first + j - 1, first + j + k do
        if i ~= l then product = product * (t[l] - t[i]) end
      end
      row[j] = (t[first + j + k] - t[first + j - 1]) / product / scale ^ k
    end
    rows[#rows + 1] = row
  end
  return rows
end

-- Coefficients where the jumps count 1 / p.
local function held(a, z, rows, k, p)
  local b, q = triangle(#a, k + 2)
  for i = 1, #a do
    for j = 1, k + 1 do b[i][j] = a[i][j] end
    q[i] = z[i]
  end
  for i, jump in ipairs(rows) do
    local row = {}
    for j = 1, k + 2 do row[j] = jump[j] / p end
    for j = i, #a do -- the row moves along the diagonal: what is rotated in fills a next place
      local pivot, into = row[1], b[j]
      local length = math.sqrt(pivot * pivot + into[1] * into[1])
      local c, s = into[1] / length, pivot / length
      into[1] = length
      local right = row.right or 0.0
      row.right, q[j] = c * right - s * q[j], c * q[j] + s * right
      for e = 2, k + 2 do
        local o, v = into[e], row[e] or 0.0
        into[e], row[e - 1] = c * o + s * v, c * v - s * o
      end
      row[k + 2] = 0.0
    end
  end
  return solved(b, q)
end

-- Where the rational function through three points is 0; p3 < 0: infinity.
local function next_p(p1, f1, p2, f2, p3, f3)
  if p3 <= 0 then return (p1 * (f1 - f3) * f2 - p2 * (f2 - f3) * f1) / ((f1 - f2) * f3) end
  local h1, h2, h3 = f1 * (f2 - f3), f2 * (f3 - f1), f3 * (f1 - f2)
  return -(p1 * p2 * h3 + p2 * p3 * h1 + p3 * p1 * h2) / (p1 * h1 + p2 * h2 + p3 * h3)
end

-- The p at which the squares are s; `most` is their sum for a polynomial, `least` with these knots and no smoothing.
local function smoothed(d, s, t, state, most, least)
  local a, z, rows, left = state.a, state.z, state.rows, state.left
  local jump, exact, p = jumps(t, d.k), 0.001 * s, 0.0
  for i = 1, #a do p = p + a[i][1] end
  p = #a / p
  local p1, f1, p3, f3 = 0.0, most - s, -1.0, least - s
  local low, high, c, sum
  for _ = 1, 20 do
    c = held(a, z, jump, d.k, p)
    _, sum = terms(d, rows, left, c)
    local f = sum - s
    if math.abs(f) < exact then break end
    local again
    if not high then
      if f - f3 <= exact then -- p is too large
        p3, f3, again = p, f, true
        p = p * 0.04
        if p <= p1 then p = p1 * 0.9 + p3 * 0.1 end
      elseif f < 0 then high = true end
    end
    if not again and not low then
      if f1 - f <= exact then -- p is too small
        p1, f1, again = p, f, true
        p = p / 0.04
        if p3 >= 0 and p >= p3 then p = p1 * 0.1 + p3 * 0.9 end
      elseif f > 0 then low = true end
    end
    if not again then
      if f >= f1 or f <= f3 then break end
      local there = p
      p = next_p(p1, f1, there, f, p3, f3)
      if f < 0 then p3, f3 = there, f else p1, f1 = there, f end
    end
  end
  return c, sum
end

--- Whether the points fix the coefficients for knots t: each spline has a place of its own (Schoenberg and Whitney).
function M.fixed(d, t)
  local n, at, x = #t - d.k - 1, 1, d.x
  for j = 1, n do
    local first, last = t[j], t[j + d.k + 1]
    while at <= d.m and (x[at] < first or x[at] == first and j > 1 or x[at] == x[at - 1]) do at = at + 1 end
    if at > d.m or x[at] > last or x[at] == last and j < n or t[j + 1] < first then return false end
    at = at + 1
  end
  return true
end

-- More knots, up to `plus` and, before a fit with so many, up to `room`; nothing: no piece has points within.
local function add_knots(d, inner, sums, within, plus, room)
  for _ = 1, plus do
    if not add_knot(d, inner, sums, within) then return nil end
    if #inner == d.m - d.k - 1 then return through(d) end
    if #inner == room then break end
  end
  return inner
end

--- Knots, coefficients and the sum of squares of a spline for which this is s, within a thousandth; 0: through all.
-- Nothing where places that stand twice do not let it come so near. `room`: so many knots are tried by themselves.
function M.near(d, s, room)
  if s == 0 then
    local t = M.ended(d, through(d))
    return t, (M.least(d, t)), 0.0
  end
  local exact, inner, within = 0.001 * s, {}, { d.m - 2 }
  local plus, before, most = 0, 0.0, nil
  while true do
    local t = M.ended(d, inner)
    local rows, left = design(d, t)
    if d.twice and not M.fixed(d, t) then return nil end
    local a, z, squares = decomposed(d, rows, left, #t - d.k - 1)
    local c = solved(a, z)
    most = most or squares
    local missing = squares - s
    local enough = math.abs(missing) < exact or #inner == 0 and missing < 0
    if not enough and missing < 0 then
      c, squares = smoothed(d, s, t, { a = a, z = z, rows = rows, left = left }, most, squares)
    end
    if enough or missing < 0 or #inner >= d.m - d.k - 1 then return t, c, squares end
    plus = (plus == 0 or #inner == room) and 1 or more(plus, before - squares, missing, exact)
    before = squares
    local sums = by_piece(d, terms(d, rows, left, c), left, #within)
    inner = add_knots(d, inner, sums, within, plus, room)
    if not inner then return t, c, squares end
  end
end

-- ---- smoothing splines ----------------------------------------------------------------------------------------------
-- With Q of second differences and R of the integrals of what is linear between points: (R + lam Q' W^-1 Q) g = Q' y
-- for the second derivatives g within, and y - f = lam W^-1 Q g. `diagonals`: three of R and of Q' W^-1 Q.
local function second(d)
  local h, n = {}, d.m
  for i = 1, n - 1 do h[i] = d.x[i + 1] - d.x[i] end
  local Q, R, P, right = {}, { {}, {}, {} }, { {}, {}, {} }, {}
  for j = 1, n - 2 do
    Q[j] = { 1 / h[j], -1 / h[j] - 1 / h[j + 1], 1 / h[j + 1] }
    right[j] = Q[j][1] * d.y[j] + Q[j][2] * d.y[j + 1] + Q[j][3] * d.y[j + 2]
    R[1][j], R[2][j], R[3][j] = (h[j] + h[j + 1]) / 3, h[j + 1] / 6, 0.0
  end
  for j = 1, n - 2 do
    for off = 0, 2 do
      local sum = 0.0
      for e = 1, 3 - off do
        local other = Q[j + off]
        if other then sum = sum + Q[j][e + off] * other[e] / d.w[j + off + e - 1] end
      end
      P[off + 1][j] = sum
    end
  end
  return { h = h, Q = Q, R = R, P = P, right = right }
end

-- L D L' of a symmetric matrix of five diagonals.
local function factored(b1, b2, b3)
  local D, l1, l2 = {}, {}, {}
  for i = 1, #b1 do
    local u, v = l1[i - 1] or 0.0, l2[i - 2] or 0.0
    D[i] = b1[i] - u * u * (D[i - 1] or 0.0) - v * v * (D[i - 2] or 0.0)
    l1[i] = (b2[i] - u * (l2[i - 1] or 0.0) * (D[i - 1] or 0.0)) / D[i]
    l2[i] = b3[i] / D[i]
  end
  return D, l1, l2
end

local function factored_sum(q, lam)
  local b = { {}, {}, {} }
  for off = 1, 3 do
    for i = 1, #q.right do b[off][i] = q.R[off][i] + lam * q.P[off][i] end
  end
  return factored(b[1], b[2], b[3])
end

local function second_derivatives(q, D, l1, l2)
  local g, n = {}, #q.right
  for i = 1, n do
    g[i] = q.right[i] - (l1[i - 1] or 0.0) * (g[i - 1] or 0.0) - (l2[i - 2] or 0.0) * (g[i - 2] or 0.0)
  end
  for i = n, 1, -1 do
    g[i] = g[i] / D[i] - l1[i] * (g[i + 1] or 0.0) - l2[i] * (g[i + 2] or 0.0)
  end
  return g
end

-- y - f at the points.
local function residuals(d, q, g, lam)
  local r = {}
  for i = 1, d.m do r[i] = 0.0 end
  for j = 1, #g do
    for e = 1, 3 do r[j + e - 1] = r[j + e - 1] + q.Q[j][e] * g[j] end
  end
  for i = 1, d.m do r[i] = lam * r[i] / d.w[i] end
  return r
end

--- What generalized cross-validation makes least: the mean of squares over the square of the mean of 1 - A's diagonal,
-- where A turns y into f (the inverse's diagonals after Hutchinson and de Hoog, 1985).
function M.validation(d, lam)
  d.second = d.second or second(d)
  local q = d.second
  local D, l1, l2 = factored_sum(q, lam)
  local sum, trace = 0.0, 0.0
  for _, r in ipairs(residuals(d, q, second_derivatives(q, D, l1, l2), lam)) do sum = sum + r * r end
  local i0, i1, i2 = {}, {}, {}
  for i = #D, 1, -1 do
    local a, b = l1[i], l2[i]
    i1[i] = -a * (i0[i + 1] or 0.0) - b * (i1[i + 1] or 0.0)
    i2[i] = -a * (i1[i + 1] or 0.0) - b * (i0[i + 2] or 0.0)
    i0[i] = 1 / D[i] - a * i1[i] - b * i2[i]
    trace = trace + q.P[1][i] * i0[i] + 2 * (q.P[2][i] * i1[i] + q.P[3][i] * i2[i])
  end
  return sum / d.m / (lam * trace / d.m) ^ 2
end

--- Knots and coefficients of the smoothing spline, a cubic one with a knot at each point.
function M.smooth(d, lam)
  local q = second(d)
  local D, l1, l2 = factored_sum(q, lam)
  local g = second_derivatives(q, D, l1, l2)
  local r, inner, n = residuals(d, q, g, lam), {}, d.m
  for i = 2, n - 1 do inner[i - 1] = d.x[i] end
  local t, c = M.ended(d, inner), {}
  for j = 1, n + 2 do -- the polar form of a piece that the coefficient is of, at its three knots
    local i = math.min(math.max(j - 2, 1), n - 1)
    local f0, f1 = d.y[i] - r[i], d.y[i + 1] - r[i + 1]
    local g0, g1, h = g[i - 1] or 0.0, g[i] or 0.0, q.h[i]
    local slope = (f1 - f0) / h - h * (2 * g0 + g1) / 6
    local u, v, w = t[j + 1] - d.x[i], t[j + 2] - d.x[i], t[j + 3] - d.x[i]
    c[j] = f0 + slope * (u + v + w) / 3 + g0 / 2 * (u * v + u * w + v * w) / 3 + (g1 - g0) / (6 * h) * u * v * w
  end
  return t, c
end

return M
