--- The reader of reference answers: a comparison that lets a wrong answer pass would make every other spec worthless.
local oracle = require("spec.support.oracle")

-- What the comparison needs of an ndarray.
local function array(dtype, shape, flat)
  return { dtype = dtype, shape = shape, reshape = function() return { tolist = function() return flat end } end }
end

local function differs(got, data, rtol, atol, dtype)
  local want = { dtype = dtype or "float64", shape = { #data }, data = data }
  return oracle.differs(array(dtype or "float64", { #data }, got), want, rtol or 0, atol or 0)
end

describe("differs", function()
  it("accepts equal values, NaN for NaN and infinities of one sign", function()
    assert.is_nil(differs({ 1.0, 0 / 0, math.huge, -math.huge }, { 1.0, "nan", "inf", "-inf" }))
  end)

  it("names the first element that differs", function()
    assert.equal("element 1 is 2.5, wanted 2.0", differs({ 1.0, 2.5 }, { 1.0, 2.0 }))
  end)

  it("keeps apart NaN and numbers, and infinities of two signs", function()
    assert.truthy(differs({ 0.0 }, { "nan" }))
    assert.truthy(differs({ 0 / 0 }, { 0.0 }))
    assert.truthy(differs({ -math.huge }, { "inf" }))
    assert.truthy(differs({ 1e308 }, { "inf" }, 1, 1))
  end)

  it("allows atol plus rtol times the wanted value and no more", function()
    assert.is_nil(differs({ 100.9 }, { 100.0 }, 0.01))
    assert.truthy(differs({ 101.1 }, { 100.0 }, 0.01))
    assert.is_nil(differs({ 0.05 }, { 0.0 }, 0.01, 0.1))
    assert.truthy(differs({ 0.2 }, { 0.0 }, 0.01, 0.1))
  end)

  it("compares dtype, shape, booleans, complex parts and the bits of a uint64", function()
    local want = { dtype = "int32", shape = { 2 }, data = { 1, 2 } }
    assert.equal("dtype int64, wanted int32", oracle.differs(array("int64", { 2 }, { 1, 2 }), want, 0, 0))
    assert.equal("shape (1,2), wanted (2)", oracle.differs(array("int32", { 1, 2 }, { 1, 2 }), want, 0, 0))
    assert.truthy(differs({ 1 }, { true }, 0, 0, "bool"))
    assert.is_nil(differs({ true }, { true }, 0, 0, "bool"))
    assert.is_nil(differs({ { real = 1.0, imag = 2.0 } }, { { 1.0, 2.0 } }, 0, 0, "complex128"))
    assert.truthy(differs({ { real = 1.0, imag = -2.0 } }, { { 1.0, 2.0 } }, 0, 0, "complex128"))
    assert.is_nil(differs({ -1 }, { "18446744073709551615" }, 0, 0, "uint64"))
    assert.truthy(differs({ -2 }, { "18446744073709551615" }, 0, 0, "uint64"))
  end)
end)

describe("cases and prints", function()
  it("reads every file of cases", function()
    local count = 0
    for _, name in ipairs({ "dot", "dtype_rules", "elemwise_error_tables", "elemwise_grad_tables", "elemwise_tables",
      "join_split", "nnet", "reductions", "shape_ops", "subtensor" }) do
      for _, case in ipairs(oracle.cases(name)) do
        assert.truthy(case.id:find(name .. "/", 1, true), case.id)
        assert.truthy(case.expected_error or case.outputs, case.id)
        count = count + 1
      end
    end
    assert.equal(930, count)
    assert.equal(84, #oracle.cases("numpy_randomstate"))
  end)

  it("reads the sections of a printed graph", function()
    local prints = oracle.prints("01_add")
    assert.equal("x,y=T.dmatrix", prints.inputs)
    assert.equal("return (x+y)\n", prints.lua)
    assert.equal("(x + y)", prints.sections["pp (theano.pp)"])
    assert.equal("Elemwise{add,no_inplace} [id A] ''   \n |x [id B]\n |y [id C]",
      prints.sections["debugprint before compile"])
  end)
end)
