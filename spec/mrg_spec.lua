--- theano.sandbox.rng_mrg: MRG31k3p as Theano draws it; its states, sizes, errors, and what draws are worth in graphs.
local oracle = require("spec.support.oracle")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local MRG = theano.sandbox.rng_mrg.MRG_RandomStreams

local modes = {
  fast_run = function() return theano.compile.Mode { linker = "c", optimizer = "fast_run" } end,
  interpreter = function() return theano.compile.Mode { linker = "interpreter", optimizer = "fast_run" } end,
  as_written = function() return theano.compile.Mode { linker = "interpreter", optimizer = "None" } end,
  fast_compile = function() return theano.compile.Mode { linker = "interpreter", optimizer = "fast_compile" } end,
}

local function compiled(outputs, mode, inputs)
  local list = {}
  for i, v in ipairs(outputs) do list[i] = theano.Out(v, { array = true }) end
  return theano.compile { inputs = inputs or {}, outputs = list, mode = mode }
end

local function fails(kind, fn, ...)
  local ok, e = pcall(fn, ...)
  assert(not ok, "it should fail")
  assert.equal(kind, theano.error_kind(e), e)
  assert.truthy(tostring(e):find("mrg_spec.lua:%d+:"), e)
  return e
end

-- What a case may differ by: float64 uniforms and integers nothing, what goes through logarithms and float32 a little.
local function tolerance(id, dtype)
  if dtype == "float32" then return 1e-6, 1e-7 end
  return 0, id:find("normal") and 1e-14 or 0
end

describe("Theano's numbers", function()
  for name, mode in pairs(modes) do
    for _, case in ipairs(oracle.cases("mrg")) do
      if case.expr then
        it(name .. ": " .. case.id, function()
          local env = setmetatable({ theano = theano, T = T, nd = nd }, { __index = _G })
          local f = compiled(assert(load("return " .. case.expr, case.id, "t", env))(), mode())
          for _, want in ipairs(case.calls) do
            local got = table.pack(f())
            for i, w in ipairs(want) do
              local why = oracle.differs(got[i], w, tolerance(case.id, w.dtype))
              if why then error(why) end
            end
          end
        end)
      end
    end
  end

  it("states of streams, and where the next draw begins", function()
    for _, case in ipairs(oracle.cases("mrg")) do
      if case.id:find("^substream_rstates") then
        local srng = MRG(case.seed)
        assert.is_nil((oracle.differs(srng:get_substream_rstates(4, "float64"), case.calls[1][1], 0, 0)))
        assert.is_nil((oracle.differs(srng.rstate, case.calls[1][2], 0, 0)))
      end
    end
  end)
end)

describe("wrong arguments", function()
  it("seeds", function()
    for _, seed in ipairs({ 0, -1, 2147462579, { 0, 0, 0, 1, 1, 1 }, { 1, 1, 1, 0, 0, 0 },
      { 2147483647, 1, 1, 1, 1, 1 }, { 1, 1, 1, 2147462579, 1, 1 }, { 1, 1, 1, -1, 1, 1 } }) do
      fails("ValueError", function() MRG(seed) end)
    end
    for _, seed in ipairs({ 1.5, "a", { 1, 2 }, { 1, 1, 1, 1, 1, 1.5 }, true }) do
      fails("TypeError", function() MRG(seed) end)
    end
    MRG({ 0, 0, 1, 0, 1, 0 })
    MRG(nd.array({ 1, 2, 3, 4, 5, 6 }))
  end)

  it("sizes", function()
    local srng = MRG()
    for _, size in ipairs({ { 0 }, { 3, -1 } }) do
      fails("ValueError", function() srng:uniform(size) end)
      fails("ValueError", function() srng:normal(size) end)
      fails("ValueError", function() srng:binomial(size) end)
    end
    for _, size in ipairs({ 5, { 1.5 }, "abc", T.dvector(), T.lmatrix(), { T.lvector() } }) do
      fails("TypeError", function() srng:uniform(size, 0, 1, 1) end)
    end
    fails("TypeError", function() srng:uniform() end)
    fails("ValueError", function() srng:uniform(T.lvector()) end) -- of what rank?
    fails("ValueError", function() srng:uniform({ 3 }, 0, 1, 2) end)
    fails("ValueError", function() srng:uniform({ 3 }, { nstreams = 0 }) end)
    fails("TypeError", function() srng:uniform({ 3 }, { nstreams = 1.5 }) end)
    fails("TypeError", function() srng:uniform({ 3 }, { nstream = 1 }) end)
    fails("TypeError", function() srng.uniform({ 3 }) end)
    fails("TypeError", function() srng:uniform({ 3 }, 0, 1, nil, "int64") end)
    fails("NotImplementedError", function() srng:uniform({ 3 }, { low = T.dmatrix() }) end)
    assert.equal(0, #srng.state_updates) -- nothing was drawn, and the next draw is the first
    assert.equal(12345, srng.rstate[0])
  end)

  it("probabilities and numbers of picks", function()
    local srng = MRG()
    fails("NotImplementedError", function() srng:binomial({ 3 }, 2, 0.5) end)
    for _, p in ipairs({ 1.5, -0.1, 0 / 0, { 0.5, 2 } }) do
      fails("ValueError", function() srng:binomial({ 2 }, 1, p) end)
    end
    fails("TypeError", function() srng:multinomial {} end)
    fails("NotImplementedError", function() srng:multinomial { pvals = { 0.5, 0.5 } } end)
    fails("ValueError", function() srng:multinomial { size = { 3 }, pvals = { { 0.5, 0.5 } } } end)
    fails("ValueError", function() srng:multinomial { ndim = 2, pvals = { { 0.5, 0.5 } } } end)
    fails("ValueError", function() srng:multinomial { n = -1, pvals = { { 0.5, 0.5 } } } end)
    fails("NotImplementedError", function() srng:choice { p = { { 0.5, 0.5 } } } end)
    fails("TypeError", function() srng:choice { replace = false } end)
    fails("TypeError", function() srng:choice { replace = false, a = 3, p = { { 0.5, 0.5 } } } end)
    fails("ValueError", function() srng:choice { replace = false, ndim = 1, p = { { 0.5, 0.5 } } } end)
  end)

  it("found in a call leave the states as they were", function()
    local p, x = T.dmatrix("p"), T.dvector("x")
    for name, mode in pairs(modes) do
      local srng = MRG(7)
      local draw = srng:uniform({ 4 })
      local f = compiled({ srng:multinomial { pvals = p }, draw }, mode(), { p })
      local states = { srng.state_updates[1][1]:get_value(), srng.state_updates[2][1]:get_value() }
      for _, bad in ipairs({ { { -2, 2 } }, { { 0.2, 0.2 } }, { { 0 / 0, 1 } }, { { 3, -2 } } }) do
        fails("ValueError", function() f(nd.array(bad)) end)
      end
      local many = compiled({ srng:choice { p = p, replace = false, size = 2 }, draw }, mode(), { p })
      fails("ValueError", function() many(nd.array({ { 1 } })) end)
      fails("ValueError", function() many(nd.array({ { 1, 0, 0 } })) end)
      for i, state in ipairs(states) do
        assert(nd.array_equal(state, srng.state_updates[i][1]:get_value()), name)
      end
      local second = compiled({ draw * x }, mode(), { x })
      fails("ValueError", function() second(nd.ones({ 3 })) end)
      assert(nd.array_equal(states[1], srng.state_updates[1][1]:get_value()), name)
    end
  end)

  it("states that are none", function()
    for _, mode in pairs(modes) do
      local srng = MRG(7)
      local f = compiled({ srng:uniform({ 4 }, { nstreams = 10 }) }, mode())
      local states = srng.state_updates[1][1]
      local good = states:get_value()
      for _, bad in ipairs({ nd.zeros({ 10, 6 }, "int32"), nd.zeros({ 10, 5 }, "int32"), nd.zeros({ 0, 6 }, "int32"),
        -good }) do
        states:set_value(bad)
        fails("ValueError", f)
        assert(nd.array_equal(bad, states:get_value()))
      end
      fails("TypeError", function() states:set_value(nd.zeros({ 10, 6 })) end)
      states:set_value(good)
      f()
    end
  end)

  it("sizes that a call gives", function()
    local s = T.lvector("s")
    for _, mode in pairs(modes) do
      local srng = MRG()
      local f = compiled({ srng:uniform(s, 0, 1, 2) }, mode(), { s })
      local states = srng.state_updates[1][1]
      local before = states:get_value()
      for _, bad in ipairs({ { -1, 2 }, { 1, 2, 3 }, { 1 << 40, 1 << 40 }, { 1 << 31, 1 }, { 1 << 16, 1 << 15 } }) do
        fails("ValueError", function() f(nd.array(bad)) end)
      end
      assert.same({ 0, 2 }, { table.unpack(f(nd.array({ 0, 2 })).shape) })
      assert(nd.array_equal(before, states:get_value()))
      assert.same({ 2, 3 }, { table.unpack(f(nd.array({ 2, 3 })).shape) })
    end
  end)

  it("derivatives", function()
    local srng, x = MRG(), T.dscalar("x")
    for _, sample in ipairs({ srng:uniform({ 3 }, x, 1), srng:uniform({ 3 }, 0, x), srng:normal({ 3 }, x),
      srng:normal({ 3 }, 0, x) }) do
      fails("NullTypeGradError", function() T.grad(sample:sum(), x) end)
    end
    local y = (srng:uniform({ 3 }) * x):sum()
    local f = compiled({ T.grad(y, x), y / x }, nil, { x })
    local g, want = f(2.0)
    assert(nd.allclose(g, want, 1e-14))
  end)
end)
