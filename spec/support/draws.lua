-- Draws, and what reads them, in both executors; prints sums of what they give and of the states after them.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function sums(...)
  local list = {}
  for _, a in ipairs({ ... }) do
    local bits = a:astype("float64") * (nd.arange(a.size, { dtype = "float64" }) % 1013 + 1):reshape(a.shape)
    list[#list + 1] = ("%.17g"):format(bits:sum())
  end
  return table.concat(list, " ")
end

for _, linker in ipairs({ "py", "c" }) do
  local mode = theano.compile.Mode { linker = linker, optimizer = "fast_run" }
  for _, streams in ipairs({ 1, 6, 1000, 15360 }) do
    local srng, key, x = theano.random.MRG_RandomStreams(3), theano.random.Key(5), T.fmatrix("x")
    local a = srng:uniform(x.shape, { ndim = 2, nstreams = streams, dtype = "float32" })
    local b = srng:uniform(x.shape, { ndim = 2, nstreams = streams, dtype = "float64" })
    local f = theano.compile { inputs = { x }, mode = mode, outputs = { T.switch(T.lt(a, 0.5), x * 2, 0), b } }
    local g = theano.compile { inputs = { x }, mode = mode, outputs = T.nnet.dropout(x, 0.25, key) }
    local rows = T.vmap(function(v)
      return T.lt(srng:uniform({ 411 }, { nstreams = streams, dtype = "float32" }), 0.5) * v
    end)(x)
    local h = theano.compile { inputs = { x }, mode = mode, outputs = rows }
    local given = (nd.arange(307 * 411, { dtype = "float64" }) % 97 - 40):reshape({ 307, 411 }):astype("float32")
    f(given)
    local c, d = f(given)
    local out = { sums(c, d, g(given), h(given)) }
    for _, u in ipairs(srng.state_updates) do out[#out + 1] = sums(u[1]:get_value()) end
    print(streams, table.concat(out, " "))
  end
end
