--- Blocks of the pages that are not Lua (spec/docs_spec.lua runs that): commands of the shell are run in a folder of
-- their own, or are listed with the reason why not and looked at word by word; C is compiled and run, CMake configured,
-- settings are read, drawings name what there is.
local blocks = require("spec.support.page_blocks")
local json = require("theano.json")
local rotate = require("spec.support.rotate")
local rules = require("spec.support.page_rules")
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")
local theano = require("theano")

local build = runner.path:match("^(.*)/[^/]*$") or "."
local plain = not build:find("san", 1, true)

local by_page, every = {}, {}
for _, path in ipairs(blocks.pages()) do
  by_page[path] = blocks.blocks(path)
  for _, block in ipairs(by_page[path]) do every[#every + 1] = block end
end

local function place(block) return block.path .. ":" .. block.line end

-- The blocks of a page in a language, in their order.
local function of(path, language)
  local list = {}
  for _, block in ipairs(by_page[path]) do
    if block.language == language then list[#list + 1] = block end
  end
  return list
end

local function sh(command)
  local pipe = assert(io.popen("{ " .. command .. "\n} 2>&1; echo \"exit $?\""))
  local text = pipe:read("a")
  pipe:close()
  return text:gsub("exit %d+\n$", ""), tonumber(text:match("exit (%d+)\n$"))
end

-- ---- commands ------------------------------------------------------------------------------------------------------
-- The rule of a command: the longest text that it begins with.
local used = {}
local function rule_of(page, command)
  local found
  for _, rule in ipairs(rules.rules[page] or {}) do
    local fits = command:sub(1, #rule[1]) == rule[1]
    if fits and (not found or #rule[1] > #found[1]) then found = rule end
  end
  if found then used[found] = true end
  return found or {}
end

-- All commands: {page =, text =, line =, rule =}.
local commands = {}
for _, block in ipairs(every) do
  if block.language == "sh" then
    local session = block.text:find("^%$ ")
    for i, command in ipairs(blocks.commands(block)) do
      if i == 1 or not session then -- the rest of a session is typed by its own spec
        command.page, command.rule = block.path, rule_of(block.path, command.text)
        commands[#commands + 1] = command
      end
    end
  end
end

local function exists(path)
  local file <close> = io.open(path)
  return file ~= nil
end

-- The parts of a command that are commands themselves.
local function parts(text)
  local list = {}
  for part in (text:gsub("^%$ ", "") .. "&&"):gsub("[;|]", "&&"):gmatch("%s*(.-)%s*&&") do
    if part ~= "" then list[#list + 1] = part end
  end
  return list
end

-- What a command that is not run says: programs, files, options, packages.
local function look_at(command, text)
  local words = {}
  for word in text:gmatch("%S+") do words[#words + 1] = word end
  while words[1] and words[1]:find("^[%u_]+=") do table.remove(words, 1) end
  local program = table.remove(words, 1)
  local at = command.page .. ":" .. command.line .. ": "
  if program == "build/theano" or program == "build/asan/theano" then
    if words[1] and words[1]:find("^scripts/") then program = table.remove(words, 1) end
  end
  if program == "apt-get" then
    assert.equal("install", table.remove(words, 1))
    local named = runner.read("scripts/setup") .. runner.read("debian/control") .. " luarocks make build-essential"
    for _, word in ipairs(words) do
      word = word:gsub("^%.%./([%w-]+)_%*%.deb$", "%1")
      local known = named:find("%f[%w]" .. word:gsub("%p", "%%%0") .. "%f[^%w]")
      assert.truthy(known, at .. word .. " is a package of nobody's")
    end
    return
  end
  if program:find("/", 1, true) and not rules.programs[program] then
    local source = program:gsub("^%./", ""):gsub("^build/spec/(.*)$", "spec/c/%1.c")
      :gsub("^build/asan/theano$", "lua/main.c"):gsub("^build/theano$", "lua/main.c")
      :gsub("^build/examples/(%w+)/%w+$", "examples/%1")
    assert.is_true(exists(source), at .. "there is no " .. program)
    local file <close> = io.open(source)
    local known = file:read("a") -- nil of a folder
    for _, word in ipairs(words) do
      local option = word:match("^%[?(%-%-[%w-]+)")
      if option and known then
        local said = known:find(option, 1, true) or known:find(option:sub(3), 1, true)
        assert.truthy(said, at .. program .. " " .. option)
      end
    end
  else assert.is_truthy(rules.programs[program], at .. program .. " is not known to spec/support/page_rules.lua") end
  for _, word in ipairs(words) do
    local define = word:match("^%-D(TH_[%u_]+)=")
    if define then assert.truthy(runner.read("CMakeLists.txt"):find(define, 1, true), at .. define) end
    if word:find("^%a[%w_-]*/[%w_./-]+$") and not word:find("^build/") and not word:find("^runs/") then
      assert.is_true(exists(word), at .. "there is no " .. word)
    end
  end
end

describe("a command of a page that is not run", function()
  for _, command in ipairs(commands) do
    if command.rule.reason then
      local name = ("%s:%d: %s: %s"):format(command.page, command.line, command.text, command.rule.reason)
      it(name, function()
        for _, part in ipairs(parts(command.text)) do look_at(command, part) end
      end)
    end
  end

  it("is listed for a command that there is", function()
    for page, list in pairs(rules.rules) do
      for _, rule in ipairs(list) do assert.is_true(used[rule], page .. ": " .. rule[1]) end
    end
  end)
end)

-- What the commands of a page find in their folder.
local PREPARE = {
  ["CONTRIBUTING.md"] = function(folder)
    runner.write(folder .. "/first.lua", blocks.blocks("README.md")[2].text)
  end,
  ["docs/config.md"] = function(folder)
    runner.write(folder .. "/script.lua",
      'local theano = require "theano"\nprint(theano.config.floatX, theano.config.optimizer)\n')
  end,
  ["docs/embedding.md"] = function(folder) runner.write(folder .. "/host.c", of("docs/embedding.md", "c")[1].text) end,
  ["docs/experiments.md"] = function(folder, go)
    runner.write(folder .. "/train.lua", of("docs/experiments.md", "lua")[1].text)
    local resumed = runner.read("docs/experiments.md"):match("%-%-resume (runs/%S+)")
    for _, name in ipairs({ resumed, "runs/a", "runs/b" }) do
      local said, status = go("theano run --dir " .. name .. " train.lua --epochs 1")
      assert.equal(0, status, said)
    end
  end,
}

describe("the commands of", function()
  local pages, seen = {}, {}
  for _, command in ipairs(commands) do
    if not command.rule.reason and not seen[command.page] then
      seen[command.page] = true
      pages[#pages + 1] = command.page
    end
  end

  -- Of those that take seconds one a day.
  local seldom, waits = {}, {}
  for _, command in ipairs(commands) do
    if command.rule.seldom then seldom[#seldom + 1], waits[command] = command, true end
  end
  for _, command in ipairs(rotate.some(seldom, 1)) do waits[command] = nil end

  for _, page in ipairs(pages) do
    it(page .. " do what it says", function()
      skip.unless(plain, "a program built without sanitizers cannot load a library built with them")
      local folder = runner.folder()
      local links = "tree=$PWD; cd %s && ln -s $tree/* . && rm -f build && mkdir bin && cd $tree && "
        .. "ln -s $(realpath %s) %s/build && ln -s $(realpath %s) %s/bin/theano"
      assert(os.execute(links:format(folder, build, folder, runner.path, folder)))
      local function go(text)
        return sh(("cd %s && unset THEANO_FLAGS && export THEANORC=/dev/null PATH=\"%s/bin:$PATH\" && %s")
          :format(folder, folder, text))
      end
      if PREPARE[page] then PREPARE[page](folder, go) end
      for _, command in ipairs(commands) do
        local rule = command.rule
        local needs = command.text:match("^build(/examples/game/game)")
        local there = not needs or exists(build .. needs)
        if command.page == page and not rule.reason and not waits[command] and there then
          local text = command.text
          if rule.from then
            local from, to = text:find(rule.from, 1, true)
            assert(from, text .. ": nothing to change")
            text = text:sub(1, from - 1) .. rule.to .. text:sub(to + 1)
          end
          local said, status = go(text)
          assert.equal(0, status, page .. ":" .. command.line .. ": " .. said)
          if rule.says then assert.equal(rule.says, said) end
        end
      end
      runner.remove(folder)
    end)
  end
end)

-- ---- C, CMake, settings, drawings ----------------------------------------------------------------------------------
-- A piece of C in a function, behind what the page takes for granted, compiled and run.
local function compiles(before, text, folder, more)
  skip.without_program("gcc")
  runner.write(folder .. "/piece.c", before .. "int main(void) {\n" .. text .. "return 0;\n}\n")
  local said, status = sh(("cd %s && gcc -std=c11 -Wall -Werror -I$OLDPWD/core piece.c %s -o piece && ./piece")
    :format(folder, more))
  assert.equal(0, status, said)
end

local function names_folders(block)
  local n = 0
  for name in block.text:gmatch("%f[%w_]core/[%l_/]+%f[^%l_/.]") do
    assert.is_true(exists(name), place(block) .. " names " .. name)
    n = n + 1
  end
  assert.is_true(n > 5)
end

-- A line of a table, word for word as it stands there.
local function stands_in(files)
  return function(block)
    local text = sh("cat " .. files):gsub(" +", " ")
    assert.truthy(text:find(block.text:gsub("\n$", ""), 1, true), place(block) .. " is not in " .. files)
  end
end

-- What docs/export.md exports.
local function policy()
  local T, nd = theano.tensor, theano.ndarray
  local x, W = T.fmatrix("x"), theano.shared(nd.ones({ 3, 2 }, "float32"), "W")
  return theano.compile { inputs = { x }, outputs = { action = T.tanh(T.dot(x, W)) } }
end

-- Each block that is neither Lua nor the shell's nor what something printed: page and language with a number, and what
-- proves it (a text: the spec that does).
local PROOF = {
  ["CONTRIBUTING.md text 1"] = names_folders,
  ["docs/architecture.md text 1"] = names_folders,
  ["docs/architecture.md text 2"] = stands_in("core/ops/table/scalar.h"),
  ["docs/architecture.md text 3"] = stands_in("core/opt/rules/*.h"),

  ["docs/config.md ini 1"] = function(block)
    local folder = runner.folder()
    runner.write(folder .. "/rc", block.text)
    local program = 'local c = require("theano").config print(c.floatX, c["gcc.cxxflags"])'
    assert.equal("float32\t-O3\n", (runner.run({ "-e", program }, { env = { "THEANORC=" .. folder .. "/rc" } })))
    runner.remove(folder)
  end,

  ["docs/editor.md json 1"] = function(block)
    local settings = assert(json.decode(block.text))
    assert.same({ "/usr/share/theano/editor" }, settings["workspace.library"])
    assert.truthy(runner.read("cmake/install.cmake"):find("install(DIRECTORY editor/ DESTINATION "
      .. "${CMAKE_INSTALL_DATADIR}/theano/editor", 1, true))
    assert.truthy(runner.read("debian/theano-lua.install"):find("usr/share/theano/editor\n", 1, true))
  end,
  ["docs/editor.md text 1"] = function(block)
    local made = runner.read("editor/theano.lua") .. runner.read("editor/ndarray.lua")
    for name in block.text:gmatch("%f[^\n\0](theano%.%a+) ") do
      local there = made:find("\n---@class " .. name, 1, true) or made:find("\n---@alias " .. name, 1, true)
      assert.truthy(there, name)
    end
  end,

  ["docs/embedding.md c 1"] = "docs_spec",
  ["docs/embedding.md c 2"] = function(block)
    skip.unless(plain, "a program built without sanitizers cannot load a library built with them")
    local folder, lib = runner.folder(), runner.quote(build)
    local before = [[
#include "theano.h"
static _Alignas(64) char frame_memory[1 << 16];
static double forces[3];
static ThFunction *f;
static ThArg args[1];
static int nargs = 1;
static void begin(ThContext *c) {
    static double data[3] = {1, 2, 3};
    ThVar *x = th_variable_new(c, (ThType){.dtype = TH_FLOAT64, .ndim = 1}, "x"), *y = th_op(c, "sqr", 1, x);
    f = th_compile(c, &(ThCompile){.in = &(ThIn){.var = x, .allow_downcast = -1}, .nin = 1, .out = &(ThOut){.var = y},
        .nout = 1, .allow_input_downcast = -1});
    args[0].kind = TH_ARG_ARRAY;
    args[0].array = th_array_wrap(c, TH_FLOAT64, 1, (int64_t[]){3}, NULL, data, NULL, NULL);
    th_var_release(x);
    th_var_release(y);
}
]]
    compiles(before, "ThContext *c = th_context_new(NULL);\nbegin(c);\n" .. block.text
      .. "if (bytes < 0 || bytes > (int64_t)sizeof frame_memory || th_call_run(call) || forces[2] != 9) return 1;\n"
      .. "th_call_release(call); th_array_release(args[0].array); th_function_release(f); th_context_release(c);\n",
      folder, ("-L$OLDPWD/%s -ltheano -Wl,-rpath,$(realpath $OLDPWD/%s)"):format(lib, lib))
    runner.remove(folder)
  end,

  ["docs/export.md c 1"] = function(block)
    local folder = runner.folder()
    policy():export("policy", { dir = folder, args = { { { 1, 2, 3 } } } })
    local include, rest = block.text:match("^(#include[^\n]*\n)(.*)$")
    local right = "if (action[0] < 0.99f || state.W[0] != 0.5f) return 1;\n"
    compiles(include .. "#include <stdio.h>\n", rest .. right, folder, "policy.c -lm")
    runner.remove(folder)
  end,

  ["docs/export.md c 2"] = function(block)
    local folder = runner.folder()
    policy():export("policy", { dir = folder, args = { { { 1, 2, 3 } } }, weights = "file" })
    local before = '#include "policy.h"\n#include <stdio.h>\npolicy_state state;\n'
      .. "static _Alignas(8) char bytes[POLICY_WEIGHTS_BYTES];\n"
    local right = "float x[POLICY_X_SIZE] = {1, 2, 3}, action[POLICY_ACTION_SIZE];\n"
      .. "if (policy_call(&state, x, action) || action[0] < 0.99f) return 1;\n"
    local whole = 'FILE *in = fopen("policy.weights", "rb");\n'
      .. "size_t n = fread(bytes, 1, sizeof bytes, in);\nfclose(in);\n"
    compiles(before, whole .. block.text .. right, folder, "policy.c -lm")
    runner.remove(folder)
  end,

  ["docs/graph-text.md text 1"] = function(block)
    local text = block.text:gsub("update[^\n]*\n$", "") -- of compiled graphs
    local _, outputs = theano.printing.graph_read(text)
    assert.equal(2, #outputs)
    local again = theano.printing.graph_text(outputs)
    assert.truthy(again:find('%5, %6 = MaxAndArgmax{axis=[0]}(%4) @grad "maximum" ""', 1, true)
      or again:find("MaxAndArgmax{axis=[0]}", 1, true), again)
  end,

  ["docs/install.md cmake 1"] = "packages_spec",

  ["docs/jupyter.md text 1"] = "jupyter_spec",
  ["docs/jupyter.md text 2"] = "jupyter_spec",
  ["docs/own-operations.md c 1"] = "docs_spec",
  ["docs/scaling.md text 1"] = function() -- the formula that the program computes
    local program = runner.read("bench/scaling.lua")
    for _, piece in ipairs({ "0.3", "math.log(n, 2)", "2 * (n - 1)" }) do
      assert.truthy(program:find(piece, 1, true), "bench/scaling.lua has no " .. piece)
    end
  end,
}

describe("the block", function()
  local met, count = {}, {}
  local EASY = { lua = true, sh = true }
  for _, block in ipairs(every) do
    local kind = block.path .. " " .. block.language
    count[kind] = (count[kind] or 0) + (block.of and 0 or 1)
    local name = kind .. " " .. count[kind]
    if not EASY[block.language] and not block.of then
      met[name] = true
      it(name .. " is proved", function()
        local proof = PROOF[name]
        assert.is_truthy(proof, place(block) .. ": nothing tries this block")
        if type(proof) == "function" then proof(block)
        else
          local spec = runner.read("spec/" .. proof .. ".lua")
          assert.truthy(spec:find(block.path, 1, true) or spec:find(block.path:match("([^/]+)%.md$"), 1, true), proof)
        end
      end)
    end
  end

  it("of Lua stands on a page whose program is run", function()
    for _, block in ipairs(every) do
      if block.language == "lua" then
        assert.truthy(block.path == "README.md" or block.path:find("^docs/"), place(block))
      end
    end
  end)

  it("of every proof is there", function()
    for name in pairs(PROOF) do assert.is_true(met[name], name) end
  end)
end)

-- What the tables have of Python: text between backquotes in the first cell, but where something is left out (`..`).
local CELLS = [[
import ast, re, sys
n = 0
for page in sys.argv[1:]:
    inside = False
    for i, line in enumerate(open(page, encoding="utf-8"), 1):
        if not line.startswith("|"): inside = False
        elif re.match(r"\|.*\| here \| gives \|", line): inside = True
        elif inside and not line.startswith("|-"):
            cell = re.split(r"(?<!\\)\|", line)[1].replace("\\|", "|")
            for code in re.findall(r"`([^`]+)`", cell):
                if ".." in code: continue
                n += 1
                try: ast.parse(code + (" pass" if code.endswith(":") else ""))
                except SyntaxError: print("%s:%d: %s" % (page, i, code))
print(n > 250)
]]

describe("Python of the pages", function()
  it("is Python", function()
    skip.without_program("python3")
    local pages = " docs/from-theano.md docs/from-numpy.md docs/from-pytorch.md"
    local said = sh("python3 -c " .. runner.quote(CELLS) .. pages)
    assert.equal("True\n", said)
  end)
end)

describe("Python of the tree", function()
  it("is Python", function()
    skip.without_program("python3")
    local said = sh("find bench core editor lua scripts spec -name '*.py' | xargs python3 -c 'import ast, sys\n"
      .. "for path in sys.argv[1:]: ast.parse(open(path).read(), path)\nprint(len(sys.argv) > 5)'")
    assert.equal("True\n", said)
  end)
end)
