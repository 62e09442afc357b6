/*
 * fit.c -- a function whose call would exceed its limit of memory (ThCompile.memory) is made again, with values
 * computed a second time for their later users instead of kept. In: the function, the arguments of the call. Out: a
 * function that keeps the limit, or MemoryError with what is least. At most 16 plans: each is measured with the
 * call's own lengths; what to compute again is chosen by bytes times how long they lie there, over operations.
 */
#include "compile.h"

#include "runtime/function.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ROUNDS = 16, MAX_CHOICES = 256, MAX_CONE = 64, SMALL = 8 };

typedef struct FgAgain Again;
typedef struct Fit {
    ThContext *ctx;
    int64_t budget, first, least; /* least: of the plans so far */
    int64_t work;                 /* what steps ask for beside what is planned, as far as a call has told */
    ThArray *const *arg;
    int round;
    VEC(Again) again; /* chosen in all rounds */
} Fit;

/* ---- a plan under the lengths of the call ---- */
typedef struct Measure {
    Fit *fit;
    const Plan *plan;
    FGraph *fg;
    int64_t *sym, *live; /* by slot; by step: bytes of temporaries */
    int64_t peak, fixed; /* of the call; of it what no temporary is (results, room to work in, gaps) */
    int *place;          /* by node id: its place in the schedule */
    int *use0, *use;     /* by buffer: the steps that touch it, ascending: use[use0[b] .. use0[b + 1]) */
    int *chosen;         /* by variable id: 1 + the place from which its users take a copy; 0: none */
    size_t bytes[6];     /* of sym, live, place, use0, use, chosen */
} Measure;

static const ThArray *array_of(const Measure *m, int buf) {
    const PlanBuf *b = &m->plan->buf[buf];
    if (b->kind == BUF_INPUT) return m->fit->arg[b->index];
    if (b->kind == BUF_SHARED) return m->plan->shared[b->index]->value;
    return b->kind == BUF_CONST ? m->plan->constant[b->index] : NULL;
}

static int64_t dim(void *u, int buf, int d) {
    const ThArray *a = array_of(u, buf);
    return a ? ARRAY_SHAPE(a)[d] : 0;
}

static int64_t stride(void *u, int buf, int d) {
    const ThArray *a = array_of(u, buf);
    return a ? ARRAY_STRIDES(a)[d] / (int64_t)th_dtype_bytes((ThDtype)a->dtype) : 0;
}

static int64_t value(void *u, int buf, int64_t elem) {
    const ThArray *a = array_of(u, buf);
    int64_t v = 0;
    if (!a || !array_usable(array_ctx(a), a)) return 0;
    dtype_cast((char *)&v, TH_INT64, 8, a->data + (a->ndim ? elem * ARRAY_STRIDES(a)[0] : 0), (ThDtype)a->dtype, 0, 1);
    return v;
}

static void *room(Measure *m, int i, size_t n, size_t item) {
    m->bytes[i] = (n + 1) * item;
    return ctx_alloc0(m->fit->ctx, m->bytes[i]);
}

static void measure_free(Measure *m) {
    void *at[] = {m->sym, m->live, m->place, m->use0, m->use, m->chosen};
    for (int i = 0; i < TH_LEN(at); i++) ctx_free(m->fit->ctx, at[i], m->bytes[i]);
}

static int64_t bytes_of(const Measure *m, int buf) {
    const PlanBuf *b = &m->plan->buf[buf];
    return size_value(b->size, m->sym) * (int64_t)th_dtype_bytes((ThDtype)b->dtype);
}

static bool is_temp(const PlanBuf *b) { return b->kind == BUF_TEMP && !b->late && b->first >= 0; }

/* Which steps touch each buffer: a counting sort. */
static bool find_uses(Measure *m) {
    const Plan *p = m->plan;
    size_t n = 0;
    for (int s = 0; s < p->nstep; s++) n += (size_t)p->step[s].nbuf;
    m->use0 = room(m, 3, (size_t)p->nbuf + 1, sizeof *m->use0);
    m->use = room(m, 4, n, sizeof *m->use);
    if (!m->use0 || !m->use) return false;
    for (int s = 0; s < p->nstep; s++)
        for (int i = 0; i < p->step[s].nbuf; i++)
            if (p->step[s].buf[i] >= 0) m->use0[p->step[s].buf[i] + 1]++;
    for (int b = 0; b < p->nbuf; b++) m->use0[b + 1] += m->use0[b];
    int end = m->use0[p->nbuf];
    for (int s = p->nstep - 1; s >= 0; s--) /* backwards, so that each list ascends once its end is its start */
        for (int i = 0; i < p->step[s].nbuf; i++)
            if (p->step[s].buf[i] >= 0) m->use[--m->use0[p->step[s].buf[i] + 1]] = s;
    for (int b = 0; b < p->nbuf; b++) m->use0[b] = m->use0[b + 1]; /* now the start of b stands at b + 1 */
    m->use0[p->nbuf] = end;
    return true;
}

static bool measure(Measure *m) {
    const Plan *p = m->plan;
    ThContext *c = m->fit->ctx;
    ShapeEnv env = {dim, stride, value, m, {0, 0}, 0};
    m->sym = room(m, 0, (size_t)p->nsym, sizeof *m->sym);
    m->live = room(m, 1, (size_t)p->nstep, sizeof *m->live);
    m->place = room(m, 2, (size_t)m->fg->nnodes, sizeof *m->place);
    m->chosen = room(m, 5, (size_t)m->fg->nvars, sizeof *m->chosen);
    if (!m->sym || !m->live || !m->place || !m->chosen || !find_uses(m)) return false;
    for (int i = 0; i < m->fg->norder; i++) m->place[m->fg->order[i]->id] = i;
    if (shape_run(p, 0, p->nshape_static, m->sym, &env))
        return err(c, TH_ShapeError, "lengths that fitted do so no longer: a shared variable was changed meanwhile");
    size_t work = plan_layout_work(p), bytes = sizeof(int64_t) * (size_t)(p->nbuf + 1);
    int64_t *offset = ctx_alloc(c, bytes), most = 0;
    void *layout = ctx_alloc(c, work);
    int64_t arena = offset && layout ? plan_layout(p, m->sym, offset, layout, work) : -1;
    ctx_free(c, offset, bytes);
    ctx_free(c, layout, work);
    if (failed(c)) return false;
    if (arena < 0) return err(c, TH_MemoryError, "the sizes of this call overflow");
    for (int b = 0; b < p->nbuf; b++)
        for (int s = p->buf[b].first; is_temp(&p->buf[b]) && s <= p->buf[b].last; s++) m->live[s] += bytes_of(m, b);
    for (int s = 0; s < p->nstep; s++) most = m->live[s] > most ? m->live[s] : most;
    Packing least = {.sym = m->sym, .alone = true, .room = 1};
    m->peak = arena + plan_results_bytes(p, m->sym) + m->fit->work + (int64_t)workspace_packing(p, &least);
    m->fixed = m->peak - most;
    return true;
}

/* ---- what it costs to compute a variable again ---- */
static double elements(const Measure *m, const ThVar *v) {
    return (int)v->id < m->plan->nvar ? (double)size_value(m->plan->var[v->id], m->sym) : 1;
}

static double size_of(const Measure *m, const ThVar *v) {
    return elements(m, v) * (double)th_dtype_bytes((ThDtype)v->type.dtype);
}

/* A product's three lengths are the root of what its operands' and its own elements multiply to. */
static double operations(const Measure *m, const ThApply *a) {
    double out = elements(m, a->out[0]), in = 1;
    if (a->op->flags & OP_VIEW) return 0;
    if (a->op->flags & OP_ELEMWISE) {
        const ElemwiseAttrs *e = a->attrs;
        return out * (e->body ? e->body->n : 1) * 4;
    }
    bool product = a->op == &op_dot || a->op == &op_dot22;
    for (int i = 0; i < a->nin; i++) in = product ? in * elements(m, a->in[i]) : in + elements(m, a->in[i]);
    return product ? 2 * sqrt(in * out) : 16 * (in + out);
}

static bool is_copy(const ThApply *a) { return a->rule && !strcmp(a->rule, "remat"); }

static bool copyable(const ThApply *a) {
    return !(a->op->flags & OP_EFFECT) && !a->op->bodies && !schedule_can_fail(a);
}

/* v will be there at `cut`, as core/opt/passes/remat.c sees it, with what is chosen so far. */
static bool at_hand(const Measure *m, const ThVar *v, int cut) {
    if (!v->owner) return true;
    int from = (int)v->id < m->fg->nvars ? m->chosen[v->id] - 1 : -1;
    if (from >= 0 && from <= cut) return true;
    for (int i = 0; i < v->nclients; i++) {
        const ThApply *a = v->clients[i].node;
        if (!a) return true;
        int at = m->place[a->id];
        if (at >= cut && (from < 0 || at < from)) return true;
    }
    return false;
}

/* Operations of all that must run again for v at cut; negative: something large would have to be kept for it. */
static double cost(const Measure *m, const ThVar *v, int cut) {
    const ThApply *cone[MAX_CONE];
    int n = 0;
    double sum = 0;
    cone[n++] = v->owner;
    for (int i = 0; i < n; i++) {
        sum += operations(m, cone[i]);
        for (int k = 0; k < cone[i]->nin; k++) {
            const ThVar *x = cone[i]->in[k];
            bool seen = at_hand(m, x, cut) || size_of(m, x) * SMALL <= size_of(m, v);
            for (int j = 0; j < n && !seen; j++) seen = cone[j] == x->owner;
            if (seen) continue;
            if (n == MAX_CONE || !copyable(x->owner)) return -1;
            cone[n++] = x->owner;
        }
    }
    return sum;
}

/* ---- the choice ---- */
typedef struct Choice {
    int buf, from, to; /* it need not lie there in the steps between these */
    const ThVar *var;
    const ThApply *user;
    double score;
} Choice;

/* The first user of v after step `at`; NULL: none, or users before and after it are not told apart by the schedule. */
static const ThApply *user_after(const Measure *m, const ThVar *v, int at) {
    int edge = m->plan->step[at].node, best = INT32_MAX;
    const ThApply *user = NULL;
    for (int i = 0; i < v->nclients; i++) {
        const ThApply *a = v->clients[i].node;
        if (!a) return NULL;
        if (m->place[a->id] > edge && m->place[a->id] < best) best = m->place[a->id], user = a;
    }
    return user && !is_copy(user) ? user : NULL;
}

static Choice consider(const Measure *m, int b, int at) {
    const Plan *p = m->plan;
    const PlanBuf *x = &p->buf[b];
    Choice none = {.score = 0}, c = {.buf = b, .from = -1, .to = -1};
    if (!is_temp(x) || x->node < 0 || x->node >= m->fg->norder || x->first >= at || x->last <= at) return none;
    const ThApply *a = m->fg->order[x->node];
    if (a->nout != 1 || is_copy(a) || !copyable(a) || m->chosen[a->out[0]->id]) return none;
    for (int i = m->use0[b]; i < m->use0[b + 1]; i++) {
        if (m->use[i] == at) return none;
        if (m->use[i] < at) c.from = m->use[i];
        else if (c.to < 0) c.to = m->use[i];
    }
    c.var = a->out[0];
    if (c.from < 0 || c.to < 0 || !(c.user = user_after(m, c.var, at))) return none;
    double operations_ = cost(m, c.var, m->place[c.user->id]);
    if (operations_ < 0) return none;
    c.score = (double)bytes_of(m, b) * (c.to - c.from) / (operations_ + 1);
    return c;
}

static bool choose(Measure *m, int at) {
    Choice best = {.score = 0};
    for (int b = 0; b < m->plan->nbuf; b++) {
        Choice c = consider(m, b, at);
        if (c.score > best.score) best = c;
    }
    if (best.score <= 0) return false;
    m->chosen[best.var->id] = 1 + m->place[best.user->id];
    for (int s = best.from + 1; s < best.to; s++) m->live[s] -= bytes_of(m, best.buf);
    return vec_push(m->fit->ctx, &m->fit->again, ((Again){best.var->id, best.user->id}));
}

/* Chooses until the temporaries should fit; how many were chosen. */
static int choose_all(Measure *m) {
    int n = 0;
    while (n < MAX_CHOICES) {
        int at = 0;
        for (int s = 1; s < m->plan->nstep; s++)
            if (m->live[s] > m->live[at]) at = s;
        if (m->plan->nstep == 0 || m->live[at] + m->fixed <= m->fit->budget || !choose(m, at)) break;
        n++;
    }
    return n;
}

/* ---- rounds ---- */
static void in_words(char *to, size_t room, int64_t n) {
    if (n < 10000) snprintf(to, room, "%lld bytes", (long long)n);
    else if (n < 10 << 20) number_format(to, room, "%.1f KB", (double)n / 1024);
    else number_format(to, room, "%.1f MB", (double)n / 1048576);
}

static bool too_much(const Fit *t) {
    char budget[40], first[40], least[40];
    in_words(budget, sizeof budget, t->budget);
    in_words(first, sizeof first, t->first);
    in_words(least, sizeof least, t->least);
    return err(
        t->ctx, TH_MemoryError,
        "memory = %s is too little for this call: it plans %s of temporaries, results and room to work in, and %s "
        "with all computed again that may be. Give it at least %s, or smaller arguments",
        budget, first, least, least);
}

void compile_fit_begin(const Fit *t, FGraph *fg) {
    fg->again = t->again.at;
    fg->nagain = t->again.n;
    fg->measure = true;
}

FitState compile_fit(Compile *k, FGraph *fg, const Plan *plan) {
    Fit *t = k->fit;
    Measure m = {.fit = t, .plan = plan, .fg = fg};
    FitState state = FIT_FAILED;
    fg->again = NULL; /* ours, which may move */
    fg->nagain = 0;
    if (measure(&m)) {
        if (t->round == 0) t->first = t->least = m.peak;
        if (m.peak < t->least) t->least = m.peak;
        if (m.peak <= t->budget) state = FIT_DONE;
        else if (++t->round < MAX_ROUNDS && choose_all(&m)) state = FIT_AGAIN;
        else too_much(t);
    }
    if (failed(k->ctx)) state = FIT_FAILED;
    measure_free(&m);
    return state;
}

ThFunction *compile_lean(ThFunction *f, ThArray *const *arg) {
    static const ThCopy plain;
    ThContext *c = th_function_context(f);
    ThCompile spec = *compile_spec_of(f);
    ThProfile profile;
    Fit fit = {.ctx = c, .budget = spec.memory, .arg = arg};
    fit.work = 64 + workspace_registers(f) + atomic_load(&f->rounding) + atomic_load(&f->beyond);
    spec.name = th_function_name(f);
    spec.profile = th_function_profile(f, &profile) ? 1 : -1;
    Compile k = {.ctx = c, .spec = &spec, .fit = &fit, .start = profile_now()};
    ThFunction *g = compile_from(&k, f, &plain) ? compile_function(&k, NULL) : NULL;
    compile_forget(&k);
    vec_free(c, &fit.again);
    for (int i = 0; g && i < th_function_ninputs(f); i++)
        if (th_function_share_default(g, i, f, i)) {
            th_function_release(g);
            g = NULL;
        }
    return g;
}
