---@meta theano
-- Made by `build/theano scripts/make-reference` from the engine's tables; not edited by hand.
-- For the Lua language server: see docs/editor.md.

---@alias theano.Dtype
---| "bool"
---| "int8"
---| "int16"
---| "int32"
---| "int64"
---| "uint8"
---| "uint16"
---| "uint32"
---| "uint64"
---| "float32"
---| "float64"
---| "complex64"
---| "complex128"
---| "floatX"

---@alias theano.Value number|boolean|theano.ndarray|theano.complex|table
---@alias theano.Operand theano.Variable|theano.Value
---@alias theano.Axis integer|integer[]

---A symbolic variable.
---@class theano.Variable
---@field T theano.Variable `x:transpose()`
---@field broadcastable boolean[] sequence of booleans: which dimensions are promised to be 1
---@field clients theano.Variable in a compiled function's graph: its users, `{{node, i}, ..}`, `{"output", i}`; i counts from 0
---@field data theano.ndarray? the value of a constant
---@field dtype theano.Dtype dtype, as text
---@field imag theano.Variable `T.imag(x)`
---@field index integer which output of its owner it is, from 0
---@field mT theano.Variable every matrix, the last two dimensions, turned
---@field name string? its name or nil; can be assigned
---@field ndim integer number of dimensions
---@field owner theano.Apply? the Apply that computes it (`op`, `inputs`, `outputs`), or nil
---@field permutation theano.Variable of what `shuffle_row_elements` gives: the order of each row
---@field real theano.Variable `T.real(x)`
---@field rng theano.Variable of a random variable: the shared variable with the state of its generator
---@field rstate theano.Variable of a draw of MRG_RandomStreams: the shared variable with the states of its streams
---@field shape theano.Variable its shape, a symbolic int64 vector: `x.shape[0]` is the first length, so is `#x`
---@field size theano.Variable its number of elements, symbolic
---@field tag table a table to keep notes in
---@field type theano.TensorType its TensorType
---@field update theano.Variable of a random variable: its `rng` or `rstate` and the state after the draw
---@operator add(theano.Operand): theano.Variable
---@operator sub(theano.Operand): theano.Variable
---@operator mul(theano.Operand): theano.Variable
---@operator div(theano.Operand): theano.Variable
---@operator idiv(theano.Operand): theano.Variable
---@operator mod(theano.Operand): theano.Variable
---@operator pow(theano.Operand): theano.Variable
---@operator unm: theano.Variable
---@operator band(theano.Operand): theano.Variable
---@operator bor(theano.Operand): theano.Variable
---@operator bxor(theano.Operand): theano.Variable
---@operator shl(theano.Operand): theano.Variable
---@operator shr(theano.Operand): theano.Variable
---@operator bnot: theano.Variable
---@operator len: theano.Variable
---@field [theano.Operand|string] theano.Variable a subscript: `x[0]`, `x["1:3"]`, `x[{T.slice(a, b), 0}]`
local Variable = {}

---x in another dtype ("floatX" is the configured one); x itself when it has it
---@param dtype theano.Dtype
---@param copy? theano.Operand
---@overload fun(self: theano.Variable, dtype: theano.Dtype, keywords: { copy?: theano.Operand }): theano.Variable
---@return theano.Variable
function Variable:astype(dtype, copy) end

---nearest integral value; mode "half_to_even" (default) or "half_away_from_zero", or to how many decimals
---@param mode? string
---@overload fun(self: theano.Variable, keywords: { mode?: string }): theano.Variable
---@return theano.Variable
function Variable:round(mode) end

---a copy of a
---@param name? string
---@overload fun(self: theano.Variable, keywords: { name?: string }): theano.Variable
---@return theano.Variable
function Variable:copy(name) end

---dimensions in another order; "x" is a new broadcastable one
---@param ... theano.Operand
---@return theano.Variable
function Variable:dimshuffle(...) end

---sum over axis (None: all) of what where holds for, and initial; integers in int64 or uint64
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@param keepdims? boolean
---@param acc_dtype? theano.Dtype
---@param initial? theano.Operand
---@param where? theano.Operand
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis, dtype?: theano.Dtype, keepdims?: boolean, acc_dtype?: theano.Dtype, initial?: theano.Operand, where?: theano.Operand }): theano.Variable
---@return theano.Variable
function Variable:sum(axis, dtype, keepdims, acc_dtype, initial, where) end

---product over axis (None: all) of what where holds for, and initial
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@param keepdims? boolean
---@param acc_dtype? theano.Dtype
---@param no_zeros_in_input? boolean
---@param initial? theano.Operand
---@param where? theano.Operand
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis, dtype?: theano.Dtype, keepdims?: boolean, acc_dtype?: theano.Dtype, no_zeros_in_input?: boolean, initial?: theano.Operand, where?: theano.Operand }): theano.Variable
---@return theano.Variable
function Variable:prod(axis, dtype, keepdims, acc_dtype, no_zeros_in_input, initial, where) end

---mean over axis (None: all) of what where holds for
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@param keepdims? boolean
---@param acc_dtype? theano.Dtype
---@param where? theano.Operand
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis, dtype?: theano.Dtype, keepdims?: boolean, acc_dtype?: theano.Dtype, where?: theano.Operand }): theano.Variable
---@return theano.Variable
function Variable:mean(axis, dtype, keepdims, acc_dtype, where) end

---variance over axis, in two passes, of what where holds for; mean is one known before
---@param axis? theano.Axis
---@param ddof? number
---@param keepdims? boolean
---@param corrected? boolean
---@param correction? theano.Operand
---@param dtype? theano.Dtype
---@param mean? theano.Operand
---@param where? theano.Operand
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis, ddof?: number, keepdims?: boolean, corrected?: boolean, correction?: theano.Operand, dtype?: theano.Dtype, mean?: theano.Operand, where?: theano.Operand }): theano.Variable
---@return theano.Variable
function Variable:var(axis, ddof, keepdims, corrected, correction, dtype, mean, where) end

---standard deviation over axis of what where holds for
---@param axis? theano.Axis
---@param ddof? number
---@param keepdims? boolean
---@param corrected? boolean
---@param correction? theano.Operand
---@param dtype? theano.Dtype
---@param mean? theano.Operand
---@param where? theano.Operand
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis, ddof?: number, keepdims?: boolean, corrected?: boolean, correction?: theano.Operand, dtype?: theano.Dtype, mean?: theano.Operand, where?: theano.Operand }): theano.Variable
---@return theano.Variable
function Variable:std(axis, ddof, keepdims, corrected, correction, dtype, mean, where) end

---largest element over axis, of what where holds for, and initial; the gradient goes to every tied position
---@param axis? theano.Axis
---@param keepdims? boolean
---@param initial? theano.Operand
---@param where? theano.Operand
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis, keepdims?: boolean, initial?: theano.Operand, where?: theano.Operand }): theano.Variable
---@return theano.Variable
function Variable:max(axis, keepdims, initial, where) end

---smallest element over axis, of what where holds for, and initial; built as -max(-x)
---@param axis? theano.Axis
---@param keepdims? boolean
---@param initial? theano.Operand
---@param where? theano.Operand
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis, keepdims?: boolean, initial?: theano.Operand, where?: theano.Operand }): theano.Variable
---@return theano.Variable
function Variable:min(axis, keepdims, initial, where) end

---first position (from 0) of the largest element
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis, keepdims?: boolean }): theano.Variable
---@return theano.Variable
function Variable:argmax(axis, keepdims) end

---first position (from 0) of the smallest element
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis, keepdims?: boolean }): theano.Variable
---@return theano.Variable
function Variable:argmin(axis, keepdims) end

---largest element and its first position, as two results
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis, keepdims?: boolean }): theano.Variable ...
---@return theano.Variable ...
function Variable:max_and_argmax(axis, keepdims) end

---max - min over axis
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis, keepdims?: boolean }): theano.Variable
---@return theano.Variable
function Variable:ptp(axis, keepdims) end

---L-norm over axis: sum(|x|^L)^(1/L)
---@param L theano.Operand
---@param axis? theano.Axis
---@param keepdims? boolean
---@overload fun(self: theano.Variable, L: theano.Operand, keywords: { axis?: theano.Axis, keepdims?: boolean }): theano.Variable
---@return theano.Variable
function Variable:norm(L, axis, keepdims) end

---log of the sum of b exp(x) over axis (b=1), without overflow; -inf of nothing
---@param axis? theano.Axis
---@param keepdims? boolean
---@param b? theano.Operand
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis, keepdims?: boolean, b?: theano.Operand }): theano.Variable
---@return theano.Variable
function Variable:logsumexp(axis, keepdims, b) end

---whether any element is nonzero, of those where holds for
---@param axis? theano.Axis
---@param keepdims? boolean
---@param where? theano.Operand
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis, keepdims?: boolean, where?: theano.Operand }): theano.Variable
---@return theano.Variable
function Variable:any(axis, keepdims, where) end

---whether all elements are nonzero, of those where holds for
---@param axis? theano.Axis
---@param keepdims? boolean
---@param where? theano.Operand
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis, keepdims?: boolean, where?: theano.Operand }): theano.Variable
---@return theano.Variable
function Variable:all(axis, keepdims, where) end

---the elements of x in another shape; one entry may be -1
---@param newshape theano.Operand
---@param ndim? integer
---@overload fun(self: theano.Variable, newshape: theano.Operand, keywords: { ndim?: integer }): theano.Variable
---@return theano.Variable
function Variable:reshape(newshape, ndim) end

---x with its last dimensions merged so that ndim are left
---@param ndim? integer
---@overload fun(self: theano.Variable, keywords: { ndim?: integer }): theano.Variable
---@return theano.Variable
function Variable:flatten(ndim) end

---x as a vector
---@return theano.Variable
function Variable:ravel() end

---x with its dimensions reversed, or in the order of axes
---@param ... theano.Operand
---@return theano.Variable
function Variable:transpose(...) end

---y with two dimensions exchanged
---@param axis1 integer
---@param axis2 integer
---@return theano.Variable
function Variable:swapaxes(axis1, axis2) end

---x without its broadcastable dimensions
---@param axis? theano.Axis
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis }): theano.Variable
---@return theano.Variable
function Variable:squeeze(axis) end

---each element of x repeated along axis (flattened without axis)
---@param repeats theano.Operand
---@param axis? theano.Axis
---@overload fun(self: theano.Variable, repeats: theano.Operand, keywords: { axis?: theano.Axis }): theano.Variable
---@return theano.Variable
function Variable:repeat_(repeats, axis) end

---zeros in the shape of model
---@param dtype? theano.Dtype
---@param opt? boolean
---@overload fun(self: theano.Variable, keywords: { dtype?: theano.Dtype, opt?: boolean }): theano.Variable
---@return theano.Variable
function Variable:zeros_like(dtype, opt) end

---ones in the shape of model
---@param dtype? theano.Dtype
---@param opt? boolean
---@overload fun(self: theano.Variable, keywords: { dtype?: theano.Dtype, opt?: boolean }): theano.Variable
---@return theano.Variable
function Variable:ones_like(dtype, opt) end

---elements of a along axis at integer positions
---@param indices theano.Operand
---@param axis? theano.Axis
---@param mode? string
---@overload fun(self: theano.Variable, indices: theano.Operand, keywords: { axis?: theano.Axis, mode?: string }): theano.Variable
---@return theano.Variable
function Variable:take(indices, axis, mode) end

---product of vectors, matrices, tensors
---@param b theano.Operand
---@return theano.Variable
function Variable:dot(b) end

---x, recomputed for its later users (gradients) instead of kept in memory
---@return theano.Variable
function Variable:remat() end

---x in another memory, "cpu", "gpu", "cuda", "cuda0": its value; a result goes where the last transfer says
---@param target? theano.Operand
---@overload fun(self: theano.Variable, keywords: { target?: theano.Operand }): theano.Variable
---@return theano.Variable
function Variable:transfer(target) end

---diagonal of two axes of a, as the last axis
---@param offset? number
---@param axis1? integer
---@param axis2? integer
---@overload fun(self: theano.Variable, keywords: { offset?: number, axis1?: integer, axis2?: integer }): theano.Variable
---@return theano.Variable
function Variable:diagonal(offset, axis1, axis2) end

---sum of the main diagonal of a matrix
---@return theano.Variable
function Variable:trace() end

---elements along axis in ascending order, NaN last (None: flattened)
---@param axis? theano.Axis
---@param kind? string
---@param order? theano.Operand
---@param descending? boolean
---@param stable? boolean
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis, kind?: string, order?: theano.Operand, descending?: boolean, stable?: boolean }): theano.Variable
---@return theano.Variable
function Variable:sort(axis, kind, order, descending, stable) end

---positions of the elements along axis in ascending order; equal ones stay in order
---@param axis? theano.Axis
---@param kind? string
---@param order? theano.Operand
---@param descending? boolean
---@param stable? boolean
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis, kind?: string, order?: theano.Operand, descending?: boolean, stable?: boolean }): theano.Variable
---@return theano.Variable
function Variable:argsort(axis, kind, order, descending, stable) end

---where elements of v go into the sorted vector x
---@param v theano.Operand
---@param side? string
---@param sorter? theano.Operand
---@overload fun(self: theano.Variable, v: theano.Operand, keywords: { side?: string, sorter?: theano.Operand }): theano.Variable
---@return theano.Variable
function Variable:searchsorted(v, side, sorter) end

---running sums along axis (None: flattened)
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis, dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function Variable:cumsum(axis, dtype) end

---running products along axis (None: flattened)
---@param axis? theano.Axis
---@param dtype? theano.Dtype
---@overload fun(self: theano.Variable, keywords: { axis?: theano.Axis, dtype?: theano.Dtype }): theano.Variable
---@return theano.Variable
function Variable:cumprod(axis, dtype) end

---positions of the nonzero elements: a vector for each dimension, or the rows of a matrix
---@param return_matrix? boolean
---@overload fun(self: theano.Variable, keywords: { return_matrix?: boolean }): theano.Variable
---@return theano.Variable
function Variable:nonzero(return_matrix) end

---the nonzero elements as a vector
---@return theano.Variable
function Variable:nonzero_values() end

---element of choices[a] at each place of a
---@param choices theano.Operand
---@param out? theano.Operand
---@param mode? string
---@overload fun(self: theano.Variable, choices: theano.Operand, keywords: { out?: theano.Operand, mode?: string }): theano.Variable
---@return theano.Variable
function Variable:choose(choices, out, mode) end

----x
---@return theano.Variable
function Variable:neg() end

---1 / x
---@return theano.Variable
function Variable:inv() end

---x * x
---@return theano.Variable
function Variable:sqr() end

---square root
---@return theano.Variable
function Variable:sqrt() end

---absolute value; of complex, the modulus
---@return theano.Variable
function Variable:abs_() end

---sign: -1, 0 or 1; NaN stays; of complex, x / |x|
---@return theano.Variable
function Variable:sgn() end

---the larger of two; NaN propagates, on ties the gradient goes to x; complex by real, then imaginary part
---@param y theano.Operand
---@return theano.Variable
function Variable:maximum(y) end

---the smaller of two; NaN propagates, on ties the gradient goes to x; complex by real, then imaginary part
---@param y theano.Operand
---@return theano.Variable
function Variable:minimum(y) end

---x limited to [min, max]; the gradient passes at the bounds
---@param min theano.Operand
---@param max theano.Operand
---@return theano.Variable
function Variable:clip(min, max) end

---x < y
---@param y theano.Operand
---@return theano.Variable
function Variable:lt(y) end

---x > y
---@param y theano.Operand
---@return theano.Variable
function Variable:gt(y) end

---x <= y
---@param y theano.Operand
---@return theano.Variable
function Variable:le(y) end

---x >= y
---@param y theano.Operand
---@return theano.Variable
function Variable:ge(y) end

---x == y (the operator == is identity in Lua)
---@param y theano.Operand
---@return theano.Variable
function Variable:eq(y) end

---x ~= y (the operator ~= is identity in Lua)
---@param y theano.Operand
---@return theano.Variable
function Variable:neq(y) end

---true where x is NaN
---@return theano.Variable
function Variable:isnan() end

---true where x is an infinity
---@return theano.Variable
function Variable:isinf() end

---smallest integral value not below x
---@return theano.Variable
function Variable:ceil() end

---largest integral value not above x
---@return theano.Variable
function Variable:floor() end

---x without its fraction
---@return theano.Variable
function Variable:trunc() end

---nearest integral value, halves to even; floats only
---@return theano.Variable
function Variable:round_half_to_even() end

---nearest integral value, halves away from zero; floats only
---@return theano.Variable
function Variable:round_half_away_from_zero() end

---e to the power x
---@return theano.Variable
function Variable:exp() end

---2 to the power x
---@return theano.Variable
function Variable:exp2() end

---exp(x) - 1, accurate near 0
---@return theano.Variable
function Variable:expm1() end

---natural logarithm
---@return theano.Variable
function Variable:log() end

---logarithm to base 2
---@return theano.Variable
function Variable:log2() end

---logarithm to base 10
---@return theano.Variable
function Variable:log10() end

---log(1 + x), accurate near 0
---@return theano.Variable
function Variable:log1p() end

---degrees to radians
---@return theano.Variable
function Variable:deg2rad() end

---radians to degrees
---@return theano.Variable
function Variable:rad2deg() end

---sine
---@return theano.Variable
function Variable:sin() end

---cosine
---@return theano.Variable
function Variable:cos() end

---tangent
---@return theano.Variable
function Variable:tan() end

---inverse sine
---@return theano.Variable
function Variable:arcsin() end

---inverse cosine
---@return theano.Variable
function Variable:arccos() end

---inverse tangent
---@return theano.Variable
function Variable:arctan() end

---angle of the point (y, x)
---@param y theano.Operand
---@return theano.Variable
function Variable:arctan2(y) end

---hyperbolic sine
---@return theano.Variable
function Variable:sinh() end

---hyperbolic cosine
---@return theano.Variable
function Variable:cosh() end

---hyperbolic tangent
---@return theano.Variable
function Variable:tanh() end

---inverse hyperbolic sine
---@return theano.Variable
function Variable:arcsinh() end

---inverse hyperbolic cosine
---@return theano.Variable
function Variable:arccosh() end

---inverse hyperbolic tangent
---@return theano.Variable
function Variable:arctanh() end

---error function
---@return theano.Variable
function Variable:erf() end

---1 - erf(x)
---@return theano.Variable
function Variable:erfc() end

---scaled complementary error function exp(x*x) * erfc(x)
---@return theano.Variable
function Variable:erfcx() end

---inverse of erf
---@return theano.Variable
function Variable:erfinv() end

---inverse of erfc
---@return theano.Variable
function Variable:erfcinv() end

---gamma function
---@return theano.Variable
function Variable:gamma() end

---logarithm of |gamma(x)|
---@return theano.Variable
function Variable:gammaln() end

---digamma function, derivative of gammaln
---@return theano.Variable
function Variable:psi() end

---derivative of psi
---@return theano.Variable
function Variable:tri_gamma() end

---Bessel function of the first kind, order 0
---@return theano.Variable
function Variable:j0() end

---Bessel function of the first kind, order 1
---@return theano.Variable
function Variable:j1() end

---modified Bessel function of the first kind, order 0
---@return theano.Variable
function Variable:i0() end

---modified Bessel function of the first kind, order 1
---@return theano.Variable
function Variable:i1() end

---true where x is neither NaN nor an infinity
---@return theano.Variable
function Variable:isfinite() end

---real cube root
---@return theano.Variable
function Variable:cbrt() end

---complex conjugate
---@return theano.Variable
function Variable:conj() end

---angle of a complex number, in (-pi, pi]
---@return theano.Variable
function Variable:angle() end

---absolute value; of complex, the modulus
---@return theano.Variable
function Variable:abs() end

---b broadcast to the shape of a
---@param b theano.Operand
---@return theano.Variable
function Variable:fill(b) end

---shared only: another variable of the same storage
---@param name? string
---@overload fun(keywords: { name?: string }): any
---@return any
function Variable:clone(name) end

---complex conjugate
---@return any
function Variable:conjugate() end

---Value of a variable: compiles a function of the given inputs (kept on the variable) and calls it.
---@param inputs any
---@return any
function Variable:eval(inputs) end

---The one value that all elements of v have whatever the inputs are, as a Lua number: of constants, of what
---`fill`, `alloc`, `dimshuffle` and checks made of them, of lengths that are known, of parts of stacks and
---joins. Of other variables a ValueError.
---@return any
function Variable:get_scalar_constant_value() end

---shared only: its value, a copy unless borrowed; a 0-d one is a number unless borrowed or `array = true`
---@param options? table
---@return any
function Variable:get_value(options) end

---shared only: a new value of the same dtype and rank
---@param value any
---@param options? table
---@return any
function Variable:set_value(value, options) end

---a subscript as a call: `x:sub(i, {a, b}, "all", T.newaxis)`
---@param ... any
---@return any
function Variable:sub(...) end

---A sparse variable as a dense matrix; a dense one stays.
---@return any
function Variable:toarray() end

---a sparse variable by columns
---@return any
function Variable:tocsc() end

---a sparse variable by rows
---@return any
function Variable:tocsr() end

---the same as `toarray`
---@return any
function Variable:todense() end

---All elements become 0; with `{borrow = true}` in the storage itself, which a borrowed value shows.
---@param o any
---@param ... any
---@return any
function Variable:zero(o, ...) end

---@class theano.TensorType
---@field dtype theano.Dtype
---@field ndim integer
---@field broadcastable boolean[]
---@overload fun(name?: string): theano.Variable

---@class theano.Apply
---@field op any
---@field inputs theano.Variable[]
---@field outputs theano.Variable[]

---A compiled function: called with arrays, numbers and nested tables by position, or with a table by name.
---@class theano.Function
---@field container any `f.container[x].value`: the default of input x, as `f[x]`
---@field input_names string[] sequence of the inputs' names
---@field maker table `f.maker.fgraph` has `inputs`, `outputs` and `toposort()`, the sequence of compiled Apply nodes
---@field name string? the name given to theano.compile, else the line of the call
---@field trust_input any set to true: only arrays that fit exactly are taken, nothing is converted
---@field value any `f.value[x]`: the default of input x (a Variable, a name, a position from 1), as `f[x]`
---@overload fun(...): any ...
local Function = {}

---a closure that runs on the same memory, without checks and without garbage; its results are overwritten at
---every call
---@param ... any
---@return any
function Function:bind(...) end

---gives back the memory that the function keeps between calls; it can be called again
---@return any
function Function:free() end

---the shared variables that the function reads or updates
---@return any
function Function:get_shared() end

---bytes of temporaries, results and working memory at the lengths of the last call; 0 before the first
---@return any
function Function:memory() end

---a bound call in slices: `step(2000)` of the closure that comes back runs for about so many microseconds;
---false while there is more to do, then true and the results
---@param ... any
---@return any
function Function:slices(...) end

---@class theano.CompileSpec
---@field inputs? (theano.Variable|table)[] variables, or theano.In(x, {...})
---@field outputs? theano.Variable|table one, a sequence, or a table by name
---@field mode? string|table "FAST_RUN", "FAST_COMPILE", "None", or theano.compile.Mode{...}
---@field updates? table pairs {shared, expression}, or a map
---@field givens? table pairs {variable, replacement}, or a map
---@field no_default_updates? boolean|theano.Variable[]
---@field accept_inplace? boolean
---@field name? string
---@field rebuild_strict? boolean
---@field allow_input_downcast? boolean
---@field profile? boolean
---@field on_unused_input? "raise"|"warn"|"ignore"

---@class theano.Config
---@field floatX "float64"|"float32"|"float16"|"bfloat16" dtype of float constants and of variables without one (default float64)
---@field device "cpu"|"cuda"|"cuda0"|"cuda1"|"cuda2"|"cuda3"|"cuda4"|"cuda5"|"cuda6"|"cuda7"|"cuda8"|"cuda9"|"cuda10"|"cuda11"|"cuda12"|"cuda13"|"cuda14"|"cuda15"|"cuda-emulated"|"cuda-emulated0"|"cuda-emulated1" where compiled functions run and shared floats live (default cpu)
---@field allow_tf32 boolean float32 products of a GPU's library may round factors to 10 bits and more (default false)
---@field init_gpu_device string the GPU that "cuda" means while functions run on the CPU (default empty)
---@field force_device boolean device=cuda without a GPU is an error; otherwise functions run on the CPU (default false)
---@field mode "Mode"|"FAST_RUN"|"FAST_COMPILE"|"DebugMode"|"DEBUG_MODE"|"NanGuardMode"|"None" default compilation mode; Mode: linker and optimizer (default Mode)
---@field linker "cvm"|"vm"|"c"|"py"|"c|py"|"cvm_nogc"|"vm_nogc"|"c|py_nogc"|"interpreter" how functions run: py and interpreter interpret the plan, all others build C code (default cvm)
---@field optimizer "o4"|"o3"|"o2"|"o1"|"unsafe"|"stabilize"|"fast_run"|"fast_compile"|"merge"|"None" which rewrites run (default o4)
---@field optimizer_including string tags of rewrites to add, ":" between them (default empty)
---@field optimizer_excluding string tags or names of rewrites to leave out, ":" between them (default empty)
---@field optimizer_requiring string tags that every rewrite must have, ":" between them (default empty)
---@field on_opt_error "warn"|"raise"|"ignore" what a compilation does about a rewrite that fails (default warn)
---@field on_unused_input "raise"|"warn"|"ignore" what compile does about an input that is not used (default raise)
---@field exception_verbosity "low"|"high" high: run-time errors show the graph around the failing node (default low)
---@field cast_policy "custom"|"numpy+floatX" dtype of number literals (default custom)
---@field int_division "int"|"raise"|"floatX" raise: an error for / between integers; otherwise a float comes out, as in Python 3 (default int)
---@field warn_float64 "ignore"|"warn"|"raise" what happens when a float64 variable is made (default ignore)
---@field allow_gc boolean give the memory of temporaries back after each call (default false)
---@field openmp boolean use several threads (default false)
---@field openmp_elemwise_minsize integer elements from which elementwise loops use several threads (default 200000)
---@field repro boolean the same bits on every x86-64 and arm64 processor, by every compiler; set before anything is compiled (default false)
---@field base_compiledir string directory of compiled code (default ~/.theano)
---@field cxx string C compiler; empty: no C code, functions run in the interpreter (default gcc, cc or clang)
---@field compute_test_value "off"|"ignore"|"warn"|"raise" compute test values while the graph is built (default off)
---@field profile boolean measure every function, and print the profiles when the program ends (default false)
---@field profile_memory boolean a profile also tells where the memory of a call goes (default false)
---@field profile_optimizer boolean a profile also tells where the time of rewriting goes (default false)
---@field [string] any

---@class theano.module.compile
---@field optdb table
---@overload fun(spec: theano.CompileSpec): theano.Function
local compile = {}

---A mode that computes everything several times and compares: `DebugMode{stability_patience = 10, check_c_code
---= true, check_py_code = true, check_isfinite = true, optimizer = "fast_run"}`; see docs/modes.md.
---@param options? table
---@return any
function compile.DebugMode(options) end

---An input with more to say: `In(x, {value =, update =, name =, mutable =, borrow =, strict =, allow_downcast
---=})`. Options: * `name` (default: the variable's; `autoname = false`: none), `strict`, `allow_downcast`, *
---`value`: the default, which makes the argument optional; a SharedVariable makes its storage the value and the
---input implicit: it is no argument then; `f.container[x]` of another function shares that function's value,
---and its state (`implicit = false` lets it be an argument too), * `update`: an expression; after each call it
---is the new default, * `borrow`: results may share the argument's memory, the default is kept without a copy;
---`mutable`: the argument may be overwritten, * `implicit`: no value can be given in a call; `shared`: the
---value is kept in a SharedVariable.
---@param variable any
---@param options? table
---@return any
function compile.In(variable, options) end

---A compilation mode: `Mode{linker = "interpreter", optimizer = "fast_run"}`, `Mode("c", "o2")`. The optimizer
---is a name or a `theano.gof.Query`. `m:including(tag, ..)`, `m:excluding(..)`, `m:requiring(..)` give refined
---copies.
---@param options? table
---@param optimizer? any
---@overload fun(keywords: { options?: table, optimizer?: any }): any
---@return any
function compile.Mode(options, optimizer) end

---A mode that calls `pre_func(i, node, fn)` before and `post_func(i, node, fn)` after every node.
---@param options? table
---@param post? any
---@overload fun(keywords: { options?: table, post?: any }): any
---@return any
function compile.MonitorMode(options, post) end

---A mode in which NaN, infinity and numbers beyond 1e10 are errors of the node they come from: `NanGuardMode{
---nan_is_error = true, inf_is_error = true, big_is_error = true, action = "raise"}`.
---@param options? table
---@param inf? any
---@param big? any
---@overload fun(keywords: { options?: table, inf?: any, big?: any }): any
---@return any
function compile.NanGuardMode(options, inf, big) end

---An output with more to say: `Out(y, {borrow = true})`, `Out(y, {array = true})` keeps a 0-d result as an
---array.
---@param variable any
---@param options? table
---@return any
function compile.Out(variable, options) end

---The mode that `theano.compile` takes without one: that of the flag `mode`.
---@return any
function compile.get_default_mode() end

---A predefined or registered mode by name, to be refined:
---`theano.compile.get_mode("FAST_RUN"):excluding("fusion")`. A Mode is given back as it is; nil is the default
---mode.
---@param name string
---@return any
function compile.get_mode(name) end

---Gives a mode a name, for `get_mode` and `mode = "name"`.
---@param name string
---@param mode string
---@return any
function compile.register_mode(name, mode) end

---Gives a Query a name, for `Mode{optimizer = "name"}`.
---@param name string
---@param query any
---@return any
function compile.register_optimizer(name, query) end

---@class theano.module.gradient
local gradient = {}

---The type of gradients that no path leads to: `DisconnectedType()()` is one, for a user-defined grad to return.
---@return any
function gradient.DisconnectedType() end

---Row vector times Jacobian: the sum over f of `eval_points` . d f / d wrt, for each wrt.
---@param f any
---@param wrt theano.Variable|theano.Variable[]
---@param eval_points any
---@param options? table
---@return any
function gradient.Lop(f, wrt, eval_points, options) end

---Jacobian times vector: the sum over wrt of d f / d wrt . `eval_points`, for each f. Forward mode.
---@param f any
---@param wrt theano.Variable|theano.Variable[]
---@param eval_points any
---@param options? table
---@return any
function gradient.Rop(f, wrt, eval_points, options) end

---x, whose gradient is zero: Theano's older name of zero_grad.
---@param x any
---@return any
function gradient.consider_constant(x) end

---Gradient of a scalar with respect to a variable or a list of them (then a list comes back). Options:
---consider_constant, disconnected_inputs, add_names, known_grads, return_disconnected, null_gradients.
---@param cost theano.Variable
---@param wrt theano.Variable|theano.Variable[]
---@param options? table
---@return theano.Variable|theano.Variable[]
function gradient.grad(cost, wrt, options) end

---What an operation's grad returns for an input whose gradient nobody has written.
---@param op any
---@param x_pos any
---@param x any
---@param comment? any
---@overload fun(op: any, x_pos: any, x: any, keywords: { comment?: any }): any
---@return any
function gradient.grad_not_implemented(op, x_pos, x, comment) end

---What an operation's grad returns for an input in which it is not differentiable.
---@param op any
---@param x_pos any
---@param x any
---@param comment? any
---@overload fun(op: any, x_pos: any, x: any, keywords: { comment?: any }): any
---@return any
function gradient.grad_undefined(op, x_pos, x, comment) end

---Hessian of a scalar: for each vector of wrt the matrix of second derivatives.
---@param cost theano.Variable
---@param wrt theano.Variable|theano.Variable[]
---@param options? table
---@return any
function gradient.hessian(cost, wrt, options) end

---Hessian of a scalar times one vector for each wrt, without the matrix: the forward derivative of the gradient.
---@param cost theano.Variable
---@param wrt theano.Variable|theano.Variable[]
---@param p any
---@return any
function gradient.hessian_vector_product(cost, wrt, p) end

---Jacobian of a vector (or gradient of a scalar): one matrix, a row for each element, for each wrt. The rows
---are computed together (`T.vmap` of the gradient over the rows of an identity matrix).
---@param expression any
---@param wrt theano.Variable|theano.Variable[]
---@param options? table
---@return any
function gradient.jacobian(expression, wrt, options) end

---Rows of a matrix picked by positions, whose gradient Theano makes a sparse matrix; here it is dense, with the
---same numbers, so that it goes wherever a gradient goes.
---@param var any
---@return any
function gradient.sparse_grad(var) end

---Gradients of a part of a graph: from `start` (pairs variable, gradient) and `cost` down to `wrt` and `end_`.
---@param wrt theano.Variable|theano.Variable[]
---@param end_ any
---@param options? table
---@return any
function gradient.subgraph_grad(wrt, end_, options) end

---Checks the symbolic gradient of `fun` (which takes variables, gives one) at the arrays `pt` against one-sided
---finite differences of a random projection. Raises GradientError when both the absolute and the relative error
---are too large. Options: n_tests (2), rng, eps, abs_tol, rel_tol, mode; out_type: the dtype whose tolerances
---count; the projection is in float64 unless cast_to_output_type is true.
---@param fun function
---@param pt any
---@param options? table
---@return any
function gradient.verify_grad(fun, pt, options) end

---The function `fn` of Variables, applied to every element along one axis of its arguments at once. The graph
---that fn builds is rewritten, operation by operation; there is no loop.
---@param fn function
---@param axes? theano.Axis
---@overload fun(fn: function, keywords: { axes?: theano.Axis }): any
---@return any
function gradient.vmap(fn, axes) end

---@class theano.module.printing
local printing = {}

---`Print(message, {attrs = {"__str__"}, global_fn =})(x)`: x, whose value is printed whenever it is computed: a
---line "message __str__ = value". Other attributes by name: fields ("shape", "dtype") and methods ("min",
---"mean"); `global_fn(op, value)` does something else than print them. Gradients pass; rewriting leaves x where
---it is.
---@param ... any
---@return any
function printing.Print(...) end

---What would make a function faster or smaller: float64 that came into a float32 graph and where, calls of the
---library inside loops, products that one could do, copies, calls that do too little, the ten largest buffers.
---A text.
---@param f any
---@return any
function printing.advice(f) end

---The generated C source of a compiled function; with a target ("sse2", "avx2", "avx512", "cuda",
---"cuda-emulated") the text that it would get there, whether or not this machine is one and has a compiler;
---with sizes of its plan (`ccode(f, "avx2", { s1 = 4 })`) the version for calls of these lengths.
---@param f any
---@param target any
---@param sizes any
---@return any
function printing.ccode(f, target, sizes) end

---Prints the graph of a Variable, a list of them, an Apply, a FunctionGraph or a compiled function, as Theano
---does. Options: depth, print_type, ids ("CHAR", "int", "id", ""), stop_on_name, file ("str" returns the text);
---print_destroy_map, print_view_map; print_clients and print_storage of functions; order, a list of nodes whose
---places are printed; done and used_ids, tables that carry ids from one print to the next.
---@param obj any
---@param options? table
---@return any
function printing.debugprint(obj, options) end

---the graph of a text of `graph_text` (graph-text.md)
---@param text string
---@return any
function printing.graph_read(text) end

---One line a node; `theano.printing.graph_read` reads it back.
---@param obj any
---@return any
function printing.graph_text(obj) end

---SHA-256 of an array's bytes, with strides and shape, which the bytes do not tell. Theano's.
---@param a any
---@return any
function printing.hex_digest(a) end

---Writes the graph of a function, FunctionGraph, Apply, Variable or list of these as one page for a browser,
---which needs nothing else: zoom, search, fold, what each pass of the compiler did, kernels and how they run,
---time and bytes (of a function with profile = true), the plan of memory, the lines that made each node.
---Options: title.
---@param obj any
---@param path string
---@param options? table
---@return any
function printing.htmlprint(obj, path, options) end

---What a Variable is, in as many lines as it takes to come down to named variables and constants. Theano's.
---@param v any
---@return any
function printing.min_informative_str(v) end

---The loops of a compiled function: sizes, buffers, steps, and kernels with how each runs here; with a target
---("sse2", "avx2", "avx512", "cuda", "cuda-emulated") how it would run there; with sizes of the plan (`plan(f,
---"avx2", { s1 = 4 })`) in the version for calls of these lengths.
---@param f any
---@param target any
---@param sizes any
---@return any
function printing.plan(f, target, sizes) end

---Mathematical text of a Variable.
---@param v any
---@return string
function printing.pp(v) end

---Draws the graph of a function, FunctionGraph, Apply, Variable or list of these with Graphviz's dot, as
---Theano's pydotprint does: ellipses are nodes, boxes variables, blue edges views, red ones what is
---overwritten. Options: outfile, format ("png", "svg", "pdf", "dot", ..), compact, with_ids, high_contrast,
---cond_highlight, colorCodes, max_label_size, scan_graphs, var_with_name_simple, print_output_file,
---return_image.
---@param obj any
---@param outfile any
---@param options? table
---@return any
function printing.pydotprint(obj, outfile, options) end

---What each pass of the compiler did: a text with a line for each rewrite, "rule: old -> new", by pass. Loops
---and branches follow with the passes over their bodies.
---@param f any
---@return any
function printing.rewrites(f) end

---What a GPU would need for a call of f with the lengths of its last call, without one: a table whose text is a
---table of kernels. `kernels`: each with its `kernel`, `title`, `line`, grid (`blocks`, `threads`),
---`registers`, `occupancy`, `bytes` that memory must give or take, `moved` by its threads, `coalesced` (bytes /
---moved), `flops`, `issued` instructions of a thread, `runs` in a call, `lower` bound and `estimate` in
---seconds, the `limit` that it meets; of products m, n, k and `library`; `joined`: it goes with the launch
---before. Of the call: `launches`, `graph`, `bytes`, `flops`, `over`, `back`, `lower`, `estimate`.
---@param f any
---@param gpu any
---@param options? table
---@return any
function printing.roofline(f, gpu, options) end

---From now on every call and step of functions with a profile (`profile = true`) is noted; `t:stop()` (or the
---end of the block of `local t <close> = ..`) writes the file, which Chrome and Perfetto show: threads, lines
---of Lua, bytes in use. Options: most, the number of events that there is room for (a million).
---@param path string
---@param options? table
---@return any
function printing.trace(path, options) end

---How a Variable is computed, in one line without ids or addresses: equal texts, equal computations. Theano's.
---@param v any
---@return any
function printing.var_descriptor(v) end

---@class theano.module.updates
local updates = {}

---An ordered map from shared variables to expressions; from a list of pairs, a map, or nothing.
---@param from any
---@return any
function updates.OrderedUpdates(from) end

---@class theano.module
---@field _VERSION string
---@field config theano.Config
---@field tensor theano.module.tensor
---@field ndarray theano.module.ndarray
---@field compile theano.module.compile
---@field gradient theano.module.gradient
---@field printing theano.module.printing
---@field updates theano.module.updates
local theano = {}

---What make_node returns: the operation, its inputs, and a variable of the type of each result.
---@param op any
---@param inputs? any
---@param outputs? any
---@overload fun(op: any, keywords: { inputs?: any, outputs?: any }): any
---@return any
function theano.Apply(op, inputs, outputs) end

---An input with more to say: `In(x, {value =, update =, name =, mutable =, borrow =, strict =, allow_downcast
---=})`. Options: * `name` (default: the variable's; `autoname = false`: none), `strict`, `allow_downcast`, *
---`value`: the default, which makes the argument optional; a SharedVariable makes its storage the value and the
---input implicit: it is no argument then; `f.container[x]` of another function shares that function's value,
---and its state (`implicit = false` lets it be an argument too), * `update`: an expression; after each call it
---is the new default, * `borrow`: results may share the argument's memory, the default is kept without a copy;
---`mutable`: the argument may be overwritten, * `implicit`: no value can be given in a call; `shared`: the
---value is kept in a SharedVariable.
---@param variable any
---@param options? table
---@return any
function theano.In(variable, options) end

---Row vector times Jacobian: the sum over f of `eval_points` . d f / d wrt, for each wrt.
---@param f any
---@param wrt theano.Variable|theano.Variable[]
---@param eval_points any
---@param options? table
---@return any
function theano.Lop(f, wrt, eval_points, options) end

---An operation: a table of name, make_node (or itypes and otypes), perform, and as wished infer_shape, grad or
---L_op, R_op, view_map, destroy_map, __props__; or kernel, a text over x, y, z, w (or the names in `inputs`)
---that is computed for each element, differentiated, fused and compiled as the engine's own operations are.
---Calling it makes its results.
---@param t any
---@return any
function theano.Op(t) end

---A graph as one operation: calling it puts it over other inputs. It keeps its name in the user's graph and is
---written out when a function is compiled (`inline` is accepted: it is always so). Shared variables in it are
---further inputs of its nodes and have gradients. Options: * `inline`, `name`, * `grad_overrides` (functions of
---inputs and gradients of the results), `lop_overrides` (of inputs, results and their gradients),
---`rop_overrides` (of inputs and evaluation points): a function, another OpFromGraph, a variable of
---DisconnectedType or NullType, or a list with one of these, `"default"` or false (disconnected) for each
---place, * `connection_pattern`: for each input a list of booleans, whether each result depends on it for
---gradients, * `on_unused_input`: `"raise"` and `"warn"` look for inputs that no result needs; `"ignore"`
---(default).
---@param inputs any
---@param outputs any
---@param options? table
---@return any
function theano.OpFromGraph(inputs, outputs, options) end

---An ordered map from shared variables to expressions; from a list of pairs, a map, or nothing.
---@param from any
---@return any
function theano.OrderedUpdates(from) end

---An output with more to say: `Out(y, {borrow = true})`, `Out(y, {array = true})` keeps a 0-d result as an
---array.
---@param variable any
---@param options? table
---@return any
function theano.Out(variable, options) end

---Jacobian times vector: the sum over wrt of d f / d wrt . `eval_points`, for each f. Forward mode.
---@param f any
---@param wrt theano.Variable|theano.Variable[]
---@param eval_points any
---@param options? table
---@return any
function theano.Rop(f, wrt, eval_points, options) end

---A Lua function of arrays as an operation: as_op{itypes = .., otypes = .., fn = .., infer_shape = .., grad =
---.., connection_pattern = .., name = ..}; the pattern is a list, or a function of the node.
---@param t any
---@return any
function theano.as_op(t) end

---Whether Ctrl-C and SIGTERM only set a flag (runner only): a training loop can then save and end by itself.
---@param on boolean
---@return any
function theano.catch_interrupt(on) end

---`theano.clone(output, {replace = {{x, y}, ..} or {[x] = y}, strict = true, share_inputs = true})`: a copy of
---one Variable or of a sequence of them. With strict, a replacement must have the type of what it replaces;
---with `share_inputs = false` inputs and shared variables are new variables, too; new shared variables have the
---old ones' storage.
---@param output any
---@param replace? any
---@param options? table
---@return theano.Variable|theano.Variable[]
function theano.clone(output, replace, options) end

---`T.dot`
---@param a any
---@param b any
---@return theano.Variable
function theano.dot(a, b) end

---Kind of an error message raised by this library ("ShapeError"), or nil.
---@param message string
---@return string?
function theano.error_kind(message) end

---`foldl(fn, sequences, outputs_info, ..)`: reduce from the first row on.
---@param ... any
---@return any
function theano.foldl(...) end

---`foldr(fn, sequences, outputs_info, ..)`: reduce from the last row on.
---@param ... any
---@return any
function theano.foldr(...) end

---Keeps it no longer; gives it.
---@param name string
---@return any
function theano.forget(name) end

---Another library's tensor as an array, without a copy: a capsule of to_dlpack, or the tensor's address (light
---userdata; versioned: a DLManagedTensorVersioned), whose deleter is called when the last view of it is gone.
---@param tensor any
---@param options? table
---@return any
function theano.from_dlpack(tensor, options) end

---The one value that all elements of v have whatever the inputs are, as a Lua number: of constants, of what
---`fill`, `alloc`, `dimshuffle` and checks made of them, of lengths that are known, of parts of stacks and
---joins. Of other variables a ValueError.
---@param v any
---@return any
function theano.get_scalar_constant_value(v) end

---The test value of a variable, a constant or a shared variable, as an array; raises an AttributeError where
---there is none.
---@param v any
---@return any
function theano.get_test_value(v) end

---Gradient of a scalar with respect to a variable or a list of them (then a list comes back). Options:
---consider_constant, disconnected_inputs, add_names, known_grads, return_disconnected, null_gradients.
---@param cost theano.Variable
---@param wrt theano.Variable|theano.Variable[]
---@param options? table
---@return theano.Variable|theano.Variable[]
function theano.grad(cost, wrt, options) end

---Text about a function of the tensor language or a flag: signature and one line.
---@param name string
---@return string
function theano.help(name) end

---the branch that is taken, alone computed (loops.md); `T.switch` computes both
---@param condition any
---@param then_branch any
---@param else_branch any
---@param name? string
---@overload fun(condition: any, then_branch: any, else_branch: any, keywords: { name?: string }): any
---@return any
function theano.ifelse(condition, then_branch, else_branch, name) end

---True once Ctrl-C was pressed under `catch_interrupt(true)`; of several ranks: once all know that one was to
---end.
---@return boolean
function theano.interrupted() end

---What is kept under the name; at first `make()` makes it, or `make` is it where it is no function of Lua.
---@param name string
---@param make any
---@return any
function theano.keep(name, make) end

---What is kept under the name, or nil; without a name a table of all names.
---@param name string
---@return any
function theano.kept(name) end

---The function of a file that `f:save` wrote, with inputs, defaults and shared variables of its own. Nothing is
---rewritten and nothing in the file is executed: it may come from anywhere, a ValueError says what is wrong
---with it. `options`: `native`, the key that the file must be signed with; its machine code is run then, where
---there is some.
---@param path string
---@param options? table
---@return any
function theano.load(path, options) end

---`map(fn, sequences, non_sequences, truncate_gradient, go_backwards, mode, name)`: fn on every row.
---@param ... any
---@return any
function theano.map(...) end

---Mathematical text of a Variable.
---@param v any
---@return string
function theano.pp(v) end

---`reduce(fn, sequences, outputs_info, non_sequences, go_backwards, mode, name)`: the last step of every
---result; the initial state itself when there are no steps.
---@param ... any
---@return any
function theano.reduce(...) end

---A place for scripts of others: a Lua state and an engine of their own, without files, processes, compiler or
---flags. Limits, of which 0 is none: `memory` (bytes of each of the two, 256e6), `seconds` of one run (10),
---`steps` of Lua's machine of one run (0), `nodes` of graphs (1e6). `box:run(text, ...)` gives what the script
---returns or raises what it raises; `box:printed()` what it printed since; `box:used()` bytes; `box:close()`.
---@param limits any
---@return any
function theano.sandboxed(limits) end

---Repeats a step: `outputs, updates = theano.scan{fn =, sequences =, outputs_info =, non_sequences =, n_steps
---=}`. The inner function gets, in this order: a row of each sequence (one for each of its taps), earlier
---results (for each output with an initial state, one for each of its taps), the non_sequences. It returns
---results, then updates of shared variables, then `theano.until_(condition)`. * `sequences`: Variables whose
---rows are stepped over, or `{input = x, taps = {-1, 0}}`, * `outputs_info`: for every result its initial state
---(taps {-1}), `{initial = x, taps = {-2, -1}}`, or false for one that does not feed back; nothing at all when
---none does, * `n_steps`: a number or an integer scalar, else the length of the shortest sequence; 0 gives
---empty results, * `truncate_gradient`: so many steps back at most; `go_backwards`; `name`; `strict`;
---`return_list`. `mode`, `profile`, `allow_gc` are Theano's and change nothing here: the loop is compiled with
---the function it is in.
---@param ... any
---@return any
function theano.scan(...) end

---A scan whose gradient remembers only every `save_every_N`th step and computes the others again: with about
---the root of the number of steps, memory grows with that root. Options of `scan`: fn, sequences (no taps),
---outputs_info (no taps), non_sequences, n_steps, name; `save_every_N` (10). `padding` is Theano's: the last
---stretch may be shorter.
---@param ... any
---@return any
function theano.scan_checkpoints(...) end

---The same with `target =` "cpu" (it stays there), "cuda", "cuda0": where the value lives. Without it floats go
---to the GPU with the first function that uses them there.
---@param value any
---@param name? string
---@param options? table
---@return theano.Variable
function theano.shared(value, name, options) end

---Rows of a matrix picked by positions, whose gradient Theano makes a sparse matrix; here it is dense, with the
---same numbers, so that it goes wherever a gradient goes.
---@param var any
---@return any
function theano.sparse_grad(var) end

---a total of the engine, for tests: `live_bytes`, `live_nodes`, `allocs`, `cache_bytes`
---@param name string
---@return any
function theano.stat(name) end

---Gradients of a part of a graph: from `start` (pairs variable, gradient) and `cost` down to `wrt` and `end_`.
---@param wrt theano.Variable|theano.Variable[]
---@param end_ any
---@param options? table
---@return any
function theano.subgraph_grad(wrt, end_, options) end

---An array for another library of this process, without a copy, as DLPack has it: a capsule, which keeps the
---array's memory until the library lets go. `capsule:take()` is the tensor (light userdata) for code in C,
---which then calls its deleter; what nobody took goes with the capsule. Without options a DLManagedTensor;
---versioned: that of DLPack 1.0, which alone can say that an array is read-only.
---@param a any
---@param options? table
---@return any
function theano.to_dlpack(a, options) end

---Returned last by the inner function: the loop ends after the step in which the 0-d condition is true.
---@param condition any
---@return any
function theano.until_(condition) end

---How a kernel, step or node of a function came about: `why(f, "kernel 3")`, `"step 2"`, `"node 5"` (the place
---in the toposort), or a name of yours: which rules made its nodes out of which of yours, why its neighbours
---are not fused with it, and why it writes in place or not. Returns the text.
---@param f any
---@param what any
---@return any
function theano.why(f, what) end

return theano
