--- SciPy's compositions on graphs as on arrays, with their gradients; dtypes, nothing, and wrong arguments.
local compile = require("theano.compile")
local nd = require("theano.ndarray")
local fails = require("spec.support.refuses")
local T = require("theano.tensor")
local theano = require("theano")
local variables = require("spec.support.variables")

local rng = nd.random.RandomState(31)
local function vec(n) return rng:uniform(0.2, 0.8, { n or 4 }) end
local function mat(m, n) return rng:uniform(-1, 1, { m or 3, n or 3 }) end
local function positive(n)
  local a = mat(n, n)
  return nd.dot(a, a.T) + nd.eye(n)
end

-- Points, what is done with them, and false where the result has no gradient of every element.
local CASES = {
  { "linalg.toeplitz", { vec(), vec(3) }, function(M, c, r) return M.linalg.toeplitz(c, r) + M.linalg.toeplitz(c)
    [":, :3"] end },
  { "linalg.toeplitz of many", { mat() }, function(M, c) return M.linalg.toeplitz(c) end },
  { "linalg.hankel", { vec(), vec(3) }, function(M, c, r) return M.linalg.hankel(c, r) end },
  { "linalg.circulant", { mat() }, function(M, c) return M.linalg.circulant(c) end },
  { "linalg.companion", { vec() }, function(M, c) return M.linalg.companion(c) end },
  { "linalg.leslie", { vec(4), vec(3) }, function(M, f, s) return M.linalg.leslie(f, s) end },
  { "linalg.fiedler", { vec() }, function(M, c) return M.linalg.fiedler(c) end, false },
  { "linalg.convolution_matrix", { vec() }, function(M, c) return M.linalg.convolution_matrix(c, 3) end },
  { "linalg.khatri_rao", { mat(2), mat() }, function(M, a, b) return M.linalg.khatri_rao(a, b) end },
  { "linalg.hilbert and others of a number", { nd.array(2.0) }, function(M, x)
    return M.linalg.hilbert(4) * x + M.linalg.hadamard(4) * M.linalg.invhilbert(4) + M.linalg.helmert(4, true)
      + M.linalg.pascal(4):astype("float64")
  end },
  { "linalg.polar", { mat(3) }, function(M, a)
    local u, p = M.linalg.polar(a)
    return M.concatenate({ u, p, M.linalg.polar(a, "left") }, 0)
  end },
  { "linalg.cho_factor", { positive(3) }, function(M, a) return (M.linalg.cho_factor(a, true)) end, false },
  { "linalg.orthogonal_procrustes", { mat(4, 3), mat(4, 3) },
    function(M, a, b) return (M.linalg.orthogonal_procrustes(a, b)) end },
  { "linalg.pinvh", { positive(3) }, function(M, a) return M.linalg.pinvh(a + a.T) end },
  { "linalg.eigvalsh_tridiagonal", { vec(), vec(3) },
    function(M, d, e) return M.linalg.eigvalsh_tridiagonal(d, e) end },
  { "linalg.solve_sylvester", { mat(), mat(2, 2), mat(3, 2) },
    function(M, a, b, q) return M.linalg.solve_sylvester(a, b, q) end },
  { "linalg.solve_continuous_lyapunov", { mat(), mat() },
    function(M, a, q) return M.linalg.solve_continuous_lyapunov(a, q) end },
  { "linalg.solve_discrete_lyapunov", { mat() * 0.4, mat() }, function(M, a, q)
    return M.linalg.solve_discrete_lyapunov(a, q, "direct") + M.linalg.solve_discrete_lyapunov(a, q, "bilinear")
  end },
  { "linalg.solve_toeplitz, solve_circulant", { nd.array({ 2.0, 0.5, -0.25 }), mat() },
    function(M, c, b) return M.linalg.solve_toeplitz(c, b) + M.linalg.solve_circulant(c, b) end },
  { "linalg.cosm, sinm, tanm", { mat() },
    function(M, a) return M.linalg.cosm(a) + M.linalg.sinm(a) * M.linalg.tanm(a * 0.5) end },
  { "linalg.coshm, sinhm, tanhm", { mat() },
    function(M, a) return M.linalg.coshm(a) + M.linalg.sinhm(a) * M.linalg.tanhm(a) end },
  { "linalg.expm_frechet", { mat(), mat() }, function(M, a, e)
    local x, d = M.linalg.expm_frechet(a, e)
    return x * d
  end },
  { "linalg.fractional_matrix_power", { positive(3) },
    function(M, a) return M.linalg.fractional_matrix_power(a + a.T, 0.3) end },
}

for _, name in ipairs({ "dct", "idct", "dst", "idst" }) do
  CASES[#CASES + 1] = { "fft." .. name, { mat(3, 5) }, function(M, x)
    local f = M.fft[name]
    return f(x, 1) + f(x, 2) * f(x, 3, nil, -1, "ortho") + f(x, 4, { norm = "forward" }) + f(x, { n = 7 })[":, :5"]
      + M.fft[name .. "n"](x, 2, { norm = "ortho", axes = { 0, 1 } }) + f(x, 1, { axis = 0, norm = "ortho" })
  end }
end
CASES[#CASES + 1] = { "fft.dct of float32", { mat(3, 4):astype("float32") },
  function(M, x) return M.fft.dct(x, 3, nil, 0) end, false, 1e-5 }

local function same(want, got, near)
  want, got = nd.asarray(want), nd.asarray(got)
  assert.equal(want.dtype, got.dtype)
  assert.same({ table.unpack(want.shape) }, { table.unpack(got.shape) })
  assert(nd.allclose(want, got, near or 1e-11, near or 1e-11), tostring(want) .. "\n" .. tostring(got))
end

describe("graphs of SciPy's functions", function()
  for _, case in ipairs(CASES) do
    local name, points, f, smooth, near = table.unpack(case)
    it("give what arrays give: " .. name, function()
      local vars = variables(points)
      local y = f(T, table.unpack(vars))
      same(f(nd, table.unpack(points)), compile({ inputs = vars, outputs = compile.Out(y, { array = true }) })(
        table.unpack(points)), near)
      if smooth ~= false then
        theano.gradient.verify_grad(function(...) return f(T, ...) end, points, { rng = nd.random.RandomState(3),
          mode = compile.Mode({ linker = "interpreter" }) })
      end
    end)
  end
end)

describe("SciPy's linear algebra", function()
  local L = nd.linalg
  it("keeps float32 and complex64, and takes integers as floats", function()
    local a = positive(3):astype("float32")
    local q = mat():astype("float32")
    for name, y in pairs({ toeplitz = L.toeplitz(q[0]), polar = L.polar(a), sylvester = L.solve_sylvester(a, q, q),
      lyapunov = L.solve_discrete_lyapunov(q * 0.3, a), cosm = L.cosm(a), tanhm = L.tanhm(a), pinvh = L.pinvh(a),
      power = L.fractional_matrix_power(a, 0.5), orth = L.orth(a), null = L.null_space(q["0:1"]),
      banded = L.solve_banded({ 0, 0 }, a["0:1"], q[0]), companion = L.companion(a[0]) }) do
      assert.equal("float32", y.dtype, name)
    end
    local z = q:astype("complex64") * nd.complex(1, 2)
    assert.equal("complex64", L.sinm(z).dtype)
    assert.equal("complex64", L.solve_continuous_lyapunov(z, z).dtype)
    assert.equal("float64", L.cosm(nd.eye(2, 2, 0, "int64")).dtype)
    assert.equal("int64", L.circulant({ 1, 2 }).dtype)
  end)
  it("has results for nothing", function()
    assert.same({ 0, 0 }, L.toeplitz(nd.zeros(0)).shape)
    assert.same({ 0, 0 }, L.hilbert(0).shape)
    assert.same({ 3, 3 }, L.null_space(nd.zeros({ 0, 3 })).shape)
    assert.same({ 3, 0 }, L.orth(nd.zeros({ 3, 0 })).shape)
    assert.same({ 0, 2 }, L.solve_sylvester(nd.zeros({ 0, 0 }), nd.eye(2), nd.zeros({ 0, 2 })).shape)
    assert.same({ 0, 0 }, L.solve_discrete_lyapunov(nd.zeros({ 0, 0 }), nd.zeros({ 0, 0 })).shape)
    assert.is_true(L.issymmetric(nd.zeros({ 0, 0 })))
    assert.same({ 0 }, L.solve_banded({ 1, 1 }, nd.zeros({ 3, 0 }), nd.zeros(0)).shape)
  end)
  it("finds spaces and angles", function()
    local a = nd.dot(mat(5, 2), mat(2, 4))
    local n = L.null_space(a)
    assert.same({ 4, 2 }, n.shape)
    assert.is_true(nd.max(nd.abs(nd.dot(a, n))) < 1e-14)
    assert.is_true(nd.allclose(nd.dot(n.T, n), nd.eye(2)))
    assert.same({ 5, 2 }, L.orth(a).shape)
    assert.is_true(nd.max(L.subspace_angles(a, a["::, ::-1"])) < 1e-7)
  end)
  local function product(...)
    local p = (...)
    for i = 2, select("#", ...) do p = nd.matmul(p, (select(i, ...))) end
    return p
  end
  it("has Schur's forms of real and complex matrices, with equal eigenvalues too", function()
    local jordan = nd.eye(5) * 3 + nd.eye(5, 5, 1)
    local turning = nd.roll(nd.eye(6), 1, 0)
    for _, a in ipairs({ mat(1, 1), mat(2, 2), mat(3, 3), mat(7, 7), mat(24, 24), jordan, jordan.T, turning,
      nd.zeros({ 3, 3 }), mat(6, 6) + nd.complex(0, 1) * mat(6, 6), mat(4, 4) * 1e150, mat(4, 4) * 1e-150 }) do
      local n = a.shape[1]
      for _, output in ipairs({ "real", "complex" }) do
        local t, z = L.schur(a, { output = output })
        assert.equal((output == "complex" or a.dtype:find("^c")) and "complex128" or "float64", t.dtype)
        local size = nd.max(nd.abs(a)) + 1e-300
        assert.is_true(nd.max(nd.abs(product(z, t, nd.conj(z.T)) - a)) <= 1e-13 * n * size)
        assert.is_true(nd.max(nd.abs(product(z, nd.conj(z.T)) - nd.eye(n))) < 1e-13 * n)
        assert.is_true(nd.all(nd.eq(nd.tril(t, t.dtype == "float64" and -2 or -1), 0)))
        for i = 0, t.dtype == "float64" and n - 2 or -1 do
          if t[{ i + 1, i }] ~= 0 then
            assert.equal(t[{ i, i }], t[{ i + 1, i + 1 }])
            assert.is_true(t[{ i, i + 1 }] * t[{ i + 1, i }] < 0)
          end
        end
      end
    end
    assert.equal("complex64", (L.schur(mat():astype("float32"), "complex")).dtype)
    assert.equal("float32", (L.ldl(mat():astype("float32"))).dtype)
    assert.same({ 0, 0 }, (L.schur(nd.zeros({ 0, 0 }))).shape)
    assert.same({ 0 }, (select(3, L.ldl(nd.zeros({ 0, 0 })))).shape)
    assert.equal("[[1. 0.]\n [0. 1.]]", tostring((L.ldl({ { 0, 1 }, { 1, 0 } }))))
  end)
  it("solves Riccati's equations, or says that there is no solution", function()
    local x = L.solve_continuous_are({ { 0, 1 }, { 0, 0 } }, { { 0 }, { 1 } }, nd.eye(2), { { 1 } })
    same(nd.array({ { math.sqrt(3), 1 }, { 1, math.sqrt(3) } }), x)
    same(nd.array({ { (1 + math.sqrt(5)) / 2 } }), L.solve_discrete_are({ { 1 } }, { { 1 } }, { { 1 } }, { { 1 } }))
    same(nd.zeros({ 2, 2 }), L.solve_discrete_are(nd.eye(2) * 0.5, nd.eye(2), nd.zeros({ 2, 2 }), nd.eye(2)))
    assert.same({ 0, 0 }, L.solve_continuous_are(nd.zeros({ 0, 0 }), nd.zeros({ 0, 1 }), nd.zeros({ 0, 0 }),
      nd.eye(1)).shape)
    local none = nd.zeros({ 2, 1 })
    fails("LinAlgError", "solve_continuous_are: there is no solution", L.solve_continuous_are, nd.zeros({ 2, 2 }), none,
      nd.eye(2), nd.eye(1))
    fails("LinAlgError", "solve_discrete_are: there is no solution", L.solve_discrete_are, nd.eye(2) * 2, none,
      nd.eye(2), nd.eye(1))
    fails("LinAlgError", "solve_discrete_are: r is singular", L.solve_discrete_are, nd.eye(2), none, nd.eye(2),
      { { 0 } })
    fails("ValueError", "solve_continuous_are: q is symmetric", L.solve_continuous_are, nd.eye(2), none,
      { { 1, 2 }, { 3, 4 } }, nd.eye(1))
    fails("ValueError", "q is as large as a", L.solve_continuous_are, nd.eye(2), none, nd.eye(3), nd.eye(1))
    fails("LinAlgError", "signm: an eigenvalue lies on the imaginary axis", L.signm, nd.zeros({ 2, 2 }))
    fails("ValueError", "schur: a is a square matrix, not of shape (2, 3)", L.schur, mat(2, 3))
    fails("ValueError", "schur: output is 'real' or 'complex', not 'both'", L.schur, mat(), "both")
    fails("ValueError", "hessenberg: a has elements that are infinite or NaN", L.hessenberg, { { nd.nan } })
    fails("TypeError", "ldl: argument 'A' is missing", L.ldl)
  end)
  it("solves systems of a million numbers in bands", function()
    local n = 20000
    local ab = nd.ones({ 3, n })
    ab[1] = 4.0
    local x = L.solve_banded({ 1, 1 }, ab, nd.ones(n) * 6.0)
    assert.is_true(nd.allclose(x["100:-100"], 1.0))
  end)
  it("solves large equations of Sylvester, of a matrix without eigenvectors too", function()
    local n = 22
    local jordan, q = nd.eye(n) * 2 + nd.eye(n, n, 1), mat(n, n)
    local x = L.solve_sylvester(jordan, jordan, q)
    assert.is_true(nd.max(nd.abs(nd.dot(jordan, x) + nd.dot(x, jordan) - q)) < 1e-8)
  end)
  it("says what is wrong", function()
    fails("ValueError", "solve_sylvester: a is a square matrix, not of shape (2, 3)", L.solve_sylvester, mat(2, 3),
      mat(), mat())
    fails("ValueError", "a is m x m, b n x n and q m x n, not (3, 3), (2, 2) and (3, 3)", L.solve_sylvester, mat(),
      mat(2, 2), mat())
    fails("ValueError", "companion: the first coefficient must not be 0", L.companion, { 0, 1, 2 })
    fails("ValueError", "companion: a has at least 2 coefficients, not 1", L.companion, { 1 })
    fails("ValueError", "hadamard: n is a power of 2, not 6", L.hadamard, 6)
    fails("ValueError", "leslie: s is one shorter than f: (3,), (3,)", L.leslie, { 1, 2, 3 }, { 1, 2, 3 })
    fails("ValueError", "khatri_rao: two matrices of as many columns are expected, not (3, 3) and (3, 2)",
      L.khatri_rao, mat(), mat(3, 2))
    fails("ValueError", "polar: side is 'right' or 'left', not 'up'", L.polar, mat(), "up")
    fails("ValueError", "solve_banded: ab has l + u + 1 = 4 rows, not 3", L.solve_banded, { 1, 2 }, mat(), vec(3))
    fails("LinAlgError", "solve_banded: the matrix is singular", L.solve_banded, { 0, 0 }, { { 1.0, 0.0 } }, { 1, 2 })
    fails("ValueError", "infinite or NaN", L.solve_banded, { 0, 0 }, { { nd.nan } }, { 1 })
    fails("LinAlgError", "solve_circulant: the matrix is singular", L.solve_circulant, { 1, 1 }, { 1, 2 })
    fails("ValueError", "pascal: kind is", L.pascal, 3, "round")
    fails("ValueError", "hilbert: n is an integer of at least 0, not -1", L.hilbert, -1)
    fails("TypeError", "toeplitz: argument 'c' is missing", L.toeplitz)
    fails("ValueError", "issymmetric: a is a square matrix, not of shape (3, 2)", L.issymmetric, mat(3, 2))
    fails("ValueError", "orth: A is a matrix, not of shape (4,)", L.orth, vec())
    fails("LinAlgError", nil, L.solve_sylvester, nd.eye(2), -nd.eye(2), mat(2, 2))
  end)
end)

describe("SciPy's cosine and sine transforms", function()
  local F = nd.fft
  it("undo each other, of every type and length", function()
    for _, n in ipairs({ 2, 3, 4, 5, 6, 7, 8, 9, 127, 128, 129, 130, 1001 }) do
      local x = mat(3, n)
      for kind = 1, 4 do
        for _, norm in ipairs({ "backward", "ortho", "forward" }) do
          same(x, F.idct(F.dct(x, kind, { norm = norm }), kind, { norm = norm }))
          same(x, F.idst(F.dst(x, kind, { norm = norm }), kind, { norm = norm }))
        end
      end
      same(x, F.idstn(F.dstn(x)))
    end
  end)
  it("are sums of cosines, of a long line too", function()
    for _, n in ipairs({ 1, 2, 100, 128, 129, 130, 1000, 1001, 1000 }) do
      local x, k = vec(n), nd.arange(n) * 1.0
      local y, z = F.dct(x), F.dct(x:astype("float32"))
      for _, at in ipairs({ 0, 1 % n, n // 2, n - 1 }) do
        local want = 2 * nd.sum(x * nd.cos((2 * k + 1) * (math.pi * at / (2 * n))))
        assert.is_true(math.abs(y[at] - want) < 1e-10 and math.abs(z[at] - want) < 1e-3)
        assert.is_true(math.abs(F.idct(x)[at] - (x[0] / 2 + nd.sum(x["1:"] *
          nd.cos(k["1:"] * (math.pi * (2 * at + 1) / (2 * n))))) / n) < 1e-10)
        assert.is_true(math.abs(F.dst(x, 4)[at] -
          2 * nd.sum(x * nd.sin((2 * k + 1) * (math.pi * (2 * at + 1) / (4 * n))))) < 1e-10)
      end
    end
  end)
  it("keep dtypes: halves become float32, integers float64", function()
    local wanted = { float32 = "float32", float64 = "float64", complex64 = "complex64", complex128 = "complex128",
      float16 = "float32", int8 = "float64", bool = "float64" }
    for dtype, want in pairs(wanted) do
      for kind = 1, 4 do
        assert.equal(want, F.dct(nd.ones({ 2, 3 }, dtype), kind).dtype)
        assert.equal(want, F.idst(nd.ones({ 2, 3 }, dtype), kind, { norm = "ortho" }).dtype)
      end
    end
  end)
  it("take no lines and strided ones", function()
    assert.same({ 0, 3 }, F.dct(nd.zeros({ 0, 3 })).shape)
    local x = mat(6, 8)
    same(F.dct(x["::2, ::-2"]:copy()), F.dct(x["::2, ::-2"]))
  end)
  it("say what is wrong", function()
    fails("ValueError", "dct: 0 elements along the axis, at least 1 are needed", F.dct, nd.zeros({ 3, 0 }))
    fails("ValueError", "dct: 1 elements along the axis, at least 2 are needed", F.dct, { 1.0 }, 1)
    fails("ValueError", "idst: type is 1, 2, 3 or 4, not 5", F.idst, { 1.0 }, 5)
    fails("ValueError", "dst: norm is 'backward', 'ortho' or 'forward', not 'both'", F.dst, { 1.0 }, { norm = "both" })
    fails("ValueError", "dct: axis 2 is out of range", F.dct, mat(), { axis = 2 })
    fails("ValueError", "dctn: s and axes are of one length, not 1 and 2", F.dctn, mat(),
      { s = { 3 }, axes = { 0, 1 } })
    fails("TypeError", "dctn: axes is a list of integers", F.dctn, mat(), { axes = true })
    fails("ValueError", "next_fast_len: target is an integer from 1 to 2^40, not 0", F.next_fast_len, 0)
  end)
end)

describe("SciPy's and NumPy's edges", function()
  it("are elliptic integrals of parameters far below 0", function()
    for _, v in ipairs({ { 0.001, -1e7, 0.0005908877646050771, 0.0019537561473776323 },
      { 0.001, -1e10, 5.298342448832301e-05, 0.050028987483081024 },
      { 1.0, -1e100, 1.1591096656488057e-48, 4.5969769413186027e49 },
      { -7.0, -1e300, -1.732888356727627e-147, -4.2460977456566955e150 },
      { 0.01, -1e8, 0.0005298350687829882, 0.5002857502569084 } }) do
      assert.is_true(math.abs(nd.special.ellipkinc(v[1], v[2]) / v[3] - 1) < 2e-15, tostring(v[2]))
      assert.is_true(math.abs(nd.special.ellipeinc(v[1], v[2]) / v[4] - 1) < 2e-15, tostring(v[2]))
    end
  end)
  it("are tolerances of arrays", function()
    local a, b = nd.array({ 1.0, 2, 3 }), nd.array({ 1.1, 2.1, 3.1 })
    assert.same({ true, true, false }, nd.isclose(a, b, { 0, 0.1, 0 }, nd.array({ 0.2, 0, 0.05 })):tolist())
    assert.same({ true, false }, nd.isclose(1, 1.1, { 0.2, 0.01 }):tolist())
    assert.same({ { false, false, false }, { true, true, true } },
      nd.isclose(a, b, { rtol = 0, atol = { { 0.05 }, { 1 } } }):tolist())
    assert.is_true(nd.allclose(a, b, { rtol = nd.array(0.2) }))
    assert.is_false(nd.allclose(a, b, { atol = { 1, 1, 0 } }))
    fails("TypeError", "rtol is a string, number or ndarray or table is expected", nd.isclose, a, b, "a")
  end)
  it("are columns of polynomials at infinity, and diagonals of wide matrices", function()
    local v = nd.polynomial.polynomial.polyvander({ nd.inf, -nd.inf }, 3)
    assert.same({ { nd.inf, nd.inf, nd.inf }, { -nd.inf, nd.inf, -nd.inf } }, v[":, 1:"]:tolist())
    assert.same({ -nd.inf }, nd.polynomial.laguerre.lagvander({ nd.inf }, 1)[":, 1"]:tolist())
    assert.same({ nd.inf, nd.inf }, nd.polynomial.polynomial.polyval({ nd.inf, -nd.inf }, { 1, 2, 3 }):tolist())
    local a = nd.zeros({ 3, 4 })
    a[{ 2, 3 }] = 1.0 -- SciPy says 0, 0
    assert.same({ 0, 1 }, { nd.linalg.bandwidth(a) })
  end)
end)

describe("SciPy's programs and searches", function()
  local O = nd.optimize
  it("find the least place of a population, the same from the same seed", function()
    local function hilly(x) return 20 + nd.sum(x * x - 10 * nd.cos(x * (2 * math.pi))) end
    local r = O.differential_evolution(hilly, { { -5.12, 5.12 }, { -5.12, 5.12 } }, { rng = 7 })
    assert.is_true(r.success and math.abs(r.fun) < 1e-8, tostring(r.fun))
    assert.same({ 30, 2 }, r.population.shape)
    local again = O.differential_evolution(hilly, { { -5.12, 5.12 }, { -5.12, 5.12 } }, { rng = 7 })
    assert.is_true(nd.array_equal(r.x, again.x) and r.nfev == again.nfev)
    for _, strategy in ipairs({ "rand1bin", "best2exp", "rand2bin", "currenttobest1bin", "randtobest1exp" }) do
      local found = O.differential_evolution(O.rosen, { { 0, 2 }, { 0, 2 } }, { strategy = strategy, rng = 1 })
      assert.is_true(nd.allclose(found.x, nd.ones(2), 1e-3, 1e-3), strategy)
    end
  end)
  it("stop a population where they are told to", function()
    local r = O.differential_evolution(O.rosen, { { 0, 2 }, { 0, 2 } }, { maxiter = 2, polish = false })
    assert.is_false(r.success)
    assert.equal(2, r.nit)
    local calls = 0
    r = O.differential_evolution(O.rosen, { { 0, 2 }, { 0, 2 } }, { polish = false, callback = function()
      calls = calls + 1
      return true
    end })
    assert.same({ 1, 1 }, { calls, r.nit })
  end)
  it("find whole numbers, as trying all of them does", function()
    local draw = nd.random.RandomState(5)
    for _ = 1, 6 do
      local c, A = draw:randint(-9, 9, { 4 }) * 1.0, draw:randint(1, 9, { 3, 4 }) * 1.0
      local r = O.milp(c, { integrality = 1, bounds = O.Bounds(0, nd.full({ 4 }, 4.0)),
        constraints = { O.LinearConstraint(A, nil, 30) } })
      local least = 0.0
      for i = 0, 624 do
        local x = nd.array({ i % 5, i // 5 % 5, i // 25 % 5, i // 125 }) * 1.0
        if nd.all(nd.le(A:dot(x), 30)) then least = math.min(least, c:dot(x)) end
      end
      assert.is_true(r.success and math.abs(r.fun - least) < 1e-9)
      assert.is_true(nd.array_equal(r.x, nd.rint(r.x)) and r.mip_gap == 0 and nd.all(nd.le(A:dot(r.x), 30)))
    end
    local r = O.milp({ -1, -1 }, { integrality = { 1, 0 }, bounds = { { 0, 2.5 }, { 0, 1.25 } } })
    assert.is_true(nd.allclose(r.x, { 2, 1.25 }))
    assert.equal(2, O.milp({ 1 }, { integrality = 1, bounds = { { 0.25, 0.75 } } }).status)
    assert.equal(3, O.milp({ -1 }, { integrality = 1 }).status)
    assert.equal(1, O.milp({ -5, -4 }, { integrality = 1, options = { node_limit = 1 },
      constraints = O.LinearConstraint({ { 6, 4 }, { 1, 2 } }, nil, { 24.5, 6.5 }) }).status)
    local draws, fewer = nd.random.RandomState(5), 0
    for _ = 1, 8 do -- within the gap, in no more nodes
      local c, A = draws:uniform(1, 9, { 9 }), draws:uniform(1, 9, { 4, 9 })
      local function solved(gap)
        return O.milp(-c, { integrality = 1, bounds = { { 0, 3 } }, options = { mip_rel_gap = gap },
          constraints = O.LinearConstraint(A, nil, nd.full({ 4 }, 45.5)) })
      end
      local exact, near = solved(nil), solved(0.08)
      assert.same({ 0, 0.0 }, { exact.status, exact.mip_gap })
      assert.is_true(near.success and near.mip_gap <= 0.08 and near.fun - exact.fun <= 0.08 * math.abs(near.fun))
      assert.is_true(near.mip_dual_bound <= exact.fun + 1e-9 and near.mip_node_count <= exact.mip_node_count)
      fewer = fewer + exact.mip_node_count - near.mip_node_count
    end
    assert.is_true(fewer > 20, fewer)
    fails("ValueError", "milp: mip_rel_gap is at least 0, not -1", O.milp, { 1 }, { options = { mip_rel_gap = -1 } })
    fails("ValueError", "milp: integrality is 0 or 1, not 3", O.milp, { 1, 2 }, { integrality = 3 })
    fails("ValueError", "milp: integrality is a vector of 2 numbers, not of shape (3,)", O.milp, { 1, 2 },
      { integrality = { 1, 1, 1 } })
    fails("ValueError", "a constraint's A has 2 columns", O.milp, { 1, 2 },
      { constraints = O.LinearConstraint({ { 1, 2, 3 } }, 0, 1) })
    fails("TypeError", "milp: a constraint is LinearConstraint(A, lb, ub), not", O.milp, { 1 }, { constraints = { 3 } })
    fails("ValueError", "milp: c is a vector of finite numbers", O.milp, { nd.nan })
  end)
  it("search grids, and hop between minima", function()
    local function hilly(x) return 20 + nd.sum(x * x - 10 * nd.cos(x * (2 * math.pi))) end
    local x, least, values = O.brute(hilly, { { -2, 3 }, { -2, 3, 0.5 } }, { Ns = 11, full_output = true })
    assert.is_true(nd.max(nd.abs(x)) < 1e-4 and least < 1e-6)
    assert.same({ 11, 10 }, values.shape)
    same(nd.array({ 0.5 }), O.brute(function(v) return (v[0] - 0.6) ^ 2 end, { { 0, 1 } }, { Ns = 3, finish = false }))
    fails("ValueError", "brute: each range is {low, high} or {low, high, step}", O.brute, hilly, { { 1 } })
    local r = O.basinhopping(hilly, { 1.9, -0.9 }, { niter = 60, rng = 3, stepsize = 1.0 })
    assert.is_true(math.abs(r.fun) < 1e-8 and r.nit == 60)
    assert.is_true(nd.array_equal(r.x, O.basinhopping(hilly, { 1.9, -0.9 }, { niter = 60, rng = 3, stepsize = 1.0 }).x))
    assert.equal(1, O.basinhopping(hilly, { 1, 1 }, { callback = function() return true end }).nit)
    fails("TypeError", "basinhopping: argument 'x0' is missing", O.basinhopping, hilly)
  end)
  it("solve programs that turn in circles, and with many equal rows", function()
    local r = O.linprog({ -0.75, 150, -0.02, 6 }, { A_ub = { { 0.25, -60, -0.04, 9 }, { 0.5, -90, -0.02, 3 },
      { 0, 0, 1, 0 } }, b_ub = { 0, 0, 1 } })
    assert.is_true(r.success and math.abs(r.fun + 0.05) < 1e-12)
    r = O.linprog(nd.ones(3), { A_eq = nd.ones({ 4, 3 }), b_eq = nd.ones(4) })
    assert.is_true(r.success and math.abs(r.fun - 1) < 1e-12)
    assert.equal(1, O.linprog({ -1, -1 }, { A_ub = { { 1, 2 }, { 2, 1 } }, b_ub = { 4, 4 },
      options = { maxiter = 1 } }).status)
    assert.equal(2, O.linprog({ 1, 1 }, { bounds = { { 1, 0 }, { 0, 1 } } }).status)
  end)
  it("take None, false or nothing where a bound is none, and say which bounds are wrong", function()
    for _, none in ipairs({ nd.none, T.none, false, -math.huge }) do
      local r = O.linprog({ -1, 4 }, { A_ub = { { -3, 1 }, { 1, 2 } }, b_ub = { 6, 4 },
        bounds = { { none, none == -math.huge and math.huge or none }, { -3 } } })
      assert.is_true(nd.allclose(r.x, { 10, -3 }))
      r = O.minimize(function(x) return nd.sum(nd.square(x)) end, { 1, 2 }, { bounds = { { none, 1 }, { 0.5 } } })
      assert.is_true(nd.allclose(r.x, { 0, 0.5 }, 0, 1e-8))
    end
    fails("TypeError", "minimize: bounds 1 are a pair {low, high}, not a number", O.minimize,
      function(x) return nd.sum(x) end, { 1, 2 }, { bounds = { 1, 2 } })
    fails("TypeError", "linprog: bounds 2 are numbers, false for none, not", O.linprog, { 1, 2 },
      { bounds = { { 0, 1 }, { "a", 1 } } })
  end)
  it("take nothing", function()
    local i, j = O.linear_sum_assignment(nd.zeros({ 0, 3 }))
    assert.same({ 0, 0 }, { i.size, j.size })
    local r = O.isotonic_regression(nd.zeros(0))
    assert.same({ 0, 0, 1 }, { r.x.size, r.weights.size, r.blocks.size })
  end)
  it("say what is wrong", function()
    local inf = math.huge
    fails("ValueError", "linear_sum_assignment: a matrix is expected, not of shape (3,)", O.linear_sum_assignment,
      { 1, 2, 3 })
    fails("ValueError", "no assignment that is finite", O.linear_sum_assignment, { { inf, inf }, { 1, 2 } })
    fails("ValueError", "NaN or an infinity", O.linear_sum_assignment, { { nd.nan, 1 }, { 1, 2 } })
    fails("ValueError", "isotonic_regression: weights are more than 0", O.isotonic_regression, { 1, 2 },
      { weights = { 1, 0 } })
    fails("ValueError", "vectors of one length, not (2,) and (1,)", O.isotonic_regression, { 1, 2 },
      { weights = { 1 } })
    fails("ValueError", "lsq_linear: each low bound is less than the high one", O.lsq_linear, mat(), vec(3),
      { bounds = { 1, 1 } })
    fails("ValueError", "not (3, 3) and (4,)", O.lsq_linear, mat(), vec(4))
    fails("ValueError", "linprog: A_ub and b_ub are given together", O.linprog, { 1 }, { A_ub = { { 1 } } })
    fails("ValueError", "linprog: A_eq has 2 columns", O.linprog, { 1, 2 }, { A_eq = { { 1 } }, b_eq = { 1 } })
    fails("ValueError", "linprog: bounds are one pair, or 3 of them, not 2", O.linprog, { 1, 2, 3 },
      { bounds = { { 0, 1 }, { 0, 1 } } })
    fails("RuntimeError", "bracket: no bracket was found", O.bracket, function(x) return x end)
    fails("ValueError", "golden: brack has two or three numbers, not 1", O.golden, function(x) return x * x end,
      { brack = { 1 } })
    fails("RuntimeError", "fixed_point: no end in 9 iterations", O.fixed_point, function(x) return x + 1 end, 0,
      { maxiter = 9 })
    fails("ValueError", "fixed_point: the function gives an array of shape (3) of one of shape (2)", O.fixed_point,
      function() return nd.ones(3) end, { 1, 2 })
    fails("ValueError", "differential_evolution: bounds are finite", O.differential_evolution, O.rosen,
      { { 0, inf }, { 0, 1 } })
    fails("ValueError", "differential_evolution: strategy is", O.differential_evolution, O.rosen, { { 0, 1 } },
      { strategy = "best3bin" })
  end)
end)

describe("SciPy's splines and rules", function()
  local I, Q = nd.interpolate, nd.integrate
  local x, y = nd.array({ 0.0, 1, 2.5, 3, 4, 5 }), nd.array({ 1.0, -1, 2, 0, 1, 3 })
  local at = nd.array({ 0.5, 2.5, 4.9 })
  it("give graphs of places and of values", function()
    local v, w = T.dvector("v"), T.dvector("w")
    for name, make in pairs({ spline = function(values) return I.make_interp_spline(x, values) end,
      parabolas = function(values) return I.make_interp_spline(x, values, 2) end,
      steps = function(values) return I.make_interp_spline(x, values, 0) end,
      polynomial = function(values) return I.BarycentricInterpolator(x, values) end }) do
      local f = make(y)
      assert.is_true(nd.allclose(f(at), compile({ inputs = { v }, outputs = f(v) })(at), 1e-11, 1e-11), name)
      assert.is_true(nd.allclose(f(at), compile({ inputs = { w }, outputs = make(w)(at) })(y), 1e-11, 1e-11), name)
    end
    local s = I.make_interp_spline(x, y)
    assert.is_true(nd.allclose(s(at, 1), compile({ inputs = { v }, outputs = T.grad(T.sum(s(v)), v) })(at)))
    local m, places = T.dmatrix("m"), rng:uniform(0, 1, { 9, 2 })
    local f = I.RBFInterpolator(places, vec(9))
    assert.is_true(nd.allclose(f(places * 0.5), compile({ inputs = { m }, outputs = f(m) })(places * 0.5)))
  end)
  it("meet their points, of complex values and columns too", function()
    local z = y * nd.complex(1, 2)
    assert.is_true(nd.allclose(I.make_interp_spline(x, z)(x), z))
    assert.is_true(nd.allclose(I.BarycentricInterpolator(x, z)(x), z))
    assert.same({ 2, 3 }, I.make_interp_spline(x, rng:uniform(0, 1, { 2, 6 }), { axis = 1 })(at).shape)
    assert.equal("number", type(I.make_interp_spline(x, y)(1.5)))
    assert.is_true(nd.allclose(I.lagrange({ 0, 1, 2 }, { 1, 2, 5 }), { 1.0, 0.0, 1.0 }))
    assert.is_true(nd.all(nd.isnan(I.BSpline({ 0, 1, 2, 3 }, { 1, 1 }, 1, { extrapolate = false })({ -1.0, 5 }))))
  end)
  it("integrate functions whose values are arrays", function()
    local r, err = Q.quad_vec(function(v) return nd.array({ { 1.0, v }, { v * v, math.exp(v) } }) end, 0, 1)
    assert.is_true(nd.allclose(r, { { 1.0, 0.5 }, { 1 / 3, math.exp(1) - 1 } }, 1e-12) and err < 1e-8)
    assert.is_true(math.abs(Q.quad_vec(function(v) return v > 1 and 1.0 or 0.0 end, 0, 3) - 2) < 1e-7)
    assert.is_true(math.abs(Q.quad_vec(math.sin, 0, math.pi, { points = { 1, 2 } }) - 2) < 1e-12)
  end)
  it("know the triangle of a place", function()
    local p = rng:uniform(-1, 1, { 60, 2 })
    local plane = 3 * p[":, 0"] - 2 * p[":, 1"] + 1
    local f = I.LinearNDInterpolator(p, plane)
    assert.is_true(nd.allclose(f(p), plane, 1e-12, 1e-12))
    local inside = p * 0.5
    assert.is_true(nd.allclose(f(inside[":, 0"], inside[":, 1"]), 3 * inside[":, 0"] - 2 * inside[":, 1"] + 1,
      1e-12, 1e-12))
    assert.same({ 2, 1, 3 }, I.LinearNDInterpolator(p, rng:rand(60, 3))(nd.zeros({ 2, 1, 2 })).shape)
    assert.same({ 0, 3 }, I.LinearNDInterpolator(p, rng:rand(60, 3))(nd.zeros({ 0, 2 })).shape)
    assert.equal(-7.0, I.LinearNDInterpolator(p, plane, { fill_value = -7 })({ 5, 5 }))
    assert.is_true(nd.all(nd.isnan(f({ { 9, 9 }, { nd.nan, 0 }, { nd.inf, 0 } }))))
    assert.is_true(nd.allclose(I.griddata(p, plane * nd.complex(0, 1), inside), f(inside) * nd.complex(0, 1)))
  end)
  it("lie in triangles that fill the hull and whose circles are empty, of ties and twins too", function()
    local of = require("theano.triangles").of
    local function checked(u, v)
      local t, area = of(u, v), 0.0
      for e = 1, #t.from do
        local first = e - (e - 1) % 3
        local a, b, c = t.from[first], t.from[first + 1], t.from[first + 2]
        local double = (u[b] - u[a]) * (v[c] - v[a]) - (u[c] - u[a]) * (v[b] - v[a])
        assert(double > 0)
        area = area + double / 6
        local back = t.twin[e]
        if back ~= 0 then
          assert.equal(e, t.twin[back])
          local d = t.from[back % 3 == 1 and back + 2 or back - 1]
          local rows = {}
          for i, p in ipairs({ a, b, c }) do
            local h, w = u[p] - u[d], v[p] - v[d]
            rows[i] = { h, w, h * h + w * w }
          end
          assert(nd.linalg.det(rows) < 1e-10)
        end
      end
      return area
    end
    local px, py = {}, {}
    for i = 0, 99 do px[i + 1], py[i + 1] = i % 10 * 0.1, i // 10 * 0.1 end
    assert(math.abs(checked(px, py) - 0.81) < 1e-12)
    assert.equal(0.0, checked({ 0, 1, 2, 3 }, { 0, 1, 2, 3 }))
    for i = 1, 300 do px[i], py[i] = rng:randint(0, 9), rng:randint(0, 9) end
    assert(math.abs(checked(px, py) - 64) < 1e-9)
    for i = 1, 300 do px[i], py[i] = math.cos(i / 300 * 2 * math.pi), math.sin(i / 300 * 2 * math.pi) end
    assert(math.abs(checked(px, py) - 150 * math.sin(2 * math.pi / 300)) < 1e-9)
  end)
  it("say what is wrong", function()
    fails("ValueError", "LinearNDInterpolator: at least three points that do not lie on a line are needed, of 3",
      I.LinearNDInterpolator, { { 0, 0 }, { 1, 1 }, { 2, 2 } }, { 1, 2, 3 })
    fails("ValueError", "LinearNDInterpolator: points has rows of coordinates, and as many as values, not (3, 2) and "
      .. "(2,)", I.griddata, { { 0, 0 }, { 1, 1 }, { 2, 0 } }, { 1, 2 }, { { 0, 0 } })
    fails("ValueError", "LinearNDInterpolator: points are finite", I.griddata, { { 0, 0 }, { 1, nd.inf }, { 2, 0 } },
      { 1, 2, 3 }, { { 0, 0 } })
    fails("ValueError", "LinearNDInterpolator: places of 2 coordinates are expected, not of shape (3,)", I.griddata,
      { { 0, 0 }, { 1, 1 }, { 2, 0 } }, { 1, 2, 3 }, { 1, 2, 3 })
    fails("NotImplementedError", "places are arrays, not Variables", I.griddata, { { 0, 0 }, { 1, 1 }, { 2, 0 } },
      { 1, 2, 3 }, T.dmatrix())
    fails("NotImplementedError", "griddata: in 3 dimensions the method is 'nearest', not 'cubic'",
      I.griddata, { { 0, 0, 0 }, { 1, 1, 1 }, { 2, 0, 1 } }, { 1, 2, 3 }, { { 0, 0, 0 } }, "cubic")
    fails("ValueError", "make_interp_spline: degree 3 needs at least 4 points, not 3", I.make_interp_spline,
      { 0, 1, 2 }, { 0, 1, 2 })
    fails("ValueError", "bc_type is 'not-a-knot', 'natural'", I.make_interp_spline, x, y, { bc_type = "periodic" })
    fails("ValueError", "from 1 to 3, not another table", I.make_interp_spline, x, y, { bc_type = { { 4, 0.0 } } })
    fails("ValueError", "takes 1 derivatives at", I.make_interp_spline, x, y, { k = 2, bc_type = "natural" })
    fails("ValueError", "takes 2 derivatives at", I.make_interp_spline, x, y, { bc_type = { { 1, 0 } } })
    fails("ValueError", "6 points of degree 1 have 8 knots", I.make_interp_spline, x, y, 1, { 0, 1, 2 })
    fails("ValueError", "make_interp_spline: 6 places, 2 values", I.make_interp_spline, x, { 1.0, 2.0 })
    fails("ValueError", "BSpline: knots are finite and do not fall", I.BSpline, { 0, 2, 1, 3 }, { 1, 1 }, 1)
    fails("ValueError", "BSpline: 4 knots of degree 1 have 2 coefficients, not 1", I.BSpline, { 0, 1, 2, 3 }, { 1 },
      1)
    fails("ValueError", "BarycentricInterpolator: a place stands twice", I.BarycentricInterpolator, { 0, 0 }, { 1, 2 })
    fails("ValueError", "RBFInterpolator: epsilon is to be given for the kernel 'gaussian'", I.RBFInterpolator, mat(),
      vec(3), { kernel = "gaussian" })
    fails("ValueError", "RBFInterpolator: there is no kernel 'round'", I.RBFInterpolator, mat(), vec(3),
      { kernel = "round" })
    fails("NotImplementedError", "griddata: in 3 dimensions the method is 'nearest'", I.griddata, mat(), vec(3), mat())
    local u, r = I.UnivariateSpline(x, y), I.RectBivariateSpline(x, x, nd.outer(y, y))
    fails("TypeError", "bbox is {first, last}, numbers or false", I.UnivariateSpline, x, y, { bbox = { "a", 9 } })
    fails("TypeError", "integral: b should be a number, not nil", u.integral, u, 1.0)
    fails("TypeError", "integral: xa should be a number, not string", r.integral, r, "a", 1, 2, 3)
    fails("TypeError", "set_smoothing_factor: s should be a number, not nil", u.set_smoothing_factor, u)
    fails("TypeError", "points are real, not complex128", I.CloughTocher2DInterpolator,
      nd.array({ { 0, 0 }, { 1, 0 }, { 0, 1 } }) * nd.complex(0, 1), { 1, 2, 3 })
    assert.same(I.krogh_interpolate(x, y, { 1, 2 }, { 0, 1 }):tolist(),
      I.krogh_interpolate(x, y, nd.array({ 1, 2 }):astype("float32"), nd.array({ 0, 1 })):tolist())
    fails("ValueError", "romb: 2^k + 1 samples are expected, not 4", Q.romb, vec(4))
    fails("ValueError", "cumulative_simpson: x must increase", Q.cumulative_simpson, vec(4), { x = { 0, 1, 1, 2 } })
    fails("ValueError", "newton_cotes: rn is from 1 to 500, not 0", Q.newton_cotes, 0)
    fails("TypeError", "quad_vec: the function gives a number or an array, not nil", Q.quad_vec, function() end, 0, 1)
    fails("ValueError", "quad_vec: norm is '2' or 'max', not '1'", Q.quad_vec, math.sin, 0, 1, { norm = "1" })
  end)
end)

describe("SciPy's designs and spectra", function()
  local S = nd.signal
  it("do what is asked of a filter", function()
    for _, ftype in ipairs({ "butter", "cheby1", "cheby2", "ellip" }) do
      for _, edges in ipairs({ { 0.2, 0.3 }, { 0.3, 0.2 }, { { 0.2, 0.5 }, { 0.1, 0.6 } },
        { { 0.1, 0.6 }, { 0.2, 0.5 } } }) do
        local pass, stop = nd.atleast_1d(nd.array(edges[1])), nd.atleast_1d(nd.array(edges[2]))
        local sos = S.iirdesign(edges[1], edges[2], 1, 40, { ftype = ftype, output = "sos" })
        local _, h = S.sosfreqz(sos, { worN = nd.concatenate({ pass, stop }, 0), fs = 2.0 })
        local lost = -20 * nd.log10(nd.abs(h))
        assert.is_true(nd.max(lost[(":%d"):format(pass.size)]) < 1 + 1e-3, ftype)
        assert.is_true(nd.min(lost[("%d:"):format(pass.size)]) > 40 - 0.1, ftype)
      end
    end
  end)
  it("are SciPy's at what was asked for rarely", function()
    local function near(want, got) assert.is_true(nd.allclose(want, got, 1e-9, 1e-12), tostring(got)) end
    local b, a = S.ellip(5, 1.0, 20.0, 0.3) -- its means once changed places for ever
    near({ 0.1139594759569215, -0.1107012605993165, 0.1117700261814517, 0.1117700261814517, -0.1107012605993165,
      0.1139594759569215 }, b)
    near({ 1, -2.843704798207195, 4.311507562578794, -3.6641270805113653, 1.8334381986504455, -0.4070573994325659 }, a)
    local x = nd.array({ 1.0, 3, 2, 5, 4, 7, 1 })
    near({ -0.5, 1, -0.5, -0.6, -0.7, 3.2, -1.9 }, S.detrend(x, { bp = 3 }))
    near({ -0.5, 1, -0.5, -0.6, -0.7, 3.2, -1.9 }, S.detrend(x, { bp = { 0, 3, 7 } }))
    near({ { 0 } }, S.detrend({ { 2.0 } }))
    near({ 0, 0 }, S.get_window("blackman", 2, { fftbins = false }))
    near({ 0, 0.75, 0.75, 0 }, S.get_window("hann", { Nx = 4, fftbins = false }))
    near({ -0.09375, 0.21875, 0.375, 0.375, 0.21875, -0.09375 }, S.savgol_coeffs(6, 2))
    near({ 31, 9, -3, -5, 3 }, 35 * S.savgol_coeffs(5, 2, { pos = 0, use = "dot" }))
    near({ 1, -0.956776632933551, 0.8779917059550716 }, S.chirp({ 0, 0.5, 1.5 }, 1, 2, 3, "hyperbolic"))
    near({ 0, 2.5, 6.25 }, (select(2, S.periodogram(x, { nfft = 4 }))))
    near(S.sawtooth(x, 0.25), S.sawtooth(x, { width = 0.25 }))
    assert.is_true(nd.all(nd.isnan(S.square(x, { duty = 2 }))))
    fails("ValueError", "detrend: bp are places along the axis", S.detrend, x, { bp = 8 })
    fails("ValueError", "chirp: frequencies of a hyperbolic one are not 0", S.chirp, x, 0, 1, 2, "hyperbolic")
    fails("ValueError", "savgol_coeffs: pos is in [0, 5), not 5", S.savgol_coeffs, 5, 2, { pos = 5 })
    fails("ValueError", "savgol_coeffs: use is 'conv' or 'dot', not 'x'", S.savgol_coeffs, 5, 2, { use = "x" })
    fails("ValueError", "peak_prominences: wlen is more than 1, not 1", S.peak_prominences, x, { 1 }, 1)
  end)
  it("refuse arguments that are missing, too many or of other kinds", function()
    local x = nd.arange(9)
    fails("TypeError", "bilinear_zpk: argument 'fs' is missing", S.bilinear_zpk, {}, { -1 }, 1)
    fails("TypeError", "bilinear takes at most 3 arguments, got 4", S.bilinear, { 1 }, { 1, 2 }, 1, 2)
    fails("TypeError", "lp2lp takes at most 3 arguments, got 4", S.lp2lp, { 1 }, { 1, 2 }, 1, 2)
    fails("TypeError", "lp2bs_zpk takes at most 5 arguments, got 6", S.lp2bs_zpk, {}, { -1 }, 1, 1, 1, 1)
    fails("ValueError", "fftconvolve: along axis 0, which is not convolved, there are 2 and 3 elements", S.fftconvolve,
      nd.ones({ 2, 3 }), nd.ones({ 3, 3 }), { axes = 1 })
    fails("ValueError", "fftconvolve: axes has at least one axis", S.oaconvolve, x, x, { axes = {} })
    fails("ValueError", "fftconvolve: for the mode 'valid' one array is at least as long", S.fftconvolve,
      nd.ones({ 2, 5 }), nd.ones({ 3, 3 }), "valid")
    fails("ValueError", "resample_poly: padtype: what goes on is 'constant', 'edge'", S.resample_poly, x, 3, 2,
      { padtype = "lines" })
    fails("ValueError", "upfirdn: what goes on is 'constant', 'edge'", S.upfirdn, { 1 }, x, 3, 2, { mode = "mean" })
    fails("TypeError", "welch: unknown keyword 'boundary'", S.welch, x, { boundary = "zeros" })
    fails("TypeError", "stft: unknown keyword 'average'", S.stft, x, { average = "mean" })
    fails("TypeError", "coherence: unknown keyword 'scaling'", S.coherence, x, x, { scaling = "density" })
    fails("ValueError", "welch: scaling is 'density' or 'spectrum', not 'psd'", S.welch, x, { scaling = "psd" })
    fails("ValueError", "stft: scaling is 'psd' or 'spectrum', not 'density'", S.stft, x, { scaling = "density" })
    fails("ValueError", "zpk2sos: pairing is 'nearest', 'keep_odd' or 'minimal', not 'x'", S.zpk2sos, {}, { 1 }, 1,
      { pairing = "x" })
    fails("ValueError", "zpk2sos: pairing of analog filters is 'minimal', not 'nearest'", S.zpk2sos, {}, { 1 }, 1,
      { pairing = "nearest", analog = true })
    fails("NotImplementedError", "lfilter: zi where a is complex", S.lfilter, { 1 }, { 1, nd.complex(0, 1) }, x,
      { zi = { 1 } })
    fails("ValueError", "medfilt: kernel_size is an odd number, or one for each of 1 axes", S.medfilt, x, { 3, 3 })
    fails("ValueError", "prominence_data is {prominences, left bases, right bases} of 1 peaks", S.peak_widths, x, { 1 },
      { prominence_data = { 1 } })
    fails("ValueError", "cval is for the padtype 'constant', not 'mean'", S.resample_poly, x, 3, 2,
      { padtype = "mean", cval = 1 })
    fails("ValueError", "resample: window is a vector of 9 frequencies", S.resample, x, 3, { window = { 1, 2 } })
    fails("ValueError", "welch: average is 'mean' or 'median', not 'x'", S.welch, x, { average = "x" })
    fails("ValueError", "'angle' or 'phase', not 'x'", S.spectrogram, x, { mode = "x" })
    fails("ValueError", "filtfilt: method is 'pad' or 'gust', not 'x'", S.filtfilt, { 1 }, { 1 }, x, { method = "x" })
    fails("ValueError", "savgol_filter: window_length is at most the length of x", S.savgol_filter, x, 10, 1)
    fails("ValueError", "gausspulse: t is 'cutoff' or times, not 'cut'", S.gausspulse, "cut")
    fails("ValueError", "vectorstrength: periods are more than 0", S.vectorstrength, x, { 1, 0 })
    assert.is_true(nd.allclose(x, S.resample(x, 9, { window = function(f) return 0 * f + 1 end })))
  end)
  it("take a frequency away, and find what goes together", function()
    local b, a = S.iirnotch(50, 30, 1000)
    local _, h = S.freqz(b, a, { worN = { 50.0, 120.0 }, fs = 1000 })
    assert.is_true(nd.abs(h[0]) < 1e-10 and math.abs(nd.abs(h[1]) - 1) < 0.01)
    local x = nd.random.RandomState(4):normal(0, 1, { 512 })
    local _, c = S.coherence(x, 3 * x, { nperseg = 64 })
    assert.is_true(nd.allclose(c, nd.ones(c.size)))
    assert.is_true(nd.allclose(S.czt(x), nd.fft.fft(x), 1e-9, 1e-9))
    local q, rest = S.deconvolve(S.convolve({ 1.0, 2, 3 }, { 1.0, -0.5 }), { 1.0, -0.5 })
    assert.is_true(nd.allclose(q, { 1.0, 2, 3 }) and nd.allclose(rest, nd.zeros(4), 0, 1e-14))
  end)
  it("keep dtypes of what they order, and take nothing", function()
    assert.equal("int8", S.medfilt2d(nd.ones({ 4, 4 }, "int8")).dtype)
    assert.same({ 0, 3 }, S.medfilt2d(nd.zeros({ 0, 3 })).shape)
    assert.same({ 0 }, S.wiener(nd.zeros(0)).shape)
    local r, p, k = S.residue({ 0.0 }, { 1.0, -1.0 })
    assert.same({ 0, 1, 0 }, { r[0], p[0], k.size })
  end)
  it("say what is wrong", function()
    fails("ValueError", "iirnotch: w0 lies between 0 and fs / 2, not at 3.0", S.iirnotch, 3, 10)
    fails("ValueError", "kaiserord: the ripple is at least 8 decibels", S.kaiserord, 4, 0.1)
    fails("ValueError", "buttord: edges lie between 0 and 1, not at 1.5", S.buttord, 0.5, 1.5, 1, 40)
    fails("ValueError", "gpass no more than gstop", S.ellipord, 0.2, 0.3, 40, 1)
    fails("ValueError", "one of the bands lies within the other", S.buttord, { 0.1, 0.4 }, { 0.2, 0.6 }, 1, 40)
    fails("ValueError", "iirfilter: ftype is 'butter'", S.iirfilter, 2, 0.2, { ftype = "round" })
    fails("TypeError", "iirfilter: argument 'rp' is missing", S.iirfilter, 2, 0.2, { ftype = "cheby1", btype = "low" })
    fails("ValueError", "firwin2: freq begins with 0 and ends with half of fs", S.firwin2, 5, { 0, 2 }, { 1, 1 })
    fails("ValueError", "firwin2: freq and gain are vectors of one length, at least 2", S.firwin2, 5, { 0, 1 }, { 1 })
    fails("ValueError", "firwin2: a filter of type 2 has the gain 0 at half of fs", S.firwin2, 4, { 0, 1 }, { 1, 1 })
    fails("ValueError", "firwin2: freq does not fall", S.firwin2, 5, { 0, 0.5, 0.25, 1 }, { 1, 1, 1, 1 })
    fails("ValueError", "firwin2: freq does not fall", S.firwin2, 5, { 0, nd.nan, 1 }, { 1, 1, 1 })
    fails("ValueError", "firwin2: a frequency stands at most twice", S.firwin2, 5, { 0, 0.5, 0.5, 0.5, 1 },
      { 1, 1, 1, 1, 1 })
    fails("ValueError", "firwin2: 0 and half of fs stand once", S.firwin2, 5, { 0, 0, 1 }, { 1, 1, 1 })
    fails("ValueError", "firwin2: nfreqs is more than numtaps, not 5 of 5", S.firwin2, 5, { 0, 1 }, { 1, 1 }, 5)
    fails("ValueError", "freqs: b and a are vectors, not empty", S.freqs, {}, { 1 })
    fails("ValueError", "freqs_zpk: worN is at least 1, not 0", S.freqs_zpk, {}, { -1 }, 1.0, 0)
    assert.same({ 0 }, (S.freqs({ 1 }, { 1, 1 }, nd.zeros(0))).shape)
    fails("ValueError", "firls: numtaps is odd, not 4", S.firls, 4, { 0, 1 }, { 1, 1 })
    fails("ValueError", "firls: 4 edges have as many gains, not 2", S.firls, 5, { 0, 0.2, 0.5, 1 }, { 1, 1 })
    fails("ValueError", "csd: noverlap is less than nperseg", S.csd, vec(9), vec(9), { nperseg = 4, noverlap = 4 })
    fails("ValueError", "lombscargle: x, y and weights are of one length, not 3, 4 and 3", S.lombscargle,
      vec(3), vec(4), vec(2))
    fails("ValueError", "hilbert2: x is real, not complex128", S.hilbert2, mat() * nd.complex(0, 1))
    fails("ValueError", "medfilt2d: kernel_size is an odd number, or two of them", S.medfilt2d, mat(), 4)
    fails("ValueError", "deconvolve: divisor is a vector that is not empty, not of shape (0,)", S.deconvolve, vec(),
      {})
    fails("ValueError", "residue: a is zero", S.residue, { 1 }, { 0 })
    fails("ValueError", "bilinear_zpk: there are no more zeros than poles, not 2 and 1", S.bilinear_zpk, { 1, 2 },
      { 1 }, 1, 1)
    fails("ValueError", "lp2lp: wo is more than 0, not -1.0", S.lp2lp, { 1 }, { 1, 1 }, -1)
    fails("ValueError", "correlate2d: in2 is a matrix, not of shape (4,)", S.correlate2d, mat(), vec())
  end)
end)
