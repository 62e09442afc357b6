--- The benchmarks' own machinery: figures are what they say, a server prepares and times, and every group's cases have
-- what the driver asks of them. What the figures are is bench/run's to find out.
local figures = dofile("bench/figures.lua")

local function answers(lines)
  local path = os.tmpname()
  local f = assert(io.open(path, "w"))
  f:write(lines)
  f:close()
  local p = assert(io.popen("BENCH_SECONDS=0.0001 build/theano bench/server.lua <" .. path))
  local list = {}
  for line in p:lines() do list[#list + 1] = line end
  p:close()
  os.remove(path)
  return list
end

describe("bench", function()
  it("takes quartiles between the values", function()
    assert.same({ 1, 2, 3, 4 }, { figures.quartiles({ 4, 1, 2, 5, 3 }) })
    assert.same({ 1, 1.25, 1.5, 1.75 }, { figures.quartiles({ 2, 1 }) })
  end)

  it("calls a tie what the rounds do not tell apart", function()
    local _, middle, _, tie = figures.paired({ 1, 2, 3, 2 }, { 1.1, 1.9, 3.2, 1.95 })
    assert.is_true(tie)
    assert.is_true(math.abs(middle - 1) < 0.1)
    _, middle, _, tie = figures.paired({ 1, 2, 3 }, { 2, 4, 6 })
    assert.is_false(tie)
    assert.equal(0.5, middle)
  end)

  it("finds the fastest peer among those that are no limits and not ours", function()
    local row = { seconds = { lua = { 1 }, c = { 0.1 }, floor = { 0.1 }, numpy = { 3, 2 }, jax = { 2.5 } } }
    assert.same({ "numpy", 2 }, { figures.fastest(row) })
  end)

  it("serves a workload: a check, then seconds, and says why it cannot", function()
    local r = answers("prepare\tcalls\tscalar\nround\ndrop\nprepare\tcalls\n")
    assert.equal("ok\t2.5", r[1])
    assert.is_true(tonumber(r[2]) > 0 and tonumber(r[2]) < 1e-3)
    assert.equal("ok\t-", r[3])
    assert.is_truthy(r[4]:find("^skip\t.+"))
  end)

  it("calls a workload with all of its arguments", function()
    local r = answers("prepare\tmodern\tembedding\nround\n")
    assert.is_truthy(r[1]:find("^ok\t%d"), r[1])
    assert.is_true(tonumber(r[2]) > 0)
  end)

  it("calls each function that arrays share with NumPy", function()
    local ported, called = require("theano.ported"), {}
    for line in io.lines("bench/groups/arrays.calls") do called[line:match("^(.-) |") or ""] = true end
    for name in ported.functions:gmatch("%S+") do
      assert.is_true(called[name] or ported.unwanted[name] ~= nil or name == "printoptions", name)
    end
    local r = answers("prepare\tarrays\tsum axis 1\t10\nprepare\tarrays\tx[mask] =\t10\nround\n")
    assert.is_truthy(r[1]:find("^ok\t%d"), r[1])
    assert.is_true(tonumber(r[3]) > 0)
  end)

  it("has cases, peers and work for every group", function()
    for _, name in ipairs({ "net", "elemwise", "rows", "calls", "compile", "native", "threads", "scan", "tensors",
      "conv", "memory", "draws", "modern", "arrays" }) do
      local G = dofile("bench/groups/" .. name .. ".lua")
      assert.is_true(#G.cases > 0 and G.peers[1] == "lua" and type(G.prepare) == "function", name)
      for _, case in ipairs(G.cases) do
        local w = G.work and G.work(table.unpack(case))
        assert.is_true(not w or (w.bytes > 0 and w.flops >= 0), name)
      end
    end
  end)
end)
