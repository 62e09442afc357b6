--- T.nnet beyond the reference cases: softmax along axes, batch normalisation, classes, hinge losses, blocks.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")
local T = require("theano.tensor")
local compile, N = theano.compile, T.nnet
local rng = nd.random.RandomState(8)
local MODES = {
  interpreter = compile.Mode({ linker = "interpreter" }), c = compile.Mode({ linker = "c" }),
  plain = compile.Mode({ linker = "interpreter", optimizer = "None" }),
}

local function close(want, got, what)
  assert(nd.allclose(want, got, 1e-10, 1e-12), ("%s:\n%s\nis not\n%s"):format(what or "", tostring(got),
    tostring(want)))
end

local function verify(fun, points) theano.gradient.verify_grad(fun, points, { mode = MODES.interpreter }) end

describe("T.nnet.softmax", function()
  it("runs along any axis of any tensor", function()
    local x, value = T.dtensor3("x"), rng:randn(2, 3, 4)
    for axis = -1, 2 do
      for name, mode in pairs(MODES) do
        local f = compile({ inputs = { x }, outputs = { N.softmax(x, axis), N.logsoftmax(x, { axis = axis }) },
          mode = mode })
        local s, l = f(value)
        local e = nd.exp(value)
        close(e / nd.sum(e, { axis = axis, keepdims = true }), s, name .. axis)
        close(nd.log(s), l, name .. axis)
      end
      verify(function(v) return N.softmax(v, axis) end, { value })
      verify(function(v) return N.logsoftmax(v, axis) end, { value })
    end
    close(N.softmax(x, 2):eval({ [x] = value }), N.softmax(x):eval({ [x] = value }))
  end)

  it("of a vector is one row by default, a vector when the axis is named", function()
    local v = T.dvector("v")
    assert.same({ { 0.5, 0.5 } }, N.softmax(v):eval({ [v] = { 1.0, 1.0 } }):tolist())
    assert.same({ 0.5, 0.5 }, N.softmax(v, 0):eval({ [v] = { 1.0, 1.0 } }):tolist())
    raises("ValueError", "axis", function() N.softmax(v, 1) end)
    raises("ValueError", "floats", function() N.softmax(T.ltensor3("i")) end)
    raises("ValueError", "not of 3 dimensions: p:reshape { -1, classes }, y:flatten()", function()
      N.categorical_crossentropy(T.dtensor3("p"), T.lmatrix("y"))
    end)
  end)
end)

describe("T.nnet.bn", function()
  local x, g, b = T.dtensor4("x"), T.dvector("g"), T.dvector("b")
  local values = { rng:randn(5, 3, 2, 2), rng:rand(3) + 0.5, rng:randn(3) }

  it("takes parameters of the dimensions that are kept, and gives statistics of them", function()
    local out, mean, invstd = N.bn.batch_normalization_train(x, g, b, "spatial")
    for name, mode in pairs(MODES) do
      local o, m, s = compile({ inputs = { x, g, b }, outputs = { out, mean, invstd },
        mode = mode })(table.unpack(values))
      assert.same({ 3 }, m.shape)
      close(nd.mean(values[1], { axis = { 0, 2, 3 } }), m, name)
      close(1 / nd.sqrt(nd.var(values[1], { axis = { 0, 2, 3 } }) + 1e-4), s, name)
      close(values[3], nd.mean(o, { axis = { 0, 2, 3 } }), name)
    end
  end)

  it("has its gradients", function()
    verify(function(...) return (N.bn.batch_normalization_train(...)) end,
      { rng:randn(4, 3), nd.asarray(rng:rand(3)) + 0.5, rng:randn(3) })
    verify(function(v, w, c) return (N.bn.batch_normalization_train(v, w, c, { axes = { 0, 2, 3 } })) end, values)
  end)

  it("test mode with the statistics of training gives the training output", function()
    local out, mean, invstd = N.bn.batch_normalization_train(x, g, b, { axes = "spatial", epsilon = 1e-3 })
    local again = N.bn.batch_normalization_test(x, g, b, mean, 1 / T.sqr(invstd) - 1e-3, { axes = "spatial",
      epsilon = 1e-3 })
    local o, a = compile({ inputs = { x, g, b }, outputs = { out, again } })(table.unpack(values))
    close(o, a)
  end)

  it("says what is wrong", function()
    raises("ValueError", "epsilon", function() local _ = N.bn.batch_normalization_train(x, g, b, "spatial", 1e-6) end)
    raises("ValueError", "running_var", function()
      local _ = N.bn.batch_normalization_train(x, g, b, { axes = "spatial", running_mean = g })
    end)
    raises("ValueError", "gamma must have 4 dimensions", function() local _ = N.bn.batch_normalization_train(x, g,
      b) end)
    raises("ValueError", "axes", function() local _ = N.bn.batch_normalization_test(x, g, b, g, g, "rows") end)
    raises("TypeError", "'beta' is missing", function() local _ = N.bn.batch_normalization_test(x, g) end)
    raises("ValueError", "low_mem", function() local _ = N.bn.batch_normalization(x, g, b, g, g, "fast") end)
  end)
end)

describe("T.nnet", function()
  it("confusion_matrix counts pairs of classes that appear, in order", function()
    local a, p = T.lvector("a"), T.lvector("p")
    for _, mode in pairs(MODES) do
      local m, order = compile({ inputs = { a, p }, outputs = { N.confusion_matrix(a, p) }, mode = mode })({ 7, 0, 3,
        3 }, { 0, 0, 3, 7 })
      assert.same({ { 1, 0, 0 }, { 0, 1, 1 }, { 1, 0, 0 } }, m:tolist())
      assert.same({ 0, 3, 7 }, order:tolist())
      assert.equal("int64", m.dtype)
    end
    raises("ValueError", "1-d", function() N.confusion_matrix(T.lmatrix(), p) end)
  end)

  it("hinge losses: margins of the best other class, for classes and one-hot rows", function()
    local x, y, hot = T.dmatrix("x"), T.lvector("y"), T.dmatrix("hot")
    local value = { { 1.0, 2.0, 3.0 }, { 5.0, 1.0, 1.0 }, { 0.5, 0.0, 0.25 } }
    local by_class = N.multiclass_hinge_loss(x, y):eval({ [x] = value, [y] = { 0, 0, 0 } })
    assert.same({ 3.0, 0.0, 0.75 }, by_class:tolist())
    local one_hot = N.multiclass_hinge_loss(x, hot, 2):eval({ [x] = value, [hot] = { { 1.0, 0.0, 0.0 }, { 1.0, 0.0,
      0.0 }, { 0.0, 0.0, 1.0 } } })
    assert.same({ 4.0, 0.0, 2.25 }, one_hot:tolist())
    verify(function(v) return N.multiclass_hinge_loss(v, T.constant({ 2, 0, 1 }, { dtype = "int64" })) end,
      { rng:randn(3, 4) })
    local t = T.dvector("t")
    assert.same({ 0.5, 3.0 }, N.binary_hinge_loss(t, T.constant({ 1.0, -1.0 })):eval({ [t] = { 0.5, 2.0 } }):tolist())
    raises("TypeError", "vector of integers", function() N.multiclass_hinge_loss(x, t) end)
  end)

  it("sparse_block_dot is the sum over chosen blocks, with gradients", function()
    local W, h, b = rng:randn(3, 4, 2, 5), rng:randn(2, 2, 2), rng:randn(4, 5)
    local from, to = nd.array({ { 0, 2 }, { 1, 1 } }, "int64"), nd.array({ { 3, 0, 1 }, { 2, 2, 0 } }, "int64")
    local function fun(w, v, c) return N.sparse_block_dot(w, v, T.constant(from), c, T.constant(to)) end
    local got = fun(T.constant(W), T.constant(h), T.constant(b)):eval()
    for n = 0, 1 do
      for j = 0, 2 do
        local o = to[{ n, j }]
        local want = b[o]
        for i = 0, 1 do want = want + nd.dot(h[{ n, i }], W[{ from[{ n, i }], o }]) end
        close(want, got[{ n, j }], n .. " " .. j)
      end
    end
    verify(fun, { W, h, b })
    local one = N.sparse_block_dot(T.constant(W), T.constant(h[0]), T.constant(from[0]), T.constant(b),
      T.constant(to[0])):eval()
    close(got[0], one)
  end)

  it("sparse_block_gemv and sparse_block_outer add products of chosen blocks, with gradients", function()
    local W, h, o = rng:randn(3, 4, 2, 5), rng:randn(2, 2, 2), rng:randn(2, 3, 5)
    local from, to = nd.array({ { 0, 2 }, { 1, 1 } }, "int64"), nd.array({ { 3, 0, 1 }, { 2, 2, 0 } }, "int64")
    local function gemv(a, w, v) return N.blocksparse.sparse_block_gemv(a, w, v, from, to) end
    local got = gemv(o, W, h):eval()
    for n = 0, 1 do
      for j = 0, 2 do
        local want = o[{ n, j }]
        for i = 0, 1 do want = want + nd.dot(h[{ n, i }], W[{ from[{ n, i }], to[{ n, j }] }]) end
        close(want, got[{ n, j }], n .. " " .. j)
      end
    end
    verify(gemv, { o, W, h })
    local y = rng:randn(2, 3, 5)
    local function outer(w, a, b) return N.sparse_block_outer(w, a, b, from, to, { alpha = 0.5 }) end
    local sum = W:copy()
    for n = 0, 1 do
      for i = 0, 1 do
        for j = 0, 2 do
          local at = { from[{ n, i }], to[{ n, j }] }
          sum[at] = sum[at] + nd.outer(h[{ n, i }], y[{ n, j }]) * 0.5
        end
      end
    end
    close(sum, outer(W, h, y):eval())
    verify(outer, { W, h, y })
    close(nd.zeros({ 2 }), (N.sparse_block_outer(W, h, y, from, to) - N.sparse_block_outer(W, h, y, from, to, 1))
      :sum({ axis = { 0, 1, 2 } })["0:2"]:eval())
    raises("TypeError", "inputIdx must have 2 dimensions, it has 3", function() N.sparse_block_gemv(o, W, h, h, to) end)
    raises("TypeError", "yIdx must hold integers, not float64", function()
      N.sparse_block_outer(W, h, y, from, T.constant({ { 0.5 } }))
    end)
  end)

  it("h_softmax gives a distribution, and the same numbers for targets", function()
    local x, y = T.dmatrix("x"), T.lvector("y")
    local p = { T.constant(rng:randn(4, 3)), T.constant(rng:randn(3)), T.constant(rng:randn(3, 4, 2)),
      T.constant(rng:randn(3, 2)) }
    local all = N.h_softmax(x, 5, 6, 3, 2, table.unpack(p))
    p[5] = y
    local some = N.h_softmax(x, 5, 6, 3, 2, table.unpack(p))
    local a, s = compile({ inputs = { x, y }, outputs = { all, some } })(rng:randn(5, 4), { 0, 1, 2, 5, 3 })
    close(nd.ones({ 5 }), nd.sum(a, { axis = 1 }))
    for i, class in ipairs({ 0, 1, 2, 5, 3 }) do assert(math.abs(a[{ i - 1, class }] - s[i - 1]) < 1e-12) end
  end)
end)

describe("T.xlogx", function()
  it("is 0 at 0, in Theano's dtypes", function()
    local x, y, i = T.dvector("x"), T.dvector("y"), T.bvector("i")
    local entropy, cross = T.xlogx.xlogx(x), T.xlogx.xlogy0(x, y)
    local f = compile({ inputs = { x, y }, outputs = { entropy, cross } })
    local e, c = f({ 0.0, 1.0, 2.0 }, { 0.0, 3.0, 0.5 })
    close(nd.array({ 0.0, 0.0, 2 * math.log(2) }), e)
    close(nd.array({ 0.0, math.log(3), 2 * math.log(0.5) }), c)
    assert.same({ "float32", "float64" }, { T.xlogx.xlogx(i).dtype, T.xlogx.xlogy0(i, x).dtype })
  end)
end)
