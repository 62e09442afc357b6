--- Squares of what elements differ by from a number of their row are summed as the rows lie in memory
-- (core/runtime/interp/rows.c): the bits are those of blocks, which views take whose elements lie apart, and of C.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function over(how, x) return x[how](x, { axis = 1, keepdims = true }) end
local function squares(x, of) return T.sum(T.sqr(x - of), { axis = 1 }) end
-- Of a matrix and a number for each row.
local WORKS = {
  variance = function(x) return { T.var(x, 1), T.std(x, 1), T.var(x) } end,
  ["from a number that is given"] = function(x, c) return { squares(x, c:dimshuffle(0, "x")) } end,
  ["from the largest"] = function(x) return { squares(x, over("max", x)), T.sum(T.sqr(x - T.max(x))) } end,
  ["twice"] = function(x, c) return { squares(x, over("mean", x)) + squares(x, over("min", x)) * c } end,
  ["and the number elsewhere too"] = function(x)
    local mean = over("mean", x)
    return { squares(x, mean), (x - mean) / T.sqrt(T.mean(T.sqr(x - mean), { axis = 1, keepdims = true })) }
  end,
  ["its gradient"] = function(x) return { T.grad(T.sum(T.std(x, 1)), x) } end,
}
local COLUMNS = { 1, 15, 16, 17, 101, 255, 316, 511, 512, 513, 1025 }

local rng = nd.random.RandomState(9)
local function numbers(rows, columns, dtype, odd)
  local x = rng:normal(3, 2, { rows, columns }):astype(dtype)
  if odd then x[{ 0, 0 }], x[{ rows - 1, columns - 1 }] = 0 / 0, 1 / 0 end
  return x
end
local function apart(x) -- the same elements, every second one of a row in memory
  local wide = nd.zeros({ x.shape[1], x.shape[2] * 2 }, x.dtype)
  wide[{ ":", "::2" }] = x
  return wide[{ ":", "::2" }]
end

local function bits(a) -- NaNs are one
  a = nd.asarray(a)
  return nd.asarray(nd.where(nd.asarray(nd.isnan(a)), nd.array(0 / 0):astype(a.dtype), a)):bytes()
end

describe("sums of squares along rows", function()
  for name, work in pairs(WORKS) do
    it(name, function()
      for _, dtype in ipairs({ "float64", "float32" }) do
        local x, c = T.matrix("x", { dtype = dtype }), T.vector("c", { dtype = dtype })
        local fs = {}
        for _, linker in ipairs({ "interpreter", "c" }) do
          local mode = theano.compile.Mode({ linker = linker, optimizer = "fast_run" })
          local given = { inputs = { x, c }, outputs = work(x, c), mode = mode, on_unused_input = "ignore" }
          fs[#fs + 1] = theano.compile(given)
        end
        for i, columns in ipairs(COLUMNS) do
          local m, by = numbers(5, columns, dtype, i % 3 == 0), rng:rand(5):astype(dtype)
          local first = { fs[1](m, by) }
          for which, r in ipairs({ { fs[1](apart(m), by) }, { fs[2](m, by) }, { fs[2](apart(m), by) } }) do
            for k, v in ipairs(first) do assert.truthy(bits(v) == bits(r[k]), name .. columns .. dtype .. which) end
          end
        end
      end
    end)
  end

  it("of arrays at once, and of none", function()
    for _, columns in ipairs(COLUMNS) do
      local m = numbers(130, columns, "float64")
      assert.truthy(bits(nd.var(m, 1)) == bits(nd.var(apart(m), 1)))
      assert.truthy(bits(nd.std(m["3:7"], 1)) == bits(nd.std(m, 1)["3:7"]))
    end
    assert.truthy(nd.all(nd.isnan(nd.var(nd.zeros({ 3, 0 }), 1))))
    assert.same({ 0 }, nd.std(nd.zeros({ 0, 300 }), 1).shape)
  end)
end)
