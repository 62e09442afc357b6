/*
 * merge.c -- loops joined (scan_merge) and equal states and results of one loop made one (scan_merge_inouts).
 * In: Scans. Out: of those with the same number of turns (and conditions that are equal turn by turn), none depending
 * on another, one Scan; then each Scan with every state, shared value and collected result once.
 *
 * Loops are of one level when the longest chain of loops before them is equally long: such loops cannot depend on each
 * other, and joining all of a level makes no cycle. Independent loops of different levels are not joined.
 *
 * States are equal when they start equal and stay equal: all that start equal are taken to be the same, those whose
 * next rows then differ are told apart, until nothing changes.
 */
#include "scans.h"

typedef struct Carried { /* a state or a shared value */
    ThVar *outer, *result;
    int tap, ntap; /* in Join.tap and Join.tap_in */
    bool shared;
    int same; /* the first one equal to it, or itself */
} Carried;
typedef struct Collected {
    ThVar *shape, *result;
    int same;
} Collected;
typedef struct Join {
    Opt *o;
    Builder user;
    ThVar *steps;
    const char *name;
    int64_t truncate;
    VarVec seq, seq_in, value, value_in, tap_in;
    VEC(int) tap;
    VEC(Carried) carried;
    VEC(Collected) collected;
    VarVec turns;                         /* results that tell the turns run */
    VarVec carried_out, collect_out, end; /* of the bodies, end: conditions */
    VarVec made;                          /* references held on copies of them */
} Join;

static void join_begin(Join *j, Opt *o, ThApply *first) {
    *j = (Join){.o = o, .steps = fg_find(first->in[0]), .truncate = ATTRS(ScanAttrs, first)->truncate};
    builder_begin_fg(&o->b, o->fg, first->prov);
    builder_begin(&j->user, o->c);
    j->user.prov = first->prov;
}

static void join_end(Join *j) {
    ThContext *c = j->o->c;
    VarVec *all[] = {&j->seq,   &j->seq_in,      &j->value,       &j->value_in, &j->tap_in,
                     &j->turns, &j->carried_out, &j->collect_out, &j->end,      &j->made};
    for (int i = 0; i < j->made.n; i++) th_var_release(j->made.at[i]);
    for (size_t i = 0; i < TH_LEN(all); i++) vec_free(c, all[i]);
    vec_free(c, &j->tap);
    vec_free(c, &j->carried);
    vec_free(c, &j->collected);
    builder_end(&j->user);
    builder_end(&j->o->b);
}

/* ---- parts of all loops ------------------------------------------------------------------------------------------ */
/* "a&b", as Theano names a joined loop; a name is said once. */
static bool add_name(Join *j, const char *name) {
    if (!name || name == j->name) return true;
    if (!j->name) return j->name = name, true;
    Text t;
    text_init(&t, j->o->c);
    text_printf(&t, "%s&%s", j->name, name);
    const char *both = t.at ? intern(j->o->c, t.at) : NULL;
    text_free(&t);
    return both && (j->name = both, true);
}

static bool add_carried(Join *j, ThVar *outer, ThVar *result, const int *tap, ThVar *const *inner, int ntap) {
    ThContext *c = j->o->c;
    Carried x = {outer, result, j->tap.n, ntap, !tap, j->carried.n};
    bool ok = vec_push(c, &j->carried, x);
    for (int i = 0; ok && i < ntap; i++)
        ok = vec_push(c, &j->tap, tap ? tap[i] : 0) && vec_push(c, &j->tap_in, inner[i]);
    return ok;
}

static bool add_inputs(Join *j, const Scan *s, ThApply *a, ThVar *const *in) {
    ThContext *c = j->o->c;
    bool ok = true;
    for (int i = 0; ok && i < s->nseq; i++)
        ok = vec_push(c, &j->seq, fg_find(a->in[scan_in_seq(s) + i])) && vec_push(c, &j->seq_in, in[i]);
    for (int i = 0; ok && i < s->nstate; i++)
        ok = add_carried(j, fg_find(a->in[scan_in_state(s) + i]), a->out[i], s->tap + s->first[i],
                         in + s->nseq + s->first[i], s->first[i + 1] - s->first[i]);
    for (int i = 0; ok && i < s->nshared; i++)
        ok = add_carried(j, fg_find(a->in[scan_in_shared(s) + i]), a->out[scan_out_shared(s) + i], NULL,
                         in + scan_body_shared(s) + i, 1);
    for (int i = 0; ok && i < s->nvalue; i++)
        ok = vec_push(c, &j->value, fg_find(a->in[scan_in_value(s) + i])) &&
             vec_push(c, &j->value_in, in[scan_body_value(s) + i]);
    return ok;
}

static bool add_outputs(Join *j, const Scan *s, ThApply *a, ThVar *const *out) {
    ThContext *c = j->o->c;
    bool ok = true;
    for (int i = 0; ok && i < s->nstate; i++) ok = vec_push(c, &j->carried_out, out[i]);
    for (int i = 0; ok && i < s->nshared; i++) ok = vec_push(c, &j->carried_out, out[scan_out_shared(s) + i]);
    for (int i = 0; ok && i < s->ncollect; i++) {
        int o = scan_out_collect(s) + i;
        Collected x = {fg_find(a->in[scan_in_shape(s) + i]), a->out[o], j->collected.n};
        ok = vec_push(c, &j->collected, x) && vec_push(c, &j->collect_out, out[o]);
    }
    int turns = scan_out_turns(s);
    return ok && (!s->until || (vec_push(c, &j->turns, a->out[turns]) && vec_push(c, &j->end, out[turns])));
}

/* The parts of a, its body over inner variables of its own. */
static bool join_add(Join *j, ThApply *a) {
    ThContext *c = j->o->c;
    VarVec in = {0};
    Scan s;
    if (!scan_parts(c, a->attrs, a->nin, &s)) return false;
    const GraphBody *body = s.a->body;
    bool ok = add_name(j, s.a->name) && vec_reserve(c, &in, body->nin + 1) &&
              vec_reserve(c, &j->made, j->made.n + body->nout + 1);
    for (int i = 0; ok && i < body->nin; i++) {
        ThVar *v = var_new(&j->user, body->in[i]->type, body->in[i]->name);
        ok = v && vec_push(c, &in, v);
    }
    ThVar **out = j->made.at + j->made.n;
    ok = ok && graph_clone(c, body->out, body->nout, body->in, in.at, in.n, true, out);
    if (ok) j->made.n += body->nout;
    ok = ok && add_inputs(j, &s, a, in.at) && add_outputs(j, &s, a, out);
    vec_free(c, &in);
    return ok;
}

/* ---- what is equal ----------------------------------------------------------------------------------------------- */
static bool starts_equal(const Join *j, const Carried *x, const Carried *y) {
    if (x->outer != y->outer || x->shared != y->shared || x->ntap != y->ntap) return false;
    for (int i = 0; i < x->ntap; i++)
        if (j->tap.at[x->tap + i] != j->tap.at[y->tap + i]) return false;
    return true;
}

static bool equal_rows(const ThVar *x, const ThVar *y) {
    return x == y || (x->kind == VAR_CONSTANT && y->kind == VAR_CONSTANT && const_equal(x, y));
}

/* Inner variables of the same outer one become the first of them; values that are constants become those. */
static bool same_inputs(Join *j, const VarVec *outer, const VarVec *inner, VarVec *from, VarVec *to) {
    ThContext *c = j->o->c;
    Map first = {0};
    bool ok = true;
    for (int i = 0; ok && i < outer->n; i++) {
        ThVar *v = outer->at[i], *as = NULL;
        uint32_t at;
        if (outer == &j->value && v->kind == VAR_CONSTANT && v->u.data && v->type.kind == TYPE_TENSOR)
            ok = (as = const_make_typed(&j->user, v->u.data, v->type)) != NULL;
        else if (map_get(&first, KEY(v), &at)) as = inner->at[at];
        else ok = map_put(c, &first, KEY(v), (uint32_t)i);
        ok = ok && (!as || (vec_push(c, from, inner->at[i]) && vec_push(c, to, as)));
    }
    map_free(c, &first);
    return ok;
}

/* All results with what is taken to be equal made one: references in made[0 .. carried, collected, end). */
static bool join_results(Join *j, ThVar **made) {
    ThContext *c = j->o->c;
    VarVec from = {0}, to = {0}, out = {0};
    const VarVec *all[] = {&j->carried_out, &j->collect_out, &j->end};
    bool ok = same_inputs(j, &j->seq, &j->seq_in, &from, &to) && same_inputs(j, &j->value, &j->value_in, &from, &to);
    for (int i = 0; i < j->carried.n; i++) {
        const Carried *x = &j->carried.at[i], *y = &j->carried.at[x->same];
        for (int k = 0; ok && x != y && k < x->ntap; k++)
            ok = vec_push(c, &from, j->tap_in.at[x->tap + k]) && vec_push(c, &to, j->tap_in.at[y->tap + k]);
    }
    for (size_t k = 0; k < TH_LEN(all); k++)
        for (int i = 0; ok && i < all[k]->n; i++) ok = vec_push(c, &out, all[k]->at[i]);
    ok = ok && graph_clone(c, out.at, out.n, from.at, to.at, from.n, true, made);
    if (ok && !scan_cse(c, made, out.n)) {
        for (int i = 0; i < out.n; i++) th_var_release(made[i]);
        ok = false;
    }
    vec_free(c, &from);
    vec_free(c, &to);
    vec_free(c, &out);
    return ok;
}

/* Tells apart what was taken to be equal and is not; whether there was such. */
static bool tell_apart(Join *j, ThVar *const *made) {
    int before[OP_MAX_OUT];
    bool any = false;
    for (int i = 0; i < j->carried.n; i++) before[i] = j->carried.at[i].same;
    for (int i = 0; i < j->carried.n; i++) {
        int k = before[i];
        while (k < i && (before[k] != before[i] || !equal_rows(made[k], made[i]))) k++;
        any = any || k != before[i];
        j->carried.at[i].same = k;
    }
    return any;
}

/* As many rows: the lengths of equal rows are equal. */
static bool equal_lengths(const ThVar *x, const ThVar *y) {
    if (x == y) return true;
    const ThApply *a = x->owner, *b = y->owner;
    return a && b && a->op == &op_make_vector && b->op == &op_make_vector && a->nin > 0 && b->nin > 0 &&
           a->in[0] == b->in[0];
}

static void find_collected(Join *j, ThVar *const *made) {
    for (int i = 0; i < j->collected.n; i++) {
        int k = 0;
        while (k < i && !(made[k] == made[i] && equal_lengths(j->collected.at[k].shape, j->collected.at[i].shape))) k++;
        j->collected.at[i].same = k;
    }
}

/* Finds what is equal; the results become those over fewer states. */
static bool join_equal(Join *j) {
    ThContext *c = j->o->c;
    int n = j->carried.n + j->collected.n + j->end.n, start = j->made.n;
    for (int i = 0; i < j->carried.n; i++) {
        int k = 0;
        while (!starts_equal(j, &j->carried.at[k], &j->carried.at[i])) k++;
        j->carried.at[i].same = k;
    }
    if (!vec_reserve(c, &j->made, start + n + 1)) return false;
    for (;;) {
        ThVar **made = j->made.at + start;
        if (!join_results(j, made)) return false;
        j->made.n = start + n;
        if (!tell_apart(j, made)) break;
        while (j->made.n > start) th_var_release(j->made.at[--j->made.n]);
    }
    ThVar **made = j->made.at + start;
    find_collected(j, made + j->carried.n);
    for (int i = 0; i < j->carried.n; i++) j->carried_out.at[i] = made[i];
    for (int i = 0; i < j->collected.n; i++) j->collect_out.at[i] = made[j->carried.n + i];
    for (int i = 0; i < j->end.n; i++) j->end.at[i] = made[j->carried.n + j->collected.n + i];
    return true;
}

/* ---- the loop that is left --------------------------------------------------------------------------------------- */
static void plan_parts(const Join *j, ScanPlan *p) {
    for (int i = 0; i < j->seq.n; i++) scan_plan_seq(p, j->seq.at[i], j->seq_in.at[i]);
    for (int i = 0; i < j->value.n; i++) scan_plan_value(p, j->value.at[i], j->value_in.at[i]);
    for (int i = 0; i < j->carried.n; i++) {
        const Carried *x = &j->carried.at[i];
        ThVar **inner = j->tap_in.at + x->tap, *out = j->carried_out.at[i];
        if (x->same != i) continue;
        if (x->shared) scan_plan_shared(p, x->outer, inner[0], out);
        else scan_plan_state(p, x->outer, j->tap.at + x->tap, x->ntap, inner, out);
    }
    for (int i = 0; i < j->collected.n; i++)
        if (j->collected.at[i].same == i) scan_plan_collect(p, j->collected.at[i].shape, j->collect_out.at[i]);
    if (j->end.n) p->until = j->end.at[0];
}

/* The new result of every old one, by the places that plan_parts gave them. */
static int pair_results(const Join *j, const ScanPlan *p, const ThApply *b, ThVar **old, ThVar **new_) {
    int place[OP_MAX_OUT], n = 0, state = 0, collect = p->state.n, shared = collect + p->shape.n;
    for (int i = 0; i < j->carried.n; i++) {
        const Carried *x = &j->carried.at[i];
        place[i] = x->same != i ? place[x->same] : x->shared ? shared++ : state++;
        old[n] = x->result;
        new_[n++] = b->out[place[i]];
    }
    for (int i = 0; i < j->collected.n; i++) {
        const Collected *x = &j->collected.at[i];
        place[i] = x->same != i ? place[x->same] : collect++;
        old[n] = x->result;
        new_[n++] = b->out[place[i]];
    }
    for (int i = 0; i < j->turns.n; i++) {
        old[n] = j->turns.at[i];
        new_[n++] = b->out[shared];
    }
    int kept = 0;
    for (int i = 0; i < n; i++) {
        if (old[i]->nclients == 0 || fg_find(old[i]) != old[i]) continue;
        old[kept] = old[i];
        new_[kept++] = new_[i];
    }
    return kept;
}

static ThApply *join_build(Join *j, const char *rule) {
    ThVar *old[2 * OP_MAX_OUT], *new_[2 * OP_MAX_OUT];
    ScanPlan p;
    scan_plan_begin(&p, &j->o->b, j->steps);
    p.name = j->name;
    p.truncate = j->truncate;
    plan_parts(j, &p);
    ThApply *b = scan_plan_make(&p);
    int n = b ? pair_results(j, &p, b, old, new_) : 0;
    scan_plan_end(&p);
    j->o->rewrites++;
    return b && fg_replace_many(j->o->fg, old, new_, n, rule) ? b : NULL;
}

/* ---- scan_merge_inouts ------------------------------------------------------------------------------------------- */
static bool merge_inouts(Opt *o, ThApply *a) {
    Join j;
    bool any = false;
    join_begin(&j, o, a);
    bool ok = join_add(&j, a) && join_equal(&j);
    for (int i = 0; ok && i < j.carried.n; i++) any = any || j.carried.at[i].same != i;
    for (int i = 0; ok && i < j.collected.n; i++) any = any || j.collected.at[i].same != i;
    ok = ok && (!any || join_build(&j, "scan_merge_inouts"));
    join_end(&j);
    return ok;
}

bool pass_scan_merge_inouts(Opt *o) { return scan_each(o, merge_inouts); }

/* ---- scan_merge -------------------------------------------------------------------------------------------------- */
typedef struct Loop {
    ThApply *node;
    int level, next, last; /* the next loop of its group; the last one, kept at the first */
    bool first;
} Loop;
typedef VEC(Loop) LoopVec;

static bool fits(const ThApply *a, const ThApply *b) {
    const ScanAttrs *x = ATTRS(ScanAttrs, a), *y = ATTRS(ScanAttrs, b);
    return fg_find(a->in[0]) == fg_find(b->in[0]) && x->until == y->until && x->truncate == y->truncate;
}

/* Puts loop n into the group of those of its level with as many turns, whose gradients go back as far. */
static bool group_loop(ThContext *c, Map *groups, LoopVec *loops, int n) {
    Loop *x = &loops->at[n];
    const ScanAttrs *s = ATTRS(ScanAttrs, x->node);
    uint64_t key = hash_mix(KEY(fg_find(x->node->in[0])), (uint64_t)x->level);
    key = hash_mix(hash_mix(key, s->until), (uint64_t)s->truncate);
    uint32_t at;
    if (map_get(groups, key, &at)) {
        Loop *first = &loops->at[at];
        if (first->level != x->level || !fits(first->node, x->node)) return true;
        loops->at[first->last].next = n;
        first->last = n;
        return true;
    }
    x->first = true;
    return map_put(c, groups, key, (uint32_t)n);
}

static bool find_loops(Opt *o, LoopVec *loops) {
    ThContext *c = o->c;
    ApplyVec order = {0};
    Map groups = {0}, level = {0};
    bool ok = fg_toposort(o->fg, &order);
    for (int k = 0; ok && k < order.n; k++) {
        ThApply *a = order.at[k];
        uint32_t most = 0, x;
        for (int i = 0; i < a->nin; i++)
            if (a->in[i]->owner && map_get(&level, KEY(a->in[i]->owner), &x) && x > most) most = x;
        if (a->op == &op_scan) {
            Loop loop = {a, (int)most++, -1, loops->n, false};
            ok = vec_push(c, loops, loop) && group_loop(c, &groups, loops, loops->n - 1);
        }
        ok = ok && (!most || map_put(c, &level, KEY(a), most));
    }
    vec_free(c, &order);
    map_free(c, &groups);
    map_free(c, &level);
    return ok;
}

/* Whether the loops joined so far and a are not too much for one. */
static bool has_room(const Join *j, const ThApply *a) {
    const GraphBody *body = ATTRS(ScanAttrs, a)->body;
    int nout = j->carried.n + j->collected.n + a->nout + 1;
    return nout <= OP_MAX_OUT && j->tap.n + body->nin <= SCAN_TAPS;
}

/* Joins the counted loops of a group from loop i on, as many at once as there is room for. */
static bool merge_counted(Opt *o, const LoopVec *loops, int i) {
    bool ok = true;
    while (ok && i >= 0) {
        Join j;
        int n = 0;
        join_begin(&j, o, loops->at[i].node);
        for (; ok && i >= 0 && (n == 0 || has_room(&j, loops->at[i].node)); i = loops->at[i].next, n++)
            ok = join_add(&j, loops->at[i].node);
        ok = ok && (n < 2 || join_build(&j, "scan_merge"));
        join_end(&j);
    }
    return ok;
}

/* a and b as one when their conditions are equal turn by turn: the new loop, or a. NULL: an error. */
static ThApply *merge_two(Opt *o, ThApply *a, ThApply *b) {
    Join j;
    join_begin(&j, o, a);
    ThApply *r = a;
    bool ok = join_add(&j, a);
    if (ok && has_room(&j, b)) {
        ok = join_add(&j, b) && join_equal(&j);
        if (ok && equal_rows(j.end.at[0], j.end.at[1])) r = join_build(&j, "scan_merge");
    }
    join_end(&j);
    return ok ? r : NULL;
}

/* The same for loops with conditions; those left over after one round are tried among themselves. */
static bool merge_until(Opt *o, LoopVec *loops, int first) {
    while (first >= 0) {
        ThApply *a = loops->at[first].node;
        int left = -1, last = -1;
        for (int i = loops->at[first].next, next; i >= 0; i = next) {
            next = loops->at[i].next;
            ThApply *b = merge_two(o, a, loops->at[i].node);
            if (!b) return false;
            bool joined = b != a;
            a = b;
            if (joined) continue;
            loops->at[i].next = -1;
            if (last < 0) left = i;
            else loops->at[last].next = i;
            last = i;
        }
        first = left;
    }
    return true;
}

bool pass_scan_merge(Opt *o) {
    if (!(o->met & MET_SCAN)) return true;
    LoopVec loops = {0};
    bool ok = find_loops(o, &loops);
    for (int i = 0; ok && i < loops.n; i++) {
        const Loop *x = &loops.at[i];
        if (!x->first || x->next < 0) continue;
        ok = ATTRS(ScanAttrs, x->node)->until ? merge_until(o, &loops, i) : merge_counted(o, &loops, i);
    }
    vec_free(o->c, &loops);
    return ok && opt_ranks(o);
}
