/*
 * host.c -- steps that call the library on whole arrays. In: a step whose lengths are the same in all calls. Its
 * function runs once here, on arrays of zeros, with services (graph/services.h) that compute nothing: what it hands to
 * them is written as a call in C, with addresses as places in the plan's buffers.
 */
#include "host.h"

#include "ops/fft/dft.h"
#include "ops/table/ops.h"
#include "text/emit.h"

#include <string.h>

const char *host_type(ThDtype d) { return dtype_is_half(d) ? NULL : type_short(d); }

int host_refuse(Capture *q) {
    q->bad = true;
    return 1;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */
void host_place(Capture *q, const char *type, const void *p) {
    for (int n = 0; n < q->h->nin + q->h->nout; n++) {
        const PlanValue *v = n < q->h->nin ? &q->h->in[n] : &q->h->out[n - q->h->nin];
        int64_t at = (const char *)p - q->base[n];
        if (at < 0 || at > q->bytes[n]) continue;
        text_printf(q->t, "(%s *)(f->buf[%d] + %lld)", type, v->buf, (long long)at);
        return;
    }
    q->bad = true;
}

void host_numbers(Text *t, const int64_t *v, int n) {
    for (int i = 0; i < n; i++) text_printf(t, "%lld, ", (long long)v[i]);
}

void host_room(Capture *q, const char *type, int64_t bytes) {
    text_printf(q->t, "(%s *)(void *)f->buf[%d]", type, q->x->p->nbuf);
    if (bytes > q->x->room) q->x->room = bytes;
}

static const char *type_of(ThDtype d) { return d == TH_FLOAT32 ? "f32" : "f64"; }

/* ---- services ---------------------------------------------------------------------------------------------------- */
static int put_pool(HostCall *h, const PoolWork *w) {
    Capture *q = h->frame;
    const char *type = type_of(w->dtype);
    q->x->pool[w->dtype == TH_FLOAT64] = true;
    text_printf(q->t, "        {\n            static const i64 w[] = {%d, %d, %lld, 1, ", w->mode, w->ignore_border,
                (long long)w->images);
    for (int d = 0; d < 2; d++) {
        const int64_t each[5] = {w->ws[d], w->st[d], w->pad[d], d ? w->w : w->h, d ? w->ow : w->oh};
        host_numbers(q->t, each, 5);
    }
    text_printf(q->t, "0};\n            pool_%s%s(w, ", w->back ? "back_" : "", type);
    if (w->x) host_place(q, type, w->x);
    else text_put(q->t, "0");
    if (w->back) {
        text_put(q->t, ", ");
        if (w->m) host_place(q, type, w->m);
        else text_put(q->t, "0");
        text_put(q->t, ", ");
        host_place(q, type, w->g);
    }
    text_put(q->t, ", ");
    host_place(q, type, w->to);
    text_put(q->t, ");\n        }\n");
    return 0;
}

/* Sums and products of integers wrap. */
static const char *cumulated(ThDtype d) {
    static const char *const name[] = {"u8", "u16", "", "u32", "", "", "", "u64"};
    if (dtype_is_complex(d)) return d == TH_COMPLEX64 ? "c64" : "c128";
    return dtype_is_float(d) ? type_of(d) : name[th_dtype_bytes(d) - 1];
}

/* z[i] = a = what a and x[i] give, in steps of xi and zi elements. */
static void put_combined(Text *t, ThDtype d, bool product, int64_t xi, int64_t zi) {
    const char *type = cumulated(d);
    if (dtype_is_complex(d)) {
        text_printf(t, "            {\n                const %s b = x[i * %lld], c = {", type, (long long)xi);
        text_put(t, product ? "a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re" : "a.re + b.re, a.im + b.im");
        text_printf(t, "};\n                z[i * %lld] = a = c;\n            }\n        }\n        }\n",
                    (long long)zi);
        return;
    }
    const char *op = d == TH_BOOL ? (product ? "&" : "|") : product ? "*" : "+";
    const char *wide = dtype_is_float(d) ? "" : th_dtype_bytes(d) < 8 ? "(u32)" : "";
    text_printf(t, "                z[i * %lld] = a = (%s)(%sa %s %sx[i * %lld]);\n        }\n        }\n",
                (long long)zi, type, wide, op, wide, (long long)xi);
}

static int put_cumulate(HostCall *h, const CumWork *w) {
    Capture *q = h->frame;
    Text *t = q->t;
    ThDtype d = (ThDtype)w->x->dtype;
    const int64_t item = (int64_t)th_dtype_bytes(d), *len = ARRAY_SHAPE(w->x);
    const int64_t *xs = ARRAY_STRIDES(w->x), *zs = ARRAY_STRIDES(w->z);
    bool flat = w->axis < 0;
    if (!w->x->size) return 0;
    text_put(t, "        {\n");
    for (int k = 0; !flat && k < w->x->ndim; k++)
        if (k != w->axis) text_printf(t, "        for (i64 i%d = 0; i%d < %lld; i%d++)\n", k, k, (long long)len[k], k);
    text_printf(t, "        {\n            const %s *x = ", cumulated(d));
    for (int side = 0; side < 2; side++) {
        if (side) text_printf(t, ";\n            %s *z = ", cumulated(d));
        host_place(q, cumulated(d), side ? w->z->data : w->x->data);
        for (int k = 0; !flat && k < w->x->ndim; k++)
            if (k != w->axis) text_printf(t, " + i%d * %lld", k, (long long)((side ? zs : xs)[k] / item));
    }
    int64_t n = flat ? w->x->size : len[w->axis], xi = flat ? 1 : xs[w->axis] / item,
            zi = flat ? 1 : zs[w->axis] / item;
    text_printf(t, ";\n            %s a = z[0] = x[0];\n            for (i64 i = 1; i < %lld; i++)\n", cumulated(d),
                (long long)n);
    put_combined(t, d, w->product, xi, zi);
    return 0;
}

/* ---- running the function ---------------------------------------------------------------------------------------- */
/* Parameters of draws are looked at here; who asks for room otherwise would compute. */
static void *room_of(HostCall *h, uint64_t bytes) {
    Capture *q = h->frame;
    if (h->op == &op_random_function && !q->more && (q->more = ctx_alloc0(h->ctx, bytes + 1)))
        return q->nmore = (int64_t)bytes + 1, q->more;
    q->bad = true;
    return NULL;
}

static int fails(HostCall *h, ThError kind, const char *text) {
    (void)kind, (void)text;
    ((Capture *)h->frame)->bad = true;
    return 1;
}

/* Texts that are given a call's lengths. */
static bool has_moving_text(const Op *op) {
    return op == &op_count_nonzero || op == &op_nonzero || op == &op_repeat_index || op == &op_unique;
}

/* The arrays of operand n: a constant's own elements, zeros elsewhere. */
static bool operand(Capture *q, int n) {
    Export *x = q->x;
    const PlanValue *v = n < q->h->nin ? &q->h->in[n] : &q->h->out[n - q->h->nin];
    if (v->buf < 0 || v->flags) return false;
    const PlanBuf *b = &x->p->buf[v->buf];
    int64_t shape[TH_MAX_NDIM], stride[TH_MAX_NDIM], item = (int64_t)th_dtype_bytes((ThDtype)v->dtype);
    bool varies = export_varies(x, v->off);
    for (int d = 0; d < v->ndim; d++) {
        varies |= export_varies(x, v->shape[d]) || export_varies(x, v->stride[d]);
        shape[d] = size_value(v->shape[d], x->sym), stride[d] = size_value(v->stride[d], x->sym) * item;
    }
    if (varies && (export_varies(x, v->off) || !has_moving_text(q->h->op)))
        return export_refuse(x, x->p->step[q->step].node,
                             "is written for lengths that are the same in each call (not `bounded`)");
    int64_t last = size_value(v->off, x->sym) * item;
    bool empty = false;
    for (int d = 0; d < v->ndim; d++) last += (shape[d] - 1) * stride[d], empty |= shape[d] == 0;
    q->bytes[n] = empty ? 0 : last + item;
    if (b->kind == BUF_CONST) q->base[n] = x->p->constant[b->index]->data;
    else {
        q->room[n] = ctx_alloc0(x->c, (size_t)q->bytes[n] + 1);
        q->base[n] = q->room[n];
    }
    if (!q->base[n]) return false;
    q->array[n] = th_array_wrap(x->c, (ThDtype)v->dtype, v->ndim, shape, stride,
                                q->base[n] + (empty ? 0 : size_value(v->off, x->sym) * item), NULL, NULL);
    return q->array[n] != NULL;
}

static bool is_constant(const Capture *q, int n) {
    const int buf = q->h->in[n].buf;
    return buf >= 0 && q->x->p->buf[buf].kind == BUF_CONST;
}

/* Operations that hand all of their work to a service: what of their inputs they read themselves beside the arrays is
 * constant. */
static bool known_op(const Capture *q) {
    static const Op *const all[] = {&op_conv,
                                    &op_conv_grad_inputs,
                                    &op_conv_grad_weights,
                                    &op_corr_mm,
                                    &op_cum,
                                    &op_corr_mm_grad_inputs,
                                    &op_max_pool_grad,
                                    &op_max_pool_grad_from_input,
                                    &op_average_pool_grad,
                                    &op_corr_mm_grad_weights,
                                    &op_searchsorted,
                                    &op_cholesky,
                                    &op_lu_factor,
                                    &op_lu_solve,
                                    &op_solve,
                                    &op_solve_triangular,
                                    &op_cholesky_solve,
                                    &op_matrix_inverse,
                                    &op_det,
                                    &op_slogdet,
                                    &op_count_nonzero,
                                    &op_nonzero,
                                    &op_repeat_index,
                                    &op_unique,
                                    &op_attention,
                                    &op_attention_grad};
    static const Op *const one[] = {&op_sort, &op_argsort, &op_topk}; /* their axis, or how many */
    static const Op *const drawn[] = {&op_multinomial_uniform, &op_choice_uniform};
    static const Op *const many[] = {&op_dft, &op_dft_to_half, &op_dft_from_half, &op_rfft, &op_irfft};
    const Op *op = q->h->op;
    bool fixed = op == &op_random_function;
    for (int i = 1; fixed && i < q->h->nin; i++) fixed = is_constant(q, i); /* its size, its parameters */
    if (fixed) return true;
    for (int i = 0; i < TH_LEN(all); i++)
        if (all[i] == op) return true;
    for (int i = 0; i < TH_LEN(one); i++)
        if (one[i] == op) return is_constant(q, 1);
    for (int i = 0; i < TH_LEN(drawn); i++)
        if (drawn[i] == op) return is_constant(q, 2);
    for (int i = 0; i < TH_LEN(many); i++)
        if (many[i] == op) return true; /* lengths, which transform_lengths tells */
    return false;
}

/* The lengths of transforms that are computed are those of the example: the results' lengths, which are alike in all
 * calls, decide them but for the last of a half, which is the argument's. */
static bool transform_lengths(Capture *q) {
    const Op *op = q->h->op;
    const bool real = op == &op_rfft || op == &op_irfft, half = op == &op_dft_to_half || op == &op_rfft;
    const ThArray *in = q->array[0], *out = q->array[q->h->nin];
    ThArray *n = q->h->nin > 1 ? q->array[1] : NULL;
    if (!half && !real && op != &op_dft && op != &op_dft_from_half) return true;
    if (!n || is_constant(q, 1)) return n != NULL;
    for (int64_t i = 0; i < n->size; i++) {
        const int d = real ? (int)i + 1 : ((const DftAttrs *)q->h->attrs)->axes.at[i];
        int64_t len = ARRAY_SHAPE(out)[d];
        if (half && i == n->size - 1) {
            if (ARRAY_SHAPE(in)[d] / 2 + 1 != len) return false;
            len = ARRAY_SHAPE(in)[d];
        }
        if (th_array_set(n, &i, 'i', (ThValue){.i = len})) return false;
    }
    return true;
}

static bool capture(Capture *q, const Step *s) {
    static const HostServices services = {.conv = convs_put,
                                          .attention = attention_put,
                                          .pick = picks_put,
                                          .pool = put_pool,
                                          .cumulate = put_cumulate,
                                          .sort = library_sort,
                                          .search = library_search,
                                          .fft = library_fft,
                                          .factor = library_factor,
                                          .count = where_count,
                                          .nonzero = where_nonzero,
                                          .repeat = where_repeat,
                                          .unique = where_unique,
                                          .state = draws_state};
    const PlanHost *h = q->h;
    q->step = (int)(s - q->x->p->step);
    bool ok = known_op(q) && h->nin + h->nout <= HOST_MOST;
    for (int n = 0; ok && n < h->nin + h->nout; n++) ok = operand(q, n);
    if (!ok || !transform_lengths(q)) return false;
    HostCall call = {.ctx = q->x->c, .op = h->op, .attrs = h->attrs, .lib = &services, .room = room_of, .fail = fails};
    call.in = q->array, call.out = q->array + h->nin, call.nin = h->nin, call.nout = h->nout;
    call.frame = q, call.number = s->host;
    return !h->fn(&call) && !q->bad;
}

bool export_hosts(Export *x) {
    const Plan *p = x->p;
    Text *t = &x->host;
    bool any = false, ok = true;
    for (int i = 0; ok && i < p->nstep; i++) {
        if (p->step[i].kind != STEP_HOST) continue;
        Capture q = {.x = x, .t = t, .h = &p->host[p->step[i].host]};
        if (!any) text_put(t, "static int host_call(Frame *f, int step) {\n    switch (step) {\n");
        any = true;
        text_printf(t, "    case %d: /* %s */\n", i, q.h->op->name);
        ok = capture(&q, &p->step[i]);
        text_put(t, "        return 0;\n");
        for (int n = 0; n < HOST_MOST; n++) {
            th_array_release(q.array[n]);
            if (q.room[n]) ctx_free(x->c, q.room[n], (size_t)q.bytes[n] + 1);
        }
        if (q.more) ctx_free(x->c, q.more, (size_t)q.nmore);
        if (!ok && !failed(x->c)) export_refuse(x, p->step[i].node, "has no C text of its own yet");
    }
    if (any) text_put(t, "    default: return 1;\n    }\n}\n\n");
    x->hosts = any;
    x->room = (x->room + 63) / 64 * 64;
    x->work += x->room;
    return ok && !failed(x->c);
}
