--- Linear algebra and Fourier transforms on a device (the emulated driver): the CPU's numbers and the CPU's errors.
local DEVICE = require("spec.support.device").flags.device
local nd = require("theano.ndarray")
local rotate = require("spec.support.rotate")
local skip = require("spec.support.skip")
local theano = require("theano")
local T = require("theano.tensor")

local N, S = T.nlinalg, T.slinalg

-- Results of the graph on one device; functions have arguments of their own.
local function results(device, inputs, outputs, values)
  local _ <close> = theano.config.change_flags { device = device }
  local f = theano.compile({ inputs = inputs, outputs = outputs })
  return f(table.unpack(values))
end

local function same(inputs, outputs, values, tolerance)
  local names, list = {}, {}
  for name in pairs(outputs) do names[#names + 1] = name end
  table.sort(names)
  for i, name in ipairs(names) do list[i] = outputs[name] end
  local want = table.pack(results("cpu", inputs, list, values))
  local got = table.pack(results(DEVICE, inputs, list, values))
  for i, name in ipairs(names) do
    local a, b = nd.asarray(got[i]), nd.asarray(want[i])
    assert.equal(tostring(b.dtype), tostring(a.dtype), name)
    assert.same(b.shape, a.shape, name)
    assert(nd.allclose(a, b, tolerance, tolerance, { equal_nan = true }),
      ("%s:\n%s\n%s"):format(name, tostring(a), tostring(b)))
  end
end

local function numbers(rng, dtype, ...)
  local x = rng:randn(...)
  if dtype:find("complex") then x = x + rng:randn(...) * nd.complex(0, 1) end
  return x:astype(dtype)
end

describe("linear algebra on a device", function()
  if theano.config.cxx == "" then
    it("needs a compiler", function() skip.now("there is no C compiler") end)
    return
  end

  local dtypes = { { "float32", 2e-3 }, { "float64", 1e-9 }, { "complex64", 2e-3 }, { "complex128", 1e-9 } }
  for _, case in ipairs(rotate.some(dtypes, 2)) do
    local dtype, tolerance = table.unpack(case)

    it("has the CPU's factors, solutions and functions, " .. dtype, function()
      local rng = nd.random.RandomState(5)
      local n = 6
      local a, b, w = numbers(rng, dtype, n, n), numbers(rng, dtype, n, 3), numbers(rng, dtype, n, 4)
      local positive = (nd.dot(a, nd.conj(nd.transpose(a))) + nd.eye(n):astype(dtype) * 3):astype(dtype)
      local x, p, y, z = T.TensorType(dtype, { false, false })("x"), T.TensorType(dtype, { false, false })("p"),
        T.TensorType(dtype, { false, false })("y"), T.TensorType(dtype, { false, false })("z")
      local l, u = S.cholesky(p), S.cholesky(p, false)
      local lu, at = S.lu_factor(x)
      local q, r = N.qr(z)
      local q2, r2 = N.qr(z.T, "complete")
      local us, s, vt = N.svd(z, false)
      local uf, sf, vf = N.svd(z.T)
      local ew, ev = N.eigh(p)
      local gw, gv = N.eig(x, true)
      local sign, log = N.slogdet(x)
      local out = { l = l, u = u, lu = lu, at = at, inverse = N.inv(x), det = N.det(x), sign = sign, log = log,
        solve = S.solve(x, y), pos = S.solve(p, y, { assume_a = "pos" }), her = S.solve(p, y, { assume_a = "her" }),
        turned = S.solve(x, y, { trans = 1 }), lower = S.solve_lower_triangular(x, y),
        upper = S.solve_triangular(x, y, { trans = 2, unit_diagonal = true }), cho = S.cho_solve({ l, true }, y),
        lus = S.lu_solve(lu, at, y), lust = S.lu_solve(lu, at, y, { trans = 2 }), qr = T.dot(q, r), r = T.abs(r),
        qr2 = T.dot(q2, r2), svd = T.dot(us * s:dimshuffle("x", 0), vt), s = s, sf = sf,
          uf = T.abs(T.dot(T.conj(uf.T), uf)),
        vf = T.abs(vf[{ T.slice(0, 4) }]), ew = ew, ev = T.dot(ev * ew:dimshuffle("x", 0), T.conj(ev.T)),
        values = N.svd(z, { compute_uv = false }), alone = N.eigvalsh(p), of = S.eigvalsh(p, p + p), pinv = N.pinv(z),
        hermitian = N.pinv(p, { hermitian = true }), exp = S.expm(x), root = S.sqrtm(p), logarithm = S.logm(p),
        gv = T.dot(x:astype(gw.dtype), gv) - gv * gw:dimshuffle("x", 0), gw = T.sum(gw),
          powers = S.expm(x * 8) * 1e-20 }
      same({ x, p, y, z }, out, { a, positive, b, w }, tolerance)
    end)

    it("takes batches, turned and broadcast, " .. dtype, function()
      local rng = nd.random.RandomState(6)
      local type = T.TensorType(dtype, { false, false, false })
      local x, y = type("x"), T.TensorType(dtype, { true, false, false })("y")
      local a = numbers(rng, dtype, 5, 4, 4) + nd.eye(4):astype(dtype) * 4
      local turned = x:dimshuffle(0, 2, 1)
      same({ x, y }, { inverse = N.inv(turned), solve = S.solve(x, y), det = N.det(turned["::2"]), exp = S.expm(x),
        svd = (select(2, N.svd(turned))), qr = T.abs(N.qr(x, "r")) }, { a, numbers(rng, dtype, 1, 4, 2) }, tolerance)
    end)
  end

  it("shares a matrix's eigenvalues and singular values among the threads of a block", function()
    local scope <close> = theano.config.change_flags({ ["linalg.library"] = "own" })
    local rng = nd.random.RandomState(3)
    for _, n in ipairs({ 2, 17, 33 }) do
      local x = T.dtensor3("x")
      local w, v = N.eigh(x + x:dimshuffle(0, 2, 1))
      local u, s, vt = N.svd(x, false)
      local ew, ev = N.eig(x, true)
      same({ x }, { w = w, v = v, s = s, svd = T.batched_dot(u * s:dimshuffle(0, "x", 1), vt), ew = ew, ev = T.abs(ev),
        values = N.svd(x, { compute_uv = false }) }, { rng:randn(2, n, n) }, 1e-9)
      local pairs_of = nd.sort_complex(results(DEVICE, { x }, { ew }, { rng:randn(1, n, n) }):ravel())
      assert.is_true(nd.array_equal(pairs_of, nd.sort_complex(nd.conj(pairs_of))))
    end
    local y = T.dmatrix("y")
    local u, s, vt = N.svd(y)
    same({ y }, { s = s, u = T.abs(T.dot(u.T, u)), vt = T.abs(T.dot(vt, vt.T)), pinv = N.pinv(y) },
      { nd.dot(rng:randn(20, 3), rng:randn(3, 12)) }, 1e-9)
    assert.is_truthy(scope)
  end)

  it("solves least squares", function()
    local rng = nd.random.RandomState(7)
    local x, y = T.dmatrix("x"), T.dmatrix("y")
    local s, left, rank, values = N.lstsq(x, y)
    local out = { s = s, left = left, rank = rank, values = values }
    same({ x, y }, out, { rng:randn(7, 3), rng:randn(7, 2) }, 1e-9)
    same({ x, y }, out, { rng:randn(3, 7), rng:randn(3, 2) }, 1e-9)
  end)

  it("knows matrices without elements", function()
    local x = T.dmatrix("x")
    local q, r = N.qr(x, "complete")
    same({ x }, { q = q, r = r, s = (select(2, N.svd(x))) }, { nd.zeros({ 3, 0 }) }, 0)
    same({ x }, { det = N.det(x), log = (select(2, N.slogdet(x))), inverse = N.inv(x), l = S.cholesky(x),
      e = S.expm(x) },
      { nd.zeros({ 0, 0 }) }, 0)
  end)

  it("fails with the CPU's words", function()
    local x, b = T.dmatrix("x"), T.dtensor3("b")
    local function message(device, input, y, value)
      local _ <close> = theano.config.change_flags { device = device }
      local f = theano.compile({ inputs = { input }, outputs = y })
      local ok, e = pcall(f, value)
      assert.is_false(ok)
      return tostring(e)
    end
    local flat = nd.ones({ 3, 3 })
    local some = nd.array({ { { 2, 0 }, { 0, 2 } }, { { 1, 1 }, { 1, 1 } }, { { -1, 0 }, { 0, 1 } } }, "float64")
    for _, y in ipairs({ N.inv(x), S.cholesky(x - 2), S.sqrtm(x - 1 + nd.array({ { 0, 1, 0 }, { 0, 0, 0 }, { 0, 0,
      0 } })),
      S.solve(x, x), (N.eig(nd.array({ { 0, 1, 0 }, { -1, 0, 0 }, { 0, 0, 1 } }) * x)) }) do
      assert.equal(message("cpu", x, y, flat), message(DEVICE, x, y, flat))
    end
    for _, y in ipairs({ N.inv(b), S.cholesky(b) }) do
      assert.equal(message("cpu", b, y, some), message(DEVICE, b, y, some))
    end
    assert.matches("matrix 1 of a batch of 3", message(DEVICE, b, N.inv(b), some))
    same({ b }, { nan = N.inv(b, "nan"), l = S.cholesky(b, true, "nan") }, { some }, 1e-12)
  end)
end)

describe("Fourier transforms on a device", function()
  if theano.config.cxx == "" then return end
  local F = T.fft

  for _, case in ipairs({ { "float32", 2e-4 }, { "float64", 1e-10 } }) do
    local dtype, tolerance = table.unpack(case)
    local pair = dtype == "float32" and "complex64" or "complex128"

    it("are the CPU's, of every kind of length, " .. dtype, function()
      local rng = nd.random.RandomState(8)
      for _, n in ipairs({ 1, 2, 3, 8, 12, 31, 64 }) do
        local x, z = T.TensorType(dtype, { false, false })("x"), T.TensorType(pair, { false, false })("z")
        same({ x, z }, { rfft = F.rfft(x), irfft = F.irfft(F.rfft(x), nil, n % 2 == 1), fft = F.fft(z),
          ifft = F.ifft(z),
          longer = F.fft(z, 2 * n + 1), shorter = F.ifft(z, (n + 1) // 2), across = F.fft(z, nil, 0),
            both = F.fft2(z["::-1"]),
          half = F.rfft2(x.T), back = F.irfft2(F.rfft2(x), { 3, n }), ortho = F.ifft2(z, nil, nil, "ortho"),
          hermitian = F.hfft(z, n), other = F.ihfft(x), grad = T.grad(T.sum(T.sqr(F.rfft(x))), x) },
          { numbers(rng, dtype, 3, n), numbers(rng, pair, 3, n) }, tolerance)
      end
    end)
  end

  it("have room for the chirps of many odd lengths in one step", function()
    local x = T.TensorType("float64", { false, false, false, false })("x")
    local rng = nd.random.RandomState(9)
    local back = F.irfftn(F.rfftn(x), { 3, 5, 3, 7 }, { 0, 1, 2, 3 })
    same({ x }, { back = back }, { numbers(rng, "float64", 3, 5, 3, 7) }, 1e-10)
  end)
end)
