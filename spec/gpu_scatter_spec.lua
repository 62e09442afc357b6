--- What is stored at places that are values goes there in the CPU's order on a device: the CPU's bits.
local device = require("spec.support.device")
local nd = require("theano.ndarray")
local theano = require("theano")
local T = require("theano.tensor")

local DTYPES = { "int8", "int32", "int64", "uint16", "float32", "float64", "complex64", "complex128" }

-- Places among n, with many ties, from both ends.
local function places(many, n)
  local a = nd.arange(many):astype("int64")
  return (a * a * 3 + a * 5) % (2 * n) - n
end

describe("scatters on a device", function()
  it("are sorted by place, and by one thread where there is little to do", function()
    local x, i, v = T.dmatrix("x"), T.lvector("i"), T.dmatrix("v")
    local f = theano.compile({ inputs = { x, i, v }, outputs = T.inc_subtensor(x[i], v) })
    local text = theano.printing.ccode(f, "cuda")
    assert.matches("KERNEL kernel_%d+k%(", text)
    assert.matches("a%.key%[first%]", text)
    assert.matches("KERNEL kernel_%d+b%(", text)
  end)

  it("add and set rows and elements as the CPU does, of every dtype", function()
    for _, dtype in ipairs(DTYPES) do
      local x, v, w = T.TensorType(dtype, { false, false })("x"), T.TensorType(dtype, { false, false })("v"),
        T.TensorType(dtype, { false })("w")
      local i, j = T.lvector("i"), T.ivector("j")
      local outs = { T.inc_subtensor(x[i], v), T.set_subtensor(x[i], v), T.inc_subtensor(x[{ i, j }], w),
        T.set_subtensor(x[{ i, j }], w), T.inc_subtensor(x[i], 1) }
      local want, got = device.both({ x, v, w, i, j }, outs)
      for _, n in ipairs({ 0, 1, 3, 200 }) do
        local args = { device.numbers(dtype, 7, 9), device.numbers(dtype, n, 9), device.numbers(dtype, n), places(n, 7),
          places(n, 9):astype("int32") }
        device.equal(want, got, args, ("%s, %d places"):format(dtype, n))
      end
    end
  end)

  it("keep slices beside and before the places apart", function()
    local x, v = T.tensor4("x", { dtype = "float32" }), T.tensor4("v", { dtype = "float32" })
    local i = T.lmatrix("i")
    local k = T.lvector("k")
    local outs = { T.inc_subtensor(x[":, ::2"]:transpose(1, 0, 2, 3)[{ ":", i }], 0.5),
      T.inc_subtensor(x[{ ":", k }], 1), T.inc_subtensor(x[{ ":", i, i }], v) }
    local args = { device.numbers("float32", 6, 6, 6, 5), device.numbers("float32", 6, 10, 8, 5),
      places(80, 6):reshape({ 10, 8 }), places(70, 6) }
    device.same({ x, v, i, k }, outs, args, "slices")
  end)

  it("are the gradients of what is taken", function()
    local x, i = T.dmatrix("x"), T.lvector("i")
    local y = T.sort(x, { axis = 1 })
    local outs = { T.grad(T.sum(T.sqr(x[i])), x), T.grad(T.sum(y * T.sqr(y)), x),
      T.grad(T.sum(T.exp(x[i]) * T.arange(200):dimshuffle(0, "x")), x) }
    device.same({ x, i }, outs, { device.numbers("float64", 40, 30), places(200, 40) }, "gradients", 1e-13)
  end)

  it("sum in the CPU's order, whatever the block", function()
    local x, i, v = T.fvector("x"), T.lvector("i"), T.fvector("v")
    local n = 20000
    local big = nd.sin(nd.arange(n):astype("float64")):astype("float32") * 1e4
    local args = { nd.zeros({ 3 }, "float32"), places(n, 3), big }
    device.same({ x, i, v }, { T.inc_subtensor(x[i], v) }, args, "long sums")
  end)

  it("change a shared variable in place, once for each call", function()
    local function run(flags)
      local w, i = theano.shared(device.numbers("float64", 50, 8), "w"), T.lvector("i")
      local f = device.compile(flags, { i }, {}, { { w, T.inc_subtensor(w[i], 0.5) } })
      f(places(300, 50))
      f(places(90, 50))
      return w:get_value()
    end
    assert.is_true(nd.array_equal(run({}), run(device.flags)))
  end)

  it("fail as on the CPU, and change nothing", function()
    local x, i, v = T.dmatrix("x"), T.lvector("i"), T.dmatrix("v")
    local at = places(300, 7)
    at[250] = 7
    local args = { device.numbers("float64", 7, 2), at, device.numbers("float64", 300, 2) }
    local said, too = device.failures({ x, i, v }, { T.inc_subtensor(x[i], v) }, args)
    assert.matches("index out of bounds: index 7 for a dimension of length 7", said, nil, true)
    assert.equal(said, too)
  end)
end)

-- A range, the order of a vector, constants: each place comes once, or may come twice.
describe("scatters to known places, on a device", function()
  local x, y, m = T.dvector("x"), T.dvector("y"), T.dmatrix("m")
  local function at(list) return T.constant(nd.array(list):astype("int64")) end
  local once, twice = nd.arange(99):astype("int64"), places(99, 200)

  it("are stored at once where each comes once", function()
    local function sorted(index)
      local _ <close> = theano.config.change_flags(device.flags)
      local f = theano.compile({ inputs = { x, y }, outputs = T.inc_subtensor(x[index], y),
        on_unused_input = "ignore" })
      return theano.printing.ccode(f):find("KERNEL kernel_%d+k%(") ~= nil
    end
    for _, index in ipairs({ T.arange(y.shape[0]), T.arange(2, 90, 3), T.argsort(y), at(once), at(once * -2 - 1) }) do
      assert.is_false(sorted(index))
    end
    for _, index in ipairs({ at(twice), at({ 3, 1, 3 }), at({ -200, 0 }), T.arange(-1, 3), T.arange(9, 2, -1),
      T.cast(y, "int64") }) do
      assert.is_true(sorted(index))
    end
  end)

  it("have the CPU's values and errors", function()
    local a, v = device.numbers("float64", 200), device.numbers("float64", 99)
    device.same({ x, y }, { T.inc_subtensor(x[T.arange(y.shape[0])], y), T.set_subtensor(x[T.argsort(y)], y * 2),
      T.inc_subtensor(x[at(once * -2 - 1)], y), T.inc_subtensor(x[at(twice)], y), T.inc_subtensor(x[at(once)], 1) },
      { a, v })
    device.same({ m, y }, T.set_subtensor(m[at({ 3, 1, 2 })], y), { a:reshape({ 8, 25 }), v["0:25"] })
    local said, too = device.failures({ x, y }, T.inc_subtensor(x[T.arange(y.shape[0])], y), { v, a })
    assert.matches("index 99", said, nil, true)
    assert.equal(said, too)
  end)
end)

describe("windows that overlap, on a device", function()
  it("add up in the CPU's order", function()
    for _, mode in ipairs({ "valid", "ignore_borders", "wrap_centered", "half", "full" }) do
      local x = T.tensor4("x", { dtype = "float32" })
      local shape, step = { 3, 3 }, { 1, 2 }
      local y = T.nnet.neighbours.images2neibs(x, shape, { neib_step = step, mode = mode })
      local w = T.arange(9):astype("float32")
      local outs = { y, T.grad(T.sum(T.sqr(y) * w), x) }
      device.same({ x }, outs, { device.numbers("float32", 2, 2, 7, 9) }, mode)
    end
  end)
end)
