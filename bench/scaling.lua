--- What many ranks would give: times measured on two, put into a model, for up to 1,024 (docs/scaling.md).
--     OMP_NUM_THREADS=1 mpirun -n 2 build/theano bench/scaling.lua [MICROSECONDS GIGABYTES_A_SECOND]
-- The two numbers are a network's latency of a message and its bandwidth; without them the measured ones stand for it.
local theano = require("theano")
local core = require("theano.core")
local T, nd, mpi = theano.tensor, theano.ndarray, theano.mpi
theano.config.floatX = "float32"
theano.config.linker = "c" -- compiled from the first call on

-- The shortest of n times: what else the machine does makes them longer only. clock: os.clock counts this process's.
local function shortest(n, fn, clock)
  local least = math.huge
  clock = clock or core.monotonic
  for _ = 1, n do
    local from = clock()
    fn()
    least = math.min(least, clock() - from)
  end
  return least
end

local function say(...) if mpi.rank == 0 then print(string.format(...)) end end

-- ---- allreduce: time = latency + bytes / rate, by the shortest and the best ----------------------------------------
local seconds = {}
for _, bytes in ipairs({ 8, 1 << 10, 1 << 14, 1 << 18, 1 << 19, 1 << 20, 1 << 22 }) do
  local a = nd.ones({ bytes // 8 })
  mpi.barrier()
  seconds[bytes] = shortest(301, function() mpi.allreduce(a) end)
  say("allreduce of %9d bytes by %d ranks: %9.1f us", bytes, mpi.size, 1e6 * seconds[bytes])
end
local call = seconds[8] -- two small messages, the copies and two threads that wake each other
local rate = 0
for bytes, t in pairs(seconds) do rate = math.max(rate, bytes / math.max(t - call, 1e-6)) end

-- ---- a step of a rank: time = fixed + rows * each -------------------------------------------------------------------
local x, y = T.fmatrix("x"), T.ivector("y")
local p = theano.layers.params { seed = 1 }
local h = theano.layers.dense(p, x, 784, 500, { activation = T.tanh })
local out = T.nnet.softmax(theano.layers.dense(p, h, 500, 10))
local cost = T.nnet.categorical_crossentropy(out, y):mean()
local grads = theano.grad(cost, p.weights)
local function step_of(list, clock)
  local updates = theano.train.optimizers.sgd(list, p.weights, { learning_rate = 0.01 })
  local f = theano.compile { inputs = { x, y }, outputs = cost, updates = updates }
  return function(rows)
    local bx, by = nd.zeros({ rows, 784 }, "float32"), nd.zeros({ rows }, "int32")
    mpi.barrier()
    f(bx, by)
    return shortest(51, function() f(bx, by) end, clock)
  end
end
local alone, together = step_of(grads, os.clock), step_of(mpi.mean(grads))
local t60, t240, m60, m240 = alone(60), alone(240), together(60), together(240)
local each = (t240 - t60) / 180
local fixed = math.max(0, t60 - 60 * each)
local bytes = 4 * (784 * 500 + 500 + 500 * 10 + 10)
local apart = seconds[8] * 2 + bytes / rate -- the four gradients one after the other, nothing hidden
say("a step of 60 rows %.0f us, of 240 %.0f us; with its gradients' means %.0f and %.0f us", 1e6 * t60, 1e6 * t240,
  1e6 * m60, 1e6 * m240)
say("means of gradients alone would take %.0f us: %.0f %% of that is hidden at 240 rows", 1e6 * apart,
  100 * math.max(0, 1 - (m240 - t240) / apart))

-- ---- the model ------------------------------------------------------------------------------------------------------
-- An allreduce of b bytes by n ranks sends (n - 1) / n of them twice, in 2 (n - 1) messages of which a rank has those
-- of a direction on their way at once, after a comparison that takes log2(n) short ones.
local latency = (tonumber(arg[1]) or 1e6 * call / 3) * 1e-6
local width = (tonumber(arg[2]) or 1e-9 * rate) * 1e9
local overhead = 0.3e-6 -- of putting one more message on its way
local function allreduce(n, b)
  if n == 1 then return 0 end
  local steps = math.ceil(math.log(n, 2))
  return latency * (steps + 2) + 2 * (n - 1) * overhead + 2 * (n - 1) / n * b / width
end
say("\nmodel: latency %.1f us, %.2f GB/s; step %.0f us + %.2f us a row", 1e6 * latency, width / 1e9, 1e6 * fixed,
  1e6 * each)
say("%6s  %28s  %28s", "", "60 rows a rank", "a batch of 61,440 rows")
say("%6s  %9s %9s %8s  %9s %9s %8s", "ranks", "means us", "rows/s", "of ideal", "means us", "rows/s", "of ideal")
for e = 0, 10 do
  local n = 1 << e
  local means = 0
  for _, part in ipairs({ 784 * 500, 500, 500 * 10, 10 }) do means = means + allreduce(n, 4 * part) end
  local function line(rows)
    local t = fixed + rows * each
    local hidden = math.min(means, t / 2) -- the backward pass, which is about half of a step
    return n * rows / (t + means - hidden), t
  end
  local weak, tw = line(60)
  local strong, ts = line(61440 // n)
  local one = 61440 / (fixed + 61440 * each)
  say("%6d  %9.0f %9.0f %7.0f%%  %9.0f %9.0f %7.0f%%", n, 1e6 * means, weak, 100 * weak / (n * 60 / tw), 1e6 * means,
    strong, 100 * strong / (n * one), ts)
end
