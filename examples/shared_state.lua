-- Functions that share state: an accumulator with several functions on one shared variable.
-- Run it with: build/theano examples/shared_state.lua
local theano = require("theano")
local T = require("theano.tensor")

local total, count = theano.shared(0.0, "total"), theano.shared(0, "count")
local x = T.dscalar("x")

-- Outputs are computed from the old values, then all updates happen at once.
local updates = { { total, total + x }, { count, count + 1 } }
local add = theano.compile({ inputs = { x }, outputs = total, updates = updates })
local mean = theano.compile({ inputs = {}, outputs = total / count })
local reset = theano.compile({ inputs = {}, updates = { { total, 0.0 }, { count, 0 } } })

for _, value in ipairs({ 2, 4, 9 }) do
  print("before adding", value, "the total is", add(value))
end
print("mean", mean())
print("count", count:get_value())

total:set_value(100.0)
print("mean of another total", mean())
reset()
print("after reset", total:get_value(), count:get_value())

-- givens: the same graph on another value, without touching the shared one.
local what_if = theano.compile({ inputs = { x }, outputs = total * 2, givens = { { total, x } } })
print("twice 21", what_if(21), "total is still", total:get_value())

-- Several outputs are several results; a default value makes an input optional; inputs may be passed by name.
local y = T.dscalar("y")
local both = theano.compile({ inputs = { x, theano.In(y, { value = 10.0 }) }, outputs = { x + y, x * y } })
print(both(3))
print(both({ x = 3, y = 5 }))
