--- Every elementwise operation, cast and reduction: dtype by dtype, on special values, in several memory layouts,
-- through C and the interpreter, against the numbers that NumPy gave (spec/data/ops.json, written by
-- scripts/make-ops-data.py).
local both = require("spec.support.both")
local core = require("theano.core")
local nd = require("theano.ndarray")
local oracle = require("spec.support.oracle")
local theano = require("theano")
local T = require("theano.tensor")
local compile = theano.compile

local DATA = oracle.cases("ops")
local REAL = { mean = true, sum = true, prod = true } -- floats are met nearly, everything else exactly
for _, name in ipairs(DATA.real) do REAL[name] = true end

local LINKERS = {
  C = compile.Mode({ linker = "c", optimizer = "fast_run" }),
  interpreter = compile.Mode({ linker = "interpreter", optimizer = "fast_run" }),
}
local DTYPES = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
  "complex64", "complex128" }

local function array(dtype, data, shape)
  return oracle.array({ dtype = dtype, shape = shape or { #data }, data = data })
end

-- One array in several layouts, all of equal values.
local function layouts(a)
  local n = a.size
  local double, square = nd.zeros({ 2 * n + 1 }, a.dtype), nd.zeros({ n, 3 }, a.dtype)
  double["1::2"] = a
  square[":, 1"] = a
  return { contiguous = a, ["every second"] = double["1::2"], column = square[":, 1"],
    backwards = a["::-1"]:copy()["::-1"] }
end

-- NumPy's float64 numbers as float32 holds them: beyond its range are infinities, denormals may be zeros.
local function narrowed(data)
  local list = {}
  for i, v in ipairs(data) do
    list[i] = v
    if type(v) == "number" and math.abs(v) > 3.4028235e38 then list[i] = v > 0 and "inf" or "-inf" end
    if type(v) == "number" and math.abs(v) < 1.2e-38 then list[i] = 0.0 end
  end
  return list
end

-- How an answer differs from NumPy's: exact, or within a few units in the last place of the answer's dtype.
local function differs(got, data, name)
  local single = got.dtype == "float32" or got.dtype == "complex64"
  local rtol, atol = 0, 0
  if got.dtype:find("complex", 1, true) then
    rtol, atol = single and 1e-6 or 1e-14, single and 1e-6 or 1e-14
  elseif REAL[name] and got.dtype:find("float", 1, true) then
    rtol, atol = single and 4e-6 or 4e-14, single and 1.2e-38 or 1e-300
    if single then data = narrowed(data) end
  end
  return oracle.differs(got, { dtype = got.dtype, shape = got.shape, data = data }, rtol, atol)
end

-- What the linker that came first gave, by name: the other one has the same bits.
local first = {}
local function same_bits(wrong, result, what)
  local bytes = result:tostring()
  if not first[what] then
    first[what] = bytes
    return
  end
  local same, at, p, q = both.same_bytes(first[what], bytes, result.dtype)
  if not same then
    wrong[#wrong + 1] = ("%s: number %d is %s in one of interpreter and C, %s in the other"):format(what, at, p, q)
  end
end

local function check(wrong, what, results, names, tables, dtype)
  for i, name in ipairs(names) do
    local why = differs(results[i]:reshape(-1), tables[name][dtype], name)
    if why then wrong[#wrong + 1] = ("%s of %s, %s: %s"):format(name, dtype, what, why) end
    same_bits(wrong, results[i], ("%s of %s, %s"):format(name, dtype, what))
  end
end

local function none(wrong) assert(#wrong == 0, table.concat(wrong, "\n")) end

local function names_of(tables, dtype, only)
  local names = {}
  for name, by_dtype in pairs(tables) do
    if by_dtype[dtype] and (not only or only(name)) then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

-- One function of all the operations: its inputs are their operands, its outputs one for each.
local function compiled(names, patterns, dtype, mode)
  local inputs, outputs = {}, {}
  for i, pattern in ipairs(patterns) do inputs[i] = T.TensorType(dtype, pattern)("x" .. i) end
  for i, name in ipairs(names) do outputs[i] = theano.Out(T[name](table.unpack(inputs)), { array = true }) end
  return compile({ inputs = inputs, outputs = outputs, mode = mode })
end

local VECTOR, MATRIX, COLUMN, ROW = { false }, { false, false }, { false, true }, { true, false }

-- An integer divisor of zero raises, so NumPy was asked with 1 in its place.
local function divides(name) return name == "int_div" or name == "mod" end

for linker, mode in pairs(LINKERS) do
  describe("through " .. linker, function()
    for _, dtype in ipairs(DTYPES) do
      local values = array(dtype, DATA.values[dtype])
      local unary = names_of(DATA.unary, dtype)

      it(("%d functions of one %s in every layout"):format(#unary, dtype), function()
        local wrong, f = {}, compiled(unary, { VECTOR }, dtype, mode)
        for layout, a in pairs(layouts(values)) do check(wrong, layout, { f(a) }, unary, DATA.unary, dtype) end
        for _, result in ipairs({ f(nd.zeros(0, dtype)) }) do assert.same({ 0 }, result.shape) end
        -- More than a block and a vector width: whatever the position, the answer is the same.
        local many = nd.empty({ 40, values.size }, dtype):fill(values)
        for i, result in ipairs({ f(many:reshape(-1)) }) do
          local rows = result:reshape(40, -1)
          for k = 1, 39, 7 do
            local why = tostring(rows[k]) ~= tostring(rows[0])
            if why then wrong[#wrong + 1] = ("%s of %s, row %d of many: %s"):format(unary[i], dtype, k, rows[k]) end
          end
        end
        none(wrong)
      end)

      local groups = { safe = names_of(DATA.binary, dtype, function(n) return not divides(n) end),
        dividing = names_of(DATA.binary, dtype, divides) }
      for group, binary in pairs(groups) do
        if #binary > 0 then
          it(("%d %s functions of two %s in every layout and broadcast"):format(#binary, group, dtype), function()
            local wrong, n = {}, values.size
            local a, b = nd.empty({ n, n }, dtype), nd.empty({ n, n }, dtype)
            local right = values:copy()
            if group == "dividing" and dtype:find("int", 1, true) then right[nd.eq(right, 0)] = 1 end
            a.T:assign(values)
            b:assign(right)
            local f = compiled(binary, { VECTOR, VECTOR }, dtype, mode)
            local left_layouts, right_layouts = layouts(a:reshape(-1)), layouts(b:reshape(-1))
            for layout, left in pairs(left_layouts) do
              check(wrong, layout, { f(left, right_layouts[layout]) }, binary, DATA.binary, dtype)
              local mixed = { f(left, right_layouts.contiguous) }
              check(wrong, layout .. " and contiguous", mixed, binary, DATA.binary, dtype)
            end
            local g = compiled(binary, { COLUMN, ROW }, dtype, mode)
            local outer = { g(values:reshape(-1, 1), right:reshape(1, -1)) }
            check(wrong, "column and row", outer, binary, DATA.binary, dtype)
            local h = compiled(binary, { MATRIX, ROW }, dtype, mode)
            check(wrong, "matrix and row", { h(a, right:reshape(1, -1)) }, binary, DATA.binary, dtype)
            check(wrong, "transposed and row", { h(a.T:copy().T, right:reshape(1, -1)) }, binary, DATA.binary, dtype)
            none(wrong)
          end)
        end
      end

      if DATA.cast[dtype] then
        it(("%s cast to every dtype"):format(dtype), function()
          local wrong, given = {}, DATA.cast[dtype]
          local x, outputs, targets = T.TensorType(dtype, VECTOR)("x"), {}, {}
          for _, target in ipairs(DTYPES) do
            targets[#targets + 1] = target
            outputs[#outputs + 1] = T.cast(x, target)
          end
          local f = compile({ inputs = { x }, outputs = outputs, mode = mode })
          local plain = { f(array(dtype, given.values)) }
          local positive = given.positive and { f(array(dtype, given.positive)) } or plain
          for i, target in ipairs(targets) do
            local got = target:find("^uint") and positive[i] or plain[i]
            local why = oracle.differs(got, { dtype = target, shape = got.shape, data = given[target] }, 0, 0)
            if why then wrong[#wrong + 1] = ("%s to %s: %s"):format(dtype, target, why) end
          end
          none(wrong)
        end)
      end

      if DATA.rows[dtype] then
        local reductions = names_of(DATA.reduce, dtype)
        it(("%d reductions of %s rows in every layout"):format(#reductions, dtype), function()
          local wrong, x, outputs = {}, T.TensorType(dtype, MATRIX)("x"), {}
          for i, name in ipairs(reductions) do outputs[i] = T[name](x, { axis = 1 }) end
          local f = compile({ inputs = { x }, outputs = outputs, mode = mode })
          local rows = array(dtype, DATA.rows[dtype], { 3, 5 })
          local wide = nd.zeros({ 3, 10 }, dtype)
          wide[":, ::2"] = rows
          for layout, a in pairs({ contiguous = rows, transposed = rows.T:copy().T, ["every second"] = wide[":, ::2"],
            backwards = rows["::-1, ::-1"]:copy()["::-1, ::-1"] }) do
            check(wrong, layout, { f(a) }, reductions, DATA.reduce, dtype)
          end
          none(wrong)
        end)
      end
    end

    it("special functions of two numbers", function()
      local wrong = {}
      for name, given in pairs(DATA.special) do
        for _, dtype in ipairs({ "float64", "float32" }) do
          local x, y = T.TensorType(dtype, VECTOR)("x"), T.TensorType(dtype, VECTOR)("y")
          local f = compile({ inputs = { x, y }, outputs = T[name](x, y), mode = mode })
          local single = dtype == "float32"
          local got = f(array(dtype, given.a), array(dtype, given.b))
          local want = { dtype = dtype, shape = got.shape, data = single and narrowed(given.out) or given.out }
          local why = oracle.differs(got, want, single and 2e-5 or 4e-13, single and 1.2e-38 or 1e-300)
          if why then wrong[#wrong + 1] = ("%s of %s: %s"):format(name, dtype, why) end
        end
      end
      none(wrong)
    end)

    it("exponentials that underflow are zeros and denormals, at the very bounds", function()
      local edge = { float32 = { exp = -0x1.9fe36ap+6, exp2 = -150 },
        float64 = { exp = -0x1.74910d52d3053p+9, exp2 = -1075 } }
      for dtype, names in pairs(edge) do
        for name, last in pairs(names) do -- whose value rounds to zero, and one near it
          local least = dtype == "float32" and 0x1p-149 or 0x1p-1074
          local near = last * (1 - (dtype == "float32" and 0x1p-21 or 0x1p-50))
          local x = { 0, last, near, last - 1, last * 1.002, -1e9, -math.huge, last, near, -800, -1100, -1e30, 0 / 0 }
          local want = { 1, 0, least, 0, 0, 0, 0, 0, least, 0, 0, 0 }
          if dtype == "float64" and name == "exp2" then want[10] = 0x1p-800 end
          local v = T.vector("v", { dtype = dtype })
          local f = compile({ inputs = { v }, outputs = T[name](v), mode = mode })
          for n = 1, #x do -- vectors, and what is left of them
            local got = f(array(dtype, { table.unpack(x, 1, n) }))
            for i = 1, n do
              local y = got[i - 1]
              assert(i == 13 and y ~= y or y == want[i], ("%s(%g) of %s is %g"):format(name, x[i], dtype, y))
            end
          end
        end
      end
    end)

    it("functions of no dimensions give what vectors give", function()
      for _, dtype in ipairs({ "int32", "float32", "float64" }) do
        local unary, wrong = names_of(DATA.unary, dtype), {}
        local f = compiled(unary, { {} }, dtype, mode)
        local values = array(dtype, DATA.values[dtype])
        for k = 0, values.size - 1 do
          for i, result in ipairs({ f(values:sub({ k, k + 1 }):reshape({})) }) do
            local why = differs(result:reshape(-1), { DATA.unary[unary[i]][dtype][k + 1] }, unary[i])
            if why then wrong[#wrong + 1] = ("%s of %s: %s"):format(unary[i], dtype, why) end
          end
        end
        none(wrong)
      end
    end)
  end)
end

describe("the table", function()
  -- Covered under another name, by the reference cases, or composed of others.
  local ELSEWHERE = {}
  for name in ([[abs square power fill where floor_div bitwise_and bitwise_or bitwise_xor bitwise_not second switch
    clip complex complex_from_polar ultra_fast_sigmoid nnet.ultra_fast_sigmoid xlogx.xlogx xlogx.xlogy0
    nnet.sigmoid nnet.softplus nnet.relu nnet.elu nnet.selu nnet.softsign nnet.leaky_relu nnet.gelu nnet.silu nnet.mish
    nnet.nnet.softsign nnet.hard_sigmoid copy tensor_copy nnet.binary_crossentropy nnet.sigmoid_binary_crossentropy
    acos acosh asin asinh atan atan2 atanh bitwise_invert bitwise_left_shift bitwise_right_shift subtract multiply
    divide true_divide floor_divide remainder negative absolute sign conjugate fix degrees radians equal not_equal less
    less_equal greater greater_equal
    cast astype round iround divmod ceil_intdiv isclose allclose]]):gmatch("%S+") do
    ELSEWHERE[name] = true
  end

  it("has every elementwise function of the engine", function()
    local start, missing = false, {}
    for _, f in ipairs(core.functions()) do
      start = start or f.name == "add" -- scalar operations come last, from their table
      local known = f.name:find("^special%.") -- spec/scipy_spec.lua
        or DATA.unary[f.name] or DATA.binary[f.name] or DATA.special[f.name] or ELSEWHERE[f.name]
      if start and not known then
        missing[#missing + 1] = f.name
      end
    end
    assert.truthy(start)
    assert.same({}, missing)
  end)

  it("names only functions that exist", function()
    for _, tables in ipairs({ DATA.unary, DATA.binary, DATA.special, DATA.reduce }) do
      for name in pairs(tables) do assert.is_function(T[name], name) end
    end
  end)
end)
