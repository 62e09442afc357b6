--- Functions as C programs: exported, compiled in one go, and run against what they gave here.
-- @module spec.support.exported
local lfs = require("lfs")
local rotate = require("spec.support.rotate")
local runner = require("spec.support.runner")

local M = {}

M.strict = "-std=c99 -pedantic -Wall -Wextra -Werror"

--- Whether there is such a compiler.
function M.has(compiler) return (os.execute(compiler .. " --version >/dev/null 2>&1")) end

--- Exports every function of `list`, {name, f, options, near = the last bits may differ}, builds them in parts of few
-- and runs their tests, by the program `run` (an emulator) where there is one.
-- @treturn string what their tests said, and behind each its name and 0 where it is content
function M.run(compiler, flags, list, run)
  local dir, main, files = runner.folder(), {}, {}
  for _, e in ipairs(list) do
    local options = { dir = dir }
    for k, v in pairs(e[3] or {}) do options[k] = v end
    e[2]:export(e[1], options)
    runner.write(("%s/%s_main.c"):format(dir, e[1]),
      ("#define main %s_main\n#include \"%s_test.c\"\n"):format(e[1], e[1]))
    files[#files + 1] = ("%s.c %s_main.c"):format(e[1], e[1])
    main[#main + 1] = ("int %s_main(int, char **);"):format(e[1])
  end
  main[#main + 1] = "#include <stdio.h>\nint main(void) {\n    char bits[] = \"bits\", *a[] = {bits, bits, 0};"
  for _, e in ipairs(list) do
    main[#main + 1] = ("    printf(\"%s: %%d\\n\", %s_main(%d, a));"):format(e[1], e[1], e.near and 1 or 2)
  end
  main[#main + 1] = "    return 0;\n}\n"
  runner.write(dir .. "/all.c", table.concat(main, "\n"))
  local pipe = io.popen(("cd %s && %s %s %s all.c -lm -o all 2>&1 && %s ./all"):format(dir, compiler, flags,
    table.concat(files, " "), run or ""))
  local said = pipe:read("a")
  pipe:close()
  runner.remove(dir)
  return said
end

-- That functions have their bits as programs. collect(add) calls add(name, f, args, near) for each; f may be a Lua
-- function that makes it, and gives its arguments, once its turn comes.
local function has_bits(by, collect)
  local cpu, skip = require("spec.support.cpu"), require("spec.support.skip") -- busted's: a program has neither
  cpu.only("the bits of the CPU")
  for _, program in ipairs(by.needs) do skip.unless(M.has(program), program .. " is not here") end
  skip.unless(not by.folder or os.execute("test -d " .. by.folder), "there is no " .. tostring(by.folder))
  local list = {}
  collect(function(name, f, args, near) list[#list + 1] = { name, f, { args = args }, near = near } end)
  list = rotate.some(list, by.many)
  for _, e in ipairs(list) do
    if type(e[2]) == "function" then
      local f, args = e[2]()
      e[2], e[3] = f, { args = args }
    end
  end
  local said = M.run(by.compiler, M.strict .. " -O1" .. (by.flags or ""), list, by.run)
  for _, e in ipairs(list) do assert(said:find("\n" .. e[1] .. ": 0\n", 1, true), said) end
end

--- The compilers, each with how many functions it tries a day, and `has_bits(by, collect)`; `foreign` for other
-- processors. scripts/platforms --setup installs what these need.
function M.compilers(gcc, clang, foreign)
  require("spec.support.skip") -- hears of each test from before the first one on
  local wasm = lfs.currentdir() .. "/cmake/toolchain/wasi.mjs"
  local list = { { name = "gcc", compiler = "gcc", many = gcc }, { name = "clang", compiler = "clang", many = clang },
    { name = "aarch64-linux-gnu-gcc", compiler = "aarch64-linux-gnu-gcc", many = foreign, flags = " -static",
      run = "qemu-aarch64", needs = { "aarch64-linux-gnu-gcc", "qemu-aarch64" } },
    { name = "clang for WebAssembly", compiler = "clang --target=wasm32-wasi", many = foreign,
      flags = " -Wl,-z,stack-size=8388608", run = "node --no-warnings --single-threaded " .. wasm,
      needs = { "clang", "wasm-ld", "node" }, folder = "/usr/include/wasm32-wasi" } }
  for _, by in ipairs(list) do by.has_bits, by.needs = has_bits, by.needs or { by.compiler } end
  return list
end

return M
