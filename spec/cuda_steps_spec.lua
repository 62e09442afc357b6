--- What a training step asks of a GPU's driver, call by call (the emulated driver counts): the minibatch goes over in
-- one copy, everything runs as one graph, the cost comes back in one copy, and whether a step failed with it.
local emulated = require("spec.support.emulated")
local nd = require("theano.ndarray")
local networks = require("spec.support.networks")
local theano = require("theano")
local T = require("theano.tensor")

local STEP = { cuMemcpyHtoDAsync_v2 = 1, cuGraphLaunch = 1, cuEventRecord = 1, cuMemcpyDtoHAsync_v2 = 1,
  cuStreamSynchronize = 1, cuCtxSetCurrent = 5 }

local function numbers(...)
  local n = 1
  for _, k in ipairs({ ... }) do n = n * k end
  return nd.sin(nd.arange(n):astype("float64") * 0.7):reshape({ ... })
end

-- Calls until one is a graph, and what a call counts from then on.
local function settled(call, most)
  for i = 1, most do
    local c = emulated.counted(call)
    if c.cuGraphLaunch and not c.cuLaunchKernel then return i, c end
  end
end

describe("a training step", function()
  for name, make in pairs(networks) do
    it("is one graph: " .. name, function()
      local want, weights = {}, {}
      local f, args, params = make()
      for i = 1, 6 do want[i] = f(table.unpack(args)) end
      for i, p in ipairs(params) do weights[i] = p:get_value() end

      local _ <close> = theano.config.change_flags(emulated.flags)
      f, args, params = make()
      local n = 0
      local function call()
        n = n + 1
        assert.near(want[n], f(table.unpack(args)), 1e-6)
      end
      local first = settled(call, 4)
      assert.is_true(first and first <= 4) -- as it is, as memory has grown, captured
      while n < 6 do assert.same(STEP, emulated.counted(call)) end
      for i, p in ipairs(params) do assert.is_true(nd.allclose(weights[i], p:get_value(), 1e-5, 1e-6)) end
    end)
  end

  -- The gather may fail when w has its new value, so that this is made aside.
  local function late()
    local x, w = T.dvector("x"), theano.shared(nd.zeros({ 3 }, "int64"), "w")
    local v = theano.shared(numbers(4), "v")
    local next_w = w + 1
    return theano.compile { inputs = { x }, outputs = x[next_w]:sum(),
      updates = { { w, next_w }, { v, v * 0.5 + x[next_w]:sum() } } }, w, v
  end

  it("whose new values are made aside puts them where the old ones were", function()
    local _ <close> = theano.config.change_flags(emulated.flags)
    local f, w, v = late()
    local x, i = numbers(12), 0
    local function call()
      i = i + 1
      assert.near(3 * x[i], f(x), 1e-12)
    end
    assert.is_truthy(settled(call, 5))
    assert.same(STEP, emulated.counted(call))
    local held = w:get_value({ borrow = true })
    assert.same(STEP, emulated.counted(call))
    assert.same({ i, i, i }, held:tolist()) -- it is the storage
    w:set_value(nd.zeros({ 3 }, "int64"))
    i = 0
    for _ = 1, 4 do call() end
    local before = v:get_value()
    for _ = 1, 3 do
      local ok, e = pcall(f, numbers(4))
      assert.is_false(ok)
      assert.equal("IndexError", theano.error_kind(e))
    end
    assert.same({ 4, 4, 4 }, w:get_value():tolist())
    assert.is_true(nd.array_equal(before, v:get_value()))
    for _ = 1, 3 do call() end
    w:set_value(nd.zeros({ 2 }, "int64")) -- other lengths
    assert.near(2 * x[1], f(x), 1e-12)
    assert.same({ 1, 1 }, w:get_value():tolist())
  end)

  it("whose arguments are its last results is one graph, wherever they lie", function()
    local function make()
      local x, h = T.dvector("x"), T.dvector("h")
      return theano.compile { inputs = { x, h }, outputs = { T.tanh(h * 0.5 + x), (h * x):sum() } }
    end
    local want, h = {}, numbers(5)
    local f = make()
    for i = 1, 8 do h, want[i] = f(numbers(5) * i, h) end
    local _ <close> = theano.config.change_flags(emulated.flags)
    f, h = make(), numbers(5)
    local n, given = 0, nil
    local function call()
      n = n + 1
      h, given = f(numbers(5) * n, h)
      assert.near(want[n], given, 1e-12)
    end
    assert.is_truthy(settled(call, 6))
    local c = emulated.counted(call)
    assert.equal(1, c.cuGraphLaunch)
    assert.is_nil(c.cuLaunchKernel)
    assert.equal(1, c.cuMemcpyHtoDAsync_v2)
    assert.equal(1, c.cuMemcpyDtoHAsync_v2)
  end)

  it("that gives nothing to the host waits for nothing, and arguments may change behind it", function()
    local _ <close> = theano.config.change_flags(emulated.flags)
    local x, w = T.dvector("x"), theano.shared(nd.zeros({ 1000 }), "w")
    local f = theano.compile { inputs = { x }, updates = { { w, w + x } } }
    local a, sum = nd.ones({ 1000 }), 0
    for i = 1, 12 do
      a["0:"] = i
      local c = emulated.counted(function() f(a) end)
      if i > 3 then
        assert.is_nil(c.cuStreamSynchronize)
        assert.is_nil(c.cuMemcpyDtoHAsync_v2)
      end
      sum = sum + i
    end
    assert.equal(sum, w:get_value()[999])
  end)
end)
