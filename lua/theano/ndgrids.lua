--- nd.interpolate: values on grids of any number of axes. Installed by theano.ndscattered.
-- @module theano.ndgrids
local core = require("theano.core")
local util = require("theano.util")

return function(nd, M, kit)
  local arr = core.asarray
  local side, as, real, spread, points, basis = kit.side, kit.as, kit.real, kit.spread, kit.points, kit.basis

  -- The neighbours of places w along an axis x: positions in it, and what each counts.
  local WAYS = {}
  function WAYS.linear(S, x, w)
    if x.size == 1 then return { S.searchsorted(S == nd and x or S.constant(x), w) * 0 }, { w * 0.0 + 1.0 } end
    local i = S.clip(S.searchsorted(S == nd and x or S.constant(x), w, { side = "right" }) - 1, 0, x.size - 2)
    local edges = S == nd and x or S.constant(x)
    local part = (w - edges[i]) / (edges[i + 1] - edges[i])
    return { i, i + 1 }, { 1 - part, part }
  end
  function WAYS.nearest(S, x, w)
    local places, parts = WAYS.linear(S, x, w)
    if not parts[2] then return places, parts end
    return { S.switch(S.le(parts[2], 0.5), places[1], places[2]) }, { w * 0.0 + 1.0 }
  end
  local DEGREES = { slinear = 1, cubic = 3, quintic = 5 }
  -- Values become coefficients of splines along every axis; what WAYS has for these.
  local function splines(what, axes, values, k)
    local knots = {}
    for d, x in ipairs(axes) do
      if x.size < k + 1 then
        util.raise("ValueError", "%s: splines of degree %d need at least %d places along an axis, not %d", what, k,
          k + 1, x.size)
      end
      local b = M.make_interp_spline(x, values, { k = k, axis = d - 1 })
      knots[d] = b.t
      values = d == 1 and b.c or nd.moveaxis(b.c, 0, d - 1)
    end
    return values, function(S, d, w)
      local B, first = basis(S, knots[d], k, w)
      local places, parts = {}, {}
      for j = 0, k do places[j + 1], parts[j + 1] = first + j, B[j] end
      return places, parts
    end
  end
  -- The sum over all neighbours of places, whose last axis has coordinates; with what is known of the rest.
  local function gathered(S, values, near, v, rank)
    local places, parts = {}, {}
    for d = 1, rank do places[d], parts[d] = near(S, d, v["..., " .. d - 1]) end
    local index, sum = {}, nil
    local function add(d, weight)
      if d > rank then
        local term = values[index] * spread(S, weight, values.ndim - rank)
        sum = sum and sum + term or term
        return
      end
      for j, place in ipairs(places[d]) do
        index[d] = place
        add(d + 1, weight and weight * parts[d][j] or parts[d][j])
      end
    end
    add(1)
    return sum
  end
  -- Whether places lie beyond the grid.
  local function beyond(S, axes, v)
    local out
    for d, x in ipairs(axes) do
      local w = v["..., " .. d - 1]
      local far = S.or_(as(S, S.lt(w, x[0])), as(S, S.gt(w, x[x.size - 1])))
      out = out and S.or_(out, far) or far
    end
    return as(S, out)
  end
  local function options(what, ...)
    local o = util.bind(what, { "points", "values", "method", "bounds_error", "fill_value", points = "table",
      method = "string", bounds_error = "boolean", fill_value = "number|string|boolean" }, ...)
    util.present(what, o, { "points", "values" })
    if o.fill_value == false then o.fill_value = "extrapolate" -- SciPy's None
    elseif o.fill_value == true then util.raise("TypeError", "%s: fill_value is a number or false, not true", what) end
    if type(o.fill_value) == "string" and o.fill_value ~= "extrapolate" then
      util.raise("ValueError", "%s: fill_value is a number or 'extrapolate', not '%s'", what, o.fill_value)
    end
    local method = o.method or "linear"
    if not WAYS[method] and not DEGREES[method] then
      util.raise("NotImplementedError", "%s: the method is 'linear', 'nearest', 'slinear', 'cubic' or 'quintic', not "
        .. "'%s'", what, method)
    end
    return o, method
  end
  --- `RegularGridInterpolator(points, values, {method = "linear", bounds_error, fill_value})`: a function of places
  -- (rows of coordinates; of one axis also a vector) between values on a grid: "linear" along each axis, the "nearest"
  -- ones, or splines, "slinear", "cubic", "quintic". fill_value: a number beyond the grid, or "extrapolate" (or false).
  function M.RegularGridInterpolator(...)
    local what = "RegularGridInterpolator"
    local o, method = options(what, ...)
    local values = real(side(o.values), o.values)
    local axes = util.each(what .. ": points", o.points, function(p) return arr(p) end)
    local turned, falls = {}, false
    if values.ndim < #axes then
      util.raise("ValueError", "%s: %d axes, values of %d dimensions", what, #axes, values.ndim)
    end
    for d, x in ipairs(axes) do -- places that fall are turned round, and the values with them
      local down = x.ndim == 1 and x.size > 1 and x[0] > x[x.size - 1]
      if x.ndim == 1 and x.size == 1 and WAYS[method] then axes[d] = x:astype("float64")
      else axes[d] = points(what, down and x["::-1"] or x, down and x["::-1"] or x) end
      turned[d], falls = down and "::-1" or ":", falls or down
    end
    if falls then values = values[table.concat(turned, ", ")] end
    for d, x in ipairs(axes) do
      local n = util.is_var(values) and x.size or values.shape[d]
      if n ~= x.size then util.raise("ValueError", "%s: %d places, %d values along axis %d", what, x.size, n, d - 1) end
    end
    local near = WAYS[method] and function(S, d, w) return WAYS[method](S, axes[d], w) end
    if not near then
      if util.is_var(values) then
        util.raise("NotImplementedError", "%s: the method is 'linear' or 'nearest' where values are Variables", what)
      end
      values, near = splines(what, axes, values, DEGREES[method])
    end
    return function(at)
      local S = side(at, values)
      local v = real(S, at)
      local line = S == nd and v.ndim == 1 and #axes == 1 -- places along the one axis; else a vector is one place
      if S == nd and not line and (v.ndim == 0 or v.shape[v.ndim] ~= #axes) then
        util.raise("ValueError", "%s: places of %d coordinates are expected, not of shape %s", what, #axes,
          kit.form(v))
      end
      if S == nd and v.ndim == 1 then v = v:reshape({ -1, #axes }) end
      local out = beyond(S, axes, v)
      local r = gathered(S, as(S, values), near, v, #axes)
      if o.fill_value == "extrapolate" then return r end
      if o.bounds_error ~= false and o.fill_value == nil and S == nd then
        if nd.any(arr(out)) then util.raise("ValueError", "%s: a place lies outside of the grid", what) end
        return r
      end
      return S.switch(spread(S, out, values.ndim - #axes), o.fill_value or nd.nan, r)
    end
  end

  --- `interpn(points, values, xi, {method = "linear", bounds_error, fill_value})`: RegularGridInterpolator at xi.
  function M.interpn(...)
    local o = util.bind("interpn", { "points", "values", "xi", "method", "bounds_error", "fill_value", points = "table",
      method = "string", bounds_error = "boolean", fill_value = "number|string|boolean" }, ...)
    util.present("interpn", o, { "points", "values", "xi" })
    local f = M.RegularGridInterpolator(o.points, o.values, { method = o.method or "linear",
      bounds_error = o.bounds_error, fill_value = o.fill_value })
    return f(util.is_var(o.xi) and o.xi or kit.coordinates(o.xi))
  end
  return M
end
