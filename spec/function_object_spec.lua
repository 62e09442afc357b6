--- Compiled functions as objects: defaults and states, subsets of results, copies, bound calls, default updates,
-- clones.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")
local T = require("theano.tensor")
local compile, In = theano.compile, theano.In
local quick = compile.Mode({ linker = "interpreter" })

local function values(s) return s:get_value({ array = true }):tolist() end

describe("a default", function()
  local x, n = T.dvector("x"), T.dscalar("n")

  it("is read and set by variable, name and position", function()
    local f = compile({ inputs = { x, In(n, { value = 10 }) }, outputs = x * n, mode = quick })
    assert.equal(10.0, f[n])
    assert.equal(10.0, f.n)
    assert.equal(10.0, f.value[2])
    assert.equal(10.0, f.container[n].value)
    f[n] = 3
    assert.same({ 3.0, 6.0 }, f({ 1, 2 }):tolist())
    f.value.n = 4
    assert.same({ 4.0 }, f({ 1 }):tolist())
    f.container.n.value = 5
    assert.same({ 5.0 }, f({ 1 }):tolist())
    assert.same({ 2.0 }, f({ 1 }, 2):tolist())
    assert.same({ 5.0 }, f({ 1 }):tolist())
    assert.is_nil(f[x])
    f[n] = nil
    raises("TypeError", "Missing required input: n", function() f({ 1 }) end)
  end)

  it("is a copy both ways", function()
    local a = nd.array({ 1.0, 2.0 })
    local f = compile({ inputs = { In(x, { value = a }) }, outputs = x + 1, mode = quick })
    a[0] = 100
    assert.same({ 2.0, 3.0 }, f():tolist())
    f[x][0] = 50
    assert.same({ 2.0, 3.0 }, f():tolist())
  end)

  it("survives a call that may overwrite its argument", function()
    local f = compile({ inputs = { In(x, { value = { 1, 2 }, mutable = true }) }, outputs = T.exp(x) * 2,
      mode = quick })
    local first = f():tolist()
    assert.same(first, f():tolist())
    assert.same({ 1.0, 2.0 }, f[x]:tolist())
  end)

  it("is converted as an argument is", function()
    raises("TypeError", "cannot be held exactly", function()
      compile({ inputs = { In(T.iscalar("i"), { value = 1.5 }) }, outputs = 1, on_unused_input = "ignore" })
    end)
    local f = compile({ inputs = { In(x, { value = { 1, 2 } }) }, outputs = x, mode = quick })
    raises("TypeError", "Wrong number of dimensions", function() f[x] = 3 end)
    assert.same({ 1.0, 2.0 }, f[x]:tolist())
  end)

  it("given by name goes with positions, once", function()
    local f = compile({ inputs = { x, In(n, { value = 10 }) }, outputs = x * n, mode = quick })
    assert.same({ 7.0 }, f({ 1 }, { n = 7 }):tolist())
    assert.same({ 7.0 }, f({ x = { 1 }, n = 7 }):tolist())
    assert.same({ 10.0 }, f({ x = { 1 } }):tolist())
    raises("TypeError", "Multiple values for input: n", function() f({ 1 }, 2, { n = 3 }) end)
    raises("TypeError", "Unknown input or state: m", function() f({ 1 }, { m = 3 }) end)
  end)
end)

describe("an input with an update", function()
  local inc, state = T.dscalar("inc"), T.dscalar("state")

  it("keeps its new value", function()
    local f = compile({ inputs = { In(inc, { value = 1 }), In(state, { value = 0, update = state + inc }) },
      outputs = state, mode = quick })
    assert.same({ 0.0, 1.0 }, { f(), f() })
    assert.equal(2.0, f(5))
    assert.equal(7.0, f[state])
    f[state] = 100
    assert.equal(100.0, f())
    assert.equal(101.0, f.state)
    assert.equal(3.0, f(1, 3))
    assert.equal(4.0, f[state])
  end)

  it("has a type that the update must have", function()
    raises("TypeError", "update of another type", function()
      compile({ inputs = { In(state, { value = 0, update = T.dvector("v") }) }, outputs = state })
    end)
  end)

  it("keeps its old value when the call fails", function()
    local v, i = T.dvector("v"), T.lscalar("i")
    local f = compile({ inputs = { i, In(v, { value = { 1, 2 }, update = v * 2 }) }, outputs = v[i], mode = quick })
    assert.equal(2.0, f(1))
    raises("IndexError", "", function() f(5) end)
    assert.same({ 2.0, 4.0 }, f[v]:tolist())
  end)

  it("never changes the array that the user gave for a call", function()
    local v = T.dvector("v")
    local f = compile({ inputs = { In(v, { value = { 0 }, update = v + 1 }) }, outputs = v:sum(), mode = quick })
    local a = nd.array({ 1.0, 2.0 })
    f(a)
    f()
    assert.same({ 1.0, 2.0 }, a:tolist())
    assert.same({ 3.0, 4.0 }, f[v]:tolist())
  end)

  it("may live in a shared variable", function()
    local s = theano.shared(10.0, "s")
    local f = compile({ inputs = { inc, In(state, { value = s, update = state + inc }) }, outputs = state,
      mode = quick })
    assert.equal(10.0, f(2))
    assert.equal(12.0, s:get_value())
    assert.equal(12.0, f[state])
    f.state = 1
    assert.equal(1.0, s:get_value())
    local g = compile({ inputs = { In(state, { value = 5, shared = true, update = state * 2 }) }, outputs = state,
      mode = quick })
    assert.same({ 5.0, 10.0 }, { g(), g() })
    assert.equal(1, #g:get_shared())
  end)
end)

describe("a state that functions share", function()
  local x, s = T.dscalars("x", "s")

  it("is the container of the other function's input", function()
    local inc = compile({ inputs = { x, theano.In(s, { value = 10.0, update = s + x }) }, outputs = {}, mode = quick })
    local dec = compile({
      inputs = { x, theano.In(s, { value = inc.container[s], update = s - x, implicit = false }) }, outputs = {},
      mode = quick,
    })
    local read = compile({ inputs = { x, theano.In(s, { value = dec.container[s] }) }, outputs = s * x, mode = quick })
    assert.equal(10.0, dec[s])
    inc[s] = 2.0
    assert.same({ 2.0, 2.0 }, { dec[s], read[s] })
    dec(1)
    assert.equal(1.0, inc[s])
    inc(5)
    assert.same({ 6.0, 60.0 }, { dec[s], read(10) })
    dec(1, 0)
    assert.same({ -1.0, -1.0 }, { inc[s], dec[s] })
    raises("TypeError", "implicit", function() read(1, 2) end)
    local copy = dec:copy()
    copy(1)
    assert.same({ -2.0, -1.0 }, { copy[s], dec[s] })
    local last
    do -- the one function outlives those whose state it shares
      local state = theano.In(s, { value = 3.0, update = s + x })
      local first = compile({ inputs = { x, state }, outputs = {}, mode = quick })
      last = compile({ inputs = { theano.In(s, { value = first.container[s] }) }, outputs = s * 2, mode = quick })
    end
    collectgarbage()
    assert.equal(6.0, last())
  end)

  it("is seen by bound functions, of a shared variable too, and has the input's type", function()
    local w = theano.shared(1.0, "w")
    local f = compile({ inputs = { x, theano.In(s, { value = w, update = s + x }) }, outputs = s, mode = quick })
    local g = compile({ inputs = { theano.In(s, { value = f.container[s] }) }, outputs = s * 10, mode = quick })
    f(4)
    assert.same({ 5.0, 50.0 }, { w:get_value(), g() })
    local inc = compile({ inputs = { x, theano.In(s, { value = 0.0, update = s + x }) }, outputs = s, mode = quick })
    local read = compile({ inputs = { theano.In(s, { value = inc.container[s] }) }, outputs = s * 10, mode = quick })
    local bound, step = read:bind(), inc:bind(nd.array(2.0))
    assert.equal(0.0, (bound()))
    inc(3)
    assert.equal(30.0, (bound()))
    step()
    assert.equal(50.0, (bound()))
    raises("TypeError", "different types", function()
      compile({ inputs = { theano.In(T.dvector(), { value = inc.container[s] }) }, outputs = {}, mode = quick,
        on_unused_input = "ignore" })
    end)
    local two = T.dscalar("two")
    raises("ValueError", "cannot share one container", function()
      compile({ inputs = { theano.In(s, { value = inc.container[s] }), theano.In(two, { value = inc.container[s] }) },
        outputs = s + two, mode = quick })
    end)
  end)
end)

describe("In", function()
  local x = T.fvector("x")

  it("strict takes its own dtype only", function()
    local f = compile({ inputs = { In(x, { strict = true }) }, outputs = x, mode = quick })
    assert.same({ 1.0 }, f(nd.array({ 1 }, "float32")):tolist())
    raises("TypeError", "strict", function() f(nd.array({ 1 }, "int8")) end)
    raises("TypeError", "strict", function() f({ 1 }) end)
  end)

  it("allow_downcast says which numbers are taken", function()
    local never = compile({ inputs = { In(x, { allow_downcast = false }) }, outputs = x, mode = quick })
    local always = compile({ inputs = { In(x, { allow_downcast = true }) }, outputs = x, mode = quick })
    local third = nd.array({ 1 / 3 })
    raises("TypeError", "without risking loss of precision", function() never(third) end)
    assert.near(1 / 3, always(third)[0], 1e-7)
    raises("TypeError", "cannot be held exactly", function() never({ 1 / 3 }) end)
  end)

  it("implicit takes no value in a call", function()
    local f = compile({ inputs = { In(x, { value = { 1 }, implicit = true }) }, outputs = x, mode = quick })
    assert.same({ 1.0 }, f():tolist())
    raises("TypeError", "Tried to provide value for implicit input: x", function() f({ 2 }) end)
    raises("TypeError", "Tried to provide value for implicit input: x", function() f({ x = { 2 } }) end)
    raises("TypeError", "Tried to provide value for implicit input: x", function() f(nd.array({ 2 }, "float32")) end)
  end)

  it("names: given, automatic, none, twice", function()
    assert.same({ "renamed" }, compile({ inputs = { In(x, { name = "renamed" }) }, outputs = x }).input_names)
    assert.same({ false }, compile({ inputs = { In(x, { autoname = false }) }, outputs = x }).input_names)
    local y = T.fvector("x")
    local f = compile({ inputs = { x, y }, outputs = x + y, mode = quick })
    raises("TypeError", "Ambiguous name: x", function() f({ x = { 1 } }) end)
    raises("TypeError", "Ambiguous name: x", function() return f.x end)
    assert.is_nil(f[y])
  end)
end)

describe("output_subset", function()
  local x = T.dscalar("x")
  local s = theano.shared(0, "s")

  it("picks results by position and by name; updates run", function()
    local f = compile({ inputs = { x }, outputs = { x, x * 2, x * 3 }, updates = { { s, s + 1 } }, mode = quick })
    assert.same({ 9.0, 3.0 }, { f(3, { output_subset = { 3, 1 } }) })
    assert.same({ 6.0 }, { f({ x = 3, output_subset = { 2 } }) })
    assert.equal(0, select("#", f(3, { output_subset = {} })))
    assert.equal(3, s:get_value())
    local g = compile({ inputs = { x }, outputs = { a = x, b = x * 2 }, mode = quick })
    assert.same({ b = 8.0 }, g(4, { output_subset = { "b" } }))
  end)

  it("knows what it cannot pick, before the call", function()
    local f = compile({ inputs = { x }, outputs = { x, x * 2 }, updates = { { s, s + 1 } }, mode = quick })
    local before = s:get_value()
    raises("ValueError", "output_subset", function() f(3, { output_subset = { 3 } }) end)
    raises("ValueError", "output_subset", function() f(3, { output_subset = { "a" } }) end)
    raises("TypeError", "output_subset", function() f(3, { output_subset = 1 }) end)
    assert.equal(before, s:get_value())
  end)
end)

describe("trust_input", function()
  it("takes what fits and converts nothing", function()
    local x = T.dvector("x")
    local f = compile({ inputs = { x }, outputs = x * 2, mode = quick })
    assert.is_false(f.trust_input)
    f.trust_input = true
    assert.is_true(f.trust_input)
    assert.same({ 2.0 }, f(nd.array({ 1.0 })):tolist())
    raises("TypeError", "trust_input", function() f(nd.array({ 1 })) end)
    raises("TypeError", "trust_input", function() f(nd.array({ { 1.0 } })) end)
    raises("TypeError", "trust_input", function() f({ 1.0 }) end)
  end)
end)

describe("a copy", function()
  local x = T.dscalar("x")

  it("has defaults of its own and a name", function()
    local f = compile({ inputs = { In(x, { value = 1 }) }, outputs = x * 2, name = "double", mode = quick })
    f[x] = 4
    local g = f:copy()
    assert.equal("double copy", g.name)
    assert.equal(8.0, g())
    g[x] = 5
    assert.same({ 8.0, 10.0 }, { f(), g() })
    assert.equal("other", f:copy({ name = "other" }).name)
  end)

  it("swaps shared variables, in reads and in updates", function()
    local a, b = theano.shared({ 1.0, 2.0 }, "a"), theano.shared({ 10.0, 20.0 }, "b")
    local f = compile({ inputs = { x }, outputs = a:sum(), updates = { { a, a + x } }, mode = quick })
    local g = f:copy({ swap = { [a] = b } })
    assert.equal(30.0, g(1))
    assert.same({ 11.0, 21.0 }, values(b))
    assert.same({ 1.0, 2.0 }, values(a))
    f(1)
    assert.same({ 2.0, 3.0 }, values(a))
    assert.same({ 11.0, 21.0 }, values(b))
    assert.equal(b, g:get_shared()[1])
  end)

  it("swaps two variables of one function with each other", function()
    local a, b = theano.shared(1.0, "a"), theano.shared(2.0, "b")
    local f = compile({ inputs = {}, outputs = a - b, updates = { { a, a + 10 } }, mode = quick })
    local g = f:copy({ swap = { { a, b }, { b, a } } })
    assert.equal(1.0, g())
    assert.same({ 1.0, 12.0 }, { values(a), values(b) })
  end)

  it("may have no updates", function()
    local a = theano.shared(1.0, "a")
    local f = compile({ inputs = {}, outputs = a * 2, updates = { { a, a + 1 } }, mode = quick })
    local g = f:copy({ delete_updates = true })
    assert.same({ 2.0, 2.0 }, { g(), g() })
    assert.equal(2.0, f())
    assert.equal(4.0, g())
  end)

  it("refuses what cannot be swapped", function()
    local a, b, c = theano.shared(1.0, "a"), theano.shared({ 1.0 }, "b"), theano.shared(1.0, "c")
    local f = compile({ inputs = {}, outputs = a * 2, updates = { { c, c + 1 } }, mode = quick })
    raises("TypeError", "types differ", function() f:copy({ swap = { [a] = b } }) end)
    raises("ValueError", "no shared variable b", function() f:copy({ swap = { [b] = theano.shared({ 1.0 },
      "d") } }) end)
    raises("TypeError", "two shared variables", function() f:copy({ swap = { [x] = a } }) end)
    raises("TypeError", "unknown keyword", function() f:copy({ swop = {} }) end)
    local both = compile({ inputs = {}, updates = { { a, a + 1 }, { c, c + 1 } }, mode = quick })
    raises("ValueError", "updated twice", function() both:copy({ swap = { [a] = c } }) end)
  end)

  it("keeps named outputs and options of inputs", function()
    local f = compile({ inputs = { In(x, { name = "n" }) }, outputs = { double = x * 2 }, mode = quick }):copy()
    assert.same({ double = 6.0 }, f({ n = 3 }))
  end)
end)

describe("bind", function()
  it("runs on the same memory, follows what is written into the arguments, and takes numbers", function()
    local x, k = T.dvector("x"), T.dscalar("k")
    local f = compile({ inputs = { x, k }, outputs = { x * k, x:sum() } })
    local a = nd.array({ 1.0, 2.0 })
    local bound = f:bind(a, 3)
    local first, sum = bound()
    assert.same({ 3.0, 6.0 }, first:tolist())
    assert.equal(3.0, sum)
    a[0] = 10
    local second, sum2 = bound()
    assert.equal(first, second)
    assert.same({ 30.0, 6.0 }, first:tolist())
    assert.equal(12.0, sum2)
    assert.same({ 3.0, 6.0 }, f({ 1, 2 }, 3):tolist())
    assert.same({ 30.0, 6.0 }, first:tolist())
  end)

  it("gives its results after an ordinary call, too, where they are the arguments", function()
    local x = T.dvector("x")
    local f = compile({ inputs = { x }, outputs = { theano.Out(x, { borrow = true }) }, mode = quick })
    assert.same({ 1.0 }, f({ 1 }):tolist())
    local bound = f:bind(nd.array({ 2.0 }))
    assert.same({ 2.0 }, bound():tolist())
    assert.same({ 2.0 }, bound():tolist())
  end)

  it("takes names and defaults", function()
    local x, k = T.dvector("x"), T.dscalar("k")
    local f = compile({ inputs = { x, In(k, { value = 2 }) }, outputs = x * k, mode = quick })
    assert.same({ 2.0 }, f:bind(nd.array({ 1.0 }))():tolist())
    assert.same({ 5.0 }, f:bind({ x = nd.array({ 1.0 }), k = 5 })():tolist())
  end)

  it("sees shared variables, their updates and their new shapes", function()
    local w = theano.shared({ 1.0, 2.0 }, "w")
    local bound = compile({ inputs = {}, outputs = w * 10, updates = { { w, w + 1 } }, mode = quick }):bind()
    assert.same({ 10.0, 20.0 }, bound():tolist())
    assert.same({ 20.0, 30.0 }, bound():tolist())
    w:set_value({ 1, 2, 3 })
    assert.same({ 10.0, 20.0, 30.0 }, bound():tolist())
    local grow = compile({ inputs = {}, updates = { { w, T.concatenate({ w, w }) } }, mode = quick }):bind()
    grow()
    grow()
    assert.same({ 12 }, w:get_value().shape)
  end)

  it("keeps states", function()
    local s = T.dscalar("s")
    local f = compile({ inputs = { In(s, { value = 1, update = s * 2 }) }, outputs = s, mode = quick })
    local bound = f:bind()
    assert.same({ 1.0, 2.0, 4.0 }, { bound(), bound(), bound() })
    assert.equal(8.0, f())
    assert.equal(16.0, bound())
  end)

  it("pins its arguments until it is gone", function()
    local x = T.dvector("x")
    local a = nd.array({ 1.0 })
    local bound = compile({ inputs = { x }, outputs = x + 1, mode = quick }):bind(a)
    raises("ValueError", "", function() a:free() end)
    assert.same({ 2.0 }, bound():tolist())
    bound = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    a:free()
  end)

  it("refuses what it would have to copy, and arguments in the call", function()
    local x = T.dvector("x")
    local f = compile({ inputs = { x }, outputs = x + 1, mode = quick })
    raises("ValueError", "would be copied", function() f:bind(nd.array({ 1 })) end)
    raises("ValueError", "would be copied", function() f:bind(nd.arange(4.0)["::2"]) end)
    raises("TypeError", "Missing required input", function() f:bind() end)
    raises("TypeError", "Too many", function() f:bind({ 1 }, 2) end)
    raises("TypeError", "bound already", function() f:bind({ 1 })(2) end)
  end)

  it("leaves shareds as they were when a call fails, and goes on afterwards", function()
    local w, i = theano.shared({ 1.0, 2.0 }, "w"), T.lscalar("i")
    local at = nd.array(5)
    local bound = compile({ inputs = { i }, outputs = w[i], updates = { { w, w * 2 } }, mode = quick }):bind(at)
    raises("IndexError", "", function() bound() end)
    assert.same({ 1.0, 2.0 }, values(w))
    at:fill(1)
    assert.equal(2.0, bound())
    assert.same({ 2.0, 4.0 }, values(w))
  end)

  it("is not fooled by a shared variable that borrows its result", function()
    local w = theano.shared({ 1.0, 2.0 }, "w")
    local bound = compile({ inputs = {}, outputs = w * 2 + w["::-1"], mode = quick }):bind()
    local r = bound()
    assert.same({ 4.0, 5.0 }, r:tolist())
    w:set_value(r, { borrow = true })
    assert.same({ 13.0, 14.0 }, bound():tolist())
  end)

  it("makes no garbage and no allocation", function()
    local x, w = T.dmatrix("x"), theano.shared(nd.ones({ 5, 4 }), "w")
    local f = compile({ inputs = { x }, outputs = { T.tanh(T.dot(x, w)), w:sum() }, updates = { { w, w * 0.5 } },
      mode = quick })
    local bound = f:bind(nd.ones({ 3, 5 }))
    bound()
    bound()
    collectgarbage()
    collectgarbage("stop")
    local kb, allocs = collectgarbage("count"), theano.stat("allocs")
    for _ = 1, 100 do bound() end
    local grown = collectgarbage("count") - kb
    collectgarbage("restart")
    assert.equal(allocs, theano.stat("allocs"))
    assert.truthy(grown < 1, grown)
  end)
end)

describe("free", function()
  it("gives memory back, and the function works on", function()
    local x = T.dvector("x")
    local f = compile({ inputs = { x }, outputs = T.exp(x):sum() + T.dot(T.tanh(x), x["::-1"]), mode = quick })
    local a = nd.ones({ 100000 })
    local want = f(a)
    local before = theano.stat("live_bytes")
    f:free()
    assert.truthy(theano.stat("live_bytes") < before)
    assert.equal(want, f(a))
  end)
end)

describe("default updates", function()
  it("run in every function that reaches the variable", function()
    local s = theano.shared(0, "s")
    s.default_update = s + 1
    local f = compile({ inputs = {}, outputs = s * 10, mode = quick })
    assert.same({ 0, 10, 20 }, { f(), f(), f() })
    assert.equal("Elemwise{add,no_inplace}.0", tostring(s.default_update))
    s.default_update = nil
    assert.is_nil(s.default_update)
    assert.same({ 3, 3 }, { s:eval(), s:eval() })
  end)

  it("run only where the variable is reached, once givens and inputs have cut the graph", function()
    local s, t, x = theano.shared(0, "s"), theano.shared(0, "t"), T.lscalar("x")
    s.default_update = s + 1
    local twice = 2 * s
    local function after(spec, ...)
      s:set_value(0)
      spec.mode = quick
      compile(spec)(...)
      return s:get_value()
    end
    assert.equal(1, after({ inputs = {}, outputs = twice + 1 }))
    assert.equal(0, after({ inputs = { twice }, outputs = twice + 1 }, 3)) -- cut off by an input
    assert.equal(1, after({ inputs = { twice }, outputs = twice + s }, 3)) -- but there is another way
    assert.equal(0, after({ inputs = { x }, outputs = twice + 1, givens = { { twice, x } } }, 3))
    assert.equal(0, after({ inputs = { x }, outputs = twice + x, givens = { { s, T.cast(x, "int64") } } }, 3))
    assert.equal(1, after({ inputs = { x }, outputs = twice + x, givens = { { twice, s + x } } }, 3))
    assert.equal(0, after({ inputs = { twice }, outputs = {}, updates = { { t, t + twice } } }, 3))
    assert.equal(1, after({ inputs = { twice }, outputs = {}, updates = { { t, t + twice + s } } }, 3))
    assert.equal(1, after({ inputs = { theano.In(x, { value = 1, update = x + s }) }, outputs = x }))
    assert.equal(0, after({ inputs = { theano.In(x, { value = 1, update = x + twice }), twice }, outputs = x }, 1, 1))
    t.default_update = t + twice
    assert.equal(1, after({ inputs = {}, outputs = t * 1 })) -- through the update of another
    assert.equal(0, after({ inputs = { twice }, outputs = t + twice }, 3))
  end)

  it("give way to explicit updates and to no_default_updates", function()
    local s, t = theano.shared(0, "s"), theano.shared(0, "t")
    s.default_update = s + 1
    t.default_update = t + 1
    compile({ inputs = {}, outputs = s + t, updates = { { s, s + 100 } }, mode = quick })()
    assert.same({ 100, 1 }, { values(s), values(t) })
    compile({ inputs = {}, outputs = s + t, no_default_updates = true, mode = quick })()
    assert.same({ 100, 1 }, { values(s), values(t) })
    compile({ inputs = {}, outputs = s + t, no_default_updates = { s }, mode = quick })()
    assert.same({ 100, 2 }, { values(s), values(t) })
    raises("TypeError", "no_default_updates", function() compile({ inputs = {}, outputs = s,
      no_default_updates = 1 }) end)
    raises("TypeError", "no_default_updates", function() compile({ inputs = {}, outputs = s,
      no_default_updates = { T.dscalar() } }) end)
  end)

  it("reach further shareds, and givens hold in them", function()
    local s, t, d = theano.shared(0, "s"), theano.shared(1, "t"), T.lscalar("d")
    t.default_update = t * 2
    s.default_update = s + t + d
    local f = compile({ inputs = {}, outputs = s, givens = { [d] = T.constant(10, { dtype = "int64" }) },
      mode = quick })
    f()
    f()
    assert.same({ 23, 4 }, { values(s), values(t) })
  end)

  it("do not run where a given takes the variable's place", function()
    local s = theano.shared(0, "s")
    s.default_update = s + 1
    compile({ inputs = {}, outputs = s, givens = { { s, T.constant(7, { dtype = "int64" }) } }, mode = quick })()
    assert.equal(0, values(s))
  end)

  it("must have the variable's type, and die with it", function()
    local s = theano.shared(0, "s")
    raises("TypeError", "Variable or nil", function() s.default_update = 3 end)
    s.default_update = s + 0.5
    raises("TypeError", "An update must have the same type", function() compile({ inputs = {}, outputs = s }) end)
    local function round()
      for _ = 1, 50 do
        local u = theano.shared(0.0, "u")
        u.default_update = u * 2 + 1
      end
      collectgarbage()
      collectgarbage()
      return theano.stat("live_nodes")
    end
    round()
    assert.equal(round(), round())
  end)
end)

describe("replacements that promise more lengths of 1", function()
  local m, r = T.dmatrix("m"), T.drow("r")

  it("are taken by givens and clone, as Theano's types convert them, not the other way round", function()
    local f = compile({ inputs = { r }, outputs = { m * 2, m:sum({ axis = 0 }), m }, givens = { { m, r } },
      mode = quick })
    local double, sum, same = f({ { 1.0, 2.0 } })
    assert.same({ { { 2.0, 4.0 } }, { 1.0, 2.0 }, { { 1.0, 2.0 } } }, { double:tolist(), sum:tolist(), same:tolist() })
    local w = theano.shared(nd.ones({ 1, 2 }))
    local step = compile({ inputs = { r }, outputs = {}, updates = { { w, w * m } }, givens = { { m, r } },
      mode = quick })
    step({ { 3.0, 4.0 } })
    assert.same({ { 3.0, 4.0 } }, w:get_value():tolist())
    assert.is_true(theano.clone(m * 2, { replace = { { m, r } } }).type == m.type)
    raises("TypeError", "types differ", function()
      compile({ inputs = { m }, outputs = r * 2, givens = { { r, m } }, mode = quick })
    end)
    raises("TypeError", "types differ", function() theano.clone(r * 2, { replace = { { r, m } } }) end)
    raises("TypeError", "types differ", function()
      compile({ inputs = { T.frow("s") }, outputs = m * 2, givens = { { m, T.frow("s") } }, mode = quick })
    end)
  end)

  it("are taken by OpFromGraph, which makes values constants of its types", function()
    local op = theano.OpFromGraph({ m }, { m * 2 })
    assert.is_true(op(r).type == m.type)
    assert.same({ { 2.0, 4.0 } }, op(r):eval({ [r] = { { 1.0, 2.0 } } }):tolist())
    assert.same({ { 6.0 } }, op({ { 3 } }):eval():tolist())
    raises("TypeError", "must be a TensorType", function() op(T.fmatrix()) end)
    raises("TypeError", "dimensions", function() op(3) end)
    raises("TypeError", "input 1 of", function() op(nil) end)
  end)
end)

describe("rebuild_strict = false", function()
  it("takes givens of another rank", function()
    local v, m = T.dvector("v"), T.dmatrix("m")
    local data = { { 1.0, 2.0 }, { 3.0, 4.0 } }
    local function put(expression)
      return compile({ inputs = { m }, outputs = expression, givens = { { v, m } }, rebuild_strict = false,
        mode = quick })(data)
    end
    assert.same({ { 2.0, 4.0 }, { 6.0, 8.0 } }, put(v * 2):tolist())
    assert.same({ { 2.0, 4.0 }, { 4.0, 6.0 } }, put(T.constant(nd.array({ 1.0, 2.0 })) + v):tolist())
    assert.equal(10.0, put((v + 1):sum() - 4))
    assert.same({ { 4.0, 4.0 } }, put(T.sqr(v)["1:"] * 0 + 4):tolist())
    local s = T.dscalar("s")
    local low = compile({ inputs = { s }, outputs = v + v, givens = { { v, s } }, rebuild_strict = false,
      mode = quick })
    assert.equal(6.0, low(3.0))
    raises("TypeError", "types differ", function()
      compile({ inputs = { m }, outputs = v * 2, givens = { { v, m } }, mode = quick })
    end)
    local copy = theano.clone(v * 2 + 1, { replace = { { v, m } }, strict = false })
    assert.equal(2, copy.ndim)
  end)
end)

describe("givens", function()
  it("may be numbers, tables and arrays, of any pattern", function()
    local v, r, k = T.dvector("v"), T.drow("r"), T.dscalar("k")
    local f = compile({ inputs = {}, outputs = v * k + r, givens = { { v, nd.array({ 2.0 }) }, { k, 3 }, { r,
      { { 1 } } } }, mode = quick })
    assert.same({ { 7.0 } }, f():tolist())
    raises("TypeError", "Wrong number of dimensions", function() compile({ inputs = {}, outputs = v, givens = { { v,
      1 } } }) end)
    raises("TypeError", "cannot be held exactly", function() compile({ inputs = {}, outputs = T.lscalar("l"),
      updates = { { theano.shared(1), 1.5 } } }) end)
  end)

  it("need equal types unless rebuild_strict is false", function()
    local x, y = T.dvector("x"), T.fvector("y")
    raises("TypeError", "types differ", function() compile({ inputs = { y }, outputs = x * 2, givens = { { x,
      y } } }) end)
    local f = compile({ inputs = { y }, outputs = x * 2, givens = { { x, y } }, rebuild_strict = false, mode = quick })
    assert.equal("float32", f(nd.array({ 1 }, "float32")).dtype)
  end)

  it("replace the target's reads, not the target of an update", function()
    local w, x = theano.shared(1.0, "w"), T.dscalar("x")
    compile({ inputs = { x }, updates = { { w, w * 2 } }, givens = { { w, x } }, mode = quick })(21)
    assert.equal(42.0, values(w))
  end)
end)

describe("updates", function()
  it("OrderedUpdates are read and written like a table, in order", function()
    local a, b = theano.shared(1.0, "a"), theano.shared(1.0, "b")
    local u = theano.OrderedUpdates()
    u[b] = b + 1
    u[a] = a + 1
    local seen = {}
    for k in pairs(u) do seen[#seen + 1] = k.name end
    assert.same({ "b", "a" }, seen)
    assert.equal(2, #u)
    assert.equal("Elemwise{add,no_inplace}.0", tostring(u[a]))
    assert.is_nil(u[theano.shared(1.0)])
    raises("TypeError", "SharedVariables", function() u[T.dscalar()] = a end)
    local more = u + { { theano.shared(2.0, "c"), a * 2 } }
    assert.equal(3, #more)
    assert.equal(2, #u)
    raises("KeyError", "Collision", function() return u + { { a, a + 1 } } end)
  end)

  it("of one storage through two variables are refused", function()
    local s = theano.shared(1.0, "s")
    raises("ValueError", "already has an update", function() compile({ inputs = {}, updates = { { s, s + 1 },
      { s:clone(), s + 2 } } }) end)
    local t = s:clone()
    compile({ inputs = {}, outputs = t, updates = { { s, s + t } }, mode = quick })()
    assert.equal(2.0, values(t))
  end)
end)

describe("clone", function()
  local x, y = T.dvector("x"), T.dvector("y")

  it("copies one expression or several, with replacements", function()
    local e = T.exp(x) + x
    local c = theano.clone(e, { replace = { [x] = y * 2 } })
    assert.same({ math.exp(2.0) + 2.0 }, c:eval({ [y] = { 1 } }):tolist())
    local list = theano.clone({ e, x }, { replace = { { x, y } } })
    assert.equal(y, list[2])
    assert.not_equal(e, theano.clone(e))
    assert.equal(e.owner.inputs[2], theano.clone(e).owner.inputs[2])
  end)

  it("clone with new inputs has new shared variables on the storage of the old ones", function()
    local w, a = theano.shared(0.25, { name = "w" }), T.dscalar("a")
    local copy = theano.clone(w * a + 5, { share_inputs = false })
    local inputs = {}
    for _, v in ipairs(theano.gof.graph.inputs({ copy })) do inputs[v.name or "constant"] = v end
    assert.is_false(inputs.w == w)
    assert.is_false(inputs.a == a)
    local f = theano.compile({ inputs = { inputs.a }, outputs = copy + w, updates = { { inputs.w, inputs.w + 1 } } })
    assert.equal(0.25 * 2 + 5 + 0.25, f(2))
    assert.equal(1.25, w:get_value())
    assert.equal(1.25, inputs.w:get_value())
  end)

  it("strict needs equal types, share_inputs = false makes new inputs", function()
    local f = T.fvector("f")
    raises("TypeError", "types differ", function() theano.clone(x * 2, { replace = { [x] = f } }) end)
    assert.equal("float32", theano.clone(x * 2, { replace = { [x] = f }, strict = false }).dtype)
    local own = theano.clone(x * 2, { share_inputs = false })
    assert.not_equal(x, own.owner.inputs[1])
    assert.equal("x", own.owner.inputs[1].name)
    raises("TypeError", "Variable", function() theano.clone(3) end)
    raises("TypeError", "unknown keyword", function() theano.clone(x, { copy = true }) end)
  end)
end)

describe("the compiled graph", function()
  it("shows inputs, outputs and nodes, and outlives its function", function()
    local x, w = T.dvector("x"), theano.shared({ 1.0 }, "w")
    local g = compile({ inputs = { x }, outputs = T.exp(x) + w, updates = { { w, w * 2 } }, mode = quick }).maker.fgraph
    assert.equal("x", g.inputs[1].name)
    assert.equal("w", g.inputs[2].name)
    assert.equal(2, #g.outputs)
    local node = g.apply_nodes[1]
    g = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    for i = 1, 20 do compile({ inputs = { x }, outputs = x * i, mode = quick }) end
    assert.truthy(#tostring(node) > 0)
    assert.truthy(#node.inputs > 0)
  end)
end)

describe("eval", function()
  it("keeps its function with the variable, and lets both go", function()
    local x = T.dscalar("x")
    local y = x * 2
    y:eval({ [x] = 1 })
    local before = theano.stat("compiles") + theano.stat("cache_hits")
    assert.equal(10.0, y:eval({ [x] = 5 }))
    assert.equal(before, theano.stat("compiles") + theano.stat("cache_hits"))
    raises("TypeError", "eval: keys are Variables", function() y:eval({ x = 1 }) end)
    local function round()
      for i = 1, 20 do (theano.shared(1.0) * i + 1):eval() end
      for _ = 1, 3 do collectgarbage() end
      return theano.stat("live_nodes")
    end
    round()
    assert.equal(round(), round())
  end)
end)
