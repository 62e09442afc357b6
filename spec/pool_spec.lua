--- Pooling against plain loops over random windows; symbolic windows; patches of images; upsampling; what raises.
local compile = require("theano.compile")
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")
local T = require("theano.tensor")

local rng = nd.random.RandomState(5)
local interpreter = compile.Mode({ linker = "interpreter" })
local native = compile.Mode({ linker = "c" })
local pool = T.signal.pool.pool_2d
local MODES = { "max", "sum", "average_inc_pad", "average_exc_pad" }

local function flat(a) return a:reshape({ -1 }):tolist() end

-- ---- the definition, along one dimension --------------------------------------------------------------------------
local function out_length(n, ws, st, pad, ignore)
  local v = n + 2 * pad
  if ignore then return math.max((v - ws) // st + 1, 0) end
  if st >= ws then return (v - 1) // st + 1 end
  return math.max(0, (v - 1 - ws + st) // st) + 1
end

-- Positions that window q covers, from and to (outside), and how many count for average_inc_pad.
local function covered(q, n, ws, st, pad, ignore)
  local from, to = q * st - pad, q * st - pad + ws
  local all = ignore and ws or math.min(to, n + pad) - from
  return math.max(from, 0), math.min(to, n), all
end

-- Pooled image and, for gz, the gradient: lists by row of one image h x w.
local function reference(x, h, w, c, gz)
  local oh = out_length(h, c.ws[1], c.st[1], c.pad[1], c.ignore)
  local ow = out_length(w, c.ws[2], c.st[2], c.pad[2], c.ignore)
  local z, gx = {}, {}
  for i = 1, h * w do gx[i] = 0 end
  for a = 0, oh - 1 do
    for b = 0, ow - 1 do
      local r0, r1, rows = covered(a, h, c.ws[1], c.st[1], c.pad[1], c.ignore)
      local c0, c1, cols = covered(b, w, c.ws[2], c.st[2], c.pad[2], c.ignore)
      local best, sum, count = nil, 0, 0
      for i = r0, r1 - 1 do
        for j = c0, c1 - 1 do
          local v = x[i * w + j + 1]
          best, sum, count = (best == nil or v > best) and v or best, sum + v, count + 1
        end
      end
      local divisor = c.mode == "average_inc_pad" and rows * cols or c.mode == "average_exc_pad" and count or 1
      z[#z + 1] = c.mode == "max" and best or sum / divisor
      local g = gz and gz[#z] or 0
      for i = r0, r1 - 1 do
        for j = c0, c1 - 1 do
          local at = i * w + j + 1
          if c.mode ~= "max" then gx[at] = gx[at] + g / divisor
          elseif x[at] == best then gx[at] = gx[at] + g end
        end
      end
    end
  end
  return z, gx, oh, ow
end

local function random_case(random)
  local c = { mode = MODES[random(1, 4)], ignore = random(1, 3) > 1, ws = {}, st = {}, pad = {} }
  for d = 1, 2 do
    c.ws[d], c.st[d] = random(1, 4), random(1, 4)
    c.pad[d] = c.ignore and random(0, c.ws[d] - 1) or 0
  end
  c.h, c.w, c.dtype = random(4, 9), random(4, 9), random(1, 2) == 1 and "float32" or "float64"
  c.ties = random(1, 3) == 1
  return c
end

local function show(c)
  return ("%s %s %dx%d ws %s st %s pad %s ignore %s"):format(c.dtype, c.mode, c.h, c.w, table.concat(c.ws, ","),
    table.concat(c.st, ","), table.concat(c.pad, ","), tostring(c.ignore))
end

local function close(c, got, want, from, what)
  local tol = c.dtype == "float32" and 1e-5 or 1e-12
  for i = 1, #want do
    local off = math.abs(got[from + i] - want[i])
    if off ~= off or off > tol * (1 + math.abs(want[i])) then
      error(("%s: %s, element %d is %.9g, wanted %.9g"):format(what, show(c), i - 1, got[from + i], want[i]))
    end
  end
end

local function check(c, mode, turned, symbolic)
  local x, g = T.TensorType(c.dtype, { false, false, false, false })("x"), T.TensorType(c.dtype, { false, false, false,
    false })("g")
  local ws, st, pad = c.ws, c.st, c.pad
  local inputs, more = { x, g }, {}
  if symbolic then
    ws, st, pad = T.lvector("ws"), T.lvector("st"), T.lvector("pad")
    inputs, more = { x, g, ws, st, pad }, { nd.array(c.ws), nd.array(c.st), nd.array(c.pad) }
  end
  local seen = turned and x:dimshuffle(0, 1, 3, 2) or x
  local z = pool(seen, ws, { ignore_border = c.ignore, stride = st, pad = pad, mode = c.mode })
  local f = compile({ inputs = inputs, outputs = { z, T.grad(T.sum(z * g), seen), z.shape }, mode = mode })
  local value = c.ties and rng:randint(0, 3, { 2, 2, c.h, c.w }) or rng:randn(2, 2, c.h, c.w)
  value = nd.asarray(value, c.dtype)
  local _, _, oh, ow = reference(flat(value), c.h, c.w, c)
  local gv = nd.asarray(rng:randn(2, 2, oh, ow), c.dtype)
  local given = turned and value:transpose(0, 1, 3, 2):copy() or value
  local rz, rg, shape = f(given, gv, table.unpack(more))
  assert.same({ 2, 2, oh, ow }, { table.unpack(rz.shape) }, show(c))
  assert.same({ 2, 2, oh, ow }, flat(shape))
  local fx, fg, fz, fr = flat(value), flat(gv), flat(rz), flat(rg)
  for k = 0, 3 do
    local image = table.move(fx, k * c.h * c.w + 1, (k + 1) * c.h * c.w, 1, {})
    local want, wg = reference(image, c.h, c.w, c, table.move(fg, k * oh * ow + 1, (k + 1) * oh * ow, 1, {}))
    close(c, fz, want, k * oh * ow, "result")
    close(c, fr, wg, k * c.h * c.w, "gradient")
  end
end

describe("pooling against plain loops", function()
  it("interpreted #asan", function()
    local state = nd.random.RandomState(3)
    local function random(a, b) return state:randint(a, b + 1) end
    for round = 1, 80 do check(random_case(random), interpreter, round % 3 == 0, round % 7 == 0) end
  end)
  it("in generated C", function()
    local state = nd.random.RandomState(4)
    local function random(a, b) return state:randint(a, b + 1) end
    for round = 1, 16 do check(random_case(random), native, round % 3 == 0, round % 7 == 0) end
  end)
  it("of the sizes that networks use", function()
    for _, mode in ipairs(MODES) do
      for _, dtype in ipairs({ "float32", "float64" }) do
        for _, w in ipairs({ 8, 24, 37, 64 }) do
          check({ mode = mode, ignore = true, ws = { 2, 2 }, st = { 2, 2 }, pad = { 0, 0 }, h = 5, w = w, dtype = dtype,
            ties = true }, interpreter)
          check({ mode = mode, ignore = false, ws = { 3, 3 }, st = { 2, 2 }, pad = { 0, 0 }, h = 6, w = w,
            dtype = dtype }, interpreter)
        end
      end
    end
  end)
end)

-- Windows of one plane over three dimensions run as loops (core/ops/image/pool_lower.c); over two as library calls.
local function both(dtype, mode, ws, st, pad)
  local x, g = T.TensorType(dtype, { false, false, false })("x"), T.TensorType(dtype, { false, false, false })("g")
  local outputs = {}
  for _, c in ipairs({ { pool, ws, st, pad },
    { T.signal.pool.pool_3d, { 1, ws[1], ws[2] }, { 1, st[1], st[2] }, { 0, pad[1], pad[2] } } }) do
    local z = c[1](x, c[2], { ignore_border = true, stride = c[3], pad = c[4], mode = mode })
    outputs[#outputs + 1], outputs[#outputs + 2] = z, T.grad(nil, x, { known_grads = { [z] = g } })
  end
  return compile({ inputs = { x, g }, outputs = outputs, mode = interpreter })
end

describe("pooling over two dimensions is that of loops, to the bit,", function()
  local function agree(f, dtype, shape, oh, ow)
    local value = rng:randint(0, 5, shape):astype(dtype)
    value[{ 0, 1, 0 }] = 0 / 0
    local z, gx, loops, loops_gx = f(value, nd.asarray(rng:randn(shape[1], oh, ow), dtype))
    assert.equal(loops:tobytes(), z:tobytes())
    assert.equal(loops_gx:tobytes(), gx:tobytes())
  end
  it("at every width #asan", function()
    for _, dtype in ipairs({ "float32", "float64" }) do
      for _, mode in ipairs(MODES) do
        local f = both(dtype, mode, { 2, 2 }, { 2, 2 }, { 0, 0 })
        for w = 2, 70 do agree(f, dtype, { 2, 4 + w % 2, w }, 2, w // 2) end
      end
    end
  end)
  it("and of any number of threads", function()
    for _, c in ipairs({ { { 2, 2 }, { 2, 2 }, { 0, 0 } }, { { 3, 3 }, { 2, 2 }, { 1, 1 } },
      { { 2, 3 }, { 4, 3 }, { 0, 1 } } }) do
      for _, mode in ipairs(MODES) do
        local f = both("float32", mode, table.unpack(c))
        for _, images in ipairs({ 1, 9 }) do
          local h, w = 41, 30
          local oh, ow = out_length(h, c[1][1], c[2][1], c[3][1], true), out_length(w, c[1][2], c[2][2], c[3][2], true)
          local value = nd.asarray(rng:randn(images, h, w), "float32")
          local g = nd.asarray(rng:randn(images, oh, ow), "float32")
          local z, gx, z2, gx2
          do
            local _ <close> = theano.config.change_flags({ openmp = false })
            z, gx = f(value, g)
          end
          do
            local _ <close> = theano.config.change_flags({ openmp = true, openmp_elemwise_minsize = 1 })
            z2, gx2 = f(value, g)
          end
          assert.equal(z:tobytes(), z2:tobytes())
          assert.equal(gx:tobytes(), gx2:tobytes())
        end
      end
    end
  end)
end)

-- A graph of one operation, from its text, on x and what else it reads.
local function of_text(dtype, ws, ignore)
  local window = ("%%0: const int64[?] (2) %d %d\n"):format(ws, ws) .. "%1: const int64[?] (2) 2 2\n" ..
    "%2: const int64[?] (2) 0 0\n"
  local attrs = ("{ndim=2, mode=0, ignore_border=%s}"):format(ignore and "True" or "False")
  local inputs = ("x: %s[?,?,?]\ng: %s[?,?,?]\n"):format(dtype, dtype)
  return theano.printing.graph_read(inputs .. window .. "%3 = Pool" .. attrs .. "(x, %0, %1, %2)\n%4 = MaxPoolGrad" ..
    attrs .. "(x, %3, g, %0, %1, %2)\n%5 = MaxPoolGradFromInput" .. attrs .. "(x, g, %0, %1, %2)\nout %4, %5\n")
end

describe("the gradient of maxima", function()
  local x, g = T.ftensor4("x"), T.ftensor4("g")
  local function nodes(ws, keys, outputs)
    local z = pool(x, ws, keys)
    local gx = T.grad(nil, x, { known_grads = { [z] = g } })
    local f = compile({ inputs = { x, g }, outputs = outputs == 2 and { z, gx } or gx, mode = interpreter })
    return theano.printing.debugprint(f, { file = "str" })
  end

  it("finds the maxima of windows of 2x2 as it goes, and nobody stores them", function()
    for outputs = 1, 2 do
      local text = nodes({ 2, 2 }, { ignore_border = true }, outputs)
      assert.truthy(text:find("MaxPoolGradFromInput{", 1, true))
      assert.equal(outputs == 2, text:find("Pool{", 1, true) ~= nil)
    end
    assert.truthy(nodes({ 2, 2 }, { ignore_border = false }, 1):find("MaxPoolGradFromInput{", 1, true))
  end)

  it("reads the maxima of other windows, and those that are cut off where they are there anyway", function()
    for _, text in ipairs({ nodes({ 3, 2 }, { ignore_border = true }, 1),
      nodes({ 2, 2 }, { ignore_border = true, stride = { 2, 1 } }, 1),
      nodes({ 2, 2 }, { ignore_border = true, pad = { 1, 0 } }, 1), nodes({ 2, 2 }, { ignore_border = false }, 2) }) do
      assert.truthy(text:find("MaxPoolGrad{", 1, true))
      assert.falsy(text:find("MaxPoolGradFromInput{", 1, true))
    end
  end)

  it("is the same to the bit either way, of any windows #asan", function()
    for _, mode in ipairs({ interpreter, native }) do
      for _, dtype in ipairs({ "float32", "float64" }) do
        for ws = 1, 4 do
          for _, ignore in ipairs({ true, false }) do
            local inputs, outputs = of_text(dtype, ws, ignore)
            local keep = compile.Mode({ linker = mode.linker, optimizer = "None" })
            local f = compile({ inputs = inputs, outputs = outputs, mode = keep })
            for w = ws, mode == native and 20 or 41 do
              local h = 3 + w % 4
              local oh, ow = out_length(h, ws, 2, 0, ignore), out_length(w, ws, 2, 0, ignore)
              local value = rng:randint(0, 5, { 2, h, w }):astype(dtype)
              value[{ 0, 1, 0 }] = 0 / 0
              local one, other = f(value, nd.asarray(rng:randn(2, oh, ow), dtype))
              local what = ("%s %d %dx%d"):format(dtype, ws, h, w)
              if theano.config.device == "cpu" then assert.equal(one:tobytes(), other:tobytes(), what) end
              assert(nd.allclose(one, other, { rtol = 1e-5, equal_nan = true }), what) -- a GPU's sums have their order
            end
          end
        end
      end
    end
  end)

  it("has derivatives of its own", function()
    local inputs, outputs = of_text("float64", 2, true)
    local seen, back = inputs[1], inputs[2]
    local v = T.dtensor3("v")
    local f = compile({ inputs = { seen, back, v }, mode = interpreter,
      outputs = { T.grad((outputs[1] * v):sum(), back), T.grad((outputs[2] * v):sum(), back),
        T.Rop(outputs[2], back, back * back), T.Rop(outputs[1], back, back * back) } })
    local a, b, c, d = f(rng:randn(2, 4, 6), rng:randn(2, 2, 3), rng:randn(2, 4, 6))
    assert.same({ 2, 2, 3 }, { table.unpack(b.shape) })
    assert(nd.array_equal(a, b) and nd.array_equal(c, d))
  end)

  it("refuses other dtypes and dimensions", function()
    local head = "x: int32[?,?]\ng: int32[?,?]\n%0: const int64[?] (2) 2 2\n%1: const int64[?] (2) 0 0\n"
    raises("TypeError", "MaxPoolGradFromInput: maxima of floats over two dimensions", function()
      local _ = theano.printing.graph_read(head .. "%2 = MaxPoolGradFromInput{ndim=2, mode=0, ignore_border=True}" ..
        "(x, g, %0, %0, %1)\nout %2\n")
    end)
  end)
end)

describe("pooling", function()
  local x = T.dtensor4("x")
  local function run(y, ...) return compile({ inputs = { x }, outputs = y, mode = interpreter })(...) end

  it("prints as Theano's", function()
    local y = pool(x, { 2, 2 }, { ignore_border = true })
    local text = theano.printing.debugprint(T.grad(y:sum(), x), { file = "str" })
    assert.equal("Pool{ignore_border=True, mode='max', ndim=2}", tostring(y.owner.op))
    assert.truthy(text:find("MaxPoolGrad{ignore_border=True, mode='max', ndim=2}", 1, true))
    local z = pool(x, { 2, 2 }, { ignore_border = true, mode = "sum" })
    text = theano.printing.debugprint(T.grad(z:sum(), x), { file = "str" })
    assert.truthy(text:find("AveragePoolGrad{ignore_border=True, mode='sum', ndim=2}", 1, true))
  end)

  it("leaves out NaN, unless a window starts with it", function()
    local nan = 0 / 0
    local rows = { { nan, 1, 2, nan }, { 5, 3, nan, 4 } }
    local z = run(pool(x, { 2, 2 }, { ignore_border = true }), nd.array({ { rows } }))
    assert(z[{ 0, 0, 0, 0 }] ~= z[{ 0, 0, 0, 0 }])
    assert.equal(4.0, z[{ 0, 0, 0, 1 }])
  end)

  it("has its older names", function()
    local a = T.signal.downsample.max_pool_2d(x, { 2, 2 }, { ignore_border = true, st = { 1, 2 } })
    local b = pool(x, { ds = { 2, 2 }, ignore_border = true, st = { 1, 2 }, padding = { 0, 0 } })
    local c = pool(x, { 2, 2 }, { ignore_border = true, stride = { 1, 2 } })
    local v = rng:randn(1, 2, 5, 6)
    local f = compile({ inputs = { x }, outputs = { a, b, c }, mode = interpreter })
    local p, q, r = f(v)
    assert(nd.array_equal(p, r) and nd.array_equal(q, r))
  end)

  it("keeps the maxima of patches in place", function()
    local z = run(T.signal.pool.max_pool_2d_same_size(x, { 2, 2 }), nd.array({ { { { 1, 2, 5 }, { 4, 3, 6 } } } }))
    assert.same({ 0, 0, 0, 4, 0, 0 }, flat(z))
  end)

  it("takes integers, averages cut off", function()
    local i = T.TensorType("int32", { false, false })("i")
    local y = { pool(i, 2, { ignore_border = true }), pool(i, 2, { ignore_border = true, mode = "average_exc_pad" }) }
    local f = compile({ inputs = { i }, outputs = y, mode = interpreter })
    local most, mean = f(nd.array({ { -1, -2 }, { -2, -2 } }, "int32"))
    assert.equal("int32", mean.dtype)
    assert.same({ -1, -1 }, { most[{ 0, 0 }], mean[{ 0, 0 }] })
  end)

  it("of three dimensions, of leading dimensions of any number", function()
    local v = T.dtensor3("v")
    local f = compile({ inputs = { v }, outputs = { T.signal.pool.pool_3d(v, { 2, 2, 2 }, { ignore_border = true }),
      pool(v, { 2, 2 }, { ignore_border = true }) }, mode = interpreter })
    local a, b = f(nd.arange(16):astype("float64"):reshape({ 2, 2, 4 }))
    assert.same({ 13, 15 }, flat(a))
    assert.same({ 5, 7, 13, 15 }, flat(b))
  end)

  it("refuses what makes no sense", function()
    local function bad(kind, text, keys)
      raises(kind, text, function()
        local y = pool(keys.x or x, keys)
        return y
      end)
    end
    bad("ValueError", "unknown mode \"median\"", { ws = { 2, 2 }, mode = "median" })
    bad("ValueError", "ws, the size of the windows, must be given", { ignore_border = true })
    bad("ValueError", "ws must have 2 elements, it has 3", { ws = { 2, 2, 2 } })
    bad("NotImplementedError", "padding works only with ignore_border = true", { ws = { 2, 2 }, pad = { 1, 0 } })
    bad("NotImplementedError", "padding (2) must be smaller than ws (2)", { ws = { 2, 2 }, pad = { 2, 0 },
      ignore_border = true })
    bad("ValueError", "ws and stride must be positive", { ws = { 2, 0 } })
    bad("ValueError", "a padding of -1 is negative", { ws = { 2, 2 }, pad = { -1, 0 }, ignore_border = true })
    raises("NotImplementedError", "the input needs at least 2 dimensions, it has 1", function()
      local y = pool(T.dvector(), { 2, 2 })
      return y
    end)
    raises("TypeError", "mode 'max' is not defined for complex128", function()
      local y = pool(T.zmatrix(), { 2, 2 })
      return y
    end)
    local ws, pad = T.lvector("ws"), T.lvector("pad")
    local f = compile({ inputs = { x, ws, pad }, outputs = pool(x, ws, { ignore_border = true, pad = pad }),
      mode = interpreter })
    raises("ValueError", "padding (2) must be smaller than ws, at most 1", function()
      local z = f(nd.zeros({ 1, 1, 4, 4 }), { 2, 2 }, { 2, 0 })
      return z
    end)
  end)
end)

-- ---- patches ------------------------------------------------------------------------------------------------------
describe("patches of images", function()
  local x = T.dtensor4("x")
  local N = T.nnet.neighbours
  local function run(y, ...) return compile({ inputs = { x }, outputs = y, mode = interpreter })(...) end
  local value = nd.arange(18):astype("float64"):reshape({ 1, 2, 3, 3 })

  it("are rows, by image, channel, row and column", function()
    local z = run(N.images2neibs(x, { 2, 2 }, { 1, 1 }), value)
    assert.same({ 8, 4 }, { table.unpack(z.shape) })
    assert.same({ 0, 1, 3, 4 }, flat(z[0]))
    assert.same({ 13, 14, 16, 17 }, flat(z[7]))
  end)

  it("wrap around, or are zero outside", function()
    local wrapped = run(N.images2neibs(x, { 3, 3 }, { 1, 1 }, { mode = "wrap_centered" }), value)
    assert.same({ 8, 6, 7, 2, 0, 1, 5, 3, 4 }, flat(wrapped[0]))
    local half = run(N.images2neibs(x, { 3, 3 }, { 1, 1 }, { mode = "half" }), value)
    assert.same({ 0, 0, 0, 0, 0, 1, 0, 3, 4 }, flat(half[0]))
    local full = run(N.images2neibs(x, { 2, 2 }, { 1, 1 }, { mode = "full" }), value)
    assert.same({ 32, 4 }, { table.unpack(full.shape) })
    assert.same({ 0, 0, 0, 0 }, flat(full[0]))
  end)

  it("go back to images, with borders of zeros", function()
    local big = nd.arange(2 * 5 * 5):astype("float64"):reshape({ 1, 2, 5, 5 })
    local rows = N.images2neibs(x, { 2, 2 }, { mode = "ignore_borders" })
    local z = run(N.neibs2images(rows, { 2, 2 }, x.shape, { mode = "ignore_borders" }), big)
    assert.same({ 1, 2, 5, 5 }, { table.unpack(z.shape) })
    assert.same({ 0, 1, 2, 3, 0 }, flat(z[{ 0, 0, 0 }]))
    assert.same({ 0, 0, 0, 0, 0 }, flat(z[{ 0, 1, 4 }]))
  end)

  it("that do not fit raise", function()
    raises("ValueError", "neib_shape and neib_step do not fit the images", function()
      local y = N.images2neibs(T.constant(value), { 2, 2 })
      return y
    end)
    raises("NotImplementedError", "unknown mode \"same\"", function()
      local y = N.images2neibs(x, { 2, 2 }, { mode = "same" })
      return y
    end)
    raises("TypeError", "wrap_centered needs patches with odd lengths", function()
      local y = N.images2neibs(x, { 2, 2 }, { mode = "wrap_centered" })
      return y
    end)
    raises("TypeError", "the images must be a 4D tensor", function()
      local y = N.images2neibs(T.dmatrix(), { 2, 2 })
      return y
    end)
  end)
end)

-- ---- upsampling ---------------------------------------------------------------------------------------------------
describe("bilinear upsampling", function()
  local x = T.dtensor4("x")
  local A = T.nnet.abstract_conv
  local function run(y, ...) return compile({ inputs = { x }, outputs = y, mode = interpreter })(...) end

  -- Value of a row at a place between its elements, the ends repeated.
  local function between(row, at)
    local low = math.floor(at)
    local function get(i) return row[math.max(0, math.min(#row - 1, i)) + 1] end
    return get(low) * (1 - (at - low)) + get(low + 1) * (at - low)
  end

  it("is linear between elements, by rows and columns or at once", function()
    for ratio = 1, 4 do
      local row = { 1, 4, 2, 8 }
      local v = nd.array({ { { row, row } } })
      local a = run(A.bilinear_upsampling(x, ratio), v)
      local b = run(A.bilinear_upsampling(x, { ratio = ratio, use_1D_kernel = false, batch_size = 1,
        num_input_channels = 1 }), v)
      assert.same({ 1, 1, 2 * ratio, 4 * ratio }, { table.unpack(a.shape) })
      assert(nd.allclose(a, b, 1e-12))
      local shift = (ratio - 1) // 2 / ratio
      for j = 0, 4 * ratio - 1 do assert.near(between(row, j / ratio - shift), a[{ 0, 0, 0, j }], 1e-12) end
    end
  end)

  it("by fractions", function()
    local v = nd.array({ { { { 1, 4, 2, 8 }, { 1, 4, 2, 8 }, { 3, 3, 3, 3 } } } })
    local whole = run(A.frac_bilinear_upsampling(x, { { 3, 1 }, { 2, 1 } }), v)
    local part = run(A.bilinear_upsampling(x, { frac_ratio = { { 3, 2 }, { 2, 3 } }, use_1D_kernel = false }), v)
    assert.same({ 1, 1, 9, 8 }, { table.unpack(whole.shape) })
    assert(nd.allclose(whole["..., ::2, ::3"], part, 1e-12))
  end)

  it("refuses ratios that are none", function()
    raises("ValueError", "ratio must be a positive integer", function()
      local y = A.bilinear_upsampling(x)
      return y
    end)
    raises("ValueError", "frac_ratio needs use_1D_kernel = false", function()
      local y = A.bilinear_upsampling(x, { frac_ratio = { 3, 2 } })
      return y
    end)
    raises("ValueError", "frac_ratio must be a pair", function()
      local y = A.frac_bilinear_upsampling(x, { 3 })
      return y
    end)
  end)
end)

describe("convolutions made of convolutions", function()
  it("separable: one channel at a time, then mixed", function()
    local x, d, p = T.dtensor4("x"), T.dtensor4("d"), T.dtensor4("p")
    local y = T.nnet.separable_conv2d(x, d, p, 2, { border_mode = "half" })
    local z = T.nnet.conv2d(x, d, { border_mode = "half", num_groups = 2 })
    z = T.nnet.conv2d(z, p)
    local f = compile({ inputs = { x, d, p }, outputs = { y, z }, mode = interpreter })
    local a, b = f(rng:randn(1, 2, 4, 4), rng:randn(4, 1, 3, 3), rng:randn(3, 4, 1, 1))
    assert(nd.allclose(a, b, 1e-12))
  end)

  it("causal: no output looks ahead", function()
    local x, w = T.dtensor3("x"), T.dtensor3("w")
    local y = T.nnet.causal_conv1d(x, w, { 1, 1, 2 }, { filter_dilation = 2 })
    local f = compile({ inputs = { x, w }, outputs = y, mode = interpreter })
    assert.same({ 1, 2, 3 + 10, 4 + 20 }, flat(f(nd.array({ { { 1, 2, 3, 4 } } }), nd.array({ { { 1, 10 } } }))))
    raises("ValueError", "filter_shape[3], the filters' length, must be given", function()
      local z = T.nnet.causal_conv1d(x, w)
      return z
    end)
  end)

  it("signal.conv.conv2d: matrices and stacks", function()
    local m, s, k = T.dmatrix("m"), T.dtensor3("s"), T.dtensor3("k")
    local C = T.signal.conv.conv2d
    local outputs = { C(m, m, { border_mode = "full" }), C(s, m), C(m, k), C(s, k) }
    local f = compile({ inputs = { m, s, k }, outputs = outputs, mode = interpreter })
    local a, b, c, d = f(nd.array({ { 1, 2 }, { 3, 4 } }), rng:randn(3, 4, 5), rng:randn(2, 1, 2))
    assert.same({ 1, 4, 4, 6, 20, 16, 9, 24, 16 }, flat(a))
    assert.same({ 3, 3, 4 }, { table.unpack(b.shape) })
    assert.same({ 2, 2, 1 }, { table.unpack(c.shape) })
    assert.same({ 3, 2, 4, 4 }, { table.unpack(d.shape) })
  end)
end)

describe("Pool.out_shape", function()
  it("is the shape of what pooling gives, of numbers and of Variables", function()
    local Pool, n = T.signal.pool.Pool, T.lscalar("n")
    for length = 1, 9, 4 do
      for ws = 1, 3 do
        for _, stride in ipairs({ 1, 2, 4 }) do
          for _, ignore_border in ipairs({ true, false }) do
            local o = { ignore_border = ignore_border, stride = { stride, 1 } }
            local shape = Pool.out_shape({ 2, length, 5 }, { ws, 2 }, o)
            if length >= ws then
              assert.same(pool(nd.zeros({ 2, length, 5 }), { ws = { ws, 2 }, stride = o.stride,
                ignore_border = ignore_border }):eval().shape, shape)
            end
            local symbolic = Pool.out_shape({ 2, n, 5 }, { ws, 2 }, o)
            assert.equal(shape[2], theano.compile({ n }, symbolic[2])(length))
          end
        end
      end
    end
    assert.same({ 3, 2, 2 }, Pool.out_shape({ 3, 4, 4 }, { 2, 2 }))
    assert.same({ 0 }, Pool.out_shape({ 1 }, { 2 }, { ndim = 1, ignore_border = true }))
    raises("TypeError", "at least 2 dimensions", function() Pool.out_shape({ 3 }, { 2, 2 }) end)
    raises("ValueError", "ws must be a list of 2", function() Pool.out_shape({ 3, 4 }, { 2 }) end)
    raises("ValueError", "ws must be a list of 2", function() Pool.out_shape({ 3, 4 }) end)
  end)
end)
