--- The parent of the runs of hostile calls: starts them in child processes, several at once, and goes on behind a call
-- that crashes or does not end.
-- @module spec.fuzz.api.jobs
local jobs = require("spec.fuzz.jobs")

local M = {}

-- What runs in one child: calls first .. first + count - 1. What does not end is told by the time it has run (SIGXCPU),
-- so that other work on the machine is no hang; by the clock, ten times that, only where it waits.
local TIMES = { [124] = true, [128 + 24] = true }
local function command(options, run)
  local slow = options.runner:find("asan", 1, true) and 3 or 1
  local seconds = (30 + run.count // 100) * slow
  return ("(cd %s && %s THEANO_FLAGS=linker=interpreter,base_compiledir=%s/cache "
    .. "ASAN_OPTIONS=hard_rss_limit_mb=4000:max_allocation_size_mb=64:allocator_may_return_null=1:detect_leaks=0:"
    .. "$ASAN_OPTIONS; export THEANO_FLAGS ASAN_OPTIONS; ulimit -S -t %d; "
    .. "timeout -k 5 %d %s %s --api-child %s --seed %d --first %d --api %d </dev/null >%s/out 2>%s/log; "
    .. "echo $? >%s/status)"):format(jobs.shell(run.folder .. "/work"), slow == 1 and "ulimit -v 3000000;" or "",
    jobs.shell(run.folder), seconds, 10 * seconds, jobs.shell(options.runner), jobs.shell(options.script),
    jobs.shell(run.folder), options.seed, run.first, run.count, jobs.shell(run.folder), jobs.shell(run.folder),
    jobs.shell(run.folder))
end

local function report(run, total, say, text)
  total.findings = total.findings + 1
  say(text)
  if total.findings > 200 then run.stop = true end
end

-- What a child said; the call to go on with.
local function collect(options, run, total, say)
  local status = tonumber((jobs.read(run.folder .. "/status"):match("%d+")))
  local env = {
    finding = function(text) report(run, total, say, text) end,
    counters = function(calls, raised, raw, names, all)
      total.calls, total.raised, total.raw = total.calls + calls, total.raised + raised, total.raw + raw
      total.targets = all
      for name in names:gmatch("%S+") do total.names[name] = true end
      run.ended = true
    end,
  }
  for line in jobs.read(run.folder .. "/results"):gmatch("[^\n]+") do
    local chunk = load(line, "=results", "t", env)
    if chunk then chunk() end
  end
  if run.ended and status == 0 then return run.first + run.count end
  local number, name = jobs.read(run.folder .. "/progress"):match("^(%d+) (%S+)")
  local stop = math.tointeger(tonumber(number))
  if not stop then error("hostile calls do not begin:\n" .. jobs.last_words(run.folder .. "/log"), 0) end
  local why = TIMES[status] and "does not end in time" or ("dies (status %s)"):format(status)
  total.deaths = total.deaths + 1
  report(run, total, say, ("call %d %s: %s; again: build/theano scripts/fuzz --api 1 --seed %d --first %d\n%s"):format(
    stop, name or "?", why, options.seed, stop, jobs.last_words(run.folder .. "/log")))
  total.calls = total.calls + stop - run.first
  return run.ended and run.first + run.count or stop + 1
end

--- Makes options.api calls from options.first (1) on, options.batch at a time, options.jobs children at once.
function M.run(options, say)
  local total = { calls = 0, raised = 0, raw = 0, findings = 0, deaths = 0, names = {}, targets = 0 }
  local todo, at, last = {}, options.first or 1, (options.first or 1) + options.api - 1
  while at <= last or #todo > 0 do
    local lines, runs = {}, {}
    for k = 1, options.jobs or 1 do
      local run = table.remove(todo)
      if not run and at <= last then
        run = { first = at, count = math.min(options.batch or 10000, last - at + 1) }
        at = at + run.count
      end
      if run then
        run.folder = ("%s/%d"):format(options.folder, k)
        os.execute(("rm -rf %s && mkdir -p %s/work"):format(jobs.shell(run.folder), jobs.shell(run.folder)))
        runs[#runs + 1], lines[#lines + 1] = run, command(options, run)
      end
    end
    os.execute(table.concat(lines, " & ") .. " & wait")
    for _, run in ipairs(runs) do
      local next_call, stop = collect(options, run, total, say), run.first + run.count
      if next_call < stop then todo[#todo + 1] = { first = next_call, count = stop - next_call } end
      if run.stop then return total end
    end
  end
  return total
end

return M
