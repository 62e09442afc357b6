--- Runs of a sweep as processes: so many at a time, with a table on a terminal and lines elsewhere.
-- @module theano.runner.jobs
local core = require("theano.core")
local progress = require("theano.progress")
local record = require("theano.runner.record")
local uv = require("luv")

local M = {}

local function program() return uv.exepath() end

local function last_values(dir)
  local list = record.metrics(dir)
  local values = list[#list] or {}
  values.seconds = nil
  return progress.fields(values)
end

-- Starts a job; `ended(code, signal)` is called when it is gone.
local function start(job, ended)
  local words = { "run" }
  if job.resume then words[2], words[3] = "--resume", job.dir
  else words[2], words[3], words[4] = "--dir", job.dir, job.script end
  if job.resume then -- with the new budget
    local config = record.load_json(job.dir, "config.json")
    config.words = setmetatable(job.words, { __jsontype = "array" })
    record.save_json(job.dir, "config.json", config)
  else table.move(job.words, 1, #job.words, 5, words) end
  record.mkdir(job.dir)
  local out = uv.fs_open(job.dir .. "/console.txt", "a", tonumber("644", 8))
  local handle, pid = uv.spawn(program(), { args = words, stdio = { nil, out, out } }, function(code, signal)
    ended(code, signal)
  end)
  if out then uv.fs_close(out) end
  job.handle, job.began = handle, uv.hrtime()
  return handle ~= nil, pid
end

local STATES = { [0] = "done", [130] = "interrupted", [143] = "interrupted" }

-- Why a job failed: the last line that it wrote.
local function reason(job)
  local last
  for line in (record.read(job.dir .. "/console.txt") or ""):gmatch("[^\n]+") do
    if not line:find("^%s") and not line:find("^stack traceback") then last = line end
  end
  return last and "  " .. last or ""
end

local function line_of(job)
  return ("%-12s %s  %s"):format(job.state, job.label ~= "" and job.label or job.dir, last_values(job.dir))
end

-- The table, drawn over the one before.
local function draw(jobs, rows)
  local lines, running, done = {}, 0, 0
  for _, job in ipairs(jobs) do
    if job.state == "running" then
      running = running + 1
      lines[#lines + 1] = line_of(job)
    elseif job.state ~= "waiting" then done = done + 1 end
  end
  table.insert(lines, 1, ("%d of %d done, %d running"):format(done, #jobs, running))
  io.write(rows > 0 and ("\27[%dA"):format(rows) or "")
  for _, line in ipairs(lines) do io.write("\27[K", line, "\n") end
  io.write("\27[J")
  io.flush()
  return #lines
end

--- Runs all jobs, `o.jobs` at a time; how many did not end well. One that takes longer than o.timeout seconds is ended.
-- Ctrl-C is passed on, and no other run is started.
function M.run_all(jobs, o)
  local terminal = core.isatty("stdout")
  local waiting, running, failed, rows = table.move(jobs, 1, #jobs, 1, {}), 0, 0, 0
  for _, job in ipairs(jobs) do job.state = "waiting" end
  local function finish(job, code, signal)
    job.handle:close()
    running, job.handle = running - 1, nil
    job.state = job.late and "timeout" or signal ~= 0 and "killed" or STATES[code] or "failed"
    if job.state ~= "done" then failed = failed + 1 end
    if signal ~= 0 then -- it could not say so itself
      local status = record.load_json(job.dir, "status.json") or {}
      status.state, status.signal = "killed", signal
      record.save_json(job.dir, "status.json", status)
    end
    if rows > 0 then
      io.write(("\27[%dA\27[J"):format(rows))
      rows = 0
    end
    local more = job.state == "failed" and reason(job) or ""
    print(line_of(job) .. more .. (job.state ~= "done" and ("  (%s/console.txt)"):format(job.dir) or ""))
  end
  local function launch()
    while running < o.jobs and #waiting > 0 and not M.stopped do
      local job = table.remove(waiting, 1)
      job.state, running = "running", running + 1
      local ok = start(job, function(code, signal) finish(job, code, signal) end)
      if not ok then
        job.state, running, failed = "failed", running - 1, failed + 1
        print(line_of(job))
      end
    end
  end
  local timer = uv.new_timer()
  core.catch_interrupt(true)
  timer:start(0, 200, function()
    if core.interrupted() and not M.stopped then
      M.stopped = true
      for _, job in ipairs(jobs) do
        if job.handle then job.handle:kill("sigterm") end
      end
    end
    for _, job in ipairs(jobs) do
      if job.handle and o.timeout and (uv.hrtime() - job.began) / 1e9 > o.timeout then
        job.handle:kill(job.late and "sigkill" or "sigterm")
        job.late, job.began = true, uv.hrtime()
      end
    end
    launch()
    if terminal and running > 0 then rows = draw(jobs, rows) end
    if running == 0 and (#waiting == 0 or M.stopped) then timer:stop() end
  end)
  uv.run("default")
  timer:close()
  uv.run("default") -- what was closed is gone
  core.catch_interrupt(false)
  return failed + #waiting
end

return M
