/*
 * run.c -- operations of the host at work: UserPerform runs a callback on whole arrays, UserLengths finds the
 * lengths of its results by running it first. In: arrays. Out: the callback's results under the declared types. Always
 * holds: the callback runs once for an application and a call. What UserLengths computed lies in the workspace under
 * the number of its host call, and that number is the first element of what it gives, so that UserPerform, which takes
 * it as an input, finds the results that are its own, whatever runs in between or on other threads.
 */
#include "user.h"
#include "ops/table/shape.h"

#include "ops/table/host.h"

#include <stdio.h>
#include <string.h>

/* DebugMode: what the callback did to its inputs, which it may not write, and whose memory its results are. */
static int watch_perform(ThContext *c, const UserDef *d, ThArray *const *in, ThArray *const *was, int nin,
                         ThArray *const *out, int nout) {
    for (int i = 0; i < nin; i++) {
        if (!was[i] || array_same_bits(in[i], was[i])) continue;
        err(c, TH_BadDestroyMap,
            "%s: perform changed its input %d in place, and destroy_map does not say so (destroy_map = {[1] = {%d}} "
            "for result 1)",
            d->name, i + 1, i + 1);
        return 1;
    }
    for (int o = 0; o < nout; o++)
        for (int i = 0; i < nin; i++) {
            if (!out[o] || ((d->d.views | d->d.destroys) >> i & 1) || !th_array_shares_memory(out[o], in[i])) continue;
            err(c, TH_BadViewMap,
                "%s: result %d of perform shares memory with its input %d, and view_map does not say so (view_map = "
                "{[%d] = {%d}})",
                d->name, o + 1, i + 1, o + 1, i + 1);
            return 1;
        }
    return 0;
}

/* Copies of what the callback must not write. */
static int keep_inputs(const UserDef *d, ThArray *const *in, int nin, ThArray **was) {
    for (int i = 0; i < nin; i++)
        if (!(d->d.destroys >> i & 1) && !(was[i] = th_array_copy(in[i]))) return 1;
    return 0;
}

/* The callback, watched in DebugMode. */
static int call_back(const HostCall *h, const UserDef *d, ThArray *const *in, int nin, const ThType *types,
                     ThArray **out, int nout) {
    ThArray *was[2 * TH_MAX_NDIM] = {0};
    int bad = h->checked ? keep_inputs(d, in, nin, was) : 0;
    bad = bad || d->d.perform(d->d.user, h->ctx, in, nin, types, out, nout);
    if (!bad && h->checked) bad = watch_perform(h->ctx, d, in, was, nin, out, nout);
    for (int i = 0; i < nin; i++) th_array_release(was[i]);
    return bad;
}

/* The callback on views of its inputs; those it may destroy are copies. Views are dead afterwards. */
static int perform(HostCall *h, const UserDef *d, int nin, const ThType *types, ThArray **out, int nout) {
    ThContext *c = h->ctx;
    ThArray *in[2 * TH_MAX_NDIM];
    int made = 0, bad = 0;
    memset(out, 0, sizeof *out * (size_t)nout);
    for (int i = 0; i < nin && !bad; i++) {
        ThArray *x = h->in[i];
        if (!x) {
            err(c, TH_TypeError, "an operation of the user takes tensors only");
            bad = 1;
            break;
        }
        in[made] = th_array_wrap(c, (ThDtype)x->dtype, x->ndim, ARRAY_SHAPE(x), ARRAY_STRIDES(x), x->data, NULL, NULL);
        if (in[made]) in[made]->buf->passing = true;
        if (in[made] && (d->d.destroys >> i & 1)) {
            ThArray *copy = th_array_copy(in[made]);
            th_array_release(in[made]);
            in[made] = copy;
        }
        bad = in[made] == NULL;
        made += !bad;
    }
    bad = bad || call_back(h, d, in, nin, types, out, nout);
    if (bad && !failed(c)) err(c, TH_RuntimeError, "%s: perform failed without an error", d->name);
    for (int o = 0; o < nout && !bad; o++)
        if (!out[o]) {
            err(c, TH_ValueError, "%s: perform gave no value for output %d", d->name, o);
            bad = 1;
        } else if (bad == 0) {
            ThArray *own = th_array_copy(out[o]); /* it may be a view of an input */
            th_array_release(out[o]);
            out[o] = own;
            bad = own == NULL;
        }
    for (int i = 0; i < made; i++) {
        th_array_free(in[i]);
        th_array_release(in[i]);
    }
    return bad;
}

/* One result as declared: its dtype exactly, its rank, lengths of 1 where they are promised. */
static bool check_result(const HostCall *h, const UserDef *d, int o, const ThArray *a, ThType t) {
    ThContext *c = h->ctx;
    ThError wrong = h->checked ? TH_InvalidValueError : TH_TypeError;
    if (a->dtype != t.dtype)
        return err(c, wrong, "%s: perform gave output %d as %s, declared is %s", d->name, o,
                   th_dtype_name((ThDtype)a->dtype), th_dtype_name((ThDtype)t.dtype));
    if (a->ndim != t.ndim)
        return err(c, wrong, "%s: perform gave output %d with %d dimensions, declared are %d", d->name, o, a->ndim,
                   t.ndim);
    for (int i = 0; i < t.ndim; i++)
        if (type_bcast(t, i) && ARRAY_SHAPE(a)[i] != 1)
            return err(c, h->checked ? TH_InvalidValueError : TH_ValueError,
                       "%s: dimension %d of output %d is declared to be 1, perform gave %lld", d->name, i, o,
                       (long long)ARRAY_SHAPE(a)[i]);
    return true;
}

static void release_all(ThArray **a, int n) {
    for (int i = 0; i < n; i++) th_array_release(a[i]);
}

static int compute(HostCall *h, const UserDef *d, int nin, ThArray **out, int *nout) {
    ThType t[OP_MAX_OUT];
    *nout = user_types(h->ctx, ((const UserAttrs *)h->attrs)->types, t);
    int bad = *nout < 0 || perform(h, d, nin, t, out, *nout);
    for (int o = 0; o < *nout && !bad; o++) bad = !check_result(h, d, o, out[o], t[o]);
    if (bad && *nout > 0) release_all(out, *nout);
    return bad;
}

/* The context's error becomes that of the step, so that the report names the node and the user's line. */
static int report(HostCall *h) {
    ThContext *c = h->ctx;
    char text[512];
    ThError kind = th_error(c);
    snprintf(text, sizeof text, "%s", th_error_text(c) ? th_error_text(c) : "");
    th_error_clear(c);
    return h->fail(h, kind, text);
}

static int lengths(HostCall *h) {
    const UserDef *d = user_def(h->ctx, h->attrs);
    ThArray *out[OP_MAX_OUT];
    int nout, k = 0;
    if (!d || compute(h, d, h->nin, out, &nout)) return 1;
    int64_t *len = (int64_t *)(void *)h->out[0]->data;
    len[k++] = h->number;
    for (int o = 0; o < nout; o++)
        for (int i = 0; i < out[o]->ndim; i++) len[k++] = ARRAY_SHAPE(out[o])[i];
    bool kept = h->leave(h, out, nout);
    release_all(out, nout);
    return !kept;
}

static int put(HostCall *h, const UserDef *d, int o, const ThArray *from) {
    ThArray *to = h->out[o];
    for (int i = 0; i < to->ndim; i++)
        if (ARRAY_SHAPE(to)[i] != ARRAY_SHAPE(from)[i]) {
            err(h->ctx, TH_ShapeError, "%s: dimension %d of output %d has length %lld, infer_shape said %lld", d->name,
                i, o, (long long)ARRAY_SHAPE(from)[i], (long long)ARRAY_SHAPE(to)[i]);
            return 1;
        }
    dtype_cast(to->data, (ThDtype)to->dtype, (int64_t)th_dtype_bytes((ThDtype)to->dtype), from->data,
               (ThDtype)from->dtype, (int64_t)th_dtype_bytes((ThDtype)from->dtype), from->size);
    return 0;
}

static int values(HostCall *h) {
    const UserDef *d = user_def(h->ctx, h->attrs);
    int nreal = (int)((const UserAttrs *)h->attrs)->nreal, nout, bad = 0;
    if (!d) return 1;
    ThArray *out[OP_MAX_OUT], *const *left = h->left(h, host_int(h, nreal), &nout);
    if (left) { /* a step of a loop may come for them again */
        for (int o = 0; o < nout && !bad; o++) bad = put(h, d, o, left[o]);
        return bad;
    }
    if (compute(h, d, nreal, out, &nout)) return 1;
    for (int o = 0; o < nout && !bad; o++) bad = put(h, d, o, out[o]);
    release_all(out, nout);
    return bad;
}

static int run_lengths(HostCall *h) { return lengths(h) ? report(h) : 0; }
static int run_user(HostCall *h) { return values(h) ? report(h) : 0; }

static bool infer_lengths(Infer *q) {
    ThType t[OP_MAX_OUT];
    if (user_types(q->ctx, ((const UserAttrs *)q->attrs)->types, t) < 1) return false;
    q->out[0] = type_tensor(TH_INT64, 1, 0);
    return true;
}

static bool shape_lengths(ShapeQ *q) {
    ThType t[OP_MAX_OUT];
    int n = user_types(q->node->ctx, ATTRS(UserAttrs, q->node)->types, t), dims = 0;
    for (int i = 0; i < n; i++) dims += t[i].ndim;
    q->out[0][0] = q->alg->constant(q->alg->u, dims + 1);
    return n > 0;
}

static bool lower_lengths(Lower *l) { return l->api->host(l, run_lengths, 0); }

static bool shape_run(ShapeQ *q) {
    int at = (int)ATTRS(UserAttrs, q->node)->nreal + 1;
    for (int o = 0; o < q->node->nout; o++)
        for (int i = 0; i < q->node->out[o]->type.ndim; i++) {
            int64_t k;
            if (type_bcast(q->node->out[o]->type, i)) q->out[o][i] = q->alg->constant(q->alg->u, 1);
            else if (scalar_known(q->node->in[at], &k)) q->out[o][i] = q->alg->constant(q->alg->u, k), at++;
            else q->out[o][i] = q->alg->value(q->alg->u, at++, 0);
        }
    return true;
}

static bool infer_run(Infer *q) {
    q->nout = user_types(q->ctx, ((const UserAttrs *)q->attrs)->types, q->out);
    return q->nout > 0;
}

static bool lower_run(Lower *l) { return l->api->host(l, run_user, 0); }

#define RUNNING(var, text, n, i, s, low, about) \
    const Op op_##var = { \
        .name = text, \
        .flags = OP_FAILS | OP_CALLS_BACK | OP_HALVES, \
        .nin = -1, \
        .nout = n, \
        .attr_bytes = sizeof(UserAttrs), \
        .attrs = user_fields, \
        .nattr = USER_NFIELD, \
        .infer = i, \
        .shape = s, \
        .lower = low, \
        .str = user_str, \
        .batch = batch_ragged, \
        .doc = OP_DOC(about), \
    };
RUNNING(user_lengths, "UserLengths", 1, infer_lengths, shape_lengths, lower_lengths,
        "lengths of what an operation of the user computes")
RUNNING(user_run, "UserPerform", -1, infer_run, shape_run, lower_run,
        "an operation of the user on arrays, with the lengths of its results")
