--- Every function of the engine's table that takes one or two arrays of one dtype: the interpreter and generated C give
-- the same bits, special values included. What is added to the table is asked here too.
local both = require("spec.support.both")
local core = require("theano.core")
local cpu = require("spec.support.cpu")
local rotate = require("spec.support.rotate")
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local DTYPES = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
  "bfloat16", "float32", "float64", "complex64", "complex128" }
local LENGTH, TOGETHER = 35, 40

local function value(rng, dtype)
  local a = rng:uniform(-3, 3, { LENGTH })
  if dtype:find("complex") then
    a = (a + rng:uniform(-3, 3, { LENGTH }) * nd.complex(0, 1)):astype(dtype)
    for i, z in ipairs { nd.complex(0.0, 0.0), nd.complex(-0.0, 0.0), nd.complex(0.0, -0.0), nd.complex(-0.0, -0.0),
      nd.complex(1 / 0, 1), nd.complex(1, -1 / 0), nd.complex(0 / 0, 2), nd.complex(-0.0, 3) } do
      a[i - 1] = z
    end
    return a
  end
  if dtype == "bool" then return nd.gt(a, 0) end
  if dtype:find("float") then
    a = a:astype(dtype)
    for i, x in ipairs { 0.0, -0.0, 1 / 0, -1 / 0, 0 / 0, 1.0, -1.0 } do a[i - 1] = x end
    return a
  end
  return (dtype:find("uint") and nd.abs(a) or a * 1.3):astype(dtype)
end

local function named(name)
  local at = T
  for part in name:gmatch("[^.]+") do at = at and at[part] end
  return at
end

-- Expressions of the functions that take these arguments, each with a call that the interpreter answers.
local function expressions(inputs, values)
  local list = {}
  local function add(name, ok, y)
    if not ok or type(y) ~= "userdata" or core.kind(y) ~= "variable" then return end
    local fine, f = pcall(theano.compile, { inputs = inputs, outputs = y, mode = both.modes.interpreter,
      on_unused_input = "ignore" })
    if fine and pcall(f, table.unpack(values)) then list[#list + 1] = { name, y } end
  end
  for _, f in ipairs(core.functions()) do
    local ok, fn = pcall(named, f.name)
    if ok and fn and not f.name:find("^sparse%.") then
      add(f.name, pcall(fn, inputs[1]))
      add(f.name, pcall(fn, inputs[1], inputs[2]))
    end
  end
  return list
end

local function differences(dtype)
  local rng, inputs, values = nd.random.RandomState(rotate.seed), {}, {}
  for i = 1, 2 do inputs[i], values[i] = T.TensorType(dtype, { false })("x" .. i), value(rng, dtype) end
  local list, wrong = expressions(inputs, values), {}
  for from = 1, #list, TOGETHER do
    local outputs, answers = {}, {}
    for i = from, math.min(from + TOGETHER - 1, #list) do outputs[#outputs + 1] = list[i][2] end
    for name, mode in pairs(both.modes) do
      answers[name] = { theano.compile({ inputs = inputs, outputs = outputs, mode = mode,
        on_unused_input = "ignore" })(table.unpack(values)) }
    end
    for i = 1, #outputs do
      local why = both.differs(answers.interpreter[i], answers.c[i])
      if why then wrong[#wrong + 1] = ("%s: %s"):format(list[from + i - 1][1], why) end
    end
  end
  return #list, table.concat(wrong, "\n")
end

describe("every function of the table", function()
  for _, dtype in ipairs(rotate.some(DTYPES, 2)) do
    it("has the same bits in the interpreter and in C, of " .. dtype, function()
      cpu.only("the bits of the CPU's two executors")
      skip.unless(theano.config.cxx ~= "", "no C compiler")
      local n, wrong = differences(dtype)
      assert.equal("", wrong)
      assert.is_true(n > 150, n .. " functions were asked")
    end)
  end
end)
