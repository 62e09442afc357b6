--- The interpreter runs kernels along short rows with rows side by side (core/runtime/interp/side.c): many rows at once
-- give the bits of a few, which run one after the other, whatever the lengths, strides and numbers.
local rotate = require("spec.support.rotate")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local FEW = 7 -- rows that run one by one
local function over(how, x) return x[how](x, { axis = 1, keepdims = true }) end
local function centered(x) return x - over("mean", x) end
local function normalized(x)
  local y = centered(x)
  return y / T.sqrt(over("mean", y * y) + T.cast(0.5, x.dtype))
end
local function place(x) return T.cast(T.arange(x.shape[1]), x.dtype):dimshuffle("x", 0) end

-- Of a matrix, a row for all rows, and a number for each row.
local FLOATS = {
  softmax = function(x) return { T.nnet.softmax(x), T.nnet.logsoftmax(x) } end,
  variance = function(x) return { T.var(x, 1), T.std(x, 1) } end,
  ["variance alone"] = function(x) return { T.var(x, 1) } end,
  ["less the mean"] = function(x) return { centered(x) } end,
  ["layer norm"] = function(x, b) return { normalized(x) * b } end,
  ["its gradient"] = function(x, b) return { T.grad(T.sum(normalized(x) * T.tanh(x * b)), x) } end,
  ["logarithm of sums"] = function(x, b, c) return { T.log(T.sum(T.exp(x + b), { axis = 1 })) * c } end,
  ["with the place"] = function(x) return { T.sum(x * place(x), { axis = 1 }), over("max", x) - x * place(x) } end,
  ["in place"] = function(x, b)
    local y = T.tanh(x)
    return { T.exp(centered(y * b)) }
  end,
}
local ANY = {
  ["sums and products"] = function(x, b) return { T.sum(x * b, { axis = 1 }), T.prod(x + b, { axis = 1 }) } end,
  ["a sum of products"] = function(x, b) return { T.sum(x * b, { axis = 1 }) } end,
  extrema = function(x, b) return { T.max(x * b, { axis = 1 }), T.min(x + b, { axis = 1 }) } end,
  span = function(x) return { T.max(x, { axis = 1 }) - T.min(x, { axis = 1 }) } end,
  places = function(x, b) return { T.argmax(x * b, { axis = 1 }), T.argmin(x + b, { axis = 1 }) } end,
  ["any and all"] = function(x, b) return { T.any(T.gt(x, b), { axis = 1 }), T.all(T.le(x, b), { axis = 1 }) } end,
  ["a number for each row"] = function(x, _, c)
    local each = c:dimshuffle(0, "x")
    return { x * each + x, T.gt(x, each) }
  end,
  ["less the largest"] = function(x, b) return { over("max", x) - x, over("sum", x * b) + x } end,
}
local DTYPES = { "float64", "float32", "int32", "int8", "uint16", "int64" }
local ROWS = { 8, 9, 16, 31, 127, 128, 129, 130, 300 }
local COLUMNS = { 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 99, 100, 101 }

local rng = nd.random.RandomState(5)
local STRANGE = { -0.0, 0 / 0, 1 / 0, -1 / 0, 0.0, 1e-42 }
local function numbers(shape, dtype, odd)
  local a = rng:normal(0, 1, shape)
  if dtype:find("int") then return nd.floor(a * 9 + 40):astype(dtype) end
  a = a:astype(dtype)
  for _ = 1, odd and a.size // 6 or 0 do
    a[{ math.random(0, shape[1] - 1), math.random(0, shape[2] - 1) }] = STRANGE[math.random(#STRANGE)]
  end
  return a
end

local function compiled(dtype, work)
  local vector = T.TensorType(dtype, { false })
  local x, b, c = T.TensorType(dtype, { false, false })(), vector(), vector()
  return theano.compile { inputs = { x, b, c }, outputs = work(x, b, c), on_unused_input = "ignore",
    mode = theano.compile.Mode({ linker = "interpreter" }) }
end

-- A NaN's own bits may be those of either of two that meet.
local function bits(a)
  a = nd.asarray(a)
  if a.dtype:find("float", 1, true) then a = nd.where(nd.isnan(a), nd.array(0 / 0):astype(a.dtype), a) end
  return a:tostring()
end

local function by_few(f, x, b, c)
  local parts = {}
  for i = 0, x.shape[1] - 1, FEW do
    local some = ("%d:%d"):format(i, math.min(i + FEW, x.shape[1]))
    for k, part in ipairs({ f(x[some], b, c[some]) }) do
      parts[k] = parts[k] or {}
      table.insert(parts[k], bits(part))
    end
  end
  for k, list in ipairs(parts) do parts[k] = table.concat(list) end
  return parts
end

local function alike(name, f, x, b, c)
  local want = by_few(f, x, b, c)
  for k, got in ipairs({ f(x, b, c) }) do
    if bits(got) ~= want[k] then
      error(("%s, result %d: %d x %d %s, strides %s"):format(name, k, x.shape[1], x.shape[2], x.dtype,
        table.concat(x.strides, " ")))
    end
  end
end

local function works(dtype)
  local all = {}
  for name, work in pairs(ANY) do all[name] = work end
  for name, work in pairs(dtype:find("float") and FLOATS or {}) do all[name] = work end
  return all
end

describe("rows side by side in the interpreter, #asan", function()
  for _, dtype in ipairs(DTYPES) do
    it("have the bits of rows one by one: " .. dtype, function()
      math.randomseed(4)
      for name, work in pairs(works(dtype)) do
        local f = compiled(dtype, work)
        for _, rows in ipairs(rotate.some(ROWS, 4)) do
          for _, columns in ipairs(rotate.some(COLUMNS, 8)) do
            local b, c = numbers({ columns }, dtype), numbers({ rows }, dtype)
            alike(name, f, numbers({ rows, columns }, dtype), b, c)
            alike(name, f, numbers({ rows, columns }, dtype, true), b, c)
            local wide = numbers({ rows * 2, columns * 3 }, dtype)
            alike(name, f, wide[{ "::2", "::3" }], b, c)
            alike(name, f, wide[{ "::-2", (":%d"):format(columns) }], b, c)
            alike(name, f, numbers({ columns, rows }, dtype).T, b, c)
          end
        end
      end
    end)
  end

  it("stand within further loops", function()
    local x, y = T.dtensor3(), T.dtensor3()
    local m = T.mean(x, { axis = 2, keepdims = true })
    local f = theano.compile { inputs = { x, y }, mode = theano.compile.Mode({ linker = "interpreter" }),
      outputs = { T.exp(x - m) * y, T.var(x:dimshuffle(1, 0, 2) * y:dimshuffle(1, 0, 2), 2) } }
    for _, shape in ipairs({ { 3, 20, 5 }, { 2, 130, 17 }, { 4, 9, 1 } }) do
      local a, b = rng:normal(0, 1, shape), rng:normal(0, 1, shape)
      local e, v = f(a, b)
      for i = 0, shape[2] - 1, FEW do
        local some = { ":", ("%d:%d"):format(i, math.min(i + FEW, shape[2])) }
        local few, w = f(a[some], b[some])
        assert.truthy(bits(few) == bits(e[some]))
        assert.truthy(bits(w) == bits(v[some[2]]))
      end
    end
  end)

  it("change a shared matrix in its place", function()
    for _, columns in ipairs({ 3, 10, 32 }) do
      local start = rng:normal(0, 1, { 131, columns })
      local w, v = theano.shared(start:copy()), T.dvector()
      local f = theano.compile { inputs = { v }, outputs = T.sum(w * w, { axis = 1 }),
        updates = { { w, centered(w) * v } }, mode = theano.compile.Mode({ linker = "interpreter" }) }
      local by = numbers({ columns }, "float64")
      local x = T.dmatrix()
      local g = theano.compile { inputs = { x, v }, outputs = { T.sum(x * x, { axis = 1 }), centered(x) * v },
        mode = theano.compile.Mode({ linker = "interpreter" }) }
      local squares = f(by)
      for i = 0, 130, FEW do
        local some = ("%d:%d"):format(i, math.min(i + FEW, 131))
        local s, moved = g(start[some], by)
        assert.truthy(bits(s) == bits(squares[some]))
        assert.truthy(bits(moved) == bits(w:get_value()[some]))
      end
    end
  end)

  it("are those of arrays at once too, and may be none", function()
    for _, columns in ipairs({ 1, 3, 10, 24, 65, 100 }) do
      for _, dtype in ipairs({ "float64", "float32", "int16", "bool" }) do
        local x = dtype == "bool" and nd.gt(rng:normal(0, 1, { 200, columns }), 0) or numbers({ 200, columns }, dtype)
        for _, how in ipairs({ "var", "std" }) do
          local all, parts = x[how](x, 1), {}
          for i = 0, 199, 5 do
            local few = x[("%d:%d"):format(i, i + 5)]
            parts[#parts + 1] = bits(few[how](few, 1))
          end
          assert.truthy(table.concat(parts) == bits(all))
        end
      end
    end
    assert.same({ 0 }, nd.zeros({ 0, 10 }):var(1).shape)
    assert.truthy(nd.all(nd.isnan(nd.zeros({ 30, 0 }):var(1))))
    local f = compiled("float64", FLOATS.softmax)
    assert.same({ 40, 0 }, f(nd.zeros({ 40, 0 }), nd.zeros({ 0 }), nd.zeros({ 40 })).shape)
    assert.same({ 0, 4 }, f(nd.zeros({ 0, 4 }), nd.zeros({ 4 }), nd.zeros({ 0 })).shape)
  end)
end)
