/*
 * device.c -- devices: host memory and the emulated GPU keep what device.h promises; then functions under device=cuda
 * by the emulated driver, with every entry point failing at each of its calls: an error that names the piece or the
 * right answer, nothing changed by a call that failed, and the next call is right.
 */
#include "runtime/device/library.h"
#include "runtime/frame/runtime.h"
#include "plan_test.h"

#include <dlfcn.h>
#include <pthread.h>

static int (*fail_at)(const char *entry, long n, int code);
static long (*calls_of)(const char *entry);
static void (*limit)(size_t bytes);

static bool take(void *handle, const char *name, void *to) {
    void *p = dlsym(handle, name);
    memcpy(to, &p, sizeof p);
    return p;
}

static bool open_emulated(void) {
    void *h = dlopen(TH_EMULATED, RTLD_NOW | RTLD_LOCAL);
    return h && take(h, "cuEmulatedFail", &fail_at) && take(h, "cuEmulatedCalls", &calls_of) &&
           take(h, "cuEmulatedMemory", &limit);
}

/* ---- memory, order, events --------------------------------------------------------------------------------------- */
static void copies(Device *d) {
    DeviceQueue q = {.device = d}, r = {.device = d};
    const DeviceOps *op = d->op;
    DeviceAddress a = 0, b = 0;
    char in[300], out[300] = {0};
    for (int i = 0; i < 300; i++) in[i] = (char)(i * 7);
    CHECK(!op->open(&q) && !op->open(&r));
    CHECK(!op->alloc(&q, 300, &a) && !op->alloc(&q, 300, &b) && a && b && a % 256 == 0);
    CHECK(!op->copy_in(&q, a, in, 300));
    in[0] = 99; /* it was taken before */
    CHECK(!op->set(&q, a + 299, 5, 1) && !op->copy(&q, b, a, 300));
    CHECK(!op->copy_out(&q, out, b, 300) && !op->wait(&q));
    CHECK(out[0] == 0 && out[1] == 7 && out[298] == (char)(298 * 7) && out[299] == 5);
    void *event;
    CHECK(!op->event_new(&q, &event) && !op->set(&q, a, 1, 300) && !op->event_record(&q, event));
    CHECK(!op->event_after(&r, event) && !op->copy_out(&r, out, a, 300) && !op->wait(&r) && out[7] == 1);
    CHECK(!op->event_wait(&q, event) && !op->event_query(&q, event));
    op->event_free(&q, event);
    CHECK(!op->free(&q, a) && !op->free(&q, b));
    CHECK(!op->alloc(&q, 0, &a) && a == 0 && !op->free(&q, 0) && !op->copy_in(&q, 0, NULL, 0));
    op->close(&r);
    op->close(&q);
}

static void host(void) {
    copies(&device_host);
    DeviceQueue q = {.device = &device_host};
    void *graph;
    CHECK(device_host.op->graph_begin(&q) == DEVICE_FAILED && device_host.op->graph_end(&q, &graph) == DEVICE_FAILED);
}

static void graphs(Device *d) {
    DeviceQueue q = {.device = d};
    const DeviceOps *op = d->op;
    DeviceAddress a = 0;
    void *graph = NULL;
    char out[64];
    CHECK(!op->open(&q) && !op->alloc(&q, 64, &a) && !op->set(&q, a, 1, 64));
    CHECK(!op->graph_begin(&q) && !op->set(&q, a, 2, 32) && !op->graph_end(&q, &graph));
    CHECK(!op->copy_out(&q, out, a, 64) && !op->wait(&q) && out[0] == 1); /* it has not run yet */
    CHECK(!op->graph_launch(&q, graph) && !op->copy_out(&q, out, a, 64) && !op->wait(&q));
    CHECK(out[0] == 2 && out[31] == 2 && out[32] == 1);
    op->graph_free(&q, graph);
    void *module;
    static const char junk[128] = "no module";
    CHECK(op->module_load(&q, junk, &module) == DEVICE_FAILED && q.call);
    size_t unused, all;
    CHECK(!op->memory(&q, &unused, &all) && unused < all);
    op->close(&q);
}

static void refusals(ThContext *c) {
    CHECK(!device_cuda(c, "/nowhere/libcuda.so.1", 0));
    CHECK_ERROR(c, TH_GpuError, "install NVIDIA's driver");
    CHECK(!device_cuda(c, "libm.so.6", 0));
    CHECK_ERROR(c, TH_GpuError, "has no cuInit: a driver for CUDA 12.0 or later is needed");
    CHECK(!device_cuda(c, TH_EMULATED, 7));
    CHECK_ERROR(c, TH_GpuError, "there is no cuda7: this machine has 2 GPUs");
    CHECK(device_cuda_count(c, TH_EMULATED) == 2);
    fail_at("cuInit", 1, 100);
    CHECK(!device_cuda(c, TH_EMULATED, 0));
    CHECK_ERROR(c, TH_GpuError, "cuInit says CUDA_ERROR_NO_DEVICE");
}

/* ---- CUDA's libraries -------------------------------------------------------------------------------------------- */
#define NEVER(X) X(int, version, "nvrtcVersion", (int *major, int *minor)) X(int, none, "nvrtcNever", (void))
#define REAL(X) X(int, version, "nvrtcVersion", (int *major, int *minor))
LIBRARY_TABLE(Never, never_table, LIBRARY_NVRTC, NEVER)
LIBRARY_TABLE(Real, real_table, LIBRARY_NVRTC, REAL)

static void libraries(ThContext *c) {
    const char *why, *again;
    int major = 0, minor = 0;
    Device other = {.info.driver = 12040, .libraries = dlopen("libm.so.6", RTLD_NOW)};
    CHECK(!device_library(c, &other, &real_table, &why) && !th_error(c));
    CHECK(why && strstr(why, "NVRTC was found and does not tell its version (nvrtcVersion)"));
    CHECK(!device_library(c, &other, &real_table, &again) && again == why); /* it is not looked for again */
    const Real *r = device_library(c, NULL, &real_table, &why);
    if (!r) { /* there is none on this machine */
        CHECK(why && strstr(why, "NVRTC is not found (libnvrtc.so.13, libnvrtc.so.12): 12.0 or later is needed"));
        return;
    }
    CHECK(!why && !r->version(&major, &minor) && device_library_version(c, LIBRARY_NVRTC) == major * 1000 + minor * 10);
    CHECK(r == device_library(c, NULL, &real_table, &why));
    CHECK(!device_library(c, NULL, &never_table, &why) && why && strstr(why, "has no nvrtcNever: install another"));
}

/* ---- functions --------------------------------------------------------------------------------------------------- */
static ThVar *shared(ThContext *c, const char *name) {
    ThArray *a = th_array_zeros(c, TH_FLOAT64, 1, (int64_t[]){4});
    for (int i = 0; a && i < 4; i++) ((double *)th_array_data(a))[i] = i + 1;
    ThVar *s = a ? th_shared_new(c, a, name, false, 0) : NULL;
    th_array_release(a);
    return s;
}

/* exp(x * w), and w takes w + x. */
static ThFunction *step(ThContext *c, ThVar *w) {
    ThVar *x = tensor(c, TH_FLOAT64, 1, 0, "x"), *y = th_op(c, "mul", 2, x, w), *z = th_op(c, "exp", 1, y);
    ThIn in = {.var = x, .allow_downcast = -1};
    ThOut out = {.var = z};
    ThPair up = {w, th_op(c, "add", 2, w, x)};
    ThCompile s = {
        .in = &in, .nin = 1, .out = &out, .nout = 1, .updates = &up, .nupdates = 1, .allow_input_downcast = -1};
    return th_compile(c, &s);
}

/* Its elements: what lives on the device comes over, and where that is refused once it is asked for again. */
static const double *elements(ThArray *a) {
    const double *at = th_array_data(a);
    if (at) return at;
    ThContext *c = th_array_context(a);
    CHECK(th_error(c) == TH_GpuError || th_error(c) == TH_MemoryError);
    th_error_clear(c);
    at = th_array_data(a);
    CHECK(at);
    return at;
}

static bool is(ThArray *a, double first, double by) {
    const double *at = elements(a);
    for (int i = 0; at && i < 4; i++)
        if (fabs(at[i] - (first + i * by)) > 1e-12) return false;
    return at;
}

static bool state_is(ThVar *w, double first, double by) {
    ThArray *v = th_shared_get(w, true);
    bool same = is(v, first, by);
    th_array_release(v);
    return same;
}

/* One call with x = (1, 1, 1, 1): whether it went through; w is either as before, or more by 1. */
static bool one_call(ThContext *c, ThFunction *f, ThVar *w, double *at) {
    ThArray *x = th_array_zeros(c, TH_FLOAT64, 1, (int64_t[]){4}), *out = NULL;
    for (int i = 0; i < 4; i++) ((double *)th_array_data(x))[i] = 1;
    bool ok = !th_call(f, &x, 1, &out);
    if (ok) {
        const double *y = elements(out);
        for (int i = 0; y && i < 4; i++) CHECK(fabs(y[i] - exp(*at + i)) < 1e-9 * y[i]);
        *at += 1;
    } else {
        CHECK(th_error(c) == TH_GpuError || th_error(c) == TH_MemoryError);
        CHECK(strstr(th_error_text(c), "CUDA_ERROR") || strstr(th_error_text(c), "memory"));
        th_error_clear(c);
    }
    CHECK(state_is(w, *at, 1));
    th_array_release(x);
    th_array_release(out);
    return ok;
}

static const char *const entry[] = {
    "cuCtxSetCurrent",      "cuMemAllocAsync",
    "cuMemFreeAsync",       "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2", "cuMemsetD8Async",
    "cuStreamCreate",       "cuStreamSynchronize",
    "cuModuleLoadData",     "cuModuleGetFunction",
    "cuLaunchKernel",       "cuStreamBeginCapture_v2",
    "cuStreamEndCapture",   "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",        "cuGraphDestroy",
};

static ThContext *with_device(void) {
    ThContext *c = th_context_new(NULL);
    CHECK(!th_config_set(c, "device", "cuda") && !th_config_set(c, "cuda.driver", TH_EMULATED));
    CHECK(!th_config_set(c, "force_device", "true"));
    return c;
}

/* The n-th call of the entry point from the compile on fails; true when it was reached. */
static bool with_failure(const char *name, long n) {
    ThContext *c = with_device();
    ThVar *w = shared(c, "w");
    double at = 1;
    long before = calls_of(name);
    fail_at(name, n, 2);
    ThFunction *f = step(c, w);
    if (!f) th_error_clear(c);
    for (int i = 0; f && i < 4; i++) one_call(c, f, w, &at);
    bool hit = calls_of(name) - before >= n;
    fail_at(name, 0, 0);
    if (f) CHECK(one_call(c, f, w, &at)); /* and all is well again */
    th_function_release(f);
    th_var_release(w);
    kept_release(); /* they hold the context, and it what it has on the device */
    th_context_release(c);
    return hit;
}

static void every_failure(void) {
    for (int e = 0; e < TH_LEN(entry); e++) {
        long reached = 0;
        while (reached < 60 && with_failure(entry[e], reached + 1)) reached++;
        if (!reached) fprintf(stderr, "%s was never reached\n", entry[e]);
        CHECK(reached > 0 || !strcmp(entry[e], "cuMemFreeAsync"));
    }
}

/* From the third on an equal call is one graph: x goes over, and w, which somebody borrowed; nothing is had or set. */
static void one_graph(void) {
    static const struct {
        const char *entry;
        long most;
    } want[] = {{"cuGraphLaunch", 1},        {"cuLaunchKernel", 0},       {"cuMemAllocAsync", 0}, {"cuMemFreeAsync", 0},
                {"cuMemcpyHtoDAsync_v2", 2}, {"cuMemcpyDtoHAsync_v2", 1}, {"cuMemsetD8Async", 0}};
    ThContext *c = with_device();
    ThVar *w = shared(c, "w");
    double at = 1;
    ThFunction *f = step(c, w);
    for (int i = 0; f && i < 4; i++) CHECK(one_call(c, f, w, &at));
    long before[TH_LEN(want)];
    ThArray *x = th_array_zeros(c, TH_FLOAT64, 1, (int64_t[]){4}), *out = NULL;
    for (int i = 0; i < TH_LEN(want); i++) before[i] = calls_of(want[i].entry);
    CHECK(f && !th_call(f, &x, 1, &out));
    for (int i = 0; i < TH_LEN(want); i++) {
        long n = calls_of(want[i].entry) - before[i];
        if (n > want[i].most) fprintf(stderr, "%s: %ld calls\n", want[i].entry, n);
        CHECK(n <= want[i].most && (i || n == 1));
    }
    th_array_release(out);
    th_array_release(x);
    th_function_release(f);
    th_var_release(w);
    th_context_release(c);
}

static void launches(void) {
    ThContext *c = with_device();
    ThVar *w = shared(c, "w");
    double at = 1;
    ThFunction *f = step(c, w);
    CHECK(f && one_call(c, f, w, &at));
    long before = calls_of("cuLaunchKernel"), allocs = calls_of("cuMemAllocAsync");
    CHECK(one_call(c, f, w, &at));
    CHECK(calls_of("cuLaunchKernel") - before == 2); /* exp of the product; the new w in place */
    CHECK(calls_of("cuMemAllocAsync") == allocs);
    limit(1000);
    ThVar *v = shared(c, "v");
    ThFunction *g = step(c, v);
    double start = 1;
    if (g) one_call(c, g, v, &start);
    limit((size_t)1 << 34);
    CHECK(g && one_call(c, g, v, &start));
    th_function_release(g);
    th_function_release(f);
    th_var_release(w);
    th_var_release(v);
    th_context_release(c);
}

/* A fault breaks the device: what only it had says so, what the host has survives, and the next call works again. */
static void loss(void) {
    enum { LAUNCH_FAILED = 719 };
    ThContext *c = with_device();
    ThVar *w = shared(c, "w"), *seen = shared(c, "seen");
    ThArray *x = th_array_zeros(c, TH_FLOAT64, 1, (int64_t[]){4}), *out = NULL, *kept = NULL, *fresh;
    double at = 1;
    ThFunction *f = step(c, w), *g = step(c, seen);
    CHECK(f && g && !th_call(f, &x, 1, &kept) && one_call(c, g, seen, &at)); /* `seen` was read: the host has it */
    fail_at("cuLaunchKernel", 1, LAUNCH_FAILED);
    CHECK(th_call(f, &x, 1, &out));
    CHECK_ERROR(c, TH_GpuError, "CUDA_ERROR_LAUNCH_FAILED");
    fail_at("cuLaunchKernel", 0, 0);
    CHECK(!th_array_data(kept));
    CHECK_ERROR(c, TH_GpuError, "what lay in the GPU's memory is lost");
    CHECK(state_is(seen, at, 1) && one_call(c, g, seen, &at) && one_call(c, g, seen, &at));
    CHECK(!th_array_data(kept));
    CHECK_ERROR(c, TH_GpuError, "this value lay in the memory of emulated GPU 0, which was lost after a fault");
    CHECK(th_call(f, &x, 1, &out));
    CHECK_ERROR(c, TH_GpuError, "a shared variable: set_value");
    CHECK(!th_shared_get(w, false));
    th_error_clear(c);
    fresh = th_array_zeros(c, TH_FLOAT64, 1, (int64_t[]){4});
    for (int i = 0; i < 4; i++) ((double *)th_array_data(fresh))[i] = 5 + i;
    double again = 5;
    CHECK(!th_shared_set(w, fresh, false));
    for (int i = 0; i < 4; i++) CHECK(one_call(c, f, w, &again));
    th_array_release(fresh);
    th_array_release(kept);
    th_array_release(x);
    th_function_release(f);
    th_function_release(g);
    th_var_release(w);
    th_var_release(seen);
    th_context_release(c);
}

typedef struct Worker {
    ThFunction *f;
    ThVar *w;
    ThArray *x;
    int failures;
} Worker;

static void *work(void *user) {
    Worker *k = user;
    for (int i = 0; i < 100; i++) {
        ThArray *out = NULL, *now = NULL;
        k->failures += th_call(k->f, &k->x, 1, &out) || !th_array_data(out);
        k->failures += i % 5 == 0 && (!(now = th_shared_get(k->w, false)) || !th_array_data(now));
        th_array_release(out);
        th_array_release(now);
    }
    return NULL;
}

/* Two functions in two threads, each with a queue of its own, change one variable: no change is lost. */
static void threads(void) {
    ThContext *c = with_device();
    ThVar *w = shared(c, "w");
    ThArray *x = th_array_zeros(c, TH_FLOAT64, 1, (int64_t[]){4});
    for (int i = 0; i < 4; i++) ((double *)th_array_data(x))[i] = 1;
    Worker k[2] = {{step(c, w), w, x, 0}, {step(c, w), w, x, 0}};
    pthread_t other = pthread_self();
    CHECK(k[0].f && k[1].f && !pthread_create(&other, NULL, work, &k[1]));
    work(&k[0]);
    pthread_join(other, NULL);
    CHECK(k[0].failures == 0 && k[1].failures == 0);
    CHECK(state_is(w, 201, 1));
    th_function_release(k[0].f);
    th_function_release(k[1].f);
    th_array_release(x);
    th_var_release(w);
    th_context_release(c);
}

int main(void) {
    if (!open_emulated()) return test_failures = 1, test_done("device");
    ThHost counting = test_failing_host(0);
    ThContext *c = th_context_new(&counting);
    refusals(c);
    libraries(c);
    host();
    Device *d = device_cuda(c, TH_EMULATED, 0);
    CHECK(d && d->info.emulated && d->info.major == 9 && d->info.driver == 13000);
    if (d) {
        copies(d);
        graphs(d);
        d->op->release(c, d);
    }
    th_context_release(c);
    CHECK(test_leaked() == 0);
    launches();
    one_graph();
    loss();
    threads();
    every_failure();
    return test_done("device");
}
