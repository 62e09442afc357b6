/*
 * workspace.c -- memory of one call: signature, shape slots, arena, scratch. Everything is allocated when the signature
 * of the arguments first differs from the last call's; the second call with equal shapes allocates nothing here.
 */
#include "graph/services.h"
#include "ops/order/order.h"
#include "ops/random/random.h"
#include "ops/table/host.h"
#include "ops/table/index.h"
#include "ops/table/nnet.h"
#include "runtime/attention/attention.h"
#include "runtime/conv/conv.h"
#include "runtime/factor/work.h"
#include "runtime/fft/work.h"
#include "runtime/pool/pool.h"
#include "function.h"
#include "launch.h"
#include "runtime/machine/parallel.h"
#include "runtime/random/draw.h"
#include "packs.h"
#include "tune.h"
#include "versions.h"

#include <stdio.h>
#include <string.h>

void workspace_lock(ThFunction *f) {
    while (atomic_flag_test_and_set_explicit(&f->lock, memory_order_acquire)) os_yield();
}
void workspace_unlock(ThFunction *f) { atomic_flag_clear_explicit(&f->lock, memory_order_release); }

static void *part(char **at, size_t bytes) {
    void *p = *at;
    *at += (bytes + 15) / 16 * 16;
    return p;
}

/* One block: the struct and its fixed-size arrays. With at == NULL only measures. */
static size_t carve(ThFunction *f, Workspace *w, char *at) {
    const Plan *p = f->plan;
    char *start = at;
    Workspace dummy;
    if (!w) w = &dummy;
    part(&at, sizeof *w);
    w->frame.sym = part(&at, sizeof(int64_t) * (size_t)(p->nsym + 1));
    w->frame.buf = part(&at, sizeof(char *) * (size_t)(p->nbuf + 1));
    w->sig = part(&at, sizeof(int64_t) * (size_t)(f->nsig + 1));
    w->offset = part(&at, sizeof(int64_t) * (size_t)(p->nbuf + 1));
    w->arg = part(&at, sizeof(ThArray *) * (size_t)(f->nin + 1));
    w->result = part(&at, sizeof(ThArray *) * (size_t)(p->noutput + p->nupdate + 1));
    w->form = part(&at, sizeof *w->form * (size_t)(p->noutput + p->nupdate + 1));
    w->outbuf = part(&at, sizeof(ThBuffer *) * (size_t)(p->nbuf + 1));
    w->number = part(&at, sizeof(ThArray *) * (size_t)(f->nin + 1));
    w->keep = part(&at, sizeof(ThBuffer *) * (size_t)(f->nprovided + 1));
    w->cell = part(&at, sizeof *w->cell * (size_t)(f->nprovided + 1));
    w->borrowed = part(&at, sizeof(ThArray *) * (size_t)(p->noutput + 1));
    w->left = part(&at, sizeof *w->left * (size_t)(p->nhost + 1));
    w->known = part(&at, f->versions ? sizeof(int64_t) * (size_t)(p->nsym + 1) : 0);
    w->layout_bytes = plan_layout_work(p);
    w->layout_work = part(&at, w->layout_bytes);
    return (size_t)(at - start);
}

static Workspace *make(ThFunction *f) {
    size_t bytes = carve(f, NULL, NULL);
    Workspace *w = ctx_alloc0(f->ctx, bytes);
    if (!w) return NULL;
    carve(f, w, (char *)w);
    w->fn = f;
    w->renewed = true;
    w->frame.rt = &th_rt;
    w->frame.plan = f->plan;
    w->frame.ws = w;
    return w;
}

Workspace *workspace_take(ThFunction *f) {
    workspace_lock(f);
    Workspace *w = f->idle;
    if (w) f->idle = w->next;
    workspace_unlock(f);
    return w ? w : make(f);
}

void workspace_give(ThFunction *f, Workspace *w) {
    workspace_lock(f);
    w->next = f->idle;
    f->idle = w;
    workspace_unlock(f);
}

void workspace_free(Workspace *w) {
    ThFunction *f = w->fn;
    launch_free(w->launches);
    for (int i = 0; i < f->plan->noutput; i++) th_array_release(w->borrowed[i]);
    for (int i = 0; i < f->nprovided; i++) buffer_release(w->keep[i]);
    for (int i = 0; i < f->nin; i++) th_array_release(w->number[i]);
    workspace_drop(w, w->arena, w->arena_bytes);
    workspace_drop(w, w->frame.scratch, w->scratch_bytes);
    for (int i = 0; i <= HOST_SHARES; i++) workspace_drop(w, w->room[i], w->room_bytes[i]);
    workspace_drop(w, w->packed, w->packed_bytes);
    packs_free(w);
    ctx_free(f->ctx, w, carve(f, NULL, NULL));
}

ThArray *workspace_array(Workspace *w, int buf) {
    const Plan *p = w->fn->plan;
    const PlanBuf *b = &p->buf[buf];
    if (b->kind == BUF_INPUT) return w->arg[b->index];
    if (b->kind == BUF_SHARED) return p->shared[b->index]->value;
    return b->kind == BUF_CONST ? p->constant[b->index] : NULL;
}

static int64_t env_dim(void *u, int buf, int d) { return ARRAY_SHAPE(workspace_array(u, buf))[d]; }
static int64_t env_stride(void *u, int buf, int d) {
    const ThArray *a = workspace_array(u, buf);
    return ARRAY_STRIDES(a)[d] / (int64_t)th_dtype_bytes(a->dtype);
}

static int64_t read_int(const char *p, ThDtype d) {
    int64_t v = 0;
    dtype_cast((char *)&v, TH_INT64, 8, p, d, 0, 1);
    return v;
}

/* Element `elem` in C order: a row of a matrix, from whose start on it is read, is one too. */
static const char *element_of(const ThArray *a, int64_t elem) {
    const char *at = a->data;
    for (int d = a->ndim - 1; d > 0; d--) {
        at += elem % ARRAY_SHAPE(a)[d] * ARRAY_STRIDES(a)[d];
        elem /= ARRAY_SHAPE(a)[d];
    }
    return a->ndim ? at + elem * ARRAY_STRIDES(a)[0] : at;
}

/* Vectors of lengths may be too short: whoever asks for their element says so later. */
static int64_t env_value(void *u, int buf, int64_t elem) {
    Workspace *w = u;
    ThArray *a = workspace_array(w, buf);
    const PlanBuf *b = &w->fn->plan->buf[buf];
    if (a) return elem < a->size ? read_int(element_of(a, elem), b->dtype) : 0;
    int64_t n;
    if (!size_get(b->size, w->frame.sym, &n) || elem >= n) return 0;
    return read_int(w->frame.buf[buf] + elem * (int64_t)th_dtype_bytes(b->dtype), b->dtype);
}

static ShapeEnv env(Workspace *w) { return (ShapeEnv){env_dim, env_stride, env_value, w, {0, 0}, 0}; }

/* Writes the signature of the current arguments; true when it equals the last call's. */
static bool same_signature(Workspace *w) {
    const ThFunction *f = w->fn;
    int64_t *s = w->sig, diff = !w->valid;
#define PUT(v) \
    do { \
        int64_t v_ = (v); \
        diff |= *s ^ v_; \
        *s++ = v_; \
    } while (0)
    for (int i = 0; i < f->nin; i++) {
        const ThArray *a = w->arg[i];
        for (int d = 0; d < 2 * a->ndim; d++) PUT(a->dims[d]);
    }
    for (int i = 0; i < f->plan->nsig; i++) PUT(env_value(w, f->plan->sig[i].buf, f->plan->sig[i].elem));
    for (int i = 0; i < f->plan->nshared; i++)
        PUT((int64_t)atomic_load_explicit(&f->plan->shared[i]->stamp, memory_order_relaxed));
#undef PUT
    return !diff;
}

/* A size of step s's kernel; one that only a later step finds makes products pack elsewhere. */
static int64_t local_size(Packing *q, const Step *s, Size z) {
    if (z.sym < 0) return z.k;
    int64_t v = q->sym[s->sym[z.sym]];
    q->late |= v == SIZE_UNKNOWN;
    return v == SIZE_UNKNOWN ? 0 : z.k * v;
}

/* Of products in outer loops; by their lengths alone. */
static size_t batch_scratch(ThContext *c, Packing *q, const Step *s, const Kernel *k, const GemmArgs *g) {
    int64_t turn[KDIM][GEMM_TURN] = {{0}};
    for (int d = 0; d < k->nouter; d++) turn[d][GEMM_TURNS] = local_size(q, s, k->dim[d].n);
    return gemm_batch_scratch(c, g, &(GemmTurns){k->nouter, turn});
}

size_t workspace_packing(const Plan *p, Packing *q) {
    size_t most = 0;
    for (int i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];
        if (s->kind != STEP_KERNEL) continue;
        const Kernel *k = p->kernel[s->kernel];
        for (int j = 0; j < k->st.n; j++) {
            const Stage *st = &k->st.at[j];
            if (st->cls != STAGE_GEMM) continue;
            const Access *a = &k->acc.at[st->A], *b = &k->acc.at[st->B], *c = &k->acc.at[st->C];
            int m = st->d0;
            GemmArgs g = {.dtype = c->dtype,
                          .m = local_size(q, s, k->dim[m].n),
                          .n = local_size(q, s, k->dim[m + 1].n),
                          .k = local_size(q, s, k->dim[m + 2].n),
                          .ars = local_size(q, s, a->st[m]),
                          .acs = local_size(q, s, a->st[m + 2]),
                          .brs = local_size(q, s, b->st[m + 2]),
                          .bcs = local_size(q, s, b->st[m + 1]),
                          .crs = local_size(q, s, c->st[m]),
                          .ccs = local_size(q, s, c->st[m + 1]),
                          .alpha = 1,
                          .alone = q->alone,
                          .room = q->room};
            size_t need = kernel_is_batch(k) ? batch_scratch(p->ctx, q, s, k, &g) : gemm_scratch_bytes(&g);
            if (need > most) most = need;
        }
    }
    return most;
}

void workspace_addresses(Workspace *w) {
    const Plan *p = w->fn->plan;
    for (int b = 0; b < p->nbuf; b++) {
        if (p->buf[b].kind == BUF_TEMP && !p->buf[b].late) w->frame.buf[b] = w->arena + w->offset[b];
        else if (p->buf[b].kind == BUF_CONST) w->frame.buf[b] = p->constant[p->buf[b].index]->data;
    }
}

static int new_shapes(Workspace *w) {
    const ThFunction *f = w->fn;
    const Plan *p = f->plan;
    w->valid = false;
    w->together = (Together){0};
    for (int i = 0; i < p->noutput + p->nupdate; i++) w->form[i].there = false;
    ShapeEnv e = env(w);
    for (int i = 0; i < p->nsym; i++) w->frame.sym[i] = SIZE_UNKNOWN;
    int bad = shape_run(p, 0, p->nshape_static, w->frame.sym, &e);
    if (bad) {
        report_check(w, bad - 1, &e);
        return 1;
    }
    w->fixed = true;
    for (int i = 0; i < p->nsym; i++) w->fixed &= w->frame.sym[i] != SIZE_UNKNOWN;
    int64_t total = plan_layout(p, w->frame.sym, w->offset, w->layout_work, w->layout_bytes);
    if (total < 0) {
        report_no_room(w, -1);
        return 1;
    }
    if (!workspace_fits(w, total)) return 1;
    if (!bytes_fit((uint64_t)total + 64) || !workspace_grow(w, &w->arena, &w->arena_bytes, (size_t)total + 64)) {
        report_no_room(w, -1);
        return 1;
    }
    char *scratch = w->frame.scratch;
    if (!workspace_grow(w, &scratch, &w->scratch_bytes, workspace_registers(f) + w->packing)) return 1;
    w->frame.scratch = scratch;
    workspace_addresses(w);
    atomic_fetch_add_explicit(&w->fn->habits.lengths, 1, memory_order_relaxed);
    if (f->versions) versions_sign(w->fn, w);
    if (f->tune) tune_sign(w->fn, w);
    w->valid = true;
    return 0;
}

/* Memory of the last call may serve again: it is large enough and nothing that this call reads lies in it. */
static bool serves(const Workspace *w, const ThBuffer *b, size_t bytes) {
    const ThFunction *f = w->fn;
    if (!b || (buffer_special(b) & f->minds) || b->bytes < bytes || (b->bytes / 4 > bytes + 4096 && !b->wrapped))
        return false;
    for (int i = 0; i < f->nin; i++)
        if (w->arg[i]->buf == b) return false;
    for (int i = 0; i < f->plan->nshared; i++)
        if (f->plan->shared[i]->value->buf == b) return false;
    return true;
}

/* Fresh memory, in a call that is not bound together with the header of the result that lies there alone. */
static ThBuffer *fresh(Workspace *w, const FnOut *o, size_t bytes) {
    const ThFunction *f = w->fn;
    if (w->bound || o->result < 0) return buffer_new(f->ctx, bytes);
    const int ndim = f->plan->result[o->result].ndim;
    ThArray *a;
    ThBuffer *b = buffer_new_array(f->ctx, bytes, ndim, &a);
    if (!b) return NULL;
    a->ndim = (int16_t)ndim; /* as array_reserve leaves it */
    a->buf = NULL;
    w->result[o->result] = a;
    return b;
}

/* Memory for one result: a cell, that of the last call, or fresh from the context's free list. */
static bool provide(Workspace *w, int i) {
    const ThFunction *f = w->fn;
    const FnOut *o = &f->out[i];
    const PlanBuf *b = &f->plan->buf[o->buf];
    int64_t bytes;
    if (!size_bytes(b->size, w->frame.sym, (ThDtype)b->dtype, &bytes)) return report_no_room(w, o->buf), false;
    bool again = o->borrow || (w->bound && o->kept);
    if (again && serves(w, w->keep[i], (size_t)bytes)) {
        buffer_retain(w->outbuf[o->buf] = w->keep[i]);
    } else {
        if (!(w->outbuf[o->buf] = fresh(w, o, (size_t)bytes))) return report_no_room(w, o->buf), false;
        w->renewed = true;
        if (again) {
            buffer_release(w->keep[i]);
            buffer_retain(w->keep[i] = w->outbuf[o->buf]);
        }
    }
    w->frame.buf[o->buf] = w->outbuf[o->buf]->data;
    return true;
}

/* What goes to the host's memory has room there, as far as lengths are known yet. */
static bool in_bounds(Workspace *w) {
    const Plan *p = w->fn->plan;
    for (int i = 0; i < p->noutput; i++) {
        const PlanValue *v = &p->result[i];
        int64_t bytes = (int64_t)th_dtype_bytes(v->dtype), n;
        bool known = w->most[i] > 0;
        for (int d = 0; d < v->ndim && known; d++)
            known = size_get(v->shape[d], w->frame.sym, &n) && !__builtin_mul_overflow(bytes, n, &bytes);
        if (known && (size_t)bytes > w->most[i])
            return report_room(w, p->result[i].buf, "result %d takes %lld bytes, the host's memory for it has %zu", i,
                               (long long)bytes, w->most[i]);
    }
    return true;
}

static bool outputs(Workspace *w) {
    const ThFunction *f = w->fn;
    if (w->most && !in_bounds(w)) return false;
    for (int i = 0; i < f->nprovided; i++) {
        const FnOut *o = &f->out[i];
        if (w->values && o->scalar >= 0) w->frame.buf[o->buf] = (char *)&w->cell[i];
        else if (!provide(w, i)) return false;
    }
    return true;
}

/* Sizes are the host's business, wherever the integers that give them live. */
static bool sizes_there(Workspace *w) {
    const Plan *p = w->fn->plan;
    for (int i = 0; i < p->nsig; i++)
        if (!array_usable(w->fn->ctx, workspace_array(w, p->sig[i].buf))) return false;
    return true;
}

int workspace_prepare(Workspace *w) {
    const ThFunction *f = w->fn;
    const Plan *p = f->plan;
    for (int i = 0; i < p->nshared; i++) {
        ThBuffer *b = p->shared[i]->value->buf;
        if ((buffer_special(b) & f->minds) && !buffer_ask(f->ctx, b, p->shared_written[i])) return 1;
        w->frame.buf[f->shared_buf[i]] = p->shared[i]->value->data;
    }
    if (!sizes_there(w)) return 1;
    if (!same_signature(w)) {
        if (new_shapes(w)) return 1;
        w->renewed = true;
    }
    for (int i = 0; i < f->nin; i++) w->frame.buf[f->in_buf[i]] = w->arg[i]->data;
    return !outputs(w);
}

bool workspace_steady(Workspace *w) {
    const ThFunction *f = w->fn;
    const Plan *p = f->plan;
    const int64_t *sig = w->sig + f->nsig - p->nshared - p->nsig;
    for (int i = 0; i < p->nsig; i++) {
        if (buffer_special(workspace_array(w, p->sig[i].buf)->buf)) return false;
        if (env_value(w, p->sig[i].buf, p->sig[i].elem) != *sig++) return false;
    }
    for (int i = 0; i < p->nshared; i++) {
        Shared *s = p->shared[i];
        int64_t stamp = (int64_t)atomic_load_explicit(&s->stamp, memory_order_relaxed);
        if (buffer_special(s->value->buf) & f->minds) return false;
        if (s->value->data != w->frame.buf[f->shared_buf[i]] || stamp != *sig++) return false;
    }
    for (int i = 0; i < f->nprovided; i++)
        if (buffer_special(w->keep[i]) & f->minds) return false;
    return true;
}

/* What fill_whole made of the same sizes before. */
static void fill_again(const Form *m, const PlanValue *v, ThBuffer *b, ThArray *a) {
    const int numbers = 2 * v->ndim;
    atomic_init(&a->refs, 1);
    a->dtype = v->dtype;
    a->flags = m->flags;
    a->ndim = (int16_t)v->ndim;
    a->buf = b;
    a->data = b->data + m->at;
    a->size = m->size;
    for (int i = 0; i < numbers; i++) a->dims[i] = m->dims[i];
}

static void remember(Form *m, const ThArray *a) {
    m->there = true;
    m->flags = a->flags;
    m->size = a->size;
    m->at = a->data - a->buf->data;
    for (int i = 0; i < 2 * a->ndim; i++) m->dims[i] = a->dims[i];
}

static void fill_whole(Workspace *w, const PlanValue *v, ThArray *a) {
    const int64_t *sym = w->frame.sym;
    int64_t shape[TH_MAX_NDIM], strides[TH_MAX_NDIM], item = (int64_t)th_dtype_bytes(v->dtype);
    for (int d = 0; d < v->ndim; d++) {
        shape[d] = size_value(v->shape[d], sym);
        strides[d] = size_value(v->stride[d], sym) * item;
    }
    const ThArray *base = workspace_array(w, v->buf);
    ThBuffer *b = base ? base->buf : w->outbuf[v->buf];
    char *start = base ? base->data : b->data;
    if (!base && w->fn->sole[v->buf]) w->outbuf[v->buf] = NULL; /* its reference goes to the array */
    else buffer_retain(b);
    array_fill(a, b, start + size_value(v->off, sym) * item, v->dtype, v->ndim, shape, strides);
    if (base) a->flags |= base->flags & ARRAY_READONLY;
    a->flags |= v->flags;
    if (a->size == 0) a->data = start;
}

void workspace_fill(Workspace *w, const PlanValue *v, int form, ThArray *a) {
    Form *m = &w->form[form];
    if (m->there) {
        fill_again(m, v, w->outbuf[v->buf], a);
        w->outbuf[v->buf] = NULL; /* its reference goes to the array */
        return;
    }
    fill_whole(w, v, a);
    const bool own = w->fixed && w->fn->sole[v->buf] && !w->fn->plan->buf[v->buf].late && v->ndim <= FORM_DIMS;
    if (own) remember(m, a);
}

/* ---- th_rt: what generated code and the interpreter call back ---- */
/* Work may be left half done where no step writes what outlives the call. */
static atomic_bool *may_leave(ThFrame *f) {
    if (f->plan->first_write < f->plan->nstep) return NULL;
    atomic_store_explicit(&f->ws->early, false, memory_order_relaxed);
    return &f->ws->early;
}

static int left_early(ThFrame *f, atomic_bool *early) {
    return early && atomic_load_explicit(early, memory_order_relaxed) && !err_stopped(f->plan->ctx);
}

/* All turns have the same right operand. */
static bool same_right(const GemmTurns *t) {
    for (int d = 0; d < t->n; d++)
        if (t->turn[d][GEMM_TURN_B]) return false;
    return true;
}

static int rt_gemm(ThFrame *f, const RtProduct *p) {
    GemmArgs g = {.dtype = (ThDtype)p->dtype,
                  .m = p->m,
                  .n = p->n,
                  .k = p->k,
                  .a = p->a,
                  .ars = p->as[0],
                  .acs = p->as[1],
                  .b = p->b,
                  .brs = p->bs[0],
                  .bcs = p->bs[1],
                  .c = p->c,
                  .crs = p->cs[0],
                  .ccs = p->cs[1],
                  .alpha = p->alpha,
                  .beta = p->beta,
                  .done = p->done,
                  .user = p->user};
    const GemmTurns t = {p->turns, p->turn};
    Workspace *w = f->ws;
    ThContext *c = f->plan->ctx;
    g.alone = w->alone, g.room = w->pack_room;
    if (same_right(&t) && packs_use(w, &g)) return 1;
    bool more = w->alone && !w->pack_room && gemm_shares(c, gemm_batch_flops(&g, &t));
    if (more) g.alone = false; /* there are threads since the sizes were found, and they want room of their own */
    more |= w->late_products;
    if (more && !workspace_more(w, &w->packed, &w->packed_bytes, gemm_batch_scratch(c, &g, &t) + 64)) return 1;
    g.early = may_leave(f);
    return gemm_batch(c, &g, &t, more ? w->packed : f->scratch, more ? w->packed_bytes : w->packing) ||
           left_early(f, g.early);
}

static int host_fail(HostCall *h, ThError kind, const char *text) {
    ThFrame *f = h->frame;
    snprintf(f->ws->host_text, sizeof f->ws->host_text, "%s", text);
    f->err[2] = kind;
    return 1;
}

static void host_parallel(HostCall *h, int n, void (*fn)(int i, void *user), void *user) {
    parallel_for(h->ctx, n, fn, user);
}

static void *host_room(HostCall *h, uint64_t bytes) {
    Workspace *w = ((ThFrame *)h->frame)->ws;
    if (!bytes_fit(bytes)) return err_bytes(h->ctx, SIZE_MAX), NULL;
    return workspace_more(w, &w->room[h->share], &w->room_bytes[h->share], (size_t)bytes) ? w->room[h->share] : NULL;
}

static void drop_left(Workspace *w, Left *l) {
    if (!l->at) return;
    for (int i = 0; i < l->n; i++) th_array_release(l->at[i]);
    ctx_free(w->fn->ctx, l->at, sizeof *l->at * (size_t)l->n);
    *l = (Left){NULL, 0};
    w->nleft--;
}

void workspace_drop_left(Workspace *w) {
    for (int i = 0; i < w->fn->plan->nhost; i++) drop_left(w, &w->left[i]);
}

static bool host_leave(HostCall *h, ThArray *const *arrays, int n) {
    Workspace *w = ((ThFrame *)h->frame)->ws;
    Left *l = &w->left[h->number];
    drop_left(w, l);
    if (!(l->at = ctx_alloc(h->ctx, sizeof *l->at * (size_t)n))) return false;
    for (l->n = 0; l->n < n; l->n++) l->at[l->n] = th_array_retain(arrays[l->n]);
    w->nleft++;
    return true;
}

static ThArray *const *host_left(HostCall *h, int64_t number, int *n) {
    ThFrame *f = h->frame;
    if (number < 0 || number >= f->plan->nhost) return NULL;
    *n = f->ws->left[number].n;
    return f->ws->left[number].at;
}

/* An array header over a described value without any allocation. */
typedef struct HostArray {
    ThArray a;
    int64_t dims[2 * TH_MAX_NDIM];
} HostArray;

/* False: a length is not known, or does not fit. *to: NULL for what is no array. base: where its buffer begins. */
static bool host_array(ThFrame *f, const PlanValue *v, char *base, ThBuffer *on, HostArray *h, ThArray **to) {
    int64_t item = (int64_t)th_dtype_bytes(v->dtype), want = item, n, st;
    ThArray *a = &h->a;
    *to = NULL;
    if (v->buf < 0) return true;
    *a = (ThArray){.dtype = v->dtype, .flags = ARRAY_CONTIGUOUS, .ndim = v->ndim, .buf = on, .size = 1};
    atomic_init(&a->refs, 1);
    if (!size_get(v->off, f->sym, &n)) return false;
    a->data = (char *)((uintptr_t)base + (uintptr_t)(n * item)); /* of nothing, there may be no base */
    for (int d = v->ndim - 1; d >= 0; d--) {
        if (!size_get(v->shape[d], f->sym, &n) || n < 0 || !size_get(v->stride[d], f->sym, &st)) return false;
        a->dims[d] = n;
        a->dims[v->ndim + d] = st *= item;
        if (n != 1 && st != want) a->flags = 0;
        want *= n;
        a->size *= n;
    }
    *to = a;
    return true;
}

static int assign_host(HostCall *h, ThArray *to, const ThArray *from) {
    (void)h;
    return th_array_assign(to, from);
}

/* By the host's functions, out of copies of theirs. */
static int ranks_host(HostCall *h, const RanksWork *w) {
    const ThRanks *r = &h->ctx->ranks;
    size_t bytes = (size_t)w->x->size * th_dtype_bytes((ThDtype)w->x->dtype);
    char why[400] = "";
    if (!r->size)
        return host_error(h, TH_RuntimeError, "this process is no rank of a job (theano.mpi): nothing to reduce over");
    int bad = w->waits
                  ? r->wait(r->user, w->z->data, w->to->data, bytes, why, sizeof why)
                  : r->start(r->user, w->op, (ThDtype)w->x->dtype, w->x->size, w->x->data, w->z->data, why, sizeof why);
    return bad ? host_error(h, TH_RuntimeError, "mpi: %s", why) : 0;
}

static const HostServices host_services = {
    .conv = conv_host,
    .pool = pool_host,
    .fft = fft_host,
    .factor = factor_host,
    .cumulate = cumulate_host,
    .sort = sort_host,
    .search = search_host,
    .unique = unique_host,
    .count = nonzero_count_host,
    .nonzero = nonzero_host,
    .repeat = nonzero_repeat_host,
    .assign = assign_host,
    .pick = pick_host,
    .ctc = ctc_host,
    .attention = attention_host,
    .ranks = ranks_host,
};

static HostCall host_begin(ThFrame *f) {
    f->ws->host_text[0] = 0;
    return (HostCall){.ctx = f->plan->ctx,
                      .checked = f->ws->fn->checked,
                      .scratch = f->scratch,
                      .room = host_room,
                      .fail = host_fail,
                      .lib = &host_services,
                      .parallel = host_parallel,
                      .leave = host_leave,
                      .left = host_left,
                      .frame = f,
                      .early = may_leave(f)};
}

static int call_failed(ThFrame *f, int step) {
    ThContext *c = f->plan->ctx;
    return f->rt->fail(f, step, failed(c) ? (int)th_error(c) : TH_MemoryError, 0, 0, 0, 0, 0);
}

static int rt_conv(ThFrame *f, int step, const CallWork *conv, const CallWork *pool, char **at) {
    HostCall call = host_begin(f);
    return conv_call(&call, conv, pool, at) || left_early(f, call.early) ? call_failed(f, step) : 0;
}

static int rt_pool(ThFrame *f, int step, const CallWork *pool) {
    HostCall call = host_begin(f);
    return pool_call(&call, pool) || left_early(f, call.early) ? call_failed(f, step) : 0;
}

static int rt_draw(ThFrame *f, int step, const CallWork *draw, RandomDone done, void *user) {
    HostCall call = host_begin(f);
    f->err[2] = TH_MemoryError;
    if (!draw_call(&call, draw, done, user)) return 0;
    ThContext *c = f->plan->ctx;
    return f->rt->fail(f, step, failed(c) ? (int)th_error(c) : (int)f->err[2], 0, 0, 0, 0, 0);
}

/* Arrays over the operands of a host call; false: a length is not known. */
static bool host_operands(ThFrame *f, const PlanHost *h, const HostSide *side, ThBuffer *on, HostArray *room,
                          ThArray **arr) {
    for (int n = 0; n < h->nin + h->nout; n++) {
        const PlanValue *v = n < h->nin ? &h->in[n] : &h->out[n - h->nin];
        char *base = side ? side->base[n] : v->buf >= 0 ? f->buf[v->buf] : NULL;
        if (!host_array(f, v, base, on, &room[n], &arr[n])) return false;
    }
    return true;
}

/* Where the heads of sparse operands are read. */
static const int64_t *const *host_heads(const HostSide *side, ThArray *const *in, int n, const int64_t **head) {
    for (int i = 0; i < n; i++)
        head[i] = side->head[i] ? (const int64_t *)(const void *)(side->head[i] + (in[i]->data - side->base[i])) : NULL;
    return head;
}

int workspace_host_call(ThFrame *f, int step, const HostSide *side) {
    enum { MOST = 2 * TH_MAX_NDIM };
    const PlanHost *h = &f->plan->host[f->plan->step[step].host];
    ThContext *c = f->plan->ctx;
    HostArray room[MOST];
    ThArray *arr[MOST];
    const int64_t *head[MOST];
    ThBuffer on = {.wrapped = true, .ctx = c};
    if (h->nin + h->nout > MOST) {
        err(c, TH_RuntimeError, "host call with too many operands");
        return 1;
    }
    atomic_init(&on.refs, 1);
    if (!host_operands(f, h, side, &on, room, arr)) return f->rt->fail(f, step, TH_RuntimeError, 0, 0, 0, 0, 0);
    HostCall call = host_begin(f);
    call.op = h->op, call.attrs = h->attrs;
    call.in = arr, call.out = arr + h->nin;
    call.nin = h->nin, call.nout = h->nout;
    call.number = f->plan->step[step].host;
    if (side) call.lib = side->lib, call.gpu = side->gpu, call.head = host_heads(side, arr, h->nin, head);
    f->err[2] = TH_RuntimeError;
    atomic_fetch_add_explicit(&c->hosting, 1, memory_order_relaxed);
    int bad = h->fn(&call) || left_early(f, call.early);
    atomic_fetch_sub_explicit(&c->hosting, 1, memory_order_relaxed);
    if (!bad) return 0;
    return f->rt->fail(f, step, failed(c) ? (int)th_error(c) : (int)f->err[2], 0, 0, 0, 0, 0);
}

static int rt_host_call(ThFrame *f, int step) { return workspace_host_call(f, step, NULL); }

static int rt_size_step(ThFrame *f, int first, int n) {
    ShapeEnv e = env(f->ws);
    int bad = shape_run(f->plan, first, n, f->sym, &e);
    if (bad) {
        f->err[0] = -1;
        report_check(f->ws, bad - 1, &e);
        return 1;
    }
    return 0;
}

static int rt_late_alloc(ThFrame *f, int buf) {
    Workspace *w = f->ws;
    const PlanBuf *p = &f->plan->buf[buf];
    int64_t bytes;
    bool fits = size_bytes(p->size, f->sym, (ThDtype)p->dtype, &bytes);
    if (fits && w->outbuf[buf] && w->outbuf[buf]->bytes >= (size_t)bytes) return 0; /* an earlier turn made it */
    int64_t had = w->outbuf[buf] ? (int64_t)buffer_room(w->outbuf[buf]->bytes) : 0;
    int64_t more = fits ? (int64_t)buffer_room((size_t)bytes) - had : 0;
    if (!workspace_may(w, more)) return f->rt->fail(f, -1, TH_MemoryError, 0, 0, 0, 0, 0);
    w->late_bytes += more;
    ThBuffer *b = fits ? buffer_new(f->plan->ctx, (size_t)bytes) : NULL;
    if (!b) {
        report_no_room(w, buf);
        return f->rt->fail(f, -1, TH_OK, 0, 0, 0, 0, 0);
    }
    if (w->outbuf[buf]) buffer_release(w->outbuf[buf]);
    w->outbuf[buf] = b;
    f->buf[buf] = b->data;
    return 0;
}

static bool polled(Workspace *w) {
    if (w->passed > 0) w->passed--;
    else if (w->yield) w->yield(w->yield_to);
    return w->given_up || ctx_stopped(w->fn->ctx) || (w->until && base_now() > w->until);
}

static int rt_poll(ThFrame *f) {
    Workspace *w = f->ws;
    return w->looked ? polled(w) : ctx_stopped(f->plan->ctx);
}

static int rt_fail(ThFrame *f, int step, int kind, int n, int64_t v0, int64_t v1, int64_t v2, int64_t v3) {
    const int64_t e[8] = {step, step >= 0 ? f->plan->step[step].node : -1, kind, n, v0, v1, v2, v3};
    memcpy(f->err, e, sizeof e);
    return 1;
}

static void rt_parallel(ThFrame *f, int n, void (*fn)(int i, void *user), void *user) {
    parallel_for(f->plan->ctx, n, fn, user);
}

const ThRt th_rt = {TH_RT_ABI, sizeof(ThRt), rt_gemm,     rt_host_call, rt_size_step, rt_late_alloc,
                    rt_poll,   rt_fail,      rt_parallel, rt_conv,      rt_pool,      rt_draw};
