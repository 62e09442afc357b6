--- Functions that stand at the thresholds of core/schedule/choose.c, on both sides of each: their schedules are kept
-- beside those of the golden units.
local theano = require("theano")
local T = theano.tensor

local x, m, i = T.dmatrix("x"), T.fmatrix("m"), T.bmatrix("i")

-- Steps of two instructions each, which no rewrite joins.
local function steps(y, by, n)
  for _ = 1, n do y = T.abs_(y - by) end
  return y
end
local function sum(axis, y) return function() return { x }, y:sum { axis = axis } end end

-- Operations by the chooser's measure: 20 for a function of vector math.
local function long(of, vmath, n)
  local y = T.exp(of)
  for _ = 2, vmath do y = T.tanh(y - of) end
  return steps(y, of, n)
end
local long_159 = -long(x, 7, 6)
local long_160 = long(x, 7, 7)

return {
  { "edge_rows_24", "rows by several vectors: a stage of 24 instructions", sum(1, steps(T.exp(x), x, 10)) },
  { "edge_rows_25", "..and one of 25", sum(1, -steps(T.exp(x), x, 10)) },
  { "edge_columns_24", "columns together: a loop of 24 instructions", sum(0, steps(T.exp(x), x, 11)) },
  { "edge_columns_25", "..and one of 25", sum(0, T.exp(steps(T.exp(x), x, 11))) },
  { "edge_columns_two", "two reductions of 8 vectors of columns", function()
    return { x }, { x:max { axis = 0 }, x:min { axis = 0 } }
  end },
  { "edge_columns_three", "..and three of as many as registers hold", function()
    return { x }, { x:max { axis = 0 }, x:min { axis = 0 }, x:prod { axis = 0 } }
  end },
  { "edge_live_16", "16 vectors of accumulators", function()
    return { m }, { T.argmax(m, { axis = 1 }), T.argmin(m, { axis = 1 }) }
  end },
  { "edge_live_20", "..and 20", function()
    return { m }, { T.argmax(m, { axis = 1 }), T.argmin(m, { axis = 1 }), m:max { axis = 1 } }
  end },
  { "edge_masks_159", "a body of 159 operations", function() return { x }, long_159 end },
  { "edge_masks_160", "..and one of 160, where whole vectors go under masks too", function()
    return { x }, long_160
  end },
  { "edge_masks_narrow", "..but not beside bytes, which have no masked moves", function()
    return { x, i }, long_160 + i
  end },
  { "edge_divided_halves", "float32 in half a vector is divided by division", function()
    return { x, m }, x + m / m[0][0] * T.cast(x, "float32")
  end },
}
