--- nd.interpolate: values at scattered points. Installed by theano.ndsplines.
-- @module theano.ndscattered
local core = require("theano.core")
local help = require("theano.ndhelp")
local surface = require("theano.ndclough")
local triangles = require("theano.triangles")
local util = require("theano.util")

-- `kit`: what theano.ndinterpolate, theano.ndsplines and this share.
return function(nd, M, kit)
  local arr = core.asarray
  local real, form, function_of, squares = kit.real, kit.form, kit.function_of, kit.squares
  local smooth = surface(nd)

  -- Coordinates as one array, along its last axis: such an array, a vector of places on a line, or a list of arrays,
  -- one for each coordinate.
  local function coordinates(x)
    if util.is_var(x) then util.raise("NotImplementedError", "scattered points: places are arrays, not Variables") end
    if type(x) == "table" and getmetatable(x) == nil and (util.is_array(x[1]) or type(x[1]) == "table") then
      local all = true
      for _, v in ipairs(x) do all = all and util.is_array(v) end
      if all then return nd.stack({ nd.broadcast_arrays(table.unpack(x)) }, -1):astype("float64") end
    end
    return real(nd, x)
  end
  local function places_of(...)
    return coordinates(select("#", ...) > 1 and { ... } or (...))
  end
  local Nearest = {}
  Nearest.__call = function(f, ...)
    local x = places_of(...)
    if x.ndim < 2 and f.line then x = x:reshape({ -1, 1 }) end
    if x.ndim == 0 or x.shape[x.ndim] ~= f.x.shape[2] then
      util.raise("ValueError", "NearestNDInterpolator: places of %d coordinates are expected, not of shape %s",
        f.x.shape[2], form(x))
    end
    local lengths = x.shape
    table.remove(lengths)
    local flat, found = x:reshape({ -1, f.x.shape[2] }), {}
    local each = math.max(1, (1 << 21) // f.x.size)
    for from = 0, flat.shape[1] - 1, each do
      found[#found + 1] = nd.argmin(squares(nd, flat[("%d:%d"):format(from, from + each)], f.x), { axis = 1 })
    end
    if #found == 0 then found[1] = nd.zeros(0, "int64") end
    local r = f.y[nd.concatenate(found, 0)]
    for k = 2, f.y.ndim do lengths[#lengths + 1] = f.y.shape[k] end
    return help.result(r:reshape(lengths))
  end
  --- `NearestNDInterpolator(x, y)`: the value at the nearest of the places x (rows of coordinates): `f(places)`.
  function M.NearestNDInterpolator(x, y)
    local what = "NearestNDInterpolator"
    if x == nil or y == nil then util.raise("TypeError", "%s: x and y are to be given", what) end
    local places, values = coordinates(x), arr(y)
    local line = places.ndim == 1
    if line then places = places:reshape({ -1, 1 }) end
    if places.ndim ~= 2 or places.size == 0 or values.ndim == 0 or values.shape[1] ~= places.shape[1] then
      util.raise("ValueError", "%s: x has rows of coordinates, and as many as y, not %s and %s", what, form(places),
        form(values))
    end
    return function_of(what, { x = places, y = values, line = line }, Nearest)
  end

  -- ---- in triangles -------------------------------------------------------------------------------------------------
  local function list(column) return nd.ascontiguousarray(column):tolist() end
  -- The lengths of the result and, for each place, the first half-edge of its triangle (0: outside) and its parts of
  -- the three corners.
  local function located(f, what, ...)
    local x = places_of(...)
    if x.ndim == 0 or x.shape[x.ndim] ~= 2 then
      util.raise("ValueError", "%s: places of 2 coordinates are expected, not of shape %s", what, form(x))
    end
    local lengths = x.shape
    table.remove(lengths)
    for k = 2, f.y.ndim do lengths[#lengths + 1] = f.y.shape[k] end
    local flat = (x:reshape({ -1, 2 }) - f.shift) * f.scale
    local px, py = list(flat[":, 0"]), list(flat[":, 1"])
    local first, parts, last = {}, { {}, {}, {} }, 1
    for i = 1, #px do
      local at, ab, bc, ca = triangles.find(f.triangles, px[i], py[i], last)
      last = at or last
      local all = at and ab + bc + ca
      first[i] = at or 0
      parts[1][i], parts[2][i], parts[3][i] = at and bc / all or 0.0, at and ca / all or 0.0, at and ab / all or 0.0
    end
    return lengths, first, parts
  end
  -- v as a column beside values, which are rows.
  local function column(f, v)
    v = arr(v)
    return f.y.ndim == 1 and v or v:reshape({ v.size, table.unpack(f.ones) })
  end
  local function filled(f, lengths, first, r)
    return help.result(arr(nd.where(column(f, nd.eq(nd.array(first), 0)), f.fill, r)):reshape(lengths))
  end
  local Linear = {}
  Linear.__call = function(f, ...)
    local lengths, first, parts = located(f, "LinearNDInterpolator", ...)
    if #first == 0 then return nd.zeros(lengths, f.y.dtype) end
    local r = 0.0
    for k = 1, 3 do
      local corner = {}
      for i, at in ipairs(first) do corner[i] = at > 0 and f.triangles.from[at + k - 1] - 1 or 0 end
      r = r + f.y[nd.array(corner)] * column(f, nd.array(parts[k]))
    end
    return filled(f, lengths, first, r)
  end
  -- Points with values and their triangles; `more`: options of one's own.
  local function scattered(what, more, methods, ...)
    local names = { "points", "values", "fill_value", fill_value = "number", rescale = "boolean" }
    for k, v in pairs(more) do names[type(k) == "string" and k or #names + 1] = v end
    local o = util.bind(what, names, ...)
    util.present(what, o, { "points", "values" })
    local x, y = coordinates(o.points), real(nd, o.values)
    if x.ndim ~= 2 or y.ndim == 0 or y.shape[1] ~= x.shape[1] then
      util.raise("ValueError", "%s: points has rows of coordinates, and as many as values, not %s and %s", what,
        form(x), form(y))
    end
    if x.shape[2] ~= 2 then
      util.raise("NotImplementedError", "%s: points lie in the plane; in %d dimensions there is the nearest one's "
        .. "value", what, x.shape[2])
    end
    if x.dtype:find("^c") then util.raise("TypeError", "%s: points are real, not %s", what, x.dtype) end
    if not nd.all(nd.isfinite(x)) then util.raise("ValueError", "%s: points are finite", what) end
    local shift, scale = nd.zeros(2), nd.ones(2)
    if x.size > 0 then shift = nd.mean(x, { axis = 0 }) end
    if o.rescale then
      local width = nd.ptp(x, { axis = 0 })
      scale = nd.where(nd.gt(width, 0), 1 / nd.where(nd.gt(width, 0), width, 1.0), 1.0)
    end
    local moved = (x - shift) * scale
    local t = triangles.of(list(moved[":, 0"]), list(moved[":, 1"]))
    if #t.from == 0 then
      util.raise("ValueError", "%s: at least three points that do not lie on a line are needed, of %d", what,
        x.shape[1])
    end
    local ones = {}
    for k = 2, y.ndim do ones[k - 1] = 1 end
    return function_of(what, { points = x, values = y, y = y, triangles = t, shift = shift, scale = scale, ones = ones,
      fill = o.fill_value or nd.nan }, methods), o
  end
  --- `LinearNDInterpolator(points, values, {fill_value = nan, rescale})`: linear between scattered points in the plane
  -- (rows of two coordinates), in Delaunay's triangles; outside of their hull fill_value: `f(places)`, `f(X, Y)`.
  function M.LinearNDInterpolator(...)
    return (scattered("LinearNDInterpolator", { "rescale" }, Linear, ...))
  end
  local Cubic = {}
  Cubic.__call = function(f, ...)
    local lengths, first, parts = located(f, "CloughTocher2DInterpolator", ...)
    if #first == 0 then return nd.zeros(lengths, f.y.dtype) end
    return filled(f, lengths, first, smooth.values(f.pieces, first, parts):reshape({ #first,
      table.unpack(f.y.shape, 2) }))
  end
  --- `CloughTocher2DInterpolator(points, values, {fill_value = nan, tol = 1e-6, maxiter = 400, rescale})`: a smooth
  -- surface through scattered points in the plane, of three cubic pieces in each of Delaunay's triangles.
  function M.CloughTocher2DInterpolator(...)
    local f, o = scattered("CloughTocher2DInterpolator", { "tol", "maxiter", "rescale", tol = "number",
      maxiter = "integer" }, Cubic, ...)
    f.pieces = smooth.pieces(f.triangles, f.y, o.tol or 1e-6, o.maxiter or 400)
    return f
  end
  --- `griddata(points, values, xi, {method = "linear", fill_value = nan, rescale})`: values at places xi of scattered
  -- points: the "nearest" one's; in the plane also "linear" (LinearNDInterpolator) and "cubic" (CloughTocher..), as on
  -- a line.
  function M.griddata(...)
    local o = util.bind("griddata", { "points", "values", "xi", "method", "fill_value", "rescale", method = "string",
      fill_value = "number", rescale = "boolean" }, ...)
    util.present("griddata", o, { "points", "values", "xi" })
    local method, places = o.method or "linear", coordinates(o.points)
    if method ~= "nearest" and method ~= "linear" and method ~= "cubic" then
      util.raise("ValueError", "griddata: method is 'nearest', 'linear' or 'cubic', not '%s'", method)
    end
    if method == "nearest" then return M.NearestNDInterpolator(places, o.values)(coordinates(o.xi)) end
    if places.ndim == 1 or places.ndim == 2 and places.shape[2] == 1 then
      return M.interp1d(places:reshape({ -1 }), o.values, { kind = method, axis = 0, bounds_error = false,
        fill_value = o.fill_value or nd.nan })(coordinates(o.xi))
    end
    if places.shape[places.ndim] ~= 2 then
      util.raise("NotImplementedError", "griddata: in %d dimensions the method is 'nearest', not '%s'",
        places.shape[places.ndim], method)
    end
    return M[method == "linear" and "LinearNDInterpolator" or "CloughTocher2DInterpolator"](places, o.values,
      { fill_value = o.fill_value or nd.nan, rescale = o.rescale })(o.xi)
  end
  kit.coordinates = coordinates
  return require("theano.ndgrids")(nd, M, kit)
end
