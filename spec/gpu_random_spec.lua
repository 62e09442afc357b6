--- Attention and recurrences on a device at random lengths, with hostile masks, in float64: the numbers of the plain
-- graph on the CPU, and gradients that differences along a random direction confirm.
local attention = require("spec.support.attention")
local device = require("spec.support.device")
local emulated = require("spec.support.emulated")
local nd = require("theano.ndarray")
local rotate = require("spec.support.rotate")
local skip = require("spec.support.skip")
local theano = require("theano")
local T = require("theano.tensor")

local rng = nd.random.RandomState(rotate.seed)
local function length(from, to) return from + rng:randint(0, to - from + 1) end

local function compiled(flags, inputs, outputs)
  local _ <close> = theano.config.change_flags(flags)
  return theano.compile({ inputs = inputs, outputs = outputs, on_unused_input = "ignore" })
end

local function along(args, direction, by)
  local moved = {}
  for i, a in ipairs(args) do moved[i] = direction[i] and a + direction[i] * by or a end
  return moved
end

-- Of functions that give a cost and its gradients by their first arguments.
local function confirm(want, got, args, what)
  local a, b = { want(table.unpack(args)) }, { got(table.unpack(args)) }
  local finite = true
  for i = 1, #a do
    local x, y = nd.array(a[i]):reshape({ -1 }), nd.array(b[i]):reshape({ -1 })
    assert.same(nd.array(a[i]).shape, nd.array(b[i]).shape, what)
    local much = 1e-11 * (1 + (x.size > 0 and nd.nan_to_num(nd.abs(x)):max() or 0))
    assert(nd.allclose(y, x, 0, much, { equal_nan = true }), ("%s: output %d differs"):format(what, i))
    finite = finite and nd.isfinite(x):all()
  end
  if not finite then return false end
  local h, direction, slope = 1e-6, {}, 0
  for i = 1, #b - 1 do
    direction[i] = rng:randn(table.unpack(args[i].shape))
    slope = slope + (args[i].size > 0 and (nd.array(b[i + 1]) * direction[i]):sum() or 0)
  end
  local up, down = got(table.unpack(along(args, direction, h))), got(table.unpack(along(args, direction, -h)))
  local difference = (up - down) / (2 * h)
  assert(math.abs(difference - slope) <= 1e-6 * (1 + math.abs(slope)),
    ("%s: the gradient says %.12g, differences %.12g"):format(what, slope, difference))
  return true
end

-- Masks to add of queries by keys, of which some leave no key, or none of the first tile of 64.
local MASKS = {
  { "nothing", function(m, n) return nd.zeros({ m, n }) end },
  { "of -1e9", function(m, n)
    local mask = nd.where(rng:rand(m, n):gt(0.5), 0, nd.full({ m, n }, -1e9))
    mask[":, -1"] = 0 -- else rows have scores of which 1e9 leaves few digits
    return mask
  end },
  { "of infinities", function(m, n)
    local mask = nd.where(rng:rand(m, n):gt(0.6), 0, nd.full({ m, n }, -math.huge))
    mask[":, 0"] = 0
    return mask
  end },
  { "causal", function(m, n)
    local late = nd.arange(n):reshape({ 1, n }):gt(nd.arange(m):reshape({ m, 1 }))
    return nd.where(late, nd.full({ m, n }, -math.huge), nd.zeros({ m, n }))
  end },
  { "of the first tile", function(m, n)
    local mask = nd.zeros({ m, n })
    if n > 1 then mask[(":, 0:%d"):format(math.min(n - 1, 64))] = -math.huge end
    return mask
  end },
  { "of rows, whole", function(m, n)
    local mask = nd.zeros({ m, n })
    mask[m // 2] = -math.huge
    return mask
  end, nothing = true },
  { "that is large", function(m, n) return rng:randn(m, n) * 300 end },
}

describe("at random lengths on a device", function()
  if theano.config.cxx == "" then
    it("nothing runs without a compiler", function() skip.now("there is no C compiler") end)
    return
  end

  it("attention has its parts' numbers under every mask, and gradients that differences confirm", function()
    local v = attention.operands("float64")
    local z = attention.attended("add", "float64", v)
    local cost = T.sum(z * v[4])
    local outputs = { cost, table.unpack(T.grad(cost, { v[1], v[2], v[3] })) }
    local there = { device = device.flags.device, force_device = true, optimizer_including = "attention" }
    local parts, one = compiled({}, v, outputs), compiled(there, v, outputs)
    local text = theano.printing.debugprint(one, { file = "str" })
    assert(text:find("AttentionGrad", 1, true) and not text:find("Softmax", 1, true), text)
    for _, mask in ipairs(MASKS) do
      local b, m, n, d, e = length(1, 2), length(1, 40), length(1, 100), length(1, 9), length(1, 9)
      if length(1, 3) == 1 then d = length(1, 80) end -- above 64 a block has a part of the columns
      local args = { attention.numbers(rng, "float64", b, m, n, d, e) }
      args[5] = mask[2](m, n)
      local what = ("seed %d, a mask %s, %d %d %d %d %d"):format(rotate.seed, mask[1], b, m, n, d, e)
      assert.equal(not mask.nothing, confirm(parts, one, args, what), what)
    end
  end)

  it("recurrences under masks are the CPU's in one launch, with gradients that differences confirm", function()
    local x, keep = T.dtensor3("x"), T.dmatrix("keep")
    local w, u, start = T.dmatrix("w"), T.dmatrix("u"), T.dmatrix("start")
    local cells = {
      lstm = { 4, function(z, _, c, h, width)
        local function gate(i) return T.nnet.sigmoid(z[{ T.slice(), T.slice(i * width, (i + 1) * width) }]) end
        local new = gate(0) * c + gate(1) * T.tanh(z[{ T.slice(), T.slice(2 * width, 3 * width) }])
        return gate(3) * T.tanh(new), new, h
      end },
      rnn = { 1, function(z, _, c, h) return T.tanh(z), c, h end },
    }
    for name, cell in pairs(cells) do
      local width = start.shape[1]
      local out = theano.scan(function(v, k, h, c)
        local new, memory = cell[2](T.dot(v, w) + T.dot(h, u), v, c, h, width)
        k = k:dimshuffle(0, "x")
        return k * new + (1 - k) * h, k * memory + (1 - k) * c
      end, { sequences = { x, keep }, outputs_info = { start, start } })
      local cost = T.sqr(out[1][-1]):sum() + out[1]:sum() + T.sqr(out[2][-1]):sum()
      local inputs = { x, w, u, start, keep }
      local outputs = { cost, table.unpack(T.grad(cost, { x, w, u, start })) }
      local here, there = compiled({}, inputs, outputs), compiled(emulated.flags, inputs, outputs)
      for _, kind in ipairs({ "nothing", "everything", "some", "parts" }) do
        local steps, rows, wide, each = length(1, 6), length(1, 5), length(1, 7), length(1, 9)
        local random = rng:rand(steps, rows)
        local mask = ({ nothing = random * 0, everything = random * 0 + 1, parts = random,
          some = random:gt(0.5):astype("float64") })[kind]
        local args = { rng:randn(steps, rows, wide), rng:randn(wide, cell[1] * each), rng:randn(each, cell[1] * each),
          rng:randn(rows, each), mask }
        local what = ("seed %d, %s keeps %s, %d %d %d %d"):format(rotate.seed, name, kind, steps, rows, wide, each)
        local n = emulated.counted(function() assert.is_true(confirm(here, there, args, what)) end)
        assert((n.cuLaunchCooperativeKernel or 0) + (n.cuGraphLaunch or 0) > 0, what)
      end
    end
  end)
end)
