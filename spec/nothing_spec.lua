--- Sums, means, maxima and gradients over no elements: the same numbers with rewriting as without.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local Mode = theano.compile.Mode

local MODES = {
  C = Mode { linker = "c", optimizer = "fast_run" },
  interpreter = Mode { linker = "interpreter", optimizer = "fast_run" },
  stabilize = Mode { linker = "interpreter", optimizer = "stabilize" },
  plain = Mode { linker = "interpreter", optimizer = "None" },
}
local inf, nan = 1 / 0, 0 / 0

-- As text: a list of numbers, NaN without a sign.
local function text_of(r)
  local words = {}
  local flat = type(r) == "number" and { r } or r:reshape({ -1 }):tolist()
  for i, x in ipairs(flat) do words[i] = x ~= x and "nan" or ("%g"):format(x + 0.0) end
  return table.concat(words, " ")
end

for name, mode in pairs(MODES) do
  describe("of nothing (" .. name .. ")", function()
    local v, w, n, s = T.dvector("v"), T.dvector("w"), T.lscalar("n"), T.dscalar("s")
    local m, f = T.dmatrix("m"), T.fmatrix("f")
    local none, rows, columns = nd.zeros { 0 }, nd.zeros { 0, 2 }, nd.zeros { 2, 0 }

    local function check(want, inputs, out, ...)
      local fn = theano.compile { inputs = inputs, outputs = out, mode = mode }
      for _ = 1, 2 do assert.equal(want, text_of(fn(...))) end
    end

    it("the logarithm of a sum of exponentials is -inf", function()
      check("-inf -inf", { m }, T.log(T.sum(T.exp(m), { axis = 0 })), rows)
      check("-inf", { m }, T.log(T.sum(T.exp(m))), rows)
      check("-inf", { v }, T.log(T.sum(T.exp(v))), none)
      check("-inf -inf", { m }, T.log(T.sum(T.exp(m), { axis = 1, keepdims = true })), columns)
      check("-inf -inf", { f }, T.log(T.sum(T.exp(f), { axis = 0 })), rows:astype("float32"))
      check("-inf", { m }, T.log(T.sum(T.exp(m.T), { axis = { 0, 1 } })), columns)
      check("", { m }, m - T.log(T.sum(T.exp(m), { axis = 1, keepdims = true })), columns)
      check("", { m }, T.grad(T.sum(T.log(T.sum(T.exp(m), { axis = 0 }))), m), rows)
    end)

    local stays = name ~= "plain" and name ~= "stabilize" and it or function() end -- fast_run only
    stays("the logarithm of a sum of exponentials stays stable where there is something", function()
      check("1000.69 1000.69", { m }, T.log(T.sum(T.exp(m), { axis = 0 })), nd.array { { 1000, 1000 }, { 1000, 1000 } })
      check("-inf", { v }, T.log(T.sum(T.exp(v))), nd.array { -inf, -inf })
    end)

    it("a softmax has no elements", function()
      check("", { m }, T.exp(m) / T.sum(T.exp(m)), rows)
      check("", { m }, T.exp(m) / T.sum(T.exp(m), { axis = 0, keepdims = true }), rows)
      check("", { m }, T.exp(m) / T.sum(T.exp(m), { axis = 1, keepdims = true }), columns)
      check("", { m }, T.grad(T.sum(T.sqr(T.exp(m) / T.sum(T.exp(m), { axis = 0, keepdims = true }))), m), rows)
    end)

    it("a sum of what one number fills is 0, whatever the number", function()
      for _, k in ipairs { inf, -inf, nan, 3 } do
        check("0", { m, s }, T.sum(T.fill(m, s)), rows, k)
        check("0 0", { m, s }, T.sum(T.fill(m, s), { axis = 0 }), rows, k)
        check("", { m, s }, T.sum(T.fill(m, s), { axis = 1 }), rows, k)
        check("0 0", { n, s }, T.sum(T.alloc(s, n, 2), { axis = 0 }), 0, k)
        check("0", { n, s }, T.sum(T.alloc(1 / s * 0 + s, n, 2)), 0, k)
        check("1 1", { n, s }, T.prod(T.alloc(s, n, 2), { axis = 0 }), 0, k)
      end
      check("0", { n }, T.sum(T.alloc(nd.array(inf), n)), 0)
      check("inf", { n }, T.sum(T.alloc(nd.array(inf), n)), 2)
      check("6 6", { n, s }, T.sum(T.alloc(s, n, 2), { axis = 0 }), 2, 3)
    end)

    it("a sum of what is divided by the number of elements is 0", function()
      check("0", { v }, T.sum(v / v.shape[0]), none)
      check("0", { v }, T.sum(v * (1 / v.shape[0])), none)
      check("0 0", { m }, T.sum(m / m.shape[0], { axis = 0 }), rows)
      check("0 0", { m }, T.sum(m / m.size, { axis = 0 }), rows)
      check("2", { v }, T.sum(v / v.shape[0]), nd.array { 1, 3 })
      check("0", { v, s }, T.sum(v * T.log(s)), none, 0)
      check("0", { v, s }, T.sum(v / T.sqr(s - s)), none, 0)
    end)

    it("a mean is NaN", function()
      check("nan", { v }, T.mean(v), none)
      check("nan", { v }, T.mean(T.fill(v, 3.0)), none)
      check("nan", { v }, T.mean(T.zeros_like(v)), none)
      check("nan", { v }, T.mean(2 * v) * 0.5, none)
      check("nan nan", { m }, T.mean(T.fill(m, 3.0), { axis = 0 }), rows)
      check("nan", { m }, T.mean(T.ones_like(m)), columns)
      check("nan", { v }, T.var(v), none)
      check("nan", { v }, 2.5 * v.shape[0] / v.shape[0], none)
      check("nan", { n }, 2.5 * n / n, 0)
      check("3", { v }, T.mean(T.fill(v, 3.0)), nd.ones { 4 })
      check("2.5", { v }, 2.5 * v.shape[0] / v.shape[0], nd.ones { 4 })
    end)

    it("the gradient of a mean adds nothing", function()
      check("0", { v }, T.sum(T.grad(T.mean(v), v)), none)
      check("0", { v }, T.sum(T.grad(T.mean(v * 2 * 0.5), v)), none)
      local x = T.TensorType("float64", { true, true, false, true })("x")
      check("0", { x }, T.sum(T.grad(T.mean(x * 2 * 0.5), x)), nd.zeros { 1, 1, 0, 1 })
      check("0 0 0", { v, n }, T.grad(T.mean(T.alloc(v, n, v.shape[0]) * 0.5), v), nd.ones { 3 }, 0)
      check("0", { v }, T.sum(T.grad(T.mean(T.inc_subtensor((v - v)["::-1"], v) * 0.5), v)), none)
      check("1", { v }, T.sum(T.grad(T.mean(v), v)), nd.ones { 4 })
    end)

    it("a batch of no rows leaves weights alone", function()
      local loss = T.mean(T.sqr(T.dot(m, w) + s))
      check("0 0", { m, w, s }, T.grad(loss, w), rows, nd.ones { 2 }, 1)
      check("0", { m, w, s }, T.grad(loss, s), rows, nd.ones { 2 }, 1)
      local b, p = T.dvector("b"), T.dmatrix("p")
      local xent = T.mean(T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(m, p) + b), T.zeros({ m.shape[0], 3 })))
      check("0 0 0", { m, p, b }, T.grad(xent, b), rows, nd.ones { 2, 3 }, nd.ones { 3 })
      check("0 0 0 0 0 0", { m, p, b }, T.grad(xent, p), rows, nd.ones { 2, 3 }, nd.ones { 3 })
    end)

    it("a largest element is asked for in vain", function()
      local fn = theano.compile { inputs = { m }, outputs = T.max(m, { axis = 0 }), mode = mode }
      assert.has_error(function() fn(rows) end)
    end)
  end)
end

describe("matrices of nothing", function()
  it("have rank 0, complex ones too", function()
    for _, dtype in ipairs({ "float32", "complex64", "complex128", "int8" }) do
      assert.equal(0, nd.linalg.matrix_rank(nd.zeros({ 0, 0 }, dtype)))
      assert.equal(0, nd.linalg.matrix_rank(nd.zeros({ 2, 0 }, dtype)))
      assert.same({ 0, 0, 0 }, nd.linalg.matrix_rank(nd.zeros({ 3, 0, 2 }, dtype)):tolist())
      assert.same({ 0 }, nd.linalg.matrix_rank(nd.zeros({ 0, 2, 2 }, dtype)).shape)
    end
  end)
end)
