--- `theano.random.Key`: random numbers that are a function of a key alone (Philox4x32-10). Nothing is carried from draw
-- to draw: the same key gives the same numbers, and new numbers come from new keys, by `split` and `fold_in`.
-- @module theano.key
local nd = require("theano.ndarray")
local T = require("theano.tensor")
local config = require("theano.config")
local sizes = require("theano.rng_sizes")
local util = require("theano.util")

local raise = util.raise
local philox = T.random.philox

local methods = util.methods_of("a Key")
local meta = { __name = "Key", __index = methods }

-- Last words of counters: what a key is used for. Equal to those of core/ops/random/random.h.
local DRAW, SPLIT, FOLD = 0, 1, 2
local function counter(last) return T.constant(nd.array({ 0, 0, 0, last }, "uint32")) end

local function key_of(data) return setmetatable({ data = data }, meta) end

-- Low and high 32 bits of an integer.
local function halves(v, what)
  if math.type(v) == "integer" then return T.constant(nd.array({ v & 0xffffffff, v >> 32 }, "uint32")) end
  local fits = util.is_var(v) and v.ndim == 0 and v.dtype:find("int")
  if not fits then
    raise("TypeError", "%s is an integer or an integer scalar, got %s", what,
      util.is_var(v) and tostring(v.type) or util.kind_of(v))
  end
  if v.dtype:find("^u") then
    v = T.cast(v, "uint64")
    return T.stack({ T.cast(v & T.constant(0xffffffff, { dtype = "uint64" }), "uint32"),
      T.cast(v >> T.constant(32, { dtype = "uint64" }), "uint32") })
  end
  v = T.cast(v, "int64")
  return T.stack({ T.cast(v & 0xffffffff, "uint32"), T.cast((v >> 32) & 0xffffffff, "uint32") })
end

local function is_words(v)
  return (util.is_var(v) or util.is_array(v)) and v.ndim == 1 and v.dtype == "uint32"
end

--- A key from an integer (64 bits, also a symbolic scalar) or from its two uint32 words. `key.data` are these.
local function Key(seed)
  if is_words(seed) then return key_of(T.as_tensor_variable(seed)) end
  return key_of(halves(seed, "Key: the seed"))
end

function meta.__tostring(self) return ("Key(%s)"):format(tostring(self.data)) end

local function check_self(self, what)
  if getmetatable(self) ~= meta then raise("TypeError", "call it as key:%s(...)", what) end
end

--- n (2) keys that have nothing in common, as a list; this key is used up by it.
function methods.split(self, n)
  check_self(self, "split")
  n = n or 2
  if n < 1 then raise("ValueError", "split: at least 1 key, not %d", n) end
  local words, keys = philox(self.data, counter(SPLIT), { n, 2 }), {}
  for i = 1, n do keys[i] = key_of(words[i - 1]) end
  return keys
end

--- The key that belongs to number i of this one: an integer, also a symbolic scalar such as a step.
function methods.fold_in(self, i)
  check_self(self, "fold_in")
  local from = T.join(0, halves(i, "fold_in: the number"), T.constant(nd.array({ 0, FOLD }, "uint32")))
  return key_of(philox(self.data, from, { 2 }))
end

local function draw(self, what, size, ndim, dtype)
  check_self(self, what)
  if size == nil then raise("TypeError", "%s: argument 'size' is missing", what) end
  return philox(self.data, counter(DRAW), (sizes.vector(what, size, { zero = true })), { ndim = ndim, dtype = dtype })
end

local function float_dtype(what, dtype, ...)
  if dtype == nil then dtype = sizes.upcast(...) end
  if dtype == "floatX" then dtype = config.floatX end
  if sizes.single(dtype) ~= "float32" and dtype ~= "float64" then
    raise("TypeError", "%s: dtype is float32, float64, float16 or bfloat16, not %s", what, dtype)
  end
  return dtype
end

--- Random words: uint32 or uint64.
function methods.bits(self, size, dtype, ndim)
  dtype = dtype or "uint32"
  if dtype ~= "uint32" and dtype ~= "uint64" then
    raise("TypeError", "bits: dtype is uint32 or uint64, not %s", dtype)
  end
  return draw(self, "bits", size, ndim, dtype)
end

--- Numbers uniform in [low, high), 0 and 1 by default: multiples of 2^-24 (float32) or 2^-53 before they are scaled.
-- Gradients go to low and high.
function methods.uniform(self, size, low, high, dtype, ndim)
  low, high = T.as_tensor_variable(low or 0.0), T.as_tensor_variable(high or 1.0)
  dtype = float_dtype("uniform", dtype, low, high)
  low, high = T.cast(low, dtype), T.cast(high, dtype)
  return draw(self, "uniform", size, ndim, dtype) * (high - low) + low
end

--- Normal numbers of mean avg (0) and deviation std (1). Gradients go to both.
function methods.normal(self, size, avg, std, dtype, ndim)
  check_self(self, "normal")
  if size == nil then raise("TypeError", "normal: argument 'size' is missing") end
  avg, std = T.as_tensor_variable(avg or 0.0), T.as_tensor_variable(std or 1.0)
  local given = float_dtype("normal", dtype, avg, std)
  dtype = sizes.single(given)
  local shape, list = sizes.vector("normal", size, { zero = true })
  local count = sizes.count(list)
  local n = count and math.tointeger(count) or T.prod(shape, { dtype = "int64" })
  local half = (n + 1) // 2
  local u = draw(self, "normal", { 2 * half }, 1, dtype)
  local one = T.constant(nd.array(1, dtype))
  local u1, u2 = sizes.halves(u, half)
  local radius, cosine, sine = sizes.polar(one - u1, u2, dtype)
  ndim = ndim or type(list) == "table" and #list or nil
  local function shaped(all) return T.reshape(all[{ T.slice(nil, n) }], shape, ndim) end
  return T.cast(sizes.placed(radius * cosine, radius * sine, T.cast(avg, dtype), T.cast(std, dtype), shaped), given)
end

--- true with probability p (0.5); dtype "bool".
function methods.bernoulli(self, size, p, dtype, ndim)
  sizes.check_probability("bernoulli", p or 0.5)
  p = T.as_tensor_variable(p or 0.5)
  local kind = sizes.single(float_dtype("bernoulli", nil, p))
  return T.cast(T.lt(draw(self, "bernoulli", size, ndim, kind), p), dtype or "bool")
end

--- Integers from low to high - 1, each as likely as the next up to (high - low) / 2^63; dtype "int64".
function methods.randint(self, size, low, high, dtype, ndim)
  if high == nil then raise("TypeError", "randint needs low and high") end
  if math.type(low) == "integer" and math.type(high) == "integer" and low >= high then
    raise("ValueError", "randint: low = %d is not below high = %d", low, high)
  end
  local bounds = {}
  for i, v in ipairs({ low, high }) do
    v = T.as_tensor_variable(v)
    if not v.dtype:find("int") then
      raise("TypeError", "randint: %s must be integer, it is %s", i == 1 and "low" or "high", v.dtype)
    end
    bounds[i] = T.cast(v, "int64")
  end
  local word = T.cast(draw(self, "randint", size, ndim, "uint64") >> T.constant(1, { dtype = "uint64" }), "int64")
  return T.cast(word % (bounds[2] - bounds[1]) + bounds[1], dtype or "int64")
end

local types = { n = "integer", dtype = "string", ndim = "integer" }
for name, method in pairs(methods) do methods[name] = util.by_name(name, method, false, types) end

return Key
