/*
 * bind_memory.c -- memory of bound calls that a host wants to know of, or brings itself. In: a ThCall. Out: how many
 * bytes its runs use, told by a rehearsal: a run whose results nobody sees and which writes to copies of what it would
 * change. Results in memory of the host's: where the plan has such a result alone in a buffer, that buffer is the
 * host's memory; what lies elsewhere is copied when the steps are done. Always holds: a rehearsal changes no value.
 */
#include "bind.h"

#include <string.h>

/* ---- rehearsals -------------------------------------------------------------------------------------------------- */
typedef struct Copies { /* of what the steps write in place: arguments, then shareds */
    char **at, **was;
    size_t *bytes;
    int n;
} Copies;

static bool copy(ThCall *b, Copies *k, int buf, const ThArray *a) {
    size_t bytes = (size_t)a->size * th_dtype_bytes((ThDtype)a->dtype);
    char *p = ctx_alloc_aligned(b->f->ctx, bytes, 64);
    if (!p) return false;
    memcpy(p, a->data, bytes);
    k->was[buf] = b->w->frame.buf[buf];
    k->at[buf] = b->w->frame.buf[buf] = p;
    k->bytes[buf] = bytes;
    return true;
}

static bool set_aside(ThCall *b, Copies *k) {
    const ThFunction *f = b->f;
    const Plan *p = f->plan;
    for (int i = 0; i < f->nin; i++)
        if (f->in[i].mutable_ && !copy(b, k, f->in_buf[i], b->w->arg[i])) return false;
    for (int i = 0; i < p->nshared; i++)
        if (p->shared_written[i] && !copy(b, k, f->shared_buf[i], p->shared[i]->value)) return false;
    return true;
}

static void put_back(ThCall *b, Copies *k) {
    for (int i = 0; i < k->n; i++) {
        if (!k->at[i]) continue;
        b->w->frame.buf[i] = k->was[i];
        ctx_free(b->f->ctx, k->at[i], k->bytes[i]);
    }
}

static bool steps(ThCall *b) {
    ThContext *c = b->f->ctx;
    Copies k = {.n = b->f->plan->nbuf};
    const size_t each = 2 * sizeof(char *) + sizeof(size_t), bytes = each * (size_t)(k.n + 1);
    char *room = ctx_alloc0(c, bytes);
    if (!room) return false;
    k.at = (char **)(void *)room, k.was = k.at + k.n + 1, k.bytes = (size_t *)(void *)(k.was + k.n + 1);
    bool ok = !workspace_prepare(b->w) && set_aside(b, &k) && call_steps(b->f, b->w);
    put_back(b, &k);
    ctx_free(c, room, bytes);
    return ok;
}

/* The context keeps headers for two runs one after the other: results of the first last until the second has its own.
 */
static bool headers(ThCall *b) {
    const Plan *p = b->f->plan;
    ThContext *c = b->f->ctx;
    const size_t bytes = sizeof(ThArray *) * ((size_t)p->noutput + 1);
    ThArray **more = ctx_alloc0(c, bytes);
    if (!more) return false;
    bool ok = call_reserve(b->f, b->w);
    for (int i = 0; i < p->noutput && ok; i++) ok = (more[i] = array_reserve(c, p->result[i].ndim)) != NULL;
    for (int i = 0; i < p->noutput; i++)
        if (more[i]) array_unfilled(c, more[i]);
    ctx_free(c, more, bytes);
    return ok;
}

static bool rehearse(ThCall *b) {
    ThFunction *f = b->f;
    if (b->ran) return true;
    if (f->calls_back)
        return err(f->ctx, TH_NotImplementedError,
                   "the function has operations of the host's, whose memory only a run tells");
    if (f->unit && f->unit->device)
        return err(f->ctx, TH_NotImplementedError, "the function runs on a device, which has memory of its own");
    if (!bind_start(b)) return false;
    bool ok = steps(b) && headers(b);
    call_clean(f, b->w, false);
    bind_end(b);
    b->steady = false;
    return b->ran = ok;
}

/* What is asked of a call that is not at work; its error is the call's. */
static int asked(ThCall *b, bool (*fn)(ThCall *b, void *user), void *user) {
    if (!b || !bind_take(b)) return -1;
    ErrorScope s;
    error_enter(&s, b->f->ctx, &b->error);
    bool ok = fn(b, user);
    error_leave(&s);
    bind_give(b);
    return ok ? 0 : -1;
}

static bool tell_bytes(ThCall *b, void *user) {
    if (!rehearse(b)) return false;
    *(int64_t *)user = (int64_t)workspace_bytes(b->w);
    return true;
}

int64_t th_workspace_bytes(ThCall *b) {
    int64_t bytes = 0;
    return asked(b, tell_bytes, &bytes) ? -1 : bytes;
}

typedef struct Piece {
    int i;
    void *at;
    size_t bytes;
} Piece;

static bool arena(ThCall *b, void *user) {
    const Piece *p = user;
    ThContext *c = b->f->ctx;
    if (p->at && !rehearse(b)) return false;
    size_t need = workspace_bytes(b->w);
    if (p->at && (uintptr_t)p->at % 64) return err(c, TH_ValueError, "an arena is aligned by 64 bytes");
    if (p->at && need > p->bytes)
        return report_room(b->w, -1, "the call uses %zu bytes, the arena has %zu", need, p->bytes);
    b->steady = false;
    return workspace_lend(b->w, p->at, p->at ? p->bytes : 0);
}

int th_call_arena(ThCall *b, void *memory, size_t bytes) {
    Piece p = {.at = memory, .bytes = bytes};
    return asked(b, arena, &p);
}

/* ---- results in memory of the host's ------------------------------------------------------------------------------
 */
static void forget(ThCall *b, int i) {
    Into *t = &b->into[i];
    if (t->memory)
        for (int k = 0; k < b->f->nprovided; k++)
            if (b->w->keep[k] == t->memory) {
                buffer_release(b->w->keep[k]);
                b->w->keep[k] = NULL;
            }
    th_array_release(t->array);
    if (t->memory) buffer_release(t->memory);
    *t = (Into){NULL, NULL};
    b->w->most[i] = 0;
}

void bind_into_free(ThCall *b) {
    if (!b->into) return;
    const size_t n = (size_t)b->f->nout + 1;
    for (int i = 0; i < b->f->nout; i++) forget(b, i);
    ctx_free(b->f->ctx, b->w->most, n * sizeof *b->w->most);
    ctx_free(b->f->ctx, b->into, n * sizeof *b->into);
    b->w->most = NULL;
    b->into = NULL;
}

static bool lists(ThCall *b) {
    const size_t n = (size_t)b->f->nout + 1;
    if (b->into) return true;
    Into *into = ctx_alloc0(b->f->ctx, n * sizeof *into);
    size_t *most = into ? ctx_alloc0(b->f->ctx, n * sizeof *most) : NULL;
    if (!most) return ctx_free(b->f->ctx, into, n * sizeof *into), false;
    b->into = into;
    b->w->most = most;
    return true;
}

/* The buffer in which result i lies alone from its first byte in C order, as FnOut; -1: it is elsewhere. */
static int own_buffer(const ThCall *b, int i) {
    const ThFunction *f = b->f;
    const PlanValue *v = &f->plan->result[i];
    const int64_t *sym = b->w->frame.sym;
    int64_t want = 1, n;
    for (int d = v->ndim - 1; d >= 0; d--) {
        int64_t st;
        if (!size_get(v->shape[d], sym, &n) || !size_get(v->stride[d], sym, &st) || st != want) return -1;
        want *= n;
    }
    if (v->buf < 0 || !size_get(v->off, sym, &n) || n || !f->sole[v->buf]) return -1;
    for (int k = 0; k < f->nprovided; k++)
        if (f->out[k].buf == v->buf) return f->out[k].kept ? k : -1;
    return -1;
}

static bool into(ThCall *b, void *user) {
    const Piece *p = user;
    ThFunction *f = b->f;
    ThContext *c = f->ctx;
    if (p->i < 0 || p->i >= f->nout) return err(c, TH_IndexError, "result %d of a function that has %d", p->i, f->nout);
    size_t item = th_dtype_bytes((ThDtype)f->plan->result[p->i].dtype);
    if (p->at && (uintptr_t)p->at % item)
        return err(c, TH_ValueError, "memory for result %d is aligned by %zu bytes", p->i, item);
    if (!lists(b) || !bind_start(b)) return false;
    size_t *most = b->w->most;
    b->w->most = NULL;                  /* what was given before, and may be too little, does not matter here */
    bool ok = !workspace_prepare(b->w); /* sizes */
    b->w->most = most;
    call_clean(f, b->w, false);
    bind_end(b);
    if (!ok) return false;
    forget(b, p->i);
    th_array_release(b->w->borrowed[p->i]);
    b->w->borrowed[p->i] = NULL;
    b->w->renewed = true;
    b->steady = false;
    if (!p->at) return true;
    ThBuffer *memory = buffer_wrap(c, p->at, p->bytes, NULL, NULL);
    if (!memory) return false;
    b->into[p->i].memory = memory;
    b->w->most[p->i] = p->bytes ? p->bytes : 1;
    int k = own_buffer(b, p->i);
    if (k < 0) return true;
    if (b->w->keep[k]) buffer_release(b->w->keep[k]);
    buffer_retain(b->w->keep[k] = memory);
    return true;
}

int th_call_into(ThCall *b, int i, void *memory, size_t bytes) {
    Piece p = {i, memory, bytes};
    return asked(b, into, &p);
}

static bool same_lengths(const ThArray *a, const ThArray *r) {
    return a && !memcmp(ARRAY_SHAPE(a), ARRAY_SHAPE(r), sizeof(int64_t) * (size_t)r->ndim);
}

static bool deliver(ThCall *b, int i) {
    Into *t = &b->into[i];
    ThContext *c = b->f->ctx;
    ThArray *r = b->w->borrowed[i];
    if (r->buf == t->memory) {
        if (r->data == t->memory->data && (r->flags & ARRAY_CONTIGUOUS)) return true;
        return err(c, TH_RuntimeError, "result %d lies in another order since lengths changed: th_call_into again", i);
    }
    size_t bytes = (size_t)r->size * th_dtype_bytes((ThDtype)r->dtype);
    if (bytes > t->memory->bytes)
        return report_room(b->w, b->f->plan->result[i].buf,
                           "result %d takes %zu bytes, the host's memory for it has %zu", i, bytes, t->memory->bytes);
    if (!same_lengths(t->array, r)) {
        ThArray *a = array_header(c, t->memory, t->memory->data, (ThDtype)r->dtype, r->ndim, ARRAY_SHAPE(r), NULL);
        if (!a) return false;
        th_array_release(t->array);
        t->array = a;
        b->turn++;
    }
    return !th_array_assign(t->array, r);
}

bool bind_deliver(ThCall *b) {
    for (int i = 0; i < b->f->nout; i++)
        if (b->into[i].memory && !deliver(b, i)) return false;
    return true;
}
