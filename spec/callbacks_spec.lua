--- Code of the user that runs inside a call: it may use the engine, and never waits for the call that waits for it.
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")
local T = require("theano.tensor")
local compile = theano.compile

local MODES = {
  c = compile.Mode({ linker = "c" }), interpreter = compile.Mode({ linker = "interpreter" }),
  plain = compile.Mode({ linker = "interpreter", optimizer = "None" }),
}
local x = T.dvector("x")

-- An operation on one vector that runs what `body` is at the time; `shaped`: with infer_shape.
local function calling(shaped)
  local o = {}
  o.op = theano.as_op({
    name = "Calling", itypes = { x.type }, otypes = { x.type }, fn = function(a) return o.body(a) or a end,
    infer_shape = shaped and function(_, shapes) return { shapes[1] } end,
  })
  return o
end

-- In the main coroutine and in another one.
local function both(fn)
  fn()
  coroutine.wrap(fn)()
end

describe("code inside a call #asan", function()
  local w, o, reader, adder

  before_each(function()
    w, o = theano.shared(nd.zeros({ 2 }), "w"), calling()
    reader = compile({ inputs = {}, outputs = w * 10 })
    adder = compile({ inputs = {}, outputs = w * 1, updates = { { w, w + 1 } } })
  end)

  -- Functions that hold w while the operation runs: as readers, and as writers.
  local function each_holder(fn)
    for _, mode in pairs(MODES) do
      for _, updates in ipairs({ {}, { { w, w + 1 } } }) do
        w:set_value(nd.zeros({ 2 }))
        fn(compile({ inputs = { x }, outputs = o.op(x + w), updates = updates, mode = mode }), #updates)
      end
    end
  end

  it("reads a shared variable that the call holds, as it was before the call", function()
    each_holder(function(f, step)
      local seen = 0
      both(function()
        o.body = function() return w:get_value() + w:get_value({ borrow = true }) + reader() end
        local before = w:get_value():tolist()[1]
        assert.same({ 12 * before, 12 * before }, f({ 1.0, 2.0 }):tolist())
        seen = seen + step
        assert.same({ seen, seen }, w:get_value():tolist())
      end)
    end)
  end)

  it("cannot change it, by set_value, a function or the function itself", function()
    each_holder(function(f, step)
      for _, body in ipairs({ function() w:set_value(nd.ones({ 2 })) end, function() adder() end }) do
        o.body = body
        both(function()
          raises("RuntimeError", "shared variable w cannot be changed", function() f({ 1.0, 2.0 }) end)
        end)
        assert.same({ 0.0, 0.0 }, w:get_value():tolist())
      end
      local depth = 0
      o.body = function(a)
        depth = depth + 1
        return depth < 5 and f(a) or a
      end
      if step == 1 then
        raises("RuntimeError", "shared variable w cannot be changed", function() f({ 1.0, 2.0 }) end)
      else
        assert.same({ 1.0, 2.0 }, f({ 1.0, 2.0 }):tolist())
      end
      assert.same({ 0.0, 0.0 }, w:get_value():tolist())
      adder() -- nothing is held any more
      o.body = function(a) return a end
      f({ 1.0, 2.0 })
      assert.same({ 1.0 + step, 1.0 + step }, w:get_value():tolist())
    end)
  end)

  it("changes what the call does not hold", function()
    local v = theano.shared(nd.zeros({ 2 }), "v")
    local bump = compile({ inputs = {}, outputs = {}, updates = { { v, v + w + 1 } } })
    each_holder(function(f)
      v:set_value(nd.zeros({ 2 }))
      o.body = function()
        v:set_value(v:get_value() + 1)
        bump()
      end
      both(function() f({ 1.0, 2.0 }) end)
      assert.is_true(v:get_value()[0] >= 4)
    end)
  end)

  it("an endless recursion is an error", function()
    local f = compile({ inputs = { x }, outputs = o.op(x) })
    o.body = function(a) return f(a) end
    both(function() raises("RuntimeError", "overflow", function() f({ 1.0 }) end) end)
    o.body = function(a) return a end
    assert.same({ 1.0 }, f({ 1.0 }):tolist())
  end)

  it("cannot free what the call works on", function()
    each_holder(function(f)
      local value = nd.array({ 1.0, 2.0 })
      for _, body in ipairs({
        function() value:free() end, function() w:get_value({ borrow = true }):free() end,
      }) do
        o.body = body
        raises("ValueError", "cannot be freed", function() f(value) end)
      end
      o.body = function(a) return a end
      assert.same({ 1.0, 2.0 }, f(value):tolist())
      value:free()
    end)
  end)

  it("compiles, copies, trims, collects, resumes coroutines", function()
    each_holder(function(f)
      local inner
      o.body = function(a)
        inner = compile({ inputs = { x }, outputs = T.exp(x) * 0 + x + w * 0 })
        f:copy()
        f:free()
        collectgarbage()
        local co = coroutine.wrap(function()
          coroutine.yield(inner(a))
        end)
        return co()
      end
      local before = w:get_value():tolist()[1]
      both(function()
        local start = w:get_value():tolist()[1]
        assert.same({ 1.0 + start, 2.0 + start }, f({ 1.0, 2.0 }):tolist())
      end)
      assert.is_true(w:get_value():tolist()[1] >= before)
    end)
  end)

  it("cannot yield out of a call, nor lose the text of an error", function()
    local f = compile({ inputs = { x }, outputs = o.op(x) })
    o.body = function() coroutine.yield() end
    both(function() raises("RuntimeError", "yield", function() f({ 1.0 }) end) end)
    for _, value in ipairs({ false, {}, 12, "text" }) do
      o.body = function() error(value) end
      local ok, e = pcall(f, { 1.0 })
      assert.is_false(ok)
      assert.is_true(#tostring(e) > 0)
    end
  end)

  it("a later operation of the call runs on the call's coroutine, whichever the first one used", function()
    local second = calling()
    local f = compile({ inputs = { x }, outputs = { o.op(x), second.op(x + 1) } })
    o.body = function(a)
      local inside = coroutine.wrap(function() reader() end)
      inside()
      return a
    end
    second.body = function(a)
      assert.is_true(coroutine.isyieldable() == false)
      return a
    end
    for _ = 1, 20 do
      both(function() assert.same({ 2.0 }, select(2, f({ 1.0 })):tolist()) end)
    end
  end)

  it("a bound function is not called inside its own call", function()
    local value = nd.array({ 1.0, 2.0 })
    local f = compile({ inputs = { x }, outputs = o.op(x + w), updates = { { w, w + 1 } } })
    local bound = f:bind(value)
    o.body = function() bound() end
    both(function() raises("RuntimeError", "call of it is at work", function() bound() end) end)
    o.body = function(a) return a end
    assert.same({ 1.0, 2.0 }, bound():tolist())
    assert.same({ 2.0, 3.0 }, bound():tolist())
  end)

  it("what perform is handed cannot be bound", function()
    local f = compile({ inputs = { x }, outputs = o.op(x) })
    local g, kept = compile({ inputs = { x }, outputs = x * 2 }), nil
    o.body = function(a) kept = g:bind(a["1:"]) end
    raises("ValueError", "bind a copy", function() f({ 1.0, 2.0 }) end)
    o.body = function(a)
      kept = g:bind(a:copy())
      return kept()
    end
    assert.same({ 2.0, 4.0 }, f({ 1.0, 2.0 }):tolist())
    assert.same({ 2.0, 4.0 }, kept():tolist())
  end)

  it("an input with an update is not updated inside its own call", function()
    local total = T.dvector("total")
    local f = compile({
      inputs = { x, theano.In(total, { value = nd.zeros({ 1 }), update = total + o.op(x) }) }, outputs = total,
    })
    o.body = function(a) return f(a) end
    both(function() raises("RuntimeError", "inputs have updates", function() f({ 1.0 }) end) end)
    o.body = function(a)
      assert.same({ 0.0 }, f[total]:tolist())
      return a
    end
    f({ 1.0 })
    assert.same({ 1.0 }, f[total]:tolist())
  end)

  it("functions of MonitorMode read shared variables and do not change them", function()
    local body
    local mode = compile.MonitorMode({ post_func = function() body() end })
    local f = compile({ inputs = { x }, outputs = x + w, updates = { { w, w + 1 } }, mode = mode })
    body = function()
      w:get_value()
      reader()
    end
    both(function() f({ 1.0, 2.0 }) end)
    body = function() w:set_value(nd.zeros({ 2 })) end
    raises("RuntimeError", "cannot be changed", function() f({ 1.0, 2.0 }) end)
    body = function() f({ 1.0, 2.0 }) end
    raises("RuntimeError", "cannot be changed", function() f({ 1.0, 2.0 }) end)
    assert.same({ 2.0, 2.0 }, w:get_value():tolist())
  end)

  it("inside a loop and a conditional", function()
    local turns = 0
    o = calling(true)
    o.body = function()
      turns = turns + 1
      return w:get_value() + turns
    end
    local m = T.dmatrix("m")
    local seq, updates = theano.scan(function(row) return o.op(row + w) end, { sequences = m })
    local f = compile({ inputs = { m }, outputs = seq, updates = updates })
    assert.same({ { 1.0, 1.0 }, { 2.0, 2.0 }, { 3.0, 3.0 } }, f(nd.zeros({ 3, 2 })):tolist())
    assert.equal(3, turns)
    local c = T.bscalar("c")
    local g = compile({ inputs = { c, x }, outputs = theano.ifelse(c, o.op(x + w), x) })
    assert.same({ 7.0, 7.0 }, g(0, { 7.0, 7.0 }):tolist())
    assert.equal(3, turns)
    assert.same({ 4.0, 4.0 }, g(1, { 7.0, 7.0 }):tolist())
    o.body = function() w:set_value(nd.ones({ 2 })) end
    raises("RuntimeError", "cannot be changed", function() f(nd.zeros({ 3, 2 })) end)
    raises("RuntimeError", "cannot be changed", function() g(1, { 7.0, 7.0 }) end)
  end)
end)
