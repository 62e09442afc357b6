--- Draws of RandomState on a GPU: the CPU's numbers and the CPU's state behind them, from each distribution, one set of
-- parameters for all numbers or one for each; what is refused as on the CPU leaves the state as it was.
local device = require("spec.support.device")
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local rotate = require("spec.support.rotate")
local theano = require("theano")
local T = require("theano.tensor")
local raw = T.raw_random

-- Parameters of the functions; several that lead to other methods.
local PARAMS = {
  beta = { { 2.0, 3.0 }, { 0.5, 0.5 } }, binomial = { { 10, 0.3 }, { 1000, 0.7 } }, chisquare = { { 3.0 } },
  exponential = { { 2.0 } }, f = { { 3.0, 5.0 } }, gamma = { { 2.0, 3.0 }, { 0.3, 1.0 }, { 1.0, 1.0 } },
  geometric = { { 0.3 }, { 0.7 } }, gumbel = { { 0.0, 1.0 } }, hypergeometric = { { 10, 5, 4 }, { 100, 80, 60 } },
  laplace = { { 0.0, 1.0 } }, logistic = { { 0.0, 1.0 } }, lognormal = { { 0.0, 1.0 } }, logseries = { { 0.6 } },
  negative_binomial = { { 5.0, 0.4 } }, noncentral_chisquare = { { 3.0, 1.5 }, { 0.5, 2.0 } },
  noncentral_f = { { 3.0, 5.0, 1.0 } }, normal = { { 1.0, 2.0 } },
  pareto = { { 3.0 } }, poisson = { { 4.0 }, { 50.0 } },
  power = { { 2.0 } },
  random_sample = { {} }, rayleigh = { { 1.0 } }, standard_cauchy = { {} },
  standard_exponential = { {} }, standard_gamma = { { 2.5 } }, standard_normal = { {} }, standard_t = { { 4.0 } },
  tomaxint = { {} }, triangular = { { 0.0, 1.0, 3.0 } }, uniform = { { -1.0, 2.0 } }, vonmises = { { 0.5, 2.0 } },
  wald = { { 1.0, 2.0 } }, weibull = { { 2.0 } }, zipf = { { 2.0 } },
}

local NAMES = {}
for name in pairs(PARAMS) do NAMES[#NAMES + 1] = name end
table.sort(NAMES)

-- A function of some draws on the CPU or the device, and these.
local function drawn(flags, make, inputs)
  local _ <close> = theano.config.change_flags(flags)
  local srng = T.shared_randomstreams.RandomStreams(234)
  local outs = make(srng)
  local f = theano.compile { inputs = inputs or {}, outputs = outs }
  return f, outs
end

local function same(make, inputs, args)
  local want, on_cpu = drawn({}, make, inputs)
  local got, there = drawn(device.flags, make, inputs)
  for turn = 1, 3 do device.equal(want, got, args or {}, "turn " .. turn) end
  for i, x in ipairs(on_cpu) do
    assert.is_true(raw.random_state_type:values_eq(x.rng:get_value(), there[i].rng:get_value()))
  end
end

describe("draws of RandomState on a GPU", function()
  it("are the CPU's, of every distribution", function()
    local fs = {}
    for i, flags in ipairs({ {}, device.flags }) do
      local _ <close> = theano.config.change_flags(flags)
      local list, updates = {}, {}
      for _, name in ipairs(rotate.some(NAMES, 6)) do
        for _, params in ipairs(PARAMS[name]) do
          local r = nd.random.RandomState(1)
          local kind = nd.array((r[name](r, table.unpack(params)))).dtype
          local state = theano.shared(nd.random.RandomState(5))
          local new, out = raw.RandomFunction(name, T.TensorType(kind, { false }))(state, { 40 }, table.unpack(params))
          list[#list + 1], updates[#updates + 1] = out, { state, new }
        end
      end
      fs[i] = theano.compile { inputs = {}, outputs = list, updates = updates }
    end
    for turn = 1, 2 do device.equal(fs[1], fs[2], {}, "turn " .. turn) end
    assert.equal("cuda:0", (fs[2]()).device)
  end)

  it("take parameters for each number, computed there too", function()
    local n, v, m = T.lscalar("n"), T.dvector("v"), T.dmatrix("m")
    same(function(s)
      return { s:normal({ n, 3 }, v, T.exp(v)), s:binomial({ n, 3 }, 9, T.nnet.sigmoid(v)), s:uniform({ n }, 1, 2),
        s:random_integers({ n, 3 }, T.cast(v, "int64") - 5, 50), s:multinomial({ n }, 20, T.nnet.softmax(m)) }
    end, { n, v, m }, { 4, nd.array({ 0.5, -1, 2 }), nd.array({ { 1, 2, 3 }, { 0, 0, 1 }, { 3, 1, 1 }, { 0, 0, 0 } }) })
  end)

  it("order, pick and share as the CPU's do, in every dtype", function()
    local n = T.lscalar("n")
    same(function(s)
      return { s:permutation({ 3 }, n), s:choice({ n }, 9), s:choice({ 4 }, n, false), s:choice({ 5 }, 3, true,
        { 0.2, 0.5, 0.3 }), s:choice({ 2 }, 3, false, { 0.2, 0.5, 0.3 }), s:random_integers({ n }, 1, 2 ^ 40),
        s:multinomial({ 2, n }, 7, { 0.1, 0.2, 0.7 }), s:uniform({ n }, 0, 1, 1, "float32"),
        s:binomial({ n }, 1, 0.5, 1, "int8") }
    end, { n }, { 6 })
  end)

  it("go on from where the CPU's were, and are none of nothing", function()
    local n = T.lscalar("n")
    local state = theano.shared(nd.random.RandomState(7))
    local fs = {}
    for i, flags in ipairs({ {}, device.flags }) do
      local _ <close> = theano.config.change_flags(flags)
      local new, out = raw.normal(state, { n })
      fs[i] = theano.compile { inputs = { n }, outputs = out, updates = { { state, new } } }
    end
    local r = nd.random.RandomState(7)
    for turn, k in ipairs({ 3, 700, 0, 1, 5, 1300 }) do
      assert.is_true(nd.array_equal(r:normal(0, 1, { k }), fs[turn % 2 + 1](k)), "turn " .. turn)
    end
  end)

  it("refuse what the CPU refuses, in its words, and stay as they were", function()
    local p, q = T.dscalar("p"), T.dvector("q")
    local function make(s) return { s:uniform({ 4 }), s:binomial({ 4 }, 5, p), s:multinomial({ 2 }, 5, q) } end
    local f, outs = drawn(device.flags, make, { p, q })
    local good = nd.array({ 0.5, 0.5 })
    f(0.5, good)
    local before = {}
    for i, x in ipairs(outs) do before[i] = x.rng:get_value() end
    raises("ValueError", { "binomial: p must be between 0 and 1, got 1.5", "gpu_draws_spec.lua" },
      function() f(1.5, good) end)
    raises("ValueError", { "multinomial: pvals < 0" }, function() f(0.5, nd.array({ -0.5, 1.5 })) end)
    for i, x in ipairs(outs) do assert.is_true(raw.random_state_type:values_eq(before[i], x.rng:get_value())) end
    f(0.25, good)
  end)
end)
