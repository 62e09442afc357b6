-- Costs around the kernels: calls, compiling, loading, memory. Nanoseconds are minima of rounds on one core.
local started = os.clock()
local theano = require("theano")
local require_ms = (os.clock() - started) * 1e3
local T, nd = theano.tensor, theano.ndarray

local function nanoseconds(n, f)
  local best = math.huge
  for _ = 1, 9 do
    local t = os.clock()
    for _ = 1, n do f() end
    best = math.min(best, (os.clock() - t) / n * 1e9)
  end
  return best
end

local function milliseconds(f)
  local t = os.clock()
  f()
  return (os.clock() - t) * 1e3
end

local function peak_kb()
  for line in io.lines("/proc/self/status") do
    local v = line:match("VmHWM:%s+(%d+)")
    if v then return tonumber(v) end
  end
  return 0
end

print(("require: %.1f ms"):format(require_ms))

local x, v = T.dscalar("x"), T.dvector("v")
local f, g = theano.compile({ inputs = { x }, outputs = x * 2 }), theano.compile({ inputs = { v }, outputs = v + 1.0 })
local scalar, ten = nd.array(3.0), nd.zeros({ 10 })
print(("call, scalar from a number: %.0f ns"):format(nanoseconds(100000, function() return f(3.0) end)))
print(("call, scalar from a 0-d array: %.0f ns"):format(nanoseconds(100000, function() return f(scalar) end)))
print(("call, 10-vector with a new result: %.0f ns"):format(nanoseconds(100000, function() return g(ten) end)))
local bound_scalar, bound_ten = f:bind(3.0), g:bind(ten)
print(("bound call, scalar: %.0f ns"):format(nanoseconds(100000, bound_scalar)))
print(("bound call, 10-vector: %.0f ns"):format(nanoseconds(100000, bound_ten)))

for _, n in ipairs({ 1000, 5000, 20000 }) do
  local y = v
  for i = 1, n do y = T.tanh(y) * (1 + i * 1e-6) + v end
  local mode = theano.compile.Mode({ linker = "interpreter", optimizer = "fast_run" })
  local ms = milliseconds(function() theano.compile({ inputs = { v }, outputs = y, mode = mode }) end)
  local text = "compile, chain of %d links tanh(y)*c + v, fast_run, interpreter: %.1f ms, %.1f us a link"
  print(text:format(n, ms, ms / n * 1e3))
end

local before = peak_kb()
local big = nd.ones({ 10000 })
for _ = 1, 100000 do g(big) end
print(("peak memory over 100,000 calls with a new 80 kB result: %d kB before, %d kB after"):format(before, peak_kb()))

-- Compile, call, forget: live memory must not grow over 10,000 functions.
local quick = theano.compile.Mode({ linker = "interpreter", optimizer = "fast_run" })
local function cycles(n)
  for i = 1, n do
    local p = T.dvector("p")
    local w = theano.shared(1.0 * i)
    theano.compile({ inputs = { p }, outputs = T.tanh(p) * w, updates = { { w, w + 1 } }, mode = quick })(ten)
    if i % 100 == 0 then collectgarbage() end
  end
  collectgarbage()
  collectgarbage()
  return theano.stat("live_bytes"), theano.stat("live_nodes"), collectgarbage("count")
end
cycles(500)
local bytes, nodes, kb = cycles(100)
local t = os.clock()
local bytes2, nodes2, kb2 = cycles(10000)
print(("10,000 times compile, call and forget: %.2f ms each; live bytes %+d, nodes %+d, Lua %+.0f kB"):format(
  (os.clock() - t) / 10000 * 1e3, bytes2 - bytes, nodes2 - nodes, kb2 - kb))
