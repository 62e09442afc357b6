--- Sorting and what stands on it, against Lua's own sort: keys that tie but for their low bits, NaN, both zeros,
-- subnormals, every dtype, lengths to 40 and some longer. #asan: room for positions once was too small.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local REAL = { 0.0, -0.0, 0 / 0, 1 / 0, -1 / 0, 5e-324, 1e-323, -5e-324, 1.0, 1 + 2 ^ -52, 1 + 2 ^ -51, 1e300 }
local SINGLE = { 0.0, -0.0, 0 / 0, 1 / 0, -1 / 0, 2 ^ -149, 2 ^ -148, -2 ^ -149, 1.0, 1 + 2 ^ -23, 2 ^ 126 }
local WHOLE = { int8 = { -128, 127 }, int16 = { -32768, 32767 }, int32 = { -2 ^ 31, 2 ^ 31 - 1 },
  int64 = { math.mininteger, math.maxinteger, math.mininteger + 1 }, uint8 = { 0, 255 }, uint16 = { 0, 65535 },
  uint32 = { 0, 2 ^ 32 - 1, 2 ^ 31 }, uint64 = { 0, math.maxinteger, 2 ^ 53 }, bool = { false, true } }
local DTYPES = { "float64", "float32", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
  "uint64" }

local state = 1
local function draw(n)
  state = (state * 1103515245 + 12345) % 2147483648
  return state // 65536 % n
end

--- n values of a dtype; kind 1: a few of many, 2: two far ones and the rest tied but for low bits, 3: special ones
local function values(dtype, n, kind)
  local real = dtype == "float64" and REAL or dtype == "float32" and SINGLE
  local least, t = dtype == "float32" and 2 ^ -149 or 5e-324, {}
  for i = 1, n do
    if real then
      if kind == 2 then t[i] = (i == 1 or i == n) and 1.5 + i or draw(7) * least
      elseif kind == 1 then t[i] = draw(1000) / 8 - 50
      else t[i] = real[1 + draw(#real)] end
    elseif dtype == "bool" then t[i] = draw(2) == 1
    elseif kind == 3 then t[i] = math.tointeger(WHOLE[dtype][1 + draw(#WHOLE[dtype])])
    elseif kind == 2 then t[i] = i == 1 and math.tointeger(WHOLE[dtype][2]) or draw(7)
    else t[i] = draw(100) end
  end
  return t
end

--- NumPy's order: NaN is larger than everything
local function below(a, b)
  if type(a) == "boolean" then return not a and b end
  if a ~= a then return false end
  return b ~= b or a < b
end

--- Positions (from 0) in stable order.
local function order(t, descending)
  local at = {}
  for i = 1, #t do at[i] = i end
  table.sort(at, function(i, j)
    local a, b = t[i], t[j]
    if descending then a, b = b, a end
    if below(a, b) then return true end
    return not below(b, a) and i < j
  end)
  for i = 1, #t do at[i] = at[i] - 1 end
  return at
end

local function same(a, b) return a == b or (a ~= a and b ~= b) end

local function check(dtype, n, kind)
  local t = values(dtype, n, kind)
  local a, up, what = nd.array(t, { dtype = dtype }), order(t), dtype .. " " .. n .. " kind " .. kind
  assert.same(up, nd.argsort(a):tolist(), what)
  local sorted = nd.sort(a):tolist()
  for i = 1, n do assert.is_true(same(sorted[i], t[up[i] + 1]), what) end
  if n == 0 then return end
  local k = 1 + draw(n)
  local v, p = nd.topk_and_argtopk(a, k)
  v, p = v:tolist(), p:tolist()
  local down = order(t, true)
  for i = 1, k do
    assert.equal(down[i], p[i], what .. " topk " .. k)
    assert.is_true(same(v[i], t[down[i] + 1]), what)
  end
  assert.same({ table.unpack(up, 1, k) }, nd.argtopk(a, -k):tolist(), what)
  local u, first, inverse, counts =
    nd.unique(a, { return_index = true, return_inverse = true, return_counts = true })
  local m, total = 0, 0
  u, first, inverse, counts = u:tolist(), first:tolist(), inverse:tolist(), counts:tolist()
  for i = 1, n do
    if i == 1 or not same(t[up[i] + 1], t[up[i - 1] + 1]) then
      m = m + 1
      assert.equal(up[i], first[m], what)
      assert.is_true(same(u[m], t[up[i] + 1]), what)
    end
    assert.equal(m - 1, inverse[up[i] + 1], what)
  end
  for i = 1, #counts do total = total + counts[i] end
  assert.same({ m, n }, { #u, total }, what)
  assert.equal(m, #nd.unique(a):tolist(), what)
  local sorter = nd.argsort(a)
  local left, right = nd.searchsorted(a, a, "left", sorter):tolist(), nd.searchsorted(a, a, "right", sorter):tolist()
  for i = 1, n do
    assert.is_true(left[i] < right[i], what)
    assert.is_true(same(sorted[left[i] + 1], t[i]) and same(sorted[right[i]], t[i]), what)
  end
end

describe("sorting #asan", function()
  for _, dtype in ipairs(DTYPES) do
    it("agrees with a stable sort in Lua: " .. dtype, function()
      for n = 0, 40, dtype:find("float") and 1 or 2 do check(dtype, n, 1 + n // 2 % 3) end
      for _, n in ipairs { 64, 127, 200, 517, 1300 } do check(dtype, n, 2) end
      check(dtype, 1600, 3)
    end)
  end

  it("orders positions along each axis of strided arrays", function()
    local t = values("float64", 60, 2)
    local a = nd.array(t):reshape { 6, 10 }
    for axis = 0, 1 do
      local at = nd.argsort(a.T, 1 - axis)
      assert.same(nd.argsort(a, axis):tolist(), at.T:tolist())
      assert.same(nd.sort(a, axis):tolist(), nd.sort(a.T, 1 - axis).T:tolist())
    end
    local even = {}
    for i = 1, 60, 2 do even[#even + 1] = t[i] end
    assert.same(order(even), nd.argsort(nd.array(t)["::2"]):tolist())
  end)

  it("sorts lanes beside each other as each is alone, along every axis", function()
    for _, dtype in ipairs(DTYPES) do
      for _, shape in ipairs { { 3, 31, 5 }, { 2, 9, 300 }, { 1, 41, 7 }, { 65, 1, 3 }, { 40, 60 } } do
        local size = 1
        for _, n in ipairs(shape) do size = size * n end
        local a = nd.array(values(dtype, size, 3)):astype(dtype):reshape(shape)
        for axis = 0, #shape - 1 do
          local lanes = nd.moveaxis(nd.sort(a, axis), axis, -1):reshape { -1, shape[axis + 1] }
          local given = nd.moveaxis(a, axis, -1):reshape { -1, shape[axis + 1] }
          for i = 0, lanes.shape[1] - 1 do
            local line = nd.sort(given[i]:copy())
            assert.is_true(line:tostring() == lanes[i]:copy():tostring(), dtype .. " " .. axis)
          end
        end
      end
    end
    assert.same({ 0, 4 }, nd.sort(nd.zeros { 0, 4 }, 0).shape)
    assert.same({ 0, 4 }, nd.sort(nd.zeros { 0, 4 }, 1).shape)
    local long = nd.array(values("float64", 4 * 40000, 1)):reshape { 40000, 4 } -- lanes too long to lie side by side
    for j = 0, 3 do
      assert.is_true(nd.array_equal(nd.sort(long, 0)[{ ":", j }], nd.sort(long[{ ":", j }]:copy())))
    end
  end)

  it("sorts nearly equal keys in compiled functions", function()
    local x = T.dvector("x")
    local f = theano.compile { inputs = { x }, outputs = { T.argsort(x), T.argtopk(x, 3) } }
    for n = 18, 400, 31 do
      local t = values("float64", n, 2)
      local at, top = f(t)
      assert.same(order(t), at:tolist())
      assert.same({ table.unpack(order(t, true), 1, 3) }, top:tolist())
    end
  end)
end)
