--- What a warm call and a compile's nodes cost, in instructions (valgrind counts them, so that no clock and no other
-- work on the machine matters) and in allocations. Bounds are up to a tenth above today's counts, which are the same in
-- every run: a step backwards shows, a compiler's mood does not.
local MANY, FEW, LOOP = 5000, 1000, 195 -- calls; the script's own instructions around one
local skip = require("spec.support.skip")
local slurp = require("spec.support.slurp")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

-- Valgrind writes down what was counted whenever `clock` is called, so one start tells of all that lies between two.
local SCRIPT = [==[
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
theano.config["compile.tiers"] = false
local x, v, w = T.dscalar("x"), T.dvector("v"), theano.shared(nd.zeros({ 10 }))
local ten = nd.zeros({ 10 })
local number = theano.compile({ inputs = { x }, outputs = x + 1.0 })
local vector = theano.compile({ inputs = { v }, outputs = v + 1.0 })
local update = theano.compile({ inputs = {}, outputs = {}, updates = { { w, w + 1 } } })
local bound = vector:bind(ten)
local calls = {
  function() return number(1.5) end,
  function() return update() end,
  function() return bound() end,
  function() return vector(ten) end, -- last: an update costs 50 more where arrays were made and went before
}
-- Lua's collector comes when it comes: here it comes after the calls, so that what letting go costs is counted.
local function run(f, times)
  collectgarbage("stop")
  for _ = 1, times do f() end
  collectgarbage("restart")
  collectgarbage()
end
local many, few = tonumber(arg[1]), tonumber(arg[2])
for _, f in ipairs(calls) do
  run(f, many) -- the counted calls find memory of results that are gone
  os.clock()
  run(f, many)
  os.clock()
  run(f, few)
  os.clock()
end
]==]

-- The graph is compiled before it is counted, so that only the optimizer, the planner and the function are told.
local COMPILE = [==[
local theano = require("theano")
local T = theano.tensor
for _, nodes in ipairs({ tonumber(arg[1]), tonumber(arg[2]) }) do
  local x = T.dvector("x")
  local y = x
  for i = 1, nodes // 3 do y = T.tanh(y) * (1 + i % 7 / 8) + x end
  collectgarbage()
  collectgarbage("stop")
  for _ = 1, 2 do
    theano.compile({ inputs = { x }, outputs = y, mode = theano.compile.Mode({ linker = "interpreter" }) })
    os.clock()
  end
end
]==]

-- Instructions before the first call of `clock`, to the second, and so on.
local function instructions(script, first, second)
  local path, out = os.tmpname(), os.tmpname()
  local f = assert(io.open(path, "w"))
  f:write(script)
  f:close()
  local command = "valgrind --tool=callgrind --callgrind-out-file=%s.of --dump-before=clock build/theano %s %d %d"
  local ok = os.execute((command .. " >%s 2>&1"):format(out, path, first, second, out))
  assert(ok, slurp(out))
  local counts = {}
  for i = 1, 99 do
    local part = ("%s.of.%d"):format(out, i)
    local there = io.open(part)
    if not there then return counts end
    there:close()
    counts[i] = tonumber(slurp(part):match("\ntotals: (%d+)"))
  end
end

local valgrind = os.execute("command -v valgrind >/dev/null 2>&1")

describe("cost of compiling", function()
  it("is so much a node, at 300 nodes and at 3,000", function()
    skip.unless(valgrind, "valgrind is not installed (scripts/setup installs it)")
    local counts = instructions(COMPILE, 300, 3000)
    assert.equal(4, #counts)
    local few, many = counts[2] / 300, counts[4] / 3000
    local text = ("%.0f and %.0f instructions a node"):format(few, many)
    assert.is_true(few < 33000 and many < 25900, text)
    assert.is_true(many < 1.1 * few and many > 1000, text)
  end)
end)

describe("cost of a warm call", function()
  local KINDS = { { "of a number", 1600 }, { "of an update", 1300 }, { "of a bound function", 850 },
    { "of ten numbers, with a new result", 2470 } }
  local counts
  for i, kind in ipairs(KINDS) do
    local what, most = table.unpack(kind)
    it(what, function()
      skip.unless(valgrind, "valgrind is not installed (scripts/setup installs it)")
      skip.unless(theano.config.cxx ~= "", "no C compiler: the interpreter's calls cost more")
      skip.unless(not theano.config.openmp, "openmp: calls look for threads")
      counts = counts or instructions(SCRIPT, MANY, FEW)
      assert.equal(3 * #KINDS, #counts)
      local each = (counts[3 * i - 1] - counts[3 * i]) / (MANY - FEW) - LOOP
      assert.is_true(each < most, ("%.0f instructions a call, at most %d"):format(each, most))
      assert.is_true(each > 100, "the calls were not counted")
    end)
  end

  it("allocates nothing in bound calls, updates and borrowed results", function()
    local v = T.dvector("v")
    local w = theano.shared(nd.zeros({ 10 }))
    local ten = nd.ones({ 10 })
    local lends = theano.compile({ inputs = { v }, outputs = theano.Out(v + 1.0, { borrow = true }) })
    local updates = theano.compile({ inputs = { v }, outputs = T.sum(w), updates = { { w, w + v } } })
    local bound = theano.compile({ inputs = { v }, outputs = { v * 2, T.exp(v) } }):bind(ten)
    local function all()
      lends(ten)
      updates(ten)
      bound()
    end
    for _ = 1, 10 do all() end
    local before = theano.stat("allocs")
    for _ = 1, 1000 do all() end
    assert.equal(before, theano.stat("allocs"))
  end)
end)
