--- device=cuda through the driver: the specs' emulated one, which loads and launches what a GPU would.
local nd = require("theano.ndarray")
local runner = require("spec.support.runner")
local theano = require("theano")
local T = require("theano.tensor")

local gpu = require("spec.support.device").flags

-- Results of a few calls under the flags; args: a function, so that every call has arguments of its own.
local function run(flags, make, args, calls)
  local _ <close> = theano.config.change_flags(flags)
  local inputs, outputs, updates = make()
  local f = theano.compile({ inputs = inputs, outputs = outputs, updates = updates })
  local all = {}
  for i = 1, calls or 1 do all[i] = table.pack(f(table.unpack(args(i)))) end
  local state = {}
  for i, u in ipairs(updates or {}) do state[i] = u[1]:get_value() end
  return all, state, f
end

local function same(a, b, what)
  if type(a) == "table" then
    assert.equal(#a, #b, what)
    for i = 1, #a do same(a[i], b[i], what) end
    return
  end
  assert.is_true(nd.allclose(nd.array(a), nd.array(b), 1e-12, 0, { equal_nan = true }), what)
end

local function agrees(make, args, calls)
  local want, wanted_state = run({}, make, args, calls)
  local got, state, f = run(gpu, make, args, calls)
  assert.matches("for CUDA", theano.printing.ccode(f), nil, true)
  same(got, want)
  same(state, wanted_state)
end

local function numbers(...)
  local shape, n = { ... }, 1
  for _, k in ipairs(shape) do n = n * k end
  return nd.sin(nd.arange(n):astype("float64") * 0.7):reshape(shape)
end

describe("device=cuda", function()
  it("runs kernels, calls of the host and what is changed in place", function()
    local function make()
      local x, w = T.dmatrix("x"), theano.shared(numbers(4, 3), "w")
      local y = T.tanh(T.dot(x, w))
      return { x }, { y, T.sort(y, { axis = 1 }):sum(), T.nnet.softmax(y) }, { { w, w - 0.1 * T.dot(x.T, y) } }
    end
    agrees(make, function(i) return { numbers(5, 4) * i } end, 3)
  end)

  it("takes views with strides of any sign, and gives new shapes new room", function()
    local function make()
      local x, v = T.dmatrix("x"), T.dvector("v")
      return { x, v }, { x.T * 2 + v["::-1"][0], (x:sum { axis = 0 }), x["::-1, 1:"] }
    end
    agrees(make, function(i) return { numbers(3 + i, 9)["::-1, ::2"], numbers(4 * i)["::-2"] } end, 4)
  end)

  it("shares long reductions out among blocks, rows and columns, with the same bits each time", function()
    local function make()
      local x, z, i = T.dmatrix("x"), T.zmatrix("z"), T.bmatrix("i")
      local outputs = {}
      for _, axis in ipairs({ 0, 1, false }) do
        local along = axis and { axis = axis } or {}
        for _, y in ipairs({ x:sum(along), T.argmax(x, along), T.min(x, along), x:var(along), T.exp(x):mean(along) * 2,
          z:sum(along), i:sum(along), T.any(T.gt(i, 100), along), T.argmin(i, along), (i + 1):prod(along) }) do
          outputs[#outputs + 1] = (y)
        end
      end
      return { x, z, i }, outputs
    end
    local function compiled(flags)
      local _ <close> = theano.config.change_flags(flags)
      local inputs, outputs = make()
      return theano.compile({ inputs = inputs, outputs = outputs })
    end
    local host, f = compiled({}), compiled(gpu)
    assert.matches("for CUDA", theano.printing.ccode(f), nil, true)
    for _, shape in ipairs({ { 900, 37 }, { 2, 9000 }, { 5000, 2 }, { 1, 1 }, { 40, 1025 } }) do
      local x = numbers(table.unpack(shape)) + 1.5 -- nothing cancels
      x[{ shape[1] - 1, shape[2] - 1 }] = 2
      local args = { x, x * nd.complex(1, 2), (x * 3):astype("int8") }
      local once, again = { f(table.unpack(args)) }, { f(table.unpack(args)) }
      same(once, { host(table.unpack(args)) }, table.concat(shape, " by "))
      for k, y in ipairs(once) do assert.is_true(nd.array_equal(y, again[k])) end
    end
  end)

  it("takes complex constants whole", function()
    local function make()
      local x = T.zvector("x")
      return { x }, { x * T.constant(nd.complex(3.5, 4.25)), x + T.constant(nd.complex(-1 / 0, 2)) }
    end
    agrees(make, function() return { nd.array({ nd.complex(1, 2), nd.complex(-0.5, 0) }) } end)
  end)

  it("runs loops and branches", function()
    local ifelse = require("theano.ifelse").ifelse
    local function make()
      local x, h, w, n = T.dmatrix("x"), T.dvector("h"), T.dmatrix("W"), T.lscalar("n")
      local y = theano.scan { fn = function(v, s, u) return T.tanh(T.dot(s, u) + v), s:sum() end, sequences = { x },
        outputs_info = { h, false }, non_sequences = { w } }
      local z = theano.scan { fn = function(s) return s * 2, theano.scan_module.until_(T.gt(s:sum(), 100)) end,
        outputs_info = { h }, n_steps = 64 }
      return { x, h, w, n }, { y[1], y[2], T.grad(T.sum(T.sqr(y[1])), w), z,
        ifelse(T.gt(n, 1), T.exp(h), T.sort(h)) }
    end
    agrees(make, function(i)
      return { numbers(6, 3), nd.abs(numbers(3)) + 1, numbers(3, 3), nd.array(i, "int64") }
    end, 2)
  end)

  it("gathers, scatters, draws and convolves", function()
    local function make()
      local x, i, im, w = T.dmatrix("x"), T.lvector("i"), T.tensor4("im"), T.tensor4("w")
      local srng = theano.random.MRG_RandomStreams(7)
      return { x, i, im, w }, { x[i], T.inc_subtensor(x[i], 1.5), srng:uniform({ 3, 4 }), T.nnet.conv2d(im, w),
        T.cumsum(x), T.argmax(x, { axis = 1 }), x:var() }
    end
    agrees(make, function()
      return { numbers(5, 3), nd.array({ 0, 4, 2, 0, -1 }, "int64"), numbers(2, 2, 6, 6), numbers(3, 2, 3, 3) }
    end, 2)
  end)

  it("runs loops whose states change places", function()
    local function make()
      local a, b = T.dvector("a"), T.dvector("b")
      local y = theano.scan { fn = function(p, q) return q, p + T.sin(q) end, outputs_info = { a, b }, n_steps = 7 }
      return { a, b }, { y[1], y[2] }
    end
    agrees(make, function(i) return { numbers(5) * i, numbers(5) + i } end, 2)
  end)

  it("stores numbers before long loops once, also where the loops are empty", function()
    local function make()
      local x, a = T.dvector("x"), T.dscalar("a")
      local w = theano.shared(nd.array(1.5), "w")
      return { x, a }, { T.sqr(a), x * T.sqr(a) }, { { w, w + T.sqr(a) } }
    end
    agrees(make, function(i) return { numbers(({ 0, 1, 3000 })[i]), 3 + i } end, 3)
  end)

  it("runs on nothing", function()
    local function make()
      local x = T.dmatrix("x")
      return { x }, { x * 2, x:sum(), x:sum { axis = 0 }, T.dot(x, x.T) }
    end
    agrees(make, function(i) return { nd.zeros({ i - 1, 0 }) } end, 2)
  end)

  it("reports what fails in a kernel as the CPU does, and nothing changes", function()
    local function fails(flags)
      local _ <close> = theano.config.change_flags(flags)
      local x, i, w = T.dvector("x"), T.lvector("i"), theano.shared(nd.array({ 1, 2 }, "float64"), "w")
      local f = theano.compile({ inputs = { x, i }, outputs = T.exp(x)[i] * 2, updates = { { w, w + 1 } } })
      f(nd.array({ 1, 2, 3 }, "float64"), nd.array({ 0, 2 }))
      local ok, e = pcall(f, nd.array({ 1, 2, 3 }, "float64"), nd.array({ 0, 3 }))
      assert.is_false(ok)
      assert.equal("[2. 3.]", tostring(w:get_value()))
      f(nd.array({ 1, 2, 3 }, "float64"), nd.array({ 0, 1 }))
      assert.equal("[3. 4.]", tostring(w:get_value()))
      return tostring(e)
    end
    local want = fails({})
    assert.matches("index out of bounds", want)
    assert.equal(want, fails(gpu))
  end)
end)

describe("a kernel that does not compile", function()
  it("is named with its line when it is first called, and its text is kept", function()
    local text = runner.run({ "-e", [[
      local theano = require "theano"
      local x = theano.tensor.dvector("x")
      local y = theano.tensor.exp(x) * 2
      local f = theano.compile({ inputs = { x }, outputs = y })
      for _ = 1, 2 do print(pcall(f, theano.ndarray.arange(5):astype("float64"))) end
    ]] }, { env = { "THEANO_FLAGS=device=cuda-emulated,base_compiledir=/dev/null", "CUDA_EMULATED_REFUSE=kernel_0(" } })
    assert.matches("theano.cu:%d+:%d+: error", text)
    assert.matches("%.cu\n", text)
    assert.matches("It is the kernel of Elemwise{", text, nil, true)
    assert.matches("made at", text, nil, true)
  end)
end)

describe("device=cuda without a GPU", function()
  local program = [[
    local theano = require "theano"
    local x = theano.tensor.dscalar("x")
    for k = 1, 2 do print(theano.compile({ inputs = { x }, outputs = x * k })(3)) end
  ]]
  local function with(flags) return runner.run({ "-e", program }, { env = { "THEANO_FLAGS=" .. flags } }) end

  it("runs on the CPU and says so once", function()
    local text, status = with("device=cuda,cuda.driver=/nowhere/libcuda.so.1")
    assert.equal(0, status)
    assert.equal(1, select(2, text:gsub("cannot be opened", "")))
    assert.matches("install NVIDIA's driver", text, nil, true)
    assert.matches("functions run on the CPU", text, nil, true)
    assert.equal("3.0\n6.0", text:match("3%.0\n6%.0"))
  end)

  it("is an error with force_device", function()
    local text, status = with("device=cuda,cuda.driver=/nowhere/libcuda.so.1,force_device=True")
    assert.equal(1, status)
    assert.matches("GpuError: device=cuda with force_device: the driver /nowhere/libcuda.so.1 cannot be opened", text,
      nil, true)
  end)

  it("says which entry point or version is missing", function()
    local text = with("device=cuda,cuda.driver=libm.so.6")
    assert.matches("the driver libm.so.6 has no cuInit: a driver for CUDA 12.0 or later is needed", text, nil, true)
  end)
end)
