/*
 * convs.c -- convolutions as C: each is written as a call of the texts in runtime/, with its numbers and with the order
 * in which its sums run here (ConvOrder), which the program follows.
 */
#include "kernel/conv_work.h"
#include "runtime/conv/conv.h"

#include "host.h"

#include <string.h>

enum { ORDERS = 2, SQUARE_TAPS = 9, PLAIN = CONV_WAYS };

typedef struct Orders {
    ConvOrder at[ORDERS]; /* the second: of what is computed again */
    int64_t room;         /* elements */
} Orders;

static bool squares(const ConvOrder *o) { return o->way == CONV_WINOGRAD || o->way == CONV_WINOGRAD2; }

static int64_t more(int64_t a, int64_t b) { return a > b ? a : b; }

/* Elements that the texts want of a room. */
static int64_t room_of(const ConvWork *w, const ConvOrder *o) {
    const int64_t m = o->way == CONV_WINOGRAD2 ? 2 : 4, factors = (m + 2) * (m + 2), nc = w->channels, no = w->filters;
    const int64_t square = factors * more(nc, no);
    int64_t taps = 1;
    for (int d = 0; d < w->ndim; d++) taps *= w->size[d];
    if (w->target == CONV_TO_TOP)
        return squares(o) ? SQUARE_TAPS * no + factors * nc * no + square + factors * (nc + no) : 0;
    if (w->target == CONV_TO_IMAGE) return 0;
    int64_t rest = nc * taps + o->rows * w->out[w->ndim - 1] * no;
    if (squares(o)) {
        const int64_t most = o->rows * ((w->out[1] + m - 1) / m);
        rest = square + nc + most * factors * (nc + no) + factors * nc * no;
    }
    return nc * taps * no + rest;
}

/* w: a gradient for images that goes as windows becomes a work of these. */
static bool orders_of(Export *x, ConvWork *w, Orders *to) {
    HostCall h = {.ctx = x->c};
    for (int i = 0; i < ORDERS; i++)
        if (conv_order(&h, w, i > 0, &to->at[i])) return false;
    const ConvOrder *first = &to->at[0];
    x->other_convs |= first->fft;
    if (first->windows) {
        const int64_t groups = w->groups;
        *w = first->work;
        w->groups = groups, w->target = CONV_TO_TOP;
    }
    const int single = w->dtype != TH_FLOAT64;
    x->conv[!single] = true;
    x->squares |= squares(first);
    x->products[!single] |= first->plain;
    to->room = more(room_of(w, first), room_of(w, &to->at[1]));
    return true;
}

static void put_orders(Text *t, const Orders *o, int64_t group) {
    text_put(t, "static const ConvHow how[] = {");
    for (int i = 0; i < ORDERS; i++) {
        const ConvOrder *a = &o->at[i];
        const int64_t each[] = {a->plain ? (int64_t)PLAIN : (int64_t)a->way,
                                a->channels_last,
                                a->run,
                                a->chunk,
                                a->rows,
                                a->lanes,
                                a->parts,
                                a->images,
                                group};
        text_put(t, i ? ", {" : "{");
        host_numbers(t, each, TH_LEN(each));
        text_put(t, "}");
    }
    text_put(t, "};\n");
}

int convs_put(HostCall *h, const ConvWork *given) {
    Capture *q = h->frame;
    ConvWork work = *given, *w = &work;
    Orders orders;
    const char *type = w->dtype == TH_FLOAT32 ? "f32" : "f64";
    if (!orders_of(q->x, w, &orders)) return host_refuse(q);
    /* where filters of groups begin is another's number in a gradient as windows */
    const int64_t group = orders.at[0].windows ? given->filters * given->filter_st[0] : 0;
    const int64_t head[5] = {w->ndim, w->groups, w->images, w->filters * w->groups, w->channels * w->groups};
    text_put(q->t, "        {\n            static const i64 w[] = {");
    host_numbers(q->t, head, 5);
    for (int d = 0; d < w->ndim; d++) {
        const int64_t each[6] = {w->step[d], w->dilation[d], w->pad[d], w->in[d], w->size[d], w->out[d]};
        host_numbers(q->t, each, 6);
    }
    host_numbers(q->t, w->image_st, 2 + w->ndim);
    host_numbers(q->t, w->filter_st, 2 + w->ndim);
    host_numbers(q->t, w->top_st, 2 + w->ndim);
    text_put(q->t, "0};\n            ");
    put_orders(q->t, &orders, group);
    text_printf(q->t, "            conv_%s(%d, w, how, ", type, w->target);
    char *const place[] = {w->image, w->filter, w->top};
    for (int i = 0; i < TH_LEN(place); i++) {
        host_place(q, type, place[i]);
        text_put(q->t, ", ");
    }
    host_room(q, type, orders.room * (int64_t)th_dtype_bytes(w->dtype));
    text_put(q->t, ");\n        }\n");
    return 0;
}

/* ---- of kernels -------------------------------------------------------------------------------------------------- */
/* The convolution that is stage number i of step s, with the lengths of the example. */
static bool stage_work(const Export *x, const Step *s, int i, ConvWork *w) {
    const Kernel *k = x->p->kernel[s->kernel];
    const Stage *st = &k->st.at[i];
    int64_t numbers[CONV_NUMBERS];
    if (st->cls != STAGE_CONV) return false;
    const int n = 5 + CONV_AT_EACH * (int)k->size.at[st->num0].k + 3 * (2 + (int)k->size.at[st->num0].k);
    for (int j = 0; j < n; j++) {
        const Size at = k->size.at[st->num0 + j];
        numbers[j] = at.sym < 0 ? at.k : at.k * x->sym[s->sym[at.sym]];
    }
    const CallWork call = {.dtype = k->acc.at[st->C].dtype, .numbers = numbers};
    conv_work(w, &call);
    return true;
}

int64_t convs_stage_room(Export *x) {
    int64_t most = 0;
    for (int i = 0; i < x->p->nstep; i++) {
        const Step *s = &x->p->step[i];
        const Kernel *k = s->kind == STEP_KERNEL ? x->p->kernel[s->kernel] : NULL;
        ConvWork w;
        Orders orders;
        for (int j = 0; k && j < k->st.n; j++) {
            if (!stage_work(x, s, j, &w)) continue;
            if (!orders_of(x, &w, &orders)) return -1;
            const int64_t top = k->st.at[j].feeds ? w.top_st[0] : 0;
            most = more(most, (orders.room + top) * (int64_t)th_dtype_bytes(w.dtype));
        }
    }
    return most;
}

void convs_stages(Export *x, Text *t) {
    text_put(t, "static int conv_any(Frame *f, int step, const Call *c, const Call *p, char **at) {\n");
    text_put(t, "    switch (step) {\n");
    for (int i = 0; i < x->p->nstep; i++) {
        const Step *s = &x->p->step[i];
        const Kernel *k = s->kind == STEP_KERNEL ? x->p->kernel[s->kernel] : NULL;
        ConvWork w;
        Orders orders;
        for (int j = 0; k && j < k->st.n; j++) {
            if (!stage_work(x, s, j, &w) || !orders_of(x, &w, &orders)) continue;
            text_printf(t, "    case %d: {\n        ", i);
            put_orders(t, &orders, 0);
            text_printf(t, "        conv_stage_%s(how, f->scratch, c, p, at);\n        return 0;\n    }\n",
                        w.dtype == TH_FLOAT64 ? "f64" : "f32");
            break;
        }
    }
    text_put(t, "    default: return 1;\n    }\n}\n\n");
}
