--- Memory of a call: what is planned (`f:memory()`), T.remat, the limit `memory` of theano.compile, and the order of a
-- training step's nodes, which lets go of each layer before the next one's gradient.
local flags = require("spec.support.flags")
local theano = require("theano")
local raises = require("spec.support.raises")
local T, nd = theano.tensor, theano.ndarray

local WIDTH, DEPTH, ROWS = 32, 8, 200
local LAYER = WIDTH * ROWS * 8 -- bytes of a layer's values

local function weights()
  local r, w = nd.random.RandomState(3), {}
  for i = 1, DEPTH do w[i] = theano.shared(r:randn(WIDTH, WIDTH) * 0.2, "w" .. i) end
  return w
end

-- Cost and gradients of a deep net; `every`: each so-maniest layer is marked.
local function gradients(options)
  local x, w = T.matrix("x"), options.weights or weights()
  local h = x
  for i = 1, DEPTH do
    h = T.tanh(T.dot(h, w[i]))
    if options.every and i % options.every == 1 then h = T.remat(h) end
  end
  local cost = T.sum(h * h)
  local outputs, updates = { cost }, {}
  for i, g in ipairs(T.grad(cost, w)) do
    if options.train then updates[i] = { w[i], w[i] - 0.01 * g } else outputs[i + 1] = g end
  end
  return theano.compile({ inputs = { x }, outputs = outputs, updates = updates, memory = options.memory,
    profile = options.profile }), w
end

-- Bytes are those of one thread, with no compile beside that allocates.
flags.during(setup, teardown, { openmp = false, ["compile.tiers"] = false })

local data = nd.random.RandomState(4):randn(ROWS, WIDTH)

local function same(a, b)
  assert.equal(#a, #b)
  assert.equal(a[1], b[1])
  for i = 2, #a do assert.is_true(nd.array_equal(a[i], b[i])) end
end

local function count(f, name)
  local n = 0
  for _, node in ipairs(f.maker.fgraph:toposort()) do n = n + (tostring(node.op):find(name, 1, true) and 1 or 0) end
  return n
end

describe("T.remat", function()
  it("is its argument, as a value and in derivatives", function()
    local x = T.dvector("x")
    local y = T.sum(T.remat(T.exp(x)) ^ 2)
    local f = theano.compile({ x }, { y, T.grad(y, x), T.remat(x) })
    local v = nd.array({ 0.0, 1.0 })
    local a, b, c = f(v)
    assert.is_true(math.abs(a - (1 + math.exp(2))) < 1e-12)
    assert.is_true(nd.allclose(b, nd.array({ 2, 2 * math.exp(2) })))
    assert.is_true(nd.array_equal(c, v))
    assert.equal("Remat(exp(x))", theano.pp(T.remat(T.exp(x))))
    local forward = T.Rop(y, x, T.ones_like(x))
    assert.is_true(math.abs(theano.compile({ x }, forward)(v) - 2 * (1 + math.exp(2))) < 1e-12)
    assert.is_true(nd.array_equal(x:remat():eval({ [x] = v }), v))
  end)

  it("computes the value again for the gradient: less memory, the same bits", function()
    local plain, marked = gradients({}), gradients({ every = 2 })
    same({ plain(data) }, { marked(data) })
    assert.is_true(marked:memory() < plain:memory())
    assert.is_true(count(marked, "Tanh") > count(plain, "Tanh"))
    assert.is_true(count(marked, "Dot22") > count(plain, "Dot22"))
  end)

  it("leaves no trace where a value has one user, or users that follow each other", function()
    local x = T.matrix("x")
    local function nodes(mark)
      local y = T.tanh(T.dot(x, x))
      if mark then y = T.remat(y) end
      return #theano.compile({ x }, T.dot(y, x) + y).maker.fgraph:toposort()
    end
    assert.equal(nodes(false), nodes(true))
  end)

  it("keeps results, and does not repeat what may fail", function()
    local x, i = T.matrix("x"), T.lvector("i")
    local rows = T.remat(x[i])
    local f = theano.compile({ x, i }, { T.tanh(rows), T.sum(T.dot(T.dot(rows, rows.T), rows)) + T.sum(rows * rows) })
    assert.equal(1, count(f, "AdvancedSubtensor1"))
    local e = T.remat(T.exp(x))
    local g = theano.compile({ x }, { e, T.dot(T.dot(e, e), e) * e })
    assert.equal(1, count(g, "xp"))
  end)

  it("changes nothing in a body of scan and without an optimizer", function()
    local x = T.vector("x")
    local s = theano.scan(function(a) return T.remat(a * 2) + 1 end, { sequences = x })
    local f = theano.compile({ x }, T.grad(T.sum(s), x))
    assert.is_true(nd.array_equal(f(nd.array({ 1.0, 5.0 })), nd.array({ 2.0, 2.0 })))
    local raw = theano.compile({ inputs = { x }, outputs = T.remat(x) * 2, mode = theano.compile.Mode({
      optimizer = "None" }) })
    assert.is_true(nd.array_equal(raw(nd.array({ 1.0, 5.0 })), nd.array({ 2.0, 10.0 })))
  end)

  it("in the body of a loop keeps values out of the memory that its gradient takes for all turns", function()
    local start, w = T.dmatrix("start"), theano.shared(nd.eye(20) * 0.3)
    local function build(mark)
      local states = theano.scan {
        fn = function(h)
          local e = T.exp(T.dot(h, w))
          if mark then e = T.remat(e) end
          return T.tanh(e) * e * 0.1
        end, outputs_info = start, n_steps = 30,
      }
      return theano.compile({ start }, T.grad(T.sum(states[-1] ^ 2), w))
    end
    local kept, again, x = build(false), build(true), nd.full({ 15, 20 }, 0.1)
    local a, b = kept(x), again(x)
    assert.is_true(nd.all(nd.isfinite(a)) and nd.max(nd.abs(a)) > 0)
    assert.is_true(nd.allclose(a, b, 1e-12, 1e-15))
    assert.is_true(again:memory() <= kept:memory() - 30 * 15 * 20 * 8)
  end)
end)

describe("f:memory()", function()
  it("is what temporaries and results take at the lengths of the last call, and the room to work in", function()
    local x = T.matrix("x")
    local f, g = theano.compile({ x }, x + 1), theano.compile({ x }, T.dot(x, x) + 1)
    assert.equal(0, f:memory())
    f(nd.ones({ 10, 10 }))
    local small = f:memory()
    assert.is_true(small >= 800 and small <= 16384, small) -- blocks of the interpreter among it
    f(nd.ones({ 40, 40 }))
    assert.is_true(f:memory() - small >= 12000 - 200 and f:memory() - small <= 14400, f:memory())
    f(nd.ones({ 10, 10 }))
    assert.equal(small, f:memory())
    g(nd.ones({ 10, 10 }))
    assert.is_true(g:memory() > small and g:memory() < small + 100000, g:memory()) -- panels
  end)

  it("of a training step grows by one value a layer: gradients go as soon as they are used", function()
    local step = gradients({ train = true })
    step(data)
    assert.is_true(step:memory() < (DEPTH + 4) * LAYER)
    local all = gradients({})
    all(data)
    assert.is_true(all:memory() < (DEPTH + 4) * LAYER + DEPTH * WIDTH * WIDTH * 8)
  end)

  it("of convolutions too, whose filters' gradients are steps of their own: the last layer's comes first", function()
    local x, w, updates = T.dtensor4("x"), {}, {}
    local h = x
    for i = 1, DEPTH do
      w[i] = theano.shared(nd.ones({ 4, 4, 3, 3 }) * 0.01)
      h = T.tanh(T.nnet.conv2d(h, w[i], { border_mode = "half" }))
    end
    for i, g in ipairs(T.grad(T.sqr(h):sum(), w)) do updates[i] = { w[i], w[i] - 0.1 * g } end
    local f = theano.compile({ inputs = { x }, outputs = {}, updates = updates })
    f(nd.ones({ 16, 4, 32, 32 }))
    assert.is_true(f:memory() < (DEPTH + 2.5) * 16 * 4 * 32 * 32 * 8, f:memory()) -- the room to work in among it
  end)
end)

-- Places of the nodes whose operation has this name.
local function places(f, name)
  local at = {}
  for i, node in ipairs(f.maker.fgraph:toposort()) do
    if tostring(node.op):find(name, 1, true) then at[#at + 1] = i end
  end
  return at
end

-- A step down, in float32.
local function descent(loss, w)
  local updates = {}
  for k, g in ipairs(T.grad(loss, w)) do updates[k] = { w[k], w[k] - T.constant(0.1, { dtype = "float32" }) * g } end
  return updates
end

describe("a training step", function()
  it("of a table and layers updates a layer before the next gradient: its places were looked at on the way", function()
    local i, w, updates = T.ivector("i"), weights(), {}
    w[DEPTH + 1] = theano.shared(nd.ones({ 50, WIDTH }), "table")
    local h = w[DEPTH + 1][{ i }]
    for k = 1, DEPTH do h = T.tanh(T.dot(h, w[k])) end
    for k, g in ipairs(T.grad(T.sqr(h):sum(), w)) do updates[k] = { w[k], w[k] - 0.01 * g } end
    local f = theano.compile({ inputs = { i }, outputs = {}, updates = updates })
    f(nd.arange(ROWS):astype("int32") % 50)
    local products, inc = places(f, "Gemm{inplace}"), places(f, "AdvancedIncSubtensor1")
    assert.equal(DEPTH, #products)
    assert.equal(1, #inc)
    assert.is_true(products[1] < inc[1] - 2 * DEPTH, products[1] .. " " .. inc[1])
    assert.is_true(f:memory() < (DEPTH + 5) * LAYER, f:memory()) -- with what products pack
    assert.falsy(theano.printing.plan(f):find("%sb%d+:out%d"))
    assert.has_error(function() f(nd.array({ 50 }, "int32")) end)
  end)

  it("behind convolutions changes the weights of layers where they lie, after all that may want memory", function()
    local x, r = T.tensor4("x", { dtype = "float32" }), nd.random.RandomState(2)
    local function weight(...) return theano.shared((r:randn(...) * 0.1):astype("float32")) end
    local w = { weight(4, 1, 3, 3), weight(4, 4, 3, 3), weight(64, 30), weight(30, 5) }
    local h = x
    for k = 1, 2 do
      h = T.signal.pool.pool_2d(T.tanh(T.nnet.conv2d(h, w[k])), { 2, 2 }, { ignore_border = true })
    end
    h = T.dot(T.tanh(T.dot(h:flatten(2), w[3])), w[4])
    local f = theano.compile({ inputs = { x }, outputs = {}, updates = descent(T.sqr(h):mean(), w) })
    f(r:randn(3, 1, 22, 22):astype("float32"))
    local products, calls = places(f, "Gemm{inplace}"), places(f, "CorrMM_gradWeights")
    assert.equal(2, #products)
    assert.equal(2, #calls)
    assert.is_true(calls[2] < products[1])
    assert.falsy(theano.printing.plan(f):find("%sb%d+:out%d"), "a weight is written to a copy")
  end)

  it("computes gradients of filters before what can fail further down, and lets go of what they read", function()
    local x, r = T.tensor4("x", { dtype = "float32" }), nd.random.RandomState(3)
    local w = {}
    local function conv(h, to, from)
      w[#w + 1] = theano.shared((r:randn(to, from, 3, 3) * 0.1):astype("float32"))
      return T.tanh(T.nnet.conv2d(h, w[#w], { border_mode = "half" }))
    end
    local function double(h) return T.repeat_(T.repeat_(h, 2, { axis = 2 }), 2, { axis = 3 }) end
    local function half(h) return T.signal.pool.pool_2d(h, { 2, 2 }, { ignore_border = true }) end
    local first = conv(x, 4, 1)
    local last = conv(conv(T.concatenate({ double(conv(half(first), 4, 4)), first }, { axis = 1 }), 4, 8), 4, 4)
    local f = theano.compile({ inputs = { x }, outputs = {}, updates = descent(T.sqr(last):mean(), w) })
    f(r:randn(2, 1, 16, 16):astype("float32"))
    local calls, split = places(f, "CorrMM_gradWeights"), places(f, "Split")
    assert.equal(4, #calls)
    assert.is_true(calls[2] < split[1], calls[2] .. " " .. split[1])
  end)

  it("writes its updates in place, and products keep what follows them point by point", function()
    local x, y = T.fmatrix("x"), T.lvector("y")
    local function weight(...) return theano.shared(nd.full({ ... }, 0.01, "float32")) end
    local w = { weight(20, 30), weight(30), weight(30, 10), weight(10) }
    local h = T.tanh(T.dot(x, w[1]) + w[2])
    local p = T.nnet.softmax(T.dot(h, w[3]) + w[4])
    local cost, updates = (-T.log(p)[{ T.arange(y.shape[0]), y }]):mean(), {}
    for i, g in ipairs(theano.grad(cost, w)) do
      updates[i] = { w[i], w[i] - T.constant(0.1, { dtype = "float32" }) * g }
    end
    local plan = theano.printing.plan(theano.compile({ inputs = { x, y }, outputs = cost, updates = updates }))
    assert.truthy(plan:find("b%d+:out0"))
    assert.falsy(plan:find("b%d+:out[1-9]")) -- a new value beside the old one
    local _, products = plan:gsub("step %d+: kernel[^\n]*Elemwise[^\n]*, Dot22", "")
    assert.equal(2, products)
  end)
end)

local function live()
  collectgarbage()
  collectgarbage()
  return theano.stat("live_bytes") - theano.stat("cache_bytes")
end

local CALL = 10000 -- bytes of a call's own records

-- Results of a call, and the bytes that calls leave allocated, these results among them; what one makes of the function
-- itself is not counted.
local function taken(f, ...)
  f(...)
  f:free()
  local before = live()
  f(...)
  local results = { f(...) }
  return results, live() - before
end

describe("what f:memory() counts", function()
  local r = nd.random.RandomState(3)
  local x, y = T.matrix("x"), T.matrix("y")

  local function is_all(f, ...)
    local _, bytes = taken(f, ...)
    local counted = f:memory()
    assert.is_true(bytes > 0.97 * counted and bytes < 1.01 * counted + CALL, ("%d of %d"):format(bytes, counted))
  end

  it("is what an allocator counts: products, which pack, and results in classes of sizes", function()
    is_all(theano.compile({ x, y }, T.tanh(T.dot(T.tanh(x.T), y))), r:randn(700, 900), r:randn(700, 110))
    is_all(theano.compile({ x, y }, T.dot(x, y)), r:randn(40, 2000), r:randn(2000, 300))
    is_all(theano.compile({ x }, T.dot(x, x.T)), r:randn(500, 60))
  end)

  it("is so for convolutions, attention and sorts, whose room a run asks for", function()
    local a, w = T.ftensor4("a"), T.ftensor4("w")
    is_all(theano.compile({ a, w }, T.nnet.conv2d(T.tanh(a), w)), r:randn(8, 32, 32, 32):astype("float32"),
      r:randn(32, 32, 3, 3):astype("float32"))
    is_all(theano.compile({ a, w }, T.nnet.conv2d(T.tanh(a), w)), r:randn(8, 3, 40, 40):astype("float32"),
      r:randn(20, 3, 7, 7):astype("float32"))
    is_all(theano.compile({ x }, T.sort(x, 1)), r:randn(300, 400))
  end)

  it("follows a call from one length to another, and what products of threads pack", function()
    local f = theano.compile({ x, y }, T.dot(x.T, y))
    local a, b, c, d = r:randn(200, 300), r:randn(200, 110), r:randn(600, 700), r:randn(600, 310)
    is_all(f, a, b)
    f:free()
    is_all(f, c, d)
    local alone = f:memory()
    do
      local scope <close> = theano.config.change_flags({ openmp = true })
      assert.is_truthy(scope)
      local g = theano.compile({ x, y }, T.dot(x.T, y))
      is_all(g, c, d)
      assert.is_true(g:memory() >= alone)
      assert.is_true(nd.array_equal(f(c, d), g(c, d))) -- f, whose room is for one thread, has two now
    end
  end)
end)

describe("memory = ", function()
  it("is kept by what is allocated: products pack into less, with the same bits", function()
    local x, y = T.matrix("x"), T.matrix("y")
    local r = nd.random.RandomState(5)
    for _, case in ipairs({ { r:randn(700, 900), r:randn(700, 1100), 0.9 }, { r:randn(64, 400), r:randn(64, 9), 1 },
      { r:randn(2000, 30), r:randn(2000, 300), 0.75 } }) do
      local a, b, least = table.unpack(case)
      local function make(memory)
        return theano.compile({ inputs = { x, y }, outputs = T.dot(x.T, y), memory = memory })
      end
      local plain = make()
      local want = plain(a, b)
      for part = 1, least, -0.05 do
        local limit = math.floor(plain:memory() * part)
        local f = make(limit)
        local got, bytes = taken(f, a, b)
        assert.is_true(f:memory() <= limit, ("%g: %d of %d"):format(part, f:memory(), limit))
        assert.is_true(bytes <= 1.01 * limit + CALL, ("%g: %d of %d"):format(part, bytes, limit))
        assert.is_true(nd.array_equal(want, got[1]), part)
      end
    end
  end)

  it("counts the room that steps ask for while they run, and begins again with less", function()
    local a, w, x, v, n = T.ftensor4("a"), T.ftensor4("w"), T.matrix("x"), weights(), theano.shared(0)
    local r = nd.random.RandomState(6)
    local given = { r:randn(2, 8, 16, 16):astype("float32"), r:randn(8, 8, 3, 3):astype("float32"), data }
    local function make(memory)
      local h = x
      for i = 1, DEPTH do h = T.tanh(T.dot(h, v[i])) end
      local cost = T.sum(h * h) + T.sum(T.sqr(T.nnet.conv2d(a, w, { border_mode = "half" })))
      return theano.compile({ inputs = { a, w, x }, outputs = { cost, T.grad(cost, w), T.grad(cost, v[1]) },
        updates = { { n, n + 1 } }, memory = memory })
    end
    local plain = make()
    local want, all = taken(plain, table.unpack(given))
    for _, part in ipairs({ 1.02, 0.95, 0.9, 0.85 }) do
      local limit = math.floor(all * part)
      local f = make(limit)
      n:set_value(0)
      local got, bytes = taken(f, table.unpack(given))
      assert.is_true(bytes <= 1.01 * limit + CALL, bytes / limit)
      same(want, got)
      assert.equal(3, n:get_value()) -- a call that began again counts once
    end
    raises("MemoryError", "is too little for this call", function()
      make(math.floor(all * 0.2))(table.unpack(given))
    end)
  end)

  for _, device in ipairs({ "cpu", "cuda-emulated" }) do
    it("counts lengths that only a step finds: " .. device, function()
      local _ <close> = theano.config.change_flags({ device = device, force_device = true })
      local x, n = T.vector("x"), theano.shared(0)
      local function make(memory)
        return theano.compile({ inputs = { x }, outputs = T.sum(T.exp(T.compress(T.gt(x, 0), x))), memory = memory,
          updates = { { n, n + 1 } } })
      end
      local few, many = nd.zeros({ 30000 }), nd.zeros({ 30000 })
      few["0:2"], many["0:20000"] = 1, 1
      local plain = make()
      plain(few)
      local least = plain:memory()
      plain(many)
      assert.is_true(plain:memory() >= least + 19998 * 8)
      local late = make(least + 100000)
      n:set_value(0)
      local want
      for _ = 1, 4 do want = late(few) end
      raises("MemoryError", { "memory = ", "is too little for this call" }, function() late(many) end)
      assert.equal(4, n:get_value())
      assert.equal(want, late(few))
      assert.equal(5, n:get_value())
      assert.is_true(math.abs(want - 2 * math.exp(1)) < 1e-12)
    end)
  end

  it("computes again what reads a value that is computed again", function()
    local a, w = T.ftensor4("a"), T.ftensor4("w")
    local r = nd.random.RandomState(6)
    local va, vw = r:randn(8, 16, 24, 24):astype("float32"), (r:randn(16, 16, 3, 3) * 0.1):astype("float32")
    local function make(memory)
      local h = a
      for _ = 1, 4 do h = T.tanh(T.nnet.conv2d(h, w, { border_mode = "half" })) end
      local cost = T.sum(h * h)
      return theano.compile({ inputs = { a, w }, outputs = { cost, T.grad(cost, w) }, memory = memory })
    end
    local plain = make()
    local want = { plain(va, vw) }
    for part = 0.3, 1, 0.02 do -- a copy of a copy went through a table that had no place for it
      local ok, cost, g = pcall(make(math.floor(plain:memory() * part)), va, vw)
      if ok then same(want, { cost, g })
      else assert.equal("MemoryError", theano.error_kind(cost)) end
    end
  end)

  it("leaves weights unpacked where there is no room for them, and packs them where there is", function()
    local x, W = T.matrix("x"), theano.shared(nd.random.RandomState(7):randn(300, 500))
    local rows = nd.random.RandomState(8):randn(20, 300)
    local function make(memory) return theano.compile({ inputs = { x }, outputs = T.dot(x, W), memory = memory }) end
    local plain = make()
    local want = plain(rows)
    local least = plain:memory()
    for _ = 1, 3 do plain(rows) end
    assert.is_true(plain:memory() > 300 * 500 * 8)
    for _, limit in ipairs({ least + 100000, 2 * plain:memory() }) do
      local f = make(limit)
      for _ = 1, 4 do assert.is_true(nd.array_equal(want, (f(rows)))) end
      assert.is_true(f:memory() <= limit)
      assert.equal(limit > plain:memory(), f:memory() > 300 * 500 * 8)
    end
  end)

  it("makes the function compute values again, with the same bits", function()
    local plain = gradients({})
    local want = { plain(data) }
    for _, part in ipairs({ 0.9, 0.75, 0.65 }) do
      local limit = math.floor(plain:memory() * part)
      local f = gradients({ memory = limit })
      same(want, { f(data) })
      assert.is_true(f:memory() <= limit)
      assert.is_true(count(f, "Tanh") > count(plain, "Tanh"))
      same(want, { f(data) })
    end
  end)

  it("does nothing while a call keeps the limit", function()
    local plain, f = gradients({}), gradients({ memory = "1GB" })
    same({ plain(data) }, { f(data) })
    assert.equal(plain:memory(), f:memory())
    assert.equal(#plain.maker.fgraph:toposort(), #f.maker.fgraph:toposort())
  end)

  it("trains: updates of shared variables and defaults go on where they were", function()
    local plain, w = gradients({ train = true })
    plain(data)
    local f, v = gradients({ train = true, memory = math.floor(plain:memory() * 0.8) })
    f(data)
    for _ = 1, 3 do assert.equal(plain(data), f(data)) end
    for i = 1, DEPTH do assert.is_true(nd.array_equal(w[i]:get_value(), v[i]:get_value())) end

    local x, n = T.matrix("x"), T.lscalar("n")
    local counting = theano.compile({ memory = "200KB", outputs = { T.sum(T.dot(T.tanh(x), T.tanh(x).T)), n },
      inputs = { x, theano.In(n, { value = 5, update = n + 1 }) } })
    local _, a = counting(nd.ones({ 10, 10 }))
    assert.equal(5, a)
    assert.has_error(function() counting(nd.ones({ 300, 300 })) end)
    local _, b = counting(nd.ones({ 10, 10 }))
    assert.equal(6, b)
  end)

  it("raises where nothing helps, and says what is planned and what would do", function()
    local f = gradients({ memory = "10KB" })
    local e = raises("MemoryError", "memory = 10.0 KB is too little for this call", function() f(data) end)
    assert.truthy(e:find("it plans %d+%.%d KB of temporaries, results and room to work in, and %d+%.%d KB with all"), e)
    local least = math.ceil(tonumber(e:match("and (%d+%.%d) KB with all")) * 1024 + 60)
    local g = gradients({ memory = least })
    same({ gradients({})(data) }, { g(data) })
    local x = T.scalar("x")
    for memory, text in pairs({ much = "memory is a number of bytes", [-1] = "at least one byte" }) do
      raises("ValueError", text, function() theano.compile({ inputs = { x }, outputs = x, memory = memory }) end)
    end
  end)
end)
