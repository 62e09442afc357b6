--- ndarray: what is printed, character by character as NumPy prints it.
local nd = require("theano.ndarray")
local oracle = require("spec.support.oracle")
local raises = require("spec.support.raises")

describe("printing is NumPy's:", function()
  for i, case in ipairs(oracle.cases("array_print")) do
    it(("case %d, %s"):format(i, case.str:gsub("\n", " "):sub(1, 60)), function()
      local _ <close> = nd.printoptions(next(case.options) and case.options or { precision = 8 })
      local a = oracle.array(case)
      assert.equal(case.str, tostring(a))
      assert.equal(case.repr, nd.array_repr(a))
    end)
  end
end)

describe("print options", function()
  it("are kept until they change, and only for the block with <close>", function()
    local before = nd.get_printoptions()
    assert.same({ precision = 8, threshold = 1000, edgeitems = 3, linewidth = 75, suppress = false,
      floatmode = "maxprec", sign = "-", nanstr = "nan", infstr = "inf" }, before)
    do
      local _ <close> = nd.printoptions({ precision = 2 })
      assert.equal("[0.33]", tostring(nd.array({ 1 / 3 })))
    end
    assert.equal("[0.33333333]", tostring(nd.array({ 1 / 3 })))
    nd.set_printoptions({ threshold = math.huge })
    local text = tostring(nd.arange(1200))
    nd.set_printoptions(before)
    assert.is_nil(text:find("...", 1, true))
    assert.truthy(tostring(nd.arange(1200)):find("...", 1, true))
  end)

  it("refuse what makes no sense", function()
    raises("ValueError", "precision", function() nd.set_printoptions({ precision = -1 }) end)
    raises("ValueError", "precision", function() nd.set_printoptions({ precision = 1000 }) end)
    raises("ValueError", "edgeitems", function() nd.set_printoptions({ edgeitems = 0 }) end)
    raises("TypeError", "unknown keyword", function() nd.set_printoptions({ width = 3 }) end)
    raises("ValueError", "floatmode is", function() nd.set_printoptions({ floatmode = "exact" }) end)
    raises("ValueError", "sign", function() nd.set_printoptions({ sign = "++" }) end)
    raises("ValueError", "sign is", function() nd.set_printoptions({ sign = "*" }) end)
    raises("ValueError", "nanstr", function() nd.set_printoptions({ nanstr = ("n"):rep(16) }) end)
    raises("ValueError", "floatmode", function() nd.array2string({ 1 }, { floatmode = "x" }) end)
    assert.equal(8, nd.get_printoptions().precision)
    assert.equal("nan", nd.get_printoptions().nanstr)
  end)

  it("of array2string are its own", function()
    assert.equal("[+0.50, +1.00,  +inf]", nd.array2string({ 0.5, 1, 1 / 0 },
      { floatmode = "fixed", precision = 2, sign = "+", separator = ", " }))
    assert.equal("[0.5 1. ]", tostring(nd.array({ 0.5, 1 })))
    local _ <close> = nd.printoptions({ nanstr = "missing", infstr = "oo" })
    assert.equal("[     1. missing      oo]", tostring(nd.array({ 1, 0 / 0, 1 / 0 })))
    assert.equal("nan", tostring(nd.array(0 / 0)))
  end)

  it("hold for a view with any strides", function()
    local a = nd.arange(12):reshape(3, 4)
    assert.equal(tostring(a.T:copy()), tostring(a.T))
    assert.equal(tostring(a["::-1, ::2"]:copy()), tostring(a["::-1, ::2"]))
  end)
end)
