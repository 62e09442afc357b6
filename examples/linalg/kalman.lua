--- A Kalman filter: a scan that follows a thing flying in the plane by noisy positions, and the gradient of the
-- likelihood through all of its steps, which finds how noisy they are and how hard the thing is pushed about.
-- build/theano examples/linalg/kalman.lua [steps]
-- Prints the likelihood, the noise found beside the real one, and how far measured and filtered positions are off.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local steps = tonumber(arg[1]) or 60

-- ---- a flight: position and speed, pushed at random -----------------------------------------------------------------
local moments, interval, push, noise = 300, 0.1, 1.5, 0.5
local rng = nd.random.RandomState(4)
local speed = nd.cumsum(rng:randn(moments, 2) * push * interval, 0) + nd.array { 1.0, 0.5 }
local path = nd.cumsum(speed * interval, 0)
local measured = path + noise * rng:randn(moments, 2)

-- ---- the filter -----------------------------------------------------------------------------------------------------
-- State: x, y and their speeds; F moves it on, H is what is seen of it.
local F = T.constant(nd.eye(4) + nd.eye(4, 4, 2) * interval)
local H = T.constant(nd.eye(2, 4))
local I = T.constant(nd.eye(4))
local G = nd.concatenate({ nd.eye(2) * (interval ^ 2 / 2), nd.eye(2) * interval }) -- what a push does
local unknown = theano.shared(nd.array { 0.0, 0.0 }, "unknown") -- logarithms of push and noise
local Q = T.exp(2 * unknown[0]) * T.constant(G:dot(G.T))
local R = T.exp(2 * unknown[1]) * T.constant(nd.eye(2))

local function follow(seen, state, P)
  state, P = T.dot(F, state), T.matrix_dot(F, P, F.T) + Q -- where it should be, and how sure that is
  local S = T.matrix_dot(H, P, H.T) + R
  local off = seen - T.dot(H, state)
  local gain = T.slinalg.solve(S, T.dot(H, P), { assume_a = "pos" }).T
  local L = T.slinalg.cholesky(S)
  local white = T.slinalg.solve_lower_triangular(L, off)
  local likelihood = -T.sum(T.sqr(white)) / 2 - T.sum(T.log(T.diag(L))) - math.log(2 * math.pi)
  return state + T.dot(gain, off), T.dot(I - T.dot(gain, H), P), likelihood
end
local seen = T.dmatrix("seen")
local out = theano.scan {
  fn = follow, sequences = seen, outputs_info = { T.zeros({ 4 }), 10 * T.eye(4), false },
}
local states, likelihood = out[1], T.sum(out[3])

-- Steps as long as the gradient keeps its sign (Rprop).
local slope = T.grad(likelihood, unknown)
local step, last = theano.shared(nd.full({ 2 }, 0.1), "step"), theano.shared(nd.zeros { 2 }, "last")
local next_step = T.clip(step * T.switch(T.lt(slope * last, 0), 0.5, 1.2), 1e-6, 0.5)
local learn = theano.compile {
  inputs = { seen }, outputs = likelihood,
  updates = { { unknown, unknown + T.sgn(slope) * next_step }, { step, next_step }, { last, slope } },
}
for k = 1, steps do
  local value = learn(measured)
  if k == 1 or k % math.max(steps // 3, 1) == 0 then print(("step %2d: log likelihood %.2f"):format(k, value)) end
end
local found = nd.exp(unknown:get_value())
print(("found: push %.2f (it was %.2f), noise %.2f (it was %.2f)"):format(found[0], push, found[1], noise))

local filter = theano.compile { inputs = { seen }, outputs = states }
local function off(positions) return nd.sqrt(((positions - path) ^ 2):sum(1):mean()) end
local filtered = filter(measured)[{ T.slice(), T.slice(0, 2) }]
print(("off by: %.3f measured, %.3f filtered"):format(off(measured), off(filtered)))
