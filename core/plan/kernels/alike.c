/*
 * alike.c -- kernels that differ only in where they begin in a buffer. In: tidied kernels. Out: of many such ones, all
 * but the first take that offset as a slot, so that they are one text: an unrolled loop reads x[0], x[1], .. and would
 * otherwise have a kernel a turn to compile. Always holds: offsets stay constants where two accesses of a kernel are to
 * one buffer (how far these are apart is looked at later), and where only a run tells them.
 */
#include "plan/parts.h"

#include <string.h>

enum {
    APART = 4,    /* kernels that may differ so */
    ACCESSES = 64 /* of a kernel that is looked at */
};

static bool loose(const Planner *p, const Kernel *k, int a) {
    const Access *x = &k->acc.at[a];
    if (size_is(x->off, 0) || (x->flags & ACC_ROWTEMP) || sizes_dyn(&p->sizes, x->off)) return false;
    for (int o = 0; o < k->acc.n; o++)
        if (o != a && k->acc.at[o].buf == x->buf) return false;
    return true;
}

/* The key that the kernel would have without its loose offsets, buffers numbered as they come. */
static uint64_t loose_key(Kernel *k, const bool *is_loose) {
    Access kept[ACCESSES];
    const int nbuf = k->nbuf;
    memcpy(kept, k->acc.at, (size_t)k->acc.n * sizeof *kept);
    k->nbuf = 0;
    for (int a = 0; a < k->acc.n; a++) {
        int first = 0;
        while (kept[first].buf != kept[a].buf) first++;
        k->acc.at[a].buf = first;
        if (is_loose[a]) k->acc.at[a].off = size_const(0);
    }
    uint64_t key = kernel_key(k);
    k->nbuf = nbuf;
    memcpy(k->acc.at, kept, (size_t)k->acc.n * sizeof *kept);
    return key;
}

static bool one(Planner *p, Kernel *k, Map *seen) {
    bool is_loose[ACCESSES], any = false;
    uint32_t n = 0;
    if (k->acc.n > ACCESSES) return true;
    for (int a = 0; a < k->acc.n; a++) any |= is_loose[a] = loose(p, k, a);
    if (!any) return true;
    uint64_t key = loose_key(k, is_loose);
    map_get(seen, key, &n);
    if (!map_put(p->ctx, seen, key, n + 1)) return false;
    for (int a = 0; a < k->acc.n && n >= APART; a++) {
        if (!is_loose[a]) continue;
        int slot = sizes_materialize(&p->sizes, k->acc.at[a].off);
        if (slot < 0) return false;
        k->acc.at[a].off = (Size){1, slot};
    }
    return true;
}

bool kernel_alike_all(Planner *p) {
    Map seen = {0};
    bool ok = true;
    for (int i = 0; i < p->made.n && ok && p->made.n > APART; i++)
        if (p->made.at[i].k) ok = one(p, p->made.at[i].k, &seen);
    map_free(p->ctx, &seen);
    return ok;
}
