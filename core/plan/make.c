/*
 * make.c -- plan_make on one screen, and the life of a Plan.
 */
#include "parts.h"

static bool begin(Planner *p) {
    FGraph *fg = p->fg;
    p->arena = arena_new(p->ctx);
    if (!p->arena || !sizes_init(&p->sizes, p->ctx, p->arena)) return false;
    Arena *own = arena_new(p->ctx);
    p->plan = own ? arena_alloc0(own, sizeof *p->plan) : NULL;
    if (!p->plan) return arena_free(own), false;
    p->plan->ctx = p->ctx;
    p->plan->arena = own;
    atomic_init(&p->plan->refs, 1);
    p->val = arena_alloc0(p->arena, (size_t)(fg->nvars + 1) * sizeof *p->val);
    p->dims = arena_alloc0(p->arena, (size_t)(fg->nvars + 1) * sizeof *p->dims);
    p->told = arena_alloc0(p->arena, (size_t)(fg->nvars + 1) * sizeof *p->told);
    p->out_of = arena_alloc0(p->arena, (size_t)(fg->nvars + 1) * sizeof(int));
    p->out_next = arena_alloc0(p->arena, (size_t)(fg->nout + 1) * sizeof(int));
    p->out_root = arena_alloc0(p->arena, (size_t)(fg->nout + 1) * sizeof(int));
    return p->val && p->dims && p->told && p->out_of && p->out_next && p->out_root;
}

static bool schedule(Planner *p) {
    FGraph *fg = p->fg;
    if (!fg->order && !fg_toposort(fg, &p->order)) return false;
    for (int i = 0; fg->order && i < fg->norder; i++)
        if (!vec_push(p->ctx, &p->order, fg->order[i])) return false;
    p->number = arena_alloc(p->arena, (size_t)(fg->nnodes + 1) * sizeof *p->number);
    for (int i = 0; p->number && i <= fg->nnodes; i++) p->number[i] = INT32_MAX;
    for (int i = 0; p->number && i < p->order.n; i++) p->number[p->order.at[i]->id] = i;
    return p->number != NULL;
}

/* Root i is input i; outputs that are one Var are chained, first first. */
static bool leaves(Planner *p) {
    FGraph *fg = p->fg;
    p->node_shape = arena_alloc0(p->arena, (size_t)(p->order.n + 1) * sizeof(int));
    if (!p->node_shape) return false;
    for (int v = 0; v < fg->nvars; v++) p->val[v].root = -1;
    for (int i = 0; i < fg->nin; i++) {
        const ThVar *v = fg->in[i];
        Root r = {.kind = v->kind == VAR_SHARED ? BUF_SHARED : BUF_INPUT,
                  .dtype = v->type.dtype,
                  .index = i,
                  .wish = -1,
                  .node = -1,
                  .buf = -1};
        if (!vec_push(p->ctx, &p->root, r)) return false;
        p->val[v->id].root = i;
    }
    for (int o = fg->nout - 1; o >= 0; o--) {
        p->out_root[o] = -1;
        p->out_next[o] = p->out_of[fg->out[o]->id];
        p->out_of[fg->out[o]->id] = o + 1;
    }
    return true;
}

/* Every input and shared is a Val; nodes get their numbers. */
static bool values(Planner *p) {
    p->node = -1;
    p->nnode = p->order.n + p->written.n;
    return planner_leaves(p) && commit_leaves(p);
}

static void end(Planner *p) {
    for (int w = 0; w < p->work.n; w++) kernel_free(p->work.at[w].k);
    vec_free(p->ctx, &p->order);
    vec_free(p->ctx, &p->rule);
    vec_free(p->ctx, &p->looked);
    vec_free(p->ctx, &p->written);
    vec_free(p->ctx, &p->root);
    vec_free(p->ctx, &p->work);
    vec_free(p->ctx, &p->host);
    for (int e = 0; e < p->embed.n; e++) embed_free(&p->embed.at[e]);
    vec_free(p->ctx, &p->embed);
    vec_free(p->ctx, &p->member);
    vec_free(p->ctx, &p->group);
    for (int i = 0; i < p->made.n; i++) kernel_free(p->made.at[i].k);
    vec_free(p->ctx, &p->made);
    sizes_free(&p->sizes);
    arena_free(p->arena);
}

/*
 * Nothing that can fail may follow a write to what outlives the call. Where it would, what was written too early goes
 * through a shadow in the next plan: false, and *again is set.
 */
static bool writes_last(Planner *p, bool *again) {
    if (!planner_looked(p)) {
        *p->distrust = *again = !failed(p->ctx);
        return false;
    }
    if (plan_first_write(p->plan)) return true;
    if (p->no_inplace) return err(p->ctx, TH_RuntimeError, "planning: a step that can fail follows a write");
    uint8_t *early = arena_alloc0(p->arena, (size_t)p->plan->nbuf + 1);
    if (!early) return false;
    plan_early_writes(p->plan, early);
    for (int i = 0; i < p->fg->nin; i++) {
        int f = p->root.at[i].buf;
        if (f >= 0 && early[f]) p->shadowed[i] = 1;
    }
    *again = true;
    return false;
}

/* The passes, all of them, in their order. */
static bool sizes_known(Planner *p) { return planner_shapes(p) && planner_written(p) && planner_settle(p); }
static bool works_made(Planner *p) { return values(p) && planner_lower(p) && commit_end(p); }
static bool kernels_made(Planner *p) {
    return group_all(p) && merge_groups(p) && fuse_all(p) && kernel_trim_all(p) && sink_all(p) && feeds_all(p) &&
           stages_all(p) && stages_rows(p) && kernel_unread_all(p) && narrow_all(p) && same_all(p) &&
           kernel_tidy_all(p) && pairs_all(p) && draws_all(p) && rows_all(p) && sink_rise(p) && kernel_alike_all(p);
}
static bool memory_planned(Plan *l) {
    plan_wishes(l);
    return plan_chains(l) && plan_events(l);
}

static Plan *make(Planner p, bool *again) {
    *again = false;
    bool ok = begin(&p) && schedule(&p) && leaves(&p) && sizes_known(&p) && works_made(&p) && kernels_made(&p) &&
              plan_build(&p) && plan_lives(p.plan) && writes_last(&p, again) && memory_planned(p.plan) &&
              plan_check_reads(p.plan);
    Plan *plan = p.plan;
    end(&p);
    if (ok) return plan;
    plan_release(plan);
    return NULL;
}

/*
 * In-place updates are tried first, which may rely on indices that others looked at (once more without where those came
 * to run later); where a step that can fail would follow some, the plan is made again with those in
 * shadow buffers that are exchanged at the end; where that moved steps so that others are followed, with all.
 */
Plan *plan_make(FGraph *fg, const PlanIo *in, int nin, const PlanIo *out, int nout) {
    Planner p = {.ctx = fg->ctx, .fg = fg, .in = in, .nin = nin, .out = out, .nout = nout, .size_at = -1};
    bool again = true, distrust = false;
    if (nout != fg->nplain_out || nin > fg->nin)
        return err(fg->ctx, TH_RuntimeError, "planning: inputs or outputs do not fit the graph"), NULL;
    size_t bytes = (size_t)fg->nin + 1;
    p.shadowed = ctx_alloc0(fg->ctx, bytes);
    if (!p.shadowed) return NULL;
    p.distrust = &distrust;
    Plan *plan = NULL;
    for (int tries = 0; !plan && again && tries < 3 + distrust; tries++) {
        p.no_inplace = tries == 2 + distrust;
        plan = make(p, &again);
    }
    ctx_free(fg->ctx, p.shadowed, bytes);
    return plan;
}

Plan *plan_retain(Plan *p) {
    if (p) atomic_fetch_add(&p->refs, 1);
    return p;
}

void plan_release(Plan *p) {
    if (!p || atomic_fetch_sub(&p->refs, 1) != 1) return;
    for (int k = 0; k < p->nkernel; k++) kernel_free(p->kernel[k]);
    for (int k = 0; k < p->nconstant; k++) th_array_release(p->constant[k]);
    for (int s = 0; s < p->nshared; s++) shared_release(p->shared[s]);
    for (int b = 0; b < p->nbody; b++) plan_release(p->body[b]);
    arena_free(p->arena);
}
