--- Forms that overflow, or lose all digits, as they stand: under every view, side, sign and weight, in float32 and
-- float64, value, gradient and second gradient are those of spec/data/stable_forms.json from -1000 to 1000.
local forms = require("spec.support.stable_forms")
local cases = require("spec.support.stable_cases")

local function hold(case, view, weight, dtype)
  local list = forms.differences(case, view, weight, dtype)
  assert.equal("", table.concat(list, "; "), ("%s, weight %s, %s"):format(view.name, weight.name, dtype))
end

describe("far out and at 0", function()
  for _, case in ipairs(cases) do
    it(case.name .. " is right under every weight", function()
      for _, weight in ipairs(forms.weights) do hold(case, forms.views[1], weight, "float64") end
    end)

    it(case.name .. " is right under every view", function()
      for i = 2, #forms.views do
        hold(case, forms.views[i], forms.weights[1], "float64")
        hold(case, forms.views[i], forms.weights[5], "float64")
      end
    end)

    it(case.name .. " is right in single precision", function()
      hold(case, forms.views[1], forms.weights[1], "float32")
      hold(case, forms.views[3], forms.weights[5], "float32")
    end)
  end
end)

describe("softmaxes by hand, of rows that lie along", function()
  local rows = require("spec.support.stable_rows")
  local places = { table.unpack(rows.places) }
  places[#places + 1], places[#places + 2] = rows.vector, rows.all

  local function hold_rows(case, place, dtype)
    for _, keep in ipairs({ "keepdims", "dimshuffle" }) do
      for _, weight in ipairs(case.reduced and { "outside" } or { "outside", "inside" }) do
        local list = rows.differences(case, place, keep, weight, dtype)
        assert.equal("", table.concat(list, "; "), ("%s, %s, weight %s"):format(place.name, keep, weight))
      end
    end
  end

  for _, case in ipairs(rows.cases) do
    for _, place in ipairs(places) do
      if not (case.one and #place.axes > 1) then
        it(place.name .. ": " .. case.name, function() hold_rows(case, place, "float64") end)
      end
    end
    it(places[1].name .. ", in single precision: " .. case.name, function() hold_rows(case, places[1], "float32") end)
  end
end)

describe("the logarithm of picked probabilities", function()
  local theano = require("theano")
  local T, nd = theano.tensor, theano.ndarray
  local X, w, y = T.dmatrix("X"), T.dvector("w"), T.lvector("y")
  local far = nd.array({ { 900, -900, 0 }, { 1, 2, 3 } })
  local direction = nd.array({ { 0.5, 1, -2 }, { 1, 1, 3 } })
  local p = T.nnet.softmax(X)

  local function check(cost, classes, weights)
    local g = T.grad(cost, X)
    local h = T.grad((g * direction):sum(), X)
    local f = theano.compile({ inputs = { X, w, y }, outputs = { g, h }, on_unused_input = "ignore" })
    local got, got2 = f(far, { 2, 3 }, classes)
    local soft = theano.compile({ X }, p)(far)
    for r = 0, 1 do
      local k, inner = weights[r + 1], 0
      for c = 0, 2 do inner = inner + soft:item(r, c) * direction:item(r, c) end
      for c = 0, 2 do
        local s = soft:item(r, c)
        local want = k * ((c == classes[r + 1] and 1 or 0) - s)
        assert(math.abs(got:item(r, c) - want) < 1e-12, ("gradient %d, %d: %s"):format(r, c, got:item(r, c)))
        local bend = -k * s * (direction:item(r, c) - inner)
        assert(math.abs(got2:item(r, c) - bend) < 1e-12, ("second %d, %d: %s"):format(r, c, got2:item(r, c)))
      end
    end
  end

  it("is weighted by a vector, its classes a number, constants or an input", function()
    check(T.sum(w * T.log(p[{ T.arange(2), 1 }])), { 1, 1 }, { 2, 3 })
    check(T.sum(w * T.log(p[{ nd.array({ 0, 1 }, "int64"), nd.array({ 1, 2 }, "int64") }])), { 1, 2 }, { 2, 3 })
    check(T.sum(w * T.log(p[{ T.arange(y.shape[0]), y }])), { 1, 2 }, { 2, 3 })
    check(3 * T.sum(T.log(p[{ T.arange(y.shape[0]), y }])), { 1, 2 }, { 3, 3 })
  end)

  it("is of a column, of one element, of flat positions", function()
    check(T.sum(w * T.log(p[{ T.slice(), 1 }])), { 1, 1 }, { 2, 3 })
    check(2 * T.log(p[{ 0, 1 }]), { 1, 1 }, { 2, 0 })
    check(T.sum(w * T.log(p:flatten()[nd.array({ 1, 5 }, "int64")])), { 1, 2 }, { 2, 3 })
  end)
end)

describe("the gradient of the gradient of a loss", function()
  local theano = require("theano")
  local T, nd = theano.tensor, theano.ndarray
  local x, r, y = T.dmatrix("x"), T.dmatrix("r"), T.lvector("y")
  local w = T.dvector("w")
  local at = { T.arange(y.shape[0]), y }
  local p, hand = T.nnet.softmax(x), T.exp(x) / T.sum(T.exp(x), { axis = 1, keepdims = true })
  local losses = {
    { "of classes", T.nnet.categorical_crossentropy(p, y) },
    { "of classes, by hand", T.nnet.categorical_crossentropy(hand, y) },
    { "of the logarithm's picked elements", -T.log(p)[at] },
    { "of the logarithm's picked elements, by hand", -T.log(hand)[at] },
    { "of the logarithm of picked elements", -T.log(p[at]) },
    { "of the logarithm of picked elements, by hand", -T.log(hand[at]) },
  }
  local far = { nd.array({ { 900, 0, -900 }, { 1, 2, 3 }, { -900, 0, 900 }, { 5, 5, 5 } }), nd.array({ { 1, 2, 3 },
    { 0.5, -1, 2 }, { 3, 1, -1 }, { 0, 1, 0 } }) }
  for _, loss in ipairs(losses) do
    it(loss[1] .. " is that of the softmax", function()
      local cost = T.sum(loss[2] * w)
      local got = theano.compile({ x, r, y, w }, T.grad(T.sum(T.grad(cost, x) * r), x))
      -- of each row p * (r - sum(r * p)) times its weight, whatever the class
      local low = T.exp(x - T.max(x, { axis = 1, keepdims = true }))
      local q = low / T.sum(low, { axis = 1, keepdims = true })
      local each = q * (r - T.sum(r * q, { axis = 1, keepdims = true })) * w:dimshuffle({ 0, "x" })
      local want = theano.compile({ x, r, w }, each, { mode = "None" })
      local weights = { 1, -2, 0.5, 3 }
      for _, classes in ipairs({ { 2, 0, 1, 0 }, { 0, 2, 2, 1 } }) do
        local a, b = got(far[1], far[2], classes, weights), want(far[1], far[2], weights)
        assert.is_true(nd.allclose(a, b, { rtol = 1e-12, atol = 1e-14 }), tostring(a))
      end
    end)
  end
end)

describe("alone", function()
  local theano = require("theano")
  local T = theano.tensor
  local x = T.dvector("x")
  local function near(y, at, want)
    local got = theano.compile({ x }, y)({ at }):item(0)
    assert(got == want or math.abs(got / want - 1) < 1e-12, ("%.17g, not %.17g"):format(got, want))
  end

  it("1 - sigmoid keeps its digits, written out or not", function()
    near(1 - 1 / (1 + T.exp(-x)), 100, 3.720075976020836e-44)
    near((-T.nnet.sigmoid(x)) + 1, 100, 3.720075976020836e-44)
    near(T.nnet.sigmoid(x) - 1, 100, -3.720075976020836e-44)
    near(1 - T.exp(x) / (1 + T.exp(x)), 37, 8.533047625744065e-17)
  end)

  it("log takes exponentials, sigmoids and sums of them out of products", function()
    near(T.log(3 * T.exp(x)), 1000, 1000 + math.log(3))
    near(T.log(T.exp(x) * T.nnet.sigmoid(x) / 2), -1000, -2000 - math.log(2))
    near(T.log(T.exp(x):mean()) + 0 * x, 1000, 1000)
    near(T.log(T.sqr(T.exp(x)) / T.exp(-x)), 1000, 3000)
  end)

  it("log1p is found for integers and for narrower floats", function()
    local i = T.ivector("i")
    local f = theano.compile({ i }, T.log(1 + i))
    assert(math.abs(f({ 2 }):item(0) - math.log(3)) < 1e-15)
    assert.truthy(theano.printing.graph_text(f):find("log1p"))
    local s = T.fvector("s")
    local g = theano.compile({ s }, T.log(T.constant(1.0, { dtype = "float64" }) + s))
    assert.equal(2.0 ^ -60, g({ 2.0 ^ -60 }):item(0))
  end)

  it("argmax of a softmax with a bias needs no softmax", function()
    local m, b = T.dmatrix("m"), T.dvector("b")
    for _, p in ipairs({ T.nnet.softmax(m + b), T.nnet.softmax_with_bias(m, b), T.nnet.logsoftmax(m) }) do
      local f = theano.compile({ inputs = { m, b }, outputs = T.argmax(p, { axis = 1 }), on_unused_input = "ignore" })
      assert.is_nil(theano.printing.graph_text(f):find("Softmax"))
      assert.same({ 1, 0 }, f({ { 0, 900, 800 }, { 3, 1, 2 } }, { 0, 0, 0 }):tolist())
    end
  end)

  it("a softmax over all dimensions takes its maximum once", function()
    local m = T.dmatrix("m")
    local all = T.exp(m) / T.sum(T.exp(m))
    for _, y in ipairs({ all, T.grad(T.log(T.sum(T.exp(m))), m), T.grad(T.logsumexp(m), m) }) do
      local f = theano.compile({ inputs = { m }, outputs = y })
      assert.truthy(#f.maker.fgraph:toposort() < 20, #f.maker.fgraph:toposort())
      assert.same({ { 0.5, 0 }, { 0, 0.5 } }, f({ { 900, 0 }, { 0, 900 } }):tolist())
    end
  end)
end)
