/* Pooling's kernels of all instruction sets that this processor has give the same bits, over parts of an image too. */
#include "runtime/pool/parts.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 80 * 80 };
typedef union Values {
    float f[MOST];
    double d[MOST];
} Values;
static Values x, g, m, one, other, line;

static int64_t random_to(int64_t n) { return rand() % n; }

static void fill(Values *v, bool is_double) {
    for (int i = 0; i < MOST; i++) {
        double e = (double)random_to(7) - 3;
        if (random_to(60) == 0) e = NAN;
        if (is_double) v->d[i] = e;
        else v->f[i] = (float)e;
    }
}

static PoolWork some(bool is_double) {
    PoolWork w = {.dtype = is_double ? TH_FLOAT64 : TH_FLOAT32, .images = 1, .ignore_border = true};
    bool two = random_to(2);
    w.mode = (PoolMode)random_to(4);
    w.h = 4 + random_to(8), w.w = 4 + random_to(70);
    for (int d = 0; d < 2; d++) {
        int64_t n = d ? w.w : w.h;
        w.ws[d] = two ? 2 : 1 + random_to(3), w.st[d] = two ? 2 : 1 + random_to(4);
        w.pad[d] = two ? 0 : random_to(w.ws[d]);
        *(d ? &w.ow : &w.oh) = (n + 2 * w.pad[d] - w.ws[d]) / w.st[d] + 1;
    }
    w.x = (const char *)&x;
    return w;
}

/* Every element of what w says, in `cuts` parts. */
static void whole(const PoolKernels *k, const PoolWork *w, int64_t cuts) {
    int64_t rows = (w->oh + cuts - 1) / cuts;
    for (int64_t q = 0; q < w->oh; q += rows) {
        PoolPart p = {.w = w, .q0 = q, .q1 = least(q + rows, w->oh), .line = &line};
        (w->back ? k->back : k->pool)(&p);
    }
}

static void agree(const PoolKernels *tables, bool is_double) {
    size_t item = is_double ? 8 : 4;
    for (int round = 0; round < 3000; round++) {
        PoolWork w = some(is_double);
        fill(&x, is_double), fill(&g, is_double);
        for (int back = 0; back < 2; back++) {
            size_t bytes = (size_t)(back ? w.h * w.w : w.oh * w.ow) * item;
            w.back = back;
            if (back) w.m = w.mode == POOL_MAX ? (const char *)&m : NULL, w.g = (const char *)&g;
            memset(&one, 1, sizeof one), memset(&other, 1, sizeof other);
            w.to = (char *)&one;
            whole(&pool_kernels_sse2[is_double], &w, 1);
            w.to = (char *)&other;
            whole(&tables[is_double], &w, back && w.st[0] < w.ws[0] ? 1 : 1 + random_to(3));
            CHECK(memcmp(&one, &other, bytes) == 0);
            CHECK(((char *)&one)[bytes] == 1 && ((char *)&other)[bytes] == 1); /* and nothing behind */
            if (!back) m = one;
        }
    }
}

int main(void) {
    for (int is_double = 0; is_double < 2; is_double++) {
        agree(pool_kernels_sse2, is_double);
#if TH_WIDE
        int bytes = isa_vector_bytes();
        if (bytes >= 32) agree(pool_kernels_avx2, is_double);
        if (bytes >= 64) agree(pool_kernels_avx512, is_double);
#endif
    }
    return test_done("runtime_pool");
}
