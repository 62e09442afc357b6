--- Layers that go through a sequence step by step. Installed by theano.layers.
-- x is (time, batch, inputs) and gives (time, batch, size). Options of all: `mask` (time, batch), 0 where a sequence
-- has ended: its state stays as it was; `reverse`, from the last step to the first; `h0` the state before, (batch,
-- size); `last`: the last state alone, (batch, size).
-- @module theano.layers.recurrent
local theano = require("theano")
local T = theano.tensor
local init = require("theano.initializers")
local util = require("theano.util")

return function(layers)
  local M = {}
  local options, lengths = layers.helpers.options, layers.helpers.lengths
  local KNOWN = { mask = "Variable", reverse = "boolean", h0 = "Variable", last = "boolean", activation = "function" }

  -- What the gates get of all steps at once; what a step adds to it of its state.
  local function weights(p, name, inputs, size, gates)
    local function blocks(shape, given) -- every gate's block orthogonal by itself
      local list = {}
      for i = 1, gates do list[i] = init.orthogonal({ size, size }, given) end
      return gates > 1 and theano.ndarray.concatenate(list, { axis = 1 }) or list[1], shape
    end
    return p:get(name .. ".W", { inputs, gates * size }, init.glorot_uniform),
      p:get(name .. ".U", { size, gates * size }, blocks), p:get(name .. ".b", { gates * size }, init.zeros)
  end

  -- step(z, state, ...) -> state, ..: the new states, of which the first is the output. n: how many states.
  local function through(what, p, x, inputs, size, o, gates, n, bias, step)
    lengths(what, { inputs = inputs, size = size })
    if x.ndim ~= 3 then
      util.raise("ShapeError", "%s: x has %d dimensions, (time, batch, inputs) is expected", what, x.ndim)
    end
    local W, U, b = weights(p, p:layer(what, o.name), inputs, size, gates)
    local z = T.dot(x, W) + (bias and b or 0)
    local zero = T.alloc(T.constant(0, { dtype = z.dtype }), x.shape[1], size)
    local first = { o.h0 or zero, n > 1 and zero or nil }
    local function masked(m, new, old)
      local keep = m:dimshuffle(0, "x")
      for i, v in ipairs(new) do new[i] = T.switch(keep, v, old[i]) end
      return table.unpack(new)
    end
    local function body(zt, a, c, d)
      if not o.mask then return step(zt, U, b, a, c) end
      if n == 1 then return masked(a, { step(zt, U, b, c) }, { c }) end
      return masked(a, { step(zt, U, b, c, d) }, { c, d })
    end
    local states = theano.scan { fn = body, sequences = o.mask and { z, o.mask } or z, outputs_info = first,
      go_backwards = o.reverse, name = what }
    local h = n > 1 and states[1] or states
    if o.last then return h[-1] end
    return o.reverse and h["::-1"] or h
  end

  --- activation(x·W + h·U + b), step by step. o: activation (tanh).
  function M.rnn(p, x, inputs, size, options_)
    local v, o = options("rnn", p, x, options_, KNOWN)
    local f = o.activation or T.tanh
    return through("rnn", p, v, inputs, size, o, 1, 1, true, function(z, U, _, h) return f(z + T.dot(h, U)) end)
  end

  local function gate(z, i, size) return z:sub("all", { i * size, (i + 1) * size }) end

  --- Long short-term memory, Hochreiter and Schmidhuber (1997), with forget gates that begin open.
  -- @return the outputs
  function M.lstm(p, x, inputs, size, options_)
    local v, o = options("lstm", p, x, options_, KNOWN)
    local one = T.constant(1, { dtype = p.dtype })
    return through("lstm", p, v, inputs, size, o, 4, 2, true, function(z, U, _, h, c)
      z = z + T.dot(h, U)
      local keep, take = T.nnet.sigmoid(gate(z, 0, size) + one), T.nnet.sigmoid(gate(z, 1, size))
      c = keep * c + take * T.tanh(gate(z, 3, size))
      return T.nnet.sigmoid(gate(z, 2, size)) * T.tanh(c), c
    end)
  end

  --- Gated recurrent unit, Cho and others (2014); the reset gate stands behind the product, as in cuDNN and PyTorch.
  function M.gru(p, x, inputs, size, options_)
    local v, o = options("gru", p, x, options_, KNOWN)
    local one = T.constant(1, { dtype = p.dtype })
    return through("gru", p, v, inputs, size, o, 3, 1, true, function(z, U, _, h)
      local u = T.dot(h, U)
      local reset = T.nnet.sigmoid(gate(z, 0, size) + gate(u, 0, size))
      local keep = T.nnet.sigmoid(gate(z, 1, size) + gate(u, 1, size))
      local new = T.tanh(gate(z, 2, size) + reset * gate(u, 2, size))
      return keep * h + (one - keep) * new
    end)
  end

  return M
end
