--- CUDA's libraries (the flag cuda.libraries): what they do and what kernels of ours do are the CPU's numbers; where a
-- library refuses, ours do it.
local device = require("spec.support.device")
local emulated = require("spec.support.emulated")
local rotate = require("spec.support.rotate")
local skip = require("spec.support.skip")
local nd = require("theano.ndarray")
local theano = require("theano")
local T = theano.tensor
local F, N, S, sparse = T.fft, T.nlinalg, T.slinalg, theano.sparse

local EMULATED = device.flags.device == "cuda-emulated"

-- The graph on the CPU and by the libraries; entry: what must (not) have been called, or several.
local function try(inputs, outputs, args, tolerance, entry, called, which)
  local _ <close> = theano.config.change_flags({ ["linalg.library"] = "own" })
  local want = device.compile({}, inputs, outputs)
  local flags = { ["cuda.libraries"] = which or "all" }
  for k, v in pairs(device.flags) do flags[k] = v end
  local scope <close> = theano.config.change_flags(flags)
  local got = theano.compile({ inputs = inputs, outputs = outputs, on_unused_input = "ignore" })
  local entries, before = type(entry) == "table" and entry or { entry }, {}
  for i, name in ipairs(entries) do before[i] = EMULATED and emulated.calls(name) end
  device.equal(want, got, args, entries[1], tolerance)
  for i, name in ipairs(EMULATED and entries or {}) do
    assert.equal(called ~= false, emulated.calls(name) > before[i], name)
  end
  assert.is_truthy(scope)
end

local function numbers(rng, dtype, ...)
  local x = rng:randn(...)
  if dtype:find("complex") then x = x + rng:randn(...) * nd.complex(0, 1) end
  return x:astype(dtype)
end

local PAIRS = { float32 = "complex64", float64 = "complex128" }
local function transforms(dtype, n)
  local x, z = T.TensorType(dtype, { false, false })("x"), T.TensorType(PAIRS[dtype], { false, false })("z")
  return { x, z }, { F.rfft(x), F.irfft(F.rfft(x), nil, n % 2 == 1), F.fft(z), F.ifft(z), F.fft2(z["::-1"]),
    F.fft(z, 2 * n + 1) }
end

describe("CUDA's libraries", function()
  if theano.config.cxx == "" then
    it("need a compiler where there is no GPU", function() skip.now("there is no C compiler") end)
    return
  end

  it("transform lines of any length", function()
    local dtype = rotate.some({ "float32", "float64" }, 1)[1]
    local rng = nd.random.RandomState(4)
    local entry = dtype == "float32" and "cufftExecC2C" or "cufftExecZ2Z"
    for _, n in ipairs({ 2, 12, 31 }) do
      local inputs, outputs = transforms(dtype, n)
      try(inputs, outputs, { numbers(rng, dtype, 5, n), numbers(rng, PAIRS[dtype], 5, n) },
        dtype == "float32" and 2e-4 or 1e-10, entry)
    end
  end)

  it("factor matrices, a batch of them too", function()
    local dtype = rotate.some({ "float32", "float64", "complex64", "complex128" }, 1)[1]
    local tolerance = (dtype == "float64" or dtype == "complex128") and 1e-9 or 5e-3
    local rng = nd.random.RandomState(5)
    local type = T.TensorType(dtype, { false, false, false })
    local x, y = type("x"), type("y")
    local function turned(v) return T.conj(v:dimshuffle(0, 2, 1)) end
    local n = 5
    local p = T.batched_dot(x, turned(x)) + nd.eye(n):astype(dtype)
    local w, v = N.eigh(x + turned(x))
    local _, s, vt = N.svd(y)
    local u2, s2 = N.svd(turned(y))
    local args = { numbers(rng, dtype, 3, n, n), numbers(rng, dtype, 2, n, n + 3) }
    try({ x }, { S.cholesky(p), S.cholesky(p, false) }, { args[1] }, tolerance, "cusolverDnXpotrf")
    try({ x }, { w, T.batched_dot(v * w:dimshuffle(0, "x", 1), turned(v)), S.eigvalsh(p, p + p), N.eigvalsh(p),
      N.pinv(p, { hermitian = true }) }, { args[1] }, tolerance, "cusolverDnXsyevd")
    try({ y }, { s, s2, T.abs(T.batched_dot(turned(vt), vt)), T.abs(T.batched_dot(turned(u2), u2)), N.pinv(y),
      N.svd(y, { compute_uv = false }) }, { args[2] }, tolerance, "cusolverDnXgesvd")
  end)

  it("solve equations, invert, and take determinants", function()
    local dtype = rotate.some({ "float32", "float64", "complex64", "complex128" }, 1)[1]
    local tolerance = (dtype == "float64" or dtype == "complex128") and 1e-9 or 5e-3
    local rng = nd.random.RandomState(8)
    local type = T.TensorType(dtype, { false, false, false })
    local x, b = type("x"), type("b")
    local lu, at = S.lu_factor(x)
    local args = { numbers(rng, dtype, 3, 6, 6), numbers(rng, dtype, 3, 6, 2) }
    local logs = { N.slogdet(x) }
    try({ x }, { N.det(x), logs[1], logs[2], lu, at, S.lu_factor(x[":, :, 1:"]), S.lu_factor(x[":, 2:"]) }, { args[1] },
      tolerance, "cusolverDnXgetrf")
    local turned = x["::-1"]:dimshuffle(0, 2, 1)
    try({ x, b }, { S.solve(x, b), S.solve(x, b, { trans = 1 }), S.solve(x, b, { trans = 2 }), S.solve(turned, b),
      S.solve(x, b, { assume_a = "sym" }), S.solve(x, b, { assume_a = "her", lower = true }), N.matrix_inverse(x),
      S.lu_solve(lu, at, b) }, args, tolerance, "cusolverDnXgetrs")
  end)

  it("make matrices of orthonormal columns", function()
    local dtype, letter = table.unpack(rotate.some({ { "float32", "Sor" }, { "float64", "Dor" },
      { "complex64", "Cun" }, { "complex128", "Zun" } }, 1)[1])
    local tolerance = (dtype == "float64" or dtype == "complex128") and 1e-9 or 5e-3
    local rng = nd.random.RandomState(9)
    local x = T.TensorType(dtype, { false, false, false })("x")
    for _, shape in ipairs({ { 2, 6, 4 }, { 2, 4, 6 } }) do
      local outputs = {}
      for _, mode in ipairs({ "reduced", "complete", "r", "raw" }) do
        for _, v in ipairs({ N.qr(x, mode) }) do outputs[#outputs + 1] = v end
      end
      try({ x }, outputs, { numbers(rng, dtype, table.unpack(shape)) }, tolerance,
        "cusolverDn" .. letter .. "gqr")
    end
  end)

  it("say what our kernels say of matrices that have no factor", function()
    local x = T.dtensor3("x")
    local some = nd.array({ { { 2., 0 }, { 0, 2 } }, { { -1., 0 }, { 0, 1 } } })
    local flags = { ["cuda.libraries"] = "all" }
    for k, v in pairs(device.flags) do flags[k] = v end
    local said = {}
    for i, f in ipairs({ device.compile({}, { x }, S.cholesky(x)), device.compile(flags, { x }, S.cholesky(x)) }) do
      said[i] = select(2, pcall(f, some))
    end
    assert.matches("matrix 1 of a batch of 2", tostring(said[1]), nil, true)
    assert.equal(tostring(said[1]):match("[^\n]*"), tostring(said[2]):match("[^\n]*"))
    for i, how in ipairs({ {}, flags }) do
      some[{ 1, 0, 0 }], some[{ 1, 1, 1 }] = 1, 0
      said[i] = select(2, pcall(device.compile(how, { x }, N.matrix_inverse(x)), some))
    end
    assert.matches("matrix 1 of a batch of 2", tostring(said[1]), nil, true)
    assert.equal(tostring(said[1]):match("[^\n]*"), tostring(said[2]):match("[^\n]*"))
    some[{ 1, 0, 0 }] = nd.nan
    try({ x }, { N.eigvalsh(x, "L") }, { some }, 1e-12, "cusolverDnXsyevd")
  end)

  it("convolve images, and give both gradients", function()
    local dtype = rotate.some({ "float32", "float64" }, 1)[1]
    local type, tolerance = T.TensorType(dtype, { false, false, false, false }), dtype == "float32" and 1e-4 or 1e-10
    local rng = nd.random.RandomState(11)
    local x, w = type("x"), type("w")
    local a, b, c = numbers(rng, dtype, 2, 4, 7, 6), numbers(rng, dtype, 6, 4, 3, 2), numbers(rng, dtype, 6, 2, 3, 2)
    for _, how in ipairs(rotate.some({ {}, { border_mode = "full" }, { border_mode = "half", filter_flip = false },
      { border_mode = { 1, 2 }, subsample = { 2, 3 } }, { filter_dilation = { 2, 1 } }, { num_groups = 2 } }, 2)) do
      local filters = how.num_groups and c or b
      local y = T.nnet.conv2d(x, w, how)
      local g = T.grad(T.sum(T.sin(y)), { x, w })
      try({ x, w }, { T.tanh(y + 1), g[1], g[2] * 3 }, { a, filters }, tolerance, { "cudnnConvolutionForward",
        "cudnnConvolutionBackwardData", "cudnnConvolutionBackwardFilter" })
    end
    local five = T.TensorType(dtype, { false, false, false, false, false })
    local s, u = five("s"), five("u")
    try({ s, u, x, w }, { T.nnet.conv3d(s, u), T.nnet.conv2d(x["::2"], w) }, { numbers(rng, dtype, 1, 2, 4, 3, 5),
      numbers(rng, dtype, 3, 2, 2, 2, 3), a, b }, tolerance, "cudnnConvolutionForward")
  end)

  it("give a gradient by images of few channels as a product and a sum of windows", function()
    local dtype = rotate.some({ "float32", "float64" }, 1)[1]
    local tolerance = dtype == "float32" and 1e-3 or 1e-10
    local rng = nd.random.RandomState(13)
    local function check(n, size, in_shape, how, by)
      local type = T.TensorType(dtype, n == 3 and { false, false, false, false, false }
        or { false, false, false, false })
      local x, w = type("x"), type("w")
      local y = (n == 3 and T.nnet.conv3d or T.nnet.conv2d)(x, w, how)
      local g = T.grad(T.sum(T.sin(y)), x)
      local before = EMULATED and emulated.calls("cudnnConvolutionBackwardData")
      try({ x, w }, { g, g * x }, { numbers(rng, dtype, table.unpack(in_shape)),
        numbers(rng, dtype, table.unpack(size)) * 0.1 }, tolerance, "cublasLtMatmul", by, "auto")
      if not EMULATED then return end
      assert.equal(by, emulated.calls("cudnnConvolutionBackwardData") == before)
    end
    local few, wide = { 256, 3, 5, 5 }, { 4, 3, 12, 12 }
    for _, one in ipairs(rotate.some({ { 2, few, wide }, { 2, few, wide, { filter_flip = false } },
      { 2, { 64, 3, 5, 5 }, { 16, 3, 9, 10 }, { border_mode = { 2, 1 } } },
      { 2, { 80, 8, 3, 3 }, { 32, 8, 8, 9 }, { filter_dilation = { 2, 1 } } },
      { 3, { 128, 3, 3, 3, 3 }, { 8, 3, 6, 6, 6 } } }, 2)) do
      check(one[1], one[2], one[3], one[4] or {}, true)
    end
    check(2, few, { 16, 3, 12, 12 }, { subsample = { 2, 2 } }, false)
  end)

  -- Nothing stops a library behind a failure: it writes what the call alone sees, and a kernel of ours the weights.
  it("make gradients behind a class that may not be there, and a wrong one changes no weight", function()
    local rng = nd.random.RandomState(5)
    local start = { numbers(rng, "float64", 3, 2, 3, 3), numbers(rng, "float64", 4, 3, 2, 2),
      numbers(rng, "float64", 16, 512), numbers(rng, "float64", 512, 128) }
    local function step()
      local x, y, w = T.dtensor4("x"), T.lvector("y"), {}
      for i, v in ipairs(start) do w[i] = theano.shared(v, { name = "w" .. i }) end
      local h = T.tanh(T.nnet.conv2d(T.tanh(T.nnet.conv2d(x, w[1])), w[2])):flatten(2)
      local cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(T.tanh(T.dot(h, w[3])), w[4])), y):mean()
      local updates = {}
      for i, g in ipairs(T.grad(cost, w)) do updates[i] = { w[i], w[i] - 0.1 * g } end
      return theano.compile({ inputs = { x, y }, outputs = cost, updates = updates }), w
    end
    local f, kept = step()
    local flags = { ["cuda.libraries"] = "all" }
    for k, v in pairs(device.flags) do flags[k] = v end
    local scope <close> = theano.config.change_flags(flags)
    local g, there = step()
    local x, good, bad = numbers(rng, "float64", 64, 2, 5, 5), nd.arange(64), nd.arange(64) + 65
    local entries, before = { "cudnnConvolutionBackwardData", "cudnnConvolutionBackwardFilter" }, {}
    for i, name in ipairs(entries) do before[i] = EMULATED and emulated.calls(name) end
    for turn = 1, 5 do
      assert(math.abs(f(x, good) - g(x, good)) < 1e-10)
      local ok, message = pcall(g, x, bad)
      assert(not ok and tostring(message):find("y_i value out of bounds", 1, true), message)
      for i, w in ipairs(kept) do
        assert(nd.allclose(w:get_value(), there[i]:get_value(), { rtol = 1e-10, atol = 1e-12 }), i)
      end
    end
    for i, name in ipairs(EMULATED and entries or {}) do assert(emulated.calls(name) > before[i], name) end
    assert.is_truthy(scope)
  end)

  it("leave convolutions to our tiles where they cannot do them", function()
    local x, w = T.tensor4("x"), T.tensor4("w")
    local rng = nd.random.RandomState(12)
    local args = { rng:randn(2, 4, 7, 6), rng:randn(6, 4, 3, 2) }
    local uneven = T.nnet.conv2d(x, w, { border_mode = { { 1, 2 }, { 0, 1 } } })
    try({ x, w }, { uneven }, args, 1e-10, "cudnnConvolutionForward", false)
    try({ x, w }, { T.nnet.conv2d(x, w) }, args, 1e-10, "cudnnConvolutionForward", false, "own")
    try({ x, w }, { T.nnet.conv2d(x, w) }, args, 1e-10, "cudnnConvolutionForward", false, "auto")
  end)

  it("multiply sparse matrices with dense ones", function()
    local x, y, m = sparse.csr_matrix("x"), sparse.csc_matrix("y"), T.dmatrix("m")
    local d = nd.array({ { 1., 0, 2 }, { 0, 0, 3 }, { 4, 5, 6 }, { 0, 0, 0 } })
    try({ x, y, m }, { sparse.dot(x, m), sparse.dot(y, m), sparse.dot(x, m[":, 0"]), sparse.dot(x, m[":, ::2"]),
      sparse.dot(m.T, sparse.transpose(x)) }, { nd.sparse.csr_matrix(d), nd.sparse.csc_matrix(d),
      nd.arange(12):astype("float64"):reshape({ 3, 4 }) }, 1e-12, "cusparseSpMM")
  end)

  it("are left alone where the flag says so, and where work is small", function()
    local rng = nd.random.RandomState(6)
    local inputs, outputs = transforms("float64", 8)
    local args = { numbers(rng, "float64", 5, 8), numbers(rng, "complex128", 5, 8) }
    try(inputs, outputs, args, 1e-10, "cufftExecZ2Z", false, "own")
    try(inputs, outputs, args, 1e-10, "cufftExecZ2Z", false, "auto")
    local x = T.dmatrix("x")
    try({ x }, { F.rfft(x) }, { numbers(rng, "float64", 3, 2048) }, 1e-9, "cufftExecZ2Z", true, "auto")
  end)

  it("that refuse are not missed", function()
    if not EMULATED then skip.now("only the emulated driver fails when told so") end
    local rng = nd.random.RandomState(7)
    local x, m = sparse.csr_matrix("x"), T.dmatrix("m")
    local a = nd.sparse.csr_matrix(nd.array({ { 1., 0, 2 }, { 0, 0, 3 }, { 4, 5, 6 } }))
    local z = T.dmatrix("z")
    local i, k = T.tensor4("i"), T.tensor4("k")
    local y = T.nnet.conv2d(i, k)
    local g = T.grad(T.sum(y ^ 2), { i, k })
    for _, entry in ipairs({ "cudnnConvolutionForward", "cudnnConvolutionBackwardData",
      "cudnnGetConvolutionBackwardFilterWorkspaceSize", "cudnnCreateFilterDescriptor" }) do
      emulated.fail(entry, 1, 6)
      try({ i, k }, { y, g[1], g[2] }, { rng:randn(2, 3, 5, 4), rng:randn(2, 3, 2, 3) }, 1e-9, entry)
      emulated.fail(entry, 0, 0)
    end
    for _, entry in ipairs({ "cufftExecZ2Z", "cusparseSpMM", "cusparseCreateDnMat", "cusolverDnXpotrf",
      "cusolverDnXsyevd_bufferSize", "cusolverDnXgesvd", "cusolverDnXgetrf", "cusolverDnXgetrs", "cusolverDnXgeqrf",
      "cusolverDnDorgqr" }) do
      local p = T.dot(z, z.T) + nd.eye(3)
      local by = { cufft = { F.fft(z) }, cuspar = { sparse.dot(x, m) }, cusolv = { S.cholesky(p), N.eigvalsh(p),
        N.svd(z, { compute_uv = false }), N.matrix_inverse(z), N.det(z), N.qr(z) } }
      local outs = by[entry:sub(1, 6)] or by.cufft
      emulated.fail(entry, 1, 6)
      try({ x, m, z }, { sparse.dot(x, m) * 2, table.unpack(outs) }, { a, rng:randn(3, 2), rng:randn(3, 3) }, 1e-9,
        entry)
      emulated.fail(entry, 0, 0)
    end
  end)
end)
