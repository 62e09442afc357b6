---@meta theano.ndarray
-- Made by `build/theano scripts/make-reference` from the engine's tables; not edited by hand.
-- For the Lua language server: see docs/editor.md.

---@class theano.complex
---@field real number
---@field imag number

---A strided N-d array. Its shape counts from 1, what is inside from 0.
---@class theano.ndarray
---@field T theano.ndarray `a:transpose()`
---@field device theano.ndarray where it lives: "cpu", "cuda:0"
---@field dtype theano.Dtype dtype, as text
---@field flags table table of `c_contiguous`, `f_contiguous`, `writeable`
---@field itemsize integer bytes of an element
---@field mT theano.ndarray every matrix, the last two dimensions, turned
---@field nbytes integer bytes of all elements
---@field ndim integer number of dimensions
---@field shape integer[] sequence of lengths: `a.shape[1]` is the first, so is `#a`
---@field size integer number of elements
---@field strides integer[] sequence of strides in bytes
---@operator add(theano.Value): theano.ndarray
---@operator sub(theano.Value): theano.ndarray
---@operator mul(theano.Value): theano.ndarray
---@operator div(theano.Value): theano.ndarray
---@operator idiv(theano.Value): theano.ndarray
---@operator mod(theano.Value): theano.ndarray
---@operator pow(theano.Value): theano.ndarray
---@operator unm: theano.ndarray
---@operator band(theano.Value): theano.ndarray
---@operator bor(theano.Value): theano.ndarray
---@operator bxor(theano.Value): theano.ndarray
---@operator shl(theano.Value): theano.ndarray
---@operator shr(theano.Value): theano.ndarray
---@operator bnot: theano.ndarray
---@operator len: integer
---@field [theano.Value|string] any a subscript: `a[0]`, `a["1:3, ::-1"]`, `a[mask]`
local ndarray = {}

---nearest integral value; mode "half_to_even" (default) or "half_away_from_zero", or to how many decimals
---@param mode? string
---@overload fun(self: theano.ndarray, keywords: { mode?: string }): any
---@return any
function ndarray:round(mode) end

---dimensions in another order; "x" is a new broadcastable one
---@param ... theano.Value
---@return any
function ndarray:dimshuffle(...) end

---sum over axis (None: all) of what where holds for, and initial; integers in int64 or uint64
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@param keepdims? boolean
---@param acc_dtype? theano.Dtype
---@param initial? theano.Value
---@param where? theano.Value
---@overload fun(self: theano.ndarray, keywords: { axis?: theano.Axis, dtype?: theano.Dtype, keepdims?: boolean, acc_dtype?: theano.Dtype, initial?: theano.Value, where?: theano.Value }): any
---@return any
function ndarray:sum(axis, dtype, keepdims, acc_dtype, initial, where) end

---product over axis (None: all) of what where holds for, and initial
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@param keepdims? boolean
---@param acc_dtype? theano.Dtype
---@param no_zeros_in_input? boolean
---@param initial? theano.Value
---@param where? theano.Value
---@overload fun(self: theano.ndarray, keywords: { axis?: theano.Axis, dtype?: theano.Dtype, keepdims?: boolean, acc_dtype?: theano.Dtype, no_zeros_in_input?: boolean, initial?: theano.Value, where?: theano.Value }): any
---@return any
function ndarray:prod(axis, dtype, keepdims, acc_dtype, no_zeros_in_input, initial, where) end

---mean over axis (None: all) of what where holds for
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@param keepdims? boolean
---@param acc_dtype? theano.Dtype
---@param where? theano.Value
---@overload fun(self: theano.ndarray, keywords: { axis?: theano.Axis, dtype?: theano.Dtype, keepdims?: boolean, acc_dtype?: theano.Dtype, where?: theano.Value }): any
---@return any
function ndarray:mean(axis, dtype, keepdims, acc_dtype, where) end

---variance over axis, in two passes, of what where holds for; mean is one known before
---@param axis? theano.Axis
---@param ddof? number
---@param keepdims? boolean
---@param corrected? boolean
---@param correction? theano.Value
---@param dtype? theano.Dtype
---@param mean? theano.Value
---@param where? theano.Value
---@overload fun(self: theano.ndarray, keywords: { axis?: theano.Axis, ddof?: number, keepdims?: boolean, corrected?: boolean, correction?: theano.Value, dtype?: theano.Dtype, mean?: theano.Value, where?: theano.Value }): any
---@return any
function ndarray:var(axis, ddof, keepdims, corrected, correction, dtype, mean, where) end

---standard deviation over axis of what where holds for
---@param axis? theano.Axis
---@param ddof? number
---@param keepdims? boolean
---@param corrected? boolean
---@param correction? theano.Value
---@param dtype? theano.Dtype
---@param mean? theano.Value
---@param where? theano.Value
---@overload fun(self: theano.ndarray, keywords: { axis?: theano.Axis, ddof?: number, keepdims?: boolean, corrected?: boolean, correction?: theano.Value, dtype?: theano.Dtype, mean?: theano.Value, where?: theano.Value }): any
---@return any
function ndarray:std(axis, ddof, keepdims, corrected, correction, dtype, mean, where) end

---largest element over axis, of what where holds for, and initial; the gradient goes to every tied position
---@param axis? theano.Axis
---@param keepdims? boolean
---@param initial? theano.Value
---@param where? theano.Value
---@overload fun(self: theano.ndarray, keywords: { axis?: theano.Axis, keepdims?: boolean, initial?: theano.Value, where?: theano.Value }): any
---@return any
function ndarray:max(axis, keepdims, initial, where) end

---smallest element over axis, of what where holds for, and initial; built as -max(-x)
---@param axis? theano.Axis
---@param keepdims? boolean
---@param initial? theano.Value
---@param where? theano.Value
---@overload fun(self: theano.ndarray, keywords: { axis?: theano.Axis, keepdims?: boolean, initial?: theano.Value, where?: theano.Value }): any
---@return any
function ndarray:min(axis, keepdims, initial, where) end

---first position (from 0) of the largest element
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(self: theano.ndarray, keywords: { axis?: theano.Axis, keepdims?: boolean }): any
---@return any
function ndarray:argmax(axis, keepdims) end

---first position (from 0) of the smallest element
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(self: theano.ndarray, keywords: { axis?: theano.Axis, keepdims?: boolean }): any
---@return any
function ndarray:argmin(axis, keepdims) end

---largest element and its first position, as two results
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(self: theano.ndarray, keywords: { axis?: theano.Axis, keepdims?: boolean }): any ...
---@return any ...
function ndarray:max_and_argmax(axis, keepdims) end

---max - min over axis
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(self: theano.ndarray, keywords: { axis?: theano.Axis, keepdims?: boolean }): any
---@return any
function ndarray:ptp(axis, keepdims) end

---L-norm over axis: sum(|x|^L)^(1/L)
---@param L theano.Value
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(self: theano.ndarray, L: theano.Value, keywords: { axis?: theano.Axis, keepdims?: boolean }): any
---@return any
function ndarray:norm(L, axis, keepdims) end

---log of the sum of b exp(x) over axis (b=1), without overflow; -inf of nothing
---@param axis? theano.Axis
---@param keepdims? boolean
---@param b? theano.Value
---@overload fun(self: theano.ndarray, keywords: { axis?: theano.Axis, keepdims?: boolean, b?: theano.Value }): any
---@return any
function ndarray:logsumexp(axis, keepdims, b) end

---whether any element is nonzero, of those where holds for
---@param axis? theano.Axis
---@param keepdims? boolean
---@param where? theano.Value
---@overload fun(self: theano.ndarray, keywords: { axis?: theano.Axis, keepdims?: boolean, where?: theano.Value }): any
---@return any
function ndarray:any(axis, keepdims, where) end

---whether all elements are nonzero, of those where holds for
---@param axis? theano.Axis
---@param keepdims? boolean
---@param where? theano.Value
---@overload fun(self: theano.ndarray, keywords: { axis?: theano.Axis, keepdims?: boolean, where?: theano.Value }): any
---@return any
function ndarray:all(axis, keepdims, where) end

---each element of x repeated along axis (flattened without axis)
---@param repeats theano.Value
---@param axis? theano.Axis
---@overload fun(self: theano.ndarray, repeats: theano.Value, keywords: { axis?: theano.Axis }): any
---@return any
function ndarray:repeat_(repeats, axis) end

---zeros in the shape of model
---@param dtype? theano.Dtype
---@param opt? boolean
---@overload fun(self: theano.ndarray, keywords: { dtype?: theano.Dtype, opt?: boolean }): any
---@return any
function ndarray:zeros_like(dtype, opt) end

---ones in the shape of model
---@param dtype? theano.Dtype
---@param opt? boolean
---@overload fun(self: theano.ndarray, keywords: { dtype?: theano.Dtype, opt?: boolean }): any
---@return any
function ndarray:ones_like(dtype, opt) end

---elements of a along axis at integer positions
---@param indices theano.Value
---@param axis? theano.Axis
---@param mode? string
---@overload fun(self: theano.ndarray, indices: theano.Value, keywords: { axis?: theano.Axis, mode?: string }): any
---@return any
function ndarray:take(indices, axis, mode) end

---product of vectors, matrices, tensors
---@param b theano.Value
---@return any
function ndarray:dot(b) end

---x, recomputed for its later users (gradients) instead of kept in memory
---@return any
function ndarray:remat() end

---x in another memory, "cpu", "gpu", "cuda", "cuda0": its value; a result goes where the last transfer says
---@param target? theano.Value
---@overload fun(self: theano.ndarray, keywords: { target?: theano.Value }): any
---@return any
function ndarray:transfer(target) end

---elements along axis in ascending order, NaN last (None: flattened)
---@param axis? theano.Axis
---@param kind? string
---@param order? theano.Value
---@param descending? boolean
---@param stable? boolean
---@overload fun(self: theano.ndarray, keywords: { axis?: theano.Axis, kind?: string, order?: theano.Value, descending?: boolean, stable?: boolean }): any
---@return any
function ndarray:sort(axis, kind, order, descending, stable) end

---positions of the elements along axis in ascending order; equal ones stay in order
---@param axis? theano.Axis
---@param kind? string
---@param order? theano.Value
---@param descending? boolean
---@param stable? boolean
---@overload fun(self: theano.ndarray, keywords: { axis?: theano.Axis, kind?: string, order?: theano.Value, descending?: boolean, stable?: boolean }): any
---@return any
function ndarray:argsort(axis, kind, order, descending, stable) end

---where elements of v go into the sorted vector x
---@param v theano.Value
---@param side? string
---@param sorter? theano.Value
---@overload fun(self: theano.ndarray, v: theano.Value, keywords: { side?: string, sorter?: theano.Value }): any
---@return any
function ndarray:searchsorted(v, side, sorter) end

---running sums along axis (None: flattened)
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@overload fun(self: theano.ndarray, keywords: { axis?: theano.Axis, dtype?: theano.Dtype }): any
---@return any
function ndarray:cumsum(axis, dtype) end

---running products along axis (None: flattened)
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@overload fun(self: theano.ndarray, keywords: { axis?: theano.Axis, dtype?: theano.Dtype }): any
---@return any
function ndarray:cumprod(axis, dtype) end

---the nonzero elements as a vector
---@return any
function ndarray:nonzero_values() end

---element of choices[a] at each place of a
---@param choices theano.Value
---@param out? theano.Value
---@param mode? string
---@overload fun(self: theano.ndarray, choices: theano.Value, keywords: { out?: theano.Value, mode?: string }): any
---@return any
function ndarray:choose(choices, out, mode) end

----x
---@return any
function ndarray:neg() end

---1 / x
---@return any
function ndarray:inv() end

---x * x
---@return any
function ndarray:sqr() end

---square root
---@return any
function ndarray:sqrt() end

---absolute value; of complex, the modulus
---@return any
function ndarray:abs_() end

---sign: -1, 0 or 1; NaN stays; of complex, x / |x|
---@return any
function ndarray:sgn() end

---the larger of two; NaN propagates, on ties the gradient goes to x; complex by real, then imaginary part
---@param y theano.Value
---@return any
function ndarray:maximum(y) end

---the smaller of two; NaN propagates, on ties the gradient goes to x; complex by real, then imaginary part
---@param y theano.Value
---@return any
function ndarray:minimum(y) end

---x < y
---@param y theano.Value
---@return any
function ndarray:lt(y) end

---x > y
---@param y theano.Value
---@return any
function ndarray:gt(y) end

---x <= y
---@param y theano.Value
---@return any
function ndarray:le(y) end

---x >= y
---@param y theano.Value
---@return any
function ndarray:ge(y) end

---x == y (the operator == is identity in Lua)
---@param y theano.Value
---@return any
function ndarray:eq(y) end

---x ~= y (the operator ~= is identity in Lua)
---@param y theano.Value
---@return any
function ndarray:neq(y) end

---true where x is NaN
---@return any
function ndarray:isnan() end

---true where x is an infinity
---@return any
function ndarray:isinf() end

---smallest integral value not below x
---@return any
function ndarray:ceil() end

---largest integral value not above x
---@return any
function ndarray:floor() end

---x without its fraction
---@return any
function ndarray:trunc() end

---nearest integral value, halves to even; floats only
---@return any
function ndarray:round_half_to_even() end

---nearest integral value, halves away from zero; floats only
---@return any
function ndarray:round_half_away_from_zero() end

---e to the power x
---@return any
function ndarray:exp() end

---2 to the power x
---@return any
function ndarray:exp2() end

---exp(x) - 1, accurate near 0
---@return any
function ndarray:expm1() end

---natural logarithm
---@return any
function ndarray:log() end

---logarithm to base 2
---@return any
function ndarray:log2() end

---logarithm to base 10
---@return any
function ndarray:log10() end

---log(1 + x), accurate near 0
---@return any
function ndarray:log1p() end

---degrees to radians
---@return any
function ndarray:deg2rad() end

---radians to degrees
---@return any
function ndarray:rad2deg() end

---sine
---@return any
function ndarray:sin() end

---cosine
---@return any
function ndarray:cos() end

---tangent
---@return any
function ndarray:tan() end

---inverse sine
---@return any
function ndarray:arcsin() end

---inverse cosine
---@return any
function ndarray:arccos() end

---inverse tangent
---@return any
function ndarray:arctan() end

---angle of the point (y, x)
---@param y theano.Value
---@return any
function ndarray:arctan2(y) end

---hyperbolic sine
---@return any
function ndarray:sinh() end

---hyperbolic cosine
---@return any
function ndarray:cosh() end

---hyperbolic tangent
---@return any
function ndarray:tanh() end

---inverse hyperbolic sine
---@return any
function ndarray:arcsinh() end

---inverse hyperbolic cosine
---@return any
function ndarray:arccosh() end

---inverse hyperbolic tangent
---@return any
function ndarray:arctanh() end

---error function
---@return any
function ndarray:erf() end

---1 - erf(x)
---@return any
function ndarray:erfc() end

---scaled complementary error function exp(x*x) * erfc(x)
---@return any
function ndarray:erfcx() end

---inverse of erf
---@return any
function ndarray:erfinv() end

---inverse of erfc
---@return any
function ndarray:erfcinv() end

---gamma function
---@return any
function ndarray:gamma() end

---logarithm of |gamma(x)|
---@return any
function ndarray:gammaln() end

---digamma function, derivative of gammaln
---@return any
function ndarray:psi() end

---derivative of psi
---@return any
function ndarray:tri_gamma() end

---Bessel function of the first kind, order 0
---@return any
function ndarray:j0() end

---Bessel function of the first kind, order 1
---@return any
function ndarray:j1() end

---modified Bessel function of the first kind, order 0
---@return any
function ndarray:i0() end

---modified Bessel function of the first kind, order 1
---@return any
function ndarray:i1() end

---true where x is neither NaN nor an infinity
---@return any
function ndarray:isfinite() end

---real cube root
---@return any
function ndarray:cbrt() end

---complex conjugate
---@return any
function ndarray:conj() end

---angle of a complex number, in (-pi, pi]
---@return any
function ndarray:angle() end

---absolute value; of complex, the modulus
---@return any
function ndarray:abs() end

---sets all elements, with broadcasting; gives the array back
---@param value any
---@return any
function ndarray:assign(value) end

---a copy in another dtype
---@param dtype theano.Dtype
---@return any
function ndarray:astype(dtype) end

---the same as `tostring`
---@return any
function ndarray:bytes() end

---`clip(x, min, max)`: x within bounds, which may be left out; where they cross, an array's max, as in NumPy,
---in graphs the min of what is below it, as in Theano.
---@param min any
---@param max any
---@return any
function ndarray:clip(min, max) end

---a copy in row-major order
---@return any
function ndarray:copy() end

---a read-only view of a diagonal, as the last axis
---@param offset any
---@param axis1 integer
---@param axis2 integer
---@return any
function ndarray:diagonal(offset, axis1, axis2) end

---the same as assign
---@param value any
---@return any
function ndarray:fill(value) end

---the same as ravel
---@return any
function ndarray:flatten() end

---drops the memory now; later use is a ValueError. `local a <close> = ...` does so too
---@return any
function ndarray:free() end

---the only element, as a Lua number
---@return any
function ndarray:item() end

---positions of what is not zero: a vector for each dimension
---@return any
function ndarray:nonzero() end

---makes the array read-only, as are views made of it later; gives it back
---@return any
function ndarray:protect() end

---all elements in one dimension
---@return any
function ndarray:ravel() end

---a view where possible, else a copy; one length may be -1
---@param shape any
---@return any
function ndarray:reshape(shape) end

---Iterates over the first axis: `for i, row in a:rows()`.
---@return any
function ndarray:rows() end

---without the dimensions of length 1
---@return any
function ndarray:squeeze() end

---a subscript as a call
---@param ... any
---@return any
function ndarray:sub(...) end

---a view with two axes exchanged
---@param i any
---@param j any
---@return any
function ndarray:swapaxes(i, j) end

---itself where it lives there, else a copy: "cpu", "cuda", "cuda:1"
---@param device any
---@return any
function ndarray:to_device(device) end

---the same as `tostring`
---@return any
function ndarray:tobytes() end

---`tofile(a, file, {sep = "", format =})`: the elements in row-major order as bytes, or as a text between
---separators.
---@param file any
---@param ... any
---@return any
function ndarray:tofile(file, ...) end

---nested tables of Lua numbers
---@return any
function ndarray:tolist() end

---the elements' bytes, in row-major order, as a Lua string
---@return any
function ndarray:tostring() end

---`trace(a, offset, axis1, axis2, dtype)`: the sums of a diagonal of each matrix along two axes (the first
---ones).
---@param offset any
---@param axis1 integer
---@param axis2 integer
---@param dtype? theano.Dtype
---@overload fun(offset: any, axis1: integer, axis2: integer, keywords: { dtype?: theano.Dtype }): any
---@return any
function ndarray:trace(offset, axis1, axis2, dtype) end

---a view with the axes reversed, or in that order
---@param axes theano.Axis
---@return any
function ndarray:transpose(axes) end

---What stands along the first axis as values: `local x, y = p:unpack()`; elements of a vector are numbers.
---@return any
function ndarray:unpack() end

---NumPy's legacy generator.
---@class theano.RandomState
local RandomState = {}

---Beta distribution over (0, 1).
---@param a? any
---@param b? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { a?: any, b?: any, size?: integer|integer[] }): any
---@return any
function RandomState:beta(a, b, size) end

---Successes in n trials of chance p.
---@param n? any
---@param p? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { n?: any, p?: any, size?: integer|integer[] }): any
---@return any
function RandomState:binomial(n, p, size) end

---random bytes, as a Lua string
---@param length any
---@return any
function RandomState:bytes(length) end

---Sum of the squares of df standard normals.
---@param df? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { df?: any, size?: integer|integer[] }): any
---@return any
function RandomState:chisquare(df, size) end

---another generator in the same state
---@return any
function RandomState:copy() end

---Dirichlet: probabilities that add up to 1
---@param alpha? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { alpha?: any, size?: integer|integer[] }): any
---@return any
function RandomState:dirichlet(alpha, size) end

---Exponential distribution of mean scale.
---@param scale? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { scale?: any, size?: integer|integer[] }): any
---@return any
function RandomState:exponential(scale, size) end

---F distribution.
---@param dfnum? any
---@param dfden? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { dfnum?: any, dfden?: any, size?: integer|integer[] }): any
---@return any
function RandomState:f(dfnum, dfden, size) end

---Gamma distribution.
---@param shape? any
---@param scale? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { shape?: any, scale?: any, size?: integer|integer[] }): any
---@return any
function RandomState:gamma(shape, scale, size) end

---Trials until the first success.
---@param p? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { p?: any, size?: integer|integer[] }): any
---@return any
function RandomState:geometric(p, size) end

---`{"MT19937", keys, pos, has_gauss, cached_gaussian}`, as NumPy's
---@return any
function RandomState:get_state() end

---Gumbel distribution.
---@param loc? any
---@param scale? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { loc?: any, scale?: any, size?: integer|integer[] }): any
---@return any
function RandomState:gumbel(loc, scale, size) end

---Good ones among nsample drawn without putting back.
---@param ngood? any
---@param nbad? any
---@param nsample? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { ngood?: any, nbad?: any, nsample?: any, size?: integer|integer[] }): any
---@return any
function RandomState:hypergeometric(ngood, nbad, nsample, size) end

---Double exponential distribution.
---@param loc? any
---@param scale? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { loc?: any, scale?: any, size?: integer|integer[] }): any
---@return any
function RandomState:laplace(loc, scale, size) end

---Logistic distribution.
---@param loc? any
---@param scale? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { loc?: any, scale?: any, size?: integer|integer[] }): any
---@return any
function RandomState:logistic(loc, scale, size) end

---Exponential of a normal.
---@param mean? any
---@param sigma? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { mean?: any, sigma?: any, size?: integer|integer[] }): any
---@return any
function RandomState:lognormal(mean, sigma, size) end

---Logarithmic series distribution.
---@param p? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { p?: any, size?: integer|integer[] }): any
---@return any
function RandomState:logseries(p, size) end

---counts of n draws among classes of these probabilities
---@param n? any
---@param pvals? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { n?: any, pvals?: any, size?: integer|integer[] }): any
---@return any
function RandomState:multinomial(n, pvals, size) end

---Failures before the n-th success.
---@param n? any
---@param p? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { n?: any, p?: any, size?: integer|integer[] }): any
---@return any
function RandomState:negative_binomial(n, p, size) end

---Chi-square off centre by nonc.
---@param df? any
---@param nonc? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { df?: any, nonc?: any, size?: integer|integer[] }): any
---@return any
function RandomState:noncentral_chisquare(df, nonc, size) end

---F off centre by nonc.
---@param dfnum? any
---@param dfden? any
---@param nonc? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { dfnum?: any, dfden?: any, nonc?: any, size?: integer|integer[] }): any
---@return any
function RandomState:noncentral_f(dfnum, dfden, nonc, size) end

---Normal distribution.
---@param loc? any
---@param scale? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { loc?: any, scale?: any, size?: integer|integer[] }): any
---@return any
function RandomState:normal(loc, scale, size) end

---Pareto II (Lomax) distribution.
---@param a? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { a?: any, size?: integer|integer[] }): any
---@return any
function RandomState:pareto(a, size) end

---Events in an interval that has lam on average.
---@param lam? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { lam?: any, size?: integer|integer[] }): any
---@return any
function RandomState:poisson(lam, size) end

---Density a x^(a-1) over [0, 1].
---@param a? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { a?: any, size?: integer|integer[] }): any
---@return any
function RandomState:power(a, size) end

---uniform in [0, 1)
---@param ... any
---@return any
function RandomState:rand(...) end

---integers in [low, high), or in [0, low)
---@param low? any
---@param high? any
---@param size? integer|integer[]
---@param dtype? theano.Dtype
---@overload fun(self: theano.RandomState, keywords: { low?: any, high?: any, size?: integer|integer[], dtype?: theano.Dtype }): any
---@return any
function RandomState:randint(low, high, size, dtype) end

---normal, mean 0 and deviation 1
---@param ... any
---@return any
function RandomState:randn(...) end

---the same as `random_sample`
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { size?: integer|integer[] }): any
---@return any
function RandomState:random(size) end

---integers in [low, high], or in [1, low]
---@param low? any
---@param high? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { low?: any, high?: any, size?: integer|integer[] }): any
---@return any
function RandomState:random_integers(low, high, size) end

---Uniform over [0, 1).
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { size?: integer|integer[] }): any
---@return any
function RandomState:random_sample(size) end

---the same as `random_sample`
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { size?: integer|integer[] }): any
---@return any
function RandomState:ranf(size) end

---Rayleigh distribution.
---@param scale? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { scale?: any, size?: integer|integer[] }): any
---@return any
function RandomState:rayleigh(scale, size) end

---the same as `random_sample`
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { size?: integer|integer[] }): any
---@return any
function RandomState:sample(size) end

---starts the stream anew
---@param seed integer
---@return any
function RandomState:seed(seed) end

---goes on from a state of `get_state`
---@param state any
---@return any
function RandomState:set_state(state) end

---puts the first axis of an array in random order, in place
---@param a any
---@return any
function RandomState:shuffle(a) end

---Cauchy distribution of mode 0.
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { size?: integer|integer[] }): any
---@return any
function RandomState:standard_cauchy(size) end

---Exponential distribution of mean 1.
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { size?: integer|integer[] }): any
---@return any
function RandomState:standard_exponential(size) end

---Gamma distribution of scale 1.
---@param shape? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { shape?: any, size?: integer|integer[] }): any
---@return any
function RandomState:standard_gamma(shape, size) end

---Normal distribution of mean 0 and variance 1.
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { size?: integer|integer[] }): any
---@return any
function RandomState:standard_normal(size) end

---Student's t distribution.
---@param df? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { df?: any, size?: integer|integer[] }): any
---@return any
function RandomState:standard_t(df, size) end

---Integers of 0 .. 2^63 - 1.
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { size?: integer|integer[] }): any
---@return any
function RandomState:tomaxint(size) end

---Triangular distribution.
---@param left? any
---@param mode? string
---@param right? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { left?: any, mode?: string, right?: any, size?: integer|integer[] }): any
---@return any
function RandomState:triangular(left, mode, right, size) end

---Uniform over [low, high).
---@param low? any
---@param high? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { low?: any, high?: any, size?: integer|integer[] }): any
---@return any
function RandomState:uniform(low, high, size) end

---Normal distribution on the circle.
---@param mu? any
---@param kappa? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { mu?: any, kappa?: any, size?: integer|integer[] }): any
---@return any
function RandomState:vonmises(mu, kappa, size) end

---Inverse Gaussian distribution.
---@param mean? any
---@param scale? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { mean?: any, scale?: any, size?: integer|integer[] }): any
---@return any
function RandomState:wald(mean, scale, size) end

---Weibull distribution of scale 1.
---@param a? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { a?: any, size?: integer|integer[] }): any
---@return any
function RandomState:weibull(a, size) end

---Zeta distribution.
---@param a? any
---@param size? integer|integer[]
---@overload fun(self: theano.RandomState, keywords: { a?: any, size?: integer|integer[] }): any
---@return any
function RandomState:zipf(a, size) end

---@class theano.module.ndarray
local nd = {}
---@class theano.module.random
nd.random = {}

---NumPy's legacy generator, the same numbers bit for bit
---@param seed? integer
---@overload fun(keywords: { seed?: integer }): theano.RandomState
---@return theano.RandomState
function nd.random.RandomState(seed) end

---What the array API standard asks a module for about itself: a table of functions, `dtypes`, `default_dtypes`,
---`capabilities`, `devices`, `default_device`.
---@return any
function nd.__array_namespace_info__() end

---Whether isclose holds everywhere.
---@param a any
---@param b any
---@param rtol? any
---@param atol? any
---@param equal_nan? any
---@overload fun(a: any, b: any, keywords: { rtol?: any, atol?: any, equal_nan?: any }): any
---@return any
function nd.allclose(a, b, rtol, atol, equal_nan) end

---the same as `nd.max`
---@param a any
---@param axis theano.Axis
---@return any
function nd.amax(a, axis) end

---the same as `nd.min`
---@param a any
---@param axis theano.Axis
---@return any
function nd.amin(a, axis) end

---`angle(z, deg)`: the angle of a complex number, in (-pi, pi], or in degrees.
---@param z any
---@param deg any
---@return any
function nd.angle(z, deg) end

---`append(a, values, axis)`: joined; without an axis both are flattened.
---@param a any
---@param values any
---@param axis theano.Axis
---@return any
function nd.append(a, values, axis) end

---`apply_along_axis(func1d, axis, x)`: what a function makes of each vector along an axis, in its place. In
---graphs it is called once, and mapped (`T.vmap`).
---@param func1d any
---@param axis theano.Axis
---@param x any
---@return any
function nd.apply_along_axis(func1d, axis, x) end

---`apply_over_axes(func, x, axes)`: what a function of a tensor and an axis makes of each axis in turn; an axis
---that it takes away comes back with length 1.
---@param func any
---@param x any
---@param axes? theano.Axis
---@overload fun(func: any, x: any, keywords: { axes?: theano.Axis }): any
---@return any
function nd.apply_over_axes(func, x, axes) end

---`arange(stop)`, `arange(start, stop, step, dtype)`: int64 when all are integers, else float64.
---@param start any
---@param stop? any
---@param step? any
---@param dtype? theano.Dtype
---@overload fun(start: any, keywords: { stop?: any, step?: any, dtype?: theano.Dtype }): any
---@return any
function nd.arange(start, stop, step, dtype) end

---The positions of the elements of such a partition.
---@param x any
---@param kth any
---@param axis theano.Axis
---@param kind any
---@return any
function nd.argpartition(x, kth, axis, kind) end

---Positions of what is not zero, one row each.
---@param x any
---@return any
function nd.argwhere(x) end

---the same as `nd.round`
---@param a any
---@return any
function nd.around(a) end

---a new array of a number, a nested table or an array
---@param ... any
---@return any
function nd.array(...) end

---`array2string(a, {max_line_width, precision, suppress_small, separator, prefix, formatter, threshold,
---edgeitems, suffix, sign, floatmode})`: what `tostring` gives, under options of its own; lines are as long as
---if the prefix and the suffix stood beside them. separator: between elements (" "); formatter: functions of
---elements, `{float_kind = fn}`, `int`, `all`; sign and floatmode as in `set_printoptions`.
---@param a any
---@param ... any
---@return any
function nd.array2string(a, ...) end

---whether shapes and all elements are equal
---@param a any
---@param b any
---@return any
function nd.array_equal(a, b) end

---Whether two arrays are equal after broadcasting.
---@param a any
---@param b any
---@return any
function nd.array_equiv(a, b) end

---`array_repr(a, max_line_width, precision, suppress_small)`: the array as NumPy's `repr`: `array([1., 2.],
---dtype=float32)`.
---@param a any
---@param ... any
---@return any
function nd.array_repr(a, ...) end

---`array_split(x, n)` or `array_split(x, {i, j}, axis)`: a sequence of parts, whose lengths differ by one where
---they must, or cut before the positions given.
---@param x any
---@param at any
---@param axis theano.Axis
---@return any
function nd.array_split(x, at, axis) end

---`array_str(a, max_line_width, precision, suppress_small)`: the same.
---@param a any
---@param max_line_width any
---@param precision any
---@param suppress_small any
---@return any
function nd.array_str(a, max_line_width, precision, suppress_small) end

---the same as `nd.asarray`
---@param value any
---@param dtype? theano.Dtype
---@overload fun(value: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.asanyarray(value, dtype) end

---the same, but an array of that dtype comes back as it is
---@param value any
---@param dtype? theano.Dtype
---@overload fun(value: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.asarray(value, dtype) end

---An array; a ValueError where an element is NaN or infinite.
---@param a any
---@param dtype? theano.Dtype
---@overload fun(a: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.asarray_chkfinite(a, dtype) end

---The array in row-major order, at least one dimension: itself where it is so already.
---@param a any
---@param dtype? theano.Dtype
---@overload fun(a: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.ascontiguousarray(a, dtype) end

---at least one dimension; of several arrays as many results
---@param a any
---@param ... any
---@return any
function nd.atleast_1d(a, ...) end

---at least two dimensions: a vector becomes a row
---@param a any
---@param ... any
---@return any
function nd.atleast_2d(a, ...) end

---at least three dimensions: a vector becomes (1, n, 1), a matrix (m, n, 1)
---@param a any
---@param ... any
---@return any
function nd.atleast_3d(a, ...) end

---`average(x, axis, weights, keepdims, returned)`: the weighted mean; with returned also the sum of the weights.
---@param x any
---@param ... any
---@return any
function nd.average(x, ...) end

---`base_repr(number, base, padding)`: an integer in base 2 (2 .. 36), with so many zeros in front.
---@param number any
---@param base any
---@param padding any
---@return any
function nd.base_repr(number, base, padding) end

---`binary_repr(num, width)`: an integer in base 2, filled with zeros; below 0 with a width its two's complement.
---@param num any
---@param width any
---@return any
function nd.binary_repr(num, width) end

---`bincount(x, weights, minlength)`: how often each value 0, 1, .. occurs in a vector, or the sum of its
---weights.
---@param x any
---@param ... any
---@return any
function nd.bincount(x, ...) end

---The Blackman window of n points.
---@param n any
---@return any
function nd.blackman(n) end

---`block(arrays)`: nested lists put together, the innermost along the last axis.
---@param arrays any
---@return any
function nd.block(arrays) end

---`broadcast_arrays(a, b, ..)`: all with one shape, one result for each; of arrays read-only views.
---@param ... any
---@return any
function nd.broadcast_arrays(...) end

---`broadcast_shapes(shape, ..)`: the shape that tensors of these shapes have together.
---@param ... any
---@return any
function nd.broadcast_shapes(...) end

---With the shape given, as broadcasting would have it: of arrays a view that is read-only.
---@param x any
---@param shape any
---@return any
function nd.broadcast_to(x, shape) end

---Whether a dtype may become another: casting "safe" (no value changes), "same_kind", "no", "equiv" or "unsafe".
---@param from_ any
---@param to any
---@param casting any
---@return any
function nd.can_cast(from_, to, casting) end

---`choose(a, choices, {mode = "raise"})`: the element of choices[a] at each place of a. Choices that are arrays
---are broadcast, and numbers among them take the dtype of the arrays.
---@param ... any
---@return any
function nd.choose(...) end

---`clip(x, min, max)`: x within bounds, which may be left out; where they cross, an array's max, as in NumPy,
---in graphs the min of what is below it, as in Theano.
---@param x any
---@param min any
---@param max any
---@return any
function nd.clip(x, min, max) end

---Vectors as the columns of a matrix; matrices side by side.
---@param arrays any
---@param dtype? theano.Dtype
---@overload fun(arrays: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.column_stack(arrays, dtype) end

---The float (or complex) dtype that holds the elements of all arrays; integers count as float64.
---@param ... any
---@return any
function nd.common_type(...) end

---the same as `nd.concatenate`
---@param arrays any
---@param axis theano.Axis
---@return any
function nd.concat(arrays, axis) end

---`concatenate(arrays, {axis = 0, dtype})`: arrays one after the other along axis (None: flattened), of dtype.
---@param ... any
---@return any
function nd.concatenate(...) end

---`convolve(a, v, mode)`: sums of products of two vectors (or numbers), one turned round and moved over the
---other: "full", "same" or "valid". In graphs integers go through float64.
---@param a any
---@param v any
---@param mode string
---@return any
function nd.convolve(a, v, mode) end

---`copyto(to, from)`: writes one array into another.
---@param to any
---@param from? any
---@overload fun(to: any, keywords: { from?: any }): any
---@return any
function nd.copyto(to, from) end

---`corrcoef(x, y, rowvar)`: correlation coefficients of the rows of x and of y, or of the columns.
---@param x any
---@param y any
---@param rowvar any
---@return any
function nd.corrcoef(x, y, rowvar) end

---`correlate(a, v, mode)`: sums of products with v moved along: "valid", "same" or "full".
---@param a any
---@param v any
---@param mode string
---@return any
function nd.correlate(a, v, mode) end

---How many elements are not zero, over an axis, a sequence of axes, or all.
---@param x any
---@param axis theano.Axis
---@param keepdims any
---@return any
function nd.count_nonzero(x, axis, keepdims) end

---The cross product of vectors of three along the last axis.
---@param a any
---@param b any
---@param axisa any
---@param axisb any
---@param axisc any
---@param axis theano.Axis
---@return any
function nd.cross(a, b, axisa, axisb, axisc, axis) end

---running products along an axis; with `include_initial` from 1 on
---@param x any
---@param axis theano.Axis
---@param dtype? theano.Dtype
---@param include_initial? any
---@overload fun(x: any, axis: theano.Axis, keywords: { dtype?: theano.Dtype, include_initial?: any }): any
---@return any
function nd.cumulative_prod(x, axis, dtype, include_initial) end

---running sums along an axis; with `include_initial` from 0 on
---@param x any
---@param axis theano.Axis
---@param dtype? theano.Dtype
---@param include_initial? any
---@overload fun(x: any, axis: theano.Axis, keywords: { dtype?: theano.Dtype, include_initial?: any }): any
---@return any
function nd.cumulative_sum(x, axis, dtype, include_initial) end

---`delete(x, positions, axis)`: a copy without them: an integer, several, a mask, or a slice such as "1:3";
---without an axis x is flattened.
---@param x any
---@param at any
---@param axis theano.Axis
---@return any
function nd.delete(x, at, axis) end

---`diag(v, k)`: diagonal k of a matrix, a view that is read alone; the matrix with the vector v there.
---@param ... any
---@return any
function nd.diag(...) end

---`diag_indices(n, ndim)`: the positions of a diagonal, a vector for each dimension (2).
---@param n any
---@param ndim integer
---@return any
function nd.diag_indices(n, ndim) end

---The positions of the diagonal of something whose lengths are equal, a vector for each dimension.
---@param x any
---@return any
function nd.diag_indices_from(x) end

---A matrix with the elements in order on diagonal k.
---@param v any
---@param k? any
---@overload fun(v: any, keywords: { k?: any }): any
---@return any
function nd.diagflat(v, k) end

---`diagonal(a, offset, axis1, axis2)`: a diagonal of two axes, as the last axis: a view that is read alone.
---@param ... any
---@return any
function nd.diagonal(...) end

---`digitize(x, bins, right)`: which bin each element falls into; the edges increase or decrease.
---@param x any
---@param bins any
---@param right any
---@return any
function nd.digitize(x, bins, right) end

---The same along the third axis.
---@param x any
---@param at any
---@return any
function nd.dsplit(x, at) end

---Arrays behind each other: along the third axis.
---@param arrays any
---@param dtype? theano.Dtype
---@overload fun(arrays: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.dstack(arrays, dtype) end

---`ediff1d(x, to_end, to_begin)`: differences of neighbours, of all elements in order, between what is given.
---@param x any
---@param to_end any
---@param to_begin any
---@return any
function nd.ediff1d(x, to_end, to_begin) end

---`einsum(subscripts, ..)`: sums of products over labelled dimensions, "ij,jk->ik": labels that the result
---lacks are summed, a label twice in an operand is its diagonal, "..." stands for other dimensions; or each
---operand is followed by a list of numbers as its labels.
---@param ... any
---@return any
function nd.einsum(...) end

---not filled
---@param shape any
---@param dtype? theano.Dtype
---@overload fun(shape: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.empty(shape, dtype) end

---`empty_like(x, dtype, shape)`: the same in the shape and dtype of x, or in those that are given.
---@param x any
---@param dtype? theano.Dtype
---@param shape? any
---@overload fun(x: any, keywords: { dtype?: theano.Dtype, shape?: any }): any
---@return any
function nd.empty_like(x, dtype, shape) end

---A new dimension of length 1 at a position, or at each of a sequence of positions.
---@param x any
---@param axis theano.Axis
---@return any
function nd.expand_dims(x, axis) end

---The elements where a condition holds, as a vector.
---@param condition any
---@param x any
---@return any
function nd.extract(condition, x) end

---`eye(n, m, k, dtype)`: ones on diagonal k of a matrix of n rows and m columns (as many), else zeros.
---@param ... any
---@return any
function nd.eye(...) end

---`fill_diagonal(a, val, wrap)`: writes val (a number, or numbers in turn) into the diagonal of a, and gives a;
---with wrap that of a matrix with more rows than columns begins again below its end, one row further.
---@param ... any
---@return any
function nd.fill_diagonal(...) end

---What a float dtype holds: `eps`, `max`, `min`, `tiny` (`smallest_normal`), `bits`, `dtype`; of complex dtypes
---what their parts hold.
---@param dtype theano.Dtype
---@return any
function nd.finfo(dtype) end

---positions of what is not zero, counted over all elements
---@param a any
---@return any
function nd.flatnonzero(a) end

---The elements in reverse along an axis, a sequence of axes, or all.
---@param x any
---@param axis theano.Axis
---@return any
function nd.flip(x, axis) end

---Columns in reverse.
---@param x any
---@return any
function nd.fliplr(x) end

---Rows in reverse.
---@param x any
---@return any
function nd.flipud(x) end

---`format_float_positional(x, {precision, unique = true, trim = "k", sign, pad_left, pad_right, min_digits})`:
---the shortest digits that read back without an exponent; at most `precision` behind the point. trim: "k" keeps
---zeros behind the point, "." takes them, "0" leaves one, "-" takes the point too.
---@param x any
---@param ... any
---@return any
function nd.format_float_positional(x, ...) end

---`format_float_scientific(x, {precision, unique = true, trim = "k", sign, pad_left, exp_digits = 2,
---min_digits})`: the same with an exponent, "3.14e+00".
---@param x any
---@param ... any
---@return any
function nd.format_float_scientific(x, ...) end

---an array of the bytes of a Lua string (`a:tostring()` gives them back)
---@param text string
---@param dtype? theano.Dtype
---@overload fun(text: string, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.frombuffer(text, dtype) end

---the same as `nd.frombuffer`
---@param text string
---@param dtype? theano.Dtype
---@overload fun(text: string, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.frombytes(text, dtype) end

---`fromfile(file, {dtype = "float64", count = -1, sep = "", offset = 0})`: elements as they stand in a file, or
---the numbers of a text between separators.
---@param ... any
---@return any
function nd.fromfile(...) end

---`fromfunction(fn, shape, dtype)`: what fn makes of the positions along each axis, of the dtype (float64).
---@param fn function
---@param shape any
---@param dtype? theano.Dtype
---@overload fun(fn: function, shape: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.fromfunction(fn, shape, dtype) end

---`fromiter(iter, dtype, count)`: what an iterator (or a sequence) gives one after the other, as a vector.
---@param iter any
---@param dtype? theano.Dtype
---@param count? any
---@overload fun(iter: any, keywords: { dtype?: theano.Dtype, count?: any }): any
---@return any
function nd.fromiter(iter, dtype, count) end

---`fromstring(string, {dtype = "float64", count = -1, sep = " "})`: the numbers of a text.
---@param ... any
---@return any
function nd.fromstring(...) end

---filled with a value
---@param shape any
---@param value any
---@param dtype? theano.Dtype
---@overload fun(shape: any, value: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.full(shape, value, dtype) end

---of a's shape and dtype, filled with a value
---@param a any
---@param value any
---@param dtype? theano.Dtype
---@overload fun(a: any, value: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.full_like(a, value, dtype) end

---`genfromtxt(fname, {delimiter, comments = "#", skip_header, skip_footer, usecols, missing_values,
---filling_values, names, dtype, max_rows, unpack, converters, ndmin})`: the numbers of a text file, or of a
---sequence of lines, where cells may be empty or no numbers: those are NaN, or the filling value. delimiter may
---be the width of columns, or a sequence of widths; converters are functions of a cell's text by its column.
---With `names = true` the first line's names (of the columns used) come back second, and columns may be said by
---name.
---@param ... any
---@return any
function nd.genfromtxt(...) end

---`geomspace(start, stop, num, endpoint, dtype, axis)`: values (50) with one ratio between neighbours, both
---ends included. start and stop may be tensors, the values stand along a new axis then.
---@param start any
---@param stop? any
---@param num? any
---@param endpoint? any
---@param dtype? theano.Dtype
---@param axis? theano.Axis
---@overload fun(start: any, keywords: { stop?: any, num?: any, endpoint?: any, dtype?: theano.Dtype, axis?: theano.Axis }): any
---@return any
function nd.geomspace(start, stop, num, endpoint, dtype, axis) end

---the table of `nd.set_printoptions`
---@return any
function nd.get_printoptions() end

---`gradient(f, step, .., {axis =, edge_order = 1})`: slopes along each axis (or the named ones), of the second
---order in the middle; a step for all or each axis, or the places of the elements. Of several axes one result
---for each.
---@param f any
---@param ... any
---@return any
function nd.gradient(f, ...) end

---The Hamming window of n points.
---@param n any
---@return any
function nd.hamming(n) end

---The Hann window of n points.
---@param n any
---@return any
function nd.hanning(n) end

---What is known of a function of arrays, as `theano.help("nd.NAME")` says; of what is not wanted, why.
---@param name string
---@return any
function nd.help(name) end

---`histogram(x, bins, range, weights, density)`: counts (10 bins), and the edges; the last bin has its right
---edge, too. bins: a number, or the edges; of arrays also "auto", "fd", "doane", "scott", "stone", "rice",
---"sturges" or "sqrt".
---@param x any
---@param ... any
---@return any
function nd.histogram(x, ...) end

---`histogram2d(x, y, bins, range, density, weights)`: counts of pairs, and the edges of both; bins: a number,
---or `{of x, of y}`; range: `{{from, to}, {from, to}}`.
---@param x any
---@param y any
---@param ... any
---@return any
function nd.histogram2d(x, y, ...) end

---`histogram_bin_edges(x, bins, range, weights)`: the edges of the bins of `histogram`; no number of bins
---follows from weighted elements.
---@param x any
---@param bins any
---@param range any
---@param weights any
---@return any
function nd.histogram_bin_edges(x, bins, range, weights) end

---`histogramdd(sample, bins, range, density, weights)`: counts of points in so many dimensions, and the
---sequence of the edges of each. sample: a row for each point, or a sequence of vectors; bins: a number, or one
---(or edges) for each; range: `{{from, to}, ..}`.
---@param sample any
---@param ... any
---@return any
function nd.histogramdd(sample, ...) end

---The same along the second axis, of vectors along the first.
---@param x any
---@param at any
---@return any
function nd.hsplit(x, at) end

---`hstack(arrays, dtype)`: arrays side by side, along the second axis, vectors along the first.
---@param arrays any
---@param dtype? theano.Dtype
---@overload fun(arrays: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.hstack(arrays, dtype) end

---The modified Bessel function of order 0; of integers in float64, where `special.i0` gives float32 for small
---ones.
---@param x any
---@return any
function nd.i0(x) end

---The identity matrix.
---@param n any
---@param dtype? theano.Dtype
---@overload fun(n: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.identity(n, dtype) end

---What an integer dtype holds: `min`, `max` (of uint64 the bit pattern, as everywhere), `bits`, `dtype`.
---@param dtype theano.Dtype
---@return any
function nd.iinfo(dtype) end

---the same as `nd.isin`
---@param a any
---@param b any
---@return any
function nd.in1d(a, b) end

---`indices(shape, dtype, sparse)`: the position along each axis, for every element; sparse: as many results as
---axes, each of length 1 along the others.
---@param shape any
---@param dtype? theano.Dtype
---@param sparse? any
---@overload fun(shape: any, keywords: { dtype?: theano.Dtype, sparse?: any }): any
---@return any
function nd.indices(shape, dtype, sparse) end

---Sums of products over the last axes of both.
---@param a any
---@param b any
---@return any
function nd.inner(a, b) end

---`insert(x, position, values, axis)`: a copy with the values before a position, or before each of several, of
---a slice such as "1:3" or of a mask, all of them places in x; without an axis x is flattened.
---@param x any
---@param at any
---@param values any
---@param axis theano.Axis
---@return any
function nd.insert(x, at, values, axis) end

---`interp(x, xp, fp, left, right, period)`: linear interpolation through points with increasing xp; beyond them
---the end values, or what is given; with a period through points in any order that come again.
---@param x any
---@param xp any
---@param fp any
---@param ... any
---@return any
function nd.interp(x, xp, fp, ...) end

---`intersect1d(x, y, assume_unique, return_indices)`: the sorted elements that are in both; with return_indices
---also their first positions in x and in y.
---@param x any
---@param y any
---@param assume_unique any
---@param return_indices any
---@return any
function nd.intersect1d(x, y, assume_unique, return_indices) end

---Where |a - b| <= atol + rtol |b|, in floats (NaN differs unless equal_nan), broadcasting; equal infinities
---are close. rtol and atol may be arrays, which are broadcast too.
---@param a any
---@param b any
---@param rtol? any
---@param atol? any
---@param equal_nan? any
---@overload fun(a: any, b: any, keywords: { rtol?: any, atol?: any, equal_nan?: any }): any
---@return any
function nd.isclose(a, b, rtol, atol, equal_nan) end

---Whether the dtype is complex.
---@param x any
---@return any
function nd.iscomplexobj(x) end

---Whether a dtype is of a kind: a dtype, "bool", "signed integer", "unsigned integer", "integral", "real
---floating", "complex floating", "numeric", or a sequence of such.
---@param dtype theano.Dtype
---@param kind any
---@return any
function nd.isdtype(dtype, kind) end

---Whether the elements lie in column-major order only.
---@param a any
---@return any
function nd.isfortran(a) end

---`isin(x, set, assume_unique, invert, kind)`: whether each element of x is one of those of `set`, or (invert)
---is none. That elements occur once, and NumPy's ways to look for them, change nothing.
---@param x any
---@param set any
---@param assume_unique any
---@param invert any
---@param kind any
---@return any
function nd.isin(x, set, assume_unique, invert, kind) end

---Whether the dtype is not complex.
---@param x any
---@return any
function nd.isrealobj(x) end

---Whether a value is no array but a number, a boolean or a text.
---@param x any
---@return any
function nd.isscalar(x) end

---Whether a dtype is another, or of a class of NumPy's: "integer", "floating", "inexact", "number", "generic",
---..
---@param arg1 any
---@param arg2 any
---@return any
function nd.issubdtype(arg1, arg2) end

---Whether a value can be walked: a sequence, a text, or an array that has dimensions.
---@param y any
---@return any
function nd.iterable(y) end

---`ix_(x, y, ..)`: vectors that as subscripts `a[{ix_(..)}]` take each with each.
---@param ... any
---@return any
function nd.ix_(...) end

---The Kaiser window of n points: beta is 0 for a rectangle, larger for a narrower one.
---@param n any
---@param beta any
---@return any
function nd.kaiser(n, beta) end

---The Kronecker product.
---@param a any
---@param b any
---@return any
function nd.kron(a, b) end

---`lexsort(keys, axis)`: positions that sort by several keys along an axis (the last), the last key first of
---all.
---@param keys any
---@param axis theano.Axis
---@return any
function nd.lexsort(keys, axis) end

---`linspace(start, stop, num, {endpoint = true, dtype, retstep = false, axis = 0})`: num (50) evenly spaced
---values from start to stop, both included, or without stop for `endpoint = false`; with retstep also the step.
---Of tensors the values stand along a new axis. In graphs start, stop and num may be Variables, and of integers
---the result is floatX.
---@param ... any
---@return any
function nd.linspace(...) end

---Reads a file by its name: .npy (an array), .npz (a table by name, and the names in order), .safetensors
---(these and the texts of its header), .csv .tsv .txt (numbers), IDX (`ubyte`, `idx3`, .idx); .gz where zlib
---reads it. `mmap = true` (or "r", "r+", "c") gives .npy and .safetensors as the file's own pages. Text takes
---loadtxt's options.
---@param path string
---@param options? table
---@return any
function nd.load(path, options) end

---reads IDX, plain or gzip
---@param path string
---@return any
function nd.load_idx(path) end

---reads .npy
---@param path string
---@return any
function nd.load_npy(path) end

---reads .npz: a table by name, and the sequence of names
---@param path string
---@return any
function nd.load_npz(path) end

---Numbers of a text file, as NumPy's loadtxt: `{delimiter, comments, skiprows, max_rows, usecols, dtype, ndmin,
---unpack}`. With `names = true` the first line holds the names of the columns, which come back second. One row
---or column is a vector, one number 0-d, unless `ndmin` asks for more; `unpack` gives columns in the place of
---rows.
---@param path string
---@param options? table
---@return any
function nd.loadtxt(path, options) end

---`logspace(start, stop, num, endpoint, base, dtype, axis)`: powers of a base (10), evenly spaced in the
---exponent; start, stop and the base may be tensors, the values stand along a new axis then.
---@param start any
---@param stop? any
---@param num? any
---@param endpoint? any
---@param base? any
---@param dtype? theano.Dtype
---@param axis? theano.Axis
---@overload fun(start: any, keywords: { stop?: any, num?: any, endpoint?: any, base?: any, dtype?: theano.Dtype, axis?: theano.Axis }): any
---@return any
function nd.logspace(start, stop, num, endpoint, base, dtype, axis) end

---`mask_indices(n, mask_func, k)`: the positions that a function such as `triu` leaves of an n by n matrix.
---@param n any
---@param mask_func any
---@param k? any
---@overload fun(n: any, mask_func: any, keywords: { k?: any }): any
---@return any
function nd.mask_indices(n, mask_func, k) end

---The last two axes exchanged.
---@param x any
---@return any
function nd.matrix_transpose(x) end

---Matrices by vectors, over all axes in front.
---@param x1 any
---@param x2 any
---@return any
function nd.matvec(x1, x2) end

---the same as `nd.shares_memory`
---@param a any
---@param b any
---@return any
function nd.may_share_memory(a, b) end

---`median(x, axis, keepdims)`: the middle element, or the mean of the two.
---@param x any
---@param axis theano.Axis
---@param keepdims any
---@return any
function nd.median(x, axis, keepdims) end

---`meshgrid(x, y, .., {indexing = "xy", sparse = false})`: coordinates of a grid, one result for each vector;
---sparse: each with length 1 along the other axes.
---@param ... any
---@return any
function nd.meshgrid(...) end

---The smallest dtype that holds a number; the dtype of an array.
---@param x any
---@return any
function nd.min_scalar_type(x) end

---The axes `source` (one, or a sequence) moved to the places `destination`.
---@param a any
---@param source any
---@param destination any
---@return any
function nd.moveaxis(a, source, destination) end

---NaN as 0 and infinities as the largest numbers, or what is given.
---@param x any
---@param ... any
---@return any
function nd.nan_to_num(x, ...) end

---position of the largest element that is not NaN
---@param a any
---@param axis theano.Axis
---@param keepdims any
---@return any
function nd.nanargmax(a, axis, keepdims) end

---position of the smallest element that is not NaN
---@param a any
---@param axis theano.Axis
---@param keepdims any
---@return any
function nd.nanargmin(a, axis, keepdims) end

---`nancumprod(x, axis, dtype)`: running products along an axis (None: flattened), over NaN as over 1.
---@param x any
---@param axis theano.Axis
---@param dtype? theano.Dtype
---@overload fun(x: any, axis: theano.Axis, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.nancumprod(x, axis, dtype) end

---`nancumsum(x, axis, dtype)`: running sums along an axis (None: flattened), over NaN as over 0.
---@param x any
---@param axis theano.Axis
---@param dtype? theano.Dtype
---@overload fun(x: any, axis: theano.Axis, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.nancumsum(x, axis, dtype) end

---largest of what is not NaN; NaN where there is nothing else
---@param a any
---@param axis theano.Axis
---@param keepdims any
---@param initial any
---@param where any
---@return any
function nd.nanmax(a, axis, keepdims, initial, where) end

---`nanmean(x, axis, keepdims, dtype, where)`: the mean of what is not NaN.
---@param x any
---@param axis theano.Axis
---@param keepdims any
---@param dtype? theano.Dtype
---@param where? any
---@overload fun(x: any, axis: theano.Axis, keepdims: any, keywords: { dtype?: theano.Dtype, where?: any }): any
---@return any
function nd.nanmean(x, axis, keepdims, dtype, where) end

---`nanmedian(x, axis, keepdims)`: the median of what is not NaN.
---@param x any
---@param axis theano.Axis
---@param keepdims any
---@return any
function nd.nanmedian(x, axis, keepdims) end

---smallest of what is not NaN; NaN where there is nothing else
---@param a any
---@param axis theano.Axis
---@return any
function nd.nanmin(a, axis) end

---`nanpercentile(x, q, axis, keepdims, method)`: the same, with q in 0 .. 100.
---@param x any
---@param q any
---@param ... any
---@return any
function nd.nanpercentile(x, q, ...) end

---`nanprod(x, axis, keepdims, dtype, initial, where)`: the product of what is not NaN.
---@param x any
---@param axis theano.Axis
---@param keepdims any
---@param dtype? theano.Dtype
---@param initial? any
---@param where? any
---@overload fun(x: any, axis: theano.Axis, keepdims: any, keywords: { dtype?: theano.Dtype, initial?: any, where?: any }): any
---@return any
function nd.nanprod(x, axis, keepdims, dtype, initial, where) end

---`nanquantile(x, q, axis, keepdims, method)`: quantiles of what is not NaN.
---@param x any
---@param q any
---@param ... any
---@return any
function nd.nanquantile(x, q, ...) end

---`nanstd(x, axis, ddof, keepdims, dtype, mean, where, correction)`: the standard deviation of what is not NaN.
---@param x any
---@param ... any
---@return any
function nd.nanstd(x, ...) end

---`nansum(x, axis, keepdims, dtype, initial, where)`: the sum of what is not NaN.
---@param x any
---@param axis theano.Axis
---@param keepdims any
---@param dtype? theano.Dtype
---@param initial? any
---@param where? any
---@overload fun(x: any, axis: theano.Axis, keepdims: any, keywords: { dtype?: theano.Dtype, initial?: any, where?: any }): any
---@return any
function nd.nansum(x, axis, keepdims, dtype, initial, where) end

---`nanvar(x, axis, ddof, keepdims, dtype, mean, where, correction)`: the variance of what is not NaN; mean is
---one that is known, correction another name of ddof.
---@param x any
---@param ... any
---@return any
function nd.nanvar(x, ...) end

---How many dimensions.
---@param x any
---@return any
function nd.ndim(x) end

---The next float after x towards y.
---@param x any
---@param y any
---@return any
function nd.nextafter(x, y) end

---Positions of what is not zero: a vector for each dimension.
---@param a any
---@return any
function nd.nonzero(a) end

---Array filled with ones.
---@param shape any
---@param dtype? theano.Dtype
---@overload fun(shape: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.ones(shape, dtype) end

---ones of a's shape and dtype
---@param a any
---@param dtype? theano.Dtype
---@overload fun(a: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.ones_like(a, dtype) end

---`packbits(x, axis, bitorder)`: eight elements that are or are not 0 as the bits of one uint8.
---@param x any
---@param axis theano.Axis
---@param bitorder any
---@return any
function nd.packbits(x, axis, bitorder) end

---`pad(array, pad_width, {mode = "constant", constant_values = 0, end_values = 0, stat_length, reflect_type})`:
---more elements before and behind each axis. pad_width, and the values: one for all, `{before, after}`, or
---`{{before, after}, ..}` for each axis. Modes: "constant", "edge" (the last one again), "reflect" and
---"symmetric" (mirrored, without and with the edge; with `reflect_type = "odd"` turned about its value), "wrap"
---(from the other side), "linear_ramp" (to the end values), "maximum", "minimum", "mean", "median" (of the
---axis, or of `stat_length` elements at its end), "empty" (zeros).
---@param ... any
---@return any
function nd.pad(...) end

---Along an axis (the last) the element of position kth where a sort puts it, none larger before it, none
---smaller behind it; the order of these says nothing.
---@param x any
---@param kth any
---@param axis theano.Axis
---@param kind any
---@return any
function nd.partition(x, kth, axis, kind) end

---`percentile(x, q, axis, keepdims, method)`: the same, with q in 0 .. 100.
---@param x any
---@param q any
---@param ... any
---@return any
function nd.percentile(x, q, ...) end

---the same as `nd.transpose`
---@param a any
---@param axes? theano.Axis
---@overload fun(a: any, keywords: { axes?: theano.Axis }): any
---@return any
function nd.permute_dims(a, axes) end

---`piecewise(x, condlist, funclist)`: what the function (or number) of the last condition that holds makes of
---the elements; one function more is for where none holds. In graphs every function gets all elements.
---@param x any
---@param condlist any
---@param funclist any
---@return any
function nd.piecewise(x, condlist, funclist) end

---Writes into a, in order, where the mask holds: the values again and again.
---@param a any
---@param mask any
---@param vals any
---@return any
function nd.place(a, mask, vals) end

---The polynomial with these zeros, or of arrays the characteristic polynomial of a matrix. In graphs their
---number is known.
---@param zeros any
---@return any
function nd.poly(zeros) end

---The sum of two polynomials.
---@param a1 any
---@param a2 any
---@return any
function nd.polyadd(a1, a2) end

---The m-th derivative (the first) of a polynomial.
---@param p any
---@param m? any
---@overload fun(p: any, keywords: { m?: any }): any
---@return any
function nd.polyder(p, m) end

---`polydiv(u, v)`: quotient and remainder of two polynomials. In graphs both lengths are known, and zeros in
---front stay.
---@param u any
---@param v any
---@return any
function nd.polydiv(u, v) end

---`polyfit(x, y, deg, rcond, full, w, cov)`: the polynomial of that degree with the least squared distance from
---the points (weighted); of columns of y one each. full: also what is left, rank, singular values and rcond of
---the least squares; cov: also the covariance of the coefficients (true, or "unscaled").
---@param x any
---@param y any
---@param deg any
---@param rcond any
---@param full any
---@param w any
---@param cov any
---@return any
function nd.polyfit(x, y, deg, rcond, full, w, cov) end

---`polyint(p, m, k)`: the m-th integral (the first) of a polynomial, with the constants k.
---@param ... any
---@return any
function nd.polyint(...) end

---The product of two polynomials; one without coefficients is 0. In graphs zeros in front stay.
---@param a1 any
---@param a2 any
---@return any
function nd.polymul(a1, a2) end

---The difference of two polynomials.
---@param a1 any
---@param a2 any
---@return any
function nd.polysub(a1, a2) end

---The value of a polynomial, highest power first. In graphs the number of coefficients is known.
---@param p any
---@param x any
---@return any
function nd.polyval(p, x) end

---The same until the end of the block: `local _ <close> = nd.printoptions { precision = 3 }`.
---@param options? table
---@return any
function nd.printoptions(options) end

---the same as `nd.prod`
---@param a any
---@param axis theano.Axis
---@return any
function nd.product(a, axis) end

---The dtype that holds two dtypes.
---@param type1 any
---@param type2 any
---@return any
function nd.promote_types(type1, type2) end

---`put(a, ind, v)`: writes at positions of the elements in order, the values again and again.
---@param a any
---@param ind any
---@param v any
---@param mode string
---@return any
function nd.put(a, ind, v, mode) end

---`put_along_axis(a, indices, values, axis)`: writes there.
---@param a any
---@param at any
---@param values any
---@param axis theano.Axis
---@return any
function nd.put_along_axis(a, at, values, axis) end

---Writes into a where the mask holds what stands at the same place of the values (again and again).
---@param a any
---@param mask any
---@param values any
---@return any
function nd.putmask(a, mask, values) end

---`quantile(x, q, axis, keepdims, method, weights)`: the element, or what lies between the two nearest, below
---which a part q in 0 .. 1 stands; of a sequence of q one row each. Methods are NumPy's: "linear" (the
---default), "lower", "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf",
---"closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased";
---weights are for "inverted_cdf".
---@param x any
---@param q any
---@param ... any
---@return any
function nd.quantile(x, q, ...) end

---`ravel(a, order)`: the elements in order as a vector; "F": the first axis fastest.
---@param a any
---@param order any
---@return any
function nd.ravel(a, order) end

---`real_if_close(a, tol)`: the real parts, where all imaginary ones are at most tol (100) times the spacing at
---1.
---@param a any
---@param tol any
---@return any
function nd.real_if_close(a, tol) end

---`repeat_(a, repeats, axis)`: each element so many times, or a number of times for each; without an axis of
---all elements in order.
---@param a any
---@param repeats any
---@param axis theano.Axis
---@return any
function nd.repeat_(a, repeats, axis) end

---The elements in order in another shape, in which one length may be -1.
---@param a any
---@param shape any
---@param ... any
---@return any
function nd.reshape(a, shape, ...) end

---The elements in order, again and again, until the shape is full.
---@param x any
---@param new_shape any
---@return any
function nd.resize(x, new_shape) end

---`result_type(..)`: the dtype of arithmetic on arrays, dtypes and numbers; numbers yield to arrays of their
---kind.
---@param ... any
---@return any
function nd.result_type(...) end

---the same as `nd.round_half_to_even`
---@param a any
---@return any
function nd.rint(a) end

---An axis moved before another one (the first).
---@param x any
---@param axis theano.Axis
---@param start any
---@return any
function nd.rollaxis(x, axis, start) end

---The zeros of a polynomial: eigenvalues of its companion matrix. In graphs they are complex, and the first
---coefficient is not 0.
---@param p any
---@return any
function nd.roots(p) end

---`rot90(x, k, axes)`: turned by 90 degrees k times (1) in the plane of two axes, the first two.
---@param x any
---@param ... any
---@return any
function nd.rot90(x, ...) end

---`round(a, decimals)`: to so many decimals (0), halves to even; or `round(a, mode)` as in the tensor language.
---@param a any
---@param decimals any
---@return any
function nd.round(a, decimals) end

---The same.
---@param arrays any
---@param dtype? theano.Dtype
---@overload fun(arrays: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.row_stack(arrays, dtype) end

---Writes what `load` reads. A table of named arrays goes to .npz (or .safetensors, whose header takes the texts
---of `metadata`), an array to .npy, IDX or text (the shortest digits that read back; savetxt has formats).
---@param path string
---@param value any
---@param options? table
---@return any
function nd.save(path, value, options) end

---writes IDX, gzip where the path ends in .gz
---@param path string
---@param a any
---@return any
function nd.save_idx(path, a) end

---writes .npy
---@param path string
---@param a any
---@return any
function nd.save_npy(path, a) end

---Writes an array of one or two dimensions as text, as NumPy's savetxt: `{fmt, delimiter, header, footer,
---comments}`. `fmt` is one conversion such as "%.18e" (the default) or "%d"; `fmt = false` writes the shortest
---digits that read back.
---@param path string
---@param a any
---@param options? table
---@return any
function nd.savetxt(path, a, options) end

---`savez(path, {name = array})`: the arrays by name as .npz, which is put behind a path that does not end so;
---or `savez(path, a, b, ..)` under the names arr_0, arr_1 ...
---@param path string
---@param ... any
---@return any
function nd.savez(path, ...) end

---The same, with each array deflated.
---@param path string
---@param ... any
---@return any
function nd.savez_compressed(path, ...) end

---`select(condlist, choicelist, otherwise)`: from the choice whose condition holds first; 0 where none does.
---@param condlist any
---@param choicelist any
---@param otherwise any
---@return any
function nd.select(condlist, choicelist, otherwise) end

---How arrays print from now on: `{precision = 8, threshold = 1000, edgeitems = 3, linewidth = 75, suppress =
---false, floatmode = "maxprec", sign = "-", nanstr = "nan", infstr = "inf"}`. `math.huge` stands for no limit;
---floatmode is also "fixed" (so many digits behind the point), "maxprec_equal" (as many for all) or "unique"
---(without a limit), sign "+" or " ".
---@param options? table
---@return any
function nd.set_printoptions(options) end

---`setdiff1d(x, y, assume_unique)`: the sorted elements of x that are not in y; in their order in x where
---assume_unique says that each occurs once.
---@param x any
---@param y any
---@param assume_unique any
---@return any
function nd.setdiff1d(x, y, assume_unique) end

---`setxor1d(x, y, assume_unique)`: the sorted elements that are in one of the two only.
---@param x any
---@param y any
---@param assume_unique any
---@return any
function nd.setxor1d(x, y, assume_unique) end

---whether two arrays overlap in memory
---@param a any
---@param b any
---@return any
function nd.shares_memory(a, b) end

---`sliding_window_view(x, window_shape, axis)`: every window of that length, or of these lengths, along the
---axes (all), as new dimensions at the end. A copy.
---@param x any
---@param window_shape any
---@param axis theano.Axis
---@return any
function nd.sliding_window_view(x, window_shape, axis) end

---Sorted along the last axis by the real parts and then the imaginary ones, as complex numbers; those with NaN
---stand last.
---@param x any
---@return any
function nd.sort_complex(x) end

---How far the next float is, away from zero.
---@param x any
---@return any
function nd.spacing(x) end

---`split(a, n)` or `split(a, {i, j}, axis)`: a sequence of views, n equal ones or cut before the positions
---given.
---@param a any
---@param at any
---@param axis theano.Axis
---@return any
function nd.split(a, at, axis) end

---Without the axes of length 1, or without those that are named.
---@param a any
---@param axis theano.Axis
---@return any
function nd.squeeze(a, axis) end

---`stack(arrays, {axis = 0, dtype})`: arrays one above the other along a new axis, of dtype.
---@param ... any
---@return any
function nd.stack(...) end

---Iterates over blocks of `rows` rows (1,024) of a .npy, IDX or text file that need not fit into memory: `for
---block in nd.stream("big.npy", 4096) do ... end`. Text takes loadtxt's options.
---@param path string
---@param rows any
---@param options? table
---@return any
function nd.stream(path, rows, options) end

---Two axes exchanged.
---@param a any
---@param axis1 integer
---@param axis2 integer
---@return any
function nd.swapaxes(a, axis1, axis2) end

---`take_along_axis(x, indices, axis)`: what argsort and argmax along that axis (the last) point to.
---@param x any
---@param indices any
---@param axis theano.Axis
---@return any
function nd.take_along_axis(x, indices, axis) end

---`tofile(a, file, {sep = "", format =})`: the elements in row-major order as bytes, or as a text between
---separators.
---@param a any
---@param file any
---@param ... any
---@return any
function nd.tofile(a, file, ...) end

---`trace(a, offset, axis1, axis2, dtype)`: the sums of a diagonal of each matrix along two axes (the first
---ones).
---@param a any
---@param offset any
---@param axis1 integer
---@param axis2 integer
---@param dtype? theano.Dtype
---@overload fun(a: any, offset: any, axis1: integer, axis2: integer, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.trace(a, offset, axis1, axis2, dtype) end

---`transpose(a, axes)`: the dimensions reversed, or in the order of axes (a sequence, or one behind the other).
---@param a any
---@param ... any
---@return any
function nd.transpose(a, ...) end

---`trapezoid(y, x, dx, axis)`: the integral along an axis (the last) by trapezoids, between places x or steps
---dx.
---@param y any
---@param x any
---@param dx any
---@param axis theano.Axis
---@return any
function nd.trapezoid(y, x, dx, axis) end

---`trapezoid(y, x, dx, axis)`: the integral along an axis (the last) by trapezoids, between places x or steps
---dx.
---@param y any
---@param x any
---@param dx any
---@param axis theano.Axis
---@return any
function nd.trapz(y, x, dx, axis) end

---Rows and columns of the lower triangle of an n by m matrix, up to diagonal k.
---@param n any
---@param k? any
---@param m? any
---@overload fun(n: any, keywords: { k?: any, m?: any }): any
---@return any
function nd.tril_indices(n, k, m) end

---The same for a matrix.
---@param matrix any
---@param k? any
---@overload fun(matrix: any, keywords: { k?: any }): any
---@return any
function nd.tril_indices_from(matrix, k) end

---Without the zeros at the front ("f"), the back ("b") or both ("fb") of every axis, or of the axis given.
---@param filt any
---@param trim any
---@param axis theano.Axis
---@return any
function nd.trim_zeros(filt, trim, axis) end

---Rows and columns of the upper triangle of an n by m matrix, from diagonal k.
---@param n any
---@param k? any
---@param m? any
---@overload fun(n: any, keywords: { k?: any, m?: any }): any
---@return any
function nd.triu_indices(n, k, m) end

---The same for a matrix.
---@param matrix any
---@param k? any
---@overload fun(matrix: any, keywords: { k?: any }): any
---@return any
function nd.triu_indices_from(matrix, k) end

---The methods of NumPy's elementwise functions: `np.add.at(a, i, v)` is `nd.ufunc(nd.add).at(a, i, v)`; so
---`reduce(a, axis, dtype, keepdims, initial, where)`, `accumulate(a, axis, dtype)`, `reduceat(a, indices, axis,
---dtype)`, `outer(a, b)`. Along the first axis, unless another is said (`nd.none`: all).
---@param fn function
---@return any
function nd.ufunc(fn) end

---The sorted elements that are in either.
---@param x any
---@param y any
---@return any
function nd.union1d(x, y) end

---The distinct elements, their first positions in the flattened x, the position of each element's value among
---them, and how often each occurs; NaN equals none.
---@param x any
---@return any
function nd.unique_all(x) end

---The distinct elements and how often each occurs; NaN equals none.
---@param x any
---@return any
function nd.unique_counts(x) end

---The distinct elements, and for each element of x the position of its value among them; NaN equals none.
---@param x any
---@return any
function nd.unique_inverse(x) end

---The distinct elements in ascending order; NaN equals none.
---@param x any
---@return any
function nd.unique_values(x) end

---`unpackbits(x, axis, count, bitorder)`: the bits of uint8 elements; the first `count` of them, zeros behind
---where there are not so many, or without the last ones where count is negative.
---@param x any
---@param axis theano.Axis
---@param count any
---@param bitorder any
---@return any
function nd.unpackbits(x, axis, count, bitorder) end

---The parts along an axis, each without it: a sequence. In graphs the length must be known while they are built.
---@param x any
---@param axis theano.Axis
---@return any
function nd.unstack(x, axis) end

---Angles without jumps: neighbours along an axis (the last) differ by half a period at most.
---@param p any
---@param discont any
---@param axis theano.Axis
---@param period any
---@return any
function nd.unwrap(p, discont, axis, period) end

---The powers x^(n-1) .. x^0 of a vector, as columns; in increasing order when asked.
---@param x any
---@param n? any
---@param increasing? any
---@overload fun(x: any, keywords: { n?: any, increasing?: any }): any
---@return any
function nd.vander(x, n, increasing) end

---The sum of products of all elements, the first conjugated.
---@param a any
---@param b any
---@return any
function nd.vdot(a, b) end

---Sums of conj(x1) * x2 along an axis, the last: of each operand's own, which has one length in both.
---@param x1 any
---@param x2 any
---@param axis theano.Axis
---@return any
function nd.vecdot(x1, x2, axis) end

---Vectors (their conjugates) by matrices, over all axes in front.
---@param x1 any
---@param x2 any
---@return any
function nd.vecmat(x1, x2) end

---`vectorize(fn)`: a function of arrays (and numbers) of fitting shapes that calls fn with their elements, one
---by one, and makes an array of what it gives.
---@param fn function
---@return any
function nd.vectorize(fn) end

---Equal parts, or parts cut before positions, along the first axis.
---@param x any
---@param at any
---@return any
function nd.vsplit(x, at) end

---`vstack(arrays, dtype)`: arrays on top of each other, vectors as rows.
---@param arrays any
---@param dtype? theano.Dtype
---@overload fun(arrays: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.vstack(arrays, dtype) end

---chooses by element; `where(c)` gives the positions of what is not zero
---@param c any
---@param a any
---@param b any
---@return any
function nd.where(c, a, b) end

---A .npy file that grows: `w:write(rows)` appends one row or several, `w:close()` (or `<close>`) ends the file,
---which appears under its name only then. `row_shape` is the shape of one row ({} for a vector).
---@param path string
---@param row_shape any
---@param dtype? theano.Dtype
---@overload fun(path: string, row_shape: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.writer(path, row_shape, dtype) end

---zeros of a's shape and dtype
---@param a any
---@param dtype? theano.Dtype
---@overload fun(a: any, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.zeros_like(a, dtype) end

---x in another dtype ("floatX" is the configured one); x itself when it has it
---@param x theano.Value
---@param dtype theano.Dtype
---@return any
function nd.cast(x, dtype) end

---x in another dtype ("floatX" is the configured one); x itself when it has it
---@param x theano.Value
---@param dtype theano.Dtype
---@param copy? theano.Value
---@overload fun(x: theano.Value, dtype: theano.Dtype, keywords: { copy?: theano.Value }): any
---@return any
function nd.astype(x, dtype, copy) end

---round, as int64
---@param a theano.Value
---@param mode? string
---@overload fun(a: theano.Value, keywords: { mode?: string }): any
---@return any
function nd.iround(a, mode) end

---x // y and x % y, as two results
---@param x theano.Value
---@param y theano.Value
---@return any ...
function nd.divmod(x, y) end

---integer quotient rounded up
---@param a theano.Value
---@param b theano.Value
---@return any
function nd.ceil_intdiv(a, b) end

---real part; z itself when it is real
---@param z theano.Value
---@return any
function nd.real(z) end

---imaginary part; zeros when z is real
---@param z theano.Value
---@return any
function nd.imag(z) end

---a copy of a
---@param a theano.Value
---@return any
function nd.tensor_copy(a) end

---a copy of a
---@param a theano.Value
---@param name? string
---@overload fun(a: theano.Value, keywords: { name?: string }): any
---@return any
function nd.copy(a, name) end

---dimensions in another order; "x" is a new broadcastable one
---@param x theano.Value
---@param ... theano.Value
---@return any
function nd.dimshuffle(x, ...) end

---sum over axis (None: all) of what where holds for, and initial; integers in int64 or uint64
---@param input theano.Value
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@param keepdims? boolean
---@param acc_dtype? theano.Dtype
---@param initial? theano.Value
---@param where? theano.Value
---@overload fun(input: theano.Value, keywords: { axis?: theano.Axis, dtype?: theano.Dtype, keepdims?: boolean, acc_dtype?: theano.Dtype, initial?: theano.Value, where?: theano.Value }): any
---@return any
function nd.sum(input, axis, dtype, keepdims, acc_dtype, initial, where) end

---product over axis (None: all) of what where holds for, and initial
---@param input theano.Value
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@param keepdims? boolean
---@param acc_dtype? theano.Dtype
---@param no_zeros_in_input? boolean
---@param initial? theano.Value
---@param where? theano.Value
---@overload fun(input: theano.Value, keywords: { axis?: theano.Axis, dtype?: theano.Dtype, keepdims?: boolean, acc_dtype?: theano.Dtype, no_zeros_in_input?: boolean, initial?: theano.Value, where?: theano.Value }): any
---@return any
function nd.prod(input, axis, dtype, keepdims, acc_dtype, no_zeros_in_input, initial, where) end

---mean over axis (None: all) of what where holds for
---@param input theano.Value
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@param keepdims? boolean
---@param acc_dtype? theano.Dtype
---@param where? theano.Value
---@overload fun(input: theano.Value, keywords: { axis?: theano.Axis, dtype?: theano.Dtype, keepdims?: boolean, acc_dtype?: theano.Dtype, where?: theano.Value }): any
---@return any
function nd.mean(input, axis, dtype, keepdims, acc_dtype, where) end

---variance over axis, in two passes, of what where holds for; mean is one known before
---@param input theano.Value
---@param axis? theano.Axis
---@param ddof? number
---@param keepdims? boolean
---@param corrected? boolean
---@param correction? theano.Value
---@param dtype? theano.Dtype
---@param mean? theano.Value
---@param where? theano.Value
---@overload fun(input: theano.Value, keywords: { axis?: theano.Axis, ddof?: number, keepdims?: boolean, corrected?: boolean, correction?: theano.Value, dtype?: theano.Dtype, mean?: theano.Value, where?: theano.Value }): any
---@return any
function nd.var(input, axis, ddof, keepdims, corrected, correction, dtype, mean, where) end

---standard deviation over axis of what where holds for
---@param input theano.Value
---@param axis? theano.Axis
---@param ddof? number
---@param keepdims? boolean
---@param corrected? boolean
---@param correction? theano.Value
---@param dtype? theano.Dtype
---@param mean? theano.Value
---@param where? theano.Value
---@overload fun(input: theano.Value, keywords: { axis?: theano.Axis, ddof?: number, keepdims?: boolean, corrected?: boolean, correction?: theano.Value, dtype?: theano.Dtype, mean?: theano.Value, where?: theano.Value }): any
---@return any
function nd.std(input, axis, ddof, keepdims, corrected, correction, dtype, mean, where) end

---largest element over axis, of what where holds for, and initial; the gradient goes to every tied position
---@param x theano.Value
---@param axis? theano.Axis
---@param keepdims? boolean
---@param initial? theano.Value
---@param where? theano.Value
---@overload fun(x: theano.Value, keywords: { axis?: theano.Axis, keepdims?: boolean, initial?: theano.Value, where?: theano.Value }): any
---@return any
function nd.max(x, axis, keepdims, initial, where) end

---smallest element over axis, of what where holds for, and initial; built as -max(-x)
---@param x theano.Value
---@param axis? theano.Axis
---@param keepdims? boolean
---@param initial? theano.Value
---@param where? theano.Value
---@overload fun(x: theano.Value, keywords: { axis?: theano.Axis, keepdims?: boolean, initial?: theano.Value, where?: theano.Value }): any
---@return any
function nd.min(x, axis, keepdims, initial, where) end

---first position (from 0) of the largest element
---@param x theano.Value
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(x: theano.Value, keywords: { axis?: theano.Axis, keepdims?: boolean }): any
---@return any
function nd.argmax(x, axis, keepdims) end

---first position (from 0) of the smallest element
---@param x theano.Value
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(x: theano.Value, keywords: { axis?: theano.Axis, keepdims?: boolean }): any
---@return any
function nd.argmin(x, axis, keepdims) end

---largest element and its first position, as two results
---@param a theano.Value
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(a: theano.Value, keywords: { axis?: theano.Axis, keepdims?: boolean }): any ...
---@return any ...
function nd.max_and_argmax(a, axis, keepdims) end

---max - min over axis
---@param a theano.Value
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(a: theano.Value, keywords: { axis?: theano.Axis, keepdims?: boolean }): any
---@return any
function nd.ptp(a, axis, keepdims) end

---L-norm over axis: sum(|x|^L)^(1/L)
---@param x theano.Value
---@param L theano.Value
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(x: theano.Value, L: theano.Value, keywords: { axis?: theano.Axis, keepdims?: boolean }): any
---@return any
function nd.norm(x, L, axis, keepdims) end

---log of the sum of b exp(x) over axis (b=1), without overflow; -inf of nothing
---@param x theano.Value
---@param axis? theano.Axis
---@param keepdims? boolean
---@param b? theano.Value
---@overload fun(x: theano.Value, keywords: { axis?: theano.Axis, keepdims?: boolean, b?: theano.Value }): any
---@return any
function nd.logsumexp(x, axis, keepdims, b) end

---whether any element is nonzero, of those where holds for
---@param x theano.Value
---@param axis? theano.Axis
---@param keepdims? boolean
---@param where? theano.Value
---@overload fun(x: theano.Value, keywords: { axis?: theano.Axis, keepdims?: boolean, where?: theano.Value }): any
---@return any
function nd.any(x, axis, keepdims, where) end

---whether all elements are nonzero, of those where holds for
---@param x theano.Value
---@param axis? theano.Axis
---@param keepdims? boolean
---@param where? theano.Value
---@overload fun(x: theano.Value, keywords: { axis?: theano.Axis, keepdims?: boolean, where?: theano.Value }): any
---@return any
function nd.all(x, axis, keepdims, where) end

---whether both are nonzero
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.logical_and(x1, x2) end

---whether one of both is nonzero
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.logical_or(x1, x2) end

---whether exactly one of both is nonzero
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.logical_xor(x1, x2) end

---whether x is zero
---@param x theano.Value
---@return any
function nd.logical_not(x) end

---whether x is positive infinity
---@param x theano.Value
---@return any
function nd.isposinf(x) end

---whether x is negative infinity
---@param x theano.Value
---@return any
function nd.isneginf(x) end

---whether x has an imaginary part that is not 0
---@param x theano.Value
---@return any
function nd.iscomplex(x) end

---whether x has no imaginary part
---@param x theano.Value
---@return any
function nd.isreal(x) end

---x itself, copied; bool has no sign
---@param x theano.Value
---@return any
function nd.positive(x) end

---1 / x; of integers rounded toward 0, an integer zero raises
---@param x theano.Value
---@return any
function nd.reciprocal(x) end

---absolute value as a float
---@param x theano.Value
---@return any
function nd.fabs(x) end

---remainder with the sign of x1, as in C; an integer zero divisor raises
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.fmod(x1, x2) end

---the part behind the point and the part before it, both with the sign of x
---@param x theano.Value
---@return any
function nd.modf(x) end

---mantissa of magnitude [0.5, 1) and exponent, int32: x = mantissa * 2^exponent
---@param x theano.Value
---@return any
function nd.frexp(x) end

---x1 * 2^x2 for integers x2
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.ldexp(x1, x2) end

---sin(pi x) / (pi x), and 1 at 0
---@param x theano.Value
---@return any
function nd.sinc(x) end

---x1 to the power x2, in float64 or complex128
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.float_power(x1, x2) end

---how many bits of |x| are set, uint8
---@param x theano.Value
---@return any
function nd.bitwise_count(x) end

---lengths of x as an int64 vector (x.shape)
---@param x theano.Value
---@return any
function nd.shape(x) end

---number of elements of x (x.size), or its lengths along axis multiplied
---@param x theano.Value
---@param axis? theano.Axis
---@overload fun(x: theano.Value, keywords: { axis?: theano.Axis }): any
---@return any
function nd.size(x, axis) end

---x with its last dimensions merged so that ndim are left
---@param x theano.Value
---@param ndim? integer
---@overload fun(x: theano.Value, keywords: { ndim?: integer }): any
---@return any
function nd.flatten(x, ndim) end

---t with broadcastable dimensions put before its own
---@param t theano.Value
---@param n_ones? number
---@overload fun(t: theano.Value, keywords: { n_ones?: number }): any
---@return any
function nd.shape_padleft(t, n_ones) end

---t with broadcastable dimensions put after its own
---@param t theano.Value
---@param n_ones? number
---@overload fun(t: theano.Value, keywords: { n_ones?: number }): any
---@return any
function nd.shape_padright(t, n_ones) end

---t with a broadcastable dimension put at axis
---@param t theano.Value
---@param axis theano.Axis
---@return any
function nd.shape_padaxis(t, axis) end

---x with these dimensions promised to be 1 (checked when run)
---@param x theano.Value
---@param ... theano.Value
---@return any
function nd.addbroadcast(x, ...) end

---x with these dimensions no longer broadcastable
---@param x theano.Value
---@param ... theano.Value
---@return any
function nd.unbroadcast(x, ...) end

---x with exactly this broadcast pattern (checked when run)
---@param x theano.Value
---@param broadcastable boolean[]
---@return any
function nd.patternbroadcast(x, broadcastable) end

---x, raising when run unless it has this shape
---@param x theano.Value
---@param shape theano.Value
---@return any
function nd.specify_shape(x, shape) end

---x repeated reps[d] times along dimension d
---@param x theano.Value
---@param reps theano.Value
---@param ndim? integer
---@overload fun(x: theano.Value, reps: theano.Value, keywords: { ndim?: integer }): any
---@return any
function nd.tile(x, reps, ndim) end

---value broadcast to a shape
---@param value theano.Value
---@param ... theano.Value
---@return any
function nd.alloc(value, ...) end

---zeros of a shape; dtype floatX by default
---@param shape theano.Value
---@param dtype? theano.Dtype
---@overload fun(shape: theano.Value, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.zeros(shape, dtype) end

---N x M matrix with ones on and below diagonal k
---@param N theano.Value
---@param M? theano.Value
---@param k? number
---@param dtype? theano.Dtype
---@overload fun(N: theano.Value, keywords: { M?: theano.Value, k?: number, dtype?: theano.Dtype }): any
---@return any
function nd.tri(N, M, k, dtype) end

---identity matrix in the shape of x
---@param x theano.Value
---@return any
function nd.identity_like(x) end

---m with zeros above diagonal k
---@param m theano.Value
---@param k? number
---@overload fun(m: theano.Value, keywords: { k?: number }): any
---@return any
function nd.tril(m, k) end

---m with zeros below diagonal k
---@param m theano.Value
---@param k? number
---@overload fun(m: theano.Value, keywords: { k?: number }): any
---@return any
function nd.triu(m, k) end

---part of x by integers, slices, ellipsis, newaxis, integer tensors
---@param x theano.Value
---@param ... theano.Value
---@return any
function nd.subtensor(x, ...) end

---elements of a along axis at integer positions
---@param a theano.Value
---@param indices theano.Value
---@param axis? theano.Axis
---@param mode? string
---@overload fun(a: theano.Value, indices: theano.Value, keywords: { axis?: theano.Axis, mode?: string }): any
---@return any
function nd.take(a, indices, axis, mode) end

---the tensor that x is a part of, with that part set to y
---@param x theano.Value
---@param y theano.Value
---@param inplace? boolean
---@param tolerate_inplace_aliasing? boolean
---@overload fun(x: theano.Value, y: theano.Value, keywords: { inplace?: boolean, tolerate_inplace_aliasing?: boolean }): any
---@return any
function nd.set_subtensor(x, y, inplace, tolerate_inplace_aliasing) end

---the tensor that x is a part of, with that part increased by y
---@param x theano.Value
---@param y theano.Value
---@param inplace? boolean
---@param set_instead_of_inc? boolean
---@param tolerate_inplace_aliasing? boolean
---@overload fun(x: theano.Value, y: theano.Value, keywords: { inplace?: boolean, set_instead_of_inc?: boolean, tolerate_inplace_aliasing?: boolean }): any
---@return any
function nd.inc_subtensor(x, y, inplace, set_instead_of_inc, tolerate_inplace_aliasing) end

---tensors one after the other along axis
---@param axis theano.Axis
---@param ... theano.Value
---@return any
function nd.join(axis, ...) end

---matrices side by side
---@param ... theano.Value
---@return any
function nd.horizontal_stack(...) end

---matrices one above the other
---@param ... theano.Value
---@return any
function nd.vertical_stack(...) end

---product of vectors, matrices, tensors
---@param a theano.Value
---@param b theano.Value
---@return any
function nd.dot(a, b) end

---sum of products over some axes of a and b
---@param a theano.Value
---@param b theano.Value
---@param axes? theano.Axis
---@overload fun(a: theano.Value, b: theano.Value, keywords: { axes?: theano.Axis }): any
---@return any
function nd.tensordot(a, b, axes) end

---matrix of the products of the elements of x and y
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.outer(x, y) end

---x, recomputed for its later users (gradients) instead of kept in memory
---@param x theano.Value
---@return any
function nd.remat(x) end

---x in another memory, "cpu", "gpu", "cuda", "cuda0": its value; a result goes where the last transfer says
---@param x theano.Value
---@param target? theano.Value
---@overload fun(x: theano.Value, keywords: { target?: theano.Value }): any
---@return any
function nd.transfer(x, target) end

---matrix a with diagonal `offset` set to val
---@param a theano.Value
---@param val theano.Value
---@param offset theano.Value
---@return any
function nd.fill_diagonal_offset(a, val, offset) end

---elements along axis in ascending order, NaN last (None: flattened)
---@param self theano.Value
---@param axis? theano.Axis
---@param kind? string
---@param order? theano.Value
---@param descending? boolean
---@param stable? boolean
---@overload fun(self: theano.Value, keywords: { axis?: theano.Axis, kind?: string, order?: theano.Value, descending?: boolean, stable?: boolean }): any
---@return any
function nd.sort(self, axis, kind, order, descending, stable) end

---positions of the elements along axis in ascending order; equal ones stay in order
---@param self theano.Value
---@param axis? theano.Axis
---@param kind? string
---@param order? theano.Value
---@param descending? boolean
---@param stable? boolean
---@overload fun(self: theano.Value, keywords: { axis?: theano.Axis, kind?: string, order?: theano.Value, descending?: boolean, stable?: boolean }): any
---@return any
function nd.argsort(self, axis, kind, order, descending, stable) end

---the kth > 0 largest or -kth smallest elements along axis, the extreme ones first
---@param x theano.Value
---@param kth theano.Value
---@param axis? theano.Axis
---@param sorted? boolean
---@param idx_dtype? string
---@overload fun(x: theano.Value, kth: theano.Value, keywords: { axis?: theano.Axis, sorted?: boolean, idx_dtype?: string }): any
---@return any
function nd.topk(x, kth, axis, sorted, idx_dtype) end

---positions of the elements that topk gives
---@param x theano.Value
---@param kth theano.Value
---@param axis? theano.Axis
---@param sorted? boolean
---@param idx_dtype? string
---@overload fun(x: theano.Value, kth: theano.Value, keywords: { axis?: theano.Axis, sorted?: boolean, idx_dtype?: string }): any
---@return any
function nd.argtopk(x, kth, axis, sorted, idx_dtype) end

---both, as two results
---@param x theano.Value
---@param kth theano.Value
---@param axis? theano.Axis
---@param sorted? boolean
---@param idx_dtype? string
---@overload fun(x: theano.Value, kth: theano.Value, keywords: { axis?: theano.Axis, sorted?: boolean, idx_dtype?: string }): any ...
---@return any ...
function nd.topk_and_argtopk(x, kth, axis, sorted, idx_dtype) end

---where elements of v go into the sorted vector x
---@param x theano.Value
---@param v theano.Value
---@param side? string
---@param sorter? theano.Value
---@overload fun(x: theano.Value, v: theano.Value, keywords: { side?: string, sorter?: theano.Value }): any
---@return any
function nd.searchsorted(x, v, side, sorter) end

---distinct elements in ascending order, and as asked: first positions, inverse, counts
---@param ar theano.Value
---@param return_index? boolean
---@param return_inverse? boolean
---@param return_counts? boolean
---@param axis? theano.Axis
---@param sorted? boolean
---@param equal_nan? boolean
---@overload fun(ar: theano.Value, keywords: { return_index?: boolean, return_inverse?: boolean, return_counts?: boolean, axis?: theano.Axis, sorted?: boolean, equal_nan?: boolean }): any
---@return any
function nd.unique(ar, return_index, return_inverse, return_counts, axis, sorted, equal_nan) end

---running sums along axis (None: flattened)
---@param x theano.Value
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@overload fun(x: theano.Value, keywords: { axis?: theano.Axis, dtype?: theano.Dtype }): any
---@return any
function nd.cumsum(x, axis, dtype) end

---running products along axis (None: flattened)
---@param x theano.Value
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@overload fun(x: theano.Value, keywords: { axis?: theano.Axis, dtype?: theano.Dtype }): any
---@return any
function nd.cumprod(x, axis, dtype) end

---differences of neighbours along axis, n times; of prepend, x, append behind each other
---@param x theano.Value
---@param n? number
---@param axis? theano.Axis
---@param prepend? theano.Value
---@param append? theano.Value
---@overload fun(x: theano.Value, keywords: { n?: number, axis?: theano.Axis, prepend?: theano.Value, append?: theano.Value }): any
---@return any
function nd.diff(x, n, axis, prepend, append) end

---elementwise smallest of the arguments
---@param ... theano.Value
---@return any
function nd.smallest(...) end

---elementwise largest of the arguments
---@param ... theano.Value
---@return any
function nd.largest(...) end

---the nonzero elements as a vector
---@param a theano.Value
---@return any
function nd.nonzero_values(a) end

---slices of x along axis where the vector condition is nonzero
---@param condition theano.Value
---@param x theano.Value
---@param axis? theano.Axis
---@overload fun(condition: theano.Value, x: theano.Value, keywords: { axis?: theano.Axis }): any
---@return any
function nd.compress(condition, x, axis) end

---elements moved by shift along axis, or along each of a list of axes (None: flattened); those past the end
---come first
---@param x theano.Value
---@param shift theano.Value
---@param axis? theano.Axis
---@overload fun(x: theano.Value, shift: theano.Value, keywords: { axis?: theano.Axis }): any
---@return any
function nd.roll(x, shift, axis) end

---matrix with a 1 at column y[i] of row i
---@param y theano.Value
---@param nb_class theano.Value
---@param dtype? theano.Dtype
---@overload fun(y: theano.Value, nb_class: theano.Value, keywords: { dtype?: theano.Dtype }): any
---@return any
function nd.to_one_hot(y, nb_class, dtype) end

---positions in the flattened tensor of lengths dims
---@param multi_index theano.Value
---@param dims theano.Value
---@param mode? string
---@param order? string
---@overload fun(multi_index: theano.Value, dims: theano.Value, keywords: { mode?: string, order?: string }): any
---@return any
function nd.ravel_multi_index(multi_index, dims, mode, order) end

---coordinates of positions in the flattened tensor of lengths dims, one result each
---@param indices theano.Value
---@param dims theano.Value
---@param order? string
---@param ndim? integer
---@overload fun(indices: theano.Value, dims: theano.Value, keywords: { order?: string, ndim?: integer }): any
---@return any
function nd.unravel_index(indices, dims, order, ndim) end

---permutation that undoes perm (each row of it)
---@param perm theano.Value
---@return any
function nd.inverse_permutation(perm) end

---rows of x in the order of the rows of y, or the inverse
---@param x theano.Value
---@param y theano.Value
---@param inverse? boolean
---@overload fun(x: theano.Value, y: theano.Value, keywords: { inverse?: boolean }): any
---@return any
function nd.permute_row_elements(x, y, inverse) end

---nested lists of tensors stacked into one tensor
---@param arg theano.Value
---@return any
function nd.stacklists(arg) end

---triangular window of M points
---@param M theano.Value
---@return any
function nd.bartlett(M) end

---covariance matrix of variables in rows (or columns)
---@param m theano.Value
---@param y? theano.Value
---@param rowvar? boolean
---@param bias? boolean
---@param ddof? theano.Value
---@param fweights? theano.Value
---@param aweights? theano.Value
---@overload fun(m: theano.Value, keywords: { y?: theano.Value, rowvar?: boolean, bias?: boolean, ddof?: theano.Value, fweights?: theano.Value, aweights?: theano.Value }): any
---@return any
function nd.cov(m, y, rowvar, bias, ddof, fweights, aweights) end

---dot of a[i] and b[i] for each i
---@param a theano.Value
---@param b theano.Value
---@return any
function nd.batched_dot(a, b) end

---tensordot of x[i] and y[i] for each i; listed axes count the first one
---@param x theano.Value
---@param y theano.Value
---@param axes? theano.Axis
---@overload fun(x: theano.Value, y: theano.Value, keywords: { axes?: theano.Axis }): any
---@return any
function nd.batched_tensordot(x, y, axes) end

---matrix products over the last two dimensions; those before them are broadcast, a vector is a row or a column
---@param a theano.Value
---@param b theano.Value
---@return any
function nd.matmul(a, b) end

---sum of the inputs, elementwise with broadcasting; or on bool
---@param ... theano.Value
---@return any
function nd.add(...) end

---difference x - y
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.sub(x, y) end

---product of the inputs, elementwise with broadcasting; and on bool
---@param ... theano.Value
---@return any
function nd.mul(...) end

---quotient x / y; integers give floatX
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.true_div(x, y) end

---quotient rounded toward -inf; an integer zero divisor raises
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.int_div(x, y) end

---remainder with the sign of y; an integer zero divisor raises
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.mod(x, y) end

---x to the power y
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.pow(x, y) end

----x
---@param x theano.Value
---@return any
function nd.neg(x) end

---1 / x
---@param x theano.Value
---@return any
function nd.inv(x) end

---x * x
---@param x theano.Value
---@return any
function nd.sqr(x) end

---square root
---@param x theano.Value
---@return any
function nd.sqrt(x) end

---absolute value; of complex, the modulus
---@param x theano.Value
---@return any
function nd.abs_(x) end

---sign: -1, 0 or 1; NaN stays; of complex, x / |x|
---@param x theano.Value
---@return any
function nd.sgn(x) end

---the larger of two; NaN propagates, on ties the gradient goes to x; complex by real, then imaginary part
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.maximum(x, y) end

---the smaller of two; NaN propagates, on ties the gradient goes to x; complex by real, then imaginary part
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.minimum(x, y) end

---x < y
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.lt(x, y) end

---x > y
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.gt(x, y) end

---x <= y
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.le(x, y) end

---x >= y
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.ge(x, y) end

---x == y (the operator == is identity in Lua)
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.eq(x, y) end

---x ~= y (the operator ~= is identity in Lua)
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.neq(x, y) end

---true where x is NaN
---@param x theano.Value
---@return any
function nd.isnan(x) end

---true where x is an infinity
---@param x theano.Value
---@return any
function nd.isinf(x) end

---smallest integral value not below x
---@param x theano.Value
---@return any
function nd.ceil(x) end

---largest integral value not above x
---@param x theano.Value
---@return any
function nd.floor(x) end

---x without its fraction
---@param x theano.Value
---@return any
function nd.trunc(x) end

---nearest integral value, halves to even; floats only
---@param x theano.Value
---@return any
function nd.round_half_to_even(x) end

---nearest integral value, halves away from zero; floats only
---@param x theano.Value
---@return any
function nd.round_half_away_from_zero(x) end

---e to the power x
---@param x theano.Value
---@return any
function nd.exp(x) end

---2 to the power x
---@param x theano.Value
---@return any
function nd.exp2(x) end

---exp(x) - 1, accurate near 0
---@param x theano.Value
---@return any
function nd.expm1(x) end

---natural logarithm
---@param x theano.Value
---@return any
function nd.log(x) end

---logarithm to base 2
---@param x theano.Value
---@return any
function nd.log2(x) end

---logarithm to base 10
---@param x theano.Value
---@return any
function nd.log10(x) end

---log(1 + x), accurate near 0
---@param x theano.Value
---@return any
function nd.log1p(x) end

---degrees to radians
---@param x theano.Value
---@return any
function nd.deg2rad(x) end

---radians to degrees
---@param x theano.Value
---@return any
function nd.rad2deg(x) end

---sine
---@param x theano.Value
---@return any
function nd.sin(x) end

---cosine
---@param x theano.Value
---@return any
function nd.cos(x) end

---tangent
---@param x theano.Value
---@return any
function nd.tan(x) end

---inverse sine
---@param x theano.Value
---@return any
function nd.arcsin(x) end

---inverse cosine
---@param x theano.Value
---@return any
function nd.arccos(x) end

---inverse tangent
---@param x theano.Value
---@return any
function nd.arctan(x) end

---angle of the point (y, x)
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.arctan2(x, y) end

---hyperbolic sine
---@param x theano.Value
---@return any
function nd.sinh(x) end

---hyperbolic cosine
---@param x theano.Value
---@return any
function nd.cosh(x) end

---hyperbolic tangent
---@param x theano.Value
---@return any
function nd.tanh(x) end

---inverse hyperbolic sine
---@param x theano.Value
---@return any
function nd.arcsinh(x) end

---inverse hyperbolic cosine
---@param x theano.Value
---@return any
function nd.arccosh(x) end

---inverse hyperbolic tangent
---@param x theano.Value
---@return any
function nd.arctanh(x) end

---error function
---@param x theano.Value
---@return any
function nd.erf(x) end

---1 - erf(x)
---@param x theano.Value
---@return any
function nd.erfc(x) end

---scaled complementary error function exp(x*x) * erfc(x)
---@param x theano.Value
---@return any
function nd.erfcx(x) end

---inverse of erf
---@param x theano.Value
---@return any
function nd.erfinv(x) end

---inverse of erfc
---@param x theano.Value
---@return any
function nd.erfcinv(x) end

---gamma function
---@param x theano.Value
---@return any
function nd.gamma(x) end

---logarithm of |gamma(x)|
---@param x theano.Value
---@return any
function nd.gammaln(x) end

---digamma function, derivative of gammaln
---@param x theano.Value
---@return any
function nd.psi(x) end

---derivative of psi
---@param x theano.Value
---@return any
function nd.tri_gamma(x) end

---probability that chi squared of k degrees of freedom exceeds x
---@param x theano.Value
---@param k theano.Value
---@return any
function nd.chi2sf(x, k) end

---regularised lower incomplete gamma function P(k, x)
---@param k theano.Value
---@param x theano.Value
---@return any
function nd.gammainc(k, x) end

---regularised upper incomplete gamma function Q(k, x)
---@param k theano.Value
---@param x theano.Value
---@return any
function nd.gammaincc(k, x) end

---lower incomplete gamma function
---@param k theano.Value
---@param x theano.Value
---@return any
function nd.gammal(k, x) end

---upper incomplete gamma function
---@param k theano.Value
---@param x theano.Value
---@return any
function nd.gammau(k, x) end

---Bessel function of the first kind, order 0
---@param x theano.Value
---@return any
function nd.j0(x) end

---Bessel function of the first kind, order 1
---@param x theano.Value
---@return any
function nd.j1(x) end

---Bessel function of the first kind, real order v
---@param v theano.Value
---@param x theano.Value
---@return any
function nd.jv(v, x) end

---modified Bessel function of the first kind, order 1
---@param x theano.Value
---@return any
function nd.i1(x) end

---modified Bessel function of the first kind, real order v
---@param v theano.Value
---@param x theano.Value
---@return any
function nd.iv(v, x) end

---logistic function 1 / (1 + exp(-x))
---@param x theano.Value
---@return any
function nd.sigmoid(x) end

---log(1 + exp(x))
---@param x theano.Value
---@return any
function nd.softplus(x) end

---sigmoid by pieces of simple functions, within 0.1
---@param x theano.Value
---@return any
function nd.ultra_fast_sigmoid(x) end

---ift where cond is nonzero, else iff
---@param cond theano.Value
---@param ift theano.Value
---@param iff theano.Value
---@return any
function nd.switch(cond, ift, iff) end

---b broadcast to the shape of a
---@param a theano.Value
---@param b theano.Value
---@return any
function nd.second(a, b) end

---bitwise and; logical on bool
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.and_(x, y) end

---bitwise or; logical on bool
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.or_(x, y) end

---bitwise exclusive or; logical on bool
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.xor(x, y) end

---x * 2^y of integers, wrapped; 0 where y is not in [0, width)
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.left_shift(x, y) end

---x / 2^y of integers, rounded toward -inf
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.right_shift(x, y) end

---bitwise not; logical on bool
---@param x theano.Value
---@return any
function nd.invert(x) end

---true where x is neither NaN nor an infinity
---@param x theano.Value
---@return any
function nd.isfinite(x) end

---true where the sign bit is set: that of -0.0 is
---@param x theano.Value
---@return any
function nd.signbit(x) end

---the value of x1 with the sign of x2
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.copysign(x1, x2) end

---the larger of two; where one is NaN the other
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.fmax(x1, x2) end

---the smaller of two; where one is NaN the other
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.fmin(x1, x2) end

---0 below 0, 1 above, and x2 at 0
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.heaviside(x1, x2) end

---sqrt(x1^2 + x2^2), not out of range on the way
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.hypot(x1, x2) end

---log(exp(x1) + exp(x2))
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.logaddexp(x1, x2) end

---log2(2^x1 + 2^x2)
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.logaddexp2(x1, x2) end

---real cube root
---@param x theano.Value
---@return any
function nd.cbrt(x) end

---greatest common divisor of integers
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.gcd(x1, x2) end

---least common multiple of integers
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.lcm(x1, x2) end

---complex conjugate
---@param z theano.Value
---@return any
function nd.conj(z) end

---complex number of two reals
---@param real theano.Value
---@param imag theano.Value
---@return any
function nd.complex(real, imag) end

---complex number of modulus and angle
---@param abs theano.Value
---@param angle theano.Value
---@return any
function nd.complex_from_polar(abs, angle) end

---absolute value; of complex, the modulus
---@param x theano.Value
---@return any
function nd.abs(x) end

---x * x
---@param x theano.Value
---@return any
function nd.square(x) end

---x to the power y
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.power(x, y) end

---b broadcast to the shape of a
---@param a theano.Value
---@param b theano.Value
---@return any
function nd.fill(a, b) end

---quotient rounded toward -inf; an integer zero divisor raises
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.floor_div(x, y) end

---bitwise and; logical on bool
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.bitwise_and(x, y) end

---bitwise or; logical on bool
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.bitwise_or(x, y) end

---bitwise exclusive or; logical on bool
---@param x theano.Value
---@param y theano.Value
---@return any
function nd.bitwise_xor(x, y) end

---bitwise not; logical on bool
---@param x theano.Value
---@return any
function nd.bitwise_not(x) end

---inverse cosine
---@param x theano.Value
---@return any
function nd.acos(x) end

---inverse hyperbolic cosine
---@param x theano.Value
---@return any
function nd.acosh(x) end

---inverse sine
---@param x theano.Value
---@return any
function nd.asin(x) end

---inverse hyperbolic sine
---@param x theano.Value
---@return any
function nd.asinh(x) end

---inverse tangent
---@param x theano.Value
---@return any
function nd.atan(x) end

---angle of the point (x2, x1)
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.atan2(x1, x2) end

---inverse hyperbolic tangent
---@param x theano.Value
---@return any
function nd.atanh(x) end

---bitwise not; logical on bool
---@param x theano.Value
---@return any
function nd.bitwise_invert(x) end

---x1 * 2^x2 of integers, wrapped; 0 where x2 is not in [0, width)
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.bitwise_left_shift(x1, x2) end

---x1 / 2^x2 of integers, rounded toward -inf
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.bitwise_right_shift(x1, x2) end

---difference x1 - x2
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.subtract(x1, x2) end

---product of the inputs, elementwise with broadcasting; and on bool
---@param ... theano.Value
---@return any
function nd.multiply(...) end

---quotient x1 / x2
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.divide(x1, x2) end

---quotient x1 / x2
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.true_divide(x1, x2) end

---quotient rounded toward -inf; an integer zero divisor raises
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.floor_divide(x1, x2) end

---remainder with the sign of x2; an integer zero divisor raises
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.remainder(x1, x2) end

----x
---@param x theano.Value
---@return any
function nd.negative(x) end

---absolute value; of complex, the modulus
---@param x theano.Value
---@return any
function nd.absolute(x) end

---sign: -1, 0 or 1; NaN stays; of complex, x / |x|
---@param x theano.Value
---@return any
function nd.sign(x) end

---complex conjugate
---@param x theano.Value
---@return any
function nd.conjugate(x) end

---x without its fraction
---@param x theano.Value
---@return any
function nd.fix(x) end

---radians to degrees
---@param x theano.Value
---@return any
function nd.degrees(x) end

---degrees to radians
---@param x theano.Value
---@return any
function nd.radians(x) end

---x1 == x2
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.equal(x1, x2) end

---x1 != x2
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.not_equal(x1, x2) end

---x1 < x2
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.less(x1, x2) end

---x1 <= x2
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.less_equal(x1, x2) end

---x1 > x2
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.greater(x1, x2) end

---x1 >= x2
---@param x1 theano.Value
---@param x2 theano.Value
---@return any
function nd.greater_equal(x1, x2) end

return nd
