/*
 * text.c -- a Plan as readable text, for theano.printing.plan and goldens. In: a Plan. Out: checks, buffers, steps and
 * kernels, numbered as they stand; equal plans give equal texts.
 */
#include "plan.h"

static void put_size(Text *t, Size s) {
    if (s.sym < 0) text_printf(t, "%lld", (long long)s.k);
    else if (s.k == 1) text_printf(t, "s%d", s.sym);
    else text_printf(t, "%lld*s%d", (long long)s.k, s.sym);
}

static void put_sizes(Text *t, int n, const Size *s) {
    text_put(t, "(");
    for (int i = 0; i < n; i++) {
        if (i) text_put(t, ", ");
        put_size(t, s[i]);
    }
    text_put(t, ")");
}

static void put_buf(Text *t, const Plan *p, int b) {
    static const char *const kind[] = {"in", "shared", "const", "tmp", "out", "row"};
    if (b < 0) text_put(t, "none");
    else if (p->buf[b].kind == BUF_TEMP) text_printf(t, "b%d", b);
    else text_printf(t, "b%d:%s%d", b, kind[p->buf[b].kind], p->buf[b].index);
}

static void put_shape_ins(Text *t, const Plan *p, const ShapeIns *i) {
    static const char *const sign[] = {
        [SHAPE_ADD] = "+",           [SHAPE_SUB] = "-",   [SHAPE_MUL] = "*",   [SHAPE_FLOORDIV] = "//",
        [SHAPE_CEILDIV] = "ceildiv", [SHAPE_MIN] = "min", [SHAPE_MAX] = "max", [SHAPE_LT] = "<"};
    text_put(t, "  ");
    if (i->op == SHAPE_CHECK_EQ || i->op == SHAPE_CHECK_GE0) {
        const ShapeCheck *c = &p->check[i->k];
        if (i->op == SHAPE_CHECK_EQ) text_printf(t, "check s%d == s%d", i->a, i->b);
        else text_printf(t, "check s%d >= 0", i->a);
        text_printf(t, "  [node %d, %s: %s]\n", c->node, th_error_name(c->kind), c->text);
        return;
    }
    text_printf(t, "s%d = ", i->dst);
    switch (i->op) {
    case SHAPE_CONST: text_printf(t, "%lld", (long long)i->k); break;
    case SHAPE_DIM:
        put_buf(t, p, i->a);
        text_printf(t, ".shape[%d]", i->b);
        break;
    case SHAPE_STRIDE:
        put_buf(t, p, i->a);
        text_printf(t, ".stride[%d]", i->b);
        break;
    case SHAPE_VALUE:
        put_buf(t, p, i->a);
        text_printf(t, "[%d]", i->b);
        break;
    case SHAPE_SELECT: text_printf(t, "s%d ? s%d : s%d", i->c, i->a, i->b); break;
    default: text_printf(t, "s%d %s s%d", i->a, sign[i->op], i->b); break;
    }
    text_putc(t, '\n');
}

static void put_shapes(Text *t, const Plan *p, int first, int n) {
    for (int i = first; i < first + n; i++) put_shape_ins(t, p, &p->shape[i]);
}

/* "part of b3 at s1 + t*s2 mod s4" */
static void put_window(Text *t, const Plan *p, const PlanWindow *w) {
    text_put(t, " part of ");
    put_buf(t, p, w->of);
    text_put(t, " at ");
    if (!size_is(w->base, 0)) {
        put_size(t, w->base);
        text_put(t, " + ");
    }
    bool ring = !size_is(w->ring, 0);
    text_put(t, ring ? "(" : "");
    put_size(t, w->first);
    text_put(t, " + t*");
    put_size(t, w->step);
    if (!ring) return;
    text_put(t, ") mod ");
    put_size(t, w->ring);
}

static void put_buffers(Text *t, const Plan *p) {
    text_put(t, "buffers:\n");
    for (int b = 0; b < p->nbuf; b++) {
        const PlanBuf *f = &p->buf[b];
        text_put(t, "  ");
        put_buf(t, p, b);
        text_printf(t, " %s ", th_dtype_name((ThDtype)f->dtype));
        put_sizes(t, f->ndim, f->shape);
        if (f->kind == BUF_INPUT && f->index < p->ninput && p->input[f->index].name)
            text_printf(t, " '%s'", p->input[f->index].name);
        if (f->kind == BUF_WINDOW) put_window(t, p, &p->window[f->index]);
        if (f->first >= 0) text_printf(t, " steps %d..%d", f->first, f->last);
        if (f->inplace_of >= 0) text_printf(t, " in place of b%d", f->inplace_of);
        if (f->late) text_put(t, " late");
        if (f->space) text_printf(t, " space %d", f->space);
        text_putc(t, '\n');
    }
}

static void put_params(Text *t, const Plan *p, const Step *s) {
    const Kernel *k = p->kernel[s->kernel];
    text_put(t, " params (");
    for (int i = 0; i < k->ins.n; i++) {
        const Ins *n = &k->ins.at[i];
        if (n->op != INS_PARAM) continue;
        if (t->at[t->n - 1] != '(') text_put(t, ", ");
        char kind = th_dtype_kind((ThDtype)n->dtype);
        if (kind == 'f') text_float(t, s->param[n->a].f, (ThDtype)n->dtype);
        else if (kind == 'c') text_printf(t, "%.17g%+.17gj", s->param[n->a].c.re, s->param[n->a].c.im);
        else text_printf(t, "%lld", (long long)s->param[n->a].i);
    }
    text_put(t, ")");
}

static void put_step(Text *t, const Plan *p, int i) {
    static const char *const kind[] = {"kernel", "host", "transfer", "sizes", "late"};
    const Step *s = &p->step[i];
    text_printf(t, "  step %d: %s", i, kind[s->kind]);
    if (s->kind == STEP_KERNEL) text_printf(t, " k%d", s->kernel);
    text_put(t, " (");
    for (int b = 0; b < s->nbuf; b++) {
        if (b) text_put(t, ", ");
        put_buf(t, p, s->buf[b]);
    }
    text_put(t, ")");
    if (s->nsym) {
        text_put(t, " sizes (");
        for (int y = 0; y < s->nsym; y++) text_printf(t, "%ss%d", y ? ", " : "", s->sym[y]);
        text_put(t, ")");
    }
    if (s->nparam) put_params(t, p, s);
    if (s->chain) text_printf(t, " tile by tile with the next %d", s->chain - 1);
    if (s->nnodes) {
        text_put(t, " nodes [");
        for (int n = 0; n < s->nnodes; n++) text_printf(t, "%s%d", n ? ", " : "", s->nodes[n]);
        text_put(t, "]");
    }
    text_printf(t, "%s  %s\n", s->can_fail ? " can fail" : "", s->title ? s->title : "");
    if (s->kind == STEP_SIZE) put_shapes(t, p, s->a, s->n);
}

static void put_regions(Text *t, const Plan *p) {
    static const char *const kind[] = {"straight", "loop", "branch"};
    if (p->nregion == 1) return;
    text_put(t, "regions:\n");
    for (int r = 0; r < p->nregion; r++) {
        const Region *g = &p->region[r];
        text_printf(t, "  region %d: %s", r, kind[g->kind]);
        if (g->kind == REGION_STRAIGHT) text_printf(t, " steps %d..%d", g->first, g->first + g->n - 1);
        if (g->kind == REGION_LOOP) {
            text_printf(t, " body %d trip ", g->child);
            put_size(t, g->trip);
            text_printf(t, " counter s%d", g->counter);
            if (g->until >= 0) text_printf(t, " until b%d", g->until);
            if (g->turns > 0) text_printf(t, " turns in b%d", g->turns - 1);
        }
        if (g->kind == REGION_BRANCH) text_printf(t, " b%d ? %d : %d", g->cond, g->child, g->other);
        for (int w = 0; w < g->nwindow; w++) text_printf(t, w ? ", b%d" : " windows b%d", p->window[g->window + w].buf);
        if (g->next >= 0) text_printf(t, " then %d", g->next);
        if (g->title) text_printf(t, "  %s", g->title);
        text_putc(t, '\n');
    }
}

static void put_value(Text *t, const Plan *p, const PlanValue *v) {
    put_buf(t, p, v->buf);
    put_sizes(t, v->ndim, v->shape);
    text_put(t, " strides ");
    put_sizes(t, v->ndim, v->stride);
    if (!size_is(v->off, 0)) {
        text_put(t, " from ");
        put_size(t, v->off);
    }
    text_putc(t, '\n');
}

bool plan_text(Text *t, const Plan *p, PlanUnder *under, void *user) {
    text_put(t, "sizes:\n");
    put_shapes(t, p, 0, p->nshape_static);
    put_buffers(t, p);
    text_put(t, "steps:\n");
    for (int s = 0; s < p->nstep; s++) put_step(t, p, s);
    put_regions(t, p);
    text_put(t, "results:\n");
    for (int o = 0; o < p->noutput; o++) {
        text_printf(t, "  %d: ", o);
        put_value(t, p, &p->result[o]);
    }
    if (p->nupdate) text_put(t, "updates:\n");
    for (int u = 0; u < p->nupdate; u++) {
        text_printf(t, "  shared %d: ", p->update[u].shared);
        put_value(t, p, &p->update[u].value);
    }
    text_put(t, "kernels:\n");
    for (int k = 0; k < p->nkernel; k++) {
        text_printf(t, " k%d:\n", k);
        kernel_text(t, p->kernel[k]);
        if (under && !under(t, p->kernel[k], user)) return false;
    }
    return !failed(p->ctx);
}
