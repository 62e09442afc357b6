--- Layers that look at all places of a sequence. Installed by theano.layers.
-- @module theano.layers.attention
local theano = require("theano")
local T = theano.tensor
local util = require("theano.util")

return function(layers)
  local M = {}
  local options, lengths = layers.helpers.options, layers.helpers.lengths

  -- (batch, time, heads * size) as (batch, heads, time, size).
  local function split(x, heads, size)
    return x:reshape({ x.shape[0], x.shape[1], heads, size }):dimshuffle(0, 2, 1, 3)
  end

  --- softmax(Q·Kᵀ / sqrt(size) + mask)·V with several heads, after Vaswani and others (2017).
  -- x (batch, time, features). o: heads (1), causal (false: true hides what comes later), mask (of (batch or 1, heads
  -- or 1, time, time): false or 0 hides), memory (what is looked at instead of x, (batch, other time, features)).
  function M.attention(p, x, features, options_)
    local v, o = options("attention", p, x, options_, { heads = "integer", causal = "boolean",
      mask = "Variable|ndarray", memory = "Variable" })
    local heads = o.heads or 1
    lengths("attention", { features = features, heads = heads })
    if features % heads ~= 0 then
      util.raise("ValueError", "attention: %d features do not go into %d heads", features, heads)
    end
    if v.ndim ~= 3 then
      util.raise("ShapeError", "attention: x has %d dimensions, (batch, time, features) is expected", v.ndim)
    end
    local size = features // heads
    local q_ = p:scope(p:layer("attention", o.name):sub(#p.prefix + 1))
    local other = o.memory or v
    local q = split(layers.dense(q_, v, features, features, { name = "query" }), heads, size)
    local k = split(layers.dense(q_, other, features, features, { name = "key" }), heads, size)
    local u = split(layers.dense(q_, other, features, features, { name = "value" }), heads, size)
    local scores = T.matmul(q, k:dimshuffle(0, 1, 3, 2)) * T.constant(1 / math.sqrt(size), { dtype = v.dtype })
    local hidden = T.constant(-math.huge, { dtype = v.dtype })
    if o.causal then
      local rows, cols = T.arange(v.shape[1]):dimshuffle(0, "x"), T.arange(other.shape[1]):dimshuffle("x", 0)
      scores = T.switch(T.ge(rows, cols):dimshuffle("x", "x", 0, 1), scores, hidden)
    end
    if o.mask then scores = T.switch(o.mask, scores, hidden) end
    local y = T.matmul(T.nnet.softmax(scores, { axis = -1 }), u):dimshuffle(0, 2, 1, 3)
    return layers.dense(q_, y:reshape({ v.shape[0], v.shape[1], features }), features, features, { name = "out" })
  end

  --- x + attention(norm(x)), then x + dense(gelu(dense(norm(x)))): a block of a transformer.
  -- x (batch, time, features). o: heads, causal, mask as for attention; hidden (4 * features); dropout (0).
  function M.transformer_block(p, x, features, options_)
    local v, o = options("transformer_block", p, x, options_, { heads = "integer", causal = "boolean",
      mask = "Variable|ndarray", hidden = "integer", dropout = "number" })
    local q = p:scope(p:layer("block", o.name):sub(#p.prefix + 1))
    local hidden, rate = o.hidden or 4 * features, o.dropout or 0
    local function out(y) return rate > 0 and layers.dropout(q, y, rate) or y end
    v = v + out(layers.attention(q, layers.layer_norm(q, v, features), features,
      { heads = o.heads, causal = o.causal, mask = o.mask }))
    local h = layers.dense(q, layers.layer_norm(q, v, features), features, hidden, { activation = layers.gelu })
    return v + out(layers.dense(q, h, hidden, features))
  end

  return M
end
