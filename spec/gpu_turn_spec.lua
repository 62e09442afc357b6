--- Loads that lie along an outer loop go through shared memory by tiles where these are full enough: the CPU's bits for
-- lengths around a tile's, every byte that is asked for is used, no spills.
local theano = require("theano")
local proof = require("spec.gpu.proof")
local skip = require("spec.support.skip")
local T, nd = theano.tensor, theano.ndarray

local function compiled(device, inputs, outputs)
  local _ <close> = theano.config.change_flags(device == "cpu" and { device = device, linker = "interpreter" }
    or { device = device })
  return theano.compile({ inputs = inputs, outputs = outputs })
end

-- The same function on the emulated GPU, whose kernels the roofline then names, and by the interpreter.
local function alike(inputs, outputs, kernels, ...)
  local f, g = compiled("cuda-emulated", inputs, outputs), compiled("cpu", inputs, outputs)
  local got, want = { f(...) }, { g(...) }
  for i = 1, #want do assert.is_true(nd.array_equal(got[i], want[i])) end
  local names = {}
  for i, k in ipairs(theano.printing.roofline(f).kernels) do
    names[i] = k.kernel
    if k.kernel:find("b$") then assert.equal(1, k.coalesced) end
  end
  assert.same(kernels, names)
end

describe("a reshape that makes several lengths of one", function()
  -- x[index], turned by `order`, in another shape, and then something of it, in kernels of this number.
  local CASES = {
    { { 4, 30 }, ":, 6:18", { 0, 1 }, { 4, 3, 4 }, 1 }, { { 4, 30 }, ":, 18:6:-1", { 0, 1 }, { 4, -1, 4 }, 1 },
    { { 6, 5 }, ":, ::2", { 0, 1 }, { 2, 3, 3 }, 1 }, { { 12, 5 }, "::-1, :", { 1, 0 }, { 5, 2, 3, 2 }, 1 },
    { { 3, 12, 5 }, ":, 2:10, 1:", { 2, 1, 0 }, { 4, 2, 2, 2, 3 }, 1 },
    { { 1, 8, 2 }, ":, 1::2, :", { 0, 2, 1 }, { 1, 2, 2, 2 } }, { { 4, 4 }, ":, ::2", { 0, 1 }, { 4, 2, 1 } },
    { { 4, 4 }, ":, ::2", { 0, 1 }, { 1, 4, 2 } },
    { { 4, 6 }, ":, :", { 1, 0 }, { 3, 2, 2, 2 }, 1 }, { { 4, 6 }, ":, :", { 1, 0 }, { 24 }, 1 },
    { { 0, 6 }, ":, ::2", { 0, 1 }, { 0, 3, 1 } }, { { 4, 0 }, ":, ::-1", { 1, 0 }, { 0, 2, 2 } },
    { { 0, 6 }, ":, ::2", { 0, 1 }, { 0, 5, 7 } },
  }
  it("sees what lies apart where it lies, with the CPU's bits", function()
    local rng = nd.random.RandomState(6)
    for i, case in ipairs(CASES) do
      local from, index, order, to, kernels = table.unpack(case)
      local a = (#from == 3 and T.ftensor3 or T.fmatrix)("a")
      local z = T.specify_shape(a, from)[index]:dimshuffle(table.unpack(order)):reshape(to) * 2
      local f, g = compiled("cuda-emulated", { a }, { z }), compiled("cpu", { a }, { z })
      local x = rng:uniform(-1, 1, from):astype("float32")
      local want = g(x)
      assert.equal(tostring(want.shape), tostring(f(x).shape))
      assert(nd.array_equal(f(x), want), i)
      if kernels then assert.equal(kernels, theano.printing.roofline(f).launches, i) end
    end
  end)

  it("leaves alone what is written where it was read", function()
    local x = T.fmatrix("x")
    local seen = T.specify_shape(x, { 4, 12 })[":, 2:8"]:reshape({ 4, 2, 3 })
    local z = T.set_subtensor(seen[{ 1, 1, 1 }], 7)
    local a = nd.arange(48):astype("float32"):reshape(4, 12)
    local f, g = compiled("cuda-emulated", { x }, { z, x * 2, seen }), compiled("cpu", { x }, { z, x * 2, seen })
    local got, want = { f(a) }, { g(a) }
    for i = 1, 3 do assert.is_true(nd.array_equal(got[i], want[i])) end
  end)
end)

describe("tiles that turn what they load", function()
  it("give the CPU's bits, and are taken where they are full enough", function()
    local rng = nd.random.RandomState(3)
    local x, y = T.fmatrix("x"), T.fmatrix("y")
    for _, case in ipairs({ { 64, 64, "kernel_0b" }, { 100, 50, "kernel_0b" }, { 33, 97, "kernel_0" },
      { 5, 300, "kernel_0" }, { 0, 64 } }) do
      local n, m, name = table.unpack(case)
      alike({ x, y }, { x.T * y + x.T }, { name }, rng:uniform(-1, 1, { n, m }):astype("float32"),
        rng:uniform(-1, 1, { m, n }):astype("float32"))
    end
  end)

  it("turn every dtype, and two dimensions of several", function()
    local rng = nd.random.RandomState(4)
    for _, dtype in ipairs({ "int8", "complex128" }) do
      local x, y = T.TensorType(dtype, { false, false })("x"), T.TensorType(dtype, { false, false })("y")
      alike({ x, y }, { x.T + y }, { "kernel_0b" }, rng:randint(-50, 50, { 40, 60 }):astype(dtype),
        rng:randint(-50, 50, { 60, 40 }):astype(dtype))
    end
    local x = T.ftensor4("x")
    alike({ x }, { x:dimshuffle(3, 1, 2, 0) * 2 }, { "kernel_0b" },
      rng:uniform(-1, 1, { 33, 2, 3, 95 }):astype("float32"))
  end)

  it("are a Nest of their own", function()
    local x, y = T.fmatrix("x"), T.fmatrix("y")
    local f = compiled("cpu", { x, y }, x.T + y)
    assert.matches("or, where tiles are full enough\n    grid of i0 i1, by tiles\n      turn %%%d\n      sync\n"
      .. "      a tile along i0\n", theano.printing.plan(f, "cuda"))
  end)

  it("issue few instructions a point: memory is what a GPU waits for", function()
    local x, y = T.fmatrix("x"), T.fmatrix("y")
    local f = compiled("cpu", { x, y }, x.T + y)
    f(nd.zeros({ 2048, 2048 }, "float32"), nd.zeros({ 2048, 2048 }, "float32"))
    local k = theano.printing.roofline(f, "h100").kernels[1]
    if not k.issued then skip.now("NVRTC is not found: scripts/setup --gpu-tests fetches it") end
    assert.same({ "kernel_0b", 4, 4, "memory" }, { k.kernel, k.turns, k.inside, k.limit })
    assert.is_true(k.issued.all / (k.turns * k.inside) < 50, k.issued.all)
  end)

  it("neither spill nor crowd shared memory", function()
    local x, y = T.dmatrix("x"), T.dmatrix("y")
    local f = compiled("cpu", { x, y }, x.T * y)
    local case = { name = "turned", text = function() return theano.printing.ccode(f, "cuda") end }
    local kernels, why = proof.assemble({ case }, proof.archs)
    if not kernels then skip.now(why) end
    local seen = 0
    for _, k in ipairs(kernels) do
      if k.name == "kernel_0b" then
        seen = seen + 1
        assert.equal(0, k.spilled)
        assert.equal(33 * 32 * 8, k.shared)
        assert.is_true(proof.occupancy(k, 256) >= 0.5)
      end
    end
    assert.equal(2, seen)
  end)
end)
