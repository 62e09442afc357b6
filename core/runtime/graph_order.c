/*
 * graph_order.c -- what each launch of a graph waits for.
 */
#include "graph_order.h"

#include <string.h>

static const DeviceOps *ops(const Order *o) { return o->q->device->op; }

void graph_order_begin(Order *o, DeviceQueue *q) {
    o->q = q;
    o->works = !o->line;
    o->n = o->spans = 0;
    o->base = NULL;
    o->base_step = -1;
}

/* A queue whose nodes are not told stays a line in the graphs to come. */
static void refused(Order *o) {
    o->works = false;
    o->line = true;
}

static bool meets(const Order *o, const OrderNode *x, const ManySpan *span, int n) {
    for (int i = x->first; i < x->first + x->n; i++)
        for (int j = 0; j < n; j++)
            if (many_meet(&o->span[i], &span[j])) return true;
    return false;
}

/* Those that must be done, but for what these wait for themselves. */
static uint32_t needs(const Order *o, const ManySpan *span, int n, bool all) {
    uint32_t direct = 0, reached = 0;
    for (int i = o->n - 1; i >= 0; i--) {
        uint32_t bit = (uint32_t)1 << i;
        if (reached & bit || !(all || meets(o, &o->kept[i], span, n))) continue;
        direct |= bit;
        reached |= bit | o->kept[i].reaches;
    }
    return direct;
}

/* The device is told to put what comes next behind these. */
static void behind(Order *o, uint32_t which) {
    o->ntold = 0;
    for (int i = 0; i < o->n; i++)
        if (which >> i & 1) o->told[o->ntold++] = o->kept[i].node;
    if (!o->ntold && o->base) o->told[o->ntold++] = o->base;
    if (ops(o)->graph_after(o->q, o->told, o->ntold)) refused(o);
}

/* The node that was queued since, NULL: there was nothing to do. What is left of a library's several nodes is none. */
static bool queued(Order *o, void **node) {
    void *last[ORDER_KEPT];
    int n;
    *node = NULL;
    if (ops(o)->graph_at(o->q, last, ORDER_KEPT, &n)) return false;
    if (n == o->ntold && !memcmp(last, o->told, (size_t)n * sizeof *last)) return true;
    *node = last[0];
    return n == 1;
}

void graph_order_before(Order *o, const ManySpan *span, int n) {
    if (!o->works) return;
    o->all = n < 0 || o->n == ORDER_KEPT || o->spans + n > ORDER_SPANS;
    o->now = needs(o, span, n, o->all);
    behind(o, o->now);
    if (o->all || !o->works) return;
    o->kept[o->n] = (OrderNode){.first = o->spans, .n = n, .reaches = o->now};
    for (int i = 0; i < o->n; i++)
        if (o->now >> i & 1) o->kept[o->n].reaches |= o->kept[i].reaches;
    memcpy(o->span + o->spans, span, (size_t)n * sizeof *span);
}

static uint64_t distance(int from, int to) {
    int apart = to - from - 1;
    return (uint64_t)1 << (apart < 0 ? 0 : apart < 63 ? apart : 63);
}

static uint64_t waits_of(const Order *o, int step) {
    uint64_t waits = 0;
    for (int i = 0; i < o->n; i++)
        if (o->now >> i & 1) waits |= distance(o->kept[i].step, step);
    return waits || !o->base ? waits : distance(o->base_step, step);
}

void graph_order_after(Order *o, int step, uint64_t *waits) {
    void *node;
    *waits = 0;
    if (!o->works) return;
    if (!queued(o, &node)) refused(o);
    if (!node || !o->works) return;
    *waits = waits_of(o, step);
    if (o->all) {
        o->n = o->spans = 0;
        o->base = node;
        o->base_step = step;
        return;
    }
    OrderNode *x = &o->kept[o->n++];
    x->node = node;
    x->step = step;
    o->spans += x->n;
}

void graph_order_end(Order *o) {
    if (o->works) behind(o, needs(o, NULL, 0, true));
    o->works = false;
}
