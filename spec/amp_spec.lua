--- Mixed precision: which operands `amp` rounds and what stays as it is; the loss scale.
local raises = require("spec.support.raises")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local loss_scale = require("theano.train.loss_scale")

local function f32(list) return nd.array(list, "float32") end

describe("compile{amp = ..}", function()
  it("rounds operands of products and convolutions, and adds up in float32", function()
    local rng = nd.random.RandomState(1)
    local a, b = rng:normal(0, 1, { 30, 50 }):astype("float32"), rng:normal(0, 1, { 50, 20 }):astype("float32")
    local images = rng:normal(0, 1, { 2, 3, 9, 9 }):astype("float32")
    local filters = rng:normal(0, 1, { 4, 3, 3, 3 }):astype("float32")
    local x, w, i, k = T.fmatrix("x"), T.fmatrix("w"), T.ftensor4("i"), T.ftensor4("k")
    local graph = { T.dot(x, w) + 1, T.nnet.conv2d(i, k), T.exp(x), T.grad(T.sum(T.sqr(T.dot(x, w))), w) }
    local function values(amp)
      local out = {}
      for n, v in ipairs(graph) do
        out[n] = theano.compile { inputs = { x, w, i, k }, outputs = v, amp = amp, on_unused_input = "ignore" }(a, b,
          images, filters)
      end
      return out
    end
    local plain = values()
    for _, dtype in ipairs({ "float16", "bfloat16" }) do
      local function low(v) return v:astype(dtype):astype("float32") end
      local got = values(dtype)
      for _, r in ipairs(got) do assert.equal("float32", r.dtype) end
      assert.is_true(nd.allclose(nd.dot(low(a), low(b)) + 1, got[1], 1e-6, 1e-5))
      local wanted = theano.compile({ i, k }, T.nnet.conv2d(i, k))(low(images), low(filters))
      assert.is_true(nd.allclose(wanted, got[2], 1e-6, 1e-5))
      assert.is_true(nd.array_equal(plain[3], got[3])) -- not a product
      local gz = low(2 * nd.dot(low(a), low(b)))
      assert.is_true(nd.allclose(nd.dot(low(a).T, gz), got[4], 1e-5, 1e-4))
      assert.is_false(nd.array_equal(plain[1], got[1]))
    end
  end)

  it("rounds what stands between two products for all its readers, and its gradients", function()
    local rng = nd.random.RandomState(2)
    local function numbers(...) return rng:normal(0, 1, { ... }):astype("float32") end
    local x, u, v, b = T.ftensor3("x"), T.fmatrix("u"), T.fmatrix("v"), T.fvector("b")
    local h = T.tanh(T.dot(x, u) + b)
    local y = T.dot(h, v)
    local outputs = { y, T.sum(T.sqr(h)), table.unpack(T.grad(T.sum(T.sqr(y)), { b, v, u })) }
    local args = { numbers(2, 5, 7), numbers(7, 9), numbers(9, 3), numbers(9) }
    for _, dtype in ipairs({ "float16", "bfloat16" }) do
      local function low(a) return a:astype(dtype):astype("float32") end
      local got = { theano.compile { inputs = { x, u, v, b }, outputs = outputs, amp = dtype }(table.unpack(args)) }
      local hidden = low(nd.tanh(low(nd.dot(low(args[1]), low(args[2]))) + args[4]))
      local last, rows = nd.dot(hidden, low(args[3])), hidden:reshape { 10, 9 }
      local gz = 2 * low(last):reshape { 10, 3 }
      local back = low(low(nd.dot(gz, low(args[3]).T)) * (1 - nd.square(rows)))
      local wanted = { low(last), nd.sum(nd.square(hidden)), nd.sum(back, { axis = 0 }), nd.dot(rows.T, gz),
        nd.dot(low(args[1]):reshape({ 10, 7 }).T, back) }
      for i, w in ipairs(wanted) do
        assert(nd.allclose(w, got[i], 1e-4, 1e-4), ("%s, output %d"):format(dtype, i))
      end
    end
  end)

  it("rounds inside of loops too, leaves float64, and a matrix once", function()
    local x, w = T.fmatrix("x"), T.fmatrix("w")
    local h = theano.scan(function(row, s) return T.tanh(T.dot(w, s) + row) end,
      { sequences = x, outputs_info = T.zeros({ 3 }, { dtype = "float32" }) })
    local f = theano.compile { inputs = { x, w }, outputs = h, amp = "bfloat16" }
    local a = f32 { { 1, 0.3, 0.7 }, { 0.1, 0.2, 0.9 } }
    local b = f32 { { 0.111, 0.2, 1 }, { 3, 0.777, 1 }, { 0.1, 0.1, 0.9 } }
    local function low(v) return v:astype("bfloat16"):astype("float32") end
    local first = nd.tanh(a["0"])
    local second = nd.tanh(nd.dot(low(b), low(first)) + a["1"])
    assert.is_true(nd.allclose(nd.stack { first, second }, f(a, b), 1e-6, 1e-6))
    local m = T.dmatrix("m")
    local exact = theano.compile { inputs = { m }, outputs = T.dot(m, m), amp = "float16" }
    assert.is_true(nd.array_equal(nd.dot(nd.array { { 0.1 } }, nd.array { { 0.1 } }), exact { { 0.1 } }))
    local both = theano.compile { inputs = { x, w }, outputs = { T.dot(x, w), T.dot(x.T, x) }, amp = "bfloat16" }
    local text, casts, seen = theano.printing.debugprint(both, { file = "str" }), 0, {}
    for id in text:gmatch("Cast{bfloat16}[^\n]-%[id (%u+)%]") do
      casts, seen[id] = casts + (seen[id] and 0 or 1), true
    end
    assert.equal(2, casts, text)
  end)

  it("refuses what it does not know", function()
    local x = T.fmatrix("x")
    local function with(amp, mode) return theano.compile { inputs = { x }, outputs = x, amp = amp, mode = mode } end
    raises("ValueError", { "bfloat16", "float8" }, function() with("float8") end)
    raises("ValueError", "DebugMode", function() with("float16", "DebugMode") end)
    raises("TypeError", "amp", function() with(true) end)
  end)
end)

describe("the loss scale", function()
  local function model(o)
    local x = T.fvector("x")
    local w = theano.shared(f32 { 1, 2 }, { name = "w" })
    local m = theano.shared(f32 { 0, 0 }, { name = "m" })
    local scaler = loss_scale(o)
    local grads, finite = scaler:grad(T.sum(T.sqr(w * x)), { w })
    local plain = theano.OrderedUpdates()
    plain[m] = m * 0.5 + grads[1] -- in float32
    plain[w] = w - plain[m] * 0.125
    local step = theano.compile { inputs = { x }, outputs = { grads[1], finite }, updates = scaler:updates(plain) }
    return step, scaler, w, m
  end

  it("leaves no trace in gradients, grows after good steps", function()
    local step, scaler = model { init_scale = 1024, growth_interval = 3 }
    local g, finite = step { 1, 0.5 }
    assert.same({ 2, 1 }, g:tolist())
    assert.is_true(finite)
    assert.equal(1, scaler.good_steps:get_value())
    for _ = 1, 2 do step { 0.25, 0.5 } end
    assert.equal(2048, scaler.scale:get_value())
    assert.equal(0, scaler.good_steps:get_value())
  end)

  it("skips a step that is not finite, which changes nothing else, and halves", function()
    local step, scaler, w, m = model { init_scale = 1024 }
    step { 0.5, 0.5 }
    local before, slot = w:get_value():tobytes(), m:get_value():tobytes()
    for i, bad in ipairs({ 0 / 0, math.huge, 3e38 }) do
      local _, finite = step(f32 { bad, 1 })
      assert.is_false(finite)
      assert.equal(before, w:get_value():tobytes())
      assert.equal(slot, m:get_value():tobytes())
      assert.equal(1024 / 2 ^ i, scaler.scale:get_value())
      assert.equal(0, scaler.good_steps:get_value())
    end
    local _, finite = step { 0.5, 0.5 }
    assert.is_true(finite)
    assert.not_equal(before, w:get_value():tobytes())
    assert.equal(3, #scaler.state)
  end)

  it("keeps gradients that float16 would lose", function()
    local x, w = T.fmatrix("x"), theano.shared(nd.ones({ 4, 1 }, "float32"))
    local function gradient(scaler)
      local cost = T.sum(T.dot(x, w)) * 1e-9
      local g = scaler and scaler:grad(cost, { w })[1] or theano.grad(cost, w)
      return theano.compile { inputs = { x }, outputs = g, amp = "float16" }(nd.ones({ 3, 4 }, "float32"))
    end
    assert.equal(0, gradient()["0, 0"]) -- 1e-9 is no float16
    assert.is_true(math.abs(gradient(loss_scale { init_scale = 2 ^ 16 })["0, 0"] - 3e-9) < 3e-11)
  end)

  it("trains a net to the same loss", function()
    local rng = nd.random.RandomState(4)
    local points = rng:normal(0, 1, { 200, 5 }):astype("float32")
    local wanted = nd.tanh(nd.dot(points, rng:normal(0, 1, { 5, 2 }):astype("float32")))
    local function train(amp)
      local seeds = nd.random.RandomState(9)
      local x, y = T.fmatrix("x"), T.fmatrix("y")
      local u = theano.shared(seeds:normal(0, 0.4, { 5, 16 }):astype("float32"))
      local v = theano.shared(seeds:normal(0, 0.4, { 16, 2 }):astype("float32"))
      local cost = T.mean(T.sqr(T.dot(T.tanh(T.dot(x, u)), v) - y))
      local scaler = loss_scale { growth_interval = 20 }
      local updates = theano.train.optimizers.adam(scaler:grad(cost, { u, v }), { u, v }, { learning_rate = 0.02 })
      local step = theano.compile { inputs = { x, y }, outputs = cost, updates = scaler:updates(updates), amp = amp }
      local loss
      for _ = 1, 150 do loss = step(points, wanted) end
      return loss
    end
    local exact = train(nil)
    assert.is_true(exact < 0.02)
    for _, amp in ipairs({ "bfloat16", "float16" }) do
      local loss = train(amp)
      assert.is_true(math.abs(loss - exact) < 0.1 * exact + 1e-3, ("%s: %g, %g"):format(amp, loss, exact))
    end
  end)

  it("refuses what cannot be", function()
    for _, v in ipairs({ 1000, 0, -2, 2 ^ 100, 2 ^ -100, math.huge, 0 / 0 }) do
      raises("ValueError", { "init_scale", "power of 2", "between" }, function() loss_scale { init_scale = v } end)
    end
    raises("ValueError", "growth_interval", function() loss_scale { growth_interval = 0 } end)
    raises("TypeError", "grow", function() loss_scale { grow = 2 } end)
    local w = theano.shared(f32 { 1 })
    raises("TypeError", "scalar", function() loss_scale():grad(w * 2, { w }) end)
    raises("RuntimeError", "gradients first", function() loss_scale():updates({}) end)
    local s = loss_scale()
    s:grad(T.sum(w), { w })
    raises("RuntimeError", "already", function() s:grad(T.sum(w), { w }) end)
  end)
end)
