--- Steady state: calls, bound calls, copies and whole lives of functions leave nothing behind. bench/lives.lua does the
-- same 100,000 and 10,000 times.
local nd = require("theano.ndarray")
local theano = require("theano")
local T = require("theano.tensor")
local compile, In, Out, shared = theano.compile, theano.In, theano.Out, theano.shared
local quick = compile.Mode({ linker = "interpreter" })

local function settle()
  for _ = 1, 3 do collectgarbage() end
  return theano.stat("live_bytes") - theano.stat("cache_bytes"), theano.stat("live_nodes"), collectgarbage("count")
end

-- Runs body n times twice: what lives after the second round is what lived after the first.
local function flat(n, body)
  for i = 1, 2 * n do body(i) end
  local bytes, nodes, kb = settle()
  for i = 1, n do body(i) end
  local bytes2, nodes2, kb2 = settle()
  assert.equal(nodes, nodes2)
  assert.truthy(bytes2 - bytes < 16 * n + 4096, ("%d bytes more"):format(bytes2 - bytes))
  assert.truthy(kb2 - kb < 64, ("%.0f kB of Lua more"):format(kb2 - kb))
end

describe("memory stays flat over", function()
  local x, m, s = T.dvector("x"), T.dmatrix("m"), T.dscalar("s")

  it("calls with new, borrowed, scalar and failing results", function()
    local w = shared(nd.ones({ 4, 4 }), "w")
    local f = compile({ inputs = { m, In(s, { value = 0, update = s + 1 }) },
      outputs = { T.tanh(T.dot(m, w)), Out(m * 2, { borrow = true }), m:sum() }, updates = { { w, w * 0.999 } },
        mode = quick })
    local a, bad = nd.ones({ 3, 4 }), nd.ones({ 3, 5 })
    flat(3000, function(i)
      f(a)
      if i % 50 == 0 then assert.is_false((pcall(f, bad))) end
    end)
  end)

  it("calls whose shapes change all the time", function()
    local f = compile({ inputs = { x }, outputs = { x["::-1"], Out(T.exp(x), { borrow = true }) }, mode = quick })
    flat(1000, function(i) f(nd.zeros({ i % 37 })) end)
  end)

  it("bound calls, and binding", function()
    local f = compile({ inputs = { x }, outputs = { x + 1, x:sum() }, mode = quick })
    local a = nd.ones(10)
    local bound = f:bind(a)
    flat(3000, function() bound() end)
    flat(300, function() f:bind(a)() end)
  end)

  it("lives of functions, with states, copies, defaults and nodes that the user looked at", function()
    flat(300, function(i)
      local p = T.dvector("p")
      local w = shared({ 1.0, 2.0 }, "w")
      w.default_update = w * 2
      local f = compile({ inputs = { In(p, { value = { 1, 2 } }), In(s, { value = i, update = s + 1 }) },
        outputs = { T.tanh(p) * w, s }, mode = quick })
      f()
      f[p] = { 3, 4 }
      local node = f.maker.fgraph.toposort()[1]
      assert.truthy(#tostring(node.inputs[1]) > 0)
      if i % 10 == 0 then f:copy({ swap = { [w] = shared({ 5.0, 6.0 }) } })() end
    end)
  end)

  it("compiles that fail", function()
    flat(200, function()
      assert.is_false((pcall(compile, { inputs = { x }, outputs = x + m:sum(), mode = quick })))
      assert.is_false((pcall(compile, { inputs = { In(x, { value = 3 }) }, outputs = x, mode = quick })))
      assert.is_false((pcall(compile, { inputs = {}, updates = { { shared(1.0), x } }, mode = quick })))
    end)
  end)

  it("values of shared variables, given and taken", function()
    local w = shared(nd.ones(100), "w")
    flat(1000, function(i)
      w:set_value(w:get_value({ borrow = i % 2 == 0 }), { borrow = i % 3 == 0 })
      w:zero()
    end)
  end)
end)

-- Lua's collector sees some fifty bytes of a megabyte's array. In either of its modes, and however long results are
-- looked at, what is dead is found before it piles up.
describe("dead results are collected in time", function()
  local x = T.dvector("x")
  local f = compile({ inputs = { x }, outputs = x + 1, mode = quick })
  local MB = 1 << 20

  -- The most that lives over 100 results of 4 MB each, every one of which is held for so many calls.
  local function highest(calls)
    collectgarbage()
    local before, most, kept = theano.stat("live_bytes") - theano.stat("cache_bytes"), 0, {}
    kept[0] = nd.zeros({ 4 * MB // 8 })
    for i = 1, 100 do
      kept[i % calls] = f(kept[(i - 1) % calls])
      most = math.max(most, theano.stat("live_bytes") - theano.stat("cache_bytes") - before)
    end
    return most // MB
  end

  for _, mode in ipairs({ "generational", "incremental" }) do
    it(mode .. " mode", function()
      local was = collectgarbage(mode)
      local now, later = highest(1), highest(4)
      collectgarbage(was)
      assert.truthy(now <= 32, now .. " MB of results that died at once")
      assert.truthy(later <= 240, later .. " MB of results that lived for four calls")
    end)
  end

  it("..also when much more has been alive before", function()
    local was = collectgarbage("generational")
    do
      local much = {}
      for i = 1, 150 do much[i] = f(nd.zeros({ 4 * MB // 8 })) end
      collectgarbage()
      for i = 1, 150 do much[i] = f(much[i]) end -- a full collection counts what there is
    end
    collectgarbage()
    collectgarbage()
    local later = highest(4)
    collectgarbage(was)
    assert.truthy(later <= 240, later .. " MB of results that lived for four calls")
  end)

  it("not while the user has stopped it", function()
    collectgarbage("stop")
    local most = highest(1)
    collectgarbage("restart")
    collectgarbage()
    assert.truthy(most >= 400, most .. " MB")
  end)

  it("what views alone keep alive is collected in time", function()
    for _, mode in ipairs({ "generational", "incremental" }) do
      local was = collectgarbage(mode)
      collectgarbage()
      local before, most, kept = theano.stat("live_bytes") - theano.stat("cache_bytes"), 0, nil
      for i = 1, 200 do
        kept = { kept and kept[2], kept and kept[3], nd.zeros({ 4 * MB // 8 })["1:"] }
        most = math.max(most, theano.stat("live_bytes") - theano.stat("cache_bytes") - before)
      end
      collectgarbage(was)
      assert.truthy(most // MB <= 240, mode .. ": " .. most // MB .. " MB behind views")
    end
  end)

  it("views do not wait for a fifth of a heap that a long text makes large", function()
    local was, text, m = collectgarbage("generational"), ("x"):rep(64 * MB), nd.zeros({ 8, 8 })
    collectgarbage()
    local before, most = collectgarbage("count"), 0
    for i = 1, 200000 do
      local _ = m[1]
      if i % 64 == 0 then most = math.max(most, collectgarbage("count") - before) end
    end
    collectgarbage(was)
    assert.equal(64 * MB, #text)
    assert.truthy(most <= 3000, most .. " KB of views")
  end)

  it("a row of a large array owes its own bytes alone", function()
    local a, t = nd.zeros({ 4096, 1024 }), setmetatable({}, { __mode = "k" })
    collectgarbage()
    for i = 0, 99 do t[a[i]] = true end
    local n = 0
    for _ in pairs(t) do n = n + 1 end
    assert.truthy(n > 50, n .. " of 100 rows are left: 32 MB each were counted")
  end)
end)
