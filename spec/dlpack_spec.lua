--- Arrays in memory for other libraries: capsules in Lua; NumPy takes ours and gives its own, through libtheano alone
-- (spec/c/dlpack.c has the rest).
local theano = require("theano")
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")
local nd = theano.ndarray

describe("DLPack", function()
  it("lends an array and takes it back", function()
    local a = nd.arange(6, nil, nil, "float32"):reshape({ 2, 3 })
    for _, versioned in ipairs({ false, true }) do
      local capsule = theano.to_dlpack(a.T, { versioned = versioned })
      assert.same({ 1, 0 }, { capsule:device() })
      local b = theano.from_dlpack(capsule)
      assert.same({ 3, 2 }, { table.unpack(b.shape) })
      assert.is_true(nd.shares_memory(a, b))
      b[{ 2, 1 }] = 99
      assert.equal(99, a[{ 1, 2 }])
      assert.has_error(function() theano.from_dlpack(capsule) end)
      assert.has_error(function() capsule:take() end)
    end
  end)

  it("keeps the memory while a capsule is there, and gives it back with it", function()
    local a = nd.ones({ 1000, 1000 })
    do
      local capsule = theano.to_dlpack(a)
      local ok, why = pcall(a.free, a)
      assert.is_false(ok)
      assert.matches("cannot be freed", why)
      assert.same({ 1, 0 }, { capsule:device() })
    end
    collectgarbage()
    collectgarbage()
    a:free()
  end)

  it("goes by the address of a GPU's memory too", function()
    local g = nd.arange(12):reshape({ 3, 4 }):to_device("cuda-emulated")
    local at = theano.cuda.address(g)
    assert.equal("integer", math.type(at))
    local w = theano.cuda.wrap(at, { 4, 3 }, "int64", "cuda-emulated")
    assert.equal("cuda:0", w.device)
    assert.equal(11, w[{ 3, 2 }])
    assert.is_nil(theano.cuda.address(nd.zeros(3)))
    local b = theano.from_dlpack(theano.to_dlpack(g[":, ::-1"]))
    assert.same({ 3, 2, 1, 0 }, b[0]:tolist())
    assert.equal("cuda:0", b.device)
    local x = theano.tensor.lmatrix("x")
    local _ <close> = theano.config.change_flags({ device = "cuda-emulated" })
    local f = theano.compile({ inputs = { x }, outputs = x + 1 })
    local before = theano.cuda.memory().to_device_bytes
    assert.equal(12, f(w)[{ 3, 2 }])
    assert.is_true(theano.cuda.memory().to_device_bytes - before < 96) -- it was there
  end)

  it("refuses what is none", function()
    for _, bad in ipairs({ 3, "x", {}, nd.zeros(3), theano.tensor.dvector() }) do
      local ok, why = pcall(theano.from_dlpack, bad)
      assert.is_false(ok)
      assert.equal("TypeError", theano.error_kind(why))
    end
    assert.has_error(function() theano.to_dlpack(3) end)
    assert.has_error(function() theano.to_dlpack(nd.zeros(3), { nothing = 1 }) end)
    assert.has_error(function() theano.cuda.wrap(8.5, { 1 }) end)
    assert.has_error(function() theano.cuda.wrap(0, { 1 }, "float64", "cuda-emulated") end)
    local box = theano.sandboxed()
    local ok, why = pcall(box.run, box, 'local t = require "theano" return t.to_dlpack(t.ndarray.zeros(3))')
    box:close()
    assert.is_false(ok)
    assert.matches("not in a sandbox", why)
  end)

  it("is NumPy's, both ways", function()
    local python
    for _, venv in ipairs({ "/tmp/venv-np/bin/python", "python3" }) do
      local pipe = io.popen(venv .. " -c 'import numpy; numpy.from_dlpack' 2>/dev/null && echo yes")
      if pipe:read("a"):find("yes") then python = python or venv end
      pipe:close()
    end
    if not python then skip.now("no Python with NumPy 1.22 or later is found") end
    local library = (runner.path:match("^(.*)/") or "build") .. "/libtheano.so"
    skip.unless(io.open(library), "libtheano.so was not built")
    local pipe = io.popen(python .. " spec/support/dlpack.py " .. library .. " 2>&1")
    local text = pipe:read("a")
    pipe:close()
    assert.equal("all is well\n", text)
  end)
end)
