--- Histograms, for Variables and arrays alike (see theano.alike).
-- @module theano.alikehistograms
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(M, K)
  local as, len, floats, options = K.as, K.len, K.floats, help.options

  local function is_discrete(x) return not as(x).dtype:find("[fc]") end
  local function flat(x) return floats(as(x)):reshape({ -1 }) end
  -- Edges of so many bins of equal width in the dtype of x; its extremes are the ends where no range is given. Both
  -- ends are vectors of one element.
  local function even_edges(what, x, bins, range)
    local lo, hi
    if range ~= nil then
      util.check_type(what, "range", range, "table|ndarray")
      local list = util.is_array(range) and range:reshape({ -1 }):tolist() or util.list(what .. ": the range", range)
      if #list ~= 2 then util.raise("ValueError", "%s: the range is {from, to}, not %d numbers", what, #list) end
      for i = 1, 2 do util.expect(what, i == 1 and "the range's start" or "the range's end", list[i], "number") end
      if not (list[1] <= list[2] and list[2] - list[1] < math.huge) then
        util.raise("ValueError", "%s: the range [%s, %s] is not finite, or its ends are crossed", what,
          util.text(list[1]), util.text(list[2]))
      end
      lo, hi = K.number({ list[1] + 0.0 }, "float64"), K.number({ list[2] + 0.0 }, "float64")
    elseif K.known(x, 0) == 0 then lo, hi = K.number({ 0.0 }, "float64"), K.number({ 1.0 }, "float64")
    else
      local function one(v) return as(v):astype("float64"):reshape({ 1 }) end
      lo, hi = one(M.min(K.longer(x, math.huge))), one(M.max(K.longer(x, -math.huge)))
      if not K.plain then -- of nothing from 0 to 1
        local none = M.eq(len(x, 0), 0)
        lo, hi = as(M.switch(none, 0.0, lo)), as(M.switch(none, 1.0, hi))
      end
      hi = K.checked(hi, M.all(M.lt(hi - lo, math.huge)), what .. ": the range of the elements is not finite")
    end
    local alone = M.eq(lo, hi)
    lo, hi = as(M.switch(alone, lo - 0.5, lo)), as(M.switch(alone, hi + 0.5, hi))
    if range == nil then lo, hi = K.to(lo, x.dtype), K.to(hi, x.dtype) end -- numbers of a range are doubles
    local at, dtype = M.arange(bins + 1), lo.dtype
    local edges = at:astype(dtype) * ((hi - lo) / K.number({ bins + 0.0 }, dtype)) + lo
    return K.to(as(M.switch(M.eq(at, bins), hi, edges)), x.dtype)
  end
  local function edges_of(what, x, bins, range, discrete)
    bins = bins == nil and 10 or bins
    if type(bins) == "number" then
      if math.type(bins) ~= "integer" or bins < 1 then
        util.raise("ValueError", "%s: bins is a number of bins, at least 1, or their edges", what)
      end
      return K.plain and range == nil and core.even_edges(x, bins) or even_edges(what, x, bins, range)
    end
    if type(bins) == "string" then return even_edges(what, x, K.bins(what, x, bins, range, discrete), range) end
    local e = as(bins)
    if e.ndim ~= 1 then util.raise("ValueError", "%s: the edges of bins are a vector", what) end
    return K.checked(e, M.all(M.ge(M.diff(e), 0)), what .. ": bins must increase")
  end

  -- The bin of each element, and n where it is in none. The last one has its right edge, too.
  local function bins_of(x, edges)
    local n = len(edges, 0) - 1
    local places = K.plain and core.bin_places(x, edges)
    if places then return places, n end
    local first, last = K.first(edges["0:1"]), K.first(edges["-1:"])
    local at = M.searchsorted(edges, x, { side = "right" }) - 1
    at = M.switch(M.eq(x, last), n - 1, at)
    return as(M.switch(M.and_(M.ge(x, first), M.le(x, last)), at, n)), n
  end
  -- How many are in each of n bins, or what they weigh; at: bins, and n for none.
  local function counted(what, at, n, weights)
    local o = { minlength = n + 1 }
    if weights ~= nil then
      weights = as(weights):reshape({ -1 })
      if weights.dtype:find("^c") then util.raise("TypeError", "%s: weights are real, not %s", what, weights.dtype) end
      o.weights = K.longer(weights, 0, at)
    end
    local counts = K.part(M.bincount(K.longer(at, n), o), 0, 0, n)
    return weights and counts:astype(weights.dtype) or counts
  end
  local function per(counts, edges, pattern)
    local width = M.diff(edges)
    return counts / (pattern and K.order(as(width), pattern) or width)
  end

  --- `histogram(x, bins, range, weights, density)`: counts (10 bins), and the edges; the last bin has its right edge,
  -- too. bins: a number, or the edges; of arrays also "auto", "fd", "doane", "scott", "stone",
  -- "rice", "sturges" or "sqrt".
  function M.histogram(x, ...)
    local o = options("histogram", { "bins", "range", "weights", "density" }, ...)
    local discrete = is_discrete(x)
    x = flat(x)
    if type(o.bins) == "string" and o.weights ~= nil then
      util.raise("TypeError", "histogram: the number of bins does not follow from weighted elements")
    end
    local edges = edges_of("histogram", x, o.bins, o.range, discrete)
    if o.weights ~= nil then
      local n, m = K.known(x, 0), K.known(as(o.weights):reshape({ -1 }), 0)
      if n and m and n ~= m then
        util.raise("ValueError", "histogram: %d weights for %d elements", m, n)
      end
    end
    local at, n = bins_of(x, edges)
    local counts = counted("histogram", at, n, o.weights)
    if o.density then counts = per(counts / M.sum(counts), edges) end
    return counts, edges
  end
  --- `histogram_bin_edges(x, bins, range, weights)`: the edges of the bins of `histogram`; no number of bins follows
  -- from weighted elements.
  function M.histogram_bin_edges(x, bins, range, weights)
    if weights ~= nil and as(weights).size ~= as(x).size and K.plain then
      util.raise("ValueError", "histogram_bin_edges: %d weights for %d elements", as(weights).size, as(x).size)
    end
    if type(bins) == "string" and weights ~= nil then
      util.raise("TypeError", "histogram_bin_edges: the number of bins does not follow from weighted elements")
    end
    return edges_of("histogram_bin_edges", flat(x), bins, range, is_discrete(x))
  end

  -- The coordinates of points: a sequence of vectors, or the columns of a matrix.
  local function coordinates(sample)
    local list = {}
    if type(sample) == "table" and (util.is_array(sample[1]) or util.is_var(sample[1])) then
      return util.each("histogramdd: sample", sample, flat)
    end
    local points = as(sample)
    local columns = points.ndim == 2 and K.known(points, 1)
    if not columns then
      util.raise("ValueError", "histogramdd: a row for each point is expected, and how many columns there are known")
    end
    if K.plain then points = as(M.ascontiguousarray(points.T)).T end -- columns that lie densely are counted in one pass
    for d = 0, columns - 1 do list[d + 1] = flat(points[{ ":", d }]) end
    return list
  end
  --- `histogramdd(sample, bins, range, density, weights)`: counts of points in so many dimensions, and the sequence of
  -- the edges of each. sample: a row for each point, or a sequence of vectors; bins: a number, or one (or edges) for
  -- each; range: `{{from, to}, ..}`.
  function M.histogramdd(sample, ...)
    local o = options("histogramdd", { "bins", "range", "density", "weights" }, ...)
    local list, each = coordinates(sample), type(o.bins) == "table"
    if #list == 0 then util.raise("ValueError", "histogramdd: there are no dimensions") end
    if each and core.length(o.bins, "histogramdd: bins") ~= #list then
      util.raise("ValueError", "histogramdd: bins for %d of %d dimensions", #o.bins, #list)
    end
    local edges, shape, place, all, out = {}, {}, nil, 1, nil
    local dtype = floats(list[1]).dtype
    for i = 2, #list do dtype = M.promote_types(dtype, floats(list[i]).dtype) end
    for i, x in ipairs(list) do
      local n, first = K.known(x, 0), K.known(list[1], 0)
      if n and first and n ~= first then
        util.raise("ValueError", "histogramdd: %d values of the first dimension, %d of another", first, n)
      end
      local bins = o.bins
      if each then bins = o.bins[i] end
      edges[i] = as(edges_of("histogramdd", x, bins, o.range and o.range[i]))
      if type(bins) ~= "table" then edges[i] = edges[i]:astype(o.range and "float64" or dtype) end
      local at
      at, shape[i] = bins_of(x, edges[i])
      local missed = M.eq(at, shape[i])
      place = place and place * shape[i] + at or at
      out = out and M.or_(out, missed) or missed
      all = all * shape[i]
    end
    place = as(M.switch(out, all, place))
    local counts = as(counted("histogramdd", place, all, o.weights)):astype("float64"):reshape(shape)
    if o.density then
      local total = M.sum(counts)
      for i, e in ipairs(edges) do
        local pattern = {}
        for d = 1, #list do pattern[d] = d == i and 0 or "x" end
        counts = per(counts, e, pattern)
      end
      counts = counts / total
    end
    return counts, edges
  end
  --- `histogram2d(x, y, bins, range, density, weights)`: counts of pairs, and the edges of both; bins: a number, or
  -- `{of x, of y}`; range: `{{from, to}, {from, to}}`.
  function M.histogram2d(x, y, ...)
    local counts, edges = M.histogramdd({ as(x):reshape({ -1 }), as(y):reshape({ -1 }) }, ...)
    return counts, edges[1], edges[2]
  end
end
