/*
 * attention.c -- attention and its gradient as C: a call of runtime/attention.h, with the rows that the engine has in
 * memory at a time and the panels of its products, so that sums run in its order.
 */
#include "runtime/attention/attention.h"
#include "runtime/gpu/embed.h"
#include "runtime/machine/cpu.h"

#include "host.h"

GPU_EMBED(export_attention_text, "export/runtime/attention.h");

const char *attention_text(void) { return export_attention_text; }

static void put_strides(Text *t, const ThArray *a, bool mask) {
    text_put(t, "{");
    for (int d = 0; d < 3; d++) {
        const int64_t item = a ? (int64_t)th_dtype_bytes((ThDtype)a->dtype) : 1;
        const bool still = !a || (mask && ARRAY_SHAPE(a)[d] <= 1);
        text_printf(t, d ? ", %lld" : "%lld", (long long)(still ? 0 : ARRAY_STRIDES(a)[d] / item));
    }
    text_put(t, "}, ");
}

static void put_place(Capture *q, const char *type, const ThArray *a) {
    text_put(q->t, ", ");
    if (a) host_place(q, type, a->data);
    else text_put(q->t, "0");
}

int attention_put(HostCall *h, const AttentionWork *w) {
    Capture *q = h->frame;
    Text *t = q->t;
    const ThDtype d = (ThDtype)w->q->dtype;
    const Cpu *cpu = cpu_of(h->ctx);
    const int64_t *of_q = ARRAY_SHAPE(w->q), *of_v = ARRAY_SHAPE(w->v), item = (int64_t)th_dtype_bytes(d);
    if (!cpu || (d != TH_FLOAT32 && d != TH_FLOAT64)) return host_refuse(q);
    if (!of_q[0] || !of_q[1] || !of_v[1] || !of_v[2]) return host_refuse(q);
    const GemmKernels *kern = cpu->gemm[d == TH_FLOAT64];
    const char *type = d == TH_FLOAT64 ? "f64" : "f32";
    int64_t padded, rows = attention_rows(of_q[1], of_v[1], item, &padded);
    const int mask = w->kind == ATTENTION_ADD ? 1 : w->kind == ATTENTION_KEEP ? 2 : w->kind == ATTENTION_FILL ? 3 : 0;
    const int64_t head[] = {of_q[0],
                            of_q[1],
                            of_v[1],
                            of_q[2],
                            of_v[2],
                            rows,
                            padded,
                            kern->nv * kern->vl,
                            mask,
                            w->each,
                            w->mask ? ARRAY_SHAPE(w->mask)[0] : 1};
    q->x->attention[d == TH_FLOAT64] = q->x->products[d == TH_FLOAT64] = true;
    text_put(t, "        {\n            static const Attend w = {");
    host_numbers(t, head, TH_LEN(head));
    const ThArray *const all[] = {w->q, w->k, w->v, w->mask, w->z, w->dz, w->dq, w->dk, w->dv};
    for (int i = 0; i < TH_LEN(all); i++) put_strides(t, all[i], i == 3);
    text_printf(t, "};\n            attend%s_%s(&w", w->dz ? "_grad" : "", type);
    for (int i = 0; i < 3; i++) put_place(q, type, all[i]);
    put_place(q, "void", w->mask);
    text_put(t, ", ");
    text_float(t, w->scale, TH_FLOAT64);
    text_put(t, ", ");
    if (w->fill - w->fill == 0) text_float(t, w->fill, TH_FLOAT64);
    else text_put(t, w->fill != w->fill ? "(f64)NAN" : w->fill < 0 ? "-(f64)INFINITY" : "(f64)INFINITY");
    if (!w->dz) put_place(q, type, w->z);
    put_place(q, type, w->stats);
    for (int i = 5; w->dz && i < TH_LEN(all); i++) put_place(q, type, all[i]);
    text_put(t, ", ");
    host_room(q, type, 2 * rows * padded * item);
    text_put(t, ");\n        }\n");
    return 0;
}
