--- Products, convolutions and poolings on a device (the emulated driver): by tiles or loops, the CPU's numbers.
local DEVICE = require("spec.support.device").flags.device
local emulated = require("spec.support.emulated")
local nd = require("theano.ndarray")
local skip = require("spec.support.skip")
local theano = require("theano")
local T = require("theano.tensor")

local function results(device, inputs, outputs, values)
  local _ <close> = theano.config.change_flags { device = device }
  local f = theano.compile({ inputs = inputs, outputs = outputs })
  return table.pack(f(table.unpack(values))), f
end

-- Numbers are the CPU's, and nothing but kernels made them.
local function same(inputs, outputs, values, tolerance)
  local want = results("cpu", inputs, outputs, values)
  local got, f = results(DEVICE, inputs, outputs, values)
  local text = theano.printing.ccode(f)
  assert.is_nil(text:match("[^\n]*: on the host"), text:match("[^\n]*: on the host"))
  for i = 1, #outputs do
    local a, b = nd.asarray(got[i]), nd.asarray(want[i])
    assert.equal(tostring(b.dtype), tostring(a.dtype))
    assert.same(b.shape, a.shape)
    assert(nd.allclose(a, b, tolerance or 0, tolerance or 0, { equal_nan = true }),
      ("output %d:\n%s\n%s"):format(i, tostring(a), tostring(b)))
  end
  return text
end

local function tensor(name, dtype, ndim)
  local b = {}
  for i = 1, ndim do b[i] = false end
  return T.TensorType(dtype, b)(name)
end

local function numbers(dtype, ...)
  local rng = nd.random.RandomState(11)
  local x = rng:randn(...)
  if dtype:find("complex") then x = x + rng:randn(...) * nd.complex(0, 1) end
  if dtype:find("int") then x = x * 5 end
  return x:astype(dtype)
end

describe("products on a device", function()
  if theano.config.cxx == "" then
    it("needs a compiler", function() skip.now("there is no C compiler") end)
    return
  end

  it("are tiles, of every dtype", function()
    for dtype, tolerance in pairs({ float32 = 1e-4, float64 = 1e-11, int8 = 0, uint16 = 0, int64 = 0, complex64 = 1e-4,
      complex128 = 1e-11 }) do
      local x, y, v = tensor("x", dtype, 2), tensor("y", dtype, 2), tensor("v", dtype, 1)
      local text = same({ x, y, v }, { T.dot(x, y) + v, T.dot(y.T, x.T), T.dot(x, y) * 2 },
        { numbers(dtype, 20, 33), numbers(dtype, 33, 70), numbers(dtype, 70) }, tolerance)
      assert.matches("many_x", text)
    end
  end)

  it("take strides of any sign, vectors, batches and nothing", function()
    local x, y, z = T.dmatrix("x"), T.dmatrix("y"), T.dtensor3("z")
    local outs = { T.dot(x["::-2"], y[{ T.slice(), T.slice(nil, nil, -1) }]), T.dot(x, y[{ T.slice(), 0 }]),
      T.dot(x[0], y), T.dot(x[0], x[1]), T.batched_dot(z, z:dimshuffle(0, 2, 1)), T.tensordot(z, z, { { 0, 1 }, { 0,
        1 } }),
      T.outer(x[0], x[1]), T.batched_dot(z, z:sum({ axis = 1 })), T.einsum("aij,ajk->aik", z, z:dimshuffle(0, 2, 1)) }
    same({ x, y, z }, outs, { numbers("float64", 9, 5), numbers("float64", 5, 7), numbers("float64", 3, 4, 5) }, 1e-11)
    same({ x, y, z }, { T.dot(x, y), T.batched_dot(z, z:dimshuffle(0, 2, 1)) },
      { nd.zeros({ 3, 0 }), nd.zeros({ 0, 4 }), nd.zeros({ 0, 4, 5 }) })
  end)

  it("keep one order of terms, whatever the tile", function()
    local x, y = T.fmatrix("x"), T.fmatrix("y")
    local a, b = numbers("float32", 600, 15), numbers("float32", 15, 530)
    local _ <close> = theano.config.change_flags { device = DEVICE }
    local f = theano.compile({ inputs = { x, y }, outputs = T.dot(x, y) })
    local whole = f(a, b)
    for _, rows in ipairs({ 7, 60 }) do
      assert.is_true(nd.array_equal(f(a["0:" .. rows], b), whole["0:" .. rows]))
    end
  end)

  it("go to cuBLASLt where they are large, and what follows them to a kernel", function()
    for dtype, tolerance in pairs({ float32 = 1e-4, float64 = 1e-11 }) do
      local x, y, v, z = tensor("x", dtype, 2), tensor("y", dtype, 2), tensor("v", dtype, 1), tensor("z", dtype, 3)
      local values = { numbers(dtype, 200, 170), numbers(dtype, 170, 150), numbers(dtype, 150),
        numbers(dtype, 3, 120, 130) }
      same({ x, y, v, z }, { T.tanh(T.dot(x, y) + v), T.dot(y.T, x.T), T.batched_dot(z, z:dimshuffle(0, 2, 1)) * 2,
        T.dot(x, y) * 3, T.dot(x["::-1"], y), T.dot(x, y[{ T.slice(), T.slice(nil, nil, 2) }]) }, values, tolerance)
    end
    if not DEVICE:find("emulated") then return end
    local a, b = numbers("float32", 200, 170), numbers("float32", 170, 150) -- the emulated one sums in float64
    local x, y = T.fmatrix("x"), T.fmatrix("y")
    local got = results(DEVICE, { x, y }, { T.dot(x, y) }, { a, b })[1]
    assert.is_true(nd.array_equal(nd.dot(a:astype("float64"), b:astype("float64")):astype("float32"), got))
  end)

  it("have a number for each column or an array of their shape added by cuBLASLt, and nothing else", function()
    if not DEVICE:find("emulated") then skip.now("only the emulated driver counts its calls") end
    for _, case in ipairs({ { "float32", 0, function(p, v) return p + v end },
      { "float32", 0, function(p, v) return v + p end },
      { "float64", 1, function(p, v) return p + v end }, -- it has none for them
      { "float32", 1, function(p, v) return p - v end },
      { "float32", 1, function(p, v) return T.tanh(p + v) end },
      { "float32", 1, function(p, _, u) return p + u:dimshuffle(0, "x") end },
      { "float32", 0, function(p, _, _, w) return p + w end },
      { "float64", 0, function(p, _, _, w) return w + p end },
      { "float32", 1, function(p, _, _, w) return p - w end },
      { "float32", 1, function(p, _, _, w) return p + w["::-1"] end },
      { "float32", 1, function(p, _, _, w) return p + w[":, ::-1"] end },
      { "float32", 1, function(p, v) return p + v["::-1"] end } }) do
      local dtype, launches, make = table.unpack(case)
      local x, y, v, u = tensor("x", dtype, 2), tensor("y", dtype, 2), tensor("v", dtype, 1), tensor("u", dtype, 1)
      local w = tensor("w", dtype, 2)
      local values = { numbers(dtype, 200, 170), numbers(dtype, 170, 150), numbers(dtype, 150), numbers(dtype, 200),
        numbers(dtype, 200, 150) }
      local out = make(T.dot(x, y), v, u, w)
      local _ <close> = theano.config.change_flags { device = DEVICE }
      local f = theano.compile({ inputs = { x, y, v, u, w }, outputs = out, on_unused_input = "ignore" })
      local before, products = emulated.calls("cuLaunchKernel"), emulated.calls("cublasLtMatmul")
      local got = f(table.unpack(values))
      assert.equal(launches, emulated.calls("cuLaunchKernel") - before)
      assert.equal(1, emulated.calls("cublasLtMatmul") - products)
      local scope <close> = theano.config.change_flags { device = "cpu" }
      local want = theano.compile({ inputs = { x, y, v, u, w }, outputs = out, on_unused_input = "ignore" })(
        table.unpack(values))
      assert.is_true(nd.allclose(want, got, 1e-4, 1e-4))
      assert.is_truthy(scope)
    end
  end)

  -- Rows of sums that somebody goes through are read once: the product adds the array, also behind a reshape.
  it("add an array where they are stored, and nobody who reads the sum does", function()
    if not DEVICE:find("emulated") then skip.now("it is for the emulated device") end
    local x, w, v, r = T.fmatrix("x"), T.fmatrix("w"), T.fmatrix("v"), T.fmatrix("r")
    local function norm(d)
      local axis = d.ndim - 1
      d = d - d:mean({ axis = axis, keepdims = true })
      return d / T.sqrt(T.sqr(d):mean({ axis = axis, keepdims = true }) + 1e-5)
    end
    local y, z = T.dot(x, w), T.dot(x, v)
    local function batch(d, n) return d:reshape({ 3, 7, n }) end
    local of_batch = batch(r, 24) + T.dot(batch(x, 20), w)
    for _, case in ipairs({ { 1, norm(r + y) }, { 1, y + r, norm(y + r) }, { 0, norm(y + z) }, -- a Gemm
      { 2, norm(y + r), norm(z + r) }, { 0, norm(y - r) }, { 0, norm(y + r), y },
      { 0, norm(y + r[":, 0"]:dimshuffle(0, "x")) },
      { 0, norm(y * r) }, { 0, norm(T.tanh(y + r)) }, { 1, T.grad(T.sum(norm(y + r) * r), w) }, { 1, norm(of_batch) },
      { 1, of_batch, norm(of_batch) } }) do
      local outputs = { table.unpack(case, 2) }
      local function made(device)
        local _ <close> = theano.config.change_flags { device = device }
        return theano.compile({ inputs = { x, w, v, r }, outputs = outputs, on_unused_input = "ignore" })
      end
      local f, g, added = made(DEVICE), made("cpu"), 0
      for _, rows in ipairs({ 0, 1, 21 }) do
        local args = { numbers("float32", rows, 20), numbers("float32", 20, 24), numbers("float32", 20, 24),
          numbers("float32", rows, 24) }
        if case[2].ndim == 3 and rows < 21 then goto others end
        local want = { g(table.unpack(args)) }
        for i, a in ipairs({ f(table.unpack(args)) }) do
          assert(nd.allclose(nd.asarray(a), want[i], 1e-4, 1e-4, { equal_nan = true }))
        end
        ::others::
      end
      for _, k in ipairs(theano.printing.roofline(f, nil, { compile = false }).kernels) do
        if k.m and k.title:find("Add", 1, true) then added = added + 1 end
      end
      assert.equal(case[1], added, theano.printing.plan(f))
    end
  end)

  it("are added to what is there", function()
    local x, y = T.dmatrix("x"), T.dmatrix("y")
    local function run(device)
      local _ <close> = theano.config.change_flags { device = device }
      local w = theano.shared(numbers("float64", 5, 4), "w")
      local f = theano.compile({ inputs = { x, y }, updates = { { w, w - 0.5 * T.dot(x, y) } } })
      for i = 1, 3 do f(numbers("float64", 5, 3) * i, numbers("float64", 3, 4)) end
      return w:get_value()
    end
    assert.is_true(nd.allclose(run("cpu"), run(DEVICE), 1e-12))
  end)
end)

describe("convolutions on a device", function()
  if theano.config.cxx == "" then return end

  local function check(name, options, image, filter, dtype, tolerance)
    it(name, function()
      local x, w, r = tensor("x", dtype, #image), tensor("w", dtype, #filter), tensor("r", dtype, #image)
      local three = #image == 5
      local y = three and T.nnet.conv3d(x, w, options) or T.nnet.conv2d(x, w, options)
      local gx, gw = table.unpack(T.grad(T.sum(T.sqr(y)), { x, w }))
      local text = same({ x, w, r }, { T.tanh(y + 1), gx * r, gw }, { numbers(dtype, table.unpack(image)),
        numbers(dtype, table.unpack(filter)), numbers(dtype, table.unpack(image)) }, tolerance)
      assert.matches("many_x", text)
    end)
  end
  check("valid", {}, { 3, 2, 8, 9 }, { 4, 2, 3, 2 }, "float64", 1e-10)
  it("stay tiles beside what is made of their rows", function()
    local x, w = T.dtensor4("x"), T.dtensor4("w")
    local y = T.nnet.conv2d(x, w)
    local text = same({ x, w }, { T.exp(y), y, y:sum({ axis = 1 }) }, { numbers("float64", 3, 2, 6, 5),
      numbers("float64", 4, 2, 2, 3) }, 1e-10)
    assert.matches("many_x", text)
  end)
  check("in float32", {}, { 3, 2, 8, 9 }, { 4, 2, 3, 2 }, "float32", 1e-3)
  check("full, not turned", { border_mode = "full", filter_flip = false }, { 2, 2, 5, 6 }, { 3, 2, 3, 2 }, "float64",
    1e-10)
  check("half, by steps", { border_mode = "half", subsample = { 2, 3 } }, { 2, 3, 9, 8 }, { 4, 3, 3, 3 }, "float64",
    1e-10)
  check("dilated and padded", { border_mode = { 2, 1 }, filter_dilation = { 2, 1 } }, { 2, 2, 9, 7 }, { 3, 2, 2, 3 },
    "float64", 1e-10)
  check("in groups", { num_groups = 2 }, { 2, 4, 6, 6 }, { 6, 2, 3, 3 }, "float64", 1e-10)
  check("of three dimensions", {}, { 2, 2, 4, 5, 4 }, { 3, 2, 2, 2, 3 }, "float64", 1e-10)
end)

describe("poolings on a device", function()
  if theano.config.cxx == "" then return end

  it("and their gradients are kernels", function()
    local x = T.dtensor4("x")
    local outs = {}
    for _, mode in ipairs({ "max", "sum", "average_inc_pad", "average_exc_pad" }) do
      for _, o in ipairs({ { ignore_border = true }, { ignore_border = false }, { ignore_border = true, stride = { 1,
        2 } },
        { ignore_border = true, pad = { 1, 1 }, stride = { 2, 1 } } }) do
        o.mode = mode
        local y = T.signal.pool.pool_2d(x, { 3, 2 }, o)
        outs[#outs + 1] = y * 2
        outs[#outs + 1] = T.grad(T.sum(T.sqr(y)), x)
      end
    end
    same({ x }, outs, { numbers("float64", 2, 3, 7, 8) }, 1e-11)
  end)

  it("add up windows that overlap in the CPU's order", function()
    for _, dtype in ipairs({ "float32", "float64", "float16" }) do
      local x, g = tensor("x", dtype, 4), tensor("g", dtype, 4)
      local outs = {}
      for _, mode in ipairs({ "max", "sum", "average_exc_pad" }) do
        local y = T.signal.pool.pool_2d(x, { 3, 3 }, { stride = { 2, 1 }, pad = { 1, 1 }, ignore_border = true,
          mode = mode })
        outs[#outs + 1] = T.grad(nil, x, { known_grads = { [y] = g } })
      end
      same({ x, g }, outs, { numbers(dtype, 2, 3, 7, 8), numbers(dtype, 2, 3, 4, 8) })
    end
  end)

  it("patches of images too", function()
    local x = T.dtensor4("x")
    local y = T.nnet.neighbours.images2neibs(x, { 2, 3 }, { 1, 2 }, "ignore_borders")
    same({ x }, { y, T.grad(T.sum(T.sqr(y)), x) }, { numbers("float64", 2, 2, 6, 7) }, 1e-12)
  end)
end)
