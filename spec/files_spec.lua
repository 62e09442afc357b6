--- Array files: what NumPy and the safetensors library wrote is read, what we write are their bytes, maps, streams, and
-- what happens with files that are not what they say.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local runner = require("spec.support.runner")
local slurp = require("spec.support.slurp")
local theano = require("theano")

local KINDS = {
  "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64",
  "complex128",
}
local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. folder))
teardown(function() os.execute("rm -r " .. folder) end)

local function fixture(name) return "spec/data/files/" .. name end
local function aside(name) return folder .. "/" .. name end

local function spill(name, text)
  local file = assert(io.open(aside(name), "wb"))
  file:write(text)
  file:close()
  return aside(name)
end

-- What the fixtures hold in a dtype: 0 .. 5 in shape (2, 3).
local function counted(kind)
  local a = nd.arange(6):reshape(2, 3)
  if kind == "bool" then return nd.eq(a % 2, 1) end
  if kind:find("complex") then return (a:astype("complex128") - nd.complex(0, 1)):astype(kind) end
  return a:astype(kind)
end

local function equal(a, b)
  assert.equal(a.dtype, b.dtype)
  assert.same(a.shape, b.shape)
  assert.equal(nd.array_repr(a), nd.array_repr(b))
end

describe("files that NumPy wrote", function()
  for _, name in ipairs({ "dtypes", "deflated", "big_endian", "fortran" }) do
    it("are read in every dtype: " .. name .. ".npz", function()
      local arrays, names = nd.load(fixture(name .. ".npz"))
      assert.same(KINDS, names)
      for _, kind in ipairs(KINDS) do equal(counted(kind), arrays[kind]) end
      assert.equal(name == "fortran", arrays.float64.flags.f_contiguous)
    end)
  end

  it("are read in every shape and version", function()
    local arrays = nd.load(fixture("shapes.npz"))
    assert.equal(2.5, arrays.scalar:item())
    assert.same({ 0, 3 }, arrays.empty.shape)
    assert.same({ 1, 1, 1, 1, 1 }, arrays.five.shape)
    equal(counted("float64"), nd.load(fixture("plain.npy")))
    equal(counted("float64").T, nd.load(fixture("transposed.npy")))
    equal(counted("int16"), nd.load(fixture("version2.npy")))
    equal(counted("int16"), nd.load(fixture("version3.npy")))
  end)

  it("hold text as loadtxt reads it", function()
    local third = counted("float64") / 3
    equal(third, nd.loadtxt(fixture("plain.txt")))
    assert.is_true(nd.allclose(third - 1, nd.load(fixture("format.csv")), 0, 1e-6))
    equal(counted("complex128"), nd.loadtxt(fixture("complex.txt"), { dtype = "complex128" }))
    assert.same({ 2 / 3, 5 / 3 }, nd.loadtxt(fixture("plain.txt"), { usecols = -1 }):tolist())
    local one, names = nd.loadtxt(fixture("plain.txt"), { names = true, max_rows = 1 })
    assert.same({ 3 }, one.shape)
    assert.same({ "a", "b" }, names)
    assert.same({ 1, 3 }, nd.loadtxt(fixture("plain.txt"), { max_rows = 1, ndmin = 2 }).shape)
    assert.same({ 3, 1 }, nd.loadtxt(fixture("plain.txt"), { max_rows = 1, ndmin = 2, unpack = true }).shape)
    equal(third.T, nd.loadtxt(fixture("plain.txt"), { unpack = true }))
  end)

  it("of Python objects, records and texts are refused by name", function()
    raises("TypeError", "pickled", function() nd.load(fixture("objects.npy")) end)
    raises("TypeError", "structured", function() nd.load(fixture("record.npy")) end)
    raises("TypeError", "U2", function() nd.load(fixture("text.npy")) end)
  end)
end)

describe("files that we write", function()
  it("are NumPy's bytes: .npy, .npz, text", function()
    for _, name in ipairs({ "plain.npy", "transposed.npy" }) do
      nd.save(aside(name), nd.load(fixture(name)))
      assert.is_true(slurp(fixture(name)) == slurp(aside(name)), name)
    end
    for _, name in ipairs({ "dtypes.npz", "fortran.npz", "shapes.npz" }) do
      local arrays, names = nd.load(fixture(name))
      local list = {}
      for i, k in ipairs(names) do list[i] = { k, arrays[k] } end
      nd.save(aside(name), list)
      local back, again = nd.load(aside(name))
      assert.same(names, again)
      for _, k in ipairs(names) do equal(arrays[k], back[k]) end
      assert.is_true(slurp(fixture(name)) == slurp(aside(name)), name)
    end
    nd.savetxt(aside("plain.txt"), counted("int64") / 3, { header = "a b\nc" })
    assert.equal(slurp(fixture("plain.txt")), slurp(aside("plain.txt")))
    nd.savetxt(aside("format.csv"), counted("int64") / 3 - 1, { fmt = "%.6g", delimiter = "," })
    assert.equal(slurp(fixture("format.csv")), slurp(aside("format.csv")))
    nd.savetxt(aside("complex.txt"), counted("complex128"))
    assert.equal(slurp(fixture("complex.txt")), slurp(aside("complex.txt")))
  end)

  it("are smaller with deflated members, and the same arrays: savez_compressed", function()
    local list = { zeros = nd.zeros({ 100, 100 }), empty = nd.zeros({ 0, 3 }), scalar = nd.array(2.5),
      turned = nd.arange(12):reshape(3, 4).T, strided = nd.arange(12)["::2"], ["w/\u{e9}"] = { 1, 2 },
      noise = nd.random.RandomState(1):uniform(0, 1, { 300, 300 }), float16 = nd.ones(3, "float16") }
    for _, kind in ipairs(KINDS) do list[kind] = counted(kind) end
    nd.savez_compressed(aside("packed"), list)
    nd.savez(aside("plain"), list)
    local back, names = nd.load(aside("packed.npz"))
    assert.equal(8 + #KINDS, #names)
    for k, a in pairs(list) do equal(nd.asarray(a), back[k]) end
    assert.truthy(#slurp(aside("packed.npz")) + 79000 < #slurp(aside("plain.npz")))
    nd.savez_compressed(aside("again.npz"), list)
    assert.is_true(slurp(aside("packed.npz")) == slurp(aside("again.npz")))
    nd.savez_compressed(aside("few.npz"), nd.arange(2), { 1.5 })
    assert.same({ "arr_0", "arr_1" }, select(2, nd.load(aside("few.npz"))))
    nd.save(aside("few.npz"), { a = nd.zeros({ 100, 100 }) })
    assert.truthy(#slurp(aside("few.npz")) > 80000) -- what save writes stays as it is
    raises("TypeError", "savez_compressed: there is no array", function() nd.savez_compressed(aside("n")) end)
    raises("TypeError", "file holds values", function()
      nd.savez_compressed(aside("n"), { a = theano.shared(nd.ones(2)) })
    end)
  end)

  it("leave an error and no half of themselves on a full disk: savez_compressed", function()
    local place = aside("full")
    assert(os.execute("mkdir " .. place))
    local path = place .. "/a.npz"
    nd.savez_compressed(path, { a = nd.arange(3) })
    local code = ("local nd = require('theano').ndarray local a = nd.random.RandomState(1):uniform(0, 1, {100000}) "
      .. "local fine, e = pcall(nd.savez_compressed, %q, {a = a}) print(fine, e)"):format(path)
    local pipe = assert(io.popen(("ulimit -f 64; %s -e %s 2>&1"):format(runner.quote(runner.path),
      runner.quote(code))))
    local text = pipe:read("a")
    pipe:close()
    assert.truthy(text:find("^false%s.*IOError.*cannot write .*full/a%.npz"), text)
    equal(nd.arange(3), nd.load(path).a) -- what stood there before
    local list = assert(io.popen("ls -A " .. place))
    assert.equal("a.npz\n", list:read("a"))
    list:close()
    if io.open("/dev/full") then
      os.execute("ln -s /dev/full " .. aside("device.npz"))
      raises("IOError", "cannot write", function() nd.savez_compressed(aside("device.npz"), { a = nd.arange(3) }) end)
    end
  end)

  it("are the reference's bytes: .safetensors, read and mapped", function()
    for _, options in ipairs({ {}, { mmap = true } }) do
      local arrays, names, texts = nd.load(fixture("reference.safetensors"), options)
      assert.equal(12, #names)
      assert.equal("a \"quoted\"\tline\n\u{e9}", texts.note)
      for _, kind in ipairs(KINDS) do
        if arrays[kind] then equal(counted(kind), arrays[kind]) end
      end
      assert.equal(2.5, arrays["q\"\\\n\u{e9}"]:item())
      nd.save(aside("own.safetensors"), arrays, { metadata = texts })
      assert.is_true(slurp(fixture("reference.safetensors")) == slurp(aside("own.safetensors")))
    end
    raises("TypeError", "complex128", function() nd.save(aside("x.safetensors"), { a = counted("complex128") }) end)
    raises("ValueError", "two arrays", function()
      nd.save(aside("x.safetensors"), { { "a", nd.zeros(1) }, { "a", nd.zeros(1, "int8") } })
    end)
  end)

  it("are IDX, plain and gzip, and text of every kind of number", function()
    for _, kind in ipairs({ "uint8", "int8", "int16", "int32", "float32", "float64" }) do
      for _, name in ipairs({ "a-idx2", "a-idx2.gz" }) do
        nd.save(aside(name), counted(kind).T)
        equal(counted(kind).T:copy(), nd.load(aside(name)))
      end
    end
    assert.equal("\0\0\11\2\0\0\0\1\0\0\0\2\1\2\255\254",
      (function() nd.save(aside("b-idx2"), nd.array({ { 258, -2 } }, "int16")) return slurp(aside("b-idx2")) end)())
    raises("TypeError", "int64", function() nd.save(aside("c-idx1"), nd.arange(3)) end)
    local hard = nd.array({ { 0.1, 1e-300 }, { -0.0, 1 / 0 } })
    for _, name in ipairs({ "t.csv", "t.tsv", "t.txt", "t.csv.gz" }) do
      nd.save(aside(name), hard)
      equal(hard, nd.load(aside(name)))
    end
    for _, kind in ipairs(KINDS) do
      nd.save(aside("k.csv"), counted(kind))
      equal(counted(kind), nd.load(aside("k.csv"), { dtype = kind }))
    end
    local ends = nd.array({ math.mininteger, math.maxinteger })
    nd.save(aside("i.csv"), ends)
    equal(ends, nd.load(aside("i.csv"), { dtype = "int64" }))
    nd.save(aside("i.csv"), nd.array({ -1 }, "uint64"))
    assert.equal("18446744073709551615\n", slurp(aside("i.csv")))
  end)

  it("replace an old file only when they are whole", function()
    spill("kept.npy", "old")
    raises("IOError", "cannot write", function() nd.save(folder .. "/none/x.npy", nd.zeros(2)) end)
    do
      local w = nd.writer(aside("kept.npy"), {}, "float64")
      w:write({ 1, 2 })
      assert.equal("old", slurp(aside("kept.npy")))
      w:close(true) -- as an error would: dropped
    end
    assert.equal("old", slurp(aside("kept.npy")))
    local list = io.popen("ls " .. folder .. " | grep -c tmp-")
    assert.equal("0", list:read("l"))
    list:close()
  end)
end)

describe("a mapped file", function()
  local path
  before_each(function()
    path = aside("map.npy")
    nd.save(path, nd.arange(6):reshape(2, 3))
  end)

  it("is read-only, written through, or private", function()
    local r, w, c = nd.load(path, { mmap = true }), nd.load(path, { mmap = "r+" }), nd.load(path, { mmap = "c" })
    assert.is_false(r.flags.writeable)
    raises("ValueError", "read-only", function() r[0] = 1 end)
    raises("ValueError", "read-only", function() r["1:"]:fill(1) end)
    w[{ 1, 1 }] = 40
    assert.equal(40, r[{ 1, 1 }])
    assert.equal(40, nd.load(path)[{ 1, 1 }])
    c[{ 0, 0 }] = -1
    assert.equal(-1, c[{ 0, 0 }])
    assert.equal(0, nd.load(path)[{ 0, 0 }])
    assert.equal(4, c["::-1, ::-1"][{ 0, 1 }] // 10)
  end)

  it("can be computed with, shared and freed", function()
    local r = nd.load(path, { mmap = true })
    assert.equal(15, r:sum())
    local T = theano.tensor
    local s = theano.shared(r, { borrow = true })
    local step = theano.compile({ inputs = {}, outputs = {}, updates = { { s, T.inc_subtensor(s[0], 1) } } })
    step()
    assert.same({ { 1, 2, 3 }, { 3, 4, 5 } }, s:get_value():tolist())
    assert.same({ { 0, 1, 2 }, { 3, 4, 5 } }, r:tolist())
    local view = r[1]
    r:free()
    raises("ValueError", "freed", function() return view[0], 0 end)
  end)

  it("of Fortran order is one, of other bytes is refused", function()
    nd.save(path, nd.arange(6):reshape(2, 3).T)
    assert.same({ { 0, 3 }, { 1, 4 }, { 2, 5 } }, nd.load(path, { mmap = true }):tolist())
    nd.save(path, nd.array({ true, false }))
    spill("map.npy", slurp(path):sub(1, -2) .. "\7")
    assert.same({ true, true }, nd.load(path):tolist())
    raises("ValueError", "bool bytes", function() nd.load(path, { mmap = true }) end)
    raises("ValueError", "'r', 'r+', 'c'", function() nd.load(path, { mmap = "w" }) end)
    raises("ValueError", "mmap works for", function() nd.load(fixture("dtypes.npz"), { mmap = true }) end)
    local big = slurp(fixture("plain.npy")):gsub("<f8", ">f8")
    spill("map.npy", big)
    raises("ValueError", "big-endian", function() nd.load(path, { mmap = true }) end)
  end)
end)

describe("a stream of rows", function()
  it("reads .npy, IDX and text in blocks", function()
    local a = nd.arange(14):reshape(7, 2)
    nd.save(aside("s.npy"), a)
    nd.save(aside("s-idx2.gz"), a:astype("uint8"))
    nd.save(aside("s.csv"), a)
    for _, name in ipairs({ "s.npy", "s-idx2.gz", "s.csv" }) do
      local lengths, sum = {}, 0
      for block in nd.stream(aside(name), 3) do
        lengths[#lengths + 1] = #block
        sum = sum + block:sum()
      end
      assert.same({ 3, 3, 1 }, lengths)
      assert.equal(91, sum)
    end
    local seen = 0
    for block in nd.stream(aside("s.npy"), 2) do
      seen = seen + #block
      if seen == 4 then break end -- closes the file
    end
    assert.equal(4, seen)
  end)

  it("writes .npy row by row, cast and checked", function()
    local w = nd.writer(aside("w.npy"), { 2 }, "float32")
    w:write({ 1, 2 })
    w:write(nd.arange(6):reshape(3, 2))
    raises("ValueError", "no rows of shape (2,)", function() w:write(nd.zeros({ 2, 3 })) end)
    raises("ValueError", "being written", function() w:read(1) end)
    w:close()
    raises("ValueError", "closed", function() w:write({ 1, 2 }) end)
    equal(nd.array({ { 1, 2 }, { 0, 1 }, { 2, 3 }, { 4, 5 } }, "float32"), nd.load(aside("w.npy")))
    nd.save(aside("v.npy"), nd.load(aside("w.npy")))
    assert.is_true(slurp(aside("v.npy")) == slurp(aside("w.npy")))
    do
      local empty <close> = nd.writer(aside("e.npy"), { 2, 3 }, "int8")
      assert.truthy(empty)
    end
    assert.same({ 0, 2, 3 }, nd.load(aside("e.npy")).shape)
  end)

  it("refuses what has no rows", function()
    raises("ValueError", "Fortran", function() nd.stream(fixture("transposed.npy")) end)
    nd.save(aside("z.npy"), nd.array(1))
    raises("ValueError", "0-d", function() nd.stream(aside("z.npy")) end)
    raises("ValueError", "positive", function() nd.stream(aside("z.npy"), 0) end)
    raises("ValueError", "streams are", function() nd.stream(fixture("dtypes.npz")) end)
  end)
end)

describe("files that are not what they say #asan", function()
  -- Every prefix of a file and every byte changed: an array or an IOError, TypeError or ValueError, and no crash.
  local function hostile(name, source)
    local text, loaded, refused = slurp(source), 0, 0
    local function try(bytes)
      spill(name, bytes)
      local fine, message = pcall(nd.load, aside(name))
      if fine then loaded = loaded + 1 return end
      refused = refused + 1
      local kind = theano.error_kind(message)
      assert.truthy(kind == "IOError" or kind == "TypeError" or kind == "ValueError", message)
      assert.truthy(message:find(name, 1, true), message)
    end
    local step = math.max(1, #text // 30)
    for n = 0, #text - 1, step do try(text:sub(1, n)) end
    for n = 1, math.min(#text, 160), 2 do
      for _, byte in ipairs({ 255, text:byte(n) ~ 1 }) do
        try(text:sub(1, n - 1) .. string.char(byte) .. text:sub(n + 1))
      end
    end
    assert.truthy(refused > 30, ("%d loaded, %d refused"):format(loaded, refused))
  end
  it("are refused: .npy", function() hostile("h.npy", fixture("plain.npy")) end)
  it("are refused: .npz", function() hostile("h.npz", fixture("deflated.npz")) end)
  it("are refused: .safetensors", function() hostile("h.safetensors", fixture("reference.safetensors")) end)
  it("are refused: IDX", function()
    nd.save(aside("g-idx2.gz"), counted("int32"))
    hostile("h-idx2.gz", aside("g-idx2.gz"))
  end)

  it("are refused: archives whose directory says what is not so", function()
    nd.save(aside("d.npz"), { w = nd.arange(20) })
    local whole = slurp(aside("d.npz"))
    local at, size = string.unpack("<I4", whole, #whole - 5), string.unpack("<I4", whole, #whole - 9)
    local entry, head = whole:sub(at + 1, at + size), whole:sub(1, at)
    local function archive(directory, n)
      local tail = string.pack("<I4I2I2I2I2I4I4I2", 0x06054b50, 0, 0, n, n, #directory, at, 0)
      return spill("d.npz", head .. directory .. tail)
    end
    local function with(place, format, value) -- an entry with another number there
      return entry:sub(1, place) .. string.pack(format, value) .. entry:sub(place + string.packsize(format) + 1)
    end
    assert.equal(190, nd.load(archive(entry, 1)).w:sum())
    for text, case in pairs({
      ["members are longer than it"] = archive, -- one member's bytes twice
      ["fewer members"] = function() return archive(entry, 3) end,
      ["encrypted"] = function() return archive(with(8, "<I2", 1), 1) end,
      ["neither 'stored' nor 'deflated'"] = function() return archive(with(10, "<I2", 12), 1) end,
      ["checksum"] = function() return archive(with(16, "<I4", 7), 1) end,
      ["another length"] = function() return archive(with(24, "<I4", 7), 1) end,
      ["outside the archive"] = function() return archive(with(42, "<I4", at), 1) end,
      ["a zero in it"] = function() return archive(with(46, "<I1", 0), 1) end,
    }) do
      local path = case(entry .. entry, 2)
      raises("IOError", text, function() nd.load(path) end)
    end
    raises("IOError", "no zip archive", function() nd.load(spill("d.npz", ("x"):rep(5000))) end)
  end)

  it("cost no memory that their size does not explain", function()
    local head = "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }"
    local function npy(shape)
      local h = head:format(shape)
      return spill("huge.npy", "\x93NUMPY\1\0" .. string.pack("<I2", #h + 1) .. h .. "\n")
    end
    for _, shape in ipairs({ "1000000000000", "3000000000, 3000000000", "9223372036854775807, 2" }) do
      local path = npy(shape)
      raises("IOError", "huge.npy", function() nd.load(path) end)
      raises("IOError", "huge.npy", function() nd.load(path, { mmap = true }) end)
    end
    raises("IOError", "length is too large", function() nd.load(npy("99999999999999999999")) end)
    raises("IOError", "not a length", function() nd.load(npy("-1")) end)
    spill("huge-idx3", "\0\0\13\3" .. ("\255"):rep(12))
    raises("IOError", "huge-idx3", function() nd.load(aside("huge-idx3")) end)
    spill("huge.safetensors", string.pack("<I8", 1 << 40) .. "{}")
    raises("IOError", "too long", function() nd.load(aside("huge.safetensors")) end)
  end)

  it("of safetensors agree in every offset", function()
    local function st(header, data)
      return spill("o.safetensors", string.pack("<I8", #header) .. header .. data)
    end
    local one = '{"a":{"dtype":"U8","shape":[%s],"data_offsets":[%s]}}'
    assert.same({ 1, 2 }, nd.load(st(one:format("2", "0,2"), "\1\2")).a:tolist())
    for _, case in ipairs({
      { one:format("2", "1,3"), "disagree" },
      { one:format("3", "0,2"), "room for" },
      { one:format("1", "0,1"), "longer" },
      { one:format("2", "2,0"), "disagree" },
      { one:format("2", "0"), "two" },
      { one:format("-2", "0,2"), "not a length" },
      { "{", "string" },
      { "[]", "not an object" },
      { '{"a":{}}', "needs dtype" },
      { one:format("2", "0,2") .. "x", "follows" },
      { '{"a":{"dtype":"U8","dtype":"U8"}}', "repeated" },
      { '{"\\ud800":{}}', "string" },
      { '{"a\\u0000":{}}', "string" },
    }) do
      local path = st(case[1], "\1\2")
      raises("IOError", case[2], function() nd.load(path) end)
    end
    raises("TypeError", "F8_E4M3", function() nd.load(st(one:format("1", "0,1"):gsub("U8", "F8_E4M3"), "\1")) end)
  end)

  it("of text name line and column", function()
    local function csv(text, options)
      local path = spill("b.csv", text)
      return function() return nd.load(path, options), 0 end
    end
    raises("ValueError", { "line 2, column 1", "'x'", "float64" }, csv("1,2\n3,x\n"))
    raises("ValueError", { "line 1, column 0", "skiprows" }, csv("a,b\n1,2\n"))
    raises("ValueError", "line 3 has 1 columns, the first has 2", csv("1,2\n\n3\n"))
    raises("ValueError", "is no int8", csv("1,300\n", { dtype = "int8" }))
    raises("ValueError", "is no uint64", csv("-1\n", { dtype = "uint64" }))
    raises("ValueError", "is no int64", csv("1.5\n", { dtype = "int64" }))
    raises("ValueError", "is no float64", csv("0x10\n"))
    raises("ValueError", "is no float64", csv("1,,2\n"))
    raises("IOError", "zero byte", csv("1,\0002\n"))
    raises("IndexError", "usecols holds 5", csv("1,2\n", { usecols = { 5 } }))
    raises("IOError", "names", csv("", { names = true }))
    raises("TypeError", "unknown keyword", csv("1\n", { columns = 1 }))
    assert.same({ 0 }, csv("# nothing\n")().shape)
    assert.same({ 1.0, 2.0 }, csv("1 , 2 # comment\r\n")():tolist())
    raises("ValueError", "format", function() nd.savetxt(aside("f.txt"), nd.zeros(2), { fmt = "%s%n" }) end)
    raises("ValueError", "format", function() nd.savetxt(aside("f.txt"), nd.zeros(2), { fmt = "%999999f" }) end)
    raises("ValueError", "dimensions", function() nd.savetxt(aside("f.txt"), nd.zeros({ 1, 1, 1 })) end)
  end)

  it("and paths that are no files", function()
    raises("IOError", "none.npy", function() nd.load(aside("none.npy")) end)
    raises("IOError", "regular", function() nd.load("/dev/null") end)
    raises("IOError", "none.npy", function() nd.load(aside("none.npy"), { mmap = true }) end)
    raises("TypeError", "path", function() nd.load(nil) end)
    raises("TypeError", "path", function() nd.save({}, nd.zeros(1)) end)
  end)

  it("nor tables that hold themselves", function()
    local loop = {}
    loop[1] = loop
    raises("ValueError", "levels", function() nd.array(loop) end)
    raises("TypeError", "levels", function() nd.sum(loop) end)
    raises("ValueError", "levels", function() nd.save(aside("l.npz"), { a = loop }) end)
    local a = nd.zeros({ 2, 2 })
    raises("TypeError", "a table inside x[{..}]", function() return a[loop], 0 end)
    raises("ValueError", "levels", function() a[0] = loop end)
    raises("ValueError", "levels", function() nd.random.RandomState(loop) end)
  end)
end)
