--- `theano -i`: what a session prints, how it goes on after errors, unfinished input, Ctrl-C, completion, history.
local nd = require("theano.ndarray")
local repl = require("theano.repl")
local runner = require("spec.support.runner")
local show = require("theano.show")
local skip = require("spec.support.skip")
local theano = require("theano")
local T = require("theano.tensor")

-- What a session says to lines that come through a pipe: no prompts, no banner.
local function session(...)
  local text, status = runner.run({ "-i" }, { input = table.concat({ ... }, "\n") .. "\n" })
  assert.equal(0, status, text)
  return text
end

describe("a session through a pipe", function()
  it("shows the values of expressions, and _ is the last one", function()
    assert.equal("3\n6\n1\ttwo\n", session("1 + 2", "_ * 2", "print(1, 'two')"))
    assert.equal('1\n"two"\nnil\n', session('1, "two", nil'))
  end)

  it("shows variables, arrays, tables and functions", function()
    assert.equal("(x * x)  -- TensorType(float64, vector)\n", session('x = T.dvector("x")', "x * x"))
    assert.equal("[[0 1]\n [2 3]]\n-- int64 (2, 2)\n", session("nd.arange(4):reshape(2, 2)"))
    assert.equal("{ 1, 2, a = x }\n", session('{1, 2, a = T.dvector("x")}'))
    assert.equal("<function stdin:2(x)>\n4.0\n",
      session('x = T.dscalar("x")', "f = theano.compile{inputs = {x}, outputs = x * 2}", "f", "f(2)"))
  end)

  it("keeps what `local` names", function()
    assert.equal("4\n9\n", session("local a = 3", "a + 1", "local function f(n) return n * n end", "f(a)"))
  end)

  it("reads a statement of several lines to its end", function()
    assert.equal("1\n2\n6\n", session("for i = 1, 2 do", "  print(i)", "end", "(1 +", "2 +", "3)"))
  end)

  it("goes on after an error, which is one line with the line of the session", function()
    local text = session('x = T.dvector("x")', "", "x + nil", "error('boo')", "1 +* 2", "nd.zeros({2}):reshape(3)", "7")
    assert.truthy(text:find("stdin:3: TypeError: arithmetic on a nil value", 1, true), text)
    assert.truthy(text:find("stdin:4: boo\n", 1, true), text)
    assert.truthy(text:find("SyntaxError: stdin:5: unexpected symbol", 1, true), text)
    assert.truthy(text:find("stdin:6: ValueError: ", 1, true), text)
    assert.is_nil(text:find("traceback", 1, true), text)
    assert.equal("7\n", text:sub(-2))
  end)

  it("names the session's line where a node was made", function()
    local text = session('x, y = T.dvectors("x", "y")', "z = x + y", "f = theano.compile{inputs = {x, y}, outputs = z}",
      "f({1}, {1, 2})")
    assert.truthy(text:find("stdin:4: ValueError: ", 1, true), text)
    assert.truthy(text:find("Backtrace when the node is created: stdin:2", 1, true), text)
  end)

  it("says when the input ends inside a statement", function()
    assert.truthy(session("for i = 1, 2 do"):find("the input ends inside a statement", 1, true))
  end)

  it("ends at exit()", function() assert.equal("1\n", session("1", "exit()", "2")) end)

  it("helps", function()
    assert.truthy(session('help("sum")'):find("T.sum(input, axis=None", 1, true))
    assert.truthy(session("help()"):find("Ctrl-D", 1, true))
    assert.truthy(session('help("summ")'):find("stdin:1: KeyError: [^\n]*'sum'"))
  end)

  it("makes no globals for modules", function()
    assert.equal("nil\tnil\n", session("a = 1", "print(rawget(_G, 'T'), rawget(_G, 'a'))"))
  end)
end)

describe("theano -i script", function()
  it("runs it first, also when it fails, and its globals are there", function()
    local folder = runner.folder()
    runner.write(folder .. "/s.lua", "made = #arg + 41\nerror('late')")
    local text, status = runner.run({ "-i", folder .. "/s.lua", "word" }, { input = "made\n" })
    runner.remove(folder)
    assert.truthy(text:find("late", 1, true), text)
    assert.equal("42\n", text:sub(-3))
    assert.equal(1, status)
  end)
end)

describe("the session of docs/repl.md", function()
  it("goes as the page shows it", function()
    local file = assert(io.open("docs/repl.md"))
    local block = file:read("a"):match("```sh\n%$ build/theano %-i\n(.-)```")
    file:close()
    local lines, said = {}, {}
    for line in block:gmatch("[^\n]+") do
      local typed = line:match("^%d+> (.*)$")
      if typed then lines[#lines + 1] = typed else said[#said + 1] = line end
    end
    local function words(text) return (text:gsub("%s+", " ")) end
    local got = session(table.unpack(lines))
    local errors = got:match("stdin:5: TypeError[^\n]*\n")
    assert.equal(7, #lines)
    -- Errors go to standard error, whose place among the values is free.
    local wanted = words(table.concat(said, " ") .. " ")
    assert.truthy(errors and wanted:find(words(errors), 1, true), got)
    got = got:gsub("stdin:5: TypeError[^\n]*\n", "")
    wanted = wanted:gsub("stdin:5: TypeError.-with shape %(%)%. ", "")
    assert.equal(wanted, words(got))
  end)
end)

describe("a terminal", function()
  local folder
  setup(function() folder = runner.folder() end)
  teardown(function() runner.remove(folder) end)

  -- Types keys (printf's escapes) one after the other at a pseudo-terminal.
  local function typed(...)
    skip.without_program("script")
    local keys = {}
    for _, key in ipairs({ ... }) do keys[#keys + 1] = "printf " .. runner.quote(key) .. "; sleep 0.15" end
    local command = ("(sleep 0.5; %s; printf '\\004'; sleep 0.2) | HOME=%s TERM=xterm THEANO_FLAGS= THEANORC=/dev/null "
      .. "LC_ALL=C.UTF-8 timeout 20 script -qec '%s -i' /dev/null 2>&1")
    local pipe = assert(io.popen(command:format(table.concat(keys, "; "), folder, runner.path)))
    local text = pipe:read("a")
    pipe:close()
    skip.unless(runner.edits(), "this build has no line editing (libedit-dev)")
    skip.unless(not text:find("failed to create pseudo-terminal", 1, true), "there are no pseudo-terminals here")
    return (text:gsub("\r", ""):gsub("\27%[[%d;]*%a", ""))
  end

  it("has prompts with the line, completion, and earlier lines", function()
    local text = typed('x = T.fmatrix("x")\n', "x.T\n", "theano.gradie\\t\n", "\\033[A\\033[A:sum()\n")
    assert.truthy(text:find("1> x = T.fmatrix", 1, true), text)
    assert.truthy(text:find("2> x.T", 1, true), text)
    assert.truthy(text:find("x.T  -- TensorType(float32, matrix)", 1, true), text)
    assert.truthy(text:find("verify_grad = function", 1, true), text)
    assert.truthy(text:find("Sum{acc_dtype=float64}(x.T)  -- TensorType(float32, scalar)", 1, true), text)
  end)

  it("counts the seconds of a long compile, and takes the line away", function()
    local text = typed('x = T.dvector("x") h = x\n for i = 1, 50000 do h = T.tanh(h + i) end\n',
      'quick = theano.compile.Mode { linker = "interpreter" }\n',
      'f = theano.compile { inputs = { x }, outputs = h, name = "deep", mode = quick }\n',
      "", "", "", "", "", "", "", "", "", "", "", "", "print(6 * 7)\n")
    assert.truthy(text:find("compiling deep .. %d+%.%d s"), text)
    assert.truthy(text:find("\n42", 1, true), text)
  end)

  it("lets Ctrl-C give up a line, and stop what runs, and goes on", function()
    local text = typed("junk(\n", "more", "\\003", "while true do end\n", "\\003", "6 * 7\n")
    assert.truthy(text:find("2| more^C", 1, true), text)
    assert.truthy(text:find("Interrupted: stopped by Ctrl-C", 1, true), text)
    assert.truthy(text:find("\n42\n", 1, true), text)
  end)

  it("remembers lines for the next session", function()
    typed("first = 12345\n")
    local text = typed("\\033[A\n", "first\n")
    assert.truthy(text:find("\n12345\n", 1, true), text)
  end)
end)

describe("completion", function()
  local env = repl.environment()
  env.x, env.a, env.number_of_things = T.dvector("x"), nd.zeros({ 2 }), 3

  it("inserts what is common, else lists", function()
    assert.equal("_of_things", (repl.complete("1 + number", env)))
    assert.equal("t", (repl.complete("y = T.nnet.sof", env))) -- softmax, softplus, softsign
    local insert, list = repl.complete("x.arc", env)
    assert.is_nil(insert)
    assert.truthy(list:find("arccos") and list:find("arctanh"))
    assert.equal("oadcastable", (repl.complete("x.br", env)))
    assert.equal("ides", (repl.complete("a.str", env)))
    assert.equal("atX", (repl.complete("theano.config.flo", env)))
    assert.equal("ring", (repl.complete("st", env)))
  end)

  it("has nothing to say of what does not exist", function()
    assert.is_nil((repl.complete("nothing.here.at", env)))
    assert.is_nil((repl.complete("x + ", env)))
    assert.is_nil((repl.complete("x.qqq", env)))
    assert.is_nil((repl.complete("", env)))
  end)
end)

describe("showing", function()
  it("cuts what is long and stops at depth", function()
    local long = {}
    for i = 1, 1000 do long[i] = i end
    assert.truthy(#show(long) < 1000)
    assert.truthy(show(long):find("%.%."))
    local deep = {}
    deep.deep = deep
    assert.truthy(show(deep):find("{..}", 1, true))
    assert.equal("{}", show({}))
    assert.equal('"a\\nb"', show("a\nb"))
    assert.equal("[1. 2.]  -- float64 (2,)", show(nd.array({ 1.0, 2.0 })))
    assert.equal("{ <ndarray float64 (3, 3)> }", show({ nd.zeros({ 3, 3 }) }))
  end)

  it("names shared variables, constants and named expressions", function()
    local w = theano.shared(2.0, "w")
    assert.equal("w  -- shared TensorType(float64, scalar), now 2.0", show(w))
    local y = w * 3
    y.name = "y"
    assert.equal("y = (w * TensorConstant{3})  -- TensorType(float64, scalar)", show(y))
    assert.equal("{ y, TensorConstant{3} }", show({ y, T.constant(3) }))
  end)
end)
