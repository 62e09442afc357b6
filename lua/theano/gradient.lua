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

-- One-sided difference quotients of f with respect to every element of the i-th point, as a list from 0.
local function numeric(f, point, i, eps)
  local moved = point[i]:copy()
  local trial = { table.unpack(point) }
  trial[i] = moved
  local base, flat, result = f(table.unpack(point)), moved:reshape({ -1 }), {}
  for k = 0, flat.size - 1 do
    local v = flat[k]
    flat[k] = v + eps
    result[k] = (f(table.unpack(trial)) - base) / (flat[k] - v)
    flat[k] = v
  end
  return result
end

-- Symbolic inputs for the points, whose dimensions of length 1 broadcast.
local function variables(pt)
  local T, nd = require("theano.tensor"), require("theano.ndarray")
  local vars, point, narrow = {}, {}, "float64"
  for i, p in ipairs(pt) do
    point[i] = nd.asarray(p)
    if not tol_of[point[i].dtype] then
      util.raise("TypeError", "verify_grad: point %d has dtype %s, floats only", i - 1, point[i].dtype)
    end
    if point[i].dtype == "float32" then narrow = "float32" end
    local pattern = {}
    for d = 1, point[i].ndim do pattern[d] = point[i].shape[d] == 1 end
    vars[i] = T.TensorType(point[i].dtype, pattern)("input " .. (i - 1))
  end
  return vars, point, narrow
end

-- Compares one input's gradient: raises at the first element that differs too much.
local function compare(i, symbolic, wanted, tolerance)
  for k = 0, symbolic.size - 1 do
    local abs = math.abs(symbolic[k] - wanted[k])
    local rel = abs / math.max(math.abs(symbolic[k]) + math.abs(wanted[k]), 1e-8)
    if not (abs <= tolerance.abs or rel <= tolerance.rel) then
      util.raise("GradientError",
        "verify_grad: input %d, element %d: symbolic %g, numeric %g (absolute error %g, relative %g)", i - 1, k,
        symbolic[k], wanted[k], abs, rel)
    end
  end
end

local verify_known = util.set({ "n_tests", "rng", "eps", "abs_tol", "rel_tol", "mode" })

--- Checks the symbolic gradient of `fun` (which takes variables, gives one) at the arrays `pt` against one-sided finite
-- differences of a random projection. Raises GradientError when both the absolute and the relative error are too large.
-- Options: n_tests (2), rng, eps, abs_tol, rel_tol, mode.
function M.verify_grad(fun, pt, options)
  local T, nd, compile = require("theano.tensor"), require("theano.ndarray"), require("theano.compile")
  local o = options or {}
  util.check_keywords("verify_grad", o, verify_known)
  local vars, point, narrow = variables(pt)
  local out = fun(table.unpack(vars))
  if out.dtype == "float32" then narrow = "float32" end
  local tolerance = { abs = o.abs_tol or tol_of[narrow], rel = o.rel_tol or tol_of[narrow] }
  local function compiled(outputs)
    return compile({ inputs = vars, outputs = outputs, mode = o.mode, on_unused_input = "ignore" })
  end
  local rng = o.rng or nd.random.RandomState(1234)
  local shape = compiled(compile.Out(out, { array = true }))(table.unpack(point)).shape
  for _ = 1, o.n_tests or 2 do
    local cost = T.sum(T.constant(nd.asarray(rng:rand(shape) + 0.5, out.dtype), { dtype = out.dtype }) * out)
    local f, outs = compiled(cost), {}
    for i, g in ipairs(M.grad(cost, vars, { disconnected_inputs = "ignore" })) do
      outs[i] = compile.Out(g, { array = true })
    end
    local symbolic = table.pack(compiled(outs)(table.unpack(point)))
    for i in ipairs(point) do
      compare(i, symbolic[i]:reshape({ -1 }), numeric(f, point, i, o.eps or eps_of[narrow]), tolerance)
    end
  end
end

return M
