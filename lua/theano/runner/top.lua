--- `theano top script.lua [args]`: the script, with a live table of its functions: calls a second, time, share.
-- @module theano.runner.top
local theano = require("theano")
local trace = require("theano.trace")
local util = require("theano.util")
local uv = require("luv")

local M = {}

local USAGE = [[
usage: theano top [--every SECONDS] script.lua [arguments of the script]
Runs the script with profiles of all its functions. On a terminal a table of them is shown anew every second; at the end
it is printed once more. Ends with the script's code.
]]

local function cut(s, most) return #s > most and s:sub(1, most - 3) .. "..." or s end

--- The table as a text. seconds: since `before`, calls and time by function then, or since the start where it is empty.
local function table_of(before, seconds)
  local rows, total = {}, 0.0
  for _, f in ipairs(trace.known()) do
    local p = f.profile
    local calls, time = p.fct_callcount, p.fct_call_time
    local was = before[f] or { 0, 0.0 }
    if calls > 0 then
      rows[#rows + 1] = { name = f.name or "a function", calls = calls, now = calls - was[1], time = time,
        share = time - was[2], compile = p.compile_time }
      total = total + time - was[2]
    end
    before[f] = { calls, time }
  end
  table.sort(rows, function(a, b)
    if a.share ~= b.share then return a.share > b.share end
    return a.name < b.name
  end)
  local out = { "  calls   calls/s   a call      share   of time  compiled  function" }
  for _, r in ipairs(rows) do
    out[#out + 1] = util.format("%7d %9.1f %8.3f ms %7.1f %% %7.1f %% %7.2f s  %s", r.calls, r.now / seconds,
      1e3 * r.time / r.calls, total > 0 and 100 * r.share / total or 0.0, 100 * r.share / seconds, r.compile,
      cut(r.name, 60))
  end
  if #rows == 0 then out[2] = "  (no function was called yet)" end
  return table.concat(out, "\n") .. "\n"
end

local function words_of(...)
  local words, every, i = { ... }, 1.0, 1
  while words[i] and words[i]:find("^%-") do
    if words[i] == "--every" and tonumber(words[i + 1]) then
      every, i = tonumber(words[i + 1]), i + 2
    else
      return nil, words[i]
    end
  end
  return every, words[i], table.move(words, i + 1, #words, 1, {})
end

function M.main(...)
  local every, script, rest = words_of(...)
  if not every or not script then
    local help = script == "-h" or script == "--help"
    local to = help and io.stdout or io.stderr
    to:write(USAGE)
    return help and 0 or 2
  end
  local chunk, why = loadfile(script)
  if not chunk then
    io.stderr:write("theano top: ", why, "\n")
    return 1
  end
  rest[0] = script
  rawset(_G, "arg", rest)
  theano.config.profile = true
  trace.hold()
  theano.config.profiling.destination = "/dev/null"
  local start, last, shown, before = uv.hrtime(), uv.hrtime(), {}, {}
  local live = uv.guess_handle(2) == "tty"
  local function look()
    local now = uv.hrtime()
    if (now - last) * 1e-9 < every then return end
    io.stderr:write("\27[2J\27[H", util.format("theano top %s, %.0f s\n", script, (now - start) * 1e-9),
      table_of(shown, (now - last) * 1e-9))
    last = now
  end
  local exit = os.exit
  local function finish()
    debug.sethook()
    io.stdout:write(util.format("%s, %.2f s\n", script, (uv.hrtime() - start) * 1e-9),
      table_of(before, (uv.hrtime() - start) * 1e-9))
  end
  rawset(os, "exit", function(...)
    finish()
    exit(...)
  end)
  if live then debug.sethook(look, "", 1000) end
  local fine, message = xpcall(chunk, debug.traceback, table.unpack(rest))
  rawset(os, "exit", exit)
  if not fine then io.stderr:write(tostring(message), "\n") end
  finish()
  return fine and 0 or 1
end

return M
