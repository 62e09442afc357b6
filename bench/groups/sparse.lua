-- Sparse matrices beside SciPy: products with a dense matrix, a vector and another sparse matrix, elementwise
-- functions, sums, a training step of logistic regression on bags of words, the update of an embedding's rows beside a
-- dense one.
local theano = require("theano")
local T, nd, sparse = theano.tensor, theano.ndarray, theano.sparse

local G = { title = "Sparse matrices", peers = { "lua", "scipy", "torch" }, cases = {
  { "dot", "10000", "64" }, { "dot", "10000", "1" }, { "csc dot", "10000", "64" }, { "dense dot", "10000", "64" },
  { "true_dot", "10000", "0" }, { "exp", "100000", "0" }, { "sum rows", "100000", "0" },
  { "sum columns", "100000", "0" }, { "add", "100000", "0" },
  { "logistic", "100000", "256" }, { "embedding", "1000000", "512" },
} }

-- `each` values in every row, at places that a small generator tells to both languages.
local function matrix(rows, cols, each)
  local k = nd.arange(rows * each)
  local row, step = k // each, k % each
  local col = (row * 7919 + step * (cols // each) + (row * 31 + step * 17) % (cols // each)) % cols
  local data = (k * 2654435761 + 12345) % 1000003 / 1000003 - 0.5
  return nd.sparse.csr_matrix({ data, { row, col } }, { shape = { rows, cols } })
end

local function numbers(n, m) return ((nd.arange(n * m) * 7919 + 13) % 1009 / 1009 - 0.5):reshape({ n, m }) end

local function out(y) return theano.Out(y, { borrow = true }) end

local PREPARE = {}
function PREPARE.dot(n, k)
  local x, w, a = sparse.csr_matrix("x"), T.dmatrix("w"), matrix(n, n, 30)
  local f = theano.compile({ inputs = { x, w }, outputs = out(sparse.dot(x, w)) })
  local d = numbers(n, k)
  return { f = f, args = { a, d } }, nd.abs(f(a, d)):mean()
end
PREPARE["csc dot"] = function(n, k)
  local x, w, a = sparse.csc_matrix("x"), T.dmatrix("w"), matrix(n, n, 30):tocsc()
  local f = theano.compile({ inputs = { x, w }, outputs = out(sparse.dot(x, w)) })
  local d = numbers(n, k)
  return { f = f, args = { a, d } }, nd.abs(f(a, d)):mean()
end
PREPARE["dense dot"] = function(n, k)
  local x, w, a = sparse.csr_matrix("x"), T.dmatrix("w"), matrix(n, n, 30)
  local f = theano.compile({ inputs = { x, w }, outputs = out(sparse.dot(w, x)) })
  local d = numbers(k, n)
  return { f = f, args = { a, d } }, nd.abs(f(a, d)):mean()
end
PREPARE["true_dot"] = function(n)
  local x, y, a = sparse.csr_matrix("x"), sparse.csr_matrix("y"), matrix(n, n, 10)
  local f = theano.compile({ inputs = { x, y }, outputs = sparse.true_dot(x, y) })
  return { f = f, args = { a, a } }, nd.abs(f(a, a).data):sum()
end
function PREPARE.exp(n)
  local x, a = sparse.csr_matrix("x"), matrix(n, 10000, 30)
  local f = theano.compile({ inputs = { x }, outputs = out(sparse.expm1(x)) })
  return { f = f, args = { a } }, nd.abs(f(a).data):mean()
end
local function sums(axis)
  return function(n)
    local x, a = sparse.csr_matrix("x"), matrix(n, 10000, 30)
    local f = theano.compile({ inputs = { x }, outputs = out(sparse.sp_sum(x, axis)) })
    return { f = f, args = { a } }, nd.abs(f(a)):mean()
  end
end
PREPARE["sum rows"], PREPARE["sum columns"] = sums(1), sums(0)
function PREPARE.add(n)
  local x, y, a = sparse.csr_matrix("x"), sparse.csr_matrix("y"), matrix(n, 10000, 15)
  local f = theano.compile({ inputs = { x, y }, outputs = sparse.add(x, y) })
  local b = a.with_data(a, a.data * 2)
  return { f = f, args = { a, b } }, nd.abs(f(a, b).data):mean()
end
function PREPARE.logistic(n, batch)
  local x, y = sparse.csr_matrix("x"), T.dvector("y")
  local w, b = theano.shared(nd.zeros({ n })), theano.shared(0.0)
  local p = T.nnet.sigmoid(sparse.dot(x, w) + b)
  local cost = T.mean(T.nnet.binary_crossentropy(p, y))
  local gw, gb = T.grad(cost, w), T.grad(cost, b)
  local f = theano.compile({ inputs = { x, y }, outputs = cost,
    updates = { { w, w - 0.1 * gw }, { b, b - 0.1 * gb } } })
  local a, t = matrix(batch, n, 100), (nd.arange(batch) % 2):astype("float64")
  return { f = f, args = { a, t } }, f(a, t)
end
function PREPARE.embedding(n, rows)
  local w, at, g = theano.shared(nd.zeros({ n, 64 })), T.lvector("at"), T.dmatrix("g")
  local part = theano.sparse_grad(w[at])
  local f = theano.compile({ inputs = { at, g }, outputs = {},
    updates = { { w, w - 0.1 * T.grad(T.sum(part * g), w) } } })
  local i = nd.arange(rows) * 1847 % n
  return { f = f, args = { i, numbers(rows, 64) } }, 0
end

function G.prepare(name, n, k)
  return PREPARE[name](math.tointeger(tonumber(n)), math.tointeger(tonumber(k)))
end

return G
