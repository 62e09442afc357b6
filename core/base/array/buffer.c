/*
 * buffer.c -- refcounted memory of arrays; freed buffers stay in size classes so that their pages stay mapped.
 *
 * In: a size. Out: a ThBuffer on 64-byte aligned memory. Always holds: the context is retained while a buffer lives
 * (once for all that the lists may get back), not by cached ones; at most about LIMIT bytes are cached; classes
 * are 4..7 times a power of two, so at most a quarter is waste. Large buffers start an odd multiple of 64 bytes into
 * their memory, a different one each time, so that equal rows of several arrays do not fall on the same cache set;
 * larger ones at one of eight places of a page: a load waits for a store, not yet done, some lines behind it in a page.
 * A header of few dimensions waits with the buffer that its array had; others are kept beside the buffers.
 *
 * Buffers may be made and released from any thread; the lock is held for a few instructions only.
 */
#include "base/base.h"
#include "base/parts.h"

#include <string.h>

#ifdef __has_feature /* clang's way of saying it */
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

/* What each result of a call goes through is one piece of code, and what is rare saves no registers in it. */
#define INTO static inline __attribute__((always_inline))
#define APART static __attribute__((noinline))
#define LIMIT ((size_t)256 << 20)
#define MOST (LIMIT / 4 * 3) /* of one that is kept */
enum {
    CLASSES = 4 * 40, /* fewer than a byte counts */
    ALIGN = 64,
    LARGE = 16384,  /* from here on roots are staggered */
    LEADS = 8,      /* different starts: 64, 192, ... 960 bytes; */
    LARGER = 65536, /* from here on.. */
    PAGE = 4096,
    APART_BY = PAGE / LEADS, /* ..256, 768, .. 3,840 bytes into a page */
    HEADER_KINDS = 2         /* sizes of headers: for arrays of few dimensions, and for any number of them */
};
static const int header_dims[HEADER_KINDS] = {4, TH_MAX_NDIM}, headers_most[HEADER_KINDS] = {16384, 1024};

/* Of one size, not in use. */
typedef struct Headers {
    ThArray *first; /* linked through buf */
    int n;
} Headers;

struct BufferCache {
    atomic_flag lock;
    ThBuffer *free[CLASSES]; /* linked through user */
    size_t bytes;
    atomic_size_t counted; /* bytes of th_held_bytes */
    size_t live; /* buffers that are out, not wrapped, not own: together they hold one reference of the context */
    Headers header[HEADER_KINDS];
    size_t waiting; /* headers that are with buffers on the lists */
    unsigned turn;  /* next stagger */
};

static void lock(BufferCache *k) {
    while (atomic_flag_test_and_set_explicit(&k->lock, memory_order_acquire)) {}
}
static void unlock(BufferCache *k) { atomic_flag_clear_explicit(&k->lock, memory_order_release); }

/* Class of a size: 64, 128, 192, 256, then 4..7 * 2^k. Its bytes go to *cap; -1 when there is none that large. */
static int class_of(size_t bytes, size_t *cap) {
    size_t units = bytes ? (bytes + ALIGN - 1) / ALIGN : 1;
    if (units <= 4) {
        *cap = units * ALIGN;
        return (int)units - 1;
    }
    int shift = 63 - __builtin_clzll(units) - 2;
    size_t top = (units + ((size_t)1 << shift) - 1) >> shift; /* 4..8 */
    *cap = (top << shift) * ALIGN;
    int class = 4 * shift + (int)top - 1;
    return class < CLASSES ? class : -1;
}

size_t buffer_room(size_t bytes) {
    size_t cap = bytes;
    return bytes > PTRDIFF_MAX / 2 || class_of(bytes, &cap) < 0 ? bytes : cap;
}

bool buffer_cache_init(ThContext *c) {
    c->buffers = ctx_alloc0(c, sizeof *c->buffers);
    if (!c->buffers) return false;
    atomic_flag_clear(&c->buffers->lock);
    atomic_init(&c->buffers->counted, 0);
    return true;
}

/* ---- what holders count ------------------------------------------------------------------------------------------ */
static size_t extent(const ThBuffer *b) { return b->wrapped ? b->bytes : b->cap; }

bool buffer_count(ThBuffer *b) {
    if (atomic_exchange_explicit(&b->counted, true, memory_order_relaxed)) return false;
    atomic_fetch_add_explicit(&b->ctx->buffers->counted, extent(b), memory_order_relaxed);
    return true;
}

/* Before its memory goes. */
static void uncount(ThBuffer *b) {
    if (!atomic_load_explicit(&b->counted, memory_order_relaxed)) return;
    atomic_store_explicit(&b->counted, false, memory_order_relaxed);
    atomic_fetch_sub_explicit(&b->ctx->buffers->counted, extent(b), memory_order_relaxed);
}

size_t th_held_bytes(ThContext *c) { return c ? atomic_load_explicit(&c->buffers->counted, memory_order_relaxed) : 0; }

static int header_kind(int ndim) { return ndim > header_dims[0]; }
static size_t header_bytes(int kind) { return sizeof(ThArray) + 2 * sizeof(int64_t) * (size_t)header_dims[kind]; }

/* What a buffer has beside its bytes, some of which stand before them. */
static size_t around(const ThBuffer *b) { return b->lead && b->cap >= LARGER ? PAGE + ALIGN : b->lead; }

static size_t weight(const ThBuffer *b) { return b->cap + around(b) + sizeof *b; }

/* Of buffers and headers, all that they take. */
size_t buffer_cache_bytes(ThContext *c) {
    lock(c->buffers);
    size_t n = c->buffers->bytes;
    for (int i = 0; i < HEADER_KINDS; i++) n += (size_t)c->buffers->header[i].n * header_bytes(i);
    n += c->buffers->waiting * header_bytes(0);
    unlock(c->buffers);
    return n;
}

/* Where AddressSanitizer is at work, so many of its bytes may be touched and no more: those that were asked for, none
 * on a list, all when it goes. */
static void fence(ThBuffer *b, size_t bytes) {
    ASAN_UNPOISON_MEMORY_REGION(b->data, bytes);
    ASAN_POISON_MEMORY_REGION(b->data + bytes, b->cap - bytes);
}

static void free_record(ThContext *c, ThBuffer *b) {
    ctx_free(c, b->header, header_bytes(0));
    ctx_free(c, b, sizeof *b);
}

static void destroy(ThContext *c, ThBuffer *b) {
    fence(b, b->cap);
    ctx_free(c, b->data - b->lead, b->cap + around(b));
    free_record(c, b);
}

/* ---- lists, under the lock: what is on one has nothing of its fields but memory, size and a header ------------------
 */
static void put(BufferCache *k, ThBuffer *b) {
    k->waiting += b->header != NULL;
    b->user = k->free[b->size_class];
    k->free[b->size_class] = b;
    k->bytes += weight(b);
}

static ThBuffer *get(BufferCache *k, int class) {
    ThBuffer *b = k->free[class];
    if (!b) return NULL;
    k->waiting -= b->header != NULL;
    k->free[class] = b->user;
    k->bytes -= weight(b);
    return b;
}

/* Free buffers of a class, until at most keep bytes are left; linked before `gone`. */
static ThBuffer *take(BufferCache *k, int class, size_t keep, ThBuffer *gone) {
    while (k->free[class] && k->bytes > keep) {
        ThBuffer *b = get(k, class);
        b->user = gone;
        gone = b;
    }
    return gone;
}

/* Takes free buffers off the lists, largest first, until at most keep bytes are left, and all headers where nothing is
 * kept; they are freed outside the lock. Of the class that was used last (-1: none) only what is beyond LIMIT. */
static void trim(ThContext *c, size_t keep, int last) {
    BufferCache *k = c->buffers;
    ThBuffer *gone = NULL;
    Headers header[HEADER_KINDS] = {{NULL, 0}};
    lock(k);
    for (int i = CLASSES - 1; i >= 0; i--)
        if (i != last) gone = take(k, i, keep, gone);
    if (last >= 0) gone = take(k, last, LIMIT, gone);
    for (int i = 0; i < HEADER_KINDS && !keep; i++) {
        header[i] = k->header[i];
        k->header[i] = (Headers){NULL, 0};
    }
    unlock(k);
    while (gone) {
        ThBuffer *next = gone->user;
        destroy(c, gone);
        gone = next;
    }
    for (int i = 0; i < HEADER_KINDS; i++)
        while (header[i].first) {
            ThArray *a = header[i].first;
            header[i].first = (ThArray *)(void *)a->buf;
            ctx_free(c, a, header_bytes(i));
        }
}

void buffer_cache_trim(ThContext *c, size_t keep_bytes) { trim(c, keep_bytes, -1); }

void buffer_cache_free(ThContext *c) {
    BufferCache *k = c->buffers;
    if (!k) return;
    buffer_cache_trim(c, 0);
    c->buffers = NULL;
    ctx_free(c, k, sizeof *k);
}

/* Under the lock: the buffer takes the header along, or its list gets it, or (false) both are full. */
INTO bool keep_header(BufferCache *k, ThArray *a, ThBuffer *with) {
    const int kind = header_kind(a->ndim);
    Headers *h = &k->header[kind];
    if (with && !with->header && !kind) {
        with->header = a;
        return true;
    }
    if (h->n >= headers_most[kind]) return false;
    a->buf = (ThBuffer *)(void *)h->first;
    h->first = a;
    h->n++;
    return true;
}

static ThArray *kept_header(BufferCache *k, int ndim, ThBuffer *with) {
    const int kind = header_kind(ndim);
    Headers *h = &k->header[kind];
    ThArray *a = with && !kind ? with->header : NULL;
    if (a) {
        with->header = NULL;
        return a;
    }
    if (!(a = h->first)) return NULL;
    h->first = (ThArray *)(void *)a->buf;
    h->n--;
    return a;
}

/* What is rare of leave, outside the lock; over: the class of what made it too much, or -1. */
APART void after(ThContext *c, ThArray *header, int over, bool last) {
    if (header) ctx_free(c, header, header_bytes(header_kind(header->ndim)));
    if (over >= 0) trim(c, LIMIT / 2, over); /* half of it, so that trimming is rare */
    if (last) th_context_release(c);
}

/* One buffer fewer is out (live: and counted); the list gets it (b), or it is gone (NULL). So does the list of headers
 * where its array goes too. */
INTO void leave_here(ThContext *c, ThBuffer *b, bool live, ThArray *header) {
    BufferCache *k = c->buffers;
    if (b) fence(b, 0);
    lock(k);
    if (header && keep_header(k, header, b)) header = NULL;
    if (b) put(k, b);
    const int over = b && k->bytes > LIMIT ? b->size_class : -1;
    const bool last = live && --k->live == 0;
    unlock(k);
    if (header || over >= 0 || last) after(c, header, over, last);
}

static void leave(ThContext *c, ThBuffer *b, bool live, ThArray *header) { leave_here(c, b, live, header); }

/* Who takes the buffer asks for a header by itself, and finds this one. */
static void part(BufferCache *k, ThBuffer *b) {
    if (keep_header(k, b->header, NULL)) b->header = NULL;
}

/* A cached buffer of the class, or NULL: one more lives either way. A kept header too where one is asked for. */
INTO ThBuffer *reuse(ThContext *c, int class, int ndim, ThArray **header) {
    BufferCache *k = c->buffers;
    lock(k);
    if (k->live++ == 0) th_context_retain(c);
    ThBuffer *b = get(k, class);
    if (header) *header = kept_header(k, ndim, b);
    else if (b && b->header) part(k, b);
    unlock(k);
    return b;
}

/* One that the lists did not have; NULL: one fewer lives. */
APART ThBuffer *make(ThContext *c, size_t cap, int class, ThArray *header) {
    ThBuffer *b = ctx_alloc0(c, sizeof *b);
    unsigned turn = 0;
    if (b && cap >= LARGE) {
        lock(c->buffers);
        turn = c->buffers->turn++ % LEADS;
        unlock(c->buffers);
        b->lead = (uint16_t)(ALIGN * (2 * turn + 1));
    }
    if (b) b->cap = cap;
    char *data = b ? ctx_alloc_aligned(c, cap + around(b), ALIGN) : NULL;
    if (!data) {
        ctx_free(c, b, sizeof *b);
        leave(c, NULL, true, header);
        return NULL;
    }
    if (cap >= LARGER) { /* never 0 */
        const uintptr_t to = turn * APART_BY + APART_BY / 2 - ALIGN;
        b->lead = (uint16_t)((to - (uintptr_t)data) % PAGE + ALIGN);
    }
    b->ctx = c, b->data = data + b->lead, b->size_class = (uint8_t) class;
    return b;
}

INTO ThBuffer *new_with(ThContext *c, size_t bytes, int ndim, ThArray **header) {
    size_t cap = 0;
    int class = bytes <= PTRDIFF_MAX / 2 ? class_of(bytes, &cap) : -1;
    if (class < 0) {
        err_bytes(c, bytes);
        return NULL;
    }
    ThBuffer *b = reuse(c, class, ndim, header);
    if (!b && !(b = make(c, cap, class, header ? *header : NULL))) return NULL;
    atomic_init(&b->refs, 1);
    b->bytes = bytes;
    fence(b, bytes);
    return b;
}

/* A buffer of at least `bytes` with undefined contents and one reference; NULL with MemoryError. */
ThBuffer *buffer_new(ThContext *c, size_t bytes) { return new_with(c, bytes, 0, NULL); }

ThBuffer *buffer_new_array(ThContext *c, size_t bytes, int ndim, ThArray **header) {
    *header = NULL;
    ThBuffer *b = new_with(c, bytes, ndim, header);
    if (!b || *header || (*header = ctx_alloc(c, header_bytes(header_kind(ndim))))) return b;
    buffer_release(b);
    return NULL;
}

/* Host memory as a buffer; release(user) runs when the last reference goes. */
ThBuffer *buffer_wrap(ThContext *c, void *data, size_t bytes, void (*release)(void *user), void *user) {
    ThBuffer *b = ctx_alloc0(c, sizeof *b);
    if (!b) return NULL;
    *b = (ThBuffer){
        .ctx = th_context_retain(c), .data = data, .bytes = bytes, .wrapped = true, .release = release, .user = user};
    atomic_init(&b->refs, 1);
    return b;
}

void buffer_own(ThBuffer *b) {
    if (b->own || b->wrapped) return;
    b->own = true;
    leave(b->ctx, NULL, true, NULL);
}

void buffer_retain(ThBuffer *b) {
    buffer_lend(b);
    atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
}

/* ---- the host and another side ----------------------------------------------------------------------------------- */
void buffer_shield(ThBuffer *b, bool on) {
    if (!b->wrapped) fence(b, on ? 0 : b->bytes);
}

void buffer_set_special(ThBuffer *b, uint8_t special) {
    buffer_shield(b, special & BUFFER_AWAY);
    atomic_store_explicit(&b->special, special, memory_order_release);
}

bool buffer_ask(ThContext *c, ThBuffer *b, bool write) {
    uint8_t is = buffer_special(b);
    if (is & BUFFER_FREED) return err(c, TH_ValueError, "this array (or the one it views) was freed");
    if ((is & BUFFER_AWAY) && !b->side->fetch(b)) return false;
    if (is && write) b->side->forget(b);
    return true;
}

static void drop_side(ThBuffer *b) {
    if (!b->side) return;
    b->side->drop(b);
    b->side = NULL;
    buffer_set_special(b, 0);
}

/* Gives the memory up while views may still look at the header. */
void buffer_drop(ThBuffer *b) {
    if (buffer_is_freed(b)) return;
    uncount(b);
    drop_side(b);
    atomic_store_explicit(&b->special, BUFFER_FREED, memory_order_release);
    if (b->wrapped) {
        if (b->release) b->release(b->user);
        b->release = NULL;
    } else {
        fence(b, b->cap);
        ctx_free(b->ctx, b->data - b->lead, b->cap + around(b));
    }
    b->data = NULL;
    b->bytes = b->cap = b->lead = 0;
}

/* One that others than the lists had to do with, or that is too large for them. */
APART void end_unusual(ThBuffer *b, ThArray *header) {
    ThContext *c = b->ctx;
    const bool live = !b->own, freed = buffer_is_freed(b);
    drop_side(b);
    if (b->wrapped) {
        if (header) array_header_free(c, header);
        if (!freed) buffer_drop(b);
        ctx_free(c, b, sizeof *b);
        th_context_release(c);
    } else if (freed || b->cap > MOST) {
        if (freed) free_record(c, b);
        else destroy(c, b);
        leave(c, NULL, live, header);
    } else {
        b->own = false;
        leave(c, b, live, header);
    }
}

/* The last reference is gone, and with it an array's header (NULL: none). */
static void end(ThBuffer *b, ThArray *header) {
    uncount(b);
    atomic_init(&b->pins, 0);
    buffer_set_storage(b, false);
    if (b->wrapped || b->own || buffer_special(b) || b->side || b->cap > MOST) end_unusual(b, header);
    else leave_here(b->ctx, b, true, header);
}

void buffer_release(ThBuffer *b) {
    if (b && last_reference(&b->refs)) end(b, NULL);
}

void buffer_release_array(ThArray *a) {
    ThBuffer *b = a->buf;
    if (last_reference(&b->refs)) end(b, a);
    else array_header_free(b->ctx, a);
}

/* ---- headers of arrays ------------------------------------------------------------------------------------------- */
ThArray *array_header_new(ThContext *c, int ndim) {
    BufferCache *k = c->buffers;
    lock(k);
    ThArray *a = kept_header(k, ndim, NULL);
    unlock(k);
    return a ? a : ctx_alloc(c, header_bytes(header_kind(ndim)));
}

void array_header_free(ThContext *c, ThArray *a) {
    BufferCache *k = c->buffers;
    lock(k);
    const bool keep = keep_header(k, a, NULL);
    unlock(k);
    if (!keep) ctx_free(c, a, header_bytes(header_kind(a->ndim)));
}
