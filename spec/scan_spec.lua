-- theano.scan: values, gradients, errors. A loop is compared with the same steps written out one after the other.
local theano = require "theano"
local T, nd = theano.tensor, theano.ndarray
local compile = theano.compile
local fast = theano.compile.Mode({ linker = "interpreter" })

local function run(inputs, outs, values)
  return table.pack(theano.compile({ inputs = inputs, outputs = outs, on_unused_input = "ignore", mode = fast })(
    table.unpack(values)))
end

local function close(a, b, tol, what)
  a, b = nd.array(a), nd.array(b)
  assert.same(a.shape, b.shape, what)
  local ok = nd.allclose(a, b, tol or 1e-9, tol or 1e-9)
  if not ok then error((what or "") .. ": " .. tostring(a) .. "\nwanted\n" .. tostring(b)) end
end

local function fails(kind, words, f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok)
  assert.equal(kind, theano.error_kind(message), message)
  assert.truthy(message:find(words, 1, true), message)
  assert.truthy(message:find("scan_spec.lua:", 1, true), message)
end

-- ---- the same steps, one after the other
-- -----------------------------------------------------------------------------------
-- seqs: {{x, taps}}, states: {{initial, taps}} or false; the results are stacked.
local function unroll(fn, seqs, infos, values, n, backwards)
  local past, outs = {}, {}
  for i, o in ipairs(infos) do
    if o then
      past[i] = {}
      local back = 0
      for _, k in ipairs(o[2]) do back = math.max(back, -k) end
      o.back = back
      if #o[2] == 1 and o[2][1] == -1 then past[i][-1] = o[1]
      else for r = 0, back - 1 do past[i][r - back] = o[1]:sub(r) end end
    end
    outs[i] = {}
  end
  for t = 0, n - 1 do
    local args = {}
    for _, s in ipairs(seqs) do
      local low, high = 0, 0
      for _, k in ipairs(s[2]) do low, high = math.min(low, k), math.max(high, k) end
      for _, k in ipairs(s[2]) do
        local len = s[3] - (high - low)
        args[#args + 1] = s[1]:sub((backwards and len - 1 - t or t) + k - low)
      end
    end
    for i, o in ipairs(infos) do
      if o then for _, k in ipairs(o[2]) do args[#args + 1] = past[i][t + k] end end
    end
    for _, v in ipairs(values) do args[#args + 1] = v end
    local r = table.pack(fn(table.unpack(args)))
    for i, v in ipairs(r) do
      if infos[i] then past[i][t] = v end
      outs[i][t + 1] = v
    end
  end
  for i = 1, #outs do outs[i] = T.stack(outs[i]) end
  return outs
end

describe("scan against the steps written out", function()
  -- A random body over its arguments (all vectors of one length): sums of products through tanh.
  local function random_body(rng, nargs, nouts)
    local plan = {}
    for o = 1, nouts do
      plan[o] = {}
      for j = 1, 2 + rng:randint(0, 2) do
        plan[o][j] = { rng:randint(1, nargs + 1), rng:randint(1, nargs + 1), rng:randint(0, 4) }
      end
    end
    return function(...)
      local args, outs = table.pack(...), {}
      for o = 1, nouts do
        local sum
        for _, p in ipairs(plan[o]) do
          local a, b = args[p[1]], args[p[2]]
          local term
          if p[3] == 0 then term = a * b
          elseif p[3] == 1 then term = T.tanh(a) + 0.5 * b
          elseif p[3] == 2 then term = T.sin(a) * 0.3
          else term = a * b:sum() end
          sum = sum and sum + term or term
        end
        outs[o] = T.tanh(sum)
      end
      return table.unpack(outs)
    end
  end

  local function case(seed)
    local rng = nd.random.RandomState(seed)
    local n, inputs, values = rng:randint(2, 6), {}, {}
    local function input(ndim, rows)
      local x = ndim == 2 and T.dmatrix() or T.dvector()
      inputs[#inputs + 1] = x
      values[#values + 1] = ndim == 2 and rng:randn(rows, 3) or rng:randn(3)
      return x
    end
    local tap_choice = { { 0 }, { 0, 1 }, { -1, 0 }, { -2, 1 }, { 2 } }
    local out_choice = { { -1 }, { -2, -1 }, { -3, -1 }, { -2 }, { -1, -4 } }
    local seqs, infos, nonseq, nargs = {}, {}, {}, 0
    local scan_seqs, scan_infos = {}, {}
    for i = 1, rng:randint(0, 3) do
      local taps = tap_choice[rng:randint(1, #tap_choice + 1)]
      local low, high = 0, 0
      for _, k in ipairs(taps) do low, high = math.min(low, k), math.max(high, k) end
      local rows = n + high - low
      seqs[i] = { input(2, rows), taps, rows }
      scan_seqs[i] = { input = seqs[i][1], taps = taps }
      nargs = nargs + #taps
    end
    local nouts = rng:randint(1, 4)
    for o = 1, nouts do
      local kind = rng:randint(0, 3)
      if kind == 0 and nargs > 0 then
        infos[o], scan_infos[o] = false, false
      else
        local taps = kind == 1 and { -1 } or out_choice[rng:randint(1, #out_choice + 1)]
        local back = 0
        for _, k in ipairs(taps) do back = math.max(back, -k) end
        local one = #taps == 1 and taps[1] == -1
        local x = one and input(1) or input(2, back)
        infos[o] = { x, taps }
        scan_infos[o] = one and x or { initial = x, taps = taps }
        nargs = nargs + #taps
      end
    end
    for i = 1, rng:randint(0, 3) do nonseq[i] = input(1); nargs = nargs + 1 end
    if nargs == 0 then return end
    local fn, backwards = random_body(rng, nargs, nouts), rng:randint(0, 2) == 1
    local outs = theano.scan { fn = fn, sequences = scan_seqs, outputs_info = scan_infos, non_sequences = nonseq,
      n_steps = n, go_backwards = backwards, return_list = true }
    local flat = unroll(fn, seqs, infos, nonseq, n, backwards)
    local function all(list)
      local sum
      for i, v in ipairs(list) do
        local term = (v * (i + T.arange(n):dimshuffle(0, "x"))):sum()
        sum = sum and sum + term or term
      end
      return sum
    end
    local ignore = { disconnected_inputs = "ignore" }
    local ga, gb = theano.grad(all(outs), inputs, ignore), theano.grad(all(flat), inputs, ignore)
    local a, b = {}, {}
    for i = 1, #outs do a[#a + 1], b[#b + 1] = outs[i], flat[i] end
    for i = 1, #inputs do a[#a + 1], b[#b + 1] = ga[i], gb[i] end
    local ra, rb = run(inputs, a, values), run(inputs, b, values)
    for i = 1, #a do close(ra[i], rb[i], 1e-8, ("seed %d result %d of %d"):format(seed, i, #outs)) end
  end

  it("gives equal values and gradients on random bodies", function()
    for seed = 1, 60 do case(seed) end
  end)
end)

-- ---- what a step may do
-- ------------------------------------------------------------------------------------------------------
local function eval(out, inputs, ...)
  return theano.compile({ inputs = inputs or {}, outputs = out, mode = fast })(...)
end

describe("scan", function()
  local x, h0, W = T.dmatrix("x"), T.dvector("h0"), T.dmatrix("W")
  local rng = nd.random.RandomState(5)
  local xv, hv, wv = rng:randn(5, 3), rng:randn(3), rng:randn(3, 3)
  local function rnn(options)
    local a = { fn = function(v, h, w) return T.tanh(v + T.dot(h, w)) end, sequences = x, outputs_info = h0,
      non_sequences = W }
    for k, v in pairs(options or {}) do a[k] = v end
    return (theano.scan(a))
  end

  it("takes positional arguments and keywords", function()
    local a = theano.scan(function(v, h, w) return T.tanh(v + T.dot(h, w)) end, x, h0, W)
    local b = theano.scan(function(v, h, w) return T.tanh(v + T.dot(h, w)) end, { x }, { h0 }, { W },
      { go_backwards = false, n_steps = x.shape[0] })
    local f = theano.compile({ inputs = { x, h0, W }, outputs = { a, b, rnn() }, mode = fast })
    local p, q, r = f(xv, hv, wv)
    close(p, r)
    close(q, r)
  end)

  it("finds what the step uses", function()
    local out = theano.scan { fn = function(v, h) return T.tanh(v + T.dot(h, W)) end, sequences = x, outputs_info = h0 }
    close(eval(out, { x, h0, W }, xv, hv, wv), eval(rnn(), { x, h0, W }, xv, hv, wv))
    local s = theano.shared(wv)
    out = theano.scan { fn = function(v, h) return T.tanh(v + T.dot(h, s)) end, sequences = x, outputs_info = h0 }
    close(eval(out, { x, h0 }, xv, hv), eval(rnn(), { x, h0, W }, xv, hv, wv))
    fails("MissingInputError", "strict = true", theano.scan, { fn = function(v, h) return T.tanh(v + T.dot(h, W)) end,
      sequences = x, outputs_info = h0, strict = true })
    local y = T.dot(W, W)
    out = theano.scan { fn = function(v) return T.dot(v, y) end, sequences = x }
    close(eval(out, { x, W }, xv, wv), nd.dot(xv, nd.dot(wv, wv)))
  end)

  it("updates shared variables", function()
    local s = theano.shared(1.0, { name = "s" })
    local out, updates = theano.scan { fn = function() return s * 10, { { s, s * 2 } } end, n_steps = 4 }
    assert.equal(1, #updates)
    local f = theano.compile { inputs = {}, outputs = out, updates = updates, mode = fast }
    close(f(), { 10, 20, 40, 80 })
    close(s:get_value(), 16.0)
    close(f(), { 160, 320, 640, 1280 })
    local only, u = theano.scan(function() return { [s] = s + 1 } end, { n_steps = 3 })
    assert.is_nil(only)
    theano.compile { inputs = {}, outputs = {}, updates = u, mode = fast }()
    close(s:get_value(), 259.0)
  end)

  it("advances a random stream or any default update once a step", function()
    local s = theano.shared(0)
    s.default_update = s + 1
    local out, updates = theano.scan { fn = function() return s * 1 end, n_steps = 3 }
    local f = theano.compile { inputs = {}, outputs = out, updates = updates, mode = fast }
    close(f(), { 0, 1, 2 })
    close(f(), { 3, 4, 5 })
  end)

  it("ends after the step in which until_ holds", function()
    local n = T.lscalar("n")
    local out = theano.scan { fn = function(v) return v * 2, theano.until_(T.ge(v * 2, 100)) end,
      outputs_info = T.constant(1.0, { dtype = "float64" }), n_steps = n }
    local f = theano.compile({ inputs = { n }, outputs = { out, out:sub(-1), out.shape[0] }, mode = fast })
    local a, last, len = f(1000)
    close(a, { 2, 4, 8, 16, 32, 64, 128 })
    assert.equal(128.0, last)
    assert.equal(7, len)
    close((f(3)), { 2, 4, 8 })
    local square = theano.scan { fn = function(v) return v * v, theano.until_(T.gt(v * v, 10)) end,
      outputs_info = h0:sub(0), n_steps = 50 }
    local v = T.dvector("v")
    local g = theano.grad(theano.clone(square:sum(), { replace = { { h0, v } } }), v)
    close(eval(g, { v }, { 1.5, 0, 0 }), { 2 * 1.5 + 4 * 1.5 ^ 3 + 8 * 1.5 ^ 7, 0, 0 })
  end)

  it("gives empty results for no steps", function()
    local n = T.lscalar("n")
    local out = theano.scan { fn = function(v) return v * 2, v:sum() end, outputs_info = { h0, false }, n_steps = n }
    local f = theano.compile({ inputs = { h0, n }, outputs = out, mode = fast })
    local a, b = f(hv, 0)
    assert.same({ 0, 3 }, a.shape)
    assert.same({ 0 }, b.shape)
    assert.same({ 2, 3 }, (f(hv, 2)).shape)
    fails("IndexError", "negative", f, hv, -1)
    local short = theano.scan { fn = function(v) return v * 2 end, sequences = h0, n_steps = n } -- leaves its loop
    local g = theano.compile({ inputs = { h0, n }, outputs = short })
    assert.same({ 2, 4 }, g({ 1.0, 2.0, 3.0 }, 2):tolist())
    fails("ValueError", "fewer rows", g, { 1.0, 2.0, 3.0 }, 4)
    fails("IndexError", "negative", g, { 1.0, 2.0, 3.0 }, -1)
    local zero = theano.scan { fn = function(v) return v * 2 end, outputs_info = h0, n_steps = 0 }
    assert.same({ 0, 3 }, eval(zero, { h0 }, hv).shape)
    local sum = theano.reduce(function(v, s) return s + v end, x, T.zeros_like(h0))
    close(eval(sum, { x, h0 }, nd.zeros({ 0, 3 }), hv), { 0, 0, 0 })
  end)

  it("indexes nothing in no steps, whatever the body would index out of bounds", function()
    local v, w = T.dvector("v"), T.dvector("w")
    local double = theano.as_op { itypes = { T.dscalar().type }, otypes = { T.dscalar().type },
      fn = function(a) return a * 2 end }
    for _, body in ipairs({ function(a) return a * w[0] end, function(a) return a + w[-2] end,
      function(a) return double(a) * double(w[1]) end }) do
      local out = theano.map(body, v)
      for _, mode in ipairs({ "None", "FAST_COMPILE", "FAST_RUN" }) do
        local f = theano.compile({ v, w }, out, { mode = mode })
        assert.same({ 0 }, f({}, {}).shape)
        fails("IndexError", "out of bounds", f, { 1, 2 }, {})
        assert.same({ 2 }, f({ 1, 2 }, { 3, 4 }).shape)
      end
    end
  end)

  it("applies a single step without a loop", function()
    local out, u = theano.scan { fn = function(v, h) return v + h end, sequences = x, outputs_info = h0, n_steps = 1 }
    assert.equal(0, #u)
    assert.falsy(theano.printing.graph_text(out):find("Scan", 1, true))
    assert.same({ 1, 3 }, eval(out, { x, h0 }, xv, hv).shape)
    assert.is_false(out.broadcastable[1])
    close(eval(out, { x, h0 }, xv, hv), nd.array({ (xv[0] + hv):tolist() }))
  end)

  it("returns a list when asked", function()
    assert.equal("table", type(rnn { return_list = true }))
    assert.equal("userdata", type(rnn()))
  end)

  it("maps, reduces and folds", function()
    local v = T.dvector("v")
    local xs = { 1.0, 2.0, 3.0 }
    close(eval((theano.map(function(a, b) return a * b end, { v, v + 1 })), { v }, xs), { 2, 6, 12 })
    close(eval((theano.map(function(a, k) return a * k end, v, v:sum())), { v }, xs), { 6, 12, 18 })
    local zero = T.constant(0.0, { dtype = "float64" })
    close(eval((theano.reduce(function(a, s) return s * 2 + a end, v, zero)), { v }, xs), 11.0)
    close(eval((theano.foldl(function(a, s) return s * 2 + a end, v, zero)), { v }, xs), 11.0)
    close(eval((theano.foldr(function(a, s) return s * 2 + a end, v, zero)), { v }, xs), 17.0)
  end)

  it("nests", function()
    local v, n = T.dvector("v"), T.lscalar("n")
    local function power(k) return theano.scan { fn = function(p) return p * v end, outputs_info = T.ones_like(v),
      n_steps = k }:sub(-1) end
    local out = theano.scan { fn = function(k, s) return s + power(k) end, sequences = T.arange(2, n),
      outputs_info = T.zeros_like(v) }
    local f = theano.compile { inputs = { v, n }, outputs = { out, theano.grad(out:sub(-1):sum(), v) }, mode = fast }
    local a, g = f({ 2.0, 3.0 }, 5)
    close(a, { { 4, 9 }, { 12, 36 }, { 28, 117 } })
    close(g, { 4 + 12 + 32, 6 + 27 + 108 })
  end)

  it("goes only so far back with truncate_gradient", function()
    local cost = (rnn { truncate_gradient = 2 }):sub(-1):sum()
    local g = theano.grad(cost, { x, h0, W })
    local flat = unroll(function(v, h, w) return T.tanh(v + T.dot(h, w)) end, { { x, { 0 }, 5 } }, { { h0, { -1 } } },
      { W }, 5)[1]
    local full = theano.grad(flat:sub(-1):sum(), x)
    local f = theano.compile { inputs = { x, h0, W }, outputs = { g[1], g[2], full }, mode = fast }
    local gx, gh, all = f(xv, hv, wv)
    close(gx["3:"], all["3:"])
    close(gx[":3"], nd.zeros({ 3, 3 }))
    close(gh, nd.zeros({ 3 }))
    local long = theano.grad((rnn { truncate_gradient = 9 }):sub(-1):sum(), { x, h0 })
    local same = theano.grad((rnn()):sub(-1):sum(), { x, h0 })
    local p, q, r, t = theano.compile { inputs = { x, h0, W }, outputs = { long[1], long[2], same[1], same[2] },
      mode = fast }(xv, hv, wv)
    close(p, r)
    close(q, t)
  end)

  it("stays a loop of its own where truncate_gradient differs", function()
    local function loops(one, other)
      local sums = theano.scan { fn = function(v, h) return h + v end, sequences = x, outputs_info = h0,
        truncate_gradient = one }
      local products = theano.scan { fn = function(v, h) return h * v end, sequences = x, outputs_info = h0,
        truncate_gradient = other }
      local f = theano.compile { inputs = { x, h0 }, outputs = { sums, products }, mode = fast }
      local n = 0
      for _, node in ipairs(f.maker.fgraph:toposort()) do
        if node.op.name:find("^forall") then n = n + 1 end
      end
      return n
    end
    assert.equal(1, loops(-1, -1))
    assert.equal(1, loops(2, 2))
    assert.equal(2, loops(2, -1))
    assert.equal(2, loops(2, 3))
  end)

  it("may hold a reshape to a length that is known to be 1 #asan", function() -- debug builds look at the pattern
    local d = T.dcol("d")
    local v = d:reshape(T.stack({ d.shape[1], d.shape[0] }), { ndim = 2 }):reshape({ -1 })
    local f = theano.compile { inputs = { d }, outputs = theano.map(function(a) return a * 2 + v.shape[0] end, v),
      mode = fast }
    close(f(nd.ones({ 3, 1 })), { 5, 5, 5 })
    close(f(nd.zeros({ 0, 1 })), nd.zeros({ 0 }))
  end)

  it("passes verify_grad with taps, updates and until", function()
    theano.gradient.verify_grad(function(a, b, c) return (theano.scan { fn = function(v, w, h, k)
      return T.tanh(v * h + w * k) end, sequences = { input = a, taps = { 0, 1 } }, outputs_info = b,
      non_sequences = c }) end, { xv, hv, hv * 0.5 })
    theano.gradient.verify_grad(function(a, b)
      local s = theano.shared(nd.array({ 0.3, 0.2, 0.1 }))
      local out = theano.scan { fn = function(v, h)
        return T.sin(h * s + v), { { s, s * 1.5 + h } } end, sequences = a, outputs_info = b }
      return out
    end, { xv, hv })
    theano.gradient.verify_grad(function(a)
      return (theano.scan { fn = function(h) return h * h + 0.1, theano.until_(T.gt((h * h):sum(), 3)) end,
        outputs_info = a, n_steps = 9 })
    end, { nd.array({ 0.9, 1.1 }) })
  end)

  it("has second derivatives and forward mode", function()
    local v = T.dvector("v")
    local out = theano.scan { fn = function(a, b, c) return T.sin(a * c) + b * b end, n_steps = 4, non_sequences = v,
      outputs_info = { { initial = T.stack { v, v * 2 }, taps = { -2, -1 } } } }
    local flat = unroll(function(a, b, c) return T.sin(a * c) + b * b end, {},
      { { T.stack { v, v * 2 }, { -2, -1 } } }, { v }, 4)[1]
    local function all(y)
      local g = theano.grad(y:sum(), v)
      return g, theano.grad((g * g):sum(), v), theano.Rop(y, v, v * v)
    end
    local a, b, c = all(out)
    local p, q, r = all(flat)
    local outs = { a, b, c, p, q, r }
    local res = table.pack(theano.compile { inputs = { v }, outputs = outs, mode = fast }({ 0.3, -0.4 }))
    for i = 1, 3 do close(res[i], res[i + 3], 1e-8, "derivative " .. i) end
  end)

  it("is vectorised by vmap", function()
    local B, v = T.dmatrix("B"), T.dvector("v")
    local function f(a) return (theano.scan { fn = function(r, h, k) return T.tanh(h * r + k:sum()), h:sum() + r end,
      sequences = T.arange(3) * 0.5, outputs_info = { a, false }, non_sequences = a * v, return_list = true }) end
    local outs = theano.gradient.vmap(function(a) return table.unpack(f(a)) end)
    local y, z = outs(B)
    local a, b = theano.compile { inputs = { B, v }, outputs = { y, z }, mode = fast }({ { 1, 2.0 }, { 3, 4 } },
      { 0.1, -0.2 })
    for i, row in ipairs { { 1, 2.0 }, { 3, 4 } } do
      local w = T.dvector("w")
      local o = f(w)
      local p, q = theano.compile { inputs = { w, v }, outputs = o, mode = fast }(row, { 0.1, -0.2 })
      close(a[i - 1], p)
      close(b[i - 1], q)
    end
  end)

  it("works under every optimizer", function()
    local g = theano.grad((rnn()):sub(-1):sum(), W)
    local want
    for _, o in ipairs { "None", "fast_compile", "fast_run", "stabilize", "o3" } do
      local mode = theano.compile.Mode { linker = "interpreter", optimizer = o }
      local got = theano.compile { inputs = { x, h0, W }, outputs = g, mode = mode }(xv, hv, wv)
      want = want or got
      close(got, want, 1e-9, o)
    end
  end)
end)

-- ---- rewrites
-- --------------------------------------------------------------------------------------------------------------------
describe("a compiled loop", function()
  local x, h0 = T.dtensor3("x"), T.dmatrix("h0")
  local W, U, V, b = T.dmatrix("W"), T.dmatrix("U"), T.dmatrix("V"), T.dvector("b")
  local function step(v, h, w, u, o, c)
    local now = T.tanh(T.dot(v, w) + T.dot(h, u) + c)
    return now, T.dot(now, o) ^ 2
  end
  local rng = nd.random.RandomState(8)
  local values = { rng:randn(5, 2, 3), rng:randn(2, 4), rng:randn(3, 4), rng:randn(4, 4), rng:randn(4, 3) }
  values[6] = rng:randn(4)
  local inputs, weights = { x, h0, W, U, V, b }, { W, U, V, b, h0, x }
  local outs = theano.scan { fn = step, sequences = x, outputs_info = { h0, false }, non_sequences = { W, U, V, b } }

  it("has the gradients of the steps written out, a batch at a time", function()
    local flat = unroll(step, { { x, { 0 }, 5 } }, { { h0, { -1 } }, false }, { W, U, V, b }, 5)
    local function cost(o) return (o[1] * T.arange(5):dimshuffle(0, "x", "x")):sum() + T.sin(o[2]):sum() end
    local g, f = theano.grad(cost(outs), weights), theano.grad(cost(flat), weights)
    for _, linker in ipairs { "interpreter", "c" } do
      local mode = theano.compile.Mode { linker = linker }
      local a = table.pack(theano.compile { inputs = inputs, outputs = g, mode = mode }(table.unpack(values)))
      local want = table.pack(theano.compile { inputs = inputs, outputs = f, mode = fast }(table.unpack(values)))
      for i = 1, #weights do close(a[i], want[i], 1e-8, linker .. " " .. i) end
    end
  end)

  local function text(out, mode)
    return theano.printing.graph_text(theano.compile { inputs = inputs, outputs = out, mode = mode or fast,
      on_unused_input = "ignore" })
  end
  local function count(s, word)
    local _, n = s:gsub(word, "")
    return n
  end

  it("does products with sequences, and sums of products, for all steps at once", function()
    local t = text(theano.grad(outs[1][-1]:sum(), { W, U }))
    for body in t:gmatch("body='.-[^\\]'") do assert.equal(1, count(body, "= Dot"), body) end
    assert.equal(2, count(t, "Scan{"))
    local t2 = text(outs[1], theano.compile.Mode { linker = "interpreter", optimizer = "fast_run" }:excluding("scan"))
    assert.equal(3, count(t2, "= Dot%("), t2)
  end)

  -- Loops of a compiled function: their lines of the graph's text, outside bodies.
  local function loops(ins, results, updates)
    local f = theano.compile { inputs = ins, outputs = results, updates = updates, mode = fast,
      on_unused_input = "ignore" }
    return count(theano.printing.graph_text(f), " = Scan{"), f
  end

  it("reads in the backward loop the products that the forward loop made", function()
    local H = 3
    local function cell(xt, h, c, wx, wh)
      local z = T.dot(xt, wx) + T.dot(h, wh)
      local function gate(k) return z:sub(":", { start = k * H, stop = (k + 1) * H }) end
      local now = T.nnet.sigmoid(gate(1)) * c + T.nnet.sigmoid(gate(0)) * T.tanh(gate(3))
      return T.nnet.sigmoid(gate(2)) * T.tanh(now), now
    end
    local seq, first, cell0 = T.dtensor3("x"), T.dmatrix("h0"), T.dmatrix("c0")
    local wx, wh = T.dmatrices("wx", "wh")
    local ins = { seq, first, cell0, wx, wh }
    local random, steps = nd.random.RandomState(7), 4
    local given = { random:normal(0, 1, { steps, 2, 2 }), random:normal(0, 1, { 2, H }), random:normal(0, 1, { 2, H }),
      random:normal(0, 1, { 2, 4 * H }), random:normal(0, 1, { H, 4 * H }) }
    local function costs(kind)
      local h, c = first, cell0
      if kind == "loop" then
        local out = theano.scan({ fn = cell, sequences = seq, outputs_info = { first, cell0 },
          non_sequences = { wx, wh } })
        h, c = out[1][-1], out[2][-1]
      else
        for t = 0, steps - 1 do h, c = cell(seq[t], h, c, wx, wh) end
      end
      return T.grad((h ^ 2):sum() + c:sum(), ins)
    end
    local loop, unrolled = costs("loop"), costs("unrolled")
    for _, mode in ipairs({ compile.Mode({ linker = "interpreter" }), compile.Mode({}) }) do
      local f = compile({ inputs = ins, outputs = loop, mode = mode })
      local got, want = table.pack(f(table.unpack(given))), run(ins, unrolled, given)
      for i = 1, #ins do close(got[i], want[i], 1e-10, tostring(i)) end
      local products = 0 -- outside the loops: seq times wx, d seq, d wx, d wh; nothing a second time
      for _, node in ipairs(f.maker.fgraph:toposort()) do
        if node.op.name:find("^Dot22") or node.op.name:find("^Gemm") then products = products + 1 end
      end
      assert.equal(4, products)
    end
  end)

  it("runs loops with the same number of steps as one", function()
    local v, n, m = T.dvector("v"), T.lscalar("n"), T.lscalar("m")
    local function loop(fn, k) return (theano.scan { fn = fn, outputs_info = v, n_steps = k }) end
    local function double(h) return h * 2 end
    local function next_(h) return h + 1 end
    local k, f = loops({ v, n }, { loop(double, n), loop(next_, n), loop(double, n)[-1] })
    assert.equal(1, k)
    local a, a2, c = f({ 1, 2 }, 3)
    close(a, { { 2, 4 }, { 4, 8 }, { 8, 16 } })
    close(a2, { { 2, 3 }, { 3, 4 }, { 4, 5 } })
    close(c, { 8, 16 })
    assert.equal(2, (loops({ v, n, m }, { loop(double, n), loop(next_, m) })))
    local first = loop(double, n)
    local k2, g = loops({ v, n }, { first, (theano.scan { fn = function(u, h) return u + h end, sequences = first,
      outputs_info = v, n_steps = n }) })
    assert.equal(2, k2)
    close(select(2, g({ 1, 2 }, 2)), { { 3, 6 }, { 7, 14 } })
  end)

  it("runs loops as one whose conditions are equal, and no others", function()
    local v = T.dvector("v")
    local function loop(by)
      return (theano.scan { fn = function(h) return h * by, theano.until_(T.gt(h[0], 10)) end, outputs_info = v,
        n_steps = 20 })
    end
    local counted = theano.scan { fn = function(h, k) return { h * 2, k + h }, theano.until_(T.gt(h[0], 10)) end,
      outputs_info = { v, T.zeros_like(v) }, n_steps = 20 }
    local k, f = loops({ v }, { loop(2), counted[2] })
    assert.equal(1, k)
    local a, a2 = f({ 3 })
    close(a, { { 6 }, { 12 }, { 24 } })
    close(a2, { { 3 }, { 9 }, { 21 } })
    local k2, g = loops({ v }, { loop(2), loop(3) })
    assert.equal(2, k2)
    local c, d = g({ 3 })
    close(c, { { 6 }, { 12 }, { 24 } })
    close(d, { { 9 }, { 27 }, { 81 } })
  end)

  it("runs forward once for a gradient through shared updates", function()
    local v, w = T.dvector("v"), T.dscalar("w")
    local s = theano.shared(1.5, { name = "s" })
    local out, up = theano.scan { fn = function(u, h) return h * w + u * s, { { s, s * w + h } } end, sequences = v,
      outputs_info = T.constant(0, { dtype = "float64" }) }
    local total, flat, now = T.constant(0, { dtype = "float64" }), T.constant(0, { dtype = "float64" }), s
    for t = 0, 3 do
      flat, now = flat * w + v[t] * now, now * w + flat
      total = total + flat
    end
    local k, f = loops({ v, w }, { out:sum(), theano.grad(out:sum(), w), theano.grad(total, w) }, up)
    assert.equal(2, k)
    local _, got, want = f({ 1, -2, 3, 0.5 }, 0.7)
    close(got, want)
  end)

  it("has room to pack a transposed factor of a sum of products", function()
    local a, c = T.fmatrix("a"), T.fmatrix("c")
    local f = theano.compile { inputs = { a, c }, outputs = T.dot(a.T, c), mode = fast }
    for _ = 1, 5 do close(f(nd.ones({ 1000, 100 }, "float32"), nd.ones({ 1000, 100 }, "float32")),
      nd.full({ 100, 100 }, 1000.0), 1e-6) end
  end)

  it("is none when it only maps", function()
    assert.equal(0, count(text((theano.map(function(r, c) return T.exp(r) * c end, x, b[0]))), "Scan{"))
  end)

  it("keeps two rows when only the last is read", function()
    local n, v = T.lscalar("n"), T.dvector("v")
    local last = theano.scan { fn = function(h) return h * 0.5 + 1 end, outputs_info = v, n_steps = n }
    local f = theano.compile { inputs = { n, v }, outputs = last[-1], mode = fast }
    close(f(200, nd.zeros({ 3 })), { 2, 2, 2 })
    f(10, nd.zeros({ 1000 }))
    local before = theano.stat("live_bytes")
    f(2000, nd.zeros({ 1000 }))
    assert.is_true(theano.stat("live_bytes") - before < 100000)
    fails("IndexError", "out of bounds", f, 0, nd.zeros({ 3 }))
  end)

  it("forgets between checkpoints and computes again", function()
    local z, w, s0, n = T.dmatrix("z"), T.dvector("w"), T.dvector("s0"), T.lscalar("n")
    local function fn(v, h, k) return T.tanh(v + h * k) end
    local full = theano.scan { fn = fn, sequences = z, outputs_info = s0, non_sequences = w, n_steps = n }
    local some = theano.scan_checkpoints { fn = fn, sequences = z, outputs_info = s0, non_sequences = w, n_steps = n,
      save_every_N = 3 }
    local a = theano.grad(full[-1]:sum(), { z, s0, w })
    local c = theano.grad(some[-1]:sum(), { z, s0, w })
    local f = theano.compile { inputs = { z, s0, w, n }, mode = fast,
      outputs = { full, some, a[1], a[2], a[3], c[1], c[2], c[3] } }
    for _, steps in ipairs { 7, 6, 2, 3 } do
      local r = table.pack(f(rng:randn(7, 2), rng:randn(2), rng:randn(2), steps))
      local at = {}
      for i = 2, steps - 1, 3 do at[#at + 1] = i end
      if steps % 3 > 0 then at[#at + 1] = steps - 1 end
      close(r[2], r[1][nd.array(at)], 1e-9, "steps " .. steps)
      for i = 3, 5 do close(r[i + 3], r[i], 1e-9, steps .. " gradient " .. i - 2) end
    end
    fails("ValueError", "save_every_N", theano.scan_checkpoints, { fn = fn, sequences = z, outputs_info = s0,
      save_every_N = 0 })
    fails("RuntimeError", "has taps", theano.scan_checkpoints, { fn = fn, outputs_info = s0,
      sequences = { { input = z, taps = { 0, 1 } } } })
  end)

  it("is printed with its inner graph", function()
    local v, k = T.dvector("v"), T.dvector("k")
    local out = theano.scan { fn = function(p, c) return p * c end, outputs_info = T.ones_like(v), non_sequences = k,
      n_steps = 4 }
    local t = theano.printing.debugprint(out, { file = "str" })
    local head, inner = t:match("^(.*)\nInner graphs of the scan ops:\n(.*)$")
    local loop, value = head:match("for{cpu,scan_fn} (%[id %u+%])"), head:match("\n | |k (%[id %u+%])")
    assert.truthy(inner:find("\nfor{cpu,scan_fn} " .. loop .. " ''   \n >Elemwise{mul,no_inplace}", 1, true), t)
    assert.truthy(inner:find(" > |k_copy [^\n]* %-> " .. value:gsub("%p", "%%%0")), t)
    local compiled = theano.compile { inputs = { v, k }, outputs = out, mode = fast }
    assert.truthy(theano.printing.debugprint(compiled, { file = "str" }):find("Inner graphs of the scan ops", 1, true))
  end)

  it("keeps its own names and lines beside a loop that does the same", function()
    local v, w = T.dvector("v"), T.dvector("w")
    local function loop(fn, given)
      return theano.scan { fn = fn, outputs_info = T.zeros_like(given), non_sequences = given, n_steps = 3 }
    end
    local first = loop(function(s, c) return s + T.constant({ 1.0, 2.0, 3.0 }) + c end, v)
    local line = debug.getinfo(1, "l").currentline + 1
    local second = loop(function(s, c) return s + T.constant({ 1.0, 2.0, 3.0 }) + c end, w)
    assert.truthy(theano.printing.debugprint(first, { file = "str" }):find("v_copy", 1, true))
    assert.truthy(theano.printing.debugprint(second, { file = "str" }):find("w_copy", 1, true))
    local _, message = pcall(theano.compile { inputs = { w }, outputs = second, mode = fast }, { 1.0, 2.0 })
    assert.truthy(tostring(message):find("created: [^\n]*scan_spec.lua:" .. line .. "\n"), tostring(message))
    -- They are one loop all the same where their values are one.
    local both = theano.compile { inputs = { w }, outputs = { second, (loop(function(s, c)
      return s + T.constant({ 1.0, 2.0, 3.0 }) + c
    end, w)) }, mode = fast }
    local shown, ids = theano.printing.debugprint(both, { file = "str" }):match("^(.*)\nInner graphs"), {}
    for id in shown:gmatch("scan_fn} (%[id %u+%])") do ids[id] = true end
    assert.truthy(next(ids), shown)
    assert.is_nil(next(ids, next(ids)), shown)
  end)

  it("may hold an OpFromGraph, and be in one", function()
    local p, q = T.dvector(), T.dvector()
    local op = theano.OpFromGraph({ p, q }, { T.tanh(p * q) + p })
    local v = T.dvector("v")
    local out = theano.scan { fn = function(s) return op(s, v) end, outputs_info = v, n_steps = 3 }
    local flat = v
    for _ = 1, 3 do flat = T.tanh(flat * v) + flat end
    local f = theano.compile { inputs = { v }, mode = fast,
      outputs = { out[-1], flat, theano.grad(out[-1]:sum(), v), theano.grad(flat:sum(), v) } }
    local a, c, d, e = f({ 0.3, -0.7 })
    close(a, c)
    close(d, e)
    local loop = theano.OpFromGraph({ p }, { (theano.scan { fn = function(s) return s * s end, outputs_info = p,
      n_steps = 3 })[-1] })
    close(eval(theano.grad(loop(v):sum(), v), { v }, { 1.1, 0.5 }), { 8 * 1.1 ^ 7, 8 * 0.5 ^ 7 })
  end)

  it("prints and reads back", function()
    local out = theano.scan { fn = function(v, h) return v + h, theano.until_(T.gt(v:sum(), 3)) end, sequences = x,
      outputs_info = T.zeros_like(x[0]) }
    local t = theano.printing.graph_text(out)
    local ins, again = theano.printing.graph_read(t)
    assert.equal(t, theano.printing.graph_text(again))
    close(eval(again[1] or again, ins, values[1]), eval(out, { x }, values[1]))
    assert.truthy(theano.printing.debugprint(out, { file = "str" }):find("do_while{cpu,scan_fn}", 1, true))
  end)
end)

-- ---- errors
-- ----------------------------------------------------------------------------------------------------------------
describe("an initial state that no turn reads", function()
  it("is disconnected, as in Theano", function()
    local start, xs = T.dscalar("start"), T.dvector("xs")
    local unread = theano.scan({ fn = function(a, _) return a * 2 end, sequences = xs, outputs_info = start })
    fails("DisconnectedInputError", "start", T.grad, unread:sum(), start)
    local read = theano.scan({ fn = function(a, p) return a * p end, sequences = xs, outputs_info = start })
    assert.equal(2.0 + 6.0, compile({ start, xs }, T.grad(read:sum(), start))(1.0, { 2, 3 }))
  end)
end)

describe("scan refuses", function()
  local x, h = T.dmatrix("x"), T.dvector("h")
  local function id(v) return v end
  it("what it cannot count", function()
    fails("ValueError", "No information about the number of steps", theano.scan, { fn = id, outputs_info = h })
    fails("ValueError", "integer", theano.scan, { fn = id, outputs_info = h, n_steps = 2.5 })
    fails("ValueError", "integer dtype", theano.scan, { fn = id, outputs_info = h, n_steps = T.dscalar("n") })
    fails("IndexError", "negative", theano.scan, { fn = id, outputs_info = h, n_steps = -2 })
  end)
  it("taps that make no sense", function()
    fails("ValueError", "needs an initial state", theano.scan, { fn = id, outputs_info = { { taps = { -1 } } },
      n_steps = 3 })
    fails("ValueError", "smaller than 0", theano.scan, { fn = id, outputs_info = { { initial = x, taps = { 0 } } },
      n_steps = 3 })
    fails("ValueError", "not unique", theano.scan, { fn = id, outputs_info = { { initial = x, taps = { -2, -2 } } },
      n_steps = 3 })
    fails("ValueError", "has no input", theano.scan, { fn = id, sequences = { { taps = { 0 } } } })
    fails("ValueError", "is a scalar", theano.scan, { fn = id, sequences = T.dscalar("s") })
  end)
  it("results that do not fit", function()
    fails("ValueError", "provide false as outputs_info", theano.scan, { fn = function(v) return v, v end,
      outputs_info = h, n_steps = 3 })
    fails("ValueError", "dtype float32, while", theano.scan, { fn = function(v) return v * 2.5 + x:sum() end,
      outputs_info = T.fvector("f"), n_steps = 3 })
    fails("ValueError", "dimensions a step", theano.scan, { fn = function(v) return v:sum() end, outputs_info = h,
      n_steps = 3 })
    fails("ValueError", "in this order", theano.scan, { fn = function(v) return theano.until_(T.gt(v:sum(), 1)), v end,
      outputs_info = h, n_steps = 3 })
    fails("ValueError", "results, then updates", theano.scan, { fn = function(v) return v, "a" end, outputs_info = h,
      n_steps = 3 })
    fails("TypeError", "unknown keyword 'n_step'", theano.scan, { fn = id, outputs_info = h, n_step = 3 })
    fails("TypeError", "fn is the function", theano.scan, { outputs_info = h, n_steps = 3 })
  end)
  it("lengths that do not fit in a step, and tells each", function()
    local W = T.dmatrix("W")
    local f = theano.compile { inputs = { x, W, h }, mode = fast, outputs = (theano.scan { fn = function(r, s)
      return T.tanh(r + T.dot(s, W)) end, sequences = x, outputs_info = h }) }
    fails("ValueError", "\nInputs shapes: [(3,), (), (3, 3), (4,), ()]", f, nd.zeros({ 5, 3 }), nd.zeros({ 3, 3 }),
      nd.zeros({ 4 }))
    local g = theano.compile { inputs = { W, h }, mode = fast, outputs = T.dot(T.exp(h), W) }
    fails("ValueError", "(3, 3), (4,), ()]", g, nd.zeros({ 3, 3 }), nd.zeros({ 4 }))
  end)
  it("to give a row of a loop that made too few steps, where it is read", function()
    local n = T.lscalar("n")
    local hs = theano.scan { fn = function(s) return T.tanh(s * 2) end, outputs_info = h, n_steps = n }
    local line = debug.getinfo(1, "l").currentline + 1
    local last, third = hs[-1], hs[-3]
    local f = theano.compile { inputs = { h, n }, outputs = { last, third }, mode = fast }
    fails("IndexError", "index out of bounds: row -1 of a loop that made no step", theano.compile { inputs = { h, n },
      outputs = last, mode = fast }, { 1 }, 0)
    fails("IndexError", "row -3 of a loop that made fewer than 3 steps", f, { 1 }, 2)
    fails("IndexError", ("created: spec/scan_spec.lua:%d"):format(line), f, { 1 }, 2)
  end)
  it("lengths that do not fit, while running", function()
    local n = T.lscalar("n")
    local f = theano.compile({ inputs = { x, n }, outputs = (theano.scan { fn = function(r) return r:sum() end,
      sequences = x, n_steps = n }), mode = fast })
    assert.same({ 2 }, f(nd.zeros({ 3, 2 }), 2).shape)
    fails("ValueError", "a sequence has 3 rows for 4 steps", f, nd.zeros({ 3, 2 }), 4)
    local g = theano.compile({ inputs = { x, h }, outputs = (theano.scan { fn = function(r, s) return s + r end,
      sequences = x, outputs_info = h }), mode = fast })
    fails("ValueError", "", g, nd.zeros({ 3, 2 }), nd.zeros({ 3 }))
    local t = theano.compile({ inputs = { x }, outputs = (theano.scan { fn = function(a, b) return a + b end,
      outputs_info = { { initial = x, taps = { -3, -1 } } }, n_steps = 4 }), mode = fast })
    fails("ValueError", "", t, nd.zeros({ 2, 2 }))
  end)
end)
