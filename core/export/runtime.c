/*
 * runtime.c -- the functions that kernels call, as far as this function's kernels call them: texts of the folder
 * runtime/, and the table that stands in the place of th_rt.
 */
#include "host.h"
#include "runtime/gpu/embed.h"

#include <string.h>

GPU_EMBED(export_product_text, "export/runtime/product.h");
GPU_EMBED(export_draw_text, "export/runtime/draw.h");
GPU_EMBED(export_conv_text, "export/runtime/conv.h");
GPU_EMBED(export_conv_stage_text, "export/runtime/conv_stage.h");
GPU_EMBED(export_conv_ways_text, "export/runtime/conv_ways.h");
GPU_EMBED(export_conv_squares_text, "export/runtime/conv_squares.h");
GPU_EMBED(export_squares_text, "export/runtime/squares.h");
GPU_EMBED(export_winograd_text, "runtime/gemm/winograd_micro.h");
GPU_EMBED(export_pool_text, "export/runtime/pool.h");

void export_named_text(Text *t, const char *text, const char *end) {
    for (const char *p = text; p < end;) {
        const char *name = strstr(p, "FN(");
        name = name && name < end ? name : end;
        text_put_n(t, p, (size_t)(name - p));
        text_put(t, name < end ? "OF(" : "");
        p = name < end ? name + 3 : end;
    }
}

/* The text once for type T. */
static void of_type(Export *x, Text *t, const char *text, ThDtype d) {
    const char *name = d == TH_FLOAT32 ? "f32" : "f64";
    bool repro = config_bool(x->c, "repro"), fused = !repro && isa_vector_bytes() > 16;
    text_printf(t, "#define T %s\n#define OF(name) name##_%s\n#define VECTOR_BYTES %d\n", name, name,
                repro ? 16 : isa_vector_bytes());
    text_printf(t, "#define FMA(a, b, c) %s\n",
                !fused            ? "((a) * (b) + (c))"
                : d == TH_FLOAT32 ? "fmaf(a, b, c)"
                                  : "fma(a, b, c)");
    text_printf(t, "#define GEMM cblas_%cgemm\n", d == TH_FLOAT32 ? 's' : 'd');
    export_named_text(t, text, text + strlen(text));
    text_put(t, "#undef GEMM\n#undef T\n#undef OF\n#undef FMA\n#undef VECTOR_BYTES\n\n");
}

static bool has(const Plan *p, StageClass cls, ThDtype d) {
    for (int i = 0; i < p->nstep; i++) {
        if (p->step[i].kind != STEP_KERNEL) continue;
        const Kernel *k = p->kernel[p->step[i].kernel];
        for (int s = 0; s < k->st.n; s++)
            if (k->st.at[s].cls == cls && (d == TH_DTYPE_NONE || k->acc.at[k->st.at[s].C].dtype == d)) return true;
    }
    return false;
}

bool export_products(const Export *x) { return has(x->p, STAGE_GEMM, TH_FLOAT32) || has(x->p, STAGE_GEMM, TH_FLOAT64); }

static void product(Export *x, Text *t) {
    bool single = has(x->p, STAGE_GEMM, TH_FLOAT32), wide = has(x->p, STAGE_GEMM, TH_FLOAT64);
    bool s = single || x->products[0], d = wide || x->products[1];
    if (s || d) text_put(t, "#ifdef THEANO_CBLAS\n#include <cblas.h>\n#endif\n");
    if (s) of_type(x, t, export_product_text, TH_FLOAT32);
    if (d) of_type(x, t, export_product_text, TH_FLOAT64);
    if (!single && !wide) return;
    text_put(t, "static int product(Frame *f, const Product *p) {\n    (void)f;\n");
    if (single && wide)
        text_printf(t, "    if (p->dtype == %d) product_f32(p);\n    else product_f64(p);\n", TH_FLOAT32);
    else text_printf(t, "    product_%s(p);\n", single ? "f32" : "f64");
    text_put(t, "    if (p->done) p->done(p->user, 0, p->m, 0, p->n);\n    return 0;\n}\n\n");
}

static void conv_texts(Export *x, Text *t, int wide) {
    const ThDtype d = wide ? TH_FLOAT64 : TH_FLOAT32;
    const bool squares = x->squares && !wide;
    text_printf(t, "#undef CONV_SQUARES\n#undef CONV_PRODUCTS\n#define CONV_SQUARES %d\n#define CONV_PRODUCTS %d\n",
                squares, x->products[wide]);
    of_type(x, t, export_conv_text, d);
    if (squares) {
        text_put(t, "#include <stdbool.h>\n");
        text_put(t, export_squares_text);
        of_type(x, t, export_winograd_text, d);
        of_type(x, t, export_conv_squares_text, d);
        text_put(t, "#undef V\n#undef VU\n#undef VL\n#undef VSET\n#undef VFMA\n");
    }
    of_type(x, t, export_conv_ways_text, d);
}

static void attend_text(Export *x, Text *t, int wide) {
    text_printf(t, "#undef EXP\n#define EXP own_exp_%s\n", wide ? "f64" : "f32");
    of_type(x, t, attention_text(), wide ? TH_FLOAT64 : TH_FLOAT32);
}

/* Convolutions and poolings in kernels, and those of host calls. */
static void images(Export *x, Text *t) {
    static const ThDtype both[2] = {TH_FLOAT32, TH_FLOAT64};
    bool convs = has(x->p, STAGE_CONV, TH_DTYPE_NONE), pools = has(x->p, STAGE_POOL, TH_DTYPE_NONE);
    for (int i = 0; i < 2; i++) {
        bool conv = has(x->p, STAGE_CONV, both[i]), pool = conv || has(x->p, STAGE_POOL, both[i]);
        if (pool || x->pool[i]) of_type(x, t, export_pool_text, both[i]);
        if (conv || x->conv[i]) conv_texts(x, t, i);
        if (conv) of_type(x, t, export_conv_stage_text, both[i]);
    }
    if (convs) convs_stages(x, t);
    if (!pools) return;
    text_put(t, "static int pool_any(Frame *f, int step, const Call *c) {\n    (void)f, (void)step;\n");
    for (int i = 0; i < 2; i++)
        if (has(x->p, STAGE_POOL, both[i]))
            text_printf(t, "    if (c->dtype == %d) pool_%s(c->numbers, c->a, c->c);\n", both[i], i ? "f64" : "f32");
    text_put(t, "    if (c->done) c->done(c->user, 0, c->numbers[2], 0, c->numbers[3]);\n    return 0;\n}\n\n");
}

static void table(Export *x, Text *t) {
    const Plan *p = x->p;
    text_put(t, "static const Rt rt = {.fail = fail");
    if (export_products(x)) text_put(t, ", .gemm = product");
    if (has(p, STAGE_DRAW, TH_DTYPE_NONE)) text_put(t, ", .draw = draw");
    if (has(p, STAGE_CONV, TH_DTYPE_NONE)) text_put(t, ", .conv = conv_any");
    if (has(p, STAGE_POOL, TH_DTYPE_NONE)) text_put(t, ", .pool = pool_any");
    if (x->hosts) text_put(t, ", .host_call = host_call");
    if (export_dynamic(x)) text_put(t, ", .size_step = size_step, .late_alloc = late_alloc");
    text_put(t, "};\n\n");
}

static const char *const fail_text =
    "static int fail(Frame *f, int step, int kind, int n, i64 v0, i64 v1, i64 v2, i64 v3) {\n"
    "    const i64 e[8] = {step, -1, kind, n, v0, v1, v2, v3};\n"
    "    memcpy(f->err, e, sizeof e);\n    return 1;\n}\n\n";

bool export_runtime(Export *x, Text *t) {
    product(x, t);
    images(x, t);
    for (int i = 0; i < 2; i++)
        if (x->attention[i]) attend_text(x, t, i);
    picks_text(x, t);
    library_texts(x, t);
    text_put(t, fail_text);
    if (!export_sizes(x, t)) return false;
    if (has(x->p, STAGE_DRAW, TH_DTYPE_NONE))
        text_printf(t, "enum { VALUE_ERROR = %d };\n%s", TH_ValueError, export_draw_text);
    text_put(t, x->host.at ? x->host.at : "");
    table(x, t);
    return !t->failed;
}
