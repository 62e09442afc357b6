--- `nd.interpolate`: SciPy's interpolation. What these functions make is called with arrays, or with Variables: then it
-- gives a graph, with gradients by the places, and by the values where these are Variables too.
-- @module theano.ndarray.interpolate
local core = require("theano.core")
local help = require("theano.ndhelp")
local objective = require("theano.ndobjective")
local util = require("theano.util")

return function(nd)
  local arr = core.asarray
  local M = {}

  -- nd or T, by what there is.
  local function side(...)
    for i = 1, select("#", ...) do
      if util.is_var((select(i, ...))) then return (select(2, objective.modules())) end
    end
    return nd
  end
  local function as(S, x) return S == nd and arr(x) or S.as_tensor_variable(x) end
  local function real(S, x)
    x = as(S, x)
    return x.dtype:find("[fc]") and x or x:astype("float64")
  end

  -- y as Variables or floats with the axis of n places in front; nd or T, and where that axis was.
  local function values(what, y, axis, n)
    local S = side(y)
    y = real(S, y)
    axis = help.axis_of(what, y, axis or 0)
    if axis ~= 0 then y = S.moveaxis(y, axis, 0) end
    if S == nd and y.shape[1] ~= n then
      util.raise("ValueError", "%s: %d places, %d values", what, n, y.shape[1])
    end
    return y, S, axis
  end
  -- x as increasing places, and values of y there.
  local function points(what, x, y, axis)
    x = arr(x):astype("float64")
    if x.ndim ~= 1 or x.size < 2 then util.raise("ValueError", "%s: x is a vector of at least two places", what) end
    local steps = nd.diff(x)
    if not nd.all(nd.gt(steps, 0)) then
      util.raise("ValueError", "%s: x must increase from place to place", what)
    end
    return x, values(what, y, axis, x.size)
  end

  -- v along the first axis of something with `rest` more axes.
  local function spread(S, v, rest)
    local pattern = {}
    for d = 1, v.ndim do pattern[d] = d - 1 end
    for _ = 1, rest do pattern[#pattern + 1] = "x" end
    if S ~= nd or util.is_var(v) then return v:dimshuffle(pattern) end
    local form = {}
    for d = 1, v.ndim do form[d] = v.shape[d] end
    for _ = 1, rest do form[#form + 1] = 1 end
    return v:reshape(form)
  end

  -- r's first n axes, those of the places, moved to where the axis of the points was.
  local function placed(S, r, n, axis)
    if axis == 0 then return r end
    local pattern = {}
    for k = 1, axis do pattern[k] = n + k - 1 end
    for k = 0, n - 1 do pattern[#pattern + 1] = k end
    for k = n + axis, r.ndim - 1 do pattern[#pattern + 1] = k end
    return S.transpose(r, pattern)
  end

  -- ---- piecewise polynomials ----------------------------------------------------------------------------------------
  local Poly = {}
  Poly.__index = function(p, key)
    return Poly[key] or util.raise("AttributeError",
      "a PPoly has c, x, axis and the methods derivative, antiderivative, "
      .. "integrate; no '%s'", tostring(key))
  end
  Poly.__name = "PPoly"

  local function poly(c, x, extrapolate, axis)
    return setmetatable({ c = c, x = x, axis = axis or 0, extrapolate = extrapolate == nil and true or extrapolate,
      rank = (c[1] or 0).ndim }, Poly)
  end

  -- c: the coefficients as a sequence, the highest power first; each (pieces, ..).
  Poly.__call = function(p, at, nu)
    if nu and nu > 0 then return p:derivative(nu)(at) end
    local S = side(at, p.c[1])
    local v = real(S, at)
    local shape_rank = v.ndim
    local flat = v:reshape({ -1 })
    local n = p.x.size
    local place = flat
    if p.extrapolate == "periodic" then
      local a, b = p.x[0], p.x[n - 1]
      place = S.mod(flat - a, b - a) + a
    end
    local edges = S == nd and p.x or S.constant(p.x)
    local piece = S.clip(S.searchsorted(edges, place, { side = "right" }) - 1, 0, n - 2)
    local left = edges[piece]
    local rest = p.rank - 1
    local d = spread(S, place - left, rest)
    local r
    for _, c in ipairs(p.c) do
      c = as(S, c)
      r = r and r * d + c[piece] or c[piece] + 0 * d
    end
    if p.extrapolate == false then
      local inside = S.and_(S.ge(flat, p.x[0]), S.le(flat, p.x[n - 1]))
      r = S.switch(spread(S, inside, rest), r, nd.nan)
    end
    -- the form of the places, the other axes behind
    local form = {}
    if S == nd then
      for k = 1, shape_rank do form[k] = v.shape[k] end
      for k = 2, p.rank do form[#form + 1] = r.shape[k] end
      r = arr(r):reshape(form)
    else
      for k = 0, shape_rank - 1 do form[#form + 1] = v.shape[k] end
      for k = 1, rest do form[#form + 1] = r.shape[k] end
      if #form == 0 then r = r:reshape({ 1 })[0] else r = r:reshape(form) end
    end
    r = placed(S, r, shape_rank, p.axis)
    return S == nd and help.result(r) or r
  end

  function Poly.derivative(p, nu)
    local c = p.c
    for _ = 1, nu or 1 do
      local list = {}
      for k = 1, #c - 1 do list[k] = c[k] * (#c - k) end
      if #list == 0 then list[1] = c[1] * 0.0 end
      c = list
    end
    return poly(c, p.x, p.extrapolate, p.axis)
  end
  -- Coefficients of the integral from the first place on: pieces begin with the sums of those before.
  function Poly.antiderivative(p, nu)
    local q = p
    for _ = 1, nu or 1 do
      local S, list, c = side(q.c[1]), {}, q.c
      for k = 1, #c do list[k] = c[k] / (#c - k + 1) end
      local h = spread(S, nd.diff(q.x), q.rank - 1)
      if S ~= nd then h = S.constant(h) end
      local whole
      for k = 1, #c do whole = whole and (whole + list[k]) * h or list[k] * h end
      local sums = S.cumsum(whole, { axis = 0 })
      list[#c + 1] = S.concatenate({ sums["0:1"] * 0.0, sums[":-1"] }, 0)
      q = poly(list, q.x, q.extrapolate, q.axis)
    end
    return q
  end
  function Poly.integrate(p, a, b)
    local q = p:antiderivative()
    return q(b) - q(a)
  end

  --- `PPoly(c, x, {extrapolate, axis})`: a piecewise polynomial: c[k] times (x - x[i])^(last - k) between x[i] and
  -- x[i+1].
  function M.PPoly(...)
    local o = util.bind("PPoly", { "c", "x", "extrapolate", "axis", extrapolate = "boolean|string" }, ...)
    local c, list = arr(o.c), {}
    if c.ndim < 2 then util.raise("ValueError", "PPoly: c has at least two dimensions") end
    for k = 0, c.shape[1] - 1 do list[k + 1] = c[k] end
    local x = arr(o.x):astype("float64")
    if x.size ~= c.shape[2] + 1 then
      util.raise("ValueError", "PPoly: %d pieces have %d places, not %d", c.shape[2], c.shape[2] + 1, x.size)
    end
    return poly(list, x, o.extrapolate, o.axis)
  end

  -- The polynomials of the third degree between points with these slopes.
  local function hermite(S, x, y, slopes, extrapolate, axis)
    local h = spread(S, nd.diff(x), y.ndim - 1)
    if S ~= nd then h = S.constant(h) end
    local rise = (y["1:"] - y[":-1"]) / h
    local t = (slopes[":-1"] + slopes["1:"] - 2 * rise) / h
    return poly({ t / h, (rise - slopes[":-1"]) / h - t, slopes[":-1"], y[":-1"] }, x, extrapolate, axis)
  end

  -- ---- cubic splines ------------------------------------------------------------------------------------------------
  -- The equations of the slopes at the places: three diagonals as rows, and the right side of the rises.
  local function spline_system(S, x, rise, ends)
    local n = x.size
    local steps = nd.diff(x)
    local diagonals, first, last = nd.zeros({ 3, n }), nil, nil
    if n > 2 then
      diagonals["0, 1:-1"], diagonals["2, 1:-1"] = steps["1:"], steps[":-1"]
      diagonals["1, 1:-1"] = 2 * (steps[":-1"] + steps["1:"])
    end
    for which, kind in ipairs(ends) do
      local a, b = steps[which == 1 and 0 or -1], n > 2 and steps[which == 1 and 1 or -2]
      local middle
      local near = which == 1 and rise["0:1"] or rise["-1:"]
      local beside, right
      if kind == "not-a-knot" then
        local d = a + b
        local next_ = which == 1 and rise["1:2"] or rise["-2:-1"]
        middle, beside, right = b, d, ((a + 2 * d) * b * near + a * a * next_) / d
      elseif kind[1] == 1 then middle, beside, right = 1.0, 0.0, near * 0.0 + kind[2]
      else
        local curve = 0.5 * a * a * kind[2] * (which == 1 and -1 or 1)
        middle, beside, right = 2 * a, a, 3 * a * near + curve
      end
      if which == 1 then diagonals["1, 0"], diagonals["2, 0"], first = middle, beside, right
      else diagonals["1, -1"], diagonals["0, -1"], last = middle, beside, right end
    end
    local a, b = steps[":-1"]:reshape({ -1, 1 }), steps["1:"]:reshape({ -1, 1 })
    local inner = 3 * (b * rise[":-1"] + a * rise["1:"])
    return diagonals, S.concatenate({ first, inner, last }, 0)
  end

  -- What solves them, of Variables by the inverse, which is a constant; pivots of splines are far from 0.
  local function solve_diagonals(S, diagonals, right)
    if S == nd then
      local function solve(v) return core.tridiagonal(diagonals, nd.ascontiguousarray(v:astype("float64"))) end
      if not right.dtype:find("^c") then return solve(right) end
      return solve(nd.real(right)) + solve(nd.imag(right)) * nd.complex(0, 1)
    end
    local A = nd.diag(diagonals[1]) + nd.diag(diagonals["0, 1:"], -1) + nd.diag(diagonals["2, :-1"], 1)
    return S.dot(S.constant(nd.linalg.inv(A)), right)
  end

  local NAMED = { clamped = { 1, 0.0 }, natural = { 2, 0.0 } }
  local function boundary(bc, n)
    local function one(b)
      if type(b) == "table" then
        if b[1] ~= 1 and b[1] ~= 2 then
          util.raise("ValueError", "CubicSpline: an end is {1, slope} or {2, curvature}, not {%s, ..}", util.text(b[1]))
        end
        return b
      end
      if b == "not-a-knot" then return b end
      return NAMED[b] or util.raise("ValueError",
        "CubicSpline: bc_type is 'not-a-knot', 'natural', 'clamped', 'periodic' "
        .. "or a pair of ends, not '%s'", tostring(b))
    end
    local ends
    if type(bc) == "table" then ends = { one(bc[1]), one(bc[2]) } else ends = { one(bc), one(bc) } end
    if n == 2 then -- a line, where an end says nothing
      for i = 1, 2 do
        if ends[i] == "not-a-knot" then ends[i] = "line" end
      end
    end
    return ends
  end

  local function periodic_slopes(x)
    local n = x.size - 1
    local h = nd.diff(x)
    local A, B = nd.zeros({ n, n }), nd.zeros({ n, n })
    local function add(m, i, j, v) m[{ i, j % n }] = m[{ i, j % n }] + v end
    for i = 0, n - 1 do
      local a, b = h[(i - 1) % n], h[i]
      add(A, i, i - 1 + n, b)
      add(A, i, i, 2 * (a + b))
      add(A, i, i + 1, a)
      add(B, i, i - 1 + n, -3 * b / a)
      add(B, i, i, 3 * (b / a - a / b))
      add(B, i, i + 1, 3 * a / b)
    end
    return nd.linalg.solve(A, B)
  end

  local function spline_slopes(S, x, y, bc)
    local n = x.size
    local flat = y:reshape({ n, -1 })
    local s
    if bc == "periodic" then
      local W = periodic_slopes(x)
      s = S.dot(W, flat[":-1"])
      s = S.concatenate({ s, s["0:1"] }, 0)
    else
      local ends = boundary(bc, n)
      local all_free = ends[1] == "not-a-knot" and ends[2] == "not-a-knot"
      if n == 2 and ends[1] == "line" and ends[2] == "line" then
        s = (flat["1:"] - flat[":-1"]) / (x[1] - x[0])
        s = S.concatenate({ s, s }, 0)
      elseif n == 3 and all_free then -- the parabola through three points
        local a, b = x[1] - x[0], x[2] - x[1]
        local W = nd.array({ { -(2 * a + b) / (a * (a + b)), (a + b) / (a * b), -a / (b * (a + b)) },
          { -b / (a * (a + b)), (b - a) / (a * b), a / (b * (a + b)) },
          { b / (a * (a + b)), -(a + b) / (a * b), (a + 2 * b) / (b * (a + b)) } })
        s = S.dot(W, flat)
      else
        for i = 1, 2 do
          if ends[i] == "line" then ends[i] = { 2, 0.0 } end
        end
        local h = nd.diff(x):reshape({ -1, 1 })
        local rise = (flat["1:"] - flat[":-1"]) / (S == nd and h or S.patternbroadcast(S.constant(h), { false, true }))
        local diagonals, right = spline_system(S, x, rise, ends)
        s = solve_diagonals(S, diagonals, right)
      end
    end
    if S == nd then return s:reshape(y.shape) end
    local form = {}
    for d = 0, y.ndim - 1 do form[d + 1] = d == 0 and n or y.shape[d] end
    return s:reshape(form)
  end

  --- `CubicSpline(x, y, {axis = 0, bc_type = "not-a-knot", extrapolate})`: a smooth function through points, of pieces
  -- of the third degree: `f(places, nu)`, `f:derivative(nu)`, `f:antiderivative(nu)`, `f:integrate(a, b)`. bc_type:
  -- also "natural", "clamped", "periodic", or `{{order, value}, {order, value}}` of the ends' first or second
  -- derivatives.
  function M.CubicSpline(...)
    local o = util.bind("CubicSpline", { "x", "y", "axis", "bc_type", "extrapolate", axis = "integer",
      bc_type = "string|table", extrapolate = "boolean|string" }, ...)
    local x, y, S, axis = points("CubicSpline", o.x, o.y, o.axis)
    local bc, extrapolate = o.bc_type or "not-a-knot", o.extrapolate
    if extrapolate == nil and bc == "periodic" then extrapolate = "periodic" end
    if bc == "periodic" and S == nd and not nd.allclose(y[0], y[x.size - 1], 1e-15, 1e-15) then
      util.raise("ValueError", "CubicSpline: the first and the last value are the same where bc_type is 'periodic'")
    end
    return hermite(S, x, y, spline_slopes(S, x, y, bc), extrapolate, axis)
  end

  --- `CubicHermiteSpline(x, y, dydx, {axis, extrapolate})`: through points with given slopes.
  function M.CubicHermiteSpline(...)
    local o = util.bind("CubicHermiteSpline", { "x", "y", "dydx", "axis", "extrapolate", axis = "integer" }, ...)
    local x, y, S, axis = points("CubicHermiteSpline", o.x, o.y, o.axis)
    local slopes = real(S, o.dydx)
    return hermite(S, x, y, axis > 0 and S.moveaxis(slopes, axis, 0) or slopes, o.extrapolate, axis)
  end

  --- `PchipInterpolator(x, y, {axis, extrapolate})`: through points, monotonic where they are (Fritsch and Butland).
  function M.PchipInterpolator(...)
    local o = util.bind("PchipInterpolator", { "x", "y", "axis", "extrapolate", axis = "integer" }, ...)
    local x, y, S, axis = points("PchipInterpolator", o.x, o.y, o.axis)
    local h = spread(S, nd.diff(x), y.ndim - 1)
    if S ~= nd then h = S.constant(h) end
    local rise = (y["1:"] - y[":-1"]) / h
    if x.size == 2 then return hermite(S, x, y, S.concatenate({ rise, rise }, 0), o.extrapolate, axis) end
    local a, b = rise[":-1"], rise["1:"]
    local w1, w2 = 2 * h["1:"] + h[":-1"], h["1:"] + 2 * h[":-1"]
    local same = S.gt(a * b, 0)
    local mean = (w1 + w2) / (w1 / S.switch(same, a, 1.0) + w2 / S.switch(same, b, 1.0))
    local inner = S.switch(same, mean, 0.0)
    local function ending(h0, h1, m0, m1)
      local d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
      d = S.switch(S.gt(d * m0, 0), d, 0.0)
      local far = S.and_(S.le(m0 * m1, 0), S.gt(S.abs(d), 3 * S.abs(m0)))
      return S.switch(far, 3 * m0, d)
    end
    local first = ending(h["0:1"], h["1:2"], rise["0:1"], rise["1:2"])
    local last = ending(h["-1:"], h["-2:-1"], rise["-1:"], rise["-2:-1"])
    return hermite(S, x, y, S.concatenate({ first, inner, last }, 0), o.extrapolate, axis)
  end

  --- `Akima1DInterpolator(x, y, {axis, method = "akima", extrapolate})`: through points, by Akima's slopes, or
  -- "makima", which overshoots less where the points are level; NaN outside.
  function M.Akima1DInterpolator(...)
    local o = util.bind("Akima1DInterpolator", { "x", "y", "axis", "method", "extrapolate", axis = "integer",
      method = "string" }, ...)
    if o.method and o.method ~= "akima" and o.method ~= "makima" then
      util.raise("ValueError", "Akima1DInterpolator: the method is 'akima' or 'makima', not '%s'", o.method)
    end
    local x, y, S, axis = points("Akima1DInterpolator", o.x, o.y, o.axis)
    if x.size == 2 then return M.PchipInterpolator(o.x, o.y, { axis = o.axis, extrapolate = false }) end
    local h = spread(S, nd.diff(x), y.ndim - 1)
    if S ~= nd then h = S.constant(h) end
    local m = (y["1:"] - y[":-1"]) / h
    local b, d = 2 * m["0:1"] - m["1:2"], 2 * m["-1:"] - m["-2:-1"]
    m = S.concatenate({ 2 * b - m["0:1"], b, m, d, 2 * d - m["-1:"] }, 0)
    local dm = S.abs(m["1:"] - m[":-1"])
    if o.method == "makima" then dm = dm + S.abs(m["1:"] + m[":-1"]) * 0.5 end
    local f1, f2 = dm["2:"], dm[":-2"]
    local both = f1 + f2
    local there = S.gt(both, 1e-9 * S.max(both))
    local s = S.switch(there, (f1 * m["1:-2"] + f2 * m["2:-1"]) / S.switch(there, both, 1.0),
      0.5 * (m["3:"] + m[":-3"]))
    return hermite(S, x, y, s, o.extrapolate == true, axis)
  end

  -- ---- interp1d -----------------------------------------------------------------------------------------------------
  -- Steps between points: the value to the left, to the right or nearest.
  local function stepped(S, x, y, kind, v)
    local n = x.size
    local at
    if kind == "next" then at = S.searchsorted(x, v, { side = "left" })
    elseif kind == "nearest" or kind == "nearest-up" then
      local middle = (x["1:"] + x[":-1"]) / 2
      at = S.searchsorted(middle, v, { side = kind == "nearest" and "left" or "right" })
    else at = S.searchsorted(x, v, { side = "right" }) - 1 end
    local r = y[S.clip(at, 0, n - 1)]
    if kind ~= "zero" then return r end
    return S.switch(spread(S, as(S, S.isnan(v)), y.ndim - 1), nd.nan, S.cast(r, r.dtype == "float32" and "float64"
      or r.dtype))
  end

  local KINDS = util.set({ "linear", "nearest", "nearest-up", "previous", "next", "zero", "cubic" })
  local DEGREES = { slinear = 1, quadratic = 2 }
  --- `interp1d(x, y, {kind = "linear", axis = -1, bounds_error, fill_value, assume_sorted})`: a function through
  -- points. Kinds: "linear", "cubic", "nearest", "nearest-up", "previous", "next" (and "zero"), "slinear", "quadratic",
  -- or the degree of a spline. Outside: an error, NaN (or fill_value, one or `{below, above}`) under
  -- `bounds_error = false`, or `fill_value = "extrapolate"`.
  function M.interp1d(...)
    local o = util.bind("interp1d", { "x", "y", "kind", "axis", "copy", "bounds_error", "fill_value", "assume_sorted",
      kind = "string|integer", axis = "integer", copy = "boolean", bounds_error = "boolean", assume_sorted = "boolean",
      fill_value = "number|table|string" }, ...)
    local kind, fill = o.kind or "linear", o.fill_value
    local degree = type(kind) == "number" and kind or DEGREES[kind]
    if not degree and not KINDS[kind] then
      util.raise("NotImplementedError", "interp1d: the kind is 'linear', 'cubic', 'nearest', 'nearest-up', 'previous', "
        .. "'next', 'zero', 'slinear', 'quadratic' or a degree, not '%s'", kind)
    end
    local xs, ys, S0 = arr(o.x):astype("float64"), o.y, side(o.y)
    ys = as(S0, ys)
    local axis = help.axis_of("interp1d", ys, o.axis or -1)
    if not o.assume_sorted and xs.ndim == 1 then
      local order = nd.argsort(xs)
      xs = xs[order]
      ys = S0.take(ys, order, { axis = axis })
    end
    local x, y, S = points("interp1d", xs, ys, axis)
    local smooth
    if kind == "cubic" then smooth = M.CubicSpline(x, y)
    elseif degree then
      if degree < 0 or x.size < degree + 1 then
        util.raise("ValueError", "interp1d: degree %d needs at least %d points, not %d", degree,
          math.max(degree, 0) + 1, x.size)
      end
      smooth = M.make_interp_spline(x, y, { k = degree })
    elseif kind == "linear" then
      local h = spread(S, nd.diff(x), y.ndim - 1)
      if S ~= nd then h = S.constant(h) end
      smooth = poly({ (y["1:"] - y[":-1"]) / h, y[":-1"] }, x, true, 0)
    end
    local strict = o.bounds_error
    if strict == nil then strict = fill == nil end
    local below, above = fill, fill
    if type(fill) == "table" then below, above = fill[1], fill[2] end
    return function(at)
      local R = side(at, y)
      local v = real(R, at)
      local r = smooth and as(R, smooth(v)) or as(R, stepped(R, x, y, kind, v))
      if fill == "extrapolate" and (kind == "previous" or kind == "next") then -- there is none on that side
        local none = kind == "previous" and R.lt(v, x[0]) or kind == "next" and R.gt(v, x[x.size - 1])
        r = as(R, R.switch(spread(R, as(R, none), y.ndim - 1), nd.nan, r))
      elseif fill ~= "extrapolate" then
        local low, high = R.lt(v, x[0]), R.gt(v, x[x.size - 1])
        if strict and R == nd then
          if nd.any(arr(low)) or nd.any(arr(high)) then
            util.raise("ValueError", "interp1d: a place lies outside of [%s, %s]", util.text(x[0]),
              util.text(x[x.size - 1]))
          end
        else
          low, high = spread(R, as(R, low), y.ndim - 1), spread(R, as(R, high), y.ndim - 1)
          r = R.switch(low, below or nd.nan, R.switch(high, above or nd.nan, r))
          r = as(R, r)
        end
      end
      r = placed(R, r, v.ndim, axis)
      return R == nd and help.result(r) or r
    end
  end

  return require("theano.ndsplines")(nd, M, { side = side, as = as, real = real, spread = spread, placed = placed,
    points = points, values = values })
end
