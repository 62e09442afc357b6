/*
 * unit.c -- the whole text of a function: prelude, helpers, kernels, steps, regions, run.
 */
#include "standard.h"

#include "c.h"

#include <math.h>
#include <string.h>

/* A float64 as a constant expression. */
static void put_double(const Emit *e, Text *t, double v) {
    if (v - v == 0) text_printf(t, "%a", v);
    else {
        text_put(t, signbit(v) ? "-" : "");
        for (const char *p = v != v ? "__builtin_nan(\"\")" : "__builtin_inf()"; *p;) p += names_put(e, t, p);
    }
}

void emit_cell_list(const Emit *e, Text *t, const Step *s, const Kernel *k) {
    for (int i = 0; i < s->nparam; i++) {
        ThValue v = s->param[i];
        char kind = 'f';
        for (int j = 0; j < k->ins.n; j++)
            if (k->ins.at[j].op == INS_PARAM && k->ins.at[j].a == i) kind = th_dtype_kind((ThDtype)k->ins.at[j].dtype);
        text_put(t, i ? ", " : "");
        if (kind == 'c') {
            text_put(t, "{.c = {");
            put_double(e, t, v.c.re);
            text_put(t, ", ");
            put_double(e, t, v.c.im);
            text_put(t, "}}");
        } else if (kind == 'f' && v.f - v.f != 0) { /* infinities and NaN by bits */
            uint64_t bits;
            memcpy(&bits, &v.f, 8);
            text_printf(t, "{.i = (i64)0x%llxul}", (unsigned long long)bits);
        } else if (kind == 'f') {
            text_put(t, "{.f = ");
            text_float(t, v.f, TH_FLOAT64);
            text_put(t, "}");
        } else text_printf(t, "{.i = (i64)%lluul}", (unsigned long long)v.i);
    }
}

void emit_cells(Emit *e, const Step *s, const Kernel *k, int number) {
    if (!s->nparam) return;
    Text t;
    text_init(&t, e->c);
    emit_cell_list(e, &t, s, k);
    emit_line(e, "    static const Cell q[%d] = {%s}; /* step %d */", s->nparam, t.at ? t.at : "", number);
    text_free(&t);
}

static void kernel_step(Emit *e, const Step *s, int number) {
    const Kernel *k = e->p->kernel[s->kernel];
    Text b, y;
    text_init(&b, e->c);
    text_init(&y, e->c);
    for (int i = 0; i < s->nbuf; i++) text_printf(&b, i ? ", f->buf[%d]" : "f->buf[%d]", s->buf[i]);
    for (int i = 0; i < s->nsym; i++) text_printf(&y, i ? ", f->sym[%d]" : "f->sym[%d]", s->sym[i]);
    emit_line(e, "    char *const b[%d] = {%s};", s->nbuf ? s->nbuf : 1, s->nbuf ? b.at : "0");
    emit_line(e, "    const i64 s[%d] = {%s};", s->nsym ? s->nsym : 1, s->nsym ? y.at : "0");
    emit_cells(e, s, k, number);
    emit_line(e, "    return kernel_%d(f, b, s, %s, %d);", s->kernel, s->nparam ? "q" : "0", number);
    text_free(&b);
    text_free(&y);
}

static void transfer(Emit *e, const Step *s) {
    const PlanBuf *b = &e->p->buf[s->buf[1]];
    Text t;
    text_init(&t, e->c);
    if (b->size.sym < 0) text_printf(&t, "%lld", (long long)b->size.k);
    else text_printf(&t, "%lld * f->sym[%d]", (long long)b->size.k, b->size.sym);
    emit_line(e, "    memcpy(f->buf[%d], f->buf[%d], (unsigned long)(%s) * %d);", s->buf[1], s->buf[0],
              t.at ? t.at : "0", (int)th_dtype_bytes((ThDtype)b->dtype));
    emit_line(e, "    return 0;");
    text_free(&t);
}

static void step(Emit *e, int number) {
    const Step *s = &e->p->step[number];
    if (rows_has(e, number)) return;
    if (s->title) emit_line(e, "/* %s */", s->title);
    emit_line(e, "static int step_%d(Frame *f) {", number);
    switch ((StepKind)s->kind) {
    case STEP_KERNEL: kernel_step(e, s, number); break;
    case STEP_HOST: emit_line(e, "    return f->rt->host_call(f, %d);", number); break;
    case STEP_TRANSFER: transfer(e, s); break;
    case STEP_SIZE: emit_line(e, "    return f->rt->size_step(f, %d, %d);", s->a, s->n); break;
    case STEP_LATE: emit_line(e, "    return f->rt->late_alloc(f, %d);", s->buf[0]); break;
    }
    emit_line(e, "}\n");
}

/* A step by its number, for those who walk them one by one. */
static void step_by_number(Emit *e) {
    if (e->rows) {
        emit_line(e, "__attribute__((visibility(\"default\"))) int theano_step(Frame *f, int i) {");
        emit_line(e, "    switch (i) {");
        for (int i = 0; i < e->p->nstep; i++)
            if (!rows_has(e, i)) emit_line(e, "    case %d: return step_%d(f);", i, i);
        emit_line(e, "    default: return row(f, i);");
        emit_line(e, "    }");
    } else {
        emit_line(e, "static int (*const steps[])(Frame *) = {");
        for (int i = 0; i < e->p->nstep; i++) emit_line(e, "    step_%d,", i);
        emit_line(e, "    0};");
        emit_line(e, "__attribute__((visibility(\"default\"))) int theano_step(Frame *f, int i) {");
        emit_line(e, "    return steps[i](f);");
    }
    emit_line(e, "}");
}

void emit_run(Emit *e) {
    emit_line(e, e->portable ? "static int run(Frame *f) {"
                             : "__attribute__((visibility(\"default\"))) int theano_run(Frame *f) {");
    e->indent = 1;
    if (e->p->nregion) emit_region(e, 0);
    emit_line(e, "return 0;");
    e->indent = 0;
    emit_line(e, "}\n");
    if (e->portable) return;
    step_by_number(e);
    emit_line(e, "__attribute__((visibility(\"default\"))) const u32 theano_abi = %d;", TH_RT_ABI);
}

/* Kernels between marks (PART_KERNEL, PART_REST), so that parts.c can give them to several compilers. Those without
 * loops stay with the steps, which take them in. */
static bool kernels(Emit *e) {
    for (int scalar = 1; scalar >= 0; scalar--)
        for (int i = 0; i < e->p->nkernel; i++) {
            if (kernel_is_scalar(e->p->kernel[i]) != scalar) continue;
            if (!scalar) emit_line(e, PART_KERNEL "%d " PART_END, i);
            if (!emit_kernel(e, e->p->kernel[i], i)) return false;
        }
    emit_line(e, PART_REST);
    return true;
}

static bool bodies(Emit *e) {
    if (!kernels(e)) return false;
    if (e->rows) emit_rows(e);
    for (int i = 0; i < e->p->nstep; i++) step(e, i);
    emit_run(e);
    return !failed(e->c);
}

/* Helpers, then what asked for them. */
static bool whole(Emit *e, Text *t, const char *title, const char *prelude) {
    if (!(e->arena = arena_new(e->c))) return false;
    text_init(&e->helpers, e->c);
    text_init(&e->body, e->c);
    bool ok = bodies(e);
    for (int i = 0; e->exps && i < 2; i++)
        if (e->exps[i])
            text_printf(&e->body, "#define own_exp_%s %s\n", i ? "f64" : "f32",
                        need_math(e, "exp", i ? TH_FLOAT64 : TH_FLOAT32, 1));
    if (ok) {
        if (title) text_printf(t, "/* %s: written by theano %s */\n", title, th_version());
        text_put(t, prelude);
        text_put(t, e->helpers.at ? e->helpers.at : "");
        text_putc(t, '\n');
        text_put(t, e->body.at ? e->body.at : "");
    }
    text_free(&e->helpers);
    text_free(&e->body);
    map_free(e->c, &e->have);
    arena_free(e->arena);
    return ok && !failed(e->c);
}

bool emit_c(Text *t, const Plan *p, const char *function_name, const Target *target, const int64_t *known,
            const uint8_t *candidate) {
    ThContext *c = p->ctx;
    const bool repro = config_bool(c, "repro");
    Emit e = {.c = c,
              .p = p,
              .target = target_of(target ? target->vector_bytes : machine_vector_bytes(c), repro),
              .repro = repro,
              .registers = true,
              .known = known,
              .candidate = candidate,
              .rows = rows_wanted(p)};
    e.vector_bytes = e.target->vector_bytes;
    return whole(&e, t, function_name ? function_name : "function", prelude_c);
}

bool emit_c99(Text *t, const Plan *p, const int64_t *known, const bool exps[2]) {
    Emit e = {.exps = exps, .c = p->ctx, .p = p, .target = &target_c99, .registers = true, .known = known};
    e.vector_bytes = e.target->vector_bytes;
    e.portable = true;
    e.repro = config_bool(p->ctx, "repro");
    e.fused = !e.repro && isa_vector_bytes() > 16;
    return whole(&e, t, NULL, prelude_c99);
}
