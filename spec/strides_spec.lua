--- Elements that do not lie side by side: whole vectors of them and the last ones of a row are read and stored as the
-- interpreter does it, at every vector width, for every size of element.
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local DTYPES = { "float32", "float64", "int32", "int64", "int8", "uint16", "complex64" }
-- The second operand is laid out so that the first is the one read with steps.
local VIEWS = {
  function(x, y) return x.T * 2 + y.T:copy() end,
  function(x, y) return x[{ "::", "::2" }] + y[{ "::", "::2" }] end,
  function(x) return x[{ "::-1", "::-3" }] * 3 end,
  function(x, y) return T.set_subtensor(y[{ "::", "1::2" }], x[{ "::", "1::2" }] * 2) end,
  function(x, y) return T.inc_subtensor(y.T[{ "::2", "::-1" }], x.T[{ "::2", "::-1" }]) end,
  function(x) return T.cast(x[{ "::", "::2" }], x.dtype:find("complex", 1, true) and "complex128" or "float64") + 1 end,
}
local SHAPES = { { 1, 1 }, { 3, 7 }, { 16, 17 }, { 33, 16 }, { 31, 70 }, { 0, 5 } }

local function build()
  local inputs, outputs = {}, {}
  for _, d in ipairs(DTYPES) do
    local matrix = T.TensorType(d, { false, false })
    local x, y = matrix("x" .. d), matrix("y" .. d)
    inputs[#inputs + 1], inputs[#inputs + 2] = x, y
    for _, view in ipairs(VIEWS) do outputs[#outputs + 1] = view(x, y) end
  end
  return theano.compile({ inputs = inputs, outputs = outputs })
end

local function arguments(shape)
  local at = {}
  for _, d in ipairs(DTYPES) do
    local n = shape[1] * shape[2]
    at[#at + 1] = (nd.arange(n) % 53 + 1):reshape(shape):astype(d)
    at[#at + 1] = (nd.arange(n) % 31):reshape(shape):astype(d)
  end
  return at
end

describe("strided vectors", function()
  local function same_as_interpreter(flags)
    skip.unless(theano.config.cxx ~= "", "no C compiler")
    local interpreted, built
    do
      local _ <close> = theano.config.change_flags({ linker = "interpreter" })
      interpreted = build()
    end
    do
      local _ <close> = theano.config.change_flags({ ["gcc.cxxflags"] = flags })
      built = build()
    end
    for _, shape in ipairs(SHAPES) do
      local at = arguments(shape)
      local want, got = { interpreted(table.unpack(at)) }, { built(table.unpack(at)) }
      assert.equal(#DTYPES * #VIEWS, #got)
      for i = 1, #want do
        assert.is_true(nd.array_equal(want[i], got[i]),
          ("view %d of %s, %d rows of %d"):format((i - 1) % #VIEWS + 1, DTYPES[(i - 1) // #VIEWS + 1],
            shape[1], shape[2]))
      end
    end
    return built
  end

  it("as wide as the processor has them", function() same_as_interpreter("") end)
  it("of 32 bytes", function() same_as_interpreter("-march=x86-64-v3") end)
  it("of 16 bytes", function() same_as_interpreter("-march=x86-64") end)
end)
