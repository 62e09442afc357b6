--- Gradients of linear algebra, first and second, against finite differences, in float64; of many matrices, of complex
-- ones; finite where values are equal; forward mode and vmap; one factor for a value and its gradient. #asan
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local skip = require("spec.support.skip")
local theano = require("theano")
local T = theano.tensor

local L, N = T.slinalg, T.nlinalg
local MODE = theano.compile.Mode { linker = "interpreter", optimizer = "fast_compile" }
local rng = nd.random.RandomState(1)
local A, B, V = rng:randn(3, 3) + nd.eye(3) * 3, rng:randn(3, 2), rng:randn(3)
local function spd(n)
  local a = rng:randn(n, n)
  return nd.dot(a, a.T) + nd.eye(n) * n
end
local S = spd(3)
local C = rng:randn(3, 3)

-- All results as one scalar that depends on each element in its own way.
local function mixed(...)
  local sum = 0
  for i, x in ipairs({ ... }) do sum = sum + T.sum(T.sin(x) * (i + 0.5)) + T.sum(T.sqr(x)) * 0.25 end
  return sum
end

local function available(f)
  local fine, problem = pcall(f)
  if not fine and tostring(problem):find("OpenBLAS is needed", 1, true) then skip.now("OpenBLAS is needed") end
  assert(fine, problem)
end

local function verify(f, at, room)
  T.verify_grad(f, at, { rng = nd.random.RandomState(7), n_tests = 1, mode = MODE, abs_tol = room, rel_tol = room })
end

local function second(f)
  return function(...)
    local x, sum = { ... }, 0
    for i, g in ipairs(T.grad(T.sum(T.sqr(f(...))) * 0.125, x)) do sum = sum + T.sum(T.sin(g * 0.25)) * (1 + i) end
    return sum
  end
end

local CASES = {
  { "matrix_inverse", N.matrix_inverse, { A } },
  { "matrix_inverse of many", N.matrix_inverse, { rng:randn(2, 3, 3) + nd.eye(3) * 3 } },
  { "det", function(x) return N.det(x * 0.5) end, { A } },
  { "logdet", N.logdet, { A } },
  { "slogdet", function(x) local s, l = N.slogdet(x) return s * l end, { -A } },
  { "solve", L.solve, { A, B } }, { "solve for a vector", L.solve, { A, V } },
  { "solve, transposed", function(a, b) return L.solve(a, b, { trans = 1 }) end, { A, B } },
  { "solve, conjugated", function(a, b) return L.solve(a, b, { trans = "C" }) end, { A, B } },
  { "solve of many and one", L.solve, { nd.stack { A, S }, B } },
  { "solve of one and many", L.solve, { A, rng:randn(2, 3, 1) } },
  { "solve, symmetric", function(a, b) return L.solve(a, b, { assume_a = "sym" }) end, { S, B } },
  { "solve_symmetric, lower", function(a, b) return L.solve_symmetric(a, b, { lower = true }) end, { S, B } },
  { "solve, positive", function(a, b) return L.solve(a, b, { assume_a = "pos", lower = true }) end, { S, B } },
  { "solve, positive, upper", function(a, b) return L.solve(a, b, { assume_a = "pos" }) end, { S, V } },
  { "solve_lower_triangular", L.solve_lower_triangular, { A, B } },
  { "solve_upper_triangular", L.solve_upper_triangular, { A, V } },
  { "solve_triangular with ones", function(a, b)
    return L.solve_triangular(a, b, { trans = 1, lower = true, unit_diagonal = true })
  end, { A, B } },
  { "solve_triangular, turned", function(a, b) return L.solve_triangular(a, b, { trans = 2 }) end, { A, B } },
  { "cholesky", L.cholesky, { S } }, { "cholesky of many", L.cholesky, { nd.stack { S, spd(3) } } },
  { "cholesky, upper", function(x) return L.cholesky(x, { lower = false }) end, { S } },
  { "cho_solve", L.cho_solve, { nd.linalg.cholesky(S), B } },
  { "cho_solve, upper", function(c, b) return L.cho_solve({ c, false }, b) end, { nd.linalg.cholesky(S).T, B } },
  { "cho_solve of what LAPACK leaves", L.cho_solve, { nd.linalg.cholesky(S) + nd.triu(A, 1), B } },
  { "cho_solve, upper, of what LAPACK leaves", function(c, b) return L.cho_solve({ c, false }, b) end,
    { nd.linalg.cholesky(S).T + nd.tril(A, -1), B } },
  { "pinv of a triangle", function(a) return N.pinv(a, { hermitian = true }) end, { S + nd.triu(A, 1) } },
  { "lu_factor", function(a) return (L.lu_factor(a)) end, { C } },
  { "lu", function(a) local _, l, u = L.lu(a) return mixed(l, u) end, { C } },
  { "lu_solve", function(a, b) local lu, p = L.lu_factor(a) return L.lu_solve(lu, p, b) end, { C, B } },
  { "lu_solve, transposed", function(a, b) local lu, p = L.lu_factor(a) return L.lu_solve(lu, p, b, 1) end, { C, B } },
  { "pinv of more rows", N.pinv, { rng:randn(4, 3) } }, { "pinv of more columns", N.pinv, { rng:randn(2, 3) } },
  { "svd of a square, full", function(a) return mixed(N.svd(a)) end, { A } },
  { "qr, complete", function(a) return mixed(N.qr(a, "complete")) end, { rng:randn(2, 3) } },
  { "qr of many", function(a) return mixed(N.qr(a)) end, { rng:randn(2, 3, 2) } },
  { "svd of many", function(a) return mixed(N.svd(a, false)) end, { rng:randn(2, 3, 2) } },
  { "eigh", function(a) return mixed(N.eigh(a)) end, { S } },
  { "eigh, upper", function(a) return mixed(N.eigh(a, "U")) end, { S } },
  { "eigh of many", function(a) return mixed(N.eigh(a)) end, { nd.stack { S, spd(3) } } },
  { "nlinalg.eigvalsh", N.eigvalsh, { S } },
  { "eigvalsh of two", L.eigvalsh, { S, spd(3) } },
  { "eigvalsh of two, upper", function(a, b) return L.eigvalsh(a, b, false) end, { S, spd(3) } },
  { "eig with complex results", function(a)
    local w, v = N.eig(a, { complex = true })
    return mixed(T.real(w), T.imag(w), T.abs(v))
  end, { C } },
  { "expm", L.expm, { rng:randn(3, 3) * 0.5 } }, { "sqrtm", L.sqrtm, { S } }, { "logm", L.logm, { S } },
  { "expm of many", L.expm, { rng:randn(2, 2, 2) * 0.5 } },
  { "lstsq of more rows", function(a, b) return (N.lstsq(a, b)) end, { rng:randn(5, 3), rng:randn(5, 2) } },
  { "lstsq of more columns", function(a, b) return (N.lstsq(a, b)) end, { rng:randn(2, 3), rng:randn(2) } },
  { "lstsq: what is left", function(a, b) return (select(2, N.lstsq(a, b))) end, { rng:randn(5, 3), rng:randn(5, 2) } },
  { "cond", N.cond, { A } }, { "cond 1", function(x) return N.cond(x, 1) end, { A } },
  { "tensorsolve", N.tensorsolve, { rng:randn(2, 2, 4), rng:randn(2, 2) } },
  { "tensorinv", function(x) return N.tensorinv(x, 1) end, { rng:randn(4, 2, 2) } },
  { "matrix_power", function(x) return N.matrix_power(x, -3) end, { A } },
  { "block_diag", function(x, y) return T.sqr(L.block_diag(x, y)) end, { A, B } },
  { "multi_dot", N.multi_dot, { A, B, B.T } },
}
for _, shape in ipairs { { 4, 3 }, { 3, 3 }, { 2, 4 } } do
  local at, name = rng:randn(table.unpack(shape)), shape[1] .. "x" .. shape[2]
  CASES[#CASES + 1] = { "qr of " .. name, function(a) return mixed(N.qr(a)) end, { at } }
  CASES[#CASES + 1] = { "qr of " .. name .. ", r", function(a) return N.qr(a, "r") end, { at } }
  CASES[#CASES + 1] = { "svd of " .. name, function(a) return mixed(N.svd(a, false)) end, { at } }
  CASES[#CASES + 1] = { "singular values of " .. name, function(a) return N.svd(a, true, false) end, { at } }
end
for _, ord in ipairs { "fro", "nuc", "inf", "-inf", 1, -1, 2, -2 } do
  CASES[#CASES + 1] = { "norm " .. ord, function(x) return N.norm(x, ord) end, { rng:randn(3, 4) } }
end
for _, ord in ipairs { "inf", 1, 2, 3, -2.5 } do
  CASES[#CASES + 1] = { "norm of a vector " .. ord, function(x) return N.norm(x, ord) end, { rng:randn(4) } }
end

for _, case in ipairs(CASES) do
  local name, f, at = table.unpack(case)
  it(name .. ": gradients and second gradients are those of finite differences", function()
    available(function()
      verify(f, at)
      verify(second(f), at, 1e-3)
    end)
  end)
end

it("eigenvectors of real eigenvalues have gradients of first and second order", function()
  local real = nd.dot(nd.dot(A, nd.diag(nd.array { 1.0, 2.5, 4.0 })), nd.linalg.inv(A))
  local function f(a) return mixed(N.eig(a)) end
  verify(f, { real })
  verify(second(f), { real }, 1e-3)
end)

-- ---- complex matrices -----------------------------------------------------------------------------------------------
describe("complex matrices", function()
  -- f of re + i im, both variables: real gradients of a real cost.
  local function check(f, n, hermitian)
    local re, im = rng:randn(table.unpack(n)), rng:randn(table.unpack(n))
    if hermitian then re = nd.dot(re, re.T) + nd.eye(n[1]) * 4 end
    local function cost(x, y)
      if hermitian then y = y - y.T end -- no imaginary part on the diagonal
      local z = T.cast(x, "complex128") + T.cast(y, "complex128") * T.constant(nd.complex(0, 1))
      return T.sum(T.sqr(f(z)) * 0.25) + T.sum(T.sin(f(z)))
    end
    available(function() verify(cost, { re, im }) end)
  end
  local function parts(z) return T.real(z) + 2 * T.imag(z) end
  local big = T.constant(nd.eye(3) * 4)

  it("have gradients through solutions and inverses", function()
    check(function(z) return parts(N.matrix_inverse(z + big)) end, { 3, 3 })
    check(function(z) return parts(L.solve(z + big, T.constant(B))) end, { 3, 3 })
    for trans = 0, 2 do
      check(function(z) return parts(L.solve(z + big, z["..., 0:2"], { trans = trans })) end, { 3, 3 })
    end
    check(function(z)
      return parts(L.solve_triangular(z + big, T.constant(B), { trans = 2, lower = true }))
    end, { 3, 3 })
    check(function(z) return parts(L.solve_triangular(z + big, T.constant(B), { trans = 1 })) end, { 3, 3 })
    check(function(z) return parts(N.pinv(z)) end, { 3, 2 })
  end)

  it("have gradients through determinants", function()
    check(function(z) return parts(N.det((z + big) * 0.3)) end, { 3, 3 })
    check(function(z) local s, l = N.slogdet(z) return parts(s) * l end, { 3, 3 })
  end)

  it("have gradients through factors that no phase changes", function()
    check(function(z) return parts(L.cholesky(z)) end, { 3, 3 }, true)
    check(function(z) return parts(L.cholesky(z, false)) end, { 3, 3 }, true)
    check(function(z) return parts(L.solve(z, T.constant(B), { assume_a = "her" })) end, { 3, 3 }, true)
    check(function(z) local w, v = N.eigh(z) return T.sum(T.abs(v) * w) end, { 3, 3 }, true)
    check(function(z) local q, r = N.qr(z) return parts(q) + parts(r) end, { 3, 3 })
    check(function(z) local u, s, vt = N.svd(z, false) return T.sum(parts(T.dot(u, vt))) + s:sum() end, { 3, 3 })
    check(function(z) local u, s = N.svd(z, false) return T.abs(u):sum() * T.sqr(s):sum() * 0.1 end, { 3, 2 })
    check(function(z) local w, v = N.eig(z) return T.sum(parts(w)) + T.sum(T.abs(v)) end, { 3, 3 })
    check(function(z) return parts(L.lu_factor(z)) end, { 3, 3 })
    check(function(z) return parts(L.expm(z * 0.5)) end, { 2, 2 })
    check(function(z) return N.norm(z, "nuc") + N.norm(z) + N.norm(z, 1) end, { 3, 2 })
  end)
end)

-- ---- equal values ---------------------------------------------------------------------------------------------------
describe("equal values", function()
  local x = T.dmatrix("x")
  local function gradients(cost)
    local g = T.grad(cost, x)
    return theano.compile { mode = MODE, inputs = { x }, outputs = { g, T.grad(T.sum(T.sqr(g)), x) } }
  end
  local function finite(a) return nd.all(nd.lt(nd.abs(a), math.huge)) end

  it("of eigh leave gradients finite, of any order, and right where the basis does not matter", function()
    local w, v = N.eigh(x)
    local g, gg = gradients(T.sum(v * w))(nd.eye(3) * 2)
    assert.is_true(finite(g) and finite(gg))
    -- the trace of exp through eigenvalues depends on no basis: its derivative at 2 I is exp(2) times the identity
    g = theano.compile { mode = MODE, inputs = { x }, outputs = T.grad(T.sum(T.exp(w)), x) }(nd.eye(3) * 2)
    assert.is_true(nd.allclose(g, nd.eye(3) * math.exp(2)))
  end)

  it("of svd leave gradients finite, of any order, zeros among them", function()
    local u, s, vt = N.svd(x, false)
    for _, a in ipairs { nd.eye(3), nd.zeros({ 3, 3 }), nd.ones({ 3, 2 }) } do
      local g, gg = gradients(T.sum(T.dot(u * s, vt) + T.sum(s)))(a)
      assert.is_true(finite(g) and finite(gg))
    end
  end)
end)

-- ---- forward mode, vmap, sharing ------------------------------------------------------------------------------------
describe("other modes of derivatives", function()
  local x, e = T.dmatrix("x"), T.dmatrix("e")
  local FUNCTIONS = {
    inverse = N.matrix_inverse, det = N.det, cholesky = L.cholesky, expm = L.expm, logdet = N.logdet, pinv = N.pinv,
    qr = function(a) return mixed(N.qr(a)) end, svd = function(a) return mixed(N.svd(a, false)) end,
    eigh = function(a) return mixed(N.eigh(a)) end, lu = function(a) return (L.lu_factor(a)) end,
    solve = function(a) return L.solve(a, T.constant(B)) end, norm = function(a) return N.norm(a, 2) end,
    cond = N.cond, rank = N.matrix_rank,
    hint = function(a) return L.solve(L.hint(a, { psd = true }), T.constant(B)) end,
  }

  for name, f in pairs(FUNCTIONS) do
    if name ~= "rank" then
      it(name .. ": Rop is a difference along its direction", function()
        available(function()
          local y = f(x)
          local forward = theano.compile { mode = MODE, inputs = { x, e }, outputs = T.Rop(y, x, e) }
          local value = theano.compile { mode = MODE, inputs = { x }, outputs = y }
          local d = rng:randn(3, 3)
          d = d + d.T
          local h = 1e-5
          local want = (nd.asarray(value(S + d * h)) - nd.asarray(value(S - d * h))) / (2 * h)
          assert.is_true(nd.allclose(forward(S, d), want, 1e-5, 1e-6))
        end)
      end)
    end
    it(name .. ": vmap is each by itself, and so are gradients", function()
      available(function()
        local many = T.dtensor3("many")
        local function sum(a) return T.sum(f(a)) end
        local whole = { theano.gradient.vmap(sum)(many) }
        if name ~= "rank" then whole[2] = theano.gradient.vmap(function(a) return T.grad(sum(a), a) end)(many) end
        local one = { sum(x), name ~= "rank" and T.grad(sum(x), x) or nil }
        local fm = theano.compile { mode = MODE, inputs = { many }, outputs = whole }
        local fo = theano.compile { mode = MODE, inputs = { x }, outputs = one }
        local stack = nd.stack { S, spd(3) }
        local got = table.pack(fm(stack))
        for i = 0, 1 do
          local want = table.pack(fo(stack[i]))
          for k = 1, #want do assert.is_true(nd.allclose(nd.asarray(got[k])[i], want[k], 1e-8, 1e-10)) end
        end
      end)
    end)
  end
end)

describe("what has no gradient", function()
  it("says so", function()
    local x = T.dmatrix("x")
    local q = N.qr(x, "raw")
    raises("NullTypeGradError", "mode 'raw'", function() local _ = T.grad(T.sum(q), x) end)
    local u = N.svd(x)
    local f = theano.compile { mode = MODE, inputs = { x }, outputs = T.grad(T.sum(T.sqr(u) * u), x) }
    raises("ValueError", "full_matrices = false", function() local _ = f(rng:randn(3, 2)) end)
    q = N.qr(x, "complete")
    f = theano.compile { mode = MODE, inputs = { x }, outputs = T.grad(T.sum(q), x) }
    raises("ValueError", "take 'reduced'", function() local _ = f(rng:randn(3, 2)) end)
    local _, _, upper = L.lu(T.specify_shape(x, { 2, 3 }))
    raises("ValueError", "square matrices alone, not of 2 x 3", function() local _ = T.grad(T.sum(upper), x) end)
  end)
end)
