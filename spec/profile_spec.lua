--- Profiles: counted calls and steps, times that add up, Theano's summary, printing at the end; and allow_gc.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")
local theano = require("theano")
local T = require("theano.tensor")
local compile = theano.compile

local x, w = T.dmatrices("x", "w")
local function outputs() return { T.tanh(T.dot(x, w) + 1):sum(), T.sort(x, 0) } end
local interpreted = compile.Mode({ linker = "interpreter" })

describe("a profile", function()
  it("is there only where it was asked for", function()
    assert.is_false(compile({ x }, x * 2, { mode = interpreted }).profile.enabled)
    assert.is_false(compile({ x }, x * 2, { mode = interpreted, profile = false }).profile.enabled)
    local scope <close> = theano.config.change_flags({ profile = true })
    assert.equal(0, compile({ x }, x * 2, { mode = interpreted }).profile.fct_callcount)
    assert.is_true(compile({ x }, x * 2, { mode = interpreted }).profile.enabled)
    assert.is_false(compile({ x }, x * 2, { mode = interpreted, profile = false }).profile.enabled)
    assert.is_truthy(scope)
  end)

  it("that was not asked for says what to do, whatever is asked of it", function()
    local f = compile({ x }, x * 2, { mode = interpreted, name = "twice" })
    local why = { "<theano function twice> measures nothing", "profile = true" }
    raises("RuntimeError", why, function() f:profile() end)
    raises("RuntimeError", why, function() f.profile:summary() end)
    raises("RuntimeError", why, function() return f.profile.steps[1] end)
    assert.truthy(tostring(f.profile):find(why[1], 1, true))
  end)

  for _, mode in ipairs({ interpreted, compile.Mode({}) }) do
    it("counts calls, failed ones and steps; their times add up, in " .. tostring(mode.linker), function()
      local f = compile({ x, w }, outputs(), { mode = mode, profile = true, name = "train" })
      local plain = compile({ x, w }, outputs(), { mode = mode })
      local a, b = nd.ones({ 20, 30 }), nd.arange(60.0):reshape({ 30, 2 })
      local want, sorted = plain(a, b)
      for _ = 1, 5 do
        local got, order = f(a, b)
        assert.equal(want, got)
        assert.same(sorted:tolist(), order:tolist())
      end
      assert.is_false((pcall(f, a, a)))
      f:bind(a, b)()
      local p = f.profile
      assert.equal(7, p.fct_callcount)
      local total, calls, nodes = 0, 0, 0
      for _, s in ipairs(p.steps) do
        total, calls, nodes = total + s.time, calls + s.calls, nodes + #s.nodes
        assert.equal(6, s.calls)
        assert.truthy(s.time > 0)
      end
      assert.equal(#f.maker.fgraph.toposort(), nodes)
      assert.equal(6 * #p.steps, calls)
      assert.truthy(math.abs(total - p.vm_call_time) < 1e-9)
      assert.truthy(p.fct_call_time >= p.vm_call_time)
      assert.truthy(p.compile_time >= p.optimizer_time + p.linker_time)
      local by_node = 0
      for node, count in pairs(p.apply_callcount) do
        assert.truthy(node.op.name)
        assert.equal(6, count)
        by_node = by_node + 1
      end
      assert.equal(#p.steps, by_node)
    end)
  end

  it("names every call of the library in a step, and counts the step under it", function()
    local images, filters, b = T.tensor4("images"), T.tensor4("filters"), T.vector("b")
    local v = T.nnet.conv2d(images, filters) + b:dimshuffle("x", 0, "x", "x")
    v = T.signal.pool.pool_2d(T.tanh(v) * T.exp(v - 1), { 2, 2 }, { ignore_border = true })
    local f = compile({ images, filters, b }, T.tanh(v * T.sqr(v) - 1) / (1 + T.sqr(v)),
      { mode = interpreted, profile = true })
    f(nd.ones({ 1, 1, 5, 5 }), nd.ones({ 1, 1, 2, 2 }), nd.ones({ 1 }))
    assert.equal(1, #f.profile.steps)
    assert.equal("CorrMM", f.profile.steps[1].op)
    local g = compile({ x, w }, T.tanh(T.dot(x, w) + 1), { mode = interpreted, profile = true })
    assert.equal("Dot22", g.profile.steps[1].op)
    for _, name in ipairs({ "^Elemwise{Composite{", "Pool{ignore_border=True, mode='max', ndim=2}",
      "CorrMM{valid, (1, 1), (1, 1), 1 False}$" }) do
      assert.truthy(f.profile.steps[1].title:find((name:gsub("[-(){}]", "%%%0"))), f.profile.steps[1].title)
    end
  end)

  it("prints Theano's summary, cut to the number of lines that the flags say", function()
    local f = compile({ x, w }, outputs(), { mode = interpreted, profile = true, name = "train" })
    f(nd.ones({ 2, 2 }), nd.ones({ 2, 2 }))
    local text = tostring(f.profile)
    assert.truthy(text:find("Message: train\n", 1, true))
    assert.truthy(text:find("Time in 1 calls to Function.__call__: ", 1, true))
    assert.truthy(text:find("<Apply name>", 1, true))
    assert.truthy(text:find("Lib +1  %[%d%]   SortOp"))
    assert.falsy(text:find("not shown", 1, true))
    local scope <close> = theano.config.change_flags({ ["profiling.n_apply"] = 1, ["profiling.n_ops"] = 0 })
    text = tostring(f.profile)
    assert.truthy(text:find("(remaining 2 Apply instances not shown)", 1, true))
    assert.truthy(text:find("(remaining 3 Classes not shown)", 1, true))
    local path = os.tmpname()
    for _ = 1, 3 do collectgarbage() end -- functions of before write nothing more
    do
      local other <close> = theano.config.change_flags({ ["profiling.destination"] = path })
      f.profile:summary()
      f.profile:summary()
      assert.is_truthy(other)
    end
    local file = assert(io.open(path))
    local written = file:read("a")
    file:close()
    os.remove(path)
    assert.equal(text .. text, written)
    assert.is_truthy(scope)
  end)

  it("is printed when the function dies, if it was called", function()
    local path = os.tmpname()
    local scope <close> = theano.config.change_flags({ ["profiling.destination"] = path })
    compile({ x }, x * 2, { mode = interpreted, profile = true, name = "called" })(nd.ones({ 1, 1 }))
    compile({ x }, x * 2, { mode = interpreted, profile = true, name = "never" })
    for _ = 1, 3 do collectgarbage() end
    local file = assert(io.open(path))
    local written = file:read("a")
    file:close()
    os.remove(path)
    assert.truthy(written:find("Message: called", 1, true))
    assert.falsy(written:find("Message: never", 1, true))
    assert.is_truthy(scope)
  end)

  it("of a copy is asked for on its own", function()
    local f = compile({ x }, x * 2, { mode = interpreted, profile = true })
    assert.is_false(f:copy().profile.enabled)
    assert.equal(0, f:copy({ profile = true }).profile.fct_callcount)
  end)

  it("refuses what it does not know", function()
    local f = compile({ x }, x * 2, { mode = interpreted, profile = true })
    raises("AttributeError", "a profile has", function() error(f.profile.calls) end)
    raises("TypeError", "profile is a string, boolean is expected", function()
      compile({ inputs = { x }, profile = "yes" })
    end)
  end)
end)

describe("allow_gc", function()
  it("gives the memory of temporaries back after each call", function()
    local v = T.dvector("v")
    local function kept(flag)
      local scope <close> = theano.config.change_flags({ allow_gc = flag })
      local f = compile({ v }, T.sort(T.sort(v * 2, 0) * 3, 0):sum(), { mode = interpreted })
      local a = nd.ones(100000)
      local before = theano.stat("live_bytes") - theano.stat("cache_bytes")
      assert.equal(600000.0, f(a))
      assert.equal(600000.0, f(a))
      assert.is_truthy(scope)
      return theano.stat("live_bytes") - theano.stat("cache_bytes") - before
    end
    assert.truthy(kept(false) > 800000)
    assert.truthy(kept(true) < 100000)
  end)

  it("of a function on a GPU has the times of the GPU", function()
    local device = require("spec.support.device")
    local scope <close> = theano.config.change_flags(device.flags)
    local v = theano.shared(nd.ones({ 4, 3 }), { name = "v" })
    local y = T.dot(x, v)
    local f = compile({ x }, { T.tanh(y + 1):sum(), T.sort(y, 0) }, { profile = true, updates = { { v, v * 0.5 } } })
    local g = compile({ x }, { T.tanh(y + 1):sum(), T.sort(y, 0) })
    local a = nd.arange(8):astype("float64"):reshape({ 2, 4 })
    local want = { g(a) }
    local before = theano.cuda.memory().launches
    local got = { f(a) }
    assert.is_true(theano.cuda.memory().launches > before)
    assert.is_true(nd.array_equal(want[2], got[2]))
    for _ = 1, 3 do f(a) end
    local steps, there = f.profile.steps, 0
    for i = 1, #steps do
      assert.equal(4, steps[i].calls)
      if steps[i].time > 0 then there = there + 1 end
    end
    assert.is_true(there > 1)
    assert.matches("  Gpu  ", tostring(f.profile), nil, true)
    assert.is_truthy(scope)
  end)
end)

describe("a profile", function()
  it("costs less than 2 % of a training step's instructions when on", function()
    skip.unless(os.getenv("TH_ALL") and theano.config.cxx ~= "", "TH_ALL=1 and a C compiler: valgrind takes seconds")
    skip.without_program("valgrind")
    local folder = runner.folder()
    runner.write(folder .. "/step.lua", [[
      local theano = require("theano")
      local T, nd = theano.tensor, theano.ndarray
      theano.config["compile.tiers"] = false
      local x, y = T.fmatrix("x"), T.lvector("y")
      local function zeros(...) return theano.shared(nd.zeros({ ... }, "float32")) end
      local w1, b1, w2, b2 = zeros(784, 500), zeros(500), zeros(500, 10), zeros(10)
      local p = T.nnet.softmax(T.dot(T.tanh(T.dot(x, w1) + b1), w2) + b2)
      local cost, updates = T.nnet.categorical_crossentropy(p, y):mean(), {}
      for i, v in ipairs({ w1, b1, w2, b2 }) do updates[i] = { v, (v - 0.01 * T.grad(cost, v)):astype("float32") } end
      local f = theano.compile({ inputs = { x, y }, outputs = cost, updates = updates, profile = arg[1] == "on" })
      if arg[1] == "on" then require("theano.profile").hush(f) end
      local images, digits = nd.ones({ 20, 784 }, "float32"), nd.zeros({ 20 }, "int64")
      for _ = 1, tonumber(arg[2]) do f(images, digits) end]])
    local function count(on, calls)
      local pipe = io.popen(("THEANO_FLAGS=openmp=False valgrind --tool=callgrind --callgrind-out-file=/dev/null %s "
        .. "%s/step.lua %s %d 2>&1"):format(runner.path, folder, on, calls))
      local text = pipe:read("a")
      pipe:close()
      return tonumber(text:match("Collected : (%d+)")) or error(text)
    end
    local off = count("off", 25) - count("off", 5)
    local on = count("on", 25) - count("on", 5)
    runner.remove(folder)
    assert.is_true(off > 1e7)
    assert.is_true(on < 1.02 * off, ("%d instructions in 20 steps, %d without"):format(on, off))
  end)
end)
