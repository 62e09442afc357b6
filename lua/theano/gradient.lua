--- Gradients: `grad(cost, wrt)`, and `verify_grad` to check them by finite differences.
-- @module theano.gradient
if not package.loaded["theano"] then require("theano") return require("theano.gradient") end -- it loads us
local core = require("theano.core")
local config = require("theano.config")
local updates = require("theano.updates")
local util = require("theano.util")

local M = {}
package.loaded["theano.gradient"] = M

local known = {
  consider_constant = true, disconnected_inputs = "string", add_names = "boolean", known_grads = true,
  return_disconnected = "string", null_gradients = "string",
}

local function list_of(what, v)
  if v == nil then return {} end
  return (util.variables(what, v))
end

-- A pair of known_grads: of numbers and arrays constants are made.
local function known_grad(i, v, g)
  local T = require("theano.tensor")
  util.check_type("grad: known_grads", ("pair %d, what is differentiated"):format(i), v, "Variable")
  if type(g) == "number" then g = T.constant(g, { dtype = v.dtype })
  elseif not util.is_var(g) then g = T.as_tensor_variable(g) end
  if g.type.ndim ~= v.type.ndim then
    util.raise("TypeError", "grad: known_grads, pair %d: the gradient of %s is a %s, and its variable a %s", i,
      tostring(v), tostring(g.type), tostring(v.type))
  end
  return v, g
end

local function options_of(o)
  util.check_keywords("grad", o, known)
  local list = { known = {}, known_grad = {} }
  list.consider_constant = list_of("grad: consider_constant", o.consider_constant)
  for i, p in ipairs(updates.pairs_of(o.known_grads, "known_grads")) do
    list.known[i], list.known_grad[i] = known_grad(i, p[1], p[2])
  end
  list.disconnected_inputs = o.disconnected_inputs
  local ret = o.return_disconnected or "zero"
  local letter = ({ zero = "z", none = "n", None = "n", disconnected = "d", Disconnected = "d" })[ret]
  if not letter then
    util.raise("ValueError", "return_disconnected must be 'zero', 'None' or 'Disconnected', not '%s'", ret)
  end
  list.disconnected = letter
  local null = o.null_gradients or "raise"
  if null ~= "raise" and null ~= "return" then
    util.raise("ValueError", "null_gradients must be 'raise' or 'return', not '%s'", tostring(null))
  end
  list.null_return = null == "return"
  list.no_names = o.add_names == false
  return list
end

-- Those of a list that are tensors: neither disconnected nor undefined.
local function tensors(list)
  local out = {}
  for _, v in ipairs(list) do
    if v and tostring(v.type):find("^TensorType") then out[#out + 1] = v end
  end
  return out
end

--- Gradient of a scalar with respect to a variable or a list of them (then a list comes back).
-- Options: consider_constant, disconnected_inputs, add_names, known_grads, return_disconnected, null_gradients.
function M.grad(cost, wrt, options)
  if cost ~= nil and not util.is_var(cost) then
    util.raise("TypeError", "grad: the cost is a symbolic Variable, got %s", type(cost))
  end
  local list, single = util.variables("grad: wrt", wrt)
  local g = core.grad(cost, list, options_of(options or {}))
  if config.test_values() then require("theano.test_value").built(table.unpack(tensors(g))) end
  if single then return g[1] or nil end
  return g
end

-- ---- the two operators and what is made of them
-- ------------------------------------------------------------------------
-- A Variable or a list of them, as a list, and whether it was a single one.
local function as_list(what, v, of)
  return util.variables(("%s: %s"):format(what, of), v)
end

local function points_of(what, points, f)
  local T = require("theano.tensor")
  local single = util.is_var(points) or util.is_array(points) or type(points) == "number"
  local list = single and { points } or points
  if type(list) ~= "table" or core.length(list, what .. ": the evaluation points") ~= #f then
    util.raise("ValueError", "%s: %d expressions need as many evaluation points, got %s", what, #f,
      type(list) == "table" and #list or util.kind_of(list))
  end
  local out = {}
  for i, p in ipairs(list) do
    out[i] = T.as_tensor_variable(p)
    if out[i].ndim ~= f[i].ndim then
      util.raise("ValueError", "%s: evaluation point %d has %d dimensions, its variable %s has %d", what, i,
        out[i].ndim,
        tostring(f[i]), f[i].ndim)
    end
  end
  return out
end

local function answer(list, single)
  if single then return list[1] or nil end
  return list
end

local lop_known = { consider_constant = true, disconnected_inputs = "string" }

--- Row vector times Jacobian: the sum over f of `eval_points` . d f / d wrt, for each wrt.
-- @param f a Variable or a list of them
-- @param wrt a Variable or a list of them; the result has its form
-- @param eval_points one of the shape of each f
-- @param options consider_constant, disconnected_inputs
function M.Lop(f, wrt, eval_points, options)
  local o = options or {}
  util.check_keywords("Lop", o, lop_known)
  local fs = as_list("Lop", f, "f")
  local ws, single = as_list("Lop", wrt, "wrt")
  local points, known_grads = points_of("Lop", eval_points, fs), {}
  for i, v in ipairs(fs) do known_grads[i] = { v, points[i] } end
  return answer(M.grad(nil, ws, {
    known_grads = known_grads, consider_constant = o.consider_constant, disconnected_inputs = o.disconnected_inputs,
  }), single)
end

local rop_known = { disconnected_outputs = "string", return_disconnected = "string" }

local function disconnected_output(v, o, policy)
  if policy ~= "ignore" then
    local text = ("Rop was asked for the derivative of an expression that no wrt reaches: %s; pass "
      .. 'disconnected_outputs = "ignore" to get zeros'):format(tostring(v))
    if policy == "raise" then util.raise("DisconnectedInputError", "%s", text) end
    io.stderr:write("warning: ", text, "\n")
  end
  local ret = (o.return_disconnected or "zero"):lower()
  if ret == "zero" then return require("theano.tensor").zeros_like(v) end
  if ret == "none" then return false end
  return core.grad_none("d")
end

-- Nothing differentiable leads from ws to f. That f is made of them all the same, as the gradient of `3 * x` is of the
-- form of x, makes it constant.
local function is_constant_in(f, ws)
  if not f.dtype:find("[fc]") then return false end
  local met = util.set(require("theano.gofgraph").ancestors({ f }))
  for _, w in ipairs(ws) do
    if met[w] then return true end
  end
  return false
end

--- Jacobian times vector: the sum over wrt of d f / d wrt . `eval_points`, for each f. Forward mode.
-- @param f a Variable or a list of them; the result has its form
-- @param wrt a Variable or a list of them
-- @param eval_points one of the shape of each wrt
-- @param options disconnected_outputs ("raise"), return_disconnected ("zero")
function M.Rop(f, wrt, eval_points, options)
  local o = options or {}
  util.check_keywords("Rop", o, rop_known)
  local policy = o.disconnected_outputs or "raise"
  if policy ~= "raise" and policy ~= "warn" and policy ~= "ignore" then
    util.raise("ValueError", "disconnected_outputs must be 'raise', 'warn' or 'ignore', not '%s'", tostring(policy))
  end
  local ret = (o.return_disconnected or "zero"):lower()
  if ret ~= "zero" and ret ~= "none" and ret ~= "disconnected" then
    util.raise("ValueError", "return_disconnected must be 'zero', 'None' or 'Disconnected', not '%s'",
      o.return_disconnected)
  end
  local fs, single = as_list("Rop", f, "f")
  local ws = as_list("Rop", wrt, "wrt")
  local out = core.rop(fs, ws, points_of("Rop", eval_points, ws))
  for i, v in ipairs(out) do
    if not v then out[i] = disconnected_output(fs[i], o, is_constant_in(fs[i], ws) and "ignore" or policy) end
  end
  return answer(out, single)
end

--- Gradients of a part of a graph: from `start` (pairs variable, gradient) and `cost` down to `wrt` and `end_`.
-- @return gradients of wrt, gradients of `end_`; with details also the parts from start and from cost
function M.subgraph_grad(wrt, end_, options)
  local o = options or {}
  util.check_keywords("subgraph_grad", o, { start = true, cost = true, details = "boolean" })
  if o.start == nil and o.cost == nil then
    util.raise("ValueError", "subgraph_grad: give start (known gradients), cost, or both")
  end
  local ws, ends = as_list("subgraph_grad", wrt, "wrt"), as_list("subgraph_grad", end_, "end")
  local params = table.move(ws, 1, #ws, 1, {})
  table.move(ends, 1, #ends, #params + 1, params)
  local function part(cost, known_grads)
    return M.grad(cost, params, { known_grads = known_grads, consider_constant = ends, disconnected_inputs = "ignore" })
  end
  local from_start = o.start ~= nil and part(nil, o.start) or nil
  local from_cost = o.cost ~= nil and part(o.cost) or nil
  local wrt_grads, end_grads = {}, {}
  for i = 1, #params do
    local g = from_start and from_cost and from_start[i] + from_cost[i] or (from_start or from_cost)[i]
    if i <= #ws then wrt_grads[i] = g else end_grads[i - #ws] = g end
  end
  if o.details then return wrt_grads, end_grads, from_start, from_cost end
  return wrt_grads, end_grads
end

local jac_known = lop_known

--- Jacobian of a vector (or gradient of a scalar): one matrix, a row for each element, for each wrt. The rows are
-- computed together (`T.vmap` of the gradient over the rows of an identity matrix).
-- @param expression of at most one dimension
-- @param options consider_constant, disconnected_inputs
function M.jacobian(expression, wrt, options)
  local o = options or {}
  util.check_keywords("jacobian", o, jac_known)
  if not util.is_var(expression) then
    util.raise("TypeError", "jacobian: the expression is a symbolic Variable, got %s", type(expression))
  end
  if expression.ndim > 1 then
    util.raise("ValueError", "jacobian expects an expression of at most one dimension, got one of %d: flatten it first",
      expression.ndim)
  end
  local ws, single = as_list("jacobian", wrt, "wrt")
  if expression.ndim == 0 then
    return answer(M.grad(expression, ws, o), single)
  end
  local T = require("theano.tensor")
  local dtype = expression.dtype:find("float") and expression.dtype or config.floatX
  local row = T.TensorType(dtype, expression.broadcastable)()
  local grads = M.grad(nil, ws, {
    known_grads = { { expression, row } }, consider_constant = o.consider_constant,
    disconnected_inputs = o.disconnected_inputs,
  })
  return answer(core.vmap(grads, { row }, { T.eye(expression.shape[0], { dtype = dtype }) }), single)
end

--- Hessian of a scalar: for each vector of wrt the matrix of second derivatives.
function M.hessian(cost, wrt, options)
  local o = options or {}
  util.check_keywords("hessian", o, jac_known)
  if not util.is_var(cost) then util.raise("TypeError", "hessian: the cost is a symbolic Variable, got %s",
    type(cost)) end
  if cost.ndim ~= 0 then util.raise("ValueError", "hessian: the cost must be a scalar, it has %d dimensions",
    cost.ndim) end
  local ws, single = as_list("hessian", wrt, "wrt")
  local out = {}
  for i, w in ipairs(ws) do
    if w.ndim ~= 1 then
      util.raise("ValueError", "hessian expects wrt to be 1-dimensional vectors, %s has %d dimensions", tostring(w),
        w.ndim)
    end
    local g = M.grad(cost, w, o)
    out[i] = M.jacobian(g, w, { consider_constant = o.consider_constant, disconnected_inputs = "ignore" })
  end
  return answer(out, single)
end

--- Hessian of a scalar times one vector for each wrt, without the matrix: the forward derivative of the gradient.
function M.hessian_vector_product(cost, wrt, p)
  local ws, single = as_list("hessian_vector_product", wrt, "wrt")
  local grads = M.grad(cost, ws)
  return answer(M.Rop(grads, ws, points_of("hessian_vector_product", p, ws), { disconnected_outputs = "ignore" }),
    single)
end

-- ---- vmap -----------------------------------------------------------------------------------------------------------
local function moved(x, from, to)
  local order, n = {}, x.ndim
  for d = 0, n - 1 do
    if d ~= from then order[#order + 1] = d end
  end
  table.insert(order, to + 1, from)
  return x:dimshuffle(order)
end

local function axis_of(axis, ndim, what)
  if math.type(axis) ~= "integer" or axis < -ndim or axis >= ndim then
    util.raise("ValueError", "vmap: axis %s is out of range for %s with %d dimensions", util.text(axis), what, ndim)
  end
  return axis < 0 and axis + ndim or axis
end

local function axes_of(axes)
  if axes == nil then return 0, 0 end
  if math.type(axes) == "integer" then return axes, 0 end
  if type(axes) ~= "table" then
    util.raise("TypeError",
      "vmap: the axes are an integer, a list of integers and false, or {in_axes = .., out_axes = ..}")
  end
  if not util.is_keywords(axes) then return util.list("vmap: the axes", axes), 0 end
  util.check_keywords("vmap", axes, { in_axes = "integer|table|boolean", out_axes = "integer" })
  if type(axes.in_axes) == "table" then util.list("vmap: in_axes", axes.in_axes) end
  return axes.in_axes == nil and 0 or axes.in_axes, axes.out_axes or 0
end

--- The function `fn` of Variables, applied to every element along one axis of its arguments at once. The graph that fn
-- builds is rewritten, operation by operation; there is no loop.
-- @param fn takes Variables without the mapped axis, returns one or several
-- @param axes axis of each argument (false: not mapped); one integer for all; or {in_axes = .., out_axes = ..}
-- @return a function of the whole arguments, whose results have the mapped axis at out_axes (0)
function M.vmap(fn, axes)
  local meta = type(fn) == "table" and getmetatable(fn)
  if type(fn) ~= "function" and not (type(meta) == "table" and meta.__call) then
    util.raise("TypeError", "vmap takes a function of Variables, got %s", util.kind_of(fn))
  end
  local in_axes, out_axis = axes_of(axes)
  return function(...)
    local T, n = require("theano.tensor"), select("#", ...)
    local args, inner, stand_in, mapped = { ... }, {}, {}, {}
    if type(in_axes) == "table" and #in_axes ~= n then
      util.raise("ValueError", "vmap: %d arguments but %d axes", n, #in_axes)
    end
    for i = 1, n do
      local axis = in_axes
      if type(axis) == "table" then axis = axis[i] end
      inner[i] = args[i]
      if axis then
        local x = T.as_tensor_variable(args[i])
        axis = axis_of(axis, x.ndim, "argument " .. i)
        local pattern = x.broadcastable
        table.remove(pattern, axis + 1)
        inner[i] = T.TensorType(x.dtype, pattern)(x.name)
        stand_in[#stand_in + 1], mapped[#mapped + 1] = inner[i], moved(x, axis, 0)
      end
    end
    local test_value = require("theano.test_value")
    local results = table.pack(test_value.without(fn, table.unpack(inner, 1, n)))
    if results.n == 0 then util.raise("ValueError", "vmap: the function returned nothing") end
    for i = 1, results.n do results[i] = T.as_tensor_variable(results[i]) end
    local out = core.vmap(results, stand_in, mapped)
    for i, v in ipairs(out) do out[i] = moved(v, 0, axis_of(out_axis, v.ndim, "result " .. i)) end
    test_value.built(table.unpack(out, 1, results.n))
    return table.unpack(out, 1, results.n)
  end
end

-- ---- for user-defined gradients
-- ------------------------------------------------------------------------------------------
local function none(what, op, position, x, comment)
  if position ~= nil and math.type(position) ~= "integer" then
    util.raise("TypeError", "a gradient that is %s: x_pos is the position of an input, got %s", what,
      util.kind_of(position))
  end
  if x ~= nil and not util.is_var(x) then
    util.raise("TypeError", "a gradient that is %s: x is the input, a Variable, got %s", what, util.kind_of(x))
  end
  util.check_type("a gradient that is " .. what, "comment", comment, "string")
  return core.grad_none("n", ("%s: the gradient of %s with respect to its input %s (%s)%s"):format(what, tostring(op),
    tostring(position), tostring(x), comment and (": " .. comment) or ""))
end

--- What an operation's grad returns for an input whose gradient nobody has written.
function M.grad_not_implemented(op, x_pos, x, comment)
  return none("not implemented", op, x_pos, x, comment)
end

--- What an operation's grad returns for an input in which it is not differentiable.
function M.grad_undefined(op, x_pos, x, comment)
  return none("not defined", op, x_pos, x, comment)
end

--- The type of gradients that no path leads to: `DisconnectedType()()` is one, for a user-defined grad to return.
function M.DisconnectedType()
  return function() return core.grad_none("d") end
end

local eps_of = { float64 = 1e-7, float32 = 3e-4, float16 = 1e-1 }
local tol_of = { float64 = 1e-4, float32 = 1e-2, float16 = 5e-2 }

-- One-sided difference quotients of f with respect to every element of the i-th point, as a list from 0.
local function numeric(f, point, i, eps)
  local nudged = point[i]:copy()
  local trial = { table.unpack(point) }
  trial[i] = nudged
  local base, flat, result = f(table.unpack(point)), nudged:reshape({ -1 }), {}
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
  for i, p in ipairs(util.list("verify_grad: the points", pt)) do
    point[i] = nd.asarray(p)
    if not tol_of[point[i].dtype] then
      util.raise("TypeError", "verify_grad: point %d has dtype %s, floats only", i - 1, point[i].dtype)
    end
    if tol_of[point[i].dtype] > tol_of[narrow] then narrow = point[i].dtype end
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

local verify_known = {
  n_tests = "integer", rng = "userdata", eps = "number", out_type = "string", abs_tol = "number", rel_tol = "number",
  mode = true, cast_to_output_type = "boolean",
}

--- Checks the symbolic gradient of `fun` (which takes variables, gives one) at the arrays `pt` against one-sided finite
-- differences of a random projection. Raises GradientError when both the absolute and the relative error are too large.
-- Options: n_tests (2), rng, eps, abs_tol, rel_tol, mode; out_type: the dtype whose tolerances count; the projection is
-- in float64 unless cast_to_output_type is true.
function M.verify_grad(fun, pt, options)
  local T, nd, compile = require("theano.tensor"), require("theano.ndarray"), require("theano.compile")
  local o = options or {}
  local meta = type(fun) == "table" and getmetatable(fun)
  if not (meta and meta.__call) then util.expect("verify_grad", "fun", fun, "function") end -- a theano.Op is called too
  util.check_keywords("verify_grad", o, verify_known)
  if o.out_type and not tol_of[o.out_type] then
    util.raise("ValueError", "verify_grad: out_type is float16, float32 or float64, not '%s'", o.out_type)
  end
  local vars, point, narrow = variables(pt)
  local out = fun(table.unpack(vars))
  for _, dtype in ipairs({ out.dtype, o.out_type }) do
    if tol_of[dtype] and tol_of[dtype] > tol_of[narrow] then narrow = dtype end
  end
  local weights = o.cast_to_output_type and out.dtype or "float64"
  local tolerance = { abs = o.abs_tol or tol_of[narrow], rel = o.rel_tol or tol_of[narrow] }
  local function compiled(inputs, outputs)
    return compile({ inputs = inputs, outputs = outputs, mode = o.mode, on_unused_input = "ignore" })
  end
  local shape = compiled(vars, compile.Out(out, { array = true }))(table.unpack(point)).shape
  -- The projection is an input, so that one function and one gradient serve all tests.
  local projection = T.TensorType(weights, out.broadcastable)("projection")
  local cost, outs, inputs = T.sum(projection * out), {}, { projection, table.unpack(vars) }
  for i, g in ipairs(M.grad(cost, vars, { disconnected_inputs = "ignore" })) do
    outs[i] = compile.Out(g, { array = true })
  end
  local f, gradients = compiled(inputs, cost), compiled(inputs, outs)
  local rng = o.rng or nd.random.RandomState(1234)
  for _ = 1, o.n_tests or 2 do
    local w = nd.asarray(rng:rand(shape) + 0.5, weights)
    local symbolic = table.pack(gradients(w, table.unpack(point)))
    local function projected(...) return f(w, ...) end
    for i in ipairs(point) do
      compare(i, symbolic[i]:reshape({ -1 }), numeric(projected, point, i, o.eps or eps_of[narrow]), tolerance)
    end
  end
end

-- disconnected_grad, zero_grad, undefined_grad, grad_clip, grad_scale
for name, f in pairs(require("theano.tensor").gradient) do M[name] = f end

--- x, whose gradient is zero: Theano's older name of zero_grad.
function M.consider_constant(x)
  return M.zero_grad(x)
end

--- Rows of a matrix picked by positions, whose gradient Theano makes a sparse matrix; here it is dense, with the same
-- numbers, so that it goes wherever a gradient goes.
-- @param var x[i] of an integer vector i
function M.sparse_grad(var)
  local owner = require("theano.core").kind(var) == "variable" and var.owner
  if not owner or not tostring(owner.op):find("^AdvancedSubtensor1") then
    require("theano.util").raise("TypeError", "sparse_grad: x[i] of an integer vector i is expected, got %s",
      tostring(var))
  end
  return var
end

require("theano.tensor").gradient = M

-- Keywords of Theano's functions in its order: they may be given by position.
local GIVEN = { "consider_constant", "disconnected_inputs" }
for name, at in pairs({
  grad = { 2, { "consider_constant", "disconnected_inputs", "add_names", "known_grads", "return_disconnected",
    "null_gradients" } },
  Lop = { 3, GIVEN }, jacobian = { 2, GIVEN }, hessian = { 2, GIVEN },
  Rop = { 3, { "disconnected_outputs", "return_disconnected" } },
  subgraph_grad = { 2, { "start", "cost", "details" } },
  verify_grad = { 2, { "n_tests", "rng", "eps", "out_type", "abs_tol", "rel_tol", "mode", "cast_to_output_type" } },
}) do
  M[name] = util.by_position(name, M[name], at[1], at[2])
end

return M
