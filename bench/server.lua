-- One side of a comparison: prepares a workload when told, and runs one round when asked, so that a driver can let
-- servers take turns. Lines in: `prepare<TAB>GROUP<TAB>WORD...`, `round`, `drop`. Lines out: `ok<TAB>CHECK`,
-- `skip<TAB>REASON`, or a number: seconds a call (the group's unit where it measures something else).
-- Environment: BENCH_SECONDS of one round, BENCH_CLOCK wall or cpu, BENCH_VARIANT for groups that ask.
local now = os.getenv("BENCH_CLOCK") == "cpu" and os.clock or require("system").monotime
local budget = tonumber(os.getenv("BENCH_SECONDS") or "0.03")

local groups = {} -- by name: what a group keeps between its cases stays
local function load_group(name)
  groups[name] = groups[name] or dofile("bench/groups/" .. name .. ".lua")
  return groups[name]
end

-- Seconds of n calls; what the calls return is dropped.
local function run(w, n)
  local f, a, b = w.f, w.args and w.args[1], w.args and w.args[2]
  if w.measure then return w.measure() end
  local start = now()
  if w.args and #w.args > 2 then
    for _ = 1, n do f(table.unpack(w.args)) end
  elseif b ~= nil then
    for _ = 1, n do f(a, b) end
  elseif a ~= nil then
    for _ = 1, n do f(a) end
  else
    for _ = 1, n do f() end
  end
  return now() - start
end

-- How many calls make a round: measured on warm calls.
local function calibrate(w)
  if w.measure then return 1 end
  local n, t = 1, run(w, 1)
  while t < budget / 10 and n < 1e7 do
    n = n * (t < budget / 100 and 10 or 2)
    t = run(w, n)
  end
  return math.max(1, math.floor(n * budget / t))
end

local work, calls
local function prepare(words)
  local group = load_group(words[2])
  local ok, w, check = pcall(group.prepare, table.unpack(words, 3))
  if not ok then return "skip\t" .. tostring(w):gsub("%s+", " ") end
  if not w then return "skip\t" .. tostring(check) end
  work = w
  calls = calibrate(w)
  return "ok\t" .. (check and ("%.17g"):format(check) or "-")
end

io.stdout:setvbuf("line")
for line in io.lines() do
  local words = {}
  for word in line:gmatch("[^\t]+") do words[#words + 1] = word end
  if words[1] == "prepare" then
    print(prepare(words))
  elseif words[1] == "round" then
    local ok, t = pcall(run, work, calls)
    print(ok and ("%.9g"):format(t / calls) or "skip\t" .. tostring(t):gsub("%s+", " "))
  else
    work = nil
    collectgarbage()
    collectgarbage()
    print("ok\t-")
  end
end
