/*
 * alloc_failures.c -- every allocation of building, compiling, calling, saving and loading fails once, for a function
 * of each class of kernels, on the CPU and on the emulated GPU: MemoryError, nothing left over, nothing that ends the
 * process. build/spec/alloc_failures [all | gpu | WORDS]: those of each class are a sample, other ones every day (of a
 * few classes on the GPU), or all of them: of all classes, of all on the GPU alone, of those whose names have the
 * words. Allocations fail alone or with all later ones, in turns; where all are tried, each in the way that is not its
 * turn too when nobody has failed from the same calls before.
 */
#include "test.h"

#include "theano_device.h"

#include <time.h>

#ifdef __GLIBC__
#include <execinfo.h>
#else
static int backtrace(void **at, int most) { return (void)at, (void)most, 0; }
#endif

enum { MOST = 64, LONGEST = 1 << 17, SAMPLE = 389, SAMPLE_GPU = 1493, SOME = 12 };

/* A class of kernels of spec/data/kernel_classes.txt: its name, lengths of its inputs, flags, its graph. */
typedef struct Class {
    char *name, *shapes, *flags, *graph;
} Class;
static char text[LONGEST];
static Class class[MOST];
static int nclass;
static const Class *now;
static bool on_gpu;

/* ---- from which calls allocations failed: hashes of their return addresses ----------------------------------------
 */
enum { DEEPEST = 96, ROOM = 1 << 18 };
static uint64_t met[ROOM];
static long stacks;
static bool new_stack;

static void note_stack(void) {
    void *at[DEEPEST];
    const int n = backtrace(at, DEEPEST);
    uint64_t h = 0xcbf29ce484222325ull;
    for (int i = 0; i < n; i++) h = (h ^ (uint64_t)(uintptr_t)at[i]) * 0x9e3779b97f4a7c15ull, h ^= h >> 29;
    uint64_t k = h % ROOM;
    while (met[k] && met[k] != h) k = (k + 1) % ROOM;
    new_stack = !met[k];
    if (!new_stack || stacks == ROOM / 2) return;
    met[k] = h, stacks++;
}

/* As test_alloc, of test_failing_host; notes who asked when it fails for the first time. */
static void *noted_alloc(void *user, void *old, size_t old_size, size_t size, size_t align) {
    const int failed = test_heap.failed;
    void *p = test_alloc(user, old, old_size, size, align);
    if (!failed && test_heap.failed) note_stack();
    return p;
}

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
        k->flags = strstr(k->shapes, " | "), *k->flags = 0, k->flags += 3;
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
    const bool saved = !strstr(now->graph, "Collective"); /* which is no data */
    bool ok = !th_call(r->f, r->arg, nin, r->result) && (!saved || !th_function_save(r->f, "note", &bytes, &size));
    drop_results(r);
    ok = ok && (!saved || ((r->g = th_load(c, bytes, size, NULL, NULL)) && !th_call(r->g, r->arg, nin, r->result)));
    th_free(c, bytes);
    ThCall *b = ok ? th_call_new(r->f, args, nin) : NULL;
    ok = ok && b && (on_gpu || th_workspace_bytes(b) >= 0) && !th_call_run(b);
    if (b && !ok && th_call_error(b) && !th_error(c)) th_fail(c, th_call_error(b), th_call_error_text(b));
    th_call_release(b);
    return ok;
}

#ifdef TH_EMULATED
/* ---- the only rank of a job: what it reduces is its own ------------------------------------------------------------
 */
static int alone_start(void *user, ThRanksOp op, ThDtype d, int64_t n, const void *data, const void *as, char *why,
                       size_t room) {
    (void)user, (void)op, (void)d, (void)n, (void)data, (void)as;
    snprintf(why, room, "a GPU reduces by itself");
    return 1;
}

static int alone_wait(void *user, const void *as, void *to, size_t bytes, char *why, size_t room) {
    return alone_start(user, TH_RANKS_SUM, TH_FLOAT64, (int64_t)bytes, to, as, why, room);
}

static int alone_share(void *user, void *data, size_t bytes, char *why, size_t room) {
    (void)user, (void)data, (void)bytes, (void)why, (void)room;
    return 0;
}

static int alone_watch(void *user, ThRanksOp op, ThDtype d, int64_t n, int (*over)(void *of),
                       void (*lost)(void *of, const char *why), void *of, char *why, size_t room) {
    (void)user, (void)op, (void)d, (void)n, (void)lost, (void)why, (void)room;
    while (!over(of)) {}
    return 0;
}

static const ThRanks alone = {
    .size = sizeof alone, .n = 1, .start = alone_start, .wait = alone_wait, .share = alone_share, .watch = alone_watch};
#endif

/* ---- one function ------------------------------------------------------------------------------------------------ */
static bool flags_set(ThContext *c) {
#ifdef TH_EMULATED
    if (on_gpu && (th_config_set(c, "device", "cuda") || th_config_set(c, "cuda.driver", TH_EMULATED) ||
                   th_config_set(c, "force_device", "true") || th_config_set(c, "compile.tiers", "false") ||
                   th_ranks_set(c, &alone)))
        return false;
#endif
    if (!on_gpu && th_config_set(c, "linker", "py")) return false;
    for (const char *at = now->flags, *end; *at; at = end + (*end == ',')) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        end = at + strlen(name);
        char *value = strchr(name, '=');
        *value++ = 0;
        if (strcmp(name, "device") != 0 && th_config_set(c, name, value)) return false;
    }
    return true;
}

static int body(ThContext *c) {
    Run r = {.c = c};
    bool ok = flags_set(c) && compiled(&r) && used(&r);
    drop(&r);
    return ok;
}

/* With the n-th allocation failing, and all later ones where `rest`; whether it was reached. */
static bool failing(long n, int rest) {
    ThHost host = test_failing_host(n);
    host.alloc = noted_alloc;
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

/* Each n-th allocation of the class at hand, from one that is another one every day. */
static long tried_of(long from, long each) {
    long tried = 0;
    const long before = stacks;
    CHECK(!failing(0, 0)); /* it works */
    const long last = test_heap.calls;
    for (long n = 1 + from % each; n <= last && !test_failures; n += each) {
        new_stack = false;
        failing(n, (int)(n & 1)), tried++;
        if (each == 1 && new_stack && !test_failures) failing(n, (int)(~n & 1)), tried++;
    }
    if (each == 1) {
        printf("%s%s: %ld allocations, %ld failures, from %ld calls that are new\n", now->name, on_gpu ? ", GPU" : "",
               last, tried, stacks - before);
        fflush(stdout);
    }
    return tried;
}

static bool gpu_there(void) {
#ifdef TH_EMULATED
    ThContext *c = th_context_new(NULL);
    const char *cxx = th_config_get(c, "cxx");
    const bool there = cxx && *cxx; /* the emulated one has its kernels compiled by the C compiler */
    th_context_release(c);
    return there;
#else
    return false;
#endif
}

int main(int argc, char **argv) {
    const char *which = argc > 1 ? argv[1] : NULL;
    const bool all = which && !strcmp(which, "all"), gpu = which && !strcmp(which, "gpu"), gpus = gpu_there();
    const long day = (long)(time(NULL) / 86400);
    long tried = 0, tried_gpu = 0;
#ifdef TH_EMULATED
    if (all || gpu) setenv("CUDA_EMULATED_OPEN", "1", 0); /* a third of the time */
#endif
    if (!read_classes("spec/data/kernel_classes.txt")) return puts("skip: not at the top of the tree"), 77;
    for (int k = 0; k < nclass && !test_failures; k++) {
        now = &class[k];
        if (which && !all && !gpu && !strstr(now->name, which)) continue;
        on_gpu = false;
        if (!gpu && !strstr(now->flags, "device=")) tried += tried_of(day + k, which ? 1 : SAMPLE);
        on_gpu = true;
        if (gpus && (which || (day + k) % SOME == 0)) tried_gpu += tried_of(day + k, which ? 1 : SAMPLE_GPU);
    }
    printf("%ld failures, %ld on a GPU, in %d classes of kernels, from %ld different calls, ", tried, tried_gpu, nclass,
           stacks);
    return test_done("alloc_failures");
}
