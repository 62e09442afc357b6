/* source.c -- NAME.c: kernels and what they call, constants, and the three functions of the header. */
#include "backend_c/standard.h"

#include "export.h"

#include <stdio.h>
#include <string.h>

/* ---- constants --------------------------------------------------------------------------------------------------- */
static bool constants(Export *x, Text *t) {
    char name[40];
    bool ok = true;
    if (x->how->weights) return true;
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
static bool marks(const char *s) { return s[0] == '{' && s[1] >= '0' && s[1] < '4' && s[2] == '}'; }

static void put_quoted(Text *t, const char *s) {
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') text_putc(t, '\\');
        if (*s == '\n') text_put(t, "\\n");
        else if (*s > 0 && *s <= 4) text_printf(t, "\\%03o", (unsigned)*s);
        else text_putc(t, *s);
    }
}

/* What a check says: {0} .. {3}, its numbers, as bytes 1 .. 4, which names of operations do not have. Marks of the
 * arguments whose names and shapes the engine knows, {x=0}, are left out. */
static void put_said(Text *line, const char *s) {
    for (; *s; s++) {
        if (marks(s)) text_putc(line, (char)(s[1] - '0' + 1)), s += 2;
        else if (s[0] == '{' && s[1] && s[2] == '=' && strchr(s, '}')) s = strchr(s, '}');
        else text_putc(line, *s);
    }
}

static void error_case(Export *x, Text *t, int number, int node, const char *text) {
    const PlanNode *n = node >= 0 && node < x->p->nnode ? &x->p->node[node] : NULL;
    Text line;
    text_init(&line, x->c);
    put_said(&line, text ? text : "");
    text_put(&line, text && n ? ": " : "");
    if (n) text_put(&line, n->text ? n->text : n->op);
    text_put(&line, n && n->prov ? ", made at " : "");
    if (n && n->prov) prov_text(x->c, &line, n->prov);
    text_printf(t, "    case %d: return \"", number);
    put_quoted(t, line.at ? line.at : "");
    text_put(t, "\";\n");
    text_free(&line);
}

bool export_tells(const Export *x) {
    const Plan *p = x->p;
    for (int i = 0; export_dynamic(x) && i < p->ncheck; i++)
        for (const char *s = p->check[i].text; s && *s; s++)
            if (marks(s)) return true;
    return false;
}

/* The text with the numbers of the call, into the state's own room, where it has any. */
static const char tell_text[] =
    "static void tell(char *to, const char *end, const char *text, const int64_t *number) {\n"
    "    for (; *text && to < end - 24; text++) {\n"
    "        if (*text < 1 || *text > 4) {\n            *to++ = *text;\n            continue;\n        }\n"
    "        int64_t v = number[*text - 1];\n        uint64_t n = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;\n"
    "        char digits[20];\n        int k = 0;\n        if (v < 0) *to++ = '-';\n"
    "        do digits[k++] = (char)('0' + n % 10);\n        while (n /= 10);\n"
    "        while (k > 0) *to++ = digits[--k];\n    }\n    *to = 0;\n}\n\n";

static void errors(Export *x, Text *t) {
    const Plan *p = x->p;
    text_put(t, "static const char *said(int number) {\n    switch (number) {\n");
    for (int i = 0; i < p->nstep; i++)
        if (p->step[i].can_fail || p->step[i].kind == STEP_HOST) error_case(x, t, i, p->step[i].node, NULL);
    if (x->how->weights)
        error_case(x, t, EXPORT_WEIGHTS_ERROR, -1, "these are no weights of this function, or they are damaged");
    if (export_dynamic(x)) {
        error_case(x, t, -1, -1, "a length is larger than this program was written for");
        for (int i = 0; i < p->ncheck; i++) error_case(x, t, -2 - i, p->check[i].node, p->check[i].text);
    }
    text_put(t, "    default: return \"no error\";\n    }\n}\n\n");
    text_printf(t, "const char *%s_error(const %s_state *state) {\n", x->name, x->name);
    if (export_tells(x)) /* of a check: the text of the call that failed */
        text_printf(t, "    if (state->error[0] < -1 && state->error[0] > %d) return state->said;\n",
                    EXPORT_WEIGHTS_ERROR);
    text_put(t, "    return said((int)state->error[0]);\n}\n\n");
    if (export_tells(x)) text_put(t, tell_text);
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */
static void addresses(Export *x, Text *t) {
    for (int b = 0; b < x->p->nbuf; b++) {
        const Place *at = &x->place[b];
        switch ((PlaceHow)at->how) {
        case PLACE_ARGUMENT:
            if (x->in[at->at].usual && x->how->weights)
                text_printf(t, "    buf[%d] = %s ? (char *)%s : (char *)state->weights + %lld;\n", b,
                            x->in[at->at].name, x->in[at->at].name, (long long)x->in[at->at].weights);
            else if (x->in[at->at].usual)
                text_printf(t, "    buf[%d] = (char *)(%s ? %s : usual%d);\n", b, x->in[at->at].name,
                            x->in[at->at].name, (int)at->at);
            else text_printf(t, "    buf[%d] = (char *)%s;\n", b, x->in[at->at].name);
            break;
        case PLACE_FIELD: text_printf(t, "    buf[%d] = (char *)state->%s;\n", b, x->field[at->at].name); break;
        case PLACE_CONSTANT:
            if (x->how->weights) text_printf(t, "    buf[%d] = (char *)state->weights + %lld;\n", b, (long long)at->at);
            else text_printf(t, "    buf[%d] = (char *)constant%d;\n", b, b);
            break;
        case PLACE_WORK: text_printf(t, "    buf[%d] = (char *)state->work.at + %lld;\n", b, (long long)at->at); break;
        case PLACE_RESULT: text_printf(t, "    buf[%d] = (char *)%s;\n", b, x->out[at->at].name); break;
        case PLACE_WINDOW:
        case PLACE_NONE: break;
        }
    }
}

static void put_times(Export *x, Text *t, Size z, int item) {
    text_putc(t, '(');
    export_size(x, t, z);
    text_printf(t, ") * %d", item);
}

/* Nested loops that copy value v to `to`, in C order. */
static void copy(Export *x, Text *t, const PlanValue *v, const char *to) {
    int item = (int)th_dtype_bytes((ThDtype)v->dtype);
    text_printf(t, "    {\n        const char *from = buf[%d] + ", v->buf);
    put_times(x, t, v->off, item);
    text_printf(t, ";\n        char *to = (char *)%s;\n", to);
    for (int d = 0; d < v->ndim; d++) {
        text_printf(t, "        for (int64_t i%d = 0; i%d < ", d, d);
        export_size(x, t, v->shape[d]);
        text_printf(t, "; i%d++)\n", d);
    }
    text_printf(t, "        memcpy(to, from");
    for (int d = 0; d < v->ndim; d++) {
        text_printf(t, " + i%d * ", d);
        put_times(x, t, v->stride[d], item);
    }
    text_printf(t, ", %d), to += %d;\n    }\n", item, item);
}

static void lengths(Export *x, Text *t, int result) {
    const PlanValue *v = &x->p->result[result];
    for (int d = 0; x->out[result].moves && d < v->ndim; d++) {
        text_printf(t, "    %s_shape[%d] = ", x->out[result].name, d);
        export_size(x, t, v->shape[d]);
        text_put(t, ";\n");
    }
}

static void commit(Export *x, Text *t) {
    const Plan *p = x->p;
    char to[120];
    for (int r = 0; r < p->noutput; r++) {
        const PlanValue *v = &p->result[r];
        if (r < x->nout) {
            lengths(x, t, r);
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

/* dims[n]: the lengths of parameter n, where calls tell them */
static void told(Export *x, Text *t) {
    text_printf(t, "    const i64 *const dims[%d] = {", x->nin + 1);
    for (int i = 0; i < x->nin; i++)
        if (x->in[i].moves) text_printf(t, "(const i64 *)%s_shape, ", x->in[i].name);
        else text_put(t, "0, ");
    text_put(t, "0};\n");
}

/* Arguments are no longer than the memory that the example's have. */
static void limits(Export *x, Text *t) {
    for (int i = 0; i < x->nin; i++)
        for (int d = 0; x->in[i].moves && d < x->in[i].ndim; d++) {
            text_printf(t, "    if (%s_shape[%d] < 0 || %s_shape[%d] > %lld) return state->error[0] = -1, %d;\n",
                        x->in[i].name, d, x->in[i].name, d, (long long)x->in[i].shape[d], TH_ValueError);
        }
}

static void call(Export *x, Text *t) {
    const Plan *p = x->p;
    text_printf(t, "int %s_call(%s_state *state", x->name, x->name);
    export_params(x, t);
    text_printf(t, ") {\n    char *buf[%d];\n    i64 sym[%d] = {", p->nbuf + 1, p->nsym + 1);
    for (int i = 0; i < p->nsym; i++)
        text_printf(t, i ? ", %lld" : "%lld", (long long)(x->sym[i] == SIZE_UNKNOWN ? 0 : x->sym[i]));
    text_put(t, p->nsym ? "};\n" : "0};\n");
    told(x, t);
    text_printf(t, "    Frame frame = {buf, sym, &rt, state->work.at + %lld, {0}, dims};\n", (long long)x->scratch);
    limits(x, t);
    addresses(x, t);
    if (x->room)
        text_printf(t, "    buf[%d] = (char *)state->work.at + %lld;\n", p->nbuf, (long long)(x->work - x->room));
    text_printf(t, "    if (%srun(&frame)) {\n        memcpy(state->error, frame.err, sizeof frame.err);\n",
                export_dynamic(x) ? "prepare(&frame) || " : "");
    if (export_tells(x))
        text_put(
            t, "        tell(state->said, state->said + sizeof state->said, said((int)state->error[0]), state->error + "
               "4);\n");
    text_put(t, "        return (int)frame.err[2];\n    }\n");
    commit(x, t);
    text_put(t, "    return 0;\n}\n");
}

static void init(Export *x, Text *t) {
    if (x->how->weights) {
        export_weights_source(x, t);
        return;
    }
    text_printf(t, "void %s_init(%s_state *state) {\n", x->name, x->name);
    for (int i = 0; i < x->nfield; i++)
        text_printf(t, "    memcpy(state->%s, first%d, sizeof first%d);\n", x->field[i].name, i, i);
    text_put(t, "    state->error[0] = INT64_MIN;\n}\n\n");
}

bool export_source(Export *x) {
    Text *t = &x->source;
    text_printf(t, "/* %s.c -- a function as C99, " EXPORT_MARK " %s; see %s.h. */\n", x->name, th_version(), x->name);
    if (x->other_convs)
        text_put(t, "/* Convolutions that go by Fourier transforms in the engine go by tiles here: their last bits are "
                    "others. */\n");
    text_printf(t, "#include \"%s.h\"\n\n", x->name);
    if (!emit_c99(t, x->p, x->known, x->attention) || !export_runtime(x, t) || !constants(x, t)) return false;
    init(x, t);
    errors(x, t);
    call(x, t);
    return !failed(x->c) && !t->failed;
}
