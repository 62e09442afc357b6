--- `T.nnet.dropout`: elements left out at random while a network is trained.
-- @module theano.dropout
local core = require("theano.core")
local T = require("theano.tensor")
local gradient = require("theano.gradient")
local util = require("theano.util")

local raise = util.raise
local nnet = T.nnet

local REAL = { float32 = "float32", complex64 = "float32", float64 = "float64", complex128 = "float64",
  float16 = "float16", bfloat16 = "bfloat16" }

-- The chance to stay, of x's dtype, and whether it is known already.
local function staying(p, dtype)
  if util.is_var(p) and core.kind(p) == "constant" then p = p.data end
  if util.is_array(p) and p.ndim == 0 then p = p:item() end
  if type(p) == "number" then
    if not (p >= 0 and p < 1) then raise("ValueError", "dropout: p must lie in [0, 1), it is %s", util.text(p)) end
    return 1 - p, true
  end
  if not util.is_var(p) or p.ndim ~= 0 then
    raise("TypeError", "dropout: p is a number or a scalar, got %s", util.is_var(p) and tostring(p.type)
      or util.kind_of(p))
  end
  local fits = T.and_(T.ge(p, 0), T.lt(p, 1))
  p = T.opt.assert_op(p, fits, { msg = "dropout: p must lie in [0, 1)" })
  return 1 - gradient.undefined_grad(T.cast(p, dtype)), false
end

-- Numbers of [0, 1) like x: float32 tells chances apart well enough, and half as many words make it.
local function numbers(x, srng)
  local given, uniform = pcall(function() return srng.uniform end)
  if type(srng) ~= "table" or not given or type(uniform) ~= "function" then
    raise("TypeError", "dropout: srng is a RandomStreams, an MRG_RandomStreams or a Key, got %s", util.kind_of(srng))
  end
  if getmetatable(srng).__name == "Key" then return uniform(srng, x.shape, 0.0, 1.0, "float32", x.ndim) end
  return uniform(srng, x.shape, { ndim = x.ndim, dtype = "float32" })
end

--- dropout(x, p, srng, {train =}): each element of x is 0 with probability p and x / (1 - p) else, by a mask drawn from
-- srng: a RandomStreams, an MRG_RandomStreams or a Key. The gradient goes through the same mask. p lies in [0, 1), a
-- number or a scalar. train: false (x itself) or a scalar that a call decides by.
function nnet.dropout(x, p, srng, ...)
  local o = util.bind("dropout", { "train" }, ...)
  x = T.as_tensor_variable(x)
  local real = REAL[x.dtype] or raise("TypeError", "dropout: x is of floats, not %s", x.dtype)
  local stays, known = staying(p, real)
  if o.train == false or stays == 1 then return x end
  local mask = T.lt(numbers(x, srng), stays)
  local scale = known and T.constant(1 / stays, { dtype = real }) or 1 / stays
  local factor = T.patternbroadcast(T.switch(mask, T.cast(scale, real), T.constant(0, { dtype = real })),
    x.broadcastable)
  local dropped = x * factor
  if o.train == nil or o.train == true then return dropped end
  if not util.is_var(o.train) then raise("TypeError", "dropout: train is a boolean or a scalar") end
  return require("theano.ifelse").ifelse(o.train, dropped, x)
end

return nnet.dropout
