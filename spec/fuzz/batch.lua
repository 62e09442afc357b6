--- A batch of sessions in this process: what `scripts/fuzz --graphs` starts as a child, so that a crash or a hang is a
-- finding. Writes where it is to a file of progress, and findings and counters to a file of results.
-- @module spec.fuzz.batch
local check = require("spec.fuzz.check")
local coverage = require("spec.fuzz.coverage")
local play = require("spec.fuzz.play")
local registry = require("spec.fuzz.registry")

local M = {}

--- A value as Lua text on one line.
local function quoted(x)
  if type(x) == "string" then return (("%q"):format(x):gsub("\\\n", "\\n")) end
  if type(x) ~= "table" then return tostring(x) end
  local words = {}
  for k, v in pairs(x) do words[#words + 1] = ("[%s] = %s"):format(quoted(k), quoted(v)) end
  return "{ " .. table.concat(words, ", ") .. " }"
end
M.quoted = quoted

--- The kinds of steps that sessions may have.
function M.kinds()
  local names = {}
  for _, e in ipairs(registry.entries) do
    if e.name ~= "classic" then names[#names + 1] = e.name end
  end
  return names
end

local function count(counts, key, n) counts[key] = (counts[key] or 0) + (n or 1) end

local function note_session(r, s)
  r.graphs, r.steps = r.graphs + 1, r.steps + #s.used
  for _, name in ipairs(s.used) do count(r.ops, name) end
  for _, n in ipairs(s.nodes) do
    if n.dtype then count(r.dtypes, n.dtype) end
    if n.kind == "grad" then count(r.events, "gradient") end
    if n.kind == "shared" then count(r.events, "shared") end
  end
  for _, e in ipairs(s.events) do count(r.events, e.name) end
end

--- options: seed, count, ways (list), progress and results (paths), optimize (C in every eighth session as flags say).
function M.run(options)
  local r = { graphs = 0, steps = 0, refused = 0, ops = {}, dtypes = {}, events = {} }
  local progress = assert(io.open(options.progress, "w"))
  local results = assert(io.open(options.results, "w"))
  local function at(seed, what)
    progress:seek("set")
    progress:write(("%d %-40s\n"):format(seed, what))
    progress:flush()
  end
  check.before = function(s, way) at(s.seed, way) end
  for seed = options.seed, options.seed + options.count - 1 do
    at(seed, "generation")
    play.ways.c.cflags = seed % 8 == 0 and "" or "-O0"
    play.ways.threads.cflags = play.ways.c.cflags
    play.ways.device.cflags = play.ways.c.cflags
    local s = check.session(seed)
    note_session(r, s)
    local way, why = check.try(s, options.ways)
    if way == "refused" then
      r.refused = r.refused + 1
      count(r.events, "refused: " .. tostring(why):match("[^\n]*"):gsub("^[%w:]*", ""):sub(1, 90))
    elseif way or s.problem then
      local first = ("seed %d %s: %s"):format(seed, way or "generation", tostring(why or s.problem):match("[^\n]*"))
      results:write("finding", ("(%s)\n"):format(quoted(first)))
      results:flush()
      if way then
        check.before = function() at(seed, way .. " (made smaller)") end
        why = check.shrink(s, way, why)
        check.before = function(x, w) at(x.seed, w) end
        results:write("program", ("(%s)\n"):format(quoted(check.report(s, way, why))))
      end
    end
  end
  r.fired = coverage.fired()
  results:write("counters", quoted(r), "\n")
  results:close()
  progress:close()
end

return M
