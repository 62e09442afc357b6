--- scripts/check-api finds what would break programs that were compiled before.
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")

local function sh(command)
  local pipe = assert(io.popen("{ " .. command .. "; } 2>&1"))
  local text = pipe:read("a")
  local fine = pipe:close()
  return text, fine
end

describe("scripts/check-api", function()
  local tree = runner.folder()
  setup(function()
    sh(("mkdir -p %s/core %s/lua && cp -r scripts %s && cp core/theano*.h %s/core"):format(tree, tree, tree, tree))
  end)
  teardown(function() runner.remove(tree) end)

  -- What it says of the headers after a change; the change is taken back.
  local function after(pattern, with)
    local path = tree .. "/core/theano.h"
    local file = assert(io.open(path))
    local text = file:read("a")
    file:close()
    local changed, n = text:gsub(pattern, with)
    assert.equal(1, n, pattern)
    runner.write(path, changed)
    local said, fine = sh(("cd %s && lua5.4 scripts/check-api --abi"):format(tree))
    runner.write(path, text)
    return said, fine
  end

  it("lets functions come and option structs grow at their end, and nothing else", function()
    skip.unless(sh("command -v abidiff") ~= "" and sh("command -v gcc") ~= "", "no abidiff (abigail-tools)")
    local said, fine = after("\n} ThCompile;", "\n    int more;\n} ThCompile;\nTH_API int th_new_one(void);")
    assert.equal("", said)
    assert.is_true(fine)
    for pattern, with in pairs {
      ["\n} ThIn;"] = "\n    int64_t more[2];\n} ThIn;",
      ["\n    int nin;\n"] = "\n    long nin;\n",
      ["TH_API const char %*th_version%(void%);"] = "",
      ["TH_API int th_abi%(void%);"] = "TH_API long th_abi(void);",
    } do
      said, fine = after(pattern, with)
      assert.truthy(said:find("would break", 1, true), pattern .. ": " .. said)
      assert.is_nil(fine)
    end
    local grown = { "TH_API const char %*th_version%(void%);", "%0\nTH_API int th_new_one(void);" }
    runner.write(tree .. "/CHANGELOG.md", "# Changes\n\n## 0.9.0 (unreleased)\n\n## 0.8.0\n")
    assert.equal("", (after(table.unpack(grown))))
    runner.write(tree .. "/CHANGELOG.md", "# Changes\n\n## 0.9.0\n")
    said, fine = after(table.unpack(grown))
    assert.matches("is not that of the version that CHANGELOG.md calls released %(1 functions are newer%)", said)
    assert.is_nil(fine)
    assert.equal("", (after("TH_API int th_abi%(void%);", "%0"))) -- kept as it is
    said = after("#define TH_ABI %d+", "#define TH_ABI 77")
    assert.matches("there is no scripts/abi/libtheano%-77.abi", said)
  end)
end)
