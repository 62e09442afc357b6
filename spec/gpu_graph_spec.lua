--- A call as a graph of a GPU: a launch waits for those that it meets, and for no others. The emulated driver runs a
-- graph's launches in any order that its edges allow, drawn anew each time, so a missing edge is a wrong number.
local emulated = require("spec.support.emulated")
local nd = require("theano.ndarray")
local theano = require("theano")
local T = require("theano.tensor")

local function numbers(...)
  local n = 1
  for _, k in ipairs({ ... }) do n = n * k end
  return nd.sin(nd.arange(n):astype("float64") * 0.7):astype("float32"):reshape({ ... })
end

-- By step, the steps that its launch waited for; how many launches stand in the longest line; how many there are.
local function line_of(f)
  local after, length, longest, launches = {}, {}, 0, 0
  for _, k in ipairs(theano.printing.roofline(f, "h100", { compile = false }).kernels) do
    local most = 0
    after[k.step] = assert(k.after, "no call was a graph")
    for _, step in ipairs(k.after) do most = math.max(most, length[step] or 0) end
    for step, n in pairs(length) do
      if step <= k.behind_all then most = math.max(most, n) end
    end
    length[k.step] = k.joined and most or most + 1
    launches = launches + (k.joined and 0 or 1)
    longest = math.max(longest, length[k.step])
  end
  return after, longest, launches
end

local function mlp(batch, a, b, c)
  local x = T.fmatrix("x")
  local p = { theano.shared(numbers(a, b)), theano.shared(nd.zeros(b, "float32")), theano.shared(numbers(b, c)),
    theano.shared(nd.zeros(c, "float32")) }
  local out = T.nnet.softmax(T.dot(T.tanh(T.dot(x, p[1]) + p[2]), p[3]) + p[4])
  local y = T.constant(nd.arange(batch, nil, nil, "int64") % c)
  local cost = T.nnet.categorical_crossentropy(out, y):mean()
  local updates = {}
  for i, g in ipairs(T.grad(cost, p)) do updates[i] = { p[i], p[i] - T.constant(0.01, { dtype = "float32" }) * g } end
  return theano.compile({ inputs = { x }, outputs = cost, updates = updates }), p, numbers(batch, a)
end

local function lenet(batch)
  local x = T.tensor4("x", { dtype = "float32" })
  local p = { theano.shared(numbers(20, 1, 5, 5)), theano.shared(numbers(50, 20, 5, 5)),
    theano.shared(numbers(800, 500)), theano.shared(numbers(500, 10)) }
  local function layer(v, w)
    local h = T.nnet.conv2d(v, w, { filter_flip = false })
    return T.tanh(T.signal.pool.pool_2d(h, { ds = { 2, 2 }, ignore_border = true }))
  end
  local out = T.nnet.softmax(T.dot(T.tanh(T.dot(layer(layer(x, p[1]), p[2]):flatten(2), p[3])), p[4]))
  local y = T.constant(nd.arange(batch, nil, nil, "int64") % 10)
  local cost, updates = T.nnet.categorical_crossentropy(out, y):mean(), {}
  for i, g in ipairs(T.grad(cost, p)) do updates[i] = { p[i], p[i] - T.constant(0.01, { dtype = "float32" }) * g } end
  return theano.compile({ inputs = { x }, outputs = cost, updates = updates }), numbers(batch, 1, 28, 28)
end

-- Updates that read each other's old values, a gather that can fail, sums of everything, products, draws.
local function tangle(rng)
  local x, i = T.fmatrix("x"), T.lvector("i")
  local w = {}
  for k = 1, 5 do w[k] = theano.shared(numbers(12, 8) * k) end
  local rows = w[1][i]
  local s, t = T.tanh(T.dot(x, w[2].T)), T.sqr(x):sum({ axis = 1 })
  local noise = rng:uniform({ size = { 12, 8 }, dtype = "float32" })
  local updates = {
    { w[1], w[1] * 0.5 + w[2]:sum() }, { w[2], w[1] + T.dot(s.T, x) * 0.01 }, { w[3], w[4] * noise + rows:sum() },
    { w[4], w[3] - t:sum() }, { w[5], w[5] * 0.5 }, -- that one meets nothing
  }
  for _, u in ipairs(updates) do u[2] = T.cast(u[2], "float32") end
  return theano.compile({ inputs = { x, i }, outputs = { rows:sum(), s:max(), t }, updates = updates }), w
end

describe("a graph of a GPU", function()
  it("has a launch wait for what it meets alone", function()
    local _ <close> = theano.config.change_flags(emulated.flags)
    local a, b = theano.shared(numbers(64, 64)), theano.shared(numbers(4096))
    local f = theano.compile({ inputs = {}, outputs = {}, updates = {
      { a, T.cast(a / a:sum({ axis = 0 }), "float32") }, { b, T.cast(b / b:sum(), "float32") } } })
    for _ = 1, 3 do f() end
    local _, longest, launches = line_of(f)
    assert.is_true(launches > longest, launches .. " launches, " .. longest .. " in a line")
  end)

  it("makes the eight launches of an MLP's step five in a line", function()
    local _ <close> = theano.config.change_flags(emulated.flags)
    emulated.idle(1)
    local ok, after, longest, launches = pcall(function()
      local f, _, x = mlp(60, 784, 500, 10)
      for _ = 1, 3 do f(x) end
      return line_of(f)
    end)
    emulated.idle(0)
    assert(ok, after)
    assert(launches <= 8 and longest <= 5, launches .. " launches, " .. longest .. " in a line")
  end)

  it("takes the small steps of an MLP by small tiles, an element a thread and several threads a column", function()
    local _ <close> = theano.config.change_flags(emulated.flags)
    emulated.idle(1)
    local ok, r = pcall(function()
      local f, _, x = mlp(60, 784, 500, 10)
      for _ = 1, 3 do f(x) end
      return theano.printing.roofline(f, "h100", { compile = false })
    end)
    emulated.idle(0)
    assert(ok, r)
    local kinds, tile = {}, nil
    for _, k in ipairs(r.kernels) do
      kinds[k.kind] = (kinds[k.kind] or "") .. k.kernel:match("%a*$")
      kinds.rows = kinds.rows or k.kernel:find("^half_")
      if k.m == 60 and k.n == 500 and k.k == 784 then tile = k end
    end
    assert.same({ 16, 16, 128 }, tile.tile)
    assert(tile.ahead and tile.blocks == 128 and tile.estimate < 2.6e-6, tostring(r))
    assert(kinds.rows and kinds.columns == "bb", tostring(r)) -- rows behind the second product
  end)

  it("computes tanh's gradient where LeNet's poolings look it up: 22 launches a step", function()
    local _ <close> = theano.config.change_flags({ device = emulated.flags.device, floatX = "float32" })
    emulated.idle(1)
    local ok, r, plan, longest = pcall(function()
      local f, x = lenet(128)
      for _ = 1, 3 do f(x) end
      local _, most = line_of(f)
      return theano.printing.roofline(f, "h100", { compile = false }), theano.printing.plan(f), most
    end)
    emulated.idle(0)
    assert(ok, r)
    assert(r.launches <= 22, r.launches .. " launches")
    assert(longest <= 13, longest .. " steps in a line") -- gradients of filters need not wait for each other
    assert.equal(2, select(2, plan:gsub("nodes %[%d+%]  MaxPoolGrad", "")))
    assert.is_nil(plan:find("sqr%(i2%)[^\n]*CorrMM_gradInputs"))
  end)

  -- Maxima, sums and means of windows side by side, of some beyond the border, of images without elements.
  it("gives the interpreter's bits where a pooling's gradient computes what it looks up", function()
    local function gradient(flags, dtype, pool, form)
      local _ <close> = theano.config.change_flags(flags)
      local four = T.TensorType(dtype, { false, false, false, false })
      local x, t, g = four("x"), four("t"), four("g")
      local y = T.signal.pool.pool_2d(x, pool)
      return theano.compile({ inputs = { x, t, g }, on_unused_input = "ignore",
        outputs = T.grad(nil, x, { known_grads = { [y] = form(t, g) } }) })
    end
    local forms = { function(t, g) return g * (1 - T.sqr(t)) end, function(t, g) return T.switch(T.gt(t, 0), g, 0) end,
      function(_, g) return g * 3 end, function(t, g) return g / (t - t) end }
    local merged = 0
    for _, dtype in ipairs({ "float32", "float64", "float16" }) do
      for i, pool in ipairs({ { ds = { 2, 2 }, ignore_border = true }, { ds = { 3, 2 }, ignore_border = false },
        { ds = { 2, 2 }, ignore_border = true, mode = "sum" }, { ds = { 2, 2 }, st = { 3, 4 }, ignore_border = true },
        { ds = { 2, 3 }, ignore_border = true, pad = { 1, 1 }, mode = "average_exc_pad" } }) do
        for j, form in ipairs(forms) do
          local want = gradient({ linker = "interpreter" }, dtype, pool, form)
          local f = gradient(emulated.flags, dtype, pool, form)
          merged = merged + (theano.printing.plan(f):find("kernel k%d[^\n]*Elemwise") and 0 or 1)
          for _, n in ipairs({ 3, 0 }) do
            local x = numbers(n, 2, 7, 9):astype(dtype)
            local y = T.signal.pool.pool_2d(T.constant(x), pool):eval()
            local t = nd.cos(y)
            assert.is_true(nd.array_equal(want(x, t, y), f(x, t, y), { equal_nan = true }),
              ("%s, pooling %d, form %d, %d images"):format(dtype, i, j, n))
          end
        end
      end
    end
    assert(merged >= 10, merged .. " computed there")
  end)

  it("moves normal numbers once, and the states of their streams", function()
    local _ <close> = theano.config.change_flags(emulated.flags)
    local n = 100000
    local z = theano.sandbox.rng_mrg.MRG_RandomStreams(7):normal({ n }, 1, 2, { dtype = "float32" })
    local f = theano.compile({ inputs = {}, outputs = z })
    f()
    local r = theano.printing.roofline(f, "h100", { compile = false })
    assert(#r.kernels == 1 and r.bytes <= 4 * n + 2 * 24 * 15360, tostring(r))
  end)

  it("gives the CPU's numbers in whatever order its launches run", function()
    local function steps(n)
      local f, p, x = mlp(6, 20, 12, 4)
      local costs = {}
      for k = 1, n do costs[k] = tonumber(f(x)) or f(x):item() end
      return costs, emulated.values(p)
    end
    local costs, want = steps(24)
    local _ <close> = theano.config.change_flags(emulated.flags)
    for _ = 1, 3 do
      local got, left = steps(24)
      for k = 1, #costs do assert.is_true(math.abs(got[k] - costs[k]) < 1e-5 * math.abs(costs[k]), k) end
      for k = 1, #want do assert.is_true(nd.allclose(left[k], want[k], 1e-4, 1e-5), k) end
    end
  end)

  local function tangled(n, x, i)
    local f, w = tangle(theano.sandbox.rng_mrg.MRG_RandomStreams(7))
    local outs = {}
    for k = 1, n do outs[k] = { f(x, i) } end
    return outs, emulated.values(w), f, w
  end

  -- Each has one of the rooms that libraries work in, or waits for who has it.
  it("runs a library's products side by side that do not meet", function()
    local function steps()
      local y, updates, w = T.fmatrix("y"), {}, {}
      for k = 1, 6 do
        w[k] = theano.shared(numbers(170, 150) * (0.1 * k))
        local x = theano.shared(numbers(200, 170) * k)
        updates[k] = { w[k], w[k] - T.cast(0.01, "float32") * T.dot(x.T, y) }
      end
      local f, value = theano.compile({ inputs = { y }, outputs = {}, updates = updates }), numbers(200, 150)
      for _ = 1, 5 do f(value) end
      return emulated.values(w), f
    end
    local want = steps()
    local _ <close> = theano.config.change_flags(emulated.flags)
    local before = emulated.calls("cublasLtMatmul")
    local left, f = steps()
    assert(emulated.calls("cublasLtMatmul") - before >= 12)
    for k = 1, 6 do assert.is_true(nd.allclose(left[k], want[k], 1e-4, 1e-5), k) end
    local _, longest, launches = line_of(f)
    assert(launches == 6 and longest == 2, longest .. " steps in a line")
  end)

  it("keeps updates apart that read each other's old values, and draws in order", function()
    local x, i = numbers(5, 8), nd.array({ 0, 11, 3 }, "int64")
    local outs, want = tangled(8, x, i)
    local _ <close> = theano.config.change_flags(emulated.flags)
    for _ = 1, 4 do
      local got, left, f = tangled(8, x, i)
      for k = 1, 5 do assert(nd.allclose(left[k], want[k], 1e-4, 1e-4), "w" .. k) end
      for k = 1, 8 do assert(nd.allclose(got[k][3], outs[k][3], 1e-5, 1e-5), "call " .. k) end
      local _, longest, launches = line_of(f)
      assert(longest < launches)
    end
  end)

  it("changes nothing before all that can fail is done", function()
    local x, i = numbers(5, 8), nd.array({ 0, 11, 3 }, "int64")
    local _ <close> = theano.config.change_flags(emulated.flags)
    for _ = 1, 4 do
      local _, _, f, w = tangled(4, x, i)
      local before = emulated.values(w)
      local ok, why = pcall(f, x, nd.array({ 0, 12, 3 }, "int64"))
      assert.is_false(ok)
      assert.equal("IndexError", theano.error_kind(why))
      for k, v in ipairs(emulated.values(w)) do assert.is_true(nd.array_equal(v, before[k]), "w" .. k) end
    end
  end)

  it("goes on along rows past sums of columns: layer norm's gradients move five arrays", function()
    local _ <close> = theano.config.change_flags({ floatX = "float32" })
    local function gradients(n, width)
      local list = { numbers(n, width), numbers(n, width) * 2, numbers(width) + 2, numbers(width) }
      for i, a in ipairs(list) do list[i] = theano.shared(a:astype("float32")) end
      local x, z, v, w = table.unpack(list)
      local d = x - x:mean({ axis = 1, keepdims = true })
      local y = d / T.sqrt(T.sqr(d):mean({ axis = 1, keepdims = true }) + 1e-5) * v + w
      local to, updates = { theano.shared(nd.zeros({ n, width }, "float32")),
        theano.shared(nd.zeros(width, "float32")), theano.shared(nd.zeros(width, "float32")) }, {}
      for i, g in ipairs(T.grad(T.sum(y * z), { x, v, w })) do updates[i] = { to[i], g } end
      return theano.compile({ inputs = {}, outputs = {}, updates = updates }), to
    end
    for _, shape in ipairs({ { 9, 40 }, { 70, 300 }, { 1, 5 }, { 300, 1 } }) do
      local n, width = table.unpack(shape)
      local f, to = gradients(n, width)
      f()
      local want = emulated.values(to)
      local _ <close> = theano.config.change_flags(emulated.flags)
      f, to = gradients(n, width)
      for _ = 1, 4 do
        f()
        for i, got in ipairs(emulated.values(to)) do assert(nd.allclose(got, want[i], 1e-4, 1e-4), n) end
      end
      local r = theano.printing.roofline(f, "h100", { compile = false })
      assert(#r.kernels <= 3, tostring(r)) -- nine arrays, where rows end at the sums of columns
      assert(width == 1 or r.bytes <= 4 * (5 * n * width + 8 * width + 8 * n), tostring(r))
    end
  end)

  it("is a line where the driver does not take its edges", function()
    local costs = {}
    do
      local f, _, x = mlp(6, 20, 12, 4)
      for k = 1, 8 do costs[k] = tonumber(f(x)) or f(x):item() end
    end
    local _ <close> = theano.config.change_flags(emulated.flags)
    for _, entry in ipairs({ "cuStreamUpdateCaptureDependencies", "cuStreamGetCaptureInfo_v2" }) do
      for n = 1, 4 do
        local f, _, x = mlp(6, 20, 12, 4)
        emulated.fail(entry, n, 1)
        local graphs = emulated.calls("cuGraphLaunch")
        for k = 1, 8 do
          local got = f(x)
          assert.is_true(math.abs((tonumber(got) or got:item()) - costs[k]) < 1e-5 * math.abs(costs[k]), entry .. n)
        end
        emulated.fail(entry, 0, 0)
        assert.is_true(emulated.calls("cuGraphLaunch") - graphs >= 4, entry .. n)
      end
    end
  end)
end)
