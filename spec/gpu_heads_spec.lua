--- Attention on a device that reads heads where a model's products leave them and writes them where the next product
-- reads them (AttentionHeads): to the bit what copies around Attention give, and no copies.
local device = require("spec.support.device")
local nd = require("theano.ndarray")
local rotate = require("spec.support.rotate")
local skip = require("spec.support.skip")
local theano = require("theano")
local T = theano.tensor

local rng = nd.random.RandomState(3)
local function numbers(dtype, ...) return rng:normal(0, 1, { ... }):astype(dtype) end

-- x (batch, positions, width): heads of one product, or of three; what is left is trained. Lengths are constants or
-- the array's own. keys: so many of another array, of which keys and values are. left: no heads are copied there, or a
-- length of 1 is known, whose axis is left out of the graph.
local function model(dtype, c)
  local x = T.tensor3("x", { dtype = dtype })
  local b, n, w, heads = c.batch, c.n, c.width, c.heads
  local each, wide = w // heads, c.wide or w // heads
  local known = c.symbolic and { x.shape[0], x.shape[1] } or { b, n }
  local total = c.symbolic and known[1] * heads or b * heads
  local function split(v, d, length)
    return v:reshape({ known[1], length, heads, d }):dimshuffle(0, 2, 1, 3):reshape({ total, length, d })
  end
  local inputs, values = { x }, { numbers(dtype, b, n, w) }
  local other, keys = x, known[2]
  if c.keys then
    other = T.tensor3("other", { dtype = dtype })
    keys = c.symbolic and other.shape[1] or c.keys
    inputs[2], values[2] = other, numbers(dtype, b, c.keys, w)
  end
  local p, part = {}, {}
  if c.apart then
    for i, d in ipairs({ each, each, wide }) do
      p[i] = theano.shared(numbers(dtype, w, heads * d) * 0.3)
      part[i] = i == 1 and split(T.dot(x, p[i]), d, known[2]) or split(T.dot(other, p[i]), d, keys)
    end
  else
    local at, order = 0, c.order or { 1, 2, 3 }
    p[1] = theano.shared(numbers(dtype, w, heads * (2 * each + wide) + (c.more or 0)) * 0.3)
    local all = T.dot(x, p[1])
    for _, i in ipairs(order) do
      local d = i == 3 and wide or each
      part[i] = split(all[(":, :, %d:%d"):format(at, at + heads * d)], d, known[2])
      at = at + heads * d
    end
  end
  local s = T.batched_dot(part[1], part[2]:dimshuffle(0, 2, 1)) * T.constant(1 / math.sqrt(each), { dtype = dtype })
  if c.mask then
    local full, at = c.mask == "one" and 1 or b * heads, #inputs + 1
    local m = c.keep and T.tensor3("m", { dtype = "bool" }) or T.tensor3("m", { dtype = dtype })
    inputs[at], values[at] = m, numbers(dtype, full, n, c.keys or n)
    if c.keep then values[at] = values[at]:gt(-0.5) end
    if full == 1 then m = T.addbroadcast(m, 0) end
    s = c.keep and T.switch(m, s, T.constant(-1e9, { dtype = dtype })) or s + m
  end
  local z = T.batched_dot(T.nnet.softmax(s, { axis = 2 }), part[3])
    :reshape({ known[1], heads, known[2], wide }):dimshuffle(0, 2, 1, 3):reshape({ known[1], known[2], heads * wide })
  p[#p + 1] = theano.shared(numbers(dtype, heads * wide, w))
  local y = x + T.dot(z, p[#p])
  return inputs, values, y, T.sqr(y):sum(), p
end

local function function_of(inputs, y, cost, p, flags, amp, alone)
  local outputs = { y }
  if not alone then outputs = { y, table.unpack(T.grad(cost, p)) } end
  local _ <close> = theano.config.change_flags(flags)
  return theano.compile({ inputs = inputs, outputs = outputs, amp = amp })
end

local function flags(more)
  local f = { device = device.flags.device, force_device = true, optimizer_including = "attention" }
  for k, v in pairs(more or {}) do f[k] = v end
  return f
end

local function text_of(f) return theano.printing.debugprint(f, { file = "str" }) end
local function count(text, word)
  local n = 0
  for _ in text:gmatch(word) do n = n + 1 end
  return n
end

-- Both ways, to the bit; beside the graph as it is written, nearly.
local function same(dtype, c, amp, alone, tolerance)
  local inputs, values, y, cost, p = model(dtype, c)
  local one = function_of(inputs, y, cost, p, flags(), amp, alone)
  local copies = function_of(inputs, y, cost, p, flags({ optimizer_excluding = "attention_heads" }), amp, alone)
  local parts = function_of(inputs, y, cost, p, flags({ optimizer_including = "" }), amp, alone)
  assert((text_of(one):find("AttentionHeads{", 1, true) == nil) == (c.left or false), text_of(one))
  assert(not text_of(copies):find("AttentionHeads", 1, true) and not text_of(parts):find("Attention", 1, true))
  local a, b, w = { one(table.unpack(values)) }, { copies(table.unpack(values)) }, { parts(table.unpack(values)) }
  for i = 1, #a do
    assert(nd.array_equal(a[i], b[i]), ("output %d differs"):format(i))
    local scale = a[i].size > 0 and nd.abs(w[i]):max() or 1
    local off = a[i].size > 0 and nd.abs(a[i] - w[i]):max() / (scale > 0 and scale or 1) or 0
    assert(off < tolerance, ("output %d is off by %g"):format(i, off))
  end
  return text_of(one), one
end

describe("heads that attention reads where they lie", function()
  if theano.config.cxx == "" then
    it("need a compiler", function() skip.now("there is no C compiler") end)
    return
  end

  local cases = {
    { name = "one product", batch = 2, n = 5, width = 12, heads = 3, amp = "bfloat16" },
    { name = "values wider", batch = 2, n = 70, width = 16, heads = 2, wide = 11, amp = "float16" },
    { name = "another order", batch = 3, n = 7, width = 8, heads = 2, order = { 3, 1, 2 } },
    { name = "columns that nobody reads", batch = 2, n = 9, width = 6, heads = 3, more = 4, amp = "bfloat16" },
    { name = "three products", batch = 2, n = 33, width = 8, heads = 4, apart = true, wide = 3, amp = "bfloat16" },
    { name = "a mask for all", batch = 2, n = 6, width = 6, heads = 2, mask = "one", amp = "bfloat16" },
    { name = "a mask for each", batch = 2, n = 6, width = 6, heads = 3, mask = "each", dtype = "float64" },
    { name = "a mask of bools", batch = 3, n = 6, width = 6, heads = 2, mask = "each", keep = true, amp = "float16" },
    { name = "lengths of the array", batch = 2, n = 11, width = 10, heads = 2, symbolic = true, amp = "bfloat16" },
    { name = "segments of keys", batch = 2, n = 300, width = 4, heads = 2, amp = "bfloat16" },
    { name = "features of two blocks", batch = 2, n = 20, width = 280, heads = 2, amp = "bfloat16" },
    { name = "no positions", batch = 2, n = 0, width = 8, heads = 2, amp = "bfloat16" },
    { name = "one head", batch = 2, n = 6, width = 8, heads = 1, amp = "bfloat16", left = true },
    { name = "one head, three products", batch = 2, n = 6, width = 8, heads = 1, apart = true, amp = "float16",
      left = true },
    { name = "one position", batch = 3, n = 1, width = 12, heads = 3, symbolic = true, amp = "bfloat16" },
    { name = "one position of float64", batch = 2, n = 1, width = 8, heads = 2, dtype = "float64", wide = 3,
      symbolic = true },
    { name = "one position that is a constant", batch = 2, n = 1, width = 8, heads = 2, left = true },
    { name = "a batch of one", batch = 1, n = 6, width = 12, heads = 3, symbolic = true, amp = "bfloat16" },
    { name = "a batch of one that is a constant", batch = 1, n = 6, width = 12, heads = 3, amp = "bfloat16",
      left = true },
    { name = "one position of a batch of one", batch = 1, n = 1, width = 4, heads = 2, symbolic = true },
    { name = "one feature", batch = 2, n = 3, width = 2, heads = 2, symbolic = true, left = true },
    { name = "fewer keys", batch = 2, n = 37, keys = 5, width = 8, heads = 2, apart = true, amp = "bfloat16" },
    { name = "more keys", batch = 2, n = 3, keys = 70, width = 8, heads = 2, apart = true, wide = 3, amp = "float16" },
    { name = "more keys and a mask", batch = 2, n = 5, keys = 9, width = 6, heads = 3, apart = true, mask = "each",
      keep = true, dtype = "float64" },
    { name = "one key", batch = 3, n = 7, keys = 1, width = 8, heads = 2, apart = true, symbolic = true,
      amp = "bfloat16" },
    { name = "one position of many keys", batch = 2, n = 1, keys = 40, width = 8, heads = 2, apart = true, wide = 5,
      symbolic = true },
    { name = "no keys", batch = 2, n = 4, keys = 0, width = 8, heads = 2, apart = true, amp = "bfloat16" },
    { name = "keys of the array", batch = 1, n = 4, keys = 9, width = 8, heads = 2, apart = true, symbolic = true,
      amp = "bfloat16" },
    { name = "no gradient", batch = 2, n = 9, width = 8, heads = 2, amp = "bfloat16", alone = true },
  }
  for _, c in ipairs(rotate.some(cases, 7)) do
    it(("give what copies give: %s"):format(c.name), function()
      if c.amp then return same("float32", c, c.amp, c.alone, c.amp == "bfloat16" and 0.1 or 0.02) end
      same(c.dtype or "float32", c, nil, c.alone, c.dtype and 1e-12 or 2e-4)
    end)
  end

  it("are not copied, nor what they give", function()
    for _, amp in ipairs({ false, "bfloat16" }) do
      local text, f = same("float32", { batch = 2, n = 40, width = 16, heads = 2 }, amp or nil, false, 0.1)
      assert.equal(1, count(text, "AttentionHeadsInto{"), text)
      local plan = theano.printing.plan(f)
      for step in plan:gmatch("\n  step [^\n]*") do
        assert(not step:find("Reshape{[34]}") and not step:find("DimShuffle"), step)
        assert(not step:find("%] +Elemwise{Cast{float32}}$"), step)
      end
      text = same("float32", { batch = 2, n = 40, width = 16, heads = 2, apart = true }, amp or nil, false, 0.1)
      assert(text:find("AttentionHeadsGrad{", 1, true), text)
    end
  end)

  it("are left where nothing would be saved, or lengths are not surely the same", function()
    local q, k, v = T.tensor3("q"), T.tensor3("k"), T.tensor3("v")
    local z = T.batched_dot(T.nnet.softmax(T.batched_dot(q, k), { axis = 2 }), v)
    local _ <close> = theano.config.change_flags(flags())
    local text = text_of(theano.compile({ inputs = { q, k, v }, outputs = z }))
    assert(text:find("Attention{", 1, true) and not text:find("AttentionHeads", 1, true), text)
    -- two positions of 4 as heads of one of 8
    local x = T.fmatrix("x")
    local all = x:reshape({ 2, 6, 2, 4 }):dimshuffle(0, 2, 1, 3):reshape({ 4, 6, 4 })
    local one = T.batched_dot(T.nnet.softmax(T.batched_dot(all, all:dimshuffle(0, 2, 1)), { axis = 2 }), all)
    local f = theano.compile({ inputs = { x }, outputs = one:reshape({ 4, 6, 2, 2 }):dimshuffle(0, 2, 1, 3) })
    assert(not text_of(f):find("AttentionHeads", 1, true))
  end)

  it("say what does not fit, as before", function()
    local inputs, values, y, cost, p = model("float32", { batch = 2, n = 5, width = 12, heads = 3 })
    local f = function_of(inputs, y, cost, p, flags())
    local g = function_of(inputs, y, cost, p, flags({ optimizer_excluding = "attention_heads" }))
    local bad = numbers("float32", 2, 6, 12)
    local ok, message = pcall(f, bad)
    local ok2, message2 = pcall(g, bad)
    assert(not ok and not ok2)
    assert.equal(tostring(message2):match("%a+Error: [^\n]*"), tostring(message):match("%a+Error: [^\n]*"))
    f(table.unpack(values))
  end)

  -- Where a step of such a function runs on the host: each of the batch by the host's Attention.
  it("give what Attention gives, on the host", function()
    local text = [[
q: float32[?,?,?,?]
k: float32[?,?,?,?]
v: float32[?,?,?,?]
g: float32[?,?,?,?]
b: float32[?,?,?]
%0, %1 = AttentionHeads{kind=0, scale=0.5, fill=0.0, low=0, whole=0, NONE}(q, k, v)
%2, %3, %4 = AttentionHeadsGrad{kind=0, scale=0.5, fill=0.0, low=0, whole=0, NONE}(q, k, v, %1, g, %0)
%5 = AttentionHeadsInto{kind=0, scale=0.5, fill=0.0, low=0, whole=0, SOME}(q, k, v, %1, g, %0, b)
out %0, %2, %3, %4, %5
]]
    local none, some = {}, { dq = { 0, 6 }, dk = { 8, 14 }, dv = { 14, 18 } }
    local function fields(t)
      local list = {}
      for i, name in ipairs({ "dq", "dk", "dv" }) do
        local part = t[name] or { 0, 0 }
        list[i] = ("%s_from=%d, %s_to=%d"):format(name, part[1], name, part[2])
      end
      return table.concat(list, ", ")
    end
    local ins, outs = theano.printing.graph_read((text:gsub("NONE", fields(none)):gsub("SOME", fields(some))))
    local f = theano.compile({ inputs = ins, outputs = outs })
    local B, n, H = 3, 7, 2
    local q, k, v = numbers("float32", B, n, H, 3), numbers("float32", B, n, H, 3), numbers("float32", B, n, H, 2)
    local g, base = numbers("float32", B, n, H, 2), numbers("float32", B, n, 20)
    local got = { f(q, k, v, g, base) }
    local vq, vk, vv, vg = T.tensor4("q"), T.tensor4("k"), T.tensor4("v"), T.tensor4("g")
    local function rows(x) return x:dimshuffle(0, 2, 1, 3) end
    local p = T.exp(0.5 * T.matmul(rows(vq), vk:dimshuffle(0, 2, 3, 1)))
    local z = T.matmul(p / p:sum({ axis = 3, keepdims = true }), rows(vv)):dimshuffle(0, 2, 1, 3)
    local want = { theano.compile({ inputs = { vq, vk, vv, vg },
      outputs = { z, table.unpack(T.grad((z * vg):sum(), { vq, vk, vv })) } })(q, k, v, g) }
    for i = 1, 4 do assert(nd.abs(got[i] - want[i]):max() < 1e-5, i) end
    local all = base:copy()
    for i, name in ipairs({ "dq", "dk", "dv" }) do
      local part = some[name]
      all[(":, :, %d:%d"):format(part[1], part[2])] = got[i + 1]:reshape({ B, n, -1 })
    end
    assert(nd.array_equal(all, got[5]))
  end)
end)
