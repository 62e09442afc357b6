/*
 * front.h -- the functions that users call (T.sum, x:reshape, x + y): binding of arguments, and the table of all of
 * them. A front function gets its arguments bound to its parameters and builds graph nodes from operations; it never
 * touches data. The table lines are in table.h; every public scalar operation is a function too, made from
 * scalar.h.
 *
 * How to write one: a line in table.h, and `int front_NAME(Front *f)` in a file of this folder, which reads its
 * arguments by position with the front_* accessors (defaults come from the signature text), and ends with `return
 * front_return(f, v)`. Accessors set the error and the function goes on: builders given NULL return NULL, and
 * front_return gives -1 once anything failed.
 */
#ifndef TH_FRONT_H
#define TH_FRONT_H

#include "ops/table/ops.h"
#include "table.h"

enum { FRONT_MAX_PARAMS = 16, FRONT_MAX_OUT = OP_MAX_OUT };

typedef struct Front {
    ThContext *ctx;
    Builder *b;
    const ThFuncInfo *info;
    int op; /* scalar operation, for functions made from the scalar table; else -1 */
    int nparam;
    ThArg arg[FRONT_MAX_PARAMS]; /* by position in the signature: the argument given, or the default */
    uint32_t given;              /* bit i: parameter i was given (None counts) */
    const ThArg *rest;
    int nrest;      /* what *xs received; a single list there is spread */
    ThDtype half;   /* floats among the arguments that are halves come as float32, and such results become this again */
    ThDtype wanted; /* by the parameter `dtype`: results that are asked for stay as they are */
    ThVar **out;
    int max; /* results; never more than max are stored */
} Front;
typedef int (*FrontFn)(Front *f); /* number of results, or -1 with the error set */

#define FRONT(name, sig, meta, method, fn, doc) int fn(Front *f);
FRONT_TABLE(FRONT)
#undef FRONT

/* ---- results ----------------------------------------------------------------------------------------------------- */
int front_return(Front *f, ThVar *v);
int front_return_n(Front *f, ThVar *const *v, int n); /* a NULL among them: -1 */

/* ---- arguments --------------------------------------------------------------------------------------------------- */
static inline bool front_none(const Front *f, int i) { return f->arg[i].kind == TH_ARG_NONE; }
/* as_tensor_variable: numbers by autocast, arrays and lists of numbers as Constants, lists with variables stacked.
 * NULL: error. */
ThVar *front_var(Front *f, int i);
ThVar *front_integers(Front *f, int i); /* the same, an empty list as integers */
ThVar *front_as_var(Front *f, const ThArg *a, const char *what);
bool front_bool(Front *f, int i);
int64_t front_int(Front *f, int i);                    /* an integer, or an integer constant; TypeError otherwise */
int front_count(Front *f, int i, int least, int most); /* an integer within these; ValueError otherwise */
double front_float(Front *f, int i);
const char *front_str(Front *f, int i); /* NULL with TypeError when no string */
/* "float64", "floatX"; None gives TH_DTYPE_NONE. unknown names: TypeError (failed(ctx) tells). */
ThDtype front_dtype(Front *f, int i);
ThDtype front_dtype_of(ThContext *c, const char *name);
/* None, an int or a list of ints -> axes (n == -1 for None), normalised, sorted, distinct. false: error. */
bool front_axes(Front *f, int i, int ndim, AttrInts *axes);
bool front_axis(Front *f, int i, int ndim, int *axis); /* one int, normalised */
/* Whether axis i is None; or 0 or -1 of x without dimensions, as NumPy's reductions let pass. */
bool front_no_axis(const Front *f, int i, const ThVar *x);
/* Variables of a list argument (or of *xs with i == -1), pushed on v; a lone non-list is a list of one. */
bool front_list(Front *f, int i, VarVec *v);
/* Values of a list of ints (each INT or an integer Constant); false without error when one is symbolic. n: at most max.
 */
bool front_ints(Front *f, int i, int64_t *v, int max, int *n);
/* Names the function: "sum: ..."; always returns -1. */
int front_error(Front *f, ThError kind, const char *format, ...) TH_PRINTF(3, 4);

/* ---- calling other functions by name ----------------------------------------------------------------------------- */
/* Result 0 of function `name` on args, in f's builder. NULL with the error set. */
ThVar *front_call(Builder *b, const char *name, const ThArg *args, int nargs);
static inline ThArg front_arg_var(ThVar *v) { return (ThArg){.kind = TH_ARG_VAR, .var = v}; }
static inline ThArg front_arg_int(int64_t i) { return (ThArg){.kind = TH_ARG_INT, .i = i}; }
/* The function itself, or where an argument is a sparse matrix that of theano.sparse; -1 (TypeError): there is none. */
int front_for_sparse(ThContext *c, int func, const ThArg *args, int nargs);
/* Runs function number func on args within b; results are owned by the builder. */
int front_build(Builder *b, int func, const ThArg *args, int nargs, ThVar **out, int max);

#endif
