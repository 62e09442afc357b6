--- Several GPUs in one process: a device for each function and for each shared variable; values go from one to the
-- other.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

describe("a device for a function", function()
  it("is where it runs, whatever the flag says", function()
    local x = T.dvector("x")
    local value = nd.arange(8)
    local want = theano.compile({ inputs = { x }, outputs = T.exp(x) * 2 })(value)
    for number, device in pairs({ [0] = "cuda-emulated", [1] = "cuda-emulated1" }) do
      local f = theano.compile({ inputs = { x }, outputs = T.exp(x) * 2, device = device })
      local got = f(value)
      assert.equal("cuda:" .. number, got.device)
      assert.is_true(nd.array_equal(want, got))
    end
    local _ <close> = theano.config.change_flags({ device = "cuda-emulated" })
    assert.equal("cpu", theano.compile({ inputs = { x }, outputs = x + 1, device = "cpu" })(value).device)
    assert.equal("cuda-emulated", theano.config.device)
  end)

  it("takes over what lives on another one", function()
    local w = theano.shared(nd.arange(6), "w", { target = "cuda-emulated1" })
    local there = theano.compile({ inputs = {}, outputs = w * 3, device = "cuda-emulated1" })
    local here = theano.compile({ inputs = {}, outputs = w:sum(), updates = { { w, w + 1 } },
      device = "cuda-emulated" })
    local host = theano.compile({ inputs = {}, outputs = w * 1, device = "cpu" })
    assert.equal("cuda:1", there().device)
    assert.equal(15, here())
    assert.same({ 1, 2, 3, 4, 5, 6 }, host():tolist())
    assert.same({ 3, 6, 9, 12, 15, 18 }, there():tolist())
    assert.equal(21, here())
    assert.same({ 6, 9, 12, 15, 18, 21 }, there():tolist())
    local x = T.dvector("x")
    local f = theano.compile({ inputs = { x }, outputs = x + 1, device = "cuda-emulated" })
    assert.same({ 7, 10, 13, 16, 19, 22 }, f(there()):tolist())
  end)

  it("has to be there", function()
    local x = T.dvector("x")
    local function refused(kind, words, device)
      local ok, why = pcall(theano.compile, { inputs = { x }, outputs = x + 1, device = device })
      assert.is_false(ok)
      assert.equal(kind, theano.error_kind(why))
      assert.matches(words, why)
    end
    refused("ValueError", "device", "gpu0x")
    refused("TypeError", "device", 3)
    local _ <close> = theano.config.change_flags({ ["cuda.driver"] = "/nowhere/libcuda.so.1" })
    refused("GpuError", "/nowhere/libcuda.so.1 cannot be opened", "cuda3")
    local ok, why = pcall(theano.shared, nd.zeros(3), "s", { target = "cuda3" })
    assert.is_false(ok)
    assert.equal("GpuError", theano.error_kind(why))
  end)

  it("has a number that is all of what its name ends with", function()
    local function moved(name)
      local ok, why = pcall(function() return nd.ones(3):to_device(name) end)
      return ok and why.device or theano.error_kind(why)
    end
    for _, name in ipairs({ "cuda-emulatedx", "cuda-emulated-1", "cuda-emulated:", "cuda-emulated1x", "cuda:",
      "cuda::1", "cuda-1", "cuda99999999999999999999", "cuda-emulated99999999999999999999" }) do
      assert.equal("ValueError", moved(name), name)
    end
    assert.equal("GpuError", moved("cuda-emulated12"))
    assert.equal("cuda:1", moved("cuda-emulated:1"))
    for _, name in ipairs({ "cuda7", "cuda8", "cuda15" }) do -- machines have up to sixteen
      local _ <close> = theano.config.change_flags({ device = name })
      assert.equal(name, theano.config.device)
    end
    local _ <close> = theano.config.change_flags({ init_gpu_device = "cuda-emulatedx" })
    assert.equal("GpuError", moved("cuda"))
  end)
end)
