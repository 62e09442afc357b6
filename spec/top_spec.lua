--- `theano top`: a script under a table of its functions.
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")

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

  it("is live on a terminal, keeps functions that are gone, and ends with os.exit's code", function()
    if missing() then return pending("no Lua module " .. missing()) end
    skip.without_program("script")
    local folder = runner.folder()
    runner.write(folder .. "/script.lua", [[
      local theano = require("theano")
      local x = theano.tensor.dvector("x")
      for k = 1, 2 do
        local f = theano.compile({ inputs = { x }, outputs = x * k, name = "times" .. k })
        for _ = 1, 3000 do f({ 1.0, 2.0 }) end
        f = nil
        collectgarbage()
      end
      os.exit(3)]])
    local pipe = io.popen(("THEANO_FLAGS=cxx= script -qec '%s top --every 0.001 %s/script.lua' /dev/null; echo code $?")
      :format(runner.path, folder))
    local text = pipe:read("a")
    pipe:close()
    runner.remove(folder)
    assert.truthy(text:find("\27[2J\27[Htheano top", 1, true), text)
    local last = text:match(".*(script%.lua, .*)$")
    assert.truthy(last:find("3000 [^\n]*times1") and last:find("3000 [^\n]*times2") and last:find("code 3"), last)
  end)
end)
