--- theano.sparse: types, values in and out of functions, operations against dense ones, gradients, errors.
local theano = require("theano")
local T, nd, sparse = theano.tensor, theano.ndarray, theano.sparse

local INTERPRETED = { mode = theano.compile.Mode { linker = "interpreter" } }

local function dense(m, n, seed, density)
  local rng = nd.random.RandomState(seed)
  local a = rng:randn(m, n)
  return a * nd.asarray(nd.lt(rng:rand(m, n), density or 0.4))
end

local function make(format, a) return nd.sparse[format .. "_matrix"](a) end

local function same(got, want, tolerance)
  if nd.sparse.issparse(got) then got = got:toarray() end
  if type(got) == "number" then got, want = nd.array({ got }), nd.array({ want }) end
  assert.same(want.shape, got.shape)
  assert(nd.allclose(got, want, tolerance or 1e-10, 1e-12), tostring(got) .. "\nis not\n" .. tostring(want))
end

local function fails(kind, pattern, f, ...)
  local ok, why = pcall(f, ...)
  assert.is_false(ok)
  assert.equal(kind, theano.error_kind(why))
  assert(why:find(pattern), why)
end

describe("types and values #asan", function()
  it("prints and reads as Theano's", function()
    local x = sparse.csr_matrix("x")
    assert.equal("Sparse[float64, csr]", tostring(x.type))
    assert.equal("Sparse[float32, csc]", tostring(sparse.csc_matrix("y", { dtype = "float32" }).type))
    assert.equal("csc", sparse.matrix("csc", "z").type.format)
    assert.equal(2, x.ndim)
    assert.equal("float64", x.dtype)
  end)

  for _, format in ipairs({ "csr", "csc" }) do
    it("goes through functions, shared variables, updates and givens: " .. format, function()
      local a, b = dense(4, 6, 1), dense(4, 6, 2)
      local x, s = sparse.matrix(format, "x"), theano.shared(make(format, a), "s")
      local f = theano.compile({ x }, { x, sparse.add(x, s) }, { updates = { { s, x } } })
      local y, sum = f(make(format, b))
      same(y, b)
      same(sum, a + b)
      same(s:get_value(), b)
      s:set_value(make(format, a))
      same(s:get_value(), a)
      local g = theano.compile({}, x:toarray(), { givens = { { x, s } } })
      same(g(), a)
    end)
  end

  it("takes only values of its type", function()
    local x = sparse.csr_matrix("x")
    local g = theano.compile({ x }, x:toarray())
    fails("TypeError", "Sparse%[float64, csr%]", g, make("csc", dense(2, 2, 1)))
    fails("TypeError", "Sparse%[float64, csr%]", g, make("csr", dense(2, 2, 1):astype("float32")))
    fails("TypeError", "Sparse%[float64, csr%]", g, dense(2, 2, 1))
    fails("TypeError", "sparse matrix is needed", g, { { 1, 2 } })
    local y = T.dmatrix("y")
    fails("TypeError", "Sparse%[float64, csr%]", theano.compile({ y }, y * 2), make("csr", dense(2, 2, 1)))
  end)

  it("passes through scan and ifelse", function()
    local x, v = sparse.csr_matrix("x"), T.dvector("v")
    local out = theano.scan({ fn = function(p, m) return sparse.dot(m, p) end, outputs_info = { v },
      non_sequences = { x }, n_steps = 3 })
    local a = dense(5, 5, 3)
    local want = a:dot(a:dot(a:dot(nd.ones({ 5 }))))
    same(theano.compile({ x, v }, out[-1])(make("csr", a), nd.ones({ 5 })), want)
    local c = T.iscalar("c")
    local pick = theano.ifelse(c, sparse.structured_exp(x), x)
    local f = theano.compile({ c, x }, pick)
    same(f(0, make("csr", a)), a)
    same(f(1, make("csr", a)), nd.where(nd.eq(a, 0), a, nd.exp(a)))
  end)

  it("is no tensor to what works on those", function()
    local x = sparse.csr_matrix("x")
    fails("TypeError", "sparse matrix", T.exp, x)
    fails("TypeError", "sparse matrix", T.max, x)
    fails("TypeError", "stored values only", function() return x + 1 end)
  end)
end)

-- What an operation gives for sparse operands is what the dense one gives.
local function against_dense(name, build, want)
  for _, format in ipairs({ "csr", "csc" }) do
    for _, options in ipairs({ {}, INTERPRETED }) do
      it(name .. " " .. format .. (options.mode and " interpreted" or "") .. " #asan", function()
        for _, shape in ipairs({ { 5, 7, 0.4 }, { 1, 4, 1 }, { 3, 3, 0 }, { 0, 3, 0 }, { 40, 30, 0.1 } }) do
          local m, n, density = table.unpack(shape)
          local a, b, d, v = dense(m, n, 5, density), dense(m, n, 6, density), dense(m, n, 7, 1), dense(1, n, 8, 1)
          v = v:reshape({ -1 })
          local x, y, z, w = sparse.matrix(format, "x"), sparse.matrix(format, "y"), T.dmatrix("z"), T.dvector("w")
          local f = theano.compile({ x, y, z, w }, build(x, y, z, w),
            { on_unused_input = "ignore", mode = options.mode })
          same(f(make(format, a), make(format, b), d, v), want(a, b, d, v))
        end
      end)
    end
  end
end

local function stored(a, f) return nd.where(nd.eq(a, 0), nd.zeros_like(a), f(a)) end

describe("operations", function()
  against_dense("add", function(x, y) return x + y end, function(a, b) return a + b end)
  against_dense("sub", function(x, y) return x - y end, function(a, b) return a - b end)
  against_dense("mul", function(x, y) return x * y end, function(a, b) return a * b end)
  against_dense("add dense", function(x, _, z) return x + z end, function(a, _, d) return a + d end)
  against_dense("dense sub", function(x, _, z) return z - x end, function(a, _, d) return d - a end)
  against_dense("mul dense", function(x, _, z) return x * z end, function(a, _, d) return a * d end)
  against_dense("mul scalar", function(x) return 2.5 * x end, function(a) return a * 2.5 end)
  against_dense("div scalar", function(x) return x / 2.5 end, function(a) return a / 2.5 end)
  against_dense("neg", function(x) return -x end, function(a) return -a end)
  against_dense("transpose", function(x) return x.T end, function(a) return a.T end)
  against_dense("structured_exp", function(x) return sparse.structured_exp(x) end,
    function(a) return stored(a, nd.exp) end)
  against_dense("tanh of sums", function(x) return sparse.tanh(2 * x) end, function(a) return nd.tanh(2 * a) end)
  against_dense("col_scale", function(x, _, _, w) return sparse.col_scale(x, w) end,
    function(a, _, _, v) return a * v end)
  against_dense("row_scale", function(x, _, z) return sparse.row_scale(x, z:sum(1)) end,
    function(a, _, d) return a * d:sum(1):reshape({ -1, 1 }) end)
  against_dense("sp_sum", function(x) return sparse.sp_sum(x) end, function(a) return nd.sum(a) end)
  against_dense("sp_sum 0", function(x) return sparse.sp_sum(x, 0) end, function(a) return a:sum(0) end)
  against_dense("sp_sum 1", function(x) return sparse.sp_sum(x, 1) end, function(a) return a:sum(1) end)
  against_dense("dot", function(x, _, z) return sparse.dot(x, z.T) end, function(a, _, d) return a:dot(d.T) end)
  against_dense("dot vector", function(x, _, _, w) return sparse.dot(x, w) end,
    function(a, _, _, v) return a:dot(v) end)
  against_dense("dense dot", function(x, _, z) return sparse.dot(z.T, x) end, function(a, _, d) return d.T:dot(a) end)
  against_dense("dot sparse", function(x, y) return sparse.dot(x, y.T) end, function(a, b) return a:dot(b.T) end)
  against_dense("true_dot", function(x, y) return sparse.true_dot(x, y.T) end, function(a, b) return a:dot(b.T) end)
  against_dense("sampling_dot", function(x, _, z) return sparse.sampling_dot(z, T.eye(z.shape[1]), x) end,
    function(a, _, d) return a * d end)
  against_dense("usmm", function(x, _, z) return sparse.usmm(0.5, x, z.T, T.dot(z, z.T)) end,
    function(a, _, d) return 0.5 * a:dot(d.T) + d:dot(d.T) end)
  against_dense("hstack", function(x, y) return sparse.hstack({ x, y }) end,
    function(a, b) return nd.concatenate({ a, b }, 1) end)
  against_dense("vstack", function(x, y) return sparse.vstack({ x, y }, { format = "csr" }) end,
    function(a, b) return nd.concatenate({ a, b }, 0) end)
  against_dense("slices", function(x) return x["::-1, 1:3"] end, function(a) return a["::-1, 1:3"] end)
  against_dense("lt", function(x, y) return sparse.lt(x, y) end, function(a, b) return nd.lt(a, b):astype("uint8") end)
  against_dense("eq dense", function(x, _, z) return sparse.eq(x, z) end,
    function(a, _, d) return nd.eq(a, d):astype("uint8") end)
  against_dense("other format", function(x) return x:tocsc() end, function(a) return a end)
  against_dense("parts", function(x)
    local data, indices, indptr, shape = sparse.csm_properties(x)
    return sparse.CSM(x.type.format)(data * 2, indices, indptr, shape)
  end, function(a) return a * 2 end)
  against_dense("clean", function(x) return sparse.clean(x * 0 + x) end, function(a) return a end)
end)

describe("wrong shapes and structures #asan", function()
  local x, y, z = sparse.csr_matrix("x"), sparse.csr_matrix("y"), T.dmatrix("z")
  local a = make("csr", dense(4, 5, 1))

  it("do not fit, and say so", function()
    fails("ValueError", "5 columns, y has 4 rows", theano.compile({ x, z }, sparse.dot(x, z)), a, nd.ones({ 4, 3 }))
    fails("ValueError", "4 rows and 5 rows", theano.compile({ x, y }, x + y), a, make("csr", dense(5, 4, 1)))
    fails("ValueError", "4 rows, the dense one 5", theano.compile({ x, z }, x * z), a, nd.ones({ 5, 4 }))
    fails("ValueError", "4 by 5", theano.compile({ x }, sparse.diag(x)), a)
    fails("IndexError", "out of bounds", theano.compile({ x }, x[{ 7, 0 }]), a)
  end)

  it("are told by the matrix's own shape", function()
    local d = T.dmatrix("d")
    local f = theano.compile({ x, d }, sparse.dot(x, d))
    local ok, e = pcall(f, make("csr", dense(2, 3, 1, 1)), nd.ones { 2, 2 })
    assert.is_false(ok)
    assert.matches("Inputs shapes: [(2, 3), (2, 2)]", tostring(e), nil, true)
    assert.matches("Inputs strides: ['No strides', (16, 8)]", tostring(e), nil, true)
  end)

  it("are errors when a matrix is made of parts", function()
    local data, indices, indptr, shape = T.dvector(), T.ivector(), T.ivector(), T.lvector()
    local f = theano.compile({ data, indices, indptr, shape }, sparse.CSR(data, indices, indptr, shape))
    local function int(v) return nd.array(v, "int32") end
    same(f(nd.array({ 1., 2. }), int { 0, 1 }, int { 0, 1, 2 }, nd.array { 2, 2 }), nd.array { { 1., 0 }, { 0, 2. } })
    fails("ValueError", "out of range", f, nd.array({ 1., 2. }), int { 0, 2 }, int { 0, 1, 2 }, nd.array { 2, 2 })
    fails("ValueError", "out of range", f, nd.array({ 1., 2. }), int { 0, -1 }, int { 0, 1, 2 }, nd.array { 2, 2 })
    fails("ValueError", "descend", f, nd.array({ 1., 2. }), int { 0, 1 }, int { 0, 3, 2 }, nd.array { 2, 2 })
    fails("ValueError", "last pointer", f, nd.array({ 1., 2. }), int { 0, 1 }, int { 0, 1, 1 }, nd.array { 2, 2 })
    fails("ValueError", "does not fit the shape", f, nd.array({ 1., 2. }), int { 0, 1 }, int { 0, 1, 2 },
      nd.array { 3, 2 })
    fails("ValueError", "values and", f, nd.array({ 1. }), int { 0, 1 }, int { 0, 1, 2 }, nd.array { 2, 2 })
  end)

  it("are not in order where they must be", function()
    local m = nd.sparse.csr_matrix({ nd.array { 1., 2. }, nd.array { 1, 0 }, nd.array { 0, 2 } }, { shape = { 1, 2 } })
    fails("ValueError", "not in order", theano.compile({ x, y }, x + y), m, make("csr", dense(1, 2, 1, 1)))
    local f = theano.compile({ x, y }, sparse.ensure_sorted_indices(x) + y)
    same(f(m, make("csr", nd.array { { 1., 1. } })), nd.array { { 3., 2. } })
  end)
end)

describe("dense matrices of which only some places are asked for", function()
  local function ops(f) return theano.printing.debugprint(f, { file = "str" }) end

  it("are not made for products with sparse ones", function()
    local x, u, v, r = sparse.csc_matrix("x"), T.dmatrix("u"), T.dmatrix("v"), T.dvector("r")
    local y = x * (T.tanh(T.dot(u, v)) * 2 + r)
    local f, g = theano.compile({ x, u, v, r }, y), theano.compile({ x, u, v, r }, y, { mode = "None" })
    assert.is_nil(ops(f):find("SparseTake"))
    local a, b, c, d = make("csc", dense(6, 5, 1)), dense(6, 3, 2, 1), dense(3, 5, 3, 1), nd.arange(5.)
    same(f(a, b, c, d), g(a, b, c, d):toarray())
    for _, wrong in ipairs({ { dense(5, 3, 2), c, d }, { b, dense(4, 5, 3), d }, { b, dense(3, 1, 3), d },
      { b, dense(3, 6, 3), nd.arange(6.) }, { b, c, nd.arange(4.) }, { b, c, nd.arange(1.) } }) do
      local ok = pcall(g, a, table.unpack(wrong))
      assert.equal(ok, (pcall(f, a, table.unpack(wrong))))
      if #wrong[3] > 1 then assert.is_false(ok) end
    end
  end)

  it("leave an error of lengths where nothing else of them is left", function()
    local x, r = sparse.csr_matrix("x"), T.dvector("r")
    local y = sparse.row_scale(sparse.sin(x).T, r) * 0
    for _, mode in ipairs({ "None", "FAST_RUN" }) do
      local f = theano.compile({ x, r }, y, { mode = mode })
      same(f(make("csr", dense(2, 3, 1)), nd.ones({ 3 })), nd.zeros({ 3, 2 }))
      fails("ValueError", "has 3 rows, the vector 2", f, make("csr", dense(2, 3, 1)), nd.ones({ 2 }))
    end
  end)

  it("are not made for gradients of sums", function()
    local x = sparse.csr_matrix("x")
    local a = dense(4, 6, 1)
    for axis = -1, 1 do
      local total = sparse.sp_sum(sparse.tanh(x), axis >= 0 and axis or nil)
      local f = theano.compile({ x }, T.grad(T.sum(total ^ 2), x))
      assert.is_nil(ops(f):find("FromDense"))
      assert.is_nil(ops(f):find("Alloc"))
      local t = nd.tanh(a)
      local sums = axis < 0 and nd.sum(t) or t:sum(axis, { keepdims = true })
      same(f(make("csr", a)), stored(a, function() return (1 - t * t) * sums * 2 end))
    end
    local huge = nd.sparse.csr_matrix({ nd.ones({ 2 }), { nd.array({ 3, 90000 }), nd.array({ 99999, 7 }) } },
      { shape = { 100000, 100000 } })
    local f = theano.compile({ x }, T.grad(sparse.sp_sum(sparse.sin(x)), x))
    assert(nd.allclose(f(huge).data, nd.cos(nd.ones({ 2 })))) -- 80 GB as dense ones
  end)

  it("give gradients to matrices whose indices are in no order", function()
    local x, w = sparse.csr_matrix("x"), T.dmatrix("w")
    local y = sparse.dense_from_sparse(sparse.sqr(x))
    local a = nd.sparse.csr_matrix({ nd.array({ 2., 3., 5. }), nd.array({ 2, 0, 1 }), nd.array({ 0, 2, 3 }) },
      { shape = { 2, 3 } })
    for _, mode in ipairs({ "None", "FAST_RUN" }) do
      local f = theano.compile({ x, w }, T.grad(sparse.sp_sum(sparse.sqr(x)) + T.sum(y * w), x), { mode = mode })
      same(f(a, nd.ones({ 2, 3 })).data, nd.array({ 8., 12., 20. }))
    end
  end)

  it("are what functions of one operand give, every one of them", function()
    local x, tried = sparse.csr_matrix("x"), 0
    local a = nd.sparse.csr_matrix({ nd.array({ 0.25, -0.5, 0.75 }), nd.array({ 2, 0, 1 }), nd.array({ 0, 2, 3 }) },
      { shape = { 2, 3 } })
    for _, f in ipairs(require("theano.core").functions()) do
      local name = f.name:match("^sparse%.(.+)")
      if name and f.signature == "x" then
        local fine, e = pcall(function() return sparse[name](x) end)
        assert(fine or not tostring(e):find("there is no function", 1, true), name .. ": " .. tostring(e))
        tried = tried + (fine and 1 or 0)
      end
    end
    assert(tried > 20, tried)
    same(theano.compile({ x }, sparse.dense_from_sparse(sparse.rint(x)))(a), nd.rint(a:toarray()))
  end)

  it("stay what they were through a sparse one", function()
    local x = T.dmatrix("x")
    local f = theano.compile({ x }, sparse.dense_from_sparse(sparse.csr_from_dense(x):tocsc().T))
    assert.is_nil(ops(f):find("Sparse"))
    same(f(dense(3, 4, 1)), dense(3, 4, 1).T)
  end)
end)

describe("products large enough for blocks #asan", function()
  local function small(m, n, seed, density, dtype)
    local rng = nd.random.RandomState(seed)
    local a = nd.floor(rng:rand(m, n) * 7 - 3) * nd.asarray(nd.lt(rng:rand(m, n), density))
    return a:astype(dtype)
  end

  for _, dtype in ipairs({ "float64", "float32", "int8", "int64", "complex64", "complex128" }) do
    it("of a CSC matrix with columns that fill some blocks and a part of one, and with rows: " .. dtype, function()
      local a = small(70, 40, 1, 0.2, dtype)
      for _, n in ipairs({ 1, 3, 16, 67, 130 }) do
        local x, w = sparse.csc_matrix("x", { dtype = dtype }), T.matrix("w", { dtype = dtype })
        local b, c = small(40, n, 2, 1, dtype), small(n, 70, 3, 1, dtype)
        local f = theano.compile({ x, w }, { sparse.dot(x, w), sparse.dot(x, w["::-1"]) })
        local y, z = f(make("csc", a), b)
        same(y, nd.dot(a, b))
        same(z, nd.dot(a, b["::-1"]))
        x = sparse.csr_matrix("x", { dtype = dtype })
        same(theano.compile({ x, w }, sparse.dot(w, x))(make("csr", a), c), nd.dot(c, a))
      end
    end)
  end

  it("of a CSC matrix where an infinite number meets no stored value", function()
    local x, w, a, b = sparse.csc_matrix("x"), T.dmatrix("w"), small(12, 8, 1, 0.9, "float64"), nd.ones({ 8, 20 })
    a["3"], b["5, 19"] = 0, math.huge
    local y = theano.compile({ x, w }, sparse.dot(x, w))(make("csc", a), b)
    same(y["3"], nd.zeros({ 20 }))
    same(y[":, :19"], nd.dot(a, nd.ones({ 8, 19 })))
  end)

  for _, case in ipairs({ { 40, 30, 0.9, 0.5 }, { 40, 5000, 0.2, 0.01 }, { 1100, 4500, 0.004, 0.004 },
    { 1100, 300, 0.5, 0.9 }, { 7, 6000, 0.5, 0.9 }, { 3, 1, 0.5, 0.9 } }) do
    it(("of two: %d lines, %d places"):format(case[1], case[2]), function()
      local a, b = small(case[1], 50, 1, case[3], "float64"), small(50, case[2], 2, case[4], "float64")
      for _, format in ipairs({ "csr", "csc" }) do
        local x, y = sparse.matrix(format, "x"), sparse.matrix(format, "y")
        local f = theano.compile({ x, y }, sparse.true_dot(x, y))
        for _ = 1, 2 do
          local got, want = f(make(format, a), make(format, b)), nd.dot(a, b)
          assert(nd.array_equal(got:toarray(), want))
          assert.is_true(got.has_sorted_indices)
        end
      end
    end)
  end

  it("of two with rows of one structure and others, added and multiplied", function()
    local x, y, a = sparse.csr_matrix("x"), sparse.csr_matrix("y"), small(30, 40, 1, 0.3, "float64")
    local b = a * 2
    b["7"], b["9"] = small(1, 40, 2, 0.3, "float64")["0"], 0
    b["11, 3"], a["12"], b["12"] = b["11, 3"] + 1, 0, 0
    local sum, product = theano.compile({ x, y }, { x + y, x * y })(make("csr", a), make("csr", b))
    same(sum, a + b)
    same(product, a * b)
  end)
end)

describe("DebugMode", function()
  it("compares sparse matrices too", function()
    local d = T.dmatrix("d")
    local s = sparse.csr_matrix("s")
    local y = sparse.structured_sigmoid(s)
    local cost = T.sum(T.sqr(sparse.dot(y, d))) + sparse.sp_sum(sparse.mul(s, s))
    local outs = { y + s, sparse.transpose(y), sparse.true_dot(y, s.T), cost, T.grad(cost, d), T.grad(cost, s) }
    local m, v = make("csr", dense(3, 4, 2, 1)), dense(4, 2, 1, 2)
    local plain = theano.compile({ inputs = { s, d }, outputs = outs })
    local debug = theano.compile({ inputs = { s, d }, outputs = outs, mode = "DebugMode" })
    local want, got = { plain(m, v) }, { debug(m, v) }
    local function whole(r)
      local is, a = pcall(function() return r:toarray() end)
      return is and a or nd.array(r)
    end
    for i, w in ipairs(want) do assert.is_true(nd.allclose(whole(w), whole(got[i]), 1e-12), i) end
  end)
end)
