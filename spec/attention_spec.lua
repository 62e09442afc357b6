--- Attention as one operation (the pass `attention`, asked for or taken by itself): results and gradients against the
-- graph as it is otherwise, masks, four dimensions, what is not matched, lengths that do not fit, threads.
local attention = require("spec.support.attention")
local compile = require("theano.compile")
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local rotate = require("spec.support.rotate")
local skip = require("spec.support.skip")
local theano = require("theano")
local T = require("theano.tensor")

local rng = nd.random.RandomState(5)
local operands, attended = attention.operands, attention.attended
local kinds = { "bare", "scaled", "add", "keep", "fill" }

local function function_of(kind, dtype, including, more)
  local v = operands(dtype)
  local z, p = attended(kind, dtype, v)
  local outputs = { z, table.unpack(T.grad(T.sum(z * v[4]), { v[1], v[2], v[3] })) }
  if more then outputs[5] = p end
  local _ <close> = theano.config.change_flags({ optimizer_including = including })
  return compile({ inputs = v, outputs = outputs, on_unused_input = "ignore" })
end
local function text(f) return theano.printing.debugprint(f, { file = "str" }) end

local function numbers(dtype, s) return attention.numbers(rng, dtype, table.unpack(s)) end
local shapes = { { 2, 5, 7, 3, 4 }, { 1, 1, 1, 1, 1 }, { 3, 50, 65, 32, 32 }, { 2, 100, 17, 8, 40 }, { 4, 13, 0, 3, 2 },
  { 0, 3, 3, 3, 3 }, { 2, 0, 4, 2, 3 }, { 1, 61, 300, 20, 1 },
  { 2, 5, 7, 0, 4 }, { 2, 5, 7, 4, 0 } }

describe("attention", function()
  it("is what its parts are, with every mask, in both precisions #asan", function()
    for _, dtype in ipairs({ "float32", "float64" }) do
      for _, kind in ipairs(kinds) do
        local one, parts = function_of(kind, dtype, "attention"), function_of(kind, dtype, "")
        assert(text(one):find("AttentionGrad", 1, true) and not text(one):find("Softmax", 1, true), kind)
        assert(not text(parts):find("Attention", 1, true))
        for _, s in ipairs(shapes) do
          local args = { numbers(dtype, s) }
          local want = { parts(table.unpack(args)) }
          for i, got in ipairs({ one(table.unpack(args)) }) do
            assert.same(want[i].shape, got.shape)
            local off = got.size > 0 and nd.abs(got - want[i]):max() or 0
            assert(off < (dtype == "float32" and 3e-5 or 1e-12),
              ("%s, %s, %s, output %d: %g"):format(kind, dtype, table.concat(s, " "), i, off))
          end
        end
      end
    end
  end)

  it("has gradients that differences confirm", function()
    local v = operands("float64")
    local z = attended("keep", "float64", v)
    local _ <close> = theano.config.change_flags({ optimizer_including = "attention" })
    local cost = T.sum(z * v[4])
    local f = compile({ inputs = v, outputs = cost, on_unused_input = "ignore" })
    local g = compile({ inputs = v, outputs = T.grad(cost, { v[1], v[2], v[3] }), on_unused_input = "ignore" })
    local args = { numbers("float64", { 2, 4, 5, 3, 2 }) }
    local slopes = { g(table.unpack(args)) }
    for i = 1, 3 do
      local at = { 1, 2, 1 }
      local x = args[i][at]
      local function cost_at(value)
        args[i][at] = value
        return f(table.unpack(args))
      end
      local slope = (cost_at(x + 1e-5) - cost_at(x - 1e-5)) / 2e-5
      args[i][at] = x
      assert(math.abs(slope - slopes[i][at]) < 1e-7, ("operand %d: %g for %g"):format(i, slopes[i][at], slope))
    end
  end)

  it("has gradients that differences along a direction confirm, at random lengths with every mask", function()
    local random = nd.random.RandomState(rotate.seed)
    local function length(from, to) return from + random:randint(0, to - from + 1) end
    for _, kind in ipairs(kinds) do
      local v = operands("float64")
      local _ <close> = theano.config.change_flags({ optimizer_including = "attention" })
      local cost = T.sum(attended(kind, "float64", v) * v[4])
      local f = compile({ inputs = v, outputs = { cost, table.unpack(T.grad(cost, { v[1], v[2], v[3] })) },
        on_unused_input = "ignore" })
      assert(text(f):find("AttentionGrad", 1, true))
      for _ = 1, 4 do
        local s = { length(1, 3), length(1, 90), length(1, 130), length(1, 20), length(1, 20) }
        local args, up, down, slope = { attention.numbers(random, "float64", table.unpack(s)) }, {}, {}, 0
        args[5] = nd.where(random:rand(s[2], s[3]):gt(0.6), args[5], -1e9)
        args[5][":, 0"], args[6][":, 0"] = 0, kind == "keep"
        local got = { f(table.unpack(args)) }
        for i = 1, 6 do
          local along = i < 4 and random:randn(table.unpack(args[i].shape)) * 1e-6
          up[i], down[i] = along and args[i] + along or args[i], along and args[i] - along or args[i]
          if along then slope = slope + (got[i + 1] * along):sum() end
        end
        local difference = (f(table.unpack(up)) - f(table.unpack(down))) / 2
        assert(math.abs(difference - slope) <= 1e-6 * (1e-6 + math.abs(slope)),
          ("seed %d, %s, %s: %.12g for %.12g"):format(rotate.seed, kind, table.concat(s, " "), slope, difference))
      end
    end
  end)

  it("without a gradient, and not where others read the weights", function()
    local _ <close> = theano.config.change_flags({ optimizer_including = "attention" })
    local v = operands("float32")
    local z, p = attended("add", "float32", v)
    local alone = compile({ inputs = v, outputs = z, on_unused_input = "ignore" })
    assert(text(alone):find("Attention{", 1, true))
    assert(not text(compile({ inputs = v, outputs = { z, p }, on_unused_input = "ignore" })):find("Attention", 1, true))
    assert(not text(function_of("add", "float32", "attention", true)):find("Attention", 1, true))
  end)

  it("leaves NaN and rows of which everything is masked as its parts do", function()
    local one, parts = function_of("add", "float32", "attention"), function_of("add", "float32", "")
    local args = { numbers("float32", { 2, 20, 33, 8, 8 }) }
    args[5][{ 3 }] = -math.huge
    args[1][{ 1, 5, 2 }] = 0 / 0
    args[5][{ 4, 7 }] = -math.huge
    local want = { parts(table.unpack(args)) }
    for i, got in ipairs({ one(table.unpack(args)) }) do
      assert(nd.isnan(got):eq(nd.isnan(want[i])):all(), i)
      local off = nd.abs(nd.where(nd.isnan(got), 0, got) - nd.where(nd.isnan(want[i]), 0, want[i])):max()
      assert(off < 1e-5, i)
    end
  end)

  -- Masks by what they hide of row i and key j among n.
  local hides = {
    causal = function(i, j) return j > i end,
    padding = function(_, j, n) return j < n // 4 or j >= n - n // 3 end,
    window = function(i, j) return j > i or j < i - 40 end,
    ["rows without keys"] = function(i, j) return i % 50 == 7 or j > i end,
    everything = function() return true end,
  }
  local function masks(hidden, m, n, dtype, by)
    local add, keep = {}, {}
    for i = 1, m do
      add[i], keep[i] = {}, {}
      for j = 1, n do
        local hide = hidden(i - 1, j - 1, n)
        add[i][j], keep[i][j] = hide and by or 0.5 * ((i * 7 + j) % 3), not hide
      end
    end
    return nd.array(add):astype(dtype), nd.array(keep):astype("bool")
  end
  local function near(one, parts, args, most, what)
    local want = { parts(table.unpack(args)) }
    for i, got in ipairs({ one(table.unpack(args)) }) do
      assert(nd.isnan(got):eq(nd.isnan(want[i])):all(), what .. ", output " .. i .. ": NaN")
      local off = nd.abs(nd.where(nd.isnan(got), 0, got) - nd.where(nd.isnan(want[i]), 0, want[i])):max()
      assert(off < most, ("%s, output %d: %g"):format(what, i, off))
    end
  end

  it("leaves out keys that a mask hides, and is what its parts are #asan", function()
    for dtype, most in pairs({ float32 = 5e-5, float64 = 1e-12 }) do
      for _, kind in ipairs({ "add", "keep", "fill" }) do
        local one, parts = function_of(kind, dtype, "attention"), function_of(kind, dtype, "")
        for name, hidden in pairs(hides) do
          for _, s in ipairs({ { 2, 150, 150, 8, 72 }, { 1, 61, 300, 5, 3 }, { 3, 130, 70, 16, 16 } }) do
            for _, by in ipairs({ -1e9, -math.huge }) do
              local args = { numbers(dtype, s) }
              args[5], args[6] = masks(hidden, s[2], s[3], dtype, by)
              if kind == "fill" then args[6] = nd.logical_not(args[6]) end
              near(one, parts, args, most, ("%s, %s, %s by %g"):format(dtype, kind, name, by))
            end
          end
        end
      end
    end
  end)

  it("leaves out nothing that NaN, infinities or large scores would show #asan", function()
    local one, parts = function_of("add", "float32", "attention"), function_of("add", "float32", "")
    for operand = 1, 5 do
      for _, value in ipairs({ 0 / 0, math.huge, 3e37, 2000 }) do
        local args = { numbers("float32", { 2, 150, 150, 8, 8 }) }
        args[5] = masks(hides.causal, 150, 150, "float32", -1e9)
        if operand == 5 then args[5][{ 3, 149 }] = value
        else args[operand][{ 0, 149, 1 }] = value end
        local scale = 0
        for _, want in ipairs({ parts(table.unpack(args)) }) do
          local size = nd.abs(nd.where(nd.isfinite(want), want, 0)):max()
          scale = math.max(scale, size)
        end
        if scale < 1e30 and value ~= math.huge then
          -- a device rounds what the sums of a row's gradient and of its parts are apart: times what they multiply
          local more = theano.config.device ~= "cpu" and value == value and 2 ^ -20 * value or 0
          near(one, parts, args, 5e-5 * math.max(1, scale) + more, ("%g in operand %d"):format(value, operand))
        else one(table.unpack(args)) end
      end
    end
  end)

  it("raises where lengths do not fit", function()
    local one = function_of("add", "float32", "attention")
    local q, k, v, g, mask, where = numbers("float32", { 2, 5, 7, 3, 4 })
    raises("ValueError", "batch sizes unequal", function() one(q, k[{ T.slice(0, 1) }], v, g, mask, where) end)
    raises("ValueError", "", function() one(q, k, v, g, mask[{ T.slice(0, 4) }], where) end)
    raises("ValueError", "", function() one(q, k, v[{ T.slice(), T.slice(0, 6) }], g, mask, where) end)
  end)

  it("has the same bits on several threads, and in the interpreter", function()
    skip.unless(theano.config.device == "cpu", "a device has another order of sums")
    local dtype = "float32"
    local v = operands(dtype)
    local z = attended("add", dtype, v)
    local outputs = { z, table.unpack(T.grad(T.sum(z * v[4]), { v[1], v[2], v[3] })) }
    local _ <close> = theano.config.change_flags({ optimizer_including = "attention" })
    local f = compile({ inputs = v, outputs = outputs, on_unused_input = "ignore" })
    local h = compile({ inputs = v, outputs = outputs, on_unused_input = "ignore",
      mode = compile.Mode({ linker = "interpreter" }) })
    local args = { numbers(dtype, { 6, 90, 130, 32, 32 }) }
    local alone = { f(table.unpack(args)) }
    local _ <close> = theano.config.change_flags({ openmp = true })
    for _, way in ipairs({ f, h }) do
      for i, got in ipairs({ way(table.unpack(args)) }) do assert(got:tobytes() == alone[i]:tobytes(), i) end
    end
  end)
end)

-- softmax(q k' + mask) v as people write it over (batch, head, row, feature); kinds of masks by their lengths, of which
-- a dimension that is 1 is one of the type.
describe("attention of four dimensions", function()
  local B, H, M, N, D = 2, 3, 20, 33, 8
  local function wide(name, dtype, broadcast)
    return T.TensorType(dtype, broadcast or { false, false, false, false })(name)
  end
  local products = {
    matmul = function(q, k) return T.matmul(q, k:dimshuffle(0, 1, 3, 2)) end,
    einsum = function(q, k) return T.einsum("bhqd,bhkd->bhqk", q, k) end,
  }
  local low = T.constant(-1e9, { dtype = "float32" })
  local ways = {
    scaled = function(q, k, _, times) return times(q, k) * T.constant(0.25, { dtype = "float32" }) end,
    before = function(q, k, _, times) return times(q * T.constant(0.25, { dtype = "float32" }), k) end,
    add = function(q, k, m, times) return times(q, k) / T.constant(4, { dtype = "float32" }) + m end,
    keep = function(q, k, m, times) return T.switch(m, times(q, k), low) end,
    fill = function(q, k, m, times) return T.switch(m, low, times(q, k) * T.constant(0.25, { dtype = "float32" })) end,
  }
  local masks = { { 1, 1, M, N }, { B, 1, 1, N }, { 1, H, 1, N }, { B, H, 1, N }, { B, H, M, N }, { 1, 1, 1, N },
    { B, H, M, 1 }, { 1, 1, M, 1 }, { B, 1, M, N }, { 1, H, M, N }, { 1, H, M, 1 } }

  local function built(product, way, lengths, including)
    local q, k, v, g = wide("q", "float32"), wide("k", "float32"), wide("v", "float32"), wide("g", "float32")
    local ones = {}
    for d = 1, 4 do ones[d] = lengths[d] == 1 end
    local m = wide("m", way == "add" and "float32" or "bool", ones)
    local p = T.nnet.softmax(ways[way](q, k, m, products[product]), { axis = -1 })
    local z = product == "einsum" and T.einsum("bhqk,bhkd->bhqd", p, v) or T.matmul(p, v)
    local _ <close> = theano.config.change_flags({ optimizer_including = including })
    return compile({ inputs = { q, k, v, g, m }, on_unused_input = "ignore",
      outputs = { z, table.unpack(T.grad(T.sum(z * g), { q, k, v })) } })
  end
  local function values(way, lengths)
    local function draw(...) return rng:randn(...):astype("float32") end
    local m = draw(table.unpack(lengths))
    return draw(B, H, M, D), draw(B, H, N, D), draw(B, H, N, 5), draw(B, H, M, 5), way == "add" and m or nd.gt(m, -0.5)
  end

  -- A device's kernels have a mask for each matrix: where some matrices share one that is a matrix, the graph stays.
  local function stays(lengths)
    return theano.config.device ~= "cpu" and lengths[3] > 1 and (lengths[1] == 1) ~= (lengths[2] == 1)
  end

  it("is one operation with its gradient, and what its parts are", function()
    for product in pairs(products) do
      for way in pairs(ways) do
        for _, lengths in ipairs(masks) do
          local what = ("%s, %s, mask %s"):format(product, way, table.concat(lengths, " "))
          local one, parts = built(product, way, lengths, "attention"), built(product, way, lengths, "")
          local shown = text(one)
          local whole = shown:find("AttentionGrad", 1, true) and not shown:find("Softmax", 1, true)
          assert(whole or stays(lengths), what)
          local args = { values(way, lengths) }
          local want = { parts(table.unpack(args)) }
          for i, got in ipairs({ one(table.unpack(args)) }) do
            assert.same(want[i].shape, got.shape)
            local off = nd.abs(got - want[i]):max()
            assert(off < 3e-5, ("%s, output %d: %g"):format(what, i, off))
          end
          if way ~= "add" or product ~= "matmul" then break end
        end
      end
    end
  end)

  it("takes the sum of two masks, where that is no larger than one of them but for a row #asan", function()
    local pairs_of = { { { 1, 1, M, N }, { B, 1, 1, N } }, { { B, 1, 1, N }, { 1, 1, M, N } },
      { { 1, 1, M, N }, { 1, H, M, N } }, { { B, 1, M, N }, { 1, 1, 1, N } }, { { B, H, M, N }, { 1, 1, M, N } },
      { { 1, 1, M, N }, { 1, 1, 1, 1 } } }
    local function function_of_two(first, second, including)
      local q, k, v, g = wide("q", "float32"), wide("k", "float32"), wide("v", "float32"), wide("g", "float32")
      local function mask(lengths)
        local ones = {}
        for d = 1, 4 do ones[d] = lengths[d] == 1 end
        return wide("m", "float32", ones)
      end
      local m, n = mask(first), mask(second)
      local p = T.nnet.softmax(T.matmul(q, k:dimshuffle(0, 1, 3, 2)) * T.constant(0.3, { dtype = "float32" }) + m + n,
        { axis = -1 })
      local z = T.matmul(p, v)
      local _ <close> = theano.config.change_flags({ optimizer_including = including })
      return compile({ inputs = { q, k, v, g, m, n },
        outputs = { z, table.unpack(T.grad(T.sum(z * g), { q, k, v })) } })
    end
    for _, both in ipairs(pairs_of) do
      local one, parts = function_of_two(both[1], both[2], "attention"), function_of_two(both[1], both[2], "")
      local what = table.concat(both[1], " ") .. " and " .. table.concat(both[2], " ")
      local sum = {}
      for d = 1, 4 do sum[d] = math.max(both[1][d], both[2][d]) end
      local whole = text(one):find("AttentionGrad", 1, true) and not text(one):find("Softmax", 1, true)
      assert(whole or stays(sum), what)
      local args = { values("add", both[1]) }
      args[6] = rng:randn(table.unpack(both[2])):astype("float32")
      local want = { parts(table.unpack(args)) }
      for i, got in ipairs({ one(table.unpack(args)) }) do
        local off = nd.abs(got - want[i]):max()
        assert(off < 3e-5, ("%s, output %d: %g"):format(what, i, off))
      end
    end
    local large = function_of_two({ B, 1, M, N }, { 1, H, M, N }, "attention") -- whose sum is a matrix of all scores
    assert(text(large):find("Softmax", 1, true))
  end)

  it("raises where a mask has other lengths", function()
    local wrong = { { B + 1, 1, M, N }, { 1, H + 1, M, N }, { 1, B * H, M, N }, { H, 1, M, N },
      { 1, 1, M, N + 1 }, { 1, 1, M + 1, N }, { B + 1, 1, 1, N }, { 1, H + 1, 1, N }, { H, B, M, N },
      { B, H, 1, N - 1 } }
    for _, lengths in ipairs(wrong) do
      local f = built("matmul", "keep", lengths, "attention")
      assert(text(f):find("AttentionGrad", 1, true) or stays(lengths))
      local ok, why = pcall(f, values("keep", lengths))
      assert(not ok, table.concat(lengths, " "))
      assert(tostring(why):find("mis%-match") or tostring(why):find("SpecifyShape")
        or tostring(why):find("Cannot reshape"), tostring(why))
    end
  end)
end)

describe("attention that nobody asked for", function()
  local function step(length, flags)
    local s = T.dtensor3("s")
    local x = length and s:reshape({ 2, length, 4 }) or s
    local p = T.nnet.softmax(T.batched_dot(x, x:dimshuffle(0, 2, 1)), { axis = -1 })
    local _ <close> = theano.config.change_flags(flags or {})
    return compile({ inputs = { s }, outputs = T.batched_dot(p, x) })
  end
  local function taken(f) return text(f):find("Attention", 1, true) ~= nil end

  it("is one operation where its keys are known to be many", function()
    skip.unless(theano.config.device == "cpu", "a device takes what is asked for")
    assert(taken(step(256)) and taken(step(1000)))
    assert(not taken(step(255)) and not taken(step(1)) and not taken(step()))
    local x = nd.array(rng:randn(2, 300, 4))
    local off = nd.abs(step(300)(x) - step()(x)):max()
    assert(off < 1e-13, off)
  end)

  it("is not where it is excluded", function()
    assert(not taken(step(256, { optimizer_excluding = "attention" })))
    assert(not taken(step(256, { optimizer = "fast_compile" })))
    assert(taken(step(3, { optimizer_including = "attention" })))
  end)
end)
