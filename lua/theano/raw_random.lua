--- `theano.tensor.raw_random`: draws from the state of a RandomState as expressions. Each function takes a variable of
-- `random_state_type` and gives two: the state behind the draw, and the draw.
-- @module theano.tensor.raw_random
local core = require("theano.core")
local config = require("theano.config")
local nd = require("theano.ndarray")
local T = require("theano.tensor")
local util = require("theano.util")

local raise = util.raise
local M = { random_state_type = core.random_state_type() }
T.raw_random = M
package.loaded["theano.tensor.raw_random"] = M

--- The type whose values are states of a `nd.random.RandomState`: always `random_state_type`.
function M.RandomStateType() return M.random_state_type end

-- ---- the operation ------------------------------------------------------------------------------------------------
local Function = { __name = "RandomFunction" }
local helpers = {} -- function -> the name by which the engine knows it

local function name_of(fn)
  if type(fn) == "string" then return fn end
  for name, method in pairs(core.random_methods) do
    if method == fn then return name end
  end
  return helpers[fn] or raise("TypeError", "RandomFunction: fn is the name of a method of RandomState, got %s",
    util.kind_of(fn))
end

--- An operation that draws: `fn` is the name of a distribution of nd.random ("gamma") or one of this module's helpers,
-- `outtype` the type of the draw. Called with a state, a shape and all parameters of fn. Whether it works in place is
-- for the compiler to find; `inplace` is only kept.
function M.RandomFunction(fn, outtype, ...)
  local a = util.bind("RandomFunction", { "inplace", "ndim_added", inplace = "boolean", ndim_added = "integer" }, ...)
  if core.kind(outtype) ~= "type" then
    raise("TypeError", "RandomFunction: outtype is a TensorType, got %s", util.kind_of(outtype))
  end
  return setmetatable({
    fn = name_of(fn), outtype = outtype, inplace = a.inplace or false, ndim_added = a.ndim_added or 0,
    destroy_map = a.inplace and { [1] = { 1 } } or {},
  }, Function)
end

function Function.__tostring(f) return ("RandomFunction{%s}"):format(f.fn) end

local function as_size(shape)
  if type(shape) == "table" and next(shape) == nil then shape = core.zeros({ 0 }, "int64") end
  return T.as_tensor_variable(shape)
end

function Function.__call(f, r, shape, ...)
  if not util.is_var(r) or r.type ~= M.random_state_type then
    raise("TypeError", "%s: the first argument is a variable of random_state_type, got %s", tostring(f),
      util.is_var(r) and tostring(r.type) or util.kind_of(r))
  end
  local list, given = { r, as_size(shape) }, table.pack(...)
  for i = 1, given.n do list[i + 2] = T.as_tensor_variable(given[i]) end
  return core.random_function(f.fn, f.outtype, f.ndim_added, list)
end

-- ---- sizes --------------------------------------------------------------------------------------------------------
-- Length i (from 0) of a draw of ndim dimensions where the size says -1: that of a parameter; and whether it is 1.
local function borrowed(what, i, ndim, args)
  local reaches = false
  for _, a in ipairs(args) do
    local d = i + a.ndim - ndim
    if d >= 0 then
      if not a.broadcastable[d + 1] then return a.shape[d], false end
      reaches = true
    end
  end
  if reaches then return 1, true end
  return raise("ValueError", "%s: a size of -1 must overlap with the shape of one of the parameters: entry %d does not",
    what, i)
end

-- The lengths in a list, made a vector, and which are 1.
local function listed(what, size, ndim, args)
  local n = core.length(size, what .. ": size")
  if ndim and ndim ~= n then
    raise("ValueError", "%s: ndim should be equal to the length of size, but ndim is %d and size has %d entries", what,
      ndim, n)
  end
  local list, pattern, known = {}, {}, true
  for i, s in ipairs(size) do
    if util.is_var(s) then
      if s.ndim ~= 0 or not s.dtype:find("int") then
        raise("TypeError", "%s: size[%d] must be an integer scalar, it is %s", what, i, tostring(s.type))
      end
      list[i], pattern[i] = s, false
    elseif math.type(s) ~= "integer" then
      raise("TypeError", "%s: shape must be an integer vector or list, size[%d] is %s", what, i, util.kind_of(s))
    elseif s < -1 then
      raise("ValueError", "%s: negative shape %d", what, s)
    elseif s == -1 then
      list[i], pattern[i] = borrowed(what, i - 1, n, args)
    else
      list[i], pattern[i] = s, s == 1
    end
    known = known and math.type(list[i]) == "integer"
  end
  if known then return n, T.constant(nd.array(list, "int64")), pattern end
  return n, T.cast(T.stack(list), "int64"), pattern
end

local function falses(n)
  local list = {}
  for i = 1, n do list[i] = false end
  return list
end

-- Dimensions of a draw, its size as an int64 vector and its broadcast pattern, from the size and ndim that were given
-- and the parameters that broadcast with each other.
local function extent(what, ndim, size, args)
  if ndim ~= nil and math.type(ndim) ~= "integer" then
    raise("TypeError", "%s: ndim is an integer, got %s", what, util.kind_of(ndim))
  end
  local most, pattern = 0, nil
  for _, a in ipairs(args) do most = math.max(most, a.ndim) end
  if util.is_array(size) and size.ndim == 1 then size = T.constant(size) end
  if size == nil then
    if #args == 0 then raise("TypeError", "%s: the shape cannot be found without a size", what) end
    local all = args[1]
    for i = 2, #args do all = all + args[i] end
    size, pattern, ndim = all.shape, all.broadcastable, all.ndim
    if ndim == 0 then size = T.constant(core.zeros({ 0 }, "int64")) end
  elseif util.is_var(size) then
    if size.ndim ~= 1 then
      raise("TypeError", "%s: shape must be a vector or list of scalar, got %s", what, tostring(size.type))
    end
    if not size.dtype:find("int") then
      raise("TypeError", "%s: shape must be an integer vector or list, got %s", what, tostring(size.type))
    end
    ndim = ndim or T.get_vector_length(size)
    size, pattern = T.cast(size, "int64"), falses(ndim)
  elseif type(size) == "table" then
    if #size == 0 then size = core.length(size, what .. ": size") == 0 and {} end
    ndim, size, pattern = listed(what, size, ndim, args)
  else
    raise("TypeError", "%s: shape must be a vector or list of scalar, got %s", what, util.kind_of(size))
  end
  if most > ndim then
    raise("ValueError", "%s: ndim should be at least as big as required by args value: %d, %d", what, ndim, most)
  end
  return ndim, size, pattern
end

-- ---- parameters ---------------------------------------------------------------------------------------------------
local function check_state(what, r)
  if util.is_var(r) and r.type == M.random_state_type then return r end
  return raise("TypeError", "%s: the first argument is a variable of random_state_type, got %s", what,
    util.is_var(r) and tostring(r.type) or util.kind_of(r))
end

local function parameter(what, name, v, default)
  if v == nil then v = default end
  if v == nil then raise("TypeError", "%s: argument '%s' is missing", what, name) end
  return T.as_tensor_variable(v)
end

-- floatX, or what the parameters are, where that is wider.
local function float_of(...)
  local sum = core.zeros({ 1 }, config.floatX)
  for _, v in ipairs({ ... }) do sum = sum + core.zeros({ 1 }, v.dtype) end
  return sum.dtype
end

local function dtype_of(dtype, ...)
  if dtype == nil then return (float_of(...)) end
  return dtype == "floatX" and config.floatX or dtype
end

local function draw(fn, dtype, pattern, added, r, size, ...)
  local half = dtype == "float16" or dtype == "bfloat16" -- drawn as float32
  local new, out = core.random_function(fn, core.TensorType(half and "float32" or dtype, pattern), added,
    { r, size, ... })
  return new, half and T.cast(out, dtype) or out
end

-- Names of parameters as bind takes them: those given, then ndim and dtype.
local function names(...)
  local list = { ... }
  table.insert(list, "ndim")
  table.insert(list, "dtype")
  list.dtype = "string"
  return list
end

-- ---- distributions ------------------------------------------------------------------------------------------------
-- Real numbers of two parameters that broadcast.
local function real(what, fn, first, second, defaults)
  local known = names("size", first, second)
  return function(random_state, ...)
    local a = util.bind(what, known, ...)
    local r = check_state(what, random_state)
    local x, y = parameter(what, first, a[first], defaults[1]), parameter(what, second, a[second], defaults[2])
    local _, size, pattern = extent(what, a.ndim, a.size, { x, y })
    return draw(fn, dtype_of(a.dtype, x, y), pattern, 0, r, size, x, y)
  end
end

--- Numbers uniform over [low, high). size: lengths (-1: that of a parameter) or an integer vector, whose length ndim
-- says where it is not known; nil: the shape of low and high. dtype: floatX, or wider where they are.
M.uniform = real("uniform", "uniform", "low", "high", { 0.0, 1.0 })

--- Normal numbers of mean avg and deviation std; sizes and dtypes as for uniform.
M.normal = real("normal", "normal", "avg", "std", { 0.0, 1.0 })

local binomial_names = names("size", "n", "p")
table.insert(binomial_names, "prob")

--- Successes in n trials of probability p.
function M.binomial(random_state, ...)
  local a = util.bind("binomial", binomial_names, ...)
  local r = check_state("binomial", random_state)
  local n = parameter("binomial", "n", a.n, 1)
  local p = parameter("binomial", "p", a.prob or a.p, 0.5)
  local ndim, size = extent("binomial", a.ndim, a.size, { n, p })
  return draw("binomial", a.dtype or "int64", falses(ndim), 0, r, size, n, p)
end

local integers_names = names("size", "low", "high")

--- Integers of low to high, both included.
function M.random_integers(random_state, ...)
  local a = util.bind("random_integers", integers_names, ...)
  local r = check_state("random_integers", random_state)
  local low = parameter("random_integers", "low", a.low, 0)
  local high = parameter("random_integers", "high", a.high, 1)
  local _, size, pattern = extent("random_integers", a.ndim, a.size, { low, high })
  return draw("random_integers_helper", a.dtype or "int64", pattern, 0, r, size, low, high)
end

local choice_names = names("size", "a", "replace", "p")

--- Elements of the vector a, or of 0 to a - 1; p: their probabilities. size must be given.
function M.choice(random_state, ...)
  local a = util.bind("choice", choice_names, ...)
  local r = check_state("choice", random_state)
  local from = parameter("choice", "a", a.a, 2)
  local replace = a.replace
  if replace == nil then replace = true end
  if type(replace) == "boolean" then replace = T.constant(replace and 1 or 0, { dtype = "int8" }) end
  replace = T.as_tensor_variable(replace)
  local p = T.as_tensor_variable(a.p == nil and core.zeros({ 0 }, config.floatX) or a.p)
  local _, size, pattern = extent("choice", a.ndim, a.size, {})
  return draw("choice_helper", a.dtype or "int64", pattern, 0, r, size, from, replace, p)
end

local poisson_names = names("size", "lam")

--- Events in an interval that has lam on average. size must be given.
function M.poisson(random_state, ...)
  local a = util.bind("poisson", poisson_names, ...)
  local r = check_state("poisson", random_state)
  local lam = parameter("poisson", "lam", a.lam, 1.0)
  local _, size, pattern = extent("poisson", a.ndim, a.size, {})
  return draw("poisson", a.dtype or "int64", pattern, 0, r, size, lam)
end

local permutation_names = names("size", "n")

--- Orders of 0 to n - 1, one for each element of a tensor of that size: a dimension more.
function M.permutation(random_state, ...)
  local a = util.bind("permutation", permutation_names, ...)
  local r = check_state("permutation", random_state)
  local n = parameter("permutation", "n", a.n, 1)
  local size, pattern
  if a.size == nil or type(a.size) == "table" and next(a.size) == nil then
    if a.ndim ~= nil and a.ndim ~= 1 then
      raise("TypeError", "permutation: one permutation was asked for, and more than 1 dimension")
    end
    size, pattern = T.constant(core.zeros({ 0 }, "int64")), {}
  else
    size, pattern = select(2, extent("permutation", a.ndim, a.size, {}))
  end
  table.insert(pattern, false)
  return draw("permutation_helper", a.dtype or "int64", pattern, 1, r, size, n)
end

local multinomial_names = names("size", "n", "pvals")

--- How n things fall into classes of probabilities pvals (its last dimension): a dimension more than the size.
function M.multinomial(random_state, ...)
  local a = util.bind("multinomial", multinomial_names, ...)
  local r = check_state("multinomial", random_state)
  local n = parameter("multinomial", "n", a.n, 1)
  local pvals = parameter("multinomial", "pvals", a.pvals, { 0.5, 0.5 })
  if pvals.ndim == 0 then raise("ValueError", "multinomial: pvals has at least one dimension") end
  local _, size, pattern = extent("multinomial", a.ndim, a.size, { n, pvals.T[0].T })
  table.insert(pattern, pvals.broadcastable[pvals.ndim])
  return draw("multinomial_helper", a.dtype or "int64", pattern, 1, r, size, n, pvals)
end

-- ---- the helpers on values ----------------------------------------------------------------------------------------
-- The same draw from a RandomState, which goes on, on numbers and arrays.
local function on_values(name, added, order)
  local f
  f = function(random_state, ...)
    if core.kind(random_state) ~= "random" then
      raise("TypeError", "%s: the first argument is a RandomState, got %s", name, util.kind_of(random_state))
    end
    local given = table.pack(...)
    local shape = given[order]
    if type(shape) == "number" then shape = { shape } end
    local list = {}
    for i = 1, order - 1 do
      local v = given[i]
      if v == nil then v = core.zeros({ 0 }, "float64") end
      if type(v) == "boolean" then v = v and 1 or 0 end
      list[i] = T.constant(v)
    end
    local ndim = added
    if shape == nil then
      shape = {}
    else
      ndim = ndim + core.length(shape, name .. ": size")
    end
    local state = M.random_state_type()
    local new, out = core.random_function(name, core.TensorType("int64", falses(ndim)), added,
      { state, as_size(shape), table.unpack(list) })
    local after, value = require("theano.compile")({ inputs = { state }, outputs = { new, out } })(random_state)
    random_state:set_state(after:get_state())
    return value
  end
  helpers[f] = name
  return f
end

--- permutation_helper(random_state, n, shape): the same on values, a RandomState and numbers.
M.permutation_helper = on_values("permutation_helper", 1, 2)
--- random_integers_helper(random_state, low, high, size): the same on values.
M.random_integers_helper = on_values("random_integers_helper", 0, 3)
--- choice_helper(random_state, a, replace, p, size): the same on values.
M.choice_helper = on_values("choice_helper", 0, 4)
--- multinomial_helper(random_state, n, pvals, size): the same on values.
M.multinomial_helper = on_values("multinomial_helper", 1, 3)

-- ---- what generators of draws share -------------------------------------------------------------------------------
-- Methods by name and the order of their parameters; RandomStreams makes its own of them.
M.methods = {
  binomial = { "size", "n", "p", "ndim", "dtype", "prob" },
  uniform = { "size", "low", "high", "ndim", "dtype" },
  normal = { "size", "avg", "std", "ndim", "dtype" },
  random_integers = { "size", "low", "high", "ndim", "dtype" },
  choice = { "size", "a", "replace", "p", "ndim", "dtype" },
  poisson = { "size", "lam", "ndim", "dtype" },
  permutation = { "size", "n", "ndim", "dtype" },
  multinomial = { "size", "n", "pvals", "ndim", "dtype" },
}

return M
