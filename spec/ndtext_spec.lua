--- Numbers and arrays as texts, texts and raw bytes as arrays: NumPy's own texts (spec/data/text.json, written by
-- scripts/make-text-data.py), files there and back, what is refused.
local nd = require("theano.ndarray")
local oracle = require("spec.support.oracle")
local raises = require("spec.support.raises")
local theano = require("theano")

describe("texts are NumPy's", function()
  local by_name = {}
  for _, case in ipairs(oracle.cases("text")) do
    local name = case[1]:match("^nd%.([%w_]+)")
    by_name[name] = by_name[name] or {}
    table.insert(by_name[name], case)
  end
  for name, cases in pairs(by_name) do
    it("of " .. name, function()
      local wrong = {}
      for _, case in ipairs(cases) do
        local got = assert(load("local nd = ... return " .. case[1]))(nd)
        if got ~= case[2] then wrong[#wrong + 1] = ("%s: '%s', wanted '%s'"):format(case[1], got, case[2]) end
      end
      assert.same({}, wrong)
    end)
  end

  it("and what they cannot show is refused", function()
    raises("ValueError", "base is 2 to 36", function() nd.base_repr(5, 1) end)
    raises("ValueError", "at most 1000 zeros", function() nd.base_repr(5, 2, 1 << 40) end)
    raises("ValueError", "does not fit into 2 digits", function() nd.binary_repr(5, 2) end)
    raises("TypeError", "integer", function() nd.binary_repr(2.5) end)
    raises("TypeError", "a number", function() nd.format_float_positional("1") end)
    raises("ValueError", "trim is", function() nd.format_float_scientific(1.0, { trim = "x" }) end)
    assert.equal("    -1.5e+00", nd.format_float_scientific(-1.5, { pad_left = 6 }))
    assert.equal("-inf", nd.format_float_positional(-math.huge, { pad_left = 9, pad_right = 3 }))
    assert.equal("30.", nd.array2string(nd.array(30.0), { precision = 8 }))
    assert.equal("1.+2.j", nd.array2string(nd.array(nd.complex(1, 2))))
    raises("ValueError", "precision is a number of 0 to 1000", function()
      nd.format_float_positional(1.0, { precision = 1 << 40 })
    end)
    local before = nd.get_printoptions().precision
    raises("TypeError", "", function() nd.array2string({ 1.0 }, { precision = "x" }) end)
    assert.equal(before, nd.get_printoptions().precision)
  end)
end)

describe("files of elements and of numbers", function()
  local path
  before_each(function() path = os.tmpname() end)
  after_each(function() os.remove(path) end)
  local function write(text)
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
  end

  it("go there and back as bytes and as text", function()
    local a = nd.array({ { 1.5, -2.0 }, { 1 / 3, nd.inf } })
    for _, dtype in ipairs({ "float64", "float32", "int16", "bool", "complex64" }) do
      local b = dtype:find("^f") and a:astype(dtype) or nd.array({ { 1, 0 }, { 5, 2 } }):astype(dtype)
      b.T:tofile(path)
      assert.is_true(nd.array_equal(b.T:ravel(), nd.fromfile(path, dtype)))
      assert.equal(2, nd.fromfile(path, { dtype = dtype, count = 2, offset = b.itemsize }).size)
    end
    nd.tofile(a, path, { sep = ", " })
    assert.is_true(nd.array_equal(a:ravel(), nd.fromfile(path, { sep = "," })))
    nd.tofile({ 1, 2 }, path, { sep = " ", format = "%03d" })
    assert.same({ 1, 2 }, nd.fromfile(path, { sep = " ", dtype = "int64" }):tolist())
    write("")
    assert.equal(0, nd.fromfile(path).size)
  end)

  it("genfromtxt takes columns by name and by width, converters, and numbers as Python writes them", function()
    local function read(text, ...)
      write(text)
      return nd.genfromtxt(path, ...)
    end
    local a, names = read('id,name,val\n1,"a b",3.5\n2,,nan\n',
      { delimiter = ",", names = true, usecols = { "val", "id" } })
    assert.same({ { "val", "id" }, { 3.5, 1.0 }, 2.0 }, { names, a[0]:tolist(), a[{ 1, 1 }] })
    assert.is_true(nd.isnan(a[{ 1, 0 }]))
    assert.same({ 1.0, 7.0, 7.0, -math.huge, 5.0, 0.5 }, -- neither hexadecimal nor the beginning of a word
      read("1,0x10,info,-Infinity,+5,.5\n", { delimiter = ",", filling_values = 7 }):tolist())
    assert.same({ { 123.0, 456.0 }, { 789.0, 12.0 } },
      read("aaa123456\nbbb789012", { delimiter = { 3, 3, 3 }, usecols = { 1, 2 } }):tolist())
    assert.same({ 12.0, 34.0, 56.0 }, read("123456", { delimiter = 2 }):tolist())
    assert.same({ { 1, 3 }, { 2, 4 } }, read("1;2\n3;4", { delimiter = ";", unpack = true, dtype = "int64" }):tolist())
    local function percent(text) return tonumber((text:gsub("%%", ""))) / 100 end
    assert.same({ { 0.25, 2.0 }, { 0.5, 3.0 } },
      read("25%,2\n50%,3", { delimiter = ",", converters = { [0] = percent } }):tolist())
    assert.same({ -1.0, 4.0, -1.0 },
      read("NA,4,-\n", { delimiter = ",", missing_values = { "NA", "-" }, filling_values = -1 }):tolist())
    raises("ValueError", "no column q of 2", function() read("1,2\n", { delimiter = ",", usecols = "q" }) end)
    raises("ValueError", "widths of columns", function() read("12\n", { delimiter = { 1, 0 } }) end)
    raises("TypeError", "converters", function() read("12\n", { converters = { 2 } }) end)
    raises("ValueError", "no column 4", function() read("12\n", { converters = { [4] = percent } }) end)
  end)
  it("genfromtxt of nothing but numbers is what it is beside a cell that is none", function()
    local function of(text, ...)
      local f = assert(io.open(path, "wb"))
      f:write(text)
      f:close()
      return nd.genfromtxt(path, ...)
    end
    local body = "# c\n\n 1.5 -2e3 nan # d\n+.5 5. -Infinity\r\n"
    local plain, other = of(body), of(body .. "x 0x10 1_0\n")
    assert.same({ 2, 3 }, plain.shape)
    assert.same({ 3, 3 }, other.shape)
    assert.equal(plain:bytes(), other["0:2"]:bytes())
    assert.is_true(nd.all(nd.isnan(other[2])))
    assert.equal("[[1 3]\n [2 4]]", tostring(of("1,2\n3,4\n", { delimiter = ",", dtype = "int64", unpack = true })))
    assert.equal("[3. 4.]", tostring(of("1 2\n3 4\n", { skip_header = 1 })))
    assert.equal("[1. 2.]", tostring(of("1 2\n3 4\n", { max_rows = 1 })))
    assert.same({ 0 }, of("1 2\n", { max_rows = 0 }).shape)
    assert.equal(7.0, of("7\n"))
    assert.has_error(function() of("1 2\n3\n") end)
  end)

  it("genfromtxt takes lines in the place of a file", function()
    local lines = { "1, 2, 3, 4, 5", "6, , , 7, 8\n", " , , 9,10,11\r\n" }
    local a = nd.genfromtxt(lines, { delimiter = ",", filling_values = 0 })
    assert.same({ { 1, 2, 3, 4, 5 }, { 6, 0, 0, 7, 8 }, { 0, 0, 9, 10, 11 } }, a:tolist())
    assert.same({ 1.0, 2.0 }, nd.genfromtxt({ "1 2" }):tolist())
    assert.same({ { 1.0, 3.0 }, { 2.0, 4.0 } }, nd.genfromtxt({ "1 2", "# 5 6", "3 4" }, { unpack = true }):tolist())
    assert.equal(0, nd.genfromtxt({}).size)
    assert.same({ { 1, -1 }, { -1, -1 } }, nd.genfromtxt({ "1 x", "2.5 nan" }, { dtype = "int64" }):tolist())
    local long = { "9007199254740993" }
    assert.same({ { 9007199254740993 } }, nd.genfromtxt(long, { dtype = "int64", ndmin = 2 }):tolist())
    assert.same({ 1, 2 }, nd.genfromtxt({ "1 2" }, { ndmin = 2 }).shape)
    assert.same({ 2, 1 }, nd.genfromtxt({ "1", "2" }, { ndmin = 2 }).shape)
    raises("ValueError", "genfromtxt: ndmin is 0, 1 or 2, not 3", function() nd.genfromtxt({ "1" }, { ndmin = 3 }) end)
    raises("TypeError", "a line of fname should be a string, not number", function() nd.genfromtxt({ "1", 2 }) end)
    raises("ValueError", "line 2 has 1 columns", function() nd.genfromtxt { "1 2", "3" } end)
  end)

  it("genfromtxt fills what is missing", function()
    write("# a comment\nx,y,z\n1,,3\n4,five,6 # behind\n\n7,8,inf\n")
    local a, names = nd.genfromtxt(path, { delimiter = ",", names = true, skip_header = 1 })
    assert.same({ "x", "y", "z" }, names)
    assert.same({ 3, 3 }, { table.unpack(a.shape) })
    assert.is_true(a[{ 0, 1 }] ~= a[{ 0, 1 }] and a[{ 1, 1 }] ~= a[{ 1, 1 }])
    assert.equal(math.huge, a[{ 2, 2 }])
    local b = nd.genfromtxt(path, { delimiter = ",", skip_header = 2, usecols = { -3, 1 }, filling_values = -1.0,
      max_rows = 2, dtype = "int32" })
    assert.same({ { 1, -1 }, { 4, -1 } }, b:tolist())
    assert.equal("int32", b.dtype)
    write("1 2\n3 4\n5\n")
    raises("ValueError", "line 3 has 1 columns", function() nd.genfromtxt(path) end)
    assert.same({ { 1.0, 2.0 }, { 3.0, 4.0 } }, nd.genfromtxt(path, { skip_footer = 1 }):tolist())
    raises("ValueError", "no column 7", function() nd.genfromtxt(path, { skip_footer = 1, usecols = 7 }) end)
    raises("IOError", "", function() nd.genfromtxt(path .. "/none") end)
    write("")
    assert.equal(0, nd.genfromtxt(path).size)
  end)

  it("refuse what is no number, or not there", function()
    raises("ValueError", "'x' is no number", function() nd.fromstring("1 x") end)
    raises("ValueError", "3 elements of 2", function() nd.fromstring("1 2", { count = 3 }) end)
    raises("IOError", "", function() nd.fromfile(path .. "/none") end)
    raises("ValueError", "offset 9 of 3 bytes", function()
      write("abc")
      nd.fromfile(path, { offset = 9 })
    end)
    raises("TypeError", "missing", function() nd.fromfile() end)
    raises("IOError", "", function() nd.tofile({ 1 }, path .. "/none/x") end)
    raises("IOError", "/tmp: Is a directory", function() nd.fromfile("/tmp") end)
    raises("IOError", "/tmp: Is a directory", function() nd.genfromtxt("/tmp") end)
    raises("ValueError", "2 of 3", function() nd.fromiter({ 1, 2 }, "int8", 3) end)
    local n = 0
    assert.same({ 1, 2, 3 }, nd.fromiter(function()
      n = n + 1
      return n
    end, "int64", 3):tolist())
  end)
end)

describe("small words of NumPy's", function()
  it("about dtypes and memory", function()
    assert.equal("uint8", nd.min_scalar_type(255))
    assert.equal("int16", nd.min_scalar_type(-129))
    assert.equal("float64", nd.min_scalar_type(1e300))
    assert.equal("float32", nd.min_scalar_type(1.5))
    assert.equal("int8", nd.min_scalar_type(nd.ones(2, "int8")))
    assert.equal("float64", nd.common_type(nd.ones(2, "float32"), nd.ones(2, "int8")))
    assert.equal("complex64", nd.common_type(nd.ones(2, "float32"), nd.ones(2, "complex64")))
    raises("TypeError", "bool", function() nd.common_type(nd.array({ true })) end)
    local a = nd.ones({ 2, 3 })
    assert.is_true(nd.ascontiguousarray(a.T).flags.c_contiguous)
    assert.is_true(nd.shares_memory(nd.ascontiguousarray(a), a))
    assert.is_true(nd.isfortran(a.T))
    assert.is_false(nd.isfortran(a))
    assert.is_true(nd.may_share_memory(a, a.T))
    assert.is_true(nd.iterable({ 1 }))
    assert.is_false(nd.iterable(3))
    raises("ValueError", "NaN or infinite", function() nd.asarray_chkfinite({ 1.0, nd.nan }) end)
    assert.equal(2, nd.asarray_chkfinite({ 1, 2 }).size)
  end)

  it("that are refused", function()
    raises("ZeroDivisionError", "divisor is 0", function() nd.polydiv({ 1, 2 }, { 0, 1 }) end)
    raises("ValueError", "a row for each point", function() nd.histogramdd({ 1.0, 2.0 }) end)
    raises("ValueError", "bins for 1 of 2", function() nd.histogramdd({ { 1.0, 2.0 } }, { bins = { 2 } }) end)
    raises("ValueError", "gives 0 dimensions", function()
      nd.apply_over_axes(function() return 1 end, nd.ones({ 2, 3 }), 0)
    end)
    raises("ValueError", "all lengths are equal", function() nd.diag_indices_from(nd.ones({ 2, 3 })) end)
  end)

  it("array_str takes what it is given by position, or nothing", function()
    assert.equal("[1. 2.]", nd.array_str(nd.array { 1.0, 2 }))
    assert.equal("[0.33]", nd.array_str(nd.array { 1 / 3 }, 75, 2))
  end)

  it("what array2string puts between elements, and makes of them, is NumPy's", function()
    local text = nd.array2string
    assert.equal("[0.,1.,2.,3.]", text(nd.array { 1e-16, 1, 2, 3 }, { precision = 2, separator = ",",
      suppress_small = true }))
    assert.equal("[0.00 1.00 2.00]", text(nd.arange(3.0), { formatter = { float_kind = function(x)
      return ("%.2f"):format(x)
    end } }))
    assert.equal("[[[ 0,  1,  2],\n  [ 3,  4,  5]],\n\n [[ 6,  7,  8],\n  [ 9, 10, 11]]]",
      text(nd.arange(12):reshape { 2, 2, 3 }, { separator = ", " }))
    assert.equal("[   0,    1,    2, ..., 1997, 1998, 1999]", text(nd.arange(2000), { separator = ", " }))
    assert.equal("[0, 1, 2, 3, 4, 5,\n     6, 7]", text(nd.arange(8), { separator = ", ", max_line_width = 23,
      prefix = "x = " }))
    assert.equal("[0xa 0xff]", text(nd.array { 10, 255 }, { formatter = { int = function(v)
      return ("0x%x"):format(v)
    end } }))
    assert.equal("[<1.5>;<2.0>]", text(nd.array { 1.5, 2 }, { separator = ";", formatter = { all = function(v)
      return "<" .. v .. ">"
    end } }))
    assert.equal("[]", text(nd.zeros { 0 }, { separator = "," }))
    assert.equal("array([0.000001, 0.      , 2.      , 3.      ])",
      nd.array_repr(nd.array { 1e-6, 4e-7, 2, 3 }, { precision = 6, suppress_small = true }))
    raises("TypeError", "formatter.int", function() text(nd.array { 1 }, { formatter = { int = 3 } }) end)
  end)

  it("NumPy's other names of dtypes", function()
    for name, dtype in pairs({ int = "int64", uint = "uint64", float = "float64", complex = "complex128",
      single = "float32", double = "float64", half = "float16", b1 = "bool", i1 = "int8", u2 = "uint16",
      ["<i4"] = "int32", f2 = "float16", ["=f4"] = "float32", f8 = "float64", c8 = "complex64", c16 = "complex128" }) do
      assert.equal(dtype, nd.zeros(2, name).dtype, name)
      assert.equal(dtype, theano.tensor.TensorType(name, {})().dtype, name)
    end
    for _, name in ipairs({ "float65", ">f8", "i3", "f16", "", "<", "u", "int6" }) do
      raises("TypeError", "unknown dtype", function() local _ = nd.zeros(2, name) end)
    end
  end)

  it("None is nd.none", function()
    assert.same({ 0, 2, 2, 3 }, nd.sort({ { 0, 3 }, { 2, 2 } }, { axis = nd.none }):tolist())
    assert.same({ 0, 2, 3, 1 }, nd.argsort({ { 0, 3 }, { 2, 2 } }, { axis = nd.none }):tolist())
  end)
end)
