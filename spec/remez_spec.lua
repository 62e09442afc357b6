--- Filters whose largest error is least, and those of minimum phase: what they are for, and bad arguments. Their
-- numbers are SciPy's (scipy_spec).
local nd = require("theano.ndarray")
local fails = require("spec.support.refuses")
local S = nd.signal

-- The size of the response from 0 to half of the sampling rate.
local function response(h)
  local w, z = S.freqz(h, { worN = 4096 })
  return w / (2 * math.pi), nd.abs(z)
end

describe("filters whose largest error is least", function()
  it("have one size of error in every band, by its weight", function()
    for _, taps in ipairs({ 24, 25, 61 }) do
      local h = S.remez(taps, { 0, 0.1, 0.17, 0.5 }, { 1, 0 }, { weight = { 1, 5 } })
      assert.is_true(nd.allclose(h, nd.flip(h), 1e-10, 1e-12), "of linear phase")
      local f, size = response(h)
      local pass = nd.max(nd.abs(nd.extract(nd.le(f, 0.1), size) - 1))
      local stop = nd.max(nd.extract(nd.ge(f, 0.17), size))
      assert.is_true(math.abs(pass / stop - 5) < 0.1, ("%d taps: %g and %g"):format(taps, pass, stop))
      local other = S.firls(taps | 1, { 0, 0.2, 0.34, 1 }, { 1, 1, 0, 0 }, { weight = { 1, 25 }, fs = 2 })
      local _, rough = response(other)
      local worst = nd.maximum(nd.max(nd.abs(nd.extract(nd.le(f, 0.1), rough) - 1)),
        nd.max(nd.extract(nd.ge(f, 0.17), rough)) * 5)
      assert.is_true(pass < worst, "no other one is nearer")
    end
  end)
  it("turn by a quarter, or differentiate", function()
    local h = S.remez(31, { 0.05, 0.45 }, { 1 }, { type = "hilbert" })
    assert.is_true(nd.allclose(h, -nd.flip(h), 1e-10, 1e-12))
    local n = nd.arange(200)
    local y = nd.convolve(nd.cos(n * 0.6), h, "valid")
    assert.is_true(nd.max(nd.abs(nd.abs(y) - nd.abs(nd.sin(n["15:-15"] * 0.6)))) < 0.03)
  end)
  it("say what is wrong", function()
    fails("ValueError", "remez: two edges, a gain and a weight for each band, not 3, 1 and 1", S.remez, 9,
      { 0, 0.1, 0.2 }, { 1 })
    fails("ValueError", "remez: edges rise from 0 to half of fs", S.remez, 9, { 0, 0.1, 0.2, 0.6 }, { 1, 0 })
    fails("ValueError", "remez: edges rise from 0 to half of fs", S.remez, 9, { 0.1, 0 }, { 1 })
    fails("ValueError", "remez: numtaps is at least 3, not 1", S.remez, 1, { 0, 0.1 }, { 1 })
    fails("ValueError", "type is 'bandpass', 'hilbert' or 'differentiator', not 'low'", S.remez, 9, { 0, 0.1 }, { 1 },
      { type = "low" })
    fails("ValueError", "no filter was found", S.remez, 40, { 0, 0.1, 0.15, 0.5 }, { 1, 0 }, { maxiter = 1 })
    fails("ValueError", "the bands are too narrow for so many taps", S.remez, 40, { 0.1, 0.1 }, { 1 })
  end)
end)

describe("filters of minimum phase", function()
  it("have all zeros within the unit circle, and the size of the response", function()
    local h = S.remez(31, { 0, 0.1, 0.2, 0.5 }, { 1, 0 })
    local m = S.minimum_phase(h, { half = false })
    assert.equal(31, m.size)
    assert.is_true(nd.all(nd.lt(nd.abs(nd.roots(m)), 1.001)))
    local _, want = response(h)
    local _, size = response(m)
    assert.is_true(nd.max(nd.abs(want - size)) < 2e-3)
    assert.equal(16, S.minimum_phase(h).size)
    local lifted = S.minimum_phase(h, "hilbert")
    assert.equal(16, lifted.size)
    assert.is_true(nd.all(nd.lt(nd.abs(nd.roots(lifted)), 1.01))) -- its ripples are lifted: zeros on the circle
  end)
  it("say what is wrong", function()
    fails("ValueError", "minimum_phase: h is a vector of at least 3 taps", S.minimum_phase, { 1, 2 })
    fails("ValueError", "minimum_phase: h is 0 everywhere", S.minimum_phase, nd.zeros(5))
    fails("ValueError", "minimum_phase: n_fft is at least 5, not 4", S.minimum_phase, nd.ones(5), { n_fft = 4 })
    fails("ValueError", "the method is 'homomorphic' or 'hilbert', not 'x'", S.minimum_phase, nd.ones(5), "x")
    fails("ValueError", "half is true for the method 'hilbert'", S.minimum_phase, nd.ones(5), "hilbert",
      { half = false })
  end)
end)
