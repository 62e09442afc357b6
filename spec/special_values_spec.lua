--- Special functions that are compositions, against exact values (spec/data/special.json, written by
-- scripts/make-special-data.py), of arrays and in graphs; their gradients against differences.
local oracle = require("spec.support.oracle")
local theano = require("theano")
local nd, T, compile = theano.ndarray, theano.tensor, theano.compile

local DATA = oracle.cases("special")

local function number(v)
  if v == "nan" then return 0 / 0 end
  return v == "inf" and math.huge or v == "-inf" and -math.huge or v + 0.0
end
local function column(list)
  local out = {}
  for i, v in ipairs(list) do out[i] = number(v) end
  return out
end
-- Columns as arguments; those of functions of a whole number (`whole` is its place) are called with each.
local function names(t)
  local list = {}
  for name in pairs(t) do list[#list + 1] = name end
  table.sort(list)
  return list
end

-- Functions whose first argument is a Lua integer.
local WHOLE = setmetatable({}, { __index = function(_, name)
  return name:find("^eval_") or name:find("^spherical_") or name == "yvp" or name == "kvp"
end })
for name in ("expn yn kn"):gmatch("%S+") do WHOLE[name] = true end
-- A function by its name, of several results by a number behind it.
local function named(module, name)
  local plain, at = name:match("^(%S+) (%d)$")
  if not plain then return module[name] end
  return function(...) return (select(tonumber(at), module[plain](...))) end
end

local function close(want, got, rtol, what)
  if want ~= want then return assert.is_true(got ~= got, ("%s: %.17g, not NaN"):format(what, got)) end
  local fine = want == got or math.abs(got - want) <= rtol * math.abs(want) + 1e-290
  assert(fine, ("%s: %.17g, not %.17g: %.3g of it off"):format(what, got, want, math.abs(got / want - 1)))
end

local function checked(name, c, got)
  local want = column(c.want)
  for i, w in ipairs(want) do
    local row = {}
    for k, list in ipairs(c.args) do row[k] = tostring(list[i]) end
    close(w, got[i], c.rtol, ("%s(%s)"):format(name, table.concat(row, ", ")))
  end
end

-- What f gives of each row: of all at once, or of a whole number one by one.
local function rows_of(f, name, columns)
  local got = {}
  if WHOLE[name] then
    for i = 1, #columns[1] do
      local row = {}
      for k = 2, #columns do row[k - 1] = nd.array({ columns[k][i] }) end
      got[i] = f(math.tointeger(columns[1][i]), table.unpack(row))[0]
    end
    return got
  end
  local args = {}
  for k, list in ipairs(columns) do args[k] = nd.array(list, "float64") end
  local r = f(table.unpack(args))
  for i = 1, #columns[1] do got[i] = r[i - 1] end
  return got
end
local function columns_of(c)
  local out = {}
  for k, list in ipairs(c.args) do out[k] = column(list) end
  return out
end

-- The function of arrays that a graph of it is.
local function compiled(name, linker)
  local mode = compile.Mode({ linker = linker })
  local cache = {}
  return function(first, ...)
    local whole = WHOLE[name] and first
    local values = whole and { ... } or { first, ... }
    local f = cache[whole or 0]
    if not f then
      local inputs = {}
      for i = 1, #values do inputs[i] = T.dvector() end
      local of = named(T.special, name)
      local y = whole and of(whole, table.unpack(inputs)) or of(table.unpack(inputs))
      f = compile({ inputs = inputs, outputs = y, mode = mode, on_unused_input = "ignore" })
      cache[whole or 0] = f
    end
    return f(table.unpack(values))
  end
end

describe("of arrays, exact values:", function()
  for _, name in ipairs(names(DATA.exact)) do
    it(name, function()
      local f = named(nd.special, name)
      for _, c in ipairs(DATA.exact[name]) do checked(name, c, rows_of(f, name, columns_of(c))) end
    end)
  end
end)

describe("at edges as SciPy:", function()
  for _, name in ipairs(names(DATA.edges)) do
    it(name, function()
      local f = named(nd.special, name)
      for _, c in ipairs(DATA.edges[name]) do checked(name, c, rows_of(f, name, columns_of(c))) end
    end)
  end
end)

describe("in graphs, whatever floatX is, exact values and edges:", function()
  for _, name in ipairs(names(DATA.exact)) do
    it(name, function()
      for _, floatX in ipairs({ "float64", "float32" }) do
        local _ <close> = theano.config.change_flags({ floatX = floatX })
        local f = compiled(name, "interpreter")
        for _, c in ipairs(DATA.exact[name]) do checked(name, c, rows_of(f, name, columns_of(c))) end
        for _, c in ipairs(DATA.edges[name] or {}) do checked(name, c, rows_of(f, name, columns_of(c))) end
      end
    end)
  end
end)

describe("float32 is computed in float64, and no constant loses digits:", function()
  local floatX
  before_each(function() floatX = theano.config.floatX end)
  after_each(function() theano.config.floatX = floatX end)
  for _, name in ipairs(names(DATA.exact)) do
    it(name, function()
      local c = DATA.exact[name][1]
      local columns = columns_of(c)
      local args = {}
      for k, list in ipairs(columns) do args[k] = nd.array(list, "float32") end
      if not WHOLE[name] then
        assert.equal("float32", named(nd.special, name)(table.unpack(args)).dtype)
        local wide = {}
        for k, a in ipairs(args) do wide[k] = a:astype("float64") end
        local want = named(nd.special, name)(table.unpack(wide)):astype("float32")
        assert.equal(want:bytes(), named(nd.special, name)(table.unpack(args)):bytes())
      end
      theano.config.floatX = "float32"
      checked(name, c, rows_of(compiled(name, "interpreter"), name, columns))
    end)
  end
end)

-- ---- gradients ------------------------------------------------------------------------------------------------------
-- By name: the arguments, of which those at the places given have gradients.
local GRADIENTS = {
  boxcox = { { 1.5, 0.7 }, 1, 2 }, boxcox1p = { { 0.5, 0.7 }, 1, 2 }, inv_boxcox = { { 0.3, 0.7 }, 1, 2 },
  inv_boxcox1p = { { 0.3, 0.7 }, 1, 2 }, pseudo_huber = { { 1.5, 0.7 }, 1, 2 }, radian = { { 3.0, 4.0, 5.0 }, 1, 2, 3 },
  sindg = { { 40.0 }, 1 }, cosdg = { { 200.0 }, 1 }, tandg = { { 100.0 }, 1 }, cotdg = { { 100.0 }, 1 },
  agm = { { 1.5, 4.0 }, 1, 2 }, diric = { { 0.7, 3.0 }, 1 }, betaincc = { { 1.5, 2.5, 0.3 }, 3 },
  gammaincinv = { { 1.5, 0.3 }, 2 }, gammainccinv = { { 1.5, 0.3 }, 2 }, betaincinv = { { 1.5, 2.5, 0.7 }, 3 },
  betainccinv = { { 1.5, 2.5, 0.7 }, 3 }, bdtr = { { 3.0, 7.0, 0.4 }, 3 }, bdtrc = { { 3.0, 7.0, 0.4 }, 3 },
  bdtri = { { 3.0, 7.0, 0.4 }, 3 }, nbdtr = { { 3.0, 7.0, 0.4 }, 3 }, nbdtrc = { { 3.0, 7.0, 0.4 }, 3 },
  nbdtri = { { 3.0, 7.0, 0.4 }, 3 }, pdtr = { { 3.0, 2.0 }, 2 }, pdtrc = { { 3.0, 2.0 }, 2 },
  pdtri = { { 3.0, 0.4 }, 2 },
  chdtr = { { 3.0, 2.0 }, 2 }, chdtrc = { { 3.0, 2.0 }, 2 }, chdtri = { { 3.0, 0.4 }, 2 },
  gdtr = { { 1.5, 2.5, 2.0 }, 1, 3 }, gdtrc = { { 1.5, 2.5, 2.0 }, 1, 3 }, gdtrix = { { 1.5, 2.5, 0.4 }, 1, 3 },
  fdtr = { { 3.0, 4.0, 1.5 }, 3 }, fdtrc = { { 3.0, 4.0, 1.5 }, 3 }, fdtri = { { 3.0, 4.0, 0.4 }, 3 },
  stdtr = { { 3.0, -0.7 }, 2 }, stdtrit = { { 3.0, 0.2 }, 2 },
}

for name in ([[legendre sh_legendre chebyt chebyu chebyc chebys sh_chebyt sh_chebyu hermite hermitenorm
    laguerre]]):gmatch("%S+") do
  GRADIENTS["eval_" .. name] = { { 5, 0.3 }, 2 }
end
GRADIENTS.eval_genlaguerre, GRADIENTS.eval_gegenbauer = { { 5, 0.7, 0.3 }, 2, 3 }, { { 5, 0.7, 0.3 }, 2, 3 }
GRADIENTS.eval_jacobi = { { 5, 0.7, 0.4, 0.3 }, 2, 3, 4 }
GRADIENTS.eval_sh_jacobi = { { 5, 2.0, 0.4, 0.3 }, 4 }
for name in ("y0 y1 k0 k1 k0e k1e dawsn erfi spence"):gmatch("%S+") do GRADIENTS[name] = { { 1.3 }, 1 } end
for name in ("sici shichi fresnel"):gmatch("%S+") do
  GRADIENTS[name .. " 1"], GRADIENTS[name .. " 2"] = { { 1.3 }, 1 }, { { 1.3 }, 1 }
end
for name in ("ellipkinc ellipeinc"):gmatch("%S+") do GRADIENTS[name] = { { 2.3, 0.4 }, 1, 2 } end
for i = 1, 3 do GRADIENTS["ellipj " .. i] = { { 1.3, 0.4 }, 1, 2 } end
GRADIENTS.elliprf, GRADIENTS.elliprd = { { 0.7, 1.3, 2.5 }, 1, 2, 3 }, { { 0.7, 1.3, 2.5 }, 1, 2, 3 }
GRADIENTS.elliprc, GRADIENTS.ellipkm1, GRADIENTS.lambertw = { { 0.7, 1.3 }, 1, 2 }, { { 0.4 }, 1 }, { { 1.3 }, 1 }
for name in ("yn kn spherical_jn spherical_yn expn yvp kvp"):gmatch("%S+") do GRADIENTS[name] = { { 3, 1.3 }, 2 } end
GRADIENTS.jvp, GRADIENTS.ivp = { { 2.5, 1.3 }, 2 }, { { 2.5, 1.3 }, 2 }
GRADIENTS.kv, GRADIENTS.kve = { { 2.3, 1.7 }, 1, 2 }, { { 0.3, 1.7 }, 1, 2 }
GRADIENTS.ive, GRADIENTS.jve = { { 2.3, 1.7 }, 2 }, { { 2.3, 1.7 }, 2 }
for name in ("spherical_in spherical_kn"):gmatch("%S+") do GRADIENTS[name] = { { 3, 1.3 }, 2 } end
for i = 1, 4 do GRADIENTS["airy " .. i], GRADIENTS["airye " .. i] = { { -1.7 }, 1 }, { { 1.7 }, 1 } end
GRADIENTS.hyp0f1, GRADIENTS.hyp1f1 = { { 1.3, 0.7 }, 2 }, { { 1.3, 2.7, 0.7 }, 1, 2, 3 }
GRADIENTS.hyp2f1, GRADIENTS.voigt_profile = { { 1.3, 2.7, 0.7, 0.4 }, 4 }, { { 1.3, 0.7, 0.4 }, 1, 2, 3 }
GRADIENTS.yv = { { 2.3, 1.7 }, 2 }
GRADIENTS.factorial2, GRADIENTS.factorialk, GRADIENTS.zeta = false, false, false
for name in ("poch perm binom"):gmatch("%S+") do GRADIENTS[name] = { { 5.3, 2.2 }, 1, 2 } end

describe("gradients, first and second:", function()
  for _, name in ipairs(names(DATA.exact)) do
    local g = GRADIENTS[name]
    it(name, function()
      assert(g ~= nil, "no row in GRADIENTS")
      if not g then return end
      local inputs, values = {}, g[1]
      for i = 1, #values do inputs[i] = math.type(values[i]) == "float" and T.dscalar() or values[i] end
      local from = type(inputs[1]) == "number" and 2 or 1 -- a whole number is no input
      local y = named(T.special, name)(table.unpack(inputs))
      for at = 2, #g do
        local place = g[at]
        local first = T.grad(y, inputs[place])
        local second = T.grad(first, inputs[place], { disconnected_inputs = "ignore" })
        local f = compile({ inputs = { table.unpack(inputs, from) }, outputs = { y, first, second },
          on_unused_input = "ignore", mode = compile.Mode({ linker = "interpreter" }) })
        local h = 1e-5 * math.max(1, math.abs(values[place]))
        local function shifted(d)
          local v = { table.unpack(values) }
          v[place] = v[place] + d
          return f(table.unpack(v, from))
        end
        local here = table.pack(shifted(0))
        local above, below = table.pack(shifted(h)), table.pack(shifted(-h))
        local by = (above[1] - below[1]) / (2 * h)
        assert.near(by, here[2], 2e-7 * math.max(1, math.abs(by)), name .. " by " .. place)
        by = (above[2] - below[2]) / (2 * h)
        assert.near(by, here[3], 2e-6 * math.max(1, math.abs(by)), "twice by " .. place)
      end
    end)
  end
end)

describe("Gauss's rules:", function()
  for _, r in ipairs(DATA.rules) do
    it(("%s(%d)"):format(r.name, r.n), function()
      local args = r.args
      local x, w, total = nd.special[r.name](r.n, table.unpack(args))
      assert.is_nil(total)
      assert.equal("float64", x.dtype)
      for i, node in ipairs(r.nodes) do
        assert.near(node, x[i - 1], 1e-14 * math.abs(node) + 1e-16, "node " .. i)
        close(r.weights[i], w[i - 1], 2e-13, "weight " .. i)
      end
      args[#args + 1] = true
      close(nd.sum(w), select(3, nd.special[r.name](r.n, table.unpack(args))), 1e-14, "sum of weights")
    end)
  end
  it("of others: shifted and scaled ones", function()
    local sf = nd.special
    local function integral(x, w, power) return nd.sum(w * nd.power(x, power)) end
    local x, w = sf.roots_sh_legendre(6)
    assert.near(1 / 8, integral(x, w, 7), 1e-15)
    x, w = sf.roots_chebyc(6)
    assert.near(4 * math.pi, integral(x, w, 2), 1e-14)
    x, w = sf.roots_chebys(6)
    assert.near(math.pi, integral(x, w, 2), 1e-14)
    x, w = sf.roots_sh_chebyt(6)
    assert.near(math.pi / 2, integral(x, w, 1), 1e-14)
    x, w = sf.roots_sh_chebyu(6)
    assert.near(math.pi / 16, integral(x, w, 1), 1e-14)
    x, w = sf.roots_sh_jacobi(6, 2.5, 1.5)
    assert.near(sf.beta(2.5, 2.0), integral(x, w, 1), 1e-14)
    x, w = sf.roots_gegenbauer(6, 1.0)
    assert.near(math.pi / 8, integral(x, w, 2), 1e-14)
    assert.equal(math.pi / 6, select(2, sf.roots_gegenbauer(6, 0))[0])
  end)
  it("of many nodes", function()
    local x, w = nd.special.roots_hermite(800)
    assert.is_true(nd.all(nd.isfinite(w)) and nd.all(nd.gt(nd.diff(x), 0)))
    assert.near(math.sqrt(math.pi) / 2, nd.sum(w * x * x), 1e-13)
    x, w = nd.special.roots_laguerre(300)
    assert.near(6, nd.sum(w * nd.power(x, 3)), 1e-11)
  end)
  it("refuse what is no number of nodes", function()
    for _, n in ipairs({ 0, -1, 1.5, 1 << 53, "a", 0 / 0, {} }) do
      assert.has_error(function() nd.special.roots_legendre(n) end)
      assert.has_error(function() nd.special.eval_legendre(n == 0 and -1 or n, 0.5) end)
    end
    local _, message = pcall(nd.special.roots_jacobi, 3, -1, 0)
    assert.truthy(message:find("special.roots_jacobi: alpha is a number above -1", 1, true))
  end)
end)

describe("numbers of Bernoulli and Euler", function()
  it("are there", function()
    local b, e = nd.special.bernoulli(60), nd.special.euler(30)
    for k, want in pairs({ [0] = 1, [1] = -0.5, [2] = 1 / 6, [3] = 0, [4] = -1 / 30, [12] = -691 / 2730,
      [60] = -1215233140483755572040304994079820246041491 / 56786730 }) do
      close(want, b[k], 1e-14, "B" .. k)
    end
    for k, want in pairs({ [0] = 1, [1] = 0, [2] = -1, [4] = 5, [10] = -50521,
      [30] = -441543893249023104553682821 }) do
      close(want, e[k], 1e-14, "E" .. k)
    end
    assert.same({ 1 }, nd.special.bernoulli(0).shape)
    assert.equal(math.huge, math.abs(nd.special.euler(400)[400]))
    assert.has_error(function() nd.special.euler(-1) end)
  end)
end)

describe("Lambert's W of the branch -1", function()
  it("is there, and has a gradient", function()
    local z = nd.array({ -1e-300, -1e-10, -0.05, -0.1, -0.2, -0.3, -0.3678, -0.36787944117144 })
    local w = nd.special.lambertw(z, -1)
    assert.is_true(nd.all(nd.le(nd.abs(w * nd.exp(w) / z - 1), 1e-13)) and nd.all(nd.lt(w, -1)))
    assert.equal(-math.huge, nd.special.lambertw(0.0, -1))
    for _, outside in ipairs({ 1.0, -0.4, math.huge }) do
      local r = nd.special.lambertw(outside, -1)
      assert.is_true(r ~= r)
    end
    local x = T.dscalar()
    local y = T.special.lambertw(x, -1)
    local f = compile({ inputs = { x }, outputs = { y, T.grad(y, x) } })
    local v, g = f(-0.2)
    assert.near(v / (-0.2 * (1 + v)), g, 1e-13)
    assert.has_error(function() nd.special.lambertw(1.0, 2) end)
  end)
  it("of 0 and at the ends of the other branch", function()
    for z, want in pairs({ [0.0] = 0.0, [math.huge] = math.huge, [-0.36787944117144233] = -1.0 }) do
      assert.equal(want, nd.special.lambertw(z))
    end
  end)
end)

describe("derivatives at 0 of what is a quotient there:", function()
  local pi = math.pi
  local WANT = { -- the value and four derivatives
    ellipk = { pi / 2, pi / 8, 9 * pi / 64, 75 * pi / 256, 3675 * pi / 4096 },
    ellipe = { pi / 2, -pi / 8, -3 * pi / 64, -15 * pi / 256, -525 * pi / 4096 },
    sinc = { 1, 0, -pi ^ 2 / 3, 0, pi ^ 4 / 5 },
    exprel = { 1, 1 / 2, 1 / 3, 1 / 4, 1 / 5 },
    i1e = { 0, 1 / 2 }, -- the second one jumps there
  }
  for _, name in ipairs(names(WANT)) do
    it(name, function()
      local x = T.dscalar()
      local y, outputs = named(T.special, name)(x), {}
      for k in ipairs(WANT[name]) do
        outputs[k] = y
        y = T.grad(y, x)
      end
      outputs[#outputs + 1] = y
      local f = compile({ inputs = { x }, outputs = outputs })
      for _, at in ipairs({ 0.0, 1e-14, -1e-14 }) do
        local got = { f(at) }
        for k, want in ipairs(WANT[name]) do
          assert(math.abs(got[k] - want) < 1e-12, ("%d of %g: %.17g, not %.17g"):format(k - 1, at, got[k], want))
        end
        assert(got[#got] == got[#got], "NaN")
      end
    end)
  end
end)
