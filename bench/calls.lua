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

local function resident_kb()
  for line in io.lines("/proc/self/status") do
    local v = line:match("VmRSS:%s+(%d+)")
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
local trusting, lending = g:copy(), theano.compile({ inputs = { v }, outputs = theano.Out(v + 1.0, { borrow = true }) })
trusting.trust_input = true
print(("call, 10-vector, trust_input: %.0f ns"):format(nanoseconds(100000, function() return trusting(ten) end)))
print(("call, 10-vector, borrowed result: %.0f ns"):format(nanoseconds(100000, function() return lending(ten) end)))
local w = theano.shared(nd.zeros({ 10 }))
local update = theano.compile({ inputs = { v }, updates = { { w, w + v } } })
print(("call, 10-vector, an update in place: %.0f ns"):format(nanoseconds(100000, function() update(ten) end)))
print(("call by name, scalar: %.0f ns"):format(nanoseconds(100000, function() return f({ x = 3.0 }) end)))
print(("eager, 10-vector + 1: %.0f ns"):format(nanoseconds(20000, function() return ten + 1.0 end)))
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

-- Memory: resident set, live memory of the engine and of Lua, over many calls and many lives of functions.
local function state()
  for _ = 1, 3 do collectgarbage() end
  return { resident_kb(), theano.stat("live_bytes"), theano.stat("live_nodes"), collectgarbage("count") }
end

local function over(what, n, body)
  body(n // 10) -- caches fill
  local before, t = state(), os.clock()
  body(n)
  local ms, after = (os.clock() - t) / n * 1e3, state()
  local text = "%d times %s: %.4f ms each; resident %+d kB of %d, live %+d bytes, %+d nodes, Lua %+.0f kB"
  print(text:format(n, what, ms,
    after[1] - before[1], after[1], after[2] - before[2], after[3] - before[3], after[4] - before[4]))
end

local big = nd.ones({ 10000 })
over("a call with a new 80 kB result", 100000, function(n) for _ = 1, n do g(big) end end)
over("a call with a new scalar", 100000, function(n) for _ = 1, n do f(3.0) end end)
over("a bound call", 100000, function(n) for _ = 1, n do bound_ten() end end)
over("a call that fails", 100000, function(n) for _ = 1, n do pcall(g, scalar) end end)

local quick = theano.compile.Mode({ linker = "interpreter", optimizer = "fast_run" })
over("compile, call and forget", 10000, function(n)
  for i = 1, n do
    local p = T.dvector("p")
    local s = theano.shared(1.0 * i)
    theano.compile({ inputs = { p }, outputs = T.tanh(p) * s, updates = { { s, s + 1 } }, mode = quick })(ten)
    if i % 100 == 0 then collectgarbage() end
  end
end)
over("compile C from the cache, call and forget", 1000, function(n)
  for i = 1, n do
    local p = T.dvector("p")
    local s = theano.shared(1.0 * i)
    theano.compile({ inputs = { p }, outputs = T.tanh(p) * s, updates = { { s, s + 1 } } })(ten)
    if i % 100 == 0 then collectgarbage() end
  end
end)
