--- A small function of each class of kernels, so that what has to hold for all classes is tried on all of them:
-- spec/c/alloc_failures.c takes their texts (spec/data/kernel_classes.txt; build/theano spec/support/kernel_classes.lua
-- writes them again). Those of M.devices are about a GPU.
-- @module spec.support.kernel_classes
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local M = { path = "spec/data/kernel_classes.txt" }

local classes = {}
-- What it is; lengths of its inputs; a flag that asks for it; its outputs.
local function class(name, shapes, flag, outputs)
  classes[#classes + 1] = { name = name, shapes = shapes, flag = flag, outputs = outputs }
end

local function cost(x) return T.sum(T.sqr(x)) end

class("elements and sums", "3x4x5", nil, function()
  local x = T.dtensor3("x")
  return { T.tanh(x) * 2 + 1, x:sum(0), x:sum(1), x:mean(), x:prod(1), x:max { 0, 2 }, T.std(x, { axis = 1 }),
    T.all(T.gt(x, 0), { axis = 2 }), T.cumprod(x, 1), T.argmax(x, 1) }
end)

class("rows of a softmax", "5x6", nil, function()
  local x = T.fmatrix("x")
  local y = T.nnet.softmax(x)
  return { y, T.nnet.logsoftmax(x), T.grad(cost(y), x) }
end)

class("a layer and its gradients", "5x6,6x4,4", nil, function()
  local x, w, b = T.dmatrix("x"), T.dmatrix("w"), T.dvector("b")
  local y = T.tanh(T.dot(x, w) + b)
  return { y, table.unpack(T.grad(cost(y), { x, w, b })) }
end)

for _, dtype in ipairs { "float16", "bfloat16" } do
  class("a layer of " .. dtype, "5x6,6x4,4", nil, function()
    local x, w = T.TensorType(dtype, { false, false })("x"), T.TensorType(dtype, { false, false })("w")
    local b = T.TensorType(dtype, { false })("b")
    local y = T.nnet.softmax(T.nnet.relu(T.dot(x, w) + b))
    return { y, table.unpack(T.grad(cost(y), { x, w, b })) }
  end)
end

class("packed products", "40x70,70x50", nil, function()
  local x, y = T.fmatrix("x"), T.fmatrix("y")
  return { T.tanh(T.dot(x, y)), T.dot(x, x.T) }
end)

class("batched products", "2x3x4,2x4x3", nil, function()
  local x, y = T.dtensor3("x"), T.dtensor3("y")
  return { T.batched_dot(x, y), T.tensordot(x, y, { { 1 }, { 2 } }) }
end)

class("complex numbers", "3x4,4x3", nil, function()
  local x, y = T.zmatrix("x"), T.zmatrix("y")
  return { T.dot(x, y), T.exp(x), T.angle(y), T.real(x) }
end)

class("integers", "9,9", nil, function()
  local x, y = T.lvector("x"), T.bvector("y")
  return { x // (T.abs(y) + 1), x % 3, x:sum(), y:sum(), x:astype("float32"), x:max(), x * y }
end)

class("attention", "1x5x4,1x6x4,1x6x3,1x5x3", "optimizer_including=attention", function()
  local q, k, v, g = T.ftensor3("q"), T.ftensor3("k"), T.ftensor3("v"), T.ftensor3("g")
  local s = T.batched_dot(q, k:dimshuffle(0, 2, 1)) * T.constant(0.25, { dtype = "float32" })
  local z = T.batched_dot(T.nnet.softmax(s, { axis = -1 }), v)
  return { z, table.unpack(T.grad(T.sum(z * g), { q, k, v })) }
end)

for _, way in ipairs { "direct", "lanes", "spread", "fold", "gemm", "fft", "winograd", "winograd2" } do
  class("convolution, " .. way, "1x2x7x6,3x2x3x3", "conv.algorithm=" .. way, function()
    local x, w = T.ftensor4("x"), T.ftensor4("w")
    local y = T.nnet.conv2d(x, w)
    return { y, table.unpack(T.grad(cost(y), { x, w })) }
  end)
end

class("pools and patches", "1x2x6x6", nil, function()
  local x = T.dtensor4("x")
  local y = T.signal.pool.pool_2d(x, { 2, 2 }, { ignore_border = true })
  local z = T.signal.pool.pool_2d(x, { 3, 2 }, { ignore_border = false, mode = "average_inc_pad" })
  local p = T.nnet.neighbours.images2neibs(x, { 2, 2 })
  return { y, z, p, T.grad(cost(y) + cost(z) + cost(p), x) }
end)

class("factorizations", "4x4", nil, function()
  local x = T.dmatrix("x")
  local s = T.dot(x, x.T) + T.eye(4)
  local L = T.slinalg.cholesky(s)
  local _, d = T.nlinalg.svd(x)
  local w = T.nlinalg.eigh(s)
  local q, r = T.nlinalg.qr(x)
  return { L, T.grad(T.sum(L), x), d, w, q, r, T.nlinalg.det(s), T.nlinalg.matrix_inverse(s), T.slinalg.expm(x),
    T.slinalg.solve(s, x), T.nlinalg.eig(s) }
end)

class("Fourier transforms", "3x8", nil, function()
  local x = T.dmatrix("x")
  local z = T.fft.rfft(x)
  return { z, T.fft.irfft(z), T.grad(cost(z), x) }
end)

class("gathers and scatters", "5x4,3", nil, function()
  local x, i = T.dmatrix("x"), T.lvector("i")
  local y = x[i]
  return { y, T.inc_subtensor(y, 1), T.set_subtensor(x[{ T.slice(), i }], 2), T.grad(cost(y), x), x["::-1"],
    T.diagonal(x) }
end)

class("lengths that values say", "6,6", nil, function()
  local x, i = T.dvector("x"), T.lvector("i")
  return { T.unique(x), T.nonzero(x), T.repeat_(x, i), T.bincount(i) }
end)

class("orders", "5x6,7", nil, function()
  local x, v = T.fmatrix("x"), T.fvector("v")
  return { T.sort(x, 0), T.argsort(x, 1), T.searchsorted(T.sort(v), x), (T.topk(x, 2)) }
end)

class("draws", "2x6,2,3x4", nil, function()
  local states, key, p = T.imatrix("states"), T.lvector("key"), T.dmatrix("p")
  local three, many = T.constant({ 3 }, { dtype = "int64" }), { ndim = 1, dtype = "float64" }
  local _, uniform = T.random.mrg_uniform(states, three, many)
  local words = T.random.philox(key:astype("uint32"), T.constant({ 0, 0, 0, 1 }, { dtype = "uint32" }),
    T.constant({ 5 }, { dtype = "int64" }), { ndim = 1, dtype = "float32" })
  local streams = T.shared_randomstreams.RandomStreams(11)
  return { uniform, words, T.random.multinomial_from_uniform(T.nnet.softmax(p), uniform, 1, "int64"),
    (streams:normal({ size = { 5 } })) }
end)

class("branches", "1,4x5", nil, function()
  local x, n = T.dmatrix("x"), T.lvector("n")
  local y = theano.ifelse(T.gt(n[0], 0), T.dot(x, x.T):sum(), T.sum(T.exp(x)))
  return { y, T.grad(y, x), T.switch(T.gt(x, 0), x, -x) }
end)

class("loops", "4x5,5x5", nil, function()
  local x, w = T.dmatrix("x"), T.dmatrix("w")
  local h = theano.scan { fn = function(now, before) return T.tanh(T.dot(now, w) + before) end,
    sequences = x, outputs_info = T.zeros { 5 } }
  local powers = theano.scan { fn = function(p) return p * 2, theano.until_(T.gt(p * 2, 30)) end,
    outputs_info = T.constant(1.0), n_steps = 20 }
  return { h, T.grad(cost(h[-1]), w), powers }
end)

class("sparse matrices", "3,3,4,3x2", nil, function()
  local data, places, rows, y = T.dvector("data"), T.ivector("places"), T.ivector("rows"), T.dmatrix("y")
  local sparse = require("theano.sparse")
  local m = sparse.CSR(data, places, rows, T.stack { 3, 3 })
  local z = sparse.dot(m, y)
  return { z, sparse.dense_from_sparse(m), T.grad(T.sum(z), data) }
end)

class("special functions", "12", nil, function()
  local x = T.dvector("x")
  return { T.gammaln(x + 3), T.psi(x + 3), T.erfinv(x / 9), T.gammainc(x * 0 + 2, x + 3), T.j0(x) }
end)

class("joins and views", "3x4,2x4", nil, function()
  local x, y = T.dmatrix("x"), T.dmatrix("y")
  local both = T.concatenate({ x, y }, 0)
  return { both, both:reshape { 4, 5 }, both.T, T.tile(x, { 2, 2 }), T.stack { x, x }, T.roll(x, 1, 0),
    T.grad(cost(both), x) }
end)

class("alignments", "5x1x4,1x2,1", nil, function()
  local a, labels, n = T.ftensor3("a"), T.imatrix("labels"), T.ivector("n")
  local y = T.nnet.ctc(a, labels + 1, n + 5)
  return { y, T.grad(T.sum(y), a) }
end)

M.classes, classes = classes, {}

local GPU = "device=cuda-emulated"

-- Operands that tensor cores take, rounded to halves as mixed precision has them; what follows and gradients.
for _, dtype in ipairs { "float16", "bfloat16" } do
  class("tensor cores of " .. dtype, "20x24,24x40,40", GPU .. ",cuda.libraries=own", function()
    local x, w = T.TensorType(dtype, { false, false })("x"), T.TensorType(dtype, { false, false })("w")
    local y = T.tanh(T.dot(x, w) + T.TensorType(dtype, { false })("b"))
    return { y, T.cast(T.dot(x, w), "float32"), T.grad(cost(T.cast(y, "float32")), w) }
  end)
end

class("products by a GPU's library", "20x24,24x40,2x20x24,2x24x5", GPU .. ",cuda.libraries=all", function()
  local x, w, a, b = T.fmatrix("x"), T.fmatrix("w"), T.ftensor3("a"), T.ftensor3("b")
  return { T.dot(x, w), T.dot(T.cast(x, "bfloat16"), T.cast(w, "bfloat16")), T.batched_dot(a, b) }
end)

class("factors and transforms by a GPU's library", "6x6,3x8", GPU .. ",cuda.libraries=all", function()
  local x, y = T.dmatrix("x"), T.dmatrix("y")
  local a = T.dot(x, x.T) + T.eye(6) * 9
  return { T.slinalg.cholesky(a), T.nlinalg.matrix_inverse(a), T.nlinalg.svd(x), T.fft.rfft(y) }
end)

class("convolutions by a GPU's library", "1x2x7x6,3x2x3x3", GPU .. ",cuda.libraries=all", function()
  local x, w = T.ftensor4("x"), T.ftensor4("w")
  local y = T.nnet.conv2d(x, w)
  return { y, T.grad(cost(y), x), T.grad(cost(y), w) }
end)

class("several devices", "4x5", GPU, function()
  local x = T.dmatrix("x")
  local y = T.exp(x)
  return { y:transfer("cuda-emulated1"), y:transfer("cpu"), T.sum(y) }
end)

class("reductions over ranks", "40001,6x5", GPU, function()
  local x, y = T.dmatrix("x"), T.fvector("y")
  local list = require("theano.core").mpi_reduce({ x, y }, 1)
  return { T.tanh(list[1]), list[2] }
end)

M.devices = classes

--- A function of the class, and arguments for it: floats some numbers between -1 and 1, integers 0, 1, 2 and so on.
function M.compiled(c)
  local flag = c.flag and { [c.flag:match("^(.*)=")] = c.flag:match("=(.*)$") }
  local flags <close> = theano.config.change_flags(flag or {})
  local outputs = c.outputs()
  local inputs, args = {}, {}
  for _, v in ipairs(theano.gof.graph.inputs(outputs)) do
    if v.name and not pcall(v.get_value, v) then inputs[#inputs + 1] = v end
  end
  local shapes = c.shapes:gmatch("[^,]+")
  for i, v in ipairs(inputs) do
    local shape, n = {}, 1
    for length in shapes():gmatch("%d+") do
      shape[#shape + 1] = math.tointeger(length)
      n = n * shape[#shape]
    end
    local numbers = nd.arange(n)
    if not v.dtype:find("int") then numbers = nd.sin(numbers:astype("float64") * 1.7 + i) end
    args[i] = numbers:astype(v.dtype):reshape(shape)
  end
  return theano.compile { inputs = inputs, outputs = outputs }, args, flags
end

--- The texts of all of them, as they are kept.
function M.texts()
  local list = {}
  for _, kind in ipairs { M.classes, M.devices } do
    for _, c in ipairs(kind) do
      list[#list + 1] = ("== %s | %s | %s\n%s\n"):format(c.name, c.shapes, c.flag or "",
        theano.printing.graph_text(c.outputs()))
    end
  end
  return table.concat(list)
end

if arg and arg[0] and arg[0]:find("kernel_classes.lua$") then
  local file <close> = assert(io.open(M.path, "w"))
  file:write(M.texts())
end

return M
