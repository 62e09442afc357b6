-- A controller tuned by the gradient through 500 steps of a physics loop, as a game or a simulation would run it.
-- A motor with little torque has to bring pendulums from several angles to the upright position and hold them there.
-- Run it with: build/theano examples/sim/pendulum_control.lua
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local STEPS, DT, GRAVITY, FRICTION, TORQUE = 500, 0.01, 9.81, 0.1, 14.0

-- Gains of the controller: on the angle, on the speed.
local gains = theano.shared(nd.array({ 1.0, 0.1 }), { name = "gains" })
local angle0, speed0 = T.dvector("angle"), T.dvector("speed")

-- One step of all pendulums at once. Angle 0 is upright; the speed moves first, then the angle with the new speed.
local function step(angle, speed, k)
  local torque = TORQUE * T.tanh(-(k[0] * angle + k[1] * speed))
  local faster = speed + DT * (GRAVITY * T.sin(angle) - FRICTION * speed + torque)
  return angle + DT * faster, faster, torque
end

local trace = theano.scan {
  fn = step, outputs_info = { angle0, speed0, false }, non_sequences = gains, n_steps = STEPS, name = "pendulum",
}
local angles, speeds, torques = table.unpack(trace)
local cost = (angles ^ 2 + 0.1 * speeds ^ 2 + 0.001 * torques ^ 2):mean()

-- Gradient descent with momentum; a long step is cut, since far from the goal the slope is steep.
local slope = theano.grad(cost, gains)
local cut = slope / T.maximum(1, T.sqrt((slope ^ 2):sum()))
local momentum = theano.shared(nd.zeros({ 2 }))
local move = 0.9 * momentum - 0.05 * cut
local train = theano.compile {
  inputs = { angle0, speed0 }, outputs = cost, updates = { { momentum, move }, { gains, gains + move } },
}
local watch = theano.compile { inputs = { angle0, speed0 }, outputs = { angles, cost } }

local start, still = nd.linspace(-0.6, 0.6, 8), nd.zeros({ 8 })
local _, before = watch(start, still)
for i = 1, 200 do
  local c = train(start, still)
  if i % 50 == 0 then print(("iteration %d: cost %.4f"):format(i, c)) end
end
local path, after = watch(start, still)
local k = gains:get_value()
print(("gains %.2f %.2f; cost %.4f before, %.4f after"):format(k[0], k[1], before, after))
print(("the one that starts at %.1f is at %.3f after one second, at %.3f after five"):format(start[0], path[{ 99, 0 }],
  path[{ STEPS - 1, 0 }]))
