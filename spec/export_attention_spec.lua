--- Attention and columns picked by streams as C: the same bits, gradients too.
local attention = require("spec.support.attention")
local exported = require("spec.support.exported")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local rng = nd.random.RandomState(5)

-- Batch, queries, keys, features, values.
local SHAPES = { { 2, 5, 7, 3, 4 }, { 3, 50, 65, 32, 32 }, { 2, 49, 17, 8, 40 }, { 1, 1, 40, 10, 10 },
  { 1, 61, 300, 20, 1 }, { 1, 13, 1, 4, 3 }, { 1, 70, 200, 10, 10 }, { 1, 2, 1100, 8, 17 } }

local function attended(add)
  for _, dtype in ipairs { "float32", "float64" } do
    for _, kind in ipairs { "bare", "scaled", "add", "keep", "fill" } do
      local v = attention.operands(dtype)
      local z = attention.attended(kind, dtype, v)
      local outputs = { z, table.unpack(T.grad(T.sum(z * v[4]), { v[1], v[2], v[3] })) }
      local flags <close> = theano.config.change_flags({ optimizer_including = "attention" })
      local f = theano.compile { inputs = v, outputs = outputs, on_unused_input = "ignore" }
      assert(theano.printing.debugprint(f, { file = "str" }):find("AttentionGrad", 1, true) and flags)
      for i, s in ipairs(SHAPES) do
        if (i + #kind) % 2 == 0 then
          add(("%s%d_%s"):format(kind, i, dtype), f, { attention.numbers(rng, dtype, table.unpack(s)) })
        end
      end
    end
  end
end

-- Masks that some matrices of the batch share.
local function shared(add)
  for name, lengths in pairs { neighbours = { 2, 1, 9, 31 }, turns = { 1, 3, 9, 31 } } do
    local function wide(...) return T.TensorType("float32", { ... })(name) end
    local q, k, v, g = wide(false, false, false, false), wide(false, false, false, false),
      wide(false, false, false, false), wide(false, false, false, false)
    local m = wide(lengths[1] == 1, lengths[2] == 1, false, false)
    local z = T.matmul(T.nnet.softmax(T.matmul(q, k:dimshuffle(0, 1, 3, 2)) + m, { axis = -1 }), v)
    local flags <close> = theano.config.change_flags({ optimizer_including = "attention" })
    local f = theano.compile { inputs = { q, k, v, g, m },
      outputs = { z, table.unpack(T.grad(T.sum(z * g), { q, k, v })) } }
    assert(theano.printing.debugprint(f, { file = "str" }):find("AttentionGrad", 1, true) and flags)
    local args = {}
    for i, s in ipairs { { 2, 3, 9, 8 }, { 2, 3, 31, 8 }, { 2, 3, 31, 5 }, { 2, 3, 9, 5 }, lengths } do
      args[i] = rng:randn(table.unpack(s)):astype("float32")
    end
    add("shared_" .. name, f, args)
  end
end

local function picked(add)
  for _, dtype in ipairs { "float32", "float64" } do
    local mrg = require("theano.sandbox.rng_mrg").MRG_RandomStreams(5)
    local p = T.TensorType(dtype, { false, false })("p")
    add("picked_" .. dtype, theano.compile { inputs = { p }, outputs = { mrg:multinomial { pvals = p, n = 1 },
      mrg:multinomial { pvals = p, n = 9, dtype = "int32" }, mrg:choice { p = p, size = 2, replace = false },
      mrg:multinomial { pvals = p.T[":2"].T / p[":, :2"]:sum(1, { keepdims = true }) } } },
      { nd.array({ { 0.3, 0.5, 0.2 }, { 0.125, 0.25, 0.625 }, { 0.6, 0.3, 0.1 } }, { dtype = dtype }) })
  end
end

local function functions(add)
  shared(add)
  attended(add)
  picked(add)
end

describe("an exported program", function()
  for _, by in ipairs(exported.compilers(100, 5, 5)) do
    it("attends and picks with the bits of the function, by " .. by.name, function() by:has_bits(functions) end)
  end
end)
