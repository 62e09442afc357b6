-- Linear algebra: a Gaussian process's likelihood and its gradient (kernel, Cholesky factor, triangular solves).
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function gaussian_process(n)
  local rng = nd.random.RandomState(0)
  local points, values, start = rng:rand(n, 3), rng:randn(n), nd.array { 0.0, 0.0, -1.0 }
  local x, y, theta = theano.shared(points, "x"), T.dvector("y"), T.dvector("theta")
  local length, height, noise = T.exp(theta[0]), T.exp(theta[1]), T.exp(theta[2])
  local square = T.sum(T.sqr(x), { axis = 1 })
  local apart = square:dimshuffle(0, "x") + square:dimshuffle("x", 0) - 2 * T.dot(x, x.T)
  local K = height ^ 2 * T.exp(-0.5 * apart / length ^ 2) + noise ^ 2 * T.eye(x.shape[0])
  local L = T.slinalg.cholesky(K)
  local white = T.slinalg.solve_lower_triangular(L, y)
  local cost = T.sum(T.sqr(white)) / 2 + T.sum(T.log(T.diag(L))) + 0.5 * math.log(2 * math.pi) * x.shape[0]
  local f = theano.compile { inputs = { y, theta }, outputs = { cost, T.grad(cost, theta) } }
  return { f = f, args = { values, start } }, (f(values, start))
end

local CASES = { ["gaussian process"] = gaussian_process }

local G = { title = "linear algebra", peers = { "lua", "numpy", "torch", "jax" }, cases = {} }
for _, n in ipairs({ "50", "200", "1000" }) do G.cases[#G.cases + 1] = { "gaussian process", n } end

function G.prepare(name, n)
  local case, value = CASES[name](math.tointeger(tonumber(n)))
  return case, math.floor(value * 100 + 0.5)
end

return G
