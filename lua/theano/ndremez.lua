--- nd.signal: filters without feedback whose largest error is least (T. W. Parks and J. H. McClellan, "Chebyshev
-- Approximation for Nonrecursive Digital Filters with Linear Phase", 1972), and those of minimum phase. Installed by
-- theano.ndforms.
-- @module theano.ndremez
local core = require("theano.core")
local util = require("theano.util")

local PI = math.pi

-- Frequencies in bands (edges as parts of the sampling rate), with what is wanted there and what errors count.
local function grid_of(p)
  local step = 0.5 / (p.density * p.r)
  local f, want, weight = {}, {}, {}
  for band = 1, #p.bands // 2 do
    local low, high = p.bands[2 * band - 1], p.bands[2 * band]
    if band == 1 and p.odd then low = math.max(low, step) end
    local count = math.max(math.floor((high - low) / step + 0.5), 1)
    for i = 1, count do
      local at = i < count and low + (i - 1) * step or high
      local slope = p.type == "differentiator"
      f[#f + 1] = at
      want[#f] = slope and p.desired[band] * at or p.desired[band]
      weight[#f] = slope and want[#f] > 0.0001 and p.weight[band] / at or p.weight[band]
    end
  end
  if p.odd and p.taps % 2 == 1 and f[#f] > 0.5 - step then f[#f] = 0.5 - step end
  for i = 1, #f do -- what is fitted is a sum of cosines: the rest of the response is a factor
    local c = p.factor(f[i])
    want[i], weight[i] = want[i] / c, weight[i] * c
  end
  return f, want, weight
end

-- The polynomial in cos(2 pi f) whose weighted errors at the frequencies `at` (positions) are of one size and change
-- sign: its nodes, values and barycentric weights.
local function levelled(f, want, weight, at)
  local n, x, w, y = #at, {}, {}, {}
  for i = 1, n do x[i] = math.cos(2 * PI * f[at[i]]) end
  local stride = (n - 2) // 15 + 1 -- products are taken in an order in which they stay in range
  for i = 1, n do
    local product = 1.0
    for first = 1, stride do
      for j = first, n, stride do
        if j ~= i then product = product * 2 * (x[i] - x[j]) end
      end
    end
    w[i] = 1 / product
  end
  local above, below, sign = 0.0, 0.0, 1
  for i = 1, n do
    above, below, sign = above + w[i] * want[at[i]], below + sign * w[i] / weight[at[i]], -sign
  end
  local level = above / below
  sign = 1
  for i = 1, n do y[i], sign = want[at[i]] - sign * level / weight[at[i]], -sign end
  return x, y, w
end

local function value(x, y, w, frequency)
  local c, above, below = math.cos(2 * PI * frequency), 0.0, 0.0
  for i = 1, #x do
    local d = c - x[i]
    if math.abs(d) < 1e-7 then return y[i] end
    above, below = above + w[i] / d * y[i], below + w[i] / d
  end
  return above / below
end

-- Positions at which errors are extreme, n of them whose signs change; nil: there are fewer.
local function extremes(e, n)
  local found, last = {}, #e
  local function top(i, before, after) return e[i] > 0 and e[i] >= before and e[i] > after end
  local function bottom(i, before, after) return e[i] < 0 and e[i] <= before and e[i] < after end
  for i = 1, last do
    local before, after = e[i - 1] or e[i], e[i + 1] or -e[i]
    if i == last then before, after = after, before end
    if top(i, before, after) or bottom(i, before, after) then found[#found + 1] = i end
  end
  while #found > n do
    local least, alternate = 1, true
    for j = 2, #found do
      if math.abs(e[found[j]]) < math.abs(e[found[least]]) then least = j end
      if e[found[j]] * e[found[j - 1]] > 0 then
        least, alternate = math.abs(e[found[j]]) < math.abs(e[found[j - 1]]) and j or j - 1, false
        break
      end
    end
    if alternate and #found == n + 1 then
      least = math.abs(e[found[#found]]) < math.abs(e[found[1]]) and #found or 1
    end
    table.remove(found, least)
  end
  return #found == n and found or nil
end

-- Taps of a response given by its values at frequencies 0, 1 / n, ..
local function taps_of(p, x, y, w)
  local n, h, sizes = p.taps, {}, {}
  for i = 0, n // 2 do sizes[i] = value(x, y, w, i / n) * p.factor(i / n) end
  local middle = (n - 1) / 2
  for t = 0, n - 1 do
    local sum = p.odd and 0.0 or sizes[0]
    for k = 1, (n - 1) // 2 do
      local angle = 2 * PI * (p.odd and middle - t or t - middle) * k / n
      sum = sum + 2 * sizes[k] * (p.odd and math.sin(angle) or math.cos(angle))
    end
    if p.odd and n % 2 == 0 then sum = sum + sizes[n // 2] * math.sin(PI * (middle - t)) end
    h[t + 1] = sum / n
  end
  return h
end

-- What errors are multiplied by so that a sum of cosines is left.
local function factor_of(odd, even_taps)
  if odd then
    local turn = even_taps and PI or 2 * PI
    return function(f) return math.sin(turn * f) end
  end
  return even_taps and function(f) return math.cos(PI * f) end or function() return 1.0 end
end

local function exchanged(p)
  local f, want, weight = grid_of(p)
  local n, at = p.r + 1, {}
  if #f < n then return nil, "the bands are too narrow for so many taps: a larger grid_density" end
  for i = 0, p.r do at[i + 1] = i * (#f - 1) // p.r + 1 end
  for _ = 1, p.rounds do
    local x, y, w = levelled(f, want, weight, at)
    local e, most, least = {}, 0.0, math.huge
    for i = 1, #f do e[i] = weight[i] * (want[i] - value(x, y, w, f[i])) end
    local found = extremes(e, n)
    if not found then break end
    at = found
    for i = 1, n do
      local size = math.abs(e[at[i]])
      most, least = math.max(most, size), math.min(least, size)
    end
    if (most - least) / most < 0.0001 then
      return taps_of(p, levelled(f, want, weight, at))
    end
  end
  return nil, "no filter was found: fewer taps, wider transitions, or a larger maxiter"
end

return function(nd, M)
  local function list(what, name, v)
    local a = core.asarray(v):astype("float64")
    if a.ndim ~= 1 then util.raise("ValueError", "%s: %s is a vector", what, name) end
    return a:tolist()
  end
  --- `remez(numtaps, bands, desired, {weight, type = "bandpass", maxiter = 25, grid_density = 16, fs = 1})`: the filter
  -- without feedback whose largest weighted error in the bands is least; "bandpass", "differentiator" or "hilbert".
  function M.remez(...)
    local what = "remez"
    local o = util.bind(what, { "numtaps", "bands", "desired", "weight", "type", "maxiter", "grid_density", "fs",
      numtaps = "integer", type = "string", maxiter = "integer", grid_density = "integer", fs = "number" }, ...)
    util.present(what, o, { "numtaps", "bands", "desired" })
    local type_ = o.type or "bandpass"
    if type_ ~= "bandpass" and type_ ~= "differentiator" and type_ ~= "hilbert" then
      util.raise("ValueError", "%s: type is 'bandpass', 'hilbert' or 'differentiator', not '%s'", what, type_)
    end
    local bands, desired = list(what, "bands", o.bands), list(what, "desired", o.desired)
    local weight = o.weight ~= nil and list(what, "weight", o.weight) or nil
    if not weight then
      weight = {}
      for i = 1, #desired do weight[i] = 1.0 end
    end
    if #desired == 0 or #bands ~= 2 * #desired or #weight ~= #desired then
      util.raise("ValueError", "%s: two edges, a gain and a weight for each band, not %d, %d and %d", what, #bands,
        #desired, #weight)
    end
    local fs = o.fs or 1.0
    for i = 1, #bands do
      bands[i] = bands[i] / fs
      if bands[i] < 0 or bands[i] > 0.5 or i > 1 and bands[i] < bands[i - 1] then
        util.raise("ValueError", "%s: edges rise from 0 to half of fs", what)
      end
    end
    if o.numtaps < 3 then util.raise("ValueError", "%s: numtaps is at least 3, not %d", what, o.numtaps) end
    local odd, even_taps = type_ ~= "bandpass", o.numtaps % 2 == 0
    local h, why = exchanged({ taps = o.numtaps, bands = bands, desired = desired, weight = weight, type = type_,
      odd = odd, r = o.numtaps // 2 + (not odd and not even_taps and 1 or 0), density = o.grid_density or 16,
      rounds = o.maxiter or 25, factor = factor_of(odd, even_taps) })
    if not h then util.raise("ValueError", "%s: %s", what, why) end
    return nd.array(h)
  end
  -- Taps whose spectrum has the size `size`, of the least delay: by its logarithm, whose even part alone is known.
  local function least_delay(size, n)
    local once = nd.zeros(n)
    once[0] = 1.0
    once[("1:%d"):format(n // 2)] = 2.0
    if n % 2 == 1 then once[n // 2] = 1.0 end
    return nd.real(nd.fft.ifft(nd.exp(nd.fft.fft(nd.real(nd.fft.ifft(nd.log(size))) * once))))
  end
  --- `minimum_phase(h, {method = "homomorphic", n_fft, half = true})`: taps of the least delay whose response has the
  -- size of h's, or, with `half`, its square root by half as many taps (A. V. Oppenheim and R. W. Schafer, homomorphic
  -- filters); "hilbert": of a filter of equal ripples, which are lifted above 0, half as many taps.
  function M.minimum_phase(...)
    local what = "minimum_phase"
    local o = util.bind(what, { "h", "method", "n_fft", "half", method = "string", n_fft = "integer",
      half = "boolean" }, ...)
    util.present(what, o, { "h" })
    local method = o.method or "homomorphic"
    if method ~= "homomorphic" and method ~= "hilbert" then
      util.raise("ValueError", "%s: the method is 'homomorphic' or 'hilbert', not '%s'", what, method)
    end
    if method == "hilbert" and o.half == false then
      util.raise("ValueError", "%s: half is true for the method 'hilbert'", what)
    end
    local h = core.asarray(o.h):astype("float64")
    if h.ndim ~= 1 or h.size <= 2 then util.raise("ValueError", "%s: h is a vector of at least 3 taps", what) end
    local n = o.n_fft or 1 << math.tointeger(math.ceil(math.log(2 * (h.size - 1) / 0.01, 2)))
    if n < h.size then util.raise("ValueError", "%s: n_fft is at least %d, not %d", what, h.size, n) end
    local size = nd.abs(nd.fft.fft(h, n))
    if not nd.any(nd.gt(size, 0)) then util.raise("ValueError", "%s: h is 0 everywhere", what) end
    if method == "hilbert" then
      local turn = nd.arange(n) * (2 * math.pi / n * (h.size // 2))
      local H = nd.real(nd.fft.fft(h, n) * nd.exp(turn * nd.complex(0, 1)))
      local over, under = nd.max(H) - 1, -nd.min(H)
      local by = 4 / (math.sqrt(1 + over + under) + math.sqrt(1 - over + under)) ^ 2
      size = nd.sqrt((H + under) * by) + 1e-10
    else
      size = size + 1e-7 * nd.min(nd.extract(nd.gt(size, 0), size))
      if o.half ~= false then size = nd.sqrt(size) end
    end
    return least_delay(size, n)[(":%d"):format(o.half == false and h.size or (h.size + 1) // 2)]:copy()
  end
end
