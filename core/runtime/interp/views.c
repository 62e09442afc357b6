/*
 * views.c -- which values of a kernel need no register: loads that are read where they lie, and values computed
 * straight into the memory of the store after them. Only in the innermost straight list of a stage; a load is a view
 * when no store comes between it and its last use (results may lie where operands lie), so it never sees a newer value.
 */
#include "interp.h"

enum { ELSEWHERE = 1 << 30 };

typedef struct Uses {
    bool *padded; /* by value: something computes with it, in whole vectors */
    int *pos;     /* by value: 1 + place in its stage's innermost list; 0 elsewhere */
    int *last; /* by value: the last place that reads it, past all for reductions, ELSEWHERE where another list does */
} Uses;

static const int *innermost(const IKernel *k, const LoopStage *s, int *n) {
    *n = s->npre[s->nloop];
    return k->order.code + s->pre[s->nloop];
}

static void most(int *at, int v) {
    if (*at < v) *at = v;
}

static void collect(const IKernel *ik, Uses *u) {
    const Kernel *k = ik->k;
    int n, v[6];
    for (int i = 0; i < k->st.n; i++) {
        const int *code = innermost(ik, &ik->order.stage[i], &n);
        for (int j = 0; j < n; j++) u->pos[code[j]] = j + 1;
    }
    for (int id = 0; id < k->ins.n; id++) {
        const Ins *reader = &k->ins.at[id];
        n = ins_reads(k, reader, v);
        for (int j = 0; j < n; j++) {
            u->padded[v[j]] |= reader->op != INS_STORE;
            most(&u->last[v[j]], u->pos[id] && k->ins.at[v[j]].stage == reader->stage ? u->pos[id] : ELSEWHERE);
        }
    }
    for (int r = 0; r < k->red.n; r++) most(&u->last[k->red.at[r].v], ELSEWHERE - 1);
}

static bool plain(const Access *a) { return a->idx < 0 && a->guard < 0 && !(a->flags & ACC_ADD); }

/* From the last instruction to the first: `store` is the first store after it. */
static void mark(IKernel *ik, const LoopStage *s, const Uses *u) {
    int n, store = ELSEWHERE;
    const int *code = innermost(ik, s, &n);
    for (int j = n - 1; j >= 0; j--) {
        IIns *i = &ik->ins[code[j]];
        const Ins *ins = i->ins;
        if (ins->op == INS_STORE) {
            store = j + 1;
            int v = ins->b;
            bool before = j > 0 && code[j - 1] == v && ik->ins[v].nmicro > 0;
            if (before && i->block && ik->ins[v].block && plain(&ik->k->acc.at[ins->a])) ik->ins[v].into = code[j];
        } else if ((ins->op == INS_LOAD || ins->op == INS_EP) && i->block) {
            int last = u->last[code[j]], from = ins->op == INS_EP ? stage_element(s->st, ins) : ins->a;
            i->view = last < ELSEWHERE && last <= store && plain(&ik->k->acc.at[from]);
            i->loose = !u->padded[code[j]];
        }
    }
}

bool interp_views(Arena *a, IKernel *out) {
    const size_t n = (size_t)(out->k->ins.n + 1);
    Uses u = {arena_alloc0(a, sizeof(bool) * n), arena_alloc0(a, sizeof(int) * n), arena_alloc0(a, sizeof(int) * n)};
    if (!u.padded || !u.pos || !u.last) return false;
    collect(out, &u);
    for (int i = 0; i < out->k->st.n; i++) mark(out, &out->order.stage[i], &u);
    return true;
}
