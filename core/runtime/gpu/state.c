/*
 * state.c -- draws from the state of a RandomState on a device. In: a StateWork whose parameters are on the host. Out:
 * the CPU's numbers, by the CPU's samplers: the files of base/random are the text of the kernel, one for each
 * distribution. A word of the Mersenne Twister belongs to the number behind the one before, however many words that
 * threw away, so a thread draws them all.
 */
#include "base/random/random.h"
#include "embed.h"
#include "gpu.h"

#include <string.h>

GPU_EMBED(state_words_text, "base/random/words_body.h");
GPU_EMBED(state_text, "base/random/state.h");
GPU_EMBED(state_plain_text, "base/random/plain.c");
GPU_EMBED(state_dist_text, "base/random/dist.c");
GPU_EMBED(state_count_text, "base/random/count.c");
GPU_EMBED(state_picks_text, "base/random/picks.c");

GPU_RECORD(StateArgs, {
    i64 *err, step;
    const u64 *from;
    u64 *to;
    char *out;
    const i64 *params;
    const char *pick;
    char *room;
    i64 same, n, many, rows, kind, bytes, truth, pick_kind, pick_bytes, replace, no_state;
})

/* What the files take from C's headers and from random.h. */
static const char words[] = "#ifdef __CUDACC__\n"
                            "#define DRAW static __device__\n"
                            "#define static static __device__\n"
                            "#else\n"
                            "#define DRAW static __attribute__((unused))\n"
                            "#define bool _Bool\n"
                            "#define true 1\n"
                            "#define false 0\n"
                            "#define NULL ((void *)0)\n"
                            "typedef unsigned long size_t;\n"
                            "#endif\n"
                            "#define RANDOM_ALONE\n"
                            "#define int64_t i64\n"
                            "#define uint64_t u64\n"
                            "#define uint32_t u32\n"
                            "#define int32_t i32\n"
                            "#define INT64_MAX 0x7fffffffffffffffl\n"
                            "#define INT64_MIN (-0x7fffffffffffffffl - 1)\n"
                            "#define UINT32_MAX 0xffffffffu\n"
                            "#undef isnan\n"
                            "#define isnan(x) ((x) != (x))\n"
                            "enum { WORDS_BLOCK = 624, WORDS_AHEAD = 397 };\n"
                            "typedef union { i64 i; f64 f; } ThValue;\n";

static const char between[] =
    "typedef struct ThRandom { RandomWords *w; } ThRandom;\n"
    "DRAW void words_refill(RandomWords *w) { refill(w->key); w->pos = 0; }\n"
    "DRAW u32 random_word(ThRandom *r) { return words_next(r->w); }\n"
    "DRAW u64 random_word64(ThRandom *r) { const u64 high = random_word(r); return high << 32 | random_word(r); }\n"
    "DRAW f64 random_double(ThRandom *r) { return words_double(r->w); }\n"
    "DRAW void random_doubles(ThRandom *r, f64 *out, i64 n) { for (i64 i = 0; i < n; i++) out[i] = random_double(r); "
    "}\n"
    "DRAW u64 random_interval(ThRandom *r, u64 range) {\n"
    "    u64 mask = range, v;\n"
    "    for (int h = 1; h < 64; h <<= 1) mask |= mask >> h;\n"
    "    if (!range) return 0;\n"
    "    do v = (range <= UINT32_MAX ? random_word(r) : random_word64(r)) & mask;\n"
    "    while (v > range);\n"
    "    return v;\n"
    "}\n"
    "DRAW f64 random_gamma(ThRandom *r, f64 shape);\n"
    "DRAW i64 random_poisson(ThRandom *r, f64 lam);\n";

/* clang-format off */
static const char text[] = "#undef static\n" GPU_TEXT(
    INLINE void put_whole(const StateArgs *a, i64 i, i64 v) {
        put_number(a->out + i * a->bytes, (int)a->kind, a->truth ? v != 0 : v);
    }
    INLINE void put_float(const StateArgs *a, i64 i, f64 v) {
        if (a->truth) put_whole(a, i, v != 0);
        else put_real(a->out + i * a->bytes, (int)a->kind, v);
    }
    )
    "#if KIND == 0\n"
    GPU_TEXT(
        INLINE void draw(const StateArgs *a, ThRandom *r) {
            ThValue p[3];
            for (i64 i = 0; i < a->many; i++) {
                for (int k = 0; k < PARAMS; k++) p[k].i = a->same ? a->params[k] : a->params[k * a->many + i];
                PUT(a, i, ONE(r, p));
            }
        }
    )
    "#elif KIND == 1\n"
    GPU_TEXT(
        INLINE void draw(const StateArgs *a, ThRandom *r) {
            for (i64 i = 0; i < a->many; i++) {
                const i64 low = a->params[a->same ? 0 : i], range = a->params[a->same ? 1 : a->many + i];
                put_whole(a, i, (i64)((u64)low + random_interval(r, (u64)range)));
            }
        }
    )
    "#elif KIND == 2\n"
    GPU_TEXT(
        INLINE void draw(const StateArgs *a, ThRandom *r) {
            i64 *const at = (i64 *)a->room;
            for (i64 row = 0; row < a->rows; row++) {
                random_order(r, at, a->n);
                for (i64 i = 0; i < a->n; i++) put_whole(a, row * a->n + i, at[i]);
            }
        }
    )
    "#elif KIND == 3\n"
    GPU_TEXT(
        INLINE void draw(const StateArgs *a, ThRandom *r) {
            i64 *const at = (i64 *)a->room;
            RandomChoice k;
            k.n = a->n; k.size = a->many; k.replace = a->replace != 0; k.ordered = 0;
            k.p = (const f64 *)a->params;
            random_choose_words(r, &k, at, a->room + a->many * 8);
            for (i64 i = 0; i < a->many; i++) {
                const char *const from = a->pick + at[i] * a->pick_bytes;
                if (!a->pick) put_whole(a, i, at[i]);
                else if (a->pick_kind >= 20) put_float(a, i, get_real(from, (int)a->pick_kind));
                else if (a->kind >= 20) put_float(a, i, get_real(from, (int)a->pick_kind));
                else put_whole(a, i, get_number(from, (int)a->pick_kind));
            }
        }
    )
    "#elif KIND == 4\n"
    GPU_TEXT(
        INLINE void draw(const StateArgs *a, ThRandom *r) {
            i64 *const share = (i64 *)a->room;
            const f64 *const p = (const f64 *)a->params;
            for (i64 row = 0; row < a->rows; row++) {
                random_share(r, a->params[a->rows * a->n + row], p + row * a->n, a->n, share);
                for (i64 i = 0; i < a->n; i++) put_whole(a, row * a->n + i, share[i]);
            }
        }
    )
    "#endif\n"
    GPU_TEXT(
    KERNEL state_draw(const StateArgs a) {
        if (a.err[0] || blockIdx.x || threadIdx.x) return;
        RandomWords *const w = (RandomWords *)a.to;
        ThRandom r;
        r.w = w;
        if (a.from != a.to)
            for (int i = 0; i < (int)(sizeof(RandomWords) / 8); i++) a.to[i] = a.from[i];
        if (w->pos > 624) {
            fail(a.err, a.step, a.no_state, 0, 0, 0, 0);
            return;
        }
        draw(&a, &r);
    }
);
/* clang-format on */

/* Variants: the kind; of numbers, the distribution behind it. */
static bool has(int variant) {
    return variant < STATE_KINDS ? variant != STATE_NUMBERS : th_random_distribution(variant - STATE_KINDS) != NULL;
}

static void head(Text *t, int variant) {
    bool real;
    if (variant < STATE_KINDS) {
        text_printf(t, "#define KIND %d\n", variant);
        return;
    }
    int which = variant - STATE_KINDS;
    const char *one = random_sampler(which, &real);
    text_printf(t, "#define KIND %d\n#define ONE %s\n#define PUT %s\n#define PARAMS %d\n", STATE_NUMBERS, one,
                real ? "put_float" : "put_whole", th_random_distribution(which)->nparams);
}

static const CudaEntry kernel[] = {GPU_ENTRY(state_draw, StateArgs, false)};
static const char *const pieces[] = {words,
                                     state_words_text,
                                     state_text,
                                     between,
                                     state_plain_text,
                                     state_dist_text,
                                     state_count_text,
                                     state_picks_text,
                                     gpu_number_text,
                                     gpu_fail_text,
                                     StateArgs_text,
                                     text,
                                     NULL};
const GpuFamily gpu_states = {"draws", pieces, kernel, TH_LEN(kernel), has, head};

/* Memory of the device with what the host has. */
static bool bring(HostCall *h, const void *from, size_t bytes, char **at) {
    DeviceQueue *q = h->gpu->q;
    if (!gpu_room(h, bytes + sizeof(i64), at)) return false;
    return !bytes || !gpu_status(h, q->device->op->copy_in(q, (DeviceAddress)(uintptr_t)*at, from, bytes));
}

/* Working memory of the samplers. */
static size_t room_of(const StateWork *w) {
    RandomChoice k = {.n = w->n, .size = w->out->size, .replace = w->replace};
    size_t picked = (size_t)w->out->size * sizeof(i64);
    if (w->kind == STATE_PICKS) return picked + (k.size ? random_choice_room(&k, w->many > 0) : 0);
    return w->kind == STATE_ORDERS || w->kind == STATE_SHARES ? (size_t)w->n * sizeof(i64) : 0;
}

int gpu_state(HostCall *h, const StateWork *w) {
    const ThArray *z = w->out;
    StateArgs a = {.from = (const u64 *)(const void *)w->from->data,
                   .to = (u64 *)(void *)w->to->data,
                   .out = z->data,
                   .same = w->many == 1,
                   .n = w->n,
                   .many = z->size,
                   .rows = w->n > 0 ? z->size / w->n : 0,
                   .kind = gpu_number((ThDtype)z->dtype),
                   .bytes = (i64)th_dtype_bytes((ThDtype)z->dtype),
                   .truth = z->dtype == TH_BOOL,
                   .pick_kind = gpu_number(w->pick_dtype),
                   .pick_bytes = (i64)th_dtype_bytes(w->pick_dtype),
                   .replace = w->replace,
                   .no_state = w->no_state};
    char *params, *pick = NULL, *room;
    if (!bring(h, w->params, (size_t)(w->nparam * w->many) * sizeof(i64), &params)) return 1;
    if (w->pick && !bring(h, w->pick, (size_t)(w->n * a.pick_bytes), &pick)) return 1;
    if (!gpu_room(h, room_of(w) + sizeof(i64), &room)) return 1;
    a.params = w->many ? (const i64 *)(const void *)params : NULL;
    a.pick = pick, a.room = room;
    return gpu_launch(h, &gpu_states, w->kind == STATE_NUMBERS ? STATE_KINDS + w->which : (int)w->kind, 0, 1, &a);
}
