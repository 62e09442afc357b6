--- nd.random.Generator on PCG64: NumPy's bits, seeds, states, what is refused.
local nd = require("theano.ndarray")
local oracle = require("spec.support.oracle")
local raises = require("spec.support.raises")

local random = nd.random
local function generator(seed) return random.Generator(random.PCG64(seed)) end

describe("Generator draws NumPy's bits:", function()
  for _, case in ipairs(oracle.cases("generator")) do
    local seed = case.seed
    it(("seed %s, %s"):format(type(seed) == "table" and table.concat(seed, ",") or seed, case.call), function()
      local call = assert(load("local g, nd = ... return " .. case.call))
      local g = generator(seed)
      for _, output in ipairs(case.outputs) do
        local why = oracle.differs(nd.array(call(g, nd)), output, output.dtype == "float32" and 6e-8 or 0, 0)
        assert(not why, why)
      end
    end)
  end

  it("far out: the last of two million", function() -- numpy.random.default_rng(5)
    local function last(name, dtype)
      local g = random.default_rng(5)
      return g[name](g, 2000000, dtype)[-1]
    end
    assert.equal(0.050513015327221446, last("standard_normal"))
    assert.equal(0.8727155209873882, last("standard_exponential"))
    assert.equal(-1.196540117263794, last("standard_normal", "float32"))
    assert.equal(1.2449331283569336, last("standard_exponential", "float32"))
  end)
end)

describe("PCG64", function()
  it("has NumPy's states, as decimal digits", function()
    local p = random.PCG64(42)
    assert.same({
      bit_generator = "PCG64", has_uint32 = 0, uinteger = 0,
      state = { state = "274674114334540486603088602300644985544", inc = "332724090758049132448979897138935081983" },
    }, p.state)
    local g = random.Generator(p)
    g:random(3)
    g:random(1, "float32")
    local state = p.state
    assert.equal("129461158061550087521946787121429467180", state.state.state)
    assert.same({ 1, 2995172878 }, { state.has_uint32, state.uinteger })
    local want = g:random(3, "float32"):tolist()
    local other = random.default_rng(7)
    other.bit_generator.state = state
    assert.same(want, other:random(3, "float32"):tolist())
    raises("ValueError", "bit_generator", function() p.state = { state = {} } end)
    raises("ValueError", "128 bits", function()
      p.state = { bit_generator = "PCG64", state = { state = "x", inc = "1" } }
    end)
    raises("ValueError", "more than 128 bits", function()
      p.state = { bit_generator = "PCG64", state = { state = ("9"):rep(39), inc = "1" } }
    end)
    raises("ValueError", "odd", function()
      p.state = { bit_generator = "PCG64", state = { state = "2", inc = "2" } }
    end)
  end)

  it("jumps ahead", function()
    local p = random.PCG64(7)
    p:advance("100000000000000000000")
    assert.equal("[ 9018982735653021423 14303624839603525690]", tostring(p:random_raw(2)))
  end)

  it("is seeded by SeedSequence, as in NumPy", function()
    local s = random.SeedSequence(42)
    assert.same({ 3444837047, 2669555309, 2046530742, 3581440988, 1691623607 }, s:generate_state(5):tolist())
    assert.equal("[11465652750463011511 15382171918060459190]", tostring(s:generate_state(2, "uint64")))
    assert.same({ 4091952314, 31242083 }, s:spawn(2)[2]:generate_state(2):tolist())
    local many = random.SeedSequence({ 1, 1 << 40, 3 })
    assert.same({ 3277810977, 1471572032, 1650839300 }, many:generate_state(3):tolist())
    assert.not_equal(generator():random(), generator():random()) -- the system's entropy
    raises("ValueError", "not negative", function() random.PCG64(-1) end)
    raises("TypeError", "integer", function() random.PCG64(1.5) end)
    raises("TypeError", "integer", function() random.PCG64({ 1, "a" }) end)
    local list = { 1 }
    list[2] = list
    raises("TypeError", "no integer", function() random.PCG64(list) end)
    raises("ValueError", "uint32", function() s:generate_state(2, "int8") end)
  end)
end)

describe("Generator", function()
  it("gives numbers without a size and takes keywords", function()
    local g = random.default_rng(3)
    assert.equal("float", math.type(g:random()))
    assert.equal("float", math.type(g:normal()))
    assert.equal("integer", math.type(g:integers(5)))
    assert.same({ 2, 3 }, g:uniform({ size = { 2, 3 } }).shape)
    assert.equal("float32", g:random({ size = 2, dtype = "float32" }).dtype)
    assert.equal(g, random.default_rng(g))
    assert.equal("Generator(PCG64)", tostring(g))
    assert.same({ 0 }, g:random(0).shape)
  end)

  it("refuses what it cannot draw, and then stays where it was", function()
    local g = random.default_rng(3)
    local before = g.bit_generator.state
    raises("TypeError", "float32", function() g:random(2, "int32") end)
    raises("ValueError", "scale < 0", function() g:normal(0, -1, 2) end)
    raises("ValueError", "scale < 0", function() g:exponential(-1) end)
    raises("ValueError", "exceeds", function() g:uniform(-1e308, 1e308, 2) end)
    raises("ValueError", "low >= high", function() g:integers(5, 5) end)
    raises("ValueError", "out of bounds", function() g:integers(0, 300, 2, "uint8") end)
    raises("ValueError", "larger sample", function() g:choice(3, 4, false) end)
    raises("ValueError", "sum to 1", function() g:choice(3, 4, true, { .1, .1, .1 }) end)
    raises("ValueError", {}, function() g:normal({ 1, 2 }, 1, 3) end)
    raises("ValueError", {}, function() g:random(-1) end)
    raises("IndexError", "axis", function() g:permutation(nd.zeros({ 2, 2 }), 2) end)
    raises("TypeError", "g:random", function() g.random(2) end)
    raises("TypeError", "PCG64", function() random.Generator(random.RandomState(1)) end)
    raises("ValueError", "length", function() g:bytes(-1) end)
    assert.same(before, g.bit_generator.state)
  end)

  it("shuffles arrays along an axis and Lua lists in place", function()
    local a = nd.arange(12):reshape(4, 3)
    local want = random.default_rng(1):permutation(a, 1):tolist()
    random.default_rng(1):shuffle(a, 1)
    assert.same(want, a:tolist())
    local list = { "a", "b", "c", "d" }
    random.default_rng(1):shuffle(list)
    local order = random.default_rng(1):permutation(4)
    for i = 1, 4 do assert.equal(("abcd"):sub(order[i - 1] + 1, order[i - 1] + 1), list[i]) end
  end)

  it("is saved and loaded", function()
    local path = os.tmpname() .. ".npz"
    local g = random.default_rng(9)
    g:random(1, "float32")
    g:save(path)
    local want = g:random(5, "float32"):tolist()
    assert.same(want, random.load_generator(path):random(5, "float32"):tolist())
    nd.save(path, { a = nd.zeros(1) })
    raises("ValueError", "no state", function() random.load_generator(path) end)
    os.remove(path)
  end)

  it("is no RandomState: a graph does not take it", function()
    local theano = require("theano")
    raises("TypeError", {}, function() theano.shared(random.default_rng(1)) end)
  end)
end)
