--- Functions that nd.optimize, nd.integrate, nd.interpolate and nd.signal call or make: graphs and numbers, gradients,
-- what is wrong. The numbers are in spec/scipy_spec.lua.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")
local T = require("theano.tensor")
local optimize, integrate, interpolate, signal = nd.optimize, nd.integrate, nd.interpolate, nd.signal

local function near(want, got, off)
  assert(nd.max(nd.abs(nd.asarray(got) - nd.asarray(want))) <= (off or 1e-6), tostring(got))
end

describe("compiled functions are functions of Lua's", function()
  local x, t, v = T.dscalar("x"), T.dscalar("t"), T.dvector("v")
  local made = theano["function"]
  local zero, slope = made({ x }, x ^ 2 - 2), made({ x }, 2 * x)
  local bowl = T.sum((v - 3) ^ 2)
  local cost, below = made({ v }, bowl), made({ v }, v[0] - 4)

  it("of zeros and minima, with derivatives and constraints", function()
    local root = math.sqrt(2)
    near(root, optimize.brentq(zero, 0, 2))
    near(root, optimize.newton(zero, 1.0, slope))
    near(root, optimize.newton(zero, 1.0, { fprime = slope }))
    near(root, optimize.root_scalar(zero, { bracket = { 0, 2 } }).root)
    near(0, optimize.minimize_scalar(zero).x)
    local both = theano.compile { inputs = { v }, outputs = { bowl, theano.grad(bowl, v) } }
    near({ 3, 3 }, optimize.minimize(both, { 0, 0 }, { jac = true }).x)
    near({ 3, 3 }, optimize.minimize(cost, { 0, 0 }, { method = "Newton-CG", jac = made({ v }, theano.grad(bowl, v)),
      hess = made({ v }, theano.gradient.hessian(bowl, v)) }).x, 1e-4)
    near({ 4, 3 }, optimize.minimize(cost, { 0, 0 }, { constraints = { { type = "ineq", fun = below } } }).x, 1e-4)
    near({ 4, 3 }, optimize.minimize(cost, { 0, 0 }, {
      constraints = { optimize.NonlinearConstraint(below, 0, 0) },
    }).x, 1e-4)
    raises("TypeError", "unknown", function()
      optimize.minimize(cost, { 0, 0 }, { constraints = { { type = "ineq", fun = below, other = 1 } } })
    end)
    near({ 2 }, optimize.root(made({ v }, v ^ 2 - 4), { 1.0 }).x)
    near({ 2, 1 }, (optimize.curve_fit(made({ v, x, t }, x * v + t), { 0, 1, 2 }, { 1, 3, 5 }, { p0 = { 1, 1 } })))
    near({ -4, -2 }, optimize.approx_fprime({ 1.0, 2.0 }, cost))
    near(0, optimize.check_grad(cost, made({ v }, theano.grad(bowl, v)), { 1.0, 2.0 }))
  end)
  it("of integrals, equations and rows", function()
    near(1 / 3 - 2, (integrate.quad(zero, 0, 1)))
    near(0.25, (integrate.dblquad(made({ x, t }, x * t), 0, 1, 0, 1)))
    local decay = made({ t, v }, -v, { on_unused_input = "ignore" })
    near({ math.exp(-1) }, integrate.solve_ivp(decay, { 0, 1 }, { 1.0 }).y[":, -1"], 1e-3)
    near({ 2, 2 }, nd.apply_along_axis(made({ v }, T.sum(v)), 0, nd.ones { 2, 2 }))
    near({ -1, 2 }, nd.vectorize(zero)({ 1, 2 }))
  end)
end)

describe("least squares", function()
  local function rosen(x) return T.stack({ 10 * (x[1] - x[0] ^ 2), 1 - x[0] }) end
  local x = nd.linspace(0, 4, 30)
  local y = 2.5 * nd.exp(-1.3 * x) + 0.5
  local function decay(v, a, b, c) return a * T.exp(-b * v) + c end

  it("keep within bounds", function()
    local r = optimize.least_squares(rosen, { 2, 2 }, { bounds = { { -math.huge, 1.5 }, math.huge } })
    near({ 1.22437075, 1.5 }, r.x)
    assert.is_true(r.success)
    near({ 1, 1 }, optimize.least_squares(rosen, { 2, 2 }, { bounds = { -3, 3 } }).x)
    local p = optimize.curve_fit(decay, x, y, { bounds = { 0, { 3, 1, 0.4 } } })
    assert.is_true(nd.all(nd.le(p, { 3, 1, 0.4 })) and p[1] == 1 and p[2] <= 0.4)
    raises("ValueError", "out of bounds", function() optimize.least_squares(rosen, { 9, 9 }, { bounds = { 0, 1 } }) end)
    raises("ValueError", "crossed", function() optimize.least_squares(rosen, { 0, 0 }, { bounds = { 1, 0 } }) end)
    raises("ValueError", "3 bounds for 2", function()
      optimize.least_squares(rosen, { 0, 0 }, { bounds = { { 1, 2, 3 }, 9 } })
    end)
    raises("ValueError", "not finite", function() optimize.least_squares(rosen, { nd.nan, 0 }) end)
  end)

  it("know a fit's graph again when its data are others", function()
    local calls = 0
    local function counted(v, a, b, c)
      calls = calls + (type(v) == "userdata" and require("theano.core").kind(v) == "ndarray" and 1 or 0)
      return decay(v, a, b, c)
    end
    near({ 2.5, 1.3, 0.5 }, (optimize.curve_fit(counted, x, y)))
    near({ 5, 1.3, 1 }, (optimize.curve_fit(counted, x, 2 * y)))
    assert.equal(0, calls) -- it got Variables only
    near({ 2, -1 }, (optimize.curve_fit(function(v, a, b) return a * nd.sin(v) + b end, x, 2 * nd.sin(x) - 1)))
  end)
end)

describe("nd.optimize.minimize", function()
  local function bowl(x) return (x[0] - 1) ^ 2 + 2 * (x[1] + 0.5) ^ 2 end

  it("takes the gradient of a graph, and calls the function but once", function()
    local calls = 0
    local r = optimize.minimize(function(x)
      calls = calls + 1
      return bowl(x)
    end, { 4, 4 })
    near({ 1, -0.5 }, r.x)
    assert.equal(1, calls)
    assert.equal(r.nfev, r.njev)
    assert.is_true(r.success)
    assert.same({ 2, 2 }, { table.unpack(r.hess_inv.shape) })
  end)

  it("takes functions of numbers, with differences or jac", function()
    local function numbers(x) return math.abs(x[0] - 1) ^ 2 + 2 * (x[1] + 0.5) ^ 2 end
    local function slopes(x) return nd.array({ 2 * (x[0] - 1), 4 * (x[1] + 0.5) }) end
    for _, method in ipairs({ "BFGS", "L-BFGS-B", "CG", "Newton-CG", "Nelder-Mead" }) do
      near({ 1, -0.5 }, optimize.minimize(numbers, { 4, 4 }, { method = method }).x, 1e-4)
    end
    near({ 1, -0.5 }, optimize.minimize(numbers, { 4, 4 }, { jac = slopes }).x)
    near({ 1, -0.5 }, optimize.minimize(function(x) return numbers(x), slopes(x) end, { 4, 4 }, { jac = true }).x)
    near({ 1, -0.5 }, optimize.minimize(bowl, { 4, 4 }, { jac = false }).x, 1e-5)
  end)

  it("stops when the callback says so", function()
    local seen = 0
    local r = optimize.minimize(optimize.rosen, { -1.2, 1 }, { callback = function(x, f)
      seen = seen + 1
      assert.equal(2, x.size)
      assert.is_true(f >= 0)
      return seen == 3
    end })
    assert.same({ 3, 99, false, 3 }, { r.nit, r.status, r.success, seen })
  end)

  it("says when it comes to no end", function()
    local r = optimize.minimize(optimize.rosen, { -1.2, 1 }, { options = { maxiter = 2 } })
    assert.same({ 1, false, 2 }, { r.status, r.success, r.nit })
    r = optimize.minimize(function(x) return T.log(x[0]) end, { -1 })
    assert.is_false(r.success)
  end)

  it("keeps within bounds, and at them", function()
    local low = optimize.minimize(optimize.rosen, { 0.5, 0.5 }, { bounds = { { false, 0.8 }, { false, false } } })
    near({ 0.8, 0.64 }, low.x, 1e-4)
    near({ 2, 0 }, optimize.minimize(function(x) return (x[0] - 3) ^ 2 + (x[1] + 1) ^ 2 end, { 9, 9 },
      { bounds = { { 0, 2 }, { 0, 5 } } }).x)
  end)

  -- Nocedal's and Wright's example 16.4, and Rosenbrock's function on a disc and on a line.
  local CORNERS = { { 1, -2, 2 }, { -1, -2, 6 }, { -1, 2, 2 } }
  local function corner(x) return (x[0] - 1) ^ 2 + (x[1] - 2.5) ^ 2 end
  it("meets constraints, of graphs and of numbers, with bounds and without", function()
    local list = {}
    for i, c in ipairs(CORNERS) do
      list[i] = { type = "ineq", args = { 2 },
        fun = function(x, by) return (c[1] * x[0] + c[2] * x[1] + c[3]) * by end }
    end
    for _, more in ipairs({ {}, { bounds = { { 0, false }, { 0, false } } }, { jac = false },
      { method = "trust-constr", bounds = optimize.Bounds(0, { 9, 1.5 }) } }) do
      more.constraints = list
      local r = optimize.minimize(corner, { 2, 0 }, more)
      assert.is_true(r.success)
      near(more.method and { 1, 1.5 } or { 1.4, 1.7 }, r.x, 1e-5)
    end
    local linear = optimize.LinearConstraint({ { 1, -2 }, { -1, -2 }, { -1, 2 } }, { -2, -6, -2 })
    near({ 1.4, 1.7 }, optimize.minimize(corner, { 2, 0 }, { constraints = linear }).x, 1e-5)
    local function numbers(x) return math.abs(x[0] - 1) ^ 2 + (x[1] - 2.5) ^ 2 end
    near({ 1.4, 1.7 }, optimize.minimize(numbers, { 2, 0 }, { constraints = { linear } }).x, 1e-5)
    local ring = optimize.NonlinearConstraint(function(x) return x[0] ^ 2 + x[1] ^ 2 end, 0, 1)
    near({ 0.78641515, 0.61769831 }, optimize.minimize(optimize.rosen, { 2, 0 }, { constraints = ring }).x)
    local r = optimize.minimize(optimize.rosen, { 2, 0 }, { constraints = { type = "eq",
      fun = function(x) return x[0] + x[1] - 1 end } })
    near({ 0.61879562, 0.38120438 }, r.x)
    assert.is_true(r.constr_violation < 1e-8)
  end)
  it("says that no place meets constraints, and what is wrong with them", function()
    local never = { type = "eq", fun = function(x) return x[0] ^ 2 + 1 end }
    local r = optimize.minimize(bowl, { 1, 1 }, { constraints = never })
    assert.is_false(r.success)
    assert.matches("No place", r.message)
    local function one(x) return x[0] end
    local least, limit = optimize.minimize, optimize.NonlinearConstraint
    raises("ValueError", "constraints[1]: type is 'eq' or 'ineq'", function()
      least(bowl, { 1, 1 }, { constraints = { { type = "le", fun = one } } })
    end)
    raises("TypeError", "fun should be a function", function()
      least(bowl, { 1, 1 }, { constraints = { type = "eq" } })
    end)
    raises("TypeError", "constraints is a table", function() least(bowl, { 1, 1 }, { constraints = 3 }) end)
    raises("ValueError", "2 limits for the 1 numbers", function()
      least(bowl, { 1, 1 }, { constraints = limit(one, { 0, 1 }) })
    end)
    raises("ValueError", "crossed", function() least(bowl, { 1, 1 }, { constraints = limit(one, 2, 1) }) end)
    raises("ValueError", "constraints are for", function()
      least(bowl, { 1, 1 }, { constraints = { type = "eq", fun = one }, method = "CG" })
    end)
  end)

  it("takes no variables, and of a constant the start", function()
    assert.equal(0, optimize.minimize(function(x) return x:sum() end, {}).x.size)
    near({ 3 }, optimize.minimize(function(x) return 0 * x:sum() + 1 end, { 3 }).x)
  end)

  it("takes a vector of one element for a number, as SciPy does, where x has one", function()
    for _, method in ipairs({ "BFGS", "L-BFGS-B", "CG", "Newton-CG", "Nelder-Mead", "SLSQP", "trust-constr" }) do
      local r = optimize.minimize(function(x) return x ^ 2 + 10 * nd.sin(x) end, { 0.0 }, { method = method })
      near({ -1.3064400127 }, r.x, 1e-4)
    end
  end)

  it("refuses what it does not know", function()
    raises("ValueError", "the method is", function() optimize.minimize(bowl, { 1, 1 }, { method = "COBYLA" }) end)
    raises("TypeError", "unknown keyword 'gtl'", function()
      optimize.minimize(bowl, { 1, 1 }, { options = { gtl = 1e-3 } })
    end)
    raises("ValueError", "gives a number, not a tensor", function() optimize.minimize(function(x) return x end,
      { 1, 2 }) end)
    raises("TypeError", "gives a number", function() optimize.minimize(function() return "a" end, { 1 }) end)
    raises("TypeError", "fun", function() optimize.minimize(3, { 1 }) end)
    raises("ValueError", "a vector", function() optimize.minimize(bowl, { { 1, 2 }, { 3, 4 } }) end)
    raises("ValueError", "crossed", function() optimize.minimize(bowl, { 1, 1 }, { bounds = { { 2, 1 } } }) end)
    raises("ValueError", "bounds are for", function()
      optimize.minimize(bowl, { 1, 1 }, { method = "CG", bounds = { { 1, 2 } } })
    end)
  end)
end)

describe("zeros", function()
  it("need a change of sign", function()
    raises("ValueError", "different signs", function() optimize.brentq(function(x) return x * x + 1 end, -1, 1) end)
    raises("ValueError", "NaN", function() optimize.brentq(function() return 0 / 0 end, -1, 1) end)
    raises("RuntimeError", "no zero was found", function()
      optimize.brentq(function(x) return x ^ 3 - 2 end, 0, 1e9, { maxiter = 3 })
    end)
    local x, r = optimize.brentq(function(v) return v ^ 3 - 2 end, 0, 1e9, { maxiter = 3, disp = false,
      full_output = true })
    assert.same({ false, 3, x }, { r.converged, r.iterations, r.root })
    assert.equal(1.0, optimize.brentq(function(v) return v - 1 end, 1, 2))
  end)

  it("of systems say where none is near", function()
    assert.is_false(optimize.root(function(x) return T.stack({ x[0] ^ 2 + 1 }) end, { 1 }).success)
    raises("RuntimeError", "fsolve", function() optimize.fsolve(function(x) return T.stack({ x[0] ^ 2 + 1 }) end,
      { 1 }) end)
    raises("TypeError", "of 2 numbers gives 1", function() optimize.root(function(x) return x:sum() end, { 1, 2 }) end)
    near({ 2.0 }, optimize.root(function(x) return nd.array({ math.sqrt(x[0]) - math.sqrt(2) }) end, { 3 }).x)
  end)

  it("fit curves of numbers, too, and say when f's parameters are not known", function()
    local x = nd.linspace(0, 1, 20)
    near({ 2, 3 }, (optimize.curve_fit(function(v, a, b) return nd.array({ table.unpack(v:tolist()) }) * a + b end, x,
      2 * x + 3)), 1e-5)
    raises("ValueError", "p0 tells it", function() optimize.curve_fit(function(...) return (...) end, x, x) end)
  end)
end)

describe("integrals", function()
  it("are of functions of numbers and of graphs alike", function()
    near(1.0, (integrate.quad(math.sin, 0, math.pi / 2)), 1e-12)
    near(1.0, (integrate.quad(function(x) return T.sin(x) end, 0, math.pi / 2)), 1e-12)
    near(6.0, (integrate.quad(function(x, a) return a + 0 * x end, 0, 2, { args = 3 })), 1e-12)
    assert.equal(0.0, (integrate.quad(math.exp, 1, 1)))
    raises("TypeError", "gives a number", function() integrate.quad(function() return "a" end, 0, 1) end)
    raises("ValueError", "finite intervals", function() integrate.quad(math.exp, 0, math.huge, { points = { 1 } }) end)
    local v, err, more = integrate.quad(function(x) return 1 / x end, 0, 1, { full_output = true })
    assert.is_false(more.success)
    assert.is_true(err > 1e-6 and v > 0)
  end)

  it("with weights: how far off it is, and what is refused", function()
    local function quad(weight, wvar, b, points)
      return integrate.quad(math.exp, -1, b or 1, { weight = weight, wvar = wvar, points = points, full_output = true })
    end
    local v, err, more = quad("cos", 40)
    local want = (math.exp(1) * (math.cos(40) + 40 * math.sin(40)) - math.exp(-1) * (math.cos(40) - 40 * math.sin(40)))
      / 1601
    assert.is_true(math.abs(v - want) <= err and err < 1e-8 and more.success, err)
    local function bell(x) return 1 / (1 + x * x) end
    near(math.pi / math.exp(1), (integrate.quad(bell, -math.huge, math.huge, { weight = "cos", wvar = 1 })), 1e-8)
    near(0, (integrate.quad(math.exp, 0, 1, { weight = "sin", wvar = 0 })))
    err, more = select(2, quad("cos", 1, math.huge))
    assert.is_true(not more.success and (err ~= err or err > 1), err) -- it grows: no integral
    for text, o in pairs({ ["is 'cos', 'sin'"] = { "tan", 1 }, ["two numbers as wvar"] = { "alg", 1 },
      ["exponents above -1"] = { "alg-log", { -1, 1 } }, ["takes a number as wvar, not nil"] = { "sin" },
      ["pole at an end"] = { "cauchy", 1 }, ["is for finite intervals"] = { "cauchy", 1, math.huge },
      ["and not for weights"] = { "cos", 1, 1, { 0.5 } } }) do
      raises("ValueError", text, function() quad(table.unpack(o, 1, 4)) end)
    end
  end)
end)

describe("solve_ivp", function()
  local function decay(_, y) return -0.5 * y end
  it("ends at events, and notes those on the way", function()
    local half = { function(_, y) return y[0] - 1 end, terminal = true }
    local r = integrate.solve_ivp(decay, { 0, 10 }, { 2 }, { events = { half, function(_, y) return y[0] - 1.5 end },
      rtol = 1e-8, atol = 1e-10 })
    near({ 2 * math.log(2) }, r.t_events[1], 1e-6)
    near({ 2 * math.log(4 / 3) }, r.t_events[2], 1e-6)
    near({ { 1.5 } }, r.y_events[2], 1e-6)
    assert.same({ 1, true }, { r.status, r.success })
    near(2 * math.log(2), r.t[-1], 1e-6)
  end)

  it("gives what lies between steps, both ways in time", function()
    for _, method in ipairs({ "RK45", "RK23", "DOP853", "Radau", "BDF" }) do
      local o = { method = method, dense_output = true, rtol = 1e-6, atol = 1e-8 }
      near({ 2 * math.exp(-1) }, integrate.solve_ivp(decay, { 0, 5 }, { 2 }, o).sol(2.0), 2e-5)
      near({ { 2 * math.exp(0.5), 2 * math.exp(2) } }, integrate.solve_ivp(decay, { 0, -5 }, { 2 }, o).sol({ -1, -4 }),
        2e-4)
    end
  end)

  it("BDF changes its order and the length of its steps as SciPy's does", function()
    local r = integrate.solve_ivp(function(_, y) return T.stack({ y[1], 1000 * (1 - y[0] * y[0]) * y[1] - y[0] }) end,
      { 0, 3000 }, { 2, 0 }, { method = "BDF" })
    assert.is_true(r.success and r.t.size > 500 and r.t.size < 600, r.t.size) -- SciPy: 537
    assert.is_true(r.nfev < 2000, r.nfev) -- SciPy: 1885
    local back = integrate.solve_ivp(function(_, y) return nd.array({ y[1], -y[0] }) end, { 10, 0 }, { 1, 0 },
      { method = "BDF", rtol = 1e-8, atol = 1e-10 })
    near({ math.cos(10), math.sin(10) }, back.y[":, -1"], 1e-6)
    for _, method in ipairs({ "BDF", "RK45", "DOP853" }) do
      local none = integrate.solve_ivp(function(_, y) return y end, { 0, 1 }, nd.zeros(0), { method = method })
      assert.is_true(none.success, method)
    end
  end)

  it("of integrals in integrals: how far off is the largest estimate, and ranges may be functions", function()
    local value, err = integrate.dblquad(function(t, x) return math.exp(-x * t) / t ^ 4 end, 0, math.huge, 1, math.huge)
    near(0.25, value, 1e-9)
    assert.is_true(err < 1e-7, err)
    local ranges = { function(y) return { 0, 1 - 2 * y } end, { 0, 0.5 } }
    near(1 / 96, integrate.nquad(function(x, y) return x * y end, ranges), 1e-12)
    near(7 / 8, integrate.tplquad(function(z, y, x) return x + y + z end, 0, 1, function(x) return x end, 1, 0,
      function(x, y) return x + y end), 1e-12)
    local function branching(y, x) return x > 1 and T.exp(0 * y) or T.exp(y) end -- of numbers x alone
    near(math.exp(1) - 1, integrate.dblquad(branching, 0, 1, 0, 1), 1e-12)
    near(32 / 5, integrate.quad(function(x, n) return x ^ n end, 0, 2, { args = 4 }), 1e-12)
    raises("TypeError", "a range is {from, to}", function() integrate.nquad(math.abs, { 3 }) end)
    raises("ValueError", "no ranges", function() integrate.nquad(math.abs, {}) end)
  end)

  it("fails in words where the solution ends", function()
    local r = integrate.solve_ivp(function(_, y) return y * y end, { 0, 2 }, { 1 })
    assert.same({ -1, false }, { r.status, r.success })
    assert.is_truthy(r.message:find("step size", 1, true))
  end)

  it("refuses what it does not know", function()
    raises("ValueError", "is not available: 'BDF' or 'Radau' solve stiff", function()
      integrate.solve_ivp(decay, { 0, 1 }, { 1 }, { method = "LSODA" })
    end)
    raises("ValueError", "the method is", function()
      integrate.solve_ivp(decay, { 0, 1 }, { 1 }, { method = "Euler" })
    end)
    raises("ValueError", "outside of t_span", function()
      integrate.solve_ivp(decay, { 0, 1 }, { 1 }, { t_eval = { 2 } })
    end)
    raises("ValueError", "not in order", function()
      integrate.solve_ivp(decay, { 0, 1 }, { 1 }, { t_eval = { 1, 0.5 } })
    end)
    raises("ValueError", "atol has 2", function() integrate.solve_ivp(decay, { 0, 1 }, { 1 }, { atol = { 1, 2 } }) end)
    raises("TypeError", "t_span", function() integrate.solve_ivp(decay, 1, { 1 }) end)
  end)
end)

describe("nd.interpolate in graphs", function()
  local x = nd.array({ 0.0, 1.0, 2.5, 3.0, 4.2 })
  local y, at = nd.array({ 1.0, 3.0, 2.0, 2.5, -1.0 }), nd.array({ -0.5, 0.3, 1.2, 2.7, 4.5 })
  local MADE = {
    CubicSpline = function(v) return interpolate.CubicSpline(x, v) end,
    natural = function(v) return interpolate.CubicSpline(x, v, { bc_type = "natural" }) end,
    clamped = function(v) return interpolate.CubicSpline(x, v, { bc_type = { { 1, 0.5 }, { 2, 1.5 } } }) end,
    PchipInterpolator = function(v) return interpolate.PchipInterpolator(x, v) end,
    Akima1DInterpolator = function(v) return interpolate.Akima1DInterpolator(x, v, { extrapolate = true }) end,
    interp1d = function(v) return interpolate.interp1d(x, v, { fill_value = "extrapolate" }) end,
  }
  for name, make in pairs(MADE) do
    it(name .. " gives the arrays' values, and gradients by places and values", function()
      local v, w = T.dvector(), T.dvector()
      local f = theano.compile({ inputs = { v, w }, outputs = make(w)(v) })
      near(make(y)(at), f(at, y), 1e-12)
      theano.gradient.verify_grad(function(p, q) return make(q)(p) end, { at, y })
    end)
  end

  it("takes numbers, matrices and several columns", function()
    local m = nd.stack({ y, 2 * y }, 1)
    local s = T.dscalar()
    assert.equal(interpolate.CubicSpline(x, y)(0.3), interpolate.CubicSpline(x, y)(s):eval({ [s] = 0.3 }))
    local p = T.dmatrix()
    local grid = nd.array({ { 0.5, 1.5 }, { 2.0, 4.0 } })
    near(interpolate.CubicSpline(x, m)(grid), interpolate.CubicSpline(x, m)(p):eval({ [p] = grid }), 1e-13)
    local g = interpolate.RegularGridInterpolator({ x, { 0, 1 } }, m)
    near(g({ { 0.5, 0.5 }, { 3, 1 } }), g(p):eval({ [p] = nd.array({ { 0.5, 0.5 }, { 3, 1 } }) }), 1e-13)
  end)

  it("refuses places that do not increase, and places outside", function()
    raises("ValueError", "must increase", function() interpolate.CubicSpline({ 0, 2, 1 }, { 1, 2, 3 }) end)
    raises("ValueError", "3 places, 2 values", function() interpolate.CubicSpline({ 0, 1, 2 }, { 1, 2 }) end)
    raises("ValueError", "outside of", function() interpolate.interp1d({ 0, 1 }, { 1, 2 })(3) end)
    raises("ValueError", "bc_type", function() interpolate.CubicSpline({ 0, 1, 2 }, { 1, 2, 3 }, { bc_type = "x" }) end)
    raises("ValueError", "the same", function() interpolate.CubicSpline(x, y, { bc_type = "periodic" }) end)
    raises("NotImplementedError", "the kind is", function() interpolate.interp1d(x, y, { kind = "round" }) end)
    raises("ValueError", "interp1d: degree 7 needs at least 8 points", function() interpolate.interp1d(x, y, 7) end)
    raises("TypeError", "kind", function() interpolate.interp1d(x, y, 2.5) end)
    assert.equal(0, interpolate.CubicSpline(x, y)({}).size)
  end)
end)

describe("nd.signal", function()
  it("refuses designs without edges, and coefficients that start with 0", function()
    raises("ValueError", "edges lie between", function() signal.butter(2, 1.5) end)
    raises("ValueError", "two edges", function() signal.butter(2, 0.5, { btype = "band" }) end)
    raises("ValueError", "the order", function() signal.butter(-1, 0.5) end)
    raises("ValueError", "output is", function() signal.butter(1, 0.5, { output = "x" }) end)
    raises("ValueError", "first of a", function() signal.lfilter({ 1 }, { 0 }, { 1, 2 }) end)
    raises("ValueError", "a state has 1", function() signal.lfilter({ 1, 2 }, { 1 }, { 1, 2 }, { zi = { 1, 2 } }) end)
    raises("ValueError", "too few", function() signal.filtfilt({ 1, 2 }, { 1, 0.5 }, { 1, 2 }) end)
    raises("ValueError", "1 to 10000", function() nd.special.multigammaln(3.0, 1 << 53) end)
    raises("ValueError", "1 to 10000", function() integrate.fixed_quad(math.sin, 0, 1, { n = 1 << 53 }) end)
    raises("ValueError", "rows of six", function() signal.sosfreqz({ 1, 2 }) end)
    raises("TypeError", "zeros and poles", function() signal.zpk2sos({ true }, {}, 1) end)
    raises("TypeError", "x is real", function() signal.find_peaks(nd.array({ nd.complex(1, 2) })) end)
    raises("TypeError", "in2_len", function() signal.correlation_lags(3, true) end)
    raises("TypeError", "'t_span' is missing", function() integrate.solve_ivp(math.sin) end)
    raises("ValueError", "no window", function() signal.get_window("nothing", 4) end)
    raises("ValueError", "mode is", function() signal.convolve({ 1 }, { 1 }, "x") end)
    raises("AttributeError", "windows", function() return signal.windows.nothing end)
  end)

  it("filters nothing, one sample, complex and single numbers", function()
    assert.equal(0, signal.lfilter({ 1, 0.5 }, { 1, -0.2 }, nd.zeros(0)).size)
    near({ 2 }, signal.lfilter({ 1, 0.5 }, { 1, -0.2 }, { 2 }), 0)
    local single = nd.ones(3, "float32") -- as SciPy's: float32 where the coefficients are so too
    assert.equal("float64", signal.lfilter({ 1, 0.5 }, { 1, -0.2 }, single).dtype)
    assert.equal("float32", signal.lfilter(single, single, single).dtype)
    local z = signal.lfilter({ 1, 0.5 }, { 1, -0.2 }, nd.array({ nd.complex(1, 2), nd.complex(0, 1) }))
    assert.equal(nd.complex(0.7, 2.4), z[1])
  end)

  it("keeps what stands before a NaN", function()
    local y = signal.lfilter({ 1, 0.5 }, { 1, -0.2 }, { 1, 1, 0 / 0, 1 })
    near({ 1, 1.7 }, y[":2"], 1e-15)
    assert.is_true(nd.all(nd.isnan(y["2:"])))
  end)

  it("raises errors of its own for what is no number, vector or position", function()
    local function nothing() end
    raises("TypeError", "newton: the function gives a number", function() optimize.newton(nothing, 3) end)
    raises("TypeError", "minimize_scalar: the function gives", function() optimize.minimize_scalar(nothing) end)
    raises("TypeError", "real numbers", function() optimize.Bounds(nd.array { nd.complex(1, 2) }, 3) end)
    assert.same({ { 1.0, 3.0 } }, optimize.Bounds(nd.array { true }, 3))
    raises("TypeError", "alpha should be a number", function() signal.windows.general_hamming(5, "a") end)
    local windows = signal.windows
    raises("TypeError", "at", function() windows.chebwin(5) end)
    raises("TypeError", "NW", function() windows.dpss(5) end)
    raises("ValueError", "NW is above 0", function() windows.dpss(8, 4) end)
    raises("ValueError", "Kmax is 1", function() windows.dpss(8, 2, 9) end)
    raises("ValueError", "norm is", function() windows.dpss(8, 2, { norm = "inf" }) end)
    assert.same({ { 1.0 }, {} }, { windows.dpss(1, 2):tolist(), windows.chebwin(0, 50):tolist() })
    raises("ValueError", "vectors", function() signal.lfilter_zi({ { 1, 2 }, { 3, 4 } }, 1) end)
    raises("ValueError", "positions in x", function() signal.peak_prominences({ 0, 1, 0 }, { 7 }) end)
    raises("ValueError", "vectors, not empty", function() signal.freqz({}, {}) end)
    raises("TypeError", "wlen is", function() signal.peak_prominences({ 0, 1, 0 }, { 1 }, nd.ones(1)) end)
    raises("TypeError", "a sequence of two numbers", function()
      integrate.solve_ivp(function(_, y) return y end, nd.array(true), { 1 })
    end)
    raises("TypeError", "numbers in a sequence", function()
      optimize.minimize_scalar(nothing, { bounds = { "a", 1 } })
    end)
    raises("TypeError", "positions in x", function() signal.peak_widths({ 0, 1, 0 }, { 0.5 }) end)
  end)
  it("check_grad says that both are functions", function()
    local f = optimize.rosen
    raises("TypeError", "check_grad: grad should be a function", function() optimize.check_grad(f, 3, { 1 }) end)
    raises("TypeError", "check_grad: func should be a function", function() optimize.check_grad(nil, f, { 1 }) end)
  end)
end)

describe("root_scalar", function()
  local function cube(x) return x ^ 3 - 8 end
  it("takes the method that what is given is enough for", function()
    for method, o in pairs({ brentq = { bracket = { 0, 3 } }, newton = { x0 = 0.2 }, secant = { x0 = 1.0, x1 = 3.0 },
      bisect = { bracket = nd.array({ 0, 3 }), method = "bisect" } }) do
      local r = nd.optimize.root_scalar(cube, o)
      near(2, r.root, 1e-9)
      assert.same({ method, true, "converged" }, { r.method, r.converged, r.flag })
      assert.is_true(r.iterations > 0 and r.function_calls > r.iterations)
    end
    assert.equal("secant", nd.optimize.root_scalar(function(x) return math.sin(x - 1) end, { x0 = 0.7 }).method)
    near(2, nd.optimize.root_scalar(function(x, a) return x * x - a end, { x0 = 1, args = 4,
      fprime = function(x) return 2 * x end }).root, 1e-12)
  end)
  it("takes Halley's method and Algorithm 748 by name", function()
    local function wave(x) return T.exp(x) - 3 end
    local solve = nd.optimize.root_scalar
    local r = solve(wave, { x0 = 2, method = "halley" })
    assert.same({ "halley", true, 4, 12 }, { r.method, r.converged, r.iterations, r.function_calls })
    near(math.log(3), r.root, 1e-13)
    near(1.5, solve(function(x) return 2 * x - 3 end, { x0 = 5, method = "halley" }).root, 1e-15)
    r = solve(cube, { bracket = { 3, 0 }, method = "toms748" })
    near(2, r.root, 1e-11)
    assert.equal("toms748", r.method)
    assert.equal(0.0, nd.optimize.toms748(function(x) return x end, 0, 3))
    raises("ValueError", "fprime and fprime2", function() solve(math.sin, { x0 = 1, method = "halley" }) end)
    raises("ValueError", "k is 0", function() nd.optimize.toms748(cube, 0, 3, { k = 0 }) end)
    raises("ValueError", "different signs", function() nd.optimize.toms748(cube, 3, 4) end)
    raises("RuntimeError", "toms748: no zero", function() nd.optimize.toms748(cube, 0, 3, { maxiter = 1 }) end)
    raises("TypeError", "toms748: the function gives", function() nd.optimize.toms748(tostring, 0, 3) end)
    raises("ValueError", "tol is", function() nd.optimize.newton(cube, 1, { tol = 0 }) end)
  end)
  it("says so where none is found, and refuses what does not fit", function()
    local r = nd.optimize.root_scalar(function(x) return x * x + 1 end, { x0 = 0.2, maxiter = 5 })
    assert.same({ false, "convergence error", 5 }, { r.converged, r.flag, r.iterations })
    local solve = nd.optimize.root_scalar
    raises("ValueError", "a bracket or x0", function() solve(cube) end)
    raises("ValueError", "a bracket of two numbers", function() solve(cube, { bracket = { 1 } }) end)
    raises("ValueError", "'muller'", function() solve(cube, { x0 = 1, method = "muller" }) end)
    raises("ValueError", "no graph of a number", function() solve(math.sin, { x0 = 1, method = "newton" }) end)
    raises("ValueError", "a vector as long", function() nd.optimize.nnls({ { 1, 2 } }, { 1, 2 }) end)
    raises("ValueError", "infinities or NaN", function() nd.optimize.nnls({ { nd.nan } }, { 1 }) end)
  end)
end)

describe("minimize by differences alone", function()
  it("finds what it says it found, by every method, from wherever it starts", function()
    local rng = nd.random.default_rng(3)
    for k = 1, 24 do
      local n = 1 + k % 4
      local A = rng:normal(0, 1, { n, n })
      A = (nd.dot(A, A.T) + nd.eye(n) * 0.5):tolist()
      local c = rng:normal(0, 2, { n })
      local at = c:tolist()
      local function f(x) -- of numbers alone: no graph can be made of it
        local s, v = 0.0, nd.array(x):tolist()
        for i = 1, n do
          for j = 1, n do s = s + A[i][j] * (v[i] - at[i]) * (v[j] - at[j]) end
          if k % 2 == 0 then s = s + (v[i] - at[i]) ^ 4 end
        end
        return s
      end
      for _, method in ipairs({ "BFGS", "L-BFGS-B", "CG", "Newton-CG", "Nelder-Mead", "SLSQP" }) do
        near(c, optimize.minimize(f, rng:normal(0, 3, { n }), { method = method }).x, 2e-3)
      end
    end
    local function bowl(x) return nd.sum((x - 1.5) ^ 2 * nd.arange(1, x.size + 1)) end
    local r = optimize.minimize(bowl, { 0.1, 0.2, 0.3 },
      { method = "Newton-CG" })
    near(1.5, r.x, 1e-6)
    assert.is_true(r.success and r.nit > 0)
  end)
end)
