--- Gradients: `grad(cost, wrt)`, and `verify_grad` to check them by finite differences.
-- @module theano.gradient
local core = require("theano.core")
local updates = require("theano.updates")
local util = require("theano.util")

local M = {}

local known = util.set({
  "consider_constant", "disconnected_inputs", "add_names", "known_grads", "return_disconnected", "null_gradients",
})

local function list_of(v)
  if v == nil then return {} end
  if util.is_var(v) then return { v } end
  return v
end

local function options_of(o)
  util.check_keywords("grad", o, known)
  local list = { consider_constant = list_of(o.consider_constant), known = {}, known_grad = {} }
  for i, p in ipairs(updates.pairs_of(o.known_grads, "known_grads")) do
    list.known[i], list.known_grad[i] = p[1], p[2]
  end
  list.disconnected_inputs = o.disconnected_inputs
  local ret = o.return_disconnected or "zero"
  local letter = ({ zero = "z", none = "n", None = "n", disconnected = "d", Disconnected = "d" })[ret]
  if not letter then util.raise("ValueError", "return_disconnected must be 'zero', 'None' or 'Disconnected', not '%s'", ret) end
  list.disconnected = letter
  local null = o.null_gradients or "raise"
  if null ~= "raise" and null ~= "return" then
    util.raise("ValueError", "null_gradients must be 'raise' or 'return', not '%s'", tostring(null))
  end
  list.null_return = null == "return"
  list.no_names = o.add_names == false
  return list
end

--- Gradient of a scalar with respect to a variable or a list of them (then a list comes back).
-- Options: consider_constant, disconnected_inputs, add_names, known_grads, return_disconnected, null_gradients.
function M.grad(cost, wrt, options)
  if cost ~= nil and not util.is_var(cost) then
    util.raise("TypeError", "grad: the cost is a symbolic Variable, got %s", type(cost))
  end
  local single = util.is_var(wrt)
  if not single and type(wrt) ~= "table" then
    util.raise("TypeError", "grad: wrt is a Variable or a list of them, got %s", type(wrt))
  end
  local list = single and { wrt } or wrt
  for i, v in ipairs(list) do
    if not util.is_var(v) then util.raise("TypeError", "grad: wrt[%d] is no Variable but a %s", i, type(v)) end
  end
  local g = core.grad(cost, list, options_of(options or {}))
  if single then return g[1] or nil end
  return g
end

local eps_of = { float64 = 1e-7, float32 = 3e-4 }
local tol_of = { float64 = 1e-4, float32 = 1e-2 }

local function numeric(f, point, i, eps, random)
  local x = point[i]
  local base = f(table.unpack(point))
  local out = x:copy()
  local flat, result = out:reshape({ -1 }), {}
  for k = 0, x.size - 1 do
    local v = flat[k]
    flat[k] = v + eps
    local trial = { table.unpack(point) }
    trial[i] = out
    result[k] = (f(table.unpack(trial)) - base) / (flat[k] - v)
    flat[k] = v
  end
  return result, random
end

--- Checks the symbolic gradient of `fun` (which takes variables, gives one) at the arrays `pt` against one-sided finite
-- differences of a random projection. Raises GradientError when both the absolute and the relative error are too large.
-- Options: n_tests (2), rng, eps, abs_tol, rel_tol, mode.
function M.verify_grad(fun, pt, options)
  local T, nd, compile = require("theano.tensor"), require("theano.ndarray"), require("theano.compile")
  local o = options or {}
  local rng = o.rng or nd.random.RandomState(1234)
  local vars, point = {}, {}
  for i, p in ipairs(pt) do
    point[i] = nd.asarray(p)
    if not tol_of[point[i].dtype] then
      util.raise("TypeError", "verify_grad: point %d has dtype %s, floats only", i, point[i].dtype)
    end
    local pattern = {}
    for d = 1, point[i].ndim do pattern[d] = point[i].shape[d] == 1 end
    vars[i] = T.TensorType(point[i].dtype, pattern)("input " .. (i - 1))
  end
  local out = fun(table.unpack(vars))
  local narrow = "float64"
  for _, p in ipairs(point) do if p.dtype == "float32" then narrow = "float32" end end
  if out.dtype == "float32" then narrow = "float32" end
  local eps, atol, rtol = o.eps or eps_of[narrow], o.abs_tol or tol_of[narrow], o.rel_tol or tol_of[narrow]
  local value = compile({ inputs = vars, outputs = compile.Out(out, { array = true }), mode = o.mode, on_unused_input = "ignore" })
  local shape = value(table.unpack(point)).shape
  for _ = 1, o.n_tests or 2 do
    local draw = out.ndim > 0 and rng:rand(shape) or rng:rand()
    local weight = T.constant(draw + 0.5, { dtype = out.dtype })
    local cost = T.sum(weight * out)
    local f = compile({ inputs = vars, outputs = cost, mode = o.mode, on_unused_input = "ignore" })
    local grads = M.grad(cost, vars, { disconnected_inputs = "ignore" })
    local outs = {}
    for i, g in ipairs(grads) do outs[i] = compile.Out(g, { array = true }) end
    local symbolic = table.pack(compile({ inputs = vars, outputs = outs, mode = o.mode, on_unused_input = "ignore" })(table.unpack(point)))
    for i in ipairs(point) do
      local n = numeric(f, point, i, eps)
      local s = symbolic[i]:reshape({ -1 })
      for k = 0, point[i].size - 1 do
        local abs = math.abs(s[k] - n[k])
        local rel = abs / math.max(math.abs(s[k]) + math.abs(n[k]), 1e-8)
        if not (abs <= atol or rel <= rtol) then
          util.raise("GradientError", "verify_grad: input %d, element %d: symbolic %g, numeric %g (absolute error %g, relative %g)",
            i - 1, k, s[k], n[k], abs, rel)
        end
      end
    end
  end
end

return M
