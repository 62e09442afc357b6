--- What a random program may contain: one entry a family, each adds a line to a program or declines (nil).
-- Domains keep rounding tame: discrete answers are asked of exact values only, logarithms stay away from their poles.
-- @module spec.support.fuzz_ops
local M = {}

local entries, total = {}, 0

local function entry(name, weight, smooth, make)
  entries[#entries + 1] = { name = name, weight = weight, smooth = smooth, make = make }
  total = total + weight
end

--- An entry by weight; with `smooth_only` one whose lines are differentiable.
function M.choose(rng, smooth_only)
  while true do
    local at = rng:int(1, total)
    for _, e in ipairs(entries) do
      at = at - e.weight
      if at <= 0 then
        if e.smooth or not smooth_only then return e end
        break
      end
    end
  end
end

function M.names()
  local list = {}
  for i, e in ipairs(entries) do list[i] = e.name end
  return list
end

-- ---- dtypes -------------------------------------------------------------------------------------------------------
local function any_float(d) return d == "float32" or d == "float64" end
local function any_int(d) return d:find("^u?int") ~= nil end
local function bits(d) return any_int(d) or d == "bool" end
local function real(d) return any_float(d) or bits(d) end
local function number(d) return any_float(d) or any_int(d) end
local function complex(d) return d:find("^complex") ~= nil end

local function float_leaf(p, rng, lo, hi, shape, bcast)
  return p:new_leaf(rng:pick({ "float64", "float64", "float32" }), math.max(lo, -3),
    math.min(hi, math.max(lo, -3) + 5), shape, bcast)
end

local function float_operand(p, rng, lo, hi, accept)
  local n = p:operand(any_float, lo, hi, accept)
  if not n and not accept then n = float_leaf(p, rng, lo, hi) end
  return n
end

--- Second operand that broadcasts with x.
local function partner(p, rng, x, dtype_ok, lo, hi, accept)
  local fuzz = require("spec.support.fuzz")
  local n = p:operand(dtype_ok, lo, hi, function(y) return fuzz.compatible(x, y) and (not accept or accept(y)) end)
  if n then return n end
  local shape, bcast = p:partner_shape(x)
  local dtype = dtype_ok("float64") and rng:pick({ "float64", "float32" }) or dtype_ok("int32")
    and rng:pick({ "int8", "int32", "int64" }) or "bool"
  if dtype_ok(x.dtype) and rng:chance(0.6) then dtype = x.dtype end
  lo, hi = math.max(lo, -3), math.min(hi, math.max(lo, -3) + 5)
  return p:new_leaf(dtype, lo, hi, shape, bcast)
end

-- ---- elementwise --------------------------------------------------------------------------------------------------
local unary = {
  { "exp", -6, 5 }, { "exp2", -6, 5 }, { "expm1", -6, 5 }, { "log", 0.05, 200 }, { "log2", 0.05, 200 },
    { "log10", 0.05, 200 },
  { "log1p", -0.9, 200 }, { "sqrt", 0.05, 200 }, { "inv", 0.05, 200 }, { "inv", -200, -0.05 }, { "sin", -20, 20 },
    { "cos", -20, 20 },
  { "tan", -1.3, 1.3 }, { "arcsin", -0.95, 0.95 }, { "arccos", -0.95, 0.95 }, { "arctan", -200, 200 },
    { "sinh", -4, 4 },
  { "cosh", -4, 4 }, { "tanh", -200, 200 }, { "arcsinh", -200, 200 }, { "arccosh", 1.1, 200 }, { "arctanh", -0.9, 0.9 },
  { "erf", -4, 4 }, { "erfc", -4, 4 }, { "nnet.sigmoid", -30, 30 }, { "nnet.softplus", -30, 30 },
    { "sigmoid", -30, 30 },
  { "softplus", -30, 30 }, { "deg2rad", -200, 200 }, { "rad2deg", -3, 3 }, { "neg", -200, 200 }, { "sqr", -14, 14 },
  { "abs_", 0.01, 200 }, { "abs_", -200, -0.01 }, { "identity_", -200, 200 }, { "nnet.softsign", 0.01, 50 },
}
for _, u in ipairs(unary) do
  local name, lo, hi = u[1], u[2], u[3]
  if name ~= "identity_" then
    entry(name, 3, true, function(p, rng)
      return p:step(("T.%s(%%1)"):format(name), { float_operand(p, rng, lo, hi).id }, {})
    end)
  end
end

for _, name in ipairs({ "sqr", "abs_", "sqrt", "exp", "sin", "nnet.sigmoid", "neg", "log1p", "sgn" }) do
  entry(name .. " of integers", 1, false, function(p)
    local n = p:operand(number, name == "sqrt" and 1 or name == "log1p" and 0 or -5, 5,
      function(x) return any_int(x.dtype) end)
    if not n or (name == "neg" and n.dtype:sub(1, 1) == "u") then return nil end
    return p:step(("T.%s(%%1)"):format(name), { n.id }, { smooth = false })
  end)
end

for _, name in ipairs({ "sgn", "ceil", "floor", "trunc", "round_half_to_even", "round_half_away_from_zero", "isnan",
  "isinf" }) do
  entry(name, 2, false, function(p)
    local n = p:operand(any_float, -200, 200, function(x) return x.exact end)
    return n and p:step(("T.%s(%%1)"):format(name), { n.id }, { exact = true, smooth = false })
  end)
end

for _, name in ipairs({ "nnet.relu", "nnet.elu", "nnet.hard_sigmoid", "abs_" }) do
  entry(name .. " with its corner", 2, false, function(p, rng)
    return p:step(("T.%s(%%1)"):format(name), { float_operand(p, rng, -6, 6).id }, { smooth = false })
  end)
end


local function binary(name, text, weight, smooth, xlo, xhi, ylo, yhi)
  entry(name, weight, smooth, function(p, rng)
    local x = float_operand(p, rng, xlo, xhi)
    local y = partner(p, rng, x, any_float, ylo, yhi)
    return p:step(text, { x.id, y.id }, { smooth = smooth })
  end)
end
binary("add", "T.add(%1, %2)", 10, true, -200, 200, -200, 200)
binary("sub", "%1 - %2", 10, true, -200, 200, -200, 200)
binary("mul", "%1 * %2", 12, true, -200, 200, -200, 200)
binary("true_div", "%1 / %2", 8, true, -200, 200, 0.1, 200)
binary("true_div by negative", "%1 / %2", 3, true, -200, 200, -200, -0.1)
binary("pow", "%1 ^ %2", 3, true, 0.1, 4, -3, 3)
binary("maximum", "T.maximum(%1, %2)", 3, false, -200, 200, -200, 200)
binary("minimum", "T.minimum(%1, %2)", 3, false, -200, 200, -200, 200)
binary("arctan2", "T.arctan2(%1, %2)", 2, true, -50, 50, 0.1, 50)
binary("second", "T.second(%1, %2)", 2, true, -200, 200, -200, 200)
binary("add of three", "T.add(%1, %2, %1)", 2, true, -60, 60, -60, 60)
binary("mul of three", "T.mul(%1, %2, %1)", 2, true, -5, 5, -5, 5)

for _, c in ipairs({ "1", "2", "3", "-1", "-2", "0.5", "1.5", "-0.5", "0.1", "0" }) do
  for _, op in ipairs({ "+", "*", "-" }) do
    entry(("x %s %s"):format(op, c), 1, true, function(p, rng)
      return p:step(("%%1 %s (%s)"):format(op, c), { float_operand(p, rng, -100, 100).id }, {})
    end)
  end
  entry(("%s / x"):format(c), 1, true, function(p, rng)
    return p:step(("(%s) / %%1"):format(c), { float_operand(p, rng, 0.1, 100).id }, {})
  end)
  entry(("x ^ %s"):format(c), 1, true, function(p, rng)
    return p:step(("%%1 ^ (%s)"):format(c), { float_operand(p, rng, 0.2, 4).id }, {})
  end)
end

local function small(x, limit) return math.max(math.abs(x.lo), math.abs(x.hi)) <= limit end
local function unsigned(x) return x.dtype == "bool" or x.dtype:sub(1, 1) == "u" end

for name, text in pairs({ add = "%1 + %2", mul = "%1 * %2", sub = "%1 - %2", maximum = "T.maximum(%1, %2)",
  true_div = "%1 / %2",
  minimum = "T.minimum(%1, %2)", int_div = "%1 // %2", mod = "%1 %% %2" }) do
  M.pending = M.pending or {}
  M.pending[#M.pending + 1] = { name, text }
end
table.sort(M.pending, function(x, y) return x[1] < y[1] end)
for _, item in ipairs(M.pending) do
  local name, text = item[1], (item[2]:gsub("%%%%", "%%"))
  entry(name .. " of integers", 3, false, function(p, rng)
    local x = p:operand(any_int, -10, 10) or p:new_leaf(rng:pick({ "int8", "int32", "int64", "uint8" }), -3, 3)
    local divides = name == "int_div" or name == "mod" or name == "true_div"
    local y = partner(p, rng, x, any_int, divides and 1 or -10, 10)
    if name == "sub" and (unsigned(x) or unsigned(y)) then return nil end
    if divides and y.lo < 1 then return nil end
    if not small(x, 10) or not small(y, 10) then return nil end
    return p:step(text, { x.id, y.id }, { smooth = false, limit = 120 })
  end)
end
M.pending = nil

for _, item in ipairs({ { "int_div", "%1 // %2" }, { "mod", "T.mod(%1, %2)" } }) do
  entry(item[1] .. " of floats", 2, false, function(p, rng)
    local x = p:operand(any_float, -100, 100, function(n) return n.exact end)
    local y = x and partner(p, rng, x, any_float, 0.3, 100, function(n) return n.exact end)
    if not y or y.dtype ~= x.dtype or not y.exact then return nil end
    return p:step(item[2], { x.id, y.id }, { exact = true, smooth = false })
  end)
end

for _, name in ipairs({ "lt", "gt", "le", "ge", "eq", "neq" }) do
  entry(name, 2, false, function(p, rng)
    local exact = function(n) return n.exact end
    local x = p:operand(real, -200, 200, exact)
    local y = x and partner(p, rng, x, real, -200, 200, exact)
    if not y or not y.exact then return nil end
    return p:step(("T.%s(%%1, %%2)"):format(name), { x.id, y.id }, { smooth = false })
  end)
end

for _, name in ipairs({ "and_", "or_", "xor" }) do
  entry(name, 2, false, function(p, rng)
    local x = p:operand(bits, -200, 200) or p:new_leaf("bool", 0, 1)
    local y = partner(p, rng, x, function(d) return (d == "bool") == (x.dtype == "bool") and bits(d) end, -200, 200)
    if x.dtype ~= y.dtype and unsigned(x) ~= unsigned(y) then return nil end -- may meet in float64
    return p:step(("T.%s(%%1, %%2)"):format(name), { x.id, y.id }, { smooth = false })
  end)
end
entry("invert", 2, false, function(p)
  local x = p:operand(bits, -200, 200, function(n) return n.dtype == "bool" or not unsigned(n) end)
  return x and p:step("T.invert(%1)", { x.id }, { smooth = false })
end)

entry("switch", 6, true, function(p, rng)
  local x = float_operand(p, rng, -200, 200)
  local y = partner(p, rng, x, any_float, -200, 200)
  local c = partner(p, rng, x, bits, -200, 200)
  local fuzz = require("spec.support.fuzz")
  if not fuzz.compatible(c, y) then return nil end
  return p:step("T.switch(%1, %2, %3)", { c.id, x.id, y.id }, {})
end)
entry("clip", 2, false, function(p, rng)
  local x = float_operand(p, rng, -200, 200)
  return p:step(rng:pick({ "T.clip(%1, -0.5, 0.7)", "T.clip(%1, 0, 1)", "%1:clip(-2, 2)" }), { x.id },
    { smooth = false })
end)
entry("cast", 4, true, function(p, rng)
  local to = rng:pick({ "float32", "float64", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16",
    "uint32", "uint64", "bool" })
  local x = p:operand(real, unsigned({ dtype = to }) and 0 or -100, 100,
    function(n) return any_float(to) or n.exact end)
  if not x then return nil end
  return p:step(('T.cast(%%1, "%s")'):format(to), { x.id }, { exact = x.exact, smooth = any_float(x.dtype) or nil })
end)

-- ---- shapes of rules ----------------------------------------------------------------------------------------------
-- Left sides of rewrites and their neighbours: text, then the range of each operand.
local templates = {
  { "T.log(1 - T.nnet.sigmoid(%1))", -8, 8 }, { "T.log(T.nnet.sigmoid(%1))", -8, 8 },
    { "T.log1p(-T.nnet.sigmoid(%1))", -8, 8 },
  { "T.log1p(T.exp(%1))", -20, 5 }, { "T.log(1 + T.exp(%1))", -8, 5 }, { "T.log(T.exp(%1))", -6, 5 },
    { "T.exp(%1) - 1", -4, 4 },
  { "T.log1p(T.expm1(%1))", -3, 4 }, { "T.log(1 + %1)", -0.8, 100 }, { "T.log(1 - %1)", -100, 0.8 },
    { "1 / (1 + T.exp(-%1))", -8, 8 },
  { "1 / (1 + T.exp(%1))", -8, 8 }, { "T.inv(1 + T.exp(%1))", -8, 8 }, { "T.exp(%1) / (1 + T.exp(%1))", -8, 5 },
  { "T.exp(%1) / (T.exp(%1) + 1)", -8, 5 }, { "1 - T.nnet.sigmoid(%1)", -8, 8 },
    { "%1 / (1 - T.nnet.sigmoid(-%1))", -3, 3 },
  { "%1 / (1 - T.nnet.sigmoid(%1))", -3, 3 }, { "T.tanh(T.arctanh(%1))", -0.9, 0.9 },
    { "T.arctanh(T.tanh(T.clip(%1, -2, 2)))", -2, 2 },
  { "T.sinh(T.arcsinh(%1))", -9, 9 }, { "T.arcsinh(T.sinh(%1))", -4, 4 }, { "T.cosh(T.arccosh(%1))", 1.1, 9 },
  { "T.arccosh(T.cosh(T.maximum(%1, 0.3)))", 0.5, 4 },
    { "T.deg2rad(T.rad2deg(%1))", -9, 9 }, { "T.rad2deg(T.deg2rad(%1))", -9, 9 },
  { "T.inv(T.inv(%1))", 0.2, 9 }, { "-(-%1)", -200, 200 }, { "-(-%1 / 3)", -200, 200 }, { "-(3 / %1)", 0.2, 200 },
    { "%1 - %1", -200, 200 },
  { "%1 * %1", -14, 14 }, { "%1 * %1 * %1", -5, 5 }, { "(%1 * 2) / 2", -50, 50 }, { "(%1 + 2) - 2", -50, 50 },
    { "2 * %1 + 3 * %1", -20, 20 },
  { "%1 / %1", 0.1, 200 }, { "(%1 * 3) * (%1 / 3)", -9, 9 }, { "T.exp(%1) * T.exp(-%1)", -4, 4 },
    { "T.sqr(T.sqrt(%1))", 0.1, 100 },
  { "T.sqrt(T.sqr(%1))", 0.1, 14 }, { "T.abs_(T.abs_(%1))", 0.1, 100 }, { "T.abs_(%1 * %1)", 0.1, 10 },
    { "T.switch(1, %1, -%1)", -100, 100 },
  { "T.switch(T.lt(%1.shape[0] - %1.shape[0], 1), %1, -%1)", -100, 100, 1 }, { "%1 * T.ones_like(%1)", -100, 100 },
  { "%1 + T.zeros_like(%1)", -100, 100 }, { "T.second(%1, 2.5)", -100, 100 }, { "%1 * T.second(%1, 2.5)", -40, 40 },
  { "T.sum(%1 * 2.5)", -9, 9 }, { "T.sum(-%1)", -9, 9 }, { "T.sum(%1 / 4.0)", -9, 9 }, { "T.prod(%1 * 1.5)", 0.5, 1.2 },
  { "T.log(T.sum(T.exp(%1)))", -4, 4 }, { "T.sum(T.sum(%1, {axis = 0}))", -9, 9, 2 },
    { "T.sum(%1.T, {axis = 0})", -9, 9, 2 },
  { "T.sum(%1:dimshuffle(\"x\", 0, 1), {axis = 0})", -9, 9, 2 }, { "%1.T.T", -200, 200, 2 },
    { "T.exp(%1.T).T", -4, 4, 2 },
  { "T.log(T.nnet.softmax(%1))", -4, 4, 2 }, { "T.nnet.softmax(%1) * 3", -4, 4, 2 },
    { "T.nnet.softmax(%1 - 2)", -4, 4, 2 },
  { "-T.log(T.nnet.softmax(%1))[\"0\"]", -4, 4, 2 }, { "T.neg(%1) * -2", -50, 50 }, { "(-%1) * (-%1)", -9, 9 },
    { "T.dot(%1, %1.T) * 2.5", -3, 3, 2 },
  { "T.dot(%1.T, %1) + 1", -3, 3, 2 }, { "T.dot(%1, %1.T) + T.dot(%1, %1.T)", -3, 3, 2 },
    { "0.5 * T.dot(%1, %1.T) - T.dot(%1, %1.T) * 0.1", -3, 3, 2 },
  { "T.dot(%1.T, %1[\":, 0\"])", -3, 3, 2 }, { "T.dot(%1, %1[\"0\"]) * 2 + 1", -3, 3, 2 },
    { "T.exp(%1)[\"0\"]", -4, 4, 1 },
  { "T.exp(%1)[\"::-1\"][\"1:\"]", -4, 4, 1 }, { "%1[\"::-1\"][\"::-1\"]", -100, 100, 1 },
    { "T.sum(%1, {axis = 0}) / %1.shape[0]", -9, 9, 1 },
  { "%1:mean() * %1.shape[0]", -9, 9, 1 }, { "(%1 - %1:mean()) / T.sqrt(%1:var() + 1)", -9, 9, 1 },
    { "T.alloc(2.0, %1.shape[0]) * %1.shape[0]", -9, 9, 1 },
  { "%1 + T.alloc(1.0, %1.shape[0])", -9, 9, 0, 1 }, { "%1:reshape({-1}):reshape({-1, 1})", -100, 100 },
    { "T.join(0, %1, %1)[\"1:\"]", -100, 100, 1 },
  { "T.max(%1 + 1, {axis = 0})", -9, 9, 1, nil, true }, { "T.min(-%1)", -9, 9, nil, nil, true },
    { "T.maximum(%1, %1)", -9, 9, nil, nil, true },
  { "%1 * 0 + 1", -9, 9 }, { "0 / %1", 0.1, 9 }, { "%1 ^ 2 - %1 * %1", -9, 9 }, { "-(%1 - 1)", -9, 9 },
    { "T.log(%1 * 2)", 0.1, 90 },
  { "T.dot(%1, %1.T)[\"0\"]", -3, 3, 2 }, { "T.dot(%1[\"0\"], %1.T)", -3, 3, 2 },
    { "T.outer(%1[\"0\"], %1[\":, 0\"]) * 0.1 + 1", -3, 3, 2 },
}
local function template(text, lo, hi, is)
  entry("template " .. text:gsub("%%1", "x"), 2, not is.rough and not is.exact, function(p, rng)
    local x = p:operand(any_float, lo, hi, function(n)
      return #n.shape >= (is.rank or 0) and (not is.ndim or #n.shape == is.ndim) and (not is.exact or n.exact)
    end)
    if not x then
      local low = math.max(lo, -2)
      local shape, bcast = p:new_shape(is.ndim or rng:int(is.rank or 0, 3))
      x = p:new_leaf(rng:pick({ "float64", "float32" }), low, math.min(hi, low + 3), shape, bcast)
    end
    if #x.shape > 0 and x.size == 0 then return nil end
    return p:step(text, { x.id }, { smooth = not is.rough and not is.exact })
  end)
end
for _, t in ipairs(templates) do
  template(t[1], t[2], t[3], { rank = t[4], ndim = t[5] or t[4] == 2 and 2 or nil, rough = t[6] })
end
for _, t in ipairs(require("spec.support.fuzz_rules")) do template(t[1], t[2], t[3], t) end

entry("x // 1 of integers", 2, false, function(p)
  local x = p:operand(any_int, -50, 50)
  return x and p:step("%1 // 1", { x.id }, { smooth = false })
end)

-- ---- reductions ---------------------------------------------------------------------------------------------------
local function axes_text(rng, ndim)
  local kind = rng:int(1, 4)
  if ndim == 0 or kind == 1 then return "" end
  if kind <= 3 then return ("axis = %d"):format(rng:int(-ndim, ndim - 1)) end
  local list = {}
  for d = 0, ndim - 1 do
    if rng:chance(0.6) then list[#list + 1] = d end
  end
  if #list == 0 then list[1] = 0 end
  return "axis = {" .. table.concat(list, ", ") .. "}"
end

local function options(rng, ndim, keep)
  local words = {}
  local axis = axes_text(rng, ndim)
  if axis ~= "" then words[1] = axis end
  if keep and rng:chance(0.3) then words[#words + 1] = "keepdims = true" end
  return #words > 0 and ", {" .. table.concat(words, ", ") .. "}" or ""
end

for name, facts in pairs({ sum = { -200, 200, true, 10 }, mean = { -200, 200, true, 6 }, prod = { 0.4, 1.6, true, 3 },
  max = { -200, 200, false, 4 },
  min = { -200, 200, false, 3 }, var = { -10, 10, true, 2 } }) do
  M.pending = M.pending or {}
  M.pending[#M.pending + 1] = { name, table.unpack(facts) }
end
table.sort(M.pending, function(x, y) return x[1] < y[1] end)
for _, f in ipairs(M.pending) do
  entry(f[1], f[5], f[4], function(p, rng)
    local x = float_operand(p, rng, f[2], f[3])
    if x.size == 0 then return nil end
    return p:step(("T.%s(%%1%s)"):format(f[1], options(rng, #x.shape, true)), { x.id }, { smooth = f[4] })
  end)
end
M.pending = nil
for _, name in ipairs({ "sum", "prod", "max", "mean", "min" }) do
  entry(name .. " of integers", 1, false, function(p, rng)
    local x = p:operand(bits, name == "prod" and -2 or -20, name == "prod" and 2 or 20, function(n)
      return not (name == "min" and (unsigned(n))) and not (n.dtype == "bool" and (name == "max" or name == "min"))
    end)
    return x and x.size > 0 and p:step(("T.%s(%%1%s)"):format(name, options(rng, #x.shape, true)), { x.id },
      { smooth = false })
  end)
end
for _, name in ipairs({ "argmax", "argmin", "any", "all" }) do
  entry(name, 2, false, function(p, rng)
    local x = p:operand(real, -200, 200, function(n)
      return n.exact and n.size > 0 and (name:sub(1, 1) == "a" and (name ~= "argmin" or not unsigned(n)))
    end)
    if not x or (x.dtype == "bool" and name:find("^arg")) then return nil end
    local axis = name:find("^arg") and (#x.shape > 0 and rng:chance(0.7)
      and (", {axis = %d}"):format(rng:int(0, #x.shape - 1)) or "")
      or options(rng, #x.shape, true)
    return p:step(("T.%s(%%1%s)"):format(name, axis), { x.id }, { smooth = false })
  end)
end

-- ---- shapes -------------------------------------------------------------------------------------------------------
local function with_rank(p, lo, hi, accept)
  return p:operand(real, -200, 200, function(n) return #n.shape >= lo and #n.shape <= hi and n.size > 0
    and (not accept or accept(n)) end)
end

entry("dimshuffle", 8, true, function(p, rng)
  local x = with_rank(p, 0, 3)
  if not x then return nil end
  local order = {}
  for d = 1, #x.shape do
    if not (x.bcast[d] and rng:chance(0.4)) then table.insert(order, rng:int(1, #order + 1), tostring(d - 1)) end
  end
  for _ = 1, rng:pick({ 0, 0, 1, 1, 2 }) do table.insert(order, rng:int(1, #order + 1), '"x"') end
  if #order == 0 and #x.shape == 0 then return nil end
  if #order == 0 then order[1] = '"x"' end
  return p:step(("%%1:dimshuffle(%s)"):format(table.concat(order, ", ")), { x.id }, { exact = x.exact })
end)
entry("transpose", 3, true, function(p)
  local x = with_rank(p, 2, 4)
  return x and p:step("%1.T", { x.id }, { exact = x.exact })
end)
entry("reshape", 5, true, function(p, rng)
  local x = with_rank(p, 0, 4)
  if not x then return nil end
  local rest, dims = x.size, {}
  for _ = 1, rng:int(0, 2) do
    local divisors = {}
    for d = 1, rest do
      if rest % d == 0 then divisors[#divisors + 1] = d end
    end
    dims[#dims + 1] = rng:pick(divisors)
    rest = rest // dims[#dims]
  end
  dims[#dims + 1] = rng:chance(0.3) and -1 or rest
  return p:step(("%%1:reshape({%s})"):format(table.concat(dims, ", ")), { x.id }, { exact = x.exact })
end)
entry("flatten", 2, true, function(p)
  local x = with_rank(p, 2, 4)
  return x and p:step("%1:flatten()", { x.id }, { exact = x.exact })
end)

local function subscript(rng, x)
  local words = {}
  for d = 1, #x.shape do
    local n, kind = x.shape[d], rng:int(1, 8)
    if kind == 1 then
      words[d] = tostring(rng:int(-n, n - 1))
    elseif kind == 2 then
      words[d] = "::-1"
    elseif kind == 3 and n > 1 then
      words[d] = ("%d:"):format(rng:int(1, n - 1))
    elseif kind == 4 and n > 1 then
      words[d] = (":%d"):format(rng:int(1, n))
    elseif kind == 5 then
      words[d] = "::2"
    elseif kind == 6 and n > 2 then
      words[d] = ("%d:%d:-1"):format(-1, -n)
    elseif kind == 7 and rng:chance(0.3) then
      words[d] = "None, :"
    else
      words[d] = ":"
    end
  end
  return table.concat(words, ", ")
end

entry("subtensor", 8, true, function(p, rng)
  local x = with_rank(p, 1, 4)
  return x and p:step(('%%1["%s"]'):format(subscript(rng, x)), { x.id }, { exact = x.exact })
end)
entry("subtensor at a symbolic position", 3, true, function(p, rng)
  local x = with_rank(p, 1, 3)
  if not x then return nil end
  local i = p:leaf("int64", {}, {}, { rng:int(-x.shape[1], x.shape[1] - 1) }, "input")
  return p:step(rng:pick({ "%1[%2]", "%1[{T.slice(nil, %2)}]", "%1[{T.slice(%2, nil)}]",
    "%1[{T.slice(%2, nil, -1)}]" }), { x.id, i.id },
    { exact = x.exact })
end)

entry("length at a symbolic position", 3, false, function(p, rng)
  local x = with_rank(p, 1, 3)
  if not x then return nil end
  local i = p:leaf("int64", {}, {}, { rng:int(0, x.shape[1]) }, "input")
  return p:step(rng:pick({ "%1[{T.slice(nil, %2)}].shape[0] * 2", "%1[{T.slice(%2, nil)}].shape[0] + %2",
    "%1[{T.slice(nil, %1[{T.slice(nil, %2)}].shape[0])}]", "T.zeros({%2 + 1})[{T.slice(nil, %2)}].shape[0]" }),
    { x.id, i.id }, { smooth = false })
end)

for _, name in ipairs({ "set", "inc" }) do
  entry(name .. "_subtensor", 5, true, function(p, rng)
    local x = with_rank(p, 1, 3)
    if not x then return nil end
    local text = subscript(rng, x):gsub("None, ", "")
    if any_float(x.dtype) and rng:chance(0.7) then
      local part = p:step(('%%1["%s"]'):format(text), { x.id }, { exact = x.exact })
      if not part then return nil end
      local y = p:operand(function(d) return d == x.dtype end, -100, 100, function(n)
        if #n.shape > #part.shape then return false end
        for k = 1, #n.shape do
          local i, j = #n.shape - k + 1, #part.shape - k + 1
          if n.shape[i] ~= part.shape[j] and not n.bcast[i] then return false end
          if n.bcast[i] and not part.bcast[j] and n.shape[i] ~= part.shape[j] and false then return false end
        end
        return true
      end)
      if y then
        return p:step(('T.%s_subtensor(%%1["%s"], %%2)'):format(name, text), { x.id, y.id },
          { exact = x.exact and y.exact and name == "set" })
      end
    end
    if x.dtype == "bool" then return nil end
    return p:step(('T.%s_subtensor(%%1["%s"], 3)'):format(name, text), { x.id }, { limit = 100 })
  end)
end

local function pattern(shape)
  local b = {}
  for d, n in ipairs(shape) do b[d] = n == 1 end
  return b
end
local function index_leaf(p, rng, n, len)
  local shape = { len or rng:int(2, 6) }
  return p:leaf("int64", shape, pattern(shape), p:data("int64", shape, -n, n - 1), "input",
    rng:pick({ "c", "strided" }))
end

entry("gather", 5, true, function(p, rng)
  local x = with_rank(p, 1, 3)
  if not x then return nil end
  return p:step("%1[%2]", { x.id, index_leaf(p, rng, x.shape[1]).id }, { exact = x.exact })
end)
entry("gather of pairs", 4, true, function(p, rng)
  local x = with_rank(p, 2, 3)
  if not x then return nil end
  local i = index_leaf(p, rng, x.shape[1], rng:int(2, 5))
  local j = index_leaf(p, rng, x.shape[2], i.shape[1])
  return p:step("%1[{%2, %3}]", { x.id, i.id, j.id }, { exact = x.exact })
end)
entry("gather of rows' classes", 3, true, function(p, rng)
  local x = with_rank(p, 2, 2)
  if not x then return nil end
  local y = p:leaf("int64", { x.shape[1] }, { x.shape[1] == 1 }, p:data("int64", { x.shape[1] }, 0, x.shape[2] - 1),
    "input", rng:pick({ "c", "strided" }))
  return p:step("%1[{T.arange(%1.shape[0]), %2}]", { x.id, y.id }, { exact = x.exact })
end)
entry("take", 2, true, function(p, rng)
  local x = with_rank(p, 1, 3)
  if not x then return nil end
  local axis = rng:int(0, #x.shape - 1)
  return p:step(("T.take(%%1, %%2, {axis = %d})"):format(axis), { x.id, index_leaf(p, rng, x.shape[axis + 1]).id },
    { exact = x.exact })
end)
for _, name in ipairs({ "set", "inc" }) do
  entry("scatter " .. name, 4, true, function(p, rng)
    local x = with_rank(p, 1, 3, function(n) return any_float(n.dtype) or (n.dtype ~= "bool" and small(n, 20)) end)
    if not x then return nil end
    local distinct = {}
    for k = 0, x.shape[1] - 1 do table.insert(distinct, rng:int(1, #distinct + 1), k) end
    local len = rng:int(1, #distinct)
    local data = name == "set" and { table.unpack(distinct, 1, len) }
      or p:data("int64", { len }, -x.shape[1], x.shape[1] - 1)
    local i = p:leaf("int64", { len }, { len == 1 }, data, "input")
    return p:step(("T.%s_subtensor(%%1[%%2], %s)"):format(name, any_float(x.dtype) and "T.sqr(%1[%2]) * 0.1" or "2"),
      { x.id, i.id }, { limit = 100 })
  end)
end

entry("join", 5, true, function(p, rng)
  local x = with_rank(p, 1, 3)
  if not x then return nil end
  local axis = rng:int(0, #x.shape - 1)
  local y = p:operand(real, -200, 200, function(n)
    if #n.shape ~= #x.shape or n.size == 0 then return false end
    for d = 1, #x.shape do
      if d ~= axis + 1 and n.shape[d] ~= x.shape[d] then return false end
    end
    return true
  end)
  if not y then return nil end
  local exact = x.exact and y.exact
  return p:step(("T.join(%d, %s)"):format(rng:chance(0.3) and axis - #x.shape or axis,
    rng:pick({ "%1, %2", "%2, %1", "%1, %2, %1" })), { x.id, y.id },
    { exact = exact and x.dtype == y.dtype })
end)
entry("stack", 2, true, function(p, rng)
  local x = with_rank(p, 0, 2)
  if not x then return nil end
  return p:step(rng:pick({ "T.stack({%1, %1})", "T.stack({%1, %1 * 2}, {axis = -1})" }), { x.id }, {})
end)
entry("split", 2, true, function(p, rng)
  local x = with_rank(p, 1, 3, function(n) return n.shape[1] >= 2 end)
  if not x then return nil end
  local at = rng:int(1, x.shape[1] - 1)
  return p:step(("(T.split(%%1, {%d, %d}, 2, {axis = 0}))"):format(at, x.shape[1] - at), { x.id }, { exact = x.exact })
end)
entry("alloc", 2, true, function(p, rng)
  local x = with_rank(p, 0, 1)
  if not x then return nil end
  local words = {}
  for d = 1, #x.shape do words[d] = tostring(x.shape[d]) end
  table.insert(words, 1, tostring(rng:int(2, 4)))
  return p:step(("T.alloc(%%1, %s)"):format(table.concat(words, ", ")), { x.id }, { exact = x.exact })
end)
entry("tile", 1, true, function(p)
  local x = with_rank(p, 1, 2)
  return x and p:step(#x.shape == 1 and "T.tile(%1, {2})" or "T.tile(%1, {2, 3})", { x.id }, { exact = x.exact })
end)
entry("repeat_", 1, true, function(p, rng)
  local x = with_rank(p, 1, 2)
  return x and p:step(rng:pick({ "T.repeat_(%1, 2, {axis = 0})", "T.repeat_(%1, 2)" }), { x.id }, { exact = x.exact })
end)
entry("shape", 2, false, function(p, rng)
  local x = with_rank(p, 1, 4)
  return x and p:step(rng:pick({ "%1.shape", "%1.shape[0]", "%1.size", "%1.shape[\"::-1\"]" }), { x.id },
    { smooth = false })
end)
entry("arange", 1, false, function(p)
  local x = with_rank(p, 1, 3)
  return x and p:step("T.arange(%1.shape[0])", { x.id }, { smooth = false })
end)
entry("triangles", 2, true, function(p, rng)
  local x = with_rank(p, 2, 2, function(n) return any_float(n.dtype) end)
  return x and p:step(rng:pick({ "T.triu(%1)", "T.tril(%1, -1)", "T.tril(%1, {k = 1})",
    "%1 + T.eye(%1.shape[0], %1.shape[1])" }), { x.id }, {})
end)
entry("copy", 1, true, function(p, rng)
  local x = with_rank(p, 0, 4)
  return x and p:step(rng:pick({ "T.tensor_copy(%1)", "%1:copy()" }), { x.id }, { exact = x.exact })
end)

-- ---- products and rows --------------------------------------------------------------------------------------------
local function matrix(p, rng, lo, hi)
  local x = p:operand(any_float, lo, hi, function(n) return #n.shape == 2 and n.size > 0 end)
  if x then return x end
  local shape, bcast = p:new_shape(2)
  return p:new_leaf(rng:pick({ "float64", "float32" }), math.max(lo, -2), math.min(hi, 2), shape, bcast)
end

local function product_leaf(p, dtype, shape)
  return p:new_leaf(dtype, -2, 2, shape, pattern(shape))
end

entry("dot of matrices", 8, true, function(p, rng)
  local x = matrix(p, rng, -10, 10)
  local y = p:operand(any_float, -10, 10, function(n) return #n.shape == 2 and n.shape[1] == x.shape[2] end)
    or product_leaf(p, x.dtype, { x.shape[2], rng:pick({ 2, 3, 5, 8, 17 }) })
  return p:step("T.dot(%1, %2)", { x.id, y.id }, {})
end)
entry("dot of a matrix and a vector", 4, true, function(p, rng)
  local x = matrix(p, rng, -10, 10)
  local left = rng:chance(0.5)
  local n = left and x.shape[1] or x.shape[2]
  local y = p:operand(any_float, -10, 10, function(k) return #k.shape == 1 and k.shape[1] == n end)
    or product_leaf(p, x.dtype, { n })
  return p:step(left and "T.dot(%2, %1)" or "T.dot(%1, %2)", { x.id, y.id }, {})
end)
entry("dot of vectors", 2, true, function(p, rng)
  local x = p:operand(any_float, -10, 10, function(n) return #n.shape == 1 and n.size > 0 end)
  if not x then return nil end
  local y = product_leaf(p, rng:pick({ "float64", "float32" }), { x.shape[1] })
  return p:step(rng:pick({ "T.dot(%1, %2)", "T.outer(%1, %2)" }), { x.id, y.id }, {})
end)
entry("gemm", 6, true, function(p, rng)
  local x = matrix(p, rng, -10, 10)
  local y = product_leaf(p, x.dtype, { x.shape[2], rng:pick({ 2, 3, 5 }) })
  local b = product_leaf(p, x.dtype, rng:chance(0.5) and { y.shape[2] } or { x.shape[1], y.shape[2] })
  return p:step(rng:pick({ "T.dot(%1, %2) + %3", "%3 - 0.1 * T.dot(%1, %2)", "T.tanh(T.dot(%1, %2) + %3)",
    "2 * T.dot(%1, %2) - 0.5 * %3",
    "%3 + T.dot(%2.T, %1.T).T", "T.dot(%1, %2) * %3", "T.sum(T.dot(%1, %2) + %3, {axis = 0})",
      "%3 - T.dot(%1, %2) * 3 * T.sum(%3)" }), { x.id, y.id, b.id }, {})
end)
entry("tensordot", 2, true, function(p, rng)
  local x = p:operand(any_float, -5, 5, function(n) return #n.shape == 3 and n.size > 0 end)
  if not x then return nil end
  local y = product_leaf(p, x.dtype, { x.shape[2], x.shape[3], rng:int(2, 3) })
  return p:step("T.tensordot(%1, %2, {axes = 2})", { x.id, y.id }, {})
end)
entry("integer dot", 1, false, function(p)
  local x = p:operand(any_int, -5, 5, function(n) return #n.shape == 2 and n.size > 0 end)
  return x and p:step("T.dot(%1, %1.T)", { x.id }, { limit = 120 })
end)
for _, text in ipairs({ "T.nnet.softmax(%1)", "T.nnet.logsoftmax(%1)", "T.nnet.softmax_graph(%1)" }) do
  entry(text:match("nnet%.([%w_]+)"), 4, true, function(p, rng)
    return p:step(text, { matrix(p, rng, -8, 8).id }, {})
  end)
end
for _, text in ipairs({ "T.nnet.categorical_crossentropy(T.nnet.softmax(%1), %2)",
  "T.nnet.crossentropy_categorical_1hot(T.nnet.softmax(%1), %2)",
  "-T.log(T.nnet.softmax(%1))[{T.arange(%1.shape[0]), %2}]",
    "T.mean(T.nnet.categorical_crossentropy(T.nnet.softmax(%1), %2))" }) do
  entry("loss " .. text:match("%.([%w_]+)%("), 3, true, function(p, rng)
    local x = matrix(p, rng, -6, 6)
    local y = p:leaf("int64", { x.shape[1] }, { x.shape[1] == 1 }, p:data("int64", { x.shape[1] }, 0, x.shape[2] - 1),
      "input")
    return p:step(text, { x.id, y.id }, {})
  end)
end
entry("softmax_with_bias", 2, true, function(p, rng)
  local x = matrix(p, rng, -6, 6)
  return p:step("T.nnet.softmax_with_bias(%1, %2)", { x.id, product_leaf(p, x.dtype, { x.shape[2] }).id }, {})
end)

-- ---- complex ------------------------------------------------------------------------------------------------------
entry("complex", 10, false, function(p, rng)
  local x = float_operand(p, rng, -10, 10)
  local y = partner(p, rng, x, any_float, -10, 10)
  return p:step("T.complex(%1, %2)", { x.id, y.id }, { smooth = false })
end)
for _, text in ipairs({ "%1 * %1", "%1 + 2", "T.conj(%1)", "T.real(%1)", "T.imag(%1)", "T.abs_(%1)", "-%1",
  "%1 * T.conj(%1)", "T.sqr(%1)" }) do
  entry("complex " .. text:gsub("%%1", "z"), 2, false, function(p)
    local x = p:operand(complex, -14, 14)
    return x and p:step(text, { x.id }, { smooth = false })
  end)
end

return M
