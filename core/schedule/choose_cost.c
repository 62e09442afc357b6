/*
 * choose_cost.c -- what runs that has no loops to order: what a version for certain lengths gains, what building costs,
 * which products are worth packing or a library. Figures as in choose.c.
 */
#include "choose.h"

#include "ops/table/expr.h"

/* Opening the library is a second, and its launches are dearer: for products of many terms alone, and not few rows. */
bool choose_library(int64_t matrices, int64_t rows, int64_t cols, int64_t deep) {
    enum { FEW = 64, TERMS = 1 << 22 };
    return rows > FEW && cols >= 16 && deep >= 16 &&
           (double)matrices * (double)rows * (double)cols * (double)deep >= TERMS;
}

/* ---- versions for certain lengths, and building ---- */
/* One for each start of an inner loop, a third of one where rows run side by side or on in the general code too. */
static double start_ns(const Stage *st, double n) {
    enum { FLAT = 32 };
    return st->nred || n < FLAT ? 0.3 : 1;
}

double choose_version_gain(const Kernel *k, const double *n, bool *known) {
    enum { SHORT = 64 };
    bool may[KDIM] = {false};
    double gain = 0, outer = 1;
    for (int d = 0; d < k->ndim; d++) may[d] = known[d] && n[d] >= 1 && n[d] <= SHORT, known[d] = false;
    for (int d = 0; d < k->nouter; d++) outer *= n[d];
    for (int s = 0; s < k->st.n; s++) {
        const Stage *st = &k->st.at[s];
        int last = st->d0 + st->nd - 1;
        if (st->cls != STAGE_LOOP || !st->nd || k->nouter + st->nd < 2) continue;
        double rows = outer;
        for (int d = st->d0; d < last; d++) rows *= n[d];
        for (int d = k->nouter ? st->d0 : st->d0 + 1; d <= last; d++) known[d] |= may[d];
        if (may[last]) gain += rows * start_ns(st, n[last]);
    }
    return gain;
}

/* A block of at most so many elements costs the interpreter START an instruction, and each of its elements EACH more
 * than generated code, which keeps values in registers. What calls the library costs both the same. */
double choose_interpreter_loss(const Kernel *k, const double *n) {
    const double start = 12, each = 0.3;
    double loss = 0, outer = 1;
    for (int d = 0; d < k->nouter; d++) outer *= n[d];
    for (int s = 0; s < k->st.n; s++) {
        const Stage *st = &k->st.at[s];
        int last = st->d0 + st->nd - 1;
        double rows = outer;
        if (st->cls != STAGE_LOOP) continue;
        for (int d = st->d0; d < last; d++) rows *= n[d];
        loss += rows * (st->nins + st->nred) * (start + each * (st->nd ? n[last] : 1));
    }
    return loss;
}

/* A compiler's start and a small unit, and each byte of the text. */
double choose_build_ns(size_t bytes) { return 60e6 + 2e3 * (double)bytes; }

/* As functions, thousands of steps that share a handful of kernels took nearly all of the compiler's time. Chains are
 * walked tile by tile, so they are data always. */
bool choose_rows(int steps, bool chains) {
    enum { MANY = 32 };
    return chains || steps > MANY;
}

/* Where the ordinary product takes panels of b as they lie: rows from which on a panel is taken at all, up to which its
 * packing shows, and that of a transposed weight's; cache lines of columns; bytes of b. */
bool choose_pack(int64_t m, int64_t n, int64_t k, int64_t item, bool turned) {
    enum { ROWS = 2, MOST_ROWS = 64, MOST_TURNED = 256, LINES = 4, DEEP = 64, BYTES = 128 * 1024 };
    if (m < ROWS || m > (turned ? MOST_TURNED : MOST_ROWS)) return false;
    return n * item >= LINES * CHOOSE_LINE && k >= DEEP && k * n * item >= BYTES;
}

int choose_parts(size_t bytes) {
    enum { MOST = 8, WORTH = 8192 }; /* bytes that pay for a compiler's start */
    return bytes / WORTH > MOST ? MOST : bytes < WORTH ? 1 : (int)(bytes / WORTH);
}
