--- nd.polynomial against NumPy's numbers (spec/data/polynomial.json, written by scripts/make-polynomial-data.py), in
-- graphs, and with what is wrong.
local nd = require("theano.ndarray")
local T = require("theano.tensor")
local oracle = require("spec.support.oracle")
local theano = require("theano")

local DATA = oracle.cases("polynomial")

describe("series as NumPy's:", function()
  local env = { nd = nd, polynomial = nd.polynomial }
  for name, a in pairs(DATA.inputs) do env[name] = oracle.array(a) end
  for _, case in ipairs(DATA.cases) do
    it(case.call, function()
      local got = table.pack(assert(load("return " .. case.call, "=call", "t", env))())
      assert.equal(#case.want, got.n)
      for i, want in ipairs(case.want) do
        local a = nd.asarray(got[i])
        if type(got[i]) == "number" then a = nd.asarray(got[i], want.dtype) end -- Lua tells integers and floats alone
        assert.is_nil(oracle.differs(a, want, case.rtol, case.rtol * 1e-2))
        assert.equal(want.dtype, a.dtype)
      end
    end)
  end
end)

describe("series of nd.polynomial", function()
  local P = nd.polynomial
  local function raises(class, pattern, fn, ...)
    local ok, message = pcall(fn, ...)
    assert.is_false(ok)
    assert.matches(class .. ": .*" .. pattern, tostring(message))
  end

  it("say what they are, and equal those that are the same", function()
    assert.equal("1.0 + 2.0 x - 3.5 x**2", tostring(P.Polynomial { 1, 2, -3.5 }))
    assert.equal("1.0 + 2.0 T_1(x) + 3.0 T_2(x)", tostring(P.Chebyshev { 1, 2, 3 }))
    assert.equal("0.5 + 1.0 (-1.0 + 2.0 t)", tostring(P.Polynomial({ 0.5, 1 }, { domain = { 0, 1 }, symbol = "t" })))
    assert.is_true(P.Legendre { 1, 2 } == P.Legendre { 1.0, 2.0 })
    assert.is_false(P.Legendre { 1, 2 } == P.Legendre { 1, 3 })
    assert.is_false(P.Legendre { 1, 2 } == P.Chebyshev { 1, 2 })
    assert.equal(2, P.Hermite { 1, 2, 3 }:degree())
    assert.equal(3, #P.Hermite { 1, 2, 3 })
  end)

  it("are composed where one is called with another", function()
    local p, q = P.Polynomial { 1, 2, 3 }, P.Polynomial { -1, 0.5 }
    assert.is_true(nd.allclose(p(q(nd.arange(5))), p(q)(nd.arange(5))))
    assert.is_true(nd.allclose(p(P.Laguerre { 0.5, 2 })(0.75), p(P.Laguerre { 0.5, 2 }(0.75))))
  end)

  it("take Variables, with gradients", function()
    local x = T.dvector("x")
    local at = nd.linspace(-0.9, 0.9, 5)
    for class in pairs({ Polynomial = 1, Chebyshev = 1, Legendre = 1, Hermite = 1, HermiteE = 1, Laguerre = 1 }) do
      local p = P[class]({ 0.5, -1, 2, 0.25 }, { domain = { -2, 3 } })
      local f = theano.compile { inputs = { x }, outputs = { p(x), T.grad(T.sum(p(x)), x) } }
      local value, slope = f(at)
      assert.is_true(nd.allclose(p(at), value, 1e-13, 1e-13), class)
      assert.is_true(nd.allclose(p:deriv()(at), slope, 1e-12, 1e-12), class)
    end
    assert.equal(P.legendre.legval(0.3, { 1, 2, 3 }), P.legendre.legval(T.constant(0.3), { 1, 2, 3 }):eval())
  end)

  it("integrate by their nodes what they should, however many there are", function()
    for family, total in pairs({ legendre = 2, chebyshev = math.pi, hermite = math.sqrt(math.pi),
      hermite_e = math.sqrt(2 * math.pi), laguerre = 1 }) do
      local name = ({ legendre = "leg", chebyshev = "cheb", hermite = "herm", hermite_e = "herme", laguerre = "lag" })
      for _, n in ipairs { 1, 2, 3, 10, 64, 150 } do
        local x, w = P[family][name[family] .. "gauss"](n)
        assert.is_true(nd.all(nd.isfinite(x)) and nd.all(nd.isfinite(w)), family .. n)
        assert.is_true(math.abs(w:sum() - total) < 1e-12, family .. n)
        if n > 2 then -- the square of p_2, beside the family's own measure of it
          local two = P[family][name[family] .. "val"](x, { 0, 0, 1 })
          local known = ({ legendre = 2 / 5, chebyshev = math.pi / 2, hermite = 8 * math.sqrt(math.pi),
            hermite_e = 2 * math.sqrt(2 * math.pi), laguerre = 1 })[family]
          assert.is_true(math.abs((two * two * w):sum() / known - 1) < 1e-11, family .. n)
        end
      end
    end
  end)

  it("say what is wrong", function()
    local cheb, poly = P.chebyshev, P.polynomial
    raises("ValueError", "chebval: there are no coefficients", cheb.chebval, 0.5, {})
    raises("ValueError", "vector, not an array of 2 dimensions", cheb.chebadd, { { 1, 2 } }, { 1 })
    raises("ZeroDivisionError", "polydiv: the divisor is zero", poly.polydiv, { 1, 2 }, { 0 })
    raises("TypeError", "legfit: x is a vector", P.legendre.legfit, { { 1, 2 } }, { 1, 2 }, 1)
    raises("TypeError", "3 places, 2 values", P.legendre.legfit, { 1, 2, 3 }, { 1, 2 }, 1)
    raises("ValueError", "deg is at least 0, not %-1", poly.polyfit, { 1, 2 }, { 1, 2 }, -1)
    raises("TypeError", "deg is an integer", poly.polyvander, { 1, 2 }, 1.5)
    raises("ValueError", "places of shapes", cheb.chebval2d, { 1, 2 }, { 1, 2, 3 }, nd.ones { 2, 2 })
    raises("ValueError", "2 constants for 1 integrals", poly.polyint, { 1 }, 1, { 1, 2 })
    raises("ValueError", "axis 3 is out of range", poly.polyder, nd.ones { 2, 2 }, { axis = 3 })
    raises("TypeError", "unknown keyword 'order'", poly.polyder, { 1, 2 }, { order = 2 })
    raises("ValueError", "chebcompanion: a series of degree 1", cheb.chebcompanion, { 1 })
    raises("TypeError", "the domains differ", function()
      return P.Chebyshev { 1 } + P.Chebyshev({ 1 }, { domain = { 0, 1 } })
    end)
    raises("TypeError", "another kind of series", function() return P.Chebyshev { 1 } * P.Legendre { 1 } end)
    raises("TypeError", "divided by a number", function() return P.Chebyshev { 1, 2 } / P.Chebyshev { 1, 2 } end)
    raises("AttributeError", "no 'der'", function() return P.Chebyshev({ 1, 2 }).der end)
    raises("AttributeError", "no 'ones'", function() return P.Chebyshev.ones end)
    raises("TypeError", "'coef' is missing", P.Chebyshev)
    raises("ValueError", "an interval is two numbers", P.Chebyshev, { 1 }, { domain = { 1, 2, 3 } })
    raises("ValueError", "pow is at most 3, not 9", poly.polypow, { 1, 2 }, 9, 3)
  end)
end)
