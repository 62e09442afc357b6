--- Evaluates every elementwise function of floats and complex numbers over its whole range, through generated C and the
-- interpreter, and leaves points and answers in build/bench/ulp for bench/ulp.mpmath.py, which says how far off they
-- are: `bench/run ulp`, with PYTHON=... naming an interpreter that has NumPy and mpmath.
local nd = require("theano.ndarray")
local theano = require("theano")
local T = require("theano.tensor")

local FOLDER = "build/bench/ulp"
local N = tonumber(os.getenv("ULP_POINTS")) or 2000
os.execute("mkdir -p " .. FOLDER .. " && rm -f " .. FOLDER .. "/*.npy")

-- Intervals of the points: {low, high} evenly, {low, high, "log"} by magnitude, with both signs where "both".
local ALL = { { 1e-300, 1e300, "both" }, { -30, 30 } }
local POSITIVE = { { 1e-300, 1e300, "log" }, { 0, 3 } }
local UNIT = { { -1, 1 }, { 1e-300, 1, "both" } }
local EXP = { { -745, 709 }, { 1e-300, 1, "both" }, { -3, 3 } }
local ANGLES = { { -30, 30 }, { 1e-300, 1e15, "both" } }
local GAMMAS = { { 1e-300, 1e300, "log" }, { 0, 20 }, { -30, 0 } }
local REAL = {
  exp = EXP, exp2 = { { -1074, 1023 }, { -2, 2 } }, expm1 = EXP, sigmoid = EXP, softplus = EXP,
  log = POSITIVE, log2 = POSITIVE, log10 = POSITIVE, sqrt = POSITIVE, inv = ALL,
  log1p = { { -1, 3 }, { 1e-300, 1e300, "log" }, { 1e-20, 0.5, "both" } },
  sin = ANGLES, cos = ANGLES, tan = ANGLES, arcsin = UNIT, arccos = UNIT, arctan = ALL,
  arctanh = UNIT, arcsinh = ALL, arccosh = { { 1, 3 }, { 1, 1e300, "log" } },
  sinh = { { -709, 709 }, { -2, 2 }, { 1e-300, 1, "both" } }, cosh = { { -709, 709 }, { -2, 2 } },
  tanh = { { -25, 25 }, { 1e-300, 1, "both" } },
  erf = { { -6, 6 }, { 1e-300, 1, "both" } }, erfc = { { -6, 27 } },
  erfcx = { { -26, 30 }, { 1e-300, 1e300, "log" }, { -3, 3 } },
  erfinv = UNIT, erfcinv = { { 0, 2 }, { 1e-300, 1, "log" } },
  gamma = { { -30, 171.6 }, { 1e-300, 1, "both" }, { -170, -30 }, { -5, 5 } },
  gammaln = GAMMAS, psi = GAMMAS, tri_gamma = { { 1e-150, 1e150, "log" }, { 0, 20 }, { -30, 0 } },
  j0 = { { -30, 30 }, { 1e-150, 1e6, "log" } }, j1 = { { -30, 30 }, { 1e-150, 1e6, "log" } },
  i0 = { { -30, 30 }, { 1e-150, 710, "log" } }, i1 = { { -30, 30 }, { 1e-150, 710, "log" } },
}
-- Two operands: intervals of each.
local ORDERS = { { { -20, 20 }, { 0, 60 } }, { { 0, 200 }, { 0, 200 } } }
local SHAPES = { { { 1e-3, 1e3, "log" }, { 1e-3, 1e3, "log" } }, { { 0, 60 }, { 0, 60 } } }
local TWO = {
  jv = ORDERS, iv = ORDERS, gammainc = SHAPES, gammaincc = SHAPES, chi2sf = { { { 0, 100 }, { 0, 60 } } },
  pow = { { { 1e-3, 1e3, "log" }, { -30, 30 } } }, arctan2 = { { { 1e-30, 1e30, "both" }, { 1e-30, 1e30, "both" } } },
  true_div = { { { -9, 9 }, { -9, 9 } } }, mod = { { { -9, 9 }, { -9, 9 } } },
}
local COMPLEX = {}
for name in ([[exp expm1 exp2 log log2 log10 log1p sqrt inv sqr sin cos tan arcsin arccos arctan sinh cosh tanh
  arcsinh arccosh arctanh sgn abs angle]]):gmatch("%S+") do
  COMPLEX[#COMPLEX + 1] = name
end

local rng = nd.random.RandomState(7)
local function points(range, n)
  local low, high, how = table.unpack(range)
  if not how then return rng:uniform(low, high, { n }) end
  local x = nd.exp(rng:uniform(math.log(low), math.log(high), { n }))
  return how == "both" and x * nd.sgn(rng:uniform(-1, 1, { n })) or x
end
local function all_points(ranges, n)
  local parts = {}
  for i, range in ipairs(ranges) do parts[i] = points(range, n) end
  return nd.concatenate(parts, { axis = 0 })
end

local MODES = {
  c = theano.compile.Mode({ linker = "c" }), interpreter = theano.compile.Mode({ linker = "interpreter" }),
}
local function save(name, dtype, what, a) nd.save(("%s/%s.%s.%s.npy"):format(FOLDER, name, dtype, what), a) end
local function run(name, dtype, ...)
  local inputs, values = {}, { ... }
  for i, v in ipairs(values) do
    inputs[i] = T.TensorType(dtype, { false })("x" .. i)
    save(name, dtype, "x" .. i, v)
  end
  for linker, mode in pairs(MODES) do
    local f = theano.compile({ inputs = inputs, outputs = T[name](table.unpack(inputs)), mode = mode })
    save(name, dtype, linker, f(...))
  end
end

local count = 0
for name, ranges in pairs(REAL) do
  local x = all_points(ranges, N)
  run(name, "float64", x)
  run(name, "float32", x:astype("float32"))
  count = count + 1
end
for name, ranges in pairs(TWO) do
  local a, b = {}, {}
  for i, pair in ipairs(ranges) do a[i], b[i] = points(pair[1], N), points(pair[2], N) end
  a, b = nd.concatenate(a, { axis = 0 }), nd.concatenate(b, { axis = 0 })
  run(name, "float64", a, b)
  run(name, "float32", a:astype("float32"), b:astype("float32"))
  count = count + 1
end
for _, name in ipairs(COMPLEX) do
  local z = nd.complex(0, 1) * all_points({ { -4, 4 }, { 1e-10, 1e10, "both" }, { 1e-9, 1, "both" } }, N)
    + all_points({ { -4, 4 }, { 1e-10, 1e10, "both" }, { -1, 1 } }, N)
  run(name, "complex128", z)
  count = count + 1
end
print(("%d functions evaluated at %d points an interval"):format(count, N))
