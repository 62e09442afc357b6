--- theano.printing.roofline: what a GPU that is not there would need for a call. Bytes, grids and launches are exact,
-- and those of the emulated GPU; registers and instructions are the compiled code's, where NVRTC is found.
local theano = require("theano")
local proof = require("spec.gpu.proof")
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")
local roofline = require("theano.roofline")
local T, nd = theano.tensor, theano.ndarray

local function compiled(...)
  local _ <close> = theano.config.change_flags({ linker = "interpreter" })
  return theano.compile(...)
end

local N, M = 96, 160
local function zeros(...) return nd.zeros({ ... }, "float32") end

describe("roofline", function()
  it("counts each element of an elementwise function once for reading and once for writing", function()
    local x, y = T.fmatrix("x"), T.fmatrix("y")
    local f = compiled({ inputs = { x, y }, outputs = T.tanh(x) * y })
    f(zeros(N, M), zeros(N, M))
    local r = theano.printing.roofline(f, "h100")
    local k = r.kernels[1]
    assert.equal(1, #r.kernels)
    assert.equal(1, r.launches)
    assert.is_true(r.graph)
    assert.equal(3 * 4 * N * M, k.bytes)
    assert.equal(k.bytes, k.moved)
    assert.equal(1, k.coalesced)
    assert.equal(2 * N * M, k.flops)
    assert.equal(2 * 4 * N * M, r.over)
    assert.is_true(k.lower >= k.bytes / roofline.limits.h100.memory)
    assert.is_true(r.estimate > r.lower and k.estimate >= k.lower)
    assert.equal(N * M / 4, k.blocks * k.threads * k.turns) -- four neighbours a thread
  end)

  it("reads what is reduced once, in order, along rows and down columns", function()
    local x = T.fmatrix("x")
    for axis, results in pairs({ [0] = M, [1] = N }) do
      local f = compiled({ inputs = { x }, outputs = (x:max({ axis = axis })) })
      f(zeros(N, M))
      local k = theano.printing.roofline(f).kernels[1]
      assert.equal(4 * (N * M + results), k.bytes)
      assert.equal(k.bytes, k.moved)
      assert.equal(axis == 0 and "columns" or "warps", k.kind)
    end
  end)

  it("knows what a library would make", function()
    local x, y = T.fmatrix("x"), T.fmatrix("y")
    local f = compiled({ inputs = { x, y }, outputs = T.dot(x, y) })
    f(zeros(256, 192), zeros(192, 128))
    local k = theano.printing.roofline(f).kernels[1]
    assert.same({ "cuBLASLt", 256, 128, 192, 2 * 256 * 128 * 192 }, { k.library, k.m, k.n, k.k, k.flops })
    assert.is_true(k.lower >= k.flops / roofline.limits.h100.float32)
    f(zeros(4, 192), zeros(192, 128))
    assert.is_nil(theano.printing.roofline(f).kernels[1].library)
  end)

  it("charges products of libraries, a peer's too, by whole waves of their best tiles and parts of sums", function()
    local x, y = T.fmatrix("x"), T.fmatrix("y")
    local f = compiled({ inputs = { x, y }, outputs = T.dot(x, y) })
    local a = roofline.assumed
    for _, shape in ipairs({ { 256, 6400, 1024 }, { 640, 768, 512 }, { 2048, 256, 2048 } }) do
      local m, k, n = table.unpack(shape)
      f(zeros(m, k), zeros(k, n))
      local one = theano.printing.roofline(f, "h100", { compile = false }).kernels[1]
      assert.equal("cuBLASLt", one.library)
      local full = one.flops / roofline.limits.h100.float32 / a.product
      assert(one.estimate > full and one.estimate < 1.8 * full, ("%g of %g"):format(one.estimate, full))
      local op = { bytes = one.bytes, flops = one.flops, dtype = "float32", products = { { 1, m, n, k } } }
      assert(math.abs(roofline.peer("h100", { op, op }) / 2 - a.kernel - one.estimate) < 1e-12)
    end
    local plain = { bytes = 3.35e6, flops = 0, dtype = "float32", products = {} }
    assert(math.abs(roofline.peer("h100", { plain }) - (1e-6 / a.memory + a.kernel)) < 1e-12)
    local attended = { op = "aten::_scaled_dot_product_flash_attention", bytes = 1e6, flops = 989.4e9, products = {} }
    for dtype, share in pairs({ bfloat16 = a.attention, float32 = a.tile * 66.9 / 989.4 }) do -- as ours are
      attended.dtype = dtype
      assert(math.abs(roofline.peer("h100", { attended }) - (1e-3 / share + a.kernel)) < 1e-9)
    end
  end)

  it("has nothing behind a convolution that a library writes where it is wanted", function()
    local emulated = require("spec.support.emulated")
    local _ <close> = theano.config.change_flags(emulated.flags)
    local x, w = T.ftensor4("x"), T.ftensor4("w")
    for more, launches in pairs({ [false] = 1, [true] = 2 }) do
      emulated.idle(1)
      local ok, r = pcall(function()
        local y = T.nnet.conv2d(x, w)
        local f = theano.compile({ inputs = { x, w }, outputs = more and T.tanh(y) or y })
        f(zeros(8, 16, 34, 34), zeros(32, 16, 3, 3))
        return theano.printing.roofline(f, "h100", { compile = false })
      end)
      emulated.idle(0)
      assert(ok, r)
      assert.same({ "cuDNN", launches }, { r.kernels[1].library, r.launches })
    end
  end)

  it("charges a gradient by images for its product, what lies between, and the sum of windows", function()
    local emulated = require("spec.support.emulated")
    local _ <close> = theano.config.change_flags(emulated.flags)
    local x, w = T.ftensor4("x"), T.ftensor4("w")
    emulated.idle(1)
    local ok, r = pcall(function()
      local g = T.grad(T.sum(T.sqr(T.nnet.conv2d(x, w))), x)
      local f = theano.compile({ inputs = { x, w }, outputs = g })
      f(zeros(128, 20, 12, 12), zeros(50, 20, 5, 5))
      return theano.printing.roofline(f, "h100", { compile = false })
    end)
    emulated.idle(0)
    assert(ok, r)
    local k = r.kernels[#r.kernels]
    assert.same({ "cuBLASLt", 128, 500, 64, 50, 128 * 500 * 64, 128 * 20 * 144 * 25, 2 },
      { k.library, k.matrices, k.m, k.n, k.k, k.windows, k.places, k.launches })
    -- 62 us as one product of 18,432 x 20 x 1,250
    assert(k.estimate > 12e-6 and k.estimate < 18e-6, k.estimate)
  end)

  it("charges attention's gradient for all products of its kernels, and what they move besides", function()
    local emulated = require("spec.support.emulated")
    local attention = require("spec.support.attention")
    local flags = { device = "cuda-emulated", optimizer_including = "attention", floatX = "float32" }
    local _ <close> = theano.config.change_flags(flags)
    local v = attention.operands("float32")
    local z = attention.attended("bare", "float32", v)
    local f = theano.compile({ inputs = v, outputs = { z, table.unpack(T.grad(T.sum(z * v[4]), { v[1], v[2], v[3] })) },
      on_unused_input = "ignore", amp = "bfloat16" })
    -- batch and length, launches, products of all scores; features in two parts compute scores twice
    for _, c in ipairs({ { 64, 1024, 3, 5, 64 }, { 128, 512, 2, 5, 64 }, { 1, 8192, 3, 7, 64 },
      { 128, 512, 2, 7, 128 } }) do
      local b, n, d, all, r = c[1], c[2], c[5], 0, nil
      emulated.idle(1)
      local ok, why = pcall(function()
        local x = zeros(b, n, d)
        f(x, x, x, x, zeros(1, 1), nd.zeros({ 1, 1 }, "bool"))
        r = theano.printing.roofline(f, "h100", { compile = false })
      end)
      emulated.idle(0)
      assert(ok, why)
      for _, k in ipairs(r.kernels) do
        if k.products and k.title:find("AttentionGrad", 1, true) then
          local want = c[4] * 2 * b * n * n * d
          assert.equal(c[3], k.launches)
          assert(math.abs(k.products - want) < 1e-6 * want, k.products)
          assert(k.estimate > k.products / 989.4e12 / 0.35 + k.aside / 3.35e12, k.estimate)
          all = all + 1
        end
      end
      assert.equal(1, all)
    end
  end)

  it("counts the turns of loops", function()
    local x = T.fvector("x")
    local h = theano.scan(function(v) return T.tanh(v * 2) end, { outputs_info = { x }, n_steps = 7 })
    local f = compiled({ inputs = { x }, outputs = h[-1] })
    f(zeros(64))
    local r, most = theano.printing.roofline(f), 0
    for _, k in ipairs(r.kernels) do most = math.max(most, k.runs) end
    assert.equal(7, most)
    assert.is_true(r.launches >= 7)
  end)

  it("says the launches that the emulated GPU then counts", function()
    local _ <close> = theano.config.change_flags({ device = "cuda-emulated" })
    local x, w = T.fmatrix("x"), theano.shared(zeros(M, 8), "w")
    local f = theano.compile({ inputs = { x }, outputs = T.nnet.softmax(T.dot(x, w)):sum(),
      updates = { { w, w * 0.5 } } })
    local before = theano.cuda.memory().launches
    f(zeros(N, M))
    assert.equal(theano.cuda.memory().launches - before, theano.printing.roofline(f).launches)
  end)

  it("names lines, and who sold the limits", function()
    local x = T.fvector("x")
    local f = compiled({ inputs = { x }, outputs = T.exp(x) })
    f(zeros(1000))
    local text = tostring(theano.printing.roofline(f, "RTX 4090"))
    assert.matches("roofline on GeForce RTX 4090 %(sm_89%)", text)
    assert.matches("Elemwise{exp[^\n]*roofline_spec.lua:%d+", text)
    assert.matches("a call: 1 launches as one graph, 8.00 KB", text)
    for name, limits in pairs(roofline.limits) do
      assert.matches("NVIDIA", limits.source, name)
      assert.is_true(limits.fp32 * limits.multiprocessors * limits.clock * 2 / limits.float32 < 1.01, name)
      assert.is_true(limits.fp32 * limits.multiprocessors * limits.clock * 2 / limits.float32 > 0.99, name)
    end
  end)

  it("takes what it finds where lengths hang on values, and compiles nothing in a sandbox", function()
    local x = T.fvector("x")
    local f = compiled({ inputs = { x }, outputs = T.exp(x[T.gt(x, 0)]) * 2 })
    f(nd.array({ 1, -1, 2 }, "float32"))
    local r = theano.printing.roofline(f)
    assert.is_true(#r.kernels > 1 and r.lower > 0)
    assert.matches("at least", tostring(r))
    local box = theano.sandboxed()
    local told, made = box:run([[local theano = require "theano"
      local x = theano.tensor.fvector("x")
      local f = theano.compile({ inputs = { x }, outputs = theano.tensor.exp(x) })
      f({ 1, 2 })
      local r = theano.printing.roofline(f)
      return r.kernels[1].bytes, r.compiled]])
    box:close()
    assert.same({ 16, false }, { told, made })
  end)

  it("compiles nothing where it is told so: launches and bytes are the same", function()
    local x = T.fmatrix("x")
    local f = compiled({ inputs = { x }, outputs = T.exp(x):sum({ axis = 1 }) })
    f(zeros(N, M))
    local quick = theano.printing.roofline(f, "h100", { compile = false })
    local r = theano.printing.roofline(f, "h100", { compile = true })
    assert.is_false(quick.compiled)
    assert.is_nil(quick.kernels[1].issued)
    assert.same({ r.launches, r.bytes, r.flops }, { quick.launches, quick.bytes, quick.flops })
    assert.matches("(sm_90): from the schedule alone", tostring(quick), nil, true)
  end)

  it("refuses what it cannot look at", function()
    local x = T.fvector("x")
    local f = compiled({ inputs = { x }, outputs = T.exp(x) })
    local function refused(kind, words, ...)
      local ok, why = pcall(theano.printing.roofline, ...)
      assert.is_false(ok)
      assert.equal(kind, theano.error_kind(why))
      assert.matches(words, why)
    end
    refused("ValueError", "call the function once before", f)
    f(zeros(3))
    refused("ValueError", 'no GPU "k80" here: a100, h100', f, "k80")
    refused("TypeError", "takes a compiled function", x)
    refused("TypeError", "the GPU is", f, 100)
    refused("TypeError", "unknown keyword 'compiled'", f, "h100", { compiled = true })
    f(zeros(0))
    assert.equal(0, theano.printing.roofline(f).launches)
  end)

  it("reads the compiled code as NVIDIA's disassembler does", function()
    if not proof.tool("nvdisasm") then skip.now("nvdisasm is not found: scripts/setup --gpu-tests fetches it") end
    local x, y = T.fvector("x"), T.fvector("y")
    local f = compiled({ inputs = { x, y }, outputs = T.exp(x) / y })
    f(zeros(4096), nd.ones({ 4096 }, "float32"))
    local k = theano.printing.roofline(f, "h100").kernels[1]
    if not k.issued then skip.now("NVRTC is not found: scripts/setup --gpu-tests fetches it") end
    local folder = runner.folder()
    local case = { name = "f", text = function() return theano.printing.ccode(f, "cuda") end }
    local all = assert(proof.assemble({ case }, { "sm_90" }, folder))
    for _, other in ipairs(all) do
      if other.name == k.kernel then
        assert.equal(other.registers, k.registers)
        assert.equal(proof.widest_load(other.image, other.name), k.issued.widest)
        assert.equal(proof.occupancy(other, 256), k.occupancy)
      end
    end
    runner.remove(folder)
    assert.is_true(k.issued.special > 0 and k.issued.all > k.issued.special)
  end)

  -- A copy reaches 0.92 of the published bandwidth; nine tenths of that are 0.83.
  it("has rows, columns and what networks are made of at nine tenths of the bandwidth of a copy", function()
    local _ <close> = theano.config.change_flags({ floatX = "float32" })
    local x, z, v, w, short = T.fmatrix("x"), T.fmatrix("z"), T.fvector("v"), T.fvector("w"), T.fmatrix("short")
    local rng = theano.sandbox.rng_mrg.MRG_RandomStreams(7)
    local away = x - x:mean({ axis = 1, keepdims = true })
    local norm = away / T.sqrt(T.sqr(away):mean({ axis = 1, keepdims = true }) + 1e-5) * v + w
    local tanh = 0.5 * x * (1 + T.tanh(x + 0.044715 * x * x * x))
    local cases = {
      { "rows", 0.9, 4 << 24, { x }, x:sum({ axis = 1 }) }, { "columns", 0.9, 4 << 24, { x }, x:sum({ axis = 0 }) },
      { "all", 0.9, 4 << 24, { x }, x:max() }, { "softmax", 0.9, 8 << 24, { x }, T.nnet.softmax(x) },
      { "short rows", 0.5, 8 << 22, { short }, T.nnet.softmax(short) },
      { "uniform", 0.75, 4 << 24, {}, rng:uniform({ size = { 1 << 24 }, dtype = "float32" }) },
      { "layer norm", 0.83, 8 << 24, { x, v, w }, norm },
      { "layer norm's gradient by its offset and scale", 0.83, 8 << 24, { x, z, v },
        { (z:sum({ axis = 0 })), (x / v:dimshuffle(0, "x") * z):sum({ axis = 0 }) } },
      { "GELU by tanh", 0.83, 8 << 24, { x }, tanh }, { "GELU", 0.9, 8 << 24, { x }, T.nnet.gelu(x) },
      { "dropout", 0.83, 8 << 24, { x }, T.nnet.dropout(x, 0.5, rng) },
    }
    local given = { [x] = nd.zeros({ 4096, 4096 }, "float32"), [v] = nd.ones(4096, "float32"),
      [short] = nd.zeros({ 1 << 14, 256 }, "float32") }
    given[z], given[w] = given[x], given[v]
    for _, case in ipairs(cases) do
      local name, part, bytes, inputs, output = table.unpack(case)
      local args = {}
      for i, one in ipairs(inputs) do args[i] = given[one] end
      local f = compiled({ inputs = inputs, outputs = (output) })
      f(table.unpack(args))
      local r = theano.printing.roofline(f, "h100")
      if not r.compiled then skip.now("NVRTC is not found: scripts/setup --gpu-tests fetches it") end
      local k = r.kernels[1]
      local reached = bytes / 3.35e12 / k.estimate
      assert(#r.kernels == 1 and reached >= part, ("%s: %.2f of the bandwidth\n%s"):format(name, reached, tostring(r)))
      assert(inputs[1] == nil or k.kind == "columns" or k.kind == "draw" or k.issued.widest == 128, name)
    end
  end)

  it("fills a GPU to what its busiest multiprocessor does", function()
    local x = T.fmatrix("x")
    local f = compiled({ inputs = { x }, outputs = T.gammaln(x) })
    local function took(blocks) -- of 1024 elements
      f(nd.ones({ blocks, 1024 }, "float32"))
      local k = theano.printing.roofline(f, "h100").kernels[1]
      if not k.issued then skip.now("NVRTC is not found: scripts/setup --gpu-tests fetches it") end
      assert.same({ "instructions", blocks }, { k.limit, k.blocks })
      return k.estimate
    end
    local few, one, two, more = took(66), took(132), took(264), took(265)
    assert(math.abs(few / one - 1) < 1e-9) -- half of the GPU is idle
    assert(math.abs(two / one - 1) < 1e-9) -- eight warps do not keep a multiprocessor busy, 16 do
    assert(more > 1.4 * two and more < 2.1 * two) -- one of them has three blocks
  end)
end)
