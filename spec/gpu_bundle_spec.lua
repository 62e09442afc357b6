--- The archive for machines with a GPU: what is in it runs without anything of this machine, but for what compiles the
-- emulated driver's kernels; and the programs that it is for say what they cannot do.
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")
local theano = require("theano")

local function output(line)
  local pipe = assert(io.popen(line .. " 2>&1; echo \"status $?\""))
  local text = pipe:read("a")
  pipe:close()
  return text:gsub("status %d+\n$", ""), tonumber(text:match("status (%d+)\n$"))
end

describe("scripts/gpu-bundle", function()
  it("makes an archive that runs with an empty environment", function()
    if runner.path ~= "build/theano" then skip.now("the archive is of the release build") end
    skip.without_program("xz")
    if theano.config.cxx == "" then skip.now("there is no C compiler for the emulated driver") end
    local folder = runner.folder()
    local said, status = output("scripts/gpu-bundle " .. folder .. "/a.tar.xz 0")
    assert.equal(0, status, said)
    local megabytes = tonumber(said:match("(%d+) MB"))
    assert.is_true(megabytes and megabytes < 60, said)
    local there = "cd " .. folder .. " && tar xf a.tar.xz && cd theano-gpu && env -i PATH=/usr/bin:/bin HOME=" .. folder
    local text = output(there .. " build/theano scripts/gpu-bench --device cuda-emulated --small --seconds 0.001"
      .. " --no-peers --only 'x + y' --out " .. folder .. "/table.md")
    assert.matches("| x %+ y | [%d.]+ | %d+ GB/s | [%d.]+ | %d+ MB |  |  |", text)
    local file <close> = assert(io.open(folder .. "/table.md"))
    assert.matches("# cuda%-emulated, ", file:read("a"))
    text, status = output(there .. " THEANO_FLAGS=cuda.driver=/nowhere/libcuda.so.1 scripts/gpu-test")
    runner.remove(folder)
    assert.equal(1, status)
    assert.matches("/nowhere/libcuda.so.1 cannot be opened", text, nil, true)
    assert.matches("there is no cuda here", text, nil, true)
  end)
end)

describe("scripts/gpu-bench", function()
  it("refuses what it cannot do before it begins", function()
    for words, why in pairs({
      ["--seconds x"] = '--seconds takes a number of seconds, not "x"', ["--seconds nan"] = "--seconds",
      ["--seconds -1"] = "--seconds", ["--seconds 1e300"] = "--seconds",
      ["--estimate h10"] = 'no GPU "h10" here: a100, h100,',
      ["--estimate h100 --counted /none/x"] = "--counted: /none/x: No such file",
      ["--python /none/x"] = "--python: /none/x: No", ["--what"] = "usage: ", ["--only"] = "usage: ", ["x"] = "usage: ",
    })
    do
      local said, status = output(("%s scripts/gpu-bench %s"):format(runner.path, words))
      assert.equal(2, status, words .. ": " .. said)
      assert.matches(why, said, nil, true)
    end
  end)
end)
