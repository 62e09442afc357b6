--- What `cmake --install` leaves can be moved, names neither the tree nor the build, and programs find it by
-- pkg-config, by CMake's find_package and as part of another project. The version is the same wherever it stands.
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")

local build = runner.path:match("^(.*)/[^/]*$") or "."
local plain = not build:find("san", 1, true)

local function sh(command)
  local pipe = assert(io.popen("{ " .. command .. "; } 2>&1; echo \"exit $?\""))
  local text = pipe:read("a")
  pipe:close()
  return text:gsub("exit %d+\n$", ""), tonumber(text:match("exit (%d+)\n$"))
end

local function ok(command, ...)
  local text, status = sh(command:format(...))
  assert.equal(0, status, text)
  return text
end

local C = [[
#include <theano.h>
#include <stdio.h>
int main(void) {
    ThContext *c = th_context_new(NULL);
    printf("%s %d\n", th_version(), c != NULL);
    th_context_release(c);
    return 0;
}
]]

describe("what is installed", function()
  local folder, prefix
  setup(function()
    folder = runner.folder()
    prefix = folder .. "/moved to"
    ok("cmake --install %s --prefix %s/first >/dev/null && mv %s/first '%s'", build, folder, folder, prefix)
    runner.write(folder .. "/user.c", C)
  end)
  teardown(function() runner.remove(folder) end)

  it("names neither the tree nor the build", function()
    skip.unless(plain, "a build for finding mistakes has their places")
    local text, status = sh(("grep -rlF \"$(realpath .)\" '%s'"):format(prefix))
    assert.equal("", text)
    assert.equal(1, status)
  end)

  it("has a runner that finds its modules where it was moved to, those made ready too", function()
    local said = ok("cd / && env -u LUA_PATH THEANORC=/dev/null '%s/bin/theano' -e '%s'", prefix, [[
      local theano, layers = require "theano", require "theano.layers"
      local x = theano.tensor.dvector "x"
      print(debug.getinfo(theano.help, "S").source)
      print((x * 2):eval { [x] = { 1, 2 } }, type(layers))
      for _, path in ipairs(arg) do print(path) end]])
    assert.equal("@" .. prefix .. "/share/lua/5.4/theano/init.lua\n[2. 4.]\ttable\n", said)
    ok("cd / && '%s/bin/theano' doctor >/dev/null", prefix)
  end)

  it("has modules for lua5.4", function()
    skip.without_program("lua5.4")
    skip.unless(plain, "an interpreter built without sanitizers cannot load these")
    local said = ok("cd / && LUA_PATH='%s/share/lua/5.4/?.lua;%s/share/lua/5.4/?/init.lua' "
      .. "LUA_CPATH=\"$(ls -d '%s'/lib*/lua/5.4 '%s'/lib/*/lua/5.4 2>/dev/null | head -n 1)/?.so\" lua5.4 -e '%s'",
      prefix, prefix, prefix, prefix, "print(require(\"theano.ndarray\").arange(3):sum())")
    assert.equal("3\n", said)
  end)

  it("has the licence, and words for the shell", function()
    ok("test -s '%s/share/doc/theano/LICENSE' && bash -n '%s/share/bash-completion/completions/theano'", prefix, prefix)
  end)

  -- The page's commands, with the folder in the place of its prefix.
  local function page(begins)
    local found = {}
    for line in runner.read("docs/install.md"):gmatch("[^\n]+") do
      if line:sub(1, #begins) == begins then
        found[#found + 1] = line:gsub("%s+#.*$", ""):gsub("/opt/theano", folder .. "/prefix")
      end
    end
    assert(#found == 1, begins)
    return found[1]
  end

  it("is used by the commands of docs/install.md", function()
    ok("ln -sfn '%s' %s/prefix && cd / && %s >/dev/null", prefix, folder, page("/opt/theano/bin/theano"))
    skip.without_program("pkg-config")
    skip.unless(plain, "a program built without sanitizers cannot load a library built with them")
    local said = ok("cp %s/user.c %s/game.c && cd %s && %s && %s && ./game", folder, folder, folder,
      page("export PKG_CONFIG_PATH"), page("cc game.c"))
    assert.truthy(said:find("^%d+%.%d+%.%d+ 1\n$"), said)
  end)

  it("has what editors read", function()
    local said = ok("cd '%s/share/theano/editor' && LC_ALL=C ls . jupyter", prefix)
    assert.equal(".:\njupyter\nndarray.lua\ntensor.lua\ntheano.lua\n\njupyter:\nserve.lua\ntheano_kernel.py\n", said)
    local serve = prefix .. "/share/theano/editor/jupyter/serve.lua"
    said = ok("cd / && printf 'run 5\\n1 + 1' | '%s/bin/theano' '%s'", prefix, serve)
    assert.truthy(said:find('"text":"2"', 1, true), said)
  end)

  it("goes into one of Debian's packages, file by file", function()
    local wanted = {} -- patterns of paths under usr/, and what has them
    local pipe = assert(io.popen("grep . debian/*.install debian/not-installed"))
    for line in pipe:lines() do
      local file, path = line:match("^debian/([^:]*):usr/(.*)$")
      path = path:gsub("^lib/%*/", "lib/"):gsub("%p", "%%%0"):gsub("%%%*", "[^/]*")
      wanted[#wanted + 1] = { "^" .. path, file, 0 }
    end
    pipe:close()
    for path in ok("cd '%s' && find . -type f -o -type l", prefix):gmatch("%./([^\n]+)") do
      local n = 0
      for _, w in ipairs(wanted) do
        local rest = path:match(w[1] .. "(.*)$")
        if rest and (rest == "" or rest:sub(1, 1) == "/") then n, w[3] = n + 1, w[3] + 1 end
      end
      assert.equal(1, n, path .. " is in " .. n .. " packages")
    end
    for _, w in ipairs(wanted) do assert.is_true(w[3] > 0, w[2] .. ": nothing is " .. w[1]) end
  end)

  it("is found by pkg-config, shared and static", function()
    skip.without_program("pkg-config")
    skip.unless(plain, "a program built without sanitizers cannot load a library built with them")
    local pc = ok("dirname \"$(find '%s' -name theano.pc)\"", prefix):gsub("\n", "")
    local config = ("export PKG_CONFIG_PATH='%s'; cd %s"):format(pc, folder)
    local want = ok("PKG_CONFIG_PATH='%s' pkg-config --modversion theano", pc):gsub("\n", "") .. " 1\n"
    ok("%s && eval gcc -std=c11 -Wall -Werror user.c -o shared $(pkg-config --cflags --libs theano)", config)
    assert.equal(want, ok("cd %s && LD_LIBRARY_PATH='%s/..' ./shared", folder, pc))
    ok("%s && eval gcc -std=c11 user.c -o static $(pkg-config --cflags theano) '\"%s/../libtheano.a\"' "
      .. "$(pkg-config --static --libs theano | sed 's/-ltheano//')", config, pc)
    assert.equal(want, ok("%s/static", folder))
  end)

  it("is found by CMake's find_package, shared and static", function()
    skip.unless(plain, "a program built without sanitizers cannot load a library built with them")
    -- The page's lines, in a project.
    local wanted = "project(user LANGUAGES C)\nadd_executable(shared user.c)\nadd_executable(game user.c)\n"
    runner.write(folder .. "/CMakeLists.txt", "cmake_minimum_required(VERSION 3.22)\n" .. wanted .. page("find_package")
      .. "\n" .. page("target_link_libraries") .. "\ntarget_link_libraries(shared theano::theano)\n")
    ok("cd %s && cmake -G Ninja -S . -B out -DCMAKE_PREFIX_PATH='%s' -DCMAKE_C_COMPILER_WORKS=1 && ninja -C out",
      folder, prefix)
    local text = ok("%s/out/shared && %s/out/game", folder, folder)
    assert.equal(ok("%s -e 'print(require(\"theano.core\").version, 1)'", runner.path):gsub("\t", " "):rep(2), text)
    local newer = "cd %s && sed -i 's/theano 0.1/theano 99/' CMakeLists.txt && cmake -S . -B out"
    local said, status = sh(newer:format(folder))
    assert.not_equal(0, status)
    assert.truthy(said:find("requested version \"99\"", 1, true), said)
  end)

  it("is part of another project that takes the tree in", function()
    ok("mkdir %s/part && ln -s $(realpath .) %s/part/theano && cp %s/user.c %s/part", folder, folder, folder, folder)
    runner.write(folder .. "/part/CMakeLists.txt", "cmake_minimum_required(VERSION 3.22)\nproject(user LANGUAGES C)\n"
      .. "add_executable(game user.c)\n" .. page("add_subdirectory") .. "\n" .. page("target_link_libraries") .. "\n")
    ok("cd %s/part && cmake -G Ninja -S . -B part -DCMAKE_C_COMPILER_WORKS=1 -DTH_LUA=OFF", folder)
    local text = ok("ninja -C %s/part/part -t query game && ninja -C %s/part/part -t targets all", folder, folder)
    assert.truthy(text:find("libtheano.a", 1, true), text)
    assert.is_nil(text:find("spec/", 1, true)) -- and brings no tests with it
  end)
end)

describe("what building needs", function()
  local function set(text)
    local list = {}
    for name in text:gmatch("[%w.+-]+") do list[#list + 1] = name end
    table.sort(list)
    return table.concat(list, " ")
  end

  it("is the same on the page, in the image and in Debian's package", function()
    local page, image = runner.read("docs/install.md"), runner.read("Containerfile")
    local want = set(page:match("| to build | `([^`]*)`"))
    assert.equal(want, set(page:match("\napt%-get install (gcc [^\n]*)")))
    assert.equal(want, set(image:match("recommends (gcc .-)\nCOPY"):gsub("\\", "")))
    local debian = runner.read("debian/control"):match("Build%-Depends: (.-)\nStandards")
    debian = debian:gsub("%b()", ""):gsub("debhelper%-compat", "gcc libc6-dev binutils")
    assert.equal(want, set(debian))
    local setup = runner.read("scripts/setup"):match('\nbuild="(.-)"')
    for name in want:gmatch("%S+") do assert.truthy(setup:find(name, 1, true), name) end
  end)
end)

describe("the version", function()
  local version = runner.read("CMakeLists.txt"):match("project%(theano VERSION ([%d.]+)")

  it("is the same wherever it stands", function()
    assert.truthy(version:find("^%d+%.%d+%.%d+$"), version)
    assert.equal(version, require("theano.core").version)
    assert.equal(version, runner.read("debian/changelog"):match("^theano%-lua %(([%d.]+)%)"))
    assert.truthy(runner.read("theano-" .. version .. "-1.rockspec"):find('version = "' .. version .. '-1"', 1, true))
    assert.truthy(runner.read("CHANGELOG.md"):find("\n## " .. version, 1, true))
    assert.equal("libtheano1", runner.read("debian/control"):match("\nPackage: (libtheano%d+)\n"))
    assert.truthy(runner.read("core/theano.h"):find("\n#define TH_ABI 1 ", 1, true), "a package of another name, too")
  end)

  it("is a rock's, whose file Lua reads", function()
    local rock = {}
    assert(loadfile("theano-" .. version .. "-1.rockspec", "t", rock))()
    assert.same({ "theano", version .. "-1", "cmake" }, { rock.package, rock.version, rock.build.type })
  end)
end)
