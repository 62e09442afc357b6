--- Operations written in Lua: theano.Op, as_op, kernel texts, OpFromGraph.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")
local T = require("theano.tensor")
local compile, G = theano.compile, theano.gradient

local MODES = {
  interpreter = compile.Mode({ linker = "interpreter" }), c = compile.Mode({ linker = "c" }),
  plain = compile.Mode({ linker = "interpreter", optimizer = "None" }),
}
local function same_type(self, x) return theano.Apply(self, { x }, { x.type() }) end
local function first_shape(_, _, shapes) return { shapes[1] } end

local function double(fields)
  local t = {
    name = "Double", make_node = same_type, perform = function(_, _, inputs, outputs) outputs[1] = inputs[1] * 2 end,
    grad = function(_, _, gz) return { gz[1] * 2 } end,
  }
  for k, v in pairs(fields or {}) do t[k] = v end
  return theano.Op(t)
end

describe("theano.Op", function()
  local x = T.dmatrix("x")

  it("runs in every mode, with and without infer_shape, and has its gradient", function()
    for _, fields in ipairs({ {}, { infer_shape = first_shape } }) do
      local op = double(fields)
      local y = op(x)
      assert.equal("Double.0", tostring(y))
      assert.equal("Double(x)", theano.pp(y))
      for name, mode in pairs(MODES) do
        local f = compile({ inputs = { x }, outputs = { y + 1, T.grad(T.sqr(y):sum(), x), y.shape }, mode = mode })
        for rows = 1, 2 do
          local value = nd.ones({ rows, 3 }) * rows
          local a, g, s = f(value)
          assert.same((value * 2 + 1):tolist(), a:tolist(), name)
          assert.same((value * 8):tolist(), g:tolist(), name)
          assert.same({ rows, 3 }, s:tolist(), name)
        end
      end
    end
  end)

  it("results may be returned, be numbers, and depend on values in length", function()
    local positive = theano.Op({
      name = "Positive", itypes = { T.dvector().type }, otypes = { T.dvector().type, T.lscalar().type },
      perform = function(_, node, inputs)
        assert.equal("int64", node.outputs[2].dtype)
        local out = {}
        for i = 0, inputs[1].shape[1] - 1 do
          if inputs[1][i] > 0 then out[#out + 1] = inputs[1][i] end
        end
        return nd.array(out, "float64"), #out
      end,
    })
    local v = T.dvector("v")
    local some, count = positive(v)
    local f = compile({ inputs = { v }, outputs = { some * 10, count } })
    local a, n = f({ 1.0, -2.0, 3.0 })
    assert.same({ 10.0, 30.0 }, a:tolist())
    assert.equal(2, n)
    assert.equal(0, select(2, f({ -1.0 })))
  end)

  it("merges equal operations: one table, or equal __props__", function()
    local calls = 0
    local Scale = theano.Op({
      name = "Scale", __props__ = { "by" }, by = 1, make_node = same_type, infer_shape = first_shape,
      perform = function(self, _, inputs)
        calls = calls + 1
        return inputs[1] * self.by
      end,
    })
    local a, b, c = Scale:new({ by = 2 }), Scale:new({ by = 2 }), Scale:new({ by = 3 })
    assert.equal("Scale{by=2}.0", tostring(a(x)))
    local f = compile({ inputs = { x }, outputs = { a(x) + b(x), c(x) } })
    local sum, three = f({ { 1.0 } })
    assert.same({ { 4.0 } }, sum:tolist())
    assert.same({ { 3.0 } }, three:tolist())
    assert.equal(2, calls)
  end)

  it("perform runs once for an application and a call, and results are not mixed up, whatever else asks for lengths",
    function()
      local calls, u, v = 0, T.dvector("u"), T.dvector("v")
      local type = T.dvector().type
      local op = theano.as_op({ itypes = { type }, otypes = { type }, fn = function(a)
        calls = calls + 1
        return a * 1.0
      end })
      local two = theano.Op({
        name = "Two", itypes = { type }, otypes = { type, type },
        perform = function(_, _, inputs)
          calls = calls + 1
          return inputs[1] * 2, nd.concatenate({ inputs[1], inputs[1] })
        end,
      })
      for name, mode in pairs(MODES) do
        local a = op(v)
        local b = op(u * a.shape[0])
        local f = compile({ inputs = { u, v }, outputs = b + T.sort(b.shape[0] * a), mode = mode })
        calls = 0
        assert.same({ 33.0, 66.0, 99.0 }, f({ 1.0, 2.0, 3.0 }, { 10.0, 20.0, 30.0 }):tolist(), name)
        assert.equal(2, calls, name)

        local all, want = {}, 0
        for i = 1, 6 do
          local p, q = two(v + i)
          all[i] = op(p["1:"] * q.shape[0]):sum() + q.shape[0] + p.shape[0]
          want = want + (i + 20) * 2 * 4 + 6
        end
        local g = compile({ inputs = { v }, outputs = { all[1] + all[2] + all[3] + all[4] + all[5] + all[6], all[3] },
          mode = mode })
        for _ = 1, 2 do
          calls = 0
          assert.equal(want, (g({ 10.0, 20.0 })), name)
          assert.equal(12, calls, name)
        end

        calls = 0
        local h = compile({ inputs = {}, outputs = { op(T.constant({ 1.0, 2.0 })), op(T.constant({ 3.0, 4.0 })).shape },
          mode = mode })
        for i = 1, 2 do
          assert.same({ 1.0, 2.0 }, h():tolist(), name)
          assert.equal(2 * i, calls, name)
        end

        calls = 0
        assert.equal(2, compile({ inputs = { v }, outputs = op(v).shape[0], mode = mode })({ 1.0, 2.0 }))
        assert.equal(1, calls, name)
      end
    end)

  it("two functions and a copy share an operation, which calls one of them", function()
    local v, type = T.dvector("v"), T.dvector().type
    local f, depth = nil, 0
    local op = theano.as_op({ itypes = { type }, otypes = { type }, fn = function(a)
      depth = depth + 1
      local r = depth < 3 and f(nd.concatenate({ a, a })) or a
      depth = depth - 1
      return r + 1
    end })
    for _, mode in pairs(MODES) do
      f = compile({ inputs = { v }, outputs = op(v) * op(v + 100).shape[0], mode = mode })
      local g = compile({ inputs = { v }, outputs = { op(v).shape, op(op(v)).shape }, mode = mode })
      local whole, again = f({ 1.0 }):tolist(), f:copy()({ 1.0 }):tolist()
      assert.same(whole, again)
      assert.equal(4, #whole)
      local s, t = g({ 1.0 })
      assert.same({ { 4 }, { 16 } }, { s:tolist(), t:tolist() })
    end
  end)

  it("a grad with too few or too many results, or with none for a place, is an error", function()
    local function of(gives, what)
      return theano.Op({
        name = "G", make_node = function(self, p, q) return theano.Apply(self, { p, q }, { p.type() }) end,
        perform = function(_, _, inputs) return inputs[1] end, [what or "grad"] = gives,
      })
    end
    local p, q = T.dvectors("p", "q")
    for _, what in ipairs({ "grad", "L_op" }) do
      local gz_at = what == "grad" and 2 or 3
      local function gz(...) return (select(gz_at + 1, ...))[1] end
      for n, list in pairs({ [1] = 1, [3] = 3, [0] = 0 }) do
        local op = of(function(...)
          local out = {}
          for i = 1, list do out[i] = gz(...) end
          return out
        end, what)
        raises("ValueError", { what, "2 results", "returned " .. n }, function() T.grad(op(p, q):sum(), p) end)
      end
      local op = of(function(...) return { gz(...), nil } end, what)
      raises("ValueError", "false stands for", function() T.grad(op(p, q):sum(), p) end)
      local last = of(function(...) return { nil, gz(...) } end, what)
      assert.is_false((pcall(T.grad, last(p, q):sum(), q)))
    end
    local rop = of(function() return {} end, "R_op")
    raises("ValueError", { "R_op", "1 results" }, function() G.Rop(rop(p, q), p, p) end)
  end)

  it("connection_pattern counts for as_op, as a list or as a function of the node", function()
    local p, q = T.dvectors("p", "q")
    local pattern = { { true }, { false } }
    for _, given in ipairs({ pattern, function(node) return #node.inputs == 2 and pattern end }) do
      local op = theano.as_op({
        itypes = { p.type, q.type }, otypes = { p.type }, fn = function(a, b) return a * b end,
        infer_shape = function(_, shapes) return { shapes[1] } end, connection_pattern = given,
        grad = function(inputs, gz) return { gz[1] * inputs[2], false } end,
      })
      raises("DisconnectedInputError", "q", function() T.grad(op(p, q):sum(), q) end)
      assert.equal("[4. 5.]", tostring(T.grad(op(p, q):sum(), p):eval({ [q] = { 4.0, 5.0 }, [p] = { 1.0, 2.0 } })))
    end
    raises("TypeError", "connection_pattern", function()
      theano.as_op({ itypes = p.type, otypes = p.type, fn = print, connection_pattern = "all" })
    end)
  end)

  it("types are named by their constructors, too", function()
    local twice = theano.as_op({ itypes = { T.dvector }, otypes = { T.dvector }, fn = function(a) return a * 2 end })
    assert.equal("[2. 4.]", tostring(twice(T.constant({ 1.0, 2.0 })):eval()))
    raises("TypeError", "input 1 must be a TensorType(float64, vector), got a", function() twice(T.dmatrix()) end)
    raises("TypeError", "itypes[1] is a function that makes no variable", function()
      theano.as_op({ itypes = { tostring }, otypes = { T.dvector }, fn = print })
    end)
  end)

  it("connection_pattern says what is connected, and its grad must agree", function()
    local function op(pattern, second)
      return theano.Op({
        name = "C", connection_pattern = function(_, node)
          assert.equal(2, #node.inputs)
          assert.equal(2, #node.outputs)
          return pattern
        end,
        make_node = function(self, p, q) return theano.Apply(self, { p, q }, { p.type(), p.type() }) end,
        perform = function(_, _, inputs) return inputs[1] * 2, inputs[1] + inputs[2] end,
        grad = function(_, _, gz)
          local first = tostring(gz[1].type):find("^TensorType") and gz[1] * 2 or gz[2] * 0
          return { first, second and second(gz) or false }
        end,
      })
    end
    local p, q = T.dvectors("p", "q")
    local y, z = op({ { true, true }, { false, true } }, function(gz) return gz[2] end)(p, q)
    raises("DisconnectedInputError", "q", function() T.grad(y:sum(), q) end)
    assert.same({ 1.0 }, compile({ inputs = { p, q }, outputs = T.grad(z:sum(), q), on_unused_input = "ignore" })(
      { 1.0 }, { 1.0 }):tolist())
    local cut = op({ { true, true }, { false, false } }, function(gz) return gz[2] end)
    raises("TypeError", "says is disconnected", function() T.grad((select(2, cut(p, q))):sum(), p) end)
    local promised = op({ { true, true }, { true, true } })
    raises("TypeError", "says is connected", function() T.grad((select(2, promised(p, q))):sum(), p) end)
    for _, pattern in ipairs({ { { true, true } }, { { true }, { true } }, { { true, 1 }, { true, true } }, 5 }) do
      assert.is_false((pcall(op(pattern), p, q)))
    end
    raises("ValueError", "connection_pattern must be a list of 2", function() op({ { true, true } })(p, q) end)
    raises("TypeError", "connection_pattern[1][2] must be a boolean", function()
      op({ { true, 1 }, { true, true } })(p, q)
    end)
  end)

  it("forward mode by R_op, or by grad", function()
    local u = T.dmatrix("u")
    for _, fields in ipairs({ {}, { R_op = function(_, _, points) return { points[1] * 2 } end } }) do
      local r = G.Rop(double(fields)(x) * 3, x, u)
      assert.same({ { 6.0 } }, r:eval({ [u] = { { 1.0 } } }):tolist())
    end
  end)

  it("L_op sees outputs; disconnected and undefined gradients are told apart", function()
    local v, w = T.dvector("v"), T.dvector("w")
    local function make(self, a, b) return theano.Apply(self, { a, b }, { a.type() }) end
    local function exp(_, _, inputs) return nd.exp(inputs[1]) end
    local op = theano.Op({
      name = "E", make_node = make, perform = exp,
      L_op = function(_, _, outputs, gz) return { gz[1] * outputs[1], G.DisconnectedType()() } end,
    })
    assert.same({ 1.0 }, T.grad(op(v, w):sum(), v):eval({ [v] = { 0.0 }, [w] = { 0.0 } }):tolist())
    raises("DisconnectedInputError", "w", function() T.grad(op(v, w):sum(), w) end)
    local never = theano.Op({
      name = "N", make_node = make, perform = exp,
      grad = function(self, inputs, gz) return { gz[1], G.grad_undefined(self, 2, inputs[2], "no slope") } end,
    })
    raises("NullTypeGradError", "no slope", function() T.grad(never(v, w):sum(), w) end)
    local none = theano.Op({ name = "None", make_node = make, perform = exp })
    raises("NullTypeGradError", "has no grad", function() T.grad(none(v, w):sum(), v) end)
  end)

  it("a destroyed input is a private copy, others keep their values", function()
    local op = double({
      destroy_map = { { 1 } }, infer_shape = first_shape,
      perform = function(_, _, inputs)
        inputs[1]["..."] = 5.0
        return inputs[1]
      end,
    })
    local f = compile({ inputs = { x }, outputs = { op(x), x + 0 } })
    local value = nd.array({ { 1.0, 2.0 } })
    local a, b = f(value)
    assert.same({ { 5.0, 5.0 } }, a:tolist())
    assert.same({ { 1.0, 2.0 } }, b:tolist())
    assert.same({ { 1.0, 2.0 } }, value:tolist())
  end)

  it("arrays kept from perform are dead afterwards", function()
    local kept
    local op = double({ perform = function(_, _, inputs)
      kept = inputs[1]
      return inputs[1]
    end })
    assert.same({ { 1.0 } }, op(x):eval({ [x] = { { 1.0 } } }):tolist())
    assert.is_false(pcall(function() return kept + 1 end))
  end)

  it("a perform that fails changes no state, in any mode", function()
    local w, v = theano.shared(nd.ones({ 2 }), "w"), T.dvector("v")
    local picky = theano.Op({
      name = "Picky", itypes = { v.type }, otypes = { v.type }, infer_shape = first_shape,
      perform = function(_, _, inputs)
        if inputs[1][0] < 0 then error("too small") end
        return inputs[1]
      end,
    })
    for _, mode in pairs(MODES) do
      local f = compile({ inputs = { v }, outputs = picky(v), updates = { { w, w * 2 + picky(v) } }, mode = mode })
      raises("RuntimeError", { "too small", "op_spec.lua", "Picky(v" }, function() f({ -1.0, 1.0 }) end)
      assert.same({ 1.0, 1.0 }, w:get_value():tolist())
      f({ 3.0, 4.0 })
      assert.same({ 5.0, 6.0 }, w:get_value():tolist())
      w:set_value(nd.ones({ 2 }))
    end
  end)

  it("errors while building name the operation, the function and the line", function()
    local function oops() error("oops") end
    raises("RuntimeError", { "Double.grad", "op_spec.lua", "oops" }, function()
      T.grad(double({ grad = oops })(x):sum(), x)
    end)
    raises("RuntimeError", { "Double.L_op", "oops" }, function() T.grad(double({ L_op = oops })(x):sum(), x) end)
    raises("RuntimeError", { "Double.R_op", "oops" }, function() G.Rop(double({ R_op = oops })(x), x, x) end)
    raises("RuntimeError", { "Double.infer_shape", "oops" }, function()
      compile({ inputs = { x }, outputs = double({ infer_shape = oops })(x) })
    end)
    raises("TypeError", { "Double.infer_shape", "list of shapes" }, function()
      compile({ inputs = { x }, outputs = double({ infer_shape = function() return 3 end })(x) })
    end)
    raises("ValueError", "its gradient for input 0 has 1 dimensions, the input has 2", function()
      T.grad(double({ grad = function() return { T.dvector() } end })(x):sum(), x)
    end)
    local v = T.dvector("v")
    local of = theano.OpFromGraph({ v }, { v * 2 }, { grad_overrides = oops, name = "Twice" })
    raises("RuntimeError", { "Twice", "oops" }, function() T.grad(of(v):sum(), v) end)
  end)

  it("errors name the operation and the user's lines", function()
    local function run(op) return op(x):eval({ [x] = { { 1.0, 2.0 } } }) end
    local oops = double({ perform = function() error("oops") end })
    raises("RuntimeError", { "oops", "op_spec.lua", "Apply node" }, function() local _ = run(oops) end)
    local kind = double({ perform = function() T.dot(T.dscalar(), "a") end })
    raises("TypeError", "Apply node", function() local _ = run(kind) end)
    local rank = double({ perform = function(_, _, inputs) return inputs[1][0] end, infer_shape = first_shape })
    raises("TypeError", "1 dimensions, declared are 2", function() local _ = run(rank) end)
    local nothing = double({ perform = function() end })
    raises("ValueError", "no value for an output", function() local _ = run(nothing) end)
    local long = double({ infer_shape = function(_, _, s) return { { s[1][1], s[1][2] + 1 } } end })
    raises("ShapeError", "infer_shape said 3", function() local _ = run(long) end)
    raises("TypeError", "float32", function()
      local _ = run(double({ perform = function(_, _, inputs) return inputs[1]:astype("float32") end }))
    end)
    raises("TypeError", "must return theano.Apply", function() double({ make_node = function() return 1 end })(x) end)
    raises("TypeError", "at position 1", function()
      T.grad(double({ grad = function() return { "a" } end })(x):sum(), x)
    end)
    raises("TypeError", "needs perform", function() theano.Op({ name = "A" }) end)
    raises("TypeError", "did you mean 'infer_shape'", function() double({ inferShape = first_shape }) end)
    raises("NotImplementedError", "works on whole arrays", function() local _ = T.vmap(double())(T.dtensor3()) end)
  end)
end)

describe("as_op", function()
  it("makes an operation of a function of arrays", function()
    local m, v = T.dmatrix().type, T.dvector().type
    local rows = theano.as_op({ itypes = { m }, otypes = { v }, fn = function(a) return nd.sum(a, { axis = 1 }) end })
    local x = T.dmatrix("x")
    assert.same({ 3.0, 7.0 }, rows(x):eval({ [x] = { { 1.0, 2.0 }, { 3.0, 4.0 } } }):tolist())
    raises("TypeError", "input 1 must be a", function() rows(T.dvector()) end)
  end)
end)

describe("a kernel text", function()
  local op = theano.Op({ name = "Bell", kernel = "x * exp(-y^2) + 1" })
  local x, y = T.dvector("x"), T.dvector("y")

  it("is computed for each element, fused with its neighbours, and has every derivative", function()
    local z = op(x, y)
    assert.equal("Bell.0", tostring(z))
    for name, mode in pairs(MODES) do
      local a, g = compile({ inputs = { x, y }, outputs = { z * 2, T.grad(z:sum(), y) }, mode = mode })({ 2.0 },
        { 0.5 })
      assert(math.abs(a[0] - 2 * (2 * math.exp(-0.25) + 1)) < 1e-12, name)
      assert(math.abs(g[0] + 2 * math.exp(-0.25)) < 1e-12, name)
    end
    G.verify_grad(op, { nd.array({ 0.3, 0.7 }), nd.array({ 0.5, -0.2 }) })
    G.verify_grad(function(...) return T.grad(op(...):sum(), (...)) * (...) end, { nd.array({ 0.3 }),
      nd.array({ 0.5 }) })
    local m = T.dmatrix("m")
    local mapped = T.vmap(op, { 0, false })(m, y):eval({ [m] = { { 2.0 } }, [y] = { 0.0 } })
    assert.same({ { 3.0 } }, mapped:tolist())
    assert.equal(0.0, G.Rop(z, x, y):eval({ [y] = { 0.0 } })[0])
  end)

  it("works on any dtype and broadcasts", function()
    local a, b = T.fmatrix("a"), T.frow("b")
    assert.equal("float32", op(a, b).dtype)
    assert.same({ { 3.0 } }, op(a, b):eval({ [a] = { { 2.0 } }, [b] = { { 0.0 } } }):tolist())
  end)

  it("says what it does not know", function()
    raises("ValueError", "unknown name 'q'", function() theano.Op({ name = "A", kernel = "x + q" })(x) end)
    raises("ValueError", "unknown operation 'f'", function() theano.Op({ name = "A", kernel = "f(x)" })(x) end)
  end)
end)

describe("OpFromGraph", function()
  local a, b = T.dvectors("a", "b")

  it("puts a graph over other inputs, shared variables included, and nests", function()
    local w = theano.shared(nd.array({ 10.0 }), { name = "w" })
    local op = theano.OpFromGraph({ a, b }, { a * b + w, a - b })
    local twice = theano.OpFromGraph({ a }, { (op(a, a * 2)) + 1 })
    local v = T.dvector("v")
    local s, d = op(v, v + 1)
    assert.equal("OpFromGraph{inline=False}.0", tostring(s))
    for name, mode in pairs(MODES) do
      local x, y, z, g = compile({
        inputs = { v }, outputs = { s, d, twice(v), T.grad(s:sum(), v) }, mode = mode,
      })({ 3.0 })
      assert.same({ { 22.0 }, { -1.0 }, { 29.0 }, { 7.0 } }, { x:tolist(), y:tolist(), z:tolist(), g:tolist() }, name)
    end
    local square = theano.OpFromGraph({ a, b }, { a * a * b })
    G.verify_grad(function(x) return square(x, square(x, x)) end, { nd.array({ 0.4, 0.5 }) })
  end)

  it("takes overrides of its gradient and forward derivative", function()
    local op = theano.OpFromGraph({ a, b }, { a * b }, {
      grad_overrides = { function(_, gz) return gz[1] * 100 end, "default" },
      rop_overrides = function(_, points) return { points[1] * 7 } end,
    })
    local v = T.dvector("v")
    local ga, gb = table.unpack(T.grad(op(v, b):sum(), { v, b }))
    assert.same({ 100.0 }, compile({ inputs = { v, b }, outputs = ga, on_unused_input = "ignore" })({ 2.0 },
      { 3.0 }):tolist())
    assert.same({ 2.0 }, compile({ inputs = { v, b }, outputs = gb, on_unused_input = "ignore" })({ 2.0 },
      { 3.0 }):tolist())
    assert.same({ 7.0 }, G.Rop(op(v, b), v, T.ones_like(v)):eval({ [v] = { 2.0 } }):tolist())
  end)

  it("has gradients with respect to shared variables inside, also where it nests", function()
    local w, u = theano.shared(nd.array({ 3.0 }), "w"), theano.shared(nd.array({ 5.0 }), "u")
    local inner = theano.OpFromGraph({ a }, { a * w })
    local outer = theano.OpFromGraph({ a }, { inner(a) * w + u * a })
    local v = T.dvector("v")
    assert.equal(1, #inner.shared_inputs)
    for name, mode in pairs(MODES) do
      local y = outer(v)
      local f = compile({ inputs = { v }, outputs = { y, table.unpack(T.grad(y:sum(), { v, w, u })) }, mode = mode })
      local got = {}
      for i, g in ipairs({ f({ 2.0 }) }) do got[i] = g:tolist()[1] end
      assert.same({ 28.0, 14.0, 12.0, 2.0 }, got, name)
    end
    w.default_update = w + 1
    compile({ inputs = { v }, outputs = outer(v) })({ 2.0 }) -- as reached as without the operation
    assert.same({ 4.0 }, w:get_value():tolist())
    assert.same({ 5.0 }, G.Rop(inner(v), w, T.ones_like(w)):eval({ [v] = { 5.0 } }):tolist())
  end)

  local function value(expression, given)
    local f = compile({ inputs = { a, b }, outputs = expression, on_unused_input = "ignore" })
    return f(table.unpack(given)):tolist()
  end

  it("is overridden by other graphs, functions and variables", function()
    local gz, y = T.dvector("gz"), T.dvector("y")
    local by_grad = theano.OpFromGraph({ a, b, gz }, { gz * b * 10, gz * a * 100 })
    local by_lop = theano.OpFromGraph({ a, b, y, gz }, { gz * y, gz + b })
    local by_rop = theano.OpFromGraph({ a, b, y, gz }, { y * 1000 + gz })
    local one = theano.OpFromGraph({ a, b, gz }, { gz * 7 })
    local function cost(options) return theano.OpFromGraph({ a, b }, { a * b }, options)(a, b):sum() end
    local function gradients(options)
      local ga, gb = table.unpack(T.grad(cost(options), { a, b }))
      return { value(ga, { { 2.0 }, { 3.0 } })[1], value(gb, { { 2.0 }, { 3.0 } })[1] }
    end
    assert.same({ 30.0, 200.0 }, gradients({ grad_overrides = by_grad }))
    assert.same({ 6.0, 4.0 }, gradients({ lop_overrides = by_lop }))
    assert.same({ 3.0, 7.0 }, gradients({ grad_overrides = { "default", one } }))
    assert.same({ 3.0, 2.0 }, gradients({ grad_overrides = "default" }))
    assert.same({ 6.0, 2.0 }, gradients({
      lop_overrides = { function(_, outs, g) return outs[1] * g[1] end, "default" },
    }))
    local half = theano.OpFromGraph({ a, b }, { a * b }, { grad_overrides = { "default", G.DisconnectedType()() } })
    raises("DisconnectedInputError", "b", function() T.grad(half(a, b):sum(), b) end)
    local op = theano.OpFromGraph({ a, b }, { a * b }, { rop_overrides = by_rop })
    assert.same({ 1000.0 }, value(G.Rop(op(a, b), a, T.ones_like(a)), { { 2.0 }, { 3.0 } }))
    for words, given in pairs({
      ["4 inputs, 3 are needed"] = by_lop, ["gave 1 entries, 2 are needed"] = function(_, g) return { g[1] } end,
      ["only those of DisconnectedType"] = { "default", a },
    }) do
      local c = cost({ grad_overrides = given })
      raises("ValueError", words, function() T.grad(c, a) end)
    end
    for words, given in pairs({
      ["a list of 1 entries, 2 are needed"] = { "default" }, ["is a number"] = { "default", 3 },
    }) do
      local c = cost({ grad_overrides = given })
      raises("TypeError", words, function() T.grad(c, a) end)
    end
  end)

  it("has default gradients beside its overrides with shared variables and unused results", function()
    local w = theano.shared(nd.array({ 3.0 }), "w")
    local op = theano.OpFromGraph({ a, b }, { a * w, b * w }, {
      grad_overrides = { function(_, gz) return gz[1] * 50 end, "default" },
    })
    local y = op(a, b)
    local ga, gw = table.unpack(T.grad(y:sum(), { a, w }))
    assert.same({ 50.0 }, value(ga, { { 2.0 }, { 4.0 } }))
    assert.same({ 2.0 }, value(gw, { { 2.0 }, { 4.0 } }))
  end)

  it("takes a pattern of connections and a policy for unused inputs", function()
    local op = theano.OpFromGraph({ a, b }, { a * b, a + b }, {
      connection_pattern = { { true, true }, { false, true } },
    })
    local product, sum = op(a, b)
    raises("DisconnectedInputError", "b", function() T.grad(product:sum(), b) end)
    assert.same({ 1.0 }, value(T.grad(sum:sum(), b), { { 2.0 }, { 3.0 } }))
    assert.same({ 3.0 }, value(T.grad(product:sum(), a), { { 2.0 }, { 3.0 } }))
    theano.OpFromGraph({ a, b }, { a * 2 }, { on_unused_input = "ignore" })
    raises("UnusedInputError", "b", function()
      theano.OpFromGraph({ a, b }, { a * 2 }, { on_unused_input = "raise" })
    end)
    raises("ValueError", "on_unused_input", function()
      theano.OpFromGraph({ a, b }, { a * 2 }, { on_unused_input = "never" })
    end)
    raises("ValueError", "must be a list of 2", function()
      theano.OpFromGraph({ a, b }, { a }, { connection_pattern = { { true } } })
    end)
  end)

  it("says what is wrong", function()
    local c = T.dvector("c")
    raises("MissingInputError", "c", function() theano.OpFromGraph({ a }, { a + c }) end)
    raises("TypeError", "input 0 must be a", function() theano.OpFromGraph({ a }, { a })(T.dmatrix()) end)
    raises("TypeError", "takes 1 inputs", function() theano.OpFromGraph({ a }, { a })(a, b) end)
  end)
end)
