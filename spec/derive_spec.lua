--- Lop and Rop, second derivatives, vmap of every operation, jacobian and hessian, operations that change gradients.
local core = require("theano.core")
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")
local T = require("theano.tensor")
local compile, G = theano.compile, theano.gradient

local cases = loadfile("spec/grad_spec.lua", "t", setmetatable({ describe = false }, { __index = _G }))()
local interpreter = compile.Mode({ linker = "interpreter" })
local rng = nd.random.RandomState(33)

-- Every function with derivatives as {points, fun(x..)}.
local function all_cases()
  local out = {}
  for _, entry in ipairs(core.functions()) do
    local name, f, c = entry.name, entry.symbolic, nil
    if cases.unary[name] then
      local low, high = table.unpack(cases.unary[name])
      c = { { cases.between(low, high, 2, 3) }, function(x) return f(x) * 2 end }
    elseif cases.binary[name] then
      c = { { cases.between(0.6, 0.9, 2, 3), cases.between(0.2, 0.5, 3) }, f }
    elseif cases.by_hand[name] then
      local points, fun = table.unpack(cases.by_hand[name])
      c = { points, function(...) return (fun(f, ...)) end }
    end
    if c then out[#out + 1] = { name = name, points = c[1], fun = c[2] } end
  end
  return out
end

local function variables(points, prefix)
  local vars = {}
  for i, p in ipairs(points) do
    local pattern = {}
    for d = 1, p.ndim do pattern[d] = p.shape[d] == 1 end
    vars[i] = T.TensorType(p.dtype, pattern)(prefix .. i)
  end
  return vars
end

local function randoms(points)
  local out = {}
  for i, p in ipairs(points) do out[i] = nd.asarray(rng:rand(p.shape), p.dtype) end
  return out
end

local function join(...)
  local all = {}
  for _, list in ipairs({ ... }) do table.move(list, 1, #list, #all + 1, all) end
  return all
end

local function near(a, b, what)
  assert(math.abs(a - b) <= 1e-9 * (1 + math.abs(a) + math.abs(b)), ("%s: %.17g and %.17g"):format(what or "", a, b))
end

local function run(inputs, outputs, values, mode)
  local f = compile({ inputs = inputs, outputs = outputs, mode = mode or interpreter, on_unused_input = "ignore" })
  return f(table.unpack(values))
end

describe("safe_grad", function()
  local x = T.dvector("x")
  local function gradients(cost, value)
    local out = {}
    for _, linker in ipairs({ "interpreter", "c" }) do
      for _, optimizer in ipairs({ "None", "fast_run" }) do
        local mode = compile.Mode({ linker = linker, optimizer = optimizer })
        local safe = mode:including("safe_grad")
        out[#out + 1] = compile({ inputs = { x }, outputs = T.grad(cost, x), mode = safe })(value)
        assert.is_true(nd.any(nd.isnan(compile({ inputs = { x }, outputs = T.grad(cost, x), mode = compile.Mode({
          linker = linker, optimizer = "None",
        }) })(value))))
      end
    end
    return out
  end

  it("gives zero, not NaN, for norms at zero and branches that are not taken", function()
    for _, case in ipairs({
      { T.sqrt(T.sum(T.sqr(x))), { 0.0, 0.0 }, { 0.0, 0.0 } },
      { x:norm(2) + x:norm(3), { 0.0, 0.0 }, { 0.0, 0.0 } },
      { T.sum(T.switch(T.gt(x, 0), T.sqrt(x), x * 2)), { -1.0, 4.0 }, { 2.0, 0.25 } },
      { T.sum(T.switch(T.eq(x, 0), 1, T.sin(x) / x)), { 0.0, math.pi }, { 0.0, -1 / math.pi } },
      { T.sum(T.switch(T.lt(T.abs(x), 1), T.arcsin(x), x)), { 0.0, -3.0 }, { 1.0, 1.0 } },
      { T.sum(T.switch(T.gt(x, 0), T.log(T.sum(T.sqrt(x))), 3 * x)), { 4.0, -1.0 }, nil },
    }) do
      for _, g in ipairs(gradients(case[1], case[2])) do
        if case[3] then assert(nd.allclose(g, nd.array(case[3])), tostring(g)) end
      end
    end
  end)

  it("changes nothing where the gradient is finite, and nothing without being asked for", function()
    local cost = T.sum(T.tanh(x) * T.sqrt(x) ^ 3 / x)
    local plain, safe = {}, {}
    for i, tag in ipairs({ false, "safe_grad" }) do
      local mode = tag and interpreter:including(tag) or interpreter
      local f = compile({ inputs = { x }, outputs = T.grad(cost, x), mode = mode })
      plain[i], safe[i] = f({ 0.5, 2.0 }), theano.printing.debugprint(f, { file = "str" }):find("Switch")
    end
    assert(nd.allclose(plain[1], plain[2], 1e-14))
    assert.is_nil(safe[1])
  end)
end)

describe("forward and reverse mode agree, v . (J u) == (v . J) . u,", function()
  for _, c in ipairs(all_cases()) do
    it("for " .. c.name, function()
      local x, u = variables(c.points, "x"), variables(c.points, "u")
      local y = c.fun(table.unpack(x))
      local v = T.TensorType(y.dtype, y.broadcastable)("v")
      local forward = T.sum(v * G.Rop(y, x, u))
      local back = 0
      for i, g in ipairs(G.Lop(y, x, v, { disconnected_inputs = "ignore" })) do back = back + T.sum(g * u[i]) end
      local value = run(x, compile.Out(y, { array = true }), c.points)
      local a, b = run(join(x, u, { v }), { forward, back }, join(c.points, randoms(c.points),
        { nd.asarray(rng:rand(value.shape)) }))
      near(a, b, c.name)
    end)
  end
end)

-- Gradients that are made of eq, sgn and the like are piecewise constant: their derivative is zero, as differences say.
describe("the second derivative against finite differences", function()
  for _, c in ipairs(all_cases()) do
    it("of " .. c.name, function()
      local weight
      local function first(...)
        local x = { ... }
        local y = c.fun(...)
        if not weight then
          weight = T.constant(rng:rand(run(x, compile.Out(y, { array = true }), c.points).shape))
        end
        local total = 0
        for i, g in ipairs(T.grad(T.sum(y * weight), x, { disconnected_inputs = "ignore" })) do
          total = total + T.sum(g * (0.5 + i) * T.sqr(x[i]))
        end
        return total
      end
      G.verify_grad(first, c.points, { mode = interpreter, n_tests = 1 })
    end)
  end
end)

-- ---- vmap
-- ------------------------------------------------------------------------------------------------------------
local SCALES = { 1.0, 1.01, 0.985 }
local used = {} -- operations met in the graphs of the functions that were mapped

local function note(outs)
  for op in core.graph_text(outs):gmatch("%%%d+ = ([%w_]+)") do used[op] = true end
  for op in core.graph_text(outs):gmatch("%%%d+, [^\n]- = ([%w_]+)") do used[op] = true end
end

local function stack(p)
  local whole = nd.empty({ #SCALES, table.unpack(p.shape) }, p.dtype)
  for k, s in ipairs(SCALES) do whole[k - 1] = p.dtype:find("float") and p * s or p end
  return whole
end

-- fun over stacked points against fun on each of them; which[i] false: argument i is not mapped.
local function check_vmap(fun, points, which, mode)
  local x, axes, whole, values = variables(points, "x"), {}, {}, {}
  for i, p in ipairs(points) do
    local mapped = which == nil or which[i]
    axes[i] = mapped and 0 or false
    values[i] = mapped and stack(p) or p
    local pattern = x[i].broadcastable
    if mapped then table.insert(pattern, 1, false) end
    whole[i] = T.TensorType(p.dtype, pattern)("w" .. i)
  end
  local single = table.pack(fun(table.unpack(x)))
  local all = table.pack(T.vmap(fun, axes)(table.unpack(whole)))
  note(table.pack(table.unpack(single, 1, single.n)))
  assert.equal(single.n, all.n)
  local souts, mouts = {}, {}
  for i = 1, single.n do
    assert.equal(single[i].dtype, all[i].dtype)
    assert.equal(single[i].ndim + 1, all[i].ndim)
    souts[i], mouts[i] = compile.Out(single[i], { array = true }), compile.Out(all[i], { array = true })
  end
  local got = { run(whole, mouts, values, mode) }
  for k in ipairs(SCALES) do
    local own = {}
    for i in ipairs(points) do own[i] = axes[i] and values[i][k - 1] or values[i] end
    local want = { run(x, souts, own, mode) }
    for i = 1, single.n do
      local part = got[i][k - 1]
      if type(part) ~= "userdata" then part = nd.array(part) end
      assert(nd.allclose(want[i], part, 1e-9, 1e-12),
        ("result %d, element %d:\n%s\nis not\n%s"):format(i, k, tostring(part), tostring(want[i])))
    end
  end
end

-- The same for a graph text whose inputs are the points.
local function check_read(text, points, which)
  local ins, outs = core.graph_read(text)
  local mapped, vars, values = {}, {}, {}
  for i, p in ipairs(points) do
    mapped[i], vars[i], values[i] = false, ins[i], p
    if which[i] ~= false then
      local pattern = ins[i].broadcastable
      table.insert(pattern, 1, false)
      mapped[i], values[i] = T.TensorType(p.dtype, pattern)(), stack(p)
      vars[i] = mapped[i]
    end
  end
  note(outs)
  local all = core.vmap(outs, ins, mapped)
  local got = run(vars, compile.Out(all[1], { array = true }), values)
  for k in ipairs(SCALES) do
    local own = {}
    for i in ipairs(points) do own[i] = which[i] ~= false and values[i][k - 1] or values[i] end
    local want = run(ins, compile.Out(outs[1], { array = true }), own)
    local part = type(got[k - 1]) == "userdata" and got[k - 1] or nd.array(got[k - 1])
    assert(nd.allclose(want, part, 1e-9, 1e-12), text .. tostring(part) .. "\nis not\n" .. tostring(want))
  end
end

local function F(...) return cases.between(0.2, 0.8, ...) end
local function I(...) return nd.array({ ... }, "int64") end

describe("vmap", function()
  for _, c in ipairs(all_cases()) do
    if not cases.ragged[c.name] then it("of " .. c.name .. " and of its gradient", function()
      check_vmap(c.fun, c.points)
      check_vmap(function(...)
        local x = { ... }
        return table.unpack(T.grad(T.sum(T.sqr(c.fun(...))), x, { disconnected_inputs = "ignore" }))
      end, c.points)
      if #c.points == 2 then
        check_vmap(c.fun, c.points, { true, false })
        check_vmap(c.fun, c.points, { false, true })
      end
    end) end
  end

  it("of what is discrete", function()
    check_vmap(function(x, y)
      return T.lt(x, y), T.argmax(x, { axis = 1 }), T.any(T.gt(x, 0.5), { axis = 0 }), T.all(x), T.isnan(x), T.argmin(y)
    end, { F(2, 3), F(3) })
    check_vmap(function(i, j) return i // j, i % j, i & j, i:sum(), i:max() end, { I(7, 8, -9), I(2, 3, 4) })
  end)

  it("of lengths, which are no mapped values", function()
    check_vmap(function(x) return x.shape, x.size, T.zeros(x.shape), T.arange(x.shape[0]), x / x.shape[1],
      T.eye(x.shape[0]) end,
      { F(2, 3) })
    check_vmap(function(x) return T.specify_shape(x, { 2, 3 }), T.stack({ x[{ 0, 0 }], x[{ 1, 2 }], 1.0 }) end, { F(2,
      3) })
  end)

  it("of subscripts by mapped positions", function()
    local x, m = F(4, 5), F(4, 5, 3)
    check_vmap(function(v, i) return v[i], v[{ i, 2 }], v[{ 1, i }], v[{ T.slice(1, 3), i }], v[{ i, i }] end, { x,
      nd.array(2, "int64") })
    for _, which in ipairs({ { true, true }, { false, true }, { true, false } }) do
      check_vmap(function(v, i) return v[i], v[{ T.slice(), i }], v[{ i, i }], v[{ 1, i }], v[{ i, 0 }] end, { x, I(3,
        0, 3) }, which)
      check_vmap(function(v, i) return v[{ T.slice(), i, T.slice(1, 3) }], v[{ i, T.slice(), 1 }], v[{ i, T.slice(),
        T.constant(I(0, 1)) }] end,
        { m, I(3, 0) }, which)
      check_vmap(function(v, i) return T.set_subtensor(v[i], 7.0), T.inc_subtensor(v[i], v[i] * 2),
        T.inc_subtensor(v[{ T.slice(), i }], 2.0) end,
        { x, I(3, 0, 3) }, which)
      check_vmap(function(v, i) return T.inc_subtensor(v[{ i, T.slice(), i }], 2.0), T.set_subtensor(v[{ T.slice(), i,
        i }], v[{ T.slice(), 0, i }]) end,
        { m, I(2, 0) }, which)
      check_vmap(function(v, i) return T.set_subtensor(v[{ i, T.slice(0, 2) }], 1.5), T.inc_subtensor(v["::-1"], i) end,
        { x, nd.array(3, "int64") }, which)
    end
  end)

  it("of products with either side mapped", function()
    local dims = { { { 4 }, { 4 } }, { { 2, 4 }, { 4 } }, { { 4 }, { 4, 3 } }, { { 2, 4 }, { 4, 3 } } }
    for _, d in ipairs(dims) do
      for _, which in ipairs({ { true, true }, { false, true }, { true, false } }) do
        check_vmap(T.dot, { F(table.unpack(d[1])), F(table.unpack(d[2])) }, which)
      end
    end
  end)

  it("of joins, splits and vectors of which a part is mapped", function()
    for _, which in ipairs({ { true, false }, { false, true } }) do
      check_vmap(function(x, y) return T.join(0, x, y), T.join(-1, x, y), T.stack({ x, y }), T.stack({ x:sum(),
        y:sum() }) end,
        { F(2, 3), F(2, 3) }, which)
    end
    check_vmap(function(x) return T.split(x, { 1, 2 }, 2, { axis = 1 }) end, { F(2, 3) })
  end)

  it("of the fused losses, by rows of classes", function()
    local y = I(1, 3, 0)
    for _, which in ipairs({ { true, false, true }, { true, true, false }, { false, true, true } }) do
      check_vmap(function(x, b, t)
        local nll, sm, am = T.nnet.crossentropy_softmax_argmax_1hot_with_bias(x, b, t)
        local g = T.grad(nll:sum(), x)
        return nll, sm, am, g, T.nnet.softmax_with_bias(x, b), T.nnet.crossentropy_categorical_1hot(sm, t)
      end, { F(3, 4), F(4), y }, which)
    end
  end)

  it("of diagonals at mapped offsets, of alloc, of repeated results", function()
    check_vmap(function(k) return T.eye(3, 4, k), T.tri(3, 4, k) end, { nd.array(1, "int64") })
    check_vmap(function(x) return T.alloc(x, 2, 3), T.constant({ 1.0, 2.0 }) end, { F(3) })
  end)

  it("of index scalars and of operations that change gradients", function()
    check_read("i: int64[]\n%1 = ScalarFromTensor(i)\n%2 = TensorFromScalar(%1)\nout %2\n", { nd.array(3, "int64") },
      {})
    check_vmap(function(x)
      return G.disconnected_grad(x), G.zero_grad(x), G.grad_clip(x, -1, 1), G.grad_scale(x, 2), G.undefined_grad(x)
    end, { F(3) })
  end)

  it("of diagonals, orders, running sums, searches and products of stacks", function()
    local m, c, h = F(3, 3), F(2, 3, 4), nd.array({ 0.3, 0.1, 0.2 })
    for _, which in ipairs({ { true, true }, { true, false }, { false, true } }) do
      check_vmap(function(x, v) return T.fill_diagonal(x, v), T.fill_diagonal_offset(x, v, 1) end, { m,
        nd.array(7.0) }, which)
      check_vmap(function(x, v) return T.batched_dot(x, v) end, { c, F(2, 4, 2) }, which)
      check_vmap(function(x, v) return T.searchsorted(x, v), T.searchsorted(x, v, { side = "right" }) end,
        { nd.array({ 0.1, 0.3, 0.6 }), F(2, 2) }, which)
      check_vmap(function(x, v) return T.opt.assert_op(x, T.gt(v, 0):all()) end, { m, m }, which)
    end
    check_vmap(function(x) return T.searchsorted(x, 0.25, { sorter = T.argsort(x) }) end, { h })
    check_vmap(function(x) return T.diagonal(x, { offset = 1, axis1 = 1, axis2 = 2 }), T.diag(x[{ 0, 0 }]) end, { c })
    check_vmap(function(x) return T.sort(x, 0), T.argsort(x, -1), T.cumsum(x, { axis = 1 }), T.cumprod(x) end, { c })
    check_vmap(function(x) return (theano.scan { fn = function(r, s) return T.tanh(r * s) end, sequences = x,
      outputs_info = x[0] }) end, { m })
    check_vmap(function(x) return theano.ifelse(T.gt(x[{ 0, 0 }], 0.3), x * 2, x) end, { m })
    check_vmap(function(x) return T.topk_and_argtopk(x, 2, { axis = 1 }) end, { c })
    check_read("x: float64[?,?]\n%1 = CountNonzero(x)\nout %1\n", { nd.array({ { 0.0, 1.0 }, { 2.0, 0.0 } }) }, {})
  end)

  it("of what only the optimizer makes", function()
    for _, text in ipairs({
      "Dot22(x, y)", "Dot22Scalar(x, y, a)", "Gemm(z, a, x, y, b)", "Gemv(u, a, x, v, b)", "CGemv(u, a, x, v, b)",
      "Ger(z, a, u, w)", "CGer(z, a, u, w)", "Max{axis=[1], dtype=float64, acc_dtype=float64}(x)",
      "Min{axis=[0], dtype=float64, acc_dtype=float64}(x)", "Argmax{axis=[1]}(x)", "DeepCopyOp(x)", "Shape_i{i=1}(x)",
    }) do
      local head = [[
x: float64[?,?]
y: float64[?,?]
z: float64[?,?]
u: float64[?]
v: float64[?]
w: float64[?]
a: float64[]
b: float64[]
]]
      local points = { F(2, 4), F(4, 3), F(2, 3), F(2), F(4), F(3), nd.array(0.7), nd.array(1.5) }
      for _, which in ipairs({ {}, { false, true, true, false, true, false, true, true } }) do
        check_read(head .. "%1 = " .. text .. "\nout %1\n", points, which)
      end
    end
  end)

  it("of positions, searches and counts", function()
    check_vmap(function(x) return T.argsort(x), T.argsort(x, { axis = 0 }), T.argtopk(x, 2) end, { F(2, 3) })
    local sorted = T.constant({ 0.2, 0.4, 0.6 })
    check_vmap(function(x) return T.searchsorted(sorted, x) end, { F(2, 3) })
    check_read("x: float64[?,?]\n%1 = CountNonzero(x)\nout %1\n", { F(2, 3) }, {})
    raises("NotImplementedError", "Nonzero depends on a mapped variable", function()
      local _ = T.vmap(T.flatnonzero)(T.dmatrix())
    end)
    raises("NotImplementedError", "Unique depends on a mapped variable", function()
      local _ = T.vmap(function(x) return (T.unique(x)) end)(T.dmatrix())
    end)
  end)

  it("of convolutions as they run", function()
    local attrs = "{ndim=2, border=1, pad=[], subsample=[1, 1], dilation=[1, 1], imshp=[], kshp=[], groups=1, mm=True}"
    local x, w, g = F(1, 2, 4, 4), F(3, 2, 3, 3), F(1, 3, 2, 2)
    for text, points in pairs({
      ["CorrMM" .. attrs .. "(a, b)"] = { x, w, I(0) },
      ["CorrMM_gradInputs" .. attrs .. "(a, b, n)"] = { w, g, I(4, 4) },
      ["CorrMM_gradWeights" .. attrs .. "(a, b, n)"] = { x, g, I(3, 3) },
    }) do
      local graph = "a: float64[?,?,?,?]\nb: float64[?,?,?,?]\nn: int64[?]\n%1 = " .. text .. "\nout %1\n"
      for _, which in ipairs({ { true, true, false }, { false, true, false }, { true, false, false } }) do
        check_read(graph, points, which)
      end
    end
  end)

  it("picks columns by numbers", function()
    local p, u = nd.array({ { 0.1, 0.2, 0.7 }, { 0.5, 0.25, 0.25 } }), nd.array({ 0.7, 0.2, 0.15, 0.9 })
    local function picks(rows, numbers)
      rows = rows + T.sum(rows) * T.constant({ { 0.5, 1, 2 }, { 3, 0.25, 0.0 } })
      rows = rows / T.sum(rows, { axis = 1, keepdims = true })
      return T.random.multinomial_from_uniform(rows, numbers, 2), T.random.choice_from_uniform(rows, numbers, 2)
    end
    check_vmap(picks, { p, u })
    check_vmap(picks, { p, u }, { false, true })
    check_vmap(picks, { p, u }, { true, false })
  end)

  it("of sequences and their labels", function()
    local labels = T.constant({ { 1 }, { 2 } })
    check_vmap(function(x)
      local cost = T.nnet.ctc(x, labels, T.constant({ 3, 2 }))
      local g = T.grad(cost:sum(), x)
      return cost, g, T.grad(T.sum(g * x), x)
    end, { F(3, 2, 3) })
  end)

  it("of Fourier transforms", function()
    local fft = T.fft
    check_vmap(function(x) return fft.rfft(x), fft.irfft(fft.rfft(x)) end, { F(2, 6) })
    check_vmap(function(x)
      local z = fft.rfftn(x)
      return T.real(fft.fft(z)), T.imag(fft.ifft(z, { n = 3, axis = 0 })), fft.irfftn(z)
    end, { F(2, 6) })
  end)

  it("chooses element by element where the condition is mapped, and lazily where it is not", function()
    local yes, x = nd.array(1, "int8"), nd.array({ 0.5, -1.5, 2.0 })
    local function either(c, v) return theano.ifelse(c, v ^ 2, v * 3) end
    check_vmap(either, { yes, x })
    check_vmap(either, { yes, x }, { false, true })
    check_vmap(either, { yes, x }, { true, false })
    check_vmap(function(c, v) return T.grad(T.sum(T.tanh(either(c, v))), v) end, { yes, x }, { false, true })
    check_vmap(function(v) return either(T.sum(v):gt(1.5), v) end, { x })
  end)

  it("computes again what remat marks", function()
    local x = nd.array({ 0.5, -1.5, 2.0 })
    check_vmap(function(v) return T.remat(T.exp(v)) * v end, { x })
    check_vmap(function(v) return T.grad(T.sum(T.tanh(T.remat(T.exp(v)))), v) end, { x })
  end)

  it("of a gradient of maxima that are found on the way", function()
    check_read("x: float64[?,?]\ng: float64[?,?]\n%0: const int64[?] (2) 2 2\n%1: const int64[?] (2) 0 0\n" ..
      "%2 = MaxPoolGradFromInput{ndim=2, mode=0, ignore_border=True}(x, g, %0, %0, %1)\nout %2\n",
      { F(4, 6), F(2, 3) }, {})
  end)

  it("goes through transfers", function()
    check_vmap(function(v) return T.exp(v:transfer("gpu")):transfer("cpu") end, { nd.array({ 0.5, -1.5, 2.0 }) })
  end)

  it("has a rule for every operation, and every rule was used above", function()
    -- AllocEmpty: its lengths are all it has; the others give results of another length for each element
    local refused = {
      AllocEmpty = true, Nonzero = true, RepeatIndex = true, Unique = true,
      mrg_uniform = true, Philox = true, -- spec/mrg_spec.lua, spec/key_spec.lua
      UserOp = true, UserLengths = true, UserPerform = true, -- spec/op_spec.lua
    }
    for name in ([[Cholesky LUFactor QR SVD Eig Eigh Eigvalsh Solve SolveTriangular CholeskySolve LUSolve lstsq
      MatrixInverse MatrixPinv Det SLogDet Expm Sqrtm Logm Hint]]):gmatch("%S+") do
      refused[name] = true -- spec/linalg_spec.lua
    end
    -- rewriting makes it of parts that have been mapped: spec/attention_spec.lua
    local without = { Attention = true, AttentionGrad = true }
    for _, more in ipairs({ "", "Grad", "Into" }) do without["AttentionHeads" .. more] = true end -- made behind it
    without.RandomFunction = true -- all elements would draw from one state: spec/randomstreams_spec.lua
    without.CollectiveStart, without.CollectiveWait = true, true -- jobs of ranks: spec/gpu_ranks_spec.lua
    for name in ([[SparseWord CSMProperties SparseWith Transpose CSM SparseTriplets SparseFromDense DenseFromSparse
      SparseConvert EnsureSortedIndices SparseFold Remove0 SparseTake SparseSpread SparseSum SpSum AddSS MulSS AddSD
      Diag SquareDiagonal GetItem2Lists SparseDot SparseDotCount TrueDot SparseRowsDot SparseChoiceCount GetItem2d
      SparseStack]]):gmatch("%S+") do
      without[name] = true -- a sparse matrix has two dimensions, no third: spec/sparse_grad_spec.lua
    end
    for _, op in ipairs(core.operations()) do
      assert(op.rules:find("v") or without[op.name], op.name .. " has no vmap rule")
      assert(used[op.name] or refused[op.name] or without[op.name], "vmap of " .. op.name .. " is not in this spec")
    end
  end)

  it("maps over any axis, nests, and takes the mapped axis back anywhere", function()
    local m = T.dmatrix("m")
    local columns = T.vmap(function(c) return c / c:sum() end, { in_axes = 1, out_axes = 1 })(m)
    assert.same({ { 0.25, 0.5 }, { 0.75, 0.5 } }, columns:eval({ [m] = { { 1.0, 2.0 }, { 3.0, 2.0 } } }):tolist())
    local v = T.dvector("v")
    local outer = T.vmap(function(a) return T.vmap(function(b) return a * b end)(v) end)(v)
    assert.same({ { 1.0, 2.0 }, { 2.0, 4.0 } }, outer:eval({ [v] = { 1.0, 2.0 } }):tolist())
  end)

  it("says what cannot be mapped", function()
    local v, m = T.lvector("v"), T.dmatrix("m")
    raises("ValueError", "returned nothing", function() T.vmap(function() end)(m) end)
    raises("NotImplementedError", "lengths must be the same for all", function()
      local _ = T.vmap(function(n) return T.zeros({ n }) end)(v)
    end)
    raises("NotImplementedError", "bounds of slices", function()
      local _ = T.vmap(function(n) return m[{ T.slice(0, n) }] end)(v)
    end)
    raises("ValueError", "axis 2", function() local _ = T.vmap(T.exp, 2)(m) end)
    raises("ValueError", "2 axes", function() local _ = T.vmap(T.exp, { 0, 0 })(m) end)
    raises("ValueError", "at least one", function() local _ = T.vmap(T.exp, { false })(m) end)
  end)
end)

-- ---- jacobian, hessian and the operators
-- ---------------------------------------------------------------------------------
describe("theano.gradient", function()
  local x, v = T.dvector("x"), T.dvector("v")

  it("jacobian: a row for each element, for vectors, matrices and lists of them", function()
    local w = T.dmatrix("w")
    local y = T.dot(x, w)
    local jx, jw = table.unpack(G.jacobian(y, { x, w }))
    local values = { [x] = { 1.0, 2.0 }, [w] = { { 3.0, 4.0, 5.0 }, { 6.0, 7.0, 8.0 } } }
    assert.same({ { 3.0, 6.0 }, { 4.0, 7.0 }, { 5.0, 8.0 } }, jx:eval(values):tolist())
    assert.same({ 3, 2, 3 }, jw:eval(values).shape)
    assert.same({ { 0.0, 1.0, 0.0 }, { 0.0, 2.0, 0.0 } }, jw:eval(values)[1]:tolist())
    assert.same({ 2.0, 4.0 }, G.jacobian((x * x):sum(), x):eval({ [x] = { 1.0, 2.0 } }):tolist())
    raises("ValueError", "at most one dimension", function() G.jacobian(w, x) end)
    raises("DisconnectedInputError", "w", function() G.jacobian(x * 2, w) end)
  end)

  it("hessian: symmetric second derivatives, and their product with a vector", function()
    local cost = (x ^ 3):sum() + x[0] * x[1]
    local h = G.hessian(cost, x)
    assert.same({ { 6.0, 1.0 }, { 1.0, 12.0 } }, h:eval({ [x] = { 1.0, 2.0 } }):tolist())
    local hv = G.hessian_vector_product(cost, x, v)
    assert.same({ 8.0, 25.0 }, hv:eval({ [x] = { 1.0, 2.0 }, [v] = { 1.0, 2.0 } }):tolist())
    raises("ValueError", "1-dimensional", function() G.hessian(T.sum(T.dmatrix("m")), T.dmatrix("m")) end)
  end)

  it("Rop leaves nothing of f unused, and gives zeros where f is constant in wrt", function()
    local A, W, V, s, e = T.dmatrix("A"), T.dmatrix("W"), T.dmatrix("V"), T.dscalar("s"), T.dscalar("e")
    local f = compile({ inputs = { A, W, V }, outputs = T.Rop(T.dot(A, W), W, V) })
    assert.same({ { 11.0 } }, f({ { 1, 2 } }, { { 0 }, { 0 } }, { { 3 }, { 4 } }):tolist())
    assert.equal(0.0, compile({ s, e }, T.Rop(T.grad(3 * s, s), s, e), { on_unused_input = "ignore" })(1, 1))
    raises("DisconnectedInputError", "no wrt reaches", function() T.Rop(T.argmax(A), W, V) end)
    raises("DisconnectedInputError", "no wrt reaches", function() T.Rop(T.argmax(W), W, V) end)
  end)

  it("Rop leaves integers among values without a tangent", function()
    local p, d = T.dvector("p"), T.constant({ 1.0, 10.0 })
    local m = T.outer(p, p)
    local i = T.lvector("i")
    local function rop(f, want)
      local got = theano["function"]({ p, i }, T.Rop(f, p, d), { on_unused_input = "ignore" })({ 1, 2 }, { 5, 6 })
      assert.same(want, got:tolist())
    end
    rop(T.append(p, 2), { 1, 10, 0 })
    rop(T.concatenate { p, i }, { 1, 10, 0, 0 })
    rop(T.stack { p, i }, { { 1, 10 }, { 0, 0 } })
    rop(T.set_subtensor(p[0], 5), { 0, 10 })
    rop(T.inc_subtensor(p[0], 5), { 1, 10 })
    rop(T.set_subtensor(p[nd.array { 1 }], i[0]), { 1, 0 })
    rop(T.fill_diagonal(m, 2), { { 0, 12 }, { 12, 0 } })
    rop(T.fill_diagonal_offset(m, 2, 1), { { 2, 0 }, { 12, 40 } })
  end)

  it("Lop and Rop check their points and say what is disconnected", function()
    local y = x * 2
    assert.equal("variable", core.kind(G.Lop(y, x, v)))
    assert.equal(1, #G.Rop({ y }, x, v))
    raises("ValueError", "evaluation point 1", function() G.Rop(y, x, T.dmatrix("m")) end)
    raises("ValueError", "2 expressions", function() G.Lop({ y, y }, x, v) end)
    raises("DisconnectedInputError", "v", function() G.Rop(v, x, x) end)
    assert.same({ 0.0 }, G.Rop(v * 1, x, x, { disconnected_outputs = "ignore" }):eval({ [v] = { 3.0 } }):tolist())
    assert.is_nil(G.Rop(v, x, x, { disconnected_outputs = "ignore", return_disconnected = "None" }))
    raises("NullTypeGradError", "not defined", function() G.Rop(G.undefined_grad(x), x, v) end)
  end)

  it("subgraph_grad goes from one cut of the graph to another", function()
    local w1, w2, t = T.dvector("w1"), T.dvector("w2"), T.dvector("t")
    local a1 = x * w1
    local a2 = T.tanh(a1) * w2
    local cost, cost1 = T.sqr(a2 - t):sum(), T.sum(T.sqr(w1))
    local g2, stop2 = G.subgraph_grad({ w2 }, { a1 }, { cost = cost })
    local g1 = G.subgraph_grad({ w1 }, { x }, { start = { { a1, stop2[1] } }, cost = cost1 })
    local whole = T.grad(cost + cost1, { w1, w2 })
    local values = { [x] = { 0.3, 0.7 }, [w1] = { 1.0, 2.0 }, [w2] = { 0.5, -1.0 }, [t] = { 0.1, 0.2 } }
    for i, pair in ipairs({ { g1[1], whole[1] }, { g2[1], whole[2] } }) do
      near(0, T.sum(T.abs(pair[1] - pair[2])):eval(values), "w" .. i)
    end
    raises("ValueError", "start", function() G.subgraph_grad({ w2 }, { a1 }) end)
  end)

  it("operations that change gradients leave values alone and vanish from compiled graphs", function()
    local point = { [x] = { 3.0, -2.0 } }
    local function grad(f) return T.grad(T.sum(f(x * x)), x):eval(point):tolist() end
    assert.same({ 6.0, -4.0 }, grad(function(y) return y end))
    assert.same({ 0.0, 0.0 }, grad(G.zero_grad))
    assert.same({ 3.0, -2.0 }, grad(function(y) return G.grad_scale(y, 0.5) end))
    assert.same({ 6.0, -4.0 }, grad(function(y) return G.grad_clip(y * 1, -1, 1) end))
    assert.same({ 1.5, -1.0 }, grad(function(y) return G.grad_clip(y, -0.25, 0.25) end))
    assert.same({ 9.0, 4.0 }, G.grad_clip(x * x, -1, 1):eval(point):tolist())
    raises("DisconnectedInputError", "x", function() T.grad(T.sum(G.disconnected_grad(x)), x) end)
    raises("NullTypeGradError", "undefined_grad", function() T.grad(T.sum(G.undefined_grad(x)), x) end)
    raises("ValueError", "lower bound", function() G.grad_clip(x, 1, -1) end)
    local f = compile({ inputs = { x }, outputs = T.exp(G.grad_clip(G.disconnected_grad(x), -1, 1)) })
    assert.equal(1, #f.maker.fgraph:toposort())
  end)

  it("null gradients raise, or come back as asked", function()
    local y = T.sum(G.undefined_grad(x)) + T.sum(x)
    raises("NullTypeGradError", "not defined", function() T.grad(y, x) end)
    assert.equal("null", tostring(T.grad(y, x, { null_gradients = "return" }).type):lower():match("null"))
  end)

  it("works for two outputs of one operation, and complex numbers", function()
    local m = T.dmatrix("m")
    local mx = T.max_and_argmax(m, 1)
    assert.same({ 2.0, 3.0 }, G.Rop(mx, m, m):eval({ [m] = { { 1.0, 2.0 }, { 3.0, 0.0 } } }):tolist())
    local z = T.zvector("z")
    local r = G.Rop(T.sum(T.real(z * T.conj(z))), z, z)
    assert.equal(50.0, r:eval({ [z] = nd.array({ nd.complex(3, 4) }) }))
  end)
end)
