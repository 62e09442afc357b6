--- Functions to be minimised or solved, as nd.optimize and nd.integrate call them: compiled with their derivatives
-- where they build a graph of a Variable, else called as they are, with differences for derivatives. `install(nd)`
-- gives the module.
-- @module theano.ndobjective
local core = require("theano.core")
local util = require("theano.util")

local M = {}
local arr = core.asarray

local theano -- on first use: it requires us

--- theano and theano.tensor, which are complete only after the modules of arrays.
function M.modules()
  theano = theano or require("theano")
  return theano, theano.tensor
end

--- compile, but generated code is built beside: the first calls run in the interpreter, as all do in a sandbox, whose
-- flags are closed.
function M.compile(spec)
  if core.sealed() then return M.modules().compile(spec) end
  local _ <close> = M.modules().config.change_flags({ ["compile.tiers"] = true })
  return theano.compile(spec)
end

local MANY, LONG = 32, 1 << 16
local kept, ages = {}, {} -- by the text of a graph, oldest first

--- What `build` makes of a graph, or what it made of an equal one before: a table of compiled functions. Equal are
-- graphs of the same text; those with shared variables or operations of the user, which a text does not tell apart, are
-- none.
function M.once(name, outputs, build)
  local text = M.modules().printing.graph_text(outputs)
  if #text > LONG or text:find("shared", 1, true) or text:find("UserOp", 1, true) then return build() end
  local key = name .. "\n" .. text
  local made = kept[key]
  if made then return made end
  made = build()
  if #ages >= MANY then kept[table.remove(ages, 1)] = nil end
  kept[key], ages[#ages + 1] = made, key
  return made
end

--- The matrix of derivatives of a vector y by a vector x, a row for each element of y.
function M.jacobian(y, x)
  local T = select(2, M.modules())
  local columns = T.vmap(function(v) return T.Rop(y, x, v, { disconnected_outputs = "ignore" }) end)
  return columns(T.eye(x.shape[0], { dtype = "float64" })).T
end

--- A vector of float64 of what a user gives as a start.
function M.vector(what, x)
  x = arr(x)
  if x.ndim > 1 then util.raise("ValueError", "%s: x0 is a vector, not of %d dimensions", what, x.ndim) end
  if x.dtype:find("^c") then util.raise("TypeError", "%s: x0 is real, not %s", what, x.dtype) end
  return x:reshape({ -1 }):astype("float64"):copy()
end

-- What fn makes of a Variable, when it makes one: fn may be for numbers only.
local function graph_of(fn, ...)
  local fine, y = pcall(fn, ...)
  if fine and util.is_var(y) then return y end
end

local EPS = 2.0 ^ -26 -- the step of differences, relative
local WIDE = 2.0 ^ -13 -- of those of what is differences itself

-- The differences of fn at x, a column for each element; f: fn's value there.
local function differences(fn, x, f)
  local out, at = {}, x:copy()
  for i = 0, x.size - 1 do
    local v = x[i]
    local h = EPS * math.max(math.abs(v), 1.0) * (v < 0 and -1 or 1)
    at[i] = v + h
    out[i + 1] = (fn(at) - f) / (at[i] - v)
    at[i] = v
  end
  return out
end

--- What a function gave, as a float.
function M.number(what, v)
  if util.is_array(v) and v.size == 1 then v = v:reshape({}):item() end
  if type(v) ~= "number" then
    util.raise("TypeError", "%s: the function gives a number, not %s", what, util.kind_of(v))
  end
  return v + 0.0
end

--- A step of conjugate gradients towards H z = -g from z, where r is H z + g and Ad is H d, as Variables: the next z, r
-- and d, d's curve, and how large what is left is.
function M.conjugate(z, r, d, Ad)
  local _, T = M.modules()
  local rr, curve = T.dot(r, r), T.dot(d, Ad)
  local a = rr / curve
  local rest = r + a * Ad
  return { z + a * d, rest, (T.dot(rest, rest) / rr) * d - rest, curve, T.sum(T.abs(rest)) }
end

-- Of a graph: the cost of x, a vector; more: what else it is of, whose values stand in O.more.
local function compiled(O, cost, x, more)
  local _, T = M.modules()
  local function inputs(...) return table.move(more, 1, #more, select("#", ...) + 1, { ... }) end
  O.more, O.own = {}, true -- what it gives is nobody else's
  local plain = #more == 0
  local from, p, a = T.dvector("from"), T.dvector("p"), T.dscalar("a")
  cost = T.cast(cost, "float64")
  local function gradient() return T.grad(cost, x, { disconnected_inputs = "ignore" }) end
  local parts = M.once("scalar", { cost }, function() return {} end) -- compiled when they are asked for
  function O.value(v)
    parts.f = parts.f or M.compile { inputs = inputs(x), outputs = cost, on_unused_input = "ignore" }
    O.nfev = O.nfev + 1
    return parts.f(v, table.unpack(O.more))
  end
  function O.beside(v, w, by, less)
    if not parts.beside then
      local b = T.dscalar("b")
      local place = a * from - b * p
      parts.beside = M.compile { inputs = inputs(from, p, a, b), givens = { { x, place } }, on_unused_input = "ignore",
        outputs = { place, cost } }
    end
    O.nfev = O.nfev + 1
    return parts.beside(v, w, by, less, table.unpack(O.more))
  end
  function O.along(v, d, step)
    if not parts.line then
      local g, place = gradient(), from + a * p
      parts.line = M.compile { inputs = inputs(from, p, a), givens = { { x, place } }, on_unused_input = "ignore",
        outputs = { cost, T.dot(g, p), place, g, T.max(T.abs(g)) } }
    end
    O.nfev, O.njev = O.nfev + 1, O.njev + 1
    if plain then return parts.line(v, d, step) end
    return parts.line(v, d, step, table.unpack(O.more))
  end
  function O.both(v)
    local y, _, _, slope = O.along(v, v, 0.0)
    return y, slope
  end
  local function bent() return T.grad(T.dot(gradient(), p), x, { disconnected_inputs = "ignore" }) end
  function O.times(v, d)
    parts.hessian = parts.hessian or M.compile { inputs = inputs(x, p), on_unused_input = "ignore", outputs = bent() }
    return parts.hessian(v, d, table.unpack(O.more))
  end
  function O.conjugate(v, z, r, d)
    if not parts.conjugate then
      local z0, r0 = T.dvector("z"), T.dvector("r")
      parts.conjugate = M.compile { inputs = inputs(x, z0, r0, p), on_unused_input = "ignore",
        outputs = M.conjugate(z0, r0, p, bent()) }
    end
    return parts.conjugate(v, z, r, d, table.unpack(O.more))
  end
  return O
end

--- A scalar graph of a vector x, as a table like that of `scalar`. more: what else it is of, Variables whose values are
-- set as `more` of the table.
function M.graph(cost, x, more) return compiled({ nfev = 0, njev = 0 }, cost, x, more) end

--- A function of a vector that gives a number, as a table: `value(x)`; `both(x)`: value and gradient; `along(x, p, a)`:
-- the value at x + a p, its slope along p, that place, the gradient there and its largest element; `times(x, p)`: the
-- Hessian times p; `beside(v, w, a, b)`: the place a v - b w, and the value there; of a graph `conjugate(x, z, r, d)`:
-- a step of conjugate gradients with the Hessian at x. `nfev` and `njev` count. jac: nil (of a graph, or by
-- differences), a function, true (fn gives both) or false (differences, and no graph is tried). n: the length of x;
-- fn of one number may give a vector of one.
function M.scalar(what, fn, args, jac, n)
  util.expect(what, "fun", fn, "function")
  local O = { nfev = 0, njev = 0 }
  local _, T = M.modules()
  local x = T.dvector("x")
  local cost = jac == nil and graph_of(fn, x, table.unpack(args)) or nil
  if cost and cost.ndim == 1 and n == 1 then cost = T.reshape(cost, {}, 0) end
  if cost and cost.ndim ~= 0 then
    util.raise("ValueError", "%s: the function gives a number, not a tensor of %d dimensions", what, cost.ndim)
  end
  if cost then return compiled(O, cost, x, {}) end

  function O.value(v)
    O.nfev = O.nfev + 1
    local y = fn(v, table.unpack(args)) -- jac = true: the first of two
    return M.number(what, y)
  end
  function O.both(v)
    O.njev = O.njev + 1
    if jac == true then
      O.nfev = O.nfev + 1
      local y, g = fn(v, table.unpack(args))
      return M.number(what, y), arr(g)
    end
    local y = O.value(v)
    if type(jac) == "function" then return y, arr(jac(v, table.unpack(args))) end
    return y, core.array(differences(O.value, v, y), "float64")
  end
  function O.beside(v, w, by, less)
    local at = v * by - w * less
    return at, O.value(at)
  end
  function O.along(v, d, step)
    local at = v + d * step
    local y, g = O.both(at)
    return y, g:dot(d), at, g, theano.ndarray.max(theano.ndarray.abs(g))
  end
  function O.times(v, d) -- by differences of gradients
    local nd = theano.ndarray
    local h = (jac and EPS or WIDE) * math.max(1.0, nd.sqrt(v:dot(v))) / math.max(nd.sqrt(d:dot(d)), 1e-300)
    local _, g = O.both(v)
    local _, far = O.both(v + d * h)
    return (far - g) / h
  end
  return O
end

-- Variables for arrays, which are functions' data.
local function stand_ins(T, data)
  local out = {}
  for i, a in ipairs(data) do
    local pattern = {}
    for d, n in ipairs(a.shape) do pattern[d] = n == 1 end
    out[i] = T.TensorType(a.dtype, pattern)()
  end
  return out
end

--- A function of a vector that gives a vector: `value(x)` and `jacobian(x)`, the matrix with a row for each result;
-- `nfev`, `njev`. jac as for scalar. data: arrays that fn gets behind the others, Variables where it builds a graph of
-- them, so that an equal graph of other data is known again.
function M.vectors(what, fn, args, jac, data)
  util.expect(what, "fun", fn, "function")
  data = data or {}
  local O = { nfev = 0, njev = 0 }
  local _, T = M.modules()
  local x, given = T.dvector("x"), stand_ins(T, data)
  local function all(...)
    local list = { ... }
    return table.unpack(table.move(args, 1, #args, 1, table.move(list, 1, #list, #args + 1, {})))
  end
  local y = jac == nil and graph_of(fn, x, all(table.unpack(given))) or nil
  if not y and jac == nil and #data > 0 then
    y, given = graph_of(fn, x, all(table.unpack(data))), {}
  end
  if y then
    y = T.cast(y, "float64")
    if y.ndim > 1 then util.raise("ValueError", "%s: the function gives a vector, not %d dimensions", what, y.ndim) end
    if y.ndim == 0 then y = y:dimshuffle("x") end
    local inputs = { x, table.unpack(given) }
    local values = #given > 0 and data or {}
    local parts = M.once("vectors", { y }, function()
      return { f = M.compile { inputs = inputs, outputs = y, on_unused_input = "ignore" } }
    end)
    function O.value(v)
      O.nfev = O.nfev + 1
      return parts.f(v, table.unpack(values))
    end
    function O.jacobian(v)
      parts.J = parts.J or M.compile { inputs = inputs, outputs = M.jacobian(y, x), on_unused_input = "ignore" }
      O.njev = O.njev + 1
      return parts.J(v, table.unpack(values))
    end
    return O
  end
  function O.value(v)
    O.nfev = O.nfev + 1
    local r = fn(v, all(table.unpack(data))) -- jac = true: the first of two
    return arr(r):reshape({ -1 }):astype("float64")
  end
  function O.jacobian(v)
    O.njev = O.njev + 1
    if jac == true then return arr((select(2, fn(v, all(table.unpack(data)))))) end
    if type(jac) == "function" then return arr(jac(v, all(table.unpack(data)))) end
    return theano.ndarray.stack(differences(O.value, v, O.value(v)), 1)
  end
  return O
end

--- The arguments behind x: a list, or one value.
function M.args(what, args)
  if args == nil then return {} end
  return type(args) == "table" and getmetatable(args) == nil and util.list(what .. ": args", args) or { args }
end

return M
