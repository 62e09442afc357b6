--- theano.spec: what each assertion accepts, and the message it fails with.
local nd = require("theano.ndarray")
local theano = require("theano")
local T = require("theano.tensor")
require("theano.spec")

-- The message of an assertion that must fail, without its position, which must be a line of the function.
local function fails(fn)
  local fine, message = pcall(fn)
  assert.is_false(fine)
  local info = debug.getinfo(fn, "S")
  message = type(message) == "table" and message.message or tostring(message)
  local file, line, text = message:match("^([^\n]-):(%d+): (.*)$")
  if file then
    assert.equal(info.source:sub(2), file, message)
    assert(tonumber(line) >= info.linedefined and tonumber(line) <= info.lastlinedefined, message)
  end
  return text or message
end

describe("tensor_near", function()
  it("takes arrays, nested tables and numbers", function()
    assert.tensor_near({ { 1, 2 } }, nd.array({ { 1.0, 2.0 } }))
    assert.tensor_near(3.0, 3.0 + 1e-9)
    assert.tensor_near(nd.zeros({ 0, 2 }), nd.zeros({ 0, 2 }))
    assert.tensor_near({ true, false }, nd.array({ true, false }))
    assert.tensor_near(nd.array({ nd.complex(1, 2) }), nd.array({ nd.complex(1, 2 + 1e-9) }))
    assert.tensor_near({ 1 / 0, -1 / 0, 0 / 0 }, nd.array({ 1 / 0, -1 / 0, 0 / 0 }))
    assert.is_not.tensor_near({ 0 / 0 }, { 0 / 0 }, { equal_nan = false })
    assert.is_not.tensor_near({ 1 / 0 }, { -1 / 0 })
    assert.is_not.tensor_near({ 1 / 0 }, { 1e308 })
  end)

  it("has tolerances by dtype, and takes others", function()
    assert.tensor_near(nd.array({ 0.0 }, "float32"), nd.array({ 9e-6 }, "float32"))
    assert.is_not.tensor_near({ 0.0 }, { 9e-6 })
    assert.tensor_near({ 100.0 }, { 100.0009 })
    assert.is_not.tensor_near({ 10000000 }, { 10000001 })
    assert.tensor_near({ 10 }, { 11 }, { atol = 1 })
    assert.tensor_near({ 1.0 }, { 1.4 }, 0.5)
    assert.tensor_near({ 1.0 }, { 1.4 }, { rtol = 0.5 })
    assert.is_not.tensor_near({ 0.0 }, { 1e-12 }, { rtol = 0.5 })
  end)

  it("says where the elements differ, and by how much", function()
    assert.equal([=[
Tensors differ in 2 of 4 elements (rtol = 1e-05, atol = 1e-08):
  [0, 1]: expected 2.0, got 2.5
  [1, 0]: expected 3.0, got nan
Expected:
[[1. 2.]
 [3. 4.]]
Got:
[[1.  2.5]
 [nan 4. ]]]=], fails(function() assert.tensor_near({ { 1.0, 2.0 }, { 3.0, 4.0 } }, { { 1, 2.5 }, { 0 / 0, 4 } }) end))
    local text = fails(function() assert.tensor_near(nd.zeros({ 40, 5 }), nd.ones({ 40, 5 })) end)
    assert.truthy(text:find("in 200 of 200 elements", 1, true), text)
    assert.truthy(text:find("  .. and 195 more\nThe largest difference is 1, at [0, 0].", 1, true), text)
    assert.is_nil(text:find("Expected:", 1, true))
  end)

  it("says how shapes and dtypes differ", function()
    assert.equal("Shapes differ: expected (2,), got (1, 2)",
      fails(function() assert.tensor_near({ 1, 2 }, { { 1, 2 } }) end))
    assert.equal("Shapes differ: expected (), got (1,)", fails(function() assert.tensor_near(1, { 1 }) end))
    assert.equal("Dtypes differ: expected float32, got float64",
      fails(function() assert.tensor_near({ 1 }, { 1.0 }, { dtype = "float32" }) end))
    assert.equal("The tensors are near each other, and should not be",
      fails(function() assert.is_not.tensor_near({ 1 }, { 1 }) end))
  end)

  it("refuses what is no tensor", function()
    local x = T.dvector("x")
    assert.truthy(fails(function() assert.tensor_near(1, x) end):find("TypeError: the actual value is a symbolic"))
    assert.truthy(fails(function() assert.tensor_near("x", 1) end):find("TypeError: the expected value is no tensor"))
    assert.truthy(fails(function() assert.tensor_near(1) end):find("2 arguments", 1, true))
    assert.truthy(fails(function() assert.tensor_near(1, 1, { tol = 1 }) end):find("'tol'", 1, true))
  end)
end)

describe("same_shape", function()
  it("compares with lengths or with another array", function()
    assert.same_shape({ 2, 3 }, nd.zeros({ 2, 3 }))
    assert.same_shape({}, 1.5)
    assert.same_shape(nd.ones({ 4 }), { 1, 2, 3, 4 })
    assert.is_not.same_shape({ 2, 3 }, nd.zeros({ 3, 2 }))
    assert.is_not.same_shape({ 6 }, nd.zeros({ 3, 2 }))
  end)

  it("says both shapes", function()
    assert.equal("Shapes differ: expected (2, 3), got (6,)",
      fails(function() assert.same_shape({ 2, 3 }, nd.zeros({ 6 })) end))
    assert.truthy(fails(function() assert.same_shape({ 1.5 }, 1) end):find("TypeError: a shape", 1, true))
  end)
end)

describe("grad_ok", function()
  it("accepts right gradients", function()
    assert.grad_ok(function(x, w) return T.tanh(T.dot(x, w)) end, { nd.ones({ 2, 3 }), nd.ones({ 3, 2 }) })
    assert.grad_ok(T.sqr, { { 1.0, 2.0 } }, { mode = theano.compile.Mode({ linker = "interpreter" }) })
  end)

  it("says which element is wrong", function()
    local text = fails(function()
      assert.grad_ok(function(x) return x + T.floor(x * 1e9) / 1e9 end, { { 0.1, 0.7 } })
    end)
    assert.truthy(text:find("^The gradient is wrong: verify_grad: input 0, element 0: symbolic "), text)
  end)

  it("lets other errors through", function()
    local x = T.dvector()
    local text = fails(function() assert.grad_ok(function() return x < x end, { { 1.0 } }) end)
    assert.truthy(text:find("TypeError: ", 1, true), text)
    assert.truthy(fails(function() assert.grad_ok(3, {}) end):find("TypeError: grad_ok", 1, true))
  end)
end)
