/*
 * main.c -- the runner: theano script.lua args.., theano -e text, theano - (standard input), theano -i. Lua with the
 * engine inside, our modules on package.path beside Lua's own (modules.c), flags from .theanorc and THEANO_FLAGS read
 * by `require "theano"`. Exit codes: 0; 1 an error in the script; 2 wrong usage; 130 after Ctrl-C.
 */
#include "binding.h"
#include "modules.h"
#include "pool.h"
#include "terminal.h"

#include <lualib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
/* More than there is is asked for on purpose, by the specs of what happens then. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }
#endif

static lua_State *state; /* for the signal handler: one process, one state */
static ThContext *engine;

static void stop_lua(lua_State *L, lua_Debug *ar) {
    (void)ar;
    lua_sethook(L, NULL, 0, 0);
    luaL_error(L, "Interrupted: stopped by Ctrl-C");
}

/* Both calls only store flags, as in Lua's own interpreter. NOLINTBEGIN(bugprone-signal-handler) */
static void on_interrupt(int sig) {
    signal(sig, SIG_DFL); /* a second one kills */
    if (engine) th_interrupt(engine);
    lua_sethook(state, stop_lua, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}
/* NOLINTEND(bugprone-signal-handler) */

/* theano.catch_interrupt(true): Ctrl-C, SIGTERM and the end of the terminal only set what theano.interrupted() reads,
 * so a training loop can save and end; a second one kills. */
static volatile sig_atomic_t asked;
static bool catching;
static void on_ask(int sig) {
    if (asked) {
        signal(sig, SIG_DFL);
        raise(sig);
    }
    asked = sig;
}

static int catch_interrupt(lua_State *L) { /* catch_interrupt(on) -> whether it was on: then nothing changes */
    bool on = lua_toboolean(L, 1), was = catching;
    if (on != was) {
        signal(SIGINT, on ? on_ask : on_interrupt);
        signal(SIGTERM, on ? on_ask : SIG_DFL);
        if (signal(SIGHUP, on ? on_ask : SIG_DFL) == SIG_IGN) signal(SIGHUP, SIG_IGN); /* nohup */
        catching = on;
        if (on) asked = 0;
    }
    lua_pushboolean(L, was);
    return 1;
}

/* outlive_reader(): whoever reads what is printed may go; nothing is printed then, and the run goes on. */
static int outlive_reader(lua_State *L) {
    (void)L;
    signal(SIGPIPE, SIG_IGN);
    return 0;
}

static int interrupted(lua_State *L) { /* interrupted() -> whether, and by which signal */
    lua_pushboolean(L, asked);
    lua_pushinteger(L, asked);
    return 2;
}

static int was_asked(void) { return asked; }

static int isatty_(lua_State *L) { /* isatty("stdout" | "stderr" | "stdin") */
    const char *n = luaL_checkstring(L, 1);
    lua_pushboolean(L, isatty(!strcmp(n, "stdin") ? 0 : !strcmp(n, "stderr") ? 2 : 1));
    return 1;
}

static int open_core(lua_State *L) {
    luaopen_theano_core(L);
    engine = lt_state(L)->ctx;
    lt_state(L)->asked = was_asked;
    static const luaL_Reg fns[] = {{"catch_interrupt", catch_interrupt},
                                   {"interrupted", interrupted},
                                   {"isatty", isatty_},
                                   {"outlive_reader", outlive_reader},
                                   {NULL, NULL}};
    luaL_setfuncs(L, fns, 0);
    terminal_open(L);
    return 1;
}

static void preload_core(lua_State *L) {
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "preload");
    lua_pushcfunction(L, open_core);
    lua_setfield(L, -2, "theano.core");
    lua_pop(L, 2);
}

/* Python's True is nil where Lua is read, and an option that is nil was not given: `keepdims = True` would keep nothing
 * and nobody would hear of it. */
static int missing_global(lua_State *L) {
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    if (!strcmp(name, "True") || !strcmp(name, "False"))
        return luaL_error(L, "%s is %s in Lua", name, name[0] == 'T' ? "true" : "false");
    return 0;
}

static void watch_names(lua_State *L) {
    lua_pushglobaltable(L);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, missing_global);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

/* The message on top with what theano.hints has to say about it behind; as it is where that goes wrong. */
static void explain(lua_State *L, const char *text, const char *path) {
    int top = lua_gettop(L);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "theano.hints");
    if (lua_pcall(L, 1, 1, 0) == LUA_OK && lua_istable(L, -1)) {
        lua_getfield(L, -1, "explain");
        lua_pushvalue(L, top);
        lua_pushstring(L, text);
        lua_pushstring(L, path);
        if (lua_pcall(L, 3, 1, 0) == LUA_OK && lua_isstring(L, -1)) lua_replace(L, top);
    }
    lua_settop(L, top);
}

static int traceback(lua_State *L) {
    if (lua_type(L, 1) == LUA_TSTRING && lua_gettop(L) == 1) explain(L, NULL, NULL);
    const char *m = lua_tostring(L, 1);
    if (!m && luaL_callmeta(L, 1, "__tostring")) m = lua_tostring(L, -1);
    if (!m) m = lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
    luaL_traceback(L, L, m, 1);
    return 1;
}

static void set_arg(lua_State *L, char **argv, int argc, int script) {
    lua_createtable(L, argc, 2);
    for (int i = 0; i < argc; i++) {
        lua_pushstring(L, argv[i]);
        lua_rawseti(L, -2, i - script);
    }
    lua_setglobal(L, "arg");
}

static int fail(lua_State *L) {
    const char *m = lua_tostring(L, -1);
    fprintf(stderr, "theano: %s\n", m ? m : "error without a message");
    return m && strstr(m, "Interrupted:") ? 130 : 1;
}

/* Runs the function on top. Where reading it failed: `text` is what was read, NULL where that is the file argv names.
 */
static int run(lua_State *L, int status, const char *text, char **argv, int argc, int first) {
    if (status != LUA_OK) {
        explain(L, text, argv[first - 1]);
        return fail(L);
    }
    lua_pushcfunction(L, traceback);
    lua_insert(L, -2);
    int n = argc - first;
    luaL_checkstack(L, n + 4, "too many arguments to script");
    for (int i = first; i < argc; i++) lua_pushstring(L, argv[i]);
    return lua_pcall(L, n > 0 ? n : 0, 0, -(n > 0 ? n : 0) - 2) == LUA_OK ? 0 : fail(L);
}

static int usage(FILE *f, int code) {
    fputs("usage: theano script.lua [args]   run a script (- reads standard input)\n"
          "       theano -e TEXT [args]      run Lua text\n"
          "       theano -i [script [args]]  run a script if there is one, then read lines and show what they give\n"
          "       theano run script.lua [args]     run it in a folder of its own that keeps what it was and gave\n"
          "       theano top script.lua [args]     run it under a live table of its functions: calls a second, time\n"
          "       theano sweep|runs|plot|report    many runs; lists, curves and pages of them (theano sweep --help)\n"
          "       theano doctor|cache|bench        what is there on this machine; compiled code; how fast it is\n"
          "       theano completion bash           words for the shell: eval \"$(theano completion bash)\"\n"
          "       theano -v | -h             version, this help\n"
          "THEANO_FLAGS=\"floatX=float32,mode=FAST_RUN\" and ~/.theanorc set flags.\n",
          f);
    return code;
}

/* `theano run ..` and the others: theano.runner does them, and says with which code to end. */
static bool is_command(const char *word) {
    static const char *const names[] = {"run",   "sweep", "runs",       "plot", "report", "doctor",
                                        "cache", "bench", "completion", "top",  NULL};
    for (int i = 0; names[i]; i++)
        if (!strcmp(names[i], word)) return true;
    return false;
}

static int command(lua_State *L, int argc, char **argv) {
    set_arg(L, argv, argc, 0);
    lua_pushcfunction(L, traceback);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "theano.runner");
    if (lua_pcall(L, 1, 1, 1) != LUA_OK) return fail(L);
    lua_getfield(L, -1, "main");
    luaL_checkstack(L, argc, "too many arguments");
    for (int i = 1; i < argc; i++) lua_pushstring(L, argv[i]);
    if (lua_pcall(L, argc - 1, 1, 1) != LUA_OK) return fail(L);
    return (int)lua_tointeger(L, -1);
}

/* The session reads lines after the script, also after one that failed: its exit code stays the session's. */
static int interactive(lua_State *L, int argc, char **argv) {
    int code = 0;
    set_arg(L, argv, argc, argc > 2 ? 2 : 0);
    if (argc > 2) code = run(L, luaL_loadfile(L, argv[2]), NULL, argv, argc, 3);
    lua_settop(L, 0);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "theano.repl");
    if (lua_pcall(L, 1, 1, 0) != LUA_OK) return fail(L);
    lua_getfield(L, -1, "start");
    if (lua_pcall(L, 0, 0, 0) != LUA_OK) return fail(L);
    return code;
}

/* warn() as in Lua's own interpreter: off until "@on". */
typedef struct Warnings {
    bool on, more;
} Warnings;

static void on_warning(void *user, const char *text, int more) {
    Warnings *w = user;
    if (!w->more && !more && *text == '@') {
        if (!strcmp(text, "@on")) w->on = true;
        else if (!strcmp(text, "@off")) w->on = false;
        return;
    }
    if (w->on) fprintf(stderr, "%s%s%s", w->more ? "" : "Lua warning: ", text, more ? "" : "\n");
    w->more = more;
}

static int on_panic(lua_State *L) {
    fail(L);
    return 0; /* and Lua ends the process */
}

static int with_state(lua_State *L, int argc, char **argv) {
    luaL_openlibs(L);
    lua_gc(L, LUA_GCGEN, 0, 0); /* results of calls die young */
    modules_open(L);
    preload_core(L);
    watch_names(L);
    state = L;
    signal(SIGINT, on_interrupt);
    if (!strcmp(argv[1], "-e")) {
        if (argc < 3) return usage(stderr, 2);
        set_arg(L, argv, argc, 2);
        return run(L, luaL_loadbuffer(L, argv[2], strlen(argv[2]), "=(command line)"), argv[2], argv, argc, 3);
    }
    if (!strcmp(argv[1], "-i")) return interactive(L, argc, argv);
    if (is_command(argv[1])) return command(L, argc, argv);
    set_arg(L, argv, argc, 1);
    return run(L, luaL_loadfile(L, strcmp(argv[1], "-") ? argv[1] : NULL), NULL, argv, argc, 2);
}

int main(int argc, char **argv) {
    if (argc < 2) return usage(stderr, 2);
    if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) return usage(stdout, 0);
    if (!strcmp(argv[1], "-v") || !strcmp(argv[1], "--version"))
        return printf("theano %s (%s)\n", th_version(), LUA_RELEASE) < 0;
    if (argv[1][0] == '-' && argv[1][1] && strcmp(argv[1], "-e") && strcmp(argv[1], "-i")) {
        fprintf(stderr, "theano: unknown option %s\n", argv[1]);
        return usage(stderr, 2);
    }
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN); /* a file at its limit (ulimit -f) is a write that fails */
#endif
    Pool pool = {0};
    Warnings warnings = {0};
    lua_State *L = lua_newstate(pool_alloc, &pool);
    if (!L) {
        fputs("theano: out of memory\n", stderr);
        return 1;
    }
    lua_atpanic(L, on_panic);
    lua_pushlightuserdata(L, &pool); /* array.c asks it to tell when arrays go */
    lua_setfield(L, LUA_REGISTRYINDEX, "theano.pool");
    lua_setwarnf(L, on_warning, &warnings);
    int code = with_state(L, argc, argv);
    engine = NULL;
    signal(SIGINT, SIG_DFL);
    terminal_close();
    lua_close(L);
    pool_free(&pool);
    return code;
}
