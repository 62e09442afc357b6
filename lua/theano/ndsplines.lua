--- nd.interpolate: B-splines, polynomials through points, radial functions. What they make is called with arrays or
-- with Variables. Installed by theano.ndinterpolate.
-- @module theano.ndsplines
local core = require("theano.core")
local help = require("theano.ndhelp")
local util = require("theano.util")

-- `kit`: what theano.ndinterpolate and this share.
return function(nd, M, kit)
  local arr = core.asarray
  local side, as, real, spread, placed, points = kit.side, kit.as, kit.real, kit.spread, kit.placed, kit.points
  local function form(x) return "(" .. table.concat(x.shape, ", ") .. (x.ndim == 1 and ",)" or ")") end

  -- r, values of all places one behind the other, in the form of the places v; `rest` more axes behind.
  local function shaped(S, v, r, rest, axis)
    local lengths = {}
    if S == nd then
      r = arr(r)
      for k = 1, v.ndim do lengths[k] = v.shape[k] end
      for k = 1, rest do lengths[#lengths + 1] = r.shape[k + 1] end
      r = r:reshape(lengths)
    else
      for k = 0, v.ndim - 1 do lengths[k + 1] = v.shape[k] end
      for k = 1, rest do lengths[#lengths + 1] = r.shape[k] end
      r = #lengths == 0 and r:reshape({ 1 })[0] or r:reshape(lengths)
    end
    r = placed(S, r, v.ndim, axis)
    return S == nd and help.result(r) or r
  end
  local function function_of(kind, fields, methods)
    methods.__index = function(_, key)
      return rawget(methods, key) or util.raise("AttributeError", "%s has no '%s'", kind, tostring(key))
    end
    methods.__name = kind
    return setmetatable(fields, methods)
  end

  --- `pchip_interpolate(xi, yi, x, der, axis)`: PchipInterpolator(xi, yi) at x, or its derivative.
  function M.pchip_interpolate(xi, yi, x, der, axis)
    return M.PchipInterpolator(xi, yi, { axis = axis or 0 })(x, der)
  end

  -- ---- polynomials --------------------------------------------------------------------------------------------------
  local function distinct(what, x)
    x = arr(x):astype("float64")
    if x.ndim ~= 1 or x.size == 0 then util.raise("ValueError", "%s: x is a vector of places, not of shape %s", what,
      form(x)) end
    local d = x:reshape({ -1, 1 }) - x + nd.eye(x.size)
    if nd.any(nd.eq(d, 0)) then util.raise("ValueError", "%s: a place stands twice", what) end
    return x, d
  end
  local Bary = {}
  Bary.__call = function(p, at)
    local S = side(at, p.y)
    local v = real(S, at)
    local flat = v:reshape({ -1 })
    local d = S == nd and flat:reshape({ -1, 1 }) - p.x or flat:dimshuffle(0, "x") - S.constant(p.x)
    local there = as(S, S.eq(d, 0.0))
    local weights = p.w / as(S, S.switch(there, 1.0, d))
    local y = as(S, p.y)
    local many = y.ndim == 1 and y or y:reshape({ p.x.size, -1 })
    local sums = as(S, S.sum(weights, { axis = 1 }))
    local r = S.dot(weights, many) / (y.ndim == 1 and sums or spread(S, sums, 1))
    local met = as(S, S.any(there, { axis = 1 }))
    r = S.switch(y.ndim == 1 and met or spread(S, met, 1), many[S.argmax(there, { axis = 1 })], r)
    if S == nd and y.ndim > 1 then
      local lengths = y.shape
      lengths[1] = flat.size
      r = arr(r):reshape(lengths)
    elseif y.ndim > 2 then
      local lengths = { flat.shape[0] }
      for k = 1, y.ndim - 1 do lengths[k + 1] = y.shape[k] end
      r = r:reshape(lengths)
    end
    return shaped(S, v, r, y.ndim - 1, p.axis)
  end
  --- `BarycentricInterpolator(xi, yi, {axis = 0})`: the polynomial through all points: `f(places)`.
  function M.BarycentricInterpolator(...)
    local what = "BarycentricInterpolator"
    local o = util.bind(what, { "xi", "yi", "axis", axis = "integer" }, ...)
    util.present(what, o, { "xi", "yi" })
    local x, d = distinct(what, o.xi)
    local y, _, axis = kit.values(what, o.yi, o.axis, x.size)
    local scale = x.size > 1 and 4 / nd.ptp(x) or 1.0
    local scaled = d * scale
    for i = 0, x.size - 1 do scaled[{ i, i }] = 1.0 end
    return function_of("BarycentricInterpolator", { x = x, w = arr(1.0 / nd.prod(scaled, { axis = 1 })), y = y,
      axis = axis }, Bary)
  end
  --- `barycentric_interpolate(xi, yi, x, axis)`: the polynomial through all points, at x.
  function M.barycentric_interpolate(xi, yi, x, axis)
    return M.BarycentricInterpolator(xi, yi, { axis = axis or 0 })(x)
  end
  --- `lagrange(x, w)`: the coefficients of the polynomial through all points, the highest power first.
  function M.lagrange(x, w)
    local places, d = distinct("lagrange", x)
    w = arr(w)
    if w.ndim ~= 1 or w.size ~= places.size then
      util.raise("ValueError", "lagrange: x and w are vectors of one length, not %s and %s", form(places), form(w))
    end
    local p, n = nd.zeros(places.size), places.size
    for j = 0, n - 1 do
      local others = nd.delete(places, j)
      d[{ j, j }] = 1.0
      local one = n > 1 and nd.poly(others) or nd.ones(1)
      p = p + one * (w[j] / nd.prod(d[j]))
    end
    return p
  end

  -- ---- B-splines ----------------------------------------------------------------------------------------------------
  local Spline = {}
  local function spline(t, c, k, extrapolate, axis)
    if extrapolate == nil then extrapolate = true end
    return function_of("BSpline", { t = t, c = c, k = k, extrapolate = extrapolate, axis = axis or 0 }, Spline)
  end
  -- The piece of each place.
  local function pieces(S, b, place)
    local n = b.t.size - b.k - 1
    return S.clip(S.searchsorted(S == nd and b.t or S.constant(b.t), place, { side = "right" }) - 1, b.k, n - 1)
  end
  Spline.__call = function(b, at, nu)
    if nu and nu > 0 then return b:derivative(nu)(at) end
    local S = side(at, b.c)
    local v, c, k = real(S, at), as(S, b.c), b.k
    local t, rest = S == nd and b.t or S.constant(b.t), c.ndim - 1
    local first, last = b.t[k], b.t[b.t.size - k - 1]
    local flat = v:reshape({ -1 })
    local place = flat
    if b.extrapolate == "periodic" then place = S.mod(flat - first, last - first) + first end
    local i, d = pieces(S, b, place), {}
    for j = 0, k do d[j] = c[i + (j - k)] end
    for r = 1, k do
      for j = k, r, -1 do
        local low, high = t[i + (j - k)], t[i + (j + 1 - r)]
        local alpha = spread(S, (place - low) / (high - low), rest)
        d[j] = d[j - 1] * (1 - alpha) + d[j] * alpha
      end
    end
    local r = d[k] + 0 * spread(S, place, rest)
    if b.extrapolate == false then
      local inside = as(S, S.and_(S.ge(flat, first), S.le(flat, last)))
      r = S.switch(spread(S, inside, rest), r, nd.nan)
    end
    return shaped(S, v, r, rest, b.axis)
  end
  function Spline.derivative(b, nu)
    for _ = 1, nu or 1 do
      local S, n, k = side(b.c), b.t.size - b.k - 1, b.k
      if k == 0 then return spline(b.t, b.c * 0.0, 0, b.extrapolate, b.axis) end
      local h = b.t[("%d:%d"):format(k + 1, n + k)] - b.t[("1:%d"):format(n)]
      local factor = arr(nd.where(nd.gt(h, 0), k / nd.where(nd.gt(h, 0), h, 1.0), 0.0))
      factor = spread(S, S == nd and factor or S.constant(factor), b.c.ndim - 1)
      b = spline(b.t["1:-1"], (b.c["1:"] - b.c[":-1"]) * factor, k - 1, b.extrapolate, b.axis)
    end
    return b
  end
  function Spline.antiderivative(b, nu)
    for _ = 1, nu or 1 do
      local S, n, k = side(b.c), b.t.size - b.k - 1, b.k
      local h = (b.t[("%d:"):format(k + 1)] - b.t[(":%d"):format(n)]) / (k + 1.0)
      local sums = S.cumsum(b.c * spread(S, S == nd and h or S.constant(h), b.c.ndim - 1), { axis = 0 })
      local t = nd.concatenate({ b.t["0:1"], b.t, b.t["-1:"] }, 0)
      b = spline(t, S.concatenate({ sums["0:1"] * 0.0, sums }, 0), k + 1, b.extrapolate, b.axis)
    end
    return b
  end
  function Spline.integrate(b, from, to)
    local whole = b:antiderivative()
    return whole(to) - whole(from)
  end
  --- `BSpline(t, c, k, {extrapolate, axis})`: the spline of degree k with knots t and coefficients c: `f(places, nu)`,
  -- `f:derivative(nu)`, `f:antiderivative(nu)`, `f:integrate(a, b)`.
  function M.BSpline(...)
    local o = util.bind("BSpline", { "t", "c", "k", "extrapolate", "axis", k = "integer",
      extrapolate = "boolean|string", axis = "integer" }, ...)
    util.present("BSpline", o, { "t", "c", "k" })
    local t, S, k = arr(o.t):astype("float64"), side(o.c), o.k
    local c = real(S, o.c)
    local axis = help.axis_of("BSpline", c, o.axis or 0)
    if axis ~= 0 then c = S.moveaxis(c, axis, 0) end
    local n = t.size - k - 1
    if k < 0 or t.ndim ~= 1 or n < k + 1 then
      util.raise("ValueError", "BSpline: of degree %d there are at least %d knots, not of shape %s", k,
        2 * math.max(k, 0) + 2, form(t))
    end
    if nd.any(nd.lt(nd.diff(t), 0)) or not nd.all(nd.isfinite(t)) or t[k] >= t[n] then
      util.raise("ValueError", "BSpline: knots are finite and do not fall, and are not all the same")
    end
    if S == nd and c.shape[1] < n then
      util.raise("ValueError", "BSpline: %d knots of degree %d have %d coefficients, not %d", t.size, k, n, c.shape[1])
    end
    return spline(t, c[(":%d"):format(n)], k, o.extrapolate, axis)
  end
  -- The k + 1 splines that are not 0 at each place, as columns, and the first of them.
  local function basis(S, t, k, x)
    local i = pieces(S, { t = t, k = k }, x)
    local edges = S == nd and t or S.constant(t)
    local B = { [0] = as(S, S.ones_like(x)) }
    for r = 1, k do
      local saved = 0.0
      for j = 0, r - 1 do
        local low, high = edges[i + (j + 1 - r)], edges[i + (j + 1)]
        local part = B[j] / (high - low)
        B[j] = saved + (high - x) * part
        saved = (x - low) * part
      end
      B[r] = saved
    end
    return B, i - k
  end
  local function knots(x, k)
    if k == 0 then return nd.concatenate({ x, x["-1:"] }, 0) end
    local inner, half = x, (k + 1) // 2
    if k % 2 == 0 then inner, half = (x["1:"] + x[":-1"]) / 2, k // 2 end
    inner = inner[("%d:%d"):format(half, inner.size - half)]
    return nd.concatenate({ nd.full({ k + 1 }, x[0]), inner, nd.full({ k + 1 }, x[x.size - 1]) }, 0)
  end
  -- The derivatives wanted at the left and at the right end, lists of {order, value}; nil for "not-a-knot".
  local NAMED = { natural = { { 2, 0.0 } }, clamped = { { 1, 0.0 } }, ["not-a-knot"] = {} }
  local function ends_of(what, bc, k)
    if bc == nil or bc == "not-a-knot" then return nil end
    local function one(e)
      if type(e) == "table" and type(e[1]) == "number" then e = { e } end
      local list = e == nil and {} or type(e) == "string" and NAMED[e] or e
      for _, pair in ipairs(type(list) == "table" and list or { list }) do
        local order = type(pair) == "table" and math.tointeger(pair[1])
        if not order or order < 1 or order > k or pair[2] == nil then
          util.raise("ValueError", "%s: bc_type is 'not-a-knot', 'natural', 'clamped', or for both ends {order, value} "
            .. "or a list of these, of derivatives from 1 to %d, not %s", what, k,
            type(pair) == "table" and "another table" or util.text(pair))
        end
      end
      return list
    end
    local both = type(bc) == "table" and bc or { bc, bc }
    local left, right = one(both[1]), one(both[2])
    if #left + #right ~= k - 1 then
      util.raise("ValueError", "%s: a spline of degree %d takes %d derivatives at its ends, not %d", what, k, k - 1,
        #left + #right)
    end
    return { left, right }
  end
  -- Rows of a system for coefficients, as they are put with `put(row, columns, values)`: derivatives at an end, where
  -- the basis from `from` on is not zero.
  local function put_ends(list, t, k, n, place, from, row, put)
    for i, pair in ipairs(list) do
      local unit = nd.zeros({ n, k + 1 })
      unit[{ nd.arange(k + 1) + from, nd.arange(k + 1) }] = 1.0
      put(nd.full({ k + 1 }, row + i - 1, "int64"), nd.arange(k + 1) + from,
        spline(t, unit, k, true, 0)({ place }, pair[1])[0])
    end
  end
  --- `make_interp_spline(x, y, {k = 3, t, bc_type, axis = 0})`: the B-spline of degree k through points; t: its knots,
  -- in the places themselves ("not-a-knot") unless they are given; bc_type: with knots at all places and derivatives
  -- given at the ends, "natural", "clamped", or `{{order, value}, {order, value}}` (or lists of such pairs).
  function M.make_interp_spline(...)
    local what = "make_interp_spline"
    local o = util.bind(what, { "x", "y", "k", "t", "bc_type", "axis", k = "integer", axis = "integer",
      bc_type = "string|table" }, ...)
    util.present(what, o, { "x", "y" })
    local x, y, S, axis = points(what, o.x, o.y, o.axis)
    local k, n = o.k or 3, x.size
    local ends = ends_of(what, o.bc_type, k)
    local least = ends and 2 or k + 1
    if k < 0 or n < least then
      util.raise("ValueError", "%s: degree %d needs at least %d points, not %d", what, k, math.max(least, 1), n)
    end
    local t, rows, before = o.t == nil and not ends and knots(x, k) or arr(o.t or x):astype("float64"), n, 0
    if ends then
      rows, before = n + k - 1, #ends[1]
      if o.t == nil then t = nd.concatenate({ nd.full({ k }, x[0]), x, nd.full({ k }, x[n - 1]) }, 0) end
    end
    if t.ndim ~= 1 or t.size ~= rows + k + 1 then
      util.raise("ValueError", "%s: %d points of degree %d have %d knots, not of shape %s", what, n, k, rows + k + 1,
        form(t))
    end
    local B, first = basis(nd, t, k, x)
    local A = S == nd and nd.zeros({ 2 * k + 1, rows }) or nd.zeros({ rows, rows })
    local function put(row, column, values)
      if S ~= nd then
        A[{ row, column }] = values
        return
      end
      local band = row - column + k
      if nd.any(nd.lt(band, 0)) or nd.any(nd.gt(band, 2 * k)) then
        util.raise("ValueError", "%s: the knots are not between the points", what)
      end
      A[{ band, column }] = values
    end
    for j = 0, k do put(nd.arange(n) + before, first + j, B[j]) end
    if ends then
      put_ends(ends[1], t, k, rows, x[0], 0, 0, put)
      put_ends(ends[2], t, k, rows, x[n - 1], rows - k - 1, before + n, put)
      local parts, zero = {}, S.zeros_like(y["0:1"])
      for _, pair in ipairs(ends[1]) do parts[#parts + 1] = zero + pair[2] end
      parts[#parts + 1] = y
      for _, pair in ipairs(ends[2]) do parts[#parts + 1] = zero + pair[2] end
      y = S.concatenate(parts, 0)
    end
    local c
    if S == nd then c = nd.linalg.solve_banded({ k, k }, A, y:reshape({ rows, -1 })):reshape(y.shape)
    else c = S.tensordot(S.constant(nd.linalg.inv(A)), y, { { 1 }, { 0 } })
    end
    return spline(t, c, k, true, axis)
  end

  -- ---- scattered points ---------------------------------------------------------------------------------------------
  -- Rows of coordinates.
  local function rows_of(S, what, name, x)
    x = real(S, x)
    if x.ndim ~= 2 then
      util.raise("ValueError", "%s: %s has rows of coordinates, not %d dimensions", what, name, x.ndim)
    end
    return x
  end
  local function squares(S, a, b) -- distances between rows, squared
    local d = S == nd and a:reshape({ a.shape[1], 1, a.shape[2] }) - b or a:dimshuffle(0, "x", 1) - S.constant(b)
    return as(S, S.sum(d * d, { axis = 2 }))
  end
  -- Of distances squared.
  local KERNELS = {
    linear = { 0, function(S, s) return -S.sqrt(s) end },
    thin_plate_spline = { 1, function(S, s) return s * S.log(S.switch(S.gt(s, 0), s, 1.0)) * 0.5 end },
    cubic = { 1, function(S, s) return s * S.sqrt(s) end },
    quintic = { 2, function(S, s) return -s * s * S.sqrt(s) end },
    multiquadric = { 0, function(S, s) return -S.sqrt(1 + s) end, true },
    inverse_multiquadric = { -1, function(S, s) return 1 / S.sqrt(1 + s) end, true },
    inverse_quadratic = { -1, function(_, s) return 1 / (1 + s) end, true },
    gaussian = { -1, function(S, s) return S.exp(-s) end, true },
  }
  -- Exponents of the products of d coordinates up to a degree.
  local function exponents(d, degree)
    local all = {}
    local function add(list, left)
      if #list == d then
        all[#all + 1] = list
        return
      end
      for e = 0, left do add(table.move(list, 1, #list, 1, { [#list + 1] = e }), left - e) end
    end
    if degree >= 0 then add({}, degree) end
    return all
  end
  local function products(S, x, all)
    local columns = {}
    for i, powers in ipairs(all) do
      local p = x[{ S == nd and ":" or S.slice(), 0 }] * 0.0 + 1.0
      for d, e in ipairs(powers) do
        for _ = 1, e do p = p * x[{ S == nd and ":" or S.slice(), d - 1 }] end
      end
      columns[i] = p
    end
    return S.stack(columns, 1)
  end
  local Radial = {}
  Radial.__call = function(f, at)
    local S = side(at)
    local x = rows_of(S, "RBFInterpolator", "x", at)
    if S == nd and x.shape[2] ~= f.y.shape[2] then
      util.raise("ValueError", "RBFInterpolator: places of %d coordinates, not %d", f.y.shape[2], x.shape[2])
    end
    local K = as(S, f.kernel(S, squares(S, x * f.epsilon, f.y * f.epsilon)))
    local n, coefficients = f.y.shape[1], f.coefficients
    local function part(slice) return S == nd and coefficients[slice] or S.constant(coefficients[slice]) end
    local r = S.dot(K, part((":%d"):format(n)))
    if #f.powers > 0 then
      local P = products(S, (x - f.shift) / f.scale, f.powers)
      r = r + S.dot(P, part(("%d:"):format(n)))
    end
    if #f.rest == 1 then return r end
    if S == nd then return arr(r):reshape({ x.shape[1], table.unpack(f.rest) }) end
    return #f.rest == 0 and r[{ S.slice(), 0 }] or r:reshape({ x.shape[0], table.unpack(f.rest) })
  end
  --- `RBFInterpolator(y, d, {smoothing = 0, kernel = "thin_plate_spline", epsilon, degree})`: a function through values
  -- d at places y (rows of coordinates), a sum of functions of the distances and a polynomial: `f(places)`.
  function M.RBFInterpolator(...)
    local what = "RBFInterpolator"
    local o = util.bind(what, { "y", "d", "neighbors", "smoothing", "kernel", "epsilon", "degree", kernel = "string",
      epsilon = "number", degree = "integer" }, ...)
    util.present(what, o, { "y", "d" })
    if o.neighbors then util.raise("NotImplementedError", "%s: all points count, neighbors is nil", what) end
    local kernel = KERNELS[(o.kernel or "thin_plate_spline"):lower()]
      or util.raise("ValueError", "%s: there is no kernel '%s'", what, o.kernel)
    if kernel[3] and not o.epsilon then
      util.raise("ValueError", "%s: epsilon is to be given for the kernel '%s'", what, o.kernel)
    end
    local y, d = rows_of(nd, what, "y", o.y):astype("float64"), real(nd, o.d)
    local n = y.shape[1]
    if d.ndim == 0 or d.shape[1] ~= n or n == 0 then
      util.raise("ValueError", "%s: y and d have as many rows, at least one, not %s and %s", what, form(y), form(d))
    end
    local rest = d.shape
    table.remove(rest, 1)
    local degree = o.degree or math.max(kernel[1], 0)
    if degree < -1 then util.raise("ValueError", "%s: degree is at least -1, not %d", what, degree) end
    local all = exponents(y.shape[2], degree)
    if #all > n then
      util.raise("ValueError", "%s: a polynomial of degree %d needs at least %d points, not %d", what, degree, #all, n)
    end
    local low, high = nd.min(y, { axis = 0 }), nd.max(y, { axis = 0 })
    local f = { y = y, kernel = kernel[2], epsilon = o.epsilon or 1.0, powers = all, rest = rest,
      shift = (low + high) / 2, scale = nd.where(nd.gt(high, low), (high - low) / 2, 1.0) }
    local K = arr(kernel[2](nd, squares(nd, y * f.epsilon, y * f.epsilon)))
    local smoothing = arr(o.smoothing or 0.0):astype("float64")
    if smoothing.ndim > 1 or smoothing.ndim == 1 and smoothing.size ~= n then
      util.raise("ValueError", "%s: smoothing is a number or a vector of %d, not of shape %s", what, n,
        form(smoothing))
    end
    K = K + nd.eye(n) * smoothing
    local right = d:reshape({ n, -1 })
    if #all > 0 then
      local P = products(nd, (y - f.shift) / f.scale, all)
      K = nd.concatenate({ nd.concatenate({ K, P }, 1), nd.concatenate({ P.T, nd.zeros({ #all, #all }) }, 1) }, 0)
      right = nd.concatenate({ right, nd.zeros({ #all, right.shape[2] }) }, 0)
    end
    f.coefficients = nd.linalg.solve(K, right)
    return function_of("RBFInterpolator", f, Radial)
  end

  kit.form, kit.function_of, kit.rows_of, kit.squares, kit.shaped = form, function_of, rows_of, squares, shaped
  kit.basis = basis
  require("theano.ndsmooth")(nd, M, kit)
  return require("theano.ndscattered")(nd, M, kit)
end
