--- NumPy's statistics of arrays: quantiles, histograms, and sums over what is not NaN. Installed by theano.ndnumpy.
-- @module theano.ndstatistics
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(nd)
  local arr = core.asarray
  local options, axis_of, axes_of, dropped = help.options, help.axis_of, help.axes_of, help.dropped
  local floats, result = help.floats, help.result

  -- ---- statistics ---------------------------------------------------------------------------------------------------
  -- The axes first, as one, and the others flattened; the shape that a result has, where the axes stay at length 1.
  local function columns(what, a, axis)
    local axes, order, shape, n, others = axes_of(what, a, axis), {}, a.shape, 1, 1
    local inside = util.set(axes)
    for _, d in ipairs(axes) do
      order[#order + 1] = d
      n = n * shape[d + 1]
      shape[d + 1] = 1
    end
    for d = 0, a.ndim - 1 do
      if not inside[d] then
        order[#order + 1] = d
        others = others * shape[d + 1]
      end
    end
    if #order > 1 then a = a:transpose(order) end
    return a:reshape({ n, others }), shape
  end

  -- Linear interpolation between the sorted rows, as NumPy rounds it; NaN where a column holds one.
  local function quantile(sorted, q)
    local n = sorted.shape[1]
    if n == 0 then return nd.full({ sorted.shape[2] }, nd.nan) end
    local at = q * (n - 1)
    local low = math.min(math.floor(at), n - 1)
    local t, a, b = at - low, sorted[low], sorted[math.min(low + 1, n - 1)]
    local r = t >= 0.5 and b - (b - a) * (1 - t) or a + (b - a) * t
    return nd.switch(nd.isnan(sorted[n - 1]), sorted[n - 1], r)
  end

  local function quantiles(what, a, q, scale, ...)
    local o = options(what, { "axis", "keepdims" }, ...)
    local cols, shape = columns(what, arr(a), o.axis)
    local rows, many = {}, type(q) ~= "number"
    local sorted = nd.sort(many and cols:astype("float64") or floats(cols), 0)
    for i, p in ipairs(many and arr(q):reshape({ -1 }):tolist() or { q }) do
      if type(p) ~= "number" or not (p >= 0 and p <= scale) then
        util.raise("ValueError", "%s: %s is not in [0, %d]", what, util.text(p), scale)
      end
      rows[i] = dropped(what, arr(quantile(sorted, p / scale)):reshape(shape), o.axis, o.keepdims)
    end
    return many and nd.stack(rows) or rows[1]
  end
  --- `quantile(a, q, axis, keepdims)`: linear interpolation between the two nearest elements; q, or each, in 0 .. 1.
  function nd.quantile(a, q, ...) return quantiles("quantile", a, q, 1, ...) end
  --- `percentile(a, q, axis, keepdims)`: the same, with q in 0 .. 100.
  function nd.percentile(a, q, ...) return quantiles("percentile", a, q, 100, ...) end

  --- `median(a, axis, keepdims)`: the middle element, or the mean of the two.
  function nd.median(a, axis, keepdims)
    a = arr(a)
    local cols, shape = columns("median", a, axis)
    local sorted, n = nd.sort(floats(cols), 0), cols.shape[1]
    local r
    if n == 0 then r = nd.full(shape, nd.nan, sorted.dtype)
    else
      r = (sorted[(n - 1) // 2] + sorted[n // 2]) / 2
      r = nd.switch(nd.isnan(sorted[n - 1]), sorted[n - 1], r):reshape(shape)
    end
    return dropped("median", r, axis, keepdims)
  end

  --- `average(a, axis, weights, keepdims)`: the weighted mean.
  function nd.average(a, ...)
    local o = options("average", { "axis", "weights", "keepdims" }, ...)
    a = arr(a)
    if not o.weights then return nd.mean(a, o.axis, nil, o.keepdims) end
    local w, axis = arr(o.weights), o.axis
    if w.ndim == 1 and a.ndim > 1 then
      if axis == nil then util.raise("TypeError", "average: weights of another shape need an axis") end
      axis = axis_of("average", a, axis)
      local form = {}
      for d = 1, a.ndim do form[d] = d == axis + 1 and w.size or 1 end
      w = nd.broadcast_to(w:reshape(form), a.shape)
    end
    w = nd.broadcast_to(w, a.shape)
    return nd.sum(arr(a * w), axis, nil, o.keepdims) / nd.sum(w, axis, nil, o.keepdims)
  end

  --- Correlation coefficients of the rows.
  function nd.corrcoef(x)
    local c = arr(nd.cov(x))
    if c.ndim == 0 then return 1.0 end
    local d = nd.sqrt(nd.diagonal(c))
    return nd.clip(c / d:reshape({ -1, 1 }) / d, -1, 1)
  end

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

  -- ---- NaN ----------------------------------------------------------------------------------------------------------
  --- NaN as 0 and infinities as the largest numbers, or what is given.
  function nd.nan_to_num(a, ...)
    local o = options("nan_to_num", { "copy", "nan", "posinf", "neginf" }, ...)
    a = arr(a)
    if not a.dtype:find("^f") then return a:copy() end
    local most = nd.finfo(a.dtype).max
    local function put(where, v) a = nd.switch(where, arr(v, a.dtype), a) end
    local high, low = nd.eq(a, math.huge), nd.eq(a, -math.huge)
    put(nd.isnan(a), o.nan or 0.0)
    put(high, o.posinf or most)
    put(low, o.neginf or -most)
    return result(arr(a))
  end

  -- a with a neutral element for every NaN, and where there were none; nil where there are no NaN to expect.
  local function without_nan(a, neutral)
    if not a.dtype:find("^[fc]") then return a end
    local bad = arr(nd.isnan(a))
    return arr(nd.switch(bad, neutral, a)), bad
  end

  local function nan_extremum(what, reduce, neutral)
    return function(a, axis, keepdims)
      a = arr(a)
      local clean, bad = without_nan(a, neutral)
      local r = arr(reduce(clean, axis, true))
      if bad then r = arr(nd.switch(arr(nd.all(bad, axis, true)), nd.nan, r)) end
      return dropped(what, r, axis, keepdims)
    end
  end
  --- Sum of what is not NaN.
  function nd.nansum(a, axis, keepdims) return nd.sum(without_nan(arr(a), 0), axis, nil, keepdims) end
  --- Mean of what is not NaN.
  function nd.nanmean(a, axis, keepdims)
    local clean, bad = without_nan(arr(a), 0)
    if not bad then return nd.mean(clean, axis, nil, keepdims) end
    local sum, count = arr(nd.sum(clean, axis, nil, true)), arr(nd.sum(nd.logical_not(bad), axis, nil, true))
    return dropped("nanmean", sum / count:astype(clean.dtype), axis, keepdims)
  end
  --- Largest of what is not NaN; NaN where there is nothing else.
  nd.nanmax = nan_extremum("nanmax", nd.max, -math.huge)
  --- Smallest of what is not NaN; NaN where there is nothing else.
  nd.nanmin = nan_extremum("nanmin", nd.min, math.huge)

  --- Product of what is not NaN.
  function nd.nanprod(a, axis, keepdims) return nd.prod(without_nan(arr(a), 1), axis, nil, keepdims) end
  --- Running sums along an axis (None: flattened), over NaN as over 0.
  function nd.nancumsum(a, axis) return nd.cumsum(without_nan(arr(a), 0), axis) end
  --- Running products along an axis (None: flattened), over NaN as over 1.
  function nd.nancumprod(a, axis) return nd.cumprod(without_nan(arr(a), 1), axis) end

  --- `nanvar(a, axis, ddof, keepdims)`: the variance of what is not NaN.
  function nd.nanvar(a, ...)
    local o = options("nanvar", { "axis", "ddof", "keepdims" }, ...)
    a = arr(a)
    local clean, bad = without_nan(a, 0)
    if not bad then return nd.var(a, o.axis, o.ddof or 0, o.keepdims) end
    local there = nd.logical_not(bad)
    local count = arr(nd.sum(there, o.axis, nil, true)):astype("float64")
    local off = arr(nd.switch(bad, 0, arr(clean - arr(nd.nanmean(a, o.axis, true)))))
    local sum = arr(nd.sum(arr(nd.real(off * nd.conj(off))), o.axis, nil, true))
    local n = arr(nd.sub(count, o.ddof or 0))
    local r = arr(nd.switch(nd.gt(n, 0), arr(sum / n), nd.nan)):astype(sum.dtype)
    return dropped("nanvar", r, o.axis, o.keepdims)
  end
  --- `nanstd(a, axis, ddof, keepdims)`: the standard deviation of what is not NaN.
  function nd.nanstd(a, ...) return nd.sqrt(nd.nanvar(a, ...)) end

  -- Quantile q of each column's elements that are not NaN (which are sorted to the end).
  local function nanquantile(sorted, q)
    local there = nd.sum(nd.logical_not(nd.isnan(sorted)), { axis = 0 })
    local at = nd.maximum(there - 1, 0) * q
    local low = nd.minimum(nd.floor(at), nd.maximum(there - 1, 0))
    local t = (at - low):astype(sorted.dtype)
    local function row(i)
      return nd.take_along_axis(sorted, i:astype("int64"):reshape({ 1, -1 }), 0)[0]
    end
    local a, b = row(low), row(nd.minimum(low + 1, nd.maximum(there - 1, 0)))
    return nd.switch(nd.ge(t, 0.5), b - (b - a) * (1 - t), a + (b - a) * t)
  end
  local function nanquantiles(what, a, q, scale, ...)
    local o = options(what, { "axis", "keepdims" }, ...)
    a = floats(arr(a))
    local cols, shape = columns(what, a, o.axis)
    if cols.shape[1] == 0 then return nd.quantile(a, q, ...) end
    local rows, many = {}, type(q) ~= "number"
    local sorted = nd.sort(many and cols:astype("float64") or cols, 0)
    for i, p in ipairs(many and arr(q):reshape({ -1 }):tolist() or { q }) do
      if type(p) ~= "number" or not (p >= 0 and p <= scale) then
        util.raise("ValueError", "%s: %s is not in [0, %d]", what, util.text(p), scale)
      end
      rows[i] = dropped(what, arr(nanquantile(sorted, p / scale)):reshape(shape), o.axis, o.keepdims)
    end
    return many and nd.stack(rows) or rows[1]
  end
  --- `nanquantile(a, q, axis, keepdims)`: quantiles of what is not NaN.
  function nd.nanquantile(a, q, ...) return nanquantiles("nanquantile", a, q, 1, ...) end
  --- `nanpercentile(a, q, axis, keepdims)`: the same, with q in 0 .. 100.
  function nd.nanpercentile(a, q, ...) return nanquantiles("nanpercentile", a, q, 100, ...) end
  --- `nanmedian(a, axis, keepdims)`: the median of what is not NaN.
  function nd.nanmedian(a, ...) return nanquantiles("nanmedian", a, 0.5, 1, ...) end

  local function nan_position(what, find, neutral)
    return function(a, axis, keepdims)
      a = arr(a)
      local clean, bad = without_nan(a, neutral)
      if bad and nd.any(arr(nd.all(bad, axis))) then util.raise("ValueError", "%s: there is nothing but NaN", what) end
      return find(clean, axis, keepdims)
    end
  end
  -- Position of the largest element that is not NaN.
  nd.nanargmax = nan_position("nanargmax", nd.argmax, -math.huge)
  -- Position of the smallest element that is not NaN.
  nd.nanargmin = nan_position("nanargmin", nd.argmin, math.huge)

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
