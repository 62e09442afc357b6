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
  it("tells what is not among the inputs", function()
    local w = theano.shared(1.0, "w")
    local y2 = (x * 2 + w) * y
    local orphans = graph.orphans({ x }, { y2 })
    assert.same({ 3, 0 }, { #orphans, #graph.orphans(graph.inputs({ y2 }), { y2 }) })
    local variables, again = graph.variables_and_orphans({ x }, { y2 })
    assert.same({ #graph.variables({ x }, { y2 }), orphans }, { #variables, again })
  end)
  it("knows one computation from another", function()
    local a, b, c = T.dscalars("a", "b", "c")
    assert.is_true(graph.is_same_graph(a * (b + 1), a * (b + 1)))
    assert.is_false(graph.is_same_graph(a * (b * c), (a * b) * c))
    assert.is_false(graph.is_same_graph(a + 1, b + 1))
    assert.is_false(graph.is_same_graph(a + 1, a + 2))
    assert.is_true(graph.is_same_graph(a + 1, b + 1, { [a] = b }))
    assert.is_true(graph.is_same_graph(a + 1, b + 1, { { a, b } }))
    assert.is_true(graph.is_same_graph(T.sum(T.dvector("v") * 0) * 0 + a, a) == false)
    local v = T.dvector("v")
    assert.is_true(graph.is_same_graph(v:sum(), v:sum()))
    assert.is_false(graph.is_same_graph(T.argmax(v), T.argmin(v)))
    assert.is_false(graph.is_same_graph(v["1:"], v["2:"]))
    local m = T.dmatrix("m")
    assert.is_false(graph.is_same_graph(m:sum(0), m:sum(1)))
    assert.is_true(graph.is_same_graph(v + T.constant({ 1, 0 / 0 }), v + T.constant({ 1, 0 / 0 })))
    raises("TypeError", "is_same_graph", function() graph.is_same_graph(a, 1) end)
  end)
  it("says which outputs depend on which inputs for gradients", function()
    local a, b = T.dvector("a"), T.dvector("b")
    local values, places = T.max_and_argmax(a + b)
    assert.same({ { true, true }, { true, true } }, graph.io_connection_pattern({ a, b }, { values * 2, places }))
    local i = T.ivector("i") -- integers are connected, and what comes of them, as in Theano
    local whole = { T.eq(a, b), T.cast(a, "int64"), a.shape, T.gt(a, 0):sum(), b[i], T.arange(a.shape[0]), i + 1,
      T.cast(T.gt(a, 0), "float64") * b, T.extra_ops.bincount(i), T.switch(T.gt(a, 0), b, 0) }
    assert.same({ { true, true, false, true, false, false, false, true, false, true },
      { true, false, false, false, true, false, false, true, false, true },
      { false, false, false, false, false, false, true, false, false, false } },
      graph.io_connection_pattern({ a, b, i }, whole))
    assert.same({ { true }, { false } }, graph.io_connection_pattern({ a, b }, { a * T.shape(b)[0] }))
    assert.same({ { true, true, false }, { false, true, false } },
      graph.io_connection_pattern({ a, b }, { a, a + b, T.zeros_like(a) * 0 + T.gradient.disconnected_grad(a) }))
    raises("TypeError", "io_connection_pattern", function() graph.io_connection_pattern(3, { a }) end)
  end)
  it("copies a graph with its inputs", function()
    local ins, outs = graph.clone({ x, y }, { z })
    assert.is_true(ins[1] ~= x and ins[1].type == x.type and outs[1] ~= z)
    assert.same(ins, graph.inputs(outs))
    assert.equal(graph.as_string({ x, y }, { z })[1], graph.as_string(ins, outs)[1])
    local same = graph.clone({ x, y }, { z }, false)
    assert.same({ x, y }, same)
    assert.same({ s }, (graph.clone({ s }, { z }, false)))
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
