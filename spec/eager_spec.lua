--- Functions on arrays at once: the second call, which runs a kept function, is the first one again, in values, dtypes,
-- messages and who owns the memory.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")

local function twice(f)
  local a, b = f(), f()
  if type(a) == "userdata" and a.dtype then
    assert.equal(a.dtype, b.dtype)
    assert.is_true(nd.array_equal(a, b))
  else assert.equal(a, b) end
  return b
end

describe("the second eager call", function()
  it("gives the same values and dtypes, operators with numbers included", function()
    local a, i = nd.arange(6.0):reshape({ 2, 3 }), nd.arange(3)
    assert.same({ { 0.0, 2.0, 4.0 }, { 3.0, 5.0, 7.0 } }, twice(function() return a + i end):tolist())
    assert.equal("int64", twice(function() return i + 1 end).dtype)
    assert.equal("float64", twice(function() return i + 1.5 end).dtype)
    assert.equal("int16", twice(function() return i:astype("int8") + 1000 end).dtype)
    assert.equal("int8", twice(function() return i:astype("int8") + 100 end).dtype)
    assert.equal("float32", twice(function() return i:astype("int8") * nd.ones(3, "float32") end).dtype)
    assert.same({ 1.0, 0.5, 0.25 }, twice(function() return 2.0 ^ -i end):tolist())
    assert.same({ 2, 1, 0 }, twice(function() return 2 - i end):tolist())
    assert.equal(15.0, twice(function() return nd.sum(a) end))
    assert.same({ 5.0, 14.0 }, twice(function() return nd.dot(a, i) end):tolist())
    assert.same({ { 0.0, 1.0 } }, twice(function() return nd.ones({ 1, 1 }) * nd.array({ 0.0, 1.0 }) end):tolist())
    assert.same({ 1, 2 }, twice(function() return nd.unique(nd.array({ 2, 1, 2 })) end):tolist())
    assert.same({ false, true }, twice(function() return nd.gt(nd.array({ 1, 2 }), 1) end):tolist())
  end)

  it("tells axes, flags, lists and numbers apart, given by place or by name", function()
    local m = nd.arange(6.0):reshape({ 2, 3 })
    for _ = 1, 3 do
      assert.same({ 3.0, 5.0, 7.0 }, nd.sum(m, 0):tolist())
      assert.same({ 3.0, 12.0 }, nd.sum(m, 1):tolist())
      assert.same({ 3.0, 12.0 }, nd.sum(m, { axis = 1 }):tolist())
      assert.same({ { 3.0 }, { 12.0 } }, nd.sum(m, { axis = { 1 }, keepdims = true }):tolist())
      assert.equal("float32", nd.sum(m, { axis = 1, dtype = "float32" }).dtype)
      assert.same({ 1.0, 1.0, 2.0, 2.0 }, nd.clip(nd.arange(4.0), 1, 2):tolist())
      assert.same({ 0.5, 1.0, 2.0, 2.5 }, nd.clip(nd.arange(4.0), 0.5, 2.5):tolist())
      assert.same({ 3.0, 0.0, 1.0, 2.0 }, nd.roll(nd.arange(4.0), 1):tolist())
      assert.same({ 1.0, 2.0, 3.0, 0.0 }, nd.roll(nd.arange(4.0), -1):tolist())
      assert.same({ 12.0, 17.0, 22.0 }, nd.tensordot(m, m, { { 0 }, { 0 } })[1]:tolist())
      assert.same({ { 5.0, 14.0 }, { 14.0, 50.0 } }, nd.tensordot(m, m, { { 1 }, { 1 } }):tolist())
      raises("ValueError", "axis", function() nd.sum(m, 2) end)
      raises("TypeError", "unknown keyword", function() nd.sum(m, { axes = 1 }) end)
    end
  end)

  it("of numbers alone gives what arrays of one element give, and knows parameters", function()
    for name in ("sin exp sqrt floor abs sign isnan sigmoid erf log1p rint sqr"):gmatch("%S+") do
      for _, x in ipairs({ 0.3, -2.5, 3, -2, 70000, 0.0, 1 / 0 }) do
        local want = nd[name](nd.array({ x }))[0]
        for _ = 1, 2 do
          local got = nd[name](x)
          assert(got == want or got ~= got and want ~= want, name .. " of " .. x)
          assert.equal(math.type(want), math.type(got), name)
        end
      end
    end
    for name in ("maximum minimum hypot arctan2 power logaddexp fmod"):gmatch("%S+") do
      for _, y in ipairs({ 0.7, 2.5, 3 }) do
        local want = nd[name](nd.array({ 0.3 }), nd.array({ y + 0.0 }))[0]
        for _ = 1, 2 do assert.equal(want, nd[name](0.3, y), name) end
      end
    end
    local leaky -- a parameter behind the first: x is an integer, the result is not
    for _, f in ipairs(require("theano.core").functions()) do
      if f.name == "nnet.leaky_relu" then leaky = f.eager end
    end
    for _ = 1, 2 do
      assert.equal("float", math.type(leaky(3, 2)))
      assert.equal(0.3, nd.sum(0.3))
      assert.same({ 3 }, nd.zeros(3).shape)
      assert.equal(0.31, nd.round(0.314, 2))
      assert.equal(1, nd.clip(3, 0, 1))
      raises("TypeError", "", function() nd.bitwise_and(0.5, 0.5) end)
      raises("TypeError", "", function() nd.sin(0.5, 0.25) end)
    end
  end)

  it("tells small integer arrays apart, by value and where they decide lengths", function()
    local m = nd.arange(6.0):reshape({ 2, 3 })
    for _ = 1, 3 do
      assert.same({ { 0.0, 2.0 }, { 3.0, 5.0 } }, nd.take(m, nd.array({ 0, 2 }), 1):tolist())
      assert.same({ { 1.0, 0.0 }, { 4.0, 3.0 } }, nd.take(m, nd.array({ 1, 0 }), 1):tolist())
      assert.same({ 3.0, 4.0, 5.0 }, m[nd.array({ 1 })][0]:tolist())
      raises("IndexError", "", function() return m[nd.array({ 1, 7 })] end)
      assert.same({ 1, 1, 2 }, nd.repeat_(nd.array({ 1, 2 }), nd.array({ 2, 1 })):tolist())
      assert.same({ 1, 2, 2, 2 }, nd.repeat_(nd.array({ 1, 2 }), nd.array({ 1, 3 })):tolist())
      assert.same({ 2, 1 }, { table.unpack(nd.reshape(nd.ones(2), nd.array({ 2, 1 })).shape) })
      assert.same({ 0, 1, 2 }, nd.unravel_index(nd.array({ 0, 1, 2 }), { 3 }):tolist())
      assert.same({ 1.0, 1.0, 0.0, 1.0 }, nd.concatenate({ nd.ones(2), nd.arange(2) }, 0):tolist())
      assert.same({ { 1.0, 1.0 }, { 0.0, 1.0 } }, nd.stack({ nd.ones(2), nd.arange(2) }, 0):tolist())
      assert.same({ { 1.0, 0.0 }, { 1.0, 1.0 } }, nd.stack({ nd.ones(2), nd.arange(2) }, 1):tolist())
    end
  end)

  it("forgets what is called with ever other numbers", function()
    for k = 1, 1500 do assert.equal(k, nd.min(nd.clip(nd.arange(3.0), k, k + 1))) end
    assert.equal(3.0, nd.sum(nd.arange(3.0)))
  end)

  it("tells lengths of one from others, and views and orders by their strides", function()
    local row, a = nd.array({ { 1.0, 2.0 } }), nd.arange(4.0):reshape({ 2, 2 })
    for _ = 1, 3 do
      assert.same({ { 1.0, 3.0 }, { 3.0, 5.0 } }, (row + a):tolist())
      assert.same({ { 0.0, 3.0 }, { 3.0, 6.0 } }, (a.T + a):tolist())
      assert.same({ { 3.0, 3.0 }, { 3.0, 3.0 } }, (a["::-1, ::-1"] + a):tolist())
      raises("ValueError", "shape", function() return a + nd.ones(3) end)
    end
  end)

  it("follows no flag: dtypes are those of NumPy", function()
    local i = nd.arange(3)
    for round = 1, 4 do
      if round == 3 then -- with operations in Lua about, calls go node by node
        local function same_type(self, x) return theano.Apply(self, { x }, { x.type() }) end
        theano.Op({ name = "Any", make_node = same_type, perform = function() end })(theano.tensor.dvector())
      end
      assert.equal("float64", (i / 2).dtype)
      local scope <close> = theano.config.change_flags({ floatX = "float32" })
      assert.equal("float64", (i / 2).dtype)
      assert.equal("float32", (nd.ones(2, "float32") * 0.1).dtype)
      assert.equal(0.7, (nd.ones(2) * 0.7)[0])
      assert.is_not_nil(scope)
    end
    assert.equal("float64", (i / 2).dtype)
  end)

  it("fails with the same words", function()
    local a, b = nd.ones({ 2, 3 }), nd.ones({ 2, 4 })
    local function message(f)
      local fine, m = pcall(f)
      assert.is_false(fine)
      return m:gsub("^[^:]*:%d+: ", "")
    end
    for _, f in ipairs({ function() return a + b end, function() return nd.dot(a, b) end,
      function() return nd.array({ 1, 2 }) // nd.array({ 1, 0 }) end,
      function() return nd.array({ true }) - nd.array({ true }) end,
      function() return a // 0 + nd.sum(nd.arange(0), { axis = 5 }) end }) do
      local first = message(f)
      assert.equal(first, message(f))
      assert.equal(first, message(f))
    end
    a:free()
    raises("ValueError", "freed", function() return a + 1 end)
  end)

  it("refuses a freed array wherever it stands", function()
    local a, axis = nd.ones({ 2, 3 }), nd.array(1)
    axis:free()
    raises("ValueError", "freed", function() return nd.sum(a, axis) end)
    raises("ValueError", "freed", function() return nd.sum(a, { axis = { axis } }) end)
    raises("ValueError", "freed", function() return nd.cumsum(a, axis) end)
    raises("ValueError", "freed", function() return theano.tensor.argmax(theano.tensor.dmatrix(), axis) end)
    raises("ValueError", "freed", function() return theano.tensor.dmatrix():reshape({ axis, 2 }) end)
  end)

  it("gives fresh memory, which the next one leaves alone", function()
    local a = nd.ones(4)
    local results = {}
    for k = 1, 5 do results[k] = a + k end
    for k = 1, 5 do assert.same({ 1.0 + k, 1.0 + k, 1.0 + k, 1.0 + k }, results[k]:tolist()) end
    for k = 1, 4 do assert.is_false(nd.shares_memory(results[k], results[k + 1])) end
  end)

  it("leaves nothing behind, whatever the types", function()
    local dtypes = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float32", "float64" }
    local function round()
      for _, d in ipairs(dtypes) do
        for _, e in ipairs(dtypes) do
          for n = 0, 3 do
            local x, y = nd.ones({ n, 2 }, d), nd.ones({ n == 2 and 1 or n, 2 }, e)
            local _ = nd.maximum(x + y, x * 2)
          end
        end
      end
    end
    local function live()
      for _ = 1, 3 do collectgarbage() end
      return theano.stat("live_bytes") - theano.stat("cache_bytes")
    end
    -- Some hundred functions are kept at a time and dropped together: the least that later rounds leave is held
    -- against the most that earlier ones did.
    local most, least = 0, math.huge
    for _ = 1, 4 do
      round()
      most = math.max(most, live())
    end
    for _ = 1, 6 do
      round()
      least = math.min(least, live())
    end
    assert.truthy(least - most < 500000, ("%d bytes more"):format(least - most))
  end)
end)
