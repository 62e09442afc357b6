--- `theano.layers`: functions from variables to variables whose weights a `params` object keeps by name.
--     local p = layers.params { seed = 1 }
--     local function net(q, x)
--       return layers.dense(q, layers.dense(q, x, 784, 500, { activation = T.tanh }), 500, 10)
--     end
--     local y, y_test = net(p, x), net(p:test(), x) -- the same weights; no dropout, running statistics
--     theano.grad(cost, p.weights)
-- Every layer takes `name`: the same name twice means the same weights; without one it is "dense1", "dense2", .. in the
-- order of the calls.
-- @module theano.layers
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local init = require("theano.initializers")
local util = require("theano.util")

local M = {}

-- ---- weights by name -----------------------------------------------------------------------------------------------
local Params = {}
local meta = { __name = "params", __index = Params }

-- A view: the weights of all, names and mode of its own.
local function view(store, train, prefix)
  return setmetatable({ weights = store.weights, states = store.states, updates = store.updates, train = train,
    dtype = store.dtype, rng = store.rng, store = store, prefix = prefix, count = {} }, meta)
end

--- Where weights are kept. `p.weights`: those that are trained, a sequence of shared variables; `p.states`: other
-- values, such as running means; `p.updates`: what the layers want updated with each step of training; `p.rng`: what
-- the weights' first values are drawn from.
-- @tparam[opt] table o seed (0), dtype (floatX)
function M.params(o)
  o = o or {}
  util.check_keywords("params", o, { seed = "integer", dtype = "string" })
  local store = { weights = {}, states = {}, by_name = {}, updates = theano.OrderedUpdates(),
    dtype = o.dtype or theano.config.floatX, rng = nd.random.RandomState(o.seed or 0), seed = o.seed or 0 }
  return view(store, true, "")
end

local function check(what, p)
  if getmetatable(p) ~= meta then
    util.raise("TypeError", "%s: the first argument is %s, not of theano.layers.params", what, util.kind_of(p))
  end
end

--- The same weights for a second pass, with names from the start: as in training (dropout, statistics of the batch).
function Params:again() return view(self.store, true, self.prefix) end

--- The same weights for a second pass, with names from the start: without dropout, with running statistics.
function Params:test() return view(self.store, false, self.prefix) end

--- The same weights, but layers are called NAME/dense1 from here.
function Params:scope(name)
  util.expect("scope", "name", name, "string")
  return view(self.store, self.train, self.prefix .. name .. "/")
end

--- A layer's full name: the given one, or the kind and a number.
function Params:layer(kind, name)
  if name then return self.prefix .. name end
  self.count[kind] = (self.count[kind] or 0) + 1
  return self.prefix .. kind .. self.count[kind]
end

--- The shared variable of a full name; where there is none yet, one with `make(shape, {rng =, dtype =})` as its value.
-- @tparam string name as `p:layer(kind) .. ".W"`
-- @tparam table shape
-- @tparam function|ndarray make one of theano.init, or the value itself
-- @tparam[opt] boolean state it is not trained
function Params:get(name, shape, make, state)
  local v = self.store.by_name[name]
  if not v then
    local value = util.is_array(make) and make:astype(self.dtype) or make(shape, { rng = self.rng, dtype = self.dtype })
    v = theano.shared(value, { name = name, borrow = true })
  end
  local has = v:get_value({ borrow = true }).shape
  local same = #has == #shape
  for i, n in ipairs(shape) do same = same and has[i] == n end
  if not same then
    util.raise("ShapeError", "%s has the shape (%s), (%s) is asked for", name, table.concat(has, ", "),
      table.concat(shape, ", "))
  end
  if not self.store.by_name[name] then
    local list = state and self.states or self.weights
    list[#list + 1] = v
    self.store.by_name[name] = v
  end
  return v
end

--- A stream of random numbers, one for all layers.
function Params:streams()
  self.store.srng = self.store.srng or theano.random.MRG_RandomStreams(self.store.seed + 12345)
  return self.store.srng
end

--- All weights and states by name, for files: `nd.save(path, p:values())`.
function Params:values()
  local list = {}
  for _, kept in ipairs({ self.weights, self.states }) do
    for _, v in ipairs(kept) do list[#list + 1] = { v.name, v:get_value({ borrow = true }) } end
  end
  return list
end

--- Weights and states by name, as a checkpoint keeps them.
function Params:state()
  local all = {}
  for _, v in ipairs(self:values()) do all[v[1]] = v[2]:copy() end
  all["random streams"] = self.store.srng and self.store.srng:state()
  return all
end

--- Sets them again.
function Params:restore(state)
  util.expect("restore", "state", state, "table")
  local all = {}
  for name, value in pairs(state) do
    if name ~= "random streams" then all[name] = value end
  end
  local streams = state["random streams"]
  if (streams == nil) ~= (self.store.srng == nil) then
    util.raise("ValueError", "restore: one of the state and the layers has dropout, the other has none")
  end
  self:set_values(all)
  if streams then self.store.srng:restore(streams) end
end

--- Sets weights and states from a table of arrays by name, as nd.load gives it. A missing or a foreign name, or another
-- shape, is an error, and nothing is set then.
function Params:set_values(from)
  util.expect("set_values", "from", from, "table")
  local left, known = {}, {}
  for name in pairs(from) do left[name] = true end
  for _, kept in ipairs({ self.weights, self.states }) do
    for _, v in ipairs(kept) do
      local value = from[v.name]
      if value == nil then util.raise("KeyError", "set_values: there is no value for %s", v.name) end
      local has, wants = value.shape, v:get_value({ borrow = true }).shape
      if table.concat(has, ", ") ~= table.concat(wants, ", ") then
        util.raise("ShapeError", "set_values: %s has the shape (%s), the value (%s)", v.name, table.concat(wants, ", "),
          table.concat(has, ", "))
      end
      left[v.name], known[#known + 1] = nil, v
    end
  end
  local foreign = next(left)
  if foreign then util.raise("KeyError", "set_values: no weight is called %s", tostring(foreign)) end
  for _, v in ipairs(known) do v:set_value(from[v.name]:astype(v.dtype)) end
end

-- ---- layers -------------------------------------------------------------------------------------------------------
local function options(what, p, x, o, known)
  check(what, p)
  o = o or {}
  local all = { name = "string" }
  for k, v in pairs(known) do all[k] = v end
  util.check_keywords(what, o, all)
  return T.as_tensor_variable(x), o
end

local function lengths(what, given)
  for name, n in pairs(given) do
    if math.type(n) ~= "integer" or n < 1 then
      util.raise("ValueError", "%s: %s is %s: a positive integer is expected", what, name, tostring(n))
    end
  end
end

local function activated(o, y) return o.activation and o.activation(y) or y end

--- activation(x · W + b): x (.., inputs) gives (.., outputs).
-- o: activation, init (glorot), bias (true; false for none).
function M.dense(p, x, inputs, outputs, options_)
  local v, o = options("dense", p, x, options_, { activation = true, init = "function|ndarray", bias = "boolean" })
  lengths("dense", { inputs = inputs, outputs = outputs })
  local name = p:layer("dense", o.name)
  local y = T.dot(v, p:get(name .. ".W", { inputs, outputs }, o.init or init.glorot_uniform))
  if o.bias ~= false then y = y + p:get(name .. ".b", { outputs }, init.zeros) end
  return activated(o, y)
end

--- activation(x * W + b) over pictures: x (batch, channels, height, width) gives (batch, filters, .., ..).
-- o: size (3, or {height, width}), stride (1), border_mode ("half"; "valid", "full", or lengths), activation,
-- init (he), bias (true).
function M.conv(p, x, channels, filters, options_)
  local v, o = options("conv", p, x, options_, { size = "integer|table", stride = "integer|table",
    border_mode = "string|integer|table", activation = true, init = "function|ndarray", bias = "boolean" })
  lengths("conv", { channels = channels, filters = filters })
  local size = type(o.size) == "table" and o.size or { o.size or 3, o.size or 3 }
  local stride = type(o.stride) == "table" and o.stride or { o.stride or 1, o.stride or 1 }
  local name = p:layer("conv", o.name)
  local W = p:get(name .. ".W", { filters, channels, size[1], size[2] }, o.init or init.he_normal)
  local y = T.nnet.conv2d(v, W, { border_mode = o.border_mode or "half", subsample = stride, filter_flip = false })
  if o.bias ~= false then y = y + p:get(name .. ".b", { filters }, init.zeros):dimshuffle("x", 0, "x", "x") end
  return activated(o, y)
end

--- The largest (mode "max") or the mean ("average_exc_pad") of each window of pictures.
-- o: size (2, or {height, width}), stride (size), mode.
function M.pool(x, o)
  o = o or {}
  util.check_keywords("pool", o, { size = "integer|table", stride = "integer|table", mode = "string" })
  local size = type(o.size) == "table" and o.size or { o.size or 2, o.size or 2 }
  local stride = o.stride and (type(o.stride) == "table" and o.stride or { o.stride, o.stride }) or nil
  return T.signal.pool.pool_2d(T.as_tensor_variable(x), size, { ignore_border = true, stride = stride, mode = o.mode })
end

--- x without elements that a training pass leaves out at random, each with probability rate.
function M.dropout(p, x, rate)
  check("dropout", p)
  return p.train and T.nnet.dropout(x, rate, p:streams()) or T.as_tensor_variable(x)
end

--- x normalised over the batch (and over the places of pictures), times a weight, plus a weight; `p.updates` gets the
-- running statistics that a testing pass uses instead.
-- x (batch, features) or (batch, features, height, width). o: epsilon (1e-5), momentum (0.1: the share of the new).
function M.batch_norm(p, x, features, options_)
  local v, o = options("batch_norm", p, x, options_, { epsilon = "number", momentum = "number" })
  lengths("batch_norm", { features = features })
  local name, axes = p:layer("batch_norm", o.name), v.ndim == 2 and "per-activation" or "spatial"
  local gamma, beta = p:get(name .. ".gamma", { features }, init.ones), p:get(name .. ".beta", { features }, init.zeros)
  local mean = p:get(name .. ".mean", { features }, init.zeros, true)
  local var = p:get(name .. ".var", { features }, init.ones, true)
  local epsilon = o.epsilon or 1e-5
  if not p.train then
    return T.nnet.bn.batch_normalization_test(v, gamma, beta, mean, var, { axes = axes, epsilon = epsilon })
  end
  local y, _, _, new_mean, new_var = T.nnet.bn.batch_normalization_train(v, gamma, beta, { axes = axes,
    epsilon = epsilon, running_average_factor = o.momentum or 0.1, running_mean = mean, running_var = var })
  p.updates[mean], p.updates[var] = T.cast(new_mean, mean.dtype), T.cast(new_var, var.dtype)
  return y
end

--- x normalised over its last dimension, times a weight, plus a weight. o: epsilon (1e-5).
function M.layer_norm(p, x, features, options_)
  local v, o = options("layer_norm", p, x, options_, { epsilon = "number" })
  lengths("layer_norm", { features = features })
  local name = p:layer("layer_norm", o.name)
  local gamma, beta = p:get(name .. ".gamma", { features }, init.ones), p:get(name .. ".beta", { features }, init.zeros)
  local mean = v:mean({ axis = -1, keepdims = true })
  local var = T.mean(T.sqr(v - mean), { axis = -1, keepdims = true })
  return (v - mean) / T.sqrt(var + T.constant(o.epsilon or 1e-5, { dtype = v.dtype })) * gamma + beta
end

--- Rows of a table by integers: x (..) gives (.., features). o: init (normal of 0.02).
function M.embedding(p, x, words, features, options_)
  local v, o = options("embedding", p, x, options_, { init = "function|ndarray" })
  lengths("embedding", { words = words, features = features })
  local first = o.init or function(shape, given) return init.normal(shape, { rng = given.rng, dtype = given.dtype,
    std = 0.02 }) end
  return p:get(p:layer("embedding", o.name) .. ".W", { words, features }, first)[v]
end

--- `T.nnet.gelu`, Hendrycks and Gimpel's Gaussian error linear unit (2016).
function M.gelu(x) return T.nnet.gelu(x) end

-- Shared with the files of the other layers.
M.helpers = { options = options, lengths = lengths }

for _, family in ipairs({ "attention", "recurrent" }) do
  for name, layer in pairs(require("theano.layers." .. family)(M)) do M[name] = layer end
end
M.helpers = nil

return M
