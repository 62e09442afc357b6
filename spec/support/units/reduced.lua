--- Reductions of everything, block by block, and of columns.
local theano = require("theano")
local T = theano.tensor

local function several()
  local x = T.dvector("x")
  return { x }, { T.sum(x * x), T.max(x), T.mean(x), T.min(T.exp(x)), T.var(x) }
end
local function places()
  local x, i = T.fvector("x"), T.ivector("i")
  return { x, i }, { T.argmax(x), T.argmin(T.abs_(x)), T.argmax(i), T.argmax(T.cast(i, "int8")) }
end
local function odd()
  local x, m, i = T.dvector("x"), T.dmatrix("m"), T.lvector("i")
  return { x, m, i }, { x[i]:sum(), T.sum(T.int_div(700, i)), m[{ "::2", "::3" }]:sum(), T.argmax(m[{ "::2", "::3" }]),
    m[{ ":", "1:17" }]:sum(), T.exp(m.T)[{ "::2", ":" }]:sum(), x["::3"]:sum(), T.argmin(x["::-3"]) }
end
local function outside() -- what stands before the loops is computed once
  local x, a, i = T.dvector("x"), T.dscalar("a"), T.lscalar("i")
  return { x, a, i }, { T.sum(x * T.exp(a)), T.sum(x * T.arange(x.shape[0])), T.sum(x * x[i]),
    T.sum(T.tanh(x) * T.cast(x.shape[0], "float64")) }
end

return {
  { "sum_f64", "a sum of everything", function()
    local x = T.dvector("x")
    return { x }, x:sum()
  end },
  { "sum_f32", "float32 in float64, and in float32", function()
    local x = T.fvector("x")
    return { x }, { T.tanh(x):sum(), T.sum(x, { acc_dtype = "float32" }) }
  end },
  { "sum_matrix", "of a matrix", function()
    local x, y = T.dmatrix("x"), T.dmatrix("y")
    return { x, y }, { T.sum(x * y), x.T:sum() }
  end },
  { "blocks", "several at once", several },
  { "blocks_threads", "blocks side by side", several, flags = { openmp = true } },
  { "blocks_places", "places", places },
  { "blocks_places_threads", "places, side by side", places, flags = { openmp = true } },
  { "blocks_odd", "strided, taken at places, what can fail", odd },
  { "blocks_odd_threads", "the same: what can fail is not shared out", odd, flags = { openmp = true } },
  { "blocks_outside", "values from before the loops", outside },
  { "blocks_outside_threads", "handed to every block", outside, flags = { openmp = true } },
  { "blocks_ints", "of whole numbers and truth values", function()
    local i = T.ivector("i")
    return { i }, { i:sum(), T.max(i), T.min(i), T.all(T.lt(i, 7)), T.any(T.gt(i, 6)), T.cast(i, "int8"):sum() }
  end },
  { "blocks_complex", "of complex numbers", function()
    local z, w = T.zvector("z"), T.cmatrix("w")
    return { z, w }, { T.sum(z), T.prod(z), T.sum(w, { axis = 1 }) }
  end },
  { "columns_f64", "sums of columns, eight vectors at a time", function()
    local x = T.dmatrix("x")
    return { x }, { x:sum { axis = 0 }, T.exp(x):mean { axis = 0 } }
  end },
  { "columns_f32", "of float32, and the largest", function()
    local x = T.fmatrix("x")
    return { x }, { x:max { axis = 0 }, x:prod { axis = 0, acc_dtype = "float32" } }
  end },
  { "columns_threads", "columns shared out", function()
    local x = T.dmatrix("x")
    return { x }, { x:sum { axis = 0 }, T.argmax(x, { axis = 0 }) }
  end, flags = { openmp = true } },
  { "columns_normalized", "three kernels: columns are no rows", function()
    local x = T.dmatrix("x")
    local y = x - x:mean { axis = 0, keepdims = true }
    return { x }, y / T.sqrt(T.sqr(y):mean { axis = 0, keepdims = true })
  end },
  { "inner_dims", "sums over some of the dimensions", function()
    local t = T.dtensor3("t")
    return { t }, { t:sum { axis = { 0, 2 } }, t:sum { axis = 1 }, t:max { axis = { 1, 2 } }, t:sum { axis = 0 } }
  end },
  { "many_sums", "more accumulators than registers", function()
    local x, out = T.dmatrix("x"), {}
    for i = 1, 6 do out[i] = (x * i + T.sqr(x)):sum { axis = 1 } end
    return { x }, out
  end },
  { "many_ins", "a body too long for several vectors at once", function()
    local x = T.dmatrix("x")
    local y = x
    for i = 1, 20 do y = y * (x + i) - i end
    return { x }, { y:sum { axis = 1 }, y:sum { axis = 0 } }
  end },
  { "uniform", "of what is the same in every column", function()
    local m, a = T.dmatrix("m"), T.dscalar("a")
    local function all(v) return T.alloc(v, m.shape[0], m.shape[1]) end
    return { m, a }, { T.argmax(all(T.exp(a)), { axis = 1 }), T.argmin(T.ones_like(m), { axis = 1 }),
      T.prod(all(2.5), { axis = 1 }) }
  end },
  { "cost_and_grad", "a cost and its gradient", function()
    local x = T.dvector("x")
    local cost = T.sum(T.tanh(x) ^ 2)
    return { x }, { cost, T.grad(cost, x) }
  end },
}
