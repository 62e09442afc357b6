--- einsum and matmul: values, shapes and dtypes against NumPy's (spec/data/einsum.json, written by
-- scripts/make-einsum-data.py), on arrays, in graphs with and without rewrites; the order of contraction, gradients,
-- errors. #asan
local nd = require("theano.ndarray")
local oracle = require("spec.support.oracle")
local raises = require("spec.support.raises")
local graphs = require("spec.support.graphs")
local theano = require("theano")
local T = theano.tensor
local variables = require("spec.support.variables")

local DATA = oracle.cases("einsum")
local MODES = {
  theano.compile.Mode { linker = "interpreter", optimizer = "fast_run" },
  theano.compile.Mode { linker = "interpreter", optimizer = "None" },
}

local function same(got, want, what)
  local g = nd.asarray(got)
  assert(g.dtype == want.dtype, ("%s: dtype %s, not %s"):format(what, g.dtype, want.dtype))
  assert(table.concat(g.shape, " ") == table.concat(want.shape, " "),
    ("%s: shape %s, not %s"):format(what, table.concat(g.shape, " "), table.concat(want.shape, " ")))
  assert(g.size == 0 or nd.array_equal(g, want), what .. " has other elements")
end

local function all_ways(what, f, case)
  local arrays, want = {}, oracle.array(case.output)
  for i, a in ipairs(case.operands) do arrays[i] = oracle.array(a) end
  same(f(nd, arrays), want, what .. " on arrays")
  local x = variables(arrays)
  for i, mode in ipairs(MODES) do
    local fn = theano.compile { inputs = x, outputs = f(T, x), mode = mode }
    same(fn(table.unpack(arrays)), want, ("%s in mode %d"):format(what, i))
  end
end

describe("einsum", function()
  it("gives NumPy's numbers, shapes and dtypes", function()
    for _, case in ipairs(DATA.einsum) do
      all_ways(case.text, function(m, x) return m.einsum(case.text, table.unpack(x)) end, case)
    end
  end)

  it("takes a list of operands, numbers and one operand alone", function()
    local a = nd.array({ { 1.0, 2.0 }, { 3.0, 4.0 } })
    assert.are.equal(5.0, nd.einsum("ii", { a }))
    assert.are.equal(20.0, nd.einsum(",ij->", 2.0, a))
    assert.are.equal(10.0, nd.einsum("ij->", a))
  end)

  it("takes lists of numbers in place of letters", function()
    local rng = nd.random.RandomState(2)
    local a, b, s = rng:randn(2, 3), rng:randn(3, 4), rng:randn(3, 3)
    assert.is_true(nd.allclose(nd.einsum(a, { 0, 1 }, b, { 1, 2 }, { 0, 2 }), nd.dot(a, b)))
    assert.is_true(nd.allclose(nd.einsum(a, { 5, 1 }, b, { 1, 30 }), nd.dot(a, b)))
    assert.is_true(nd.allclose(nd.einsum(a, { 1, 0 }), a.T))
    assert.is_true(nd.allclose(nd.einsum(s, { 0, 0 }), nd.trace(s)))
    assert.is_true(nd.allclose(nd.einsum(a, { "...", 1 }, { 1, "..." }), a.T))
    local x = T.dmatrix("x")
    assert.is_true(nd.allclose(T.einsum(x, { 0, 1 }, x, { 0, 2 }, { 1, 2 }):eval { [x] = a }, nd.dot(a.T, a)))
  end)

  it("writes a product of two matrices as one Dot and batches as one BatchedDot", function()
    local x, y = T.dmatrix("x"), T.dmatrix("y")
    assert.are.equal("Dot22", graphs.ops(theano.compile { inputs = { x, y }, outputs = T.einsum("ij,jk->ik", x, y) }))
    local a, b = T.dtensor3("a"), T.dtensor3("b")
    local f = theano.compile { inputs = { a, b }, outputs = T.einsum("bij,bjk->bik", a, b) }
    assert.are.equal("BatchedDot", graphs.ops(f))
  end)

  it("contracts in the order that costs least by the lengths that are known", function()
    local function first(lengths) -- the label that the first product sums
      local m = {}
      for i = 1, 3 do m[i] = nd.ones({ lengths[i], lengths[i + 1] }) end
      local text = theano.printing.graph_text({ T.einsum("ab,bc,cd->ad", m[1], m[2], m[3]) })
      local left = text:match("Dot%(([^,]+),")
      return left
    end
    assert.are_not.equal(first({ 2, 50, 2, 50 }), first({ 50, 2, 50, 2 }))
  end)

  it("orders many operands pair by pair, none of them all at once", function()
    local x = {}
    for i = 1, 12 do x[i] = nd.ones({ 2, 2 }) * (i % 2 + 1) end
    local text = "ab,bc,cd,de,ef,fg,gh,hi,ij,jk,kl,lm->am"
    local want = x[1]
    for i = 2, 12 do want = nd.dot(want, x[i]) end
    assert.is_true(nd.allclose(nd.einsum(text, x), want))
  end)

  it("has gradients and second gradients", function()
    local rng = nd.random.RandomState(3)
    local function cost(text) return function(...) return T.sum(T.sqr(T.einsum(text, ...))) end end
    T.verify_grad(cost("ij,jk->ik"), { rng:randn(2, 3), rng:randn(3, 2) }, { rng = rng })
    T.verify_grad(cost("bij,bjk,k->bi"), { rng:randn(2, 2, 3), rng:randn(2, 3, 2), rng:randn(2) }, { rng = rng })
    T.verify_grad(cost("iij,j->i"), { rng:randn(3, 3, 2), rng:randn(2) }, { rng = rng })
    T.verify_grad(function(x)
      return T.grad(T.sum(T.einsum("ij,jk,ki->", x, x, x)), x)
    end, { rng:randn(3, 3) }, { rng = rng })
  end)

  it("says what is wrong with its text", function()
    local a = nd.ones({ 2, 3 })
    for text, words in pairs {
      ["ij,jk"] = "names 2 operands, 1 given", ["ij->k"] = "stands twice or in no operand",
      ["ij->ii"] = "stands twice or in no operand", ijk = "operand 1 has 2 dimensions, 'ijk' names 3",
      ["..ij"] = "an ellipsis is three dots", ["i1"] = "labels are letters", ["ij->i->j"] = "'->' stands once",
      ["......"] = "two ellipses", ["...->"] = "the output lacks the '...'", ["ii"] = "lengths 2 and 3",
      ["ij-"] = "'->' stands once",
    } do
      raises("ValueError", { "einsum", words }, function() local _ = nd.einsum(text, a) end)
      raises("ValueError", { "einsum", words }, function() local _ = T.einsum(text, T.constant(a)) end)
    end
    raises("ValueError", "1 to 64 operands", function() local _ = nd.einsum("") end)
    raises("TypeError", "a list of labels follows each operand", function() local _ = nd.einsum(a, { 0, 1 }, a) end)
    raises("ValueError", "a label is a number of 0 to 51", function() local _ = nd.einsum(a, a) end)
    raises("ValueError", "a label is a number of 0 to 51", function() local _ = nd.einsum(a, { 0, 52 }) end)
    raises("ValueError", "a label is a number of 0 to 51", function() local _ = nd.einsum(a, { 0, "x" }, { 0 }) end)
    raises("ValueError", "label 'j' stands for lengths 3 and 2", function() local _ = nd.einsum("ij,jk", a, a) end)
  end)

  it("compares each length in a call, not their product alone", function()
    local x, y, rng = T.dtensor3("x"), T.dtensor3("y"), nd.random.RandomState(3)
    for _, mode in ipairs(MODES) do
      local f = theano.compile { inputs = { x, y }, outputs = T.einsum("aij,ijb->ab", x, y), mode = mode }
      local ok, problem = pcall(f, rng:randn(1, 2, 3), rng:randn(3, 2, 1))
      assert(not ok and problem:find("got length 3, expected 2", 1, true), problem)
      local g = theano.compile { inputs = { x }, outputs = T.einsum("iij->j", x), mode = mode }
      ok, problem = pcall(g, rng:randn(2, 3, 1))
      assert(not ok and problem:find("got length 3, expected 2", 1, true), problem)
      local h = theano.compile { inputs = { x, y }, outputs = T.einsum("aij,aij->a", x, y), mode = mode }
      assert(not pcall(h, rng:randn(1, 2, 3), rng:randn(1, 3, 2)))
    end
  end)
end)

describe("matmul", function()
  it("gives NumPy's numbers and shapes", function()
    for i, case in ipairs(DATA.matmul) do
      all_ways("matmul " .. i, function(m, x) return m.matmul(table.unpack(x)) end, case)
    end
  end)

  it("is one Dot where one operand is a matrix, one BatchedDot where both are many", function()
    local a, b, m = T.dtensor3("a"), T.dtensor3("b"), T.dmatrix("m")
    local function ops(...)
      return graphs.ops(theano.compile { inputs = { a, b, m }, outputs = T.matmul(...), on_unused_input = "ignore" })
    end
    assert.are.equal("BatchedDot", ops(a, b))
    for _, text in ipairs { ops(a, m), ops(m, a) } do
      assert(text:find("Dot22", 1, true) and not text:find("BatchedDot", 1, true), text)
    end
  end)

  it("has gradients", function()
    local rng = nd.random.RandomState(4)
    local function cost(x, y) return T.sum(T.sqr(T.matmul(x, y))) end
    for _, shapes in ipairs {
      { { 2, 3, 2 }, { 2, 2 } }, { { 2, 3 }, { 2, 3, 2 } }, { { 2, 1, 2, 3 }, { 2, 3, 2 } }, { { 3 }, { 2, 3, 2 } },
    } do
      local x, y = rng:randn(table.unpack(shapes[1])), rng:randn(table.unpack(shapes[2]))
      T.verify_grad(cost, { x, y }, { rng = rng })
    end
  end)

  it("refuses numbers and lengths that do not fit", function()
    local a = nd.ones({ 2, 2, 3 })
    raises("ValueError", "use * instead", function() local _ = nd.matmul(a, 2) end)
    raises("ValueError", { "3", "2" }, function() local _ = nd.matmul(a, a) end)
    raises("ValueError", { "2", "4" }, function() local _ = nd.matmul(a, nd.ones({ 4, 3, 1 })) end)
    raises("ValueError", "dimension 0 has length 2 in one operand, 3 in the other",
      function() local _ = nd.matmul(nd.ones({ 2, 3, 1, 4 }), nd.ones({ 3, 2, 4, 1 })) end)
  end)
end)
