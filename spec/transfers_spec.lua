--- Values on their way to a GPU and back: T.transfer as a node of the graph, and the transfers of a compiled function,
-- which debugprint shows where its plan has them.
local device = require("spec.support.device")
local nd = require("theano.ndarray")
local raises = require("spec.support.raises")
local theano = require("theano")
local T = require("theano.tensor")

local x, v = T.dmatrix("x"), T.dvector("v")

local function on_gpu(spec)
  local _ <close> = theano.config.change_flags(device.flags)
  return theano.compile(spec)
end

local function print_of(what, options)
  options = options or {}
  options.file = "str"
  return theano.printing.debugprint(what, options)
end

local function transfers(f)
  local _ <close> = theano.config.change_flags(device.flags)
  return theano.printing.plan(f):match("transfers:\n.*")
end

local function count(text, pattern)
  local _, n = text:gsub(pattern, "")
  return n
end

describe("T.transfer", function()
  it("is a node with the value of its operand, printed as in Theano", function()
    local y = T.transfer(x, "cuda")
    assert.matches("^GpuFromHost<None> %[id A%] ''   \n |x %[id B%]", print_of(y))
    assert.equal("GpuFromHost<None>(x)", theano.pp(y))
    assert.matches("^HostFromGpu%(gpuarray%) %[id A%]", print_of(y:transfer("cpu")))
    assert.matches("^GpuFromHost<cuda1> ", print_of(x:transfer("cuda1")))
    assert.same({ { 2, 3 } }, (y * 1):eval({ [x] = nd.array({ { 2, 3 } }) }):tolist())
    local f = theano.compile({ x }, T.exp(y):transfer("cpu"))
    assert.equal(0, count(print_of(f), "Host"))
  end)

  it("knows every name of a GPU, and which are one", function()
    local y = x:transfer()
    for _, name in ipairs({ "gpu", "cuda", "cuda0", "cuda:0", "cuda-emulated" }) do
      assert.equal(print_of(y), print_of(x:transfer(name)))
      assert.equal(y, y:transfer(name)) -- it is there
    end
    assert.equal(x, x:transfer("cpu"))
    for _, name in ipairs({ "mars", "cuda:", "cudax", "cuda12", "gpu1", "" }) do
      raises("ValueError", "Can't transfer to target " .. name, function() x:transfer(name) end)
    end
    raises("TypeError", "target", function() T.transfer(x, 3) end)
    local ok, e = pcall(T.transfer, x, "mars")
    assert.is_false(ok)
    assert.matches("transfers_spec.lua:%d+: ValueError", tostring(e))
  end)

  it("sends gradients back, and tangents along", function()
    local y = T.transfer(x, "gpu")
    local g = T.grad(T.sum(y * y), x)
    assert.matches("^HostFromGpu%(gpuarray%) ", print_of(g))
    local at = nd.array({ { 1, -2 } })
    assert.same({ { 2, -4 } }, g:eval({ [x] = at }):tolist())
    assert.same({ { 2, -4 } }, T.grad(T.sum((y * y):transfer("cpu")), x):eval({ [x] = at }):tolist())
    assert.same({ { 2, -4 } }, T.Rop(y * y, x, T.ones_like(x)):eval({ [x] = at }):tolist())
    local rows = T.vmap(function(r) return r:transfer("gpu") * 2 end)(x)
    assert.same({ { 2, -4 } }, rows:eval({ [x] = at }):tolist())
    local n = theano.compile({ x }, y.shape)
    assert.same({ 1, 2 }, n(at):tolist())
    assert.equal(0, count(print_of(n), "GpuFromHost"))
  end)

  it("says where a result is", function()
    local _ <close> = theano.config.change_flags(device.flags)
    local f = theano.compile { inputs = { x }, outputs = { T.exp(x):transfer("cpu"), T.tanh(x) } }
    for turn = 1, 4 do
      local at = nd.array({ { turn, 0.5 } })
      local a, b = f(at)
      assert.same({ "cpu", "cuda:0" }, { a.device, b.device })
      assert.is_true(nd.allclose(nd.exp(at), a, 1e-12))
    end
    local n = T.lscalar("n")
    local rows = T.arange(n):transfer("gpu") -- a length that a call tells
    local g = theano.compile { inputs = { n }, outputs = (rows[rows:nonzero()] * 2):transfer("cpu") }
    local few, many = g(2), g(4)
    assert.same({ { 2 }, { 2, 4, 6 }, "cpu" }, { few:tolist(), many:tolist(), many.device })
  end)
end)

describe("debugprint of a function for a GPU", function()
  it("shows each transfer where the plan has it, a value once", function()
    local w = theano.shared(nd.ones({ 3, 3 }), "w")
    local y = T.dot(x, w)
    local f = on_gpu { inputs = { x }, outputs = { T.sum(T.exp(y)), T.tanh(x.T) }, updates = { { w, w + T.sum(x) } } }
    local text = print_of(f, { print_type = true })
    assert.matches("^HostFromGpu%(gpuarray%) %[id A%] <TensorType%(float64, scalar%)> ''   \n |GpuSum", text)
    assert.matches("GpuFromHost<None> %[id (%u+)%] <GpuArrayType<None>%(float64, matrix%)> ''   \n [ |]+x %[id %u+%]"
      .. " <TensorType%(float64, matrix%)>\n", text)
    assert.matches("\n |InplaceGpuDimShuffle{1,0} ", text)
    assert.matches("|w %[id %u+%] <GpuArrayType<None>%(float64, matrix%)>\n", text) -- it lives there
    assert.equal(1, count(text, "\n[ |]+x %["))
    assert.equal(1, count(text, "HostFromGpu"))
    assert.equal(1, count(transfers(f), "'x'"))
    assert.equal(0, count(print_of(theano.compile({ x }, y)), "Gpu"))
  end)

  it("has those of a loop outside of it", function()
    local states = theano.scan { fn = function(s, m) return T.tanh(T.dot(s, m)) end, outputs_info = { v },
      non_sequences = { T.exp(x) }, n_steps = 5 }
    local f = on_gpu { inputs = { x, v }, outputs = states[-1] }
    local whole, body = print_of(f):match("^(.-)Inner graphs of the scan ops:(.*)$")
    assert.matches("gpu,scan_fn", whole)
    assert.equal(2, count(whole, "GpuFromHost<None>"))
    assert.equal(0, count(body, "GpuFromHost") + count(body, "HostFromGpu"))
    assert.matches("GpuElemwise{Tanh}", body)
    assert.equal(0, count(transfers(f), "each turn"))
  end)

  it("shows what a step of the host asks for, as late as that", function()
    local half = theano.as_op { itypes = { v.type }, otypes = { v.type }, fn = function(a) return a * 0.5 end }
    local f = on_gpu { inputs = { v }, outputs = T.exp(half(T.tanh(v))) + T.tanh(v) }
    local text = print_of(f)
    assert.matches("GpuFromHost<None> %[id %u+%] ''   \n[ |]+FromFunctionOp.-\n[ |]+HostFromGpu%(gpuarray%) %[id %u+%]"
      .. " ''   \n[ |]+GpuElemwise{tanh", text)
    assert.is_true(nd.allclose(nd.exp(nd.tanh(nd.ones({ 2 })) * 0.5) + nd.tanh(nd.ones({ 2 })), f(nd.ones({ 2 }))))
  end)
end)
