--- T.nnet.dropout: elements and their mean, the gradient through the same mask, generators, p, the switch.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")
local T = theano.tensor

local SOURCES = {
  RandomStreams = function(seed) return theano.random.RandomStreams(seed) end,
  MRG_RandomStreams = function(seed) return theano.random.MRG_RandomStreams(seed) end,
  Key = function(seed) return theano.random.Key(seed) end,
}

for name, make in pairs(SOURCES) do
  describe("dropout by " .. name, function()
    for _, dtype in ipairs({ "float32", "float64" }) do
      it("leaves out elements of " .. dtype .. " and scales the others, in its gradient, too", function()
        local x = T.TensorType(dtype, { false, false })("x")
        local y = T.nnet.dropout(x, 0.25, make(12))
        assert.equal(dtype, y.dtype)
        local f = theano.compile { inputs = { x }, outputs = { y, T.grad(T.sum(y * 3), x) } }
        local v = nd.arange(1, 10001):reshape(100, 100):astype(dtype)
        local out, grad = f(v)
        local kept = out:neq(0):astype("float64")
        assert.is_true(math.abs(kept:mean() - 0.75) < 0.02) -- 4.6 deviations
        assert.is_true(nd.allclose(out, v * kept / 0.75, 1e-6))
        assert.is_true(nd.allclose(grad, 3 * kept / 0.75, 1e-6))
      end)
    end
  end)
end

describe("dropout", function()
  local srng = theano.random.MRG_RandomStreams(5)
  local x = T.dvector("x")
  local ones = nd.ones(2000)

  it("draws anew in each call", function()
    local f = theano.compile { inputs = { x }, outputs = T.nnet.dropout(x, 0.5, srng) }
    assert.is_false(nd.array_equal(f(ones), f(ones)))
  end)

  it("takes a p that only a call knows, and checks it", function()
    local p = T.dscalar("p")
    local f = theano.compile { inputs = { x, p }, outputs = T.nnet.dropout(x, p, srng) }
    assert.is_true(math.abs(f(ones, 0.9):mean() - 1) < 0.35)
    assert.is_true(nd.array_equal(ones, f(ones, 0.0)))
    for _, bad in ipairs({ 1.0, -0.1, 0 / 0 }) do
      raises("AssertionError", "p must lie in [0, 1)", function() f(ones, bad) end)
    end
  end)

  it("is switched off by train = false, by a scalar in the call, and by p = 0", function()
    assert.equal(x, T.nnet.dropout(x, 0.5, srng, { train = false }))
    assert.equal(x, T.nnet.dropout(x, 0, srng))
    local train = T.iscalar("train")
    local f = theano.compile { inputs = { x, train }, outputs = T.nnet.dropout(x, 0.5, srng, { train = train }) }
    assert.is_true(nd.array_equal(ones, f(ones, 0)))
    assert.is_false(nd.array_equal(ones, f(ones, 1)))
  end)

  it("keeps the pattern of x and any number of dimensions", function()
    local row, scalar = T.drow("row"), T.dscalar("s")
    assert.same({ true, false }, { table.unpack(T.nnet.dropout(row, 0.5, srng).broadcastable) })
    local f = theano.compile { inputs = { scalar }, outputs = T.nnet.dropout(scalar, 0.5, srng) }
    local v = f(3.0)
    assert.is_true(v == 0 or v == 6)
  end)

  it("refuses what is no probability, no generator, no floats", function()
    raises("ValueError", "[0, 1)", function() T.nnet.dropout(x, 1, srng) end)
    raises("ValueError", "[0, 1)", function() T.nnet.dropout(x, -0.5, srng) end)
    raises("ValueError", "[0, 1)", function() T.nnet.dropout(x, 0 / 0, srng) end)
    raises("TypeError", "srng", function() T.nnet.dropout(x, 0.5, nd.random.RandomState(1)) end)
    raises("TypeError", "srng", function() T.nnet.dropout(x, 0.5) end)
    raises("TypeError", "floats", function() T.nnet.dropout(T.lvector("n"), 0.5, srng) end)
    raises("TypeError", "scalar", function() T.nnet.dropout(x, T.dvector("p"), srng) end)
    raises("TypeError", "unknown keyword", function() T.nnet.dropout(x, 0.5, srng, { trian = true }) end)
  end)
end)
