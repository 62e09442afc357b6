--- All turns of a loop by one launch on a GPU, whose blocks wait for each other: the bits of the steps launched one by
-- one (as a profiled function's are), the CPU's values, few launches; what cannot be is launched step by step.
local emulated = require("spec.support.emulated")
local rotate = require("spec.support.rotate")
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function numbers(seed, ...)
  local n, shape = 1, { ... }
  for _, d in ipairs(shape) do n = n * d end
  return (nd.sin(nd.arange(n):astype("float64") * 0.7 + seed) * 0.3):reshape(shape)
end

-- Cells: of the sequence's row, the states; weights by number.
local CELLS = {
  lstm = { states = 2, gates = 4, step = function(v, w, u, width, h, c)
    local z = T.dot(v, w) + T.dot(h, u)
    local function gate(i) return z[(":, %d:%d"):format(i * width, (i + 1) * width)] end
    c = T.nnet.sigmoid(gate(1)) * c + T.nnet.sigmoid(gate(0)) * T.tanh(gate(2))
    return T.nnet.sigmoid(gate(3)) * T.tanh(c), c
  end },
  gru = { states = 1, gates = 3, step = function(v, w, u, width, h)
    local x, y = T.dot(v, w), T.dot(h, u)
    local function part(z, i) return z[(":, %d:%d"):format(i * width, (i + 1) * width)] end
    local r, z = T.nnet.sigmoid(part(x, 0) + part(y, 0)), T.nnet.sigmoid(part(x, 1) + part(y, 1))
    return (1 - z) * T.tanh(part(x, 2) + r * part(y, 2)) + z * h
  end },
  rnn = { states = 1, gates = 1, step = function(v, w, u, _, h) return T.tanh(T.dot(v, w) + T.dot(h, u)) end },
  -- two products, points behind each; a part read the other way round, by other blocks than made it
  two = { states = 2, gates = 2, step = function(v, w, u, width, h, g)
    local function part(z, i) return z[(":, %d:%d"):format(i * width, (i + 1) * width)] end
    local z = T.dot(v, w) + T.dot(h, u)
    local a = T.nnet.sigmoid(part(z, 0)) * T.tanh(part(z, 1)) + T.tanh(g)
    local y = T.dot(a, u)
    return a * T.nnet.sigmoid(part(y, 1)) + h, T.tanh(part(y, 0)) * a
  end },
  back = { states = 1, gates = 2, step = function(v, w, u, width, h)
    local z = T.dot(v, w) + T.dot(h, u)
    return T.tanh(z[(":, :%d"):format(width)]) * z[(":, %d:"):format(width)][":, ::-1"] + T.tanh(h)
  end },
  -- rows that meet: of as many rows as columns, by the product; by points, the other way round and one further
  mix = { states = 1, gates = 1, square = true, step = function(v, w, u, _, h)
    return T.tanh(T.dot(v, w) + T.dot(u, h))
  end },
  turned = { states = 1, gates = 1, step = function(v, w, u, _, h)
    return T.tanh(T.dot(v, w) + T.dot(h, u)) + h["::-1"] * 0.5
  end },
  next = { states = 1, gates = 1, step = function(v, w, u, _, h)
    local z = T.dot(v, w) + T.dot(h, u)
    return T.tanh(z) + T.set_subtensor(T.zeros_like(h)[":-1"], h["1:"] * 0.5)
  end },
}

-- A function of the sequence: last states, and gradients by both weights.
local function made(cell, dtype, shape, more)
  local steps, rows, wide, width = table.unpack(shape)
  local x = T.TensorType(dtype, { false, false, false })("x")
  local w = theano.shared(numbers(1, wide, cell.gates * width):astype(dtype), { name = "w" })
  local u = theano.shared(numbers(2, width, cell.gates * width):astype(dtype), { name = "u" })
  local infos = {}
  for i = 1, cell.states do infos[i] = T.unbroadcast(T.constant(numbers(i, rows, width):astype(dtype)), 0) end
  local out = theano.scan(function(v, h, c) return cell.step(v, w, u, width, h, c) end,
    { sequences = { x }, outputs_info = infos, go_backwards = more.backwards, truncate_gradient = more.truncate })
  local first = cell.states > 1 and out[1] or out
  local cost = T.sqr(first[-1]):sum() + first:sum()
  local f = theano.compile({ inputs = { x }, outputs = { first, cost, table.unpack(T.grad(cost, { w, u })) },
    profile = more.profile })
  return f, numbers(5, steps, rows, wide):astype(dtype)
end

-- Profiles are not printed.
local quiet = { device = emulated.flags.device, force_device = true, ["profiling.destination"] = "/dev/null" }

local function arrays(list)
  for i, a in ipairs(list) do list[i] = nd.array(a):reshape({ -1 }) end
  return list
end

-- What a GPU's values are compared with: the CPU's, by the interpreter, so that no compiler makes them.
local function on_cpu(run, ...)
  local _ <close> = theano.config.change_flags({ linker = "interpreter" })
  return run(...)
end

-- Of a function and the sequence that it takes, results and the sequence.
local function called(make, ...)
  local f, x = make(...)
  return arrays({ f(x) }), x
end

local function apart(a, b) return nd.abs(a:astype("float64") - b:astype("float64")):max() end

describe("turns of a loop on a GPU", function()
  it("are one launch for each loop: same bits as step by step, the CPU's values, in a graph too #asan", function()
    for name, cell in pairs(CELLS) do
      local cases = { { "float32", { 7, 5, 3, 9 } }, { "float64", { 4, 1, 2, 17 } }, { "float32", { 2, 33, 8, 16 } } }
      if cell.square then cases = { { "float32", { 7, 5, 3, 5 } }, { "float64", { 2, 33, 3, 33 } } } end
      for _, case in ipairs(rotate.some(cases, 1)) do
        local dtype, shape = case[1], case[2]
        local want, x = on_cpu(called, made, cell, dtype, shape, {})
        local _ <close> = theano.config.change_flags(quiet)
        local g, step_by_step = made(cell, dtype, shape, {}), made(cell, dtype, shape, { profile = true })
        local alone = arrays({ step_by_step(x) })
        for call = 1, 4 do
          local got
          local n = emulated.counted(function() got = arrays({ g(x) }) end)
          if call == 1 then assert.equal(2, n.cuLaunchCooperativeKernel, name) end
          if call == 4 then assert.equal(1, n.cuGraphLaunch, name) end
          for i, a in ipairs(got) do
            assert(nd.array_equal(alone[i], a), ("%s, result %d of call %d"):format(name, i, call))
            assert(apart(a, want[i]) <= (dtype == "float32" and 2e-5 or 1e-12) * (1 + nd.abs(want[i]):max()), name)
          end
        end
      end
    end
  end)

  it("add many terms as four sums, alone as in turns, and those that do not lie well too", function()
    local cases = {
      { "lstm", "float32", { 2, 3, 2, 70 } }, { "lstm", "float32", { 2, 17, 2, 65 } }, -- 280, 260 terms
      { "lstm", "float32", { 2, 2, 3, 280 } }, { "lstm", "float64", { 2, 2, 2, 67 } }, -- 1120, 268
      { "gru", "float32", { 2, 3, 2, 99 } }, { "gru", "float64", { 2, 5, 2, 95 } }, -- 297, 285: by none of 16 bytes
      { "rnn", "float32", { 2, 2, 2, 1030 } }, { "rnn", "float64", { 2, 1, 2, 513 } },
      { "rnn", "float32", { 2, 2, 2, 256 } }, { "rnn", "float32", { 2, 2, 2, 260 } },
    }
    for _, case in ipairs(rotate.some(cases, 3)) do
      local name, dtype, shape = table.unpack(case)
      local want, x = on_cpu(called, made, CELLS[name], dtype, shape, {})
      local _ <close> = theano.config.change_flags(quiet)
      local g = made(CELLS[name], dtype, shape, {})
      local alone, got = arrays({ made(CELLS[name], dtype, shape, { profile = true })(x) }), nil
      local n = emulated.counted(function() got = arrays({ g(x) }) end)
      assert.equal(2, n.cuLaunchCooperativeKernel, name)
      for i, a in ipairs(got) do
        local what = ("%s, %s, width %d: result %d"):format(name, dtype, shape[4], i)
        assert(nd.array_equal(alone[i], a), what)
        assert(apart(a, want[i]) <= (dtype == "float32" and 3e-5 or 1e-12) * (1 + nd.abs(want[i]):max()), what)
      end
    end
  end)

  -- The emulated GPU lets one such group go as far as it can before the others begin, the first, the last or any.
  it("wait for blocks of the same rows alone where no row meets another's, in any turn", function()
    emulated.resident(16)
    local _ <close> = setmetatable({}, { __close = function() emulated.resident(1) end })
    -- of each loop, forward and back: blocks that wait for each other; some wait for nobody, and a last one has others
    local cases = {
      { "lstm", "float32", { 5, 33, 3, 9 }, 2, 1 }, { "lstm", "float64", { 4, 64, 2, 17 }, 3, 2 },
      { "gru", "float32", { 4, 40, 3, 10 }, 2, 1 }, { "gru", "float64", { 6, 17, 2, 9 }, 2, 1 },
      { "rnn", "float32", { 5, 49, 3, 40 }, 2, 2 }, { "rnn", "float64", { 4, 35, 3, 7 }, 1, 1 },
      { "lstm", "float32", { 2, 20, 2, 70 }, 9, 5 },
      { "two", "float32", { 4, 36, 3, 12 }, 1, 3 }, { "back", "float32", { 4, 36, 3, 12 }, 3, 3 }, -- all: rows meet
      { "mix", "float32", { 4, 33, 3, 33 }, 6, 6 }, { "turned", "float32", { 4, 33, 3, 12 }, 3, 3 },
      { "next", "float32", { 4, 35, 3, 12 }, 3, 3 },
      { "lstm", "float32", { 3, 16, 2, 40 }, 5, 3 }, { "lstm", "float32", { 2, 180, 2, 48 }, 64, 3 }, -- all; too many
    }
    for _, case in ipairs(rotate.some(cases, 4)) do
      local name, dtype, shape, forward, back = table.unpack(case, 1, 5)
      for _, more in ipairs({ {}, { truncate = shape[1] - 1, backwards = true } }) do
        local want, x = on_cpu(called, made, CELLS[name], dtype, shape, more)
        local _ <close> = theano.config.change_flags(quiet)
        local g, among = made(CELLS[name], dtype, shape, more), {}
        local alone = arrays({ made(CELLS[name], dtype, shape, { profile = true, truncate = more.truncate,
          backwards = more.backwards })(x) })
        for call = 1, 4 do
          for i, a in ipairs(arrays({ g(x) })) do
            local what = ("%s, %s, rows %d, width %d: result %d of call %d"):format(name, dtype, shape[2], shape[4], i,
              call)
            assert(nd.array_equal(alone[i], a), what)
            assert(apart(a, want[i]) <= (dtype == "float32" and 3e-5 or 1e-12) * (1 + nd.abs(want[i]):max()), what)
          end
        end
        for _, k in ipairs(theano.printing.roofline(g, "h100", { compile = false }).kernels) do
          if k.turns_of then among[k.turns_of] = k.among end
        end
        local what = ("%s, rows %d, width %d"):format(name, shape[2], shape[4])
        assert.equal(forward, among[0], what)
        assert(back == among[1] or not among[1], what) -- a loop of one turn is none
      end
    end
  end)

  -- A number that is left over from the call before would be taken for one that is there; so each call has other ones.
  it("look for the rows of their one product where all turns are kept, and do not wait", function()
    emulated.resident(16)
    local _ <close> = setmetatable({}, { __close = function() emulated.resident(1) end })
    local cases = { -- of each loop, forward and back: whether it looks
      { "lstm", "float32", { 5, 33, 3, 9 }, true, true }, { "lstm", "float64", { 4, 64, 2, 17 }, true, true },
      { "gru", "float32", { 4, 40, 3, 10 }, true, true },
      { "rnn", "float32", { 5, 49, 3, 40 }, nil, true }, -- the product stores
      { "gru", "float64", { 3, 20, 2, 95 }, true, true }, { "lstm", "float32", { 3, 20, 2, 70 }, true, true },
      { "lstm", "float32", { 2, 180, 2, 48 }, nil, nil }, -- forward too many blocks
      { "two", "float32", { 4, 36, 3, 12 } }, { "back", "float32", { 4, 36, 3, 12 } },
      { "mix", "float32", { 4, 33, 3, 33 } }, { "turned", "float32", { 4, 33, 3, 12 } },
      { "next", "float32", { 4, 35, 3, 12 } },
    }
    for _, case in ipairs(rotate.some(cases, 5)) do
      local name, dtype, shape, forward, back = table.unpack(case, 1, 5)
      local f, x = made(CELLS[name], dtype, shape, {})
      local xs, want = { x, x * 0.5 + 0.1, x * -2, x + 0.3 }, {}
      for i, v in ipairs(xs) do want[i] = arrays({ f(v) }) end
      local _ <close> = theano.config.change_flags(quiet)
      local g, alone = made(CELLS[name], dtype, shape, {}), made(CELLS[name], dtype, shape, { profile = true })
      for call, v in ipairs(xs) do
        local by_steps = arrays({ alone(v) })
        for i, a in ipairs(arrays({ g(v) })) do
          local what = ("%s, %s, width %d: result %d of call %d"):format(name, dtype, shape[4], i, call)
          assert(nd.array_equal(by_steps[i], a), what)
          assert(apart(a, want[call][i]) <= (dtype == "float32" and 3e-5 or 1e-12)
            * (1 + nd.abs(want[call][i]):max()), what)
        end
      end
      local told, waits = {}, { 0, 0 }
      for _, k in ipairs(theano.printing.roofline(g, "h100", { compile = false }).kernels) do
        local i = (k.turns_of or 0) + 1
        if k.turns_of then told[i], waits[i] = told[i] or k.told, waits[i] + k.waits end
      end
      local what = ("%s, %s, width %d"):format(name, dtype, shape[4])
      assert.same({ forward, back }, { told[1], told[2] }, what)
      for i = 1, 2 do assert((waits[i] == 0) == (told[i] == true), what) end
    end
  end)

  it("store no number by which they would look for ever, and look at no first row", function()
    emulated.resident(16)
    local _ <close> = setmetatable({}, { __close = function() emulated.resident(1) end })
    for _, dtype in ipairs({ "float32", "float64" }) do
      -- a state that is what the sequence is where that is no number: of all bits set
      local bad = nd.frombuffer(("\xff"):rep(17 * 6 * (dtype == "float32" and 4 or 8)), dtype):reshape({ 17, 6 })
      local x = T.TensorType(dtype, { false, false, false })("x")
      local first = T.TensorType(dtype, { false, false })("first")
      local u = theano.shared(numbers(2, 6, 12):astype(dtype), { name = "u" })
      local out = theano.scan(function(v, h)
        local z = T.dot(h, u)
        return T.switch(T.isnan(v), v, T.tanh(v + z[":, :6"]) * z[":, 6:"])
      end, { sequences = { x }, outputs_info = { first } })
      local v = numbers(5, 4, 17, 6):astype(dtype)
      v["1, :, :2"] = bad[":, :2"]
      local function make() return theano.compile({ inputs = { x, first }, outputs = out }) end
      local want = make()(v, bad)
      local _ <close> = theano.config.change_flags(quiet)
      local f, got = make(), nil
      for _ = 1, 3 do got = nd.array(f(v, bad)) end
      assert(nd.array_equal(nd.isnan(want), nd.isnan(got)))
      assert(apart(nd.nan_to_num(got), nd.nan_to_num(want)) < 1e-5)
      local told
      for _, k in ipairs(theano.printing.roofline(f, "h100", { compile = false }).kernels) do told = told or k.told end
      assert.is_true(told)
    end
  end)

  it("take less time for products of many terms than one thread's chain of them", function()
    local _ <close> = theano.config.change_flags(emulated.flags)
    local f, x = made(CELLS.lstm, "float32", { 2, 2, 2, 128 }, {})
    f(x)
    local seen = 0
    for _, k in ipairs(theano.printing.roofline(f, "h100", { compile = false }).kernels) do
      if k.turns_of and k.m and not k.quarter then -- the sums of a turn: two slices of 64 terms, one behind the other
        assert.same({ 128, { 16, 32, 128 } }, { k.k, k.tile })
        assert(k.estimate < 1e-6, k.estimate)
      elseif k.quarter then
        seen = seen + 1
        assert.same({ 512, 256, { 16, 16, 256 } }, { k.k, k.quarter, k.tile })
        assert(k.estimate < 512 * 4 / 1.98e9 + 0.3e-6, k.estimate) -- a chain, and the way of one slice
      end
    end
    assert.equal(1, seen)
  end)

  it("run backwards, from truncated gradients, with two taps and several sequences", function()
    local cases = {}
    for _, more in ipairs({ { backwards = true }, { truncate = 3 } }) do
      cases[#cases + 1] = function(profile)
        return made(CELLS.gru, "float64", { 6, 3, 4, 5 }, { profile = profile, backwards = more.backwards,
          truncate = more.truncate })
      end
    end
    cases[#cases + 1] = function(profile) -- what is two turns away; a state of which only the end is kept
      local x, y = T.dmatrix("x"), T.dmatrix("y")
      local out = theano.scan(function(v, z, before, last, s) return v * last - 0.5 * before + z, s * 0.9 + v end,
        { sequences = { x, y }, outputs_info = { { initial = T.constant(numbers(3, 2, 6)), taps = { -2, -1 } },
          T.constant(numbers(4, 6)) } })
      local cost = out[1]:sum() + T.sqr(out[2][-1]):sum()
      local f = theano.compile({ inputs = { x, y }, outputs = { out[1], out[2][-1], T.grad(cost, x) },
        profile = profile })
      return function(v) return f(v, v * 2) end, numbers(1, 9, 6)
    end
    for i, case in ipairs(cases) do
      local want, x = on_cpu(called, case)
      local _ <close> = theano.config.change_flags(quiet)
      local alone = arrays({ case(true)(x) })
      local g = case()
      for _ = 1, 3 do
        for j, a in ipairs(arrays({ g(x) })) do
          assert(nd.array_equal(alone[j], a), ("case %d, result %d"):format(i, j))
          assert(apart(a, want[j]) < 1e-12, ("case %d, result %d beside the CPU"):format(i, j))
        end
      end
    end
  end)

  it("write a carried value where the turn has read it, and the numbers are the CPU's", function()
    -- What two shared variables are after some turns: each new value by both old ones.
    local cases = {
      function(a, b) return b * 0.5 + 1, a - b end,
      function(a, b) return b, a end,
      function(a, b) return a, a * b end,
      function(a, b) return b, T.tanh(b) * 0.5 end,
      function(a, b) return T.dot(a, b), T.tanh(a) end,
      function(a, b) return T.tanh(T.dot(b, a)), T.dot(T.tanh(a), b) end,
      function(a, b) return a[("::-1")] + b, T.dot(a, a) * 0.5 end,
      function(a, b) return a + 1, b * 0.5 end,
      -- what is carried beside a product is computed with the product's factor, and written where it was read..
      function(a, b) local u = T.tanh(a) * b; return T.dot(u, b) * 0.1, u * 0.5 end,
      function(a, b) local u = T.tanh(a) * b; return T.dot(u, u) * 0.1, u + b end,
      -- ..but not where other places are read
      function(a, b) local u = T.tanh(a) * b[("::-1")]; return T.dot(u, u) * 0.1, u * 0.5 end,
      function(a, b) local u = T.tanh(a) * b; return T.dot(u, u) * 0.1, u + b.T end,
      function(a, b) local u = T.tanh(a) * T.addbroadcast(b[(":, :1")], 1); return T.dot(u, u) * 0.1, u * 0.5 end,
    }
    local function after(case)
      local a, b = theano.shared(numbers(1, 4, 4), { name = "a" }), theano.shared(numbers(2, 4, 4), { name = "b" })
      local _, updates = theano.scan(function()
        local x, y = case(a, b)
        return {}, { { a, x }, { b, y } }
      end, { n_steps = 5 })
      local f = theano.compile({ inputs = {}, outputs = {}, updates = updates })
      for _ = 1, 3 do f() end
      return arrays({ a:get_value(), b:get_value() })
    end
    for i, case in ipairs(cases) do
      local want = on_cpu(after, case)
      local _ <close> = theano.config.change_flags(emulated.flags)
      for j, x in ipairs(after(case)) do assert(apart(x, want[j]) < 1e-12, ("case %d, variable %d"):format(i, j)) end
    end
  end)

  it("keep the states of rows that a random mask leaves out, as the plain graph does", function()
    local rng = nd.random.RandomState(11)
    for round = 1, 2 do
      local steps, rows, wide, width = table.unpack(rng:randint(1, 7, { 4 }):tolist())
      steps = steps + 1
      local cell = CELLS[round % 2 == 0 and "lstm" or "gru"]
      local x, m = T.dtensor3("x"), T.dmatrix("m")
      local w = theano.shared(rng:normal(0, 0.5, { wide, cell.gates * width }), { name = "w" })
      local u = theano.shared(rng:normal(0, 0.5, { width, cell.gates * width }), { name = "u" })
      local values = { rng:normal(0, 1, { steps, rows, wide }), rng:randint(0, 2, { steps, rows }):astype("float64") }
      local function turn(v, on, ...)
        local new, old = { cell.step(v, w, u, width, ...) }, { ... }
        on = on:dimshuffle(0, "x")
        for i = 1, cell.states do new[i] = on * new[i] + (1 - on) * old[i] end
        return table.unpack(new, 1, cell.states)
      end
      local function zeros()
        local list = {}
        for i = 1, cell.states do list[i] = T.unbroadcast(T.constant(numbers(i, rows, width)), 0, 1) end
        return list
      end
      -- By a loop, and written out turn by turn.
      local function compiled(plain)
        local h = zeros()
        if plain then
          for t = 0, steps - 1 do h = { turn(x[t], m[t], table.unpack(h)) } end
        else
          local out = theano.scan(turn, { sequences = { x, m }, outputs_info = h })
          h = cell.states > 1 and { out[1][-1], out[2][-1] } or { out[-1] }
        end
        local cost = T.sqr(h[1]):sum()
        return theano.compile({ inputs = { x, m }, outputs = { h[1], cost, table.unpack(T.grad(cost, { w, u, x })) } })
      end
      local want = on_cpu(function() return arrays({ compiled(true)(table.unpack(values)) }) end)
      local _ <close> = theano.config.change_flags(emulated.flags)
      local f, got = compiled(false), nil
      local n = emulated.counted(function() got = arrays({ f(table.unpack(values)) }) end)
      assert.equal(2, n.cuLaunchCooperativeKernel)
      local waits = 0
      for _, k in ipairs(theano.printing.roofline(f, "h100", { compile = false }).kernels) do
        if k.turns_of then waits = waits + k.waits end
      end
      assert(waits == 2 or width == 1, ("%d waits: rows %d, width %d"):format(waits, rows, width)) -- one a turn and way
      for i, a in ipairs(got) do
        assert(apart(a, want[i]) <= 1e-12 * (1 + nd.abs(want[i]):max()), ("round %d, result %d"):format(round, i))
      end
    end
  end)

  it("give gradients that finite differences confirm, in float64", function()
    local cell, width = CELLS.lstm, 3
    local x, w, u = numbers(1, 4, 2, 3), numbers(2, 3, 4 * width), numbers(3, width, 4 * width)
    local _ <close> = theano.config.change_flags({ device = "cuda-emulated", force_device = true, floatX = "float64" })
    T.verify_grad(function(v, a, b)
      local zero = T.zeros({ 2, width }, "float64")
      local out = theano.scan(function(row, h, c) return cell.step(row, a, b, width, h, c) end,
        { sequences = { v }, outputs_info = { zero, zero } })
      return out[1]
    end, { x, w, u }, { rng = nd.random.RandomState(3) })
  end)

  it("go step by step where the driver refuses the launch, and the result is the same", function()
    local _ <close> = theano.config.change_flags(emulated.flags)
    local want, x = called(made, CELLS.rnn, "float32", { 5, 4, 3, 6 }, {})
    for _, code in ipairs({ 720, 1, 2 }) do
      local g = made(CELLS.rnn, "float32", { 5, 4, 3, 6 }, {})
      emulated.fail("cuLaunchCooperativeKernel", 1, code)
      for i, a in ipairs(arrays({ g(x) })) do assert(nd.array_equal(want[i], a)) end
      emulated.fail("cuLaunchCooperativeKernel", 0, 0)
    end
  end)

  it("are launched one by one where a step may fail, an index leads anywhere or the loop may end", function()
    local _ <close> = theano.config.change_flags(emulated.flags)
    local x = T.dvector("x")
    local out = theano.scan(function(v, s)
      local next_s = s * 0.5 + v
      return next_s, {}, theano.scan_module.until_(T.gt(next_s, 1.5))
    end, { sequences = { x }, outputs_info = { T.constant(0.0, { dtype = "float64" }) } })
    local f = theano.compile({ inputs = { x }, outputs = out })
    local n = emulated.counted(function() assert.equal(2, nd.array(f(nd.array({ 0.5, 1.4, 3, 4 }))).shape[1]) end)
    assert.is_nil(n.cuLaunchCooperativeKernel)
  end)

  it("count as one launch for the roofline, with a wait between steps", function()
    local _ <close> = theano.config.change_flags(emulated.flags)
    local f, x = made(CELLS.lstm, "float32", { 20, 4, 3, 8 }, {})
    for _ = 1, 3 do f(x) end -- a graph, whose launches say what they wait for
    local r, loops = theano.printing.roofline(f, "h100", { compile = false }), 0
    local forward, waits, back, steps, line = 0, 0, 0, 0, 0
    for _, k in ipairs(r.kernels) do loops = loops + (k.turns_of and not k.joined and 1 or 0) end
    assert.equal(2, loops)
    for _, k in ipairs(r.kernels) do -- sums and gates; what is added to a product is added on its tiles
      assert(not (k.turns_of and k.kind == "copy"), "a turn copies")
      if k.turns_of then line = line + k.runs * (k.estimate + k.waits * 0.9e-6) end
      if k.turns_of == 0 then forward, waits = forward + 1, waits + k.waits end
      if k.turns_of == 1 then steps, back = steps + 1, back + k.waits end
    end
    -- the gates follow the sums in the blocks that made these, so only the next turn's sums wait for all blocks
    assert.same({ 2, 1 }, { forward, waits })
    -- the gates' gradients, which make no zeros first, with what is carried; then the product, and the next turn's
    assert.same({ 2, 1 }, { steps, back })
    assert(r.parallel and r.estimate > line, "one loop waits for the other")
    assert(r.launches < 40, r.launches .. " launches")
  end)

  it("give what follows a product to the blocks that multiplied, which then do not wait", function()
    local _ <close> = theano.config.change_flags(emulated.flags)
    for name, want in pairs({ lstm = 1, gru = 1, rnn = 1, two = 2, back = 2 }) do
      local cell, seen, tiles, points = CELLS[name], 0, 0, 0
      local x, infos = T.ftensor3("x"), {}
      local w, u = theano.shared(numbers(1, 2, cell.gates * 23):astype("float32")),
        theano.shared(numbers(2, 23, cell.gates * 23):astype("float32"))
      for i = 1, cell.states do infos[i] = T.unbroadcast(T.constant(numbers(i, 35, 23):astype("float32")), 0) end
      local out = theano.scan(function(v, ...) return cell.step(v, w, u, 23, ...) end,
        { sequences = { x }, outputs_info = infos })
      local f = theano.compile({ inputs = { x }, outputs = out })
      f(numbers(3, 4, 35, 2):astype("float32"))
      for _, k in ipairs(theano.printing.roofline(f, "h100", { compile = false }).kernels) do
        if k.turns_of then seen = seen + k.waits end
        if k.turns_of and k.m then tiles = tiles + (k.tiles or 0) elseif k.turns_of then points = points + k.blocks end
      end
      assert.equal(want, seen, name)
      -- 35 rows by 16; columns by 8 of each of four parts, or of three, where the fourth would not be there
      if name == "lstm" or name == "gru" then assert.same({ 9, 9 }, { tiles, points }, name) end
    end
  end)

  -- Of a loop over n numbers, what the roofline says of its kernels.
  local function of_points(n, x)
    local v = T.fmatrix("v")
    local out = theano.scan(function(a, h, c)
      c = T.tanh(h) * c + a
      return T.cast(h * 0.9 + T.nnet.sigmoid(c), "float32"), T.cast(c, "float32")
    end, { sequences = { v }, outputs_info = { T.zeros({ n }, "float32"), T.zeros({ n }, "float32") } })
    local f = theano.compile({ inputs = { v }, outputs = { out[1][-1], out[2][-1] } })
    local got = arrays({ f(x) })
    local turns = {}
    for _, k in ipairs(theano.printing.roofline(f, "h100", { compile = false }).kernels) do
      if k.turns_of and k.kernel then turns[#turns + 1] = k end
    end
    return got, turns
  end

  it("have a point a thread where points are few, and some neighbours where they are many: the same numbers", function()
    local few, many = 256 * 128, 256 * 128 + 8
    local x = numbers(1, 3, many):astype("float32")
    local want = on_cpu(of_points, many, x)
    local _ <close> = theano.config.change_flags(emulated.flags)
    local got, turns = of_points(many, x)
    assert.equal(1, #turns)
    assert.same({ nil, math.ceil(many / 4 / 256) }, { turns[1].part, turns[1].blocks })
    local first, each = of_points(few, x[(":, :%d"):format(few)])
    assert.equal(1, #each)
    assert.same({ "turn_" .. each[1].kernel:match("%d+"), 128 }, { each[1].part, each[1].blocks })
    for i, a in ipairs(got) do
      assert(apart(a, want[i]) <= 1e-6)
      assert(nd.array_equal(a[(":%d"):format(few)], first[i]))
    end
  end)

  -- Forward and back: steps whose points find what they read in shared memory.
  it("leave a product's tile to the points behind it, which have asked for the rest before", function()
    emulated.resident(16)
    local _ <close> = setmetatable({}, { __close = function() emulated.resident(1) end })
    for name, want in pairs({ lstm = { 1, 1 }, gru = { 1, 2 } }) do
      for _, dtype in ipairs({ "float32", "float64" }) do -- in this order
        local _ <close> = theano.config.change_flags(quiet)
        local f, x = made(CELLS[name], dtype, { 5, 20, 3, 19 }, {})
        local alone = arrays({ made(CELLS[name], dtype, { 5, 20, 3, 19 }, { profile = true })(x) })
        for i, a in ipairs(arrays({ f(x) })) do
          assert(nd.array_equal(alone[i], a), ("%s, result %d"):format(name, i))
        end
        local seen = { 0, 0 }
        for _, k in ipairs(theano.printing.roofline(f, "h100", { compile = false }).kernels) do
          if k.part and k.part:find("near") then seen[k.turns_of + 1] = seen[k.turns_of + 1] + 1 end
        end
        -- of float64, the second of a GRU's has no room left
        if name == "gru" and dtype == "float64" then want = { 1, 1 } end
        assert.same(want, seen, name .. " " .. dtype)
      end
    end
  end)

  it("come behind what does not hang on them, and do not wait for it", function()
    local x, y = T.fmatrix("x"), T.fmatrix("y")
    local out = theano.scan(function(v, h) return T.tanh(h * 0.5 + v) end,
      { sequences = { x }, outputs_info = { T.zeros({ 6 }, "float32") } })
    local function make() return theano.compile({ inputs = { x, y }, outputs = T.dot(T.exp(y["::-1"]), out) }) end
    local a, b = numbers(1, 4, 6):astype("float32"), numbers(2, 3, 4):astype("float32")
    local want = on_cpu(function() return arrays({ make()(a, b) })[1] end)
    local _ <close> = theano.config.change_flags(quiet)
    local f, got = make(), nil
    for _ = 1, 4 do got = arrays({ f(a, b) })[1] end
    assert(apart(got, want) < 1e-5)
    local beside, loop
    for _, k in ipairs(theano.printing.roofline(f, "h100", { compile = false }).kernels) do
      if k.turns_of then loop = loop or k elseif k.title and k.title:find("exp") then beside = k end
    end
    assert(beside.step < loop.step)
    for _, step in ipairs(loop.after) do assert.not_equal(beside.step, step) end
  end)

  it("have fewer instructions a thread there and all in registers, by the compiled code", function()
    local _ <close> = theano.config.change_flags(emulated.flags)
    local f, x = made(CELLS.lstm, "float32", { 6, 4, 3, 64 }, {})
    f(x)
    local r, seen = theano.printing.roofline(f, "h100"), 0
    if not r.compiled then skip.now("NVRTC is not found: scripts/setup --gpu-tests fetches it") end
    local image = theano.printing.ccode(f)
    for _, k in ipairs(r.kernels) do
      assert(not k.turns_of or k.spilled == 0, "registers in memory")
      if k.part then
        seen = seen + 1
        local near = k.part:match("near_%d+_%d+")
        if near then -- what it reads lies in shared memory: no way to memory at all
          assert.truthy(image:find(near .. "(a, sh, l.p[", 1, true), near)
          assert(not image:match("void " .. near .. "%b()%s*(%b{})"):find("= %*%(p_"), near)
          assert(k.alone < 1300, ("a thread of %s is %d cycles on its way"):format(k.part, k.alone))
          goto continue
        end
        assert.matches("each_" .. k.part:match("%d+") .. "%(a, sh, l.p%[%d+%]%); else part_", image)
        assert(k.issued.all < 330, ("%s issues %d"):format(k.part, k.issued.all))
        -- one way to memory, not one for each load behind the other, and no sigmoid that waits for the one before it
        assert(k.alone < 2200, ("a thread of %s is %d cycles on its way"):format(k.part, k.alone))
        local own = image:match("void each_" .. k.part:match("%d+") .. "%b()%s*(%b{})")
        local loaded = own:match("^.*f32 v%d+ = %*%(p_[^\n]*\n()")
        assert(own:find(" = lone_sigmoid_f32", 1, true) > loaded, "a load behind work")
      end
      ::continue::
    end
    assert.equal(2, seen)
  end)
end)
