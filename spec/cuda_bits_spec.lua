--- What a GPU computes with the CPU's bits: functions that are our own (core/ops/math/vmath_all.h) have one text for
-- both, and sums of products are chains of fused multiply-adds in one order.
local device = require("spec.support.device")
local nd = require("theano.ndarray")
local skip = require("spec.support.skip")
local T = require("theano.tensor")

-- The CPU of the specs fuses too.
local function fused()
  local cpu <close> = io.open("/proc/cpuinfo")
  if os.getenv("THEANO_ISA") == "sse2" or not (cpu and cpu:read("a"):find(" fma ", 1, true)) then
    skip.now("this CPU has no fused multiply-adds")
  end
end

local function matrix(dtype, n, m)
  return nd.sin(nd.arange(n * m):astype("float64") * 0.37):reshape({ n, m }):astype(dtype)
end

describe("the bits of a GPU are the CPU's", function()
  for _, dtype in ipairs({ "float32", "float64" }) do
    it("in elementary functions of " .. dtype, function()
      fused()
      local x = T.matrix("x", { dtype = dtype })
      local odd = nd.array({ 0.0, -0.0, 1.0, 1e-30, 88.5, -103.5, 709.5, -745, 1 / 0, -1 / 0, 0 / 0, 20, -20, 1e5, -1e5,
        0.5, 2, 3, 4, 5 })
      local at = nd.concatenate({ matrix(dtype, 30, 20) * 30, odd:astype(dtype):reshape({ 1, 20 }) }, { axis = 0 })
      device.same({ x }, { T.exp(x), T.expm1(x), T.tanh(x), T.nnet.sigmoid(x), T.nnet.softplus(x), T.log(T.abs_(x)),
        T.log1p(T.abs_(x)), T.erf(x), T.erfc(x), T.erfc(x / 6) }, { at }, dtype)
    end)

    it("in products of matrices of " .. dtype .. ", up to 1024 terms", function()
      fused()
      for _, s in ipairs({ { 20, 30, 784 }, { 33, 200, 20 }, { 64, 64, 64 }, { 17, 40, 1000 } }) do
        local like = { dtype = dtype }
        local x, y, z = T.matrix(nil, like), T.matrix(nil, like), T.matrix(nil, like)
        local a, b, c = matrix(dtype, s[1], s[3]), matrix(dtype, s[3], s[2]), matrix(dtype, s[1], s[2])
        device.same({ x, y, z }, { T.dot(x, y), z * 0.5 - 0.1 * T.dot(x, y) }, { a, b, c }, table.concat(s, "x"))
      end
    end)
  end
end)
