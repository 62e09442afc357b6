--- nd.interpolate: splines over a grid of the plane, and polynomials through values and derivatives. Installed by
-- theano.ndsmooth.
-- @module theano.ndsurfaces
local core = require("theano.core")
local util = require("theano.util")

return function(nd, M, kit)
  local arr = core.asarray
  local side, as, real, spread, shaped, form = kit.side, kit.as, kit.real, kit.spread, kit.shaped, kit.form

  -- ---- splines of two dimensions ------------------------------------------------------------------------------------
  local Surface = {}
  local function surface(f) return kit.function_of("RectBivariateSpline", f, Surface) end
  local function within(S, t, k, v) return S.clip(v, t[k], t[t.size - k - 1]) end
  -- Derivatives dx and dy.
  local function derived(f, dx, dy)
    for name, v in pairs({ dx = dx, dy = dy }) do
      local k = name == "dx" and f.kx or f.ky
      if math.type(v) ~= "integer" or v < 0 or v >= k and v > 0 then
        util.raise("ValueError", "RectBivariateSpline: %s is from 0 to %d, not %s", name, k - 1, util.text(v))
      end
    end
    local function along(t, k, c, nu)
      local b = M.BSpline(t, c, k):derivative(nu)
      return b.t, b.k, b.c
    end
    local tx, kx, c = along(f.tx, f.kx, f.c, dx)
    local ty, ky, turned = along(f.ty, f.ky, c.T, dy)
    return { tx = tx, kx = kx, ty = ty, ky = ky, c = turned.T }
  end
  -- Values at pairs of places.
  local function pairs_at(f, x, y)
    local S = side(x, y)
    local u, v = as(S, real(S, x)), as(S, real(S, y))
    u, v = S.broadcast_arrays(u, v)
    local flat_u, flat_v = within(S, f.tx, f.kx, u:reshape({ -1 })), within(S, f.ty, f.ky, v:reshape({ -1 }))
    local rows = as(S, M.BSpline(f.tx, f.c, f.kx)(flat_u))
    local weights = as(S, M.BSpline(f.ty, nd.eye(f.c.shape[2]), f.ky)(flat_v))
    return shaped(S, u, as(S, S.sum(rows * weights, { axis = 1 })), 0, 0)
  end
  -- Values on the grid of two vectors of places.
  local function grid_at(f, x, y)
    local S = side(x, y)
    local u, v = as(S, real(S, x)), as(S, real(S, y))
    if u.ndim > 1 or v.ndim > 1 then
      util.raise("ValueError", "RectBivariateSpline: of a grid x and y are vectors; grid = false takes pairs")
    end
    u, v = within(S, f.tx, f.kx, u:reshape({ -1 })), within(S, f.ty, f.ky, v:reshape({ -1 }))
    if S == nd then
      for name, w in pairs({ x = u, y = v }) do
        if nd.any(nd.lt(nd.diff(w), 0)) then
          util.raise("ValueError", "RectBivariateSpline: of a grid %s must not fall; grid = false takes pairs", name)
        end
      end
    end
    local rows = as(S, M.BSpline(f.tx, f.c, f.kx)(u))
    return as(S, M.BSpline(f.ty, rows.T, f.ky)(v)).T
  end
  Surface.__call = function(f, ...)
    local o = util.bind("RectBivariateSpline", { "x", "y", "dx", "dy", "grid", dx = "integer", dy = "integer",
      grid = "boolean" }, ...)
    util.present("RectBivariateSpline", o, { "x", "y" })
    if (o.dx or 0) > 0 or (o.dy or 0) > 0 then f = derived(f, o.dx or 0, o.dy or 0) end
    return (o.grid == false and pairs_at or grid_at)(f, o.x, o.y)
  end
  function Surface.ev(f, x, y, dx, dy) return f(x, y, { dx = dx or 0, dy = dy or 0, grid = false }) end
  function Surface.partial_derivative(f, dx, dy) return surface(derived(f, dx or 0, dy or 0)) end
  function Surface.get_knots(f) return f.tx, f.ty end
  function Surface.get_coeffs(f) return f.c:reshape({ -1 }) end
  function Surface.get_residual(f) return f.squares end
  --- The integral over a rectangle; the surface is 0 beyond its edges.
  function Surface.integral(f, xa, xb, ya, yb)
    for i, name in ipairs({ "xa", "xb", "ya", "yb" }) do
      util.expect("integral", name, (select(i, xa, xb, ya, yb)), "number")
    end
    local function part(t, k, c, a, b)
      local first, last = t[k], t[t.size - k - 1]
      return M.BSpline(t, c, k):integrate(math.max(math.min(a, last), first), math.max(math.min(b, last), first))
    end
    return part(f.ty, f.ky, arr(part(f.tx, f.kx, f.c, xa, xb)), ya, yb)
  end
  --- `RectBivariateSpline(x, y, z, {kx = 3, ky = 3, s = 0})`: the spline through z on the grid of x and y:
  -- `f(x, y, {dx, dy, grid = true})`, `f:ev(x, y, dx, dy)` at pairs, `f:partial_derivative(dx, dy)`,
  -- `f:integral(xa, xb, ya, yb)`. Beyond its edges it is what it is there.
  function M.RectBivariateSpline(...)
    local what = "RectBivariateSpline"
    local o = util.bind(what, { "x", "y", "z", "bbox", "kx", "ky", "s", kx = "integer", ky = "integer", s = "number" },
      ...)
    util.present(what, o, { "x", "y", "z" })
    if (o.s or 0) ~= 0 or o.bbox ~= nil then
      util.raise("NotImplementedError", "%s: through all points, s is 0, from the first to the last, bbox is nil", what)
    end
    local z = real(nd, o.z)
    if z.ndim ~= 2 then util.raise("ValueError", "%s: z is a matrix, not of shape %s", what, form(z)) end
    local kx, ky = o.kx or 3, o.ky or 3
    for name, k in pairs({ kx = kx, ky = ky }) do
      if k < 1 or k > 5 then util.raise("ValueError", "%s: %s is from 1 to 5, not %d", what, name, k) end
    end
    local b = M.make_interp_spline(o.x, z, { k = kx })
    local d = M.make_interp_spline(o.y, b.c.T, { k = ky })
    return surface({ tx = b.t, ty = d.t, kx = kx, ky = ky, c = d.c.T, squares = 0.0 })
  end

  -- ---- polynomials through values and derivatives -------------------------------------------------------------------
  local Krogh = {}
  -- Divided differences; where a place stands again its value is the next derivative.
  local function differences(what, x, y)
    local c, row = { [0] = y[0] }, {}
    for k = 1, #x - 1 do
      local s = 0
      while s < k and x[k - s] == x[k + 1] do s = s + 1 end
      row[0] = y[k] / nd.special.factorial(s)
      for i = 0, k - s - 1 do
        if x[i + 1] == x[k + 1] then util.raise("ValueError", "%s: equal places stand side by side", what) end
        row[i + 1] = ((s == 0 and c[i] or row[i + 1]) - row[i]) / (x[i + 1] - x[k + 1])
      end
      c[k] = row[k - s]
    end
    return c
  end
  -- All derivatives up to `last`, the places flat.
  local function krogh_values(S, f, place, last)
    local n, rest = #f.x, f.y.ndim - 1
    local w, pi, cn = {}, { [0] = 1.0 }, {}
    local p = as(S, f.c[0]) + 0.0 * spread(S, place, rest)
    for k = 0, n - 1 do cn[k] = f.c[k] end
    for k = 1, n - 1 do
      w[k - 1] = spread(S, place - f.x[k], rest)
      pi[k] = w[k - 1] * pi[k - 1]
      p = p + pi[k] * cn[k]
    end
    cn[0] = p
    local factorial = 1.0
    for k = 1, last do
      local sum = p * 0.0
      if k < n then
        for i = 1, n - k do
          pi[i] = w[k + i - 1] and w[k + i - 1] * pi[i - 1] + pi[i] or pi[i]
        end
        sum = as(S, cn[k]) + sum
        for i = 1, n - k - 1 do sum = sum + pi[i] * cn[k + i] end
        factorial = factorial * k
        sum = sum * factorial
      end
      cn[k] = sum
    end
    return cn
  end
  local function at(f, x, nu)
    local S = side(x, f.y)
    local v = real(S, x)
    if S == nd and v.dtype == "float32" then v = v:astype("float64") end
    return shaped(S, v, krogh_values(S, f, v:reshape({ -1 }), nu)[nu], f.y.ndim - 1, f.axis)
  end
  local function order(nu)
    if math.type(nu) ~= "integer" or nu < 0 then
      util.raise("ValueError", "KroghInterpolator: der is an integer of at least 0, not %s", util.text(nu))
    end
    return nu
  end
  Krogh.__call = function(f, x) return at(f, x, 0) end
  function Krogh.derivative(f, x, der) return at(f, x, order(der or 1)) end
  --- The derivatives from 0 to der - 1, in front.
  function Krogh.derivatives(f, x, der)
    local list, S = {}, side(x, f.y)
    for nu = 0, order(der or #f.x) - 1 do list[nu + 1] = as(S, at(f, x, nu)) end
    return S.stack(list, 0)
  end
  --- `KroghInterpolator(xi, yi, {axis = 0})`: the polynomial through all points; where a place stands several times
  -- side by side its values are those of the function and its derivatives: `f(places)`, `f:derivative(places, der)`,
  -- `f:derivatives(places, der)`.
  function M.KroghInterpolator(...)
    local what = "KroghInterpolator"
    local o = util.bind(what, { "xi", "yi", "axis", axis = "integer" }, ...)
    util.present(what, o, { "xi", "yi" })
    local x = arr(o.xi):astype("float64")
    if x.ndim ~= 1 or x.size == 0 then
      util.raise("ValueError", "%s: xi is a vector of places, not of shape %s", what, form(x))
    end
    local y, _, axis = kit.values(what, o.yi, o.axis, x.size)
    x = x:tolist()
    return kit.function_of(what, { x = x, y = y, c = differences(what, x, y), axis = axis }, Krogh)
  end
  --- `krogh_interpolate(xi, yi, x, der, axis)`: KroghInterpolator(xi, yi) at x, or its derivative.
  function M.krogh_interpolate(xi, yi, x, der, axis)
    local f = M.KroghInterpolator(xi, yi, { axis = axis or 0 })
    if util.is_array(der) then der = der.ndim == 0 and der:item() or der:tolist() end
    if type(der) == "table" then
      local list, S = {}, side(x, yi)
      for i, nu in ipairs(der) do list[i] = as(S, f:derivative(x, nu)) end
      return S.stack(list, 0)
    end
    return f:derivative(x, der or 0)
  end
end
