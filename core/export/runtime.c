/*
 * runtime.c -- the functions that kernels call, as far as this function's kernels call them: texts of the folder
 * runtime/, and the table that stands in the place of th_rt.
 */
#include "runtime/gpu/embed.h"
#include "export.h"

GPU_EMBED(export_product_text, "export/runtime/product.h");
GPU_EMBED(export_draw_text, "export/runtime/draw.h");

/* The text once for type T. */
static void of_type(Export *x, Text *t, const char *text, ThDtype d) {
    const char *name = d == TH_FLOAT32 ? "f32" : "f64";
    bool fused = isa_vector_bytes() > 16;
    (void)x;
    text_printf(t, "#define T %s\n#define OF(name) name##_%s\n#define VECTOR_BYTES %d\n", name, name,
                isa_vector_bytes());
    text_printf(t, "#define FMA(a, b, c) %s\n",
                !fused            ? "((a) * (b) + (c))"
                : d == TH_FLOAT32 ? "fmaf(a, b, c)"
                                  : "fma(a, b, c)");
    text_put(t, text);
    text_put(t, "#undef T\n#undef OF\n#undef FMA\n#undef VECTOR_BYTES\n\n");
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

static void product(Export *x, Text *t) {
    bool single = has(x->p, STAGE_GEMM, TH_FLOAT32), wide = has(x->p, STAGE_GEMM, TH_FLOAT64);
    if (!single && !wide) return;
    if (single) of_type(x, t, export_product_text, TH_FLOAT32);
    if (wide) of_type(x, t, export_product_text, TH_FLOAT64);
    text_put(t, "static int product(Frame *f, const Product *p) {\n    (void)f;\n");
    if (single && wide)
        text_printf(t, "    if (p->dtype == %d) product_f32(p);\n    else product_f64(p);\n", TH_FLOAT32);
    else text_printf(t, "    product_%s(p);\n", single ? "f32" : "f64");
    text_put(t, "    if (p->done) p->done(p->user, 0, p->m, 0, p->n);\n    return 0;\n}\n\n");
}

bool export_runtime(Export *x, Text *t) {
    product(x, t);
    text_put(t, "static int fail(Frame *f, int step, int kind, int n, i64 v0, i64 v1, i64 v2, i64 v3) {\n");
    text_put(t, "    const i64 e[8] = {step, -1, kind, n, v0, v1, v2, v3};\n");
    text_put(t, "    memcpy(f->err, e, sizeof e);\n    return 1;\n}\n\n");
    if (!export_sizes(x, t)) return false;
    if (has(x->p, STAGE_DRAW, TH_DTYPE_NONE))
        text_printf(t, "enum { VALUE_ERROR = %d };\n%s", TH_ValueError, export_draw_text);
    text_put(t, "static const Rt rt = {.fail = fail");
    if (has(x->p, STAGE_GEMM, TH_FLOAT32) || has(x->p, STAGE_GEMM, TH_FLOAT64)) text_put(t, ", .gemm = product");
    if (has(x->p, STAGE_DRAW, TH_DTYPE_NONE)) text_put(t, ", .draw = draw");
    if (export_dynamic(x)) text_put(t, ", .size_step = size_step, .late_alloc = late_alloc");
    text_put(t, "};\n\n");
    return !t->failed;
}
