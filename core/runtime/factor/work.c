/*
 * work.c -- a batch of matrices, one after the other. In: a FactorWork. Out: its results, or an error that says which
 * matrix failed and why. Always holds: which algorithm runs depends on kind, dtype, lengths, flags and the library that
 * is there; a matrix without elements never reaches one.
 */
#include "work.h"

#include "function.h"
#include "move.h"
#include "own.h"
#include "runtime/machine/cpu.h"
#include "scalar.h"

#include <math.h>
#include <string.h>

/* ---- errors ------------------------------------------------------------------------------------------------------ */
static const char *fault_text(const FactorJob *j, char *room, size_t size) {
    long long at = (long long)j->where;
    switch (j->fault) {
    case FAULT_SINGULAR: return "Singular matrix";
    case FAULT_NOT_POSITIVE:
        number_format(room, size, "%lld-th leading minor of the array is not positive definite", at);
        return room;
    case FAULT_NOT_POSITIVE_OTHER:
        number_format(room, size, "%lld-th leading minor of the second array is not positive definite", at);
        return room;
    case FAULT_EIGENVALUES: return "Eigenvalues did not converge";
    case FAULT_SVD: return "SVD did not converge";
    case FAULT_LSTSQ: return "SVD did not converge in Linear Least Squares";
    case FAULT_NOT_FINITE: return "Array must not contain infs or NaNs";
    case FAULT_UNREAL_EIGENVALUES: return "an eigenvalue is not real: ask for complex results";
    case FAULT_UNREAL: return "the result is not real: give a complex matrix";
    case FAULT_POSITIONS: return "positions of exchanged rows must be within the matrix";
    default: return "no result";
    }
}

/* Matrix number `item` of `count` failed. */
static int report(HostCall *h, const FactorJob *j, int64_t item, int64_t count) {
    char room[120], text[200];
    const char *why = fault_text(j, room, sizeof room);
    if (count == 1) return h->fail(h, TH_LinAlgError, why);
    number_format(text, sizeof text, "%s (matrix %lld of a batch of %lld)", why, (long long)item, (long long)count);
    return h->fail(h, TH_LinAlgError, text);
}

/* ---- one matrix -------------------------------------------------------------------------------------------------- */
static const FactorOperand *result(const FactorJob *j, int o) { return &j->w->op[j->w->nin + o]; }

static int64_t numbers(const FactorOperand *o) { return o->n[0] * o->n[1]; }

static ThDtype result_dtype(const FactorJob *j, int o) {
    const FactorWork *w = j->w;
    ThDtype d = w->dtype, real = d == TH_COMPLEX64 ? TH_FLOAT32 : d == TH_COMPLEX128 ? TH_FLOAT64 : d;
    switch (w->kind) {
    case FACTOR_LU: return o == 1 ? TH_INT32 : d;
    case FACTOR_SLOGDET: return o == 1 ? real : d;
    case FACTOR_SVD: return o == 1 || !w->vectors ? real : d;
    case FACTOR_EIGH: return o == 0 ? real : d;
    case FACTOR_EIGH_OF: return real;
    case FACTOR_EIG: return !w->complex ? d : real == TH_FLOAT32 ? TH_COMPLEX64 : TH_COMPLEX128;
    case FACTOR_LSTSQ: return o == 2 ? TH_INT64 : o == 0 ? d : real;
    default: return d;
    }
}

static void clear(const FactorJob *j, char *const *at, bool nan) {
    for (int o = 0; o < j->w->nout; o++) {
        ThDtype d = result_dtype(j, o);
        int64_t n = numbers(result(j, o));
        if (nan) factor_nan(d, at[j->w->nin + o], n);
        else memset(at[j->w->nin + o], 0, (size_t)n * th_dtype_bytes(d));
    }
}

/* A matrix that has no elements. */
static void empty(const FactorJob *j, char *const *at) {
    const FactorWork *w = j->w;
    clear(j, at, false);
    if (w->kind == FACTOR_DET || w->kind == FACTOR_SLOGDET) factor_put(j, at[1], 0, 1, 0);
    if (w->kind == FACTOR_QR && w->mode == FACTOR_COMPLETE) factor_eye(j->d, at[1], j->m);
    if (w->kind == FACTOR_SVD && w->vectors && w->full) {
        factor_eye(j->d, at[1], j->m);
        factor_eye(j->d, at[3], j->n);
    }
    for (int c = 0; w->kind == FACTOR_LSTSQ && j->m > j->n && c < j->k; c++) {
        double sum = 0, re, im;
        for (int64_t i = 0; i < j->m; i++) {
            const char *p = at[1] + i * w->op[1].ms[0] + c * w->op[1].ms[1];
            factor_get(j, p, 0, &re, &im);
            sum += re * re + im * im;
        }
        if (j->real == 4) ((float *)(void *)at[3])[c] = (float)sum;
        else ((double *)(void *)at[3])[c] = sum;
    }
}

/* false: it failed, and that is an error. */
static bool run_one(FactorJob *j, const FactorRoutine *r, char *const *at) {
    if (j->small == 0) {
        empty(j, at);
        return true;
    }
    if (r->run(j, at)) return true;
    if (!j->w->nan) return false;
    clear(j, at, true);
    return true;
}

/* ---- the batch --------------------------------------------------------------------------------------------------- */
typedef struct Walk {
    int nd;
    int64_t count, len[TH_MAX_NDIM], st[TH_MAX_NDIM][FACTOR_MOST]; /* last dim fastest */
} Walk;

/* Dims of length 1 are left out. The first result has the batch whole. */
static void plan_walk(const FactorWork *w, Walk *k) {
    const FactorOperand *full = &w->op[w->nin];
    k->nd = 0, k->count = 1;
    for (int d = 0; d < full->nbatch; d++) {
        int64_t n = full->len[d];
        k->count *= n;
        if (n == 1) continue;
        k->len[k->nd] = n;
        for (int i = 0; i < w->nin + w->nout; i++) k->st[k->nd][i] = w->op[i].len[d] == 1 ? 0 : w->op[i].st[d];
        k->nd++;
    }
}

/* `count` matrices with equal steps between them, or as many as there are before one fails. */
static int64_t run_line(HostCall *h, FactorJob *j, const FactorRoutine *r, char **at, const int64_t *step,
                        int64_t count) {
    static const int64_t none[FACTOR_MOST] = {0};
    int n = j->w->nin + j->w->nout;
    for (int64_t i = 0; i < count && !host_leaves(h);) {
        int64_t many = 1;
        if (j->lanes && count - i >= j->lanes && lanes_run(j, at, step, count - i >= 2 * j->lanes)) many = j->lanes;
        else if (!(j->lanes && lanes_run(j, at, none, false)) && !run_one(j, r, at)) return i;
        for (int o = 0; o < n; o++) at[o] += many * step[o];
        i += many;
    }
    return count;
}

static int run_batch(HostCall *h, FactorJob *j, const FactorRoutine *r) {
    static const int64_t none[FACTOR_MOST] = {0};
    const FactorWork *w = j->w;
    Walk k;
    char *at[FACTOR_MOST];
    int64_t pos[TH_MAX_NDIM] = {0};
    int n = w->nin + w->nout;
    for (int i = 0; i < n; i++) at[i] = w->op[i].at;
    plan_walk(w, &k);
    int last = k.nd - 1;
    int64_t line = last >= 0 ? k.len[last] : 1;
    for (int64_t item = 0; item < k.count; item += line) {
        int64_t done = run_line(h, j, r, at, last >= 0 ? k.st[last] : none, line);
        if (done < line && host_leaves(h)) return 0; /* which is an error above */
        if (done < line) return report(h, j, item + done, k.count);
        for (int i = 0; i < n && last >= 0; i++) at[i] -= line * k.st[last][i];
        for (int d = last - 1; d >= 0; d--) {
            bool wrap = ++pos[d] == k.len[d];
            for (int i = 0; i < n; i++) at[i] += wrap ? -(k.len[d] - 1) * k.st[d][i] : k.st[d][i];
            if (!wrap) break;
            pos[d] = 0;
        }
    }
    return 0;
}

/* Whether there is nothing to write: a million results of 0 elements are as soon made as one. */
static bool no_results(const FactorWork *w) {
    for (int i = w->nin; i < w->nin + w->nout; i++)
        if (w->op[i].n[0] && w->op[i].n[1]) return false;
    return true;
}

/* ---- which algorithm --------------------------------------------------------------------------------------------- */
static bool fits(const FactorWork *w) {
    for (int i = 0; i < w->nin + w->nout; i++)
        if (w->op[i].n[0] > INT32_MAX || w->op[i].n[1] > INT32_MAX) return false;
    return true;
}

static FactorJob begin(ThContext *c, atomic_bool *early, const Cpu *u, const FactorWork *w) {
    FactorJob j = {.w = w, .ctx = c, .early = early, .cpu = u, .m = (int)w->op[0].n[0], .n = (int)w->op[0].n[1]};
    j.d = w->dtype == TH_FLOAT32     ? FACTOR_F32
          : w->dtype == TH_FLOAT64   ? FACTOR_F64
          : w->dtype == TH_COMPLEX64 ? FACTOR_C64
                                     : FACTOR_C128;
    j.item = (int64_t)th_dtype_bytes(w->dtype);
    j.real = j.d >= FACTOR_C64 ? j.item / 2 : j.item;
    j.small = j.m < j.n ? j.m : j.n;
    j.large = j.m < j.n ? j.n : j.m;
    j.vector = (*u->gemm)->vl * (*u->gemm)->item;
    j.k = w->nin > 1 ? (int)w->op[w->nin - 1].n[1] : 0;
    return j;
}

/*
 * Multiplications and additions of a method, times rows, columns and the lesser of both, at about a rate of what is
 * slow on a slow processor: nanoseconds. What may take longer than its caller has patience is done by algorithms that
 * can be stopped.
 */
static const double library_time[FACTOR_KINDS] = {
    [FACTOR_CHOLESKY] = 0.1, [FACTOR_LU] = 0.2,    [FACTOR_LU_SOLVE] = 0.5, [FACTOR_TRIANGULAR] = 0.5,
    [FACTOR_CHO_SOLVE] = 1,  [FACTOR_SOLVE] = 1,   [FACTOR_INVERSE] = 1,    [FACTOR_DET] = 0.2,
    [FACTOR_SLOGDET] = 0.2,  [FACTOR_QR] = 1,      [FACTOR_SVD] = 6,        [FACTOR_EIG] = 8,
    [FACTOR_EIGH] = 3,       [FACTOR_EIGH_OF] = 3, [FACTOR_LSTSQ] = 5,
};

bool factor_library_wanted(const FactorJob *j) {
    double each = library_time[j->w->kind] ? library_time[j->w->kind] : 8;
    double time = each * (factor_is_complex(j) ? 4 : 1) * j->m * j->n * (j->small + j->k);
    if (j->early && time > ctx_patience(j->ctx)) return false;
    return strcmp(config_str(j->ctx, "linalg.library"), "own") != 0;
}

/* Rows up to which our own algorithm is faster than a call of the library; of complex numbers half as many. */
static const int small_rows[FACTOR_KINDS] = {
    [FACTOR_CHOLESKY] = 80,  [FACTOR_LU] = 96,      [FACTOR_LU_SOLVE] = 64, [FACTOR_TRIANGULAR] = 64,
    [FACTOR_CHO_SOLVE] = 64, [FACTOR_SOLVE] = 96,   [FACTOR_INVERSE] = 96,  [FACTOR_DET] = 96,
    [FACTOR_SLOGDET] = 96,   [FACTOR_QR] = 40,      [FACTOR_SVD] = 8,       [FACTOR_EIG] = 8,
    [FACTOR_EIGH] = 96,      [FACTOR_EIGH_OF] = 16, [FACTOR_LSTSQ] = 4,
};

/*
 * Rows from which on ours is faster again where vectors have 64 bytes, as its products are; of float32 three times as
 * many (the library's has AVX-512 kernels of its own). 0: never, as far as is known.
 */
static const int large_rows[FACTOR_KINDS] = {
    [FACTOR_CHOLESKY] = 160, [FACTOR_LU] = 80,      [FACTOR_TRIANGULAR] = 100, [FACTOR_CHO_SOLVE] = 100,
    [FACTOR_SOLVE] = 80,     [FACTOR_INVERSE] = 40, [FACTOR_DET] = 100,        [FACTOR_SLOGDET] = 100,
};
enum { FEW_SIDES = 16 }; /* so few right sides are products with vectors, and a matter of memory */

static bool own_faster(const FactorJob *j) {
    FactorKind k = j->w->kind;
    int rows = large_rows[k] * (j->d == FACTOR_F32 ? 3 : 1);
    bool vectors = j->k < FEW_SIDES && (k == FACTOR_TRIANGULAR || k == FACTOR_CHO_SOLVE);
    return rows && j->large >= rows && !vectors && j->d < FACTOR_C64 && j->vector >= 64;
}

static bool small(const FactorJob *j) {
    int most = small_rows[j->w->kind];
    bool values_alone = (j->w->kind == FACTOR_EIGH || j->w->kind == FACTOR_SVD) && !j->w->vectors;
    if (values_alone) most = j->w->kind == FACTOR_SVD ? most / 2 : most / 6;
    return j->large <= (factor_is_complex(j) ? most / 2 : most);
}

/* The routine, planned, or NULL. */
static const FactorRoutine *choose(FactorJob *j) {
    FactorKind k = j->w->kind;
    if (factor_function[k].plan) return factor_function[k].plan(j) ? &factor_function[k] : NULL;
    bool only = strcmp(config_str(j->ctx, "linalg.library"), "lapack") == 0, ours = small(j) || own_faster(j);
    if (factor_lapack[k].plan && factor_library_wanted(j) && (only || !ours)) {
        size_t before = j->bytes;
        j->lib = factor_library(j->ctx);
        if (j->lib && factor_lapack[k].plan(j)) return &factor_lapack[k];
        j->bytes = before;
    }
    j->lib = NULL;
    return factor_own[k].plan && factor_own[k].plan(j) ? &factor_own[k] : NULL;
}

/* On lanes, where there are so many matrices. Their room lies where that of the routine is. */
static void plan_lanes(FactorJob *j) {
    FactorJob other = *j;
    other.bytes = 0;
    if (!lanes_plan(&other)) return;
    j->lanes = dense_kernels(j)->lanes;
    if (other.bytes > j->bytes) j->bytes = other.bytes;
}

/* ---- work on the way --------------------------------------------------------------------------------------------- */
FactorOperand factor_dense(const FactorJob *j, int64_t rows, int64_t cols) {
    return (FactorOperand){.n = {rows, cols}, .ms = {cols * j->item, j->item}};
}

bool factor_inner(FactorJob *j, const FactorWork *w) {
    FactorInner *in = j->inner;
    in->work = *w;
    in->job = begin(j->ctx, j->early, j->cpu, &in->work);
    if (!(in->routine = choose(&in->job))) return false;
    j->lib = in->job.lib;
    j->bytes += in->job.bytes;
    return true;
}

bool factor_inner_run(FactorJob *j, char *room, char *const *at) {
    FactorInner *in = j->inner;
    in->job.room = room;
    return in->routine->run(&in->job, at) || factor_failed(j, in->job.fault, in->job.where);
}

int factor_host(HostCall *h, const FactorWork *w) {
    FactorInner inner;
    if (!fits(w)) return h->fail(h, TH_ValueError, "a matrix has too many rows or columns");
    const Cpu *cpu = cpu_of(h->ctx);
    if (!cpu) return 1;
    FactorJob j = begin(h->ctx, h->early, cpu, w);
    j.inner = &inner;
    if (j.small == 0) return no_results(w) ? 0 : run_batch(h, &j, NULL);
    const FactorRoutine *r = choose(&j);
    if (failed(h->ctx)) return 1;
    if (!r) return h->fail(h, TH_NotImplementedError, "OpenBLAS is needed for this");
    if (w->op[w->nin].nbatch > 0 && !j.lib) plan_lanes(&j);
    if (j.bytes && !(j.room = h->room(h, j.bytes))) return 1;
    if (!j.lib) return run_batch(h, &j, r);
    const Blas *blas = factor_library_blas(j.lib);
    int saved = blas_enter(blas), bad = run_batch(h, &j, r);
    blas_leave(blas, saved);
    return bad;
}
