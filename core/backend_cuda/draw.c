/*
 * draw.c -- draws of random numbers: threads go along a stream of MRG31k3p, or take a counter of Philox, and each
 * number goes on to what follows it in the kernel. Numbers are those of base/random bit for bit. States are looked at
 * by a kernel of its own before any is written.
 */
#include "cuda.h"
#include "base/random/mrg.h"
#include "kernel/draw_work.h"
#include "ops/table/ops.h"

#include <stdio.h>
#include <string.h>

#define GRID_LOOP "for (i64 g = blockIdx.x * (i64)blockDim.x + threadIdx.x; g < %s; g += gridDim.x * (i64)blockDim.x) {"

static const Stage *draw_of(const Emit *e) { return &e->k->st.at[0]; }

static DrawKind kind_of(const Kernel *k) { return (DrawKind)k->size.at[k->st.at[0].num0 + DRAW_AT_KIND].k; }

/* Where a draw in pairs reads states, which other threads than a stream's own change. */
static void kept_states(Emit *e) { emit_line(e, "i32 *const kept = (i32 *)b[%d]; (void)kept;", e->nbuf - 1); }

static int words_of(ThDtype d) { return (int)th_dtype_bytes(d) / 4; }

/* draws, each, streams; points: the threads that have something to do. */
static void lengths(Emit *e) {
    static const char *const name[DRAW_NUMBERS] = {NULL, "draws", "each", "streams"};
    ThDtype d = (ThDtype)e->k->acc.at[draw_of(e)->C].dtype;
    for (int n = DRAW_AT_DRAWS; n < DRAW_NUMBERS; n++) {
        Text t;
        text_init(&t, e->c);
        emit_size(&t, e->k->size.at[draw_of(e)->num0 + n]);
        emit_line(e, "const i64 %s = %s; (void)%s;", name[n], t.at ? t.at : "0", name[n]);
        text_free(&t);
    }
    if (kind_of(e->k) == DRAW_MRG) emit_line(e, "const i64 points = streams;");
    else {
        if (draw_of(e)->paired) emit_line(e, "const i64 half = n%d;", draw_of(e)->d0);
        emit_line(e, "const i64 most = %d, points = (%s + most - 1) / most * draws;", 4 / words_of(d),
                  draw_of(e)->paired ? "half" : "each");
    }
}

/* ---- MRG31k3p: jumps --------------------------------------------------------------------------------------------- */
enum { POWERS = 31 }; /* a draw has fewer numbers than 2^31 */

static void jump_half(Text *t, const uint32_t m[3][3], const char *x, const char *fold) {
    text_put(t, "    {\n        const u32 ");
    for (int i = 0; i < 3; i++) {
        text_printf(t, "%s%c = %s(", i ? ", " : "", 'a' + i, fold);
        for (int j = 0; j < 3; j++) text_printf(t, "%s(u64)%s[%d] * %uul", j ? " + " : "", x, j, (unsigned)m[i][j]);
        text_put(t, ")");
    }
    text_printf(t, ";\n        %s[0] = a, %s[1] = b, %s[2] = c;\n    }\n", x, x, x);
}

static void squared(uint32_t m[3][3], uint64_t prime) {
    uint32_t p[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            uint64_t sum = 0;
            for (int h = 0; h < 3; h++) sum += (uint64_t)m[i][h] * m[h][j] % prime;
            p[i][j] = (uint32_t)(sum % prime);
        }
    memcpy(m, p, sizeof p);
}

/* By how much 2^i numbers multiply a state, for each i. */
static void powers(Text *t) {
    static const uint32_t one[2][3][3] = {{{0, 1u << 22, 129}, {1, 0, 0}, {0, 1, 0}},
                                          {{1u << 15, 0, (1u << 15) + 1}, {1, 0, 0}, {0, 1, 0}}};
    uint32_t m[2][3][3];
    memcpy(m, one, sizeof m);
    text_printf(t, "CONSTANT u32 mrg_power[%d][18] = {\n", POWERS);
    for (int i = 0; i < POWERS; i++) {
        text_put(t, "    {");
        for (int j = 0; j < 18; j++) text_printf(t, j ? ", %uu" : "%uu", (unsigned)m[j / 9][j / 3 % 3][j % 3]);
        text_put(t, "},\n");
        squared(m[0], MRG_M1), squared(m[1], MRG_M2);
    }
    text_put(t, "};\n");
}

static void mrg_helpers(Emit *e) {
    if (!need(e, "mrg_next")) return;
    Text *t = &e->helpers;
    text_printf(t,
                "/* Modulo 2^31 - 1 and 2^31 - 21069, of sums of three products. */\n"
                "INLINE u32 mrg_fix(u32 y, u32 m) { const u32 z = y - m; return y < z ? y : z; }\n"
                "INLINE u32 mrg_fold1(u64 x) {\n"
                "    x = (x & %uu) + (x >> 31);\n"
                "    return mrg_fix((u32)(x & %uu) + (u32)(x >> 31), %uu);\n"
                "}\n"
                "INLINE u32 mrg_fold2(u64 x) {\n"
                "    x = (x & %uu) + 21069u * (x >> 31);\n"
                "    return mrg_fix((u32)(x & %uu) + 21069u * (u32)(x >> 31), %uu);\n"
                "}\n",
                MRG_M1, MRG_M1, MRG_M1, MRG_M1, MRG_M1, MRG_M2);
    text_printf(t,
                "INLINE i32 mrg_next(u32 *x) { /* x11 x12 x13 x21 x22 x23; v, w: twice the sums */\n"
                "    const u32 m1 = %uu, m2 = %uu;\n"
                "    const u64 v = ((u64)x[1] << 23) + (u64)x[2] * 258u, w = ((u64)x[3] << 16) + (u64)x[5] * 65538u;\n"
                "    const u32 y = mrg_fix(((u32)v >> 1) + (u32)(v >> 32), m1);\n"
                "    const u32 z = mrg_fix(((u32)w >> 1) + 21069u * (u32)(w >> 32), m2);\n"
                "    x[2] = x[1], x[1] = x[0], x[0] = y, x[5] = x[4], x[4] = x[3], x[3] = z;\n"
                "    const i32 d = (i32)(y - z), more = (i32)(y - z + m1); /* where d > 0 this is not, else it is */\n"
                "    return d > more ? d : more;\n"
                "}\n"
                "INLINE int mrg_none(const u32 *x) { /* no state */\n"
                "    const u32 m1 = %uu, m2 = %uu;\n"
                "    return x[0] >= m1 || x[1] >= m1 || x[2] >= m1 || x[3] >= m2 || x[4] >= m2 || x[5] >= m2 ||\n"
                "           !(x[0] | x[1] | x[2]) || !(x[3] | x[4] | x[5]);\n"
                "}\n",
                (unsigned)MRG_M1, (unsigned)MRG_M2, (unsigned)MRG_M1, (unsigned)MRG_M2);
    text_put(t, "INLINE void mrg_lane(u32 *x) {\n    u32 *const z = x + 3;\n");
    jump_half(t, mrg_jumps[MRG_JUMP_LANE][0], "x", "mrg_fold1");
    jump_half(t, mrg_jumps[MRG_JUMP_LANE][1], "z", "mrg_fold2");
    text_put(t, "}\n");
    powers(t);
    text_printf(
        t,
        "/* n numbers on. */\n"
        "INLINE void mrg_ahead(u32 *x, i64 n) {\n"
        "    for (int i = 0; i < %d && n >> i; i++) {\n"
        "        if (!(n >> i & 1)) continue;\n"
        "        const u32 *const m = mrg_power[i], *const z = m + 9;\n"
        "        u32 y[6];\n"
        "        UNROLL\n"
        "        for (int h = 0; h < 3; h++) {\n"
        "            y[h] = mrg_fold1((u64)m[3 * h] * x[0] + (u64)m[3 * h + 1] * x[1] + (u64)m[3 * h + 2] * x[2]);\n"
        "            y[h + 3] = mrg_fold2((u64)z[3 * h] * x[3] + (u64)z[3 * h + 1] * x[4] + (u64)z[3 * h + 2] * "
        "x[5]);\n"
        "        }\n"
        "        UNROLL\n"
        "        for (int h = 0; h < 6; h++) x[h] = y[h];\n"
        "    }\n"
        "}\n",
        POWERS);
}

static void philox_helpers(Emit *e) {
    if (need(e, "philox"))
        text_put(&e->helpers, "INLINE void philox(u32 *c, u32 k0, u32 k1) {\n"
                              "    for (int r = 0; r < 10; r++) {\n"
                              "        const u64 p = (u64)c[0] * 0xD2511F53u, z = (u64)c[2] * 0xCD9E8D57u;\n"
                              "        c[0] = (u32)(z >> 32) ^ c[1] ^ k0, c[2] = (u32)(p >> 32) ^ c[3] ^ k1;\n"
                              "        c[1] = (u32)z, c[3] = (u32)p;\n"
                              "        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;\n"
                              "    }\n"
                              "}\n");
    if (!draw_of(e)->paired || !need(e, "philox_at")) return;
    text_put(&e->helpers, "/* Of the counter that is k behind `from`. */\n"
                          "INLINE void philox_at(u32 *c, const u32 *from, i64 k, const u32 *key) {\n"
                          "    const u64 low = (u64)from[1] << 32 | from[0], sum = low + (u64)k;\n"
                          "    const u64 high = ((u64)from[3] << 32 | from[2]) + (sum < low);\n"
                          "    c[0] = (u32)sum, c[1] = (u32)(sum >> 32), c[2] = (u32)high, c[3] = (u32)(high >> 32);\n"
                          "    philox(c, key[0], key[1]);\n"
                          "}\n");
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */
static void begin(Emit *e, const char *suffix, bool can_fail) {
    emit_line(e, "KERNEL kernel_%d%s(const Args_%d a) {", e->number, suffix, e->number);
    e->indent = 1;
    cuda_head(e);
    cuda_leave(e, can_fail);
    lengths(e);
}

static void over_points(Emit *e) {
    emit_line(e, GRID_LOOP, "points");
    e->indent++;
}

static void end(Emit *e) {
    e->indent--;
    emit_line(e, "}");
    e->indent = 0;
    emit_line(e, "}\n");
}

static void look(Emit *e) {
    begin(e, "c", true);
    if (draw_of(e)->paired) kept_states(e);
    over_points(e);
    emit_line(e, "u32 x[6];");
    emit_line(e, "for (int h = 0; h < 6; h++) x[h] = (u32)p_%s[6 * g + h];", e->name[draw_of(e)->A]);
    emit_line(e, "if (g < each && draws > 0 && mrg_none(x)) { record(a.err, a.step, %d, 0, 0, 0, g, 0); return; }",
              (int)TH_ValueError);
    if (draw_of(e)->paired) emit_line(e, "for (int h = 0; h < 6; h++) kept[6 * g + h] = (i32)x[h];");
    end(e);
}

/* `value` is number `at` of all. */
static bool number(Emit *e, const NestNode *call, const char *value, const char *at) {
    const Stage *st = draw_of(e);
    const Access *c = &e->k->acc.at[st->C];
    emit_line(e, "const %s drawn = %s;", type_short((ThDtype)c->dtype), value);
    if (st->nd == 1) emit_line(e, "const i64 i%d = %s; (void)i%d;", st->d0, at, st->d0);
    if (!st->passing) emit_line(e, "p_%s[%s] = drawn;", e->name[st->C], at);
    return cuda_nodes(e, call->child);
}

/* Numbers g, g + streams, .. of each draw; of further ones from states that jumped ahead. A block has CHOOSE_WARP
 * streams, each of which CHOOSE_STRANDS threads share: one begins where the one before it ends. All have read a
 * stream's state before one of them writes what it is afterwards. */
static void mrg_share(Emit *e) {
    if (draw_of(e)->paired) {
        emit_line(e, "const i64 half = n%d, rows = streams > 0 ? half / streams : 0, more = half - rows * streams;",
                  draw_of(e)->d0);
        emit_line(e, "const i64 all = rows + (more > 0);");
    } else emit_line(e, "const i64 all = streams > 0 ? (each + streams - 1) / streams : 0;");
    emit_line(e, "i64 share = (all + %d) / %d; int zeros = 0;", CHOOSE_STRANDS - 1, CHOOSE_STRANDS);
    emit_line(e, "while (share >> zeros > 7) zeros++; /* few bits: few steps to jump there */");
    emit_line(e, "share = ((share + ((i64)1 << zeros) - 1) >> zeros) << zeros;");
}

static const char *mrg_value(ThDtype d, const char *of) { /* as mrg_body.h */
    static const char *const text[2][2] = {
        {"(f32)mrg_next(x) * 4.6566126e-10f", "(f32)mrg_next(y) * 4.6566126e-10f"},
        {"(f64)mrg_next(x) * 4.656612873077392578125e-10", "(f64)mrg_next(y) * 4.656612873077392578125e-10"}};
    return text[d != TH_FLOAT32][*of == 'y'];
}

/* States after a draw in pairs: of a stream whose next number would come after all, by who drew the last one. */
static void paired_states(Emit *e) {
    const char *to = e->name[draw_of(e)->B];
    emit_line(e, "for (int h = 0; h < 6 && begin < end && next >= each; h++) p_%s[6 * g + h] = (i32)x[h];", to);
    emit_line(e, "for (int h = 0; h < 6 && begin < end && end == own; h++) p_%s[6 * other + h] = (i32)y[h];", to);
    emit_line(e, "for (int h = 0; h < 6 && g >= each && g < streams && !strand; h++)"); /* those that gave none */
    emit_line(e, "    p_%s[6 * g + h] = kept[6 * g + h];", to);
}

/* Numbers j and half + j, of the streams g and `other`, which has given `far` numbers before. After three numbers the
 * registers of both states are where they were. */
static bool mrg_pairs(Emit *e, const NestNode *call) {
    const Stage *st = draw_of(e);
    ThDtype d = (ThDtype)e->k->acc.at[st->C].dtype;
    emit_line(e, "const i64 g = to + threadIdx.x %% %d, strand = threadIdx.x / %d;", CHOOSE_WARP, CHOOSE_WARP);
    emit_line(e, "const i64 own = g < streams ? rows + (g < more) : 0;");
    emit_line(e, "const i64 begin = strand * share, end = begin + share < own ? begin + share : own;");
    emit_line(e, "const int past = g + more >= streams;");
    emit_line(e, "const i64 other = past ? g + more - streams : g + more, far = rows + past;");
    emit_line(e, "u32 x[6], y[6];");
    emit_line(e, "for (int h = 0; h < 6 && begin < end; h++)");
    emit_line(e, "    x[h] = (u32)kept[6 * g + h], y[h] = (u32)kept[6 * other + h];");
    emit_line(e, "mrg_ahead(x, begin < end ? begin : 0);");
    emit_line(e, "mrg_ahead(y, begin < end ? far + begin : 0);");
    emit_line(e, "const i64 next = end * streams + g;");
    emit_line(e, "u32 j = (u32)(begin * streams + g); /* a draw has fewer numbers than 2^31 */");
    emit_line(e, "_Pragma(\"unroll 3\")");
    emit_line(e, "for (int n = begin < end ? (int)(end - begin) : 0; n > 0; n--, j += (u32)streams) {");
    e->indent++;
    emit_line(e, "const %s drawn = %s, drawn2 = %s;", type_short(d), mrg_value(d, "x"), mrg_value(d, "y"));
    emit_line(e, "const u32 i%d = j; (void)i%d;", st->d0, st->d0);
    bool ok = cuda_nodes(e, call->child);
    e->indent--;
    emit_line(e, "}");
    if (st->B >= 0) paired_states(e);
    return ok;
}

static bool mrg(Emit *e, const NestNode *call) {
    const Stage *st = draw_of(e);
    const char *from = e->name[st->A];
    emit_line(e, "const i64 g = to + threadIdx.x %% %d, strand = threadIdx.x / %d;", CHOOSE_WARP, CHOOSE_WARP);
    emit_line(e, "const i64 own = g < streams && g < each && draws > 0 ? (each - 1 - g) / streams + 1 : 0;");
    emit_line(e, "const i64 begin = strand * share, end = begin + share < own ? begin + share : own;");
    emit_line(e, "const int here = g < streams && (begin < own || !strand);");
    emit_line(e, "u32 x[6], y[6];");
    emit_line(e, "for (int h = 0; h < 6 && here; h++) x[h] = (u32)p_%s[6 * g + h];", from);
    emit_line(e, "__syncthreads();");
    emit_line(e, "for (i64 l = 0; here && (l == 0 || l < draws); l++) {");
    e->indent++;
    emit_line(e, "if (l) mrg_lane(x);");
    emit_line(e, "for (int h = 0; h < 6; h++) y[h] = x[h];");
    emit_line(e, "mrg_ahead(y, begin);");
    emit_line(e, "for (i64 k = begin, j = begin * streams + g; k < end; k++, j += streams) {");
    e->indent++;
    e->leave = "break"; /* the others of the block wait */
    bool ok = number(e, call, mrg_value((ThDtype)e->k->acc.at[st->C].dtype, "y"), "l * each + j");
    e->leave = NULL;
    e->indent--;
    emit_line(e, "}");
    if (st->B >= 0)
        emit_line(e, "for (int h = 0; h < 6 && l == 0 && end == own; h++) p_%s[6 * g + h] = (i32)y[h];",
                  e->name[st->B]);
    e->indent--;
    emit_line(e, "}");
    return ok;
}

/* Number h of the words at c, which are replaced by those at z if `second`. */
static void philox_value(char out[160], ThDtype d, bool second) {
    const char *value = d == TH_UINT32    ? "c[h]"
                        : d == TH_FLOAT32 ? "(f32)(i32)(c[h] >> 8) * 5.9604644775390625e-8f"
                        : d == TH_UINT64  ? "(u64)c[2 * h + 1] << 32 | c[2 * h]"
                                          : "((f64)(i32)(c[2 * h] >> 5) * 67108864.0 + (f64)(i32)(c[2 * h + 1] >> 6)) "
                                            "* 1.1102230246251565404e-16";
    snprintf(out, 160, "%s", value);
    for (char *p = out; second && *p; p++)
        if (*p == 'c') *p = 'z';
}

/* The numbers of counter g, and those that are half of all behind them: of up to two counters, whose words move so that
 * they begin where the first of these does. */
static bool philox_pairs(Emit *e, const NestNode *call) {
    const Stage *st = draw_of(e);
    ThDtype d = (ThDtype)e->k->acc.at[st->C].dtype;
    const char *key = e->name[st->A], *from = e->name[st->B];
    char first[160], second[160];
    philox_value(first, d, false), philox_value(second, d, true);
    emit_line(e, "const i64 behind = half / most; const int off = (int)(half - behind * most) * %d;", words_of(d));
    emit_line(e, "u32 c[4], z[8] = {0};");
    emit_line(e, "philox_at(c, p_%s, g, p_%s);", from, key);
    emit_line(e, "philox_at(z, p_%s, g + behind, p_%s);", from, key);
    emit_line(e, "if (off) philox_at(z + 4, p_%s, g + behind + 1, p_%s);", from, key);
    emit_line(e, "UNROLL");
    emit_line(e, "for (int h = 0; h < 4; h++)");
    emit_line(e, "    z[h] = off == 0 ? z[h] : off == 1 ? z[h + 1] : off == 2 ? z[h + 2] : z[h + 3];");
    emit_line(e, "UNROLL");
    emit_line(e, "for (int h = 0; h < most; h++) if (g * most + h < half) {");
    e->indent++;
    emit_line(e, "const %s drawn = %s, drawn2 = %s;", type_short(d), first, second);
    emit_line(e, "const i64 i%d = g * most + h; (void)i%d;", st->d0, st->d0);
    bool ok = cuda_nodes(e, call->child);
    e->indent--;
    emit_line(e, "}");
    return ok;
}

/* The numbers of counter g % per of draw g / per. */
static bool philox(Emit *e, const NestNode *call) {
    const Stage *st = draw_of(e);
    ThDtype d = (ThDtype)e->k->acc.at[st->C].dtype;
    char value[160];
    philox_value(value, d, false);
    emit_line(e, "const i64 per = points / draws, l = g / per, k = g %% per;");
    emit_line(e, "const u32 *const key = p_%s + 2 * l, *const from = p_%s + 4 * l;", e->name[st->A], e->name[st->B]);
    emit_line(e, "const u64 low = (u64)from[1] << 32 | from[0], sum = low + (u64)k;");
    emit_line(e, "const u64 high = ((u64)from[3] << 32 | from[2]) + (sum < low);");
    emit_line(e, "u32 c[4] = {(u32)sum, (u32)(sum >> 32), (u32)high, (u32)(high >> 32)};");
    emit_line(e, "philox(c, key[0], key[1]);");
    emit_line(e, "for (int h = 0; h < most && k * most + h < each; h++) {");
    e->indent++;
    bool ok = number(e, call, value, "l * each + k * most + h");
    e->indent--;
    emit_line(e, "}");
    return ok;
}

/* Of a number of MRG31k3p, which lies between 2^-31 and 1: its logarithm, and where Stage.near the sine and cosine of a
 * literal times a number below 1, without a look at what they are of. */
static const char *sure(Emit *e, const Ins *i) {
    const Kernel *k = e->k;
    const char *name = i->op < INS_LOAD && dtype_is_float((ThDtype)i->dtype) ? scalar_ops[i->op].name : "";
    const Ins *of = *name ? &k->ins.at[i->a] : NULL;
    if (!strcmp(name, "log") && of->op == INS_EP && kind_of(k) == DRAW_MRG) return "log";
    if (!draw_of(e)->near || !of || of->op >= INS_LOAD || strcmp(scalar_ops[of->op].name, "mul")) return NULL;
    uint16_t a = k->ins.at[of->a].op, b = k->ins.at[of->b].op;
    bool first = a == INS_EP && (b == INS_PARAM || b == INS_CONST);
    bool small = first || (b == INS_EP && (a == INS_PARAM || a == INS_CONST));
    return !small ? NULL : !strcmp(name, "sin") ? "near_sin" : !strcmp(name, "cos") ? "near_cos" : NULL;
}

bool cuda_drawn(Emit *e, int id) {
    const Ins *i = &e->k->ins.at[id];
    ThDtype d = (ThDtype)i->dtype;
    const char *ty = type_short(d), *what = i->op == INS_EP ? NULL : sure(e, i);
    if (i->op == INS_EP) emit_line(e, "const %s v%d = %s;", ty, id, i->a >= 0 ? "drawn2" : "drawn");
    else if (!what) return false;
    else if (*what == 'l') {
        need_math(e, "log", d, 1); /* with all parts */
        emit_line(e, "const %s v%d = %s(%s(v%d), %s(v%d));", ty, id, need_math(e, "log_join", d, 1),
                  need_math(e, "exponent_in", d, 1), i->a, need_math(e, "fraction_in", d, 1), i->a);
    } else emit_line(e, "const %s v%d = %s(v%d);", ty, id, need_math(e, what, d, 1), i->a);
    return true;
}

bool cuda_draw(Emit *e, const NestNode *call) {
    const Kernel *k = e->k;
    bool streams = kind_of(k) == DRAW_MRG, pairs = draw_of(e)->paired;
    (streams ? mrg_helpers : philox_helpers)(e);
    if (streams) look(e);
    if (k->title) emit_line(e, "/* %s */", k->title);
    begin(e, "", e->k->can_fail);
    if (!streams) over_points(e);
    else {
        if (pairs) kept_states(e);
        mrg_share(e);
        emit_line(e, "for (i64 to = blockIdx.x * (i64)%d; to < points; to += gridDim.x * (i64)%d) {", CHOOSE_WARP,
                  CHOOSE_WARP);
        e->indent++;
    }
    if (e->words[0]) emit_line(e, "/* %s */", e->words[0]);
    bool ok = (streams ? (pairs ? mrg_pairs : mrg) : pairs ? philox_pairs : philox)(e, call);
    end(e);
    return ok && !failed(e->c);
}
