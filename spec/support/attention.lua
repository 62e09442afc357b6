--- Attention written out, with every kind of mask, for specs of the operation on the CPU and on a device.
local T = require("theano.tensor")
local nd = require("theano.ndarray")

local M = {}

--- q, k, v and the gradient of the result (batch, rows, features), a mask to add and one of booleans (queries, keys).
function M.operands(dtype)
  local v = {}
  for _, name in ipairs({ "q", "k", "v", "g" }) do v[#v + 1] = T.tensor3(name, { dtype = dtype }) end
  v[5], v[6] = T.matrix("mask", { dtype = dtype }), T.matrix("where", { dtype = "bool" })
  return v
end

--- The result and the weights; kind: "bare", "scaled", "add" (a mask), "keep" (where true) or "fill" (where true).
function M.attended(kind, dtype, v)
  local s = T.batched_dot(v[1], v[2]:dimshuffle(0, 2, 1))
  local low = T.constant(-1e9, { dtype = dtype })
  if kind ~= "bare" then s = s * T.constant(0.25, { dtype = dtype }) end
  if kind == "add" then s = s + v[5] end
  if kind == "keep" then s = T.switch(v[6], s, low) end
  if kind == "fill" then s = T.switch(v[6], low, s) end
  local p = T.nnet.softmax(s, { axis = -1 })
  return T.batched_dot(p, v[3]), p
end

--- Values of the operands: batch, queries, keys, features of q and k, of v.
function M.numbers(rng, dtype, b, m, n, d, e)
  local function draw(...) return rng:randn(...):astype(dtype) end
  return draw(b, m, d), draw(b, n, d), draw(b, n, e), draw(b, m, e), draw(m, n), nd.gt(rng:randn(m, n), -0.5)
end

return M
