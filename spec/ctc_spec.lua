--- Connectionist temporal classification: costs against the sum over every alignment, gradients, vmap, errors.
local compile = require("theano.compile")
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local T = require("theano.tensor")

local rng = nd.random.RandomState(4)
local X = rng:randn(5, 3, 3)
local LABELS, STEPS = { { 1, 2 }, { 1, 1 }, { 2, -1 } }, { 4, 5, 3 }
local x, labels, steps = T.dtensor3("x"), T.imatrix("labels"), T.ivector("steps")
local cost = T.nnet.ctc(x, labels, steps)
local f = compile({ inputs = { x, labels, steps }, outputs = cost })

-- Minus the log of the probability of a text of labels: all ways to fill the steps are tried.
local function by_trying(n, text)
  local total, y = 0, {}
  for t = 0, STEPS[n + 1] - 1 do
    local sum = 0
    y[t] = {}
    for k = 0, 2 do
      y[t][k] = math.exp(X[{ t, n, k }])
      sum = sum + y[t][k]
    end
    for k = 0, 2 do y[t][k] = y[t][k] / sum end
  end
  local path = {}
  local function try(t, p)
    if t == STEPS[n + 1] then
      local seen = {}
      for i, k in ipairs(path) do
        if k ~= path[i - 1] and k ~= 0 then seen[#seen + 1] = k end
      end
      if table.concat(seen, ",") == text then total = total + p end
      return
    end
    for k = 0, 2 do
      path[t + 1] = k
      try(t + 1, p * y[t][k])
      path[t + 1] = nil
    end
  end
  try(0, 1)
  return -math.log(total)
end

describe("T.nnet.ctc", function()
  it("is minus the log of the sum over all alignments", function()
    local got = f(X, LABELS, STEPS)
    for n, text in ipairs({ "1,2", "1,1", "2" }) do assert.near(by_trying(n - 1, text), got[n - 1], 1e-12) end
  end)

  it("has its gradient", function()
    T.verify_grad(function(a)
      return T.nnet.ctc(a, T.constant(LABELS, { dtype = "int32" }), T.constant(STEPS, { dtype = "int32" }))
    end, { X })
    local g = compile({ inputs = { x, labels, steps }, outputs = T.grad(cost:sum(), x) })(X, LABELS, { 4, 5, 3 })
    assert.same({ 0.0, 0.0, 0.0 }, g[{ 4, 0 }]:tolist()) -- after the sequence's end
  end)

  it("is infinite, without a gradient, where the steps cannot hold the labels", function()
    assert.equal(math.huge, f(X, LABELS, { 4, 2, 3 })[1]) -- 1, 1 needs a blank between
    local g = compile({ inputs = { x, labels, steps }, outputs = T.grad(cost:sum(), x) })(X, LABELS, { 4, 2, 3 })
    assert.same({ 0.0, 0.0, 0.0 }, g[{ 0, 1 }]:tolist())
    assert.equal(0.0, f(X, { { -1, 1 }, { 1, 1 }, { 2, -1 } }, { 0, 5, 3 })[0])
  end)

  it("of float32 and of any layout", function()
    local y = T.ftensor3("y")
    local single = compile({ inputs = { y, labels, steps }, outputs = T.nnet.ctc(y, labels, steps) })
    local got, want = single(X:astype("float32"), LABELS, STEPS), f(X, LABELS, STEPS)
    assert.equal("float32", got.dtype)
    for n = 0, 2 do assert.near(want[n], got[n], 1e-5) end
    local turned =
      compile({ inputs = { x, labels, steps }, outputs = T.nnet.ctc(x:dimshuffle(2, 0, 1), labels, steps) })
    assert.same(want:tolist(), turned(X:transpose(1, 2, 0):copy(), LABELS, STEPS):tolist())
  end)

  it("has a second derivative", function()
    local v = T.dtensor3("v")
    local g = T.grad((cost * T.constant({ 1.5, 2.0, 1.0 })):sum(), x)
    local along = T.grad((g * v):sum(), x)
    local both = compile({ inputs = { x, v, labels, steps }, outputs = { g, along }, on_unused_input = "ignore" })
    local by, e = nd.random.RandomState(4):normal(0, 1, X.shape), 1e-5
    local function gradient(a) return (both(a, by, LABELS, STEPS)) end
    local _, got = both(X, by, LABELS, STEPS)
    local want = (gradient(X + by * e) - gradient(X - by * e)) / (2 * e)
    assert.is_true(nd.allclose(got, want, 1e-6, 1e-8))
    assert.is_true(nd.abs(got):max() > 0.01)
    local _, impossible = both(X, by, LABELS, { 4, 2, 3 }) -- 1, 1 needs a blank between
    assert.same({ 0.0, 0.0, 0.0 }, impossible[{ 0, 1 }]:tolist())
    -- linear in v: derived by it, and mapped over it
    local other = nd.random.RandomState(5):normal(0, 1, X.shape)
    local swapped = compile({ inputs = { x, v, labels, steps }, outputs = T.grad((along * other):sum(), v),
      on_unused_input = "ignore" })
    local _, wanted = both(X, other, LABELS, STEPS)
    assert.is_true(nd.allclose(swapped(X, by, LABELS, STEPS), wanted, 1e-12, 1e-14))
    local many = T.dtensor4("many")
    local mapped = T.vmap(function(d) return T.grad((g * d):sum(), x) end, { 0 })(many)
    local rows = compile({ inputs = { x, many, labels, steps }, outputs = mapped })
    assert.same({ got:tolist(), wanted:tolist() },
      rows(X, nd.array({ by:tolist(), other:tolist() }), LABELS, STEPS):tolist())
  end)

  it("maps over a batch of batches", function()
    local many = T.dtensor4("many")
    local mapped = T.vmap(function(a) return T.nnet.ctc(a, labels, steps) end, { 0 })(many)
    local both = nd.array({ X:tolist(), (X * 2):tolist() })
    local got = compile({ inputs = { many, labels, steps }, outputs = { mapped, T.grad(mapped:sum(), many) } })
    local costs, gradients = got(both, LABELS, STEPS)
    local g = compile({ inputs = { x, labels, steps }, outputs = T.grad(cost:sum(), x) })
    assert.same({ f(X, LABELS, STEPS):tolist(), f(X * 2, LABELS, STEPS):tolist() }, costs:tolist())
    assert.same(g(X * 2, LABELS, STEPS):tolist(), gradients[1]:tolist())
  end)

  it("says what is wrong", function()
    raises("ValueError", "labels[0, 1] = 3 is out of bounds", function()
      f(X, { { 1, 3 }, { 1, 1 }, { 2, -1 } }, STEPS)
    end)
    raises("ValueError", "input_lengths[1] = 6, but there are 5", function() f(X, LABELS, { 4, 6, 3 }) end)
    raises("ValueError", "labels has 2 rows, but activations holds 3", function()
      f(X, { { 1, 2 }, { 1, 1 } }, STEPS)
    end)
    raises("TypeError", "labels must be a tensor of 2 dimensions of integers", function()
      T.nnet.ctc(x, T.dmatrix(), steps)
    end)
    raises("NullTypeGradError", "third derivative of ctc", function()
      local second = T.grad(T.sqr(T.grad(cost:sum(), x)):sum(), x)
      local _ = T.grad(second:sum(), x)
    end)
  end)
end)
