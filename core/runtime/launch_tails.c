/*
 * launch_tails.c -- a product and the rows behind it by one launch (schedule/tails.c). In: a product that is about to
 * be launched. Out: the launch of both, the next step done; or nothing, where it cannot be: other tiles, long rows, a
 * library, or memory of the product's factors that the rows are written to, which other blocks still read.
 */
#include "launch_state.h"

#include <string.h>

static int tail_of(const Launches *l, int step) {
    const GridProgram *g = l->u->program;
    for (int i = 0; i < g->ntail; i++)
        if (g->tail[i].step == step) return i;
    return -1;
}

static bool library(const Launches *l, const GridKernel *g, const Step *s, const char *record) {
    GpuProduct p;
    return product_for_library(g, s, (const DeviceAddress *)(const void *)record,
                               (const int64_t *)(const void *)(record + g->nbuf * 8), &p) &&
           !l->steered;
}

/* Nothing meets but what the rows read of the product. record, rows: the addresses first. */
static bool apart(const Launches *l, const ThFrame *f, const GridKernel *g, const char *record, const Step *s,
                  const GridKernel *r) {
    const DeviceAddress *a = (const DeviceAddress *)(const void *)record;
    const DeviceAddress *b = (const DeviceAddress *)(const void *)l->args;
    for (int i = 0; i < s->nbuf; i++)
        for (int j = 0; j < s[1].nbuf; j++) {
            const PlanBuf *p = &l->plan->buf[s->buf[i]], *q = &l->plan->buf[s[1].buf[j]];
            const uint8_t x = launch_use_of(g->k, i), y = launch_use_of(r->k, j);
            const bool writes[2] = {x & (ACC_WRITE | ACC_ADD), y & (ACC_WRITE | ACC_ADD)};
            int64_t n, m;
            if (grid_row_item(r->k, j) || (!writes[0] && !writes[1])) continue;
            if (!writes[1] && s->buf[i] == s[1].buf[j]) continue;
            if (!many_bytes(p, f, &n) || !many_bytes(q, f, &m)) return false;
            ManySpan from = {a[i], (size_t)n, writes[0]}, to = {b[j], (size_t)m, writes[1]};
            if (many_meet(&from, &to)) return false;
        }
    return true;
}

static int queue(Launches *l, ThFrame *f, const Step *s, void *what, char *record, DeviceGrid grid) {
    const GridKernel *g = &l->u->program->kernel[s->kernel], *r = &l->u->program->kernel[s[1].kernel];
    size_t first = grid_record_bytes(g), behind = grid_record_bytes(r);
    size_t own = (size_t)r->nbuf * 8 + (size_t)r->nsym * 8 + (size_t)r->nparam * 16 + 8;
    size_t other = (size_t)g->nbuf * 8 + (size_t)g->nsym * 8 + (size_t)g->nparam * 16 + 8;
    int64_t number;
    memcpy(&number, l->args + own, sizeof number);
    number += (int64_t)1 << 32; /* as launch_kernel counts */
    memcpy(l->args + own, &number, sizeof number);
    memcpy(record + other, &number, sizeof number); /* a failure of this launch stops no product */
    memcpy(record + first, l->args, behind);
    launch_before_tail(l, f, s);
    TRY(l->u->device->op->launch(&l->q, what, grid, record));
    launch_after(l, l->sides.step);
    l->launches++;
    l->sides.unlooked |= s[1].can_fail;
    launch_wrote_all(l, g, s);
    launch_wrote_all(l, r, s + 1);
    l->done = l->sides.step + 1;
    return 0;
}

int launch_tail(Launches *l, ThFrame *f, const GridKernel *g, const Step *s, bool *done) {
    _Alignas(16) char record[GRID_ARGS];
    int now = l->sides.step, tail = tail_of(l, now);
    *done = false;
    if (tail < 0) return 0;
    atomic_store(&l->u->tailed[tail], 0);
    if (l->times.to || l->u->places->side[now + 1] != PLACE_DEVICE) return 0;
    const GridKernel *r = &l->u->program->kernel[s[1].kernel];
    size_t bytes = grid_record_bytes(g);
    memcpy(record, l->args, bytes);
    const int64_t *sym = (const int64_t *)(const void *)(record + g->nbuf * 8);
    GridLaunch ch = grid_launch(g, sym), way = launch_way(l, f, r, s + 1);
    int64_t *sizes = (int64_t *)(void *)(l->args + r->nbuf * 8);
    int64_t shared = CHOOSE_THREADS / TAIL_ROW * grid_rows(r->k, sizes);
    bool good = grid_tail(g, &ch, sym, r, &way, sizes) && !library(l, g, s, record);
    if (good) {
        l->sides.step = now + 1;
        int bad = launch_record(l, f, r, s + 1, &way);
        l->sides.step = now;
        if (bad) return 1;
        good = apart(l, f, g, record, s, r);
    }
    void *what = good ? launch_entry(l, f, launch_tail_entry(l->u->program, tail)) : NULL;
    if (!what || queue(l, f, s, what, record, (DeviceGrid){(unsigned)ch.blocks, CHOOSE_THREADS, (unsigned)shared})) {
        memcpy(l->args, record, bytes);
        return good;
    }
    atomic_store(&l->u->tailed[tail], 1);
    *done = true;
    return 0;
}
