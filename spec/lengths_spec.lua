--- What raises as written raises in every mode: lengths that do not fit, in nodes that rewriting removes.
local theano = require("theano")
local T, nd, Mode = theano.tensor, theano.ndarray, require("theano.compile").Mode
local lengths = require("spec.support.lengths")

local v, w, u = T.dvector("v"), T.dvector("w"), T.dvector("u")
local X, Y = T.dmatrix("X"), T.dmatrix("Y")
local optimizers = { "None", "merge", "fast_compile", "stabilize", "o2", "fast_run", "unsafe" }

local function compile(inputs, outputs, optimizer, linker)
  return theano.compile { inputs = inputs, outputs = outputs, on_unused_input = "ignore",
    mode = Mode { optimizer = optimizer, linker = linker or "interpreter" } }
end

local function raised(f, ...)
  local ok, e = pcall(f, ...)
  assert.is_false(ok, "no error")
  return tostring(e), theano.error_kind(tostring(e))
end

-- Raises the same kind under every optimizer, and with each array of `fits` in its place it does not raise.
local function refuses(kind, inputs, outputs, args, fits)
  for _, o in ipairs(optimizers) do
    local f = compile(inputs, outputs, o)
    local e, got = raised(f, table.unpack(args))
    assert.equal(kind, got, o .. ": " .. e)
    if fits then f(table.unpack(fits)) end
  end
end

local two, three, row, square = { 1, 2 }, { 1, 2, 3 }, { { 1, 2 } }, { { 1, 2 }, { 3, 4 } }

describe("lengths that do not fit raise in every mode #asan", function()
  it("where a loop's number of turns becomes a constant", function()
    local z = T.dscalar("z")
    local mapped = theano.map(function(a) return a - 1 end, T.exp(T.alloc(z, 2)))
    refuses("ValueError", { v, z }, mapped + v, { three, 1 }, { two, 1 })
    refuses("ValueError", { v, z }, mapped["::-1"] + v, { three, 1 }, { two, 1 })
  end)
  it("where all of a vector is set", function()
    refuses("ValueError", { v, w }, T.set_subtensor(v[":"], w), { three, two }, { three, three })
    refuses("ValueError", { v, w }, T.inc_subtensor(T.zeros_like(v)[":"], w), { three, two }, { two, two })
    refuses("ValueError", { v, w }, T.set_subtensor(v["1:"], w)["1:"], { three, three }, { three, two })
    refuses("ValueError", { v, w }, T.inc_subtensor(v[":"], w) * 0, { two, { 1 } }, { two, two })
  end)
  it("where an Alloc is left out", function()
    refuses("ValueError", { v, X }, T.alloc(v, 2, 2) + X, { two, row }, { two, square })
    refuses("ValueError", { v }, T.alloc(v, 3, 2):sum(), { three }, { two })
    refuses("ValueError", { v }, T.alloc(v, 3, 2)[1], { three }, { two })
    refuses("ValueError", { v, w }, T.alloc(1.0, v.shape[0]) * w, { three, two }, { two, two })
    refuses("ValueError", { v, w }, T.inc_subtensor(v[":"], T.alloc(1.0, w.shape[0])), { three, two }, { two, two })
    local n = T.lscalar("n")
    refuses("ValueError", { n, v }, T.alloc(2.0, n) * 0 + v, { -1, two }, { 2, two })
  end)
  it("in products with zeros", function()
    refuses("ValueError", { v, w }, T.dot(T.zeros_like(v), w), { three, two }, { two, two })
    refuses("ValueError", { X, w }, T.dot(T.zeros_like(X), w), { { three }, two }, { row, two })
    refuses("ValueError", { X, Y }, T.dot(X, T.zeros_like(Y)), { row, row }, { row, square })
    refuses("ValueError", { X, Y }, 0 * T.dot(X, Y), { row, row }, { row, square })
    refuses("ValueError", { X, Y }, T.dot(X, Y)["0:0"], { row, row }, { row, square })
  end)
  it("in operands that cancel out or are not looked at", function()
    for name, e in pairs({
      times_0 = (v + w) * 0, zero_by = 0 / (v + w), minus = (v + w) - (v + w), by_itself = (v * w) / (w * v),
      canceled = v - w - v, power_0 = (v * w) ^ 0, fill = T.fill(v + w, 1.5), fill_of = T.fill(v, w),
      zeros = T.zeros_like(v - w), switch_1 = T.switch(1, v, w), switch_same = T.switch(v, w, w),
      switch_like = T.switch(T.ones_like(v), w, 0), where = T.where(T.gt(v, 0), w, w),
      less = T.cast(T.lt(v * w, v * w), "float64"), sum = T.fill(v, w):sum(), prod = (v * 0 + w * 0):prod(),
      specified = T.specify_shape(v, w.shape) * 0 + w, joined = T.stack({ v, w })[0] * 0,
      most = T.stack({ v, w }):max(0), grad = T.grad((v + w * 0):sum(), w), scaled = (v * 0 * w):mean(),
      clipped = T.clip(v, w, w) * 0,
    }) do
      local f, g = compile({ v, w }, e, "None"), compile({ v, w }, e, "fast_run")
      local text, kind = raised(f, three, two)
      local text_g, kind_g = raised(g, three, two)
      assert.equal(kind, kind_g, name)
      if text_g:find("Rewriting has removed", 1, true) then -- else another node found it
        assert.equal(text:match("%u%a+Error: [^(\n]*"), text_g:match("%u%a+Error: [^(\n]*"))
      end
      raised(g, { 1 }, two) -- a length of 1 that the type did not promise
      raised(g, two, {})
      g(two, two)
    end
  end)
  it("in indices that nobody needs the element of", function()
    refuses("IndexError", { v, w }, v[2] * 0 + w, { two, two }, { three, two })
    refuses("IndexError", { X, w }, X[1] * 0 + w, { row, two }, { square, two })
    refuses("ValueError", { v }, select(2, T.split(v, { 1, 1 }, 2)) * 0, { three }, { two })
  end)
  it("in shapes that are not taken in the end", function()
    refuses("ValueError", { X }, X:reshape({ 2, 2 }):reshape({ 1, -1 }), { { three } }, { square })
    refuses("ValueError", { v }, v:reshape({ 2, 1 }) * 0, { three }, { two })
    refuses("ValueError", { v, w }, T.addbroadcast(v, 0) * 0 + w, { two, two }, { { 1 }, two })
    refuses("ValueError", { X, Y }, T.join(1, X, Y)["0:0"], { row, square }, { row, row })
  end)
  it("in loops", function()
    local steps = theano.scan { fn = function(a, b) return a * b end, sequences = { v, w }, n_steps = 2 }
    refuses("ValueError", { v, w, u }, (steps + u) * 0, { three, three, three }, { three, two, two })
    local body = theano.scan { fn = function(r, b) return (r + b) * 0 + 1 end, sequences = X, non_sequences = v }
    refuses("ValueError", { X, v }, body, { row, three }, { row, two })
  end)
  it("in a loop whose gradient takes a row that is not there either", function()
    local states = theano.scan { fn = function(a) return a * 0.3 end, n_steps = X.shape[0],
      outputs_info = { { initial = X, taps = { -2, -1 } } } }
    local gradient = theano.grad(states[1][-1]:mean(), X):sum()
    for rows = 0, 1 do refuses("ValueError", { X }, gradient, { nd.zeros({ rows, 3 }) }, { square }) end
    local n = T.lscalar("n")
    local turns = theano.scan { fn = function(a) return a * 2 end, outputs_info = { { initial = v, taps = { -1 } } },
      n_steps = n }
    refuses("IndexError", { v, n }, turns[-1], { two, -1 }, { two, 1 })
    refuses("IndexError", { v, w }, { v[1], v[0] + w[5] }, { { 1 }, two }, { two, { 1, 2, 3, 4, 5, 6 } })
  end)
  it("in what any family of operations computes for nobody", function()
    local x, f, n = T.dtensor4("x"), T.dtensor4("f"), T.lscalar("n")
    local i = T.lvector("i")
    local image, images, filter = nd.zeros({ 1, 1, 4, 4 }), nd.zeros({ 2, 1, 4, 4 }), nd.zeros({ 1, 1, 2, 2 })
    local hinted = T.nnet.conv2d(x, f, { input_shape = { 2, 1, 4, 4 } })
    refuses("ValueError", { x, f }, hinted * 0, { image, filter }, { images, filter })
    refuses("ValueError", { x, f }, T.grad(hinted:sum(), f) * 0, { image, filter }, { images, filter })
    refuses("ValueError", { x, f }, T.nnet.conv2d(x, f) * 0, { nd.zeros({ 1, 2, 4, 4 }), filter }, { image, filter })
    local loss = T.nnet.categorical_crossentropy(T.nnet.softmax(X), i):mean() * 0
    refuses("ValueError", { X, i }, loss, { square, { 0 } }, { square, { 0, 1 } })
    local steps = theano.scan { fn = function(p) return p * 2 end, outputs_info = v, n_steps = n }
    refuses("IndexError", { v, n }, steps * 0, { two, -1 }, { two, 2 })
    refuses("ValueError", { n }, T.arange(0, 3, n) * 0, { 0 }, { 1 })
    refuses("ValueError", { n }, T.eye(n) * 0, { -1 }, { 2 })
    refuses("ValueError", { v, i }, T.repeat_(v, i) * 0, { two, { 1, 2, 3 } }, { two, { 1, 2 } })
    refuses("ValueError", { X }, T.tensordot(X, X, { { 1 }, { 0 } }) * 0, { { three, three } }, { square })
    local batch = T.batched_dot(x[0], x[1]) * 0
    refuses("ValueError", { x }, batch, { nd.zeros({ 2, 2, 3, 2 }) }, { nd.zeros({ 2, 2, 3, 3 }) })
    refuses("ValueError", { X }, X:max(0) * 0, { nd.zeros({ 0, 2 }) }, { square })
    refuses("ValueError", { X }, X:argmax(0) * 0, { nd.zeros({ 0, 2 }) }, { square })
    refuses("ValueError", { v, X }, T.cumsum(v) * 0 + X, { three, square }, { two, square })
  end)
  it("but in the branch that is not taken", function()
    local c = T.dscalar("c")
    local y = theano.ifelse(T.gt(c, 0), (v + w) * 0, v)
    for _, o in ipairs(optimizers) do
      local f = compile({ c, v, w }, y, o)
      raised(f, 1, three, two)
      assert.same({ 1, 2, 3 }, f(-1, three, two):tolist())
    end
  end)
  it("through C", function()
    local f = theano.compile({ v, w, X }, { T.set_subtensor(v[":"], w), T.alloc(v, 2, 2) + X, (v + w) * 0 })
    raised(f, three, two, square)
    raised(f, two, three, square)
    raised(f, two, two, row)
    raised(f, two, two, { two, two, two })
    f(two, two, square)
  end)
  it("and nothing is updated then", function()
    local s = theano.shared(nd.zeros({ 2 }))
    local f = theano.compile { inputs = { v, w }, outputs = (v + w) * 0, updates = { { s, s + 1 } } }
    raised(f, three, two)
    assert.same({ 0, 0 }, s:get_value():tolist())
    f(two, two)
    assert.same({ 1, 1 }, s:get_value():tolist())
  end)
end)

describe("a length that does not fit", function()
  it("is told by the node as it was written, with its line", function()
    local line = debug.getinfo(1, "l").currentline + 1
    local sum = v + w
    local e = raised(compile({ v, w }, sum * 0, "fast_run"), three, two)
    for _, text in ipairs({ "Input dimension mis-match. (input[0].shape[0] = 3, input[1].shape[0] = 2)",
      "Apply node that caused the error: Elemwise{add,no_inplace}(v, w)", "Inputs shapes: [(3,), (2,)]",
      "Rewriting has removed this node", ("spec/lengths_spec.lua:%d"):format(line) }) do
      assert.truthy(e:find(text, 1, true), e)
    end
  end)
  it("of a shape that is asked for is not looked for by an optimizer, as in Theano", function()
    assert.equal(3, compile({ v, w }, (v + w).shape[0], "fast_run")(three, two))
    local f = compile({ X, Y }, T.join(0, X, Y).shape, "fast_run")
    assert.same({ 8, 4 }, f(nd.zeros({ 5, 4 }), nd.zeros({ 3, 3 })):tolist())
  end)
  it("costs nothing where the lengths are equal anyway", function()
    local y = (T.exp(v) * v + v) * 0 + T.fill(v, 2)
    assert.falsy(theano.printing.plan(compile({ v }, y, "fast_run")):find("check", 1, true))
    assert.truthy(theano.printing.plan(compile({ v, w }, (v + w) * 0, "fast_run")):find("check", 1, true))
  end)
end)

describe("random lengths #asan", function()
  local seen = {}

  local function compare(program, made, args, allowed)
    local want, r = lengths.outcome(made[1], args)
    seen[want] = (seen[want] or 0) + 1
    if want ~= "value" and lengths.by_value(r) then return end
    for i = 2, #made do
      local got, s = lengths.outcome(made[i], args)
      -- of a = b and b = c as well as a = c one alone may fail, whoever asks for it
      local asserted = want == "AssertionError" or got == "AssertionError"
      if got ~= "value" and want ~= "value" and asserted then got = want end
      local text = ("%s: %s as written, %s under %s"):format(program.text, want, got, lengths.modes[i][1])
      if not (allowed and want == "value" and got == "ValueError") then assert.equal(want, got, text) end
      if want == "value" and got == "value" then assert.same(lengths.shape(r), lengths.shape(s), text) end
    end
  end

  local function run(programs, calls, modes, seed)
    for k = 1, programs do
      math.randomseed(seed, k)
      local function random(n) return math.random(n) end
      local p, made = lengths.program(random, lengths.steps[(k - 1) % #lengths.steps + 1]), {}
      for i = 1, modes do made[i] = lengths.compile(p, lengths.modes[i]) end
      -- one operation for a loss refuses more rows than labels (docs/differences.md)
      for _ = 1, calls do compare(p, made, lengths.arguments(p, random), p.text:find("xent", 1, true)) end
    end
  end

  it("raise in the interpreter what they raise as written", function()
    run(3 * #lengths.steps, 12, 3, 1)
    assert.is_true(seen.value > 2000 and seen.ValueError > 1000 and seen.IndexError > 100, "the lengths do not vary")
  end)
  it("raise in C what they raise as written", function() run(24, 12, 4, 2) end)
end)
