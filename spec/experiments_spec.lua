--- The runner's commands: theano run, sweep, runs, plot, report, doctor, cache, completion; theano.args. Their folders,
-- their codes, and what is left when something goes wrong.
local raises = require("spec.support.raises")
local theano = require("theano")

local here = os.tmpname()
os.remove(here)
os.execute("mkdir " .. here)
teardown(function() os.execute("rm -r " .. here) end)

local uv = require("luv")
local program = uv.exepath()

-- Runs a command in the folder: its code (or -signal), what it printed on both ways together. at, signal: when that
-- text has come, the signal.
local function theano_(words, o)
  local path, code = here .. "/console", nil
  local out = uv.fs_open(path, "w", tonumber("644", 8))
  local handle = assert(uv.spawn(program, { args = words, cwd = here, stdio = { nil, out, out } },
    function(status, signal) code = signal ~= 0 and -signal or status end))
  uv.fs_close(out)
  local function text()
    local f = assert(io.open(path))
    local all = f:read("a")
    f:close()
    return all
  end
  if o then
    while code == nil and not text():find(o.at, 1, true) do
      uv.run("nowait")
      uv.sleep(10)
    end
    handle:kill(o.signal)
  end
  while code == nil do uv.run("once") end
  handle:close()
  uv.run("default")
  return code, text()
end

local function write(name, text)
  local f = assert(io.open(here .. "/" .. name, "w"))
  f:write(text)
  f:close()
end
local function read(name)
  local f = io.open(here .. "/" .. name)
  if not f then return nil end
  local text = f:read("a")
  f:close()
  return text
end

write("s.lua", [[
local theano = require "theano"
local o = theano.args { lr = 0.1, epochs = 3, optimizer = { "adam", choices = { "adam", "sgd" } }, quick = false,
  wait = false }
local w = theano.shared(0.0, "w")
local at = theano.run:resume { w = w }
for e = (at and at.epoch or 0) + 1, o.epochs do
  w:set_value(w:get_value() + o.lr)
  theano.run:log { epoch = e, loss = 1 / (w:get_value() + 1) }
  print("epoch", e, w:get_value())
  theano.run:save { w = w, epoch = e }
  while o.wait and not at and e == 2 and not theano.interrupted() do end
  if theano.interrupted() then break end
end
]])
write("bad.lua", [[
local o = require "theano".args { mode = "ok" }
require "theano".run:log { epoch = 1, loss = 1.5 }
if o.mode == "fail" then error("boom") elseif o.mode == "hang" then while true do end
elseif o.mode == "kill" then require "luv".kill(require "luv".os_getpid(), 9)
elseif o.mode == "exit" then os.exit(7) end
]])

describe("theano.args", function()
  local spec = { lr = 0.1, n = 3, name = "x", quick = false, kind = { "a", choices = { "a", "b" } } }
  it("gives defaults and what is said, in the defaults' types", function()
    assert.same({ lr = 0.1, n = 3, name = "x", quick = false, kind = "a" }, theano.args(spec, {}))
    local o = theano.args(spec, { "--lr", "1", "--n", "7", "--quick", "--kind", "b" })
    assert.same({ 1.0, "float", 7, true, "b" }, { o.lr, math.type(o.lr), o.n, o.quick, o.kind })
    assert.is_false(theano.args({ quick = true }, { "--no-quick" }).quick)
  end)
  it("refuses declarations that cannot be", function()
    raises("TypeError", "the default of x is a table", function() theano.args({ x = { {} } }, {}) end)
    raises("ValueError", "'a b' is no name", function() theano.args({ ["a b"] = 1 }, {}) end)
    raises("ValueError", "'help' is no name", function() theano.args({ help = 1 }, {}) end)
  end)
  it("says what is wrong with a line, and how it goes", function()
    for words, said in pairs({ ["--lr x"] = "'x' is not a number", ["--epochs 1.5"] = "'1.5' is not an integer",
      ["--optimizer foo"] = "'foo' is none of adam, sgd", ["--rate 1"] = "unknown option '--rate'" }) do
      local a, b = words:match("^(%S+) (%S+)$")
      local code, text = theano_({ "s.lua", a, b })
      assert.equal(2, code, words)
      assert.truthy(text:find(said, 1, true), text)
    end
    local code, text = theano_({ "s.lua", "--help" })
    assert.equal(0, code)
    assert.truthy(text:find("--epochs <integer>", 1, true))
  end)
end)

describe("theano run", function()
  it("keeps what a run was and gave in a folder of its own", function()
    local code, text = theano_({ "run", "--dir", "one", "s.lua", "--lr", "0.5", "--quick" })
    assert.equal(0, code)
    assert.equal("epoch\t1\t0.5\nepoch\t2\t1.0\nepoch\t3\t1.5\n", text)
    assert.equal(text, read("one/output.txt"))
    local record = require("theano.runner.record")
    local config = record.load_json(here .. "/one", "config.json")
    assert.same({ "--lr", "0.5", "--quick" }, config.words)
    assert.same({ lr = 0.5, epochs = 3, optimizer = "adam", quick = true, wait = false }, config.args)
    assert.equal(theano.config.floatX, config.flags.floatX)
    local metrics = record.metrics(here .. "/one")
    assert.equal(3, #metrics)
    assert.equal(1 / 2.5, metrics[3].loss) -- every bit of it
    assert.equal("finished", (record.state(here .. "/one")))
  end)

  it("leaves no folder of a script that was only asked for help or called wrongly", function()
    for _, words in ipairs { { "--help" }, { "--lr", "much" } } do
      theano_({ "run", "--dir", "asked", "s.lua", table.unpack(words) })
      assert.is_nil(require("luv").fs_stat(here .. "/asked"))
    end
    local ok, e = pcall(theano.run.log, { loss = 1 })
    assert.is_false(ok)
    assert.truthy(tostring(e):find("theano.run:log(...)", 1, true), e)
  end)

  it("ends with a code, and says how it ended", function()
    for mode, wanted in pairs({ fail = { 1, "failed" }, exit = { 7, "failed" }, ok = { 0, "finished" },
      kill = { -9, "killed" } }) do
      assert.equal(wanted[1], (theano_({ "run", "--dir", "bad-" .. mode, "bad.lua", "--mode", mode })))
      assert.equal(wanted[2], (require("theano.runner.record").state(here .. "/bad-" .. mode)))
    end
    assert.truthy(read("bad-fail/status.json"):find("bad.lua:3: boom", 1, true))
    assert.truthy(read("bad-fail/output.txt"):find("boom", 1, true))
  end)

  it("saves and ends when it is asked to, and goes on", function()
    for signal, code in pairs({ sigint = 130, sigterm = 143 }) do
      local dir = "go-" .. signal
      assert.equal(code, (theano_({ "run", "--dir", dir, "s.lua", "--wait" }, { at = "epoch\t2", signal = signal })))
      local got, text = theano_({ "run", "--resume", dir })
      assert.equal(0, got)
      assert.equal("epoch\t3\t0.3\n", (text:gsub("0%.30*%d?\n", "0.3\n")))
    end
  end)

  it("says what it cannot do", function()
    theano_({ "run", "--dir", "two", "bad.lua" })
    for words, said in pairs({ ["run nowhere.lua"] = "there is no such file", ["run --foo x"] = "unknown option --foo",
      ["run --resume nowhere"] = "no folder of a run", ["run"] = "no script is named",
      ["run --dir two bad.lua"] = "holds a run already", ["cache"] = "missing argument 'what'",
      ["runs a~b"] = "is no test", ["plot nowhere"] = "no folder of a run" }) do
      local list = {}
      for word in words:gmatch("%S+") do list[#list + 1] = word end
      local code, text = theano_(list)
      assert.equal(2, code, words)
      assert.truthy(text:find(said, 1, true), text)
    end
  end)
end)

describe("theano sweep", function()
  local values_of = require("theano.runner.sweep").values_of
  it("knows lists and ranges", function()
    assert.same({ "0.1", "0.01" }, values_of("0.1,0.01"))
    assert.same({ "1", "2", "3" }, values_of("1:3"))
    assert.same({ "0.0", "0.25", "0.5" }, values_of("0:0.5:0.25"))
    assert.is_nil(values_of("1:2:0"))
    assert.is_nil(values_of("a:b:c"))
  end)

  it("runs all combinations; what fails, hangs or is killed stops no other", function()
    local code, text = theano_({ "sweep", "bad.lua", "mode=ok,fail,hang,kill", "--jobs", "2", "--timeout", "1.5",
      "--runs", "swept" })
    assert.equal(1, code)
    for state, mode in pairs({ done = "ok", failed = "fail", timeout = "hang", killed = "kill" }) do
      assert.truthy(text:find(state .. " +mode=" .. mode), text)
    end
    code, text = theano_({ "runs", "--runs", "swept", "state=finished" })
    assert.equal(0, code)
    assert.truthy(text:find("001  finished", 1, true), text)
    assert.falsy(text:find("/002 ", 1, true), text)
  end)

  it("halves", function()
    local code, text = theano_({ "sweep", "s.lua", "lr=0.1,0.4", "--runs", "halved", "--halving", "loss", "--budget",
      "epochs=1:2", "--eta", "2" })
    assert.equal(0, code)
    assert.truthy(text:find("best: lr=0.4  loss = 0.5555", 1, true), text)
  end)

  it("writes plain command lines and array jobs", function()
    local code, text = theano_({ "sweep", "s.lua", "lr=1,2", "name=a b", "--print-jobs" })
    assert.equal(0, code)
    assert.equal(2, select(2, text:gsub("theano run %-%-dir runs/s%-sweep[^ ]+/00%d s.lua %-%-lr %d %-%-name 'a b'\n",
      "")))
    assert.equal(0, (theano_({ "sweep", "s.lua", "lr=log:1e-4:1e-1", "--random", "3", "--sbatch", "job.sh" })))
    assert.truthy(read("job.sh"):find("#SBATCH --array=1-3\n", 1, true))
    assert.is_true(os.execute("bash -n " .. here .. "/job.sh"))
  end)
end)

describe("many runs", function()
  it("are listed from an index that is made anew when it is none", function()
    for i = 1, 2 do theano_({ "run", "--dir", "many/" .. i, "s.lua", "--epochs", tostring(i) }) end
    local _, first = theano_({ "runs", "--runs", "many" })
    assert.truthy(first:find("many/1  finished       1", 1, true), first)
    write("many/.index.sqlite", "no database")
    assert.equal(first, select(2, theano_({ "runs", "--runs", "many" })))
    assert.equal(first, select(2, theano_({ "runs", "--runs", "many" })))
    theano_({ "run", "--dir", "many/3", "s.lua", "--epochs", "3" })
    local _, more = theano_({ "runs", "--runs", "many", "epochs>1", "--sort", "epochs", "--down" })
    assert.truthy(more:find("many/3.*many/2"), more)
    assert.falsy(more:find("many/1", 1, true))
  end)

  it("are drawn and reported", function()
    assert.equal(0, (theano_({ "plot", "many/1", "many/2", "-o", "curve.svg" })))
    assert.truthy(read("curve.svg"):find(">epochs=1<.*>epochs=2<"))
    local lines = assert(io.open(here .. "/many/2/metrics.jsonl", "a"))
    lines:write('{"epoch":1,"loss":0.5}\n{"epoch":2,"loss":0.25}\n') -- as after a kill
    lines:close()
    local fig, drawn = require("theano.runner.plot").figure({ here .. "/many/2" }, "loss")
    assert.equal(1, drawn)
    assert.equal(2, select(2, fig:svg():match('points="([^"]*)"'):gsub(",", ",")))
    assert.truthy(read("curve.svg"):find("<polyline", 1, true))
    assert.equal(1, (theano_({ "plot", "many/1", "--metric", "accuracy", "-o", "curve.svg" })))
    assert.equal(0, (theano_({ "report", "many" })))
    local page = read("report.html")
    assert.truthy(page:find("many/2", 1, true) and page:find("<svg", 1, true))
    assert.falsy(page:find("https?://[^w]")) -- nothing from elsewhere
    assert.equal(1, (theano_({ "report", "nowhere" })))
  end)
end)

describe("the other commands", function()
  it("say what is there", function()
    local code, text = theano_({ "doctor" })
    assert.truthy(code == 0 or code == 1)
    assert.truthy(text:find("compiling   a small function", 1, true), text)
    -- It is wanted most where the other commands lack what they need.
    local alone = "package.path, package.cpath = package.path:gsub('/usr[^;]*', ''), '' "
    alone = alone .. "print(require('theano.runner').main('doctor'))"
    text = require("spec.support.runner").run({ "-e", alone })
    assert.truthy(text:find("BAD  modules     no luv, dkjson, argparse: ", 1, true), text)
    assert.truthy(text:find("apt-get install lua-luv lua-dkjson lua-argparse", 1, true), text)
    assert.truthy(text:find("compiling   a small function", 1, true), text)
    assert.truthy(select(2, theano_({ "completion", "bash" })):find("complete -o filenames -F _theano theano", 1, true))
    assert.truthy(select(2, theano_({ "cache", "info" })):find("files, ", 1, true))
  end)
end)
