--- Every function of the tables: one example by hand (as a function of variables, as a method, on values), and what it
-- says about bad input. What the numbers are on all dtypes and layouts is checked in ops_spec and structural_spec.
local core = require("theano.core")
local nd = require("theano.ndarray")
local theano = require("theano")
local T = require("theano.tensor")

local HERE = debug.getinfo(1, "S").source:sub(2)
local MODE = theano.compile.Mode({ linker = "interpreter", optimizer = "fast_run" })

-- A row: arguments, wanted results. Arrays among the arguments become variables in the symbolic call.
local function vec(...) return nd.array({ ... }, "float64") end
local function ints(...) return nd.array({ ... }, "int64") end
local function mat(...) return nd.array({ ... }, "float64") end
local X = mat({ 1, 2 }, { 3, 4 })
local Z = nd.array({ nd.complex(1, 2) })
local e = math.exp(1)

-- One-argument functions at 0.5, where nothing is special.
local AT_HALF = {
  neg = -0.5, inv = 2, sqr = 0.25, sqrt = 0.7071067811865476, abs_ = 0.5, abs = 0.5, sgn = 1, ceil = 1, floor = 0,
  trunc = 0, round_half_to_even = 0, round_half_away_from_zero = 1, round = 0, exp = math.sqrt(e), exp2 = 2 ^ 0.5,
  expm1 = 0.6487212707001282, log = -0.6931471805599453, log2 = -1, log10 = -0.3010299956639812,
  log1p = 0.4054651081081644, deg2rad = 0.008726646259971648, rad2deg = 28.64788975654116, sin = 0.479425538604203,
  cos = 0.8775825618903728, tan = 0.5463024898437905, arcsin = 0.5235987755982989, arccos = 1.0471975511965979,
  arctan = 0.4636476090008061, sinh = 0.5210953054937474, cosh = 1.1276259652063807, tanh = 0.46211715726000973,
  arcsinh = 0.48121182505960347, arctanh = 0.5493061443340549, erf = 0.5204998778130465, erfc = 0.4795001221869535,
  sigmoid = 0.6224593312018546, softplus = 0.9740769841801067, square = 0.25, conj = 0.5, copy = 0.5,
  tensor_copy = 0.5, isnan = false, isinf = false, ["nnet.sigmoid"] = 0.6224593312018546,
  ["nnet.softplus"] = 0.9740769841801067, ["nnet.relu"] = 0.5, ["nnet.elu"] = 0.5, ["nnet.selu"] = 0.5253504936777423,
  ["nnet.softsign"] = 1 / 3, ["nnet.nnet.softsign"] = 1 / 3, ["nnet.hard_sigmoid"] = 0.6, ["nnet.leaky_relu"] = 0.5,
  ["nnet.gelu"] = 0.34573123063700656, ["nnet.silu"] = 0.3112296656009273,
  ["nnet.mish"] = 0.3752452113048951, real = 0.5, imag = 0,
}

local EXAMPLES = {
  arccosh = { { vec(2) }, { 1.3169578969248166 } },
  iround = { { vec(1.6, -0.4) }, { 2, 0 } },
  add = { { vec(1, 2), vec(3, 4), vec(5, 6) }, { 9, 12 } },
  sub = { { vec(1, 2), 3 }, { -2, -1 } },
  mul = { { vec(1, 2), vec(3, 4) }, { 3, 8 } },
  true_div = { { ints(1, 2), 4 }, { 0.25, 0.5 } },
  int_div = { { ints(7, -7), 2 }, { 3, -4 } },
  floor_div = { { vec(7, -7), 2 }, { 3, -4 } },
  mod = { { ints(7, -7), 3 }, { 1, 2 } },
  divmod = { { ints(7, -7), 3 }, { 2, -3 }, { 1, 2 } },
  ceil_intdiv = { { ints(7, 6), 3 }, { 3, 2 } },
  pow = { { vec(2, 3), 2 }, { 4, 9 } },
  power = { { vec(2, 3), 2 }, { 4, 9 } },
  maximum = { { vec(1, 5), vec(3, 4) }, { 3, 5 } },
  minimum = { { vec(1, 5), vec(3, 4) }, { 1, 4 } },
  clip = { { vec(-1, 0.5, 9), 0, 1 }, { 0, 0.5, 1 } },
  arctan2 = { { vec(1), vec(-1) }, { 3 * math.pi / 4 } },
  lt = { { vec(1, 2, 3), 2 }, { true, false, false } },
  gt = { { vec(1, 2, 3), 2 }, { false, false, true } },
  le = { { vec(1, 2, 3), 2 }, { true, true, false } },
  ge = { { vec(1, 2, 3), 2 }, { false, true, true } },
  eq = { { vec(1, 2, 3), 2 }, { false, true, false } },
  neq = { { vec(1, 2, 3), 2 }, { true, false, true } },
  isclose = { { vec(1, 2), vec(1 + 1e-9, 3) }, { true, false } },
  allclose = { { vec(1, 2), vec(1 + 1e-9, 3) }, false },
  switch = { { nd.array({ true, false }), vec(1, 2), vec(3, 4) }, { 1, 4 } },
  where = { { nd.array({ true, false }), vec(1, 2), vec(3, 4) }, { 1, 4 } },
  second = { { vec(1, 2), 7.0 }, { 7, 7 } },
  fill = { { vec(1, 2), 7.0 }, { 7, 7 } },
  and_ = { { ints(12, 5), ints(10, 1) }, { 8, 1 } },
  or_ = { { ints(12, 5), ints(10, 1) }, { 14, 5 } },
  xor = { { ints(12, 5), ints(10, 1) }, { 6, 4 } },
  invert = { { ints(12, 5) }, { -13, -6 } },
  bitwise_and = { { ints(12, 5), ints(10, 1) }, { 8, 1 } },
  bitwise_or = { { ints(12, 5), ints(10, 1) }, { 14, 5 } },
  bitwise_xor = { { ints(12, 5), ints(10, 1) }, { 6, 4 } },
  bitwise_not = { { nd.array({ true, false }) }, { false, true } },
  cast = { { vec(1.7, -1.7), "int32" }, { 1, -1 } },
  astype = { { vec(1.7, -1.7), "int32" }, { 1, -1 } },
  complex = { { vec(1), vec(2) }, Z },
  dimshuffle = { { X, 1, "x", 0 }, { { { 1, 3 } }, { { 2, 4 } } } },
  sum = { { X, { axis = 0 } }, { 4, 6 } },
  prod = { { X, 1 }, { 2, 12 } },
  mean = { { X }, 2.5 },
  var = { { X, { axis = 0 } }, { 1, 1 } },
  std = { { X, { axis = 1 } }, { 0.5, 0.5 } },
  max = { { X, 0 }, { 3, 4 } },
  min = { { X, { axis = 1, keepdims = true } }, { { 1 }, { 3 } } },
  argmax = { { vec(1, 9, 3) }, 1 },
  argmin = { { vec(4, 9, 3) }, 2 },
  max_and_argmax = { { X, 1 }, { 2, 4 }, { 1, 1 } },
  ptp = { { X, 0 }, { 2, 2 } },
  norm = { { vec(3, 4), 2 }, 5 },
  any = { { X, 0 }, { true, true } },
  all = { { vec(1, 0) }, false },
  shape = { { X }, { 2, 2 } },
  size = { { X }, 4 },
  reshape = { { X, { 1, -1 } }, { { 1, 2, 3, 4 } } },
  flatten = { { X }, { 1, 2, 3, 4 } },
  ravel = { { X }, { 1, 2, 3, 4 } },
  transpose = { { X }, { { 1, 3 }, { 2, 4 } } },
  swapaxes = { { X, 0, 1 }, { { 1, 3 }, { 2, 4 } } },
  shape_padleft = { { vec(1, 2) }, { { 1, 2 } } },
  shape_padright = { { vec(1, 2) }, { { 1 }, { 2 } } },
  shape_padaxis = { { vec(1, 2), 1 }, { { 1 }, { 2 } } },
  squeeze = { { T.constant({ { 1, 2 } }) }, { 1, 2 } },
  addbroadcast = { { mat({ 1, 2 }), 0 }, { { 1, 2 } } },
  unbroadcast = { { T.constant({ { 1, 2 } }), 0 }, { { 1, 2 } } },
  patternbroadcast = { { mat({ 1, 2 }), { true, false } }, { { 1, 2 } } },
  specify_shape = { { X, { 2, 2 } }, { { 1, 2 }, { 3, 4 } } },
  tile = { { vec(1, 2), { 2 } }, { 1, 2, 1, 2 } },
  repeat_ = { { vec(1, 2), 2 }, { 1, 1, 2, 2 } },
  alloc = { { 7.0, 2, 2 }, { { 7, 7 }, { 7, 7 } } },
  zeros = { { { 2 } }, { 0, 0 } },
  ones = { { { 2 }, { dtype = "int8" } }, { 1, 1 } },
  zeros_like = { { X }, { { 0, 0 }, { 0, 0 } } },
  ones_like = { { X }, { { 1, 1 }, { 1, 1 } } },
  arange = { { 1, 7, 2 }, { 1, 3, 5 } },
  eye = { { 2, 3, 1 }, { { 0, 1, 0 }, { 0, 0, 1 } } },
  tri = { { 2 }, { { 1, 0 }, { 1, 1 } } },
  identity_like = { { X }, { { 1, 0 }, { 0, 1 } } },
  tril = { { X }, { { 1, 0 }, { 3, 4 } } },
  triu = { { X }, { { 1, 2 }, { 0, 4 } } },
  subtensor = { { X, 1 }, { 3, 4 } },
  take = { { vec(5, 6, 7), ints(2, 0) }, { 7, 5 } },
  join = { { 1, X, X }, { { 1, 2, 1, 2 }, { 3, 4, 3, 4 } } },
  concatenate = { { { X, X } }, { { 1, 2 }, { 3, 4 }, { 1, 2 }, { 3, 4 } } },
  stack = { { { vec(1, 2), vec(3, 4) } }, { { 1, 2 }, { 3, 4 } } },
  split = { { vec(1, 2, 3), { 1, 2 }, 2 }, { 1 }, { 2, 3 } },
  horizontal_stack = { { X, X }, { { 1, 2, 1, 2 }, { 3, 4, 3, 4 } } },
  vertical_stack = { { X, X }, { { 1, 2 }, { 3, 4 }, { 1, 2 }, { 3, 4 } } },
  dot = { { X, vec(1, 1) }, { 3, 7 } },
  tensordot = { { X, X, 2 }, 30 },
  outer = { { vec(1, 2), vec(3, 4) }, { { 3, 4 }, { 6, 8 } } },
  ["nnet.softmax"] = { { mat({ 0, math.log(3) }) }, { { 0.25, 0.75 } } },
  ["nnet.logsoftmax"] = { { mat({ 0, 0 }) }, { { -math.log(2), -math.log(2) } } },
  ["nnet.softmax_with_bias"] = { { mat({ 0, 0 }), vec(0, math.log(3)) }, { { 0.25, 0.75 } } },
  ["nnet.softmax_graph"] = { { mat({ 0, math.log(3) }) }, { { 0.25, 0.75 } } },
  ["nnet.binary_crossentropy"] = { { vec(0.5), vec(1) }, { math.log(2) } },
  ["nnet.sigmoid_binary_crossentropy"] = { { vec(0), vec(1) }, { math.log(2) } },
  ["nnet.categorical_crossentropy"] = { { mat({ 0.5, 0.5 }), ints(1) }, { math.log(2) } },
  ["nnet.crossentropy_categorical_1hot"] = { { mat({ 0.5, 0.5 }), ints(1) }, { math.log(2) } },
  ["nnet.crossentropy_softmax_1hot"] = { { mat({ 0, 0 }), ints(1) }, { math.log(2) }, { { 0.5, 0.5 } } },
  ["nnet.crossentropy_softmax_1hot_with_bias"] = {
    { mat({ 0, 0 }), vec(0, 0), ints(1) }, { math.log(2) }, { { 0.5, 0.5 } },
  },
  ["nnet.crossentropy_softmax_argmax_1hot_with_bias"] = {
    { mat({ 0, 0 }), vec(0, 1e-9), ints(1) }, { math.log(2) }, { { 0.5, 0.5 } }, { 1 },
  },
  ["nnet.crossentropy_softmax_max_and_argmax_1hot"] = {
    { mat({ 0, 0 }), ints(1) }, { math.log(2) }, { { 0.5, 0.5 } }, { 0.5 }, { 0 },
  },
  ["nnet.crossentropy_softmax_max_and_argmax_1hot_with_bias"] = {
    { mat({ 0, 0 }), vec(0, 0), ints(1) }, { math.log(2) }, { { 0.5, 0.5 } }, { 0.5 }, { 0 },
  },
}
for name, value in pairs(AT_HALF) do EXAMPLES[name] = { { vec(0.5) }, { value } } end

-- Their first argument is x[..] itself.
local OF_A_PART = { set_subtensor = { { 9, 9 }, { 3, 4 } }, inc_subtensor = { { 10, 11 }, { 3, 4 } } }

-- Only in graphs: an array has no promise of length 1 that these could change, and a Constant is no value.
local ONLY_SYMBOLIC = { squeeze = true, unbroadcast = true }

local info = {}
for _, f in ipairs(core.functions()) do info[f.name] = f end

local function names_of(t)
  local names = {}
  for name in pairs(t) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function close(want, got, where)
  if type(want) == "table" then
    assert.equal("table", type(got), where)
    assert.equal(#want, #got, where)
    for i, v in ipairs(want) do close(v, got[i], ("%s[%d]"):format(where, i)) end
  elseif type(want) == "number" then
    assert.equal("number", type(got), where)
    assert(math.abs(want - got) <= 1e-8 + 1e-6 * math.abs(want), ("%s: %s, wanted %s"):format(where, got, want))
  else
    assert.equal(want, got, where)
  end
end

local function plain(v) return type(v) == "userdata" and v.tolist and v:tolist() or v end

local function results(example, where, ...)
  assert.equal(#example - 1, select("#", ...), where .. " gives so many results")
  for i = 2, #example do
    local got = (select(i - 1, ...))
    if type(example[i]) == "userdata" then assert.is_true(nd.array_equal(example[i], got), where)
    else close(example[i], plain(got), ("%s result %d"):format(where, i - 1)) end
  end
end

-- Arrays become variables; lists of arrays become lists of variables.
local function symbols(args, inputs, values)
  local out = {}
  for k, v in pairs(args) do
    if type(v) == "userdata" and core.kind(v) == "ndarray" then
      local pattern = {}
      for d = 1, v.ndim do pattern[d] = false end
      inputs[#inputs + 1] = T.TensorType(v.dtype, pattern)()
      values[#values + 1], out[k] = v, inputs[#inputs]
    elseif type(v) == "table" and getmetatable(v) == nil and #v > 0 then
      out[k] = symbols(v, inputs, values)
    else
      out[k] = v
    end
  end
  return out
end

local function lookup(name)
  local at = T
  for part in name:gmatch("[^.]+") do at = at[part] end
  return at
end

describe("an example of T.", function()
  for _, name in ipairs(names_of(EXAMPLES)) do
    it(name, function()
      local example = EXAMPLES[name]
      local args = example[1]
      assert.is_function(lookup(name))
      local inputs, values = {}, {}
      local given = symbols(args, inputs, values)
      local function run(...)
        for _, v in ipairs({ ... }) do assert.is_truthy(v.type, name) end
        local f = theano.compile({ inputs = inputs, outputs = { ... }, mode = MODE })
        results(example, name, f(table.unpack(values)))
      end
      run(lookup(name)(table.unpack(given)))
      if info[name].method then run(given[1][name](table.unpack(given))) end
      if not ONLY_SYMBOLIC[name] then results(example, "on values " .. name, info[name].eager(table.unpack(args))) end
    end)
  end

  for _, name in ipairs(names_of(OF_A_PART)) do
    it(name, function()
      local x = T.dmatrix("x")
      close(OF_A_PART[name], T[name](x[0], 9):eval({ [x] = X }):tolist(), name)
    end)
  end
end)

-- What is wrong for every function, whatever it does: the error has a kind and the line of this file.
local BAD = {
  ["no arguments"] = function() return {} end,
  ["functions"] = function(n) return { print, table.unpack({ print, print, print }, 1, n - 1) } end,
  ["tables of keywords as values"] = function(n)
    local list = {}
    for i = 1, n do list[i] = { { x = {} } } end
    return list
  end,
  ["a keyword that nobody knows"] = function(n, v)
    local list = {}
    for i = 1, n do list[i] = v end
    list[n + 1] = { nosuchkeyword = 1 }
    return list
  end,
  ["freed arrays"] = function(n)
    local freed, list = nd.ones({ 2, 2 }), {}
    freed:free()
    for i = 1, n do list[i] = freed end
    return list
  end,
  ["ragged tables"] = function(n)
    local list = {}
    for i = 1, n do list[i] = { { 1, 2 }, { 3 } } end
    return list
  end,
  ["texts"] = function(n)
    local list = {}
    for i = 1, n do list[i] = "rows" end
    return list
  end,
}

-- How many arguments a function needs.
local function needed(signature)
  local n = 0
  for part in signature:gmatch("[^,]+") do
    if not part:find("=", 1, true) and not part:find("*", 1, true) then n = n + 1 end
  end
  return math.max(n, 1)
end

-- These take rows of any kind one by one, or give their argument back when nothing is asked of them.
local FINE = {
  ["ragged tables"] = { zeros = true, ones = true, concatenate = true, stack = true },
  ["freed arrays"] = { real = true, squeeze = true, addbroadcast = true, unbroadcast = true },
}

describe("what every function refuses:", function()
  for _, what in ipairs(names_of(BAD)) do
    it(what, function()
      for _, f in ipairs(core.functions()) do
        for form, value in pairs({ symbolic = T.dmatrix("x"), eager = X }) do
          local args = BAD[what](needed(f.signature), value)
          local fine, message = pcall(function()
            local result = f[form](table.unpack(args))
            return result
          end)
          local rows = what == "ragged tables" and f.signature:find("^%*") -- each row is an argument
          local allowed = rows or FINE[what] and FINE[what][f.name]
          assert(allowed or not fine, ("%s accepts %s (%s)"):format(f.name, what, form))
          if not fine then
            assert.equal(HERE, tostring(message):match("^([^\n]-):%d+: %u%w+: "), message)
            assert.is_nil(tostring(message):find("CompileError", 1, true), message)
          end
        end
      end
    end)
  end

  it("an axis out of range names it", function()
    for name in ("sum prod mean var std max min argmax argmin any all ptp"):gmatch("%S+") do
      for _, axis in ipairs({ 2, -3, math.maxinteger, math.mininteger }) do
        local fine, message = pcall(T[name], T.dmatrix("x"), { axis = axis })
        assert.is_false(fine, name)
        assert.equal("ValueError", theano.error_kind(message), message)
        assert.is_truthy(message:find(tostring(axis), 1, true), message)
      end
    end
  end)
end)
