--- The program `theano`: scripts, texts, standard input, exit codes, messages, and what happens without a compiler.
local runner = require("spec.support.runner")

local folder
setup(function() folder = runner.folder() end)
teardown(function() runner.remove(folder) end)

local function script(name, text)
  runner.write(folder .. "/" .. name, text)
  return folder .. "/" .. name
end

describe("theano", function()
  it("runs a script with its arguments", function()
    local path = script("a.lua", "print(...) print(arg[0], arg[1], #arg)")
    local text, status = runner.run({ path, "one", "two words" })
    assert.equal("one\ttwo words\n" .. path .. "\tone\t2\n", text)
    assert.equal(0, status)
  end)

  it("runs a text given with -e", function()
    local text, status = runner.run({ "-e", "print(1 + 1, ...)", "x" })
    assert.equal("2\tx\n", text)
    assert.equal(0, status)
  end)

  it("runs standard input for -", function()
    local text, status = runner.run({ "-" }, { input = "print('in')" })
    assert.equal("in\n", text)
    assert.equal(0, status)
  end)

  it("has Lua's own paths beside ours", function()
    local text, status = runner.run({ "-e", "print(package.path)" })
    assert.truthy(text:find("/?.lua;", 1, true))
    assert.truthy(text:find("./?.lua", 1, true))
    assert.truthy(text:find("/theano", 1, true) or text:find("lua/?.lua", 1, true))
    assert.equal(0, status)
  end)

  it("prints its version and help", function()
    local text, status = runner.run({ "-v" })
    assert.truthy(text:find("^theano %d+%.%d+%.%d+ %(Lua 5%.4"), text)
    assert.equal(0, status)
    text, status = runner.run({ "--help" })
    assert.truthy(text:find("^usage: theano"), text)
    assert.equal(0, status)
  end)

  it("sets no global and prints nothing when the library is loaded", function()
    local text, status = runner.run({ "-e", [[
      local before = {}
      for name in pairs(_G) do before[name] = true end
      require("theano")
      for name in pairs(_G) do if not before[name] then print(name) end end
    ]] })
    assert.equal("", text)
    assert.equal(0, status)
  end)
end)

describe("exit codes", function()
  it("are 1 after an error, which is printed with the script's line and a traceback", function()
    local lines = "local T = require('theano.tensor')\nlocal x = T.dvector('x')\nlocal y = x + nil\nprint(y)\n"
    local path = script("bad.lua", lines)
    local text, status = runner.run({ path })
    assert.equal(1, status)
    assert.truthy(text:find("theano: " .. path .. ":3: TypeError: arithmetic on a nil value", 1, true), text)
    assert.truthy(text:find("stack traceback:", 1, true))
  end)

  it("are 1 for a syntax error and for a file that is not there", function()
    local text, status = runner.run({ script("syntax.lua", "x = = 1") })
    assert.equal(1, status)
    assert.truthy(text:find("syntax.lua:1: unexpected symbol near '='", 1, true), text)
    text, status = runner.run({ folder .. "/nowhere.lua" })
    assert.equal(1, status)
    assert.truthy(text:find("cannot open " .. folder .. "/nowhere.lua", 1, true), text)
  end)

  it("are 1 for an error that is no text", function()
    local text, status = runner.run({ "-e", "error({})" })
    assert.equal(1, status)
    assert.truthy(text:find("theano: (error object is a table value)", 1, true), text)
  end)

  it("are 2 for wrong usage", function()
    for _, words in ipairs({ {}, { "-e" }, { "--nonsense" } }) do
      local text, status = runner.run(words)
      assert.equal(2, status)
      assert.truthy(text:find("usage: theano", 1, true), text)
    end
  end)

  it("are the script's own", function()
    assert.equal(7, select(2, runner.run({ "-e", "os.exit(7)" })))
    assert.equal(0, select(2, runner.run({ "-e", "os.exit(true)" })))
  end)
end)

describe("without a working compiler or cache a function runs in the interpreter, after one line", function()
  local text = [[
    local theano = require("theano")
    local x = theano.tensor.dvector("x")
    for k = 1, 3 do
      local y = theano.compile({ inputs = { x }, outputs = theano.tensor.exp(x) * k })({ 0.0 })
      print(y)
    end
  ]]

  local function check(flags, wanted)
    local printed, status = runner.run({ "-e", text }, { env = { "THEANO_FLAGS=" .. flags .. ",linker=c" } })
    assert.equal(0, status)
    assert.equal("[1.]\n[2.]\n[3.]\n", (printed:gsub("theano: [^\n]*\n", "")))
    assert.truthy(printed:find(wanted, 1, true), printed)
    return printed
  end

  it("when the compiler fails", function()
    check("cxx=/bin/false,base_compiledir=" .. folder .. "/c1", "/bin/false failed")
  end)

  it("when the compiler is not there", function()
    local printed = check("cxx=/no/such/compiler,base_compiledir=" .. folder .. "/c2", "/no/such/compiler")
    local _, lines = printed:gsub("theano: ", "")
    assert.equal(1, lines, printed)
  end)

  it("when there is to be none", function()
    check("cxx=,base_compiledir=" .. folder .. "/c3", "no C compiler")
  end)

  it("when the cache cannot be written (a temporary one serves)", function()
    check("base_compiledir=/proc/nowhere", "/proc/nowhere")
  end)
end)

describe("a program that is not there", function()
  it("leaves nothing behind that the end of the process stumbles over", function()
    local text = [[
      print(require("theano.runner.record").output_of("/no/such/program", {}))
      local figure = require("theano").plot.figure {}
      figure:line { 1, 2 }
      print(pcall(figure.save, figure, os.tmpname() .. ".png"))
    ]]
    local said, status = runner.run({ "-e", text }, { env = { "PATH=/nowhere" } })
    assert.truthy(said:find("nil\nfalse\t.*rsvg%-convert is not installed"), said)
    assert.equal(0, status)
  end)
end)

describe("generated units", function()
  it("are found in the cache by the next process", function()
    local text = [[
      local theano = require("theano")
      local x = theano.tensor.dvector("x")
      print(theano.compile({ inputs = { x }, outputs = theano.tensor.exp(x) })({ 0.0 }))
    ]]
    local cache = folder .. "/cache"
    local env = { env = { "THEANO_FLAGS=linker=c,base_compiledir=" .. cache } }
    local first, status = runner.run({ "-e", text }, env)
    assert.equal("[1.]\n", first)
    assert.equal(0, status)
    -- With a compiler that cannot work, only what is in the cache can have run: nothing is logged.
    local second = runner.run({ "-e", text }, env)
    assert.equal(first, second)
  end)

  it("runs in the interpreter where no file may become as large as a unit", function()
    local text = [[
      local x = require("theano").tensor.dvector("x")
      print(require("theano").compile({ inputs = { x }, outputs = require("theano").tensor.exp(x) })({ 0.0 }))
    ]]
    local line = "ulimit -f 4; THEANO_FLAGS=linker=c,base_compiledir=%s/small %s -e %s 2>&1 | cat"
    local pipe = assert(io.popen(line:format(folder, runner.quote(runner.path), runner.quote(text))))
    local said = pipe:read("a")
    pipe:close()
    assert.truthy(said:find("\n?%[1%.%]\n$"), said)
  end)

  it("loads the tree's modules compiled while that is what their text says", function()
    local names = io.popen("ls lua/theano")
    local n = 0
    for name in names:lines() do
      local base = name:match("^(.*)%.lua$")
      if base then
        local text = assert(io.open("lua/theano/" .. name, "rb")):read("a")
        local made = assert(io.open("build/lua/compiled/" .. base .. ".luac", "rb")):read("a")
        local kept, head, from = string.unpack("<s8s8", made)
        assert.is_true(kept == text, name)
        local path = "@/somewhere else/" .. ("long/"):rep(40) .. name -- what the runner puts in: where it lies
        local length = #path + 1
        local size = string.char(length >> 7, length & 0x7f | 0x80)
        local f = assert(load(head .. size .. path .. made:sub(from), name, "b"))
        assert.equal(path, debug.getinfo(f, "S").source)
        n = n + 1
      end
    end
    names:close()
    assert.is_true(n > 20)
    local source = debug.getinfo(require("theano").help, "S")
    assert.truthy(source.source:find("lua/theano/init.lua", 1, true))
    assert.is_true(source.linedefined > 1)
  end)
end)
