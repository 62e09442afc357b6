/*
 * kills.c -- processes that are killed while they save or compile: what is found afterwards is the old or the new,
 * whole. build/spec/kills [COUNT [SEED]]: as many kills while saving, a tenth of them while compiling.
 */
#include "test.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t dice = 1;
static unsigned roll(unsigned n) {
    dice = dice * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(dice >> 33) % n;
}

static char dir[64];
static const char *path(const char *name) {
    static char text[4][256];
    static int turn;
    char *to = text[turn++ % 4];
    snprintf(to, sizeof text[0], "%s/%s", dir, name);
    return to;
}

static ThArray *filled(ThContext *c, double v) {
    const int64_t shape[2] = {64, 64};
    ThArray *a = th_array_empty(c, TH_FLOAT64, 2, shape);
    double *p = th_array_data(a);
    for (int i = 0; i < 64 * 64; i++) p[i] = v;
    return a;
}

/* A function that gives the sum of exp(x * 0) + v, a weight of many numbers. */
static ThFunction *make(ThContext *c, double v) {
    const ThType t = {.dtype = TH_FLOAT64, .ndim = 2};
    ThArray *a = filled(c, v);
    ThVar *x = th_variable_new(c, t, "x"), *w = th_shared_new(c, a, "w", false, 0);
    ThVar *y = th_op(c, "exp", 1, x), *z = th_op(c, "mul", 2, y, w);
    const ThIn in = {.var = x, .allow_downcast = -1};
    const ThOut out = {.var = z};
    ThFunction *f =
        th_compile(c, &(ThCompile){.in = &in, .nin = 1, .out = &out, .nout = 1, .allow_input_downcast = -1});
    th_var_release(x), th_var_release(w), th_var_release(y), th_var_release(z);
    th_array_release(a);
    return f;
}

/* What it gives for zeros, where all elements agree; else -1. */
static double answer(ThContext *c, ThFunction *f) {
    ThArray *x = filled(c, 0), *r = NULL;
    if (!f || th_call(f, &x, 1, &r)) return -1;
    const double *p = th_array_data(r);
    double v = p[0];
    for (int i = 0; i < 64 * 64; i++)
        if (p[i] != v) v = -1;
    th_array_release(x), th_array_release(r);
    return v;
}

static ThContext *context(const char *linker) {
    ThContext *c = th_context_new(NULL);
    th_config_set(c, "linker", linker);
    th_config_set(c, "base_compiledir", dir);
    return c;
}

static const char *const files[] = {"m.thn", "a.npy", "a.npz", "a.safetensors"};

static void save(ThContext *c, ThFunction *const f[2], ThArray *const a[2], int which, int kind) {
    const char *one = "a", *to = path(files[kind]);
    if (kind == 0) th_function_save_file(f[which], to, NULL);
    else if (kind == 1) th_save_npy(c, to, a[which]);
    else if (kind == 2) th_save_npz(c, to, 1, &one, &a[which]);
    else th_save_safetensors(c, to, 1, &one, &a[which], 0, NULL);
}

static double found(ThContext *c, int kind) {
    if (kind == 0) {
        ThFunction *f = th_load_file(c, path(files[kind]), NULL);
        double v = answer(c, f);
        th_function_release(f);
        return v;
    }
    ThNpz z = {0};
    ThArray *a = kind == 1 ? th_load_npy(c, path(files[kind])) : NULL;
    int bad = kind == 2   ? th_load_npz(c, path(files[kind]), &z)
              : kind == 3 ? th_load_safetensors(c, path(files[kind]), NULL, &z)
                          : !a;
    if (!a && !bad) a = th_array_retain(z.arrays[0]);
    const double *p = a ? th_array_data(a) : NULL;
    double v = p ? p[0] : -1;
    for (int i = 0; p && i < 64 * 64; i++)
        if (p[i] != v) v = -1;
    th_array_release(a);
    if (kind > 1 && !bad) th_npz_free(c, &z);
    return v;
}

static void killed(pid_t pid, unsigned microseconds) {
    usleep(microseconds);
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    int status;
    waitpid(pid, &status, 0);
}

/* One of the files that this library writes. */
static int some_kind(void) {
    int kind = (int)roll(4);
    return !TH_ZIP && kind == 2 ? 1 : kind;
}

static void while_saving(int n) {
    ThContext *c = context("py");
    ThFunction *f[2] = {make(c, 1), make(c, 2)};
    ThArray *a[2] = {filled(c, 1), filled(c, 2)};
    for (int kind = 0; kind < 4; kind++)
        if (TH_ZIP || kind != 2) save(c, f, a, 0, kind);
    for (int i = 0; i < n; i++) {
        int kind = some_kind();
        pid_t pid = fork();
        if (!pid) {
            for (int which = 0;; which = !which) save(c, f, a, which, kind);
        }
        killed(pid, 200 + roll(3000));
        double v = found(c, kind);
        CHECK(v == 1 || v == 2);
        if (v != 1 && v != 2) fprintf(stderr, "  kill %d, %s: %s\n", i, files[kind], th_error_text(c));
        th_error_clear(c);
    }
    for (int i = 0; i < 2; i++) th_function_release(f[i]), th_array_release(a[i]);
    th_context_release(c);
}

static void while_compiling(int n) {
    for (int i = 0; i < n; i++) {
        const double v = i + 3;
        pid_t pid = fork();
        if (!pid) {
            setpgid(0, 0);
            ThContext *c = context("c");
            make(c, v);
            _exit(0);
        }
        setpgid(pid, pid);
        killed(pid, roll(400000));
        if (i % 4 != 3) continue; /* the rest of the cache waits for who comes next */
        ThContext *c = context("c");
        ThFunction *f = make(c, v);
        CHECK(answer(c, f) == v && !th_error(c));
        th_function_release(f);
        th_context_release(c);
    }
}

static void sweep(const char *at) {
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", at);
    if (system(command)) fprintf(stderr, "  %s is left\n", at);
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 30;
    dice = argc > 2 ? (uint64_t)atoll(argv[2]) : 1;
    snprintf(dir, sizeof dir, "/tmp/theano-kills-XXXXXX");
    if (!mkdtemp(dir)) return 1;
    while_saving(n);
    while_compiling(n / 10);
    sweep(dir);
    return test_done("kills");
}
