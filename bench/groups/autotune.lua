-- Kernels whose best schedule their lengths decide: as the chooser has it, and after compile.autotune.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local now = require("system").monotime

local G = { title = "autotune", peers = { "lua", "lua-tuned" }, cases = {
  { "cross-entropy", "4000x4" }, { "cross-entropy", "4000x10" }, { "cross-entropy", "1000x1000" },
  { "three reductions of columns", "1000x500" }, { "softmax", "4000x20" }, { "x/column", "1000x60" },
} }

local rng = nd.random.RandomState(3)
local WORK = {
  ["cross-entropy"] = function(x, rows, columns)
    local i, b = T.lvector("i"), theano.shared(rng:rand(columns))
    return { i }, (T.nnet.crossentropy_softmax_1hot_with_bias(x, b, i)), rng:randint(0, columns, { rows })
  end,
  ["three reductions of columns"] = function(x) return {}, x:sum(0) + x:max(0) + x:min(0) end,
  softmax = function(x) return {}, T.nnet.softmax(x) end,
  ["x/column"] = function(x, rows)
    local c = T.dcol("c")
    return { c }, x / c, rng:rand(rows, 1)
  end,
}

function G.prepare(name, shape)
  local rows, columns = shape:match("(%d+)x(%d+)")
  rows, columns = math.tointeger(tonumber(rows)), math.tointeger(tonumber(columns))
  local x = T.dmatrix("x")
  local more, result, b = WORK[name](x, rows, columns)
  local a = rng:rand(rows, columns)
  local f = theano.compile({ inputs = { x, table.unpack(more) }, outputs = theano.Out(result, { borrow = true }) })
  local args = { a, b }
  local r = f(table.unpack(args))
  local stop = now() + (theano.config["compile.autotune"] > 0 and 3 or 0) -- candidates are built beside the calls
  while now() < stop do f(table.unpack(args)) end
  f.trust_input = true
  return { f = f, args = args }, (r * r):sum() + r:flatten()[0]
end

return G
