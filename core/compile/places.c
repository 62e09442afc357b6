/*
 * places.c -- where the values of a function for a GPU are and what moves between its nodes, told in terms of the
 * graph. In: a function with its plan and the places of its steps. Out: what debugprint asks for. A node is where its
 * steps are; a view where its input is; what only computes lengths is nowhere, since both sides know them. Graphs of
 * loops are looked at first: an argument is wanted where the body wants it.
 */
#include "plan/place.h"
#include "runtime/function.h"
#include "compile.h"

/* On the device; on the host; its operands are lengths that the host reads; it has steps, which say so. */
enum { THERE = 1, HERE = 2, READS = 4, STEP = 8 };

/* ---- nodes of the plan ------------------------------------------------------------------------------------------- */
/* Node n has a step on that side, and so have the loops around it. */
static void mark(CompilePlaces *p, int n, uint8_t side) {
    for (; n >= 0 && n < p->plan->nnode; n = p->plan->node[n].within - 1) p->node[n] |= side | STEP;
}

static void mark_steps(CompilePlaces *p, const Places *m) {
    const Plan *l = p->plan;
    for (int i = 0; i < l->nstep; i++) {
        const Step *s = &l->step[i];
        bool works = s->kind == STEP_KERNEL || s->kind == STEP_HOST || s->kind == STEP_TRANSFER;
        if (!works || m->side[i] == PLACE_LENGTHS) continue;
        for (int j = 0; j < s->nnodes; j++) mark(p, s->nodes[j], m->side[i] == PLACE_DEVICE ? THERE : HERE);
    }
    for (int i = 0; i < m->nmove; i++) {
        const PlaceMove *v = &m->move[i];
        bool back = v->kind == MOVE_BACK || v->kind == MOVE_HEAD;
        if (!back || v->when != MOVE_BEFORE_STEP || l->step[v->at].kind != STEP_SIZE) continue;
        if (l->step[v->at].node >= 0) p->node[l->step[v->at].node] |= READS;
    }
}

/* ---- the graph --------------------------------------------------------------------------------------------------- */
static uint8_t known(const CompilePlaces *p, const void *of) {
    uint32_t side;
    return map_get(&p->at, KEY(of), &side) ? (uint8_t)side : 0;
}

static bool tell(CompilePlaces *p, const void *of, uint8_t side) { return map_put(p->ctx, &p->at, KEY(of), side); }

/* The host reads no condition where the device steers. */
static bool steers(const Places *m, const Plan *l) {
    bool any = false;
    for (int r = 0; r < l->nregion; r++) any |= m->steered[r] && l->region[r].kind == REGION_BRANCH;
    return any;
}

/* The value that v is a view of, or v. */
static const ThVar *behind(const CompilePlaces *p, const ThVar *v) {
    while (v->owner && !(known(p, v->owner) & (THERE | HERE))) {
        int at = th_apply_views(v->owner);
        if (at < 0) break;
        v = v->owner->in[at];
    }
    return v;
}

/* THERE, HERE, or 0: it moves nowhere. */
static uint8_t side_of(const CompilePlaces *p, const ThVar *v) {
    v = behind(p, v);
    uint8_t side = known(p, v->owner ? (const void *)v->owner : v);
    bool of_host = v->owner && !v->owner->op->device && !v->owner->op->bodies && side & HERE;
    bool all = side & STEP ? !of_host : !(side & HERE);
    return side & THERE && all ? THERE : side & HERE;
}

static uint64_t port_key(const ThApply *a, int i) { return KEY(a) ^ (uint64_t)(i + 1) << 48; }

/* Where node a wants its input i. */
static uint8_t wanted(const CompilePlaces *p, const ThApply *a, int i) {
    uint8_t side = known(p, a);
    uint32_t want;
    if (a->op->bodies && !a->op->outer_of) return i == 0 && !p->steers ? HERE : 0; /* a condition */
    if (a->op->bodies) return map_get(&p->port, port_key(a, i), &want) ? (uint8_t)want : 0;
    if (side & READS && dtype_is_int((ThDtype)a->in[i]->type.dtype)) return HERE;
    if (!(side & STEP)) return side & THERE && !(side & HERE) ? THERE : side & HERE;
    if (side & THERE && side & HERE && !a->op->device) return HERE; /* the device only takes what comes of it further */
    if (side & THERE) return a->op->device & DEVICE_READS(i) && i < 15 ? HERE : THERE;
    return side & HERE;
}

/* Argument v, or a view that no step makes, is wanted there too. */
static bool want_of(CompilePlaces *p, const ThVar *v, uint8_t want, bool whole) {
    uint32_t has;
    if (v->owner) {
        const ThApply *a = v->owner;
        if (known(p, a) & STEP || th_apply_views(a) < 0) return true;
        return tell(p, a, known(p, a) | want);
    }
    if (v->kind == VAR_CONSTANT || !map_get(&p->at, KEY(v), &has)) return true;
    bool fixed = has & THERE || (whole && v->kind != VAR_SHARED) || (has & HERE && !(want & THERE));
    return fixed || tell(p, v, want);
}

/* An argument is where the first who wants it on the device wants it; one of a whole function is on the host, but for
 * shared variables. A view is where all want it. */
static bool place_leaves(CompilePlaces *p, FGraph *fg, bool whole) {
    for (int i = 0; i < fg->nin; i++) {
        const ThVar *v = fg->in[i];
        bool moves = !whole || (v->kind == VAR_SHARED && !(v->origin ? v->origin : v)->u.shared->on_host);
        if (!tell(p, v, moves ? 0 : HERE)) return false;
    }
    for (int n = fg->norder; n-- > 0;)
        for (int i = 0; i < fg->order[n]->nin; i++) {
            uint8_t want = wanted(p, fg->order[n], i);
            if (want && !want_of(p, fg->order[n]->in[i], want, whole)) return false;
        }
    return true;
}

static int inner_base(const CompilePlaces *p, int node) {
    for (int n = 0; n < p->plan->nnode; n++)
        if (p->plan->node[n].within == 1 + node) return n;
    return -1;
}

/* Recursion is over loops in loops. */
static bool place_graph(CompilePlaces *p, FGraph *fg, int base, bool whole) {
    for (int n = 0; n < fg->norder; n++) {
        ThApply *a = fg->order[n];
        if (base + n >= p->plan->nnode || !tell(p, a, p->node[base + n])) return false;
        int at = a->op->outer_of && a->flags & APPLY_GRAPH ? inner_base(p, base + n) : -1;
        FGraph *inner = at < 0 ? NULL : fg_inner(fg, a, 0);
        if (!inner) continue;
        if (!place_graph(p, inner, at, false)) return false;
        for (int i = 0; i < inner->nin; i++) {
            uint64_t key = port_key(a, a->op->outer_of(a, i));
            uint8_t side = side_of(p, inner->in[i]);
            uint32_t so_far;
            if (map_get(&p->port, key, &so_far) && so_far & THERE) continue;
            if (side && !map_put(p->ctx, &p->port, key, side)) return false;
        }
    }
    return place_leaves(p, fg, whole);
}

/* ---- what debugprint asks ---------------------------------------------------------------------------------------- */
static bool there(const void *of, const ThVar *v) { return side_of(of, v) == THERE; }

/* Numbers, and what T.transfer brings to the host. */
static bool comes_back(const Plan *l, int o) {
    return o < l->noutput && (l->output[o].on_host || l->output[o].type.ndim == 0);
}

static PrintMove move(const void *of, const ThApply *client, int i, const ThVar *v) {
    const CompilePlaces *p = of;
    uint8_t from = side_of(p, v), to;
    if (client) to = wanted(p, client, i);
    else to = comes_back(p->plan, i) ? HERE : 0;
    if (!from || !to || from == to) return PRINT_STAYS;
    return to == THERE ? PRINT_OVER : PRINT_BACK;
}

const PrintPlaces *compile_places(CompilePlaces *p, ThFunction *f) {
    Unit *u = function_unit(f);
    FGraph *fg = function_fgraph(f);
    if (!u || !u->places || !fg->norder) return NULL;
    p->plan = function_plan(f);
    p->node = ctx_alloc0(p->ctx, (size_t)p->plan->nnode + 1);
    if (!p->node) return NULL;
    mark_steps(p, u->places);
    p->steers = steers(u->places, p->plan);
    if (!place_graph(p, fg, 0, true)) return NULL;
    p->print = (PrintPlaces){there, move, p};
    return &p->print;
}

void compile_places_free(CompilePlaces *p) {
    if (p->node) ctx_free(p->ctx, p->node, (size_t)p->plan->nnode + 1);
    map_free(p->ctx, &p->at);
    map_free(p->ctx, &p->port);
}
