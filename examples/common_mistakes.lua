-- The mistakes most often made, and what is said about each: every call below raises, and its message's first line is
-- printed.
-- Run it with: build/theano examples/common_mistakes.lua
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local function try(what, action)
  local _, message = pcall(action)
  print(what .. "\n  " .. tostring(message):match("[^\n]*"))
end

local x, v = T.dmatrix("x"), T.dvector("v")
local dot = theano.compile({ inputs = { x, v }, outputs = T.dot(x, v) })

try("shapes that do not fit", function() local _ = dot(nd.ones({ 2, 3 }), nd.ones({ 4 })) end)
try("a vector for a matrix", function() local _ = dot({ 1, 2 }, { 1, 2 }) end)
try("a missing argument", function() local _ = dot({ { 1, 2 } }) end)
try("floats for integers", function()
  local n = T.lvector("n")
  local _ = theano.compile({ inputs = { n }, outputs = n + 1 })(nd.array({ 0.5 }))
end)
try("an input left out", function() local _ = theano.compile({ inputs = { x }, outputs = T.dot(x, v) }) end)
try("an input nobody uses", function() local _ = theano.compile({ inputs = { x, v }, outputs = x }) end)
try("an operator that compares", function() local _ = x < 1 end)
try("assigning to a variable", function() x[0] = 1 end)
try("a gradient of something disconnected", function() local _ = theano.grad(x:sum(), v) end)
try("a gradient of a matrix", function() local _ = theano.grad(x * 2, x) end)
try("a wrong keyword", function() local _ = x:sum({ axes = 0 }) end)
try("a wrong method", function() local _ = x:summ() end)
try("a wrong flag", function() theano.config.floatx = "float32" end)
try("updating what is not shared", function()
  local _ = theano.compile({ inputs = { v }, updates = { { v, v + 1 } } })
end)
try("an update of another dtype", function()
  local n = theano.shared(0, "n")
  local _ = theano.compile({ inputs = {}, updates = { { n, n + 0.5 } } })
end)
