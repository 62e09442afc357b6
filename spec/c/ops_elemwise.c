/* ops_elemwise.c -- the scalar table, dtype rules, Elemwise and DimShuffle: texts, types and names against Theano's. */
#include "test.h"

#include "ops/table/expr.h"
#include "ops/front/front.h"

/* ---- the table --------------------------------------------------------------------------------------------------- */
/* Operands of what a value text calls; 0: there is no such helper. Complex forms compute with parts too. */
static int arity_of(const char *name, bool complex_form) {
    const Primitive *p = primitives_find(name);
    return p && (complex_form || !p->of_complex) ? p->arity : 0;
}

static void check_value(int op, const ScalarTexts *t, bool complex_form) {
    CHECK(t && t->n == 1 && t->at[0]);
    for (int i = 0; t && t->at[0] && i < t->at[0]->n; i++) {
        const ExNode *n = &t->at[0]->at[i];
        if (n->kind == EX_NAME) {
            CHECK(n->name[1] == 0 && n->name[0] >= 'a' && n->name[0] < 'a' + scalar_ops[op].arity);
        } else if (n->kind == EX_CALL) {
            int arity = arity_of(n->name, complex_form);
            if (arity != n->nkid) fprintf(stderr, "%s: value calls %s\n", scalar_ops[op].name, n->name);
            CHECK(arity == n->nkid);
        }
    }
}

static void check_grad(int op, const ScalarTexts *t) {
    static const char *const names = "xyw";
    CHECK(t && t->n <= scalar_ops[op].arity);
    for (int k = 0; t && k < t->n; k++) {
        for (int i = 0; t->at[k] && i < t->at[k]->n; i++) {
            const ExNode *n = &t->at[k]->at[i];
            bool undefined = t->at[k]->n == 1 && n->kind == EX_NAME && !strcmp(n->name, "undefined");
            if (n->kind == EX_CALL)
                CHECK(scalar_find(n->name) >= 0 || !strcmp(n->name, "lit") || !strcmp(n->name, "zeros"));
            if (n->kind == EX_NAME && strcmp(n->name, "z") && strcmp(n->name, "gz") && !undefined) {
                const char *at = strchr(names, n->name[0]);
                CHECK(at && n->name[1] == 0 && at - names < scalar_ops[op].arity);
            }
        }
    }
}

static void test_table(ThContext *c) {
    for (int op = 0; op < scalar_count; op++) {
        const ScalarOp *s = &scalar_ops[op];
        CHECK(s->arity >= 1 && s->arity <= 4 && HELP_GIVEN(s->doc));
        CHECK(scalar_find(s->name) == op);
        CHECK(s->value || s->cvalue);
        CHECK(!s->cvalue == !(s->flags & SF_COMPLEX) || s->result == RES_COMPLEX);
        if (s->value) check_value(op, scalar_value_texts(c, op, false), false);
        if (s->cvalue) check_value(op, scalar_value_texts(c, op, true), true);
        if (!(s->flags & SF_NARY)) check_grad(op, scalar_grad_texts(c, op));
    }
    CHECK(scalar_find("nonsense") == -1);
    CHECK(!failed(c));
}

static void test_operations(void) {
    for (int i = 0; i < op_count; i++) {
        const Op *o = op_table[i];
        bool lowers = o->lower || !TH_SPARSE || !TH_LINALG; /* ops/table/option.h */
        CHECK(op_find(o->name) == o && o->infer && lowers && HELP_GIVEN(o->doc));
        CHECK((o->nattr > 0) == (o->attr_bytes > 0));
    }
}

/* ---- dtypes ------------------------------------------------------------------------------------------------------ */
static int result(ThContext *c, const char *name, int n, ThDtype a, ThDtype b, ThDtype d) {
    ThDtype in[3] = {a, b, d}, cast[3], out = TH_DTYPE_NONE;
    if (!scalar_infer(c, scalar_find(name), in, n, cast, &out)) return -1;
    return (int)out;
}
#define R1(name, a) result(c, name, 1, a, 0, 0)
#define R2(name, a, b) result(c, name, 2, a, b, 0)

static void test_dtypes(ThContext *c) {
    CHECK(R2("add", TH_BOOL, TH_BOOL) == TH_BOOL);
    CHECK(R2("add", TH_INT8, TH_UINT32) == TH_INT64);
    CHECK(R2("add", TH_INT8, TH_UINT64) == TH_FLOAT64);
    CHECK(R2("add", TH_FLOAT32, TH_INT32) == TH_FLOAT64);
    CHECK(R2("add", TH_INT16, TH_COMPLEX64) == TH_COMPLEX64);
    CHECK(R2("true_div", TH_INT8, TH_INT8) == TH_FLOAT64);
    CHECK(R2("true_div", TH_BOOL, TH_FLOAT32) == TH_FLOAT32);
    CHECK(R2("pow", TH_BOOL, TH_BOOL) == TH_INT8);
    CHECK(R2("pow", TH_INT8, TH_UINT8) == TH_INT16);
    CHECK(R1("exp", TH_INT8) == TH_FLOAT32 && R1("exp", TH_BOOL) == TH_FLOAT32 && R1("exp", TH_INT32) == TH_FLOAT64);
    CHECK(R1("sqr", TH_INT8) == TH_INT8);
    CHECK(R1("abs_", TH_COMPLEX64) == TH_FLOAT32 && R1("abs_", TH_UINT16) == TH_UINT16);
    CHECK(R2("eq", TH_UINT8, TH_INT8) == TH_BOOL && R1("isnan", TH_FLOAT32) == TH_BOOL &&
          R1("isinf", TH_INT8) == TH_BOOL);
    CHECK(result(c, "switch", 3, TH_INT8, TH_UINT8, TH_INT8) == TH_INT16);
    CHECK(result(c, "switch", 3, TH_FLOAT64, TH_INT64, TH_UINT64) == TH_FLOAT64);
    CHECK(R2("second", TH_FLOAT64, TH_INT8) == TH_INT8);
    CHECK(R2("and_", TH_INT8, TH_INT16) == TH_INT16 && R1("invert", TH_BOOL) == TH_BOOL);
    CHECK(R1("neg", TH_UINT16) == TH_UINT16);
    CHECK(R2("complex", TH_FLOAT32, TH_FLOAT32) == TH_COMPLEX64);
    CHECK(!failed(c));
    CHECK(R2("sub", TH_BOOL, TH_BOOL) == -1);
    CHECK_ERROR(c, TH_TypeError, "sub is not defined on bool");
    CHECK(R1("neg", TH_BOOL) == -1);
    CHECK_ERROR(c, TH_TypeError, "invert");
    CHECK(R2("and_", TH_FLOAT32, TH_INT8) == -1);
    CHECK_ERROR(c, TH_TypeError, "float32");
    CHECK(R2("and_", TH_INT64, TH_UINT64) == -1);
    CHECK_ERROR(c, TH_TypeError, "float64");
    CHECK(R1("round_half_to_even", TH_INT32) == -1);
    CHECK_ERROR(c, TH_TypeError, "floats only");
    CHECK(R2("mod", TH_COMPLEX64, TH_FLOAT32) == -1);
    CHECK_ERROR(c, TH_TypeError, "not defined on complex");
    CHECK(R1("exp", TH_COMPLEX64) == TH_COMPLEX64 && R1("angle", TH_COMPLEX64) == TH_FLOAT32);
    CHECK(R1("erf", TH_COMPLEX64) == TH_COMPLEX64);
    CHECK(R1("gammaln", TH_COMPLEX64) == -1);
    CHECK_ERROR(c, TH_TypeError, "gammaln of complex");
    CHECK(R1("real", TH_FLOAT32) == -1);
    CHECK_ERROR(c, TH_TypeError, "works on complex");
    CHECK(R2("exp", TH_FLOAT32, TH_FLOAT32) == -1);
    CHECK_ERROR(c, TH_TypeError, "takes 1 input");
}

/* ---- nodes and names --------------------------------------------------------------------------------------------- */
static ThVar *tensor(Builder *b, ThDtype d, int ndim, uint32_t bc, const char *name) {
    return var_new(b, type_tensor(d, ndim, bc), name);
}

static const char *op_str(ThVar *v) { /* of the last call */
    static char text[300];
    Text t;
    text[0] = 0;
    if (!v || !v->owner) return "no node";
    text_init(&t, v->ctx);
    v->owner->op->str(&t, v->owner);
    snprintf(text, sizeof text, "%s", t.at ? t.at : "");
    text_free(&t);
    return text;
}

static void put_arg(Text *t, const ThApply *a, int i) { text_put(t, a->in[i]->name ? a->in[i]->name : "?"); }
static const char *pp_str(ThVar *v) {
    static char text[300];
    Text t;
    text_init(&t, v->ctx);
    v->owner->op->pp(&t, v->owner, put_arg);
    snprintf(text, sizeof text, "%s", t.at ? t.at : "");
    text_free(&t);
    return text;
}

static void test_nodes(ThContext *c) {
    Builder b;
    builder_begin(&b, c);
    ThVar *m = tensor(&b, TH_FLOAT64, 2, 0, "m"), *v = tensor(&b, TH_FLOAT32, 1, 0, "v"),
          *row = tensor(&b, TH_FLOAT64, 2, 1, "row");
    ThVar *i = tensor(&b, TH_INT8, 1, 0, "i");
    ThVar *y = elemwise_2(&b, S_mul, m, const_float(&b, 2.0, TH_DTYPE_NONE));
    CHECK_TEXT(op_str(y), "Elemwise{mul,no_inplace}");
    CHECK_TEXT(op_str(y->owner->in[1]), "InplaceDimShuffle{x,x}");
    CHECK(y->type.dtype == TH_FLOAT64 && y->type.ndim == 2 && y->type.broadcastable == 0);
    ThVar *s = elemwise_2(&b, S_add, row, v);
    CHECK(s->type.dtype == TH_FLOAT64 && s->type.broadcastable == 1);
    CHECK_TEXT(op_str(s->owner->in[1]), "InplaceDimShuffle{x,0}");
    CHECK(elemwise_2(&b, S_add, row, m)->type.broadcastable == 0);
    CHECK_TEXT(pp_str(elemwise_2(&b, S_add, m, row)), "(m + row)");
    CHECK_TEXT(pp_str(elemwise_2(&b, S_pow, m, row)), "(m ** row)");
    CHECK_TEXT(pp_str(elemwise_1(&b, S_neg, m)), "(-m)");
    CHECK_TEXT(pp_str(elemwise_1(&b, S_abs_, m)), "|m|");
    CHECK_TEXT(pp_str(elemwise_1(&b, S_log1p, m)), "log1p(m)");
    CHECK_TEXT(pp_str(second_make(&b, m, row)), "fill(m, row)");
    CHECK_TEXT(pp_str(cast_make(&b, i, TH_FLOAT64)), "float64(i)");
    CHECK_TEXT(op_str(cast_make(&b, i, TH_FLOAT64)), "Elemwise{Cast{float64}}");
    CHECK(cast_make(&b, m, TH_FLOAT64) == m);
    CHECK_TEXT(op_str(elemwise_1(&b, S_sigmoid, m)), "sigmoid");
    CHECK_TEXT(op_str(elemwise_1(&b, S_softplus, m)), "softplus");
    CHECK_TEXT(op_str(second_make(&b, m, row)), "Elemwise{second,no_inplace}");
    b.in_grad = true;
    CHECK_TEXT(op_str(elemwise_2(&b, S_mul, m, m)), "Elemwise{mul}");
    CHECK_TEXT(op_str(elemwise_2(&b, S_gt, m, m)), "Elemwise{GT}");
    CHECK_TEXT(op_str(elemwise_1(&b, S_sigmoid, m)), "Elemwise{scalar_sigmoid}");
    b.in_grad = false;
    ElemwiseAttrs a;
    memset(&a, 0, sizeof a);
    a.scalar = S_mul;
    a.inplace[0] = 1, a.inplace[2] = 1;
    CHECK_TEXT(op_str(apply1(&b, &op_elemwise, &a, (ThVar *[]){m, m}, 2)), "Elemwise{Mul}[(0, 1)]");
    CHECK(!failed(c));
    CHECK(!elemwise_raw(&b, S_add, (ThVar *[]){m, v}, 2));
    CHECK_ERROR(c, TH_TypeError, "equal rank");
    builder_end(&b);
}

static void test_dimshuffle(ThContext *c) {
    Builder b;
    builder_begin(&b, c);
    ThVar *m = tensor(&b, TH_FLOAT64, 2, 0, "m"), *col = tensor(&b, TH_FLOAT64, 2, 2, "col");
    ThVar *t = dimshuffle_make(&b, m, (int8_t[]){1, 0}, 2), *x = dimshuffle_make(&b, m, (int8_t[]){-1, 0, 1}, 3);
    CHECK_TEXT(op_str(t), "InplaceDimShuffle{1,0}");
    CHECK_TEXT(pp_str(t), "m.T");
    CHECK_TEXT(pp_str(x), "m");
    CHECK_TEXT(pp_str(dimshuffle_make(&b, m, (int8_t[]){0, -1, 1}, 3)), "DimShuffle{0, x, 1}(m)");
    CHECK(x->type.ndim == 3 && x->type.broadcastable == 1);
    CHECK(dimshuffle_make(&b, m, (int8_t[]){0, 1}, 2) == m);
    CHECK(dimshuffle_make(&b, col, (int8_t[]){0}, 1)->type.ndim == 1);
    CHECK(!dimshuffle_make(&b, m, (int8_t[]){0}, 1));
    CHECK_ERROR(c, TH_ValueError, "cannot drop dimension 1");
    CHECK(!dimshuffle_make(&b, m, (int8_t[]){0, 0, 1}, 3));
    CHECK_ERROR(c, TH_ValueError, "twice");
    CHECK(!dimshuffle_make(&b, m, (int8_t[]){0, 1, 2}, 3));
    CHECK_ERROR(c, TH_ValueError, "only 2 dimensions");
    builder_end(&b);
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */
static void test_body(ThContext *c) {
    ScalarBody p = {.nin = 3,
                    .nout = 1,
                    .n = 2,
                    .narg = 4,
                    .in_dtype = (ThDtype[]){TH_FLOAT64, TH_FLOAT64, TH_FLOAT64},
                    .ins = (ScalarIns[]){{S_add, TH_FLOAT64, 2, 0}, {S_mul, TH_FLOAT64, 2, 2}},
                    .arg = (int[]){0, 1, 3, 2},
                    .out = (int[]){4}};
    const ScalarBody *body = scalar_body_intern(c, &p);
    CHECK(body && body == scalar_body_intern(c, &p));
    Text t;
    text_init(&t, c);
    scalar_body_text(&t, body);
    CHECK_TEXT(t.at, "Composite{((i0 + i1) * i2)}");
    text_free(&t);
    ScalarBody q = {.nin = 2,
                    .nout = 2,
                    .n = 4,
                    .narg = 7,
                    .nconst = 1,
                    .in_dtype = (ThDtype[]){TH_FLOAT32, TH_FLOAT32},
                    .cdtype = (ThDtype[]){TH_FLOAT32},
                    .cvalue = (ThValue[]){{.f = 0.5}},
                    .ins = (ScalarIns[]){{S_neg, TH_FLOAT32, 1, 0},
                                         {S_sigmoid, TH_FLOAT32, 1, 1},
                                         {S_mul, TH_FLOAT32, 3, 2},
                                         {S_gt, TH_BOOL, 2, 5}},
                    .arg = (int[]){0, 3, 4, 2, 1, 4, 1},
                    .out = (int[]){5, 6}};
    const ScalarBody *two = scalar_body_intern(c, &q);
    CHECK(two && two != body && two->nout == 2);
    text_init(&t, c);
    scalar_body_text(&t, two);
    CHECK_TEXT(t.at, "Composite{(t1 * 0.5 * i1), GT(t1, i1)}");
    text_free(&t);
    q.arg = (int[]){0, 3, 4, 2, 6, 4, 1};
    CHECK(!scalar_body_intern(c, &q));
    CHECK_ERROR(c, TH_ValueError, "not there yet");
}

int main(void) {
    ThContext *c = th_context_new(NULL);
    test_table(c);
    test_operations();
    test_dtypes(c);
    test_nodes(c);
    test_dimshuffle(c);
    test_body(c);
    CHECK(th_error(c) == TH_OK);
    th_context_release(c);
    return test_done("ops_elemwise");
}
