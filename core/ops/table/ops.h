/*
 * ops.h -- the list of operations, and what the family files share.
 * One name here and `const Op op_NAME` in a family file make an operation; op_table, lookup by name and the tests of
 * completeness come from the list.
 */
#ifndef TH_OPS_H
#define TH_OPS_H

#include "scalar.h"

/* clang-format off */
#define OP_LIST_ELEMWISE(X) X(elemwise) X(dimshuffle)
#define OP_LIST_REDUCE(X)   X(sum) X(prod) X(all) X(any) X(max) X(min) X(max_and_argmax) X(argmax)
#define OP_LIST_STRUCT(X) \
    X(shape) X(shape_i) X(make_vector) X(specify_shape) X(scalar_from_tensor) X(tensor_from_scalar) X(reshape) X(rebroadcast) \
    X(alloc) X(alloc_empty) X(arange) X(eye) X(tri) X(subtensor) X(inc_subtensor) X(adv_subtensor1) X(adv_inc_subtensor1) \
    X(adv_subtensor) X(adv_inc_subtensor) X(join) X(split) X(dot) X(dot22) X(dot22scalar) X(gemm) X(gemv) X(ger) X(cgemv) \
    X(cger) X(softmax) X(softmax_grad) X(log_softmax) X(softmax_with_bias) X(crossentropy_1hot) X(crossentropy_1hot_grad) \
    X(crossentropy_softmax) X(crossentropy_softmax_dx) X(deep_copy) X(disconnected_grad) X(zero_grad) X(undefined_grad) X(remat) \
    X(transfer) X(grad_clip) X(grad_scale)
#define OP_LIST_TENSOR(X) \
    X(batched_dot) X(extract_diag) X(alloc_diag) X(fill_diagonal) X(fill_diagonal_offset) X(assert) X(count_nonzero) \
    X(nonzero) X(repeat_index) X(sort) X(argsort) X(topk) X(cum) X(searchsorted) X(unique) X(ctc) X(ctc_grad) X(ctc_hess) \
    X(attention) X(attention_grad) X(attention_heads) X(attention_heads_grad) X(attention_heads_into)
#define OP_LIST_RANDOM(X) X(mrg_uniform) X(philox) X(multinomial_uniform) X(choice_uniform) X(random_function)
#define OP_LIST_FFT(X) X(dft) X(dft_to_half) X(dft_from_half) X(rfft) X(irfft)
#define OP_LIST_LINALG(X) \
    X(cholesky) X(lu_factor) X(qr) X(svd) X(eig) X(eigh) X(eigvalsh) X(solve) X(solve_triangular) X(cholesky_solve) \
    X(lu_solve) X(lstsq) X(matrix_inverse) X(pinv) X(det) X(slogdet) X(expm) X(sqrtm) X(logm) X(hint)
#define OP_LIST_SPARSE(X) \
    X(sparse_word) X(sparse_part) X(sparse_with) X(sparse_transpose) X(csm) X(sparse_triplets) X(sparse_from_dense) \
    X(dense_from_sparse) X(sparse_convert) X(sparse_sort) X(sparse_fold) X(sparse_remove0) X(sparse_take) \
    X(sparse_spread) X(sparse_sum) X(sp_sum) X(sparse_add) X(sparse_mul) X(sparse_add_dense) X(sparse_diag) \
    X(sparse_square_diagonal) X(sparse_at) X(sparse_dot) X(sparse_dot_count) X(true_dot) X(sparse_rows_dot) \
    X(sparse_choice_count) X(sparse_choose) X(sparse_stack)
#define OP_LIST_USER(X) X(user) X(user_lengths) X(user_run) X(collective_start) X(collective_wait)
#define OP_LIST_LOOP(X) X(scan) X(ifelse) X(if_lazy)
#define OP_LIST_IMAGE(X) \
    X(conv) X(conv_grad_inputs) X(conv_grad_weights) X(corr_mm) X(corr_mm_grad_inputs) X(corr_mm_grad_weights) \
    X(pool) X(max_pool_grad) X(max_pool_grad_from_input) X(average_pool_grad) X(max_pool_grad_grad) \
    X(images2neibs) X(neibs_grad)
/* clang-format on */
#define OP_LIST(X) \
    OP_LIST_ELEMWISE(X) \
    OP_LIST_REDUCE(X) \
    OP_LIST_STRUCT(X) \
    OP_LIST_TENSOR(X) \
    OP_LIST_IMAGE(X) \
    OP_LIST_FFT(X) OP_LIST_LINALG(X) OP_LIST_SPARSE(X) OP_LIST_RANDOM(X) OP_LIST_USER(X) OP_LIST_LOOP(X)

#define X(name) extern const Op op_##name;
OP_LIST(X)
#undef X

#include "batch.h"

/* Per-context state of this folder (parsed texts, interned bodies); made on first use. NULL with MemoryError. */
typedef struct OpsState {
    Arena *arena;
    const ScalarTexts *grad[SCALAR_COUNT], *value[SCALAR_COUNT], *cvalue[SCALAR_COUNT];
    VEC(const ScalarBody *) bodies; /* all interned bodies, oldest first */
    VEC(struct UserDef *) users;    /* user.c: operations of the host.. */
    Map user_of;                    /* ..by the address of their interned key */
    atomic_flag user_lock;          /* of both: calls on other threads look there */
    bool choices;                   /* an IfElse was made */
    Map body_of;                    /* hash -> 1 + position of the newest body with it; older ones through next */
    VEC(int) body_next;
} OpsState;
OpsState *ops_state(ThContext *c);
/* expand.c: out[i] is outs[i] with every operation that stands for others written out (new references); in: variables
 * that stay whatever computes them. pairs, or NULL: see Op.expand; inner graphs that would give some stay as they are
 * then, for the one who compiles them. */
bool ops_expand(ThContext *c, ThVar *const *outs, int n, ThVar *const *in, int nin, VarPairs *pairs, ThVar **out);
bool ops_any_expand(const ThContext *c); /* whether there can be one at all */
void user_free_all(ThContext *c, OpsState *s);
/* Does the body apply an operation that has both perform and a graph? */
bool user_twofold(ThContext *c, const GraphBody *body);

/* Attributes of an Apply of the named struct type. */
#define ATTRS(type, a) ((const type *)(a)->attrs)

/* ---- elementwise helpers (elemwise.c, ops/elemwise/grad.c) ------------------------------------------------------- */
/* Elemwise{scalar} on inputs of equal rank, nothing padded. NULL with the error set. */
ThVar *elemwise_raw(Builder *b, int scalar, ThVar *const *in, int nin);
static inline ThVar *elemwise_1(Builder *b, int s, ThVar *x) { return elemwise_make(b, s, &x, 1); }
static inline ThVar *elemwise_2(Builder *b, int s, ThVar *x, ThVar *y) {
    return elemwise_make(b, s, (ThVar *[]){x, y}, 2);
}
static inline ThVar *elemwise_3(Builder *b, int s, ThVar *x, ThVar *y, ThVar *w) {
    return elemwise_make(b, s, (ThVar *[]){x, y, w}, 3);
}
/* A DimShuffle node even where the pattern is the identity (Theano's gradient of constants prints InplaceDimShuffle{}).
 */
ThVar *dimshuffle_node(Builder *b, ThVar *x, const int8_t *pattern, int n);
/* The axis of what v shuffles that its `axis` is; `axis` itself where v is no DimShuffle. */
int dimshuffle_source(const ThVar *v, int axis);
/* A zero of x's rank for gradients: fill(x, 0), cast to floatX where x is discrete. */
ThVar *zero_grad_make(Builder *b, ThVar *x);
/* Complex conjugate and real part, of complex v; a real v itself. real_make: only where `of` is real. */
ThVar *conj_make(Builder *b, ThVar *v);
ThVar *real_make(Builder *b, ThVar *v, const ThVar *of);
/* Operands of an eager call as NumPy promotes them (weak.c). false: one is NULL, or the error is set. */
int weak_rounding(const Builder *b, int scalar, const ThVar *x); /* what an eager call does to x: integers are round */
bool weak_settle(Builder *b, int scalar, ThVar **v, int n);
/* Left-pads x with broadcastable dims to rank n (x itself when it has them). */
ThVar *padleft_make(Builder *b, ThVar *x, int n);

/* Forward mode: the tangent of an Elemwise's result where input i moves by the tangent gz; NULL without an error: it
 * does not depend on it. */
ThVar *elemwise_input_grad(Builder *b, ThApply *node, int i, ThVar *gz);
bool batch_elemwise(Batch *q);

/* ---- elementwise part of a kernel -------------------------------------------------------------------------------- */
/* The dtype conversions and instructions of one scalar operation on value ids; see ops/elemwise/lower.c. -1 on error.
 */
int scalar_emit(Kernel *k, int op, const ThDtype *in_dtype, const int *in, int nin, ThDtype out, int depth);

/* ---- bodies of Composites (scalar_body.c) ------------------------------------------------------------------------ */
ThDtype scalar_body_dtype(const ScalarBody *b, int value); /* of a value id */

/* ---- attribute helpers ------------------------------------------------------------------------------------------- */
/* Normalises negative axes, sorts, refuses duplicates and axes out of range (ValueError naming `what`). */
bool axes_normalize(ThContext *c, AttrInts *axes, int ndim, const char *what);

/* th_build for one that lives long (copies: the Constants get copies of the arrays among args, which the host may write
 * to later) or for an eager call: as NumPy has it, and only as long as the arrays stay as they are. */
int ops_build(ThContext *c, bool copies, int func, const ThArg *args, int nargs, ThVar **out, int max);

#endif
