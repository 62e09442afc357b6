--- Places of a row's largest and smallest element: where a row lies in memory as it is and has four vectors or more,
-- generated C finds the element first, then where it is. They are the interpreter's, at every vector width, for lengths
-- around whole vectors, and for NaN, infinities, zeros of both signs and equal elements wherever they stand.
local cpu = require("spec.support.cpu")
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local MARCHES = { "", "-march=x86-64-v3", "-march=x86-64" }
local COLUMNS = { 1, 7, 8, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 66, 79, 96, 97, 127, 128, 129, 130, 200, 316 }
local rng = nd.random.RandomState(8)
local NAN, INF = 0 / 0, 1 / 0

local function places(x) return { T.argmax(x, { axis = 1 }), T.argmin(x, { axis = 1 }) } end
local function compiled(inputs, outputs, march)
  local _ <close> = theano.config.change_flags(march and { ["gcc.cxxflags"] = march } or { linker = "interpreter" })
  return theano.compile({ inputs = inputs, outputs = outputs })
end
local function sought(f) return theano.printing.ccode(f):find("firstmax_", 1, true) ~= nil end

-- Rows of n numbers that put what is odd everywhere: first, last, between, and nowhere.
local function rows(n, dtype)
  local a = rng:normal(0, 1, { 40, n }):astype(dtype)
  local function put(row, column, value) a[{ row, column % n }] = value end
  for row, value in ipairs({ NAN, INF, -INF, 9.0, -9.0, NAN, NAN }) do
    put(row, row * 5, value)
    put(row, n - 1, value)
  end
  put(8, 0, NAN)
  put(9, n - 1, NAN)
  for row, value in ipairs({ NAN, INF, -INF, 0.0, -0.0, 1.5 }) do
    for column = 0, n - 1 do put(9 + row, column, value) end
  end
  for column = 0, n - 1 do -- zeros of both signs; equal ones at many places
    put(16, column, column % 3 == 0 and -0.0 or 0.0)
    put(17, column, column % 7)
    put(18, column, column == n // 2 and NAN or -INF)
    put(19, column, column == n - 1 and INF or NAN)
  end
  for row = 20, 39 do put(row, (row - 20) * n // 20, row % 2 == 0 and 50.0 or -50.0) end
  return a
end

describe("places of the largest and the smallest", function()
  for _, dtype in ipairs({ "float32", "float64" }) do
    for _, march in ipairs(MARCHES) do
      it(("in rows of %s%s"):format(dtype, march == "" and "" or ", " .. march), function()
        cpu.only("vectors of the CPU")
        skip.unless(theano.config.cxx ~= "", "no C compiler")
        local x = T.matrix("x", { dtype = dtype })
        local c, interpreted = compiled({ x }, places(x), march), compiled({ x }, places(x))
        assert.is_true(sought(c))
        for _, n in ipairs(COLUMNS) do
          local value = rows(n, dtype)
          local largest, smallest = c(value)
          local want, least = interpreted(value)
          assert.equal(want:tostring(), largest:tostring())
          assert.equal(least:tostring(), smallest:tostring())
        end
        assert.has_error(function() c(nd.zeros({ 3, 0 }, dtype)) end)
      end)
    end
  end

  it("of a row in which something is computed, or of whole numbers, are found in one pass", function()
    cpu.only("vectors of the CPU")
    skip.unless(theano.config.cxx ~= "", "no C compiler")
    local x, i = T.dmatrix("x"), T.lmatrix("i")
    assert.is_false(sought(compiled({ x }, places(T.exp(x)), "")))
    assert.is_false(sought(compiled({ i }, places(i), "")))
    assert.is_false(sought(compiled({ x }, T.argmax(x), ""))) -- everything is one row, block by block
  end)

  it("are those of the rows that slices and transposes show", function()
    local x = T.dmatrix("x")
    local value = rng:normal(0, 1, { 90, 90 })
    for _, y in ipairs({ x[{ "::2", "3:80" }], x.T, x[{ "::-1", "::-1" }], x:reshape({ 10, -1 }) }) do
      local want, least = compiled({ x }, places(y))(value)
      local largest, smallest = compiled({ x }, places(y), "")(value)
      assert.equal(want:tostring(), largest:tostring())
      assert.equal(least:tostring(), smallest:tostring())
    end
  end)
end)
