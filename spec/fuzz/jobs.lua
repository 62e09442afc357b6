--- The parent of the batches: starts them one after the other, or as many at once as jobs, notes what they find, and
-- goes on after a crash or a hang.
-- @module spec.fuzz.jobs
local batch = require("spec.fuzz.batch")
local check = require("spec.fuzz.check")
local coverage = require("spec.fuzz.coverage")

local M = {}

local function new_summary()
  return { graphs = 0, steps = 0, refused = 0, ops = {}, dtypes = {}, events = {}, fired = {}, findings = 0,
    deaths = 0 }
end

local function merge(to, from)
  for k, x in pairs(from) do
    if type(x) == "number" then to[k] = (to[k] or 0) + x
    else coverage.add(to[k], x) end
  end
end

function M.read(path)
  local file <close> = io.open(path)
  return file and file:read("a") or ""
end
local read = M.read

function M.shell(text) return "'" .. text:gsub("'", "'\\''") .. "'" end
local shell = M.shell

--- What an ended child said last: a sanitizer's report, or its last lines.
function M.last_words(log)
  local text = read(log)
  local at = text:find("ERROR: ", 1, true) or text:find("runtime error", 1, true)
  local lines = {}
  for line in text:sub(at and math.max(1, at - 80) or -1500):gmatch("[^\n]+") do
    lines[#lines + 1] = "--   " .. line
    if #lines >= 40 then break end
  end
  return table.concat(lines, "\n")
end

-- A child under a watch: one that writes no progress for so many seconds is killed, and its status is 124.
local watched = [[
%s
THEANO_FLAGS=base_compiledir=%s/cache,$THEANO_FLAGS ASAN_OPTIONS=hard_rss_limit_mb=4000:$ASAN_OPTIONS \
  %s scripts/fuzz --child %s --seed %d --graphs %d --ways %s%s >%s 2>&1 &
child=$! late=
while kill -0 $child 2>/dev/null; do
  sleep 0.5
  at=$(stat -c %%Y %s 2>/dev/null || date +%%s)
  if [ $(($(date +%%s) - at)) -gt %d ]; then late=1; kill -9 $child; fi
done
wait $child 2>/dev/null
status=$?
[ -z "$late" ] || exit 124
exit $status
]]

local function device(options) return options.device and " --device " .. shell(options.device) or "" end

local function found(summary, say, first, program)
  summary.findings = summary.findings + 1
  say(first)
  if program and (summary.findings <= 100) then say(program) end
end

local function collect(summary, say, path)
  local pending
  local function flush(program)
    if pending then found(summary, say, pending, program) end
    pending = nil
  end
  local ended = false
  local env = {
    finding = function(text) flush() pending = text end,
    program = flush,
    counters = function(r) ended = true merge(summary, r) end,
  }
  for line in read(path):gmatch("[^\n]+") do
    local chunk = load(line, "=results", "t", env)
    if chunk then chunk() end
  end
  flush()
  return ended
end

local function death(summary, options, say, paths, status)
  local seed, way = read(paths.progress):match("^(%d+) (.-)%s*\n")
  seed = math.tointeger(tonumber(seed or options.seed))
  summary.deaths = summary.deaths + 1
  local why = status == 124 and "does not end in time" or ("dies (status %s)"):format(tostring(status))
  local ok, program = pcall(function()
    local s = check.session(seed)
    return check.report(s, (way or ""):match("^%a+") or "fast", why)
  end)
  found(summary, say, ("seed %d %s: %s"):format(seed, way or "?", why), M.last_words(paths.log) .. "\n"
    .. (ok and program or ""))
  return seed
end

--- Runs options.graphs sessions from options.seed on; `say` gets each finding.
-- @tparam table options seed, graphs, seconds, ways, runner, folder
function M.work(options, say)
  local summary, start = new_summary(), os.time()
  local folder = options.folder
  os.execute("mkdir -p " .. shell(folder))
  local slow = options.runner:find("asan", 1, true) and 4 or 1
  local paths = { progress = folder .. "/progress", results = folder .. "/results", log = folder .. "/log" }
  local seed, last = options.seed, options.graphs and options.seed + options.graphs - 1 or math.maxinteger
  while seed <= last and not (options.seconds and os.time() - start >= options.seconds) do
    local count = math.min(options.batch or 100, last - seed + 1)
    os.remove(paths.progress)
    os.remove(paths.results)
    local command = watched:format(slow == 1 and "ulimit -v 6000000" or ":", shell(folder), shell(options.runner),
      shell(folder), seed, count, table.concat(options.ways, ","), device(options), shell(paths.log),
      shell(paths.progress), (options.patience or 60) * slow)
    local _, how, status = os.execute(command)
    if how == "signal" then status = "signal " .. status end
    local ended = collect(summary, say, paths.results)
    os.execute("rm -rf " .. shell(folder .. "/cache"))
    if ended and status == 0 then
      seed = seed + count
    elseif ended then -- everything was tried, and then the process did not end well: a leak
      found(summary, say, ("seeds %d to %d: end with status %s"):format(seed, seed + count - 1, status),
        M.last_words(paths.log))
      seed = seed + count
    else
      local stop = death(summary, options, say, paths, status)
      summary.graphs = summary.graphs + math.max(1, stop - seed + 1)
      seed = math.max(seed, stop) + 1
    end
    if summary.findings > 0 and not options["keep-going"] then break end
  end
  return summary
end

--- The same with several jobs, each a process of its own with a range of seeds.
function M.run(options, say)
  local n = options.jobs or 1
  if n <= 1 then return M.work(options, say) end
  local command, share = {}, options.graphs and options.graphs // n
  for k = 1, n do
    local first = options.seed + (share or 1000000) * (k - 1)
    local graphs = share and (k == n and options.graphs - share * (n - 1) or share)
    command[k] = ("%s scripts/fuzz --worker %s --seed %d%s%s --ways %s%s --batch %d%s"):format(shell(options.runner),
      shell(("%s/%d"):format(options.folder, k)), first, graphs and (" --graphs %d"):format(graphs) or "",
      options.seconds and (" --seconds %d"):format(options.seconds) or "", table.concat(options.ways, ","),
      device(options), options.batch or 100, options["keep-going"] and " --keep-going" or "")
  end
  os.execute(table.concat(command, " & ") .. " & wait")
  local summary = new_summary()
  for k = 1, n do
    local chunk = load(read(("%s/%d/summary"):format(options.folder, k)), "=summary", "t", {})
    if chunk then merge(summary, chunk()) else summary.findings, summary.deaths = summary.findings + 1,
      summary.deaths + 1 end
  end
  return summary
end

--- What was covered, as text.
function M.coverage(summary)
  local kinds = batch.kinds()
  for _, name in ipairs(require("spec.support.fuzz_ops").names()) do kinds[#kinds + 1] = name end
  return ("operations: %s\ndtypes: %s\ncalls: %s\n%s"):format(coverage.kinds(summary.ops, kinds),
    (coverage.sorted(summary.dtypes)), (coverage.sorted(summary.events)), coverage.rules(summary.fired))
end

return M
