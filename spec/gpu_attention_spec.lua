--- Attention as one operation on a device (the emulated driver): result and gradients against the plain graph on the
-- CPU, masks, rows of which nothing is left, lengths that are no whole tiles; no matrix of scores anywhere.
local attention = require("spec.support.attention")
local compile = require("theano.compile")
local device = require("spec.support.device")
local nd = require("theano.ndarray")
local skip = require("spec.support.skip")
local theano = require("theano")
local T = require("theano.tensor")

local rng = nd.random.RandomState(7)

local function function_of(kind, dtype, flags, alone, amp)
  local v = attention.operands(dtype)
  local z = attention.attended(kind, dtype, v)
  local outputs = { z }
  if not alone then outputs = { z, table.unpack(T.grad(T.sum(z * v[4]), { v[1], v[2], v[3] })) } end
  local _ <close> = theano.config.change_flags(flags)
  return compile({ inputs = v, outputs = outputs, on_unused_input = "ignore", amp = amp })
end

local THERE = { device = device.flags.device, force_device = true, optimizer_including = "attention" }

local function numbers(dtype, ...) return { attention.numbers(rng, dtype, ...) } end

local function same(want, got, tolerance, what)
  for i = 1, #want do
    local a, b = nd.asarray(got[i]), want[i]
    assert.same(b.shape, a.shape)
    assert(nd.isnan(a):eq(nd.isnan(b)):all(), ("%s, output %d: other NaN"):format(what, i))
    assert(nd.isinf(a):eq(nd.isinf(b)):all(), ("%s, output %d: other infinities"):format(what, i))
    local function rest(x) return nd.where(nd.isfinite(x), x, 0) end
    local off = a.size > 0 and nd.abs(rest(a) - rest(b)):max() or 0
    assert(off < tolerance, ("%s, output %d: off by %g"):format(what, i, off))
  end
end

describe("attention on a device", function()
  if theano.config.cxx == "" then
    it("needs a compiler", function() skip.now("there is no C compiler") end)
    return
  end

  -- tiles of 64 rows (32 in float64), of 128 (64) columns of a result, 16 terms of a score
  local shapes = { { 2, 5, 7, 3, 4 }, { 1, 1, 1, 1, 1 }, { 2, 65, 130, 20, 33 }, { 1, 70, 64, 16, 130 },
    { 2, 13, 0, 3, 2 }, { 0, 3, 3, 3, 3 }, { 2, 0, 4, 2, 3 }, { 1, 3, 2, 140, 0 }, { 2, 5, 7, 0, 4 },
    { 1, 40, 300, 9, 5 }, { 1, 5, 700, 140, 3 } } -- segments of keys, whose dq are summed; and parts of columns

  for _, dtype in ipairs({ "float32", "float64" }) do
    for at, kind in ipairs({ "bare", "scaled", "add", "keep", "fill" }) do
      it(("is its parts: %s, %s"):format(dtype, kind), function()
        local parts, one = function_of(kind, dtype, {}), function_of(kind, dtype, THERE)
        local text = theano.printing.debugprint(one, { file = "str" })
        assert(text:find("AttentionGrad", 1, true) and not text:find("Softmax", 1, true), text)
        assert.is_nil(theano.printing.plan(one):match("[^\n]*on the host[^\n]*ttention"))
        for i, s in ipairs(shapes) do
          if i < 3 or i > 4 or (i + at) % 2 == 0 then
            local args = numbers(dtype, table.unpack(s))
            same({ parts(table.unpack(args)) }, { one(table.unpack(args)) }, dtype == "float32" and 4e-5 or 1e-12,
              table.concat(s, " "))
          end
        end
      end)
    end
  end

  it("leaves NaN, and rows of which everything is masked, as its parts do", function()
    local parts, one = function_of("add", "float32", {}), function_of("add", "float32", THERE)
    local args = numbers("float32", 2, 20, 133, 8, 8)
    args[5][{ 3 }] = -math.huge -- no key is left
    args[5][{ 4, T.slice(0, 70) }] = -math.huge -- none of the first tile
    args[5][{ 5, T.slice(64, 133) }] = -math.huge -- none of the last two
    args[1][{ 1, 6, 2 }] = 0 / 0
    local want = { parts(table.unpack(args)) }
    assert(nd.isnan(want[1][{ 0, 3 }]):all() and not nd.isnan(want[1][{ 0, 4 }]):any())
    same(want, { one(table.unpack(args)) }, 2e-5, "masked")
    local kept, filled = function_of("keep", "float32", {}), function_of("keep", "float32", THERE)
    args = numbers("float32", 1, 9, 70, 4, 4)
    args[6][{ 2 }] = false -- all keys alike
    same({ kept(table.unpack(args)) }, { filled(table.unpack(args)) }, 2e-5, "filled")
  end)

  it("leaves what a gradient of no finite number makes where its parts have it", function()
    for amp, tolerance in pairs({ [false] = 1e-4, bfloat16 = 6e-2 }) do
      local parts = function_of("scaled", "float32", {}, false, amp or nil)
      local one = function_of("scaled", "float32", THERE, false, amp or nil)
      for _, bad in ipairs({ math.huge, -math.huge, 0 / 0 }) do
        local args = numbers("float32", 2, 20, 70, 8, 9)
        args[4][{ 1, 3, 2 }] = bad
        same({ parts(table.unpack(args)) }, { one(table.unpack(args)) }, tolerance, ("%g, %s"):format(bad, amp))
      end
    end
  end)

  it("takes scores whose exponentials are no numbers", function()
    local parts, one = function_of("bare", "float32", {}, true), function_of("bare", "float32", THERE, true)
    local args = numbers("float32", 1, 66, 140, 4, 5)
    args[1] = args[1] * 300
    same({ parts(table.unpack(args)) }, { one(table.unpack(args)) }, 1e-4, "large")
  end)

  -- Weights are rounded before they are divided by their sum, not behind that: a digit of the half.
  for amp, tolerance in pairs({ bfloat16 = 6e-2, float16 = 8e-3 }) do
    for _, kind in ipairs({ "scaled", "add", "keep" }) do
      it(("takes halves to tensor cores: %s, %s"):format(amp, kind), function()
        local parts = function_of(kind, "float32", {}, false, amp)
        local one = function_of(kind, "float32", THERE, false, amp)
        local text = theano.printing.debugprint(one, { file = "str" })
        assert(text:find("AttentionGrad", 1, true) and not text:find("BatchedDot", 1, true), text)
        -- tiles of 128 rows by 64 columns, 64 features and 64 columns of a result at a time
        for _, s in ipairs({ { 2, 5, 7, 3, 4 }, { 1, 140, 70, 16, 24 }, { 1, 20, 133, 64, 64 }, { 1, 9, 66, 72, 80 },
          { 2, 13, 0, 3, 2 }, { 1, 33, 700, 64, 64 }, { 2, 40, 140, 3, 100 }, { 1, 33, 257, 200, 10 } }) do
          if kind == "add" and s[3] > 133 then break end
          local args = numbers("float32", table.unpack(s))
          same({ parts(table.unpack(args)) }, { one(table.unpack(args)) }, tolerance, table.concat(s, " "))
        end
      end)
    end
  end

  it("leaves NaN and masked rows of halves, too", function()
    local parts = function_of("add", "float32", {}, false, "bfloat16")
    local one = function_of("add", "float32", THERE, false, "bfloat16")
    local args = numbers("float32", 2, 20, 133, 8, 8)
    args[5][{ 3 }] = -math.huge
    args[5][{ 4, T.slice(0, 70) }] = -math.huge
    args[1][{ 1, 6, 2 }] = 0 / 0
    same({ parts(table.unpack(args)) }, { one(table.unpack(args)) }, 6e-2, "masked")
  end)

  -- The batch fills a GPU; or it does not, and keys are cut; or dq is a kernel's of its own: `products` of a score.
  for name, c in pairs({
    ["from one block a matrix"] = { { 128, 3, 70, 8, 8 }, 2, 5 },
    ["from segments of keys"] = { { 2, 66, 70, 8, 8 }, 3, 5 },
    ["and dq alone"] = { { 64, 64, 64, 30, 30 }, 3, 7, "float64" },
  }) do
    it("has one launch for the result, few for the gradient, and the same bits each time: " .. name, function()
      local dtype, s = c[4] or "float32", c[1]
      local parts, f = function_of("add", dtype, {}), function_of("add", dtype, THERE)
      local args = numbers(dtype, table.unpack(s))
      local _ <close> = theano.config.change_flags(device.flags)
      local first = { f(table.unpack(args)) }
      local before = theano.cuda.memory().launches
      local again = { f(table.unpack(args)) }
      assert.equal(2 + c[2], theano.cuda.memory().launches - before) -- and dz, a product of its own
      for i = 1, 4 do assert.equal(first[i]:tobytes(), again[i]:tobytes()) end
      same({ parts(table.unpack(args)) }, again, dtype == "float32" and 4e-5 or 1e-12, name)
      local told
      for _, k in ipairs(theano.printing.roofline(f, "h100", { compile = false }).kernels) do
        if k.products and k.title:find("AttentionGrad", 1, true) then told = { k.launches, k.products } end
      end
      assert.same({ c[2], c[3] * 2 * s[1] * s[2] * s[3] * s[4] }, told)
    end)
  end
end)
