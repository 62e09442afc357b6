-- Memory over many calls and many lives of functions: resident set, live memory of the engine and of Lua, and what one
-- of each costs.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
theano.config.linker = "c" -- compiled from the first call on

local function resident_kb()
  for line in io.lines("/proc/self/status") do
    local v = line:match("VmRSS:%s+(%d+)")
    if v then return tonumber(v) end
  end
  return 0
end

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

local x, v = T.dscalar("x"), T.dvector("v")
local f, g = theano.compile({ inputs = { x }, outputs = x * 2 }), theano.compile({ inputs = { v }, outputs = v + 1.0 })
local scalar, ten = nd.array(3.0), nd.zeros({ 10 })
local bound_ten = g:bind(ten)
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
