--- Compiled functions: inputs, outputs, updates, givens, shared variables, modes, positional and named calls.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")
local T = require("theano.tensor")
local compile = theano.compile

describe("outputs", function()
  local x = T.dvector("x")

  it("are one, several, none or a named table", function()
    assert.same({ 2.0, 4.0 }, compile({ inputs = { x }, outputs = x * 2 })({ 1.0, 2.0 }):tolist())
    local a, b, c = compile({ inputs = { x }, outputs = { x * 2, x:sum() } })({ 1.0, 2.0 })
    assert.same({ 2.0, 4.0 }, a:tolist())
    assert.equal(3.0, b)
    assert.is_nil(c)
    assert.equal(0, select("#", compile({ inputs = {}, outputs = {} })()))
    assert.equal(0, select("#", compile({ inputs = {} })()))
    local named = compile({ inputs = { x }, outputs = { double = x * 2, total = x:sum() } })({ 1.0, 2.0 })
    assert.same({ 2.0, 4.0 }, named.double:tolist())
    assert.equal(3.0, named.total)
    local short = compile({ x }, { double = x * 2, total = theano.Out(x:sum()) })({ 1.0, 2.0 })
    assert.same({ { 2.0, 4.0 }, 3.0 }, { short.double:tolist(), short.total })
  end)

  it("may be one variable twice, an input, or a constant", function()
    local y = x + 1
    local a, b = compile({ inputs = { x }, outputs = { y, y } })({ 1.0 })
    assert.same({ 2.0 }, a:tolist())
    assert.same({ 2.0 }, b:tolist())
    local given = nd.array({ 5.0 })
    local same = compile({ inputs = { x }, outputs = x })(given)
    assert.same({ 5.0 }, same:tolist())
    assert.is_false(nd.shares_memory(given, same))
    assert.equal(7, compile({ inputs = {}, outputs = T.constant(7) })())
    assert.equal(2.5, compile({ inputs = {}, outputs = 2.5 })())
  end)

  it("of no dimensions are Lua numbers and booleans unless Out says array", function()
    local s, i = T.dscalar("s"), T.lscalar("i")
    assert.equal("float", math.type(compile({ inputs = { s }, outputs = s + 1 })(1)))
    assert.equal("integer", math.type(compile({ inputs = { i }, outputs = i + 1 })(1)))
    assert.is_true(compile({ inputs = { s }, outputs = T.gt(s, 0) })(1.0))
    local array = compile({ inputs = { s }, outputs = theano.Out(s + 1, { array = true }) })(1.0)
    assert.equal(0, array.ndim)
    assert.equal(2.0, array:item())
    local z = T.zscalar("z")
    local product = compile({ inputs = { z }, outputs = z * z })(nd.complex(0, 1))
    assert.equal(-1.0, product.real)
  end)

  it("are new arrays at every call while the user holds the old ones", function()
    local f = compile({ inputs = { x }, outputs = x * 2 })
    local first = f({ 1.0 })
    local second = f({ 2.0 })
    assert.same({ 2.0 }, first:tolist())
    assert.same({ 4.0 }, second:tolist())
  end)
end)

describe("arguments", function()
  local x, y = T.dmatrix("x"), T.dvector("y")
  local f = compile({ inputs = { x, y }, outputs = x + y })

  it("are arrays, nested tables, numbers and booleans", function()
    assert.same({ { 2.0, 4.0 } }, f({ { 1, 2 } }, { 1, 2 }):tolist())
    assert.same({ { 2.0, 4.0 } }, f(nd.array({ { 1.0, 2.0 } }), nd.array({ 1, 2 }, "int32")):tolist())
    local s, b = T.fscalar("s"), T.scalar("b", { dtype = "bool" })
    assert.equal(1.5, compile({ inputs = { s, b }, outputs = T.switch(b, s, -s) })(1.5, true))
  end)

  it("are given by position or by name", function()
    assert.same({ { 2.0, 4.0 } }, f({ x = { { 1, 2 } }, y = { 1, 2 } }):tolist())
    assert.same({ "x", "y" }, f.input_names)
  end)

  it("take defaults from In", function()
    local n = T.dscalar("n")
    local g = compile({ inputs = { y, theano.In(n, { value = 10 }) }, outputs = y * n })
    assert.same({ 10.0, 20.0 }, g({ 1, 2 }):tolist())
    assert.same({ 3.0, 6.0 }, g({ 1, 2 }, 3):tolist())
    assert.same({ 3.0, 6.0 }, g({ y = { 1, 2 }, n = 3 }):tolist())
    local named = compile({ inputs = { theano.In(y, { name = "renamed" }) }, outputs = y })
    assert.same({ 1.0 }, named({ renamed = { 1.0 } }):tolist())
  end)

  it("may be views of any stride, which are not changed", function()
    local a = nd.arange(24.0):reshape({ 4, 6 })
    local want = (a["::2, ::-2"] + nd.array({ 1.0, 2.0, 3.0 })):tolist()
    assert.same(want, f(a["::2, ::-2"], { 1, 2, 3 }):tolist())
    assert.same(nd.arange(24.0):tolist(), a:reshape(-1):tolist())
  end)

  it("are overwritten only under In(mutable = true)", function()
    local v = T.dvector("v")
    local a = nd.array({ 1.0, 2.0 })
    compile({ inputs = { v }, outputs = T.exp(v) + 1 })(a)
    assert.same({ 1.0, 2.0 }, a:tolist())
    compile({ inputs = { theano.In(v, { borrow = true }) }, outputs = T.exp(v) + 1 })(a)
    assert.same({ 1.0, 2.0 }, a:tolist())
    raises("ValueError", "mutable", function() theano.In(v, { mutable = true, borrow = false }) end)
  end)

  it("of no elements work", function()
    assert.same({ 0, 3 }, f(nd.zeros({ 0, 3 }), { 1, 2, 3 }).shape)
    assert.equal(0.0, compile({ inputs = { y }, outputs = y:sum() })({}))
  end)

  it("may change their lengths from call to call", function()
    for _, n in ipairs({ 1, 100, 3, 1000, 0, 7 }) do
      assert.same({ 1, n }, f(nd.zeros({ 1, n }), nd.ones(n)).shape)
    end
  end)
end)

describe("updates", function()
  it("happen after the outputs are computed, all at once", function()
    local a, b = theano.shared(1.0, "a"), theano.shared(2.0, "b")
    local swap = compile({ inputs = {}, outputs = { a, b }, updates = { { a, b }, { b, a } } })
    local x, y = swap()
    assert.same({ 1.0, 2.0 }, { x, y })
    assert.same({ 2.0, 1.0 }, { a:get_value(), b:get_value() })
  end)

  it("are pairs, a map or OrderedUpdates", function()
    local s = theano.shared(0, "s")
    local u = theano.updates.OrderedUpdates()
    u:set(s, s + 100)
    for _, updates in ipairs({ { { s, s + 1 } }, { [s] = s + 10 }, u }) do
      compile({ inputs = {}, updates = updates })()
    end
    assert.equal(111, s:get_value())
    raises("TypeError", "SharedVariables", function() u:set(T.dscalar(), 1) end)
    raises("KeyError", "Collision", function() u:update({ { s, s + 1 } }) end)
  end)

  it("take numbers and may change the shape", function()
    local s = theano.shared(nd.zeros(2), "s")
    compile({ inputs = {}, updates = { { s, T.concatenate({ s, s }) } } })()
    assert.same({ 4 }, s:get_value().shape)
    local n = theano.shared(5.0, "n")
    compile({ inputs = {}, updates = { { n, 0 } } })()
    assert.equal(0.0, n:get_value())
  end)

  it("in place do not reach copies that the user holds", function()
    local w = theano.shared(nd.ones(4), "w")
    local before = w:get_value()
    local f = compile({ inputs = {}, outputs = w, updates = { { w, w * 2 } } })
    local out = f()
    f()
    assert.same({ 1.0, 1.0, 1.0, 1.0 }, before:tolist())
    assert.same({ 1.0, 1.0, 1.0, 1.0 }, out:tolist())
    assert.same({ 4.0, 4.0, 4.0, 4.0 }, w:get_value():tolist())
  end)
end)

describe("givens", function()
  it("replace variables and shareds, in pairs or a map", function()
    local x, y, w = T.dvector("x"), T.dvector("y"), theano.shared(nd.ones(2), "w")
    assert.same({ 6.0 }, compile({ inputs = { y }, outputs = x * 2, givens = { { x, y + 1 } } })({ 2.0 }):tolist())
    assert.same({ 3.0 }, compile({ inputs = { y }, outputs = w * 3, givens = { [w] = y } })({ 1.0 }):tolist())
    assert.same({ 3.0, 3.0 }, compile({ inputs = {}, outputs = x * 3, givens = { { x, w } } })():tolist())
    -- a replacement may stand on what it replaces
    assert.same({ 22.0, 22.0 }, compile({ inputs = {}, outputs = w * 2, givens = { { w, w + 10 } } })():tolist())
    local v = theano.shared(5.0, "v")
    local both = compile({ inputs = { y }, outputs = w * v + y, givens = { { w, w + 10 + y }, { v, v * 2 } } })
    assert.same({ 121.0, 121.0 }, both({ 1.0, 1.0 }):tolist())
    assert.same({ 1.0, 1.0 }, w:get_value():tolist())
  end)

  it("replace what stands inside an expression", function()
    local x = T.dvector("x")
    local middle = T.exp(x)
    local givens = { { middle, nd.array({ 10.0, 1.0 }) } }
    assert.same({ 11.0, 2.0 }, compile({ inputs = {}, outputs = middle + 1, givens = givens })():tolist())
  end)
end)

describe("shared variables", function()
  it("copy the value they are made of, and get_value copies", function()
    local a = nd.array({ 1.0, 2.0 })
    local s = theano.shared(a, "s")
    a[0] = 9
    assert.same({ 1.0, 2.0 }, s:get_value():tolist())
    local got = s:get_value()
    got[0] = 7
    assert.same({ 1.0, 2.0 }, s:get_value():tolist())
  end)

  it("share memory under borrow = true", function()
    local a = nd.array({ 1.0, 2.0 })
    local s = theano.shared(a, { name = "s", borrow = true })
    assert.is_true(nd.shares_memory(a, s:get_value({ borrow = true })))
    assert.is_false(nd.shares_memory(a, s:get_value()))
  end)

  it("take names, dtypes, broadcast patterns and all kinds of values", function()
    assert.equal("w", theano.shared(1.0, "w").name)
    assert.equal("w", theano.shared(1.0, { name = "w" }).name)
    assert.equal("float32", theano.shared({ 1, 2 }, { dtype = "float32" }).dtype)
    assert.equal("int64", theano.shared(1).dtype)
    assert.same({ false, false }, theano.shared(nd.zeros({ 1, 3 })).broadcastable)
    assert.same({ true, false }, theano.shared(nd.zeros({ 1, 3 }), { broadcastable = { true, false } }).broadcastable)
    raises("ValueError", "broadcastable has 1", function()
      theano.shared(nd.zeros({ 1, 3 }), { broadcastable = { true } })
    end)
  end)

  it("set_value changes what compiled functions see, and its shape", function()
    local s = theano.shared(nd.zeros(2), "s")
    local f = compile({ inputs = {}, outputs = s:sum() })
    assert.equal(0.0, f())
    s:set_value(nd.ones(5))
    assert.equal(5.0, f())
    s:set_value({ 1, 2 })
    assert.equal(3.0, f())
  end)

  it("are one storage for all functions that use them", function()
    local s = theano.shared(0, "s")
    local up = compile({ inputs = {}, updates = { { s, s + 1 } } })
    local down = compile({ inputs = {}, outputs = s, updates = { { s, s - 1 } } })
    up()
    up()
    assert.equal(2, down())
    assert.equal(1, s:get_value())
  end)
end)

describe("get_value of no dimensions", function()
  local of = {
    float32 = 0.1, float64 = 0.1, int8 = -128, int64 = math.mininteger, uint8 = 255, uint64 = -1, bool = true,
    complex64 = nd.complex(1.5, -2.5), complex128 = nd.complex(0.1, 0),
  }

  it("is a Lua value, as a call's result is, and set_value takes it back", function()
    assert.is_true(theano.shared(0):get_value() == 0)
    for dtype, value in pairs(of) do
      local s = theano.shared(nd.array(value, dtype))
      local got = s:get_value()
      assert.equal(compile({}, s)(), got)
      assert.equal(math.type(got), math.type(value))
      s:set_value(nd.zeros({}, dtype))
      assert.is_false(got == s:get_value())
      s:set_value(got)
      assert.equal(got, s:get_value())
      assert.equal(dtype, s:get_value({ array = true }).dtype)
    end
  end)

  it("is an array where it is borrowed or asked for", function()
    local s = theano.shared(nd.array(1, "float32"))
    for _, o in ipairs({ true, { borrow = true }, { array = true }, { return_internal_type = true } }) do
      local a = s:get_value(o)
      assert.same({ "float32", 0 }, { a.dtype, a.ndim })
    end
    s:get_value({ borrow = true }):fill(7)
    assert.equal(7.0, s:get_value())
    s:get_value({ array = true }):fill(8)
    assert.equal(7.0, s:get_value())
    assert.equal("number", type(s:get_value({ borrow = false, array = false })))
    assert.same({ 1.0 }, theano.shared(nd.array({ 1.0 })):get_value():tolist())
  end)

  it("is what a function's defaults and states are, too", function()
    local x, k = T.dscalar("x"), theano.shared(2.0)
    local f = compile({ theano.In(x, { value = k }) }, x * 2)
    assert.same({ 2.0, 2.0, 2.0 }, { f[x], f.value[x], f.container[x].value })
    local g = compile({ theano.In(x, { value = 3 }) }, x * 2)
    assert.same({ 3.0, 3.0, 3.0 }, { g[x], g.value[x], g.container[x].value })
  end)
end)

describe("eval", function()
  it("compiles and calls, with or without values", function()
    local x, y = T.dscalar("x"), T.dscalar("y")
    assert.equal(5.0, (x + y):eval({ [x] = 2, [y] = 3 }))
    assert.equal(6, (T.constant(2) * 3):eval())
    assert.equal(4.0, (theano.shared(3.0) + 1):eval())
  end)
end)

describe("modes", function()
  local x = T.dvector("x")
  local y = T.log(1 + T.exp(x)) + T.sum(x) / 2

  it("agree", function()
    local want = compile({ inputs = { x }, outputs = y })({ 0.5, -3.0, 2.0 }):tolist()
    local modes = { "FAST_RUN", "FAST_COMPILE", compile.Mode({ optimizer = "None" }), compile.Mode({ linker = "c" }),
      compile.Mode({ linker = "interpreter", optimizer = "fast_compile" }),
      compile.get_mode("FAST_RUN"):excluding("fusion"),
      compile.get_mode("FAST_RUN"):excluding("inplace", "local_log1p"), compile.Mode("vm", "fast_run"),
      compile.Mode("py", "merge") }
    for _, mode in ipairs(modes) do
      local got = compile({ inputs = { x }, outputs = y, mode = mode })({ 0.5, -3.0, 2.0 }):tolist()
      for i = 1, 3 do assert.near(want[i], got[i], 1e-12) end
    end
  end)

  it("including and excluding leave the mode they come from alone", function()
    local base = compile.get_mode("FAST_RUN")
    base:excluding("fusion")
    assert.equal(1, #compile({ inputs = { x }, outputs = T.exp(x) * 2 + x, mode = base }).maker.fgraph.toposort())
  end)

  it("optimizer None keeps the graph as written", function()
    local f = compile({ inputs = { x }, outputs = x + 0, mode = compile.Mode({ optimizer = "None" }) })
    assert.truthy(#f.maker.fgraph.toposort() >= 1)
    assert.equal("Elemwise{add,no_inplace}", f.maker.fgraph.toposort()[#f.maker.fgraph.toposort()].op.name)
  end)

  it("optdb says what runs", function()
    assert.truthy(compile.optdb:query("fast_run"):summary():find("canonicalize", 1, true))
  end)
end)

describe("a function", function()
  local x = T.dvector("x")

  it("has a name, and its attributes are known", function()
    assert.equal("f", compile({ inputs = { x }, outputs = x, name = "f" }).name)
    raises("AttributeError", "nothing", function() return compile({ inputs = { x }, outputs = x }).nothing, 0 end)
  end)

  it("takes Theano's positional arguments as well", function()
    assert.same({ 2.0 }, compile({ x }, x * 2)({ 1.0 }):tolist())
    assert.same({ 2.0 }, theano["function"]({ x }, x * 2, { name = "f" })({ 1.0 }):tolist())
  end)

  it("lives as long as it is used, with all it refers to", function()
    local f
    do
      local w = theano.shared(nd.ones(3), "w")
      f = compile({ inputs = {}, outputs = w * 2 })
    end
    collectgarbage()
    collectgarbage()
    assert.same({ 2.0, 2.0, 2.0 }, f():tolist())
  end)

  it("frees everything when it is collected", function()
    local function round()
      for _ = 1, 20 do
        local v = T.dvector("v")
        local f = compile({ inputs = { v }, outputs = T.exp(v) * 3, mode = compile.Mode({ linker = "interpreter" }) })
        f({ 1.0, 2.0 })
      end
      collectgarbage()
      collectgarbage()
      return theano.stat("live_nodes"), theano.stat("live_bytes")
    end
    round()
    local nodes, bytes = round()
    local nodes2, bytes2 = round()
    assert.equal(nodes, nodes2)
    assert.truthy(bytes2 - bytes < 4096, bytes2 - bytes)
  end)

  it("allocates nothing in its second call of the same shapes but what the user holds", function()
    local m, w = T.dmatrix("m"), theano.shared(nd.ones({ 5, 4 }), "w")
    local f = compile({ inputs = { m }, outputs = T.tanh(T.dot(m, w)):sum(), updates = { { w, w * 0.5 } } })
    local a = nd.ones({ 3, 5 })
    f(a)
    f(a)
    local before = theano.stat("allocs")
    f(a)
    assert.equal(before, theano.stat("allocs"))
  end)
end)
