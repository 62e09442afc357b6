--- Draws and what reads them in one kernel: when they become one, and that this changes no bit.
local cpu = require("spec.support.cpu")
local rotate = require("spec.support.rotate")
local runner = require("spec.support.runner")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local MRG, Key = theano.random.MRG_RandomStreams, theano.random.Key

local LINKERS = { "interpreter", "c" }

local function mode(linker, optimizer)
  return theano.compile.Mode { linker = linker, optimizer = optimizer or "fast_run" }
end

local function equal(want, got, what)
  assert.same(want.shape, got.shape, what)
  assert(want.dtype == got.dtype and nd.array_equal(want, got), what)
end

-- Logarithms and sines without fused multiply-adds, which a GPU has, have other last bits.
local FUSES = os.getenv("THEANO_ISA") ~= "sse2"
local function near(want, got, what)
  assert.same(want.shape, got.shape, what)
  assert(want.dtype == got.dtype and nd.allclose(want, got, 1e-5, 1e-5), what)
end

-- Is the draw's result never memory?
local function passes(f) return theano.printing.plan(f):find(", some at a time", 1, true) ~= nil end

local function numbers(shape, dtype)
  local n = 1
  for _, k in ipairs(shape) do n = n * k end
  return (nd.arange(n, { dtype = "float64" }) * 0.37 % 1.3 - 0.2):reshape(shape):astype(dtype)
end

local function forms(ndim)
  local list = {}
  for d = 1, ndim do list[d] = false end
  return list
end

-- What reads the numbers u beside x, an argument of the same form.
local READERS = {
  { "mask", function(u, x) return T.switch(T.lt(u, 0.3), x * 2, 0) end },
  { "small integers", function(u) return T.cast(T.lt(u, 0.5), "int8") end },
  { "interval", function(u) return u * 3 - 1 end },
  { "functions", function(u, x) return T.exp(u) + T.sqrt(u * x * x) end },
  { "complex", function(u) return T.cast(u, "complex128") * 2 end },
  { "two results", function(u, x) return u * x, T.exp(u * x) end },
}

-- f, which draws and reads, gives what reading the draw of `draw` gives; both called twice.
local function same(what, draw, read, x, linker, shape)
  local d = draw.dtype
  local u, given = T.tensor { dtype = d, broadcastable = draw.broadcastable }, numbers(shape, d)
  local plain = theano.compile { inputs = {}, outputs = draw, mode = mode("interpreter", "None") }
  local reader = theano.compile { inputs = { u, x }, outputs = table.pack(read(u, x)), mode = mode(linker),
    on_unused_input = "ignore" }
  local f = theano.compile { inputs = { x }, outputs = table.pack(read(draw, x)), mode = mode(linker),
    on_unused_input = "ignore" }
  return f, function(reset)
    local want = {}
    for i = 1, 2 do want[i] = table.pack(reader(plain(), given)) end
    reset()
    for i = 1, 2 do
      local got = table.pack(f(given))
      assert.equal(want[i].n, got.n)
      for k = 1, got.n do equal(want[i][k], got[k], ("%s, call %d, result %d"):format(what, i, k)) end
    end
  end
end

-- How many streams make how many numbers. A function each, so that through C some of them are tried a day.
local STREAMS = { { 1, 1 }, { 6, 6 }, { 1, 5000 }, { 6, 4099 }, { 511, 1300 }, { 512, 2048 }, { 513, 9000 },
  { 1023, 3000 }, { 1024, 4100 }, { 1025, 4096 }, { 15360, 7 }, { 15360, 40000 }, { 0, 3000 } }
local function some(linker, list) return linker == "c" and rotate.some(list, (#list + 1) // 2) or list end

describe("a draw and its reader", function()
  for _, linker in ipairs(LINKERS) do
    for _, r in ipairs(READERS) do
      it(linker .. ": " .. r[1], function()
        for _, c in ipairs(some(linker, STREAMS)) do
          for _, dtype in ipairs({ "float32", "float64" }) do
            local srng = MRG(5)
            local x = T.vector("x", { dtype = dtype })
            local u = srng:uniform({ c[2] }, { dtype = dtype, nstreams = c[1] > 0 and c[1] or nil })
            local what = ("%d streams, %d numbers, %s"):format(c[1], c[2], dtype)
            local f, check = same(what, u, r[2], x, linker, { c[2] })
            assert(c[2] == 1 or passes(f)) -- one number may be for all of x
            check(function() srng:seed(5) end)
          end
        end
      end)

      it(linker .. ": " .. r[1] .. ", of a key", function()
        for _, n in ipairs(some(linker, { 1, 3, 1023, 1024, 1025, 16384, 16385, 40001 })) do
          for _, dtype in ipairs({ "float32", "float64" }) do
            local x = T.vector("x", { dtype = dtype })
            local word = T.vector("key", { dtype = "uint32" })
            local u = Key(word):uniform({ n }, { dtype = dtype })
            local given, key = numbers({ n }, dtype), nd.array({ 7, 9 }, "uint32")
            local v = T.vector("v", { dtype = dtype })
            local plain = theano.compile { inputs = { word }, outputs = u, mode = mode("interpreter", "None") }
            local reader = theano.compile { inputs = { v, x }, outputs = table.pack(r[2](v, x)), mode = mode(linker),
              on_unused_input = "ignore" }
            local f = theano.compile { inputs = { word, x }, outputs = table.pack(r[2](u, x)), mode = mode(linker),
              on_unused_input = "ignore" }
            assert(n == 1 or passes(f))
            local want, got = table.pack(reader(plain(key), given)), table.pack(f(key, given))
            for k = 1, want.n do equal(want[k], got[k], n .. " " .. dtype) end
          end
        end
      end)
    end
  end

  it("of bits, which readers take as integers", function()
    for _, linker in ipairs(LINKERS) do
      for _, dtype in ipairs({ "uint32", "uint64" }) do
        local word = T.vector("key", { dtype = "uint32" })
        local bits = Key(word):bits({ 5001 }, dtype)
        local f = theano.compile { inputs = { word }, outputs = bits % 10, mode = mode(linker) }
        local g = theano.compile { inputs = { word }, outputs = bits, mode = mode(linker) }
        local key, all = nd.array({ 1, 2 }, "uint32"), T.vector("all", { dtype = dtype })
        local h = theano.compile { inputs = { all }, outputs = all % 10, mode = mode(linker) }
        equal(h(g(key)), f(key))
      end
    end
  end)

  it("of any form, and of lengths that only a call tells", function()
    for _, linker in ipairs(LINKERS) do
      for _, shape in ipairs({ { 0 }, { 3, 0 }, { 0, 5 }, { 1, 1 }, { 1, 700 }, { 700, 1 }, { 31, 1, 67 },
        { 2, 3, 5, 7 } }) do
        local srng = MRG(3)
        local x = T.tensor { dtype = "float64", broadcastable = forms(#shape), name = "x" }
        local u = srng:uniform(x.shape, { ndim = #shape, dtype = "float64" })
        local f = theano.compile { inputs = { x }, outputs = T.switch(T.lt(u, 0.5), x, -x), mode = mode(linker) }
        local plain = theano.compile { inputs = { x }, outputs = u, mode = mode("interpreter", "None") }
        assert(passes(f))
        local given = numbers(shape, "float64")
        local drawn = plain(given)
        srng:seed(3)
        local want = nd.where(nd.lt(drawn, 0.5), given, -given)
        equal(want, f(given), table.concat(shape, "x"))
      end
    end
  end)

  it("has the same bits for any number of threads, in both executors", function()
    cpu.only("the bits of the CPU's two executors")
    local function run(flags, threads)
      local text, status = runner.run({ "spec/support/draws.lua" },
        { env = { "THEANO_FLAGS=" .. flags, "OMP_NUM_THREADS=" .. threads } })
      assert(status == 0, text)
      return text
    end
    local alone = run("openmp=False", 1)
    local half = #alone // 2
    assert.equal(alone:sub(1, half), alone:sub(half + 1))
    for threads = 1, 3 do assert.equal(alone, run("openmp=True,openmp_elemwise_minsize=100", threads)) end
  end)
end)

describe("a draw stays in memory where", function()
  local function reads(build, more)
    local srng = MRG(2)
    local x = T.dmatrix("x")
    local outputs, inputs = build(srng, x)
    local spec = { inputs = inputs or { x }, outputs = outputs, mode = mode("interpreter"), on_unused_input = "ignore" }
    for k, v in pairs(more or {}) do spec[k] = v end
    return theano.compile(spec), srng, spec
  end

  -- The same as with each node by itself.
  local function right(f, srng, spec)
    local given = numbers({ 37, 411 }, "float64")
    local got = { table.pack(f(given)), table.pack(f(given)) }
    spec.mode = mode("interpreter", "None")
    srng:seed(2)
    local g = theano.compile(spec)
    for i = 1, 2 do
      for k, w in ipairs(table.pack(g(given))) do equal(w, got[i][k], k) end
    end
  end

  it("it is a result, too", function()
    local f, srng, spec = reads(function(s, x)
      local u = s:uniform({ 37, 411 }, { dtype = "float64" })
      return { u, T.lt(u, 0.5) * x }
    end)
    assert(not passes(f))
    right(f, srng, spec)
  end)

  it("a reduction reads it, or a second kernel", function()
    local f, srng, spec = reads(function(s, x)
      local u = s:uniform({ 37, 411 }, { dtype = "float64" })
      return { T.max(u, { axis = 0 }), T.lt(u, 0.5) * x, T.max(u * x, { axis = 1 }) }
    end)
    assert(not passes(f))
    right(f, srng, spec)
  end)

  it("it is read in another order, or beside rows or columns", function()
    for _, read in ipairs({
      function(u, x) return u.T * x.T end,
      function(u, x) return u + x[{ 1 }] end,
      function(u, x) return u + T.addbroadcast(x[":,1:2"], 1) end,
      function(u, x) return u * T.arange(411) + x end,
      function(u, x) return u["::-1"] + x end,
    }) do
      local f, srng, spec = reads(function(s, x)
        return read(s:uniform({ 37, 411 }, { dtype = "float64" }), x)
      end)
      right(f, srng, spec)
    end
  end)

  it("but reads strided arguments beside it where they are one run", function()
    for _, linker in ipairs(LINKERS) do
      local srng, x = MRG(2), T.dvector("x")
      local u = srng:uniform({ 3000 }, { dtype = "float64" })
      local f = theano.compile { inputs = { x }, outputs = u * x["::3"], mode = mode(linker) }
      local back = theano.compile { inputs = { x }, outputs = u * x["::-3"], mode = mode(linker) }
      local plain = theano.compile { inputs = {}, outputs = u, mode = mode("interpreter", "None") }
      local given = numbers({ 9000 }, "float64")
      local drawn = plain()
      assert(passes(f) and passes(back))
      srng:seed(2)
      equal(drawn * given["::3"], f(given))
      srng:seed(2)
      equal(drawn * given["::-3"], back(given))
    end
  end)
end)

describe("draws in one kernel with their readers", function()
  it("leave the states as they were where a call fails", function()
    for _, linker in ipairs(LINKERS) do
      local srng = MRG(4)
      local x = T.dvector("x")
      local kept = theano.shared(nd.zeros({ 70000 }), "kept")
      local u = srng:uniform({ 70000 }, { dtype = "float64" })
      local f = theano.compile { inputs = { x }, outputs = T.lt(u, 0.5) * x, updates = { { kept, kept + x } },
        mode = mode(linker) }
      local states = srng.state_updates[1][1]
      local good = states:get_value()
      local bad = good:copy()
      bad[{ bad.shape[1] - 1 }] = 0
      states:set_value(bad)
      local ok, e = pcall(f, nd.ones({ 70000 }))
      assert(not ok)
      assert.equal("ValueError", theano.error_kind(e))
      assert.truthy(tostring(e):find("mrg_uniform: the states are no states", 1, true), e)
      assert.truthy(tostring(e):find("draw_fusion_spec.lua:%d+:"), e)
      equal(bad, states:get_value(), linker)
      equal(nd.zeros({ 70000 }), kept:get_value(), linker)
      states:set_value(good)
      f(nd.ones({ 70000 }))
      equal(nd.ones({ 70000 }), kept:get_value(), linker)
    end
  end)

  it("what changes a shared variable in place waits for those that can fail", function()
    for _, linker in ipairs(LINKERS) do
      local srng = MRG(4)
      local w = theano.shared(nd.ones({ 5000 }), "w")
      local u = srng:uniform({ 5000 }, { dtype = "float64" })
      local f = theano.compile { inputs = {}, updates = { { w, w * T.lt(u, 0.5) } }, mode = mode(linker) }
      local states = srng.state_updates[1][1]
      local good = states:get_value()
      states:set_value(nd.zeros({ good.shape[1], 6 }, "int32"))
      assert(not pcall(f))
      equal(nd.ones({ 5000 }), w:get_value(), linker)
      states:set_value(good)
      f()
      local plain = theano.compile { inputs = {}, outputs = u, mode = mode("interpreter", "None") }
      srng:seed(4)
      equal(nd.lt(plain(), 0.5):astype("float64"), w:get_value(), linker)
    end
  end)

  it("overwrite their states only after all of them were looked at", function()
    for _, linker in ipairs(LINKERS) do
      local srng = MRG(4)
      local u = srng:uniform({ 1300 }, { dtype = "float32", nstreams = 1101 })
      local f = theano.compile { inputs = {}, outputs = T.lt(u, 0.5), mode = mode(linker) }
      assert.truthy(theano.printing.plan(f):find("a0: b0 int32 read [0]\n  a1: b0 int32 write [0]", 1, true))
      local states = srng.state_updates[1][1]
      local good = states:get_value()
      local function refuses(row, col, value, zeros)
        local bad = good:copy()
        for c = col, col + (zeros or 0) do bad[{ row, c }] = value end
        states:set_value(bad)
        local ok, e = pcall(f)
        assert(not ok and theano.error_kind(e) == "ValueError", ("row %d, column %d, %d"):format(row, col, value))
        equal(bad, states:get_value(), linker)
      end
      for _, row in ipairs({ 0, 1, 6, 7, 8, 9, 1023, 1024, 1091, 1092, 1099, 1100 }) do
        for col = 0, 5 do
          refuses(row, col, -1)
          refuses(row, col, col < 3 and 2147483647 or 2147462579)
        end
        refuses(row, 0, 0, 2)
        refuses(row, 3, 0, 2)
      end
      local edge = good:copy()
      edge[{ 5, 0 }], edge[{ 5, 1 }], edge[{ 5, 2 }], edge[{ 5, 3 }] = 0, 0, 2147483646, 2147462578
      states:set_value(edge)
      f()
      states:set_value(good)
      f()
      local after = states:get_value()
      srng:seed(4)
      theano.compile { inputs = {}, outputs = u, mode = mode("interpreter", "None") }()
      equal(states:get_value(), after, linker)
    end
  end)

  it("keep their states elsewhere where something can fail later", function()
    for _, linker in ipairs(LINKERS) do
      local srng, i, x = MRG(4), T.lvector("i"), T.dvector("x")
      local u = srng:uniform({ 900 }, { dtype = "float64" })
      local f = theano.compile { inputs = { x, i }, outputs = (u * x)[i], mode = mode(linker) }
      local two = theano.compile { inputs = {}, outputs = { u + 1, srng:uniform({ 30 }) + 1 }, mode = mode(linker) }
      local states = srng.state_updates[1][1]
      local before = states:get_value()
      assert(not pcall(f, nd.ones({ 900 }), nd.array({ 1, 900 })))
      equal(before, states:get_value(), linker)
      local second = srng.state_updates[2][1]
      local good = second:get_value()
      second:set_value(nd.zeros({ good.shape[1], 6 }, "int32"))
      assert(not pcall(two))
      equal(before, states:get_value(), linker)
      second:set_value(good)
      two()
      assert(not nd.array_equal(before, states:get_value()) and not nd.array_equal(good, second:get_value()))
    end
  end)

  it("in loops, as written", function()
    for _, linker in ipairs(LINKERS) do
      local function run(m)
        local srng = MRG(6)
        local x = T.dvector("x")
        local y, updates = theano.scan { fn = function(h)
          return h * T.lt(srng:uniform(h.shape, { ndim = 1, dtype = "float64" }), 0.9) + 1
        end, outputs_info = { x }, n_steps = 5 }
        local f = theano.compile { inputs = { x }, outputs = y, updates = updates, mode = m }
        local given = numbers({ 1201 }, "float64")
        f(given)
        return f(given), f
      end
      local want = run(mode("interpreter", "None"))
      local got, f = run(mode(linker))
      equal(want, got, linker)
      assert(passes(f))
    end
  end)

  it("for several readers, what is made of the numbers is kept, not these", function()
    for _, linker in ipairs(LINKERS) do
      local srng, x, w = MRG(6), T.fmatrix("x"), T.fmatrix("w")
      local h = T.switch(T.lt(srng:uniform(x.shape, { ndim = 2 }), 0.5), x, 0)
      local grad = T.grad(T.sum(T.tanh(T.dot(h, w))), x)
      local f = theano.compile { inputs = { x, w }, outputs = grad, mode = mode(linker) }
      local g = theano.compile { inputs = { x, w }, outputs = grad, mode = mode("interpreter", "None") }
      local a, b = numbers({ 40, 101 }, "float32"), numbers({ 101, 30 }, "float32")
      local got = f(a, b)
      srng:seed(6)
      assert(nd.allclose(g(a, b), got), linker)
      local plan = theano.printing.plan(f)
      assert(passes(f) and plan:find(": bool\n%s*%%%d+ = a%d+ := "), plan)
    end
  end)

  it("computed again for a gradient, they are the same numbers", function()
    for _, linker in ipairs(LINKERS) do
      local srng, x = MRG(6), T.dvector("x")
      local y = T.remat(T.nnet.dropout(T.tanh(x), 0.5, srng))
      local f = theano.compile { inputs = { x }, outputs = { y, T.grad(T.sum(y), x) }, mode = mode(linker) }
      local given = numbers({ 4001 }, "float64")
      local value, grad = f(given)
      local mask = value:astype("bool")
      equal(mask, grad:astype("bool"), linker)
    end
  end)

  it("each node by itself, with everything looked at", function()
    local srng, x = MRG(6), T.dvector("x")
    local f = theano.compile { inputs = { x }, outputs = T.nnet.dropout(x, 0.5, srng), mode = "DebugMode" }
    local g = theano.compile { inputs = { x }, outputs = T.nnet.dropout(x, 0.5, srng), mode = mode("c") }
    local given = numbers({ 501 }, "float64")
    local a = f(given)
    srng:seed(6)
    assert(a.shape[1] == 501 and g(given).shape[1] == 501)
  end)

  it("states that nobody wants have no memory", function()
    for _, linker in ipairs(LINKERS) do
      local srng = MRG(6)
      local u = srng:uniform({ 3000 }, { dtype = "float64" })
      local f = theano.compile { inputs = {}, outputs = T.lt(u, 0.5), no_default_updates = true, mode = mode(linker) }
      equal(f(), f())
      assert.truthy(theano.printing.plan(f):find("C=a%d A=a%d of"))
      local states = srng.state_updates[1]
      local only = theano.compile { inputs = {}, updates = { { states[1], states[2] } }, no_default_updates = true,
        mode = mode(linker) }
      assert(passes(only))
      local both = theano.compile { inputs = {}, outputs = u, mode = mode(linker) }
      only()
      local second = both()
      srng:seed(6)
      both()
      equal(both(), second)
    end
  end)

  it("of several elements under vmap", function()
    for _, linker in ipairs(LINKERS) do
      local srng, x = MRG(6), T.dmatrix("x")
      local y = T.vmap(function(v) return T.lt(srng:uniform({ 301 }, { dtype = "float64" }), 0.5) * v end)(x)
      local f = theano.compile { inputs = { x }, outputs = y, mode = mode(linker) }
      local given = numbers({ 7, 301 }, "float64") + 1
      local got = f(given)
      srng:seed(6)
      equal(theano.compile { inputs = { x }, outputs = y, mode = mode("interpreter", "None") }(given), got, linker)
      local key = Key(1)
      local z = T.vmap(function(v) return T.lt(key:uniform({ 301 }, { dtype = "float64" }), 0.5) * v end)(x)
      equal(theano.compile { inputs = { x }, outputs = z, mode = mode("interpreter", "None") }(given),
        theano.compile { inputs = { x }, outputs = z, mode = mode(linker) }(given), linker)
    end
  end)
end)

describe("the CUDA text of draws", function()
  local function on(device, fn)
    local _ <close> = theano.config.change_flags { device = device }
    return table.pack(fn())
  end

  -- What fn gives, called on both devices, bit for bit; `text`: what stands in the text of the kernels.
  local function alike(fn, text)
    local want = on("cpu", fn)
    local got = on("cuda-emulated", fn)
    local special = text:find("drawn2", 1, true) or text:find("sin_f32", 1, true)
    local agree = (FUSES or not special) and equal or near
    for i = 1, want.n - 1 do agree(want[i], got[i], text .. " " .. i) end
    local code = theano.printing.ccode(got[got.n])
    assert.matches("for CUDA", code, nil, true)
    assert.matches(text, code, nil, true)
    assert.is_nil(code:find("f->rt->draw(f", 1, true))
  end

  -- The n draws of draw(i) (of a stream of its own, where it names one): each takes its pairs in a kernel, whose text
  -- may be another's (an odd length is cut out of an even one): so many texts are there.
  local function pairs_alike(n, texts, draw)
    alike(function()
      local z, streams, results = {}, {}, {}
      for i = 1, n do z[i], streams[i] = draw(i) end
      local f = theano.compile { inputs = {}, outputs = z }
      for _ = 1, 2 do table.move(table.pack(f()), 1, n, #results + 1, results) end
      for i = 1, #streams do results[#results + 1] = streams[i].state_updates[1][1]:get_value() end
      if theano.config.device ~= "cpu" then
        local _, drawn = theano.printing.ccode(f):gsub("drawn2 = ", "")
        assert.equal(texts, drawn)
      end
      results[#results + 1] = f
      return table.unpack(results)
    end, "drawn2 = ")
  end

  it("draws from streams what the CPU draws, and leaves the same states", function()
    for _, c in ipairs({ { 1, 1 }, { 1, 700 }, { 6, 100 }, { 300, 299 }, { 513, 4000 } }) do
      for _, dtype in ipairs({ "float32", "float64" }) do
        alike(function()
          local srng = MRG(9)
          local u = srng:uniform({ c[2] }, { dtype = dtype, nstreams = c[1] })
          local f = theano.compile { inputs = {}, outputs = { u, T.switch(T.lt(u, 0.5), u * 2, -1) } }
          local a, b = f()
          local x, y = f()
          return a, b, x, y, srng.state_updates[1][1]:get_value(), f
        end, "mrg_next(y)")
      end
    end
  end)

  it("from keys, for several of them, and from streams for each element of a vmap", function()
    for _, dtype in ipairs({ "float32", "float64", "uint32", "uint64" }) do
      for _, n in ipairs({ 5, 1000 }) do
        alike(function()
          local function draw(k)
            return dtype:find("^u") and k:bits({ n }, dtype) or k:uniform({ n }, { dtype = dtype })
          end
          local words = T.vector("words", { dtype = "uint32" })
          local f = theano.compile { inputs = { words }, outputs = { draw(Key(words)) } }
          local g = theano.compile { inputs = { words }, on_unused_input = "ignore", outputs =
            T.vmap(function(i) return draw(Key(words):fold_in(i)) end)(T.arange(4)) }
          local given = nd.array({ 3, 0xffffffff }, "uint32")
          return f(given), g(given), g
        end, "philox(c, key[0], key[1])")
      end
    end
    alike(function()
      local srng, x = MRG(6), T.dmatrix("x")
      local y = T.vmap(function(v) return T.lt(srng:uniform({ 31 }, { dtype = "float64" }), 0.5) * v end)(x)
      local f = theano.compile { inputs = { x }, outputs = y }
      return f(numbers({ 7, 31 }, "float64") + 1), srng.state_updates[1][1]:get_value(), f
    end, "mrg_lane(x)")
  end)

  it("draws both numbers of a pair in one kernel, of lengths even and odd, by few streams and many", function()
    for _, dtype in ipairs({ "float32", "float64" }) do
      local cases = { { 1, 9 }, { 2, 4 }, { 3, 50 }, { 7, 6 }, { 5, 6 }, { 64, 1001 }, { 300, 299 }, { 33, 2112 },
        { nil, 5 }, { nil, 40000 }, { 40000, 30000 }, { 33000, 100001 } }
      pairs_alike(#cases, 10, function(i)
        local srng = MRG(9)
        return srng:normal({ cases[i][2] }, 0, 1, { dtype = dtype, nstreams = cases[i][1] }), srng
      end)
    end
    alike(function()
      local n, words = T.lscalar("n"), T.vector("words", { dtype = "uint32" })
      local z = { MRG(9):normal({ n, 3 }, { nstreams = 50 }), Key(words):normal({ n }, 0, 3, "float32") }
      local f, args = theano.compile { inputs = { n, words }, outputs = z }, nd.array({ 7, 8 }, "uint32")
      local list = {}
      for _, k in ipairs({ 0, 1, 2, 3, 7, 100 }) do
        for _, x in ipairs({ f(k, args) }) do list[#list + 1] = x end
      end
      list[#list + 1] = f
      return table.unpack(list)
    end, "drawn2 = ")
    for n = 1, 2 do -- these need no pairs
      alike(function()
        local srng = MRG(9)
        local f = theano.compile { inputs = {}, outputs = srng:normal({ n }, 1, 2, { dtype = "float32" }) }
        return f(), f(), srng.state_updates[1][1]:get_value(), f
      end, "kernel_")
    end
  end)

  it("..and by keys, wherever the second half begins in a counter", function()
    for _, dtype in ipairs({ "float32", "float64" }) do
      for _, word in ipairs({ 3, 9 }) do
        local sizes = { 4, 8, 10, 11, 12, 14, 16, 1000, 1001, 1002, 1003, 1004, 30000 }
        local key = Key(theano.shared(nd.array({ word, 0xffffffff }, "uint32")))
        pairs_alike(#sizes, 10, function(i) return key:fold_in(i):normal({ sizes[i] }, 1, 2, dtype) end)
      end
    end
  end)

  it("..where states are kept, or nobody wants them, beside another draw, and for what is updated", function()
    for _, default in ipairs({ true, false }) do
      alike(function()
        local srng = MRG(3)
        local a, b = srng:normal({ 70 }, 2, 3, { nstreams = 11 }), srng:normal({ 8, 9 }, { nstreams = 4 })
        local w = theano.shared(nd.zeros({ 70 }), "w")
        local f = theano.compile { inputs = {}, outputs = { a * 2, b, T.exp(b:sum()) }, updates = { { w, a } },
          no_default_updates = default }
        local x, y, z = f()
        local x2, y2, z2 = f()
        return x, y, x2, y2, w:get_value(), nd.array({ z, z2 }), srng.state_updates[1][1]:get_value(),
          srng.state_updates[2][1]:get_value(), f
      end, "drawn2 = ")
    end
    alike(function()
      local srng = MRG(3)
      local a, b = srng:normal({ 40 }), srng:normal({ 40 }, { truncate = true })
      local to, other = theano.shared(nd.zeros({ 40 }), "to"), theano.shared(nd.zeros({ 40 }), "other")
      local f = theano.compile { inputs = {}, outputs = { b }, updates = { { to, a }, { other, srng:normal({ 40 }) } } }
      local x, y = f(), f()
      return x, y, to:get_value(), other:get_value(), f
    end, "drawn2 = ")
  end)

  it("takes sines of literals' products with numbers, near and far", function()
    for i, factor in ipairs({ 3, 4000, 5000, 1e9, -7 }) do
      alike(function()
        local u = MRG(8):uniform({ 600 }, { dtype = "float32", nstreams = 90 })
        local x, y = u["0:300"], u["300:600"]
        local v = T.constant(nd.array(factor, "float32"))
        local f = theano.compile { inputs = {}, outputs = T.join(0, T.sin(v * y) * T.log(x), T.cos(y * v) + T.log(y)) }
        return f(), f(), f
      end, i == 3 and " sin_f32(" or "drawn2 = ")
    end
  end)

  it("refuses states of pairs that are none, and leaves all as it was", function()
    local _ <close> = theano.config.change_flags { device = "cuda-emulated" }
    local srng = MRG(4)
    local w = theano.shared(nd.ones({ 500 }), "w")
    local f = theano.compile { inputs = {}, outputs = {}, updates = { { w, srng:normal({ 500 }, { nstreams = 40 }) } } }
    local states = srng.state_updates[1][1]
    local bad = states:get_value()
    bad[{ 39 }] = 0
    states:set_value(bad)
    local ok, e = pcall(f)
    assert(not ok and tostring(e):find("mrg_uniform: the states are no states of MRG31k3p", 1, true), e)
    equal(bad, states:get_value())
    equal(nd.ones({ 500 }), w:get_value())
  end)

  it("refuses states that are none, and leaves all as it was", function()
    local _ <close> = theano.config.change_flags { device = "cuda-emulated" }
    local srng = MRG(4)
    local w = theano.shared(nd.ones({ 500 }), "w")
    local u = srng:uniform({ 500 }, { dtype = "float64" })
    local f = theano.compile { inputs = {}, outputs = T.lt(u, 0.5), updates = { { w, w + 1 } } }
    local states = srng.state_updates[1][1]
    local bad = states:get_value()
    bad[{ bad.shape[1] - 1 }] = 0
    states:set_value(bad)
    local ok, e = pcall(f)
    assert(not ok and tostring(e):find("mrg_uniform: the states are no states of MRG31k3p", 1, true), e)
    assert.equal("ValueError", theano.error_kind(e))
    equal(bad, states:get_value())
    equal(nd.ones({ 500 }), w:get_value())
  end)
end)
