--- Results too large for the caches are stored past them: the numbers are those of ordinary stores, wherever the result
-- lies, and whatever its length and dtype.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray
local LARGE = 1 << 24 -- bytes (CHOOSE_STREAM)

local function both(inputs, outputs)
  local out = {}
  for i, linker in ipairs { "c", "interpreter" } do
    out[i] = theano.compile { inputs = inputs, outputs = outputs, mode = theano.compile.Mode { linker = linker } }
  end
  return out[1], out[2]
end

describe("large results", function()
  for _, dtype in ipairs { "float64", "float32", "int16", "uint8" } do
    it("of " .. dtype .. " are stored as small ones", function()
      local x = T.vector("x", { dtype = dtype })
      local f, g = both({ x }, { x * x + 3, x - 1 })
      for _, more in ipairs { 0, 13 } do
        local n = LARGE // nd.zeros({ 1 }, dtype).nbytes + more
        local a = nd.arange(n):astype(dtype)
        local p, q = f(a)
        local r, s = g(a)
        assert.is_true(nd.array_equal(p, r) and nd.array_equal(q, s), dtype .. " of " .. n)
      end
    end)
  end

  it("of a shared variable in place, and of a view that begins anywhere", function()
    local n = LARGE // 8 + 5
    local w, x = theano.shared(nd.arange(n):astype("float64"), { borrow = true }), T.dvector("x")
    local f = theano.compile { inputs = { x }, outputs = {}, updates = { { w, w * 2 + x["1:"] } } }
    local x0 = nd.arange(n + 1):astype("float64")
    f(x0)
    f(x0)
    local first = nd.arange(n):astype("float64")
    assert.is_true(nd.array_equal(w:get_value(), (first * 2 + x0["1:"]) * 2 + x0["1:"]))
  end)

  it("are written so by what the plan says", function()
    local x, y = T.dvector("x"), T.dmatrix("y")
    local plan = theano.printing.plan(theano.compile { inputs = { x }, outputs = x + 1 }, "avx2")
    assert.is_truthy(plan:find("may stream", 1, true))
    plan = theano.printing.plan(theano.compile { inputs = { y }, outputs = T.sum(y, { axis = 1 }) }, "avx2")
    assert.is_falsy(plan:find("may stream", 1, true))
  end)
end)
