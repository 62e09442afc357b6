--- Reference answers and operations on the emulated device: other ones every day. `scripts/fuzz --device cuda-emulated`
-- runs them all, and the examples.
local device = require("spec.fuzz.device")
local oracle = require("spec.support.oracle")
local rotate = require("spec.support.rotate")
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")
local theano = require("theano")

local NAME = require("spec.support.device").flags.device
local function with_compiler()
  if NAME:find("emulated") and theano.config.cxx == "" then skip.now("there is no C compiler") end
end

describe("on the emulated device", function()
  local mode = theano.compile.Mode { linker = "c", optimizer = "fast_run" }
  local cases = {}
  for _, file in ipairs(oracle.files) do
    for _, case in ipairs(oracle.cases(file)) do cases[#cases + 1] = case end
  end
  for _, case in ipairs(rotate.some(cases, 20)) do
    it(case.id, function()
      with_compiler()
      local _ <close> = theano.config.change_flags { device = NAME, force_device = true }
      oracle.hold(case, mode)
    end)
  end

  local parts = {}
  for _, dtype in ipairs({ "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32",
    "float64", "complex64", "complex128" }) do
    for _, part in ipairs({ "functions of one " .. dtype .. " in", "functions of two " .. dtype .. " in",
      "^" .. dtype .. " cast", "reductions of " .. dtype .. " rows" }) do
      parts[#parts + 1] = part
    end
  end
  for _, part in ipairs(rotate.some(parts, 1)) do
    it("operations: " .. part:gsub("%^", ""), function()
      with_compiler()
      local why = device.spec(runner.path, NAME, { "ops", "through C.*" .. part:gsub("%^", "") })
      assert(not why, why)
    end)
  end

  for _, program in ipairs(rotate.some({ table.unpack(device.programs, 1, 7) }, 1)) do
    it("examples/" .. program, function()
      with_compiler()
      local why = device.program(runner.path, NAME, program)
      assert(not why, why)
    end)
  end
end)
