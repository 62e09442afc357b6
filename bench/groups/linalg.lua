-- Linear algebra: a Gaussian process's likelihood and its gradient (kernel, Cholesky factor, triangular solves), and
-- single factors: of one matrix, of 10,000 small ones ("8 x 10000").
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

-- Positive definite matrices, the same for every peer.
local function matrices(n, count)
  local part = ((nd.arange(count * n * n) * 7919 + 13) % 1009 / 1009 - 0.5):reshape({ count, n, n })
  return nd.matmul(part, part:transpose(0, 2, 1)) + nd.eye(n) * n
end

local FACTORS = {
  cholesky = function(x) return T.slinalg.cholesky(x) end,
  solve = function(x, b) return T.slinalg.solve(x, b) end,
  inverse = function(x) return T.nlinalg.matrix_inverse(x) end,
  qr = function(x) return (select(2, T.nlinalg.qr(x))) end,
  svd = function(x) return (select(2, T.nlinalg.svd(x))) end,
  eigh = function(x) return (T.nlinalg.eigh(x)) end,
}

local function factor(name)
  return function(size)
    local n, count = size:match("^(%d+) x (%d+)$")
    local many = count ~= nil
    n, count = math.tointeger(tonumber(n or size)), math.tointeger(tonumber(count or 1))
    local a = matrices(n, count)
    local b = nd.ones({ count, n, 1 })
    if not many then a, b = a[0], b[0] end
    local x = many and T.dtensor3() or T.dmatrix()
    local y = many and T.dtensor3() or T.dmatrix()
    local inputs, args = name == "solve" and { x, y } or { x }, name == "solve" and { a, b } or { a }
    local f = theano.compile { inputs = inputs, outputs = theano.Out(FACTORS[name](x, y), { borrow = true }) }
    return { f = f, args = args }, nd.abs(f(table.unpack(args))):mean()
  end
end

local CASES = { ["gaussian process"] = function(n) return gaussian_process(math.tointeger(tonumber(n))) end }
for name in pairs(FACTORS) do CASES[name] = factor(name) end

local G = { title = "linear algebra", peers = { "lua", "numpy", "torch", "jax" }, cases = {} }
for _, n in ipairs({ "50", "200", "1000" }) do G.cases[#G.cases + 1] = { "gaussian process", n } end
for _, name in ipairs({ "cholesky", "solve", "inverse", "qr", "svd", "eigh" }) do
  for _, n in ipairs({ "8", "50", "200" }) do G.cases[#G.cases + 1] = { name, n } end
end
for _, name in ipairs({ "cholesky", "solve" }) do G.cases[#G.cases + 1] = { name, "8 x 10000" } end

function G.prepare(name, n)
  local case, value = CASES[name](n)
  return case, math.floor(value * 100 + 0.5)
end

return G
