--- Works over the same rows are stages of one kernel: values, bits in both executors, and what must stay apart.
-- Only functions whose text is the same in both: elsewhere glibc decides, one way for vectors, another for scalars.
local cpu = require("spec.support.cpu")
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd, compile = theano.tensor, theano.ndarray, theano.compile

local x, w, t = T.dmatrix("x"), T.dvector("w"), T.dtensor3("t")
local function over(axis) return { axis = axis, keepdims = true } end
local function normalized(v, axis)
  local y = v - v:mean(over(axis))
  return y / T.sqrt(T.sqr(y):mean(over(axis)) + 1e-5)
end
local row_sums = x:sum { axis = 1 }

-- name, inputs, outputs, steps of the plan
local CASES = {
  { "layer norm", { x, w }, { normalized(x, 1) * w }, 1 },
  { "log-sum-exp", { x }, { T.log(T.exp(x - x:max(over(1))):sum { axis = 1 }) + x:max { axis = 1 } }, 1 },
  { "a quotient of a kept row", { x }, { T.expm1(x) / T.exp(x):sum(over(1)) }, 1 },
  { "three dimensions, the last", { t }, { normalized(t, 2) }, 1 },
  { "three dimensions, the last two", { t }, { t - T.tanh(t):max(over({ 1, 2 })) }, 1 },
  { "rows kept as outputs too", { x }, { x - x:mean(over(1)), normalized(x, 1), x:max { axis = 1 } }, 1 },
  { "the gradient of layer norm", { x, w }, { T.grad((normalized(x, 1) * T.tanh(x * w)):sum(), x) }, 1 },
  { "rows of a softmax", { x }, { T.nnet.softmax(x) - T.nnet.softmax(x):mean(over(1)) }, 1 },
  { "best of centred rows", { x }, { T.argmax(T.abs_(x - x:mean(over(1))), { axis = 1 }) }, 1 },
  { "another row's sum", { x }, { x - row_sums["0"] }, 2 },
  { "sums of rows along columns", { x }, { x - row_sums:dimshuffle("x", 0) }, 2, { 5, 5 } },
  { "a transpose", { x }, { (x - x:sum(over(1))).T * row_sums:dimshuffle(0, "x") }, nil, { 6, 6 } },
  { "columns", { x }, { normalized(x, 0) }, 3 },
  { "a sum of all", { x }, { T.tanh(x - x:mean()) * x:max(over(1)) } },
  { "a reversed row", { x }, { x[{ "::", "::-1" }] - x:sum(over(1)) } },
}

local rng
local function arguments(inputs, shape)
  local at = {}
  for i, v in ipairs(inputs) do
    local s = v == t and { 4, 5, 19 } or shape or { 7, 37 }
    at[i] = rng:normal(0, 1, v == w and { s[#s] } or s)
  end
  return table.unpack(at)
end

local function steps(f)
  local _, n = theano.printing.plan(f):gsub("\n  step %d+: kernel", "")
  return n
end

describe("stages", function()
  for _, case in ipairs(CASES) do
    local name, inputs, outputs, want, shape = table.unpack(case, 1, 5)
    local function compiled(linker, optimizer)
      local mode = compile.Mode({ linker = linker, optimizer = optimizer })
      return compile { inputs = inputs, outputs = outputs, mode = mode }
    end
    it(name .. ": the numbers of every operation alone, the same bits from both executors", function()
      cpu.only("the bits of the CPU's two executors")
      local function results(f)
        rng = nd.random.RandomState(3)
        return { f(arguments(inputs, shape)) }
      end
      local f = compiled("c")
      local a, b, p = results(f), results(compiled("interpreter")), results(compiled("interpreter", "None"))
      for i = 1, #outputs do
        assert.equal(a[i]:tobytes(), b[i]:tobytes())
        assert.is_true(nd.allclose(a[i], p[i], 1e-12, 1e-12))
      end
      if want then assert.equal(want, steps(f)) end
    end)
  end

  it("give the same bits for rows of every length, float32 summed in float64 and by itself", function()
    cpu.only("sums with the CPU's bits")
    local v = T.fmatrix("v")
    local outputs = { v:sum { axis = 1 }, (v - v:max(over(1))):sum { axis = 1, acc_dtype = "float32" },
      T.tanh(v) * v:mean(over(1)), v:prod { axis = 1 }, T.argmax(v, { axis = 1 }) }
    local f = {}
    for i, linker in ipairs({ "c", "interpreter" }) do
      f[i] = compile { inputs = { v }, outputs = outputs, mode = compile.Mode({ linker = linker }) }
    end
    for n = 1, 140 do
      local m = nd.random.RandomState(n):uniform(-1, 1, { 3, n }):astype("float32")
      local a, b = { f[1](m) }, { f[2](m) }
      for i = 1, #outputs do assert.equal(a[i]:tobytes(), b[i]:tobytes()) end
    end
  end)

  it("a reduction that nothing reads leaves the kernel with what it would have read", function()
    skip.unless(theano.config.cxx ~= "", "no C compiler")
    local v = T.dvector("v")
    for _, y in ipairs({ v:sum(), v:prod(), T.max(v) }) do
      local f = compile { inputs = { v }, outputs = { T.argmax(y), v * 2 }, mode = compile.Mode({ linker = "c" }) }
      assert.falsy(theano.printing.ccode(f):find("v-1", 1, true))
      assert.equal(0, f(nd.array({ 3, 4 })))
    end
  end)

  it("what nobody reads of an operation with several results is not computed", function()
    cpu.only("sums with the CPU's bits")
    skip.unless(theano.config.cxx ~= "", "no C compiler")
    local v, b, y = T.dmatrix("v"), T.dvector("b"), T.lvector("y")
    local nll, sm, am = T.nnet.crossentropy_softmax_argmax_1hot_with_bias(v, b, y)
    local xs, bs, ys = nd.array({ { 1, 2, 4 }, { 3, 1, 0 } }), nd.array({ 0, 1, 0 }), nd.array({ 2, 0 }, "int64")
    local function results(linker, ...)
      local f = compile { inputs = { v, b, y }, outputs = { ... }, mode = compile.Mode({ linker = linker }) }
      return linker == "c" and theano.printing.ccode(f) or "", f(xs, bs, ys)
    end
    local code, all, rows, best = results("c", nll, sm, am)
    assert.is_truthy(code:find("argmax(", 1, true) and code:find("/ sum(", 1, true))
    assert.same({ 2, 0 }, best:tolist())
    for _, linker in ipairs({ "c", "interpreter" }) do
      local short, few = results(linker, nll)
      assert.is_nil(short:find("argmax(", 1, true))
      assert.is_nil(short:find("/ sum(", 1, true))
      assert.equal(all:tobytes(), few:tobytes())
      local _, p = results(linker, sm)
      assert.equal(rows:tobytes(), p:tobytes())
      local _, m = results(linker, am)
      assert.equal(best:tobytes(), m:tobytes())
    end
    local f = compile { inputs = { v, b, y }, outputs = sm }
    assert.has_error(function() f(xs, bs, nd.array({ 2, 3 }, "int64")) end) -- what can fail stays
  end)
end)
