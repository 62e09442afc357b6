/*
 * base.h -- what every folder stands on: context, memory, errors, arena, vectors, hash, text, dtypes, arrays.
 * Nothing here knows graphs. Public names start th_; internal ones carry the prefix of their file.
 */
#ifndef TH_BASE_H
#define TH_BASE_H

#include "theano.h"

#include "base/os/os.h"

#include <stdarg.h>
#include <stdatomic.h>

#define TH_UNUSED __attribute__((unused))
#define TH_PRINTF(a, b) __attribute__((format(printf, a, b)))
#define TH_LEN(a) ((int)(sizeof(a) / sizeof *(a)))
#if TH_HELP /* a line about what a table has; without it there is no room for one either */
typedef const char *HelpLine;
#define HELP_LINE(text) (text)
#define HELP_GIVEN(line) ((line) && *(line))
#else
typedef struct HelpLine {
} HelpLine;
#define HELP_LINE(text) \
    {}
#define HELP_GIVEN(line) true
#endif

/* ---- ctx.c: the context ------------------------------------------------------------------------------------------ */
typedef struct Intern Intern;           /* intern.c */
typedef struct BufferCache BufferCache; /* buffer.c: size classes of free array buffers */
typedef struct Config Config;           /* config.c */

/* State that a higher layer keeps in the context, destroyed last-in first-out with it. */
/* clang-format off */
typedef enum {
    CTX_GRAPH, CTX_OPS, CTX_OPT, CTX_PLAN, CTX_CPU, CTX_FFT, CTX_FACTOR, CTX_LIBRARY, CTX_DEVICE, CTX_RUNTIME, CTX_EAGER, CTX_BACKEND_C, CTX_API, CTX_TRACE, CTX_SLOTS
} CtxSlot;
/* clang-format on */

typedef struct ErrorState { /* the first failure; kept in place so that MemoryError needs no memory */
    ThError kind;
    char text[4096];
} ErrorState;

/* While one is entered, what fails on this thread goes to `to` and not to the context's own. */
typedef struct ErrorScope {
    const ThContext *c;
    ErrorState *to;
    struct ErrorScope *outer;
} ErrorScope;
extern _Thread_local ErrorScope *ctx_error_scope __attribute__((tls_model("initial-exec")));
static inline void error_enter(ErrorScope *s, const ThContext *c, ErrorState *to) {
    *s = (ErrorScope){c, to, ctx_error_scope};
    ctx_error_scope = s;
}
static inline void error_leave(const ErrorScope *s) { ctx_error_scope = s->outer; }

struct ThContext {
    atomic_int refs;
    ThHost host;
    ErrorState own_error;
    atomic_int interrupted;
    atomic_llong deadline; /* base_now() after which work stops as if it were interrupted; 0: none */
    atomic_llong patience; /* nanoseconds that there were until then */
    atomic_bool sealed;    /* ThLimits.sealed, which is never taken back */
    atomic_ullong seeds;   /* that were given out (ThHost.seed) */
    atomic_int hosting;    /* host calls at work: calls that they make must not forget an interruption */
    Intern *strings;
    BufferCache *buffers;
    Config *config;
    ThPrintOptions print;
    ThPrintStyle style;
    uint64_t next_serial;           /* of graph nodes */
    uint32_t prov;                  /* provenance id of nodes built now (0 = unknown) */
    uint8_t autocast[3], nautocast; /* float dtypes tried for a literal, in order; 0 of them: by floatX */
    atomic_llong live_bytes, allocs, live_nodes;
    atomic_llong compiles, cache_hits; /* units built by the C compiler, units found in the cache */
    atomic_llong common;               /* kernels of loaded units that the library has */
    atomic_llong natives;              /* units whose machine code came with a saved model */
    atomic_llong opt_ns, opt_nodes;    /* the last optimization: nanoseconds of its thread, nodes it was given */
    atomic_int packs;                  /* how often a weight was packed that stays so between calls */
    atomic_int versions;               /* units for certain lengths that functions have */
    int64_t (*tune_clock)(int candidate, int64_t ns); /* for tests: what timing is told instead of ns; or NULL */
    ThRanks ranks;                                    /* of which this process is one; size 0: of none */
    bool told_device;                                 /* that device=cuda runs on the CPU was logged */
    _Atomic(struct LockHold *) holds; /* calls that run code of the host (graph/lock.h), the newest first.. */
    atomic_flag holds_lock;           /* ..and who looks at them */
    atomic_flag library_lock;         /* who opens a library of CUDA (runtime/device/library.c) */
    void *slot[CTX_SLOTS];
    void (*slot_free[CTX_SLOTS])(ThContext *c, void *p);
};

/* Lengths have 64 bits, addresses may have 32: whether memory can have so many bytes, asked before they are a size_t.
 */
static inline bool bytes_fit(uint64_t bytes) { return bytes <= PTRDIFF_MAX; }
void *ctx_alloc(ThContext *c, size_t bytes); /* 16-aligned; NULL sets MemoryError */
void *ctx_alloc0(ThContext *c, size_t bytes);
void *ctx_alloc_aligned(ThContext *c, size_t bytes, size_t align);
void *ctx_realloc(ThContext *c, void *p, size_t old, size_t bytes); /* on failure p stays valid */
void ctx_free(ThContext *c, void *p, size_t bytes);
void *ctx_alloc_owned(ThContext *c, size_t bytes);            /* knows its size: freed with th_free */
void *ctx_realloc_owned(ThContext *c, void *p, size_t bytes); /* on failure p stays valid */
char *ctx_strdup(ThContext *c, const char *s);                /* owned: th_free */
/*
 * A host's struct of options, which begins with its size: itself, or in `own` (as large as `known`) what an older
 * program gave of it; NULL with ValueError where it says what this library does not know.
 */
const void *ctx_options(ThContext *c, const char *function, const void *given, void *own, size_t known);
#define options_of(c, given, own) ctx_options((c), __func__, (given), (own), sizeof *(own))
void ctx_log(ThContext *c, const char *format, ...) TH_PRINTF(2, 3);
#define err ctx_err /* the C library has an err too, and a static link would mix them up */
/* Keeps the first failure. Always returns false so that `return err(...)` reads well. */
bool err(ThContext *c, ThError kind, const char *format, ...) TH_PRINTF(3, 4);
bool err_nomem(ThContext *c);
bool err_more(ThContext *c, const char *format, ...) TH_PRINTF(2, 3); /* behind the text of the failure, if any */
bool err_bytes(ThContext *c, size_t bytes);                           /* MemoryError: so many could not be had */
bool err_missing(ThContext *c,
                 const char *function);          /* a NULL, or a negative count, where a host must give something */
ErrorState *ctx_error_state(const ThContext *c); /* where failures go now */
static inline ThError error_kind(const ThContext *c) {
    const ErrorScope *s = ctx_error_scope;
    return !s ? c->own_error.kind : s->c == c ? s->to->kind : ctx_error_state(c)->kind;
}
static inline bool failed(const ThContext *c) { return error_kind(c) != TH_OK; }
static inline int64_t base_now(void) { return os_now(); } /* monotonic nanoseconds */
/* Work is to stop: it was interrupted, or its time is over. */
static inline bool ctx_stopped(const ThContext *c) {
    long long until = atomic_load_explicit(&c->deadline, memory_order_relaxed);
    return atomic_load_explicit(&c->interrupted, memory_order_relaxed) || (until && base_now() > until);
}
bool err_stopped(ThContext *c); /* Interrupted, and why */
/* Likewise for work whose results nobody has seen yet: it may end early, and says so in *early, which its caller turns
 * into the error. NULL: what is written is to be whole. */
static inline bool ctx_leaves(const ThContext *c, atomic_bool *early) {
    if (!early) return false;
    if (atomic_load_explicit(early, memory_order_relaxed)) return true;
    if (!ctx_stopped(c)) return false;
    atomic_store_explicit(early, true, memory_order_relaxed);
    return true;
}
/* Work that can't be stopped may take so many nanoseconds: a quarter of what its caller waits. */
static inline double ctx_patience(const ThContext *c) {
    if (!atomic_load_explicit(&c->deadline, memory_order_relaxed)) return 1e30;
    return (double)atomic_load_explicit(&c->patience, memory_order_relaxed) / 4;
}
static inline bool ctx_sealed(const ThContext *c) { return atomic_load_explicit(&c->sealed, memory_order_relaxed); }
/* What is used for `path`, after the host was asked (ThHost.file): another path, or memory. */
typedef struct FileAt {
    const char *path; /* in room where the host gave another one */
    ThFile by;        /* bytes: the contents, to be given back by file_done */
    char room[4096];
} FileAt;
/* NULL, or why not. */
const char *ctx_ask_file(ThContext *c, char use, const char *path, FileAt *at);
bool ctx_file(ThContext *c, char use, const char *path, FileAt *at); /* the same; false: as an IOError */
void ctx_file_done(const ThFile *by);
const char *ctx_env(const ThContext *c, const char *name); /* of the environment, where the host lets it be read */

/* ---- intern.c: one pointer for equal texts ----------------------------------------------------------------------- */
const char *intern(ThContext *c, const char *s);
const char *intern_n(ThContext *c, const char *s, size_t n);

/* ---- arena.c: memory freed all at once --------------------------------------------------------------------------- */
typedef struct Arena Arena;
Arena *arena_new(ThContext *c);
void arena_free(Arena *a);
void *arena_alloc(Arena *a, size_t bytes); /* 16-aligned; NULL sets MemoryError */
void *arena_alloc0(Arena *a, size_t bytes);
void *arena_alloc0_line(Arena *a, size_t bytes); /* at the start of a cache line (64 bytes) */
char *arena_strdup(Arena *a, const char *s);
ThContext *arena_context(Arena *a);
size_t arena_bytes(const Arena *a);

/* ---- vec.c: growable arrays. VEC(int) v = {0}; vec_push(c, &v, 3); v.at[i], v.n; vec_free(c, &v). ---------------- */
/* clang-format off */
#define VEC(T) struct { T *at; int n, cap; }
/* clang-format on */
bool vec_grow(ThContext *c, void **at, int *cap, int need, size_t item);
#define vec_reserve(c, v, need) \
    ((need) <= (v)->cap || vec_grow((c), (void **)&(v)->at, &(v)->cap, (need), sizeof *(v)->at))
/* true when pushed; false (MemoryError set) otherwise */
#define vec_push(c, v, x) (vec_reserve((c), (v), (v)->n + 1) ? ((v)->at[(v)->n++] = (x), true) : false)
#define vec_pop(v) ((v)->at[--(v)->n])
#define vec_free(c, v) \
    (ctx_free((c), (v)->at, (size_t)(v)->cap * sizeof *(v)->at), (v)->at = NULL, (v)->n = (v)->cap = 0)

/* ---- hash.c: deterministic hashing (xxHash) and an open-addressing table from 64-bit keys to 32-bit values ------- */
uint64_t hash_bytes(const void *p, size_t n, uint64_t seed);
static inline uint64_t hash_mix(uint64_t h, uint64_t x) {
    h ^= x + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
    h *= 0xff51afd7ed558ccdull;
    return h ^ (h >> 32);
}
/* Pointer or integer keys, any value; never iterate it for output order. Zeroed = empty. */
/* clang-format off */
typedef struct Map { uint64_t *key; uint32_t *val; uint8_t *used; int n, cap; } Map;
/* clang-format on */
bool map_put(ThContext *c, Map *m, uint64_t key, uint32_t val); /* replaces */
bool map_get(const Map *m, uint64_t key, uint32_t *val);
void map_del(Map *m, uint64_t key);
void map_free(ThContext *c, Map *m);
#define KEY(p) ((uint64_t)(uintptr_t)(p))

/* ---- number.c: numbers and letters, the same in every locale ------------------------------------------------------
 */
double number_read(const char *s, char **end); /* strtod and strtof */
float number_read_single(const char *s, char **end);
/* snprintf; what takes a format below (text_printf, err, ctx_log) goes through it. */
int number_format(char *to, size_t size, const char *format, ...) TH_PRINTF(3, 4);
int number_vformat(char *to, size_t size, const char *format, va_list ap) TH_PRINTF(3, 0);
static inline bool char_is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline bool char_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool char_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static inline bool char_is_word(char c) { return char_is_letter(c) || char_is_digit(c) || c == '_'; }
static inline char char_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c; }
bool text_same(const char *a, const char *b); /* but for the case of letters */

/* ---- text.c: growing text ---------------------------------------------------------------------------------------- */
/* at is NUL-terminated once anything was put; once an allocation failed, puts do nothing and text_take gives NULL. */
/* clang-format off */
typedef struct Text { ThContext *c; char *at; size_t n, cap; bool failed; } Text;
/* clang-format on */
void text_init(Text *t, ThContext *c);
void text_put(Text *t, const char *s);
void text_put_n(Text *t, const char *s, size_t n);
void text_putc(Text *t, char ch);
void text_printf(Text *t, const char *format, ...) TH_PRINTF(2, 3);
void text_vprintf(Text *t, const char *format, va_list ap) TH_PRINTF(2, 0);
/* "72000000000000 bytes (65.5 TB)" in `to`, of 48 characters or more; gives it back. */
const char *text_bytes(char *to, size_t room, int64_t bytes);
void text_json(Text *t, const char *s);   /* as a JSON string, quotes included; NULL: null */
void text_json_number(Text *t, double v); /* null where it is not finite */
/* The shortest text that reads back equal in d, as str() of NumPy's scalar: 2.0, 0.1, 1e-05, nan, inf. */
void text_float(Text *t, double v, ThDtype d);
void text_float_to(Text *t, double v, ThDtype d, int most); /* with an exponent from 10^most on, not 10^16 */
/*
 * The text of a check that failed: {0} and {1} are v[0] and v[1]; behind the text {x=2} says that its x is input 2 of
 * the node, whose name takes the letter's place, and of input[2] the name is told. `operand` writes what the user knows
 * that input by, or writes nothing and gives false; NULL: nothing is known of inputs. A hint on lengths of 1 is left
 * out where none of them is 1.
 */
typedef bool TextOperand(void *u, Text *t, int input);
void text_check(Text *t, const char *why, const int64_t v[2], TextOperand *operand, void *u);
/*
 * The text of "IndexError: text", and its kind, which stays as it was where none is named; *cause: it is "IndexError!
 * text", of which other checks' failures are but the consequence.
 */
const char *text_check_kind(const char *why, ThError *kind, bool *cause);
int text_digits(double v, ThDtype d, char *digits, int *exponent); /* |v| finite = d.ddd * 10^exponent; <= 17 digits */
int text_rounded(double v, int n, char *digits, int *exponent);    /* the same, rounded to at most n <= 17 digits */
char *text_take(Text *t);                                          /* owned by the caller (th_free); empty text is "" */
void text_free(Text *t);
/* Nearest of n names to s by edit distance (case ignored), or NULL when nothing is near. */
const char *text_nearest(const char *s, const char *const *names, int n);

/* ---- dtype.c ----------------------------------------------------------------------------------------------------- */
/* float16 and bfloat16: kept as bits, computed with as float32, each result rounded. */
static inline bool dtype_is_half(ThDtype d) { return d == TH_FLOAT16 || d == TH_BFLOAT16; }
static inline bool dtype_is_float(ThDtype d) { return d == TH_FLOAT32 || d == TH_FLOAT64 || dtype_is_half(d); }
/* What d is computed in: float32 for a half, d itself for others. */
static inline ThDtype dtype_computed(ThDtype d) { return dtype_is_half(d) ? TH_FLOAT32 : d; }
static inline bool dtype_is_complex(ThDtype d) { return d == TH_COMPLEX64 || d == TH_COMPLEX128; }
static inline bool dtype_is_discrete(ThDtype d) { return d < TH_FLOAT32; }
static inline bool dtype_is_int(ThDtype d) { return d > TH_BOOL && d < TH_FLOAT32; }
static inline bool dtype_is_signed(ThDtype d) { return d >= TH_INT8 && d <= TH_INT64; }
static inline bool dtype_is_unsigned(ThDtype d) { return d >= TH_UINT8 && d <= TH_UINT64; }
/* The dtype of that name, or TH_DTYPE_NONE with TypeError. */
ThDtype dtype_parse(ThContext *c, const char *name);
/* Smallest dtype that holds a literal exactly under cast_policy=custom (inventory 2). */
ThDtype dtype_of_int(int64_t v);
/*
 * NumPy's promotion of a Python number ('i', 'f' or 'c') beside operands of dtype d (NONE: there are no others). v: the
 * value of an integer; one that d does not hold widens d, as in NumPy 1. A uint64 is a pattern of 64 bits and holds
 * all.
 */
ThDtype dtype_beside(char kind, int64_t v, ThDtype d);
ThDtype dtype_of_float(double v, ThDtype floatX);
/* dst[i] = (dd)src[i], NumPy's cast; strides in bytes. */
void dtype_cast(char *dst, ThDtype dd, int64_t dstride, const char *src, ThDtype sd, int64_t sstride, int64_t n);
/* *v as d holds it. */
static inline void dtype_round(double *v, ThDtype d) {
    char cell[16];
    dtype_cast(cell, d, 0, (const char *)v, TH_FLOAT64, 0, 1);
    dtype_cast((char *)v, TH_FLOAT64, 0, cell, d, 0, 1);
}

/* ---- buffer.c: refcounted, 64-byte aligned memory; freed buffers stay in size classes so that pages stay mapped -- */
/*
 * Memory may have a side on a device (runtime/device/space.h). Its addresses on the host stay what they are, so views,
 * strides and overlaps are the host's business alone; whether the values stand there, `special` says. Who reads
 * elements asks array_usable first, who writes them array_writeable: these bring the value over. What is away is
 * poisoned where AddressSanitizer is at work, so that a place which forgot to ask faults.
 */
enum {
    BUFFER_FREED = 1, /* th_array_free: the memory is gone, views raise */
    BUFFER_AWAY = 2,  /* a device has the value, the host has not */
    BUFFER_TWICE = 4, /* a device has it as well: who writes it here must say so */
};
typedef struct BufferSide BufferSide;
typedef struct ThBuffer {
    atomic_int refs;
    atomic_int pins; /* bound functions and calls that hold its address: th_array_free raises while there are any */
    atomic_uchar special; /* BUFFER_*; 0 nearly always */
    BufferSide *side;     /* or NULL */
    bool passing;         /* lent to code of the host for the time of one callback: nothing is bound to it */
    bool own;             /* the context keeps it, so it does not keep the context */
    bool wrapped;         /* host memory: release(user) instead of the allocator */
    atomic_bool counted;  /* among th_held_bytes */
    atomic_bool storage;  /* it is the storage of a shared variable, which it can be of one only */
    atomic_bool lent;     /* ..and somebody else has held it since, who may have written it */
    uint8_t size_class;   /* of the lists that keep free ones */
    uint16_t lead;        /* bytes between the allocation and data */
    ThContext *ctx;       /* retained */
    char *data;
    size_t bytes, cap;           /* cap = bytes of its size class */
    void (*release)(void *user); /* of wrapped memory; may be NULL */
    void *user;
    struct ThArray *header; /* of a few dimensions, not in use: the next array on it may have it; or NULL */
} ThBuffer;
/* What a side can do. None is called for memory that is wrapped. */
struct BufferSide {
    bool (*fetch)(ThBuffer *b);  /* AWAY becomes TWICE; false with the error set */
    void (*forget)(ThBuffer *b); /* TWICE becomes 0 */
    void (*drop)(ThBuffer *b);   /* the memory goes: so does its side */
};
static inline uint8_t buffer_special(const ThBuffer *b) {
    return atomic_load_explicit(&b->special, memory_order_acquire);
}
static inline bool buffer_is_freed(const ThBuffer *b) { return buffer_special(b) & BUFFER_FREED; }
/* Counts it among th_held_bytes until its memory goes; false: it was. */
bool buffer_count(ThBuffer *b);
/* The host may read it after this (write: and write it): false with the error set, after th_array_free for one. */
bool buffer_ask(ThContext *c, ThBuffer *b, bool write);
/* For sides: it is away now, or here; the host's memory is not to be touched, or it is. */
void buffer_set_special(ThBuffer *b, uint8_t special);
void buffer_shield(ThBuffer *b, bool on);
static inline bool buffer_is_storage(const ThBuffer *b) {
    return atomic_load_explicit(&b->storage, memory_order_relaxed);
}
static inline void buffer_set_storage(ThBuffer *b, bool on) {
    atomic_store_explicit(&b->storage, on, memory_order_relaxed);
}
static inline bool buffer_is_lent(const ThBuffer *b) { return atomic_load_explicit(&b->lent, memory_order_relaxed); }
/* For every new reference to the buffer or to an array of it. */
static inline void buffer_lend(ThBuffer *b) {
    if (buffer_is_storage(b)) atomic_store_explicit(&b->lent, true, memory_order_relaxed);
}
ThBuffer *buffer_new(ThContext *c, size_t bytes); /* contents undefined */
ThBuffer *buffer_wrap(ThContext *c, void *data, size_t bytes, void (*release)(void *user), void *user);
void buffer_own(ThBuffer *b);  /* the context keeps it now: nothing else may, for longer */
void buffer_drop(ThBuffer *b); /* gives the memory up now; the header stays for its views */
void buffer_retain(ThBuffer *b);
void buffer_release(ThBuffer *b);
/* The same together with the header of an array on the buffer: new, to be filled; with its last reference gone. */
ThBuffer *buffer_new_array(ThContext *c, size_t bytes, int ndim, ThArray **header);
void buffer_release_array(ThArray *a);
void buffer_cache_trim(ThContext *c, size_t keep_bytes);
size_t buffer_room(size_t bytes); /* what a buffer of so many bytes takes: its class of sizes */

/* ---- array.c ----------------------------------------------------------------------------------------------------- */
enum {
    ARRAY_READONLY = 1,
    ARRAY_CONTIGUOUS = 2 /* C order, kept up to date */,
    ARRAY_PINNED = 4,
    ARRAY_VIEW = 8,
    ARRAY_CSR = 16, /* the words of a sparse matrix, by rows.. */
    ARRAY_CSC = 32, /* ..or by columns: array/sparse.h */
    ARRAY_TEXT = 64 /* a vector of bytes that is one text in a file: NumPy's dtype S */
};
struct ThArray {
    atomic_int refs;
    uint8_t dtype, flags;
    int16_t ndim;
    ThBuffer *buf;  /* retained */
    char *data;     /* first element */
    int64_t size;   /* elements */
    int64_t dims[]; /* ndim lengths, then ndim byte strides */
};
#define ARRAY_SHAPE(a) ((a)->dims)
#define ARRAY_STRIDES(a) ((a)->dims + (a)->ndim)
static inline ThContext *array_ctx(const ThArray *a) { return a->buf->ctx; }
/* False with the error set: th_array_free was there, or it is away and does not come. */
bool array_usable(ThContext *c, const ThArray *a);           /* its elements may be read */
bool array_castable(ThContext *c, ThDtype from, ThDtype to); /* all but complex numbers as real ones: a TypeError */
bool array_there(ThContext *c, const ThArray *a);            /* views may be made of it; its elements may be away */
ThArray *array_scalar(ThContext *c, ThDtype d, const void *value);                              /* 0-d */
ThArray *array_on_buffer(ThContext *c, ThBuffer *b, ThDtype d, int ndim, const int64_t *shape); /* retains b, C order */
/* A header whose memory is there before anything else that may fail; array_fill makes it an array, array_unfilled frees
 * one that was not filled. */
/* Gives one reference up; true when it was the last. Who holds the only one needs no locked instruction. */
static inline bool last_reference(atomic_int *refs) {
    return atomic_load_explicit(refs, memory_order_acquire) == 1 ||
           atomic_fetch_sub_explicit(refs, 1, memory_order_acq_rel) == 1;
}
ThArray *array_reserve(ThContext *c, int ndim);
/* Takes a reference on b over. */
void array_fill(ThArray *a, ThBuffer *b, char *data, ThDtype d, int ndim, const int64_t *shape, const int64_t *strides);
bool array_unfilled(ThContext *c, ThArray *a);
/* An array without any check: data lies in b; strides (bytes) NULL: C order. */
ThArray *array_header(ThContext *c, ThBuffer *b, char *data, ThDtype d, int ndim, const int64_t *shape,
                      const int64_t *strides);
void array_cell_value(ThDtype d, const void *cell, ThValue *v); /* one element, as th_array_get gives it */
bool array_same_bits(const ThArray *a, const ThArray *b);       /* lengths, dtype and every bit */
double array_item_float(const ThArray *a);                      /* first element, any dtype */
int64_t array_item_int(const ThArray *a);
bool array_all_equal(const ThArray *a); /* every element has the bits of the first (size > 0) */
/* Odometer over `ndim` lengths of several strided operands at once: calls fn for each innermost run. */
typedef void (*ArrayRun)(void *user, char *const *ptr, const int64_t *stride, int64_t n);
void array_walk(int ndim, const int64_t *shape, int nop, char *const *ptr, const int64_t *const *strides, ArrayRun fn,
                void *user);

/* ---- isa.c ------------------------------------------------------------------------------------------------------- */
int isa_level(void);        /* of x86-64: the psABI's level that may be used here, 4, 3, 2 or 0 */
int isa_vector_bytes(void); /* 16, 32 (AVX2, FMA) or 64 (AVX-512 F, DQ, BW, VL): what may be used here */

/* ---- config.c: the flags as one table ---------------------------------------------------------------------------- */
ThDtype config_floatX(ThContext *c);
uint64_t config_turn(const ThContext *c); /* changes with every change of flags */
bool config_numpy_casts(ThContext *c);    /* cast_policy is numpy+floatX, not custom */
bool config_bool(ThContext *c, const char *name);
int64_t config_int(ThContext *c, const char *name);
const char *config_str(ThContext *c, const char *name);

#endif
