--- NumPy's functions that are compositions of others, against NumPy (spec/data/array_functions.json), what they refuse,
-- and flags, attributes, operators and complex values of arrays.
local nd = require("theano.ndarray")
local oracle = require("spec.support.oracle")
local raises = require("spec.support.raises")
local theano = require("theano")

describe("what NumPy computes:", function()
  local cases = oracle.cases("array_functions")
  local inputs = table.remove(cases, 1)
  local function value(text, A, F) return load("local nd, A, F = ... return " .. text)(nd, A, F) end
  for _, case in ipairs(cases) do
    it(case.call, function()
      local A, F = value(inputs.A), value(inputs.F)
      local a, f = A:copy(), F:copy()
      local got = value(case.call, A, F)
      local why = oracle.differs(nd.asarray(got), case.output, 4e-16, 1e-16)
      assert(not why, why)
      assert.is_true(nd.array_equal(A, a) and nd.array_equal(nd.nan_to_num(F), nd.nan_to_num(f)))
    end)
  end
end)

describe("functions that write or call", function()
  it("fill_diagonal writes into its array, as NumPy's", function()
    local b = nd.zeros({ 3, 2 })
    assert.equal("[[7. 0.]\n [0. 7.]\n [0. 0.]]", tostring(nd.fill_diagonal(b, 7)))
    assert.equal(14.0, b:sum())
    nd.fill_diagonal(b, { 1, 2 })
    assert.equal(2.0, b[1][1])
    assert.equal(3.0, nd.fill_diagonal(nd.zeros({ 3, 3, 3 }), 1):sum())
    local tall = nd.fill_diagonal(nd.zeros({ 5, 2 }, "int64"), { 1, 2, 3, 4 }, { wrap = true })
    assert.same({ { 1, 0 }, { 0, 2 }, { 0, 0 }, { 3, 0 }, { 0, 4 } }, tall:tolist())
    local turns = nd.fill_diagonal(nd.zeros({ 3, 3 }, "int64"), { 1, 2 })
    assert.same({ { 1, 0, 0 }, { 0, 2, 0 }, { 0, 0, 1 } }, turns:tolist())
    raises("ValueError", "fill_diagonal: there is nothing to write", function()
      nd.fill_diagonal(nd.zeros { 2, 2 }, nd.zeros(0))
    end)
  end)
  it("choose broadcasts arrays among its choices, numbers take their dtype", function()
    local r = nd.choose({ 0, 1, 5 }, { nd.arange(3, nil, 1, "int16"), 7 }, { mode = "clip" })
    assert.equal("int16", r.dtype)
    assert.equal("[0 7 7]", tostring(r))
    local halves = nd.choose({ { 0, 0 }, { 1, 0 } }, { nd.array { { 1.0, 1.0 }, { 0.5, 0.5 } }, nd.zeros(2) })
    assert.same({ { 1.0, 1.0 }, { 0.0, 0.5 } }, halves:tolist())
    assert.same({ 1, 4 }, nd.choose({ a = { 0, 1 }, choices = { { 1, 2 }, { 3, 4 } } }):tolist())
  end)
  it("argwhere and piecewise take arrays without dimensions", function()
    assert.same({ 1, 0 }, nd.argwhere(nd.array(3.0)).shape)
    assert.same({ 0, 0 }, nd.argwhere(nd.array(0)).shape)
    assert.equal(7.0, nd.piecewise(2.5, { true }, { 7 }))
    assert.equal(2.0, nd.piecewise(nd.array(3.0), { nd.less(nd.array(3.0), 0) }, { -1, 2 }))
  end)
  it("vectorize calls a function with each element", function()
    local f = nd.vectorize(function(x, y) return x > y and x - y or x + y end)
    assert.equal("[3 4 1 2]", tostring(f({ 1, 2, 3, 4 }, 2)))
    local sum = nd.vectorize(function(x, y) return x + y end)
    assert.equal("[[2 3]\n [3 4]]", tostring(sum({ { 1 }, { 2 } }, { 1, 2 })))
    assert.equal(5, f(3, 8) - 6)
    raises("TypeError", "vectorize: fn", function() nd.vectorize(3) end)
  end)
  it("gradient has 0 where nothing changes, not -0, at either end and on every way", function()
    for _, x in ipairs({ nd.array({ 2.0, 2, 5, 3, 3 }), nd.array({ 2, 2, 3, 3 }, "float32"), nd.ones({ 3, 4 }) }) do
      for _, slope in ipairs({ nd.gradient(x), nd.gradient(x, 2), nd.gradient(x, { axis = -1 }) }) do
        local ends = nd.concatenate({ slope["..., :1"]:ravel(), slope["..., -1:"]:ravel() })
        assert.is_true(nd.array_equal(nd.signbit(ends), nd.zeros_like(ends, "bool")))
      end
    end
    assert.equal("[0. 0.]", tostring(nd.gradient({ 1.0, 1, 4, 4 }, nd.array({ 0, 1, 3, 4 }))[nd.array({ 0, 3 })]))
  end)
  it("savez names arrays, and its file", function()
    local path = os.tmpname()
    nd.savez(path, nd.arange(2), { { 1.5 } })
    local back, names = nd.load(path .. ".npz")
    assert.same({ "arr_0", "arr_1" }, names)
    assert.equal(1.5, back.arr_1[0][0])
    nd.savez(path .. ".npz", { w = nd.ones(2) })
    assert.equal(2.0, nd.load(path .. ".npz").w:sum())
    raises("TypeError", "no array", function() nd.savez(path) end)
    os.remove(path)
    os.remove(path .. ".npz")
  end)
  it("positions past the end, and lists of positions, say what to write", function()
    local v = nd.arange(3)
    raises("IndexError", { "index 3 is out of bounds", "a:rows()" }, function() return v[3], 1 end)
    raises("IndexError", { "too many", "a[nd.array{..}] picks positions" }, function() return v[{ 1, 2 }], 1 end)
  end)
end)

describe("functions on arrays refuse", function()
  local a = nd.zeros({ 2, 3 })
  for what, f in pairs({
    ["ValueError not cut"] = function() nd.split(a, 2, 1) end,
    ["ValueError axis 2"] = function() nd.split(a, 1, 2) end,
    ["TypeError sequence of arrays"] = function() nd.vstack(3) end,
    ["ValueError axis 3"] = function() nd.expand_dims(a, 3) end,
    ["ValueError axis 0"] = function() nd.expand_dims(a, { 0, 0 }) end,
    ["ValueError axis -3"] = function() nd.flip(a, -3) end,
    ["ValueError at least 2 dimensions"] = function() nd.rot90({ 1, 2 }) end,
    ["ValueError is not in [0, 100]"] = function() nd.percentile(a, 101) end,
    ["ValueError bins must increase"] = function() nd.histogram(a, { 1, 0 }) end,
    ["ValueError number of bins"] = function() nd.histogram(a, 0) end,
    ["TypeError unknown keyword 'bin'"] = function() nd.histogram(a, { bin = 3 }) end,
    ["TypeError unknown keyword 'axes'"] = function() nd.median(a, { axes = 0 }) end,
    ["TypeError unknown keyword 'endpiont'"] = function() nd.linspace(0, 1, 3, { endpiont = false }) end,
    ["IndexError position 4"] = function() nd.insert(a, 4, 1, 1) end,
    ["ValueError names 2 operands"] = function() nd.einsum("ij,jk", a) end,
    ["ValueError stands twice or in no operand"] = function() nd.einsum("ij->k", a) end,
    ["ValueError lengths 3 and 2"] = function() nd.einsum("ij,jk", a, a) end,
    ["ValueError operand 1 has 2 dimensions"] = function() nd.einsum("ijk", a) end,
    ["ValueError not of the form"] = function() nd.einsum("i..", a) end,
    ["ValueError use * instead"] = function() nd.matmul(a, 2) end,
    ["ValueError length 3"] = function() nd.cross({ 1, 2 }, { 3, 4 }) end,
    ["ValueError xp and fp"] = function() nd.interp(1, { 1, 2 }, { 3 }) end,
    ["ValueError indices have 1"] = function() nd.take_along_axis(a, nd.array({ 1 }), 0) end,
    ["ValueError 'full', 'same'"] = function() nd.convolve({ 1 }, { 1 }, "ful") end,
    ["ValueError no float dtype"] = function() nd.finfo("int8") end,
    ["ValueError no integer dtype"] = function() nd.iinfo("float32") end,
    ["ValueError 'xy' or 'ij'"] = function() nd.meshgrid({ 1 }, { indexing = "yx" }) end,
    ['ValueError not "edg"'] = function() nd.pad(a, 1, { mode = "edg" }) end,
    ["ValueError a width cannot be negative"] = function() nd.pad(a, { 1, -1 }) end,
    ["ValueError pad_width has 3 pairs, x has 2"] = function() nd.pad(a, { { 1, 1 }, { 1, 1 }, { 1, 1 } }) end,
    ["ValueError only the mode 'constant' can pad it"] = function() nd.pad(nd.zeros({ 0 }), 1, "wrap") end,
    ["ValueError constant_values are for"] = function() nd.pad(a, 1, "edge", 3) end,
    ["TypeError hypot is not defined on complex numbers"] = function() nd.hypot(nd.complex(1, 2), 3) end,
    ["TypeError integers are expected, not float64"] = function() nd.gcd(a, 2) end,
    ["ValueError 5 positions for the 3 elements"] = function() nd.gradient(a, nd.arange(5), { axis = 1 }) end,
    ["ValueError there is nothing but NaN"] = function() nd.nanargmax({ nd.nan }) end,
    ["ValueError nested to different depths"] = function() nd.block({ a, { a } }) end,
    ["TypeError need an axis"] = function() nd.average(a, { weights = { 1, 2, 3 } }) end,
  }) do
    local kind, text = what:match("^(%S+) (.*)$")
    it(what, function() raises(kind, text, f) end)
  end

  it("lengths that do not fit, in words that are true of arrays", function()
    local message = raises("ValueError", "input[0].shape[1] = 3, input[1].shape[1] = 2",
      function() return a + nd.ones(2) end)
    assert.falsy(message:find("T.row", 1, true), message)
  end)
end)

it("functions that only look otherwise give views", function()
  local a = nd.arange(24.0):reshape({ 2, 3, 4 })
  for name, v in pairs({ transpose = nd.transpose(a), ["transpose by axes"] = nd.transpose(a, { 1, 0, 2 }),
    permute_dims = nd.permute_dims(a, { 2, 0, 1 }), moveaxis = nd.moveaxis(a, 0, -1), swapaxes = nd.swapaxes(a, 0, 1),
    reshape = nd.reshape(a, { 6, -1 }), ravel = nd.ravel(a), squeeze = nd.squeeze(a["0:1"]), flip = nd.flip(a, 0),
    expand_dims = nd.expand_dims(a, 1), rot90 = nd.rot90(a), rollaxis = nd.rollaxis(a, 2), real = nd.real(a),
    matrix_transpose = nd.matrix_transpose(a), atleast_3d = nd.atleast_3d(a[0]), split = nd.split(a, 2)[2] }) do
    assert(nd.shares_memory(a, v), name)
  end
  assert.same({ 4, 2, 3 }, { table.unpack(nd.moveaxis(a, { 2, 0 }, { 0, 1 }).shape) })
  assert.same({ 3, 4, 2 }, { table.unpack(nd.transpose(a, { axes = { 1, 2, 0 } }).shape) })
end)

describe("an ndarray", function()
  it("has flags that can be read in any case, and set where NumPy can", function()
    local a = nd.zeros({ 2, 3 })
    assert.same({ true, false, true, true, true }, { a.flags.c_contiguous, a.flags.F_CONTIGUOUS, a.flags.owndata,
      a.flags.writeable, a.flags.aligned })
    for _, view in ipairs({ a["1:"], a.T, a:reshape({ 6 }), a[0] }) do assert.is_false(view.flags.owndata) end
    assert.is_true(a.T:copy().flags.owndata)
    assert.is_true((a + 1).flags.owndata)
    a.flags.writeable = false
    assert.is_false(a.flags.writeable)
    raises("ValueError", "read-only", function() a[0] = 1 end)
    raises("ValueError", "stays so", function() a.flags.writeable = true end)
    raises("AttributeError", "owndata", function() a.flags.owndata = false end)
    raises("AttributeError", "'contiguous'", function() return a.flags.contiguous end)
    assert.truthy(tostring(a.flags):find("  WRITEABLE : False\n", 1, true))
  end)

  it("says what to do instead of setting shape or dtype, and of < and <=", function()
    local a = nd.zeros({ 2, 3 })
    raises("AttributeError", "a:reshape", function() a.shape = { 3, 2 } end)
    raises("AttributeError", "a:astype", function() a.dtype = "int8" end)
    raises("AttributeError", "'colour'", function() a.colour = 1 end)
    raises("TypeError", "nd.lt(a, b)", function() return a < 3 end)
    raises("TypeError", "nd.lt(a, b)", function() return 3 <= a end)
  end)

  it("joins texts, walks with pairs, has real and imag", function()
    assert.equal("a = [1. 1.]", "a = " .. nd.ones(2))
    local seen = {}
    for i, row in pairs(nd.arange(3)) do seen[#seen + 1] = { i, row } end
    assert.same({ { 0, 0 }, { 1, 1 }, { 2, 2 } }, seen)
    local z = nd.array({ nd.complex(1, 2) })
    assert.same({ { 1.0 }, { 2.0 } }, { z.real:tolist(), z.imag:tolist() })
  end)

  it("computes with complex values", function()
    local z, i = nd.complex(1, 2), nd.complex(0, 1)
    assert.equal(nd.complex(-2, 1), z * i)
    assert.equal(nd.complex(2, 2), z + 1)
    assert.equal(nd.complex(1, -2), 2 - (z - 0) - nd.complex(0, 0) + 0 * i)
    assert.equal(nd.complex(2, -1), z / i)
    assert.equal(nd.complex(-1, -2), -z)
    assert.equal(nd.complex(-3, 4), z ^ 2)
    assert.equal(5.0, nd.abs(nd.complex(3, 4)))
    assert.equal("complex128", (z * nd.ones(2)).dtype)
    assert.equal("complex128", (z * theano.tensor.zscalar()).dtype)
    raises("TypeError", "complex", function() return z % 2 end)
  end)

  it("takes no boolean for an operand, and says what compares and what makes an array of one", function()
    local x, y = nd.arange(3), nd.zeros(3)
    raises("TypeError", "use nd.eq(x, y), nd.lt(x, y); for a constant use nd.array(true)", function()
      nd.where(x == y, x, y)
    end)
    assert.equal("[0. 1. 2.]", tostring(nd.where(nd.array(nd.gt(nd.sum(x), 0)), x, y)))
  end)

  it("reads long lists of numbers for operands as short ones", function()
    local whole, half = {}, {}
    for i = 1, 40 do whole[i], half[i] = 41 - i, i / 2 end
    assert.equal("int64", nd.array(whole).dtype)
    assert.equal("float32", nd.array(whole, "float32").dtype)
    assert.equal(820, nd.sum(whole))
    assert.equal(410.0, nd.sum(half))
    assert.equal("int64", nd.add(whole, nd.ones(40, "int8")).dtype)
    assert.is_true(nd.array_equal(nd.sort(whole), nd.arange(1, 41)))
    whole[40] = 1.5
    assert.equal("float64", nd.array(whole).dtype)
    assert.equal(820.5, nd.sum(whole))
    whole[42] = 1
    raises("TypeError", "[41] is nil", function() nd.sum(whole) end)
    raises("TypeError", "[41] is nil", function() nd.array(whole) end)
    whole[42], whole[40] = nil, "a"
    raises("TypeError", "", function() nd.sum(whole) end)
  end)

  it("reads lists of numbers as the arrays they mean, wherever an operand stands", function()
    local inf, nan = 1 / 0, 0 / 0
    local x, y, m = { 1, 2.5, -3 }, { 4, 5, 6 }, { { 1, 2, 3 }, { 4, 5.5, 6 } }
    local a, b, c = nd.array({ 1.0, 2.5, -3.0 }), nd.array(y, "int64"), nd.array(m)
    assert.equal("float64 (2, 3)", c.dtype .. " " .. tostring(c.shape))
    assert.equal("int64", nd.array({ { { 1 }, { 2 } } }).dtype)
    assert.is_true(nd.array_equal(nd.array({ 1, 2.5, -3 }, "float64"), a))
    assert.equal("int64", nd.array({ 1, 2 }, "int64").dtype)
    local function same(of_lists, of_arrays)
      assert.equal(of_arrays.dtype, of_lists.dtype)
      assert.equal(of_arrays:tostring(), of_lists:tostring())
    end
    for _, name in ipairs({ "add", "multiply", "maximum", "fmax", "hypot", "arctan2", "divide", "isclose", "outer" }) do
      same(nd[name](x, y), nd[name](a, b))
      same(nd[name](m, y), nd[name](c, b))
      same(nd[name](nd.array(y, "float32"), x), nd[name](nd.array(y, "float32"), a))
    end
    for _, name in ipairs({ "exp", "sort", "cumsum", "diff", "abs", "sqrt" }) do same(nd[name](m), nd[name](c)) end
    assert.equal(nd.dot(a, b), nd.dot(x, y))
    same(nd.where(m, x, y), nd.where(c, a, b))
    for _, name in ipairs({ "concatenate", "stack", "vstack", "hstack", "dstack", "column_stack" }) do
      same(nd[name]({ x, y }), nd[name]({ a, b }))
      same(nd[name]({ x, a, x }), nd[name]({ a, a, a }))
    end
    same(nd.concatenate({ m, { x } }), nd.concatenate({ c, a:reshape({ 1, 3 }) }))
    same(nd.stack({ x, x }, { axis = 1 }), nd.stack({ a, a }, { axis = 1 }))
    same(nd.convolve(x, y), nd.convolve(a, b))
    same(nd.convolve(y, y), nd.convolve(b, b))
    same(nd.correlate(x, { 1, 2 }), nd.correlate(a, nd.array({ 1, 2 })))
    for _, fp in ipairs({ { 3, inf, 4 }, { inf, inf, 1 }, { nan, 2, 1 }, { -0.0, -0.0, 1 } }) do
      same(nd.interp({ 0.5, 1, 1.5, 2, nan, 9 }, { 0, 1, 2 }, fp),
        nd.interp(nd.array({ 0.5, 1, 1.5, 2, nan, 9 }), nd.array({ 0.0, 1, 2 }), nd.array(fp, "float64"),
          { left = fp[1] }))
    end
    assert.equal("[inf inf inf  4.]", tostring(nd.interp(nd.array({ 0.5, 1, 1.5, 2 }), { 0, 1, 2 }, { 3, inf, 4 })))
    raises("ValueError", "ragged", function() nd.array({ { 1, 2 }, { 3 } }) end)
    raises("ValueError", "ragged", function() nd.add({ { 1, 2 }, 3 }, 1) end)
    raises("ValueError", "ragged", function() nd.array({ { { 1, 2 } }, { { 3, 4 }, { 5, 6 } } }) end)
    raises("TypeError", "nil", function() nd.concatenate({ { 1, nil, 3 }, { 4 } }) end)
    raises("TypeError", "string", function() nd.maximum({ 1, 2 }, { 1, "a" }) end)
  end)

  it("knows the limits of its dtypes", function()
    assert.equal(2.0 ^ -52, nd.finfo("float64").eps)
    assert.equal(nd.finfo("float32").max, nd.array({ nd.finfo("float32").max }, "float32")[0])
    assert.same({ -128, 127 }, { nd.iinfo("int8").min, nd.iinfo("int8").max })
    assert.same({ 0, 65535 }, { nd.iinfo("uint16").min, nd.iinfo("uint16").max })
    assert.equal(math.mininteger, nd.iinfo("int64").min)
    assert.equal("18446744073709551615", tostring(nd.array(nd.iinfo("uint64").max, "uint64")))
  end)
end)
