--- theano.init and theano.layers: first values, weights by name, passes for training and testing, gradients.
local raises = require("spec.support.raises")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local init, layers = theano.init, theano.layers

local function run(inputs, outputs, updates)
  return theano.compile { inputs = inputs, outputs = outputs, updates = updates, mode = "FAST_COMPILE" }
end

describe("theano.init", function()
  local function rng() return nd.random.RandomState(3) end

  it("is the module of that name, and theano.init", function()
    assert.equal(init, require("theano.init"))
  end)

  it("counts inputs and outputs, the places of filters with them", function()
    assert.same({ 784, 500 }, { init.fans({ 784, 500 }) })
    assert.same({ 75, 500 }, { init.fans({ 20, 3, 5, 5 }) })
  end)

  it("draws with the published variances", function()
    for name, std in pairs({ glorot_uniform = math.sqrt(2 / 500), glorot_normal = math.sqrt(2 / 500),
      he_uniform = math.sqrt(2 / 200), he_normal = math.sqrt(2 / 200), lecun_normal = math.sqrt(1 / 200) }) do
      local a = init[name]({ 200, 300 }, { rng = rng() })
      assert.is_true(math.abs(nd.std(a) / std - 1) < 0.02, name)
      assert.is_true(math.abs(nd.std(init[name]({ 200, 300 }, { rng = rng(), gain = 2 })) / std - 2) < 0.04, name)
    end
    assert.is_true(nd.max(nd.abs(init.glorot({ 200, 300 }, { rng = rng() }))) <= math.sqrt(6 / 500))
  end)

  it("makes orthonormal rows or columns", function()
    local tall, wide = init.orthogonal({ 7, 4 }, { rng = rng() }), init.orthogonal({ 4, 2, 3 }, { rng = rng() })
    assert.is_true(nd.allclose(nd.dot(tall.T, tall), nd.eye(4), 1e-12, 1e-12))
    wide = wide:reshape({ 4, 6 })
    assert.is_true(nd.allclose(nd.dot(wide, wide.T), nd.eye(4), 1e-12, 1e-12))
  end)

  it("has floatX, or the dtype that is asked for", function()
    assert.equal(theano.config.floatX, init.zeros({ 2 }).dtype)
    assert.equal("float32", init.uniform({ 2 }, { rng = rng(), dtype = "float32" }).dtype)
    assert.same({ 3, 3 }, init.constant({ 2 }, { value = 3 }):tolist())
  end)

  it("says what is missing or wrong", function()
    raises("TypeError", "rng is missing", function() init.he({ 2, 3 }) end)
    raises("ValueError", "length 2 of the shape is 2.5", function() init.he({ 2, 2.5 }, { rng = rng() }) end)
    raises("ValueError", "two or more dimensions", function() init.he({ 2 }, { rng = rng() }) end)
    raises("TypeError", "did you mean 'gain'", function() init.he({ 2, 2 }, { rng = rng(), gian = 2 }) end)
  end)
end)

describe("theano.layers", function()
  local x = T.dmatrix("x")
  local ones = nd.ones({ 3, 4 })

  it("keeps weights by name, in the order of the calls", function()
    local p = layers.params { seed = 1, dtype = "float64" }
    layers.dense(p, layers.dense(p, x, 4, 5), 5, 2, { name = "out", bias = false })
    local names = {}
    for i, w in ipairs(p.weights) do names[i] = w.name end
    assert.same({ "dense1.W", "dense1.b", "out.W" }, names)
    assert.equal("float64", p.weights[1].dtype)
  end)

  it("shares weights with a second pass, and of layers of one name", function()
    local p = layers.params { seed = 1, dtype = "float64" }
    local a, b = layers.dense(p, x, 4, 4), layers.dense(p:test(), x, 4, 4)
    local c = layers.dense(p, a, 4, 4, { name = "dense1" })
    assert.equal(2, #p.weights)
    local f = run({ x }, { a, b, c })
    local va, vb, vc = f(ones)
    assert.is_true(nd.array_equal(va, vb))
    assert.is_true(nd.allclose(vc, nd.dot(va, p.weights[1]:get_value()), 1e-12))
    raises("ShapeError", { "dense1.W has the shape (4, 4)", "(4, 5) is asked for" }, function()
      layers.dense(p, x, 4, 5, { name = "dense1" })
    end)
  end)

  it("leaves elements out in training alone", function()
    local p = layers.params { seed = 1, dtype = "float64" }
    local f = run({ x }, { layers.dropout(p, x, 0.5), layers.dropout(p:test(), x, 0.5) })
    local a, b = f(nd.ones({ 100, 4 }))
    assert.is_true(nd.any(nd.equal(a, 0)))
    assert.is_true(nd.all(nd.equal(b, 1)))
  end)

  it("normalises by the batch, then by running statistics", function()
    local p = layers.params { seed = 1, dtype = "float64" }
    local y, test = layers.batch_norm(p, x, 4, { momentum = 1 }), layers.batch_norm(p:test(), x, 4)
    local v = nd.random.RandomState(1):randn(50, 4) * 3 + 2
    local out = run({ x }, y, p.updates)(v)
    assert.is_true(nd.allclose(nd.mean(out, 0), nd.zeros(4), 1e-9, 1e-9))
    assert.is_true(nd.allclose(nd.std(out, 0), nd.ones(4), 1e-5))
    assert.is_true(nd.allclose(run({ x }, test)(v), out * math.sqrt(49 / 50), 1e-4, 1e-5)) -- the unbiased variance
    assert.equal(2, #p.states)
    assert.equal(2, #p.weights)
  end)

  it("attends as the formula says, with heads, and hides what comes later", function()
    local p = layers.params { seed = 2, dtype = "float64" }
    local s = T.dtensor3("s")
    local y = layers.attention(p, s, 4, { heads = 2, causal = true })
    local v = nd.random.RandomState(1):randn(1, 3, 4)
    local out = run({ s }, y)(v)
    local w = {}
    for name, a in (function() local list, i = p:values(), 0
      return function() i = i + 1 if list[i] then return list[i][1]:match("/(.*)$"), list[i][2] end end end)() do
      w[name] = a
    end
    local q, k, u = nd.dot(v[0], w["query.W"]), nd.dot(v[0], w["key.W"]), nd.dot(v[0], w["value.W"])
    local joined = {}
    for h = 0, 1 do
      local cols = T.slice(2 * h, 2 * h + 2)
      local e = nd.exp(nd.dot(q[{ "...", cols }], k[{ "...", cols }].T) / math.sqrt(2)) * nd.tril(nd.ones({ 3, 3 }))
      joined[h + 1] = nd.dot(e / nd.sum(e, 1):reshape({ 3, 1 }), u[{ "...", cols }])
    end
    assert.is_true(nd.allclose(out[0], nd.dot(nd.concatenate(joined, 1), w["out.W"]), 1e-10))
    v[{ 0, 2 }] = 9
    assert.is_true(nd.array_equal(run({ s }, y)(v)["0, :2"], out["0, :2"]))
  end)

  for _, kind in ipairs({ "rnn", "lstm", "gru" }) do
    it("keeps the state of " .. kind .. " where a sequence has ended", function()
      local p = layers.params { seed = 2, dtype = "float64" }
      local s, m = T.dtensor3("s"), T.dmatrix("m")
      local h = layers[kind](p, s, 3, 4, { mask = m })
      local last = layers[kind](p:again(), s, 3, 4, { mask = m, last = true })
      local f = run({ s, m }, { h, last })
      local v = nd.random.RandomState(1):randn(5, 2, 3)
      local a, b = f(v, nd.array({ { 1, 1 }, { 1, 1 }, { 1, 0 }, { 1, 0 }, { 1, 0 } }, "float64"))
      assert.is_true(nd.array_equal(a["4, 1"], a["1, 1"]))
      assert.is_false(nd.array_equal(a["4, 0"], a["1, 0"]))
      assert.is_true(nd.array_equal(a[4], b))
    end)
  end

  it("goes through a sequence from its end", function()
    local p = layers.params { seed = 2, dtype = "float64" }
    local s = T.dtensor3("s")
    local f = run({ s }, { layers.gru(p, s, 3, 4), layers.gru(p:again(), s, 3, 4, { reverse = true }) })
    local v = nd.random.RandomState(1):randn(5, 2, 3)
    local forward = f(v["::-1"])
    local _, backward = f(v)
    assert.is_true(nd.allclose(forward["::-1"], backward, 1e-12))
  end)

  it("has gradients for all weights of all layers", function()
    local p = layers.params { seed = 2, dtype = "float64" }
    local words, picture = T.lmatrix("words"), T.dtensor4("picture")
    local e = layers.embedding(p, words, 10, 4)
    local seen = layers.pool(layers.conv(p, picture, 1, 2, { activation = T.tanh }))
    local block = layers.transformer_block(p, e, 4, { heads = 2 })
    local h = layers.lstm(p, block:dimshuffle(1, 0, 2), 4, 4, { last = true })
    local cost = T.sum(T.sqr(layers.layer_norm(p, h, 4))) + T.sum(T.sqr(layers.batch_norm(p, h, 4))) + T.sum(seen)
    local f = run({ words, picture }, theano.grad(cost, p.weights))
    local a = nd.random.RandomState(1):randint(0, 10, { 3, 5 })
    for i, g in ipairs({ f(a, nd.random.RandomState(2):rand(1, 1, 4, 4)) }) do
      assert.is_true(nd.all(nd.isfinite(g)), p.weights[i].name)
      assert.same(p.weights[i]:get_value().shape, g.shape)
    end
  end)

  it("saves and sets values by name, all or none", function()
    local p = layers.params { seed = 1, dtype = "float64" }
    layers.dense(p, x, 4, 2)
    local values = { ["dense1.W"] = nd.ones({ 4, 2 }), ["dense1.b"] = nd.ones({ 2 }) }
    p:set_values(values)
    assert.is_true(nd.all(nd.equal(p.weights[1]:get_value(), 1)))
    raises("KeyError", "no value for dense1.b", function() p:set_values({ ["dense1.W"] = nd.zeros({ 4, 2 }) }) end)
    raises("ShapeError", "dense1.b", function()
      p:set_values({ ["dense1.W"] = nd.zeros({ 4, 2 }), ["dense1.b"] = nd.ones({ 3 }) })
    end)
    values.other = nd.ones(1)
    raises("KeyError", "no weight is called other", function() p:set_values(values) end)
    assert.is_true(nd.all(nd.equal(p.weights[1]:get_value(), 1)))
  end)

  it("says what is wrong with a call", function()
    local p = layers.params()
    raises("TypeError", "not of theano.layers.params", function() layers.dense(x, p, 4, 2) end)
    raises("ValueError", "inputs is 0", function() layers.dense(p, x, 0, 2) end)
    raises("TypeError", "did you mean 'activation'", function() layers.dense(p, x, 4, 2, { activaton = T.tanh }) end)
    raises("ValueError", "6 features do not go into 4 heads", function()
      layers.attention(p, T.dtensor3(), 6, { heads = 4 })
    end)
    raises("ShapeError", "(time, batch, inputs)", function() layers.lstm(p, x, 4, 2) end)
  end)
end)
