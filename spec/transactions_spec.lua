--- Calls are transactions: whatever fails in the middle of a call, shared variables, states of inputs and arguments are
-- as before it, and the next call goes on from there. A tripwire among the operations fails on demand.
local nd = require("theano.ndarray")
local theano = require("theano")
local T = require("theano.tensor")
local compile, In, Out, shared = theano.compile, theano.In, theano.Out, theano.shared

local armed = false
local function operation(name, fn) -- of a vector, on its value
  return theano.Op({
    name = name,
    make_node = function(self, x) return theano.Apply(self, { x }, { x.type() }) end,
    infer_shape = function(_, _, shapes) return { shapes[1] } end,
    perform = function(_, _, inputs, outputs) outputs[1] = fn(inputs[1]) end,
  })
end

local wire = operation("Wire", function(x)
  if armed then error("the wire was hit") end
  return x + 0
end)

-- Ways to fail that the armed state, or an argument, decides; all leave a vector of length 4 as it is.
local FAILURES = {
  wire = function(e) return wire(e) end,
  index = function(e, i) return T.maximum(e, T.minimum(e, e[T.stack({ i, i, i, i })])) end,
  assertion = function(e, i) return T.opt.Assert("too far")(e, i:lt(4)) end,
  division = function(e, i) return e + T.cast(T.int_div(T.constant({ 7 }), 100 - i), "float64") end,
}

local function random(seed)
  local state = seed * 2654435761 % 2147483647 + 1
  return function(n)
    state = state * 48271 % 2147483647
    return state % n + 1
  end
end

local function expression(rng, leaves)
  local e = leaves[rng(#leaves)]
  for _ = 1, rng(4) do
    local o, k = leaves[rng(#leaves)], rng(6)
    if k == 1 then e = e + o
    elseif k == 2 then e = T.tanh(e) * o
    elseif k == 3 then e = T.sort(e)
    elseif k == 4 then e = T.set_subtensor(e["1:3"], o["0:2"])
    elseif k == 5 then e = T.cumsum(e) * 0.25
    else e = T.maximum(e, o)["::-1"] end
  end
  return e
end

-- A function of shareds, a state and arguments, of which one place can fail in the way named.
local function program(seed, way, mode)
  local rng = random(seed)
  local x, m, i = T.dvector("x"), T.dvector("m"), T.lscalar("i")
  local state = T.dvector("state")
  local shareds, leaves, updates, outs = {}, { x, m, state }, {}, {}
  for k = 1, 1 + rng(3) do
    shareds[k] = shared(nd.arange(4.0) * k + 1, "s" .. k)
    leaves[#leaves + 1] = shareds[k]
  end
  local broken = rng(#shareds + 2)
  local function made(place)
    local e = expression(rng, leaves)
    if place ~= broken then return e end
    e = FAILURES[way](e, i)
    leaves[#leaves + 1] = e
    return rng(2) == 1 and e * 1 or e
  end
  for k, s in ipairs(shareds) do updates[k] = { s, made(k) } end
  local new_state = made(#shareds + 1)
  outs[1] = Out(made(#shareds + 2), { borrow = rng(2) == 1 })
  outs[2] = Out(expression(rng, leaves):sum())
  local f = compile({
    inputs = { x, In(m, { mutable = true }), i, In(state, { value = { 1, 2, 3, 4 }, update = new_state }) },
    outputs = outs, updates = updates, mode = mode, on_unused_input = "ignore",
  })
  return f, shareds, state
end

local function values(f, shareds, state)
  local list = { f[state]:tolist() }
  for k, s in ipairs(shareds) do list[k + 1] = s:get_value():tolist() end
  return list
end

local BAD = { index = 9, assertion = 4, division = 100, wire = 1 }

local function hold(seed, way, mode)
  local f, shareds, state = program(seed, way, mode)
  local twin, others, other_state = program(seed, way, mode)
  local function both()
    local x, m = nd.arange(4.0) + seed % 3, nd.arange(4.0) * 0.5
    local got, want = { f(x, m:copy(), 1) }, { twin(x, m:copy(), 1) }
    assert.same(want[1]:tolist(), got[1]:tolist())
    assert.equal(want[2], got[2])
  end
  local where = ("seed %d, %s"):format(seed, way)
  both()
  for _ = 1, 2 do
    local before = values(f, shareds, state)
    local x, m = nd.arange(4.0), nd.arange(4.0) * 2
    armed = way == "wire"
    local fine, message = pcall(f, x, m, BAD[way])
    armed = false
    assert.is_false(fine, where)
    assert.truthy(message, where)
    assert.same(before, values(f, shareds, state), where)
    assert.same({ 0.0, 2.0, 4.0, 6.0 }, m:tolist(), where)
    both()
  end
  assert.same(values(twin, others, other_state), values(f, shareds, state), where)
end

describe("a call that fails in the middle changes nothing:", function()
  for way in pairs(FAILURES) do
    it(way .. ", interpreter", function()
      for seed = 1, 40 do hold(seed, way, compile.Mode({ linker = "interpreter" })) end
    end)
    it(way .. ", no rewrites", function()
      for seed = 41, 60 do hold(seed, way, compile.Mode({ linker = "interpreter", optimizer = "None" })) end
    end)
    it(way .. ", C", function()
      for seed = 61, 62 do hold(seed, way, compile.Mode({})) end
    end)
  end

  it("bound functions, call after call", function()
    local x, i = T.dvector("x"), T.lvector("i")
    local s = shared(nd.arange(4.0), "s")
    local f = compile({ inputs = { x, i }, outputs = T.sort(x)[i], updates = { { s, s + x } } })
    local a, at = nd.ones(4), nd.array({ 1, 2 })
    local bound = f:bind(a, at)
    for call = 1, 6 do
      local before = s:get_value():tolist()
      at[0] = call % 2 == 0 and 9 or 0
      local fine = pcall(bound)
      assert.equal(call % 2 == 1, fine)
      if fine then assert.equal(before[1] + 1, s:get_value():tolist()[1])
      else assert.same(before, s:get_value():tolist()) end
    end
  end)

  it("an interruption too", function()
    local x = T.dvector("x")
    local s = shared(nd.arange(4.0), "s")
    local core = require("theano.core")
    local stop = operation("Stop", function(v)
      core.interrupt()
      return v + 1
    end)
    local f = compile({ inputs = { x }, outputs = T.sort(T.cumsum(stop(x)) * 2), updates = { { s, T.sort(s + x) } } })
    local fine, message = pcall(f, nd.ones(4))
    assert.is_false(fine)
    assert.equal("Interrupted", theano.error_kind(message))
    assert.same({ 0.0, 1.0, 2.0, 3.0 }, s:get_value():tolist())
  end)
end)

describe("an update that gives a shared variable's own elements other lengths", function()
  local forms = {
    reshape = { function(w) return w:reshape({ w.shape[1], -1 }) end, { 0, 1, 2, 3, 4, 5 } },
    ["in place"] = { function(w) return T.sqr(w:reshape({ w.shape[1], w.shape[0] })) end, { 0, 1, 4, 9, 16, 25 } },
  }
  for name, form in pairs(forms) do
    for _, linker in ipairs({ "interpreter", "c" }) do
      it(("changes them: %s, %s"):format(name, linker), function()
        local w, x, i = shared(nd.arange(6.0):reshape({ 2, 3 }), "w"), T.dvector("x"), T.lscalar("i")
        local f = compile({ inputs = { x, i }, outputs = { x[i], w.shape }, updates = { { w, form[1](w) } },
          mode = compile.Mode({ linker = linker, optimizer = "fast_run" }) })
        assert.is_false(pcall(f, { 1.0 }, 5)) -- the call fails, and nothing has changed
        assert.same({ 2, 3 }, { table.unpack(w:get_value().shape) })
        assert.same({ 0, 1, 2, 3, 4, 5 }, w:get_value():reshape({ -1 }):tolist())
        local _, before = f({ 1.0 }, 0)
        assert.same({ 2, 3 }, before:tolist())
        assert.same({ 3, 2 }, { table.unpack(w:get_value().shape) })
        assert.same(form[2], w:get_value():reshape({ -1 }):tolist())
        f({ 1.0 }, 0)
        assert.same({ 2, 3 }, { table.unpack(w:get_value().shape) })
      end)
    end
  end
end)
