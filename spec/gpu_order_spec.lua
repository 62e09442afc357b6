--- What orders, counts and accumulates runs on a device (kernels of core/runtime/gpu) with the CPU's results.
local device = require("spec.support.device")
local nd = require("theano.ndarray")
local T = require("theano.tensor")

local ALL = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
  "complex64", "complex128" }
local LENGTHS = { 0, 1, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025 }

describe("running sums and products on a device", function()
  it("are the CPU's, of every dtype", function()
    for _, dtype in ipairs(ALL) do
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
