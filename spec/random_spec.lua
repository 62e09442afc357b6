--- nd.random.RandomState: NumPy's legacy streams bit for bit, seeds and states, what is refused.
local nd = require("theano.ndarray")
local oracle = require("spec.support.oracle")
local raises = require("spec.support.raises")
local theano = require("theano")

local RandomState = nd.random.RandomState

local function bytes(text)
  return nd.array({ text:byte(1, -1) }, "uint8")
end

describe("multivariate_normal", function()
  it("is refused, with what to write instead", function()
    local r = nd.random.RandomState(1)
    raises("NotImplementedError", { "LAPACK", "Cholesky" }, function() r:multivariate_normal({ 0 }, { { 1 } }) end)
    raises("NotImplementedError", "Cholesky", function() nd.random.multivariate_normal({ 0 }, { { 1 } }) end)
  end)
end)

describe("RandomState draws NumPy's bits:", function()
  -- Calls of the reference file as calls of ours.
  local CALLS = {
    ["standard_normal((7,))"] = function(r) return r:standard_normal(7) end,
    ["random_sample((7,))"] = function(r) return r:random_sample({ 7 }) end,
    ["randint(0,100,(8,))"] = function(r) return r:randint(0, 100, { 8 }) end,
    ["randint(0,256,(6,),uint8)"] = function(r) return r:randint(0, 256, { 6 }, "uint8") end,
    -- The second number of each pair is what Theano draws as a seed: below 2**30.
    ["randint(0,2**31-2)"] = function(r) return nd.array({ r:randint(0, (1 << 31) - 2), r:randint(1 << 30) }) end,
    ["randint(0,2**32,(5,),uint32): raw MT19937 words"] = function(r) return r:randint(0, 1 << 32, { 5 }, "uint32") end,
    ["random_integers(1,6,(8,))"] = function(r) return r:random_integers(1, 6, { 8 }) end,
    ["permutation(9)"] = function(r) return r:permutation(9) end,
    ["normal(1,2,(3,))"] = function(r) return r:normal(1, 2, { 3 }) end,
    ["uniform(-2,3,(2,3))"] = function(r) return r:uniform(-2, 3, { 2, 3 }) end,
    ["multinomial(6,[.2,.3,.5],(3,))"] = function(r) return r:multinomial(6, { .2, .3, .5 }, { 3 }) end,
    ["gamma(0.5,1,(5,))"] = function(r) return r:gamma(0.5, 1, { 5 }) end,
    ["gamma(2.5,1.5,(5,))"] = function(r) return r:gamma(2.5, 1.5, { 5 }) end,
    ["poisson(50,(6,))"] = function(r) return r:poisson(50, { 6 }) end,
    ["poisson(4.5,(6,))"] = function(r) return r:poisson(4.5, { 6 }) end,
    ["standard_exponential((5,))"] = function(r) return r:standard_exponential({ 5 }) end,
    ["shuffle(arange(9))"] = function(r)
      local a = nd.arange(9)
      r:shuffle(a)
      return a
    end,
    ["beta(2,3,(4,))"] = function(r) return r:beta(2, 3, { 4 }) end,
    ["choice(6,(4,),replace=False)"] = function(r) return r:choice(6, { 4 }, { replace = false }) end,
    ["choice(4,(6,),p=[.1,.2,.3,.4])"] = function(r) return r:choice(4, { 6 }, { p = { .1, .2, .3, .4 } }) end,
    ["choice(5,(6,))"] = function(r) return r:choice(5, { 6 }) end,
    ["binomial(10,0.3,(6,))"] = function(r) return r:binomial(10, 0.3, { 6 }) end,
    ["binomial(1000,0.4,(6,))"] = function(r) return r:binomial(1000, 0.4, { 6 }) end,
    ["geometric(0.3,(6,))"] = function(r) return r:geometric(0.3, { 6 }) end,
    ["bytes(8)"] = function(r) return bytes(r:bytes(8)) end,
    ["tomaxint(4)"] = function(r) return r:tomaxint(4) end,
  }
  for _, case in ipairs(oracle.cases("numpy_randomstate")) do
    it(("seed %d, %s"):format(case.seed, case.call), function()
      local call, state = assert(CALLS[case.call]), RandomState(case.seed)
      for _, outputs in ipairs(case.calls) do
        local got = call(state)
        local why = oracle.differs(type(got) == "number" and nd.array(got) or got, outputs[1], 0, 0)
        assert(not why, why)
      end
    end)
  end

  for _, case in ipairs(oracle.cases("random_streams")) do
    it(("seed %d, %s"):format(case.seed, case.call), function()
      local call = load("local r, nd = ... return " .. case.call)
      local state = RandomState(case.seed)
      for _, output in ipairs(case.outputs) do
        local why = oracle.differs(call(state, nd), output, 0, 0)
        assert(not why, why)
      end
    end)
  end

  it("a list of numbers as a seed", function()
    assert.same({ 0.6098612722867289, 0.8866970434146851 }, RandomState({ 1, 2, 3 }):rand(2):tolist())
    assert.equal(tostring(RandomState({ 7 }):rand(3)), tostring(RandomState(nd.array({ 7 }, "uint8")):rand(3)))
    assert.not_equal(tostring(RandomState({ 7 }):rand(3)), tostring(RandomState(7):rand(3)))
  end)

  it("bytes of any length", function()
    local r = RandomState(5)
    assert.equal("", r:bytes(0))
    assert.equal("\99\139\212", r:bytes(3)) -- np.random.RandomState(5).bytes(3)
  end)
end)

describe("RandomState", function()
  it("draws one number without a size and takes keywords", function()
    local r = RandomState(3)
    assert.equal("float", math.type(r:rand()))
    assert.equal("float", math.type(r:gamma(2)))
    assert.equal("integer", math.type(r:poisson(2)))
    assert.equal("integer", math.type(r:randint(10)))
    assert.same({ 4 }, r:uniform({ low = -1, high = 1, size = 4 }).shape)
    assert.same({ 2, 2 }, r:randint(0, 5, { size = { 2, 2 } }).shape)
    assert.same({ 3 }, r:normal(0, { scale = { 1, 2, 3 } }).shape)
    assert.same({ 2, 3 }, r:dirichlet({ 1, 1, 1 }, 2).shape)
    assert.same({ 4, 2, 2 }, r:multinomial(3, { 0.5, 0.5 }, { 4, 2 }).shape)
    assert.same({ 0 }, r:normal(0, 1, 0).shape)
  end)

  it("names its distributions with a line each", function()
    local seen = {}
    for _, d in ipairs(require("theano.core").distributions()) do
      seen[d.name] = d
      assert.truthy(#d.doc > 10)
    end
    assert.equal("shape", seen.gamma[1])
    assert.equal("scale", seen.gamma[2])
  end)

  it("keeps and takes up its state, with the second half of a normal", function()
    local r = RandomState(11)
    r:randn(3)
    local state = r:get_state()
    assert.equal("MT19937", state[1])
    assert.same({ "uint32", 624, 1 }, { state[2].dtype, state[2].size, state[4] })
    local want = tostring(r:randn(5))
    r:set_state(state)
    assert.equal(want, tostring(r:randn(5)))
    local other = RandomState(0)
    other:set_state(state)
    assert.equal(want, tostring(other:randn(5)))
    r:seed(11)
    assert.equal(tostring(RandomState(11):rand(4)), tostring(r:rand(4)))
  end)

  it("saves its state to a file and loads it", function()
    local path = os.tmpname()
    local r = RandomState(12)
    r:randn(3)
    r:save(path .. ".npz")
    assert.equal(tostring(r:randn(7)), tostring(nd.random.load(path .. ".npz"):randn(7)))
    nd.save(path .. ".npz", { a = nd.zeros(2) })
    raises("ValueError", "no state", function() return nd.random.load(path .. ".npz"), 0 end)
    os.remove(path)
    os.remove(path .. ".npz")
  end)

  it("shuffles views, rows and Lua sequences in the same order", function()
    local a = nd.arange(24):reshape(6, 4)
    RandomState(4):shuffle(a[":, 1:3"])
    local order = RandomState(4):permutation(6)
    for i = 0, 5 do
      assert.equal(4 * i, a[{ i, 0 }])
      assert.equal(4 * order[i] + 1, a[{ i, 1 }])
    end
    local list = { "a", "b", "c", "d", "e", "f" }
    RandomState(4):shuffle(list)
    for i = 0, 5 do assert.equal(("abcdef"):sub(order[i] + 1, order[i] + 1), list[i + 1]) end
    local reversed = nd.arange(6)
    RandomState(4):shuffle(reversed["::-1"])
    for i = 0, 5 do assert.equal(5 - order[i], reversed[5 - i]) end
  end)

  it("without a seed differs each time, and module functions draw from one that can be seeded", function()
    assert.not_equal(tostring(RandomState():rand(3)), tostring(RandomState():rand(3)))
    nd.random.seed(8)
    local first = nd.random.normal(0, 1, 3)
    assert.equal(tostring(RandomState(8):normal(0, 1, 3)), tostring(first))
    assert.equal(5, nd.random.choice({ 5 }))
  end)

  it("refuses what makes no sense, and then has not moved", function()
    local nan, r = 0 / 0, RandomState(1)
    local cases = {
      { "ValueError", "Seed", function() RandomState(-1) end },
      { "ValueError", "Seed", function() RandomState(1 << 32) end },
      { "ValueError", "Seed", function() RandomState({ 1, -1 }) end },
      { "ValueError", "seed", function() RandomState({}) end },
      { "TypeError", "seed", function() RandomState({ 1.5 }) end },
      { "ValueError", "low", function() r:randint(5, 5) end },
      { "ValueError", "out of bounds for int8", function() r:randint(0, 1000, nil, "int8") end },
      { "ValueError", "out of bounds for uint8", function() r:randint(-1, 3, nil, "uint8") end },
      { "ValueError", "integers", function() r:randint(0.5, 3) end },
      { "TypeError", "randint gives integers", function() r:randint(0, 3, nil, "float32") end },
      { "ValueError", "scale", function() r:normal(0, -1) end },
      { "ValueError", "scale", function() r:exponential(-0.0) end },
      { "ValueError", "shape must", function() r:gamma(nan) end },
      { "ValueError", "a must be positive, got 0", function() r:beta(0, 1) end },
      { "ValueError", "between 0 and 1", function() r:binomial(3, 1.5) end },
      { "ValueError", "between 0 and 1", function() r:binomial(3, nan) end },
      { "ValueError", "n must not be negative, got -3", function() r:binomial(-3, 0.5) end },
      { "ValueError", "so large", function() r:poisson(1e19) end },
      { "ValueError", "lam", function() r:poisson(-1) end },
      { "ValueError", "low to high", function() r:uniform(-1e308, 1e308) end },
      { "ValueError", "mode > right", function() r:triangular(0, 5, 2) end },
      { "ValueError", "nsample", function() r:hypergeometric(2, 2, 5) end },
      { "ValueError", "ngood + nbad", function() r:hypergeometric(math.maxinteger, 2, 5) end },
      { "ValueError", "a must be above 1", function() r:zipf(1) end },
      { "ValueError", "too close", function() r:zipf(1 + 2.3e-16) end },
      { "ValueError", "broadcast", function() r:normal({ 1, 2 }, { 1, 2, 3 }) end },
      { "ValueError", "does not fit", function() r:normal({ 1, 2 }, 1, 3) end },
      { "ValueError", "sum to 1", function() r:choice(2, 1, true, { 0.5, 0.6 }) end },
      { "ValueError", "same size", function() r:choice(3, 1, true, { 0.5, 0.5 }) end },
      { "ValueError", "larger sample", function() r:choice(3, 4, false) end },
      { "ValueError", "fewer non-zero", function() r:choice(3, 2, false, { 1, 0, 0 }) end },
      { "ValueError", "NaN", function() r:choice(2, 1, true, { nan, 1 }) end },
      { "ValueError", "1-dimensional", function() r:choice(nd.zeros({ 2, 2 })) end },
      { "ValueError", "at least one", function() r:choice(0) end },
      { "ValueError", "pvals", function() r:multinomial(3, { 0.9, 0.9, 0.9 }) end },
      { "ValueError", "alpha", function() r:dirichlet({ 0, 1 }) end },
      { "TypeError", "unknown keyword 'sigma'", function() r:normal({ sigma = 2 }) end },
      { "TypeError", "given twice", function() r:normal(1, { loc = 2 }) end },
      { "TypeError", "needs its parameter shape", function() r:gamma() end },
      { "TypeError", "RandomState expected", function() r.normal(1) end },
      { "TypeError", "0-d", function() r:shuffle(nd.array(1)) end },
      { "ValueError", "MT19937", function() r:set_state({ "PCG64" }) end },
      { "ValueError", "624", function() r:set_state({ "MT19937", { 1, 2 }, 0 }) end },
      { "ValueError", "position", function() r:set_state({ "MT19937", nd.zeros(624, "uint32"), 625 }) end },
      { "ValueError", "negative", function() r:normal(0, 1, { -1 }) end },
    }
    local first = RandomState(1):rand()
    for _, case in ipairs(cases) do
      local fine, message = pcall(case[3])
      assert.is_false(fine, case[2])
      assert.equal(case[1], theano.error_kind(message), message)
      assert.truthy(message:find(case[2], 1, true), message)
    end
    assert.equal(first, r:rand())
  end)
end)

describe("a run of numbers is what as many single draws give", function()
  local N = 700 -- more than a block of 624 words
  local DRAWS = {
    ["random_sample"] = function(r, size) return r:random_sample(size) end,
    ["uniform"] = function(r, size) return r:uniform(-2, 3, size) end,
    ["normal"] = function(r, size) return r:normal(1, 2, size) end,
    ["randint"] = function(r, size) return r:randint(-3, 1000, size) end,
    ["randint, uint32"] = function(r, size) return r:randint(0, 1 << 32, size, "uint32") end,
    ["randint, wide"] = function(r, size) return r:randint(-3, 1 << 40, size) end,
    ["binomial, 1"] = function(r, size) return r:binomial(1, 0.7, size) end,
    ["binomial, 1000"] = function(r, size) return r:binomial(1000, 0.6, size) end,
    ["binomial, certain"] = function(r, size) return r:binomial(5, 0, size) end,
    ["random_integers"] = function(r, size) return r:random_integers(1, 6, size) end,
    ["choice"] = function(r, size) return r:choice(6, size) end,
  }
  for name, draw in pairs(DRAWS) do
    for before = 0, 1 do -- pairs of words across the border of a block, and not
      it(("%s, after %d words"):format(name, before), function()
        local a, b = RandomState(3), RandomState(3)
        for _, r in ipairs { a, b } do r:randint(0, 1 << 32, before, "uint32") end
        local run = draw(a, { N })
        local list = {}
        for i = 1, N do list[i] = draw(b, {}) end
        assert.is_true(nd.array_equal(nd.array(list, run.dtype), run))
        assert.equal(a:rand(), b:rand())
      end)
    end
  end

  -- Bits of a word from the low end on, within one call.
  for _, case in ipairs { { "bool", 1, 2 }, { "int8", 8, 100 }, { "uint8", 8, 256 }, { "int16", 16, 30000 } } do
    local dtype, width, high = table.unpack(case)
    it(dtype .. " shares words", function()
      local words, list, mask = RandomState(4), {}, high - 1
      for s = 0, 4 do mask = mask | mask >> (1 << s) end
      while #list < N do
        local w = math.tointeger(words:randint(0, 1 << 32, {}, "uint32"))
        for _ = 1, 32 // width do
          if w & mask < high and #list < N then list[#list + 1] = w & mask end
          w = w >> width
        end
      end
      local r = RandomState(4)
      assert.is_true(nd.array_equal(nd.array(list), r:randint(0, high, { N }, dtype):astype("int64")))
      assert.equal(words:rand(), r:rand())
    end)
  end

  it("binomial draws also where the result is certain", function()
    local a, b = RandomState(6), RandomState(6)
    assert.same({ 0, 0, 0 }, a:binomial(0, 0.5, 3):tolist())
    b:rand(3)
    assert.equal(b:rand(), a:rand())
  end)

  it("in a Generator, too", function()
    for _, case in ipairs { { 10 }, { 1 << 31 }, { (1 << 32) - 1 }, { 1 << 32 }, { 1 << 40 }, { 5, "int32" } } do
      local a, b = nd.random.default_rng(5), nd.random.default_rng(5)
      local run = a:integers(0, case[1], { N }, case[2])
      for i = 0, N - 1 do assert.equal(math.tointeger(b:integers(0, case[1], {}, case[2])), math.tointeger(run[i])) end
      assert.equal(a:random(), b:random())
    end
  end)
end)
