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

  --- `histogram2d(x, y, bins, range, density, weights)`: counts of pairs, and the edges of both; bins: a number, or
  -- `{of x, of y}`; range: `{{from, to}, {from, to}}`.
  function nd.histogram2d(x, y, ...)
    local o = options("histogram2d", { "bins", "range", "density", "weights" }, ...)
    local list = { floats(arr(x)):reshape({ -1 }), floats(arr(y)):reshape({ -1 }) }
    if list[1].size ~= list[2].size then
      util.raise("ValueError", "histogram2d: %d values of x, %d of y", list[1].size, list[2].size)
    end
    local bins, at, edges = o.bins or 10, {}, {}
    for i, v in ipairs(list) do
      local e = edges_of(v, type(bins) == "table" and bins[i] or bins, o.range and o.range[i])
      local n = e.size - 1
      local bin = nd.minimum(nd.searchsorted(e, v, { side = "right" }) - 1, n - 1)
      edges[i], at[i] = e, nd.switch(nd.and_(nd.ge(v, e[0]), nd.le(v, e[n])), bin, -1)
    end
    local n, m = edges[1].size - 1, edges[2].size - 1
    local inside = nd.and_(nd.ge(at[1], 0), nd.ge(at[2], 0))
    local place = (at[1] * m + at[2])[inside]
    local counts = nd.zeros(n * m)
    if place.size > 0 then
      counts = nd.bincount(place, { minlength = n * m,
        weights = o.weights and arr(o.weights):reshape({ -1 })[inside] or nil }):astype("float64")
    end
    counts = counts:reshape({ n, m })
    if o.density then
      counts = counts / nd.diff(edges[1]):reshape({ -1, 1 }) / nd.diff(edges[2]) / nd.sum(counts)
    end
    return counts, edges[1], edges[2]
  end
end
