--- What orders, counts and accumulates runs on a device (kernels of core/runtime/gpu) with the CPU's results.
local device = require("spec.support.device")
local nd = require("theano.ndarray")
local rotate = require("spec.support.rotate")
local T = require("theano.tensor")

local ALL = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
  "complex64", "complex128" }
local LENGTHS = { 0, 1, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025 }

describe("running sums and products on a device", function()
  it("are the CPU's, of every dtype", function()
    for _, dtype in ipairs(rotate.some(ALL, 4)) do
      local x = T.TensorType(dtype, { false, false })("x")
      local v = device.numbers(dtype, 37, 70)
      local outs = { T.cumsum(x, { axis = 0 }), T.cumsum(x, { axis = 1 }), T.cumprod(x, { axis = 1 }), T.cumsum(x) }
      device.same({ x }, outs, { v }, dtype, device.rounding[dtype])
    end
  end)

  it("are the CPU's at lengths around a block's, and of long lanes", function()
    local x = T.lvector("x")
    local want, got = device.both({ x }, { T.cumsum(x), T.cumprod(x) })
    for _, n in ipairs(LENGTHS) do device.equal(want, got, { device.numbers("int64", n) }, "length " .. n) end
    for _, n in ipairs({ 4095, 4096, 4097, 100000 }) do
      device.equal(want, got, { device.numbers("int64", n) }, "length " .. n)
    end
  end)

  it("are the CPU's of views, of nothing, and of no dimension", function()
    local x, s = T.dtensor3("x"), T.dscalar("s")
    local flipped = x["::-1, ::2, :"]:transpose(2, 0, 1)
    local outs = {}
    for axis = 0, 2 do outs[#outs + 1] = T.cumsum(flipped, { axis = axis }) end
    outs[#outs + 1] = T.cumsum(s)
    local want, got = device.both({ x, s }, outs)
    device.equal(want, got, { device.numbers("float64", 3, 9, 50)["::-1, :, ::-1"], 2.5 }, "view")
    device.equal(want, got, { nd.zeros({ 3, 0, 4 }), -0.0 }, "nothing")
  end)

  it("carry NaN and infinity from where they stand", function()
    local x = T.fvector("x")
    local v = device.numbers("float32", 5000)
    v[700], v[4200] = math.huge, 0 / 0
    device.same({ x }, { T.cumsum(x), T.cumprod(T.sgn(x)) }, { v }, "NaN")
  end)
end)

local function with_nan(v, at)
  if v.dtype:sub(1, 5) == "float" then for _, i in ipairs(at) do v[i] = 0 / 0 end end
  if v.dtype:sub(1, 7) == "complex" then
    v[at[1]], v[at[2]] = nd.complex(0 / 0, 1), nd.complex(1, 0 / 0)
    v[at[3]] = nd.complex(0 / 0, 0 / 0)
  end
  return v
end

describe("order on a device", function()
  it("is the CPU's: values and positions of every dtype, with ties and NaN", function()
    for _, dtype in ipairs(rotate.some(ALL, 4)) do
      local x = T.TensorType(dtype, { false })("x")
      local want, got = device.both({ x }, { T.sort(x), T.argsort(x) })
      for _, n in ipairs({ 0, 1, 2, 33, 300 }) do
        local v = device.numbers(dtype, n)
        device.equal(want, got, { n > 30 and with_nan(v, { 3, 17, 29 }) or v }, ("%s of %d"):format(dtype, n))
      end
    end
  end)

  it("is the CPU's at lengths around a block's", function()
    local x = T.ivector("x")
    local want, got = device.both({ x }, { T.sort(x), T.argsort(x) })
    for _, n in ipairs(LENGTHS) do device.equal(want, got, { device.numbers("int32", n) }, "length " .. n) end
    local long = (nd.arange(100000):astype("int64") * 7919 % 100003):astype("int32")
    device.equal(want, got, { long }, "100000")
  end)

  it("goes along any axis of any view", function()
    local x, axis = T.ftensor3("x"), T.iscalar("axis")
    local v = x["::-1, :, ::2"]
    local outs = { T.sort(v, { axis = axis }), T.argsort(v:transpose(2, 0, 1), { axis = 1 }) }
    local want, got = device.both({ x, axis }, outs)
    for a = -3, 2 do
      device.equal(want, got, { device.numbers("float32", 5, 40, 9)[":, ::-1"], nd.array(a, "int32") }, "axis " .. a)
    end
    local said, too = device.failures({ x, axis }, outs, { device.numbers("float32", 2, 2, 2), nd.array(3, "int32") })
    assert.matches("axis 3 is out of bounds", said, nil, true)
    assert.equal(said, too)
  end)

  it("puts -0.0 where the CPU does", function()
    local x = T.dvector("x")
    local want, got = device.both({ x }, { 1 / T.sort(x), T.argsort(x), 1 / T.unique(x) })
    device.equal(want, got, { nd.array({ 0.0, -0.0, 1, -0.0, 0.0, 0 / 0, -1 }) })
  end)

  it("takes the largest and the smallest", function()
    for _, dtype in ipairs(rotate.some(ALL, 4)) do
      if dtype:sub(1, 7) ~= "complex" then
        local x, k = T.TensorType(dtype, { false, false })("x"), T.lscalar("k")
        local outs = { T.topk_and_argtopk(x, k) }
        outs[3] = T.topk(x, k, { axis = 0 })
        outs[4] = T.argtopk(x, k, { axis = 1, idx_dtype = "int32" })
        local want, got = device.both({ x, k }, outs)
        for _, n in ipairs({ 1, 3, -2, -7 }) do
          device.equal(want, got, { device.numbers(dtype, 7, 40), nd.array(n, "int64") }, ("%s, %d"):format(dtype, n))
        end
      end
    end
  end)

  it("finds places in a sorted vector", function()
    for _, dtype in ipairs(rotate.some(ALL, 4)) do
      local x, v = T.TensorType(dtype, { false })("x"), T.TensorType(dtype, { false, false })("v")
      local sorter = T.argsort(x)
      local outs = {}
      for _, side in ipairs({ "left", "right" }) do
        outs[#outs + 1] = T.searchsorted(T.sort(x), v, { side = side })
        outs[#outs + 1] = T.searchsorted(x["::-1"], v.T, { side = side, sorter = x.shape[0] - 1 - sorter })
      end
      local want, got = device.both({ x, v }, outs)
      for _, n in ipairs({ 0, 1, 40 }) do
        local a = device.numbers(dtype, n)
        device.equal(want, got, { n > 30 and with_nan(a, { 3, 17, 29 }) or a, device.numbers(dtype, 5, 13) }, dtype)
      end
    end
  end)

  it("names the first place of a sorter that is out of bounds", function()
    local x, s = T.dvector("x"), T.lvector("s")
    local at = nd.arange(1000):astype("int64")
    at[500], at[77], at[900] = 1000, -1, 5000
    local said, too = device.failures({ x, s }, { T.searchsorted(x, x, { sorter = s }) },
      { device.numbers("float64", 1000), at })
    assert.matches("sorter[77] = -1 is out of bounds for 1000 elements", said, nil, true)
    assert.equal(said, too)
  end)

  it("tells elements and rows apart", function()
    for _, dtype in ipairs(rotate.some(ALL, 4)) do
      local x, m = T.TensorType(dtype, { false })("x"), T.TensorType(dtype, { false, false })("m")
      local all = { return_index = true, return_inverse = true, return_counts = true }
      local outs = { T.unique(x), T.unique_values(x) }
      for _, y in ipairs({ T.unique_all(x) }) do outs[#outs + 1] = y end
      for _, y in ipairs({ T.unique(x, all) }) do outs[#outs + 1] = y end
      for _, y in ipairs({ T.unique(m["::-1, ::2"], { return_index = true, return_inverse = true, return_counts = true,
        axis = 0 }) }) do outs[#outs + 1] = y end
      local want, got = device.both({ x, m }, outs)
      for _, n in ipairs({ 0, 1, 300 }) do
        local a = device.numbers(dtype, n)
        device.equal(want, got, { n > 30 and with_nan(a, { 3, 17, 29 }) or a, device.numbers(dtype, n, 4) }, dtype)
      end
    end
  end)
end)

describe("what is found on a device", function()
  it("is the CPU's: positions, masks, counts of every dtype", function()
    for _, dtype in ipairs(rotate.some(ALL, 4)) do
      local x, w = T.TensorType(dtype, { false, false, false })("x"), T.dtensor3("w")
      local outs = { T.nonzero(x["::-1, :, ::2"]) }
      outs[#outs + 1] = w[T.neq(x, 0)]
      outs[#outs + 1] = T.flatnonzero(x)
      local want, got = device.both({ x, w }, outs)
      for _, n in ipairs({ 0, 1, 9 }) do
        device.equal(want, got, { device.numbers(dtype, n, 7, 12), device.numbers("float64", n, 7, 12) }, dtype)
      end
    end
  end)

  it("is the CPU's of many", function()
    local x = T.bvector("x")
    local want, got = device.both({ x }, { T.flatnonzero(x), T.compress(T.gt(x, 0), x) })
    for _, n in ipairs({ 1023, 1024, 1025, 100000 }) do
      device.equal(want, got, { device.numbers("int8", n) }, "of " .. n)
    end
  end)

  it("is repeated, and a negative number is named", function()
    local x, r = T.dmatrix("x"), T.ivector("r")
    local outs = { T.repeat_(x, r, { axis = 0 }), T.repeat_(x, 3) }
    local want, got = device.both({ x, r }, outs)
    for _, n in ipairs({ 0, 1, 300 }) do
      device.equal(want, got, { device.numbers("float64", n, 2), nd.abs(device.numbers("int32", n)) }, "of " .. n)
    end
    local bad = nd.ones({ 400 }, "int32")
    bad[300], bad[123] = -4, -1
    local said, too = device.failures({ x, r }, outs, { device.numbers("float64", 400, 2), bad })
    assert.matches("repeats[123] = -1", said, nil, true)
    assert.equal(said, too)
  end)
end)
