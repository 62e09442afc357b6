--- Points and expressions for spec/grad_spec.lua: convolution, pooling, patches.
-- Gives `by_hand[name] = {points, function(f, ...)}`.
-- @module spec.support.image_grads
local T = require("theano.tensor")

return function(between)
  local function images(...) return between(0.2, 0.8, ...) end
  local function small() return images(2, 2, 4, 3) end

  return {
    ["nnet.conv2d"] = { { images(1, 2, 5, 4), images(2, 2, 3, 2), images(4, 1, 2, 2) }, function(f, x, w, v)
      return T.sqr(f(x, w)):sum() + T.exp(f(x, w, { border_mode = "half", subsample = { 2, 1 } })):sum()
        + T.sqr(f(x, w, { border_mode = "full", filter_flip = false, filter_dilation = { 1, 2 } })):sum()
        + T.sqr(f(x, v, { num_groups = 2, border_mode = { { 1, 0 }, { 0, 2 } }, subsample = { 2, 3 } })):sum()
    end },
    ["nnet.conv3d"] = { { images(1, 2, 3, 3, 3), images(2, 1, 2, 1, 2) }, function(f, x, w)
      return T.sqr(f(x, w, { num_groups = 2, border_mode = { 1, 0, 1 }, subsample = { 2, 1, 1 } }))
    end },
    ["nnet.abstract_conv.conv2d_grad_wrt_inputs"] = { { images(1, 2, 2, 3), images(2, 1, 2, 2) }, function(f, y, w)
      return T.sqr(f(y, w, { false, 1, 4, 4 }, { subsample = { 2, 1 }, border_mode = 0 })):sum()
        + T.sqr(f(y, w, { false, 1, 3, 4 })):sum()
    end },
    ["nnet.abstract_conv.conv3d_grad_wrt_inputs"] = { { images(1, 1, 2, 2, 2), images(1, 2, 1, 2, 2) },
      function(f, y, w) return T.sqr(f(y, w, { 1, 2, 2, 3, 3 })) end },
    ["nnet.abstract_conv.conv2d_grad_wrt_weights"] = { { images(2, 2, 4, 4), images(2, 2, 3, 2) }, function(f, x, y)
      return T.sqr(f(x, y, { 2, 1, 2, 3 }, { num_groups = 2, filter_flip = false }))
    end },
    ["nnet.abstract_conv.conv3d_grad_wrt_weights"] = { { images(1, 2, 2, 3, 3), images(1, 1, 2, 2, 2) },
      function(f, x, y) return T.sqr(f(x, y, { 1, 2, 1, 2, 2 })) end },
    ["nnet.conv2d_transpose"] = { { images(1, 2, 2, 3), images(2, 1, 2, 2) }, function(f, y, w)
      return T.sqr(f(y, w, { 1, 1, 4, 6 }, { input_dilation = { 2, 2 } }))
    end },
    ["signal.pool.pool_2d"] = { { images(2, 2, 4, 5) }, function(f, x)
      local cost = 0
      for _, mode in ipairs({ "max", "sum", "average_inc_pad", "average_exc_pad" }) do
        cost = cost + T.sqr(f(x, { 2, 2 }, { ignore_border = true, mode = mode })):sum()
          + T.exp(f(x, { 3, 2 }, { ignore_border = true, mode = mode, pad = { 1, 1 }, stride = { 2, 1 } })):sum()
          + T.sqr(f(x, { 2, 3 }, { ignore_border = false, mode = mode, stride = { 3, 2 } })):sum()
      end
      return cost
    end },
    ["signal.pool.pool_3d"] = { { images(2, 3, 3, 2) }, function(f, x)
      return T.sqr(f(x, { 2, 2, 1 }, { ignore_border = false })):sum()
        + T.sqr(f(x, { 2, 2, 2 }, { ignore_border = true, mode = "average_exc_pad", pad = { 1, 0, 1 } })):sum()
    end },
    ["signal.pool.max_pool_2d_same_size"] = { { small() }, function(f, x) return T.sqr(f(x, { 2, 2 })) end },
    ["nnet.neighbours.images2neibs"] = { { small() }, function(f, x)
      return T.sqr(f(x, { 2, 1 }, { 1, 2 })):sum() + T.exp(f(x, { 3, 3 }, { 1, 1 }, { mode = "wrap_centered" })):sum()
        + T.sqr(f(x, { 3, 3 }, { 1, 2 }, { mode = "half" })):sum()
        + T.sqr(f(x, { 2, 2 }, { 1, 1 }, { mode = "full" })):sum()
        + T.sqr(f(x, { 3, 2 }, { mode = "ignore_borders" })):sum()
    end },
  }
end
