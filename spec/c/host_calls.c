/*
 * host_calls.c -- what a host brings itself: memory of calls and of results, threads for calls, files, seeds; and the
 * versions that it was compiled against.
 */
#include "test.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- functions of every kind of kernel, on random arguments ------------------------------------------------------ */
enum { KINDS = 8, MOST_IN = 2 };
typedef struct Case {
    ThFunction *f;
    ThArray *arg[MOST_IN];
    int nin;
    ThVar *shared; /* that its calls change, or NULL */
} Case;

static ThArray *numbers(ThContext *c, int ndim, const int64_t *shape) {
    ThArray *a = th_array_empty(c, TH_FLOAT64, ndim, shape);
    double *p = th_array_data(a);
    for (int64_t i = 0; i < th_array_size(a); i++)
        p[i] = (double)((uint64_t)(i + 1) * 0x9e3779b97f4a7c15ull >> 40) / 0x1p23 - 1;
    return a;
}

/* An operation on one or two variables, of which it takes the first one over where `own` says so. */
static ThVar *op(ThContext *c, const char *name, ThVar *x, ThVar *y, bool own) {
    ThVar *z = th_op(c, name, y ? 2 : 1, x, y);
    if (own) th_var_release(x);
    return z;
}

static ThVar *made(ThContext *c, int kind, ThVar *x, ThVar *y) {
    switch (kind) {
    case 0: return op(c, "tanh", op(c, "dot", x, y, false), NULL, true);
    case 1: return op(c, "nnet.softmax", op(c, "add", x, y, false), NULL, true);
    case 2: return op(c, "slinalg.solve", op(c, "add", op(c, "dot", x, y, false), y, true), y, true);
    case 3: return op(c, "cumsum", op(c, "exp", x, NULL, false), NULL, true);
    case 4: return op(c, "nnet.conv2d", x, y, false);
    case 5: return op(c, "transpose", op(c, "mul", x, y, false), NULL, true); /* not in C order where it is computed */
    case 6: return op(c, "sort", x, NULL, false);
    default: return op(c, "exp", x, NULL, false); /* of six dimensions */
    }
}

static Case make(ThContext *c, int kind) {
    const int ndim = kind == 4 ? 4 : kind == 7 ? 6 : 2;
    const int64_t flat[6] = {40, 40, 1, 1, 1, 1}, image[4] = {2, 3, 20, 20}, filter[4] = {4, 3, 5, 5};
    const ThType t = {.dtype = TH_FLOAT64, .ndim = (uint16_t)ndim};
    ThVar *x = th_variable_new(c, t, "x"), *y = th_variable_new(c, t, "y"), *z = made(c, kind, x, y);
    ThArray *zero = numbers(c, 0, NULL);
    Case k = {.nin = kind == 3 || kind > 5 ? 1 : 2, .shared = th_shared_new(c, zero, "n", false, 0)};
    ThVar *total = th_op(c, "sum", 1, z), *next = th_op(c, "add", 2, k.shared, total);
    const ThIn in[2] = {{.var = x, .allow_downcast = -1}, {.var = y, .allow_downcast = -1}};
    const ThOut out[2] = {{.var = z}, {.var = k.shared}};
    const ThPair update = {k.shared, next};
    k.f = th_compile(c, &(ThCompile){.in = in,
                                     .nin = k.nin,
                                     .out = out,
                                     .nout = 2,
                                     .updates = &update,
                                     .nupdates = 1,
                                     .allow_input_downcast = -1});
    k.arg[0] = numbers(c, ndim, ndim == 4 ? image : flat);
    k.arg[1] = numbers(c, ndim, ndim == 4 ? filter : flat);
    th_array_release(zero);
    th_var_release(x), th_var_release(y), th_var_release(z), th_var_release(next);
    th_var_release(total);
    return k;
}

static void drop(Case *k) {
    th_function_release(k->f);
    th_var_release(k->shared);
    for (int i = 0; i < MOST_IN; i++) th_array_release(k->arg[i]);
}

static ThCall *bound(const Case *k) {
    ThArg args[MOST_IN];
    for (int i = 0; i < k->nin; i++) args[i] = (ThArg){.kind = TH_ARG_ARRAY, .array = k->arg[i]};
    return th_call_new(k->f, args, k->nin);
}

static double value(ThVar *s) {
    ThArray *a = th_shared_get(s, true);
    double v = *(double *)th_array_data(a);
    th_array_release(a);
    return v;
}

static bool same(ThArray *a, ThArray *b) { return th_array_size(a) == th_array_size(b) && th_array_equal(a, b); }

/* Its memory told, lent, and results where the host has them: the ordinary numbers, and not one allocation. */
static void lent(int kind) {
    ThHost host = test_failing_host(0);
    ThContext *c = th_context_new(&host);
    th_config_set(c, "linker", "py");
    Case k = make(c, kind);
    CHECK(k.f);
    if (!k.f) fprintf(stderr, "  kind %d: %s\n", kind, th_error_text(c));
    ThArray *want[2] = {NULL, NULL};
    double before = value(k.shared);
    CHECK(k.f && !th_call(k.f, k.arg, k.nin, want));
    double step = value(k.shared) - before;
    ThCall *b = bound(&k);
    before = value(k.shared);
    int64_t bytes = th_workspace_bytes(b);
    CHECK(bytes > 0 && value(k.shared) == before); /* nothing was changed by asking */
    if (bytes < 0) fprintf(stderr, "  kind %d: %s\n", kind, th_call_error_text(b));
    void *memory = aligned_alloc(64, (size_t)bytes + 64);
    double *result = aligned_alloc(64, 1 << 16);
    CHECK(th_call_arena(b, memory, (size_t)bytes - 64) && th_call_error(b) == TH_MemoryError);
    CHECK(strstr(th_call_error_text(b), "What takes less"));
    CHECK(th_call_arena(b, (char *)memory + 8, (size_t)bytes) && th_call_error(b) == TH_ValueError);
    CHECK(!th_call_arena(b, memory, (size_t)bytes));
    CHECK(!th_call_into(b, 0, result, 1 << 16));
    CHECK(th_workspace_bytes(b) == bytes);
    test_heap.fail_at = test_heap.calls + 1;
    test_heap.from_there_on = 1;
    for (int i = 0; i < 20; i++) CHECK(!th_call_run(b));
    test_heap.fail_at = test_heap.from_there_on = 0;
    CHECK(!test_heap.failed);
    CHECK(th_workspace_bytes(b) == bytes);
    ThArray *got = th_call_output(b, 0, NULL);
    CHECK(got && th_array_data(got) == result && same(got, want[0]));
    CHECK(value(k.shared) > before + 19.5 * step - 1e-6 || step <= 0);
    CHECK(!th_call_into(b, 0, NULL, 0) && !th_call_run(b) && same(th_call_output(b, 0, NULL), want[0]));
    CHECK(!th_call_arena(b, NULL, 0) && !th_call_run(b));
    memset(memory, 0xff, (size_t)bytes); /* nobody looks there any more */
    CHECK(!th_call_run(b) && same(th_call_output(b, 0, NULL), want[0]));
    CHECK(!th_call_into(b, 0, result, 8)); /* too small: nothing has changed */
    before = value(k.shared);
    CHECK(th_call_run(b) == 1 && th_call_error(b) == TH_MemoryError && value(k.shared) == before);
    CHECK(strstr(th_call_error_text(b), "Apply node that caused the error"));
    CHECK(!th_call_into(b, 0, result, 16) && th_call_run(b) == 1); /* nor enough */
    CHECK(!th_call_into(b, 0, result, 1 << 16) && !th_call_run(b) && same(th_call_output(b, 0, NULL), want[0]));
    CHECK(th_call_into(b, 2, result, 8) && th_call_error(b) == TH_IndexError);
    th_call_release(b);
    free(memory);
    free(result);
    for (int i = 0; i < 2; i++) th_array_release(want[i]);
    drop(&k);
    CHECK(!th_error(c));
    th_context_release(c);
    CHECK(test_leaked() == 0);
}

/* ---- runs on other threads --------------------------------------------------------------------------------------- */
typedef struct Told {
    int times, bad;
    bool again, release;
} Told;

static void done(void *user, ThCall *b, int bad) {
    Told *t = user;
    t->bad |= bad;
    const int times = __atomic_add_fetch(&t->times, 1, __ATOMIC_RELEASE);
    if (t->again && times < 5) CHECK(!th_call_start(b, done, t));
    if (t->release) th_call_release(b);
}

typedef struct Queue { /* a host's thread that runs what it is given when it is let */
    void (*fn)(void *user);
    void *user;
    int given;
} Queue;

static bool later(void *host, void (*fn)(void *user), void *user) {
    Queue *q = host;
    if (q->given < 0) return false;
    q->fn = fn, q->user = user;
    q->given++;
    return true;
}

static void started(void) {
    Queue q = {.given = 0};
    ThHost host = test_failing_host(0);
    ThContext *c = th_context_new(&host);
    th_config_set(c, "linker", "py");
    Case k = make(c, 0);
    Told told = {.again = true}, last = {.release = true};
    ThCall *b = bound(&k);
    CHECK(!th_call_start(b, done, &told) && !th_call_wait(b) && told.times == 5 && !told.bad);
    CHECK(!th_call_start(b, NULL, NULL));
    CHECK(!th_call_wait(b) && !th_call_run(b));
    CHECK(!th_call_start(b, NULL, NULL));
    th_call_release(b); /* waits */
    b = bound(&k);
    CHECK(!th_call_start(b, done, &last));
    while (__atomic_load_n(&last.times, __ATOMIC_ACQUIRE) == 0) usleep(1000);
    drop(&k);
    th_context_release(c);
    for (int i = 0; i < 5000 && test_leaked() > 0; i++) usleep(1000); /* the call goes behind `done`, on its thread */
    CHECK(test_leaked() == 0);

    host = test_failing_host(0);
    host.later = later, host.later_user = &q;
    c = th_context_new(&host);
    th_config_set(c, "linker", "py");
    k = make(c, 0);
    b = bound(&k);
    Told one = {0};
    CHECK(!th_call_start(b, done, &one) && q.given == 1 && one.times == 0);
    CHECK(th_call_run(b) == -1 && th_error(c) == TH_RuntimeError); /* it is at work */
    th_error_clear(c);
    CHECK(th_call_start(b, done, &one) == -1);
    th_error_clear(c);
    q.fn(q.user);
    CHECK(one.times == 1 && !one.bad && !th_call_wait(b) && !th_call_run(b));
    q.given = -1;
    CHECK(th_call_start(b, done, &one) == -1);
    CHECK_ERROR(c, TH_RuntimeError, "no thread");
    CHECK(!th_call_run(b));
    th_call_release(b);
    drop(&k);
    th_context_release(c);
    CHECK(test_leaked() == 0);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */
typedef struct Disk {
    char last, path[512];
    int asked, given_back;
    const char *to;
    const void *bytes;
    size_t n;
    bool refuse;
} Disk;

static void given_back(void *user, const void *bytes) {
    Disk *d = user;
    CHECK(bytes == d->bytes);
    d->given_back++;
}

static int file(void *host, ThFile *f) {
    Disk *d = host;
    d->last = f->use;
    snprintf(d->path, sizeof d->path, "%s", f->path);
    d->asked++;
    if (d->to) f->path = d->to;
    if (d->bytes) f->bytes = d->bytes, f->nbytes = d->n, f->done = given_back, f->user = d;
    return d->refuse;
}

static char *contents(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    char *p = malloc(1 << 16);
    *n = f ? fread(p, 1, 1 << 16, f) : 0;
    if (f) fclose(f);
    return p;
}

static const char *const names[] = {"a.npy", "a.npy.gz", "a.npz", "a.safetensors", "a.txt"};

static int save(ThContext *c, int kind, const char *name, ThArray *a) {
    const char *one = "a";
    if (kind < 2) return th_save_npy(c, name, a);
    if (kind == 2) return th_save_npz(c, name, 1, &one, &a);
    if (kind == 3) return th_save_safetensors(c, name, 1, &one, &a, 0, NULL);
    return th_save_text(c, name, a, NULL, NULL, NULL, NULL, NULL);
}

static ThArray *load(ThContext *c, int kind, const char *name) {
    ThNpz z = {0};
    ThArray *r = NULL;
    if (kind == 0) return th_load_npy(c, name);
    if (kind == 4) return th_load_text(c, name, NULL, NULL);
    if (kind == 1) {
        ThStream *s = th_stream_open(c, name, 'n', NULL);
        r = th_stream_read(s, 100);
        th_stream_release(s);
        return r;
    }
    if (kind == 2 ? th_load_npz(c, name, &z) : th_load_safetensors(c, name, NULL, &z)) return NULL;
    r = th_array_retain(z.arrays[0]);
    th_npz_free(c, &z);
    return r;
}

/* The file at another place, or in memory. */
static void redirected(ThContext *c, Disk *d, int kind, const char *real, ThArray *a) {
    const char *name = names[kind];
    for (int memory = 0; memory < 2; memory++) {
        size_t n;
        char *bytes = contents(real, &n);
        *d = (Disk){.to = memory ? NULL : real, .bytes = memory ? bytes : NULL, .n = n};
        ThArray *r = load(c, kind, name);
        if (!r) fprintf(stderr, "  %s: %s\n", name, th_error_text(c));
        CHECK(r && d->last == 'r' && same(r, a));
        th_array_release(r);
        for (int mode = 0; kind == 0 && mode < 2; mode++) {
            r = th_map_npy(c, name, mode ? "c" : "r");
            CHECK(r && same(r, a) && th_array_writeable(r) == (mode == 1));
            th_array_release(r);
        }
        CHECK(!memory || d->given_back == d->asked);
        free(bytes);
    }
}

static void files(void) {
    char dir[] = "/tmp/theano-host-XXXXXX", real[600];
    CHECK(mkdtemp(dir) != NULL);
    Disk d = {.to = NULL};
    ThHost host = test_failing_host(0);
    host.file = file, host.file_user = &d;
    ThContext *c = th_context_new(&host);
    const int64_t shape[2] = {3, 4};
    ThArray *a = numbers(c, 2, shape);
    for (int kind = 0; kind < 5; kind++) {
        if (!TH_ZIP && (kind == 1 || kind == 2)) continue;
        snprintf(real, sizeof real, "%s/%s", dir, names[kind]);
        d = (Disk){.to = real};
        CHECK(!save(c, kind, names[kind], a) && d.last == 'w' && !strcmp(d.path, names[kind]));
        CHECK(access(names[kind], F_OK) && !access(real, F_OK));
        redirected(c, &d, kind, real, a);
        d = (Disk){.refuse = true};
        CHECK(!load(c, kind, real));
        CHECK_ERROR(c, TH_IOError, "the host refuses");
        CHECK(save(c, kind, real, a));
        CHECK_ERROR(c, TH_IOError, "the host refuses");
        CHECK(!th_map_npy(c, real, "r+"));
        CHECK_ERROR(c, TH_IOError, "the host refuses");
        unlink(real);
    }
    d = (Disk){.bytes = "floatX = float32\n# end", .n = 22};
    CHECK(!th_config_read(c, "any") && !strcmp(th_config_get(c, "floatX"), "float32") && d.given_back == 1);
    d = (Disk){.refuse = true};
    CHECK(th_config_read(c, "any"));
    CHECK_ERROR(c, TH_IOError, "the host refuses");
    th_array_release(a);
    th_context_release(c);
    CHECK(test_leaked() == 0 && !rmdir(dir));
}

/* Where archives are left out each way to them says so by the option's name, and leaves no file. */
static void archives_left_out(void) {
    if (TH_ZIP) return;
    ThContext *c = th_context_new(NULL);
    ThArray *a = numbers(c, 1, (const int64_t[]){3});
    const char *path = "theano-left-out.npz", *name = "a";
    ThNpz z = {0};
    CHECK(th_save_npz(c, path, 1, &name, &a));
    CHECK_ERROR(c, TH_NotImplementedError, "TH_ZIP=OFF");
    CHECK(th_save_npz_compressed(c, path, 1, &name, &a));
    CHECK_ERROR(c, TH_NotImplementedError, "TH_ZIP=OFF");
    CHECK(access(path, F_OK));
    CHECK(th_load_npz(c, path, &z));
    CHECK(th_error(c) == TH_NotImplementedError || th_error(c) == TH_IOError);
    th_error_clear(c);
    th_array_release(a);
    th_context_release(c);
}

/* ---- versions, environment, seeds -------------------------------------------------------------------------------- */
static void making(void) {
    struct {
        ThHost host;
        char more[64];
    } newer;
    memset(&newer, 0, sizeof newer);
    ThHost h = {.size = sizeof h, .abi = TH_ABI + 1};
    CHECK(th_abi() == TH_ABI && !th_context_new(&h));
    h.abi = TH_ABI;
    ThContext *c = th_context_new(&h);
    CHECK(c != NULL);
    th_context_release(c);
    newer.host.size = sizeof newer;
    c = th_context_new(&newer.host);
    CHECK(c != NULL);
    th_context_release(c);
    newer.more[63] = 1; /* something that this library does not know */
    CHECK(!th_context_new(&newer.host));
    setenv("HOME", "/home/of/nobody", 1);
    ThHost quiet = {.environment = 'n'};
    c = th_context_new(NULL);
    ThContext *q = th_context_new(&quiet);
    CHECK(strstr(th_config_get(c, "base_compiledir"), "/home/of/nobody") == th_config_get(c, "base_compiledir"));
    CHECK(!strstr(th_config_get(q, "base_compiledir"), "/home/of/nobody") && !*th_config_get(q, "cxx"));
    CHECK(th_context_environment(q) == 'n' && th_context_environment(c) == 0 && th_context_environment(NULL) == 0);
    CHECK(th_context_seed(c) != th_context_seed(c) && th_context_seed(NULL) == 0);
    th_context_release(c);
    th_context_release(q);
    uint64_t first[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        c = th_context_new(&(ThHost){.seed = 42});
        first[i] = th_context_seed(c);
        CHECK(th_context_seed(c) != first[i]);
        th_context_release(c);
    }
    CHECK(first[0] == first[1]);
}

int main(void) {
    for (int kind = 0; kind < KINDS; kind++) lent(kind);
    started();
    files();
    archives_left_out();
    making();
    return test_done("host_calls");
}
