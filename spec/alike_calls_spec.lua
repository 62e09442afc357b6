--- Calls that arrays and Variables share, where graphs know less or more than arrays do: of three dimensions and more,
-- of lengths that are known while building, or 0 when run. Both give the same.
local alike = require("spec.fuzz.alike.run")
local nd = require("theano.ndarray")
local rotate = require("spec.support.rotate")
local theano = require("theano")
local T = require("theano.tensor")

local MODE = theano.compile.Mode({ linker = "interpreter" })

local function text(a)
  a = nd.asarray(a)
  return a.dtype .. " " .. table.concat(a.shape, ",") .. "\n" .. nd.array_repr(a)
end

-- What fn(M, arrays ..) gives of Variables, of known lengths too, is what it gives of arrays.
local function same(fn, ...)
  local values = { ... }
  local want = text(fn(nd, ...))
  for _, known in ipairs({ false, true }) do
    local inputs, given = {}, {}
    for i, a in ipairs(values) do
      local pattern = {}
      for d = 1, a.ndim do pattern[d] = a.shape[d] == 1 end
      inputs[i] = T.TensorType(a.dtype, pattern)()
      given[i] = known and T.specify_shape(inputs[i], { table.unpack(a.shape) }) or inputs[i]
    end
    local f = theano.compile({ inputs = inputs, outputs = fn(T, table.unpack(given)), mode = MODE,
      on_unused_input = "ignore" })
    assert.equal(want, text(f(table.unpack(values))))
  end
end

local rng = nd.random.RandomState(3)

describe("what arrays and Variables share", function()
  it("convolves vectors of known lengths that differ", function()
    local a, v = rng:uniform(-1, 1, { 5 }), rng:uniform(-1, 1, { 2 })
    for _, mode in ipairs({ "full", "same", "valid" }) do
      same(function(M, x, y) return M.around(M.convolve(x, y, mode), 9) end, a, v)
      same(function(M, x, y) return M.around(M.correlate(y, x, mode), 9) end, a, v)
    end
    same(function(M, x, y) return M.convolve(x, y, "valid") end, nd.array({ 3 }, "int8"), nd.array({ 5, 1 }, "int8"))
    same(function(M, x, y) return M.correlate(x, y) end, nd.array({ 3 }, "int64"), nd.array({ 5, 1 }, "int64"))
    same(function(M, x, y) return M.polymul(x, y) end, nd.array({ 3, 1 }, "int64"), nd.array({ 5, 1, 2 }, "int64"))
  end)

  it("has quantiles along any axes of three dimensions and more", function()
    local cube, four = rng:uniform(-1, 1, { 2, 3, 4 }), rng:uniform(-1, 1, { 2, 1, 3, 2 })
    cube[{ 0, 1, 2 }] = 0 / 0
    for _, name in ipairs({ "median", "nanmedian" }) do
      for _, axis in ipairs({ 0, -2, 2, { 0, 2 } }) do
        same(function(M, x) return M[name](x, { axis = axis }) end, cube)
        same(function(M, x) return M[name](x, { axis = axis, keepdims = true }) end, four)
      end
    end
    for _, name in ipairs({ "quantile", "nanquantile" }) do
      same(function(M, x) return M[name](x, 0.25, { axis = 1 }) end, cube)
      same(function(M, x) return M[name](x, { 0.25, 0.5 }, { axis = -1, method = "lower" }) end, four)
    end
  end)

  it("has quantiles of integers that are elements", function()
    local a = nd.array({ { 7, 10, 4 }, { 1, 200, 3 } }, "uint8")
    for _, method in ipairs({ "lower", "higher", "nearest", "inverted_cdf" }) do
      same(function(M, x) return M.nanquantile(x, 0.4, { method = method }) end, a)
      same(function(M, x) return M.nanpercentile(x, 40, { method = method, axis = 1 }) end, a)
    end
  end)

  it("resizes what has no elements to zeros", function()
    same(function(M, x) return M.resize(x, { 2, 2 }) end, nd.zeros({ 0, 3 }, "int32"))
    same(function(M, x) return M.resize(x, { 2, 4 }) end, nd.array({ { 1, 2 }, { 3, 4 }, { 5, 6 } }, "int16"))
    same(function(M, x) return M.resize(x, { 0 }) end, nd.zeros({ 0 }))
  end)

  it("has norms of what has no elements, and their dtype where dimensions are kept", function()
    for _, dtype in ipairs({ "float32", "float64", "complex64" }) do
      for _, shape in ipairs({ { 3, 0 }, { 0, 3 }, { 2, 3 } }) do
        for _, axis in ipairs({ 0, -1, { 0 }, { 1 }, { 0, 1 }, "all" }) do
          same(function(M, x)
            return M.linalg.vector_norm(x, { axis = axis ~= "all" and axis or nil, keepdims = true, ord = 1 })
          end, nd.ones(shape, dtype))
        end
      end
    end
    assert.same({ "float32", { 1, 1 } }, { nd.linalg.vector_norm(nd.ones({ 2, 3 }, "complex64"), nil, true).dtype,
      { table.unpack(nd.linalg.vector_norm(nd.ones({ 2, 3 }, "complex64"), nil, true).shape) } })
  end)

  it("puts literals around differences of any dtype", function()
    same(function(M, x) return M.ediff1d(x, 7, 0) end, nd.array({ 1, 2, 9 }, "uint8"))
    same(function(M, x) return M.ediff1d(x, 7, 2) end, nd.array({ 1, 2, 9 }, "float32"))
    for _, M in ipairs({ T, nd }) do
      local ok, said = pcall(M.ediff1d, M == T and T.vector("x", "uint8") or nd.array({ 1, 2 }, "uint8"), -1)
      assert.is_false(ok)
      assert.matches("OverflowError: the number %-1 is out of bounds for uint8", said)
    end
  end)

  it("gives the same in random calls of every function: arrays, graphs as written, optimized, in C", function()
    for _, run in ipairs({ { 4000, false }, { 60, theano.config.cxx ~= "" } }) do
      local r = alike.run({ seed = rotate.seed, first = 1, count = run[1], c = run[2] })
      assert(#r.findings == 0, ("TH_SEED=%d: %s"):format(rotate.seed, table.concat(r.findings, "\n", 1,
        math.min(#r.findings, 8))))
      assert.is_true(r.values > run[1] * 0.8, r.values)
    end
  end)
end)
