/*
 * front_table.h -- one line for each function built from operations. Scalar operations are functions too, without a line
 * here (SCALAR_PUBLIC of scalar.h); aliases of them are in FRONT_ALIAS.
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

enum { FUNC = 0, METHOD = 1 };

/* clang-format off */
/* Other names of scalar operations: ALIAS(name, scalar operation, method). */
#define FRONT_ALIAS(ALIAS) \
    ALIAS("abs", abs_, METHOD) \
    ALIAS("square", sqr, FUNC) \
    ALIAS("power", pow, FUNC) \
    ALIAS("fill", second, METHOD) \
    ALIAS("where", switch, FUNC) \
    ALIAS("floor_div", int_div, FUNC) \
    ALIAS("bitwise_and", and_, FUNC) \
    ALIAS("bitwise_or", or_, FUNC) \
    ALIAS("bitwise_xor", xor, FUNC) \
    ALIAS("bitwise_not", invert, FUNC) \
    ALIAS("nnet.sigmoid", sigmoid, FUNC) \
    ALIAS("nnet.softplus", softplus, FUNC)

/* front_elemwise.c */
#define FRONT_ELEMWISE(FRONT)

/* front_reduce.c */
#define FRONT_REDUCE(FRONT)

/* structural operations: shape, indexing, join, creation, products, nnet */
#define FRONT_STRUCT(FRONT)
/* clang-format on */

#define FRONT_TABLE(FRONT) FRONT_ELEMWISE(FRONT) FRONT_REDUCE(FRONT) FRONT_STRUCT(FRONT)

#endif
