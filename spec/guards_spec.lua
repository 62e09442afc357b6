--- The guards of scripts/ find what they are there to find: each is run on a small tree with one breach in it.
local function sh(command)
  local pipe = assert(io.popen("{ " .. command .. "; } 2>&1; echo \"status $?\""))
  local text = pipe:read("a")
  pipe:close()
  return text:gsub("status %d+\n$", ""), tonumber(text:match("status (%d+)\n$"))
end

local tree

local function write(path, text)
  assert(sh(("mkdir -p '%s/%s'"):format(tree, path:match("^(.*)/"))))
  local file = assert(io.open(tree .. "/" .. path, "w"))
  file:write(text)
  file:close()
end

local function c_function(lines)
  return "int f(int a);\nint f(int a) {\n" .. ("    a++; /* { */\n"):rep(lines - 3) .. "    return a;\n}\n"
end

before_each(function()
  tree = sh("mktemp -d"):match("%S+")
  sh(("mkdir '%s/scripts' && cp scripts/check* scripts/*.txt '%s/scripts/'"):format(tree, tree))
  write("core/theano.h", "#pragma once\n")
  write("core/base/base.h", '#include "../theano.h"\n')
  write("core/graph/graph.h", '#include "../base/base.h"\n')
end)

after_each(function() sh("rm -r '" .. tree .. "'") end)

local function guard(name, arguments) return sh(("'%s/scripts/%s' %s"):format(tree, name, arguments or "")) end

describe("check-layers", function()
  it("is content with includes downwards", function()
    write("core/graph/a.c", '#include "graph.h"\n#include <string.h>\n')
    write("lua/a.c", '#include "theano.h"\n#include <lua.h>\n')
    local text, status = guard("check-layers")
    assert.equal("", text)
    assert.equal(0, status)
  end)

  it("finds an include upwards", function()
    write("core/base/a.c", '#include "base.h"\n#include "../graph/graph.h"\n')
    local text, status = guard("check-layers")
    assert.equal("core/base/a.c:2: base may not include graph (core/graph/graph.h)\n", text)
    assert.not_equal(0, status)
  end)

  it("reads the folders inside a folder as parts of it, and a rule of their own where they have one", function()
    write("core/ops/table/ops.h", '#include "graph/graph.h"\n')
    write("core/ops/front/a.c", '#include "ops/table/ops.h"\n')
    assert.equal("", (guard("check-layers")))
    write("core/ops/table/a.c", '#include "ops/front/b.h"\n')
    write("core/ops/front/b.h", "")
    assert.equal("core/ops/table/a.c:1: ops/table may not include ops/front (core/ops/front/b.h)\n",
      (guard("check-layers")))
  end)

  it("finds a rule that names what stands below it", function()
    write("scripts/layers.txt", "api:\nbase: api graph\ngraph: api base\n")
    assert.truthy((guard("check-layers")):find("base names graph, which does not stand above it", 1, true))
  end)

  it("finds lua.h in the engine and the engine's insides in the binding", function()
    write("core/graph/a.c", "#include <lua.h>\n")
    write("lua/a.c", '#include "../core/base/base.h"\n')
    local text = guard("check-layers")
    assert.truthy(text:find("core/graph/a.c:1: graph may not include lua.h", 1, true))
    assert.truthy(text:find("lua/a.c:1: lua may not include base", 1, true))
  end)

  it("finds headers that include each other in a circle, and those alone", function()
    write("core/graph/a.h", '#include "graph.h"\n#include "b.h"\n')
    write("core/graph/b.h", '#include "base/base.h"\n\n#include "c.h"\n')
    write("core/graph/c.h", '#include "graph/a.h"\n')
    write("core/graph/d.h", '#include "a.h"\n')
    write("core/graph/d.c", '#include "d.h"\n')
    local text, status = guard("check-layers")
    assert.equal("core/graph/a.h:2: in a circle of includes, with core/graph/b.h\n" ..
      "core/graph/b.h:3: in a circle of includes, with core/graph/c.h\n" ..
      "core/graph/c.h:1: in a circle of includes, with core/graph/a.h\n", text)
    assert.not_equal(0, status)
  end)

  it("finds an include of a .c file", function()
    write("core/graph/a.c", '#include "graph.h"\n')
    write("core/graph/b.c", '#include "a.c"\n')
    local text, status = guard("check-layers")
    assert.equal("core/graph/b.c:1: includes core/graph/a.c, which is no header\n", text)
    assert.not_equal(0, status)
  end)

  it("finds a folder without a rule", function()
    write("core/extra/a.c", '#include "../base/base.h"\n')
    assert.truthy((guard("check-layers")):find('no line in scripts/layers.txt for "extra"', 1, true))
  end)
end)

describe("check-sizes", function()
  it("allows a function of 60 lines and finds one of 61", function()
    write("core/base/a.c", c_function(60))
    assert.equal(0, select(2, guard("check-sizes")))
    write("core/base/a.c", c_function(61))
    local text, status = guard("check-sizes")
    assert.equal("core/base/a.c:2: function of 61 lines, the limit is 60\n", text)
    assert.not_equal(0, status)
  end)

  it("allows a file of 800 lines and finds one of 801", function()
    write("core/base/a.c", ("int x;\n"):rep(800))
    assert.equal(0, select(2, guard("check-sizes")))
    write("core/base/a.c", ("int x;\n"):rep(801))
    assert.equal("core/base/a.c: 801 lines, the limit is 800\n", (guard("check-sizes")))
  end)

  it("finds long lines, tabs and blanks at the end, and lets tables be wide", function()
    write("core/base/a.c", "/* clang-format off */\nint a; /* " .. ("-"):rep(200) .. " */\n/* clang-format on */\n")
    assert.equal(0, select(2, guard("check-sizes")))
    write("core/base/a.c", "int a; /* " .. ("-"):rep(200) .. " */\n\tint b;\nint c; \n")
    local text = guard("check-sizes")
    assert.truthy(text:find("a.c:1: 213 columns, the limit is 120", 1, true))
    assert.truthy(text:find("a.c:2: tab", 1, true))
    assert.truthy(text:find("a.c:3: blank at the end of the line", 1, true))
  end)

  it("finds a long Lua function", function()
    write("lua/theano/a.lua", "local function f(x)\n" .. ("  x = x + 1\n"):rep(60) .. "end\nreturn f\n")
    assert.equal("lua/theano/a.lua:1: function of 62 lines, the limit is 60\n", (guard("check-sizes")))
  end)
end)

describe("check-readmes", function()
  before_each(function()
    write("core/README.md", "`theano.h`\n")
    write("core/base/README.md", "| `base.h` | what all stand on |\n")
    write("core/graph/README.md", "`graph.h`, on `base/base.h` and `core/theano.h`; all of `*.h`\n")
  end)

  it("is content where every file is named and what is named is there", function()
    local text, status = guard("check-readmes")
    assert.equal("", text)
    assert.equal(0, status)
  end)

  it("finds a file that its folder does not name, and a name of what is gone", function()
    write("core/base/new.c", "")
    write("core/base/README.md", "`base.h`\n\n`old.c` `graph/none.h` `x*.c`\n")
    local text, status = guard("check-readmes")
    assert.equal(table.concat({
      "core/base/README.md: does not name new.c",
      "core/base/README.md:3: graph/none.h is not there",
      "core/base/README.md:3: old.c is not there",
      "core/base/README.md:3: x*.c is not there",
    }, "\n") .. "\n", text)
    assert.not_equal(0, status)
  end)

  it("finds a folder without a README", function()
    write("core/extra/a.c", "")
    assert.equal("core/extra: no README.md\n", (guard("check-readmes")))
  end)
end)

describe("check-globals", function()
  it("is content with locals and Lua's own names", function()
    write("lua/theano/a.lua", "local M = {}\nfunction M.f() return print, string.format end\nreturn M\n")
    local text, status = guard("check-globals", "lua/theano/a.lua")
    assert.equal("", text)
    assert.equal(0, status)
  end)

  it("finds a global written and one read", function()
    write("lua/theano/a.lua", "local M = {}\ncount = 1\nfunction M.f() return counter end\nreturn M\n")
    local text, status = guard("check-globals", "lua/theano/a.lua")
    assert.truthy(text:find("a.lua:2: writes the global count", 1, true))
    assert.truthy(text:find("a.lua:3: reads the global counter", 1, true))
    assert.not_equal(0, status)
  end)
end)

describe("check-order", function()
  it("is content with one argument that numbers, and with two that number different things", function()
    write("core/base/a.c", "static int f(Kernel *k) {\n    int a = ins_a(k, x), b = ins_b(k, y); "
      .. "/* ins_a(ins_b(), ins_c()) */\n    ins_store(k, l->api->write(l, 0), ins_cast(k, a, 1));\n"
      .. "    return ins_c(k, ins_a(k, a), b);\n}\n")
    local text, status = guard("check-order")
    assert.equal("", text)
    assert.equal(0, status)
  end)

  it("finds two arguments of a call that number something, themselves or by a function of the file", function()
    write("core/base/a.c", "static int pick(Kernel *k, int v) { return ins_load(k, v, 1); }\n"
      .. "static int own(Kernel *k) { return pick(k, 0); }\nint f(Kernel *k) {\n"
      .. '    if (ok("(", ins_b(k, own(k), pick(k, 1)))) return 1;\n    return calc(a, calc(a, b, c),\n'
      .. "                calc(a, d, e));\n}\n")
    local text, status = guard("check-order")
    assert.equal("core/base/a.c:4: ins_b(..) numbers instructions in more than one argument\n"
      .. "core/base/a.c:5: calc(..) numbers sizes in more than one argument\n", text)
    assert.not_equal(0, status)
  end)
end)

describe("check-locale", function()
  it("is content with our own conversions and with whole numbers", function()
    write("core/base/a.c", 'void f(Text *t) {\n    text_printf(t, "%g", number_read("1", 0));\n' ..
      '    snprintf(s, 9, "%d%%", 1);\n}\n')
    write("core/base/os/posix.c", "double number_read(const char *s) { return strtod_l(s, 0, c()); }\n")
    write("lua/theano/a.lua", 'local t = util.format("%g", 1) .. ("%d"):format(2)\n')
    local text, status = guard("check-locale")
    assert.equal("", text)
    assert.equal(0, status)
  end)

  it("finds what reads and writes by the locale", function()
    write("core/base/a.c", 'double f(char *s) {\n    snprintf(s, 9,\n             "%5.1f", 1.0);\n' ..
      '    return strtod(s, 0);\n}\n')
    write("core/graph/a.c", "int f(int c) { return isalpha(c); }\nint g(char *s, va_list v) {\n" ..
      "    return vsnprintf(s, 9, s, v);\n}\n")
    write("lua/a.c", 'void f(lua_State *L) { lua_pushfstring(L, "%f", 1.0); }\n')
    write("lua/theano/a.lua", 'local t = ("%.3f"):format(2)\n')
    local text, status = guard("check-locale")
    assert.equal(table.concat({
      "core/base/a.c:2: writes a float by the locale: number_format",
      "core/base/a.c:4: reads by the locale: number_read",
      "core/graph/a.c:1: letters by the locale: char_is_* and text_same of base.h",
      "core/graph/a.c:3: writes by the locale: number_vformat, lt_push_text",
      "lua/a.c:1: writes a float by the locale: number_format",
      "lua/theano/a.lua:1: a float by the locale: util.format",
    }, "\n") .. "\n", text)
    assert.not_equal(0, status)
  end)
end)
