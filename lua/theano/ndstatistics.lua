--- NumPy's histograms of arrays. Installed by theano.ndnumpy.
-- @module theano.ndstatistics
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(nd)
  local arr = core.asarray
  local options, floats = help.options, help.floats

  -- ---- statistics ---------------------------------------------------------------------------------------------------
  local function edges_of(a, bins, range)
    if type(bins) ~= "number" then
      local e = arr(bins)
      if e.ndim ~= 1 or nd.any(nd.lt(nd.diff(e), 0)) then
        util.raise("ValueError", "histogram: bins must increase")
      end
      return e
    end
    if math.type(bins) ~= "integer" or bins < 1 then
      util.raise("ValueError", "histogram: bins is a number of bins, at least 1, or their edges")
    end
    local lo, hi = 0.0, 1.0
    if range then
      lo, hi = table.unpack(util.list("histogram: the range", range))
      util.expect("histogram", "the range's start", lo, "number")
      util.expect("histogram", "the range's end", hi, "number")
    elseif a.size > 0 then lo, hi = nd.min(a), nd.max(a) end
    if not (lo <= hi and hi - lo < math.huge) then
      util.raise("ValueError", "histogram: the range [%s, %s] is not finite", util.text(lo), util.text(hi))
    end
    if lo == hi then lo, hi = lo - 0.5, hi + 0.5 end
    local from, to = nd.array({ lo }, a.dtype), nd.array({ hi }, a.dtype)
    local edges = nd.arange(bins + 1):astype(a.dtype) * ((to - from) / bins) + from
    edges[bins] = hi
    return edges
  end

  --- `histogram(a, bins, range, weights, density)`: counts, and the edges; the last bin includes its right edge.
  function nd.histogram(a, ...)
    local o = options("histogram", { "bins", "range", "weights", "density" }, ...)
    a = floats(arr(a)):reshape({ -1 })
    local edges = edges_of(a, o.bins or 10, o.range)
    local n = edges.size - 1
    local inside = nd.and_(nd.ge(a, edges[0]), nd.le(a, edges[n]))
    local at = nd.minimum(nd.searchsorted(edges, a[inside], { side = "right" }) - 1, n - 1)
    local counts
    if o.weights then
      local w = arr(o.weights):reshape({ -1 })[inside]
      counts = at.size > 0 and nd.bincount(at, { weights = w, minlength = n }) or nd.zeros(n, w.dtype)
    else counts = at.size > 0 and nd.bincount(at, { minlength = n }) or nd.zeros(n, "int64") end
    if o.density then counts = counts / nd.sum(counts) / nd.diff(edges) end
    return counts, edges
  end

  --- `histogram_bin_edges(a, bins, range)`: the edges of the bins of `histogram`.
  function nd.histogram_bin_edges(a, bins, range) return edges_of(floats(arr(a)):reshape({ -1 }), bins or 10, range) end

  --- `histogramdd(sample, bins, range, density, weights)`: counts of points in so many dimensions, and the sequence of
  -- the edges of each. sample: a row for each point, or a sequence of vectors; bins: a number, or one (or edges) for
  -- each; range: `{{from, to}, ..}`.
  function nd.histogramdd(sample, ...)
    local o = options("histogramdd", { "bins", "range", "density", "weights" }, ...)
    local list, each, place, inside = {}, type(o.bins) == "table", nil, nil
    if type(sample) == "table" and util.is_array(sample[1]) then
      list = util.each("histogramdd: sample", sample, function(v) return arr(v) end)
    else
      local points = arr(sample)
      if points.ndim ~= 2 then util.raise("ValueError", "histogramdd: a row for each point is expected") end
      for d = 0, points.shape[2] - 1 do list[d + 1] = points[{ ":", d }] end
    end
    local edges, shape = {}, {}
    for i, v in ipairs(list) do
      v = floats(v):reshape({ -1 })
      if v.size ~= list[1].size then
        util.raise("ValueError", "histogramdd: %d values of the first dimension, %d of another", list[1].size, v.size)
      end
      local bins = o.bins
      if each then bins = o.bins[i] end
      local e = edges_of(v, bins or 10, o.range and o.range[i])
      local n = e.size - 1
      local bin = nd.minimum(nd.searchsorted(e, v, { side = "right" }) - 1, n - 1)
      local there = nd.and_(nd.ge(v, e[0]), nd.le(v, e[n]))
      edges[i], shape[i] = e, n
      place = place and place * n + bin or bin
      inside = inside and nd.and_(inside, there) or there
    end
    if #list == 0 then util.raise("ValueError", "histogramdd: there are no dimensions") end
    if each and core.length(o.bins, "histogramdd: bins") ~= #list then
      util.raise("ValueError", "histogramdd: bins for %d of %d dimensions", #o.bins, #list)
    end
    local all = 1
    for _, n in ipairs(shape) do all = all * n end
    local counts = nd.zeros(all)
    place = place[inside]
    if place.size > 0 then
      counts = nd.bincount(place, { minlength = all,
        weights = o.weights and arr(o.weights):reshape({ -1 })[inside] or nil }):astype("float64")
    end
    counts = counts:reshape(shape)
    if o.density then
      local total = nd.sum(counts)
      for i, e in ipairs(edges) do
        local form = {}
        for d = 1, #list do form[d] = d == i and -1 or 1 end
        counts = counts / nd.diff(e):reshape(form)
      end
      counts = counts / total
    end
    return counts, edges
  end
  --- `histogram2d(x, y, bins, range, density, weights)`: counts of pairs, and the edges of both; bins: a number, or
  -- `{of x, of y}`; range: `{{from, to}, {from, to}}`.
  function nd.histogram2d(x, y, ...)
    local counts, edges = nd.histogramdd({ arr(x):reshape({ -1 }), arr(y):reshape({ -1 }) }, ...)
    return counts, edges[1], edges[2]
  end
end
