--- The spectral test proper, for scripts/battery: points (u_i, .., u_(i+t-1)) of a linear generator's numbers lie
-- on parallel hyperplanes, whose largest distance is one over the length of the shortest vector of the dual lattice.
local M = {}

-- ---- numbers of an order-3 recurrence modulo m1 m2, kept as their rests by both ------------------------------------
local function inverse(a, m)
  local r0, r1, s0, s1 = m, a % m, 0, 1
  while r1 ~= 0 do
    local q = r0 // r1
    r0, r1, s0, s1 = r1, r0 - q * r1, s1, s0 - q * s1
  end
  return s0 % m
end

-- The number below m1 m2 (62 bits) with these rests.
local function joined(x, m)
  local m1, m2 = m[1], m[2]
  local a, b = x[1] * inverse(m2, m1) % m1 * m2, x[2] * inverse(m1, m2) % m2 * m1
  return a >= m1 * m2 - b and a - (m1 * m2 - b) or a + b
end

-- What multiplies the first three numbers in number j = 0 .. t - 1. coefficients: by modulus, of the last number first.
local function combinations(coefficients, m, t)
  local rows = {}
  for j = 1, t do
    rows[j] = {}
    for i = 1, 3 do
      local rests = {}
      for h = 1, 2 do
        local sum = 0
        for k = 1, 3 do sum = (sum + (j > 3 and coefficients[h][k] * rows[j - k][i].rests[h] or 0)) % m[h] end
        rests[h] = j > 3 and sum or (i == j and 1 or 0)
      end
      rows[j][i] = { rests = rests, whole = joined(rests, m) }
    end
  end
  return rows
end

-- Integer vectors h with h . (numbers) = 0 modulo m for every start.
local function dual(coefficients, m, t)
  local rows, basis = combinations(coefficients, m, t), {}
  for j = 1, t do
    local v = {}
    for i = 1, t do v[i] = i == j and 1 or 0 end
    if j <= 3 then v[j] = m[1] * m[2] end
    for i = 1, j > 3 and 3 or 0 do v[i] = -rows[j][i].whole end
    basis[j] = v
  end
  return basis
end

-- ---- short vectors --------------------------------------------------------------------------------------------------
local function dot(a, b)
  local s = 0.0
  for i = 1, #a do s = s + (a[i] + 0.0) * b[i] end
  return s
end

-- Orthogonal parts of the basis: mu[i][j], and their squares.
local function orthogonal(basis)
  local mu, square, parts = {}, {}, {}
  for i, b in ipairs(basis) do
    local v = {}
    for k = 1, #b do v[k] = b[k] + 0.0 end
    mu[i] = {}
    for j = 1, i - 1 do
      mu[i][j] = dot(b, parts[j]) / square[j]
      for k = 1, #b do v[k] = v[k] - mu[i][j] * parts[j][k] end
    end
    parts[i], square[i] = v, dot(v, v)
  end
  return mu, square
end

-- Takes multiples of earlier vectors off vector i. A multiple beyond a float's digits leaves a rest for the next turn;
-- integers wrap on the way and are right where the result fits.
local function shorten(basis, i)
  for _ = 1, 8 do
    local changed = false
    for j = i - 1, 1, -1 do
      local mu = orthogonal(basis)
      local q = math.tointeger(math.floor(mu[i][j] + 0.5))
      if q and q ~= 0 then
        for k = 1, #basis do basis[i][k] = basis[i][k] - q * basis[j][k] end
        changed = true
      end
    end
    if not changed then return end
  end
end

-- Lenstra, Lenstra and Lovasz's reduction.
local function reduce(basis)
  local i = 2
  while i <= #basis do
    shorten(basis, i)
    local mu, square = orthogonal(basis)
    if square[i] >= (0.999 - mu[i][i - 1] ^ 2) * square[i - 1] then i = i + 1
    else basis[i], basis[i - 1], i = basis[i - 1], basis[i], math.max(i - 1, 2) end
  end
end

--- The square of the shortest vector but 0 of a lattice of integers: every combination that may be shorter is tried.
function M.shortest(basis)
  reduce(basis)
  local mu, square = orthogonal(basis)
  local t, best = #basis, dot(basis[1], basis[1])
  local x = {}
  local function try(i, so_far)
    if i == 0 then
      if so_far > 0.5 then best = math.min(best, so_far) end
      return
    end
    local center = 0.0
    for j = i + 1, t do center = center - x[j] * mu[j][i] end
    local first, room = math.floor(center + 0.5), math.sqrt(math.max(best * (1 + 1e-9) - so_far, 0) / square[i])
    for n = math.ceil(center - room), math.floor(center + room) do
      x[i] = n
      try(i - 1, so_far + (n - center) ^ 2 * square[i])
    end
    x[i] = first
  end
  try(t, 0.0)
  return best
end

-- Squares of the shortest vectors of the densest lattices of determinant 1 (Hermite's constants).
local DENSEST = { 1, (4 / 3) ^ 0.5, 2 ^ (1 / 3), 2 ^ 0.5, 8 ^ (1 / 5), (64 / 3) ^ (1 / 6), 64 ^ (1 / 7), 2 }

--- By dimension 4 .. most (up to 8): the shortest vector to the longest possible one (L'Ecuyer's S_t, at most 1) of a
-- recurrence of order 3 modulo two primes combined. In 3 dimensions and less every point is there.
function M.figures(coefficients, m, most)
  local list = {}
  for t = 4, most do
    local possible = DENSEST[t] ^ 0.5 * ((m[1] + 0.0) * m[2]) ^ (3 / t)
    list[t] = M.shortest(dual(coefficients, m, t)) ^ 0.5 / possible
  end
  return list
end

--- Those of MRG31k3p.
function M.mrg31k3p()
  return M.figures({ { 0, 1 << 22, (1 << 7) + 1 }, { 1 << 15, 0, (1 << 15) + 1 } }, { 2147483647, 2147462579 }, 8)
end

return M
