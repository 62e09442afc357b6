/*
 * sides.c -- who holds a value, and its way to the other side and back.
 *
 * In: buffers of a frame. Out: their values where they are asked for. Always holds: a mirror is as large as its buffer
 * is now; arguments and shareds of a call that fails are as they were, since what comes back for them lies in memory of
 * ours until everything is there.
 */
#include "sides.h"

#include <stdio.h>
#include <string.h>

enum { ON_HOST = 1, ON_DEVICE = 2 }; /* who has a buffer's value */

struct Side {
    char *host; /* first byte of what it sides */
    size_t bytes, room;
    DeviceAddress at;
    uint8_t has;
};

static const DeviceOps *ops(const Sides *m) { return m->q->device->op; }

int sides_refuse(Sides *m, ThFrame *f, DeviceStatus s) {
    Workspace *w = f->ws;
    device_error(m->c, m->q, s, "a function runs");
    int kind = (int)th_error(m->c);
    snprintf(w->host_text, sizeof w->host_text, "%.250s", th_error_text(m->c));
    th_error_clear(m->c);
    return f->rt->fail(f, m->step, kind, 0, 0, 0, 0, 0);
}

#define TRY(call) \
    do { \
        DeviceStatus s_ = (call); \
        if (s_) return sides_refuse(m, f, s_); \
    } while (0)

/* ---- life -------------------------------------------------------------------------------------------------------- */
static void find_roots(Sides *m) {
    const Plan *p = m->plan;
    for (int b = 0; b < p->nbuf; b++) m->root[b] = b;
    for (int i = 0; i < p->nwindow; i++) m->root[p->window[i].buf] = p->window[i].of;
    for (int b = 0; b < p->nbuf; b++)
        while (m->root[m->root[b]] != m->root[b]) m->root[b] = m->root[m->root[b]];
}

bool sides_init(Sides *m) {
    size_t n = (size_t)m->plan->nbuf + 1;
    m->of = ctx_alloc0(m->c, sizeof *m->of * n);
    m->root = m->of ? ctx_alloc(m->c, sizeof *m->root * n) : NULL;
    if (m->root) find_roots(m);
    return m->root != NULL;
}

void sides_free(Sides *m) {
    size_t n = (size_t)m->plan->nbuf + 1;
    for (int b = 0; m->of && m->q->stream && b < m->plan->nbuf; b++) ops(m)->free(m->q, m->of[b].at);
    ctx_free(m->c, m->of, sizeof *m->of * n);
    ctx_free(m->c, m->root, sizeof *m->root * n);
    ctx_free(m->c, m->stage, m->stage_bytes);
}

int sides_begin(Sides *m, ThFrame *f) {
    const Plan *p = m->plan;
    for (int b = 0; b < p->nbuf; b++) {
        Side *r = &m->of[b];
        bool fixed = p->buf[b].kind == BUF_CONST && r->has; /* it is there since an earlier call */
        bool given = workspace_array(f->ws, b) != NULL;
        if (!fixed) r->has = given ? ON_HOST : 0;
    }
    return 0;
}

/* ---- over and back ----------------------------------------------------------------------------------------------- */
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

/* The mirror of root buffer b, as large as it is now. */
static int fit(Sides *m, ThFrame *f, int b) {
    Side *r = &m->of[b];
    char *from;
    size_t bytes = extent(m, f, b, &from);
    if (from != r->host || bytes != r->bytes) r->has &= ON_HOST;
    r->host = from;
    r->bytes = bytes;
    if (bytes <= r->room) return 0;
    TRY(ops(m)->free(m->q, r->at));
    r->at = 0, r->room = 0;
    TRY(ops(m)->alloc(m->q, bytes, &r->at));
    r->room = bytes;
    return 0;
}

int sides_to_device(Sides *m, ThFrame *f, int buf, DeviceAddress *at) {
    int b = m->root[buf];
    Side *r = &m->of[b];
    if (fit(m, f, b)) return 1;
    if (r->has == ON_HOST) {
        TRY(ops(m)->copy_in(m->q, r->at, r->host, r->bytes));
        r->has |= ON_DEVICE;
    }
    *at = r->at + (DeviceAddress)(f->buf[buf] - r->host);
    return 0;
}

int sides_to_host(Sides *m, ThFrame *f, int buf) {
    int b = m->root[buf];
    Side *r = &m->of[b];
    if (r->has != ON_DEVICE) return 0;
    if (m->look(m, f)) return 1;
    TRY(ops(m)->copy_out(m->q, r->host, r->at, r->bytes));
    TRY(ops(m)->wait(m->q));
    r->has |= ON_HOST;
    return 0;
}

void sides_device_wrote(Sides *m, int buf) { m->of[m->root[buf]].has = ON_DEVICE; }
void sides_host_wrote(Sides *m, int buf) { m->of[m->root[buf]].has = ON_HOST; }
void sides_none(Sides *m, int buf) { m->of[m->root[buf]].has = 0; }

/* ---- the end of a call ------------------------------------------------------------------------------------------- */
/* What a call changes in place comes back to memory of ours first. */
static bool in_place(const Plan *p, int b) { return p->buf[b].kind == BUF_SHARED || p->buf[b].kind == BUF_INPUT; }

static bool comes_back(const Sides *m, int b) {
    const PlanBuf *p = &m->plan->buf[b];
    return m->of[b].has == ON_DEVICE && p->kind != BUF_WINDOW && (p->kind != BUF_TEMP || p->late);
}

static bool stage(Sides *m, size_t bytes) {
    if (bytes <= m->stage_bytes) return true;
    char *fresh = ctx_alloc(m->c, bytes);
    if (!fresh) return false;
    ctx_free(m->c, m->stage, m->stage_bytes);
    m->stage = fresh;
    m->stage_bytes = bytes;
    return true;
}

int sides_finish(Sides *m, ThFrame *f) {
    const Plan *p = m->plan;
    size_t staged = 0;
    for (int b = 0; b < p->nbuf; b++)
        if (comes_back(m, b) && in_place(p, b)) staged += m->of[b].bytes;
    if (!stage(m, staged)) return f->rt->fail(f, -1, TH_MemoryError, 0, 0, 0, 0, 0);
    staged = 0;
    for (int b = 0; b < p->nbuf; b++) {
        const Side *r = &m->of[b];
        if (!comes_back(m, b)) continue;
        TRY(ops(m)->copy_out(m->q, in_place(p, b) ? m->stage + staged : r->host, r->at, r->bytes));
        staged += in_place(p, b) ? r->bytes : 0;
    }
    TRY(ops(m)->wait(m->q));
    staged = 0;
    for (int b = 0; b < p->nbuf; b++) { /* nothing fails from here on */
        Side *r = &m->of[b];
        if (!comes_back(m, b)) continue;
        if (in_place(p, b)) {
            memcpy(r->host, m->stage + staged, r->bytes);
            staged += r->bytes;
        }
        r->has |= ON_HOST;
    }
    return 0;
}

/* Nothing of the call is at work when it is over. */
void sides_for_report(Sides *m) {
    for (int b = 0; b < m->plan->nbuf; b++) {
        Side *r = &m->of[b];
        if (r->has != ON_DEVICE || m->plan->buf[b].kind != BUF_TEMP) continue;
        if (!ops(m)->copy_out(m->q, r->host, r->at, r->bytes)) r->has |= ON_HOST;
    }
    ops(m)->wait(m->q);
}
