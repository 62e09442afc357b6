--- A robot's arm that reaches for points, by damped least squares (Levenberg's), all points beside each other; and the
-- gradient through all of these solutions, which tells how long its links should be.
-- build/theano examples/linalg/robot_arm.lua [rounds] [folder]
-- Prints how far the hand ends from the points and how much the joints are bent, before and after; writes
-- robot-arm.png: the arm over its points with the links that were found.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local rounds, out_dir = tonumber(arg[1]) or 40, arg[2] or "."

-- Points on an ellipse that the hand is to touch.
local count, joints = 12, 4
local around = nd.arange(count) * (2 * math.pi / count)
local points = nd.stack({ 1.2 + 0.8 * nd.cos(around), 0.6 + 0.5 * nd.sin(around) }, 1)

-- ---- the arm --------------------------------------------------------------------------------------------------------
local share = theano.shared(nd.zeros { joints }, "share")
local links = 2.6 * T.nnet.softmax(share:dimshuffle("x", 0))[0] -- the arm is 2.6 long in all

local function elbows(bends, lengths) -- ends of the links, for each point
  local angle = T.cumsum(bends, { axis = 1 })
  return T.cumsum(lengths * T.cos(angle), { axis = 1 }), T.cumsum(lengths * T.sin(angle), { axis = 1 })
end
local target, rest = T.constant(points), T.constant(nd.full({ count, joints }, 0.4))
local ease = 0.05 -- how much a bent joint counts beside a hand that is off

-- One step: what the hand is off and what the joints are bent, both linear around where they are now.
local function reach(bends, lengths)
  local x, y = elbows(bends, lengths)
  local hand = T.stack({ x[{ T.slice(), -1 }], y[{ T.slice(), -1 }] }, 1)
  local zero = T.zeros({ count, 1 })
  local from_x = T.concatenate({ zero, x[{ T.slice(), T.slice(nil, -1) }] }, 1) -- the joints
  local from_y = T.concatenate({ zero, y[{ T.slice(), T.slice(nil, -1) }] }, 1)
  local across = hand[{ T.slice(), 0 }]:dimshuffle(0, "x") - from_x
  local along = from_y - hand[{ T.slice(), 1 }]:dimshuffle(0, "x")
  local J = T.stack({ along, across }, 1) -- (points, 2, joints): how the hand moves
  local Jt = J:dimshuffle(0, 2, 1)
  local A = T.matmul(Jt, J) + (ease ^ 2 + 1e-3) * T.eye(joints)
  local b = T.matmul(Jt, (target - hand):dimshuffle(0, 1, "x")) - ease ^ 2 * bends:dimshuffle(0, 1, "x")
  return bends + T.slinalg.solve(A, b, { assume_a = "pos" })[{ T.slice(), T.slice(), 0 }]
end
local turns = theano.scan { fn = reach, outputs_info = rest, non_sequences = links, n_steps = 15 }
local bends = turns[-1]
local x, y = elbows(bends, links)
local off = T.sqrt(T.sqr(x[{ T.slice(), -1 }] - target[{ T.slice(), 0 }])
  + T.sqr(y[{ T.slice(), -1 }] - target[{ T.slice(), 1 }]))
local effort = T.mean(T.sum(T.sqr(bends), { axis = 1 }))
local cost = effort + 100 * T.mean(T.sqr(off))

local improve = theano.compile {
  inputs = {}, outputs = { effort, T.mean(off), links },
  updates = { { share, share - 0.1 * T.grad(cost, share) } },
}
local function say(when, bent, away, lengths)
  print(("%s: bent by %.3f, %.4f from the points, links %s"):format(when, bent, away, tostring(nd.round(lengths, 2))))
end
say("before", improve())
for _ = 2, rounds do improve() end
say("after", improve())

-- ---- the picture ----------------------------------------------------------------------------------------------------
local where = theano.compile { inputs = {}, outputs = { x, y } }
local xs, ys = where()
local size, zoom = 240, 85
local picture = nd.full({ size, size }, 255)
local function dot(px, py, radius, grey)
  local row, column = (size * 0.6 - py * zoom) // 1 | 0, (20 + px * zoom) // 1 | 0
  picture[{ T.slice(math.max(row - radius, 0), row + radius + 1), T.slice(math.max(column - radius, 0),
    column + radius + 1) }] = grey
end
for i = 0, count - 1 do
  local fx, fy = 0, 0
  for k = 0, joints - 1 do
    local tx, ty = xs[{ i, k }], ys[{ i, k }]
    for s = 0, 120 do dot(fx + (tx - fx) * s / 120, fy + (ty - fy) * s / 120, 0, 150) end
    fx, fy = tx, ty
  end
end
for i = 0, count - 1 do
  for k = 0, joints - 1 do dot(xs[{ i, k }], ys[{ i, k }], 1, 80) end
  dot(points[{ i, 0 }], points[{ i, 1 }], 2, 0)
end
theano.plot.image(out_dir .. "/robot-arm.png", picture, { low = 0, high = 255 })
print("picture: " .. out_dir .. "/robot-arm.png")
