--- Kernels that many programs share are compiled with the library (scripts/common, core/build/common.c): units call
-- them and the compiler does not get their text; nothing else tells them from others.
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function there() return io.open("build/common/common_sets.c") ~= nil end

--- Runs body(seen) with an empty cache; seen() is the text that the compiler got last, and how often it ran since.
local function with(flags, body)
  skip.unless(theano.config.cxx ~= "", "no C compiler")
  skip.unless(theano.config.device == "cpu", "another device's kernels are its own")
  skip.unless(there(), "this build has no common kernels (TH_COMMON)")
  skip.unless(theano.config["gcc.cxxflags"] == "" and not theano.config.openmp, "flags that ask for other kernels")
  local folder, before = os.tmpname() .. ".d", {}
  assert(os.execute("mkdir " .. folder))
  local script = folder .. "/compiler"
  local f = assert(io.open(script, "w"))
  f:write(("#!/bin/sh\necho >> %s/calls\n"):format(folder),
    ("for word; do case $word in *.c) cp $word %s/text ;; esac; done\n"):format(folder),
    ("exec %s \"$@\"\n"):format(theano.config.cxx))
  f:close()
  assert(os.execute("chmod 700 " .. script))
  local all = { cxx = script, base_compiledir = folder, ["compile.tiers"] = false, ["compile.jobs"] = 1 }
  for k, v in pairs(flags) do all[k] = v end
  for k, v in pairs(all) do before[k], theano.config[k] = theano.config[k], v end
  local function seen()
    local calls, text = 0
    for _ in io.open(folder .. "/calls") and io.lines(folder .. "/calls") or function() end do calls = calls + 1 end
    os.remove(folder .. "/calls")
    local file = io.open(folder .. "/text")
    if file then text = file:read("a") file:close() end
    return calls, text
  end
  local ok, e = pcall(body, seen)
  for k, v in pairs(before) do theano.config[k] = v end
  os.execute("rm -rf " .. folder)
  assert(ok, e)
end

-- The step of a classifier with its updates, called twice: how many kernels are common, all bits, the C code.
local function classifier(dtype, activation)
  local rng = nd.random.RandomState(3)
  local function weight(...) return theano.shared(rng:normal(0, 0.3, { ... }):astype(dtype)) end
  local x, y = T.matrix("x", { dtype = dtype }), T.lvector("y")
  local p = { weight(20, 17), weight(17), weight(17, 9), weight(9) }
  local h = activation(T.dot(x, p[1]) + p[2])
  local cost = (-T.log(T.nnet.softmax(T.dot(h, p[3]) + p[4]))[{ T.arange(y.shape[0]), y }]):mean()
  local updates = {}
  for i, g in ipairs(theano.grad(cost, p)) do
    updates[i] = { p[i], p[i] - T.constant(0.03, { dtype = dtype }) * g }
  end
  local before = theano.stat("common_kernels")
  local f = theano.compile { inputs = { x, y }, outputs = cost, updates = updates }
  local common, bits = theano.stat("common_kernels") - before, {}
  for i = 1, 2 do
    local data = rng:normal(0, 1, { 33, 20 }):astype(dtype)
    bits[i] = nd.asarray(f(data, nd.arange(33):astype("int64") % 9)):tobytes()
  end
  for i = 1, 4 do bits[2 + i] = p[i]:get_value():tobytes() end
  return common, bits, theano.printing.ccode(f)
end

local function kernels(text)
  local _, n = text:gsub("/%* %-%-%-%- kernel %d+ %-%-%-%- %*/", "")
  return n
end

describe("common kernels", function()
  for _, dtype in ipairs { "float32", "float64" } do
    for name, activation in pairs { tanh = T.tanh, relu = T.nnet.relu, sigmoid = T.nnet.sigmoid } do
      it("are all of a classifier's step: " .. dtype .. ", " .. name, function()
        local own, others
        with({ ["compile.common"] = false }, function() own = table.pack(classifier(dtype, activation)) end)
        with({}, function(seen)
          others = table.pack(classifier(dtype, activation))
          local calls, text = seen()
          assert.equal(1, calls)
          assert.equal(0, kernels(text))
        end)
        assert.equal(0, own[1])
        assert.equal(kernels(own[3]), others[1])
        assert.is_true(others[1] >= 7)
        assert.same(own[2], others[2])
        assert.equal(own[3], others[3]) -- a user sees the whole text
      end)
    end
  end

  it("are all of a regression's step, and of its minibatches", function()
    with({}, function(seen)
      local x, y, i = T.dmatrix("x"), T.dvector("y"), T.lscalar("i")
      local w, b = theano.shared(nd.zeros { 3 }), theano.shared(0.0)
      local cost = ((T.dot(x, w) + b - y) ^ 2):mean()
      local gw, gb = table.unpack(theano.grad(cost, { w, b }))
      local f = theano.compile { inputs = { x, y }, outputs = cost,
        updates = { { w, w - 0.3 * gw }, { b, b - 0.3 * gb } } }
      assert.equal(0, kernels(select(2, seen())))
      local rng = nd.random.RandomState(0)
      local data = rng:randn(50, 3)
      for _ = 1, 100 do f(data, nd.dot(data, nd.array { 2.0, -1.0, 0.5 }) + 3) end
      assert.near(-1, w:get_value():tolist()[2], 1e-6)
      assert.near(3, b:get_value(), 1e-6)
      local m, l = T.fmatrix("m"), T.lvector("l")
      local p = { theano.shared(nd.zeros({ 4, 3 }, "float32")), theano.shared(nd.zeros({ 3 }, "float32")) }
      local s = (-T.log(T.nnet.softmax(T.dot(m, p[1]) + p[2]))[{ T.arange(l.shape[0]), l }]):mean()
      local updates, rows = {}, T.slice(i * 5, (i + 1) * 5)
      for k, g in ipairs(theano.grad(s, p)) do
        updates[k] = { p[k], p[k] - T.constant(0.1, { dtype = "float32" }) * g }
      end
      local all = theano.shared(rng:randn(20, 4):astype("float32"))
      local g = theano.compile { inputs = { i }, outputs = s, updates = updates,
        givens = { { m, all[rows] }, { l, theano.shared(nd.arange(20):astype("int64") % 3)[rows] } } }
      assert.equal(0, kernels(select(2, seen())))
      assert.near(math.log(3), nd.asarray(g(2)):item(), 1e-6)
      assert.is_true(nd.asarray(g(2)):item() < math.log(3))
    end)
  end)

  it("stand beside kernels that only this program has", function()
    with({}, function(seen)
      local x, y = T.dmatrix("x"), T.dvector("y")
      local before = theano.stat("common_kernels")
      local f = theano.compile { inputs = { x, y }, outputs = { T.nnet.softmax(x), T.sin(y) * T.cosh(y) } }
      assert.equal(1, theano.stat("common_kernels") - before)
      local _, text = seen()
      assert.equal(1, kernels(text))
      assert.is_truthy(text:find("sin_", 1, true))
      local a, b = f({ { 1, 2, 3 }, { 3, 3, 3 } }, { 0.5 })
      assert.same(nd.asarray({ 1 / 3, 1 / 3, 1 / 3 }):tolist(), nd.asarray(a):tolist()[2])
      assert.near(math.sin(0.5) * (math.exp(0.5) + math.exp(-0.5)) / 2, nd.asarray(b):tolist()[1], 1e-15)
    end)
  end)

  it("are found again when the unit comes from the cache, whatever its variables are called", function()
    with({}, function(seen)
      for i, name in ipairs { "x", "other" } do
        local x, before = T.fmatrix(name), theano.stat("common_kernels")
        local f = theano.compile { inputs = { x }, outputs = T.nnet.softmax(x) }
        assert.equal(1, theano.stat("common_kernels") - before)
        assert.equal(i == 1 and 1 or 0, (seen()))
        assert.near(0.5, nd.asarray(f({ { 4, 4 } })):tolist()[1][2], 1e-7)
      end
    end)
  end)

  it("are taken in steps that are data too, and when code is built beside the calls", function()
    with({ ["compile.tiers"] = true }, function(seen)
      local inputs, outputs, values = {}, {}, {}
      for i = 1, 40 do
        inputs[i] = T.dmatrix("m")
        outputs[i] = i % 2 == 0 and T.nnet.softmax(inputs[i]) or inputs[i]:sum(0)
        values[i] = nd.ones { 3, i }
      end
      local before = theano.stat("common_kernels")
      local f = theano.compile { inputs = inputs, outputs = outputs }
      local function right()
        for i, r in ipairs { f(table.unpack(values)) } do
          local want = i % 2 == 0 and 1 / i or 3
          for _, v in ipairs(nd.asarray(r):ravel():tolist()) do assert.near(want, v, 1e-15) end
        end
      end
      local until_ = os.time() + 60
      repeat right() until theano.stat("common_kernels") > before or os.time() > until_
      right()
      assert.equal(2, theano.stat("common_kernels") - before)
      assert.equal(1, (seen()))
    end)
  end)

  it("say what is wrong as others do", function()
    with({}, function()
      local x, y = T.dmatrix("x"), T.lvector("y")
      local cost = (-T.log(T.nnet.softmax(x))[{ T.arange(y.shape[0]), y }]):mean()
      local f = theano.compile { inputs = { x, y }, outputs = cost }
      assert.error_matches(function() f({ { 1, 2 } }, { 2 }) end,
        "class 2, position 0, but there are 2 classes.*Inputs shapes: %[%(1, 2%)")
    end)
  end)

  it("are left where flags of the user's, or the flag repro, are for every kernel", function()
    for _, flags in ipairs { { ["gcc.cxxflags"] = "-O1" }, { ["compile.common"] = false } } do
      with(flags, function(seen)
        local x, before = T.dvector("x"), theano.stat("common_kernels")
        theano.compile { inputs = { x }, outputs = T.tanh(x) }
        assert.equal(0, theano.stat("common_kernels") - before)
        local _, text = seen()
        assert.equal(1, kernels(text))
      end)
    end
    local code = "local theano = require('theano') local x = theano.tensor.dvector('x') " ..
      "theano.compile { inputs = { x }, outputs = theano.tensor.tanh(x) } print(theano.stat('common_kernels'))"
    for _, repro in ipairs { "True", "False" } do
      local command = "THEANO_FLAGS=compile.tiers=False,gcc.cxxflags=,repro=%s build/theano -e \"%s\" 2>&1"
      local p = assert(io.popen(command:format(repro, code)))
      assert.equal(repro == "True" and "0\n" or "1\n", p:read("a"))
      p:close()
    end
  end)
end)
