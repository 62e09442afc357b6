--- Functions of SciPy on arrays against SciPy's numbers (spec/data/scipy.json, written by scripts/make-scipy-data.py).
local nd = require("theano.ndarray")
local oracle = require("spec.support.oracle")

local DATA = oracle.cases("scipy")

describe("as SciPy:", function()
  local env = { nd = nd, T = require("theano.tensor"), math = math, select = select }
  for name, a in pairs(DATA.inputs) do env[name] = oracle.array(a) end
  for name, text in pairs(DATA.functions) do env[name] = assert(load("return " .. text, "=" .. name, "t", env))() end
  for _, case in ipairs(DATA.cases) do
    it(case.call, function()
      local got = table.pack(assert(load("return " .. case.call, "=call", "t", env))())
      assert.equal(#case.want, got.n)
      for i, want in ipairs(case.want) do
        local a = nd.asarray(got[i])
        if type(got[i]) == "number" then a = nd.asarray(got[i], want.dtype) end -- Lua tells integers and floats alone
        assert.equal(want.dtype, a.dtype)
        assert.is_nil(oracle.differs(a, want, case.rtol, case.rtol * 1e-3))
      end
    end)
  end
end)
