/* refuse.c -- what cannot be written as a program of its own, named with the user's line before there is a file. */
#include "export.h"

bool export_refuse(Export *x, int node, const char *why) {
    const PlanNode *n = node >= 0 && node < x->p->nnode ? &x->p->node[node] : NULL;
    Text t;
    text_init(&t, x->c);
    if (n && n->prov) {
        text_put(&t, " (made at ");
        prov_text(x->c, &t, n->prov);
        text_put(&t, ")");
    }
    err(x->c, TH_NotImplementedError, "export: %s%s %s", n ? n->op : "the function", t.at ? t.at : "", why);
    text_free(&t);
    return false;
}

static bool kernel(Export *x, const Step *s) {
    const Kernel *k = x->p->kernel[s->kernel];
    for (int i = 0; i < k->st.n; i++) {
        const Stage *st = &k->st.at[i];
        if (st->cls != STAGE_GEMM) continue;
        if (dtype_is_float((ThDtype)k->acc.at[st->C].dtype)) continue;
        return export_refuse(x, s->node, "has no C text of its own yet");
    }
    return true;
}

static bool step(Export *x, const Step *s) {
    switch ((StepKind)s->kind) {
    case STEP_KERNEL: return kernel(x, s);
    case STEP_TRANSFER: return true;
    case STEP_HOST:
    case STEP_SIZE:
    case STEP_LATE: return true;
    }
    return false;
}

bool export_allowed(Export *x) {
    const Plan *p = x->p;
    for (int i = 0; i < p->nbuf; i++)
        if (p->buf[i].space)
            return export_refuse(x, p->buf[i].node, "runs on a device, and exported code on the processor");
    for (int i = 0; i < p->nstep; i++)
        if (!step(x, &p->step[i])) return false;
    return true;
}
