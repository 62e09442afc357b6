--- Convolution: all three operations against plain loops over random shapes, borders, steps, dilations, groups; names;
-- hints; what raises.
local cpu = require("spec.support.cpu")
local cases = require("spec.support.conv_cases")
local compile = require("theano.compile")
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")
local T = require("theano.tensor")

local rng = nd.random.RandomState(12)
local function flat(a) return a:reshape({ -1 }):tolist() end
local interpreter = compile.Mode({ linker = "interpreter" })
local native = compile.Mode({ linker = "c" })
local as_written = compile.Mode({ linker = "interpreter", optimizer = "None" })

describe("convolution against plain loops", function()
  for _, dims in ipairs({ 2, 3 }) do
    it(("over %d dimensions, interpreted #asan"):format(dims), function()
      local state = nd.random.RandomState(dims)
      local function random(a, b) return state:randint(a, b + 1) end
      for round = 1, dims == 2 and 60 or 20 do
        cases.check(cases.random_case(random, dims), interpreter, round % 3 == 0, cases.algorithms)
      end
    end)
    it(("over %d dimensions, in generated C"):format(dims), function()
      local state = nd.random.RandomState(dims + 10)
      local function random(a, b) return state:randint(a, b + 1) end
      for round = 1, dims == 2 and 12 or 6 do
        cases.check(cases.random_case(random, dims), native, round % 3 == 0)
      end
    end)
  end

  -- Many filters lie along the vectors; six images or more spread their gradients row by row.
  it("with as many filters and images as networks have #asan", function()
    local state = nd.random.RandomState(31)
    local function random(a, b) return state:randint(a, b + 1) end
    for round = 1, 14 do
      local c = cases.random_case(random, 2)
      if not c.unshared then
        c.groups = round % 5 == 0 and 2 or 1
        local channels = ({ 1, 4, 8, 7 })[round % 4 + 1]
        c.image[1], c.out[1] = random(1, 9), 0
        c.image[2], c.filter[1] = c.groups * channels, c.groups * ({ 17, 32, 40, 5, 70 })[round % 5 + 1]
        c.filter[2], c.out[1], c.out[2] = channels, c.image[1], c.filter[1]
        cases.check(c, round % 7 == 0 and native or interpreter, round % 3 == 0)
      end
    end
  end)

  it("of larger shapes, every way #asan", function()
    local state = nd.random.RandomState(77)
    local function random(a, b) return state:randint(a, b + 1) end
    for _ = 1, 25 do
      local c = cases.random_case(random, 2, true)
      local off = cases.largest_difference(c, interpreter)
      assert(off < 2, ("%g: %s"):format(off, cases.show(c)))
    end
  end)

  it("with more spectra than are kept at once", function()
    local c = { groups = 1, flip = false, step = { 1, 1 }, dilation = { 1, 1 }, pad = { { 1, 1 }, { 1, 1 } },
      border = 1, image = { 10, 24, 62, 62 }, filter = { 50, 24, 3, 3 },
      out = { 10, 50, 62, 62 }, dtype = "float32" }
    assert(cases.largest_difference(c, interpreter) < 2)
  end)

  -- Small maps with few filters: vectors of places go over the ends of rows.
  it("over places in one line, whatever rows they are in #asan", function()
    for i, width in ipairs({ 2, 3, 5, 7, 8, 9, 12, 15, 17, 24, 31 }) do
      local k, d, pad = i % 3 + 1, i % 2 + 1, i % 4 - 1
      local border = pad < 1 and 0 or pad
      local side = width + (k - 1) * d - 2 * border
      local filters, images = ({ 1, 3, 7, 14, 50 })[i % 5 + 1], i % 3 + 1
      for _, height in ipairs({ width, 2 * width + 1 }) do
        local c = { groups = 1, flip = i % 2 == 0, step = { 1, 1 }, dilation = { d, d }, border = border,
          pad = { { border, border }, { border, border } }, image = { images, 5, side + height - width, side },
          filter = { filters, 5, k, k }, out = { images, filters, height, width },
          dtype = i % 2 == 0 and "float64" or "float32" }
        if side > 0 then
          cases.check(c, interpreter)
          if i % 4 == 1 then cases.check_threads(c, interpreter) end
        end
      end
    end
  end)

  it("on several threads: the same bits, every way", function()
    local state = nd.random.RandomState(78)
    local function random(a, b) return state:randint(a, b + 1) end
    for i = 1, 16 do cases.check_threads(cases.random_case(random, i % 4 == 0 and 3 or 2, i % 4 ~= 0), interpreter) end
    for _, images in ipairs({ 1, 13, 60 }) do -- LeNet's second layer
      cases.check_threads({ groups = 1, flip = true, step = { 1, 1 }, dilation = { 1, 1 }, pad = { { 0, 0 }, { 0, 0 } },
        border = "valid", image = { images, 20, 12, 12 }, filter = { 50, 20, 5, 5 }, out = { images, 50, 8, 8 },
        dtype = "float32" }, interpreter)
    end
  end)

  it("leaves what is not finite where it is", function()
    local x, w = T.ftensor4("x"), T.ftensor4("w")
    local f = compile({ inputs = { x, w }, outputs = T.nnet.conv2d(x, w), mode = interpreter })
    for _, bad in ipairs({ 0 / 0, math.huge, 3e38 }) do
      local image = nd.asarray(rng:randn(1, 1, 40, 40), "float32")
      image[{ 0, 0, 3, 4 }] = bad
      local filter = nd.asarray(rng:randn(1, 1, 9, 9), "float32")
      local want, got = cases.with("direct", f, image, filter), cases.with("fft", f, image, filter)
      assert.equal(want:tobytes(), got:tobytes())
      assert(nd.isfinite(got[{ 0, 0, 20 }]):all())
    end
  end)

  it("of integers and of complex numbers", function()
    local x, w = T.itensor4("x"), T.ltensor4("w")
    local f = compile({ inputs = { x, w }, outputs = T.nnet.conv2d(x, w, { border_mode = 1 }), mode = interpreter })
    local z = f(nd.arange(9):astype("int32"):reshape({ 1, 1, 3, 3 }), nd.ones({ 1, 1, 3, 3 }, "int64"))
    assert.equal("int64", z.dtype)
    assert.same({ 8, 15, 12, 21, 36, 27, 20, 33, 24 }, flat(z))
    local u = T.TensorType("complex128", { false, false, false, false })("u")
    local one = nd.array({ nd.complex(1, 2), nd.complex(0, -1) }, "complex128"):reshape({ 1, 1, 1, 2 })
    local g = compile({ inputs = { u }, outputs = T.nnet.conv2d(u, u, { filter_flip = false }), mode = interpreter })
    local got = g(one)[{ 0, 0, 0, 0 }] -- (1 + 2i)^2 + (-i)^2
    assert.near(-4, got.real, 1e-12)
    assert.near(4, got.imag, 1e-12)
  end)

  it("keeps a stack of convolutions apart under vmap, of vmap too", function()
    local x, w = T.tensor4("x"), T.tensor4("w")
    local xs, ws = T.TensorType("float64", { false, false, false, false, false, false })("xs"), T.dtensor5("ws")
    local once = T.vmap(function(a, b) return T.nnet.conv2d(a, b, { border_mode = "half" }) end, { 0, 0 })
    local twice = T.vmap(function(a) return once(a, ws) end, { 0 })(xs)
    local cost = T.sum(T.sqr(twice))
    local one = T.nnet.conv2d(x, w, { border_mode = "half" })
    local f = compile({ inputs = { xs, ws }, outputs = { twice, T.grad(cost, ws) }, mode = interpreter })
    local g = compile({ inputs = { x, w }, outputs = one, mode = interpreter })
    local xv, wv = rng:randn(2, 3, 2, 2, 4, 3), rng:randn(3, 2, 2, 3, 3)
    local got, gw = f(xv, wv)
    assert.same({ 3, 2, 2, 3, 3 }, { table.unpack(gw.shape) })
    for i = 0, 1 do
      for k = 0, 2 do assert(nd.allclose(g(xv[i][k], wv[k]), got[i][k], 1e-12)) end
    end
  end)
end)

-- ---- what follows a convolution ----------------------------------------------------------------------------------
describe("what follows a convolution", function()
  local functions = { none = function(v) return v end, tanh = T.tanh, sigmoid = T.nnet.sigmoid, relu = T.nnet.relu,
    many = function(v) return T.exp(-T.sqr(v)) * v + 3 end }
  local function steps(f)
    local text = theano.printing.plan(f)
    return select(2, text:gsub("\n  step %d+:", "")), text
  end
  --- The convolution by itself, and then the rest by itself.
  local function apart(conv, rest, mode)
    local u = conv.type("u")
    return function(inputs, values, more, more_values)
      local first = compile({ inputs = inputs, outputs = conv, mode = mode })
      local all = { u, table.unpack(more) }
      local second = compile({ inputs = all, outputs = rest(u), mode = mode })
      return second(first(table.unpack(values)), table.unpack(more_values))
    end
  end

  it("runs on near parts of it: one step, the bits of the parts apart, of any number of threads #asan", function()
    local state = nd.random.RandomState(77)
    local function random(a, b) return state:randint(a, b + 1) end
    for round = 1, 12 do
      local c = cases.random_case(random, round % 4 == 0 and 3 or 2)
      c.unshared = false
      c.filter = { c.filter[1] * (round % 3 == 0 and 9 or 1), c.image[2] // c.groups,
        table.unpack(c.filter, #c.filter - #c.image + 3) }
      local order = { "x", 0 }
      for d = 3, #c.image do order[d] = "x" end
      local x, _, xv = cases.operand(c, c.image)
      local w, _, wv = cases.operand(c, c.filter)
      local b = T.TensorType(c.dtype, { false })("b")
      local bv = nd.asarray(rng:randn(c.filter[1]), c.dtype)
      local conv = (#c.image == 4 and T.nnet.conv2d or T.nnet.conv3d)(x, w, cases.keywords(c, false))
      local mode = round % 6 == 0 and native or interpreter
      local way = cases.algorithms[round % #cases.algorithms + 1]
      for name, fn in pairs(functions) do
        local function rest(u) return fn(u + b:dimshuffle(table.unpack(order))) end
        local f = compile({ inputs = { x, w, b }, outputs = rest(conv), mode = mode })
        local n, text = steps(f)
        assert.equal(1, n, text)
        local want = cases.with(way, apart(conv, rest, mode), { x, w }, { xv, wv }, { b }, { bv })
        local shown = name .. ": " .. cases.show(c)
        assert(nd.array_equal(cases.with(way, f, xv, wv, bv), want), shown)
        local _ <close> = theano.config.change_flags({ openmp = true, openmp_elemwise_minsize = 1 })
        assert(nd.array_equal(cases.with(way, f, xv, wv, bv), want), shown)
      end
    end
  end)

  it("may be a residual, batch norm's scale, or what reads both the sum and a function of it #asan", function()
    cpu.only("the CPU's plan")
    local x, w, r = T.ftensor4("x"), T.ftensor4("w"), T.ftensor4("r")
    local scale, shift = T.fvector("scale"), T.fvector("shift")
    local conv = T.nnet.conv2d(x, w, { border_mode = "half" })
    local function per(v) return v:dimshuffle("x", 0, "x", "x") end
    local rests = {
      function(u) return T.nnet.relu(u + r) end,
      function(u) return T.nnet.relu(u * per(scale) + per(shift)) end,
      function(u) return T.tanh(u * per(scale) + r) - u end,
      function(u) return (u - per(shift)) / per(scale) * r end,
    }
    local values = { nd.asarray(rng:randn(5, 3, 17, 9), "float32"), nd.asarray(rng:randn(7, 3, 3, 3), "float32") }
    local more = { nd.asarray(rng:randn(5, 7, 17, 9), "float32"), nd.asarray(rng:rand(7) + 1, "float32"),
      nd.asarray(rng:randn(7), "float32") }
    for i, rest in ipairs(rests) do
      for _, mode in ipairs({ interpreter, native }) do
        local f = compile({ inputs = { x, w, r, scale, shift }, outputs = rest(conv), mode = mode,
          on_unused_input = "ignore" })
        local n, text = steps(f)
        assert.equal(1, n, text)
        local u = conv.type("u")
        local first = compile({ inputs = { x, w }, outputs = conv, mode = mode })
        local second = compile({ inputs = { u, r, scale, shift }, outputs = rest(u), mode = mode,
          on_unused_input = "ignore" })
        local want = second(first(table.unpack(values)), table.unpack(more))
        assert(nd.array_equal(f(values[1], values[2], table.unpack(more)), want), "rest " .. i)
      end
    end
  end)

  it("runs over short rows as over long ones, with operands that lie in any order #asan", function()
    local x, w, r, s = T.dtensor4("x"), T.dtensor4("w"), T.dtensor4("r"), T.dtensor4("s")
    local b, v, u = T.dvector("b"), T.dvector("v"), T.dtensor4("u")
    local function per(a) return a:dimshuffle("x", 0, "x", "x") end
    local function rest(z)
      local normal = (z - per(b)) * (per(v) * per(v) + 0.5) -- computed once for a filter
      local low = T.maximum(normal, s) - s:dimshuffle(1, 0, 2, 3) * per(b)
      return { low, low * r:dimshuffle(0, 1, 3, 2), T.maximum(z - per(b), s:dimshuffle(1, 0, 2, 3)) }
    end
    local conv = T.nnet.conv2d(x, w)
    local first = compile({ inputs = { x, w }, outputs = conv, mode = interpreter })
    local second = compile({ inputs = { u, r, s, b, v }, outputs = rest(u), mode = as_written })
    for _, c in ipairs({ { 1, 1, 3 }, { 2, 3, 40 }, { 5, 5, 7 }, { 1, 700, 3 }, { 9, 70, 4 }, { 25, 41, 2 },
      { 1, 1, 600 } }) do
      local h, l, n = table.unpack(c)
      local xv, wv = rng:randn(n, 2, h + 1, l), rng:randn(n, 2, 2, 1)
      local rv, sv, bv, vv = rng:randn(n, n, l, h), rng:randn(n, n, h, l), rng:randn(n), rng:rand(n)
      local want = { second(first(xv, wv), rv, sv, bv, vv) }
      for _, mode in ipairs(n < 50 and { interpreter, native } or { interpreter }) do
        for i, y in ipairs(rest(conv)) do
          local f = compile({ inputs = { x, w, r, s, b, v }, outputs = y, mode = mode, on_unused_input = "ignore" })
          assert.equal(1, (steps(f)))
          assert(nd.allclose(f(xv, wv, rv, sv, bv, vv), want[i], 1e-13, 1e-13), ("%d x %d"):format(h, l))
        end
      end
    end
  end)

  it("overwrites an operand once, when the ways are timed too", function()
    local x, w = T.dtensor4("x"), T.dtensor4("w")
    local s = theano.shared(nd.zeros({ 2, 3, 6, 6 }), { name = "s", borrow = false })
    local conv = T.nnet.conv2d(x, w)
    for _, mode in ipairs({ interpreter, native }) do
      local _ <close> = theano.config.change_flags({ ["conv.autotune"] = true })
      s:set_value(nd.ones({ 2, 3, 6, 6 }))
      local f = compile({ inputs = { x, w }, updates = { { s, s + conv } }, mode = mode })
      f(nd.ones({ 2, 1, 7, 7 }), nd.ones({ 3, 1, 2, 2 }))
      assert(nd.array_equal(s:get_value(), nd.ones({ 2, 3, 6, 6 }) * 5))
    end
  end)

  it("leaves the convolution where others read it", function()
    local x, w = T.dtensor4("x"), T.dtensor4("w")
    local conv = T.nnet.conv2d(x, w)
    for _, mode in ipairs({ interpreter, native }) do
      local f = compile({ inputs = { x, w }, outputs = { T.exp(conv), conv, conv:sum({ axis = 1 }) }, mode = mode })
      local g = compile({ inputs = { x, w }, outputs = conv, mode = mode })
      local xv, wv = rng:randn(3, 2, 6, 5), rng:randn(4, 2, 2, 3)
      local e, c, s = f(xv, wv)
      local want = g(xv, wv)
      assert(nd.array_equal(c, want))
      assert(nd.allclose(e, want:exp(), 1e-14))
      assert(nd.allclose(s, want:sum({ axis = 1 }), 1e-12))
    end
  end)

  it("is what a sum of nothing gives", function()
    local x, w, b = T.dtensor4("x"), T.dtensor4("w"), T.dvector("b")
    local y = T.tanh(T.nnet.conv2d(x, w) + b:dimshuffle("x", 0, "x", "x"))
    local f = compile({ inputs = { x, w, b }, outputs = y, mode = interpreter })
    local z = f(nd.zeros({ 2, 0, 3, 3 }), nd.zeros({ 2, 0, 2, 2 }), nd.array({ 0, 1 }))
    assert.near(0, z[{ 1, 0, 1, 1 }], 0)
    assert.near(0.7615941559557649, z[{ 1, 1, 1, 1 }], 1e-15)
    local empty = f(nd.zeros({ 0, 1, 3, 3 }), nd.zeros({ 2, 1, 2, 2 }), nd.zeros({ 2 }))
    assert.same({ 0, 2, 2, 2 }, { table.unpack(empty.shape) })
  end)

  it("trains: the gradients are those of the parts", function()
    local x, w, b = T.dtensor4("x"), T.dtensor4("w"), T.dvector("b")
    for _, fn in ipairs({ T.tanh, T.nnet.sigmoid, T.nnet.relu }) do
      local y = fn(T.nnet.conv2d(x, w, { border_mode = "half" }) + b:dimshuffle("x", 0, "x", "x"))
      local outs = T.grad(T.sum(T.sqr(y)), { x, w, b })
      local f = compile({ inputs = { x, w, b }, outputs = outs, mode = interpreter })
      local g = compile({ inputs = { x, w, b }, outputs = outs, mode = as_written })
      local xv, wv, bv = rng:randn(7, 3, 6, 6), rng:randn(18, 3, 3, 3), rng:randn(18)
      local got, want = { f(xv, wv, bv) }, { g(xv, wv, bv) }
      for i = 1, 3 do assert(nd.allclose(got[i], want[i], 1e-12, 1e-12)) end
    end
  end)

  it("says which length is wrong", function()
    local x, w, b = T.dtensor4("x"), T.dtensor4("w"), T.dvector("b")
    local f = compile({ inputs = { x, w, b }, outputs = T.nnet.conv2d(x, w) + b:dimshuffle("x", 0, "x", "x") })
    raises("ValueError", "Input dimension mis-match. (input[0].shape[1] = 2, input[1].shape[1] = 3)", function()
      local z = f(nd.ones({ 1, 1, 3, 3 }), nd.ones({ 2, 1, 2, 2 }), nd.ones({ 3 }))
      return z
    end)
  end)
end)

-- ---- windows of what comes out ------------------------------------------------------------------------------------
describe("pooling behind a convolution", function()
  local pool = T.signal.pool.pool_2d
  local WINDOWS = { { ws = { 2, 2 } }, { ws = { 3, 3 }, stride = { 2, 2 }, pad = { 1, 1 } },
    { ws = { 2, 3 }, mode = "average_exc_pad", pad = { 0, 1 } }, { ws = { 3, 2 }, mode = "sum", ignore_border = false },
    { ws = { 1, 2 }, mode = "average_inc_pad", stride = { 2, 3 } } }
  local function keywords(c)
    return { ignore_border = c.ignore_border ~= false, stride = c.stride, pad = c.pad, mode = c.mode }
  end
  local function same(v) return v end
  local FOLLOWS = { same, T.tanh, function(v) return T.nnet.relu(v) - 1 end }
  local function per(b) return b:dimshuffle("x", 0, "x", "x") end
  --- Step lines of the plan; whether a convolution's result goes to the pooling without memory.
  local function shape(f)
    local text = theano.printing.plan(f)
    return select(2, text:gsub("\n  step %d+:", "")), text:find(", for the next stage", 1, true) ~= nil, text
  end

  it("is one step without the convolution's result, with elementwise parts before and behind #asan", function()
    cpu.only("the CPU's plan")
    local state = nd.random.RandomState(79)
    local function random(a, b) return state:randint(a, b + 1) end
    for round = 1, 24 do
      local c, how = cases.random_case(random, 2), WINDOWS[round % #WINDOWS + 1]
      c.unshared = false
      c.filter = { c.filter[1] * (round % 3 == 0 and 9 or 1), c.image[2] // c.groups,
        table.unpack(c.filter, #c.filter - 1) }
      local x, _, xv = cases.operand(c, c.image)
      local w, _, wv = cases.operand(c, c.filter)
      local b = T.TensorType(c.dtype, { false })("b")
      local bv = nd.asarray(rng:randn(c.filter[1]), c.dtype)
      local before, behind = FOLLOWS[round % 3 + 1], FOLLOWS[round // 3 % 3 + 1]
      local mode = round % 6 == 0 and native or interpreter
      local conv = T.nnet.conv2d(x, w, cases.keywords(c, false))
      local function first(u) return before == same and u or before(u + per(b)) end
      local function second(u) return behind == same and u or behind(u * per(b)) end
      local inputs, values = { x, w, b }, { xv, wv, bv }
      local f = compile({ inputs = inputs, outputs = second(pool(first(conv), how.ws, keywords(how))), mode = mode,
        on_unused_input = "ignore" })
      local steps, feeds, text = shape(f)
      assert.equal(1, steps, text)
      assert.truthy(feeds, text)
      local u, v = conv.type("u"), T.TensorType(c.dtype, { false, false, false, false })("v")
      local one = compile({ inputs = inputs, outputs = first(conv), mode = mode, on_unused_input = "ignore" })
      local two = compile({ inputs = { u }, outputs = pool(u, how.ws, keywords(how)), mode = mode })
      local three = compile({ inputs = { v, b }, outputs = second(v), mode = mode, on_unused_input = "ignore" })
      local way = cases.algorithms[round % #cases.algorithms + 1]
      local want = three(two(cases.with(way, one, table.unpack(values))), bv)
      assert(nd.array_equal(cases.with(way, f, table.unpack(values)), want), cases.show(c))
      local _ <close> = theano.config.change_flags({ openmp = true, openmp_elemwise_minsize = 1 })
      assert(nd.array_equal(cases.with(way, f, table.unpack(values)), want), cases.show(c))
    end
  end)

  it("some images at a time, of the whole's way, with operands of their own #asan", function()
    cpu.only("the CPU's plan")
    local x, w, r, q = T.ftensor4("x"), T.ftensor4("w"), T.ftensor4("r"), T.ftensor4("q")
    for _, sizes in ipairs({ { { 5, 3, 90, 90 }, { 40, 3, 3, 3 } }, { { 3, 3, 128, 128 }, { 8, 3, 31, 31 } } }) do
      local conv = T.nnet.conv2d(x, w)
      local z = pool(T.nnet.relu(conv + r), { 2, 2 }, { ignore_border = true }) - q
      local xv = nd.asarray(rng:randn(table.unpack(sizes[1])), "float32")
      local wv = nd.asarray(rng:randn(table.unpack(sizes[2])), "float32")
      local side = sizes[1][3] - sizes[2][3] + 1
      local rv = nd.asarray(rng:randn(sizes[1][1], sizes[2][1], side, side), "float32")
      local qv = nd.asarray(rng:randn(sizes[1][1], sizes[2][1], side // 2, side // 2), "float32")
      local g = compile({ inputs = { x, w }, outputs = conv, mode = interpreter })
      local u = T.ftensor4("u")
      local rest = compile({ inputs = { u, r, q }, mode = interpreter,
        outputs = pool(T.nnet.relu(u + r), { 2, 2 }, { ignore_border = true }) - q })
      local want = rest(g(xv, wv), rv, qv)
      for _, mode in ipairs({ interpreter, native }) do
        local f = compile({ inputs = { x, w, r, q }, outputs = z, mode = mode })
        local steps, feeds = shape(f)
        assert.same({ 1, true }, { steps, feeds })
        assert(nd.array_equal(f(xv, wv, rv, qv), want))
        local _ <close> = theano.config.change_flags({ openmp = true, openmp_elemwise_minsize = 1 })
        assert(nd.array_equal(f(xv, wv, rv, qv), want))
      end
    end
  end)

  it("is what a sum of nothing gives, knows its lengths, and is none for no images #asan", function()
    local x, w, b = T.dtensor4("x"), T.dtensor4("w"), T.dvector("b")
    local z = pool(T.tanh(T.nnet.conv2d(x, w) + per(b)), { 2, 2 }, { ignore_border = true })
    for _, mode in ipairs({ interpreter, native }) do
      local f = compile({ inputs = { x, w, b }, outputs = { z, z.shape }, mode = mode })
      local v, lengths = f(nd.zeros({ 2, 0, 5, 5 }), nd.zeros({ 2, 0, 2, 2 }), nd.array({ 0, 1 }))
      assert.same({ 2, 2, 2, 2 }, lengths:tolist())
      assert.near(0.7615941559557649, v[{ 1, 1, 1, 1 }], 1e-15)
      v = f(nd.zeros({ 0, 1, 5, 5 }), nd.zeros({ 2, 1, 2, 2 }), nd.zeros({ 2 }))
      assert.same({ 0, 2, 2, 2 }, { table.unpack(v.shape) })
      v = f(nd.zeros({ 1, 1, 2, 2 }), nd.zeros({ 2, 1, 2, 2 }), nd.zeros({ 2 })) -- one place, no window
      assert.same({ 1, 2, 0, 0 }, { table.unpack(v.shape) })
    end
  end)

  it("takes windows that only the call tells", function()
    cpu.only("the CPU's plan")
    local x, w, ws = T.dtensor4("x"), T.dtensor4("w"), T.lvector("ws")
    local y = T.nnet.conv2d(x, w)
    local xv, wv = rng:randn(2, 1, 9, 8), rng:randn(3, 1, 2, 2)
    for _, mode in ipairs({ interpreter, native }) do
      local f = compile({ inputs = { x, w, ws }, outputs = pool(y, ws, { ignore_border = true }), mode = mode })
      assert.truthy(select(2, shape(f)))
      for _, size in ipairs({ { 2, 2 }, { 3, 1 } }) do
        local g = compile({ inputs = { x, w }, outputs = pool(y, size, { ignore_border = true }), mode = as_written })
        assert(nd.allclose(f(xv, wv, nd.array(size, "int64")), g(xv, wv), 1e-12, 1e-12))
      end
    end
  end)

  it("stays a step of its own where others read what is pooled, or it is part of something else", function()
    local x, w = T.dtensor4("x"), T.dtensor4("w")
    local y = T.nnet.conv2d(x, w)
    local z = pool(y, { 2, 2 }, { ignore_border = true })
    local again = pool(y, { 3, 3 }, { ignore_border = true })
    local half = pool(y[{ T.slice(0, 2) }], { 2, 2 }, { ignore_border = true })
    local turned = pool(y:dimshuffle(1, 0, 2, 3), { 2, 2 }, { ignore_border = true })
    local joined = pool(y:reshape({ 2, 12, 7, 7 }), { 2, 2 }, { ignore_border = true })
    local xv, wv = rng:randn(4, 1, 8, 8), rng:randn(6, 1, 2, 2)
    for i, outs in ipairs({ { z, T.grad(T.sum(z), w) }, { y, z }, { z, again }, { half }, { turned }, { joined } }) do
      local f = compile({ inputs = { x, w }, outputs = outs, mode = native })
      local g = compile({ inputs = { x, w }, outputs = outs, mode = as_written })
      assert.falsy(select(2, shape(f)), "outputs " .. i)
      local got, want = { f(xv, wv) }, { g(xv, wv) }
      for k = 1, #want do assert(nd.allclose(got[k], want[k], 1e-12, 1e-12), ("outputs %d, %d"):format(i, k)) end
    end
  end)

  it("writes what the convolution reads only when that is done", function()
    local w = T.dtensor4("w")
    local start, wv = rng:randn(3, 2, 6, 6), rng:randn(2, 2, 3, 3)
    local s = theano.shared(start, { name = "s" })
    local z = pool(T.tanh(T.nnet.conv2d(s, w, { border_mode = "half" })), { 1, 1 }, { ignore_border = true })
    local x = T.dtensor4("x")
    local g = compile({ inputs = { x, w }, mode = as_written,
      outputs = pool(T.tanh(T.nnet.conv2d(x, w, { border_mode = "half" })), { 1, 1 }, { ignore_border = true }) })
    for _, mode in ipairs({ interpreter, native }) do
      s:set_value(start)
      local f = compile({ inputs = { w }, updates = { { s, z } }, mode = mode })
      f(wv)
      assert(nd.allclose(s:get_value(), g(start, wv), 1e-12, 1e-12))
    end
  end)

  it("is a step before one that overwrites a shared variable, which nothing may fail in", function()
    local x, w = T.dtensor4("x"), T.dtensor4("w")
    local start, xv, wv = rng:randn(3, 2, 6, 6), rng:randn(3, 2, 6, 6), rng:randn(2, 2, 3, 3)
    local s = theano.shared(start, { name = "s" })
    local function new(v, read)
      local z = T.tanh(T.nnet.conv2d(x, w, { border_mode = "half" }) + (read and v or 1))
      return v + pool(z, { 1, 1 }, { ignore_border = true })
    end
    local v = T.dtensor4("v")
    for _, read in ipairs({ true, false }) do
      local want = compile({ inputs = { x, w, v }, outputs = new(v, read), mode = as_written })(xv, wv, start)
      for _, mode in ipairs({ interpreter, native }) do
        s:set_value(start)
        local f = compile({ inputs = { x, w }, updates = { { s, new(s, read) } }, mode = mode })
        local steps, feeds, text = shape(f)
        assert.same({ 2, false }, { steps, feeds }, text)
        f(xv, wv)
        assert(nd.allclose(s:get_value(), want, 1e-12, 1e-12))
      end
    end
  end)

  it("follows stages of 2 to 5 dimensions", function()
    cpu.only("the CPU's plan")
    for nd_ = 2, 5 do
      local bcast, lengths = {}, {}
      for d = 1, nd_ do bcast[d], lengths[d] = false, d + 3 end
      local x = T.TensorType("float32", bcast)("x")
      local z = T.exp(pool(x, { 2, 2 }, { ignore_border = true }))
      local v = nd.asarray(rng:randn(table.unpack(lengths)), "float32")
      local want = compile({ inputs = { x }, outputs = z, mode = as_written })(v)
      for _, mode in ipairs({ interpreter, native }) do
        local f = compile({ inputs = { x }, outputs = z, mode = mode })
        assert.equal(nd_ == 5 and 2 or 1, (shape(f)))
        for _, openmp in ipairs({ false, true }) do
          local _ <close> = theano.config.change_flags({ openmp = openmp, openmp_elemwise_minsize = 1 })
          assert(nd.allclose(f(v), want, 1e-6))
        end
      end
    end
  end)

  it("is mapped over", function()
    local x, w = T.TensorType("float64", { false, false, false, false, false })("x"), T.dtensor4("w")
    local function one(v) return pool(T.nnet.conv2d(v, w), { 2, 2 }, { ignore_border = true }) end
    local f = compile({ x, w }, T.vmap(one)(x), { mode = interpreter })
    local xv, wv = rng:randn(3, 2, 1, 6, 6), rng:randn(2, 1, 3, 3)
    local x1 = T.dtensor4("x1")
    local g = compile({ x1, w }, one(x1), { mode = interpreter })
    for i = 0, 2 do assert(nd.allclose(f(xv, wv)[i], g(xv[i]:copy(), wv), 1e-12, 1e-12)) end
  end)
end)

-- ---- names, lengths known while building --------------------------------------------------------------------------
describe("convolution", function()
  local x, w = T.dtensor4("x"), T.dtensor4("w")

  it("prints as Theano's", function()
    local y = T.nnet.conv2d(x, w, { input_shape = { false, 2, 5, 5 }, border_mode = { 1, 2 }, subsample = { 2, 1 } })
    assert.equal("AbstractConv2d{convdim=2, border_mode=(1, 2), subsample=(2, 1), filter_flip=True, "
      .. "imshp=(None, 2, 5, 5), kshp=(None, None, None, None), filter_dilation=(1, 1), num_groups=1, unshared=False}",
      tostring(y.owner.op))
    local gw = T.grad(y:sum(), w)
    local text = theano.printing.debugprint(gw, { file = "str" })
    assert.truthy(text:find("AbstractConv2d_gradWeights{convdim=2, ", 1, true))
  end)

  it("takes lengths of gradients as numbers, scalars or a vector", function()
    local g, n = T.dtensor4("g"), T.lscalar("n")
    local A = T.nnet.abstract_conv
    local a = A.conv2d_grad_wrt_inputs(g, w, { false, 2, 5, 6 })
    local b = A.conv2d_grad_wrt_inputs(g, w, { false, 2, n, 6 })
    local c = A.conv2d_grad_wrt_inputs(g, w, x.shape)
    local f = compile({ inputs = { g, w, n, x }, outputs = { a, b, c }, mode = interpreter })
    local p, q, r = f(rng:randn(1, 3, 3, 5), rng:randn(3, 2, 3, 2), 5, nd.zeros({ 1, 2, 5, 6 }))
    assert(nd.array_equal(p, q) and nd.array_equal(p, r))
  end)

  it("knows its lengths without being computed", function()
    local y = T.nnet.conv2d(x, w, { border_mode = "full", subsample = { 2, 3 }, filter_dilation = { 2, 1 } })
    local f = compile({ inputs = { x, w }, outputs = y.shape, mode = interpreter })
    assert.same({ 2, 4, 5, 3 }, flat(f(nd.zeros({ 2, 3, 5, 6 }), nd.zeros({ 4, 3, 3, 2 }))))
    local text = theano.printing.debugprint(f, { file = "str" })
    assert.falsy(text:find("Conv") or text:find("Corr"), text)
  end)

  it("runs as written", function()
    local c = { groups = 1, flip = true, step = { 2, 1 }, dilation = { 1, 1 }, pad = { { 1, 1 }, { 1, 1 } }, border = 1,
      image = { 1, 2, 5, 4 }, filter = { 2, 2, 3, 3 }, out = { 1, 2, 3, 4 }, dtype = "float64" }
    cases.check(c, as_written)
  end)
end)

describe("convolution refuses", function()
  local x, w = T.dtensor4("x"), T.dtensor4("w")
  local function ones(...) return T.constant(nd.ones({ ... })) end
  local function compiled(keys)
    return compile({ inputs = { x, w }, outputs = T.nnet.conv2d(x, w, keys), mode = interpreter })
  end

  it("wrong ranks and dtypes", function()
    raises("TypeError", { "conv2d: the images (input) must be a 4D tensor", "TensorType(float64, matrix)" }, function()
      local y = T.nnet.conv2d(T.dmatrix(), w)
      return y
    end)
    raises("TypeError", "conv2d: the filters must be a 6D tensor", function()
      local y = T.nnet.conv2d(x, w, { unshared = true })
      return y
    end)
    raises("TypeError", "conv3d: the images (input) must be a 5D tensor", function()
      local y = T.nnet.conv3d(x, w)
      return y
    end)
  end)

  it("unknown and negative borders", function()
    for _, border in ipairs({ "same", -1, { 1 }, { 1, -2 }, { { 1, 2, 3 }, 1 }, { "a", 1 } }) do
      raises("ValueError", "invalid border_mode", function()
        local y = T.nnet.conv2d(x, w, { border_mode = border })
        return y
      end)
    end
  end)

  it("steps and groups that are not positive", function()
    raises("ValueError", "subsample must be positive, it holds 0", function()
      local y = T.nnet.conv2d(x, w, { subsample = { 1, 0 } })
      return y
    end)
    raises("ValueError", "filter_dilation must be a list of 2 integers, it has 3", function()
      local y = T.nnet.conv2d(x, w, { filter_dilation = { 1, 1, 1 } })
      return y
    end)
    raises("ValueError", "num_groups must be at least 1", function()
      local y = T.nnet.conv2d(x, w, { num_groups = 0 })
      return y
    end)
  end)

  it("hints that do not fit each other, while building", function()
    raises("ValueError", "input_shape says 3 channels, filter_shape 2", function()
      local y = T.nnet.conv2d(x, w, { input_shape = { 1, 3, 4, 4 }, filter_shape = { 1, 2, 2, 2 } })
      return y
    end)
    raises("ValueError", "input_shape must be a list of 4 lengths", function()
      local y = T.nnet.conv2d(x, w, { input_shape = { 1, 3, 4 } })
      return y
    end)
    raises("ValueError", "5 filters cannot be divided into num_groups = 2 groups", function()
      local y = T.nnet.conv2d(x, w, { filter_shape = { 5, 1, 2, 2 }, num_groups = 2 })
      return y
    end)
  end)

  it("hints that disagree with the data", function()
    local f = compiled({ input_shape = { false, 3, false, false } })
    raises("ValueError", { "input_shape says 3, the images have length 2 in dimension 1" }, function()
      local z = f(nd.ones({ 1, 2, 4, 4 }), nd.ones({ 1, 2, 2, 2 }))
      return z
    end)
    f = compiled({ filter_shape = { false, false, 3, false } })
    raises("ValueError", "filter_shape says 3, the filters have length 2 in dimension 2", function()
      local z = f(nd.ones({ 1, 2, 4, 4 }), nd.ones({ 1, 2, 2, 2 }))
      return z
    end)
  end)

  it("channels, groups and sizes that do not fit, at the call", function()
    local f = compiled({})
    raises("ValueError", { "the images have 2 channels, the filters take 3",
      "Inputs shapes: [(1, 2, 4, 4), (1, 3, 2, 2)]", "Backtrace when the node is created: " }, function()
      local z = f(nd.ones({ 1, 2, 4, 4 }), nd.ones({ 1, 3, 2, 2 }))
      return z
    end)
    f = compiled({ num_groups = 2 })
    raises("ValueError", "3 filters cannot be divided", function()
      local z = f(nd.ones({ 1, 2, 4, 4 }), nd.ones({ 3, 1, 2, 2 }))
      return z
    end)
    f = compiled({ filter_dilation = { 2, 1 } })
    raises("ValueError", { "impossible output shape", "length 4, the (dilated) filter 5" }, function()
      local z = f(nd.ones({ 1, 1, 4, 4 }), nd.ones({ 1, 1, 3, 2 }))
      return z
    end)
  end)

  it("what is known not to fit, while building", function()
    local shapes = "Inputs shapes: [(1, 2, 4, 4), (1, 3, 2, 2)]"
    raises("ValueError", { "the images have 2 channels, the filters take 3", shapes }, function()
      local y = T.nnet.conv2d(ones(1, 2, 4, 4), ones(1, 3, 2, 2))
      return y
    end)
    raises("ValueError", "impossible output shape", function()
      local y = T.nnet.conv2d(ones(1, 1, 2, 4), ones(1, 1, 3, 2))
      return y
    end)
    raises("ValueError", "output_grad has length 3, images and filters of these lengths give 4", function()
      local y = T.nnet.abstract_conv.conv2d_grad_wrt_inputs(ones(1, 1, 3, 3), ones(1, 1, 2, 2), { 1, 1, 5, 4 })
      return y
    end)
  end)

  it("shapes of gradients without their lengths", function()
    raises("ValueError", "its last 2 lengths must be given", function()
      local y = T.nnet.abstract_conv.conv2d_grad_wrt_inputs(x, w, { 1, 1, false, 4 })
      return y
    end)
  end)
end)

describe("conv.autotune", function()
  local dir = os.tmpname()
  os.remove(dir)
  local file = dir .. "/lua-conv.tuned"
  local program = [[
    local theano = require("theano")
    local T, nd = theano.tensor, theano.ndarray
    local x, w = T.ftensor4("x"), T.ftensor4("w")
    local f = theano.compile({ inputs = { x, w }, outputs = T.nnet.conv2d(x, w) })
    local rng = nd.random.RandomState(1)
    local a, b = rng:randint(-3, 4, { 2, 3, 40, 40 }), rng:randint(-3, 4, { 4, 3, 9, 9 })
    print(nd.abs(nd.round(f(a:astype("float32"), b:astype("float32")))):sum())
  ]]

  local function run(more)
    local flags = "conv.autotune=True,linker=py,base_compiledir=" .. dir .. (more or "")
    local p = assert(io.popen(("OMP_NUM_THREADS=2 THEANO_FLAGS=%s timeout 60 build/theano -e '%s' 2>&1")
      :format(flags, program)))
    local text = p:read("a")
    p:close()
    return text
  end

  local function bytes()
    local f = assert(io.open(file, "rb"))
    local text = f:read("a")
    f:close()
    return text
  end

  local function write(text)
    local f = assert(io.open(file, "wb"))
    f:write(text)
    f:close()
  end

  it("keeps what it found, and whatever is in the file changes no result", function()
    local first = run(",openmp=False")
    assert.truthy(tonumber(first), first)
    assert.equal(first, run(",openmp=True")) -- another key
    os.remove(file)
    assert.equal(first, run())
    local kept = bytes()
    assert.equal(24, #kept)
    assert.equal(first, run())
    assert.equal(kept, bytes())
    for _, text in ipairs({ "", kept:sub(1, 23), ("x"):rep(1000), kept:sub(1, 8) .. ("\0"):rep(16),
      kept:sub(1, 8) .. "\9" .. kept:sub(10) }) do
      write(text)
      assert.equal(first, run())
      assert.equal(kept:sub(1, 8), bytes():sub(-24):sub(1, 8)) -- timed again
    end
    os.execute("chmod 666 " .. file)
    local open = bytes()
    assert.equal(first, run())
    assert.equal(open, bytes())
    os.execute(("rm -f %s && ln -s /dev/zero %s"):format(file, file))
    assert.equal(first, run())
    os.execute("rm -rf " .. dir)
  end)

  it("keeps nothing in a folder below one that others may write", function()
    assert(os.execute(("mkdir -p %s/mine && chmod 777 %s"):format(dir, dir)))
    assert.truthy(tonumber((run("/mine"))))
    assert.is_nil(io.open(dir .. "/mine/lua-conv.tuned"))
    os.execute("chmod 755 " .. dir)
    assert.truthy(tonumber((run("/mine"))))
    assert.equal(0, #assert(io.open(dir .. "/mine/lua-conv.tuned")):read("a") % 24)
    os.execute("rm -rf " .. dir)
  end)
end)
