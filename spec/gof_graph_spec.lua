--- theano.gof.graph: walks over a graph of Variables.
local raises = require("spec.support.raises")
local theano = require("theano")
local T, graph = theano.tensor, theano.gof.graph

local x, y = T.dscalars("x", "y")
local s = T.exp(x) + y
local z = s * s

local function names(list)
  local out = {}
  for i, v in ipairs(list) do out[i] = v.name end
  return out
end

describe("gof.graph", function()
  it("finds the inputs of an expression, each once, in the order met", function()
    assert.same({ "x", "y" }, names(graph.inputs({ z })))
    assert.same({ "x", "y" }, names(graph.inputs(z)))
    assert.same({ "y" }, names(graph.inputs({ y, z }, { s })))
  end)
  it("finds all ancestors, not behind blockers", function()
    assert.equal(5, #graph.ancestors({ z }))
    assert.same({ z, s }, graph.ancestors({ z }, { s }))
  end)
  it("sorts the nodes between inputs and outputs", function()
    local order = graph.io_toposort({ x, y }, { z })
    assert.same({ s.owner.inputs[1].owner, s.owner, z.owner }, order)
    assert.same({ z.owner }, graph.io_toposort({ s }, { z }))
  end)
  it("walks a chain of 20,000 nodes", function()
    local v = x
    for _ = 1, 20000 do v = T.tanh(v) end
    assert.equal(20000, #graph.io_toposort({ x }, { v }))
    assert.same({ x }, graph.inputs({ v }))
  end)
  it("says what it takes", function()
    raises("TypeError", "gof.graph.inputs takes a list of Variables, got a number", function()
      local _ = graph.inputs(3)
    end)
  end)
end)
