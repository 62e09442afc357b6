--- The programs of examples/ run as they stand, through generated C and through the interpreter, and say the same.
local runner = require("spec.support.runner")

--- Each program: texts that its output holds, in this order.
local expected = {
  common_mistakes = {
    "shapes that do not fit", "ValueError: Shape mismatch: x has 3 cols but v has 4 rows",
    "a vector for a matrix", "TypeError: Bad input argument", "Wrong number of dimensions: expected 2, got 1",
    "a missing argument", "TypeError: Missing required input: v",
    "floats for integers", "TypeError: Bad input argument", "without risking loss of precision",
    "an input left out", "MissingInputError", "an input nobody uses", "UnusedInputError",
    "an operator that compares", "use T.lt(x, y)", "assigning to a variable", "use T.set_subtensor",
    "something disconnected", "DisconnectedInputError", "gradient of a matrix", "cost must be a scalar",
    "a wrong keyword", "did you mean 'axis'?", "a wrong method", "did you mean 'sum'?",
    "a wrong flag", "did you mean 'floatX'?", "not shared", "must be a shared variable",
    "another dtype", "An update must have the same type",
  },
  gradients = {
    "dz/dx, dz/dy at (3, 2):\t12.0\t8.58385316", "d2z/dx2 at (3, 2):\t4.0", "held constant, at 1:\t2.71828182",
    "without:\t5.4365636", "the gradient of the layer is right",
  },
  indexing = {
    "[4 5 6 7]\t[ 3  7 11]\t0", "[ 0 50 50  3]", "one element of each row\n[3 4 9]",
    "zeros in column 0\n[[ 0 50 50  3]", "[[200 250 250 203]\n [  4   5   6   7]\n [108 109 110 111]]", "[10.  0.  3.]",
  },
  linear_regression = { "step 200: cost 0.000092", "w = 2.00 -1.00 0.50, b = 3.00" },
  logistic_regression = { "Initial model:", "Final model:", "target values for D", "prediction on D" },
  matrix_statistics = {
    "mean\t[4.  3.  2.5]", "in rows\t[2 0 2]", "[[13.   -9.5   1.75]", "total\t28.5", "30. 300.]", "[[11. 21.]",
  },
  printing = {
    "log((TensorConstant{1} + exp((x \\dot w))))", "Elemwise{log,no_inplace} [id A]", "ScalarSoftplus", "kernel k0",
    "CGemv{inplace}",
  },
  save_and_load = { "W\tfloat32\t3 x 2", "equal after loading:\ttrue" },
  shared_state = {
    "before adding\t9\tthe total is\t6.0", "mean\t5.0", "count\t3", "mean of another total\t33.33333333",
    "after reset\t0.0\t0", "twice 21\t42.0\ttotal is still\t0.0", "13.0\t30.0", "8.0\t15.0",
  },
  softmax_regression = { "epoch 5: cost 0.062", "accuracy 99.7 %" },
}

local function programs()
  local pipe = assert(io.popen("ls examples/*.lua"))
  local names = {}
  for path in pipe:lines() do names[#names + 1] = path:match("([%w_]+)%.lua$") end
  pipe:close()
  return names
end

for _, name in ipairs(programs()) do
  describe("examples/" .. name .. ".lua", function()
    for _, linker in ipairs({ "c", "interpreter" }) do
      it("says what it should, linker=" .. linker, function()
        assert.is_table(expected[name], "this spec has no expectations for it")
        local env = { "THEANO_FLAGS=linker=" .. linker }
        local text, status = runner.run({ "examples/" .. name .. ".lua" }, { env = env })
        assert.equal(0, status, text)
        local from = 1
        for _, part in ipairs(expected[name]) do
          local _, last = text:find(part, from, true)
          assert.is_truthy(last, ("not found: %s\nin: %s"):format(part, text:sub(from)))
          from = last + 1
        end
      end)
    end
  end)
end

describe("examples/sim/pendulum_control.lua", function()
  it("tunes a controller that brings the pendulums upright", function()
    local text, status = runner.run({ "examples/sim/pendulum_control.lua" })
    assert.equal(0, status, text)
    local before, after = text:match("cost (%d%.%d+) before, (%d%.%d+) after")
    assert.is_true(tonumber(after) < 0.75 * tonumber(before), text)
    assert.truthy(text:find("at %-?0.000 after five"), text)
  end)
end)

describe("examples/images/spectrogram.lua", function()
  it("finds the rising tone, and draws", function()
    local folder = runner.folder()
    local text, status = runner.run({ "examples/images/spectrogram.lua", folder })
    assert.equal(0, status, text)
    local moments = 0
    for found, real in text:gmatch("([%d.]+) Hz is the strongest, the rising tone has (%d+)") do
      assert.is_true(math.abs(found - real) <= 31.25, text) -- a frequency's width
      moments = moments + 1
    end
    assert.equal(4, moments)
    local picture = assert(io.open(folder .. "/spectrogram.png", "rb"))
    assert.equal("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\xf7\0\0\0\x81", picture:read(24)) -- 247 x 129
    picture:close()
    runner.remove(folder)
  end)
end)

describe("examples/rnn/char_lstm.lua", function()
  it("learns", function()
    local text, status = runner.run({ "examples/rnn/char_lstm.lua", "120" })
    assert.equal(0, status, text)
    local last
    for p in text:gmatch("perplexity (%d+%.%d+)") do last = tonumber(p) end
    assert.is_true(last < 16, text)
    assert.truthy(text:find("it writes: t", 1, true), text)
  end)
end)

describe("examples/ported/adding.lua", function()
  it("gives the numbers that adding.py gave under Theano 1.0.5", function()
    local path = os.tmpname() .. ".npz"
    local text, status = runner.run({ "examples/ported/adding.lua", path })
    assert.equal(0, status, text)
    local want = { { 5, 0.1738, 0.1427 }, { 10, 0.1640, 0.1310 }, { 15, 0.1230, 0.0812 }, { 20, 0.0589, 0.0193 } }
    local n = 0
    for epoch, cost, test in text:gmatch("epoch (%d+): ([%d.]+), test ([%d.]+)\n") do
      n = n + 1
      assert.equal(want[n][1], tonumber(epoch))
      assert.near(want[n][2], tonumber(cost), 2e-4)
      assert.near(want[n][3], tonumber(test), 2e-4)
    end
    assert.equal(#want, n, text)
    local saved = require("theano.ndarray").load(path)
    assert.equal("(24, 96)", tostring(saved.W_h.shape))
    os.remove(path)
    os.remove((path:gsub("%.npz$", "")))
  end)
end)

describe("examples/mnist/mlp.lua", function()
  it("learns in one epoch, writes curve and weights", function()
    local folder = runner.folder()
    local text, status = runner.run({ "examples/mnist/mlp.lua", "1", folder })
    assert.equal(0, status, text)
    local accuracy = tonumber(text:match("test accuracy: (%d+%.%d) %%\n$"))
    assert.is_true(accuracy and accuracy > 85, text)
    local weights = require("theano.ndarray").load(folder .. "/mlp-weights.npz")
    assert.same({ 784, 500 }, { table.unpack(weights.W1.shape) })
    local curve = assert(io.open(folder .. "/mlp-learning-curve.svg"))
    assert.truthy(curve:read("l"):find("<svg", 1, true))
    curve:close()
    runner.remove(folder)
  end)
end)

-- What a program prints, and which pictures it writes.
local function run(program, first)
  local folder = runner.folder()
  local text, status = runner.run({ "examples/" .. program, first, folder })
  assert.equal(0, status, text)
  local pictures = {}
  for name in io.popen("ls " .. folder):lines() do
    local file = assert(io.open(folder .. "/" .. name, "rb"))
    if file:read(4) == "\137PNG" then pictures[#pictures + 1] = name end
    file:close()
  end
  runner.remove(folder)
  return text, table.concat(pictures, " ")
end
local function last(text, pattern)
  local value
  for v in text:gmatch(pattern) do value = tonumber(v) end
  return value
end

describe("examples of linear algebra", function()
  it("gaussian_process.lua finds length and noise, and is unsure where nothing was seen", function()
    local text, pictures = run("linalg/gaussian_process.lua", "30")
    assert.is_true(last(text, "likelihood (%-?%d+%.%d+)") > 2.3, text)
    assert.is_true(math.abs(last(text, "noise (%d+%.%d+)") - 0.15) < 0.03, text)
    local among, gap, outside = text:match("are (%d+%.%d+) among the points, (%d+%.%d+) in the gap, (%d+%.%d+) outside")
    assert.is_true(tonumber(among) < tonumber(gap) / 3 and tonumber(gap) < tonumber(outside) / 2, text)
    assert.equal("gaussian-process.png", pictures)
  end)

  it("pca.lua puts digits together from few numbers", function()
    local text, pictures = run("linalg/pca.lua", "30")
    assert.is_true(last(text, "each: (%d+%.%d+) %% of their") > 70, text)
    assert.truthy(text:find("at right angles: true", 1, true), text)
    assert.equal("pca-components.png pca-digits.png", pictures)
  end)

  it("kalman.lua finds the noise and takes half of it off", function()
    local text = run("linalg/kalman.lua", "20")
    assert.is_true(math.abs(last(text, "noise (%d+%.%d+)") - 0.5) < 0.1, text)
    assert.is_true(last(text, "(%d+%.%d+) filtered") < 0.55 * last(text, "(%d+%.%d+) measured"), text)
  end)

  it("robot_arm.lua reaches its points with less effort", function()
    local text, pictures = run("linalg/robot_arm.lua", "15")
    local before, after = text:match("before: bent by (%d+%.%d+).*after: bent by (%d+%.%d+)")
    assert.is_true(tonumber(after) < 0.8 * tonumber(before), text)
    assert.is_true(last(text, "(%d+%.%d+) from the points") < 0.01, text)
    assert.equal("robot-arm.png", pictures)
  end)

  it("bag_of_words.lua tells subjects by words", function()
    assert.is_true(last(run("sparse/bag_of_words.lua", "2"), "accuracy (%d+%.%d+)") > 80)
  end)

  it("pagerank.lua ends, and what most link to is first", function()
    local text = run("sparse/pagerank.lua", "3000")
    assert.truthy(text:find("all ranks together: 1.000000", 1, true), text)
    assert.is_true(last(text, "after (%d+) rounds") < 100, text)
    assert.truthy(text:find("\n1. page 0:", 1, true), text)
  end)
end)

describe("examples that draw random numbers", function()
  it("dropout_mlp.lua learns", function()
    assert.is_true(last(run("mnist/dropout_mlp.lua", "1"), "accuracy (%d+%.%d+)") > 84)
  end)

  it("denoising_autoencoder.lua puts pixels back", function()
    local text, pictures = run("mnist/denoising_autoencoder.lua", "1")
    assert.is_true(last(text, "cost (%d+%.%d+)") < 125, text)
    assert.equal("dae-filters.png", pictures)
  end)

  it("rbm.lua finds digits likelier than others", function()
    local text, pictures = run("mnist/rbm.lua", "1")
    assert.is_true(last(text, "likelihood (%-%d+%.%d+)") > -150, text)
    assert.equal("rbm-filters.png rbm-samples.png", pictures)
  end)

  it("vae.lua raises its bound", function()
    local text, pictures = run("mnist/vae.lua", "1")
    assert.is_true(last(text, "bound (%-%d+%.%d+)") > -200, text)
    assert.equal("vae-samples.png", pictures)
  end)

  it("sim/hmc.lua walks around the ring", function()
    local text, pictures = run("sim/hmc.lua", "150")
    assert.is_true(math.abs(last(text, "radius (%d+%.%d+)") - 2.05) < 0.06, text)
    assert.equal("hmc.png", pictures)
  end)
end)

describe("examples/host", function()
  local hosts = (runner.path:match("^(.*)/[^/]*$") or ".") .. "/examples/host/"
  local function output(name) -- as on a new machine: nothing is configured, no code is kept
    local cache = os.tmpname()
    os.remove(cache)
    local flags = "env THEANO_FLAGS=base_compiledir=" .. cache .. " THEANORC=/dev/null "
    local pipe = assert(io.popen(flags .. runner.quote(hosts .. name) .. " 2>&1"))
    local text = pipe:read("a")
    pipe:close()
    os.execute("rm -rf " .. runner.quote(cache))
    return text
  end

  it("plain.c fits a line without Lua", function()
    assert.truthy(output("plain"):find("^a = 3%.0000, b = %-1%.0000, loss "))
  end)

  it("with_lua.c calls a function a million times without an allocation", function()
    assert.truthy(output("with_lua"):find("^1000000 calls: .* allocations after warming up: 0\n$"))
  end)
end)
