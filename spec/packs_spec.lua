--- Weights that stay packed between calls (core/runtime/packs.c): the bits of a product without, and never old values.
local cpu = require("spec.support.cpu")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local rng = nd.random.RandomState(5)
local function random(dtype, ...) return nd.asarray(rng:uniform(-1, 1, { ... }), dtype) end

local function net(W, dtype, turned)
  local x = T.matrix("x", { dtype = dtype })
  local z = T.dot(x, turned and W.T or W)
  return theano.compile({ inputs = { x }, outputs = { T.tanh(z), z } })
end

--- What the product of plain arguments gives, where nothing stays packed.
local function plain(x, w, turned)
  local X, W = T.matrix("X", { dtype = x.dtype }), T.matrix("W", { dtype = w.dtype })
  return theano.compile({ inputs = { X, W }, outputs = T.dot(X, turned and W.T or W) })(x, w)
end

local function same(a, b) return a:tobytes() == b:tobytes() end

local function collect()
  for _ = 1, 3 do collectgarbage() end
end

describe("a weight that is only read", function()
  it("gives the same bits at every call, whatever the rows, the dtype and the way it lies", function()
    for _, dtype in ipairs({ "float32", "float64" }) do
      for _, turned in ipairs({ false, true }) do
        for _, kn in ipairs({ { 200, 300 }, { 1100, 129 }, { 64, 1000 } }) do
          local k, n = kn[1], kn[2]
          local value = turned and random(dtype, n, k) or random(dtype, k, n)
          local f = net(theano.shared(value), dtype, turned)
          for _, m in ipairs({ 1, 2, 3, 7, 16, 33, 64, 65 }) do
            local x = random(dtype, m, k)
            local want = plain(x, value, turned)
            for call = 1, 4 do
              local _, z = f(x)
              assert.is_true(same(want, z), ("%s, %d rows, call %d"):format(dtype, m, call))
            end
          end
        end
      end
    end
  end)

  local W, f, x
  before_each(function()
    W = theano.shared(random("float32", 300, 400))
    f = net(W, "float32")
    x = random("float32", 10, 300)
  end)
  local function check(what)
    for call = 1, 3 do
      local _, z = f(x)
      assert.is_true(same(plain(x, W:get_value()), z), ("%s, call %d"):format(what, call))
    end
  end

  it("is packed once, at the second call, and again when it has changed", function()
    cpu.only("packs for the CPU's products")
    local packs = theano.stat("packs")
    f(x)
    assert.equal(packs, theano.stat("packs"))
    for _ = 1, 5 do f(x) end
    assert.equal(packs + 1, theano.stat("packs"))
    W:set_value(random("float32", 300, 400))
    for _ = 1, 5 do f(x) end
    assert.equal(packs + 2, theano.stat("packs"))
  end)

  it("is packed once a call that changes it at its end, where a loop multiplies by it", function()
    cpu.only("packs for the CPU's products")
    local function training(mode, steps, later, head)
      local O = theano.shared(nd.ones({ 256, 8 }, "float32") * 0.1, "O")
      local U, xs = theano.shared(random("float32", 256, 256) * 0.01, "U"), T.tensor3("xs", { dtype = "float32" })
      local h = theano.scan({ fn = function(p, s, u) return T.tanh(p + T.dot(s, u)) end, sequences = xs,
        outputs_info = T.zeros({ 32, 256 }, "float32"), non_sequences = U })
      local cost = head and T.sqr(T.dot(h:reshape({ -1, 256 }), O)):mean() or T.sqr(h):mean()
      local new, updates = U - 0.5 * T.grad(cost, U), {}
      if head then updates[1] = { O, O - 0.5 * T.grad(cost, O) } end
      updates[#updates + 1] = { U, new }
      return U, theano.compile({ inputs = { xs }, outputs = later and { cost, T.dot(h[-1], new) } or { cost },
        updates = updates, mode = mode }), random("float32", steps, 32, 256)
    end
    for _, way in ipairs({ "alone", "later", "head" }) do -- a product with the new value; a weight changed before
      local later, head = way == "later", way == "head"
      local packs = theano.stat("packs")
      local U, train, xs = training(nil, 6, later, head)
      local start = U:get_value()
      for _ = 1, 3 do train(xs) end
      assert.equal(packs + (later and 0 or 2 * 3), theano.stat("packs")) -- U forward, U.T backward
      local V, g = training(theano.compile.Mode({ linker = "interpreter", optimizer = "None" }), 6, later, head)
      V:set_value(start)
      for _ = 1, 3 do g(xs) end
      assert.is_true(nd.allclose(V:get_value(), U:get_value(), 1e-5, 1e-6))
      assert.is_false(nd.allclose(start, U:get_value(), 1e-5, 1e-6))
    end
  end)

  it("is taken as it is after set_value, an update in place, and one that is exchanged", function()
    check("at first")
    W:set_value(random("float32", 300, 400))
    check("set")
    local add = theano.compile({ inputs = {}, outputs = {}, updates = { { W, W + 1 } } })
    local mixed = T.dot(W, T.ones({ 400, 400 }, "float32"))
    local swap = theano.compile({ inputs = {}, outputs = {}, updates = { { W, mixed } } })
    for _ = 1, 3 do
      add()
      check("added to")
      swap()
      check("exchanged")
    end
    local step = W - 0.5 * T.grad(T.sum(W ^ 2), W)
    local training = theano.compile({ inputs = {}, outputs = {}, updates = { { W, step } } })
    for _ = 1, 3 do
      f(x)
      training()
    end
    check("trained")
  end)

  it("is taken as it is while and after somebody else writes it", function()
    check("at first")
    do
      local inside = W:get_value({ borrow = true })
      check("lent")
      inside[{ 1, 1 }] = 100
      check("written")
    end
    collect()
    check("given back")
    do
      local inside = W:get_value({ borrow = true })
      inside[{ 2, 2 }] = -100
    end
    collect()
    check("written between two calls")
    do
      local mine = random("float32", 300, 400)
      W:set_value(mine, { borrow = true })
      check("borrowed from me")
      mine[{ 3, 3 }] = 77
      check("written by me")
    end
    collect()
    check("mine no more")
  end)

  it("is taken as it is when a view of it was a result", function()
    local view = theano.compile({ inputs = {}, outputs = theano.Out(W.T, { borrow = true }) })
    check("at first")
    do
      local v = view()
      v[{ 1, 1 }] = 55
    end
    collect()
    check("perhaps written")
  end)

  it("serves two functions, parts of it and threads alike", function()
    local g = net(W, "float32")
    local X = T.fmatrix("x")
    local part = theano.compile({ inputs = { X }, outputs = T.dot(X, W[{ ":", "0:200" }]) })
    local rows = theano.compile({ inputs = { X }, outputs = T.dot(X, W[{ "100:", ":" }]) })
    local first = theano.compile({ inputs = { X }, outputs = T.dot(X, W[{ "0:200", ":" }]) })
    local y = random("float32", 10, 200)
    for call = 1, 4 do
      local w = W:get_value()
      assert.is_true(same(select(2, f(x)), select(2, g(x))))
      assert.is_true(same(plain(x, nd.asarray(w[{ ":", "0:200" }]:copy())), part(x)), "columns")
      assert.is_true(same(plain(y, w[{ "100:", ":" }]:copy()), rows(y)), "rows")
      assert.is_true(same(plain(y, w[{ "0:200", ":" }]:copy()), first(y)), "first rows")
      if call == 2 then W:set_value(random("float32", 300, 400)) end
    end
    local alone = select(2, f(x))
    local _ <close> = theano.config.change_flags({ openmp = true, openmp_elemwise_minsize = 1 })
    for _ = 1, 3 do assert.is_true(same(alone, select(2, f(x)))) end
  end)

  it("is packed both ways where it is read both ways", function()
    local S, X = theano.shared(random("float32", 300, 300)), T.fmatrix("x")
    local both = theano.compile({ inputs = { X }, outputs = { T.dot(X, S), T.dot(X, S.T) } })
    for _ = 1, 4 do
      local a, b = both(x)
      assert.is_true(same(plain(x, S:get_value()), a))
      assert.is_true(same(plain(x, S:get_value(), true), b))
    end
  end)

  it("leaves no memory behind", function()
    cpu.only("packs for the CPU's products")
    local function lives()
      for _ = 1, 5 do
        local w = theano.shared(nd.ones({ 300, 400 }))
        local h = net(w, "float64")
        for _ = 1, 3 do h(nd.ones({ 10, 300 })) end
        h:free()
      end
      collect()
      return theano.stat("live_bytes") - theano.stat("cache_bytes")
    end
    lives()
    local before, packs = lives(), theano.stat("packs")
    assert.is_true(lives() <= before + 65536)
    assert.equal(packs + 5, theano.stat("packs"))
  end)
end)
