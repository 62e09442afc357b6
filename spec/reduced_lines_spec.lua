--- Rows and columns reduced as they lie (core/runtime/interp/rows.c): many rows in one loop, columns of long rows in
-- wide pieces. The interpreter and generated C give the same bits whatever the shape, the strides and what follows.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local skip = require("spec.support.skip")

local rng = nd.random.RandomState(11)
local SHAPES = { { 1, 1 }, { 3, 316 }, { 130, 31 }, { 129, 16 }, { 64, 24 }, { 65, 25 }, { 67, 33 }, { 130, 48 },
  { 66, 49 }, { 3, 64 }, { 65, 64 }, { 70, 65 }, { 66, 128 }, { 9, 129 }, { 65, 1000 }, { 700, 3 },
  { 400, 700 }, { 37, 9000 }, { 300, 4097 }, { 30003, 45 }, { 5, 40000 }, { 0, 7 }, { 7, 0 } }
local function fits(shape, what) return shape[1] * shape[2] > 0 or what == "sum" or what == "prod" end

local function values(shape, dtype)
  local a = rng:randn(shape[1], shape[2])
  if dtype == "complex128" then return a + a * nd.complex(0, 0.5) end
  if dtype == "bool" then return nd.gt(a, -2) end
  if dtype:find("^u?int") then return nd.floor(a * 50 + 100):astype(dtype) end
  a = a:astype(dtype)
  if a.size > 100 then a[{ -1, -1 }], a[{ 0, 1 }] = 0 / 0, 1 / 0 end
  return a
end

local function same(a, b)
  a, b = nd.asarray(a), nd.asarray(b)
  return a.dtype == b.dtype and a:bytes() == b:bytes()
end

describe("lines are reduced to the same bits by the interpreter and by C, #asan", function()
  for _, dtype in ipairs({ "float64", "float32", "int64", "bool", "complex128" }) do
    it(dtype, function()
      skip.unless(theano.config.cxx ~= "", "no C compiler")
      local x, v = T.TensorType(dtype, { false, false })(), T.TensorType(dtype, { false })()
      local outputs, names = {}, {}
      for _, what in ipairs({ "sum", "prod", "max", "mean", "argmax", "argmin" }) do
        for axis = 0, 1 do
          if not (dtype == "complex128" and what:find("m[ai][xn]$")) then
            names[#names + 1] = { what, axis }
            outputs[#outputs + 1] = T[what](x, { axis = axis })
            if what == "sum" and dtype ~= "bool" then -- with more before and behind it
              names[#names + 1] = { what, axis }
              outputs[#outputs + 1] = T[what](x * x, { axis = axis }) * 2 + 1
            end
          end
        end
      end
      if dtype ~= "bool" then
        names[#names + 1], outputs[#outputs + 1] = { "sum", 0 }, T.dot(v, x)
      end
      for _, shape in ipairs(SHAPES) do
        local whole = values(shape, dtype)
        local column = values({ 1, shape[1] }, dtype):reshape({ -1 })
        for _, a in ipairs({ whole, whole[{ "::2", "::-1" }], whole.T:copy().T }) do
          local by = column["0:" .. a.shape[1]]
          for i, out in ipairs(outputs) do
            if fits(a.shape, names[i][1]) then
              local got = {}
              for _, linker in ipairs({ "c", "interpreter" }) do
                local key = linker .. i
                outputs[key] = outputs[key] or theano.compile { inputs = { x, v }, outputs = out,
                  on_unused_input = "ignore", mode = theano.compile.Mode({ linker = linker }) }
                got[#got + 1] = outputs[key](a, by)
              end
              assert(same(got[1], got[2]), ("%s of axis %d, %s x %s"):format(names[i][1], names[i][2], a.shape[1],
                a.shape[2]))
            end
          end
        end
      end
    end)
  end

  it("arrays: one line at a time gives what all lines give", function()
    for _, shape in ipairs({ { 400, 700 }, { 37, 9000 }, { 3000, 5 } }) do
      local a = values(shape, "float64")
      local rows, columns = nd.sum(a, { axis = 1 }), nd.sum(a, { axis = 0 })
      local top, deviation = nd.max(a, { axis = 0 }), nd.std(a, { axis = 1 })
      for _, i in ipairs({ 0, 1, shape[1] // 2, shape[1] - 1 }) do
        assert.is_true(same(rows[i], nd.sum(a[{ i .. ":" .. i + 1 }], { axis = 1 })[0]))
        assert.is_true(same(deviation[i], nd.std(a[{ i .. ":" .. i + 1 }], { axis = 1 })[0]))
      end
      for _, i in ipairs({ 0, 2, shape[2] // 2, shape[2] - 1 }) do
        local one = a[{ ":", i .. ":" .. i + 1 }]:copy()
        local total = 0.0
        for k = 0, shape[1] - 1 do total = total + one[{ k, 0 }] end -- from the first row to the last
        assert.is_true(same(columns[i], total))
        assert.is_true(same(top[i], nd.max(one)))
      end
    end
  end)

  it("arrays: columns take their values row by row, NaN and zeros of either sign too", function()
    for _, dtype in ipairs({ "float64", "float32", "int64", "int32" }) do
      for _, shape in ipairs({ { 2, 5 }, { 7, 13 }, { 8, 2 }, { 9, 700 }, { 25, 37 }, { 40, 4099 }, { 64, 513 } }) do
        local m, n = shape[1], shape[2]
        local a, float = values(shape, dtype), dtype:find("float", 1, true)
        for k = 0, float and 2 * m or -1 do
          local odd = ({ 0 / 0, -0.0, 0.0, -1 / 0, 1 / 0 })[k % 5 + 1]
          a[{ rng:randint(0, m), rng:randint(0, n) }] = odd
        end
        if float then a[{ m - 1, 0 }], a[{ ":", n - 1 }] = 0 / 0, nd.array(-0.0, dtype) end
        local wide = nd.zeros({ 2 * m, n + 3 }, dtype)
        wide[{ "::2", "3:" }] = a
        for _, b in ipairs({ a, wide[{ "::2", "3:" }], a[{ "::-1" }] }) do
          local sum = b[0] + nd.zeros({ n }, dtype)
          local most, least = b[0], b[0]
          for i = 1, m - 1 do
            sum, most, least = sum + b[i], nd.maximum(most, b[i]), nd.minimum(least, b[i])
          end
          assert.is_true(not dtype:find("64", 1, true) or same(sum, nd.sum(b, { axis = 0 })), dtype)
          assert.is_true(same(most, nd.max(b, { axis = 0 })) and same(least, nd.min(b, { axis = 0 })), dtype)
        end
      end
    end
  end)

  it("arrays: columns of short and of long rows add in one order, in and beyond the second cache", function()
    for _, dtype in ipairs({ "float64", "int64" }) do
      for _, shape in ipairs({ { 300, 511 }, { 257, 511 }, { 257, 513 }, { 1311, 100 }, { 1309, 100 } }) do
        local a, sum = values(shape, dtype), nil
        for i = 0, shape[1] - 1 do sum = sum and sum + a[i] or a[i]:copy() end
        assert.is_true(same(sum, nd.sum(a, { axis = 0 })), dtype .. table.concat(shape, "x"))
        local cube = nd.stack({ a, a })
        assert.is_true(same(nd.stack({ sum, sum }), nd.sum(cube, { axis = 1 })), dtype .. table.concat(shape, "x"))
      end
    end
  end)

  it("arrays: extrema know NaN wherever it stands, and the zero that came first", function()
    for _, dtype in ipairs({ "float64", "float32" }) do
      for _, n in ipairs({ 1, 31, 32, 63, 64, 129, 4096, 4097, 20000 }) do
        local a = rng:randn(n):astype(dtype)
        local most, least = -math.huge, math.huge
        for _, v in ipairs(a:tolist()) do most, least = math.max(most, v), math.min(least, v) end
        assert.same({ most, least }, { nd.max(a), nd.min(a) })
        for _, at in ipairs({ 0, 1, 33, 127, n // 2, n - 2, n - 1 }) do
          if at >= 0 and at < n then
            local odd = a:copy()
            odd[at] = 0 / 0
            assert.is_true(nd.max(odd) ~= nd.max(odd) and nd.min(odd) ~= nd.min(odd))
            odd[(at + n // 3) % n] = 1 / 0
            assert.is_true(nd.min(odd) ~= nd.min(odd) or n < 3)
            odd[n - 1 - at] = -1 / 0
            assert.is_true(nd.max(odd) ~= nd.max(odd) or n < 3 or n - 1 - at == at)
          end
        end
        local zeros = nd.zeros(n, dtype)
        zeros[{ n > 1 and "1::2" or ":" }] = -0.0
        local up, down = nd.max(zeros), nd.min(-zeros)
        assert.equal(n == 1 and "-0.0" or "0.0", tostring(up))
        assert.equal(n == 1 and "0.0" or "-0.0", tostring(down))
      end
    end
  end)

  it("arrays: short rows lie across vectors, and give what each gives as an array of its own", function()
    local function exact(v) return type(v) == "number" and string.pack("n", v) or tostring(v) end
    local function number(v) return type(v) == "userdata" and v:item() or v end
    for _, dtype in ipairs({ "float64", "float32", "int64", "int32", "uint8", "bool" }) do
      for _, shape in ipairs({ { 3, 1 }, { 64, 2 }, { 65, 3 }, { 130, 8 }, { 130, 17 }, { 66, 24 }, { 66, 25 },
        { 5, 70 } }) do
        local a = values(shape, dtype)
        if dtype:find("float", 1, true) then a[{ 1, 0 }], a[{ 2, 0 }] = -0.0, -1 / 0 end
        local wide = nd.zeros({ shape[1], 2 * shape[2] }, dtype)
        wide[{ ":", "::2" }] = a
        for _, what in ipairs({ "sum", "prod", "max", "min", "mean", "argmax", "argmin", "any", "all" }) do
          for _, rows in ipairs({ a, wide[{ ":", "::2" }], a[{ "::-1" }][{ "::-1" }] }) do
            local all = nd[what](rows, { axis = 1 })
            for i = 0, shape[1] - 1, 1 + shape[1] // 9 do
              local one, got = number(nd[what](rows[i])), number(all[i])
              assert(exact(one) == exact(got) or (one ~= one and got ~= got),
                ("%s of %s, row %d of %d x %d: %s, not %s"):format(what, dtype, i, shape[1], shape[2], got, one))
            end
          end
        end
      end
    end
  end)

  it("arrays: a row times a vector is the same alone and among others, however long", function()
    for _, shape in ipairs({ { 1, 2048 }, { 4, 2048 }, { 5, 2049 }, { 8, 2079 }, { 9, 2080 }, { 17, 3162 },
      { 6, 32768 }, { 7, 2047 }, { 3, 5 } }) do
      local m, v = values(shape, "float64"), rng:randn(shape[2])
      local all = nd.dot(m, v)
      for i = 0, shape[1] - 1 do
        assert.is_true(same(all[i], nd.dot(m[("%d:%d"):format(i, i + 1)], v)[0]), ("%d of %d"):format(i, shape[2]))
        assert.is_true(same(all[i], nd.dot(m[i], v)), ("%d of %d"):format(i, shape[2]))
      end
    end
  end)
end)
