--- What is known while the graph is built is checked then: lengths of constants and literals, and all that follows from
-- them, with the operation, the shapes of its inputs and the user's line.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local T = require("theano.tensor")

local HERE = debug.getinfo(1, "S").source:sub(2)
local two, three = T.constant({ 1.0, 2.0 }), T.constant({ 1.0, 2.0, 3.0 })
local row = T.constant({ { 1.0, 2.0 } })
local x = T.dmatrix("x")

local function line_of(f)
  return HERE .. ":" .. debug.getinfo(f, "S").linedefined .. ":"
end

local function fails(kind, texts, f)
  texts = type(texts) == "table" and texts or { texts }
  texts[#texts + 1] = line_of(f)
  raises(kind, texts, f)
end

describe("lengths known while building", function()
  it("of elementwise operands", function()
    fails("ValueError", { "input[0].shape[0] = 2, input[1].shape[0] = 3", "Elemwise{add", "(2,), (3,)" },
      function() local _ = two + three end)
  end)

  it("follow through every operation", function()
    local deep = T.zeros({ 2, 3 })
    for _ = 1, 10 do deep = T.tanh(deep) + deep end
    fails("ValueError", { "input[0].shape[1] = 3, input[1].shape[1] = 4" },
      function() local _ = deep * T.ones({ 2, 4 }) end)
    fails("ValueError", "input[0].shape[0] = 3, input[1].shape[0] = 2", function() local _ = deep:sum(0) + two end)
    fails("ValueError", "Shape mismatch", function() local _ = T.dot(deep, deep) end)
    fails("IndexError", { "index out of bounds: 5", "(2, 3)" }, function() local _ = deep[5] end)
    fails("ValueError", { "= 4", "= 2" }, function() local _ = deep:flatten()["0:4"] + two end)
  end)

  it("through nodes that pass numbers on", function()
    local n = T.constant(3):dimshuffle("x")
    fails("ValueError", { "input[0].shape[0] = 3, input[1].shape[0] = 4" },
      function() local _ = T.alloc(0.0, n[0]) + T.zeros(4) end)
    assert.equal(1, (T.alloc(0.0, n[0]) + T.zeros(3)).ndim)
  end)

  it("of products", function()
    fails("ValueError", { "x has 2 cols", "y has 1 rows", "dot", "(1, 2), (1, 2)" },
      function() local _ = T.dot(row, row) end)
    local a, b = T.zeros({ 2, 3, 4 }), T.zeros({ 3, 4, 5 })
    fails("ValueError", { "batch sizes unequal: Alloc.0 (", "(2, 3, 4), (3, 4, 5)" },
      function() local _ = T.batched_dot(a, b) end)
    fails("ValueError", "Shape mismatch",
      function() local _ = T.tensordot(T.zeros({ 2, 3 }), T.zeros({ 2, 3 }), 1) end)
  end)

  it("of joins, splits and reshapes", function()
    fails("ValueError", { "must match exactly", "(1, 2), (1, 3)" },
      function() local _ = T.join(0, row, T.ones({ 1, 3 })) end)
    fails("ValueError", "must match exactly", function() local _ = T.stack({ two, three }) end)
    fails("ValueError", "the nested list is ragged", function() local _ = T.stacklists({ { 1, 2 }, { 3 } }) end)
    fails("ValueError", { "sum to 2, expected 3", "Split{2}" }, function() local _ = T.split(three, { 1, 1 }, 2) end)
    fails("ValueError", "Split sizes cannot be negative", function() local _ = T.split(three, { -1, 4 }, 2) end)
    fails("ValueError", { "Cannot reshape input of 3 elements", "(3,)" },
      function() local _ = three:reshape({ 2, -1 }) end)
    fails("AssertionError", "got length 2, expected 3", function() local _ = T.specify_shape(two, { 3 }) end)
    fails("ValueError", "was supposed to be 1 (got 2", function() local _ = T.addbroadcast(two, 0) end)
  end)

  it("of what is created", function()
    fails("ValueError", "negative dimension -1", function() local _ = T.zeros({ -1, 2 }) end)
    fails("ValueError", "negative dimension -2", function() local _ = T.alloc(0.5, -2) end)
    fails("ValueError", "negative dimension -1", function() local _ = T.eye(-1) end)
    fails("ValueError", "negative dimension -1", function() local _ = T.tile(two, { -1 }) end)
    fails("ValueError", "2 repeats for a dimension of length 3",
      function() local _ = T.repeat_(three, T.constant({ 1, 2 })) end)
    fails("ValueError", "step cannot be zero", function() local _ = T.arange(0, 1, 0) end)
  end)

  it("of what is reduced, ordered and masked", function()
    fails("ValueError", "no identity", function() local _ = T.max(T.constant({})) end)
    fails("ValueError", "no identity", function() local _ = T.argmin(T.zeros({ 3, 0 }), 1) end)
    fails("ValueError", "k = 3 is more than the 2", function() local _ = T.topk(two, 3) end)
    fails("IndexError", { "boolean index did not match", "2", "3" },
      function() local _ = two[nd.array({ true, false, true })] end)
  end)

  it("of what is written", function()
    fails("ValueError", { "length 3", "length 2", "(3,), (3,)" },
      function() local _ = T.set_subtensor(three["0:2"], three) end)
    fails("IndexError", "index 9 for a dimension of length 3 (axis 0, position 1)",
      function() local _ = T.inc_subtensor(three[T.constant({ 0, 9 })], 1) end)
  end)

  it("of positions that are constants or literals: index, length, axis and place", function()
    local a = T.zeros({ 2, 3, 4 })
    local function at(v) return T.constant(v) end
    fails("IndexError", "index 5 for a dimension of length 3 (axis 0)", function() local _ = T.take(three, 5) end)
    fails("IndexError", "index 4 for a dimension of length 3 (axis 0, position (1, 0))",
      function() local _ = T.take(three, { { 0, 1 }, { 4, 2 } }) end)
    fails("IndexError", "index -4 for a dimension of length 3 (axis 1, position 1)",
      function() local _ = a[{ at({ 0, 1 }), at({ 0, -4 }) }] end)
    fails("IndexError", "index 4 for a dimension of length 4 (axis 2, position 0)",
      function() local _ = a[{ at({ 0, 1 }), T.slice(), at({ 4, 0 }) }] end)
    fails("IndexError", "index out of bounds: 3, but the last index of axis 1 is 2",
      function() local _ = a[{ 0, 3 }] end)
    fails("IndexError", "index 5 for a dimension of length 3 (axis 1, position 1)",
      function() local _ = T.extra_ops.to_one_hot(at({ 0, 5 }), 3) end)
    fails("ValueError", { "invalid entry in index array: 99, position 1, but the length is 12" },
      function() local _ = T.unravel_index(at({ 5, 99 }), { 3, 4 }) end)
    fails("ValueError", "invalid entry in index array: -1 is negative",
      function() local _ = T.unravel_index(-1, T.shape(x)) end)
    fails("ValueError", "invalid entry in coordinates array: 5, position 1, but the length is 3",
      function() local _ = T.ravel_multi_index({ at({ 0, 5 }), at({ 0, 1 }) }, { 3, 4 }) end)
    assert.same({ 7, 11 }, T.ravel_multi_index({ at({ 1, 2 }), at({ 3, 3 }) }, { 3, 4 }):eval():tolist())
  end)

  it("of class numbers", function()
    local rows, y = T.specify_shape(x, { 2, 2 }), T.constant({ 0, 5 })
    local wanted = "y_i value out of bounds: class 5, position 1, but there are 2 classes"
    fails("ValueError", wanted, function() local _ = T.nnet.categorical_crossentropy(T.ones({ 2, 2 }), y) end)
    fails("ValueError", wanted, function() local _ = T.nnet.categorical_crossentropy(rows, y) end)
    fails("ValueError", wanted, function() local _ = T.nnet.crossentropy_softmax_1hot(rows, y) end)
    fails("ValueError", "class -1, position 0 is negative",
      function() local _ = T.nnet.categorical_crossentropy(x, T.constant({ -1, 0 })) end)
  end)

  it("do not refuse what fits", function()
    assert.equal(2, T.max(T.zeros({ 0, 3 }), 1).ndim + (T.zeros({ 2, 3 }) * T.ones({ 2, 3 })).ndim - 1)
    local none = T.max(T.zeros({ 0, 3 }), 1):eval()
    assert.same({ 0 }, none.shape)
    assert.same({ 2, 3 }, (T.zeros({ 2, 3 }) + T.ones({ 2, 3 })):eval().shape)
    assert.equal(2, (x + T.ones({ 2, 3 })).ndim)
  end)
end)
