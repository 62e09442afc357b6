-- theano.ifelse: only the branch that is taken runs, in values and in gradients; T.switch runs both.
local theano = require "theano"
local T, nd = theano.tensor, theano.ndarray

local function fails(kind, words, f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok)
  assert.equal(kind, theano.error_kind(message), message)
  assert.truthy(message:find(words, 1, true), message)
  assert.truthy(message:find("ifelse_spec.lua:", 1, true), message)
  return message
end

-- An operation that doubles and counts how often it runs.
local function counter()
  local calls = { n = 0 }
  calls.op = theano.as_op({ itypes = { T.dvector().type }, otypes = { T.dvector().type },
    infer_shape = function(_, shapes) return { shapes[1] } end,
    fn = function(x)
      calls.n = calls.n + 1
      return x * 2
    end })
  return calls
end

for _, linker in ipairs({ "interpreter", "cvm" }) do
  local mode = theano.compile.Mode({ linker = linker })
  local function compile(inputs, outputs, more)
    local k = { inputs = inputs, outputs = outputs, mode = mode, on_unused_input = "ignore" }
    for key, v in pairs(more or {}) do k[key] = v end
    return theano.compile(k)
  end

  describe("theano.ifelse (" .. linker .. ")", function()
    local c, x, i = T.bscalar("c"), T.dvector("x"), T.lscalar("i")

    it("takes the first branch where the condition is nonzero", function()
      local f = compile({ c, x }, theano.ifelse(c, x + 1, x * 2, "choose"))
      assert.same({ 2, 3 }, f(1, { 1, 2 }):tolist())
      assert.same({ 2, 3 }, f(-3, { 1, 2 }):tolist())
      assert.same({ 2, 4 }, f(0, { 1, 2 }):tolist())
      local d = T.dscalar("d")
      local g = compile({ d, x }, theano.ifelse(d, x + 1, x * 2))
      assert.same({ 2 }, g(0.5, { 1 }):tolist())
      assert.same({ 2 }, g(0, { 1 }):tolist())
    end)

    it("does not compute the branch not taken", function()
      local f = compile({ c, x, i }, theano.ifelse(c, T.exp(x)[i], T.sum(x)))
      assert.equal(3, f(0, { 1, 2 }, 10))
      assert.equal(math.exp(2), f(1, { 1, 2 }, 1))
      local m = fails("IndexError", "out of bounds", f, 1, { 1, 2 }, 10)
      assert.truthy(m:find("Inside if{", 1, true), m)
    end)

    it("does not check the lengths of the branch not taken", function()
      local y = T.dvector("y")
      local f = compile({ c, x, y }, theano.ifelse(c, T.sum(x + y), T.sum(x)))
      assert.equal(6, f(0, { 1, 2, 3 }, { 1, 2 }))
      assert.equal(12, f(1, { 1, 2, 3 }, { 1, 2, 3 }))
      fails("ValueError", "", f, 1, { 1, 2, 3 }, { 1, 2 })
    end)

    it("runs the user's operations of the taken branch alone", function()
      local yes, no = counter(), counter()
      local f = compile({ c, x }, theano.ifelse(c, yes.op(x) + 1, no.op(x)))
      assert.same({ 3 }, f(1, { 1 }):tolist())
      assert.same({ 1, 0 }, { yes.n, no.n })
      assert.same({ 2 }, f(0, { 1 }):tolist())
      assert.same({ 1, 1 }, { yes.n, no.n })
      local s = compile({ c, x }, T.switch(c, yes.op(x), no.op(x)))
      s(1, { 1 })
      assert.same({ 2, 2 }, { yes.n, no.n })
    end)

    it("computes what both need, or the rest of the function, once outside", function()
      local count = counter()
      local shared = count.op(x)
      local f = compile({ c, x }, { theano.ifelse(c, shared + 1, shared * 3), shared })
      local a, b = f(1, { 1 })
      assert.same({ { 3 }, { 2 } }, { a:tolist(), b:tolist() })
      assert.equal(1, count.n)
    end)

    it("computes once what choices with one condition share, and nothing of it when it is false", function()
      local count = counter()
      local shared = count.op(x)
      local one, two = theano.ifelse(c, shared, x), theano.ifelse(c, shared * 3, x + 1)
      local f = compile({ c, x }, { one, two, one + two })
      local function numbers(...)
        local t = {}
        for k, v in ipairs({ ... }) do t[k] = v:tolist()[1] end
        return t
      end
      assert.same({ 2, 6, 8 }, numbers(f(1, { 1 })))
      assert.equal(1, count.n)
      assert.same({ 1, 2, 3 }, numbers(f(0, { 1 })))
      assert.equal(1, count.n)
      local chain = theano.ifelse(c, one * 2, two) -- needs the two: stays behind them
      assert.same({ 4 }, compile({ c, x }, chain)(1, { 1 }):tolist())
      assert.same({ 2 }, compile({ c, x }, chain)(0, { 1 }):tolist())
    end)

    it("computes nothing that choices share and none of them takes", function()
      local count, d = counter(), T.bscalar("d")
      local shared = count.op(x)
      local f = compile({ c, d, x }, theano.ifelse(c, shared, x) + theano.ifelse(d, shared * 3, x))
      assert.same({ 2 }, f(0, 0, { 1 }):tolist())
      assert.equal(0, count.n)
      assert.same({ 3 }, f(1, 0, { 1 }):tolist())
      assert.same({ 7 }, f(0, 1, { 1 }):tolist())
      assert.same({ 8 }, f(1, 1, { 1 }):tolist())
      count.n = 0
      local inner = theano.ifelse(d, x, shared * 3)
      local g = compile({ c, d, x }, theano.ifelse(c, shared, inner))
      assert.same({ 1 }, g(0, 1, { 1 }):tolist())
      assert.equal(0, count.n)
      assert.same({ 6 }, g(0, 0, { 1 }):tolist())
      assert.same({ 2 }, g(1, 0, { 1 }):tolist())
      assert.equal(2, count.n)
    end)

    it("gives whole results of choices inside choices whose lengths only running tells", function()
      local d, y = T.bscalar("d"), T.dvector("y")
      local f = compile({ c, d, x, y }, theano.ifelse(c, y, theano.ifelse(d, y, x)))
      assert.same({ 5, 6, 7 }, f(0, 1, { 1, 2, 3 }, { 5, 6, 7 }):tolist())
      assert.same({ 1, 2, 3 }, f(0, 0, { 1, 2, 3 }, { 5, 6, 7 }):tolist())
      assert.same({ 5 }, f(1, 0, { 1, 2, 3 }, { 5 }):tolist())
    end)

    it("adds the gradients of a value that a side gives twice", function()
      local a, b = table.unpack(theano.ifelse(c, { x, x }, { x * 2, x }))
      local f = compile({ c, x }, T.grad(a:sum() + (b ^ 2):sum(), x))
      assert.same({ 3, 5 }, f(1, { 1, 2 }):tolist())
      assert.same({ 4, 6 }, f(0, { 1, 2 }):tolist())
    end)

    describe("of random graphs of shared choices", function()
      local y, d = T.dvector("y"), T.bscalar("d")
      local conds = { c, d, T.gt(x:sum(), 0), T.and_(c, d) }
      local function build(choose, seed)
        local r = seed
        local function any(n)
          r = (r * 1103515245 + 12345) % 2147483648
          return (r // 65536) % n + 1
        end
        local pool = { x, y, x + y, T.tanh(x) }
        for _ = 1, 8 do
          local p, q, cond, o = pool[any(#pool)], pool[any(#pool)], conds[any(#conds)], any(6)
          if o <= 3 then
            pool[#pool + 1] = choose(cond, p, q)
          elseif o == 4 then
            pool[#pool + 1] = choose(cond, p, q) * choose(cond, q, pool[any(#pool)])
          else
            pool[#pool + 1] = o == 5 and p * q or T.tanh(p - q * 0.5)
          end
        end
        local outs = { pool[#pool], pool[#pool - 1] }
        local cost = outs[1]:sum() + (outs[2] ^ 2):sum()
        for _, v in ipairs({ x, y }) do
          outs[#outs + 1] = T.grad(cost, { v }, { disconnected_inputs = "ignore" })[1]
        end
        return outs
      end

      it("agrees with T.switch, in values and gradients", function()
        for seed = 1, linker == "cvm" and 4 or 40 do
          local lazy, eager = compile({ x, y, c, d }, build(theano.ifelse, seed * 7919)),
            compile({ x, y, c, d }, build(T.switch, seed * 7919))
          for m = 0, 3 do
            local args = { nd.array({ 0.3, -0.7 }), nd.array({ 0.5, 0.9 }), m & 1, m >> 1 }
            local got, want = table.pack(lazy(table.unpack(args))), table.pack(eager(table.unpack(args)))
            for k = 1, 4 do assert.truthy(nd.allclose(got[k], want[k], 1e-9, 1e-11), seed .. " " .. m .. " " .. k) end
          end
        end
      end)

      it("runs watched, where calls of a side have lost their work to rewriting", function()
        local watched = theano.compile.DebugMode({ stability_patience = 2, linker = linker })
        local f = compile({ x, y, c, d }, build(theano.ifelse, 28 * 7919),
          { mode = watched, on_unused_input = "ignore" })
        local g = compile({ x, y, c, d }, build(T.switch, 28 * 7919), { on_unused_input = "ignore" })
        for m = 0, 3 do
          local args = { nd.array({ 0.3, -0.7 }), nd.array({ 0.5, 0.9 }), m & 1, m >> 1 }
          local got, want = table.pack(f(table.unpack(args))), table.pack(g(table.unpack(args)))
          for k = 1, 4 do assert.truthy(nd.allclose(got[k], want[k], 1e-9, 1e-11)) end
        end
      end)
    end)

    it("grows linearly with choices on choices", function()
      local y = x
      for k = 1, 40 do y = theano.ifelse(T.gt(c, k), y + 1, x) + theano.ifelse(T.lt(c, k), y * 0.5, x) end
      local f = compile({ c, x }, y)
      assert.truthy(#f.maker.fgraph:toposort() < 400)
      local want = 1.0
      for k = 1, 40 do want = (20 > k and want + 1 or 1.0) + (20 < k and want * 0.5 or 1.0) end
      assert.truthy(math.abs(want - f(20, { 1.0 })[0]) < 1e-12)
    end)

    it("takes lists of values of different types", function()
      local f = compile({ c, x }, theano.ifelse(c, { x, T.sum(x) }, { x * 2, T.prod(x) }))
      local a, b = f(0, { 2, 3 })
      assert.same({ 4, 6 }, a:tolist())
      assert.equal(6, b)
      assert.equal("table", type(theano.ifelse(c, { x }, { x })))
    end)

    it("takes branches of different lengths, and lengths that only running tells", function()
      local y = theano.ifelse(c, x["1:"], x * 2)
      local f = compile({ c, x }, { y + 0, y.shape[0] })
      local v, n = f(1, { 1, 2, 3 })
      assert.same({ { 2, 3 }, 2 }, { v:tolist(), n })
      v, n = f(0, { 1, 2, 3 })
      assert.same({ { 2, 4, 6 }, 3 }, { v:tolist(), n })
      local g = compile({ c, x }, theano.ifelse(c, x[x:gt(1.5)], x))
      assert.same({ 2, 3 }, g(1, { 1, 2, 3 }):tolist())
      assert.same({ 1, 2, 3 }, g(0, { 1, 2, 3 }):tolist())
    end)

    it("nests", function()
      local d = T.bscalar("d")
      local f = compile({ c, d, x, i }, theano.ifelse(c, theano.ifelse(d, x[i], x[0] * 10), T.sum(x)))
      assert.equal(3, f(0, 1, { 1, 2 }, 9))
      assert.equal(10, f(1, 0, { 1, 2 }, 9))
      assert.equal(2, f(1, 1, { 1, 2 }, 1))
    end)

    it("gives lazy gradients, also second ones", function()
      local f = compile({ c, x, i }, T.grad(theano.ifelse(c, T.exp(x)[i], T.sum(x ^ 3)), x))
      assert.same({ 3, 12 }, f(0, { 1, 2 }, 10):tolist())
      assert.same({ 0, math.exp(2) }, f(1, { 1, 2 }, 1):tolist())
      local g = T.grad(theano.ifelse(c, T.exp(x)[i], T.sum(x ^ 3)), x)
      local h = compile({ c, x, i }, T.grad(T.sum(g), x))
      assert.same({ 6, 12 }, h(0, { 1, 2 }, 10):tolist())
      assert.same({ 0, math.exp(2) }, h(1, { 1, 2 }, 1):tolist())
      local z = x * 2 -- with respect to a variable inside the branch
      local k = compile({ c, x }, T.grad(theano.ifelse(c, T.sum(z ^ 2), T.sum(x)), z))
      assert.same({ 4, 8 }, k(1, { 1, 2 }):tolist())
      assert.same({ 0, 0 }, k(0, { 1, 2 }):tolist())
      theano.gradient.verify_grad(function(v) return theano.ifelse(T.sum(v):gt(0), T.sum(v ^ 2), T.sum(v)) end,
        { nd.array({ 1.0, 2.0 }) }, { mode = mode })
    end)

    it("goes forward, and over a batch", function()
      local v = T.dvector("v")
      local f = compile({ c, x, v }, theano.gradient.Rop(theano.ifelse(c, x ^ 2, x * 3), x, v))
      assert.same({ 2, 8 }, f(1, { 1, 2 }, { 1, 2 }):tolist())
      assert.same({ 3, 6 }, f(0, { 1, 2 }, { 1, 2 }):tolist())
    end)

    it("updates shared variables, and changes none when the branch raises", function()
      local w = theano.shared(nd.array({ 1.0, 2.0 }), { name = "w" })
      local f = compile({ c, i }, {}, { updates = { { w, theano.ifelse(c, w + w[i], w) } } })
      f(0, 7)
      assert.same({ 1, 2 }, w:get_value():tolist())
      f(1, 1)
      assert.same({ 3, 4 }, w:get_value():tolist())
      fails("IndexError", "out of bounds", f, 1, 7)
      assert.same({ 3, 4 }, w:get_value():tolist())
    end)

    it("works inside a loop, and holds one", function()
      local s = theano.scan({ fn = function(v, h) return theano.ifelse(v:gt(0), h + v, h * 2) end,
        sequences = x, outputs_info = T.constant(1.0, { dtype = "float64" }) })
      assert.same({ 3, 6, 7 }, compile({ x }, s)({ 2, -1, 1 }):tolist())
      local r = theano.ifelse(c, theano.scan({ fn = function(h) return h * 2 end, outputs_info = T.sum(x),
        n_steps = 3 })[-1], T.sum(x))
      local f = compile({ c, x }, r)
      assert.same({ 24, 3 }, { f(1, { 1, 2 }), f(0, { 1, 2 }) })
      local g = compile({ c, x }, T.grad(r, x))
      assert.same({ { 8, 8 }, { 1, 1 } }, { g(1, { 1, 2 }):tolist(), g(0, { 1, 2 }):tolist() })
    end)
  end)
end

describe("theano.ifelse", function()
  it("is computed at once after another one like it is gone #asan", function()
    for _ = 1, 4 do -- what is kept for nodes of this form outlives the branches of the first
      do
        local x, c = T.dvector(), T.bscalar()
        local f = theano.compile({ c, x }, theano.ifelse(c, T.exp(x) + 1, x * 2):sum(), { mode = "DebugMode" })
        assert.equal(12, f(0, { 1, 2, 3 }))
        assert.near(4 + 2 * math.exp(1), f(1, { 1, 1, 0 }), 1e-12)
      end
      collectgarbage()
    end
  end)

  local c, x = T.bscalar("c"), T.dvector("x")

  it("refuses branches that do not fit", function()
    fails("ValueError", "same number of variables", theano.ifelse, c, { x, x }, { x })
    fails("TypeError", "TensorType(float64, vector) if true, TensorType(float64, scalar) if false",
      theano.ifelse, c, x, T.sum(x))
    fails("TypeError", "must be a scalar", theano.ifelse, x, x, x)
    fails("TypeError", "two branches", theano.ifelse, c, x)
    fails("TypeError", "unknown keyword 'names'", theano.ifelse, c, x, x, { names = "a" })
  end)

  it("reports the lengths of this call inside a branch", function()
    local a = T.dmatrix("a")
    local f = theano.compile({ inputs = { c, a }, outputs = theano.ifelse(c, T.dot(a, a):sum(), T.sum(a)) })
    assert.equal(8.0, f(1, nd.ones({ 2, 2 })))
    assert.equal(6.0, f(0, nd.ones({ 2, 3 })))
    fails("ValueError", "Inputs shapes: [(2, 3), (2, 3)]\nInputs strides: [(24, 8), (24, 8)]", f, 1, nd.ones({ 2, 3 }))
  end)

  it("prints as if{name}", function()
    local text = theano.printing.debugprint(theano.ifelse(c, x, x * 2, "choose"), { file = "str" })
    assert.truthy(text:find("if{choose} [id A] ''", 1, true), text)
    text = theano.printing.debugprint(theano.ifelse(c, x, x * 2, { name = "b" }), { file = "str" })
    assert.truthy(text:find("if{b}", 1, true), text)
  end)
end)

describe("the condition of an ifelse", function()
  it("is connected, with a gradient of zero, as in Theano", function()
    local c, s = T.iscalar("c"), T.dscalar("s")
    local g = T.grad(theano.ifelse(c, s * 2, s * 3), c)
    assert.equal("float64", g.dtype)
    assert.equal(0.0, theano.compile({ inputs = { c, s }, outputs = g, on_unused_input = "ignore" })(1, 2.0))
    g = T.grad(theano.ifelse(T.gt(s, 0), s * 2, s * 3), s)
    assert.equal(2.0, theano.compile({ s }, g)(1.0))
    g = T.grad(theano.ifelse(s, T.constant(2.0), T.constant(3.0)), s)
    assert.equal(0.0, theano.compile({ s }, g)(1.0))
  end)
end)

describe("a product in a function", function()
  it("of a transposed matrix has room to pack it", function()
    local a, b = T.fmatrix("a"), T.fmatrix("b")
    local f = theano.compile({ inputs = { a, b }, outputs = T.dot(a.T, b) })
    local r = f(nd.ones({ 3000, 100 }, "float32"), nd.ones({ 3000, 100 }, "float32"))
    assert.same({ 3000, 3000 }, { r:min(), r:max() })
  end)
end)

describe("a conditional in a loop", function()
  it("asks in every turn for a condition from outside of it", function()
    local c, x = T.lscalar("c"), T.dvector("x")
    local part = (theano.map(function(a) return a * a * 0.5 end, x))["-2:"]
    local list = theano.ifelse(T.gt(c, 0), { part, part * 2 }, { T.sin(part), part })
    local states = theano.scan({ fn = function(h) return h * 0.5 + list[2] * 0.25 end, outputs_info = list[2],
      n_steps = 4 })
    for _, linker in ipairs({ "interpreter", "c" }) do
      local f = theano.compile({ inputs = { c, x }, outputs = states, mode = theano.compile.Mode({ linker = linker }) })
      assert.same({ { 1.5, 6 }, { 1.25, 5 }, { 1.125, 4.5 }, { 1.0625, 4.25 } }, f(0, { 1, 2, 4 }):tolist())
      assert.same({ { 3, 12 }, { 2.5, 10 }, { 2.25, 9 }, { 2.125, 8.5 } }, f(1, { 1, 2, 4 }):tolist())
    end
  end)
end)
