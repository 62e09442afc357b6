--- Launches on a device timed beside the calls (cuda.autotune): no way changes a bit, what was found is kept for later
-- functions and processes, and nothing is timed where the flag is off.
local emulated = require("spec.support.emulated")
local runner = require("spec.support.runner")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function numbers(rows, cols)
  return nd.sin(nd.arange(rows * cols):astype("float64") * 0.7):reshape({ rows, cols })
end

-- How often the device's clock was read in a function.
local function timed(run)
  local before = emulated.calls("cuEventElapsedTime")
  run()
  return emulated.calls("cuEventElapsedTime") - before
end

local folder
local function flags(how)
  return theano.config.change_flags({ device = "cuda-emulated", force_device = true, base_compiledir = folder,
    ["cuda.autotune"] = how })
end

describe("launches on a device", function()
  setup(function() folder = runner.folder() end)
  teardown(function() runner.remove(folder) end)

  local a, b = T.dmatrix("a"), T.dmatrix("b")
  local cases = {
    { "a product by tiles of each shape", { a, b }, T.tanh(T.dot(a, b)), { numbers(70, 33), numbers(33, 40) }, 4 },
    { "operands the other way, turned or not", { a, b }, T.exp(a.T) + b, { numbers(64, 96), numbers(96, 64) }, 2 },
    { "many points by fewer blocks", { a }, T.tanh(a) * 2, { numbers(700, 120) }, 2 },
  }
  for _, case in ipairs(cases) do
    local title, inputs, out, values, ways = table.unpack(case)
    it(title, function()
      local expected
      do
        local _ <close> = flags("off")
        local f = theano.compile { inputs = inputs, outputs = out }
        assert.equal(0, timed(function() for _ = 1, 4 do expected = f(table.unpack(values)) end end))
      end
      local _ <close> = flags("on")
      local f = theano.compile { inputs = inputs, outputs = out }
      local function call() assert.is_true(nd.array_equal(expected, f(table.unpack(values)))) end
      assert.equal(ways * 3, timed(function() for _ = 1, ways * 4 do call() end end)) -- firsts do not count
      local counted = emulated.counted(function() for _ = 1, 3 do call() end end)
      assert.is_true(counted.cuGraphLaunch >= 1) -- then they are graphs
      local again = theano.compile { inputs = inputs, outputs = out }
      assert.equal(0, timed(function() for _ = 1, 3 do again(table.unpack(values)) end end))
      assert.is_true(nd.array_equal(expected, again(table.unpack(values))))
    end)
  end

  it("have what was found in a file that the next process reads and theano cache shows", function()
    local script = ([[
      local theano = require("theano")
      local T, nd = theano.tensor, theano.ndarray
      theano.config["cuda.autotune"], theano.config.device = "on", "cuda-emulated"
      local a = T.dmatrix("a")
      local f = theano.compile { inputs = { a }, outputs = T.dot(a, a) }
      local calls = require("spec.support.emulated").calls
      for _ = 1, 17 do f(nd.ones({ 40, 40 })) end
      print("clock", calls("cuEventElapsedTime"))
    ]])
    local path = folder .. "/script.lua"
    runner.write(path, script)
    local start = ("THEANO_FLAGS=base_compiledir=%s/own %s "):format(folder, runner.quote(runner.path))
    local function run(words)
      local pipe = assert(io.popen(start .. words .. " 2>&1"))
      local text = pipe:read("a")
      pipe:close()
      return text
    end
    assert.truthy(run(path):find("clock\t12", 1, true))
    assert.truthy(run(path):find("clock\t0", 1, true))
    local text = run("cache info")
    assert.truthy(text:find("1 timed choices of launches on a GPU", 1, true), text)
  end)
end)
