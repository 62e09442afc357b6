--- Reports of failed calls read nothing that is not there: lengths and places that a failed check leaves unknown, that
-- a later step would have found, or that an earlier call left behind; and memory that cannot be had is named by node,
-- shape, bytes and line. #asan
local theano = require("theano")
local raises = require("spec.support.raises")
local T, nd = theano.tensor, theano.ndarray
local Mode = theano.compile.Mode

local HERE = debug.getinfo(1, "S").source:sub(2)
local MODES = {
  C = Mode { linker = "c", optimizer = "fast_run" },
  interpreter = Mode { linker = "interpreter", optimizer = "fast_run" },
  plain = Mode { linker = "interpreter", optimizer = "None" },
}

local function bytes(n) return nd.zeros({ n }, "int8") end

for name, mode in pairs(MODES) do
  local function compile(inputs, outputs) return theano.compile { inputs = inputs, outputs = outputs, mode = mode } end

  describe("a report #asan (" .. name .. ")", function()
    local x, y, v, b, n = T.dmatrix("x"), T.bmatrix("y"), T.dvector("v"), T.lvector("b"), T.lscalar("n")

    it("reads nothing at a place that a failed check leaves unknown", function()
      local f = compile({ x, y }, x + y["-1"])
      raises("ValueError", { "mis-match", "9", "5" }, function() f(nd.zeros { 9, 9 }, nd.zeros({ 5, 5 }, "int8")) end)
      local g = compile({ x, y }, x:sub(0) * y:sub(-2) + x:sub({ 1, 4 }):sum(0))
      for _, k in ipairs { 1, 3, 5 } do
        raises("ValueError", "", function() g(nd.zeros { 7, 3 }, nd.zeros({ k, 1 + k }, "int8")) end)
      end
      raises("IndexError", "", function() g(nd.zeros { 7, 3 }, nd.zeros({ 1, 3 }, "int8")) end)
    end)

    it("shows values of few elements from where they lie", function()
      local f = compile({ x, v }, x:sub(-1):sub({ 1, 4 }) + v)
      local e = raises("ValueError", { "Inputs shapes: [(3,), (2,)]", "array([1., 2.])" }, function()
        f(nd.arange(12):astype("float64"):reshape { 3, 4 }, { 1, 2 })
      end)
      assert.falsy(e:find("nan", 1, true))
    end)

    it("does not take an earlier call's lengths for this one's", function()
      local picked = v[T.gt(v, 0.5)]
      local f = compile({ v, b }, (picked + b) * T.arange(T.sum(b)))
      assert.equal(3, f({ 1, 2, 0, 3 }, { 1, 1, 1 }).shape[1])
      local e = raises("ValueError", "", function() f({ 1, 0, 0, 0 }, { 1, 1, 1 }) end)
      assert.truthy(e:find("1", 1, true) and e:find("3", 1, true), e)
      assert.equal(3, f({ 1, 2, 0, 3 }, { 1, 1, 1 }).shape[1])
    end)

    it("names nodes of bodies inside bodies", function()
      local f = compile({ x, v }, theano.map(function(row)
        return theano.map(function(a) return a + row:sub({ 0, 2 }) * v end, row):sum()
      end, x))
      assert.equal(2, f(nd.ones { 2, 3 }, { 1, 1 }).shape[1])
      for _ = 1, 2 do raises("ValueError", "mis-match", function() f(nd.ones { 2, 3 }, { 1, 1, 1 }) end) end
      local z = theano.map(function(row)
        local part = row[T.gt(row, 0.5)]
        return theano.map(function(a) return (part * a + v):sum() end, part):sum()
      end, x)
      local g = compile({ x, v }, z)
      assert.equal(2, g(nd.ones { 2, 3 }, { 1, 1, 1 }).shape[1])
      local e = raises("ValueError", "", function() g(nd.array { { 1.0, 1, 1 }, { 1, 0, 1 } }, { 1, 1, 1 }) end)
      assert.truthy(e:find("step 1 of", 1, true), e)
    end)

    it("of memory says node, shape, bytes and line", function()
      local w = T.bvector("w")
      local f = compile({ w }, T.exp(T.cast(w, "float64"):dimshuffle(0, "x") * w:dimshuffle("x", 0)))
      raises("MemoryError", { "2251799813685248 bytes (2.0 PB) for the result of Elemwise{", "exp",
        "float64 of shape (16777216, 16777216)", "Apply node that caused the error: Elemwise{", HERE .. ":" },
        function() f(bytes(1 << 24)) end)
      local g = compile({ w }, T.sort(T.cast(w:dimshuffle(0, "x") * w:dimshuffle("x", 0), "float64"), 0):sum(1))
      raises("MemoryError", { "temporaries of this call", "2251799813685248 bytes (2.0 PB)", "(16777216, 16777216)" },
        function() g(bytes(1 << 24)) end)
      local h = compile({ n }, T.alloc(0.5, n, 1 << 40))
      raises("MemoryError", { "4503599627370496 bytes (4.0 PB)", "float32 of shape (1024, 1099511627776)",
        "Alloc(", HERE .. ":" }, function() h(1 << 10) end)
      for _, k in ipairs { 24, 22, 40 } do -- 2^64 elements wrap to none
        raises("MemoryError", { "more bytes than memory can have", "(" .. (1 << k) .. ", 1099511627776)" },
          function() h(1 << k) end)
      end
      assert.equal(0, h(0).size)
    end)

    it("of lengths that do not fit in 64 bits says which", function()
      local f = compile({ n }, T.alloc(0.5, n, n))
      raises("ValueError", { "1099511627776 * 1099511627776", "Alloc(" }, function() f(1 << 40) end)
      assert.equal(4, f(2).size)
    end)

    it("of memory that a later step asks for says the same", function()
      local f = compile({ v }, T.arange(T.cast(v:sum(), "int64")):dimshuffle(0, "x") + T.arange(5))
      raises("MemoryError", { "bytes (", "int64 of shape (", HERE .. ":" }, function() f { 1e15 } end)
      raises("MemoryError", "more bytes than memory can have", function() f { 1e18 } end)
      assert.same({ 3, 5 }, { table.unpack(f({ 1, 2 }).shape, 1, 2) })
    end)
  end)
end

describe("memory for an array", function()
  it("that cannot be had is named by bytes, shape and dtype", function()
    raises("MemoryError", { "9007199254740992 bytes (8.0 PB)", "(33554432, 33554432), float64" }, function()
      nd.zeros { 1 << 25, 1 << 25 }
    end)
    raises("MemoryError", { "8.0 PB", "int64" }, function() nd.arange(1 << 50) end)
    local column = bytes(1 << 25):reshape { -1, 1 }
    for _ = 1, 2 do
      local e = raises("MemoryError", { "1.0 PB", "int8 of shape (33554432, 33554432)", "Elemwise{" }, function()
        return column * column.T, nil
      end)
      assert.falsy(e:find("Backtrace", 1, true))
    end
    raises("ValueError", { "does not fit in 64 bits", "300 * 1152921504606846976" }, function()
      nd.tile(nd.ones(300), 1 << 60)
    end)
  end)
end)
