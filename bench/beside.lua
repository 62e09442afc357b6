--- Steps on two threads beside one, alone and with other processes at work: milliseconds by the clock, least of rounds
-- in turns. Two threads should never take more than 1.1 of one, and on two idle cores 1.8 times less.
--   build/theano bench/beside.lua [ROUNDS [CASE ...]]   on a machine that is quiet otherwise
-- "median" is that of the rounds: what a user waits for while others work; minima are of moments when they did not.
local theano = require("theano")
local system = require("system")
local modern = dofile("bench/groups/modern.lua")

local rounds = tonumber(arg[1]) or 15
local wanted = table.concat(arg, " ", 2)

-- Processes that do nothing but work, as long as this one is there; returns what ends them.
local function busy(n)
  local ids = {}
  for i = 1, n do
    local p <close> = io.popen("sh -c 'while kill -0 $0; do :; done' $PPID >/dev/null 2>&1 & echo $!")
    ids[i] = p:read("l")
  end
  return setmetatable({}, { __close = function()
    for _, id in ipairs(ids) do os.execute("kill " .. id) end
  end })
end

local function timed(step, args, threads)
  theano.config.openmp = threads
  step(table.unpack(args))
  local n, start = 0, system.monotime()
  repeat
    step(table.unpack(args))
    n = n + 1
  until system.monotime() - start > 0.03
  return (system.monotime() - start) / n * 1e3
end

local function figures(step, args)
  local of = { [false] = {}, [true] = {} }
  for _ = 1, rounds do
    for _, threads in ipairs({ false, true }) do
      local list = of[threads]
      list[#list + 1] = timed(step, args, threads)
    end
  end
  for _, list in pairs(of) do table.sort(list) end
  return of[false], of[true]
end

local line = "%-34s %4s %10s %10s %8s %14s"
print(line:format("step", "busy", "one, ms", "two, ms", "ratio", "of the median"))
for _, case in ipairs(modern.cases) do
  local name = table.concat(case, " ")
  if wanted == "" or name:find(wanted, 1, true) then
    theano.config.openmp = true
    local step, args = modern.make(table.unpack(case))
    for _ = 1, 50 do step(table.unpack(args)) end -- its C has come
    for n = 0, 2 do
      local others <close> = busy(n)
      assert(others)
      local one, two = figures(step, args)
      local middle = (#one + 1) // 2
      print(line:format(name, n, ("%.3f"):format(one[1]), ("%.3f"):format(two[1]), ("%.2f"):format(two[1] / one[1]),
        ("%.2f"):format(two[middle] / one[middle])))
    end
  end
end
