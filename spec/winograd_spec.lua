--- Winograd's convolutions (3x3, float32): shapes, the bound of their errors on random and on hostile numbers, what is
-- not finite, threads.
local cases = require("spec.support.conv_cases")
local compile = require("theano.compile")
local nd = require("theano.ndarray")
local theano = require("theano")
local T = require("theano.tensor")

local interpreter = compile.Mode({ linker = "interpreter" })
local rng = nd.random.RandomState(31)
local ways = { "winograd", "winograd2" }
local kinds = { "result", "gradient for images", "gradient for filters" }

-- Result and gradients for these borders.
local function functions(dtype, border)
  local function var(name) return T.tensor4(name, { dtype = dtype }) end
  local x, w, g = var("x"), var("w"), var("g")
  local z = T.nnet.conv2d(x, w, { border_mode = border or "half", filter_flip = false })
  local outputs = { z, table.unpack(T.grad(T.sum(z * g), { x, w })) }
  return compile({ inputs = { x, w, g }, outputs = outputs, mode = interpreter })
end
local f32, f64 = functions("float32"), functions("float64")

local function numbers(n, c, o, h, w, draw)
  draw = draw or function(...) return rng:randn(...) end
  return draw(n, c, h, w):astype("float32"), draw(o, c, 3, 3):astype("float32"), draw(n, o, h, w):astype("float32")
end
local function wide(a) return a:astype("float64") end

-- The largest error of each of the three, in epsilons of the largest number of the first operand times the sum of
-- the other's absolute values for one element.
local function errors(way, x, w, g)
  local got, want = { cases.with(way, f32, x, w, g) }, { cases.with("direct", f64, wide(x), wide(w), wide(g)) }
  local function sums(a, axis) return nd.abs(wide(a)):sum({ axis = axis }):max() end
  local function top(a) return nd.abs(wide(a)):max() end
  local scale = { top(x) * sums(w, { 1, 2, 3 }), top(g) * sums(w, { 0, 2, 3 }), top(x) * sums(g, { 0, 2, 3 }) }
  local off = {}
  for i = 1, 3 do off[i] = nd.abs(wide(got[i]) - want[i]):max() / (scale[i] * 2 ^ -23) end
  return off
end

describe("Winograd's convolution", function()
  it("is right for shapes and borders of all kinds #asan", function()
    for _, border in ipairs({ "valid", "half", "full" }) do
      local f, plain = functions("float32", border), functions("float64", border)
      local shapes = { { 1, 1, 1, 3, 3 }, { 2, 3, 5, 4, 7 },
        { 1, 17, 16, 9, 6 }, { 3, 16, 33, 13, 5 }, { 1, 40, 2, 5, 18 } }
      for _, s in ipairs(shapes) do
        local n, c, o, h, w = table.unpack(s)
        local more = border == "valid" and -2 or border == "full" and 2 or 0
        local x, v = rng:randn(n, c, h, w):astype("float32"), rng:randn(o, c, 3, 3):astype("float32")
        local g = rng:randn(n, o, h + more, w + more):astype("float32")
        local want = { cases.with("direct", plain, wide(x), wide(v), wide(g)) }
        for _, way in ipairs(ways) do
          for i, got in ipairs({ cases.with(way, f, x, v, g) }) do
            local off = nd.abs(wide(got) - want[i]):max()
            assert(off < 1e-3, ("%s, %s, %s: %g"):format(way, border, kinds[i], off))
          end
        end
      end
    end
  end)

  it("stays within its bound on random and on hostile numbers", function()
    local hostile = {
      normal = function(...) return rng:randn(...) end,
      ["far from zero"] = function(...) return rng:randn(...) + 1000 end,
      ["of all sizes"] = function(...) return rng:randn(...) * nd.exp(rng:randn(...) * 8) end,
      signs = function(...) return nd.sign(rng:randn(...)) end,
      tiny = function(...) return rng:randn(...) * 1e-15 end,
      large = function(...) return rng:randn(...) * 1e15 end,
      ["lone peaks"] = function(...)
        return rng:uniform(0, 1, { ... }):lt(0.02):astype("float64") * 1e6 + rng:randn(...)
      end,
    }
    for name, draw in pairs(hostile) do
      local x, w, g = numbers(2, 24, 24, 18, 18, draw)
      for _, way in ipairs(ways) do
        for i, off in ipairs(errors(way, x, w, g)) do
          assert(off < 16, ("%s, %s, %s: %g epsilon"):format(way, name, kinds[i], off))
        end
      end
    end
  end)

  it("is at most a few times as far off as tiles are", function()
    local x, w, g = numbers(4, 32, 32, 24, 24)
    local tiles = errors("gemm", x, w, g)
    for i, off in ipairs(errors("winograd", x, w, g)) do
      assert(off < 8 * tiles[i], ("%s: %g for %g"):format(kinds[i], off, tiles[i]))
    end
  end)

  it("leaves what is not finite where it belongs #asan", function()
    for _, bad in ipairs({ 0 / 0, math.huge, -math.huge, 3e38 }) do
      for place = 1, 3 do
        local values = { numbers(3, 5, 6, 14, 11) }
        values[place][{ 1, 2, 1, 2 }] = bad
        local want = { cases.with("direct", f32, table.unpack(values)) }
        for _, way in ipairs(ways) do
          for i, got in ipairs({ cases.with(way, f32, table.unpack(values)) }) do
            local same = nd.isfinite(got):eq(nd.isfinite(want[i])):all()
            assert(same, ("%s, %s of operand %d with %g"):format(way, kinds[i], place, bad))
            local fine = nd.isfinite(want[i])
            local off = nd.abs(nd.where(fine, wide(got) - wide(want[i]), 0)):max()
            assert(off < 1e-4 * math.max(1, nd.abs(nd.where(fine, wide(want[i]), 0)):max()), kinds[i])
          end
        end
      end
    end
  end)

  it("has the same bits on several threads, with a NaN too", function()
    for _, shape in ipairs({ { 1, 20, 40, 61, 40 }, { 1, 40, 20, 30, 64 }, { 7, 24, 32, 18, 18 } }) do
      local values = { numbers(table.unpack(shape)) }
      for turn = 1, 2 do
        if turn == 2 then values[1][{ 0, 3, 5, 5 }] = 0 / 0 end
        if turn == 2 then values[3][{ 0, 3, 5, 5 }] = 0 / 0 end
        for _, way in ipairs(ways) do
          local function results(shared)
            local _ <close> = theano.config.change_flags({ openmp = shared })
            return { cases.with(way, f32, table.unpack(values)) }
          end
          local alone = results(false)
          for i, got in ipairs(results(true)) do
            assert(got:tobytes() == alone[i]:tobytes(), ("%s, %s, turn %d"):format(way, kinds[i], turn))
          end
        end
      end
    end
  end)

  it("is what `auto` takes where it pays, and `direct` never does", function()
    local x, w, g = numbers(4, 32, 32, 32, 32)
    for i, got in ipairs({ cases.with("auto", f32, x, w, g) }) do
      local same = ({ cases.with("winograd", f32, x, w, g) })[i]:tobytes() == got:tobytes()
      assert(same, kinds[i])
      assert(({ cases.with("direct", f32, x, w, g) })[i]:tobytes() ~= got:tobytes(), kinds[i])
    end
  end)

  it("is one step with what follows and with a pooling, and has the bits of the parts", function()
    local x, w, b = T.ftensor4("x"), T.ftensor4("w"), T.fvector("b")
    local z = T.nnet.relu(T.nnet.conv2d(x, w, { border_mode = "half" }) + b:dimshuffle("x", 0, "x", "x"))
    local p = T.signal.pool.pool_2d(z, { 2, 2 }, { ignore_border = true })
    local args = { rng:randn(5, 16, 20, 20):astype("float32"), rng:randn(32, 16, 3, 3):astype("float32"),
      rng:randn(32):astype("float32") }
    local apart = compile.Mode({ linker = "interpreter", optimizer = "None" })
    for _, y in ipairs({ z, p }) do
      local one = compile({ inputs = { x, w, b }, outputs = y })
      local parts = compile({ inputs = { x, w, b }, outputs = y, mode = apart })
      for _, way in ipairs(ways) do
        local got, want = cases.with(way, one, table.unpack(args)), cases.with(way, parts, table.unpack(args))
        assert(got:tobytes() == want:tobytes(), way)
      end
    end
  end)
end)
