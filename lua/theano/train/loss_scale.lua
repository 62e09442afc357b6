--- `theano.train.loss_scale`: the loss times a number, so that gradients that pass through float16 do not vanish; the
-- number is found while training.
-- @module theano.train.loss_scale
local theano = require("theano")
local T = theano.tensor
local util = require("theano.util")

local Scale = {}
Scale.__index = Scale

local OPTIONS = { init_scale = "number", growth_factor = "number", backoff_factor = "number",
  growth_interval = "integer" }

--- Gradients of the loss times the scale, divided by it: float32, or wider where the weights are. Called once.
-- @tparam Variable cost a scalar
-- @tparam table params
-- @treturn table the gradients
-- @treturn Variable whether all of them are finite
function Scale:grad(cost, params)
  if self.finite then util.raise("RuntimeError", "loss_scale: the gradients of one loss are taken already") end
  if not util.is_var(cost) or cost.ndim ~= 0 then
    util.raise("TypeError", "loss_scale: cost is a scalar Variable, not %s", util.kind_of(cost))
  end
  util.expect("loss_scale", "params", params, "table")
  local wide = cost.dtype == "float64" and cost or T.cast(cost, "float32")
  local list, finite = {}, nil
  for i, g in ipairs(theano.grad(wide * self.scale, params)) do
    -- not `/ scale`: the optimizer would take the two for nothing
    list[i] = (g.dtype == "float64" and g or T.cast(g, "float32")) * self.inverse
    local bad = T.any(T.or_(T.isnan(g), T.isinf(g)))
    finite = finite and T.or_(finite, bad) or bad
  end
  self.finite = finite and T.invert(finite) or T.constant(true)
  return list, self.finite
end

--- The updates of a step that leaves everything as it is where a gradient was not finite, with those of the scale.
-- @tparam OrderedUpdates updates what an optimizer made of the gradients
-- @treturn OrderedUpdates
function Scale:updates(updates)
  if not self.finite then
    util.raise("RuntimeError", "loss_scale: take the gradients first: scale:grad(cost, params)")
  end
  local finite, out = self.finite, theano.OrderedUpdates()
  for _, p in ipairs(require("theano.updates").pairs_of(updates, "loss_scale")) do
    out[p[1]] = T.switch(finite, p[2], p[1])
  end
  local good = self.good_steps + 1
  local grows = T.and_(finite, T.ge(good, self.growth_interval))
  local function next_of(v, growth, backoff)
    local one = T.constant(1, { dtype = "float32" })
    local by = T.switch(finite, T.switch(grows, T.constant(growth, { dtype = "float32" }), one),
      T.constant(backoff, { dtype = "float32" }))
    return v * by
  end
  local scale = next_of(self.scale, self.growth_factor, self.backoff_factor)
  local inverse = next_of(self.inverse, 1 / self.growth_factor, 1 / self.backoff_factor)
  local fits = T.and_(T.invert(T.isinf(scale)), T.gt(scale, T.constant(2 ^ -100, { dtype = "float32" })))
  out[self.scale], out[self.inverse] = T.switch(fits, scale, self.scale), T.switch(fits, inverse, self.inverse)
  out[self.good_steps] = T.switch(T.and_(finite, T.invert(grows)), good, T.zeros_like(good))
  return out
end

--- A scale that halves after a step whose gradients were not finite, which changes nothing else, and doubles after
-- `growth_interval` good ones. Factors are powers of 2, so that it leaves no trace in the gradients' bits.
-- @tparam[opt] table o init_scale (65536), growth_factor (2), backoff_factor (0.5), growth_interval (2000)
-- @treturn table {scale =, good_steps = shared variables, state = for checkpoints}
return function(o)
  o = o or {}
  util.check_keywords("loss_scale", o, OPTIONS)
  local s = setmetatable({ growth_factor = o.growth_factor or 2, backoff_factor = o.backoff_factor or 0.5,
    growth_interval = o.growth_interval or 2000 }, Scale)
  local first = o.init_scale or 65536
  for name, v in pairs({ init_scale = first, growth_factor = s.growth_factor, backoff_factor = s.backoff_factor }) do
    local fits = v > 0 and v < 2 ^ 100 and v > 2 ^ -100 and 2.0 ^ math.floor(math.log(v, 2) + 0.5) == v
    if not fits then
      util.raise("ValueError", "loss_scale: %s is %s: a power of 2 is wanted, between 2^-99 and 2^99", name,
        util.text(v))
    end
  end
  if s.growth_factor < 1 or s.backoff_factor > 1 then
    util.raise("ValueError", "loss_scale: growth_factor is at least 1, backoff_factor at most 1")
  end
  if s.growth_interval < 1 then
    util.raise("ValueError", "loss_scale: growth_interval is %d, at least 1 is wanted", s.growth_interval)
  end
  local function keep(v, name) return theano.shared(v, { name = "loss_scale." .. name }) end
  local nd = theano.ndarray
  s.scale, s.inverse = keep(nd.array(first, "float32"), "scale"), keep(nd.array(1 / first, "float32"), "inverse")
  s.good_steps = keep(0, "good_steps")
  s.state = { s.scale, s.inverse, s.good_steps }
  return s
end
