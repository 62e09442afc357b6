--- The methods of NumPy's elementwise functions (nd.ufunc): what NumPy 2.4 gives, and what the definition says, element
-- by element in Lua.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local runner = require("spec.support.runner")

local function text(a) return (tostring(a):gsub("%s+", " ")) end
local a23 = nd.array({ { 3, 1, 2 }, { 0, 5, 4 } })

describe("nd.ufunc", function()
  it("reduces along the first axis, one that is said, several or all", function()
    local add, max = nd.ufunc(nd.add), nd.ufunc("maximum")
    assert.equal("[3 6 6]", text(add.reduce(a23)))
    assert.equal("[6 9]", text(add.reduce(a23, 1)))
    assert.equal(15, add.reduce(a23, { axis = nd.none }))
    assert.equal("[[3] [5]]", text(max.reduce(a23, { axis = 1, keepdims = true })))
    assert.equal(15, add.reduce(a23, { axis = { 0, 1 } }))
    assert.equal("[ 3. -4. -2.]", text(nd.ufunc(nd.subtract).reduce(a23, 0, "float64")))
    assert.equal("[0.05 0.3 ]", text(nd.round(nd.ufunc(nd.divide).reduce({ { 1, 3 }, { 4, 2 }, { 5, 5 } }), 3)))
    assert.equal("[ 6 11]", text(nd.ufunc("bitwise_or").reduce({ { 2, 4 }, { 8, 3 } }, 1)))
    assert.equal(true, nd.ufunc(nd.logical_xor).reduce({ 1, 2, 0, 3 }))
    assert.equal(6, nd.ufunc(nd.gcd).reduce({ 12, 18, 30 }))
  end)

  it("reduces with a beginning, where a mask holds, and nothing at all", function()
    local add, max = nd.ufunc(nd.add), nd.ufunc(nd.maximum)
    assert.equal(16, add.reduce({ 1, 2, 3 }, { initial = 10 }))
    assert.equal("[3 7 4]", text(max.reduce(a23, { initial = 0, where = nd.array({ { true, false, true },
      { true, true, true } }) }):astype("int64") + nd.array({ 0, 2, 0 })))
    assert.equal(0.0, add.reduce(nd.zeros(0)))
    assert.equal("[1. 1.]", text(nd.ufunc(nd.multiply).reduce(nd.zeros({ 0, 2 }))))
    assert.equal(false, nd.ufunc("logical_xor").reduce({ }))
    assert.equal(7, max.reduce(nd.zeros(0), { initial = 7 }))
    raises("ValueError", "no identity", function() nd.ufunc(nd.fmax).reduce(nd.zeros(0)) end)
    raises("ValueError", "maximum", function() max.reduce(nd.zeros({ 0, 3 })) end)
  end)

  it("accumulates as its definition says, of every function and axis", function()
    local rng = nd.random.RandomState(3)
    local m = rng:randint(1, 60, { 17, 3 })
    for _, name in ipairs({ "add", "multiply", "maximum", "minimum", "subtract", "bitwise_xor", "gcd", "fmax" }) do
      local u = nd.ufunc(name)
      local got, across = u.accumulate(m), u.accumulate(m.T, 1)
      for j = 0, 2 do
        local so_far
        for i = 0, 16 do
          so_far = i == 0 and m[{ 0, j }] or u(so_far, m[{ i, j }])
          assert.equal(so_far, got[{ i, j }], name)
          assert.equal(so_far, across[{ j, i }], name)
        end
      end
    end
    assert.equal("[2. 2. 4. 4.]", text(nd.ufunc(nd.fmax).accumulate({ 2, 0 / 0, 4, 1 })))
    assert.equal("[ 2. nan nan nan]", text(nd.ufunc(nd.maximum).accumulate({ 2, 0 / 0, 4, 1 })))
    assert.equal("[ True True False]", text(nd.ufunc(nd.logical_and).accumulate({ 3, 1, 0 })))
    assert.equal("[]", text(nd.ufunc(nd.subtract).accumulate(nd.zeros(0))))
  end)

  it("reduces the parts between positions", function()
    local x = nd.arange(8)
    assert.equal("[ 6 10 14 18]", text(nd.ufunc(nd.add).reduceat(x, { 0, 4, 1, 5, 2, 6, 3, 7 })["::2"]))
    assert.equal("[4 0 6]", text(nd.ufunc(nd.maximum).reduceat(nd.array({ 4, 1, 0, 6 }), { 0, 2, 3 })))
    assert.equal("[[3 2] [5 4]]", text(nd.ufunc(nd.maximum).reduceat(a23, { 0, 2 }, 1)))
    raises("IndexError", "out of bounds", function() nd.ufunc(nd.add).reduceat(x, { 0, 8 }) end)
    raises("IndexError", "out of bounds", function() nd.ufunc(nd.add).reduceat(x, { 0, 1, 2, 3, 4, 5, 6, 8 }) end)
    raises("IndexError", "out of bounds", function() nd.ufunc(nd.add).reduceat(x, { 0, 1, 2, 3, 4, 5, 6, -1 }) end)
  end)

  it("reduces many parts at once to what each is alone, bit by bit", function()
    local rng = nd.random.RandomState(8)
    local function bytes(a, dtype)
      a = nd.asarray(a):reshape({ 1 })
      return nd.where(nd.isnan(a), nd.array(0 / 0):astype(a.dtype), a):astype(dtype):tostring()
    end
    for _, dtype in ipairs({ "float64", "float32", "int64", "int16", "uint8" }) do
      for _, name in ipairs({ "add", "multiply", "maximum", "minimum", "subtract", "fmax", "logaddexp" }) do
        local u, x = nd.ufunc(name), rng:normal(0, 3, { 900 }):astype(dtype)
        local odd = dtype:find("float") and 90 or 0
        for i = 1, odd do x[rng:randint(0, 900)] = ({ 0 / 0, -0.0, 0.0, 1 / 0 })[i % 4 + 1] end
        local at = nd.concatenate({ nd.sort(rng:randint(0, 900, { 120 })), rng:randint(0, 900, { 12 }) })
        local got, from = u.reduceat(x, at), at:tolist()
        for i = 1, #from do
          local to = from[i + 1] or 900
          local alone = u.reduce(x[("%d:%d"):format(from[i], to > from[i] and to or from[i] + 1)])
          assert.is_true(bytes(got[i - 1], got.dtype) == bytes(alone, got.dtype), name .. " of " .. dtype)
        end
      end
    end
  end)

  it("reduces parts that lie end to end, few long ones and many short ones, to what each is alone", function()
    local rng = nd.random.RandomState(14)
    local names = { "add", "multiply", "maximum", "fmin", "subtract", "divide", "hypot", "logaddexp", "bitwise_xor",
      "logical_and" }
    for _, dtype in ipairs({ "float64", "float32", "int64", "int16", "uint8", "complex128", "bool" }) do
      local x = rng:uniform(0.5, 9, { 611 }):astype(dtype)
      for _, name in ipairs(names) do
        local u = nd.ufunc(name)
        for _, case in ipairs({ { 0, 611, 611 }, { 5, 611, 100 }, { 1, 611, 2 }, { 11, 611, 200 }, { 600, 611, 4 },
          { 0, 8, 4 }, { 0, 3, 1 } }) do
          local from, to, each = table.unpack(case)
          local part, at = x[(":%d"):format(to)]:copy(), nd.arange(from, to, each)
          local good, got = pcall(u.reduceat, part, at)
          for i = 0, at.size - 1 do
            local last = i + 1 < at.size and at[i + 1] or to
            local fine, alone = pcall(u.reduce, part[("%d:%d"):format(at[i], last)])
            assert.equal(fine, good)
            if good then
              local what = ("%s of %s, %d from %d by %d"):format(name, dtype, i, from, each)
              local one = nd.asarray(got[i]):astype(got.dtype):reshape({ 1 }):tostring()
              assert.is_true(nd.asarray(alone):astype(got.dtype):reshape({ 1 }):tostring() == one, what)
            end
          end
        end
      end
    end
  end)

  it("reduces more parts than caches hold, some after the others", function()
    local x = nd.random.RandomState(15):uniform(0.5, 2, { 100001 })
    for _, name in ipairs({ "hypot", "divide", "fmax", "add" }) do
      local u = nd.ufunc(name)
      local got = u.reduceat(x, nd.arange(2, 100001, 3))
      assert.same({ 33333 }, got.shape)
      for i = 0, 33332, 101 do assert.equal(u.reduce(x[("%d:%d"):format(2 + 3 * i, 5 + 3 * i)]), got[i], name) end
      assert.equal(u.reduce(x["99998:"]), got[-1], name)
    end
    raises("TypeError", "with a dot", function() local u = nd.ufunc("add") u:reduceat(x, nd.arange(3)) end)
    raises("TypeError", "", function() nd.ufunc("add").reduceat(x, nd.arange(3), nil, nil, 1) end)
  end)

  it("goes on what is rounded by pairs, and in order where all on the way are wanted", function()
    local x = nd.random.RandomState(6):normal(0, 3, { 301 })
    for _, name in ipairs({ "logaddexp", "logaddexp2", "hypot" }) do
      local u, level = nd.ufunc(name), x:tolist()
      while #level > 1 do
        local half = {}
        for i = 1, #level - 1, 2 do half[#half + 1] = u(level[i], level[i + 1]) end
        if #level % 2 == 1 then half[#half + 1] = level[#level] end
        level = half
      end
      assert.equal(level[1], u.reduce(x), name)
      assert.equal(level[1], u.reduce(nd.stack({ x, x }, 1))[1], name)
      local all, short = u.accumulate(x), u.accumulate(x["0:100"])
      assert.is_true(nd.allclose(all["0:100"], short, 1e-14, 0), name)
      for i = 1, 99 do assert.equal(u(short[i - 1], x[i]), short[i]) end
    end
  end)

  it("adds logarithms step by step what calls one by one give, of infinities, equal ones and NaN too", function()
    local u, inf = nd.ufunc("logaddexp"), math.huge
    for _, values in ipairs({ { 1, 1, 2, -inf, 3 }, { -inf, -inf, 0, 1e300 }, { 5, inf, inf, -inf }, { 1, 0 / 0, 2, 3 },
      { -1e300, 700, 700, 0, -0.0, 1e-310 }, { 3, -900, -900, 3 } }) do
      local x = nd.array(values)
      local all = u.accumulate(x)
      for i = 1, x.size - 1 do
        local then_ = u(all[i - 1], x[i])
        assert.is_true(then_ == all[i] or then_ ~= then_ and all[i] ~= all[i], i)
      end
      raises("TypeError", "", function() u.accumulate(x, nil, nil, nil) end)
    end
    raises("TypeError", "", function() u.accumulate(nd.array(1)) end)
    assert.same(u.accumulate(nd.arange(4)):tolist(), u.accumulate({ 0, 1, 2, 3 }):tolist())
  end)

  it("has a function of the engine's go through rows by itself, with what calls one by one give", function()
    local rng = nd.random.RandomState(7)
    for _, name in ipairs({ "divide", "power", "arctan2", "fmod", "copysign", "nextafter", "fmax", "maximum" }) do
      for _, shape in ipairs({ { 1 }, { 2 }, { 7 }, { 150 }, { 5, 1 }, { 9, 3 }, { 200, 2 }, { 4, 600 }, { 3, 2, 5 } })
      do
        for _, dtype in ipairs({ "float64", "float32" }) do
          local u, x = nd.ufunc(name), rng:uniform(0.5, 1.5, shape):astype(dtype)
          if name ~= "power" then x = x - 1 end
          local all, so_far = u.accumulate(x), x["0:1"]
          for i = 0, shape[1] - 1 do
            if i > 0 then so_far = u(so_far, x[("%d:%d"):format(i, i + 1)]) end
            assert.is_true(so_far:tostring() == nd.asarray(all[("%d:%d"):format(i, i + 1)]):copy():tostring(), name)
          end
          assert.is_true(nd.asarray(u.reduce(x)):astype(dtype):tostring() == so_far:tostring(), name .. " " .. dtype)
        end
      end
    end
    assert.equal(0.75, nd.ufunc(nd.divide).reduce({ 6, 4, 2 }))
    assert.equal("[6. 1.5 0.75]", (text(nd.ufunc(nd.divide).accumulate({ 6, 4, 2 })):gsub(" +", " ")))
    assert.equal("float64", nd.ufunc(nd.logaddexp).accumulate({ 1, 2 }).dtype)
    raises("ZeroDivisionError", "", function() nd.ufunc(nd.floor_divide).reduce(nd.array({ 6, 0, 2 })) end)
    assert.equal(1, nd.ufunc(nd.floor_divide).reduce({ 7, 3, 2 }))
    assert.equal(0, nd.ufunc(nd.floor_divide).reduce({ 0, 3, 2 }))
    assert.equal("[0 0]", text(nd.ufunc(nd.mod).accumulate({ 0, 3 })))
  end)

  it("keeps a value through elements that do not change it, with the bits of calls one by one", function()
    local rng = nd.random.RandomState(12)
    local function data(kind, dtype, n)
      local x = rng:normal(0, 9, { n })
      if kind == "sorted" then x = nd.sort(x) elseif kind == "falling" then x = nd.flip(nd.sort(x)):copy() end
      if kind == "steps" then -- runs of one value, of all lengths
        x = nd.cumsum(nd.where(nd.lt(rng:rand(n), 0.02), x, 0))
        x[{ "0:300" }] = x[0] -- longer than what is tried at once
      end
      if kind == "odd" then
        local values = nd.array({ 0.0, -0.0, 0 / 0, -(0 / 0), 1 / 0, -1 / 0, 1, 3 })
        x = values[rng:randint(0, dtype:find("float") and 8 or 2, { n })]
      end
      if kind == "zeros" then x = nd.array({ 0.0, -0.0 })[rng:randint(0, 2, { n })] end
      return nd.where(nd.isfinite(x), nd.clip(x, -100, 100), x):astype(dtype)
    end
    local floats = { "maximum", "minimum", "fmax", "fmin", "fmod", "divide", "copysign", "heaviside", "power",
      "arctan2" }
    local whole = { "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm", "left_shift" }
    for _, dtype in ipairs({ "float64", "float32", "int64", "int16", "uint8" }) do
      local names = dtype:find("float") and floats or whole
      for i, kind in ipairs({ "random", "sorted", "falling", "steps", "odd", "zeros" }) do
        local x = data(kind, dtype, ({ 700, 331, 290, 1100, 2500, 17 })[i])
        for _, name in ipairs(names) do
          local u, list = nd.ufunc(name), {}
          list[1] = x["0:1"]
          if u(list[1], list[1]).dtype == dtype then
            for k = 1, x.size - 1 do list[k + 1] = u(list[k], x[("%d:%d"):format(k, k + 1)]) end
            local what = name .. " of " .. kind .. " " .. dtype
            assert.is_true(u.accumulate(x):tostring() == nd.concatenate(list):tostring(), what)
            local all, three = nd.array(u.reduce(x:reshape({ -1, 1 }))), u.reduceat(x, nd.array({ 0, 3, 5 }))["0:1"]
            if name == "maximum" or name == "minimum" then -- a reduction's: any zero, any NaN
              assert.is_true(nd.allclose(all, list[#list], 0, 0, true), what)
              assert.is_true(nd.allclose(three, list[3], 0, 0, true), what)
            else
              assert.is_true(all:tostring() == list[#list]:tostring() and three:tostring() == list[3]:tostring(), what)
            end
          end
        end
      end
    end
  end)

  it("reduces parts of any lengths, of vectors with steps, and refuses bad positions", function()
    local rng = nd.random.RandomState(13)
    local x = rng:normal(0, 3, { 400 })["::2"]
    for _, name in ipairs({ "add", "maximum", "fmax", "hypot", "power", "subtract", "logical_or" }) do
      local u, a = nd.ufunc(name), name == "logical_or" and nd.gt(x, 2) or name == "power" and nd.abs(x) or x
      for _, at in ipairs({ { 0 }, { 199 }, { 5, 5, 4 }, { 0, 1, 2, 3 }, { 0, 100, 130, 7, 150, 199, 0 } }) do
        local got = u.reduceat(a, nd.array(at))
        for i, from in ipairs(at) do
          local to = at[i + 1] or 200
          assert.equal(u.reduce(a[("%d:%d"):format(from, to > from and to or from + 1)]), got[i - 1], name)
        end
      end
      assert.same({ 0 }, u.reduceat(a, nd.zeros({ 0 }, "int64")).shape)
      for _, at in ipairs({ { 200 }, { -1 }, { 0, 200, 3 } }) do
        raises("IndexError", "out of bounds", function() u.reduceat(a, nd.array(at)) end)
      end
    end
  end)

  it("subtracts from the first to the last", function()
    local rng = nd.random.RandomState(9)
    for _, dtype in ipairs({ "float64", "float32", "int64", "int16", "complex128" }) do
      local u, x = nd.ufunc(nd.subtract), rng:normal(0, 90, { 40, 3 }):astype(dtype)
      x[{ 0, 0 }], x[{ 1, 0 }] = -0.0, 0
      local so_far, all = x[0]:copy(), u.accumulate(x)
      for i = 0, 39 do
        so_far = i == 0 and so_far or u(so_far, x[i])
        assert.is_true(so_far:tostring() == all[i]:tostring(), dtype)
      end
      assert.is_true(so_far:tostring() == u.reduce(x):tostring(), dtype)
    end
  end)

  it("meets each element of one array with each of another", function()
    local v = nd.array({ 3, 1, 2 })
    assert.equal("[[ 0 2 1] [-2 0 -1] [-1 1 0]]", text(nd.ufunc(nd.subtract).outer(v, v)))
    assert.same({ 2, 3, 4, 1 }, nd.ufunc(nd.add).outer(a23, nd.zeros({ 4, 1 })).shape)
    assert.equal("[4 5]", text(nd.ufunc(nd.add).outer(3, { 1, 2 })))
    assert.equal("[[1 4] [9 2]]", text(nd.ufunc(function(a, b) return a * b + 1 end).outer({ 1, 8 }, { 0, 3 })
      - nd.array({ { 0, 0 }, { -8, 23 } })))
  end)
end)

local VIEWS = { function(x) return x[1]["::2"] end, function(x) return x.T[{ "::-2", 1 }] end }

describe("nd.ufunc(f).at", function()
  it("adds at every position as often as it comes, one after the other", function()
    local b = nd.array({ 1, 2, 3, 4 })
    nd.ufunc(nd.add).at(b, { 0, 1, 2, 2 }, 1)
    assert.equal("[2 3 5 4]", text(b))
    nd.ufunc(nd.negative).at(b, { 0, 1, 1 })
    assert.equal("[-2 3 5 4]", text(b))
    nd.ufunc(nd.multiply).at(b, nd.array({ 3, 3, -1 }), { 2, 3, 10 })
    assert.equal("[ -2 3 5 240]", text(b))
    local big = nd.array({ 1e16 })
    nd.ufunc(nd.add).at(big, { 0, 0, 0 }, { 1.0, 1.0, -1e16 })
    assert.equal(0.0, big[0])
  end)

  it("is its definition, element by element, for every dtype, view and function", function()
    local rng = nd.random.RandomState(4)
    for _, dtype in ipairs({ "float64", "float32", "int64", "int16", "complex128" }) do
      for _, name in ipairs({ "add", "subtract", "multiply", "maximum" }) do
        local u = nd.ufunc(name)
        if not (dtype == "complex128" and name == "maximum") then
          local base = rng:randint(0, 9, { 3, 22 }):astype(dtype)
          local at, values = rng:randint(-11, 11, { 40 }), rng:randint(0, 5, { 40 }):astype(dtype)
          for _, view in ipairs(VIEWS) do
            local x, want = base:copy(), base:copy()
            u.at(view(x), at, values)
            local w = view(want)
            for i = 0, 39 do w[at[i]] = u(w[at[i]], values[i]) end
            assert.is_true(nd.array_equal(x, want), name .. " of " .. dtype)
          end
        end
      end
    end
  end)

  it("keeps the sign of zero and NaN as its function does", function()
    local strange = nd.array({ 0.0, -0.0, 0 / 0, 1 / 0, -1 / 0, 1, -2 })
    for _, dtype in ipairs({ "float64", "float32" }) do
      for _, name in ipairs({ "maximum", "minimum", "add", "multiply", "subtract" }) do
        local u = nd.ufunc(name)
        for i = 0, 6 do
          local x, v = nd.full({ 7 }, strange[i]):astype(dtype), strange:astype(dtype)
          local want = nd.asarray(u(x, v))
          u.at(x, nd.arange(7) - 7, v)
          for _, sign in ipairs({ "isnan", "signbit", "isinf" }) do
            local got, wanted = nd[sign](x), nd[sign](want)
            if sign == "signbit" then got, wanted = got[nd.eq(x, x)], wanted[nd.eq(want, want)] end
            assert.is_true(nd.array_equal(got, wanted), name .. " of " .. dtype)
          end
          assert.is_true(nd.array_equal(x, want, { equal_nan = true }), name .. " of " .. dtype)
        end
      end
    end
  end)

  it("meets one element many times, whatever the function", function()
    local rng = nd.random.RandomState(6)
    local at, values = rng:randint(-3, 3, { 20000 }), rng:randint(1, 100, { 20000 })
    for _, case in ipairs({ { "maximum", "float64" }, { "multiply", "int64" }, { "add", "int16" },
      { "bitwise_xor", "int64" }, { "fmin", "float32" }, { "multiply", "float64" } }) do
      local name, dtype = case[1], case[2]
      local count = name == "multiply" and dtype == "float64" and 900 or 20000
      local x, v = nd.ones({ 3 }):astype(dtype) * 7, (values[":" .. count]):astype(dtype)
      local want, w = x:tolist(), v:tolist()
      nd.ufunc(name).at(x, at[":" .. count], v)
      local fn = { maximum = math.max, fmin = math.min, multiply = function(a, b) return a * b end,
        add = function(a, b) return a + b end, bitwise_xor = function(a, b) return a ~ b end }
      for i = 1, count do
        local k = at[i - 1] % 3 + 1
        want[k] = fn[name](want[k], w[i])
      end
      local wanted = nd.array(want):astype(dtype)
      assert.is_true(nd.array_equal(x, wanted), name .. " of " .. dtype)
    end
  end)

  it("reads values and positions that lie in the array itself as they were", function()
    local x = nd.array({ 1, 2, 3 })
    nd.ufunc(nd.add).at(x, { 0, 0, 1 }, x)
    assert.equal("[4 5 3]", text(x))
    local y = nd.array({ 2.0, 3.0, 5.0 })
    nd.ufunc(nd.multiply).at(y, { 0, 1, 1 }, y["::-1"])
    assert.equal("[10. 18. 5.]", text(y))
    local i = nd.array({ 1, 1, 0 })
    nd.ufunc(nd.add).at(i, i, 1)
    assert.equal("[2 3 0]", text(i))
  end)

  it("takes every subscript", function()
    local function after(at, values)
      local x = nd.zeros({ 2, 3 })
      nd.ufunc(nd.add).at(x, at, values)
      return text(x)
    end
    assert.equal("[[0. 0. 0.] [2. 2. 2.]]", after({ 1, 1 }, 1))
    assert.equal("[[0. 1. 0.] [0. 0. 5.]]", after({ nd.array({ 0, 1, 1 }), nd.array({ 1, 2, 2 }) }, { 1, 2, 3 }))
    assert.equal("[[0. 7. 0.] [0. 7. 0.]]", after(":, 1", 7))
    assert.equal("[[1. 0. 1.] [0. 1. 0.]]", after(nd.array({ { true, false, true }, { false, true, false } }), 1))
    assert.equal("[[0. 0. 0.] [1. 2. 3.]]", after(1, { 1, 2, 3 }))
    assert.equal("[[0. 0. 0.] [0. 0. 0.]]", after(nd.zeros(0, "int64"), 1))
  end)

  it("refuses what does not go in, and leaves the array as it was", function()
    local x = nd.array({ 1, 2, 3 })
    raises("TypeError", "does not go into", function() nd.ufunc(nd.add).at(x, { 0 }, 0.5) end)
    raises("IndexError", "", function() nd.ufunc(nd.add).at(x, { 0, 3 }, 1) end)
    raises("ValueError", "", function() nd.ufunc(nd.add).at(x, { 0, 1 }, { 1, 2, 3 }) end)
    raises("TypeError", "ndarray", function() nd.ufunc(nd.add).at({ 1 }, { 0 }, 1) end)
    raises("TypeError", "with a dot", function() nd.ufunc(nd.add):at(x, { 0 }, 1) end)
    raises("AttributeError", "known: accumulate", function() return nd.ufunc(nd.add).inner end)
    raises("TypeError", "a function", function() nd.ufunc(3) end)
    raises("TypeError", "without dimensions", function() nd.ufunc(nd.add).reduce(3) end)
    local fixed = nd.zeros(3)
    fixed.flags.writeable = false
    raises("ValueError", "read-only", function() nd.ufunc(nd.add).at(fixed, { 0 }, 1) end)
    assert.equal("[1 2 3]", text(x))
  end)
end)

describe("a method asked of a function", function()
  it("is explained by the runner's message and by help", function()
    local function said(script)
      local path = os.tmpname()
      local file = assert(io.open(path, "w"))
      file:write(script)
      file:close()
      local out, status = runner.run({ path })
      os.remove(path)
      assert.equal(1, status)
      return out
    end
    local first = "local nd = require('theano.ndarray')\nlocal x = nd.zeros(3)\n"
    for _, line in ipairs({ "nd.add.at(x, { 0 }, 1)", "x = nd.zeros(2) + nd.add.reduce(x)" }) do
      local method = line:match("add%.(%l+)")
      assert.matches(("nd.add.%s(..) is nd.ufunc(nd.add).%s(..)"):format(method, method), said(first .. line), 1, true)
    end
    assert.matches("add.at(..) is nd.ufunc(add).at(..)", said("local add = math.abs\nadd.at(1)"), 1, true)
    assert.matches("T.add has no methods: T.sum", said("local T = require('theano.tensor')\nT.add.reduce(1)"), 1, true)
    assert.is_nil(said("local f = math.abs\nf.other(1)"):find("ufunc"))
    assert.matches("nd.ufunc(nd.add).at(a, indices, values)", nd.help("add.at"), 1, true)
    assert.matches("nd.cumprod", nd.help("multiply.accumulate"), 1, true)
    raises("KeyError", "add.inner", function() nd.help("add.inner") end)
  end)
end)

describe("a vector's reduction that stays an array", function()
  it("has the vector's dtype, as a row of a matrix has", function()
    for _, dtype in ipairs({ "uint8", "int16", "uint64", "float32", "int64" }) do
      local x = nd.array({ 7, 2, 9 }, dtype)
      for _, name in ipairs({ "subtract", "maximum", "gcd", "power", "floor_divide" }) do
        local u = nd.ufunc(nd[name])
        if name ~= "gcd" or dtype ~= "float32" then
          local row = u.reduce(x:reshape({ 1, 3 }), { axis = 1, keepdims = true }):reshape({ 1 })
          local whole = u.reduce(x, { keepdims = true })
          assert.equal(row.dtype, whole.dtype, name .. " of " .. dtype)
          assert.is_true(nd.array_equal(row, whole), name .. " of " .. dtype)
          assert.equal(row.dtype, u.reduceat(x, { 2, 0, 2 }).dtype)
        end
      end
    end
  end)
end)
