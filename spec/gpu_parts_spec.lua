--- What lies apart and is copied into its place, on a GPU: copies are made where their reader stores, parts of an array
-- that products read are rounded and stored as halves at once. The CPU's bits.
local emulated = require("spec.support.emulated")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function numbers(...)
  local n, shape = 1, { ... }
  for _, d in ipairs(shape) do n = n * d end
  return (((nd.arange(n, nil, nil, "int64") * 7919) % 1009):astype("float64") / 1009 - 0.4):astype("float32")
    :reshape(shape)
end

local function made(flags, spec)
  local _ <close> = theano.config.change_flags(flags)
  return theano.compile(spec)
end

-- The same numbers of the emulated GPU and of the CPU's interpreter; the function of the first.
local function alike(inputs, outputs, values, amp, near)
  local spec = { inputs = inputs, outputs = outputs, amp = amp, on_unused_input = "ignore" }
  local f = made(emulated.flags, spec)
  local g = made({ device = "cpu", linker = "interpreter" }, spec)
  local got, want = { f(table.unpack(values)) }, { g(table.unpack(values)) }
  for i = 1, #want do
    local a, b = nd.array(got[i]), nd.array(want[i])
    assert.same(b.shape, a.shape)
    if near then assert.is_true(nd.allclose(a, b, { rtol = 1e-4, atol = 1e-6 }), i)
    else assert.is_true(nd.array_equal(a, b, { equal_nan = true }), i) end
  end
  return f
end

local function launches(f) return theano.printing.roofline(f, "h100").launches end

describe("a copy of what lies apart", function()
  it("is made where its reader stores, whatever the lengths", function()
    for _, case in ipairs({ { 2, 3, 4, 5 }, { 1, 7, 1, 3 }, { 3, 1, 2, 1 }, { 0, 2, 3, 4 }, { 2, 2, 0, 3 },
      { 5, 4, 3, 9 } }) do
      local b, n, h, e = table.unpack(case)
      local x, y = T.ftensor4("x"), T.ftensor3("y")
      local turned = T.specify_shape(x, { b, h, n, e }):dimshuffle(0, 2, 1, 3):reshape({ b, n, h * e })
      local f = alike({ x, y }, T.sqr(turned) - y, { numbers(b, h, n, e), numbers(b, n, h * e) })
      if b > 1 and n > 1 and h > 1 then assert.equal(1, launches(f)) end
      local row = alike({ x, y }, turned - y[{ 0, 0 }], { numbers(b, h, n, e), numbers(1, 1, h * e) })
      if b > 1 and n > 1 and h > 1 then assert.equal(1, launches(row)) end
    end
  end)

  it("stays a copy where places are asked for, it is read twice, or is a result", function()
    local x = T.ftensor3("x")
    local turned = T.specify_shape(x, { 4, 6, 5 }):dimshuffle(1, 0, 2):reshape({ 6, 20 })
    local v = numbers(4, 6, 5)
    alike({ x }, { turned, turned * 2 }, { v })
    alike({ x }, { turned * T.arange(20):astype("float32"), turned[{ 2, 3 }] }, { v })
    alike({ x }, { (turned * 3):sum({ axis = 1 }), T.exp(turned):max() }, { v }, nil, true)
    alike({ x }, { T.sqr(turned):reshape({ 3, 40 }), (turned + 1):reshape({ 2, 3, 4, 5 }) * 2 }, { v })
    alike({ x }, { T.set_subtensor(T.zeros({ 6, 50 }, "float32")[":, 7:27"], turned) }, { v })
    alike({ x }, { T.inc_subtensor(T.ones({ 6, 50 }, "float32")[":, 40:20:-1"], turned) }, { v })
    alike({ x }, { T.concatenate({ turned, turned * 2, T.ones({ 6, 1 }, "float32") }, { axis = 1 }) }, { v })
  end)
end)

describe("parts of an array that products read", function()
  -- x . w in parts of heads, each turned as attention has it, and the gradient for w, of lengths that nobody tells.
  local function step(b, n, h, e, amp)
    local x, w = T.ftensor3("x"), T.fmatrix("w")
    local qkv = T.dot(T.specify_shape(x, { b, n, 8 }), w)
    local function split(i)
      return qkv[(":, :, %d:%d"):format(i * h * e, (i + 1) * h * e)]:reshape({ b, n, h, e }):dimshuffle(0, 2, 1, 3)
        :reshape({ b * h, n, e })
    end
    local cost = (T.sqr(split(0)) * T.tanh(split(1)) + T.exp(split(2):dimshuffle(0, 2, 1)):dimshuffle(0, 2, 1)):sum()
    return alike({ x, w }, { T.grad(cost, w) }, { numbers(b, n, 8), numbers(8, 3 * h * e) }, amp, true)
  end

  it("are rounded and stored as halves at once, in one kernel", function()
    for _, amp in ipairs({ "bfloat16", "float16" }) do
      for _, case in ipairs({ { 2, 3, 4, 5 }, { 3, 5, 2, 8 }, { 2, 7, 3, 1 } }) do
        local b, n, h, e = table.unpack(case)
        local plan = theano.printing.plan(step(b, n, h, e, amp))
        local parts = select(2, plan:gsub(amp .. " write part", ""))
        assert.equal(3, parts, plan)
      end
    end
  end)

  it("stay float32 where anything else reads them", function()
    local x, w = T.fmatrix("x"), T.fmatrix("w")
    local z = T.zeros({ 6, 10 }, "float32")
    z = T.set_subtensor(z[":, :4"], T.tanh(x))
    z = T.set_subtensor(z[":, 4:8"], T.exp(x))
    for _, out in ipairs({ { T.dot(z, w) }, { T.dot(z, w), z:sum() }, { T.dot(z, w), z },
      { T.dot(z.T, T.dot(z, w)) } }) do
      alike({ x, w }, out, { numbers(6, 4), numbers(10, 3) }, "bfloat16", true)
    end
  end)
end)

describe("parts of what a product of halves gives", function()
  -- How many products store what they round.
  local function stored(f, amp)
    local store = "= product : float32\n +%%%d+ = cast %%%d+ : " .. amp .. "\n +%%%d+ = a%d+ := %%%d+ : " .. amp .. "\n"
    return select(2, theano.printing.plan(f):gsub(store .. "  nest", ""))
  end
  local function parts(y, h, e)
    local p = {}
    for i = 1, 3 do
      p[i] = y[(":, %d:%d"):format((i - 1) * h * e, i * h * e)]:reshape({ -1, h, e }):dimshuffle(1, 0, 2)
    end
    return table.unpack(p)
  end

  it("are cut from that half where they are rounded to it, whatever the lengths", function()
    local x, w = T.fmatrix("x"), T.fmatrix("w")
    for _, case in ipairs({ { 5, 2, 4, "bfloat16" }, { 0, 3, 1, "bfloat16" }, { 33, 1, 7, "float16" } }) do
      local n, h, e, amp = table.unpack(case)
      local q, k, v = parts(T.dot(x, w), h, e)
      local values = { numbers(n, 8), numbers(8, 3 * h * e) }
      local z = T.batched_dot(T.batched_dot(q, k:dimshuffle(0, 2, 1)), v)
      assert.equal(1, stored(alike({ x, w }, z, values, amp, true), amp))
      local f = alike({ x, w }, { T.cast(q, amp), T.cast(k, amp)[0], T.cast(v:reshape({ -1 }), amp) }, values, amp)
      assert.equal(1, stored(f, amp))
    end
    local y = T.dot(x, w)
    local f = alike({ x, w }, { T.cast(y["::-2, 3"], "bfloat16"), T.cast(y["1:, ::3"].T, "bfloat16") },
      { numbers(7, 8), numbers(8, 9) }, "bfloat16")
    assert.equal(1, stored(f, "bfloat16"))
  end)

  it("are cut from float32 where anything else is seen of it, or the factors are none of that half", function()
    local x, w = T.fmatrix("x"), T.fmatrix("w")
    local values, y = { numbers(6, 8), numbers(8, 12) }, T.dot(x, w)
    local one, two = T.cast(y[":, :5"], "bfloat16"), T.cast(y[":, 5:"], "bfloat16")
    for _, out in ipairs({ { one, two, y }, { one, two, y:sum() }, { one, T.cast(y[":, 5:"], "float16") },
      { one, two, y[{ 1, 2 }] }, { one, T.sqr(y[":, 5:"]) } }) do
      assert.equal(0, stored(alike({ x, w }, out, values, "bfloat16", true), "bfloat16"))
    end
    for _, amp in ipairs({ false, "float16" }) do
      assert.equal(0, stored(alike({ x, w }, { one, two }, values, amp or nil), "bfloat16"))
    end
    values[1][{ 2, 3 }], values[1][{ 4, 0 }], values[2][{ 1, 7 }] = 0 / 0, math.huge, 1e38
    alike({ x, w }, { one, two }, values, "bfloat16")
  end)
end)

describe("a sum of everything", function()
  it("is made by the kernel that goes through the same array", function()
    for _, case in ipairs({ { 1, 1 }, { 7, 5 }, { 33, 64 }, { 300, 257 }, { 0, 4 }, { 4, 0 } }) do
      local x, y, n = T.fmatrix("x"), T.fmatrix("y"), T.fscalar("n")
      local d = T.tanh(x) - y
      local f = alike({ x, y, n }, { T.sqr(d):sum(), (T.sqr(x) + y) * n, T.cast(x, "int8") },
        { numbers(table.unpack(case)) * 3, numbers(table.unpack(case)), nd.asarray(2, "float32") }, nil, true)
      if case[1] > 1 then assert.equal(1, launches(f)) end
    end
  end)

  it("stays alone beside rows, what is turned, and what reads it", function()
    local x, row = T.fmatrix("x"), T.fvector("row")
    local a, b = numbers(30, 50), numbers(50)
    local f = alike({ x, row }, { T.exp(x):sum(), x * row }, { a, b }, nil, true)
    assert.equal(2, launches(f))
    alike({ x, row }, { T.exp(x):sum(), T.exp(x) * row[3] }, { a, b }, nil, true)
    alike({ x, row }, { x:sum(), x.T * 2 + 1 }, { a, b }, nil, true)
    alike({ x, row }, { x:sum(), x / x:sum(), x:max(), x - x:max() }, { a, b }, nil, true)
    a[{ 3, 4 }], a[{ 5, 6 }] = 0 / 0, math.huge
    alike({ x, row }, { x:max(), x * 2, x:argmax() }, { a, b })
  end)
end)
