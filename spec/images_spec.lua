--- Convolutions and pooling, and their gradients, against SciPy and NumPy (spec/data/images.json): borders, steps,
-- dilations, groups, paddings, dtypes, every way that a convolution can run.
local cases = require("spec.support.conv_cases")
local nd = require("theano.ndarray")
local numpy_sets = require("spec.support.numpy_sets")
local oracle = require("spec.support.oracle")
local theano = require("theano")
local T = theano.tensor

local data = numpy_sets.read("spec/data/images.json")

-- Result and gradients of a case, as the expression says.
local function compiled(case, mode)
  local env, inputs, values = { T = T }, {}, {}
  for _, name in ipairs({ "x", "w", "g" }) do
    if case[name] then
      local array, pattern = oracle.array(case[name]), {}
      for d = 1, array.ndim do pattern[d] = false end
      env[name] = T.TensorType(array.dtype, pattern)(name)
      inputs[#inputs + 1], values[#values + 1] = env[name], array
    end
  end
  local y = assert(load("return " .. case.expr, "=" .. case.expr, "t", env))()
  local outputs, wants = { theano.Out(y, { array = true }) }, { oracle.array(case.y) }
  if case.g then
    for _, name in ipairs({ "x", "w" }) do
      if case["g" .. name] then
        outputs[#outputs + 1] = theano.Out(T.grad(nil, env[name], { known_grads = { [y] = env.g } }), { array = true })
        wants[#wants + 1] = oracle.array(case["g" .. name])
      end
    end
  end
  return theano.compile({ inputs = inputs, outputs = outputs, mode = mode }), values, wants
end

-- every: a case of so many.
local function check(list, mode, ways, every)
  for k = 1, #list, every do
    local case = list[k]
    local f, values, wants = compiled(case, mode)
    for _, way in ipairs(ways) do
      local got = { cases.with(way, f, table.unpack(values)) }
      for i, want in ipairs(wants) do
        local text = ("%s, %s, output %d"):format(case.expr, way, i)
        assert(got[i].dtype == want.dtype, text)
        assert.same({ table.unpack(want.shape) }, { table.unpack(got[i].shape) }, text)
        local off = want.dtype == "float32" and 1e-4 or 1e-10
        if way ~= "fft" and not case.expr:find("average") then off = 0 end
        assert(want.size == 0 or nd.abs(got[i] - want):max() <= off, text)
      end
    end
  end
end

describe("the data", function()
  it("has what the comparison can miss nothing of", function()
    assert(#data.convs > 50 and #data.pools > 25)
    local f, values, wants = compiled(data.convs[1], numpy_sets.modes.interpreter)
    assert.equal(3, #wants)
    wants[2][{ 0, 0, 0, 0 }] = wants[2][{ 0, 0, 0, 0 }] + 1
    assert.equal(1, nd.abs(({ f(table.unpack(values)) })[2] - wants[2]):max())
  end)
end)

for name, mode in pairs(numpy_sets.modes) do
  local tag = name == "c" and "" or " #asan"
  describe(("images, %s%s"):format(name, tag), function()
    it("are folded as SciPy does", function()
      check(data.convs, mode, name == "c" and { "auto" } or cases.algorithms, name == "c" and 7 or 1)
    end)
    it("are pooled as NumPy does", function() check(data.pools, mode, { "auto" }, name == "c" and 7 or 1) end)
  end)
end
