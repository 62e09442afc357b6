--- Points and expressions for spec/grad_spec.lua: diagonals, batched products, ordering, positions, running sums.
-- Gives `by_hand`, `none` and a set of functions whose results differ in length from element to element.
-- `by_hand[name] = {points, function(f, ...)}`; `none` lists functions without a gradient.
-- @module spec.support.tensor_grads
local nd = require("theano.ndarray")
local T = require("theano.tensor")

return function(between)
  local function mat() return between(0.2, 0.8, 3, 4) end
  local function vec(n) return between(0.2, 0.8, n or 4) end
  local square = function() return between(0.2, 0.8, 3, 3) end
  local WHERE = T.constant({ { 2, 0, 1, 1 }, { 0, 0, 2, 1 }, { 1, 2, 0, 2 } }, { dtype = "int64" })
  local ORDER = T.constant({ 2, 0, 3, 1 }, { dtype = "int64" })
  local FLAGS = T.constant({ 1, 0, 1 }, { dtype = "int64" })

  local by_hand = {
    diag = { { square(), vec() }, function(f, x, v)
      return T.sqr(f(x, { k = 1 })):sum() + T.exp(f(v, { k = -1 })):sum()
    end },
    diagonal = { { between(0, 1, 2, 3, 4), mat() }, function(f, x, y)
      return T.sqr(f(x, { offset = -1, axis1 = 2, axis2 = 0 })):sum() + T.exp(f(y)):sum()
    end },
    trace = { { square() }, function(f, x) return f(T.dot(x, x)) end },
    ["nlinalg.trace"] = { { square() }, function(f, x) return f(T.dot(x, x)) end },
    ["nlinalg.diag"] = { { square(), vec() }, function(f, x, v) return T.sqr(f(x)):sum() + T.exp(f(v)):sum() end },
    ["nlinalg.extract_diag"] = { { square() }, function(f, x) return T.sqr(f(x)) end },
    ["nlinalg.alloc_diag"] = { { vec() }, function(f, x) return T.exp(f(x)) end },
    fill_diagonal = { { mat(), nd.array(0.7) }, function(f, x, v) return T.sqr(f(x, v)) end },
    fill_diagonal_offset = { { mat(), nd.array(0.7) }, function(f, x, v)
      return T.sqr(f(x, v, 1)) + T.exp(f(x, v, -2))
    end },
    batched_dot = { { between(0, 1, 2, 3, 4), between(0, 1, 2, 4, 3), between(0, 1, 2, 4) }, function(f, x, y, v)
      return T.sqr(f(x, y)):sum() + T.exp(f(x, v)):sum() + f(v, y):sum() + T.sqr(f(v, v)):sum()
    end },
    batched_tensordot = { { between(0, 1, 2, 3, 4), between(0, 1, 2, 5, 3) },
      function(f, x, y) return T.sqr(f(x, y, { axes = { { 1 }, { 2 } } })) end },
    ["nlinalg.matrix_dot"] = { { mat(), between(0, 1, 4, 2), square() }, function(f, x, y, z) return f(z, x, y) end },
    ["nlinalg.matrix_power"] = { { square() }, function(f, x) return f(x, 3) end },
    ["slinalg.kron"] = { { mat(), between(0, 1, 2, 2) }, function(f, x, y) return T.sqr(f(x, y)) end },
    sort = { { mat() }, function(f, x) return f(x) * T.arange(4) + T.sqr(f(x, { axis = 0 })) * T.arange(4) end },
    topk = { { mat(), vec(6) }, function(f, x, v)
      return T.exp(f(x, 2)):sum() + T.sqr(f(x, -2, { axis = 0 })):sum() + f(v, 1):sum()
    end },
    topk_and_argtopk = { { mat() }, function(f, x) return T.sqr((f(x, 3))) end },
    cumsum = { { mat() }, function(f, x) return T.sqr(f(x, { axis = 0 })):sum() + T.exp(f(x)):sum() end },
    cumprod = { { mat() }, function(f, x) return T.sqr(f(x, { axis = 1 })):sum() + T.exp(f(x)):sum() end },
    diff = { { mat() }, function(f, x) return T.sqr(f(x)):sum() + T.exp(f(x, { n = 2, axis = 0 })):sum() end },
    bincount = { { vec() }, function(f, w)
      return T.sqr(f(T.constant({ 0, 2, 2, 1 }, { dtype = "int64" }), { weights = w }))
    end },
    smallest = { { vec(), vec() }, function(f, x, y) return f(x * 2, y, x + y) end },
    largest = { { vec(), vec() }, function(f, x, y) return f(x * 2, y) end },
    nonzero_values = { { mat() }, function(f, x) return T.sqr(f(x)) end },
    compress = { { mat() }, function(f, x) return T.sqr(f(FLAGS, x, { axis = 0 })) end },
    choose = { { between(0, 1, 3, 3, 4), vec() }, function(f, x, v)
      return T.sqr(f(WHERE, x)):sum() + T.exp(f(WHERE, { v, v * 2, v + 1 })):sum()
    end },
    roll = { { mat() }, function(f, x) return f(x, 1, { axis = 1 }) * x + f(x, -5) * 2 end },
    permute_row_elements = { { mat() }, function(f, x)
      return f(x, ORDER) * x + f(x, ORDER, { inverse = true }) * 2
    end },
    moveaxis = { { mat() }, function(f, x) return T.dot(f(x, 0, 1), x) end },
    stacklists = { { vec(), vec() }, function(f, x, y) return T.sqr(f({ { x, y }, { y, y } })) end },
    cov = { { mat() }, function(f, x) return f(x) end },
    logsumexp = { { mat() }, function(f, x) return f(x, { axis = 1 }) end },
    ["opt.assert_op"] = { { vec() }, function(f, x) return f(T.sqr(x), T.constant(1)) end },
  }
  local none = {}
  for name in ([[argsort argtopk searchsorted unique nonzero flatnonzero to_one_hot ravel_multi_index unravel_index
    inverse_permutation bartlett]]):gmatch("%S+") do
    none[name] = true
  end
  for _, entry in ipairs(require("theano.core").functions()) do -- second names
    local short = entry.name:match("^extra_ops%.(.*)$")
    if short then by_hand[entry.name], none[entry.name] = by_hand[short], none[short] end
  end
  return by_hand, none, { nonzero_values = true } -- as many results as there are nonzero elements: no vmap
end
