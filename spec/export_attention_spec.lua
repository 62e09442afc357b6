--- Attention and columns picked by streams as C: the same bits, gradients too.
local attention = require("spec.support.attention")
local cpu = require("spec.support.cpu")
local exported = require("spec.support.exported")
local rotate = require("spec.support.rotate")
local skip = require("spec.support.skip")
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

local function functions()
  local list = {}
  local function add(name, f, args) list[#list + 1] = { name, f, { args = args } } end
  shared(add)
  attended(add)
  picked(add)
  return list
end

describe("an exported program", function()
  for _, by in ipairs { { "gcc", 100 }, { "clang", 5 }, { "aarch64-linux-gnu-gcc", 5, "qemu-aarch64" } } do
    local compiler, many, run = table.unpack(by)
    it("attends and picks with the bits of the function, by " .. compiler, function()
      cpu.only("the bits of the CPU")
      skip.unless(exported.has(compiler) and (not run or exported.has(run)), compiler .. " is not here")
      local list = rotate.some(functions(), many)
      local said = exported.run(compiler, exported.strict .. " -O1" .. (run and " -static" or ""), list, run)
      for _, e in ipairs(list) do assert(said:find("\n" .. e[1] .. ": 0\n", 1, true), said) end
    end)
  end
end)
