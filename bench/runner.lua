--- What `theano run` adds to a script and to its loop, and how fast metrics are written. The least of many, since other
-- work only adds.
--     build/theano bench/runner.lua [ROUNDS (30)]
require("theano")
local uv = require("luv")
local util = require("theano.util")

local rounds = tonumber(arg[1]) or 30
local folder = assert(uv.fs_mkdtemp("/tmp/theano-runner-XXXXXX"))
local script = folder .. "/script.lua"
local function write(text)
  local f = assert(io.open(script, "w"))
  f:write(text)
  f:close()
end

-- Seconds of a process from its start to its end.
local function process(...)
  local began, ended = uv.hrtime(), nil
  local handle = assert(uv.spawn(uv.exepath(), { args = { ... }, cwd = folder }, function() ended = uv.hrtime() end))
  while not ended do uv.run("once") end
  handle:close()
  return (ended - began) / 1e9
end
local function least(n, ...)
  local best = math.huge
  for _ = 1, n do best = math.min(best, process(...)) end
  return best
end

write('local theano = require("theano")\n')
local plain, run = math.huge, math.huge
for _ = 1, rounds do -- in turns
  plain, run = math.min(plain, least(1, script)), math.min(run, least(1, "run", script))
end
print(util.format("a script that loads the engine: %.1f ms, under `theano run` %.1f: %.1f more", 1e3 * plain, 1e3 * run,
  1e3 * (run - plain)))

-- Inside: the loop of a small network with a log of every step, and without the runner.
write([[
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local core = require("theano.core")
local p = theano.layers.params { seed = 1, dtype = "float32" }
local x, y = T.fmatrix("x"), T.ivector("y")
local h = theano.layers.dense(p, x, 784, 100, { activation = T.tanh })
local cost = T.nnet.categorical_crossentropy(T.nnet.softmax(theano.layers.dense(p, h, 100, 10)), y):mean()
local step = theano.compile { inputs = { x, y }, outputs = cost,
  updates = theano.train.optimizers.sgd(cost, p.weights, { learning_rate = 0.01 }) }
local bx, by = nd.zeros({ 60, 784 }, "float32"), nd.zeros({ 60 }, "int32")
local best = math.huge
for _ = 1, 200 do
  local from = os.clock()
  for _ = 1, 100 do step(bx, by) end
  theano.run:log { loss = 1 }
  best = math.min(best, os.clock() - from)
end
print("LOOP " .. best)
local n, from = 100000, os.clock()
for i = 1, n do theano.run:log { epoch = i, loss = 1 / i } end
print("LINES " .. n / (os.clock() - from))
]])
local function inside(...)
  local path, code = folder .. "/out", nil
  local out = uv.fs_open(path, "w", tonumber("644", 8))
  local handle = assert(uv.spawn(uv.exepath(), { args = { ... }, cwd = folder, stdio = { nil, out, 2 } },
    function(c) code = c end))
  while not code do uv.run("once") end
  handle:close()
  uv.fs_close(out)
  local f = assert(io.open(path))
  local text = f:read("a")
  f:close()
  assert(code == 0, text)
  return tonumber(text:match("LOOP (%S+)")), tonumber(text:match("LINES (%S+)"))
end
local alone, kept, lines = math.huge, math.huge, 0
for _ = 1, 3 do
  alone = math.min(alone, (inside(script)))
  local t, l = inside("run", script)
  kept, lines = math.min(kept, t), math.max(lines, l)
end
print(util.format("100 steps and a line of metrics: %.2f ms, under `theano run` %.2f: %+.2f %%", 1e3 * alone,
  1e3 * kept, 100 * (kept / alone - 1)))
print(util.format("metrics: %.0f lines a second", lines))
uv.run()
os.execute("rm -r " .. folder)
