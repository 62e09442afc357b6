/*
 * lua_host.c -- a program around Lua: what stands on the stack is asked for by kind; functions, shared variables and
 * the context outlive the Lua state; two states; callbacks from a host without Lua on the stack.
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
                            "package.cpath = '" TH_BUILD_LUA "/?.so;' .. package.cpath\n"
                            "theano = require('theano') T = theano.tensor nd = theano.ndarray\n"
                            "theano.config.linker = 'py' x = T.dvector('x')\n"));
    return L;
}

/* The script's function, retained. */
static ThFunction *function(lua_State *L, const char *script) {
    if (luaL_dostring(L, script)) {
        CHECK(!lua_tostring(L, -1));
        fprintf(stderr, "  %s\n", lua_tostring(L, -1));
        return NULL;
    }
    ThFunction *f = th_lua_function(L, -1);
    CHECK(f);
    lua_pop(L, 1);
    return th_function_retain(f);
}

/* The first element of f({1, 2, 3}); -1 after an error, which is cleared and whose text `said` gets. */
static double called(ThFunction *f, char said[512]) {
    static double data[3] = {1, 2, 3};
    const int64_t three = 3;
    ThContext *c = th_function_context(f);
    ThArray *a = th_array_wrap(c, TH_FLOAT64, 1, &three, NULL, data, NULL, NULL), *r = NULL;
    double got = th_call(f, &a, 1, &r) ? -1 : *(double *)th_array_data(r);
    snprintf(said, 512, "%s", th_error(c) ? th_error_text(c) : "");
    th_error_clear(c);
    th_array_release(r);
    th_array_release(a);
    return got;
}

static void kinds(void) {
    lua_State *L = state();
    static const char *const wrong[] = {"nil",
                                        "1",
                                        "'x'",
                                        "{}",
                                        "print",
                                        "io.stdout",
                                        "nd.ones({ 3 })",
                                        "x",
                                        "theano.shared(1.0)",
                                        "x.type",
                                        "nd.random.RandomState(1)",
                                        "theano.compile",
                                        "coroutine.create(print)",
                                        "setmetatable({}, { __name = 'theano.Function' })"};
    CHECK(!th_lua_function(L, 1) && !th_lua_function(L, -1) && !th_lua_array(L, 7)); /* nothing at all */
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        lua_settop(L, 0);
        char text[128];
        snprintf(text, sizeof text, "return %s", wrong[i]);
        CHECK(!luaL_dostring(L, text) && !th_lua_function(L, -1));
        CHECK((th_lua_array(L, -1) != NULL) == (i == 6) && (th_lua_variable(L, -1) != NULL) == (i == 7 || i == 8));
    }
    lua_pushlightuserdata(L, L);
    CHECK(!th_lua_function(L, -1));
    *(void **)lua_newuserdatauv(L, 8, 0) = NULL;
    CHECK(!th_lua_function(L, -1));
    CHECK(!luaL_dostring(L, "a = nd.ones({ 3 }) do local b <close> = a end return a, theano.compile({ x }, x * 2)"));
    CHECK(th_lua_array(L, -2) && th_lua_function(L, -1));
    lua_close(L);
}

static void outlives(void) {
    char said[512];
    lua_State *L = state();
    ThFunction *plain = function(L, "return theano.compile({ x }, x * 2)");
    ThFunction *op =
        function(L, "dbl = theano.as_op{itypes = {x.type}, otypes = {x.type}, fn = function(v) return v * 2 end}\n"
                    "return theano.compile({ x }, dbl(x) + 1)");
    ThFunction *monitored = function(L, "return theano.compile({ inputs = { x }, outputs = T.exp(x), mode =\n"
                                        "theano.compile.MonitorMode({ post_func = function() seen = true end }) })");
    CHECK(!luaL_dostring(L, "theano.compile.optdb.canonicalize:register('mine', theano.gof.local_optimizer({ 'exp' },\n"
                            "function() error('called') end))") ||
          (lua_pop(L, 1), true));
    CHECK(!luaL_dostring(L, "return theano.shared(nd.ones({ 3 }), { name = 's' })"));
    ThVar *s = th_var_retain(th_lua_variable(L, -1));
    CHECK(called(op, said) == 3 && called(monitored, said) > 2.7);
    ThContext *c = th_context_retain(th_function_context(plain));
    lua_close(L);
    CHECK(called(plain, said) == 2);
    CHECK(called(op, said) == -1 && strstr(said, "after its Lua state was closed"));
    CHECK(called(monitored, said) == -1 && strstr(said, "after its Lua state was closed"));
    th_config_set(c, "linker", "c");
    th_config_set(c, "cxx", "/no/such/compiler"); /* there is a line to log */
    const ThType vector = {.dtype = TH_FLOAT64, .ndim = 1};
    ThVar *x = th_variable_new(c, vector, "x"), *y = th_op(c, "exp", 1, x);
    const ThIn in = {.var = x, .allow_downcast = -1};
    const ThOut out = {.var = y};
    ThFunction *later =
        th_compile(c, &(ThCompile){.in = &in, .nin = 1, .out = &out, .nout = 1, .allow_input_downcast = -1});
    CHECK(later && called(later, said) > 2.7);
    ThArray *value = th_shared_get(s, false);
    CHECK(value && th_array_size(value) == 3 && !th_shared_set(s, value, false));
    th_array_release(value);
    th_var_release(y);
    th_var_release(x);
    th_var_release(s);
    ThFunction *all[] = {plain, op, monitored, later};
    for (int i = 0; i < 4; i++) th_function_release(all[i]);
    th_context_release(c);
}

static void two_states(void) {
    char said[512];
    for (int first = 0; first < 2; first++) {
        lua_State *L[2] = {state(), state()};
        ThFunction *f[2];
        for (int i = 0; i < 2; i++)
            f[i] =
                function(L[i], "n = 0 return theano.compile({ x }, theano.as_op{itypes = {x.type}, otypes = {x.type},\n"
                               "fn = function(v) n = n + 1 return v + n end}(x))");
        CHECK(th_function_context(f[0]) != th_function_context(f[1]));
        CHECK(called(f[0], said) == 2 && called(f[0], said) == 3 && called(f[1], said) == 2);
        lua_close(L[first]);
        CHECK(called(f[first], said) == -1 && called(f[!first], said) > 2);
        lua_close(L[!first]);
        CHECK(called(f[!first], said) == -1);
        th_function_release(f[0]);
        th_function_release(f[1]);
    }
}

/* Operations in Lua, called with no Lua on the C stack. */
static void from_c(void) {
    char said[512];
    lua_State *L = state();
    ThFunction *f =
        function(L, "local f\ncoroutine.wrap(function() f = theano.compile({ x }, theano.as_op{itypes = {x.type},\n"
                    "otypes = {x.type}, fn = function(v) return v * 5 end}(x)) end)()\n"
                    "for i = 1, 5 do collectgarbage() end return f");
    CHECK(called(f, said) == 5); /* the coroutine that called the engine last is gone */
    th_function_release(f);
    f = function(L,
                 "keep = coroutine.create(function() f = theano.compile({ x }, theano.as_op{itypes = {x.type},\n"
                 "otypes = {x.type}, fn = function(v) return v * 7 end}(x)) f(nd.ones({ 3 })) coroutine.yield() end)\n"
                 "coroutine.resume(keep) return f");
    CHECK(called(f, said) == 7); /* ..or waits */
    CHECK(!luaL_dostring(L, "assert(coroutine.resume(keep))"));
    th_function_release(f);
    static const char *const bad[] = {"return { 1, { 2 } }",
                                      "return 'text'",
                                      "return nil",
                                      "error()",
                                      "error({})",
                                      "error('plain')",
                                      "return nd.ones({ 2, 2 })",
                                      "return print",
                                      "error(setmetatable({}, { __tostring = error }))",
                                      "coroutine.yield()",
                                      "return x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "return theano.compile({ x }, theano.as_op{itypes = {x.type}, otypes = {x.type},\n"
                 "fn = function(v) %s end}(x))",
                 bad[i]);
        f = function(L, text);
        int top = lua_gettop(L);
        CHECK(called(f, said) == -1 && said[0] && lua_gettop(L) == top);
        th_function_release(f);
    }
    lua_close(L);
}

int main(void) {
    kinds();
    outlives();
    two_states();
    from_c();
    printf(failures ? "lua_host: %d failures\n" : "lua_host: ok\n", failures);
    return failures != 0;
}
