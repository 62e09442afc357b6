--- Sums of one array along different dims, in one formula: whichever kernels they become, the numbers are
-- those of arrays, by C and by the interpreter, for few and many coordinates of few and many points, and for none.
local skip = require("spec.support.skip")
local theano = require("theano")
local T, nd = theano.tensor, theano.ndarray

-- Each: results of g, an array (n, n, k); x (n, k); m (n, 1).
local FORMULAS = {
  ["sums along both, and a number for each point"] = function(g, _, m) return { (g:sum(0) - g:sum(1)) / m } end,
  ["a product of sums, and their array"] = function(g, x) return { g:sum(1) * g:sum(0) + x, g } end,
  ["two sums along one dim"] = function(g, _, m) return { (g:sum(0) + m) * 2, (g * g):sum(0), g:sum(1) } end,
  ["sums along all three"] = function(g) return { g:sum(2), g:sum(0), g:sum(1) } end,
  ["a sum beside its array's products"] = function(g, _, m) return { (g:sum(0) - (g * g):sum(0)) * m, g:sum(1) } end,
}

describe("sums of pairs", function()
  for _, linker in ipairs({ "c", "interpreter" }) do
    for _, dtype in ipairs({ "float64", "float32" }) do
      for name, formula in pairs(FORMULAS) do
        it(("%s, %s, %s"):format(name, dtype, linker), function()
          skip.unless(linker ~= "c" or theano.config.cxx ~= "", "no C compiler")
          local rng = nd.random.RandomState(4)
          local x, m = T.matrix("x", { dtype = dtype }), T.vector("m", { dtype = dtype })
          local apart = x:dimshuffle(0, "x", 1) - x:dimshuffle("x", 0, 1)
          local g = apart * m:dimshuffle(0, "x", "x") / (T.abs_(apart) + 1)
          local f = theano.compile({ inputs = { x, m }, outputs = formula(g, x, m:dimshuffle(0, "x")),
            mode = theano.compile.Mode({ linker = linker }), on_unused_input = "ignore" })
          for _, n in ipairs({ 0, 1, 2, 7, 33 }) do
            for _, k in ipairs({ 0, 1, 3, 8, 17, 70 }) do
              local a, b = rng:normal(0, 1, { n, k }):astype(dtype), rng:uniform(1, 3, { n }):astype(dtype)
              local d = a:reshape({ n, 1, k }) - a:reshape({ 1, n, k })
              local want = formula(d * b:reshape({ n, 1, 1 }) / (nd.abs(d) + 1), a, b:reshape({ n, 1 }))
              local tolerance = dtype == "float32" and 2e-4 or 1e-9
              for i, got in ipairs({ f(a, b) }) do
                local close = nd.allclose(want[i], got, { rtol = tolerance, atol = tolerance })
                assert.is_true(close, ("result %d of %d points, %d coordinates"):format(i, n, k))
                assert.same(want[i].shape, nd.asarray(got).shape)
              end
            end
          end
        end)
      end
    end
  end
end)
