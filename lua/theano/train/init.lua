--- `theano.train`: the loop around a step of training, and what people put into it. Optimizers stand in
-- `theano.train.optimizers`.
-- @module theano.train
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local progress = require("theano.progress")
local util = require("theano.util")

local M = {}

-- ---- early stopping ------------------------------------------------------------------------------------------------
local Stopping = {}
Stopping.__index = Stopping

--- Watches one of an epoch's values; says when it has not become better for a while, and keeps the best weights.
-- @tparam table o metric ("valid"), patience (5 epochs), least (0: by how much better is better), largest (false: the
-- smallest is best), params (shared variables whose best values are kept)
function M.early_stopping(o)
  o = o or {}
  util.check_keywords("early_stopping", o, { metric = "string", patience = "integer", least = "number",
    largest = "boolean", params = "table" })
  return setmetatable({ metric = o.metric or "valid", patience = o.patience or 5, least = o.least or 0,
    sign = o.largest and -1 or 1, params = o.params, waited = 0 }, Stopping)
end

--- Takes an epoch's values; true when it is time to stop. NaN is never better.
function Stopping:check(values, epoch)
  local value = values[self.metric]
  if type(value) ~= "number" then
    util.raise("KeyError", "early_stopping: the epoch has no value '%s' (it has: %s)", self.metric,
      progress.fields(values))
  end
  if self.best == nil and value == value or self.best and self.sign * (self.best - value) > self.least then
    self.best, self.best_epoch, self.waited = value, epoch, 0
    self.kept = {}
    for i, v in ipairs(self.params or {}) do self.kept[i] = v:get_value() end
  else
    self.waited = self.waited + 1
  end
  return self.waited >= self.patience
end

--- Sets the weights to the best ones.
function Stopping:restore_best()
  for i, value in ipairs(self.kept or {}) do self.params[i]:set_value(value) end
end

--- For checkpoints.
function Stopping:state()
  local kept = {}
  for i, a in ipairs(self.kept or {}) do kept[i] = a end
  return { best = self.best, best_epoch = self.best_epoch, waited = self.waited, kept = kept }
end

function Stopping:restore(state)
  self.best, self.best_epoch, self.waited = state.best, state.best_epoch, state.waited
  self.kept = state.kept or {}
end

-- ---- more than one batch a step ------------------------------------------------------------------------------------
--- Gradients of several batches as one. For every batch call a function with `add` as its updates; after n of them one
-- with the optimizer's updates made of `mean`, and `clear` among them.
-- @tparam table grads
-- @tparam table params
-- @treturn table {add = updates, mean = gradients, clear = updates, state = shared variables}
function M.accumulate(grads, params)
  util.expect("accumulate", "grads", grads, "table")
  util.expect("accumulate", "params", params, "table")
  if #grads ~= #params then
    util.raise("ValueError", "accumulate: %d gradients for %d weights", #grads, #params)
  end
  local add, clear, mean, state = theano.OrderedUpdates(), theano.OrderedUpdates(), {}, {}
  local count = theano.shared(0, { name = "accumulated" })
  add[count], clear[count] = count + 1, T.zeros_like(count)
  for i, w in ipairs(params) do
    local sum = theano.shared(nd.zeros(nd.asarray(w:get_value({ borrow = true })).shape, w.dtype),
      { name = (w.name or "w") .. ".sum" })
    add[sum], clear[sum] = sum + T.cast(grads[i], w.dtype), T.zeros_like(sum)
    mean[i], state[i] = sum / T.cast(count, w.dtype), sum
  end
  state[#state + 1] = count
  return { add = add, mean = mean, clear = clear, state = state }
end

--- Moving averages of weights: updates for the step of training, and functions that put the averages into the weights
-- and back. Polyak and Juditsky (1992).
-- @tparam table params
-- @tparam[opt] table o decay (0.999)
-- @tparam ?OrderedUpdates updates what the step does to the weights: the averages are of their new values
-- @treturn table {updates =, use = function, back = function, state = shared variables}
function M.moving_average(params, o, updates)
  util.expect("moving_average", "params", params, "table")
  o = o or {}
  util.check_keywords("moving_average", o, { decay = "number" })
  local decay = o.decay or 0.999
  if not (decay >= 0 and decay < 1) then
    util.raise("ValueError", "moving_average: decay is %s: it lies in [0, 1)", util.text(decay))
  end
  local out, state, kept = theano.OrderedUpdates(), {}, nil
  for i, w in ipairs(params) do
    local a = theano.shared(nd.asarray(w:get_value(), w.dtype), { name = (w.name or "w") .. ".average" })
    local new = updates and updates:get(w) or w
    local share = T.constant(1 - decay, { dtype = w.dtype })
    out[a], state[i] = a + share * (new - a), a
  end
  local function use()
    if kept then util.raise("RuntimeError", "moving_average: the averages are in use already") end
    kept = {}
    for i, w in ipairs(params) do
      kept[i] = w:get_value()
      w:set_value(state[i]:get_value({ borrow = true }))
    end
  end
  local function back()
    if not kept then util.raise("RuntimeError", "moving_average: the averages are not in use") end
    for i, w in ipairs(params) do w:set_value(kept[i]) end
    kept = nil
  end
  return { updates = out, use = use, back = back, state = state }
end

-- ---- the loop ------------------------------------------------------------------------------------------------------
local LOOP = { step = true, data = true, epochs = "integer", first = "integer", valid = "function",
  on_epoch = "function", on_batch = "function", early_stopping = "object", progress = true, log = "object" }

local ENDED = {}
local function one(step, first, ...)
  if first == nil then return ENDED end
  return (step(first, ...))
end

-- One epoch: the mean of what steps give, and whether it was left before its end.
local function run_epoch(o, epoch, bar)
  local n, sum, total = 0, 0.0, #o.data
  local batches = o.data:epoch()
  while true do
    local loss = one(o.step, batches())
    if loss == ENDED then break end
    if type(loss) ~= "number" then
      util.raise("TypeError", "loop: step gives %s, its loss is expected, a number", util.kind_of(loss))
    end
    n, sum = n + 1, sum + loss
    if bar then bar:step(total > 0 and n / total or 1, { loss = sum / n }) end
    if o.on_batch and o.on_batch(loss, epoch, n) == "stop" or theano.interrupted() then return sum / n, true end
  end
  return n > 0 and sum / n or 0 / 0, false
end

--- Trains: for every epoch calls `step` with every batch of `data`, then `valid`, `on_epoch` and the others.
-- @tparam table o step (from a batch to its loss, a number: a compiled function); data (of theano.data.batches, or what
-- has `epoch()` and `#`); epochs; first (1: the first epoch's number, after a restart); valid (gives a number, shown as
-- "valid", or a table of numbers by name); on_epoch(epoch, values) ("stop" ends it); on_batch(loss, epoch, n) ("stop");
-- early_stopping (of theano.train.early_stopping); progress (true: a bar; false; or a bar of theano.progress); log (an
-- object whose `log(values)` gets each epoch's)
-- @treturn table the epochs' values, {epoch =, loss =, ...}, each; `stopped` says "interrupt", "early", "callback" or
-- nothing
function M.loop(o)
  util.check_keywords("loop", o, LOOP)
  if o.step == nil or o.data == nil then util.raise("TypeError", "loop: step and data are needed") end
  if not o.epochs or o.epochs < 0 then util.raise("ValueError", "loop: epochs is %s", tostring(o.epochs)) end
  local first, bar, history = o.first or 1, nil, {}
  if o.progress ~= false and o.epochs >= first then
    bar = type(o.progress) == "table" and o.progress or progress.new(o.epochs, "epoch")
    bar.round = first
  end
  local caught = theano.catch_interrupt(true)
  local ok, why = pcall(function()
    for epoch = first, o.epochs do
      local loss, left = run_epoch(o, epoch, bar)
      local values = { loss = loss }
      local valid = o.valid and o.valid()
      if type(valid) == "number" then values.valid = valid end
      for name, v in pairs(type(valid) == "table" and valid or {}) do values[name] = v end
      if bar then bar:done(values) end
      values.epoch = epoch
      history[#history + 1] = values
      if o.log then o.log:log(values) end
      if theano.interrupted() then history.stopped = "interrupt"
      elseif left or o.on_epoch and o.on_epoch(epoch, values) == "stop" then history.stopped = "callback"
      elseif o.early_stopping and o.early_stopping:check(values, epoch) then history.stopped = "early" end
      if history.stopped then break end
    end
  end)
  if not caught then theano.catch_interrupt(false) end
  if not ok then error(why, 0) end
  if o.early_stopping and history.stopped ~= "interrupt" then o.early_stopping:restore_best() end
  return history
end

M.optimizers = require("theano.train.optimizers")
M.loss_scale = require("theano.train.loss_scale")

return M
