--- Gradients through sparse matrices: by finite differences with respect to stored values and dense operands, regular
--- and structured ones as Theano's, second gradients, forward mode, what has none.
local theano = require("theano")
local T, nd, sparse = theano.tensor, theano.ndarray, theano.sparse

local function dense(m, n, seed, density)
  local rng = nd.random.RandomState(seed)
  return (rng:rand(m, n) + 0.3) * nd.asarray(nd.lt(rng:rand(m, n), density or 0.4))
end

local INTERPRETED = { mode = theano.compile.Mode { linker = "interpreter" } }

local function make(format, a) return nd.sparse[format .. "_matrix"](a) end

local function to_dense(v) return sparse.is_sparse(v) and sparse.dense_from_sparse(v) or v end

-- A number that every element of v has its own part in.
local function weighed(v)
  v = to_dense(v)
  return T.sum(T.sin(v) * (1 + T.arange(v.shape[v.ndim - 1])))
end

-- build(x, y, z, w): of sparse x and y (values are the points), a dense matrix and a vector.
local function verify(name, build, shape)
  local m, n = table.unpack(shape or { 4, 5 })
  for _, format in ipairs({ "csr", "csc" }) do
    local a, b = make(format, dense(m, n, 1)), make(format, dense(m, n, 2))
    local points = { a.data:copy(), b.data:copy(), dense(m, n, 3, 1), dense(1, n, 4, 1):reshape({ -1 }) }
    local function matrices(p, q)
      return sparse.with_data(sparse.as_sparse_variable(a), p), sparse.with_data(sparse.as_sparse_variable(b), q)
    end
    local function value(p, q, z, w)
      local x, y = matrices(p, q)
      local nothing = T.sum(p) + T.sum(q) + T.sum(z) + T.sum(w)
      return weighed(build(x, y, z, w)) + 0 * nothing
    end
    it("of " .. name .. ", " .. format, function() T.verify_grad(value, points, INTERPRETED) end)
    it("of the gradient of " .. name .. ", " .. format .. " #asan", function()
      T.verify_grad(function(p, q, z, w)
        local all = T.constant(0.0)
        for _, g in ipairs({ T.grad(value(p, q, z, w), { p, q, z, w }) }) do
          for _, one in ipairs(type(g) == "table" and g or { g }) do all = all + T.sum(T.cos(one)) end
        end
        return all
      end, points, INTERPRETED)
    end)
  end
end

describe("the gradient #slow", function()
  verify("add", function(x, y) return x + y end)
  verify("sub", function(x, y) return x - y end)
  verify("mul", function(x, y) return x * y end)
  verify("add dense", function(x, _, z) return x + z end)
  verify("mul dense", function(x, _, z) return x * z end)
  verify("mul scalar", function(x, _, z) return x * T.sum(z) end)
  verify("structured functions", function(x) return sparse.structured_exp(sparse.sin(x)) end)
  verify("transpose", function(x) return sparse.tanh(x.T) end)
  verify("row_scale and col_scale", function(x, _, z, w) return sparse.col_scale(sparse.row_scale(x, z:sum(1)), w) end)
  verify("sums", function(x) return sparse.sp_sum(x, 0) * sparse.sp_sum(x) end)
  verify("structured sums", function(x) return sparse.sp_sum(x, 1, true) * sparse.sp_sum(x, { sparse_grad = true }) end)
  verify("dot", function(x, _, z) return sparse.dot(x, z.T) end)
  verify("dot vector", function(x, _, _, w) return sparse.dot(x, w) end)
  verify("dense dot", function(x, _, z) return sparse.dot(z.T, x) end)
  verify("dot of two", function(x, y) return sparse.dot(x, y.T) end)
  verify("structured_dot", function(x, _, z) return sparse.structured_dot(x, z.T) end)
  verify("true_dot", function(x, y) return sparse.true_dot(x, y.T) end)
  verify("sampling_dot", function(x, _, z, w) return sparse.sampling_dot(z, T.outer(w, w), x) end)
  verify("usmm", function(x, _, z) return sparse.usmm(0.5, x, z.T, T.dot(z, z.T)) end)
  verify("stacks", function(x, y) return sparse.hstack({ x, sparse.vstack({ y }) }, { format = "csr" }) end)
  verify("slices", function(x) return x["::-1, 1:3"] end)
  verify("rows", function(x) return sparse.get_item_list(x, { 0, 2, 2, -1 }) end)
  verify("elements", function(x) return sparse.get_item_2lists(x, { 0, 2, 2, -1 }, { 1, 0, 0, 3 }) end)
  verify("one element", function(x) return T.stack({ x[{ 1, 2 }], x[{ 0, -1 }] }) end)
  verify("clean and the other format", function(x) return sparse.clean(x:tocsc()) end)
  verify("parts", function(x)
    local data, indices, indptr, shape = sparse.csm_properties(x)
    return sparse.CSM(x.type.format)(T.sqr(data), indices, indptr, shape)
  end)
  verify("diagonals", function(x) return sparse.square_diagonal(sparse.diag(x)) end, { 4, 4 })
  verify("triplets", function(_, _, _, w)
    return sparse.from_triplets(w, T.constant({ 0, 2, 1, 0, 2 }), T.constant({ 1, 1, 0, 1, 2 }), T.constant({ 3, 3 }))
  end)
  verify("dense made sparse", function(_, _, z) return sparse.csr_from_dense(z) * 2 + sparse.csc_from_dense(z) end)
end)

describe("regular and structured", function()
  local a, d = dense(3, 4, 1), dense(4, 2, 2, 1)
  local x = sparse.csr_matrix("x")
  local w = T.constant(d)

  it("dot gives a sparse factor a dense gradient, structured_dot one of its structure", function()
    local g = T.grad(T.sum(sparse.dot(x, w)), x)
    assert.is_false(sparse.is_sparse(g))
    local f = theano.compile({ x }, g, { on_unused_input = "ignore" })
    assert(nd.allclose(f(make("csr", a)), nd.ones({ 3, 2 }):dot(d.T)))
    local s = T.grad(T.sum(sparse.structured_dot(x, w)), x)
    assert.equal("csr", s.type.format)
    local got = theano.compile({ x }, s)(make("csr", a))
    assert(nd.allclose(got:toarray(), nd.ones({ 3, 2 }):dot(d.T) * nd.asarray(nd.neq(a, 0))))
    assert.equal(make("csr", a).nnz, got.nnz)
  end)

  it("sp_sum gives ones everywhere, or at stored values", function()
    local full = theano.compile({ x }, T.grad(sparse.sp_sum(x), x))(make("csr", a))
    assert(nd.allclose(full:toarray(), nd.ones({ 3, 4 })))
    local some = theano.compile({ x }, T.grad(sparse.sp_sum(x, { sparse_grad = true }), x))(make("csr", a))
    assert(nd.allclose(some:toarray(), nd.neq(a, 0):astype("float64")))
  end)

  it("adds what reaches a variable on several ways", function()
    local cost = sparse.sp_sum(x * x) + T.sum(sparse.dense_from_sparse(x)) + T.sum(sparse.dot(x, w))
    local g = theano.compile({ x }, T.grad(cost, x))(make("csr", a))
    local want = 2 * a + nd.neq(a, 0):astype("float64") + nd.ones({ 3, 2 }):dot(d.T)
    if nd.sparse.issparse(g) then g = g:toarray() end
    assert(nd.allclose(g, want))
  end)

  it("is zero with x's structure where nothing is connected", function()
    local g = T.grad(T.sum(w), x, { disconnected_inputs = "ignore" })
    assert.equal(0, theano.compile({ x }, g)(make("csr", a)):sum())
  end)
end)

describe("forward mode", function()
  it("is that of the dense matrices", function()
    local a, d = dense(3, 4, 1), dense(4, 2, 2, 1)
    local e = nd.sin(a * 5) -- a tangent moves what is stored
    local x, t, w, wt = sparse.csr_matrix("x"), sparse.csr_matrix("t"), T.dmatrix("w"), T.dmatrix("wt")
    local function check(build, want)
      local f = theano.compile({ x, t, w, wt }, to_dense(T.Rop(build(x, w), { x, w }, { t, wt })),
        { on_unused_input = "ignore" })
      local got = f(make("csr", a), make("csr", e), d, d * 3)
      assert(nd.allclose(got, want))
    end
    check(function(p, q) return sparse.dot(p, q) end, e:dot(d) + a:dot(d * 3))
    check(function(p) return p + p.T.T * 2 end, 3 * e)
    check(function(p) return p * p end, 2 * a * e)
    check(function(p, q) return p + T.dot(q, q.T)["0:3"] * 0 end, e)
    check(function(p) return sparse.true_dot(p, p.T) end, e:dot(a.T) + a:dot(e.T))
  end)
end)

describe("what has none", function()
  local x, v, c = sparse.csr_matrix("x"), T.dvector("v"), T.iscalar("c")
  local function refused(cost)
    local ok, why = pcall(T.grad, cost, x)
    assert.is_false(ok)
    assert.equal("NullTypeGradError", theano.error_kind(why))
  end

  it("is a loop's or a choice's sparse operand, whose dense ones have theirs", function()
    local out = theano.scan({ fn = function(p, m) return T.tanh(sparse.dot(m, p)) end, outputs_info = { v },
      non_sequences = { x }, n_steps = 3 })
    local cost = T.sum(out[-1])
    refused(cost)
    local A = make("csr", dense(4, 4, 3))
    T.verify_grad(function(p)
      local r = theano.scan({ fn = function(s, m) return T.tanh(sparse.dot(m, s)) end, outputs_info = { p },
        non_sequences = { sparse.as_sparse_variable(A) }, n_steps = 3 })
      return T.sum(r[-1])
    end, { nd.array { 0.1, 0.2, 0.3, 0.4 } })
    refused(sparse.sp_sum(theano.ifelse(c, x, x * 2)))
  end)

  it("is vmap over a sparse matrix, which has no third dimension", function()
    local ok, why = pcall(T.vmap(function(p) return sparse.dot(x, p) end), T.dmatrix("m"))
    assert.is_false(ok)
    assert(why:find("SparseDot"), why)
  end)
end)

describe("the update of some rows of a matrix", function()
  local at, g = T.lvector("at"), T.dmatrix("g")
  local function make_step(build, mode)
    local w = theano.shared(nd.zeros({ 6, 2 }), "w")
    return w, theano.compile({ inputs = { at, g }, outputs = {}, updates = { { w, build(w) } }, mode = mode })
  end
  local spellings = {
    ["the gradient"] = function(w) return w - 0.5 * T.grad(T.sum(theano.sparse_grad(w[at]) * g), w) end,
    ["the gradient as it is"] = function(w) return w - 0.5 * T.grad(T.sum(w[at] * g), w) end,
    ["inc_subtensor"] = function(w) return T.inc_subtensor(w[at], -0.5 * g) end,
    ["a sparse matrix"] = function(w) return w - 0.5 * sparse.construct_sparse_from_list(w, g, at) end,
  }
  for name, build in pairs(spellings) do
    for _, linker in ipairs({ "c", "interpreter" }) do
      it("by " .. name .. ", " .. linker .. " #asan", function()
        local w, step = make_step(build, theano.compile.Mode { linker = linker })
        step(nd.array { 0, 5, 0 }, nd.array { { 1., 2. }, { 3., 4. }, { 5., 6. } })
        local want = { { -3., -4. }, { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 }, { -1.5, -2. } }
        assert(nd.allclose(w:get_value(), nd.array(want)))
        local ok, why = pcall(step, nd.array { 1, 2, 6 }, nd.ones { 3, 2 })
        assert.is_false(ok)
        assert.equal("IndexError", theano.error_kind(why))
        assert.equal(0, w:get_value()[{ 1, 0 }]) -- a call that fails leaves all as it was
      end)
    end
  end

  it("costs those rows: the same time for a hundred times as many others", function()
    local function seconds(n)
      local w = theano.shared(nd.zeros({ n, 64 }))
      local new = spellings["the gradient"](w)
      local step = theano.compile({ inputs = { at, g }, outputs = {}, updates = { { w, new } } })
      local i, d = nd.arange(64) * 7 % n, nd.ones { 64, 64 }
      step(i, d)
      local best = math.huge
      for _ = 1, 5 do
        local start = os.clock()
        for _ = 1, 20 do step(i, d) end
        best = math.min(best, os.clock() - start)
      end
      return best
    end
    assert(seconds(100000) < 10 * seconds(1000) + 1e-4)
  end)
end)
