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

describe("Generator's distributions", function()
  it("are all of NumPy's", function()
    local g = generator(1)
    for name in ([[beta binomial chisquare dirichlet exponential f gamma geometric gumbel hypergeometric laplace
      logistic lognormal logseries multinomial multivariate_hypergeometric multivariate_normal negative_binomial
      noncentral_chisquare noncentral_f normal pareto permuted poisson power rayleigh standard_cauchy
      standard_exponential standard_gamma standard_normal standard_t triangular uniform vonmises wald weibull
      zipf]]):gmatch("%S+") do
      assert.equal("function", type(g[name]), name)
      raises("TypeError", "g:" .. name, function() g[name]() end)
    end
    assert.equal("number", type(g:poisson(3)))
    assert.equal("[]", tostring(g:gamma(2, { size = 0 })))
  end)

  it("draw from what multivariate_normal is told, by every factor", function()
    local mean, cov = { 1, -2, 0.5 }, { { 2, 0.5, 0 }, { 0.5, 1, -0.3 }, { 0, -0.3, 0.7 } }
    for _, method in ipairs({ "svd", "eigh", "cholesky" }) do
      local x = generator(3):multivariate_normal(mean, cov, { size = 40000, method = method })
      assert.same({ 40000, 3 }, x.shape)
      assert.is_true(nd.allclose(x:mean(0), mean, 0, 0.03), method)
      assert.is_true(nd.allclose(nd.cov(x, nil, false), cov, 0, 0.05), method)
    end
    assert.same({ 3 }, generator(3):multivariate_normal(mean, cov).shape)
    raises("ValueError", "square", function() generator(3):multivariate_normal(mean, { { 1, 0 }, { 0, 1 } }) end)
    raises("ValueError", "method", function() generator(3):multivariate_normal(mean, cov, 2, "lu") end)
  end)

  it("refuse what they cannot draw, and stay where they were", function()
    local g, same = generator(9), generator(9)
    raises("ValueError", "lam", function() g:poisson(-1) end)
    raises("ValueError", "", function() g:binomial(3, 1.5) end)
    raises("ValueError", "", function() g:dirichlet({ 0, 1 }) end)
    raises("ValueError", "", function() g:dirichlet({ 0.01, -0.01 }) end)
    raises("ValueError", "", function() g:hypergeometric(3, 4, 9) end)
    for why, call in pairs({
      ["nsample > sum"] = { { 1, 2 }, 4 }, ["nsample < 0"] = { { 1, 2 }, -1 }, ["colors < 0"] = { { 2, -1 }, 1 },
      ["vector of integers"] = { { 1.5, 2 }, 1 }, ["vector"] = { { { 1, 2 } }, 1 }, ["10^9"] = { { 1000000000 }, 1 },
      ["2^63"] = { { math.maxinteger, 1 }, 1 }, ["method is"] = { { 1, 2 }, 1, { method = "x" } },
    }) do
      raises("ValueError", why, function() g:multivariate_hypergeometric(table.unpack(call)) end)
    end
    raises("TypeError", "nsample is an integer", function() g:multivariate_hypergeometric({ 1, 2 }, 1.5) end)
    raises("IndexError", "out of bounds", function() g:permuted(nd.zeros(3), 1) end)
    raises("IndexError", "array", function() g:permuted(3) end)
    assert.equal(same:random(), g:random())
    local x = nd.arange(6):reshape({ 2, 3 })
    local y = g:permuted(x, 1)
    assert.equal(1, y[1]:min() - 2)
    assert.is_true(nd.array_equal(nd.sort(y, 1), x))
  end)

  it("draw nothing from an urn where there is nothing to draw", function()
    local g, same = generator(9), generator(9)
    for _, method in ipairs({ "marginals", "count" }) do
      assert.same({ 0, 0 }, g:multivariate_hypergeometric({ 3, 2 }, 0, nil, method):tolist())
      assert.same({ { 0, 0 }, { 0, 0 } }, g:multivariate_hypergeometric({ 0, 0 }, 0, 2, method):tolist())
      assert.same({ 2, 0 }, g:multivariate_hypergeometric(nd.zeros({ 0 }, "int64"), 0, 2, method).shape)
      assert.same({ 0, 2 }, g:multivariate_hypergeometric({ 3, 2 }, 1, 0, method).shape)
      assert.equal("int64", g:multivariate_hypergeometric({ 3, 2 }, 5, nil, method).dtype)
    end
    assert.equal(same:random(), g:random())
  end)

  it("with RandomState stay the legacy ones", function() -- numpy.random.RandomState(7)
    local r = random.RandomState(7)
    assert.equal(0.026812116132444164, r:pareto(3))
    assert.equal(3.479952499168673, r:rayleigh(2))
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
