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

-- Arrays whose elements are equally far apart run without a frame, and numbers fill one block of operands: lengths
-- about blocks and vectors, in both directions.
describe("arrays that are lines, and numbers, have the answers of dense copies", function()
  local rng = nd.random.RandomState(5)
  local CALLS = { function(a) return a + 3 end, function(a) return 3 - a end, function(a, c) return a * c end,
    function(a, c) return c - a end, function(a) return nd.eq(a, 7) end, function(a) return nd.clip(a, 20, 50) end,
    function(a) return nd.abs(a) end, function(a, c) return nd.flip(c) - a end, function(a) return nd.exp(a / 64) end }
  for _, dtype in ipairs({ "float64", "float32", "int64", "int16", "uint8" }) do
    it("of " .. dtype, function()
      for _, n in ipairs({ 0, 1, 2, 15, 16, 17, 31, 511, 512, 513, 528, 1023, 1025, 2000 }) do
        local x = nd.floor(rng:rand(3 * n) * 100):astype(dtype)
        local dense = x[":" .. n]
        for _, view in ipairs({ dense, nd.flip(dense), x["::3"], x["::-3"], nd.flip(dense):reshape({ -1, 1 }),
          nd.broadcast_to(x["::3"], { 3, n }), nd.broadcast_to(x["::3"]:reshape({ n, 1 }), { n, 3 }) }) do
          local copy = view:copy()
          for i, call in ipairs(CALLS) do
            assert.is_true(nd.array_equal(call(view, copy), call(copy, copy)),
              ("call %d of %d, steps %s"):format(i, n, table.concat(view.strides, ", ")))
          end
        end
      end
    end)
  end
  it("and each of a long array meets its own number", function()
    local x = nd.arange(3000):astype("float64")
    local y, back = (x + 0.5):tolist(), (nd.flip(x) * 2):tolist()
    for i = 1, 3000 do
      assert.equal(i - 0.5, y[i])
      assert.equal(2.0 * (3000 - i), back[i])
    end
  end)
end)

-- A long row ends with a block of its own, and what is the same for all of it fills no more than that.
describe("rows and columns beside matrices have the answers of whole matrices", function()
  local rng = nd.random.RandomState(6)
  local CALLS = { function(a, b) return a + b end, function(a, b) return b / a end,
    function(a, b) return nd.exp(a / 64) - b end, function(a, b) return nd.where(nd.lt(a, b), a, b) end,
    function(a, b) return (a * b).T end }
  for _, dtype in ipairs({ "float64", "float32", "int16" }) do
    it("of " .. dtype, function()
      for _, n in ipairs({ 0, 1, 15, 17, 159, 160, 161, 175, 177, 511, 512, 513, 671, 672, 687, 1025 }) do
        local m = nd.floor(rng:rand(3, n) * 100 + 1):astype(dtype)
        local row, column = m[0], nd.floor(rng:rand(3, 1) * 100 + 1):astype(dtype)
        for _, other in ipairs({ row, column, m[{ "::-1", "::-1" }] }) do
          local whole = nd.broadcast_to(other, { 3, n }):copy()
          for i, call in ipairs(CALLS) do
            assert.is_true(nd.array_equal(call(m, other), call(m, whole)), ("call %d of %d"):format(i, n))
            local a = m:copy()
            a[{ "::", "::" }] = call(a, other):reshape(3, n)
            assert.is_true(i == 5 or nd.array_equal(a, call(m, whole):astype(dtype)))
          end
        end
      end
    end)
  end
end)

-- Calls on arrays whose operands are broadcast, or are parts of larger arrays, run block by block without a frame.
describe("operands of every form have the answers of dense copies", function()
  local rng = nd.random.RandomState(8)
  local CALLS = {
    function(a, b) return a + b end, function(a, b) return b - a end, function(a, b) return nd.lt(a, b) end,
    function(a, b) return nd.where(nd.lt(a, b), b, 7) end, function(a, b) return nd.clip(b, a - 3, a) end,
    function(a, b) return nd.exp(b / 64) * (a + 1) end, function(a, b) return nd.isclose(a, b, 0.1) end,
  }
  -- The shape of the result, and operands that are broadcast to it.
  local function forms(n, dtype)
    local function some(...) return nd.floor(rng:rand(...) * 100):astype(dtype) end
    local m, long = some(7, n + 5), some(3 * n + 4)
    local row, column = long[("1:%d"):format(n + 1)], m[":, 2:3"]
    return {
      { { 7, n }, m[(":, 3:%d"):format(n + 3)], row, row:reshape({ 1, n }), column, m[("::-1, 0:%d"):format(n)],
        long[("0:%d:3"):format(3 * n)], nd.flip(row), nd.asarray(5):astype(dtype), nd.asarray({ { 6 } }):astype(dtype),
        m[0][("5:%d"):format(n + 5)], nd.ascontiguousarray(m[(":, 0:%d"):format(n)].T).T, some(7, n) },
      { { 2, 7, n }, m[(":, 3:%d"):format(n + 3)], row, column, some(2, 1, n), some(2, 7, 1), some(2, 1, 1),
        some(7, n, 2):transpose(2, 0, 1) },
    }
  end
  local function whole(a, shape) return nd.broadcast_to(a, shape):copy() end
  local function same_as_dense(shape, a, b, call, what)
    local reached = nd.broadcast_shapes(a.shape, b.shape)
    if table.concat(reached, ",") ~= table.concat(shape, ",") then return 0 end
    local got = call(a, b)
    assert.same(shape, { table.unpack(got.shape) })
    assert.is_true(nd.array_equal(got, call(whole(a, shape), whole(b, shape))), what)
    return 1
  end
  for _, dtype in ipairs({ "float64", "float32", "int16", "int64" }) do
    it("of " .. dtype, function()
      local count = 0
      for _, n in ipairs({ 0, 1, 2, 3, 15, 16, 17, 100, 316, 511, 513, 700, 1100, 2047, 2049, 2600 }) do
        for _, form in ipairs(forms(n, dtype)) do
          for i = 2, #form do
            for j = 2, #form do
              local call = (i + 5 * j + n) % #CALLS + 1
              count = count + same_as_dense(form[1], form[i], form[j], CALLS[call],
                ("n = %d, operands %d and %d, call %d"):format(n, i, j, call))
            end
          end
        end
      end
      assert.is_true(count > 1500)
    end)
  end
  it("and dimensions that only the result has stay", function()
    local m = nd.arange(6.0):reshape({ 2, 3 })
    for _ = 1, 3 do
      assert.same({ 1, 2, 3 }, nd.shape_padleft(m).shape)
      assert.same({ 1, 1, 2, 3 }, nd.shape_padleft(m, 2).shape)
      assert.same({ 2, 3 }, nd.second(m, nd.arange(3.0)).shape)
      assert.same({ 2, 3 }, nd.second(nd.arange(3.0), m).shape)
    end
  end)
  it("and what does not fit is refused", function()
    local m = nd.zeros({ 7, 20 })
    for _, shape in ipairs({ { 19 }, { 7 }, { 7, 2 }, { 2, 20 }, { 3, 2, 20 } }) do
      local fine, message = pcall(function() return m + nd.zeros(shape) end)
      assert.is_false(fine)
      assert.matches("ValueError", message)
    end
  end)
end)
