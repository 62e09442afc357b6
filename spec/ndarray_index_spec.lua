--- ndarray: every kind of subscript on both sides of `=` against NumPy, positions, evenly spaced numbers, flags, and
-- arrays that were freed.
local nd = require("theano.ndarray")
local oracle = require("spec.support.oracle")
local raises = require("spec.support.raises")
local theano = require("theano")

describe("subscripts mean what they mean in NumPy:", function()
  for i, case in ipairs(oracle.cases("array_index")) do
    it(("case %d, %s"):format(i, case.sub), function()
      local function value(text) return load("local nd, T = ... return " .. text)(nd, theano.tensor) end
      local a, sub = value(case.array), value(case.sub)
      local got = a[sub]
      local why = oracle.differs(type(got) == "userdata" and got or nd.array(got), case.got, 0, 0)
      assert(not why, why)
      local b = a:copy()
      b[sub] = value(case.value)
      why = oracle.differs(b, case.set, 0, 0)
      assert(not why, why)
      local f = a:astype("float32").T:copy().T -- another layout and dtype
      f[sub] = value(case.value)
      assert.is_true(nd.array_equal(f, b))
    end)
  end
end)

describe("index arrays", function()
  local T = theano.tensor
  local x = nd.arange(60):reshape({ 5, 3, 4 })
  local i, j = nd.array({ 0, 2 }), nd.array({ 1, 3 })
  -- The same of arrays and graphs; of what is written NumPy's x[sub] = -x[sub] tells.
  local function check(want, a, sub)
    assert.same(want, a[sub]:tolist())
    assert.same(want, T.as_tensor_variable(a)[sub]:eval():tolist())
    local b = a:copy()
    b[sub] = -a[sub]
    local v = T.as_tensor_variable(a)
    assert.is_true(nd.array_equal(b, T.set_subtensor(v[sub], -v[sub]):eval()))
    assert.is_true(nd.array_equal(b, T.inc_subtensor(v[sub], -2 * v[sub]):eval()))
    assert.equal(-2 * a[sub]:sum(), (b - a):sum())
  end
  it("are parted by an ellipsis of no axis, as NumPy's: what they select comes first", function()
    local apart = { { 1, 13, 25, 37, 49 }, { 11, 23, 35, 47, 59 } }
    check(apart, x, { T.slice(nil), i, "...", j })
    check(nd.array(apart).T:tolist(), x, { T.slice(nil), i, j })
    check(nd.array(apart).T:tolist(), x, { "...", i, j })
    check({ { 3, 15, 27, 39, 51 }, { 11, 23, 35, 47, 59 } }, x, { T.slice(nil), i, "...", 3 })
    local even = nd.array({ true, false, true, false })
    check({ { 4, 28, 52 }, { 6, 30, 54 } }, x, { T.slice(nil, nil, 2), 1, "...", even })
    check({ 1, 35 }, x, { i, i, "...", j })
  end)
  it("go with a mask of one element, which broadcasts, as NumPy's", function()
    local one, two = nd.array({ false, false, true }), nd.array({ true, false, true })
    for _, pair in ipairs({ { one, { 9, 11 } }, { two, { 1, 11 } } }) do
      check({ pair[2] }, x, { T.slice(0, 1), pair[1], j })
      check({ pair[2] }, x, { T.slice(0, 1), pair[1], nd.array({ false, true, false, true }) })
    end
    check({ { 1, 9 } }, x, { T.slice(0, 1), two, nd.array({ false, true, false, false }) })
    check({ { 9, 11 }, { 33, 35 } }, x, { nd.array({ { 0 }, { 2 } }), one, j })
    local none = { T.slice(0, 1), nd.zeros({ 3 }, "bool"), j }
    raises("IndexError", "broadcast", function() return x[none] end)
    raises("IndexError", "broadcast", function() T.as_tensor_variable(x)[none]:eval() end)
    local m = T.TensorType("bool", { false })("m")
    local f = theano.compile({ m }, T.as_tensor_variable(x)[{ 0, m, j }])
    assert.same({ 9, 11 }, f(one):tolist())
    assert.same({ 1, 11 }, f(two):tolist())
  end)
end)

describe("an axis of length 1", function()
  it("is a subscript of its own, of arrays and Variables", function()
    local a, x = nd.arange(6):reshape({ 2, 3 }), theano.tensor.dvector("x")
    for _, name in ipairs({ "None", "newaxis" }) do
      assert.same({ 1, 2, 3 }, a[name].shape)
      assert.equal(2, x[name].ndim)
      local b = a:copy()
      b[name] = -a
      assert.is_true(nd.array_equal(b, -a))
    end
    raises("AttributeError", "'Nones'", function() return a.Nones end)
  end)
end)

describe("a:unpack()", function()
  it("gives what stands along the first axis as values: numbers of a vector, views of the rest", function()
    local x, y, z = nd.array({ 3, 1, 2 }):unpack()
    assert.same({ 3, 1, 2 }, { x, y, z })
    local i, j = nd.mgrid["0:2, 0:3"]:unpack()
    assert.is_true(nd.array_equal(i * 3 + j, nd.arange(6):reshape({ 2, 3 })))
    local m = nd.zeros({ 2, 2 })
    local row = m:unpack()
    row[1] = 5
    assert.equal(5.0, m[{ 0, 1 }])
    assert.equal(0, select("#", nd.zeros(0):unpack()))
    raises("TypeError", "without dimensions", function() nd.asarray(3):unpack() end)
    raises("ValueError", "too many", function() nd.zeros(100001):unpack() end)
  end)
end)

describe("assignment through index arrays", function()
  it("takes the last of equal positions, broadcasts, and leaves everything when it fails", function()
    local a = nd.zeros(4, "int64")
    a[nd.array({ 1, 1, 3 })] = { 5, 6, 7 }
    assert.same({ 0, 6, 0, 7 }, a:tolist())
    a[nd.array({ true, false, true, false })] = -1
    assert.same({ -1, 6, -1, 7 }, a:tolist())
    raises("IndexError", "9", function() a[nd.array({ 0, 9 })] = 1 end)
    raises("ValueError", "broadcast", function() a[nd.array({ 0, 1 })] = { 1, 2, 3 } end)
    raises("ValueError", "broadcast", function() a[nd.gt(a, 0)] = { 1, 2, 3 } end)
    raises("IndexError", "boolean index did not match", function() a[nd.array({ true })] = 1 end)
    -- lengths of 0 fit everything, as NumPy's, the others of an empty mask do not
    local x = nd.ones({ 3, 4, 5 })
    for shape, wanted in pairs({ ["0"] = "0,4,5", ["0,0"] = "0,5", ["3,0"] = "0,5", ["0,4,0"] = "0" }) do
      local lengths = {}
      for n in shape:gmatch("%d") do lengths[#lengths + 1] = math.tointeger(n) end
      assert.equal(wanted, table.concat(x[nd.zeros(lengths, "bool")].shape, ","), shape)
    end
    for _, lengths in ipairs({ { 2, 0 }, { 0, 3 }, { 3, 4, 0, 1 } }) do
      raises("IndexError", "", function() return x[nd.zeros(lengths, "bool")], 0 end)
    end
    raises("IndexError", "boolean index did not match", function() x[nd.zeros({ 2, 0 }, "bool")] = 1 end)
    assert.same({ -1, 6, -1, 7 }, a:tolist())
  end)

  it("reads the value before it writes where both share memory", function()
    local a = nd.arange(5)
    a[nd.array({ 0, 1, 2, 3, 4 })] = a["::-1"]
    assert.same({ 4, 3, 2, 1, 0 }, a:tolist())
    a["1:"] = a[":-1"]
    assert.same({ 4, 4, 3, 2, 1 }, a:tolist())
    local m = nd.arange(4):reshape(2, 2)
    m["..."] = m.T
    assert.same({ { 0, 2 }, { 1, 3 } }, m:tolist())
  end)

  it("refuses read-only arrays and views of them", function()
    local a = nd.arange(4):protect()
    assert.is_false(a.flags.writeable)
    raises("ValueError", "read-only", function() a[0] = 1 end)
    raises("ValueError", "read-only", function() a[nd.array({ 0 })] = 1 end)
    raises("ValueError", "read-only", function() a[nd.gt(a, 1)] = 1 end)
    raises("ValueError", "read-only", function() a["1:"]:fill(1) end)
    assert.is_true(a:copy().flags.writeable)
    assert.same({ 0, 1, 2, 3 }, a:tolist())
  end)
end)

describe("positions and flags", function()
  it("of what is not zero", function()
    local i, j = nd.nonzero({ { 0, 1.5 }, { 2, 0 } })
    assert.same({ { 0, 1 }, { 1, 0 } }, { i:tolist(), j:tolist() })
    assert.same({ 1, 2 }, nd.flatnonzero({ { 0, 1 }, { true, false } }):tolist())
    assert.equal(2, nd.count_nonzero(nd.array({ 0 / 0, 0, nd.complex(0, 1) })))
    assert.same({}, nd.flatnonzero(nd.zeros(0)):tolist())
    assert.same({ 0, 1, 3 }, nd.array({ { 1, 0 }, { 1, 1 } }).T:reshape(-1):nonzero():tolist())
    raises("ValueError", "0-d", function() nd.nonzero(3) end)
  end)

  it("say how the elements lie", function()
    local a = nd.zeros({ 2, 3 })
    local function flags(b) return { b.flags.c_contiguous, b.flags.f_contiguous } end
    assert.same({ true, false }, flags(a))
    assert.same({ false, true }, flags(a.T))
    assert.same({ true, true }, flags(a[0]))
    assert.same({ false, false }, flags(a["::, ::2"]))
    assert.same({ -24, 8 }, a["::-1"].strides)
    assert.same({ true, true }, flags(nd.zeros({ 0, 2 })))
  end)
end)

describe("evenly spaced numbers", function()
  it("are NumPy's to the last bit", function()
    assert.equal("[1.3 1.4 1.5 1.6 1.7 1.8 1.9]", tostring(nd.arange(1.3, 2, 0.1)))
    assert.equal(1.7000000000000004, nd.arange(1.3, 2, 0.1)[4])
    assert.same({ math.maxinteger - 1 }, nd.arange(math.maxinteger - 1, math.maxinteger):tolist())
    assert.same({ 5, 3, 1 }, nd.arange(5, 0, -2):tolist())
    assert.same({ 0 }, nd.arange(5, 0).shape)
    assert.equal("float32", nd.arange(0, 3, 1, "float32").dtype)
    assert.equal(1 / 3, nd.linspace(0, 1, 4)[1])
    assert.equal(0.1, nd.linspace(0, 0.1, 7)[6])
    assert.same({ 0 }, nd.linspace(0, 1, 0).shape)
    raises("ValueError", "linspace", function() nd.linspace(0, 1, -1) end)
    raises("ValueError", "arange", function() nd.arange(0, 1 / 0) end)
    raises("ValueError", "arange", function() nd.arange(0, 1, 1e-300) end)
  end)
end)

describe("a freed array #asan", function()
  it("is an error in every method and function that takes it, and never more", function()
    local core = require("theano.core")
    local called = 0
    local skip = { free = true, T = true, random = true, save_npz = true, printoptions = true, set_printoptions = true }
    for _, list in ipairs({ core.array_methods, nd }) do
      for name, f in pairs(list) do
        if type(f) == "function" and not skip[name] then
          for _, more in ipairs({ {}, { 1 }, { nd.zeros(3) }, { 0, 1 } }) do
            local a = nd.array({ 1.5, 2.5, 3.5 })
            local view = a["1:"]
            a:free()
            pcall(f, a, table.unpack(more))
            pcall(f, view, table.unpack(more))
            pcall(f, table.unpack(more), a)
            pcall(f, { a, view })
            called = called + 1
          end
        end
      end
    end
    assert.truthy(called > 400, called)
    local a = nd.arange(3)
    local r = nd.random.RandomState(1)
    a:free()
    for _, f in ipairs({
      function() return tostring(a), 0 end, function() return nd.array_repr(a), 0 end, function() a:tolist() end,
      function() a:copy() end, function() a:bytes() end, function() return a[0], 0 end, function() a[0] = 1 end,
      function() return a[nd.array({ 0 })], 0 end, function() a[nd.array({ 0 })] = 1 end, function() a:sum() end,
      function() return a + a, 0 end, function() nd.array_equal(a, a) end,
      function() nd.zeros(3):fill(a) end, function() nd.zeros(3)[a] = 1 end,
      function() nd.save(os.tmpname(), a) end, function() r:shuffle(a) end, function() r:normal(a) end,
      function() r:choice(3, 1, true, a) end, function() nd.nonzero(a) end, function() a:reshape(3) end,
      function() a:astype("int8") end, function() nd.random.RandomState(a) end, function() nd.array(a) end,
      function() theano.shared(a) end, function() nd.allclose(a, a) end,
    }) do
      raises("ValueError", "freed", f)
    end
    assert.same({ 3 }, a.shape)
    a:free()
  end)
end)
