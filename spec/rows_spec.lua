--- New values of some rows of a shared matrix cost those rows: nothing as large as the matrix is made.
local nd = require("theano.ndarray")
local theano = require("theano")
local T = require("theano.tensor")

local modes = {}
for _, linker in ipairs({ "interpreter", "c" }) do
  for _, optimizer in ipairs({ "None", "fast_run" }) do
    modes[#modes + 1] = theano.compile.Mode({ linker = linker, optimizer = optimizer })
  end
end

-- Sizes of all buffers of the plan but the first two (the rows' numbers, the matrix): none is the whole matrix.
local function no_copy(f)
  for line in theano.printing.plan(f):match("buffers:\n(.-)\nsteps:"):gmatch("[^\n]+") do
    if not line:find("shared0", 1, true) then assert.is_nil(line:find("(s1, s2)", 1, true), line) end
  end
end

describe("rows of a shared matrix", function()
  it("are updated in place by gradients times a number", function()
    for _, dtype in ipairs({ "float64", "float32" }) do
      for _, form in ipairs({ "sub", "add", "rate", "sparse_grad" }) do
        local values = {}
        for k, mode in ipairs(modes) do
          local w = theano.shared(nd.arange(20):reshape({ 5, 4 }):astype(dtype), "W")
          local i, rate = T.lvector("i"), T.scalar("rate", { dtype = dtype })
          local rows = form == "sparse_grad" and theano.sparse_grad(w[i]) or w[i]
          local cost = T.sum(T.sqr(rows - 1))
          local g, c = T.grad(cost, w), T.constant(0.25, { dtype = dtype })
          local new = form == "add" and w + (-c) * g or form == "rate" and w - rate * g or w - c * g
          local f = theano.compile({ inputs = { i, theano.In(rate, { value = nd.array(0.5, dtype) }) }, outputs = cost,
            updates = { { w, new } }, mode = mode, on_unused_input = "ignore" })
          for _ = 1, 3 do f(nd.array({ 0, 3, 3, -4 }, "int64")) end
          values[k] = w:get_value()
          if k % 2 == 0 then no_copy(f) end
          assert.is_true(nd.allclose(values[k], values[1], dtype == "float32" and 1e-5 or 1e-13, 0), form)
        end
      end
    end
  end)

  it("stay as they were when a position is outside, in every mode", function()
    for k, mode in ipairs(modes) do
      local w, i, y = theano.shared(nd.zeros({ 5, 4 }), "W"), T.lvector("i"), T.dmatrix("y")
      local f = theano.compile({ inputs = { i, y }, outputs = {}, updates = { { w, T.inc_subtensor(w[i], y) } },
        mode = mode })
      if k % 2 == 0 then no_copy(f) end
      f({ 0, -1, 0 }, nd.ones({ 3, 4 }))
      for _, bad in ipairs({ 5, -6 }) do
        local ok, e = pcall(f, { 0, 1, bad }, nd.ones({ 3, 4 }))
        assert.is_false(ok)
        local want = ("index %d for a dimension of length 5 (axis 0, position 2)"):format(bad)
        assert.matches(want, tostring(e), nil, true)
      end
      assert.equal("[2. 0. 0. 0. 1.]", tostring(w:get_value()[":, 0"]))
      f(nd.zeros({ 0 }, "int64"), nd.zeros({ 0, 4 }))
      assert.equal("[2. 0. 0. 0. 1.]", tostring(w:get_value()[":, 0"]))
    end
  end)

  it("are set by several lists of positions", function()
    for _, mode in ipairs(modes) do
      local w, i, j = theano.shared(nd.zeros({ 3, 4 }), "W"), T.lvector("i"), T.lvector("j")
      local f = theano.compile({ inputs = { i, j }, outputs = {},
        updates = { { w, T.set_subtensor(w[{ i, j }], 7) } }, mode = mode })
      f({ 1, 2 }, { -1, 0 })
      assert.is_false((pcall(f, { 0, 1 }, { 0, 4 })))
      assert.equal("[[0. 0. 0. 0.]\n [0. 0. 0. 7.]\n [7. 0. 0. 0.]]", tostring(w:get_value()))
    end
  end)

  it("are updated in place in several matrices, one of them twice, where the cost looked at them", function()
    for k, mode in ipairs(modes) do
      local w, v = theano.shared(nd.arange(20):reshape({ 5, 4 }) * 0.1, "W"), theano.shared(nd.ones({ 6, 4 }), "V")
      local i, j, far = T.lvector("i"), T.lvector("j"), T.lvector("far")
      local rows = { w[i], v[j], v[far] }
      local cost = T.sqr(rows[1] - rows[2]):sum() + T.tanh(rows[3]):sum()
      local g = T.grad(cost, rows)
      local later = T.inc_subtensor(T.inc_subtensor(rows[2], g[2] * -0.5)[far], g[3] * -0.25)
      local f = theano.compile({ inputs = { i, j, far }, outputs = cost, mode = mode,
        updates = { { w, T.inc_subtensor(rows[1], g[1] * -0.5) }, { v, later } } })
      if k % 2 == 0 then
        local plan = theano.printing.plan(f)
        assert.is_nil(plan:match("buffers:\n(.-)\nsteps:"):find("%d:out%d+ float64 %(s%d+, 4%)"), plan)
      end
      f({ 0, 0, -1 }, { 1, 5, 1 }, { 5, -5, 2, 2 })
      local want = 0.25 * (1 - 0.76159415595576488812 ^ 2)
      assert.is_true(nd.allclose(w:get_value()["0"], nd.array({ 2, 1.9, 1.8, 1.7 }), 1e-12, 1e-12))
      assert.is_true(nd.allclose(v:get_value()["2"], nd.full({ 4 }, 1 - 2 * want), 1e-12, 0))
      local before = { w:get_value(), v:get_value() }
      local two = { 0, 0 }
      for _, bad in ipairs({ { { 5, 0 }, two, { 0 } }, { two, { 0, 6 }, { 0 } }, { two, two, { -7 } } }) do
        assert.is_false((pcall(f, table.unpack(bad))))
        assert.is_true(nd.array_equal(w:get_value(), before[1]) and nd.array_equal(v:get_value(), before[2]))
      end
    end
  end)

  it("go through a copy where nothing looked at the positions in time", function()
    for _, mode in ipairs(modes) do
      local w, v = theano.shared(nd.zeros({ 5, 4 }), "W"), theano.shared(nd.zeros({ 6, 4 }), "V")
      local i, j = T.lvector("i"), T.lvector("j")
      local f = theano.compile({ inputs = { i, j }, outputs = w[i], mode = mode, -- of W: nobody looks at V's
        updates = { { w, T.inc_subtensor(w[i], 1) }, { v, T.inc_subtensor(v[j], 2) } } })
      f({ 0, 4 }, { 5 })
      for _, bad in ipairs({ { { 5 }, { 0 } }, { { 0 }, { 6 } } }) do
        assert.is_false((pcall(f, table.unpack(bad))))
        assert.equal(8, w:get_value():sum())
        assert.equal(8, v:get_value():sum())
      end
      -- positions that fit one matrix say nothing about another one
      local g = theano.compile({ inputs = { i }, outputs = v[i], mode = mode,
        updates = { { w, T.inc_subtensor(w[i], 1) }, { v, T.inc_subtensor(v[i], 1) } } })
      assert.is_false((pcall(g, { 5 })))
      assert.equal(8, w:get_value():sum())
      assert.equal(8, v:get_value():sum())
    end
  end)
end)
