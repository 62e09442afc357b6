-- What `require "theano"` puts off is there when it is asked for. Every case has a process of its own.
local runner = require("spec.support.runner")

local COUNT = [[
local function loaded(name) return package.loaded["theano." .. name] ~= nil end
local function count()
  local n = 0
  for name in pairs(package.loaded) do if name:find("^theano%.") then n = n + 1 end end
  return n
end
]]

local function says(wanted, text, ...)
  local said, status = runner.run({ "-e", COUNT .. text, ... })
  assert.equal(0, status, said)
  assert.equal(wanted, said)
end

describe("require \"theano\"", function()
  it("loads what flags and errors need", function()
    says("true\n", 'require("theano") print(count() < 10)')
  end)

  it("loads each part when a field of it is first asked for", function()
    says("false\tfalse\ntrue\tfalse\ntrue\ttrue\n", [[
      local theano = require("theano")
      print(loaded("ndarray"), loaded("tensor"))
      assert(theano.ndarray.ones({ 2 }):sum() == 2)
      print(loaded("ndarray"), loaded("tensor"))
      assert(theano.tensor.dvector().ndim == 1)
      print(loaded("ndarray"), loaded("tensor"))]])
  end)

  it("loads parts of nd when they are first asked for", function()
    says("nil\n0.5\ntrue\n", [[
      local nd = require("theano").ndarray
      print(rawget(nd, "signal"))
      print(nd.linalg.norm(nd.array({ 0.3, 0.4 })))
      local here = false
      for name in pairs(nd) do here = here or name == "signal" end
      print(here)]])
  end)

  it("gives modules by their own names, before and after the library", function()
    for _, name in ipairs({ "theano.tensor", "theano.tensor.nnet", "theano.tensor.nnet.conv", "theano.ndarray",
      "theano.ndarray.signal", "theano.gradient", "theano.compile", "theano.gof", "theano.updates", "theano.printing",
      "theano.sandbox.rng_mrg", "theano.tensor.shared_randomstreams", "theano.ifelse",
      "theano.typed_list", "theano.random", "theano.config", "theano.cuda", "theano.shared" }) do
      local steps = name:gsub("^theano", "t")
      says("true\n", ('require("theano") local m = require(%q) local t = require("theano") '
        .. 'print(m ~= nil and m == %s)'):format(name, steps))
      if not name:find("%..*%.") then
        says("true\n", ('local m = require(%q) local t = require("theano") print(m ~= nil and m == %s)'):format(name,
          steps))
      end
    end
  end)

  it("knows of all names, loaded or not", function()
    says("theano.tensor.nnet.softmax\n", 'require("theano") print(require("theano.modules").find("softmax"))')
    says("true\n", [[
      local ok, e = pcall(function() return require("theano").dmatrix end)
      print(not ok and e:find("it is theano.tensor.dmatrix", 1, true) ~= nil)]])
    says("true\ttrue\ttrue\n", [[
      local seen = {}
      for name in pairs(require("theano")) do seen[name] = true end
      print(seen.tensor, seen.grad, seen.ndarray)]])
  end)

  it("loads what a saved model needs, and the language for its graph", function()
    local folder <close> = setmetatable({ path = runner.folder() }, { __close = function(f) runner.remove(f.path) end })
    local path = folder.path .. "/double.thn"
    says("", [[
      local theano = require("theano")
      local x = theano.tensor.dvector("x")
      theano["function"]({ x }, x * 2):save(arg[1])]], path)
    says("[2. 4.]\nfalse\ntrue\ntrue\n", [[
      local f = require("theano").load(arg[1])
      print(f({ 1, 2 }))
      print(loaded("tensor"))
      print(f.maker.fgraph.outputs[1].ndim == 1)
      print(loaded("tensor"))]], path)
  end)

  it("can be made complete where files are closed afterwards", function()
    says("3.0\n5.0\n", [[
      local theano = require("theano")
      require("theano.parts").complete()
      package.path, package.cpath, io.open = "", "", nil
      local x = theano.tensor.dvector("x")
      print(theano["function"]({ x }, x:sum())({ 1, 2 }))
      print(theano.ndarray.linalg.norm({ 3, 4 }))]])
  end)

  it("is of the state that is now, when it was forgotten and required again", function()
    says("true\ttrue\n", [[
      local first = require("theano")
      local T = first.tensor
      for name in pairs(package.loaded) do if name:find("^theano") then package.loaded[name] = nil end end
      local second = require("theano")
      print(second ~= first, second.tensor ~= T and second.tensor == require("theano.tensor"))]])
  end)

  -- Which of the modules a host forgets between two runs of a script is its own affair.
  it("is there whichever of its modules are forgotten before it is required again", function()
    says("2.0\n", [[
      local function use()
        local theano = require("theano")
        local x = theano.tensor.dvector("x")
        return theano.compile({ inputs = { x }, outputs = x:sum() })({ 2.0 }) == 2 and theano.ndarray.ones(2):sum()
      end
      use()
      local names = {}
      for name in pairs(package.loaded) do if name:find("^theano") then names[#names + 1] = name end end
      table.sort(names)
      for _, name in ipairs(names) do
        package.loaded[name] = nil
        local fine, why = pcall(use)
        if not fine or why ~= 2 then print(name, why) end
      end
      print(use())]])
  end)
end)
