/*
 * chains.c -- neighbouring steps that may run tile by tile. In: a plan whose in-place wishes are known. Out:
 * Step.chain: so many steps from here on are loops over the same elements 0 .. n - 1, and each sees of what the others
 * write the element it is at alone; all of them on some elements, then all on the next ones, give what one after the
 * other gives, and what they hand over stays in the cache. Such chains are left where a kernel would have more
 * instructions or accesses than it may. Always holds: no step of a chain can fail or writes storage of the caller, and
 * a temporary that dies in a chain keeps its memory to the chain's end (memory.c) unless a later step takes it over
 * element by element.
 */
#include "parts.h"

enum { PENDING = 4 }; /* dead temporaries that wait for the end of a chain at most before another one is begun */

typedef struct Chains {
    Plan *p;
    int *chain;     /* by buffer: 1 + the first step of the chain that touched it last */
    uint8_t *taken; /* by buffer: another one takes its memory over */
    int first, slot, pending;
} Chains;

/* The slot of the length of a step's one loop, or -1. */
static int length_slot(const Plan *p, const Step *s) {
    const Kernel *k = s->kind == STEP_KERNEL ? p->kernel[s->kernel] : NULL;
    if (!k || s->can_fail || k->can_fail || k->ndim != 1 || k->nouter || k->st.n != 1 || k->red.n) return -1;
    Size n = k->dim[0].n;
    if (k->st.at[0].cls != STAGE_LOOP || k->dim[0].kind != DIM_PAR || n.sym < 0 || n.k != 1) return -1;
    for (int j = 0; j < k->size.n; j++)
        if (k->size.at[j].sym == n.sym) return -1;
    for (int j = 0; j < k->ins.n; j++)
        if (k->ins.at[j].op == INS_INDEX) return -1;
    return s->sym[n.sym];
}

/* Element i at point i of a temporary or a result; of what the caller has, which is only read, any offset; or one
 * element all the time, of the caller's or of a temporary that has no other. */
static bool plain(const Plan *p, const Step *s, const Access *a, int length) {
    const PlanBuf *b = &p->buf[s->buf[a->buf]];
    bool lent = b->kind == BUF_INPUT || b->kind == BUF_SHARED || b->kind == BUF_CONST;
    if (a->idx >= 0 || a->guard >= 0 || (a->flags & (ACC_ADD | ACC_ROWTEMP)) || b->space || b->late) return false;
    if (!lent && b->kind != BUF_TEMP && b->kind != BUF_OUTPUT) return false;
    if (a->flags & ACC_WRITE) return !lent && size_is(a->off, 0) && size_is(a->st[0], 1);
    if (lent) return a->st[0].sym < 0 && (a->off.sym < 0 || a->off.sym != length);
    if (size_is(a->st[0], 0)) return size_is(b->size, 1);
    return size_is(a->off, 0) && size_is(a->st[0], 1);
}

static bool may(const Plan *p, const Step *s) {
    const Kernel *k = p->kernel[s->kernel];
    for (int a = 0; a < k->acc.n; a++) {
        if (!plain(p, s, &k->acc.at[a], k->dim[0].n.sym)) return false;
        for (int b = 0; b < a; b++) /* a buffer moves on as one */
            if (k->acc.at[b].buf == k->acc.at[a].buf && !size_eq(k->acc.at[b].st[0], k->acc.at[a].st[0])) return false;
    }
    return true;
}

/* The step reads or writes something that the chain has at hand. */
static bool meets(const Chains *c, const Step *s) {
    for (int b = 0; b < s->nbuf; b++)
        if (c->chain[s->buf[b]] == c->first + 1 && !size_is(c->p->buf[s->buf[b]].size, 1)) return true;
    return false;
}

/* It begins a temporary in memory of its own, while others wait whose memory it could have had. */
static bool costs(const Chains *c, const Step *s, int step) {
    bool begins = false;
    for (int b = 0; b < s->nbuf; b++) {
        const PlanBuf *f = &c->p->buf[s->buf[b]];
        begins |= f->kind == BUF_TEMP && f->first == step && f->inplace_of < 0;
    }
    return begins && c->pending >= PENDING;
}

static void add(Chains *c, int step) {
    const Step *s = &c->p->step[step];
    for (int b = 0; b < s->nbuf; b++) {
        const PlanBuf *f = &c->p->buf[s->buf[b]];
        c->chain[s->buf[b]] = c->first + 1;
        c->pending += f->kind == BUF_TEMP && f->last == step && !c->taken[s->buf[b]];
    }
    c->p->step[c->first].chain = step - c->first + 1;
}

static void straight(Chains *c, const Region *g) {
    bool open = false;
    for (int i = g->first; i < g->first + g->n; i++) {
        const Step *s = &c->p->step[i];
        int slot = length_slot(c->p, s);
        if (slot < 0 || !may(c->p, s)) {
            open = false;
            continue;
        }
        if (!open || slot != c->slot || !meets(c, s) || costs(c, s, i)) {
            c->first = i, c->slot = slot, c->pending = 0;
            open = true;
        }
        add(c, i);
    }
    for (int i = g->first; i < g->first + g->n; i++)
        if (c->p->step[i].chain == 1) c->p->step[i].chain = 0;
}

bool plan_chains(Plan *p) {
    size_t n = (size_t)p->nbuf + 1;
    Chains c = {.p = p, .chain = ctx_alloc0(p->ctx, n * sizeof(int)), .taken = ctx_alloc0(p->ctx, n)};
    bool ok = c.chain && c.taken;
    for (int b = 0; ok && b < p->nbuf; b++)
        if (p->buf[b].inplace_of >= 0) c.taken[p->buf[b].inplace_of] = 1;
    for (int r = 0; ok && p->nregion && r >= 0; r = p->region[r].next)
        if (p->region[r].kind == REGION_STRAIGHT) straight(&c, &p->region[r]);
    ctx_free(p->ctx, c.chain, n * sizeof(int));
    ctx_free(p->ctx, c.taken, n);
    return ok;
}
