--- `theano sweep script.lua lr=0.1,0.01 seed=1:5 --jobs 2`: many runs of a script.
-- @module theano.runner.sweep
local current = require("theano.runner.jobs")
local record = require("theano.runner.record")
local util = require("theano.util")

local M = {}

-- ---- what is swept -------------------------------------------------------------------------------------------------
-- The values of `1:5`, `0:1:0.25` (ends included), `a,b,c`.
local function values_of(text)
  local from, to, by = text:match("^(-?%d+):(-?%d+)$")
  if not from then from, to, by = text:match("^([^,:]+):([^,:]+):([^,:]+)$") end
  local list = {}
  if from then
    local a, b, step = tonumber(from), tonumber(to), tonumber(by or 1)
    if not (a and b and step) or step == 0 then return nil end
    local n = math.floor((b - a) / step + 1e-9)
    if n > 1e6 then return nil end
    for i = 0, n do list[#list + 1] = util.text(a + i * step) end
    return list
  end
  for word in (text .. ","):gmatch("([^,]*),") do list[#list + 1] = word end
  return list
end
M.values_of = values_of

-- All combinations, the last argument's values fastest: sequences of {name, value}.
local function grid(axes)
  local all = { {} }
  for _, axis in ipairs(axes) do
    local next_ = {}
    for _, combination in ipairs(all) do
      for _, v in ipairs(axis.values) do
        local longer = table.move(combination, 1, #combination, 1, {})
        longer[#longer + 1] = { axis.name, v }
        next_[#next_ + 1] = longer
        if #next_ > 1e5 then return nil end
      end
    end
    all = next_
  end
  return all
end

-- n combinations drawn at random: of `low:high` between the two (of logarithms where written `log:low:high`), of a list
-- one of it.
local function draw(axes, n, seed)
  local rng = require("theano").ndarray.random.RandomState(seed)
  local all = {}
  for i = 1, n do
    all[i] = {}
    for k, axis in ipairs(axes) do
      local low, high = axis.text:match("^([^,:]+):([^,:]+)$")
      local log = axis.text:match("^log:(.*)$")
      if log then low, high = log:match("^([^,:]+):([^,:]+)$") end
      local a, b = tonumber(low), tonumber(high)
      local v
      if a and b and log then v = math.exp(rng:uniform(math.log(a), math.log(b)))
      elseif a and b and math.type(a) == "integer" and math.type(b) == "integer" then v = rng:randint(a, b + 1)
      elseif a and b then v = rng:uniform(a, b)
      else v = axis.values[rng:randint(0, #axis.values) + 1] end
      all[i][k] = { axis.name, type(v) == "number" and util.text(v) or v }
    end
  end
  return all
end

-- ---- the command line ----------------------------------------------------------------------------------------------
local function parser()
  local p = require("theano.runner.words")("theano sweep"):description("Runs a script with many arguments.")
    :epilog("NAME=1,2,3 is a list, NAME=1:5 and NAME=0:1:0.25 are ranges with their ends; with --random also "
      .. "NAME=0.1:0.9 and NAME=log:1e-4:1e-1. Words behind -- go to every run as they are.")
  p:argument("script", "the script")
  p:argument("axis", "NAME=VALUES"):args("*")
  p:option("--jobs", "runs at a time"):default("1"):convert(math.tointeger)
  p:option("--runs", "where the runs' folders are made"):default("runs")
  p:option("--random", "draw so many runs in place of all combinations"):convert(math.tointeger)
  p:option("--seed", "of --random"):default("0"):convert(math.tointeger)
  p:option("--halving", "successive halving by this metric, smallest best"):argname("<metric>")
  p:option("--budget", "of --halving: NAME=LEAST:MOST, an argument of the script"):argname("<budget>")
  p:option("--eta", "of --halving: one of so many goes on"):default("3"):convert(math.tointeger)
  p:option("--timeout", "seconds after which a run is ended"):convert(tonumber)
  p:flag("--print-jobs", "print plain command lines and run nothing")
  p:option("--sbatch", "write a Slurm array job to this file and run nothing"):argname("<file>")
  return p
end

local function axes_of(words, random)
  local axes, rest = {}, {}
  for _, word in ipairs(words) do
    local name, text = word:match("^([%a][%w_-]*)=(.*)$")
    if name then
      if text == "" then return nil, name .. " has no values" end
      local values = values_of(text)
      if not values and not random then return nil, ("%s: '%s' is no list and no range"):format(name, text) end
      axes[#axes + 1] = { name = name:gsub("_", "-"), values = values, text = text }
    else rest[#rest + 1] = word end
  end
  return axes, rest
end

--- A word for a POSIX shell.
local function quoted(word)
  return word:find("^[%w%._/=:,+-]+$") and word or "'" .. word:gsub("'", "'\\''") .. "'"
end

local function command_of(job)
  local words = { "theano", "run", "--dir", job.dir, job.script }
  table.move(job.words, 1, #job.words, #words + 1, words)
  for i, word in ipairs(words) do words[i] = quoted(word) end
  return table.concat(words, " ")
end

local function jobs_of(o, combinations, rest)
  local later = o.print_jobs or o.sbatch -- others will make the folder
  local root = later and record.name(o.runs, o.script, "-sweep") or record.new_folder(o.runs, o.script, "-sweep")
  local jobs = {}
  for i, combination in ipairs(combinations) do
    local words, label = table.move(rest, 1, #rest, 1, {}), {}
    for _, pair in ipairs(combination) do
      words[#words + 1], words[#words + 2] = "--" .. pair[1], pair[2]
      label[#label + 1] = pair[1] .. "=" .. pair[2]
    end
    jobs[i] = { script = o.script, words = words, label = table.concat(label, " "),
      dir = ("%s/%03d"):format(root, i) }
  end
  return jobs
end

local function sbatch(path, jobs)
  local lines = { "#!/bin/bash", "#SBATCH --job-name=theano-sweep", ("#SBATCH --array=1-%d"):format(#jobs),
    "#SBATCH --output=slurm-%A_%a.out", "set -u", "case \"$SLURM_ARRAY_TASK_ID\" in" }
  for i, job in ipairs(jobs) do lines[#lines + 1] = ("%d) exec %s ;;"):format(i, command_of(job)) end
  lines[#lines + 1] = "*) echo \"no such task: $SLURM_ARRAY_TASK_ID\" >&2; exit 2 ;;"
  lines[#lines + 1] = "esac"
  record.write(path, table.concat(lines, "\n") .. "\n")
end

-- ---- successive halving --------------------------------------------------------------------------------------------
local function last_metric(dir, name)
  local list = record.metrics(dir)
  for i = #list, 1, -1 do
    local v = list[i][name]
    if type(v) == "number" and v == v then return v end
  end
  return math.huge
end

-- Rounds: all with the least budget, then the best of them, one of eta, going on with eta times as much.
local function halving(o, jobs)
  local name, least, most = (o.budget or ""):match("^([%a][%w_-]*)=(%d+):(%d+)$")
  least, most = math.tointeger(least), math.tointeger(most)
  if not name or least < 1 or most < least then
    return nil, "--halving needs --budget NAME=LEAST:MOST"
  end
  if not o.eta or o.eta < 2 then return nil, "--eta is a number of 2 or more" end
  local left, budget, failed = jobs, least, 0
  while true do
    for _, job in ipairs(left) do
      job.base = job.base or job.words
      job.words = table.move(job.base, 1, #job.base, 1, {})
      job.words[#job.words + 1], job.words[#job.words + 2] = "--" .. name:gsub("_", "-"), tostring(budget)
      job.resume = record.exists(job.dir .. "/config.json")
    end
    failed = failed + current.run_all(left, o)
    if budget >= most or #left == 1 then break end
    for _, job in ipairs(left) do job.score = last_metric(job.dir, o.halving) end
    table.sort(left, function(a, b)
      if a.score ~= b.score then return a.score < b.score end
      return a.dir < b.dir
    end)
    left = table.move(left, 1, math.max(1, #left // o.eta), 1, {})
    budget = math.min(budget * o.eta, most)
    print(("%d go on with --%s %d"):format(#left, name, budget))
  end
  for _, job in ipairs(left) do
    print(("best: %s  %s = %s  %s"):format(job.label, o.halving, util.text(last_metric(job.dir, o.halving)), job.dir))
  end
  return failed
end

function M.main(...)
  local o = parser():parse({ ... })
  local function wrong(text)
    io.stderr:write("theano sweep: ", text, "\n")
    return 2
  end
  if not record.exists(o.script) then return wrong(o.script .. ": there is no such file") end
  if not o.jobs or o.jobs < 1 then return wrong("--jobs is a number of 1 or more") end
  local axes, rest = axes_of(o.axis, o.random)
  if not axes then return wrong(rest) end
  local combinations
  if o.random then
    if o.random < 1 then return wrong("--random is a number of 1 or more") end
    combinations = draw(axes, o.random, o.seed)
  else combinations = grid(axes) end
  if not combinations then return wrong("there are more than 100,000 combinations") end
  local jobs = jobs_of(o, combinations, rest)
  if o.print_jobs then
    for _, job in ipairs(jobs) do print(command_of(job)) end
    return 0
  end
  if o.sbatch then
    sbatch(o.sbatch, jobs)
    print(("%d tasks: sbatch %s"):format(#jobs, o.sbatch))
    return 0
  end
  local failed, why
  if o.halving then
    failed, why = halving(o, jobs)
    if not failed then return wrong(why) end
  else failed = current.run_all(jobs, o) end
  return current.stopped and 130 or failed > 0 and 1 or 0
end

return M
