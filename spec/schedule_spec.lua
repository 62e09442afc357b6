--- How kernels run, as theano.printing.plan shows it, and as it is kept in spec/golden/schedule.
-- `build/theano scripts/golden --update` writes it anew: review the diff.
local flags = require("spec.support.flags")
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")
local schedules = require("spec.support.schedule_golden")
local skip = require("spec.support.skip")

describe("the golden schedule of", function()
  local files = schedules.files()

  for _, case in ipairs(schedules.cases()) do
    local name = case[1] .. ".txt"
    it(case[1] .. ": " .. case[2], function()
      local kept = schedules.stored(name)
      assert.is_true(kept == files[name], schedules.difference(kept, files[name]))
    end)
  end

  it("these functions alone is kept", function()
    for _, name in ipairs(schedules.stored_names()) do assert.truthy(files[name], name) end
  end)
end)

describe("theano.printing.plan", function()
  flags.during(setup, teardown, { openmp = false })
  local x = T.dmatrix("x")
  local function compiled(more)
    local spec = { inputs = { x }, outputs = T.tanh(x):sum { axis = 1 } }
    for k, v in pairs(more or {}) do spec[k] = v end
    return theano.compile(spec)
  end
  local interpreted = compiled { mode = theano.compile.Mode { linker = "interpreter" } }

  it("shows below each kernel how it runs on a target", function()
    for _, target in ipairs { "sse2", "avx2", "avx512" } do
      local plan = theano.printing.plan(interpreted, target)
      assert.truthy(plan:find("\n  nest for " .. target .. "\n    if n0 >= 6", 1, true))
    end
    local cuda = theano.printing.plan(interpreted, "cuda")
    assert.truthy(cuda:find("\n  nest for cuda\n    grid of i0\n", 1, true))
    assert.equal(cuda, theano.printing.plan(interpreted, "cuda-emulated"))
  end)

  it("shows two Nests where a launch chooses", function()
    local f = theano.compile { inputs = { x }, outputs = x:sum { axis = 1 } }
    local plan = theano.printing.plan(f, "cuda")
    assert.truthy(plan:find("\n  nest for cuda\n    grid of i0\n", 1, true))
    assert.truthy(plan:find("\n  or, where few points have long loops inside\n    grid of i0, in parts\n", 1, true))
  end)

  it("reduces columns by blocks that take some side by side, and parts of them", function()
    local f = theano.compile { inputs = { x }, outputs = x:sum { axis = 0 } }
    local plan = theano.printing.plan(f, "cuda")
    assert.truthy(plan:find("\n  or, by blocks of columns\n    grid of i0, in parts\n", 1, true))
    assert.truthy(plan:find("        fold r0\n        join r0\n", 1, true))
  end)

  it("takes columns together though their sum goes into an update", function()
    local b, rate = theano.shared(theano.ndarray.ones({ 40 })), T.dscalar("rate")
    local f = theano.compile { inputs = { x, rate }, updates = { { b, b - rate * x:sum { axis = 0 } } } }
    local plan = theano.printing.plan(f, "avx512")
    assert.truthy(plan:find("by 8, 8 together, 128 where rows are far\n        begin r0\n", 1, true), plan)
    f(theano.ndarray.ones { 3, 40 }, 0.25)
    assert.equal(0.25 * 40, b:get_value():sum())
  end)

  it("spreads a loop over a GPU though a number is stored before it", function()
    local a = T.dscalar("a")
    local f = theano.compile { inputs = { x, a }, outputs = { T.exp(a), x * T.exp(a) } }
    local plan = theano.printing.plan(f, "cuda")
    assert.matches("\n  nest for cuda\n    grid of i0[^\n]*\n      [^\n]*, once\n", plan)
  end)

  it("shows nothing of how kernels run where the interpreter runs them", function()
    assert.falsy(theano.printing.plan(interpreted):find("nest", 1, true))
  end)

  it("shows how they run on this machine where they run as C", function()
    skip.unless(theano.config.cxx ~= "", "no C compiler")
    local plan = theano.printing.plan(compiled())
    local target = plan:match("\n  nest for (%w+)\n")
    assert.equal(theano.printing.plan(interpreted, target), plan)
  end)

  it("shows a version's schedule for its lengths", function()
    local y = T.lvector("y")
    local f = theano.compile { inputs = { x, y }, outputs = (T.nnet.crossentropy_softmax_1hot_with_bias(x,
      T.zeros_like(x[0]), y)) }
    local general, short = theano.printing.plan(f, "avx512"), theano.printing.plan(f, "avx512", { s1 = 4 })
    assert.falsy(general:find("rows side by side", 1, true))
    assert.truthy(short:find("rows side by side", 1, true))
  end)

  it("sums columns by as many vectors together as a known length has", function()
    local w = T.dmatrix("w")
    local f = theano.compile { inputs = { w }, outputs = T.tanh(w:sum(0)) }
    local function together(sizes) return theano.printing.plan(f, "avx512", sizes):match("(%d) together") end
    assert.equal("8", together())
    for n, vectors in pairs { [32] = "4", [40] = "5", [48] = "6", [64] = "8", [80] = "5", [96] = "6", [300] = "6" } do
      assert.equal(vectors, together { s1 = n }, n)
      assert.truthy(theano.printing.ccode(f, "avx512", { s1 = n }):find(" + " .. 8 * vectors .. " <= n0", 1, true), n)
    end
    local interpreter = require("theano.compile").Mode { linker = "interpreter" }
    for _, n in ipairs { 20, 40, 56, 77 } do
      local known = T.tanh(T.specify_shape(w, { 9, n }):sum(0))
      local by_c = theano.compile { inputs = { w }, outputs = known }
      local by_blocks = theano.compile { inputs = { w }, outputs = known, mode = interpreter }
      local v = nd.random.RandomState(n):randn(9, n)
      assert.is_true(nd.array_equal(by_blocks(v), by_c(v)), n)
    end
  end)

  it("shows what the flags of the moment make of it", function()
    assert.falsy(theano.printing.plan(interpreted, "avx2"):find("pieces of i0", 1, true))
    local _ <close> = theano.config.change_flags({ openmp = true })
    assert.truthy(theano.printing.plan(interpreted, "avx2"):find("pieces of i0", 1, true))
  end)

  it("names what is wrong with a target or sizes", function()
    local function refuses(kind, words, ...)
      local ok, e = pcall(theano.printing.plan, ...)
      assert.is_false(ok)
      assert.equal(kind, theano.error_kind(e))
      assert.truthy(tostring(e):find(words, 1, true), tostring(e))
    end
    refuses("ValueError", "'vax'", interpreted, "vax")
    refuses("ValueError", "the same for all lengths", interpreted, "cuda", { s0 = 3 })
    refuses("ValueError", "'cudax'", interpreted, "cudax", { s0 = 3 })
    refuses("ValueError", "no size s77", interpreted, "avx2", { s77 = 3 })
    refuses("ValueError", "no length is -1", interpreted, "avx2", { s0 = -1 })
    refuses("TypeError", "plan: sizes are integers", interpreted, "avx2", { s0 = 1.5 })
    refuses("TypeError", "plan: the target is", interpreted, 7)
    refuses("TypeError", "plan: the target is", interpreted, nil, { s0 = 3 })
  end)
end)
