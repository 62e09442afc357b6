-- The flag repro: the bits kept in spec/data/repro.txt, on every instruction set of this processor, in the interpreter,
-- by any compiler, and in exported C on another processor; what cannot have them is refused.
local cpu = require("spec.support.cpu")
local exported = require("spec.support.exported")
local rotate = require("spec.support.rotate")
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")
local theano = require("theano")

local CASES = "spec/support/repro.lua"
local folder = runner.folder()
local kept = assert(io.open("spec/data/repro.txt")):read("a")

local function run(flags, isa, ...)
  local env = { "THEANO_FLAGS=repro=True,compile.tiers=False,base_compiledir=" .. folder .. flags }
  if isa then env[2] = "THEANO_ISA=" .. isa end
  local said, status = runner.run({ CASES, ... }, { env = env })
  assert(status == 0, said)
  return said
end

local function same(got)
  for line in kept:gmatch("[^\n]+") do
    assert(got:find(line, 1, true), ("kept: %s\nnow: %s"):format(line,
      got:match("\n(" .. line:match("^(.*\t)"):gsub("%p", "%%%0") .. "[^\n]*)") or got:sub(1, 2000)))
  end
  assert.are.equal(select(2, kept:gsub("\n", "")), select(2, got:gsub("\n", "")))
end

describe("with the flag repro results have the bits that are kept", function()
  lazy_teardown(function() runner.remove(folder) end)

  for _, isa in ipairs(rotate.some({ "avx512", "avx2", "sse2" }, 1)) do -- another one every day
    it("by C for " .. isa, function()
      cpu.only("the bits of the CPU")
      skip.unless(theano.config.cxx ~= "", "no C compiler")
      same(run(",gcc.cxxflags=-O1" .. (isa == "sse2" and " -march=x86-64" or ""), isa))
    end)
  end

  it("in the interpreter", function()
    cpu.only("the bits of the CPU")
    same(run(",linker=interpreter"))
  end)

  for _, by in ipairs(rotate.some({ { "gcc" }, { "clang" }, { "aarch64-linux-gnu-gcc", "qemu-aarch64" } }, 1)) do
    it("exported, by " .. by[1], function()
      cpu.only("the bits of the CPU")
      skip.unless(exported.has(by[1]) and (not by[2] or exported.has(by[2])), by[1] .. " is not here")
      local said, groups = run(",linker=interpreter", nil, by[1], by[2]), {}
      for name in kept:gmatch("(%S+)\t[^\n]+") do groups[name] = not name:find("^image_gradients") or nil end
      assert.truthy(next(groups))
      for name in pairs(groups) do assert(said:find("\n" .. name .. ": 0\n", 1, true), name .. "\n" .. said) end
    end)
  end
end)

describe("with the flag repro", function()
  local function refused(code)
    return (runner.run({ "-e", code }, { env = { "THEANO_FLAGS=repro=True,linker=interpreter" } }))
  end

  it("an operation whose bits are a library's is refused by name, with its line", function()
    for text, name in pairs({ ["T.nlinalg.svd(X)"] = "SVD", ["T.nlinalg.matrix_inverse(X)"] = "MatrixInverse",
      ["T.fft.fft(X)"] = "FFTOp", ["T.slinalg.expm(X)"] = "Expm" }) do
      local said = refused(([[local theano = require "theano"
local T = require "theano.tensor"
local X = T.dmatrix("X")
local y = %s
print(pcall(theano.compile, { inputs = { X }, outputs = y }))]]):format(text))
      assert(said:find("NotImplementedError: " .. name .. " (made at ", 1, true), said)
      assert(said:find(":4", 1, true) and said:find("with the flag repro", 1, true), said)
    end
  end)

  it("a device is refused", function()
    local said = refused([[local theano = require "theano"
local T = require "theano.tensor"
local x = T.fvector("x")
theano.config.linker, theano.config.device = "cvm", "cuda-emulated"
print(pcall(theano.compile, { inputs = { x }, outputs = x + 1 }))]])
    assert(said:find("the flag repro is for functions on the processor, not on device=cuda-emulated", 1, true), said)
  end)

  it("is set before the first function, or not at all", function()
    local said = runner.run({ "-e", [[local theano = require "theano"
local T = require "theano.tensor"
theano.config.repro = true
theano.config.repro = false
local x = T.dvector("x")
theano.compile { inputs = { x }, outputs = x + 1 }
theano.config.repro = false
print(pcall(function() theano.config.repro = true end))
print(pcall(theano.config.change_flags, { repro = true }))
print(theano.config.repro)]] })
    assert.are.equal(2, select(2, said:gsub("the flag repro is set before the first function is compiled", "")), said)
    assert(said:find("\nfalse\n$"), said)
  end)
end)
