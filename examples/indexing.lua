-- Subscripts: literal ones as NumPy writes them, tables with symbolic bounds, integer vectors, and changed copies.
-- Run it with: build/theano examples/indexing.lua
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local a = nd.arange(12):reshape({ 3, 4 })
print("an ndarray, its row 1, its last column, its corner")
print(a)
print(a[1], a["..., -1"], a[{ 0, 0 }])
a["0, 1:3"] = 50 -- ndarrays are assigned to
print(a[0])

local x = T.lmatrix("x")
local i, j, k = T.lscalar("i"), T.lscalar("j"), T.lvector("k")
local function show(what, inputs, expression, ...)
  print(what)
  print(theano.compile({ inputs = inputs, outputs = expression })(...))
end
show("rows backwards, columns 1 and 2", { x }, x["::-1, 1:3"], a)
show("columns from i to before j", { x, i, j }, x[{ T.slice(), T.slice(i, j) }], a, 1, 3)
show("rows 2, 0, 2", { x, k }, x[k], a, { 2, 0, 2 })
show("one element of each row", { x, k }, x[{ T.arange(x.shape[0]), k }], a, { 3, 0, 1 })

-- Variables are values: instead of assigning, ask for a changed copy.
show("zeros in column 0", { x }, T.set_subtensor(x[":, 0"], 0), a)
show("100 more in the rows of k", { x, k }, T.inc_subtensor(x[k], 100), a, { 0, 0, 2 })

-- Gradients pass through subscripts.
local v = T.dvector("v")
show("gradient of v[0]^2 + 3 v[-1]", { v }, theano.grad(v[0] ^ 2 + 3 * v[-1], v), { 5, 6, 7 })
