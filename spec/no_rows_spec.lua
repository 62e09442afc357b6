--- Arrays without elements keep the lengths that can be known: -1 in a reshape, flatten, their gradients and what
-- rewriting makes of them, in all modes; arrays at once are as NumPy's.
local theano = require("theano")
local raises = require("spec.support.raises")
local T, nd = theano.tensor, theano.ndarray
local Mode = theano.compile.Mode

local MODES = {
  C = Mode { linker = "c", optimizer = "fast_run" },
  interpreter = Mode { linker = "interpreter", optimizer = "fast_run" },
  stabilize = Mode { linker = "interpreter", optimizer = "stabilize" },
  plain = Mode { linker = "interpreter", optimizer = "None" },
}

local function shape_of(a)
  local s = {}
  for d = 1, a.ndim do s[d] = a.shape[d] end
  return s
end

for name, mode in pairs(MODES) do
  describe("an array without rows (" .. name .. ")", function()
    local m, t, f, s = T.dmatrix("m"), T.dtensor3("t"), T.dtensor4("f"), T.lvector("s")

    local function check(want, x, out, lengths, given)
      local fn = theano.compile { inputs = { x, given and s or nil }, outputs = out, mode = mode }
      for _ = 1, 2 do
        assert.same(want, shape_of(given and fn(nd.zeros(lengths), given) or fn(nd.zeros(lengths))))
      end
    end

    it("keeps its width when flattened", function()
      check({ 0, 4 }, m, m:flatten(2), { 0, 4 })
      check({ 0, 6 }, t, t:flatten(2), { 0, 2, 3 })
      check({ 0, 0 }, t, t:flatten(2), { 0, 0, 3 })
      check({ 2, 0 }, t, t:flatten(2), { 2, 0, 3 })
      check({ 0, 2, 12 }, f, f:flatten(3), { 0, 2, 3, 4 })
      check({ 0 }, t, t:flatten(), { 0, 2, 3 })
      check({ 0, 7 }, f, T.concatenate({ f:flatten(2), T.ones { f.shape[0], 1 } }, 1), { 0, 1, 2, 3 })
    end)

    it("keeps it where a reshape says -1", function()
      check({ 0, 6 }, t, t:reshape { t.shape[0], -1 }, { 0, 2, 3 })
      check({ 0, 6 }, t, t:reshape { -1, 6 }, { 0, 2, 3 })
      check({ 0, 3, 2 }, t, t:reshape { t.shape[0], t.shape[2], -1 }, { 0, 2, 3 })
      check({ 0, 2, 3 }, m, m:reshape { m.shape[0], 2, -1 }, { 0, 6 })
      check({ 0, 2, 3 }, m, m:reshape { m.shape[0], -1, 3 }, { 0, 6 })
      check({ 3, 0, 2 }, t, t:reshape { t.shape[2], 0, -1 }, { 0, 2, 3 })
      check({ 0, 4 }, m, m:reshape { 0, -1 }, { 0, 4 })
      check({ 0, 4 }, m, m:reshape { m.shape[0], m.shape[1] }, { 0, 4 })
      check({ 5, 0 }, m, m:reshape { 5, -1 }, { 0, 4 })
      check({ 0, 5 }, m, m:reshape { 0, 5 }, { 0, 4 })
    end)

    it("keeps it where the lengths are an argument", function()
      check({ 0, 6 }, t, t:reshape(s, 2), { 0, 2, 3 }, { 0, -1 })
      check({ 0, 3, 2 }, t, t:reshape(s, 3), { 0, 2, 3 }, { -1, 3, 2 })
      check({ 0, 9 }, t, t:reshape(s, 2), { 0, 2, 3 }, { 0, 9 })
      check({ 2, 0 }, t, t:reshape(s, 2), { 2, 0, 3 }, { 2, -1 })
      check({ 4, 6 }, t, t:reshape(s, 2), { 4, 2, 3 }, { 4, -1 })
    end)

    it("keeps it through two of them, and in between", function()
      check({ 0, 6 }, t, t:reshape { t.shape[0], 3, 2 }:flatten(2), { 0, 2, 3 })
      check({ 0, 5 }, t, t:reshape { 0, 5 }:reshape { t.shape[0], -1 }, { 0, 2, 3 })
      check({ 0, 3, 2 }, t, T.exp(t:flatten(2)):reshape { t.shape[0], 3, -1 }, { 0, 2, 3 })
      check({ 0, 10 }, t, T.dot(T.tanh(t:flatten(2)), T.ones { 6, 10 }), { 0, 2, 3 })
      check({ 0, 10 }, f, T.dot(T.nnet.relu(f):flatten(2), T.ones { 24, 10 }), { 0, 2, 3, 4 })
    end)

    it("has gradients of its own shape", function()
      check({ 0, 2, 3 }, t, T.grad(T.sum(T.sqr(t:flatten(2))), t), { 0, 2, 3 })
      check({ 0, 6 }, m, T.grad(T.sum(T.sqr(m:reshape { m.shape[0], 2, -1 })), m), { 0, 6 })
      check({ 6, 10 }, t, T.dot(t:flatten(2).T, T.dot(t:flatten(2), T.ones { 6, 10 })), { 0, 2, 3 })
      local w = theano.shared(nd.ones { 6, 2 }, "w")
      local g = T.grad(T.sum(T.dot(t:reshape { t.shape[0], -1 }, w)), w)
      check({ 6, 2 }, t, g, { 0, 2, 3 })
    end)

    it("has a diagonal whose gradient has its lengths, also those that are promised to be 1", function()
      for _, pattern in ipairs({ { false, true }, { true, false }, { false, false } }) do
        local x = T.TensorType("float64", pattern)("x")
        local lengths = { pattern[1] and 1 or 0, pattern[2] and 1 or 0 }
        for k = -1, 1 do check(lengths, x, T.grad(T.sqr(T.diagonal(x, k)):sum(), x), lengths) end
      end
    end)

    it("is refused where rows would be", function()
      local function refused(x, out, lengths)
        local fn = theano.compile { inputs = { x }, outputs = out, mode = mode }
        raises("ValueError", "Cannot reshape", function() fn(nd.zeros(lengths)) end)
      end
      refused(m, m:reshape { m.shape[0], 3, -1 }, { 0, 4 })
      refused(m, m:reshape { m.shape[0], 3, -1 }, { 1, 4 })
      refused(m, m:reshape { 0, -1 }, { 2, 4 })
      refused(m, m:reshape { 0, 3, -1 }, { 0, 4 })
    end)
  end)
end

describe("an array without rows at once", function()
  it("takes -1 where NumPy does", function()
    assert.same({ 0, 4 }, shape_of(nd.zeros { 0, 4 }:reshape { -1, 4 }))
    assert.same({ 0, 6 }, shape_of(nd.zeros { 0, 2, 3 }:reshape { -1, 6 }))
    assert.same({ 4, 0 }, shape_of(nd.zeros { 0, 4 }:reshape { 4, -1 }))
    assert.same({ 0, 5 }, shape_of(nd.zeros { 0, 4 }:reshape { 0, 5 }))
    raises("ValueError", "cannot reshape array of size 0 into shape (0, -1)", function()
      nd.zeros { 0, 4 }:reshape { 0, -1 }
    end)
  end)
end)

describe("many rows without elements", function()
  local MANY = 1 << 28 -- a turn of a loop for each would take seconds
  local z = nd.zeros({ MANY, 0 })

  it("are no work", function()
    local began = os.clock()
    assert.same({ MANY, 0 }, shape_of(nd.roll(z, 1, 0)))
    assert.same({ MANY, 0 }, shape_of(nd.roll(z, 1, 1)))
    assert.same({ 2 * MANY, 0 }, shape_of(nd.tile(z, { 2, 1 })))
    assert.same({ MANY, 0 }, shape_of(nd.tri(MANY, 0)))
    assert.same({ MANY, 0 }, shape_of(nd.tril(z)))
    assert.same({ MANY, 0 }, shape_of(nd.diff(z)))
    assert.same({ 2, MANY, 0 }, shape_of(nd.indices({ MANY, 0 })))
    assert.same({ MANY, 1, 0 }, shape_of(nd.matmul(nd.zeros({ MANY, 1, 0 }), nd.zeros({ MANY, 0, 0 }))))
    assert.same({ MANY, 0, 0 }, shape_of(nd.linalg.inv(nd.zeros({ MANY, 0, 0 }))))
    assert.same({ 0, 0 }, shape_of(nd.trim_zeros(z)))
    assert.is_true(os.clock() - began < 1)
  end)

  it("are reduced some at a time, and taken out as a length", function()
    local rows, began = nd.zeros({ MANY >> 4, 0 }), os.clock()
    for _, name in ipairs({ "any", "all", "sum", "prod", "nansum", "count_nonzero" }) do
      local r = nd[name](rows, { axis = 1 })
      assert.same({ MANY >> 4 }, shape_of(r))
      assert.equal((name == "all" or name == "prod") and 1 or 0, nd.array({ r[12345] }):astype("int64")[0])
    end
    assert.same({ (MANY >> 4) - 2, 0 }, shape_of(nd.delete(rows, { 3, -1 }, 0)))
    assert.is_true(os.clock() - began < 1.5)
    raises("IndexError", "out of bounds", function() return nd.delete(nd.zeros({ 3, 0 }), 3, 0) end)
    local x, v = T.dmatrix("x"), T.dvector("v")
    local s = T.sum(x, { axis = 1 })
    local f = theano.compile { inputs = { x, v }, outputs = { (s + T.prod(x, { axis = 1 })) * v,
      T.sum(x - T.reshape(s, { -1, 1 }), { axis = 1 }) }, mode = theano.compile.Mode { linker = "interpreter" } }
    for _, n in ipairs({ 0, 7, 8, 127, 128, 129, 300 }) do
      for _, empty in ipairs({ nd.zeros({ n, 0 }), nd.zeros({ 0, n }).T, nd.zeros({ 2 * n, 4 })["::-2, 4:"] }) do
        local a, b = f(empty, nd.arange(n):astype("float64"))
        assert.is_true(nd.array_equal(a, nd.arange(n)) and nd.array_equal(b, nd.zeros(n)), n)
      end
    end
  end)

  it("are written where nothing makes something, and looked at where they may be wrong", function()
    assert.equal("[0. 0. 0.]", tostring(nd.sum(nd.zeros({ 3, 0 }), { axis = 1 })))
    assert.equal("[[0. 0.] [0. 0.]]", (tostring(nd.matmul(nd.zeros({ 2, 0 }), nd.zeros({ 0, 2 }))):gsub("%s+", " ")))
    assert.equal("[1. 1.]", tostring(nd.linalg.det(nd.zeros({ 2, 0, 0 }))))
    raises("IndexError", "out of bounds", function() return nd.zeros({ 3, 0 })[{ nd.array({ 1, 3 }) }] end)
  end)
end)
