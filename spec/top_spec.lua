--- `theano top`: a script under a table of its functions.
local runner = require("spec.support.runner")

local NEEDED = { "luv", "dkjson", "argparse" }
local function missing()
  for _, module in ipairs(NEEDED) do
    if not pcall(require, module) then return module end
  end
end

describe("theano top", function()
  it("runs the script with its arguments and lists calls by function", function()
    if missing() then return pending("no Lua module " .. missing()) end
    local folder = runner.folder()
    runner.write(folder .. "/script.lua", [[
      local theano = require("theano")
      local x = theano.tensor.dvector("x")
      local f = theano.compile({ inputs = { x }, outputs = x:sum(), name = "adds" })
      for _ = 1, 30 do f({ 1.0, 2.0 }) end
      print("argument " .. arg[1])]])
    local text, code = runner.run({ "top", folder .. "/script.lua", "seven" }, { env = { "THEANO_FLAGS=cxx=" } })
    assert.equal(0, code)
    assert.truthy(text:find("argument seven", 1, true), text)
    assert.truthy(text:find("\n *30 +[%d.]+ +[%d.]+ ms +100%.0 %% .*  adds\n"), text)
    runner.write(folder .. "/script.lua", "error('no')")
    text, code = runner.run({ "top", folder .. "/script.lua" })
    assert.equal(1, code)
    assert.truthy(text:find("no", 1, true) and text:find("no function was called", 1, true), text)
    assert.equal(2, select(2, runner.run({ "top" })))
    runner.remove(folder)
  end)
end)
