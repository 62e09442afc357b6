--- `theano.sandbox.rng_mrg`: random numbers of MRG31k3p, whose streams run beside each other. Each draw has a shared
-- variable with the states of its streams, whose default update makes the next call draw the next numbers.
-- @module theano.sandbox.rng_mrg
local core = require("theano.core")
local nd = require("theano.ndarray")
local shared = require("theano.shared")
local T = require("theano.tensor")
local config = require("theano.config")
local sizes = require("theano.rng_sizes")
local util = require("theano.util")

local undefined_grad = require("theano.gradient").undefined_grad

local M = { M1 = 2147483647, M2 = 2147462579, mrg_uniform = T.random.mrg_uniform }
local raise = util.raise

local MOST_STREAMS = 60 * 256

-- ---- seeds ----------------------------------------------------------------------------------------------------------
local function check_half(seed, first, m, which)
  local zero = true
  for i = first, first + 2 do
    local v = seed[i]
    if v >= m then raise("ValueError", "The %s 3 values of seed should be less than %d, got %d", which, m, v) end
    if v < 0 then raise("ValueError", "The %s 3 values of seed should not be negative, got %d", which, v) end
    zero = zero and v == 0
  end
  if zero then raise("ValueError", "The %s 3 values of seed should not be all 0", which) end
end

-- The state that a seed stands for, as a sequence of six integers.
local function state_of(seed)
  if math.type(seed) == "integer" then
    if seed == 0 then raise("ValueError", "seed should not be 0") end
    if seed < 0 then raise("ValueError", "seed should not be negative, got %d", seed) end
    if seed >= M.M2 then raise("ValueError", "seed should be less than %d, got %d", M.M2, seed) end
    return { seed, seed, seed, seed, seed, seed }
  end
  if util.is_array(seed) then seed = seed.ndim == 1 and seed:tolist() or {} end
  if type(seed) ~= "table" or #seed ~= 6 then
    raise("TypeError", "seed should be 1 integer or 6 integers, got %s", util.kind_of(seed))
  end
  local state = util.each("seed", seed, function(v, place)
    if math.type(v) ~= "integer" then raise("TypeError", "%s is no integer but %s", place, util.kind_of(v)) end
    return v
  end)
  check_half(state, 1, M.M1, "first")
  check_half(state, 4, M.M2, "last")
  return state
end

--- A state 2^134 numbers further on: where the next draw begins. `rstate` is six integers.
function M.ff_2p134(rstate) return nd.array(core.mrg_skip(state_of(rstate)), "int32") end

--- A state 2^72 numbers further on: where the next stream of the same draw begins. `rstate` is six integers.
function M.ff_2p72(rstate) return core.mrg_streams(state_of(rstate), 2)[1] end

-- ---- sizes and parameters -------------------------------------------------------------------------------------------
--- How many streams a draw of that size gets: a sixth of its numbers where they are known, at most 15360.
function M.guess_n_streams(size)
  local n = sizes.count(size)
  if not n then return MOST_STREAMS end
  if n > 6 then n = n // 6 end
  return math.tointeger(math.min(n, MOST_STREAMS))
end

-- A parameter of a distribution, with respect to which nobody may differentiate.
local function parameter(v) return undefined_grad(T.as_tensor_variable(v)) end

local function check_nstreams(what, n)
  if n and n <= 0 then raise("ValueError", "%s: nstreams must be positive, got %d", what, n) end
end

-- ---- the streams ----------------------------------------------------------------------------------------------------
local elsewhere = {}
for _, name in ipairs({ "random_integers", "permutation", "poisson", "shuffle_row_elements" }) do
  elsewhere[name] = "RandomStreams"
end
local Streams = util.methods_of("MRG_RandomStreams", elsewhere)
local meta = { __name = "MRG_RandomStreams", __index = Streams }

--- Random streams of one seed: an integer (12345), or six of which the first three are below 2147483647 and the last
-- three below 2147462579.
function M.MRG_RandomStreams(seed)
  if seed == nil then seed = 12345 end
  local self = setmetatable({ state_updates = {}, default_instance_seed = seed }, meta)
  self:set_rstate(seed)
  return self
end

function meta.__tostring(self) return ("MRG_RandomStreams of %d draws"):format(#self.state_updates) end

-- What a method is called on, and what it cannot do without.
local function check_self(self, what)
  if getmetatable(self) ~= meta then raise("TypeError", "call it as srng:%s(...)", what) end
end
local function check_there(what, name, value)
  if value == nil then raise("TypeError", "%s: argument '%s' is missing", what, name) end
end

--- Makes that seed the state from which the next draw gets its streams; draws that exist stay as they are.
function Streams.set_rstate(self, seed) self.rstate = nd.array(state_of(seed), "int32") end

--- Moves the state on by 2^134 numbers, to the next draw's.
function Streams.inc_rstate(self) self.rstate = M.ff_2p134(self.rstate) end

--- The states of so many streams, 2^72 numbers apart, as an int32 matrix; the state then moves on to the next draw's
-- unless `inc_rstate` is false.
function Streams.get_substream_rstates(self, n_streams, dtype, inc_rstate) -- luacheck: no unused args
  check_there("get_substream_rstates", "n_streams", n_streams)
  check_nstreams("get_substream_rstates", n_streams)
  local rows = core.mrg_streams(state_of(self.rstate), n_streams)
  if inc_rstate ~= false then self:inc_rstate() end
  return rows
end

--- How many streams a draw of that size gets.
function Streams.n_streams(_, size) return M.guess_n_streams(size) end

--- The draws so far: a list of {states, states after the draw, size, nstreams}.
function Streams.updates(self) return table.move(self.state_updates, 1, #self.state_updates, 1, {}) end

--- The states of all draws and of the next one, as arrays: for checkpoints.
function Streams.state(self)
  check_self(self, "state")
  local list = { next = nd.array(self.rstate, "int32") }
  for i, draw in ipairs(self.state_updates) do list[i] = draw[1]:get_value() end
  return list
end

--- Goes on from what `state` gave: there must be as many draws as there were.
function Streams.restore(self, state)
  check_self(self, "restore")
  check_there("restore", "state", state)
  if #state ~= #self.state_updates or not util.is_array(state.next) then
    raise("ValueError", "restore: the state is of %d draws, there are %d", #state, #self.state_updates)
  end
  for i, draw in ipairs(self.state_updates) do
    if draw[1]:get_value({ borrow = true }).size ~= state[i].size then
      raise("ValueError", "restore: draw %d has another number of streams", i)
    end
  end
  for i, draw in ipairs(self.state_updates) do draw[1]:set_value(state[i]) end
  self.rstate = state.next
end

--- Starts every draw anew, in the order in which they were made, from a seed (default: the first one).
function Streams.seed(self, seed)
  if seed == nil then seed = self.default_instance_seed end
  local again = setmetatable({}, meta)
  again:set_rstate(seed)
  local values = {}
  for i, draw in ipairs(self.state_updates) do
    local old, n = draw[1]:get_value({ borrow = true }), draw[4] or M.guess_n_streams(draw[3])
    values[i] = again:get_substream_rstates(n)
    if not nd.array_equal(nd.array(old.shape), nd.array(values[i].shape)) then
      raise("AssertionError", "seed: draw %d has states of another shape than the %d streams it was made with", i, n)
    end
  end
  for i, draw in ipairs(self.state_updates) do draw[1]:set_value(values[i], { borrow = true }) end
  self.rstate = again.rstate
end

-- What a method gives knows the states behind it: those of its draw, of the first one where it draws twice.
local function finished(self, draws, sample)
  local states, new = table.unpack(self.state_updates[draws + 1])
  sample.tag.rstate, sample.tag.update = states, { states, new }
  return sample
end

-- Uniform numbers in [0, 1); `size` was checked, `given` is how the user wrote it.
local function draw(self, what, size, given, a, dtype)
  check_nstreams(what, a.nstreams)
  local ndim = a.ndim
  if ndim and type(given) == "table" and #given ~= ndim then
    raise("ValueError", "%s: ndim is %d, but the size has %d entries", what, ndim, #given)
  end
  local begins = self.rstate
  local rows = self:get_substream_rstates(a.nstreams or M.guess_n_streams(given))
  local states = shared(rows, { borrow = true, target = a.target })
  local made, new, sample = pcall(M.mrg_uniform, states, size, { ndim = ndim, dtype = dtype })
  if not made then
    self.rstate = begins
    error(new, 0)
  end
  states.tag.is_rng = true
  states.default_update = new
  self.state_updates[#self.state_updates + 1] = { states, new, given, a.nstreams }
  return sample
end

local function uniform(self, what, a)
  local size, given = sizes.vector(what, a.size)
  local low, high = T.as_tensor_variable(a.low or 0.0), T.as_tensor_variable(a.high or 1.0)
  local dtype = a.dtype or sizes.upcast(low, high)
  if dtype == "floatX" then dtype = config.floatX end
  low, high = undefined_grad(T.cast(low, dtype)), undefined_grad(T.cast(high, dtype))
  local begins = self.rstate
  local u = draw(self, what, size, given, a, dtype)
  local r = u * (high - low) + low
  local wide = r.ndim ~= u.ndim
  for d, b in ipairs(wide and {} or u.broadcastable) do wide = wide or b ~= r.broadcastable[d] end
  if wide then
    self.rstate, self.state_updates[#self.state_updates] = begins, nil
    raise("NotImplementedError", "%s: increase the size to match the broadcasting pattern of the low and high "
      .. "arguments", what)
  end
  return r
end

--- Numbers uniform between low (0) and high (1), both left out. size: a table of integers and integer scalars, or a
-- vector (then ndim says its length, where it does not follow). dtype: float32 or float64, at least floatX by default.
function Streams.uniform(self, size, low, high, ndim, dtype, nstreams, target)
  check_self(self, "uniform")
  local draws = #self.state_updates
  check_there("uniform", "size", size)
  return finished(self, draws, uniform(self, "uniform", { size = size, low = low, high = high, ndim = ndim,
    dtype = dtype, nstreams = nstreams, target = target }))
end

-- ---- normal numbers -------------------------------------------------------------------------------------------------
-- Halves of the uniform numbers as radius, cosine and sine of pairs.
local function polar(self, what, n, a, dtype)
  local half = (n + 1) // 2
  local list = { 2 * half }
  local size = util.is_var(n) and T.stack(list) or T.constant(nd.array(list, "int64"))
  local nstreams = a.nstreams or MOST_STREAMS -- a symbolic size in Theano
  local u = draw(self, what, size, list, { nstreams = nstreams, target = a.target }, dtype)
  local u1, u2 = sizes.halves(u, half)
  return sizes.polar(u1, u2, dtype)
end

-- Those outside [-2, 2] drawn again from the tails' complement: radii of numbers above exp(-2) are below 2.
local function truncated(self, what, z0, z1, cosine, sine, a, dtype)
  local function parts(z)
    local out = T.bitwise_or(T.lt(z, -2.0), T.gt(z, 2.0))
    return z[T.nonzero(T.invert(out))], (T.nonzero(out))
  end
  local valid0, fix0 = parts(z0)
  local valid1, fix1 = parts(z1)
  local n0, n1 = fix0.size, fix1.size
  local u = uniform(self, what, {
    size = { n0 + n1 }, low = T.constant(nd.array(1 / math.exp(2), dtype)), high = 1.0, dtype = dtype,
    nstreams = a.nstreams, target = a.target,
  })
  local radius = T.sqrt(-2.0 * T.log(u))
  local fixed0 = radius[{ T.slice(nil, n0) }] * cosine[fix0]
  local fixed1 = radius[{ T.slice(n0) }] * sine[fix1]
  return T.join(0, valid0, fixed0, valid1, fixed1)
end

local function normal(self, what, a)
  local size, given = sizes.vector(what, a.size, { scalar = true })
  local avg, std = parameter(a.avg or 0.0), parameter(a.std or 1.0)
  local dtype = a.dtype or sizes.upcast(avg, std)
  if dtype == "floatX" then dtype = config.floatX end
  local wanted = dtype
  dtype = sizes.single(dtype)
  avg, std = T.cast(avg, dtype), T.cast(std, dtype)
  local known = sizes.count(given)
  local n = known and math.tointeger(known) or T.prod(size, { dtype = "int64" })
  local radius, cosine, sine = polar(self, what, n, a, dtype)
  local z0, z1 = radius * cosine, radius * sine
  local ndim = a.ndim or type(given) == "table" and #given or nil
  local function shaped(all) return T.reshape(all[{ T.slice(nil, n) }], size, ndim) end
  if not a.truncate then return T.cast(sizes.placed(z0, z1, avg, std, shaped), wanted) end
  return T.cast(shaped(truncated(self, what, z0, z1, cosine, sine, a, dtype)) * std + avg, wanted)
end

--- Normal numbers of mean avg (0) and deviation std (1); `truncate`: those more than two deviations off drawn again.
-- size may be one integer, too.
function Streams.normal(self, size, avg, std, ndim, dtype, nstreams, truncate, target)
  check_self(self, "normal")
  local draws = #self.state_updates
  check_there("normal", "size", size)
  return finished(self, draws, normal(self, "normal", { size = size, avg = avg, std = std, ndim = ndim, dtype = dtype,
    nstreams = nstreams, truncate = truncate, target = target }))
end

--- Normal numbers cut off at two deviations, whose deviation after the cut is std.
function Streams.truncated_normal(self, size, avg, std, ndim, dtype, nstreams, target)
  check_self(self, "truncated_normal")
  local draws = #self.state_updates
  check_there("truncated_normal", "size", size)
  std = T.as_tensor_variable(std or 1.0) / T.constant(.87962566103423978)
  return finished(self, draws, normal(self, "truncated_normal", { size = size, avg = avg, std = std, ndim = ndim,
    dtype = dtype, nstreams = nstreams, truncate = true, target = target }))
end

-- ---- integers -------------------------------------------------------------------------------------------------------
--- 1 with probability p (0.5), else 0; n must be 1.
function Streams.binomial(self, size, n, p, ndim, dtype, nstreams, target)
  check_self(self, "binomial")
  local draws = #self.state_updates
  check_there("binomial", "size", size)
  if (n or 1) ~= 1 then raise("NotImplementedError", "MRG_RandomStreams.binomial with n > 1") end
  sizes.check_probability("binomial", p or 0.5)
  p = parameter(p or 0.5)
  local u = uniform(self, "binomial", { size = size, ndim = ndim, nstreams = nstreams, target = target })
  return finished(self, draws, T.cast(T.lt(u, p), dtype or "int64"))
end

-- Rows of probabilities, and n numbers for each of them.
local function picks(self, what, pvals, n, a)
  pvals = parameter(pvals)
  if pvals.ndim ~= 2 then
    raise("NotImplementedError", "MRG_RandomStreams.%s only implemented for matrices of probabilities, got %d "
      .. "dimensions", what, pvals.ndim)
  end
  if not util.is_var(n) and (math.type(n) ~= "integer" or n < 0) then
    raise(math.type(n) == "integer" and "ValueError" or "TypeError", "%s: the number of samples is an integer of at "
      .. "least 0, got %s", what, util.kind_of(n))
  end
  local count = pvals["::, 0"].shape * n
  local unis = uniform(self, what, { size = count, ndim = 1, nstreams = a.nstreams, target = a.target })
  return pvals, unis, n
end

--- How often each column is drawn in n draws (1) for each row of the probabilities pvals. dtype "auto": that of pvals.
function Streams.multinomial(self, size, n, pvals, ndim, dtype, nstreams, target)
  check_self(self, "multinomial")
  local draws = #self.state_updates
  if pvals == nil then raise("TypeError", "multinomial: you have to specify pvals") end
  for name, value in pairs({ ["a size"] = size or false, ["an ndim"] = ndim or false }) do
    if value then
      raise("ValueError", "Provided %s argument to MRG_RandomStreams.multinomial, which does not use the %s argument",
        name, name:match("%a+$"))
    end
  end
  local unis
  pvals, unis, n = picks(self, "multinomial", pvals, n or 1, { nstreams = nstreams, target = target })
  dtype = dtype == "auto" and pvals.dtype or dtype or "int64"
  return finished(self, draws, T.random.multinomial_from_uniform(pvals, unis, n, dtype))
end

local function choice(self, what, a)
  if a.replace ~= false then
    raise("NotImplementedError", "MRG_RandomStreams.choice draws without replacement only: replace = false")
  end
  if a.a ~= nil then
    raise("TypeError", "For now, a has to be nil in MRG_RandomStreams.choice. Sampled values are between 0 and "
      .. "p.shape[1]-1")
  end
  if a.p == nil then raise("TypeError", "For now, p has to be specified in MRG_RandomStreams.choice") end
  if a.ndim ~= nil then raise("ValueError", "ndim argument to MRG_RandomStreams.choice is not used") end
  local p, unis, n = picks(self, what, a.p, a.size or 1, a)
  return T.random.choice_from_uniform(p, unis, n, a.dtype == "auto" and "int64" or a.dtype or "int64")
end

--- `size` (1) different columns for each row of the probabilities p, drawn one after the other: their numbers.
-- replace must be false.
function Streams.choice(self, size, a, replace, p, ndim, dtype, nstreams, target)
  check_self(self, "choice")
  local draws = #self.state_updates
  return finished(self, draws, choice(self, "choice", { size = size, a = a, replace = replace, p = p, ndim = ndim,
    dtype = dtype, nstreams = nstreams, target = target }))
end

--- As choice, in Theano's older words: n different columns for each row of pvals.
function Streams.multinomial_wo_replacement(self, size, n, pvals, ndim, dtype, nstreams, target)
  check_self(self, "multinomial_wo_replacement")
  local draws = #self.state_updates
  if size ~= nil then raise("AssertionError", "multinomial_wo_replacement: size must be nil") end
  return finished(self, draws, choice(self, "multinomial_wo_replacement", { size = n or 1, replace = false, p = pvals,
    ndim = ndim, dtype = dtype, nstreams = nstreams, target = target }))
end

local types = {
  ndim = "integer", dtype = "string", nstreams = "integer", truncate = "boolean", replace = "boolean",
  target = "string", inc_rstate = "boolean", n_streams = "integer",
}
for name, method in pairs(Streams) do Streams[name] = util.by_name(name, method, false, types) end

package.loaded["theano.sandbox.rng_mrg"] = M
return M
