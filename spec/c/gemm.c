/*
 * gemm.c -- products against a triple loop in long double: every small size, larger and awkward ones, every layout,
 * every instruction set of this CPU; bits equal over layouts and threads; NaN and infinity; integers, bool, complex.
 */
#include "runtime/machine/blas.h"
#include "runtime/gemm/gemm.h"
#include "runtime/machine/parallel.h"
#include "test.h"

#include <math.h>
#include <pthread.h>

/* ---- numbers, reference ------------------------------------------------------------------------------------------ */
static uint64_t seed = 1;
static double next(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed >> 11) / 9007199254740992.0 - 0.5;
}
static int64_t pick(int64_t n) { return (int64_t)((next() + 0.5) * (double)n); }

static double get(ThDtype d, const void *p, int64_t i) {
    return d == TH_FLOAT32 ? (double)((const float *)p)[i] : ((const double *)p)[i];
}
static void set(ThDtype d, void *p, int64_t i, double v) {
    if (d == TH_FLOAT32) ((float *)p)[i] = (float)v;
    else ((double *)p)[i] = v;
}

/* A matrix in a buffer of its own, filled so that what lies outside it would be noticed (NaN). */
typedef struct Matrix {
    int64_t rows, cols, rs, cs, size, first;
    void *at;
} Matrix;

/* layout: 0 rows, 1 columns, 2 padded rows, 3 both strides > 1, 4 reversed rows, 5 all reversed, 6 row stride 0 */
enum { LAYOUTS = 7 };
static Matrix matrix(ThDtype d, int64_t rows, int64_t cols, int layout) {
    Matrix m = {.rows = rows, .cols = cols, .rs = cols, .cs = 1};
    if (layout == 1) m.rs = 1, m.cs = rows;
    if (layout == 2) m.rs = cols + 3;
    if (layout == 3) m.rs = 2 * cols + 5, m.cs = 2;
    if (layout == 4) m.rs = -cols;
    if (layout == 5) m.rs = -(cols + 1), m.cs = -1;
    if (layout == 6) m.rs = 0;
    int64_t lowest = (m.rs < 0 ? m.rs * (rows - 1) : 0) + (m.cs < 0 ? m.cs * (cols - 1) : 0);
    int64_t highest = (m.rs > 0 ? m.rs * (rows - 1) : 0) + (m.cs > 0 ? m.cs * (cols - 1) : 0);
    if (rows == 0 || cols == 0) lowest = highest = 0;
    m.first = 8 - lowest + pick(4);
    m.size = m.first + highest + 9;
    m.at = malloc((size_t)m.size * th_dtype_bytes(d));
    for (int64_t i = 0; i < m.size; i++) set(d, m.at, i, NAN);
    return m;
}
static void *first(ThDtype d, const Matrix *m) { return (char *)m->at + m->first * (int64_t)th_dtype_bytes(d); }
static double elem(ThDtype d, const Matrix *m, int64_t i, int64_t j) {
    return get(d, m->at, m->first + i * m->rs + j * m->cs);
}
static void put(ThDtype d, Matrix *m, int64_t i, int64_t j, double v) {
    set(d, m->at, m->first + i * m->rs + j * m->cs, v);
}
static void fill(ThDtype d, Matrix *m) {
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t j = 0; j < m->cols; j++) put(d, m, i, j, next());
}

/* The workspace ends with a mark: a kernel that needs more than it said is seen. */
static void run(ThContext *c, const GemmArgs *g) {
    size_t bytes = gemm_scratch_bytes(g);
    unsigned char *scratch = ctx_alloc_aligned(c, bytes + 64, 64);
    memset(scratch + bytes, 0xa5, 64);
    CHECK(gemm_run(c, g, bytes ? scratch : NULL) == 0);
    for (int i = 0; i < 64; i++)
        if (scratch[bytes + (size_t)i] != 0xa5) {
            CHECK(!"the workspace was overrun");
            break;
        }
    ctx_free(c, scratch, bytes + 64);
}

static GemmArgs args(ThDtype d, const Matrix *a, const Matrix *b, const Matrix *c, double alpha, double beta) {
    return (GemmArgs){d,     a->rows, b->cols,     a->cols, first(d, a), a->rs, a->cs,       first(d, b),
                      b->rs, b->cs,   first(d, c), c->rs,   c->cs,       alpha, .beta = beta};
}

/* Is every element within the rounding of k multiply-adds, and everything outside c untouched? */
static bool close_enough(ThDtype d, const Matrix *a, const Matrix *b, const Matrix *c, const Matrix *old, double alpha,
                         double beta) {
    double eps = d == TH_FLOAT32 ? 0x1p-23 : 0x1p-52;
    int64_t inside = 0, numbers = 0;
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t j = 0; j < c->cols; j++, inside++) {
            long double sum = 0, size = 0;
            for (int64_t k = 0; k < a->cols; k++) {
                long double p = (long double)elem(d, a, i, k) * elem(d, b, k, j);
                sum += p, size += fabsl(p);
            }
            long double want = alpha * sum, was = beta != 0 ? elem(d, old, i, j) : 0;
            if (beta != 0) want += beta * was;
            long double slack = eps * ((a->cols + 4) * fabs(alpha) * size + 4 * fabsl(beta * was));
            if (!(fabsl(elem(d, c, i, j) - want) <= slack)) return false;
        }
    for (int64_t i = 0; i < c->size; i++) numbers += !isnan(get(d, c->at, i));
    return numbers == inside;
}

/* One thread's workspace, and the least there is: no more bytes, the same bits. */
static void narrower(ThContext *ctx, ThDtype d, GemmArgs g, Matrix *c, const Matrix *old) {
    size_t bytes = (size_t)c->size * th_dtype_bytes(d), most = gemm_scratch_bytes(&g);
    char *want = malloc(bytes);
    memcpy(want, c->at, bytes);
    g.alone = true;
    for (int turn = 0; turn < 3; turn++) {
        g.room = turn == 0 ? 0 : turn == 1 ? (int64_t)(most / 3 + 1) : 1;
        size_t need = gemm_scratch_bytes(&g);
        CHECK(need <= most);
        most = need;
        memcpy(c->at, old->at, bytes);
        run(ctx, &g);
        CHECK(!memcmp(want, c->at, bytes));
    }
    free(want);
}

static void one(ThContext *ctx, ThDtype d, int64_t m, int64_t n, int64_t k, const int layout[3], double alpha,
                double beta) {
    Matrix a = matrix(d, m, k, layout[0]), b = matrix(d, k, n, layout[1]);
    Matrix c = matrix(d, m, n, layout[2] == 6 ? 0 : layout[2]), old = c;
    fill(d, &a), fill(d, &b);
    if (beta != 0) fill(d, &c); /* else c is all NaN, which must not be read */
    old.at = malloc((size_t)c.size * th_dtype_bytes(d));
    memcpy(old.at, c.at, (size_t)c.size * th_dtype_bytes(d));
    GemmArgs g = args(d, &a, &b, &c, alpha, beta);
    run(ctx, &g);
    bool good = close_enough(d, &a, &b, &c, &old, alpha, beta);
    CHECK(good);
    if (!good)
        fprintf(stderr, "  %s %dx%dx%d layouts %d %d %d alpha %g beta %g\n", th_dtype_name(d), (int)m, (int)n, (int)k,
                layout[0], layout[1], layout[2], alpha, beta);
    if (m * n * k > 50000 || pick(8) == 0) narrower(ctx, d, g, &c, &old);
    free(a.at), free(b.at), free(c.at), free(old.at);
}

/* ---- sizes and layouts ------------------------------------------------------------------------------------------- */
static void small_sizes(ThContext *c) {
    static const double betas[] = {0, 1, -0.5};
    const int64_t step = test_step(1000);
    int64_t turn = 0;
    for (int d = TH_FLOAT32; d <= TH_FLOAT64; d++)
        for (int64_t m = 0; m <= 20; m++)
            for (int64_t n = 0; n <= 20; n++)
                for (int64_t k = 0; k <= 20; k++, turn++) {
                    if (turn % step) continue;
                    int layout[3] = {(int)(turn % LAYOUTS), (int)(turn / LAYOUTS % LAYOUTS),
                                     (int)(turn / 49 % LAYOUTS)};
                    one(c, (ThDtype)d, m, n, k, layout, turn % 5 ? 1 : -2.5, betas[turn % 3]);
                }
}

static void large_sizes(ThContext *c) {
    static const int64_t sizes[][3] = {
        {60, 500, 784},  {60, 10, 500}, {500, 10, 60}, {61, 67, 1025}, {130, 65, 300}, {6, 640, 3},  {700, 70, 33},
        {7, 9, 3100},    {1, 500, 784}, {500, 1, 784}, {1, 1, 1000},   {1, 77, 5},     {300, 1, 9},  {33, 1, 2001},
        {900, 130, 257}, {2, 3, 1},     {200, 129, 1}, {13, 31, 64},   {129, 64, 64},  {2, 64, 100}, {12, 128, 40},
        {60, 10, 784},   {230, 3, 131}, {784, 10, 60}, {33, 20, 1300}, {41, 5, 129},   {70, 11, 71},
    };
    const int64_t step = test_step(1000);
    int64_t turn = 0;
    for (int d = TH_FLOAT32; d <= TH_FLOAT64; d++)
        for (int i = 0; i < TH_LEN(sizes); i++)
            for (int v = 0; v < 4; v++, turn++) {
                if (turn % step || (step > 1 && sizes[i][0] * sizes[i][1] * sizes[i][2] > 2000000)) continue;
                int layout[3] = {v < 2 ? v : (int)pick(LAYOUTS),
                                 v == 1  ? 1
                                 : v < 2 ? 0
                                         : (int)pick(LAYOUTS),
                                 v == 3  ? 1
                                 : v < 2 ? 0
                                         : (int)pick(LAYOUTS)};
                one(c, (ThDtype)d, sizes[i][0], sizes[i][1], sizes[i][2], layout, 1, turn % 2);
            }
}

/* ---- equal bits -------------------------------------------------------------------------------------------------- */
static void same_bits(ThContext *c, int64_t m, int64_t n, int64_t k, ThDtype d) {
    Matrix a0 = matrix(d, m, k, 0), b0 = matrix(d, k, n, 0), c0 = matrix(d, m, n, 0);
    fill(d, &a0), fill(d, &b0), fill(d, &c0);
    int different = 0;
    double *want = malloc((size_t)(m * n) * sizeof *want);
    for (int v = 0; v < 6 * 6; v++) {
        Matrix a = matrix(d, m, k, v % 6), b = matrix(d, k, n, v / 6), r = matrix(d, m, n, (v + v / 6) % 6);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < k; j++) put(d, &a, i, j, elem(d, &a0, i, j));
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = 0; j < n; j++) put(d, &b, i, j, elem(d, &b0, i, j));
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) put(d, &r, i, j, elem(d, &c0, i, j));
        GemmArgs g = args(d, &a, &b, &r, 0.75, 0.3);
        run(c, &g);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                if (v == 0) want[i * n + j] = elem(d, &r, i, j);
                different += want[i * n + j] != elem(d, &r, i, j);
            }
        free(a.at), free(b.at), free(r.at);
    }
    CHECK(different == 0);
    if (different)
        fprintf(stderr, "  %s %dx%dx%d: %d elements differ over layouts\n", th_dtype_name(d), (int)m, (int)n, (int)k,
                different);
    free(a0.at), free(b0.at), free(c0.at), free(want);
}

static void layouts_agree(ThContext *c) {
    static const int64_t sizes[][3] = {{5, 7, 3},    {13, 70, 50},   {1, 37, 83},    {37, 1, 83},   {1, 1, 203},
                                       {300, 1, 77}, {20, 30, 1500}, {600, 40, 300}, {60, 10, 784}, {101, 3, 133},
                                       {210, 5, 33}, {66, 20, 1301}, {16, 2, 128},   {1, 10, 83},   {1, 3, 784},
                                       {1, 12, 45},  {1, 9001, 33},  {110, 70, 130}, {9, 1, 100},   {83, 10, 1},
                                       {45, 2, 1},   {300, 12, 1},   {31, 7, 1}};
    for (int i = 0; i < TH_LEN(sizes); i++)
        for (int d = TH_FLOAT32; d <= TH_FLOAT64; d++) same_bits(c, sizes[i][0], sizes[i][1], sizes[i][2], (ThDtype)d);
}

/* A matrix that takes more than the caches, by its strides, has the bits of the same one without gaps. */
static void far_agrees(ThContext *c, ThDtype d, int64_t m, int64_t k, bool by_rows) {
    const int64_t far = 20000000 / (int64_t)th_dtype_bytes(d) / (by_rows ? m : k);
    Matrix near = matrix(d, m, k, by_rows ? 0 : 1), x = matrix(d, k, 1, 0), y = matrix(d, m, 1, 0),
           z = matrix(d, m, 1, 0);
    fill(d, &near), fill(d, &x);
    Matrix wide = near;
    wide.at = calloc(20000000 + 64, 1), wide.first = 0;
    wide.rs = by_rows ? far : 1, wide.cs = by_rows ? 1 : far;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < k; j++) put(d, &wide, i, j, elem(d, &near, i, j));
    GemmArgs g = args(d, &near, &x, &y, 0.75, 0), h = args(d, &wide, &x, &z, 0.75, 0);
    run(c, &g), run(c, &h);
    int different = 0;
    for (int64_t i = 0; i < m; i++) different += elem(d, &y, i, 0) != elem(d, &z, i, 0);
    CHECK(different == 0);
    free(near.at), free(wide.at), free(x.at), free(y.at), free(z.at);
}

static void far_ones_agree(ThContext *c) {
    static const int64_t sizes[][2] = {{2, 1}, {9, 15}, {70, 16}, {33, 83}, {300, 120}, {260, 203}};
    for (int i = 0; i < TH_LEN(sizes); i++)
        for (int d = TH_FLOAT32; d <= TH_FLOAT64; d++)
            for (int by_rows = 0; by_rows < 2; by_rows++) far_agrees(c, (ThDtype)d, sizes[i][0], sizes[i][1], by_rows);
}

/* A host hook that runs pieces backwards on two threads. */
typedef struct Half {
    int n, part;
    void (*fn)(int, void *);
    void *user;
} Half;
static void *half(void *p) {
    Half *h = p;
    for (int i = h->n - 1; i >= 0; i--)
        if (i % 2 == h->part) h->fn(i, h->user);
    return NULL;
}
static int hook_calls;
static void two_threads(void *host, int n, void (*fn)(int, void *), void *user) {
    (void)host;
    pthread_t id;
    Half a = {n, 0, fn, user}, b = {n, 1, fn, user};
    hook_calls++;
    CHECK(pthread_create(&id, NULL, half, &a) == 0);
    half(&b);
    pthread_join(id, NULL);
}

static void threads_agree(void) {
    ThHost host = {.parallel_for = two_threads};
    ThContext *one_thread = th_context_new(NULL), *hooked = th_context_new(&host), *pool = th_context_new(NULL);
    CHECK(th_config_set(pool, "openmp", "true") == 0);
    static const int64_t sizes[][3] = {
        {60, 500, 784}, {2000, 300, 70}, {900, 130, 1100}, {700, 10, 900},  {2000, 10, 200}, /* and few panels: */
        {530, 60, 130}, {131, 63, 2049}, {1030, 100, 90},  {515, 300, 261}, {257, 440, 1030}};
    for (int i = 0; i < TH_LEN(sizes); i++)
        for (int layout = 0; layout < 4; layout++) {
            ThDtype d = i % 3 == 1 ? TH_FLOAT64 : TH_FLOAT32;
            const double beta = layout ? 0.5 : 0;
            Matrix a = matrix(d, sizes[i][0], sizes[i][2], layout & 1),
                   b = matrix(d, sizes[i][2], sizes[i][1], layout >> 1);
            Matrix r[3], was = matrix(d, sizes[i][0], sizes[i][1], 0);
            const size_t bytes = (size_t)(was.rows * was.cols) * th_dtype_bytes(d);
            fill(d, &a), fill(d, &b), fill(d, &was);
            ThContext *c[3] = {one_thread, hooked, pool};
            for (int q = 0; q < 3; q++) {
                r[q] = matrix(d, sizes[i][0], sizes[i][1], 0);
                memcpy(first(d, &r[q]), first(d, &was), bytes);
                GemmArgs g = args(d, &a, &b, &r[q], 1, beta);
                run(c[q], &g);
                bool equal = memcmp(first(d, &r[q]), first(d, &r[0]), bytes) == 0;
                CHECK(equal);
            }
            for (int q = 0; q < 3; q++) free(r[q].at);
            free(a.at), free(b.at), free(was.at);
        }
    CHECK(hook_calls >= 9);
    th_context_release(one_thread), th_context_release(hooked), th_context_release(pool);
}

static bool same_elements(ThDtype d, const Matrix *x, const Matrix *y) {
    int different = 0;
    for (int64_t i = 0; i < y->rows; i++)
        for (int64_t j = 0; j < y->cols; j++) different += elem(d, x, i, j) != elem(d, y, i, j);
    return different == 0;
}

/* Products in two loops, whose operands lie apart: as many calls of the hook as `calls`, and the bits of gemm_run; in
   the same working memory where the threads are gone too. */
static void batch(ThContext *c, ThDtype d, int64_t m, int64_t n, int64_t k, int64_t out, int64_t in, bool tight,
                  int calls) {
    const int64_t all = out * in;
    Matrix a = matrix(d, all * m, k, 0), b = matrix(d, all * k, n, 0), r = matrix(d, all * m, n, 0),
           want = matrix(d, all * m, n, 0);
    fill(d, &a), fill(d, &b);
    /* the inner loop goes through every out-th */
    const int64_t turn[2][GEMM_TURN] = {{m * a.rs, k * b.rs, m * r.rs, out},
                                        {out * m * a.rs, out * k * b.rs, out * m * r.rs, in}};
    const GemmTurns t = {2, turn};
    GemmArgs g = args(d, &a, &b, &r, 1, 0);
    g.m = m, g.k = k;
    for (int64_t i = 0; i < all; i++) {
        GemmArgs one = g;
        const int64_t item = (int64_t)th_dtype_bytes(d);
        one.a = (const char *)g.a + i * m * a.rs * item, one.b = (const char *)g.b + i * k * b.rs * item;
        one.c = (char *)first(d, &want) + i * m * want.rs * item, one.alone = true;
        run(c, &one);
    }
    const size_t bytes = tight ? gemm_scratch_bytes(&g) : gemm_batch_scratch(c, &g, &t);
    char *scratch = aligned_alloc(64, (bytes + 64) / 64 * 64);
    hook_calls = 0;
    CHECK(scratch && gemm_batch(c, &g, &t, scratch, bytes) == 0);
    CHECK(hook_calls == calls);
    CHECK(same_elements(d, &r, &want));
    ThContext *alone = th_context_new(NULL);
    for (int64_t i = 0; i < all * m; i++)
        for (int64_t j = 0; j < n; j++) put(d, &r, i, j, NAN);
    CHECK(bytes >= gemm_scratch_bytes(&g) && gemm_batch(alone, &g, &t, scratch, bytes) == 0);
    CHECK(same_elements(d, &r, &want));
    th_context_release(alone);
    free(a.at), free(b.at), free(r.at), free(want.at), free(scratch);
}

static void batches_share(void) {
    ThHost host = {.parallel_for = two_threads};
    ThContext *c = th_context_new(&host);
    for (int d = TH_FLOAT32; d <= TH_FLOAT64; d++) {
        batch(c, (ThDtype)d, 50, 40, 60, 5, 8, false, 1);
        batch(c, (ThDtype)d, 50, 40, 60, 5, 1, false, 0);   /* too little work */
        batch(c, (ThDtype)d, 4000, 9, 128, 2, 2, false, 1); /* one shared product needs more than four alone */
        batch(c, (ThDtype)d, 50, 40, 60, 5, 8, true, 0);    /* working memory of one */
        batch(c, (ThDtype)d, 2, 3, 0, 4, 2, false, 0);      /* sums of nothing */
        batch(c, (ThDtype)d, 50, 40, 60, 0, 8, false, 0);   /* none */
    }
    th_context_release(c);
}

/* ---- special values ---------------------------------------------------------------------------------------------- */
static void specials(ThContext *c, int64_t m, int64_t n, int64_t k, ThDtype d) {
    Matrix a = matrix(d, m, k, 0), b = matrix(d, k, n, 0), r = matrix(d, m, n, 0);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < k; j++) put(d, &a, i, j, 1);
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < n; j++) put(d, &b, i, j, 2);
    put(d, &a, m / 2, k - 1, NAN);
    put(d, &b, k / 2, n / 2, INFINITY);
    GemmArgs g = args(d, &a, &b, &r, 1, 0);
    run(c, &g);
    int bad = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double v = elem(d, &r, i, j);
            bad += i == m / 2 ? !isnan(v) : j == n / 2 ? v != INFINITY : v != 2.0 * (double)k;
        }
    CHECK(bad == 0);
    put(d, &a, m / 2, k - 1, 0), put(d, &a, m / 2, k / 2, 0); /* 0 * inf is NaN even among zeros */
    g.beta = 0;
    run(c, &g);
    CHECK(isnan(elem(d, &r, m / 2, n / 2)));
    free(a.at), free(b.at), free(r.at);
}

static void all_specials(ThContext *c) {
    static const int64_t sizes[][3] = {{3, 5, 4},     {1, 40, 9}, {40, 1, 19}, {1, 1, 33},
                                       {13, 100, 30}, {7, 65, 1}, {1, 10, 85}, {37, 3, 1}};
    for (int i = 0; i < TH_LEN(sizes); i++)
        for (int d = TH_FLOAT32; d <= TH_FLOAT64; d++) specials(c, sizes[i][0], sizes[i][1], sizes[i][2], (ThDtype)d);
}

static void empty_sums(ThContext *c) {
    double x[4] = {NAN, 2, 3, 4};
    GemmArgs g = {.dtype = TH_FLOAT64, .m = 2, .n = 2, .k = 0, .c = x, .crs = 2, .ccs = 1, .alpha = 1};
    CHECK(gemm_scratch_bytes(&g) == 0);
    CHECK(gemm_run(c, &g, NULL) == 0);
    CHECK(x[0] == 0 && x[3] == 0);
    x[0] = 1, x[3] = 4, g.beta = 2;
    CHECK(gemm_run(c, &g, NULL) == 0);
    CHECK(x[0] == 2 && x[3] == 8);
    g.dtype = TH_DTYPE_NONE;
    CHECK(gemm_run(c, &g, NULL) != 0);
    CHECK_ERROR(c, TH_TypeError, "dtype");
}

/* ---- other dtypes ------------------------------------------------------------------------------------------------ */
static void integers(ThContext *c) {
    int8_t a[6] = {100, 2, -3, 4, 5, -128}, b[6] = {1, 2, 3, 4, 5, -1}, r[4] = {1, 1, 1, 1};
    GemmArgs g = {TH_INT8, 2, 2, 3, a, 3, 1, b, 2, 1, r, 2, 1, 1, .beta = 2};
    CHECK(gemm_run(c, &g, NULL) == 0);
    CHECK(r[0] == (int8_t)(100 + 6 - 15 + 2) && r[1] == (int8_t)(200 + 8 + 3 + 2));
    CHECK(r[2] == (int8_t)(4 + 15 - 640 + 2) && r[3] == (int8_t)(8 + 20 + 128 + 2));
    uint64_t p[2] = {UINT64_MAX, 3}, q[2] = {2, 7}, s = 9;
    GemmArgs h = {TH_UINT64, 1, 1, 2, p, 2, 1, q, 1, 1, &s, 1, 1, -1, .beta = 0};
    CHECK(gemm_run(c, &h, NULL) == 0);
    CHECK(s == (uint64_t)-19);
    uint8_t x[4] = {1, 0, 0, 0}, y[4] = {0, 1, 1, 1}, z[4] = {1, 1, 1, 1};
    GemmArgs l = {TH_BOOL, 2, 2, 2, x, 2, 1, y, 2, 1, z, 2, 1, 1, .beta = 0};
    CHECK(gemm_run(c, &l, NULL) == 0);
    CHECK(z[0] == 0 && z[1] == 1 && z[2] == 0 && z[3] == 0);
}

static void complexes(ThContext *c, int64_t m, int64_t n, int64_t k, int layout) {
    int64_t rs = layout == 1 ? 1 : layout == 2 ? 2 * k + 1 : k, cs = layout == 1 ? m : layout == 2 ? 2 : 1;
    int64_t crs = layout == 1 ? 1 : layout == 2 ? 2 * n : n, ccs = layout == 1 ? m : layout == 2 ? 2 : 1;
    ThComplex128 *a = calloc((size_t)(m * (2 * k + 1) + 1), sizeof *a), *b = calloc((size_t)(k * n), sizeof *b),
                 *r = calloc((size_t)(2 * m * n), sizeof *r);
    for (int64_t i = 0; i < m * (2 * k + 1); i++) a[i] = (ThComplex128){next(), next()};
    for (int64_t i = 0; i < k * n; i++) b[i] = (ThComplex128){next(), next()};
    for (int64_t i = 0; i < 2 * m * n; i++) r[i] = (ThComplex128){1, (double)(i % 7)};
    GemmArgs g = {TH_COMPLEX128, m, n, k, a, rs, cs, b, n, 1, r, crs, ccs, 2, .beta = 0.5};
    run(c, &g);
    int bad = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double re = 0.5, im = 0.5 * (double)((i * crs + j * ccs) % 7);
            for (int64_t q = 0; q < k; q++) {
                ThComplex128 x = a[i * rs + q * cs], y = b[q * n + j];
                re += 2 * (x.re * y.re - x.im * y.im), im += 2 * (x.re * y.im + x.im * y.re);
            }
            ThComplex128 v = r[i * crs + j * ccs];
            bad += fabs(v.re - re) > 1e-12 || fabs(v.im - im) > 1e-12;
        }
    CHECK(bad == 0);
    free(a), free(b), free(r);
}

/* ---- operands through general addresses, packed panels, `done` --------------------------------------------------- */
static void random_axis(GemmAxis *x, int64_t n) { /* n cut into one to four lengths, strides left open */
    x->nd = 1 + (int)pick(GEMM_DIMS);
    for (int d = x->nd - 1; d > 0; d--) {
        int64_t by = 1 + pick(5);
        while (n % by) by--;
        x->len[d] = by, n /= by;
    }
    x->len[0] = n;
}

static int64_t position(const GemmAxis *x, const int64_t *st, int64_t i) {
    int64_t at = 0;
    for (int d = x->nd - 1; d >= 0; d--) at += (d ? i % x->len[d] : i) * st[d], i /= x->len[d];
    return at;
}

/* An operand over `mem` (of `size` numbers), and what it means as a dense matrix. */
static GemmOperand random_operand(ThDtype d, const void *mem, int64_t size, int64_t rows, int64_t cols, Matrix *means) {
    GemmOperand o = {.row = {.nd = 1}, .col = {.nd = 1}};
    random_axis(&o.row, rows), random_axis(&o.col, cols);
    int64_t low = 0, high = 0;
    for (int side = 0; side < 2; side++) {
        GemmAxis *x = side ? &o.col : &o.row;
        for (int q = 0; q < x->nd; q++) {
            x->st[q] = side && q == x->nd - 1 && pick(2) ? 1 : pick(9) - 3;
            int64_t reach = x->st[q] * (x->len[q] - 1);
            *(reach < 0 ? &low : &high) += reach;
        }
    }
    o.nbound = (int)pick(GEMM_BOUNDS + 1);
    for (int b = 0; b < o.nbound; b++) {
        o.bound[b] = (GemmBound){.off = pick(5) - 3, .len = pick(12)};
        for (int q = 0; q < GEMM_DIMS; q++) o.bound[b].row[q] = pick(5) - 2, o.bound[b].col[q] = pick(6) - 3;
    }
    int64_t first_at = -low + pick(3);
    CHECK(first_at + high < size);
    o.at = (const char *)mem + first_at * (int64_t)th_dtype_bytes(d);
    *means = matrix(d, rows, cols, 0);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            bool in = true;
            for (int b = 0; b < o.nbound; b++) {
                int64_t p = o.bound[b].off + position(&o.row, o.bound[b].row, i) + position(&o.col, o.bound[b].col, j);
                in &= p >= 0 && p < o.bound[b].len;
            }
            int64_t at = first_at + position(&o.row, o.row.st, i) + position(&o.col, o.col.st, j);
            put(d, means, i, j, in ? get(d, mem, at) : 0);
        }
    return o;
}

typedef struct Told { /* how often each point was told, and whether it was complete then */
    const GemmArgs *g;
    const Matrix *c, *want;
    ThDtype d;
    unsigned char *times;
    int wrong;
} Told;
static void count(void *user, int64_t row0, int64_t row1, int64_t col0, int64_t col1) {
    Told *t = user;
    for (int64_t i = row0; i < row1; i++)
        for (int64_t j = col0; j < col1; j++) {
            t->times[i * t->c->cols + j]++;
            if (t->want) t->wrong += elem(t->d, t->c, i, j) != elem(t->d, t->want, i, j);
        }
}

static bool told_once(const Told *t) {
    bool all = t->wrong == 0;
    for (int64_t i = 0; i < t->c->rows * t->c->cols; i++) all &= t->times[i] == 1;
    return all;
}

/* The product of general operands has the bits of the product of what they mean. */
static void general_operands(ThContext *ctx, ThDtype d, int64_t m, int64_t n, int64_t k) {
    enum { SIZE = 60000 };
    void *mem = malloc(SIZE * th_dtype_bytes(d));
    for (int64_t i = 0; i < SIZE; i++) set(d, mem, i, next());
    Matrix a, b, want = matrix(d, m, n, 0), c = matrix(d, m, n, 0);
    GemmOperand av = random_operand(d, mem, SIZE, m, k, &a), bv = random_operand(d, mem, SIZE, k, n, &b);
    double beta = pick(2) ? 0.5 : 0;
    fill(d, &want);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) put(d, &c, i, j, elem(d, &want, i, j));
    GemmArgs g = args(d, &a, &b, &want, 1.5, beta);
    run(ctx, &g);
    g = args(d, &a, &b, &c, 1.5, beta);
    int which = 1 + (int)pick(3);
    if (which & 1) g.av = &av, g.a = NULL;
    if (which & 2) g.bv = &bv, g.b = NULL;
    GemmAxis cv = {1, {n}, {1}};
    if (pick(2)) {
        random_axis(&cv, n);
        for (int64_t q = cv.nd - 1, st = 1; q >= 0; q--) cv.st[q] = st, st *= cv.len[q];
        g.cv = &cv, g.ccs = 77;
    }
    Told told = {.c = &c, .want = m > 1 && n > 1 ? &want : NULL, .d = d, .times = calloc((size_t)(m * n), 1)};
    g.done = count, g.user = &told;
    run(ctx, &g);
    CHECK(told_once(&told));
    double worst = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) worst = fmax(worst, fabs(elem(d, &c, i, j) - elem(d, &want, i, j)));
    bool good = m > 1 && n > 1 ? worst == 0 : worst < 1e-3; /* one row or column: other sums */
    CHECK(good);
    if (!good)
        fprintf(stderr, "  %s %dx%dx%d which %d worst %g\n", th_dtype_name(d), (int)m, (int)n, (int)k, which, worst);
    free(mem), free(told.times), free(a.at), free(b.at), free(c.at), free(want.at);
}

/* b packed ahead, in any layout: the same bits, and `done` for every point. */
static void packed_panels(ThContext *ctx, ThDtype d, int64_t m, int64_t n, int64_t k, int layout) {
    Matrix a = matrix(d, m, k, (layout + 1) % LAYOUTS), b = matrix(d, k, n, layout), want = matrix(d, m, n, 0),
           c = matrix(d, m, n, 0);
    fill(d, &a), fill(d, &b);
    GemmArgs g = args(d, &a, &b, &want, 1, 0);
    run(ctx, &g);
    size_t bytes = gemm_pack_b_bytes(d, k, n);
    char *panels = ctx_alloc_aligned(ctx, bytes + 64, 64);
    memset(panels + bytes, 0x5a, 64);
    CHECK(gemm_pack_b(ctx, &g, panels) == 0);
    for (int i = 0; i < 64; i++) CHECK(panels[bytes + (size_t)i] == 0x5a);
    g = args(d, &a, &b, &c, 1, 0);
    Told told = {.c = &c, .want = &want, .d = d, .times = calloc((size_t)(m * n), 1)};
    g.b = NULL, g.packed = panels, g.done = count, g.user = &told;
    run(ctx, &g);
    bool good = told_once(&told);
    CHECK(good);
    if (!good) fprintf(stderr, "  packed %s %dx%dx%d layout %d\n", th_dtype_name(d), (int)m, (int)n, (int)k, layout);
    ctx_free(ctx, panels, bytes + 64);
    free(told.times), free(a.at), free(b.at), free(c.at), free(want.at);
}

static void views(ThContext *c) {
    static const int64_t large[][3] = {{7, 70, 40},   {61, 130, 33},  {13, 576, 25},
                                       {300, 20, 27}, {20, 65, 1100}, {130, 9, 64}};
    static const int64_t few[][3] = {{60, 10, 784}, {201, 3, 140}, {120, 5, 130}, {210, 20, 33}};
    for (int d = TH_FLOAT32; d <= TH_FLOAT64; d++) {
        for (int turn = 0; turn < 600; turn++) {
            general_operands(c, (ThDtype)d, 1 + pick(20), 1 + pick(90), 1 + pick(60));
            packed_panels(c, (ThDtype)d, 1 + pick(20), 1 + pick(140), 1 + pick(60), turn % LAYOUTS);
        }
        for (int i = 0; i < TH_LEN(large); i++)
            for (int v = 0; v < 3; v++) {
                general_operands(c, (ThDtype)d, large[i][0], large[i][1], large[i][2]);
                packed_panels(c, (ThDtype)d, large[i][0], large[i][1], large[i][2], v);
            }
        for (int i = 0; i < TH_LEN(few); i++)
            for (int v = 0; v < 3; v++) packed_panels(c, (ThDtype)d, few[i][0], few[i][1], few[i][2], v);
        packed_panels(c, (ThDtype)d, 900, 130, 1300, 0);
    }
    GemmArgs g = {.dtype = TH_INT32, .k = 1, .n = 1};
    CHECK(gemm_pack_b(c, &g, NULL) != 0);
    CHECK_ERROR(c, TH_TypeError, "int32");
}

/* ---- parallel_for, BLAS ------------------------------------------------------------------------------------------ */
static void square(int i, void *user) { ((int *)user)[i] += i * i; }

static void loops(void) {
    ThContext *c = th_context_new(NULL);
    for (int pool = 0; pool < 2; pool++) {
        int v[1000] = {0}, bad = 0;
        CHECK(th_config_set(c, "openmp", pool ? "true" : "false") == 0);
        if (!pool) CHECK(parallel_threads(c) == 1);
        parallel_for(c, 1000, square, v);
        parallel_for(c, 0, square, v);
        for (int i = 0; i < 1000; i++) bad += v[i] != i * i;
        CHECK(bad == 0);
    }
    th_context_release(c);
}

static void blas(ThContext *c) {
    const Blas *b = blas_open(c);
    CHECK(b == blas_open(c));
    if (!b) return; /* not installed: nothing to check */
    int before = b->get_threads ? b->get_threads() : 0, saved = blas_enter(b);
    if (b->get_threads) CHECK(b->get_threads() == 1);
    blas_leave(b, saved);
    if (b->get_threads) CHECK(b->get_threads() == before);
    CHECK(blas_symbol(c, "dgetrf_") != NULL);
    CHECK(blas_symbol(c, "no_such_symbol_") == NULL);
}

static int product(ThContext *c) {
    ThComplex64 a[4] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}}, r[4];
    GemmArgs g = {TH_COMPLEX64, 2, 2, 2, a, 2, 1, a, 2, 1, r, 2, 1, 1, .beta = 0};
    float x[4] = {1, 2, 3, 4}, y[4];
    GemmArgs f = {TH_FLOAT32, 2, 1, 2, x, 2, 1, x, 1, 1, y, 1, 1, 1, .beta = 0};
    char room[40000] __attribute__((aligned(64)));
    if (gemm_scratch_bytes(&f) > sizeof room || gemm_run(c, &f, room) || gemm_run(c, &g, NULL)) return 0;
    CHECK(y[0] == 5 && y[1] == 11 && r[0].re == -12 && r[0].im == 42);
    return 1;
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    static const char *const sets[] = {"sse2", "avx2", "avx512"};
    CHECK(gemm_force(c, "sse2"));
    CHECK(!gemm_force(c, "none"));
    for (int i = 0; i < TH_LEN(sets); i++) {
        if (!gemm_force(c, sets[i])) continue;
        small_sizes(c);
        large_sizes(c);
        layouts_agree(c);
        far_ones_agree(c);
        all_specials(c);
        views(c);
        if (test_failures) fprintf(stderr, "up to %s\n", sets[i]);
    }
    empty_sums(c);
    integers(c);
    for (int layout = 0; layout < 3; layout++) complexes(c, 5, 4, 3, layout), complexes(c, 40, 36, 33, layout);
    blas(c);
    th_context_release(c);
    test_every_failure(product);
    threads_agree();
    batches_share();
    loops();
    return test_done("gemm");
}
