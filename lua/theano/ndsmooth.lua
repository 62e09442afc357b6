--- nd.interpolate: splines near points, after P. Dierckx (Curve and Surface Fitting with Splines, 1993): knots are
-- added where the spline is far from the points, and what its pieces' ends jump by is held down until the squares sum
-- up to what was asked for. Smoothing splines after C. Reinsch, by generalized cross-validation. Installed by
-- theano.ndsplines.
-- @module theano.ndsmooth
local core = require("theano.core")
local curves = require("theano.ndcurves")
local util = require("theano.util")

return function(nd, M, kit)
  local arr = core.asarray
  local real, side, form, as = kit.real, kit.side, kit.form, kit.as

  -- ---- arguments ----------------------------------------------------------------------------------------------------
  local function vector(what, name, x)
    x = arr(x):astype("float64")
    if x.ndim ~= 1 then util.raise("ValueError", "%s: %s is a vector, not of shape %s", what, name, form(x)) end
    if not nd.all(nd.isfinite(x)) then util.raise("ValueError", "%s: %s is finite", what, name) end
    return x
  end
  -- Points with weights, from `first` to `last`, of degree k: what theano.ndcurves works on.
  local function data(what, o, strict)
    util.present(what, o, { "x", "y" })
    local x, y, k = vector(what, "x", o.x), vector(what, "y", o.y), o.k or 3
    local m = x.size
    local w = o.w == nil and nd.ones(m) or vector(what, "w", o.w)
    if y.size ~= m or w.size ~= m then
      util.raise("ValueError", "%s: as many places, values and weights, not %d, %d and %d", what, m, y.size, w.size)
    end
    if k < 1 or k > 5 then util.raise("ValueError", "%s: k is from 1 to 5, not %d", what, k) end
    if m <= k then util.raise("ValueError", "%s: degree %d needs more than %d points, not %d", what, k, k, m) end
    if nd.any(nd.le(w, 0)) then util.raise("ValueError", "%s: weights are above 0", what) end
    local steps = nd.diff(x)
    if not nd.all(strict and nd.gt(steps, 0) or nd.ge(steps, 0)) then
      util.raise("ValueError", "%s: x must %s from place to place", what, strict and "increase" or "not fall")
    end
    local first, last = o.xb or x[0], o.xe or x[m - 1]
    if first > x[0] or last < x[m - 1] or first >= last then
      util.raise("ValueError", "%s: the points lie from %s to %s, the spline from %s to %s", what, x[0], x[m - 1],
        first, last)
    end
    return { x = x:tolist(), y = y:tolist(), w = w:tolist(), k = k, m = m, first = first, last = last,
      twice = nd.any(nd.eq(steps, 0)) }
  end
  local function sum_wanted(what, s)
    if s < 0 or s ~= s then util.raise("ValueError", "%s: s is at least 0, not %s", what, s) end
    return s
  end
  -- Knots between the ends, with those at the ends.
  local function given_knots(what, d, inner)
    local t = vector(what, "t", inner):tolist()
    for i = #t, 1, -1 do
      if t[i] <= d.first or t[i] >= d.last then
        util.raise("ValueError", "%s: knots lie between %s and %s", what, d.first, d.last)
      end
    end
    t = curves.ended(d, t)
    if not curves.fixed(d, t) then
      util.raise("ValueError", "%s: the knots are not between the points: the points do not fix the spline", what)
    end
    return t
  end

  local function near(what, d, s, room)
    local t, c, squares = curves.near(d, s, room)
    if not t then
      util.raise("ValueError", "%s: places that stand twice do not let the squares come down to s = %s", what, s)
    end
    return t, c, squares
  end

  -- ---- splrep and what goes with it ---------------------------------------------------------------------------------
  -- {t, c, k}, c as long as t, as SciPy's are.
  local function triple(t, c, k)
    t, c = arr(t), arr(c)
    return { t, nd.concatenate({ c, nd.zeros(t.size - c.size) }, 0), k }
  end
  local SPLREP = { "x", "y", "w", "xb", "xe", "k", "task", "s", "t", "full_output", "per", "quiet", xb = "number",
    xe = "number", k = "integer", task = "integer", s = "number", full_output = "boolean", per = "boolean" }
  --- `splrep(x, y, {w, xb, xe, k = 3, task = 0, s, t, full_output})`: {knots, coefficients, degree} of a spline whose
  -- weighted squares sum up to s (0, so through the points, without weights; else m - sqrt(2 m)); task = -1: the least
  -- squares with the knots t between the ends. With full_output the sum of squares is the second result.
  function M.splrep(...)
    local o = util.bind("splrep", SPLREP, ...)
    if o.per then util.raise("NotImplementedError", "splrep: periodic splines; CubicSpline has bc_type 'periodic'") end
    local task = o.task or o.t ~= nil and -1 or 0
    if task ~= 0 and task ~= -1 then
      util.raise("NotImplementedError", "splrep: task is 0 or -1, not %d", task)
    end
    local count = o.x ~= nil and arr(o.x).size or 0
    local s = sum_wanted("splrep", o.s or (o.w == nil and 0.0 or math.max(count - math.sqrt(2 * count), 0.0)))
    local d = data("splrep", o, task == 0 and s == 0)
    local t, c, squares
    if task == -1 then
      t = given_knots("splrep", d, util.present("splrep", o, { "t" }) or o.t)
      c, squares = curves.least(d, t)
    else
      t, c, squares = near("splrep", d, s)
    end
    if o.full_output then return triple(t, c, d.k), squares end
    return triple(t, c, d.k)
  end
  -- A spline from {t, c, k} or one that is there already.
  local function of_triple(what, tck)
    if type(tck) == "table" and rawget(tck, "t") then return tck end
    if type(tck) ~= "table" or #tck ~= 3 then
      util.raise("TypeError", "%s: tck is {knots, coefficients, degree} as splrep gives it, or a BSpline", what)
    end
    return M.BSpline(tck[1], tck[2], tck[3])
  end
  local BEYOND = { [0] = 0, 1, 2, 3, extrapolate = 0, zeros = 1, raise = 2, const = 3 }
  local function beyond(what, ext)
    return BEYOND[ext == nil and 0 or ext]
      or util.raise("ValueError", "%s: ext is 'extrapolate', 'zeros', 'raise' or 'const' (0 to 3), not %s", what,
        util.text(ext))
  end
  -- f's derivative nu at x, and what `ext` says beyond the ends.
  local function value(what, f, x, nu, ext)
    nu = nu or 0
    if math.type(nu) ~= "integer" or nu < 0 or nu > f.k then
      util.raise("ValueError", "%s: a spline of degree %d has derivatives from 0 to %d, not %s", what, f.k, f.k,
        util.text(nu))
    end
    ext = beyond(what, ext)
    if ext == 0 or ext == 3 and nu > 0 then return f(x, nu) end -- as SciPy: what is constant is the value alone
    local S = side(x)
    local v = real(S, x)
    local first, last = f.t[f.k], f.t[f.t.size - f.k - 1]
    if ext == 3 then return f(S.clip(v, first, last)) end
    local inside = as(S, S.and_(S.ge(v, first), S.le(v, last)))
    if ext == 1 then return S.switch(inside, f(v, nu), 0.0) end
    if S ~= nd then util.raise("NotImplementedError", "%s: ext is 'raise': in a graph nothing is raised", what) end
    if not nd.all(inside) then util.raise("ValueError", "%s: a place is not from %s to %s", what, first, last) end
    return f(v, nu)
  end
  --- `splev(x, tck, {der = 0, ext = 0})`: the spline's derivative `der` at x; ext: what is beyond its ends, 0 the
  -- polynomials there, 1 zeros, 2 an error, 3 the values at the ends.
  function M.splev(...)
    local o = util.bind("splev", { "x", "tck", "der", "ext", der = "integer", ext = "integer|string" }, ...)
    util.present("splev", o, { "x", "tck" })
    return value("splev", of_triple("splev", o.tck), o.x, o.der, o.ext)
  end
  -- The integral between places, 0 beyond the ends.
  local function integral(f, a, b)
    local first, last = f.t[f.k], f.t[f.t.size - f.k - 1]
    return f:integrate(math.max(math.min(a, last), first), math.max(math.min(b, last), first))
  end
  --- `splint(a, b, tck)`: the integral from a to b; the spline is 0 beyond its ends.
  function M.splint(a, b, tck)
    util.check_type("splint", "a", a, "number")
    util.check_type("splint", "b", b, "number")
    return integral(of_triple("splint", tck), a, b)
  end
  -- {t, c, k} from {t, c, k}, a spline from a spline.
  local function as_given(tck, f)
    return rawget(tck, "t") and f or triple(f.t, f.c, f.k)
  end
  --- `splder(tck, n)`: the derivative n (1) as a spline.
  function M.splder(tck, n)
    local f = of_triple("splder", tck)
    util.check_type("splder", "n", n or 1, "integer")
    if (n or 1) < 0 or (n or 1) > f.k then
      util.raise("ValueError", "splder: n is from 0 to the degree %d, not %d", f.k, n)
    end
    return as_given(tck, f:derivative(n))
  end
  --- `splantider(tck, n)`: the antiderivative n (1) as a spline, 0 at its first end.
  function M.splantider(tck, n)
    util.check_type("splantider", "n", n or 1, "integer")
    if (n or 1) < 0 then util.raise("ValueError", "splantider: n is at least 0, not %d", n) end
    return as_given(tck, of_triple("splantider", tck):antiderivative(n))
  end
  local function all_derivatives(f, x)
    local list = {}
    for nu = 0, f.k do list[nu + 1] = f(x, nu) end
    return nd.array(list)
  end
  --- `spalde(x, tck)`: all derivatives at a place, from 0 to the degree; of places a list of these.
  function M.spalde(x, tck)
    local f = of_triple("spalde", tck)
    if x == nil then util.raise("TypeError", "spalde: argument 'x' is missing") end
    local places = arr(x)
    if places.ndim == 0 then return all_derivatives(f, places:item()) end
    local list = {}
    for i, v in ipairs(vector("spalde", "x", places):tolist()) do list[i] = all_derivatives(f, v) end
    return list
  end
  -- The real roots of a cubic piece of f from a to b, both within a little.
  local function piece_roots(f, a, b)
    local here, slack = {}, 1e-9 * (b - a)
    local p = nd.array({ f(a, 3) / 6, f(a, 2) / 2, f(a, 1), f(a) })
    for _, z in ipairs(nd.roots(p):astype("complex128"):tolist()) do
      local v = a + z.real
      if math.abs(z.imag) <= slack and v >= a - slack and v <= b + slack then
        here[#here + 1] = math.min(math.max(v, a), b)
      end
    end
    table.sort(here)
    return here, slack
  end
  -- Where a cubic spline is 0; what two pieces share once.
  local function roots(f)
    local found, t = {}, f.t:tolist()
    for l = f.k + 1, #t - f.k - 1 do
      if t[l + 1] > t[l] then
        local here, slack = piece_roots(f, t[l], t[l + 1])
        for _, v in ipairs(here) do
          if #found == 0 or v - found[#found] > slack then found[#found + 1] = v end
        end
      end
    end
    return nd.array(#found > 0 and found or nd.zeros(0))
  end
  --- `sproot(tck, mest)`: the places where a cubic spline is 0.
  function M.sproot(tck)
    local f = of_triple("sproot", tck)
    if f.k ~= 3 then util.raise("ValueError", "sproot: the spline is cubic, not of degree %d", f.k) end
    return roots(f)
  end

  -- ---- UnivariateSpline ---------------------------------------------------------------------------------------------
  local Curve = {}
  local function curve(f, squares, ext, d)
    return kit.function_of("UnivariateSpline", { f = f, k = f.k, squares = squares, ext = ext, points = d }, Curve)
  end
  Curve.__call = function(u, ...)
    local o = util.bind("UnivariateSpline", { "x", "nu", "ext", nu = "integer", ext = "integer|string" }, ...)
    util.present("UnivariateSpline", o, { "x" })
    return value("UnivariateSpline", u.f, o.x, o.nu, o.ext == nil and u.ext or o.ext)
  end
  function Curve.get_knots(u) return u.f.t[("%d:%d"):format(u.k, u.f.t.size - u.k)] end
  function Curve.get_coeffs(u) return u.f.c end
  function Curve.get_residual(u) return u.squares end
  function Curve.derivative(u, n) return curve(M.splder(u.f, n), nil, u.ext) end
  function Curve.antiderivative(u, n) return curve(M.splantider(u.f, n), nil, u.ext) end
  function Curve.integral(u, a, b)
    util.expect("integral", "a", a, "number")
    util.expect("integral", "b", b, "number")
    return integral(u.f, a, b)
  end
  function Curve.derivatives(u, x) return all_derivatives(u.f, x) end
  function Curve.roots(u)
    if u.k ~= 3 then util.raise("NotImplementedError", "roots: of cubic splines, not of degree %d", u.k) end
    return roots(u.f)
  end
  -- SciPy begins with room for half as many knots as points, which shows in where the next ones come.
  local function room(d) return math.max(d.m // 2, 2 * d.k + 2) - 2 * d.k - 2 end
  --- Another sum of squares for the same points.
  function Curve.set_smoothing_factor(u, s)
    util.expect("set_smoothing_factor", "s", s, "number")
    local d = u.points or util.raise("ValueError", "set_smoothing_factor: the spline was not made by a sum of squares")
    local t, c, squares = near("set_smoothing_factor", d, sum_wanted("set_smoothing_factor", s), room(d))
    u.f, u.squares = M.BSpline(arr(t), arr(c), d.k), squares
  end
  local ENDS = { "x", "y", "w", "bbox", "k", "s", "ext", "check_finite", k = "integer", s = "number",
    ext = "integer|string", check_finite = "boolean" }
  local function ends(what, o)
    local box = o.bbox
    if box == nil then return end
    box = util.is_array(box) and box:tolist() or box
    for i = 1, 2 do
      local v = type(box) == "table" and box[i]
      if type(box) ~= "table" or v and type(v) ~= "number" then
        util.raise("TypeError", "%s: bbox is {first, last}, numbers or false", what)
      end
    end
    o.xb, o.xe = box[1] or nil, box[2] or nil
  end
  local function univariate(what, names, s_of)
    return function(...)
      local o = util.bind(what, names, ...)
      ends(what, o)
      local s = sum_wanted(what, s_of(o))
      local d, ext = data(what, o, s == 0), beyond(what, o.ext)
      local t, c, squares = near(what, d, s, room(d))
      return curve(M.BSpline(arr(t), arr(c), d.k), squares, ext, d)
    end
  end
  --- `UnivariateSpline(x, y, {w, bbox, k = 3, s, ext = 0})`: a spline whose weighted squares sum up to s (the number of
  -- points where s is not given): `f(places, nu, ext)`, `f:derivative(n)`, `f:antiderivative(n)`, `f:integral(a, b)`,
  -- `f:roots()`, `f:derivatives(x)`, `f:get_knots()`, `f:get_coeffs()`, `f:get_residual()`,
  -- `f:set_smoothing_factor(s)`.
  M.UnivariateSpline = univariate("UnivariateSpline", ENDS, function(o)
    return o.s or o.x ~= nil and arr(o.x).size + 0.0 or 0.0
  end)
  --- `InterpolatedUnivariateSpline(x, y, {w, bbox, k = 3, ext = 0})`: a UnivariateSpline through the points.
  M.InterpolatedUnivariateSpline = univariate("InterpolatedUnivariateSpline", { "x", "y", "w", "bbox", "k", "ext",
    "check_finite", k = "integer", ext = "integer|string", check_finite = "boolean" }, function() return 0.0 end)
  --- `LSQUnivariateSpline(x, y, t, {w, bbox, k = 3, ext = 0})`: the least squares with the knots t between the ends.
  function M.LSQUnivariateSpline(...)
    local what = "LSQUnivariateSpline"
    local o = util.bind(what, { "x", "y", "t", "w", "bbox", "k", "ext", "check_finite", k = "integer",
      ext = "integer|string", check_finite = "boolean" }, ...)
    ends(what, o)
    util.present(what, o, { "t" })
    local d, ext = data(what, o, false), beyond(what, o.ext)
    local t = given_knots(what, d, o.t)
    local c, squares = curves.least(d, t)
    return curve(M.BSpline(arr(t), arr(c), d.k), squares, ext)
  end

  --- `make_smoothing_spline(x, y, {w, lam})`: the cubic spline f for which sum(w (y - f(x))^2) + lam times the integral
  -- of f''^2 is least; without lam it is what generalized cross-validation says.
  function M.make_smoothing_spline(...)
    local what = "make_smoothing_spline"
    local o = util.bind(what, { "x", "y", "w", "lam", lam = "number" }, ...)
    local d = data(what, o, true)
    if d.m < 5 then util.raise("ValueError", "%s: at least 5 points, not %d", what, d.m) end
    if o.lam and (o.lam < 0 or o.lam ~= o.lam) then
      util.raise("ValueError", "%s: lam is at least 0, not %s", what, o.lam)
    end
    local lam = o.lam
    if not lam then
      local found = nd.optimize.minimize_scalar(function(v) return (curves.validation(d, v)) end,
        { bounds = { 0, d.m }, method = "bounded" })
      lam = found.x
    end
    local t, c = curves.smooth(d, lam)
    return M.BSpline(arr(t), arr(c), 3)
  end
  require("theano.ndsurfaces")(nd, M, kit)
end
