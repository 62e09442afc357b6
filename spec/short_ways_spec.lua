-- Calls of functions of arrays that need no graph (lua/short.c and its files) give what the same calls give where they
-- do not apply: on operands that do not lie densely. So do rows that are reduced as they lie.
local theano = require("theano")
local nd, T = theano.ndarray, theano.tensor

local rng = nd.random.RandomState(5)

-- The same elements, every second one of an array that is twice as long.
local function apart(a)
  local shape = a.shape
  shape[#shape] = shape[#shape] * 2
  local wide = nd.zeros(shape, a.dtype)
  local view = wide["..., ::2"]
  view:assign(a)
  return view
end

local function same(a, b, place)
  if type(a) == "table" then
    assert(#a == #b, place)
    for i = 1, #a do same(a[i], b[i], place) end
    return
  end
  a, b = nd.asarray(a), nd.asarray(b)
  assert(a.dtype == b.dtype, place .. ": " .. a.dtype .. ", " .. b.dtype)
  assert(tostring(a.shape) == tostring(b.shape), place .. ": " .. tostring(a.shape) .. ", " .. tostring(b.shape))
  assert(a:bytes() == b:bytes(), place)
end

local function both(place, fn, ...)
  local given, other = table.pack(...), {}
  for i = 1, given.n do
    local v = given[i]
    other[i] = type(v) == "userdata" and apart(v) or v
    if type(v) == "table" and type(v[1]) == "userdata" then
      other[i] = {}
      for k, each in ipairs(v) do other[i][k] = apart(each) end
    end
  end
  local short = table.pack(fn(table.unpack(given, 1, given.n)))
  local long = table.pack(fn(table.unpack(other, 1, given.n)))
  assert(short.n == long.n, place)
  for i = 1, short.n do same(short[i], long[i], place) end
end

describe("short ways", function()
  local vector, other, few = rng:randn(37), rng:randn(37), rng:randn(5)
  local matrix, row = rng:randn(6, 7), rng:randn(7)
  local whole = rng:randint(-50, 50, { 37 })
  local single = matrix:astype("float32")
  local awkward = nd.array({ 0.0, -0.0, 1e308, -1e-308, 5, 5, 5 })

  it("tell which complex numbers have imaginary parts", function()
    local z = nd.zeros({ 5, 40 }, "complex128")
    nd.real(z):assign(rng:randn(5, 40))
    nd.imag(z)["..., ::3"] = 1.5
    z[{ 1, 1 }], z[{ 2, 2 }], z[{ 3, 4 }] = nd.complex(0 / 0, -0.0), nd.complex(0, 0 / 0), nd.complex(1 / 0, 5e-324)
    for _, x in ipairs({ z, z[0], z["0:0"] }) do
      both("iscomplex", nd.iscomplex, x)
      both("isreal", nd.isreal, x)
    end
    local odd = nd.iscomplex(z)
    assert.same({ false, true, true }, { odd[{ 1, 1 }], odd[{ 2, 2 }], odd[{ 3, 4 }] })
    assert.is_true(nd.array_equal(nd.isreal(z), ~nd.iscomplex(z)))
  end)

  it("repeat what no cache holds as they repeat little", function()
    local long = nd.arange(1100003) * 0.5
    assert.is_true(nd.array_equal(nd.repeat_(long, 2)["::2"], long))
    assert.is_true(nd.array_equal(nd.repeat_(long, 2)["1::2"], long))
    for _, width in ipairs({ 256, 257 }) do -- rows whose bytes are whole vectors, and others
      local rows = nd.arange(width * 3000):reshape({ 3000, width })
      for _, x in ipairs({ rows, rows:astype("float32"), rows["0:1200"] * nd.complex(1, -2) }) do
        local got = nd.repeat_(x, 3, { axis = 0 })
        for k = 0, 2 do assert.is_true(nd.array_equal(got[("%d::3"):format(k)], x)) end
      end
    end
  end)

  it("find the edges of bins of more than a block, and NaN in any of them", function()
    local x = rng:randn(5000)
    for _, at in ipairs({ 0, 2047, 2048, 4999 }) do
      local y = x:copy()
      y[at] = 9
      both("least and greatest at " .. at, nd.histogram_bin_edges, y, 7)
      both("counts " .. at, nd.histogram, -y, 7)
      y[at] = 0 / 0
      assert.is_false((pcall(nd.histogram_bin_edges, y, 7)), tostring(at))
    end
  end)

  it("give the distance to the next float", function()
    local x = nd.array({ 0.0, -0.0, 1.0, -1.0, 1.7976931348623157e308, -1.7976931348623157e308, 5e-324, -5e-324,
      2.2250738585072014e-308, -2.2250738585072009e-308, 1e300, -3.5, 0.1, 1 / 0, -1 / 0, 0 / 0, -(0 / 0) })
    both("spacing", nd.spacing, x)
    both("spacing", nd.spacing, matrix)
    both("spacing of float32", nd.spacing, single)
    assert.equal(5e-324, nd.spacing(x)[0])
    assert.equal(-2.0 ^ -52, nd.spacing(x)[3])
    assert.equal(math.huge, nd.spacing(x)[4])
    for _, v in ipairs(nd.spacing(nd.array({ 1 / 0, -1 / 0, 0 / 0, -(0 / 0) })):tolist()) do assert.is_true(v ~= v) end
    assert.equal(0, nd.spacing(nd.zeros(0)).size)
  end)

  it("give all products of two vectors", function()
    both("outer", nd.outer, vector, few)
    both("outer of float32", nd.outer, single[0]:copy(), single[1]:copy())
    both("outer of int64", nd.outer, whole, whole)
    both("outer of two dtypes", nd.outer, vector, whole)
    both("outer of matrices", nd.outer, matrix, few)
    assert.same({ { 3, 6 }, { 4, 8 } }, nd.outer(nd.array({ 3, 4 }), nd.array({ 1, 2 })):tolist())
    assert.equal("(0, 5)", tostring(nd.outer(nd.zeros(0), few).shape))
    assert.has_error(function() nd.outer(vector, "x") end)
  end)

  it("give borders", function()
    for _, mode in ipairs({ "constant", "edge", "wrap", "symmetric", "reflect" }) do
      for _, a in ipairs({ vector, matrix, single, whole, few, nd.array({ 3.5 }), rng:randn(3, 4, 5) }) do
        for _, w in ipairs({ 0, 1, 3, 9 }) do both("pad " .. mode .. w, nd.pad, a, w, mode) end
      end
    end
    assert.same({ 0, 0, 1, 2, 0, 0 }, nd.pad(nd.array({ 1, 2 }), 2):tolist())
    assert.has_error(function() nd.pad(nd.zeros({ 0 }), 2, "edge") end)
  end)

  it("give repetitions", function()
    for _, a in ipairs({ vector, whole, nd.gt(vector, 0), few:astype("complex128") }) do
      both("tile", nd.tile, a, 3)
      both("tile of a list", nd.tile, a, { 2 })
      both("repeat", nd.repeat_, a, 3)
      both("repeat none", nd.repeat_, a, 0)
    end
    for _, a in ipairs({ matrix, single }) do
      both("tile of a matrix", nd.tile, a, { 2, 3 })
      for axis = -2, 1 do both("repeat along " .. axis, nd.repeat_, a, 2, axis) end
    end
  end)

  it("see diagonals where they lie, and do not let them be written", function()
    local cube = nd.arange(60):reshape(3, 4, 5)
    for _, a in ipairs({ cube, cube:transpose(), cube["::-1, ::2, 1:"], nd.zeros({ 0, 2, 3 }) }) do
      for offset = -6, 6 do
        for axis1 = -3, 2 do
          for axis2 = -3, 2 do
            if (axis1 - axis2) % 3 ~= 0 then
              local view = nd.diagonal(a, { offset = offset, axis1 = axis1, axis2 = axis2 })
              same(T.diagonal(a, offset, axis1, axis2):eval(), view, ("%d %d %d"):format(offset, axis1, axis2))
              same(view, a:diagonal(offset, axis1, axis2), "as a method")
            end
          end
        end
      end
    end
    local m = nd.arange(9):reshape(3, 3)
    for _, d in ipairs({ nd.diagonal(m), nd.diag(m), m:diagonal(), nd.diag(m, { k = 0 }) }) do
      m[{ 1, 1 }] = 70
      assert.equal(70, d[1])
      m[{ 1, 1 }] = 4
      assert.is_true(not d.flags.writeable and d.flags.owndata == false)
      assert.is_false(pcall(function() d[0] = 1 end))
    end
    assert.same({}, nd.diagonal(m, math.mininteger):tolist())
    assert.same({}, nd.diag(m, math.maxinteger):tolist())
  end)

  it("give triangles, diagonals, grids and blocks", function()
    for _, a in ipairs({ matrix, matrix.T:copy(), single, nd.gt(matrix, 0) }) do
      both("tril", nd.tril, a)
      both("triu", nd.triu, a)
    end
    both("diag", nd.diag, vector)
    both("diag of a matrix", nd.diag, matrix)
    for n = 0, 5 do
      same(nd.tri(n), nd.tri(n, n), "tri")
      for _, name in ipairs({ "tril_indices", "triu_indices" }) do
        local a, b = nd[name](n)
        local c, d = nd[name](n, 0, n)
        same({ a, b }, { c, d }, name)
      end
    end
    for _, name in ipairs({ "tril_indices_from", "triu_indices_from" }) do
      for _, m in ipairs({ matrix, matrix.T }) do
        local a, b = nd[name](m)
        local c, d = nd[name](m, 0)
        same({ a, b }, { c, d }, name)
      end
    end
    same(nd.indices({ 3, 4 }), nd.indices({ 3, 4, 1 })["0:2, ..., 0"], "indices")
    local far = nd.concatenate({ nd.concatenate({ matrix, matrix }, 1), nd.concatenate({ -matrix, matrix }, 1) }, 0)
    same(nd.block({ { matrix, matrix }, { -matrix, matrix } }), far, "block")
    local m = matrix:copy()
    assert.equal(m, nd.fill_diagonal(m, 7))
    both("fill_diagonal", function(a) return nd.fill_diagonal(a:copy(), 7) end, matrix)
    assert.has_error(function() nd.block({ { matrix, matrix.T:copy() } }) end)
  end)

  it("leave parts out and take rows apart", function()
    local places = { 3, -1, { 1, 3, 5 }, { 5, -37, 1, 1 }, { 36, 0 } }
    for _, at in ipairs(places) do both("delete", nd.delete, vector, at) end
    assert.has_error(function() nd.delete(vector, { 1, 37 }) end)
    both("unstack", nd.unstack, matrix)
    both("ascontiguousarray", nd.ascontiguousarray, matrix)
  end)

  it("count, and find positions", function()
    local sets = { vector, matrix, nd.arange(100) / 10, nd.full({ 5 }, 2.0), nd.array({ 1e-300, 2e-300, 5e-301 }) }
    for _, a in ipairs(sets) do
      for _, bins in ipairs({ 1, 7, 10, 100 }) do
        both("histogram", nd.histogram, a, bins)
        both("edges", nd.histogram_bin_edges, a, bins)
      end
      both("histogram of ten", nd.histogram, a)
    end
    assert.has_error(function() nd.histogram(nd.array({ 1, 0 / 0 }), 3) end)
    local order = nd.argsort(matrix, { axis = 1 })
    both("take_along_axis", nd.take_along_axis, matrix, order, 1)
    both("take_along_axis of the last", nd.take_along_axis, single, order - 7, -1)
    both("put_along_axis", function(a, at, v)
      a = a:copy()
      nd.put_along_axis(a, at, v, 1)
      return a
    end, matrix, order, matrix * 2)
    assert.has_error(function() nd.take_along_axis(matrix, order + 7, 1) end)
    for _, a in ipairs({ nd.gt(vector, 0), nd.gt(matrix, 0), matrix }) do both("argwhere", nd.argwhere, a) end
    local places = rng:randint(0, 42, { 12 })
    both("unravel_index", nd.unravel_index, places, { 6, 7 })
    local i, j = nd.unravel_index(places, { 6, 7 })
    same(nd.ravel_multi_index({ i, j }, { 6, 7 }), places, "ravel_multi_index")
    both("ravel_multi_index", nd.ravel_multi_index, { i, j }, { 6, 7 })
    assert.has_error(function() nd.unravel_index(places + 42, { 6, 7 }) end)
  end)

  it("add polynomials and multiply vectors", function()
    for _, name in ipairs({ "polyadd", "polysub" }) do
      both(name, nd[name], vector, few)
      both(name, nd[name], few, vector)
      both(name, nd[name], awkward, -awkward)
      both(name, nd[name], awkward["5:"]:copy(), awkward)
    end
    both("inner", nd.inner, vector, other)
    both("inner of a matrix", nd.inner, matrix, row)
    both("vdot", nd.vdot, vector, other)
    same(nd.matvec(matrix, row), nd.dot(matrix, row), "matvec")
    same(nd.vecmat(row, matrix.T), nd.dot(row, matrix.T), "vecmat")
    assert.has_error(function() nd.matvec(matrix, vector) end)
    for _, size in ipairs({ { 5, 32 }, { 7, 33 }, { 9, 63 }, { 9, 64 }, { 12, 100 }, { 300, 40 },
      { 9, 1031 }, { 4200, 65 } }) do
      local m, v = rng:randn(size[1], size[2]), rng:randn(size[2])
      m[{ 1, 0 }] = 0 / 0 -- behind the end of the first row
      local each = nd.vecdot(m, nd.broadcast_to(v, size):copy())
      same(nd.matvec(m, v), each, "matvec of " .. size[1] .. " rows of " .. size[2])
      assert.is_true(nd.isfinite(each[0]))
    end
  end)

  it("choose among arrays of one dtype", function()
    for _, size in ipairs({ { 10 }, { 0 }, { 3, 4 }, { 2, 3, 5 }, { 1000 } }) do
      local at = rng:randint(0, 3, size)
      for _, dtype in ipairs({ "float64", "int64", "complex64" }) do
        local choices = {}
        for i = 1, 3 do choices[i] = (rng:randn(table.unpack(size)) * 9):astype(dtype) end
        local copy = at:astype("int32") -- takes the other way
        same(nd.choose(at, choices), nd.choose(copy, choices), "choose of " .. dtype)
      end
    end
    local at, x, y = nd.array({ 0, 1, 1 }), nd.array({ 0 / 0, 2.0, 3.0 }), nd.array({ 4.0, -0.0, 1 / 0 })
    both("choose", nd.choose, at, { x, y })
    both("choose of other dtypes", nd.choose, at, { x, at })
    both("choose of other lengths", nd.choose, at, { x, y["1:2"] })
    assert.has_error(function() nd.choose(at + 1, { x, y }) end)
    assert.has_error(function() nd.choose(at - 1, { x, y }) end)
    assert.has_error(function() nd.choose(at, {}) end)
  end)

  it("evaluate polynomials, slopes and cross products", function()
    local wild = nd.array({ 0 / 0, math.huge, -0.0, 1e200, -3 })
    for _, x in ipairs({ vector, matrix, wild, rng:randn(1025) }) do
      both("polyval", nd.polyval, few, x)
      both("polyval of one", nd.polyval, nd.array({ 2.5 }), x)
    end
    for _, x in ipairs({ vector, awkward, nd.ones(5), few }) do both("gradient", nd.gradient, x) end
    local a, b = rng:randn(5, 3), rng:randn(5, 3)
    both("cross", nd.cross, a, b)
    both("cross of vectors", nd.cross, a[0], b[0])
    assert.near(0, nd.max(nd.abs(nd.polyfit(nd.arange(6), nd.arange(6) ^ 2, 2) - nd.array({ 1, 0, 0 }))), 1e-12)
    for i, m in ipairs({ rng:randn(9, 8, 8)[3], rng:randn(20, 30), rng:randn(300, 3), rng:randn(3, 1200) }) do
      for _, name in ipairs({ "sum", "prod", "max", "min", "mean" }) do
        both(name .. " of columns " .. i, nd[name], m, { axis = 0 })
      end
      local left = rng:randn(m.shape[1])
      same(nd.dot(left, m), nd.dot(apart(left), apart(m)), "dot of columns")
    end
    both("trace", nd.trace, rng:randn(40, 45))
    both("trace of many", nd.trace, rng:randn(1030, 1025))
    local i, j = nd.diag_indices(4)
    same({ i, j }, { nd.arange(4), nd.arange(4) }, "diag_indices")
    assert.equal(i, j) -- as NumPy's
    local k, l, m = nd.diag_indices(4, 3)
    assert.truthy(rawequal(k, l) and rawequal(l, m))
  end)

  it("multiply matrices by vectors, whose rows' ends are masked", function()
    for _, n in ipairs({ 1, 31, 32, 33, 40, 63, 100 }) do
      for _, rows in ipairs({ 1, 4, 5, 8, 13 }) do
        local m, v = rng:randn(rows, n), rng:randn(n)
        m[{ 0, 0 }], m[{ rows - 1, n - 1 }] = 1 / 0, 0 / 0 -- in the next row of the one before it, too
        both("dot of " .. rows .. " x " .. n, nd.dot, m, v)
        both("dot with infinity", nd.dot, m, v * (1 / 0))
      end
    end
  end)

  it("roll", function()
    for _, a in ipairs({ vector, single, whole, matrix, rng:randn(3, 4, 5), nd.gt(matrix, 0), nd.zeros({ 0, 3 }) }) do
      for _, shift in ipairs({ 0, 1, -2, 40, math.mininteger, math.maxinteger }) do
        both("roll", nd.roll, a, shift)
        for axis = -a.ndim, a.ndim - 1 do both("roll along " .. axis, nd.roll, a, shift, axis) end
      end
      assert.has_error(function() nd.roll(a, 1, a.ndim) end)
    end
    local kept = nd.roll(vector, 0)
    assert.is_false(nd.shares_memory(kept, vector))
  end)

  it("give differences along each axis, and lines between points", function()
    for _, a in ipairs({ vector, awkward, few, matrix, rng:randn(3, 4, 5), rng:randn(1, 4), nd.zeros({ 3, 1 }) }) do
      both("diff", nd.diff, a)
      for axis = -a.ndim, a.ndim - 1 do both("diff along " .. axis, nd.diff, a, { axis = axis }) end
      both("diff twice", nd.diff, a, 2)
    end
    assert.has_error(function() nd.diff(matrix, { axis = 2 }) end)
    local at, y = nd.array({ 0, 0, 1, 2.5, 1 / 0 }), nd.array({ 1, 2, 1 / 0, -3, 4 })
    local x = nd.array({ -1, 0, 0, 0.5, 0.5, 0.75, 1, 1, 1.5, 2.5, 9, 9, 1 / 0, 0 / 0, 0.25, -1 / 0 })
    for n = 1, 5 do both("interp of " .. n, nd.interp, x, at["0:" .. n]:copy(), y["0:" .. n]:copy()) end
    both("interp sorted", nd.interp, nd.sort(rng:rand(200)), nd.linspace(0, 1, 9), rng:randn(9))
  end)

  it("sum and seek what no cache holds", function()
    local rows, n = 9, 1000007
    local x, k = rng:randn(rows, n), rng:randint(-1000, 1000, { rows, n })
    x[{ 3, n - 2 }], x[{ 4, 5 }] = 9, -9
    for _, a in ipairs({ x, k }) do
      local sums, most = nd.sum(a, { axis = 1 }), nd.argmax(a, { axis = 1 })
      for i = 0, rows - 2 do
        assert.equal(nd.sum(a[("%d:%d"):format(i, i + 2)], { axis = 1 })[0], sums[i])
        assert.equal(nd.argmax(a[i]), most[i])
      end
    end
    assert.equal(3 * n + n - 2, nd.argmax(x))
    assert.equal(4 * n + 5, nd.argmin(x))
  end)

  it("find extrema block by block", function()
    for _, dtype in ipairs({ "float64", "float32", "int64", "int32", "uint8" }) do
      for _, n in ipairs({ 4097, 8193, 20000 }) do
        for kind, a in ipairs({ nd.arange(n) / 100, -nd.arange(n) / 100, nd.sin(nd.arange(n)) * 100, nd.zeros(n) }) do
          local x = (dtype == "uint8" and nd.abs(a) % 200 or a):astype(dtype)
          local sorted = nd.argsort(x, { kind = "stable" })
          assert.equal(sorted[0], nd.argmin(x), dtype .. n .. kind)
          assert.equal(nd.argmax(x:astype("float64")), nd.argmax(x), dtype .. n .. kind)
          assert.equal(nd.max(x), x[nd.argmax(x)])
          assert.equal(nd.argmin(-x:astype("float64")), nd.argmax(x))
        end
      end
    end
    local odd = nd.zeros(20000)
    odd[5000], odd[9000], odd[9001] = -0.0, 1, 0 / 0
    assert.equal(9001, nd.argmax(odd))
    assert.equal(9001, nd.argmin(odd))
    odd[9001] = 1
    assert.equal(9000, nd.argmax(odd))
    assert.equal(0, nd.argmin(odd))
  end)

  it("fill", function()
    same(nd.ones(3), nd.array({ 1.0, 1.0, 1.0 }), "ones")
    same(nd.ones({ 2, 0 }), nd.zeros({ 2, 0 }), "no ones")
    same(nd.full({ 2 }, 7), nd.array({ 7, 7 }), "full of integers")
    same(nd.full(2, 7.5), nd.array({ 7.5, 7.5 }), "full of floats")
    same(nd.ones_like(matrix), nd.ones({ 6, 7 }), "ones_like")
    assert.equal(0, nd.ones({}).ndim)
    assert.has_error(function() nd.ones(-1) end)
    local x = nd.arange(6) + 0.5
    x["1:-1"] = 3
    assert.same({ 0.5, 3, 3, 3, 3, 5.5 }, x:tolist())
    x["::-2"] = 0
    assert.same({ 0.5, 0, 3, 0, 3, 0 }, x:tolist())
    assert.has_error(function() x["1:-1"] = "a" end)
  end)

  it("take bits, pairs of places and lists", function()
    for _, n in ipairs({ 1, 7, 8, 9, 63, 64, 65, 1000, 20000 }) do
      local b = nd.gt(rng:randn(n), 0)
      both("packbits", nd.packbits, b)
      same(nd.unpackbits(nd.packbits(b))[("0:%d"):format(n)]:astype("bool"), b, "unpackbits")
      assert.equal(nd.sum(b), nd.count_nonzero(b))
      same(nd.flatnonzero(b), nd.arange(n)[b], "flatnonzero")
    end
    both("bitwise_count", nd.bitwise_count, nd.array({ 0, -1, 1, 255, math.mininteger, math.maxinteger }))
    local i, j = nd.array({ 0, -1, 3 }), nd.array({ 6, 0, -7 })
    same(matrix[{ i, j }], apart(matrix)[{ i, j }], "pairs")
    assert.has_error(function() return matrix[{ i, j + 7 }] end)
    same(nd.array({ 1.5, 2.5 }), nd.array({ 1.5, 2.5 }, "float32"):astype("float64"), "list")
    same(nd.array({ 1.5, 2 }), nd.array({ 1.5, 2.0 }), "list of both kinds")
    assert.has_error(function() nd.array({ 1.5, nil, 2.5 }) end)
    assert.has_error(function() nd.array({ 1.5, x = 2.5 }) end)
    assert.same({ 1.5, -0.25 }, nd.array({ 1.5, -0.25 }):tolist())
  end)

  it("write numbers to a base, and know what arrays are", function()
    assert.equal("0", nd.binary_repr(0))
    assert.equal("11000000111001", nd.binary_repr(12345))
    assert.equal("63 ones", #nd.binary_repr(math.maxinteger) .. " ones")
    assert.equal("-101", nd.binary_repr(-5))
    assert.equal("121221020", nd.base_repr(12345, 3))
    assert.equal("ZZ", nd.base_repr(1295, 36))
    assert.has_error(function() nd.base_repr(5, 37) end)
    assert.is_true(nd.isfortran(matrix.T))
    assert.is_false(nd.isfortran(matrix))
    assert.is_true(nd.iterable(vector))
    assert.is_false(nd.iscomplexobj(vector))
    assert.is_true(nd.isrealobj(vector))
  end)
end)

describe("rows", function()
  local shapes = { { 5, 31 }, { 3, 32 }, { 4, 33 }, { 2, 700 }, { 1, 5000 }, { 7, 1 } }
  local REDUCED = { "sum", "prod", "max", "min", "argmax", "argmin", "any", "all", "mean", "std" }

  it("have the same bits however they lie", function()
    for _, shape in ipairs(shapes) do
      for _, dtype in ipairs({ "float64", "float32", "int64", "int32", "bool" }) do
        local x = (rng:randn(table.unpack(shape)) * 4):astype(dtype)
        for _, name in ipairs(REDUCED) do
          both(name .. " " .. dtype, nd[name], x, { axis = 1 })
          both(name .. " of all " .. dtype, nd[name], x)
        end
      end
      local x = rng:randn(table.unpack(shape))
      x[{ 0, shape[2] // 2 }] = 0 / 0
      for _, name in ipairs(REDUCED) do both(name .. " with NaN", nd[name], x, { axis = 1 }) end
      local zeros = nd.zeros(shape) * rng:randn(table.unpack(shape))
      for _, name in ipairs({ "max", "min", "argmax", "argmin" }) do
        both(name .. " of zeros", nd[name], zeros, { axis = 1 })
      end
    end
  end)

  it("have the first place of an extremum, along columns too", function()
    local x = nd.array({ { 1, 5, 0 / 0, 2 }, { 3, 5, 1, 0 / 0 }, { 3, 4, 0 / 0, 7 } })
    assert.same({ 1, 0, 0, 1 }, nd.argmax(x, { axis = 0 }):tolist())
    assert.same({ 0, 2, 0, 1 }, nd.argmin(x, { axis = 0 }):tolist())
    assert.same({ 2, 3, 2 }, nd.argmax(x, { axis = 1 }):tolist())
    local long = nd.zeros({ 3, 9000 })
    long[{ 0, 8999 }], long[{ 1, 4097 }], long[{ 1, 5000 }], long[{ 2, 5 }] = 1, 2, 2, 0 / 0
    assert.same({ 8999, 4097, 5 }, nd.argmax(long, { axis = 1 }):tolist())
    assert.same({ 8999, 4097, 5 }, nd.argmin(-long, { axis = 1 }):tolist())
  end)
end)

describe("whole numbers", function()
  it("are divided by doubles where these are exact", function()
    local far = 2 ^ 53 | 0
    local a = { 0, 1, -1, 7, -7, far - 1, 1 - far, far, far + 2, math.maxinteger, math.mininteger, 6 }
    for _, b in ipairs({ 1, -1, 2, 3, -3, 7, 2 ^ 52 | 0, 2 ^ 53 - 1 | 0, math.maxinteger, math.mininteger }) do
      for _, list in ipairs({ a, { table.unpack(a, 1, 7) } }) do
        local q, r = nd.floor_divide(nd.array(list), b):tolist(), nd.mod(nd.array(list), b):tolist()
        for i, v in ipairs(list) do
          assert.equal(v // b, q[i])
          assert.equal(v % b, r[i])
        end
      end
    end
    local low = nd.array({ -128, -128, -128 }, "int8")
    assert.same({ -128, 64, -43 }, nd.floor_divide(low, nd.array({ 1, -2, 3 }, "int8")):tolist())
    assert.has_error(function() nd.floor_divide(nd.array({ 1, 2 }), nd.array({ 1, 0 })) end)
    assert.has_error(function() nd.floor_divide(nd.array({ 1, 2 }), 0) end)
  end)

  it("come out of floats as they always did", function()
    local x = nd.array({ 1.9, -1.9, 2147483647.5, 3 })
    assert.same({ 1, -1, 2147483647, 3 }, nd.cast(x, "int32"):tolist())
    assert.same({ -2147483648, -2147483648, -1 },
      nd.cast(nd.array({ 2147483648.0, 0 / 0, -1.5 }), "int32"):tolist())
    assert.same({ math.mininteger, 5 }, nd.cast(nd.array({ 1e19, 5.5 }), "int64"):tolist())
  end)
end)

describe("larger and smaller", function()
  it("are those of the whole expression", function()
    local a = nd.array({ 0.0, -0.0, 1, 0 / 0, 2, -math.huge, 5e-324 })
    local b = nd.array({ -0.0, 0.0, 0 / 0, 1, 2, math.huge, 0 })
    for _, name in ipairs({ "maximum", "minimum", "fmax", "fmin", "nextafter", "heaviside" }) do
      both(name, nd[name], a, b)
      both(name .. " float32", nd[name], a:astype("float32"), b:astype("float32"))
    end
    for _, name in ipairs({ "sign", "isfinite", "signbit", "spacing" }) do both(name, nd[name], a) end
    assert.same({ false, true, false }, nd.signbit(a["0:3"]):tolist())
    same(nd.nextafter(nd.array({ 0.0, -0.0, 1.0, 2.0, math.huge, -1.0 }), nd.array({ 1.0, -1.0, 2.0, 1.0, 0.0, 0.0 })),
      nd.array({ 5e-324, -5e-324, 1 + 2.0 ^ -52, 2 - 2.0 ^ -52, 1.7976931348623157e308, -1 + 2.0 ^ -53 }), "nextafter")
    same(nd.maximum(a, b)["0:2"], nd.array({ 0.0, -0.0 }), "ties")
    same(nd.clip(a, -1, 1), nd.array({ 0.0, -0.0, 1, 0 / 0, 1, -1, 5e-324 }), "clip")
  end)
end)

describe("exponents", function()
  it("are exact for denormals, zeros and infinities", function()
    local x = nd.array({ 0.0, -0.0, 1.0, -0.75, 5e-324, -2.2e-308, 1.7976931348623157e308, math.huge, -math.huge })
    local m, e = nd.frexp(x)
    assert.same({ 0, 0, 1, 0, -1073, -1022, 1024, 0, 0 }, e:tolist())
    same(nd.ldexp(m, e), x, "ldexp(frexp(x))")
    local powers = nd.array({ -1074, -1076, 1024, -1 })
    assert.same({ 5e-324, 0, math.huge, 1 }, nd.ldexp(nd.array({ 1.0, 1.0, 1.0, 2.0 }), powers):tolist())
    assert.same({ 2 ^ -1074 * 2 }, nd.ldexp(nd.array({ 1.5 }), -1074):tolist()) -- halves to even
    local f, g = nd.frexp(nd.array({ 1e-45, 3.0 }, "float32"))
    same(nd.ldexp(f, g), nd.array({ 1e-45, 3.0 }, "float32"), "float32")
  end)
end)

describe("several calls in one", function()
  local x = rng:randn(37)

  it("give orders by several keys", function()
    for _, n in ipairs({ 1, 2, 7, 8, 9, 40, 300, 600 }) do
      local a = rng:randint(0, 4, { n })
      local b = nd.where(nd.eq(rng:randint(0, 5, { n }), 0), 0 / 0, rng:randint(-1, 2, { n }) * 0.5)
      for _, keys in ipairs({ { a }, { b }, { a, b }, { b, a }, { b, a, b, rng:randn(n) }, { b * 0, -b * 0, b } }) do
        both("lexsort of " .. n, nd.lexsort, keys)
      end
    end
    assert.has_error(function() nd.lexsort({ x, x["1:"]:copy() }) end)
    assert.has_error(function() nd.lexsort({}) end)
  end)

  it("give polynomials, powers, areas and running sums", function()
    for _, a in ipairs({ x, x["0:1"]:copy(), x["0:2"]:copy(), nd.array({ 0 / 0, 1, -math.huge, 0, -0.0 }) }) do
      both("polyint", nd.polyint, a)
      if a.size > 1 then both("polyder", nd.polyder, a) end
      both("poly", nd.poly, a)
      both("vander", nd.vander, a)
      both("vander increasing", function(v) return nd.vander(v, { increasing = true })[":, ::-1"]:copy() end, a)
      same(nd.vander(a), nd.vander(a, { increasing = true })[":, ::-1"]:copy(), "vander")
      both("trapezoid", nd.trapezoid, a)
      both("cumulative_sum", nd.cumulative_sum, a)
      both("cumulative_prod", nd.cumulative_prod, a)
      both("sort_complex", nd.sort_complex, a)
      for _, at in ipairs({ 0, 1, -1, a.size }) do
        if at <= a.size then both("insert", nd.insert, a, at, 7) end
      end
    end
    same(nd.vander(nd.array({ 2.0, 3.0, -1.0 })), nd.array({ { 4.0, 2, 1 }, { 9, 3, 1 }, { 1, -1, 1 } }), "vander")
    same(nd.vander(nd.array({ 2.0, 3.0 }), 4), nd.array({ { 8.0, 4, 2, 1 }, { 27, 9, 3, 1 } }), "vander of four")
    assert.equal(0, nd.trapezoid(nd.array({ 3.5 })))
    assert.has_error(function() nd.insert(x, 38, 1) end)
    assert.has_error(function() nd.insert(x, -38, 1) end)
  end)

  it("hand positions to a function", function()
    local function given(...) return ... end
    for _, shape in ipairs({ { 1 }, { 5 }, { 3, 4 }, { 2, 3, 4 }, { 2, 1, 3, 2 } }) do
      local short = { nd.fromfunction(given, shape) }
      local more = { table.unpack(shape) }
      while #more < 5 do more[#more + 1] = 1 end
      local long = { nd.fromfunction(given, more) }
      assert.equal(#shape, #short)
      for d = 1, #shape do same(short[d], long[d]:reshape(shape), "fromfunction") end
    end
    assert.equal(0, select("#", nd.fromfunction(function() end, { 2, 2 })))
    assert.has_error(function() nd.fromfunction(given, { -1, 2 }) end)
  end)

  it("write numbers with few digits", function()
    local numbers = { 1, -1, 10, 100000, 0.1, -0.25, 1e-7, 123456789012345, 999999999999999, 1e15, 0.3, 1 / 3, 2 / 3,
      5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.0, -0.0, 1e22, 1e23, 123456.789, 4.35, 0.07, 1e-6, 12 }
    for _ = 1, 300 do
      local m, k = rng:randint(1, 10 ^ rng:randint(1, 16) | 0), rng:randint(-12, 12)
      numbers[#numbers + 1] = m * 10.0 ^ k
      numbers[#numbers + 1] = rng:uniform(0, 1)
    end
    for _, v in ipairs(numbers) do
      for _, name in ipairs({ "format_float_positional", "format_float_scientific" }) do
        local text = nd[name](v)
        assert.equal(nd[name](v, { trim = "k" }), text)
        assert.equal(v + 0.0, tonumber(text))
        local digits = text:gsub("e.*", ""):gsub("[-.]", ""):gsub("^0+", ""):gsub("0+$", "")
        for n = 1, #digits - 1 do -- no fewer digits do
          assert.is_true(tonumber(("%." .. n - 1 .. "e"):format(v)) ~= v, text)
        end
      end
    end
  end)

  it("read the numbers of a text", function()
    local words = { "1", "-1", "0", "-0", "-0.0", "0.1", ".5", "5.", "1e5", "-1.5E-3", "0x10", "123456789012345",
      "1234567890123456789", "0.1234567890123456789", "3.141592653589793", "-2.5e-324", "1e400", "12345678901234567890",
      "000000000000001.5", "9007199254740993" }
    for _, text in ipairs({ table.concat(words, " "), "  " .. table.concat(words, "\n\t ") .. " \r\n", words[1] }) do
      same(nd.fromstring(text), nd.fromstring(text, { dtype = "float64" }), "fromstring")
      same(nd.fromstring(text, { sep = " " }), nd.fromstring(text, { dtype = "float64" }), "fromstring")
    end
    for _, text in ipairs({ "1 x", "1 .", "-", "1..2", "1 2-", "1\0002", ("9"):rep(80) .. "x" }) do
      assert.has_error(function() nd.fromstring(text) end)
    end
    assert.equal(0, nd.fromstring(" \n").size)
    assert.equal(1e79, nd.fromstring("1" .. ("0"):rep(79))[0])
    assert.is_true(nd.isnan(nd.fromstring("1 nan -inf")[1]))
  end)

  it("say what shapes and dtypes give together", function()
    assert.same({ 3, 4 }, nd.broadcast_shapes({ 3, 1 }, { 1, 4 }))
    assert.same({ 2, 3, 4 }, nd.broadcast_shapes({ 3, 1 }, 4, { 2, 1, 1 }))
    assert.same({}, nd.broadcast_shapes({}, {}))
    assert.same({ 0 }, nd.broadcast_shapes({ 0 }, 1))
    assert.has_error(function() nd.broadcast_shapes({ 3 }, { 4 }) end)
    assert.has_error(function() nd.broadcast_shapes({ 3, 1.5 }) end)
    local names = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
      "bfloat16", "float32", "float64", "complex64", "complex128" }
    for _, a in ipairs(names) do
      for _, b in ipairs(names) do
        assert.equal(nd.can_cast(a, b, "safe"), nd.can_cast(a, b))
        local held = nd.promote_types(nd.zeros({ 1 }, a), nd.zeros({ 1 }, b))
        assert.equal(held, nd.promote_types(a, b), a .. " " .. b)
      end
    end
    assert.has_error(function() nd.can_cast("int", "nothing") end)
  end)

  it("shift, and find what is true", function()
    local whole = nd.array({ 0, 1, -1, 5, -7, math.maxinteger, math.mininteger, 1 << 40 })
    for _, k in ipairs({ 0, 1, 2, 31, 63, 64, 100 }) do
      both("left_shift", nd.left_shift, whole, k)
      both("right_shift", nd.right_shift, whole, k)
    end
    for _, n in ipairs({ 0, 5, 1023, 1024, 1025, 1031, 5000 }) do
      for _, share in ipairs({ -1, 0.1, 0.5, 2 }) do
        local mask = nd.lt(rng:rand(n), share)
        both("flatnonzero", nd.flatnonzero, mask)
        both("nonzero", nd.nonzero, mask)
      end
    end
    both("flatnonzero of a matrix", nd.flatnonzero, nd.lt(rng:rand(40, 50), 0.3))
    both("nonzero of a matrix", nd.nonzero, nd.lt(rng:rand(40, 50), 0.3))
  end)

  it("find places along rows", function()
    for n = 1, 70 do
      local m = rng:randint(-2, 3, { 9, n }) * 0.5
      m[{ 2, n - 1 }], m[{ 3, n // 2 }], m[4] = 0 / 0, 0 / 0, -math.huge
      m[5], m[6], m[{ 7, 0 }] = 0 / 0, math.huge, -0.0
      for _, name in ipairs({ "argmax", "argmin" }) do
        both(name .. " of " .. n, function(a) return nd[name](a, { axis = 1 }) end, m)
      end
    end
    for _, n in ipairs({ 1, 31, 32, 33, 100 }) do both("vecdot", nd.vecdot, rng:randn(5, n), rng:randn(5, n)) end
  end)
end)
