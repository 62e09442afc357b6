/*
 * sparse.c -- functions of theano.sparse. Elementwise ones are ordinary operations on the vector of stored values, put
 * into the operand's structure again.
 */
#include "util.h"
#include "ops/table/sparse.h"

#include "base/array/sparse.h"

#include <stdio.h>
#include <string.h>

/* The function's name without its module. */
static const char *name_of(const Front *f) { return strrchr(f->info->name, '.') + 1; }
static bool named(const Front *f, const char *name) { return strcmp(name_of(f), name) == 0; }

/* Argument i, which must be sparse. NULL: error. */
static ThVar *sparse_arg(Front *f, int i) {
    ThVar *x = front_var(f, i);
    if (!x || is_sparse(x)) return x;
    front_error(f, TH_TypeError, "argument %d must be a sparse matrix: csr_from_dense and csc_from_dense make one",
                i + 1);
    return NULL;
}

static ThVar *data_of(Front *f, ThVar *x) { return x ? sparse_part_make(f->b, x, "data") : NULL; }
static char format_of(const ThVar *x) { return type_sparse_format(x->type); }

/* ---- parts ------------------------------------------------------------------------------------------------------- */
int front_csm(Front *f) {
    ThVar *in[4];
    for (int i = 0; i < 4; i++) in[i] = front_var(f, i);
    for (int i = 0; i < 4; i++)
        if (!in[i]) return -1;
    return front_return(f, csm_make(f->b, named(f, "CSR") ? 'r' : 'c', in[0], in[1], in[2], in[3]));
}

static ThVar *shape_vector(Front *f, ThVar *x, ThDtype d) {
    ThVar *n[2] = {sparse_length_make(f->b, x, 0), sparse_length_make(f->b, x, 1)};
    return n[0] && n[1] ? make_vector_make(f->b, n, 2, d) : NULL;
}

int front_csm_properties(Front *f) {
    ThVar *x = sparse_arg(f, 0);
    if (!x) return -1;
    ThVar *out[4] = {data_of(f, x), sparse_part_make(f->b, x, "indices"), sparse_part_make(f->b, x, "indptr"),
                     shape_vector(f, x, TH_INT32)};
    return front_return_n(f, out, 4);
}

int front_csm_part(Front *f) {
    ThVar *x = sparse_arg(f, 0);
    const char *name = name_of(f);
    if (!x) return -1;
    if (!strcmp(name, "csm_shape")) return front_return(f, shape_vector(f, x, TH_INT32));
    if (!strcmp(name, "shape")) return front_return(f, shape_vector(f, x, TH_INT64));
    if (!strcmp(name, "size")) return front_return(f, sparse_word_make(f->b, x, SPARSE_NNZ));
    return front_return(f, sparse_part_make(f->b, x, name + 4));
}

int front_sparse_with(Front *f) {
    ThVar *x = sparse_arg(f, 0), *data = front_var(f, 1);
    return front_return(f, x && data ? sparse_with_make(f->b, x, data) : NULL);
}

static char format_arg(Front *f, int i, char absent) {
    if (front_none(f, i)) return absent;
    const char *name = front_str(f, i);
    if (name && !strcmp(name, "csr")) return 'r';
    if (name && !strcmp(name, "csc")) return 'c';
    if (name) front_error(f, TH_ValueError, "the format is \"csr\" or \"csc\", not \"%s\"", name);
    return 0;
}

int front_triplets(Front *f) {
    ThVar *in[4];
    for (int i = 0; i < 4; i++)
        if (!(in[i] = front_var(f, i))) return -1;
    char format = format_arg(f, 4, 'r');
    if (!format) return -1;
    if (!is_dense(in[3], 1)) return front_error(f, TH_TypeError, "the shape is a vector of two integers");
    ThVar *rows = subtensor_int_make(f->b, in[3], 0), *cols = subtensor_int_make(f->b, in[3], 1);
    if (!rows || !cols) return -1;
    return front_return(f, sparse_triplets_make(f->b, format, in[0], in[1], in[2], cast_make(f->b, rows, TH_INT64),
                                                cast_make(f->b, cols, TH_INT64)));
}

/* Row and column of every element of `values`. */
int front_rows_of(Front *f) {
    static const int8_t down[] = {0, -1}, across[] = {-1, 0};
    Builder *b = f->b;
    ThVar *x = front_var(f, 0), *values = front_var(f, 1), *list = front_var(f, 2);
    if (!x || !values || !list) return -1;
    if (!is_dense(x, 2) || !is_dense(values, 2) || !is_dense(list, 1))
        return front_error(f, TH_TypeError, "x and values are matrices, node_list is a vector");
    ThVar *n[2] = {shape_elem_make(b, x, 0), shape_elem_make(b, x, 1)};
    ThVar *cols = n[1] ? arange_make(b, const_int(b, 0, TH_INT64), n[1], const_int(b, 1, TH_INT64), TH_INT64) : NULL;
    ThVar *zero = elemwise_2(b, S_mul, dimshuffle_make(b, list, down, 2), const_int(b, 0, TH_INT8));
    ThVar *nothing = elemwise_2(b, S_mul, dimshuffle_make(b, cols, across, 2), const_int(b, 0, TH_INT8));
    ThVar *row = elemwise_2(b, S_add, dimshuffle_make(b, list, down, 2), nothing);
    ThVar *col = elemwise_2(b, S_add, zero, dimshuffle_make(b, cols, across, 2));
    if (!row || !col) return -1;
    return front_return(f, sparse_triplets_make(b, 'r', front_flatten_to(b, values, 1), front_flatten_to(b, row, 1),
                                                front_flatten_to(b, col, 1), n[0], n[1]));
}

int front_sparse_like(Front *f) {
    ThVar *x = sparse_arg(f, 0), *data = data_of(f, x);
    if (!data) return -1;
    ThDtype d = (ThDtype)data->type.dtype;
    ThVar *one = dtype_is_discrete(d)
                     ? const_int(f->b, named(f, "sp_ones_like"), d)
                     : const_float(f->b, named(f, "sp_ones_like"), dtype_is_complex(d) ? TH_FLOAT64 : d);
    return front_return(f, sparse_with_make(f->b, x, second_make(f->b, data, one ? cast_make(f->b, one, d) : NULL)));
}

int front_dense_from_sparse(Front *f) {
    ThVar *x = sparse_arg(f, 0);
    return front_return(f, x ? dense_from_sparse_make(f->b, x, front_bool(f, 1)) : NULL);
}

int front_from_dense(Front *f) {
    ThVar *x = front_var(f, 0);
    if (is_sparse(x)) return front_error(f, TH_TypeError, "x is sparse already: tocsr and tocsc give the other format");
    return front_return(f, x ? sparse_from_dense_make(f->b, x, named(f, "csr_from_dense") ? 'r' : 'c') : NULL);
}

int front_sparse_format(Front *f) {
    ThVar *x = sparse_arg(f, 0);
    return front_return(f, x ? sparse_format_make(f->b, x, named(f, "tocsr") ? 'r' : 'c') : NULL);
}

int front_sparse_cast(Front *f) {
    ThVar *x = sparse_arg(f, 0);
    ThDtype d = front_dtype(f, 1);
    if (failed(f->ctx) || !x) return -1;
    return front_return(f, d == TH_DTYPE_NONE ? x : sparse_cast_make(f->b, x, d));
}

int front_sparse_transpose(Front *f) {
    ThVar *x = sparse_arg(f, 0);
    if (f->nrest) return front_error(f, TH_ValueError, "the axes of a sparse matrix can only be exchanged");
    return front_return(f, x ? sparse_transpose_make(f->b, x) : NULL);
}

int front_sparse_tidy(Front *f) {
    ThVar *x = sparse_arg(f, 0);
    bool clean = named(f, "clean");
    if (x && (clean || named(f, "remove0"))) x = sparse_tidy_make(f->b, &op_sparse_remove0, x);
    if (x && (clean || named(f, "ensure_sorted_indices"))) x = sparse_tidy_make(f->b, &op_sparse_sort, x);
    if (x && named(f, "sum_duplicates")) x = sparse_tidy_make(f->b, &op_sparse_fold, x);
    return front_return(f, x);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */
/* Stored values under an elementwise function, perhaps with a scalar beside them. */
int front_sparse_unary(Front *f) {
    ThVar *x = sparse_arg(f, 0), *in[2] = {data_of(f, x), NULL};
    const char *name = name_of(f), *plain = strncmp(name, "structured_", 11) ? name : name + 11;
    int op = scalar_find(!strcmp(plain, "abs") ? "abs_" : !strcmp(plain, "rint") ? "round_half_to_even" : plain);
    if (!in[0]) return -1;
    if (op < 0) return front_error(f, TH_NotImplementedError, "there is no function %s", plain);
    if (f->nparam == 2) {
        in[1] = front_var(f, 1);
        if (in[1] && (in[1]->type.kind != TYPE_TENSOR || in[1]->type.ndim))
            return front_error(f, TH_TypeError, "y must be a scalar");
        if (!in[1]) return -1;
    }
    return front_return(f, sparse_with_make(f->b, x, elemwise_make(f->b, op, in, f->nparam)));
}

static ThVar *negative(Front *f, ThVar *x) {
    if (!is_sparse(x)) return x ? elemwise_1(f->b, S_neg, x) : NULL;
    return sparse_with_make(f->b, x, elemwise_1(f->b, S_neg, data_of(f, x)));
}

static ThVar *with_values(Front *f, int op, ThVar *x, ThVar *y) {
    return sparse_with_make(f->b, x, elemwise_2(f->b, op, data_of(f, x), y));
}

static ThVar *sum_of(Front *f, ThVar *x, ThVar *y) {
    if (!is_sparse(x)) return sum_of(f, y, x);
    if (is_sparse(y)) return sparse_add_make(f->b, x, y);
    if (is_dense(y, 2)) return sparse_add_dense_make(f->b, x, y);
    front_error(f, TH_TypeError, "a sparse matrix is added to a matrix: structured_add adds to stored values only");
    return NULL;
}

static ThVar *product_of(Front *f, ThVar *x, ThVar *y) {
    if (!is_sparse(x)) return product_of(f, y, x);
    if (is_sparse(y)) return sparse_mul_make(f->b, x, y);
    if (is_dense(y, 0)) return with_values(f, S_mul, x, y);
    if (is_dense(y, 1)) return with_values(f, S_mul, x, sparse_spread_make(f->b, x, y, 0));
    if (is_dense(y, 2)) return sparse_mul_dense_make(f->b, x, y);
    front_error(f, TH_TypeError, "a sparse matrix is multiplied by a matrix, a vector or a scalar");
    return NULL;
}

static ThVar *combine(Front *f, ThVar *x, ThVar *y) {
    if (named(f, "add")) return sum_of(f, x, y);
    if (named(f, "sub")) return sum_of(f, x, negative(f, y));
    if (named(f, "mul")) return product_of(f, x, y);
    if (!is_sparse(x) || is_sparse(y))
        return front_error(f, TH_TypeError, "only a sparse matrix by a scalar or a dense matrix can be divided"), NULL;
    if (is_dense(y, 0)) return with_values(f, S_true_div, x, y);
    return with_values(f, S_true_div, x, sparse_take_make(f->b, x, y));
}

int front_sparse_arith(Front *f) {
    VarVec v = {0};
    ThVar *r = NULL;
    bool any = false, ok = true;
    if (f->nparam == 1) ok = front_list(f, -1, &v);
    for (int i = 0; ok && f->nparam == 2 && i < 2; i++) {
        ThVar *x = front_var(f, i);
        ok = x && vec_push(f->ctx, &v, x);
    }
    for (int i = 0; ok && i < v.n; i++) any = any || is_sparse(v.at[i]);
    if (ok && !any) front_error(f, TH_TypeError, "at least one operand must be a sparse matrix");
    /* sparse ones first, so that each partial result knows how to go on */
    for (int i = 0; ok && any && !failed(f->ctx) && i < v.n; i++) {
        if (i == 0) r = v.at[0];
        else if (!is_sparse(r) && !is_sparse(v.at[i]))
            r = elemwise_2(f->b, named(f, "mul") ? S_mul : S_add, r, v.at[i]);
        else r = combine(f, r, v.at[i]);
        if (!r) break;
    }
    vec_free(f->ctx, &v);
    return front_return(f, r);
}

int front_sparse_vector(Front *f) {
    ThVar *x = sparse_arg(f, 0), *v = front_var(f, 1);
    if (!x || !v) return -1;
    if (!is_dense(v, 1)) return front_error(f, TH_TypeError, "the second argument must be a vector");
    ThVar *each = sparse_spread_make(f->b, x, v, named(f, "row_scale") ? 1 : 0);
    return front_return(f, with_values(f, named(f, "structured_add_s_v") ? S_add : S_mul, x, each));
}

int front_sp_sum(Front *f) {
    ThVar *x = sparse_arg(f, 0);
    int axis = -1;
    if (!x || (!front_none(f, 1) && !front_axis(f, 1, 2, &axis))) return -1;
    return front_return(f, sparse_total_make(f->b, x, axis, front_bool(f, 2)));
}

int front_sparse_diag(Front *f) {
    if (named(f, "square_diagonal")) {
        ThVar *d = front_var(f, 0);
        return front_return(f, d ? sparse_square_diagonal_make(f->b, d) : NULL);
    }
    ThVar *x = sparse_arg(f, 0);
    return front_return(f, x ? sparse_diag_make(f->b, x) : NULL);
}

/* Both as dense matrices; the result is sparse where both were. */
int front_sparse_compare(Front *f) {
    ThVar *in[2] = {front_var(f, 0), front_var(f, 1)}, *v[2];
    if (!in[0] || !in[1]) return -1;
    ThVar *x = is_sparse(in[0]) ? in[0] : in[1];
    if (!is_sparse(x)) return front_error(f, TH_TypeError, "at least one operand must be a sparse matrix");
    bool both = is_sparse(in[0]) && is_sparse(in[1]);
    for (int i = 0; i < 2; i++) v[i] = is_sparse(in[i]) ? dense_from_sparse_make(f->b, in[i], true) : in[i];
    ThVar *r = cast_make(f->b, elemwise_make(f->b, scalar_find(name_of(f)), v, 2), TH_UINT8);
    return front_return(f, r && both ? sparse_from_dense_make(f->b, r, format_of(x)) : r);
}

/* ---- products ---------------------------------------------------------------------------------------------------- */
int front_sparse_dot(Front *f) {
    ThVar *x = front_var(f, 0), *y = front_var(f, 1);
    if (!x || !y) return -1;
    if (!is_sparse(x) && !is_sparse(y))
        return front_error(f, TH_TypeError,
                           "at least one of the two must be a sparse matrix: T.dot takes two dense ones");
    if (!named(f, "true_dot")) return front_return(f, sparse_dot_make(f->b, x, y, named(f, "structured_dot")));
    if (is_sparse(x) && is_sparse(y)) return front_return(f, sparse_true_dot_make(f->b, x, y));
    ThVar *dense = sparse_dot_make(f->b, x, y, false);
    return front_return(f, dense ? sparse_from_dense_make(f->b, dense, format_of(is_sparse(x) ? x : y)) : NULL);
}

int front_sampling_dot(Front *f) {
    ThVar *x = front_var(f, 0), *y = front_var(f, 1), *p = sparse_arg(f, 2);
    if (!x || !y || !p) return -1;
    ThVar *dots = sparse_rows_dot_make(f->b, p, x, y);
    return front_return(f, dots ? with_values(f, S_mul, p, dots) : NULL);
}

int front_usmm(Front *f) {
    ThVar *in[4];
    for (int i = 0; i < 4; i++)
        if (!(in[i] = front_var(f, i))) return -1;
    if (!is_sparse(in[1]) && !is_sparse(in[2])) return front_error(f, TH_TypeError, "x or y must be a sparse matrix");
    static const int8_t number[] = {-1, -1};
    ThVar *alpha = is_dense(in[0], 0) ? dimshuffle_make(f->b, in[0], number, 2) : in[0];
    ThVar *dot = sparse_dot_make(f->b, in[1], in[2], false), *by = elemwise_2(f->b, S_mul, alpha, dot);
    return front_return(f, by ? elemwise_2(f->b, S_add, by, in[3]) : NULL);
}

int front_sparse_stack(Front *f) {
    VarVec v = {0};
    ThDtype d = front_dtype(f, 2);
    char format = format_arg(f, 1, 'c');
    bool ok = format && !failed(f->ctx) && front_list(f, 0, &v);
    if (ok && !v.n) ok = front_error(f, TH_ValueError, "there are no blocks") > 0;
    for (int i = 0; ok && i < v.n; i++) {
        if (!is_sparse(v.at[i])) ok = front_error(f, TH_TypeError, "block %d is not sparse", i + 1) > 0;
        else if (front_none(f, 2))
            d = d == TH_DTYPE_NONE ? type_sparse_dtype(v.at[i]->type)
                                   : th_dtype_upcast(d, type_sparse_dtype(v.at[i]->type));
    }
    for (int i = 0; ok && i < v.n; i++) ok = (v.at[i] = sparse_cast_make(f->b, v.at[i], d)) != NULL;
    ThVar *r = ok ? sparse_stack_make(f->b, v.at, v.n, named(f, "hstack"), format) : NULL;
    vec_free(f->ctx, &v);
    return front_return(f, r);
}

/* ---- parts of a matrix ------------------------------------------------------------------------------------------- */
/* What an entry of a subscript picks of the numbers 0 .. n - 1. */
static ThVar *picked(Front *f, ThVar *n, const ThArg *entry) {
    Builder *b = f->b;
    ThVar *all = n ? arange_make(b, const_int(b, 0, TH_INT64), n, const_int(b, 1, TH_INT64), TH_INT64) : NULL;
    if (!all || !entry) return NULL;
    ThArg args[2] = {front_arg_var(all), {.kind = TH_ARG_LIST, .list = {entry, 1}}};
    return front_call(b, "subtensor", args, 2);
}

static ThVar *as_vector(Front *f, ThVar *v) {
    static const int8_t one[] = {-1};
    return v && !v->type.ndim ? dimshuffle_make(f->b, v, one, 1) : v;
}

int front_sparse_sub(Front *f) {
    static const int8_t none[1];
    ThVar *x = sparse_arg(f, 0), *at[2] = {NULL, NULL};
    const ThArg *a = &f->arg[1], *entry = a->kind == TH_ARG_LIST ? a->list.at : a;
    int n = a->kind == TH_ARG_LIST ? a->list.n : 1, lists = 0, numbers = 0;
    if (!x) return -1;
    if (n < 1 || n > 2) return front_error(f, TH_IndexError, "a sparse matrix has two dimensions, %d are indexed", n);
    for (int i = 0; i < n; i++) {
        if (entry[i].kind == TH_ARG_NEWAXIS || entry[i].kind == TH_ARG_ELLIPSIS)
            return front_error(f, TH_IndexError, "a sparse matrix has two dimensions: neither newaxis nor ellipsis");
        if (!(at[i] = picked(f, sparse_length_make(f->b, x, i), &entry[i]))) return -1;
        numbers += at[i]->type.ndim == 0;
        lists += at[i]->type.ndim == 1 && entry[i].kind != TH_ARG_SLICE;
    }
    if (numbers == 2 || lists == 2) {
        ThVar *r = sparse_at_make(f->b, x, as_vector(f, at[0]), as_vector(f, at[1]));
        if (numbers != 2 || !r) return front_return(f, r);
        r = patternbroadcast_make(f->b, r, 1);
        return front_return(f, r ? dimshuffle_make(f->b, r, none, 0) : NULL);
    }
    return front_return(f, sparse_choose_make(f->b, x, as_vector(f, at[0]), as_vector(f, at[1])));
}

int front_sparse_list(Front *f) {
    ThVar *x = sparse_arg(f, 0), *list = front_var(f, 1);
    if (!x || !list) return -1;
    if (!is_dense(list, 1)) return front_error(f, TH_TypeError, "the rows are a list of integers");
    ThVar *rows = sparse_choose_make(f->b, sparse_format_make(f->b, x, 'r'), list, NULL); /* a row may stand twice */
    return front_return(f, rows ? sparse_format_make(f->b, rows, format_of(x)) : NULL);
}

int front_sparse_lists(Front *f) {
    ThVar *x = sparse_arg(f, 0), *i = front_var(f, 1), *j = front_var(f, 2);
    return front_return(f, x && i && j ? sparse_at_make(f->b, x, i, j) : NULL);
}

/* ---- other functions given a sparse matrix ----------------------------------------------------------------------- */
static bool is_sparse_arg(const ThArg *a) {
    return (a->kind == TH_ARG_VAR && is_sparse(a->var)) ||
           (a->kind == TH_ARG_ARRAY && a->array && array_is_sparse(a->array));
}

/* Those that pass on whatever they get. */
static bool passes_on(const char *name) {
    static const char *const names[] = {"copy",      "tensor_copy",   "opt.assert_op", "disconnected_grad",
                                        "zero_grad", "undefined_grad"};
    for (int i = 0; i < TH_LEN(names); i++)
        if (!strcmp(names[i], name)) return true;
    return false;
}

int front_for_sparse(ThContext *c, int func, const ThArg *args, int n) {
    const char *name = th_func_info(func)->name;
    bool any = false;
    for (int i = 0; i < n && !any; i++) any = is_sparse_arg(&args[i]);
    if (!any || !strncmp(name, "sparse.", 7) || passes_on(name)) return func;
    char own[64];
    int k = snprintf(own, sizeof own, "sparse.%s", name);
    int found = k > 0 && k < (int)sizeof own ? th_func_find(own) : -1;
    if (found < 0)
        err(c, TH_TypeError,
            "%s: an argument is a sparse matrix: functions of theano.sparse take those, or make it dense "
            "(sparse.dense_from_sparse, x:toarray())",
            name);
    return found;
}
