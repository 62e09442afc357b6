--- What happens to experiments when the machine is against them: kills, a full disk, closed pipes and terminals, two
-- sweeps at once, folders that cannot be.
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")

local here = runner.folder()
teardown(function() runner.remove(here) end)
local theano_ = runner.quote(require("luv").exepath())

-- A shell line in the folder; its text and code.
local function shell(line)
  local pipe = assert(io.popen(("cd %s && { %s\n} 2>&1; echo \"code $?\""):format(here, line)))
  local text = pipe:read("a")
  pipe:close()
  return text, tonumber(text:match("code (%d+)\n$"))
end
local function read(name) return runner.read(here .. "/" .. name) end
runner.write(here .. "/many.lua", [[
local theano = require("theano")
local o = theano.args { lines = 2000 }
for i = 1, o.lines do
  theano.run:log { line = i, loss = 1 / i }
  print(i)
end
]])

describe("the manual page", function()
  it("says what --help says", function()
    shell("cd - >/dev/null && " .. theano_ .. " scripts/make-man " .. here .. "/theano.1")
    local kept = assert(io.open("docs/theano.1")):read("a")
    assert.is_true(read("theano.1") == kept, "build/theano scripts/make-man writes another docs/theano.1")
  end)
end)

describe("experiments", function()
  it("go on after kills to the same weights", function()
    local pipe = assert(io.popen("env -u THEANO_FLAGS " .. theano_ .. " scripts/kills 2 2>&1"))
    local text = pipe:read("a")
    pipe:close()
    assert.truthy(text:find("killed 2 times.*: weights and losses are those of a run that was left alone"), text)
  end)

  it("say that the disk is full, and keep what was there", function()
    skip.unless(os.execute("unshare -rm mount -t tmpfs tmpfs /mnt 2>/dev/null"), "no tmpfs may be mounted here")
    local text = shell(("mkdir -p full; unshare -rm sh -c 'mount -t tmpfs -o size=100k tmpfs full; "
      .. "%s run --dir full/a many.lua >out 2>err; echo ended with $?; tail -n 2 full/a/metrics.jsonl | head -n 1; "
      .. "cat err'"):format(theano_))
    assert.truthy(text:find("ended with 1\n{", 1, true), text)
    assert.truthy(text:find("metrics.jsonl: No space left on device", 1, true), text)
    text = shell(("unshare -rm sh -c 'mount -t tmpfs -o size=4k tmpfs full; echo x >full/x; "
      .. "%s run --dir full/a many.lua; echo ended with $?'"):format(theano_))
    assert.truthy(text:find("^theano run: [^\n]*No space left on device\nended with 1\n"), text)
  end)

  it("outlive who reads them, and save when their terminal is closed", function()
    shell(theano_ .. " run --dir piped many.lua | head -n 1")
    assert.truthy(read("piped/status.json"):find('"state":"finished"', 1, true))
    assert.truthy(read("piped/output.txt"):find("\n2000\n", 1, true))
    runner.write(here .. "/waits.lua", [[
      local theano = require("theano")
      for i = 1, 200 do
        if i == 2 then io.open(theano.run:path("begun"), "w"):close() end
        os.execute("sleep 0.02")
        if theano.interrupted() then
          theano.run:save { at = i }
          break
        end
      end
    ]])
    -- hang-ups are ignored under nohup
    local text, code = shell("env --default-signal=HUP " .. theano_ .. " run --dir closed waits.lua & child=$!; "
      .. "while [ ! -e closed/begun ]; do sleep 0.02; done; kill -HUP $child; wait $child")
    assert.equal(129, code, text)
    assert.truthy(read("closed/status.json"):find('"state":"interrupted"', 1, true))
    assert.truthy(read("closed/checkpoint.npz"))
  end)

  it("stand beside each other: two sweeps that begin at once have folders of their own", function()
    local sweep = theano_ .. " sweep --runs both many.lua lines=1,2 >%s"
    shell(sweep:format("one") .. " & " .. sweep:format("two") .. "; wait")
    local listed = shell("ls -d both/*/00*")
    assert.equal(4, select(2, listed:gsub("\n", "\n")) - 1, listed)
  end)

  it("say in a line what cannot be", function()
    runner.write(here .. "/file", "")
    local text, code = shell(theano_ .. " run --dir file/x many.lua")
    assert.equal(1, code)
    assert.truthy(text:find("^theano run: cannot make the folder file/x: ENOTDIR[^\n]*\n"), text)
    text, code = shell("mkdir -p cut; cp piped/config.json cut; printf '{\"line\":1}\\n{\"li' >cut/metrics.jsonl; "
      .. theano_ .. " run --resume cut >/dev/null; head -n 3 cut/metrics.jsonl")
    assert.equal(0, code)
    assert.truthy(text:find('^{"line":1}\n{"li\n{"%l'), text)
  end)
end)
