-- T.pad, T.linspace, conv3d2d and h_softmax against NumPy and their definitions (spec/data/layers.json), and their
-- gradients.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local oracle = require("spec.support.oracle")
local raises = require("spec.support.raises")
require("theano.spec")

local data = oracle.cases("layers")

local function floats(t) return nd.array(t, "float64") end
-- The values of a list of expressions, as arrays.
local function computed_all(list, mode)
  local outs = {}
  for i, y in ipairs(list) do outs[i] = theano.Out(y, { array = true }) end
  return table.pack(theano.compile({ inputs = {}, outputs = outs, mode = mode })())
end
local function computed(y) return computed_all({ y })[1] end

-- Compiled, and interpreted as written: each is near what is wanted.
local function check_all(wanted, list, options)
  local as_written = theano.compile.Mode({ linker = "py", optimizer = "None" })
  for _, values in ipairs({ computed_all(list), computed_all(list, as_written) }) do
    for i, want in ipairs(wanted) do assert.tensor_near(floats(want), values[i], options) end
  end
end

describe("T.pad", function()
  local x = floats({ { 1, 2, 3 }, { 4, 5, 6 } })
  it("gives what NumPy gives in every mode", function()
    local wanted, list = { data.pad_values }, { T.pad(T.constant(x), { { 1, 2 }, { 3, 4 } },
      { constant_values = { { 1.5, 2.5 }, { 3.5, 4.5 } } }) }
    for i, case in ipairs(data.pad) do
      wanted[i + 1], list[i + 1] = case.y, T.pad(T.constant(x), case.w, { mode = case.mode })
    end
    check_all(wanted, list)
    local ints = computed(T.pad(nd.array({ 1, 2, 4, 8 }), 2, { mode = "mean" }))
    assert.equal("int64", ints.dtype)
    assert.same(data.pad_ints, ints:tolist())
  end)
  it("takes symbolic widths, and has gradients", function()
    local v, n = T.dvector("v"), T.lscalar("n")
    local f = theano.compile({ v, n }, T.pad(v, { n, 1 }, { mode = "edge" }))
    assert.same({ 1, 1, 1, 2, 2 }, f({ 1, 2 }, 2):tolist())
    assert.same({ 1, 2, 2 }, f({ 1, 2 }, 0):tolist())
    for _, mode in ipairs({ "constant", "edge", "reflect", "symmetric", "wrap", "mean" }) do
      assert.grad_ok(function(m) return T.pad(m, { { 1, 2 }, { 0, 3 } }, { mode = mode }) ^ 2 end, { x })
    end
  end)
  it("keeps the dtype, and x where nothing is added", function()
    assert.equal("float32", T.pad(T.fvector(), 1).dtype)
    assert.equal("int8", T.pad(T.bvector(), 1, { constant_values = 3 }).dtype)
    local v = T.dvector()
    assert.equal(v, T.pad(v, 0))
    assert.same({}, computed(T.pad(nd.zeros({ 0 }), 0)):tolist())
    assert.same({ 7, 7 }, computed(T.pad(nd.zeros({ 0 }), 1, { constant_values = 7 })):tolist())
  end)
  it("refuses what it cannot do", function()
    local v = T.dmatrix()
    raises("ValueError", "cannot be negative", function() T.pad(v, -1) end)
    raises("TypeError", "pad: pad_width is", function() T.pad(v, 1.5) end)
    raises("ValueError", "has 3 pairs, x has 2 dimensions", function() T.pad(v, { { 1, 1 }, { 1, 1 }, { 1, 1 } }) end)
    raises("ValueError", "has 3 entries", function() T.pad(v, { 1, 2, 3 }) end)
    raises("TypeError", "pad: pad_width[1] is nil", function() T.pad(v, { nil, { 1, 2 } }) end)
    raises("ValueError", '"wrp"', function() T.pad(v, 1, { mode = "wrp" }) end)
    raises("ValueError", "constant_values are for", function() T.pad(v, 1, { mode = "wrap", constant_values = 1 }) end)
    raises("TypeError", "unknown keyword 'values'", function() T.pad(v, 1, { values = 1 }) end)
    raises("TypeError", "pad_width' is missing", function() T.pad(v) end)
    assert.has_error(function() computed(T.pad(nd.zeros({ 0 }), 1, { mode = "edge" })) end)
  end)
end)

describe("T.linspace", function()
  it("gives what NumPy gives", function()
    local wanted = { data.linspace_arrays, data.linspace_ints }
    local list = { T.linspace(nd.array({ 0.0, 1.0 }), nd.array({ 1.0, 5.0 }), 3),
      T.linspace(-3, 4, 6, { dtype = "int64" }) }
    for _, case in ipairs(data.linspace) do
      local start, stop, num, ends = table.unpack(case.a)
      wanted[#wanted + 1] = case.y
      list[#list + 1] = T.linspace(start + 0.0, stop + 0.0, num, { endpoint = ends })
      wanted[#wanted + 1] = case.y
      list[#list + 1] = T.linspace(start, stop, num, { endpoint = ends, dtype = "float64" })
    end
    check_all(wanted, list)
    assert.equal("int64", list[2].dtype)
    assert.equal(50, computed(T.linspace(0.0, 1.0)).shape[1])
  end)
  it("takes Variables, ends exactly, and has gradients", function()
    local a, b, n = T.dscalar("a"), T.dscalar("b"), T.lscalar("n")
    local f = theano.compile({ a, b, n }, T.linspace(a, b, n))
    assert.same({ 0.5 }, f(0.5, 7, 1):tolist())
    assert.same({}, f(0.5, 7, 0):tolist())
    assert.equal(0.7, f(0.1, 0.7, 1001)[1000])
    assert.grad_ok(function(x, y) return T.linspace(x, y, 7) ^ 3 end, { nd.array(0.5), nd.array(2.0) })
  end)
  it("refuses what is no number of elements", function()
    raises("ValueError", "num is a number of elements, not -1", function() T.linspace(0, 1, -1) end)
    raises("ValueError", "not 2.5", function() T.linspace(0, 1, 2.5) end)
    raises("TypeError", "integer scalar", function() T.linspace(0, 1, T.dscalar()) end)
    raises("TypeError", "endpoint is a string", function() T.linspace(0, 1, { endpoint = "no" }) end)
    raises("TypeError", "'stop' is missing", function() T.linspace(0) end)
  end)
end)

describe("conv3d2d", function()
  local conv3d = T.nnet.conv3d2d.conv3d
  local s, f = floats(data.conv.s), floats(data.conv.f)
  it("convolves over time, rows and columns", function()
    local wanted = { data.conv.cases[2].y }
    local list = { conv3d(T.constant(s), T.constant(f), s.shape, f.shape, "full") }
    for i, case in ipairs(data.conv.cases) do
      wanted[i + 1], list[i + 1] = case.y, conv3d(T.constant(s), T.constant(f), { border_mode = case.m })
    end
    check_all(wanted, list, { atol = 1e-11 })
  end)
  it("has gradients", function()
    local small = s[{ T.slice(0, 1), T.slice(), T.slice(), T.slice(), T.slice(0, 3) }]
    for _, mode in ipairs({ "valid", "full" }) do
      assert.grad_ok(function(x, w) return conv3d(x, w, { border_mode = mode }) end, { small, f })
    end
    assert.grad_ok(function(x, w) return conv3d(x, w, { border_mode = { "full", "valid", "valid" } }) end, { small, f })
  end)
  it("refuses other ranks, modes and lengths", function()
    local x, w = T.dtensor5(), T.dtensor5()
    raises("TypeError", "signals must have 5 dimensions", function() conv3d(T.dtensor4(), w) end)
    raises("ValueError", '"valid", "full" or "half", not same', function() conv3d(x, w, { border_mode = "same" }) end)
    raises("ValueError", "2 entries", function() conv3d(x, w, { border_mode = { "full", "full" } }) end)
    raises("TypeError", "signals_shape is a string", function() conv3d(x, w, { signals_shape = "x" }) end)
    raises("ValueError", "five lengths", function() conv3d(x, w, { signals_shape = { 1, 2 } }) end)
  end)
end)

describe("h_softmax", function()
  local d = data.softmax
  local p = {}
  local targets = nd.array(d.target, "int64")
  for i, name in ipairs({ "x", "W1", "b1", "W2", "b2" }) do p[i] = floats(d[name]) end
  local function built(x, W1, b1, W2, b2, target)
    return T.nnet.h_softmax(x, 4, 5, 3, 2, W1, b1, W2, b2, target and { target = target })
  end
  it("gives what its definition gives, of all outputs and of targets", function()
    check_all({ d.all, d.some, d.some }, { built(table.unpack(p)), built(p[1], p[2], p[3], p[4], p[5], targets),
      T.nnet.h_softmax({ x = p[1], batch_size = 4, n_outputs = 5, n_classes = 3, n_outputs_per_class = 2, W1 = p[2],
        b1 = p[3], W2 = p[4], b2 = p[5], target = targets }) })
  end)
  it("has gradients", function()
    assert.grad_ok(function(...) return built(...) end, p)
    assert.grad_ok(function(x, W1, b1, W2, b2) return built(x, W1, b1, W2, b2, targets) end, p)
  end)
  it("refuses wrong ranks and sizes", function()
    raises("ValueError", "W2 has 2 dimensions", function() built(p[1], p[2], p[3], p[2], p[5]) end)
    raises("ValueError", "n_classes is a positive integer", function()
      T.nnet.h_softmax(p[1], 4, 5, 0, 2, p[2], p[3], p[4], p[5])
    end)
    raises("TypeError", "target holds numbers of outputs", function()
      built(p[1], p[2], p[3], p[4], p[5], nd.ones(4))
    end)
    raises("TypeError", "batch_size is a positive integer", function()
      T.nnet.h_softmax(p[1], "four", 5, 3, 2, p[2], p[3], p[4], p[5])
    end)
  end)
end)
