-- Ordering, searching, indexing, running sums and reductions, from 10 to 10^7 elements.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

local rng = nd.random.RandomState(1)
local v, m, i = T.dvector("v"), T.dmatrix("m"), T.lvector("i")
local single, cube = T.fvector("single"), T.dtensor3("cube")
local function rows(n) return math.max(1, math.floor(n ^ 0.5)) end

-- name, inputs, expression, arguments for n elements
local CASES = {
  { "sort", { v }, T.sort(v), function(d) return d.x end },
  { "sort int64", { i }, T.sort(i), function(d) return d.i end },
  { "sort float32", { single }, T.sort(single), function(d) return d.s end },
  { "argsort", { v }, T.argsort(v), function(d) return d.x end },
  { "topk 10", { v }, T.topk(v, 10), function(d) return d.x end },
  { "unique", { v }, (T.unique(v)), function(d) return d.few end },
  { "searchsorted", { v }, T.searchsorted(T.constant(nd.arange(0, 1, 0.001)), v), function(d) return d.x end },
  { "cumsum", { v }, T.cumsum(v), function(d) return d.x end },
  { "cumsum axis 0", { m }, T.cumsum(m, { axis = 0 }), function(d) return d.m end },
  { "cumsum axis 1", { m }, T.cumsum(m, { axis = 1 }), function(d) return d.m end },
  { "diff", { v }, T.extra_ops.diff(v), function(d) return d.x end },
  { "take", { v, i }, v[i], function(d) return d.x, d.i end },
  { "take rows", { m, i }, m[i], function(d) return d.m, d.r end },
  { "take columns", { m, i }, T.take(m, i, { axis = 1 }), function(d) return d.m, d.r end },
  { "m[i, j]", { m, i }, m[{ i, i }], function(d) return d.m, d.pair end },
  { "x[mask]", { v }, v[T.gt(v, 0.5)], function(d) return d.x end },
  { "nonzero", { v }, T.flatnonzero(T.gt(v, 0.5)), function(d) return d.x end },
  { "inc repeated", { v, i }, T.inc_subtensor(v[i], 1.0), function(d) return d.x, d.i end },
  { "sum", { v }, v:sum(), function(d) return d.x end },
  { "sum axis 0", { m }, m:sum { axis = 0 }, function(d) return d.m end },
  { "sum axis 1", { m }, m:sum { axis = 1 }, function(d) return d.m end },
  { "sum axis 0 of m.T", { m }, m.T:sum { axis = 0 }, function(d) return d.m end },
  { "sum float32", { single }, single:sum(), function(d) return d.s end },
  { "sum axis 1 of m.T", { m }, m.T:sum { axis = 1 }, function(d) return d.m end },
  { "sum axis 1 of 3", { cube }, cube:sum { axis = 1 }, function(d) return d.t end },
  { "sum axes 0, 2 of 3", { cube }, cube:sum { axis = { 0, 2 } }, function(d) return d.t end },
  { "mean axis 1", { m }, m:mean { axis = 1 }, function(d) return d.m end },
  { "prod axis 1", { m }, m:prod { axis = 1 }, function(d) return d.m end },
  { "max axis 1 of m.T", { m }, T.max(m.T, { axis = 1 }), function(d) return d.m end },
  { "any axis 1", { m }, T.any(T.gt(m, 2.0), { axis = 1 }), function(d) return d.m end },
  { "max axis 0", { m }, T.max(m, { axis = 0 }), function(d) return d.m end },
  { "max axis 1", { m }, T.max(m, { axis = 1 }), function(d) return d.m end },
  { "argmax axis 0", { m }, T.argmax(m, { axis = 0 }), function(d) return d.m end },
  { "argmax axis 1", { m }, T.argmax(m, { axis = 1 }), function(d) return d.m end },
}

local function data(n)
  local r = rows(n)
  local d = { x = rng:rand({ n }), m = rng:rand({ r, r }), i = rng:randint(0, n, { n }), r = rng:randint(0, r, { r }) }
  d.few = nd.floor(d.x * 100)
  d.pair = rng:randint(0, r, { n })
  local c = math.max(1, math.floor(n ^ (1 / 3) + 1e-9))
  d.s, d.t = d.x:astype("float32"), rng:rand({ c, c, c })
  return d
end

local G = { title = "ordering, indexing, reductions", peers = { "lua", "numpy" }, cases = {} }
local by_name = {}
for _, c in ipairs(CASES) do
  by_name[c[1]] = c
  for _, n in ipairs({ "10", "1000", "100000", "10000000" }) do
    if not (c[1] == "topk 10" and n == "10") then G.cases[#G.cases + 1] = { c[1], n } end
  end
end

function G.prepare(name, n)
  local c, d = by_name[name], data(math.tointeger(tonumber(n)))
  local f = theano.compile({ inputs = c[2], outputs = c[3], on_unused_input = "ignore" })
  local args = table.pack(c[4](d))
  local r = f(table.unpack(args))
  return { f = f, args = args }, type(r) == "number" and r or r:astype("float64"):sum()
end

return G
