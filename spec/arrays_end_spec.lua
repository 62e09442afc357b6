--- How arrays end in the runner: its pool tells when Lua gives their userdata back, so that they need no finalizer
-- (lua/pool.c). What others hold stays; what nobody holds is given back by the first collection; a state may close in
-- any order.
local theano = require("theano")
local nd = theano.ndarray

local function live() return theano.stat("live_bytes") - theano.stat("cache_bytes") end
local function run(text)
  local path = os.tmpname()
  local f = assert(io.open(path, "w"))
  f:write(text)
  f:close()
  local p = assert(io.popen("build/theano " .. path .. " 2>&1"))
  local said = p:read("a")
  local ok, _, code = p:close()
  os.remove(path)
  return said, ok and 0 or code
end

describe("arrays of the runner #asan", function()
  it("have no finalizer", function()
    assert.is_nil(require("theano.core").ndarray_meta.__gc)
  end)

  it("are given back by one collection", function()
    collectgarbage()
    collectgarbage()
    local before, kept = live(), {}
    for i = 1, 50 do kept[i] = nd.ones(100000) end
    assert.truthy(live() - before >= 50 * 800000 and #kept == 50)
    kept = nil -- luacheck: ignore
    collectgarbage()
    assert.truthy(live() - before < 800000, ("%d bytes stay"):format(live() - before))
  end)

  it("live on in views, in what is bound and in other arrays' graphs", function()
    local x = nd.arange(1000.0)
    local view, T = x["10:20"], theano.tensor
    local f = theano.compile({ inputs = {}, outputs = T.sum(theano.shared(x) + T.constant(x)) })
    x = nil -- luacheck: ignore
    for _ = 1, 3 do
      collectgarbage()
      for _ = 1, 100 do nd.zeros(1000) end
    end
    assert.equal(145.0, view:sum())
    assert.equal(999000.0, f())
  end)

  it("stand beside other userdata of their size", function()
    local kept, sum = {}, 0
    for i = 1, 5000 do
      kept[i % 2 == 0 and i or -i] = i % 3 == 0 and nd.complex(i, -i) or nd.full(3, i)
      if i % 7 == 0 then kept[i // 7] = nil end
    end
    collectgarbage()
    for i, v in pairs(kept) do
      local at = math.abs(i)
      if at % 3 == 0 then
        assert.equal(at, v.real)
        assert.equal(-at, v.imag)
      else
        assert.equal(3 * at, v:sum())
        sum = sum + 1
      end
    end
    assert.truthy(sum > 2000)
  end)

  it("leave weak tables with the first collection", function()
    local weak = setmetatable({}, { __mode = "v" })
    weak[1], weak[2] = nd.ones(3), nd.ones(4)
    local held = weak[2]
    collectgarbage()
    assert.is_nil(weak[1])
    assert.equal(held, weak[2])
  end)

  it("may be closed before they go", function()
    local kept = {}
    for i = 1, 100 do
      local a <close> = nd.ones(10)
      kept[i] = a
    end
    collectgarbage()
    assert.error_matches(function() return kept[7]:sum() end, "freed")
    kept = nil -- luacheck: ignore
    collectgarbage()
  end)

  it("may outlive the engine's state while Lua closes", function()
    local said, code = run([[
      local theano = require("theano")
      local nd = theano.ndarray
      kept = { nd.ones(100000), nd.ones(3)["1:"], nd.complex(1, 2) }
      for i = 1, 1000 do kept[#kept + 1] = nd.full(i, i) end
      last = setmetatable({}, { __gc = function()
        for i = 1, 100 do kept[#kept + 1] = nd.full(i, 1) end
        print(nd.sum(kept[1]))
      end })
      print("ends")
      os.exit(0, true)
    ]])
    assert.equal(0, code)
    assert.matches("^ends\n100000.0\n$", said)
  end)

  it("go where coroutines, errors and a stopped collector are", function()
    collectgarbage("stop")
    for i = 1, 300 do
      local thread = coroutine.wrap(function()
        local x = nd.ones(i)
        coroutine.yield(x:sum())
        error({ x })
      end)
      assert.equal(i, thread())
      assert.is_false((pcall(thread)))
    end
    collectgarbage("restart")
    local before = live()
    collectgarbage()
    assert.truthy(live() <= before)
  end)
end)
