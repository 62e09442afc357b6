--- Rows that are picked by an index, long enough for memcpy, and what is reduced of them in the same loops.
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

describe("rows picked by an index", function()
  for _, dtype in ipairs { "float32", "float64", "int32", "int8" } do
    it("keep their sums and extrema beside them, " .. dtype, function()
      local x, i = T.matrix("x", { dtype = dtype }), T.lvector("i")
      local rows = x[i]
      local f = theano.compile {
        inputs = { x, i },
        outputs = {
          rows, rows:max { axis = 1 }, rows:min { axis = 1 }, rows:sum { axis = 1 }, T.argmax(rows, { axis = 1 }),
        },
      }
      for _, n in ipairs { 1, 63, 64, 127, 128, 600 } do
        local values = (nd.arange(5 * n):reshape { 5, n } * 37 % 101 - 50):astype(dtype)
        local picked, most, least, sum, at = f(values, nd.array({ 3, 1, 4 }, "int64"))
        local want = nd.concatenate { values["3:4"], values["1:2"], values["4:5"] }
        assert.is_true(nd.array_equal(want, picked))
        assert.is_true(nd.array_equal(want:max { axis = 1 }, most))
        assert.is_true(nd.array_equal(want:min { axis = 1 }, least))
        assert.is_true(nd.array_equal(want:astype("float64"):sum { axis = 1 }, sum:astype("float64")))
        assert.is_true(nd.array_equal(want:argmax { axis = 1 }, at))
      end
    end)
  end
end)
