/*
 * sides.c -- who holds a value of a call, and its way to the other side and back.
 *
 * In: buffers of a frame. Out: their values where they are asked for. Arrays that live on the device (shared variables,
 * results, arguments that do) have sides of their own (device/space.h), which outlive the call; temporaries lie in an
 * arena there as they do on the host; everything else has a mirror, which the workspace keeps.
 *
 * Always holds: a buffer's own side has its value where its `special` says so, at any time; arguments without a side
 * and storages that cannot have one are as they were when a call fails, since what comes back for them waits aside
 * until everything is there.
 */
#include "sides.h"

#include <stdio.h>
#include <string.h>

enum { ON_HOST = 1, ON_DEVICE = 2 }; /* who has a buffer's value */
enum { HEAD = 64 };                  /* bytes that tell the lengths of a sparse matrix */

struct Side {
    char *host; /* first byte of what it mirrors */
    size_t bytes, room;
    DeviceAddress
        mirror; /* its own memory, of `room` bytes; `at`: where it lies in this call, which may be elsewhere */
    DeviceAddress at;
    uint8_t has;
    bool ready;   /* in this call: its memory may be used in the queue */
    bool head;    /* the device has the value, and the host the first HEAD bytes of it */
    bool asked;   /* in this call, whether it lies in.. */
    bool retains; /* ..`of`, a buffer that a later step of the call may let go */
    ThBuffer *of; /* a buffer with a side of its own; NULL: a mirror */
};

static const DeviceOps *ops(const Sides *m) { return m->q->device->op; }

int sides_fail(Sides *m, ThFrame *f) {
    Workspace *w = f->ws;
    int kind = (int)th_error(m->c);
    snprintf(w->host_text, sizeof w->host_text, "%.380s", th_error_text(m->c));
    th_error_clear(m->c);
    return f->rt->fail(f, m->step, kind, 0, 0, 0, 0, 0);
}

int sides_refuse(Sides *m, ThFrame *f, DeviceStatus s) {
    char planned[48];
    device_error(m->c, m->q, s, "a function runs");
    if (s == DEVICE_NO_MEMORY)
        err_more(m->c, "; this call plans %s", text_bytes(planned, sizeof planned, atomic_load(&f->ws->fn->planned)));
    return sides_fail(m, f);
}

#define TRY(call) \
    do { \
        DeviceStatus s_ = (call); \
        if (s_) return sides_refuse(m, f, s_); \
    } while (0)

/* What is changed in place is changed for good from first_write on: a driver that refuses once is asked again. */
#define SURELY(call) \
    do { \
        DeviceStatus s_ = (call); \
        if (s_ == DEVICE_FAILED || s_ == DEVICE_NO_MEMORY) s_ = (call); \
        if (s_) return sides_refuse(m, f, s_); \
    } while (0)

/* ---- life -------------------------------------------------------------------------------------------------------- */
static DeviceSpace *space(const Sides *m) { return m->q->device->space; }

static void find_roots(Sides *m) {
    const Plan *p = m->plan;
    for (int b = 0; b < p->nbuf; b++) m->root[b] = b;
    for (int i = 0; i < p->nwindow; i++) m->root[p->window[i].buf] = p->window[i].of;
    for (int b = 0; b < p->nbuf; b++)
        while (m->root[m->root[b]] != m->root[b]) m->root[b] = m->root[m->root[b]];
}

bool sides_init(Sides *m) {
    size_t n = (size_t)m->plan->nbuf + 1;
    m->life = m->q->device->life;
    m->of = ctx_alloc0(m->c, sizeof *m->of * n);
    m->root = m->of ? ctx_alloc(m->c, sizeof *m->root * n) : NULL;
    m->used = m->root ? ctx_alloc(m->c, sizeof *m->used * n) : NULL;
    m->turn = m->used ? ctx_alloc0(m->c, sizeof *m->turn * n) : NULL;
    if (m->turn) find_roots(m);
    return m->turn != NULL;
}

static void let_go(Side *r) {
    if (r->retains) buffer_release(r->of);
    r->of = NULL;
    r->asked = r->retains = r->ready = r->head = false;
}

void sides_free(Sides *m) {
    size_t n = (size_t)m->plan->nbuf + 1;
    if (m->q->stream && m->life == m->q->device->life) ops(m)->wait(m->q);
    for (int b = 0; m->of && b < m->plan->nbuf; b++) {
        let_go(&m->of[b]);
        space_give(space(m), m->of[b].mirror, m->of[b].room, NULL, m->life);
    }
    space_give(space(m), m->arena, m->arena_bytes, NULL, m->life);
    if (m->stage && m->life == m->q->device->life) ops(m)->unpin(m->q, m->stage);
    ctx_free(m->c, m->of, sizeof *m->of * n);
    ctx_free(m->c, m->root, sizeof *m->root * n);
    ctx_free(m->c, m->used, sizeof(ThBuffer *) * n);
    ctx_free(m->c, m->turn, sizeof *m->turn * n);
}

/* The device was lost since the last call: what lay there is gone. */
static void start_anew(Sides *m) {
    for (int b = 0; b < m->plan->nbuf; b++) {
        Side *r = &m->of[b];
        space_give(space(m), r->mirror, r->room, NULL, m->life);
        *r = (Side){.has = 0};
    }
    space_give(space(m), m->arena, m->arena_bytes, NULL, m->life);
    m->arena = 0;
    m->arena_bytes = m->stage_bytes = 0;
    m->stage = NULL;
    m->life = m->q->device->life;
}

/* A value that bound functions and the like may read at any time stays on the host between calls. */
static bool held(const ThFrame *f, const ThArray *a) {
    return atomic_load(&a->buf->pins) > (f->ws->fn->calls_back ? 1 : 0);
}

/* It lives on another device: it comes to the host and goes over from there. */
static bool elsewhere(const Sides *m, const ThBuffer *b) { return space_of(b) && space_of(b) != m->q->device; }

static int begin(Sides *m, ThFrame *f, int b) {
    const PlanBuf *p = &m->plan->buf[b];
    Side *r = &m->of[b];
    const ThArray *a = workspace_array(f->ws, b);
    bool fixed = p->kind == BUF_CONST && r->has; /* it is there since an earlier call */
    let_go(r);
    if (!fixed) r->has = a ? ON_HOST : 0;
    bool stays = a && (held(f, a) || !space_can(a->buf) || elsewhere(m, a->buf));
    if (stays && buffer_special(a->buf) && !buffer_ask(m->c, a->buf, true)) return sides_fail(m, f);
    if (!a && f->ws->outbuf[b] && buffer_special(f->ws->outbuf[b])) buffer_set_special(f->ws->outbuf[b], 0);
    return 0;
}

int sides_begin(Sides *m, ThFrame *f) {
    if (m->life != m->q->device->life) start_anew(m);
    for (int b = 0; b < m->plan->nbuf; b++)
        if (begin(m, f, b)) return 1;
    return 0;
}

/* ---- where a buffer lies ----------------------------------------------------------------------------------------- */
/* A result that is written at one address at every call, and goes to its own memory at the end. */
static bool moves(const Sides *m, ThFrame *f, int b) {
    enum { MOST = 1 << 24 }; /* bytes that a copy on the device costs nothing beside a call */
    const ThBuffer *to = f->ws->outbuf[b];
    return m->steady && m->plan->buf[b].kind == BUF_OUTPUT && !m->plan->buf[b].late && to && to->bytes <= MOST;
}

/* The buffer whose own side it is: shared variables and results live here, arguments where they did before. */
static ThBuffer *own_side(Sides *m, ThFrame *f, int b) {
    const PlanBuf *p = &m->plan->buf[b];
    const ThArray *a = workspace_array(f->ws, b);
    if (p->kind == BUF_CONST) return NULL;
    if (moves(m, f, b) || (m->steady && p->late && p->kind == BUF_TEMP)) return NULL;
    if (!a) return f->ws->outbuf[b] && space_can(f->ws->outbuf[b]) ? f->ws->outbuf[b] : NULL;
    if (!space_can(a->buf) || held(f, a) || elsewhere(m, a->buf)) return NULL;
    if (p->kind == BUF_SHARED) return m->plan->shared[p->index]->on_host ? NULL : a->buf;
    return space_of(a->buf) ? a->buf : NULL;
}

static ThBuffer *storage(Sides *m, ThFrame *f, int b) {
    Side *r = &m->of[b];
    if (r->asked) return r->of;
    r->asked = true;
    r->of = own_side(m, f, b);
    r->retains = r->of && m->plan->buf[b].late;
    if (r->retains) buffer_retain(r->of);
    return r->of;
}

static bool in_arena(const Sides *m, int b) { return m->plan->buf[b].kind == BUF_TEMP && !m->plan->buf[b].late; }

/* The bytes of an array: [*from, *from + result). */
static size_t span(const ThArray *a, char **from) {
    int64_t low = 0, high = 0, item = (int64_t)th_dtype_bytes((ThDtype)a->dtype);
    *from = a->data;
    if (!a->size) return 0;
    for (int d = 0; d < a->ndim; d++) {
        int64_t reach = (ARRAY_SHAPE(a)[d] - 1) * ARRAY_STRIDES(a)[d];
        if (reach < 0) low += reach;
        else high += reach;
    }
    *from += low;
    return (size_t)(high - low + item);
}

/* Where a buffer lies on the host now, and how much of it there is. */
static size_t extent(const Sides *m, ThFrame *f, int b, char **from) {
    const PlanBuf *p = &m->plan->buf[b];
    const ThArray *a = workspace_array(f->ws, b);
    int64_t bytes = 0;
    if (a) return span(a, from);
    *from = f->buf[b];
    return size_bytes(p->size, f->sym, (ThDtype)p->dtype, &bytes) ? (size_t)bytes : 0;
}

static int fit_arena(Sides *m, ThFrame *f) {
    DeviceMark *mark;
    size_t bytes = f->ws->arena_bytes;
    if (m->arena && m->arena_bytes >= bytes) return 0;
    if (m->arena) {
        TRY(space_mark(m->q, &mark));
        space_give(space(m), m->arena, m->arena_bytes, mark, m->life);
        space_mark_release(mark);
    }
    m->arena = 0;
    TRY(space_take(m->q, bytes, &m->arena));
    m->arena_bytes = bytes;
    return 0;
}

static int grow(Sides *m, ThFrame *f, Side *r, size_t bytes) {
    DeviceMark *mark = NULL;
    if (r->mirror) TRY(space_mark(m->q, &mark));
    space_give(space(m), r->mirror, r->room, mark, m->life);
    space_mark_release(mark);
    r->mirror = 0, r->room = 0;
    TRY(space_take(m->q, bytes, &r->mirror));
    r->room = bytes;
    return 0;
}

/* The mirror of root buffer b, as large as it is now. */
static int fit(Sides *m, ThFrame *f, int b) {
    Side *r = &m->of[b];
    char *from;
    size_t bytes = extent(m, f, b, &from);
    if (from != r->host || bytes != r->bytes) r->has &= ON_HOST, r->head = false;
    r->host = from;
    r->bytes = bytes;
    if (in_arena(m, b)) {
        if (fit_arena(m, f)) return 1;
        r->at = m->arena + (DeviceAddress)(from - f->ws->arena);
        return 0;
    }
    if (bytes > r->room && grow(m, f, r, bytes)) return 1;
    r->at = r->mirror;
    return 0;
}

/* The same of one that has a side of its own. */
static int fit_own(Sides *m, ThFrame *f, Side *r) {
    if (r->ready) return 0;
    if (space_gone(r->of)) {
        space_lost(m->c, m->q->device);
        return sides_fail(m, f);
    }
    TRY(space_side(m->q, r->of, &r->at));
    r->host = r->of->data;
    r->bytes = r->of->bytes;
    r->has &= ON_HOST;
    if (buffer_special(r->of)) r->has |= ON_DEVICE;
    m->turn[r - m->of] = space_turn(r->of);
    r->ready = true;
    return 0;
}

/* ---- over and back ----------------------------------------------------------------------------------------------- */
int sides_to_device(Sides *m, ThFrame *f, int buf, DeviceAddress *at) {
    int b = m->root[buf];
    Side *r = &m->of[b];
    if (storage(m, f, b) ? fit_own(m, f, r) : fit(m, f, b)) return 1;
    if (r->has == ON_HOST) {
        TRY(r->of ? space_over(m->q, r->of) : ops(m)->copy_in(m->q, r->at, r->host, r->bytes));
        r->has |= ON_DEVICE;
    }
    *at = r->at + (DeviceAddress)(f->buf[buf] - r->host);
    return 0;
}

static int bring(Sides *m, ThFrame *f, Side *r) {
    if (r->of) buffer_shield(r->of, false);
    SURELY(ops(m)->copy_out(m->q, r->host, r->at, r->bytes));
    SURELY(ops(m)->wait(m->q));
    r->has |= ON_HOST;
    if (r->of) buffer_set_special(r->of, BUFFER_TWICE);
    return 0;
}

int sides_to_host(Sides *m, ThFrame *f, int buf) {
    int b = m->root[buf];
    Side *r = &m->of[b];
    if (storage(m, f, b) ? !(buffer_special(r->of) & BUFFER_AWAY) : r->has != ON_DEVICE) return 0;
    if (m->look(m, f)) return 1;
    if (r->of && fit_own(m, f, r)) return 1;
    return bring(m, f, r);
}

int sides_peek(Sides *m, ThFrame *f, int buf, int64_t at, size_t bytes) {
    int b = m->root[buf];
    Side *r = &m->of[b];
    if (storage(m, f, b) ? !(buffer_special(r->of) & BUFFER_AWAY) : r->has != ON_DEVICE) return 0;
    int64_t from = f->buf[buf] - r->host;
    if (r->head && from == 0 && at + (int64_t)bytes <= HEAD) return 0;
    if (m->look(m, f)) return 1;
    if (r->of && fit_own(m, f, r)) return 1;
    from = f->buf[buf] - r->host;
    if (from || at + (int64_t)bytes > HEAD || r->bytes <= HEAD) return bring(m, f, r);
    if (r->of) buffer_shield(r->of, false);
    SURELY(ops(m)->copy_out(m->q, r->host, r->at, HEAD));
    SURELY(ops(m)->wait(m->q));
    r->head = true;
    return 0;
}

void sides_device_wrote(Sides *m, int buf) {
    Side *r = &m->of[m->root[buf]];
    r->has = ON_DEVICE;
    r->head = false;
    if (r->of) buffer_set_special(r->of, BUFFER_AWAY);
}

void sides_host_wrote(Sides *m, int buf) {
    Side *r = &m->of[m->root[buf]];
    r->has = ON_HOST;
    r->head = false;
    if (r->of && r->of->side) buffer_set_special(r->of, 0);
}

int sides_none(Sides *m, ThFrame *f, int buf) {
    Side *r = &m->of[m->root[buf]];
    DeviceMark *mark;
    r->has = 0;
    if (!r->of) return 0;
    TRY(space_mark(m->q, &mark)); /* an earlier turn's memory may go now */
    space_used(r->of, mark);
    space_mark_release(mark);
    let_go(r);
    return 0;
}

/* ---- the end of a call ------------------------------------------------------------------------------------------- */
static bool comes_back(const Sides *m, int b) {
    const Side *r = &m->of[b];
    uint8_t kind = m->plan->buf[b].kind;
    return r->has == ON_DEVICE && !r->of && (kind == BUF_INPUT || kind == BUF_SHARED || kind == BUF_OUTPUT);
}

static int stage(Sides *m, ThFrame *f, size_t bytes) {
    if (bytes <= m->stage_bytes) return 0;
    void *fresh;
    SURELY(ops(m)->pin(m->q, bytes, &fresh));
    if (m->stage) ops(m)->unpin(m->q, m->stage);
    m->stage = fresh;
    m->stage_bytes = bytes;
    return 0;
}

/* Who uses a side next waits for what this call queued. */
static int leave_mark(Sides *m, ThFrame *f) {
    int n = 0;
    for (int b = 0; b < m->plan->nbuf; b++) {
        if (!m->of[b].of || !m->of[b].ready) continue;
        m->used[n] = m->of[b].of;
        m->turn[n++] = m->turn[b];
    }
    if (n) SURELY(space_leave(m->q, m->used, m->turn, n));
    return 0;
}

static size_t padded(size_t bytes) { return (bytes + 15) / 16 * 16; }

static int move_result(Sides *m, ThFrame *f, int b) {
    Side *r = &m->of[b];
    ThBuffer *to = f->ws->outbuf[b];
    DeviceAddress at;
    if (r->of || r->has != ON_DEVICE || !moves(m, f, b) || !space_can(to)) return 0;
    SURELY(space_side(m->q, to, &at));
    SURELY(ops(m)->copy(m->q, at, r->at, r->bytes));
    r->of = to;
    r->ready = true;
    m->turn[b] = space_turn(to);
    buffer_set_special(to, BUFFER_AWAY);
    return 0;
}

int sides_finish(Sides *m, ThFrame *f) {
    const Plan *p = m->plan;
    for (int b = 0; b < p->nbuf; b++)
        if (move_result(m, f, b)) return 1;
    size_t staged = 0;
    for (int b = 0; b < p->nbuf; b++)
        if (comes_back(m, b)) staged += padded(m->of[b].bytes);
    if (staged && stage(m, f, staged)) return 1;
    size_t at = 0;
    for (int b = 0; b < p->nbuf; b++) {
        if (!comes_back(m, b)) continue;
        SURELY(ops(m)->copy_out(m->q, m->stage + at, m->of[b].at, m->of[b].bytes));
        at += padded(m->of[b].bytes);
    }
    if (leave_mark(m, f)) return 1;
    if (staged) SURELY(ops(m)->wait(m->q));
    at = 0;
    for (int b = 0; b < p->nbuf; b++) { /* nothing fails from here on */
        Side *r = &m->of[b];
        if (!comes_back(m, b)) continue;
        if (r->bytes) memcpy(r->host, m->stage + at, r->bytes);
        at += padded(r->bytes);
        r->has |= ON_HOST;
    }
    for (int b = 0; b < p->nbuf; b++) let_go(&m->of[b]);
    return 0;
}

void sides_for_report(Sides *m) {
    for (int b = 0; b < m->plan->nbuf; b++) {
        Side *r = &m->of[b];
        bool away = r->of ? buffer_special(r->of) & BUFFER_AWAY : r->has == ON_DEVICE && in_arena(m, b);
        if (!away || !r->at) continue;
        if (r->of) buffer_shield(r->of, false);
        bool came = !ops(m)->copy_out(m->q, r->host, r->at, r->bytes) && !ops(m)->wait(m->q);
        if (came) r->has |= ON_HOST;
        if (r->of) buffer_set_special(r->of, came ? BUFFER_TWICE : BUFFER_AWAY);
    }
    ops(m)->wait(m->q); /* nothing of the call is at work when it is over */
    for (int b = 0; b < m->plan->nbuf; b++) let_go(&m->of[b]);
}
