--- compile.tiers: the first result comes from the interpreter, the built unit takes over between calls, and nobody can
-- tell from the numbers.
local cpu = require("spec.support.cpu")
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local system = require("system")

local function with(flags, body)
  skip.unless(theano.config.cxx ~= "", "no C compiler")
  cpu.settled()
  local before, folder = {}, os.tmpname() .. ".d"
  flags["compile.tiers"] = flags["compile.tiers"] ~= false
  flags.base_compiledir = flags.base_compiledir or folder
  for k, v in pairs(flags) do
    before[k] = theano.config[k]
    theano.config[k] = v
  end
  local ok, e = pcall(body, flags.base_compiledir)
  for k, v in pairs(before) do theano.config[k] = v end
  os.execute("rm -rf " .. folder)
  assert(ok, e)
end

-- Calls f until the compiler has come to an end; how often it was called.
local function until_built(f, compiles)
  local stop, n = system.monotime() + 300, 0
  while theano.stat("compiles") == compiles and system.monotime() < stop do
    f()
    n = n + 1
  end
  assert.equal(compiles + 1, theano.stat("compiles"), "nothing was built within five minutes")
  return n
end

local function files(folder, pattern)
  local p = assert(io.popen("ls " .. folder .. "/lua-units 2>/dev/null"))
  local n = 0
  for name in p:lines() do if name:find(pattern) then n = n + 1 end end
  p:close()
  return n
end

local function bits(a) return a:tostring() end

describe("compile.tiers", function()
  it("gives the first result at once and the same bits ever after", function()
    cpu.only("compilers of C beside the interpreter")
    with({}, function()
      local rng = nd.random.RandomState(3)
      local x, v = T.dmatrix("x"), rng:uniform(-3, 3, { 70, 301 })
      local y = T.nnet.softmax(T.tanh(x) * T.exp(-x)):sum { axis = 0 } + T.log1p(T.abs_(x)):mean() + T.sum(x * x)
      local compiles = theano.stat("compiles")
      local f = theano.compile({ inputs = { x }, outputs = y })
      local first = bits(f(v))
      assert.equal(compiles, theano.stat("compiles"))
      until_built(function() assert.equal(first, bits(f(v))) end, compiles)
      assert.equal(first, bits(f(v)))
      theano.config["compile.tiers"] = false
      assert.equal(first, bits(theano.compile({ inputs = { x }, outputs = y })(v)))
    end)
  end)

  it("takes over in the middle of a training and of a bound function", function()
    with({}, function()
      local w = theano.shared(nd.zeros({ 10 }))
      local compiles = theano.stat("compiles")
      local f = theano.compile({ inputs = {}, outputs = w:sum(), updates = { { w, w + 1 } } })
      local g = f:bind()
      local n = until_built(g, compiles)
      assert.equal(10.0 * n, g())
      assert.equal(10.0 * (n + 1), f())
      assert.equal(n + 2.0, w:get_value()[9])
    end)
  end)

  -- The compiler waits for a file, so that it is known who computes.
  local function held(folder)
    local script = folder .. "/cc"
    os.execute("mkdir -p " .. folder)
    local f = assert(io.open(script, "w"))
    f:write(("#!/bin/sh\nwhile ! [ -e %s/go ]; do sleep 0.01; done\nexec gcc \"$@\"\n"):format(folder))
    f:close()
    os.execute("chmod 700 " .. script)
    return script, function() assert(io.open(folder .. "/go", "w")):close() end
  end

  it("goes on in the unit in the middle of a call, with the same bits", function()
    cpu.only("compilers of C beside the interpreter")
    local folder = os.tmpname() .. ".d"
    local script, go = held(folder)
    with({ cxx = script, base_compiledir = folder .. "/c" }, function()
      local x, n = T.dvector("x"), T.lscalar("n")
      local seen, compiles, turns = T.dvector("seen"), theano.stat("compiles"), 20000
      local count = theano.as_op({ itypes = { x.type }, otypes = { x.type }, name = "Count", fn = function(a)
        if a[0] == 7 then go() end
        if a[0] > 7 and theano.stat("compiles") == compiles then system.sleep(0.003) end -- a minute at most
        return a + 1
      end })
      local r = theano.scan({ fn = function(p, q) return { count(p), T.tanh(q * 1.25 + p[0] * 1e-6) } end,
        outputs_info = { x, seen }, n_steps = n })
      local f = theano.compile({ inputs = { x, seen, n }, outputs = { r[1][-1], r[2][-1] } })
      local a, b = f({ 0 }, { 0.25, 0.5 }, turns)
      assert.equal(compiles + 1, theano.stat("compiles"))
      assert.equal(1.0 * turns, a[0])
      local g = theano.compile({ inputs = { x, seen, n }, outputs = { r[1][-1], r[2][-1] },
        mode = theano.compile.Mode({ linker = "interpreter" }) })
      local _, c = g({ 0 }, { 0.25, 0.5 }, turns)
      assert.equal(bits(c), bits(b))
    end)
    os.execute("rm -rf " .. folder)
  end)

  it("waits before a step that the interpreter is much slower at", function()
    cpu.only("compilers of C beside the interpreter")
    with({}, function()
      local w = T.fmatrix("w")
      local compiles = theano.stat("compiles")
      local most = T.argmax(w, { axis = 1 })
      local f = theano.compile({ inputs = { w }, outputs = most:sum() + T.max(w, { axis = 1 }):sum() })
      assert.equal(0.5 * 6000000, f(nd.full({ 6000000, 3 }, 0.5, "float32")))
      assert.equal(compiles + 1, theano.stat("compiles"))
      local g = theano.compile({ inputs = { w }, outputs = most:sum() * 3 })
      assert.equal(0, g(nd.full({ 6, 3 }, 0.5, "float32")))
      assert.equal(compiles + 1, theano.stat("compiles"))
    end)
  end)

  it("is not for linker c, nor for functions with a profile", function()
    cpu.only("compilers of C beside the interpreter")
    with({}, function()
      local v, compiles = T.dvector("v"), theano.stat("compiles")
      theano.compile({ inputs = { v }, outputs = v * 0.0625 + 3, mode = theano.compile.Mode({ linker = "c" }) })
      assert.equal(compiles + 1, theano.stat("compiles"))
      local f = theano.compile({ inputs = { v }, outputs = v * 0.0625 + 4, profile = true })
      require("theano.profile").hush(f)
      assert.equal(compiles + 2, theano.stat("compiles"))
      theano.compile({ inputs = { v }, outputs = v * 0.0625 + 5 })
      assert.equal(compiles + 2, theano.stat("compiles"))
    end)
  end)

  it("stays in the interpreter when the compiler fails, says so once, and leaves nothing aside", function()
    cpu.only("compilers of C beside the interpreter")
    with({ cxx = "false" }, function(folder)
      local x = T.dvector("x")
      local f = theano.compile({ inputs = { x }, outputs = x * 3 + 0.125 })
      local stop = system.monotime() + 20
      repeat f({ 1, 2 }) until files(folder, "aside") == 0 or system.monotime() > stop
      assert.equal(0, files(folder, "."))
      assert.same({ 3.125, 6.125 }, f({ 1, 2 }):tolist())
    end)
  end)

  it("is not kept waiting by functions that are never called again", function()
    cpu.only("compilers of C beside the interpreter")
    with({}, function(folder)
      local x, once = T.dvector("x"), {}
      local p = io.popen("getconf _NPROCESSORS_ONLN")
      for i = 1, p:read("n") do
        once[i] = theano.compile({ inputs = { x }, outputs = T.exp(x) * (i + 0.375) + x ^ (i + 2) })
        once[i]({ 1 })
      end
      p:close()
      assert.is_true(files(folder, "aside") > 0)
      local compiles = theano.stat("compiles")
      local f = theano.compile({ inputs = { x }, outputs = T.cos(x) * 0.1875 })
      until_built(function() f({ 1 }) end, compiles)
      assert.is_true(#once > 0 and theano.stat("compiles") == compiles + 1)
    end)
  end)

  it("ends the compiler of a function that is forgotten", function()
    cpu.only("compilers of C beside the interpreter")
    with({}, function(folder)
      local x = T.dvector("x")
      local f = theano.compile({ inputs = { x }, outputs = T.sin(x) * 0.375 })
      f({ 1 })
      assert.is_true(files(folder, "aside") > 0)
      f = nil
      for _ = 1, 3 do collectgarbage() end
      assert.equal(0, files(folder, "aside"))
      assert.is_nil(f)
    end)
  end)

  -- Calls f until it has one version more, and that one was built or found; every result is looked at.
  local function until_version(f, look)
    collectgarbage() -- functions of before take their versions with them
    collectgarbage()
    local stop, had = system.monotime() + 300, theano.stat("versions")
    local made = theano.stat("compiles") + theano.stat("cache_hits")
    local function over()
      return theano.stat("versions") > had and theano.stat("compiles") + theano.stat("cache_hits") > made
    end
    while not over() and system.monotime() < stop do
      for _ = 1, 1000 do f() end
      look()
    end
    assert.is_true(over(), "no version within five minutes")
    for _ = 1, 100 do f() end
    look()
  end

  local x = T.fmatrix("x")
  local function plain(inputs, outputs)
    theano.config["compile.tiers"] = false
    local f = theano.compile({ inputs = inputs, outputs = outputs })
    theano.config["compile.tiers"] = true
    return f
  end

  it("builds a version for short rows, with the generic one's bits, and leaves other lengths alone", function()
    cpu.only("compilers of C beside the interpreter")
    with({}, function()
      local y = { T.nnet.softmax(x), (x - x:mean { axis = 1, keepdims = true }):max { axis = 1 },
        T.argmax(x, { axis = 1 }), x:sum { axis = 0 } }
      local reference = plain({ x }, y)
      local rng = nd.random.RandomState(4)
      local function both(f, v)
        local want, got = { reference(v) }, { f(v) }
        for i = 1, #want do assert.equal(bits(want[i]), bits(got[i])) end
      end
      local f = theano.compile({ inputs = { x }, outputs = y })
      local short = rng:normal(0, 1, { 800, 5 }):astype("float32")
      local g, want = f:bind(short), bits(reference(short))
      until_version(g, function() assert.equal(want, bits((g()))) end)
      for _ = 1, 3 do
        for _, shape in ipairs({ { 800, 5 }, { 800, 6 }, { 3, 5 }, { 0, 5 }, { 5, 800 }, { 40, 40 }, { 1, 1 } }) do
          both(f, rng:normal(0, 1, shape):astype("float32"))
        end
      end
    end)
  end)

  it("checks the indices that short rows read at as the generic one does", function()
    cpu.only("compilers of C beside the interpreter")
    with({}, function()
      local b, labels = T.fvector("b"), T.lvector("labels")
      local y = T.nnet.crossentropy_softmax_1hot_with_bias(x, b, labels)
      local f, reference = theano.compile({ inputs = { x, b, labels }, outputs = y }), plain({ x, b, labels }, y)
      local rng = nd.random.RandomState(6)
      local v, bias = rng:normal(0, 1, { 803, 5 }):astype("float32"), rng:normal(0, 1, { 5 }):astype("float32")
      local at = rng:randint(0, 5, { 803 })
      local g, want = f:bind(v, bias, at), bits(reference(v, bias, at))
      until_version(g, function() assert.equal(want, bits((g()))) end)
      for _, row in ipairs({ 0, 401, 802 }) do
        local bad = at:copy()
        bad[row] = 5
        local _, one = pcall(reference, v, bias, bad)
        local ok, two = pcall(f, v, bias, bad)
        assert.is_false(ok)
        assert.equal(tostring(one):match("IndexError: [^\n]*"), tostring(two):match("IndexError: [^\n]*"))
        assert.equal(want, bits((f(v, bias, at))))
      end
    end)
  end)

  it("goes back to the generic one when a shared variable changes its shape", function()
    cpu.only("compilers of C beside the interpreter")
    with({}, function()
      local rng = nd.random.RandomState(5)
      local w = theano.shared(rng:normal(0, 1, { 2000, 3 }):astype("float32"))
      local y = T.nnet.softmax(w * 0.75)
      local f, reference = theano.compile({ inputs = {}, outputs = y }), plain({}, y)
      local g, want = f:bind(), bits(reference())
      until_version(g, function() assert.equal(want, bits(g())) end)
      for _, shape in ipairs({ { 2000, 4 }, { 7, 31 }, { 2000, 3 } }) do
        w:set_value(rng:normal(0, 1, shape):astype("float32"))
        want = bits(reference())
        for _ = 1, 3 do
          assert.equal(want, bits(g()))
          assert.equal(want, bits(f()))
        end
      end
    end)
  end)

  it("has at most four versions of a function, which go with it", function()
    cpu.only("compilers of C beside the interpreter")
    with({}, function()
      local b = T.fvector("b")
      collectgarbage()
      collectgarbage()
      local had = theano.stat("versions")
      local f = theano.compile({ inputs = { x, b }, outputs = theano.Out(x + b, { borrow = true }) })
      local function filled(shape, value) return nd.full(shape, value):astype("float32") end
      for columns = 2, 7 do
        local v, row = filled({ 20000, columns }, 2), filled({ columns }, columns)
        local function call() return f(v, row) end
        if columns <= 5 then until_version(call, function() end) end
        for _ = 1, 20000 // 4 do call() end
        assert.equal(2.0 + columns, call()[{ 19999, columns - 1 }])
      end
      assert.equal(had + 4, theano.stat("versions"))
      f = nil
      for _ = 1, 3 do collectgarbage() end
      assert.equal(had, theano.stat("versions"))
      assert.is_nil(f)
    end)
  end)
end)
