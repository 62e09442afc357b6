--- `nd.random.Generator`: NumPy's new generator bit for bit, on PCG64 and its seeds.
-- @module theano.ndarray.generator
local core = require("theano.core")
local util = require("theano.util")

local raise = util.raise
local M = {}
local legacy = core.random_methods -- integers, orders and picks are the same functions on other words

-- ---- seeds ----------------------------------------------------------------------------------------------------------
local function words_of(v, into, what)
  if math.type(v) == "integer" then
    if v < 0 then raise("ValueError", "%s: a seed is not negative, got %d", what, v) end
    into[#into + 1] = v & 0xffffffff
    if v >> 32 ~= 0 then into[#into + 1] = v >> 32 end
    return into
  end
  if util.is_array(v) and v.ndim == 1 and v.dtype:find("int") then v = v:tolist() end
  if type(v) ~= "table" then
    raise("TypeError", "%s: a seed is an integer or a list of integers, got %s", what, util.kind_of(v))
  end
  for i, e in ipairs(util.list(what, v)) do
    if math.type(e) ~= "integer" then raise("TypeError", "%s[%d] is no integer but %s", what, i, util.kind_of(e)) end
    words_of(e, into, what)
  end
  return into
end

-- A seed of 128 bits, from the system or as the host says.
local function entropy()
  local a, b = core.seed(), core.seed()
  return { a & 0xffffffff, a >> 32, b & 0xffffffff, b >> 32 }
end

local Sequence = { __name = "SeedSequence" }
Sequence.__index = Sequence

--- Seeds made of entropy (an integer or a list; nil: the system's), as NumPy makes them; `spawn_key` tells children
-- apart.
function M.SeedSequence(seed, options)
  local o = options or {}
  util.check_keywords("SeedSequence", o, util.set({ "spawn_key" }))
  local s = { entropy = seed, spawn_key = o.spawn_key or {}, n_children_spawned = 0 }
  if seed == nil then s.entropy = entropy() end
  s.words = words_of(s.entropy, {}, "SeedSequence")
  local key = words_of(s.spawn_key, {}, "spawn_key")
  if #key > 0 then
    for i = #s.words + 1, 4 do s.words[i] = 0 end
  end
  table.move(key, 1, #key, #s.words + 1, s.words)
  return setmetatable(s, Sequence)
end

--- generate_state(n, dtype): n words, "uint32" or "uint64".
function Sequence.generate_state(s, n, dtype)
  local wide = dtype == "uint64"
  if dtype ~= nil and not wide and dtype ~= "uint32" then
    raise("ValueError", "generate_state: only uint32 and uint64, not %s", util.text(dtype))
  end
  local list = core.seed_words(s.words, wide and 2 * n or n)
  if wide then
    for i = 1, n do list[i] = list[2 * i] << 32 | list[2 * i - 1] end
    list = table.move(list, 1, n, 1, {})
  end
  return n == 0 and core.zeros({ 0 }, dtype or "uint32") or core.array(list, dtype or "uint32")
end

--- spawn(n): n sequences that have nothing in common with each other or with this one's later children.
function Sequence.spawn(s, n)
  local list = {}
  for i = 1, n do
    local key = { table.unpack(s.spawn_key) }
    key[#key + 1] = s.n_children_spawned
    s.n_children_spawned = s.n_children_spawned + 1
    list[i] = M.SeedSequence(s.entropy, { spawn_key = key })
  end
  return list
end

-- ---- PCG64 ----------------------------------------------------------------------------------------------------------
-- 128 bits as decimal digits and back: by limbs of 32 bits.
local function decimal(high, low)
  local limbs, digits = { high >> 32, high & 0xffffffff, low >> 32, low & 0xffffffff }, {}
  repeat
    local rest, any = 0, false
    for i = 1, 4 do
      local v = rest << 32 | limbs[i]
      limbs[i], rest = v // 1000000000, v % 1000000000
      any = any or limbs[i] > 0
    end
    table.insert(digits, 1, any and ("%09d"):format(rest) or tostring(rest))
  until not any
  return table.concat(digits)
end

local function halves(v, what)
  if math.type(v) == "integer" and v >= 0 then return 0, v end
  if type(v) ~= "string" or not v:find("^%d+$") or #v > 39 then
    raise("ValueError", "PCG64: %s is an integer of 128 bits in decimal digits, got %s", what, util.text(v))
  end
  local limbs = { 0, 0, 0, 0 }
  for digit in v:gmatch("%d") do
    local carry = tonumber(digit) | 0
    for i = 4, 1, -1 do
      local x = limbs[i] * 10 + carry
      limbs[i], carry = x & 0xffffffff, x >> 32
    end
    if carry > 0 then raise("ValueError", "PCG64: %s has more than 128 bits", what) end
  end
  return limbs[1] << 32 | limbs[2], limbs[3] << 32 | limbs[4]
end

local Pcg, pcg = { __name = "PCG64" }, {}
local own = setmetatable({}, { __mode = "k" }) -- PCG64 -> the engine's generator

--- The words of a Generator, from an integer, a list of integers, a SeedSequence or nothing (the system's entropy).
function M.PCG64(seed)
  local sequence = getmetatable(seed) == Sequence and seed or M.SeedSequence(seed)
  local p = setmetatable({ seed_seq = sequence }, Pcg)
  own[p] = core.pcg64(sequence.words)
  return p
end

local function generator_of(p)
  return own[p] or raise("TypeError", "a PCG64 is expected, got %s", util.kind_of(p))
end

function Pcg.__index(p, key)
  if key ~= "state" then return pcg[key] end
  local sh, sl, ih, il, has, word = core.pcg64_get(generator_of(p))
  return {
    bit_generator = "PCG64", state = { state = decimal(sh, sl), inc = decimal(ih, il) }, has_uint32 = has,
    uinteger = word,
  }
end

--- p.state = what p.state was: 128-bit integers in decimal digits, as Python prints them.
function Pcg.__newindex(p, key, v)
  if key ~= "state" then raise("AttributeError", "of a PCG64 only the state is set, not '%s'", util.text(key)) end
  if type(v) ~= "table" or v.bit_generator ~= "PCG64" or type(v.state) ~= "table" then
    raise("ValueError", "a state of a PCG64 is a table with bit_generator = \"PCG64\", state, has_uint32 and uinteger")
  end
  local sh, sl = halves(v.state.state, "the state")
  local ih, il = halves(v.state.inc, "the increment")
  local has, word = v.has_uint32 or 0, v.uinteger or 0
  if math.type(has) ~= "integer" or math.type(word) ~= "integer" or word < 0 or word > 0xffffffff then
    raise("ValueError", "a state of a PCG64: has_uint32 and uinteger are integers, uinteger below 2^32")
  end
  core.pcg64_set(generator_of(p), sh, sl, ih, il, has, word)
end

function Pcg.__tostring() return "PCG64" end

--- advance(delta): as if so many 64-bit words had been drawn.
function pcg.advance(p, delta)
  local high, low = halves(delta, "delta")
  core.pcg64_advance(generator_of(p), high, low)
  return p
end

--- random_raw(n): the next word, or n of them, as uint64.
function pcg.random_raw(p, n)
  return legacy.randint(generator_of(p), 0, core.array(1.8446744073709552e19), n, "uint64")
end

-- ---- draws ----------------------------------------------------------------------------------------------------------
local elsewhere = {}
for name in pairs(legacy) do elsewhere[name] = "RandomState" end
local methods = util.methods_of("Generator", elsewhere)
local Generator = { __name = "Generator", __index = methods }

--- A generator as NumPy's on a PCG64: `nd.random.Generator(nd.random.PCG64(seed))`.
function M.Generator(bit_generator)
  if getmetatable(bit_generator) ~= Pcg then
    raise("TypeError", "Generator takes a PCG64, got %s", util.kind_of(bit_generator))
  end
  return setmetatable({ bit_generator = bit_generator }, Generator)
end

--- A Generator on PCG64(seed); a Generator is given back.
function M.default_rng(seed)
  if getmetatable(seed) == Generator then return seed end
  return M.Generator(getmetatable(seed) == Pcg and seed or M.PCG64(seed))
end

function Generator.__tostring() return "Generator(PCG64)" end

local function begin(g, what, names, ...)
  if getmetatable(g) ~= Generator then raise("TypeError", "call it as g:%s(...)", what) end
  return own[g.bit_generator], util.bind(what, names, ...)
end

local float = { "float32", "float64" }
local function float_dtype(what, dtype)
  if dtype == nil or dtype == float[1] or dtype == float[2] then return dtype end
  return raise("TypeError", "%s: unsupported dtype %s: float32 or float64", what, util.text(dtype))
end

--- random(size, dtype): uniform in [0, 1).
function methods.random(g, ...)
  local r, a = begin(g, "random", { "size", "dtype" }, ...)
  return core.pcg64_draw(r, "u", float_dtype("random", a.dtype), a.size)
end

--- standard_normal(size, dtype): mean 0, deviation 1.
function methods.standard_normal(g, ...)
  local r, a = begin(g, "standard_normal", { "size", "dtype" }, ...)
  return core.pcg64_draw(r, "n", float_dtype("standard_normal", a.dtype), a.size)
end

--- standard_exponential(size, dtype): mean 1.
function methods.standard_exponential(g, ...)
  local r, a = begin(g, "standard_exponential", { "size", "dtype" }, ...)
  return core.pcg64_draw(r, "e", float_dtype("standard_exponential", a.dtype), a.size)
end

local function number(what, name, v)
  if type(v) == "number" then return v + 0.0 end
  local array = core.asarray(v)
  if array.dtype:find("complex") then raise("TypeError", "%s: %s is complex", what, name) end
  return array:astype("float64")
end

local function lowest(v) return type(v) == "number" and v or v.size > 0 and v:min() or 0.0 end

-- The size of a draw whose parameters broadcast: theirs where none is given.
local function extent(what, size, ...)
  local sum = 0.0
  for _, v in ipairs({ ... }) do sum = sum + v end
  if type(sum) == "number" then return size end
  if size == nil then return sum.shape end
  local full = core.zeros(type(size) == "table" and size or { size }, "float64")
  local both = full + sum
  local same = both.ndim == full.ndim
  for d = 1, same and full.ndim or 0 do same = same and both.shape[d] == full.shape[d] end
  if not same then raise("ValueError", "%s: the size does not fit the shape of the parameters", what) end
  return size
end

--- uniform(low, high, size): low 0, high 1.
function methods.uniform(g, ...)
  local r, a = begin(g, "uniform", { "low", "high", "size" }, ...)
  local low, high = number("uniform", "low", a.low or 0.0), number("uniform", "high", a.high or 1.0)
  local range = high - low
  local sum = type(range) == "number" and range or range.size > 0 and range:sum() or 0.0
  if sum ~= sum or sum == math.huge or sum == -math.huge then
    raise("ValueError", "uniform: the range from low to high exceeds what a float64 holds")
  end
  return low + range * core.pcg64_draw(r, "u", nil, extent("uniform", a.size, low, high))
end

--- normal(loc, scale, size): loc 0, scale 1.
function methods.normal(g, ...)
  local r, a = begin(g, "normal", { "loc", "scale", "size" }, ...)
  local loc, scale = number("normal", "loc", a.loc or 0.0), number("normal", "scale", a.scale or 1.0)
  if lowest(scale) < 0 then raise("ValueError", "normal: scale < 0") end
  return loc + scale * core.pcg64_draw(r, "n", nil, extent("normal", a.size, loc, scale))
end

--- exponential(scale, size): mean scale.
function methods.exponential(g, ...)
  local r, a = begin(g, "exponential", { "scale", "size" }, ...)
  local scale = number("exponential", "scale", a.scale or 1.0)
  if lowest(scale) < 0 then raise("ValueError", "exponential: scale < 0") end
  return scale * core.pcg64_draw(r, "e", nil, extent("exponential", a.size, scale))
end

--- integers(low, high, size, dtype, endpoint): low <= v < high (endpoint: <= high); integers(n) from 0.
function methods.integers(g, ...)
  local r, a = begin(g, "integers", { "low", "high", "size", "dtype", "endpoint", endpoint = "boolean" }, ...)
  if a.low == nil then raise("TypeError", "integers needs a bound") end
  local low, high = a.low, a.high
  if high == nil then low, high = 0, low end
  return (a.endpoint and legacy.random_integers or legacy.randint)(r, low, high, a.size, a.dtype)
end

--- bytes(n): random bytes, as a Lua string.
function methods.bytes(g, n)
  local r = begin(g, "bytes", {})
  return legacy.bytes(r, n)
end

-- The array with the axis in front, as a view.
local function in_front(what, array, axis)
  axis = axis or 0
  if math.type(axis) ~= "integer" or axis < -array.ndim or axis >= array.ndim then
    raise("IndexError", "%s: axis %s is out of bounds for an array of %d dimensions", what, util.text(axis), array.ndim)
  end
  return axis % array.ndim == 0 and array or array:swapaxes(0, axis % array.ndim)
end

--- shuffle(a, axis): an array, or a Lua list, in random order, in place.
function methods.shuffle(g, ...)
  local r, a = begin(g, "shuffle", { "x", "axis" }, ...)
  if util.is_array(a.x) and a.x.ndim > 0 then return legacy.shuffle(r, in_front("shuffle", a.x, a.axis)) end
  return legacy.shuffle(r, a.x)
end

--- permutation(n), permutation(a, axis): 0 to n - 1, or a copy of an array, in random order.
function methods.permutation(g, ...)
  local r, a = begin(g, "permutation", { "x", "axis" }, ...)
  if math.type(a.x) == "integer" then return core.random_order(r, a.x) end
  local array = core.asarray(a.x)
  if array.ndim == 0 then raise("IndexError", "permutation: an array or an integer is needed") end
  local copy = array:copy()
  legacy.shuffle(r, in_front("permutation", copy, a.axis))
  return copy
end

--- choice(a, size, replace, p, axis, shuffle): elements of an array along an axis, or of 0 to a - 1.
function methods.choice(g, ...)
  local r, a = begin(g, "choice", { "a", "size", "replace", "p", "axis", "shuffle", replace = "boolean" }, ...)
  if math.type(a.a) == "integer" then
    return core.random_pick(r, a.a, a.size, a.replace, a.p, a.shuffle == false)
  end
  local array = core.asarray(a.a)
  if array.ndim == 0 then raise("ValueError", "choice: a must be an integer or have at least one dimension") end
  local front = in_front("choice", array, a.axis)
  local at = core.random_pick(r, front.shape[1], a.size, a.replace, a.p, a.shuffle == false)
  if front == array then return array[at] end
  return require("theano.ndarray").take(array, at, a.axis)
end

-- Distributions of the engine's table, which draws them as NumPy's Generator does where the words are a PCG64's.
for name in ([[beta binomial chisquare f gamma geometric gumbel hypergeometric laplace logistic lognormal logseries
  multinomial negative_binomial noncentral_chisquare noncentral_f pareto poisson power rayleigh standard_cauchy
  standard_gamma standard_t triangular vonmises wald weibull zipf]]):gmatch("%S+") do
  methods[name] = function(g, ...) return legacy[name](begin(g, name, {}), ...) end
end

-- Shares of the whole that are broken off one after the other, for small alpha.
local function broken(r, alpha, n)
  local k, rest, out = #alpha, {}, core.zeros({ n, #alpha }, "float64")
  local sum = 0.0
  for j = k, 2, -1 do
    sum = sum + alpha[j]
    rest[j - 1] = sum
  end
  for i = 0, n - 1 do
    local left = 1.0
    for j = 1, k - 1 do
      local part = legacy.beta(r, alpha[j], rest[j])
      out[{ i, j - 1 }] = left * part
      left = left * (1 - part)
    end
    out[{ i, k - 1 }] = left
  end
  return out
end

--- dirichlet(alpha, size): shares of a whole.
function methods.dirichlet(g, ...)
  local r, a = begin(g, "dirichlet", { "alpha", "size" }, ...)
  local alpha = core.asarray(a.alpha)
  if alpha.ndim ~= 1 or alpha.size == 0 or alpha:max() >= 0.1 or alpha:min() <= 0 then
    return legacy.dirichlet(r, a.alpha, a.size)
  end
  local shape = type(a.size) == "table" and { table.unpack(a.size) } or { a.size }
  local n = 1
  for _, each in ipairs(shape) do n = n * each end
  shape[#shape + 1] = alpha.size
  return broken(r, alpha:astype("float64"):tolist(), n):reshape(shape)
end

--- multivariate_hypergeometric(colors, nsample, size, method): how many of each color are among nsample drawn from an
-- urn without putting back; "marginals" color by color, "count" from a row of all that are in it.
function methods.multivariate_hypergeometric(g, ...)
  local what = "multivariate_hypergeometric"
  local r, a = begin(g, what, { "colors", "nsample", "size", "method", method = "string" }, ...)
  local method = a.method or "marginals"
  if method ~= "count" and method ~= "marginals" then
    raise("ValueError", "%s: method is 'count' or 'marginals'", what)
  end
  if math.type(a.nsample) ~= "integer" then
    raise("TypeError", "%s: nsample is an integer, got %s", what, util.text(a.nsample))
  end
  return core.random_urn(r, core.asarray(a.colors), a.nsample, method == "count", a.size)
end

local FACTORS = {
  svd = function(nd, cov)
    local u, s = nd.linalg.svd(cov)
    return u * nd.sqrt(s)
  end,
  eigh = function(nd, cov)
    local s, u = nd.linalg.eigh(cov)
    return u * nd.sqrt(nd.abs(s))
  end,
  cholesky = function(nd, cov) return nd.linalg.cholesky(cov) end,
}

--- multivariate_normal(mean, cov, size, method): by a factor of the covariance, "svd", "eigh" or "cholesky". NumPy's
-- numbers up to rounding and, but for cholesky, the signs of its LAPACK's vectors.
function methods.multivariate_normal(g, ...)
  local r, a = begin(g, "multivariate_normal", { "mean", "cov", "size", "method", method = "string" }, ...)
  local nd = require("theano.ndarray")
  local mean, cov = core.asarray(a.mean):astype("float64"), core.asarray(a.cov):astype("float64")
  local n = mean.ndim == 1 and mean.shape[1]
  if not n or cov.ndim ~= 2 or cov.shape[1] ~= n or cov.shape[2] ~= n then
    raise("ValueError", "multivariate_normal: mean is a vector and cov a square matrix of its length")
  end
  local factor = FACTORS[a.method or "svd"]
  if not factor then raise("ValueError", "multivariate_normal: method is 'svd', 'eigh' or 'cholesky'") end
  local shape = type(a.size) == "table" and { table.unpack(a.size) } or { a.size }
  shape[#shape + 1] = n
  local x = core.pcg64_draw(r, "n", nil, shape):reshape({ -1, n })
  return (mean + nd.dot(x, factor(nd, cov).T)):reshape(shape)
end

-- Every vector along the last axis by itself.
local function shuffle_rows(r, a)
  if a.ndim == 1 then return legacy.shuffle(r, a) end
  for _, row in a:rows() do shuffle_rows(r, row) end
end

--- permuted(x, axis): a copy in which every vector along an axis is in an order of its own; without one all elements.
function methods.permuted(g, ...)
  local r, a = begin(g, "permuted", { "x", "axis" }, ...)
  local copy = core.asarray(a.x):copy()
  if copy.ndim == 0 then raise("IndexError", "permuted: an array is needed") end
  if a.axis == nil then
    legacy.shuffle(r, copy:reshape({ -1 }))
    return copy
  end
  local axis = a.axis
  if math.type(axis) ~= "integer" or axis < -copy.ndim or axis >= copy.ndim then
    raise("IndexError", "permuted: axis %s is out of bounds for an array of %d dimensions", util.text(axis), copy.ndim)
  end
  shuffle_rows(r, require("theano.ndarray").moveaxis(copy, axis, -1))
  return copy
end

--- spawn(n): n generators of their own.
function methods.spawn(g, n)
  begin(g, "spawn", {})
  local list = {}
  for i, s in ipairs(g.bit_generator.seed_seq:spawn(n)) do list[i] = M.Generator(M.PCG64(s)) end
  return list
end

--- Writes the state as .npz, which `load_generator` reads.
function methods.save(g, path)
  local r = begin(g, "save", {})
  local sh, sl, ih, il, has, word = core.pcg64_get(r)
  require("theano.ndarray").save(path, {
    { "PCG64", core.array({ sh, sl, ih, il }, "uint64") }, { "has_uint32", core.array(has) },
    { "uinteger", core.array(word) },
  })
end

--- The state written by a Generator's `save`, as a new Generator.
function M.load_generator(path)
  local from = require("theano.ndarray").load(path)
  if not (from.PCG64 and from.has_uint32 and from.uinteger and from.PCG64.size == 4) then
    raise("ValueError", "%s holds no state of a Generator", path)
  end
  local g = M.default_rng(0)
  local s = from.PCG64
  core.pcg64_set(own[g.bit_generator], s[0], s[1], s[2], s[3], from.has_uint32:item(), from.uinteger:item())
  return g
end

return M
