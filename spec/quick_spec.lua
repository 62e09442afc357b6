--- The short ways of arrays give what the long ones give: subscripts without a list of arguments, elementwise calls
-- without a call's frame.
local theano = require("theano")
local core = require("theano.core")
local nd, T = theano.ndarray, theano.tensor
local raises = require("spec.support.raises")

local rng = nd.random.RandomState(7)
local function same(a, b)
  if core.kind(a) ~= "ndarray" then return a == b or a ~= a and b ~= b end
  return a.dtype == b.dtype and nd.array_equal(a, b, true)
end

describe("a subscript", function()
  local arrays = {
    nd.arange(7), rng:rand(7), rng:rand(7):astype("float32"), nd.gt(rng:rand(7), 0.5), rng:rand(7) + nd.complex(0, 1),
    rng:rand(14)["::2"], rng:rand(7, 3), rng:rand(3, 7).T, rng:rand(7, 2, 3), rng:randint(0, 9, { 7 }):astype("uint8"),
    rng:randint(0, 9, { 7, 3 }):astype("int16"),
  }
  local keys = {
    0, 6, -1, -7, "1:-1", "::-1", ":", " 1 : 5 : 2 ", "-3:", ":0", "5:2", "::3", "2", "-2", "9:", "-20:20", "6::-2",
    nd.array { 0, 6, -7, -1, 3 }, nd.array { { 1, 2 }, { -1, 0 } }, nd.zeros(0, "int64"), nd.arange(14)["::2"] // 2,
    nd.array { 1, 0, 2 }:astype("int32"), nd.array { true, false, true, true, false, false, true },
    nd.array { false, false, false, false, false, false, false },
  }
  it("is what the list of arguments gives", function()
    for _, a in ipairs(arrays) do
      for _, key in ipairs(keys) do
        assert.is_true(same(a[key], core.index(a, key)), tostring(key))
      end
    end
    local m, cube = arrays[7], arrays[9]
    for _, key in ipairs { "1:,::-1", "1, :2", "-1,-1", "2:3,0", ":,1", "1,", { 1, 2 }, { -1, -3 } } do
      assert.is_true(same(m[key], core.index(m, key)), tostring(key))
    end
    for _, key in ipairs { "1,1", "::2,1,::-1", { 6, 1, 2 }, "1:3" } do
      assert.is_true(same(cube[key], core.index(cube, key)), tostring(key))
    end
    local mask = nd.gt(m, 0.5)
    assert.is_true(same(m[mask], core.index(m, mask)))
  end)
  it("writes what the long way writes", function()
    local values = { 3, 2.5, -1, 0 / 0 }
    local some = { nd.arange(7), rng:rand(7), rng:rand(7):astype("float32"), rng:rand(14)["::2"], rng:rand(7, 3) }
    for _, a in ipairs(some) do
      for _, key in ipairs(keys) do
        for _, v in ipairs(values) do
          local x, y = a:copy(), a:copy()
          local fine = pcall(core.setindex, y, key, v)
          assert.equal(fine, (pcall(function() x[key] = v end)))
          assert.is_true(same(x, y), tostring(key) .. " " .. v)
        end
      end
      local at = nd.array { 5, -6, 5, 0 }
      local x, y, v = a:copy(), a:copy(), a["1:5"]
      x[at] = v
      core.setindex(y, at, v)
      assert.is_true(same(x, y))
      y = x:copy()
      x[at] = x["1:5"] -- what is written is read first
      core.setindex(y, at, y["1:5"]:copy())
      assert.is_true(same(x, y))
    end
  end)
  it("says what is wrong in the same words, and writes nothing then", function()
    local x = nd.arange(4)
    raises("IndexError", "out of bounds", function() return x[4] end)
    raises("IndexError", "out of bounds", function() return x[nd.array { 0, 4 }] end)
    raises("IndexError", "", function() x[nd.array { 0, -5 }] = 7 end)
    assert.same({ 0, 1, 2, 3 }, x:tolist())
    raises("IndexError", "did not match", function() return x[nd.array { true, false }] end)
    raises("IndexError", "too many", function() return x["1,2"] end)
    raises("ValueError", "zero", function() return x["::0"] end)
    raises("ValueError", "read-only", function()
      local y = nd.arange(3)
      y:protect()
      y[0] = 1
    end)
    raises("ValueError", "freed", function()
      local y = nd.arange(3)
      y:free()
      return y[0]
    end)
    raises("AttributeError", "no attribute", function() return x.no_such end)
  end)
end)

describe("an elementwise call on arrays of one shape", function()
  -- What the frame computes: a strided operand is none of the short way's.
  local function strided(a)
    local shape = a.shape
    table.insert(shape, 2)
    local wide = nd.zeros(shape, a.dtype)
    wide["...,0"] = a
    return wide["...,0"]
  end
  it("has the bits of the call through a frame, in every length", function()
    for _, n in ipairs { 0, 1, 2, 15, 16, 17, 511, 512, 513, 1300 } do
      local x, y = rng:randn(n), rng:randn(n)
      local k = rng:randint(-9, 9, { n })
      local s = x:astype("float32")
      for _, name in ipairs { "exp", "sin", "gammaln", "neg", "sqr", "signbit", "isnan", "logaddexp_none" } do
        local f = rawget(nd, name)
        if f then assert.is_true(same(f(x), f(strided(x))), name .. n) end
      end
      local pairs_of = { { x, y }, { k, x }, { s, x }, { s, s }, { k, k }, { x, 2 }, { 2, x }, { s, 0.7 }, { k, 3 } }
      for _, pair in ipairs(pairs_of) do
        for _, f in ipairs { nd.add, nd.mul, nd.maximum, nd.arctan2, nd.lt, nd.power } do
          local a, b = pair[1], pair[2]
          local ok, r = pcall(f, a, b)
          if ok then
            local sa = type(a) == "userdata" and strided(a) or a
            local sb = type(b) == "userdata" and strided(b) or b
            assert.is_true(same(r, f(sa, sb)))
          end
        end
      end
    end
  end)
  it("gives every result of several, and new memory each time", function()
    local x = rng:randn(700)
    local m, e = nd.frexp(x)
    assert.is_true(same(nd.ldexp(m, e), x))
    local a, b = x + 1, x + 1
    assert.is_false(nd.shares_memory(a, b))
  end)
  it("keeps shapes, numbers and lengths of one apart", function()
    assert.equal(4.0, nd.array(3.0) + 1)
    assert.same({ 2, 3 }, (nd.ones { 2, 3 } + nd.ones(3)).shape)
    assert.same({ 0, 3 }, (nd.ones { 0, 3 } + 1).shape)
    assert.same({ 1, 1 }, (nd.ones { 1, 1 } + nd.ones { 1, 1 }).shape)
    assert.same({ 3, 3 }, (nd.ones { 3, 1 } + nd.ones { 1, 3 }).shape)
    raises("ValueError", "", function() return nd.ones(3) + nd.ones(4) end)
  end)
  it("takes squares and roots as NumPy does", function()
    local x = nd.array { -2.0, 3, -0.0, 1e200 }
    assert.is_true(same(x ^ 2, x * x))
    assert.is_true(same(x ^ 0.5, nd.sqrt(x)))
    assert.equal("float32", (x:astype("float32") ^ 2).dtype)
    assert.equal("float64", (nd.arange(3) ^ 2.0).dtype)
    assert.same({ 0, 1, 4 }, (nd.arange(3) ^ 2):tolist())
    local v = T.dvector("v")
    assert.is_true(same(x ^ 2, theano.compile { inputs = { v }, outputs = v ^ 2 }(x)))
  end)
end)
