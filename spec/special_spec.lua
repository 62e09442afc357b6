--- Special functions where they are hard: at and near their irrational zeros, in cancelling sums, where factors
-- overflow. The exact values were computed with 80 digits (mpmath) and rounded once; `bench/run ulp` measures
-- everywhere else.
local compile = require("theano").compile
local nd = require("theano.ndarray")
local T = require("theano.tensor")

-- { the exact value, arguments.. }
local EXACT = {
  psi = {
    { 7.289763902976895e-17, -0.5040830082644554 },
    { -1.3519001425628607e-11, -0.5040830082659676 },
    { 9.012800278347723e-06, -0.504082000098439 },
    { 1.5649788481838454e-16, -1.5734984731623904 },
    { -4.693043169002105e-11, -1.5734984731671111 },
    { 3.128583571709446e-05, -1.5734953261654443 },
    { 7.822379332320527e-15, -12.718971025749207 },
    { -6.280774287028069e-10, -12.718971025787365 },
    { 0.0004186848117181712, -12.718945587807156 },
    { -2.6020659291153963e-14, -63.79424045325521 },
    { -5.2035111484059075e-09, -63.7942404534466 },
    { 0.003467111831770052, -63.79411286477431 },
    { 4.388225682110908e-13, -200.8298108388158 },
    { -2.289927827827748e-08, -200.82981083941831 },
    { 0.015233455463476509, -200.82940917919413 },
    { -7.891182625636632, -35.91501739856868 },
    { 0.03588625447972611, -0.5000675692179165 },
  },
  gammaln = {
    { 5.619192358950097e-17, -2.4570247382208006 },
    { -1.117144576699137e-11, -2.4570247382281716 },
    { 7.447867648299207e-06, -2.4570198241713244 },
    { 1.733509244024501e-16, -2.7476826467274127 },
    { 1.5780514005910586e-11, -2.747682646735656 },
    { -1.0519764411219219e-05, -2.747677151362119 },
    { -4.14382750757705e-16, -3.955294284858598 },
    { 2.4592447756996217e-10, -3.955294284870464 },
    { -0.00016393167962318385, -3.9552863742700284 },
    { -4.799928255018621e-08, -11.999999997912324 },
    { 0.01739424725807842, -11.999999997948324 },
    { -9.34978412044588, -11.99997599791233 },
    { -3.124380541155689, -18.000000000000004 },
    { -12.75349703545728, -18.000000000054005 },
    { -26.16334854214493, -17.999964000000006 },
    { 0.43702708789234873, -2.280532317243103 },
  },
  j0 = {
    { -6.10876525973673e-17, 2.404825557695773 },
    { -3.745540676776909e-12, 2.4048255577029876 },
    { 2.4969208361198394e-06, 2.4048207480446577 },
    { -2.7522649432621832e-17, 5.520078110286311 },
    { 5.634787152895294e-12, 5.520078110302871 },
    { -3.756580377218329e-06, 5.52006707013009 },
    { -7.948465570525162e-17, 8.653727912911013 },
    { -7.047376210299521e-12, 8.653727912936974 },
    { 4.6981533876749995e-06, 8.653710605455187 },
    { 2.4641093554075283e-16, 27.493479132040253 },
    { -1.255217043760926e-11, 27.493479132122737 },
    { 8.367990413786233e-06, 27.493424145081992 },
    { -2.70254415200037e-16, 49.482609897397815 },
    { 1.683790640933072e-11, 49.48260989754626 },
    { -1.1225556185572602e-05, 49.48251093217802 },
    { -1.931276135030716e-16, 52.624051841115 },
    { -1.7365098782113665e-11, 52.62405184127287 },
    { 1.1576370781959766e-05, 52.62394659301132 },
    { 6.962001552300756e-17, 124.87930891323295 },
    { 2.674931825918496e-11, 124.87930891360759 },
    { -1.7832715074731427e-05, 124.87905915461512 },
    { 5.756216739947299e-17, 3140.8072952250786 },
    { 1.3414655804188598e-10, 3140.807295234501 },
    { -8.943104047959891e-05, 3140.8010136104886 },
    { -1.182435450919536e-08, 4455350560078204.5 },
  },
  j1 = {
    { -6.149807356994906e-17, 3.8317059702075125 },
    { -4.6298811180880646e-12, 3.8317059702190077 },
    { 3.0865142484560417e-06, 3.8316983067955723 },
    { 2.825339409478929e-17, 7.015586669815619 },
    { 6.316613719277053e-12, 7.015586669836666 },
    { -4.210980356470573e-06, 7.015572638642279 },
    { 1.1192177797744682e-16, 10.173468135062722 },
    { -7.621221327343844e-12, 10.173468135093243 },
    { 5.080734300099527e-06, 10.173447788126452 },
    { -4.144151247975631e-17, 29.046828534916855 },
    { -1.289787182001448e-11, 29.046828535003996 },
    { 8.598515258525926e-06, 29.04677044125979 },
    { -3.020773373566755e-16, 51.04353518357151 },
    { 1.710049015955209e-11, 51.04353518372464 },
    { -1.1400125251417188e-05, 51.04343309650114 },
    { 2.3860112646364855e-16, 54.18555364106132 },
    { -1.761866338516848e-11, 54.185553641223876 },
    { 1.1745852001165103e-05, 54.18544526995404 },
    { -2.905428787567816e-16, 126.44613869851659 },
    { 2.6916051500890497e-11, 126.44613869889594 },
    { -1.7943955355135836e-05, 126.4458858062392 },
    { -1.487750779661325e-15, 3142.377932416818 },
    { 1.3418267926437183e-10, 3142.3779324262455 },
    { -8.945339592133909e-05, 3142.3716476609534 },
    { -1.7531279991838357e-09, 4455350560078204.5 },
  },
  jv = {
    { 0.00012413684856919704, -9.255407695030744, 52.98447578060875 },
    { -5.299938065746457e-07, 0.5, 9.42478 },
    { 0.11805700336617249, 2.25, 30.0 },
    { 2.5749538524316304e-06, 14.101932118781924, 127.3997851203161 },
    { 5.579747512652471e-05, 178.19391555908038, 158.19676135669295 },
    { 0.12636846914456265, -10.3, 40.0 },
    { 3.002930803710521e-16, 1.0, 95.0292318080447 },
  },
  gamma = {
    { 1.3442629906404714e+284, 160.7528629926249 },
    { 1.3679752287284245e-269, -153.99760535317836 },
    { 7.023263806358934e-279, -157.30442925271825 },
  },
  tri_gamma = {
    { 118.07601923096722, -2.0932059035838115 },
    { 28729.546173809264, -19.994099889880296 },
  },
  erfcx = {
    { 0.9999999614029504, 3.420574561690731e-08 },
    { 0.9999484567821497, 4.568083674398355e-05 },
  },
  iv = {
    { 215.01832368860374, 53.110380223213326, 40.042077368521745 },
    { 1.1981128417023476e+101, 501, 480 },
    { 2.2517090734605278e+166, 1000, 900 },
    { 2.4867603215546612e+129, 2000, 1500 },
    { 9.188078575691667e-25, 10000, 6600 },
  },
  betainc = {
    { 0.00258766301089724, 2.5, 7, 0.02 },
    { 0.9411087815173359, 2.5, 7, 0.5 },
    { 0.9999999996258307, 2.5, 7, 0.97 },
    { 0.010334279626603177, 0.3, 0.4, 1e-6 },
    { 0.5972777658334806, 12, 19.5, 0.4 },
  },
  gammainc = {
    { 3.0202287635378213e-05, 29.933634292079695, 12.792561891295495 },
  },
  gammaincc = {
    { 0.007567626474825298, 0.0259809350823025, 0.8486995958897902 },
  },
  pow = { -- far from 1 and near it, by large and small exponents: each side of what pow looks at
    { 1.8780755403197763e+292, 1.4019167461387447, 1992.0207456558978 },
    { 8.135893246880837e-76, 0.0025713069391319096, 28.99384461181198 },
    { 1514.4958751421043, 1.311807851269912, 26.981097827262563 },
    { 8.492970778113534e-08, 1.0000246742652652, -659863.3264394514 },
    { 365.75427015407615, 1.3542560341911971, 19.46221896058796 },
    { 0.007028501732132377, 0.7, 13.9 },
    { 4.467744314006109, 1.0041666666666667, 360 },
    { 1e-300, 1e-300, 1 },
    { 2.2227587494850775e-162, 5e-324, 0.5 },
    { 6.947906928878857e+276, 2.5e-308, -0.9 },
    { 1.4065152073912217e+305, 1.7e+308, 0.99 },
    { 0.0004572473708276177, 3, -7 },
    { 6.076124616751106e-49, 0.9999999999999999, 1e+18 },
  },
  chi2sf = {
    { 0.49620009357320227, 55.482161868953106, 56.0471944673874 },
  },
}
-- e^z - 1: { real part, imaginary part, z's }
local EXPM1 = {
    { -0.011298268301001314, 5.480116175343597, 1.7171420384252718, 1.3923002802635231 },
    { -2.4084372290992444e-09, 0.013039143671780004, 8.5e-05, 0.01303840481 },
    { 4.800753431193033e-06, 0.12995485952940067, 0.008378343152918858, 0.12923 },
}

local function ulp(x) return 2.0 ^ (math.floor(math.log(math.abs(x), 2)) - 52) end

local function close(want, got, what)
  local off = math.abs(want - got) / ulp(want)
  assert(off <= 4, ("%s: %.17g is %.4g units in the last place off %.17g"):format(what, got, off, want))
end

describe("within 4 units in the last place", function()
  for _, linker in ipairs({ "c", "interpreter" }) do
    local mode = compile.Mode({ linker = linker })
    for name, rows in pairs(EXACT) do
      it(name .. " with " .. linker, function()
        local inputs, values = {}, {}
        for i = 1, #rows[1] - 1 do
          local column = {}
          for r, row in ipairs(rows) do column[r] = row[i + 1] end
          inputs[i], values[i] = T.dvector(), nd.array(column)
        end
        local f = name == "betainc" and T.special.betainc or T[name]
        local got = compile({ inputs = inputs, outputs = f(table.unpack(inputs)), mode = mode })(table.unpack(values))
        for r, row in ipairs(rows) do
          close(row[1], got[r - 1], ("%s(%s)"):format(name, table.concat(row, ", ", 2)))
        end
      end)
    end

    it("powers of integers that float64 holds are those integers, with " .. linker, function()
      local bases, powers, want = {}, {}, {}
      for x = 1, 60 do
        for y = 0, 9 do
          if x ^ y < 2 ^ 53 then bases[#bases + 1], powers[#bases + 1], want[#bases + 1] = x, y, x ^ y end
        end
      end
      local x, y = T.dvector(), T.dvector()
      local power = compile({ inputs = { x, y }, outputs = x ^ y, mode = mode })
      local got = power(nd.array(bases, "float64"), nd.array(powers, "float64"))
      for i, value in ipairs(want) do assert.equal(value, got[i - 1], bases[i] .. "^" .. powers[i]) end
    end)

    it("expm1 of complex numbers, either part, with " .. linker, function()
      local z = T.zvector()
      local column = {}
      for r, row in ipairs(EXPM1) do column[r] = nd.complex(row[3], row[4]) end
      local got = compile({ inputs = { z }, outputs = T.expm1(z), mode = mode })(nd.array(column))
      for r, row in ipairs(EXPM1) do
        close(row[1], got[r - 1].real, "real part")
        close(row[2], got[r - 1].imag, "imaginary part")
      end
    end)
  end
end)

-- Large orders: Debye's expansions, and from there by recurrence; the values of Jv by the trapezoid rule of its
-- integral with 64 bits, which leaves 3e-13 of them.
describe("betainc of parameters that are far apart", function()
  it("is as exact as x", function() -- mpmath's; SciPy's are off by 4e-10
    local far = nd.special.betainc(20, 3e7, { 6.6e-7, 6.9e-7, 7e-7, 7.1e-7, 1e-6 })
    local want = { 0.511893380782885213, 0.590622795349611248, 0.615738383889853099, 0.640146984180343963,
      0.978126750606528628 }
    assert.is_true(nd.allclose(far, want, 1e-14, 0))
  end)
end)

describe("betainc in compiled functions", function()
  it("has the bits of each element alone, where neighbours share parameters and where they do not", function()
    local rng = nd.random.RandomState(5)
    local few = nd.array({ 2.5, 0.5, 19.0, 30.0, 0 / 0, 0.0, -0.0, -1.0 })
    for _, dtype in ipairs({ "float32", "float64" }) do
      local function vector() return T.vector({ dtype = dtype }) end
      local a, b, x = vector(), vector(), vector()
      local f = compile({ inputs = { a, b, x }, outputs = T.special.betainc(a, b, x) })
      for _, every in ipairs({ 1, 3, 16, 67 }) do
        local pa = few[{ nd.arange(201) // every % 8 }]:astype(dtype)
        local pb = few[{ nd.arange(201) // (every + 1) % 5 }]:astype(dtype)
        local px = rng:rand(201):astype(dtype)
        local got = f(pa, pb, px)
        for i = 0, 200 do
          local one = f(pa[{ T.slice(i, i + 1) }], pb[{ T.slice(i, i + 1) }], px[{ T.slice(i, i + 1) }])
          assert.equal(one:bytes(), got[{ T.slice(i, i + 1) }]:copy():bytes(), i)
        end
      end
    end
  end)
end)

describe("Bessel functions of large orders", function()
  local sf = nd.special
  it("are there below, at and above x", function()
    for _, p in ipairs({ { 2000000, 2020000, -0.0009613937273855182 }, { 2000000, 2003000, -0.0007115078721462409 },
      { 1000001, 2000000, -0.000604911447916936 } }) do
      assert.near(p[3], sf.jv(p[1], p[2]), 3e-13 * math.abs(p[3]) + 3e-16)
    end
    -- J_v(v) is a v^(-1/3) less b v^(-5/3) and so on
    for _, v in ipairs({ 2e6, 1e7, 3e9, 1e11 }) do
      local most = 0.44730731839647234 * v ^ (-1 / 3) - 0.0058692884843 * v ^ (-5 / 3)
      assert.near(most, sf.jv(v, v), 1e-12 * most, tostring(v))
    end
  end)
  it("keep the recurrence between orders", function()
    for _, p in ipairs({ { 1.5e6, 1.52e6 }, { 2e6, 2e6 - 2000 }, { 2e6 + 0.25, 2e6 + 900 }, { 3e8, 3.1e8 },
      { 5e6, 1e10 } }) do
      local v, x = p[1], p[2]
      local below, here, above = sf.jv(v - 1, x), sf.jv(v, x), sf.jv(v + 1, x)
      local most = math.max(math.abs(below), math.abs(here), math.abs(above))
      assert.near(below + above, 2 * v / x * here, 1e-13 * most, table.concat(p, ", "))
    end
    for _, p in ipairs({ { 700, 500 }, { 5000.5, 3000 }, { 1e5, 6.62e4 } }) do
      local v, x = p[1], p[2]
      local below, here, above = sf.iv(v - 1, x), sf.iv(v, x), sf.iv(v + 1, x)
      assert.near(1, (below - above) / (2 * v / x * here), 1e-13, table.concat(p, ", "))
    end
  end)
  it("are 0 and infinite beyond the range of doubles", function()
    for _, p in ipairs({ { 1e6, 9e5 }, { 2e6, 1e6 }, { 1e10, 5 }, { 1e300, 5 }, { 1e300, 1e200 }, { 1e13, 1e12 } }) do
      assert.equal(0.0, sf.jv(p[1], p[2]), table.concat(p, ", "))
    end
    for _, p in ipairs({ { 2000, 2500 }, { 1e4, 8e3 }, { 2e6, 3e6 }, { 1e16, 1e16 }, { 1e200, 1e250 } }) do
      assert.equal(math.huge, sf.iv(p[1], p[2]), table.concat(p, ", "))
    end
    for _, p in ipairs({ { 700, 0.1 }, { 2e6, 1e6 }, { 1e16, 6e15 }, { 1e300, 5 } }) do
      assert.equal(0.0, sf.iv(p[1], p[2]), table.concat(p, ", "))
    end
    assert.equal(-math.huge, sf.iv(2001, -2500))
    assert.equal(-sf.jv(2000001, 2e6), sf.jv(-2000001, 2e6))
  end)
end)

describe("logsumexp of nothing is -inf", function()
  local function text(a) return type(a) == "number" and tostring(a) or tostring(a):gsub("%s+", " ") end
  it("in arrays, along an empty dimension, of every dtype, with weights", function()
    assert.equal(-math.huge, nd.logsumexp(nd.zeros(0)))
    assert.equal(-math.huge, nd.special.logsumexp({}))
    assert.equal("[[-inf] [-inf]]", text(nd.logsumexp(nd.zeros({ 2, 0 }), { axis = 1, keepdims = true })))
    assert.same({ 0 }, nd.logsumexp(nd.zeros({ 0, 3 }), 1).shape)
    for _, dtype in ipairs({ "float16", "float32", "int8" }) do
      assert.equal("[-inf -inf]", text(nd.logsumexp(nd.zeros({ 0, 2 }, dtype), 0)))
    end
    assert.equal("[-inf -inf]", text(nd.special.logsumexp(nd.zeros({ 2, 0 }), { axis = 1, b = nd.zeros({ 2, 0 }) })))
  end)
  it("in compiled functions, with a gradient that is empty", function()
    local x = T.dmatrix("x")
    local f = compile({ inputs = { x }, outputs = { T.logsumexp(x, 1), T.grad(T.logsumexp(x), x) } })
    local r, g = f(nd.zeros({ 2, 0 }))
    assert.equal("[-inf -inf]", text(r))
    assert.same({ 2, 0 }, g.shape)
    r = f(nd.array({ { 1.0, 2.0 }, { -1 / 0, -1 / 0 } }))
    assert.equal("[2.31326169 -inf]", text(r))
  end)
  it("in compiled functions with weights, whose lengths are known when they run", function()
    local x, b = T.dmatrix("x"), T.dmatrix("b")
    local y = T.special.logsumexp(x, { axis = 1, b = b })
    local f = compile({ inputs = { x, b }, outputs = { y, T.grad(y:sum(), b), T.special.logsumexp(x, { b = b }) } })
    local r, g, all = f(nd.zeros({ 2, 0 }), nd.zeros({ 2, 0 }))
    assert.equal("[-inf -inf]", text(r))
    assert.same({ 2, 0 }, g.shape)
    assert.equal(-math.huge, all)
    r, g, all = f(nd.array({ { 1000.0, 1000.0 }, { 1 / 0, 0.0 } }), nd.array({ { 1.0, 3.0 }, { 0.0, 2.0 } }))
    assert.is_true(nd.allclose(r, { 1001.3862943611199, 0.6931471805599453 }, 1e-14))
    assert.equal("[[0.25 0.25] [0. 0.5 ]]", text(nd.where(nd.isfinite(g), g, 0)))
    assert.equal(true, math.abs(all - 1001.3862943611199) < 1e-9)
  end)

  it("Box and Cox's transforms have slopes by lmbda where it is 0", function()
    local x, l = T.dvector("x"), T.dvector("l")
    local at, zero = nd.array({ 0.3, 1.5, 2.0 }), nd.zeros(3)
    for _, name in ipairs({ "boxcox", "boxcox1p", "inv_boxcox", "inv_boxcox1p" }) do
      local y = T.special[name](x, l)
      local slope, sx = compile({ x, l }, { T.grad(T.sum(y), l), T.grad(T.sum(y), x) })(at, zero)
      local f = nd.special[name]
      assert.is_true(nd.allclose(slope, (f(at, zero + 1e-5) - f(at, zero - 1e-5)) / 2e-5, 1e-6), name)
      assert.is_true(nd.allclose(sx, (f(at + 1e-5, zero) - f(at - 1e-5, zero)) / 2e-5, 1e-6), name)
    end
    assert.equal("[-inf 0. inf nan]", text(nd.special.boxcox({ 0, 1, math.huge, -1 }, 0)))
  end)
end)
