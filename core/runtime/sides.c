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
#include "runtime/gpu/gpu.h"
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
    bool ready;         /* in this call: its memory may be used in the queue */
    bool stays;         /* a result that is to be on the host */
    bool head;          /* the device has the value, and the host the first HEAD bytes of it */
    bool asked;         /* in this call, whether it lies in.. */
    bool retains;       /* ..`of`, a buffer that a later step of the call may let go */
    ThBuffer *of;       /* a buffer with a side of its own; NULL: a mirror */
    ThBuffer *source;   /* of an argument: the buffer of the device that its mirror is a copy of, in this call */
    DeviceAddress last; /* where that lay in the last call */
    size_t place;       /* 1 + where the mirror lies in Sides.args */
    size_t answer;      /* where it lies in Sides.answers, while nobody else has memory for it */
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
    if (s == DEVICE_NO_MEMORY && m->step < 0) m->step = report_largest(f->ws); /* all were asked for at once */
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

enum { ANSWER = 16 }; /* bytes of the largest number */

/* Results without dimensions lie behind the error record, which comes back anyway. */
static void place_answers(Sides *m) {
    const Plan *p = m->plan;
    m->answers_bytes = SIDES_RECORD * sizeof(int64_t);
    for (int o = 0; o < p->noutput; o++) {
        int b = p->result[o].buf;
        const PlanBuf *r = &p->buf[b];
        bool one = r->kind == BUF_OUTPUT && !r->late && r->size.sym < 0 && r->size.k == 1;
        m->of[b].stays |= r->kind == BUF_OUTPUT && p->output[o].on_host;
        if (!one || m->of[b].answer) continue;
        m->of[b].answer = m->answers_bytes;
        m->answers_bytes += ANSWER;
    }
}

bool sides_init(Sides *m) {
    const Plan *p = m->plan;
    size_t n = (size_t)p->nbuf + 1;
    m->life = m->q->device->life;
    m->of = ctx_alloc0(m->c, sizeof *m->of * n);
    m->used = m->of ? ctx_alloc(m->c, sizeof *m->used * n) : NULL;
    m->turn = m->used ? ctx_alloc0(m->c, sizeof *m->turn * n) : NULL;
    m->update = m->turn ? ctx_alloc0(m->c, sizeof *m->update * n) : NULL;
    m->settles = m->update ? ctx_alloc0(m->c, (size_t)p->nupdate + 1) : NULL;
    if (!m->settles) return false;
    for (int u = 0; u < p->nupdate; u++) m->update[m->places->root[p->update[u].value.buf]] = u + 1;
    place_answers(m);
    return true;
}

static void let_go(Side *r) {
    if (r->retains) buffer_release(r->of);
    r->of = r->source = NULL;
    r->asked = r->retains = r->ready = r->head = false;
}

static void give(Sides *m, DeviceAddress *at, size_t *bytes, DeviceMark *mark) {
    space_give(space(m), *at, *bytes, mark, m->life);
    *at = 0;
    *bytes = 0;
}

static void give_blocks(Sides *m) {
    give(m, &m->arena, &m->arena_bytes, NULL);
    give(m, &m->args, &m->args_bytes, NULL);
    if (m->answers) space_give(space(m), m->answers, m->answers_bytes, NULL, m->life);
    m->answers = 0;
}

void sides_free(Sides *m) {
    size_t n = (size_t)m->plan->nbuf + 1;
    bool there = m->q->stream && m->life == m->q->device->life;
    if (there) ops(m)->wait(m->q);
    for (int b = 0; m->of && b < m->plan->nbuf; b++) {
        let_go(&m->of[b]);
        space_give(space(m), m->of[b].mirror, m->of[b].room, NULL, m->life);
    }
    give_blocks(m);
    ring_drop(&m->ring, m->q, !there);
    if (m->stage && there) ops(m)->unpin(m->q, m->stage);
    ctx_free(m->c, m->of, sizeof *m->of * n);
    ctx_free(m->c, m->used, sizeof(ThBuffer *) * n);
    ctx_free(m->c, m->turn, sizeof *m->turn * n);
    ctx_free(m->c, m->update, sizeof *m->update * n);
    ctx_free(m->c, m->settles, (size_t)m->plan->nupdate + 1);
}

/* The device was lost since the last call: what lay there is gone. */
static void start_anew(Sides *m) {
    for (int b = 0; b < m->plan->nbuf; b++) {
        Side *r = &m->of[b];
        space_give(space(m), r->mirror, r->room, NULL, m->life);
        *r = (Side){.answer = r->answer, .stays = r->stays};
    }
    give_blocks(m);
    ring_drop(&m->ring, m->q, true);
    m->stage_bytes = 0;
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
    r->place = 0;
    if (!fixed) r->has = a ? ON_HOST : 0;
    bool stays = a && (held(f, a) || !space_can(a->buf) || elsewhere(m, a->buf));
    if (stays && buffer_special(a->buf) && !buffer_ask(m->c, a->buf, true)) return sides_fail(m, f);
    if (!a && f->ws->outbuf[b] && buffer_special(f->ws->outbuf[b])) buffer_set_special(f->ws->outbuf[b], 0);
    return 0;
}

enum { MOST = 1 << 24 }; /* bytes that a copy on the device costs nothing beside a call */

/* ---- where a buffer lies ----------------------------------------------------------------------------------------- */
/* A result that is written at one address at every call, and goes to its own memory at the end. */
static bool moves(const Sides *m, ThFrame *f, int b) {
    const ThBuffer *to = f->ws->outbuf[b];
    if (m->of[b].stays) return false;
    if (m->update[b] && m->settles[m->update[b] - 1]) return true;
    return m->steady && m->plan->buf[b].kind == BUF_OUTPUT && !m->plan->buf[b].late && to && to->bytes <= MOST;
}

/* An argument of the device lies where it lay in the last call, or is not to be copied there. */
static bool stands(Sides *m, int b, const ThBuffer *a) {
    const PlanBuf *p = &m->plan->buf[b];
    Side *r = &m->of[b];
    DeviceAddress before = r->last;
    bool writes = p->index < m->plan->ninput && m->plan->input[p->index].mutable_;
    r->last = space_at(a);
    return !before || before == r->last || !m->steady || a->bytes > MOST || writes || space_gone(a);
}

/* The buffer whose own side it is: shared variables and results live here, arguments where they did before. */
static ThBuffer *own_side(Sides *m, ThFrame *f, int b) {
    const PlanBuf *p = &m->plan->buf[b];
    const ThArray *a = workspace_array(f->ws, b);
    if (p->kind == BUF_CONST || m->of[b].stays) return NULL;
    if (moves(m, f, b) || (m->steady && p->late && p->kind == BUF_TEMP)) return NULL;
    if (!a) return f->ws->outbuf[b] && space_can(f->ws->outbuf[b]) ? f->ws->outbuf[b] : NULL;
    if (!space_can(a->buf) || held(f, a) || elsewhere(m, a->buf)) return NULL;
    if (p->kind == BUF_SHARED) return m->plan->shared[p->index]->on_host ? NULL : a->buf;
    return space_of(a->buf) && stands(m, b, a->buf) ? a->buf : NULL;
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

/* A block of at least so many bytes. */
static int fit_block(Sides *m, ThFrame *f, DeviceAddress *at, size_t *have, size_t bytes) {
    DeviceMark *mark;
    if (*at && *have >= bytes) return 0;
    if (*at) {
        TRY(space_mark(m->q, &mark));
        give(m, at, have, mark);
        space_mark_release(mark);
    }
    TRY(space_take(m->q, bytes, at));
    *have = bytes;
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
        if (fit_block(m, f, &m->arena, &m->arena_bytes, f->ws->arena_bytes)) return 1;
        r->at = m->arena + (DeviceAddress)(from - f->ws->arena);
        return 0;
    }
    if (r->place) {
        if (fit_block(m, f, &m->args, &m->args_bytes, m->laid)) return 1;
        r->at = m->args + r->place - 1;
        return 0;
    }
    if (r->answer && !f->ws->outbuf[b]) {
        r->at = m->answers + r->answer;
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
    TRY(space_side(m->q, r->of, &r->at, &m->turn[r - m->of]));
    r->host = r->of->data;
    r->bytes = r->of->bytes;
    r->has &= ON_HOST;
    if (buffer_special(r->of)) r->has |= ON_DEVICE;
    r->ready = true;
    return 0;
}

/* ---- a call begins ----------------------------------------------------------------------------------------------- */
static size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

/* The arguments of the host that go over in every call lie side by side, so that they go at once. */
static void lay_arguments(Sides *m, ThFrame *f) {
    const Places *l = m->places;
    m->laid = 0;
    m->leaving = NULL;
    for (int i = 0; i < l->nover; i++) {
        const ThArray *a = workspace_array(f->ws, l->over[i]);
        char *from;
        if (storage(m, f, l->over[i]) || (space_of(a->buf) && !elsewhere(m, a->buf))) continue;
        m->of[l->over[i]].place = 1 + m->laid;
        m->laid += aligned(span(a, &from));
    }
}

static int64_t width(const PlanValue *v, const int64_t *sym, int d) { return size_value(v->shape[d], sym); }

/* The new value has the old one's place in the shared's own memory: that has the same layout, and nobody else's. */
static bool may_settle(Sides *m, ThFrame *f, int u) {
    const Plan *p = m->plan;
    const PlanValue *v = &p->update[u].value;
    const ThArray *a = p->shared[p->update[u].shared]->value;
    int64_t step = 1;
    bool ours = p->buf[v->buf].kind == BUF_OUTPUT && !p->buf[v->buf].late && f->ws->outbuf[v->buf] &&
                !p->shared[p->update[u].shared]->on_host;
    bool there = space_can(a->buf) && !held(f, a) && space_of(a->buf) == m->q->device && !space_gone(a->buf) &&
                 buffer_special(a->buf) & (BUFFER_AWAY | BUFFER_TWICE);
    if (!ours || !there || v->flags || v->dtype != a->dtype || v->ndim != a->ndim || !a->size) return false;
    if (a->data != a->buf->data || size_value(v->off, f->sym)) return false;
    for (int d = v->ndim - 1; d >= 0; d--) {
        if (width(v, f->sym, d) != ARRAY_SHAPE(a)[d] || size_value(v->stride[d], f->sym) != step) return false;
        step *= ARRAY_SHAPE(a)[d];
    }
    for (int i = 0; i < p->ninput; i++)
        if (f->ws->arg[i] && f->ws->arg[i]->buf == a->buf) return false;
    return f->ws->outbuf[v->buf]->bytes <= a->buf->bytes;
}

static int had_answers(Sides *m, ThFrame *f) {
    if (!m->answers) {
        TRY(space_take(m->q, m->answers_bytes, &m->answers));
        m->unlooked = true;
    }
    /* left by a call that was given up */
    if (m->unlooked) TRY(ops(m)->set(m->q, m->answers, 0, SIDES_RECORD * sizeof(int64_t)));
    m->unlooked = false;
    return 0;
}

int sides_begin(Sides *m, ThFrame *f) {
    if (m->life != m->q->device->life) start_anew(m);
    if (had_answers(m, f)) return 1;
    for (int b = 0; b < m->plan->nbuf; b++)
        if (begin(m, f, b)) return 1;
    for (int u = 0; u < m->plan->nupdate; u++) m->settles[u] = may_settle(m, f, u);
    lay_arguments(m, f);
    return 0;
}

int sides_send(Sides *m, ThFrame *f) {
    const Places *l = m->places;
    if (!m->laid || m->laid > RING_MOST || ring_take(&m->ring, m->q, m->laid, &m->leaving)) return 0;
    for (int i = 0; i < l->nover; i++) {
        Side *r = &m->of[l->over[i]];
        if (!r->place) continue;
        if (fit(m, f, l->over[i])) return 1;
        if (r->bytes) memcpy(m->leaving + r->place - 1, r->host, r->bytes);
        r->has |= ON_DEVICE;
    }
    TRY(ops(m)->copy_in(m->q, m->args, m->leaving, m->laid));
    return 0;
}

/* ---- over and back ----------------------------------------------------------------------------------------------- */
/* The value of a mirror: from the host, or of an argument from where it lies on the device. */
static int fill_mirror(Sides *m, ThFrame *f, int b) {
    Side *r = &m->of[b];
    const ThArray *a = workspace_array(f->ws, b);
    DeviceAddress from;
    if (!a || !space_of(a->buf) || elsewhere(m, a->buf) || !buffer_special(a->buf)) {
        TRY(ops(m)->copy_in(m->q, r->at, r->host, r->bytes));
        return 0;
    }
    TRY(space_side(m->q, a->buf, &from, &m->turn[b]));
    TRY(ops(m)->copy(m->q, r->at, from + (DeviceAddress)(r->host - a->buf->data), r->bytes));
    r->source = a->buf;
    return 0;
}

int sides_to_device(Sides *m, ThFrame *f, int buf, DeviceAddress *at) {
    int b = m->places->root[buf];
    Side *r = &m->of[b];
    if (storage(m, f, b) ? fit_own(m, f, r) : fit(m, f, b)) return 1;
    if (r->has == ON_HOST) {
        if (r->of) TRY(space_over(m->q, r->of));
        else if (fill_mirror(m, f, b)) return 1;
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

int sides_look(Sides *m, ThFrame *f) {
    int64_t record[SIDES_RECORD];
    if (!m->unlooked) return 0;
    SURELY(ops(m)->copy_out(m->q, record, m->answers, sizeof record));
    SURELY(ops(m)->wait(m->q));
    m->unlooked = false;
    return record[0] ? m->judge(m, f, record) : 0;
}

int sides_passed(Sides *m, ThFrame *f, int64_t *passed) {
    int64_t record[SIDES_RECORD];
    *passed = -1;
    SURELY(ops(m)->copy_out(m->q, record, m->answers, sizeof record));
    SURELY(ops(m)->wait(m->q));
    m->unlooked = false;
    if (record[0] != GPU_PASSED) return record[0] ? m->judge(m, f, record) : 0;
    *passed = record[2];
    SURELY(ops(m)->set(m->q, m->answers, 0, sizeof record));
    return 0;
}

/* An argument's value that only its mirror's source has is asked of that. */
static bool asked_source(Sides *m, ThFrame *f, int b) {
    const ThArray *a = workspace_array(f->ws, b);
    bool away = a && buffer_special(a->buf) & BUFFER_AWAY;
    return !away || storage(m, f, b) || !(m->of[b].has & ON_HOST) || buffer_ask(m->c, a->buf, false);
}

int sides_to_host(Sides *m, ThFrame *f, int buf) {
    int b = m->places->root[buf];
    Side *r = &m->of[b];
    if (!asked_source(m, f, b)) return sides_fail(m, f);
    if (storage(m, f, b) ? !(buffer_special(r->of) & BUFFER_AWAY) : r->has != ON_DEVICE) return 0;
    if (m->look(m, f)) return 1;
    if (r->of && fit_own(m, f, r)) return 1;
    return bring(m, f, r);
}

int sides_peek(Sides *m, ThFrame *f, int buf, int64_t at, size_t bytes) {
    int b = m->places->root[buf];
    Side *r = &m->of[b];
    if (!asked_source(m, f, b)) return sides_fail(m, f);
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
    Side *r = &m->of[m->places->root[buf]];
    r->has = ON_DEVICE;
    r->head = false;
    if (r->of) buffer_set_special(r->of, BUFFER_AWAY);
}

void sides_host_wrote(Sides *m, int buf) {
    Side *r = &m->of[m->places->root[buf]];
    r->has = ON_HOST;
    r->head = false;
    if (r->of && r->of->side) buffer_set_special(r->of, 0);
}

int sides_none(Sides *m, ThFrame *f, int buf) {
    Side *r = &m->of[m->places->root[buf]];
    DeviceMark *mark;
    r->has = 0;
    if (!r->of) return 0;
    TRY(space_mark(m->q, &mark)); /* an earlier turn's memory may go now */
    space_used(r->of, mark);
    space_mark_release(mark);
    let_go(r);
    return 0;
}

/* ---- new values of shared variables ------------------------------------------------------------------------------ */
bool sides_settles(Sides *m, ThFrame *f, int u, DeviceAddress *from, DeviceAddress *to, size_t *bytes) {
    const struct PlanUpdate *p = &m->plan->update[u];
    const Side *r = &m->of[p->value.buf];
    int buf = f->ws->fn->shared_buf[p->shared];
    if (!m->settles[u]) return false;
    bool can =
        r->has == ON_DEVICE && !r->of && !sides_to_device(m, f, p->value.buf, from) && !sides_to_device(m, f, buf, to);
    *bytes = r->bytes;
    m->settles[u] = can;
    return can;
}

/* The array of the new value, which is made when all is done, has the old one's memory. */
void sides_settled(Sides *m, ThFrame *f, int u) {
    const struct PlanUpdate *p = &m->plan->update[u];
    Workspace *w = f->ws;
    ThBuffer *own = m->plan->shared[p->shared]->value->buf;
    sides_device_wrote(m, w->fn->shared_buf[p->shared]);
    m->of[p->value.buf].has = 0;
    buffer_retain(own);
    buffer_release(w->outbuf[p->value.buf]);
    w->outbuf[p->value.buf] = own;
}

/* ---- the end of a call ------------------------------------------------------------------------------------------- */
static bool comes_back(const Sides *m, int b) {
    const Side *r = &m->of[b];
    uint8_t kind = m->plan->buf[b].kind;
    return r->has == ON_DEVICE && !r->of && (kind == BUF_INPUT || kind == BUF_SHARED || kind == BUF_OUTPUT);
}

/* It lies behind the error record in this call. */
static bool answered(const Sides *m, const Side *r) { return r->answer && r->at == m->answers + r->answer; }

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
        const Side *r = &m->of[b];
        if (!r->source && !(r->of && r->ready)) continue;
        m->used[n] = r->source ? r->source : r->of;
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
    SURELY(space_side(m->q, to, &at, &m->turn[b]));
    SURELY(ops(m)->copy(m->q, at, r->at, r->bytes));
    r->of = to;
    r->ready = true;
    buffer_set_special(to, BUFFER_AWAY);
    return 0;
}

/* What comes back, one behind the other; the answers are one piece. Returns the bytes of all; copies where asked to. */
static int come_back(Sides *m, ThFrame *f, bool answers, bool copy, size_t *bytes) {
    *bytes = answers ? padded(m->answers_bytes) : 0;
    if (answers && copy) SURELY(ops(m)->copy_out(m->q, m->stage, m->answers, m->answers_bytes));
    for (int b = 0; b < m->plan->nbuf; b++) {
        const Side *r = &m->of[b];
        if (!comes_back(m, b) || answered(m, r)) continue;
        if (copy) SURELY(ops(m)->copy_out(m->q, m->stage + *bytes, r->at, r->bytes));
        *bytes += padded(r->bytes);
    }
    return 0;
}

/* It is there; nothing fails from here on. */
static void tell(Sides *m, size_t at) {
    for (int b = 0; b < m->plan->nbuf; b++) {
        Side *r = &m->of[b];
        if (!comes_back(m, b)) continue;
        bool answer = answered(m, r);
        if (r->bytes) memcpy(r->host, m->stage + (answer ? r->answer : at), r->bytes);
        if (!answer) at += padded(r->bytes);
        r->has |= ON_HOST;
    }
}

static bool some_answer(const Sides *m) {
    bool any = m->unlooked;
    for (int b = 0; b < m->plan->nbuf && !any; b++) any = comes_back(m, b) && answered(m, &m->of[b]);
    return any;
}

static int judged(Sides *m, ThFrame *f) {
    int64_t record[SIDES_RECORD];
    if (!m->unlooked) return 0;
    m->unlooked = false;
    memcpy(record, m->stage, sizeof record);
    return record[0] ? m->judge(m, f, record) : 0;
}

int sides_finish(Sides *m, ThFrame *f) {
    bool answers = some_answer(m);
    size_t bytes;
    for (int b = 0; b < m->plan->nbuf; b++)
        if (move_result(m, f, b)) return 1;
    if (come_back(m, f, answers, false, &bytes) || (bytes && stage(m, f, bytes))) return 1;
    if (bytes && come_back(m, f, answers, true, &bytes)) return 1;
    if (leave_mark(m, f)) return 1;
    if (bytes) {
        SURELY(ops(m)->wait(m->q));
        ring_rest(&m->ring);
    } else if (m->leaving) {
        SURELY(ring_leave(&m->ring, m->q));
    }
    if (answers && judged(m, f)) return 1;
    tell(m, answers ? padded(m->answers_bytes) : 0);
    for (int b = 0; b < m->plan->nbuf; b++) let_go(&m->of[b]);
    return 0;
}

void sides_for_report(Sides *m) {
    for (int b = 0; b < m->plan->nbuf; b++) {
        Side *r = &m->of[b];
        bool away = r->of ? buffer_special(r->of) & BUFFER_AWAY : r->has == ON_DEVICE && in_arena(m, b);
        if (r->source) buffer_ask(m->c, r->source, false);
        if (!away || !r->at) continue;
        if (r->of) buffer_shield(r->of, false);
        bool came = !ops(m)->copy_out(m->q, r->host, r->at, r->bytes) && !ops(m)->wait(m->q);
        if (came) r->has |= ON_HOST;
        if (r->of) buffer_set_special(r->of, came ? BUFFER_TWICE : BUFFER_AWAY);
    }
    ops(m)->wait(m->q); /* nothing of the call is at work when it is over */
    for (int b = 0; b < m->plan->nbuf; b++) let_go(&m->of[b]);
}
