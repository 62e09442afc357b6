--- Picks by uniform numbers and connectionist temporal classification run on a device with the CPU's results.
local device = require("spec.support.device")
local nd = require("theano.ndarray")
local T = require("theano.tensor")
local random, theano = T.random, require("theano")

-- Rows of probabilities and as many uniform numbers as are wanted.
local function chances(dtype, rows, n)
  local p = nd.abs(nd.sin(nd.arange(rows * n):astype("float64") * 1.3)):reshape({ rows, n }) + 0.01
  return (p / p:sum({ axis = 1, keepdims = true })):astype(dtype)
end
local function uniforms(dtype, n) return ((nd.arange(n):astype("float64") * 0.6180339887) % 1):astype(dtype) end

describe("picks on a device", function()
  it("are the CPU's, of every dtype", function()
    for _, case in ipairs({ { "float32", "float32", "int64" }, { "float64", "float32", "float32" },
      { "float32", "float64", "int8" }, { "float64", "float64", "float64" } }) do
      local p, u = T.TensorType(case[1], { false, false })("p"), T.TensorType(case[2], { false })("u")
      local n = T.lscalar("n")
      local outs = { random.multinomial_from_uniform(p, u, n, { dtype = case[3] }),
        random.choice_from_uniform(p, u, n, { dtype = case[3] }) }
      local want, got = device.both({ p, u, n }, outs)
      for _, rows in ipairs({ 0, 1, 33, 300 }) do
        for _, k in ipairs({ 1, 4, 7 }) do
          local args = { chances(case[1], rows, 7), uniforms(case[2], rows * k), nd.array(k, "int64") }
          device.equal(want, got, args, ("%s, %d rows, %d numbers"):format(case[1], rows, k))
        end
      end
    end
  end)

  it("name the first row that is no probability, sums to something else or is used up", function()
    local p, u, n = T.dmatrix("p"), T.dvector("u"), T.lscalar("n")
    local many = random.multinomial_from_uniform(p, u, n)
    local once = random.choice_from_uniform(p, u, n)
    local function says(what, out, row, k)
      local v = chances("float64", 300, 4)
      for j = 0, 3 do v[{ 200, j }], v[{ 77, j }] = row[j + 1], row[j + 1] end
      local said, too = device.failures({ p, u, n }, { out }, { v, uniforms("float64", 300 * k), nd.array(k, "int64") })
      assert.matches(what, said, nil, true)
      assert.equal(said, too)
    end
    says("pvals[77, 2] = -0.25 is no probability", many, { 0.5, 0.5, -0.25, 0.25 }, 1)
    says("pvals[77, 0] = nan is no probability", once, { 0 / 0, 0.5, 0.25, 0.25 }, 1)
    says("the probabilities of row 77 of pvals sum to 0.75, not to 1", many, { 0.25, 0.25, 0.25, 0 }, 1)
    says("row 77 of pvals has only 2 elements that can be drawn, not 3", once, { 0, 0.5, 0, 0.5 }, 3)
  end)

  it("are those of MRG_RandomStreams", function()
    local function draws(flags)
      local srng = theano.random.MRG_RandomStreams(5)
      local p = T.dmatrix("p")
      local f = device.compile(flags, { p }, { srng:multinomial({ pvals = p }),
        srng:choice({ p = p, size = 2, replace = false }) })
      local all = {}
      for i = 1, 2 do all[i] = { f(chances("float64", 50, 5)) } end
      return all
    end
    local want, got = draws({}), draws(device.flags)
    for i = 1, 2 do
      for k = 1, 2 do assert.is_true(nd.array_equal(want[i][k], got[i][k])) end
    end
  end)
end)

describe("connectionist temporal classification on a device", function()
  local x, labels, lengths = T.tensor3("x", { dtype = "float64" }), T.imatrix("labels"), T.lvector("lengths")
  local cost = T.nnet.ctc(x, labels, lengths)
  local v = T.tensor3("v", { dtype = "float64" })

  local function arguments(times, many, classes, most)
    local l = (nd.arange(many * most):astype("int64") * 7 % (classes - 1) + 1):astype("int32"):reshape({ many, most })
    if most > 1 and many > 1 then l[{ 1, most - 1 }] = -1 end
    local n = times - nd.arange(many):astype("int64") % 3
    return { nd.sin(nd.arange(times * many * classes):astype("float64")):reshape({ times, many, classes }), l,
      nd.maximum(n, 0) }
  end

  it("is the CPU's: costs, gradients and products with second derivatives", function()
    local g = T.grad(T.sum(cost), x)
    local outs = { cost, g, theano.gradient.Rop(g, x, v) }
    local want, got = device.both({ x, labels, lengths, v }, outs)
    for _, case in ipairs({ { 12, 5, 6, 4 }, { 1, 2, 3, 1 }, { 700, 2, 4, 300 }, { 6, 3, 5, 9 }, { 5, 4, 3, 0 } }) do
      local args = arguments(table.unpack(case))
      args[4] = nd.cos(args[1])
      device.equal(want, got, args, table.concat(case, " "), 1e-12)
    end
  end)

  it("fails as on the CPU", function()
    local args = arguments(12, 5, 6, 4)
    args[2][{ 3, 2 }] = 6
    local said, too = device.failures({ x, labels, lengths }, { cost }, args)
    assert.matches("labels[3, 2] = 6 is out of bounds: classes are 1 to 5", said, nil, true)
    assert.equal(said, too)
    args[3][2] = 13
    said, too = device.failures({ x, labels, lengths }, { cost }, args)
    assert.matches("input_lengths[2] = 13, but there are 12 time steps", said, nil, true)
    assert.equal(said, too)
  end)
end)
