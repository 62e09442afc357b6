--- Fourier transforms: numbers against NumPy's (spec/data/transforms.json, written by scripts/make-fft-data.py) and the
-- definition, each length by each way (one line alone, lines side by side, along another axis), gradients by finite
-- differences, tangents, vmap, lengths, errors. #asan
local cpu = require("spec.support.cpu")
local nd = require("theano.ndarray")
local oracle = require("spec.support.oracle")
local theano = require("theano")
local T = theano.tensor
local fft = require("theano.tensor.fft")

local DATA = oracle.cases("transforms")
local INTERPRETER = theano.compile.Mode { linker = "interpreter" }

local function with_flag(name, value, body)
  local before = theano.config[name]
  theano.config[name] = value
  local ok, problem = pcall(body)
  theano.config[name] = before
  if not ok then error(problem, 0) end
end

local function complex(re, im, dtype) return (re + im * nd.complex(0, 1)):astype(dtype or "complex128") end
local function norm(a) return math.sqrt(nd.sum(nd.abs(nd.asarray(a)) ^ 2)) end

local EPSILON = { float64 = 2 ^ -52, float32 = 2 ^ -23, complex128 = 2 ^ -52, complex64 = 2 ^ -23 }
--- How far a transform may be from its true value: a little for each doubling of the length.
local function room(n, dtype) return EPSILON[dtype] * (2 + 0.5 * math.log(2 * n, 2)) end

local function close(got, want, allowed, what)
  local off, size = norm(got - want), norm(want)
  assert(off <= allowed * math.max(size, 1e-30), ("%s: off by %g of %g"):format(what, off, size))
end

-- ---- lengths --------------------------------------------------------------------------------------------------------
local function line(n) return (nd.arange(n) * 7919 + 13) % 1009 / 1009 - 0.5 end

-- The transforms of one line in all the ways that there are, each as (what, line of complex numbers).
local function ways(n, dtype)
  local x = line(n)
  local z, list = complex(x, x["::-1"], dtype), {}
  local function add(what, value) list[#list + 1] = { what, value } end
  add("alone", nd.fft.fft(z))
  if n <= 10007 then
    local many = nd.stack({ z, z * 2, z * 0, z, z, z, z, z, z, z, z, z, z, z, z, z, z }) -- more lines than lanes
    local rows, columns = nd.fft.fft(many), nd.fft.fft(many.T:copy(), { axis = 0 })
    add("side by side", rows[0])
    add("side by side, last", rows[16])
    add("double", rows[1] / 2)
    assert(norm(rows[2]) == 0, "a line reaches another")
    add("columns", columns[":, 0"])
    add("strided", nd.fft.fft(many.T, { axis = 0 })[":, 3"])
  end
  add("back", nd.fft.ifft(z:conj(), { norm = "forward" }):conj())
  return list, z
end

describe("lengths", function()
  for _, dtype in ipairs({ "complex128", "complex64" }) do
    it(("from 1 to 300, and larger ones, %s: NumPy's numbers"):format(dtype), function()
      for _, case in ipairs(DATA.lengths) do
        local n = case.n
        local list, z = ways(n, dtype)
        -- an element's share of the error, at most: the error of all of them over root n, times a few
        local allowed = 8 * room(n, dtype) * norm(z)
        for _, way in ipairs(list) do
          assert.equal(dtype, way[2].dtype)
          for i, k in ipairs(case.at) do
            local off = nd.abs(way[2][k] - nd.complex(case.want[i][1], case.want[i][2]))
            assert(off <= allowed, ("n = %d, %s, element %d: off by %g, %g allowed"):format(n, way[1], k, off, allowed))
          end
        end
      end
    end)
  end

  it("are right as a whole: the definition", function()
    for n = 1, 130 do
      local k = nd.arange(n)
      local angle = (k:reshape { n, 1 } * k) % n * (2 * math.pi / n)
      local z = complex(line(n), line(n)["::-1"])
      local want = nd.dot(complex(nd.cos(angle), -nd.sin(angle)), z:reshape { n, 1 }):reshape { n }
      for _, way in ipairs(ways(n, "complex128")) do
        close(way[2], want, 20 * room(n, "float64"), n .. ", " .. way[1])
      end
    end
  end)

  it("of real lines: the first half, and back", function()
    for _, dtype in ipairs({ "float64", "float32" }) do
      for _, case in ipairs(DATA.lengths) do
        local n = case.n
        if n <= 10007 then
          local x = line(n):astype(dtype)
          local whole = nd.fft.fft(x)[(":%d"):format(n // 2 + 1)]
          local many = nd.stack({ x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x })
          close(nd.fft.rfft(x), whole, 2 * room(n, dtype), n .. " alone")
          close(nd.fft.rfft(many)[3], whole, 2 * room(n, dtype), n .. " side by side")
          close(nd.fft.rfft(many.T:copy(), { axis = 0 })[":, 16"], whole, 2 * room(n, dtype), n .. " columns")
          close(nd.fft.irfft(nd.fft.rfft(x), n), x, 2 * room(n, dtype), n .. " alone, back")
          close(nd.fft.irfft(nd.fft.rfft(many), n)[16], x, 2 * room(n, dtype), n .. " back")
          close(nd.fft.irfft(nd.fft.rfft(many).T, n, 0)[":, 16"], x, 2 * room(n, dtype), n .. " columns, back")
        end
      end
    end
  end)

  it("keep NaN in its line", function()
    for _, n in ipairs({ 8, 37, 300 }) do
      local x = nd.ones({ 20, n })
      x[{ 7, 0 }] = 0 / 0
      local bad = nd.isnan(nd.real(nd.fft.fft(x)))
      assert.equal(n, nd.sum(nd.asarray(bad):astype("int64")))
      assert.is_true(nd.all(nd.asarray(bad)[7]))
    end
  end)

  it("are at most 2^31 - 1", function()
    local n, x = T.lscalar("n"), T.zvector("x")
    local f = theano.compile { inputs = { x, n }, outputs = T.fft.fft(x, n)[0], mode = INTERPRETER }
    assert.has_error(function() f(nd.zeros({ 2 }, "complex128"), 2 ^ 40 // 1 | 0) end)
  end)
end)

-- ---- functions ------------------------------------------------------------------------------------------------------
describe("numpy.fft", function()
  local env = {}
  for name, a in pairs(DATA.arrays) do env[name] = oracle.array(a) end
  for _, case in ipairs(DATA.calls) do
    local want = oracle.array(case)
    it(case.call, function()
      local here = setmetatable({ nd = nd }, { __index = env })
      local got = assert(load("return nd.fft." .. case.call, "call", "t", here))()
      got = nd.asarray(got)
      assert.equal(case.dtype, got.dtype)
      assert.same(want.shape, got.shape)
      close(got, want, 1e-15 + 8e-16 * math.log(got.size + 1, 2), case.call)
    end)

    it(case.call .. ", compiled", function()
      local vars, inputs, values = {}, {}, {}
      for name, a in pairs(env) do
        vars[name] = T.TensorType(a.dtype, a.ndim == 2 and { false, false } or { false, false, false })(name)
        inputs[#inputs + 1], values[#values + 1] = vars[name], a
      end
      -- NumPy's rfft and irfft of one axis are Theano's in T.fft
      local text = case.call:gsub("^(i?)rfft%((%a), ?([^,)]+), ?([^,)]+)", "%1rfftn(%2, {%3}, {%4}")
        :gsub("^(i?)rfft%((%a), ?([^,)]+)%)", "%1rfftn(%2, {%3})"):gsub("^(i?)rfft%((%a)%)", "%1rfftn(%2, nil, {-1})")
      local y = assert(load("return fft." .. text, "call", "t", setmetatable({ fft = fft }, { __index = vars })))()
      for _, linker in ipairs({ "interpreter", "c" }) do
        local f = theano.compile { inputs = inputs, outputs = y, on_unused_input = "ignore",
          mode = theano.compile.Mode { linker = linker } }
        local got = nd.asarray(f(table.unpack(values)))
        assert.equal(case.dtype, got.dtype)
        assert.same(want.shape, got.shape)
        close(got, want, 1e-15 + 8e-16 * math.log(got.size + 1, 2), case.call)
      end
    end)
  end

  it("takes numbers of any dtype", function()
    assert.equal("complex64", nd.fft.fft(nd.ones({ 3 }, "float32")).dtype)
    assert.equal("complex64", nd.fft.rfft(nd.ones({ 3 }, "float32")).dtype)
    assert.equal("float32", nd.fft.irfft(nd.ones({ 3 }, "complex64")).dtype)
    for _, dtype in ipairs({ "bool", "int8", "uint64", "int64", "float64" }) do
      assert.equal("complex128", nd.fft.fft(nd.ones({ 3 }, dtype)).dtype)
      assert.equal("complex128", nd.fft.rfft(nd.ones({ 3 }, dtype)).dtype)
    end
  end)

  it("has results without elements", function()
    assert.same({ 0, 3 }, nd.fft.fft(nd.zeros({ 0, 3 })).shape)
    assert.same({ 0, 3 }, nd.fft.rfft(nd.zeros({ 0, 4 })).shape)
    assert.same({ 0, 4 }, nd.fft.irfft(nd.zeros({ 0, 3 })).shape)
    assert.same({ 2, 0, 5 }, nd.fft.fftn(nd.zeros({ 2, 0, 4 }), { s = { 2, 5 }, axes = { 0, 2 } }).shape)
  end)

  it("reads arrays however they lie", function()
    local a = line(5 * 6 * 7):reshape { 5, 6, 7 }
    local repeated = nd.broadcast_to(a[0], { 3, 6, 7 })
    for _, v in ipairs({ a["::2, ::-1, 1:6:2"], a:transpose({ 2, 0, 1 }), a["::-1"], repeated }) do
      for axis = 0, 2 do
        assert.is_true(nd.array_equal(nd.fft.fft(v:copy(), { axis = axis }), nd.fft.fft(v, { axis = axis })) or
          norm(nd.fft.fft(v:copy(), { axis = axis }) - nd.fft.fft(v, { axis = axis })) < 1e-14)
      end
      close(nd.fft.irfftn(nd.fft.rfftn(v), v.shape), v, 1e-15 * 8, "there and back")
    end
  end)
end)

-- ---- Theano's -------------------------------------------------------------------------------------------------------
describe("T.fft.rfft and irfft", function()
  it("have Theano's names and types", function()
    local x, m = T.fmatrix("x"), T.dtensor3("m")
    local r, i = fft.rfft(x), fft.irfft(m)
    assert.equal("RFFTOp", tostring(r.owner.inputs[1].owner.op))
    assert.equal("IRFFTOp", tostring(i.owner.inputs[1].owner.op))
    assert.equal("float32", r.dtype)
    assert.equal(3, r.ndim)
    assert.equal(2, i.ndim)
  end)

  it("scale as Theano's do, over several dimensions", function()
    local x, m = T.dtensor3("x"), T.dtensor4("m")
    local a = line(2 * 6 * 5):reshape { 2, 6, 5 }
    local pairs_of = nd.fft.rfftn(a, { axes = { 1, 2 } })
    local want = nd.stack({ nd.real(pairs_of), nd.imag(pairs_of) }, 3)
    for given, by in pairs({ none = 1, ortho = math.sqrt(30), no_norm = 1 }) do
      local o = given ~= "none" and { norm = given } or nil
      local f = theano.compile { inputs = { x }, outputs = fft.rfft(x, o), mode = INTERPRETER }
      close(f(a), want / by, 1e-15, given)
    end
    for given, by in pairs({ none = 1, ortho = math.sqrt(30), no_norm = 30 }) do
      local o = { norm = given ~= "none" and given or nil, is_odd = true }
      local f = theano.compile { inputs = { m }, outputs = fft.irfft(m, o), mode = INTERPRETER }
      close(f(want), a * by, 1e-15, given)
    end
    assert.same({ 2, 6, 4 }, theano.compile { inputs = { m }, outputs = fft.irfft(m), mode = INTERPRETER } (want).shape)
  end)

  it("take lengths of their own through the operations", function()
    local x, s = T.dmatrix("x"), T.lvector("s")
    local f = theano.compile { inputs = { x, s }, outputs = fft.rfft_op(x, s), mode = INTERPRETER }
    local a = line(12):reshape { 2, 6 }
    for _, n in ipairs({ 3, 6, 9 }) do
      local want = nd.fft.rfft(a, n)
      close(f(a, nd.array({ n })), nd.stack({ nd.real(want), nd.imag(want) }, 2), 1e-15, n)
    end
    assert.has_error(function() f(a, nd.array({ 3, 4 })) end)
    assert.has_error(function() f(a, nd.array({ 0 })) end)
  end)
end)

-- ---- derivatives ----------------------------------------------------------------------------------------------------
local function verify(f, points, rng)
  theano.gradient.verify_grad(f, points, { rng = rng, mode = INTERPRETER })
end

describe("gradients", function()
  local rng = nd.random.RandomState(11)
  local shapes = { { 2, 8 }, { 1, 7 }, { 2, 3, 4 }, { 2, 4, 5 }, { 3, 1 }, { 2, 2 } }

  it("of rfft and irfft, Theano's", function()
    for _, shape in ipairs(shapes) do
      for _, given in ipairs({ "ortho", "no_norm", false }) do
        local half = { table.unpack(shape) }
        half[#half] = half[#half] // 2 + 1
        half[#half + 1] = 2
        local o = given and { norm = given } or nil
        verify(function(x) return fft.rfft(x, o) end, { rng:rand(table.unpack(shape)) }, rng)
        if shape[#shape] > 1 then
          verify(function(x) return fft.irfft(x, { norm = given or nil, is_odd = shape[#shape] % 2 == 1 }) end,
            { rng:rand(table.unpack(half)) }, rng)
        end
      end
    end
  end)

  it("of the operations with lengths of their own", function()
    for _, n in ipairs({ 1, 3, 4, 6, 7 }) do
      local lengths = T.constant({ n }, { dtype = "int64" })
      verify(function(x) return fft.rfft_op(x, lengths) end, { rng:rand(2, 5) }, rng)
      verify(function(x) return fft.irfft_op(x, lengths) end, { rng:rand(2, 3, 2) }, rng)
    end
  end)

  -- Numbers made of and seen as real ones: the engine's rule for complex gradients is dC/dx + i dC/dy.
  local function seen(z) return T.real(z) * 1.5 + T.imag(z) * T.cast(T.arange(z.shape[z.ndim - 1]), "float64") end
  local complex_ones = {
    fft = function(z) return fft.fft(z) end,
    ["ifft, ortho"] = function(z) return fft.ifft(z, { norm = "ortho" }) end,
    ["fft cut"] = function(z) return fft.fft(z, { n = 3 }) end,
    ["fft longer"] = function(z) return fft.fft(z, { n = 8, axis = 0, norm = "forward" }) end,
    fft2 = function(z) return fft.fft2(z) end,
    ["ifftn with s"] = function(z) return fft.ifftn(z, { s = { 5, 2 } }) end,
    irfft = function(z) return T.cast(fft.irfftn(z), "complex128") end,
    ["irfft cut"] = function(z) return T.cast(fft.irfftn(z, { s = { 2, 3 } }), "complex128") end,
    ["irfft longer"] = function(z) return T.cast(fft.irfftn(z, { s = { 6, 11 }, axes = { 1, 0 } }), "complex128") end,
    hfft = function(z) return T.cast(fft.hfft(z, { n = 7 }), "complex128") end,
    fftshift = function(z) return fft.fftshift(fft.fft(z)) end,
  }
  for name, f in pairs(complex_ones) do
    it("of complex numbers: " .. name, function()
      verify(function(x, y) return seen(f(T.complex(x, y))) end, { rng:rand(3, 4), rng:rand(3, 4) }, rng)
    end)
  end
  for name, f in pairs({
    rfftn = function(x) return fft.rfftn(x) end,
    ["rfftn with s"] = function(x) return fft.rfftn(x, { s = { 5, 3 } }) end,
    ["rfftn, odd, one axis"] = function(x) return fft.rfftn(x, { s = { 5 }, axes = { 0 }, norm = "ortho" }) end,
    ihfft = function(x) return fft.ihfft(x) end,
    ["fft of real ones"] = function(x) return fft.fft(x) end,
  }) do
    it("of real numbers: " .. name, function()
      verify(function(x) return seen(f(x)) end, { rng:rand(3, 4) }, rng)
      -- and of the gradient
      verify(function(x) return T.grad(T.sum(seen(f(x)) ^ 2), x) end, { rng:rand(3, 4) }, rng)
    end)
  end

  it("of gradients, Theano's", function()
    verify(function(x) return T.grad(T.sum(fft.rfft(x) ^ 3), x) end, { rng:rand(2, 5) }, rng)
    verify(function(x) return T.grad(T.sum(fft.irfft(x) ^ 3), x) end, { rng:rand(2, 4, 2) }, rng)
  end)

  it("forward: Rop is the transform of the tangent", function()
    local x, v = T.dmatrix("x"), T.dmatrix("v")
    local z = T.zmatrix("z")
    local a, b = rng:rand(2, 6), rng:rand(2, 6)
    local f = theano.compile { inputs = { x, v }, outputs = { T.Rop(fft.rfft(x), x, v), fft.rfft(v) },
      mode = INTERPRETER, on_unused_input = "ignore" }
    local got, want = f(a, b)
    close(got, want, 1e-15, "rfft")
    local w = T.zmatrix("w")
    local g = theano.compile { inputs = { z, w }, outputs = { T.Rop(fft.ifft(z), z, w), fft.ifft(w) },
      mode = INTERPRETER, on_unused_input = "ignore" }
    got, want = g(complex(a, b), complex(b, a))
    close(got, want, 1e-15, "ifft")
  end)
end)

describe("vmap", function()
  local a = line(3 * 4 * 6):reshape { 3, 4, 6 }
  local function each(f, x, sample)
    local y = T.vmap(f)(x)
    local one = sample.ndim == 3 and T.TensorType(sample.dtype, { false, false })()
      or T.TensorType(sample.dtype, { false, false, false })()
    local whole = theano.compile { inputs = { x }, outputs = y, mode = INTERPRETER }
    local single = theano.compile { inputs = { one }, outputs = f(one), mode = INTERPRETER }
    local all = whole(sample)
    for i = 0, sample.shape[1] - 1 do close(all[i], single(sample[i]), 1e-14, i) end
  end
  it("of rfft and irfft", function()
    each(function(x) return fft.rfft(x) end, T.dtensor3("x"), a)
    each(function(x) return fft.irfft(x) end, T.dtensor4("m"), nd.stack({ a, a * 2 }, 3))
  end)
  it("of the others", function()
    local z = complex(a, a["::-1"])
    each(function(x) return fft.fft(x) end, T.ztensor3("z"), z)
    each(function(x) return fft.ifft2(x, { s = { 3, 7 } }) end, T.ztensor3("z"), z)
    each(function(x) return fft.rfftn(x) end, T.dtensor3("x"), a)
    each(function(x) return fft.irfftn(x, { axes = { 1, 0 } }) end, T.ztensor3("z"), z)
    each(function(x) return fft.fftshift(x) end, T.dtensor3("x"), a)
  end)
end)

-- ---- compiled functions ---------------------------------------------------------------------------------------------
describe("a compiled function", function()
  local x, z = T.dtensor3("x"), T.zmatrix("z")
  local outputs = { fft.rfft(x), fft.irfft(fft.rfft(x)), fft.fft(z), fft.ifftn(z, { s = { 50, 60 } }),
    fft.fft(z, { axis = 0 }) }
  local a = line(4 * 30 * 40):reshape { 4, 30, 40 }
  local b = complex(line(40 * 1024):reshape { 40, 1024 }, line(40 * 1024)["::-1"]:reshape { 40, 1024 })

  local function results(linker)
    local mode = theano.compile.Mode { linker = linker }
    return { theano.compile { inputs = { x, z }, outputs = outputs, mode = mode } (a, b) }
  end

  it("has the same bits in generated C, and with threads", function()
    cpu.only("the bits of the CPU's two executors")
    local want, long = results("interpreter"), line(2 ^ 17)
    local want_long = nd.fft.fft(long)
    for _, threads in ipairs({ false, true }) do
      with_flag("openmp", threads, function()
        for _, linker in ipairs({ "interpreter", "c" }) do
          for i, got in ipairs(results(linker)) do assert.is_true(nd.array_equal(want[i], got), linker .. " " .. i) end
        end
        assert.is_true(nd.array_equal(want_long, nd.fft.fft(long)))
      end)
    end
  end)

  it("allocates nothing in a second call", function()
    with_flag("fft.library", "own", function()
      local f = theano.compile { inputs = { z }, outputs = T.sum(T.real(fft.fft(fft.ifft(z)))), mode = INTERPRETER }
      f(b)
      f(b)
      local before = theano.stat("allocs")
      for _ = 1, 3 do f(b) end
      assert.equal(before, theano.stat("allocs"))
    end)
  end)

  it("knows its lengths before it runs", function()
    local n = theano.compile { inputs = { x }, outputs = fft.rfft(x).shape, mode = INTERPRETER }
    for _, node in ipairs(n.maker.fgraph:toposort()) do assert.is_nil(tostring(node.op):find("FFT")) end
    assert.same({ 4, 30, 21, 2 }, n(a):tolist())
  end)

  it("computes the same with FFTW, where it is installed", function()
    local want = results("interpreter")
    with_flag("fft.library", "fftw", function()
      for i, got in ipairs(results("interpreter")) do close(got, want[i], 1e-14, i) end
      for _, n in ipairs({ 1, 2, 7, 64, 301 }) do
        close(nd.fft.irfft(nd.fft.rfft(line(3 * n):reshape { 3, n }), n), line(3 * n):reshape { 3, n }, 1e-14, n)
      end
    end)
  end)
end)

-- ---- errors ---------------------------------------------------------------------------------------------------------
describe("errors", function()
  local x, m, v, z = T.dmatrix("x"), T.dtensor3("m"), T.dvector("v"), T.zmatrix("z")
  local cases = {
    { "ValueError: fft.rfft: Invalid value 123", function() return fft.rfft(x, { norm = "123" }) end },
    { "ValueError: fft.rfft: Invalid value %(no text%) for norm", function() return fft.rfft(x, { norm = 123 }) end },
    { "ValueError: fft.irfft: Invalid value bad for norm", function() return fft.irfft(m, { norm = "bad" }) end },
    { "is_odd", function() return fft.irfft(m, { is_odd = 123 }) end },
    { "TypeError: RFFTOp: input must have at least 2 dimensions", function() return fft.rfft(v) end },
    { "TypeError: IRFFTOp: input must have at least 3 dimensions", function() return fft.irfft(x) end },
    { "TypeError: RFFTOp needs a tensor of float32 or float64, not of complex128", function() return fft.rfft(z) end },
    { "TypeError: RFFTOp: length of the transformed axis must be of type integer",
      function() return fft.rfft_op(x, T.dvector()) end },
    { "2 lengths for 1 axes", function() return fft.rfft_op(x, T.constant({ 3, 4 }, { dtype = "int64" })) end },
    { "ValueError: fft.fft: Invalid number of FFT data points %(0%) specified", function() return fft.fft(x, 0) end },
    { "ValueError: fft.ifft: Invalid number of FFT data points %(%-3%)", function() return fft.ifft(x, -3) end },
    { "ValueError: fft.fftn: Invalid number", function() return fft.fftn(x, { 3, 0 }) end },
    { "TypeError: fft.fft: a length is an integer, not float64", function() return fft.fft(x, T.dscalar()) end },
    { "ValueError: fft.fft: axis 2 is out of range for a tensor with 2 dim", function() return fft.fft(x, nil, 2) end },
    { "ValueError: fft.fftn: axis %-3 is out of range", function() return fft.fftn(x, nil, { -3 }) end },
    { "ValueError: fft.fftn: axis 1 stands twice", function() return fft.fftn(x, nil, { 1, -1 }) end },
    { "ValueError: fft.fftn: s has 1 lengths, there are 2 axes", function() return fft.fftn(x, { 3 }, { 0, 1 }) end },
    { "ValueError: fft.fft2: 2 axes of a tensor with 1 dimension", function() return fft.fft2(v) end },
    { "ValueError: fft.fftn: 3 axes of a tensor with 2 dimensions", function() return fft.fftn(x, { 1, 2, 3 }) end },
    { "at least 1 axis", function() return fft.fftn(x, nil, {}) end },
    { "at least one dimension", function() return fft.fft(T.dscalar()) end },
    { "ValueError: fft.fft: Invalid norm value 'no_norm'", function() return fft.fft(x, { norm = "no_norm" }) end },
    { "ValueError: fft.fft: Invalid norm value", function() return fft.fft(x, { norm = 3 }) end },
    { "TypeError: fft.rfftn: the input must be real, it is complex128", function() return fft.rfftn(z) end },
    { "TypeError: fft.ihfft: the input must be real", function() return fft.ihfft(z) end },
    { "n must be positive, it is 0", function() return fft.fftfreq(0) end },
    { "n should be an integer", function() return fft.fftfreq(2.5) end },
    { "out of range", function() return fft.fftshift(x, 5) end },
  }
  for _, case in ipairs(cases) do
    it(case[1], function()
      local ok, problem = pcall(case[2])
      assert.is_false(ok)
      assert.matches(case[1], tostring(problem))
      assert.matches("fft_spec.lua:%d+", tostring(problem))
    end)
  end

  it("of lengths that only a call knows", function()
    local n = T.lscalar("n")
    local f = theano.compile { inputs = { x, n }, outputs = fft.fft(x, n), mode = INTERPRETER }
    local ok, problem = pcall(f, nd.ones({ 2, 3 }), 0)
    assert.is_false(ok)
    assert.matches("ValueError: Invalid number of FFT data points %(0%) specified", tostring(problem))
    local g = theano.compile { inputs = { m }, outputs = fft.irfft(m), mode = INTERPRETER }
    ok, problem = pcall(g, nd.ones({ 2, 1, 2 }))
    assert.is_false(ok)
    assert.matches("Invalid number of FFT data points %(0%)", tostring(problem))
    ok, problem = pcall(g, nd.ones({ 2, 4, 3 }))
    assert.is_false(ok)
    assert.matches("the real and the imaginary part: its length is 2, not 3", tostring(problem))
    local h = theano.compile { inputs = { x }, outputs = fft.rfft(x), mode = INTERPRETER }
    assert.has_error(function() h(nd.ones({ 2, 0 })) end)
    assert.same({ 0, 4, 2 }, h(nd.ones({ 0, 6 })).shape)
  end)

  it("under vmap: lengths are the same for all", function()
    local ok, problem = pcall(function()
      return T.vmap(function(a, n) return fft.fft(a, n) end)(T.zmatrix(), T.lvector())
    end)
    assert.is_false(ok)
    assert.matches("lengths must be the same for all", tostring(problem))
  end)
end)
