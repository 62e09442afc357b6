--- `theano.tensor.shared_randomstreams`: random variables, each with the state of a NumPy RandomState of its own in a
-- shared variable, whose default update makes the next call draw the next numbers.
-- @module theano.tensor.shared_randomstreams
local core = require("theano.core")
local nd = require("theano.ndarray")
local raw_random = require("theano.raw_random")
local shared = require("theano.shared")
local T = require("theano.tensor")
local util = require("theano.util")

local raise = util.raise
local M = { raw_random = raw_random, shared = shared }
T.shared_randomstreams = M
package.loaded["theano.tensor.shared_randomstreams"] = M

local Streams = { __name = "RandomStreams" }
local methods = {}

local function is_state(v)
  return util.is_var(v) and core.kind(v) == "shared" and v.type == raw_random.random_state_type
end

local function check(self, what)
  if getmetatable(self) ~= Streams then raise("TypeError", "call it as srng:%s(...)", what) end
end

--- Random variables whose states are seeded one after the other from `seed` (nil: by the system).
function M.RandomStreams(seed)
  if util.is_keywords(seed) then
    util.check_keywords("RandomStreams", seed, { seed = true })
    seed = seed.seed
  end
  local generator = nd.random.RandomState(seed) -- raises where the seed is none
  return setmetatable({ state_updates = {}, default_instance_seed = seed, gen_seedgen = generator }, Streams)
end

function Streams.__tostring(s) return ("RandomStreams of %d variables"):format(#s.state_updates) end

--- srng[rng]: the RandomState of one of its variables, by `v.rng`.
Streams.__index = function(s, key)
  if methods[key] then return methods[key] end
  if is_state(key) then return key:get_value({ borrow = true }) end
  if type(key) == "string" then
    local known = { "state_updates", "default_instance_seed", "gen_seedgen" }
    for name in pairs(methods) do known[#known + 1] = name end
    table.sort(known)
    if key == "default_instance_seed" then return nil end
    raise("AttributeError", "RandomStreams has no '%s'%s", key, require("theano.modules").hint(key, known))
  end
  return raise("KeyError", "srng[v.rng] is the state of a random variable v, %s is none", util.kind_of(key))
end

--- srng[rng] = RandomState
Streams.__newindex = function(s, key, value)
  if is_state(key) then return key:set_value(value, { borrow = true }) end
  if type(key) ~= "string" then
    raise("KeyError", "srng[v.rng] is the state of a random variable v, %s is none", util.kind_of(key))
  end
  rawset(s, key, value)
end

--- The pairs of a state and the state behind its draw, of all variables so far.
function methods.updates(self)
  check(self, "updates")
  return table.move(self.state_updates, 1, #self.state_updates, 1, {})
end

--- Seeds every variable anew, in the order in which they were made; nil: with the seed of the beginning.
function methods.seed(self, seed)
  check(self, "seed")
  if seed == nil then seed = self.default_instance_seed end
  local generator = nd.random.RandomState(seed)
  for _, pair in ipairs(self.state_updates) do
    pair[1]:set_value(nd.random.RandomState(generator:randint(1 << 30)), { borrow = true })
  end
end

--- A new random variable: `op` is a function such as T.raw_random.uniform, which gets a state and these arguments.
function methods.gen(self, op, ...)
  check(self, "gen")
  local before = self.gen_seedgen:get_state()
  local state = core.shared_random(nd.random.RandomState(self.gen_seedgen:randint(1 << 30)), nil, true)
  local made, new, out = pcall(op, state, ...)
  if not made then -- the next one gets the seed
    self.gen_seedgen:set_state(before)
    error(new, 0)
  end
  state.tag.is_rng = true
  state.default_update = new
  out.tag.rng, out.tag.update = state, { state, new }
  table.insert(self.state_updates, out.tag.update)
  return out
end

for name, order in pairs(raw_random.methods) do
  local op = raw_random[name]
  methods[name] = function(self, ...)
    check(self, name)
    local given = util.bind(name, order, ...)
    if name == "poisson" and given.lam == nil then raise("TypeError", "poisson: argument 'lam' is missing") end
    return methods.gen(self, op, next(given) ~= nil and given or nil)
  end
end

--- Every row of the input (along its last dimension) in an order of its own, which is the result's `.permutation`.
function methods.shuffle_row_elements(self, input)
  check(self, "shuffle_row_elements")
  local x = T.as_tensor_variable(input)
  if x.ndim == 0 then raise("ValueError", "shuffle_row_elements: a scalar has no rows") end
  local size = {}
  for d = 0, x.ndim - 2 do size[d + 1] = x.shape[d] end
  local order = methods.permutation(self, { size = size, n = x.shape[x.ndim - 1] })
  local shuffled = T.permute_row_elements(x, order)
  shuffled.tag.permutation = order
  return shuffled
end

--- The states of all variables, and that from which later ones are seeded, as plain values: for checkpoints.
function methods.state(self)
  check(self, "state")
  local list = { seeds = self.gen_seedgen:get_state() }
  for i, pair in ipairs(self.state_updates) do list[i] = pair[1]:get_value({ borrow = true }):get_state() end
  return list
end

--- Goes on from what `state` gave: there must be as many variables as there were.
function methods.restore(self, state)
  check(self, "restore")
  util.expect("restore", "state", state, "table")
  if #state ~= #self.state_updates then
    raise("ValueError", "restore: the state is of %d variables, there are %d", #state, #self.state_updates)
  end
  local all = { nd.random.RandomState(0) }
  all[1]:set_state(state.seeds) -- raises where it is none, before anything is changed
  for i, s in ipairs(state) do
    all[i + 1] = nd.random.RandomState(0)
    all[i + 1]:set_state(s)
  end
  self.gen_seedgen:set_state(state.seeds)
  for i, pair in ipairs(self.state_updates) do pair[1]:set_value(all[i + 1], { borrow = true }) end
end

--- Writes the states of all variables, and that from which later ones are seeded, as .npz.
function methods.save(self, path)
  check(self, "save")
  local list = {}
  local function add(name, r)
    local s = r:get_state()
    list[#list + 1] = { name .. ".MT19937", s[2] }
    list[#list + 1] = { name .. ".at", nd.array({ s[3], s[4] }, "int64") }
    list[#list + 1] = { name .. ".cached_gaussian", core.array(s[5], "float64") }
  end
  add("seeds", self.gen_seedgen)
  for i, pair in ipairs(self.state_updates) do add(tostring(i), pair[1]:get_value({ borrow = true })) end
  nd.save(path, list)
end

--- Takes up the states that `save` wrote: there must be as many variables as there were.
function methods.load(self, path)
  check(self, "load")
  local from, states = nd.load(path), {}
  local function state(name)
    local key, at, gauss = from[name .. ".MT19937"], from[name .. ".at"], from[name .. ".cached_gaussian"]
    if not (key and at and gauss) then return nil end
    local r = nd.random.RandomState(0)
    r:set_state({ "MT19937", key, at[0], at[1], gauss:item() })
    return r
  end
  local seeds = state("seeds") or raise("ValueError", "%s holds no states of RandomStreams", path)
  for i = 1, #self.state_updates do states[i] = state(tostring(i)) end
  if #states ~= #self.state_updates or state(tostring(#states + 1)) then
    raise("ValueError", "%s holds the states of another number of random variables than %d", path, #self.state_updates)
  end
  for i, pair in ipairs(self.state_updates) do pair[1]:set_value(states[i], { borrow = true }) end
  self.gen_seedgen:set_state(seeds:get_state())
end

return M
