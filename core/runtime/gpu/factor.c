/*
 * factor.c -- linear algebra on a device: a batch of matrices to launches. In: a FactorWork with addresses of the
 * device. Out: its results, or the first matrix that failed in the call's error record. Large matrices are cuSOLVER's
 * where it is found (all but Schur forms, exponentials and solutions by triangles). The algorithms are those of
 * core/runtime/factor, whose bodies are the text of the kernels (factor_kernels.h, spectrum_kernels.h).
 */
#include "embed.h"
#include "gpu.h"

#include <string.h>

GPU_EMBED(factor_number_text, "runtime/factor/number.h");
GPU_EMBED(factor_dense_text, "runtime/factor/dense_body.h");
GPU_EMBED(factor_spectral_text, "runtime/factor/spectral_body.h");
GPU_EMBED(factor_schur_text, "runtime/factor/schur_body.h");
GPU_EMBED(factor_mirror_text, "runtime/factor/mirror_body.h");
GPU_EMBED(factor_kernels_text, "runtime/gpu/factor_kernels.h");
GPU_EMBED(factor_spectral_kernels_text, "runtime/gpu/spectral_kernels.h");
GPU_EMBED(factor_spectrum_kernels_text, "runtime/gpu/spectrum_kernels.h");

/* parts, bytes: of each result's number, how many and how large; narrow: operands are real, T is not; pairs: results
 * of FACTOR_EIG are complex. */
GPU_RECORD(FactorArgs, {
    i64 *err, step;
    i64 count, nd;
    char *at[6];
    i64 len[32];
    i64 st[32][6];
    i64 n[6][2];
    i64 ms[6][2];
    i64 parts[6], bytes[6];
    char *room;
    i64 each;
    char *faults;
    const i32 *info; /* of a library, by matrix */
    f64 rcond;
    i64 kind, lower, unit, full, vectors, hermitian, pairs, nan, trans, assume, mode, narrow, nin, nout, phase;
})

/* What the bodies take from C's headers, and the names of factor_work.h. */
static const char words[] =
    "#ifdef __CUDACC__\n"
    "#define restrict __restrict__\n"
    "#define NULL 0\n"
    "#define __builtin_sqrtf sqrtf\n"
    "#define __builtin_sqrt sqrt\n"
    "#define __builtin_hypotf hypotf\n"
    "#define __builtin_hypot hypot\n"
    "#define __builtin_fmaf fmaf\n"
    "#define __builtin_fma fma\n"
    "#define __builtin_signbit signbit\n"
    "#define static static __device__\n"
    "#else\n"
    "#define bool _Bool\n"
    "#define true 1\n"
    "#define false 0\n"
    "#define NULL ((void *)0)\n"
    "typedef unsigned long size_t;\n"
    "f64 frexp(f64, int *), ldexp(f64, int);\n"
    "#define memcpy __builtin_memcpy\n"
    "#endif\n"
    "#define int64_t i64\n"
    "#define FLT_EPSILON 1.1920928955078125e-07f\n"
    "#define FLT_MIN 1.17549435e-38f\n"
    "#define DBL_EPSILON 2.220446049250313e-16\n"
    "#define DBL_MIN 2.2250738585072014e-308\n"
    "#undef FN\n"
    "#define NUMBER_ALONE\n"
    "enum { FACTOR_N, FACTOR_T, FACTOR_C };\n"
    "enum { FACTOR_GEN, FACTOR_SYM, FACTOR_HER, FACTOR_POS };\n"
    "enum { FACTOR_REDUCED, FACTOR_COMPLETE, FACTOR_R, FACTOR_RAW };\n"
    "enum { FACTOR_CHOLESKY, FACTOR_LU, FACTOR_LU_SOLVE, FACTOR_TRIANGULAR, FACTOR_CHO_SOLVE, FACTOR_SOLVE,\n"
    "    FACTOR_INVERSE, FACTOR_DET, FACTOR_SLOGDET, FACTOR_PINV, FACTOR_QR, FACTOR_SVD, FACTOR_EIG, FACTOR_EIGH,\n"
    "    FACTOR_EIGH_OF, FACTOR_EXPM, FACTOR_SQRTM, FACTOR_LOGM, FACTOR_LSTSQ };\n"
    "enum { FAULT_NONE, FAULT_SINGULAR, FAULT_NOT_POSITIVE, FAULT_NOT_POSITIVE_OTHER, FAULT_EIGENVALUES, FAULT_SVD,\n"
    "    FAULT_LSTSQ, FAULT_NOT_FINITE, FAULT_UNREAL_EIGENVALUES, FAULT_UNREAL, FAULT_POSITIONS, SPECTRUM_NAN };\n";
_Static_assert(FACTOR_LSTSQ == 18 && FACTOR_EIG == 12 && FACTOR_RAW == 3 && FACTOR_POS == 3, "the text's names");

static const char end_of_bodies[] = "#undef static\n";

/* Variants: the numbers of a body, as number.h has them. */
static void head(Text *t, int variant) { text_printf(t, "#define NUM %d\n", variant); }
static bool has(int variant) { return variant < 4; }
static bool has_complex(int variant) { return variant == 2 || variant == 3; }

enum { CHOLESKY, LU, SOLVE, QR, SVD, SVD_PUT, PINV_PUT, LSTSQ_PUT, EIGH, EXPM, EMPTY, REPORT };
static const CudaEntry kernel[] = {
    GPU_ENTRY(factor_cholesky, FactorArgs, true),  GPU_ENTRY(factor_lu, FactorArgs, true),
    GPU_ENTRY(factor_solve, FactorArgs, true),     GPU_ENTRY(factor_qr, FactorArgs, true),
    GPU_ENTRY(factor_svd, FactorArgs, true),       GPU_ENTRY(factor_svd_put, FactorArgs, false),
    GPU_ENTRY(factor_pinv_put, FactorArgs, false), GPU_ENTRY(factor_lstsq_put, FactorArgs, false),
    GPU_ENTRY(factor_eigh, FactorArgs, true),      GPU_ENTRY(factor_expm, FactorArgs, true),
    GPU_ENTRY(factor_empty, FactorArgs, true),     GPU_ENTRY(factor_report, FactorArgs, false),
};
static const char *const pieces[] = {
    words,         factor_number_text, factor_dense_text,   factor_spectral_text,         end_of_bodies,
    gpu_fail_text, FactorArgs_text,    factor_kernels_text, factor_spectral_kernels_text, NULL};
const GpuFamily gpu_factors = {"linear algebra", pieces, kernel, TH_LEN(kernel), has, head};

enum { SPECTRUM_EIG, SPECTRUM_SCHUR, SPECTRUM_PUT };
static const CudaEntry spectrum_kernel[] = {GPU_ENTRY(spectrum_eig, FactorArgs, true),
                                            GPU_ENTRY(spectrum_schur, FactorArgs, true),
                                            GPU_ENTRY(spectrum_put, FactorArgs, true)};
static const char *const spectrum_pieces[] = {words,
                                              factor_number_text,
                                              factor_dense_text,
                                              factor_spectral_text,
                                              factor_schur_text,
                                              factor_mirror_text,
                                              end_of_bodies,
                                              gpu_fail_text,
                                              FactorArgs_text,
                                              factor_kernels_text,
                                              factor_spectral_kernels_text,
                                              factor_spectrum_kernels_text,
                                              NULL};
const GpuFamily gpu_spectrum = {"eigenvalues",           spectrum_pieces, spectrum_kernel,
                                TH_LEN(spectrum_kernel), has_complex,     head};

/* ---- a batch ----------------------------------------------------------------------------------------------------- */
static int variant_of(ThDtype d) { return d == TH_FLOAT32 ? 0 : d == TH_FLOAT64 ? 1 : d == TH_COMPLEX64 ? 2 : 3; }

/* Dtype of result o: its parts and their bytes. */
static void result(const FactorWork *w, int o, FactorArgs *a) {
    bool pairs = dtype_is_complex(w->dtype);
    int64_t real = (int64_t)th_dtype_bytes(w->dtype) / (pairs ? 2 : 1);
    int k = w->nin + o;
    FactorKind kind = w->kind;
    bool reals = (kind == FACTOR_SLOGDET && o == 1) || (kind == FACTOR_SVD && (o == 1 || !w->vectors)) ||
                 (kind == FACTOR_EIGH && o == 0) || kind == FACTOR_EIGH_OF ||
                 (kind == FACTOR_LSTSQ && (o == 1 || o == 3));
    bool whole = (kind == FACTOR_LU && o == 1) || (kind == FACTOR_LSTSQ && o == 2);
    a->parts[k] = reals || whole ? 1 : kind == FACTOR_EIG ? 1 + (w->complex || pairs) : 1 + pairs;
    a->bytes[k] = !whole ? real : kind == FACTOR_LU ? 4 : 8;
}

/* Dims of a batch of length 1 are left out. The first result has the batch whole. */
static void batch(const FactorWork *w, FactorArgs *a) {
    const FactorOperand *full = &w->op[w->nin];
    a->count = 1;
    for (int d = 0; d < full->nbatch; d++) {
        int64_t n = full->len[d];
        a->count *= n;
        if (n == 1) continue;
        a->len[a->nd] = n;
        for (int i = 0; i < w->nin + w->nout; i++) a->st[a->nd][i] = w->op[i].len[d] == 1 ? 0 : w->op[i].st[d];
        a->nd++;
    }
    for (int i = 0; i < w->nin + w->nout; i++) {
        a->at[i] = w->op[i].at;
        memcpy(a->n[i], w->op[i].n, sizeof a->n[i]);
        memcpy(a->ms[i], w->op[i].ms, sizeof a->ms[i]);
    }
    for (int o = 0; o < w->nout; o++) result(w, o, a);
}

static bool by_schur(FactorKind k) { return k == FACTOR_EIG || k == FACTOR_SQRTM || k == FACTOR_LOGM; }
static bool by_svd(const FactorWork *w) {
    return w->kind == FACTOR_SVD || w->kind == FACTOR_LSTSQ || (w->kind == FACTOR_PINV && !w->hermitian);
}

/* Numbers of a matrix's room, as the kernels carve it. */
static int64_t room_of(const FactorWork *w, const FactorArgs *a) {
    int64_t m = a->n[0][0], n = a->n[0][1], large = m > n ? m : n, small = m < n ? m : n, spare = 8;
    if (by_schur(w->kind)) return 5 * n * n + 4 * n + spare;
    if (by_svd(w)) return large * (w->full ? large : small) + small * small + (large + 1) * large + 2 * small + spare;
    if (w->kind == FACTOR_QR) return m * (w->mode == FACTOR_COMPLETE ? large : n > small ? n : small) + small + spare;
    if (w->kind == FACTOR_EXPM) return 7 * n * n + n + spare;
    if (w->kind == FACTOR_EIGH || w->kind == FACTOR_EIGH_OF || w->kind == FACTOR_PINV) return 2 * n * n + 7 * n + spare;
    return m * n + n + spare;
}

static FactorArgs record(const FactorWork *w) {
    FactorArgs a = {.rcond = w->rcond,
                    .kind = w->kind,
                    .lower = w->lower,
                    .unit = w->unit,
                    .full = w->kind == FACTOR_SVD && w->full,
                    .vectors = w->vectors || w->kind == FACTOR_PINV || w->kind == FACTOR_LSTSQ,
                    .hermitian = w->hermitian,
                    .pairs = w->complex || dtype_is_complex(w->dtype),
                    .nan = w->nan,
                    .trans = w->trans,
                    .assume = w->assume,
                    .mode = w->mode,
                    .nin = w->nin,
                    .nout = w->nout};
    batch(w, &a);
    if (w->kind == FACTOR_PINV && w->hermitian) a.lower = true;
    return a;
}

/* The kernels of a kind, one after the other, a block a matrix. */
typedef struct Launch {
    const GpuFamily *family;
    int first, second; /* second: -1, or another one */
} Launch;

static Launch launch_of(const FactorWork *w) {
    const GpuFamily *f = &gpu_factors;
    switch (w->kind) {
    case FACTOR_CHOLESKY: return (Launch){f, CHOLESKY, -1};
    case FACTOR_LU:
    case FACTOR_DET:
    case FACTOR_SLOGDET: return (Launch){f, LU, -1};
    case FACTOR_QR: return (Launch){f, QR, -1};
    case FACTOR_SVD: return (Launch){f, SVD, SVD_PUT};
    case FACTOR_LSTSQ: return (Launch){f, SVD, LSTSQ_PUT};
    case FACTOR_PINV: return (Launch){f, w->hermitian ? EIGH : SVD, PINV_PUT};
    case FACTOR_EIGH:
    case FACTOR_EIGH_OF: return (Launch){f, EIGH, -1};
    case FACTOR_EXPM: return (Launch){f, EXPM, -1};
    case FACTOR_EIG: return (Launch){&gpu_spectrum, SPECTRUM_EIG, -1};
    case FACTOR_SQRTM:
    case FACTOR_LOGM: return (Launch){&gpu_spectrum, SPECTRUM_SCHUR, SPECTRUM_PUT};
    default: return (Launch){f, SOLVE, -1};
    }
}

/* ---- by cuSOLVER ------------------------------------------------------------------------------------------------- */
enum { PHASE_ALL, PHASE_TAKE, PHASE_PUT, PHASE_Q }; /* as the kernels have them */

static bool by_lu(const FactorWork *w) {
    return w->kind == FACTOR_LU || w->kind == FACTOR_DET || w->kind == FACTOR_SLOGDET || w->kind == FACTOR_INVERSE ||
           w->kind == FACTOR_LU_SOLVE || (w->kind == FACTOR_SOLVE && w->assume != FACTOR_POS);
}
static bool solves(const FactorWork *w) {
    return w->kind == FACTOR_INVERSE || w->kind == FACTOR_SOLVE || w->kind == FACTOR_LU_SOLVE;
}

static GpuSolverKind solver_kind(const FactorWork *w) {
    return w->kind == FACTOR_CHOLESKY ? GPU_SOLVER_CHOLESKY
           : w->kind == FACTOR_QR     ? GPU_SOLVER_QR
           : by_lu(w)                 ? GPU_SOLVER_LU
           : by_svd(w)                ? GPU_SOLVER_SVD
                                      : GPU_SOLVER_EIGH;
}

/* It is asked, and there is such a library: the others have kernels of ours. */
static bool solver_may(HostCall *h, const FactorWork *w, const FactorArgs *a, Launch l) {
    enum { WORTH = 96 * 96 * 96, FEW = 64 };
    int64_t m = a->n[0][0], n = a->n[0][1], small = m < n ? m : n;
    bool has = w->kind == FACTOR_CHOLESKY || w->kind == FACTOR_QR || by_lu(w) || by_svd(w) || l.first == EIGH;
    GpuSolverWork s = {.kind = solver_kind(w), .dtype = w->dtype};
    if (!has || l.family != &gpu_factors || !gpu_wants(h, a->count > FEW ? 0 : small * m * n, WORTH)) return false;
    return gpu_solver(h, &s) == GPU_DONE;
}

/* Its room besides a matrix's own: right sides, and pivots. */
static int64_t solver_room(const FactorWork *w, const FactorArgs *a, int64_t item) {
    int64_t m = a->n[0][0], n = a->n[0][1], small = m < n ? m : n;
    if (!by_lu(w)) return 0;
    return (solves(w) ? n * a->n[w->nin][1] * item : 0) + small * (int64_t)sizeof(int64_t);
}

/* What of matrix `item` the library works on: its room as the kernels carve it. */
static GpuSolverWork solver_work(const FactorWork *w, const FactorArgs *a, int64_t item, GpuSolverKind kind) {
    int64_t bytes = (int64_t)th_dtype_bytes(w->dtype), m = a->n[0][0], n = a->n[0][1];
    int64_t large = m > n ? m : n, small = m < n ? m : n, q = w->mode == FACTOR_COMPLETE ? m : small;
    char *room = a->room + item * a->each;
    GpuSolverWork s = {.kind = kind, .dtype = w->dtype, .rows = m, .cols = n, .trans = w->trans, .full = a->full};
    s.a = room, s.info = (int32_t *)a->info + item;
    s.vectors = kind == GPU_SOLVER_SVD ? a->vectors : w->kind == FACTOR_PINV || (w->kind == FACTOR_EIGH && w->vectors);
    switch (kind) {
    case GPU_SOLVER_SOLVE:
        s.many = a->n[w->nin][1], s.s = room + n * n * bytes;
        if (w->kind == FACTOR_INVERSE) s.trans = FACTOR_N;
        s.info += a->count; /* that of the factors is kept */
        /* fall through */
    case GPU_SOLVER_LU: s.pivot = (int64_t *)(void *)(room + a->each) - small; break;
    case GPU_SOLVER_Q: s.cols = small, s.many = q; /* fall through */
    case GPU_SOLVER_QR: s.s = room + m * (q > n ? q : n) * bytes; break;
    case GPU_SOLVER_SVD:
        s.rows = large, s.cols = small;
        s.v = room + large * (a->full ? large : small) * bytes;
        s.u = s.v + small * small * bytes;
        s.s = s.u + ((large + 1) * large + small) * bytes;
        break;
    default: s.s = room + (2 * n * n + 6 * n) * bytes;
    }
    return s;
}

/* Reflectors and their factors that are results themselves. */
static void solver_raw(const FactorArgs *a, int64_t item, GpuSolverWork *s) {
    int64_t at[2] = {0, 0};
    for (int64_t d = a->nd - 1; d >= 0; item /= a->len[d--])
        for (int i = 0; i < 2; i++) at[i] += item % a->len[d] * a->st[d][1 + i];
    s->a = a->at[1] + at[0], s->s = a->at[2] + at[1];
}

/* All matrices, one after the other. */
static GpuDone by_kind(HostCall *h, const FactorWork *w, const FactorArgs *a, GpuSolverKind kind) {
    GpuDone done = GPU_DONE;
    for (int64_t i = 0; i < a->count && done == GPU_DONE; i++) {
        GpuMark mark = gpu_mark(h);
        GpuSolverWork s = solver_work(w, a, i, kind);
        if (kind == GPU_SOLVER_QR && w->mode == FACTOR_RAW) solver_raw(a, i, &s);
        done = gpu_solver(h, &s);
        gpu_back(h, mark);
    }
    return done;
}

static GpuDone phase(HostCall *h, FactorArgs *a, Launch l, int variant, int which) {
    a->phase = which;
    return gpu_launch(h, l.family, variant, l.first, a->count, a) ? GPU_FAILED : GPU_DONE;
}

/* GPU_NOT: nothing has become of the operands. */
static GpuDone by_solver(HostCall *h, const FactorWork *w, FactorArgs *a, Launch l, int variant) {
    char *info;
    if (!gpu_room(h, 2 * (size_t)a->count * sizeof(i32), &info)) return GPU_FAILED;
    a->info = (const i32 *)(const void *)info;
    GpuDone done = phase(h, a, l, variant, PHASE_TAKE);
    if (done == GPU_DONE && w->kind != FACTOR_LU_SOLVE) done = by_kind(h, w, a, solver_kind(w));
    if (done == GPU_DONE && solves(w)) done = by_kind(h, w, a, GPU_SOLVER_SOLVE);
    if (done == GPU_DONE) done = phase(h, a, l, variant, PHASE_PUT);
    if (w->kind == FACTOR_QR && w->mode < FACTOR_R) {
        if (done == GPU_DONE) done = by_kind(h, w, a, GPU_SOLVER_Q);
        if (done == GPU_DONE) done = phase(h, a, l, variant, PHASE_Q);
    }
    a->phase = done == GPU_DONE ? PHASE_PUT : PHASE_ALL; /* of a second kernel */
    return done;
}

int gpu_factor(HostCall *h, const FactorWork *w) {
    FactorArgs a = record(w);
    Launch l = launch_of(w);
    int variant = variant_of(w->dtype);
    int64_t small = a.n[0][0] < a.n[0][1] ? a.n[0][0] : a.n[0][1], item = (int64_t)th_dtype_bytes(w->dtype);
    if (a.count == 0) return 0;
    if (a.n[0][0] > INT32_MAX || a.n[0][1] > INT32_MAX)
        return h->fail(h, TH_ValueError, "a matrix has too many rows or columns");
    if (small == 0) return gpu_launch(h, &gpu_factors, variant, EMPTY, a.count, &a);
    if (l.family == &gpu_spectrum && variant < 2) a.narrow = 1, variant += 2, item *= 2;
    bool solver = solver_may(h, w, &a, l);
    a.each = (room_of(w, &a) * item + (solver ? solver_room(w, &a, item) : 0) + 255) / 256 * 256;
    if (!gpu_room(h, (size_t)(a.count * a.each), &a.room) || !gpu_room(h, (size_t)a.count * 8, &a.faults)) return 1;
    GpuDone done = solver ? by_solver(h, w, &a, l, variant) : GPU_NOT;
    if (done == GPU_FAILED) return 1;
    if (done == GPU_NOT && gpu_launch(h, l.family, variant, l.first, a.count, &a)) return 1;
    if (l.second >= 0 && gpu_launch(h, l.family, variant, l.second, a.count, &a)) return 1;
    return w->nan ? 0 : gpu_launch(h, &gpu_factors, variant_of(w->dtype), REPORT, 1, &a);
}
