-- A hanging rope as a differentiable model: its energy is written down, its forces are the gradient. The model becomes
-- C that needs no engine (rope.c, rope.h), and examples/sim/rope_loop.c is the physics loop around it.
-- Run it with: build/theano examples/sim/rope.lua FOLDER
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local N, LENGTH, STIFF, MASS, GRAVITY, DRAG = 33, 1.0, 2000.0, 0.01, 9.81, 0.05
local DT = 0.0005

-- Positions of the points, the first of which is held; the rope's parts want to be LENGTH / (N - 1) long.
local at, speed = T.dmatrix("at"), T.dmatrix("speed")
local part = at["1:"] - at[":-1"]
local stretch = T.sqrt((part ^ 2):sum({ axis = 1 })) - LENGTH / (N - 1)
local potential = 0.5 * STIFF * (stretch ^ 2):sum() + MASS * GRAVITY * at[":, 1"]:sum()
local force = -T.grad(potential, at) - DRAG * MASS * speed

-- The speed moves first, then the place with the new speed: energy stays where it is but for the drag.
local free = T.constant(nd.concatenate({ nd.zeros({ 1, 1 }), nd.ones({ N - 1, 1 }) }))
local faster = speed + DT / MASS * force * free
local moved = at + DT * faster
local energy = potential + 0.5 * MASS * (speed ^ 2):sum()

local step = theano.compile {
  inputs = { at, speed }, outputs = { energy = energy, next_at = moved, next_speed = faster }, name = "rope",
}
local line = nd.linspace(0, LENGTH, N):reshape { N, 1 }
local state = nd.concatenate({ line, line * 0 }, { axis = 1 })
step:export("rope", { dir = arg[1] or ".", args = { state, nd.zeros { N, 2 } } })
print("rope.c and rope.h are written")
