/* picks.c -- columns picked by a stream's uniform numbers (multinomial, choice) as C: loops around runtime/pick.h. */
#include "runtime/gpu/embed.h"

#include "host.h"

GPU_EMBED(export_pick_text, "export/runtime/pick.h");

void picks_text(const Export *x, Text *t) {
    if (x->picks) text_put(t, export_pick_text);
}

static const char *number_type(const ThArray *a) {
    return dtype_is_complex((ThDtype)a->dtype) || dtype_is_half((ThDtype)a->dtype) ? NULL
                                                                                   : export_ctype((ThDtype)a->dtype);
}

static long long step(const ThArray *a, int d) {
    return (long long)(ARRAY_STRIDES(a)[d] / (int64_t)th_dtype_bytes((ThDtype)a->dtype));
}

int picks_put(HostCall *h, const PickWork *w) {
    Capture *q = h->frame;
    Text *t = q->t;
    const char *from = number_type(w->p), *to = number_type(w->z);
    const int64_t rows = ARRAY_SHAPE(w->z)[0], n = ARRAY_SHAPE(w->p)[1], places = ARRAY_SHAPE(w->z)[1];
    if (!from || !to) return host_refuse(q);
    q->x->picks = true;
    text_printf(t, "        {\n            static const i64 w[] = {%lld, %lld, %lld, %d, %d, %lld, %lld, %lld};\n",
                (long long)rows, (long long)n, (long long)w->count, w->once, w->p->dtype == TH_FLOAT32, step(w->p, 0),
                step(w->p, 1), step(w->u, 0));
    text_printf(t, "            const %s *from = ", from);
    host_place(q, from, w->p->data);
    text_printf(t, ";\n            %s *to = ", to);
    host_place(q, to, w->z->data);
    text_put(t, ";\n            f64 *room = ");
    host_room(q, "f64", 8 * (2 * n + w->count));
    text_put(t, ";\n            for (i64 i = 0; i < w[0]; i++) {\n"
                "                for (i64 k = 0; k < w[1]; k++) room[k] = (f64)from[i * w[5] + k * w[6]];\n"
                "                if (pick_row(w, room, pick_");
    text_put(t, w->u->dtype == TH_FLOAT32 ? "f32, " : "f64, ");
    host_place(q, "void", w->u->data);
    text_printf(t, ", i)) return f->rt->fail(f, %d, %d, 0, 0, 0, 0, 0);\n", q->step, TH_ValueError);
    text_printf(t, "                for (i64 k = 0; k < %lld; k++) to[i * %lld + k * %lld] = (%s)room[w[1] + k];\n",
                (long long)places, step(w->z, 0), step(w->z, 1), to);
    text_put(t, "            }\n        }\n");
    return 0;
}
