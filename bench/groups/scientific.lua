-- SciPy's way through a script: minima, curve fits, integrals, differential equations, splines, filters.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local optimize, integrate, interpolate, signal = nd.optimize, nd.integrate, nd.interpolate, nd.signal

local G = { title = "minima, integrals, interpolation, signals", peers = { "lua", "scipy" }, cases = {} }
for _, case in ipairs({ { "BFGS", "100" }, { "L-BFGS-B", "100" }, { "CG", "100" }, { "Newton-CG", "100" },
  { "BFGS", "10" }, { "Nelder-Mead", "5" }, { "curve_fit", "1000" }, { "quad", "1" }, { "RK45", "2" }, { "Radau", "2" },
  { "CubicSpline", "1000" }, { "lfilter", "10000" }, { "sosfilt", "100000" }, { "stft", "100000" },
  { "betainc", "10000" } }) do
  G.cases[#G.cases + 1] = case
end

local function wave(n) return nd.sin(nd.arange(n) * 0.1) + nd.sin(nd.arange(n) * 0.37) end

local PREPARE = {}
local function minimum(method)
  return function(n)
    local x = nd.full({ n }, 1.0)
    x["::2"] = -1.2
    return function() return optimize.minimize(optimize.rosen, x, { method = method }).fun end, nil
  end
end
for _, method in ipairs({ "BFGS", "L-BFGS-B", "CG", "Newton-CG",
  "Nelder-Mead" }) do PREPARE[method] = minimum(method) end
function PREPARE.curve_fit(n)
  local x = nd.linspace(0, 4, n)
  local y = 2.5 * nd.exp(-1.3 * x) + 0.5
  local function decay(v, a, b, c) return a * T.exp(-b * v) + c end
  return function() return nd.sum((optimize.curve_fit(decay, x, y))) end
end
function PREPARE.quad()
  return function() return (integrate.quad(function(x) return 1 / (1e-4 + (x - 0.3) ^ 2) end, 0, 1)) end
end
local function prey(_, y) return T.stack({ 1.5 * y[0] - y[0] * y[1], -3 * y[1] + y[0] * y[1] }) end
local function van_der_pol(_, y) return T.stack({ y[1], 1000 * (1 - y[0] * y[0]) * y[1] - y[0] }) end
function PREPARE.RK45()
  return function() return integrate.solve_ivp(prey, { 0, 15 }, { 10, 5 }, { rtol = 1e-8 }).y[{ 0, -1 }] end
end
function PREPARE.Radau()
  return function() return integrate.solve_ivp(van_der_pol, { 0, 3000 }, { 2, 0 }, { method = "Radau" }).y[{ 0,
    -1 }] end, nil
end
function PREPARE.CubicSpline(n)
  local x, y, at = nd.arange(n) * 1.0, wave(n), nd.arange(n) + 0.3
  return function() return nd.sum(interpolate.CubicSpline(x, y)(at)) end
end
function PREPARE.lfilter(n)
  local b, a = signal.butter(4, 0.2)
  local x = wave(n)
  return function() return nd.sum(signal.lfilter(b, a, x)) end
end
function PREPARE.sosfilt(n)
  local sos, x = signal.butter(6, 0.2, { output = "sos" }), wave(n)
  return function() return nd.sum(signal.sosfilt(sos, x)) end
end
function PREPARE.stft(n)
  local x = wave(n)
  return function() return nd.sum(nd.abs((select(3, signal.stft(x))))) end
end
function PREPARE.betainc(n)
  local x = (nd.arange(n) + 0.5) / n
  return function() return nd.sum(nd.special.betainc(2.5, 7.0, x)) end
end

local ITERATED = { BFGS = true, ["L-BFGS-B"] = true, CG = true, ["Newton-CG"] = true, Radau = true } -- other ways there
function G.prepare(name, n)
  local f = PREPARE[name](math.tointeger(tonumber(n)))
  local value = f()
  return { f = f, args = {} }, not ITERATED[name] and value or nil
end

return G
