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

-- ---- draws in graphs -----------------------------------------------------------------------------------------------
local function equal(a, b, what) assert(nd.array_equal(a, b), what) end

-- The first numbers of a seed's first draw.
local function first(seed, n, nstreams)
  local f = compiled({ MRG(seed):uniform { size = { n }, nstreams = nstreams } })
  return f
end

describe("a draw in a graph", function()
  it("runs in place and prints as Theano's", function()
    local u = MRG(1):uniform({ 4, 1 }, { dtype = "float32" })
    assert.truthy(theano.printing.debugprint(u, { file = "str" }):find(
      "mrg_uniform{TensorType(float32, matrix),no_inplace}.1", 1, true))
    local f = compiled({ u }, modes.fast_run())
    assert.truthy(theano.printing.debugprint(f, { file = "str" }):find(
      "mrg_uniform{TensorType(float32, matrix),inplace}.1", 1, true))
    assert.same({ false, true }, { table.unpack(u.broadcastable) })
  end)

  it("is one draw, whoever reads it, and two draws are two", function()
    for name, mode in pairs(modes) do
      local srng = MRG(3)
      local u, v = srng:uniform({ 50 }), srng:uniform({ 50 })
      local f = compiled({ u, u + 0, u * 2, v }, mode())
      local a, b, c, d = f()
      equal(a, b, name)
      equal(a * 2, c, name)
      assert(not nd.allclose(a, d), name)
      assert(not nd.allclose(a, (f())), name) -- the next call
    end
  end)

  it("goes on where another function with it stopped; no_default_updates freezes it", function()
    local want = first(5, 8)
    local w1, w2, w3 = want(), want(), want()
    local u = MRG(5):uniform({ 8 })
    local f, g = compiled({ u }), compiled({ u * 2 })
    local frozen = theano.compile { inputs = {}, outputs = u, no_default_updates = true }
    equal(w1, frozen())
    equal(w1, frozen())
    equal(w1, f())
    equal(w2 * 2, g())
    equal(w3, frozen())
    equal(w3, f())
  end)

  it("takes another state by givens, and a copy its own by swap", function()
    local want = first(5, 8)
    local w1, w2 = want(), want()
    local srng = MRG(5)
    local u = srng:uniform({ 8 })
    local states = srng.state_updates[1][1]
    local other = theano.shared(MRG(9):get_substream_rstates(1, "float64"))
    local given = theano.compile { inputs = {}, outputs = u, givens = { [states] = other } }
    local nine = first(9, 8, 1)()
    equal(nine, given())
    local f = compiled({ u })
    local own = theano.shared(states:get_value())
    local copy = f:copy { share_memory = false, swap = { [states] = own } }
    equal(w1, f())
    equal(w1, copy())
    equal(w2, copy())
    equal(w2, f())
    equal(own:get_value(), states:get_value())
  end)

  it("is drawn once under remat and in gradients", function()
    local x = T.dvector("x")
    for name, mode in pairs(modes) do
      local srng = MRG(5)
      local u = T.remat(srng:uniform({ 8 }))
      local y = T.tanh(u * x)
      local f = compiled({ u, T.grad(y:sum(), x) }, mode(), { x })
      local want = first(5, 8)
      for _ = 1, 2 do
        local a, g = f(nd.ones({ 8 }))
        equal(want(), a, name)
        assert(nd.allclose(g, a * (1 - nd.tanh(a) ^ 2), 1e-14), name)
      end
    end
  end)

  it("is the same in modes that watch", function()
    local want = first(5, 8)
    local w1, w2 = want(), want()
    for _, mode in ipairs({ "DebugMode", "NanGuardMode", "FAST_COMPILE", "None" }) do
      local u = MRG(5):uniform({ 8 })
      local m = mode == "NanGuardMode" and theano.compile.nanguardmode.NanGuardMode() or mode
      local f = theano.compile { inputs = {}, outputs = u + 1, mode = m }
      equal(w1 + 1, f(), mode)
      equal(w2 + 1, f(), mode)
    end
  end)

  it("has the same bits for any number of threads and instructions", function()
    local function draw(flags)
      local _ <close> = theano.config.change_flags(flags)
      local srng = MRG(8)
      local f = compiled({ srng:uniform({ 300, 401 }), srng:normal({ 77777 }, { dtype = "float32" }),
        srng:normal({ 7777 }) })
      f()
      return { f() }
    end
    local one, many = draw({ openmp = false }), draw({ openmp = true })
    for i, a in ipairs(one) do equal(a, many[i]) end
  end)

  it("for sizes around vectors and blocks of streams", function()
    local function plain(states, n) -- the recurrences as they are written
      local rows, out = {}, {}
      for i = 0, states.shape[1] - 1 do rows[i] = states[i]:tolist() end
      local m1, m2 = 2147483647, 2147462579
      for i = 0, n - 1 do
        local s = rows[i % states.shape[1]]
        local y = (4194304 * s[2] + 129 * s[3]) % m1
        local z = (32768 * s[4] + 32769 * s[6]) % m2
        s[1], s[2], s[3], s[4], s[5], s[6] = y, s[1], s[2], z, s[4], s[5]
        out[i + 1] = (y <= z and y - z + m1 or y - z) * 0x1p-31
      end
      local after = {}
      for i = 0, states.shape[1] - 1 do after[i + 1] = rows[i] end
      return nd.array(out, "float64"), nd.array(after, "int32")
    end
    for _, c in ipairs({ { 1, 1 }, { 2, 5 }, { 15, 16 }, { 17, 16 }, { 100, 33 }, { 511, 512 }, { 513, 512 },
      { 1100, 513 }, { 1024, 1030 }, { 2500, 1200 }, { 3, 600 } }) do
      for _, dtype in ipairs({ "float64", "float32" }) do
        local srng = MRG(c[1])
        local f = compiled({ srng:uniform({ c[1] }, { nstreams = c[2], dtype = dtype }) })
        local states = srng.state_updates[1][1]
        for _ = 1, 3 do
          local want, after = plain(states:get_value(), c[1])
          if dtype == "float32" then want = (want * 0x1p31):astype("float32") * nd.array(4.6566126e-10, "float32") end
          equal(want, f())
          equal(after, states:get_value())
        end
      end
    end
  end)
end)

describe("a draw in a loop", function()
  it("is carried from turn to turn, and on to the next call", function()
    for name, mode in pairs(modes) do
      local srng = MRG(5)
      local out, updates = theano.scan { fn = function(s) return s + srng:uniform({ 3 }) end,
        outputs_info = T.zeros({ 3 }), n_steps = 4 }
      local f = theano.compile { inputs = {}, outputs = out, updates = updates, mode = mode() }
      local want, sum = first(5, 3), nd.zeros({ 3 })
      for _ = 1, 2 do
        local got = f()
        for t = 0, 3 do
          sum = (t == 0 and nd.zeros({ 3 }) or sum) + want()
          assert(nd.allclose(sum, got[t], 1e-15), name)
        end
      end
    end
  end)

  it("has gradients through what is done with it", function()
    local x = T.dscalar("x")
    for name, mode in pairs(modes) do
      local srng = MRG(5)
      local out, updates = theano.scan { fn = function(s) return s * x + srng:uniform({ 3 }) end,
        outputs_info = T.zeros({ 3 }), n_steps = 3 }
      local g = T.grad(out[-1]:sum(), x)
      local f = theano.compile { inputs = { x }, outputs = { g, out }, updates = updates, mode = mode() }
      local want = first(5, 3)
      local u1, u2 = want(), want()
      assert(math.abs(f(0.5) - (u1 * 2 * 0.5 + u2):sum()) < 1e-12, name)
    end
  end)
end)

describe("the states of a draw", function()
  it("are known to what every method gives", function()
    local srng, p = MRG(5), { { 0.5, 0.5 } }
    local draws = {
      srng:uniform({ 2 }), srng:normal({ 2 }), srng:normal({ 2 }, { truncate = true }), srng:truncated_normal({ 2 }),
      srng:binomial({ 2 }), srng:multinomial { pvals = p }, srng:choice { replace = false, p = p },
      srng:multinomial_wo_replacement { pvals = p },
    }
    local place = 1
    for i, v in ipairs(draws) do
      assert.equal(srng.state_updates[place][1], v.rstate)
      assert.same({ v.rstate, srng.state_updates[place][2] }, v.update)
      place = place + ((i == 3 or i == 4) and 2 or 1) -- what is cut off draws again
    end
    local u = draws[1]
    local states, f = u.rstate:get_value(), compiled({ u })
    local drawn = f()
    f()
    u.rstate:set_value(states)
    equal(drawn, f())
    fails("AttributeError", function() return T.dscalar("x").rstate end)
  end)
end)

describe("a method that is none", function()
  it("is an AttributeError, which says whose it is", function()
    for object, names in pairs({
      [MRG(1)] = { poisson = "MRG_RandomStreams has no 'poisson': RandomStreams has it",
        unifrom = "MRG_RandomStreams has no 'unifrom': did you mean 'uniform'?" },
      [theano.random.Key(1)] = { unifrom = "a Key has no 'unifrom': did you mean 'uniform'?" },
      [nd.random.default_rng(1)] = { randn = "Generator has no 'randn': RandomState has it",
        xyzzy = "Generator has no 'xyzzy'" },
    }) do
      for name, text in pairs(names) do
        local e = fails("AttributeError", function() return object[name](object) end)
        assert.truthy(tostring(e):find(text, 1, true), e)
      end
    end
  end)
  it("arguments of other kinds go by their names", function()
    local e = fails("TypeError", function() T.nnet.dropout(T.dmatrix(), MRG(1), 0.5) end)
    assert.truthy(tostring(e):find("got an MRG_RandomStreams", 1, true), e)
    e = fails("TypeError", function() T.nnet.dropout(T.dmatrix(), 0.5, nd.random.RandomState(1)) end)
    assert.truthy(tostring(e):find("got a RandomState", 1, true), e)
  end)
end)

describe("vmap", function()
  it("draws for each element what its function draws, and once what it does not", function()
    local x = T.dvector("x")
    for name, mode in pairs(modes) do
      local srng = MRG(5)
      local outside = srng:uniform({ 3 })
      local y = T.vmap(function(v) return v + srng:uniform({ 2, 3 }) + 10 * outside, outside end)(x)
      local f = compiled({ y, outside }, mode(), { x })
      local base = MRG(5)
      local w = compiled({ base:uniform({ 3 }), base:uniform({ 2, 3 }) })
      for _ = 1, 2 do
        local got, mask = f(nd.zeros({ 4 }))
        local w1, w2 = w()
        equal(w1, mask, name)
        local parts = got - 10 * mask
        assert(nd.allclose(w2, parts[0], 1e-12), name) -- the first element draws as without vmap
        for i = 0, 3 do
          for j = 0, i - 1 do assert(not nd.allclose(parts[i], parts[j]), name) end
        end
      end
    end
  end)

  it("gives each element a part of the streams of its own", function()
    local srng, x = MRG(5), T.dvector("x")
    local y = T.vmap(function(v)
      return T.vmap(function(w) return w + srng:uniform({ 2 }) end)(v * T.ones({ 3 }))
    end)(x)
    local f = compiled({ y }, nil, { x })
    local states, seen = srng.state_updates[1][1]:get_value(), {}
    local all = f(nd.zeros({ 2 }))
    assert.same({ 2, 3, 2 }, { table.unpack(all.shape) })
    for _, row in ipairs(all:reshape({ 6, 2 }):tolist()) do
      assert.is_nil(seen[row[1]])
      seen[row[1]] = true
    end
    local want = compiled({ MRG(5):uniform({ 2 }) })
    want()
    equal(want(), f(nd.zeros({ 2 }))[0][0]) -- the states moved on as for one element
    assert.same({ 2, 6 }, { table.unpack(states.shape) })
  end)

  it("draws for each element in loops, too", function()
    local x = T.dvector("x")
    local function loop(srng, v)
      local out, updates = theano.scan { fn = function(s) return s + v + srng:uniform({ 2 }) end,
        outputs_info = T.zeros({ 2 }), n_steps = 3 }
      return out, updates:get(srng.state_updates[1][1])
    end
    for name, mode in pairs(modes) do -- the bodies of these loops are equal
      local srng, alone = MRG(5), MRG(5)
      local y, after = T.vmap(function(v) return loop(srng, v) end)(x)
      local states = srng.state_updates[1][1]
      local f = theano.compile { inputs = { x }, outputs = y, updates = { { states, after[0] } }, mode = mode() }
      local one, next_states = loop(alone, T.constant(0.0))
      local g = theano.compile { inputs = {}, outputs = one, updates = { { alone.state_updates[1][1], next_states } } }
      for _ = 1, 2 do
        local got = f(nd.zeros({ 3 }))
        assert(nd.allclose(g(), got[0], 1e-14), name)
        for i = 0, 2 do
          for j = 0, i - 1 do assert(not nd.allclose(got[i], got[j]), name) end
        end
      end
      equal(alone.state_updates[1][1]:get_value(), states:get_value(), name)
    end
    local srng = MRG(5) -- nothing of the loop is mapped
    local f = theano.compile { inputs = { x }, outputs = T.vmap(function(v)
      return v + (loop(srng, 0.0))
    end)(x) }
    local got = f(nd.zeros({ 2 }))
    assert(not nd.allclose(got[0], got[1]))
  end)

  it("draws for each element in loops that do nothing but draw", function()
    local x = T.dvector("x")
    local draws = {
      mrg = function() return MRG(5):uniform({ 2 }) end,
      key = function(i) return theano.random.Key(5):fold_in(i):uniform({ 2 }) end,
    }
    for name, mode in pairs(modes) do
      for kind, draw in pairs(draws) do
        local function loop() return (theano.scan { fn = draw, sequences = T.arange(3) }) end
        local f = compiled({ T.vmap(function() return loop() end)(x) }, mode(), { theano.In(x) })
        local got = f(nd.zeros({ 3 }))
        assert.same({ 3, 3, 2 }, { table.unpack(got.shape) })
        if kind == "mrg" then equal(compiled({ loop() })(), got[0], name) end
        for i = 0, 2 do
          for j = 0, i - 1 do assert(not nd.allclose(got[i], got[j]), name .. kind) end
        end
      end
    end
  end)

  it("leaves the draw of a jacobian as it is", function()
    local srng, x = MRG(5), T.dvector("x")
    local y = x ^ 2 * srng:uniform({ 3 })
    local f = compiled({ y, T.jacobian(y, x) }, nil, { x })
    local a, j = f(nd.array({ 1.0, 2.0, 3.0 }))
    assert(nd.allclose(nd.diag(a * 2 / nd.array({ 1.0, 2.0, 3.0 })), j, 1e-13))
  end)
end)

-- ---- what is drawn --------------------------------------------------------------------------------------------------
-- Kolmogorov and Smirnov's distance of sorted numbers from a distribution, times the root of how many there are: above
-- 1.95 once in a thousand seeds.
local function distance(a, cdf)
  local s, n = nd.sort(a:astype("float64"):ravel()), a.size
  local p, steps = cdf(s), nd.arange(0, n) / n
  return math.max((p - steps):max(), (steps + 1 / n - p):max()) * math.sqrt(n)
end
local function normal_cdf(x)
  local v = T.dvector("v")
  return theano.compile { inputs = { v }, outputs = 0.5 * T.erfc(-v / math.sqrt(2)) }(x)
end
local function correlation(a, b)
  a, b = a - a:mean(), b - b:mean()
  return (a * b):mean() / (a:std() * b:std())
end

describe("draws of a fixed seed", function()
  local n = 100000
  for _, dtype in ipairs({ "float32", "float64" }) do
    it("lie as their distribution does: " .. dtype, function()
      for _, seed in ipairs({ 1, 12345, 987654321 }) do
        local srng = MRG(seed)
        local function draw(v) return compiled({ v })() end
        local u, z = draw(srng:uniform({ n }, { dtype = dtype })), draw(srng:normal({ n }, { dtype = dtype }))
        assert(distance(u, function(x) return x end) < 1.95)
        assert(distance(z, normal_cdf) < 1.95)
        local t = draw(srng:normal({ n }, { dtype = dtype, truncate = true })):astype("float64")
        assert(t:min() >= -2 and t:max() <= 2)
        local spread = draw(srng:truncated_normal({ n }, 3, 0.5, { dtype = dtype })):astype("float64")
        assert(math.abs(spread:mean() - 3) < 0.01 and math.abs(spread:std() - 0.5) < 0.01)
        local b = draw(srng:binomial({ n }, 1, 0.3)):astype("float64")
        assert(math.abs(b:mean() - 0.3) < 0.006)
        for _, m in ipairs({ { 1, 0 }, { 2, 1 }, { 3, 0 }, { 4, 3 } }) do -- moments
          assert(math.abs((z:astype("float64") ^ m[1]):mean() - m[2]) < 5 * math.sqrt(96 / n))
        end
      end
    end)
  end

  it("do not depend on each other: streams, draws, calls, lags, lanes", function()
    local srng, x = MRG(77), T.dvector("x")
    local function rows() return srng:uniform({ 200, 512 }, { nstreams = 512 }) end
    local f = compiled({ rows(), rows() })
    local a, other = f()
    local later = f()
    local columns = a.T:copy()
    local limit = 5 / math.sqrt(a.size)
    assert(math.abs(correlation(a, other)) < limit)
    assert(math.abs(correlation(a, later)) < limit)
    for _, lag in ipairs({ 1, 2, 3, 7 }) do
      assert(math.abs(correlation(columns[("%d:"):format(lag)], columns[(":%d"):format(512 - lag)])) < limit) -- streams
      assert(math.abs(correlation(a[("%d:"):format(lag)], a[(":%d"):format(200 - lag)])) < limit)
    end
    local draws = T.vmap(function(v) return v + srng:uniform({ 20000 }) end)(x)
    local lanes = compiled({ draws }, nil, { x })(nd.zeros({ 4 }))
    for i = 0, 3 do
      for j = 0, i - 1 do assert(math.abs(correlation(lanes[i], lanes[j])) < 5 / math.sqrt(20000)) end
    end
  end)

  it("pick by their probabilities", function()
    local p = { { 0.1, 0.2, 0.7 }, { 0.5, 0.0, 0.5 } }
    local srng = MRG(4)
    local counts = compiled({ srng:multinomial { n = 20000, pvals = p } })()
    assert.same({ 20000, 20000 }, counts:sum(1):tolist())
    assert(nd.abs(counts / 20000 - nd.array(p)):max() < 0.02)
    local f = compiled({ srng:choice { size = 2, replace = false, p = p } })
    local first_picks = { 0, 0, 0 }
    for _ = 1, 500 do
      local picks = f()
      assert.is_true(picks[{ 0, 0 }] ~= picks[{ 0, 1 }])
      assert.same({ 0, 2 }, nd.sort(picks[1]):tolist())
      first_picks[picks[{ 0, 0 }] + 1] = first_picks[picks[{ 0, 0 }] + 1] + 1
    end
    for i = 1, 3 do assert(math.abs(first_picks[i] / 500 - p[1][i]) < 0.1) end
  end)
end)
