--- Reductions of everything go block by block (32,768 elements): the same bits with any number of threads and in the
-- interpreter, and these are the bits of the order that core/kernel/kernel.h fixes.
local cpu = require("spec.support.cpu")
local runner = require("spec.support.runner")
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function run(flags, threads)
  local text, status = runner.run({ "spec/support/blocks.lua" },
    { env = { "THEANO_FLAGS=" .. flags, "OMP_NUM_THREADS=" .. threads } })
  assert(status == 0, text)
  return text
end

describe("reductions of everything", function()
  local alone
  setup(function() alone = run("openmp=False", 1) end)

  for threads = 1, 4 do
    it("have the same bits with " .. threads .. " threads", function()
      skip.unless(theano.config.cxx ~= "", "no C compiler")
      assert.equal(alone, run("openmp=True,openmp_elemwise_minsize=100", threads))
    end)
  end

  it("have the same bits in the interpreter", function() assert.equal(alone, run("linker=py", 1)) end)

  it("find the first of equal elements, and NaN before any other", function()
    assert.truthy(alone:find("\nNaN; 70001; 70001; nan; nan\nNaN, strided; 35000; 35000; 65500; nan\n", 1, true), alone)
    local n = 200000
    local x = T.dvector("x")
    local f = theano.compile({ inputs = { x }, outputs = { T.argmax(x), T.argmin(x), T.max(x) } })
    for _, at in ipairs({ { 3, 32767, 32768 }, { 32768, 65537, 199998 }, { 40000, 70000, 100000 } }) do
      local a = nd.zeros({ n })
      for _, p in ipairs(at) do a[p] = 5 end
      a[at[2] + 1], a[at[3] + 1] = -5, -5
      local hi, lo, best = f(a)
      assert.same({ at[1], at[2] + 1, 5 }, { hi, lo, best })
    end
  end)

  it("add up in the order of kernel.h", function()
    cpu.only("the order in which the CPU adds")
    local n, LANES, BLOCK = 100003, 32, 32768
    local a = nd.random.RandomState(8):normal(0, 1, { n })
    local list, all = a:tolist(), nil
    for first = 1, n, BLOCK do
      local lane = {}
      for j = 0, LANES - 1 do lane[j] = 0.0 end
      for p = first, math.min(first + BLOCK - 1, n) do
        local j = (p - first) % LANES
        lane[j] = lane[j] + list[p]
      end
      local h = LANES // 2
      while h > 0 do
        for j = 0, h - 1 do lane[j] = lane[j] + lane[j + h] end
        h = h // 2
      end
      all = all and all + lane[0] or lane[0]
    end
    local x = T.dvector("x")
    assert.equal(("%a"):format(all), ("%a"):format(theano.compile({ inputs = { x }, outputs = x:sum() })(a)))
  end)

  it("are shared out when nothing in them can fail", function()
    cpu.only("how the CPU shares pieces out")
    skip.unless(theano.config.cxx ~= "", "no C compiler")
    local x, i = T.dvector("x"), T.lvector("i")
    local function shared(out)
      local before = theano.config.openmp
      theano.config.openmp = true
      local f = theano.compile({ inputs = { x, i }, outputs = out, on_unused_input = "ignore" })
      local text = theano.printing.ccode(f)
      theano.config.openmp = before
      return text:find("parallel_for(f, m, piece_", 1, true) ~= nil
    end
    assert.is_true(shared(T.tanh(x):sum()))
    assert.is_true(shared(T.max(x)))
    assert.is_true(shared(T.argmin(x)))
    assert.is_false(shared(x[i]:sum()))
  end)
end)
