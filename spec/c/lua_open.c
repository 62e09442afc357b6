/*
 * lua_open.c -- a program that opens the engine in its Lua state as it wants it: with its own allocator, log, files and
 * flags, with a context of its own; what scripts keep by name, and sandboxes.
 */
#include "theano_lua.h"

#include <lualib.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
#define CHECK(x) ((x) ? (void)0 : (void)(failures++, fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #x)))

static lua_State *state(void) {
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    CHECK(!luaL_dostring(L, "package.path = '" TH_TREE_LUA "/?.lua;" TH_TREE_LUA "/?/init.lua;' .. package.path\n"
                            "package.cpath = '" TH_BUILD_LUA "/?.so;' .. package.cpath\n"));
    return L;
}

static bool said(lua_State *L, int status, const char *words) {
    const char *text = status ? lua_tostring(L, -1) : NULL;
    bool yes = text && strstr(text, words);
    if (!yes) fprintf(stderr, "  said: %s\n", text ? text : "nothing");
    lua_settop(L, 0);
    return yes;
}

static int run(lua_State *L, const char *script) { return luaL_dostring(L, script); }

typedef struct Host {
    long long live;
    int lines, asked;
} Host;

static void *alloc(void *user, void *old, size_t old_size, size_t size, size_t align) {
    Host *h = user;
    void *p = NULL;
    h->live += (long long)size - (long long)old_size;
    if (size && !(p = aligned_alloc(align, (size + align - 1) / align * align))) return NULL;
    if (p && old) memcpy(p, old, old_size < size ? old_size : size);
    free(old);
    return p;
}

static void line(void *user, const char *text) {
    (void)text;
    ((Host *)user)->lines++;
}

static int file(void *user, ThFile *f) {
    Host *h = user;
    h->asked++;
    return f->use != 'r' && f->use != 'd';
}

static void own_host(void) {
    Host its = {0, 0, 0};
    const ThHost host = {.size = sizeof host,
                         .alloc = alloc,
                         .alloc_user = &its,
                         .log = line,
                         .log_user = &its,
                         .seed = 7,
                         .file = file,
                         .file_user = &its,
                         .abi = TH_ABI};
    char seeds[2][64];
    setenv("THEANO_FLAGS", "floatX=float32", 1);
    for (int turn = 0; turn < 2; turn++) {
        lua_State *L = state();
        CHECK(!th_lua_context(L));
        CHECK(th_lua_open(L, &host) == LUA_OK && lua_istable(L, -1));
        CHECK(th_lua_context(L) && its.live > 1000);
        CHECK(!run(L, "theano = require('theano') nd = theano.ndarray assert(theano.config.floatX == 'float64')"));
        CHECK(said(L, run(L, "nd.save('/tmp/x.npy', nd.ones { 2 })"), "the host refuses"));
        CHECK(its.asked > 0);
        CHECK(said(L, th_lua_open(L, &host), "open in this Lua state already"));
        CHECK(said(L, th_lua_use(L, th_lua_context(L)), "open in this Lua state already"));
        CHECK(!run(L, "return nd.random.RandomState():uniform(0, 1, {1}):item(), nd.random.default_rng():random()"));
        snprintf(seeds[turn], sizeof seeds[turn], "%s %s", lua_tostring(L, -2), lua_tostring(L, -1));
        CHECK(!run(L, "theano.config.cxx = 'no-such-program' x = theano.tensor.dvector()\n"
                      "theano.config.linker = 'c' theano.compile({ x }, x + 1)({ 1 })"));
        CHECK(its.lines > 0);
        CHECK(!run(L, "theano.compile({ inputs = { x }, outputs = x + 2, profile = true })({ 1 })"));
        int before = (int)its.lines;
        lua_close(L); /* the profile goes to the log */
        CHECK(its.lines > before + 10);
        CHECK(its.live == 0);
    }
    CHECK(!strcmp(seeds[0], seeds[1]));
    lua_State *L = state();
    const ThHost flags = {.environment = 'f'}, other = {.abi = TH_ABI + 1};
    CHECK(said(L, th_lua_open(L, &other), "another ABI"));
    lua_close(L);
    L = state();
    CHECK(!th_lua_open(L, &flags) && !run(L, "assert(require('theano').config.floatX == 'float32')"));
    lua_close(L);
    L = state(); /* scripts alone */
    CHECK(!run(L, "assert(require('theano').config.floatX == 'float32')"));
    lua_close(L);
    unsetenv("THEANO_FLAGS");
}

static void own_context(void) {
    ThContext *c = th_context_new(NULL);
    const ThType vector = {.dtype = TH_FLOAT64, .ndim = 1};
    ThVar *x = th_variable_new(c, vector, "x");
    lua_State *L = state();
    CHECK(!th_lua_use(L, c) && th_lua_context(L) == c);
    CHECK(!run(L, "local theano = require('theano') theano.config.linker = 'py' local T = theano.tensor\n"
                  "local v = T.dvector() return theano.compile({ v }, T.exp(v):sum())"));
    ThFunction *f = th_function_retain(th_lua_function(L, -1));
    CHECK(f && th_function_context(f) == c);
    lua_close(L);
    ThVar *y = th_op(c, "exp", 1, x); /* its host goes on building */
    CHECK(y && !th_error(c));
    const int64_t two = 2;
    ThArray *a = th_array_zeros(c, TH_FLOAT64, 1, &two), *r = NULL;
    CHECK(f && !th_call(f, &a, 1, &r) && *(double *)th_array_data(r) == 2);
    th_array_release(a), th_array_release(r);
    th_var_release(x), th_var_release(y);
    th_function_release(f);
    L = state(); /* and a second state takes it up */
    CHECK(!th_lua_use(L, c) && !run(L, "assert(require('theano').config.linker == 'py')"));
    th_context_release(c);
    CHECK(!run(L, "return require('theano').tensor.dvector()"));
    lua_close(L);
}

static void kept(void) {
    lua_State *L = state();
    CHECK(th_lua_kept(L, "policy") == LUA_TNIL);
    static const char script[] =
        "local theano = require('theano') theano.config.linker = 'py' local T = theano.tensor\n"
        "loads = (loads or 0) + 1\n"
        "local w = theano.keep('w', function() return theano.shared({ 1.0, 2.0 }, 'w') end)\n"
        "theano.forget('policy')\n"
        "theano.keep('policy', theano.compile({}, w * loads))\n"
        "w:set_value(w:get_value() + 1)";
    for (int i = 0; i < 3; i++) {
        CHECK(!run(L, "for k in pairs(package.loaded) do if k:find('^theano') then package.loaded[k] = nil end end"));
        CHECK(!run(L, script));
    }
    CHECK(th_lua_kept(L, "policy") == LUA_TUSERDATA);
    ThFunction *f = th_lua_function(L, -1);
    ThArray *r = NULL;
    CHECK(f && !th_call(f, NULL, 0, &r) && ((double *)th_array_data(r))[1] == 15); /* (2 + 3) * 3 */
    th_array_release(r);
    CHECK(th_lua_kept(L, "nothing") == LUA_TNIL && !th_lua_function(L, -1));
    CHECK(said(L, run(L, "require('theano').keep('nothing')"), "ValueError"));
    CHECK(said(L, run(L, "require('theano').keep({})"), "TypeError"));
    CHECK(!run(L, "assert(require('theano').kept().w and not require('theano').kept('x'))"));
    lua_close(L);
}

static void sandboxes(void) {
    lua_State *L = state();
    const ThLuaLimits limits = {.seconds = 0.2, .memory = -1};
    CHECK(!th_lua_sandbox(L, &limits));
    const int box = lua_gettop(L);
    lua_pushinteger(L, 40);
    CHECK(!th_lua_sandbox_run(L, box, "n = 2 return ... + n", 1, 1) && lua_tointeger(L, -1) == 42);
    lua_settop(L, box);
    CHECK(!th_lua_sandbox_run(L, -1, "return n", 0, 1) && lua_tointeger(L, -1) == 2);
    lua_settop(L, box);
    CHECK(th_lua_sandbox_run(L, box, "while true do end", 0, 0) && strstr(lua_tostring(L, -1), "Interrupted"));
    lua_settop(L, box);
    CHECK(th_lua_sandbox_run(L, box, "return io.open('x')", 0, 0));
    lua_settop(L, 0);
    CHECK(!th_lua_sandbox(L, NULL));
    lua_settop(L, 0);
    CHECK(said(L, th_lua_sandbox_run(L, (lua_pushnil(L), -1), "return 1", 0, 0),
               "no sandbox stands at that index, but a nil"));
    lua_getglobal(L, "math"); /* some other table */
    CHECK(said(L, th_lua_sandbox_run(L, -1, "return 1", 0, 0), "no sandbox stands at that index, but a table"));
    lua_close(L);
}

int main(void) {
    setenv("HOME", "/nowhere", 1);
    own_host();
    own_context();
    kept();
    sandboxes();
    printf("lua_open: %s\n", failures ? "failed" : "ok");
    return failures != 0;
}
