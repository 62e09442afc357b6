--- Gaussian-process regression: the logarithms of length, height and noise follow the gradient of the marginal
-- likelihood, through a Cholesky factor and two triangular solves.
-- build/theano examples/linalg/gaussian_process.lua [steps] [folder]
-- Prints the likelihood and what was found; writes gaussian-process.png: the points, the mean, and two deviations to
-- either side of it.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local steps, out_dir = tonumber(arg[1]) or 60, arg[2] or "."

-- ---- points: a wave that is seen through noise, with a gap ----------------------------------------------------------
local n, noise = 60, 0.15
local rng = nd.random.RandomState(3)
local at = nd.concatenate({ rng:uniform(-4, 0.5, n // 2), rng:uniform(2, 4, n // 2) })
local function wave(v) return nd.sin(2 * v) + 0.4 * v end
local seen = wave(at) + noise * rng:randn(n)

-- ---- the model ------------------------------------------------------------------------------------------------------
local x, y, new = T.dvector("x"), T.dvector("y"), T.dvector("new")
local theta = theano.shared(nd.array { 0.0, 0.0, -1.0 }, "theta") -- logarithms of length, height, noise
local length, height, blur = T.exp(theta[0]), T.exp(theta[1]), T.exp(theta[2])
local function kernel(a, b)
  return height ^ 2 * T.exp(-T.sqr((a:dimshuffle(0, "x") - b:dimshuffle("x", 0)) / length) / 2)
end
local K = kernel(x, x) + blur ^ 2 * T.eye(x.shape[0])
local L = T.slinalg.cholesky(K)
local white = T.slinalg.solve_lower_triangular(L, y) -- y as if its points had nothing to do with each other
local cost = T.sum(T.sqr(white)) / 2 + T.sum(T.log(T.diag(L))) + x.shape[0] * (math.log(2 * math.pi) / 2)

-- Steps as long as the gradient keeps its sign: each parameter by its own step (Rprop).
local slope = T.grad(cost, theta)
local step, last = theano.shared(nd.full({ 3 }, 0.1), "step"), theano.shared(nd.zeros { 3 }, "last")
local same = T.sgn(slope * last)
local next_step = T.clip(step * T.switch(T.lt(same, 0), 0.5, 1.2), 1e-6, 0.5)
local learn = theano.compile {
  inputs = { x, y }, outputs = cost,
  updates = { { theta, theta - T.sgn(slope) * next_step }, { step, next_step }, { last, slope } },
}
for k = 1, steps do
  local value = learn(at, seen)
  if k == 1 or k % math.max(steps // 3, 1) == 0 then print(("step %3d: log likelihood %.3f"):format(k, -value)) end
end
local found = nd.exp(theta:get_value())
print(("length %.2f, height %.2f, noise %.2f"):format(found[0], found[1], found[2]))

-- ---- what it expects elsewhere --------------------------------------------------------------------------------------
local cross = T.slinalg.solve_lower_triangular(L, kernel(x, new))
local predict = theano.compile {
  inputs = { x, y, new },
  outputs = { T.dot(cross.T, white), T.sqrt(height ^ 2 - T.sum(T.sqr(cross), { axis = 0 })) },
}
local columns, rows, top = 480, 240, 3.5
local line = nd.linspace(-5, 5, columns)
local mean, spread = predict(at, seen, line)
local wrong = nd.abs(mean - wave(line))[nd.logical_and(nd.ge(line, -4), nd.le(line, 4))]
print(("mean off by %.2f at most; two deviations are %.2f among the points, %.2f in the gap, %.2f outside"):format(
  wrong:max(), 2 * spread[columns // 4], 2 * spread[columns * 6 // 10], 2 * spread[columns - 1]))

-- ---- the picture ----------------------------------------------------------------------------------------------------
local function row_of(v) return (top - v) / (2 * top) * (rows - 1) end
local down = nd.arange(rows):reshape({ rows, 1 })
local middle, wide = row_of(mean), spread * (rows - 1) / top -- two deviations
local picture = nd.where(nd.le(nd.abs(down - middle), wide), 190, 255)
picture = nd.where(nd.le(nd.abs(down - middle), 0.8), 90, picture)
for i = 0, n - 1 do
  local column, row = ((at[i] + 5) / 10 * (columns - 1) + 0.5) // 1 | 0, (row_of(seen[i]) + 0.5) // 1 | 0
  picture[{ T.slice(row - 1, row + 2), T.slice(column - 1, column + 2) }] = 0
end
theano.plot.image(out_dir .. "/gaussian-process.png", picture, { low = 0, high = 255 })
print("picture: " .. out_dir .. "/gaussian-process.png")
