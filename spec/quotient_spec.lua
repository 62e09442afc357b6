--- A vector divided by one number goes by its reciprocal and exact remainders: the very bits of a division, for all
-- numbers, in the range where that holds and outside of it.
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local Mode = theano.compile.Mode

describe("a vector divided by one number", function()
  for _, dtype in ipairs({ "float64", "float32" }) do
    it("has the bits of a division: " .. dtype, function()
      skip.unless(theano.config.cxx ~= "", "no C compiler")
      local x, s = T.vector("x", { dtype = dtype }), T.scalar("s", { dtype = dtype })
      local function divide(a, b, linker)
        return theano.compile { inputs = { x, s }, outputs = a / b, mode = Mode({ linker = linker }) }
      end
      local f, g = divide(x, s, "c"), divide(x, s, "interpreter")
      if theano.config.device == "cpu" and theano.printing.ccode(f):find("x8 ", 1, true) then
        assert.is_truthy(theano.printing.ccode(f):find("quot_", 1, true))
      end
      local rng = nd.random.RandomState(3)
      local odd = { 0, -0.0, 1 / 0, -1 / 0, 0 / 0, 2.0 ^ -1074, 2.0 ^ -149, 1.7e308, 3.4e38, -1.5 }
      local powers = { 0, 3, -3, 50, -50, 190, -190, 210, -210, -1060, 900, 39, -39, 41, -41, 61, -61, 120, -120 }
      for k = 1, 190 do
        local a = rng:uniform(1, 2, { 259 })
        local by = rng:uniform(-2, 2, { 1 })[0] * 2.0 ^ powers[k % #powers + 1]
        if k % 2 == 0 then a = nd.exp(a * 8 - 12) end
        if k % 3 == 0 then a = a * 2.0 ^ powers[(k * 7) % #powers + 1] end
        if k % 5 == 0 then -- quotients near the middle of two numbers
          a = nd.asarray(nd.array(rng:randint(1, 1000, { 259 }), "float64") * by + by / 2)
        end
        if k % 7 == 0 then for i, o in ipairs(odd) do a[i * 20] = o end end
        if k % 11 == 0 then by = odd[k % #odd + 1] end
        local v, n = nd.array(a, dtype), nd.array(by, dtype)
        assert.equal(g(v, n):tobytes(), f(v, n):tobytes(), by)
      end
    end)
  end

  it("in rows, in both executors", function()
    local m = T.dmatrix("m")
    local y = { m / m:sum { axis = 1, keepdims = true }, T.nnet.softmax(m), (m - m:mean()) / m:std() }
    local v = nd.random.RandomState(1):uniform(0, 1, { 13, 37 })
    v[{ 4, 5 }] = 0
    local a = { theano.compile({ inputs = { m }, outputs = y[1], mode = Mode({ linker = "c" }) })(v),
      theano.compile({ inputs = { m }, outputs = y[1], mode = Mode({ linker = "interpreter" }) })(v) }
    if theano.config.device == "cpu" then assert.equal(a[1]:tobytes(), a[2]:tobytes()) end -- a GPU has its own order
    assert.is_true(nd.allclose(a[1], a[2], 1e-14, 0))
    for i = 2, 3 do
      assert.is_true(nd.allclose(theano.compile({ inputs = { m }, outputs = y[i] })(v),
        theano.compile({ inputs = { m }, outputs = y[i], mode = Mode({ linker = "interpreter" }) })(v), 1e-13, 1e-14))
    end
  end)
end)
