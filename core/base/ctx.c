/*
 * ctx.c -- the context: one allocator, one sticky error, and the roots of everything that lives longer than a call.
 *
 * In: a ThHost with allocator, logger and thread hook (each may be missing). Out: memory and errors for all folders.
 * Always holds: every byte taken is given back with the size it was taken with, so that live_bytes is exact; the first
 * failure is kept until th_error_clear; the context dies with its last handle, arrays and nodes included.
 */
#include "base.h"
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWNED_HEAD 16 /* bytes before memory that th_free frees: its size, and room to keep 16-alignment */

/* ---- memory ------------------------------------------------------------------------------------------------------ */
/* The system behind a ThAllocFn. */
static void *system_alloc(void *user, void *old, size_t old_size, size_t size, size_t align) {
    (void)user;
    return os_alloc(old, old_size, size, align);
}

/* One call of the host's allocator, counted. Sizes past PTRDIFF_MAX are refused here so that no caller has to. */
static void *host_alloc(ThContext *c, void *old, size_t old_size, size_t size, size_t align) {
    if (size > PTRDIFF_MAX) return NULL;
    const int64_t most = c->host.limits.bytes;
    if (most > 0 && size > old_size &&
        atomic_load_explicit(&c->live_bytes, memory_order_relaxed) + (long long)(size - old_size) > most)
        return NULL;
    void *p = c->host.alloc(c->host.alloc_user, old, old_size, size, align);
    if (size && !p) return NULL;
    if (size) atomic_fetch_add_explicit(&c->allocs, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->live_bytes, (long long)size - (long long)old_size, memory_order_relaxed);
    return p;
}

/*
 * Allocates; when the host has nothing left, the free array buffers kept for reuse go back first and it is asked again.
 * A size of 0 gives a valid pointer to one block of the smallest size, so NULL always means failure.
 */
void *ctx_alloc_aligned(ThContext *c, size_t bytes, size_t align) {
    size_t size = bytes ? bytes : 1;
    void *p = host_alloc(c, NULL, 0, size, align);
    if (!p && c->buffers && buffer_cache_bytes(c)) {
        buffer_cache_trim(c, 0);
        p = host_alloc(c, NULL, 0, size, align);
    }
    if (!p) err_bytes(c, size);
    return p;
}

void *ctx_alloc(ThContext *c, size_t bytes) { return ctx_alloc_aligned(c, bytes, 16); }

void *ctx_alloc0(ThContext *c, size_t bytes) {
    void *p = ctx_alloc(c, bytes);
    if (p) memset(p, 0, bytes ? bytes : 1);
    return p;
}

void *ctx_realloc(ThContext *c, void *p, size_t old, size_t bytes) {
    if (!p) return ctx_alloc(c, bytes);
    void *q = host_alloc(c, p, old ? old : 1, bytes ? bytes : 1, 16);
    if (!q) err_bytes(c, bytes);
    return q;
}

void ctx_free(ThContext *c, void *p, size_t bytes) {
    if (p) host_alloc(c, p, bytes ? bytes : 1, 0, 16);
}

/* Memory that knows its size: what th_free frees. */
void *ctx_alloc_owned(ThContext *c, size_t bytes) {
    char *p = bytes > PTRDIFF_MAX - OWNED_HEAD ? NULL : ctx_alloc(c, bytes + OWNED_HEAD);
    if (!p) {
        err_bytes(c, bytes);
        return NULL;
    }
    *(size_t *)(void *)p = bytes;
    return p + OWNED_HEAD;
}

void *ctx_realloc_owned(ThContext *c, void *p, size_t bytes) {
    if (!p) return ctx_alloc_owned(c, bytes);
    if (bytes > PTRDIFF_MAX - OWNED_HEAD) {
        err_bytes(c, bytes);
        return NULL;
    }
    char *head = (char *)p - OWNED_HEAD;
    head = ctx_realloc(c, head, *(size_t *)(void *)head + OWNED_HEAD, bytes + OWNED_HEAD);
    if (!head) return NULL;
    *(size_t *)(void *)head = bytes;
    return head + OWNED_HEAD;
}

void th_free(ThContext *c, void *text) {
    if (!c || !text) return;
    char *head = (char *)text - OWNED_HEAD;
    ctx_free(c, head, *(size_t *)(void *)head + OWNED_HEAD);
}

char *ctx_strdup(ThContext *c, const char *s) {
    if (!s) return NULL;
    size_t n = strlen(s) + 1;
    char *p = ctx_alloc_owned(c, n);
    return p ? memcpy(p, s, n) : NULL;
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */
void th_context_limit(ThContext *c, const ThLimits *limits) {
    if (!c || !limits) return;
    c->host.limits = *limits;
    if (limits->sealed) atomic_store(&c->sealed, true);
}

bool th_context_sealed(const ThContext *c) { return c && ctx_sealed(c); }

void th_context_deadline(ThContext *c, double seconds) {
    if (!c) return;
    int64_t ns = !(seconds > 0) ? 0 : seconds < 1e9 ? (int64_t)(seconds * 1e9) : INT64_MAX / 4;
    atomic_store(&c->patience, ns);
    atomic_store(&c->deadline, ns ? base_now() + ns : 0);
}

bool err_stopped(ThContext *c) {
    bool asked = atomic_load_explicit(&c->interrupted, memory_order_relaxed);
    return err(c, TH_Interrupted, asked ? "interrupted" : "the time that it was given is over");
}

const char *ctx_ask_file(ThContext *c, char use, const char *path, FileAt *at) {
    at->path = path;
    at->by = (ThFile){.size = sizeof at->by, .use = use, .path = path};
    if (ctx_sealed(c)) return "files are closed to this context";
    if (!c->host.file) return NULL;
    if (c->host.file(c->host.file_user, &at->by)) return "the host refuses this file";
    if (use != 'r') at->by.bytes = NULL;
    if (!at->by.path || at->by.path == path) return NULL;
    size_t n = strlen(at->by.path);
    if (n < sizeof at->room) {
        at->path = memcpy(at->room, at->by.path, n + 1);
        return NULL;
    }
    ctx_file_done(&at->by);
    return "the host's path for it is too long";
}

bool ctx_file(ThContext *c, char use, const char *path, FileAt *at) {
    const char *why = ctx_ask_file(c, use, path, at);
    return !why || err(c, TH_IOError, "%s: %s", path, why);
}

void ctx_file_done(const ThFile *by) {
    if (by->bytes && by->done) by->done(by->user, by->bytes);
}

const char *ctx_env(const ThContext *c, const char *name) { return c->host.environment == 'n' ? NULL : getenv(name); }

char th_context_environment(const ThContext *c) { return c ? c->host.environment : 0; }

/* From the system; 0 where it has none to give. */
static uint64_t system_seed(void) {
    uint64_t seed = 0;
    FILE *f = fopen("/dev/urandom", "rb");
    if (f && fread(&seed, sizeof seed, 1, f) != 1) seed = 0;
    if (f) fclose(f);
    return seed;
}

uint64_t th_context_seed(ThContext *c) {
    if (!c) return 0;
    if (!c->host.seed) {
        uint64_t seed = system_seed();
        return seed ? seed : (uint64_t)base_now() * 0x9e3779b97f4a7c15ull;
    }
    uint64_t i = atomic_fetch_add_explicit(&c->seeds, 1, memory_order_relaxed) + 1;
    uint64_t z = c->host.seed + i * 0x9e3779b97f4a7c15ull; /* SplitMix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* ---- errors and the log ------------------------------------------------------------------------------------------ */
_Thread_local ErrorScope *ctx_error_scope;

ErrorState *ctx_error_state(const ThContext *c) {
    for (const ErrorScope *s = ctx_error_scope; s; s = s->outer)
        if (s->c == c) return s->to;
    return &((ThContext *)c)->own_error;
}

bool err(ThContext *c, ThError kind, const char *format, ...) {
    ErrorState *e = ctx_error_state(c);
    if (e->kind != TH_OK) return false;
    va_list ap;
    va_start(ap, format);
    number_vformat(e->text, sizeof e->text, format, ap);
    va_end(ap);
    e->kind = kind;
    return false;
}

bool err_more(ThContext *c, const char *format, ...) {
    ErrorState *e = ctx_error_state(c);
    if (e->kind == TH_OK) return false;
    size_t n = strlen(e->text);
    va_list ap;
    va_start(ap, format);
    number_vformat(e->text + n, sizeof e->text - n, format, ap);
    va_end(ap);
    return false;
}

bool err_nomem(ThContext *c) { return err(c, TH_MemoryError, "out of memory"); }

bool err_bytes(ThContext *c, size_t bytes) {
    char text[64];
    if (bytes > PTRDIFF_MAX) return err(c, TH_MemoryError, "out of memory: more bytes than memory can have");
    const int64_t most = c->host.limits.bytes;
    char limit[64], why[96] = "";
    if (most > 0) snprintf(why, sizeof why, " within the limit of %s", text_bytes(limit, sizeof limit, most));
    return err(c, TH_MemoryError, "out of memory: %s could not be had%s", text_bytes(text, sizeof text, (int64_t)bytes),
               why);
}

bool err_missing(ThContext *c, const char *function) {
    return err(c, TH_TypeError, "%s: an argument that is needed is NULL, or a number of things is negative", function);
}

void ctx_log(ThContext *c, const char *format, ...) {
    char line[4096];
    if (!c->host.log) return;
    va_list ap;
    va_start(ap, format);
    number_vformat(line, sizeof line, format, ap);
    va_end(ap);
    c->host.log(c->host.log_user, line);
}

void th_context_log(ThContext *c, ThLogFn log, void *user) {
    if (!c) return;
    c->host.log = log;
    c->host.log_user = user;
}

void th_log(ThContext *c, const char *line) {
    if (c && line && c->host.log) c->host.log(c->host.log_user, line);
}

ThError th_error(const ThContext *c) { return c ? error_kind(c) : TH_MemoryError; }
const char *th_error_text(const ThContext *c) {
    return c ? ctx_error_state(c)->text : "there is no context: memory is out";
}

void th_error_clear(ThContext *c) {
    if (!c) return;
    ErrorState *e = ctx_error_state(c);
    e->kind = TH_OK;
    e->text[0] = 0;
}

const char *th_error_name(ThError e) {
    static const char *const name[] = {"",
#define X(kind) #kind,
                                       TH_ERROR_MAP(X)
#undef X
    };
    return (unsigned)e < TH_ERROR_COUNT ? name[e] : "";
}

void th_interrupt(ThContext *c) {
    if (c) atomic_store_explicit(&c->interrupted, 1, memory_order_relaxed);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */
/* Frees what the context owns: higher layers first (the highest slot down), then our own tables, then itself. */
static void destroy(ThContext *c) {
    for (int i = CTX_SLOTS - 1; i >= 0; i--)
        if (c->slot[i] && c->slot_free[i]) {
            void *p = c->slot[i];
            c->slot[i] = NULL;
            c->slot_free[i](c, p);
        }
    config_free(c);
    buffer_cache_free(c);
    intern_free(c);
    ThHost host = c->host;
    host.alloc(host.alloc_user, c, sizeof *c, 0, 16);
}

/* Fields that this library does not know say nothing. */
static bool all_known(const void *given, size_t known) {
    size_t size = *(const size_t *)given;
    for (size_t i = known; i < size; i++)
        if (((const char *)given)[i]) return false;
    return true;
}

const void *ctx_options(ThContext *c, const char *function, const void *given, void *own, size_t known) {
    size_t size = *(const size_t *)given;
    if (!all_known(given, known)) {
        err(c, TH_ValueError, "%s: the options are of a newer library than this one, %s", function, TH_VERSION);
        return NULL;
    }
    if (!size || size >= known) return given;
    memset(own, 0, known);
    return memcpy(own, given, size);
}

int th_abi(void) { return TH_ABI; }

ThContext *th_context_new(const ThHost *host) {
    ThHost h = {0};
    if (host && !all_known(host, sizeof h)) return NULL;
    if (host) memcpy(&h, host, host->size && host->size < sizeof h ? host->size : sizeof h);
    if (h.abi && h.abi != TH_ABI) return NULL;
    if (!h.alloc) h.alloc = system_alloc;
    ThContext *c = h.alloc(h.alloc_user, NULL, 0, sizeof *c, 16);
    if (!c) return NULL;
    memset(c, 0, sizeof *c);
    c->host = h;
    atomic_init(&c->sealed, h.limits.sealed);
    c->print = (ThPrintOptions){.precision = 8, .edgeitems = 3, .linewidth = 75, .threshold = 1000};
    atomic_init(&c->refs, 1);
    atomic_init(&c->live_bytes, (long long)sizeof *c);
    atomic_init(&c->allocs, 1);
    if (intern_init(c) && buffer_cache_init(c) && config_init(c)) return c;
    destroy(c);
    return NULL;
}

ThContext *th_context_retain(ThContext *c) {
    if (c) atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
    return c;
}

void th_context_release(ThContext *c) {
    if (c && atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) == 1) destroy(c);
}

const char *th_version(void) { return TH_VERSION; }

int64_t th_stat(ThContext *c, const char *what) {
    if (!c) return -1;
    if (!what) return err_missing(c, __func__), -1;
    if (!strcmp(what, "live_bytes")) return atomic_load(&c->live_bytes);
    if (!strcmp(what, "allocs")) return atomic_load(&c->allocs);
    if (!strcmp(what, "live_nodes")) return atomic_load(&c->live_nodes);
    if (!strcmp(what, "compiles")) return atomic_load(&c->compiles);
    if (!strcmp(what, "cache_hits")) return atomic_load(&c->cache_hits);
    if (!strcmp(what, "common_kernels")) return atomic_load(&c->common);
    if (!strcmp(what, "natives")) return atomic_load(&c->natives);
    if (!strcmp(what, "packs")) return atomic_load(&c->packs);
    if (!strcmp(what, "versions")) return atomic_load(&c->versions);
    if (!strcmp(what, "opt_ns")) return atomic_load(&c->opt_ns);
    if (!strcmp(what, "opt_nodes")) return atomic_load(&c->opt_nodes);
    if (!strcmp(what, "cache_bytes")) return (int64_t)buffer_cache_bytes(c);
    return -1;
}
