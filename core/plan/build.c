/*
 * build.c -- groups become the Plan's steps. In: grouped works in schedule order. Out: kernels (equal keys shared),
 * steps, numbered buffers and slots, lifetimes, in-place wishes, layout events, results, updates. Always holds: plan
 * buffers are the inputs, the shareds, then the rest as first used; slots are numbered in the order of the shape
 * program; nothing in the Plan points into the graph.
 */
#include "build.h"

void *build_keep(Build *b, const void *from, size_t bytes) {
    void *to = arena_alloc(b->plan->arena, bytes ? bytes : 1);
    if (to && bytes) memcpy(to, from, bytes);
    return to;
}

/* ---- sizes: marked here, numbered at the end ---- */
void build_need(Build *b, Size *s) {
    *s = sizes_find(&b->p->sizes, *s);
    if (s->sym >= 0) b->p->sizes.ins.at[s->sym].needed = true;
}

/*
 * For reports: a length that a check compares stays the one it was before the check made both one, so that the report
 * of a check that fails shows either. Nothing more is computed for it.
 */
void build_need_told(Build *b, Size *s) {
    if (s->sym < 0 || s->k == 0 || !b->p->sizes.ins.at[s->sym].needed) build_need(b, s);
}

void build_need_value(Build *b, PlanValue *v) {
    build_need(b, &v->off);
    for (int d = 0; d < v->ndim; d++) build_need(b, &v->shape[d]), build_need(b, &v->stride[d]);
}

/* ---- buffers ---- */
int build_constant(Build *b, ThArray *data) {
    ThArray *a = th_array_contiguous(data) ? th_array_retain(data) : th_array_copy(data);
    if (!a) return -1;
    if (vec_push(b->ctx, &b->constant, a)) return b->constant.n - 1;
    th_array_release(a);
    return -1;
}

/* The plan buffer of a root, numbered at first sight. */
int build_buffer(Build *b, int root) {
    Root *r = &b->p->root.at[root];
    if (r->buf >= 0) return r->buf;
    PlanBuf f = {.kind = r->kind,
                 .dtype = r->dtype,
                 .ndim = (int16_t)r->ndim,
                 .index = r->index,
                 .kept = r->why,
                 .node = r->node,
                 .first = -1,
                 .last = -1,
                 .inplace_of = -1};
    if (r->name && !(f.name = arena_strdup(b->plan->arena, r->name))) return -1;
    f.size = r->size;
    build_need(b, &f.size);
    f.late = (r->kind == BUF_TEMP || r->kind == BUF_OUTPUT) && sizes_dyn(&b->p->sizes, f.size);
    for (int d = 0; d < r->ndim; d++) {
        f.shape[d] = r->shape[d];
        build_need(b, &f.shape[d]);
    }
    if (r->kind == BUF_CONST && (f.index = build_constant(b, r->var->u.data)) < 0) return -1;
    if (!vec_push(b->ctx, &b->buf, f)) return -1;
    return r->buf = b->buf.n - 1;
}

static bool place_value(Build *b, PlanValue *v) {
    if (v->buf < 0) return true;
    int f = build_buffer(b, v->buf);
    if (f < 0) return false;
    v->buf = f;
    build_need_value(b, v);
    return true;
}

static bool describe(Build *b, const ThVar *var, const Val *v, PlanValue *out) {
    *out = (PlanValue){.buf = v->root, .dtype = v->dtype, .ndim = v->ndim, .off = v->off};
    out->flags = type_array_flags(var->type);
    memcpy(out->shape, v->shape, (size_t)v->ndim * sizeof(Size));
    memcpy(out->stride, v->stride, (size_t)v->ndim * sizeof(Size));
    return place_value(b, out);
}

/* A step uses buffer f. */
void build_live(Build *b, int f, int step) {
    PlanBuf *x = &b->buf.at[f];
    if (x->first < 0) x->first = step;
    x->last = step;
}

/* Buffers whose size a step found are allocated just before their first use. */
bool build_late(Build *b, int f) {
    PlanBuf *x = &b->buf.at[f];
    if (!x->late || x->first >= 0) return true;
    Step s = {.kind = STEP_LATE, .nbuf = 1, .node = -1, .host = -1, .can_fail = true, .title = "late buffer"};
    s.buf = build_keep(b, &f, sizeof f);
    if (!s.buf || !vec_push(b->ctx, &b->step, s)) return false;
    build_live(b, f, b->step.n - 1);
    return true;
}

/* ---- steps ---- */
/* The kernel with this key, or k itself (then owned by the plan). */
int build_share(Build *b, Kernel *k) {
    uint32_t at;
    if (map_get(&b->keys, k->key, &at)) {
        const Kernel *o = b->kernel.at[at];
        if (o->ins.n == k->ins.n && o->acc.n == k->acc.n && o->ndim == k->ndim && o->nbuf == k->nbuf) {
            kernel_free(k);
            return (int)at;
        }
    }
    if (!vec_push(b->ctx, &b->kernel, k)) return kernel_free(k), -1;
    return map_put(b->ctx, &b->keys, k->key, (uint32_t)b->kernel.n - 1) ? b->kernel.n - 1 : -1;
}

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* The nodes fused into a step, ascending, each once: those of `n` groups. */
static bool step_nodes(Build *b, Step *s, const Made *made, int n_made) {
    b->nodes.n = 0;
    for (int g = 0; g < n_made; g++)
        for (int m = b->p->group.at[made[g].group].first; m >= 0; m = b->p->member.at[m].next_in_group) {
            int node = b->p->work.at[b->p->member.at[m].work].node;
            if (node >= 0 && !vec_push(b->ctx, &b->nodes, node)) return false;
        }
    if (b->nodes.n) qsort(b->nodes.at, (size_t)b->nodes.n, sizeof(int), by_number);
    int n = 0;
    for (int i = 0; i < b->nodes.n; i++)
        if (i == 0 || b->nodes.at[i] != b->nodes.at[n - 1]) b->nodes.at[n++] = b->nodes.at[i];
    s->nodes = build_keep(b, b->nodes.at, (size_t)n * sizeof(int));
    s->nnodes = n;
    s->node = n ? b->nodes.at[n - 1] : -1;
    return s->nodes != NULL;
}

/* The first of its operations that calls the library, else the last. */
static const char *step_op(Build *b, const Step *s) {
    int n = s->node;
    for (int i = s->nnodes - 1; i >= 0; i--)
        if (b->calls[s->nodes[i]]) n = s->nodes[i];
    return n < 0 ? s->title : intern(b->ctx, b->p->order.at[n]->op->name);
}

/* "Elemwise{tanh}, Dot22, Sum": the operations of a step, last first; of many the first ones, and all that call the
 * library, which is what a profile is read for. */
static const char *step_title(Build *b, const Step *s) {
    enum { ENOUGH = 60, MOST = 100 };
    Text t;
    text_init(&t, b->ctx);
    bool left = false;
    for (int i = s->nnodes - 1; i >= 0; i--) {
        size_t from = t.n;
        bool call = b->calls[s->nodes[i]];
        if (!call && (left || t.n >= ENOUGH)) {
            left = true;
            continue;
        }
        if (i < s->nnodes - 1) text_put(&t, ", ");
        apply_op_str(&t, b->p->order.at[s->nodes[i]]);
        if (call || t.n <= MOST || from > MOST - 3) continue;
        memcpy(t.at + MOST - 3, "...", 4);
        t.n = MOST;
    }
    if (s->nnodes == 0) text_put(&t, "copy");
    const char *r = arena_strdup(b->plan->arena, t.at ? t.at : "");
    text_free(&t);
    return r;
}

/* Takes the kernel over; buffers and symbols of the step in its local numbers. */
static bool kernel_step(Build *b, Made *m) {
    Kernel *k = m->k;
    Step s = {.kind = STEP_KERNEL, .host = -1};
    int room = (k->acc.n + 1) * (KDIM + 1) + KDIM + k->size.n, nroots, nsyms;
    bool ok = vec_reserve(b->ctx, &b->roots, k->acc.n + 1) && vec_reserve(b->ctx, &b->syms, room) &&
              kernel_localize(b->p, k, b->roots.at, &nroots, b->syms.at, &nsyms) && step_nodes(b, &s, m, m->nstages);
    if (!ok || !(s.title = step_title(b, &s)) || !(s.op = step_op(b, &s))) return false;
    for (int i = 0; i < nsyms; i++) b->p->sizes.ins.at[b->syms.at[i]].needed = true;
    s.sym = build_keep(b, b->syms.at, (size_t)nsyms * sizeof(int));
    s.nsym = nsyms;
    s.param = build_keep(b, k->param.at, (size_t)k->param.n * sizeof(ThValue));
    s.nparam = k->param.n;
    s.can_fail = k->can_fail;
    s.fails_first = k->fails_first;
    s.rows = m->why;
    k->title = s.title;
    s.buf = arena_alloc(b->plan->arena, (size_t)(nroots + 1) * sizeof(int));
    s.nbuf = nroots;
    s.kernel = build_share(b, k);
    m->k = NULL;
    if (!s.sym || !s.param || !s.buf || s.kernel < 0) return false;
    for (int i = 0; i < nroots; i++)
        if ((s.buf[i] = build_buffer(b, b->roots.at[i])) < 0 || !build_late(b, s.buf[i])) return false;
    if (!vec_push(b->ctx, &b->step, s)) return false;
    for (int i = 0; i < nroots; i++) build_live(b, s.buf[i], b->step.n - 1);
    return true;
}

static bool host_step(Build *b, const Work *w, const Made *m) {
    PlanHost *h = &b->p->host.at[w->host];
    Step s = {.kind = STEP_HOST, .host = w->host, .nbuf = h->nin + h->nout, .can_fail = true};
    s.buf = arena_alloc(b->plan->arena, (size_t)(s.nbuf + 1) * sizeof(int));
    if (!s.buf || !step_nodes(b, &s, m, 1) || !(s.title = step_title(b, &s))) return false;
    for (int i = 0; i < s.nbuf; i++) {
        PlanValue *v = i < h->nin ? &h->in[i] : &h->out[i - h->nin];
        if (!place_value(b, v)) return false;
        s.buf[i] = v->buf;
        if (v->buf >= 0 && !build_late(b, v->buf)) return false;
    }
    if (!vec_push(b->ctx, &b->step, s)) return false;
    for (int i = 0; i < s.nbuf; i++)
        if (s.buf[i] >= 0) build_live(b, s.buf[i], b->step.n - 1);
    return true;
}

/* Its instructions are numbered in finish_sizes; here its place and what it reads. */
static bool size_step(Build *b, const Work *w) {
    Step s = {.kind = STEP_SIZE, .node = w->node, .host = -1, .can_fail = true, .title = "sizes"};
    s.nodes = build_keep(b, &w->node, sizeof w->node);
    s.nnodes = 1;
    if (!s.nodes) return false;
    b->size_step[w->node] = b->step.n;
    for (int r = 0; r < 4; r += 2)
        for (int i = w->sizes[r]; i < w->sizes[r + 1]; i++) {
            const SizeIns *x = &b->p->sizes.ins.at[i];
            if (x->op != SHAPE_VALUE || !x->dyn) continue;
            int f = build_buffer(b, b->p->val[x->c].root);
            if (f < 0) return false;
            build_live(b, f, b->step.n);
        }
    return vec_push(b->ctx, &b->step, s);
}

static bool step(Build *b, Made *m) {
    Work *w = &b->p->work.at[b->p->group.at[m->group].base];
    if (w->kind == WORK_HOST) return host_step(b, w, m);
    if (w->kind == WORK_SIZE) return size_step(b, w);
    if (w->kind == WORK_EMBED) return build_embed(b, &b->p->embed.at[w->host], w->node);
    return !m->nstages || kernel_step(b, m);
}

static bool all_steps(Build *b) {
    Planner *p = b->p;
    b->size_step = arena_alloc(p->arena, (size_t)(p->order.n + 1) * sizeof(int));
    if (!b->size_step) return false;
    b->calls = arena_alloc0(p->arena, (size_t)p->order.n + 1);
    if (!b->calls) return false;
    for (int n = 0; n <= p->order.n; n++) b->size_step[n] = -1;
    for (int w = 0; w < p->work.n; w++)
        if (p->work.at[w].call && p->work.at[w].node >= 0) b->calls[p->work.at[w].node] = 1;
    for (int i = 0; i < p->made.n; i++)
        if (!step(b, &p->made.at[i])) return false;
    return true;
}

/* ---- inputs, results, updates ---- */
static bool inputs(Build *b) {
    Planner *p = b->p;
    int ns = 0;
    b->plan->shared = arena_alloc0(b->plan->arena, (size_t)(p->fg->nin - p->nin + 1) * sizeof(Shared *));
    b->plan->shared_written = arena_alloc0(b->plan->arena, (size_t)(p->fg->nin - p->nin + 1));
    if (!b->plan->shared || !b->plan->shared_written) return false;
    for (int i = 0; i < p->fg->nin; i++) {
        const ThVar *v = p->fg->in[i];
        p->root.at[i].index = v->kind == VAR_SHARED ? ns : i;
        if (v->kind == VAR_SHARED) {
            b->plan->shared[ns++] = v->u.shared;
            shared_retain(v->u.shared);
            b->plan->nshared = ns;
        }
        if (build_buffer(b, i) < 0) return false;
    }
    return true;
}

static bool results(Build *b) {
    Planner *p = b->p;
    Plan *l = b->plan;
    l->noutput = p->nout;
    l->result = arena_alloc0(l->arena, (size_t)(p->nout + 1) * sizeof *l->result);
    l->update = arena_alloc0(l->arena, (size_t)(p->fg->nout - p->nout + 1) * sizeof *l->update);
    if (!l->result || !l->update) return false;
    for (int o = 0; o < p->fg->nout; o++) {
        Val *v = planner_val(p, p->fg->out[o]);
        if (!v) return false;
        Val c = {.root = p->out_root[o], .dtype = v->dtype, .whole = true};
        if (c.root >= 0) {
            if (!val_make(p, &c, c.root, v->dtype, v->ndim, v->shape, NULL, size_const(0))) return false;
            v = &c;
        }
        if (o < p->nout) {
            if (!describe(b, p->fg->out[o], v, &l->result[o])) return false;
            continue;
        }
        const ThVar *s = p->fg->update_of[o - p->nout];
        int root = p->val[s->id].root;
        if (v->root == root) continue; /* written in place, or unchanged */
        struct PlanUpdate *u = &l->update[l->nupdate++];
        u->shared = p->root.at[root].index;
        l->shared_written[u->shared] = 1;
        if (!describe(b, s, v, &u->value)) return false;
    }
    return true;
}

/* ---- the shape program ---- */
static bool is_check(const SizeIns *s) { return s->op == SHAPE_CHECK_EQ || s->op == SHAPE_CHECK_GE0; }
static bool has_slots(const SizeIns *s) { return s->op >= SHAPE_ADD; }

static void need_operands(Build *b) {
    SizeIns *at = b->p->sizes.ins.at;
    for (int i = b->p->sizes.ins.n - 1; i >= 0; i--) {
        SizeIns *s = &at[i];
        if (is_check(s) || s->import) s->needed = true;
        if (!s->needed || !has_slots(s)) continue;
        at[s->a].needed = true;
        if (s->b >= 0) at[s->b].needed = true;
    }
}

static void emit_size(Build *b, int i) {
    SizeIns *s = &b->p->sizes.ins.at[i];
    const SizeIns *at = b->p->sizes.ins.at;
    ShapeIns x = {.op = s->op, .dst = -1, .a = s->a, .b = s->b, .c = -1, .k = s->k};
    if (!is_check(s)) x.dst = s->number = b->plan->nsym++;
    if (has_slots(s)) {
        x.a = at[s->a].number;
        if (s->b >= 0) x.b = at[s->b].number;
    } else if (s->op != SHAPE_CONST) {
        x.a = s->import ? s->b : b->p->root.at[s->a >= 0 ? s->a : b->p->val[s->c].root].buf;
        if (s->op == SHAPE_VALUE) x.b = (int)s->k;
    }
    b->plan->shape[b->plan->nshape++] = x;
}

/* Late slots by home. False: one stands on a length that only a body finds, so no step of this plan can compute it. */
static bool by_home(const Sizes *s, int *head, int *next) {
    for (int i = s->ins.n - 1; i >= 0; i--) {
        const SizeIns *x = &s->ins.at[i];
        if (!x->needed || !x->dyn || x->import) continue;
        if (x->home < 0) return err(s->ctx, TH_RuntimeError, "planning: a length of a body is read outside of it");
        next[i] = head[x->home], head[x->home] = i;
    }
    return true;
}

/* Static instructions in order of creation, then those of each size step. */
static bool shape_program(Build *b) {
    Planner *p = b->p;
    Plan *l = b->plan;
    need_operands(b);
    int n = p->sizes.ins.n;
    l->shape = arena_alloc0(l->arena, (size_t)(n + 1) * sizeof *l->shape);
    int *head = arena_alloc(p->arena, (size_t)(p->order.n + 1) * sizeof(int));
    int *next = arena_alloc(p->arena, (size_t)(n + 1) * sizeof(int));
    if (!l->shape || !head || !next) return false;
    for (int k = 0; k <= p->order.n; k++) head[k] = -1;
    /* a constant found by folding may stand behind its users */
    for (int i = 0; i < n; i++)
        if (p->sizes.ins.at[i].needed && p->sizes.ins.at[i].op == SHAPE_CONST) emit_size(b, i);
    for (int i = 0; i < n; i++) {
        const SizeIns *s = &p->sizes.ins.at[i];
        if (s->needed && !s->dyn && !s->import && s->op != SHAPE_CONST) emit_size(b, i);
    }
    l->nshape_static = l->nshape;
    if (!by_home(&p->sizes, head, next)) return false;
    for (int k = 0; k < p->order.n; k++) {
        if (b->size_step[k] < 0) continue;
        Step *s = &b->step.at[b->size_step[k]];
        s->a = l->nshape;
        for (int i = head[k]; i >= 0; i = next[i]) emit_size(b, i);
        s->n = l->nshape - s->a;
    }
    for (int k = 0; k < b->import.n; k++) {
        Step *s = &b->step.at[b->import.at[k].step];
        s->a = l->nshape;
        for (int i = b->import.at[k].first; i < b->import.at[k].first + b->import.at[k].n; i++) emit_size(b, i);
        s->n = l->nshape - s->a;
    }
    return true;
}

/* The plan's slot of one of the planner's. */
static int number_slot(Build *b, int slot) {
    int n = b->p->sizes.ins.at[slot].number;
    if (n < 0) err(b->ctx, TH_RuntimeError, "planning: a length that no step computes is read");
    return n;
}

static void number(Build *b, Size *s) {
    if (s->sym >= 0) s->sym = number_slot(b, s->sym);
}

static void number_value(Build *b, PlanValue *v) {
    number(b, &v->off);
    for (int d = 0; d < v->ndim; d++) number(b, &v->shape[d]), number(b, &v->stride[d]);
}

/* Calls that no step makes (their work fell away) keep their numbers, nothing else. */
static bool number_hosts(Build *b) {
    bool *made = arena_alloc0(b->p->arena, (size_t)b->p->host.n + 1);
    for (int i = 0; made && i < b->step.n; i++)
        if (b->step.at[i].kind == STEP_HOST) made[b->step.at[i].host] = true;
    for (int h = 0; made && h < b->p->host.n; h++) {
        PlanHost *x = &b->p->host.at[h];
        if (!made[h]) x->nin = x->nout = 0;
        for (int i = 0; i < x->nin; i++) number_value(b, &x->in[i]);
        for (int i = 0; i < x->nout; i++) number_value(b, &x->out[i]);
    }
    return made != NULL;
}

/* Slots of the planner become slots of the plan everywhere. */
static bool number_all(Build *b) {
    Plan *l = b->plan;
    for (int i = 0; i < b->step.n; i++)
        for (int s = 0; s < b->step.at[i].nsym; s++) b->step.at[i].sym[s] = number_slot(b, b->step.at[i].sym[s]);
    for (int f = 0; f < b->buf.n; f++) {
        number(b, &b->buf.at[f].size);
        for (int d = 0; d < b->buf.at[f].ndim; d++) number(b, &b->buf.at[f].shape[d]);
    }
    for (int v = 0; v < l->nvar; v++) number(b, &l->var[v]);
    for (int r = 0; r < b->region.n; r++) {
        Region *g = &b->region.at[r];
        number(b, &g->trip);
        if (g->counter >= 0) g->counter = number_slot(b, g->counter);
    }
    for (int w = 0; w < b->window.n; w++) {
        PlanWindow *x = &b->window.at[w];
        number(b, &x->base), number(b, &x->first), number(b, &x->step), number(b, &x->ring);
    }
    for (int o = 0; o < l->noutput; o++) number_value(b, &l->result[o]);
    for (int u = 0; u < l->nupdate; u++) number_value(b, &l->update[u].value);
    for (int n = 0; n < l->nnode; n++) {
        PlanNode *x = &l->node[n];
        for (int i = 0; x->in && i < x->nin; i++) number_value(b, &x->in[i]);
        if (x->counter) x->counter = 1 + number_slot(b, x->counter - 1);
    }
    return number_hosts(b) && !failed(b->ctx);
}

static bool sig_values(Build *b) {
    Plan *l = b->plan;
    int n = 0;
    for (int i = 0; i < l->nshape_static; i++) n += l->shape[i].op == SHAPE_VALUE;
    l->sig = arena_alloc0(l->arena, (size_t)(n + 1) * sizeof *l->sig);
    if (!l->sig) return false;
    for (int i = 0; i < l->nshape_static; i++)
        if (l->shape[i].op == SHAPE_VALUE) l->sig[l->nsig++] = (PlanSigValue){l->shape[i].a, l->shape[i].b};
    return true;
}

/* Elements of every variable that has a shape, for those who choose what to keep. */
static bool variables(Build *b) {
    Planner *p = b->p;
    Plan *l = b->plan;
    if (!p->fg->measure) return true;
    l->nvar = p->fg->nvars;
    if (!(l->var = arena_alloc0(l->arena, (size_t)(l->nvar + 1) * sizeof *l->var))) return false;
    for (int n = 0; n < p->order.n; n++)
        for (int o = 0; o < p->order.at[n]->nout; o++) {
            const ThVar *v = p->order.at[n]->out[o];
            Size *s = &l->var[v->id];
            if (v->type.kind != TYPE_TENSOR || !p->dims[v->id]) continue;
            *s = size_const(1);
            for (int d = 0; d < v->type.ndim && !size_bad(*s); d++)
                *s = sizes_op(&p->sizes, '*', *s, p->dims[v->id][d]);
            if (size_bad(*s)) return false;
            if (sizes_dyn(&p->sizes, *s)) *s = size_const(0);
            build_need(b, s);
        }
    return true;
}

/* ---- nodes, for error reports ---- */
static const char *node_text(Build *b, const ThApply *a, Text *t) {
    t->n = 0;
    apply_op_str(t, a);
    text_put(t, "(");
    for (int i = 0; i < a->nin && t->n < 400; i++) {
        if (i) text_put(t, ", ");
        var_str(t, a->in[i]);
    }
    text_put(t, t->n < 400 ? ")" : ", ...)");
    return arena_strdup(b->plan->arena, t->at ? t->at : "");
}

static const char *node_types(Build *b, const ThApply *a, Text *t) {
    t->n = 0;
    text_put(t, "[");
    for (int i = 0; i < a->nin && t->n < 400; i++) {
        if (i) text_put(t, ", ");
        type_text(t, a->in[i]->type);
    }
    text_put(t, "]");
    return arena_strdup(b->plan->arena, t->at);
}

static ThApply *node_at(const Planner *p, int n) {
    return n < p->order.n ? p->order.at[n] : p->written.at[n - p->order.n];
}

/* The lengths of an input that lies nowhere: of a removed node. false: not all of them are known. */
static bool lengths_only(Build *b, const ThVar *v, PlanValue *to) {
    const Size *d = b->p->dims[v->id];
    to->packed = true;
    for (to->ndim = 0; d && to->ndim < v->type.ndim; to->ndim++) {
        to->shape[to->ndim] = d[to->ndim];
        to->stride[to->ndim] = size_const(0);
        if (size_bad(d[to->ndim])) return false;
    }
    return true;
}

static void place_of(Build *b, const ThVar *var, const Val *v, PlanValue *to) {
    const Size *was = b->p->told[var->id];
    to->ndim = v->ndim;
    memcpy(to->shape, v->shape, (size_t)v->ndim * sizeof(Size));
    memcpy(to->stride, v->stride, (size_t)v->ndim * sizeof(Size));
    const Root *r = &b->p->root.at[v->root];
    if (!r->gone && r->buf >= 0) to->buf = r->buf;
    to->off = v->off;
    for (int d = 0; d < v->ndim; d++)
        if (was && was[d].sym >= 0 && b->p->sizes.ins.at[was[d].sym].needed) to->shape[d] = was[d];
}

/* Where the inputs of node n lay; kept only for nodes that can fail. */
static bool node_inputs(Build *b, int n) {
    PlanNode *x = &b->plan->node[n];
    if (x->in || n >= b->p->order.n + b->p->written.n) return true; /* known, or a body's: its own plan described it */
    const ThApply *a = node_at(b->p, n);
    PlanValue *in = arena_alloc0(b->plan->arena, (size_t)(a->nin + 1) * sizeof *x->in);
    if (!in) return false;
    for (int i = 0; i < a->nin; i++) {
        const Val *v = &b->p->val[a->in[i]->id];
        in[i].buf = -1;
        in[i].off = size_const(0);
        in[i].dtype = a->in[i]->type.dtype;
        said_operand(b, a->in[i], &in[i]);
        if (v->root >= 0) place_of(b, a->in[i], v, &in[i]);
        else if (x->gone && !lengths_only(b, a->in[i], &in[i])) return true; /* then none are told */
    }
    for (int i = 0; i < a->nin; i++) {
        for (int d = 0; d < in[i].ndim; d++) build_need_told(b, &in[i].shape[d]), build_need(b, &in[i].stride[d]);
        build_need(b, &in[i].off);
    }
    x->in = in;
    x->nin = a->nin;
    return true;
}

/* What checks compare is computed in any case. */
static void need_compared(Build *b) {
    SizeIns *at = b->p->sizes.ins.at;
    for (int i = 0; i < b->p->sizes.ins.n; i++) {
        if (!is_check(&at[i])) continue;
        at[at[i].a].needed = true;
        if (at[i].b >= 0) at[at[i].b].needed = true;
    }
}

static bool nodes(Build *b) {
    Planner *p = b->p;
    Plan *l = b->plan;
    l->nnode = p->nnode;
    l->node = arena_alloc0(l->arena, (size_t)(l->nnode + 1) * sizeof *l->node);
    if (!l->node) return false;
    for (int n = 0; n < b->node.n; n++) l->node[b->node.at[n].number] = b->node.at[n].node;
    Text t;
    text_init(&t, b->ctx);
    bool ok = true;
    for (int n = 0; n < p->order.n + p->written.n && ok; n++) {
        const ThApply *a = node_at(p, n);
        PlanNode *x = &l->node[n];
        x->gone = n >= p->order.n;
        x->op = intern(b->ctx, a->op->name);
        x->prov = a->prov;
        x->text = node_text(b, a, &t);
        x->types = x->text ? node_types(b, a, &t) : NULL;
        ok = x->op && x->text && x->types;
    }
    text_free(&t);
    for (int c = 0; c < p->sizes.check.n && ok; c++)
        if (p->sizes.check.at[c].node >= 0) ok = node_inputs(b, p->sizes.check.at[c].node);
    for (int s = 0; s < b->step.n && ok; s++)
        for (int i = 0; b->step.at[s].can_fail && i < b->step.at[s].nnodes && ok; i++)
            ok = node_inputs(b, b->step.at[s].nodes[i]);
    return ok;
}

/* ---- regions ---- */
/* The steps made since the last region are one, in line after it. */
bool build_segment(Build *b) {
    Region g = {.kind = REGION_STRAIGHT, .first = b->segment, .n = b->step.n - b->segment, .trip = size_const(1)};
    g.child = g.other = g.next = g.counter = g.until = g.cond = -1;
    b->segment = b->step.n;
    return build_region(b, &g);
}

int build_counter(Build *b) {
    SizeIns zero = {.op = SHAPE_CONST, .needed = true, .a = -1, .b = -1, .c = -1, .node = -1, .home = -1};
    return sizes_push(&b->p->sizes, zero);
}

bool build_region(Build *b, const Region *g) {
    int at = b->region.n;
    if (!vec_push(b->ctx, &b->region, *g)) return false;
    if (at > 0) b->region.at[b->tail].next = at;
    b->tail = at;
    return true;
}

static bool take(Build *b) {
    Planner *p = b->p;
    Plan *l = b->plan;
    l->nkernel = b->kernel.n;
    l->nstep = b->step.n;
    l->nbuf = b->buf.n;
    l->ncheck = p->sizes.check.n;
    l->nhost = p->host.n;
    l->ninput = p->nin;
    l->step = build_keep(b, b->step.at, (size_t)l->nstep * sizeof(Step));
    l->buf = build_keep(b, b->buf.at, (size_t)l->nbuf * sizeof(PlanBuf));
    l->check = build_keep(b, p->sizes.check.at, (size_t)l->ncheck * sizeof(ShapeCheck));
    l->host = build_keep(b, p->host.at, (size_t)l->nhost * sizeof(PlanHost));
    l->input = build_keep(b, p->in, (size_t)p->nin * sizeof(PlanIo));
    l->output = build_keep(b, p->out, (size_t)p->nout * sizeof(PlanIo));
    l->scratch_sym = -1;
    for (int h = 0; h < l->nhost; h++)
        if (p->host.at[h].scratch_bytes > l->scratch_bytes) l->scratch_bytes = p->host.at[h].scratch_bytes;
    l->nregion = b->region.n;
    l->nwindow = b->window.n;
    l->nbody = b->body.n;
    l->region = build_keep(b, b->region.at, (size_t)l->nregion * sizeof(Region));
    l->window = build_keep(b, b->window.at, (size_t)l->nwindow * sizeof(PlanWindow));
    return l->step && l->buf && l->check && l->host && l->input && l->output && l->region && l->window;
}

/* Kernels and constants belong to the plan from the start, so that one release frees everything. */
static bool hand_over(Build *b) {
    Plan *l = b->plan;
    l->kernel = build_keep(b, b->kernel.at, (size_t)b->kernel.n * sizeof(Kernel *));
    l->constant = build_keep(b, b->constant.at, (size_t)b->constant.n * sizeof(ThArray *));
    l->body = build_keep(b, b->body.at, (size_t)b->body.n * sizeof(Plan *));
    if (l->body) l->nbody = b->body.n;
    for (int k = 0; !l->body && k < b->body.n; k++) plan_release(b->body.at[k]);
    if (l->kernel) l->nkernel = b->kernel.n;
    if (l->constant) l->nconstant = b->constant.n;
    for (int k = 0; !l->kernel && k < b->kernel.n; k++) kernel_free(b->kernel.at[k]);
    for (int k = 0; !l->constant && k < b->constant.n; k++) th_array_release(b->constant.at[k]);
    return l->kernel && l->constant && l->body;
}

bool plan_build(Planner *p) {
    Build b = {.p = p, .ctx = p->ctx, .plan = p->plan};
    need_compared(&b);
    bool ok = inputs(&b) && all_steps(&b) && (b.segment == b.step.n && b.region.n ? true : build_segment(&b)) &&
              results(&b) && nodes(&b) && variables(&b) && shape_program(&b);
    ok = ok && number_all(&b) && sig_values(&b);
    bool handed = hand_over(&b);
    ok = ok && handed && take(&b);
    vec_free(p->ctx, &b.kernel);
    vec_free(p->ctx, &b.step);
    vec_free(p->ctx, &b.buf);
    vec_free(p->ctx, &b.constant);
    vec_free(p->ctx, &b.roots);
    vec_free(p->ctx, &b.syms);
    vec_free(p->ctx, &b.nodes);
    vec_free(p->ctx, &b.region);
    vec_free(p->ctx, &b.window);
    vec_free(p->ctx, &b.body);
    vec_free(p->ctx, &b.node);
    vec_free(p->ctx, &b.import);
    map_free(p->ctx, &b.keys);
    return ok;
}
