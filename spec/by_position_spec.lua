--- Keywords of Theano's functions given by position, in Theano's order, or all by name; the letters of one name as
-- several names; copies of variables; lengths of convolutions.
local raises = require("spec.support.raises")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local gradient, compile = theano.gradient, theano.compile

describe("by position", function()
  local x, y = T.dvector("x"), T.dvector("y")
  local cost, d = (x ^ 2):sum(), nd.array({ 1.0, 2.0, 3.0 })
  local function value(v) return v:eval({ [x] = d }):tolist() end

  it("stand the keywords of gradients", function()
    assert.same({ 0.0, 0.0, 0.0 }, value(T.zeros_like(x) + T.grad(cost, y, nil, "ignore"):eval({ [y] = d })))
    assert.is_nil(T.grad(cost, x, {}, "raise", false).name)
    local frozen = x * 1
    assert.same({ 1.0, 2.0, 3.0 }, value(T.grad((x * frozen):sum(), x, { frozen }, "ignore")))
    assert.same({ 1.0, 2.0, 3.0 }, value(T.grad((x * frozen):sum(), x, { consider_constant = { frozen } })))
    assert.same({ 2.0, 4.0, 6.0 }, value(T.grad(nil, x, nil, "raise", true, { [cost] = 1.0 })))
    assert.same({ 2.0, 4.0, 6.0 }, value(T.grad({ cost = cost, wrt = x })))
    assert.same({ 2.0, 4.0, 6.0 }, value(T.Lop(x ^ 2, x, T.ones_like(x), {}, "raise")))
    assert.same({ 0.0, 0.0, 0.0 }, value(T.Rop(x * 2, y, T.ones_like(x), "ignore")))
    local two = { { 2.0, 0.0, 0.0 }, { 0.0, 2.0, 0.0 }, { 0.0, 0.0, 2.0 } }
    assert.same(two, value(gradient.jacobian(x * 2, x, nil, "ignore")))
    assert.same(two, value(gradient.hessian(cost, x, nil, "ignore")))
    local g = gradient.subgraph_grad({ x }, { y }, nil, cost)
    assert.same({ 2.0, 4.0, 6.0 }, value(g[1]))
    g = gradient.subgraph_grad({ wrt = { x }, end_ = { y }, cost = cost })
    assert.same({ 2.0, 4.0, 6.0 }, value(g[1]))
    gradient.verify_grad(function(a) return a * a end, { d }, 1, nd.random.RandomState(3), 1e-7)
    raises("TypeError", "takes at most 8 arguments", function() T.grad(cost, x, 1, 2, 3, 4, 5, 6, 7, 8) end)
    raises("TypeError", "twice", function() T.grad(cost, x, { y }, { consider_constant = { y } }) end)
    raises("TypeError", "known_grad", function() T.grad(cost, x, { known_grad = 1 }) end)
  end)

  it("stand those of variables, functions and prints", function()
    local w = theano.shared(7, "w", true, false)
    raises("TypeError", "", function() w:set_value(8.5) end)
    assert.same({ "int16", 1 }, { T.constant(3, nil, 1, "int16").dtype, T.constant(3, "c", 1).ndim })
    assert.equal(y, theano.clone(x * 2, { [x] = y }, true, true).owner.inputs[1])
    local f = compile({ theano.In(x, "first", d) }, theano.Out(x * 2, true))
    assert.same({ 2.0, 4.0, 6.0 }, f():tolist())
    raises("TypeError", "dimensions", function() theano.In(x, { update = x:sum() }) end)
    local text = theano.printing.debugprint(x * 2 + 1, 1, true, "str")
    assert.equal(theano.printing.debugprint(x * 2 + 1, { depth = 1, print_type = true, file = "str" }), text)
    local op = theano.OpFromGraph({ x }, { x * 3 }, true)
    assert.same({ 3.0, 6.0, 9.0 }, value(op(x)))
    raises("TypeError", "", function() theano.Out(x, 3) end)
  end)
end)

describe("variables", function()
  it("are named by the letters of one name", function()
    local a, b = T.scalars("ab")
    assert.same({ "a", "b" }, { a.name, b.name })
    assert.same({ 1, "s" }, { select("#", T.dvectors("s")), (T.dvectors("s")).name })
    assert.same({ "ab", "cd" }, { T.matrices("ab", "cd")[0] and "ab", select(2, T.matrices("ab", "cd")).name })
  end)

  it("are copied with type, name and tag", function()
    local x = T.dmatrix("x")
    x.tag.test_value = 3
    local copy, number = x:clone(), T.constant(3, "three"):clone()
    assert.is_true(copy ~= x and copy.type == x.type)
    assert.same({ "x", 3, "three", 3 }, { copy.name, copy.tag.test_value, number.name, number:eval({}) })
    local w = theano.shared(nd.ones({ 2 }), "w")
    w:clone("again"):set_value(nd.zeros({ 2 }))
    assert.same({ 0.0, 0.0 }, w:get_value():tolist())
  end)

  it("stacked one by one are stacked", function()
    local a, b = T.dvector("a"), T.dvector("b")
    local f = compile({ a, b }, { T.stack(a, b), T.stack({ a, b }, 1) })
    local rows, columns = f({ 1.0, 2.0 }, { 3.0, 4.0 })
    assert.same({ { 1.0, 2.0 }, { 3.0, 4.0 } }, rows:tolist())
    assert.same({ { 1.0, 3.0 }, { 2.0, 4.0 } }, columns:tolist())
  end)
end)

it("a mode that watches is printed, and a copy of a function trusts as it does", function()
  local mode = compile.MonitorMode({ pre_func = print, optimizer = "fast_run" })
  assert.equal("Mode{optimizer = fast_run, watch = yes}", tostring(mode))
  local f = compile({ T.dvector("x") }, {}, { on_unused_input = "ignore" })
  f.trust_input = true
  assert.is_true(f:copy().trust_input)
end)

describe("lengths of convolutions", function()
  local conv = T.nnet.abstract_conv
  local R = nd.random.RandomState(2)

  it("of results, images and filters are those that come out", function()
    local x, w = T.dtensor4("x"), T.dtensor4("w")
    for _, border in ipairs({ "valid", "half", "full", { 1, 2 }, { { 1, 0 }, { 2, 1 } } }) do
      for _, step in ipairs({ { 1, 1 }, { 2, 3 } }) do
        for _, gap in ipairs({ { 1, 1 }, { 2, 1 } }) do
          local y = T.nnet.conv2d(x, w, { border_mode = border, subsample = step, filter_dilation = gap })
          local images, filters = { 2, 3, 9, 8 }, { 4, 3, 3, 2 }
          local shape = { table.unpack(compile({ x, w }, y)(R:rand(2, 3, 9, 8), R:rand(4, 3, 3, 2)).shape) }
          assert.same(shape, conv.get_conv_output_shape(images, filters, border, step, gap))
          assert.is_true(conv.check_conv_gradinputs_shape(images, filters, shape, border, step, gap))
          assert.is_false(conv.check_conv_gradinputs_shape(images, filters, { 2, 4, 30, 30 }, border, step, gap))
          local odd = border == "half" or step[1] ~= 1
          assert.same(odd and { 4, 3, false, false } or filters,
            conv.get_conv_gradweights_shape(images, shape, border, step, gap))
          assert.same(step[1] ~= 1 and { 2, 3, false, false } or images,
            conv.get_conv_gradinputs_shape(filters, shape, border, step, gap))
        end
      end
    end
  end)

  it("may be symbols or unknown", function()
    local n = T.lscalar("n")
    local shape = conv.get_conv_output_shape({ n, 3, n * 2, false }, { 4, 3, 3, 3 }, "valid", { 2, 1 })
    assert.same({ 3, 4, 2, false }, { shape[1]:eval({ [n] = 3 }), shape[2], shape[3]:eval({ [n] = 3 }), shape[4] })
    assert.is_nil(conv.get_conv_shape_1axis(false, 3, "valid", 1))
    assert.same({ { 1, 1 }, { 2, 3 } }, conv.border_mode_to_pad({ 1, { 2, 3 } }, 2, { 3, 3 }))
    assert.same({ { 1, 1 }, { 2, 2 } }, conv.border_mode_to_pad("half", 2, { 3, 5 }))
    raises("ValueError", "list", function() conv.border_mode_to_pad({ 1 }, 2, { 3, 3 }) end)
    raises("ValueError", "border", function() conv.border_mode_to_pad("same", 2, { 3, 3 }) end)
    raises("ValueError", ">= 0", function() conv.get_conv_shape_1axis(5, 3, -1, 1) end)
    raises("ValueError", "dim[2]: 0 <= 0", function() conv.assert_conv_shape({ 2, 0, 0, 4 }) end)
    local checked = conv.assert_conv_shape({ 2, 3, n, 4 })[3]
    assert.equal(5, checked:eval({ [n] = 5 }))
    raises("AssertionError", "dim[2]", function() checked:eval({ [n] = 0 }) end)
    local x = T.dmatrix("x")
    local g = compile({ x }, conv.assert_shape(x, { 2, false }, "two rows"))
    raises("AssertionError", "two rows", function() g(nd.ones({ 3, 2 })) end)
    g(nd.ones({ 2, 5 }))
  end)
end)
