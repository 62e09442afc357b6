--- Balancing a pole on a cart by a policy gradient (REINFORCE with a baseline): the world is some lines of Lua, the
-- policy a network that gets likelier to do what went better than usual.
-- build/theano examples/sim/cart_pole.lua [--rounds 60]
-- Expected: poles stand some 20 steps at first, and 200 of 200 steps in most episodes after 60 rounds of 16 episodes.
local theano = require("theano")
local T, nd = require("theano.tensor"), require("theano.ndarray")

local layers = theano.layers
local o = theano.args { rounds = 60, episodes = 16, limit = 200, rate = 0.02, seed = 1 }

-- ---- the world: Barto, Sutton and Anderson (1983); s = place, speed, angle, its speed ------------------------------
local function push(s, right)
  local force, x, v, a, w = right and 10 or -10, s[1], s[2], s[3], s[4]
  local t = (force + 0.05 * w * w * math.sin(a)) / 1.1
  local turn = (9.8 * math.sin(a) - math.cos(a) * t) / (0.5 * (4 / 3 - 0.1 * math.cos(a) ^ 2 / 1.1))
  local new = { x + 0.02 * v, v + 0.02 * (t - 0.05 * turn * math.cos(a) / 1.1), a + 0.02 * w, w + 0.02 * turn }
  return new, math.abs(new[1]) > 2.4 or math.abs(new[3]) > 0.2095
end

-- ---- the policy: the chance to push to the right -------------------------------------------------------------------
local p = layers.params { seed = o.seed }
local s, action, gain = T.dmatrix("s"), T.dvector("action"), T.dvector("gain")
local z = layers.dense(p, layers.dense(p, s, 4, 16, { activation = T.tanh }), 16, 1):flatten()
local chance = T.nnet.sigmoid(z)
local likely = -T.nnet.binary_crossentropy(chance, action)
local cost = -(likely * gain):mean()
local act = theano.compile { inputs = { s }, outputs = chance }
local learn = theano.compile { inputs = { s, action, gain }, outputs = cost,
  updates = theano.train.optimizers.adam(cost, p.weights, { learning_rate = o.rate }) }

local rng = nd.random.RandomState(o.seed)
local function start()
  local u = rng:uniform(-0.05, 0.05, { 4 })
  return { u[0], u[1], u[2], u[3] }
end

-- All episodes of a round side by side: one call of the policy a step.
local function round()
  local states, actions, gains, lengths = {}, {}, {}, {}
  local worlds, seen = {}, {}
  for e = 1, o.episodes do worlds[e], seen[e] = start(), {} end
  for t = 1, o.limit do
    local who, list = {}, {}
    for e = 1, o.episodes do
      if worlds[e] then who[#who + 1], list[#list + 1] = e, worlds[e] end
    end
    if #who == 0 then break end
    local chances, draws = act(nd.array(list)), rng:rand(#who)
    for i, e in ipairs(who) do
      local right = draws[i - 1] < chances[i - 1]
      seen[e][t] = { worlds[e], right and 1.0 or 0.0 }
      local new, fallen = push(worlds[e], right)
      worlds[e] = not fallen and new or nil
    end
  end
  for e, steps in ipairs(seen) do -- what came after a step, worth less the later it came
    local sum = 0
    lengths[e] = #steps
    for t = #steps, 1, -1 do
      sum = 1 + 0.97 * sum
      states[#states + 1], actions[#actions + 1], gains[#gains + 1] = steps[t][1], steps[t][2], sum
    end
  end
  local g = nd.array(gains)
  learn(nd.array(states), nd.array(actions), (g - g:mean()) / (g:std() + 1e-8))
  return nd.array(lengths)
end

for r = 1, o.rounds do
  local lengths = round()
  if r == 1 or r % 10 == 0 or r == o.rounds then
    print(("round %d: poles stand %.0f steps, %d of %d all %d"):format(r, lengths:mean(),
      nd.sum(nd.eq(lengths, o.limit)), o.episodes, o.limit))
    theano.run:log { round = r, steps = lengths:mean() }
  end
  if theano.interrupted() then break end
end
