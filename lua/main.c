/*
 * main.c -- the runner: theano script.lua args.., theano -e text, theano - (standard input), theano -i. Lua with the
 * engine inside, the tree's modules on package.path beside Lua's own, flags from .theanorc and THEANO_FLAGS read by
 * `require "theano"`. Exit codes: 0; 1 an error in the script; 2 wrong usage; 130 after Ctrl-C.
 */
#include "binding.h"
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

/* theano.catch_interrupt(true): Ctrl-C and SIGTERM only set what theano.interrupted() reads, so a training loop can
 * save and end; a second one kills. */
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
        catching = on;
        if (on) asked = 0;
    }
    lua_pushboolean(L, was);
    return 1;
}

static int interrupted(lua_State *L) { /* interrupted() -> whether, and by which signal */
    lua_pushboolean(L, asked);
    lua_pushinteger(L, asked);
    return 2;
}

static int isatty_(lua_State *L) { /* isatty("stdout" | "stderr" | "stdin") */
    const char *n = luaL_checkstring(L, 1);
    lua_pushboolean(L, isatty(!strcmp(n, "stdin") ? 0 : !strcmp(n, "stderr") ? 2 : 1));
    return 1;
}

static int open_core(lua_State *L) {
    luaopen_theano_core(L);
    engine = lt_state(L)->ctx;
    static const luaL_Reg fns[] = {
        {"catch_interrupt", catch_interrupt}, {"interrupted", interrupted}, {"isatty", isatty_}, {NULL, NULL}};
    luaL_setfuncs(L, fns, 0);
    terminal_open(L);
    return 1;
}

/* ---- modules that the build has compiled (scripts/precompile) ---- */
/* The whole file at `path` on the stack, or nothing and false. */
static bool push_file(lua_State *L, const char *path) {
    FILE *f = fopen(path, "rb");
    luaL_Buffer b;
    size_t n = 0;
    if (!f) return false;
    luaL_buffinit(L, &b);
    do {
        n = fread(luaL_prepbuffer(&b), 1, LUAL_BUFFERSIZE, f);
        luaL_addsize(&b, n);
    } while (n == LUAL_BUFFERSIZE);
    fclose(f);
    luaL_pushresult(&b);
    return true;
}

/* Pushes the path of theano.NAME's text, the text, and the code made of it: of the tree, else of what is installed. */
static bool push_module(lua_State *L, const char *name) {
    lua_pushfstring(L, TH_TREE_LUA "/theano/%s.lua", name);
    if (push_file(L, lua_tostring(L, -1))) return push_file(L, lua_pushfstring(L, TH_COMPILED_LUA "/%s.luac", name));
    lua_pop(L, 1);
    return push_file(L, lua_pushfstring(L, TH_INSTALLED_LUA "/theano/%s.lua", name)) &&
           push_file(L, lua_pushfstring(L, TH_INSTALLED_LUA "/theano/compiled/%s.luac", name));
}

/* The path of theano.NAME, other things, and on top Lua's code made from the very text that stands there now; or false.
 */
static bool push_compiled(lua_State *L, const char *name) {
    int path = lua_gettop(L) + 1; /* and its text behind it */
    if (strchr(name, '.') || !push_module(L, name)) return false;
    size_t ntext, n;
    const char *text = lua_tolstring(L, path + 1, &ntext), *code = lua_tolstring(L, -1, &n);
    uint64_t kept = 0;
    for (int i = 7; i >= 0 && n >= 8; i--) kept = kept << 8 | (unsigned char)code[i];
    if (n < 8 + ntext || kept != ntext || memcmp(code + 8, text, ntext) != 0) return false;
    return luaL_loadbufferx(L, code + 8 + ntext, n - 8 - ntext, lua_tostring(L, path), "b") == LUA_OK; /* this Lua's */
}

/* The text of theano.NAME as a function and where it stands, by its whole path: of the tree, else of what is
 * installed. 0: there is none. */
static int push_text(lua_State *L, const char *name) {
    static const char *const forms[] = {TH_TREE_LUA "/theano/%s.lua", TH_TREE_LUA "/theano/%s/init.lua",
                                        TH_INSTALLED_LUA "/theano/%s.lua", TH_INSTALLED_LUA "/theano/%s/init.lua"};
    const char *inner = luaL_gsub(L, name, ".", "/");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const char *path = lua_pushfstring(L, forms[i], inner);
        if (access(path, R_OK) != 0) continue;
        if (luaL_loadfile(L, path) != LUA_OK) return lua_error(L);
        lua_pushstring(L, path);
        return 2;
    }
    return 0;
}

/* require's searcher for our own modules. */
static int find_module(lua_State *L) {
    const char *name = luaL_checkstring(L, 1);
    if (strncmp(name, "theano", 6) != 0 || (name[6] && name[6] != '.') || strchr(name, '/')) return 0;
    name = name[6] ? name + 7 : "init";
    if (!strcmp(name, "core")) return 0;
    lua_settop(L, 1);
    if (push_compiled(L, name)) {
        lua_pushvalue(L, 2);
        return 2;
    }
    lua_settop(L, 1);
    return push_text(L, name);
}

/* Before the searcher of files. */
static void add_searcher(lua_State *L) {
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "searchers");
    for (lua_Integer i = luaL_len(L, -1); i >= 2; i--) {
        lua_rawgeti(L, -1, i);
        lua_rawseti(L, -2, i + 1);
    }
    lua_pushcfunction(L, find_module);
    lua_rawseti(L, -2, 2);
    lua_pop(L, 2);
}

/* Our folder before Lua's own places; 5.1 folders last, for pure-Lua tools that Debian files there (busted, penlight).
 */
static void set_paths(lua_State *L) {
    const char *lua = access(TH_TREE_LUA "/theano/init.lua", R_OK) == 0 ? TH_TREE_LUA : TH_INSTALLED_LUA;
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "path");
    lua_pushfstring(L, "%s/?.lua;%s/?/init.lua;%s;/usr/share/lua/5.1/?.lua;/usr/share/lua/5.1/?/init.lua", lua, lua,
                    lua_tostring(L, -1));
    lua_setfield(L, -3, "path");
    lua_pop(L, 1);
    lua_getfield(L, -1, "preload");
    lua_pushcfunction(L, open_core);
    lua_setfield(L, -2, "theano.core");
    lua_pop(L, 2);
}

static int traceback(lua_State *L) {
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

static int run(lua_State *L, int status, char **argv, int argc, int first) {
    if (status != LUA_OK) return fail(L);
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
    if (argc > 2) code = run(L, luaL_loadfile(L, argv[2]), argv, argc, 3);
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
    set_paths(L);
    add_searcher(L);
    state = L;
    signal(SIGINT, on_interrupt);
    if (!strcmp(argv[1], "-e")) {
        if (argc < 3) return usage(stderr, 2);
        set_arg(L, argv, argc, 2);
        return run(L, luaL_loadbuffer(L, argv[2], strlen(argv[2]), "=(command line)"), argv, argc, 3);
    }
    if (!strcmp(argv[1], "-i")) return interactive(L, argc, argv);
    if (is_command(argv[1])) return command(L, argc, argv);
    set_arg(L, argv, argc, 1);
    return run(L, luaL_loadfile(L, strcmp(argv[1], "-") ? argv[1] : NULL), argv, argc, 2);
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
    Pool pool = {0};
    Warnings warnings = {0};
    lua_State *L = lua_newstate(pool_alloc, &pool);
    if (!L) {
        fputs("theano: out of memory\n", stderr);
        return 1;
    }
    lua_atpanic(L, on_panic);
    lua_setwarnf(L, on_warning, &warnings);
    int code = with_state(L, argc, argv);
    engine = NULL;
    signal(SIGINT, SIG_DFL);
    terminal_close();
    lua_close(L);
    pool_free(&pool);
    return code;
}
