/*
 * hoist.c -- the schedule, with nodes moved forward to where they let go of memory.
 * In: fg->order as the walk from the outputs left it, where an output's last node waits for its turn among the outputs
 * while all that it reads lies there: in a training step every layer's value and gradient, until the first update. Out:
 * a node stands right behind the last of its inputs where the inputs that nobody reads later are worth more, in bytes
 * times places, than its own result. Results and new values of shared variables count nothing: they have their memory
 * in any case. The new value of a shared stays behind the readers of the old one and behind all that can fail.
 */
#include "rewrite.h"

typedef struct Hoist {
    ThContext *c;
    FGraph *fg;
    int n, last_fail;
    int *key;             /* by node id: stands behind the node of this place; its own: not moved */
    int *root;            /* by variable id: whose memory it shows */
    int *last, *but_last; /* by variable id of a root: places of its last two readers, -1 */
    bool *fixed;          /* ..it is an output's */
    ThVar **update;       /* by variable id: the shared that it is the new value of */
} Hoist;

static void read_at(Hoist *h, int root, int place) {
    if (h->last[root] == place) return;
    h->but_last[root] = h->last[root];
    h->last[root] = place;
}

static void note(Hoist *h) {
    FGraph *fg = h->fg;
    for (int v = 0; v < fg->nvars; v++) h->root[v] = v, h->last[v] = h->but_last[v] = -1;
    for (int i = 0; i < h->n; i++) {
        const ThApply *a = fg->order[i];
        h->key[a->id] = i;
        if (schedule_can_fail(a) || (a->op->flags & OP_EFFECT)) h->last_fail = i;
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

/* What a lets go of in the places from `at` to its own, less what it holds there. */
static double gain(const Hoist *h, const ThApply *a, int place, int at) {
    double sum = 0;
    for (int k = 0; k < a->nin; k++) {
        int r = h->root[a->in[k]->id];
        bool again = false, leaf = !a->in[k]->owner;
        for (int j = 0; j < k && j < 8; j++) again |= h->root[a->in[j]->id] == r;
        if (again || leaf || h->fixed[r] || h->last[r] != place) continue;
        int from = h->but_last[r] > at ? h->but_last[r] : at;
        sum += schedule_bytes(a->in[k]) * (place - from);
    }
    for (int o = 0; o < a->nout; o++)
        if (!h->fixed[h->root[a->out[o]->id]]) sum -= schedule_bytes(a->out[o]) * (place - at);
    return sum;
}

static bool move(Hoist *h, ThApply *a, int place) {
    int at = -1;
    bool ok = true;
    if (a->op->flags & (OP_VIEW | OP_EFFECT)) return true;
    for (int k = 0; k < a->nin; k++) {
        int r = ready(h, a->in[k]);
        if (r > at) at = r;
        if (!plain_views(a->in[k])) return true;
    }
    if (place - at < 2) return true;
    for (int o = 0; ok && o < a->nout; o++) {
        const ThVar *s = h->update[a->out[o]->id];
        int r = s ? after_readers(h, s, a, &ok) : -1;
        if (r > at) at = r;
    }
    if (!ok || at < 0 || place - at < 2 || gain(h, a, place, at) <= 0) return ok;
    h->key[a->id] = at;
    for (int k = 0; k < a->nin; k++)
        for (ThVar *v = a->in[k]; v->owner && (v->owner->op->flags & OP_VIEW); v = v->owner->in[0])
            if (h->key[v->owner->id] > at) h->key[v->owner->id] = at;
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
    h.root = ctx_alloc(o->c, nv * sizeof *h.root);
    h.last = ctx_alloc(o->c, nv * sizeof *h.last);
    h.but_last = ctx_alloc(o->c, nv * sizeof *h.but_last);
    h.fixed = ctx_alloc0(o->c, nv * sizeof *h.fixed);
    h.update = ctx_alloc0(o->c, nv * sizeof *h.update);
    bool ok = h.key && h.root && h.last && h.but_last && h.fixed && h.update, any = false;
    if (ok) note(&h);
    for (int i = 0; ok && i < h.n; i++) {
        ok = move(&h, fg->order[i], i);
        any |= ok && h.key[fg->order[i]->id] != i;
    }
    ok = ok && (!any || put_in(&h));
    ctx_free(o->c, h.key, nn * sizeof *h.key);
    ctx_free(o->c, h.root, nv * sizeof *h.root);
    ctx_free(o->c, h.last, nv * sizeof *h.last);
    ctx_free(o->c, h.but_last, nv * sizeof *h.but_last);
    ctx_free(o->c, h.fixed, nv * sizeof *h.fixed);
    ctx_free(o->c, h.update, nv * sizeof *h.update);
    return ok;
}
