-- A process of bench/groups/memory.lua: prints how many megabytes three steps add at their highest, and to the second
-- output what f:memory() counts of it.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local BATCH, SIZES = 2000, { 784, 2000, 2000, 10 }

local function status(key)
  for line in io.lines("/proc/self/status") do
    local v = line:match(key .. ":%s+(%d+)")
    if v then return tonumber(v) / 1024 end
  end
end

local function mlp()
  local x, y, params = T.fmatrix("x"), T.lvector("y"), {}
  local h = x
  for i = 1, #SIZES - 1 do
    local w = theano.shared(nd.full({ SIZES[i], SIZES[i + 1] }, 0.001, "float32"))
    local b = theano.shared(nd.zeros({ SIZES[i + 1] }, "float32"))
    params[#params + 1], params[#params + 2] = w, b
    h = T.dot(h, w) + b
    if i < #SIZES - 1 then h = T.tanh(h) end
  end
  local cost, updates = (-T.log(T.nnet.softmax(h))[{ T.arange(y.shape[0]), y }]):mean(), {}
  local rate = T.constant(0.01, { dtype = "float32" })
  for i, g in ipairs(theano.grad(cost, params)) do updates[i] = { params[i], params[i] - rate * g } end
  return theano.compile({ inputs = { x, y }, outputs = cost, updates = updates }),
    { nd.ones({ BATCH, 784 }, "float32"), nd.zeros({ BATCH }, "int64") }
end

local step, args
if arg[1] == "MLP" then step, args = mlp()
else step, args = dofile("bench/groups/modern.lua").make(table.unpack(arg)) end
collectgarbage()
collectgarbage()
local before = status("VmRSS")
io.open("/proc/self/clear_refs", "w"):write("5"):close() -- the highest so far is forgotten
for _ = 1, 3 do step(table.unpack(args)) end
local peak = status("VmHWM") - before
print(("%.1f"):format(peak))
local counted = step:memory() / 2 ^ 20
io.stderr:write(("%s: %.1f MB at its highest, %.1f counted by f:memory()\n"):format(arg[1], peak, counted))
