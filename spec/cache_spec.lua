--- The cache of built units: what a unit is found by, and that it does not grow for ever.
local cpu = require("spec.support.cpu")
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function with_cache(body)
  skip.unless(theano.config.cxx ~= "", "no C compiler")
  cpu.settled()
  local before, tiers, folder = theano.config.base_compiledir, theano.config["compile.tiers"], os.tmpname() .. ".d"
  theano.config.base_compiledir = folder
  theano.config["compile.tiers"] = false -- a function's unit is there when it is
  local ok, e = pcall(body, folder .. "/lua-units")
  theano.config.base_compiledir = before
  theano.config["compile.tiers"] = tiers
  theano.config["compile.cache_mb"] = 512
  os.execute("rm -rf " .. folder)
  assert(ok, e)
end

local function units(folder)
  local p, n = assert(io.popen("ls " .. folder)), 0
  for name in p:lines() do if name:find("%.so$") then n = n + 1 end end
  p:close()
  return n
end

local function difference(first, second, turned)
  local a, b = T.dvector(first), T.dvector(second)
  local f = theano.compile({ inputs = { a, b }, outputs = turned and T.exp(b) - a * 3 or T.exp(a) - b * 3 })
  return f({ 0, 0 }, { 1, 2 }):tolist(), theano.printing.ccode(f)
end

describe("the cache of units", function()
  it("knows a unit whatever its variables are called, and shows each function's own names", function()
    cpu.only("C units in the cache")
    with_cache(function(folder)
      local before = theano.stat("compiles")
      local r, code = difference("left", "right")
      assert.equal(before + 1, theano.stat("compiles"))
      assert.is_truthy(code:find("p_left", 1, true))
      for _, names in ipairs({ { "x", "y" }, { "right", "left" }, { "p_1", "p_0" } }) do
        local again, text = difference(names[1], names[2])
        assert.same(r, again)
        assert.is_truthy(text:find("p_" .. names[1], 1, true))
      end
      assert.equal(before + 1, theano.stat("compiles"))
      assert.equal(1, units(folder))
      assert.is_not.same(r, (difference("left", "right", true))) -- the same names in other places are another unit
      assert.equal(2, units(folder))
    end)
  end)

  -- gcc makes a file for cc1 before it starts it, through this wrapper.
  local function killed(folder, kill, body)
    assert.is_true(os.execute("mkdir -p " .. folder .. "/tmp"))
    local wrapper, seen = folder .. "/wrapper", folder .. "/seen"
    local file = assert(io.open(wrapper, "w"))
    file:write("#!/bin/sh\nls \"$TMPDIR\" >>", seen, "\n", kill, "\n")
    file:close()
    assert.is_true(os.execute("chmod 700 " .. wrapper))
    local script = "local theano = require 'theano'; local T = theano.tensor; local x = T.dvector 'x'\n" ..
      "theano.config.base_compiledir = '" .. folder .. "/cache'; theano.config['compile.tiers'] = false\n" ..
      "theano.config.cxx = 'gcc -wrapper " .. wrapper .. "'\n" .. body
    file = assert(io.open(folder .. "/script.lua", "w"))
    file:write(script)
    file:close()
    local run = "TMPDIR=" .. folder .. "/tmp build/theano " .. folder .. "/script.lua 2>&1"
    local p = assert(io.popen(run))
    local said = p:read("a")
    p:close()
    p = assert(io.popen("ls " .. folder .. "/tmp; ls -d " .. folder .. "/cache/lua-units/aside* 2>/dev/null; cat " ..
      seen .. " | wc -l"))
    local left = p:read("a")
    p:close()
    return said, left:match("^(.-)(%d+)\n$")
  end

  local function leaves_nothing(kill, body, answers)
    cpu.only("C units in the cache")
    skip.unless(theano.config.cxx ~= "" and os.execute("command -v gcc >/dev/null"), "no gcc")
    local runner = require("spec.support.runner")
    local folder = runner.folder()
    local said, left, seen = killed(folder, kill, body)
    runner.remove(folder)
    assert.is_truthy(said:find(answers), said)
    assert.equal("", left)
    assert.is_true(tonumber(seen) > 0)
  end

  for name, kill in pairs({ driver = "kill -9 $PPID; exit 1", pass = "kill -9 $$", group = "kill -9 0" }) do
    it("leaves no files of a compiler that was killed, here or where temporary files go: " .. name, function()
      leaves_nothing(kill, "print(theano.compile{ inputs = { x }, outputs = T.sin(x) * 3 }({ 0 })[0])", "\n0.0\n$")
    end)

    it("leaves none where native code of a saved model was compiled: " .. name, function()
      leaves_nothing(kill, "theano.config.cxx, cxx = '', theano.config.cxx\n" ..
        "local f = theano.compile{ inputs = { x }, outputs = T.sin(x) * 3 }; theano.config.cxx = cxx\n" ..
        "print(pcall(f.save, f, os.getenv('TMPDIR') .. '/../m.thn', " ..
        "{ native = { 'x86-64-v2' }, key = ('k'):rep(32) }))",
        "CompileError")
    end)
  end

  it("loses what was used longest ago when it is too large, and nothing that is fresh", function()
    cpu.only("C units in the cache")
    with_cache(function(folder)
      local function build(k)
        local x = T.dvector("x")
        return theano.compile({ inputs = { x }, outputs = k(x) })
      end
      local old, fresh = build(T.sin), build(T.cos)
      local first = io.popen("ls -tr " .. folder .. "/*.so | head -n 1"):read("l")
      os.execute("touch -d '2 hours ago' " .. first)
      theano.config["compile.cache_mb"] = 0
      -- another process builds: the limit is looked at with its first unit
      local flags = "THEANO_FLAGS=compile.cache_mb=0,compile.tiers=False,base_compiledir=" ..
        theano.config.base_compiledir
      local code = "local theano = require('theano'); local x = theano.tensor.dvector('x'); " ..
        "theano.compile({ inputs = { x }, outputs = theano.tensor.tanh(x) * 5 })({ 1 })"
      assert.is_true(os.execute(flags .. " build/theano -e \"" .. code .. "\""))
      assert.equal(2, units(folder))
      assert.is_nil(io.open(first))
      assert.same({ 0 }, old({ 0 }):tolist()) -- a function keeps the unit that it has
      assert.same({ 1 }, fresh({ 0 }):tolist())
    end)
  end)

  it("keeps a unit that is used again", function()
    cpu.only("C units in the cache")
    with_cache(function(folder)
      local function build()
        local x = T.dvector("x")
        return theano.compile({ inputs = { x }, outputs = T.sin(x) * 7 })
      end
      build()
      local path = io.popen("ls " .. folder .. "/*.so"):read("l")
      os.execute("touch -d '2 hours ago' " .. path)
      build()
      assert.equal("", io.popen("find " .. path .. " -mmin +60"):read("a"))
      assert.equal(nd.sin(nd.array({ 1.0 }))[0] * 7, build()({ 1 })[0])
    end)
  end)
end)

describe("a compiler that crashes on a text", function()
  -- gcc's exit for an internal error is 4, gcc 12's 1 with these words, clang's 70; else 1 is a text that it refuses.
  local function said_with(code, tiers, jobs, words)
    local runner = require("spec.support.runner")
    local folder = runner.folder()
    local script = folder .. "/crash"
    runner.write(script, ('#!/bin/sh\necho "$*" >> %s/calls\ncase " $* " in\n*" -O1 "*) exec %s "$@" ;;\nesac\n')
      :format(folder, theano.config.cxx) .. ('echo "%s"\nexit %d\n'):format(words or "crashed", code))
    os.execute("chmod 700 " .. script)
    runner.write(folder .. "/a.lua", [=[
      local theano = require('theano')
      local x = theano.tensor.dvector('x')
      local T, y = theano.tensor, x
      for _, name in ipairs({ "exp", "tanh", "sin", "arctan", "erf", "sinh" }) do y = y * T[name](y):max() + y:sum() end
      local f = theano.compile({ x }, y)
      for _ = 1, 600 do
        f({ 1, 2 })
        if not theano.config["compile.tiers"] or theano.stat("compiles") > 0 then break end
        os.execute("sleep 0.05")
      end
      print(theano.stat("compiles") .. " compiled")
    ]=])
    local flags = ("cxx=%s,base_compiledir=%s/c,compile.tiers=%s,linker=cvm,compile.jobs=%d"):format(script, folder,
      tiers, jobs)
    local said, status = runner.run({ folder .. "/a.lua" }, { env = { "THEANO_FLAGS=" .. flags } })
    local calls = select(2, io.open(folder .. "/calls"):read("a"):gsub("\n", "\n"))
    local left = io.popen("ls " .. folder .. "/c/*"):read("a")
    runner.remove(folder)
    assert.equal(0, status, said)
    assert.is_nil(left:find("aside", 1, true), left)
    return said, calls
  end
  local function possible() skip.unless(theano.config.cxx == "gcc" and theano.config.device == "cpu", "no gcc") end

  for _, tiers in ipairs({ "False", "True" }) do
    for _, code in ipairs({ 4, 70, 139 }) do
      it(("is asked once more for less: exit %d, compile.tiers=%s"):format(code, tiers), function()
        possible()
        local said, calls = said_with(code, tiers, 1)
        assert.equal("1 compiled", (said:gsub("%s+$", "")))
        assert.equal(2, calls)
      end)
    end
    it("is asked once more where only its words say so, compile.tiers=" .. tiers, function()
      possible()
      local said, calls = said_with(1, tiers, 1, "in gimple_expand: internal compiler error: ..")
      assert.equal("1 compiled", (said:gsub("%s+$", "")))
      assert.equal(2, calls)
    end)
  end
  it("in one of several parts, is asked for the whole", function()
    possible()
    local said, calls = said_with(4, "False", 2)
    assert.equal("1 compiled", (said:gsub("%s+$", "")))
    assert.is_true(calls >= 3)
  end)
  it("is not asked again for a text that it refuses", function()
    possible()
    local said, calls = said_with(1, "False", 1)
    assert.truthy(said:find("crashed; this function runs in the interpreter", 1, true), said)
    assert.truthy(said:find("0 compiled", 1, true), said)
    assert.equal(1, calls)
  end)
end)

describe("a compiler that hangs", function()
  it("is ended at its time (compile.timeout) with all that it started, and the interpreter serves", function()
    skip.unless(theano.config.cxx ~= "" and theano.config.device == "cpu", "no C compiler")
    local runner = require("spec.support.runner")
    local folder = runner.folder()
    local script = folder .. "/hang"
    runner.write(script, "#!/bin/sh\nsleep 100 &\necho $! >> " .. folder .. "/pid\nsleep 100\n")
    os.execute("chmod 700 " .. script)
    runner.write(folder .. "/a.lua", [[
      local theano = require('theano')
      local x = theano.tensor.dvector('x')
      local f = theano.compile({ x }, x * 3 + 0.0625)
      for _ = 1, 300 do
        print(f({ 1 })[0])
        if not theano.config["compile.tiers"] then break end
        os.execute("sleep 0.01")
      end
    ]])
    for _, tiers in ipairs({ "False", "True" }) do
      local flags = ("THEANO_FLAGS=cxx=%s,base_compiledir=%s/c,linker=cvm,compile.timeout=1,compile.tiers=%s"):format(
        script, folder, tiers)
      local start = os.time()
      local said, status = runner.run({ folder .. "/a.lua" }, { env = { flags } })
      assert.equal(0, status, said)
      assert.truthy(said:find("3.0625", 1, true), said)
      local why = "did not end within 1 s and was ended (config compile.timeout); this function runs in the interpreter"
      assert.truthy(said:find(why, 1, true), said)
      assert.is_true(os.time() - start < 60)
    end
    local alive = io.popen("for p in $(cat " .. folder .. "/pid); do kill -0 $p 2>/dev/null && echo $p; done"):read("a")
    local left = io.popen("ls " .. folder .. "/c/*"):read("a")
    runner.remove(folder)
    assert.equal("", alive)
    assert.is_nil(left:find("aside", 1, true), left)
  end)

  it("is ended by Ctrl-C with all that it started", function()
    skip.unless(theano.config.cxx ~= "" and theano.config.device == "cpu", "no C compiler")
    local runner = require("spec.support.runner")
    local folder = runner.folder()
    local script = folder .. "/hang"
    runner.write(script, "#!/bin/sh\necho $$ > " .. folder .. "/pid\nsleep 100\n")
    os.execute("chmod 700 " .. script)
    runner.write(folder .. "/a.lua", "local theano = require('theano') local x = theano.tensor.dvector('x')\n" ..
      "theano.compile({ x }, x * 3 + 0.0625)\nprint('it was made')\n")
    local flags = ("cxx=%s,base_compiledir=%s/c,compile.tiers=False,linker=c"):format(script, folder)
    local command = ("THEANO_FLAGS=%s %s %s/a.lua > %s/said 2>&1"):format(flags, runner.path, folder, folder)
    local waits = ("for i in $(seq 200); do test -s %s/pid && break; sleep 0.05; done"):format(folder)
    local p = io.popen(("sh -c 'exec env %s' & p=$!; %s; kill -INT $p; wait $p; echo $?"):format(command, waits))
    local status = p:read("n")
    p:close()
    local said = io.open(folder .. "/said"):read("a")
    local group = io.open(folder .. "/pid"):read("l")
    local there = "kill -0 -" .. group .. " 2>/dev/null"
    local alive = io.popen(("for i in $(seq 100); do %s || break; sleep 0.05; done; %s && echo alive"):format(there,
      there)):read("a")
    runner.remove(folder)
    assert.equal("", alive)
    assert.equal(130, status, said)
    assert.is_nil(said:find("it was made", 1, true), said)
  end)
end)
