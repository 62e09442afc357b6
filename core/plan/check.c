/*
 * check.c -- is a Plan well formed? In: a Plan. Out: true, or false with RuntimeError saying what is wrong. Checked:
 * every number in range, slots written before they are read, kernels well formed, temporaries used within their
 * lifetimes, nothing that can fail after the first write to foreign storage, regions a tree.
 *
 * plan_check_reads walks the regions as a call does and proves that every size was computed, and every buffer is there,
 * before anything reads it: what a loop or one side of a branch finds is forgotten behind it, since it may not have
 * run.
 */
#include "plan.h"

static bool bad(const Plan *p, const char *part, int i, const char *what) {
    return err(p->ctx, TH_RuntimeError, "plan: %s %d: %s", part, i, what);
}

static bool size_ok(const Plan *p, Size s) { return s.sym >= -1 && s.sym < p->nsym; }

static bool check_shapes(const Plan *p) {
    for (int i = 0, top = 0; i < p->nshape; i++) {
        const ShapeIns *s = &p->shape[i];
        bool check = s->op == SHAPE_CHECK_EQ || s->op == SHAPE_CHECK_GE0;
        if (check && (s->k < 0 || s->k >= p->ncheck)) return bad(p, "shape instruction", i, "no such check");
        if (!check && (s->dst < 0 || s->dst >= p->nsym)) return bad(p, "shape instruction", i, "no such slot");
        if (s->op >= SHAPE_ADD && (s->a < 0 || s->a >= top || s->b >= top))
            return bad(p, "shape instruction", i, "reads a later slot");
        if (s->op > SHAPE_CONST && s->op < SHAPE_ADD && (s->a < 0 || s->a >= p->nbuf))
            return bad(p, "shape instruction", i, "no such buffer");
        if (!check && s->dst >= top) top = s->dst + 1;
    }
    return true;
}

static bool check_bufs(const Plan *p) {
    for (int b = 0; b < p->nbuf; b++) {
        const PlanBuf *f = &p->buf[b];
        if (f->kind > BUF_WINDOW || f->dtype >= TH_DTYPE_COUNT) return bad(p, "buffer", b, "bad kind or dtype");
        if (!size_ok(p, f->size)) return bad(p, "buffer", b, "its size is no slot");
        if (f->inplace_of >= p->nbuf || f->inplace_of == b) return bad(p, "buffer", b, "in place of no buffer");
        if (f->kind == BUF_CONST && (f->index < 0 || f->index >= p->nconstant))
            return bad(p, "buffer", b, "no such constant");
        if (f->kind == BUF_WINDOW && (f->index < 0 || f->index >= p->nwindow || p->window[f->index].buf != b))
            return bad(p, "buffer", b, "no such window");
        if (f->kind == BUF_SHARED && (f->index < 0 || f->index >= p->nshared))
            return bad(p, "buffer", b, "no such shared");
    }
    return true;
}

static bool check_step(const Plan *p, int i) {
    const Step *s = &p->step[i];
    for (int b = 0; b < s->nbuf; b++) {
        if (s->buf[b] < -1 || s->buf[b] >= p->nbuf || (s->kind != STEP_HOST && s->buf[b] < 0))
            return bad(p, "step", i, "no such buffer");
        const PlanBuf *f = s->buf[b] < 0 ? NULL : &p->buf[s->buf[b]];
        if (f && f->kind == BUF_TEMP && (i < f->first || i > f->last))
            return bad(p, "step", i, "uses a temporary outside of its life");
    }
    for (int y = 0; y < s->nsym; y++)
        if (s->sym[y] < 0 || s->sym[y] >= p->nsym) return bad(p, "step", i, "no such slot");
    if (s->kind == STEP_SIZE && (s->a < 0 || s->n < 0 || s->a + s->n > p->nshape))
        return bad(p, "step", i, "no such shape instructions");
    if (s->kind == STEP_HOST && (s->host < 0 || s->host >= p->nhost)) return bad(p, "step", i, "no such host call");
    if (i >= p->first_write && s->can_fail && !(i == p->first_write && s->fails_first))
        return bad(p, "step", i, "can fail after storage of the caller was written");
    if (s->kind != STEP_KERNEL) return true;
    if (s->kernel < 0 || s->kernel >= p->nkernel) return bad(p, "step", i, "no such kernel");
    const Kernel *k = p->kernel[s->kernel];
    if (k->nbuf != s->nbuf || k->param.n > s->nparam) return bad(p, "step", i, "does not fit its kernel");
    for (int a = 0; a < k->acc.n; a++)
        if (p->buf[s->buf[k->acc.at[a].buf]].dtype != k->acc.at[a].dtype)
            return bad(p, "step", i, "a buffer of another dtype");
    return true;
}

static bool check_regions(const Plan *p) {
    for (int r = 0; r < p->nregion; r++) {
        const Region *g = &p->region[r];
        if (g->kind > REGION_BRANCH || g->next >= p->nregion || g->child >= p->nregion || g->other >= p->nregion)
            return bad(p, "region", r, "bad kind or link");
        if (g->kind == REGION_STRAIGHT && (g->first < 0 || g->n < 0 || g->first + g->n > p->nstep))
            return bad(p, "region", r, "no such steps");
        if (g->nwindow < 0 || g->window < 0 || g->window + g->nwindow > p->nwindow || g->turns < 0 ||
            g->turns > p->nbuf)
            return bad(p, "region", r, "no such windows or buffer");
        if (g->kind == REGION_LOOP && (g->child < 0 || g->counter < 0 || g->counter >= p->nsym))
            return bad(p, "region", r, "a loop without body or counter");
        if (g->kind == REGION_BRANCH && (g->cond < 0 || g->cond >= p->nbuf))
            return bad(p, "region", r, "a branch without condition");
    }
    return p->nregion > 0 || bad(p, "regions", 0, "none");
}

static bool check_windows(const Plan *p) {
    for (int i = 0; i < p->nwindow; i++) {
        const PlanWindow *w = &p->window[i];
        if (w->buf < 0 || w->buf >= p->nbuf || w->of < 0 || w->of >= p->nbuf || w->of == w->buf)
            return bad(p, "window", i, "no such buffer");
        if (p->buf[w->buf].dtype != p->buf[w->of].dtype) return bad(p, "window", i, "on a buffer of another dtype");
        if (!size_ok(p, w->base) || !size_ok(p, w->first) || !size_ok(p, w->step) || !size_ok(p, w->ring))
            return bad(p, "window", i, "its place is no slot");
        if (w->next >= p->nwindow) return bad(p, "window", i, "followed by no window");
    }
    return true;
}

/* ---- sizes and buffers before they are read ---- */
typedef struct Reads {
    const Plan *p;
    uint8_t *size, *buf; /* by slot: computed; by buffer: there */
    int *trail, n;       /* what became so, in order: slot, or -1 - buffer */
} Reads;

static void learn_size(Reads *r, int s) {
    if (!r->size[s]) r->size[s] = 1, r->trail[r->n++] = s;
}

static void learn_buffer(Reads *r, int b) {
    if (!r->buf[b]) r->buf[b] = 1, r->trail[r->n++] = -1 - b;
}

static void forget(Reads *r, int to) {
    while (r->n > to) {
        int x = r->trail[--r->n];
        if (x >= 0) r->size[x] = 0;
        else r->buf[-1 - x] = 0;
    }
}

static bool known(const Reads *r, Size s) { return s.sym < 0 || r->size[s.sym]; }

static bool known_value(const Reads *r, const PlanValue *v) {
    bool ok = known(r, v->off);
    for (int d = 0; d < v->ndim; d++) ok = ok && known(r, v->shape[d]) && known(r, v->stride[d]);
    return ok;
}

/* Shape instructions [first, first + n); `late`: in a STEP_SIZE. */
static bool run_shapes(Reads *r, int first, int n, bool late) {
    const Plan *p = r->p;
    for (int i = first; i < first + n; i++) {
        const ShapeIns *s = &p->shape[i];
        bool check = s->op == SHAPE_CHECK_EQ || s->op == SHAPE_CHECK_GE0;
        if (s->op >= SHAPE_ADD && (!r->size[s->a] || (s->b >= 0 && !r->size[s->b]) ||
                                   (s->op == SHAPE_SELECT && (s->c < 0 || !r->size[s->c]))))
            return bad(p, "shape instruction", i, "reads a slot that nothing has computed yet");
        if (s->op == SHAPE_VALUE && !r->buf[s->a]) return bad(p, "shape instruction", i, "reads a buffer too early");
        if ((s->op == SHAPE_DIM || s->op == SHAPE_STRIDE) && (late || s->b < 0 || s->b >= p->buf[s->a].ndim))
            return bad(p, "shape instruction", i, "no such dimension of an argument");
        if (!check) learn_size(r, s->dst);
    }
    return true;
}

static bool run_step(Reads *r, int i) {
    const Plan *p = r->p;
    const Step *s = &p->step[i];
    if (s->kind == STEP_SIZE) return run_shapes(r, s->a, s->n, true);
    if (s->kind == STEP_LATE) {
        if (!known(r, p->buf[s->buf[0]].size)) return bad(p, "step", i, "allocates what has no size yet");
        learn_buffer(r, s->buf[0]);
        return true;
    }
    for (int b = 0; b < s->nbuf; b++)
        if (s->buf[b] >= 0 && !r->buf[s->buf[b]]) return bad(p, "step", i, "uses a buffer that is not there yet");
    bool ok = s->kind != STEP_TRANSFER || known(r, p->buf[s->buf[1]].size);
    for (int y = 0; y < s->nsym; y++) ok = ok && r->size[s->sym[y]];
    const PlanHost *h = s->kind == STEP_HOST ? &p->host[s->host] : NULL;
    for (int v = 0; h && v < h->nin; v++) ok = ok && (h->in[v].buf < 0 || known_value(r, &h->in[v]));
    for (int v = 0; h && v < h->nout; v++) ok = ok && (h->out[v].buf < 0 || known_value(r, &h->out[v]));
    return ok || bad(p, "step", i, "reads a size that nothing has computed yet");
}

static bool run_windows(Reads *r, int region) {
    const Plan *p = r->p;
    const Region *g = &p->region[region];
    for (int i = g->window; i < g->window + g->nwindow; i++) {
        const PlanWindow *w = &p->window[i];
        if (!r->buf[w->of] || !known(r, w->base) || !known(r, w->first) || !known(r, w->step) || !known(r, w->ring))
            return bad(p, "window", i, "shows what is not there yet");
        learn_buffer(r, w->buf);
    }
    return true;
}

/* The region and those that follow it. Nesting is as deep as the user nests loops. */
static bool run_regions(Reads *r, int region) {
    const Plan *p = r->p;
    for (; region >= 0; region = p->region[region].next) {
        const Region *g = &p->region[region];
        int before = r->n;
        if (g->kind == REGION_STRAIGHT) {
            for (int i = g->first; i < g->first + g->n; i++)
                if (!run_step(r, i)) return false;
            continue;
        }
        bool loop = g->kind == REGION_LOOP;
        int needs = loop ? g->turns - 1 : g->cond;
        if (!known(r, g->trip) || (needs >= 0 && !r->buf[needs]))
            return bad(p, "region", region, "starts before what it needs is there");
        if (loop) learn_size(r, g->counter);
        if (!run_windows(r, region)) return false;
        int inside = r->n;
        if (!run_regions(r, g->child)) return false;
        if (loop && g->until >= 0 && !r->buf[g->until])
            return bad(p, "region", region, "asks for an end that is not there");
        forget(r, inside);
        if (!loop && !run_regions(r, g->other)) return false;
        forget(r, before);
    }
    return true;
}

static bool run_plan(Reads *r) {
    const Plan *p = r->p;
    for (int b = 0; b < p->nbuf; b++) r->buf[b] = p->buf[b].kind <= BUF_CONST;
    if (!run_shapes(r, 0, p->nshape_static, false)) return false;
    for (int b = 0; b < p->nbuf; b++) {
        if ((p->buf[b].kind != BUF_TEMP && p->buf[b].kind != BUF_OUTPUT) || p->buf[b].late) continue;
        if (!known(r, p->buf[b].size)) return bad(p, "buffer", b, "its size is found too late");
        r->buf[b] = 1;
    }
    for (int v = 0; v < p->nvar; v++)
        if (!known(r, p->var[v])) return bad(p, "variable", v, "its size is found too late");
    if (p->nregion && !run_regions(r, 0)) return false;
    for (int o = 0; o < p->noutput; o++)
        if (!r->buf[p->result[o].buf] || !known_value(r, &p->result[o])) return bad(p, "result", o, "is not there");
    for (int u = 0; u < p->nupdate; u++)
        if (!r->buf[p->update[u].value.buf] || !known_value(r, &p->update[u].value))
            return bad(p, "update", u, "is not there");
    return true;
}

bool plan_check_reads(const Plan *p) {
    size_t most = (size_t)p->nsym + (size_t)p->nbuf + 1, bytes = most * (sizeof(int) + 1);
    Reads r = {.p = p, .trail = ctx_alloc0(p->ctx, bytes)};
    if (!r.trail) return false;
    r.size = (uint8_t *)(r.trail + most);
    r.buf = r.size + p->nsym;
    bool ok = run_plan(&r);
    ctx_free(p->ctx, r.trail, bytes);
    return ok;
}

bool plan_check(const Plan *p) {
    if (!check_windows(p) || !check_shapes(p) || !check_bufs(p) || !check_regions(p)) return false;
    for (int k = 0; k < p->nkernel; k++)
        if (!kernel_check(p->kernel[k])) return false;
    for (int s = 0; s < p->nstep; s++)
        if (!check_step(p, s)) return false;
    for (int o = 0; o < p->noutput; o++)
        if (p->result[o].buf < 0 || p->result[o].buf >= p->nbuf) return bad(p, "result", o, "no such buffer");
    return plan_check_reads(p);
}
