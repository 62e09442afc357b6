--- Random graphs of sparse matrices, and beside each the same of dense ones.
-- @module spec.support.sparse_graphs
local theano = require("theano")
local T, sparse = theano.tensor, theano.sparse

local M = {}

-- Of each matrix: sparse form s or nil, dense form d, places that store values k or nil (unknown), rows r and columns
-- c as "m" or "n"; loose: indices in no order, more than once, so only what is linear may be done.
local Graph = {}
Graph.__index = Graph

function Graph:pick(fits)
  local found = {}
  for _, e in ipairs(self.pool) do
    if fits(e) then found[#found + 1] = e end
  end
  return found[1] and found[self.rng(#found)]
end

function Graph:put(e)
  self.pool[#self.pool + 1] = e
  return e
end

function Graph:like(e, s, d, k) self:put({ s = s, d = d, k = k, r = e.r, c = e.c, loose = e.loose }) end
function Graph:dense(s, d, r, c) self:put({ v = s, d = d, r = r, c = c }) end

function Graph:vector(n)
  local e = self:pick(function(e) return e.n == n end)
  return e.v, e.d
end

local function matrix(r, c)
  return function(e) return e.v and e.r == r and e.c == c and not e.n end
end
local function tidy(r, c)
  return function(e) return e.s and not e.loose and (not r or (e.r == r and e.c == c)) end
end

local linear, others = {}, {}

function linear.scalar(g, e) g:like(e, e.s * 0.7, e.d * 0.7, e.k) end
function linear.negative(g, e) g:like(e, -e.s, -e.d, e.k) end
function linear.columns(g, e)
  local v, d = g:vector(e.c)
  g:like(e, sparse.col_scale(e.s, v), e.d * d:dimshuffle("x", 0), e.k)
end
function linear.rows(g, e)
  local v, d = g:vector(e.r)
  g:like(e, sparse.row_scale(e.s, v), e.d * d:dimshuffle(0, "x"), e.k)
end
function linear.by_dense(g, e)
  local z = g:pick(matrix(e.r, e.c))
  if z then g:like(e, e.s * z.v, e.d * z.d, e.k) end
end
function linear.by_product(g, e)
  local y = g:pick(matrix(e.r, "n"))
  local z = g:pick(matrix("n", e.c))
  if y and z then g:like(e, e.s * T.tanh(T.dot(y.v, z.v)), e.d * T.tanh(T.dot(y.d, z.d)), e.k) end
end
function linear.turned(g, e)
  g:put({ s = e.s.T, d = e.d.T, k = e.k and e.k.T, r = e.c, c = e.r, loose = e.loose })
end
function linear.converted(g, e) g:like(e, e.s[g.rng(2) == 1 and "tocsr" or "tocsc"](e.s), e.d, e.k) end
function linear.sorted(g, e) g:like(e, sparse.ensure_sorted_indices(e.s), e.d, e.k) end
function linear.folded(g, e) g:put({ s = sparse.sum_duplicates(e.s), d = e.d, k = e.k, r = e.r, c = e.c }) end
function linear.reversed(g, e) g:like(e, e.s["::-1"], e.d["::-1"], e.k and e.k["::-1"]) end
function linear.spread(g, e) g:dense(sparse.dense_from_sparse(e.s), e.d, e.r, e.c) end
function linear.dot(g, e)
  local z = g:pick(function(z) return z.v and z.r == e.c and not z.n end)
  local dot = g.rng(2) == 1 and sparse.dot or sparse.structured_dot
  if z then g:dense(dot(e.s, z.v), T.dot(e.d, z.d), e.r, z.c) end
end
function linear.dense_dot(g, e)
  local z = g:pick(function(z) return z.v and z.c == e.r and not z.n end)
  if z then g:dense(sparse.dot(z.v, e.s), T.dot(z.d, e.d), z.r, e.c) end
end
function linear.vector_dot(g, e)
  local v, d = g:vector(e.c)
  g:put({ v = sparse.dot(e.s, v), d = T.dot(e.d, d), n = e.r })
end
function linear.added_to_dense(g, e)
  local z = g:pick(matrix(e.r, e.c))
  if z then g:dense(g.rng(2) == 1 and e.s + z.v or z.v - (-e.s), e.d + z.d, e.r, e.c) end
end
function linear.usmm(g, e)
  local y = g:pick(function(z) return z.v and z.r == e.c and not z.n end)
  local z = y and g:pick(matrix(e.r, y.c))
  if z then g:dense(sparse.usmm(0.5, e.s, y.v, z.v), T.dot(e.d, y.d) * 0.5 + z.d, e.r, y.c) end
end
function linear.total(g, e)
  local axis = g.rng(2) - 1
  g:put({ v = sparse.sp_sum(e.s, axis, g.rng(2) == 1), d = e.d:sum(axis), n = axis == 0 and e.c or e.r })
end
function linear.all(g, e)
  g:put({ v = T.fill(g.u.v, sparse.sp_sum(e.s)), d = T.fill(g.u.d, e.d:sum()), n = "m" })
end
function linear.sampled(g, e)
  local y = g:pick(function(z) return z.v and z.r == e.r and not z.n end)
  local z = y and g:pick(matrix(e.c, y.c))
  if z then g:like(e, sparse.sampling_dot(y.v, z.v, e.s), T.dot(y.d, z.d.T) * e.d, e.k) end
end
function linear.sparse_dot(g, e)
  local z = g:pick(function(z) return z.s and z.r == e.c end)
  if z then g:put({ s = sparse.true_dot(e.s, z.s), d = T.dot(e.d, z.d), r = e.r, c = z.c }) end
end
function linear.both_dot(g, e)
  local z = g:pick(function(z) return z.s and z.r == e.c end)
  if z then g:dense(sparse.dot(e.s, z.s), T.dot(e.d, z.d), e.r, z.c) end
end

for _, name in ipairs({ "sin", "tanh", "sqr", "arctan", "abs" }) do
  others[name] = function(g, e) g:like(e, sparse[name](e.s), T[name](e.d), e.k) end
end
function others.sigmoid(g, e)
  if e.k then g:like(e, sparse.structured_sigmoid(e.s), T.nnet.sigmoid(e.d) * e.k, e.k) end
end
function others.plus(g, e)
  if e.k then g:like(e, sparse.structured_add(e.s, 0.5), (e.d + 0.5) * e.k, e.k) end
end
function others.sum(g, e)
  local z = g:pick(tidy(e.r, e.c))
  g:like(e, e.s + z.s, e.d + z.d, e.k and z.k and T.maximum(e.k, z.k))
end
function others.difference(g, e)
  local z = g:pick(tidy(e.r, e.c))
  g:like(e, e.s - z.s, e.d - z.d, e.k and z.k and T.maximum(e.k, z.k))
end
function others.product(g, e)
  local z = g:pick(tidy(e.r, e.c))
  g:like(e, e.s * z.s, e.d * z.d, e.k and z.k and e.k * z.k)
end
-- These forget stored zeros, and so their gradients.
function others.through_dense(g, e)
  g.forgets = true
  local made = g.rng(2) == 1 and sparse.csr_from_dense or sparse.csc_from_dense
  g:like(e, made(sparse.dense_from_sparse(e.s)), e.d)
end
function others.cleaned(g, e)
  g.forgets = true
  g:like(e, sparse.clean(e.s), e.d)
end

local function names_of(...)
  local names = {}
  for _, set in ipairs({ ... }) do
    for name in pairs(set) do names[#names + 1] = name end
  end
  table.sort(names)
  return names
end
local loose_steps, all_steps = names_of(linear), names_of(linear, others)

--- A graph of eight random steps.
-- @treturn table its `pool` of matrices and vectors, `given` of which are inputs; `steps`, their names
-- @treturn table inputs by name: x (CSR), y (CSC); a, b: dense ones; ka, kb: where they store values; z, u, v
function M.random(seed, loose)
  local state = seed * 7919 + 17
  local function rng(n)
    state = (state * 1103515245 + 12345) % 2147483648
    return state // 65536 % n + 1
  end
  local g = setmetatable({ pool = {}, rng = rng }, Graph)
  local i = { x = sparse.csr_matrix("x"), y = sparse.csc_matrix("y"), u = T.dvector("u"), v = T.dvector("v") }
  for _, name in ipairs({ "a", "b", "ka", "kb", "z" }) do i[name] = T.dmatrix(name) end
  g:put({ s = i.x, d = i.a, k = i.ka, r = "m", c = "n", loose = loose })
  g:put({ s = i.y, d = i.b, k = i.kb, r = "m", c = "n", loose = loose })
  g.u = g:put({ v = i.u, d = i.u, n = "m" })
  g:put({ v = i.v, d = i.v, n = "n" })
  g:dense(i.z, i.z, "m", "n")
  g:dense(i.z.T, i.z.T, "n", "m")
  g.given = #g.pool
  local done = {}
  while #g.pool < g.given + 8 do
    local e, before = g:pick(function(e) return e.s end), #g.pool
    local names = e.loose and loose_steps or all_steps
    local name = names[rng(#names)];
    (linear[name] or others[name])(g, e)
    if #g.pool > before then done[#done + 1] = name end
  end
  g.steps = table.concat(done, " ")
  return g, i
end

return M
