/* source.c -- NAME.c: kernels and what they call, constants, and the three functions of the header. */
#include "backend_c/standard.h"

#include "export.h"

#include <stdio.h>

/* ---- constants --------------------------------------------------------------------------------------------------- */
static bool constants(Export *x, Text *t) {
    char name[40];
    bool ok = true;
    for (int b = 0; ok && b < x->p->nbuf; b++) {
        if (x->place[b].how != PLACE_CONSTANT) continue;
        snprintf(name, sizeof name, "constant%d", b);
        ok = export_constant(x, t, name, x->p->constant[x->p->buf[b].index]);
    }
    for (int i = 0; ok && i < x->nfield; i++) {
        snprintf(name, sizeof name, "first%d", i);
        ok = export_constant(x, t, name, x->field[i].value);
    }
    for (int i = 0; ok && i < x->nin; i++) {
        snprintf(name, sizeof name, "usual%d", i);
        if (x->in[i].usual) ok = export_constant(x, t, name, x->in[i].usual);
    }
    text_putc(t, '\n');
    return ok;
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */
static void put_quoted(Text *t, const char *s) {
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') text_putc(t, '\\');
        if (*s == '\n') text_put(t, "\\n");
        else text_putc(t, *s);
    }
}

static void errors(Export *x, Text *t) {
    const Plan *p = x->p;
    text_printf(t, "const char *%s_error(const %s_state *state) {\n    switch ((int)state->error[0]) {\n", x->name,
                x->name);
    for (int i = 0; i < p->nstep; i++) {
        const Step *s = &p->step[i];
        if (!s->can_fail || s->node < 0) continue;
        const PlanNode *n = &p->node[s->node];
        Text line;
        text_init(&line, x->c);
        text_put(&line, n->text ? n->text : n->op);
        text_put(&line, n->prov ? ", made at " : "");
        prov_text(x->c, &line, n->prov);
        text_printf(t, "    case %d: return \"", i);
        put_quoted(t, line.at ? line.at : "");
        text_put(t, "\";\n");
        text_free(&line);
    }
    text_put(t, "    default: return \"no error\";\n    }\n}\n\n");
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */
static void addresses(Export *x, Text *t) {
    for (int b = 0; b < x->p->nbuf; b++) {
        const Place *at = &x->place[b];
        switch ((PlaceHow)at->how) {
        case PLACE_ARGUMENT:
            if (x->in[at->at].usual)
                text_printf(t, "    buf[%d] = (char *)(%s ? %s : usual%d);\n", b, x->in[at->at].name,
                            x->in[at->at].name, (int)at->at);
            else text_printf(t, "    buf[%d] = (char *)%s;\n", b, x->in[at->at].name);
            break;
        case PLACE_FIELD: text_printf(t, "    buf[%d] = (char *)state->%s;\n", b, x->field[at->at].name); break;
        case PLACE_CONSTANT: text_printf(t, "    buf[%d] = (char *)constant%d;\n", b, b); break;
        case PLACE_WORK: text_printf(t, "    buf[%d] = (char *)state->work.at + %lld;\n", b, (long long)at->at); break;
        case PLACE_RESULT: text_printf(t, "    buf[%d] = (char *)%s;\n", b, x->out[at->at].name); break;
        case PLACE_WINDOW:
        case PLACE_NONE: break;
        }
    }
}

/* Nested loops that copy value v to `to`, in C order. */
static void copy(Export *x, Text *t, const PlanValue *v, const char *to) {
    int item = (int)th_dtype_bytes((ThDtype)v->dtype);
    text_put(t, "    {\n");
    text_printf(t, "        const char *from = buf[%d] + %lld;\n        char *to = (char *)%s;\n", v->buf,
                (long long)size_value(v->off, x->sym) * item, to);
    for (int d = 0; d < v->ndim; d++)
        text_printf(t, "        for (int64_t i%d = 0; i%d < %lld; i%d++)\n", d, d,
                    (long long)size_value(v->shape[d], x->sym), d);
    text_printf(t, "        memcpy(to, from");
    for (int d = 0; d < v->ndim; d++)
        text_printf(t, " + i%d * %lld", d, (long long)(size_value(v->stride[d], x->sym) * item));
    text_printf(t, ", %d), to += %d;\n    }\n", item, item);
}

static void commit(Export *x, Text *t) {
    const Plan *p = x->p;
    char to[120];
    for (int r = 0; r < p->noutput; r++) {
        const PlanValue *v = &p->result[r];
        if (r < x->nout) {
            const Place *at = &x->place[v->buf];
            if (at->how != PLACE_RESULT || at->at != r) copy(x, t, v, x->out[r].name);
            continue;
        }
        const Place *at = &x->place[x->f->in_buf[x->f->state_in[r - x->nout]]];
        snprintf(to, sizeof to, "state->%s", x->field[at->at].name);
        copy(x, t, v, to);
    }
    for (int i = 0; i < p->nupdate; i++) {
        snprintf(to, sizeof to, "state->%s", x->field[p->update[i].shared].name);
        copy(x, t, &p->update[i].value, to);
    }
}

static void call(Export *x, Text *t) {
    const Plan *p = x->p;
    text_printf(t, "int %s_call(%s_state *state", x->name, x->name);
    for (int i = 0; i < x->nin; i++)
        text_printf(t, ", %s%s *%s", x->in[i].written ? "" : "const ", export_ctype(x->in[i].dtype), x->in[i].name);
    for (int i = 0; i < x->nout; i++) text_printf(t, ", %s *%s", export_ctype(x->out[i].dtype), x->out[i].name);
    text_printf(t, ") {\n    char *buf[%d];\n    i64 sym[%d] = {", p->nbuf + 1, p->nsym + 1);
    for (int i = 0; i < p->nsym; i++)
        text_printf(t, i ? ", %lld" : "%lld", (long long)(x->sym[i] == SIZE_UNKNOWN ? 0 : x->sym[i]));
    text_put(t, p->nsym ? "};\n" : "0};\n");
    text_put(t, "    Frame frame = {buf, sym, &rt, 0, {0}};\n");
    addresses(x, t);
    text_put(t, "    if (run(&frame)) {\n        memcpy(state->error, frame.err, sizeof frame.err);\n");
    text_put(t, "        return (int)frame.err[2];\n    }\n");
    commit(x, t);
    text_put(t, "    return 0;\n}\n");
}

static void init(Export *x, Text *t) {
    text_printf(t, "void %s_init(%s_state *state) {\n", x->name, x->name);
    for (int i = 0; i < x->nfield; i++)
        text_printf(t, "    memcpy(state->%s, first%d, sizeof first%d);\n", x->field[i].name, i, i);
    text_put(t, "    state->error[0] = -1;\n}\n\n");
}

bool export_source(Export *x) {
    Text *t = &x->source;
    text_printf(t, "/* %s.c -- a function of Theano for Lua %s as C99; see %s.h. */\n", x->name, th_version(), x->name);
    text_printf(t, "#include \"%s.h\"\n\n", x->name);
    if (!emit_c99(t, x->p, x->known) || !export_runtime(x, t) || !constants(x, t)) return false;
    init(x, t);
    errors(x, t);
    call(x, t);
    return !failed(x->c) && !t->failed;
}
