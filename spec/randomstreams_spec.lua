--- T.raw_random and T.shared_randomstreams: Theano's draws, states and seeds; sizes; sharing, freezing, loops, choices,
-- failing calls; Theano's page "Using Random Numbers".
local nd = require("theano.ndarray")
local oracle = require("spec.support.oracle")
local raises = require("spec.support.raises")
local theano = require("theano")
local T = theano.tensor

local RandomStreams = T.shared_randomstreams.RandomStreams
local raw = T.raw_random

local MODES = {
  { "generated C", { linker = "c", optimizer = "fast_run" } },
  { "interpreter", { linker = "interpreter", optimizer = "fast_run" } },
  { "as written", { linker = "interpreter", optimizer = "None" } },
}

local function compile(outputs, mode, more)
  local spec = { inputs = {}, outputs = outputs, mode = mode and theano.compile.Mode(mode) }
  for k, v in pairs(more or {}) do spec[k] = v end
  return theano.compile(spec)
end

local function same(a, b) return nd.array_equal(nd.array(a), nd.array(b)) end

-- ---- Theano's numbers ---------------------------------------------------------------------------------------------
for _, mode in ipairs(MODES) do
  describe(mode[1] .. " draws Theano's numbers:", function()
    for _, case in ipairs(oracle.cases("randomstreams")) do
      it(case.id, function()
        local make = assert(load("local T = ... return " .. case.expr))
        local f = compile(make(T), mode[2])
        for n, want in ipairs(case.calls) do
          local got = table.pack(f())
          for i, output in ipairs(want) do
            local why = oracle.differs(nd.array(got[i]), output, output.dtype == "float32" and 6e-8 or 0, 0)
            assert(not why, ("call %d: %s"):format(n, why))
          end
        end
      end)
    end
  end)
end

it("draws every distribution of nd.random through RandomFunction, in place or not", function()
  local args = {
    gamma = { 2.0, 3.0 }, beta = { 2.0, 3.0 }, exponential = { 2.0 }, geometric = { 0.3 }, laplace = { 0.0, 1.0 },
    poisson = { 4.0 }, triangular = { 0.0, 1.0, 3.0 }, standard_normal = {}, hypergeometric = { 10, 5, 4 },
    standard_cauchy = {}, zipf = { 2.0 },
  }
  for fn, list in pairs(args) do
    local first = nd.random.RandomState(5)
    local kind = nd.array((first[fn](first, table.unpack(list)))).dtype
    local rf = raw.RandomFunction(fn, T.TensorType(kind, { false }))
    local s = theano.shared(nd.random.RandomState(5))
    local new, out = rf(s, { 3 }, table.unpack(list))
    local f = theano.compile { inputs = {}, outputs = out, updates = { { s, new } } }
    local r = nd.random.RandomState(5)
    table.insert(list, { 3 })
    for _ = 1, 3 do assert.is_true(same(r[fn](r, table.unpack(list)), f()), fn) end
    assert.is_true(raw.random_state_type:values_eq(r, s:get_value()), fn)
  end
end)

-- ---- the page "Using Random Numbers" ------------------------------------------------------------------------------
describe("Using Random Numbers, line by line:", function()
  it("brief example, seeding, sharing streams between functions", function()
    local srng = RandomStreams { seed = 234 }
    local rv_u = srng:uniform({ 2, 2 })
    local rv_n = srng:normal({ 2, 2 })
    local f = theano.compile { inputs = {}, outputs = rv_u }
    local g = theano.compile { inputs = {}, outputs = rv_n, no_default_updates = true } -- not updating rv_n.rng
    local nearly_zeros = theano.compile { inputs = {}, outputs = rv_u + rv_u - 2 * rv_u }

    local f_val0, f_val1 = f(), f()
    assert.is_false(same(f_val0, f_val1)) -- different numbers
    local g_val0, g_val1 = g(), g()
    assert.is_true(same(g_val0, g_val1)) -- the same numbers
    assert.is_true(nd.allclose(nearly_zeros(), nd.zeros({ 2, 2 })))

    local rng_val = rv_u.rng:get_value { borrow = true } -- get the rng for rv_u
    rng_val:seed(89234) -- seeds the generator
    rv_u.rng:set_value(rng_val, { borrow = true }) -- assign back seeded rng
    assert.is_true(same(f(), nd.random.RandomState(89234):uniform(0, 1, { 2, 2 })))

    srng:seed(902340) -- seeds rv_u and rv_n with different seeds each
    local seeds = nd.random.RandomState(902340)
    assert.is_true(same(f(), nd.random.RandomState(seeds:randint(2 ^ 30 // 1 | 0)):uniform(0, 1, { 2, 2 })))
    assert.is_true(same(g(), nd.random.RandomState(seeds:randint(1 << 30)):normal(0, 1, { 2, 2 })))

    local state_after_v0 = rv_u.rng:get_value():get_state()
    assert.is_true(nd.allclose(nearly_zeros(), nd.zeros({ 2, 2 }))) -- this affects rv_u's generator
    local v1 = f()
    local rng = rv_u.rng:get_value { borrow = true }
    rng:set_state(state_after_v0)
    rv_u.rng:set_value(rng, { borrow = true })
    local v2 = f() -- v2 != v1
    local v3 = f() -- v3 == v1
    assert.is_false(same(v2, v1))
    assert.is_true(same(v3, v1))
  end)

  it("copying random state between Theano graphs, with the numbers it prints", function()
    local function graph(seed)
      local rng = RandomStreams(seed)
      return { rng = rng, y = rng:uniform { size = { 1 } } }
    end
    local g1, g2 = graph(123), graph(987)
    local f1, f2 = compile(g1.y), compile(g2.y)
    assert.equal("[0.72803009]", tostring(f1()))
    assert.equal("[0.55056769]", tostring(f2()))
    for i, su1 in ipairs(g1.rng.state_updates) do
      g2.rng.state_updates[i][1]:set_value(su1[1]:get_value())
    end
    assert.equal("[0.59044123]", tostring(f1()))
    assert.equal("[0.59044123]", tostring(f2()))
  end)
end)

-- ---- states -------------------------------------------------------------------------------------------------------
describe("a state", function()
  it("is a copy unless it is borrowed, and then the variable's own", function()
    local u = RandomStreams(1):uniform({ 3 })
    local f = compile(u)
    u.rng:get_value():rand(5)
    local want = f()
    assert.is_true(same(want, nd.random.RandomState(nd.random.RandomState(1):randint(1 << 30)):rand(3)))
    u.rng:get_value({ borrow = true }):seed(4)
    assert.is_true(same(f(), nd.random.RandomState(4):rand(3)))
    local mine = nd.random.RandomState(9)
    u.rng:set_value(mine)
    f()
    assert.is_true(same(mine:rand(3), nd.random.RandomState(9):rand(3))) -- set_value took a copy
  end)

  it("is of random_state_type, which is no type of tensors", function()
    local srng = RandomStreams(1)
    local u = srng:uniform({ 3 })
    assert.equal("RandomStateType", tostring(u.rng.type))
    assert.is_true(u.rng.type == raw.random_state_type)
    assert.equal("<RandomStateType>", tostring(u.rng))
    assert.equal("r", tostring(raw.random_state_type("r")))
    assert.equal(u.rng, u.update[1])
    assert.equal("RandomFunction{uniform}.0", tostring(u.update[2]))
    assert.equal("RandomFunction{uniform}.1", tostring(u))
    raises("TypeError", "tensor", function() return u.rng + 1 end)
    raises("TypeError", {}, function() return T.sum(u.rng) end)
    raises("AttributeError", "ndim", function() return u.rng.type.ndim end)
    raises("AttributeError", "dtype", function() return u.rng.dtype end)
    raises("AttributeError", "rng", function() return T.dvector("x").rng end)
    raises("TypeError", "RandomState", function() u.rng:set_value(nd.zeros(628, "uint32") + 1000) end)
    raises("TypeError", "RandomState", function() u.rng:set_value(3) end)
    local plain = theano.shared(nd.zeros(628, "uint32"))
    raises("TypeError", "no array", function() plain:set_value(nd.random.RandomState(1)) end)
    raises("TypeError", "RandomState", function()
      local r = raw.random_state_type("r")
      local _, out = raw.uniform(r, { 2 })
      theano.compile { inputs = { r }, outputs = out }(nd.zeros(628, "uint32") + 1000)
    end)
    raises("TypeError", "array", function()
      theano.compile { inputs = { T.TensorType("uint32", { false })("v") }, outputs = T.constant(1),
        on_unused_input = "ignore" }(nd.random.RandomState(1))
    end)
  end)

  it("is an argument and a result: the argument stays as it was", function()
    local r = raw.random_state_type("r")
    local post, out = raw.uniform(r, { 3 }, 0.0, 1.0)
    for _, mode in ipairs(MODES) do
      local f = theano.compile { inputs = { r }, outputs = { post, out }, mode = theano.compile.Mode(mode[2]) }
      local rng = nd.random.RandomState(7)
      local after, a = f(rng)
      local later, b = f(after)
      assert.is_true(raw.random_state_type:values_eq(rng, nd.random.RandomState(7)))
      assert.is_false(raw.random_state_type:values_eq(rng, after))
      local want = nd.random.RandomState(7)
      assert.is_true(same(a, want:rand(3)))
      assert.is_true(raw.random_state_type:values_eq(after, want))
      assert.is_true(same(b, want:rand(3)))
      assert.is_true(raw.random_state_type:values_eq(later, want))
    end
  end)

  it("of an input with an update is the function's own, f[r] gives it", function()
    local r = raw.random_state_type("r")
    local post, out = raw.normal(r, { 3 }, 4.0, 2.0)
    local f = theano.compile {
      inputs = { theano.In(r, { value = nd.random.RandomState(5), update = post, mutable = true }) }, outputs = out,
    }
    local want = nd.random.RandomState(5)
    for _ = 1, 3 do assert.is_true(same(f(), want:normal(4, 2, { 3 }))) end
    assert.is_true(raw.random_state_type:values_eq(f[r], want))
    f[r] = nd.random.RandomState(5)
    assert.is_true(same(f(), nd.random.RandomState(5):normal(4, 2, { 3 })))
  end)

  it("keeps the second half of a normal from call to call", function()
    local n = RandomStreams(3):normal({ 3 })
    local f = compile(n)
    local want = nd.random.RandomState(nd.random.RandomState(3):randint(1 << 30))
    assert.is_true(same(nd.concatenate { f(), f() }, want:randn(6)))
  end)

  it("is saved and loaded with all others and the seeds to come", function()
    local path = os.tmpname() .. ".npz"
    local function make()
      local srng = RandomStreams(8)
      local f = compile({ srng:normal({ 3 }), srng:uniform({ 2 }) })
      return srng, f
    end
    local srng, f = make()
    f()
    srng:save(path)
    local a, b = f()
    local other, g = make()
    other:load(path)
    local c, d = g()
    assert.is_true(same(a, c) and same(b, d))
    assert.is_true(same(compile(srng:uniform({ 2 }))(), compile(other:uniform({ 2 }))()))
    raises("ValueError", "number of random variables", function() RandomStreams(1):load(path) end)
    nd.save(path, { a = nd.zeros(2) })
    raises("ValueError", "no states", function() other:load(path) end)
    os.remove(path)
  end)

  it("stays as it was when a call fails, in every mode", function()
    local p = T.dscalar("p")
    for _, mode in ipairs(MODES) do
      local srng = RandomStreams(2)
      local u, b = srng:uniform({ 4 }), srng:binomial({ 4 }, 5, p)
      local f = theano.compile { inputs = { p }, outputs = { u, b }, mode = theano.compile.Mode(mode[2]) }
      f(0.5)
      local before, own = u.rng:get_value(), b.rng:get_value()
      for _, bad in ipairs({ -0.1, 1.5, 0 / 0 }) do
        raises("ValueError", { "binomial: p must be between 0 and 1", "randomstreams_spec.lua" }, function() f(bad) end)
        assert.is_true(raw.random_state_type:values_eq(before, u.rng:get_value()))
        assert.is_true(raw.random_state_type:values_eq(own, b.rng:get_value()))
      end
      f(0.25)
      assert.is_false(raw.random_state_type:values_eq(own, b.rng:get_value()))
    end
  end)
end)

-- ---- seeds --------------------------------------------------------------------------------------------------------
describe("seeds", function()
  it("are drawn one after the other, and drawn again by seed", function()
    local srng = RandomStreams(12)
    local u, v = srng:uniform({ 2 }), srng:uniform({ 2 })
    local f = compile({ u, v })
    local a, b = f()
    assert.is_false(same(a, b))
    f()
    srng:seed(12)
    local c, d = f()
    assert.is_true(same(a, c) and same(b, d))
    f()
    srng:seed() -- that of the beginning
    c, d = f()
    assert.is_true(same(a, c) and same(b, d))
    srng:seed(13)
    assert.is_false(same(a, (f())))
    assert.equal(2, #srng:updates())
    assert.equal(u.rng, srng:updates()[1][1])
  end)

  it("are checked: integers below 2^32", function()
    raises("ValueError", "2**32", function() RandomStreams(-1) end)
    raises("ValueError", "2**32", function() RandomStreams(1 << 32) end)
    raises("TypeError", {}, function() RandomStreams("seven") end)
    local srng = RandomStreams(3)
    local f = compile(srng:uniform({ 2 }))
    local state = srng.state_updates[1][1]:get_value()
    raises("ValueError", "2**32", function() srng:seed(-5) end)
    assert.is_true(raw.random_state_type:values_eq(state, srng.state_updates[1][1]:get_value()))
    assert.truthy(f())
  end)

  it("of a variable that could not be made go to the next one", function()
    local a, b = RandomStreams(77), RandomStreams(77)
    raises("ValueError", "negative", function() a:uniform({ -3 }) end)
    assert.is_true(same(compile(a:uniform({ 2 }))(), compile(b:uniform({ 2 }))()))
  end)

  it("without a number come from the system", function()
    local a, b = RandomStreams(), RandomStreams()
    assert.is_false(same(compile(a:uniform({ 4 }))(), compile(b:uniform({ 4 }))()))
  end)

  it("srng[rng] reads and sets the state of one", function()
    local srng = RandomStreams(5)
    local u = srng:uniform({ 3 })
    srng[u.rng] = nd.random.RandomState(33)
    assert.is_true(same(compile(u)(), nd.random.RandomState(33):rand(3)))
    srng[u.rng]:seed(33)
    assert.is_true(same(compile(u)(), nd.random.RandomState(33):rand(3)))
    raises("KeyError", "random variable", function() return srng[T.dscalar("x")] end)
    raises("AttributeError", "uniform", function() return srng.unifrom end)
  end)
end)

-- ---- sizes --------------------------------------------------------------------------------------------------------
describe("sizes", function()
  local r = raw.random_state_type("r")
  local function drawn(out, inputs)
    local f = theano.compile { inputs = { r, table.unpack(inputs or {}) }, outputs = out }
    return f, nd.random.RandomState(3)
  end
  local function value(out, inputs, ...)
    local f, state = drawn(out, inputs)
    return f(state, ...)
  end
  local function second(_, out) return out end

  it("follow the parameters where none is given", function()
    local low, high = T.dvector("low"), T.dcol("high")
    local out = second(raw.uniform(r, { low = low, high = high }))
    assert.same({ false, false }, { table.unpack(out.broadcastable) })
    assert.same({ 3, 4 }, value(out, { low, high }, { -5, .5, 0, 1 }, { { 1 }, { 1.1 }, { 1.5 } }).shape)
    local a = T.TensorType("float64", { false, true, true })("a")
    local b = T.TensorType("float64", { true, true, true, false })("b")
    local wide = second(raw.uniform(r, { ndim = 2, low = a, high = b }))
    assert.same({ true, false, true, false }, { table.unpack(wide.broadcastable) })
    assert.same({ 1, 3, 1, 2 }, value(wide, { a, b }, { { { 3 } }, { { 4 } }, { { -5 } } }, { { { { 5, 8 } } } }).shape)
    assert.equal("number", type(value(second(raw.uniform(r)))))
    raises("TypeError", "without a size", function() raw.poisson(r, { ndim = 2 }) end)
    raises("TypeError", "without a size", function() raw.choice(r) end)
  end)

  it("are lists of integers and scalars, or vectors", function()
    local n, v = T.lscalar("n"), T.lvector("v")
    local out = second(raw.uniform(r, { n, 1 }))
    assert.same({ false, true }, { table.unpack(out.broadcastable) })
    assert.same({ 4, 1 }, value(out, { n }, 4).shape)
    local by_vector = second(raw.uniform(r, v, { ndim = 2 }))
    assert.same({ 2, 3 }, value(by_vector, { v }, { 2, 3 }).shape)
    local f, state = drawn(by_vector, { v })
    raises("ValueError", "Shape mismatch", function() f(state, { 4 }) end)
    raises("ValueError", "Shape mismatch", function() f(state, { 4, 3, 4, 5 }) end)
    raises("ValueError", "negative", function() f(state, { 4, -2 }) end)
    local g = drawn(out, { n })
    raises("ValueError", "negative", function() g(state, -1) end)
    raises("ValueError", "length", function() raw.uniform(r, v) end)
    raises("ValueError", { "ndim", "length of size" }, function() raw.uniform(r, { 4 }, { ndim = 2 }) end)
    raises("ValueError", "at least as big", function() raw.uniform(r, { 4 }, T.dmatrix("m"), 1.0) end)
    raises("TypeError", "vector or list", function() raw.uniform(r, 4) end)
    raises("TypeError", "integer", function() raw.uniform(r, { 2.5 }) end)
    raises("TypeError", "integer", function() raw.uniform(r, T.dvector("d")) end)
    raises("TypeError", "vector or list", function() raw.uniform(r, T.lmatrix("m")) end)
    raises("ValueError", "negative", function() raw.uniform(r, { 2, -2 }) end)
    assert.same({ 0 }, value(second(raw.uniform(r, { 0 }))).shape)
    assert.same({ 2, 0 }, value(second(raw.permutation(r, { 2 }, 0))).shape)
  end)

  it("-1 borrows a parameter's length", function()
    local p = T.dtensor3("p")
    local out = second(raw.multinomial(r, { 1, -1 }, 9, p))
    assert.same({ true, false, false }, { table.unpack(out.broadcastable) })
    assert.same({ 1, 3, 2 }, value(out, { p }, { { { .1, .9 }, { .2, .8 }, { .3, .7 } } }).shape)
    local f, state = drawn(out, { p })
    raises("ValueError", "size does not fit", function()
      f(state, { { { .1, .9 }, { .2, .8 } }, { { .3, .7 }, { .3, .7 } } })
    end)
    local ten = second(raw.multinomial(r, { 10, 1, -1 }, 2, p))
    assert.same({ 10, 1, 3, 2 }, value(ten, { p }, { { { .1, .9 }, { .2, .8 }, { .3, .7 } } }).shape)
    raises("ValueError", "-1 must overlap", function() raw.uniform(r, { 3, -1, 4 }) end)
    raises("ValueError", "-1 must overlap", function() raw.poisson(r, { -1 }) end)
    local row = T.drow("row")
    local one = second(raw.uniform(r, { -1, -1 }, row, 9.0))
    assert.same({ true, false }, { table.unpack(one.broadcastable) })
    assert.same({ 1, 2 }, value(one, { row }, { { 1, 2 } }).shape)
  end)

  it("must fit the parameters", function()
    local low, high = T.dvector("low"), T.dvector("high")
    local g = theano.compile { inputs = { r, low, high }, outputs = second(raw.uniform(r, { 3 }, low, high)) }
    assert.same({ 3 }, g(nd.random.RandomState(1), { .1, .2, .3 }, { 1, 2, 3 }).shape)
    raises("ValueError", "does not fit", function() g(nd.random.RandomState(1), { .1, .2 }, { 1, 2 }) end)
    local counts = second(raw.multinomial(r, { 3 }, T.cast(low, "int64"), { .5, .5 }))
    local ints = theano.compile { inputs = { r, low }, outputs = counts }
    raises("ValueError", "does not fit", function() ints(nd.random.RandomState(1), { 1, 2 }) end)
  end)

  it("the dtype is floatX, what the parameters are where that is wider, or the one given", function()
    local f = T.fvector("f")
    assert.equal("float64", second(raw.uniform(r, { low = f })).dtype)
    local old = theano.config.floatX
    theano.config.floatX = "float32"
    local narrow, wide = second(raw.uniform(r, { low = f })), second(raw.normal(r, { avg = T.dvector("d") }))
    theano.config.floatX = old
    assert.equal("float32", narrow.dtype)
    assert.equal("float64", wide.dtype)
    assert.equal("int8", second(raw.binomial(r, { 2 }, { dtype = "int8" })).dtype)
    assert.equal("int64", second(raw.poisson(r, { 2 })).dtype)
    local out = value(second(raw.random_integers(r, { 5 }, 0, 9, { dtype = "float32" })))
    assert.equal("float32", out.dtype)
    raises("TypeError", "real numbers", function() raw.uniform(r, { 2 }, T.zvector("z"), 1.0) end)
    raises("TypeError", "real numbers", function() raw.uniform(r, { 2 }, { dtype = "complex64" }) end)
    raises("TypeError", "dtype", function() raw.uniform(r, { 2 }, { dtype = "float33" }) end)
  end)
end)

-- ---- parameters that are none -------------------------------------------------------------------------------------
describe("refuses", function()
  local srng = RandomStreams(4)
  local function refused(kind, what, make)
    raises(kind, what, function()
      local value = compile(make())()
      return value
    end)
  end
  it("probabilities outside [0, 1] or that do not sum to 1", function()
    refused("ValueError", "p must be between", function() return srng:binomial({ 2 }, 1, 1.5) end)
    refused("ValueError", "p must be between", function() return srng:binomial({ 2 }, 1, 0 / 0) end)
    refused("ValueError", "sum to 1", function() return srng:choice({ 2 }, 3, true, { .2, .2, .2 }) end)
    refused("ValueError", "non-negative", function() return srng:choice({ 2 }, 3, true, { 1.2, -.1, -.1 }) end)
    refused("ValueError", "NaN", function() return srng:choice({ 2 }, 2, true, { 0 / 0, .5 }) end)
    refused("ValueError", "same size", function() return srng:choice({ 2 }, 3, true, { .5, .5 }) end)
    refused("ValueError", "sum to", function() return srng:multinomial({ 2 }, 3, { .5, .6 }) end)
    refused("ValueError", "sum to", function() return srng:multinomial({ 2 }, 3, { .2, .3 }) end)
    refused("ValueError", "pvals", function() return srng:multinomial({ 2 }, 3, { 1.5, -.5 }) end)
    refused("ValueError", "pvals", function() return srng:multinomial({ 2 }, 3, { 0 / 0, .5 }) end)
    refused("ValueError", "n < 0", function() return srng:multinomial({ 2 }, -3, { .5, .5 }) end)
  end)
  it("other parameters out of range", function()
    refused("ValueError", "scale must not be negative", function() return srng:normal({ 2 }, 0.0, -1.0) end)
    refused("ValueError", "low > high", function() return srng:random_integers({ 2 }, 5, 4) end)
    refused("ValueError", "lam must not be negative", function() return srng:poisson({ 2 }, -1.0) end)
    refused("ValueError", "n must not be negative", function() return srng:binomial({ 2 }, -1, .5) end)
    refused("ValueError", "larger sample", function() return srng:choice({ 5 }, 3, false) end)
    refused("ValueError", "at least one element", function() return srng:choice({ 5 }, 0) end)
    refused("ValueError", "negative", function() return srng:permutation({ 5 }, -2) end)
    refused("ValueError", "exceeds", function() return srng:uniform({ 5 }, -1e308, 1e308) end)
  end)
  it("what is no argument", function()
    raises("TypeError", "lam", function() srng:poisson({ 2 }) end)
    raises("TypeError", "unknown keyword 'hihg'", function() srng:uniform({ 2 }, { hihg = 2 }) end)
    raises("TypeError", "srng:uniform", function() srng.uniform({ 2 }) end)
    raises("TypeError", "random_state_type", function() raw.uniform(T.dvector("x"), { 2 }) end)
    raises("TypeError", "more than 1 dimension", function() srng:permutation(nil, 5, 2) end)
    raises("TypeError", "integer scalar", function() srng:permutation({ 2 }, 2.5) end)
    raises("ValueError", "0 or 1", function() srng:choice({ 2 }, T.lmatrix("a")) end)
    raises("ValueError", "must be 1", function() srng:choice({ 2 }, 3, true, T.dmatrix("p")) end)
    local none = raw.RandomFunction("gauss", T.dvector("x").type)
    raises("ValueError", "no function", function() none(raw.random_state_type(), { 2 }) end)
    raises("TypeError", "2 parameters", function()
      raw.RandomFunction("uniform", T.TensorType("float64", { false }))(raw.random_state_type(), { 2 }, 1.0)
    end)
    raises("ValueError", "ndim_added", function()
      raw.RandomFunction("uniform", T.TensorType("float64", { false, false }), { ndim_added = 1 })(
        raw.random_state_type(), { 4 }, 0.0, 1.0)
    end)
    local size = { 2 }
    size[2] = size
    raises("TypeError", {}, function() srng:uniform(size) end)
  end)
end)

-- ---- draws in graphs ----------------------------------------------------------------------------------------------
describe("a random variable", function()
  it("has one value a call, and the next call another", function()
    for _, mode in ipairs(MODES) do
      local u = RandomStreams(6):uniform({ 5 })
      local f = compile({ u, u, u - u }, mode[2])
      local a, b, c = f()
      assert.is_true(same(a, b) and same(c, nd.zeros(5)))
      assert.is_false(same(a, (f())))
    end
  end)

  it("is frozen by no_default_updates, for all or for some", function()
    local srng = RandomStreams(6)
    local u, v = srng:uniform({ 2 }), srng:uniform({ 2 })
    local f = compile({ u, v }, nil, { no_default_updates = { u.rng } })
    local a, b = f()
    local c, d = f()
    assert.is_true(same(a, c))
    assert.is_false(same(b, d))
  end)

  it("shares its state among functions", function()
    local srng = RandomStreams(6)
    local u = srng:uniform({ 2 })
    local f, g = compile(u), compile(u * 1)
    local want = nd.random.RandomState(nd.random.RandomState(6):randint(1 << 30))
    for _ = 1, 2 do
      assert.is_true(same(f(), want:rand(2)))
      assert.is_true(same(g(), want:rand(2)))
    end
  end)

  it("draws from another state under givens, and from a swapped one in a copy", function()
    local srng = RandomStreams(6)
    local u = srng:uniform({ 2 })
    local mine = theano.shared(nd.random.RandomState(41), { name = "mine" })
    local f = compile(u)
    local g = f:copy { swap = { [u.rng] = mine } }
    local want = nd.random.RandomState(41)
    assert.is_true(same(g(), want:rand(2)))
    assert.is_true(same(g(), want:rand(2)))
    assert.is_true(raw.random_state_type:values_eq(mine:get_value(), want))
    local r = raw.random_state_type("r")
    local h = theano.compile { inputs = { r }, outputs = u, givens = { [u.rng] = r }, no_default_updates = true }
    assert.is_true(same(h(nd.random.RandomState(8)), nd.random.RandomState(8):rand(2)))
  end)

  it("is drawn anew in each step of a scan", function()
    for _, mode in ipairs(MODES) do
      local srng = RandomStreams(9)
      local out, updates = theano.scan {
        fn = function(x) return x + srng:normal({ 2 }) end, outputs_info = T.zeros({ 2 }), n_steps = 4,
      }
      local f = compile(out, mode[2], { updates = updates })
      local want = nd.random.RandomState(nd.random.RandomState(9):randint(1 << 30))
      for _ = 1, 2 do
        local sum, got = nd.zeros(2), f()
        for t = 0, 3 do
          sum = sum + want:randn(2)
          assert.is_true(nd.allclose(got[t], sum, 1e-15))
        end
      end
      assert.is_true(raw.random_state_type:values_eq(srng.state_updates[1][1]:get_value(), want))
    end
  end)

  it("is drawn where an ifelse needs it", function()
    local srng, c = RandomStreams(9), T.iscalar("c")
    local u = srng:uniform({ 2 })
    local f = theano.compile { inputs = { c }, outputs = theano.ifelse(c, u, T.zeros({ 2 })) }
    local want = nd.random.RandomState(nd.random.RandomState(9):randint(1 << 30))
    assert.is_true(same(f(1), want:rand(2)))
    assert.is_true(same(f(0), nd.zeros(2)))
    want:rand(2) -- the state moves on at every call
    assert.is_true(same(f(1), want:rand(2)))
    local r, q = raw.random_state_type("r"), raw.random_state_type("q")
    local _, out = raw.uniform(theano.ifelse(c, r, q), { 2 })
    local g = theano.compile { inputs = { c, r, q }, outputs = out }
    assert.is_true(same(g(0, nd.random.RandomState(1), nd.random.RandomState(2)), nd.random.RandomState(2):rand(2)))
  end)

  it("has no gradient through its parameters, its readers have theirs", function()
    local avg, x = T.dscalar("avg"), T.dvector("x")
    local u = RandomStreams(1):normal({ 3 }, avg)
    raises("NullTypeGradError", "raw random", function()
      local g = T.grad(u:sum(), avg)
      return g
    end)
    local g = T.grad((u * x):sum(), x)
    local f = theano.compile { inputs = { avg, x }, outputs = { u, g } }
    local a, b = f(2.0, { 1, 2, 3 })
    assert.is_true(same(a, b))
  end)

  it("holds under DebugMode", function()
    local srng = RandomStreams(2)
    local outs = {
      srng:uniform({ 3 }), srng:normal({ 3 }), srng:binomial({ 3 }, 10, .3), srng:permutation({ 2 }, 4),
      srng:multinomial({ 2 }, 5, { .5, .5 }), srng:choice({ 2 }, 5, false),
      srng:shuffle_row_elements(T.constant({ { 1.0, 2.0 }, { 3.0, 4.0 } })),
    }
    local f, g = compile(outs, nil, { mode = "DebugMode" }), compile(outs)
    local a = table.pack(f())
    srng:seed(2)
    local b = table.pack(g())
    for i = 1, #outs do assert.is_true(same(a[i], b[i])) end
  end)

  it("knows its shape without being drawn", function()
    local u = RandomStreams(2):uniform({ 3, 4 })
    local f = compile(u.shape)
    assert.same({ 3, 4 }, f():tolist())
    local drawn = 0
    for _, node in ipairs(f.maker.fgraph:toposort()) do
      if tostring(node.op) == "RandomFunction{uniform}" and node.op.kind then drawn = drawn + 1 end
    end
    local v = RandomStreams(2):uniform({ 3, 4 })
    assert.same({ 3, 4 }, compile(v.shape, nil, { no_default_updates = true })():tolist())
    assert.is_true(drawn <= 1)
  end)

  it("is updated in place where nothing can fail behind it", function()
    local u = RandomStreams(2):uniform({ 3 })
    local f = compile(u)
    local text = theano.printing.graph_text(f)
    assert.truthy(text:find("destroys"))
    local written = compile(u, { linker = "interpreter", optimizer = "None" })
    assert.is_nil(theano.printing.graph_text(written):find("destroys"))
  end)

  it("prints and reads back as graph text", function()
    local u = RandomStreams(2):uniform({ 3 })
    local text = theano.printing.graph_text({ u })
    assert.truthy(text:find("RandomFunction{fn='uniform', type=float64[?]}", 1, true), text)
    assert.truthy(text:find("shared state", 1, true), text)
  end)
end)

describe("choice", function()
  it("takes elements of a vector, with and without probabilities", function()
    local srng = RandomStreams(14)
    local a = T.constant({ 1.5, 2.5, 3.5 })
    local f = compile({ srng:choice({ 4 }, a, { dtype = "float64" }),
      srng:choice({ 3 }, a, false, { dtype = "float64" }),
      srng:choice({ 5 }, 3, true, { .2, .3, .5 }), srng:choice({ 2, 2 }, 6, false, nd.full(6, 1 / 6)) })
    local got = table.pack(f())
    local seeds = nd.random.RandomState(14)
    local values = nd.array({ 1.5, 2.5, 3.5 })
    local function next_state() return nd.random.RandomState(seeds:randint(1 << 30)) end
    assert.is_true(same(got[1], next_state():choice(values, 4)))
    assert.is_true(same(got[2], next_state():choice(values, 3, false)))
    assert.is_true(same(got[3], next_state():choice(3, 5, true, { .2, .3, .5 })))
    assert.is_true(same(got[4], next_state():choice(6, { 2, 2 }, false, nd.full(6, 1 / 6))))
  end)
end)

describe("the helpers on values", function()
  it("draw from a RandomState, which goes on", function()
    local r, want = nd.random.RandomState(3), nd.random.RandomState(3)
    local p = raw.permutation_helper(r, 4, { 2 })
    for i = 0, 1 do assert.is_true(same(p[i], want:permutation(4))) end
    assert.is_true(raw.random_state_type:values_eq(r, want))
    assert.is_true(same(raw.choice_helper(r, 5, true, nil, { 3 }), want:choice(5, 3)))
    assert.is_true(same(raw.multinomial_helper(r, 3, { .5, .5 }, { 2 }), want:multinomial(3, { .5, .5 }, { 2 })))
    assert.is_true(same(raw.random_integers_helper(r, 1, 6, { 4 }), want:randint(1, 7, { 4 })))
    local rf = raw.RandomFunction(raw.permutation_helper, T.TensorType("int32", { false, false }), { ndim_added = 1 })
    local _, out = rf(raw.random_state_type("r"), { 7 }, 8)
    assert.equal("RandomFunction{permutation_helper}.1", tostring(out))
  end)
end)

it("states go through bound functions, named outputs, eval, clone and profiles", function()
  local r = raw.random_state_type("r")
  local post, out = raw.uniform(r, { 2 })
  local f = theano.compile { inputs = { r }, outputs = { post, out } }
  local state, want = nd.random.RandomState(3), nd.random.RandomState(3)
  local first = want:rand(2)
  local bound = f:bind(state)
  for _ = 1, 2 do
    local after, value = bound()
    assert.is_true(same(value, first) and raw.random_state_type:values_eq(after, want))
  end
  local named = theano.compile { inputs = { r }, outputs = { state = post, draw = out } }(state)
  assert.is_true(same(named.draw, first) and raw.random_state_type:values_eq(named.state, want))
  assert.is_true(same(out:eval { [r] = state }, first))
  local u = RandomStreams(1):uniform({ 2 })
  assert.is_true(same(theano.clone(u, { replace = { [u.rng] = r } }):eval { [r] = state }, first))
  raises("TypeError", {}, function() f(nd.random.default_rng(1)) end)
  raises("TypeError", "RandomState", function() f(3) end)
end)

it("a draw inside of what vmap maps is refused, one outside is the same for all", function()
  local x, u = T.dmatrix("x"), RandomStreams(1):uniform({ 2 })
  raises("NotImplementedError", "RandomFunction", function()
    return (T.vmap(function(v) return v + RandomStreams(1):uniform({ 2 }) end)(x))
  end)
  local f = theano.compile({ x }, { T.vmap(function(v, w) return v + w end, { in_axes = { 0, false } })(x, u), u })
  local y, drawn = f(nd.zeros({ 3, 2 }))
  for i = 0, 2 do assert.is_true(same(y[i], drawn)) end
end)
