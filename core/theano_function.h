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
 * The same with more to say: machine code of the function's unit beside its graph, for levels of x86-64, and a
 * signature of the whole file (HMAC-SHA256). Code is the one thing in a file that can be executed: it is loaded only
 * where a key allows it (ThLoad.native, ThHost.native_key) and the file's signature holds for that key; and only where
 * this library would write the same C for the function. Otherwise, and on other processors, the function is built or
 * interpreted as any. CompileError where there is no compiler that makes such code.
 */
typedef struct ThSave {
    size_t size;               /* see ThHost.size */
    const char *path;          /* a file to write; NULL: bytes */
    const char *note;          /* as above */
    const char *const *native; /* levels: "x86-64-v2", "x86-64-v3", "x86-64-v4" */
    int nnative;
    const void *key; /* signs the file; NULL: it is not signed, which it must be where it carries code */
    size_t key_bytes;
} ThSave;
/* bytes, n: NULL where there is a path. */
TH_API int th_model_save(ThFunction *f, const ThSave *how, void **bytes, size_t *n);
typedef struct ThLoad {
    size_t size;      /* see ThHost.size */
    const char *path; /* a file to read, or NULL and the bytes */
    const void *bytes;
    size_t nbytes;
    const char *what; /* as above */
    /* A key: the file must be signed with it (ValueError), and its machine code may be run. Refused in a sealed
     * context, where the host's own is the only one (RuntimeError). */
    const void *native;
    size_t native_bytes;
} ThLoad;
TH_API ThFunction *th_model_load(ThContext *c, const ThLoad *how, const char **note);

/*
 * A function as a C99 program of its own: NAME.c, NAME.h, NAME_test.c, CMakeLists.txt (docs/export.md). The examples,
 * by input (NULL: its default), tell the lengths that the program has; the test calls with them. NotImplementedError
 * names what cannot be written, and IOError a file of another hand that stands in its place, before there is a file.
 */
typedef struct ThExport {
    size_t size;      /* see ThHost.size */
    const char *name; /* what all names of the program begin with */
    const char *dir;  /* NULL: where the process is */
    ThArray *const *example;
    int nexample;
    const char *const *result_names; /* of the call's parameters; NULL: names of the expressions */
    int nresult_names;
    bool bounded;   /* the examples' lengths are the largest: each call tells those of its arguments */
    bool lua;       /* NAME_lua.c too: a module for Lua 5.3 and later that needs no engine */
    bool weights;   /* constants, shared variables and defaults in NAME.weights, which the program reads */
    bool overwrite; /* files of these names are replaced, whoever wrote them; else only those of an export */
} ThExport;
TH_API int th_function_export(ThFunction *f, const ThExport *how);

#endif
