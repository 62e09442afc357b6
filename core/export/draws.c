/*
 * draws.c -- draws from a RandomState's state as C: the samplers of base/random are texts of the program, as they are
 * of a GPU's kernels. In: a draw whose parameters are the same in all calls. Out: loops over its numbers.
 */
#include "base/random/random.h"

#include "host.h"
#include "runtime/gpu/embed.h"

#include <string.h>

GPU_EMBED(draws_words_text, "base/random/words_body.h");
GPU_EMBED(draws_state_text, "base/random/state.h");
GPU_EMBED(draws_plain_text, "base/random/plain.c");
GPU_EMBED(draws_dist_text, "base/random/dist.c");
GPU_EMBED(draws_count_text, "base/random/count.c");
GPU_EMBED(draws_picks_text, "base/random/picks.c");

/* What the files take from C's headers and from random.h. */
static const char before[] = "#include <stdbool.h>\n"
                             "#define RANDOM_ALONE\n"
                             "#define DRAW FN\n"
                             "enum { WORDS_BLOCK = 624, WORDS_AHEAD = 397 };\n"
                             "typedef union { int64_t i; double f; } ThValue;\n";

static const char between[] = "typedef struct ThRandom { RandomWords *w; } ThRandom;\n"
                              "DRAW void words_refill(RandomWords *w) { refill(w->key); w->pos = 0; }\n"
                              "DRAW uint32_t random_word(ThRandom *r) { return words_next(r->w); }\n"
                              "DRAW uint64_t random_word64(ThRandom *r) {\n"
                              "    const uint64_t high = random_word(r);\n"
                              "    return high << 32 | random_word(r);\n"
                              "}\n"
                              "DRAW double random_double(ThRandom *r) { return words_double(r->w); }\n"
                              "DRAW void random_doubles(ThRandom *r, double *out, int64_t n) {\n"
                              "    for (int64_t i = 0; i < n; i++) out[i] = random_double(r);\n"
                              "}\n"
                              "DRAW uint64_t random_interval(ThRandom *r, uint64_t range) {\n"
                              "    uint64_t mask = range, v;\n"
                              "    for (int h = 1; h < 64; h <<= 1) mask |= mask >> h;\n"
                              "    if (!range) return 0;\n"
                              "    do v = (range <= UINT32_MAX ? random_word(r) : random_word64(r)) & mask;\n"
                              "    while (v > range);\n"
                              "    return v;\n"
                              "}\n";

void draws_texts(const Export *x, Text *t) {
    if (!x->state) return;
    text_put(t, before);
    text_put(t, draws_words_text);
    text_put(t, draws_state_text);
    text_put(t, between);
    text_put(t, draws_plain_text);
    if (!x->dist) return;
    text_put(t, "DRAW double random_gamma(ThRandom *r, double shape);\n"
                "DRAW int64_t random_poisson(ThRandom *r, double lam);\n");
    text_put(t, draws_dist_text);
    text_put(t, draws_count_text);
    text_put(t, draws_picks_text);
}

static const char *ctype_of(ThDtype d) { return dtype_is_complex(d) || dtype_is_half(d) ? NULL : export_ctype(d); }

static void put_words(Text *t, const char *name, const int64_t *v, int64_t n) {
    text_printf(t, "            static const u64 %s[] = {", name);
    for (int64_t i = 0; i < n; i++)
        text_printf(t, i % 4 || !i ? "0x%llx, " : "\n                0x%llx, ", (unsigned long long)v[i]);
    text_put(t, n ? "};\n" : "0};\n");
}

/* Each number: by its sampler, whose parameters are bits in `params`. */
static void put_numbers(Text *t, const StateWork *w, const char *one, int64_t n) {
    text_printf(t, "            for (i64 i = 0; i < %lld; i++) {\n", (long long)n);
    for (int k = 0; k < w->nparam; k++)
        text_printf(t, "                memcpy(&p[%d], &params[%lld%s], 8);\n", k, (long long)(k * w->many),
                    w->many == 1 ? "" : " + i");
    text_printf(t, "                PUT(i, %s(&r, p));\n            }\n", one);
}

static void put_integers(Text *t, const StateWork *w, int64_t n) {
    text_printf(t, "            for (i64 i = 0; i < %lld; i++)\n", (long long)n);
    text_printf(t, "                PUT(i, (int64_t)(params[%s] + random_interval(&r, params[%lld%s])));\n",
                w->many == 1 ? "0" : "i", (long long)w->many, w->many == 1 ? "" : " + i");
}

static void put_orders(Text *t, const StateWork *w, int64_t n) {
    text_printf(t, "            for (i64 k = 0; k < %lld; k += %lld) {\n", (long long)n, (long long)w->n);
    text_printf(t, "                random_order(&r, room, %lld);\n", (long long)w->n);
    text_printf(t, "                for (i64 i = 0; i < %lld; i++) PUT(k + i, room[i]);\n            }\n",
                (long long)w->n);
}

static void put_picks(Text *t, const StateWork *w, int64_t n) {
    text_printf(t, "            double chance[%lld];\n", (long long)(w->many ? w->many : 1));
    if (w->many) text_put(t, "            memcpy(chance, params, sizeof chance);\n");
    text_printf(t,
                "            const RandomChoice k = {%lld, %lld, %d, 0, %s};\n"
                "            (void)chance;\n            random_choose_words(&r, &k, room, room + %lld);\n",
                (long long)w->n, (long long)n, w->replace, w->many ? "chance" : "0", (long long)n);
    text_printf(t, "            for (i64 i = 0; i < %lld; i++) PUT(i, %s);\n", (long long)n,
                w->pick ? "from[room[i]]" : "room[i]");
}

static void put_shares(Text *t, const StateWork *w, int64_t n) {
    const long long rows = w->n ? n / w->n : 0, k = w->n;
    text_printf(t,
                "            for (i64 row = 0; row < %lld; row++) {\n"
                "                double chance[%lld];\n"
                "                memcpy(chance, params + row * %lld, sizeof chance);\n"
                "                random_share(&r, (int64_t)params[%lld + row], chance, %lld, room);\n"
                "                for (i64 i = 0; i < %lld; i++) PUT(row * %lld + i, room[i]);\n            }\n",
                rows, k, k, rows * k, k, k, k);
}

/* Elements that are picked from, as constants. */
static bool put_population(Capture *q, const StateWork *w) {
    const char *type = ctype_of(w->pick_dtype);
    if (!type) return false;
    ThArray *a = th_array_wrap(q->x->c, w->pick_dtype, 1, &w->n, NULL, (char *)w->pick, NULL, NULL);
    if (!a) return false;
    text_printf(q->t, "            static const %s from[] = {", type);
    export_numbers(q->t, w->pick_dtype, a->data, w->n);
    text_put(q->t, "};\n");
    th_array_release(a);
    return true;
}

static int64_t words_of_room(const StateWork *w) {
    const RandomChoice k = {.n = w->n, .size = w->out->size, .replace = w->replace};
    if (w->kind == STATE_PICKS)
        return w->out->size + (k.size ? (int64_t)(random_choice_room(&k, w->many > 0) + 7) / 8 : 0) + 1;
    return w->n + 1;
}

int draws_state(HostCall *h, const StateWork *w) {
    Capture *q = h->frame;
    Text *t = q->t;
    const ThDtype d = (ThDtype)w->out->dtype;
    const char *type = ctype_of(d);
    bool real = false, own = w->kind != STATE_NUMBERS;
    const char *one = own ? NULL : random_sampler(w->which, &real);
    if (!type || (real && !dtype_is_float(d)) || !(w->out->flags & ARRAY_CONTIGUOUS)) return host_refuse(q);
    static const char *const plain[] = {"random_sample", "random_standard_normal", "random_uniform", "random_normal"};
    bool few = w->kind == STATE_INTEGERS;
    for (int i = 0; one && i < TH_LEN(plain); i++) few |= !strcmp(one, plain[i]);
    q->x->state = true, q->x->dist |= !few;
    text_put(t, "        {\n");
    put_words(t, "params", w->params, w->nparam * w->many);
    if (w->pick && !put_population(q, w)) return host_refuse(q);
    text_put(t, "            RandomWords words;\n            ThRandom r = {&words};\n            ThValue p[3];\n");
    text_printf(t, "            %s *z = ", type);
    host_place(q, type, w->out->data);
    if (own) {
        text_put(t, ";\n            int64_t *room = ");
        host_room(q, "int64_t", 8 * words_of_room(w));
    }
    text_put(t, ";\n            (void)params, (void)p;\n            memcpy(&words, ");
    host_place(q, "char", w->from->data);
    text_printf(t, ", sizeof words);\n            if (words.pos > 624) return f->rt->fail(f, %d, %d, 0, 0, 0, 0, 0);\n",
                q->step, TH_ValueError);
    text_printf(t, "#define PUT(at, v) (z[at] = %s)\n", d == TH_BOOL ? "(v) != 0" : "(Z)(v)");
    text_printf(t, "#define Z %s\n", type);
    switch (w->kind) {
    case STATE_NUMBERS: put_numbers(t, w, one, w->out->size); break;
    case STATE_INTEGERS: put_integers(t, w, w->out->size); break;
    case STATE_ORDERS: put_orders(t, w, w->out->size); break;
    case STATE_PICKS: put_picks(t, w, w->out->size); break;
    default: put_shares(t, w, w->out->size); break;
    }
    text_put(t, "#undef PUT\n#undef Z\n            memcpy(");
    host_place(q, "char", w->to->data);
    text_put(t, ", &words, sizeof words);\n        }\n");
    return 0;
}
