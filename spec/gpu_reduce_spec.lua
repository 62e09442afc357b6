--- Few long reductions run in parts on a device: many blocks, the last of which joins what all have; sums follow a tree
-- that lengths alone decide, everything else has the CPU's bits.
local device = require("spec.support.device")
local nd = require("theano.ndarray")
local theano = require("theano")
local T = require("theano.tensor")

describe("long reductions on a device", function()
  it("are shared out among blocks", function()
    local x = T.dvector("x")
    local text = theano.printing.ccode(theano.compile({ inputs = { x }, outputs = T.sum(T.sqr(x)) }), "cuda")
    assert.matches("g < groups %* parts", text)
    assert.matches("last_part%(", text)
  end)

  it("are the CPU's of every dtype", function()
    for _, dtype in ipairs({ "int8", "uint32", "int64", "float32", "float64" }) do
      local x = T.TensorType(dtype, { false })("x")
      local outs = { T.max(x), T.min(x), T.argmax(x), T.argmin(x), T.sum(x), T.any(T.gt(x, 2)), T.all(T.lt(x, 9)) }
      local want, got = device.both({ x }, outs)
      for _, n in ipairs({ 1, 16383, 16384, 16385, 70000 }) do
        local v = device.numbers(dtype, n)
        v[n // 2], v[n - 1] = 7, 7
        device.equal(want, got, { v }, ("%s of %d"):format(dtype, n), device.rounding[dtype])
      end
    end
  end)

  it("are the CPU's of complex numbers", function()
    local x = T.zvector("x")
    local v = device.numbers("complex128", 40000)
    device.same({ x }, { T.sum(x), T.prod(x / nd.abs(v) ) }, { v + nd.complex(0.125, 1) }, "complex", 1e-9)
  end)

  it("find NaN and the first of equal elements", function()
    local x = T.fvector("x")
    local want, got = device.both({ x }, { T.argmax(x), T.max(x), T.argmin(x), T.min(x) })
    local v = device.numbers("float32", 50000)
    device.equal(want, got, { v }, "ties")
    v[49999], v[30000] = 0 / 0, 0 / 0
    device.equal(want, got, { v }, "NaN")
  end)

  it("go along axes, with what surrounds them", function()
    local x, w = T.dmatrix("x"), T.dvector("w")
    local mean = T.mean(x, { axis = 1 })
    local outs = { mean, T.sum(T.sqr(x - mean:dimshuffle(0, "x")), { axis = 1 }) / w, T.max(x, { axis = 0 }),
      T.sum(x * w:dimshuffle(0, "x")) + 1, T.argmax(x, { axis = 1 }) }
    local want, got = device.both({ x, w }, outs)
    for _, shape in ipairs({ { 1, 40000 }, { 5, 20000 }, { 40, 16384 }, { 20000, 3 } }) do
      local a = device.numbers("float64", shape[1], shape[2])
      device.equal(want, got, { a, nd.arange(shape[1]):astype("float64") + 1 }, table.concat(shape, " x "), 1e-12)
    end
  end)

  it("of rows that are stored and read again find them in a row of their own", function()
    for _, dtype in ipairs({ "float32", "float64" }) do
      local x, y = T.TensorType(dtype, { false, false })("x"), T.TensorType(dtype, { false, false })("y")
      local h = x + y
      local d = h - T.mean(h, { axis = 1, keepdims = true })
      local outs = { h, d / T.sqrt(T.mean(T.sqr(d), { axis = 1, keepdims = true }) + 1e-5), T.max(h, { axis = 1 }) }
      local want, got = device.both({ x, y }, outs)
      for _, shape in ipairs({ { 3, 7 }, { 1, 1 }, { 0, 5 }, { 9, 64 }, { 70, 33 }, { 5, 1300 }, { 2, 11000 } }) do
        local a, b = device.numbers(dtype, shape[1], shape[2]), device.numbers(dtype, shape[2])
        local args = { a, b:reshape({ 1, -1 }) + a * 0.5 }
        device.equal(want, got, args, ("%s, %d x %d"):format(dtype, shape[1], shape[2]), device.rounding[dtype])
        args[2] = args[2]:reshape({ -1 }):reshape({ shape[2], shape[1] }).T -- its columns lie side by side
        device.equal(want, got, args, ("%s, %d x %d turned"):format(dtype, shape[1], shape[2]), device.rounding[dtype])
      end
      local a = device.numbers(dtype, 4, 40)
      a[{ 2, 7 }], a[{ 3, 39 }] = 0 / 0, math.huge
      device.equal(want, got, { a, a }, "NaN", device.rounding[dtype])
      assert.matches("rowtemp", theano.printing.plan(got))
    end
  end)

  it("of what indices take are shared out too, and fail as on the CPU", function()
    local x, i, v = T.dmatrix("x"), T.lvector("i"), T.dvector("v")
    local outs = { T.sum(T.log(x)[{ T.arange(i.shape[0]), i }]), T.sum(T.exp(v[i])) }
    local text = theano.printing.plan(theano.compile({ inputs = { v, i }, outputs = outs[2] }), "cuda")
    assert.matches("threads of i0", text, nil, true)
    local want, got = device.both({ x, i, v }, outs)
    for _, n in ipairs({ 1, 300, 20000 }) do
      local at = nd.arange(n):astype("int64") * 7 % 5
      local args = { nd.abs(device.numbers("float64", n, 5)) + 1, at, device.numbers("float64", 5) }
      device.equal(want, got, args, "of " .. n, 1e-12)
      at[n - 1] = 5
      for _, out in ipairs(outs) do
        local said, too = device.failures({ x, i, v }, { out }, args)
        assert.matches("index out of bounds: index 5 for a dimension of length 5", said, nil, true)
        assert.equal(said, too)
      end
    end
  end)

  it("of rows that are no whole vectors, or begin between two of them", function()
    for _, dtype in ipairs({ "int8", "float16", "float32", "float64" }) do
      local x, v = T.TensorType(dtype, { false, false })("x"), T.TensorType(dtype, { false })("v")
      local d = x - v
      local outs = { d:max({ axis = 1 }), d:sum({ axis = 1 }), d - d:max({ axis = 1, keepdims = true }) }
      local want, got = device.both({ x, v }, outs)
      for _, n in ipairs({ 1, 2, 3, 4, 5, 15, 16, 17, 130 }) do
        local all = device.numbers(dtype, 3, n + 2)
        for from = 0, 1 do -- whole arrays, and views into one
          local part = from == 0 and device.numbers(dtype, 3, n) or all[(":, 1:%d"):format(n + 1)]
          device.equal(want, got, { part, all[0]["1:-1"] }, ("%s, %d from %d"):format(dtype, n, from),
            dtype == "float16" and 1e-2 or device.rounding[dtype])
        end
      end
    end
  end)

  it("of a few elements each, whose number is constant, take a thread and not a warp", function()
    local x = T.tensor4("x", { dtype = "float32" })
    local outs = {}
    for _, mode in ipairs({ "max", "sum", "average_exc_pad" }) do
      outs[#outs + 1] = T.tanh(T.signal.pool.pool_2d(x, { ds = { 2, 3 }, ignore_border = true, mode = mode }))
    end
    local want, got = device.both({ x }, outs)
    for _, shape in ipairs({ { 2, 3, 9, 13 }, { 1, 1, 2, 3 }, { 3, 2, 1, 5 }, { 0, 2, 4, 6 } }) do
      local v = device.numbers("float32", table.unpack(shape))
      if v.size > 8 then v[{ 0, 0, 0, 1 }] = 0 / 0 end
      device.equal(want, got, { v }, table.concat(shape, " x "), 1e-6)
    end
    got(device.numbers("float32", 2, 3, 9, 13))
    for _, k in ipairs(theano.printing.roofline(got, "h100", { compile = false }).kernels) do
      assert.equal("threads", k.kind)
    end
  end)

  it("of columns beside what all of them read alike go down columns", function()
    local x, v = T.dmatrix("x"), T.dvector("v")
    local f = theano.compile({ inputs = { x, v }, outputs = (x / v:dimshuffle(0, "x")):sum({ axis = 0 }) })
    local a = device.numbers("float64", 300, 65)
    f(a, nd.ones(300))
    local k = theano.printing.roofline(f, "h100", { compile = false }).kernels[1]
    assert.same({ "columns", 1 }, { k.kind, k.coalesced })
    device.same({ x, v }, { (x / v:dimshuffle(0, "x")):sum({ axis = 0 }), T.dot(v, x) },
      { a, nd.arange(300):astype("float64") + 1 }, "columns", 1e-12)
  end)

  it("give the same in every run", function()
    local x = T.fvector("x")
    local _, got = device.both({ x }, T.sum(T.sin(x)))
    local v = device.numbers("float32", 100000)
    local first = got(v)
    for _ = 1, 3 do assert.equal(first, got(v)) end
  end)
end)
