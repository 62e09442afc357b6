--- What is rounded to a half and read by loops and products alone is kept as that half on a device (the emulated
-- driver), and widened where it is read: nobody's bits change.
local emulated = require("spec.support.emulated")
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local N = 20
local HALVES = { "bfloat16", "float16" }
local function low(v, half) return T.cast(T.cast(v, half), "float32") end

local function bytes(a) return type(a) == "number" and ("%a"):format(a) or nd.asarray(a):tobytes() end

-- The CPU's bits; the plan of the device.
local function same(inputs, outputs, args, amp)
  local got, f = {}, nil
  for i, flags in ipairs({ {}, emulated.flags }) do
    local _ <close> = theano.config.change_flags(flags)
    f = theano.compile({ inputs = inputs, outputs = outputs, amp = amp, on_unused_input = "ignore" })
    got[i] = { f(table.unpack(args)) }
  end
  for i, a in ipairs(got[1]) do
    assert(bytes(a) == bytes(got[2][i]), "output " .. i)
  end
  return theano.printing.plan(f)
end

local function kept(plan, half) return select(2, plan:gsub("\n  b%d+ " .. half .. " ", "")) end
local function loaded(plan, half) return select(2, plan:gsub("= a%d+ : " .. half, "")) end

-- Whole numbers of which no sum is inexact, whatever its order.
local function whole(rng, ...) return nd.round(rng:normal(0, 200, { ... })):clip(-700, 700):astype("float32") end
local function tame(v) return T.clip(T.round(v), -700, 700) end

-- A graph of such numbers, with roundings in it.
local function graph(seed)
  local rng = nd.random.RandomState(seed)
  local function draw(n) return rng:randint(1, n + 1) end
  local half = HALVES[draw(2)]
  local x, y, w = T.fmatrix("x"), T.fmatrix("y"), T.fvector("w")
  local pool = { x, y }
  local function pick() return pool[math.max(1, #pool - draw(5) + 1)] end
  local steps = {
    function() return pick() + pick() end,
    function() return pick() * 0.125 * pick() end,
    function() return T.switch(T.gt(pick(), pick()), pick(), pick() + w) end,
    function() return pick().T end,
    function() return pick() - tame(pick():sum({ axis = draw(2) - 1, keepdims = true }) * 0.0625) end,
    function() return T.cast(T.argmax(pick(), { axis = 1, keepdims = true }), "float32") + pick() end,
    function() return T.dot(low(pick(), half), low(pick(), half)) * 0.0078125 end,
    function() local v = low(pick(), half) return T.dot(v, v.T) * 0.0078125 + v end,
    function() local v = pick() return v:reshape({ v.shape[1] * 2, -1 }):reshape({ v.shape[1], v.shape[0] }) end,
    function() return T.concatenate({ pick()[":10"], pick()["10:"] }, 0) end,
    function() return T.set_subtensor(pick()["3:7"], pick()["10:14"]) end,
    function() return pick()[T.constant(nd.arange(N) * 7 % N)] end,
  }
  for _ = 1, 3 + draw(12) do
    local v = tame(steps[draw(#steps)]())
    pool[#pool + 1] = draw(3) > 1 and low(v, half) or v
  end
  local outputs = { pool[#pool]:sum() }
  for i = 1, draw(3) do outputs[#outputs + 1] = pool[#pool - i + 1] end
  return { x, y, w }, outputs, { whole(rng, N, N), whole(rng, N, N), whole(rng, N) }, half
end

describe("what is rounded to a half on a device", function()
  if theano.config.cxx == "" then
    it("needs a compiler", function() skip.now("there is no C compiler") end)
    return
  end
  local rng = nd.random.RandomState(5)
  local x, w = T.fmatrix("x"), T.fmatrix("w")

  it("is kept as that half, and cast where loops load it", function()
    for _, half in ipairs(HALVES) do
      for _, s in ipairs({ { 7, 9 }, { 33, 64 }, { 1, 1 }, { 0, 3 }, { 3, 0 } }) do
        local r = low(T.tanh(x * 0.01) * 300, half)
        local some = s[1] * s[2] > 0
        local how = some and "max" or "sum"
        local plan = same({ x }, { r - T[how](r, { axis = 0 }), T.sqr(r) * T[how](r, { axis = 1, keepdims = true }) },
          { some and whole(rng, s[1], s[2]) or nd.zeros(s, "float32") })
        assert(kept(plan, half) == 1 and loaded(plan, half) >= 2, plan)
      end
    end
  end)

  it("by products and loops at once, of what a product gives too", function()
    local a, b = whole(rng, N, N), whole(rng, N, N)
    for _, half in ipairs(HALVES) do
      local y = low(T.dot(low(x, half), low(w, half)) * 0.0078125, half)
      local plan = same({ x, w }, { T.dot(y, low(w, half)) * 0.5, y - y:sum({ axis = 1, keepdims = true }) }, { a, b })
      assert(kept(plan, half) == 4 and loaded(plan, half) >= 1, plan) -- the fourth is a row of y for its sum
    end
  end)

  it("has its NaN and infinities", function()
    local a = whole(rng, 40, 30)
    a[{ 1, 2 }], a[{ 2, 3 }], a[{ 4, 5 }], a[{ 7, 0 }], a[{ 8, 1 }] = 0 / 0, math.huge, -math.huge, 1e30, -0.0
    for _, half in ipairs(HALVES) do
      local r = low(T.exp(x * 0.02), half)
      local plan = same({ x }, { r:max({ axis = 0 }), r - r:max({ axis = 1, keepdims = true }), T.abs(r) }, { a })
      assert(loaded(plan, half) >= 1, plan)
    end
  end)

  it("stays float32 where the host, a convolution or a loop's turns read it, and as a result", function()
    local i, k = T.ftensor4("i"), T.ftensor4("k")
    local function small(...) return nd.round(rng:normal(0, 9, { ... })):astype("float32") end
    local images = { small(2, 3, 9, 9), small(4, 3, 3, 3) }
    local r = low(T.tanh(x), "bfloat16")
    local turns = theano.scan(function(row, s) return row - s end,
      { sequences = r, outputs_info = T.zeros({ N }, { dtype = "float32" }) })
    for _, case in ipairs({ { { i, k }, { T.nnet.conv2d(low(i * i, "bfloat16"), low(k * k, "bfloat16")) }, images },
      { { x }, { turns }, { whole(rng, N, N) } },
      { { x }, { r, r - r:max({ axis = 0 }) }, { whole(rng, N, N) } } }) do
      local plan = same(table.unpack(case))
      assert(kept(plan, "bfloat16") == 0, plan)
    end
  end)

  it("between two products under mixed precision is a half, reshaped or not, and its gradients", function()
    local u, v, b, c = T.fmatrix("u"), T.fmatrix("v"), T.fvector("b"), T.fvector("c")
    local function small(...) return nd.round(rng:normal(0, 2, { ... })):clip(-4, 4):astype("float32") end
    for _, s in ipairs({ { 20, 30, 8, 3 }, { 70, 200, 310, 70 }, { 1, 1, 1, 1 }, { 3, 5, 0, 2 }, { 0, 4, 5, 6 } }) do
      local batch, k, m, n = table.unpack(s)
      for _, z in ipairs({ x, T.ftensor3("z") }) do
        local h = T.maximum(T.dot(z, u) * 0.25 + b, 0)
        local y = T.dot(h, v)
        local rows = z.ndim == 2 and { batch, k } or { 2, batch, k }
        local args = { small(table.unpack(rows)), small(k, m), small(m, n), small(m), small(n) }
        local plan = same({ z, u, v, b, c }, { y, table.unpack(T.grad(T.sum(y * c), { u, v, b })) }, args, "bfloat16")
        assert(z.ndim == 2 or kept(plan, "bfloat16") >= 4 and loaded(plan, "bfloat16") >= 1, plan)
      end
    end
  end)

  it("changes nothing in random graphs", function()
    local halves, loads = 0, 0
    for seed = 1, 10 do
      local inputs, outputs, args, half = graph(seed)
      local ok, plan = pcall(same, inputs, outputs, args)
      assert(ok, ("seed %d: %s"):format(seed, plan))
      halves, loads = halves + kept(plan, half), loads + loaded(plan, half)
    end
    assert(halves >= 10 and loads >= 8, ("%d halves, %d loads of one"):format(halves, loads))
  end)
end)
