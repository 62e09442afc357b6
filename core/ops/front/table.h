/*
 * table.h -- one line for each function built from operations. Scalar operations are functions too, without a
 * line here (SCALAR_PUBLIC of scalar.h); aliases of them are in FRONT_ALIAS.
 *
 *   FRONT(name,      dots are Lua submodules of theano.tensor
 *         signature, Python style: defaults None, True, False, an integer, a float, or "text"; *xs takes the rest
 *         metamethod or NULL,
 *         method,    METHOD: also x:name(...), x being the first argument; FUNC: only a function
 *         function,  int front_NAME(Front *f)
 *         doc)       one line
 */
#ifndef TH_FRONT_TABLE_H
#define TH_FRONT_TABLE_H

#include "table_image.h"   /* convolution, pooling, patches */
#include "table_numpy.h"   /* names of NumPy and of the array API standard */
#include "table_sparse.h"  /* sparse matrices */
#include "table_linalg.h"  /* linear algebra */
#include "table_random.h"  /* random numbers */
#include "table_special.h" /* SciPy's special functions */
#include "table_struct.h"  /* structural operations: shape, indexing, join, creation, products, nnet */
#include "table_tensor.h"  /* diagonals, ordering, searching, positions */

enum { FUNC = 0, METHOD = 1 };

/* clang-format off */
/* Other names of scalar operations: ALIAS(name, scalar operation, method, signature, doc). */
#define FRONT_ALIAS(ALIAS) \
    ALIAS("abs", abs_, METHOD, "x", "absolute value; of complex, the modulus") \
    ALIAS("square", sqr, FUNC, "x", "x * x") \
    ALIAS("power", pow, FUNC, "x, y", "x to the power y") \
    ALIAS("fill", second, METHOD, "a, b", "b broadcast to the shape of a") \
    ALIAS("where", switch, FUNC, "cond, ift, iff", "ift where cond is nonzero, else iff") \
    ALIAS("floor_div", int_div, FUNC, "x, y", "quotient rounded toward -inf; an integer zero divisor raises") \
    ALIAS("bitwise_and", and_, FUNC, "x, y", "bitwise and; logical on bool") \
    ALIAS("bitwise_or", or_, FUNC, "x, y", "bitwise or; logical on bool") \
    ALIAS("bitwise_xor", xor, FUNC, "x, y", "bitwise exclusive or; logical on bool") \
    ALIAS("bitwise_not", invert, FUNC, "x", "bitwise not; logical on bool") \
    ALIAS("nnet.sigmoid", sigmoid, FUNC, "x", "logistic function 1 / (1 + exp(-x))") \
    ALIAS("nnet.softplus", softplus, FUNC, "x", "log(1 + exp(x))") \
    ALIAS("xlogx.xlogx", xlogx, FUNC, "x", "x * log(x), 0 at 0: an entropy's term") \
    ALIAS("xlogx.xlogy0", xlogy0, FUNC, "x, y", "x * log(y), 0 where x is 0: a cross-entropy's term") \
    ALIAS("nnet.ultra_fast_sigmoid", ultra_fast_sigmoid, FUNC, "x", "sigmoid by pieces of simple functions, within 0.1") \
    FRONT_SPECIAL_ALIAS(ALIAS) \
    FRONT_NUMPY_ALIAS(ALIAS)

/* elemwise.c */
#define FRONT_ELEMWISE(FRONT) \
    FRONT("cast", "x, dtype", NULL, FUNC, front_cast, "x in another dtype (\"floatX\" is the configured one); x itself when it has it") \
    FRONT("astype", "x, dtype, copy=None", NULL, METHOD, front_cast, "x in another dtype (\"floatX\" is the configured one); x itself when it has it") \
    FRONT("round", "a, mode=None", NULL, METHOD, front_round, "nearest integral value; mode \"half_to_even\" (default) or \"half_away_from_zero\", or to how many decimals") \
    FRONT("iround", "a, mode=None", NULL, FUNC, front_iround, "round, as int64") \
    FRONT("divmod", "x, y", NULL, FUNC, front_divmod, "x // y and x % y, as two results") \
    FRONT("ceil_intdiv", "a, b", NULL, FUNC, front_ceil_intdiv, "integer quotient rounded up") \
    FRONT("isclose", "a, b, rtol=1e-05, atol=1e-08, equal_nan=False", NULL, FUNC, front_isclose, "where |a - b| <= atol + rtol * |b|; equal infinities are close") \
    FRONT("allclose", "a, b, rtol=1e-05, atol=1e-08, equal_nan=False", NULL, FUNC, front_allclose, "whether isclose holds everywhere") \
    FRONT("real", "z", NULL, FUNC, front_real, "real part; z itself when it is real") \
    FRONT("imag", "z", NULL, FUNC, front_imag, "imaginary part; zeros when z is real") \
    FRONT("tensor_copy", "a", NULL, FUNC, front_copy, "a copy of a") \
    FRONT("copy", "a, name=None", NULL, METHOD, front_copy, "a copy of a") \
    FRONT("dimshuffle", "x, *pattern", NULL, METHOD, front_dimshuffle, "dimensions in another order; \"x\" is a new broadcastable one") \
    FRONT("nnet.relu", "x, alpha=0", NULL, FUNC, front_relu, "x where positive, alpha * x elsewhere") \
    FRONT("nnet.elu", "x, alpha=1", NULL, FUNC, front_elu, "x where positive, alpha * expm1(x) elsewhere") \
    FRONT("nnet.selu", "x", NULL, FUNC, front_selu, "scaled elu of self-normalizing networks") \
    FRONT("nnet.leaky_relu", "x, alpha=0.01", NULL, FUNC, front_leaky_relu, "x where positive, alpha * x elsewhere; the gradient at 0 is alpha") \
    FRONT("nnet.gelu", "x, approximate=False", NULL, FUNC, front_gelu, "x * Phi(x) of the normal distribution, by erf or, approximate, by tanh") \
    FRONT("nnet.silu", "x", NULL, FUNC, front_silu, "x * sigmoid(x), also called swish") \
    FRONT("nnet.mish", "x", NULL, FUNC, front_mish, "x * tanh(softplus(x))") \
    FRONT("nnet.nnet.softsign", "x", NULL, FUNC, front_softsign, "x / (1 + |x|)") \
    FRONT("nnet.hard_sigmoid", "x", NULL, FUNC, front_hard_sigmoid, "clip(0.2 * x + 0.5, 0, 1)") \
    FRONT("nnet.binary_crossentropy", "output, target", NULL, FUNC, front_binary_crossentropy, "-(target * log(output) + (1 - target) * log(1 - output))") \
    FRONT("nnet.sigmoid_binary_crossentropy", "output, target", NULL, FUNC, front_sigmoid_bce, "binary_crossentropy of sigmoid(output), stable")

/* reduce.c */
#define FRONT_REDUCE(FRONT) \
    FRONT("sum", "input, axis=None, dtype=None, keepdims=False, acc_dtype=None, initial=None, where=None", NULL, METHOD, front_sum, "sum over axis (None: all) of what where holds for, and initial; integers in int64 or uint64") \
    FRONT("prod", "input, axis=None, dtype=None, keepdims=False, acc_dtype=None, no_zeros_in_input=False, initial=None, where=None", NULL, METHOD, front_prod, "product over axis (None: all) of what where holds for, and initial") \
    FRONT("mean", "input, axis=None, dtype=None, keepdims=False, acc_dtype=None, where=None", NULL, METHOD, front_mean, "mean over axis (None: all) of what where holds for") \
    FRONT("var", "input, axis=None, ddof=0, keepdims=False, corrected=False, correction=None, dtype=None, mean=None, where=None", NULL, METHOD, front_variance, "variance over axis, in two passes, of what where holds for; mean is one known before") \
    FRONT("std", "input, axis=None, ddof=0, keepdims=False, corrected=False, correction=None, dtype=None, mean=None, where=None", NULL, METHOD, front_std, "standard deviation over axis of what where holds for") \
    FRONT("max", "x, axis=None, keepdims=False, initial=None, where=None", NULL, METHOD, front_max, "largest element over axis, of what where holds for, and initial; the gradient goes to every tied position") \
    FRONT("min", "x, axis=None, keepdims=False, initial=None, where=None", NULL, METHOD, front_min, "smallest element over axis, of what where holds for, and initial; built as -max(-x)") \
    FRONT("argmax", "x, axis=None, keepdims=False", NULL, METHOD, front_argmax, "first position (from 0) of the largest element") \
    FRONT("argmin", "x, axis=None, keepdims=False", NULL, METHOD, front_argmin, "first position (from 0) of the smallest element") \
    FRONT("max_and_argmax", "a, axis=None, keepdims=False", NULL, METHOD, front_max_and_argmax, "largest element and its first position, as two results") \
    FRONT("ptp", "a, axis=None, keepdims=False", NULL, METHOD, front_ptp, "max - min over axis") \
    FRONT("norm", "x, L, axis=None, keepdims=False", NULL, METHOD, front_norm, "L-norm over axis: sum(|x|^L)^(1/L)") \
    FRONT("logsumexp", "x, axis=None, keepdims=False, b=None", NULL, METHOD, front_logsumexp, "log of the sum of b exp(x) over axis (b=1), without overflow; -inf of nothing") \
    FRONT("any", "x, axis=None, keepdims=False, where=None", NULL, METHOD, front_any, "whether any element is nonzero, of those where holds for") \
    FRONT("all", "x, axis=None, keepdims=False, where=None", NULL, METHOD, front_all, "whether all elements are nonzero, of those where holds for")

/* clang-format on */

#define FRONT_TABLE(FRONT) \
    FRONT_ELEMWISE(FRONT) \
    FRONT_REDUCE(FRONT) \
    FRONT_NUMPY(FRONT) \
    FRONT_STRUCT(FRONT) \
    FRONT_TENSOR(FRONT) FRONT_LINALG(FRONT) FRONT_IMAGE(FRONT) FRONT_SPARSE(FRONT) FRONT_RANDOM(FRONT)

#endif
