/* The frame of the program that spec/support/api_walk.lua makes: what the calls are made with, and processes for them.
 */
#include "theano.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static ThContext *c, *other;
static ThArray *a, *gone, *read_only, *text_like, *foreign_a, *arrays[8];
static ThVar *x, *shared, *constant, *matrix, *integer, *foreign_x, *vars[8], *none[8];
static ThApply *node;
static ThFunction *f;
static ThCall *bound;
static ThRandom *rng;
static ThStream *stream;
static ThRewriteCall *graph;
static const ThType vector = {.dtype = TH_FLOAT64, .ndim = 1};
static int64_t lengths[64], negative[64], huge[64], zeros[64];
static int numbers[64];
static void *room[4096], *outs[64], *nulls[64];
static const char *texts[8] = {"x", "x", "x", "x", "x", "x", "x", "x"};
static char endless[100000];
static ThArg args[8], args_null[8], args_kind[8], args_list[8], args_key[8], args_slice[8], args_deep[64];
static ThIn in, no_in;
static ThOut out, no_out;
static ThPair pair, no_pair;
static ThCompile compile;
static ThRandomState state, bad_state;
static ThNpz npz;

static void make_args(void) {
    for (int i = 0; i < 8; i++) {
        args[i] = (ThArg){.kind = TH_ARG_VAR, .var = x};
        args_null[i] = (ThArg){.kind = i % 2 ? TH_ARG_VAR : i % 4 ? TH_ARG_STR : TH_ARG_ARRAY};
        args_kind[i] = (ThArg){.kind = (ThArgKind)99};
        args_list[i] = (ThArg){.kind = TH_ARG_LIST, .list = {NULL, i % 2 ? 3 : -1}};
        args_key[i] = (ThArg){.kind = TH_ARG_INT, .key = "no such key", .i = INT64_MIN};
        args_slice[i] = (ThArg){.kind = TH_ARG_SLICE, .list = {args, 2}};
    }
    for (int i = 0; i < 64; i++) args_deep[i] = (ThArg){.kind = TH_ARG_LIST, .list = {&args_deep[i + 1], i < 63}};
}

static void make(void) {
    for (int i = 0; i < 64; i++) lengths[i] = 3, negative[i] = -3, huge[i] = INT64_MAX / 2;
    memset(endless, 'x', sizeof endless - 1);
    c = th_context_new(NULL);
    other = th_context_new(NULL);
    th_config_set(c, "linker", "py");
    a = th_array_zeros(c, TH_FLOAT64, 1, lengths);
    gone = th_array_zeros(c, TH_FLOAT64, 1, lengths);
    th_array_free(gone);
    read_only = th_array_zeros(c, TH_FLOAT64, 1, lengths);
    th_array_protect(read_only);
    text_like = th_array_zeros(c, TH_COMPLEX64, 3, lengths);
    foreign_a = th_array_zeros(other, TH_FLOAT64, 1, lengths);
    x = th_variable_new(c, vector, "x");
    shared = th_shared_new(c, a, "s", false, 0);
    constant = th_constant_float(c, 0.5);
    matrix = th_variable_new(c, (ThType){.dtype = TH_COMPLEX64, .ndim = 2}, "m");
    integer = th_variable_new(c, (ThType){.dtype = TH_INT64}, "i");
    foreign_x = th_variable_new(other, vector, "x");
    for (int i = 0; i < 8; i++) vars[i] = x, arrays[i] = a;
    ThVar *y = th_op(c, "exp", 1, x);
    node = th_var_owner(y);
    in = (ThIn){.var = x, .allow_downcast = -1};
    out = (ThOut){.var = y};
    pair = (ThPair){x, y};
    compile = (ThCompile){.in = &in, .nin = 1, .out = &out, .nout = 1, .allow_input_downcast = -1};
    f = th_compile(c, &compile);
    make_args();
    const ThArg given = {.kind = TH_ARG_ARRAY, .array = a};
    bound = th_call_new(f, &given, 1);
    rng = th_random_new(c, 1);
    th_random_get_state(rng, &state);
    bad_state = state;
    bad_state.pos = 99999;
    char path[64];
    snprintf(path, sizeof path, "/tmp/theano-walk-%ld.npy", (long)getpid());
    th_save_npy(c, path, a);
    stream = th_stream_open(c, path, 'n', NULL);
    unlink(path);
    graph = th_fgraph_new(c, &x, 1, &y, 1);
    if (th_error(c) || !f || !bound || !rng || !stream || !graph) {
        printf("the fixture: %s\n", th_error_text(c));
        exit(2);
    }
}

/* A variable of another context is an error wherever it meets this one, a graph or a function; arrays are data. */
static void told(const char *call) {
    const bool meets = strstr(call, "(c,") || strstr(call, "(graph,") || strstr(call, "(f,") || strstr(call, "(x,");
    if (!strstr(call, "foreign_x") || !meets) return;
    printf("%s: takes what is another context's\n", call);
    fflush(stdout);
}

static volatile int *at; /* the call that is being made, seen by both processes */
#define CALL(i, what) \
    if (i > from) { \
        *at = i; \
        name = #what; \
        alarm(20); \
        what; \
        if (!th_error(c) && !th_error(other)) told(name); \
        th_error_clear(c); \
        th_error_clear(other); \
    } \
    if (i == tell) { \
        printf("%s", #what); \
        return; \
    }

#ifndef WALK_ONLY
/* Makes the calls behind number `from`; of number `tell` it only says what it is. In the file that includes this one.
 */
static void walk(int from, int tell);
static const int ncalls;

int main(void) {
    at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    make();
    for (int from = -1, status; from < ncalls - 1; from = *at) {
        fflush(stdout);
        *at = from;
        pid_t pid = fork();
        if (!pid) {
            walk(from, -1);
            _exit(0);
        }
        waitpid(pid, &status, 0);
        if (!status) break;
        walk(ncalls, *at);
        printf(WIFSIGNALED(status) ? ": signal %d\n" : ": exit %d\n",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    printf("%d calls\n", ncalls);
    return 0;
}
#endif
