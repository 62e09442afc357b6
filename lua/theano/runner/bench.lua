--- `theano bench`: how fast this machine is for the engine, in half a minute. Minima of several rounds, one thread
-- unless flags say otherwise.
-- @module theano.runner.bench
local theano = require("theano")
local util = require("theano.util")
local uv = require("luv")
local T, nd = theano.tensor, theano.ndarray

local M = {}

-- The least time of a call in seconds, of rounds that last a twentieth of a second each.
local function least(f)
  f()
  local n, best = 1, math.huge
  for _ = 1, 12 do
    local began = uv.hrtime()
    for _ = 1, n do f() end
    local took = (uv.hrtime() - began) / 1e9
    if took < 0.05 then n = math.min(n * 2 + math.floor(0.05 / math.max(took / n, 1e-9)) // 4, 10000000)
    else best = math.min(best, took / n) end
  end
  return best
end

local function random(shape, dtype) return nd.random.RandomState(1):randn(table.unpack(shape)):astype(dtype) end

local ROWS = {
  { "call of a bound function", "ns", function()
    local x = T.dscalar("x")
    local f = theano.compile { inputs = { x }, outputs = x + 1 }:bind(1.0)
    return least(f) * 1e9
  end },
  { "float32 product, 512 x 512", "GFLOP/s", function()
    local x, y = T.fmatrix("x"), T.fmatrix("y")
    local f = theano.compile { inputs = { x, y }, outputs = T.dot(x, y) }
    return 2 * 512 ^ 3 / least(f:bind(random({ 512, 512 }, "float32"), random({ 512, 512 }, "float32"))) / 1e9
  end },
  { "float64 product, 512 x 512", "GFLOP/s", function()
    local x, y = T.dmatrix("x"), T.dmatrix("y")
    local f = theano.compile { inputs = { x, y }, outputs = T.dot(x, y) }
    return 2 * 512 ^ 3 / least(f:bind(random({ 512, 512 }, "float64"), random({ 512, 512 }, "float64"))) / 1e9
  end },
  { "x + y of 10^7 float64", "GB/s", function()
    local x, y = T.dvector("x"), T.dvector("y")
    local f = theano.compile { inputs = { x, y }, outputs = x + y }
    return 3 * 8e7 / least(f:bind(random({ 10000000 }, "float64"), random({ 10000000 }, "float64"))) / 1e9
  end },
  { "tanh of 10^5 float32", "ns an element", function()
    local x = T.fvector("x")
    return least(theano.compile({ inputs = { x }, outputs = T.tanh(x) }):bind(random({ 100000 }, "float32"))) * 1e4
  end },
  { "compiling a small function, cached code", "ms", function()
    local x = T.dvector("x")
    return least(function() theano.compile { inputs = { x }, outputs = T.sum(T.exp(x)) } end) * 1e3
  end },
}

function M.main(...)
  require("theano.runner.words")("theano bench"):description("Measures this machine."):parse({ ... })
  theano.config["compile.tiers"] = false -- compiled from the first call on
  for _, row in ipairs(ROWS) do
    print(util.format("%-42s %10.2f %s", row[1], row[3](), row[2]))
    io.stdout:flush()
  end
  return 0
end

return M
