-- The C programs of examples/ around saved and exported models: game, service, rope.
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")

local function run(command)
  local pipe = assert(io.popen(command .. " 2>&1; echo exit $?"))
  local text = pipe:read("a")
  pipe:close()
  return text, tonumber(text:match("exit (%d+)\n$"))
end

local function spill(path, text)
  local f <close> = assert(io.open(path, "w"))
  f:write(text)
end

local function build() return runner.path:match("^(.*)/") or "build" end

describe("examples/game", function()
  local folder, policy
  setup(function()
    folder = runner.folder()
    policy = folder .. "/policy.thn"
    local text, status = runner.run({ "examples/game/train.lua", policy, "12" })
    assert.equal(0, status, text)
  end)
  teardown(function() runner.remove(folder) end)

  local function game(words)
    skip.unless(io.open(build() .. "/examples/game/game"), "the game was not built")
    return run(("%s/examples/game/game %s %s"):format(build(), policy, words))
  end

  it("plays without a window, and draws", function()
    local text, status = game("--frames 120 --fast --picture " .. folder .. "/game.png")
    assert.equal(0, status, text)
    assert.truthy(text:find("120 frames, rules read 1 times", 1, true), text)
    local share = tonumber(text:match("([%d.]+) %% of a frame"))
    assert.truthy(share and share < 20, text)
    local f <close> = assert(io.open(folder .. "/game.png", "rb"))
    local bytes = f:read("a")
    assert.equal("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\2\x80\0\0\1\xe0", bytes:sub(1, 24)) -- 640 x 480
    local seen, n = {}, 0
    for pixel in bytes:sub(60, -20):gmatch("...") do
      if not seen[pixel] then seen[pixel], n = true, n + 1 end
    end
    assert.is_true(n > 20, "a picture of " .. n .. " colours")
  end)

  it("reads its rules again when they change, and not those with a mistake", function()
    local rules = folder .. "/rules.lua"
    spill(rules, "return { hunters = 5 }")
    spill(folder .. "/next.lua", "return { hunters = 3 }")
    local change = ("(sleep 0.3; cp %s/next.lua %s; sleep 0.4; echo 'no lua' > %s) &"):format(folder, rules, rules)
    os.execute(change)
    local text, status = game("--frames 70 --rules " .. rules)
    assert.equal(0, status, text)
    assert.truthy(text:find("rules read 2 times", 1, true), text)
    assert.truthy(text:find("for 3 hunters", 1, true), text)
    assert.truthy(text:find("the rules stay as they were", 1, true), text)
  end)

  it("says what is wrong with a policy", function()
    spill(folder .. "/wrong.thn", "no model")
    local text, status = run(build() .. "/examples/game/game " .. folder .. "/wrong.thn --frames 1")
    assert.equal(1, status, text)
    assert.truthy(text:find("ValueError", 1, true), text)
  end)
end)

describe("examples/service", function()
  it("answers from eight threads, and takes another model meanwhile", function()
    local folder = runner.folder()
    for seed, name in ipairs({ "a", "b" }) do
      local text, status = runner.run({ "examples/service/model.lua", folder .. "/" .. name .. ".thn", tostring(seed) })
      assert.equal(0, status, text)
    end
    local text, status = run(("%s/examples/service/service %s/a.thn %s/b.thn 8 20000"):format(build(), folder, folder))
    runner.remove(folder)
    assert.equal(0, status, text)
    assert.truthy(text:find("160000 answers by 8 threads", 1, true), text)
    assert.truthy(text:find("0 wrong, 0 errors", 1, true), text)
    assert.is_true(tonumber(text:match("bound (%d+) times")) >= 8, text)
  end)
end)

describe("examples/sim/rope.lua", function()
  it("becomes C that swings like a rope", function()
    skip.without_program("cc")
    local folder = runner.folder()
    local text, status = runner.run({ "examples/sim/rope.lua", folder })
    assert.equal(0, status, text)
    local command = "cc -O1 -std=c99 -ffp-contract=off -I%s examples/sim/rope_loop.c %s/rope.c -lm -o %s/loop && "
      .. "%s/loop"
    text, status = run(command:format(folder, folder, folder, folder))
    runner.remove(folder)
    assert.equal(0, status, text)
    local before = math.huge
    for x, y, energy in text:gmatch("at +([-%d.]+) +([-%d.]+), energy +([-%d.]+)") do
      assert.is_true(x ^ 2 + y ^ 2 < 1.02, text) -- it hardly stretches
      assert.is_true(tonumber(energy) < before, text) -- and gains none
      before = tonumber(energy)
    end
    assert.is_true(before < -0.5, text)
  end)
end)
