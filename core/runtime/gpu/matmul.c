/*
 * matmul.c -- products of matrices by cuBLASLt. In: matrices on a device, whose rows or columns lie side by side. Out:
 * the product, queued; or GPU_NOT, and the kernel's own tiles have to do it: where there is no library, or it does not
 * take these matrices. float32 without TF32 (the flag allow_tf32); of two factors of one half, sums of float32; what is
 * summed in parts is joined in an order of its own, without atomics. A bias is added by the library where it has that,
 * an array that lies as the product does as what was there before, and what is only rounded to its factors' half is
 * stored as that; no other epilogue of its is what is written in a graph to the last bit: its relu loses NaN, and its
 * gelu is an approximation.
 */
#include "gpu.h"
#include "runtime/device/library.h"

#include <limits.h>
#include <string.h>

/* As the library's headers have them (spec/cuda_headers_spec.lua). */
enum {
    LT_REAL_32 = 0,
    LT_REAL_64 = 1,
    LT_REAL_16 = 2,
    LT_BRAIN_16 = 14,
    LT_SUM_32 = 68,
    LT_SUM_TF32 = 77,
    LT_SUM_64 = 70,
    LT_TURN_A = 3,
    LT_TURN_B = 4,
    LT_BEHIND = 7,
    LT_BIAS_AT = 8,
    LT_BIAS = 4,
    LT_BATCH = 5,
    LT_BATCH_STEP = 6,
    LT_ROOM = 1,
    LT_JOINS = 3,
    LT_JOINS_IN_ORDER = 6, /* all but CUBLASLT_REDUCTION_SCHEME_INPLACE */
    LT_JOINS_WHOLE = 2,    /* as float32, before they are rounded */
};
typedef struct LtChoice { /* cublasLtMatmulHeuristicResult_t */
    uint64_t algorithm[8];
    size_t bytes;
    int state;
    float waves;
    int more[4];
} LtChoice;

/* clang-format off */
#define CUBLASLT(X)                                                                                                    \
    X(int, open, "cublasLtCreate", (void **handle))                                                                    \
    X(int, close, "cublasLtDestroy", (void *handle))                                                                   \
    X(int, product_new, "cublasLtMatmulDescCreate", (void **product, int sum, int scale))                              \
    X(int, product_free, "cublasLtMatmulDescDestroy", (void *product))                                                 \
    X(int, product_set, "cublasLtMatmulDescSetAttribute", (void *product, int what, const void *v, size_t bytes))      \
    X(int, matrix_new, "cublasLtMatrixLayoutCreate",                                                                   \
      (void **matrix, int type, uint64_t rows, uint64_t cols, int64_t step))                                           \
    X(int, matrix_free, "cublasLtMatrixLayoutDestroy", (void *matrix))                                                 \
    X(int, matrix_set, "cublasLtMatrixLayoutSetAttribute", (void *matrix, int what, const void *v, size_t bytes))      \
    X(int, wish_new, "cublasLtMatmulPreferenceCreate", (void **wish))                                                  \
    X(int, wish_free, "cublasLtMatmulPreferenceDestroy", (void *wish))                                                 \
    X(int, wish_set, "cublasLtMatmulPreferenceSetAttribute", (void *wish, int what, const void *v, size_t bytes))      \
    X(int, choose, "cublasLtMatmulAlgoGetHeuristic",                                                                   \
      (void *handle, void *product, void *a, void *b, void *c, void *d, void *wish, int most, LtChoice *choice,        \
       int *found))                                                                                                    \
    X(int, run, "cublasLtMatmul",                                                                                      \
      (void *handle, void *product, const void *alpha, const void *a, void *a_is, const void *b, void *b_is,           \
       const void *beta, const void *c, void *c_is, void *d, void *d_is, const void *algorithm, void *room,            \
       size_t bytes, void *stream))
/* clang-format on */
LIBRARY_TABLE(CublasLt, cublaslt_table, LIBRARY_CUBLASLT, CUBLASLT)

/* Bytes for the parts of sums that the library cuts where a product has few tiles: as many as its estimates count on
 * (roofline.lua), up to what NVIDIA advises for its newer GPUs. */
static size_t room_of(const GpuProduct *p) {
    enum { LEAST = 4 << 20, MOST = 32 << 20, PARTS = 16 };
    double parts = (double)p->matrices * (double)p->c.rows * (double)p->c.cols * th_dtype_bytes(p->dtype) * PARTS;
    return parts > MOST ? MOST : parts < LEAST ? LEAST : (size_t)parts;
}

void gpu_matmul_close(GpuHandle *m) {
    const CublasLt *lt = m->functions;
    if (m->handle) lt->close(m->handle);
    *m = (GpuHandle){0};
}

/* What products by the library need, had once a device. */
static bool ready(HostCall *h, GpuHandle *m) {
    bool asked = m->asked;
    const CublasLt *lt = gpu_functions(h, m, &cublaslt_table, "products");
    if (lt && !asked && lt->open(&m->handle)) m->handle = NULL;
    return m->handle != NULL;
}

/* How a matrix lies for a library that counts by columns: `turned`, its rows lie side by side. */
typedef struct Lies {
    bool turned;
    int64_t step;
} Lies;

static bool lies(const GpuMatrix *m, Lies *l) {
    bool rows = m->cs == 1 || m->cols == 1, cols = m->rs == 1 || m->rows == 1;
    if (!rows && !cols) return false;
    l->turned = rows;
    int64_t step = rows ? m->rs : m->cs, most = rows ? m->cols : m->rows;
    if ((rows ? m->rows : m->cols) == 1) step = most;
    l->step = step;
    return step >= most && step > 0;
}

typedef struct Made { /* what is destroyed behind the call */
    void *product, *wish, *matrix[3];
} Made;

static void unmake(const CublasLt *lt, Made *x) {
    for (int i = 0; i < 3; i++)
        if (x->matrix[i]) lt->matrix_free(x->matrix[i]);
    if (x->wish) lt->wish_free(x->wish);
    if (x->product) lt->product_free(x->product);
}

static int shape(const CublasLt *lt, void **to, int type, const GpuMatrix *m, bool turned, int64_t step,
                 const GpuProduct *p) {
    int64_t rows = turned ? m->cols : m->rows, cols = turned ? m->rows : m->cols;
    int32_t many = (int32_t)p->matrices;
    int bad = lt->matrix_new(to, type, (uint64_t)rows, (uint64_t)cols, step);
    if (bad || many == 1) return bad;
    bad = lt->matrix_set(*to, LT_BATCH, &many, sizeof many);
    return bad ? bad : lt->matrix_set(*to, LT_BATCH_STEP, &m->step, sizeof m->step);
}

/* The library's rows are c's columns where it is asked for c^T. */
static int describe_bias(const CublasLt *lt, Made *x, const GpuProduct *p) {
    uint32_t behind = LT_BIAS;
    int bad = lt->product_set(x->product, LT_BEHIND, &behind, sizeof behind);
    return bad ? bad : lt->product_set(x->product, LT_BIAS_AT, &p->more, sizeof p->more);
}

/* The library has c by columns: where c's rows lie side by side it is asked for c^T = b^T a^T. */
static int describe(const CublasLt *lt, Made *x, const GpuProduct *p, const Lies *l, bool low, bool tf32,
                    int order[2]) {
    bool wide = p->dtype == TH_FLOAT64, by_rows = l[2].turned;
    int type = wide ? LT_REAL_64 : LT_REAL_32, room_mask = low ? LT_JOINS_WHOLE : LT_JOINS_IN_ORDER;
    int half = p->half == TH_FLOAT16 ? LT_REAL_16 : p->half == TH_BFLOAT16 ? LT_BRAIN_16 : type;
    uint64_t room = room_of(p);
    const GpuMatrix *m[3] = {&p->a, &p->b, low ? &p->low : &p->c};
    order[0] = by_rows, order[1] = !by_rows;
    int sum = wide ? LT_SUM_64 : tf32 && !p->half ? LT_SUM_TF32 : LT_SUM_32;
    int bad = lt->product_new(&x->product, sum, type);
    for (int i = 0; i < 2 && !bad; i++) {
        int turn = l[order[i]].turned != by_rows;
        bad = lt->product_set(x->product, i ? LT_TURN_B : LT_TURN_A, &turn, sizeof turn);
    }
    for (int i = 0; i < 3 && !bad; i++)
        bad = shape(lt, &x->matrix[i], i < 2 || low ? half : type, m[i], l[i].turned, l[i].step, p);
    if (!bad) bad = lt->wish_new(&x->wish);
    if (!bad) bad = lt->wish_set(x->wish, LT_ROOM, &room, sizeof room);
    return bad ? bad : lt->wish_set(x->wish, LT_JOINS, &room_mask, sizeof room_mask);
}

typedef enum Behind { LT_NONE, LT_ADDS, LT_ROUNDS } Behind;

static bool run(HostCall *h, GpuHandle *u, const GpuProduct *p, const Lies *l, char *room, Behind behind) {
    const CublasLt *lt = u->functions;
    Made x = {0};
    LtChoice choice;
    int order[2], found = 0;
    const bool array = behind == LT_ADDS && p->adds == GPU_ADDS_ARRAY;
    const double one = 1, *old = array ? &one : &p->beta; /* the factor of what is there */
    float alpha = (float)p->alpha, beta = (float)*old;
    bool wide = p->dtype == TH_FLOAT64;
    char *d = behind == LT_ROUNDS ? p->low.at : p->c.at, *c = array ? p->more : d;
    int bad = describe(lt, &x, p, l, behind == LT_ROUNDS, config_bool(h->ctx, "allow_tf32"), order);
    if (!bad && behind == LT_ADDS && !array) bad = describe_bias(lt, &x, p);
    void *first = x.matrix[order[0]], *second = x.matrix[order[1]], *to = x.matrix[2];
    if (!bad) bad = lt->choose(u->handle, x.product, first, second, to, to, x.wish, 1, &choice, &found);
    if (!bad && found)
        bad = lt->run(u->handle, x.product, wide ? (const void *)&p->alpha : &alpha, order[0] ? p->b.at : p->a.at,
                      first, order[0] ? p->a.at : p->b.at, second, wide ? (const void *)old : &beta, c, to, d, to,
                      choice.algorithm, room, room_of(p), h->gpu->q->stream);
    unmake(lt, &x);
    return !bad && found;
}

GpuDone gpu_matmul(HostCall *h, GpuHandle *u, GpuProduct *p) {
    Lies l[3];
    char *room;
    if (!gpu_wants(h, 1, 1) || p->matrices > INT32_MAX || !lies(&p->a, &l[0]) || !lies(&p->b, &l[1]) ||
        !lies(&p->c, &l[2]))
        return GPU_NOT;
    if (!ready(h, u)) return GPU_NOT;
    if (!gpu_room(h, room_of(p), &room)) return GPU_FAILED;
    Lies whole = l[2];
    const bool adds = p->adds == GPU_ADDS_ARRAY || (p->adds && whole.turned);
    p->added = adds && run(h, u, p, l, room, LT_ADDS);
    p->added = p->added || (p->rounds && lies(&p->low, &l[2]) && run(h, u, p, l, room, LT_ROUNDS));
    l[2] = whole;
    return p->added || run(h, u, p, l, room, LT_NONE) ? GPU_DONE : GPU_NOT;
}
