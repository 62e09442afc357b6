--- The program of blocks_spec: reductions of everything over several blocks, a line of bits each.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local x, m, i, xf, z = T.dvector("x"), T.dmatrix("m"), T.ivector("i"), T.fvector("xf"), T.zvector("z")
local rng = nd.random.RandomState(3)
local v, w = rng:normal(0, 1, { 300011 }), rng:normal(0, 1, { 301, 1999 })
local single, few = v:astype("float32"), (rng:rand(300011) * 7):astype("int32")
local complex = nd.exp(v:astype("complex128") * 1e-3)
local odd = v:copy() -- NaN in the third and fourth block, the largest in the first, the least in the last
odd[70001], odd[131000], odd[5], odd[300000] = 0 / 0, 0 / 0, 99, -99

local cases = {
  { "sum", { x }, x:sum(), { v } },
  { "several", { x }, { T.sum(x * x), T.max(x), T.mean(x), T.min(T.exp(x)), T.var(x) }, { v } },
  { "float32 in float64", { xf }, T.tanh(xf):sum(), { single } },
  { "float32 in float32", { xf }, T.sum(xf, { acc_dtype = "float32" }), { single } },
  { "float32, positions", { xf }, { T.argmax(xf), T.argmin(T.abs_(xf)) }, { single } },
  { "int32", { i }, { i:sum(), T.max(i), T.min(i), T.argmax(i), T.argmin(i) }, { few } },
  { "int8", { i }, { T.max(T.cast(i, "int8")), T.argmax(T.cast(i, "int8")), T.cast(i, "int8"):sum() }, { few } },
  { "complex", { z }, { T.sum(z), T.prod(z) }, { complex } },
  { "complex64", { z }, T.sum(T.cast(z, "complex64")), { complex } },
  { "strided", { m }, { m[{ "::2", "::3" }]:sum(), T.argmax(m[{ "::2", "::3" }]), T.max(m[{ "::2", "::3" }]) }, { w } },
  { "part of a matrix", { m }, { m[{ ":", "1:1700" }]:sum(), T.argmin(m[{ ":", "1:1700" }]) }, { w } },
  { "turned", { m }, { T.exp(m.T)[{ "::2", ":" }]:sum(), T.argmax(m.T[{ "::2", ":" }]) }, { w } },
  { "turned, float32", { m }, T.sum(T.cast(m.T[{ "3:", "::2" }], "float32")), { w } },
  { "product", { m }, (m[{ "::2", ":" }] * 1e-3 + 1):prod(), { w } },
  { "every third", { x }, { x["::3"]:sum(), T.argmin(x["::-3"]) }, { v } },
  { "with the position", { x }, (x * T.arange(x.shape[0])):sum(), { v } },
  { "cost and gradient", { x }, { T.sum(T.tanh(x) ^ 2), T.grad(T.sum(T.tanh(x) ^ 2), x) }, { v } },
  { "all, any", { i }, { T.all(T.lt(i, 7)), T.any(T.gt(i, 6)), T.all(T.lt(i, 6)) }, { few } },
  { "standardize", { x }, T.tanh((x - x:mean()) / x:std()), { v } },
  { "taken", { x, i }, T.sum(x[T.cast(i, "int64") * 3]), { v, few } },
  { "division", { i }, T.sum(T.int_div(700, i + 1)), { few } },
  { "NaN", { x }, { T.argmax(x), T.argmin(x), T.max(x), T.min(x) }, { odd } },
  { "NaN, strided", { x }, { T.argmax(x["1::2"]), T.argmin(x["1::2"]), T.argmax(x["::2"]), T.max(x["::2"]) }, { odd } },
  { "in a loop", { x }, theano.reduce { fn = function(k, s) return s * 0.5 + T.sum(T.tanh(x) * k) end,
    sequences = { T.arange(4) }, outputs_info = { T.constant(0.0, { dtype = "float64" }) } }, { v } },
  { "division by zero", { i }, T.sum(T.int_div(7, i)), { few } },
  { "outside", { x, i }, T.sum(x[T.cast(i, "int64") * 60000]), { v, few } },
}

local function bits(r)
  if math.type(r) == "integer" then return ("%d"):format(r) end
  if math.type(r) then return r ~= r and "nan" or ("%a"):format(r) end
  if type(r) == "boolean" then return tostring(r) end
  if tostring(r):find("j)", 1, true) then return ("%a %a"):format(r.real, r.imag) end
  local text, h = r:tostring(), 0
  for at = 1, #text - 7, 8 do h = h * 31 + ("<i8"):unpack(text, at) end
  return ("%x"):format(h)
end

for _, case in ipairs(cases) do
  local f = theano.compile({ inputs = case[2], outputs = case[3] })
  local list = table.pack(pcall(f, table.unpack(case[4])))
  local line = { case[1] }
  for k = 2, list.n do
    local r = list[k]
    if list[1] then line[k] = bits(r)
    else line[k] = tostring(r):match("%u%a+Error: [^\n]*") end
  end
  print(table.concat(line, "; "))
end
