--- Small networks of the kinds that docs/interchange.md promises for ONNX: for spec/onnx_spec.lua, and for
-- scripts/make-onnx-data.py, which lets onnxruntime run what is written of them.
local theano = require("theano")
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local M = { names = { "mlp", "cnn", "lstm", "transformer" } }

local function number(x) return T.constant(x, { dtype = "float32" }) end

-- `p(shape, name)` gives weights, `f32(...)` an array.
local makers = {}

function makers.mlp(p, f32)
  local x = T.fmatrix("x")
  local h = T.nnet.relu(T.dot(x, p({ 5, 8 }, "W1")) + p({ 8 }, "b1"))
  return x, T.nnet.softmax(T.dot(h, p({ 8, 3 }, "W2")) + p({ 3 }, "b2")), f32(4, 5)
end

function makers.cnn(p, f32)
  local x = T.ftensor4("x")
  local h = T.nnet.conv2d(x, p({ 4, 3, 3, 3 }, "W"), { border_mode = { 1, 1 }, subsample = { 2, 2 } })
  h = T.nnet.relu(h + p({ 4 }, "b"):dimshuffle("x", 0, "x", "x"))
  local q = T.signal.pool.pool_2d(h, { ws = { 2, 2 }, ignore_border = true })
  q = T.signal.pool.pool_2d(q, { ws = { 2, 2 }, stride = { 1, 1 }, ignore_border = true, mode = "average_inc_pad" })
  return x, T.tanh(T.dot(q:flatten(2), p({ 4, 2 }, "V"))), f32(2, 3, 8, 8)
end

function makers.lstm(p, f32)
  local x, n = T.ftensor3("x"), 6
  local W, R, b = p({ 5, 4 * n }, "W"), p({ n, 4 * n }, "R"), p({ 4 * n }, "b")
  local zeros = T.alloc(number(0), x.shape[1], n)
  local out = theano.scan({
    fn = function(x_t, h, c)
      local g = x_t + T.dot(h, R)
      local function gate(k) return g[{ T.slice(nil), T.slice(k * n, (k + 1) * n) }] end
      local cell = T.nnet.sigmoid(gate(2)) * c + T.nnet.sigmoid(gate(0)) * T.tanh(gate(3))
      return { T.nnet.sigmoid(gate(1)) * T.tanh(cell), cell }
    end,
    sequences = T.dot(x, W) + b, outputs_info = { zeros, zeros },
  })
  return x, out[1][-1], f32(7, 2, 5)
end

function makers.transformer(p, f32)
  local x, heads, d = T.ftensor3("x"), 2, 8
  local function norm(v, name)
    local off = v - v:mean({ axis = -1, keepdims = true })
    return off / T.sqrt((off * off):mean({ axis = -1, keepdims = true }) + number(1e-5)) * p({ d }, name .. "_g")
      + p({ d }, name .. "_b")
  end
  local function split(v) return v:reshape({ v.shape[0], v.shape[1], heads, d // heads }):dimshuffle(0, 2, 1, 3) end
  local h = norm(x, "first")
  local q, k, v = T.dot(h, p({ d, d }, "Q")), T.dot(h, p({ d, d }, "K")), T.dot(h, p({ d, d }, "V"))
  local s = T.matmul(split(q), split(k):dimshuffle(0, 1, 3, 2)) * number(0.5)
  local e = T.exp(s - s:max({ axis = 3, keepdims = true }))
  local a = T.matmul(e / e:sum({ axis = 3, keepdims = true }), split(v)):dimshuffle(0, 2, 1, 3):reshape(x.shape, 3)
  local y = x + T.dot(a, p({ d, d }, "O"))
  local z = T.dot(norm(y, "second"), p({ d, 16 }, "F1"))
  z = number(0.5) * z * (1 + T.erf(z * number(math.sqrt(0.5))))
  return x, y + T.dot(z, p({ 16, d }, "F2")), f32(2, 5, 8)
end

--- The input, the result and an array for the input; always the same numbers.
function M.make(name)
  local rng = nd.random.RandomState(3)
  local function f32(...) return rng:randn(...):astype("float32") end
  local function p(shape, called)
    return theano.shared((rng:randn(table.unpack(shape)) * 0.3):astype("float32"), called)
  end
  return makers[name](p, f32)
end

return M
