--- An epoch of training over a file on disk, its batches copied ahead, beside the same numbers in memory.
--     build/theano bench/prefetch.lua [GIGABYTES (2)] [FOLDER (/tmp)]
-- The file leaves the system's cache before each epoch (as root; otherwise the disk is not what is measured).
local theano = require("theano")
local core = require("theano.core")
local T, nd, data = theano.tensor, theano.ndarray, theano.data
theano.config.floatX = "float32"
theano.config.linker = "c" -- compiled from the first call on

local columns = 1024
local rows = math.floor((tonumber(arg[1]) or 2) * 1e9 / (4 * columns))
local path = (arg[2] or "/tmp") .. "/theano-prefetch.npy"

-- Written in pieces through a map, so that it may be larger than memory.
nd.save(path, nd.zeros({ 1, columns }, "float32"))
local f = assert(io.open(path, "rb"))
local head = f:read(128)
f:close()
local shape = ("(%d, %d)"):format(rows, columns)
head = head:gsub("%(1, %d+%)([^\n]*)\n", function(rest)
  return shape .. rest .. (" "):rep(128) .. "\n"
end)
head = head:sub(1, 127) .. "\n"
f = assert(io.open(path, "wb"))
f:write(head)
f:seek("set", 128 + rows * columns * 4 - 1)
f:write("\0")
f:close()
local rng = nd.random.RandomState(1)
do
  local file, some = nd.load(path, { mmap = "r+" }), rng:normal(0, 1, { 4096, columns }):astype("float32")
  for at = 0, rows - 1, 4096 do
    local n = math.min(4096, rows - at)
    file[{ T.slice(at, at + n) }] = some[{ T.slice(0, n) }]
  end
end
collectgarbage()
os.execute("sync")
local map, labels = nd.load(path, { mmap = true }), rng:randint(0, 10, { rows }):astype("int32")

local p = theano.layers.params { seed = 1 }
local x, y = T.fmatrix("x"), T.ivector("y")
local h = theano.layers.dense(p, x, columns, 500, { activation = T.tanh })
local cost = T.nnet.categorical_crossentropy(T.nnet.softmax(theano.layers.dense(p, h, 500, 10)), y):mean()
local step = theano.compile { inputs = { x, y }, outputs = cost,
  updates = theano.train.optimizers.sgd(cost, p.weights, { learning_rate = 0.01 }) }

-- Seconds for which this thread was ready to run and other work of the machine kept it from a processor.
local function kept_waiting()
  local file = io.open("/proc/thread-self/schedstat")
  local wait = file and file:read("a"):match("^%d+ (%d+)") or 0
  if file then file:close() end
  return wait / 1e9
end

local function epoch(name, arrays, o)
  o.size, o.drop_last = 256, true
  local batches = data.batches(arrays, o)
  os.execute("sync; echo 3 2>/dev/null >/proc/sys/vm/drop_caches")
  local from, cpu, waited = core.monotonic(), os.clock(), kept_waiting()
  for bx, by in batches:epoch() do step(bx, by) end
  local took = core.monotonic() - from
  print(("%-46s %6.2f s, without waiting for a processor %6.2f s; %.2f s of processor"):format(name, took,
    took - (kept_waiting() - waited), os.clock() - cpu))
end
local memory = map:copy()
for _ = 1, 2 do
  for _, order in ipairs({ "in order", "shuffled" }) do
    local shuffle = order == "shuffled" and 1 or nil
    epoch("in memory, " .. order, { memory, labels }, { shuffle = shuffle })
    epoch("in memory, copied ahead, " .. order, { memory, labels }, { shuffle = shuffle, prefetch = 4 })
    epoch("from the file, copied ahead, " .. order, { map, labels }, { shuffle = shuffle, prefetch = 16 })
    epoch("from the file, " .. order, { map, labels }, { shuffle = shuffle })
  end
end
os.remove(path)
