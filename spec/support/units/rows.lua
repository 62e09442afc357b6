--- Rows: softmax, layer norm, losses; short ones side by side, long ones, versions for known lengths.
local theano = require("theano")
local T = theano.tensor

local function over(how, x) return x[how](x, { axis = 1, keepdims = true }) end
local function normalized(x)
  local y = x - over("mean", x)
  return y / T.sqrt(over("mean", y * y) + T.cast(0.5, x.dtype))
end
local function matrix(dtype, fn)
  return function()
    local x, b = T.matrix("x", { dtype = dtype }), T.vector("b", { dtype = dtype })
    return { x, b }, fn(x, b)
  end
end
local function softmax(x) return T.nnet.softmax(x) end
local function layer_norm(x, b) return normalized(x) * b end
local function best(x) return { T.argmax(x, { axis = 1 }), T.argmin(T.abs_(x), { axis = 1 }) } end
local function loss(dtype, columns)
  return function()
    local x, b, y = T.matrix("x", { dtype = dtype }), T.vector("b", { dtype = dtype }), T.lvector("y")
    local rows = columns and x:reshape({ -1, columns }) or x
    return { x, b, y }, { (T.nnet.crossentropy_softmax_1hot_with_bias(rows, b, y)) }
  end
end
local function cross_entropy(dtype)
  return function()
    local x, y = T.matrix("x", { dtype = dtype }), T.lvector("y")
    local cost = T.nnet.categorical_crossentropy(T.nnet.softmax(x), y):mean()
    return { x, y }, { cost, T.grad(cost, x) }
  end
end

return {
  { "softmax_f64", "stages over the same rows", matrix("float64", softmax) },
  { "softmax_f32", "the same, in more lanes", matrix("float32", softmax) },
  { "softmax_threads", "rows shared out among threads", matrix("float64", softmax), flags = { openmp = true } },
  { "softmax_version", "for rows of four elements", matrix("float32", softmax), sizes = { s1 = 4 } },
  { "softmax_turned", "of a transpose", matrix("float32", function(x) return T.nnet.softmax(x.T) end) },
  { "softmax_strided", "of every second column", matrix("float64", function(x)
    return T.nnet.softmax(x[{ "::", "::2" }] * 2)
  end) },
  { "softmax_grad", "its gradient", matrix("float64", function(x, b)
    return T.grad(T.sum(T.nnet.softmax(x) * b), x)
  end) },
  { "log_softmax", "the logarithm of a softmax", matrix("float32", function(x) return T.nnet.logsoftmax(x) end) },
  { "layer_norm_f32", "means in float64 of float32: sums in two halves", matrix("float32", layer_norm) },
  { "layer_norm_f64", "two reductions and an epilogue", matrix("float64", layer_norm) },
  { "layer_norm_grad", "the gradient of layer norm", matrix("float64", function(x, b)
    return T.grad(T.sum(normalized(x) * T.tanh(x * b)), x)
  end) },
  { "layer_norm_threads", "rows kept by each piece", matrix("float64", function(x, b)
    return T.grad(T.sum(normalized(x) * T.tanh(x * b)), x)
  end), flags = { openmp = true } },
  { "layer_norm_version", "for rows of nine elements", matrix("float64", layer_norm), sizes = { s1 = 9 } },
  { "tensor3_rows", "rows of a tensor with three dimensions", function()
    local t = T.dtensor3("t")
    local mean = t:mean { axis = 2, keepdims = true }
    return { t }, { (t - mean) / T.sqrt(T.sqr(t - mean):mean { axis = 2, keepdims = true } + 1e-5),
      t - T.tanh(t):max { axis = { 1, 2 }, keepdims = true } }
  end },
  { "kept_row", "a row that two stages read is kept", matrix("float64", function(x)
    local y = T.sinh(x)
    return { y / over("sum", y), T.exp(x), over("sum", T.exp(x)) }
  end) },
  { "centred_best", "the place of the largest in centred rows", matrix("float64", function(x)
    return T.argmax(T.abs_(x - over("mean", x)), { axis = 1 })
  end) },
  { "argmax_f64", "places of the largest and least of a row", matrix("float64", best) },
  { "argmax_f32", "the same in more lanes", matrix("float32", best) },
  { "argmax_ints", "of whole numbers, of bytes one by one", function()
    local i, b, z = T.imatrix("i"), T.bmatrix("b"), T.lmatrix("z")
    return { i, b, z }, { T.argmax(i, { axis = 1 }), T.argmin(b, { axis = 1 }), T.argmax(z, { axis = 1 }) }
  end },
  { "argmax_columns", "of columns, in vectors where places are as wide as elements", function()
    local x, z = T.dmatrix("x"), T.fmatrix("z")
    return { x, z }, { T.argmax(x, { axis = 0 }), T.argmin(z, { axis = 0 }), T.argmax(x.T, { axis = 1 }) }
  end },
  { "argmax_two", "over two dimensions", function()
    local t = T.dtensor3("t")
    return { t }, { T.argmax(t, { axis = { 1, 2 } }), T.argmin(t, { axis = { 0, 2 } }) }
  end },
  { "max_and_argmax", "value and place together", matrix("float32", function(x)
    local m, at = T.max_and_argmax(x, { axis = 1 })
    return { m, at }
  end) },
  { "extrema", "the largest and the least", matrix("float32", function(x, b)
    return { x:max { axis = 1 }, (x * b):min { axis = 1 } }
  end) },
  { "any_all", "truth values of rows", matrix("float32", function(x)
    return { T.any(x, { axis = 1 }), T.all(T.gt(x, -1), { axis = 1 }) }
  end) },
  { "sums_products", "sums and products of rows", matrix("float32", function(x, b)
    return { x:sum { axis = 1 }, (x + b):prod { axis = 1 }, x:sum { axis = 1, acc_dtype = "float32" } }
  end) },
  { "whole_numbers", "of whole numbers, in wider sums", matrix("float64", function(x)
    local i = T.cast(x * 7, "int32")
    return { i:sum { axis = 1 }, i:max { axis = 1 }, T.cast(i, "int8"):min { axis = 1 },
      T.cast(i, "uint8"):max { axis = 1 }, T.cast(i, "bool"):max { axis = 1 }, T.cast(i, "bool"):min { axis = 1 } }
  end) },
  { "row_positions", "with a place in the row", matrix("float64", function(x)
    return (x - over("max", x)) * T.cast(T.arange(x.shape[1]), x.dtype):dimshuffle("x", 0)
  end) },
  { "row_number", "with the number of the row", matrix("float64", function(x)
    return (x - over("max", x)) * T.cast(T.arange(x.shape[0]), x.dtype):dimshuffle(0, "x")
  end) },
  { "row_number_threads", "the same in pieces", matrix("float64", function(x)
    return (x - over("max", x)) * T.cast(T.arange(x.shape[0]), x.dtype):dimshuffle(0, "x")
  end), flags = { openmp = true } },
  { "pairs", "a row for each pair of rows", matrix("float64", function(x)
    return T.sqr(x:dimshuffle(0, "x", 1) - x:dimshuffle("x", 0, 1)):sum { axis = 2 }
  end) },
  { "pairs_f32", "the same, with sums of float64", matrix("float32", function(x)
    return T.exp(-T.sqr(x:dimshuffle(0, "x", 1) - x:dimshuffle("x", 0, 1)):mean { axis = 2 })
  end) },
  { "loss_f32", "a loss whose rows read at places of their own", loss("float32") },
  { "loss_short", "the same of rows known to be short", loss("float32", 5) },
  { "loss_short_f64", "the same in fewer lanes", loss("float64", 5) },
  { "loss_version", "the same in a version for short rows", loss("float64"), sizes = { s1 = 10 } },
  { "cross_entropy_f32", "cross-entropy and its gradient", cross_entropy("float32") },
  { "cross_entropy_f64", "cross-entropy and its gradient", cross_entropy("float64") },
  { "cross_entropy_threads", "cross-entropy and its gradient", cross_entropy("float64"), flags = { openmp = true } },
  { "divided_ints", "rows in which a quotient can fail", function()
    local i, j = T.lmatrix("i"), T.lmatrix("j")
    local q = i // j
    return { i, j }, q - q:sum { axis = 1, keepdims = true }
  end },
  { "divided_rows", "rows in lanes divided by a number of their own", matrix("float64", function(x)
    return { x / over("sum", x), x / over("max", T.abs_(x)) }
  end) },
  { "standardized", "by mean and deviation of the whole", matrix("float64", function(x)
    return T.tanh((x - x:mean()) / x:std())
  end) },
}
