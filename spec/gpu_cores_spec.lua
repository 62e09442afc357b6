--- Products of halves on a device (the emulated driver): operands that mixed precision rounds are kept as halves, their
-- products run on tensor cores or by the library, sums are float32: the CPU's numbers.
local DEVICE = require("spec.support.device").flags
local emulated = require("spec.support.emulated")
local nd = require("theano.ndarray")
local skip = require("spec.support.skip")
local theano = require("theano")
local T = require("theano.tensor")

local rng = nd.random.RandomState(3)
local function numbers(...) return rng:normal(0, 1, { ... }):astype("float32") end

local function made(o, flags)
  local _ <close> = theano.config.change_flags(flags or {})
  o.on_unused_input = "ignore"
  return theano.compile(o)
end

-- Bits are the CPU's where it has one sum (up to 1024 terms): the emulated cores add one by one.
local function same(inputs, outputs, args, amp, tolerance)
  local want = { made({ inputs = inputs, outputs = outputs, amp = amp })(table.unpack(args)) }
  local f = made({ inputs = inputs, outputs = outputs, amp = amp }, DEVICE)
  for i, got in ipairs({ f(table.unpack(args)) }) do
    local a = nd.asarray(got)
    assert.same(want[i].shape, a.shape)
    assert(nd.allclose(a, want[i], tolerance or 1e-5, tolerance or 1e-5, { equal_nan = true }),
      ("output %d: off by %g"):format(i, a.size > 0 and nd.abs(a - want[i]):max() or 0))
  end
  return theano.printing.ccode(f), theano.printing.plan(f), f
end

describe("products of halves on a device", function()
  if theano.config.cxx == "" then
    it("needs a compiler", function() skip.now("there is no C compiler") end)
    return
  end

  -- tiles of 128 by 128 (64 by 64, 16 by 128), 32 deep, 16 bytes at a time or one by one
  local shapes = { { 5, 7, 9 }, { 16, 32, 128 }, { 130, 70, 200 }, { 64, 64, 64 }, { 66, 33, 150 }, { 3, 1, 2 } }

  for _, amp in ipairs({ "bfloat16", "float16" }) do
    it("have the CPU's numbers, with what follows them and all gradients: " .. amp, function()
      local x, w, b = T.fmatrix("x"), T.fmatrix("w"), T.fvector("b")
      local y = T.tanh(T.dot(x, w) + b)
      local outputs = { y, table.unpack(T.grad(T.sum(T.sqr(y)), { x, w, b })) }
      local text, plan
      for _, s in ipairs(shapes) do
        local m, k, n = table.unpack(s) -- a gradient's last bit may be another one before it is rounded
        text, plan = same({ x, w, b }, outputs, { numbers(m, k), numbers(k, n), numbers(n) }, amp, 1e-2)
      end
      assert.matches("core_" .. amp .. "%(sum", text)
      local kept = select(2, plan:gsub("\n  b%d+ " .. amp .. " ", ""))
      assert.equal(3, kept, plan) -- x, w, and the gradient behind tanh: no float32 copy of them
    end)
  end

  it("by large tiles", function()
    local x, w = T.fmatrix("x"), T.fmatrix("w")
    same({ x, w }, { T.dot(x, w) }, { numbers(1027, 3), numbers(3, 1030) }, "bfloat16")
  end)

  it("of batches, turned operands, factors and updates in place", function()
    local x, y, z = T.ftensor3("x"), T.ftensor3("y"), T.fmatrix("z")
    local text = same({ x, y, z }, { T.batched_dot(x, y), T.batched_dot(x, y) * 2, T.dot(z, z.T) + T.dot(z.T, z)[1],
      T.batched_dot(y:dimshuffle(0, 2, 1), x:dimshuffle(0, 2, 1)) },
      { numbers(3, 20, 33), numbers(3, 33, 70), numbers(40, 40) }, "bfloat16")
    assert.matches("core_bfloat16", text)
    local a, lr = T.fmatrix("a"), T.constant(0.001, { dtype = "float32" })
    local start, rows, got = numbers(24, 40), numbers(9, 24), {}
    for i, flags in ipairs({ {}, DEVICE }) do
      local w = theano.shared(start, { name = "w" })
      local cost = T.sum(T.sqr(T.dot(a, w)))
      local f = made({ inputs = { a }, outputs = cost, updates = { { w, w - lr * T.grad(cost, w) } },
        amp = "bfloat16" }, flags)
      for _ = 1, 3 do f(rows) end
      got[i] = w:get_value()
    end
    assert(nd.allclose(got[1], got[2], 1e-3, 1e-3))
  end)

  it("of nothing, of NaN and of infinities", function()
    local x, w = T.fmatrix("x"), T.fmatrix("w")
    for _, s in ipairs({ { 0, 3, 4 }, { 3, 0, 4 }, { 3, 4, 0 } }) do
      same({ x, w }, { T.dot(x, w) + 1 }, { nd.zeros({ s[1], s[2] }, "float32"), nd.zeros({ s[2], s[3] }, "float32") },
        "float16")
    end
    local a, b = numbers(20, 40), numbers(40, 20)
    a[{ 1, 2 }], a[{ 2, 3 }], b[{ 4, 5 }], a[{ 7, 0 }] = 0 / 0, math.huge, -math.huge, 1e6
    for _, amp in ipairs({ "bfloat16", "float16" }) do same({ x, w }, { T.dot(x, w) }, { a, b }, amp) end
  end)

  it("stay float32 where others read the rounded operand, or only one of two is rounded", function()
    local x, w = T.fmatrix("x"), T.fmatrix("w")
    local low = T.cast(T.cast(x, "bfloat16"), "float32")
    local _, plan = same({ x, w }, { T.dot(low, w), low * 2 }, { numbers(20, 20), numbers(20, 20) })
    assert.is_nil(plan:match("\n  b%d+ bfloat16"))
    _, plan = same({ x, w }, { T.dot(low, w) }, { numbers(20, 20), numbers(20, 20) })
    assert.is_nil(plan:match("\n  b%d+ bfloat16"))
    _, plan = same({ x, w }, { low, T.dot(low, low) }, { numbers(20, 20), numbers(20, 20) })
    assert.is_nil(plan:match("\n  b%d+ bfloat16"))
  end)

  it("go to the library, where it is, with a bias of float32", function()
    local x, w, b = T.fmatrix("x"), T.fmatrix("w"), T.fvector("b")
    local args = { numbers(70, 200), numbers(200, 310), numbers(310) }
    for _, amp in ipairs({ "bfloat16", "float16" }) do
      local before = emulated.calls("cublasLtMatmul")
      same({ x, w, b }, { T.dot(x, w) + b, T.tanh(T.dot(x, w)) }, args, amp)
      assert(emulated.calls("cublasLtMatmul") > before)
    end
  end)

  it("are rounded by the library where nothing else is done with them, and nowhere else", function()
    local x, w, v = T.fmatrix("x"), T.fmatrix("w"), T.fmatrix("v")
    local args = { numbers(70, 200), numbers(200, 310), numbers(310, 90) } -- sums are exact
    for i, a in ipairs(args) do args[i] = (a * 2):astype("int32"):astype("float32") end
    for _, amp in ipairs({ "bfloat16", "float16" }) do
      local y, other = T.dot(x, w), amp == "bfloat16" and "float16" or "bfloat16"
      for _, case in ipairs({ { 0, T.cast(y, amp) }, { 0, T.dot(y, v) }, { 1, T.cast(y, other) },
        { 1, T.cast(T.sqr(y), amp) }, { 1, T.cast(y, amp), y }, { 0, T.cast(y, amp), T.sqr(x) } }) do
        local _, _, f = same({ x, w, v }, { table.unpack(case, 2) }, args, amp, 0)
        local behind = 0
        for _, k in ipairs(theano.printing.roofline(f, nil, { compile = false }).kernels) do
          if k.behind then behind = behind + 1 end
        end
        assert.equal(case[1], behind)
      end
    end
  end)

  -- Of two updates in place the second one must be done. A profiled function launches each step anew: no graphs.
  it("are the host's where the driver refuses", function()
    local _ <close> = theano.config.change_flags({ ["profiling.destination"] = "/dev/null" })
    local x, rate = T.fmatrix("x"), T.constant(0.01, { dtype = "float32" })
    local start, args = numbers(20, 30), numbers(9, 20)
    local function step()
      local v, u = theano.shared(start, { name = "v" }), theano.shared(start, { name = "u" })
      local function less(w) return w - rate * T.dot(x.T, T.dot(x, w)) end
      return v, u, made({ inputs = { x }, outputs = {}, updates = { { v, less(v) }, { u, less(u) } }, amp = "bfloat16",
        profile = true }, DEVICE)
    end
    local v, u, f = step()
    f(args)
    local steps, taken = theano.printing.roofline(f, nil, { compile = false }).kernels, 0
    assert.equal(7, #steps)
    for n, k in ipairs(steps) do
      local before, done = nd.array(u:get_value()), nil
      emulated.fail("cuLaunchKernel", n, 2)
      local counted = emulated.counted(function() done = pcall(f, args) end)
      emulated.fail("cuLaunchKernel", 0, 0)
      assert.is_true(counted.cuLaunchKernel >= n)
      assert.equal(not done, nd.array_equal(before, u:get_value())) -- all of it, or nothing
      if done and k.m then
        assert.equal("bfloat16", k.dtype)
        taken = taken + 1
      end
    end
    assert.equal(2, taken) -- both products of the second update
    local v_too, u_too, g = step()
    for _ = 1, 4 do g(args) end -- as many as were done
    assert(nd.allclose(v:get_value(), v_too:get_value(), 1e-2, 1e-2))
    assert(nd.allclose(u:get_value(), u_too:get_value(), 1e-2, 1e-2))
    f, g = nil, nil -- luacheck: ignore
    collectgarbage() -- while profiles go nowhere
  end)

  it("are tensor core instructions of machine code, where NVRTC is", function()
    local x, w = T.fmatrix("x"), T.fmatrix("w")
    local f = made({ inputs = { x, w }, outputs = T.dot(x, w), amp = "bfloat16" }, DEVICE)
    f(numbers(100, 40), numbers(40, 30))
    for _, gpu in ipairs({ "h100", "a100" }) do
      local r, found = theano.printing.roofline(f, gpu), 0
      if not r.compiled then skip.now("NVRTC is not found: scripts/setup --gpu-tests fetches it") end
      for _, k in ipairs(r.kernels) do
        if k.dtype == "bfloat16" then found = k.tensor end
        assert.is_true((k.spilled or 0) == 0 and (k.registers or 0) <= 255)
      end
      assert(found >= 8, found)
    end
  end)
end)

describe("a transformer block under mixed precision", function()
  if theano.config.cxx == "" then
    it("needs a compiler", function() skip.now("there is no C compiler") end)
    return
  end

  local function block(small)
    for _, w in ipairs(require("bench.gpu.work")(small)) do
      if w.name == "transformer block, bfloat16, a step" then return w.make() end
    end
  end

  it("has the CPU's cost, attention as one operation and its operands as halves", function()
    local function cost(flags)
      local _ <close> = theano.config.change_flags(flags)
      local f, _, _, _, check = block(true)
      return check(), f
    end
    local want = cost({ floatX = "float32" })
    local got, f = cost({ floatX = "float32", device = DEVICE.device, force_device = true })
    assert(math.abs(got - want) < 0.01 * math.abs(want), ("%g for %g"):format(got, want))
    local text = theano.printing.debugprint(f, { file = "str" })
    assert(text:find("AttentionHeadsInto{", 1, true) and not text:find("BatchedDot", 1, true))
  end)

  it("moves what it must, as the roofline of an idle device tells", function()
    if DEVICE.device ~= "cuda-emulated" then skip.now("it is for the emulated device") end
    local _ <close> = theano.config.change_flags({ floatX = "float32", device = DEVICE.device })
    emulated.idle(1)
    local before = emulated.calls("cublasLtMatmul")
    local ok, f = pcall(block, false)
    emulated.idle(0)
    assert(ok, f)
    -- three calls, the last one captured; weights too: attention's gradient fails before it is queued, or not at all
    assert.equal(3 * 11, emulated.calls("cublasLtMatmul") - before)
    local r, halves, products = theano.printing.roofline(f, "h100", { compile = false }), 0, 0
    for _, k in ipairs(r.kernels) do
      if k.m then products = products + 1 end
      if k.library and k.dtype == "bfloat16" then halves = halves + 1 end
    end
    assert.same({ 11, 11 }, { products, halves })
    assert(r.launches <= 27, r.launches)
    assert(r.bytes < 1.03e9, r.bytes) -- 77 MB are sums of dq, and what makes and reads dz . z
    assert(r.lower < 0.33e-3, r.lower)
  end)
end)
