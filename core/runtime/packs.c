/*
 * packs.c -- weights that stay packed between calls. In: a product whose right operand is a shared variable that the
 * function only reads, or reads in every turn of a loop before it writes it. Out: its panels (gemm_pack_b), made
 * when a second call (or turn) finds the same values, in memory of the workspace; the bits are those of the product
 * without.
 *
 * Stale panels would be silent errors, so a pack is made and used only while nobody but the shared variable holds its
 * memory and nobody else ever has since it became the storage (ThBuffer.lent: a borrowed value, a borrowed result that
 * is a view of it), and while Shared.written, which every holder of the writing lock moves on, is what it was. The
 * caller holds the reading lock.
 */
#include "packs.h"

#include "schedule/choose.h"

enum { MOST = 64 }; /* packs of a workspace */

static bool worth(const GemmArgs *g) {
    int64_t item = (int64_t)th_dtype_bytes(g->dtype);
    bool whole = (g->bcs == 1 && g->brs == g->n) || (g->brs == 1 && g->bcs == g->k);
    return dtype_is_float(g->dtype) && g->ccs == 1 && whole && choose_pack(g->m, g->n, g->k, item, g->bcs != 1);
}

/* The shared variable that starts at b, with nobody else holding it; or NULL. */
static const Shared *weight(const Workspace *w, const GemmArgs *g) {
    const ThFunction *f = w->fn;
    const Plan *p = f->plan;
    if (f->gc && !w->bound) return NULL; /* nothing is kept between calls */
    for (int i = 0; i < p->nshared; i++) {
        if (w->frame.buf[f->shared_buf[i]] != g->b) continue;
        const ThArray *a = p->shared[i]->value;
        const ThBuffer *b = a->buf;
        bool ours = (!p->shared_written[i] || f->turns[i]) && a->data == g->b && !b->wrapped;
        ours &= atomic_load_explicit(&a->refs, memory_order_relaxed) == 1;
        ours &= atomic_load_explicit(&b->refs, memory_order_relaxed) == 1;
        return ours && !buffer_is_lent(b) ? p->shared[i] : NULL;
    }
    return NULL;
}

/* Within a limit of memory panels take what is left once a call has all that it needs. */
static bool allowed(const Workspace *w, int64_t bytes) {
    const int64_t most = w->fn->memory;
    return !most || (w->went && bytes <= most - w->base - atomic_load(&w->held));
}

/* A place for the panels of s, whose memory is there from the first call on; or NULL with or without an error. */
static Pack *place(Workspace *w, const Shared *s, const GemmArgs *g) {
    ThContext *c = w->fn->ctx;
    for (Pack *p = w->pack; p; p = p->next)
        if (p->of == s && p->dtype == g->dtype && p->k == g->k && p->n == g->n && p->brs == g->brs) return p;
    if (w->npack == MOST) return NULL;
    size_t bytes = gemm_pack_b_bytes(g->dtype, g->k, g->n);
    if (!allowed(w, (int64_t)bytes)) return NULL;
    Pack *p = ctx_alloc0(c, sizeof *p);
    if (!p) return NULL;
    *p = (Pack){.next = w->pack, .of = s, .dtype = g->dtype, .k = g->k, .n = g->n, .brs = g->brs, .bytes = bytes};
    p->panels = workspace_memory(w, bytes);
    if (!p->panels) {
        ctx_free(c, p, sizeof *p);
        return NULL;
    }
    w->pack = p;
    w->npack++;
    workspace_may(w, (int64_t)bytes); /* as asked above */
    return p;
}

int packs_use(Workspace *w, GemmArgs *g) {
    const Shared *s = worth(g) ? weight(w, g) : NULL;
    if (!s) return 0;
    Pack *p = place(w, s, g);
    if (!p) return failed(w->fn->ctx);
    uint64_t written = atomic_load_explicit(&s->written, memory_order_relaxed);
    if (!p->seen || p->written != written) {
        p->seen = true, p->made = false, p->written = written;
        return 0;
    }
    if (!p->made) {
        if (gemm_pack_b(w->fn->ctx, g, p->panels)) return 1;
        atomic_fetch_add(&w->fn->ctx->packs, 1);
        p->made = true;
    }
    g->packed = p->panels;
    return 0;
}

/* ---- weights of loops -------------------------------------------------------------------------------------------- */
/* Marks the steps that run in each turn of a loop. */
static void mark_turns(const Plan *p, bool *turn) {
    for (int r = 0; r < p->nregion; r++)
        for (int c = p->region[r].kind == REGION_LOOP ? p->region[r].child : -1; c >= 0; c = p->region[c].next) {
            const Region *g = &p->region[c];
            if (g->kind != REGION_STRAIGHT) continue; /* a loop in it has steps of its own */
            for (int s = g->first; s < g->first + g->n; s++) turn[s] = true;
        }
}

/* The buffer that is the right operand of a step's product, -1 none. */
static int right_operand(const Plan *p, const Step *s) {
    const Kernel *k = s->kind == STEP_KERNEL ? p->kernel[s->kernel] : NULL;
    for (int i = 0; k && i < k->st.n; i++)
        if (k->st.at[i].cls == STAGE_GEMM) return s->buf[k->acc.at[k->st.at[i].B].buf];
    return -1;
}

/* By shared: the first step that writes it, 0 where a loop does. */
static void first_writes(const Plan *p, const bool *turn, int *first) {
    for (int i = 0; i < p->nshared; i++) first[i] = p->nstep;
    for (int s = 0; s < p->nstep; s++)
        for (int b = 0; b < p->step[s].nbuf; b++) {
            const int i = plan_changed_shared(p, &p->step[s], b), at = turn[s] ? 0 : s;
            if (i >= 0 && at < first[i]) first[i] = at;
        }
}

bool packs_turns(const Plan *p, const int *shared_buf, bool *turns) {
    ThContext *c = p->ctx;
    bool *turn = ctx_alloc0(c, (size_t)p->nstep + 1);
    int *shared = ctx_alloc0(c, (size_t)(p->nbuf + 1) * sizeof *shared); /* by buffer: 1 + its number */
    int *first = ctx_alloc(c, (size_t)(p->nshared + 1) * sizeof *first);
    bool ok = turn && shared && first;
    for (int i = 0; ok && i < p->nshared; i++)
        if (p->buf[shared_buf[i]].kind == BUF_SHARED) shared[shared_buf[i]] = i + 1; /* else nothing reads it */
    if (ok) mark_turns(p, turn), first_writes(p, turn, first);
    for (int late = 0; ok && late < 2; late++)
        for (int s = 0; s < p->nstep; s++) {
            const int b = right_operand(p, &p->step[s]), i = b >= 0 ? shared[b] - 1 : -1;
            if (i >= 0 && (late ? s >= first[i] : turn[s])) turns[i] = !late;
        }
    ctx_free(c, turn, (size_t)p->nstep + 1);
    ctx_free(c, shared, (size_t)(p->nbuf + 1) * sizeof *shared);
    ctx_free(c, first, (size_t)(p->nshared + 1) * sizeof *first);
    return ok;
}

void packs_free(Workspace *w) {
    for (Pack *p = w->pack, *next; p; p = next) {
        next = p->next;
        workspace_drop(w, p->panels, p->bytes);
        atomic_fetch_sub(&w->held, (int64_t)p->bytes);
        ctx_free(w->fn->ctx, p, sizeof *p);
    }
    w->pack = NULL;
    w->npack = 0;
}
