/* header.c -- NAME.h: sizes, the state, what can be called. C++ may include it. */
#include "export.h"

#include <string.h>

static int64_t elements(int ndim, const int64_t *shape) {
    int64_t n = 1;
    for (int d = 0; d < ndim; d++) n *= shape[d];
    return n;
}

static void put_shape(Text *t, ThDtype d, int ndim, const int64_t *shape) {
    text_put(t, th_dtype_name(d));
    text_putc(t, '[');
    for (int i = 0; i < ndim; i++) text_printf(t, i ? ", %lld" : "%lld", (long long)shape[i]);
    text_putc(t, ']');
}

static void put_upper(Text *t, const char *name) {
    for (; *name; name++) text_putc(t, *name >= 'a' && *name <= 'z' ? (char)(*name - 32) : *name);
}

/* NAME_X_SIZE and the lengths behind it */
static void macros(Export *x, Text *t, const char *name, int ndim, const int64_t *shape) {
    text_printf(t, "#define %s_", x->upper);
    put_upper(t, name);
    text_printf(t, "_SIZE %lld\n", (long long)elements(ndim, shape));
    for (int d = 0; d < ndim; d++) {
        text_printf(t, "#define %s_", x->upper);
        put_upper(t, name);
        text_printf(t, "_DIM%d %lld\n", d, (long long)shape[d]);
    }
}

static void state(Export *x, Text *t) {
    text_printf(t, "typedef struct %s_state {\n", x->name);
    for (int i = 0; i < x->nfield; i++) {
        const ThArray *a = x->field[i].value;
        int64_t n = a->size * export_parts((ThDtype)a->dtype);
        text_printf(t, "    %s %s[%lld]; /* ", export_ctype((ThDtype)a->dtype), x->field[i].name,
                    (long long)(n ? n : 1));
        put_shape(t, (ThDtype)a->dtype, a->ndim, ARRAY_SHAPE(a));
        text_put(t, " */\n");
    }
    text_put(t, "    /* The rest is the function's own. */\n");
    if (x->how->weights) text_put(t, "    const unsigned char *weights;\n");
    text_put(t, export_tells(x) ? "    char said[512];\n" : "");
    text_printf(t, "    int64_t error[8];\n    union {\n        double wide;\n        int64_t whole;\n");
    text_printf(t, "        unsigned char at[%lld];\n    } work;\n", (long long)(x->work ? x->work : 1));
    text_printf(t, "} %s_state;\n\n", x->name);
}

void export_params(const Export *x, Text *t) {
    for (int i = 0; i < x->nin; i++) {
        const Param *d = &x->in[i];
        text_printf(t, ", %s%s *%s", d->written ? "" : "const ", export_ctype(d->dtype), d->name);
        if (d->moves) text_printf(t, ", const int64_t *%s_shape", d->name);
    }
    for (int i = 0; i < x->nout; i++) {
        text_printf(t, ", %s *%s", export_ctype(x->out[i].dtype), x->out[i].name);
        if (x->out[i].moves) text_printf(t, ", int64_t *%s_shape", x->out[i].name);
    }
}

static void params(Export *x, Text *t) {
    text_printf(t, "int %s_call(%s_state *state", x->name, x->name);
    export_params(x, t);
    text_put(t, ");\n");
}

static void explain(Export *x, Text *t) {
    text_put(t, "/*\n * Computes");
    for (int i = 0; i < x->nout; i++) {
        text_printf(t, i ? ", %s: " : " %s: ", x->out[i].name);
        put_shape(t, x->out[i].dtype, x->out[i].ndim, x->out[i].shape);
        if (x->out[i].moves) text_put(t, " at most");
    }
    if (!x->nout) text_put(t, " nothing but the new state");
    text_put(t, "\n * from");
    for (int i = 0; i < x->nin; i++) {
        text_printf(t, i ? ", %s: " : " %s: ", x->in[i].name);
        put_shape(t, x->in[i].dtype, x->in[i].ndim, x->in[i].shape);
        if (x->in[i].usual) text_put(t, " (NULL: its default)");
        if (x->in[i].written) text_put(t, " (overwritten)");
        if (x->in[i].moves) text_put(t, " at most");
    }
    text_put(t, x->nin ? "" : " nothing but the state");
    text_put(
        t, ".\n * Arrays are in C order, those of complex numbers as real and imaginary parts; results overlap nothing"
           " else.\n * 0, or the code of an error: the state is as before then.\n */\n");
}

bool export_header(Export *x) {
    Text *t = &x->header;
    text_printf(t, "/* %s.h -- a function as C99, " EXPORT_MARK " %s; see %s.c. */\n", x->name, th_version(), x->name);
    text_printf(t, "#ifndef %s_H\n#define %s_H\n\n%s#include <stdint.h>\n\n", x->upper, x->upper,
                x->how->weights ? "#include <stddef.h>\n" : "");
    text_put(t, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    for (int i = 0; i < x->nin; i++) macros(x, t, x->in[i].name, x->in[i].ndim, x->in[i].shape);
    for (int i = 0; i < x->nout; i++) macros(x, t, x->out[i].name, x->out[i].ndim, x->out[i].shape);
    text_put(t, "\n/* All that changes between calls: one for each caller at a time. It may be copied and moved. */\n");
    state(x, t);
    if (x->how->weights) export_weights_header(x, t);
    else
        text_printf(
            t, "/* Shared variables as they were when the function was written. */\nvoid %s_init(%s_state *state);\n",
            x->name, x->name);
    explain(x, t);
    params(x, t);
    text_printf(t,
                "/* Of the last call that failed: what it was at. */\nconst char *%s_error(const %s_state *state);\n",
                x->name, x->name);
    text_put(t, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    return !failed(x->c) && !t->failed;
}
