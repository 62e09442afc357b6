--- What the documentation's table of optimizations and the papers' examples promise, one fact each.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local optdb, get_mode = theano.compile.optdb, theano.compile.get_mode

local function ops(inputs, outputs, options)
  options = options or {}
  options.on_unused_input = "ignore"
  local f, list = theano.compile(inputs, outputs, options), {}
  for i, node in ipairs(f.maker.fgraph:toposort()) do list[i] = node.op.name end
  return table.concat(list, " "), f
end

local function unfused(inputs, outputs)
  return ops(inputs, outputs, { mode = get_mode("FAST_RUN"):excluding("fusion", "inplace") })
end

local x, y, m, n, z = T.dvector("x"), T.dvector("y"), T.dmatrix("m"), T.dmatrix("n"), T.dmatrix("z")
local a, b, c, d = T.dscalar("a"), T.dscalar("b"), T.dscalar("c"), T.dscalar("d")

describe("the papers' examples", function()
  it("a / (((a * b) / c) / d) is (c * d) / b", function()
    local got, f = unfused({ a, b, c, d }, a / (((a * b) / c) / d))
    assert.equal("Elemwise{mul,no_inplace} Elemwise{true_div,no_inplace}", got)
    assert.equal(15 / 4, f(0, 4, 3, 5)) -- a is not even read
  end)

  it("exp(log(x)) and log(exp(x)) are x", function()
    assert.equal("", ops({ x }, T.exp(T.log(x))))
    assert.equal("", ops({ x }, T.log(T.exp(x))))
  end)

  it("x * y / y is x", function() assert.equal("", ops({ x, y }, x * y / y)) end)

  it("a + a ** 10 multiplies four times", function()
    local v = T.vector("a")
    local f = theano.compile({ v }, v + v ^ 10)
    assert.equal(1026, f({ 0, 1, 2 })[2])
    local text = theano.printing.debugprint(f, { file = "str" })
    assert.truthy(text:find("^Elemwise{Composite{[^\n]*sqr[^\n]*}} %[id A%] ''   0\n |a %[id B%]\n*$"), text)
  end)

  it("log(1 + exp(x)) is finite at 1000, and the logistic cost too", function()
    local f = theano.compile({ a }, T.log(1 + T.exp(a)))
    assert.equal(1000, f(1000))
    local p = 1 / (1 + T.exp(-a))
    local cost = theano.compile({ a }, -T.log(1 - p))
    assert.equal(800, cost(800))
  end)

  it("(x + y) * 2 and (x + y) * 3 add once", function()
    local got = ops({ x, y }, { (x + y) * 2, (x + y) * 3 })
    assert.equal(1, select(2, got:gsub("Elemwise{[Aa]dd", "")))
  end)

  it("asking for a shape computes no value", function()
    assert.is_nil(ops({ x, y }, T.exp(x + y).shape):find("exp"))
    assert.is_nil(ops({ m, n }, T.dot(m, n).shape[0]):find("[Dd]ot"))
  end)

  it("a part of a shape is not taken for one of its lengths", function()
    for _, part in ipairs({ '["::-1"]', '["::-1"]["::-1"]["::-1"]' }) do
      local turned = assert(load("local x = ... return x:reshape(x.shape" .. part .. ", { ndim = 2 })"))(m)
      local f = theano.compile({ inputs = { m }, outputs = { T.exp(turned):reshape(turned.shape), turned.shape },
        mode = theano.compile.Mode({ linker = "interpreter" }) })
      local value, shape = f(nd.zeros({ 2, 3 }))
      assert.same({ 3, 2 }, { table.unpack(value.shape) })
      assert.same({ 3, 2 }, shape:tolist())
    end
  end)

  it("log(softmax) is stable through transposes, reshapes and dimshuffles", function()
    local s = T.nnet.softmax(m)
    for _, v in ipairs({ s.T, s:reshape({ -1 }), s:dimshuffle(0, "x", 1), s.T:reshape({ -1 }), s["0"], s["1:, 1"] }) do
      local f = theano.compile({ m }, T.log(v))
      local got = nd.sum(f({ { 0, 2000 }, { 0, 2000 } }))
      assert.truthy(got == got and got > -1e5, tostring(got))
    end
  end)

  local function training_step(cost_of)
    local function shared(...) return theano.shared(nd.zeros({ ... }, "float32")) end
    local X, t = T.fmatrix("x"), T.ivector("y")
    local w = { shared(784, 500), shared(500), shared(500, 10), shared(10) }
    local h = T.tanh(T.dot(X, w[1]) + w[2])
    local cost = cost_of(T.nnet.softmax(T.dot(h, w[3]) + w[4]), t):mean()
    local updates, rate = {}, T.constant(0.1, { dtype = "float32" })
    for i, g in ipairs(theano.grad(cost, w)) do updates[i] = { w[i], w[i] - rate * g } end
    return ops({ X, t }, cost, { updates = updates })
  end

  for _, cost in ipairs({
    { "the logarithm at the class", function(p, t) return -T.log(p)[{ T.arange(t.shape[0]), t }] end },
    { "the logarithm of the probability", function(p, t) return -T.log(p[{ T.arange(t.shape[0]), t }]) end },
    { "categorical_crossentropy", T.nnet.categorical_crossentropy },
  }) do
    it("a training step of the perceptron has Theano's 23 nodes, every update in place, by " .. cost[1], function()
      local got, f = training_step(cost[2])
      assert.equal(23, #f.maker.fgraph:toposort())
      assert.equal(2, select(2, got:gsub("Gemm{inplace}", "")))
      assert.equal(1, select(2, got:gsub("CrossentropySoftmaxArgmax1HotWithBias", "")))
      assert.equal(1, select(2, got:gsub("CrossentropySoftmax1HotWithBiasDx", "")))
      assert.equal(2, select(2, got:gsub("Elemwise{Composite{%(i0 %- %(i1 %* i2%)%)}}%[%(0, 0%)%]", "")))
    end)
  end

  it("a matrix that rows of a batch are multiplied by is updated by one product, as it lies", function()
    local w, batch = theano.shared(nd.arange(6, nil, nil, "float32"):reshape({ 2, 3 })), T.ftensor3("batch")
    local g = T.grad(T.sqr(T.dot(batch, w)):sum(), w)
    local got, f = ops({ batch }, {}, { updates = { { w, w - T.constant(0.1, { dtype = "float32" }) * g } } })
    assert.equal(1, select(2, got:gsub("Gemm{inplace}", "")))
    assert.falsy(got:find("i0 %- "))
    f(nd.ones({ 2, 1, 2 }, "float32")) -- 2 * (3, 5, 7) for each of two rows
    assert.near(0 - 0.1 * 12, w:get_value():tolist()[1][1], 1e-5)
    assert.near(5 - 0.1 * 28, w:get_value():tolist()[2][3], 1e-5)
    assert.has_error(function() f(nd.ones({ 2, 1, 3 }, "float32")) end)
    for _, shape in ipairs({ { 0, 1, 2 }, { 2, 0, 2 } }) do f(nd.ones(shape, "float32")) end
  end)
end)

describe("graphs that Theano prints", function()
  local function count(inputs, outputs, updates, mode)
    local f = theano.compile({ inputs = inputs, outputs = outputs, updates = updates, mode = mode })
    local names = {}
    for i, node in ipairs(f.maker.fgraph:toposort()) do names[i] = node.op.name end
    return #names, " " .. table.concat(names, " ")
  end
  local plain = get_mode("FAST_RUN"):excluding("fusion", "inplace")

  it("of the softmax's cross-entropy has 10 nodes for 17: local_advanced_indexing_crossentropy_onehot", function()
    local v, i = T.dmatrix("x"), T.ivector("i")
    local cost = T.mean(-T.log(T.nnet.softmax(v))[{ T.arange(v.shape[0]), i }])
    local nodes, names = count({ v, i }, { cost, theano.grad(cost, v) }, nil, plain)
    assert.equal(10, nodes)
    assert.truthy(names:find("CrossentropySoftmax1HotWithBiasDx", 1, true))
    assert.equal(20, (count({ v, i }, { cost, theano.grad(cost, v) }, nil, get_mode("FAST_COMPILE")))) -- as Theano
  end)

  it("of the logistic regression has 29 nodes for 30: log1msigm_to_softplus sees through products", function()
    local v, t = T.dmatrix("x"), T.dvector("y")
    local w, k = theano.shared(nd.zeros(4), { name = "w" }), theano.shared(0.0, { name = "b" })
    local p1 = 1 / (1 + T.exp(-T.dot(v, w) - k))
    local xent = -t * T.log(p1) - (1 - t) * T.log(1 - p1)
    local g = theano.grad(xent:mean() + 0.01 * (w ^ 2):sum(), { w, k })
    local updates = { { w, w - 0.1 * g[1] }, { k, k - 0.1 * g[2] } }
    local nodes, names = count({ v, t }, { T.gt(p1, 0.5), xent }, updates, plain)
    assert.equal(29, nodes)
    assert.is_nil(names:find("log1p", 1, true))
    assert.equal(2, select(2, names:gsub(" softplus", "")))
    assert.equal(54, (count({ v, t }, { T.gt(p1, 0.5), xent }, updates, get_mode("FAST_COMPILE")))) -- as Theano
  end)
end)

describe("the documentation's table", function()
  local rows = {
    { "constant folding", "", {}, T.constant(2.5) * 3 + 4 },
    { "fill cut", "Elemwise{mul,no_inplace}", { x, y }, x * T.fill(x, 2.0) * y, "one product" },
    { "reshape_chain", "Reshape{2}", { x }, x:reshape({ 2, 3 }):reshape({ 3, 2 }) },
    { "constant elimination", "", { x }, x ^ 1 },
    { "add canonicalization", "Elemwise{sub,no_inplace}", { a, b, c }, (a + b) - (c + a) },
    { "mul canonicalization", "Elemwise{true_div,no_inplace}", { a, b, c }, (a * b) / (c * a) },
    { "dot22", "Dot22", { m, n }, T.dot(m, n) },
    { "sum_scalar_mul", "Sum{acc_dtype=float64} Elemwise{mul,no_inplace}", { x, a }, (x * a):sum() },
    { "neg_neg", "", { x }, -(-x) },
    { "neg_div_neg", "Elemwise{true_div,no_inplace}", { x, y }, -(-x / y) },
    { "add specialize", "", { x }, x + 0 },
    { "mul specialize (1)", "", { x }, x * 1 },
    { "mul specialize (-1)", "Elemwise{neg,no_inplace}", { x }, x * -1 },
    { "mul specialize (0)", "Shape_i{0} Alloc", { x }, x * 0 },
    { "mul specialize (x)", "Elemwise{sqr,no_inplace}", { x }, x * x },
    { "pow specialize (2)", "Elemwise{sqr,no_inplace}", { x }, x ^ 2 },
    { "pow specialize (0)", "Shape_i{0} Alloc", { x }, x ^ 0 },
    { "pow specialize (-0.5)", "Elemwise{sqrt,no_inplace} Elemwise{inv,no_inplace}", { x }, x ^ -0.5 },
    { "gemm", "Gemm{no_inplace}", { m, n, z }, 0.5 * T.dot(m, n) + 2 * z },
    { "local_log_softmax", "LogSoftmax", { m }, T.log(T.nnet.softmax(m)) },
  }
  for _, row in ipairs(rows) do
    it(row[1], function()
      local got = unfused(row[3], row[4])
      if row[5] then assert.equal(1, select(2, got:gsub("mul", ""))) else assert.equal(row[2], got) end
    end)
  end

  it("inc_subtensor serialization, each in place", function()
    local got = ops({ x, a, b }, T.inc_subtensor(x["0:2"], a) + T.inc_subtensor(x["1:3"], b))
    assert.equal(2, select(2, got:gsub("IncSubtensor{InplaceInc", "")))
  end)

  it("inplace_setsubtensor", function()
    assert.truthy(ops({ x, a }, T.set_subtensor(T.exp(x)["0:2"], a)):find("IncSubtensor{InplaceSet", 1, true))
  end)

  it("inplace_elemwise", function()
    assert.truthy(ops({ m, n }, T.exp(T.dot(m, n))):find("Elemwise{Exp}[(0, 0)]", 1, true))
  end)

  it("elemwise fusion", function()
    assert.equal("Elemwise{Composite{(i0 + (exp(i1) * i2))}}", (ops({ x, y }, T.exp(x) * y + 1)))
  end)

  it("local_remove_all_assert under unsafe only, or by its name", function()
    local v = T.opt.assert_op(x, T.lt(x[0], 1)) * 2
    assert.truthy(ops({ x }, v):find("Assert"))
    assert.is_nil(ops({ x }, v, { mode = theano.compile.Mode({ optimizer = "unsafe" }) }):find("Assert"))
    assert.is_nil(ops({ x }, v, { mode = get_mode("FAST_RUN"):including("local_remove_all_assert") }):find("Assert"))
  end)
end)

describe("optimizers", function()
  it("o4 to o1, stabilize, unsafe and merge run what the table says", function()
    local has = {
      o4 = { "merge1", "constant_folding", "local_fill_sink", "GemmOptimizer", "inplace_elemwise_opt",
        "elemwise_fusion", "local_logsoftmax" },
      o3 = { "merge1", "constant_folding", "local_fill_sink", "GemmOptimizer", "elemwise_fusion" },
      o2 = { "merge1", "constant_folding", "elemwise_fusion", "local_logsoftmax" },
      o1 = { "merge1", "constant_folding", "local_logsoftmax" },
      stabilize = { "merge1", "canonicalize", "local_logsoftmax" },
      unsafe = { "local_remove_all_assert", "local_fill_sink", "elemwise_fusion" },
      merge = { "merge1" },
    }
    local lacks = {
      o4 = { "local_remove_all_assert" },
      o3 = { "inplace_elemwise_opt", "inplace_subtensor", "local_remove_all_assert" },
      o2 = { "local_fill_sink", "GemmOptimizer", "inplace_elemwise_opt" },
      o1 = { "local_fill_sink", "GemmOptimizer", "inplace_elemwise_opt", "elemwise_fusion" },
      stabilize = { "specialize", "elemwise_fusion", "inplace_elemwise_opt" },
      unsafe = { "inplace_elemwise_opt" },
      merge = { "canonicalize", "inplace_elemwise_opt" },
    }
    for name, words in pairs(has) do
      local text = optdb:query(name).summary()
      for _, w in ipairs(words) do assert.truthy(text:find("  " .. w .. "\n", 1, true), name .. " lacks " .. w) end
      for _, w in ipairs(lacks[name]) do assert.is_nil(text:find("  " .. w .. "\n", 1, true), name .. " has " .. w) end
    end
  end)

  it("are refined by queries", function()
    assert.is_nil(optdb:query("fast_run", "-inplace").summary():find("inplace_elemwise_opt"))
    assert.truthy(optdb:query("o1", "+elemwise_fusion").summary():find("elemwise_fusion"))
    local q = theano.gof.Query({ include = { "fast_run" }, exclude = { "inplace" } })
    assert.equal(optdb:query("fast_run -inplace").summary(), optdb:query(q).summary())
    local few = optdb:query(q:requiring("merge")).summary()
    assert.truthy(few:find("merge1") and not few:find("canonicalize"))
  end)

  it("opt-in rules run when they are named", function()
    local mode = get_mode("FAST_RUN"):including("local_hard_sigmoid")
    local _, f = ops({ x }, T.nnet.sigmoid(x), { mode = mode })
    assert.equal(0, f({ -10, 1 })[0])
    assert.truthy(ops({ x }, T.nnet.sigmoid(x)):find("sigmoid"))
  end)
end)

describe("Theano's list of rewrites", function()
  local names = require("spec.support.rewrite_names")
  local rules, passes = names.present(require("theano.core").optdb_summary)
  local listed = {}
  for name in pairs(names.rules) do listed[#listed + 1] = name end
  table.sort(listed)

  it("is here under its names, in its phases", function()
    for _, name in ipairs(listed) do
      local where = names.rules[name]
      assert.truthy(rules[name], name .. " is missing")
      if passes[where] or where:find("_") then
        assert.truthy(rules[name][where], name .. " does not run in " .. where)
      elseif where == "BlasOpt" then
        assert.truthy(rules[name].BlasOpt, name)
      else
        for letter in where:gmatch(".") do
          assert.truthy(rules[name][names.phases[letter]], name .. " does not run in " .. names.phases[letter])
        end
      end
    end
  end)

  it("has the passes at their positions", function()
    for name, position in pairs(names.passes) do assert.equal(position, passes[name], name) end
  end)

  it("says of the rest why it is not here, and takes its names without a warning", function()
    for name, why in pairs(names.left) do
      assert.is_nil(rules[name], name .. " is here, and listed as left out: " .. why)
    end
    local covered = { "local_log_softmax", "local_sum_mul_by_scalar", "local_flatten_lift", "local_canonicalize_alloc" }
    for _, name in ipairs(covered) do
      local less = optdb:query("fast_run", "-" .. name).summary()
      assert.not_equal(optdb:query("fast_run").summary(), less, name .. " takes nothing out")
    end
  end)

  it("holds every rewrite that runs here, but ours that Theano does not have", function()
    local ours = { local_div_1msigmoid = true, local_one_minus_sigmoid = true, local_one_plus_expm1 = true,
      local_exp_times_erfc = true, local_log_of_product = true, local_crossentropy_1hot_grad_times_p = true,
      local_add_rows_of_zeros = true, local_zeros_beside_slices = true, local_max_pool_grad_from_input = true,
      local_sparse_turned_twice = true, local_sparse_sum_values = true, local_sparse_take_lift = true,
      local_inverse_transposed = true, local_det_transposed = true, local_solve_transposed = true,
      local_solve_structure = true, local_log_det = true, local_remove_hint = true }
    for name in pairs(rules) do
      assert.truthy(names.rules[name] or ours[name], name .. " is in no list")
    end
  end)
end)
