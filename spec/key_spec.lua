--- theano.random.Key: Philox4x32-10 as published, keys made of keys, and draws that depend on their key alone.
local raises = require("spec.support.raises")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local Key = theano.random.Key

local modes = {
  fast_run = function() return theano.compile.Mode { linker = "c", optimizer = "fast_run" } end,
  interpreter = function() return theano.compile.Mode { linker = "interpreter", optimizer = "fast_run" } end,
  as_written = function() return theano.compile.Mode { linker = "interpreter", optimizer = "None" } end,
}

local function value(v, mode, inputs, ...)
  local f = theano.compile { inputs = inputs or {}, outputs = theano.Out(v, { array = true }), mode = mode and mode() }
  return f(...)
end
local function equal(a, b, what) assert(a.dtype == b.dtype and nd.array_equal(a, b), what) end

describe("Philox4x32-10", function()
  -- The known answers of Random123's kat_vectors: counter, key, result.
  local F = 0xffffffff
  local known = {
    { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
    { { F, F, F, F }, { F, F }, { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
    { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 }, { 0xa4093822, 0x299f31d0 },
      { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
  }
  local function words(t) return nd.array(t, "uint32") end

  for name, mode in pairs(modes) do
    it(name .. ": gives the published numbers", function()
      for _, k in ipairs(known) do
        equal(words(k[3]), value(T.random.philox(words(k[2]), words(k[1]), { 4 }), mode))
      end
      equal(words(known[1][3]), value(Key(0):bits({ 4 }), mode))
    end)
  end

  it("counts on past the end of a word", function()
    local at = { F - 1, F, F, 7 }
    local run = value(T.random.philox(words({ 3, 4 }), words(at), { 16 }))
    for b, from in ipairs({ at, { F, F, F, 7 }, { 0, 0, 0, 8 }, { 1, 0, 0, 8 } }) do
      equal(value(T.random.philox(words({ 3, 4 }), words(from), { 4 })), run[("%d:%d"):format(4 * b - 4, 4 * b)])
    end
  end)

  it("has the words of all lengths, as integers and as fractions", function()
    local key = Key(5)
    local all = value(key:bits({ 40000 }))
    for _, n in ipairs({ 0, 1, 3, 4, 5, 1023, 1024, 1025, 16383, 16384, 16389, 40000 }) do
      local part = all[("0:%d"):format(n)]
      equal(part, value(key:bits({ n })))
      equal((part >> nd.array(8, "uint32")):astype("float32") * nd.array(0x1p-24, "float32"),
        value(key:uniform({ n }, { dtype = "float32" })))
      local pairs_of = all[("0:%d"):format(2 * (n // 2))]:reshape({ n // 2, 2 })
      local low, high = pairs_of["::, 0"]:astype("uint64"), pairs_of["::, 1"]:astype("uint64")
      equal((high << nd.array(32, "uint64")) | low, value(key:bits({ n // 2 }, "uint64")))
      equal(((low >> nd.array(5, "uint64")):astype("float64") * 0x1p26
        + (high >> nd.array(6, "uint64")):astype("float64")) * 0x1p-53, value(key:uniform({ n // 2 })))
    end
  end)
end)

describe("a key", function()
  it("gives the same numbers at every call, in every mode, for any number of threads", function()
    local key = Key(11)
    local k = T.vector("k", { dtype = "uint32" })
    local function draws(of)
      return { of:uniform({ 301, 17 }), of:normal({ 333 }), of:normal({ 9 }, { dtype = "float32" }),
        of:bernoulli({ 99 }, 0.3), of:randint({ 50 }, -5, 17), of:bits({ 70000 }) }
    end
    local want
    for _, threads in ipairs({ false, true }) do
      local _ <close> = theano.config.change_flags { openmp = threads }
      for name, mode in pairs(modes) do
        for _, of in ipairs({ key, Key(k) }) do
          local f = theano.compile { inputs = { k }, outputs = draws(of), mode = mode(), on_unused_input = "ignore" }
          for _ = 1, 2 do
            local got = { f(nd.array({ 11, 0 }, "uint32")) }
            want = want or got
            for i, a in ipairs(got) do equal(want[i], a, name) end
          end
        end
      end
    end
  end)

  it("is made of an integer, also in the graph", function()
    for _, seed in ipairs({ 0, 1, -1, 1 << 40, -(1 << 52), math.mininteger, math.maxinteger }) do
      local s = T.lscalar("s")
      local data = nd.array({ seed & 0xffffffff, seed >> 32 }, "uint32")
      equal(data, value(Key(seed).data))
      equal(data, value(Key(s).data, nil, { s }, seed))
      equal(value(Key(3):fold_in(seed).data), value(Key(3):fold_in(s).data, nil, { s }, seed))
    end
    local w = T.scalar("w", { dtype = "uint64" })
    equal(nd.array({ 7, 1 << 31 }, "uint32"), value(Key(w).data, nil, { w }, nd.array(7 | 1 << 63, "uint64")))
  end)

  it("splits into keys that share nothing", function()
    local seen, n = {}, 0
    local function add(key)
      local at = value(key.data):tolist()
      local name = at[1] .. " " .. at[2]
      assert.is_nil(seen[name])
      seen[name], n = true, n + 1
    end
    for seed = 0, 3 do
      local key = Key(seed)
      for _, k in ipairs(key:split(5)) do
        add(k)
        add(k:fold_in(0))
      end
      for i = -2, 2 do add(key:fold_in(i)) end
    end
    assert.equal(60, n)
    local one, two = Key(9):split(2), Key(9):split(3)
    for i = 1, 2 do equal(value(one[i].data), value(two[i].data)) end -- the first ones whatever n is
  end)

  it("moves on in a loop", function()
    local key = Key(4)
    local out = theano.scan { fn = function(i) return key:fold_in(i):uniform({ 3 }) end, sequences = T.arange(5) }
    for name, mode in pairs(modes) do
      local got = value(out, mode)
      for i = 0, 4 do equal(value(key:fold_in(i):uniform({ 3 })), got[i], name) end
    end
    local function step(k) return Key(k):split(2)[2].data end
    local data = theano.scan { fn = step, outputs_info = key.data, n_steps = 3 }
    local want = key
    for i = 0, 2 do
      want = want:split(2)[2]
      equal(value(want.data), value(data)[i])
    end
  end)

  it("is each element's own under vmap", function()
    local key, x = Key(6), T.dvector("x")
    for name, mode in pairs(modes) do
      local keys = T.random.philox(key.data, nd.array({ 0, 0, 0, 1 }, "uint32"), { 3, 2 }) -- what split gives
      local mapped = value(T.vmap(function(k) return Key(k):normal({ 4 }) end)(keys), mode)
      for i, k in ipairs(key:split(3)) do equal(value(k:normal({ 4 }), mode), mapped[i - 1], name) end
      local drawn = value(T.vmap(function(v) return v + key:uniform({ 4 }) end)(x), mode, { x }, nd.zeros({ 3 }))
      for i = 0, 2 do equal(value(key:fold_in(i):uniform({ 4 }), mode), drawn[i], name) end
      local outside = key:uniform({ 4 })
      local same = value(T.vmap(function(v) return v + outside end)(x), mode, { x }, nd.zeros({ 3 }))
      for i = 0, 2 do equal(value(outside, mode), same[i], name) end
    end
    local nested = T.vmap(function(v)
      return T.vmap(function(w) return w + key:uniform({ 2 }) end)(v * T.ones({ 2 }))
    end)(x)
    local got = value(nested, nil, { x }, nd.zeros({ 3 }))
    for i = 0, 2 do
      for j = 0, 1 do
        local want = value(key:fold_in(j):fold_in(i):uniform({ 2 }))
        local other = value(key:fold_in(i):fold_in(j):uniform({ 2 }))
        assert(nd.array_equal(want, got[i][j]) or nd.array_equal(other, got[i][j]) or i + j > 0)
        for a = 0, i do
          for b = 0, a == i and j - 1 or 1 do assert(not nd.array_equal(got[a][b], got[i][j])) end
        end
      end
    end
  end)

  it("lets gradients through to parameters", function()
    local m, s = T.dscalar("m"), T.dscalar("s")
    local z = Key(2):normal({ 5 }, m, s)
    local f = theano.compile { inputs = { m, s }, outputs = { z, T.grad(z:sum(), m), T.grad((z ^ 2):sum(), s) } }
    local a, gm, gs = f(1.0, 2.0)
    assert.equal(5.0, gm)
    assert(math.abs(gs - (2 * a * (a - 1) / 2):sum()) < 1e-12)
    local key = Key(m:astype("int64"))
    assert(pcall(T.grad, key:uniform({ 3 }, 0, s):sum(), s))
  end)

  it("draws what it says", function()
    local key = Key(1)
    local n = 200000
    local u, z = value(key:uniform({ n }, -1, 3)), value(key:normal({ n }, 2, 0.5))
    assert(u:min() >= -1 and u:max() < 3 and math.abs(u:mean() - 1) < 0.01)
    assert(math.abs(z:mean() - 2) < 0.005 and math.abs(z:std() - 0.5) < 0.005)
    local b, r = value(key:bernoulli({ n }, 0.2)), value(key:randint({ n }, -2, 4))
    assert(math.abs(b:astype("float64"):mean() - 0.2) < 0.005)
    local counts = nd.bincount(r + 2)
    assert.same({ 6 }, { table.unpack(counts.shape) })
    assert(nd.abs(counts - n / 6):max() < 5 * math.sqrt(n / 6))
    assert.same({ 0, 3 }, { table.unpack(value(key:normal({ 0, 3 })).shape) })
    assert.equal(0, value(key:normal({})).ndim)
  end)

  it("is known while compiling, but what it draws is not", function()
    local function operations(v)
      local names = {}
      local f = theano.compile { inputs = {}, outputs = v, mode = modes.interpreter() }
      for i, node in ipairs(f.maker.fgraph:toposort()) do names[i] = tostring(node.op) end
      return names
    end
    assert.same({}, operations(Key(1):split(2)[2]:fold_in(3).data))
    assert.same({ "Philox{TensorType(float64, vector)}" }, operations(Key(1):split(2)[2]:uniform({ 100 })))
  end)

  it("refuses what is none", function()
    local key = Key(1)
    for _, bad in ipairs({ 1.5, "a", T.dscalar(), T.lvector(), {} }) do
      raises("TypeError", "seed", function() local _ = Key(bad) end)
      raises("TypeError", "number", function() local _ = key:fold_in(bad) end)
    end
    raises("ValueError", "at least 1", function() local _ = key:split(0) end)
    raises("TypeError", "integer", function() local _ = key:split(1.5) end)
    raises("TypeError", "size", function() local _ = key:uniform() end)
    raises("TypeError", "size", function() local _ = key:uniform(3) end)
    raises("ValueError", "-1", function() local _ = key:uniform({ -1 }) end)
    raises("TypeError", "dtype", function() local _ = key:bits({ 1 }, "int32") end)
    raises("TypeError", "dtype", function() local _ = key:uniform({ 1 }, { dtype = "int8" }) end)
    raises("ValueError", "[0, 1]", function() local _ = key:bernoulli({ 2 }, 2) end)
    raises("ValueError", "below", function() local _ = key:randint({ 2 }, 3, 3) end)
    raises("TypeError", "integer", function() local _ = key:randint({ 2 }, 0.5, 3) end)
    raises("TypeError", "low and high", function() local _ = key:randint({ 2 }, 0) end)
    raises("TypeError", "key:uniform", function() local _ = key.uniform({ 3 }) end)
    local k, s = T.vector("k", { dtype = "uint32" }), T.lvector("s")
    local f = theano.compile { inputs = { k, s }, outputs = Key(k):uniform(s, { ndim = 1 }) }
    raises("ValueError", "2 words", function() local _ = f(nd.array({ 1 }, "uint32"), nd.array({ 3 })) end)
    raises("ValueError", "negative", function() local _ = f(nd.array({ 1, 2 }, "uint32"), nd.array({ -3 })) end)
    raises("TypeError", "uint32 vector", function() local _ = T.random.philox(T.lvector(), T.lvector(), { 3 }) end)
  end)
end)
