--- What Python or Torch says where Lua is read: Lua's own message, and behind it how Lua says it.
local hints = require("theano.hints")
local runner = require("spec.support.runner")

-- A program that is none, and what the line behind its message has.
local SYNTAX = {
  ["f = theano.function([x], y)"] = "theano.compile { inputs = { x }, outputs = y }",
  ["local f = theano.function([x], y, updates=[(w, w - 1)])"] = "theano.compile",
  ["x = 1\nf = theano.function(\n  {x}, y)"] = "theano.compile",
  ["import numpy as np"] = 'local nd = require "theano.ndarray"',
  ["import theano.tensor as T"] = 'local T = require "theano.tensor"',
  ["from theano import tensor as T"] = 'local theano = require "theano"',
  ["f = lambda x: x + 1"] = "function(x) return x + 1 end",
  ["if a != b then end"] = "x ~= y",
  ["y = x[1:2]"] = 'x["1:2"]',
  ["y = w:get_value()[0:2]"] = 'x["1:2"]',
  ["y = x[0, 1]"] = "x[{ 0, 1 }]",
  ["for i in range(3): print(i)"] = "for i = 0, 2 do",
  ["y = x[:, 0]"] = 'x["1:2"]',
  ["y = x[::2]"] = 'x["1:2"]',
  ["y = x ** 2"] = "x ^ 2",
  ["x += 1"] = "x = x + 1",
  ["def f(x):\n  return x"] = "local function f(x)",
  ["for i in range(3):\n  print(i)\n"] = "for i = 0, 2 do",
  ["if x == 1:\n  y = 2\n"] = "if x then",
  ["while True:\n  y = 2\n"] = "while x do",
  ["class A(object):\n  pass"] = "no classes",
  ["y = T.and(x, y)"] = "T.and_(x, y)",
  ["y = x:repeat(2)"] = "x:repeat_(2)",
  ["w = [1, 2]"] = "{ 1, 2 }",
  ["f([x], y)"] = "{ 1, 2 }",
  ["d = {'a': 1}"] = "{ a = 1 }",
  ["s = T.sum(x, axis=0)"] = "f(x, { axis = .. })",
  ["y = a ? b : c"] = "x and a or b",
  ["y = a if b else c"] = "x and a or b",
  ["x = 1 # one"] = "--",
  ["raise ValueError('x')"] = "error(",
  ["assert x, 'text'"] = "assert(x",
  ["print x"] = "print(x)",
  ["y = x @ w"] = "T.dot(x, w)",
  ["y = x && z"] = "x and y",
  ["y = x || z"] = "x or y",
  ["y = !x"] = "not x",
  ["y = (1, 2)"] = "{ 1, 2 }",
  ["x = y = 1"] = "y = x",
  ["f(*args)"] = "table.unpack",
  ["f(**options)"] = "a table of names",
  ["z = 3j"] = "nd.complex(0, 3)",
  ["'''what this is'''"] = "[[a long text]]",
  ["@decorator\nlocal function f() end"] = "decorate(f)",
  ["try:\n  f()\nexcept E:\n  g()"] = "pcall",
  ["with open(x) as f:\n  pass"] = "<close>",
  ["del x"] = "x = nil",
}

-- What Lua's own mistakes look like: nothing is said.
local OWN = { "x = ", "f(", "end", "local x = = 2", "if x then", "x = {1, 2", "s = 'a:b", "return return",
  "x ~= 'a != b'" }

describe("a text that is not Lua", function()
  it("says how Lua says it, behind Lua's message", function()
    for text, want in pairs(SYNTAX) do
      local f, message = load(text, "=program")
      assert.is_nil(f, text)
      local said = hints.explain(message, text)
      assert.equal(message, said:sub(1, #message))
      local hint = said:sub(#message + 1)
      assert.truthy(hint:find("^\n  [^\n]+$") and hint:find(want, 1, true), text .. "\n" .. said)
    end
  end)

  it("is left alone where Python is not what was meant", function()
    for _, text in ipairs(OWN) do
      local _, message = load(text, "=program")
      assert.equal(message, hints.explain(message, text))
    end
    for _, text in ipairs({ "", "no place", "a:1: ", "x: y", "a:2: 'x' near 'y'", "error loading module" }) do
      assert.equal(text, hints.explain(text, "x = 1"))
    end
  end)
end)

describe("a name that is not there", function()
  it("says what it is here", function()
    local function hint(text)
      local ok, message = pcall(assert(load(text, "=program")))
      assert.is_false(ok)
      return hints.explain(message, text):sub(#message + 1)
    end
    assert.truthy(hint("return range(3)"):find("for i = 0, n - 1 do", 1, true))
    assert.truthy(hint("return len({})"):find("#x", 1, true))
    assert.truthy(hint("return np.zeros(3)"):find("theano.ndarray", 1, true))
    assert.truthy(hint("return unpack({})"):find("table.unpack", 1, true))
    assert.truthy(hint("return torch.Tensor(3)"):find("docs/from-torch7.md", 1, true))
    assert.truthy(hint("return nil + None"):find("None is nil", 1, true))
    assert.equal("", hint("return whatever.x"))
    assert.equal("", hint("error('None of these')"))
  end)
end)

describe("a method that is called with a dot", function()
  it("says so", function()
    local function hint(text)
      local ok, message = pcall(assert(load(text, "=program")), require("theano").shared(1.0))
      assert.is_false(ok)
      return hints.explain(message, text):sub(#message + 1)
    end
    for _, call in ipairs({ "w.get_value()", "w.set_value(3)", "w.eval {}" }) do
      assert.truthy(hint("local w = ...\nlocal v = " .. call):find("a colon hands w over", 1, true), call)
    end
    local array = "local a = require('theano').ndarray.ones(3)\nlocal v = a.tolist()"
    assert.truthy(hint(array):find("a:tolist(..)", 1, true))
    assert.equal("", hint("local T = require('theano').tensor\nlocal v = T.sum()"))
    assert.equal("", hint("local nd = require('theano').ndarray\nlocal v = nd.linalg.lu_solve({ { 1.0 } }, { 1.0 })"))
    for _, call in ipairs({ "w.sum()", "w.sum(0)", "w.astype('int8')" }) do -- the engine's own words
      local ok, message = pcall(assert(load("local w = ...\nlocal v = " .. call)), require("theano").shared(1.0))
      assert.is_false(ok)
      local said = "methods are called with a colon, x:" .. call:match("%a+", 3) .. "(..)"
      assert.truthy(message:find(said, 1, true), message)
    end
  end)
end)

describe("True and False", function()
  it("are no options that nobody gave", function()
    local program = "local t = { keepdims = %s } print(t.keepdims)"
    local text, status = runner.run({ "-e", program:format("True") })
    assert.equal(1, status)
    assert.truthy(text:find("(command line):1: True is true in Lua", 1, true), text)
    text = runner.run({ "-e", program:format("False") })
    assert.truthy(text:find("False is false in Lua", 1, true), text)
    text = runner.run({ "-i" }, { input = "x = True\n" })
    assert.truthy(text:find("True is true in Lua", 1, true), text)
    assert.equal("nil\n", (runner.run({ "-e", program:format("None") })))
    assert.equal("7\n", (runner.run({ "-e", "True = 7 " .. program:format("True") })))
  end)
end)

describe("the runner", function()
  local said = "  theano.function([x], y) is theano.compile { inputs = { x }, outputs = y } here: "
  it("says so of a file, of text, of a module, and in a session", function()
    local folder = runner.folder()
    runner.write(folder .. "/a.lua", 'local theano = require "theano"\nlocal f = theano.function([x], y)\n')
    local out, status = runner.run({ folder .. "/a.lua" })
    assert.equal(1, status)
    local want = "theano: " .. folder .. "/a.lua:2: <name> expected near 'function'\n" .. said
    assert.equal(want, out:sub(1, #want))
    out, status = runner.run({ "-e", "f = theano.function([x], y)" })
    assert.equal(1, status)
    assert.truthy(out:find("theano: (command line):1: <name> expected near 'function'\n" .. said, 1, true), out)
    out = runner.run({ "-e", "package.path = '" .. folder .. "/?.lua' require 'a'" })
    assert.truthy(out:find("<name> expected near 'function'\n" .. said, 1, true), out)
    out = runner.run({ "-e", "\nlocal x = len({})" })
    assert.truthy(out:find("(command line):2: attempt to call a nil value (global 'len')\n", 1, true), out)
    out = runner.run({ "-i" }, { input = "x = 1\nf = theano.function([x], y)\nprint(range(3))\n" })
    assert.truthy(out:find("SyntaxError: stdin:2: <name> expected near 'function'\n" .. said, 1, true), out)
    assert.truthy(out:find("range is for i = 0, n - 1 do", 1, true), out)
    runner.remove(folder)
  end)

  it("takes theano[\"function\"] for theano.compile", function()
    local theano = require("theano")
    assert.equal(theano.compile, theano["function"])
  end)
end)
