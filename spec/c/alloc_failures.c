/*
 * alloc_failures.c -- every allocation of building, compiling, calling, saving and loading fails once, for a function
 * of each class of kernels: MemoryError, nothing left over, nothing that ends the process. build/spec/alloc_failures
 * [all | WORDS]: those of each class are a sample, other ones every day, or all of them, of all or of those so named.
 */
#include "test.h"

#include <time.h>

enum { MOST = 64, LONGEST = 1 << 17 };

/* A class of kernels of spec/data/kernel_classes.txt: its name, lengths of its inputs, a flag, its graph. */
typedef struct Class {
    char *name, *shapes, *flag, *graph;
} Class;
static char text[LONGEST];
static Class class[MOST];
static int nclass;
static const Class *now;

static bool read_classes(const char *path) {
    FILE *file = fopen(path, "r");
    const size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    for (char *at = n ? strstr(text, "== ") : NULL, *next; at && nclass < MOST; at = next) {
        Class *k = &class[nclass++];
        next = strstr(at, "\n== ");
        if (next) *next++ = 0;
        k->name = at + 3;
        k->graph = strchr(at, '\n');
        *k->graph++ = 0;
        k->shapes = strstr(k->name, " | "), *k->shapes = 0, k->shapes += 3;
        k->flag = strstr(k->shapes, " | "), *k->flag = 0, k->flag += 3;
    }
    return nclass > 0;
}

/* Lengths like "3x4" from *at on, to behind the comma. */
static int lengths(const char **at, int64_t shape[TH_MAX_NDIM]) {
    int ndim = 0;
    for (char *end; **at && ndim < TH_MAX_NDIM; *at = end + (*end == 'x')) {
        shape[ndim++] = strtoll(*at, &end, 10);
        if (*end != 'x') return *at = end + (*end == ','), ndim;
    }
    return ndim;
}

/* Of floats some numbers between -1 and 1, of integers 0, 1, 2 and so on. */
static ThArray *numbers(ThContext *c, ThDtype d, int ndim, const int64_t *shape) {
    ThArray *a = th_array_zeros(c, d, ndim, shape);
    for (int64_t i = 0; a && i < th_array_size(a); i++) {
        void *data = th_array_data(a);
        const double v = (double)((uint64_t)(i + 1) * 0x9e3779b97f4a7c15ull >> 40) / 0x1p23 - 1;
        if (d == TH_FLOAT64) ((double *)data)[i] = v;
        else if (d == TH_FLOAT32) ((float *)data)[i] = (float)v;
        else if (d == TH_COMPLEX128) ((double *)data)[2 * i] = v;
        else if (d == TH_INT64) ((int64_t *)data)[i] = i;
        else if (d == TH_INT32) ((int32_t *)data)[i] = (int32_t)i;
    }
    return a;
}

enum { INS = 4, OUTS = 16 };
typedef struct Run {
    ThContext *c;
    ThVar **in, **out; /* the graph's */
    int nin, nout;
    ThFunction *f, *g;
    ThArray *arg[INS], *result[OUTS];
} Run;

static void drop_results(Run *r) {
    for (int i = 0; i < OUTS; i++) th_array_release(r->result[i]), r->result[i] = NULL;
}

static void drop(Run *r) {
    drop_results(r);
    for (int i = 0; i < INS; i++) th_array_release(r->arg[i]);
    th_function_release(r->f), th_function_release(r->g);
    for (int i = 0; i < r->nin; i++) th_var_release(r->in[i]);
    for (int i = 0; i < r->nout; i++) th_var_release(r->out[i]);
    th_free(r->c, r->in), th_free(r->c, r->out);
}

/* A function of the graph that also adds 1 to a number. */
static bool compiled(Run *r) {
    ThContext *c = r->c;
    ThIn in[INS];
    ThOut out[OUTS];
    if (th_graph_read(c, now->graph, &r->in, &r->nin, &r->out, &r->nout)) return false;
    ThArray *zero = numbers(c, TH_FLOAT64, 0, NULL);
    ThVar *n = zero ? th_shared_new(c, zero, "n", false, 0) : NULL, *one = th_constant_float(c, 1);
    ThVar *next = n && one ? th_op(c, "add", 2, n, one) : NULL;
    const ThPair update = {n, next};
    int nin = 0;
    for (int i = 0; i < r->nin; i++)
        if (th_var_kind(r->in[i]) != 's') in[nin++] = (ThIn){.var = r->in[i], .allow_downcast = -1};
    for (int i = 0; i < r->nout; i++) out[i] = (ThOut){.var = r->out[i]};
    const ThCompile spec = {.in = in,
                            .nin = nin,
                            .out = out,
                            .nout = r->nout,
                            .updates = &update,
                            .nupdates = 1,
                            .allow_input_downcast = -1};
    if (next) r->f = th_compile(c, &spec);
    th_var_release(n), th_var_release(one), th_var_release(next);
    th_array_release(zero);
    return r->f;
}

/* Calls it, saves and loads it and calls that, and a bound call. */
static bool used(Run *r) {
    ThContext *c = r->c;
    const int nin = th_function_ninputs(r->f);
    ThArg args[INS];
    const char *at = now->shapes;
    for (int i = 0; i < nin; i++) {
        int64_t shape[TH_MAX_NDIM];
        const int ndim = lengths(&at, shape);
        r->arg[i] = numbers(c, (ThDtype)th_var_type(th_function_input_var(r->f, i)).dtype, ndim, shape);
        if (!r->arg[i]) return false;
        args[i] = (ThArg){.kind = TH_ARG_ARRAY, .array = r->arg[i]};
    }
    void *bytes = NULL;
    size_t size = 0;
    bool ok = !th_call(r->f, r->arg, nin, r->result) && !th_function_save(r->f, "note", &bytes, &size);
    drop_results(r);
    ok = ok && (r->g = th_load(c, bytes, size, NULL, NULL)) && !th_call(r->g, r->arg, nin, r->result);
    th_free(c, bytes);
    ThCall *b = ok ? th_call_new(r->f, args, nin) : NULL;
    ok = ok && b && th_workspace_bytes(b) >= 0 && !th_call_run(b);
    if (b && !ok && th_call_error(b) && !th_error(c)) th_fail(c, th_call_error(b), th_call_error_text(b));
    th_call_release(b);
    return ok;
}

static int body(ThContext *c) {
    Run r = {.c = c};
    char name[64];
    const char *value = strchr(now->flag, '=');
    bool ok = !th_config_set(c, "linker", "py");
    if (ok && value) {
        snprintf(name, sizeof name, "%.*s", (int)(value - now->flag), now->flag);
        ok = !th_config_set(c, name, value + 1);
    }
    ok = ok && compiled(&r) && used(&r);
    drop(&r);
    return ok;
}

/* With the n-th allocation failing, and all later ones where `rest`; whether it was reached. */
static bool failing(long n, int rest) {
    ThHost host = test_failing_host(n);
    test_heap.from_there_on = rest;
    ThContext *c = th_context_new(&host);
    int ok = 0;
    if (c) {
        ok = body(c);
        CHECK(th_error(c) == (ok ? TH_OK : TH_MemoryError));
        if (!ok && th_error(c) != TH_MemoryError)
            fprintf(stderr, "  %s, allocation %ld: %s\n", now->name, n, th_error_text(c));
        CHECK(ok || test_heap.failed);
        test_heap.fail_at = 0;
        th_context_release(c);
    }
    if (test_leaked()) fprintf(stderr, "  %s, allocation %ld: %lld bytes are left\n", now->name, n, test_leaked());
    CHECK(test_leaked() == 0);
    return test_heap.failed;
}

int main(int argc, char **argv) {
    const char *which = argc > 1 ? argv[1] : NULL;
    const bool all = which && !strcmp(which, "all");
    const long day = (long)(time(NULL) / 86400), each = which ? 1 : 389;
    long tried = 0;
    if (!read_classes("spec/data/kernel_classes.txt")) return puts("skip: not at the top of the tree"), 77;
    for (int k = 0; k < nclass && !test_failures; k++) {
        now = &class[k];
        if (which && !all && !strstr(now->name, which)) continue;
        CHECK(!failing(0, 0)); /* it works */
        const long last = test_heap.calls;
        for (long n = 1 + (day + k) % each; n <= last && !test_failures; n += each) failing(n, (int)(n & 1)), tried++;
    }
    printf("%ld failures in %d classes of kernels, ", tried, nclass);
    return test_done("alloc_failures");
}
