--- Attention in float32, forward and gradients, beside the same computed in float64: its errors are those of the graph
-- of its parts in float32, on random and on hostile numbers.
local attention = require("spec.support.attention")
local compile = require("theano.compile")
local nd = require("theano.ndarray")
local theano = require("theano")
local T = require("theano.tensor")

local kinds = { "bare", "scaled", "add", "keep", "fill" }

local function function_of(kind, dtype, including)
  local v = attention.operands(dtype)
  local z = attention.attended(kind, dtype, v)
  local _ <close> = theano.config.change_flags({ optimizer_including = including, optimizer_excluding =
    including == "" and "attention" or "" })
  return compile({ inputs = v, outputs = { z, table.unpack(T.grad(T.sum(z * v[4]), { v[1], v[2], v[3] })) },
    on_unused_input = "ignore" })
end

-- The operands of each kind of numbers, from random ones: q, k, v, the gradient, a mask to add, one of bools.
local B, M, N, D, E = 2, 37, 300, 24, 17
local hostile = {
  random = function(q, k, v, g, m, w) return q, k, v, g, m, w end,
  ["scores of some hundreds"] = function(q, k, v, g, m, w) return q * 10, k * 5, v, g, m, w end,
  ["scores of some ten thousands"] = function(q, k, v, g, m, w) return q * 100, k * 100, v, g, m, w end,
  ["tiny numbers"] = function(q, k, v, g, m, w) return q * 1e-20, k * 1e-19, v * 1e-30, g * 1e-6, m, w end,
  ["numbers of very different size"] = function(q, k, v, g, m, w)
    return q, k, v * nd.exp(v * 8), g * nd.exp(g * 4), m, w
  end,
  ["values that cancel"] = function(q, k, v, g, m, w) return q * 0, k, v + 1000, g, m * 0, w end,
  ["equal scores"] = function(q, k, v, g, m, w) return q * 0 + 1, k * 0 + 1, v, g, m * 0, w end,
  ["one key above all"] = function(q, k, v, g, m, w)
    return q, k, v, g, nd.where(nd.arange(N):eq(6), 80, m), w
  end,
  ["a mask of -1e9 and rows without keys"] = function(q, k, v, g, m, w)
    m, w = nd.where(nd.arange(N):gt(99), -1e9, m), w:copy()
    m[5], w[5], w[6] = -1e9, false, true
    return q, k, v, g, m, w
  end,
  ["a mask of -infinity"] = function(q, k, v, g, m, w)
    return q, k, v, g, nd.where(nd.arange(N):eq(0), 0, nd.where(w, m, -math.huge)), w
  end,
  ["scores far from zero"] = function(q, k, v, g, m, w) return q, k, v, g, m + 30000, w end,
}
local names = {} -- in the same order each time, so that each has the same numbers
for name in pairs(hostile) do names[#names + 1] = name end
table.sort(names)

-- The gradient of a score is the difference of o.do and v.do: where a query sees one key, or equal ones, it is the
-- rounding of what these multiply, in whichever order they are added up. A part of that size is its error's measure.
-- A device adds up v.do and o.do in two orders, so that what should cancel leaves the rounding of both.
local DIGITS = theano.config.device == "cpu" and 16 or 64
local function least(args, output)
  local function most(i) return nd.abs(args[i]):max() end
  return (output == 2 or output == 3) and most(output == 2 and 2 or 1) * most(3) * most(4) / 16 or 0
end

local function error_of(got, want, floor)
  local size = math.max(nd.abs(want):max(), floor)
  return size > 0 and nd.abs(got:astype("float64") - want):max() / size or nd.abs(got):max()
end

describe("attention's errors beside float64", function()
  for _, kind in ipairs(kinds) do
    it("are those of its parts: " .. kind, function()
      local rng = nd.random.RandomState(11)
      local one, parts = function_of(kind, "float32", "attention"), function_of(kind, "float32", "")
      local exact = function_of(kind, "float64", "")
      assert(theano.printing.debugprint(one, { file = "str" }):find("AttentionGrad", 1, true))
      assert(not theano.printing.debugprint(exact, { file = "str" }):find("Attention", 1, true))
      local worst = 0
      for _, name in ipairs(names) do
        local args = { hostile[name](attention.numbers(rng, "float32", B, M, N, D, E)) }
        local wide = {}
        for i, x in ipairs(args) do
          args[i] = i < 6 and x:astype("float32") or x
          wide[i] = i < 6 and args[i]:astype("float64") or x
        end
        local want, own = { exact(table.unpack(wide)) }, { parts(table.unpack(args)) }
        for i, got in ipairs({ one(table.unpack(args)) }) do
          assert(nd.isfinite(got):all(), ("%s, output %d: not finite"):format(name, i))
          local floor = least(wide, i)
          local off, theirs = error_of(got, want[i], floor), error_of(own[i], want[i], floor)
          assert(off <= 2 * theirs + DIGITS * 2 ^ -24, ("%s, output %d: %g, its parts %g"):format(name, i, off, theirs))
          if name == "random" then worst = math.max(worst, off) end
        end
      end
      assert(worst < 3e-6, worst)
    end)
  end

  it("leave NaN and infinities where its parts have them", function()
    local rng = nd.random.RandomState(12)
    for _, kind in ipairs(kinds) do
      local one, parts = function_of(kind, "float32", "attention"), function_of(kind, "float32", "")
      for _, bad in ipairs({ 0 / 0, math.huge, -math.huge }) do
        for operand = 1, 4 do
          local args = { attention.numbers(rng, "float32", B, M, N, D, E) }
          args[operand][{ 1, 3, 2 }] = bad
          local want = { parts(table.unpack(args)) }
          for i, got in ipairs({ one(table.unpack(args)) }) do
            local what = ("%s, %g in operand %d, output %d"):format(kind, bad, operand, i)
            assert(nd.isnan(got):eq(nd.isnan(want[i])):all(), what)
            assert(nd.isinf(got):eq(nd.isinf(want[i])):all(), what)
          end
        end
      end
    end
  end)
end)
