--- device=cuda-emulated: the way to a GPU, by the driver that lies beside the program, trains models like the CPU.
local nd = require("theano.ndarray")
local skip = require("spec.support.skip")
local theano = require("theano")
local both = require("spec.support.device")
local DEVICE = both.flags.device
local T = require("theano.tensor")

-- Trains on the device and returns the costs, the parameters and the function.
local function logistic_regression(device, dtype)
  local _ <close> = theano.config.change_flags { device = device }
  local rng = nd.random.RandomState(42)
  local function random(...) return rng:randn(...):astype(dtype) end
  local x, y = T.matrix("x", { dtype = dtype }), T.lvector("y")
  local w, b = theano.shared(random(30), "w"), theano.shared(nd.zeros({}, dtype), "b")
  local p = 1 / (1 + T.exp(-T.dot(x, w) - b))
  local cost = (-y * T.log(p) - (1 - y) * T.log(1 - p)):mean() + 0.01 * (w ^ 2):sum()
  local gw, gb = table.unpack(theano.grad(cost, { w, b }))
  local step = T.constant(0.1, { dtype = dtype })
  local updates = { { w, T.cast(w - step * gw, dtype) }, { b, T.cast(b - step * gb, dtype) } }
  local train = theano.compile({ inputs = { x, y }, outputs = cost, updates = updates })
  local data_x, data_y, costs = random(40, 30), rng:randint(0, 2, { 40 }), {}
  for i = 1, 10 do costs[i] = train(data_x, data_y) end
  return costs, { w:get_value(), b:get_value({ array = true }) }, train
end

local function network(device, dtype)
  local _ <close> = theano.config.change_flags { device = device }
  local rng = nd.random.RandomState(7)
  local function weights(n, m) return (rng:randn(n, m) * 0.2):astype(dtype) end
  local x, y = T.matrix("x", { dtype = dtype }), T.lvector("y")
  local params = {
    theano.shared(weights(37, 23), "W1"), theano.shared(nd.zeros({ 23 }, dtype), "b1"),
    theano.shared(weights(23, 5), "W2"), theano.shared(nd.zeros({ 5 }, dtype), "b2"),
  }
  local h = T.tanh(T.dot(x, params[1]) + params[2])
  local p = T.nnet.softmax(T.dot(h, params[3]) + params[4])
  local cost = T.nnet.categorical_crossentropy(p, y):mean()
  local updates = {}
  for i, g in ipairs(theano.grad(cost, params)) do
    updates[i] = { params[i], params[i] - T.constant(0.1, { dtype = dtype }) * g }
  end
  local train = theano.compile({ inputs = { x, y }, outputs = cost, updates = updates })
  local data_x, data_y, costs = rng:randn(20, 37):astype(dtype), rng:randint(0, 5, { 20 }), {}
  for i = 1, 10 do costs[i] = train(data_x, data_y) end
  local values = {}
  for i, q in ipairs(params) do values[i] = q:get_value() end
  return costs, values, train
end

local function same_training(model, dtype, tolerance)
  local costs, values = model("cpu", dtype)
  local emulated_costs, emulated_values, train = model(DEVICE, dtype)
  assert.matches("for CUDA", theano.printing.ccode(train), nil, true)
  assert.matches("KERNEL kernel_0", theano.printing.ccode(train), nil, true)
  assert.is_true(costs[10] < costs[1])
  for i, cost in ipairs(costs) do assert.near(cost, emulated_costs[i], tolerance) end
  for i, v in ipairs(values) do
    assert.equal(v.dtype, emulated_values[i].dtype)
    local a, b = v:reshape({ v.size }), emulated_values[i]:reshape({ v.size })
    for j = 0, v.size - 1 do assert.near(a[j], b[j], tolerance) end
  end
end

describe("device=cuda-emulated", function()
  local function it_with_compiler(name, body)
    it(name, function()
      if theano.config.cxx == "" then skip.now("there is no C compiler") end
      body()
    end)
  end

  for _, case in ipairs({ { "float64", 1e-12 }, { "float32", 2e-5 } }) do
    local dtype, tolerance = table.unpack(case)
    it_with_compiler("trains logistic regression like the CPU, " .. dtype, function()
      same_training(logistic_regression, dtype, tolerance)
    end)
    it_with_compiler("trains a network like the CPU, " .. dtype, function()
      same_training(network, dtype, tolerance)
    end)
  end

  it_with_compiler("runs convolutions and poolings, and what follows them, like the CPU", function()
    local rng = nd.random.RandomState(3)
    local function run(device, outs, inputs, values, openmp)
      local _ <close> = theano.config.change_flags { device = device, openmp = openmp }
      local f = theano.compile({ inputs = inputs, outputs = outs })
      if device ~= "cpu" then assert.matches("for CUDA", theano.printing.ccode(f), nil, true) end
      return f(table.unpack(values))
    end
    for _, dtype in ipairs({ "float32", "float64" }) do
      local four = { false, false, false, false }
      local x, w, r = T.TensorType(dtype, four)("x"), T.TensorType(dtype, four)("w"), T.TensorType(dtype, four)("r")
      local b = T.TensorType(dtype, { false })("b")
      local conv, per = T.nnet.conv2d(x, w), b:dimshuffle("x", 0, "x", "x")
      local function pool(v) return T.signal.pool.pool_2d(v, { 2, 2 }, { ignore_border = true }) end
      local index = T.arange(11):dimshuffle("x", "x", "x", 0):astype(dtype)
      local values = { rng:randn(9, 3, 12, 13):astype(dtype), rng:randn(5, 3, 3, 3):astype(dtype),
        rng:randn(5):astype(dtype), rng:randn(9, 5, 10, 11):astype(dtype) }
      local outs = { conv, T.nnet.relu(conv + per) * r, pool(conv), T.sqr(pool(T.maximum(conv + per, r)) - 1),
        pool(r) + 1, conv * index, conv:sum({ axis = 1 }) }
      for _, openmp in ipairs({ false, true }) do
        for i, y in ipairs(outs) do
          local inputs = i == 5 and { r } or (i == 2 or i == 4) and { x, w, b, r } or { x, w }
          local given = i == 5 and { values[4] } or { table.unpack(values, 1, #inputs) }
          local want = run("cpu", y, inputs, given, openmp)
          local got = run(DEVICE, y, inputs, given, openmp)
          assert(nd.allclose(got, want, dtype == "float32" and 1e-5 or 1e-13, dtype == "float32" and 1e-5 or 1e-12),
            ("%s output %d"):format(dtype, i))
        end
      end
    end
  end)

  it_with_compiler("does not write one number over another that all threads read", function()
    local x, v = T.dvector("x"), T.dvector("v")
    local ratio = T.sum(T.cos(x)) / T.sum(T.cos(v))
    local y = T.tanh(x * ratio)
    both.same({ x, v }, { y, T.cumsum(y) + ratio }, { nd.arange(900) / 900, nd.ones(5) }, "a ratio", 1e-12)
  end)

  it_with_compiler("has values that are read late, of functions that take turns", function()
    local rng, kept = nd.random.RandomState(1), {}
    local x, b = T.dmatrix("x"), T.dvector("b")
    local _ <close> = theano.config.change_flags { device = DEVICE }
    local first = theano.compile({ inputs = { x }, outputs = T.exp(x) })
    local second = theano.compile({ inputs = { x, b }, outputs = T.tanh(x + b) })
    local both_of = theano.compile({ inputs = { x, b }, outputs = T.tanh(T.exp(x) + b) })
    for i = 1, 60 do
      local v, w = rng:randn(rng:randint(1, 40), 7), rng:randn(7)
      local one = second(first(v), w)
      if i % 3 == 0 then collectgarbage() end
      kept[i] = both_of(v, w)
      assert(nd.allclose(kept[i], one, 1e-12, 1e-12), i)
    end
  end)

  it_with_compiler("reports an index out of bounds like the CPU", function()
    local function message(device)
      local _ <close> = theano.config.change_flags { device = device }
      local x, i = T.dvector("x"), T.lvector("i")
      local f = theano.compile({ inputs = { x, i }, outputs = x[i] })
      local ok, e = pcall(f, nd.array({ 1, 2, 3 }, "float64"), nd.array({ 0, 3 }))
      assert.is_false(ok)
      return tostring(e)
    end
    local want = message("cpu")
    assert.matches("index out of bounds", want)
    assert.equal(want, message(DEVICE))
  end)
end)
