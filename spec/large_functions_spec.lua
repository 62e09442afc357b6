--- Functions of hundreds of steps in C: their steps are rows of data that a loop walks (core/backend_c/rows.c).
local cpu = require("spec.support.cpu")
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function mode(linker) return theano.compile.Mode({ linker = linker, optimizer = "fast_run" }) end

--- `links` of tanh(y) * c + x, every c another number; now and then a product of matrices between them.
local function chain(links, every)
  local x = T.dmatrix("x")
  local y = x
  for i = 1, links do
    y = T.tanh(y) * (1 + i / 8192) + x
    if every and i % every == 0 then y = T.dot(y, x) end
  end
  return x, y
end

local function close(a, b) return nd.allclose(a, b, 1e-12) end

local function text_of(f)
  skip.unless(theano.config.cxx ~= "", "no C compiler")
  return theano.printing.ccode(f)
end

local value = nd.array({ { 0.1, 0.2 }, { -0.3, 0.4 } })

describe("a function of hundreds of steps", function()
  it("has a text that hardly grows with equal kernels", function()
    cpu.only("the CPU's text")
    local x, y = chain(5000)
    local text = text_of(theano.compile({ inputs = { x }, outputs = y, mode = mode("c") }))
    local kernels = select(2, text:gsub("\nKERNEL int kernel_%d+", ""))
    assert.truthy(kernels >= 1 and kernels <= 4, kernels)
    assert.truthy(text:find("row_of[", 1, true))
    assert.is_nil(text:find("\nstatic int step_", 1, true))
    local z, half = chain(2500)
    local shorter = text_of(theano.compile({ inputs = { z }, outputs = half, mode = mode("c") }))
    assert.truthy((#text - #shorter) / 2500 < 40, (#text - #shorter) / 2500) -- bytes a link
  end)

  it("has few kernels where its turns differ in what they read of an array alone", function()
    local function unrolled(turns, linker)
      local x, w, u = T.dtensor3("x"), T.dmatrix("w"), T.dmatrix("u")
      local h, seen = T.zeros({ 3, 4 }), T.zeros({ 3, 4 })
      for t = 0, turns - 1 do
        h = T.tanh(T.dot(x[t], w) + T.dot(h, u))
        seen = seen + T.exp(x[{ t, 1 }][0] - x[{ t, 0 }][1]) -- two accesses to one buffer: how far apart, stays
      end
      local g = theano.grad(T.sqr(h):sum() + seen:sum(), { w, u, x })
      local f = theano.compile({ inputs = { x, w, u }, outputs = { h, seen, g[1], g[2], g[3] }, mode = mode(linker) })
      return f, select(2, theano.printing.plan(f):gsub("\n k%d+:", ""))
    end
    local _, few = unrolled(30, "interpreter")
    local g, more = unrolled(60, "interpreter")
    assert.truthy(more - few < 15, ("%d kernels for 30 turns, %d for 60"):format(few, more))
    local rng = nd.random.RandomState(2)
    for _, n in ipairs({ 4, 7 }) do
      local args = { rng:normal(0, 1, { 60, 3, n }), rng:normal(0, 1, { n, 4 }), rng:normal(0, 1, { 4, 4 }) }
      local a, b = { unrolled(60, "c")(table.unpack(args)) }, { g(table.unpack(args)) }
      for i = 1, 5 do assert.equal(a[i]:tostring(), b[i]:tostring()) end
    end
  end)

  it("may be a sum of hundreds of terms that are one and the same", function()
    local x, terms, ones = T.dvector("x"), {}, {}
    for i = 1, 250 do terms[i], ones[i] = x, nd.ones { 2 } end
    local function sum(inputs, list)
      return theano.compile({ inputs = inputs, outputs = T.add(table.unpack(list)), mode = mode("interpreter") })
    end
    local of_inputs, of_constants = sum({ x }, terms), sum({}, ones)
    assert.equal("[500. 750.]", tostring(of_inputs({ 2, 3 })))
    assert.equal("[250. 250.]", tostring(of_constants()))
  end)

  it("gives what the interpreter gives, with calls of the library between its kernels", function()
    local x, y = chain(400, 4)
    local w = theano.shared(nd.array(0.0), { name = "w" })
    local results = {}
    for _, linker in ipairs({ "c", "interpreter" }) do
      w:set_value(nd.array(1.0))
      local f = theano.compile({ inputs = { x }, outputs = y, updates = { { w, w * 2 + y:sum() } },
        mode = mode(linker) })
      local again = { f(value), f(value) }
      assert.same(again[1]:tolist(), again[2]:tolist())
      results[linker] = { again[1], w:get_value() }
    end
    assert.truthy(close(results.c[1], results.interpreter[1]))
    assert.truthy(close(results.c[2], results.interpreter[2]))
  end)

  it("is stepped through when it is profiled", function()
    cpu.only("the CPU's text")
    local x, y = chain(400, 4)
    local plain = theano.compile({ inputs = { x }, outputs = y, mode = mode("c") })
    local f = theano.compile({ inputs = { x }, outputs = y, mode = mode("c"), profile = true })
    assert.truthy(text_of(f):find("row_of[", 1, true))
    assert.same(plain(value):tolist(), f(value):tolist())
  end)

  it("names the node whose step fails, and its line, and leaves shared variables alone", function()
    cpu.only("the CPU's text")
    local x, y = chain(200, 2)
    local i = T.lscalar("i")
    local v = T.dvector("v")
    local w = theano.shared(nd.array(1.0), { name = "w" })
    local picked = T.exp(v)[{ T.cast(T.stack({ i, i }), "int64") }]
    local here = debug.getinfo(1, "l").currentline - 1
    local f = theano.compile({ inputs = { x, i, v }, outputs = { y, picked }, updates = { { w, w + 1 } },
      mode = mode("c") })
    assert.truthy(text_of(f):find("row_of[", 1, true))
    local ok, message = pcall(f, value, 7, nd.array({ 1.0, 2.0 }))
    assert.falsy(ok)
    assert.equal("IndexError", theano.error_kind(message))
    assert.truthy(message:find("large_functions_spec.lua:" .. here, 1, true), message)
    assert.equal(1.0, w:get_value())
    local _, good = f(value, 1, nd.array({ 0.0, 0.0 }))
    assert.same({ 1.0, 1.0 }, good:tolist())
    assert.equal(2.0, w:get_value())
  end)

  it("keeps branches and loops between its rows", function()
    local x, y = chain(200, 2)
    local c = T.iscalar("c")
    local hs = theano.scan(function(s) return T.tanh(T.dot(s, x)) end, { outputs_info = { y }, n_steps = 5 })
    local out = theano.ifelse(T.gt(c, 0), hs[-1], y * 2)
    local got = {}
    for _, linker in ipairs({ "c", "interpreter" }) do
      local f = theano.compile({ inputs = { x, c }, outputs = out, mode = mode(linker) })
      got[linker] = { f(value, 1), f(value, 0) }
    end
    for k = 1, 2 do assert.truthy(close(got.c[k], got.interpreter[k])) end
  end)

  it("has long bodies once where the processor has masks, with the interpreter's bits at every length", function()
    cpu.only("the CPU's text")
    local x = T.dvector("x")
    local y = x
    for i = 1, 10 do y = T.tanh(y) * (1 + i / 64) + x end
    local f = theano.compile({ inputs = { x }, outputs = y, mode = mode("c") })
    local slow = theano.compile({ inputs = { x }, outputs = y, mode = mode("interpreter") })
    for n = 0, 40 do
      local v = nd.random.RandomState(n):uniform(-2, 2, { n })
      assert.same(slow(v):tolist(), f(v):tolist())
    end
    local many = nd.random.RandomState(1):uniform(-2, 2, { 80 })
    local strided = many[{ T.slice(nil, nil, 2) }]
    assert.same(slow(strided):tolist(), f(strided):tolist())
    local text = text_of(f)
    local calls = select(2, text:gsub("= tanh_f64x?%d*%(", ""))
    assert.equal(text:find("vector_size(64)", 1, true) and 10 or 20, calls)
  end)
end)
