-- What a call costs: x + 1 in doubles, a number and ten of them, and an update of a shared vector.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local G = {
  title = "calls",
  peers = { "lua", "numpy", "numba", "torch", "torch-compile", "jax", "pytensor-c", "pytensor-numba", "theano" },
  cases = { { "scalar" }, { "10-vector, new result" }, { "10-vector, borrowed result" }, { "update of a 10-vector" },
    { "bound scalar" }, { "bound 10-vector" } },
}

function G.prepare(name)
  local x, v = T.dscalar("x"), T.dvector("v")
  local ten = nd.arange(10.0)
  if name == "scalar" or name == "bound scalar" then
    local f = theano.compile({ inputs = { x }, outputs = x + 1.0 })
    if name == "scalar" then return { f = f, args = { 1.5 } }, f(1.5) end
    local g = f:bind(1.5)
    return { f = g, args = {} }, g()
  elseif name:find("update", 1, true) then
    local w = theano.shared(nd.zeros({ 10 }))
    return { f = theano.compile({ inputs = {}, outputs = {}, updates = { { w, w + 1 } } }), args = {} }
  end
  local borrowed = name:find("borrowed", 1, true) ~= nil
  local f = theano.compile({ inputs = { v }, outputs = theano.Out(v + 1.0, { borrow = borrowed }) })
  if name ~= "bound 10-vector" then return { f = f, args = { ten } }, f(ten):sum() end
  local g = f:bind(ten)
  return { f = g, args = {} }, g():sum()
end

return G
