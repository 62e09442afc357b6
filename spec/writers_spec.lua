--- Everything that writes a file writes it whole or not at all: on a full disk the old file stays, nothing is left
-- beside it, and the error names the file and the reason. Links, devices and pipes stay what they are.
local nd = require("theano.ndarray")
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")
local slurp = require("spec.support.slurp")
local theano = require("theano")
local util = require("theano.util")

local folder = runner.folder()
teardown(function() runner.remove(folder) end)
local function at(name) return folder .. "/" .. name end
local function shell(line)
  local pipe = assert(io.popen(line .. " 2>&1"))
  local text = pipe:read("a")
  pipe:close()
  return text
end

-- By the name of the file that is written, what writes it to `path`.
local WRITERS = {
  ["elements"] = "a:tofile(path)", ["texts"] = "nd.tofile(a, path, { sep = ' ' })",
  ["a.npy"] = "nd.save(path, a)", ["a.npz"] = "nd.save(path, { a = a })", ["b.npz"] = "nd.savez_compressed(path, a)",
  ["a.safetensors"] = "nd.save(path, { a = a })", ["a.csv"] = "nd.save(path, a)", ["a.csv.gz"] = "nd.save(path, a)",
  ["a.txt"] = "nd.savetxt(path, a)", ["a-idx1"] = "nd.save(path, a)",
  ["rows.npy"] = "local w = nd.writer(path) w:write(a) w:close()",
  ["p.pgm"] = "data.save(path, bytes)", ["p.png"] = "data.save(path, bytes)",
  ["s.wav"] = "data.save(path, a, { rate = 8000 })",
  ["curve.svg"] = "local fig = plot.figure() fig:line(a, a) fig:save(path)", ["image.png"] = "plot.image(path, bytes)",
  ["graph.html"] = "theano.printing.htmlprint(y, path)", ["graph.dot"] = "theano.printing.pydotprint(y, path, "
    .. "{ format = 'dot' })",
  ["m.onnx"] = "theano.onnx.save(path, { inputs = { x }, outputs = y })",
  ["state.npz"] = "theano.checkpoint.save(path, { a = a, n = 1 })",
  ["f.theano"] = "f:save(path)", ["g.c"] = "f:export('g', { dir = folder, args = { a }, overwrite = true })",
  ["trace.json"] = "local t = theano.printing.trace(path) t:stop()",
  ["bytes"] = "util.write_file(path, 'text')",
}
local PROGRAM = [[
local theano = require("theano")
local nd, T, util = theano.ndarray, theano.tensor, require("theano.util")
local data, plot = require("theano.data"), require("theano.plot")
local a, bytes = nd.arange(4):astype("float64"), nd.arange(16):reshape(4, 4):astype("uint8")
local x = T.vector("x")
local y = x * 2
local f = theano.compile({ inputs = { x }, outputs = y })
local folder = arg[1]
local writers = {%s}
for name, write in pairs(writers) do
  local fine, why = pcall(write, folder .. "/" .. name)
  print(("%%s|%%s|%%s"):format(name, fine, tostring(why):gsub("\n", " ")))
end
]]

-- By the file's name, whether it was written and what was said, where `front` is what the shell does before.
local function written(front)
  local list = {}
  for name, text in pairs(WRITERS) do list[#list + 1] = ("[%q] = function(path) %s end"):format(name, text) end
  runner.write(at("program.lua"), PROGRAM:format(table.concat(list, ",\n")))
  os.execute("mkdir -p " .. at("out"))
  local text = shell(("cd %s; %s THEANO_FLAGS=cxx= %s %s %s"):format(runner.quote(shell("pwd"):match("[^\n]*")), front,
    runner.quote(runner.path), at("program.lua"), at("out")))
  local all = {}
  for name, fine, why in text:gmatch("([^|\n]+)|(%a+)|([^\n]*)") do all[name] = { fine == "true", why } end
  for name in pairs(WRITERS) do assert(all[name], name .. ": " .. text) end
  return all
end

describe("files that are written", function()
  it("are whole, or those that stood there: on a full disk", function()
    for name, r in pairs(written("")) do assert(r[1], name .. ": " .. r[2]) end
    for name in pairs(WRITERS) do assert(#slurp(at("out/" .. name)) > 0, name) end
    local there = shell("ls -A " .. at("out"))
    for name in there:gmatch("[^\n]+") do runner.write(at("out/" .. name), "old") end
    for name, r in pairs(written("trap '' XFSZ; ulimit -f 0;")) do
      assert(not r[1], name .. " was written")
      assert(r[2]:find("IOError: ", 1, true) and r[2]:find(": File too large", 1, true), name .. ": " .. r[2])
      assert(r[2]:find(name:gsub("%.c$", ".h"), 1, true), name .. ": " .. r[2])
      assert.equal("old", slurp(at("out/" .. name)), name)
    end
    assert.equal(there, shell("ls -A " .. at("out")))
  end)

  it("go where links lead, which stay", function()
    os.execute(("cd %s; mkdir far; echo old >far/real; ln -s far/real one; ln -s one two; ln -s far/new none; "
      .. "ln -s round round"):format(folder))
    util.write_file(at("two"), "new")
    util.write_file(at("none"), "made")
    assert.equal("new", slurp(at("far/real")))
    assert.equal("made", slurp(at("far/new")))
    assert.equal("far/real\none\nfar/new\n", shell(("cd %s; readlink one two none"):format(folder)))
    local fine, why = pcall(util.write_file, at("round"), "x")
    assert(not fine and tostring(why):find("round: Too many levels of symbolic links", 1, true), why)
    theano.onnx.save(at("two"), { inputs = {}, outputs = theano.shared(nd.ones(2)) + 1 })
    theano.checkpoint.save(at("far/c.npz"), { n = 1 })
    os.execute(("cd %s; ln -s far/c.npz c.npz"):format(folder))
    theano.checkpoint.save(at("c.npz"), { n = 2 })
    assert.equal(2, theano.checkpoint.load(at("far/c.npz")).n)
    assert.equal("one\nfar/c.npz\n", shell(("cd %s; readlink two c.npz"):format(folder)))
    assert.equal("c.npz\nnew\nreal\n", shell("ls -A " .. at("far")))
  end)

  it("have the rights of those that they replace, and long names", function()
    for _, rights in ipairs({ "600", "755", "444" }) do
      runner.write(at("mine"), "old")
      os.execute(("chmod %s %s"):format(rights, at("mine")))
      local fine = pcall(util.write_file, at("mine"), "new") -- refused where it may not be written
      assert.equal(rights .. "\n", shell("stat -c %a " .. at("mine")))
      assert.equal(fine and "new" or "old", slurp(at("mine")))
      os.remove(at("mine"))
    end
    local long = ("x"):rep(255)
    util.write_file(at(long), "long")
    assert.equal("long", slurp(at(long)))
    local fine, why = pcall(util.write_file, at(long .. "x"), "long")
    assert(not fine and tostring(why):find("File name too long", 1, true), why)
    for _, name in ipairs({ "", folder, folder .. "/none/x", folder .. "/" }) do
      fine, why = pcall(util.write_file, name, "x")
      assert(not fine and tostring(why):find("IOError: cannot write " .. name .. ": ", 1, true), why)
    end
  end)

  it("are written through where they are devices and pipes", function()
    skip.unless(io.open("/dev/full"), "there is no /dev/full")
    for _, write in ipairs({ util.write_file, function(path) nd.ones(3):tofile(path) end,
      function(path) theano.onnx.save(path, { inputs = {}, outputs = theano.shared(nd.ones(2)) + 1 }) end })
    do
      local fine, why = pcall(write, "/dev/full", "x")
      assert(not fine and tostring(why):find("/dev/full: No space left on device", 1, true), why)
      write("/dev/null", "x")
    end
    assert.equal("character special file\n", shell("stat -c %F /dev/full"))
    os.execute("mkfifo " .. at("pipe"))
    local reader = assert(io.popen("cat " .. at("pipe")))
    util.write_file(at("pipe"), "through")
    assert.equal("through", reader:read("a"))
    reader:close()
    assert.equal("fifo\n", shell("stat -c %F " .. at("pipe")))
    local words = "require('theano.util').write_file('/dev/stdout', 'out')"
    assert.equal("out", shell(("%s -e %s | cat"):format(runner.quote(runner.path), runner.quote(words))))
  end)

  it("say so where a profile cannot be added to them, at the end of the program, too", function()
    skip.unless(io.open("/dev/full"), "there is no /dev/full")
    local code = "local theano = require('theano') local x = theano.tensor.vector('x') "
      .. "local f = theano.compile({ inputs = { x }, outputs = x * 2 }) f({ 1 }) "
      .. "print(pcall(f.profile.summary, f.profile))"
    for path, why in pairs({ ["/dev/full"] = "/dev/full: No space left", ["/none/x"] = "/none/x: No such file" }) do
      local flags = "THEANO_FLAGS=cxx=,profile=true,profiling.destination=" .. path
      local text = runner.run({ "-e", code }, { env = { flags } })
      assert(text:find("false.*IOError: profiling%.destination: " .. why), text)
      assert(text:find("\ntheano: [^\n]*IOError: profiling%.destination: " .. why), text)
    end
  end)

  it("are opened for writing in one place", function()
    local lua = shell([[grep -rnE "io\.open\([^)]*, *\"[wa]|io\.output\(|os\.rename" lua/theano]])
    local grows = { ["profile.lua"] = true, ["runner/doctor.lua"] = true, ["runner/run.lua"] = true }
    for line in lua:gmatch("[^\n]+") do assert(grows[line:match("lua/theano/([^:]*)")], line) end
    local c = shell([[grep -rnE "OS_TRUNCATE|OS_NEW|fopen\(.*\"[wa]" core lua --include=*.c]])
    for line in c:gmatch("[^\n]+") do
      assert(line:find("^core/base/files/file_write") or line:find("^core/base/os/"), line)
    end
  end)
end)
