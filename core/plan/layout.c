/*
 * layout.c -- arena offsets of the temporaries for one set of sizes. In: the plan's ALLOC/FREE events and slot values.
 * Out: an offset for each temporary and the arena's bytes. A two-level segregated fit allocator over an arena that
 * grows: O(1) each event, no memory but the caller's. Where that leaves gaps worth it, slots are placed again, the
 * largest first, each at the lowest place that is free for as long as it lives. Slots are 64-byte aligned; large ones
 * take 7 lines more than they hold, so that neighbours of equal size do not meet in the same cache sets and serve each
 * other's turn.
 */
#include "parts.h"

#include <stdlib.h>

enum { ALIGN = 64, SL_BITS = 4, SL = 1 << SL_BITS, FL = 58, NONE = -1 };

typedef struct Block {
    int64_t off, size;
    int prev, next;
    int free_prev, free_next;
    bool free;
} Block;
typedef struct Tlsf {
    uint64_t fl;
    uint32_t sl[FL];
    int head[FL][SL];
    int nblock, spare; /* spare: unused entries linked through next */
    int last;          /* block with the highest offset */
    int64_t top;
    Block *block;
} Tlsf;

/* Class of a size in units of ALIGN. */
static void class_of(int64_t size, int *fl, int *sl) {
    uint64_t u = (uint64_t)size / ALIGN;
    int top = 63 - __builtin_clzll(u | 1);
    if (top < SL_BITS) {
        *fl = 0;
        *sl = (int)u;
    } else {
        *fl = top - SL_BITS + 1;
        *sl = (int)(u >> (top - SL_BITS)) & (SL - 1);
    }
}

static void insert_free(Tlsf *t, int b) {
    int fl, sl;
    class_of(t->block[b].size, &fl, &sl);
    t->block[b].free = true;
    t->block[b].free_prev = NONE;
    t->block[b].free_next = t->head[fl][sl];
    if (t->head[fl][sl] != NONE) t->block[t->head[fl][sl]].free_prev = b;
    t->head[fl][sl] = b;
    t->fl |= 1ull << fl;
    t->sl[fl] |= 1u << sl;
}

static void remove_free(Tlsf *t, int b) {
    int fl, sl;
    Block *x = &t->block[b];
    class_of(x->size, &fl, &sl);
    if (x->free_prev != NONE) t->block[x->free_prev].free_next = x->free_next;
    else t->head[fl][sl] = x->free_next;
    if (x->free_next != NONE) t->block[x->free_next].free_prev = x->free_prev;
    if (t->head[fl][sl] == NONE) {
        t->sl[fl] &= ~(1u << sl);
        if (!t->sl[fl]) t->fl &= ~(1ull << fl);
    }
    x->free = false;
}

static int new_block(Tlsf *t) {
    int b = t->spare;
    if (b != NONE) t->spare = t->block[b].next;
    else b = t->nblock++;
    return b;
}

/* The smallest of the first few blocks of a list that hold `size`: one of exactly that size serves again. */
static int fits_best(const Tlsf *t, int b, int64_t size) {
    int best = NONE;
    for (int i = 0; i < 8 && b != NONE; i++, b = t->block[b].free_next)
        if (t->block[b].size >= size && (best == NONE || t->block[b].size < t->block[best].size)) best = b;
    return best;
}

/* A free block of at least `size` from its own class or the first whose members all fit, or NONE. */
static int find_free(const Tlsf *t, int64_t size) {
    int fl, sl;
    int64_t up = size;
    class_of(size, &fl, &sl);
    int own = fits_best(t, t->head[fl][sl], size);
    if (own != NONE) return own;
    if (fl > 0) up = size + (((int64_t)1 << (fl - 1)) * ALIGN) - ALIGN;
    class_of(up, &fl, &sl);
    uint32_t in = sl < SL ? t->sl[fl] & (~0u << sl) : 0;
    if (!in) {
        uint64_t above = fl + 1 < FL ? t->fl & (~0ull << (fl + 1)) : 0;
        if (!above) return NONE;
        fl = __builtin_ctzll(above);
        in = t->sl[fl];
    }
    return t->head[fl][__builtin_ctz(in)];
}

/* Splits what b has beyond size into a free block behind it. */
static void split(Tlsf *t, int b, int64_t size) {
    int64_t rest = t->block[b].size - size;
    if (rest < ALIGN) return;
    int r = new_block(t);
    t->block[r] = (Block){.off = t->block[b].off + size, .size = rest, .prev = b, .next = t->block[b].next};
    if (t->block[r].next != NONE) t->block[t->block[r].next].prev = r;
    else t->last = r;
    t->block[b].next = r;
    t->block[b].size = size;
    insert_free(t, r);
}

/* Bytes are positive and a multiple of ALIGN. NONE when the arena would pass 2^62 bytes. */
static int tlsf_alloc(Tlsf *t, int64_t size) {
    int b = find_free(t, size);
    if (b != NONE) {
        remove_free(t, b);
        split(t, b, size);
        return b;
    }
    if (t->last != NONE && t->block[t->last].free) { /* grow the free end */
        b = t->last;
        remove_free(t, b);
        if (t->block[b].size >= size) return split(t, b, size), b;
        t->block[b].size = size;
    } else {
        b = new_block(t);
        t->block[b] = (Block){.off = t->top, .size = size, .prev = t->last, .next = NONE};
        if (t->last != NONE) t->block[t->last].next = b;
        t->last = b;
    }
    if (__builtin_add_overflow(t->block[b].off, size, &t->top) || t->top > ((int64_t)1 << 62)) return NONE;
    return b;
}

/* Joins b with its free right neighbour. */
static void join(Tlsf *t, int b) {
    int r = t->block[b].next;
    t->block[b].size += t->block[r].size;
    t->block[b].next = t->block[r].next;
    if (t->block[b].next != NONE) t->block[t->block[b].next].prev = b;
    else t->last = b;
    t->block[r].next = t->spare;
    t->spare = r;
}

static void tlsf_free(Tlsf *t, int b) {
    int r = t->block[b].next, l = t->block[b].prev;
    if (r != NONE && t->block[r].free) remove_free(t, r), join(t, b);
    if (l != NONE && t->block[l].free) remove_free(t, l), join(t, l), b = l;
    insert_free(t, b);
}

/* Bytes of a slot, or -1. */
static int64_t slot_bytes(const PlanBuf *f, const int64_t *sym) {
    int64_t bytes;
    if (!size_bytes(f->size, sym, (ThDtype)f->dtype, &bytes)) return -1;
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (bytes == 0) bytes = ALIGN;
    return bytes >= 4096 ? bytes + 7 * ALIGN : bytes;
}

/* ---- all slots at once, whose lives are known ---- */
enum { MOST = 512, GAP = 32 };        /* slots: each looks at all placed before it; one part of so many is worth it */
static const int64_t WORTH = 1 << 20; /* bytes of an arena from which gaps matter */

typedef struct Slot {
    int64_t off, size;
    int from, to; /* events between which it lives */
    int number;   /* among the slots as they come */
} Slot;
typedef struct Slots {
    Slot *at;
    int64_t *off; /* by number */
    int n;
    int *now, *own; /* by buffer: the slot that it lies in, or NONE; that it lay in */
} Slots;

static size_t slots_bytes(const Plan *p) {
    return (size_t)(p->nlayout + 1) * (sizeof(Slot) + sizeof(int64_t)) + (size_t)(2 * p->nbuf + 1) * sizeof(int);
}

static Slots slots_in(const Plan *p, void *work) {
    Slots all = {.at = work};
    all.off = (int64_t *)(void *)(all.at + p->nlayout + 1);
    all.now = (int *)(void *)(all.off + p->nlayout + 1);
    all.own = all.now + p->nbuf;
    return all;
}

/* The slots as the events make them; the most bytes that live at once. */
static int64_t collect(const Plan *p, const int64_t *sym, Slots *all) {
    int64_t live = 0, most = 0;
    for (int b = 0; b < p->nbuf; b++) all->now[b] = all->own[b] = NONE;
    for (int i = 0; i < p->nlayout; i++) {
        const int b = p->layout_order[i] > 0 ? p->layout_order[i] - 1 : -p->layout_order[i] - 1;
        if (p->layout_order[i] < 0) {
            if (all->now[b] != NONE) all->at[all->now[b]].to = i, live -= all->at[all->now[b]].size;
            all->now[b] = NONE;
            continue;
        }
        const int64_t bytes = slot_bytes(&p->buf[b], sym);
        const int over = p->buf[b].inplace_of;
        if (over >= 0 && all->now[over] != NONE && all->at[all->now[over]].size >= bytes - 7 * ALIGN) {
            all->now[b] = all->now[over], all->now[over] = NONE;
        } else {
            all->at[all->n] = (Slot){.size = bytes, .from = i, .to = p->nlayout, .number = all->n};
            all->now[b] = all->n++;
            live += bytes;
        }
        all->own[b] = all->now[b];
        if (live > most) most = live;
    }
    return most;
}

static int larger(const void *a, const void *b) {
    const Slot *x = a, *y = b;
    return x->size != y->size ? (x->size < y->size ? 1 : -1) : x->number - y->number;
}

/* The lowest place of a slot beside those placed before it, which stand by their offsets; it joins them. */
static void put_slot(Slot *s, int i) {
    Slot x = s[i];
    int at = 0;
    x.off = 0;
    for (int k = 0; k < i; k++) {
        if (s[k].from > x.to || s[k].to < x.from) continue;
        if (s[k].off >= x.off + x.size) break;
        if (s[k].off + s[k].size > x.off) x.off = s[k].off + s[k].size;
    }
    while (at < i && s[at].off <= x.off) at++;
    memmove(s + at + 1, s + at, sizeof *s * (size_t)(i - at));
    s[at] = x;
}

/* The arena's bytes, and offsets by the slots' numbers. */
static int64_t place_slots(Slots *all) {
    int64_t top = 0;
    qsort(all->at, (size_t)all->n, sizeof *all->at, larger);
    for (int i = 0; i < all->n; i++) put_slot(all->at, i);
    for (int i = 0; i < all->n; i++) {
        const Slot *s = &all->at[i];
        all->off[s->number] = s->off;
        if (s->off + s->size > top) top = s->off + s->size;
    }
    return top;
}

/* Where slots placed by their lives take less than top: their offsets, and what they take. */
static int64_t place_again(const Plan *p, const int64_t *sym, int64_t *offset, void *work, int64_t top) {
    Slots all = slots_in(p, work);
    if (p->nlayout > 2 * MOST || collect(p, sym, &all) > top - top / GAP) return top;
    const int64_t all_of_them = place_slots(&all);
    if (all_of_them >= top) return top;
    for (int b = 0; b < p->nbuf; b++)
        if (all.own[b] != NONE) offset[b] = all.off[all.own[b]];
    return all_of_them;
}

size_t plan_layout_work(const Plan *p) {
    /* an ALLOC makes at most two blocks; by buffer: its block, or NONE once another took it over */
    const size_t tlsf = sizeof(Tlsf) + ((size_t)p->nlayout + 2) * sizeof(Block) + (size_t)(p->nbuf + 1) * sizeof(int);
    return tlsf > slots_bytes(p) ? tlsf : slots_bytes(p);
}

/* Takes over the slot of the buffer that `f` overwrites, when it is still there and large enough. */
static bool take_over(Tlsf *t, int *block, const PlanBuf *f, int b, int64_t bytes) {
    if (f->inplace_of < 0 || block[f->inplace_of] == NONE || t->block[block[f->inplace_of]].size < bytes - 7 * ALIGN)
        return false;
    block[b] = block[f->inplace_of];
    block[f->inplace_of] = NONE;
    return true;
}

int64_t plan_layout(const Plan *p, const int64_t *sym, int64_t *offset, void *work, size_t work_bytes) {
    if (work_bytes < plan_layout_work(p)) return -1;
    Tlsf *t = work;
    memset(t, 0, sizeof *t);
    memset(t->head, 0xff, sizeof t->head);
    t->block = (Block *)(void *)((char *)work + sizeof *t);
    t->spare = t->last = NONE;
    int *block = (int *)(void *)(t->block + p->nlayout + 2);
    for (int b = 0; b < p->nbuf; b++) block[b] = NONE, offset[b] = 0;
    for (int i = 0; i < p->nlayout; i++) {
        int b = p->layout_order[i] > 0 ? p->layout_order[i] - 1 : -p->layout_order[i] - 1;
        if (p->layout_order[i] < 0) {
            if (block[b] != NONE) tlsf_free(t, block[b]);
            block[b] = NONE;
            continue;
        }
        int64_t bytes = slot_bytes(&p->buf[b], sym);
        if (bytes < 0) return -1;
        if (!take_over(t, block, &p->buf[b], b, bytes) && (block[b] = tlsf_alloc(t, bytes)) == NONE) return -1;
        offset[b] = t->block[block[b]].off;
    }
    return t->top < WORTH ? t->top : place_again(p, sym, offset, work, t->top);
}

int64_t plan_results_bytes(const Plan *p, const int64_t *sym) {
    int64_t sum = 0, n;
    for (int b = 0; b < p->nbuf; b++) {
        const PlanBuf *x = &p->buf[b];
        if (x->kind != BUF_OUTPUT || x->late) continue;
        if (size_bytes(x->size, sym, (ThDtype)x->dtype, &n) && __builtin_add_overflow(sum, n, &sum)) return INT64_MAX;
    }
    return sum;
}
