/*
 * raw.c -- RandomFunction: a draw from the state of a RandomState, for T.raw_random and RandomStreams.
 * In: a state, the size of the draw, the parameters of a function of RandomState or of one of Theano's helpers. Out:
 * the state behind the draw, and the draw. Always holds: the numbers are those of nd.random, whose code this calls;
 * parameters are looked at before the first word is drawn, so a call that fails leaves a state as it was.
 */
#include "ops/table/host.h"
#include "ops/table/shape.h"

#include "graph/services.h"
#include "base/parts.h"
#include "base/random/random.h"

#include <string.h>

_Static_assert((int)TYPE_STATE_WORDS == (int)RANDOM_WORDS, "what types say and what lies in memory");

typedef struct RandomAttrs {
    const char *fn; /* a distribution of nd.random, or one of the helpers below */
    ThType type;    /* of the draw */
    int8_t added;   /* its dimensions behind those of the size */
} RandomAttrs;

static const AttrField random_fields[] = {{"fn", ATTR_STR, offsetof(RandomAttrs, fn), false},
                                          {"type", ATTR_TYPE, offsetof(RandomAttrs, type), false},
                                          {"added", ATTR_BYTE, offsetof(RandomAttrs, added), false}};

enum { ARGS = 2, MOST_ARGS = 3 }; /* inputs: state, size, parameters */

static const OpFailure failures[] = {{TH_ValueError, "this is no state of a RandomState"}};

/* Where the state lies on a device, parameters are looked at here, and the draws are made there. */
static int there(HostCall *h, StateWork w) {
    w.from = h->in[0], w.to = h->out[0], w.out = h->out[1];
    return h->lib->state(h, &w);
}

static int64_t *values(HostCall *h, int64_t n) { return h->room(h, (uint64_t)(n + 1) * sizeof(int64_t)); }

/* ---- draws: the state is in r, 0 or what h->fail gives comes back ------------------------------------------------ */
typedef int (*Draw)(HostCall *h, ThRandom *r);

/* What was stopped has its error already. */
static int done(HostCall *h, const ThRandom *r, bool ok) {
    return ok ? 0 : r->fault->text[0] ? h->fail(h, TH_ValueError, r->fault->text) : 1;
}

static int draw_table(HostCall *h, ThRandom *r) {
    const RandomAttrs *a = h->attrs;
    int which = random_find(a->fn), n = th_random_distribution(which)->nparams;
    if (!h->lib->state) return done(h, r, random_draw_into(r, which, h->in + ARGS, h->out[1]));
    if (!random_draw_check(r, which, h->in + ARGS, h->out[1])) return done(h, r, false);
    StateWork w = {.kind = STATE_NUMBERS, .which = which, .nparam = n};
    w.many = random_draw_same(which, h->in + ARGS) ? 1 : h->out[1]->size;
    int64_t *at = values(h, n * w.many), *to[MOST_ARGS] = {at, at + w.many, at + 2 * w.many};
    if (!at) return 1;
    random_draw_params(which, h->in + ARGS, h->out[1], to);
    w.params = at;
    return there(h, w);
}

static int draw_integers(HostCall *h, ThRandom *r) {
    ThArray *low = h->in[ARGS], *high = h->in[ARGS + 1], *out = h->out[1];
    if (!h->lib->state) return done(h, r, random_integers_into(r, low, high, out));
    if (!random_integers_check(r, low, high, out)) return done(h, r, false);
    StateWork w = {.kind = STATE_INTEGERS, .nparam = 2, .many = low->size == 1 && high->size == 1 ? 1 : out->size};
    int64_t *at = values(h, 2 * w.many), *to[2] = {at, at + w.many};
    if (!at) return 1;
    random_integers_params(low, high, out, to);
    w.params = at;
    return there(h, w);
}

static void numbers(double *to, const ThArray *a) {
    if (a->size) dtype_cast((char *)to, TH_FLOAT64, 8, a->data, a->dtype, ARRAY_STRIDES(a)[0], a->size);
}

/* Elements of a population (a vector), or the positions themselves. */
static void pick(ThArray *out, const ThArray *a, const int64_t *at, int64_t n) {
    ThDtype d = (ThDtype)out->dtype;
    int64_t item = (int64_t)th_dtype_bytes(d);
    if (!a->ndim) dtype_cast(out->data, d, item, (const char *)at, TH_INT64, 8, n);
    for (int64_t i = 0; a->ndim && i < n; i++)
        dtype_cast(out->data + i * item, d, item, a->data + at[i] * ARRAY_STRIDES(a)[0], a->dtype, 0, 1);
}

/* The elements to pick from, side by side behind the probabilities. */
static int choice_there(HostCall *h, const RandomChoice *k, char *pick) {
    const ThArray *a = h->in[ARGS];
    StateWork w = {.kind = STATE_PICKS, .n = k->n, .replace = k->replace, .pick_dtype = (ThDtype)a->dtype};
    if (a->ndim && a->size)
        dtype_cast(pick, a->dtype, (int64_t)th_dtype_bytes(w.pick_dtype), a->data, a->dtype, ARRAY_STRIDES(a)[0],
                   a->size);
    w.pick = a->ndim ? pick : NULL;
    w.params = (const int64_t *)(const void *)k->p;
    w.nparam = 1, w.many = k->p ? k->n : 0;
    return there(h, w);
}

static int draw_choice(HostCall *h, ThRandom *r) {
    const ThArray *a = h->in[ARGS], *chances = h->in[ARGS + 2];
    ThArray *out = h->out[1];
    RandomChoice k = {.n = a->ndim ? a->size : array_item_int(a),
                      .size = out->size,
                      .replace = array_item_float(h->in[ARGS + 1]) != 0};
    uint64_t given = (uint64_t)chances->size * sizeof(double), positions = (uint64_t)out->size * sizeof(int64_t);
    if (chances->size && chances->size != k.n)
        return h->fail(h, TH_ValueError, "choice: a and p must have the same size");
    if (!k.replace && k.size > k.n) return done(h, r, random_choice_fits(r, &k)); /* and no room for it */
    uint64_t picked = h->lib->state ? (uint64_t)a->size * th_dtype_bytes((ThDtype)a->dtype) : 0;
    char *room = h->room(h, given + (h->lib->state ? picked : positions + random_choice_room(&k, chances->size)) + 8);
    if (!room) return 1;
    numbers((double *)(void *)room, chances);
    if (chances->size) k.p = (const double *)(const void *)room;
    if (!random_choice_fits(r, &k)) return done(h, r, false);
    if (h->lib->state) return choice_there(h, &k, room + given);
    int64_t *at = (int64_t *)(void *)(room + given);
    if (!random_choose(r, &k, at, room + given + positions)) return done(h, r, false);
    pick(out, a, at, k.size);
    return 0;
}

static int draw_permutations(HostCall *h, ThRandom *r) {
    ThArray *out = h->out[1];
    ThDtype d = (ThDtype)out->dtype;
    int64_t n = ARRAY_SHAPE(out)[out->ndim - 1], item = (int64_t)th_dtype_bytes(d);
    if (h->lib->state) return there(h, (StateWork){.kind = STATE_ORDERS, .n = n});
    int64_t *at = h->room(h, (uint64_t)n * sizeof *at + 8);
    if (!at) return 1;
    for (int64_t i = 0, since = 0; i < out->size; i += n) {
        if (!random_order(r, at, n)) return done(h, r, false);
        dtype_cast(out->data + i * item, d, item, (const char *)at, TH_INT64, 8, n);
        if (random_stopped(r, &since, n)) return 1;
    }
    return 0;
}

/* ---- multinomial: rows of probabilities, broadcast like n over the size ------------------------------------------ */
/* NumPy's sum: blocks of at most 128 numbers, eight sums in each. */
static double pairwise(const double *v, int64_t n) {
    double s[8], sum = 0;
    if (n < 8) {
        for (int64_t i = 0; i < n; i++) sum += v[i];
        return sum;
    }
    if (n > 128) {
        int64_t half = n / 2 - n / 2 % 8;
        return pairwise(v, half) + pairwise(v + half, n - half); /* as deep as n has bits */
    }
    memcpy(s, v, sizeof s);
    int64_t i = 8;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++) s[k] += v[i + k];
    sum = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    for (; i < n; i++) sum += v[i];
    return sum;
}

/* Theano's correction of what sums to a little more than 1, or ends with almost nothing. */
static bool settle(ThRandom *r, double *p, int64_t k) {
    const double shrink = 1.0 - 5e-5, slack = 1e-3;
    double sum = pairwise(p, k);
    for (int64_t i = 0; i < k; i++)
        if (!(p[i] >= 0)) return random_refuse(r, "multinomial: pvals < 0 or pvals contains NaNs");
    if (!(sum >= 1 - slack)) return random_refuse(r, "multinomial: the probabilities sum to %g, not to 1", sum);
    if ((sum > 1 && sum < 1 + 1e-5) || p[k - 1] < 5e-5) {
        for (int64_t i = 0; i < k; i++) p[i] *= shrink;
        sum = pairwise(p, k);
    }
    return sum <= 1 || random_refuse(r, "multinomial: the probabilities sum to %.17g, not to 1", sum);
}

typedef struct Rows {
    HostCall *h;
    ThRandom *r;
    const ThArray *p;
    double *chance;
    int64_t *share, k;
    int64_t *count; /* for a device: a row's count goes here, and its probabilities stay */
    bool draw, ok;
    int64_t since;
} Rows;

/* ptr: row of the result, n, row of probabilities. */
static void each_row(void *user, char *const *ptr, const int64_t *stride, int64_t n) {
    Rows *w = user;
    const ThArray *count = w->h->in[ARGS], *p = w->p;
    ThDtype d = (ThDtype)w->h->out[1]->dtype;
    int64_t item = (int64_t)th_dtype_bytes(d), all;
    for (int64_t i = 0; i < n && w->ok; i++) {
        dtype_cast((char *)&all, TH_INT64, 8, ptr[1] + i * stride[1], count->dtype, 0, 1);
        dtype_cast((char *)w->chance, TH_FLOAT64, 8, ptr[2] + i * stride[2], p->dtype, ARRAY_STRIDES(p)[p->ndim - 1],
                   w->k);
        w->ok = settle(w->r, w->chance, w->k) && (w->draw || random_shares_fit(w->r, all, w->chance, w->k));
        if (w->count) *w->count++ = all, w->chance += w->k;
        if (!w->ok || !w->draw) continue;
        random_share(w->r, all, w->chance, w->k, w->share);
        dtype_cast(ptr[0] + i * stride[0], d, item, (const char *)w->share, TH_INT64, 8, w->k);
        w->ok = !random_stopped(w->r, &w->since, w->k);
    }
}

/* Steps of a's leading dimensions over those of a size; 0 where it is repeated. */
static bool lead(const ThArray *a, int own, int ndim, const int64_t *shape, int64_t *steps) {
    for (int d = 0; d < ndim; d++) {
        int k = d - (ndim - own);
        int64_t n = k < 0 ? 1 : ARRAY_SHAPE(a)[k];
        if (n != 1 && n != shape[d]) return false;
        steps[d] = n == 1 ? 0 : ARRAY_STRIDES(a)[k];
    }
    return own <= ndim;
}

static int draw_multinomial(HostCall *h, ThRandom *r) {
    ThArray *out = h->out[1], *count = h->in[ARGS], *p = h->in[ARGS + 1];
    int nd = out->ndim - 1;
    int64_t counts[TH_MAX_NDIM], rows[TH_MAX_NDIM], k = ARRAY_SHAPE(p)[p->ndim - 1];
    if (!lead(count, count->ndim, nd, ARRAY_SHAPE(out), counts) || !lead(p, p->ndim - 1, nd, ARRAY_SHAPE(out), rows))
        return h->fail(h, TH_ValueError, "multinomial: the size does not fit the shapes of n and pvals");
    if (!out->size) return k || nd ? 0 : h->fail(h, TH_ValueError, "multinomial: pvals is empty");
    Rows w = {.h = h, .r = r, .p = p, .k = k, .ok = true};
    int64_t many = h->lib->state ? out->size / k : 2; /* rows that are kept */
    if (!(w.chance = h->room(h, (uint64_t)many * (uint64_t)(k + 1) * sizeof(double)))) return 1;
    if (h->lib->state) w.count = (int64_t *)(void *)(w.chance + many * k);
    int64_t *kept = (int64_t *)(void *)w.chance;
    w.share = (int64_t *)(void *)(w.chance + k);
    char *ptr[3] = {out->data, count->data, p->data};
    const int64_t *steps[3] = {ARRAY_STRIDES(out), counts, rows};
    for (int pass = 0; pass < (h->lib->state ? 1 : 2) && w.ok; pass++) {
        w.draw = pass;
        array_walk(nd, ARRAY_SHAPE(out), 3, ptr, steps, each_row, &w);
    }
    if (!w.ok || !h->lib->state) return done(h, r, w.ok);
    return there(h, (StateWork){.kind = STATE_SHARES, .params = kept, .nparam = 1, .many = many * (k + 1), .n = k});
}

/* ---- what can be drawn ------------------------------------------------------------------------------------------- */
typedef struct Fn {
    const char *name;
    int nargs, added;
    Draw draw;
} Fn;

static const Fn helpers[] = {{"random_integers_helper", 2, 0, draw_integers},
                             {"choice_helper", 3, 0, draw_choice},
                             {"permutation_helper", 1, 1, draw_permutations},
                             {"multinomial_helper", 2, 1, draw_multinomial}};

/* false: there is no such function. */
static bool find(const char *name, Fn *f) {
    int at = name ? random_find(name) : -1;
    for (int i = 0; name && i < TH_LEN(helpers); i++)
        if (!strcmp(helpers[i].name, name)) return *f = helpers[i], true;
    if (at >= 0) *f = (Fn){name, th_random_distribution(at)->nparams, 0, draw_table};
    return at >= 0;
}

static int run(HostCall *h) {
    const RandomAttrs *a = h->attrs;
    ThArray *from = h->in[0], *to = h->out[0];
    RandomFault fault = {""};
    Fn f;
    bool is_state = h->lib->state ? from->size == RANDOM_WORDS : random_is_state(from); /* a device looks there */
    if (!find(a->fn, &f) || !is_state) return h->fail(h, TH_ValueError, "this is no state of a RandomState");
    if (!h->lib->state && to->data != from->data) memcpy(to->data, from->data, sizeof(RandomWords));
    ThRandom r = {.ctx = h->ctx, .w = (RandomWords *)(void *)to->data, .array = to, .fault = &fault};
    return f.draw(h, &r);
}

/* ---- types and lengths ------------------------------------------------------------------------------------------- */
static bool is_index(ThType t, int ndim) {
    return t.kind == TYPE_TENSOR && t.ndim == ndim && dtype_is_int((ThDtype)t.dtype);
}

static bool infer_args(Infer *q, const RandomAttrs *a, const Fn *f) {
    int own = a->type.ndim - a->added;
    if (q->nin != ARGS + f->nargs)
        return err(q->ctx, TH_TypeError, "RandomFunction{%s} takes %d parameters, got %d", f->name, f->nargs,
                   q->nin - ARGS);
    for (int i = ARGS; i < q->nin; i++) {
        ThType t = q->in[i]->type;
        if (t.kind != TYPE_TENSOR || dtype_is_complex((ThDtype)t.dtype))
            return err(q->ctx, TH_TypeError, "RandomFunction{%s}: parameter %d is no tensor of real numbers", f->name,
                       i - ARGS + 1);
        int lead = t.ndim - (f->draw == draw_multinomial && i > ARGS);
        if (f->draw != draw_choice && lead > own)
            return err(q->ctx, TH_ValueError,
                       "RandomFunction{%s}: ndim should be at least as big as required by args value: %d, %d", f->name,
                       own, lead);
    }
    return true;
}

/* Operands of those that read a vector, or lengths. */
static bool infer_helper(Infer *q, const Fn *f) {
    if (f->draw == draw_table) return true;
    ThType a = q->in[ARGS]->type, last = q->in[q->nin - 1]->type;
    if (f->draw == draw_choice && (a.ndim > 1 || (a.ndim == 0 && !dtype_is_int((ThDtype)a.dtype))))
        return err(q->ctx, TH_ValueError, "choice: a is an integer or a vector (a.ndim (%d) must be 0 or 1)", a.ndim);
    if (f->draw == draw_choice && (q->in[ARGS + 1]->type.ndim != 0 || last.ndim != 1))
        return err(q->ctx, TH_ValueError, "choice: replace is a scalar and p a vector (p.ndim (%d) must be 1)",
                   last.ndim);
    if (f->draw == draw_permutations && !is_index(a, 0))
        return err(q->ctx, TH_TypeError, "permutation: n is an integer scalar");
    if (f->draw == draw_multinomial && last.ndim < 1)
        return err(q->ctx, TH_ValueError, "multinomial: pvals has at least one dimension");
    return true;
}

static bool infer_random(Infer *q) {
    const RandomAttrs *a = q->attrs;
    Fn f;
    if (!find(a->fn, &f))
        return err(q->ctx, TH_ValueError, "RandomFunction: nd.random has no function %s", a->fn ? a->fn : "nil");
    if (q->nin < ARGS || q->in[0]->type.kind != TYPE_STATE)
        return err(q->ctx, TH_TypeError, "RandomFunction{%s}: the first argument is a variable of RandomStateType",
                   a->fn);
    if (!is_index(q->in[1]->type, 1))
        return err(q->ctx, TH_TypeError, "RandomFunction{%s}: shape must be an integer vector or list", a->fn);
    if (a->type.kind != TYPE_TENSOR || a->type.dtype >= TH_DTYPE_COUNT || dtype_is_complex((ThDtype)a->type.dtype) ||
        a->type.ndim > TH_MAX_NDIM)
        return err(q->ctx, TH_TypeError, "RandomFunction{%s}: a draw is a tensor of real numbers", a->fn);
    if (a->added != f.added || a->added > a->type.ndim)
        return err(q->ctx, TH_ValueError, "RandomFunction{%s}: ndim_added is %d, must be %d", a->fn, a->added, f.added);
    if (!infer_args(q, a, &f) || !infer_helper(q, &f)) return false;
    q->nout = 2;
    q->out[0] = q->in[0]->type;
    q->out[1] = a->type;
    return true;
}

static bool length(ShapeQ *q, Sz *to, int in, int64_t at) {
    const ShapeAlg *g = q->alg;
    const ThVar *v = q->node->in[in];
    int64_t k = -1;
    bool known = v->type.ndim ? vector_known(v, at, &k) : scalar_known(v, &k);
    *to = known ? g->constant(g->u, k) : g->value(g->u, in, at);
    return (known && k >= 0) ||
           g->equal(g->u, *to, g->op(g->u, 'M', *to, g->constant(g->u, 0)), "negative dimension {0} is not allowed");
}

static bool shape_random(ShapeQ *q) {
    const ShapeAlg *g = q->alg;
    const RandomAttrs *a = q->node->attrs;
    int own = a->type.ndim - a->added;
    Fn f;
    if (!find(a->fn, &f)) return false;
    q->out[0][0] = g->constant(g->u, TYPE_STATE_WORDS);
    if (!g->equal(g->u, q->in[1][0], g->constant(g->u, own),
                  "Shape mismatch: the size has {0} entries, the draw is of {1} dimensions"))
        return false;
    for (int d = 0; d < own; d++)
        if (!length(q, &q->out[1][d], 1, d)) return false;
    if (f.draw == draw_permutations) return length(q, &q->out[1][own], ARGS, 0);
    if (f.draw == draw_multinomial) q->out[1][own] = q->in[ARGS + 1][q->node->in[ARGS + 1]->type.ndim - 1];
    return true;
}

/* ---- the operation ----------------------------------------------------------------------------------------------- */
static void grad_random(Grad *g) {
    for (int i = 0; i < g->node->nin; i++)
        if (g->wanted[i]) g->gx[i] = grad_undefined(g, i, "No gradient defined through raw random numbers op");
}

static bool rop_random(Rop *r) {
    r->out[0] = r->out[1] = NULL;
    return true;
}

static bool lower_random(Lower *l) {
    if (l->node->destroys == 0 && !(l->api->contiguous(l, 0) && l->api->alias(l, 0, 0))) return false;
    return l->api->host(l, run, 0);
}

static void str_random(Text *t, const ThApply *a) { text_printf(t, "RandomFunction{%s}", ATTRS(RandomAttrs, a)->fn); }

const Op op_random_function = {
    .name = "RandomFunction",
    .flags = OP_FAILS | OP_CAN_DESTROY | OP_DRAWS,
    .nin = -1,
    .nout = 2,
    .destroy_input = 0,
    .attr_bytes = sizeof(RandomAttrs),
    .attrs = random_fields,
    .nattr = TH_LEN(random_fields),
    .infer = infer_random,
    .shape = shape_random,
    .grad = grad_random,
    .rop = rop_random,
    .lower = lower_random,
    .str = str_random,
    .device = DEVICE_FORM | DEVICE_READS(1) | DEVICE_READS(2) | DEVICE_READS(3) | DEVICE_READS(4),
    .failures = failures,
    .doc = OP_DOC("a draw from the state of a RandomState, and the state behind it"),
};

int th_random_function(ThContext *c, const char *fn, ThType out, int ndim_added, ThVar *const *in, int n,
                       ThVar **result) {
    if (!c) return -1;
    if (!fn || !result || n < ARGS || n > ARGS + MOST_ARGS) return err_missing(c, __func__), -1;
    if (failed(c) || !graph_given(c, __func__, in, n)) return -1;
    RandomAttrs a;
    memset(&a, 0, sizeof a);
    a.fn = intern(c, fn);
    a.type = out;
    a.type.broadcastable &= out.ndim < 32 ? (1u << out.ndim) - 1 : ~0u;
    a.added = (int8_t)(ndim_added < INT8_MIN || ndim_added > INT8_MAX ? INT8_MAX : ndim_added);
    Builder b;
    builder_begin(&b, c);
    ThApply *node = a.fn ? apply_make(&b, &op_random_function, &a, in, n) : NULL;
    for (int i = 0; i < 2; i++) result[i] = node ? th_var_retain(node->out[i]) : NULL;
    builder_end(&b);
    return node ? 0 : -1;
}
