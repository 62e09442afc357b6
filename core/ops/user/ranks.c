/*
 * ranks.c -- CollectiveStart and CollectiveWait: several variables reduced over the ranks of a job (ThRanks), each on
 * its way while others are computed.
 *
 * In: what a rank has. Out: what all ranks have. Always holds: jobs set out in one order on all ranks, since each takes
 * the result of the one before as an input that it does not look at; what has set out stays in place until it is waited
 * for, since CollectiveWait takes it too.
 */
#include "user.h"

#include "graph/services.h"

#include <string.h>

typedef struct RanksAttrs {
    int64_t op; /* ThRanksOp */
} RanksAttrs;

static const AttrField ranks_fields[] = {{"op", ATTR_INT, offsetof(RanksAttrs, op), false}};
static const char *const ranks_names[] = {"sum", "mean", "max", "min", "prod"};

/* What a node's inputs are: (x), or (before, x, before), of a start; (last, x, z, last) of who waits. What has to set
 * out first stands at both ends, since orders of the graph begin at one or the other. */
enum { RANKS_X = 1, RANKS_Z };
static int x_of(int nin) { return nin == 1 ? 0 : RANKS_X; }

static ThRanksOp op_of(const void *attrs) { return (ThRanksOp)((const RanksAttrs *)attrs)->op; }

static bool infer_ranks(Infer *q) {
    int64_t op = ((const RanksAttrs *)q->attrs)->op;
    if (op < 0 || op >= TH_LEN(ranks_names))
        return err(q->ctx, TH_ValueError, "a reduction over ranks of number %d", (int)op);
    const ThVar *x = q->nin > 0 && q->nin != 2 ? q->in[x_of(q->nin)] : NULL;
    if (!x || x->type.kind != TYPE_TENSOR) return err(q->ctx, TH_TypeError, "a reduction over ranks takes a tensor");
    ThDtype d = (ThDtype)x->type.dtype;
    char kind = th_dtype_kind(d);
    bool order = op == TH_RANKS_MAX || op == TH_RANKS_MIN, adds = op == TH_RANKS_SUM || op == TH_RANKS_MEAN;
    if ((kind == 'c' && !adds) || (kind == 'b' && !order) || (op == TH_RANKS_MEAN && kind != 'f' && kind != 'c'))
        return err(q->ctx, TH_TypeError, "%s over ranks: %s has no such reduction", ranks_names[op], th_dtype_name(d));
    q->out[0] = x->type;
    return true;
}

static bool shape_ranks(ShapeQ *q) {
    int x = x_of(q->node->nin);
    for (int d = 0; d < q->node->in[x]->type.ndim; d++) q->out[0][d] = q->in[x][d];
    return true;
}

static int run_start(HostCall *h) {
    return h->lib->ranks(h, &(RanksWork){.op = op_of(h->attrs), .x = h->in[x_of(h->nin)], .z = h->out[0]});
}

static int run_wait(HostCall *h) {
    return h->lib->ranks(
        h,
        &(RanksWork){.op = op_of(h->attrs), .waits = true, .x = h->in[RANKS_X], .z = h->in[RANKS_Z], .to = h->out[0]});
}

static bool lower_start(Lower *l) { return l->api->contiguous(l, x_of(l->node->nin)) && l->api->host(l, run_start, 0); }

static bool lower_wait(Lower *l) { return l->api->host(l, run_wait, 0); }

/* x's way to the result is all in CollectiveWait. */
static bool connected_ranks(const ThApply *a, int in, int out) {
    (void)out;
    return in == x_of(a->nin);
}

static ThVar *reduced(Builder *b, ThVar *x, const void *attrs) {
    ThVar *z = x ? apply1(b, &op_collective_start, attrs, &x, 1) : NULL, *in[4] = {z, x, z, z};
    return z ? apply1(b, &op_collective_wait, attrs, in, 4) : NULL;
}

/* Of the sum of all ranks' costs, which is what each rank's gradient is of. */
static void grad_wait(Grad *g) {
    ThRanksOp op = op_of(g->node->attrs);
    if (op == TH_RANKS_SUM || op == TH_RANKS_MEAN) g->gx[RANKS_X] = reduced(g->b, g->gz[0], g->node->attrs);
    else
        g->gx[RANKS_X] =
            grad_undefined(g, RANKS_X, "several variables reduced over ranks have a gradient for sum and mean");
}

static bool rop_wait(Rop *r) {
    ThRanksOp op = op_of(r->node->attrs);
    if (op != TH_RANKS_SUM && op != TH_RANKS_MEAN)
        return err(r->b->ctx, TH_NotImplementedError, "mpi: forward mode knows sum and mean, not %s", ranks_names[op]);
    r->out[0] = r->ev[RANKS_X] ? reduced(r->b, r->ev[RANKS_X], r->node->attrs) : NULL;
    return !r->ev[RANKS_X] || r->out[0];
}

static bool rop_none(Rop *r) {
    r->out[0] = NULL;
    return true;
}

static void str_ranks(Text *t, const ThApply *a) {
    text_printf(t, "%s{op=%s}", a->op->name, ranks_names[op_of(a->attrs)]);
}

const Op op_collective_start = {
    .name = "CollectiveStart",
    .flags = OP_FAILS | OP_CALLS_BACK,
    .nin = -1,
    .nout = 1,
    .attr_bytes = sizeof(RanksAttrs),
    .attrs = ranks_fields,
    .nattr = TH_LEN(ranks_fields),
    .infer = infer_ranks,
    .shape = shape_ranks,
    .connected = connected_ranks,
    .lower = lower_start,
    .str = str_ranks,
    .rop = rop_none,
    .device = DEVICE_FORM,
    .doc = OP_DOC("x of all ranks, on its way to be reduced"),
};

const Op op_collective_wait = {
    .name = "CollectiveWait",
    .flags = OP_FAILS | OP_CALLS_BACK,
    .nin = 4,
    .nout = 1,
    .attr_bytes = sizeof(RanksAttrs),
    .attrs = ranks_fields,
    .nattr = TH_LEN(ranks_fields),
    .infer = infer_ranks,
    .shape = shape_ranks,
    .grad = grad_wait,
    .connected = connected_ranks,
    .lower = lower_wait,
    .str = str_ranks,
    .rop = rop_wait,
    .device = DEVICE_FORM,
    .doc = OP_DOC("what came of x when the last of its list had set out"),
};

/* ---- from outside ------------------------------------------------------------------------------------------------ */
int th_ranks_set(ThContext *c, const ThRanks *r) {
    if (!c) return -1;
    ThRanks own;
    if (r && !(r = options_of(c, r, &own))) return -1;
    if (r && (r->n < 1 || r->rank < 0 || r->rank >= r->n || !r->start || !r->wait || !r->share || !r->watch))
        return th_fail(c, TH_ValueError, "ranks: a rank below their number and all functions are wanted");
    if (r) c->ranks = *r;
    else c->ranks = (ThRanks){.size = 0};
    return 0;
}

int th_ranks_reduce(ThContext *c, ThRanksOp op, ThVar *const *list, int n, ThVar **out) {
    if (!c) return -1;
    if (!out || n < 0) return err_missing(c, __func__), -1;
    if (failed(c) || !graph_given(c, __func__, list, n)) return -1;
    Builder b;
    RanksAttrs at;
    memset(&at, 0, sizeof at);
    at.op = op;
    builder_begin(&b, c);
    ThVar *last = NULL;
    bool ok = true;
    for (int i = n - 1; i >= 0 && ok; i--) {
        ThVar *in[3] = {last ? last : list[i], list[i], last};
        out[i] = last = apply1(&b, &op_collective_start, &at, in, last ? 3 : 1);
        ok = last != NULL;
    }
    for (int i = 0; i < n && ok; i++) {
        ThVar *in[4] = {last, list[i], out[i], last};
        out[i] = apply1(&b, &op_collective_wait, &at, in, 4);
        ok = out[i] != NULL;
    }
    for (int i = 0; i < n && ok; i++) th_var_retain(out[i]);
    builder_end(&b);
    return ok ? 0 : -1;
}
