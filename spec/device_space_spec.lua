--- Where values live under device=cuda: shared variables and results stay on the GPU (the specs' emulated one).
local nd = require("theano.ndarray")
local runner = require("spec.support.runner")
local theano = require("theano")
local T = require("theano.tensor")

local driver = "build/libcuda-emulated.so"
if runner.path:find("asan") then driver = "build/asan/libcuda-emulated.so" end
local gpu = { device = "cuda", ["cuda.driver"] = driver, force_device = true }

local function on_gpu(run)
  local _ <close> = theano.config.change_flags(gpu)
  return run()
end

-- Transfers that `run` makes: how many values go to the GPU, how many come back.
local function transfers(run)
  local before = theano.cuda.memory()
  run()
  local after = theano.cuda.memory()
  return after.to_device - before.to_device, after.to_host - before.to_host
end

local function numbers(n) return nd.sin(nd.arange(n):astype("float64") + 1) end

-- A network of one hidden layer and its training step; values are the same at each call.
local function mlp()
  local function weight(i, ...) return theano.shared(nd.cos(nd.arange(i):astype("float64")):reshape({ ... })) end
  local w, v = weight(35, 7, 5), weight(15, 5, 3)
  local b, c = theano.shared(nd.zeros({ 5 })), theano.shared(nd.zeros({ 3 }))
  local x, t = T.dmatrix("x"), T.lvector("t")
  local p = T.nnet.softmax(T.dot(T.tanh(T.dot(x, w) + b), v) + c)
  local cost = T.mean(T.nnet.categorical_crossentropy(p, t))
  local updates, all = {}, { w, v, b, c }
  for i, g in ipairs(T.grad(cost, all)) do updates[i] = { all[i], all[i] - 0.1 * g } end
  return theano.compile({ inputs = { x, t }, outputs = cost, updates = updates }), all
end

local function batch(i)
  return nd.sin(nd.arange(28):astype("float64") + i):reshape({ 4, 7 }), nd.array({ 0, 2, 1, 0 })
end

describe("values on a GPU", function()
  it("stay there between calls: a training step takes the minibatch in and the cost out", function()
    local want_cost, want = {}, {}
    do
      local step, all = mlp()
      for i = 1, 5 do want_cost[i] = step(batch(i)) end
      for i, s in ipairs(all) do want[i] = s:get_value() end
    end
    on_gpu(function()
      local step, all = mlp()
      for i = 1, 2 do assert.near(want_cost[i], step(batch(i)), 1e-12) end
      for i = 3, 5 do
        local x, t = batch(i)
        local cost
        local over, back = transfers(function() cost = step(x, t) end)
        assert.near(want_cost[i], cost, 1e-12)
        assert.same({ 1, 1 }, { over, back }) -- with the cost: whether a label was wrong
      end
      for i, s in ipairs(all) do assert.is_true(nd.allclose(want[i], s:get_value(), 1e-12, 1e-12)) end
    end)
  end)

  it("of arguments stay apart, whether they come from the host or lie there", function()
    on_gpu(function()
      local x = T.dvector("x")
      local f = theano.compile({ inputs = { x }, outputs = x * 2 })
      local there = nd.array({ 5, 6, 7 }, { device = "cuda", dtype = "float64" })
      for i = 1, 3 do
        assert.equal(("[%d. %d. %d.]"):format(2 * i, 2 * i, 2 * i), tostring(f(nd.ones({ 3 }) * i)))
        assert.equal("[10. 12. 14.]", tostring(f(there)))
      end
      assert.equal("[5. 6. 7.]", tostring(there))
    end)
  end)

  it("are fetched when they are read, once", function()
    on_gpu(function()
      local x, w = T.dvector("x"), theano.shared(nd.array({ 1, 2, 3 }, "float64"))
      local f = theano.compile({ inputs = { x }, outputs = x * w + 1 })
      local r
      f(nd.ones({ 3 }))
      local over, back = transfers(function() r = f(nd.ones({ 3 })) end)
      assert.same({ 1, 0 }, { over, back })
      over, back = transfers(function() assert.equal("[2. 3. 4.]", tostring(r)) end)
      assert.same({ 0, 1 }, { over, back })
      over, back = transfers(function() assert.equal(4.0, r[2]) end)
      assert.same({ 0, 0 }, { over, back })
    end)
  end)

  it("go from one function to the next without the host, and to functions of the CPU with it", function()
    on_gpu(function()
      local x = T.dvector("x")
      local f = theano.compile({ inputs = { x }, outputs = T.exp(x) })
      local host
      do
        local _ <close> = theano.config.change_flags { device = "cpu" }
        host = theano.compile({ inputs = { x }, outputs = T.log(x) })
      end
      local r = f(nd.array({ 1, 2 }, "float64"))
      local s
      local over, back = transfers(function() s = f(r) end)
      assert.same({ 0, 0 }, { over, back })
      assert.is_true(nd.allclose(host(s), nd.exp({ 1, 2 })))
      s[0] = 7.0 -- the host's value is the newer one now
      assert.is_true(nd.allclose(host(s), nd.log({ 7, math.exp(math.exp(2)) })))
      assert.is_true(nd.allclose(f(s), nd.exp({ 7, math.exp(math.exp(2)) })))
    end)
  end)

  it("of shared variables: both kinds of function use and change them", function()
    on_gpu(function()
      local w, n = theano.shared(nd.array({ 1, 2 }, "float64")), theano.shared(nd.array({ 1, 2 }))
      local up = { { w, w * 2 }, { n, n + 1 } }
      local f = theano.compile({ inputs = {}, outputs = {}, updates = up })
      local host
      do
        local _ <close> = theano.config.change_flags { device = "cpu" }
        host = theano.compile({ inputs = {}, outputs = w + n, updates = up })
      end
      f()
      f()
      assert.is_true(nd.array_equal(host(), nd.array({ 7, 12 }, "float64")))
      f()
      assert.equal("[16. 32.]", tostring(w:get_value()))
      assert.equal("[5 6]", tostring(n:get_value()))
      w:set_value(nd.array({ 3, 4, 5 }, "float64"))
      n:set_value(nd.array({ 0, 0, 1 }))
      f()
      assert.equal("[ 6.  8. 10.]", tostring(w:get_value()))
      assert.is_true(nd.array_equal(host(), nd.array({ 7, 9, 12 }, "float64")))
    end)
  end)

  it("may have no elements, changed in place too", function()
    on_gpu(function()
      local x, w = T.dvector("x"), theano.shared(nd.zeros({ 0 }), { target = "cpu" })
      local f = theano.compile({ inputs = { theano.In(x, { mutable = true }) }, updates = { { w, w + 1 } },
        outputs = { theano.Out(T.exp(x), { borrow = true }), T.cumsum(x), x:sum() } })
      for _ = 1, 3 do
        local a, b, c = f(nd.zeros({ 0 }))
        assert.same({ 0, 0, 0.0 }, { #a, #b, c })
      end
      assert.equal(0, #w:get_value())
    end)
  end)

  it("a call that fails leaves them as they were", function()
    on_gpu(function()
      local x, i = T.dvector("x"), T.lvector("i")
      local w, v = theano.shared(nd.array({ 1, 2 }, "float64"), "w"), theano.shared(nd.zeros({ 3 }), "v")
      local f = theano.compile({ inputs = { x, i }, outputs = T.exp(x)[i], updates = { { w, w + 1 }, { v, v + x } } })
      local x1 = nd.array({ 1, 2, 3 }, "float64")
      f(x1, nd.array({ 0, 1 }))
      for _ = 1, 3 do assert.error_matches(function() f(x1, nd.array({ 0, 5 })) end, "index out of bounds") end
      assert.equal("[2. 3.]", tostring(w:get_value()))
      assert.equal("[1. 2. 3.]", tostring(v:get_value()))
    end)
  end)

  it("are arrays with a device: moved, viewed, written, printed, kept in files", function()
    on_gpu(function()
      assert.equal("cpu", nd.ones({ 2 }).device)
      for _, dtype in ipairs({ "bool", "int8", "uint16", "int32", "int64", "float32", "float64", "complex64" }) do
        local host = nd.arange(24):astype(dtype):reshape({ 4, 6 })
        local a = nd.array(host, { device = "cuda" })
        assert.equal("cuda:0", a.device)
        assert.equal(a.dtype, dtype)
        local over, back = transfers(function()
          local v = a:transpose()["1:3, ::-1"]
          assert.equal("cuda:0", v.device)
          assert.is_true(nd.shares_memory(a, v))
        end)
        assert.same({ 0, 0 }, { over, back })
        assert.equal(tostring(host:transpose()["1:3, ::-1"]), tostring(a:transpose()["1:3, ::-1"]))
        assert.is_true(nd.array_equal(a, host))
        assert.equal("cpu", a:to_device("cpu").device)
        assert.is_true(nd.array_equal(a:to_device("cpu"), host))
        assert.is_true(nd.array_equal(host["::2, 1::2"]:to_device("cuda:0"), host["::2, 1::2"]))
      end
      local a = nd.array({ { 1.5, 2 }, { 3, 4 } }, { device = "cuda:0", dtype = "float32" })
      assert.is_true(nd.shares_memory(a, a:to_device("cuda")))
      local path = os.tmpname()
      nd.save(path .. ".npy", a)
      assert.is_true(nd.array_equal(nd.load(path .. ".npy"), a))
      os.remove(path)
      os.remove(path .. ".npy")
      a[0] = 7
      assert.equal("[[7. 7.]\n [3. 4.]]", tostring(a))
      assert.equal("cuda:0", a.device)
      assert.equal(21.0, a:to_device("cuda"):sum())
      assert.equal("[]", tostring(nd.zeros({ 0, 3 }):to_device("cuda"):reshape({ 3, 0 })))
      assert.error_matches(function() a:to_device("tpu") end, "ValueError: there is no device \"tpu\"")
      assert.error_matches(function() a:to_device("cuda:9") end, "GpuError: cuda:9: there is no cuda9")
      assert.error_matches(function() nd.array({ 1 }, { devise = "cpu" }) end, "unknown keyword 'devise'")
    end)
  end)

  it("of a second GPU go over by the host", function()
    on_gpu(function()
      local a = nd.array({ 1, 2 }, { device = "cuda:1", dtype = "float64" })
      assert.equal("cuda:1", a.device)
      local x = T.dvector("x")
      local f = theano.compile({ inputs = { x }, outputs = x + 1 })
      local r = f(a)
      assert.equal("cuda:0", r.device)
      assert.equal("[2. 3.]", tostring(r))
      assert.equal("[2. 3.]", tostring(a:to_device("cuda:0"):to_device("cuda:1") + 1))
    end)
  end)

  it("of shared variables live where their target says", function()
    on_gpu(function()
      local w = theano.shared(nd.ones({ 3 }), { target = "cuda" })
      local v = theano.shared(nd.ones({ 3 }), { target = "cpu" })
      assert.equal("cuda:0", w:get_value({ borrow = true }).device)
      assert.equal("cpu", w:get_value().device)
      assert.equal("cuda:0", w:get_value({ return_internal_type = true }).device)
      assert.is_false(nd.shares_memory(w:get_value({ return_internal_type = true }), w:get_value({ borrow = true })))
      local f = theano.compile({ inputs = {}, outputs = {}, updates = { { w, w + v }, { v, v * 2 } } })
      for _ = 1, 3 do f() end
      assert.equal("cpu", v:get_value({ borrow = true }).device)
      assert.equal("[8. 8. 8.]", tostring(w:get_value()))
      assert.equal("[8. 8. 8.]", tostring(v:get_value()))
      assert.error_matches(function() theano.shared(1.0, { target = "tpu" }) end, "there is no device \"tpu\"")
    end)
  end)

  it("are used by other threads' functions and by bound ones in order", function()
    on_gpu(function()
      local w = theano.shared(nd.zeros({ 100 }), "w")
      local add = theano.compile({ inputs = {}, outputs = {}, updates = { { w, w + 1 } } })
      local read = theano.compile({ inputs = {}, outputs = w:sum() })
      local double = theano.compile({ inputs = {}, outputs = w * 2 })
      local bound = double:bind()
      local want = 0
      for i = 1, 20 do
        add()
        want = want + 1
        assert.equal(want * 100.0, read())
        if i % 3 == 0 then assert.equal(want * 2.0, bound()[5]) end
      end
      local borrowed = w:get_value({ borrow = true })
      local host = theano.compile({ inputs = { T.dvector("x") }, outputs = {} , on_unused_input = "ignore" })
      host(borrowed)
      borrowed[0] = 0
      assert.equal(want * 99.0, read())
    end)
  end)

  it("and memory is counted, kept and limited", function()
    local text, status = runner.run({ "-e", [[
      local theano = require "theano"
      local nd, T = theano.ndarray, theano.tensor
      assert(theano.cuda.available() and theano.cuda.count() == 2)
      local info = theano.cuda.info()
      assert(info.name == "emulated GPU 0" and info.capability == "9.0" and info.emulated)
      assert(theano.cuda.memory().limit == 2 * 1024 * 1024)
      local a = nd.zeros({ 1000 }):to_device("cuda")
      local m = theano.cuda.memory()
      assert(m.used == 8192 and m.arrays == 1, m.used)
      a = nil
      collectgarbage() collectgarbage()
      m = theano.cuda.memory()
      assert(m.used == 0 and m.kept == 8192 and m.arrays == 0 and m.most == 8192)
      local x = T.dvector("x")
      local f = theano.compile { inputs = { x }, outputs = T.exp(x) }
      print(pcall(f, nd.zeros({ 400000 })))
      print(f(nd.zeros({ 3 })))
    ]] }, { env = { "THEANO_FLAGS=device=cuda,gpuarray.preallocate=2,cuda.driver=" .. driver } })
    assert.equal(0, status, text)
    assert.matches("MemoryError", text)
    assert.matches("(gpuarray.preallocate); fewer rows at once", text, nil, true)
    assert.matches("[1. 1. 1.]", text, nil, true)
  end)

  it("outlive what made them, to the end of the program", function()
    local text, status = runner.run({ "-e", [[
      local theano = require "theano"
      local nd, T = theano.ndarray, theano.tensor
      local x = T.dvector("x")
      local f = theano.compile { inputs = { x }, outputs = T.exp(x) }
      local r = f(nd.zeros({ 3 }))
      f = nil
      collectgarbage() collectgarbage()
      print(r)
      kept = { r, f, theano.shared(nd.ones({ 5 }), { target = "cuda" }) }
    ]] }, { env = { "THEANO_FLAGS=device=cuda,cuda.driver=" .. driver } })
    assert.equal(0, status, text)
    assert.equal("[1. 1. 1.]\n", text)
  end)

  it("are seen by modes that look at every value, and by sizes", function()
    on_gpu(function()
      for _, mode in ipairs({ "FAST_RUN", "FAST_COMPILE", "NanGuardMode", "DebugMode" }) do
        local x, w = T.dmatrix("x"), theano.shared(nd.ones({ 3, 3 }))
        local function made(y, new)
          return theano.compile({ inputs = { x }, outputs = y, updates = { { w, new } }, mode = mode })
        end
        local f, g = made(T.tanh(T.dot(x, w)), w + x), made(T.dot(x, w):sum(), w * 2)
        local r = f(f(nd.ones({ 3, 3 }) * 0.1))
        assert.near(0.74487, r[{ 0, 0 }], 1e-3)
        assert.near(9 * 3 * r[{ 0, 0 }] * (1.1 + 0.29131261), g(r), 1e-6)
        assert.near(2 * (1.1 + 0.29131261), w:get_value()[{ 0, 0 }], 1e-6)
      end
      local n = theano.shared(nd.array({ 3 }))
      local more = theano.compile({ inputs = {}, outputs = {}, updates = { { n, n + 1 } } })
      local f = theano.compile({ inputs = {}, outputs = T.arange(n[0]) * 2 })
      for i = 4, 6 do
        more()
        assert.equal(i, #f())
      end
    end)
  end)

  it("go over as theano.printing.plan says, which knows each wait", function()
    on_gpu(function()
      local step = mlp()
      local text = theano.printing.plan(step):match("transfers:\n.*")
      assert.matches("at once: GpuFromHost%(b%d+ 'x', b%d+ 't'%)", text)
      assert.matches("at the end: HostFromGpu%(b%d+[^)]*%), and whether a step failed", text)
      local x, w, h = T.dmatrix("x"), theano.shared(numbers(9):reshape({ 3, 3 }), "w"), T.dvector("h")
      local twice = theano.as_op({ itypes = { x.type }, otypes = { x.type }, fn = function(a) return a * 2 end })
      local loop = theano.scan { fn = function(v, s) return T.tanh(T.dot(s, w) + v) end, sequences = { x },
        outputs_info = { h } }
      local cases = {
        { { x, h }, { loop[-1], loop:sum() } },
        { { x }, { twice(x * 3) + w } },
        { { x }, { T.dot(x, w), twice(w):sum() }, { { w, w * 0.5 } } },
        { { x, h }, { T.switch(T.gt(x, 0), x, h), x:sum(), h:max() } },
      }
      for i, case in ipairs(cases) do
        local f = theano.compile({ inputs = case[1], outputs = case[2], updates = case[3] })
        local plan = theano.printing.plan(f):match("transfers:\n.*")
        local _, over = plan:gsub("GpuFromHost", "") -- a line is a copy
        local _, back = plan:gsub("HostFromGpu", "")
        local _, waits = plan:gsub("the host waits", "")
        local args = { numbers(9):reshape({ 3, 3 }), #case[1] > 1 and numbers(3) or nil }
        f(table.unpack(args))
        local n, m = transfers(function() f(table.unpack(args)) end)
        assert.same({ i, over, back + waits }, { i, n, m }, plan)
      end
    end)
  end)
end)
