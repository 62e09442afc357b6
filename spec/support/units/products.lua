--- Products, convolutions and pooling, with all that may follow them.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local function layer(dtype, fn)
  return function()
    local x, w = T.matrix("x", { dtype = dtype }), T.matrix("W", { dtype = dtype })
    local b, h = T.vector("b", { dtype = dtype }), T.matrix("h", { dtype = dtype })
    return { x, w, b, h }, fn(T.dot(x, w), b, h, x, w)
  end
end
local function tanh_layer(z, b) return T.tanh(z + b) end

local function conv(dtype, fn, options)
  return function()
    local x, w = T.tensor4("x", { dtype = dtype }), T.tensor4("w", { dtype = dtype })
    local b = T.vector("b", { dtype = dtype })
    local z = T.nnet.conv2d(x, w, options or {})
    return { x, w, b }, fn(z, b:dimshuffle("x", 0, "x", "x"), x, w)
  end
end
local function pool(z, mode, more)
  local options = { ignore_border = true, mode = mode }
  for k, v in pairs(more or {}) do options[k] = v end
  return T.signal.pool.pool_2d(z, { 2, 2 }, options)
end

local function mlp(dtype)
  return function()
    local x, y = T.matrix("x", { dtype = dtype }), T.lvector("y")
    local function weights(n, m) return theano.shared(nd.zeros({ n, m }, dtype), { name = "W" .. n }) end
    local function biases(n) return theano.shared(nd.zeros({ n }, dtype), { name = "b" .. n }) end
    local w1, b1, w2, b2 = weights(37, 23), biases(23), weights(23, 5), biases(5)
    local p = T.nnet.softmax(T.dot(T.tanh(T.dot(x, w1) + b1), w2) + b2)
    local cost = T.nnet.categorical_crossentropy(p, y):mean()
    local params, updates = { w1, b1, w2, b2 }, {}
    for i, g in ipairs(T.grad(cost, params)) do
      updates[i] = { params[i], params[i] - T.constant(0.1, { dtype = dtype }) * g }
    end
    return { x, y }, cost, { updates = updates }
  end
end

return {
  { "product_f64", "a product alone", layer("float64", function(z) return z end) },
  { "layer_f64", "a bias and a function behind a product, tile by tile", layer("float64", tanh_layer) },
  { "layer_f32", "the same in float32", layer("float32", tanh_layer) },
  { "layer_threads", "the same with threads", layer("float32", tanh_layer), flags = { openmp = true } },
  { "layer_version", "for ten columns", layer("float32", tanh_layer), sizes = { s1 = 10 } },
  { "layer_kept", "a product that others read too", layer("float64", function(z) return { T.exp(z), z, z:sum() } end) },
  { "layer_masked", "times another matrix", layer("float64", function(z, _, h) return z * (1 - h ^ 2) end) },
  { "layer_turned", "of transposes, transposed", layer("float64", function(_, b, _, x, w)
    return (T.dot(x.T, w.T) * b).T
  end) },
  { "layer_fails", "what can fail stays on its own", function()
    local x, w, i = T.dmatrix("x"), T.dmatrix("W"), T.lmatrix("i")
    return { x, w, i }, T.dot(x, w) + T.cast(10 // i, "float64")
  end },
  { "layer_positions", "an epilogue that needs places", layer("float64", function(z)
    return z * T.cast(T.arange(z.shape[1]), "float64")
  end) },
  { "gemm", "alpha and beta", layer("float64", function(z, _, h) return 0.5 * h + 2 * z end) },
  { "gemm_inplace", "an update by a product", function()
    local x, w = T.dmatrix("x"), theano.shared(nd.zeros({ 3, 2 }), { name = "w" })
    local cost = T.sqr(T.dot(x, w)):sum()
    return { x }, cost, { updates = { { w, w - 0.1 * T.grad(cost, w) } } }
  end },
  { "vectors", "products of vectors and matrices", function()
    local m, x, y = T.dmatrix("m"), T.dvector("x"), T.dvector("y")
    return { m, x, y }, { T.dot(m, x), T.dot(x, y), T.outer(x, y), T.dot(x, m) * 2, m + 0.5 * T.outer(x, y) }
  end },
  { "batched", "a product for each of many", function()
    local a, b = T.dtensor3("a"), T.dtensor3("b")
    return { a, b }, { T.batched_dot(a, b), T.tanh(T.batched_dot(a, b)) }
  end },
  { "product_ints", "of whole and of complex numbers", function()
    local i, z = T.imatrix("i"), T.zmatrix("z")
    return { i, z }, { T.dot(i, i), T.dot(z, z) }
  end },
  { "logistic", "a step of logistic regression", function()
    local x, y = T.dmatrix("x"), T.dvector("y")
    local w, b = theano.shared(nd.zeros({ 30 }), { name = "w" }), theano.shared(0.0, { name = "b" })
    local p = 1 / (1 + T.exp(-T.dot(x, w) - b))
    local cost = (-y * T.log(p) - (1 - y) * T.log(1 - p)):mean() + 0.01 * (w ^ 2):sum()
    local gw, gb = table.unpack(T.grad(cost, { w, b }))
    return { x, y }, cost, { updates = { { w, w - 0.1 * gw }, { b, b - 0.1 * gb } } }
  end },
  { "mlp_f64", "a step of a network", mlp("float64") },
  { "mlp_f32", "the same in float32", mlp("float32") },
  { "mlp_threads", "the same with threads", mlp("float32"), flags = { openmp = true } },
  { "conv", "a convolution alone", conv("float64", function(z) return z end) },
  { "conv_bias", "and a bias", conv("float64", function(z, b) return z + b end) },
  { "conv_tanh", "and a function of it", conv("float32", function(z, b) return T.tanh(z + b) end) },
  { "conv_sigmoid", "..", conv("float64", function(z, b) return T.nnet.sigmoid(z + b) end) },
  { "conv_relu", "..", conv("float32", function(z, b) return T.nnet.relu(z + b) end, { border_mode = "half" }) },
  { "conv_pool", "windows of a convolution", conv("float64", function(z) return pool(z, "max") end) },
  { "conv_tanh_pool", "windows of all that", conv("float32", function(z, b) return pool(T.tanh(z + b), "max") end) },
  { "conv_average", "averages", conv("float64", function(z, b)
    return pool(z + b, "average_exc_pad", { pad = { 1, 1 } })
  end) },
  { "conv_rest", "what does not fuse behind a convolution today", conv("float64", function(z, b, x)
    return { T.exp(z) * 2 + b, z + x:sum(), T.sqr(z - z:mean { axis = { 0, 2, 3 }, keepdims = true }) }
  end) },
  { "conv_grad", "a convolution's gradients", conv("float64", function(z, b, x, w)
    return T.grad(T.sum(T.sqr(T.tanh(z + b))), { x, w })
  end, { subsample = { 2, 2 } }) },
  { "conv_batch_norm", "batch norm behind a convolution", conv("float32", function(z)
    local mean = z:mean { axis = { 0, 2, 3 }, keepdims = true }
    local var = T.sqr(z - mean):mean { axis = { 0, 2, 3 }, keepdims = true }
    return T.nnet.relu((z - mean) / T.sqrt(var + 1e-4))
  end) },
  { "conv3d", "three dimensions", function()
    local x, w = T.dtensor5("x"), T.dtensor5("w")
    return { x, w }, T.tanh(T.nnet.conv3d(x, w))
  end },
  { "pooled", "pooling and its gradient", function()
    local x = T.dtensor4("x")
    return { x }, { pool(x, "max"), T.grad(pool(T.exp(x), "max"):sum(), x), pool(x, "sum") }
  end },
  { "neighbours", "patches of images, what lies outside read as 0", function()
    local x, z = T.dtensor4("x"), T.tensor4("z", { dtype = "complex64" })
    local patches = T.nnet.neighbours.images2neibs
    return { x, z }, { patches(x, { 2, 2 }), patches(x, { 3, 3 }, { 1, 1 }, "half"),
      patches(z, { 3, 3 }, { 1, 1 }, "full"), patches(x, { 3, 3 }, { 1, 1 }, "wrap_centered") }
  end },
  { "conv_unshared", "a filter for each place: loops of our own, with their gradients", function()
    local x, w = T.dtensor4("x"), T.TensorType("float64", { false, false, false, false, false, false })("w")
    local y = T.nnet.conv2d(x, w, { unshared = true, border_mode = "half", subsample = { 2, 1 } })
    local gx, gw = table.unpack(T.grad(T.sum(T.sqr(y)), { x, w }))
    return { x, w }, { y, gx, gw }
  end },
}
