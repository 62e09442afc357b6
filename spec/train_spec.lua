--- theano.train, theano.progress, theano.checkpoint, theano.data: the loop, what stops it, what goes on from it.
local raises = require("spec.support.raises")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local train, data, checkpoint, layers = theano.train, theano.data, theano.checkpoint, theano.layers

-- A folder of this process that is gone when it ends.
local folder = os.tmpname()
os.remove(folder)
os.execute("mkdir " .. folder)
local function file(name) return folder .. "/" .. name end
local function write(name, text)
  local f = assert(io.open(file(name), "wb"))
  f:write(text)
  f:close()
  return file(name)
end
teardown(function() os.execute("rm -r " .. folder) end)

describe("batches", function()
  local x, y = nd.arange(10):reshape({ 10, 1 }), nd.arange(10)
  local function seen(b)
    local list = {}
    for _, labels in b:epoch() do list[#list + 1] = table.concat(labels:tolist(), " ") end
    return list
  end

  it("come in order, the last one smaller or left out", function()
    local b = data.batches({ x, y }, { size = 4 })
    assert.equal(3, #b)
    assert.same({ "0 1 2 3", "4 5 6 7", "8 9" }, seen(b))
    local short = data.batches({ x, y }, { size = 4, drop_last = true })
    assert.equal(2, #short)
    assert.same({ "0 1 2 3", "4 5 6 7" }, seen(short))
  end)

  it("come in another order each epoch, every row once", function()
    local b = data.batches({ x, y }, { size = 3, shuffle = 1 })
    local a, c = seen(b), seen(b)
    assert.not_same(a, c)
    for _, list in ipairs({ a, c }) do
      local rows = {}
      for word in table.concat(list, " "):gmatch("%d+") do rows[#rows + 1] = tonumber(word) end
      table.sort(rows)
      assert.same({ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 }, rows)
    end
    assert.same(a, seen(data.batches({ x, y }, { size = 3, shuffle = 1 })))
  end)

  it("go on from a state in the middle of an epoch", function()
    local b = data.batches({ x, y }, { size = 3, shuffle = 1 })
    seen(b)
    for _ in b:epoch() do
      if b.at == 2 then break end
    end
    local c = data.batches({ x, y }, { size = 3, shuffle = 99 })
    c:restore(b:state())
    assert.same(seen(b), seen(c))
    assert.same(seen(b), seen(c))
    raises("ValueError", "batches of 3 of 10 rows, these are of 4 of 10", function()
      data.batches(y, { size = 4, shuffle = 1 }):restore(b:state())
    end)
  end)

  it("need arrays of as many rows, a size, and a generator", function()
    raises("ShapeError", "item 2 has 3 rows, item 1 has 10", function()
      data.batches({ x, nd.ones(3) }, { size = 1 })
    end)
    raises("ValueError", "size is nil", function() data.batches(x) end)
    raises("TypeError", "a seed or a RandomState", function() data.batches(x, { size = 2, shuffle = true }) end)
  end)

  it("are split by shares", function()
    local a, b = data.split({ x, y }, { 3, 1 }, 5)
    assert.equal(8, a[1].shape[1])
    assert.equal(2, b[2].shape[1])
    assert.same(a[1]:flatten():tolist(), a[2]:tolist())
    raises("ValueError", "share 2 is 0", function() data.split(x, { 1, 0 }) end)
  end)
end)

describe("files of pictures and sounds", function()
  it("give back what was saved", function()
    for name, shape in pairs({ ["a.pgm"] = { 3, 4 }, ["a.ppm"] = { 3, 4, 3 } }) do
      local a = nd.random.RandomState(1):randint(0, 256, shape):astype("uint8")
      data.save(file(name), a)
      assert.is_true(nd.array_equal(a, data.load(file(name))))
    end
    local sound = nd.sin(nd.arange(200) / 9.0):reshape({ 100, 2 })
    data.save(file("a.wav"), sound, { rate = 8000 })
    local back, rate = data.load(file("a.wav"))
    assert.equal(8000, rate)
    assert.is_true(nd.allclose(sound, back, 0, 1e-4))
  end)

  it("read pixels of two bytes, comments, and samples of 24 bits", function()
    local a = data.load(write("b.pgm", "P5 # a comment\n# another\n2 1\n65535\n\1\2\255\255"))
    assert.same({ { 258, 65535 } }, a:tolist())
    local w = ("<c4I4c4c4I4I2I2I4I4I2I2c4I4"):pack("RIFF", 42, "WAVE", "fmt ", 16, 1, 1, 8000, 24000, 3, 24, "data", 6)
    assert.same({ 0.5, -1 }, (data.load(write("b.wav", w .. "\0\0\64\0\0\128"))):tolist())
  end)

  it("are refused where they are cut off or none", function()
    raises("ValueError", "3 bytes of pixels of 4", function() data.load(write("c.pgm", "P5 2 2 255\nabc")) end)
    raises("ValueError", "its head is cut off", function() data.load(write("c.pgm", "P5 2 # ")) end)
    raises("ValueError", "no lengths that can be", function() data.load(write("c.pgm", "P5 99999999 2 255\n")) end)
    raises("ValueError", "no WAV file", function() data.load(write("c.wav", "RIFFxxxxWAV")) end)
    raises("ValueError", "it has no samples", function() data.load(write("c.wav", "RIFF\0\0\0\0WAVEdatx\0\0\0\0")) end)
    raises("IOError", "nowhere.pgm", function() data.load(file("nowhere.pgm")) end)
    raises("TypeError", "pixels are uint8", function() data.save(file("c.pgm"), nd.zeros({ 2, 2 })) end)
    raises("IOError", "No such file", function() data.save(file("no/where.pgm"), nd.zeros({ 2, 2 }, "uint8")) end)
  end)

  it("are PNG where libpng is", function()
    local ok, why = pcall(data.save, file("a.png"), nd.zeros({ 2, 2 }, "uint8"))
    if not ok then
      assert.truthy(why:find("install libpng16", 1, true))
      return
    end
    for _, shape in ipairs({ { 3, 4 }, { 3, 4, 2 }, { 3, 4, 3 }, { 3, 4, 4 } }) do
      local a = nd.random.RandomState(1):randint(0, 256, shape):astype("uint8")
      data.save(file("a.png"), a)
      assert.is_true(nd.array_equal(a, data.load(file("a.png"))))
    end
    local f = assert(io.open(file("a.png"), "rb"))
    local text = f:read("a")
    f:close()
    for cut = 0, #text // 2, 7 do
      assert.equal("ValueError", theano.error_kind(select(2, pcall(data.load, write("c.png", text:sub(1, cut))))))
    end
  end)
end)

-- A network with everything that has a state, and its step.
local function network(seed)
  local p = layers.params { seed = seed, dtype = "float64" }
  local x = T.dmatrix("x")
  local h = layers.batch_norm(p, layers.dense(p, x, 4, 3, { activation = T.tanh }), 3)
  local srng = theano.random.RandomStreams(seed)
  local noise = srng:normal({ size = { 2 } })
  local cost = T.mean(T.sqr(layers.dropout(p, h, 0.5))) + T.sum(noise)
  local updates, state = train.optimizers.adam(cost, p.weights)
  updates:update(p.updates)
  local b = data.batches(nd.random.RandomState(5):randn(20, 4), { size = 6, shuffle = seed })
  local f = theano.compile { inputs = { x }, outputs = cost, updates = updates, mode = "FAST_COMPILE" }
  return { p = p, adam = state, batches = b, noise = srng, extra = { 1, { 2.5, "a b/%\n" }, true, 0 / 0, -math.huge } },
    function()
      local list = {}
      for v in b:epoch() do list[#list + 1] = ("%a"):format(f(v)) end
      return list
    end
end

describe("a checkpoint", function()
  local path = file("run.npz")

  it("goes on bit for bit", function()
    local a, run = network(1)
    run()
    checkpoint.save(path, a)
    local other, again = network(7)
    local saved = checkpoint.restore(path, other)
    assert.same(run(), again())
    assert.same(run(), again())
    assert.same({ 2.5, "a b/%\n" }, saved.extra[2])
    assert.is_true(saved.extra[3])
    assert.is_true(saved.extra[4] ~= saved.extra[4])
    assert.equal(-math.huge, saved.extra[5])
  end)

  it("sets all or nothing", function()
    local a, run = network(1)
    run()
    checkpoint.save(path, a)
    local other = network(7)
    other.adam[#other.adam] = theano.shared(nd.zeros({ 3, 3 }), { name = "adam.last" })
    local before = other.p.weights[1]:get_value()
    local state = tostring(other.batches:state().rng[2])
    raises("TypeError", "adam.last is float64 of 2 dimensions", function() checkpoint.restore(path, other) end)
    assert.is_true(nd.array_equal(before, other.p.weights[1]:get_value()))
    assert.equal(state, tostring(other.batches:state().rng[2]))
    raises("KeyError", "has no weights", function() checkpoint.restore(path, { weights = a.p }) end)
  end)

  it("is whole or not there, and refuses what is none", function()
    raises("TypeError", "f is a function, which is not kept", function() checkpoint.save(path, { f = print }) end)
    raises("ValueError", "an .npz file", function() checkpoint.save(file("a.txt"), {}) end)
    raises("IOError", "no/where", function() checkpoint.save(file("no/where.npz"), {}) end)
    nd.save(file("other.npz"), { x = nd.ones(2) })
    raises("ValueError", "it is no checkpoint", function() checkpoint.load(file("other.npz")) end)
    for _, text in ipairs({ "x", "a i 1 2", "a/b i 1", "a z 1", "a i x", " t\na i 1\na i 2", "a f 12" }) do
      nd.save(file("other.npz"), { ["theano.checkpoint"] = nd.frombuffer(text, "uint8") })
      assert.equal("ValueError", theano.error_kind(select(2, pcall(checkpoint.load, file("other.npz")))), text)
    end
  end)
end)

describe("the loop", function()
  local function silent() return theano.progress(3, "epoch", function() end) end
  local batches = data.batches(nd.arange(4.0), { size = 2 })
  local function step(v) return nd.sum(v) end

  it("gives each epoch's values", function()
    local log, epochs = {}, {}
    local history = train.loop { step = step, data = batches, epochs = 2, progress = false,
      valid = function() return { accuracy = 0.5 } end, log = { log = function(_, v) log[#log + 1] = v.loss end },
      on_epoch = function(e) epochs[#epochs + 1] = e end }
    assert.same({ { epoch = 1, loss = 3, accuracy = 0.5 }, { epoch = 2, loss = 3, accuracy = 0.5 } }, history)
    assert.same({ 3, 3 }, log)
    assert.same({ 1, 2 }, epochs)
  end)

  it("ends early, with the best weights", function()
    local w, n = theano.shared(0.0, "w"), 0
    local values = { 3, 2, 0 / 0, 2.5, 2.1, 1 }
    local history = train.loop { step = step, data = batches, epochs = 6, progress = false, valid = function()
      n = n + 1
      w:set_value(n + 0.0)
      return values[n]
    end, early_stopping = train.early_stopping { patience = 3, params = { w } } }
    assert.equal("early", history.stopped)
    assert.equal(5, #history)
    assert.equal(2, w:get_value())
  end)

  it("ends where a function says so", function()
    local history = train.loop { step = step, data = batches, epochs = 9, progress = false,
      on_epoch = function(e) return e == 2 and "stop" or nil end }
    assert.equal("callback", history.stopped)
    assert.equal(2, #history)
  end)

  it("shows lines where no terminal is", function()
    local text = {}
    train.loop { step = step, data = batches, epochs = 3, first = 2, valid = function() return 12345.678 end,
      progress = theano.progress(3, "epoch", function(s) text[#text + 1] = s end) }
    assert.same({ "epoch 2/3  loss 3.0000  valid 12345.7\n", "epoch 3/3  loss 3.0000  valid 12345.7\n" }, text)
    local bar = silent()
    bar.bar, bar.out = true, function(s) text[#text + 1] = s end
    bar:step(0.5, { loss = 1 })
    assert.truthy(text[3]:find("epoch 1/3 [============            ]  50 %  loss 1", 1, true))
  end)

  it("says what is wrong", function()
    raises("TypeError", "step gives", function()
      train.loop { step = function() return batches end, data = batches, epochs = 1, progress = false }
    end)
    raises("KeyError", "no value 'valid' (it has: epoch 1", function()
      train.loop { step = step, data = batches, epochs = 1, progress = false, early_stopping = train.early_stopping() }
    end)
    raises("TypeError", "step and data are needed", function() train.loop { epochs = 1 } end)
  end)
end)

describe("around a step", function()
  local x = T.dvector("x")
  local function compiled(outputs, updates, inputs)
    return theano.compile { inputs = inputs or {}, outputs = outputs, updates = updates, mode = "FAST_COMPILE" }
  end

  it("gradients of two halves are those of the whole", function()
    local function step_of(halves)
      local w = theano.shared(nd.array({ 1.0, 2.0 }), "w")
      local cost = T.mean(T.sqr(T.sum(w) - x))
      local acc = train.accumulate(theano.grad(cost, { w }), { w })
      local updates = train.optimizers.sgd(acc.mean, { w })
      updates:update(acc.clear)
      local add, go = compiled({}, acc.add, { x }), compiled({}, updates)
      for _, v in ipairs(halves) do add(v) end
      go()
      return w:get_value()
    end
    assert.is_true(nd.allclose(step_of({ { 1, 2, 3, 4 } }), step_of({ { 1, 2 }, { 3, 4 } }), 1e-12))
  end)

  it("averages follow the weights and take their place for a while", function()
    local w = theano.shared(0.0, "w")
    local updates = theano.OrderedUpdates({ { w, w + 1 } })
    local average = train.moving_average({ w }, { decay = 0.5 }, updates)
    updates:update(average.updates)
    local f = compiled({}, updates)
    f()
    f()
    average.use()
    assert.equal(1.25, w:get_value())
    raises("RuntimeError", "in use already", function() average.use() end)
    average.back()
    assert.equal(2, w:get_value())
    raises("ValueError", "decay is 1", function() train.moving_average({ w }, { decay = 1 }) end)
  end)
end)
