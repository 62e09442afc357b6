--- What fails on a GPU is named as on the CPU: the first element in order, whichever thread comes first.
local device = require("spec.support.device")
local nd = require("theano.ndarray")
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
