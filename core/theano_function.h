/*
 * theano_function.h -- the part of theano.h, which includes it, about compiled functions: bound calls, files. The rules
 * of theano.h hold.
 */
#ifndef THEANO_FUNCTION_H
#define THEANO_FUNCTION_H

/*
 * A function bound to arguments: checked once, called on the same memory ever after. The arguments' memory is pinned
 * (th_array_free raises), their contents may change; results are overwritten at every call. It carries the error of its
 * last run, so that callers on several threads, each with a ThCall, do not see each other's; one thread at a time.
 */
typedef struct ThCall ThCall;
TH_API ThCall *th_call_new(ThFunction *f, const ThArg *args, int nargs); /* runs nothing; NULL: the context's error */
/* Nonzero: it failed and th_call_error says why; -1: it did not run (a call of it is at work: the context's error). */
TH_API int th_call_run(ThCall *b);
enum { TH_CALL_DONE = 0, TH_CALL_FAILED = 1, TH_CALL_MORE = 2 };
/*
 * The same in slices: runs for about so many microseconds (and to the end of the step at work) and gives TH_CALL_MORE,
 * until a later call ends it. Shared variables stay locked in between. -1: as above, or no memory.
 */
TH_API int th_call_step(ThCall *b, int64_t microseconds);
TH_API ThError th_call_error(const ThCall *b); /* TH_OK: none */
TH_API const char *th_call_error_text(const ThCall *b);
/* Result i, borrowed: the same array after every call unless its shape changed; *turn (may be NULL) counts changes. */
TH_API ThArray *th_call_output(ThCall *b, int i, unsigned *turn);
/*
 * Bytes of memory that runs of b use beside its arguments, constants, shareds and results: temporaries, working memory
 * of steps; of b as it is bound, before it runs and after that alike. -1 with the call's error: lengths that only a run
 * tells, or what th_call_run would raise.
 */
TH_API int64_t th_workspace_bytes(ThCall *b);
/*
 * From now on that memory is the host's: `bytes` at `memory`, aligned by 64, which stay until b is released or is given
 * another piece (NULL: the engine's own again). Nonzero: they are fewer than th_workspace_bytes says.
 */
TH_API int th_call_arena(ThCall *b, void *memory, size_t bytes);
/*
 * From now on result i is written to the host's memory, in C order and aligned by its elements, and is the array that
 * th_call_output gives; NULL: the engine's own again. A run whose result takes more than `bytes` fails. Where it can
 * the function computes it there; what lies in an argument or a shared variable is copied.
 */
TH_API int th_call_into(ThCall *b, int i, void *memory, size_t bytes);
/*
 * A run on another thread (ThHost.later); done, which may be NULL, is told there what th_call_run would have given, and
 * may start the next. -1: it did not begin, as for th_call_run. Until done has returned b is at work: other runs of it
 * are refused, th_call_wait and th_call_release wait (but within done itself).
 */
TH_API int th_call_start(ThCall *b, void (*done)(void *user, ThCall *b, int bad), void *user);
TH_API int th_call_wait(ThCall *b); /* until it is not at work; what its last run gave */
TH_API void th_call_release(ThCall *b);

/*
 * A function as bytes, and back: its optimized graph, constants, values of its shareds and defaults, and what it was
 * asked for; docs/saved-models.md says how they are laid out. Nothing in them is executed. They may come from anywhere:
 * a ValueError says what is wrong with them. Loading rewrites nothing; inputs, defaults and shareds are the new
 * function's own. note: a text of the host's that is kept with it, or NULL. NotImplementedError for operations of the
 * host's. bytes: to be given back by th_free.
 */
TH_API int th_function_save(ThFunction *f, const char *note, void **bytes, size_t *n);
/* what: what messages call them, NULL: "model". *note (may be NULL): lives as long as the context; NULL: none. */
TH_API ThFunction *th_load(ThContext *c, const void *bytes, size_t n, const char *what, const char **note);
TH_API int th_function_save_file(ThFunction *f, const char *path, const char *note);
TH_API ThFunction *th_load_file(ThContext *c, const char *path, const char **note);

/*
 * A function as a C99 program of its own: NAME.c, NAME.h, NAME_test.c, CMakeLists.txt (docs/export.md). The examples,
 * by input (NULL: its default), tell the lengths that the program has; the test calls with them. NotImplementedError
 * names what cannot be written, before there is a file.
 */
typedef struct ThExport {
    const char *name; /* what all names of the program begin with */
    const char *dir;  /* NULL: where the process is */
    ThArray *const *example;
    int nexample;
    const char *const *result_names; /* of the call's parameters; NULL: names of the expressions */
    int nresult_names;
    bool bounded; /* the examples' lengths are the largest: each call tells those of its arguments */
    bool lua;     /* NAME_lua.c too: a module for Lua 5.3 and later that needs no engine */
} ThExport;
TH_API int th_function_export(ThFunction *f, const ThExport *how);

#endif
