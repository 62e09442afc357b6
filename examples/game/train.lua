-- Trains the policy of the hunters in examples/game: a network that sees where the prey is, how fast it goes and where
-- the nearest rock is, and says where to push. It is trained through the game's own physics: the slope of what happens
-- in two seconds, by gradients through the loop. Run it with: build/theano examples/game/train.lua FILE [rounds]
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local file = arg[1]
if not file or file:sub(1, 1) == "-" or arg[2] and not math.tointeger(arg[2]) then
  io.stderr:write("build/theano examples/game/train.lua FILE [rounds]\n")
  os.exit(2)
end

local STEPS, DT, PUSH, DRAG, ROCK = 60, 1 / 30, 4.0, 0.8, 0.18
local rng = nd.random.RandomState(5)
local function f32(v) return T.constant(v, { dtype = "float32" }) end
local function weights(n, m) return theano.shared((rng:randn(n, m) * 0.7 / math.sqrt(n)):astype("float32")) end
local function zeros(...) return theano.shared(nd.zeros({ ... }, "float32")) end
local params = { weights(6, 32), zeros(32), weights(32, 2), zeros(2) }

-- What a hunter does: a push of at most one in each direction.
local function policy(seen, w1, b1, w2, b2) return T.tanh(T.dot(T.tanh(T.dot(seen, w1) + b1), w2) + b2) end

local place, speed, prey, path, rock = T.fmatrix("place"), T.fmatrix("speed"), T.fmatrix("prey"), T.fmatrix("path"),
  T.fmatrix("rock")
local function step(p, v, q, d, r, ...)
  local push = policy(T.concatenate({ q - p, v, r - p }, { axis = 1 }), ...)
  local faster = v + f32(DT) * (f32(PUSH) * push - f32(DRAG) * v)
  local moved = p + f32(DT) * faster
  local away = T.sqrt(((moved - q) ^ 2):sum({ axis = 1 }) + f32(1e-4))
  local close = T.nnet.relu(f32(ROCK) - T.sqrt(((moved - r) ^ 2):sum({ axis = 1 }) + f32(1e-6)))
  return { moved, faster, q + f32(DT) * d, away + f32(20) * close }
end
local out = theano.scan {
  fn = step, outputs_info = { place, speed, prey, false }, non_sequences = { path, rock, table.unpack(params) },
  n_steps = STEPS,
}
local cost = out[4]:mean()

local updates, rate = {}, f32(0.08)
for i, g in ipairs(T.grad(cost, params)) do
  local move = theano.shared(params[i]:get_value() * 0)
  local cut = g / T.maximum(f32(1), T.sqrt((g ^ 2):sum()))
  local next_move = f32(0.9) * move - rate * cut
  updates[2 * i - 1], updates[2 * i] = { move, next_move }, { params[i], params[i] + next_move }
end
local train = theano.compile { inputs = { place, speed, prey, path, rock }, outputs = cost, updates = updates }

local function draw(scale) return (rng:uniform(-1, 1, { 64, 2 }) * scale):astype("float32") end
local rounds, first, last = math.tointeger(arg[2] or 200), nil, nil
for i = 1, rounds do
  last = train(draw(1), draw(0.5), draw(1), draw(0.4), draw(0.8))
  first = first or last
  if i % 50 == 0 then print(("round %d: the hunters are %.3f away"):format(i, last)) end
end

local seen = T.fmatrix("seen")
theano.compile({ inputs = { seen }, outputs = { push = policy(seen, table.unpack(params)) } }):save(file)
print(("%.3f before, %.3f after; saved as %s"):format(first, last, file))
