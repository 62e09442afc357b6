--- What a mutant must not survive: the reference answers of the elementwise tables, gradients against finite
-- differences, the goldens of the rules, and random graphs. Prints what it found and exits 1; exits 0 when everything
-- holds. Arguments: the kind of table that is broken ("scalar" or "rules": its checks come first) and a file of the
-- checks that do not hold without a mutant (answers of things that come later), written when it does not exist.
package.path = "./?.lua;" .. package.path
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local core = require("theano.core")
local oracle = require("spec.support.oracle")
local golden = require("spec.support.golden")

local first, known_path = arg[1], arg[2]
local known, writing = {}, nil
local known_file = known_path and io.open(known_path)
if known_file then
  for line in known_file:lines() do known[line] = true end
  known_file:close()
elseif known_path then
  writing = assert(io.open(known_path, "w"))
end

local function found(name, why)
  if known[name] then return end
  if writing then
    writing:write(name, "\n")
    return
  end
  print(("caught by %s: %s"):format(name, tostring(why):match("[^\n]*")))
  os.exit(1)
end

local function mode(optimizer) return theano.compile.Mode({ linker = "interpreter", optimizer = optimizer }) end

local function compiled(inputs, outputs)
  return theano.compile({ inputs = inputs, outputs = outputs, mode = mode("None"), on_unused_input = "ignore" })
end

local function vec(...) return nd.array({ ... }) end

-- ---- reference answers ---------------------------------------------------------------------------------------------
local function answers(name, optimizer)
  for _, case in ipairs(oracle.cases(name)) do
    local why = oracle.failure(case, mode(optimizer))
    if why then found(case.id .. " " .. optimizer, why) end
  end
end

-- ---- every function of the table, its values by arithmetic of Lua and its gradient by differences ------------------
local points = { 0.3, 0.7, 0.55 }
local above_one = { 1.3, 2.5, 1.1 }
local function value_of(name, f, want, ...)
  local ok, got = pcall(f, ...)
  if not ok then return found(name, got) end
  for i, w in ipairs(want) do
    local g = got[i - 1]
    if type(g) == "boolean" then g = g and 1 or 0 end
    local near = math.abs(g - w) <= 1e-9 * math.max(1, math.abs(w)) -- never for NaN
    if not near then
      return found(name, ("element %d is %s, expected %s"):format(i - 1, tostring(g), tostring(w)))
    end
  end
end

local function each(list, f)
  local out = {}
  for i, x in ipairs(list) do out[i] = f(x) end
  return out
end

local function unary_values()
  local e = math.exp
  local table_of = {
    exp2 = function(x) return 2 ^ x end, log2 = function(x) return math.log(x, 2) end,
    log10 = function(x) return math.log(x, 10) end,
    expm1 = function(x) return e(x) - 1 end, log1p = function(x) return math.log(1 + x) end, deg2rad = math.rad,
    rad2deg = math.deg,
    tanh = function(x) return (e(x) - e(-x)) / (e(x) + e(-x)) end, sinh = function(x) return (e(x) - e(-x)) / 2 end,
    cosh = function(x) return (e(x) + e(-x)) / 2 end,
    arcsinh = function(x) return math.log(x + math.sqrt(x * x + 1)) end,
    arctanh = function(x) return 0.5 * math.log((1 + x) / (1 - x)) end, inv = function(x) return 1 / x end, exp = e,
    log = math.log,
    sin = math.sin, cos = math.cos, tan = math.tan, arcsin = math.asin, arccos = math.acos, arctan = math.atan,
    sqrt = math.sqrt,
    sqr = function(x) return x * x end, neg = function(x) return -x end,
    sigmoid = function(x) return 1 / (1 + e(-x)) end,
    softplus = function(x) return math.log(1 + e(x)) end, ceil = math.ceil, floor = math.floor,
    trunc = function() return 0 end,
    sgn = function() return 1 end, abs_ = math.abs,
  }
  local names = {}
  for name in pairs(table_of) do names[#names + 1] = name end
  table.sort(names)
  local x = T.dvector("x")
  for _, name in ipairs(names) do
    value_of("values of " .. name, compiled({ x }, T[name](x)), each(points, table_of[name]),
      nd.array(points))
  end
  value_of("values of arccosh", compiled({ x }, T.arccosh(x)),
    each(above_one, function(v) return math.log(v + math.sqrt(v * v - 1)) end), nd.array(above_one))
  local s = vec(-2.5, 0.0, 3.5, -0.5, 1.5)
  for name, want in pairs({ sgn = { -1, 0, 1, -1, 1 }, ceil = { -2, 0, 4, 0, 2 }, floor = { -3, 0, 3, -1, 1 },
    trunc = { -2, 0, 3, 0, 1 },
    round_half_to_even = { -2, 0, 4, 0, 2 }, round_half_away_from_zero = { -3, 0, 4, -1, 2 },
    abs_ = { 2.5, 0, 3.5, 0.5, 1.5 },
    isnan = { 0, 0, 0, 0, 0 }, isinf = { 0, 0, 0, 0, 0 } }) do
    value_of("corners of " .. name, compiled({ x }, T[name](x)), want, s)
  end
  local odd = vec(0 / 0, math.huge, -math.huge, 1.0, 1.7e308)
  value_of("isnan", compiled({ x }, T.isnan(x)), { 1, 0, 0, 0, 0 }, odd)
  value_of("isinf", compiled({ x }, T.isinf(x)), { 0, 1, 1, 0, 0 }, odd)
end

local function binary_values()
  local a, b = { 2.5, -1.5, 3.0, 3.0, 0 / 0, 1.0 }, { 0.5, 2.0, 3.0, -4.0, 1.0, 0 / 0 }
  local x, y, w = T.dvector("x"), T.dvector("y"), T.dvector("w")
  local function truth(f)
    local out = {}
    for i = 1, #a do out[i] = f(a[i], b[i]) and 1 or 0 end
    return out
  end
  for name, f in pairs({ lt = function(p, q) return p < q end, gt = function(p, q) return p > q end,
    le = function(p, q) return p <= q end,
    ge = function(p, q) return p >= q end, eq = function(p, q) return p == q end,
    neq = function(p, q) return p ~= q end }) do
    value_of("truth of " .. name, compiled({ x, y }, T[name](x, y)), truth(f), nd.array(a), nd.array(b))
  end
  for name, want in pairs({ maximum = { 2.5, 2, 3, 3 }, minimum = { 0.5, -1.5, 3, -4 }, add = { 3, 0.5, 6, -1 },
    sub = { 2, -3.5, 0, 7 },
    mul = { 1.25, -3, 9, -12 }, true_div = { 5, -0.75, 1, -0.75 }, int_div = { 5, -1, 1, -1 }, mod = { 0, 0.5, 0, -1 },
    second = { 0.5, 2, 3, -4 } }) do
    local f = compiled({ x, y }, T[name](x, y))
    value_of("values of " .. name, f, want, vec(table.unpack(a, 1, 4)), vec(table.unpack(b, 1, 4)))
    if name == "maximum" or name == "minimum" then -- NaN wins from both sides
      local got = f(vec(0 / 0, 1.0), vec(1.0, 0 / 0))
      if got[0] == got[0] or got[1] == got[1] then found("NaN in " .. name, "NaN was lost") end
    end
  end
  for name, want in pairs({ logaddexp = 3 + math.log(2), logaddexp2 = 4 }) do -- of equal numbers
    value_of("equal numbers in " .. name, compiled({ x, y }, T[name](x, y)), { want }, vec(3.0), vec(3.0))
  end
  local exponent = select(2, T.frexp(x))
  value_of("exponents of frexp", compiled({ x }, exponent), { 4, -1, 0 }, vec(8.0, 0.3, -0.5))
  if exponent.dtype ~= "int32" then found("dtype of exponents", exponent.dtype) end
  value_of("values of arctan2", compiled({ x, y }, T.arctan2(x, y)),
    { math.atan(1, 2), math.atan(-1, 0.5) }, vec(1.0, -1.0), vec(2.0, 0.5))
  value_of("values of pow", compiled({ x, y }, T.pow(x, y)), { 8, 0.25 },
    vec(2.0, 4.0), vec(3.0, -1.0))
  value_of("values of xlogy0", compiled({ x, y }, T.xlogx.xlogy0(x, y)), { 0, math.log(3), 0 },
    vec(0.0, 1.0, 0.0), vec(math.huge, 3.0, 0.0))
  value_of("values of clip", compiled({ x, y, w }, T.clip(x, y, w)), { 0, 1, 0.5 },
    vec(-1.0, 2.0, 0.5), vec(0.0, 0.0, 0.0), vec(1.0, 1.0, 1.0))
  value_of("values of switch", compiled({ x, y, w }, T.switch(x, y, w)), { 5, 8 },
    vec(1.0, 0.0), vec(5.0, 6.0), vec(7.0, 8.0))
  local i, j = T.lvector("i"), T.lvector("j")
  for name, want in pairs({ and_ = { 2, 0, -4 }, or_ = { 7, 13, -1 }, xor = { 5, 13, 3 } }) do
    value_of("bits of " .. name, compiled({ i, j }, T[name](i, j)), want,
      nd.array({ 6, 4, -4 }, "int64"), nd.array({ 3, 9, -1 }, "int64"))
  end
  for name, want in pairs({ left_shift = { 24, 20, -1 }, right_shift = { 1, 2, -1 } }) do
    value_of("bits of " .. name, compiled({ i, j }, T[name](i, j)), want,
      nd.array({ 6, 10, -1 }, "int64"), nd.array({ 2, name == "left_shift" and 1 or 2, 0 }, "int64"))
  end
  value_of("bits of invert", compiled({ i }, T.invert(i)), { -7, 0 }, nd.array({ 6, -1 }, "int64"))
end

--- Where a condition decides: 0 and NaN, and near 1/2 to the last digits.
local function corner_values()
  local x, y = T.dvector("x"), T.dvector("y")
  local inf, nan, near = math.huge, 0 / 0, 2.0 ^ -40
  for name, cases in pairs({ logit = { { 0.5 + near, 4 * near }, { 0.5 - near, -4 * near } },
    xlogy = { { 0, 0, 0 }, { 2, 0, -inf }, { 0, nan, nan }, { 1, 3, math.log(3) } },
    xlog1py = { { 0, -1, 0 }, { 2, -1, -inf }, { 0, nan, nan }, { 1, 2, math.log(3) } },
    entr = { { 0, 0 }, { nan, nan }, { -1, -inf }, { 0.5, 0.5 * math.log(2) } } }) do
    local f = T.special[name]
    for i, case in ipairs(cases) do
      local one = #case == 2 and compiled({ x }, f(x)) or compiled({ x, y }, f(x, y))
      local args = #case == 2 and { vec(case[1] + 0.0) } or { vec(case[1] + 0.0), vec(case[2] + 0.0) }
      local want, got = case[#case], one(table.unpack(args))[0]
      local fine = got == want or (got ~= got and want ~= want) or math.abs(got - want) < 1e-12 * math.abs(want)
      if not fine then found(("case %d of %s"):format(i, name), ("%s, expected %s"):format(got, want)) end
    end
  end
end

local function gradients()
  local one = { "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "inv", "sin", "cos", "tan", "arcsin",
    "arccos", "arctan",
    "sinh", "cosh", "tanh", "arcsinh", "arctanh", "erf", "erfc", "sigmoid", "softplus", "deg2rad", "rad2deg", "neg",
    "sqr", "abs_" }
  local options = { n_tests = 1, mode = mode("None") }
  local function verify(name, f, ...)
    local ok, why = pcall(theano.gradient.verify_grad, f, { ... }, options)
    if not ok then found("gradient of " .. name, why) end
  end
  local p, q, r = nd.array(points), vec(1.4, 0.6, 2.2), vec(-0.9, 0.2, 0.4)
  for _, name in ipairs(one) do verify(name, T[name], p) end
  for _, name in ipairs({ "exp", "log1p", "tanh", "sigmoid", "erf", "psi", "tri_gamma", "j0", "i0" }) do
    verify(name .. " twice", function(x) return theano.grad(T.sum(T[name](x)), x) end, p)
  end
  for _, name in ipairs({ "ellipe", "ellipk" }) do -- theirs is of a function that has no name
    verify(name .. " twice", function(x) return theano.grad(T.sum(T.special[name](x)), x) end, p)
  end
  verify("zeta", function(y) return T.special.zeta(T.constant(above_one), y) end, q)
  verify("abs_ below 0", T.abs_, vec(-0.4, -2.0))
  verify("arccosh", T.arccosh, nd.array(above_one))
  local two = { "add", "sub", "mul", "true_div", "pow", "arctan2", "maximum", "minimum", "second" }
  for _, name in ipairs(two) do
    verify(name, T[name], p, q)
    verify(name .. " swapped", T[name], q, p)
  end
  verify("mod", function(x, y) return T.mod(x, y) end, vec(5.3, -2.2, 7.7), vec(2.0, 1.5, 3.0))
  verify("clip", function(x, y, w) return T.clip(x, y, w) end, vec(-1.0, 2.0, 0.5), vec(0.0, 0.1, 0.2),
    vec(1.0, 1.1, 1.2))
  verify("switch", function(x, y) return T.switch(T.constant(nd.array({ 1, 0, 1 }, "int8")), x, y) end, p, q)
  verify("three factors", function(x, y, w) return T.mul(x, y, w) end, p, q, r)
  verify("real parts", function(x, y) return T.real(T.complex(x, y)) * 2 + T.imag(T.complex(x, y)) * 3 end, p, q)
  verify("conj", function(x, y)
    return T.imag(T.conj(T.complex(x, y))) * 2 + T.real(T.conj(T.complex(y, x))) * 3
  end, p, q)
  verify("identity", function(x) return T.tensor_copy(x) * x end, p)
  -- ties and bounds, where differences say nothing: the whole gradient goes to the first
  local x, y = T.dvector("x"), T.dvector("y")
  for _, name in ipairs({ "maximum", "minimum" }) do
    local g = theano.grad(T.sum(T[name](x, y)), { x, y })
    local gx, gy = compiled({ x, y }, g)(vec(1.0), vec(1.0))
    if gx[0] ~= 1 or gy[0] ~= 0 then found("tie of " .. name, ("gradients %s and %s"):format(gx[0], gy[0])) end
  end
  local clipped = compiled({ x }, theano.grad(T.sum(T.clip(x, 0, 1)), x))
  value_of("bounds of clip", clipped, { 1, 1, 0 }, vec(0.0, 1.0, 2.0))
  local narrow = T.fvector("narrow")
  local widened = theano.grad(T.sum(T.cast(narrow, "float64") * y), narrow) -- one cast: two wrong signs are right again
  value_of("gradient of cast", compiled({ narrow, y }, widened), { 4.0 }, nd.array({ 1.0 }, "float32"), vec(4.0))
  local scaled = compiled({ x }, theano.grad(T.sum(T.special.i1e(x)), x)) -- x / 2 there, which is 0 for the least x
  value_of("gradient of i1e near 0", scaled, { 0.5, 0.5, 0.5 }, vec(0.0, 5e-324, 1e-323))
  local powered = compiled({ x, y }, theano.grad(T.sum(T.pow(x, y)), y))
  value_of("pow of 0", powered, { 0 }, vec(0.0), vec(2.0))
end

-- ---- result dtypes, from Theano's table ----------------------------------------------------------------------------
local firsts = { "int8", "int16", "int32", "int64", "float32", "float64", "bool", "complex64", "complex128", "float16",
  "bfloat16" }
local seconds = { "float32", "int8", "uint16", "bool", "complex64" }
local operands = {
  ["x"] = 1, ["z"] = 1, ["x, y"] = 2, ["x1, x2"] = 2, ["k, x"] = 2, ["v, x"] = 2, ["x, k"] = 2, ["*inputs"] = 2,
  ["x, min, max"] = 3, ["cond, ift, iff"] = 3, ["m"] = 1, ["y"] = 1, ["a, x"] = 2, ["a, b"] = 2, ["n, x"] = 2,
  ["v, z"] = 2, ["x, q=1.0"] = 2, ["output, target"] = 2, ["a, b, x"] = 3,
}

--- The dtype of f(x, y, y), or the word "refused".
local function result_dtype(f, n, x, y)
  local ok, z = pcall(f, table.unpack({ x, y, y }, 1, n))
  return ok and core.kind(z) == "variable" and z.dtype or "refused"
end

local function dtypes()
  local names, got = {}, {}
  for _, f in ipairs(core.functions()) do
    if operands[f.signature] then names[#names + 1] = { f.name, operands[f.signature], f.symbolic } end
  end
  table.sort(names, function(p, q) return p[1] < q[1] end)
  for _, f in ipairs(names) do
    local line = {}
    for _, d in ipairs(firsts) do
      local x = T.TensorType(d, { false })("x")
      line[#line + 1] = result_dtype(f[3], f[2], x, x)
      for _, other in ipairs(f[2] > 1 and seconds or {}) do
        line[#line + 1] = result_dtype(f[3], f[2], x, T.TensorType(other, { false })("y"))
      end
    end
    got[#got + 1] = f[1] .. ": " .. table.concat(line, " ")
  end
  return table.concat(got, "\n") .. "\n"
end

-- ---- every elementwise function: values and gradients on a few points ---------------------------------------------
local columns = { { 0.3, 0.7, -0.55, 1.3, 2, 0 }, { 0.6, 1.4, 2.2, -0.9, 3, 1 }, { 0.2, -0.4, 1.7, 0.5, 4, 2 } }
local complexes = { { nd.complex(0.3, 0.4), nd.complex(-0.7, 0.2) }, { nd.complex(1.1, -0.6), nd.complex(0.5, 0.9) },
  { nd.complex(0.2, 0.1), nd.complex(2, -1) } }
local whole = { { 6, 4, -4, 0 }, { 3, 9, -1, 2 }, { 1, 0, 5, 2 } }
local tables_of = { float64 = columns, complex128 = complexes, int64 = whole }

--- Operands that a signature asks for; 0 where they are not plain ones.
local function required(signature)
  if signature == "*inputs" then return 2 end
  local n = 0
  for word in signature:gmatch("[^,]+") do
    if word:find("*", 1, true) then return 0 end
    if not word:find("=", 1, true) then n = n + 1 end
  end
  return n <= 3 and n or 0
end

-- All of an array that is nothing but rounding (a gradient that cancels) is 0.
local function numbers(array)
  local words, most = {}, 0
  for i = 0, array.size - 1 do
    local e = array[i]
    local size = type(e) == "userdata" and math.max(math.abs(e.real), math.abs(e.imag)) or tonumber(e) or 1
    most = math.max(most, size == size and math.abs(size) or 1)
  end
  local scale = most < 1e-15 and 0 or 1
  for i = 0, array.size - 1 do
    local e = array[i]
    if type(e) == "userdata" then words[#words + 1] = ("%.9g%+.9gi"):format(e.real * scale, e.imag * scale)
    else words[#words + 1] = type(e) == "number" and ("%.9g"):format(e * scale) or tostring(e) end
  end
  return table.concat(words, " "):gsub("%-nan", "nan")
end

--- Values of the function, and its gradients, in this dtype: a line, or nil where it is not an elementwise operation.
local function values_line(f, n, dtype)
  local inputs, arrays = {}, {}
  for i = 1, n do
    inputs[i], arrays[i] = T.TensorType(dtype, { false })("x" .. i), nd.array(tables_of[dtype][i], dtype)
  end
  local ok, z = pcall(f.symbolic, table.unpack(inputs))
  if not ok or core.kind(z) ~= "variable" or not z.owner then return nil end
  if not tostring(z.owner.op):find("^Elemwise") then return nil end
  local words = { ("%s %s: %s"):format(f.name, dtype, numbers(compiled(inputs, z)(table.unpack(arrays)))) }
  local cost = z.dtype:find("complex") and T.sum(T.real(z) * 2 + T.imag(z) * 3) or T.sum(z * 2)
  for i = 1, z.dtype:find("[fm][lp][ol][ae][tx]") and n or 0 do
    local fine, g = pcall(theano.grad, cost, inputs[i], { disconnected_inputs = "ignore" })
    local is, got = pcall(function() return numbers(compiled(inputs, g)(table.unpack(arrays))) end)
    words[#words + 1] = fine and is and got or "none"
  end
  return table.concat(words, " | ")
end

local function values()
  local lines = {}
  for _, f in ipairs(core.functions()) do
    local n = required(f.signature)
    for _, dtype in ipairs(n > 0 and { "float64", "complex128", "int64" } or {}) do
      local ok, line = pcall(values_line, f, n, dtype)
      if ok then lines[#lines + 1] = line end
    end
  end
  table.sort(lines)
  return table.concat(lines, "\n") .. "\n"
end

--- Compares lines `key: text` with the stored ones. Without a mutant those of new functions are added to the file
-- (commit it); one that changed is a failure (delete it from the file to accept the new one).
local function listing(path, text)
  local stored, all, fresh = {}, {}, false
  local file = io.open(path)
  for line in file and file:lines() or function() end do stored[line:match("^[^:]*")] = line end
  if file then file:close() end
  for line in text:gmatch("[^\n]+") do
    local key = line:match("^[^:]*")
    if writing and not stored[key] then stored[key], fresh = line, true end
    if stored[key] ~= line and writing then error(("%s: %s has changed to %s"):format(path, key, line), 0) end
    if stored[key] ~= line then found(path, line) end
  end
  if not fresh then return end
  for _, line in pairs(stored) do all[#all + 1] = line end
  table.sort(all)
  local out = assert(io.open(path, "w"))
  out:write(table.concat(all, "\n"), "\n")
  out:close()
end

local function dtype_golden() listing("spec/golden/dtypes.lst", dtypes()) end
local function value_golden() listing("spec/golden/values.lst", values()) end

-- ---- rules ---------------------------------------------------------------------------------------------------------
local function goldens()
  for _, path in ipairs(golden.files()) do
    for _, case in ipairs(golden.read(path)) do
      local ok, got = pcall(golden.run, case)
      if not ok or got ~= case.want then found(case.name, ok and "another graph" or got) end
    end
  end
end

local function lines()
  local rule_lines = require("spec.support.rule_lines")
  local fuzz = require("spec.support.fuzz")
  local becomes = rule_lines.stored(rule_lines.becomes_path)
  for _, line in ipairs(rule_lines.read()) do
    local got = rule_lines.becomes(line)
    if becomes[got:match("^[^\n]*")] ~= got then found("spec/golden/rules.lst", got:match("^[^\n]*")) end
    local why = rule_lines.random_difference(line, "float64", fuzz.rng(3))
    if why then found(line.name .. " " .. line.before, why) end
  end
end

local function graphs()
  local options = { seed = 1, graphs = 250, batch = 50, ["no-c"] = true }
  local result = require("spec.support.fuzz_run")(options, function() end)
  if #result.failures > 0 then found("random graphs", result.failures[1]) end
end

local function rules()
  local ok, why = pcall(goldens)
  if not ok then found("goldens", why) end
  ok, why = pcall(lines)
  if not ok then found("lines of the rules", why) end
  graphs()
end

local function scalars()
  for _, check in ipairs({ unary_values, binary_values, corner_values, gradients, dtype_golden, value_golden }) do
    local ok, why = pcall(check)
    if not ok and writing then error(why, 0) end
    if not ok then found("tables", why) end
  end
  answers("elemwise_tables", "None")
  answers("elemwise_grad_tables", "None")
  answers("dtype_rules", "None")
end

if first == "rules" then
  rules()
  scalars()
else
  scalars()
  rules()
end
print("nothing found")
