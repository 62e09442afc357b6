--- Draws of random numbers, and what reads them in the same kernel.
local theano = require("theano")
local T = theano.tensor

local function mrg(...) return theano.random.MRG_RandomStreams(7):uniform(...) end

return {
  { "draw", "alone", function()
    return {}, mrg({ 1000 }, { dtype = "float64" })
  end },
  { "draw_dropout", "dropout, as long as its argument", function()
    local x = T.fmatrix("x")
    return { x }, T.nnet.dropout(x, 0.25, theano.random.MRG_RandomStreams(7))
  end },
  { "draw_dropout_grad", "the mask is kept for the gradient, not the numbers", function()
    local x, w = T.fmatrix("x"), T.fmatrix("w")
    local h = T.nnet.dropout(x, 0.5, theano.random.MRG_RandomStreams(7))
    return { x, w }, T.grad(T.sum(T.tanh(T.dot(h, w))), x)
  end },
  { "draw_frozen", "nobody wants the states after it", function()
    local u = mrg({ 30, 40 }, { dtype = "float32" })
    return {}, T.cast(T.lt(u, 0.5), "int8"), { no_default_updates = true }
  end },
  { "draw_kept", "a result, and read", function()
    local u = mrg({ 500 }, { dtype = "float64" })
    return {}, { u, u * 2 - 1 }
  end },
  { "draw_normal", "two halves together are normal numbers", function()
    return {}, theano.random.MRG_RandomStreams(7):normal({ 600 }, { dtype = "float64" })
  end },
  { "draw_key", "of a key, one for each step", function()
    local key, step, x = T.vector("key", { dtype = "uint32" }), T.lscalar("step"), T.fvector("x")
    return { key, step, x }, T.nnet.dropout(x, 0.5, theano.random.Key(key):fold_in(step))
  end },
  { "draw_lanes", "an element of its own for each row", function()
    local x = T.dmatrix("x")
    local srng = theano.random.MRG_RandomStreams(7)
    return { x }, T.vmap(function(v) return T.lt(srng:uniform({ 50 }, { dtype = "float64" }), v) end)(x)
  end },
  { "draw_scan", "in a loop", function()
    local x = T.dvector("x")
    local srng = theano.random.MRG_RandomStreams(7)
    local y, updates = theano.scan { fn = function(h)
      return h * T.lt(srng:uniform(h.shape, { ndim = 1, dtype = "float64" }), 0.9) + 1
    end, outputs_info = { x }, n_steps = 5 }
    return { x }, y, { updates = updates }
  end },
}
