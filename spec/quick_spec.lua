--- The short ways of arrays give what the long ones give: subscripts without a list of arguments, elementwise calls
-- without a call's frame.
local theano = require("theano")
local core = require("theano.core")
local nd, T = theano.ndarray, theano.tensor
local raises = require("spec.support.raises")

local rng = nd.random.RandomState(7)
local function same(a, b)
  if core.kind(a) ~= "ndarray" then return a == b or a ~= a and b ~= b end
  return a.dtype == b.dtype and nd.array_equal(a, b, true)
end

describe("a subscript", function()
  it("that is none is refused, whatever stands beside it", function()
    local m, x = nd.arange(6):reshape({ 2, 3 }), nd.arange(3)
    for _, key in ipairs { { 2, 0 }, { 0, 3 }, { -3, 0 }, { 0, -4 }, { 1.0, 2 }, { 1.5, 2 }, { "a", 2 }, { true, 2 },
      { 0, 1, 2 }, { 0, 1, x = 2 }, { 1, [3] = 2 }, { 0 / 0, 1 }, { math.huge, 1 }, { math.mininteger, 0 },
      { 0, math.maxinteger }, 2, -3, 1.0, 1.5, 0 / 0, true, print, "a", math.maxinteger, math.mininteger } do
      assert.is_false(pcall(function() return m[key] end))
      assert.is_false(pcall(function() m[key] = 1 end))
    end
    assert.is_false(pcall(function() return m[nil] end))
    for _, key in ipairs { 3, -4, 1.0, { 3 }, { 0, 0 }, { 1.0 }, { x = 1 } } do
      assert.is_false(pcall(function() return x[key] end))
    end
    assert.same({ 0, 1, 2, 3, 4, 5 }, m:reshape({ 6 }):tolist())
    assert.equal(5, m[{ -1, -1 }])
    assert.same({ 1, 4 }, m[{ ":", 1 }]:tolist())
    assert.equal(2, x[{ 2 }])
  end)

  it("gives views that outlive what they were made of, in either mode of the collector", function()
    local before = collectgarbage("generational")
    for _, mode in ipairs { "generational", "incremental" } do
      collectgarbage(mode)
      local kept = {}
      for i = 1, 3000 do
        local m = nd.full({ 3, 4 }, i)
        kept[i % 50 + 1] = { m[1], m["1:, ::2"], m[{ "1:", 2 }], m.T, m[nd.array({ 0, 2 })], i }
        if i % 500 == 0 then collectgarbage() end
        if i % 7 == 0 then setmetatable({}, { __gc = function() local _ = { m[{ 0, 1 }], m[0], m.shape } end }) end
      end
      collectgarbage()
      for _, views in pairs(kept) do
        for k = 1, 5 do assert.equal(views[6], nd.max(views[k])) end
        assert.equal("ndarray", core.kind(views[1]))
      end
    end
    collectgarbage(before)
  end)

  local arrays = {
    nd.arange(7), rng:rand(7), rng:rand(7):astype("float32"), nd.gt(rng:rand(7), 0.5), rng:rand(7) + nd.complex(0, 1),
    rng:rand(14)["::2"], rng:rand(7, 3), rng:rand(3, 7).T, rng:rand(7, 2, 3), rng:randint(0, 9, { 7 }):astype("uint8"),
    rng:randint(0, 9, { 7, 3 }):astype("int16"),
  }
  local keys = {
    0, 6, -1, -7, "1:-1", "::-1", ":", " 1 : 5 : 2 ", "-3:", ":0", "5:2", "::3", "2", "-2", "9:", "-20:20", "6::-2",
    nd.array { 0, 6, -7, -1, 3 }, nd.array { { 1, 2 }, { -1, 0 } }, nd.zeros(0, "int64"), nd.arange(14)["::2"] // 2,
    nd.array { 1, 0, 2 }:astype("int32"), nd.array { true, false, true, true, false, false, true },
    nd.array { false, false, false, false, false, false, false },
  }
  it("is what the list of arguments gives", function()
    for _, a in ipairs(arrays) do
      for _, key in ipairs(keys) do
        assert.is_true(same(a[key], core.index(a, key)), tostring(key))
      end
    end
    local m, cube = arrays[7], arrays[9]
    assert.equal(m[{ 1, 2 }], m[{ [2] = 2, [1] = 1 }])
    for _, key in ipairs { { 1, 2, x = 0 }, { 1, 2, 0 }, { 1, 3 }, { 7, 0 }, { 1.5, 0 }, { [1] = 1, [3] = 0 },
      { [0] = 1, 1, 2 }, { 1, {} } } do
      assert.has_error(function() return m[key] end)
    end
    for _, key in ipairs { "1:,::-1", "1, :2", "-1,-1", "2:3,0", ":,1", "1,", { 1, 2 }, { -1, -3 }, { "1:", ":-1" },
      { 1 }, { "::-1", 0 }, { "2" } } do
      assert.is_true(same(m[key], core.index(m, key)), tostring(key))
    end
    for _, key in ipairs { "1,1", "::2,1,::-1", { 6, 1, 2 }, "1:3" } do
      assert.is_true(same(cube[key], core.index(cube, key)), tostring(key))
    end
    local mask = nd.gt(m, 0.5)
    assert.is_true(same(m[mask], core.index(m, mask)))
  end)
  it("writes what the long way writes", function()
    local values = { 3, 2.5, -1, 0 / 0 }
    local some = { nd.arange(7), rng:rand(7), rng:rand(7):astype("float32"), rng:rand(14)["::2"], rng:rand(7, 3) }
    for _, a in ipairs(some) do
      for _, key in ipairs(keys) do
        for _, v in ipairs(values) do
          local x, y = a:copy(), a:copy()
          local fine = pcall(core.setindex, y, key, v)
          assert.equal(fine, (pcall(function() x[key] = v end)))
          assert.is_true(same(x, y), tostring(key) .. " " .. v)
        end
      end
      local at = nd.array { 5, -6, 5, 0 }
      local x, y, v = a:copy(), a:copy(), a["1:5"]
      x[at] = v
      core.setindex(y, at, v)
      assert.is_true(same(x, y))
      y = x:copy()
      x[at] = x["1:5"] -- what is written is read first
      core.setindex(y, at, y["1:5"]:copy())
      assert.is_true(same(x, y))
    end
  end)
  it("says what is wrong in the same words, and writes nothing then", function()
    local x = nd.arange(4)
    raises("IndexError", "out of bounds", function() return x[4] end)
    raises("IndexError", "out of bounds", function() return x[nd.array { 0, 4 }] end)
    raises("IndexError", "", function() x[nd.array { 0, -5 }] = 7 end)
    assert.same({ 0, 1, 2, 3 }, x:tolist())
    raises("IndexError", "did not match", function() return x[nd.array { true, false }] end)
    raises("IndexError", "too many", function() return x["1,2"] end)
    raises("ValueError", "zero", function() return x["::0"] end)
    raises("ValueError", "read-only", function()
      local y = nd.arange(3)
      y:protect()
      y[0] = 1
    end)
    raises("ValueError", "freed", function()
      local y = nd.arange(3)
      y:free()
      return y[0]
    end)
    raises("AttributeError", "no attribute", function() return x.no_such end)
  end)
end)

-- The same elements where no short way goes: none is dense.
local function strided(a)
  local shape = a.shape
  table.insert(shape, 2)
  local wide = nd.zeros(shape, a.dtype)
  wide["...,0"] = a
  return wide["...,0"]
end
local function far(v)
  if core.kind(v) == "ndarray" then return strided(v) end
  if type(v) ~= "table" or v[1] == nil then return v end
  local out = {}
  for i, x in ipairs(v) do out[i] = far(x) end
  return out
end

describe("a function of arrays with a short way", function()
  local function vector(n) return rng:rand(n) end
  local x, y, m, k = vector(9), vector(9), rng:rand(3, 4), rng:randint(0, 5, { 9 })
  local bits = nd.gt(x, 0.5)
  local whole = rng:randint(-1000, 1000, { 100 })
  local far_off = nd.array { math.mininteger, math.maxinteger, -7, 1 << 52, -1 }
  local t = nd.array { 0 / 0, math.huge, -math.huge, -0.0, 0.0, 0.25, 0.5, -3 }
  local z = rng:randn(9) + nd.complex(0, 1) * rng:randn(9)
  local holes = vector(2000)
  holes["::7"] = 0 / 0
  local CALLS = {
    flip = { { x }, { m }, { m, 0 }, { m, -1 }, { m, { axis = 1 } }, { nd.zeros { 0, 2 } } },
    fliplr = { { m } }, flipud = { { m }, { x } }, matrix_transpose = { { m }, { rng:rand(2, 3, 4) } },
    swapaxes = { { m, 0, 1 }, { rng:rand(2, 3, 4), -1, 0 } },
    atleast_2d = { { x }, { m }, { rng:rand(2, 3, 4) } }, atleast_3d = { { x }, { m }, { rng:rand(2, 3, 4) } },
    rollaxis = { { m, 1 }, { rng:rand(2, 3, 4), 2 }, { rng:rand(2, 3, 4), -2 }, { rng:rand(2, 3, 4), 0 },
      { rng:rand(2, 3, 4), 2, 1 } },
    squeeze = { { rng:rand(1, 3, 1) }, { m } }, ravel = { { m }, { x } },
    concatenate = { { { x, y } }, { { m, m }, 1 }, { { m, m }, { axis = -1 } }, { { m, rng:rand(2, 4) } },
      { { k, x } }, { { nd.zeros { 0, 4 }, m } } },
    stack = { { { x, y } }, { { x, y }, 1 }, { { m, m, m }, { axis = -1 } }, { { k, k } } },
    vstack = { { { x, y } }, { { m, m } } }, row_stack = { { { x, y } } }, hstack = { { { x, y } }, { { m, m } } },
    dstack = { { { x, y } }, { { m, m } } }, column_stack = { { { x, y } }, { { m, m } } },
    append = { { x, y }, { m, x }, { m, m, 1 } },
    count_nonzero = { { x }, { k }, { bits }, { m, 1 }, { rng:rand(3000):astype("float32") },
      { nd.gt(vector(5000), 0.3) } },
    average = { { x }, { x, { weights = y } }, { vector(1000), { weights = vector(1000) } }, { x, { weights = k } },
      { m, { weights = m } }, { x, { weights = y, axis = 0 } },
      { holes, { weights = vector(2000) } }, { vector(40000), { weights = vector(40000) } } },
    bincount = { { k }, { k, x }, { nd.array { 3000, 0 } } },
    packbits = { { bits }, { nd.gt(vector(24), 0.5) }, { nd.gt(m, 0.5) }, { k } },
    unpackbits = { { k:astype("uint8") }, { rng:randint(0, 256, { 40 }):astype("uint8") } },
    take = { { x, k }, { m, nd.array { 0, -1 }, 0 }, { m, nd.array { { 1 }, { 3 } }, { axis = 1 } }, { m, k },
      { m:astype("int8"), nd.array { 2 }, 1 } },
    convolve = { { x, vector(4) }, { vector(3), x }, { k, k }, { x, y, "same" }, { x, vector(5), "valid" },
      { vector(2500), vector(13) }, { vector(1), x }, { vector(2):astype("float32"), y:astype("float32") } },
    correlate = { { x, vector(4) }, { vector(3), x, "same" }, { k, k, "full" }, { x, y } },
    extract = { { bits, x }, { bits, k } }, compress = { { bits, x }, { nd.array { true, false }, x } },
    isin = { { k, nd.array { 1, 3 } }, { nd.array { { -5, 1 << 62 }, { 3, 0 } }, k }, { k, k }, { x, x },
      { nd.array { math.mininteger, math.maxinteger }, nd.array { math.mininteger, math.mininteger + 3 } } },
    nanmax = { { x }, { nd.array { 0 / 0, 3, -1 } }, { nd.array { 0 / 0, -0.0 } }, { -vector(100) }, { m, 1 },
      { nd.array { 0 / 0, -math.huge } } },
    nanmin = { { x }, { nd.array { 0 / 0, 3, -1 } }, { vector(100) }, { m } },
    resize = { { x, { 2, 7 } }, { x, { 3 } }, { k:astype("int8"), { 40, 1000 } }, { m, { 0, 2 } }, { x, 4 } },
    delete = { { x, 0 }, { x, -1 }, { x, 4 }, { m, 1, 0 }, { x, { 1, 2 } } },
    repeat_ = { { x, 3 }, { x, 0 }, { m, 2 }, { m, 2, 1 }, { k:astype("int8"), 2 } },
    median = { { x }, { vector(1000) }, { m }, { m, 0 }, { nd.array { 2.0, 0 / 0, 1 } }, { nd.array { -0.0, 0.0 } } },
    quantile = { { x, 0.3 }, { vector(3001), 0.77 }, { m, 0 }, { m, 1 }, { nd.array { 2.0, 0 / 0 }, 0.5 },
      { x, 0.5, 0 } },
    percentile = { { x, 30 }, { vector(3001), 99.9 }, { x, { 10, 90 } }, { k, 50 } },
    nanmedian = { { holes }, { x }, { nd.array { 0 / 0, 4.0, 2.0 } }, { nd.array { 0 / 0 } }, { m, 0 } },
    nanquantile = { { holes, 0.3 }, { holes, 0 }, { holes, 1 }, { x, 0.4 }, { nd.array { 0 / 0 }, 0.4 } },
    nanpercentile = { { holes, 30 }, { x, 12.5 } },
    vecdot = { { m, m }, { rng:randn(5, 100), rng:randn(5, 100) }, { x, y }, { m, rng:rand(4) } },
    matmul = { { m, rng:rand(4) }, { rng:randn(7, 33), rng:randn(33) }, { rng:randn(3, 3000), rng:randn(3000) },
      { m, rng:rand(4, 2) }, { nd.zeros { 3, 0 }, nd.zeros(0) } },
    dot = { { m, rng:rand(4) }, { x, y }, { rng:randn(2, 31), rng:randn(31) } },
    matvec = { { m, rng:rand(4) }, { k:reshape { 3, 3 }, nd.arange(3) } }, inner = { { m, rng:rand(4) }, { x, y } },
    einsum = { { "ij,j->i", m, rng:rand(4) }, { "Ab,b->A", rng:randn(7, 33), rng:randn(33) },
      { "ij,j->i", rng:randn(2, 3000), rng:randn(3000) }, { "ij,j->i", k:reshape { 3, 3 }, nd.arange(3) },
      { "ij,i->j", m, rng:rand(3) }, { "ii,i->i", rng:rand(3, 3), rng:rand(3) }, { "ij, j -> i", m, rng:rand(4) },
      { "ij,j->i", nd.zeros { 3, 0 }, nd.zeros(0) } },
    digitize = { { x, nd.linspace(0, 1, 5) }, { x, nd.linspace(0, 1, 5), true }, { t, nd.array { -1, 0.0, 0.0, 0.5 } },
      { t, nd.array { 0.5, 0.25, -1 }, true }, { m, nd.array { 0.5 } }, { t, nd.array { 0.0, 0 / 0 } },
      { k, nd.array { 1.5, 3 } }, { x, nd.array { 1, 2 } }, { vector(1000), nd.sort(vector(40)), false } },
    all = { { bits }, { nd.gt(x, -1) }, { nd.zeros(0, "bool") }, { nd.gt(m, -1) }, { nd.gt(m, 0.2), 1 },
      { nd.gt(m, -1), { axis = 1 } }, { nd.gt(m, 0.2), 0 }, { m, 1 } },
    bartlett = { { 1 }, { 2 }, { 9 }, { 0 } },
    round = { { rng:randn(40) * 1000, 2 }, { x, 0 }, { x, -1 }, { nd.array { 0 / 0, math.huge, -0.0, 0.125 }, 2 },
      { k, 1 } },
    ldexp = { { x, 3 }, { x, -1022 }, { x * 1e-300, -60 }, { x, 1024 }, { x, k }, { nd.array { 1e308, 0 / 0 }, 1023 } },
    rint = { { rng:randn(40) * 9 }, { x:astype("float32") }, { k } },
    real = { { z }, { z:astype("complex64") }, { x } }, imag = { { z }, { z:astype("complex64") }, { x } },
    real_if_close = { { z }, { x + nd.complex(0, 1e-20) }, { x } },
    trim_zeros = { { nd.array { 0, 0, 1.5, 0, 2, 0 } }, { nd.zeros(4) }, { x }, { nd.array { 0, 3, 0 } } },
    unique_counts = { { k }, { nd.array { math.mininteger, math.maxinteger, 3, 3 } }, { x }, { nd.zeros(0, "int64") } },
    permute_dims = { { m, { 1, 0 } }, { rng:rand(2, 3, 4), { 2, 0, 1 } }, { rng:rand(2, 3, 4), { -1, 0, 1 } } },
    floor_divide = { { whole, 7 }, { whole, 1 }, { whole, -3 }, { whole, 1 << 31 }, { far_off, 7 }, { x, 2 },
      { whole, 0.5 } },
    mod = { { whole, 7 }, { whole, 1 }, { whole, -3 }, { whole, 1 << 31 }, { far_off, 7 }, { x, 2 } },
    remainder = { { whole, 10 } },
    greater = { { t, 0.5 }, { t, 0 / 0 }, { t, 1 }, { k, 2.5 }, { t, math.huge } },
    less_equal = { { t, 0.5 }, { t, 0.0 }, { t, t }, { t, -t }, { k, whole["0:9"] } },
    greater_equal = { { t, 0.5 }, { t, -0.0 }, { t, -t } }, less = { { t, 0.5 }, { x, y }, { x, k }, { k, k } },
    equal = { { t, 0.0 }, { t, 0 / 0 }, { t, t }, { k, k }, { whole, -whole } },
    not_equal = { { t, 0.25 }, { t, 0 / 0 }, { t, t }, { whole, -whole } },
    nan_to_num = { { t }, { k }, { t:astype("float32") }, { t, { nan = 3.0 } } },
    array_equal = { { x, x }, { x, y }, { t, t }, { x, vector(8) }, { vector(3000), vector(3000) }, { k, k },
      { m, m } },
    ndim = { { x }, { m } },
    isclose = { { x, x + 1e-9 }, { t, t }, { t, -t }, { t, nd.zeros(8) }, { nd.zeros(8), t }, { x, x + 1e-4 },
      { vector(1000), vector(1000) }, { m, m }, { x, k }, { x, 0.5 } },
    frexp = { { x }, { t }, { nd.array { 5e-324, -2.2e-308, 1e308, 8, -0.3 } }, { vector(1000) }, { k }, { m } },
    argwhere = { { nd.gt(vector(3000), 0.4) }, { bits }, { nd.gt(m, 0.5) }, { k } },
    polyder = { { x }, { vector(2) }, { nd.array { 3.0 } }, { k } },
    ediff1d = { { x }, { t }, { vector(1) }, { k }, { m } },
    nanvar = { { holes }, { x }, { nd.array { 0 / 0, 4.0 } }, { nd.array { 0 / 0 } }, { m }, { t } },
    nanstd = { { holes }, { x }, { nd.array { 0 / 0, 4.0, 2.5 } }, { nd.array { 0 / 0 } }, { m } },
    setxor1d = { { k, nd.array { 1, 7, 3, 3 } }, { whole, k }, { k, k }, { k, nd.zeros(0, "int64") }, { x, y },
      { nd.array { math.mininteger, 5 }, nd.array { 5, math.maxinteger } } },
    meshgrid = { { x, k }, { k, vector(1) }, { vector(40), vector(17) }, { x, nd.zeros(0) }, { x, m }, { x, y, k } },
    full_like = { { x, 2.5 }, { x, 3 }, { k, 3 }, { m, 0 / 0 } }, atleast_1d = { { x }, { m } },
    common_type = { { x, x:astype("float32") }, { k, x } }, nanmean = { { holes } },
    histogram2d = { { x, y }, { vector(500), vector(500) }, { vector(50), vector(50), 5 },
      { vector(300), vector(300), { nd.array { 0, 0.1, 0.9 }, 4 } } },
    histogramdd = { { rng:rand(60, 3) }, { rng:rand(60, 2), { 4, nd.array { 0.2, 0.3, 0.5 } } },
      { rng:rand(9, 1), 3 } },
    nonzero = { { nd.gt(vector(3000), 0.4) } },
    flatnonzero = { { nd.frombuffer(("\0\1\2\128\0\255"):rep(500), "bool") }, { nd.gt(vector(1027), 0.5) } },
    fromfunction = { { function(i, j) return i * 10 + j end, { 7, 9 } }, { function(i) return i end, { 5 } },
      { function(i, j, l) return i * 100 + j * 10 + l end, { 2, 3, 4 } } },
    interp = { { nd.array { -1, 0, 0.3, 2.5, 9, 0 / 0 }, nd.array { 0.0, 1, 2, 5 }, nd.array { 1.0, -1, 4, 0 } },
      { vector(50), nd.sort(vector(20)), vector(20) }, { x, nd.array { 0.5 }, nd.array { 3.0 } } },
  }
  for name, calls in pairs(CALLS) do
    it(name .. " gives what the other way gives", function()
      for _, args in ipairs(calls) do
        local others = {}
        for i, v in ipairs(args) do others[i] = far(v) end
        assert.is_true(same(nd[name](table.unpack(args)), nd[name](table.unpack(others))))
      end
    end)
  end
  it("refuses factors and edges as the other way does", function()
    raises("ValueError", "", function() return nd.einsum("ij,j->i", m, rng:rand(3)) end)
    raises("ValueError", "neither increase nor decrease", function() nd.digitize(x, nd.array { 0.0, 2, 1 }) end)
    raises("TypeError", "right", function() nd.digitize(x, nd.array { 0.0, 2 }, 1) end)
  end)
  it("gives views of the shapes that NumPy gives", function()
    local cube = rng:rand(2, 3, 4)
    assert.same({ 1, 9 }, nd.atleast_2d(x).shape)
    assert.same({ 1, 9, 1 }, nd.atleast_3d(x).shape)
    assert.same({ 3, 4, 1 }, nd.atleast_3d(m).shape)
    assert.same({ 4, 2, 3 }, nd.rollaxis(cube, 2).shape)
    assert.equal(cube[{ 1, 2, 3 }], nd.rollaxis(cube, 2)[{ 3, 1, 2 }])
    assert.equal(cube[{ 1, 2, 3 }], nd.rollaxis(cube, 1)[{ 2, 1, 3 }])
    assert.equal(cube[{ 1, 2, 3 }], nd.swapaxes(cube, 0, 2)[{ 3, 2, 1 }])
    assert.equal(cube[{ 1, 2, 3 }], nd.flip(cube, 1)[{ 1, 0, 3 }])
    for _, view in ipairs { nd.atleast_2d(x), nd.rollaxis(cube, 2), nd.flip(x), nd.ravel(m), nd.squeeze(cube) } do
      assert.is_true(nd.shares_memory(view, x) or nd.shares_memory(view, cube) or nd.shares_memory(view, m))
    end
    raises("ValueError", "", function() local _ = nd.rollaxis(cube, 3) end)
  end)
  it("takes the numbers of an iterator", function()
    local function up_to(n)
      local i = 0
      return function()
        i = i + 1
        return i <= n and i * 0.5 or nil
      end
    end
    for _, n in ipairs { 0, 1, 63, 64, 65, 1000 } do
      assert.is_true(same(nd.arange(1, n + 1) * 0.5, nd.fromiter(up_to(n), "float64")))
    end
    assert.same({ 0.5, 1.0 }, nd.fromiter(up_to(9), "float64", 2):tolist())
    raises("TypeError", "a number is expected", function() return nd.fromiter(function() return "x" end, "float64") end)
    raises("KeyError", "mine", function() return nd.fromiter(function() error("KeyError: mine") end, "float64") end)
    for _, n in ipairs { 511, 512, 513, 1024, 1025, 5000 } do
      assert.is_true(same(nd.arange(1, n + 1) * 0.5, nd.fromiter(up_to(n), "float64")))
    end
    local calls = 0
    raises("TypeError", "element 600 is boolean", function()
      return nd.fromiter(function()
        calls = calls + 1
        if calls % 100 == 0 then collectgarbage() end
        if calls > 600 then return false end
        return calls
      end, "float64")
    end)
  end)
  it("takes the numbers of a list as nd.array does", function()
    for _, dtype in ipairs { "float64", "int64", "float32", "uint8" } do
      for _, list in ipairs { { 1, 2, 3 }, { 7 }, { 1.0, 2 } } do
        assert.is_true(same(nd.array(list, dtype), nd.fromiter(list, dtype)))
      end
    end
    local function refused(f) assert.is_false(pcall(f)) end
    assert.same({ 0 }, nd.fromiter({}, "float64").shape)
    assert.same({ 0.5, 2 }, nd.fromiter({ 0.5, 2 }, "float64"):tolist())
    refused(function() return nd.fromiter({ 0.5, "2" }, "float64") end)
    refused(function() return nd.fromiter({ 0.5, 2, x = 1 }, "float64") end)
    refused(function() return nd.fromiter({ 0.5, 2, ["3"] = 1 }, "float64") end)
    refused(function() return nd.fromiter({ 0.5, 2, [2.5] = 1 }, "float64") end)
    refused(function() return nd.fromiter({ 0.5, [2] = 2, [4] = 1 }, "float64") end)
    raises("TypeError", "", function() return nd.fromiter({ 1 }, "float65") end)
  end)
  it("gives a.T as a view of any rank", function()
    local cube = rng:rand(2, 3, 4)
    assert.same({ 4, 3, 2 }, cube.T.shape)
    assert.equal(cube[{ 1, 2, 3 }], cube.T[{ 3, 2, 1 }])
    assert.is_true(nd.shares_memory(cube.T, cube))
    assert.same({ 9 }, x.T.shape)
  end)
  it("gives the parts of complex numbers as views", function()
    local a = nd.zeros({ 2, 3 }, "complex128")
    local re, im = nd.real(a), a.imag
    re[{ 0, 1 }], im[{ 1, 2 }] = 3, 5
    assert.equal("(3.0+0.0j) (0.0+5.0j)", tostring(a[{ 0, 1 }]) .. " " .. tostring(a[{ 1, 2 }]))
    assert.same({ { 2, 3 }, "float64", false }, { re.shape, re.dtype, im.flags.owndata })
    assert.equal("float32", nd.imag(a:astype("complex64")).dtype)
    assert.same({ 0, 3 }, nd.imag(nd.zeros({ 0, 3 }, "complex128")).shape)
    a.flags.writeable = false
    raises("ValueError", "read-only", function() nd.real(a)[{ 0, 0 }] = 1 end)
    a:free()
    raises("ValueError", "freed", function() return re[{ 0, 0 }] end)
  end)
  it("partitions around the element that a sort puts there", function()
    local ties, turned = nd.floor(vector(700) * 5), nd.where(nd.lt(vector(300), 0.5), -0.0, 0.0)
    for _, v in ipairs { x, holes, ties, turned, vector(5000), k, nd.array { 3.0 }, nd.zeros(900) } do
      local n, sorted = v.size, nd.sort(v)
      for _, kth in ipairs { 0, n // 3, n - 1, -1 } do
        local p, at, i = nd.partition(v, kth), nd.argpartition(v, kth), kth % n
        assert.is_true(same(sorted, nd.sort(p)))
        assert.is_true(same(nd.arange(n), nd.sort(at)))
        assert.is_true(same(p, v[at]))
        assert.is_true(same(sorted[("%d:%d"):format(i, i + 1)], p[("%d:%d"):format(i, i + 1)]))
        assert.is_true(same(sorted[("0:%d"):format(i)], nd.sort(p[("0:%d"):format(i)])))
        assert.is_true(same(sorted[("%d:"):format(i)], nd.sort(p[("%d:"):format(i)])))
      end
    end
    local rows = nd.partition(m, 2)
    for r = 0, 2 do assert.equal(nd.sort(m[r])[2], rows[r][2]) end
    assert.same({ 1, 0, 2, 3 }, nd.partition(nd.array { 1, 3, 0, 2 }, 2):tolist()) -- each part in its order
    raises("ValueError", "kth", function() return nd.partition(x, 9) end)
    raises("ValueError", "kth", function() return nd.argpartition(x, -10) end)
  end)
  it("put and putmask write what the other way writes", function()
    for _, name in ipairs { "put", "putmask", "place" } do
      for _, v in ipairs { y, nd.array { 7.0, 8 } } do
        local a, b, at = x:copy(), strided(x), name == "put" and nd.array { 0, -1, 3, 3 } or bits
        nd[name](a, at, v)
        nd[name](b, at, v)
        assert.is_true(same(a, b))
      end
    end
  end)
  it("arange counts", function()
    for _, n in ipairs { 0, 1, 7, 1000 } do
      assert.is_true(same(nd.arange(0, n, 1), nd.arange(n)))
      assert.equal("int64", nd.arange(n).dtype)
    end
    assert.same({ 0 }, nd.arange(-3).shape)
  end)
  it("windows are cosines of even turns", function()
    for _, n in ipairs { 1, 2, 9, 1000 } do
      local turn = (nd.arange(n) * 2 - (n - 1)):astype("float64")
      local function cosine(by) return nd.cos(turn * by / math.max(n - 1.0, 1)) end
      assert.is_true(same(cosine(math.pi) * 0.5 + 0.5, nd.hanning(n)))
      assert.is_true(same(cosine(math.pi) * 0.46 + 0.54, nd.hamming(n)))
      assert.is_true(same(cosine(math.pi) * 0.5 + cosine(2 * math.pi) * 0.08 + 0.42, nd.blackman(n)))
    end
    for _, name in ipairs { "hanning", "hamming", "blackman" } do
      assert.same({ 0 }, nd[name](0).shape)
      raises("TypeError", "integer", function() return nd[name](2.5) end)
    end
  end)
  it("positions of each axis are what fromfunction gives its function", function()
    local i, j, l
    nd.fromfunction(function(...) i, j, l = ... return i end, { 2, 3, 4 })
    for at = 0, 23 do
      local place = { at // 12, at // 4 % 3, at % 4 }
      assert.same({ place[1] + 0.0, place[2] + 0.0, place[3] + 0.0 }, { i[place], j[place], l[place] })
    end
  end)
  it("copyto writes what the other way writes, or nothing", function()
    for _, v in ipairs { y, k, y:astype("float32") } do
      local a, b = x:copy(), strided(x)
      nd.copyto(a, v)
      nd.copyto(b, v)
      assert.is_true(same(a, b))
    end
    local a = x:copy()
    nd.copyto(a["1:"], a[":-1"]) -- what is written is read first
    assert.is_true(same(x[":-1"], a["1:"]))
    a.flags.writeable = false
    raises("ValueError", "read-only", function() nd.copyto(a, x) end)
    raises("ValueError", "", function() nd.copyto(x, nd.zeros(3)) end)
  end)
  it("an array that is not filled has its shape, and a scalar is none", function()
    assert.same({ { 3, 2 }, "float64", "int8" },
      { nd.empty({ 3, 2 }).shape, nd.empty(4).dtype, nd.empty(4, "int8").dtype })
    raises("ValueError", "negative", function() return nd.empty(-1) end)
    assert.same({ true, true, true, false, false },
      { nd.isscalar(3), nd.isscalar("x"), nd.isscalar(false), nd.isscalar(x), nd.isscalar(nil) })
  end)
  it("a transposed matrix in one line is a copy, any other a view", function()
    assert.is_true(same(nd.ravel(m.T), m.T:copy():reshape { -1 }))
    assert.is_false(nd.shares_memory(nd.ravel(m.T), m))
  end)
  it("eye is a matrix of its own each time", function()
    local a, b = nd.eye(3), nd.identity(3)
    a[{ 0, 0 }] = 5
    assert.same({ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, b:tolist())
    assert.is_true(same(nd.eye(3, 3, 0), nd.eye(3)))
    raises("ValueError", "", function() local _ = nd.eye(-1) end)
  end)
  it("fills as one element at a time does", function()
    for _, n in ipairs { 1, 64, 65, 1000, 70000 } do
      for _, dtype in ipairs { "int8", "float32", "float64", "complex128" } do
        local a = nd.full({ n }, 3, dtype)
        assert.equal(3.0 * n, nd.sum(nd.real(a), { dtype = "float64" }))
        a["::2"] = 1
        assert.equal(n // 2, nd.count_nonzero(nd.eq(nd.real(a), 3)))
      end
    end
  end)
  it("says what is wrong in the words of the other way", function()
    raises("ValueError", "", function() return nd.concatenate { x, m } end)
    raises("IndexError", "", function() return nd.take(x, nd.array { 9 }) end)
    raises("ValueError", "not empty", function() return nd.convolve(x, nd.zeros(0)) end)
    raises("ValueError", "mode", function() return nd.convolve(x, y, "some") end)
    raises("IndexError", "", function() return nd.put(x:copy(), nd.array { 0, 20 }, y) end)
    raises("ValueError", "", function() return nd.flip(x, 1) end)
    raises("TypeError", "", function() return nd.swapaxes(m) end)
  end)
end)

describe("a method called with a dot", function()
  it("says so where nothing that it could be a method of comes first", function()
    local x, v = nd.arange(3), T.dvector("v")
    for _, a in ipairs { x, v } do
      raises("TypeError", "x.sum(..): the first argument is a number; methods are called with a colon, x:sum(..)",
        function() return a.sum(0) end)
      raises("TypeError", "is missing; methods are called with a colon, x:max(..)", function() return a.max() end)
      raises("TypeError", "is a table", function() return a.mean { axis = 0 } end)
    end
    assert.equal(3, x.sum(x))
    assert.equal(3.0, v.sum(v):eval { [v] = nd.arange(3) * 1.0 })
    assert.equal(0, nd.sum(0))
    assert.equal(0, nd.sum { 0 })
    assert.equal(2, T.sum(2):eval())
  end)
end)

describe("powers", function()
  it("have the same bits whatever stands beside them", function()
    for _, dtype in ipairs { "float64", "float32" } do
      local x, y = {}, {}
      for i = 1, 3000 do
        x[i] = i % 7 == 0 and rng:randint(1, 30) + 0.0 or math.exp(rng:randn() * (i % 2 == 0 and 1 or 20))
        y[i] = i % 5 == 0 and rng:randint(-10, 11) + 0.0 or rng:randn() * 4
      end
      x[1], x[2], x[3], y[1], y[2], y[3] = 1, 3, 2, 9.5, 0, -10
      local a, b = nd.array(x):astype(dtype), nd.array(y):astype(dtype)
      local one = nd.power(a, b)
      for i = 0, 2999, 13 do -- with a lane that is anything but common
        local c, d = a[("%d:%d"):format(i, i + 3)]:copy(), b[("%d:%d"):format(i, i + 3)]:copy()
        c[1], d[1] = -0.5, 77
        local two = nd.power(c, d)
        assert(two[0] == one[i] and (i + 2 > 2999 or two[2] == one[i + 2]), ("%a ^ %a: %a, %a"):format(a[i], b[i],
          one[i], two[0]))
      end
      local v, w = T.TensorType(dtype, { false })("v"), T.TensorType(dtype, { false })("w")
      local f = theano.compile { inputs = { v, w }, outputs = v ^ w, mode = theano.compile.Mode("c", "fast_run") }
      assert.is_true(same(f(a, b), one))
    end
  end)
end)

describe("remainders of floats", function()
  local list = { 0.0, -0.0, 1.0, -1, 3, -3, 0.1, 0.3, -0.7, 5e-324, -5e-324, 2.2e-308, 1e300, -1e308, 2 ^ 52,
    2 ^ 53 + 2, 1e16, 0x1.fffffffffffffp51, 7.5, 1 / 3, math.huge, -math.huge, 0 / 0 }
  local function of(x, y) -- what C's fmod gives; of NaN nothing is compared
    return math.fmod(x, y)
  end
  local function equal(a, b) return (a ~= a and b ~= b) or (a == b and 1 / a == 1 / b) end
  it("are fmod's, bit by bit, whatever stands beside them", function()
    local x, y = {}, {}
    for _, p in ipairs(list) do
      for _, q in ipairs(list) do x[#x + 1], y[#y + 1] = p + 0.0, q + 0.0 end
    end
    for i = 1, 4000 do -- of all sizes; quotients near whole numbers
      local p, q = rng:randn(), rng:randn() * 10.0 ^ (i % 19 - 9)
      x[#x + 1], y[#y + 1] = i % 3 == 0 and q * (i % 1000) or p, q
    end
    local a, b = nd.array(x), nd.array(y)
    local r, m, q = nd.fmod(a, b), nd.mod(a, b), nd.floor_divide(a, b)
    local both, rest = nd.divmod(a, b)
    for i = 1, #x do
      local e = of(x[i], y[i])
      local f = e == 0 and (y[i] < 0 and -0.0 or 0.0) or (e < 0) ~= (y[i] < 0) and e + y[i] or e
      assert(equal(e, r[i - 1]), ("fmod(%a, %a): %a, not %a"):format(x[i], y[i], r[i - 1], e))
      assert(y[i] == 0 or e ~= e or equal(f, m[i - 1]), ("mod(%a, %a): %a"):format(x[i], y[i], m[i - 1]))
      assert(equal(m[i - 1], rest[i - 1]) and equal(q[i - 1], both[i - 1]))
      if e == e and y[i] ~= 0 and math.abs(x[i] / y[i]) < 2 ^ 52 and m[i - 1] == m[i - 1] then
        assert(q[i - 1] == math.floor(q[i - 1]) and math.abs(q[i - 1] - x[i] / y[i]) <= 2,
          ("floor_divide(%a, %a): %a"):format(x[i], y[i], q[i - 1]))
      end
    end
    for _, n in ipairs { 1, 31, 32, 33, 100 } do -- alone as among others
      local part = nd.fmod(a[("0:%d"):format(n)], b[("0:%d"):format(n)])
      for i = 0, n - 1 do assert(equal(part[i], r[i])) end
    end
    local s, t = nd.array(x):astype("float32"), nd.array(y):astype("float32")
    local single = nd.fmod(s, t)
    for i = 0, #x - 1 do assert(equal(of(s[i], t[i]), single[i]), ("%a %a %a"):format(s[i], t[i], single[i])) end
  end)
end)

describe("an elementwise call on arrays of one shape", function()
  it("has the bits of the call through a frame, in every length", function()
    for _, n in ipairs { 0, 1, 2, 15, 16, 17, 511, 512, 513, 1300 } do
      local x, y = rng:randn(n), rng:randn(n)
      local k = rng:randint(-9, 9, { n })
      local s = x:astype("float32")
      for _, name in ipairs { "exp", "sin", "gammaln", "neg", "sqr", "signbit", "isnan", "logaddexp_none" } do
        local f = rawget(nd, name)
        if f then assert.is_true(same(f(x), f(strided(x))), name .. n) end
      end
      local pairs_of = { { x, y }, { k, x }, { s, x }, { s, s }, { k, k }, { x, 2 }, { 2, x }, { s, 0.7 }, { k, 3 } }
      for _, pair in ipairs(pairs_of) do
        for _, f in ipairs { nd.add, nd.mul, nd.maximum, nd.arctan2, nd.lt, nd.power } do
          local a, b = pair[1], pair[2]
          local ok, r = pcall(f, a, b)
          if ok then
            local sa = type(a) == "userdata" and strided(a) or a
            local sb = type(b) == "userdata" and strided(b) or b
            assert.is_true(same(r, f(sa, sb)))
          end
        end
      end
    end
  end)
  it("gives every result of several, and new memory each time", function()
    local x = rng:randn(700)
    local m, e = nd.frexp(x)
    assert.is_true(same(nd.ldexp(m, e), x))
    local a, b = x + 1, x + 1
    assert.is_false(nd.shares_memory(a, b))
  end)
  it("keeps shapes, numbers and lengths of one apart", function()
    assert.equal(4.0, nd.array(3.0) + 1)
    assert.same({ 2, 3 }, (nd.ones { 2, 3 } + nd.ones(3)).shape)
    assert.same({ 0, 3 }, (nd.ones { 0, 3 } + 1).shape)
    assert.same({ 1, 1 }, (nd.ones { 1, 1 } + nd.ones { 1, 1 }).shape)
    assert.same({ 3, 3 }, (nd.ones { 3, 1 } + nd.ones { 1, 3 }).shape)
    raises("ValueError", "", function() return nd.ones(3) + nd.ones(4) end)
  end)
  it("takes squares and roots as NumPy does", function()
    local x = nd.array { -2.0, 3, -0.0, 1e200 }
    assert.is_true(same(x ^ 2, x * x))
    assert.is_true(same(x ^ 0.5, nd.sqrt(x)))
    assert.equal("float32", (x:astype("float32") ^ 2).dtype)
    assert.equal("float64", (nd.arange(3) ^ 2.0).dtype)
    assert.same({ 0, 1, 4 }, (nd.arange(3) ^ 2):tolist())
    local v = T.dvector("v")
    assert.is_true(same(x ^ 2, theano.compile { inputs = { v }, outputs = v ^ 2 }(x)))
  end)
end)

describe("the place of an extremum in rows", function()
  local function place(row, n, better)
    local at
    for i = 0, n - 1 do
      local v, best = row[i], at and row[at]
      if not at or best == best and (v ~= v or better(v, best)) then at = i end
    end
    return at
  end
  it("is the first one, NaN before all, in every length and dtype", function()
    for _, n in ipairs { 1, 7, 15, 16, 17, 31, 32, 33, 64, 500, 513, 1100 } do
      local x = nd.round(rng:randn(8, n) * 3)
      x[{ 1, n // 2 }], x[{ 2, n - 1 }], x[{ 2, n // 3 }] = 0 / 0, 0 / 0, 0 / 0
      x[3], x[4] = -math.huge, nd.where(nd.gt(x[4], 0), math.huge, -math.huge)
      x[5], x[6] = x[4], nd.where(nd.gt(x[6], 0), 0.0, -0.0)
      x[{ 5, n - 1 }] = 0 / 0
      x[7] = 0 / 0
      local whole = rng:randint(-50, 50, { 8, n })
      for _, m in ipairs { x, x:astype("float32"), whole, whole:astype("int16"), x["::-1, ::-1"], strided(x) } do
        local most, least = nd.argmax(m, { axis = 1 }), nd.argmin(m, { axis = 1 })
        for r = 0, 7 do
          assert.equal(place(m[r], n, function(a, b) return a > b end), most[r])
          assert.equal(place(m[r], n, function(a, b) return a < b end), least[r])
        end
      end
    end
  end)
end)

describe("third and fourth powers of floats", function()
  it("are products, as in a compiled graph, by name and by sign", function()
    local x = rng:randn(300) * 1e3
    x[0], x[1], x[2], x[3], x[4], x[5] = 0 / 0, 1 / 0, -1 / 0, -0.0, 1e200, 1e-200
    for _, a in ipairs { x, x:astype("float32"), x["::-2"], x:reshape({ 3, 100 }).T, nd.zeros({ 0, 2 }) } do
      local v = T.TensorType(a.dtype, a.ndim == 1 and { false } or { false, false })()
      for _, n in ipairs { 3, 4, 3.0, 4.0 } do
        local f = theano.compile { inputs = { v }, outputs = v ^ n }
        for _, got in ipairs { a ^ n, nd.power(a, n), nd.pow(a, n) } do
          assert.equal(a.dtype, got.dtype)
          assert.same(f(a):bytes(), got:bytes())
        end
      end
    end
  end)
  it("are so behind an operation of the user's as well, on arrays that come for the first time", function()
    local v = T.TensorType("float64", { false, true, false, true, false })()
    theano.as_op({ name = "Kept", itypes = { v.type }, otypes = { v.type }, fn = function(a) return a end })(v)
    local f = theano.compile { inputs = { v }, outputs = v ^ 3 }
    local a = rng:randn(7, 1, 11, 1, 5) * 1e3
    assert.same(f(a):bytes(), (a ^ 3):bytes())
  end)
  it("are within a unit of the exact ones, and others are as they were", function()
    for _, v in ipairs { 1.1, -3.7, 1e-90, 12345.678 } do
      local a = nd.array({ v })
      assert.near(v * v * v, (a ^ 3)[0], 2.3e-16 * math.abs(v * v * v))
      assert.near(v ^ 4, (a ^ 4)[0], 4.5e-16 * v ^ 4)
    end
    assert.equal("[ 8 27]", tostring(nd.array({ 2, 3 }) ^ 3))
    assert.equal("float16", (nd.array({ 2, 3 }, "float16") ^ 3).dtype)
    assert.equal(nd.complex(-2, 2), (nd.array({ nd.complex(1, 1) }) ^ 3)[0])
    assert.equal(8.0, nd.power(nd.array(2.0), 3))
  end)
end)
