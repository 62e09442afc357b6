--- Linear algebra: values, shapes and dtypes against NumPy's and SciPy's (spec/data/matrices.json, written by
-- scripts/make-linalg-data.py) on arrays and in graphs, sizes 0 and 1, errors and their words, NaN where asked for.
-- Gradients are in spec/linalg_grad_spec.lua. #asan
local nd = require("theano.ndarray")
local oracle = require("spec.support.oracle")
local raises = require("spec.support.raises")
local graphs = require("spec.support.graphs")
local skip = require("spec.support.skip")
local theano = require("theano")
local T = theano.tensor

local la = nd.linalg

local DATA = oracle.cases("matrices")
local ARRAYS = {}
for name, a in pairs(DATA.arrays) do ARRAYS[name] = oracle.array(a) end

-- want: {dtype, shape, data}
local function close(got, want, what)
  local g, w = nd.asarray(got), nd.asarray(oracle.array(want))
  assert(g.dtype == want.dtype, ("%s: dtype %s, not %s"):format(what, g.dtype, want.dtype))
  assert(table.concat(g.shape, " ") == table.concat(want.shape, " "),
    ("%s: shape %s, not %s"):format(what, table.concat(g.shape, " "), table.concat(want.shape, " ")))
  local function most(x) return x.size > 0 and nd.max(nd.abs(nd.asarray(x):reshape({ -1 }))) or 0 end
  local off = most(nd.asarray(g - w))
  assert(off <= 1e-9 * (1 + most(w)), ("%s: off by %g"):format(what, off))
end

-- T.slinalg as functions of arrays: a graph with a variable for each array, called.
local function evaluated(mode)
  return setmetatable({}, {
    __index = function(_, name)
      return function(...)
        local given, inputs, values = table.pack(...), {}, {}
        local function variable(a)
          local pattern = {}
          for d = 1, a.ndim do pattern[d] = false end
          local v = T.TensorType(a.dtype, pattern)()
          inputs[#inputs + 1], values[#values + 1] = v, a
          return v
        end
        for i = 1, given.n do
          local a = given[i]
          if type(a) == "userdata" then given[i] = variable(a) end
          if type(a) == "table" and type(a[1]) == "userdata" then given[i] = { variable(a[1]), a[2] } end
        end
        local out = table.pack(T.slinalg[name](table.unpack(given, 1, given.n)))
        return theano.compile { inputs = inputs, outputs = out, mode = mode }(table.unpack(values))
      end
    end,
  })
end

describe("numbers", function()
  local modes = {
    theano.compile.Mode { linker = "interpreter", optimizer = "fast_run" },
    theano.compile.Mode { linker = "interpreter", optimizer = "None" },
  }
  for _, case in ipairs(DATA.calls) do
    it(case.call .. " are NumPy's", function()
      for i = 1, case.call:find("sl.", 1, true) and #modes or 1 do
        local env = setmetatable({ la = la, nd = nd, math = math, sl = evaluated(modes[i]) }, { __index = ARRAYS })
        local got = table.pack(pcall(assert(load("return " .. case.call, "=call", "t", env))))
        if not got[1] and tostring(got[2]):find("OpenBLAS is needed", 1, true) then skip.now("OpenBLAS is needed") end
        assert(got[1], got[2])
        for k, want in ipairs(case.results) do close(got[k + 1], want, case.call .. " result " .. k) end
      end
    end)
  end
end)

describe("factors", function()
  local rng = nd.random.RandomState(2)
  local function near(x, y) assert.is_true(nd.allclose(x, y, 1e-8, 1e-10)) end
  local function turned(x) return nd.conj(la.matrix_transpose(x)) end
  local function complex(...) return rng:randn(...) + rng:randn(...) * nd.complex(0, 1) end

  it("put together again give the matrices they are of", function()
    for _, a in ipairs { rng:randn(5, 3), rng:randn(3, 5), rng:randn(2, 4, 4), complex(4, 3), complex(2, 3, 4) } do
      local q, r = la.qr(a)
      near(nd.matmul(q, r), a)
      local u, s, vt = la.svd(a, false)
      near(nd.matmul(u * nd.expand_dims(s, -2), vt), a)
      u, s, vt = la.svd(a)
      local p = s.shape[s.ndim]
      near(nd.matmul(u["..., 0:" .. p] * nd.expand_dims(s, -2), vt["..., 0:" .. p .. ", :"]), a)
    end
    for _, a in ipairs { rng:randn(4, 4), rng:randn(2, 3, 3), complex(4, 4) } do
      local w, v = la.eig(a)
      near(nd.matmul(a, v), v * nd.expand_dims(w, -2))
      local h = a + turned(a)
      w, v = la.eigh(h)
      near(nd.matmul(v * nd.expand_dims(w, -2), turned(v)), h)
      h = nd.matmul(a, turned(a))
      local l = la.cholesky(h)
      near(nd.matmul(l, turned(l)), h)
      local p, lower, upper = T.slinalg.lu(T.constant(a))
      near(nd.matmul(nd.matmul(p:eval(), lower:eval()), upper:eval()), a)
    end
  end)

  it("of matrices of no rows, and of one", function()
    local none, one = nd.zeros({ 0, 0 }), nd.array({ { 4.0 } })
    assert.are.same({ 0, 0 }, la.inv(none).shape)
    assert.are.equal(1.0, la.det(none))
    assert.are.same({ 0, 2 }, la.solve(none, nd.zeros({ 0, 2 })).shape)
    assert.are.same({ 0, 0 }, la.cholesky(none).shape)
    assert.are.same({ 3, 0, 0 }, la.inv(nd.zeros({ 3, 0, 0 })).shape)
    assert.are.same({ 0, 3, 3 }, la.inv(nd.zeros({ 0, 3, 3 })).shape)
    assert.are.equal(0.25, la.inv(one):item())
    assert.are.equal(2.0, la.cholesky(one):item())
    assert.are.equal(4.0, la.det(one))
    local q, r = la.qr(nd.zeros({ 3, 0 }))
    assert.are.same({ 3, 0, 0, 0 }, { q.shape[1], q.shape[2], r.shape[1], r.shape[2] })
  end)
end)

describe("errors", function()
  local a = nd.ones({ 3, 3 })

  it("say what is singular, indefinite or not square", function()
    raises("LinAlgError", "Singular matrix", function() local _ = la.inv(a) end)
    raises("LinAlgError", "Singular matrix", function() local _ = la.solve(a, nd.ones({ 3 })) end)
    raises("LinAlgError", "2-th leading minor of the array is not positive definite",
      function() local _ = la.cholesky(nd.array { { 1.0, 2.0 }, { 2.0, 1.0 } }) end)
    raises("LinAlgError", { "must be square", "2", "3" }, function() local _ = la.inv(nd.ones({ 2, 3 })) end)
    raises("LinAlgError", "must be square", function() local _ = la.det(nd.ones({ 4, 2, 3 })) end)
    raises("ValueError", { "Solve", "3", "2" }, function() local _ = la.solve(a, nd.ones({ 2 })) end)
    raises("LinAlgError", "at least two-dimensional", function() local _ = la.inv(nd.ones({ 3 })) end)
    raises("ValueError", "not a number", function() local _ = la.solve(a, 1) end)
    raises("ValueError", "batches do not fit",
      function() local _ = la.solve(nd.ones({ 2, 3, 3 }), nd.ones({ 4, 3, 1 })) end)
  end)

  it("name the variable, the shapes and the line", function()
    local x = T.dmatrix("covariance")
    local f = theano.compile { inputs = { x }, outputs = T.slinalg.cholesky(x) }
    raises("LinAlgError", { "Cholesky", "covariance", "(2, 2)", "linalg_spec.lua:" },
      function() local _ = f(-nd.eye(2)) end)
    raises("LinAlgError", { "Cholesky", "covariance", "(2, 3)" }, function() local _ = f(nd.ones({ 2, 3 })) end)
  end)

  it("say which words a function knows", function()
    raises("ValueError", 'one of "raise", "nan"', function() local _ = T.slinalg.cholesky(T.dmatrix(), true, "no") end)
    raises("ValueError", '"reduced", "complete", "r", "raw"', function() local _ = la.qr(a, "economic") end)
    raises("ValueError", '"gen", "sym"', function() local _ = T.slinalg.solve(a, a, { assume_a = "x" }) end)
    raises("ValueError", "trans is 0, 1, 2", function() local _ = T.slinalg.solve(a, a, { trans = 3 }) end)
    raises("ValueError", "Invalid norm order", function() local _ = la.norm(a, "x") end)
    raises("ValueError", "Invalid norm order for matrices: 3", function() local _ = la.norm(a, 3) end)
    raises("ValueError", "Duplicate axes", function() local _ = la.norm(a, 1, { axis = { 0, 0 } }) end)
    raises("ValueError", "Improper number of dimensions", function() local _ = la.norm(nd.ones({ 2, 2, 2 }), 1) end)
    raises("ValueError", "Invalid ind argument", function() local _ = la.tensorinv(a, 0) end)
    raises("ValueError", "Invalid matrix structure argument: 'diagonal'",
      function() T.slinalg.Solve { A_structure = "diagonal" } end)
    raises("LinAlgError", "x must be a matrix", function() local _ = la.cond(nd.ones({ 2 })) end)
  end)

  it("become NaN for that matrix alone where that is asked for", function()
    local x = nd.stack({ nd.eye(2), -nd.eye(2) })
    local l = T.slinalg.cholesky(T.constant(x), { on_error = "nan" }):eval()
    assert.is_true(nd.array_equal(l[0], nd.eye(2)))
    assert.is_true(nd.all(nd.isnan(l[1])))
    local inverse = T.nlinalg.matrix_inverse(T.constant(nd.zeros({ 2, 2 })), "nan"):eval()
    assert.is_true(nd.all(nd.isnan(inverse)))
    assert.are.equal(math.huge, la.cond(nd.ones({ 2, 2 }), 1))
  end)
end)

describe("functions of several operations", function()
  it("take diagonals and traces of many matrices", function()
    local many = nd.arange(18):reshape({ 2, 3, 3 })
    assert.are.same({ 12, 39 }, T.nlinalg.trace(T.constant(many)):eval():tolist())
    local d = T.nlinalg.extract_diag(T.constant(many)):eval()
    assert.are.same({ { 0, 4, 8 }, { 9, 13, 17 } }, d:tolist())
    assert.is_true(nd.array_equal(T.nlinalg.alloc_diag(T.constant(d)):eval()[1], nd.diag(d[1])))
    raises("TypeError", "must be a vector", function() local _ = T.nlinalg.alloc_diag(T.dscalar()) end)
  end)

  it("cost as many products as squares need", function()
    local x = T.dmatrix("x")
    local _, count = theano.printing.graph_text({ T.nlinalg.matrix_power(x, 16) }):gsub("Dot%(", "")
    assert.are.equal(4, count)
  end)

  it("are callable as Theano's operations", function()
    local rng = nd.random.RandomState(3)
    local a, b = rng:randn(3, 3) + nd.eye(3) * 3, rng:randn(3, 2)
    local s, n = T.slinalg, T.nlinalg
    local x, y = T.constant(a), T.constant(b)
    assert.is_true(nd.allclose(s.Solve { A_structure = "upper_triangular" }(x, y):eval(),
      la.solve(nd.triu(a), b)))
    assert.is_true(nd.allclose(n.MatrixInverse()(x):eval(), la.inv(a)))
    assert.is_true(nd.allclose(n.SVD(true, false)(x):eval(), la.svdvals(a)))
    assert.is_true(nd.allclose(s.Cholesky { lower = false }(T.constant(nd.dot(a, a.T))):eval(),
      la.cholesky(nd.dot(a, a.T), true)))
    assert.is_true(nd.allclose(n.TensorInv(1)(x):eval(), la.inv(a)))
  end)
end)

describe("linalg.library", function()
  -- Rows on either side of what decides between our algorithms and the library's.
  for _, dtype in ipairs({ "float64", "float32" }) do
    for _, n in ipairs({ 60, 170, 500 }) do
      it(("%d rows of %s have the same factors and solutions by each"):format(n, dtype), function()
        local rng, was = nd.random.RandomState(n), theano.config["linalg.library"]
        local a = rng:randn(n, n)
        a = (a:dot(a.T) / n + nd.eye(n)):astype(dtype)
        local b = rng:randn(n, 20):astype(dtype)
        local lower, both = T.matrix("l", { dtype = dtype }), T.matrix("b", { dtype = dtype })
        local L = T.slinalg.cholesky(lower)
        local f = theano.compile {
          inputs = { lower, both },
          outputs = {
            L, T.slinalg.solve_lower_triangular(L, both), T.slinalg.solve(lower, both), T.nlinalg.inv(lower),
            T.slinalg.solve(lower, both, { assume_a = "pos" }), T.nlinalg.logdet(lower),
            T.slinalg.solve_lower_triangular(L, both[{ T.slice(), 0 }], { trans = 1 }),
          },
        }
        local bound, first = dtype == "float64" and 1e-11 or 2e-3, nil
        for _, library in ipairs({ "auto", "own", "lapack" }) do
          theano.config["linalg.library"] = library
          local ok, results = pcall(function() return table.pack(f(a, b)) end)
          theano.config["linalg.library"] = was
          assert(ok, results)
          first = first or results
          for i = 1, results.n do
            local x, y = nd.asarray(first[i]) * 1.0, nd.asarray(results[i]) * 1.0
            assert.is_true(nd.max(nd.abs(x - y)) <= bound * nd.max(nd.abs(x)), library .. " " .. i)
          end
        end
      end)
    end
  end
end)

describe("rewrites", function()
  local rng = nd.random.RandomState(5)
  local FAST = theano.compile.Mode { linker = "interpreter", optimizer = "fast_run" }
  local PLAIN = theano.compile.Mode { linker = "interpreter", optimizer = "None" }
  local x, y, v = T.dmatrix("x"), T.dmatrix("y"), T.dvector("v")
  local root = rng:randn(4, 4)
  local positive, right, vector = nd.dot(root, root.T) + nd.eye(4), rng:randn(4, 4), rng:randn(4)

  -- Names of the operations that outputs become; their values are those as written.
  local function ops(outputs, with)
    local function build(mode)
      return theano.compile { inputs = { x, y, v }, outputs = outputs, mode = mode, on_unused_input = "ignore" }
    end
    local f, g = build(FAST), build(PLAIN)
    local got, want = table.pack(f(with or positive, right, vector)), table.pack(g(with or positive, right, vector))
    for i = 1, want.n do assert.is_true(nd.allclose(got[i], want[i], 1e-7, 1e-9)) end
    return graphs.ops(f)
  end

  local function holds(text, there, not_there)
    for word in there:gmatch("%S+") do assert(text:find(word, 1, true), word .. " is not in " .. text) end
    for word in not_there:gmatch("%S+") do assert(not text:find(word, 1, true), word .. " is in " .. text) end
  end

  it("factor a matrix once for a solution and its gradients", function()
    local z = T.slinalg.solve(x, v)
    local cost = T.sum(T.sqr(z))
    local text = ops({ cost, T.grad(cost, x) }, root)
    holds(text, "LUFactor LUSolve", "Solve{A_structure")
    assert.are.equal(1, select(2, text:gsub("LUFactor", "")))
    z = T.slinalg.solve(x, v, { assume_a = "pos" })
    cost = T.sum(T.sqr(z))
    text = ops { cost, T.grad(cost, x) }
    holds(text, "Cholesky{ CholeskySolve", "Solve{A_structure")
    assert.are.equal(1, select(2, text:gsub("Cholesky{", "")))
  end)

  it("take the factor of a kernel matrix for all that a Gaussian process asks of it", function()
    local distance = T.sqr(v:dimshuffle(0, "x") - v:dimshuffle("x", 0))
    local kernel = T.exp(-distance) + T.eye(4) * 0.5
    local l = T.slinalg.cholesky(kernel)
    local text = ops {
      T.sum(T.log(T.diag(l))), T.slinalg.solve(kernel, y), T.nlinalg.logdet(kernel), T.nlinalg.matrix_inverse(kernel),
    }
    holds(text, "Cholesky{ CholeskySolve", "LUFactor MatrixInverse SLogDet Solve{A_structure")
  end)

  it("know determinants, signs and inverses by rows that were exchanged", function()
    local s, l = T.nlinalg.slogdet(x)
    for _ = 1, 5 do
      local a = rng:randn(4, 4)
      holds(ops({ s, l, T.nlinalg.det(x), T.nlinalg.matrix_inverse(x) }, a), "LUFactor LUSolve", "MatrixInverse Det")
    end
  end)

  it("raise what is raised as written", function()
    local f = theano.compile {
      inputs = { x }, outputs = { T.nlinalg.det(x), T.nlinalg.matrix_inverse(x) }, mode = FAST,
    }
    raises("LinAlgError", "Singular matrix", function() local _ = f(nd.ones({ 3, 3 })) end)
    f = theano.compile { inputs = { x }, outputs = { T.nlinalg.det(x), T.nlinalg.logdet(x) }, mode = FAST }
    local det, log = f(nd.ones({ 3, 3 }))
    assert.are.same({ 0.0, -math.huge }, { det, log })
    f = theano.compile { inputs = { x }, outputs = T.dot(T.nlinalg.matrix_inverse(x), x), mode = FAST }
    raises("LinAlgError", "Singular matrix", function() local _ = f(nd.ones({ 3, 3 })) end)
    raises("LinAlgError", "must be square", function() local _ = f(nd.ones({ 3, 2 })) end)
    f = theano.compile { inputs = { x, v }, outputs = T.slinalg.solve(T.tril(x), v), mode = FAST }
    raises("LinAlgError", "Singular matrix", function() local _ = f(nd.zeros({ 4, 4 }), vector) end)
  end)

  it("believe what they are told", function()
    local told = theano.sandbox.linalg.psd(x)
    holds(ops { T.slinalg.solve(told, y) }, "Cholesky{ lower_triangular", "general Hint")
    holds(ops { told + 1 }, "add", "Hint")
    raises("ValueError", "at least two-dimensional", function() local _ = theano.sandbox.linalg.psd(v) end)
  end)

  it("are right in DebugMode", function()
    local z = T.slinalg.solve(x, v)
    local cost = T.sum(T.sqr(z)) + T.nlinalg.logdet(x)
    local f = theano.compile { inputs = { x, v }, outputs = { cost, T.grad(cost, x) }, mode = "DEBUG_MODE" }
    f(positive, vector)
    local w, q = T.nlinalg.eigh(x)
    f = theano.compile { inputs = { x }, outputs = { w, T.grad(T.sum(T.sqr(q) * w), x) }, mode = "DEBUG_MODE" }
    f(positive)
  end)
end)

describe("a call with lengths as before", function()
  local x, v, s = T.dmatrix("x"), T.dmatrix("v"), theano.sparse.csr_matrix("s")
  local a = nd.array({ { 4, 1, 0 }, { 1, 5, 2 }, { 0, 2, 6.0 } })
  local L, S = T.nlinalg, T.slinalg
  local cases = {
    cholesky = { { x }, S.cholesky(x) }, inverse = { { x }, L.matrix_inverse(x) }, determinant = { { x }, L.det(x) },
    eigenvalues = { { x }, (L.eigh(x)) }, exponential = { { x }, S.expm(x) }, qr = { { x }, (L.qr(x)) },
    svd = { { x }, (L.svd(x)) }, solution = { { x, v }, S.solve(x, v) },
    ["gradient of an inverse"] = { { x }, T.grad(T.sum(L.matrix_inverse(x)), x) },
    ["sparse product"] = { { s, v }, theano.sparse.dot(s, v) },
  }
  for name, case in pairs(cases) do
    it("allocates nothing: " .. name, function()
      local f = theano.compile({ inputs = case[1], outputs = case[2] })
      local args = {}
      for i, input in ipairs(case[1]) do args[i] = input == s and nd.sparse.csr_matrix(a) or a end
      local call = f:bind(table.unpack(args))
      for _ = 1, 3 do call() end
      local before = theano.stat("allocs")
      for _ = 1, 20 do call() end
      assert.equal(before, theano.stat("allocs"))
    end)
  end
end)

describe("a matrix of a batch", function()
  -- All but the first batch axis is one matrix; as many as fill vectors and some more, alone, and in another place.
  it("has the same bits wherever it stands, and how many there are", function()
    for _, dtype in ipairs({ "float32", "float64" }) do
      local B = T.TensorType(dtype, { false, false, false })("B")
      local P = T.batched_dot(B, B:dimshuffle(0, 2, 1)) + T.eye(6, { dtype = dtype })
      local f = theano.compile { inputs = { B }, outputs = { T.slinalg.solve(B, B[":, :, :2"]),
        T.nlinalg.matrix_inverse(B), T.nlinalg.det(B), T.slinalg.cholesky(P),
        T.slinalg.solve(P, B, { assume_a = "pos" }) } }
      local many = nd.random.RandomState(8):randn(37, 6, 6):astype(dtype)
      many[20] = many[20] * (dtype == "float32" and 1e-38 or 1e-308) -- its group is left, one by one
      local all = { f(many) }
      for _, at in ipairs({ 0, 1, 15, 16, 19, 20, 21, 36 }) do
        local from = math.max(0, at - 3)
        for i, alone in ipairs({ f(many[("%d:%d"):format(at, at + 1)]) }) do
          assert.is_true(nd.array_equal(all[i][at], alone[0], { equal_nan = true }))
        end
        for i, some in ipairs({ f(many[("%d:%d"):format(from, at + 1)]) }) do
          assert.is_true(nd.array_equal(all[i][at], some[at - from], { equal_nan = true }))
        end
      end
    end
  end)

  it("has its determinant, and its solutions, where parts of them leave the range of the dtype", function()
    local sides = nd.array({ 1e200, 1e200, 1e-200, 1e-200 })
    local many = nd.zeros({ 20, 4, 4 }) + nd.eye(4) * sides
    assert.is_true(nd.allclose(nd.linalg.det(many), nd.ones({ 20 })))
    local tiny = nd.zeros({ 20, 3, 3 }) + nd.eye(3) * 5e-310
    local b = nd.zeros({ 20, 3, 2 }) + 1e-309
    assert.is_true(nd.allclose(nd.linalg.solve(tiny, b), nd.zeros({ 20, 3, 2 }) + 2, { rtol = 1e-6 }))
    assert.is_true(nd.allclose(nd.linalg.solve(tiny[0], b[0]), nd.zeros({ 3, 2 }) + 2, { rtol = 1e-6 }))
  end)
end)

describe("eigenvalues of a real matrix", function()
  it("come in exact pairs, the one above the real axis first, with conjugate vectors", function()
    local rng = nd.random.RandomState(5)
    for n = 2, 12 do
      for _, dtype in ipairs({ "float64", "float32" }) do
        local a = rng:normal(0, 1, { n, n }):astype(dtype)
        local w, v = nd.linalg.eig(a)
        w = w:astype("complex128")
        assert.is_true(nd.array_equal(nd.sort_complex(w), nd.sort_complex(nd.conj(w))))
        local i = 0
        while i < n do
          local im = nd.imag(w)[i]
          assert.is_true(im >= 0)
          if im > 0 then
            assert.equal(nd.conj(w[i]), w[i + 1])
            assert.is_true(nd.array_equal(nd.conj(v[{ T.slice(), i }]), v[{ T.slice(), i + 1 }]))
          end
          i = i + (im > 0 and 2 or 1)
        end
        local off = nd.abs(nd.dot(a, v) - v * w)
        assert.is_true(nd.max(off) < (dtype == "float64" and 1e-12 or 1e-4) * n)
      end
    end
    assert.equal("float64", nd.poly(nd.roots({ -0.7, 0.1, -0.2, 2.3 })).dtype)
  end)
end)
