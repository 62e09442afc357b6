/*
 * The frame of the program that spec/support/api_walk.lua makes of random calls: handles by kind, which calls bring and
 * take, and a process for each sequence. In the file that includes this one: play(), one call of many.
 */
#define WALK_ONLY
#include "api_walk.h"

static uint64_t dice;
static unsigned roll(unsigned n) {
    dice += 0x9e3779b97f4a7c15ull;
    uint64_t z = dice;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (unsigned)((z ^ z >> 31) >> 32) % n;
}

/* Handles that the program holds one reference each of; a new one takes the place of an old one when it is full. */
enum { MOST = 12 };
#define POOL(Type, what, end) \
    static Type *what##_pool[MOST]; \
    static void keep_##what(Type *p) { \
        Type **to = &what##_pool[roll(MOST)]; \
        if (!p) return; \
        end(*to); \
        *to = p; \
    } \
    static Type *any_##what(void) { return what##_pool[roll(MOST)]; } \
    static void end_##what(void) { \
        Type **to = &what##_pool[roll(MOST)]; \
        end(*to); \
        *to = NULL; \
    }
POOL(ThArray, array, th_array_release)
POOL(ThVar, var, th_var_release)
POOL(ThApply, apply, th_apply_release)
POOL(ThFunction, function, th_function_release)
POOL(ThCall, call, th_call_release)
POOL(ThRandom, random, th_random_release)
POOL(ThStream, stream, th_stream_release)
POOL(ThWatch, watch, th_watch_release)
POOL(ThRewriteCall, graph, th_fgraph_free)

/* What calls of lists read: handles of now, NULL now and then, and of another context. */
static void refill(void) {
    for (int i = 0; i < 8; i++) {
        vars[i] = roll(8) ? any_var() : roll(2) ? foreign_x : x;
        arrays[i] = roll(8) ? any_array() : roll(2) ? foreign_a : a;
        const int kind = (int)roll(8);
        args[i] = (ThArg){.kind = TH_ARG_VAR, .var = vars[i]};
        if (kind == 0) args[i] = (ThArg){.kind = TH_ARG_ARRAY, .array = arrays[i]};
        if (kind == 1) args[i] = (ThArg){.kind = TH_ARG_INT, .i = (int)roll(5) - 2};
        if (kind == 2) args[i] = (ThArg){.kind = TH_ARG_NONE};
        if (kind == 3) args[i] = (ThArg){.kind = TH_ARG_LIST, .list = {args, (int)roll((unsigned)i + 1)}};
        lengths[i] = roll(12) ? (int64_t)roll(5) : (int64_t)roll(9) - 4;
        numbers[i] = (int)roll(9) - 4;
    }
    in = (ThIn){
        .var = any_var(), .allow_downcast = (int8_t)((int)roll(3) - 1), .mutable_ = !roll(4), .value = any_array()};
    if (roll(2)) in.value = NULL;
    out = (ThOut){.var = any_var(), .borrow = !roll(2)};
    pair = (ThPair){any_var(), any_var()};
    compile = (ThCompile){.in = &in,
                          .nin = roll(4) != 0,
                          .out = &out,
                          .nout = 1,
                          .allow_input_downcast = -1,
                          .on_unused_input = "ignore",
                          .updates = &pair,
                          .nupdates = !roll(3),
                          .givens = &pair,
                          .ngivens = !roll(6)};
}

static void play(unsigned which);
static const unsigned nplays;

static void begin(uint64_t seed) {
    dice = seed;
    keep_array(th_array_retain(a)), keep_array(th_array_retain(text_like)), keep_array(th_array_retain(read_only));
    keep_var(th_var_retain(x)), keep_var(th_var_retain(shared)), keep_var(th_var_retain(matrix));
    keep_var(th_var_retain(integer)), keep_var(th_var_retain(constant));
    keep_function(th_function_retain(f));
    const ThArg given = {.kind = TH_ARG_ARRAY, .array = a};
    keep_call(th_call_new(f, &given, 1));
    keep_random(th_random_new(c, 1));
    keep_graph(th_fgraph_new(c, &x, 1, &x, 1));
}

static void finish(void) {
    for (int i = 0; i < 40; i++) {
        end_call(), end_function(), end_graph(), end_watch(), end_stream(), end_random(), end_apply(), end_var();
        end_array();
    }
    for (int i = 0; i < MOST; i++) {
        th_call_release(call_pool[i]), th_function_release(function_pool[i]), th_fgraph_free(graph_pool[i]);
        th_watch_release(watch_pool[i]), th_stream_release(stream_pool[i]), th_random_release(random_pool[i]);
        th_apply_release(apply_pool[i]), th_var_release(var_pool[i]), th_array_release(array_pool[i]);
    }
}

/* api_random FIRST COUNT CALLS [-v]: sequences of so many calls, each in a process of its own. */
int main(int argc, char **argv) {
    const long first = argc > 1 ? atol(argv[1]) : 1, n = argc > 2 ? atol(argv[2]) : 100;
    const long calls = argc > 3 ? atol(argv[3]) : 200;
    volatile int *last = mmap(NULL, sizeof *last, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int bad = 0, status;
    at = last;
    make();
    for (long seed = first; seed < first + n; seed++) {
        fflush(stdout);
        pid_t pid = fork();
        if (!pid) {
            begin((uint64_t)seed);
            for (long i = 0; i < calls; i++) {
                refill();
                *last = (int)i;
                alarm(20);
                if (argc > 4) fprintf(stderr, "%ld: ", i);
                play(roll(nplays));
                if (roll(3)) th_error_clear(c); /* at times the next ones find an error that is there */
                th_error_clear(other);
                th_context_deadline(c, 0);
            }
            finish();
            _exit(0);
        }
        waitpid(pid, &status, 0);
        if (!status) continue;
        printf("seed %ld ends at call %d: %s %d\n", seed, *last, WIFSIGNALED(status) ? "signal" : "exit",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        bad++;
    }
    printf("%ld sequences, %d bad\n", n, bad);
    return bad != 0;
}
