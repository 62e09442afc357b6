--- ndarray: creation, views, subscripts on both sides, printing, conversion, files, memory.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local runner = require("spec.support.runner")
local theano = require("theano")

describe("creation", function()
  it("finds dtype and shape of nested tables", function()
    local cases = {
      { { 1, 2, 3 }, "int64", { 3 } }, { { 1, 2.5 }, "float64", { 2 } }, { { true, false }, "bool", { 2 } },
      { { { 1, 2 }, { 3, 4 }, { 5, 6 } }, "int64", { 3, 2 } }, { 7, "int64", {} }, { 1.5, "float64", {} },
      { {}, "float64", { 0 } }, { { {}, {} }, "float64", { 2, 0 } }, { { nd.complex(1, 2), 3 }, "complex128", { 2 } },
    }
    for _, case in ipairs(cases) do
      local a = nd.array(case[1])
      assert.equal(case[2], a.dtype)
      assert.same(case[3], a.shape)
    end
    assert.equal("float32", nd.array({ 1, 2 }, "float32").dtype)
  end)

  it("refuses ragged tables, texts and symbols", function()
    raises("ValueError", "ragged", function() nd.array({ { 1, 2 }, { 3 } }) end)
    raises("ValueError", "ragged", function() nd.array({ 1, { 2 } }) end)
    raises("TypeError", "string", function() nd.array({ 1, "x" }) end)
    raises("TypeError", "symbolic", function() nd.array({ theano.tensor.dscalar() }) end)
  end)

  it("fills", function()
    assert.same({ { 0.0, 0.0 } }, nd.zeros({ 1, 2 }):tolist())
    assert.same({ 1, 1, 1 }, nd.ones(3, "int32"):tolist())
    assert.same({ 2.5, 2.5 }, nd.full(2, 2.5):tolist())
    assert.equal("int64", nd.full({ 2 }, 3).dtype)
    assert.same({ 4, 5 }, nd.empty({ 4, 5 }, "uint8").shape)
    assert.equal("float32", nd.zeros_like(nd.ones(2, "float32")).dtype)
    assert.same({ { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 } }, nd.eye(2, 3):tolist())
    assert.same({ { 0.0, 1.0 }, { 0.0, 0.0 } }, nd.eye(2, 2, 1):tolist())
  end)

  it("counts: arange and linspace", function()
    assert.same({ 0, 1, 2 }, nd.arange(3):tolist())
    assert.equal("int64", nd.arange(3).dtype)
    assert.same({ 2, 5, 8 }, nd.arange(2, 10, 3):tolist())
    assert.same({ 3, 2, 1 }, nd.arange(3, 0, -1):tolist())
    assert.same({ 0.0, 0.5, 1.0 }, nd.arange(0, 1.5, 0.5):tolist())
    assert.same({}, nd.arange(0):tolist())
    assert.same({ 0.0, 0.25, 0.5, 0.75, 1.0 }, nd.linspace(0, 1, 5):tolist())
    raises("ZeroDivisionError", "step", function() nd.arange(0, 3, 0) end)
  end)

  it("refuses impossible shapes", function()
    raises("ValueError", "negative", function() nd.zeros({ -1 }) end)
    local many = {}
    for i = 1, 33 do many[i] = 1 end
    raises("ValueError", "32", function() nd.zeros(many) end)
    local fine, message = pcall(nd.zeros, { 1 << 40, 1 << 40 })
    assert.is_false(fine)
    assert.truthy(theano.error_kind(message) == "MemoryError" or theano.error_kind(message) == "ValueError", message)
  end)

  it("of 32 dimensions works", function()
    local shape = {}
    for i = 1, 32 do shape[i] = 1 end
    local a = nd.full(shape, 3.0)
    assert.equal(32, a.ndim)
    assert.equal(3.0, a:item())
  end)
end)

describe("attributes", function()
  local a = nd.zeros({ 2, 3 }, "float32")

  it("describe the array", function()
    assert.same({ 2, 3 }, a.shape)
    assert.same({ 12, 4 }, a.strides)
    assert.equal("float32", a.dtype)
    assert.equal(2, a.ndim)
    assert.equal(6, a.size)
    assert.equal(4, a.itemsize)
    assert.equal(24, a.nbytes)
    assert.is_true(a.flags.c_contiguous)
    assert.is_false(a.T.flags.c_contiguous)
    assert.equal(2, #a)
    raises("TypeError", "0-d", function() return #nd.array(1), 0 end)
  end)
end)

describe("subscripts", function()
  local a = nd.arange(12):reshape({ 3, 4 })

  it("take elements, rows and slices, which are views", function()
    assert.equal(6, a[{ 1, 2 }])
    assert.equal(11, a[{ -1, -1 }])
    assert.same({ 4, 5, 6, 7 }, a[1]:tolist())
    assert.same({ { 0, 1 }, { 4, 5 } }, a[":2, :2"]:tolist())
    assert.same({ { 8, 9, 10, 11 }, { 4, 5, 6, 7 }, { 0, 1, 2, 3 } }, a["::-1"]:tolist())
    assert.same({ { 11, 9 }, { 7, 5 } }, a[":0:-1, ::-2"]:tolist())
    assert.same({ 3, 7, 11 }, a["..., -1"]:tolist())
    assert.same({ 1, 3, 4 }, a["None, ..."].shape)
    assert.same({ 3, 1, 4 }, a[":, None"].shape)
    assert.same({}, a["3:"]:tolist())
    assert.is_true(nd.shares_memory(a, a["::-1, 1:3"]))
  end)

  it("mean the same in every form", function()
    local T = theano.tensor
    assert.same(a["1:, 2"]:tolist(), a:sub({ start = 1 }, 2):tolist())
    assert.same(a["1:, 2"]:tolist(), a[{ T.slice(1), 2 }]:tolist())
    assert.same(a["1:3, ::-1"]:tolist(), a:sub({ 1, 3 }, { step = -1 }):tolist())
    assert.same(a["..., None, 0"]:tolist(), a[{ "...", T.newaxis, 0 }]:tolist())
    assert.same(a[":, 1"]:tolist(), a:sub("all", 1):tolist())
  end)

  it("take index arrays and masks, which copy", function()
    assert.same({ { 8, 9, 10, 11 }, { 0, 1, 2, 3 } }, a[nd.array({ 2, 0 })]:tolist())
    assert.same({ 1, 6, 11 }, a[{ nd.arange(3), nd.array({ 1, 2, 3 }) }]:tolist())
    assert.same({ 9, 11 }, a[{ 2, nd.array({ 1, -1 }) }]:tolist())
    assert.same({ { 0, 1, 2, 3 }, { 8, 9, 10, 11 } }, a[nd.array({ true, false, true })]:tolist())
    assert.same({ 7, 8, 9, 10, 11 }, a[nd.gt(a, 6)]:tolist())
    assert.same({}, a[nd.gt(a, 60)]:tolist())
    assert.is_false(nd.shares_memory(a, a[nd.array({ 0 })]))
  end)

  it("assign", function()
    local b = nd.zeros({ 2, 3 })
    b[0] = 1
    b[{ 1, "1:" }] = 7
    b["..., 0"] = nd.array({ 5, 6 })
    assert.same({ { 5.0, 1.0, 1.0 }, { 6.0, 7.0, 7.0 } }, b:tolist())
    b[{ nd.array({ 0, 1 }), nd.array({ 2, 2 }) }] = nd.array({ 8, 9 })
    assert.same({ { 5.0, 1.0, 8.0 }, { 6.0, 7.0, 9.0 } }, b:tolist())
    b[nd.gt(b, 6.5)] = 0
    assert.same({ { 5.0, 1.0, 0.0 }, { 6.0, 0.0, 0.0 } }, b:tolist())
    b[{ "all", nd.array({ 1, 0 }) }] = { { 1, 2 }, { 3, 4 } }
    assert.same({ { 2.0, 1.0, 0.0 }, { 4.0, 3.0, 0.0 } }, b:tolist())
    b["..."] = b["::-1"]
    assert.same({ { 4.0, 3.0, 0.0 }, { 2.0, 1.0, 0.0 } }, b:tolist())
  end)

  it("cast what is assigned and refuse what does not fit", function()
    local b = nd.zeros(3, "int8")
    b[0] = 3.9
    b[1] = -1
    assert.same({ 3, -1, 0 }, b:tolist())
    raises("ValueError", "broadcast", function() b["..."] = nd.zeros(2) end)
    assert.same({ 3, -1, 0 }, b:tolist())
  end)

  it("out of range raise, and so do too many and nonsense", function()
    raises("IndexError", "index 3 is out of bounds for axis 0 with size 3", function() return a[3], 0 end)
    raises("IndexError", "index -5 is out of bounds for axis 1 with size 4", function() return a[{ 0, -5 }], 0 end)
    raises("IndexError", "too many indices", function() return a[{ 0, 0, 0 }], 0 end)
    raises("IndexError", "single ellipsis", function() return a["..., ..."], 0 end)
    raises("IndexError", "7", function() return a[nd.array({ 0, 7 })], 0 end)
    raises("IndexError", "boolean index did not match", function() return a[nd.array({ true })], 0 end)
    raises("IndexError", "1:x", function() return a["1:x"], 0 end)
    raises("ValueError", "step", function() return a["::0"], 0 end)
    raises("IndexError", "integer", function() return a[1.5], 0 end)
    raises("IndexError", "boolean", function() return a[true], 0 end)
  end)

  it("iterate over rows", function()
    local seen = {}
    for i, row in a:rows() do seen[#seen + 1] = i .. ":" .. row[0] end
    assert.equal("0:0 1:4 2:8", table.concat(seen, " "))
  end)
end)

describe("views and copies", function()
  local a = nd.arange(6):reshape({ 2, 3 })

  it("reshape, transpose, ravel, squeeze, swapaxes", function()
    assert.same({ { 0, 3 }, { 1, 4 }, { 2, 5 } }, a.T:tolist())
    assert.same({ 3, 2 }, a:reshape(-1, 2).shape)
    assert.same({ 0, 1, 2, 3, 4, 5 }, a:ravel():tolist())
    assert.same({ 3, 2 }, a:swapaxes(0, 1).shape)
    assert.same({ 2, 3 }, a[":, None, :"]:squeeze().shape)
    assert.same({ 3, 1, 2 }, a["None, ..."]:transpose(2, 0, 1).shape)
    assert.same({ 0, 3, 1, 4, 2, 5 }, a.T:reshape(-1):tolist())
    assert.is_true(nd.shares_memory(a, a:reshape(3, 2)))
    assert.is_false(nd.shares_memory(a, a.T:reshape(-1)))
    raises("ValueError", "reshape", function() a:reshape(4, 2) end)
    raises("ValueError", "permutation", function() a:transpose(0, 0) end)
  end)

  it("copy and astype own their memory", function()
    local b = a:copy()
    b[{ 0, 0 }] = 9
    assert.equal(0, a[{ 0, 0 }])
    assert.same({ 1, -1, 0 }, nd.array({ 1.9, -1.9, 0.2 }):astype("int32"):tolist())
    assert.same({ 44, 255 }, nd.array({ 300, -1 }):astype("uint8"):tolist())
    assert.same({ true, false }, nd.array({ 2.0, 0.0 }):astype("bool"):tolist())
    assert.is_true(nd.array_equal(a, a:astype("float32")))
    assert.is_false(nd.array_equal(a, b))
    assert.is_true(nd.array_equal(3, 3.0) and nd.array_equal({ 1.0, 2.0 }, nd.array({ 1, 2 })))
    assert.is_false(nd.array_equal(1, { 1 }))
  end)

  it("fill and assign broadcast", function()
    local b = nd.zeros({ 2, 2 }):fill(3)
    assert.same({ { 3.0, 3.0 }, { 3.0, 3.0 } }, b:tolist())
    b:assign(nd.array({ 1, 2 }))
    assert.same({ { 1.0, 2.0 }, { 1.0, 2.0 } }, b:tolist())
  end)

  it("exchange raw bytes", function()
    local bytes = a:astype("int16"):tostring()
    assert.equal("\0\0\1\0\2\0\3\0\4\0\5\0", bytes)
    assert.same({ 0, 1, 2, 3, 4, 5 }, nd.frombuffer(bytes, "int16"):tolist())
    raises("ValueError", "whole number", function() nd.frombuffer("abc", "int16") end)
  end)
end)

describe("elements", function()
  it("come out as Lua integers, floats, booleans and complex values", function()
    assert.equal("integer", math.type(nd.array({ 1 })[0]))
    assert.equal("float", math.type(nd.array({ 1 }, "float32")[0]))
    assert.equal("boolean", type(nd.array({ true })[0]))
    local z = nd.array({ nd.complex(1, -2) }, "complex64")[0]
    assert.equal(1.0, z.real)
    assert.equal(-2.0, z.imag)
    assert.equal(nd.complex(1, -2), z)
    assert.not_equal(nd.complex(1, 2), z)
    raises("AttributeError", "real and imag", function() return z.size, 0 end)
  end)

  it("of uint64 are their bits", function()
    local a = nd.array({ -1, math.maxinteger, math.mininteger }, "uint64")
    assert.equal("[18446744073709551615  9223372036854775807  9223372036854775808]", tostring(a))
    assert.equal(-1, a[0])
    assert.is_true(math.ult(a[1], a[0]))
    assert.equal(18446744073709551615.0, a:astype("float64")[0])
  end)

  it("item takes the only one, or a position", function()
    assert.equal(4, nd.array({ { 4 } }):item())
    assert.equal(2, nd.array({ { 1, 2 } }):item(0, 1))
    assert.equal(2, nd.array({ { 1, 2 } }):item(0, -1))
    raises("ValueError", "one element", function() nd.zeros(2):item() end)
    raises("IndexError", "out of bounds", function() nd.zeros(2):item(2) end)
  end)

  it("tolist keeps nesting", function()
    assert.equal(3, nd.array(3):tolist())
    assert.same({ { { 1 }, { 2 } } }, nd.array({ { { 1 }, { 2 } } }):tolist())
  end)
end)

describe("printing", function()
  local cases = {
    { nd.array({ 1.5, 2, -3 }), "[ 1.5  2.  -3. ]" },
    { nd.array({ { 1, 2 }, { 3, 40 } }), "[[ 1  2]\n [ 3 40]]" },
    { nd.array({ true, false }), "[ True False]" },
    { nd.array({ nd.complex(1, 2), 3 }), "[1.+2.j 3.+0.j]" },
    { nd.array({ 0 / 0, 1 / 0, -1 / 0 }), "[ nan  inf -inf]" },
    { nd.array({ 1e10, 1.0 }), "[1.e+10 1.e+00]" },
    { nd.array({ 0.1, 1 / 3 }), "[0.1        0.33333333]" },
    { nd.array({ 1e-5, 1.0 }), "[1.e-05 1.e+00]" },
    { nd.array(1 / 3), "0.3333333333333333" },
    { nd.array(5), "5" },
    { nd.array({ 0.1 }, "float32"), "[0.1]" },
    { nd.zeros({ 0 }), "[]" },
    { nd.arange(2000), "[   0    1    2 ... 1997 1998 1999]" },
    { nd.array({ -0.0, 0.0 }), "[-0.  0.]" },
    { nd.zeros({ 2, 2, 1 }), "[[[0.]\n  [0.]]\n\n [[0.]\n  [0.]]]" },
  }
  for _, case in ipairs(cases) do
    it("is NumPy's: " .. case[2]:gsub("\n", " "), function() assert.equal(case[2], tostring(case[1])) end)
  end

  it("summarises above 1,000 elements", function()
    local text = tostring(nd.zeros({ 100, 100 }))
    assert.truthy(text:find("[[0. 0. 0. ... 0. 0. 0.]", 1, true))
    assert.truthy(text:find("\n ...\n", 1, true))
  end)
end)

describe("eager arithmetic", function()
  local a = nd.array({ { 1.0, 2.0 }, { 3.0, 4.0 } })

  it("uses operators and functions, broadcasting by lengths", function()
    assert.same({ { 2.0, 4.0 }, { 4.0, 6.0 } }, (a + nd.array({ 1.0, 2.0 })):tolist())
    assert.same({ { 2.0, 3.0 }, { 5.0, 6.0 } }, (a + nd.array({ { 1.0 }, { 2.0 } })):tolist())
    assert.same({ { 7.0, 10.0 }, { 15.0, 22.0 } }, nd.dot(a, a):tolist())
    assert.same({ -1.0, 1.5, 1.0, 8.0, 1 }, { (-a)[{ 0, 0 }], (a / 2)[{ 1, 0 }], (a // 2)[{ 1, 0 }], (2 ^ a)[{ 1, 0 }],
      nd.array({ 7 }):sub(0) % 2 })
    assert.equal(10.0, a:sum())
    assert.same({ 4.0, 6.0 }, a:sum({ axis = 0 }):tolist())
    assert.same({ 1, 1 }, a:argmax({ axis = 1 }):tolist())
    assert.equal(2.5, nd.mean(a))
    assert.same({ { false, false }, { true, true } }, nd.gt(a, 2.0):tolist())
  end)

  it("keeps NumPy's dtypes and refuses lengths that do not fit", function()
    assert.equal("float64", (nd.ones(2, "int32") / 2).dtype)
    assert.equal("int64", (nd.ones(2, "int32") + nd.ones(2, "uint32")).dtype)
    raises("ValueError", "mis-match", function() return nd.zeros(2) + nd.zeros(3), 0 end)
  end)

  it("allclose and array_equal compare", function()
    assert.is_true(nd.allclose(a, a + 1e-9))
    assert.is_false(nd.allclose(a, a + 1e-3))
    assert.is_true(nd.allclose(a, a + 1e-3, 0, 1e-2))
    local n = nd.array({ 0 / 0 })
    assert.is_false(nd.allclose(n, n))
    assert.is_true(nd.allclose(n, n, nil, nil, true))
    assert.is_true(nd.allclose(nd.array({ 1 / 0 }), nd.array({ 1 / 0 })))
    assert.is_false(nd.array_equal(n, n))
    assert.is_false(nd.array_equal(nd.zeros(2), nd.zeros(3)))
  end)

  it("compares arrays by identity with ==", function()
    assert.is_false(a == a:copy())
    assert.is_true(rawequal(a, a))
  end)
end)

describe("files", function()
  local path = os.tmpname()
  teardown(function()
    for _, suffix in ipairs({ "", ".npy", ".npz" }) do os.remove(path .. suffix) end
  end)

  it("keep every dtype, shape and layout: .npy", function()
    local dtypes = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
    for dtype in dtypes:gmatch("%S+") do
      local six = nd.arange(6):reshape({ 2, 3 })
      for _, a in ipairs({ six, nd.array(1), nd.zeros({ 0, 2 }), six.T }) do
        local b = a:astype(dtype)
        nd.save(path .. ".npy", b)
        local c = nd.load(path .. ".npy")
        assert.equal(dtype, c.dtype)
        assert.same(b.shape, c.shape)
        assert.equal(tostring(b), tostring(c))
      end
    end
  end)

  it("keep names and order: .npz", function()
    nd.save(path .. ".npz", { w = nd.arange(3), b = nd.ones({ 2, 2 }, "float32") })
    local by_name, names = nd.load(path .. ".npz")
    assert.same({ "b", "w" }, names)
    assert.same({ 0, 1, 2 }, by_name.w:tolist())
    assert.equal("float32", by_name.b.dtype)
    nd.save(path .. ".npz", { { "z", nd.arange(2) }, { "a", nd.arange(1) } })
    assert.same({ "z", "a" }, select(2, nd.load(path .. ".npz")))
    raises("TypeError", "ndarray", function() nd.save(path, 3) end)
  end)

  it("hold the digits of the example: IDX, gzip or not", function()
    local list = assert(io.popen("ls examples/mnist/data/*.gz examples/mnist/data/*ubyte* 2>/dev/null"))
    local count = 0
    for name in list:lines() do
      local a = nd.load_idx(name)
      assert.equal("uint8", a.dtype)
      assert.truthy(a.ndim == 1 or a.ndim == 3)
      count = count + 1
    end
    list:close()
    assert.truthy(count >= 2, "no digits in examples/mnist/data")
  end)
end)

describe("memory", function()
  it("of 100,000 arrays of 80 KB in a loop stays under 200 MB", function()
    local text, status = runner.run({ "-e", [[
      local nd, theano, top = require("theano.ndarray"), require("theano"), 0
      for i = 1, 100000 do
        local a = nd.empty({ 100, 100 })
        a[{ 0, 0 }] = i
        top = math.max(top, theano.stat("live_bytes"))
      end
      local status = assert(io.open("/proc/self/status"))
      print(top, status:read("a"):match("VmHWM:%s*(%d+) kB"))
    ]] })
    local top, peak = text:match("^(%d+)\t(%d+)\n$")
    assert.equal(0, status, text)
    assert.truthy(tonumber(top) > 80000 and tonumber(top) < 200e6, text)
    assert.truthy(tonumber(peak) < 200000, text)
  end)

  it("is kept for the size that was used last, beside others that wait", function()
    local text, status = runner.run({ "-e", [[
      local theano = require("theano")
      local nd = theano.ndarray
      local function large(n) -- addresses, not memory: nobody writes there
        nd.empty(n)
        collectgarbage()
      end
      local a, b = nd.empty(10000000), nd.empty(6000000)
      a, b = nil, nil
      collectgarbage()
      large(20000000)
      local allocs = theano.stat("allocs")
      for i = 1, 5 do large(20000000) end
      print(theano.stat("allocs") - allocs, theano.stat("cache_bytes"))
      for i = 1, 40 do large(i * 1000000) end
      print(theano.stat("cache_bytes"))
    ]] })
    local allocs, kept, most = text:match("^(%d+)\t(%d+)\n(%d+)\n$")
    assert.equal(0, status, text)
    assert.equal("0", allocs)
    assert.truthy(tonumber(kept) >= 160e6 and tonumber(kept) <= 256 << 20 and tonumber(most) <= 256 << 20, text)
  end)

  it("is given back by free and by <close>, and use afterwards is an error", function()
    local function in_use() return theano.stat("live_bytes") - theano.stat("cache_bytes") end -- kept to be used again
    collectgarbage()
    local before = in_use()
    local a = nd.zeros({ 1000, 1000 })
    assert.truthy(in_use() >= before + 8000000)
    local view = a[0]
    a:free()
    assert.truthy(in_use() < before + 8000000)
    raises("ValueError", "freed", function() return a[0], 0 end)
    raises("ValueError", "freed", function() return view[0], 0 end)
    raises("ValueError", "freed", function() return a + 1, 0 end)
    raises("ValueError", "freed", function() a:tolist() end)
    raises("ValueError", "freed", function() a[0] = 1 end)
    do
      local b <close> = nd.zeros({ 1000, 1000 })
      assert.equal(2, b.ndim)
    end
    assert.truthy(in_use() < before + 8000000)
  end)
end)
