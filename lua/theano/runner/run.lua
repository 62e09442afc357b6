--- `theano run script.lua [--name value ..]`: the script, in a folder of its own.
-- @module theano.runner.run
local core = require("theano.core")
local record = require("theano.runner.record")
local util = require("theano.util")
local uv = require("luv")

local M = {}

M.usage = [[
usage: theano run [--runs FOLDER] [--dir FOLDER] script.lua [arguments of the script]
       theano run --resume FOLDER
  --runs FOLDER    where runs' folders are made (runs)
  --dir FOLDER     this run's own folder, which must not hold a run yet
  --resume FOLDER  the run of that folder goes on: its script, its arguments, theano.run:resume
The folder gets config.json, metrics.jsonl, output.txt, status.json and what the script puts there.
Ends with the script's code: 0; 1 an error; 2 wrong usage; after the script has saved: 130 Ctrl-C, 143 SIGTERM, 129 the
terminal was closed.
]]

local function wrong(text)
  io.stderr:write("theano run: ", text, " (theano run --help)\n")
  return 2
end

-- What the machine does not let it do, in a line.
local function cannot(message)
  io.stderr:write("theano run: ", (tostring(message):gsub("^.-%u%w*Error: ", "")), "\n")
  return 1
end

-- Options before the script, then the script and its words.
local function read_words(words)
  local o, i = { runs = "runs" }, 1
  while words[i] and words[i]:find("^%-") do
    local name = words[i]:match("^%-%-(%l+)$")
    if words[i] == "-h" or name == "help" then return { help = true } end
    if name ~= "runs" and name ~= "dir" and name ~= "resume" then return nil, "unknown option " .. words[i] end
    if not words[i + 1] then return nil, words[i] .. " needs a folder" end
    o[name], i = words[i + 1]:gsub("(.)/+$", "%1"), i + 2
  end
  o.script = words[i]
  o.words = table.move(words, i + 1, #words, 1, {})
  return o
end

-- The folder of a run that goes on, with its script and words.
local function resumed(o)
  local config = record.load_json(o.resume, "config.json")
  if not config or type(config.script) ~= "string" or type(config.words) ~= "table" then
    return nil, o.resume .. " is no folder of a run"
  end
  if record.state(o.resume) == "running" then return nil, o.resume .. " is running already" end
  o.dir, o.script, o.words = o.resume, config.script, config.words
  return config
end

-- What is written to the terminal goes into output.txt, too; if it cannot, that is said once.
local function tee(path)
  local copy, cannot_open = io.open(path, "a")
  if not copy then util.raise("IOError", "%s", cannot_open) end
  local files = getmetatable(io.stdout).__index
  local plain, old_print, old_write, lost = files.write, print, io.write, false
  local function write(f, ...)
    plain(f, ...)
    local ok, why = f:flush() -- C's own writing does not say that the disk is full
    if not ok and not lost then
      lost = true
      plain(io.stderr, ("theano run: %s: %s; what is printed is not kept\n"):format(path, why))
    end
  end
  function files.write(f, ...)
    if f == io.stdout or f == io.stderr then write(copy, ...) end
    return plain(f, ...)
  end
  rawset(io, "write", function(...)
    if io.output() == io.stdout then write(copy, ...) end
    return old_write(...)
  end)
  rawset(_G, "print", function(...)
    local texts = table.pack(...)
    for i = 1, texts.n do texts[i] = tostring(texts[i]) end
    write(copy, table.concat(texts, "\t"), "\n")
    return old_print(...)
  end)
  return function()
    files.write = plain
    rawset(_G, "print", old_print)
    rawset(io, "write", old_write)
    copy:close()
  end
end

-- Appends lines to metrics.jsonl, behind the end of the last one: a run that was killed may have left a piece of it.
local function log_to(folder)
  local path = folder .. "/metrics.jsonl"
  local old = io.open(path, "rb")
  local cut = old and old:seek("end", -1) and old:read(1) ~= "\n"
  if old then old:close() end
  local file, cannot_open = io.open(path, "a")
  if not file then util.raise("IOError", "%s", cannot_open) end
  if cut then file:write("\n") end
  local began = uv.hrtime()
  return function(values)
    local line = { seconds = (uv.hrtime() - began) / 1e9 }
    for name, v in pairs(values) do line[name] = v end
    file:write(record.encode(line), "\n")
    local ok, why = file:flush() -- a line is there when `log` returns
    if not ok then util.raise("IOError", "theano.run:log: %s: %s", path, why) end
  end, function() file:close() end
end

-- os.exit ends the script, and what comes behind it is done.
local Exit = {}
local function exit(code)
  error(setmetatable({ code = code == nil and 0 or code == true and 0 or math.tointeger(code) or 1 }, Exit), 0)
end

local function traceback(message)
  if getmetatable(message) == Exit then return message end
  return debug.traceback(type(message) == "string" and message or tostring(message), 2)
end

local function theano_interrupted()
  local theano = package.loaded["theano"]
  return theano and theano.interrupted()
end

-- Runs the script; its code, and how it ended.
local function execute(o)
  _G.arg = table.move(o.words, 1, #o.words, 1, { [0] = o.script })
  local chunk, why = loadfile(o.script)
  local ok, real = chunk ~= nil, os.exit
  os.exit = exit -- luacheck: ignore
  if chunk then ok, why = xpcall(chunk, traceback, table.unpack(o.words)) end
  os.exit = real -- luacheck: ignore
  local asked, signal = core.interrupted()
  if not asked and theano_interrupted() then asked, signal = true, 15 end -- another rank was
  if not ok and getmetatable(why) == Exit then
    return why.code, asked and "interrupted" or why.code == 0 and "finished" or "failed"
  end
  if not ok then
    io.stderr:write("theano: ", tostring(why), "\n")
    if tostring(why):find("Interrupted:", 1, true) then return 130, "interrupted" end
    return 1, "failed", tostring(why):match("^[^\n]*")
  end
  if asked then return 128 + signal, "interrupted" end
  return 0, "finished"
end

local function prepare(o)
  if o.resume then
    local config, why = resumed(o)
    if not config then return nil, why end
    return config
  end
  if not o.script then return nil, "no script is named" end
  if not record.exists(o.script) then return nil, o.script .. ": there is no such file" end
  if o.dir then
    if record.exists(o.dir .. "/config.json") then
      return nil, o.dir .. " holds a run already (--resume goes on with it)"
    end
    record.mkdir(o.dir)
  else
    o.dir = record.new_folder(o.runs, o.script)
  end
  local config = record.describe(o.script, o.words)
  record.save_json(o.dir, "config.json", config)
  return config
end

-- The ranks of one job (theano.mpi) share a folder: the first makes and describes it, the others are told its name.
local function follow(o, mpi)
  o.dir = mpi.text("")
  if o.dir == "" then return false end
  if o.resume then
    local config = record.load_json(o.dir, "config.json")
    o.script, o.words = config.script, config.words
  end
  return true
end

-- What a script's `theano.run` does, and what is to be done when it has ended; a rank that follows keeps no metrics.
local function open_run(o, config, follows)
  local run = require("theano.runner.current")
  rawset(run, "dir", o.dir)
  rawset(run, "resuming", o.resume ~= nil)
  rawset(run, "follows", follows)
  if follows then return function(code) return code end end
  rawset(run, "declared", function(_, values)
    config.args = values
    record.save_json(o.dir, "config.json", config)
  end)
  local on_log, close = log_to(o.dir)
  rawset(run, "on_log", on_log)
  local status = { state = "running", pid = uv.os_getpid(), host = uv.os_gethostname(),
    began = os.date("!%Y-%m-%dT%H:%M:%SZ") }
  record.save_json(o.dir, "status.json", status)
  return function(code, state, message)
    close()
    status.state, status.code, status.error = state, code, message
    status.ended = os.date("!%Y-%m-%dT%H:%M:%SZ")
    local ok, why = pcall(record.save_json, o.dir, "status.json", status)
    if run.void and not o.resume then record.drop(o.dir) end
    if not ok then io.stderr:write("theano run: how it ended is not kept: ", tostring(why), "\n") end
    return ok and code or code ~= 0 and code or 1
  end
end

function M.main(...)
  local o, why = read_words({ ... })
  if not o then return wrong(why) end
  if o.help then
    io.write(M.usage)
    return 0
  end
  local mpi = (os.getenv("OMPI_COMM_WORLD_SIZE") or os.getenv("PMIX_RANK")) and require("theano").mpi
  local follows, config = mpi and mpi.rank > 0, nil
  if follows then
    if not follow(o, mpi) then return 2 end
  else
    local ok
    ok, config, why = pcall(prepare, o)
    if mpi then mpi.text(ok and config and o.dir or "") end
    if not ok then return cannot(config) end
    if not config then return wrong(why) end
  end
  local output = o.dir .. (follows and "/output-" .. mpi.rank .. ".txt" or "/output.txt")
  local ok, ended, untee = pcall(function() return open_run(o, config, follows), tee(output) end)
  if not ok then return cannot(ended) end
  core.catch_interrupt(true)
  core.outlive_reader()
  local code, state, message = execute(o)
  untee()
  code = ended(code, state, message)
  if not follows and record.exists(o.dir) and core.isatty("stderr") then -- a script's own wrong usage leaves no folder
    io.stderr:write(("theano run: %s, %s%s\n"):format(o.dir, state,
      state == "interrupted" and "; theano run --resume " .. o.dir .. " goes on" or ""))
  end
  return code
end

return M
