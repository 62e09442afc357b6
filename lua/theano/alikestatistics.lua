--- Statistics, and sums over what is not NaN, for Variables and arrays alike (see theano.alike).
-- @module theano.alikestatistics
local help = require("theano.ndhelp")
local util = require("theano.util")

return function(M, K)
  local as, order, len, floats = K.as, K.order, K.len, K.floats
  local options, axes_of, over = help.options, help.axes_of, help.over

  -- The axes to be reduced merged into the first one, those that are left behind it (one at least); and what puts a
  -- result without the first one into its place.
  local function columns(what, x, axis)
    local axes = axes_of(what, x, axis)
    local inside, pattern, form, n = util.set(axes), {}, { false }, 1
    for i, d in ipairs(axes) do
      pattern[i] = d
      n = i == 1 and len(x, d) or n * len(x, d)
    end
    for d = 0, x.ndim - 1 do
      if not inside[d] then
        pattern[#pattern + 1] = d
        form[#form + 1] = len(x, d)
      end
    end
    form[1] = n
    local all = #form == 1
    if all then form[2] = 1 end
    local function back(r, keepdims)
      local put, at = {}, 0
      for d = 0, x.ndim - 1 do
        if not inside[d] then
          put[#put + 1] = at
          at = at + 1
        elseif keepdims then put[#put + 1] = "x" end
      end
      if all then r = K.first(r) end
      return order(r, put)
    end
    return order(x, pattern):reshape(form), n, back
  end

  -- The element of each column at a place; both may be numbers or integer Variables.
  local function at(sorted, i) return sorted[K.whole(i)] end
  -- Rows with one of NaN behind them, where their number, n, is a Variable and may be 0.
  local function and_nan(rows, n)
    if type(n) == "number" then return rows end
    local shape = { 1 }
    for d = 1, rows.ndim - 1 do shape[d + 1] = len(rows, d) end
    return M.concatenate({ rows, M.alloc(K.number(0 / 0, rows.dtype), table.unpack(shape)) }, 0)
  end
  -- An element as `at` gives it; NaN where there is none at all.
  local function at_or_nan(sorted, i, n)
    if type(n) == "number" then return at(sorted, i) end
    i = K.whole(i)
    return and_nan(K.part(sorted, 0, i, i + 1), n)[0]
  end

  -- ---- quantiles ----------------------------------------------------------------------------------------------------
  -- Where quantile q stands among n sorted elements, counted from 0 and with a fraction.
  local function plotting(alpha, beta)
    return { function(n, q) return n * q + (alpha + q * (1 - alpha - beta)) - 1 end }
  end
  local function floor(v) return type(v) == "number" and math.floor(v) or M.floor(v) end
  local function choose(c, a, b)
    if type(c) == "boolean" then
      if c then return a end
      return b
    end
    return M.switch(c, a, b)
  end
  local function is_zero(v)
    if type(v) == "number" then return v == 0 end
    return M.eq(v, 0)
  end
  local function some(n)
    if type(n) == "number" then return n > 0 end
    return M.gt(n, 0)
  end
  local function steps(n, q) return n * q - 1 end
  local function among(n, q) return (n - 1) * q end
  local function whole(v) return 0 * v end -- the fraction of what stands at an element
  local METHODS = { -- place, and what becomes of its fraction
    linear = { among },
    lower = { function(n, q) return floor(among(n, q)) end },
    higher = { function(n, q) return -floor(-among(n, q)) end },
    nearest = { function(n, q)
      local v = among(n, q)
      local low = floor(v)
      local rest = v - low
      if type(v) == "number" then return (rest > 0.5 or rest == 0.5 and low % 2 == 1) and low + 1 or low end
      return M.round_half_to_even(v)
    end },
    midpoint = { among, function(t) return choose(is_zero(t), 0.0, 0.5) end },
    inverted_cdf = { steps, function(t) return choose(is_zero(t), 0.0, 1.0) end },
    averaged_inverted_cdf = { steps, function(t) return choose(is_zero(t), 0.5, 1.0) end },
    closest_observation = { function(n, q) return steps(n, q) - 0.5 end, function(t, low)
      local both
      if type(t) == "number" then both = t == 0 and low % 2 == 1
      else both = M.and_(M.eq(t, 0), M.eq(M.mod(low, 2), 1)) end
      return choose(both, 0.0, 1.0)
    end },
    interpolated_inverted_cdf = plotting(0, 1), hazen = plotting(0.5, 0.5), weibull = plotting(0, 0),
    median_unbiased = plotting(1 / 3, 1 / 3), normal_unbiased = plotting(3 / 8, 3 / 8),
  }
  METHODS.lower[2], METHODS.higher[2], METHODS.nearest[2] = whole, whole, whole
  -- Those that give an element as it is, of any dtype: the fraction is 0 or 1.
  local ELEMENT = {}
  for _, name in ipairs({ "lower", "higher", "nearest", "inverted_cdf", "closest_observation" }) do
    ELEMENT[METHODS[name]] = true
  end

  local function least(a, b)
    if type(a) == "number" and type(b) == "number" then return math.min(a, b) end
    return M.minimum(a, b)
  end
  local function most(a, b)
    if type(a) == "number" and type(b) == "number" then return math.max(a, b) end
    return M.maximum(a, b)
  end

  -- Between a and b, as NumPy rounds it: their difference in their own dtype.
  local function between(a, b, t, dtype)
    local d = K.to(as(b - a), dtype)
    a, b = K.to(as(a), dtype), K.to(as(b), dtype)
    if type(t) == "number" then return t >= 0.5 and b - d * (1 - t) or a + d * t end
    local high = M.ge(t, 0.5)
    t = t:astype(dtype)
    return M.switch(high, b - d * (1 - t), a + d * t)
  end

  -- NaN for each column, of which none has an element.
  local function nan_each(sorted)
    return as(M.switch(M.eq(sorted:sum(0), 0), M.nan, M.nan)):astype(sorted.dtype)
  end

  -- The last of sums along the first axis, which stays.
  local function last_of(sums, n)
    local pattern = { "x" }
    for d = 1, sums.ndim - 1 do pattern[d + 1] = d - 1 end
    return order(as(sums[K.whole(n - 1)]), pattern)
  end

  local function quantile(sorted, n, q, method, dtype)
    local v = method[1](n, q)
    local low = floor(v)
    local t = v - low
    if method[2] then t = method[2](t, low) end
    if ELEMENT[method] then
      local r = at(sorted, least(most(low + t, 0), n - 1))
      return sorted.dtype:find("[fc]") and M.switch(M.isnan(at(sorted, n - 1)), at(sorted, n - 1), r) or r
    end
    local a, b = at(sorted, least(most(low, 0), n - 1)), at(sorted, least(most(low + 1, 0), n - 1))
    local last = at(sorted, n - 1)
    return M.switch(M.isnan(last), last, between(a, b, t, dtype))
  end

  local function fraction(what, p, scale)
    if util.is_var(p) and K.whole then
      if p.ndim ~= 0 then util.raise("ValueError", "%s: a Variable q has no dimensions", what) end
      return p / scale
    end
    if type(p) ~= "number" or not (p >= 0 and p <= scale) then
      util.raise("ValueError", "%s: %s is not in [0, %d]", what, util.text(p), scale)
    end
    return p / scale
  end
  -- The numbers of q in order, and its shape: of a number nil. In graphs what a list holds may be Variables.
  local function several(q)
    if type(q) ~= "table" and not util.is_array(q) then return { q } end
    if util.is_array(q) or type(q[1]) == "table" then
      q = K.plain and as(q) or require("theano.core").asarray(q)
      return q:reshape({ -1 }):tolist(), q.shape
    end
    return q, { #util.list("q", q) }
  end

  -- Of each column the first element with so much of the weights before it and in it; what weighs nothing is none.
  local function weighted(cols, n, w, q, nan)
    local places = M.argsort(cols, 0)
    local sorted = M.take_along_axis(cols, places, 0)
    if cols.dtype:find("[fc]") then w = M.switch(M.isnan(cols), 0.0, w) end
    local sums = as(M.cumsum(M.take_along_axis(as(w), places, 0), 0))
    local part = sums / last_of(sums, n)
    part = M.switch(M.eq(part, 0), -1.0, part)
    local before = as(M.sum(as(M.lt(part, q)), { axis = 0, keepdims = true }))
    local r = M.take_along_axis(sorted, K.to(as(M.minimum(before, n - 1)), "int64"), 0)
    local last = sorted[K.whole(n - 1)]
    return nan and cols.dtype:find("f") and M.switch(M.isnan(last), last, r[0]) or r[0]
  end
  -- Weights of the form of the columns: as many as x has, or as many as one axis is long.
  local function weights_of(what, w, x, o)
    w = as(w):astype("float64")
    if o.method ~= "inverted_cdf" then
      util.raise("ValueError", "%s: weights are for the method \"inverted_cdf\" alone", what)
    end
    if w.ndim == 1 and x.ndim > 1 then
      if o.axis == nil then util.raise("TypeError", "%s: weights of another shape need an axis", what) end
      local axis, pattern = help.axis_of(what, x, o.axis), {}
      for d = 1, x.ndim do pattern[d] = d == axis + 1 and 0 or "x" end
      w = order(w, pattern)
    end
    return (columns(what, as(M.second(x, w)), o.axis))
  end

  -- The quantiles of no q: none, each with the form of one.
  local function no_row(of, sorted, n, method, back, keepdims)
    local r = as(back(as(of(sorted, n, 0.5, method, "float64")), keepdims))
    return K.part(M.stack({ r }), 0, 0, 0)
  end

  local function quantiles(what, of, x, q, scale, ...)
    local o = options(what, { "axis", "keepdims", "method", "weights" }, ...)
    util.needed(what, "q", q)
    local method = METHODS[o.method or "linear"]
    if not method then
      util.raise("ValueError", "%s: the method is one of NumPy's, \"linear\", \"lower\", \"hazen\", .., not \"%s\"",
        what, tostring(o.method))
    end
    x = ELEMENT[method] and as(x) or floats(as(x))
    if what ~= "nanmedian" and x.dtype:find("^c") then
      util.raise("TypeError", "%s: complex numbers have no order", what)
    end
    local cols, n, back = columns(what, x, o.axis)
    local discrete = not cols.dtype:find("[fc]")
    if of == quantile or discrete and type(n) ~= "number" then -- in graphs no dtype follows from a length
      of = quantile
      n = K.fine(n, some(n), what .. ": there are no elements", "IndexError")
    elseif n == 0 then cols = floats(cols) end -- of no integers the quantile is NaN
    local parts, many = several(q)
    local sorted, rows = M.sort(cols, 0), {}
    local w = o.weights ~= nil and weights_of(what, o.weights, x, o)
    for i, p in ipairs(parts) do
      local part = fraction(what, p, scale)
      local r = w and weighted(cols, n, w, part, of == quantile)
        or of(sorted, n, part, method, many and "float64" or sorted.dtype)
      rows[i] = back(as(r), o.keepdims)
    end
    if not many then return K.result(rows[1]) end
    if #rows == 0 then return no_row(of, sorted, n, method, back, o.keepdims) end
    local r = M.stack(rows)
    if #many == 1 then return r end
    local shape = many
    for d = 1, r.ndim - 1 do shape[#shape + 1] = len(r, d) end
    return r:reshape(shape)
  end
  --- `quantile(x, q, axis, keepdims, method, weights)`: the element, or what lies between the two nearest, below which
  -- a part q in 0 .. 1 stands; of a sequence of q one row each. Methods are NumPy's: "linear" (the default), "lower",
  -- "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
  -- "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased"; weights are for
  -- "inverted_cdf".
  function M.quantile(x, q, ...) return quantiles("quantile", quantile, x, q, 1, ...) end
  --- `percentile(x, q, axis, keepdims, method)`: the same, with q in 0 .. 100.
  function M.percentile(x, q, ...) return quantiles("percentile", quantile, x, q, 100, ...) end
  --- `median(x, axis, keepdims)`: the middle element, or the mean of the two.
  function M.median(x, axis, keepdims)
    util.check_type("median", "keepdims", keepdims, "boolean")
    x = floats(as(x))
    local cols, n, back = columns("median", x, axis)
    local sorted = M.sort(cols, 0)
    if n == 0 then return K.result(back(nan_each(sorted), keepdims)) end
    local last = at_or_nan(sorted, n - 1, n)
    local middle = (at_or_nan(sorted, (n - 1) // 2, n) + at_or_nan(sorted, n // 2, n)) / 2
    return K.result(back(M.switch(M.isnan(last), last, middle), keepdims))
  end

  --- `average(x, axis, weights, keepdims, returned)`: the weighted mean; with returned also the sum of the weights.
  function M.average(x, ...)
    local o = options("average", { "axis", "weights", "keepdims", "returned" }, ...)
    util.check_type("average", "returned", o.returned, "boolean")
    x = floats(as(x))
    if o.weights == nil then
      local r = M.mean(x, over(o.axis, o.keepdims))
      if not o.returned then return r end
      local n = M.sum(M.ones_like(x, as(r).dtype), over(o.axis, o.keepdims))
      return r, n
    end
    local w, axis = as(o.weights), o.axis
    if w.ndim == 1 and x.ndim > 1 then
      if axis == nil then util.raise("TypeError", "average: weights of another shape need an axis") end
      axis = help.axis_of("average", x, axis)
      local pattern = {}
      for d = 1, x.ndim do pattern[d] = d == axis + 1 and 0 or "x" end
      w = order(w, pattern)
    end
    for d = 0, x.ndim - 1 do
      local n, m = K.known(x, d), w.ndim == x.ndim and K.known(w, d)
      if n and m and n ~= m and (w.ndim == 1 or m ~= 1) then
        util.raise(w.ndim == 1 and axis == nil and "TypeError" or "ValueError",
          "average: weights of %s elements along axis %d do not fit %s", tostring(m), d, tostring(n))
      end
    end
    local product = as(x * w)
    local each = K.plain and table.concat(x.shape, ",") == table.concat(w.shape, ",") and w or as(M.second(x, w))
    local total = as(M.sum(each.dtype == product.dtype and each or each:astype(product.dtype), over(axis, o.keepdims)))
    total = K.checked(total, M.all(as(M.neq(total, 0))), "average: the weights sum to zero", "ZeroDivisionError")
    local r = M.sum(product, over(axis, o.keepdims)) / K.result(total)
    if o.returned then return r, K.result(total) end
    return r
  end

  --- `corrcoef(x, y, rowvar)`: correlation coefficients of the rows of x and of y, or of the columns.
  function M.corrcoef(x, y, rowvar)
    util.check_type("corrcoef", "rowvar", rowvar, "boolean")
    local c = as(M.cov(x, y, rowvar ~= false))
    if c.ndim == 0 then return K.result(as(c / c)) end
    local d = M.sqrt(M.diagonal(c))
    local r = c / (order(d, { 0, "x" }) * d) -- one division of each element
    return c.dtype:find("^complex") and r or M.clip(r, -1, 1)
  end

  -- ---- what is not NaN ----------------------------------------------------------------------------------------------
  -- x with a neutral element for every NaN, and where there were none; nil where there are no NaN to expect.
  local function without_nan(x, neutral)
    if not x.dtype:find("[fc]") then return x end
    local bad = as(M.isnan(x))
    local clean = as(M.switch(bad, K.number(neutral, x.dtype), x))
    return clean.dtype == x.dtype and clean or clean:astype(x.dtype), bad -- a Lua number says no dtype
  end
  local function reduced(r, axis, keepdims)
    if not keepdims and r.ndim > 0 then
      local gone, index = util.set(axes_of("reduced", r, axis)), {}
      for d = 0, r.ndim - 1 do index[d + 1] = gone[d] and "0" or ":" end
      if #index > 0 then r = r[table.concat(index, ", ")] end
    end
    return K.result(r)
  end

  -- What reductions take beside their axes: x where NumPy's `where` holds, and NaN or a neutral element elsewhere.
  local function chosen(what, x, where, neutral)
    if where == nil or where == true then return as(x) end
    x, where = as(x), as(where)
    if where.dtype ~= "bool" then util.raise("TypeError", "%s: 'where' is bool, not %s", what, where.dtype) end
    if x.dtype:find("[fc]") then neutral = -(0 / 0) end
    return as(M.switch(where, x, K.number(neutral, x.dtype)))
  end
  local EXTREMUM = { "axis", "keepdims", "initial", "where" }
  local function nan_extremum(what, reduce, neutral)
    return function(x, ...)
      local o = options(what, EXTREMUM, ...)
      local axis, keepdims = o.axis, o.keepdims
      if o.where ~= nil and o.initial == nil then
        util.raise("ValueError", "%s: of no element there is none: with 'where' it needs 'initial'", what)
      end
      x = chosen(what, x, o.where, o.initial)
      if o.initial ~= nil then
        local clean = without_nan(x, neutral)
        return reduce(clean, { axis = axis, keepdims = keepdims, initial = o.initial })
      end
      local clean, bad = without_nan(x, neutral)
      local r = as(reduce(clean, over(axis, true)))
      if bad then
        r = as(M.switch(as(M.all(bad, over(axis, true))), K.number(-(0 / 0), x.dtype), r))
      end
      return reduced(r, axis, keepdims)
    end
  end
  -- `nanmax(x, axis, keepdims, initial, where)`: largest of what is not NaN; NaN where there is nothing else.
  M.nanmax = nan_extremum("nanmax", M.max, -math.huge)
  -- `nanmin(x, axis, keepdims, initial, where)`: smallest of what is not NaN; NaN where there is nothing else.
  M.nanmin = nan_extremum("nanmin", M.min, math.huge)

  local function said(keywords) return next(keywords) and keywords or nil end -- an empty table is a list of axes
  --- `nansum(x, axis, keepdims, dtype, initial, where)`: the sum of what is not NaN.
  function M.nansum(x, axis, keepdims, dtype, initial, where)
    return M.sum((without_nan(as(x), 0)), said({ axis = axis, keepdims = keepdims, dtype = dtype, initial = initial,
      where = where }))
  end
  --- `nanprod(x, axis, keepdims, dtype, initial, where)`: the product of what is not NaN.
  function M.nanprod(x, axis, keepdims, dtype, initial, where)
    return M.prod((without_nan(as(x), 1)), said({ axis = axis, keepdims = keepdims, dtype = dtype, initial = initial,
      where = where }))
  end
  --- `nancumsum(x, axis, dtype)`: running sums along an axis (None: flattened), over NaN as over 0.
  function M.nancumsum(x, axis, dtype) return M.cumsum((without_nan(as(x), 0)), axis, dtype) end
  --- `nancumprod(x, axis, dtype)`: running products along an axis (None: flattened), over NaN as over 1.
  function M.nancumprod(x, axis, dtype) return M.cumprod((without_nan(as(x), 1)), axis, dtype) end

  --- `nanmean(x, axis, keepdims, dtype, where)`: the mean of what is not NaN.
  function M.nanmean(x, axis, keepdims, dtype, where)
    util.check_type("nanmean", "keepdims", keepdims, "boolean")
    x = as(x)
    if not x.dtype:find("[fc]") then
      return M.mean(x, said({ axis = axis, keepdims = keepdims, dtype = dtype, where = where }))
    end
    if dtype then x = x:astype(dtype) end
    local clean, bad = without_nan(chosen("nanmean", x, where, 0), 0)
    if not bad then return M.mean(clean, over(axis, keepdims)) end
    local o = over(axis, true)
    local sum, count = as(M.sum(clean, o)), as(M.sum(as(M.logical_not(bad)), o))
    return reduced(as(sum / K.to(count, clean.dtype)), axis, keepdims)
  end
  --- `nanvar(x, axis, ddof, keepdims, dtype, mean, where, correction)`: the variance of what is not NaN; mean is one
  -- that is known, correction another name of ddof.
  function M.nanvar(x, ...)
    local o = options("nanvar", { "axis", "ddof", "keepdims", "dtype", "mean", "where", "correction" }, ...)
    if o.ddof and o.correction then
      util.raise("ValueError", "nanvar: ddof and correction are two names of one number: give one of them")
    end
    x, o.ddof = as(x), o.ddof or o.correction
    if not x.dtype:find("[fc]") then
      return M.var(x, { axis = o.axis, ddof = o.ddof or 0, keepdims = o.keepdims, dtype = o.dtype, mean = o.mean,
        where = o.where })
    end
    if o.dtype then x = x:astype(o.dtype) end
    x = chosen("nanvar", x, o.where, 0)
    local clean, bad = without_nan(x, 0)
    if not bad then return M.var(clean, { axis = o.axis, ddof = o.ddof or 0, keepdims = o.keepdims }) end
    local keep = over(o.axis, true)
    local count = as(M.sum(as(M.logical_not(bad)), keep)):astype("float64")
    local about = as(o.mean == nil and M.nanmean(x, o.axis, true) or o.mean)
    local off = as(M.switch(bad, K.number(0, x.dtype), clean - about))
    local sum = as(M.sum(as(M.real(off * M.conj(off))), keep))
    local n = as(count - (o.ddof or 0))
    local positive = as(M.gt(n, 0))
    local r = M.switch(positive, sum / M.switch(positive, n, 1.0), -(0 / 0))
    return reduced(K.to(as(r), sum.dtype), o.axis, o.keepdims)
  end
  --- `nanstd(x, axis, ddof, keepdims, dtype, mean, where, correction)`: the standard deviation of what is not NaN.
  function M.nanstd(x, ...) return M.sqrt(M.nanvar(x, ...)) end

  -- Quantile q of each column's elements that are not NaN, which are sorted to the end.
  local function nanquantile(sorted, n, q, method, dtype)
    if n == 0 then return nan_each(sorted) end
    sorted = and_nan(sorted, n)
    local bad = M.isnan(sorted)
    local there = as(M.sum(M.logical_not(bad), { axis = 0 })):astype("float64")
    local v = method[1](there, q)
    local low = as(M.floor(v))
    local t = v - low
    if method[2] then t = method[2](t, low) end
    local pattern = { "x" }
    for d = 1, low.ndim do pattern[d + 1] = d - 1 end
    local function row(i)
      i = K.to(as(M.maximum(M.minimum(i, there - 1), 0)), "int64")
      local r = M.take_along_axis(sorted, order(i, pattern), 0)
      return r[0]
    end
    if ELEMENT[method] then return row(low + t) end
    return between(row(low), row(low + 1), t, dtype)
  end
  --- `nanquantile(x, q, axis, keepdims, method)`: quantiles of what is not NaN.
  function M.nanquantile(x, q, ...)
    return quantiles("nanquantile", nanquantile, x, q, 1, ...)
  end
  --- `nanpercentile(x, q, axis, keepdims, method)`: the same, with q in 0 .. 100.
  function M.nanpercentile(x, q, ...) return quantiles("nanpercentile", nanquantile, x, q, 100, ...) end
  -- The mean of the two in the middle, or the one: infinities beside it are not multiplied by 0.
  local function nanmiddle(sorted, n, q, method)
    if n == 0 then return nanquantile(sorted, n, q, method) end
    sorted = and_nan(sorted, n)
    local there = as(M.sum(M.logical_not(M.isnan(sorted)), { axis = 0 }))
    local pattern = { "x" }
    for d = 1, there.ndim do pattern[d + 1] = d - 1 end
    local function row(i)
      return as(M.take_along_axis(sorted, order(as(M.maximum(i // 2, 0)), pattern), 0))[0]
    end
    return (row(there - 1) + row(there)) / 2
  end
  --- `nanmedian(x, axis, keepdims)`: the median of what is not NaN.
  function M.nanmedian(x, axis, keepdims)
    return quantiles("nanmedian", nanmiddle, x, 0.5, 1, axis, keepdims)
  end

  local function nan_position(what, find, neutral)
    return function(x, axis, keepdims)
      util.check_type(what, "keepdims", keepdims, "boolean")
      local clean, bad = without_nan(as(x), neutral)
      local r = find(clean, over(axis, keepdims))
      if not bad then return r end
      return K.checked(r, M.logical_not(as(M.any(as(M.all(bad, axis))))), what .. ": there is nothing but NaN")
    end
  end
  -- Position of the largest element that is not NaN.
  M.nanargmax = nan_position("nanargmax", M.argmax, -math.huge)
  -- Position of the smallest element that is not NaN.
  M.nanargmin = nan_position("nanargmin", M.argmin, math.huge)

  --- NaN as 0 and infinities as the largest numbers, or what is given.
  function M.nan_to_num(x, ...)
    local o = options("nan_to_num", { "copy", "nan", "posinf", "neginf" }, ...)
    x = as(x)
    if x.dtype:find("^c") then -- each part by itself
      local function part(v) return as(M.nan_to_num(v, true, o.nan, o.posinf, o.neginf)) end
      return K.result(as(K.complex(part(M.real(x)), part(M.imag(x)))):astype(x.dtype))
    end
    if not x.dtype:find("f") then return K.result(x:copy()) end
    local most_ = M.finfo(x.dtype).max
    local high, low = as(M.isposinf(x)), as(M.isneginf(x))
    x = M.switch(as(M.isnan(x)), K.number(o.nan or 0.0, x.dtype), x)
    x = M.switch(high, K.number(o.posinf or most_, as(x).dtype), x)
    return M.switch(low, K.number(o.neginf or -most_, as(x).dtype), x)
  end
end
