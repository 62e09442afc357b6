--- Results of 64 MB or more go past the caches where they are of one array, or of two of float64 in one step
-- (core/runtime/interp/direct.c), those of comparisons where operands are as large: they are those of parts.
local nd = require("theano.ndarray")

local N = (64 << 20) // 8 -- float64
local function parts(n, cut) return { ":" .. cut, ("%d:%d"):format(cut, n // 2), n // 2 .. ":" } end
local function first(v) return type(v) == "table" and v[1] or v end
local function same(f, x, n)
  local all = first(f(x))
  for _, part in ipairs(parts(n, 1001)) do
    local few = first(f(x[part]))
    assert.same(few.dtype, all.dtype)
    assert.truthy(nd.array_equal(all[part], few))
  end
end

describe("results that no cache holds", function()
  it("of vectors", function()
    for _, more in ipairs({ 0, 1, 527 }) do
      local x = nd.arange(N + more):astype("float64") - 1000.5
      for _, f in ipairs({ nd.abs, nd.negative, nd.positive, nd.floor,
        function(v) return v + 1 end, function(v) return 3 / v end, nd.modf }) do
        same(f, x, N + more)
      end
    end
  end)

  it("of two vectors", function()
    for _, more in ipairs({ 1, 16, 529 }) do
      local x = nd.arange(N + more):astype("float64") - 7
      local y = nd.flip(x) * 0.75 -- copied: it lies densely
      x[5], x[6], y[N - 1] = 0 / 0, 1 / 0, 0
      for _, f in ipairs({ nd.add, nd.subtract, nd.multiply, nd.true_divide, nd.maximum }) do
        local all = f(x, y)
        for _, part in ipairs(parts(N + more, 1001)) do
          assert.truthy(nd.array_equal(all[part], f(x[part], y[part]), true))
        end
        local whole = f(x, x)
        assert.truthy(nd.array_equal(whole["-5:"], f(x["-5:"], x["-5:"])))
      end
    end
  end)

  it("of whole numbers, complex ones, and what lies apart", function()
    local i = nd.arange(N + 3)
    same(function(v) return v // 7 end, i, N + 3)
    same(function(v) return nd.flip(nd.flip(v) * 2) end, i, N + 3)
    same(nd.conj, i["::2"] * nd.complex(1, 2), (N + 4) // 2)
  end)

  it("of comparisons, whose operands none holds (lua/numbers.c)", function()
    for _, n in ipairs({ N // 2, N // 2 + 1, N, N + 65 }) do
      local x = nd.arange(n) % 1000
      local y = x["::-1"]:copy()
      local a, b = x:astype("float64"), y:astype("float64")
      a[3], b[n - 1], a[n - 2], b[n - 2] = 0 / 0, 0 / 0, 1 / 0, 1 / 0
      for _, name in ipairs({ "greater", "greater_equal", "less", "less_equal", "equal", "not_equal" }) do
        local f = nd[name]
        local whole, of_floats, number = f(x, y), f(a, b), f(a, 499.0)
        for _, part in ipairs({ ":1001", "1001:" .. n // 3, n // 3 .. ":" .. 2 * n // 3, 2 * n // 3 .. ":" }) do
          assert.truthy(nd.array_equal(whole[part], f(x[part], y[part])))
          assert.truthy(nd.array_equal(of_floats[part], f(a[part], b[part])))
          assert.truthy(nd.array_equal(number[part], f(a[part], 499.0)))
        end
      end
    end
  end)

  it("of rows and columns", function()
    local m, row, column = nd.arange(2900 * 2901):reshape({ 2900, 2901 }), nd.arange(2901), nd.arange(2900)
    local sums, outer, turned = m + row, nd.ufunc("subtract").outer(column, row), m.T * 2
    for _, k in ipairs({ 0, 1, 1733, 2899 }) do
      assert.truthy(nd.array_equal(sums[k], m[k] + row))
      assert.truthy(nd.array_equal(outer[k], k - row))
      assert.truthy(nd.array_equal(turned[k], m[{ ":", k }] * 2))
    end
  end)
end)
