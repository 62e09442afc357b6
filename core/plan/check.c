/*
 * check.c -- is a Plan well formed? In: a Plan. Out: true, or false with RuntimeError saying what is wrong. Checked:
 * every number in range, slots written before they are read, kernels well formed, temporaries used within their
 * lifetimes, nothing that can fail after the first write to foreign storage, regions a tree.
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
    if (i >= p->first_write && s->can_fail)
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

bool plan_check(const Plan *p) {
    if (!check_windows(p) || !check_shapes(p) || !check_bufs(p) || !check_regions(p)) return false;
    for (int k = 0; k < p->nkernel; k++)
        if (!kernel_check(p->kernel[k])) return false;
    for (int s = 0; s < p->nstep; s++)
        if (!check_step(p, s)) return false;
    for (int o = 0; o < p->noutput; o++)
        if (p->result[o].buf < 0 || p->result[o].buf >= p->nbuf) return bad(p, "result", o, "no such buffer");
    return true;
}
