--- theano.printing.trace: what ran when, in the form that Chrome (chrome://tracing) and Perfetto read.
-- @module theano.trace
local core = require("theano.core")
local util = require("theano.util")

local M = {}

local Trace = { __name = "Trace" }
local methods = {}

-- Bytes of temporaries that are in use after each step, by the plan at the lengths of the last call.
local function memory_of(d)
  local after = {}
  for s = 0, #d.steps - 1 do
    local live = 0
    for _, b in ipairs(d.buffers) do
      if b.kind == "temporary" and b.bytes and b.in_place_of < 0 and b.first <= s and b.last > s then
        live = live + b.bytes
      end
    end
    after[s] = live
  end
  return after
end

-- Where in a file a step was made, and the numbers of its work.
local function arguments_of(step, described)
  local args = { lua = step.places, op = step.op }
  local s = described
  if s then
    args.flops, args.bytes = s.flops, s.bytes
    args.nodes = table.concat(s.nodes, " ")
    if s.kernel >= 0 then args.kernel = s.kernel end
  end
  return args
end

local function events_of(raw, functions)
  local out = { { name = "process_name", ph = "M", pid = 1, tid = 0, args = { name = "theano" } } }
  local told = {}
  for i, f in ipairs(raw.functions) do
    local d = functions[f.name] or false
    f.described = d
    f.memory = d and d.temporaries and memory_of(d)
    for k, step in ipairs(f.steps) do step.args = arguments_of(step, d and d.steps[k]) end
    f.name = f.name or ("function " .. i)
  end
  for _, e in ipairs(raw.events) do
    local f, number, thread, start, time = raw.functions[e[1] + 1], e[2], e[3], e[4], e[5]
    if not told[thread] then
      told[thread] = true
      out[#out + 1] = { name = "thread_name", ph = "M", pid = 1, tid = thread, args = { name = "caller " .. thread } }
    end
    local step = f.steps[number + 1]
    out[#out + 1] = { name = number < 0 and f.name or step.title, cat = number < 0 and "call" or "step", ph = "X",
      pid = 1, tid = thread, ts = start / 1000, dur = time / 1000, args = step and step.args or { lua = f.name } }
    if number >= 0 and f.memory then
      out[#out + 1] = { name = "temporaries of " .. f.name, ph = "C", pid = 1, tid = thread, ts = (start + time) / 1000,
        args = { bytes = f.memory[number] } }
    end
  end
  return out
end

--- Ends the trace and writes its file.
function methods.stop(t)
  if t.done then return util.raise("RuntimeError", "this trace has ended") end
  t.done = true
  local json = require("theano.json")
  local raw = json.decode(core.trace_end())
  local described = {}
  for f in pairs(t.functions) do
    if f.name then described[f.name] = json.decode(core.function_describe(f)) end
  end
  local events = events_of(raw, described)
  for i, event in ipairs(events) do events[i] = json.encode(event) end
  util.write_file(t.path, ('{"traceEvents": [\n%s\n], "displayTimeUnit": "ns"}\n'):format(table.concat(events, ",\n")))
  if raw.lost > 0 then
    io.stderr:write(("trace: %d events came past the end of its room; trace(path, {most = n}) takes more\n"):format(
      raw.lost))
  end
  return nil
end

Trace.__index = methods
Trace.__close = function(t) if not t.done then t:stop() end end

local live = setmetatable({}, { __mode = "k" }) -- functions with a profile, for their plans

--- Of a function that was compiled with a profile: traces can tell of it.
function M.know(f) live[f] = true end

--- Functions that are known stay alive from now on, so that nothing of their time is lost.
function M.hold() setmetatable(live, nil) end

--- Those that are alive, in the order of their names.
function M.known()
  local list = {}
  for f in pairs(live) do list[#list + 1] = f end
  table.sort(list, function(a, b) return (a.name or "") < (b.name or "") end)
  return list
end

--- From now on every call and step of functions with a profile (`profile = true`) is noted; `t:stop()` (or the end of
-- the block of `local t <close> = ..`) writes the file, which Chrome and Perfetto show: threads, lines of Lua, bytes in
-- use. Options: most, the number of events that there is room for (a million).
function M.trace(path, options)
  util.check_type("trace", "the file", path, "string")
  if not path then util.raise("TypeError", 'trace("run.json"): the file to write is missing') end
  options = options or {}
  util.check_keywords("trace", options, { most = "integer" })
  core.trace_begin(options.most or 1000000)
  return setmetatable({ path = path, functions = live }, Trace)
end

return M
