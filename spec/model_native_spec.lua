--- Saved models with machine code: it runs only where a key of the host's signed the file, and on processors that have
-- its level; whatever else stands in a file is data.
local theano = require("theano")
local raises = require("spec.support.raises")
local runner = require("spec.support.runner")
local sealed = require("spec.support.model_file").sealed
local sha256 = require("theano.sha256")
local skip = require("spec.support.skip")
local T, nd = theano.tensor, theano.ndarray

local LEVELS = { "x86-64-v2", "x86-64-v3", "x86-64-v4" }
local folder = runner.folder()
local path = folder .. "/model.thn"
local cxx = theano.config.cxx
teardown(function() runner.remove(folder) end)
after_each(function() theano.config.cxx = cxx end)


local function native(name, fn)
  it(name, function()
    skip.unless(cxx ~= "" and theano.config.device == "cpu", "no C compiler")
    fn()
  end)
end

local rng = nd.random.RandomState(3)
local x = T.fmatrix("x")
local a = rng:randn(5, 16):astype("float32")

local function network(seed)
  local r = nd.random.RandomState(seed or 1)
  local W = theano.shared(r:randn(16, 16):astype("float32"), "W")
  local y = T.tanh(T.dot(x, W))
  return theano.compile { inputs = { x }, outputs = { y:sum({ axis = 1 }) }, updates = { { W, W * 0.5 } } }
end

-- Whether the file's code ran, and the function; without a compiler.
local function load(key)
  theano.config.cxx = ""
  local before = theano.stat("natives")
  local fine, f = pcall(theano.load, path, { native = key })
  theano.config.cxx = cxx
  if not fine then error(f, 0) end
  return theano.stat("natives") - before == 1, f
end

local function refused(kind, text, key)
  local fine, e = pcall(load, key)
  assert.is_false(fine)
  assert.equal(kind, theano.error_kind(e))
  assert.is_truthy(tostring(e):find(text, 1, true), e)
end

local function bytes(text) return (text:gsub("%x%x", function(h) return string.char(tonumber(h, 16)) end)) end

-- The signature that the file is to have.
local function mac(key, text)
  local function pad(with) return (key .. ("\0"):rep(64 - #key)):gsub(".", function(ch)
    return string.char(ch:byte() ~ with)
  end) end
  local of = text:sub(1, 32) .. ("\0"):rep(32) .. text:sub(65)
  return bytes(sha256(pad(0x5c) .. bytes(sha256(pad(0x36) .. of))))
end

-- The file with its hash put right, and signed where there is a key.
local function whole(text, key)
  text = sealed(text)
  return key and text:sub(1, 32) .. mac(key, text) .. text:sub(65) or text
end

-- Where a part's bytes begin and how many there are.
local function part(text, tag)
  for i = 0, string.unpack("<I4", text, 13) - 1 do
    local name, at, n = string.unpack("<c8I8I8", text, 65 + 32 * i)
    if name:gsub("\0", "") == tag then return at + 1, n end
  end
end

describe("machine code in a saved model", function()
  native("computes what the function computes, where its key is given", function()
    local scan = theano.scan { fn = function(row, s) return T.tanh(row + s * 0.5) end, sequences = x,
      outputs_info = { T.zeros_like(x[0]) } }
    local image = T.ftensor4("image")
    local streams = theano.sandbox.rng_mrg.MRG_RandomStreams(7)
    local cases = {
      { network(), a },
      { theano.compile { inputs = { x, image }, outputs = { scan[-1], T.nnet.conv2d(image, image),
        x + streams:normal { size = x.shape, dtype = "float32" }, T.sort(T.dot(x, x.T), 0) } }, a,
        rng:randn(2, 2, 7, 7):astype("float32") },
    }
    for i, case in ipairs(cases) do
      local f = case[1]
      f:save(path, { native = LEVELS, key = "a key" })
      local ran, g = load("a key")
      assert.is_true(ran, i)
      for _ = 1, 2 do
        local want, got = { f(table.unpack(case, 2)) }, { g(table.unpack(case, 2)) }
        for k, v in ipairs(want) do assert.is_true(nd.array_equal(v, got[k]), i) end
      end
    end
  end)

  native("is not touched without a key, and a file with another one is refused", function()
    local f = network()
    f:save(path, { native = { "x86-64-v2" }, key = "a key" })
    local ran, g = load(nil)
    assert.is_false(ran)
    assert.is_true(nd.array_equal(f(a), g(a)))
    for _, key in ipairs { "a kez", "a ke", "a key ", ("a key"):rep(20) } do
      refused("ValueError", "its signature is not of this key", key)
    end
    refused("ValueError", "a key of no bytes", "")
    network():save(path)
    refused("ValueError", "it is not signed", "a key")
    network():save(path, { key = "a key" }) -- data alone may be signed
    ran = load("a key")
    assert.is_false(ran)
  end)

  native("is refused when anything of the file was changed, hash or not", function()
    network():save(path, { native = { "x86-64-v2" }, key = "a key" })
    local good = runner.read(path)
    local code, n = part(good, "native-2")
    local data = part(good, "data")
    assert.equal("\x7fELF", good:sub(code, code + 3))
    for _, at in ipairs { 9, 33, 64, 70, data, code, code + n // 2, #good } do
      local text = whole(good:sub(1, at - 1) .. string.char(good:byte(at) ~ 1) .. good:sub(at + 1))
      runner.write(path, text)
      refused("ValueError", "", "a key")
    end
    for _, length in ipairs { 10, 63, 64, code, code + n // 2, #good - 1 } do
      for _, put_right in ipairs { false, true } do
        local text = good:sub(1, length)
        runner.write(path, put_right and length > 64 and whole(text) or text)
        refused("ValueError", "", "a key")
      end
    end
    runner.write(path, whole(good, "another key"))
    refused("ValueError", "its signature is not of this key", "a key")
  end)

  native("serves only the function that it was made for, and only whole", function()
    network():save(path, { native = { "x86-64-v2" }, key = "k" })
    local good = runner.read(path)
    local code, n = part(good, "native-2")
    theano.compile({ inputs = { x }, outputs = { T.exp(x) } }):save(path, { native = { "x86-64-v2" }, key = "k" })
    local other = runner.read(path)
    local from, m = part(other, "native-2")
    local swapped = other:sub(from, from + m - 1)
    assert.is_true(#swapped <= n)
    local garbage = good:sub(code, code + n // 2) .. ("\xff"):rep(n - n // 2 - 1)
    local want = network()(a)
    for _, put in ipairs { swapped .. ("\0"):rep(n - #swapped), garbage, ("\0"):rep(n), ("x"):rep(n) } do
      runner.write(path, whole(good:sub(1, code - 1) .. put .. good:sub(code + n), "k")) -- by who has the key
      local ran, f = load("k")
      assert.is_false(ran)
      assert.is_true(nd.allclose(want, f(a)))
    end
  end)

  native("is chosen by the processor: the highest level that it has, or none", function()
    local _ <close> = theano.config.change_flags({ openmp = false }) -- as the other process
    network():save(path, { native = { "x86-64-v2", "x86-64-v4" }, key = "k" })
    local script = ([[local theano = require "theano"
      theano.config.cxx = ""
      local f = theano.load(%q, { native = "k" })
      print(theano.stat "natives", f({ { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 } }):sum())]]):format(path)
    for _, isa in ipairs { "sse2", "avx2" } do
      assert.matches("1\t", (runner.run({ "-e", script }, { env = { "THEANO_ISA=" .. isa } })))
    end
    network():save(path, { native = { "x86-64-v4" }, key = "k" })
    assert.matches("0\t", (runner.run({ "-e", script }, { env = { "THEANO_ISA=avx2" } })))
  end)

  native("is not made without a key, a compiler, or for a level that there is not", function()
    runner.write(path, "mine")
    local f = network()
    raises("ValueError", "is to have a key", function() f:save(path, { native = LEVELS }) end)
    raises("ValueError", "a key of no bytes", function() f:save(path, { native = LEVELS, key = "" }) end)
    raises("ValueError", "not for 'x86-64-v5'", function() f:save(path, { native = { "x86-64-v5" }, key = "k" }) end)
    raises("ValueError", "twice", function() f:save(path, { native = { LEVELS[1], LEVELS[1] }, key = "k" }) end)
    raises("TypeError", "native", function() f:save(path, { native = "x86-64-v2", key = "k" }) end)
    raises("TypeError", "unknown keyword", function() f:save(path, { keys = "k" }) end)
    theano.config.cxx = ""
    raises("CompileError", "there is no C compiler", function() f:save(path, { native = LEVELS, key = "k" }) end)
    assert.equal("mine", runner.read(path))
  end)
end)
