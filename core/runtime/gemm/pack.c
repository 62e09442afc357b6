/*
 * pack.c -- packing ahead: operands through general addresses cut into panels, and b packed once for many
 * products. Always holds: a panel's text is its columns' values row by row, zero beyond them; nothing outside the
 * bounds is read.
 */
#include "gemm.h"

#include "runtime/machine/cpu.h"

/* The columns of a panel as runs along the innermost dim. */
void gemm_open_panel(GemmPanel *p, const GemmOperand *o, int64_t k0, int64_t k, int64_t col, int64_t cols,
                     int64_t lanes) {
    p->o = o, p->k0 = k0, p->k = k, p->cols = cols, p->lanes = lanes, p->nrun = 0;
    const GemmAxis *x = &o->col;
    int64_t i[GEMM_DIMS] = {0}, left = col;
    int last = x->nd - 1;
    for (int d = last; d > 0; d--) i[d] = left % x->len[d], left /= x->len[d];
    i[0] = left;
    for (int64_t done = 0; done < cols;) {
        GemmRun *r = &p->run[p->nrun++];
        int64_t room = last > 0 ? x->len[last] - i[last] : cols - done;
        r->to = done, r->n = room < cols - done ? room : cols - done, r->at = 0;
        for (int b = 0; b < o->nbound; b++) r->pos[b] = 0;
        for (int d = 0; d <= last; d++) {
            r->at += i[d] * x->st[d];
            for (int b = 0; b < o->nbound; b++) r->pos[b] += i[d] * o->bound[b].col[d];
        }
        done += r->n;
        i[last] = 0;
        for (int d = last - 1; d >= 0 && ++i[d] == x->len[d] && d > 0; d--) i[d] = 0;
    }
}

static int64_t up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

size_t gemm_pack_b_bytes(ThDtype d, int64_t k, int64_t n) {
    int64_t item = (int64_t)th_dtype_bytes(d);
    return k > 0 && n > 0 ? (size_t)(k * up(n, 64 / item) * item) : 0;
}

int gemm_pack_b(ThContext *c, const GemmArgs *g, void *to) {
    const Cpu *u = cpu_of(c);
    if (!u) return 1;
    if (!dtype_is_float(g->dtype)) {
        err(c, TH_TypeError, "gemm: panels are of float32 or float64, not %s", th_dtype_name(g->dtype));
        return 1;
    }
    const GemmKernels *kern = u->gemm[g->dtype == TH_FLOAT64];
    int64_t nr = (int64_t)kern->nv * kern->vl;
    for (int64_t col = 0; col < g->n; col += nr) {
        int64_t cols = g->n - col < nr ? g->n - col : nr, lanes = up(cols, kern->vl);
        char *dst = (char *)to + col * g->k * kern->item;
        if (g->bv) {
            GemmPanel p;
            gemm_open_panel(&p, g->bv, 0, g->k, col, cols, lanes);
            kern->gather(dst, &p);
        } else {
            kern->pack_b(dst, lanes, (const char *)g->b + col * g->bcs * kern->item, g->brs, g->bcs, g->k, cols);
        }
    }
    return 0;
}
