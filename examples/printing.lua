-- Looking at graphs: as built, as mathematics, as compiled, as loops, as C.
-- Run it with: build/theano examples/printing.lua
local theano = require("theano")
local T = require("theano.tensor")

local x, w = T.dvector("x"), T.dvector("w")
local y = T.log(1 + T.exp(T.dot(x, w)))

print("-- as mathematics")
print(theano.printing.pp(y))

print("-- as a graph")
theano.printing.debugprint(y)

local f = theano.compile({ inputs = { x, w }, outputs = y, name = "f" })
print("-- compiled: the optimizer found softplus")
theano.printing.debugprint(f)

print("-- the loops that run")
print(theano.printing.plan(f))

print("-- nodes of the compiled graph, in order")
for i, node in ipairs(f.maker.fgraph:toposort()) do
  print(i, node)
end

print("-- the first lines of the gradient's C code, when there is a C compiler")
local g = theano.compile({ inputs = { x, w }, outputs = theano.grad(y, w), name = "g" })
local fine, source = pcall(theano.printing.ccode, g)
if fine then
  local n = 0
  for line in source:gmatch("[^\n]+") do
    n = n + 1
    if n <= 5 then print(line) end
  end
end
