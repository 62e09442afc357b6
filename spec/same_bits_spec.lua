-- One text for every function: a number, a vector of any length, a strided vector and a broadcast operand have the same
-- bits, in generated C and in the interpreter.
local cpu = require("spec.support.cpu")
local nd = require("theano.ndarray")
local theano = require("theano")
local T = require("theano.tensor")

local ONE = {}
for name in ([[exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh
  arctanh erf erfc erfcx erfinv erfcinv gamma gammaln psi tri_gamma j0 j1 i0 i1 sigmoid softplus deg2rad rad2deg
  inv sqr cbrt]]):gmatch("%S+") do
  ONE[#ONE + 1] = name
end
for name in ("ndtr log_ndtr ndtri expi exp1 ellipk ellipe i0e i1e logit entr"):gmatch("%S+") do
  ONE[#ONE + 1] = "special." .. name
end
local TWO = { "pow", "arctan2", "hypot", "true_div", "mod", "gammainc", "gammaincc", "special.zeta", "special.betaln",
  "special.beta", "special.binom", "special.rel_entr" }
local C = theano.compile.Mode({ linker = "c", optimizer = "fast_run" })
local INTERPRETER = theano.compile.Mode({ linker = "interpreter", optimizer = "fast_run" })

local rng = nd.random.RandomState(3)
local POINTS = nd.concatenate({
  rng:uniform(-3, 3, { 40 }), rng:uniform(0, 1, { 20 }), nd.exp(rng:uniform(-20, 30, { 30 })),
  nd.array({ 0.0, -0.0, 1.0, -1.0, 0.5, 1 / 0, -1 / 0, 0 / 0, 1e300, 5e-324, 1e22 }),
}, { axis = 0 })

local function bits(a) return type(a) == "number" and nd.array({ a }):tostring() or a:tostring() end
local function of(name)
  local special = name:match("^special%.(.*)$")
  return special and T.special[special] or T[name]
end

-- The answers of one linker for all points: as one vector, then number by number, in slices, strided, broadcast.
local function check(name, arity, dtype, mode, what)
  local f, kind = of(name), dtype == "float32" and "f" or "d"
  local x, y = T[kind .. "vector"]("x"), T[kind .. "vector"]("y")
  local s, t = T[kind .. "scalar"]("s"), T[kind .. "scalar"]("t")
  local inputs = { x, s, y, t }
  local one, number = f(x, arity == 2 and y or nil), f(s, arity == 2 and t or nil)
  local outputs = { one, theano.Out(number, { array = true }) }
  local both = theano.compile({ inputs = inputs, outputs = outputs, mode = mode, on_unused_input = "ignore" })
  local v = POINTS:astype(dtype)
  local w = v["::-1"]:copy()
  local n = #v
  local function vector(a, b) return (both(a, 0, b, 0)) end
  local function scalar(a, b) return select(2, both(v, a, w, b)) end
  local all = vector(v, w):copy()
  local size = #bits(all) // n
  local want = bits(all)
  local function at(i, m) return want:sub(i * size + 1, (i + m) * size) end
  for i = 0, n - 1 do
    local got = bits(scalar(v[i], w[i]))
    -- NaN has many patterns: only that it is one counts
    assert(got == at(i, 1) or all[i] ~= all[i], ("%s of %s, %s: %.17g as a number, %.17g in a vector"):format(
      name, v[i], what, scalar(v[i], w[i]):item(), all[i]))
  end
  for m = 1, 19 do
    local part = vector(v["20:" .. 20 + m], w["20:" .. 20 + m])
    assert(bits(part) == at(20, m), ("%s, %s: a vector of %d"):format(name, what, m))
  end
  local pairs_ = nd.empty({ n, 2 }, dtype)
  pairs_[":, 0"], pairs_[":, 1"] = v, w
  local strided = vector(pairs_[":, 0"], pairs_[":, 1"])
  assert(nd.array_equal(nd.isnan(strided), nd.isnan(all)))
  for i = 0, n - 1 do assert(strided[i] == all[i] or all[i] ~= all[i], name .. ", strided") end
  return all
end

describe("functions of numbers and of vectors have the same bits", function()
  for _, dtype in ipairs({ "float64", "float32" }) do
    for arity, names in ipairs({ ONE, TWO }) do
      for _, name in ipairs(names) do
        it(("%s of %s"):format(name, dtype), function()
          cpu.only("the bits of the CPU's two executors")
          local a = check(name, arity, dtype, C, "generated C")
          local b = check(name, arity, dtype, INTERPRETER, "interpreter")
          for i = 0, #a - 1 do
            assert(a[i] == b[i] or (a[i] ~= a[i] and b[i] ~= b[i]),
              ("%s of %s: C %.17g, interpreter %.17g"):format(name, POINTS[i], a[i], b[i]))
          end
        end)
      end
    end
  end

  it("next to a sum over rows, where the function is of one number a row", function()
    cpu.only("the bits of the CPU's two executors")
    local X = T.dmatrix("X")
    local f = theano.compile({ inputs = { X }, outputs = X * T.sin(X:sum({ axis = 1, keepdims = true })), mode = C })
    local g = theano.compile({ inputs = { X }, outputs = T.sin(X:sum({ axis = 1 })), mode = C })
    local v = rng:uniform(-3, 3, { 7, 13 })
    local p, q = f(v), g(v)
    for i = 0, 6 do
      for j = 0, 12 do assert.are.equal(v[{ i, j }] * q[i], p[{ i, j }]) end
    end
  end)
end)

describe("sine, cosine and tangent of large numbers", function()
  -- mpmath with 2,000 bits
  local FAR = {
    { 0x1.6ac5b262ca1ffp+849, 1.0, -4.68716592425462761e-19, -2.13348538575370384e+18 },
    { 1e22, -0.85220084976718880177, 0.5232147853951389455, -1.6287782256068988785 },
    { 1.7976931348623157e308, 0.0049619547891840617905, -0.99998768942655993746, -0.0049620158744448949005 },
    { 0x1p20, 0.33049314002173467164, 0.94380839390131198401, 0.35016974012660903348 },
    { 0x1p1023, 0.56312777985088401345, -0.8263698346141479945, -0.68144764760662150129 },
  }
  for _, mode in ipairs({ C, INTERPRETER }) do
    it("are right to the last digits, with " .. (mode == C and "generated C" or "the interpreter"), function()
      local x = T.dvector("x")
      local f = theano.compile({ inputs = { x }, outputs = { T.sin(x), T.cos(x), T.tan(x) }, mode = mode })
      for _, sign in ipairs({ 1, -1 }) do
        for _, row in ipairs(FAR) do
          local got = { f({ sign * row[1], 0.5 }) }
          for k = 1, 3 do
            local want = k == 2 and row[3] or sign * row[k + 1]
            assert(math.abs(got[k][0] - want) <= 6e-16 * math.abs(want),
              ("function %d of %.17g: %.17g, wanted %.17g"):format(k, sign * row[1], got[k][0], want))
          end
          assert.is_near(0.479425538604203, got[1][1], 1e-15)
        end
      end
    end)
  end
  it("are NaN at infinity", function()
    local x = T.dvector("x")
    local f = theano.compile({ inputs = { x }, outputs = { T.sin(x), T.cos(x), T.tan(x) }, mode = C })
    for _, r in ipairs({ f({ 1 / 0, -1 / 0, 0 / 0, 1.0 }) }) do
      assert.are.same({ true, true, true, false }, nd.isnan(r):tolist())
    end
  end)
end)
