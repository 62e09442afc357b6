-- A process of bench/groups/compile.lua: builds a graph, compiles it, computes, and prints the seconds that took.
local what, state = arg[1], arg[2]
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
if what == "small script" then
  local x = T.dvector("x")
  local f = theano.compile({ inputs = { x }, outputs = T.sum(x * 2 + 1) })
  assert(f(nd.arange(10.0)) == 100)
  return
end
local now = require("system").monotime

local function mlp()
  local x, y = T.fmatrix("x"), T.lvector("y")
  local function weight(...) return theano.shared(nd.full({ ... }, 0.01, "float32")) end
  local p = { weight(784, 500), weight(500), weight(500, 10), weight(10) }
  local h = T.tanh(T.dot(x, p[1]) + p[2])
  local cost = (-T.log(T.nnet.softmax(T.dot(h, p[3]) + p[4]))[{ T.arange(y.shape[0]), y }]):mean()
  local updates, rate = {}, T.constant(0.01, { dtype = "float32" })
  for i, g in ipairs(theano.grad(cost, p)) do updates[i] = { p[i], p[i] - rate * g } end
  return theano.compile({ inputs = { x, y }, outputs = cost, updates = updates }),
    nd.ones({ 60, 784 }, "float32"), nd.zeros({ 60 }, "int64")
end

local function chain(n)
  local rng = nd.random.RandomState(0)
  local c, x = rng:uniform(0.1, 0.5, { n }):tolist(), T.dvector("x")
  local y = x
  for i = 1, n do y = T.tanh(y) * c[i] + y end
  return theano.compile({ inputs = { x }, outputs = y }), nd.arange(10.0)
end

-- A recurrent network written out: so many turns, their gradient and updates.
local function rnn(n)
  local x, rng = T.ftensor3("x"), nd.random.RandomState(0)
  local function weight(...) return theano.shared(rng:normal(0, 0.05, { ... }):astype("float32")) end
  local p = { weight(32, 64), weight(64, 64), weight(64) }
  local h = T.zeros({ 16, 64 }, { dtype = "float32" })
  for t = 0, n - 1 do h = T.tanh(T.dot(x[t], p[1]) + T.dot(h, p[2]) + p[3]) end
  local cost, updates, rate = T.sqr(h):mean(), {}, T.constant(0.01, { dtype = "float32" })
  for i, g in ipairs(theano.grad(cost, p)) do updates[i] = { p[i], p[i] - rate * g } end
  return theano.compile({ inputs = { x }, outputs = cost, updates = updates }), nd.ones({ n, 16, 32 }, "float32")
end

local function once()
  local start = now()
  if what == "mlp" then
    local f, x, y = mlp()
    f(x, y)
  elseif what:find("^rnn") then
    local f, x = rnn(math.tointeger(tonumber(what:match("%d+"))))
    f(x)
  else
    local f, x = chain(math.tointeger(tonumber(what:match("%d+"))))
    f(x)
  end
  return now() - start
end

local seconds = once()
if state == "again" then
  collectgarbage()
  seconds = once()
end
print(("%.6f"):format(seconds))
