/*
 * describe.c -- words for generated code: what a kernel's accesses are called and what its stages compute. In: a plan
 * and one of its kernels. Out: identifiers taken from the user's names of variables (of the first step that runs the
 * kernel), and "h = tanh(x_W + b)" for each stage. Only C identifiers, numbers and operators come out, whatever the
 * user's names hold, so the texts may stand in code and in comments.
 */
#include "kernel/order.h"

#include "graph/op.h"
#include "plan.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 32, LONG_VALUE = 72, LONG_INDEX = 16, LONG_LINE = 200 };

/* First step of each kernel, -1 none; *users counts its steps. */
bool plan_kernel_users(const Plan *p, Arena *a, int **first, int **users) {
    size_t n = (size_t)(p->nkernel ? p->nkernel : 1) * sizeof(int);
    *first = arena_alloc(a, n);
    *users = arena_alloc0(a, n);
    if (!*first || !*users) return false;
    for (int k = 0; k < p->nkernel; k++) (*first)[k] = -1;
    for (int i = p->nstep - 1; i >= 0; i--) {
        if (p->step[i].kind != STEP_KERNEL) continue;
        (*first)[p->step[i].kernel] = i;
        (*users)[p->step[i].kernel]++;
    }
    return true;
}

static bool word(char ch) {
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_';
}

/* What to call plan buffer b: the variable's name as an identifier, or one made of its number. */
static void buffer_name(const Plan *p, int b, char out[NAME_MAX_BYTES + 16]) {
    static const char *const kind[] = {"in", "shared", "constant", "t", "out", "row"};
    const PlanBuf *f = &p->buf[b];
    int n = 0;
    for (const char *s = f->name; s && *s && n < NAME_MAX_BYTES; s++) out[n++] = word(*s) ? *s : '_';
    out[n] = 0;
    if (!n) snprintf(out, NAME_MAX_BYTES + 16, "%s%d", kind[f->kind], f->kind == BUF_TEMP ? b : f->index);
}

static bool taken(char *const *name, int n, const char *s) {
    for (int i = 0; i < n; i++)
        if (!strcmp(name[i], s)) return true;
    return false;
}

const char *const *plan_access_names(const Plan *p, const Kernel *k, int step, Arena *a) {
    char **name = arena_alloc(a, (size_t)(k->acc.n ? k->acc.n : 1) * sizeof *name);
    if (!name) return NULL;
    for (int i = 0; i < k->acc.n; i++) {
        char s[NAME_MAX_BYTES + 32];
        if (step >= 0 && k->acc.at[i].buf < p->step[step].nbuf) {
            buffer_name(p, p->step[step].buf[k->acc.at[i].buf], s);
            size_t n = strlen(s);
            if (taken(name, i, s)) snprintf(s + n, sizeof s - n, "_%d", i);
        } else snprintf(s, sizeof s, "a%d", i);
        if (!(name[i] = arena_strdup(a, s))) return NULL;
    }
    return (const char *const *)name;
}

/* ---- what a stage computes ---- */
typedef struct Words {
    const Kernel *k;
    const char *const *name;
    const ThValue *param; /* of the only step, or NULL */
    const Stage *call;
    char **text; /* by value id; NULL: v<id> */
    Arena *arena;
} Words;

static const char *of(const Words *w, int id, char buf[24]) {
    if (id >= 0 && w->text[id]) return w->text[id];
    snprintf(buf, 24, "v%d", id);
    return buf;
}

/* The same text without parentheses that stand around all of it. */
static void put_bare(Text *t, const char *s) {
    size_t n = strlen(s);
    int open = 0;
    bool around = n > 2 && s[0] == '(' && s[n - 1] == ')';
    for (size_t i = 0; around && i + 1 < n; i++) {
        open += (s[i] == '(') - (s[i] == ')');
        around = open > 0;
    }
    text_put_n(t, s + around, n - 2 * (size_t)around);
}

/* One name a buffer: that of its first access. */
static const char *name_of(const Words *w, int acc) {
    int i = 0;
    while (w->k->acc.at[i].buf != w->k->acc.at[acc].buf) i++;
    return w->name[i];
}

static void put_access(const Words *w, Text *t, int acc) {
    char b[24];
    text_put(t, name_of(w, acc));
    if (w->k->acc.at[acc].idx < 0) return;
    const char *s = of(w, w->k->acc.at[acc].idx, b);
    text_printf(t, "[%s]", strlen(s) <= LONG_INDEX ? s : "..");
}

static void put_scalar(const Words *w, Text *t, const Ins *i) {
    const ScalarOp *op = &scalar_ops[i->op];
    const int v[4] = {i->a, i->b, i->c, i->d};
    char b[24];
    if (op->infix && i->b >= 0) {
        text_printf(t, "(%s", of(w, i->a, b));
        text_printf(t, " %s %s)", op->infix, of(w, i->b, b));
        return;
    }
    if (op->infix && i->a >= 0) {
        text_printf(t, "%s%s", op->infix, of(w, i->a, b));
        return;
    }
    text_printf(t, "%s(", op->name);
    for (int j = 0; j < 4 && v[j] >= 0; j++) {
        if (j) text_put(t, ", ");
        put_bare(t, of(w, v[j], b));
    }
    text_putc(t, ')');
}

static void put_param(const Words *w, Text *t, const Ins *i) {
    char kind = th_dtype_kind((ThDtype)i->dtype);
    if (!w->param || kind == 'c') text_printf(t, "q%d", i->a);
    else if (kind == 'f') text_float(t, w->param[i->a].f, (ThDtype)i->dtype);
    else text_printf(t, "%lld", (long long)w->param[i->a].i);
}

static void put_reduction(const Words *w, Text *t, const Red *r) {
    static const char *const red[] = {"sum", "prod", "max", "min", "argmax", "argmin", "all", "any"};
    char b[24];
    text_printf(t, "%s(", red[r->kind]);
    put_bare(t, of(w, r->v, b));
    text_putc(t, ')');
}

/* conv(x, w), pool(x), draw(s), dot(x, y) */
static void put_call_of(const Words *w, Text *t, const Stage *s) {
    bool draw = s->cls == STAGE_DRAW;
    text_put(t, s->cls == STAGE_CONV ? "conv(" : s->cls == STAGE_POOL ? "pool(" : draw ? "draw(" : "dot(");
    text_put(t, name_of(w, s->A));
    if (s->B >= 0 && (w->k->acc.at[s->B].flags & ACC_READ)) text_printf(t, ", %s", name_of(w, s->B));
    text_putc(t, ')');
}

static void put_value(const Words *w, Text *t, const Ins *i) {
    char b[24];
    switch (i->op) {
    case INS_LOAD: put_access(w, t, i->a); break;
    case INS_PARAM: put_param(w, t, i); break;
    case INS_CONST:
        text_put(t, i->a == INS_HALF ? "0.5" : i->a == 0 ? "0" : i->a == 1 ? "1" : i->a == 2 ? "2" : "-1");
        break;
    case INS_INDEX: text_printf(t, "i%d", i->a); break;
    case INS_SIZE: text_put(t, "n"); break;
    case INS_CAST:
    case INS_CHECK_INDEX: text_put(t, of(w, i->a, b)); break;
    case INS_RED: put_reduction(w, t, &w->k->red.at[i->a]); break;
    case INS_EP: put_call_of(w, t, w->call); break;
    default:
        if (i->op < scalar_count) put_scalar(w, t, i);
    }
}

/* Text of one value, kept when it is short enough to stand inside another. */
static void describe_value(Words *w, int id) {
    Text t;
    text_init(&t, w->k->ctx);
    put_value(w, &t, &w->k->ins.at[id]);
    if (t.at && t.n && t.n <= LONG_VALUE) w->text[id] = arena_strdup(w->arena, t.at);
    text_free(&t);
}

static void put_store(const Words *w, Text *t, const Ins *i) {
    char b[24];
    if (t->n) text_put(t, "; ");
    put_access(w, t, i->a);
    text_put(t, w->k->acc.at[i->a].flags & ACC_ADD ? " += " : " = ");
    put_bare(t, of(w, i->b, b));
}

static void put_call(const Words *w, Text *t, const Stage *st) {
    text_printf(t, st->beta >= 0 ? "%s = beta * %s + " : "%s = ", name_of(w, st->C), name_of(w, st->C));
    text_put(t, st->alpha >= 0 ? "alpha * " : "");
    put_call_of(w, t, st);
}

char **plan_describe(const Plan *p, const Kernel *k, int step, int users, const char *const *name, Arena *a) {
    Words w = {.k = k, .name = name, .arena = a};
    char **out = arena_alloc0(a, (size_t)(k->st.n ? k->st.n : 1) * sizeof *out);
    w.text = arena_alloc0(a, (size_t)(k->ins.n ? k->ins.n : 1) * sizeof *w.text);
    if (!out || !w.text) return NULL;
    if (users == 1 && step >= 0) w.param = p->step[step].param;
    for (int s = 0; s < k->st.n; s++) {
        const Stage *st = &k->st.at[s];
        Text t;
        text_init(&t, k->ctx);
        if (stage_calls(st)) put_call(&w, &t, w.call = st);
        for (int i = st->ins0; i < st->ins0 + st->nins; i++) {
            if (k->ins.at[i].op != INS_STORE) describe_value(&w, i);
            else if (t.n < LONG_LINE) put_store(&w, &t, &k->ins.at[i]);
        }
        for (int r = st->red0; !t.n && r < st->red0 + st->nred; r++) put_reduction(&w, &t, &k->red.at[r]);
        if (t.at) out[s] = arena_strdup(a, t.at);
        text_free(&t);
    }
    return failed(k->ctx) ? NULL : out;
}
