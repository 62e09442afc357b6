--- Functions of elements: what vectors of each dtype do, and how operands lie.
local theano = require("theano")
local T = theano.tensor

local function one(dtype, fn)
  return function()
    local x = T.vector("x", { dtype = dtype })
    return { x }, fn(x)
  end
end
local function two(dtype, fn)
  return function()
    local x, y = T.vector("x", { dtype = dtype }), T.vector("y", { dtype = dtype })
    return { x, y }, fn(x, y)
  end
end
local function arithmetic(x, y) return (x + y) * x - y / (x + 2) end

return {
  { "add_f64", "arithmetic in vectors", two("float64", arithmetic) },
  { "add_f32", "arithmetic in vectors", two("float32", arithmetic) },
  { "add_threads", "the same, shared out among threads", two("float64", arithmetic), flags = { openmp = true } },
  { "fast_sigmoids", "texts with numbers of their own", two("float32", function(x, y)
    return { T.nnet.ultra_fast_sigmoid(x), T.nnet.hard_sigmoid(y) }
  end) },
  { "narrow_math", "functions of float32 in lanes of float64", function()
    local x, y = T.fvector("x"), T.dvector("y")
    return { x, y }, T.cast(T.sin(x), "float64") * y + T.cast(T.arctan2(x, x), "float64")
  end },
  { "scalars", "single values: kernels without loops", function()
    local a, b = T.dscalar("a"), T.fscalar("b")
    return { a, b }, { T.exp(a) * b, T.eq(a, 1), T.maximum(b, 2), T.log(b) }
  end },
  { "integers", "whole numbers of several widths", function()
    local a, b, c = T.bvector("a"), T.ivector("b"), T.lvector("c")
    local u, w = T.vector("u", { dtype = "uint8" }), T.vector("w", { dtype = "uint64" })
    return { a, b, c, u, w }, { a + a * 3, b * b - 1, c + T.cast(b, "int64"), T.cast(c, "float64") * 0.5,
      u + T.cast(1, "uint8"), T.cast(w, "float32"), T.bitwise_and(b, 7), T.bitwise_xor(c, c * 2), T.bitwise_not(b), -a }
  end },
  { "integer_functions", "functions of whole numbers, element by element", function()
    local a, b = T.ivector("a"), T.ivector("b")
    local u, v = T.vector("u", { dtype = "uint16" }), T.vector("v", { dtype = "uint16" })
    return { a, b, u, v }, { T.abs_(a), T.pow(a, b), T.left_shift(a, b), T.right_shift(a, b), T.abs_(u), T.pow(u, v),
      T.left_shift(u, v), T.right_shift(u, v), T.sgn(a) }
  end },
  { "integer_division", "a divisor of 0 stops the call", function()
    local a, b = T.lvector("a"), T.lvector("b")
    local u, v = T.vector("u", { dtype = "uint8" }), T.vector("v", { dtype = "uint8" })
    return { a, b, u, v }, { a // b, a % b, u // v, u % v }
  end },
  { "float_division", "floor division and modulo of floats", function()
    local a, b = T.dvector("a"), T.dvector("b")
    local c, d = T.fvector("c"), T.fvector("d")
    return { a, b, c, d }, { a // b, a % b, c // d, c % d }
  end },
  { "bools", "truth values: masks and 0 or 1", function()
    local a, b = T.vector("a", { dtype = "bool" }), T.vector("b", { dtype = "bool" })
    local x, y = T.fvector("x"), T.dvector("y")
    return { a, b, x, y }, { T.and_(a, b), T.invert(a), T.or_(T.gt(x, 0), T.lt(y, 1)), T.switch(a, x, 0),
      T.switch(T.le(x, 1), y, -y), T.xor(a, b), T.cast(x, "bool"), T.abs_(a), T.cast(a, "float64") }
  end },
  { "compare", "comparisons of each kind, and what they choose", function()
    local x, y, i = T.dvector("x"), T.dvector("y"), T.lvector("i")
    return { x, y, i }, { T.eq(x, y), T.neq(x, y), T.lt(x, y), T.ge(x, y), T.isnan(x), T.isinf(y), T.gt(i, 3),
      T.switch(T.and_(T.gt(x, 0), T.lt(i, 5)), x, y), T.clip(x, -1, y), T.maximum(x, y), T.minimum(i, 3) }
  end },
  { "math_f64", "vector math of our own and of the C library", one("float64", function(x)
    return { T.exp(x), T.log(x), T.tanh(x), T.sin(x), T.cos(x), T.tan(x), T.sqrt(x), T.log1p(x), T.expm1(x) }
  end) },
  { "math_f32", "the same in single precision", one("float32", function(x)
    return { T.exp(x), T.log(x), T.tanh(x), T.sin(x), T.cos(x), T.tan(x), T.sqrt(x), T.log1p(x), T.expm1(x) }
  end) },
  { "math_more", "more functions", function()
    local x, y, z = T.dvector("x"), T.dvector("y"), T.fvector("z")
    return { x, y, z }, { x ^ y, T.arctan2(x, y), T.arcsin(x), T.cosh(x), T.arctanh(x), T.floor(x), T.ceil(x),
      T.round(x), T.trunc(y), T.deg2rad(x), T.rad2deg(z), T.nnet.softplus(x), T.nnet.sigmoid(z), T.abs_(z),
      T.sgn(x), T.inv(y), T.log2(z), T.log10(x), T.exp2(z) }
  end },
  { "math_parts", "signs, last bits and exponents of floats, divisors of integers", function()
    local x, z, i, k = T.dvector("x"), T.fvector("z"), T.ivector("i"), T.TensorType("uint8", { false })("k")
    return { x, z, i, k }, { T.hypot(x, 2), T.copysign(z, -z), T.copysign(x, z), T.signbit(x), T.nextafter(z, 1),
      T.isfinite(x), T.fmod(x, 3), T.cbrt(z), T.gcd(i, 12), T.lcm(k, 6), T.gcd(k, k), T.ldexp(x, i), T.frexp(z) }
  end },
  { "math_special", "special functions, value by value", function()
    local x, z = T.dvector("x"), T.fvector("z")
    return { x, z }, { T.gamma(x), T.gammaln(z), T.psi(x), T.erf(x), T.erfinv(x), T.erfcx(z), T.j0(x), T.i1(z) }
  end },
  { "math_scalar", "functions of one value go by short vectors, or by a vector's first lane", function()
    local x, z = T.dscalar("x"), T.fscalar("z")
    return { x, z }, { T.sin(x), T.tanh(x), T.exp(z), T.arctan2(x, x + 1), T.arcsin(z), T.sqrt(z), T.cosh(z) }
  end },
  { "long_formula", "a body so long that whole vectors go under masks too", one("float32", function(x)
    local y = x
    for i = 1, 10 do y = T.tanh(y * i) + T.exp(x * (i / 3)) end
    return y
  end) },
  { "mixed_widths", "elements of several widths in one loop", function()
    local a, x, y = T.bvector("a"), T.fvector("x"), T.dvector("y")
    return { a, x, y }, { x * a + y, T.cast(T.exp(x), "float64"), T.cast(y, "float32") * 2, T.cast(x, "int32"),
      T.cast(y, "int64"), T.cast(y, "uint64"), T.cast(x, "int8"), T.cast(y, "uint32") }
  end },
  { "halves", "float16 and bfloat16: casts around each operation", function()
    local h, b, x = T.vector("h", { dtype = "float16" }), T.vector("b", { dtype = "bfloat16" }), T.dvector("x")
    return { h, b, x }, { h * h + h, T.exp(b), h + b, T.cast(x, "float16"), T.cast(x, "bfloat16"), T.cast(h, "int32"),
      T.switch(T.gt(h, 1), h, T.zeros_like(h)) }
  end },
  { "complex", "complex numbers, one by one", function()
    local z, w, x = T.zvector("z"), T.cvector("w"), T.dvector("x")
    return { z, w, x }, { z * z + z, z / (z + 2), T.conj(z), T.abs_(z), T.real(w), T.imag(w), w - w * w, -w,
      T.eq(z, w), T.neq(z, 1), T.complex(x, x + 1), T.cast(x, "complex64"), T.abs_(w), T.cast(z, "complex64") }
  end },
  { "complex_math", "functions of complex numbers", function()
    local z, w = T.zvector("z"), T.cvector("w")
    return { z, w }, { T.exp(z), T.sqrt(w), z ^ z, T.sin(w) }
  end },
  { "broadcast", "a row and a column in a matrix", function()
    local x, r, c = T.dmatrix("x"), T.drow("r"), T.dcol("c")
    return { x, r, c }, { x * r + c, r * c }
  end },
  { "bias_f32", "a vector for all rows: short rows run on", function()
    local x, b = T.fmatrix("x"), T.fvector("b")
    return { x, b }, T.tanh(x * b + 1)
  end },
  { "bias_threads", "the same with threads", function()
    local x, b = T.fmatrix("x"), T.fvector("b")
    return { x, b }, T.tanh(x * b + 1)
  end, flags = { openmp = true } },
  { "bias_number", "a vector for all rows and a number from memory", function()
    local x, b, a = T.dmatrix("x"), T.dvector("b"), T.dscalar("a")
    return { x, b, a }, (x + b) * a
  end },
  { "bias_bytes", "small numbers: sixteen lanes", function()
    local x, b = T.bmatrix("x"), T.bvector("b")
    return { x, b }, { x + b, x * 3 }
  end },
  { "tensor3", "three dimensions, one of them turned", function()
    local x, y = T.dtensor3("x"), T.dtensor3("y")
    return { x, y }, { x + y:dimshuffle(0, 2, 1), T.exp(x):dimshuffle(2, 0, 1) }
  end },
  { "transposed", "columns: vectors gathered and scattered", function()
    local x, y = T.dmatrix("x"), T.dmatrix("y")
    return { x, y }, { x.T + y, (x * 2).T, T.exp(x[{ "::", "::2" }]) }
  end },
  { "strided_f32", "every third element, from behind too", function()
    local x, y = T.fvector("x"), T.fvector("y")
    return { x, y }, { x["::3"] * 2, T.tanh(y["::-1"]) + x[":5"], T.inc_subtensor(y["1::2"], 3) }
  end },
  { "strided_bytes", "strided elements of one and two bytes", function()
    local x, y = T.bvector("x"), T.wvector("y")
    return { x, y }, { x["::2"] + 1, y["::-2"] * 3 }
  end },
  { "positions", "values that are places", function()
    local x = T.dvector("x")
    local n = x.shape[0]
    return { x }, { x * T.arange(n), T.arange(n) * 3 + 1, T.eye(n), T.tri(n) }
  end },
  { "positions_threads", "places in a piece", function()
    local x = T.dvector("x")
    return { x }, { T.exp(x * T.arange(x.shape[0])), T.eye(x.shape[0]) }
  end, flags = { openmp = true } },
  { "one_divisor", "a quotient by one number is a product with corrections", function()
    local x, z, a, b = T.dmatrix("x"), T.fvector("z"), T.dscalar("a"), T.fscalar("b")
    return { x, z, a, b }, { x / a, z / b, x / x:sum { axis = 1, keepdims = true } }
  end },
  { "literals", "numbers in the text: infinities, NaN, large integers, complex", function()
    local x, i, z = T.dvector("x"), T.lvector("i"), T.zvector("z")
    return { x, i, z }, { T.switch(T.gt(x, 0.1), x, 1 / 0), T.switch(T.gt(x, 3), 0 / 0, x * 1e-7),
      i + 1152921504606846977, T.maximum(x, -1 / 0), z * 2.5 }
  end },
  { "updates", "shared variables changed in place", function()
    local x = T.dvector("x")
    local w, n = theano.shared(theano.ndarray.zeros({ 5 }), { name = "w" }), theano.shared(0, { name = "n" })
    return { x }, T.sum(w), { updates = { { w, w * 0.9 + x }, { n, n + 1 } } }
  end },
  { "known_lengths", "lengths that the graph knows are numbers in the text", function()
    local x = T.dvector("x")
    local m = x:reshape({ -1, 4 })
    return { x }, { m * 2 + 1, m:sum { axis = 1 } }
  end },
  { "unfused", "every operation a kernel of its own", two("float64", arithmetic),
    flags = { ["tensor.local_elemwise_fusion"] = false } },
}
