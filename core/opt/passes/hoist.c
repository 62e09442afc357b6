/*
 * hoist.c -- the schedule, with nodes moved forward to where they let go of memory.
 * In: fg->order as the walk from the outputs left it, where an output's last node waits for its turn among the outputs
 * while all that it reads lies there: in a training step every layer's value and gradient, until the first update. Out:
 * a node stands right behind the last of its inputs where the inputs that nobody reads later are worth more, in bytes
 * times places, than its own result. Results and new values of shared variables count nothing: they have their memory
 * in any case. The new value of a shared stays behind the readers of the old one and behind all that can fail.
 */
#include "opt/engine/rewrite.h"
#include "ops/table/index.h"

enum { MAX_CLUSTER = 32 };

typedef struct Hoist {
    ThContext *c;
    FGraph *fg;
    int n, last_fail;
    int *key;             /* by node id: stands behind the node of this place; its own: not moved */
    int *root;            /* by variable id: whose memory it shows */
    int *last, *but_last; /* by variable id of a root: places of its last two readers, -1 */
    bool *fixed;          /* ..it is an output's */
    ThVar **update;       /* by variable id: the shared that it is the new value of */
    ApplyVec cluster;     /* what moves together */
    int *mark, turn;      /* by node id: the turn in which it was in there */
} Hoist;

static void read_at(Hoist *h, int root, int place) {
    if (h->last[root] == place) return;
    h->but_last[root] = h->last[root];
    h->last[root] = place;
}

/* What looks at places that a node before it has looked at (a table's gradient at those that were taken) fails no more:
 * the passes of inplace.c and the planner come to the same answer. */
static bool can_fail(const Hoist *h, const ThApply *a, int place) {
    if (h->fg->device) return schedule_can_fail(a); /* makes all updates at the end, together */
    return schedule_can_stop(a) && !adv_looked_before(a, h->key, place);
}

static void note(Hoist *h) {
    FGraph *fg = h->fg;
    for (int v = 0; v < fg->nvars; v++) h->root[v] = v, h->last[v] = h->but_last[v] = -1;
    for (int i = 0; i < h->n; i++) h->key[fg->order[i]->id] = i;
    for (int i = 0; i < h->n; i++) {
        const ThApply *a = fg->order[i];
        if ((a->op->flags & OP_EFFECT) || can_fail(h, a, i)) h->last_fail = i;
        if (a->op->flags & OP_VIEW) h->root[a->out[0]->id] = h->root[a->in[0]->id];
        for (int k = 0; k < a->nin && !(a->op->flags & OP_VIEW); k++) read_at(h, h->root[a->in[k]->id], i);
    }
    for (int o = 0; o < fg->nout; o++) h->fixed[h->root[fg->out[o]->id]] = true;
    for (int u = 0; u + fg->nplain_out < fg->nout; u++) h->update[fg->out[fg->nplain_out + u]->id] = fg->update_of[u];
}

/* The place behind which v is there; views of it come along. */
static int ready(Hoist *h, const ThVar *v) {
    while (v->owner && (v->owner->op->flags & OP_VIEW)) v = v->owner->in[0];
    return v->owner ? h->key[v->owner->id] : -1;
}

/* Views take lengths from other nodes: all their inputs count. */
static bool plain_views(const ThVar *v) {
    for (; v->owner && (v->owner->op->flags & OP_VIEW); v = v->owner->in[0])
        for (int k = 1; k < v->owner->nin; k++)
            if (v->owner->in[k]->owner) return false;
    return true;
}

/* Behind the readers of the old value: those of the shared and of views of it. */
static int after_readers(Hoist *h, const ThVar *shared, const ThApply *self, bool *ok) {
    VEC(const ThVar *) seen = {0};
    int at = h->last_fail;
    *ok = vec_push(h->c, &seen, shared);
    for (int i = 0; *ok && i < seen.n; i++)
        for (int k = 0; *ok && k < seen.at[i]->nclients; k++) {
            const ThApply *r = seen.at[i]->clients[k].node;
            if (!r || r == self) continue;
            if (h->key[r->id] > at) at = h->key[r->id];
            if ((r->op->flags & OP_VIEW) && seen.at[i]->clients[k].pos == 0) *ok = vec_push(h->c, &seen, r->out[0]);
        }
    vec_free(h->c, &seen);
    return at;
}

/* ---- what moves together: a node and the elementwise nodes that need nothing but it and what is there ---- */
static bool in_cluster(const Hoist *h, const ThApply *a) { return h->mark[a->id] == h->turn; }

static bool can_follow(Hoist *h, const ThApply *u, int at) {
    if (in_cluster(h, u) || !(u->op->flags & (OP_ELEMWISE | OP_VIEW)) || h->cluster.n == MAX_CLUSTER) return false;
    for (int k = 0; k < u->nin; k++) {
        const ThApply *from = u->in[k]->owner;
        if (from && !in_cluster(h, from) && (ready(h, u->in[k]) > at || !plain_views(u->in[k]))) return false;
    }
    return true;
}

/* With its followers; *at, behind which all of them may stand, grows. */
static bool gather(Hoist *h, ThApply *a, int *at) {
    bool ok = vec_push(h->c, &h->cluster, a);
    h->mark[a->id] = ++h->turn;
    for (int i = 0; ok && i < h->cluster.n; i++)
        for (int o = 0; ok && o < h->cluster.at[i]->nout; o++) {
            const ThVar *v = h->cluster.at[i]->out[o], *s = h->update[v->id];
            int r = s ? after_readers(h, s, h->cluster.at[i], &ok) : -1;
            if (r > *at) *at = r;
            for (int k = 0; ok && k < v->nclients; k++) {
                ThApply *u = v->clients[k].node;
                if (!u || !can_follow(h, u, *at)) continue;
                h->mark[u->id] = h->turn;
                ok = vec_push(h->c, &h->cluster, u);
            }
        }
    return ok;
}

/* Bytes times places that the first of the cluster lets go of, less what all hold for users outside. */
static double gain(const Hoist *h, int place, int at) {
    const ThApply *a = h->cluster.at[0];
    double sum = 0;
    for (int k = 0; k < a->nin; k++) {
        int r = h->root[a->in[k]->id];
        bool again = false;
        for (int j = 0; j < k && j < 8; j++) again |= h->root[a->in[j]->id] == r;
        if (again || !a->in[k]->owner || h->fixed[r] || h->last[r] != place) continue;
        int from = h->but_last[r] > at ? h->but_last[r] : at;
        sum += schedule_bytes(a->in[k]) * (place - from);
    }
    for (int i = 0; i < h->cluster.n; i++)
        for (int o = 0; o < h->cluster.at[i]->nout; o++) {
            const ThVar *v = h->cluster.at[i]->out[o];
            bool outside = false;
            for (int k = 0; k < v->nclients; k++) outside |= v->clients[k].node && !in_cluster(h, v->clients[k].node);
            if (outside && !h->fixed[h->root[v->id]] && !(h->cluster.at[i]->op->flags & OP_VIEW))
                sum -= schedule_bytes(v) * (place - at);
        }
    return sum;
}

/* Behind what the node at this place feeds point by point, too: they will be one kernel. */
static int after_epilogue(const Hoist *h, int at, int place) {
    for (; at >= 0 && at + 1 < place; at++) {
        const ThApply *next = h->fg->order[at + 1];
        bool reads = false;
        for (int k = 0; k < next->nin; k++) reads |= next->in[k]->owner == h->fg->order[at];
        if (!reads || !(next->op->flags & OP_ELEMWISE)) break;
    }
    return at;
}

static void set_key(Hoist *h, const ThApply *a, int at) {
    h->key[a->id] = at;
    for (int k = 0; k < a->nin; k++)
        for (const ThVar *v = a->in[k]; v->owner && (v->owner->op->flags & OP_VIEW); v = v->owner->in[0])
            if (h->key[v->owner->id] > at) h->key[v->owner->id] = at;
}

static bool move(Hoist *h, ThApply *a, int place) {
    int at = -1;
    if ((a->op->flags & (OP_VIEW | OP_EFFECT | OP_ELEMWISE)) || h->key[a->id] != place) return true;
    for (int k = 0; k < a->nin; k++) {
        int r = ready(h, a->in[k]);
        if (r > at) at = r;
        if (!plain_views(a->in[k])) return true;
    }
    if (at < 0 || place - at < 2) return true;
    h->cluster.n = 0;
    if (!gather(h, a, &at)) return false;
    at = after_epilogue(h, at, place);
    if (place - at < 2 || gain(h, place, at) <= 0) return true;
    for (int i = 0; i < h->cluster.n; i++)
        if (h->key[h->cluster.at[i]->id] > at) set_key(h, h->cluster.at[i], at);
    return true;
}

/* By key; at one place the node that stands there, then those moved, as they were. */
static bool put_in(Hoist *h) {
    ThApply **order = arena_alloc(h->fg->arena, sizeof *order * (size_t)(h->n + 1));
    size_t bytes = sizeof(int) * (size_t)(h->n + 1);
    int *head = ctx_alloc(h->c, bytes), *next = ctx_alloc(h->c, bytes), to = 0;
    bool ok = order && head && next;
    for (int i = 0; ok && i <= h->n; i++) head[i] = -1;
    for (int i = h->n - 1; ok && i >= 0; i--) {
        int k = h->key[h->fg->order[i]->id];
        if (k != i) next[i] = head[k], head[k] = i;
    }
    for (int i = 0; ok && i < h->n; i++) {
        if (h->key[h->fg->order[i]->id] == i) order[to++] = h->fg->order[i];
        for (int k = head[i]; k >= 0; k = next[k]) order[to++] = h->fg->order[k];
    }
    if (ok) h->fg->order = order;
    ctx_free(h->c, head, bytes);
    ctx_free(h->c, next, bytes);
    return ok;
}

bool pass_hoist(Opt *o) {
    FGraph *fg = o->fg;
    Hoist h = {.c = o->c, .fg = fg, .n = fg->norder, .last_fail = -1};
    size_t nv = (size_t)fg->nvars + 1, nn = (size_t)fg->nnodes + 1;
    if (fg->nout < 2) return true; /* one output: the walk went straight to it */
    h.key = ctx_alloc(o->c, nn * sizeof *h.key);
    h.mark = ctx_alloc0(o->c, nn * sizeof *h.mark);
    h.root = ctx_alloc(o->c, nv * sizeof *h.root);
    h.last = ctx_alloc(o->c, nv * sizeof *h.last);
    h.but_last = ctx_alloc(o->c, nv * sizeof *h.but_last);
    h.fixed = ctx_alloc0(o->c, nv * sizeof *h.fixed);
    h.update = ctx_alloc0(o->c, nv * sizeof *h.update);
    bool ok = h.key && h.mark && h.root && h.last && h.but_last && h.fixed && h.update, any = false;
    if (ok) note(&h);
    for (int i = 0; ok && i < h.n; i++) {
        ok = move(&h, fg->order[i], i);
        any |= ok && h.key[fg->order[i]->id] != i;
    }
    ok = ok && (!any || put_in(&h));
    ctx_free(o->c, h.key, nn * sizeof *h.key);
    ctx_free(o->c, h.mark, nn * sizeof *h.mark);
    vec_free(o->c, &h.cluster);
    ctx_free(o->c, h.root, nv * sizeof *h.root);
    ctx_free(o->c, h.last, nv * sizeof *h.last);
    ctx_free(o->c, h.but_last, nv * sizeof *h.but_last);
    ctx_free(o->c, h.fixed, nv * sizeof *h.fixed);
    ctx_free(o->c, h.update, nv * sizeof *h.update);
    return ok;
}
