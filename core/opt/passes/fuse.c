/*
 * fuse.c -- elementwise fusion: a tree of Elemwise nodes becomes one Composite.
 * In: the graph before the schedule. Out: nodes whose scalar body holds what several nodes did. A node joins the group
 * of its users when all of them are in one group, its result has the group's broadcast pattern, and the caps allow it.
 * Only a group's root is used outside, so no cycle can arise. One walk, users before inputs.
 */
#include "opt/engine/rewrite.h"

#include <string.h>

enum { MAX_INPUTS = 20, MAX_INS = 120 };

typedef struct Group {
    ThApply *root;
    int nins, nin, members;
    uint32_t last; /* id of the member met last, which is the first to be computed */
} Group;
typedef struct Fuse {
    Opt *o;
    ThContext *c;
    const ApplyVec *order;
    int *group;     /* by node id: its group + 1 */
    uint32_t *next; /* by node id: the member of its group that was met before it */
    int *input_of;  /* by variable id: the group + 1 that counted it among its inputs last */
    size_t n, nvar;
    bool full; /* a group took a node no more: as Composites its members may leave room */
    VEC(Group) groups;
} Fuse;

/* Instructions of a kernel: an n-ary sum is n - 1 of them, in a body too. */
static int ins_count(const ThApply *a) {
    const ScalarBody *body = ((const ElemwiseAttrs *)a->attrs)->body;
    if (!body) return a->nin > 1 ? a->nin - 1 : 1;
    int n = 0;
    for (int i = 0; i < body->n; i++) n += body->ins[i].nargs > 3 ? body->ins[i].nargs - 1 : 1;
    return n;
}

static bool fusible(const ThApply *a) {
    if (a->op != &op_elemwise || a->nout != 1 || a->destroys >= 0 || a->nin > MAX_INPUTS) return false;
    if (dtype_is_complex(a->out[0]->type.dtype)) return false;
    for (int i = 0; i < a->nin; i++)
        if (dtype_is_complex(a->in[i]->type.dtype)) return false;
    const ElemwiseAttrs *e = a->attrs;
    return e->body ? ins_count(a) < MAX_INS : !(scalar_ops[e->scalar].flags & SF_FAILS);
}

/* Composites made meanwhile have higher ids and belong to no group. */
static int group_of(const Fuse *f, const ThApply *a) { return a->id < f->n ? f->group[a->id] : 0; }

/* The one group of all users of a, or 0. */
static int users_group(const Fuse *f, const ThApply *a) {
    const ThVar *v = a->out[0];
    int g = 0;
    for (int i = 0; i < v->nclients; i++) {
        const ThApply *u = v->clients[i].node;
        int h = u ? f->group[u->id] : 0;
        if (!h || (g && h != g)) return 0;
        g = h;
    }
    return g;
}

/* Inputs of a that group g has not counted; adding: counts them. */
static int new_inputs(Fuse *f, const ThApply *a, int g, bool adding) {
    int n = 0;
    for (int i = 0; i < a->nin; i++) {
        int *at = &f->input_of[a->in[i]->id];
        if (*at == g) continue;
        if (adding) *at = g;
        n++;
    }
    return n;
}

static bool group_all(Fuse *f) {
    enum { FAR = 16, NEAR = 8 };
    for (int i = f->order->n - 1; i >= 0; i--) {
        ThApply *a = f->order->at[i];
        if (i >= FAR) apply_prefetch(f->order->at[i - FAR]);
        if (i >= NEAR) apply_prefetch_inputs(f->order->at[i - NEAR]);
        if (!fusible(a)) continue;
        int g = users_group(f, a);
        Group *at = g ? &f->groups.at[g - 1] : NULL;
        if (at && at->root->out[0]->type.broadcastable != a->out[0]->type.broadcastable) at = NULL;
        if (at && (at->nins + ins_count(a) > MAX_INS || at->nin + new_inputs(f, a, g, false) - 1 > MAX_INPUTS)) {
            f->full = true;
            at = NULL;
        }
        if (!at) {
            Group new_ = {.root = a};
            if (!vec_push(f->c, &f->groups, new_)) return false;
            g = f->groups.n;
            at = &f->groups.at[g - 1];
            at->nin = 1;
        }
        f->group[a->id] = g;
        at->nins += ins_count(a);
        at->nin += new_inputs(f, a, g, true) - 1;
        at->members++;
        f->next[a->id] = at->last;
        at->last = a->id;
    }
    return true;
}

/* ---- one group to one body ---- */
typedef struct Body {
    Fuse *f;
    int g;
    VEC(ThVar *) in;
    VEC(ThDtype) in_dtype;
    VEC(ScalarIns) ins;
    VEC(int) arg;
    VEC(ThValue) cval;
    VEC(ThDtype) cdtype;
    Map id; /* variable -> value: input i as i, instruction k as ~k, constant as 1 << 20 | k */
} Body;
enum { CONST_BIT = 1 << 20, INS_BIT = 1 << 21 };

static bool emit(Body *b, int op, ThDtype d, const int *arg, int n, int *value) {
    ScalarIns i = {.op = (uint16_t)op, .dtype = (uint8_t)d, .nargs = (uint8_t)n, .first = b->arg.n};
    for (int k = 0; k < n; k++)
        if (!vec_push(b->f->c, &b->arg, arg[k])) return false;
    *value = INS_BIT | b->ins.n;
    return vec_push(b->f->c, &b->ins, i);
}

/* Instructions of a Composite node copied with its values renumbered. */
static bool inline_body(Body *b, const ScalarBody *s, const int *arg, int *value) {
    VEC(int) v = {0};
    bool ok = vec_reserve(b->f->c, &v, s->nin + s->nconst + s->n);
    for (int i = 0; ok && i < s->nin; i++) v.at[i] = arg[i];
    for (int i = 0; ok && i < s->nconst; i++) {
        v.at[s->nin + i] = CONST_BIT | b->cval.n;
        ok = vec_push(b->f->c, &b->cval, s->cvalue[i]) && vec_push(b->f->c, &b->cdtype, s->cdtype[i]);
    }
    for (int i = 0; ok && i < s->n; i++) {
        int a[MAX_INPUTS];
        const ScalarIns *k = &s->ins[i];
        for (int j = 0; j < k->nargs && j < MAX_INPUTS; j++) a[j] = v.at[s->arg[k->first + j]];
        ok = emit(b, k->op, (ThDtype)k->dtype, a, k->nargs, &v.at[s->nin + s->nconst + i]);
    }
    if (ok) *value = v.at[s->out[0]];
    vec_free(b->f->c, &v);
    return ok;
}

static bool add_node(Body *b, ThApply *a) {
    int arg[MAX_INPUTS], value;
    const ElemwiseAttrs *e = a->attrs;
    for (int i = 0; i < a->nin; i++) {
        uint32_t at;
        if (!map_get(&b->id, KEY(a->in[i]), &at))
            return err(b->f->c, TH_RuntimeError, "fusion: an input of %s was not numbered", a->op->name);
        arg[i] = (int)at;
    }
    bool ok = e->body ? inline_body(b, e->body, arg, &value)
                      : emit(b, e->scalar, (ThDtype)a->out[0]->type.dtype, arg, a->nin, &value);
    return ok && map_put(b->f->c, &b->id, KEY(a->out[0]), (uint32_t)value);
}

/* Depth first from the root, inputs left to right: outside inputs are numbered as they are met. */
static bool number(Body *b, ThApply *root) {
    ThContext *c = b->f->c;
    typedef struct Frame {
        ThApply *a;
        int next;
    } Frame;
    VEC(Frame) stack = {0};
    uint32_t at;
    bool ok = vec_push(c, &stack, ((Frame){root, 0}));
    while (ok && stack.n) {
        Frame *top = &stack.at[stack.n - 1];
        if (top->next == top->a->nin) {
            ThApply *a = top->a;
            stack.n--;
            if (!map_get(&b->id, KEY(a->out[0]), &at)) ok = add_node(b, a);
            continue;
        }
        ThVar *v = top->a->in[top->next++];
        if (map_get(&b->id, KEY(v), &at)) continue;
        if (v->owner && group_of(b->f, v->owner) == b->g) {
            ok = vec_push(c, &stack, ((Frame){v->owner, 0}));
        } else {
            ok = map_put(c, &b->id, KEY(v), (uint32_t)b->in.n) && vec_push(c, &b->in, v) &&
                 vec_push(c, &b->in_dtype, (ThDtype)v->type.dtype);
        }
    }
    vec_free(c, &stack);
    return ok;
}

/* Values are numbered inputs, then constants, then instructions. */
static int final_id(const Body *b, int v) {
    if (v & INS_BIT) return b->in.n + b->cval.n + (v & (INS_BIT - 1));
    return v & CONST_BIT ? b->in.n + (v & (CONST_BIT - 1)) : v;
}

static ThVar *make_composite(Body *b, ThApply *root) {
    uint32_t out;
    if (!map_get(&b->id, KEY(root->out[0]), &out)) return NULL;
    for (int i = 0; i < b->arg.n; i++) b->arg.at[i] = final_id(b, b->arg.at[i]);
    int result = final_id(b, (int)out);
    ScalarBody proto = {.nin = b->in.n,
                        .nout = 1,
                        .n = b->ins.n,
                        .narg = b->arg.n,
                        .nconst = b->cval.n,
                        .in_dtype = b->in_dtype.at,
                        .ins = b->ins.at,
                        .arg = b->arg.at,
                        .cvalue = b->cval.at,
                        .cdtype = b->cdtype.at,
                        .out = &result};
    ElemwiseAttrs e;
    memset(&e, 0, sizeof e);
    e.body = scalar_body_intern(b->f->c, &proto);
    return e.body ? apply1(&b->f->o->b, &op_elemwise, &e, b->in.at, b->in.n) : NULL;
}

/* The lines of all members, inputs first. */
static Prov lines_of(const Fuse *f, const Group *g) {
    Prov p = 0;
    uint32_t id = g->last;
    for (int i = 0; i < g->members; i++, id = f->next[id]) {
        const ThApply *a = f->o->fg->node.at[id]; /* NULL: it became equal to another node meanwhile */
        if (a) p = prov_join(f->c, p, a->prov);
    }
    return p;
}

static bool fuse_group(Fuse *f, int g) {
    Group *at = &f->groups.at[g - 1];
    Opt *o = f->o;
    Body b = {.f = f, .g = g};
    bool ok = true;
    if (at->members < 2) return true;
    builder_begin_fg(&o->b, o->fg, lines_of(f, at));
    o->b.rule = "elemwise_fusion";
    ok = number(&b, at->root);
    ThVar *v = ok ? make_composite(&b, at->root) : NULL;
    if (v) engine_replace(o, at->root->out[0], v, "elemwise_fusion");
    builder_end(&o->b);
    vec_free(f->c, &b.in);
    vec_free(f->c, &b.in_dtype);
    vec_free(f->c, &b.ins);
    vec_free(f->c, &b.arg);
    vec_free(f->c, &b.cval);
    vec_free(f->c, &b.cdtype);
    map_free(f->c, &b.id);
    return ok && !failed(f->c);
}

static bool fuse_once(Opt *o, bool *again) {
    Fuse f = {.o = o, .c = o->c, .n = (size_t)o->fg->nnodes + 1, .nvar = (size_t)o->fg->nvars + 1};
    int64_t before = o->changes;
    f.group = ctx_alloc0(o->c, f.n * sizeof *f.group);
    f.next = ctx_alloc(o->c, f.n * sizeof *f.next);
    f.input_of = ctx_alloc0(o->c, f.nvar * sizeof *f.input_of);
    bool ok = f.group && f.next && f.input_of && (f.order = opt_order(o)) && group_all(&f);
    for (int g = f.groups.n; ok && g >= 1; g--) ok = fuse_group(&f, g); /* inputs first */
    vec_free(o->c, &f.groups);
    ctx_free(o->c, f.input_of, f.nvar * sizeof *f.input_of);
    ctx_free(o->c, f.next, f.n * sizeof *f.next);
    ctx_free(o->c, f.group, f.n * sizeof *f.group);
    *again = f.full && o->changes != before;
    return ok;
}

bool pass_fuse(Opt *o) {
    enum { ROUNDS = 4 };
    bool ok = true, again = true;
    for (int i = 0; ok && again && i < ROUNDS; i++) ok = fuse_once(o, &again);
    return ok;
}

/* ---- add(add(a, b), c) -> add(a, b, c) ---- */
static bool same_sum(const ThVar *v, const ThApply *a, int s) {
    return v->owner && ask_which(v->owner) == s && v->nclients == 1 && type_eq(v->type, a->out[0]->type);
}

static bool opens(const ThApply *a, int s) {
    for (int i = 0; i < a->nin; i++)
        if (same_sum(a->in[i], a, s)) return true;
    return false;
}

/* Inner sums (products) that only a uses are opened, each node visited once: the walk meets inner nodes first. */
static bool open_inner(Opt *o, ThApply *a, int s) {
    VEC(ThVar *) in = {0};
    Prov lines = a->prov;
    bool ok = true;
    if (!opens(a, s)) return true;
    for (int i = 0; ok && i < a->nin; i++) {
        ThApply *inner = same_sum(a->in[i], a, s) ? a->in[i]->owner : NULL;
        if (!inner) ok = vec_push(o->c, &in, a->in[i]);
        for (int k = 0; ok && inner && k < inner->nin; k++) ok = vec_push(o->c, &in, inner->in[k]);
        if (inner) lines = prov_join(o->c, inner->prov, lines);
    }
    if (ok && in.n <= MAX_INPUTS) {
        builder_begin_fg(&o->b, o->fg, lines);
        o->b.rule = "add_mul_fusion";
        ThVar *v = elemwise_make(&o->b, s, in.at, in.n);
        if (v) engine_replace(o, a->out[0], v, "add_mul_fusion");
        builder_end(&o->b);
    }
    vec_free(o->c, &in);
    return ok && !failed(o->c);
}

/* Whether any sum or product holds another: after canonicalize hardly one does, and then nothing is sorted. */
static bool any_inner(const Opt *o) {
    for (int i = 0; i < o->fg->node.n; i++) {
        int s = opt_kind_at(o, i);
        fg_ahead(&o->fg->node, i);
        if (o->fg->node.at[i] && (s == S_add || s == S_mul) && opens(o->fg->node.at[i], s)) return true;
    }
    return false;
}

bool pass_fuse_add_mul(Opt *o) {
    if (!any_inner(o)) return true;
    const ApplyVec *order = opt_order(o);
    bool ok = order != NULL;
    for (int i = 0; ok && i < order->n; i++) {
        ThApply *a = order->at[i];
        if (a->flags & APPLY_DEAD) continue;
        int s = ask_which(a);
        if ((s == S_add || s == S_mul) && a->out[0]->type.dtype != TH_BOOL) ok = open_inner(o, a, s);
    }
    return ok;
}
