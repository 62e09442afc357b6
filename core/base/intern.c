/*
 * intern.c -- one pointer for equal texts.
 *
 * In: texts. Out: pointers that stay valid as long as the context and that are equal exactly when the texts are.
 * Always holds: the table is a power of two and at most three quarters full; texts live in an arena.
 */
#include "base.h"
#include "parts.h"

#include <string.h>

struct Intern {
    Arena *arena;
    struct Slot {
        uint64_t hash;
        const char *text; /* NULL: empty */
        size_t n;
    } * slot;
    size_t n, cap;
};

bool intern_init(ThContext *c) {
    c->strings = ctx_alloc0(c, sizeof *c->strings);
    if (!c->strings) return false;
    c->strings->arena = arena_new(c);
    return c->strings->arena != NULL;
}

void intern_free(ThContext *c) {
    Intern *t = c->strings;
    if (!t) return;
    arena_free(t->arena);
    ctx_free(c, t->slot, t->cap * sizeof *t->slot);
    ctx_free(c, t, sizeof *t);
    c->strings = NULL;
}

/* The slot that holds the text, or the empty one where it belongs. */
static struct Slot *find(const Intern *t, uint64_t h, const char *s, size_t n) {
    size_t i = h & (t->cap - 1);
    for (;; i = (i + 1) & (t->cap - 1)) {
        struct Slot *e = &t->slot[i];
        if (!e->text || (e->hash == h && e->n == n && !memcmp(e->text, s, n))) return e;
    }
}

static bool grow(ThContext *c, Intern *t) {
    size_t cap = t->cap ? 2 * t->cap : 64, old_cap = t->cap;
    struct Slot *old = t->slot, *slot = ctx_alloc0(c, cap * sizeof *slot);
    if (!slot) return false;
    t->slot = slot;
    t->cap = cap;
    for (size_t i = 0; i < old_cap; i++)
        if (old[i].text) *find(t, old[i].hash, old[i].text, old[i].n) = old[i];
    ctx_free(c, old, old_cap * sizeof *old);
    return true;
}

/* The one copy of the n bytes at s, NUL-terminated; NULL with MemoryError. */
const char *intern_n(ThContext *c, const char *s, size_t n) {
    Intern *t = c->strings;
    if (!s) return NULL;
    if (t->n + 1 > t->cap / 4 * 3 && !grow(c, t)) return NULL;
    uint64_t h = hash_bytes(s, n, 0);
    struct Slot *e = find(t, h, s, n);
    if (e->text) return e->text;
    char *copy = arena_alloc(t->arena, n + 1);
    if (!copy) return NULL;
    memcpy(copy, s, n);
    copy[n] = 0;
    *e = (struct Slot){h, copy, n};
    t->n++;
    return copy;
}

const char *intern(ThContext *c, const char *s) { return s ? intern_n(c, s, strlen(s)) : NULL; }
