/*
 * binding.h -- what the files of the Lua binding share. Lua values <-> th_*; the only code that includes lua.h.
 * Every userdata holds one reference; finalizers only drop it and may run in any order. Errors of the engine become Lua
 * errors "file:line: Kind: message" with the first frame outside our own Lua files.
 */
#ifndef LT_BINDING_H
#define LT_BINDING_H

#include "theano.h"

#include <lauxlib.h>
#include <lua.h>

/* What raises a Lua error never returns; Lua's own headers do not say so. `return lt_error(...)` reads well all the
 * same. */
#define LT_NORETURN __attribute__((noreturn))
LT_NORETURN int lua_error(lua_State *L);
LT_NORETURN int luaL_error(lua_State *L, const char *format, ...);
LT_NORETURN int luaL_argerror(lua_State *L, int arg, const char *message);
LT_NORETURN int luaL_typeerror(lua_State *L, int arg, const char *name);

/* clang-format off */
typedef enum {
    LT_ARRAY, LT_VAR, LT_APPLY, LT_FUNCTION, LT_RANDOM, LT_COMPLEX, LT_TYPE, LT_BOUND, LT_STREAM, LT_GRAPH,
    LT_SPARSE, LT_KINDS
} LtKind;
/* clang-format on */

/* A rewrite of the user's while it runs; those that a rewrite's own compilations run lie above it. */
typedef struct LtCall {
    ThRewriteCall *r;
    unsigned long id; /* by which its handles know it: they may outlive it */
    struct LtCall *below;
} LtCall;

/* One per lua_State, in its registry; found through upvalue 1 or lt_state(). */
typedef struct LtState {
    ThContext *ctx;
    int (*asked)(void);         /* whether the process was told to end; NULL: nobody knows */
    bool shared;                /* the host's own, which may have other users */
    bool hosted;                /* or made as the host says: its lines go to the host */
    const void *meta[LT_KINDS]; /* metatables, for fast checks */
    int meta_ref[LT_KINDS];     /* ..and where the registry has them: a number is found faster than an address */
    char *log;                  /* lines logged since the last drain */
    size_t nlog;
    size_t owed, young;         /* collect.c: bytes and number of things made since the last step of the collector.. */
    size_t batch;               /* ..which is to come when they are so many bytes */
    int spare;                  /* arrays that are made before it is asked for a collection once more */
    int heap, wait;             /* Lua's kilobytes after a collection, and how many more there are at the next one */
    struct Pool *pool;          /* the runner's, which tells when arrays go (array.c); NULL: they have finalizers */
    size_t held, most;          /* bytes that userdata hold, and from where on a full collection is to come.. */
    size_t room;                /* ..what dead ones may have at least */
    lua_State *running;         /* who compiles: rewrites of the user's run there */
    LtCall *call;               /* the rewrite being tried, or NULL */
    unsigned long ncalls;       /* rewrites tried so far */
    lua_State *main;            /* the first thread of the Lua state */
    lua_State *entered;         /* the thread that called the engine last: operations in Lua run there.. */
    unsigned long thread;       /* ..if this is its thread */
    struct LtOp *ops;           /* operations written in Lua, to be told when the state closes.. */
    struct LtMonitor *monitors; /* ..and functions of MonitorMode */
    bool tells;                 /* a Lua function wants to see what is built (core.on_build).. */
    int callbacks;              /* ..but not in the middle of the engine's work: how many callbacks are running */
    char home[512];             /* prefix of our own Lua files ("@.../theano/") */
} LtState;

LtState *lt_state(lua_State *L);
/* An userdata of the kind at index i, or NULL. */
void *lt_test(lua_State *L, LtState *s, int i, LtKind kind);
void lt_set_meta(lua_State *L, LtState *s, LtKind kind); /* of the value on top */

/* error.c */
LT_NORETURN int lt_raise(lua_State *L, LtState *s); /* the context's error as a Lua error; clears it */
LT_NORETURN int lt_error(lua_State *L, ThError kind, const char *format, ...); /* an error of the binding itself */
void lt_where(lua_State *L, LtState *s, const char **file,
              int *line);                    /* first frame that is not ours; file NULL: none */
void lt_mark_line(lua_State *L, LtState *s); /* th_set_line to it, and lt_enter */
void lt_enter(lua_State *L, LtState *s);     /* callbacks of what follows run on L */
lua_State *lt_entered(LtState *s);           /* where a callback runs; NULL: not on this thread */
/* The kind that "file:line: Kind: text" or "Kind: text" names; *said: the text behind it. text may be NULL. */
ThError lt_kind_in(const char *text, const char **said);
void lt_drain_log(lua_State *L, LtState *s);
#define LT_CHECK(L, s, p) ((p) ? (void)0 : (void)lt_raise((L), (s)))

const char *lt_push_number(lua_State *L, lua_Number v); /* its text, with a point in every locale; it stays there */
const char *lt_push_text(lua_State *L, int i);          /* of any value, as luaL_tolstring; numbers so */

/* collect.c: before results are made, a step of the collector when one is due */
void lt_collect(lua_State *L, LtState *s);
void lt_collect_between(lua_State *L, LtState *s); /* the same where a call has asked and makes some results */
void lt_collect_init(LtState *s);
/* A new userdata holds so much, alone or with others: returns what lt_let_go is to get. */
size_t lt_hold(LtState *s, size_t bytes, bool alone);
size_t lt_hold_array(LtState *s, ThArray *a);
void lt_let_go(LtState *s, size_t bytes);

/* array.c */
ThArray *lt_array(lua_State *L, LtState *s, int i); /* NULL when not an ndarray */
ThArray *lt_check_array(lua_State *L, LtState *s, int i);
void lt_push_array(lua_State *L, LtState *s, ThArray *a);           /* takes over the reference; raises when NULL */
void lt_push_fresh(lua_State *L, LtState *s, ThArray *a, int meta); /* a dense result of a call, which has asked.. */
void lt_push_element(lua_State *L, LtState *s, ThDtype d, const ThValue *v);
void lt_push_result(lua_State *L, LtState *s, ThArray *a, bool keep_array); /* 0-d as a number; takes over */
ThDtype lt_dtype(lua_State *L, LtState *s, int i, ThDtype absent);          /* nil: absent; raises on unknown names */
int lt_shape(lua_State *L, int i, int64_t shape[TH_MAX_NDIM]); /* table or number -> lengths; returns ndim */
void lt_push_ints(lua_State *L, const int64_t *v, int n);
/* A Lua number, boolean, complex, nested table or ndarray as a new array; dtype NONE: int64, float64 or bool as found.
 */
ThArray *lt_to_array(lua_State *L, LtState *s, int i, ThDtype d);
ThDtype lt_held_dtype(const ThArray *a); /* of integers, whose bounds what is written is held against; else none */
/* A list of floats, or of integers, read at once; NULL: it is something else, or for another dtype. */
ThArray *lt_plain_list(lua_State *L, LtState *s, int i, ThDtype d);

/* ops.c: the n Variables on top of the stack were just built, says the user's Lua function of core.on_build. */
void lt_tell_built(lua_State *L, LtState *s, int n);

/* arg.c: Lua values as ThArg; memory lives on the Lua stack as userdata */
typedef struct LtArgs {
    ThArg *at;
    int n;
} LtArgs;
/* Values first..last, arguments of a function; a trailing table whose keys are all strings gives keywords. */
LtArgs lt_args(lua_State *L, LtState *s, int first, int last, const ThFuncInfo *of);
bool lt_is_keywords(lua_State *L, int i);
/* Where a value stands in what the user gave, for messages: "updates[2]", "argument 1[3][2]". */
typedef struct LtPlace {
    const struct LtPlace *in; /* the list around it, or NULL */
    const char *name;         /* of the outermost one.. */
    int argument;             /* ..or its number, from 1, among the parameters of.. */
    const ThFuncInfo *of;     /* ..this function, or NULL */
    lua_Integer at;           /* of one inside: its number in the list around it */
} LtPlace;
/* Every table of the user's that is read as a list is read up to this: the number of entries of the list at i. Holes,
   keys that are no positions and lists too long for an int raise, naming the place. */
int lt_length(lua_State *L, int i, const LtPlace *where);
int lt_length_of(lua_State *L, int i, const char *name);
void lt_describe(const LtPlace *where, char *text, size_t size);
/* One value, nested tables included. */
void lt_value(lua_State *L, LtState *s, int i, ThArg *out, const LtPlace *where);
/* subscript.c: an index value (number, Variable, ndarray, "1:3, ::-1", table) as a LIST argument, one entry a dimension
 */
void lt_subscript(lua_State *L, LtState *s, int i, ThArg *out);
void lt_subscript_args(lua_State *L, LtState *s, int first, int last, ThArg *out); /* x:sub(...) */

int lt_array_gc(lua_State *L);
/* sparse.c: NULL when not a sparse matrix; lt_push_array pushes those too */
ThArray *lt_sparse(lua_State *L, LtState *s, int i);

/* var.c */
ThVar *lt_var(lua_State *L, LtState *s, int i);
ThVar *lt_check_var(lua_State *L, LtState *s, int i);
void lt_push_var(lua_State *L, LtState *s, ThVar *v);         /* takes over; interned; raises when NULL */
int lt_push_vars(lua_State *L, LtState *s, ThVar **v, int n); /* 1: a table of them, false where NULL; takes over */
void lt_push_apply(lua_State *L, LtState *s, ThApply *a);     /* borrowed */
ThVar *lt_to_var(lua_State *L, LtState *s, int i);            /* Variable, number, ndarray or table -> new reference */
uint32_t lt_pattern(lua_State *L, int i, int *n);             /* {true, false, ..} as a mask of n bits */
void lt_push_type(lua_State *L, LtState *s, ThType t);
ThType *lt_type(lua_State *L, LtState *s, int i);

/* random.c: generators, and states of such as values of variables */
ThRandom *lt_random(lua_State *L, LtState *s, int i); /* NULL: something else */
ThRandom **lt_new_random(lua_State *L, LtState *s);   /* pushed, to be filled */
bool lt_is_state(ThType t);
void lt_push_state(lua_State *L, LtState *s, ThArray *state);                        /* takes over */
void lt_push_value(lua_State *L, LtState *s, ThType t, ThArray *a, bool keep_array); /* of a variable; takes over */

/* fgraph.c: a FunctionGraph in the user's hands, of its own or that of the rewrite `call` */
void lt_push_graph(lua_State *L, LtState *s, const LtCall *call);

/* function.c and call.c: a compiled function's userdata, ready for calls */
typedef struct LtOutput {
    bool keep_array; /* given as an array even when 0-d */
    bool scalar;     /* a Lua number or boolean */
    bool state;      /* of a RandomState */
    bool lent;       /* borrowed: the array of the last call may come again, and then as the same userdata */
    bool dense;      /* none of these, nor a sparse matrix: an array of its own */
    uint8_t dtype;
} LtOutput;
typedef struct LtFunction {
    ThFunction *f;
    size_t held; /* lt_hold's */
    int nin, nout;
    bool named_out;  /* one table comes back; names in user value 1 */
    bool all_arrays; /* a 0-d result is wanted as an array: values are not asked for */
    LtOutput out[];
} LtFunction;
void lt_lend(lua_State *L, const LtFunction *f); /* f on top: user value 3, its lent results, when there are any */
LtFunction *lt_check_function(lua_State *L, LtState *s, int i);
int lt_call_function(lua_State *L); /* __call */

/* what each file adds to the module table on top of the stack; all take the LtState as upvalue 1 */
void lt_open_array(lua_State *L, LtState *s);
void lt_open_index(lua_State *L, LtState *s);
void lt_open_quick(lua_State *L, LtState *s);
void lt_open_counts(lua_State *L, LtState *s);
void lt_open_short(lua_State *L, LtState *s);
void lt_open_device(lua_State *L, LtState *s);
void lt_open_files(lua_State *L, LtState *s);
void lt_open_random(lua_State *L, LtState *s);
void lt_open_sparse(lua_State *L, LtState *s);
void lt_open_generator(lua_State *L, LtState *s);
void lt_open_var(lua_State *L, LtState *s);
void lt_open_shared(lua_State *L, LtState *s);
void lt_open_ops(lua_State *L, LtState *s);
void lt_open_along(lua_State *L, LtState *s);
void lt_open_function(lua_State *L, LtState *s);
void lt_open_sandbox(lua_State *L, LtState *s);
void lt_open_picture(lua_State *L, LtState *s);
void lt_open_mpi(lua_State *L, LtState *s);
void lt_open_prefetch(lua_State *L, LtState *s);
void lt_open_call(lua_State *L, LtState *s);
void lt_open_print(lua_State *L, LtState *s);
void lt_open_config(lua_State *L, LtState *s);
void lt_open_arg(lua_State *L, LtState *s);
void lt_open_derive(lua_State *L, LtState *s);
void lt_open_scan(lua_State *L, LtState *s);
void lt_open_userop(lua_State *L, LtState *s);
void lt_close_userop(LtState *s);
void lt_close_watch(LtState *s);
void lt_close_rewrite(lua_State *L, LtState *s);
void lt_open_rewrite(lua_State *L, LtState *s);
void lt_open_graph(lua_State *L, LtState *s);
void lt_open_watch(lua_State *L, LtState *s);
/* Registers functions with the state as upvalue 1 into the table on top. */
void lt_register(lua_State *L, LtState *s, const luaL_Reg *fns);
/* New metatable of a kind, named; fns with the state as upvalue; leaves it on the stack. */
void lt_new_meta(lua_State *L, LtState *s, LtKind kind, const char *name, const luaL_Reg *fns);
/* error.c: lauxlib's checks, raising a TypeError with the user's line as every other error of ours does. */
const char *lt_checklstring(lua_State *L, int i, size_t *n);
const char *lt_optstring(lua_State *L, int i, const char *absent);
lua_Integer lt_checkinteger(lua_State *L, int i);
lua_Number lt_checknumber(lua_State *L, int i);
lua_Number lt_optnumber(lua_State *L, int i, lua_Number absent);
void lt_checktype(lua_State *L, int i, int type);
#undef luaL_checkstring
#undef luaL_optstring
#define luaL_checkstring(L, i) lt_checklstring((L), (i), NULL)
#define luaL_checklstring lt_checklstring
#define luaL_optstring lt_optstring
#define luaL_checkinteger lt_checkinteger
#define luaL_checknumber lt_checknumber
#define luaL_optnumber lt_optnumber
#define luaL_checktype lt_checktype
#define luaL_checkany(L, i) (lua_isnone((L), (i)) ? (void)lt_wrong((L), (i), "a value") : (void)0)
int lt_wrong(lua_State *L, int i, const char *wanted); /* raises: argument i is none of those */
void lt_most(lua_State *L, int most); /* raises when something stands behind so many arguments (nil is nothing) */
#define LT_STATE(L) ((LtState *)lua_touserdata((L), lua_upvalueindex(1)))

int luaopen_theano_core(lua_State *L);

#endif
