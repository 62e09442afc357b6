--- What arguments functions take in Theano's ways, and what they refuse: lengths that are no whole numbers, lengths and
-- numbers of repeats in a vector, axes as floats.
local raises = require("spec.support.raises")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local compile = theano.compile

local MODES = {
  rewritten = compile.Mode({ linker = "interpreter", optimizer = "fast_run" }),
  written = compile.Mode({ linker = "interpreter", optimizer = "None" }),
  c = compile.Mode({ linker = "c" }),
}

describe("lengths", function()
  local x, v, d = T.dmatrix("x"), T.lvector("v"), nd.arange(6):reshape({ 2, 3 }):astype("float64")

  it("are whole numbers", function()
    for _, shape in ipairs({ { 2.5, 3 }, { T.dscalar("s"), 3 } }) do
      raises("TypeError", "integer", function() local _ = x:reshape(shape) end)
      raises("TypeError", "integer", function() T.specify_shape(x, shape) end)
      raises("TypeError", "integer", function() T.unravel_index(v, shape) end)
      raises("TypeError", "integer", function() T.tile(x, shape) end)
      raises("TypeError", "integer", function() T.zeros(shape) end)
    end
    assert.same(d:reshape({ 3, 2 }):tolist(), compile({ x }, x:reshape({ 6 / 2, 2 }))(d):tolist())
  end)

  it("in a vector of unknown length are as many as are asked for", function()
    local i, s = T.lvector("i"), T.ivector("s")
    for name, mode in pairs(MODES) do
      local f = compile({ x, s }, T.specify_shape(x, s), { mode = mode })
      for _, shape in ipairs({ {}, { 2 }, { 2, 3, 4 }, { 2, 4 } }) do
        raises("AssertionError", "SpecifyShape", function() f(d, nd.array(shape, "int32")) end)
      end
      assert.same(d:tolist(), f(d, nd.array({ 2, 3 }, "int32")):tolist(), name)
      local g = compile({ i, v }, { T.unravel_index(i, v, { ndim = 2 }) }, { mode = mode })
      local row, column = g({ 0, 5, 11 }, { 3, 4 })
      assert.same({ 0, 1, 2 }, row:tolist(), name)
      assert.same({ 0, 1, 3 }, column:tolist(), name)
      raises("AssertionError", "SpecifyShape", function() g({ 0 }, { 3, 4, 5 }) end)
      local h = compile({ i, v }, T.ravel_multi_index({ i, i }, v), { mode = mode })
      assert.same({ 0, 5, 10 }, h({ 0, 1, 2 }, { 3, 4 }):tolist(), name)
      raises("AssertionError", "SpecifyShape", function() h({ 0 }, { 3 }) end)
    end
    raises("ValueError", "lengths in a shape", function() T.unravel_index(i, v) end)
  end)

  it("of tile in a vector belong to the last dimensions", function()
    for name, mode in pairs(MODES) do
      local two = compile({ x, v }, T.tile(x, v, { ndim = 2 }), { mode = mode })
      local three = compile({ x, v }, T.tile(x, v, { ndim = 3 }), { mode = mode })
      for _, reps in ipairs({ {}, { 3 }, { 2, 3 }, { 0, 2 } }) do
        local given = nd.array(reps, "int64")
        local want = #reps == 0 and d or nd.tile(d, reps)
        assert.same(want:tolist(), two(d, given):tolist(), name)
        assert.same({ want:tolist() }, three(d, given):tolist(), name)
      end
      assert.same(nd.tile(d, { 4, 1, 2 }):tolist(), three(d, { 4, 1, 2 }):tolist(), name)
      raises("ValueError", "", function() two(d, { 1, 2, 3 }) end)
    end
    raises("ValueError", "", function() T.tile(x, v) end)
    raises("ValueError", "ndim = 1", function() T.tile(x, v, { ndim = 1 }) end)
    local twice = theano.shared(nd.array({ 2, 3 }))
    theano.gradient.verify_grad(function(a) return T.tile(a, twice, { ndim = 2 }) end, { d })
  end)
end)

describe("an axis", function()
  local x, a, d = T.dmatrix("x"), T.dscalar("a"), nd.array({ { 3.0, 1.0 }, { 2.0, 4.0 } })

  it("of sort may be a float that is a whole number", function()
    for name, mode in pairs(MODES) do
      local f = compile({ x, a }, { T.sort(x, a), T.argsort(x, a) }, { mode = mode })
      for axis = -2, 1 do
        local sorted, at = f(d, axis)
        assert.same(nd.sort(d, axis):tolist(), sorted:tolist(), name)
        assert.same(nd.argsort(d, axis):tolist(), at:tolist(), name)
      end
      raises("ValueError", "must be an integer", function() f(d, 0.5) end)
      raises("IndexError", "out of bounds", function() f(d, 2) end)
    end
    raises("ValueError", "must be an integer", function() T.sort(x, 0.5) end)
  end)

  it("is the only one of a sorter", function()
    raises("ValueError", "1 dimension", function() T.extra_ops.searchsorted(x[0], x[1], { sorter = T.lmatrix() }) end)
    raises("TypeError", "integers", function() T.extra_ops.searchsorted(x[0], x[1], { sorter = T.dvector() }) end)
  end)
end)
