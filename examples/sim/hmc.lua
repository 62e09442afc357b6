--- Hamiltonian Monte Carlo on a density of two dimensions, a ring with a slope: 500 chains beside each other, their
-- leapfrog steps in a scan; the step adapts itself to an acceptance of 0.8.
-- build/theano examples/sim/hmc.lua [moves] [folder]
-- Prints mean radius and acceptance; writes where the samples fell, hmc.png.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local moves, out_dir = tonumber(arg[1]) or 400, arg[2] or "."
local chains, steps = 500, 10

local function energy(q) -- minus the logarithm of the density, of each chain
  local radius = T.sqrt(T.sum(T.sqr(q), { axis = 1 }))
  return 12.5 * T.sqr(radius - 2) - q[{ T.slice(), 0 }]
end
local function slope(q) return theano.grad(T.sum(energy(q)), q) end

local srng = theano.random.RandomStreams(7)
local q = theano.shared(nd.random.RandomState(8):randn(chains, 2), "q")
local size = theano.shared(0.05, "step")
local p = srng:normal({ chains, 2 })

local function leapfrog(position, momentum)
  local half = momentum - size / 2 * slope(position)
  local moved = position + size * half
  return moved, half - size / 2 * slope(moved)
end
local path = theano.scan { fn = leapfrog, outputs_info = { q, p }, n_steps = steps }
local q1, p1 = path[1][-1], path[2][-1]
local function total(a, b) return energy(a) + T.sum(T.sqr(b), { axis = 1 }) / 2 end
local accepted = T.lt(T.log(srng:uniform({ chains })), total(q, p) - total(q1, p1))
local rate = T.mean(accepted, { dtype = "float64" })
local move = theano.compile {
  inputs = {}, outputs = rate,
  updates = {
    { q, T.switch(accepted:dimshuffle(0, "x"), q1, q) }, { size, size * T.switch(T.gt(rate, 0.8), 1.02, 0.98) },
  },
}

local grid, radius, all, n = nd.zeros({ 160, 160 }), 0, 0, 0
for k = 1, moves do
  local ok = move()
  if k > moves // 5 then -- behind the start
    local at = q:get_value({ borrow = true })
    radius, all, n = radius + (at ^ 2):sum(1):sqrt():mean(), all + ok, n + 1
    local cell = ((at + 4) * 20):clip(0, 159):astype("int64")
    for i = 0, chains - 1, 5 do
      local row, column = 159 - cell[{ i, 1 }], cell[{ i, 0 }]
      grid[{ row, column }] = grid[{ row, column }] + 1
    end
  end
end
print(("mean radius %.2f, accepted %.2f, step %.3f"):format(radius / n, all / n, size:get_value()))
theano.plot.image(out_dir .. "/hmc.png", grid:sqrt())
print("picture: " .. out_dir .. "/hmc.png")
