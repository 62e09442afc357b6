/*
 * space.c -- memory of a device between calls. In: sizes, buffers, queues. Out: addresses whose former uses are over
 * where the next one starts. Always holds: bytes in use and kept are exact; a piece that is kept waits for its last use
 * only where another queue takes it; what was had before the device was lost is forgotten, not freed.
 */
#include "space.h"

#include <string.h>

enum { KEPT = 64, ALIGN = 256 }; /* pieces kept at most; sizes are multiples of ALIGN */

struct DeviceMark {
    atomic_int refs;
    DeviceSpace *space;
    DeviceMark *next; /* of those that nobody has */
    void *event, *stream;
    unsigned life;
    uint64_t turn; /* another one each time that it is given out */
};

typedef struct Piece {
    DeviceAddress at;
    size_t bytes;
    DeviceMark *last;
} Piece;

typedef struct Side {
    BufferSide side; /* first */
    struct Side *next;
    DeviceSpace *space;
    DeviceAddress at;
    size_t bytes;
    DeviceMark *last;
    unsigned life;               /* of the device when `at` was had */
    void (*release)(void *user); /* of memory that is not ours.. */
    void *user;
    bool foreign; /* ..and goes back so */
} Side;

struct DeviceSpace {
    ThContext *c;
    Device *device;
    OsLock lock, idle; /* idle: of the two lists, inside lock */
    DeviceMark *mark;
    Side *side;
    uint64_t turn; /* of the last mark */
    DeviceQueue q; /* values that come over, memory that goes: opened when first needed */
    unsigned life; /* of the device, for q and pieces */
    Piece piece[KEPT];
    int npiece;
    SpaceUse use;
};

static Side *side_of(const ThBuffer *b) { return (Side *)(void *)b->side; }
static const DeviceOps *ops(const DeviceSpace *s) { return s->device->op; }
static size_t rounded(size_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }

/* ---- marks ------------------------------------------------------------------------------------------------------- */
static DeviceMark *idle_mark(DeviceSpace *s) {
    os_lock(&s->idle);
    DeviceMark *m = s->mark;
    if (m) s->mark = m->next;
    uint64_t turn = ++s->turn;
    os_unlock(&s->idle);
    if (!m && !(m = ctx_alloc0(s->c, sizeof *m))) return NULL;
    if (m->life != s->device->life) m->event = NULL;
    m->space = s;
    m->turn = turn;
    m->life = s->device->life;
    atomic_init(&m->refs, 1);
    return m;
}

void space_mark_release(DeviceMark *m) {
    if (!m || !last_reference(&m->refs)) return;
    DeviceSpace *s = m->space;
    os_lock(&s->idle);
    m->next = s->mark;
    s->mark = m;
    os_unlock(&s->idle);
}

static DeviceMark *retain(DeviceMark *m) {
    if (m) atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
    return m;
}

static DeviceStatus no_memory(DeviceSpace *s, DeviceQueue *q) {
    th_error_clear(s->c);
    q->call = "the host's memory";
    return DEVICE_NO_MEMORY;
}

DeviceStatus space_mark(DeviceQueue *q, DeviceMark **mark) {
    DeviceSpace *s = q->device->space;
    DeviceMark *m = idle_mark(s);
    *mark = NULL;
    if (!m) return no_memory(s, q);
    m->stream = q->stream;
    DeviceStatus st = m->event ? DEVICE_OK : ops(s)->event_new(q, &m->event);
    if (!st) st = ops(s)->event_record(q, m->event);
    if (!st) *mark = m;
    else space_mark_release(m);
    return st;
}

DeviceStatus space_after(DeviceQueue *q, const DeviceMark *m) {
    if (!m || m->stream == q->stream || m->life != q->device->life) return DEVICE_OK;
    return q->device->op->event_after(q, m->event);
}

/* ---- life. The lock is held in what follows. --------------------------------------------------------------------- */
DeviceSpace *space_new(ThContext *c, Device *d) {
    DeviceSpace *s = ctx_alloc0(c, sizeof *s);
    if (!s) return NULL;
    s->c = c;
    s->device = s->q.device = d;
    s->life = d->life;
    os_lock_init_again(&s->lock); /* a copy that holds it takes memory */
    os_lock_init(&s->idle);
    return s;
}

static DeviceStatus own_queue(DeviceSpace *s) { return s->q.stream ? DEVICE_OK : ops(s)->open(&s->q); }

/* What was kept before the device was lost is not there any more. */
static void look_at_life(DeviceSpace *s) {
    if (s->life == s->device->life) return;
    for (int i = 0; i < s->npiece; i++) space_mark_release(s->piece[i].last);
    s->npiece = 0;
    s->use.kept = 0;
    s->q.stream = NULL;
    s->life = s->device->life;
}

static void drop_piece(DeviceSpace *s, int i) {
    Piece p = s->piece[i];
    s->piece[i] = s->piece[--s->npiece];
    s->use.kept -= (int64_t)p.bytes;
    if (!own_queue(s) && !space_after(&s->q, p.last)) ops(s)->free(&s->q, p.at);
    space_mark_release(p.last);
}

void space_free(DeviceSpace *s) {
    if (!s) return;
    look_at_life(s);
    while (s->npiece) drop_piece(s, 0);
    for (DeviceMark *m = s->mark, *next; m; m = next) {
        next = m->next;
        if (m->life == s->life) ops(s)->event_free(&s->q, m->event);
        ctx_free(s->c, m, sizeof *m);
    }
    for (Side *e = s->side, *next; e; e = next) {
        next = e->next;
        ctx_free(s->c, e, sizeof *e);
    }
    if (s->q.stream) ops(s)->close(&s->q);
    os_lock_end(&s->lock);
    os_lock_end(&s->idle);
    ctx_free(s->c, s, sizeof *s);
}

DeviceStatus space_mend(DeviceQueue *q) {
    Device *d = q->device;
    DeviceStatus st = DEVICE_OK;
    if (!atomic_load(&d->lost)) return st;
    os_lock(&d->space->lock);
    if (atomic_load(&d->lost) && !(st = ops(d->space)->rebuild(d))) atomic_store(&d->lost, false);
    look_at_life(d->space);
    os_unlock(&d->space->lock);
    if (st) q->call = "a fresh context";
    return st;
}

void space_limit(DeviceSpace *s, int64_t bytes) {
    os_lock(&s->lock);
    s->use.limit = bytes;
    os_unlock(&s->lock);
}

SpaceUse space_use(DeviceSpace *s) {
    os_lock(&s->lock);
    look_at_life(s);
    os_lock(&s->idle);
    SpaceUse u = s->use;
    os_unlock(&s->idle);
    os_unlock(&s->lock);
    return u;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */
/* One of exactly that size, of q's own where there is one; -1: none. */
static int find(const DeviceSpace *s, const DeviceQueue *q, size_t bytes) {
    int any = -1;
    for (int i = 0; i < s->npiece; i++) {
        if (s->piece[i].bytes != bytes) continue;
        any = i;
        if (!s->piece[i].last || s->piece[i].last->stream == q->stream) break;
    }
    return any;
}

/* All that is kept goes back to the driver; true when anything did. */
static bool trim(DeviceSpace *s) {
    bool any = s->npiece > 0;
    while (s->npiece) drop_piece(s, 0);
    if (any && s->q.stream) ops(s)->wait(&s->q);
    return any;
}

static bool over(const DeviceSpace *s, size_t bytes) {
    return s->use.limit && s->use.used + s->use.kept + (int64_t)bytes > s->use.limit;
}

static DeviceStatus fresh(DeviceSpace *s, DeviceQueue *q, size_t bytes, DeviceAddress *at) {
    if (over(s, bytes)) trim(s);
    if (over(s, bytes)) {
        q->call = "gpuarray.preallocate";
        q->asked = bytes;
        return DEVICE_NO_MEMORY;
    }
    DeviceStatus st = ops(s)->alloc(q, bytes, at);
    if (st == DEVICE_NO_MEMORY && trim(s)) st = ops(s)->alloc(q, bytes, at);
    return st;
}

static void count(DeviceSpace *s, size_t bytes) {
    s->use.used += (int64_t)bytes;
    if (s->use.used > s->use.most) s->use.most = s->use.used;
}

DeviceStatus space_take(DeviceQueue *q, size_t bytes, DeviceAddress *at) {
    DeviceSpace *s = q->device->space;
    DeviceStatus st = DEVICE_OK;
    *at = 0;
    if (!bytes) return DEVICE_OK;
    bytes = rounded(bytes);
    os_lock(&s->lock);
    look_at_life(s);
    int i = find(s, q, bytes);
    if (i >= 0) {
        Piece p = s->piece[i];
        st = space_after(q, p.last);
        if (!st) {
            *at = p.at;
            s->piece[i] = s->piece[--s->npiece];
            s->use.kept -= (int64_t)bytes;
            space_mark_release(p.last);
        }
    } else {
        st = fresh(s, q, bytes, at);
    }
    if (!st) count(s, bytes);
    os_unlock(&s->lock);
    return st;
}

void space_give(DeviceSpace *s, DeviceAddress at, size_t bytes, DeviceMark *last, unsigned life) {
    if (!at || !bytes) return; /* none: it is somebody else's */
    bytes = rounded(bytes);
    os_lock(&s->lock);
    look_at_life(s);
    s->use.used -= (int64_t)bytes;
    if (life == s->life) {
        if (s->npiece == KEPT) drop_piece(s, 0);
        s->piece[s->npiece++] = (Piece){at, bytes, retain(last)};
        s->use.kept += (int64_t)bytes;
    }
    os_unlock(&s->lock);
}

/* ---- sides ------------------------------------------------------------------------------------------------------- */
bool space_can(const ThBuffer *b) { return !b->wrapped && !b->own && !buffer_is_freed(b) && b->bytes > 0; }

Device *space_of(const ThBuffer *b) { return b->side ? side_of(b)->space->device : NULL; }

bool space_gone(const ThBuffer *b) {
    return buffer_special(b) & BUFFER_AWAY && side_of(b)->life != side_of(b)->space->device->life;
}

bool space_lost(ThContext *c, const Device *d) {
    return err(c, TH_GpuError,
               "this value lay in the memory of %s, which was lost after a fault: set it again (a shared variable: "
               "set_value)",
               d->info.name);
}

static DeviceStatus bring(DeviceSpace *s, ThBuffer *b) {
    const Side *e = side_of(b);
    DeviceStatus st = own_queue(s);
    if (!st && e->last) st = ops(s)->event_wait(&s->q, e->last->event);
    if (!st) st = ops(s)->copy_out(&s->q, b->data, e->at, b->bytes);
    return st ? st : ops(s)->wait(&s->q);
}

static bool fetch(ThBuffer *b) {
    Side *e = side_of(b);
    DeviceSpace *s = e->space;
    DeviceStatus st = DEVICE_OK;
    os_lock(&s->lock);
    look_at_life(s);
    bool away = buffer_special(b) & BUFFER_AWAY, gone = away && space_gone(b);
    if (away && !gone) {
        buffer_shield(b, false);
        st = bring(s, b);
        if (st) buffer_shield(b, true);
        else buffer_set_special(b, BUFFER_TWICE);
    }
    os_unlock(&s->lock);
    if (gone) return space_lost(b->ctx, s->device);
    return !st || device_error(b->ctx, &s->q, st, "a value comes to the host");
}

static void forget(ThBuffer *b) { buffer_set_special(b, 0); }

/* Memory of others goes when what was queued on it is done. */
static void give_back(Side *e) {
    DeviceSpace *s = e->space;
    os_lock(&s->lock);
    look_at_life(s);
    if (e->last && e->life == s->life && !own_queue(s)) ops(s)->event_wait(&s->q, e->last->event);
    os_unlock(&s->lock);
    if (e->release) e->release(e->user);
    e->foreign = false;
}

static void drop(ThBuffer *b) {
    Side *e = side_of(b);
    DeviceSpace *s = e->space;
    if (e->foreign) give_back(e);
    else space_give(s, e->at, e->bytes, e->last, e->life);
    space_mark_release(e->last);
    os_lock(&s->idle);
    e->next = s->side;
    s->side = e;
    s->use.buffers--;
    os_unlock(&s->idle);
}

static Side *new_side(DeviceSpace *s) {
    os_lock(&s->idle);
    Side *e = s->side;
    if (e) s->side = e->next;
    s->use.buffers++;
    os_unlock(&s->idle);
    if (!e && !(e = ctx_alloc(s->c, sizeof *e))) {
        s->use.buffers--;
        return NULL;
    }
    *e = (Side){.side = {fetch, forget, drop}, .space = s, .life = s->device->life};
    return e;
}

/* Its memory was lost, the host has the value. */
static void start_anew(DeviceSpace *s, Side *e) {
    if (e->foreign && e->release) e->release(e->user);
    if (!e->foreign) space_give(s, e->at, e->bytes, NULL, e->life);
    space_mark_release(e->last);
    *e = (Side){.side = e->side, .space = s, .life = s->device->life};
}

static DeviceStatus ready(DeviceQueue *q, ThBuffer *b, DeviceAddress *at) {
    DeviceSpace *s = q->device->space;
    Side *e = b->side ? side_of(b) : new_side(s);
    if (!e) return no_memory(s, q);
    if (b->side && e->life != s->device->life) {
        if (space_gone(b)) return DEVICE_LOST;
        buffer_set_special(b, 0);
        start_anew(s, e);
    }
    if (!b->side) b->side = &e->side; /* who calls with it may be looking */
    DeviceStatus st = e->at ? space_after(q, e->last) : space_take(q, b->bytes, &e->at);
    if (!st) e->bytes = b->bytes;
    *at = e->at;
    return st;
}

static uint64_t turn_of(const ThBuffer *b) { return b->side && side_of(b)->last ? side_of(b)->last->turn : 0; }

/* The turn of what q waits for now: a use that another thread leaves right after this is a later one. */
DeviceStatus space_side(DeviceQueue *q, ThBuffer *b, DeviceAddress *at, uint64_t *turn) {
    DeviceSpace *s = q->device->space;
    os_lock(&s->lock);
    DeviceStatus st = ready(q, b, at);
    *turn = turn_of(b);
    os_unlock(&s->lock);
    return st;
}

/* Two threads that read one variable may both want it over: the second finds it there, and waits in its queue. */
DeviceStatus space_over(DeviceQueue *q, ThBuffer *b) {
    DeviceSpace *s = q->device->space;
    DeviceMark *mark = NULL;
    os_lock(&s->lock);
    Side *e = side_of(b);
    DeviceStatus st = DEVICE_OK;
    if (buffer_special(b)) {
        st = space_after(q, e->last);
    } else {
        st = ops(s)->copy_in(q, e->at, b->data, b->bytes);
        if (!st) st = space_mark(q, &mark);
        if (!st) space_used(b, mark);
        if (!st) buffer_set_special(b, BUFFER_TWICE);
        space_mark_release(mark);
    }
    os_unlock(&s->lock);
    return st;
}

DeviceAddress space_at(const ThBuffer *b) { return b->side ? side_of(b)->at : 0; }

/* Who left a mark since `turn` may still be at work: the new one stands behind it. */
DeviceStatus space_leave(DeviceQueue *q, ThBuffer *const *b, const uint64_t *turn, int n) {
    DeviceSpace *s = q->device->space;
    DeviceMark *mark = NULL;
    DeviceStatus st = DEVICE_OK;
    os_lock(&s->lock);
    for (int i = 0; i < n && !st; i++)
        if (turn_of(b[i]) != turn[i]) st = space_after(q, side_of(b[i])->last);
    if (!st) st = space_mark(q, &mark);
    if (st) st = ops(s)->wait(q); /* no mark is needed then */
    for (int i = 0; i < n && !st; i++) space_used(b[i], mark);
    os_unlock(&s->lock);
    space_mark_release(mark);
    return st;
}

void space_used(ThBuffer *b, DeviceMark *mark) {
    Side *e = side_of(b);
    if (!e || e->last == mark) return;
    space_mark_release(e->last);
    e->last = retain(mark);
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */
static DeviceStatus copy_over(DeviceSpace *s, ThArray *to, const ThArray *from) {
    ThBuffer *b = from->buf;
    size_t bytes = (size_t)to->size * th_dtype_bytes((ThDtype)to->dtype);
    DeviceAddress at, source;
    DeviceMark *mark = NULL;
    os_lock(&s->lock);
    look_at_life(s);
    DeviceStatus st = own_queue(s);
    bool there = space_of(b) == s->device && buffer_special(b) & (BUFFER_AWAY | BUFFER_TWICE);
    if (!st) st = ready(&s->q, to->buf, &at);
    if (!st && there) st = ready(&s->q, b, &source);
    if (!st && there) st = ops(s)->copy(&s->q, at, source + (DeviceAddress)(from->data - b->data), bytes);
    else if (!st) st = ops(s)->copy_in(&s->q, at, from->data, bytes);
    if (!st) st = space_mark(&s->q, &mark);
    if (!st) space_used(to->buf, mark);
    if (!st && there) space_used(b, mark);
    space_mark_release(mark);
    if (!st) buffer_set_special(to->buf, BUFFER_AWAY);
    os_unlock(&s->lock);
    return st;
}

ThArray *space_array(ThContext *c, Device *d, ThArray *a) {
    DeviceSpace *s = d->space;
    bool whole = a->flags & ARRAY_CONTIGUOUS;
    if (!whole || space_of(a->buf) != d ? !array_usable(c, a) : !array_there(c, a)) return NULL;
    ThArray *from = whole ? th_array_retain(a) : th_array_copy(a);
    ThArray *to = from ? th_array_empty(c, (ThDtype)a->dtype, a->ndim, ARRAY_SHAPE(a)) : NULL;
    DeviceStatus st = to && to->size ? copy_over(s, to, from) : DEVICE_OK;
    th_array_release(from);
    if (to) to->flags |= a->flags & (ARRAY_CSR | ARRAY_CSC);
    if (!st) return to;
    device_error(c, &s->q, st, "an array is copied to it");
    th_array_release(to);
    return NULL;
}

bool space_settled(ThContext *c, ThBuffer *b) {
    Side *e = side_of(b);
    DeviceSpace *s = e->space;
    os_lock(&s->lock);
    look_at_life(s);
    bool gone = e->life != s->device->life;
    DeviceStatus st = gone ? DEVICE_OK : own_queue(s);
    if (!gone && !st && e->last) st = ops(s)->event_wait(&s->q, e->last->event);
    if (!gone && !st && buffer_special(b) & BUFFER_TWICE) buffer_set_special(b, BUFFER_AWAY);
    os_unlock(&s->lock);
    if (gone) return space_lost(c, s->device);
    return !st || device_error(c, &s->q, st, "what was queued on an array is waited for");
}

ThArray *space_adopt(ThContext *c, Device *d, ThDtype dtype, int64_t n, DeviceAddress at) {
    DeviceSpace *s = d->space;
    ThArray *a = th_array_empty(c, dtype, 1, &n);
    Side *e = a ? new_side(s) : NULL;
    if (!e) {
        th_array_release(a);
        return NULL;
    }
    e->at = at, e->bytes = a->buf->bytes, e->foreign = true;
    a->buf->side = &e->side;
    buffer_set_special(a->buf, BUFFER_AWAY);
    return a;
}

void space_owner(ThBuffer *b, void (*release)(void *user), void *user) {
    side_of(b)->release = release;
    side_of(b)->user = user;
}
