--- Every function of core/theano.h with arguments that are missing or out of range: nothing ends the process.
local api_walk = require("spec.support.api_walk")
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")

local function read(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return text
end

local function headers()
  return read("core/theano.h") .. read("core/theano_random.h") .. read("core/theano_device.h")
    .. read("core/theano_function.h")
end

local function sh(command)
  local pipe = assert(io.popen("{ " .. command .. "; } 2>&1"))
  local text = pipe:read("a")
  pipe:close()
  return text
end

describe("core/theano.h", function()
  it("is read as a whole", function()
    local header = headers()
    local _, declared = header:gsub("\nTH_API ", "")
    assert.equal(declared, #api_walk.prototypes(header))
    assert.is_true(declared > 200)
  end)

  it("has no function that a missing or wild argument brings down #asan", function()
    local build = runner.path:match("^(.*)/[^/]+$") or "build"
    skip.unless(sh("command -v gcc") ~= "", "no gcc")
    local folder = runner.folder()
    runner.write(folder .. "/walk.c", api_walk.program(headers()))
    local sanitize = sh(("nm -D %s/libtheano.so | grep -c __asan_init"):format(build)):match("^[1-9]") and
      "-fsanitize=address,undefined" or ""
    -- in the folder: what is called with names writes files
    local said = sh(("gcc -w -g %s -Icore -Ispec/support %s/walk.c -L%s -ltheano -lm -Wl,-rpath,$(realpath %s) " ..
      "-o %s/walk && cd %s && ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 ./walk"):format(sanitize, folder,
      build, build, folder, folder))
    runner.remove(folder)
    assert.truthy(said:find("^%d%d%d%d calls\n$"), said:sub(1, 4000))
  end)
end)
