-- Tables read as lists have no holes: a nil is an error that names its place, wherever a list is taken.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local raises = require("spec.support.raises")

describe("a nil in a list", function()
  local x, u, v, w = T.dscalar("x"), T.dvector("u"), T.dvector("v"), T.dvector("w")
  local s, t = theano.shared(0.0, "s"), theano.shared(0.0, "t")
  local a = nd.ones({ 2 })

  -- A list whose # is 1 although an entry follows the hole.
  local function sparse(first, third)
    local list = { first }
    list[3] = third
    return list
  end

  local function refused(place, f)
    raises("TypeError", place .. " is nil", f)
  end

  it("stops a compilation", function()
    refused("updates[2]", function() theano.compile({ inputs = {}, updates = { { s, s + 1 }, nil, { t, t + 1 } } }) end)
    refused("updates[2]", function()
      theano.compile({ inputs = {}, updates = sparse({ s, s + 1 }, { t, t + 1 }) })
    end)
    refused("updates[1][2]", function() theano.compile({ inputs = {}, updates = { { s, nil }, { t, t + 1 } } }) end)
    refused("outputs[2]", function() theano.compile({ inputs = { x }, outputs = { x, nil, x + 1 } }) end)
    refused("outputs[1]", function() theano.compile({ inputs = { x }, outputs = { nil, x } }) end)
    refused("inputs[1]", function() theano.compile({ inputs = { nil, x }, outputs = x }) end)
    refused("givens[1]", function() theano.compile({ inputs = { x }, outputs = x, givens = { nil, { s, t } } }) end)
    refused("no_default_updates[2]", function()
      theano.compile({ inputs = { x }, outputs = x, no_default_updates = sparse(s, t) })
    end)
    refused("output_subset[2]", function()
      theano.compile({ x }, { x, x + 1, x + 2 })(1, { output_subset = sparse(1, 3) })
    end)
    refused("swap[1]", function() theano.compile({ x }, x):copy({ swap = { nil, { s, t } } }) end)
  end)

  it("stops a loop", function()
    local function fn(r) return r end
    refused("scan: sequences[2]", function() theano.scan({ fn = fn, sequences = { u, nil, v } }) end)
    refused("scan: outputs_info[1]", function()
      theano.scan({ fn = fn, sequences = u, outputs_info = { nil, x } })
    end)
    refused("scan: non_sequences[1]", function()
      theano.scan({ fn = fn, sequences = u, non_sequences = { nil, x } })
    end)
    refused("scan: the taps of sequence 1[2]", function()
      theano.scan({ fn = fn, sequences = { input = u, taps = sparse(-1, 0) } })
    end)
    refused("scan: the list of results[2]", function()
      theano.scan({ fn = function(r) return { r, nil, r } end, sequences = u })
    end)
    raises("ValueError", "result 2 is nil", function()
      theano.scan({ fn = function(r) return r, nil, r end, sequences = u })
    end)
    refused("ifelse: the then branch[2]", function() theano.ifelse(x, { u, nil, v }, { u, v }) end)
  end)

  it("stops a derivative", function()
    refused("grad: wrt[2]", function() T.grad(x * 2, { x, nil, x }) end)
    refused("grad: consider_constant[2]", function() T.grad(x * 2, x, { consider_constant = sparse(x, x) }) end)
    refused("known_grads[1]", function() T.grad(x * 2, x, { known_grads = { nil, { x, x } } }) end)
    refused("Lop: wrt[2]", function() T.Lop(u, { u, nil, u }, v) end)
    refused("Rop: the evaluation points[1]", function() T.Rop(u + v, { u, v }, { nil, w }) end)
    refused("jacobian: wrt[1]", function() T.jacobian(u + v, { nil, v }) end)
    refused("clone: the output[1]", function() theano.clone({ nil, u }) end)
  end)

  it("stops a function of the table", function()
    refused("stack: tensors[2]", function() T.stack({ u, nil, v }) end)
    refused("stack: tensors[1][2]", function() T.stack({ { u, nil, v } }) end)
    refused("stack: tensors[3]", function() T.stack(table.pack(u, v, nil)) end)
    refused("concatenate: tensor_list[2]", function() T.concatenate(sparse(u, v)) end)
    refused("sum: axis[2]", function() T.dtensor3():sum({ axis = { 0, nil, 2 } }) end)
    refused("reshape: newshape[2]", function() T.dtensor3():reshape({ 2, nil, 2 }) end)
    refused("join: tensors_list[2]", function() T.join(0, u, nil, v) end)
    refused("add: inputs[2]", function() T.add(u, nil, v) end)
    refused("the list[2]", function() T.as_tensor_variable({ u, nil, v }) end)
    assert.equal(1, T.stack(table.pack(x, x)).ndim)
  end)

  it("stops an array, an argument, a subscript", function()
    refused("the table[2]", function() nd.array({ 1, nil, 3 }) end)
    refused("the table[2][2]", function() nd.array({ { 1, 2, 3 }, sparse(3, 4) }) end)
    refused("the table[2]", function() theano.shared(sparse(1, 3)) end)
    refused("the shape[2]", function() nd.zeros({ 2, nil, 3 }) end)
    refused("argument 1[2]", function() theano.compile({ u }, u)(sparse(1, 3)) end)
    refused("stack: tensors[2]", function() nd.stack({ a, nil, a }) end)
    refused("vstack: the list[2]", function() nd.vstack(sparse(a, a)) end)
    refused("the subscript[1]", function() return nd.ones({ 2, 2 })[{ nil, 1 }] end)
    refused("broadcastable[2]", function() T.TensorType("float64", sparse(true, false)) end)
  end)

  it("stops graphs and rewrites", function()
    local gof = theano.gof
    refused("FunctionGraph: inputs[1]", function() gof.FunctionGraph({ nil, u }, { u }) end)
    refused("gof.graph.ancestors: the list[2]", function() gof.graph.ancestors(sparse(u, v)) end)
    refused("SeqOptimizer: the rewrites[1]", function() gof.SeqOptimizer({ nil, gof.MergeOptimizer() }) end)
    refused("OpFromGraph: outputs[2]", function() theano.OpFromGraph({ u, v }, sparse(u, v)) end)
  end)
end)

describe("a list", function()
  local s = theano.shared(0.0, "s")
  it("has no other keys", function()
    raises("TypeError", "has the key 'axis': keywords stand in one table", function()
      T.stack({ T.dvector(), axis = 1 })
    end)
    raises("TypeError", "counted from 1: it has the key 0", function() nd.array({ [0] = 1, 2, 3 }) end)
    raises("TypeError", "EquilibriumOptimizer: final_optimizers", function()
      theano.gof.EquilibriumOptimizer({ theano.gof.MergeOptimizer() }, { final_optimizers = { 1 } })
    end)
  end)
  it("of pairs holds pairs", function()
    raises("TypeError", "updates[1] is a Variable: entry 1 is no pair", function()
      theano.compile({ inputs = {}, updates = { s, s + 1 } })
    end)
    raises("TypeError", "updates[1] has 3 entries", function()
      theano.compile({ inputs = {}, updates = { { s, s + 1, s } } })
    end)
    raises("TypeError", "got the text 's'", function() theano.compile({ inputs = {}, updates = { s = s + 1 } }) end)
  end)
end)

describe("a table that holds itself", function()
  local loop, keywords = {}, {}
  loop[1], keywords.dtype = loop, keywords
  it("is refused", function()
    raises("TypeError", "64 levels", function() T.stack(loop) end)
    raises("TypeError", "64 levels", function() T.as_tensor_variable(loop) end)
    raises("ValueError", "32 levels", function() nd.array(loop) end)
    raises("TypeError", "a dtype is a name", function() nd.zeros({ 2 }, keywords) end)
    raises("TypeError", "has the key 'n'", function() T.stack({ n = -5, T.dvector() }) end)
  end)
end)

describe("what stands behind the last argument", function()
  it("is refused by methods and functions that take no more", function()
    local a, x, w = nd.ones({ 2, 3 }), T.dvector("x"), theano.shared(nd.ones({ 3 }))
    local f = theano.compile({ x }, x * 2)
    for name, call in pairs({
      free = function() a:free(1) end, tolist = function() a:tolist(1) end, copy = function() a:copy(1, 2) end,
      memory = function() f:memory(1) end, get_shared = function() f:get_shared(1) end,
      clone = function() w:clone("n", 2) end, shares_memory = function() nd.shares_memory(a, a, 1) end,
      complex = function() nd.complex(1, 2, 3) end, RandomState = function() nd.random.RandomState(1, 2) end,
      get_value = function() w:get_value(true, 2) end, set_value = function() w:set_value(nd.ones({ 3 }), true, 2) end,
      zero = function() w:zero(true, 2) end,
    }) do
      raises("TypeError", name, call)
    end
    raises("TypeError", "free takes 0 arguments, 1 given", function() f:free(1) end)
    raises("TypeError", "complex takes 2 arguments, 3 given", function() nd.complex(1, 2, 3) end)
    local any = "array"
    raises("TypeError", "this function takes 2 arguments", function() nd[any](1, "float64", 3) end)
    assert.equal(6, a:copy(nil, nil).size)
  end)

  it("is no nil in a list of operands", function()
    local x, a, typo = T.dvector("x"), nd.ones({ 2 }), nil
    raises("TypeError", "add: inputs[2] is nil", function() return T.add(x, typo) end)
    raises("TypeError", "mul: inputs[3] is nil", function() return T.mul(x, x, typo) end)
    raises("TypeError", "add: inputs[2] is nil", function() return nd.add(a, typo) end)
    raises("TypeError", "join: tensors_list[2] is nil", function() return T.join(0, x, typo) end)
    raises("TypeError", "alloc", function() return T.alloc(1.0, 3, typo) end)
    assert.equal(2, T.dmatrix():transpose(typo).ndim)
    assert.equal(0, T.sum(x, typo, typo).ndim)
  end)
end)

describe("a table in a subscript", function()
  local x, a = T.dmatrix("x"), nd.arange(12):reshape({ 3, 4 })
  for _, y in ipairs({ x, a }) do
    local what = y == x and "of a Variable" or "of an array"
    it(what .. " is no list of positions and no slice without a word", function()
      raises("TypeError", "T.slice(a, b)", function() return y[{ { 0, 2 }, 1 }] end)
      raises("TypeError", "T.slice(a, b)", function() return y[{ { 0, 2, 1, 1 }, 1 }] end)
      raises("TypeError", "a table of 4", function() return y:sub({ 0, 2, 1, 1 }, 1) end)
      raises("TypeError", "a table of 1", function() return y:sub({ 0 }, 1) end)
      raises("TypeError", "a table of 0", function() return y:sub({}, 1) end)
      raises("TypeError", "the start of a slice is an integer", function() return y:sub({ 0.5, 2 }) end)
      raises("TypeError", "a slice has no 'strat'", function() return y:sub({ strat = 1 }) end)
      raises("IndexError", "nil is no index", function() return y:sub(nil, 1) end)
    end)
  end
  it("names its ends, or picks as an array", function()
    assert.same({ 1, 5 }, a[{ { start = 0, stop = 2 }, 1 }]:tolist())
    assert.same({ 1, 5 }, a[{ T.slice(0, 2), 1 }]:tolist())
    assert.same({ 1, 9 }, a[{ nd.array({ 0, 2 }), 1 }]:tolist())
    assert.same({ 1, 5 }, a:sub({ 0, 2 }, 1):tolist())
    assert.equal(2, a[{ 0, 2 }])
  end)
end)
