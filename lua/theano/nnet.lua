--- Functions of `T.nnet` that are written with other functions: batch normalisation, the confusion matrix, hierarchical
-- softmax, products of blocks, hinge losses. Their gradients, vmap and compiled code follow from what they are made of.
-- @module theano.tensor.nnet
local T = require("theano.tensor")
local config = require("theano.config")
local util = require("theano.util")

local nnet = T.nnet
local bn = nnet.bn or {}
nnet.bn = bn

local bind = util.bind

-- ---- batch normalisation
-- ----------------------------------------------------------------------------------------------
-- Axes that are averaged over, and the others, for a tensor of ndim dimensions.
local function axes_of(what, axes, ndim)
  local list, set, kept = {}, {}, {}
  if axes == nil or axes == "per-activation" then
    list = { 0 }
  elseif axes == "spatial" then
    list = { 0 }
    for d = 2, ndim - 1 do list[#list + 1] = d end
  elseif type(axes) == "table" and next(axes) then
    list = util.list(what .. ": axes", axes)
  else
    util.raise("ValueError", "%s: invalid axes: 'per-activation', 'spatial' or a list of integers, not %s", what,
      util.text(axes))
  end
  local sorted = {}
  for _, d in ipairs(list) do
    if math.type(d) ~= "integer" or d < 0 or d >= ndim or set[d] then
      util.raise("ValueError", "%s: axes must be different integers from 0 to %d", what, ndim - 1)
    end
    set[d] = true
  end
  for d = 0, ndim - 1 do
    local to = set[d] and sorted or kept
    to[#to + 1] = d
  end
  return sorted, kept
end

local function check_epsilon(what, epsilon)
  if type(epsilon) == "number" and epsilon < 1e-5 then
    util.raise("ValueError", "%s: epsilon must be at least 1e-5, not %g", what, epsilon)
  end
end

-- Parameters as tensors of the inputs' rank, broadcastable over the axes; whether they had fewer dimensions.
local function parameters(what, x, axes, kept, a, names)
  local short
  for _, name in ipairs(names) do
    local p = a[name]
    if p ~= nil then
      p = T.as_tensor_variable(p)
      if p.ndim ~= x.ndim and p.ndim ~= #kept then
        util.raise("ValueError",
          "%s: %s must have %d dimensions as the inputs, or %d, those that are not averaged over; it has %d",
          what, name, x.ndim, #kept, p.ndim)
      end
      if p.ndim ~= x.ndim then
        local order, k = {}, 0
        for d = 0, x.ndim - 1 do order[d + 1] = "x" end
        for _, d in ipairs(kept) do
          order[d + 1] = k
          k = k + 1
        end
        p, short = p:dimshuffle(order), true
      else
        p = T.addbroadcast(p, table.unpack(axes))
      end
      a[name] = p
    end
  end
  return short
end

local train_names = { "inputs", "gamma", "beta", "axes", "epsilon", "running_average_factor", "running_mean",
  "running_var", epsilon = "number|Variable", running_average_factor = "number|Variable" }

--- Normalises inputs over axes by their own mean and variance.
-- axes: "per-activation" (0), "spatial" (0, 2, ..) or a list; epsilon 1e-4; running_average_factor 0.1.
-- @return normalised, mean, 1 / sqrt(variance + epsilon), and, when running_mean and running_var are given, their new
-- values
function bn.batch_normalization_train(...)
  local what = "batch_normalization_train"
  local a = bind(what, train_names, ...)
  util.need(what, a, { "inputs", "gamma", "beta" }, T.as_tensor_variable)
  local x, eps, f = a.inputs, a.epsilon or 1e-4, a.running_average_factor or 0.1
  check_epsilon(what, eps)
  if (a.running_mean == nil) ~= (a.running_var == nil) then
    util.raise("ValueError", "%s: running_mean and running_var must either both be given or both be left out", what)
  end
  local axes, kept = axes_of(what, a.axes, x.ndim)
  local short = parameters(what, x, axes, kept, a, { "gamma", "beta", "running_mean", "running_var" })
  local mean = T.mean(x, { axis = axes, keepdims = true })
  local var = T.var(x, { axis = axes, keepdims = true })
  local invstd = T.inv(T.sqrt(var + eps))
  local results = { (x - mean) * (a.gamma * invstd) + a.beta, mean, invstd }
  if a.running_mean ~= nil then
    local m = T.cast(T.prod(x.shape) / T.prod(mean.shape), config.floatX)
    results[4] = a.running_mean * (1 - f) + mean * f
    results[5] = a.running_var * (1 - f) + (m / (m - 1)) * var * f
  end
  for i = 2, short and #results or 0 do results[i] = results[i]:dimshuffle(kept) end
  return table.unpack(results)
end

--- Normalises inputs by a given mean and variance.
-- axes and epsilon as for batch_normalization_train.
function bn.batch_normalization_test(...)
  local what = "batch_normalization_test"
  local a = bind(what, { "inputs", "gamma", "beta", "mean", "var", "axes", "epsilon",
    epsilon = "number|Variable" }, ...)
  util.need(what, a, { "inputs", "gamma", "beta", "mean", "var" }, T.as_tensor_variable)
  local eps = a.epsilon or 1e-4
  check_epsilon(what, eps)
  local axes, kept = axes_of(what, a.axes, a.inputs.ndim)
  parameters(what, a.inputs, axes, kept, a, { "gamma", "beta", "mean", "var" })
  return (a.inputs - a.mean) * (a.gamma / T.sqrt(a.var + eps)) + a.beta
end

--- (inputs - mean) * gamma / std + beta: Theano's older function. mode is "low_mem" or "high_mem", with the same
-- result.
function bn.batch_normalization(...)
  local what = "batch_normalization"
  local a = bind(what, { "inputs", "gamma", "beta", "mean", "std", "mode" }, ...)
  util.need(what, a, { "inputs", "gamma", "beta", "mean", "std" }, T.as_tensor_variable)
  local mode = a.mode or "low_mem"
  if mode ~= "low_mem" and mode ~= "high_mem" then
    util.raise("ValueError", "%s: mode must be either 'low_mem' or 'high_mem', not '%s'", what, tostring(mode))
  end
  return (a.inputs - a.mean) * (a.gamma / a.std) + a.beta
end

-- ---- classes
-- ----------------------------------------------------------------------------------------------------------
--- Confusion matrix of two vectors of class numbers.
-- @return int64 matrix: how often row (actual) was predicted as column; and the classes, in ascending order
function nnet.confusion_matrix(actual, pred)
  actual, pred = T.as_tensor_variable(actual), T.as_tensor_variable(pred)
  if actual.ndim ~= 1 then util.raise("ValueError",
    "confusion_matrix: actual must be 1-d tensor variable, it has %d dimensions", actual.ndim) end
  if pred.ndim ~= 1 then util.raise("ValueError",
    "confusion_matrix: pred must be 1-d tensor variable, it has %d dimensions", pred.ndim) end
  local order = T.extra_ops.unique(T.concatenate({ actual:flatten(), pred:flatten() }))
  local rows = T.cast(T.eq(actual:dimshuffle(0, "x"), order), "int64")
  local columns = T.cast(T.eq(pred:dimshuffle(0, "x"), order), "int64")
  return T.dot(rows.T, columns), order
end

--- Multi-class hinge loss of Crammer and Singer, a value for each row: max(0, delta + max over j ~= y of x[j] - x[y]).
-- @param x scores, a row for each case
-- @param y class numbers, or a matrix with a 1 in each row
-- @param delta margin, 1
function nnet.multiclass_hinge_loss(x, y, delta)
  if util.is_keywords(delta) then
    util.check_keywords("multiclass_hinge_loss", delta, { delta = true })
    delta = delta.delta
  end
  x, y, delta = T.as_tensor_variable(x), T.as_tensor_variable(y), delta or 1
  if x.ndim ~= 2 then util.raise("ValueError",
    "multiclass_hinge_loss: the scores must be a matrix, they have %d dimensions", x.ndim) end
  if y.ndim == 2 then
    y = T.argmax(y, { axis = 1 })
  elseif y.ndim ~= 1 or not y.dtype:find("int") then
    util.raise("TypeError", "multiclass_hinge_loss: the classes must be a vector of integers or a matrix, not %s",
      tostring(y.type))
  end
  local own = x[{ T.arange(y.shape[0]), y }]
  local classes = T.arange(x.shape[1])
  local others = T.switch(T.eq(classes, y:dimshuffle(0, "x")), T.constant(-math.huge, { dtype = x.dtype }), x)
  return T.maximum(T.max(others, { axis = 1 }) - own + delta, 0)
end

--- Hinge loss of scores against labels of 1 and -1 (or 1 and 0 with binary = true): max(0, delta - x * t).
function nnet.binary_hinge_loss(x, t, options)
  local o = options or {}
  util.check_keywords("binary_hinge_loss", o, { delta = true, binary = "boolean" })
  x, t = T.as_tensor_variable(x), T.as_tensor_variable(t)
  if o.binary then t = 2 * t - 1 end
  return T.maximum((o.delta or 1) - x * t, 0)
end

-- ---- blocks
-- -----------------------------------------------------------------------------------------------------------
nnet.blocksparse = nnet.blocksparse or {}

--- Product of a chosen set of blocks: out[n, j] = b[o] + sum over i of h[n, i] . W[inputIdx[n, i], o], o =
-- outputIdx[n, j].
-- @param W (input blocks, output blocks, input size, output size)
-- @param h (batch, window, input size), or without the batch
-- @param inputIdx (batch, window), or (window)
-- @param b (output blocks, output size)
-- @param outputIdx (batch, output window), or (output window)
function nnet.blocksparse.sparse_block_dot(W, h, inputIdx, b, outputIdx)
  W, h, b = T.as_tensor_variable(W), T.as_tensor_variable(h), T.as_tensor_variable(b)
  inputIdx, outputIdx = T.as_tensor_variable(inputIdx), T.as_tensor_variable(outputIdx)
  if W.ndim ~= 4 then util.raise("TypeError", "sparse_block_dot: W must be a tensor4, it has %d dimensions", W.ndim) end
  if b.ndim ~= 2 then util.raise("TypeError", "sparse_block_dot: b must be a matrix, it has %d dimensions", b.ndim) end
  for name, i in pairs({ inputIdx = inputIdx, outputIdx = outputIdx }) do
    if not i.dtype:find("int") then util.raise("TypeError", "sparse_block_dot: %s must hold integers, not %s", name,
      i.dtype) end
    if i.ndim ~= h.ndim - 1 then
      util.raise("TypeError", "sparse_block_dot: %s must have %d dimensions, it has %d", name, h.ndim - 1, i.ndim)
    end
  end
  if h.ndim == 2 then
    return nnet.blocksparse.sparse_block_dot(W, h:dimshuffle("x", 0, 1), inputIdx:dimshuffle("x", 0), b,
      outputIdx:dimshuffle("x", 0)):dimshuffle(1, 2)
  elseif h.ndim ~= 3 then
    util.raise("TypeError", "sparse_block_dot: h must have 2 or 3 dimensions, it has %d", h.ndim)
  end
  local blocks = W[{ inputIdx:dimshuffle(0, 1, "x"), outputIdx:dimshuffle(0, "x", 1) }]
  return T.sum(h:dimshuffle(0, 1, "x", 2, "x") * blocks, { axis = { 1, 3 } }) + b[outputIdx]
end
nnet.sparse_block_dot = nnet.blocksparse.sparse_block_dot

-- Tensors of given ranks, each as {name, tensor, rank, whether it holds integers}.
local function ranks(what, given)
  local out = {}
  for i, g in ipairs(given) do
    local name, v, ndim, integer = g[1], T.as_tensor_variable(g[2]), g[3], g[4]
    if v.ndim ~= ndim then
      util.raise("TypeError", "%s: %s must have %d dimensions, it has %d", what, name, ndim, v.ndim)
    end
    if integer and not v.dtype:find("int") then
      util.raise("TypeError", "%s: %s must hold integers, not %s", what, name, v.dtype)
    end
    out[i] = v
  end
  return table.unpack(out)
end

--- o plus products of chosen blocks: out[n, j] = o[n, j] + sum over i of h[n, i] . W[inputIdx[n, i], outputIdx[n, j]].
-- @param o (batch, output window, output size)
-- @param W (input blocks, output blocks, input size, output size)
-- @param h (batch, input window, input size)
-- @param inputIdx (batch, input window)
-- @param outputIdx (batch, output window)
function nnet.blocksparse.sparse_block_gemv(o, W, h, inputIdx, outputIdx)
  o, W, h, inputIdx, outputIdx = ranks("sparse_block_gemv", { { "o", o, 3 }, { "W", W, 4 }, { "h", h, 3 },
    { "inputIdx", inputIdx, 2, true }, { "outputIdx", outputIdx, 2, true } })
  local blocks = W[{ inputIdx:dimshuffle(0, 1, "x"), outputIdx:dimshuffle(0, "x", 1) }]
  return o + T.sum(h:dimshuffle(0, 1, "x", 2, "x") * blocks, { axis = { 1, 3 } })
end

--- o with outer products added to chosen blocks: o[xIdx[n, i], yIdx[n, j]] += alpha * x[n, i] outer y[n, j].
-- @param o (x blocks, y blocks, x size, y size)
-- @param x (batch, x window, x size)
-- @param y (batch, y window, y size)
-- @param xIdx (batch, x window)
-- @param yIdx (batch, y window)
-- @param alpha a scalar, 1 if it is not given
function nnet.blocksparse.sparse_block_outer(o, x, y, xIdx, yIdx, alpha)
  if util.is_keywords(alpha) then
    util.check_keywords("sparse_block_outer", alpha, { alpha = true })
    alpha = alpha.alpha
  end
  o, x, y, xIdx, yIdx = ranks("sparse_block_outer", { { "o", o, 4 }, { "x", x, 3 }, { "y", y, 3 },
    { "xIdx", xIdx, 2, true }, { "yIdx", yIdx, 2, true } })
  local products = x:dimshuffle(0, 1, "x", 2, "x") * y:dimshuffle(0, "x", 1, "x", 2)
  if alpha ~= nil then products = products * alpha end
  local blocks = o[{ xIdx:dimshuffle(0, 1, "x"), yIdx:dimshuffle(0, "x", 1) }]
  return T.inc_subtensor(blocks, products)
end
nnet.sparse_block_gemv = nnet.blocksparse.sparse_block_gemv
nnet.sparse_block_outer = nnet.blocksparse.sparse_block_outer

local H_SOFTMAX = { "x", "batch_size", "n_outputs", "n_classes", "n_outputs_per_class", "W1", "b1", "W2", "b2",
  "target" }
local H_NEEDED = { "x", "W1", "b1", "W2", "b2" }

-- A positive number, or an integer scalar.
local function size_of(what, a, name)
  local v = a[name]
  if math.type(v) == "integer" and v > 0 then return v end
  if util.is_var(v) and v.ndim == 0 and v.dtype:find("int") then return v end
  return util.raise(math.type(v) == "integer" and "ValueError" or "TypeError",
    "%s: %s is a positive integer or an integer scalar, got %s", what, name, util.kind_of(v))
end

--- Two-level softmax: the probability of a class, times that of an output in the class.
-- @param x (batch_size, features)
-- @param batch_size, n_outputs, n_classes, n_outputs_per_class numbers, or integer scalars
-- @param W1 (features, n_classes), b1 (n_classes)
-- @param W2 (n_classes, features, n_outputs_per_class), b2 (n_classes, n_outputs_per_class)
-- @param target outputs whose probability is wanted (batch_size); nil: those of all outputs
function nnet.h_softmax(...)
  local what = "h_softmax"
  local a = bind(what, H_SOFTMAX, ...)
  util.need(what, a, H_NEEDED, T.as_tensor_variable)
  for name, ndim in pairs({ x = 2, W1 = 2, b1 = 1, W2 = 3, b2 = 2 }) do
    if a[name].ndim ~= ndim then
      util.raise("ValueError", "%s: %s has %d dimensions, it must have %d", what, name, a[name].ndim, ndim)
    end
  end
  local x, W1, b1, W2, b2, target = a.x, a.W1, a.b1, a.W2, a.b2, a.target
  local batch_size, n_outputs = size_of(what, a, "batch_size"), size_of(what, a, "n_outputs")
  local n_classes, n_outputs_per_class = size_of(what, a, "n_classes"), size_of(what, a, "n_outputs_per_class")
  local class_probs = nnet.softmax(T.dot(x, W1) + b1)
  if target == nil then
    local probs = nnet.softmax((T.tensordot(x, W2, { axes = { { 1 }, { 1 } } }) + b2):reshape({ -1,
      n_outputs_per_class }))
    probs = class_probs:dimshuffle(0, 1, "x") * probs:reshape({ batch_size, n_classes, n_outputs_per_class })
    return probs:reshape({ batch_size, n_classes * n_outputs_per_class })[{ T.slice(), T.slice(0, n_outputs) }]
  end
  target = T.as_tensor_variable(target):flatten()
  if not target.dtype:find("int") then
    util.raise("TypeError", "%s: target holds numbers of outputs, integers, not %s", what, target.dtype)
  end
  local class, inside = target // n_outputs_per_class, target % n_outputs_per_class
  local rows = T.arange(batch_size)
  local first = T.zeros({ batch_size, 1 }, { dtype = "int32" })
  local activations = nnet.sparse_block_dot(W2:dimshuffle("x", 0, 1, 2), x:dimshuffle(0, "x", 1), first, b2,
    class:dimshuffle(0, "x"))
  local probs = nnet.softmax(activations[{ T.slice(), 0 }])
  return class_probs[{ rows, class }] * probs[{ rows, inside }]
end

package.loaded["theano.tensor.nnet.bn"] = bn
package.loaded["theano.tensor.nnet.blocksparse"] = nnet.blocksparse
package.loaded["theano.tensor.nnet"] = nnet

return nnet
