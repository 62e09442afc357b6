-- theano.scan on random bodies with updates of shared variables, until_ and loops inside, against the steps written
-- out: results, final shared values, and gradients with respect to everything.
local theano = require "theano"
local T, nd = theano.tensor, theano.ndarray

local function close(a, b, what)
  a, b = nd.array(a), nd.array(b)
  assert.same(a.shape, b.shape, what)
  if not nd.allclose(a, b, 1e-8, 1e-8) then error(what .. ": " .. tostring(a) .. "\nwanted\n" .. tostring(b)) end
end

local LENGTH = 3

-- A random expression over args: two to four terms through tanh, none of which grows.
local function expression(rng)
  local terms = {}
  for i = 1, 2 + rng:randint(0, 3) do terms[i] = { rng:randint(0, 100), rng:randint(0, 100), rng:randint(0, 5) } end
  return function(args)
    local sum
    for _, p in ipairs(terms) do
      local a, b = args[p[1] % #args + 1], args[p[2] % #args + 1]
      local term
      if p[3] == 0 then term = a * b
      elseif p[3] == 1 then term = T.tanh(a) - 0.5 * b
      elseif p[3] == 2 then term = T.cos(a) * 0.7
      elseif p[3] == 3 then term = a * b:mean()
      else term = T.sqr(a) + b end
      sum = sum and sum + term or term
    end
    return T.tanh(sum)
  end
end

-- One loop: what a step computes from (row, state, value, shared), as a scan and written out.
local function random_step(rng)
  local k = { state = expression(rng), out = expression(rng), shared = expression(rng), inner = expression(rng) }
  local nested, turns = rng:randint(0, 2) == 1, rng:randint(2, 4)
  return function(written, u, h, w, s)
    local from = h
    if nested and written then
      for _ = 1, turns do from = k.inner { u, from, w, s } end
    elseif nested then
      from = theano.reduce { fn = function(_, g) return k.inner { u, g, w, s } end, sequences = { T.arange(turns) },
        outputs_info = h }
    end
    return k.state { u, from, w, s }, k.out { from, u, s, w }, k.shared { s, from, w, u }
  end, nested
end

local function weighted(v, n) return (v * (1 + T.arange(n):dimshuffle(0, "x"))):sum() end

local function case(seed, mode)
  local rng = nd.random.RandomState(seed)
  local rows, step = rng:randint(3, 7), random_step(rng)
  local updates, ends, two = rng:randint(0, 2) == 1, rng:randint(0, 2) == 1, rng:randint(0, 2) == 1
  local x, h0, w = T.dmatrix("x"), T.dvector("h0"), T.dvector("w")
  local s = theano.shared(rng:randn(LENGTH), { name = "s" })
  local values = { rng:randn(rows, LENGTH), rng:randn(LENGTH), rng:randn(LENGTH) }
  local limit = nd.array(rng:uniform(-1.5, 1.5, { 1 }))[0]

  -- written out
  local h, now, hs, outs = h0, s, {}, {}
  local shared_after = {}
  for t = 1, rows do
    local o, after
    h, o, after = step(true, x[t - 1], h, w, now)
    if updates then now = after end
    hs[t], outs[t], shared_after[t] = h, o, now
  end
  local n = rows
  if ends then
    local sums = {}
    for t = 1, rows do sums[t] = hs[t]:sum() end
    local sum = theano.compile { inputs = { x, h0, w }, outputs = T.stack(sums), mode = mode,
      on_unused_input = "ignore" }(table.unpack(values))
    for t = rows, 1, -1 do
      if sum[t - 1] > limit then n = t end
    end
  end
  local want = { T.stack({ table.unpack(hs, 1, n) }), T.stack({ table.unpack(outs, 1, n) }), shared_after[n] }

  -- the loop
  local bound = T.constant(limit, { dtype = "float64" })
  local function body(u, g, v)
    local g2, o, after = step(false, u, g, v, s)
    local r = { { g2, o } }
    if updates then r[#r + 1] = { { s, after } } end
    if ends then r[#r + 1] = theano.until_(T.gt(g2:sum(), bound)) end
    return table.unpack(r)
  end
  local function made()
    local got, up = theano.scan { fn = body, sequences = x, outputs_info = { h0, false }, non_sequences = w }
    return { got[1], got[2], updates and up:get(s) or s }
  end
  local got = made()
  if two then got[2] = made()[2] end -- a second loop, to be merged with the first

  local function cost(v) return weighted(v[1], n) + weighted(v[2], n) + T.sqr(v[3]):sum() end
  local wrt, ignore = { x, h0, w, s }, { disconnected_inputs = "ignore" }
  local a, b = theano.grad(cost(got), wrt, ignore), theano.grad(cost(want), wrt, ignore)
  local all, names = {}, { "state", "result", "shared", "dx", "dh0", "dw", "ds" }
  for i = 1, 3 do all[i], all[7 + i] = got[i], want[i] end
  for i = 1, 4 do all[3 + i], all[10 + i] = a[i], b[i] end
  local r = table.pack(theano.compile { inputs = { x, h0, w }, outputs = all, mode = mode, on_unused_input = "ignore" }(
    table.unpack(values)))
  for i = 1, 7 do close(r[i], r[7 + i], ("seed %d %s"):format(seed, names[i])) end
  return n < rows, updates, two
end

describe("scan with updates, until_ and nesting", function()
  it("agrees with the steps written out", function()
    local mode = theano.compile.Mode { linker = "interpreter" }
    local early, updated, twice = 0, 0, 0
    for seed = 1, 60 do
      local e, u, t = case(seed, mode)
      early, updated, twice = early + (e and 1 or 0), updated + (u and 1 or 0), twice + (t and 1 or 0)
    end
    assert.is_true(early >= 5 and updated >= 15 and twice >= 15, ("%d %d %d"):format(early, updated, twice))
  end)

  it("agrees compiled, and without rewrites", function()
    for seed = 61, 64 do case(seed, theano.compile.Mode { linker = "c" }) end
    local plain = theano.compile.Mode { linker = "interpreter", optimizer = "None" }
    for seed = 61, 75 do case(seed, plain) end
  end)
end)
