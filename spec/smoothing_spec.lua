--- Splines near points, over grids, and Krogh's polynomials: in graphs, at their edges and with bad arguments. Their
-- numbers are SciPy's (scipy_spec).
local raises = require("spec.support.raises")
local theano = require("theano")
local nd, T = theano.ndarray, theano.tensor
local I = nd.interpolate

local x = nd.linspace(0, 4, 25)
local y = nd.sin(x * 2) + nd.cos(x * 31) * 0.1
local at = nd.array({ 0.5, 1.7, 3.9 })
local function fails(kind, text, f, ...)
  local args = table.pack(...)
  raises(kind, text, function()
    local _ = f(table.unpack(args, 1, args.n))
  end)
end
local function in_graph(f, ...)
  local v = T.dvector("v")
  return theano.compile({ inputs = { v }, outputs = f(v, ...) })
end

describe("splines near points", function()
  it("give graphs with gradients by the places", function()
    local u = I.UnivariateSpline(x, y, { s = 0.1 })
    local tck = I.splrep(x, y, { s = 0.05 })
    assert.is_true(nd.allclose(u(at), in_graph(u)(at), 1e-12, 1e-12))
    assert.is_true(nd.allclose(I.splev(at, tck, 1), in_graph(function(v) return I.splev(v, tck, 1) end)(at)))
    local slope = in_graph(function(v) return T.grad(T.sum(u(v)), v) end)
    assert.is_true(nd.allclose(u(at, 1), slope(at)))
    for _, ext in ipairs({ "zeros", "const" }) do
      local wide = nd.array({ -1.0, 0.0, 2.0, 4.0, 5.0 })
      assert.is_true(nd.allclose(u(wide, 0, ext), in_graph(function(v) return u(v, 0, ext) end)(wide)))
    end
  end)
  it("come as near as is asked for, with few knots", function()
    for k = 1, 5 do
      local knots
      for _, s in ipairs({ 0.5, 0.1, 0.02 }) do
        local u = I.UnivariateSpline(x, y, { k = k, s = s })
        local squares = nd.sum((u(x) - y) ^ 2)
        local near = math.abs(squares - s) <= 0.002 * s or squares < s and u:get_knots().size == 2
        assert.is_true(near, ("degree %d, s = %g: %g"):format(k, s, squares))
        assert.is_true(math.abs(squares - u:get_residual()) <= 1e-9)
        assert.is_true(not knots or u:get_knots().size >= knots)
        knots = u:get_knots().size
      end
    end
  end)
  it("are polynomials where these are near enough, and go through all points for s = 0", function()
    assert.same({ 0.0, 4.0 }, I.UnivariateSpline(x, y, { s = 1e9 }):get_knots():tolist())
    assert.is_true(nd.allclose(I.UnivariateSpline(x, y, { s = 0 })(x), y))
    assert.is_true(nd.allclose(I.make_smoothing_spline(x, y, { lam = 0 })(x), y))
    assert.is_true(nd.allclose(I.make_smoothing_spline(x, x * 2 - 1)(at), at * 2 - 1, 1e-9, 1e-9))
  end)
  it("take another sum of squares for the same points", function()
    local u = I.UnivariateSpline(x, y, { s = 0.5 })
    u:set_smoothing_factor(0.05)
    assert.is_true(nd.array_equal(I.UnivariateSpline(x, y, { s = 0.05 })(at), u(at)))
  end)
  it("smooth less where weights are larger", function()
    local w = nd.ones(25)
    w[12] = 1e4
    local f = I.make_smoothing_spline(x, y, { w = w, lam = 1.0 })
    assert.is_true(math.abs(f(x[12]) - y[12]) < 1e-3 and math.abs(f(x[3]) - y[3]) > 1e-3)
  end)
  it("find all roots, once", function()
    local xs = nd.linspace(-3, 3, 31)
    local roots = I.UnivariateSpline(xs, (xs + 2) * xs * (xs - 1), { s = 0 }):roots()
    assert.is_true(nd.allclose(roots, { -2.0, 0.0, 1.0 }, 1e-9, 1e-9))
    assert.equal(0, I.UnivariateSpline(xs, xs * xs + 1, { s = 0 }):roots().size)
  end)
  it("leave what they were made of alone", function()
    local a, b = x:copy(), y:copy()
    I.UnivariateSpline(a, b, { s = 0.01 })
    I.make_smoothing_spline(a, b)
    assert.is_true(nd.array_equal(a, x) and nd.array_equal(b, y))
  end)
  it("take time in proportion to the points", function()
    local n = 20000
    local xs = nd.linspace(0, 50, n)
    local ys = nd.sin(xs) + nd.random.RandomState(3):normal(0, 0.1, n)
    local u = I.UnivariateSpline(xs, ys, { s = n * 0.01 })
    assert.is_true(u:get_knots().size < 200)
    assert.is_true(nd.max(nd.abs(I.make_smoothing_spline(xs, ys, { lam = 1e-2 })(xs) - nd.sin(xs))) < 0.2)
  end)
  it("say what is wrong", function()
    local U = I.UnivariateSpline
    fails("ValueError", "UnivariateSpline: x must increase from place to place", U, { 0, 1, 1, 2 }, { 1, 2, 3, 4 },
      { s = 0 })
    fails("ValueError", "UnivariateSpline: x must not fall from place to place", U, { 0, 2, 1, 3 }, { 1, 2, 3, 4 })
    fails("ValueError", "UnivariateSpline: as many places, values and weights, not 4, 3 and 4", U, { 0, 1, 2, 3 },
      { 1, 2, 3 })
    fails("ValueError", "UnivariateSpline: y is finite", U, { 0, 1, 2, 3 }, { 1, 2, nd.nan, 4 })
    fails("ValueError", "UnivariateSpline: weights are above 0", U, { 0, 1, 2, 3 }, { 1, 2, 3, 4 }, { 1, 0, 1, 1 })
    fails("ValueError", "UnivariateSpline: k is from 1 to 5, not 6", U, x, y, { k = 6 })
    fails("ValueError", "UnivariateSpline: degree 3 needs more than 3 points, not 3", U, { 0, 1, 2 }, { 1, 2, 3 })
    fails("ValueError", "UnivariateSpline: s is at least 0, not -1", U, x, y, { s = -1 })
    fails("ValueError", "the points lie from 0.0 to 4.0, the spline from 1 to 5", U, x, y, { bbox = { 1, 5 } })
    fails("ValueError", "places that stand twice do not let the squares come down to s = 1e-06", U,
      { 0, 1, 1, 2, 3, 4 }, { 0, 1, 3, 2, 5, 1 }, { s = 1e-6 })
    fails("ValueError", "ext is 'extrapolate', 'zeros', 'raise' or 'const' (0 to 3), not nearest", U, x, y,
      { ext = "nearest" })
    fails("ValueError", "a place is not from 0.0 to 4.0", U(x, y, { ext = "raise" }), { 5.0 })
    fails("ValueError", "a spline of degree 3 has derivatives from 0 to 3, not 4", U(x, y), at, 4)
    local u = U(x, y)
    raises("AttributeError", "UnivariateSpline has no 'knots'", function()
      local _ = u.knots
    end)
    fails("ValueError", "LSQUnivariateSpline: knots lie between 0.0 and 4.0", I.LSQUnivariateSpline, x, y, { 0, 2 })
    fails("ValueError", "the points do not fix the spline", I.LSQUnivariateSpline, x, y, { 2.01, 2.02, 2.03, 2.04,
      2.05, 2.06 })
    fails("ValueError", "LSQUnivariateSpline: the knots are not between the points", I.LSQUnivariateSpline, x, y,
      { 3, 2 })
    fails("NotImplementedError", "periodic splines", I.splrep, x, y, { per = true })
    fails("TypeError", "splev: tck is {knots, coefficients, degree}", I.splev, 1, { 1, 2 })
    fails("ValueError", "sproot: the spline is cubic, not of degree 2", I.sproot, I.splrep(x, y, { k = 2 }))
    fails("ValueError", "make_smoothing_spline: at least 5 points, not 4", I.make_smoothing_spline, { 0, 1, 2, 3 },
      { 0, 1, 2, 3 })
    fails("ValueError", "make_smoothing_spline: lam is at least 0", I.make_smoothing_spline, x, y, { lam = -1 })
  end)
end)

describe("splines over a grid", function()
  local u, v = nd.linspace(0, 2, 7), nd.linspace(-1, 1, 6)
  local z = nd.outer(nd.sin(u), nd.exp(v))
  local f = I.RectBivariateSpline(u, v, z)
  it("go through it, and are at pairs what they are on grids", function()
    assert.is_true(nd.allclose(f(u, v), z))
    local p, q = nd.array({ 0.3, 1.9, 0.0 }), nd.array({ 0.5, -0.9, 1.0 })
    for i = 0, 2 do
      assert.is_true(nd.allclose(f:ev(p, q)[i], f({ p[i] }, { q[i] })))
    end
    assert.is_true(nd.allclose(f:ev(p, q, 1, 0), f:partial_derivative(1, 0):ev(p, q)))
    assert.is_true(nd.allclose(f({ 5.0 }, { 0.0 }), f({ 2.0 }, { 0.0 })), "beyond its edges it stays what it is there")
    assert.same({ 0, 6 }, f(nd.zeros(0), v).shape)
  end)
  it("give graphs with gradients", function()
    local a, b = T.dvector("a"), T.dvector("b")
    local out = f:ev(a, b)
    local g = theano.compile({ inputs = { a, b }, outputs = { out, T.grad(T.sum(out), a), f(a, b) } })
    local p, q = nd.array({ 0.3, 1.5 }), nd.array({ -0.5, 0.9 })
    local value, slope, grid = g(p, q)
    assert.is_true(nd.allclose(f:ev(p, q), value) and nd.allclose(f:ev(p, q, 1, 0), slope))
    assert.is_true(nd.allclose(f(p, q), grid))
  end)
  it("say what is wrong", function()
    fails("ValueError", "RectBivariateSpline: z is a matrix, not of shape (6,)", I.RectBivariateSpline, u, v, v)
    fails("ValueError", "places, 6 values", I.RectBivariateSpline, u, v, z.T)
    fails("NotImplementedError", "s is 0", I.RectBivariateSpline, u, v, z, { s = 1 })
    fails("ValueError", "kx is from 1 to 5, not 7", I.RectBivariateSpline, u, v, z, { kx = 7 })
    fails("ValueError", "of a grid x must not fall; grid = false takes pairs", f, { 1.0, 0.5 }, { 0.0 })
    fails("ValueError", "dx is from 0 to 2, not 3", f.ev, f, { 1.0 }, { 0.0 }, 3, 0)
  end)
end)

describe("polynomials through values and derivatives", function()
  it("give graphs of places and of values", function()
    local places = { 0, 0, 1, 2 }
    local w, v = T.dvector("w"), T.dvector("v")
    local f = I.KroghInterpolator(places, { 1, 0.5, 2, 0 })
    assert.is_true(nd.allclose(f(at), theano.compile({ inputs = { v }, outputs = f(v) })(at)))
    local g = theano.compile({ inputs = { w }, outputs = I.KroghInterpolator(places, w)(at) })
    assert.is_true(nd.allclose(f(at), g({ 1, 0.5, 2, 0 })))
    local slope = theano.compile({ inputs = { v }, outputs = T.grad(T.sum(f(v)), v) })
    assert.is_true(nd.allclose(f:derivative(at), slope(at)))
    assert.equal("number", type(f(0.5)))
    assert.is_true(nd.allclose(f:derivatives(0.0, 2), { 1.0, 0.5 }))
    assert.is_true(nd.allclose(f:derivative(at, 4), nd.zeros(3)), "of a cubic polynomial")
  end)
  it("say what is wrong", function()
    fails("ValueError", "KroghInterpolator: equal places stand side by side", I.KroghInterpolator, { 0, 1, 0 },
      { 1, 2, 3 })
    fails("ValueError", "KroghInterpolator: 3 places, 2 values", I.KroghInterpolator, { 0, 1, 2 }, { 1, 2 })
    fails("ValueError", "der is an integer of at least 0, not -1", I.krogh_interpolate, { 0, 1 }, { 1, 2 }, at, -1)
  end)
end)
