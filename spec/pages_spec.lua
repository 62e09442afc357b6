--- What Theano's page on graph structures shows, line by line: apply nodes, the broadcast constant, clients.
local raises = require("spec.support.raises")
local theano = require("theano")
local core = require("theano.core")
local T, gof = theano.tensor, theano.gof

describe("the page on graph structures", function()
  it("z = x + y: two leaves without an owner, one Apply with inputs, outputs and an op", function()
    local x, y = T.dmatrix("x"), T.dmatrix("y")
    local z = x + y
    assert.is_nil(x.owner)
    assert.is_nil(y.owner)
    assert.equal("apply", core.kind(z.owner))
    assert.same({ x, y }, z.owner.inputs)
    assert.same({ z }, z.owner.outputs)
    assert.equal(z, z.owner.outputs[z.index + 1])
  end)

  it("traverses x * 2.: the name of the op, its inputs, the constant behind a DimShuffle", function()
    local x = T.dmatrix("x")
    local y = x * 2.
    assert.equal("apply", core.kind(y.owner))
    assert.equal("Elemwise{mul,no_inplace}", y.owner.op.name)
    assert.equal(2, #y.owner.inputs)
    assert.equal("x", tostring(y.owner.inputs[1]))
    assert.equal("InplaceDimShuffle{x,x}.0", tostring(y.owner.inputs[2]))
    assert.equal("variable", core.kind(y.owner.inputs[2]))
    assert.equal("apply", core.kind(y.owner.inputs[2].owner))
    assert.equal("DimShuffle", y.owner.inputs[2].owner.op.kind)
    assert.equal(1, #y.owner.inputs[2].owner.inputs)
    assert.equal("TensorConstant{2.0}", tostring(y.owner.inputs[2].owner.inputs[1]))
  end)

  it("an Apply comes from an op and inputs, by make_node", function()
    local x, y = T.dmatrix("x"), T.dmatrix("y")
    local node = (x + y).owner.op:make_node(y, x)
    assert.equal("Elemwise{add,no_inplace}(y, x)", tostring(node))
    assert.equal("TensorType(float64, matrix)", tostring(node.outputs[1].type))
  end)

  it("types say dtype, dimensions and which of them are 1", function()
    local row = T.irow()
    assert.equal("int32", row.dtype)
    assert.equal(2, row.ndim)
    assert.same({ true, false }, row.broadcastable)
    assert.same({ false, false }, T.dmatrix().broadcastable)
  end)

  it("x and -x have one type; the second has an owner", function()
    local x = T.ivector()
    local y = -x
    assert.equal(x.type, y.type)
    assert.equal("neg", y.owner.op.kind)
    assert.equal(0, y.index)
    assert.is_nil(x.owner)
  end)

  it("a constant has data, needs no place among the inputs, and raises there", function()
    local c, x = T.constant(3), T.dscalar("x")
    assert.equal(3, c.data:item())
    assert.equal(5, theano.compile({ x }, x + c)(2))
    local ok, message = pcall(theano.compile, { x, c }, x + c)
    assert.is_false(ok)
    assert.truthy(message:find("onstant", 1, true), message)
  end)

  it("clients: pairs of an Apply or \"output\" and an index", function()
    local v = T.vector()
    local f = theano.compile({ v }, (v + 1):sum())
    local want = [[
Sum{acc_dtype=float64} [id A] ''   1
 |Elemwise{add,no_inplace} [id B] ''   0
   |TensorConstant{(1,) of 1.0} [id C]
   |<TensorType(float64, vector)> [id D]
]]
    assert.equal(want, theano.printing.debugprint(f, { file = "str" }))
    local topo = f.maker.fgraph:toposort()
    local client = topo[1].outputs[1].clients[1]
    assert.equal("Sum{acc_dtype=float64}(Elemwise{add,no_inplace}.0)", tostring(client[1]))
    assert.equal(0, client[2])
    assert.equal("apply", core.kind(client[1]))
    assert.equal(topo[1].outputs[1], client[1].inputs[client[2] + 1])
    client = topo[2].outputs[1].clients[1]
    assert.same({ "output", 0 }, client)
    assert.equal(topo[2].outputs[1], f.maker.fgraph.outputs[client[2] + 1])
    assert.equal(topo[1].outputs[1].clients[1][1], f.maker.fgraph:clients(topo[1].outputs[1])[1][1])
    raises("AttributeError", "fgraph:clients(v)", function() local _ = v.clients end)
  end)

  it("the user's graph is not touched by compiling", function()
    local x = T.dvector("x")
    local y = T.log(1 + x)
    local before = theano.printing.debugprint(y, { file = "str" })
    theano.compile({ x }, y)
    assert.equal(before, theano.printing.debugprint(y, { file = "str" }))
  end)

  it("a + a ^ 10 prints array [0, 2, 1026], and its optimized graph is one node", function()
    local a = T.vector("a")
    local b = a + a ^ 10
    local f = theano.compile({ a }, b)
    assert.equal("[   0.    2. 1026.]", tostring(f({ 0, 1, 2 })))
    assert.equal(1, #f.maker.fgraph:toposort())
    assert.truthy(#gof.graph.io_toposort({ a }, { b }) > 1)
  end)
end)

describe("the page on optimizations", function()
  it("each of its optimizers can be asked for what it runs, by its name", function()
    for _, name in ipairs({ "o1", "o2", "o3", "o4", "fast_run", "fast_compile", "stabilize", "unsafe" }) do
      local query = theano.compile.optdb:query(theano.compile.predefined_optimizers[name])
      assert.truthy(query:summary():find("merge1"))
      assert.truthy(tostring(query):find("^SeqOptimizer " .. name .. ": %d+ passes"))
    end
    local optdb, equal = theano.compile.optdb, assert.equal
    equal(optdb:query("o4"):summary(), optdb:query("fast_run"):summary())
    equal(optdb:query("o1"):summary(), optdb:query("fast_compile"):summary())
  end)

  it("optimizer_including=local_remove_all_assert removes assertions", function()
    local x = T.dvector("x")
    local y = T.opt.assert_op(x, T.lt(x[0], 1)) * 2
    local function asserts()
      return tostring(theano.compile({ x }, y).maker.fgraph):find("Assert") ~= nil
    end
    assert.is_true(asserts())
    theano.config.optimizer_including = "local_remove_all_assert"
    local left = asserts()
    theano.config.optimizer_including = ""
    assert.is_false(left)
  end)
end)
