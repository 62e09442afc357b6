--- openmp: kernels are shared out among threads from openmp_elemwise_minsize elements on, with the same bits.
local cpu = require("spec.support.cpu")
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function with(flags, body)
  local before = {}
  for k, v in pairs(flags) do
    before[k] = theano.config[k]
    theano.config[k] = v
  end
  local results = table.pack(pcall(body))
  for k, v in pairs(before) do theano.config[k] = v end
  assert(results[1], results[2])
  return table.unpack(results, 2, results.n)
end

local function code(minsize)
  return with({ openmp = true, openmp_elemwise_minsize = minsize }, function()
    local x = T.dvector("x")
    return theano.printing.ccode(theano.compile({ inputs = { x }, outputs = T.exp(x) * 2 }))
  end)
end

describe("openmp", function()
  local rng = nd.random.RandomState(5)
  local v, w, m = rng:rand(30011), rng:rand(30011), rng:rand(301, 157)
  local x, y, a = T.dvector("x"), T.dvector("y"), T.dmatrix("a")
  local cases = {
    { "elementwise", { x, y }, T.tanh(x) * T.exp(-y) + T.log1p(x), { v, w } },
    { "several results", { x, y }, { x * y, T.sin(x) }, { v, w } },
    { "of rows", { a }, T.exp(a):sum { axis = 1 }, { m } },
    { "of columns", { a }, T.exp(a):sum { axis = 0 }, { m } },
    { "of everything", { a }, T.tanh(a):sum(), { m } },
    { "of all of a vector", { x }, T.tanh(x):sum() * 2 + 1, { v } },
    { "several of one vector", { x }, { T.sum(x * x), T.max(x), T.mean(x), T.min(T.exp(x)) }, { v } },
    { "of float32 in float64", { a }, T.sum(T.sqr(T.cast(a, "float32"))), { m } },
    { "of few", { x }, T.sum(x["0:101"]), { v } },
    { "gradient of softmax", { a }, T.grad(T.sum(T.nnet.softmax(a) ^ 2), a), { m } },
    { "layer norm", { a },
      (a - a:mean { axis = 1, keepdims = true }) / T.sqrt(a:var { axis = 1, keepdims = true } + 1e-5), { m } },
    { "softmax", { a }, T.nnet.softmax(a), { m } },
    { "broadcast", { a }, T.tanh(a) + a[0] - a:mean { axis = 1, keepdims = true }, { m } },
    { "transposed", { a }, T.exp(a.T) * 2 + 1, { m } },
    { "reversed and strided", { x }, T.sin(x["::-1"]) + T.cos(x), { v } },
    { "positions", { a }, T.set_subtensor(a["10:20"], a["20:30"] * 3), { m } },
    { "largest of rows", { a }, { T.max(a, { axis = 1 }), T.argmax(a, { axis = 1 }) }, { m } },
    { "least of columns, where", { a }, T.argmin(a, { axis = 0 }), { m } },
    { "largest of columns", { a }, T.exp(T.max(a, { axis = 0 })), { m } },
    { "row and column numbers", { a }, a * T.arange(a.shape[0])[{ ":", "None" }] + T.arange(a.shape[1]), { m } },
    { "arange", { x }, x + T.arange(x.shape[0]), { v } },
    { "few long rows", { a }, T.tanh(a) * 2, { rng:rand(5, 3001) } },
    { "of few columns", { a }, a[0] - T.exp(a):sum { axis = 0 }, { rng:rand(400, 70) } },
  }

  local function bits(case)
    local f = theano.compile({ inputs = case[2], outputs = case[3] })
    local list = {}
    for i, r in ipairs({ f(table.unpack(case[4])) }) do
      list[i] = type(r) == "number" and ("%a"):format(r) or r:tostring()
    end
    return list
  end

  for _, case in ipairs(cases) do
    it("computes the same bits: " .. case[1], function()
      local alone = with({ openmp = false }, function() return bits(case) end)
      local shared = with({ openmp = true, openmp_elemwise_minsize = 100 }, function() return bits(case) end)
      assert.same(alone, shared)
    end)
  end

  it("takes fewer points for enough where each costs more", function()
    cpu.only("the CPU's text")
    skip.unless(theano.config.cxx ~= "", "no C compiler")
    local function weight(result)
      return with({ openmp = true }, function()
        local text = theano.printing.ccode(theano.compile({ inputs = { x, y }, outputs = result }))
        return tonumber(text:match("work = n %* %((%d+)l%) / 4"))
      end)
    end
    assert.equal(4, weight(x + y))
    assert.truthy(weight(T.exp(x) + T.tanh(y)) > 40)
  end)

  it("updates shared variables in place in pieces", function()
    local function train(on)
      return with({ openmp = on, openmp_elemwise_minsize = 100 }, function()
        local s = theano.shared(v)
        local f = theano.compile({ inputs = { y }, updates = { { s, s * 0.5 + T.exp(y) } } })
        for _ = 1, 5 do f(w) end
        return s:get_value():tostring()
      end)
    end
    assert.equal(train(false), train(true))
  end)

  it("gives the same bits at every call while calls alone are tried beside shared ones", function()
    with({ openmp = true, openmp_elemwise_minsize = 100 }, function()
      local f = theano.compile({ inputs = { a }, outputs = { T.nnet.softmax(a), T.tanh(a):sum() } })
      local rows, all = f(m)
      for _ = 1, 150 do -- the first three alone are behind the seventh
        local again, sum = f(m)
        assert.equal(rows:tostring(), again:tostring())
        assert.equal(all, sum)
      end
      assert.equal((f(m["0:20"])):tostring(), rows["0:20"]:tostring()) -- and with other lengths
    end)
  end)

  it("shares out rows with memory between their stages, and sums of everything", function()
    cpu.only("the CPU's text")
    skip.unless(theano.config.cxx ~= "", "no C compiler")
    local function text(result)
      return with({ openmp = true }, function()
        return theano.printing.ccode(theano.compile({ inputs = { a }, outputs = result }))
      end)
    end
    local rows, all = text(T.nnet.softmax(a)), text(T.sum(T.tanh(a)))
    assert.truthy(rows:find("room_0(w->s, at)", 1, true))
    assert.truthy(rows:find("parallel_for(f, ", 1, true))
    assert.truthy(all:find("parallel_for(f, m, piece_0", 1, true))
  end)

  it("shares out what can only fail for its sizes, and fails before", function()
    cpu.only("the CPU's text")
    skip.unless(theano.config.cxx ~= "", "no C compiler")
    with({ openmp = true, openmp_elemwise_minsize = 100 }, function()
      local i = T.lvector("i")
      local f = theano.compile({ inputs = { a }, outputs = T.max(a, { axis = 1 }) })
      assert.truthy(theano.printing.ccode(f):find("parallel_for(f, ", 1, true))
      local ok, message = pcall(f, nd.zeros({ 3, 0 }))
      assert.is_false(ok)
      assert.truthy(tostring(message):find("zero-size array", 1, true), tostring(message))
      assert.equal(0, f(nd.zeros({ 0, 0 })).shape[1])
      local g = theano.compile({ inputs = { x, i }, outputs = x[i] * 2 })
      assert.is_nil(theano.printing.ccode(g):find("parallel_for(f, ", 1, true))
    end)
  end)

  describe("products in outer loops", function()
    local function same(text, result, inputs, values)
      it("give the same bits, one after the other and shared: " .. text, function()
        local case = { text, inputs, result, values }
        local alone = with({ openmp = false }, function() return bits(case) end)
        assert.same(alone, with({ openmp = true, openmp_elemwise_minsize = 100 }, function() return bits(case) end))
      end)
    end
    local b, c, f = T.dtensor3("b"), T.dtensor3("c"), T.ftensor4("f")
    local function cube(...) return { rng:rand(...), rng:rand(...) } end
    same("many", T.batched_dot(b, c:dimshuffle(0, 2, 1)), { b, c }, cube(37, 65, 33))
    same("few large", T.batched_dot(b, c:dimshuffle(0, 2, 1)), { b, c }, cube(3, 210, 131))
    same("turned and reversed", T.batched_dot(b["::-1"]:dimshuffle(0, 2, 1), c), { b, c }, cube(24, 47, 70))
    same("vectors", T.batched_dot(b, c[{ ":", ":", 0 }]), { b, c }, { rng:rand(50, 200, 300), rng:rand(50, 300, 2) })
    same("integers", T.batched_dot(T.cast(b * 100, "int64"), T.cast(c * 50, "int64")), { b, c }, cube(20, 60, 60))
    same("none, and empty ones", { T.batched_dot(b["0:0"], c["0:0"]), T.batched_dot(b[{ ":", ":0" }], c),
      T.batched_dot(b[{ ":", ":", ":0" }], c[{ ":", ":0" }]) }, { b, c }, cube(30, 60, 60))
    local heads = function(h) return f[{ h }]:dimshuffle(1, 0, 2) end
    same("of heads that lie apart", T.matmul(f:dimshuffle(0, 2, 1, 3), f:dimshuffle(0, 2, 3, 1)), { f },
      { rng:rand(6, 50, 5, 40):astype("float32") })
    same("with gradients", T.grad(T.sqr(T.batched_dot(heads(0), heads(1):dimshuffle(0, 2, 1))):sum(), f), { f },
      { rng:rand(2, 90, 9, 40):astype("float32") })

    it("are one call of the library, which does the loops", function()
      cpu.only("the CPU's text")
      skip.unless(theano.config.cxx ~= "", "no C compiler")
      local function text(on)
        return with({ openmp = on }, function()
          local g = theano.compile({ inputs = { b, c }, outputs = T.batched_dot(b, c) })
          return theano.printing.ccode(g) .. theano.printing.plan(g)
        end)
      end
      assert.truthy(text(true):find("const i64 turn[1][4] = {", 1, true))
      assert.truthy(text(true):find("product of each turn of the outer loops", 1, true))
      assert.is_nil(text(false):find("turn[1][4]", 1, true))
    end)

    it("take no memory in a second call, and keep to a limit", function()
      local g = with({ openmp = true }, function()
        return theano.compile({ inputs = { b, c }, outputs = T.batched_dot(b, c):sum(), memory = 3 * 2 ^ 20 })
      end)
      local l, r = rng:rand(40, 64, 64), rng:rand(40, 64, 64)
      local first, held = g(l, r), g:memory()
      assert.truthy(held <= 3 * 2 ^ 20, held)
      for _ = 1, 20 do assert.equal(first, g(l, r)) end
      assert.equal(held, g:memory())
    end)
  end)

  it("is one runtime of threads in the process", function()
    with({ openmp = true, openmp_elemwise_minsize = 100 }, function() bits(cases[1]) end)
    local maps, runtimes = io.open("/proc/self/maps"), {}
    skip.unless(maps, "there is no /proc/self/maps")
    for line in maps:lines() do runtimes[line:match("lib[gi]?omp%d*%.so[%d.]*$") or ""] = true end
    maps:close()
    runtimes[""] = nil
    local found = {}
    for name in pairs(runtimes) do found[#found + 1] = name end
    assert.truthy(#found <= 1, table.concat(found, ", "))
  end)

  it("takes the number of elements from openmp_elemwise_minsize", function()
    cpu.only("the CPU's text")
    skip.unless(theano.config.cxx ~= "", "no C compiler")
    assert.is_truthy(code(12345):find("work < 12345l", 1, true))
    assert.is_truthy(code(12345):find("parallel_for(f, ", 1, true))
    assert.is_nil(with({ openmp = false }, function()
      local u = T.dvector("u")
      return theano.printing.ccode(theano.compile({ inputs = { u }, outputs = T.exp(u) * 2 }))
    end):find("piece_", 1, true))
  end)
end)
