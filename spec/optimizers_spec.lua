--- theano.train.optimizers: three steps of each against its formula in plain Lua; schedules; clipping; whole batches.
local raises = require("spec.support.raises")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local optimizers = require("theano.train.optimizers")
local schedules = optimizers.schedules

-- The cost (w - 3)² / 2: its gradient is w - 3.
local FORMULAS = {
  sgd = function(s, g) return s.w - 0.1 * g end,
  momentum = function(s, g)
    s.v = 0.9 * s.v - 0.1 * g
    return s.w + s.v
  end,
  nesterov = function(s, g)
    s.v = 0.9 * s.v - 0.1 * g
    return s.w + 0.9 * s.v - 0.1 * g
  end,
  adagrad = function(s, g)
    s.v = s.v + g * g
    return s.w - 0.01 * g / (math.sqrt(s.v) + 1e-10)
  end,
  rmsprop = function(s, g)
    s.v = 0.9 * s.v + 0.1 * g * g
    return s.w - 0.001 * g / (math.sqrt(s.v) + 1e-8)
  end,
  adadelta = function(s, g)
    s.v = 0.95 * s.v + 0.05 * g * g
    local d = math.sqrt(s.m + 1e-6) / math.sqrt(s.v + 1e-6) * g
    s.m = 0.95 * s.m + 0.05 * d * d
    return s.w - d
  end,
}
local function adam(s, g, epsilon)
  s.m, s.v = 0.9 * s.m + 0.1 * g, 0.999 * s.v + 0.001 * g * g
  return s.m / (1 - 0.9 ^ s.t) / (math.sqrt(s.v / (1 - 0.999 ^ s.t)) + epsilon)
end
FORMULAS.adam = function(s, g) return s.w - 0.001 * adam(s, g, 1e-8) end
FORMULAS.adamw = function(s, g) return s.w - 0.001 * (adam(s, g, 1e-8) + 0.01 * s.w) end
FORMULAS.lamb = function(s, g)
  local by = adam(s, g, 1e-6) + 0.01 * s.w
  return s.w - 0.001 * math.abs(s.w) / math.abs(by) * by
end

local function steps(name, dtype, options)
  local w = theano.shared(nd.array({ 1 }, dtype), { name = "w" })
  local three = T.constant(3, { dtype = dtype })
  local updates, state = optimizers[name](T.sum(T.sqr(w - three)) / T.constant(2, { dtype = dtype }), { w }, options)
  local f = theano.compile { inputs = {}, outputs = {}, updates = updates, mode = "FAST_COMPILE" }
  return w, f, state
end

describe("an optimizer", function()
  for name, formula in pairs(FORMULAS) do
    it("is as published: " .. name, function()
      local w, f = steps(name, "float64")
      local s = { w = 1, v = 0, m = 0 }
      for t = 1, 3 do
        s.t = t
        s.w = formula(s, s.w - 3)
        f()
        assert.is_true(math.abs(w:get_value():item() - s.w) < 1e-12, name .. " step " .. t)
      end
    end)
    it("keeps float32 where weights are: " .. name, function()
      local w, f, state = steps(name, "float32")
      f()
      assert.equal("float32", w:get_value().dtype)
      for _, v in ipairs(state) do assert.is_true(v.dtype == "float32" or v.name:find("steps$") ~= nil, v.name) end
    end)
  end

  it("takes gradients in place of a cost", function()
    local w = theano.shared(nd.array({ 1.0 }))
    local updates = optimizers.sgd({ T.constant(nd.array({ 2.0 })) }, { w }, { learning_rate = 0.5 })
    theano.compile({ inputs = {}, outputs = {}, updates = updates, mode = "FAST_COMPILE" })()
    assert.same({ 0 }, w:get_value():tolist())
    raises("ValueError", "1 gradients for 2 weights", function() optimizers.sgd({ w }, { w, w }) end)
  end)

  it("takes its rate from a shared variable or a schedule", function()
    local rate = theano.shared(0.0)
    local w, f = steps("sgd", "float64", { learning_rate = rate })
    f()
    assert.same({ 1 }, w:get_value():tolist())
    rate:set_value(1.0)
    f()
    assert.same({ 3 }, w:get_value():tolist())
    local v, g = steps("sgd", "float64", { learning_rate = function(t) return T.switch(T.eq(t, 1), 1.0, 0.0) end })
    g()
    assert.same({ 1 }, v:get_value():tolist())
    g()
    assert.same({ 3 }, v:get_value():tolist())
  end)

  it("says what is wrong with its options", function()
    local w = theano.shared(1.0)
    raises("ValueError", "learning_rate is -1", function() optimizers.sgd(w, { w }, { learning_rate = -1 }) end)
    raises("ValueError", "beta1 is 1", function() optimizers.adam(w, { w }, { beta1 = 1 }) end)
    raises("TypeError", "known: learning_rate", function() optimizers.sgd(w, { w }, { rate = 1 }) end)
    raises("ShapeError", "a scalar is expected", function()
      optimizers.sgd(w, { w }, { learning_rate = T.dvector() })
    end)
  end)
end)

describe("gradients that are too large", function()
  local a, b = T.dvector("a"), T.dscalar("b")
  local function f(outputs) return theano.compile { inputs = { a, b }, outputs = outputs, mode = "FAST_COMPILE" } end

  it("are cut by value", function()
    local x, y = f(optimizers.clip_by_value({ a, b }, 1))({ -3, 0.5 }, 7)
    assert.same({ -1, 0.5 }, x:tolist())
    assert.equal(1, y)
  end)
  it("are made shorter together", function()
    local grads, norm = optimizers.clip_by_global_norm({ a, b }, 6.5)
    local x, y, n = f({ grads[1], grads[2], norm })({ 3, 4 }, 12)
    assert.same({ 1.5, 2 }, x:tolist())
    assert.equal(6, y)
    assert.equal(13, n)
    x = f({ grads[1], grads[2], norm })({ 3, 4 }, 0)
    assert.same({ 3, 4 }, x:tolist())
  end)
end)

describe("a schedule", function()
  local t = T.dscalar("t")
  local function at(schedule, ...)
    local f = theano.compile { inputs = { t }, outputs = schedule(t), mode = "FAST_COMPILE" }
    local list = {}
    for i, v in ipairs({ ... }) do list[i] = f(v) end
    return list
  end
  local function near(wanted, got)
    for i, v in ipairs(wanted) do assert.is_true(math.abs(v - got[i]) < 1e-12, v .. " and " .. got[i]) end
  end

  it("falls by steps", function() near({ 1, 1, 0.5, 0.25 }, at(schedules.step { rate = 1, factor = 0.5, every = 10 },
    0, 9, 10, 25)) end)
  it("falls all the time", function() near({ 1, 0.5, 0.25 }, at(schedules.exponential { rate = 1, factor = 0.5,
    every = 2 }, 0, 2, 4)) end)
  it("falls along a wave, after a warmup", function()
    near({ 0.5, 1, 1, 0.55, 0.1, 0.1 }, at(schedules.cosine { rate = 1, steps = 10, floor = 0.1, warmup = 2 }, 0, 1, 2,
      7, 12, 99))
  end)
  it("falls along a line", function() near({ 1, 0.5, 0 }, at(schedules.linear { rate = 1, steps = 4 }, 0, 2, 9)) end)
  it("falls by the root", function() near({ 0.25, 1, 0.5 }, at(schedules.inverse_sqrt { rate = 1, warmup = 4 }, 0, 4,
    16)) end)
  it("needs its numbers", function()
    raises("TypeError", "steps is missing", function() local _ = schedules.cosine { rate = 1 } return _ end)
  end)
end)

describe("a whole batch", function()
  for _, name in ipairs({ "lbfgs", "conjugate_gradient" }) do
    it("is fitted by " .. name, function()
      local w, b = theano.shared(nd.zeros(2), "w"), theano.shared(0.0, "b")
      local x, y = T.dmatrix("x"), T.dvector("y")
      local fit = optimizers[name](T.mean(T.sqr(T.dot(x, w) + b - y)), { w, b }, { inputs = { x, y } })
      local v = nd.random.RandomState(1):randn(20, 2)
      local cost = fit(v, nd.dot(v, nd.array({ 2.0, -1.0 })) + 0.5)
      assert.is_true(cost < 1e-9)
      assert.is_true(nd.allclose(w:get_value(), nd.array({ 2.0, -1.0 }), 1e-4))
      raises("ValueError", "mis-match", function() fit(v, nd.zeros(3)) end)
    end)
  end
end)
