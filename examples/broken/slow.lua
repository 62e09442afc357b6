-- Broken on purpose: a loop that sorts and multiplies in every turn what could be done once, for all turns. The profile
-- says where the time goes, `theano.printing.advice` what to change.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local x = T.dmatrix("x")
local w = theano.shared(nd.ones({ 64, 64 }), "w")
local u = theano.shared(nd.ones({ 64, 64 }), "u")
local function turn(row, state)
  local ranked = T.sort(row) -- wrong: T.sort(x, 1) before the loop sorts all rows at once
  return T.tanh(T.dot(state, w) * ranked) + T.dot(state, u) -- wrong: one product with w and u side by side
end
local states = theano.scan({ fn = turn, sequences = x, outputs_info = T.zeros({ 64 }) })
local f = theano.compile({ inputs = { x }, outputs = states[-1]:sum(), profile = true, name = "slow" })
theano.config.profiling.destination = "/dev/null"
for _ = 1, 20 do f(nd.ones({ 50, 64 })) end
print((tostring(f.profile):match("Class\n.-\n\n")))
print(theano.printing.advice(f))
