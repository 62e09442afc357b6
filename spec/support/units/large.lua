--- Functions of many steps: chains that go tile by tile, steps as data.
local theano = require("theano")
local T = theano.tensor

local function chain()
  local x, y = T.dvector("x"), T.dvector("y")
  local z = x
  for i = 1, 150 do z = z * (0.5 + i / 1024) + y end
  return { x, y }, z
end
local function many(every)
  return function()
    local x = T.dmatrix("x")
    local y = x
    for i = 1, 160 do
      y = T.tanh(y) * (1 + i / 8192) + x
      if i % every == 0 then y = T.dot(y, x) end
    end
    return { x }, y
  end
end

return {
  { "chain", "a formula longer than a kernel", chain },
  { "chain_threads", "its tiles shared out", chain, flags = { openmp = true } },
  { "chain_version", "lengths known: no chain", chain, sizes = { s0 = 4 } },
  { "chain_mixed", "of float32 and float64, with results in between", function()
    local x, y = T.fvector("x"), T.dvector("y")
    local z, w = x, y
    for i = 1, 50 do
      z = z * T.cast(0.5 + i / 1024, "float32") + x
      w = w * T.cast(z, "float64") - i
    end
    return { x, y }, { z, w, w * 2 }
  end },
  { "many_steps", "steps are rows of data", many(4) },
}
