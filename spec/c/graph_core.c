/*
 * graph_core.c -- nodes: references, provenance, constants, walks, clones, shareds, expressions, attributes, kernels.
 */
#include "test.h"

#include "ops/table/expr.h"
#include "graph/op.h"

enum { CHAIN = 1000000 };

static ThVar *matrix(Builder *b, const char *name) { return var_new(b, type_tensor(TH_FLOAT64, 2, 0), name); }

static ThVar *apply_name(Builder *b, const char *name, ThVar *x, ThVar *y) {
    ThVar *in[] = {x, y};
    return elemwise_make(b, scalar_find(name), in, y ? 2 : 1);
}

/* ---- references ---- */
static void test_references(ThContext *c) {
    Builder b;
    builder_begin(&b, c);
    ThVar *x = matrix(&b, "x"), *y = apply_name(&b, "exp", x, NULL), *z = apply_name(&b, "sin", y, NULL);
    CHECK(th_stat(c, "live_nodes") == 3);
    CHECK(atomic_load(&y->owner->refs) == 2); /* the pool and z */
    th_var_retain(z);
    th_apply_retain(z->owner); /* an Apply and its outputs share one count */
    builder_end(&b);
    CHECK(th_stat(c, "live_nodes") == 3);
    th_var_release(z);
    CHECK(th_stat(c, "live_nodes") == 3);
    th_apply_release(z->owner);
    CHECK(th_stat(c, "live_nodes") == 0);
    builder_begin(&b, c);
    CHECK(apply_name(&b, "exp", NULL, NULL) == NULL && th_error(c) == TH_OK); /* NULL in, NULL out, no new error */
    builder_end(&b);
}

/* A million links: no recursion anywhere, and each step costs the same however long the chain is. */
static long long chain(ThContext *c, int n) {
    Builder b;
    long long before = test_heap.calls;
    ThVar *x = th_variable_new(c, (ThType){0, TH_FLOAT64, 1, 0}, "x"), *first = x;
    for (int i = 0; x && i < n; i++) {
        builder_begin(&b, c);
        ThVar *y = th_var_retain(apply_name(&b, i % 2 ? "tanh" : "exp", x, NULL));
        builder_end(&b);
        if (x != first) th_var_release(x);
        x = y;
    }
    CHECK(x != NULL);
    ApplyVec order = {0};
    CHECK(graph_toposort(c, &x, 1, NULL, 0, &order) && order.n == n);
    CHECK(order.at[0]->in[0] == first && order.at[n - 1]->out[0] == x);
    vec_free(c, &order);
    ThVar *copy = NULL;
    CHECK(graph_clone(c, &x, 1, NULL, NULL, 0, true, &copy));
    CHECK(copy && copy != x && copy->owner->in[0] != x->owner->in[0]);
    th_var_release(copy);
    FGraph *fg = fg_new(c, &first, 1, &x, 1, NULL, NULL, 0, true);
    CHECK(fg && fg->live == n && fg->nin == 1 && fg->out[0]->owner->rank == (uint32_t)n);
    CHECK(fg && fg_toposort(fg, &order) && order.n == n);
    vec_free(c, &order);
    fg_free(fg);
    th_var_release(x);
    CHECK(th_stat(c, "live_nodes") == 1);
    th_var_release(first);
    return test_heap.calls - before;
}

/* A sum over a chain: the gradient, its text, and freeing both. */
static long long chain_grad(ThContext *c, int n) {
    Builder b;
    builder_begin(&b, c);
    ThVar *x = var_new(&b, type_tensor(TH_FLOAT64, 0, 0), "x"), *y = x, *g = NULL;
    for (int i = 0; i < n; i++) y = apply_name(&b, "sin", y, NULL);
    long long before = test_heap.calls;
    CHECK(th_grad(c, y, &x, 1, NULL, &g) == 0 && g);
    Text t;
    text_init(&t, c);
    CHECK(g && graph_print(&t, NULL, 0, &g, 1));
    CHECK(t.n > (size_t)n * 20);
    text_free(&t);
    ThDebugPrint o = {.depth = -1, .ids = 'C', .max_bytes = 10000};
    char *s = th_debugprint(c, &g, 1, &o);
    CHECK(s && strstr(s, "... cut"));
    th_free(c, s);
    th_var_release(g);
    long long used = test_heap.calls - before;
    builder_end(&b);
    return used;
}

static void test_chain(ThContext *c) {
    const int most = (int)test_amount(CHAIN);
    long long small = chain(c, most / 10), large = chain(c, most);
    CHECK(large < 11 * small); /* allocations grow no faster than the chain */
    CHECK(th_stat(c, "live_nodes") == 0);
    small = chain_grad(c, most / 100);
    large = chain_grad(c, most / 10);
    CHECK(large < 11 * small);
    CHECK(th_stat(c, "live_nodes") == 0);
}

/* ---- provenance ---- */
static void check_prov(ThContext *c, Prov p, const char *want) {
    Text t;
    text_init(&t, c);
    prov_text(c, &t, p);
    CHECK_TEXT(t.at ? t.at : "", want);
    text_free(&t);
}

static void test_prov(ThContext *c) {
    Prov a = prov_leaf(c, "train.lua", 14), b = prov_leaf(c, "net.lua", 3);
    CHECK(a && b && a != b && prov_leaf(c, "train.lua", 14) == a);
    CHECK(prov_join(c, a, 0) == a && prov_join(c, 0, b) == b && prov_join(c, a, a) == a);
    CHECK(prov_join(c, a, b) == prov_join(c, a, b));
    check_prov(c, 0, "");
    check_prov(c, prov_grad(c, a), "gradient of train.lua:14");
    check_prov(c, prov_join(c, prov_join(c, a, b), prov_grad(c, b)), "train.lua:14, net.lua:3, gradient of net.lua:3");
    check_prov(c, prov_grad(c, prov_join(c, a, b)), "gradient of train.lua:14, gradient of net.lua:3");
    Prov many = a;
    for (int i = 0; i < 100000; i++) many = prov_join(c, many, prov_leaf(c, "many.lua", i + 1));
    Text t;
    text_init(&t, c);
    prov_text(c, &t, many); /* a deep join shows no more than eight lines */
    int commas = 0;
    for (const char *s = t.at; s && *s; s++) commas += *s == ',';
    CHECK(commas < 8);
    text_free(&t);
    int line = 0;
    CHECK_TEXT(prov_first(c, many, &line), "train.lua");
    CHECK(line == 14);
    th_set_line(c, "model.lua", 7);
    ThVar *x = th_variable_new(c, (ThType){0, TH_FLOAT64, 0, 0}, "x"), *g = NULL, *y = th_op(c, "exp", 1, x);
    CHECK_TEXT(th_var_line(x, &line), "model.lua");
    CHECK(line == 7);
    th_set_line(c, "train.lua", 20);
    CHECK(th_grad(c, y, &x, 1, NULL, &g) == 0);
    check_prov(c, g->prov, "gradient of model.lua:7");
    th_set_line(c, NULL, 0);
    CHECK(c->prov == 0);
    th_var_release(g);
    th_var_release(y);
    th_var_release(x);
}

/* ---- constants and shareds ---- */
static void test_constants(ThContext *c) {
    ThVar *one = th_constant_int(c, 1), *again = th_constant_int(c, 1), *far = th_constant_int(c, 100);
    ThVar *half = th_constant_float(c, 0.5), *tenth = th_constant_float(c, 0.1), *zero = th_constant_float(c, 0.0);
    CHECK(one == again && one->type.dtype == TH_INT8 && far->type.dtype == TH_INT8);
    CHECK(half->type.dtype == TH_FLOAT32 && tenth->type.dtype == TH_FLOAT64);
    ThVar *neg = th_constant_float(c, -0.0);
    CHECK(neg != zero && !const_equal(neg, zero) && const_is(neg, 0)); /* bits decide what is the same */
    th_var_release(one);
    th_var_release(again);
    CHECK(th_stat(c, "live_nodes") == 5); /* the cache does not keep a number alive */
    ThVar *named = th_constant_int(c, 1);
    th_var_set_name(named, "one");
    ThVar *fresh = th_constant_int(c, 1);
    CHECK(fresh != named && fresh->name == NULL);
    ThVar *all[] = {far, half, tenth, zero, neg, named, fresh};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) th_var_release(all[i]);
    CHECK(th_stat(c, "live_nodes") == 0);
}

static ThArray *filled(ThContext *c, ThDtype d, int ndim, const int64_t *shape, double v) {
    ThArray *a = th_array_zeros(c, d, ndim, shape), *s = array_scalar(c, TH_FLOAT64, &v);
    th_array_fill(a, s);
    th_array_release(s);
    return a;
}

static void test_shared(ThContext *c) {
    int64_t two = 2, three = 3, one = 1;
    ThArray *a = filled(c, TH_FLOAT32, 1, &two, 1.0);
    ThVar *copied = th_shared_new(c, a, "w", false, 0), *borrowed = th_shared_new(c, a, "v", true, 0);
    int64_t at = 0;
    th_array_set(a, &at, 'f', (ThValue){.f = 9});
    ThArray *x = th_shared_get(copied, false), *y = th_shared_get(borrowed, true), *z = th_shared_get(borrowed, false);
    CHECK(array_item_float(x) == 1 && array_item_float(y) == 9 && y == a && z != a && !th_array_shares_memory(z, a));
    uint64_t stamp = atomic_load(&copied->u.shared->stamp);
    CHECK(th_shared_set(copied, a, false) == 0 && atomic_load(&copied->u.shared->stamp) == stamp);
    ThArray *longer = filled(c, TH_FLOAT32, 1, &three, 2.0), *wide = filled(c, TH_FLOAT64, 1, &two, 0.1);
    CHECK(th_shared_set(copied, longer, true) == 0 && atomic_load(&copied->u.shared->stamp) == stamp + 1);
    ThArray *same = th_shared_get(copied, true);
    CHECK(same == longer);
    CHECK(th_shared_set(copied, wide, false) != 0);
    CHECK_ERROR(c, TH_TypeError, "risking loss of precision");
    int64_t shape2[] = {1, 2};
    ThArray *m = filled(c, TH_FLOAT32, 2, shape2, 0), *ints = filled(c, TH_INT16, 1, &one, 7);
    CHECK(th_shared_set(copied, m, false) != 0);
    CHECK_ERROR(c, TH_TypeError, "expected 1, got 2");
    CHECK(th_shared_set(copied, ints, false) == 0);
    ThArray *got = th_shared_get(copied, true);
    CHECK(got->dtype == TH_FLOAT32 && array_item_float(got) == 7);
    CHECK(th_shared_new(c, a, "row", false, 1) == NULL);
    CHECK_ERROR(c, TH_TypeError, "broadcastable and must have length 1");
    CHECK(th_var_kind(copied) == 's' && copied->type.broadcastable == 0);
    ThArray *all[] = {a, x, y, z, longer, wide, same, m, ints, got};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) th_array_release(all[i]);
    th_var_release(copied);
    th_var_release(borrowed);
}

/* ---- walks and clones ---- */
static void test_walks(ThContext *c) {
    Builder b;
    builder_begin(&b, c);
    ThVar *x = matrix(&b, "x"), *y = matrix(&b, "y"), *s = apply_name(&b, "add", x, y),
          *e = apply_name(&b, "exp", s, NULL);
    ThVar *p = apply_name(&b, "mul", e, s), *q = apply_name(&b, "sub", s, x), *outs[] = {p, q};
    ApplyVec order = {0};
    CHECK(graph_toposort(c, outs, 2, NULL, 0, &order) && order.n == 4);
    CHECK(order.at[0] == s->owner && order.at[1] == e->owner && order.at[2] == p->owner && order.at[3] == q->owner);
    order.n = 0;
    CHECK(graph_toposort(c, outs, 2, &s, 1, &order) && order.n == 3 && order.at[0] == e->owner);
    vec_free(c, &order);
    VarVec leaves = {0};
    CHECK(graph_leaves(c, outs, 2, &leaves) && leaves.n == 2 && leaves.at[0] == x && leaves.at[1] == y);
    vec_free(c, &leaves);
    ThVar *copy[2], *from[] = {x, e}, *to[] = {y, x};
    CHECK(graph_clone(c, outs, 2, from, to, 2, true, copy));
    char *text = th_pp(copy[0]); /* x -> y, exp(x + y) -> x: what only the replaced part needs is gone */
    CHECK_TEXT(text, "(x * (y + y))");
    th_free(c, text);
    th_var_release(copy[0]);
    th_var_release(copy[1]);
    ThVar *row = var_new(&b, type_tensor(TH_FLOAT64, 2, 1), "row"),
          *vector = var_new(&b, type_tensor(TH_FLOAT64, 1, 0), "v");
    CHECK(graph_clone(c, outs, 1, &x, &row, 1, true, copy)); /* a row stands for a matrix */
    th_var_release(copy[0]);
    CHECK(!graph_clone(c, outs, 1, &x, &vector, 1, true, copy));
    CHECK_ERROR(c, TH_TypeError, "the types differ");
    CHECK(graph_clone(c, outs, 1, &x, &row, 1, false, copy)); /* not strict: types are inferred again */
    th_var_release(copy[0]);
    builder_end(&b);
}

/* ---- expressions ---- */
static void put_expr(Text *t, const Expr *e, int at) {
    const ExNode *n = &e->at[at];
    if (n->kind == EX_NUM) text_printf(t, n->integer ? "%g" : "%g.", n->num);
    else text_put(t, n->name);
    if (n->attrs) text_printf(t, "{%s}", n->attrs);
    if (n->kind == EX_CALL || n->kind == EX_BIND) {
        text_put(t, n->kind == EX_BIND ? ":(" : "(");
        for (int i = 0; i < n->nkid; i++) {
            CHECK(n->kid[i] >= 0 && n->kid[i] < at); /* children before parents */
            text_put(t, i ? " " : "");
            put_expr(t, e, n->kid[i]);
        }
        text_putc(t, ')');
    }
}

static void check_expr(ThContext *c, const char *text, const char *want) {
    Arena *a = arena_new(c);
    Expr *e = expr_parse(a, text);
    Text t;
    text_init(&t, c);
    if (e) put_expr(&t, e, e->n - 1);
    CHECK_TEXT(t.at ? t.at : "", want);
    if (!e) th_error_clear(c);
    text_free(&t);
    arena_free(a);
}

static void check_bad_expr(ThContext *c, const char *text, const char *words) {
    Arena *a = arena_new(c);
    CHECK(expr_parse(a, text) == NULL);
    CHECK_ERROR(c, TH_ValueError, words);
    arena_free(a);
}

static void test_expr(ThContext *c) {
    check_expr(c, "log(1 + x)", "log(add(1 x))");
    check_expr(c, "a - b - c", "sub(sub(a b) c)");
    check_expr(c, "a*b + c/d", "add(mul(a b) true_div(c d))");
    check_expr(c, "-x^2", "neg(pow(x 2))");
    check_expr(c, "x^-y^2", "pow(x neg(pow(y 2)))");
    check_expr(c, "gz*z*2.5e-1", "mul(mul(gz z) 0.25.)");
    check_expr(c, "a < 0 ? b : c > 1 && !d ? e : f", "switch(lt(a 0) b switch(and_(gt(c 1) not(d)) e f))");
    check_expr(c, "a != b || c <= d", "or_(neq(a b) le(c d))");
    check_expr(c, "Sum{axis=[0], k=1}(x, y)", "Sum{axis=[0], k=1}(x y)");
    check_expr(c, "s:(a + b) * s", "mul(s:(add(a b)) s)");
    check_expr(c, "c ? x : (y)", "switch(c x y)");
    check_expr(c, "f()", "f()");
    check_bad_expr(c, "a + ", "column 5");
    check_bad_expr(c, "f(a, b", "column 7");
    check_bad_expr(c, "a b", "column 3: something is left over");
    check_bad_expr(c, "f(1,2,3,4,5)", "more than 4 arguments");
    check_bad_expr(c, "1.2.3", "number does not parse");
    char deep[400];
    memset(deep, '(', 300);
    deep[300] = 0;
    check_bad_expr(c, deep, "nested too deeply");
    Arena *a = arena_new(c);
    Expr *list[4];
    CHECK(expr_parse_list(a, "gz*y; ; gz*x", list, 4) == 3 && list[0] && !list[1] && list[2]);
    CHECK(expr_parse_list(a, "", list, 4) == 1 && !list[0]);
    CHECK(expr_parse_list(a, "a;b;c", list, 2) == -1);
    th_error_clear(c);
    arena_free(a);
}

/* ---- attributes ---- */
typedef struct Attrs {
    int64_t i;
    double f;
    const char *s;
    AttrInts axes;
    AttrIdx idx;
    uint8_t flag, dtype;
    int8_t byte;
    ThType type;
    int64_t hidden;
} Attrs;
static const AttrField attr_fields[] = {
    {"i", ATTR_INT, offsetof(Attrs, i), false},           {"f", ATTR_FLOAT, offsetof(Attrs, f), false},
    {"s", ATTR_STR, offsetof(Attrs, s), false},           {"axes", ATTR_AXES, offsetof(Attrs, axes), false},
    {"idx", ATTR_IDX, offsetof(Attrs, idx), false},       {"flag", ATTR_BOOL, offsetof(Attrs, flag), false},
    {"dtype", ATTR_DTYPE, offsetof(Attrs, dtype), false}, {"byte", ATTR_BYTE, offsetof(Attrs, byte), false},
    {"type", ATTR_TYPE, offsetof(Attrs, type), false},    {"hidden", ATTR_INT, offsetof(Attrs, hidden), true}};
static const Op attr_op = {.name = "Test",
                           .nin = 1,
                           .nout = 1,
                           .attr_bytes = sizeof(Attrs),
                           .attrs = attr_fields,
                           .nattr = TH_LEN(attr_fields)};

static void test_attrs(ThContext *c) {
    Attrs a, b;
    memset(&a, 0, sizeof a);
    a = (Attrs){.i = -5,
                .f = 0.1,
                .s = intern(c, "it's"),
                .axes = {2, {0, -1}},
                .flag = 1,
                .dtype = TH_INT16,
                .byte = -3,
                .type = type_tensor(TH_FLOAT32, 2, 2),
                .hidden = 4};
    a.idx.n = 4;
    a.idx.at[0].kind = 'i', a.idx.at[0].has = 1, a.idx.at[0].dtype[0] = TH_INT64;
    a.idx.at[1].kind = 'n';
    a.idx.at[2].kind = 's', a.idx.at[2].has = 2, a.idx.at[2].dtype[1] = TH_INT8;
    a.idx.at[3].kind = 's';
    Text t;
    text_init(&t, c);
    attrs_text(&t, &attr_op, &a);
    CHECK_TEXT(t.at,
               "{i=-5, f=0.1, s='it\\'s', axes=[0, -1], idx=(int64, newaxis, :int8:, ::), flag=True, dtype=int16, "
               "byte=-3, type=float32[?,1]}");
    CHECK(attrs_read(c, &attr_op, t.at, &b));
    CHECK(attrs_equal(&attr_op, &a, &b) && attrs_hash(&attr_op, &a) == attrs_hash(&attr_op, &b)); /* hidden differs */
    text_free(&t);
    b.f = -0.0;
    a.f = 0.0;
    CHECK(!attrs_equal(&attr_op, &a, &b)); /* by bits */
    CHECK(attrs_read(c, &attr_op, "i=3", &b) && b.i == 3 && b.axes.n == -1 && b.dtype == TH_DTYPE_NONE);
    CHECK(!attrs_read(c, &attr_op, "{nope=1}", &b));
    CHECK_ERROR(c, TH_ValueError, "no such attribute");
    th_error_clear(c);
    CHECK(!attrs_read(c, &attr_op, "{i=1, i=2}", &b) && strstr(th_error_text(c), "given twice"));
    th_error_clear(c);
    CHECK(!attrs_read(c, &attr_op, "{axes=[1", &b));
    th_error_clear(c);
}

static void test_body_attr(ThContext *c) {
    Text t;
    ThDtype in[] = {TH_FLOAT64, TH_INT8};
    ScalarIns ins[] = {{(uint16_t)scalar_find("mul"), TH_FLOAT64, 2, 0},
                       {(uint16_t)scalar_find("exp"), TH_FLOAT64, 1, 2}};
    int arg[] = {0, 2, 3}, out[] = {4, 3};
    ThValue value;
    value.c = (ThComplex128){0.1, 7}; /* what the dtype does not use is no part of a body */
    ThDtype cd = TH_FLOAT64;
    ScalarBody proto = {.nin = 2,
                        .nout = 2,
                        .n = 2,
                        .narg = 3,
                        .nconst = 1,
                        .in_dtype = in,
                        .ins = ins,
                        .arg = arg,
                        .cvalue = &value,
                        .cdtype = &cd,
                        .out = out};
    ElemwiseAttrs e = {.body = scalar_body_intern(c, &proto)}, back;
    text_init(&t, c);
    attrs_text(&t, &op_elemwise, &e);
    CHECK(t.at &&
          strstr(t.at, "<i:float64 i:int8 | c:float64=0x1.999999999999ap-4 | mul:float64(0,2) exp:float64(3) | 4 3>"));
    CHECK(attrs_read(c, &op_elemwise, t.at, &back) && back.body == e.body && e.body);
    text_free(&t);
}

/* ---- kernels ---- */
/* out[i] = k1 * a[i] + 1, and its sum over the dim, over symbol `sym`. */
static Kernel *small_kernel(ThContext *c, int sym, double k1) {
    Kernel *k = kernel_new(c);
    Size n = {1, sym};
    int d = kernel_dim(k, n, DIM_RED);
    Access a = {.buf = 0, .dtype = TH_FLOAT32, .flags = ACC_READ, .off = size_const(0), .idx = -1, .guard = -1};
    for (int i = 0; i < KDIM; i++) a.st[i] = size_const(0);
    a.st[d] = size_const(1);
    Access o = a;
    o.buf = 1, o.dtype = TH_FLOAT64, o.flags = ACC_WRITE, o.st[d] = size_const(0);
    int in = kernel_access(k, a), out = kernel_access(k, o);
    kernel_stage(k, STAGE_LOOP, 0, 1);
    int x = ins_load(k, in, 1), w = ins_literal(k, TH_FLOAT32, (ThValue){.f = k1}, 0);
    int y = ins_op(k, scalar_find("mul"), TH_FLOAT32, TH_FLOAT32, 1, w, x, -1);
    int one = ins_literal(k, TH_FLOAT32, (ThValue){.f = 1}, 0);
    int z = ins_op(k, scalar_find("add"), TH_FLOAT32, TH_FLOAT32, 1, y, one, -1);
    int s = ins_reduce(k, RED_SUM, z, TH_FLOAT64, 0);
    CHECK(ins_store(k, out, s, 0) >= 0);
    k->title = "sum(w * a + 1)";
    return k;
}

static void test_kernel(ThContext *c) {
    Kernel *k = small_kernel(c, 3, 0.1), *same = small_kernel(c, 7, 0.7), *other = small_kernel(c, 3, 2.0);
    CHECK(kernel_check(k));
    CHECK(k->nbuf == 2 && k->param.n == 1 && other->param.n == 0); /* 2 stays in the text */
    CHECK(kernel_key(k) == kernel_key(same) && kernel_key(k) != kernel_key(other) && k->key);
    Text t;
    text_init(&t, c);
    kernel_text(&t, k);
    CHECK_TEXT(t.at, "kernel sum(w * a + 1)\n"
                     "  dim 0: red s0\n"
                     "  a0: b0 float32 read [1]\n"
                     "  a1: b1 float64 write [0]\n"
                     "  stage 0: loop dims 0..1\n"
                     "      %0 = a0 : float32\n"
                     "    %1 = param 0 = 0.1 : float32\n"
                     "      %2 = mul %1 %0 : float32\n"
                     "    %3 = 1 : float32\n"
                     "      %4 = add %2 %3 : float32\n"
                     "      %5 = cast %4 : float64\n"
                     "    %6 = sum of %5 in float64 : float64\n"
                     "    %7 = a1 := %6 : float64\n");
    text_free(&t);
    k->ins.at[7].b = 5; /* a value of the loop used outside of it */
    CHECK(!kernel_check(k));
    CHECK_ERROR(c, TH_RuntimeError, "deeper loop");
    same->ins.at[2].a = 4;
    CHECK(!kernel_check(same));
    CHECK_ERROR(c, TH_RuntimeError, "not an earlier value");
    other->acc.at[1].dtype = TH_INT8;
    CHECK(!kernel_check(other));
    CHECK_ERROR(c, TH_RuntimeError, "stores another dtype");
    kernel_free(k);
    kernel_free(same);
    kernel_free(other);
    k = kernel_new(c);
    CHECK(ins_index(k, 0, 0) == -1); /* no stage yet */
    th_error_clear(c);
    for (int i = 0; i < KDIM; i++) CHECK(kernel_dim(k, size_const(2), DIM_PAR) == i);
    CHECK(kernel_dim(k, size_const(2), DIM_PAR) == -1);
    kernel_free(k);
}

/* Updates that read each other's variables: what counts cannot free goes when the context's updates are taken back. */
static bool circle_of_updates(ThContext *c) {
    Builder b;
    builder_begin(&b, c);
    ThVar *s[3] = {NULL, NULL, NULL};
    bool ok = true;
    for (int i = 0; i < 3; i++) {
        ThArray *a = th_array_zeros(c, TH_FLOAT64, 0, NULL);
        s[i] = a ? th_shared_new(c, a, "s", false, 0) : NULL;
        th_array_release(a);
        ok = ok && s[i];
    }
    for (int i = 0; ok && i < 3; i++) {
        ThVar *next = apply_name(&b, "add", s[i], s[(i + 1) % 3]);
        ok = next && !th_shared_set_default_update(s[i], next);
    }
    builder_end(&b);
    for (int i = 0; i < 3; i++) th_var_release(s[i]);
    return ok;
}

static void test_circles(ThContext *c) {
    int64_t before = th_stat(c, "live_nodes");
    CHECK(circle_of_updates(c));
    CHECK(th_stat(c, "live_nodes") > before);
    th_shared_forget_updates(c);
    CHECK(th_stat(c, "live_nodes") == before);
    th_shared_forget_updates(c);
    th_shared_forget_updates(NULL);
}

/* ---- failing allocations ---- */
static int build_circle(ThContext *c) {
    bool ok = circle_of_updates(c);
    th_shared_forget_updates(c);
    return ok;
}

static int build_and_close(ThContext *c) {
    Builder b;
    th_set_line(c, "file.lua", 1);
    builder_begin(&b, c);
    ThVar *x = matrix(&b, "x"), *y = apply_name(&b, "exp", x, NULL), *one = const_int(&b, 1, TH_DTYPE_NONE);
    ThVar *z = one ? apply_name(&b, "add", y, one) : NULL;
    ThVar *again = one ? apply_name(&b, "add", apply_name(&b, "exp", x, NULL), one) : NULL;
    int64_t two = 2;
    ThArray *a = th_array_zeros(c, TH_FLOAT64, 1, &two);
    ThVar *w = a ? th_shared_new(c, a, "w", false, 0) : NULL;
    if (a) th_array_release(a);
    ThVar *p = w && z ? apply_name(&b, "mul", z, w) : NULL, *q = p && again ? apply_name(&b, "mul", again, w) : NULL;
    ThVar *outs[] = {p, q}, *copy[2] = {NULL, NULL};
    bool ok = q && graph_clone(c, outs, 2, NULL, NULL, 0, true, copy);
    FGraph *fg = ok ? fg_new(c, &x, 1, outs, 2, NULL, NULL, 0, false) : NULL;
    ok = fg && fg_merge(fg) && graph_verify(fg);
    CHECK(!ok || fg->out[0] == fg->out[1]);
    fg_free(fg);
    th_var_release(copy[0]);
    th_var_release(copy[1]);
    th_var_release(w);
    builder_end(&b);
    return ok;
}

int main(void) {
    ThHost host = test_failing_host(0);
    ThContext *c = th_context_new(&host);
    test_references(c);
    test_prov(c);
    test_constants(c);
    test_shared(c);
    test_circles(c);
    test_walks(c);
    test_expr(c);
    test_body_attr(c);
    test_attrs(c);
    test_body_attr(c);
    test_kernel(c);
    test_chain(c);
    CHECK(th_error(c) == TH_OK);
    CHECK(th_stat(c, "live_nodes") == 0);
    th_context_release(c);
    CHECK(test_leaked() == 0);
    test_every_failure(build_and_close);
    test_every_failure(build_circle);
    return test_done("graph_core");
}
