--- The algorithms of linear algebra: what they make, put together again, is the matrix, for every dtype and size, by
-- LAPACK and without it; batches on lanes do as single matrices do; NaN, singular and badly scaled matrices. What each
-- function returns beside NumPy is in spec/linalg_spec.lua. #asan
local cpu = require("spec.support.cpu")
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")
local T = theano.tensor

local la, nl = T.slinalg, T.nlinalg
local EPS = { float32 = 1.2e-7, float64 = 2.3e-16, complex64 = 1.2e-7, complex128 = 2.3e-16 }
local INTERPRETER = theano.compile.Mode { linker = "interpreter" }

local function with_flag(name, value, f)
  local old = theano.config[name]
  theano.config[name] = value
  local ok, problem = pcall(f)
  theano.config[name] = old
  if not ok then error(problem, 0) end
end

local function each_library(f)
  for _, library in ipairs({ "own", "lapack", "auto" }) do
    with_flag("linalg.library", library, function() f(library) end)
  end
end

local function random(rng, dtype, ...)
  local x = rng:randn(...)
  if dtype:find("complex") then x = x + rng:randn(...) * nd.complex(0, 1) end
  return x:astype(dtype)
end

local function variable(dtype, ndim)
  local pattern = {}
  for d = 1, ndim do pattern[d] = false end
  return T.TensorType(dtype, pattern)()
end

local function most(x) return nd.asarray(nd.max(nd.abs(nd.asarray(x):reshape({ -1 })))):item() end
local function all(t) return #t == 1 and type(t[1]) == "table" and t[1] or t end
local function adjoint(x) return T.conj(x).T end

-- Pairs {name, what should be zero} of a square matrix a, right sides b, v and a positive definite s.
local function solutions(a, b, v, s, n)
  local list = {}
  local function zero(name, x) list[#list + 1] = { name, x } end
  local l, u = la.cholesky(s), la.cholesky(s, { lower = false })
  zero("cholesky", T.dot(l, adjoint(l)) - s)
  zero("upper cholesky", T.dot(adjoint(u), u) - s)
  zero("cho_solve", T.dot(s, la.cho_solve(l, b)) - b)
  zero("cho_solve of an upper factor", T.dot(s, la.cho_solve(u, b, false)) - b)
  for trans = 0, 2 do
    local function op(x) return trans == 0 and x or trans == 1 and x.T or adjoint(x) end
    zero("solve " .. trans, T.dot(op(a), la.solve(a, b, { trans = trans })) - b)
    zero("solve of a vector " .. trans, T.dot(op(a), la.solve(a, v, { trans = trans })) - v)
    for _, assume in ipairs({ "her", "pos" }) do
      for _, lower in ipairs({ true, false }) do
        local kind = { trans = trans, assume_a = assume, lower = lower }
        zero(assume .. trans, T.dot(op(s), la.solve(s, b, kind)) - b)
      end
    end
    local sym = a + a.T
    zero("sym" .. trans, T.dot(op(sym), la.solve(sym, b, { trans = trans, assume_a = "sym" })) - b)
    zero("lower " .. trans, T.dot(op(l), la.solve_triangular(l, b, { trans = trans, lower = true })) - b)
    zero("upper " .. trans, T.dot(op(u), la.solve_triangular(u, v, { trans = trans })) - v)
    local lu, at = la.lu_factor(a)
    zero("lu_solve " .. trans, T.dot(op(a), la.lu_solve(lu, at, b, trans)) - b)
  end
  zero("inverse", T.dot(nl.matrix_inverse(a), a) - T.eye(n))
  local sign, log = nl.slogdet(s)
  zero("slogdet", log - 2 * T.sum(T.log(T.real(T.diag(l)))))
  zero("its sign", sign - 1)
  zero("det", nl.det(a / n ^ 0.5) * nl.det(nl.matrix_inverse(a / n ^ 0.5)) - 1)
  return list
end

local function decompositions(a, b, s, n)
  local list = {}
  local function zero(name, x) list[#list + 1] = { name, x } end
  local q, r = nl.qr(a)
  zero("qr", T.dot(q, r) - a)
  local tall = T.join(0, a, a[":" .. (n + 1) // 2])
  q, r = nl.qr(tall)
  zero("qr of a tall matrix", T.dot(q, r) - tall)
  q, r = nl.qr(tall, "complete")
  zero("complete qr", T.dot(q, r) - tall)
  zero("its q", T.dot(adjoint(q), q) - T.eye(n + (n + 1) // 2))
  q, r = nl.qr(tall.T)
  zero("qr of a wide matrix", T.dot(q, r) - tall.T)
  for name, x in pairs({ square = a, tall = tall, wide = tall.T }) do
    local u, w, vt = nl.svd(x, false)
    zero("svd, " .. name, T.dot(u * w, vt) - x)
    zero("its values, " .. name, w - nl.svd(x, { compute_uv = false }))
    u = nl.svd(x)
    zero("its u, " .. name, T.dot(adjoint(u), u) - T.eye(u.shape[0]))
    zero("pinv, " .. name, T.dot(x, T.dot(nl.pinv(x), x)) - x)
  end
  zero("Hermitian pinv", T.dot(s, T.dot(nl.pinv(s, { hermitian = true }), s)) - s)
  for _, uplo in ipairs({ "L", "U" }) do
    local w, v = nl.eigh(s, uplo)
    zero("eigh " .. uplo, T.dot(v * w, adjoint(v)) - s)
    zero("its values", w - la.eigvalsh(s, { lower = uplo == "L" }))
    zero("eigvalsh of two", la.eigvalsh(s * 2, s, uplo == "L") - 2)
  end
  local w, v = nl.eig(a, true)
  zero("eig", T.dot(a, v) - v * w)
  zero("the lengths of its vectors", T.sum(T.abs(v) ^ 2, { axis = 0 }) - 1)
  local small = a / (4 * n)
  local e = la.expm(small)
  zero("expm", T.dot(e, la.expm(-small)) - T.eye(n))
  zero("logm", la.logm(e) - small)
  local root = la.sqrtm(e)
  zero("sqrtm", T.dot(root, root) - e)
  local x, left = nl.lstsq(tall, T.join(0, b, b[":" .. (n + 1) // 2]), -1)
  local rest = T.dot(tall, x) - T.join(0, b, b[":" .. (n + 1) // 2])
  zero("lstsq", T.dot(adjoint(tall), rest))
  zero("what it leaves", T.sum(T.abs(rest) ^ 2, { axis = 0 }) - left)
  return list
end

local function check(list, inputs, values, tolerance, what)
  local out = {}
  for i, pair in ipairs(list) do out[i] = T.max(T.abs(pair[2])) end
  local got = all({ theano.compile { inputs = inputs, outputs = out, on_unused_input = "ignore", mode = INTERPRETER }(
    table.unpack(values)) })
  for i, pair in ipairs(list) do
    local off = nd.asarray(got[i]):item()
    assert(off <= tolerance, ("%s, %s: %g above %g"):format(pair[1], what, off, tolerance))
  end
end

describe("what is computed of a matrix fits it again", function()
  for _, dtype in ipairs({ "float32", "float64", "complex64", "complex128" }) do
    it("in " .. dtype, function()
      local rng = nd.random.RandomState(1)
      for _, n in ipairs({ 1, 2, 5, 16, 17, 33 }) do
        local a, b, v = variable(dtype, 2), variable(dtype, 2), variable(dtype, 1)
        local s = T.dot(a, adjoint(a)) + n * T.eye(n)
        local values = { random(rng, dtype, n, n) + nd.eye(n):astype(dtype) * 2, random(rng, dtype, n, 3),
          random(rng, dtype, n) }
        each_library(function(library)
          local what = ("%s of %d rows, %s"):format(dtype, n, library)
          check(solutions(a, b, v, s, n), { a, b, v }, values, 2000 * n * EPS[dtype], what)
          check(decompositions(a, b, s, n), { a, b, v }, values, 2000 * n * EPS[dtype], what)
        end)
      end
    end)
  end

  it("by blocks, without a library", function()
    with_flag("linalg.library", "own", function()
      local rng = nd.random.RandomState(2)
      for _, dtype in ipairs({ "float64", "complex128" }) do
        for _, n in ipairs({ 97, 150 }) do
          local a, b, v = variable(dtype, 2), variable(dtype, 2), variable(dtype, 1)
          local s = T.dot(a, adjoint(a)) + n * T.eye(n)
          local values = { random(rng, dtype, n, n), random(rng, dtype, n, 70), random(rng, dtype, n) }
          check(solutions(a, b, v, s, n), { a, b, v }, values, 1e5 * n * EPS[dtype], dtype .. " " .. n)
        end
      end
    end)
  end)

  it("where it is nearly singular: errors are those of rounding the matrix", function()
    local n = 10
    local i = nd.arange(n)
    local hilbert = 1 / (i:reshape({ n, 1 }) + i + 1)
    each_library(function(library)
      for _, scale in ipairs({ 1, 1e150, 1e-150 }) do
        local m = hilbert * scale
        local l = la.cholesky(m + nd.eye(n) * (1e-13 * scale)):eval()
        assert(most(l:dot(l.T) - m) <= 2e-13 * scale, library .. ": cholesky")
        local u, s, vt = nd.linalg.svd(m)
        assert(most((u * s):dot(vt) - m) <= 50 * 2.3e-16 * scale, library .. ": svd")
        assert(most(u.T:dot(u) - nd.eye(n)) <= 1e-14)
        local w, v = nd.linalg.eigh(m)
        assert(most((v * w):dot(v.T) - m) <= 50 * 2.3e-16 * scale, library .. ": eigh")
        local q, r = nd.linalg.qr(m)
        assert(most(q:dot(r) - m) <= 50 * 2.3e-16 * scale, library .. ": qr")
        local values, vectors = nd.linalg.eig(m)
        assert(most(m:dot(vectors) - vectors * values) <= 50 * 2.3e-16 * scale, library .. ": eig")
        local x = nd.linalg.solve(m, nd.ones({ n }) * scale)
        assert(most(m:dot(x) - nd.ones({ n }) * scale) <= 1e-15 * scale * most(x) * n, library .. ": solve")
      end
    end)
  end)

  it("that is real and has an eigenvalue many times: each is real or has its image", function()
    each_library(function(library)
      for n = 2, 12 do
        local zeros = nd.roots(nd.poly(nd.ones(n))):astype("complex128"):tolist()
        for i, z in ipairs(zeros) do
          local images = 0
          for j, other in ipairs(zeros) do
            if j ~= i and other.real == z.real and other.imag == -z.imag then images = images + 1 end
          end
          assert(z.imag == 0 or images > 0, ("%s: %d times: %s"):format(library, n, tostring(z)))
        end
      end
      local w, v = nd.linalg.eig { { 3.0, 3, 1 }, { -1, 0, 0 }, { 0, -1, 0 } }
      assert(most(nd.array({ { 3.0, 3, 1 }, { -1, 0, 0 }, { 0, -1, 0 } }):dot(v) - v * w) <= 1e-7, library)
    end)
  end)

  it("whose columns and rows differ by hundreds of places", function()
    local rng = nd.random.RandomState(6)
    each_library(function(library)
      for _, small in ipairs({ 1e-150, 1e-161, 1e-300, 5e-324 }) do
        local m = rng:randn(6, 6)
        m["1:3"] = m["1:3"] * small
        m[":, 4"] = m[":, 4"] * small
        local u, s, vt = nd.linalg.svd(m)
        assert(most((u * s):dot(vt) - m) <= 1e-14, library .. ": svd")
        assert(most(u.T:dot(u) - nd.eye(6)) <= 1e-14, library .. ": u")
        local w, v = nd.linalg.eig(m)
        if library == "own" then assert(most(m:dot(v) - v * w) <= 1e-14, "eig") end -- LAPACK's balancing loses some
        w, v = nd.linalg.eigh(m)
        assert(most((v * w):dot(v.T) - nd.tril(m) - nd.tril(m, -1).T) <= 1e-14, library .. ": eigh")
      end
    end)
  end)

  it("of low rank", function()
    local rng = nd.random.RandomState(3)
    local m = rng:randn(7, 2):dot(rng:randn(2, 5))
    each_library(function(library)
      local u, s, vt = nd.linalg.svd(m)
      assert(most(u.T:dot(u) - nd.eye(7)) < 1e-14 and most(vt:dot(vt.T) - nd.eye(5)) < 1e-14, library)
      assert(most(s["2:"]) < 1e-14 and most((u[":, :2"] * s[":2"]):dot(vt[":2"]) - m) < 1e-14, library)
      u, s = nd.linalg.svd(nd.zeros({ 4, 3 }))
      assert(most(u.T:dot(u) - nd.eye(4)) < 1e-15 and most(s) == 0, library)
      local x, left, rank = nd.linalg.lstsq(m, nd.ones({ 7 }))
      assert.equal(2, nd.asarray(rank):item())
      assert.equal(0, left.size)
      assert(most(x - nd.linalg.pinv(m):dot(nd.ones({ 7 }))) < 1e-13, library)
    end)
  end)
end)

-- Functions of a batch of matrices x and right sides b.
local function batched(x, b)
  return {
    la.cholesky(x), la.cholesky(x, { lower = false }), la.solve(x, b), la.solve(x, b, { trans = 1 }),
    la.solve(x, b, { assume_a = "pos", lower = true }), la.solve(x, b, { assume_a = "pos" }),
    la.solve(x, b, { assume_a = "sym" }), la.solve_triangular(x, b), la.solve_triangular(x, b, { trans = 1 }),
    la.solve_triangular(x, b, { lower = true, trans = 2 }),
    la.solve_triangular(x, b, { lower = true, unit_diagonal = true }),
    la.cho_solve(x, b), la.cho_solve(x, b, false), nl.matrix_inverse(x), nl.det(x), (nl.slogdet(x)),
    (select(2, la.lu_factor(x))),
  }
end

describe("a batch", function()
  local rng = nd.random.RandomState(4)

  for _, dtype in ipairs({ "float32", "float64", "complex128" }) do
    it("of small matrices gives what each of them gives, however it lies in memory, in " .. dtype, function()
      for _, n in ipairs({ 1, 3, 8, 16, 17 }) do
        local count = 19
        local x = random(rng, dtype, count, n, n)
        x = nd.matmul(x, x:conj():transpose(0, 2, 1)) + (nd.eye(n) * n):astype(dtype)
        local b = random(rng, dtype, count, n, 3)
        local many, sides = variable(dtype, 3), variable(dtype, 3)
        local one, side = variable(dtype, 2), variable(dtype, 2)
        local f = theano.compile { inputs = { many, sides }, outputs = batched(many, sides), mode = INTERPRETER }
        local g = theano.compile { inputs = { one, side }, outputs = batched(one, side), mode = INTERPRETER }
        local layouts = {
          dense = { x, b },
          turned = { x:transpose(0, 2, 1):copy():transpose(0, 2, 1), b },
          strided = { nd.concatenate({ x, x }, 2)[":, :, :" .. n], nd.concatenate({ b, b }, 1)[":, :" .. n] },
          backwards = { x["::-1"]:copy()["::-1"], b[":, :, ::-1"]:copy()[":, :, ::-1"] },
        }
        for name, at in pairs(layouts) do
          local got = all({ f(at[1], at[2]) })
          for i = 0, count - 1 do
            local want = all({ g(x[i], b[i]) })
            for k = 1, #want do
              local off = most(nd.asarray(got[k][i]) - nd.asarray(want[k]))
              assert(off <= 500 * n * EPS[dtype] * (most(want[k]) + 1),
                ("function %d of matrix %d, %d rows, %s: off by %g"):format(k, i, n, name, off))
            end
          end
        end
      end
    end)
  end

  it("of any rank is broadcast where the type promises a length of 1", function()
    local x, b = random(rng, "float64", 2, 1, 4, 4), random(rng, "float64", 5, 4, 2)
    local m, v = T.TensorType("float64", { false, true, false, false })(), variable("float64", 3)
    local got = theano.compile { inputs = { m, v }, outputs = la.solve(m, v) }(x, b)
    assert.same({ 2, 5, 4, 2 }, got.shape)
    for i = 0, 1 do
      for k = 0, 4 do assert(most(x[{ i, 0 }]:dot(got[{ i, k }]) - b[k]) < 1e-12) end
    end
  end)

  it("of no matrices, and of matrices without elements, is nothing or what nothing gives", function()
    assert.same({ 0, 3, 3 }, nd.linalg.cholesky(nd.zeros({ 0, 3, 3 })).shape)
    assert.same({ 2, 0, 0 }, nd.linalg.inv(nd.zeros({ 2, 0, 0 })).shape)
    assert.same({ 1.0, 1.0 }, nd.linalg.det(nd.zeros({ 2, 0, 0 })):tolist())
    local u, s, vt = nd.linalg.svd(nd.zeros({ 0, 3 }))
    assert.same({ { 0, 0 }, { 0 }, { 3, 3 } }, { u.shape, s.shape, vt.shape })
    assert.same(nd.eye(3):tolist(), vt:tolist())
  end)

  it("fails by the number of the matrix, or gives NaN for that matrix alone", function()
    for _, n in ipairs({ 3, 20 }) do
      local x = nd.zeros({ 20, n, n }) + nd.eye(n) * 4
      x[11] = 0
      local m = variable("float64", 3)
      for name, ops in pairs({
        ["Singular matrix"] = { la.solve(m, m), nl.matrix_inverse(m) },
        ["1-th leading minor of the array is not positive definite"] = { la.cholesky(m) },
      }) do
        for _, op in ipairs(ops) do
          local f = theano.compile { inputs = { m }, outputs = op, mode = INTERPRETER }
          raises("LinAlgError", { name, "(matrix 11 of a batch of 20)" }, function() f(x) end)
        end
      end
      local got = theano.compile { inputs = { m }, outputs = la.cholesky(m, { on_error = "nan" }) }(x)
      assert.equal(n * n, nd.sum(nd.isnan(got)))
      assert.equal(n * n, nd.sum(nd.isnan(got[11])))
      assert.same((nd.eye(n) * 2):tolist(), got[12]:tolist())
    end
  end)
end)

describe("NaN and infinities", function()
  local nan = 0 / 0
  for _, n in ipairs({ 2, 40 }) do
    it(("among %d rows: NaN or LinAlgError, as NumPy does, and no hang"):format(n), function()
      each_library(function()
        for _, bad in ipairs({ nan, math.huge }) do
          local m = nd.eye(n) + 1
          m[{ 1, 0 }] = bad
          local g = nd.linalg
          for _, f in ipairs({ g.inv, g.det }) do f(m) end
          g.qr(m)
          assert.is_true(nd.any(nd.isnan(g.eigvalsh(m))))
          assert.is_true(nd.all(nd.isnan(la.expm(m):eval())))
          assert.is_true(nd.all(nd.isnan(la.sqrtm(m):eval())))
          assert.is_true(nd.all(nd.isnan(la.logm(m):eval())))
          raises("LinAlgError", "SVD did not converge", function() g.svd(m) end)
          raises("LinAlgError", "SVD did not converge", function() g.pinv(m) end)
          raises("LinAlgError", "Array must not contain infs or NaNs", function() g.eig(m) end)
          raises("LinAlgError", "SVD did not converge in Linear Least Squares",
            function() g.lstsq(m, nd.ones({ n })) end)
          raises("LinAlgError", "SVD did not converge in Linear Least Squares",
            function() g.lstsq(nd.eye(n), nd.ones({ n }) * bad) end)
        end
      end)
    end)
  end
end)

describe("what has no answer", function()
  it("of the dtype that was asked for is a LinAlgError", function()
    local turn = nd.array({ { 0.0, 1.0 }, { -1.0, 0.0 } })
    each_library(function()
      raises("LinAlgError", "an eigenvalue is not real: ask for complex results", function() nl.eig(turn)[1]:eval() end)
      raises("LinAlgError", "the result is not real: give a complex matrix", function() la.sqrtm(-nd.eye(3)):eval() end)
      raises("LinAlgError", "the result is not real", function() la.logm(-nd.eye(3)):eval() end)
      local root = la.sqrtm((-nd.eye(3)):astype("complex128")):eval()
      assert(most(root:dot(root) + nd.eye(3)) < 1e-15)
      raises("LinAlgError", "Singular matrix", function() la.logm(nd.zeros({ 2, 2 })):eval() end)
      raises("LinAlgError", "2-th leading minor of the second array is not positive definite",
        function() la.eigvalsh(nd.eye(3), nd.array({ { 1.0, 0, 0 }, { 0, -1.0, 0 }, { 0, 0, 1.0 } })):eval() end)
    end)
  end)

  it("leaves shared variables as they were", function()
    local s = theano.shared(nd.ones({ 2, 2 }))
    local m = T.dmatrix("m")
    local f = theano.compile { inputs = { m }, outputs = nl.matrix_inverse(m), updates = { { s, s + 1 } } }
    raises("LinAlgError", "Singular matrix", function() f(nd.ones({ 2, 2 })) end)
    assert.same({ { 1.0, 1.0 }, { 1.0, 1.0 } }, s:get_value():tolist())
    f(nd.eye(2))
    assert.same({ { 2.0, 2.0 }, { 2.0, 2.0 } }, s:get_value():tolist())
  end)

  it("is found for positions that are none", function()
    local lu, at, b = T.dmatrix(), T.ivector(), T.dmatrix()
    local f = theano.compile { inputs = { lu, at, b }, outputs = la.lu_solve(lu, at, b), mode = INTERPRETER }
    for _, n in ipairs({ 3, 30 }) do
      for _, bad in ipairs({ -1, n, 1 << 30 }) do
        local positions = nd.arange(n):astype("int32")
        positions[1] = bad
        raises("LinAlgError", "positions of exchanged rows must be within the matrix",
          function() f(nd.eye(n), positions, nd.ones({ n, 2 })) end)
      end
    end
  end)
end)

it("runs in the interpreter with the same bits", function()
  cpu.only("the bits of the CPU's two executors")
  local m = T.dmatrix("m")
  local outputs = { nl.matrix_inverse(m), la.cholesky(m), nl.svd(m, { compute_uv = false }), la.expm(m) }
  local rng = nd.random.RandomState(5)
  local x = rng:randn(12, 12)
  x = x:dot(x.T) + nd.eye(12)
  local a = all({ theano.compile { inputs = { m }, outputs = outputs }(x) })
  local b = all({ theano.compile { inputs = { m }, outputs = outputs, mode = INTERPRETER }(x) })
  for i = 1, #outputs do assert.is_true(nd.array_equal(a[i], b[i])) end
end)
