--- Every function of core/theano.h with arguments that are missing or out of range: nothing ends the process.
local api_walk = require("spec.support.api_walk")
local rotate = require("spec.support.rotate")
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")

local function sh(command)
  local pipe = assert(io.popen("{ " .. command .. "; } 2>&1"))
  local text = pipe:read("a")
  pipe:close()
  return text
end

describe("core/theano.h", function()
  it("is read as a whole", function()
    local header = api_walk.headers()
    local _, declared = header:gsub("\nTH_API ", "")
    assert.equal(declared, #api_walk.prototypes(header))
    assert.is_true(declared > 200)
  end)

  it("has no function that a missing or wild argument brings down #asan", function()
    local build = runner.path:match("^(.*)/[^/]+$") or "build"
    skip.unless(sh("command -v gcc") ~= "", "no gcc")
    local folder = runner.folder()
    runner.write(folder .. "/walk.c", api_walk.program(api_walk.headers()))
    local sanitize = sh(("nm -D %s/libtheano.so | grep -c __asan_init"):format(build)):match("^[1-9]") and
      "-fsanitize=address,undefined" or ""
    -- in the folder: what is called with names writes files
    local said = sh(("gcc -w -g %s -Icore -Ispec/support %s/walk.c -L%s -ltheano -lm -Wl,-rpath,$(realpath %s) " ..
      "-o %s/walk && cd %s && ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 ./walk"):format(sanitize, folder,
      build, build, folder, folder))
    runner.remove(folder)
    assert.truthy(said:find("^%d%d%d%d calls\n$"), said:sub(1, 4000))
  end)

  it("lives through random calls of it #asan", function()
    skip.unless(sh("command -v gcc") ~= "", "no gcc")
    local build = runner.path:match("^(.*)/[^/]+$") or "build"
    local said = sh(("lua5.4 scripts/fuzz-api --build %s --sequences 12 --seed %d"):format(build, rotate.seed * 100))
    assert.truthy(said:find("12 sequences, 0 bad\n$"), said:sub(-2000))
  end)
end)
