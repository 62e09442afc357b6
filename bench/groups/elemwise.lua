-- Elementwise formulas on doubles: the paper's Figure 7, vector functions (two on floats too), a sum, a chain of three
-- regions, and one of many kernels. The result lies in the function's own memory (borrow), as the peers write into a
-- buffer they keep.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local FORMULAS = {
  ["a+1"] = { function(a) return a + 1 end, 1, 2 },
  ["2*a+3*b"] = { function(a, b) return 2 * a + 3 * b end, 2, 3 },
  ["a**2+b**2+2*a*b"] = { function(a, b) return a ^ 2 + b ^ 2 + 2 * a * b end, 2, 3 },
  ["2*a+b**10"] = { function(a, b) return 2 * a + b ^ 10 end, 2, 3 },
  ["tanh(a)*exp(-b)+log1p(abs(a))"] = {
    function(a, b) return T.tanh(a) * T.exp(-b) + T.log1p(T.abs_(a)) end, 2, 3,
  },
  ["expm1(a)"] = { function(a) return T.expm1(a) end, 1, 2 },
  ["1/(1+exp(-a))"] = { function(a) return 1 / (1 + T.exp(-a)) end, 1, 2 },
  ["sum(tanh(a*b))"] = { function(a, b) return T.sum(T.tanh(a * b)) end, 2, 2 },
  ["standardize, tanh"] = { -- mean, then variance, then the values: three passes over a
    function(a)
      local c = a - T.mean(a)
      return T.tanh(c / T.sqrt(T.mean(c * c) + 1e-5))
    end, 1, 4,
  },
  ["300 links"] = { -- more than a kernel holds
    function(a, b)
      for i = 1, 300 do a = a * (0.5 + i / 1024) + b end
      return a
    end, 2, 3,
  },
}
local ORDER = {
  "a+1", "2*a+3*b", "a**2+b**2+2*a*b", "2*a+b**10", "tanh(a)*exp(-b)+log1p(abs(a))", "sum(tanh(a*b))", "expm1(a)",
  "1/(1+exp(-a))", "standardize, tanh", "300 links",
}
local LARGE = { ["standardize, tanh"] = true, ["300 links"] = true }
local SINGLE = { ["tanh(a)*exp(-b)+log1p(abs(a))"] = true, ["sum(tanh(a*b))"] = true }

local G = {
  title = "elementwise formulas",
  peers = {
    "lua", "numpy", "numexpr", "numba", "torch", "torch-compile", "jax", "pytensor-c", "pytensor-numba", "theano",
    "c", "c-nt", "floor",
  },
  cases = {},
}
local function add(name, ...)
  for _, n in ipairs({ "1", "10", "1000", "10000", "100000", "1000000", "10000000" }) do
    if not LARGE[name] or tonumber(n) >= 1e5 then G.cases[#G.cases + 1] = { name, n, ... } end
  end
end
for _, name in ipairs(ORDER) do
  add(name)
  if SINGLE[name] then add(name, "float32") end
end

-- Arrays read and written, in bytes; flops are not what limits these.
function G.work(name, n, dtype)
  return { flops = 0, bytes = FORMULAS[name][3] * (dtype and 4 or 8) * n, dtype = dtype or "float64" }
end

function G.prepare(name, n, dtype)
  n, dtype = math.tointeger(tonumber(n)), dtype or "float64"
  local rng = nd.random.RandomState(1)
  local a, b = rng:uniform(-1, 1, { n }):astype(dtype), rng:uniform(-1, 1, { n }):astype(dtype)
  local A, B = T.vector("a", { dtype = dtype }), T.vector("b", { dtype = dtype })
  local formula = FORMULAS[name]
  local two = formula[2] == 2
  local y = formula[1](A, B)
  local f = theano.compile({ inputs = two and { A, B } or { A }, outputs = theano.Out(y, { borrow = true }) })
  f.trust_input = true
  local args = two and { a, b } or { a }
  local r = f(table.unpack(args))
  return { f = f, args = args }, type(r) == "number" and r or r:astype("float64"):sum()
end

return G
