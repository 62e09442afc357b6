--- The interpreter and generated C give the same bits: functions of every kind of kernel, some of them a day.
local both = require("spec.support.both")
local cpu = require("spec.support.cpu")
local rotate = require("spec.support.rotate")
local skip = require("spec.support.skip")
local theano = require("theano")
local units = require("spec.support.unit_golden")
local T, nd = theano.tensor, theano.ndarray

-- nil, or how the executors differ on arguments of these lengths.
local function differ(case, size)
  local flags = {}
  for f, v in pairs(case.flags or {}) do
    if f ~= "device" and f ~= "linker" then flags[f] = v end
  end
  local _ <close> = theano.config.change_flags(flags)
  return both.check(case[3], function(inputs)
    local rng, list = nd.random.RandomState(size), {}
    for i, x in ipairs(inputs) do list[i] = both.argument(rng, x, size) end
    return list
  end)
end

describe("the interpreter and C", function()
  for _, case in ipairs(rotate.some(units.cases(), 5)) do
    it("agree bit by bit on " .. case[1] .. ": " .. case[2], function()
      cpu.only("the bits of the CPU's two executors")
      skip.unless(theano.config.cxx ~= "", "no C compiler")
      for _, size in ipairs({ 7, 33 }) do
        local why = differ(case, size)
        assert(not why, ("%s, lengths of %d (TH_SEED=%d): %s"):format(case[1], size, rotate.seed, why))
      end
    end)
  end

  it("add truth values at indices as truth values", function()
    local i = nd.array({ 0, 0, 1, 2 }, "int64")
    for _, mode in pairs(both.modes) do
      local x, at = T.TensorType("bool", { false })("x"), T.lvector("at")
      local f = theano.compile({ inputs = { x, at }, outputs = T.inc_subtensor(x[at], x[at]), mode = mode })
      local r = f(nd.array({ true, false, true, false }), i)
      assert.same({ 1, 0, 1, 0 }, { r:tostring():byte(1, -1) })
    end
  end)
end)
