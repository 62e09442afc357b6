/*
 * remat.c -- values computed a second time for their later users, instead of being kept until then.
 * In: variables marked by T.remat (remat_marks turns the marks of the user's graph into flags, so that nothing else of
 * the graph differs), the schedule, and the variables chosen for a memory budget (fg->again). Out: of each a copy of
 * its node right before the first of the later users, which are those after the longest wait (or from the chosen user
 * on). What the copy reads is copied too unless it lies there anyway, is small, or must not run twice. Values stay
 * equal bit for bit: copies are the same operations on the same inputs.
 */
#include "opt/engine/rewrite.h"

#include <stdlib.h>

enum { MAX_CONE = 64, SMALL = 8 };

typedef struct Insert {
    int before; /* place in the schedule */
    ThApply *node;
} Insert;
typedef struct Remat {
    Opt *o;
    ThContext *c;
    FGraph *fg;
    int nvars;     /* ids from here on are copies' */
    VEC(int) pos;  /* by node id: its place, that of a copy: before which it stands; -1: none */
    ThVar **late;  /* by variable id: its copy, */
    int *late_at;  /* ..and where that stands */
    ApplyVec cone; /* what is being copied */
    Map in_cone;
    VEC(Insert) insert;
} Remat;

/* ---- the marks ---- */
bool pass_remat_marks(Opt *o) {
    FGraph *fg = o->fg;
    bool any = opt_made(o, &op_remat);
    const ApplyVec *order = any ? opt_order(o) : NULL;
    ApplyVec marks = {0};
    bool ok = !any || order;
    for (int i = 0; ok && any && i < order->n; i++)
        if (order->at[i]->op == &op_remat) ok = vec_push(o->c, &marks, order->at[i]);
    for (int i = 0; ok && i < marks.n; i++) {
        ThVar *x = fg_find(marks.at[i]->in[0]);
        x->flags |= VAR_F_REMAT;
        fg->remat = true;
        ok = fg_replace(fg, marks.at[i]->out[0], x, "remat");
    }
    vec_free(o->c, &marks);
    return ok;
}

/* ---- questions ---- */
static int place(const Remat *r, const ThApply *a) { return (int)a->id < r->pos.n ? r->pos.at[a->id] : -1; }

static bool is_output(const ThVar *v) {
    for (int i = 0; i < v->nclients; i++)
        if (!v->clients[i].node) return true;
    return false;
}

static bool copyable(const ThApply *a) {
    return !(a->op->flags & OP_EFFECT) && !a->op->bodies && a->destroys < 0 && !schedule_can_fail(a);
}

static bool has_copy(const Remat *r, const ThVar *v, int cut) {
    return (int)v->id < r->nvars && r->late[v->id] && r->late_at[v->id] <= cut;
}

/* v lies in memory at `cut` in any case, or costs next to nothing to keep until then; a copy is not copied again. */
static bool at_hand(const Remat *r, const ThVar *v, int cut, double of) {
    if (!v->owner || (int)v->id >= r->nvars || has_copy(r, v, cut) || is_output(v)) return true;
    for (int i = 0; i < v->nclients; i++)
        if (place(r, v->clients[i].node) >= cut) return true;
    return !(v->owner->op->flags & OP_VIEW) && schedule_bytes(v) * SMALL <= of;
}

static int by_place(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* The first user after the longest time without one; -1: users follow each other. */
static int longest_wait(Remat *r, const ThVar *v) {
    int most = 1, cut = -1, *at = ctx_alloc(r->c, sizeof *at * (size_t)(v->nclients + 1));
    for (int i = 0; at && i < v->nclients; i++) at[i] = place(r, v->clients[i].node);
    if (at) qsort(at, (size_t)v->nclients, sizeof *at, by_place);
    for (int i = 1; at && i < v->nclients; i++)
        if (at[i - 1] >= 0 && at[i] - at[i - 1] > most) most = at[i] - at[i - 1], cut = at[i];
    ctx_free(r->c, at, sizeof *at * (size_t)(v->nclients + 1));
    return cut;
}

/* ---- copies ---- */
static bool add_to_cone(Remat *r, ThApply *a) {
    return map_put(r->c, &r->in_cone, KEY(a), 1) && vec_push(r->c, &r->cone, a);
}

/* The nodes that must run again for v at `cut`, v's own first. */
static bool find_cone(Remat *r, ThVar *v, int cut) {
    uint32_t at;
    map_free(r->c, &r->in_cone);
    r->cone.n = 0;
    bool ok = add_to_cone(r, v->owner);
    for (int i = 0; ok && i < r->cone.n; i++)
        for (int k = 0; ok && k < r->cone.at[i]->nin && r->cone.n < MAX_CONE; k++) {
            ThVar *x = r->cone.at[i]->in[k];
            if (at_hand(r, x, cut, schedule_bytes(v)) || !copyable(x->owner)) continue;
            if (!map_get(&r->in_cone, KEY(x->owner), &at)) ok = add_to_cone(r, x->owner);
        }
    return ok;
}

static void sort_cone(Remat *r) { /* by schedule; at most MAX_CONE nodes */
    for (int i = 1; i < r->cone.n; i++) {
        ThApply *a = r->cone.at[i];
        int k = i;
        for (; k > 0 && place(r, r->cone.at[k - 1]) > place(r, a); k--) r->cone.at[k] = r->cone.at[k - 1];
        r->cone.at[k] = a;
    }
}

static bool copy_node(Remat *r, ThApply *a, int cut) {
    VarVec in = {0};
    bool ok = vec_reserve(r->c, &in, a->nin + 1);
    for (int k = 0; ok && k < a->nin; k++) in.at[k] = has_copy(r, a->in[k], cut) ? r->late[a->in[k]->id] : a->in[k];
    r->o->b.prov = a->prov;
    ThApply *copy = ok ? apply_copy(&r->o->b, a, in.at) : NULL;
    vec_free(r->c, &in);
    if (!copy) return false;
    copy->flags |= a->flags & APPLY_GRAD;
    while (r->pos.n <= (int)copy->id)
        if (!vec_push(r->c, &r->pos, -1)) return false;
    r->pos.at[copy->id] = cut;
    for (int i = 0; i < a->nout; i++) {
        copy->out[i]->name = a->out[i]->name;
        if ((int)a->out[i]->id >= r->nvars) continue;
        r->late[a->out[i]->id] = copy->out[i];
        r->late_at[a->out[i]->id] = cut;
    }
    return vec_push(r->c, &r->insert, ((Insert){cut, copy}));
}

/* Users of v from `cut` on take its copy. */
static bool move_users(Remat *r, ThVar *v, int cut) {
    bool ok = true;
    for (int i = 0; ok && i < v->nclients;) {
        Client u = v->clients[i];
        if (place(r, u.node) >= cut) ok = fg_set_input(r->fg, u.node, u.pos, r->late[v->id]);
        else i++;
    }
    return ok;
}

static bool again(Remat *r, ThVar *v, int cut) {
    if (cut < 0 || has_copy(r, v, cut) || !copyable(v->owner)) return true;
    bool ok = find_cone(r, v, cut);
    sort_cone(r);
    builder_begin_fg(&r->o->b, r->fg, 0); /* ends when the copies have users: it drops those without */
    r->o->b.rule = "remat";
    for (int i = 0; ok && i < r->cone.n; i++) ok = copy_node(r, r->cone.at[i], cut);
    for (int i = 0; ok && i < r->cone.n; i++)
        for (int k = 0; ok && k < r->cone.at[i]->nout; k++) ok = move_users(r, r->cone.at[i]->out[k], cut);
    builder_end(&r->o->b);
    return ok;
}

/* The place from which on users of v take a copy, as chosen; -1: it was not. */
static int chosen(const Remat *r, const ThVar *v) {
    for (int i = 0; i < r->fg->nagain; i++)
        if (r->fg->again[i].var == v->id) {
            uint32_t user = r->fg->again[i].user;
            return (int)user < r->pos.n ? r->pos.at[user] : -1;
        }
    return -1;
}

/* ---- the schedule with the copies in it: stable by place ---- */
static bool put_in(Remat *r, ThApply *const *old, int n) {
    ThApply **order = arena_alloc(r->fg->arena, sizeof *order * (size_t)(n + r->insert.n + 1));
    int *head = ctx_alloc(r->c, sizeof *head * (size_t)(n + 1)), *next = NULL;
    size_t bytes = sizeof *next * (size_t)(r->insert.n + 1);
    bool ok = order && head && (next = ctx_alloc(r->c, bytes));
    int to = 0;
    for (int i = 0; ok && i <= n; i++) head[i] = -1;
    for (int i = r->insert.n - 1; ok && i >= 0; i--) {
        next[i] = head[r->insert.at[i].before];
        head[r->insert.at[i].before] = i;
    }
    for (int i = 0; ok && i < n; i++) {
        for (int k = head[i]; k >= 0; k = next[k])
            if (!(r->insert.at[k].node->flags & APPLY_DEAD)) order[to++] = r->insert.at[k].node;
        if (!(old[i]->flags & APPLY_DEAD)) order[to++] = old[i];
    }
    if (ok) r->fg->order = order, r->fg->norder = to;
    ctx_free(r->c, head, sizeof *head * (size_t)(n + 1));
    ctx_free(r->c, next, bytes);
    return ok;
}

static bool copy_all(Remat *r) {
    FGraph *fg = r->fg;
    int n = fg->norder;
    bool ok = true;
    fg->cons = false; /* equal on purpose; only the in-place passes follow, which make no nodes */
    for (int i = 0; ok && i < n; i++)
        for (int k = 0; ok && k < fg->order[i]->nout; k++) {
            ThVar *v = fg->order[i]->out[k];
            if (is_output(v)) continue; /* kept in any case */
            int cut = chosen(r, v);
            if (cut < 0 && (v->flags & VAR_F_REMAT)) cut = longest_wait(r, v);
            ok = again(r, v, cut);
        }
    return ok && (!r->insert.n || (put_in(r, fg->order, n) && fg_ranks(fg)));
}

bool pass_remat(Opt *o) {
    FGraph *fg = o->fg;
    if (!fg->remat && !fg->nagain) return true;
    Remat r = {.o = o, .c = o->c, .fg = fg, .nvars = fg->nvars};
    size_t n = (size_t)fg->nvars + 1;
    r.late = ctx_alloc0(o->c, n * sizeof *r.late);
    r.late_at = ctx_alloc0(o->c, n * sizeof *r.late_at);
    bool ok = r.late && r.late_at && vec_reserve(o->c, &r.pos, fg->nnodes + 1);
    for (int i = 0; ok && i < fg->nnodes; i++) r.pos.at[r.pos.n++] = -1;
    for (int i = 0; ok && i < fg->norder; i++) r.pos.at[fg->order[i]->id] = i;
    ok = ok && copy_all(&r);
    ctx_free(o->c, r.late, n * sizeof *r.late);
    ctx_free(o->c, r.late_at, n * sizeof *r.late_at);
    vec_free(o->c, &r.pos);
    vec_free(o->c, &r.cone);
    vec_free(o->c, &r.insert);
    map_free(o->c, &r.in_cone);
    return ok;
}
