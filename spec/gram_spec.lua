--- A matrix times its own transpose is computed half and mirrored (core/runtime/gemm/symmetric.c): the bits of the same
-- product of two matrices that do not lie in one place.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function matrix(dtype) return T.TensorType(dtype, { false, false })() end
local rng = nd.random.RandomState(7)

local SIZES = { { 128, 16 }, { 129, 40 }, { 191, 17 }, { 192, 300 }, { 200, 700 }, { 316, 316 }, { 127, 60 },
  { 150, 15 }, { 130, 1 }, { 257, 1100 }, { 1290, 17 }, { 1000, 1100 } }

describe("a matrix times its transpose #asan", function()
  for _, dtype in ipairs({ "float64", "float32" }) do
    it("has the bits of any product, " .. dtype, function()
      local x, y = matrix(dtype), matrix(dtype)
      local own = theano.compile { inputs = { x }, outputs = { T.dot(x, x.T), T.dot(x.T, x), 2 * T.dot(x, x.T) } }
      local two = theano.compile { inputs = { x, y }, outputs = { T.dot(x, y), T.dot(y, x), 2 * T.dot(x, y) } }
      for _, size in ipairs(SIZES) do
        local a = rng:randn(size[1], size[2]):astype(dtype)
        local b = a.T:copy()
        local p, q, r = own(a)
        local p2, q2, r2 = two(a, b)
        assert.is_true(nd.array_equal(p2, p))
        assert.is_true(nd.array_equal(q2, q))
        assert.is_true(nd.array_equal(r2, r))
        assert.is_true(nd.array_equal(p, p.T))
      end
    end)
    it("is like itself across the diagonal where it is not finite, " .. dtype, function()
      local x = matrix(dtype)
      local own = theano.compile { inputs = { x }, outputs = T.dot(x, x.T) }
      local a = rng:randn(150, 40):astype(dtype)
      a[{ 7, 3 }], a[{ 140, 5 }], a[{ 141, 5 }] = 0 / 0, 1 / 0, -1 / 0
      local p = own(a)
      assert.is_true(nd.array_equal(nd.isnan(p), nd.isnan(p.T)))
      assert.is_true(nd.all(nd.isnan(p[7])))
      assert.equal(1 / 0, p[{ 140, 140 }])
      assert.equal(-1 / 0, p[{ 140, 141 }])
    end)
  end
  it("is added to what is there, and goes into places of any order", function()
    local x, y, z = T.dmatrix("x"), T.dmatrix("y"), T.dmatrix("z")
    local own = theano.compile { inputs = { x, z }, outputs = { z + T.dot(x, x.T), T.dot(x, x.T).T - z } }
    local two = theano.compile { inputs = { x, y, z }, outputs = { z + T.dot(x, y), T.dot(x, y).T - z } }
    local a, c = rng:randn(180, 70), rng:randn(180, 180)
    local p, q = own(a, c)
    local p2, q2 = two(a, a.T:copy(), c)
    assert.is_true(nd.array_equal(p2, p))
    assert.is_true(nd.array_equal(q2, q))
  end)
  it("takes strided operands", function()
    local x, y = T.dmatrix("x"), T.dmatrix("y")
    local own = theano.compile { inputs = { x }, outputs = T.dot(x[{ "::2", "::-1" }], x[{ "::2", "::-1" }].T) }
    local two = theano.compile { inputs = { x, y }, outputs = T.dot(x, y) }
    local a = rng:randn(300, 80)
    local b = a[{ "::2", "::-1" }]:copy()
    assert.is_true(nd.array_equal(two(b, b.T:copy()), own(a)))
  end)
  it("of arrays, by name and by method, of either kind and of parts", function()
    for _, size in ipairs({ { 3, 3 }, { 150, 40 }, { 316, 316 }, { 1, 200 }, { 200, 1 } }) do
      local a = rng:randn(size[1], size[2])
      local part = a["::2"]
      for _, m in ipairs({ a, a:astype("float32"), part, a:astype("int64"), a * nd.complex(1, 2) }) do
        local other = m.T:copy()
        for _, f in ipairs({ nd.dot, nd.matmul }) do
          assert.is_true(nd.array_equal(f(m, other), f(m, m.T)))
          assert.is_true(nd.array_equal(f(other, m), f(m.T, m)))
        end
      end
    end
  end)
  it("of arrays costs little more than half", function()
    local threads = theano.config.openmp
    finally(function() theano.config.openmp = threads end)
    theano.config.openmp = false -- who waits for another thread takes processor time too
    local a = rng:rand(500, 500)
    local other, whole, half = a.T:copy(), math.huge, math.huge
    for _ = 1, 12 do -- least processor times, in turns
      local start = os.clock()
      nd.dot(a, other)
      local between = os.clock()
      nd.dot(a, a.T)
      whole, half = math.min(whole, between - start), math.min(half, os.clock() - between)
    end
    assert.is_true(half < 0.8 * whole, half / whole)
  end)
end)
