/*
 * guard.c -- what NanGuardMode says of a value, DebugMode of one that is not finite, and the calls of
 * MonitorMode. In: a variable and its value. Out: true, or the error: what was found where, and the node's graph.
 */
#include "watch.h"

#include "base/array/sparse.h"

#include <math.h>
#include <string.h>

enum { NAN_SEEN = 1, INF_SEEN = 2, BIG_SEEN = 4 };
#define BIG 1e10

typedef struct Look {
    ThDtype dtype;
    int seen;
} Look;

static void look_at(Look *l, double x) {
    if (isnan(x)) l->seen |= NAN_SEEN;
    else if (isinf(x)) l->seen |= INF_SEEN;
    else if (fabs(x) > BIG) l->seen |= BIG_SEEN;
}

static void look(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    Look *l = user;
    for (int64_t i = 0; i < n; i++) {
        ThValue v;
        array_cell_value(l->dtype, ptr[0] + i * stride[0], &v);
        if (dtype_is_complex(l->dtype)) look_at(l, v.c.re), look_at(l, v.c.im);
        else look_at(l, v.f);
    }
}

static int seen(const ThArray *a) {
    Look l = {.dtype = (ThDtype)a->dtype};
    if (dtype_is_discrete(l.dtype) || !array_usable(array_ctx(a), a)) return 0;
    array_walk(a->ndim, ARRAY_SHAPE(a), 1, (char *const[]){a->data}, (const int64_t *const[]){ARRAY_STRIDES(a)}, look,
               &l);
    return l.seen;
}

static void tell(Text *t, const WatchCall *k, const ThVar *v, const char *headline) {
    const ThDebugPrint o = {.depth = 6, .ids = 'C', .max_bytes = 2000};
    text_put(t, headline);
    if (v->owner) {
        text_put(t, " in output ");
        text_printf(t, "%d of ", (int)v->index);
        apply_op_str(t, v->owner);
        watch_line(t, ", made at ", v->owner->prov);
    } else {
        text_put(t, k->outer ? " in the argument " : " in the input ");
        var_str(t, v);
        text_put(t, k->outer ? " of the body" : " of the function");
    }
    watch_where(t, k);
    text_put(t, "\n");
    debugprint(t, &(ThVar *){(ThVar *)v}, 1, &o, NULL);
}

/* Of a sparse matrix: what it stores. */
static int seen_stored(const ThArray *a) {
    ThSparse s;
    if (th_sparse_parts((ThArray *)(uintptr_t)a, &s)) return 0;
    int found = seen(s.data);
    th_sparse_parts_free(&s);
    return found;
}

bool watch_guard_value(const WatchCall *k, const ThVar *v, const ThArray *a) {
    const ThWatchSpec *s = &k->w->spec;
    ThContext *c = k->g->c;
    if (!a) return true;
    int found = array_is_sparse(a) ? seen_stored(a) : seen(a), minds;
    const char *headline;
    if (s->kind == 'd') {
        minds = s->check_finite ? NAN_SEEN | INF_SEEN : 0;
        headline = found & NAN_SEEN ? "NaN (check_finite)" : "infinity (check_finite)";
    } else {
        minds = (s->nan ? NAN_SEEN : 0) | (s->inf ? INF_SEEN : 0) | (s->big ? BIG_SEEN : 0);
        headline = found & minds & NAN_SEEN   ? "NaN detected"
                   : found & minds & INF_SEEN ? "Inf detected"
                                              : "Big value detected";
    }
    if (!(found & minds)) return true;
    Text t;
    text_init(&t, c);
    tell(&t, k, v, headline);
    bool warn = s->kind == 'n' && s->action == 'w';
    if (warn) ctx_log(c, "WARNING: NanGuardMode: %s", t.at ? t.at : headline);
    else err(c, s->kind == 'd' ? TH_InvalidValueError : TH_NanGuardError, "%s", t.at ? t.at : headline);
    text_free(&t);
    return warn;
}

bool watch_monitor(const WatchCall *k, bool after, int i, ThApply *a, ThArray *const *in, ThArray *const *out) {
    const ThWatchSpec *s = &k->w->spec;
    int (*fn)(void *, const ThWatchNode *) = after ? s->post : s->pre;
    if (!fn) return true;
    const ThWatchNode n = {.index = i,
                           .node = a,
                           .in = in,
                           .out = out,
                           .nin = a->nin,
                           .nout = out ? a->nout : 0,
                           .within = k->within,
                           .step = k->outer ? k->step : -1};
    if (!fn(s->user, &n)) return true;
    return failed(k->g->c) ? false : err(k->g->c, TH_RuntimeError, "a function of MonitorMode failed without an error");
}
