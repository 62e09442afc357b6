-- The model that examples/service/service.c answers with: which of four quarters a point lies in, learnt from draws.
-- Run it with: build/theano examples/service/model.lua FILE [seed]
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local rng = nd.random.RandomState(math.tointeger(arg[2] or 1))
local function weights(n, m) return theano.shared((rng:randn(n, m) / math.sqrt(n)):astype("float32")) end
local function zeros(n) return theano.shared(nd.zeros({ n }, "float32")) end

local x, y = T.fmatrix("x"), T.lvector("y")
local params = { weights(2, 64), zeros(64), weights(64, 64), zeros(64), weights(64, 4), zeros(4) }
local h = T.tanh(T.dot(x, params[1]) + params[2])
h = T.tanh(T.dot(h, params[3]) + params[4])
local chances = T.nnet.softmax(T.dot(h, params[5]) + params[6])
local cost = T.nnet.categorical_crossentropy(chances, y):mean()

local rate = T.constant(0.5, { dtype = "float32" })
local updates = {}
for i, g in ipairs(T.grad(cost, params)) do updates[i] = { params[i], params[i] - rate * g } end
local train = theano.compile { inputs = { x, y }, outputs = cost, updates = updates }
local last
for _ = 1, 300 do
  local points = rng:uniform(-1, 1, { 128, 2 }):astype("float32")
  local quarter = nd.gt(points[":, 0"], 0):astype("int64") + 2 * nd.gt(points[":, 1"], 0):astype("int64")
  last = train(points, quarter)
end

-- Requests come one at a time.
local point = T.TensorType("float32", { true, false })("point")
local answer = theano.clone(chances, { replace = { [x] = point } })
theano.compile({ inputs = { point }, outputs = answer }):save(arg[1])
print(("cost %.3f, saved as %s"):format(last, arg[1]))
