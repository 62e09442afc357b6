--- scripts/valgrind says which program reads or loses memory, and lets a sound one pass.
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")

local HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
local PROGRAMS = {
  sound = "char *p = malloc(8); memset(p, 1, 8); int sum = p[7] != 1; free(p); return sum;",
  lost = "char *volatile p = malloc(8); p[0] = 1; p = NULL; return 0;",
  past = "char *volatile p = malloc(8); int v = p[8] == 3; free(p); return v && 0;",
  unset = 'int *volatile p = malloc(8); if (*p == 3) puts("three"); free(p); return 0;',
  failing = 'puts("what it says"); return 1;',
}

describe("scripts/valgrind", function()
  local folder = runner.folder()
  teardown(function() runner.remove(folder) end)

  it("names the programs that are wrong, and how", function()
    skip.without_program("valgrind")
    skip.without_program("gcc")
    local paths = {}
    for name, body in pairs(PROGRAMS) do
      local path = folder .. "/" .. name
      runner.write(path .. ".c", HEAD .. "int main(void) { " .. body .. " }\n")
      assert(os.execute(("gcc -w -O0 -g %s.c -o %s"):format(path, path)))
      paths[#paths + 1] = path
    end
    local function run(list)
      local pipe = assert(io.popen("scripts/valgrind " .. list .. " 2>&1"))
      local text = pipe:read("a")
      return text, pipe:close()
    end
    local text, fine = run(table.concat(paths, " "))
    assert.is_nil(fine)
    assert.matches("sound: ok", text)
    assert.matches("lost: FAILED.-definitely lost", text)
    assert.matches("past: FAILED.-Invalid read of size 1", text)
    assert.matches("unset: FAILED.-depends on uninitialised value", text)
    assert.matches("failing: FAILED with status 1.-what it says", text)
    assert.falsy(text:find("nothing found", 1, true))
    text, fine = run(folder .. "/sound")
    assert.is_true(fine)
    assert.matches("sound: ok, %d+ s\nvalgrind: nothing found\n$", text)
  end)
end)
