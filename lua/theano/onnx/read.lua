--- ONNX graphs as expressions. In: a Model as theano.onnx.proto has it, whose every part may be wrong. Out: variables,
-- shared variables. Lengths are followed as far as they are numbers, so that a reshape knows its dimensions.
-- @module theano.onnx.read
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")
local core = require("theano.core")
local util = require("theano.util")
local write = require("theano.onnx.write")

local M = {}

local FAR = (1 << 31) - 8
local NAMES = {}
for name, number in pairs(write.DTYPES) do NAMES[number] = name end

local function bad(format, ...) util.raise("ValueError", "onnx: " .. format, ...) end
local function refuse(format, ...) util.raise("NotImplementedError", "onnx: " .. format, ...) end

-- ---- tensors -------------------------------------------------------------------------------------------------------
local LISTS = { float32 = "float_data", float64 = "double_data", int64 = "int64_data", uint64 = "uint64_data",
  uint32 = "uint64_data" }

local function count(name, dims)
  local n = 1
  for _, d in ipairs(dims) do
    if d < 0 or d > 1 << 40 then bad("%s: a length of %d", name, d) end
    n = n * d
    if n > 1 << 40 then bad("%s: its lengths are too large", name) end
  end
  return n
end

-- The numbers of a Tensor, its dtype and lengths.
local function numbers_of(t)
  local name, dtype = t.name or "a constant", NAMES[t.data_type or 0]
  if not dtype then refuse("%s: numbers of type %d", name, t.data_type or 0) end
  if t.data_location == 1 or #t.external_data > 0 then refuse("%s: numbers in a file of their own", name) end
  local n, values = count(name, t.dims), {}
  if t.raw_data then
    local format = write.PACK[dtype]
    local size = string.packsize(format)
    if #t.raw_data ~= n * size then bad("%s: %d bytes for %d numbers of %d", name, #t.raw_data, n, size) end
    for i = 1, n do values[i] = string.unpack(format, t.raw_data, (i - 1) * size + 1) end
  else
    values = t[LISTS[dtype] or "int32_data"]
    if #values ~= n then bad("%s: %d numbers, its lengths say %d", name, #values, n) end
  end
  if dtype:find("float16") then -- bits so far
    values = nd.frombuffer(nd.array(values, "uint16"):tobytes(), dtype):tolist()
  end
  return values, dtype, t.dims
end

local function array_of(t)
  local values, dtype, dims = numbers_of(t)
  if dtype == "bool" then
    local whole = {}
    for i, v in ipairs(values) do whole[i] = v ~= 0 end
    values = whole
  end
  return nd.array(values, dtype):reshape(#dims > 0 and dims or {})
end

-- ---- a value: its variable, and where it is a few integers these (list; scalar: it has no dimension) ----------------
local Value = {}

local function symbolic(v) return setmetatable({ v = v }, Value) end
local function listed(list, scalar) return setmetatable({ list = list, scalar = scalar }, Value) end

local function var(x)
  if not x then bad("an operand is missing") end
  if x.v then return x.v end
  if x.scalar then
    local n = x.list[1]
    x.v = math.type(n) == "integer" and T.constant(n, { dtype = "int64" }) or n
  elseif #x.list == 0 then x.v = T.constant(nd.zeros({ 0 }, "int64"))
  else
    local whole = true
    for _, n in ipairs(x.list) do whole = whole and math.type(n) == "integer" end
    x.v = whole and T.constant(nd.array(x.list, "int64")) or T.cast(T.stack(x.list), "int64")
  end
  return x.v
end

local function list(x, what)
  if not x then bad("%s: the operand is missing", what) end
  if x.list then return x.list end
  local v = x.v
  if core.kind(v) == "constant" and v.dtype:find("int") and v.ndim <= 1 then
    local a = v.data
    return v.ndim == 0 and { type(a) == "number" and a or a:tolist() } or a:tolist()
  end
  refuse("%s must be constants, or made of lengths", what)
end

local function whole(x, what)
  local out = list(x, what)
  for _, n in ipairs(out) do
    if math.type(n) ~= "integer" then refuse("%s must be constants", what) end
  end
  return out
end

-- ---- operations: function(inputs, attributes, node) -> values ------------------------------------------------------
local rules = {}

local function axis_of(axis, ndim, op)
  if axis < -ndim or axis >= ndim then bad("%s: there is no axis %d of %d", op, axis, ndim) end
  return axis < 0 and axis + ndim or axis
end

for op, fn in pairs({ Add = T.add, Sub = T.sub, Mul = T.mul, Pow = T.pow, Neg = T.neg, Abs = T.abs_, Exp = T.exp,
  Log = T.log, Sqrt = T.sqrt, Tanh = T.tanh, Sigmoid = T.nnet.sigmoid, Relu = T.nnet.relu, Softplus = T.nnet.softplus,
  Erf = T.erf, Ceil = T.ceil, Floor = T.floor, Sin = T.sin, Cos = T.cos, Sign = T.sgn, And = T.and_, Or = T.or_,
  Not = T.invert, Equal = T.eq, Greater = T.gt, Less = T.lt, GreaterOrEqual = T.ge, LessOrEqual = T.le,
  Reciprocal = T.inv }) do
  rules[op] = function(ins)
    local vars = {}
    for i, x in ipairs(ins) do vars[i] = var(x) end
    return symbolic(fn(table.unpack(vars)))
  end
end

-- Integers stay numbers, as far as they are.
local function arithmetic(op, fn)
  local plain = rules[op]
  rules[op] = function(ins)
    local a, b = ins[1], ins[2]
    if not (a.list and b.list) or (#a.list ~= #b.list and not a.scalar and not b.scalar) then return plain(ins) end
    local out = {}
    for i = 1, math.max(#a.list, #b.list) do out[i] = fn(a.list[a.scalar and 1 or i], b.list[b.scalar and 1 or i]) end
    return listed(out, a.scalar and b.scalar)
  end
end

local function is_float(v) return v.dtype:find("float", 1, true) end
function rules.Div(ins)
  local a, b = var(ins[1]), var(ins[2])
  return symbolic(is_float(a) and a / b or T.int_div(a, b))
end

arithmetic("Add", function(a, b) return a + b end)
arithmetic("Sub", function(a, b) return a - b end)
arithmetic("Mul", function(a, b) return a * b end)
arithmetic("Div", function(a, b) return a // b end)

local function fold(fn)
  return function(ins)
    local v = var(ins[1])
    for i = 2, #ins do v = fn(v, var(ins[i])) end
    return symbolic(v)
  end
end
rules.Max, rules.Min, rules.Sum = fold(T.maximum), fold(T.minimum), fold(T.add)

function rules.Where(ins) return symbolic(T.switch(var(ins[1]), var(ins[2]), var(ins[3]))) end
function rules.Identity(ins) return ins[1] end
rules.Dropout = rules.Identity -- a model that was trained

function rules.LeakyRelu(ins, how) return symbolic(T.nnet.relu(var(ins[1]), how.alpha or 0.01)) end
function rules.Elu(ins, how) return symbolic(T.nnet.elu(var(ins[1]), how.alpha or 1.0)) end
function rules.Gelu(ins)
  local x = var(ins[1])
  return symbolic(T.cast(0.5 * x * (1 + T.erf(x / math.sqrt(2))), x.dtype))
end

function rules.Clip(ins)
  local x = var(ins[1])
  if ins[2] then x = T.maximum(x, var(ins[2])) end
  if ins[3] then x = T.minimum(x, var(ins[3])) end
  return symbolic(x)
end

function rules.Cast(ins, how)
  local dtype = NAMES[how.to or 0]
  if not dtype then refuse("Cast to type %s", tostring(how.to)) end
  if ins[1].list and dtype == "int64" then return ins[1] end
  return symbolic(T.cast(var(ins[1]), dtype))
end

-- ---- products, rows ------------------------------------------------------------------------------------------------
function rules.MatMul(ins) return symbolic(T.matmul(var(ins[1]), var(ins[2]))) end

function rules.Gemm(ins, how)
  local a, b = var(ins[1]), var(ins[2])
  if a.ndim ~= 2 or b.ndim ~= 2 then bad("Gemm: its operands are no matrices") end
  local y = T.dot((how.transA or 0) ~= 0 and a.T or a, (how.transB or 0) ~= 0 and b.T or b)
  if (how.alpha or 1.0) ~= 1.0 then y = T.cast(y * how.alpha, a.dtype) end
  if not ins[3] then return symbolic(y) end
  local c = var(ins[3])
  return symbolic(y + ((how.beta or 1.0) ~= 1.0 and T.cast(c * how.beta, a.dtype) or c))
end

local function shifted(x, axis)
  local e = x - x:max({ axis = axis, keepdims = true })
  return e, T.exp(e):sum({ axis = axis, keepdims = true })
end

function rules.Softmax(ins, how)
  local x = var(ins[1])
  local e, total = shifted(x, axis_of(how.axis or -1, x.ndim, "Softmax"))
  return symbolic(T.exp(e) / total)
end

function rules.LogSoftmax(ins, how)
  local x = var(ins[1])
  local e, total = shifted(x, axis_of(how.axis or -1, x.ndim, "LogSoftmax"))
  return symbolic(e - T.log(total))
end

for op, name in pairs({ ReduceSum = "sum", ReduceMean = "mean", ReduceMax = "max", ReduceMin = "min",
  ReduceProd = "prod" }) do
  rules[op] = function(ins, how)
    local x, axes = var(ins[1]), how.axes
    if ins[2] then axes = whole(ins[2], op .. "'s axes") end
    for i, axis in ipairs(axes or {}) do axes[i] = axis_of(axis, x.ndim, op) end
    if axes and #axes == 0 then axes = nil end
    return symbolic(T[name](x, { axis = axes, keepdims = (how.keepdims or 1) ~= 0 }))
  end
end

function rules.ArgMax(ins, how)
  local x = var(ins[1])
  local y = T.argmax(x, { axis = axis_of(how.axis or 0, x.ndim, "ArgMax"), keepdims = (how.keepdims or 1) ~= 0 })
  return symbolic(y)
end

function rules.LayerNormalization(ins, how)
  local x = var(ins[1])
  local axes = {}
  for axis = axis_of(how.axis or -1, x.ndim, "LayerNormalization"), x.ndim - 1 do axes[#axes + 1] = axis end
  local off = x - x:mean({ axis = axes, keepdims = true })
  local y = off / T.sqrt((off * off):mean({ axis = axes, keepdims = true }) + T.constant(how.epsilon or 1e-5,
    { dtype = x.dtype })) * var(ins[2])
  return symbolic(ins[3] and y + var(ins[3]) or y)
end

function rules.BatchNormalization(ins, how)
  local x, order = var(ins[1]), { "x", 0 }
  if x.ndim < 2 then bad("BatchNormalization: its input has %d dimensions", x.ndim) end
  for i = 3, x.ndim do order[i] = "x" end
  local p = {}
  for i = 2, 5 do p[i] = var(ins[i]):dimshuffle(order) end
  local scale = p[2] / T.sqrt(p[5] + T.constant(how.epsilon or 1e-5, { dtype = x.dtype }))
  return symbolic((x - p[4]) * scale + p[3])
end

-- ---- shapes --------------------------------------------------------------------------------------------------------
function rules.Constant(_, how)
  if how.value_int then return listed({ how.value_int }, true) end
  if how.value_ints then return listed(how.value_ints) end
  if how.value_float then return symbolic(T.constant(how.value_float, { dtype = "float32" })) end
  if not how.value then refuse("a Constant of this kind") end
  return M.constant(how.value)
end

function M.constant(t)
  local values, dtype, dims = numbers_of(t)
  if dtype == "int64" and #dims <= 1 and #values <= 64 then return listed(values, #dims == 0) end
  return symbolic(T.constant(array_of(t)))
end

function rules.Shape(ins)
  local x, out = var(ins[1]), {}
  for i = 1, x.ndim do out[i] = x.broadcastable[i] and 1 or x.shape[i - 1] end
  return listed(out)
end

function rules.Gather(ins, how)
  local x, at = ins[1], ins[2]
  if x.list and not x.scalar and at.list and math.type(at.list[1]) == "integer" then
    local out = {}
    for i, n in ipairs(whole(at, "Gather's places")) do
      out[i] = x.list[axis_of(n, #x.list, "Gather") + 1]
    end
    return listed(out, at.scalar)
  end
  local v = var(x)
  return symbolic(T.take(v, var(at), { axis = axis_of(how.axis or 0, v.ndim, "Gather") }))
end

function rules.Slice(ins)
  local from, to = list(ins[2], "Slice's starts"), list(ins[3], "Slice's ends")
  local steps = ins[5] and whole(ins[5], "Slice's steps") or {}
  local axes = ins[4] and whole(ins[4], "Slice's axes")
  local function far(n) return math.type(n) == "integer" and (n >= FAR or n <= -FAR) end -- to the end, wherever it is
  local function bounds(i)
    local start, stop, step = from[i], to[i], steps[i] or 1
    if step == 0 then bad("Slice: a step of 0") end
    if far(start) then start = nil end
    if far(stop) then stop = nil end
    return start, stop, step
  end
  if #from ~= #to or axes and #axes ~= #from then bad("Slice: its lists have different lengths") end
  if ins[1].list and not ins[1].scalar and #from == 1 then
    local start, stop, step = bounds(1)
    local n, out = #ins[1].list, {}
    local function place(k, otherwise)
      if not k then return otherwise end
      if math.type(k) ~= "integer" then refuse("a Slice of lengths by lengths") end
      return math.max(0, math.min(n, k < 0 and k + n or k))
    end
    if step ~= 1 then refuse("a Slice of lengths with steps") end
    for i = place(start, 0) + 1, place(stop, n) do out[#out + 1] = ins[1].list[i] end
    return listed(out)
  end
  local x, key = var(ins[1]), {}
  for i = 1, x.ndim do key[i] = T.slice(nil) end
  for i = 1, #from do
    local start, stop, step = bounds(i)
    key[axis_of(axes and axes[i] or i - 1, x.ndim, "Slice") + 1] = T.slice(start, stop, step)
  end
  return symbolic(x[key])
end

function rules.Concat(ins, how)
  local all = {}
  for _, x in ipairs(ins) do
    if not x.list or x.scalar then all = nil break end
    for _, n in ipairs(x.list) do all[#all + 1] = n end
  end
  if all then return listed(all) end
  local vars = {}
  for i, x in ipairs(ins) do vars[i] = var(x) end
  if #vars == 0 then bad("Concat: of nothing") end
  return symbolic(T.concatenate(vars, { axis = axis_of(how.axis or 0, vars[1].ndim, "Concat") }))
end

function rules.Reshape(ins, how)
  local x, shape = var(ins[1]), {}
  for i, n in ipairs(list(ins[2], "Reshape's lengths")) do
    if n == 0 and (how.allowzero or 0) == 0 then
      if i > x.ndim then bad("Reshape: no length %d to be kept", i - 1) end
      n = x.shape[i - 1]
    end
    shape[i] = n
  end
  return symbolic(T.reshape(x, shape))
end

function rules.Flatten(ins, how)
  local x = var(ins[1])
  local axis = how.axis or 1
  if axis < 0 then axis = axis + x.ndim end
  if axis == 1 then return symbolic(x:flatten(2)) end
  local n = 1
  for i = 0, axis - 1 do n = n * x.shape[i] end
  return symbolic(T.reshape(x, { n, -1 }))
end

function rules.Transpose(ins, how)
  local x, order = var(ins[1]), how.perm
  if not order then
    order = {}
    for i = 1, x.ndim do order[i] = x.ndim - i end
  end
  return symbolic(x:dimshuffle(order))
end

local function axes_in(ins, how, ndim, op)
  local axes, set = ins[2] and whole(ins[2], op .. "'s axes") or how.axes, {}
  for _, axis in ipairs(axes or {}) do set[axis_of(axis, ndim, op)] = true end
  return set, axes and #axes or 0
end

function rules.Unsqueeze(ins, how)
  if ins[1].list and ins[1].scalar then return listed(ins[1].list) end
  local x = var(ins[1])
  local _, n = axes_in(ins, how, math.maxinteger, "Unsqueeze")
  local set, order, next_axis = axes_in(ins, how, x.ndim + n, "Unsqueeze"), {}, 0
  for i = 0, x.ndim + n - 1 do
    if set[i] then order[i + 1] = "x" else order[i + 1], next_axis = next_axis, next_axis + 1 end
  end
  return symbolic(x:dimshuffle(order))
end

function rules.Squeeze(ins, how)
  if ins[1].list and #ins[1].list == 1 then return listed(ins[1].list, true) end
  local x, order = var(ins[1]), {}
  local set, n = axes_in(ins, how, x.ndim, "Squeeze")
  local gone = {}
  for i = 0, x.ndim - 1 do
    if set[i] or n == 0 and x.broadcastable[i + 1] then gone[#gone + 1] = i else order[#order + 1] = i end
  end
  return symbolic(T.addbroadcast(x, table.unpack(gone)):dimshuffle(order))
end

function rules.Expand(ins)
  local x, shape, ones = var(ins[1]), list(ins[2], "Expand's lengths"), {}
  for i, n in ipairs(shape) do ones[i] = n end
  return symbolic(x * T.alloc(T.constant(1, { dtype = x.dtype }), table.unpack(ones)))
end

function rules.ConstantOfShape(ins, how)
  local values, dtype = { 0.0 }, "float32"
  if how.value then values, dtype = numbers_of(how.value) end
  return symbolic(T.alloc(T.constant(values[1], { dtype = dtype }), table.unpack(list(ins[1], "lengths"))))
end

function rules.Range(ins)
  return symbolic(T.arange(var(ins[1]), var(ins[2]), var(ins[3])))
end

function rules.Split(ins, how, node)
  local x, parts = var(ins[1]), {}
  local axis, at = axis_of(how.axis or 0, x.ndim, "Split"), 0
  local sizes = ins[2] and list(ins[2], "Split's lengths") or how.split
  local each = not sizes and T.int_div(x.shape[axis] + (#node.output - 1), #node.output)
  for i = 1, #node.output do
    local key, n = {}, sizes and sizes[i] or each
    for k = 1, x.ndim do key[k] = T.slice(nil) end
    if not n then bad("Split: a length is missing") end
    key[axis + 1] = T.slice(at, at + n)
    parts[i], at = symbolic(x[key]), at + n
  end
  return parts
end

-- ---- images --------------------------------------------------------------------------------------------------------
-- Zeros or the smallest number around an image, where the two sides differ; else the padding as conv and pool have it.
local function padding(how, ndim, op)
  local auto = how.auto_pad or "NOTSET"
  if auto ~= "NOTSET" and auto ~= "VALID" then refuse("%s: auto_pad=%s", op, auto) end
  local pads, same = how.pads or {}, {}
  for i = 1, ndim do
    local before, after = pads[i] or 0, pads[ndim + i] or 0
    if before < 0 or after < 0 then bad("%s: a negative padding", op) end
    if before ~= after then refuse("%s: another padding before than behind", op) end
    same[i] = before
  end
  return same
end

function rules.Conv(ins, how)
  local x, w = var(ins[1]), var(ins[2])
  local ndim = x.ndim - 2
  if w.ndim ~= x.ndim or (ndim ~= 1 and ndim ~= 2) then refuse("Conv over %d dimensions", ndim) end
  local pads, strides, spread = padding(how, ndim, "Conv"), how.strides or {}, how.dilations or {}
  local function both(t, otherwise) return ndim == 1 and { 0 + (t[1] or otherwise), otherwise } or
    { t[1] or otherwise, t[2] or otherwise } end
  if ndim == 1 then x, w = x:dimshuffle(0, 1, 2, "x"), w:dimshuffle(0, 1, 2, "x") end
  local y = T.nnet.conv2d(x, w, { border_mode = both(pads, 0), subsample = both(strides, 1),
    filter_dilation = both(spread, 1), num_groups = how.group or 1, filter_flip = false })
  if ndim == 1 then y = T.addbroadcast(y, 3):dimshuffle(0, 1, 2) end
  if not ins[3] then return symbolic(y) end
  return symbolic(y + var(ins[3]):dimshuffle(ndim == 1 and { "x", 0, "x" } or { "x", 0, "x", "x" }))
end

local function pooling(op)
  return function(ins, how)
    local x = var(ins[1])
    if x.ndim ~= 4 then refuse("%s over %d dimensions", op, x.ndim - 2) end
    if (how.ceil_mode or 0) ~= 0 then refuse("%s: ceil_mode", op) end
    for _, d in ipairs(how.dilations or {}) do
      if d ~= 1 then refuse("%s: dilations", op) end
    end
    local mode = op == "MaxPool" and "max" or "average_exc_pad"
    if mode ~= "max" and (how.count_include_pad or 0) ~= 0 then mode = "average_inc_pad" end
    return symbolic(T.signal.pool.pool_2d(x, { ws = how.kernel_shape, stride = how.strides or { 1, 1 },
      pad = padding(how, 2, op), ignore_border = true, mode = mode }))
  end
end
rules.MaxPool, rules.AveragePool = pooling("MaxPool"), pooling("AveragePool")

function rules.GlobalAveragePool(ins)
  local x, axes = var(ins[1]), {}
  for axis = 2, x.ndim - 1 do axes[#axes + 1] = axis end
  return symbolic(x:mean({ axis = axes, keepdims = true }))
end

-- ---- loops ---------------------------------------------------------------------------------------------------------
function rules.LSTM(ins, how)
  if (how.direction or "forward") ~= "forward" or (how.layout or 0) ~= 0 or how.activations or ins[8] then
    refuse("an LSTM of this kind (forward, with its own activations, without peepholes)")
  end
  -- x: steps, batch, features; W and R: gates i o f c, one below the other
  local x, W, R = var(ins[1]), var(ins[2])[0], var(ins[3])[0]
  local n = how.hidden_size or bad("LSTM: hidden_size is missing")
  local b = ins[4] and var(ins[4])[0]
  local zeros = T.alloc(T.constant(0, { dtype = x.dtype }), x.shape[1], n)
  local into = T.dot(x, W.T)
  if b then into = into + b[{ T.slice(0, 4 * n) }] + b[{ T.slice(4 * n, 8 * n) }] end
  local out = theano.scan({
    fn = function(x_t, h, c, r)
      local g = x_t + T.dot(h, r.T)
      local function gate(k) return g[{ T.slice(nil), T.slice(k * n, (k + 1) * n) }] end
      local sigmoid = T.nnet.sigmoid
      local cell = sigmoid(gate(2)) * c + sigmoid(gate(0)) * T.tanh(gate(3))
      return { sigmoid(gate(1)) * T.tanh(cell), cell }
    end,
    sequences = into, non_sequences = R,
    outputs_info = { ins[6] and var(ins[6])[0] or zeros, ins[7] and var(ins[7])[0] or zeros },
  })
  local h, c = out[1], out[2]
  return { symbolic(h:dimshuffle(0, "x", 1, 2)), symbolic(h[-1]:dimshuffle("x", 0, 1)),
    symbolic(c[-1]:dimshuffle("x", 0, 1)) }
end

local run

function rules.Scan(ins, how, node, scope)
  local body, m = how.body, how.num_scan_inputs
  if not body or not m or how.scan_input_axes or how.scan_output_axes or how.scan_input_directions
    or how.scan_output_directions then refuse("a Scan of this kind") end
  local n = #ins - m
  if n < 0 or m < 1 or #body.input ~= #ins or #body.output < n or #node.output ~= #body.output then
    bad("Scan: its body takes and gives something else")
  end
  local states, rows = {}, {}
  for i = 1, n do states[i] = var(ins[i]) end
  for i = 1, m do rows[i] = var(ins[n + i]) end
  for i = n + 1, #body.output do states[i] = false end
  local results = theano.scan({ sequences = rows, outputs_info = states, return_list = true,
    fn = function(...)
      local given = table.pack(...)
      local inner = setmetatable({}, { __index = scope })
      for i = 1, m do inner[body.input[n + i].name] = symbolic(given[i]) end
      for i = 1, n do inner[body.input[i].name] = symbolic(given[m + i]) end
      local out = {}
      for i, x in ipairs(run(body, inner)) do
        out[i] = i <= n and T.patternbroadcast(x, states[i].broadcastable) or x
      end
      return out
    end })
  local out = {}
  for i, v in ipairs(results) do out[i] = symbolic(i <= n and v[-1] or v) end
  return out
end

-- ---- a graph -------------------------------------------------------------------------------------------------------
local function attributes_of(node)
  local how = {}
  for _, a in ipairs(node.attribute) do
    local v = a.i or a.f or a.s or a.t or a.g
    if a.type == 7 or #a.ints > 0 then v = a.ints elseif a.type == 6 or #a.floats > 0 then v = a.floats
    elseif a.type == 2 then v = a.i or 0 elseif a.type == 1 then v = a.f or 0.0
    elseif #a.strings > 0 then v = a.strings end
    how[a.name or ""] = v
  end
  return how
end

-- What a rule raises because the file is wrong is a ValueError, whatever the functions of the tensor language that the
-- node's inputs do not suit say, and Lua, where there are fewer inputs than the operation has.
local STAY = { ValueError = true, NotImplementedError = true, MemoryError = true, Interrupted = true }
local function applied(op, rule, ...)
  local fine, made = pcall(rule, ...)
  if fine then return made end
  local kind, text = theano.error_kind(made), tostring(made):match("^[^\n]*")
  if STAY[kind] then error(made, 0) end
  bad("%s does not go with its inputs%s", op, kind and ": " .. text:match(kind .. ": (.*)") or "")
end

-- Runs the nodes in their order, which ONNX asks to be one in which all that a node reads stands before it.
run = function(graph, scope)
  for _, node in ipairs(graph.node) do
    local op = node.op_type or ""
    local domain = node.domain or ""
    local rule = domain == "" and rules[op]
    if not rule then refuse("the operation %s%s is not known", domain ~= "" and domain .. "." or "", op) end
    local ins, last = {}, #node.input
    while last > 0 and node.input[last] == "" do last = last - 1 end
    for i = 1, last do
      local name = node.input[i]
      if name ~= "" then ins[i] = scope[name] or bad("%s reads %s, which nothing before it makes", op, name) end
    end
    if not ins[1] and op ~= "Constant" then bad("%s has no input", op) end
    local made = applied(op, rule, ins, attributes_of(node), node, scope)
    local list_of = getmetatable(made) == Value and { made } or made
    for i, name in ipairs(node.output) do
      if name ~= "" then
        scope[name] = list_of[i] or refuse("result %d of %s", i, op)
      end
    end
  end
  local out = {}
  for i, o in ipairs(graph.output) do
    out[i] = var(scope[o.name or ""] or bad("the result %s is not made", tostring(o.name)))
  end
  return out
end

local function input_of(value)
  local t = value.type and value.type.tensor_type
  local dtype = t and NAMES[t.elem_type or 0]
  if not dtype or not t.shape then refuse("the input %s: a tensor of a known number of dimensions is expected",
    tostring(value.name)) end
  local ones = {}
  for i, d in ipairs(t.shape.dim) do ones[i] = d.value == 1 end
  return T.TensorType(dtype, ones)(value.name)
end

--- Variables of a model; options.constants: weights are constants.
function M.graph(model, options)
  local graph, scope, result = model.graph, {}, { inputs = {}, params = {}, names = {} }
  for _, t in ipairs(graph.initializer) do
    local name = t.name or bad("an initializer has no name")
    local small = t.data_type == 7 and #t.dims <= 1
    if small or options.constants then scope[name] = M.constant(t)
    else
      local shared = theano.shared(array_of(t), name)
      scope[name], result.params[name] = symbolic(shared), shared
    end
  end
  for _, value in ipairs(graph.input) do
    if not value.name then bad("an input has no name") end
    if not scope[value.name] then
      local v = input_of(value)
      scope[value.name], result.inputs[#result.inputs + 1] = symbolic(v), v
    end
  end
  result.outputs = run(graph, scope)
  for i, o in ipairs(graph.output) do result.names[i] = o.name end
  return result
end

return M
