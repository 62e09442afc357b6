--- compile.autotune: candidates of schedules give the same bits, and what timing found is kept.
local cpu = require("spec.support.cpu")
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local rng = nd.random.RandomState(7)
local function reals(dtype, ...) return rng:uniform(-2, 2, { ... }):astype(dtype) end

--- name -> variables, results, arguments; each has decisions that a candidate takes the other way.
local function cases()
  local x, X, i = T.fmatrix("x"), T.dmatrix("X"), T.lvector("i")
  local w, c = T.fvector("w"), T.dcol("c")
  local long = x
  for k = 1, 14 do long = long * x + k end
  return {
    { "sums of rows", { X }, { X:sum(1), T.argmax(X, 1) }, { reals("float64", 37, 131) } },
    { "sums of columns", { X }, { X:sum(0), X:max(0), X:min(0) }, { reals("float64", 37, 131) } },
    { "a long body", { x }, { long:sum(1), long:sum(0) }, { reals("float32", 29, 67) } },
    { "a row for all rows", { x, w }, { T.tanh(x + w) }, { reals("float32", 50, 9), reals("float32", 9) } },
    { "divisions", { X, c }, { X / c, T.nnet.softmax(X) }, { reals("float64", 33, 45), reals("float64", 33, 1) } },
    { "copies", { x, i }, { x[i] }, { reals("float32", 30, 300), rng:randint(0, 30, { 40 }) } },
    { "short rows", { x }, { T.nnet.softmax(x), x:sum(1) }, { reals("float32", 41, 7) } },
    { "places", { x }, { T.argmax(x, { axis = 1 }), T.argmin(x, { axis = 1 }) }, { reals("float32", 21, 90) } },
    { "classes", { x, w, i }, { (T.nnet.crossentropy_softmax_1hot_with_bias(x, w, i)) },
      { reals("float32", 60, 5), reals("float32", 5), rng:randint(0, 5, { 60 }) } },
    { "much vector math", { x }, { T.tanh(x) * T.exp(x) + T.sin(x) * T.cos(x) }, { reals("float32", 11, 37) } },
  }
end

local function bits(results)
  local list = {}
  for k, r in ipairs(results) do list[k] = ("%s %s"):format(r.dtype, table.concat(r:flatten():tolist(), " ")) end
  return table.concat(list, "\n")
end

local function with(flags, inputs, outputs)
  local _ <close> = theano.config.change_flags(flags)
  local f = theano.compile { inputs = inputs, outputs = outputs }
  return f, theano.printing.plan(f)
end

describe("compile.candidate", function()
  for _, case in ipairs(cases()) do
    local name, inputs, outputs, arguments = table.unpack(case)
    it("runs " .. name .. " in other ways, with the same bits", function()
      cpu.only("candidates of the C backend")
      skip.unless(theano.config.cxx ~= "", "no C compiler")
      local seen, wide = {}, nil
      local kept = { with({}, inputs, outputs)(table.unpack(arguments)) } -- their memory is not had again,
      local as_chosen, others = bits(kept), {}
      for i, a in ipairs(arguments) do others[i] = a.dtype:find("float") and a * -0.5 or a end
      for k = 1, 8 do
        local f, plan = with({ ["compile.candidate"] = k }, inputs, outputs)
        for way in plan:gmatch("the other way: ([^\n]+)") do seen[way] = true end
        wide = wide or plan:find("nest for avx512", 1, true)
        f(table.unpack(others)) -- but that of other ones
        collectgarbage()
        assert.equal(as_chosen, bits({ f(table.unpack(arguments)) }), name .. ", candidate " .. k)
      end
      -- much vector math has another way only where vectors have 64 bytes
      assert.truthy(next(seen) or name == "much vector math" and not wide, "no candidates")
    end)
  end

  it("reaches every decision of the chooser", function()
    local seen = {}
    for _, case in ipairs(cases()) do
      for k = 1, 8 do
        local _ <close> = theano.config.change_flags({ ["compile.candidate"] = k })
        local mode = theano.compile.Mode { linker = "interpreter" }
        local f = theano.compile { inputs = case[2], outputs = case[3], mode = mode }
        local plan = theano.printing.plan(f, "avx512")
        for way in plan:gmatch("the other way: ([^\n]+)") do seen[way] = true end
      end
    end
    local list = {}
    for way in pairs(seen) do list[#list + 1] = way end
    table.sort(list)
    assert.equal("columns together, largest first, lines asked for, masks, memcpy, reciprocals, rows as one run, " ..
      "rows side by side, vectors of a row", table.concat(list, ", "))
  end)
end)

describe("compile.autotune", function()
  local dir = os.tmpname()
  os.remove(dir)
  local program = [[
    local theano = require("theano")
    local T, nd = theano.tensor, theano.ndarray
    local x = T.dmatrix("x")
    local f = theano.compile({ inputs = { x }, outputs = { x:sum(0), x:max(0), x:min(0) }, profile = true })
    local a = nd.arange(7000):reshape({ 70, 100 }):astype("float64") / 7
    local sum, text, n, last = nil, "", 0, os.time() + %d -- until the compiler is done, however busy the machine is
    while os.time() < last do
      local s = f(a)
      n = n + 1
      if n %% 50 == 1 then
        text = tostring(f.profile):match("Schedules.*") or "none"
        if text:find("over") then break end
      end
      assert(not sum or nd.array_equal(s, sum))
      sum = sum or s
    end
    print(text)
  ]]

  local function run(flags, seconds)
    skip.unless(theano.config.cxx ~= "", "no C compiler")
    local of = program:format(seconds)
    local words = "profiling.destination=/dev/null,base_compiledir=" .. dir .. flags
    local p = assert(io.popen(("THEANO_FLAGS=%s timeout 120 build/theano -e '%s' 2>&1"):format(words, of)))
    local text = p:read("a")
    p:close()
    return text
  end

  teardown(function() os.execute("rm -rf '" .. dir .. "'") end)

  it("is off by itself", function()
    assert.equal("none\n", run("", 1))
    assert.equal("none\n", run(",compile.autotune=1", 1))
  end)

  it("times candidates beside the calls, and says so in the profile", function()
    local text = run(",compile.autotune=3", 100)
    assert.truthy(text:find("^Schedules %(compile.autotune=3%): over\n   candidate [01] of 2: %S+s, %S+s   "), text)
  end)

  it("keeps what it found for later processes", function()
    local text = run(",compile.autotune=3", 100)
    assert.truthy(text:find("candidate [01] of 2, known from an earlier process"), text)
    local file = assert(io.open(dir .. "/lua-kernels.tuned", "rb"))
    assert.equal(24, #file:read("a"))
    file:close()
  end)
end)
