--- Whole numbers of a GPU's kernel whose indices have 32 bits: what fits is computed in 32, the values stay the CPU's;
-- the text for large arrays, and what may leave 32 bits, keep 64.
local emulated = require("spec.support.emulated")
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function numbers(...)
  local n, shape = 1, { ... }
  for _, d in ipairs(shape) do n = n * d end
  return (nd.sin(nd.arange(n):astype("float64") * 0.7) * 9):reshape(shape):astype("float32")
end

-- Poolings and their gradients: windows that overlap, leave gaps, reach behind the image, on its padding.
local POOLS = {
  { ds = { 2, 2 }, ignore_border = true },
  { ds = { 3, 2 }, ignore_border = true, stride = { 2, 1 } },
  { ds = { 2, 3 }, ignore_border = false },
  { ds = { 2, 2 }, ignore_border = true, stride = { 3, 4 } },
  { ds = { 3, 3 }, ignore_border = true, stride = { 2, 2 }, pad = { 1, 2 } },
}

local function pooled(options, mode, x)
  local v, all = T.ftensor4("v"), { mode = mode }
  for name, value in pairs(options) do all[name] = value end
  local y = T.signal.pool.pool_2d(v, all)
  local f = theano.compile({ inputs = { v }, outputs = { y, T.grad(T.sqr(y):sum(), v) } })
  local out = { f(x) }
  for i, a in ipairs(out) do out[i] = nd.array(a) end
  return out, f
end

describe("whole numbers of 64 bits that fit into 32", function()
  it("give the CPU's poolings and gradients, of odd lengths and of none", function()
    for _, shape in ipairs({ { 2, 3, 7, 9 }, { 1, 1, 4, 5 }, { 0, 2, 6, 6 }, { 3, 1, 11, 4 } }) do
      local x = numbers(table.unpack(shape))
      for _, options in ipairs(POOLS) do
        for _, mode in ipairs({ "max", "average_exc_pad" }) do
          local want = pooled(options, mode, x)
          local _ <close> = theano.config.change_flags(emulated.flags)
          for i, a in ipairs((pooled(options, mode, x))) do
            assert.same(want[i].shape, a.shape)
            local far = a.size > 0 and nd.abs(a - want[i]):max() or 0
            assert(far <= 1e-5, ("%s %s: result %d, %g"):format(mode, table.concat(options.ds, "x"), i, far))
          end
        end
      end
    end
  end)

  it("are computed in 32 where indices have 32, and in 64 in the text for large arrays", function()
    local _ <close> = theano.config.change_flags(emulated.flags)
    local _, f = pooled(POOLS[1], "max", numbers(1, 1, 4, 4))
    local text, narrow, large = theano.printing.ccode(f), 0, 0
    for body in text:gmatch("KERNEL kernel_%w+%(.-\n}\n") do
      local small = body:find("typedef i32 ix;", 1, true)
      local told = body:find("= %(u32%)v%d+ / %(u32%)v%d+;") or body:find("= %(i32%)v%d+ [-+*] %(i32%)v%d+;")
      if small and told then narrow = narrow + 1 end
      if not small then
        large = large + 1
        assert(not told, body)
      end
    end
    assert(narrow > 0 and large > 0, ("%d with 32 bits, %d with 64"):format(narrow, large))
  end)

  it("take less than half of the instructions, by the compiled code", function()
    local _ <close> = theano.config.change_flags(emulated.flags)
    local _, f = pooled(POOLS[1], "max", numbers(4, 20, 24, 24))
    local r, seen = theano.printing.roofline(f, "h100"), 0
    if not r.compiled then skip.now("NVRTC is not found: scripts/setup --gpu-tests fetches it") end
    for _, k in ipairs(r.kernels) do
      if k.title:find("MaxPoolGrad", 1, true) then
        seen = seen + 1
        local points = k.turns * 2 -- neighbours of a thread
        assert(k.issued.all < 64 * points, ("%g instructions for %d points"):format(k.issued.all, points))
      end
    end
    assert.equal(1, seen)
  end)
end)
