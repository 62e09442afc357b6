/*
 * conv_ways.c -- which way a convolution goes: what the cost of each says of small maps, of few filters and of many;
 * that a part of the work goes the way of the whole.
 */
#include "runtime/conv/parts.h"
#include "runtime/machine/cpu.h"
#include "test.h"

#include <math.h>

static ThContext *c;
static char memory[64]; /* nothing is read or written */

/* Images (n, channels, side, side), filters (filters, size, size), as much padding. */
static ConvWork work(ConvTarget target, int64_t n, int64_t channels, int64_t side, int64_t filters, int64_t size,
                     int64_t pad) {
    const int64_t out = side + 2 * pad - size + 1;
    return (ConvWork){.dtype = TH_FLOAT32,
                      .target = target,
                      .ndim = 2,
                      .image = memory,
                      .filter = memory,
                      .top = memory,
                      .images = n,
                      .groups = 1,
                      .channels = channels,
                      .filters = filters,
                      .in = {side, side},
                      .size = {size, size},
                      .out = {out, out},
                      .step = {1, 1},
                      .dilation = {1, 1},
                      .pad = {pad, pad},
                      .image_st = {channels * side * side, side * side, side, 1},
                      .filter_st = {channels * size * size, size * size, size, 1},
                      .top_st = {filters * out * out, out * out, out, 1}};
}

static ConvRun run_of(const ConvWork *w) {
    return (ConvRun){.w = w, .whole = w, .kern = cpu_of(c)->gemm[0], .item = 4};
}

static void test_flat(void) {
    const int64_t vl = cpu_of(c)->gemm[0]->vl;
    ConvWork w = work(CONV_TO_TOP, 16, 4, 10, 6, 3, 0);
    ConvRun r = run_of(&w);
    CHECK(conv_flat_share(&r) > 0.4 && conv_flat_share(&r) < 1); /* 64 places fill vectors, copies cost */
    w.step[1] = 2;
    CHECK(conv_flat_share(&r) == 0);
    w = work(CONV_TO_TOP, 16, 4, 10, 6, 3, 0);
    w.top_st[2] = 11; /* its places are no line */
    CHECK(conv_flat_share(&r) == 0);
    w = work(CONV_TO_TOP, 1, 256, 200, 6, 3, 0); /* no near cache has the copy */
    CHECK(conv_flat_share(&r) == 0);
    w = work(CONV_TO_TOP, 16, 4, 3, 6, 3, 0); /* one place */
    CHECK(vl == 1 || conv_flat_share(&r) == 0);
    const ConvWork whole = work(CONV_TO_TOP, 1, 4, 10, 6, 3, 0);
    w = whole;
    w.out[0] = 3; /* some rows of it */
    r.whole = &whole;
    const double part = conv_flat_share(&r);
    w = whole;
    CHECK(part == conv_flat_share(&r));
}

/* Places as one line where neither rows nor filters fill vectors; of some images before lanes are added up. */
static void test_lines(void) {
    const int64_t vl = cpu_of(c)->gemm[0]->vl;
    ConvWork w = work(CONV_TO_FILTER, 60, 20, 12, 50, 5, 0);
    const ConvRun r = run_of(&w);
    HostCall h = {.ctx = c};
    ConvOrder o;
    CHECK(conv_flat_filter_share(&r) > 0.7 && conv_flat_filter_share(&r) < 1);
    CHECK(!conv_order(&h, &w, true, &o) && o.images == 30 && (o.run == 10 || vl < 16));
    w.filters = 64;
    CHECK(!conv_order(&h, &w, true, &o) && o.way == CONV_LANES && o.run == 0);
    w = work(CONV_TO_FILTER, 60, 1, 28, 20, 5, 0);
    CHECK(!conv_order(&h, &w, true, &o) && o.way == CONV_DIRECT && (o.run == 1) == (vl > 8));
    w = work(CONV_TO_FILTER, 2, 512, 40, 9, 3, 0); /* an image's copies are too large */
    CHECK(conv_flat_filter_share(&r) == 0);
    w = work(CONV_TO_FILTER, 2, 4, 10, 9, 3, 0);
    w.step[0] = 2;
    CHECK(conv_flat_filter_share(&r) == 0);
}

static ConvWay image_way(int64_t channels, int64_t side, int64_t filters, int64_t size, int64_t pad) {
    const ConvWork w = work(CONV_TO_IMAGE, 16, channels, side, filters, size, pad);
    HostCall h = {.ctx = c};
    ConvOrder o;
    CHECK(!conv_order(&h, &w, true, &o));
    return o.windows ? CONV_DIRECT : o.way;
}

static void test_images(void) {
    CHECK(image_way(4, 14, 4, 3, 1) != CONV_FOLD); /* few filters: rows of products that are added are all there is */
    CHECK(image_way(8, 8, 8, 3, 1) != CONV_FOLD);
    CHECK(image_way(6, 14, 16, 5, 0) == CONV_SPREAD);
    const ConvWay way = image_way(20, 12, 50, 5, 0); /* sliding multiplies the padding */
    CHECK(cpu_of(c)->gemm[0]->vl == 16 ? way == CONV_FOLD : way == CONV_SPREAD || way == CONV_FOLD);
    CHECK(image_way(16, 28, 24, 3, 1) != CONV_FOLD);
    ConvWork w = work(CONV_TO_IMAGE, 16, 6, 14, 16, 5, 0);
    const ConvRun r = run_of(&w);
    CHECK(conv_spread_cost(&r) < conv_fold_cost(&r) && conv_spread_cost(&r) < conv_slide_cost(&r));
    CHECK(conv_lines_cost(&r) < conv_fold_cost(&r)); /* 100 places in lines, not in rows of 10 */
    w.step[0] = 2;
    CHECK(isinf(conv_slide_cost(&r)) && isinf(conv_lines_cost(&r)));
    w.image_st[3] = 2;
    CHECK(isinf(conv_spread_cost(&r)) && isinf(conv_fold_cost(&r)));
}

int main(void) {
    c = th_context_new(NULL);
    if (!c || !cpu_of(c)) return 1;
    test_flat();
    test_lines();
    test_images();
    th_context_release(c);
    return test_done("conv_ways");
}
