--- Work that leaves loops: what is left inside, and that the values and errors are those of the loop as written.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local W, V, h, x3 = T.dmatrix("W"), T.dmatrix("V"), T.dmatrix("h"), T.dtensor3("x3")
local h0, n = T.dvector("h0"), T.lscalar("n")

local function sums(with)
  return theano.scan(function(now, before) return { now, with(now, before) } end,
    { sequences = { h }, outputs_info = { T.zeros({ h.shape[1] }), false } })
end

local function rnn(collect)
  return theano.scan(function(row, before)
    local pre = T.dot(row, W) + T.dot(before, V)
    return { T.tanh(pre), collect(pre, before, row) }
  end, { sequences = { h }, outputs_info = { h0, false } })
end

-- {name, inputs, results, loops that are left, Dots in them}
local cases = {
  { "the dot of a sequence's row and what came before", { W, h },
    sums(function(now, before) return T.dot(now + before, W) end), 1, 0 },
  { "elementwise work on what came before", { h }, sums(function(now, before) return T.exp(now) * before end), 1, 0 },
  { "the dot of what came two turns ago", { W, h }, (theano.scan(function(row, two, one)
    return { T.tanh(row + one), T.dot(two, W) }
  end, { sequences = { h }, outputs_info = { { initial = T.zeros({ 2, h.shape[1] }), taps = { -2, -1 } }, false } })),
    1, 0 },
  { "what the next state reads too", { W, V, h, h0 }, rnn(function(pre) return pre end), 1, 1 },
  { "the output layer", { W, V, h, h0 }, rnn(function(_, before) return T.dot(before, V) * 2 end), 1, 1 },
  { "a value alone", { W, V, h0 }, { (theano.scan(function() return T.dot(h0, W + V) end, { n_steps = 5 })) }, 0, 0 },
  { "a value alone, as often as is said", { h0, n },
    { (theano.scan(function() return T.exp(h0) end, { n_steps = n })) }, 0, 0 },
  { "a value alone, beside rows that are not read", { h, h0, n },
    { (theano.scan(function() return T.exp(h0) end, { n_steps = n, sequences = { h } })) }, 0, 0 },
  { "the last of a value alone", { h0, n }, { (theano.scan(function() return T.exp(h0) end, { n_steps = n }))[-1] },
    0, 0 },
  { "rows and a value", { W, h, h0 }, (theano.map(function(row) return { T.dot(row, W), h0 * 2 } end, h)), 0, 0 },
}

local function run(f, values)
  local ok, r = pcall(function() return { f(table.unpack(values)) } end)
  return ok and r or tostring(r):match("%u%w+Error") or tostring(r)
end

local rng = nd.random.RandomState(3)

describe("leaves the loop:", function()
  local mode = theano.compile.get_mode("FAST_RUN"):excluding("fusion", "inplace")
  for _, case in ipairs(cases) do
    local name, inputs, results, loops, dots = table.unpack(case)
    if type(results) ~= "table" then results = { results } end
    it(name, function()
      local f = theano.compile(inputs, results, { mode = mode, on_unused_input = "ignore" })
      local fast = theano.compile(inputs, results, { on_unused_input = "ignore" })
      local g = theano.compile(inputs, results, { mode = "None", on_unused_input = "ignore" })
      local text, left, inside = theano.printing.graph_text(f), 0, 0
      for body in text:gmatch("Scan{body='(.-)'") do
        left = left + 1
        inside = inside + select(2, body:gsub(" = Dot%(", ""))
      end
      assert.equal(loops, left, text)
      assert.equal(dots, inside, text)
      math.randomseed(5)
      local gave = 0
      for try = 1, 60 do
        local k = math.random(0, 3)
        local function length() return try % 3 > 0 and k or math.random(0, 3) end
        local values = {}
        for i, of in ipairs(inputs) do
          if of == n then values[i] = math.random(-1, 4)
          elseif of == h0 then values[i] = rng:randn(length())
          elseif of == x3 then values[i] = rng:randn(length(), length(), length())
          elseif of == h then values[i] = rng:randn(math.random(0, 4), length())
          else values[i] = rng:randn(length(), length()) end
        end
        local want = run(g, values)
        for _, got in ipairs({ run(f, values), run(fast, values) }) do
          if type(want) == "string" or type(got) == "string" then
            local both = type(want) == "string" and type(got) == "string"
            local either = both and (want .. got):find("^[IV]%a+Error[IV]%a+Error$")
            assert.is_true(want == got or either ~= nil, ("%s: %s, %s"):format(try, tostring(want), tostring(got)))
          else
            gave = gave + 1
            for r = 1, #want do assert.is_true(nd.allclose(want[r], got[r]), ("result %d of try %d"):format(r, try)) end
          end
        end
      end
      assert.is_true(gave > 0)
    end)
  end

  it("gradients through them are those of the loop", function()
    local cost = T.sum(T.sqr(sums(function(now, before) return T.dot(now + before, W) end)[2]))
    local f = theano.compile({ W, h }, T.grad(cost, { W, h }))
    local g = theano.compile({ W, h }, T.grad(cost, { W, h }), { mode = "None" })
    local w, x = rng:randn(3, 2), rng:randn(4, 3)
    local a, b = { f(w, x) }, { g(w, x) }
    for i = 1, 2 do assert.is_true(nd.allclose(a[i], b[i])) end
  end)
end)

describe("a value that the loop reads turned", function()
  it("is no copy before it", function()
    local x = theano.scan({ fn = function(row, before, w) return T.tanh(row + T.dot(before, w)) end, sequences = x3,
      outputs_info = T.zeros({ x3.shape[1], x3.shape[2] }), non_sequences = W })
    for _, results in ipairs({ { T.grad(T.sqr(x):sum(), W) }, T.grad(T.sqr(x):sum(), { W, x3 }) }) do
      local f = theano.compile({ W, x3 }, results)
      local back
      for body in theano.printing.graph_text(f):gmatch("Scan{body='(.-)'") do
        if body:find("DimShuffle{order=[1, 0]}", 1, true) then back = body end
      end
      assert.is_truthy(back)
      local plan = theano.printing.plan(f) -- a copy of a matrix is a kernel named after the loop
      assert.is_nil(plan:find("kernel forall_inplace,cpu,grad_of_scan_fn}\n  dim 0: par [^\n]*\n  dim 1: par"), plan)
      local g = theano.compile({ W, x3 }, results, { mode = "None" })
      local w, rows = rng:randn(3, 3), rng:randn(4, 2, 3)
      local a, b = { f(w, rows) }, { g(w, rows) }
      for i = 1, #results do assert.is_true(nd.allclose(a[i], b[i])) end
    end
  end)
end)

describe("loops whose gradients do not go back as far", function()
  it("stay two", function()
    local function loop(k, far)
      local how = { outputs_info = { h0 }, n_steps = n, truncate_gradient = far }
      return (theano.scan(function(s) return s * k end, how))
    end
    local function count(...)
      local text = theano.printing.graph_text(theano.compile({ h0, n }, { ... }))
      return select(2, text:gsub("Scan{", ""))
    end
    assert.equal(2, count(loop(2, 3), loop(3, -1)))
    assert.equal(1, count(loop(2, 3), loop(3, 3)))
    assert.equal(1, count(loop(2, -1), loop(3, -1)))
  end)
end)

describe("the gradient of a recurrence with gates", function()
  local U, rows = T.dmatrix("U"), T.dtensor3("rows")
  local function cost(width)
    local function part(g, i) return g[{ T.slice(), T.slice(i * width, (i + 1) * width) }] end
    local out = theano.scan({
      fn = function(row, before)
        local g = row + T.dot(before, U)
        return T.tanh(part(g, 0)) * before + T.nnet.sigmoid(part(g, 1)) * T.tanh(part(g, 2))
      end,
      sequences = rows, outputs_info = T.zeros({ rows.shape[1], width }), non_sequences = U, strict = true,
    })
    return T.sqr(out):sum()
  end

  it("assigns the gates' parts and keeps their rows once", function()
    local f = theano.compile({ U, rows }, T.grad(cost(4), { U, rows }))
    local text = theano.printing.debugprint(f, { file = "str" })
    local loop = text:match("\n(forall_inplace,%l+,grad_of_scan_fn}%.0 .*)$")
    assert(select(2, loop:gsub("IncSubtensor{InplaceSet", "")) >= 3, loop)
    assert.is_nil(loop:find("InplaceInc", 1, true), loop)
    assert.equal(1, select(2, loop:gsub("\n >%a*IncSubtensor", "")), loop)
    local parts = 0 -- all three by one kernel
    for kernel in theano.printing.plan(f):gmatch("\nkernel (.-)\n  stage 0") do
      parts = math.max(parts, select(2, kernel:gsub("write part", "")))
    end
    assert.equal(3, parts)
    local g = theano.compile({ U, rows }, T.grad(cost(4), { U, rows }), { mode = "None" })
    for _, turns in ipairs({ 0, 1, 5 }) do
      local u, r = rng:randn(4, 12), rng:randn(turns, 2, 12)
      local a, b = { f(u, r) }, { g(u, r) }
      for i = 1, 2 do assert.is_true(nd.allclose(a[i], b[i]), turns) end
    end
  end)

  it("raises where a part has another width", function()
    local f = theano.compile({ U, rows }, T.grad(cost(4), { U, rows }))
    local ok, why = pcall(f, nd.ones({ 4, 11 }), nd.ones({ 3, 2, 11 }))
    assert.is_false(ok)
    assert.truthy(tostring(why):find("mis%-match") or tostring(why):find("ismatch"), why)
  end)
end)
