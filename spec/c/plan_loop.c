/*
 * plan_loop.c -- bodies planned by themselves and embedded as loops: windows, rings, carried values, early ends, nested
 * loops, lengths that change from turn to turn; the interpreter and generated C give the same bits. A test operation
 * says by a table how its body's arguments and results lie.
 */
#include "runtime/frame/backend.h"
#include "ops/table/scalar.h"
#include "runtime/frame/runtime.h"
#include "plan_test.h"

typedef struct Spec { /* what the test operation does; off, step and ring are numbers here */
    int nin, nout, until, turns, nport_in, nport_out;
    ThType out[4];
    int like[4];   /* output o has the shape of this input, or of a 0-d when -1 */
    bool state[4]; /* made by copying the input it is like */
    struct {
        int inner, outer;
        bool window;
        int64_t off, step, ring; /* ring -1: the outer array's length */
    } in[8], to[4];
} Spec;
static const Spec *spec_now[2];

static const Spec *spec_of(const ThApply *a) { return spec_now[((const int64_t *)a->attrs)[0]]; }

static bool infer(Infer *q) {
    const Spec *s = spec_now[((const int64_t *)q->attrs)[0]];
    q->nout = s->nout;
    for (int o = 0; o < s->nout; o++) q->out[o] = s->out[o];
    return true;
}

static bool shape(ShapeQ *q) {
    const Spec *s = spec_of(q->node);
    for (int o = 0; o < s->nout; o++)
        for (int d = 0; d < s->out[o].ndim; d++) q->out[o][d] = q->in[s->like[o]][d];
    return true;
}

static bool lower(Lower *l) {
    const Spec *s = spec_of(l->node);
    LoopPort in[8], out[4];
    for (int o = 0; o < s->nout; o++)
        if (s->state[o] && !l->api->copy(l, o, s->like[o])) return false;
    for (int i = 0; i < s->nport_in; i++) {
        int x = s->in[i].outer, of = x >= 0 ? x : s->like[-1 - x];
        in[i] = (LoopPort){s->in[i].inner,
                           x,
                           s->in[i].window,
                           size_const(s->in[i].off),
                           size_const(s->in[i].step),
                           s->in[i].ring < 0 ? l->api->in_dim(l, of, 0) : size_const(s->in[i].ring)};
    }
    for (int o = 0; o < s->nport_out; o++) {
        int of = s->like[s->to[o].outer];
        out[o] = (LoopPort){s->to[o].inner,
                            s->to[o].outer,
                            s->to[o].window,
                            size_const(s->to[o].off),
                            size_const(s->to[o].step),
                            s->to[o].ring < 0 ? l->api->in_dim(l, of, 0) : size_const(s->to[o].ring)};
    }
    return l->api->loop(l, 0, l->api->in_value(l, 0, 0), in, s->nport_in, out, s->nport_out, s->until, s->turns);
}

static const AttrField fields[] = {{"number", ATTR_INT, 0, false}};
static const Op op_test_loop = {.name = "TestLoop",
                                .nin = -1,
                                .nout = -1,
                                .attr_bytes = 8,
                                .attrs = fields,
                                .nattr = 1,
                                .infer = infer,
                                .shape = shape,
                                .lower = lower};

static ThVar *node(ThContext *c, int64_t number, ThVar *const *in, int nin, ThVar **all) {
    Builder b;
    builder_begin(&b, c);
    ThApply *a = apply_make(&b, &op_test_loop, &number, in, nin);
    for (int o = 0; a && o < a->nout; o++) all[o] = kept(th_var_retain(a->out[o]));
    builder_end(&b);
    return a ? all[0] : NULL;
}

/* Gives every test node of fg its body: results over arguments. */
typedef struct BodyOf {
    ThVar *in[8], *out[4];
    int nin, nout;
    const struct BodyOf *inside; /* of test nodes in this body */
} BodyOf;
static void give(FGraph *fg, const BodyOf *y) {
    ApplyVec order = {0};
    CHECK(fg_toposort(fg, &order));
    for (int i = 0; i < order.n; i++) {
        if (order.at[i]->op != &op_test_loop) continue;
        FGraph *in = fg_new(fg->ctx, y->in, y->nin, y->out, y->nout, NULL, NULL, 0, false);
        if (in && y->inside) give(in, y->inside);
        CHECK(in && fg_inner_set(fg, order.at[i], 0, in));
    }
    vec_free(fg->ctx, &order);
}

static ThFunction *function(ThContext *c, ThVar *const *in, int nin, ThVar *const *out, int nout, const BodyOf *y,
                            bool native, bool print) {
    PlanIo ins[8], outs[8];
    memset(ins, 0, sizeof ins);
    memset(outs, 0, sizeof outs);
    ThIn fin[8];
    ThOut fout[8];
    memset(fin, 0, sizeof fin);
    for (int i = 0; i < nin; i++) {
        ins[i].type = th_var_type(in[i]);
        fin[i] = (ThIn){.var = in[i], .allow_downcast = -1};
    }
    for (int i = 0; i < nout; i++) outs[i].type = th_var_type(out[i]), fout[i] = (ThOut){out[i], false};
    FGraph *fg = fg_new(c, in, nin, out, nout, NULL, NULL, 0, false);
    if (!fg) return NULL;
    give(fg, y);
    Plan *p = plan_make(fg, ins, nin, outs, nout);
    CHECK(p && plan_check(p));
    if (p) check_sizes_proved(p);
    if (p && print) show(p);
    Unit *u = p && native ? backend_c.build(c, p, NULL) : NULL;
    if (u && print) puts(strstr(u->source, "theano_run"));
    FunctionSpec s = {.plan = p, .unit = u, .fg = fg, .in = fin, .nin = nin, .out = fout, .nout = nout};
    s.allow_input_downcast = -1;
    ThFunction *f = p ? function_new(c, &s) : NULL;
    plan_release(p);
    if (!f) fg_free(fg);
    return f;
}

/* ---- cases ---- */
static ThType floats(int ndim) { return type_tensor(TH_FLOAT64, ndim, 0); }

static void expect(ThArray *a, const double *want, int n) {
    const double *got = a ? th_array_data(a) : NULL;
    CHECK(got && th_array_size(a) == n);
    for (int i = 0; got && i < n && i < th_array_size(a); i++) CHECK(fabs(got[i] - want[i]) < 1e-12);
}

typedef struct Run {
    ThContext *c;
    bool native;
    ThFunction *f;
    ThArray *arg[8], *res[4];
    int nin, nout;
} Run;

/* Compiles the test node with that body and calls it on the arguments. */
static int run(Run *r, const Spec *s, const BodyOf *y, ThVar *const *in) {
    ThVar *out[4];
    spec_now[0] = s;
    if (!node(r->c, 0, in, r->nin, out)) return 1;
    r->nout = s->nout;
    r->f = function(r->c, in, r->nin, out, s->nout, y, r->native, getenv("SHOW") != NULL);
    return r->f ? th_call(r->f, r->arg, r->nin, r->res) : 1;
}

static void done(Run *r) {
    for (int i = 0; i < 8; i++) th_array_release(r->arg[i]);
    for (int i = 0; i < 4; i++) th_array_release(r->res[i]);
    if (r->f) th_function_release(r->f);
}

static ThArray *steps_of(ThContext *c, int64_t n) { return array(c, TH_INT64, 0, NULL, &n); }

/* h[t + 1] = 0.5 h[t] + x[t], whole and in a ring of two rows or of one, where a turn writes the row it reads */
static void recurrence(ThContext *c, bool native, int64_t rows) {
    const Spec s = {.nin = 3,
                    .nout = 1,
                    .until = -1,
                    .turns = -1,
                    .nport_in = 2,
                    .nport_out = 1,
                    .out = {floats(2)},
                    .like = {2},
                    .state = {true},
                    .in = {{0, 1, true, 0, 1, 0}, {1, -1, true, 0, 1, rows == 1 ? 1 : -1}},
                    .to = {{0, 0, true, 1, 1, rows == 1 ? 1 : -1}}};
    ThVar *in[3] = {tensor(c, TH_INT64, 0, 0, "n"), tensor(c, TH_FLOAT64, 2, 0, "x"), tensor(c, TH_FLOAT64, 2, 0, "h")};
    ThVar *xt = tensor(c, TH_FLOAT64, 1, 0, "x_t"), *ht = tensor(c, TH_FLOAT64, 1, 0, "h_t");
    ThVar *half = th_constant_float(c, 0.5);
    BodyOf y = {.in = {xt, ht}, .nin = 2, .nout = 1};
    y.out[0] = th_op(c, "add", 2, th_op(c, "mul", 2, half, ht), xt);
    double xs[6] = {1, 2, 3, 4, 5, 6}, hs[8] = {8, 16};
    Run r = {.c = c, .native = native, .nin = 3};
    r.arg[0] = steps_of(c, 3);
    r.arg[1] = array(c, TH_FLOAT64, 2, (int64_t[]){3, 2}, xs);
    r.arg[2] = array(c, TH_FLOAT64, 2, (int64_t[]){rows, 2}, hs);
    CHECK(run(&r, &s, &y, in) == 0);
    if (rows == 4) expect(r.res[0], (double[]){8, 16, 5, 10, 5.5, 9, 7.75, 10.5}, 8);
    if (rows == 2) expect(r.res[0], (double[]){5.5, 9, 7.75, 10.5}, 4);
    if (rows == 1) expect(r.res[0], (double[]){7.75, 10.5}, 2);
    done(&r);
}

/* One carried number, doubled until it passes 100; the turns are counted. */
static void early_end(ThContext *c, bool native) {
    const Spec s = {.nin = 2,
                    .nout = 2,
                    .until = 1,
                    .turns = 1,
                    .nport_in = 1,
                    .nport_out = 1,
                    .out = {floats(0), type_tensor(TH_INT64, 0, 0)},
                    .like = {1, -1},
                    .state = {true},
                    .in = {{0, -1, false, 0, 0, 0}},
                    .to = {{0, 0, false, 0, 0, 0}}};
    ThVar *in[2] = {tensor(c, TH_INT64, 0, 0, "n"), tensor(c, TH_FLOAT64, 0, 0, "h")};
    ThVar *h = tensor(c, TH_FLOAT64, 0, 0, "h_t"), *two = th_constant_float(c, 2), *most = th_constant_float(c, 100);
    BodyOf y = {.in = {h}, .nin = 1, .nout = 2};
    y.out[0] = th_op(c, "mul", 2, h, two);
    y.out[1] = th_op(c, "gt", 2, y.out[0], most);
    for (int64_t n = 0; n <= 20; n += 5) {
        double one = 3;
        Run r = {.c = c, .native = native, .nin = 2, .arg = {steps_of(c, n), array(c, TH_FLOAT64, 0, NULL, &one)}};
        CHECK(run(&r, &s, &y, in) == 0);
        int64_t turns = r.res[1] ? *(const int64_t *)th_array_data(r.res[1]) : -1;
        CHECK(turns == (n < 6 ? n : 6));
        expect(r.res[0], (double[]){3 * pow(2, n < 6 ? (double)n : 6)}, 1);
        done(&r);
    }
}
int main(void) {
    ThContext *c = th_context_new(NULL);
    for (int native = 0; native < 2; native++) {
        for (int64_t rows = 1; rows <= 4; rows *= 2) recurrence(c, native, rows);
        early_end(c, native);
    }
    if (th_error(c)) fprintf(stderr, "%s\n", th_error_text(c));
    CHECK(th_error(c) == TH_OK);
    kept_release();
    th_context_release(c);
    return test_done("plan_loop");
}
