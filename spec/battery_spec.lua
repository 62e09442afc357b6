--- Draws as samples: distributions (Kolmogorov and Smirnov), moments, streams beside each other, and scripts/battery on
-- few bits, which finds a weak generator.
local nd = require("theano.ndarray")
local runner = require("spec.support.runner")
local theano = require("theano")

local N = 20000

-- The largest distance of the sample's distribution function from F, times the root of n: above 2.2 once in 10^4.
local function distance(sample, F)
  local sorted, n, most = nd.sort(sample:reshape(-1)), sample.size, 0
  for i = 0, n - 1 do
    local p = F(sorted[i])
    most = math.max(most, math.abs(p - i / n), math.abs(p - (i + 1) / n))
  end
  return most * math.sqrt(n)
end

-- Abramowitz and Stegun 7.1.26, to 1.5e-7.
local function normal(x)
  local z = math.abs(x) / math.sqrt(2)
  local t = 1 / (1 + 0.3275911 * z)
  local erf = 1 - ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
    * math.exp(-z * z)
  return x < 0 and (1 - erf) / 2 or (1 + erf) / 2
end
local function uniform(x) return math.min(math.max(x, 0), 1) end
local function exponential(x) return 1 - math.exp(-x) end

local function drawn(v) return theano.compile { inputs = {}, outputs = v }() end

local streams, mrg, key = theano.random.RandomStreams(11), theano.random.MRG_RandomStreams(12), theano.random.Key(13)
local g = nd.random.default_rng(14)
local SAMPLES = {
  { "RandomStreams uniform", function() return drawn(streams:uniform({ N })) end, uniform },
  { "RandomStreams normal", function() return drawn(streams:normal({ N })) end, normal },
  { "MRG uniform", function() return drawn(mrg:uniform({ N })) end, uniform },
  { "MRG normal", function() return drawn(mrg:normal({ N })) end, normal },
  { "Key uniform", function() return drawn(key:uniform({ N })) end, uniform },
  { "Key normal", function() return drawn(key:normal({ N })) end, normal },
  { "Generator random", function() return g:random(N) end, uniform },
  { "Generator standard_normal", function() return g:standard_normal(N) end, normal },
  { "Generator standard_normal float32", function() return g:standard_normal(N, "float32") end, normal },
  { "Generator standard_exponential", function() return g:standard_exponential(N) end, exponential },
}

describe("distribution of", function()
  for _, s in ipairs(SAMPLES) do
    it(s[1], function()
      local d = distance(s[2](), s[3])
      assert.is_true(d < 2.2, tostring(d))
    end)
  end
  it("a sample that is none: the test sees it", function()
    assert.is_true(distance(nd.linspace(0, 1, N) ^ 1.1, uniform) > 2.2)
  end)
end)

describe("moments of", function()
  local CASES = {
    { "binomial", function() return streams:binomial({ N }, 10, 0.3) end, 3, 2.1 },
    { "poisson", function() return streams:poisson({ N }, 4.5) end, 4.5, 4.5 },
    { "random_integers", function() return streams:random_integers({ N }, 1, 6) end, 3.5, 35 / 12 },
    { "choice", function() return streams:choice({ N }, 3, true, { .2, .3, .5 }) end, 1.3, 0.61 },
    { "multinomial", function() return streams:multinomial({ N }, 8, { .25, .75 })[":, 0"] end, 2, 1.5 },
    { "permutation", function() return streams:permutation({ N }, 5)[":, 2"] end, 2, 2 },
  }
  for _, c in ipairs(CASES) do
    it(c[1], function()
      local x = drawn(c[2]()):astype("float64")
      local mean = x:mean()
      assert.is_true(math.abs(mean - c[3]) < 4.5 * math.sqrt(c[4] / N), tostring(mean))
      local variance = ((x - mean) ^ 2):mean()
      assert.is_true(math.abs(variance / c[4] - 1) < 0.07, tostring(variance))
    end)
  end
end)

it("streams and keys beside each other are not correlated", function()
  local many, keys = {}, key:split(4)
  for i = 1, 4 do
    many[#many + 1] = streams:uniform({ N })
    many[#many + 1] = mrg:uniform({ N }, { dtype = "float64" })
    many[#many + 1] = keys[i]:uniform({ N }, 0.0, 1.0, "float64")
  end
  local values = table.pack(theano.compile { inputs = {}, outputs = many }())
  for i, s in ipairs(g:spawn(2)) do values[values.n + i] = s:random(N) end
  for i = 1, #values do
    for k = 1, i - 1 do
      local r = ((values[i] - 0.5) * (values[k] - 0.5)):sum() * 12 / math.sqrt(N)
      assert.is_true(math.abs(r) < 4.5, ("%d and %d: %g"):format(k, i, r))
    end
  end
end)

describe("scripts/battery", function()
  it("passes every generator on 2^24 bits", function()
    local text, status = runner.run({ "scripts/battery", "24" })
    assert.equal(0, status, text)
    for _, name in ipairs({ "MT19937", "PCG64", "MRG31k3p", "Philox" }) do assert.truthy(text:find(name, 1, true)) end
    assert.truthy(text:find("all passed", 1, true), text)
  end)
  it("fails a weak one", function()
    local text, status = runner.run({ "scripts/battery", "24", "weak" })
    assert.equal(1, status, text)
    assert.truthy(text:find("2 dimensions, lower 10 bits[^\n]*FAILED"), text)
  end)
  it("hears a tone", function()
    local text, status = runner.run({ "scripts/battery", "25", "hum" })
    assert.equal(1, status, text)
    assert.truthy(text:find("highest line[^\n]*FAILED"), text)
  end)
end)

describe("scripts/lattice.lua", function()
  local lattice = dofile("scripts/lattice.lua")
  it("finds the shortest vector of a lattice", function()
    -- RANDU: 9 x_n - 6 x_(n+1) + x_(n+2) is a multiple of 2^31 (Knuth 3.3.4: 118).
    local m, a = 1 << 31, 65539
    assert.equal(118.0, lattice.shortest({ { m, 0, 0 }, { -a, 1, 0 }, { -(a * a % m), 0, 1 } }))
    -- Knuth's line 1, a = 23 modulo 10^8 + 1: 530 in 2 dimensions and in 3.
    m = 100000001
    assert.equal(530.0, lattice.shortest({ { m, 0 }, { -23, 1 } }))
    assert.equal(530.0, lattice.shortest({ { m, 0, 0 }, { -23, 1, 0 }, { -23 * 23, 0, 1 } }))
  end)
  it("measures MRG31k3p, and a bad generator beside it", function()
    local good = lattice.mrg31k3p()
    local bad = lattice.figures({ { 0, 1, 1 }, { 0, 1, 1 } }, { 2147483647, 2147462579 }, 8)
    for t = 4, 8 do
      assert.is_true(good[t] > 0.6 and good[t] <= 1, tostring(good[t]))
      assert.is_true(bad[t] < 0.1, tostring(bad[t]))
    end
  end)
end)
