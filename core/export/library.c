/*
 * library.c -- sorting, searching, Fourier transforms and linear algebra of host steps: what a service is handed, as
 * numbers of a call. In: the work, on arrays of the example's lengths. Out: a call of a text in runtime/. What has no
 * text is refused (Capture.bad).
 */
#include "host.h"

#include "runtime/factor/factor.h"
#include "runtime/gpu/embed.h"

#include <string.h>

GPU_EMBED(export_sort_text, "export/runtime/sort.h");
GPU_EMBED(export_fft_text, "export/runtime/fft.h");
GPU_EMBED(export_factor_text, "export/runtime/factor.h");
GPU_EMBED(export_dense_text, "runtime/factor/dense_body.h");
GPU_EMBED(export_lane_text, "runtime/factor/lane_body.h");

/* The steps along the dims but one, in elements. */
static void put_steps(Text *t, const ThArray *a, int but) {
    for (int d = 0; d < a->ndim; d++)
        if (d != but)
            text_printf(t, "%lld, ", (long long)(ARRAY_STRIDES(a)[d] / (int64_t)th_dtype_bytes((ThDtype)a->dtype)));
}

static long long step(const ThArray *a, int d) {
    return (long long)(ARRAY_STRIDES(a)[d] / (int64_t)th_dtype_bytes((ThDtype)a->dtype));
}

static void place_or_none(Capture *q, const char *type, const ThArray *a) {
    text_put(q->t, ", ");
    if (a) host_place(q, type, a->data);
    else text_put(q->t, "0");
}

/* ---- order ------------------------------------------------------------------------------------------------------- */
int library_sort(HostCall *h, const SortWork *w) {
    Capture *q = h->frame;
    Text *t = q->t;
    const ThArray *x = w->x, *to = w->z ? w->z : w->at;
    const ThDtype d = (ThDtype)x->dtype;
    if (!host_type(d) || (w->at && w->at->dtype != TH_INT64)) return host_refuse(q);
    const int64_t n = ARRAY_SHAPE(x)[w->axis], k = ARRAY_SHAPE(to)[w->axis];
    q->x->sort[d == TH_BOOL ? TH_UINT8 : d] = true;
    text_printf(t, "        {\n            static const i64 w[] = {%lld, %lld, %d, %lld, %lld, %lld, %d, ",
                (long long)n, (long long)k,
                w->descending ? 1
                : w->at       ? 0
                              : 2,
                step(x, w->axis), w->z ? step(w->z, w->axis) : 0, w->at ? step(w->at, w->axis) : 0, x->ndim - 1);
    for (int i = 0; i < x->ndim; i++)
        if (i != w->axis) text_printf(t, "%lld, ", (long long)ARRAY_SHAPE(x)[i]);
    put_steps(t, x, w->axis);
    put_steps(t, to, w->axis); /* of z where there is one; else nobody looks */
    put_steps(t, w->at ? w->at : to, w->axis);
    text_printf(t, "0};\n            sort_%s(w", host_type(d));
    place_or_none(q, host_type(d), x);
    place_or_none(q, host_type(d), w->z);
    place_or_none(q, "i64", w->at);
    text_put(t, ", ");
    host_room(q, "i64", 16 * n);
    text_put(t, ");\n        }\n");
    return 0;
}

int library_search(HostCall *h, const SearchWork *w) {
    Capture *q = h->frame;
    Text *t = q->t;
    const ThDtype d = (ThDtype)w->x->dtype;
    if (!host_type(d) || w->sorter) return host_refuse(q);
    q->x->sort[d == TH_BOOL ? TH_UINT8 : d] = true;
    text_printf(t, "        {\n            static const i64 w[] = {%lld, %lld, %d, %d, ", (long long)w->x->size,
                step(w->x, 0), w->right, w->v->ndim);
    host_numbers(t, ARRAY_SHAPE(w->v), w->v->ndim);
    put_steps(t, w->v, -1);
    text_printf(t, "0};\n            search_%s(w", host_type(d));
    place_or_none(q, host_type(d), w->x);
    place_or_none(q, host_type(d), w->v);
    place_or_none(q, "i64", w->z);
    text_put(t, ");\n        }\n");
    return 0;
}

/* ---- Fourier transforms ------------------------------------------------------------------------------------------ */
int library_fft(HostCall *h, const FftWork *w) {
    Capture *q = h->frame;
    Text *t = q->t;
    const char *type = host_type(w->dtype);
    const int64_t item = (int64_t)th_dtype_bytes(w->dtype);
    int64_t side = 1, longest = 1, numbers[TH_MAX_NDIM];
    for (int d = 0; d < w->ndim; d++) { /* as long as it ever is */
        int64_t most = w->in[d] > w->out[d] ? w->in[d] : w->out[d];
        side *= most;
    }
    for (int i = 0; i < w->naxes; i++) longest = w->n[i] > longest ? w->n[i] : longest;
    q->x->fft[w->dtype == TH_FLOAT64] = true;
    const int64_t head[6] = {w->kind, w->back, 0, w->ndim, w->naxes, side};
    text_put(t, "        {\n            static const i64 w[] = {");
    host_numbers(t, head, 6);
    for (int i = 0; i < w->naxes; i++) text_printf(t, "%d, ", w->axis[i]);
    host_numbers(t, w->n, w->naxes);
    host_numbers(t, w->in, w->ndim);
    for (int d = 0; d < w->ndim; d++) numbers[d] = w->in_st[d] / item;
    host_numbers(t, numbers, w->ndim);
    text_printf(t, "0};\n            fft_%s(w, %.17g, %.17g, ", type, w->by, w->twice);
    host_place(q, type, w->from);
    text_put(t, ", ");
    host_place(q, type, w->to);
    text_put(t, ", ");
    host_room(q, "f64", 16 * (2 * side + 3 * longest));
    text_put(t, ");\n        }\n");
    return 0;
}

/* ---- linear algebra ---------------------------------------------------------------------------------------------- */
enum { FACTOR_ROWS = 96 }; /* WHOLE of core/runtime/factor/own.c: larger ones go by blocks and products */

static bool factor_text(const FactorWork *w) {
    const FactorOperand *a = &w->op[0];
    const int64_t small = a->n[0] < a->n[1] ? a->n[0] : a->n[1];
    if (w->dtype != TH_FLOAT32 && w->dtype != TH_FLOAT64) return false;
    if (small < 1 || small > FACTOR_ROWS || (a->n[0] != a->n[1] && w->kind != FACTOR_LU)) return false;
    switch (w->kind) {
    case FACTOR_CHOLESKY:
    case FACTOR_LU:
    case FACTOR_LU_SOLVE:
    case FACTOR_TRIANGULAR:
    case FACTOR_CHO_SOLVE:
    case FACTOR_SOLVE:
    case FACTOR_INVERSE:
    case FACTOR_DET:
    case FACTOR_SLOGDET: return true;
    default: return false;
    }
}

/* As factor.h reads them. */
static void put_factor(Text *t, const FactorWork *w) {
    const FactorOperand *full = &w->op[w->nin];
    const int64_t k = w->nin > 1 ? w->op[w->nin - 1].n[1] : 0;
    const int64_t head[13] = {w->kind,
                              w->op[0].n[0],
                              w->op[0].n[1],
                              k,
                              w->lower,
                              w->unit,
                              w->trans,
                              w->assume,
                              w->nin + w->nout,
                              w->nin,
                              w->nan && w->kind != FACTOR_LU,
                              full[0].n[0] * full[0].n[1],
                              w->nout > 1 ? full[1].n[0] * full[1].n[1] : 0};
    host_numbers(t, head, TH_LEN(head));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++) text_printf(t, "%lld, ", (long long)(i < w->nin ? w->op[i].ms[j] : 0));
    text_printf(t, "%d, ", full->nbatch);
    host_numbers(t, full->len, full->nbatch);
    for (int o = 0; o < w->nin + w->nout; o++)
        for (int d = 0; d < full->nbatch; d++)
            text_printf(t, "%lld, ", (long long)(w->op[o].len[d] == 1 ? 0 : w->op[o].st[d]));
}

int library_factor(HostCall *h, const FactorWork *w) {
    Capture *q = h->frame;
    Text *t = q->t;
    const char *type = host_type(w->dtype);
    const int64_t n = w->op[0].n[0], item = (int64_t)th_dtype_bytes(w->dtype);
    if (!factor_text(w)) return host_refuse(q);
    q->x->factor[w->dtype == TH_FLOAT64] = true;
    text_put(t, "        {\n            static const i64 w[] = {");
    put_factor(t, w);
    text_put(t, "0};\n            char *p[] = {");
    for (int o = 0; o < w->nin + w->nout; o++) {
        text_put(t, o ? ", " : "");
        host_place(q, "char", w->op[o].at);
    }
    text_printf(t, "};\n            int at[%lld];\n            if (factor_%s(w, p, ", (long long)n, type);
    host_room(q, type, n * n * item);
    text_printf(t, ", at)) return f->rt->fail(f, %d, %d, 0, 0, 0, 0, 0);\n        }\n", q->step, TH_LinAlgError);
    return 0;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */
/* As keys_compare_complex of core/ops/order/keys.c. */
static const char complex_order[] = "static int OF(less)(T a, T b) {\n"
                                    "    const int an = (a.re != a.re) * 2 + (a.im != a.im);\n"
                                    "    const int bn = (b.re != b.re) * 2 + (b.im != b.im);\n"
                                    "    if (an != bn) return an < bn;\n"
                                    "    return a.re == a.re && a.re != b.re ? a.re < b.re : a.im < b.im;\n"
                                    "}\n";

static void sort_text(Text *t, ThDtype d, bool unique) {
    const bool real = dtype_is_float(d);
    text_printf(t, "#define T %s\n#define OF(name) name##_%s\n", host_type(d), host_type(d));
    if (dtype_is_complex(d)) text_put(t, complex_order);
    text_printf(t, "#define LESS(a, b) %s\n#define MINUS(a, b) %s\n",
                dtype_is_complex(d) ? "OF(less)(a, b)"
                : real              ? "((a) < (b) || ((b) != (b) && (a) == (a)))"
                                    : "((a) < (b))",
                real ? "((a) == (b) && signbit(a) && !signbit(b))" : "0");
    text_printf(t, "#define CLEAN(a) %s\n", real ? "((a) != (a) ? (T)NAN : (a))" : "(a)");
    text_printf(t, "#define LOST(a) %s\n",
                dtype_is_complex(d) ? "((a).re != (a).re || (a).im != (a).im)"
                : real              ? "((a) != (a))"
                                    : "0");
    text_put(t, export_sort_text);
    if (unique) text_put(t, where_unique_text());
    text_put(t, "#undef T\n#undef OF\n#undef LESS\n#undef MINUS\n#undef CLEAN\n#undef LOST\n\n");
}

static void fft_text(Text *t, const char *type) {
    text_printf(t, "#define T %s\n#define OF(name) name##_%s\n", type, type);
    text_put(t, export_fft_text);
    text_put(t, "#undef T\n#undef OF\n\n");
}

/* What the kernels on lanes are written in, for one number. */
static const char one_lane[] = "#define V T\n#define M int\n#define NONE 0\n#define ANY(m) (m)\n"
                               "#define V_LESS(a, b) ((a) < (b))\n#define V_SAME(a, b) ((a) == (b))\n"
                               "#define V_PICK(m, yes, no) ((m) ? (yes) : (no))\n"
                               "#define V_FMA(a, b, c) MUL_ADD(a, b, c)\n#define V_SQRT(a) R_SQRT(a)\n"
                               "static T OF(all)(T v) { return v; }\n"
                               "static T OF(modulus)(T v) { return R_ABS(v); }\n";
static const char no_lane[] = "#undef V\n#undef M\n#undef NONE\n#undef ANY\n#undef V_LESS\n#undef V_SAME\n"
                              "#undef V_PICK\n#undef V_FMA\n#undef V_SQRT\n";

/* The kernels on single matrices, which stand before those on lanes; these too, on one. */
static void factor_of(Text *t, const char *type, bool single) {
    const char *end = strstr(export_dense_text, "#ifndef NUMBER_ALONE");
    text_printf(t, "#define T %s\n#define R T\n#define OF(name) name##_%s\n", type, type);
    text_printf(t, "#define R_SQRT sqrt%s\n#define R_ABS fabs%s\n#define R_MIN %s\n#define R_MAX %s\n",
                single ? "f" : "", single ? "f" : "", single ? "1.17549435e-38f" : "2.2250738585072014e-308",
                single ? "3.40282347e+38f" : "1.7976931348623157e+308");
    text_printf(t, "#define MUL_ADD(a, b, c) %s\n",
                isa_vector_bytes() <= 16 ? "((a) * (b) + (c))"
                : single                 ? "fmaf(a, b, c)"
                                         : "fma(a, b, c)");
    export_named_text(t, export_dense_text, end); /* its names are made by FN, which the program has already */
    text_put(t, one_lane);
    export_named_text(t, export_lane_text, export_lane_text + strlen(export_lane_text));
    text_put(t, no_lane);
    text_put(t, export_factor_text);
    text_put(
        t,
        "#undef T\n#undef R\n#undef OF\n#undef R_SQRT\n#undef R_ABS\n#undef R_MIN\n#undef R_MAX\n#undef MUL_ADD\n\n");
}

static void factor_head(Text *t) {
    text_put(t, "#include <stdbool.h>\n#define RE(x) (x)\n#define CONJ(x) (x)\n#define MUL(a, b) ((a) * (b))\n"
                "#define SCALE(a, r) ((a) * (r))\n#define SIZE1(x) R_ABS(x)\n#define QUOTIENT(a, b) ((a) / (b))\n");
    text_printf(
        t,
        "enum { FACTOR_CHOLESKY = %d, FACTOR_LU = %d, FACTOR_LU_SOLVE = %d, FACTOR_TRIANGULAR = %d,\n"
        "       FACTOR_CHO_SOLVE = %d, FACTOR_SOLVE = %d,\n"
        "       FACTOR_INVERSE = %d, FACTOR_DET = %d, FACTOR_SLOGDET = %d, LANE_ROWS = %d, LANE_NUMBERS = %d };\n",
        FACTOR_CHOLESKY, FACTOR_LU, FACTOR_LU_SOLVE, FACTOR_TRIANGULAR, FACTOR_CHO_SOLVE, FACTOR_SOLVE, FACTOR_INVERSE,
        FACTOR_DET, FACTOR_SLOGDET, LANE_ROWS, LANE_NUMBERS);
    text_printf(t, "enum { FACTOR_N = %d, FACTOR_T = %d, FACTOR_C = %d, FACTOR_GEN = %d, FACTOR_POS = %d };\n\n",
                FACTOR_N, FACTOR_T, FACTOR_C, FACTOR_GEN, FACTOR_POS);
}

void library_texts(const Export *x, Text *t) {
    for (int d = 0; d < TH_DTYPE_COUNT; d++)
        if (x->sort[d]) sort_text(t, (ThDtype)d, x->unique[d]);
    for (int i = 0; i < 2; i++)
        if (x->fft[i]) fft_text(t, i ? "f64" : "f32");
    if (x->factor[0] || x->factor[1]) factor_head(t);
    for (int i = 0; i < 2; i++)
        if (x->factor[i]) factor_of(t, i ? "f64" : "f32", !i);
    where_texts(x, t);
    draws_texts(x, t);
}
