--- Elements that change their place: gathers, scatters, joins, sorts, cumulated sums.
local theano = require("theano")
local T = theano.tensor

return {
  { "gather", "elements and rows at places", function()
    local x, m, i = T.dvector("x"), T.dmatrix("m"), T.lvector("i")
    return { x, m, i }, { x[i], m[i], m[{ i, i }], T.exp(m[i]) * 2 }
  end },
  { "gather_rows_f32", "rows of float32, long ones by memcpy", function()
    local m, i = T.fmatrix("m"), T.ivector("i")
    return { m, i }, m[i]
  end },
  { "gather_threads", "the same with threads", function()
    local m, i = T.fmatrix("m"), T.ivector("i")
    return { m, i }, { m[i], T.exp(m)[{ ":", i }] }
  end, flags = { openmp = true } },
  { "scatter", "added and set at places", function()
    local x, m, i, y = T.dvector("x"), T.dmatrix("m"), T.lvector("i"), T.dvector("y")
    return { x, m, i, y }, { T.inc_subtensor(x[i], y), T.set_subtensor(x[i], y), T.inc_subtensor(m[i], 1.5) }
  end },
  { "scatter_kinds", "added as complex numbers and as truth values", function()
    local z, b, i = T.zvector("z"), T.vector("b", { dtype = "bool" }), T.lvector("i")
    return { z, b, i }, { T.inc_subtensor(z[i], z[i]), T.inc_subtensor(b[i], b[i]) }
  end },
  { "embedding", "rows taken and their gradient", function()
    local i, w = T.lvector("i"), theano.shared(theano.ndarray.zeros({ 7, 3 }), { name = "w" })
    local cost = T.sum(T.sqr(w[i]))
    return { i }, cost, { updates = { { w, w - 0.1 * T.grad(cost, w) } } }
  end },
  { "masked", "where a mask is true", function()
    local x, m = T.dvector("x"), T.vector("m", { dtype = "bool" })
    return { x, m }, { x[m], T.nonzero(m)[1] }
  end },
  { "subtensor", "single elements and slices", function()
    local m, i, j = T.dmatrix("m"), T.lscalar("i"), T.lscalar("j")
    return { m, i, j }, { m[{ i, j }], m[i] * 2, m[{ ":", j }], T.set_subtensor(m[{ i, "1:" }], 3) }
  end },
  { "joined", "arrays one behind the other, and stacked", function()
    local x, y, m = T.dvector("x"), T.dvector("y"), T.dmatrix("m")
    return { x, y, m }, { T.concatenate { x, y * 2 }, T.stack { x, y }, T.concatenate({ m, m + 1 }, 1) }
  end },
  { "joined_threads", "the same with threads", function()
    local x, y, m = T.dvector("x"), T.dvector("y"), T.dmatrix("m")
    return { x, y, m }, { T.concatenate { x, y * 2 }, T.concatenate({ m, m + 1 }, 1) }
  end, flags = { openmp = true } },
  { "cumulated", "sums and products so far", function()
    local x, m = T.dvector("x"), T.dmatrix("m")
    return { x, m }, { T.cumsum(x), T.cumprod(x), T.cumsum(m, { axis = 1 }), T.extra_ops.diff(x) }
  end },
  { "sorted", "sorting is the library's; what is around it is not", function()
    local x = T.dvector("x")
    return { x }, { T.sort(x * 2) + 1, T.argsort(x) }
  end },
  { "diagonals", "diagonals read and written", function()
    local m, x = T.dmatrix("m"), T.dvector("x")
    return { m, x }, { T.diagonal(m), T.diag(x), T.nlinalg.trace(m) }
  end },
  { "repeated", "repeated, tiled, rolled, turned", function()
    local x, m = T.dvector("x"), T.dmatrix("m")
    return { x, m }, { T.tile(x, { 3 }), T.roll(x, 2), T.extra_ops.to_one_hot(T.cast(x, "int64"), 5), m:flatten(),
      T.extra_ops.repeat_ and T.extra_ops.repeat_(x, 2) or x }
  end },
  { "shifted_threads", "read and written one apart: no pieces", function()
    local w = theano.shared(theano.ndarray.zeros({ 5 }), { name = "w" })
    return {}, {}, { updates = { { w, T.set_subtensor(w["1:"], w[":-1"] * 2) } } }
  end, flags = { openmp = true } },
  { "late_sizes", "lengths that only a step tells", function()
    local x = T.lvector("x")
    return { x }, { T.arange(x:max()) + 1, T.alloc(2.5, x[0], 3) }
  end },
  { "filled", "what is the same everywhere", function()
    local x = T.fmatrix("x")
    return { x }, { T.zeros_like(x), T.alloc(x[{ 0, 0 }], 4, 5), T.fill(x, 3) }
  end },
  { "copied", "one value as two results", function()
    local x = T.dvector("x")
    local y = T.exp(x)
    return { x }, { y, y, x }
  end },
}
