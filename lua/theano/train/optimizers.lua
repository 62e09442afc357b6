--- `theano.train.optimizers`: from a cost, or from gradients, to the updates of a step of training.
--     local updates, state = optimizers.adam(cost, params, { learning_rate = 0.001 })
--     local step = theano.compile { inputs = { x, y }, outputs = cost, updates = updates }
-- The first argument is a scalar Variable, or the gradients, a sequence as long as params. `learning_rate` is a number,
-- a shared variable, a scalar Variable or a schedule (a function from the count of steps so far to the rate). `state`
-- is the sequence of shared variables that the optimizer keeps, for checkpoints. All is computed in each weight's
-- dtype.
-- @module theano.train.optimizers
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local util = require("theano.util")

local M = {}

-- ---- what all of them share ----------------------------------------------------------------------------------------
local Step = {}
Step.__index = Step

-- The lengths of a shared variable's value; a scalar's comes as a number.
local function shape_of(w) return nd.asarray(w:get_value({ borrow = true })).shape end

-- A number or a scalar of w's dtype.
local function like(value, w)
  if util.is_var(value) then return value.dtype == w.dtype and value or T.cast(value, w.dtype) end
  return T.constant(value, { dtype = w.dtype })
end

--- The gradients of a cost with respect to params; a sequence of gradients stays what it is.
local function gradients(what, cost, params)
  util.expect(what, "params", params, "table")
  if util.is_var(cost) then return theano.grad(cost, params) end
  util.expect(what, "cost", cost, "table")
  if #cost ~= #params then
    util.raise("ValueError", "%s: %d gradients for %d weights", what, #cost, #params)
  end
  return cost
end

-- defaults: option -> number; a number given must lie in [0, 1) where its default does, else be no less than 0.
local function begin(what, cost, params, o, defaults)
  o = o or {}
  local known = { learning_rate = true }
  for name in pairs(defaults) do known[name] = name ~= "rate" and "number" or nil end
  util.check_keywords(what, o, known)
  local s = setmetatable({ updates = theano.OrderedUpdates(), state = {}, what = what }, Step)
  for name, value in pairs(defaults) do
    s[name] = o[name] or value
    local fraction = name == "momentum" or name == "rho" or name:find("^beta")
    local fits = s[name] >= 0 and (s[name] < 1 or not fraction)
    if not fits then
      util.raise("ValueError", "%s: %s is %s: it lies in [0, %s)", what, name, util.text(s[name]),
        fraction and "1" or "inf")
    end
  end
  s.grads, s.params = gradients(what, cost, params), params
  s:set_rate(o.learning_rate or s.rate)
  return s
end

function Step:keep(value, name)
  local v = theano.shared(value, { name = self.what .. "." .. name, borrow = true })
  self.state[#self.state + 1] = v
  return v
end

-- The count of this step, from 1; the shared variable counts those before it.
function Step:count()
  if not self.t then
    self.steps = self:keep(0, "steps")
    self.t = self.steps + 1
    self.updates[self.steps] = self.t
  end
  return self.t
end

function Step:set_rate(rate)
  if type(rate) == "function" then
    self:count()
    rate = T.as_tensor_variable(rate(T.cast(self.steps, theano.config.floatX)))
  elseif type(rate) == "number" then
    if rate ~= rate or rate < 0 then util.raise("ValueError", "%s: learning_rate is %s", self.what, util.text(rate)) end
  elseif not util.is_var(rate) then
    util.raise("TypeError", "%s: learning_rate is %s: a number, a Variable or a schedule is expected", self.what,
      util.kind_of(rate))
  end
  if util.is_var(rate) and rate.ndim ~= 0 then
    util.raise("ShapeError", "%s: learning_rate has %d dimensions, a scalar is expected", self.what, rate.ndim)
  end
  self.rate = rate
end

-- An array of zeros like a weight.
function Step:slot(w, name)
  return self:keep(nd.zeros(shape_of(w), w.dtype), (w.name or "w") .. "." .. name)
end

-- new(w, g, c): the weight's next value; c gives a number of the step as a constant of w's dtype.
function Step:each(new)
  for i, w in ipairs(self.params) do
    local function c(name) return like(type(name) == "number" and name or self[name], w) end
    self.updates[w] = new(w, like(self.grads[i], w), c)
  end
  return self.updates, self.state
end

-- ---- the optimizers ------------------------------------------------------------------------------------------------
--- w - rate g. Default rate 0.1.
function M.sgd(cost, params, o)
  return begin("sgd", cost, params, o, { rate = 0.1 }):each(function(w, g, c) return w - c("rate") * g end)
end

--- v = momentum v - rate g; w + v. Polyak (1964). Defaults: learning_rate 0.1, momentum 0.9.
function M.momentum(cost, params, o)
  local s = begin("momentum", cost, params, o, { rate = 0.1, momentum = 0.9 })
  return s:each(function(w, g, c)
    local v = s:slot(w, "velocity")
    local new = c("momentum") * v - c("rate") * g
    s.updates[v] = new
    return w + new
  end)
end

--- v = momentum v - rate g; w + momentum v - rate g. Nesterov (1983), as written by Sutskever and others (2013).
-- Defaults: learning_rate 0.1, momentum 0.9.
function M.nesterov(cost, params, o)
  local s = begin("nesterov", cost, params, o, { rate = 0.1, momentum = 0.9 })
  return s:each(function(w, g, c)
    local v = s:slot(w, "velocity")
    local down = c("rate") * g
    local new = c("momentum") * v - down
    s.updates[v] = new
    return w + c("momentum") * new - down
  end)
end

--- a = a + g²; w - rate g / (sqrt(a) + epsilon). Duchi, Hazan and Singer (2011). Defaults: learning_rate 0.01,
-- epsilon 1e-10.
function M.adagrad(cost, params, o)
  local s = begin("adagrad", cost, params, o, { rate = 0.01, epsilon = 1e-10 })
  return s:each(function(w, g, c)
    local a = s:slot(w, "sum")
    local new = a + T.sqr(g)
    s.updates[a] = new
    return w - c("rate") * g / (T.sqrt(new) + c("epsilon"))
  end)
end

--- a = rho a + (1 - rho) g²; w - rate g / (sqrt(a) + epsilon). Tieleman and Hinton (2012). Defaults: learning_rate
-- 0.001, rho 0.9, epsilon 1e-8.
function M.rmsprop(cost, params, o)
  local s = begin("rmsprop", cost, params, o, { rate = 0.001, rho = 0.9, epsilon = 1e-8 })
  return s:each(function(w, g, c)
    local a = s:slot(w, "mean")
    local new = c("rho") * a + c(1 - s.rho) * T.sqr(g)
    s.updates[a] = new
    return w - c("rate") * g / (T.sqrt(new) + c("epsilon"))
  end)
end

--- Steps as long as the steps before them. Zeiler (2012). Defaults: learning_rate 1, rho 0.95, epsilon 1e-6.
function M.adadelta(cost, params, o)
  local s = begin("adadelta", cost, params, o, { rate = 1, rho = 0.95, epsilon = 1e-6 })
  return s:each(function(w, g, c)
    local a, d = s:slot(w, "gradients"), s:slot(w, "steps")
    local rho, rest, epsilon = c("rho"), c(1 - s.rho), c("epsilon")
    local new = rho * a + rest * T.sqr(g)
    local by = T.sqrt(d + epsilon) / T.sqrt(new + epsilon) * g
    s.updates[a], s.updates[d] = new, rho * d + rest * T.sqr(by)
    return w - c("rate") * by
  end)
end

-- Mean and square of the gradients, without their bias towards 0; the direction of Adam's step.
local function adam_direction(s, w, g, c)
  local m, v = s:slot(w, "m"), s:slot(w, "v")
  local t, one = T.cast(s:count(), w.dtype), c(1)
  local m1 = c("beta1") * m + c(1 - s.beta1) * g
  local v1 = c("beta2") * v + c(1 - s.beta2) * T.sqr(g)
  s.updates[m], s.updates[v] = m1, v1
  return (m1 / (one - c("beta1") ^ t)) / (T.sqrt(v1 / (one - c("beta2") ^ t)) + c("epsilon"))
end

local function adam_options(more)
  local all = { rate = 0.001, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 }
  for name, value in pairs(more or {}) do all[name] = value end
  return all
end

--- w - rate m / (sqrt(v) + epsilon), with m and v the unbiased means of g and g². Kingma and Ba (2015), algorithm 1.
-- Defaults: learning_rate 0.001, beta1 0.9, beta2 0.999, epsilon 1e-8.
function M.adam(cost, params, o)
  local s = begin("adam", cost, params, o, adam_options())
  return s:each(function(w, g, c) return w - c("rate") * adam_direction(s, w, g, c) end)
end

--- Adam, and w shrinks by rate weight_decay w. Loshchilov and Hutter (2019). As adam; weight_decay 0.01.
function M.adamw(cost, params, o)
  local s = begin("adamw", cost, params, o, adam_options({ weight_decay = 0.01 }))
  return s:each(function(w, g, c)
    return w - c("rate") * (adam_direction(s, w, g, c) + c("weight_decay") * w)
  end)
end

--- Adam's direction and weight_decay w, as long as the weight itself. You and others (2020), with φ(z) = z. As adam;
-- epsilon 1e-6, weight_decay 0.01.
function M.lamb(cost, params, o)
  local s = begin("lamb", cost, params, o, adam_options({ epsilon = 1e-6, weight_decay = 0.01 }))
  return s:each(function(w, g, c)
    local by = adam_direction(s, w, g, c) + c("weight_decay") * w
    local long, short = T.sqrt(T.sum(T.sqr(w))), T.sqrt(T.sum(T.sqr(by)))
    local some = T.and_(T.gt(long, c(0)), T.gt(short, c(0)))
    return w - c("rate") * T.switch(some, long / T.switch(some, short, c(1)), c(1)) * by
  end)
end

-- ---- gradients that are too large ----------------------------------------------------------------------------------
--- Gradients with each element in [-bound, bound].
-- @tparam table grads
-- @tparam number bound
-- @treturn table
function M.clip_by_value(grads, bound)
  util.expect("clip_by_value", "grads", grads, "table")
  local list = {}
  for i, g in ipairs(grads) do list[i] = T.clip(g, like(-bound, g), like(bound, g)) end
  return list
end

--- Gradients made shorter together where their norm is above `most`; and that norm, before. Pascanu, Mikolov and Bengio
-- (2013). A norm that is not finite leaves NaN in all.
-- @tparam table grads
-- @tparam number|Variable most
-- @treturn table
-- @treturn Variable
function M.clip_by_global_norm(grads, most)
  util.expect("clip_by_global_norm", "grads", grads, "table")
  if #grads == 0 then util.raise("ValueError", "clip_by_global_norm: there is no gradient") end
  local sum
  for _, g in ipairs(grads) do sum = sum and sum + T.sum(T.sqr(g)) or T.sum(T.sqr(g)) end
  local norm, list = T.sqrt(sum), {}
  local limit = like(most, norm)
  local by = limit / T.maximum(norm, limit)
  for i, g in ipairs(grads) do list[i] = g * like(by, g) end
  return list, norm
end

-- ---- whole batches -------------------------------------------------------------------------------------------------
-- nd.optimize.minimize over all weights as one vector.
local function whole(what, method, cost, params, o)
  util.check_keywords(what, o, { inputs = "table", givens = "table", maxiter = "integer", tol = "number",
    callback = "function" })
  local outputs = { cost }
  for i, g in ipairs(theano.grad(cost, params)) do outputs[i + 1] = T.cast(g:flatten(), "float64") end
  local f = theano.compile { inputs = o.inputs or {}, outputs = outputs, givens = o.givens, name = what }
  local function set(x)
    local from = 0
    for _, w in ipairs(params) do
      local shape = shape_of(w)
      local n = 1
      for _, len in ipairs(shape) do n = n * len end
      w:set_value(x[{ T.slice(from, from + n) }]:reshape(shape):astype(w.dtype))
      from = from + n
    end
  end
  return function(...)
    local values, first = { ... }, {}
    for i, w in ipairs(params) do first[i] = nd.asarray(w:get_value()):astype("float64"):flatten() end
    local function objective(x)
      set(x)
      local results = { f(table.unpack(values)) }
      return results[1], nd.concatenate(table.move(results, 2, #results, 1, {}))
    end
    local ok, r = pcall(nd.optimize.minimize, objective, nd.concatenate(first), { method = method, jac = true,
      tol = o.tol, options = { maxiter = o.maxiter }, callback = o.callback })
    if not ok then
      set(nd.concatenate(first))
      error(r, 0)
    end
    set(r.x)
    return r.fun, r
  end
end

--- A function that takes the inputs' values, the whole batch, and moves params to a minimum of cost by the method of
-- limited memory, Liu and Nocedal (1989); it returns the cost there and nd.optimize.minimize's result.
-- @tparam Variable cost
-- @tparam table params
-- @tparam[opt] table o inputs (of cost), givens, maxiter, tol, callback
function M.lbfgs(cost, params, o) return whole("lbfgs", "L-BFGS-B", cost, params, o or {}) end

--- As lbfgs, by conjugate gradients, Polak and Ribière (1969).
function M.conjugate_gradient(cost, params, o) return whole("conjugate_gradient", "CG", cost, params, o or {}) end

-- ---- learning rates ------------------------------------------------------------------------------------------------
local schedules = {}
M.schedules = schedules

local function number(what, name, value, default)
  value = value or default
  if type(value) ~= "number" then util.raise("TypeError", "%s: %s is missing, a number", what, name) end
  return value
end

local function with_warmup(what, o, later)
  local rate, warmup = number(what, "rate", o.rate), number(what, "warmup", o.warmup, 0)
  return function(t)
    local y = later(t - warmup, rate)
    return warmup > 0 and T.switch(T.lt(t, warmup), rate * (t + 1) / warmup, y) or y
  end
end

--- rate factor^⌊t / every⌋. o: rate, factor (0.1), every, warmup (0: steps that grow to rate).
function schedules.step(o)
  util.check_keywords("schedules.step", o, { rate = "number", factor = "number", every = "number", warmup = "number" })
  local every, factor = number("schedules.step", "every", o.every), o.factor or 0.1
  return with_warmup("schedules.step", o, function(t, rate) return rate * factor ^ T.floor(t / every) end)
end

--- rate factor^(t / every). o: rate, factor, every (1), warmup (0).
function schedules.exponential(o)
  util.check_keywords("schedules.exponential", o, { rate = "number", factor = "number", every = "number",
    warmup = "number" })
  local factor, every = number("schedules.exponential", "factor", o.factor), o.every or 1
  return with_warmup("schedules.exponential", o, function(t, rate) return rate * factor ^ (t / every) end)
end

--- From rate to floor in `steps` steps along a half wave, then floor. Loshchilov and Hutter (2017). o: rate, steps,
-- floor (0), warmup (0).
function schedules.cosine(o)
  util.check_keywords("schedules.cosine", o, { rate = "number", steps = "number", floor = "number",
    warmup = "number" })
  local steps, floor = number("schedules.cosine", "steps", o.steps), o.floor or 0
  return with_warmup("schedules.cosine", o, function(t, rate)
    return floor + (rate - floor) * 0.5 * (1 + T.cos(math.pi * T.clip(t / steps, 0, 1)))
  end)
end

--- From rate to floor in `steps` steps along a line, then floor. o: rate, steps, floor (0), warmup (0).
function schedules.linear(o)
  util.check_keywords("schedules.linear", o, { rate = "number", steps = "number", floor = "number",
    warmup = "number" })
  local steps, floor = number("schedules.linear", "steps", o.steps), o.floor or 0
  return with_warmup("schedules.linear", o, function(t, rate)
    return rate + (floor - rate) * T.clip(t / steps, 0, 1)
  end)
end

--- rate / sqrt(t + 1), or after a warmup of w steps rate sqrt(w / (t + w)). Vaswani and others (2017). o: rate, warmup.
function schedules.inverse_sqrt(o)
  util.check_keywords("schedules.inverse_sqrt", o, { rate = "number", warmup = "number" })
  local w = math.max(o.warmup or 0, 1)
  return with_warmup("schedules.inverse_sqrt", o, function(t, rate) return rate * T.sqrt(w / (t + w)) end)
end

return M
