--- Theano's smaller names: constants as Lua values, dtypes of literals, second names of functions.
local compile = require("theano.compile")
local config = require("theano.config")
local raises = require("spec.support.raises")
local nd = require("theano.ndarray")
local theano = require("theano")
local T = require("theano.tensor")

local x, v = T.dmatrix("x"), T.dvector("v")

describe("constants as Lua values", function()
  it("of a scalar that depends on no input", function()
    assert.equal(3, T.get_scalar_constant_value(T.constant(3)))
    assert.equal(7, T.get_scalar_constant_value(T.constant({ { 7 } })))
    assert.equal(2.5, (T.constant(2.0) + T.constant(0.5)):get_scalar_constant_value())
    assert.equal(2, T.get_scalar_constant_value(T.zeros({ 2, 3 }).shape[0]))
    assert.equal(true, T.get_scalar_constant_value(true))
    raises("ValueError", "depends on an input", function() T.get_scalar_constant_value(x:sum()) end)
    raises("ValueError", "several", function() T.get_scalar_constant_value(T.constant({ 1, 2 })) end)
    assert.equal(4, T.extract_constant(T.constant(4)))
    assert.equal(v, T.extract_constant(v))
  end)

  it("of what spreads a constant, of known lengths and of parts of stacks and joins", function()
    local r, s = T.drow("r"), T.dscalar("s")
    for _, case in ipairs({
      { 1, r.shape[0] }, { 1, r.T.shape[1] }, { 3, T.second(s, 3) }, { 4, T.fill(x, 4) }, { 2.5, T.alloc(2.5, 2, 3) },
      { 5.0, T.alloc(5.0, s:astype("int64")) }, { 4, T.alloc(5.0, 3, 4).shape[1] },
      { 3, T.stack({ T.constant(3.0), s })[0] },
      { 8, T.constant({ 7, 8, 9 })[1] }, { 3, x:reshape({ 3, -1 }).shape[0] }, { 7, T.constant({ 7, 7 }) },
      { 2.0, T.join(0, T.stack({ s, T.constant(2.0) }), T.constant({ 3.0 }))[1] },
      { 3.0, T.join(0, T.stack({ s, s }), T.constant({ 3.0 }))[2] },
      { 6, T.opt.Assert("holds")(T.constant(6), T.constant(true)) },
    }) do
      assert.equal(case[1], T.get_scalar_constant_value(case[2]))
    end
    local checked = T.opt.Assert("m")(T.constant(3), T.gt(s, 0))
    raises("ValueError", "depends on an input", function() T.get_scalar_constant_value(checked) end)
    local part = T.stack({ T.constant(3.0), s })[1]
    raises("ValueError", "depends on an input", function() T.get_scalar_constant_value(part) end)
    raises("ValueError", "no values", function() T.get_scalar_constant_value(T.zeros({ 0 })) end)
  end)

  it("of the length of joins and of parts of shapes", function()
    local s = T.dscalar("s")
    for _, case in ipairs({
      { 4, T.join(0, T.stack({ s, s }), T.constant({ 1.0, 2.0 })) }, { 1, x.shape["1:"] }, { 2, x.shape["::-1"] },
      { 2, T.stack({ s, s, s })["1:"] }, { 2, T.set_subtensor(x.shape["1:"], 3) }, { 7, T.arange(7) },
      { 6, x:reshape({ 6 }) }, { 2, x.shape * 2 }, { 4, T.zeros({ 4 }) },
    }) do
      assert.equal(case[1], T.get_vector_length(case[2]))
    end
    raises("ValueError", "not known", function() T.get_vector_length(T.join(0, v, T.stack({ s, s }))) end)
  end)

  it("of a vector's length", function()
    assert.equal(2, T.get_vector_length(T.constant({ 5, 6 })))
    assert.equal(2, T.get_vector_length(x.shape))
    assert.equal(3, T.get_vector_length(T.stack({ T.dscalar(), T.dscalar(), T.dscalar() })))
    assert.equal(4, T.get_vector_length(T.arange(4)))
    raises("ValueError", "not known", function() T.get_vector_length(v) end)
    raises("TypeError", "no vector", function() T.get_vector_length(x) end)
  end)

  it("T.default stands in for nil only", function()
    assert.equal(v, T.default(nil, v))
    assert.equal(x, T.default(x, v))
    assert.equal(false, T.default(false, v))
  end)
end)

describe("literals", function()
  it("become what autocast_float_as lists, until it is closed", function()
    assert.equal("float64", (T.fvector() + 0.1).dtype)
    do
      local _ <close> = T.autocast_float_as("float32")
      assert.equal("float32", (T.fvector() + 0.1).dtype)
      assert.same({ "float32" }, T.autocast_float.dtypes)
      local inner = T.autocast_float_as("float64")
      assert.equal("float64", (T.fvector() + 0.5).dtype)
      inner:close()
      assert.equal("float32", T.constant(0.1).dtype)
    end
    assert.equal("float64", T.constant(0.1).dtype)
    assert.equal("float32", T.constant(0.5).dtype)
    assert.same({ "float32", "float64" }, T.autocast_float.dtypes)
    do
      local scope <close> = T.autocast_float_as("float16", "float32", "float64")
      assert.same({ "float16", "float32", "float64" }, { T.constant(0.5).dtype, T.constant(1 + 2 ^ -20).dtype,
        T.constant(0.1).dtype })
      assert.is_not_nil(scope)
    end
    raises("TypeError", "up to three", function() T.autocast_float_as("float16", "float32", "float64", "float32") end)
    raises("TypeError", "float32, float64", function() T.autocast_float_as("int8") end)
    raises("TypeError", "a dtype is expected", function() T.autocast_float_as() end)
  end)

  it("have the smallest dtype that holds them", function()
    local smallest = { [1] = "int8", [-128] = "int8", [128] = "int16", [-32769] = "int32", [2 ^ 31 | 0] = "int64" }
    for value, dtype in pairs(smallest) do
      assert.equal(dtype, T.autocast_int(value).dtype)
      assert.equal(dtype, T.constant(value).dtype)
    end
    assert.equal("float32", T.autocast_float(2.5).dtype)
    assert.equal("float64", T.autocast_float(0.1).dtype)
  end)
end)

describe("second names", function()
  it("div_proxy follows int_division", function()
    local i, j = T.lvector("i"), T.ivector("j")
    finally(function() config.int_division = "int" end)
    assert.equal("int64", T.div_proxy(i, j).dtype)
    assert.equal("float64", T.div_proxy(i, v).dtype)
    config.int_division = "floatX"
    assert.equal("float64", T.div_proxy(i, j).dtype)
    config.int_division = "raise"
    raises("TypeError", "forbidden", function() T.div_proxy(i, j) end)
  end)

  it("of extra_ops and nnet", function()
    local E, N = T.extra_ops, T.nnet
    local values, counts = E.Unique({ return_counts = true })(T.constant({ 3, 1, 3 }))
    assert.same({ { 1, 3 }, { 1, 2 } }, { values:eval():tolist(), counts:eval():tolist() })
    assert.same({ 1, 3 }, (E.Unique()(T.constant({ 3, 1, 3 }))):eval():tolist())
    assert.equal(x, E.cpu_contiguous(x))
    assert.equal(N.sigmoid, N.nnet.sigmoid)
    assert.equal(N.hard_sigmoid, N.sigm.hard_sigmoid)
    assert.equal(N.bn.batch_normalization_train, N.batch_normalization_train)
    assert.same({ 4.0, 6.0 }, T.constant({ true, false, true }):compress(nd.array({ 4.0, 5.0, 6.0 })):eval():tolist())
    assert.equal("complex128", T.zmatrix():conjugate().dtype)
  end)

  it("columns before a matrix", function()
    local f = compile { inputs = { x }, outputs = {
      T.nnet.prepend_1_to_each_row(x), T.nnet.prepend_0_to_each_row(x), T.nnet.prepend_scalar_to_each_row(2.5, x),
    } }
    local one, zero, other = f({ { 5.0, 6.0 }, { 7.0, 8.0 } })
    assert.same({ { 1.0, 5.0, 6.0 }, { 1.0, 7.0, 8.0 } }, one:tolist())
    assert.same({ { 0.0, 5.0, 6.0 }, { 0.0, 7.0, 8.0 } }, zero:tolist())
    assert.same({ { 2.5, 5.0, 6.0 }, { 2.5, 7.0, 8.0 } }, other:tolist())
    raises("TypeError", "a matrix is expected", function() T.nnet.prepend_1_to_each_row(v) end)
  end)

  it("ranks, kept dimensions and kinds of dtypes", function()
    assert.is_true(T.is_flat(v))
    assert.is_false(T.is_flat(x))
    assert.is_true(T.is_flat(x, { ndim = 2 }))
    assert.same({ false, true }, T.makeKeepDims(x, x:sum(1), 1).broadcastable)
    assert.same({ true, true }, T.makeKeepDims(x, x:sum(), nil).broadcastable)
    assert.same({ true, false }, T.makeKeepDims(x, x:sum(-2), -2).broadcastable)
    raises("ValueError", "axis[0] = 5 is out of bounds for 2", function() T.makeKeepDims(x, x:sum(1), 5) end)
    assert.same({ "float16", "float32", "float64", "complex64", "complex128" }, T.continuous_dtypes)
    assert.equal(14, #T.all_dtypes)
    assert.equal(9, #T.discrete_dtypes)
    assert.equal(T.as_tensor_variable, T.as_tensor)
  end)

  it("lists of booleans are bool tensors, a single one and a mixture are refused", function()
    assert.same({ 1, 4 }, T.switch({ true, false }, { 1, 2 }, { 3, 4 }):eval():tolist())
    assert.same({ { 5.0, 6.0 } }, T.compress({ true, false }, x, { axis = 0 }):eval({ [x] = { { 5.0, 6.0 },
      { 7.0, 8.0 } } }):tolist())
    assert.equal("bool", T.or_({ { true }, { false } }, { { true }, { true } }).dtype)
    raises("TypeError", "is a boolean", function() T.add({ true, 1 }, 2) end)
    raises("TypeError", "is a boolean", function() T.add(true, 2) end)
  end)

  it("a gradient that Theano makes sparse", function()
    local i = T.lvector("i")
    local g = T.grad(theano.sparse_grad(x[i]):sum(), x)
    local got = compile({ inputs = { x, i }, outputs = g })({ { 5.0, 6.0 }, { 7.0, 8.0 } }, { 1, 1 })
    assert.same({ { 0.0, 0.0 }, { 2.0, 2.0 } }, got:tolist())
    for _, wrong in ipairs({ x, 3, x[0] }) do
      raises("TypeError", "sparse_grad: x[i] of an integer vector", function() theano.sparse_grad(wrong) end)
    end
  end)
end)
