--- Structural operations end to end: values, types, gradients and errors of shapes, subscripts, joins, products and
-- rows.
local theano = require "theano"
local T = require "theano.tensor"
local nd = require "theano.ndarray"
local raises = require("spec.support.raises")

local modes = { "None", "FAST_RUN" }

local function evaluate(mode, inputs, output, ...)
  return theano.compile { inputs = inputs, outputs = output, mode = mode }(...)
end

--- Value as nested tables and numbers, the same in every mode.
local function value(inputs, output, ...)
  local first
  for _, mode in ipairs(modes) do
    local got = evaluate(mode, inputs, output, ...)
    got = type(got) == "userdata" and got:tolist() or got
    if first == nil then first = got else assert.same(first, got) end
  end
  return first
end

local function fails(kind, text, inputs, output, ...)
  for _, mode in ipairs(modes) do
    local ok, message = pcall(evaluate, mode, inputs, output, ...)
    assert.is_false(ok)
    assert.equal(kind, theano.error_kind(message))
    assert.truthy(tostring(message):find(text, 1, true), tostring(message))
  end
end

local function near(want, got)
  assert.equal(#want, #got)
  for i, w in ipairs(want) do
    if type(w) == "table" then near(w, got[i]) else assert.near(w, got[i], 1e-12) end
  end
end

local x, y, v = T.dmatrix "x", T.dmatrix "y", T.dvector "v"
local i, n = T.lvector "i", T.lscalar "n"
local X = nd.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "float64")

describe("shapes", function()
  it("reshape infers one length and checks the others", function()
    assert.same({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, value({ x }, x:reshape { -1, 2 }, X))
    assert.same({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, value({ x, n }, x:reshape { n, -1 }, X, 3))
    fails("ValueError", "Cannot reshape", { x }, x:reshape { -1, 4 }, X)
  end)
  it("a reshaped transpose copies in row-major order", function()
    assert.same({ 1, 4, 2, 5, 3, 6 }, value({ x }, x.T:flatten(), X))
  end)
  it("lengths are values", function()
    assert.same({ 2, 3 }, value({ x }, x.shape, X))
    assert.equal(6, value({ x }, x.size, X))
  end)
  it("promises of length 1 are checked when run", function()
    fails("ValueError", "Dimension 1 in Rebroadcast's input was supposed to be 1 (got 3 instead)", { x },
      T.addbroadcast(x, 1), X)
  end)
  it("numbers of dimensions beyond what an int holds are refused", function()
    local key, counter = nd.zeros({ 2 }, "uint32"), nd.zeros({ 4 }, "uint32")
    for _, most in ipairs({ 17, (1 << 31) - 1, 1 << 31, (1 << 31) + 1, (1 << 32) + 3, math.maxinteger }) do
      local function wrong(...) return not pcall(...) end
      assert.is_true(wrong(T.tile, T.dmatrix(), { 2, 2 }, { ndim = most }), most)
      assert.is_true(most == 17 or wrong(T.shape_padleft, T.dmatrix(), most), most)
      assert.is_true(most == 17 or wrong(T.shape_padright, T.dmatrix(), most), most)
      assert.is_true(most == 17 or wrong(T.random.philox, key, counter, T.lvector(), most), most)
    end
  end)

  it("tile and repeat", function()
    assert.same({ { 1, 2, 3, 1, 2, 3 }, { 4, 5, 6, 4, 5, 6 } }, value({ x }, T.tile(x, { 1, 2 }), X))
    assert.same({ { 1, 2, 3 }, { 1, 2, 3 }, { 4, 5, 6 }, { 4, 5, 6 } }, value({ x }, x:repeat_(2, { axis = 0 }), X))
  end)
  it("arange counts by NumPy's rule", function()
    assert.same({ 0, 1, 2 }, value({ n }, T.arange(n), 3))
    assert.same({ 5, 3, 1 }, value({ n }, T.arange(n, 0, -2), 5))
    assert.same({}, value({ n }, T.arange(n), -3))
    assert.same({ 0.5, 1.0 }, value({ v }, T.arange(v[0], 1.5, 0.5), nd.array({ 0.5 }, "float64")))
  end)
  it("alloc broadcasts a value and refuses negative lengths", function()
    assert.same({ { 7, 8 }, { 7, 8 } }, value({ v, n }, T.alloc(v, n, 2), nd.array({ 7, 8 }, "float64"), 2))
    fails("ValueError", "negative dimension", { v, n }, T.alloc(v, n, 2), nd.array({ 7, 8 }, "float64"), -1)
  end)
end)

describe("subscripts", function()
  it("integers and slices of any step", function()
    assert.same({ 4, 5, 6 }, value({ x }, x[-1], X))
    assert.same({ { 6, 5, 4 }, { 3, 2, 1 } }, value({ x }, x["::-1, ::-1"], X))
    assert.same({ { 3 }, { 6 } }, value({ x, n }, x[{ T.slice(), T.slice(n) }], X, 2))
    assert.same({ {}, {} }, value({ x }, x[":, 5:1"], X))
  end)
  it("an index out of range raises", function()
    fails("IndexError", "index out of bounds", { x, n }, x[n], X, 2)
    fails("IndexError", "index out of bounds", { x, n }, x[n], X, -3)
    fails("IndexError", "index out of bounds", { x, i }, x[i], X, nd.array({ 0, 2 }, "int64"))
  end)
  it("integer vectors choose rows and elements", function()
    assert.same({ { 4, 5, 6 }, { 1, 2, 3 } }, value({ x, i }, x[i], X, nd.array({ 1, -2 }, "int64")))
    assert.same({ 3, 4 }, value({ x, i }, x[{ T.arange(2), i }], X, nd.array({ 2, 0 }, "int64")))
    assert.same({ { 3, 1 }, { 6, 4 } }, value({ x, i }, x[{ T.slice(), i }], X, nd.array({ 2, 0 }, "int64")))
  end)
  it("inc_subtensor adds up repeats, set_subtensor keeps the last", function()
    local idx = nd.array({ 0, 1, 0 }, "int64")
    local w = nd.array({ 1, 2, 4 }, "float64")
    local zeros = nd.zeros({ 2 }, "float64")
    local z = T.dvector "z"
    assert.same({ 5, 2 }, value({ z, i, v }, T.inc_subtensor(z[i], v), zeros, idx, w))
    assert.same({ 4, 2 }, value({ z, i, v }, T.set_subtensor(z[i], v), zeros, idx, w))
  end)
  it("an update through a part of a shared variable changes only that part", function()
    local s = theano.shared(nd.zeros({ 2, 3 }, "float64"), { name = "s" })
    for _, mode in ipairs(modes) do
      s:set_value(nd.zeros({ 2, 3 }, "float64"))
      local updates = { { s, T.inc_subtensor(s[1], v) } }
      local f = theano.compile { inputs = { v }, outputs = {}, updates = updates, mode = mode }
      f(nd.array({ 1, 2, 3 }, "float64"))
      f(nd.array({ 1, 2, 3 }, "float64"))
      assert.same({ { 0, 0, 0 }, { 2, 4, 6 } }, s:get_value():tolist())
    end
  end)
  it("the argument that is set stays as it was", function()
    local a = nd.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "float64")
    assert.same({ { 9, 9, 9 }, { 4, 5, 6 } }, value({ x }, T.set_subtensor(x[0], 9.0), a))
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, a:tolist())
  end)
end)

describe("joins", function()
  it("copies one tensor after the other", function()
    assert.same({ { 1, 2, 3, 1, 2, 3 }, { 4, 5, 6, 4, 5, 6 } }, value({ x }, T.concatenate({ x, x }, { axis = 1 }), X))
    assert.same({ 1, 2, 3, 6, 5, 4 }, value({ x }, T.join(0, x[0], x["1, ::-1"]), X))
    fails("ValueError", "must match exactly", { x, y }, T.join(0, x, y), X, nd.zeros({ 2, 2 }, "float64"))
  end)
  it("split wants a length for each part", function()
    local lengths = T.lvector("lengths")
    local first, second = T.split(v, lengths, 2)
    for _, optimizer in ipairs({ "None", "fast_run" }) do
      local mode = theano.compile.Mode({ optimizer = optimizer, linker = "interpreter" })
      local f = theano.compile({ v, lengths }, { first, second }, { mode = mode })
      assert.same({ 2, 3 }, select(2, f({ 1, 2, 3 }, { 1, 2 })):tolist())
      raises("ValueError", "3 lengths are given for 2 parts", function() f({ 1, 2, 3 }, { 1, 2, 5 }) end)
      raises("ValueError", "0 lengths are given for 2 parts", function() f({ 1, 2, 3 }, nd.zeros({ 0 }, "int64")) end)
      local reshape = theano.compile({ v, lengths }, v:reshape(lengths, { ndim = 2 }), { mode = mode })
      raises("IndexError", "at least 1 more", function() reshape({ 1, 2, 3 }, { 3 }) end)
    end
  end)

  it("split gives the parts back", function()
    local a, b = T.split(x, T.constant({ 1, 2 }, { dtype = "int64" }), 2, { axis = 1 })
    assert.same({ { 1 }, { 4 } }, value({ x }, a, X))
    assert.same({ { 2, 3 }, { 5, 6 } }, value({ x }, b, X))
  end)
end)

describe("products", function()
  it("of vectors, matrices and integers", function()
    assert.same({ { 14, 32 }, { 32, 77 } }, value({ x }, T.dot(x, x.T), X))
    assert.same({ 14, 32 }, value({ x }, T.dot(x, x[0]), X))
    assert.equal(32, value({ x }, T.dot(x[0], x[1]), X))
    local a = T.lmatrix "a"
    assert.same({ { 7, 10 }, { 15, 22 } }, value({ a }, T.dot(a, a), nd.array({ { 1, 2 }, { 3, 4 } }, "int64")))
    fails("ValueError", "Shape mismatch: x has 3 cols", { x, y }, T.dot(x, y), X, X)
  end)
  it("an empty inner dimension gives zeros", function()
    assert.same({ { 0, 0 }, { 0, 0 } },
      value({ x, y }, T.dot(x, y), nd.zeros({ 2, 0 }, "float64"), nd.zeros({ 0, 2 }, "float64")))
  end)
end)

describe("rows", function()
  it("softmax does not overflow, a vector is one row", function()
    assert.same({ { 0.5, 0.5, 0 } }, value({ v }, T.nnet.softmax(v), nd.array({ 1000, 1000, -1000 }, "float64")))
    near({ { 0.09003057317038046, 0.24472847105479764, 0.6652409557748218 } },
      value({ v }, T.nnet.softmax(v), nd.array({ 1, 2, 3 }, "float64")))
  end)
  it("cross-entropy picks the row's class", function()
    local p = nd.array({ { 0.5, 0.25, 0.25 }, { 0.125, 0.125, 0.75 } }, "float64")
    near({ math.log(4), math.log(8) },
      value({ x, i }, T.nnet.categorical_crossentropy(x, i), p, nd.array({ 2, 0 }, "int64")))
    fails("ValueError", "y_i value out of bounds: class 3, position 1", { x, i },
      T.nnet.categorical_crossentropy(x, i), p, nd.array({ 0, 3 }, "int64"))
  end)
end)

describe("gradients agree with finite differences", function()
  local rng = nd.random.RandomState(7)
  local cases = {
    reshape = function(a) return a:reshape { 3, -1 } * T.constant { { 1.5, 2 }, { 3, 4 }, { 5, 6 } } end,
    slice = function(a) return T.sqr(a["::-1, 1:"]) end,
    index = function(a) return T.exp(a[{ T.constant { 0, 1, 0 }, T.constant { 2, 1, 2 } }]) end,
    rows = function(a) return T.sqr(a[T.constant { 1, 1, 0 }]) end,
    set = function(a) return T.sqr(T.set_subtensor(a[0], a[1] * 2)) end,
    inc = function(a) return T.sqr(T.inc_subtensor(a[T.constant { 1, 1 }], a)) end,
    join = function(a) return T.sqr(T.concatenate({ a, a * 2 }, { axis = 1 })) end,
    stack = function(a) return T.exp(T.stack({ a[0], a[1] * a[0] }, { axis = 1 })) end,
    dot = function(a) return T.dot(a, a.T) end,
    dot_vector = function(a) return T.dot(a[0], a.T) end,
    tensordot = function(a) return T.tensordot(a, a, { axes = { { 1 }, { 1 } } }) end,
    softmax = function(a) return T.nnet.softmax(a) * T.constant { 0.5, 1.0, 1.5 } end,
    logsoftmax = function(a) return T.nnet.logsoftmax(a) * T.constant { 0.5, 1.0, 1.5 } end,
    xent = function(a) return T.nnet.categorical_crossentropy(T.nnet.softmax(a), T.constant { 2, 0 }) end,
    fused_xent = function(a) return (T.nnet.crossentropy_softmax_1hot(a, T.constant { 2, 0 })) end,
    alloc = function(a) return T.sqr(T.alloc(a[0], 4, 3)) end,
    tile = function(a) return T.sqr(T.tile(a, { 2, 2 })) end,
  }
  for name, fun in pairs(cases) do
    it(name, function() theano.gradient.verify_grad(fun, { rng:rand(2, 3) }, { rng = rng }) end)
  end
end)
