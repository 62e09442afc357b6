--- `theano.init`: the arrays that weights begin with. Each function takes a shape, a sequence of lengths, and a table:
-- `rng`, a RandomState or a Generator (`nd.random.RandomState(seed)`); `gain`, a factor (1); `dtype` (floatX).
-- A matrix has as many inputs as rows and as many outputs as columns, filters (outputs, inputs, height, width) count
-- their places with them.
-- @module theano.init
local theano = require("theano")
local nd = theano.ndarray
local util = require("theano.util")

local M = {}

local KNOWN = { rng = "object", gain = "number", dtype = "string", low = "number", high = "number", mean = "number",
  std = "number", value = "number" }

-- The shape and the options of a call, checked. random: whether it draws.
local function arguments(what, shape, o, random)
  util.expect(what, "shape", shape, "table")
  o = o or {}
  util.check_keywords(what, o, { rng = true, gain = KNOWN.gain, dtype = KNOWN.dtype, low = KNOWN.low, high = KNOWN.high,
    mean = KNOWN.mean, std = KNOWN.std, value = KNOWN.value })
  for i, n in ipairs(shape) do
    if math.type(n) ~= "integer" or n < 0 then
      util.raise("ValueError", "%s: length %d of the shape is %s", what, i, tostring(n))
    end
  end
  if random and o.rng == nil then
    util.raise("TypeError", "%s: rng is missing: give {rng = nd.random.RandomState(seed)}", what)
  end
  return o, o.dtype or theano.config.floatX
end

--- Inputs and outputs of weights of a shape.
-- @tparam table shape at least two lengths
-- @treturn integer
-- @treturn integer
function M.fans(shape)
  if #shape < 2 then
    util.raise("ValueError", "fans: weights have two or more dimensions, the shape has %d", #shape)
  end
  if #shape == 2 then return shape[1], shape[2] end
  local places = 1
  for i = 3, #shape do places = places * shape[i] end
  return shape[2] * places, shape[1] * places
end

local function uniform(what, shape, o, bound)
  local given, dtype = arguments(what, shape, o, true)
  local b = bound * (given.gain or 1)
  return given.rng:uniform(-b, b, shape):astype(dtype)
end

local function normal(what, shape, o, std)
  local given, dtype = arguments(what, shape, o, true)
  return given.rng:normal(0, std * (given.gain or 1), shape):astype(dtype)
end

--- Uniform in ±sqrt(6 / (inputs + outputs)). Glorot and Bengio (2010).
function M.glorot_uniform(shape, o)
  local inputs, outputs = M.fans(shape)
  return uniform("glorot_uniform", shape, o, math.sqrt(6 / (inputs + outputs)))
end

--- Normal, of variance 2 / (inputs + outputs). Glorot and Bengio (2010).
function M.glorot_normal(shape, o)
  local inputs, outputs = M.fans(shape)
  return normal("glorot_normal", shape, o, math.sqrt(2 / (inputs + outputs)))
end

--- Uniform in ±sqrt(6 / inputs), for relu. He, Zhang, Ren and Sun (2015).
function M.he_uniform(shape, o)
  return uniform("he_uniform", shape, o, math.sqrt(6 / (M.fans(shape))))
end

--- Normal, of variance 2 / inputs, for relu. He, Zhang, Ren and Sun (2015).
function M.he_normal(shape, o)
  return normal("he_normal", shape, o, math.sqrt(2 / (M.fans(shape))))
end

--- Normal, of variance 1 / inputs. LeCun, Bottou, Orr and Müller (1998).
function M.lecun_normal(shape, o)
  return normal("lecun_normal", shape, o, math.sqrt(1 / (M.fans(shape))))
end

--- Rows (or columns, if there are fewer) that are orthonormal, times gain; filters count as rows by outputs. Saxe,
-- McClelland and Ganguli (2014).
function M.orthogonal(shape, o)
  local given, dtype = arguments("orthogonal", shape, o, true)
  if #shape < 2 then util.raise("ValueError", "orthogonal: the shape has %d dimensions, two are needed", #shape) end
  local rows, cols = shape[1], 1
  for i = 2, #shape do cols = cols * shape[i] end
  local q, r = nd.linalg.qr(given.rng:normal(0, 1, { math.max(rows, cols), math.min(rows, cols) }))
  q = q * nd.sign(nd.diagonal(r)) -- of one distribution, whatever signs the factorisation chose
  if rows < cols then q = q.T end
  return (q:reshape(shape) * (given.gain or 1)):astype(dtype)
end

--- Uniform in [low, high), -0.05 and 0.05 by themselves.
function M.uniform(shape, o)
  local given, dtype = arguments("uniform", shape, o, true)
  return given.rng:uniform(given.low or -0.05, given.high or 0.05, shape):astype(dtype)
end

--- Normal: mean (0), std (0.05).
function M.normal(shape, o)
  local given, dtype = arguments("normal", shape, o, true)
  return given.rng:normal(given.mean or 0, given.std or 0.05, shape):astype(dtype)
end

--- One number everywhere: value (0).
function M.constant(shape, o)
  local given, dtype = arguments("constant", shape, o)
  return nd.full(shape, given.value or 0, dtype)
end

--- Zeros.
function M.zeros(shape, o)
  local _, dtype = arguments("zeros", shape, o)
  return nd.zeros(shape, dtype)
end

--- Ones.
function M.ones(shape, o)
  local _, dtype = arguments("ones", shape, o)
  return nd.ones(shape, dtype)
end

M.glorot, M.he = M.glorot_uniform, M.he_normal

return M
