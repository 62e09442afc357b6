/*
 * kills.c -- processes that are killed while they save or compile: what is found afterwards is the old or the new,
 * whole. build/spec/kills [SAVES [COMPILES [SEED]]]: 30, a tenth and 1. Those that were done before the kill came are
 * not counted.
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
    th_config_set(c, "compile.tiers", "false");
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

/* A function whose text is another one for each i: by its bits, sines or cosines one of the other. */
static ThFunction *make_text(ThContext *c, unsigned i) {
    const ThType t = {.dtype = TH_FLOAT64, .ndim = 2};
    ThVar *x = th_variable_new(c, t, "x"), *y = th_var_retain(x);
    for (int bit = 0; bit < 12; bit++) {
        ThVar *z = th_op(c, i >> bit & 1 ? "sin" : "cos", 1, y);
        th_var_release(y);
        y = z;
    }
    const ThIn in = {.var = x, .allow_downcast = -1};
    const ThOut out = {.var = y};
    ThFunction *f =
        th_compile(c, &(ThCompile){.in = &in, .nin = 1, .out = &out, .nout = 1, .allow_input_downcast = -1});
    th_var_release(x), th_var_release(y);
    return f;
}

/* What function i gives by that linker; whether a compiler ran for it. */
static double text_answer(const char *linker, unsigned i, bool *compiled) {
    ThContext *c = context(linker);
    ThFunction *f = make_text(c, i);
    const double v = answer(c, f);
    if (th_error(c)) fprintf(stderr, "  compile %u: %s\n", i, th_error_text(c));
    CHECK(!th_error(c));
    if (compiled) *compiled = th_stat(c, "compiles") > 0;
    th_function_release(f);
    th_context_release(c);
    return v;
}

static unsigned microseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (unsigned)((uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000);
}

/* Whether the compiler of that process writes its library. */
static bool library_begun(pid_t pid) {
    char from[64];
    snprintf(from, sizeof from, "-%ld-", (long)pid);
    DIR *d = opendir(path("lua-units"));
    bool there = false;
    for (struct dirent *e; !there && d && (e = readdir(d));)
        there = strstr(e->d_name, from) && strstr(e->d_name, ".so");
    if (d) closedir(d);
    return there;
}

/* Until then and a little longer, or to its end: the last steps, which are short, are to be met too. */
static void until_library(pid_t pid, unsigned most) {
    for (unsigned t = 0; t < 4 * most && !library_begun(pid); t += 500) {
        siginfo_t ended = {0};
        if (!waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) && ended.si_pid) return;
        usleep(500);
    }
    usleep(roll(most / 6));
}

/* Kills a process that compiles function i at some moment of that time, or every second one while the library comes,
 * the compiler with it or (every third) without; whether it came before the end. */
static bool kill_compile(unsigned i, unsigned most) {
    pid_t pid = fork();
    if (!pid) {
        setpgid(0, 0);
        ThContext *c = context("c");
        make_text(c, i);
        _exit(0);
    }
    setpgid(pid, pid);
    if (i % 2) until_library(pid, most);
    else usleep(roll(most));
    if (i % 3) kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status);
}

/* What the killed ones leave is what those find that come next. */
static void while_compiling(int n) {
    const unsigned begun = microseconds();
    bool compiled = false;
    CHECK(text_answer("c", 0, &compiled) == text_answer("py", 0, NULL));
    const unsigned most = microseconds() - begun;
    int kills = 0, looked = 0, again = 0;
    unsigned i = 1;
    for (; kills < n && i < 4096 && i < 4 * (unsigned)n + 8; i++) {
        if (!kill_compile(i, most)) continue;
        if (++kills % 4) continue; /* the rest of the cache waits for who comes next */
        bool anew = false;
        CHECK(text_answer("c", i, &anew) == text_answer("py", i, NULL));
        looked++, again += anew;
    }
    CHECK(!compiled || kills >= n);
    printf("%d kills of %u compiles, %d compiled again, %d of them anew; ", kills, i - 1, looked, again);
}

static void sweep(const char *at) {
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", at);
    if (system(command)) fprintf(stderr, "  %s is left\n", at);
}

int main(int argc, char **argv) {
    const int saves = argc > 1 ? atoi(argv[1]) : 30, compiles = argc > 2 ? atoi(argv[2]) : saves / 10;
    dice = argc > 3 ? (uint64_t)atoll(argv[3]) : 1;
    snprintf(dir, sizeof dir, "/tmp/theano-kills-XXXXXX");
    if (!mkdtemp(dir)) return 1;
    while_saving(saves);
    while_compiling(compiles);
    sweep(dir);
    return test_done("kills");
}
