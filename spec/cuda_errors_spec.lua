--- What fails on a GPU is named as on the CPU: the first element in order, whichever thread comes first.
local device = require("spec.support.device")
local emulated = require("spec.support.emulated")
local nd = require("theano.ndarray")
local theano = require("theano")
local T = require("theano.tensor")

local function bad(shape, ...)
  local n, at = 1, { ... }
  for _, k in ipairs(shape) do n = n * k end
  local i = nd.arange(n) % 5
  for k, p in ipairs(at) do i[p] = 8 + k end
  return i:reshape(shape)
end

describe("an element that fails on a GPU", function()
  local x, q, i, m = T.dvector("x"), T.dmatrix("q"), T.lvector("i"), T.lmatrix("m")
  local five, one = nd.ones({ 5 }), bad({ 3000 }, 700, 1800)
  local two = bad({ 30, 100 }, 699, 703, 2900)
  local cases = {
    ["in a sum shared out among blocks"] = { { x, i }, { T.sum(x[i]) }, { five, one } },
    ["of neighbours"] = { { x, i }, { x[i] * 2 }, { five, one } },
    ["of columns"] = { { x, m }, { x[{ m }]:sum { axis = 0 } }, { five, two } },
    ["of rows"] = { { x, m }, { x[{ m }]:sum { axis = 1 } }, { five, two } },
    ["where something is stored"] = { { x, i }, { T.inc_subtensor(x[i], 1) }, { five, one } },
    ["of rows of several stages"] = { { q, i }, { T.nnet.categorical_crossentropy(T.nnet.softmax(q), i):mean() },
      { nd.ones({ 3000, 5 }), one } },
    ["in arithmetic"] = { { i }, { T.sum(100 // (i - 2)) }, { nd.arange(3000) } },
  }
  for name, case in pairs(cases) do
    it("is the first one: " .. name, function()
      local inputs, outputs, args = table.unpack(case)
      for _ = 1, 2 do
        local want, got = device.failures(inputs, outputs, args)
        assert.equal(want, got)
      end
    end)
  end
end)

describe("memory of a GPU that is too small", function()
  it("is told with the node, what was asked for, what is in use and what would do; the next call is right", function()
    local _ <close> = theano.config.change_flags(emulated.flags)
    local x = T.dmatrix("x")
    local f = theano.compile { inputs = { x }, outputs = { T.dot(T.tanh(T.dot(x, x.T)), x), T.exp(x) } }
    f(nd.ones({ 3, 3 }))
    emulated.memory(3000000)
    local ok, e = pcall(f, nd.ones({ 500, 400 }))
    emulated.memory(1 << 40)
    assert.is_false(ok)
    assert.equal("MemoryError", theano.error_kind(e))
    -- which of the two results does not fit depends on what the device keeps of earlier functions
    assert.matches("asked for [12]%d+ bytes", tostring(e))
    for _, words in ipairs({ "in use, of", "fewer rows at once", "this call plans",
      "Apply node that caused the error: Elemwise{Tanh}[(0, 0)](Dot22.0)", "cuda_errors_spec.lua:" }) do
      assert.matches(words, tostring(e), nil, true)
    end
    assert.equal(500, f(nd.ones({ 500, 400 }))[{ 0, 0 }])
  end)
end)
