--- Copies of arrays whose rows lie as columns, backwards or every second one (core/base/array/move.c): the elements
-- that an index of the array gives, for every size of element, lengths around blocks, and inside elementwise calls.
local theano = require("theano")
local nd = theano.ndarray

local DTYPES = { "bool", "int8", "uint16", "float16", "int32", "float32", "int64", "float64", "complex64",
  "complex128" }

-- 0, 1, 2 .. in that shape and dtype, cut to what it holds.
local function ramp(dtype, ...)
  local n = 1
  for _, k in ipairs({ ... }) do n = n * k end
  local x = nd.arange(n) % 251
  if dtype == "bool" then x = x % 3 end
  if dtype == "int8" then x = x - 125 end
  local r = x:astype(dtype)
  if dtype:find("complex") then r = (r + r * nd.complex(0, 3)):astype(dtype) end
  return r:reshape({ ... })
end

-- Element by element, by way of positions in the memory as it lies.
local function expect_copy(view, positions, source)
  local copy, flat = view:copy(), source:reshape({ -1 })
  assert.is_true(copy.flags.c_contiguous)
  assert.is_true(nd.array_equal(copy, flat[positions:reshape({ -1 })]:reshape(view.shape)))
end

local function both(dtype, shape, change)
  local n = 1
  for _, k in ipairs(shape) do n = n * k end
  local x, at = ramp(dtype, table.unpack(shape)), nd.arange(n):reshape(shape)
  -- the positions are copied by other loops: they are made of what an integer index gives, one by one
  local view, place = change(x), change(at)
  local list = {}
  local function walk(p)
    if type(p) == "number" then list[#list + 1] = p return end
    for i = 0, p.shape[1] - 1 do walk(p[i]) end
  end
  walk(place)
  expect_copy(view, nd.array(#list > 0 and list or nd.zeros({ 0 }, "int64")), x)
end

describe("copies #asan", function()
  for _, dtype in ipairs(DTYPES) do
    it("of turned matrices of " .. dtype, function()
      for _, shape in ipairs({ { 16, 16 }, { 17, 31 }, { 40, 24 }, { 15, 40 }, { 64, 16 }, { 1, 40 }, { 33, 1 },
        { 0, 20 } }) do
        both(dtype, shape, function(x) return x.T end)
      end
      both(dtype, { 40, 36 }, function(x) return x[{ "::2", "1:" }].T end)
      both(dtype, { 40, 36 }, function(x) return x[{ "::-1", "::-1" }].T end)
      both(dtype, { 40, 36 }, function(x) return x[{ "3:", "::3" }].T end)
      both(dtype, { 40, 36 }, function(x) return x[{ ":", "::-1" }].T end)
    end)
    it("of axes in any order, of " .. dtype, function()
      for _, order in ipairs({ { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } }) do
        both(dtype, { 3, 17, 20 }, function(x) return x:transpose(order) end)
        both(dtype, { 18, 2, 16 }, function(x) return x:transpose(order) end)
      end
    end)
    it("along a stride, of " .. dtype, function()
      for n = 0, 40, 3 do
        for _, cut in ipairs({ "::2", "1::2", "::-1", "::-2", "::3", "2::5", "::-7" }) do
          both(dtype, { n }, function(x) return x[cut] end)
        end
      end
    end)
  end

  it("into places that do not lie densely", function()
    local x = nd.zeros({ 20, 40 })
    x[{ ":", "::2" }] = nd.arange(400.0):reshape({ 20, 20 }).T
    assert.equal(nd.arange(400.0):sum(), x:sum())
    assert.equal(23.0, x[{ 3, 2 }])
    assert.equal(0.0, x[{ 3, 3 }])
    local y = nd.zeros({ 40, 20 }).T
    y["::"] = nd.arange(800.0):reshape({ 20, 40 })
    assert.equal(3 * 40 + 7.0, y[{ 3, 7 }])
  end)

  it("of one matrix onto itself, turned", function()
    local x = nd.arange(400.0):reshape({ 20, 20 })
    local right = x.T:copy()
    x["::"] = x.T
    assert.is_true(nd.array_equal(right, x))
  end)
end)

describe("elementwise functions of turned operands #asan", function()
  local rng = nd.random.RandomState(3)
  local function same(a, b) assert.is_true(nd.array_equal(a, b)) end
  it("give what laid out ones give", function()
    for _, n in ipairs({ { 64, 64 }, { 70, 91 }, { 16, 300 }, { 300, 15 }, { 300, 16 } }) do
      local x, y = rng:randn(n[1], n[2]), rng:randn(n[2], n[1])
      local t = x.T:copy()
      same(t + y, x.T + y)
      same(y * t, y * x.T)
      same(t + 1, x.T + 1)
      same(nd.exp(t), nd.exp(x.T))
      same(t - t, x.T - x.T)
      same(nd.where(nd.gt(t, 0), t, y), nd.where(nd.gt(x.T, 0), x.T, y))
      local q, frac = nd.divmod(x.T, 3)
      local q2, frac2 = nd.divmod(t, 3)
      same(q2, q)
      same(frac2, frac)
    end
    local cube = rng:randn(20, 18, 17)
    same(cube:transpose(2, 0, 1):copy() + 1, cube:transpose(2, 0, 1) + 1)
    same(cube:transpose(2, 1, 0):copy() * 2, cube:transpose(2, 1, 0) * 2)
  end)
  it("leave the operands as they are", function()
    local x = rng:randn(80, 90)
    local before = x:copy()
    local _ = x.T + 1
    same(before, x)
    assert.same({ 8, 720 }, { x.T.strides[1], x.T.strides[2] })
  end)
end)
