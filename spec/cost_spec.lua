--- What a warm call and a compile's nodes cost, in instructions (valgrind counts them, so that no clock and no other
-- work on the machine matters) and in allocations. Bounds are a tenth above today's counts: a step backwards shows, a
-- compiler's mood does not.
local FEW, LOOP = 100, 195 -- calls that tell what starting costs; the script's own instructions around a call
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

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
  scalar = function() return number(1.5) end,
  vector = function() return vector(ten) end,
  update = function() return update() end,
  bound = function() return bound() end,
}
local f = calls[arg[1]]
-- Lua's collector comes when it comes (its hashes are seeded, so what starting leaves differs): here it comes twice,
-- first so that the counted calls find memory of results that are gone, then to count what letting go costs.
local function run(times)
  collectgarbage("stop")
  for _ = 1, times do f() end
  collectgarbage("restart")
  collectgarbage()
end
run(tonumber(arg[3]))
run(tonumber(arg[2]))
]==]

-- The graph is compiled once more than it is built, so that only the optimizer, the planner and the function are told.
local COMPILE = [==[
local theano = require("theano")
local T = theano.tensor
local x = T.dvector("x")
local y = x
for i = 1, tonumber(arg[2]) // 3 do y = T.tanh(y) * (1 + i % 7 / 8) + x end
collectgarbage("stop")
for _ = 1, tonumber(arg[3]) do
  theano.compile({ inputs = { x }, outputs = y, mode = theano.compile.Mode({ linker = "interpreter" }) })
end
]==]

local function instructions(which, calls, most, script)
  local path, out = os.tmpname(), os.tmpname()
  local f = assert(io.open(path, "w"))
  f:write(script or SCRIPT)
  f:close()
  local command = "valgrind --tool=callgrind --callgrind-out-file=/dev/null build/theano %s %s %d %d >/dev/null 2>%s"
  local ok = os.execute(command:format(path, which, calls, most, out))
  local text = assert(io.open(out)):read("a")
  os.remove(path)
  os.remove(out)
  assert(ok, text)
  return tonumber(text:match("Collected : (%d+)")) or error(text)
end

local valgrind = os.execute("command -v valgrind >/dev/null 2>&1")

describe("cost of compiling", function()
  it("is so much a node, at 300 nodes and at 3,000", function()
    skip.unless(valgrind, "valgrind is not installed (scripts/setup installs it)")
    local each = {}
    for _, n in ipairs({ 300, 3000 }) do
      local one, three = instructions("chain", n, 1, COMPILE), instructions("chain", n, 3, COMPILE)
      each[n] = (three - one) / 2 / n
    end
    local text = ("%.0f and %.0f instructions a node"):format(each[300], each[3000])
    assert.is_true(each[300] < 33000 and each[3000] < 25900, text)
    assert.is_true(each[3000] < 1.1 * each[300] and each[3000] > 1000, text)
  end)
end)

describe("cost of a warm call", function()

  -- Start-up differs by chance (Lua's hashes are seeded): what it costs is told apart by calling a few times only.
  local function costs(which, calls, most)
    skip.unless(valgrind, "valgrind is not installed (scripts/setup installs it)")
    skip.unless(theano.config.cxx ~= "", "no C compiler: the interpreter's calls cost more")
    skip.unless(not theano.config.openmp, "openmp: calls look for threads")
    local function once()
      return (instructions(which, calls, calls) - instructions(which, FEW, calls)) / (calls - FEW) - LOOP
    end
    local each = once()
    if each >= most then each = math.min(each, once()) end -- of twelve starts one cost 70 a call more than the others
    assert.is_true(each < most, ("%s: %.0f instructions a call, at most %d"):format(which, each, most))
    assert.is_true(each > 100, "the calls were not counted")
  end

  it("of a number", function() costs("scalar", 100000, 1600) end)
  it("of ten numbers, with a new result", function() costs("vector", 20000, 2880) end)
  it("of an update", function() costs("update", 100000, 1300) end)
  it("of a bound function", function() costs("bound", 100000, 850) end)

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
