/*
 * sandbox.c -- theano.sandboxed: scripts in a Lua state and an engine of their own, which reach nothing outside and may
 * take so much memory, time and graph. In: limits, texts, values (numbers, texts, booleans, ndarrays, tables of them).
 * Out: values of the same kinds, copied. theano/box.lua says what scripts see. Always holds: nothing of one state is
 * ever a value of the other; whatever a script does, run returns soon after its time.
 */
#include "binding.h"
#include "guard.h"

#include <lualib.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 100 /* of Lua's machine between two looks */, DEPTH = 16, WORK = 1 << 20 /* bytes, likewise */ };
#define MOST_VALUES 1000000

typedef struct Box {
    lua_State *L;      /* NULL: closed */
    size_t used, most; /* bytes of the Lua state; most 0: any number, while it is prepared */
    size_t room;       /* bytes that scripts may take, of the Lua state and of the engine each */
    double seconds;    /* of one run; 0: any number */
    lua_Integer steps; /* of one run; 0: any number */
    lua_Integer left;
    double until;
    size_t work; /* bytes that functions of the libraries went through since the clock was read for them */
    bool over, running;
} Box;

static int env_key, out_key; /* their addresses: names in registries */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *box_alloc(void *user, void *p, size_t old, size_t n) {
    Box *b = user;
    if (!p) old = 0; /* it is a kind, not a size */
    if (n > old && b->most && (n - old > b->most || b->used > b->most - (n - old))) return NULL;
    void *q = NULL;
    if (n) q = realloc(p, n);
    else free(p);
    if (n && !q) return NULL;
    b->used += n - old;
    return q;
}

static Box *box_of(lua_State *L) { return *(Box **)lua_getextraspace(L); }

/* From now on at every instruction: no pcall outlives that. */
static void end_script(lua_State *L, const char *why);

/* Every STEPS instructions, and at every one once the script's share is used up. */
static void look(lua_State *L, lua_Debug *ar) {
    (void)ar;
    Box *b = box_of(L);
    b->left -= STEPS;
    lt_guard(L);
    if (b->steps && b->left < 0) end_script(L, "Interrupted: the script took more steps than it was given");
}

static void end_script(lua_State *L, const char *why) {
    box_of(L)->over = true;
    lua_sethook(L, look, LUA_MASKCOUNT, 1);
    luaL_error(L, "%s", why);
}

void lt_guard(lua_State *L) {
    const Box *b = box_of(L);
    if (b->running && b->seconds > 0 && now() > b->until)
        end_script(L, "Interrupted: the time that the script was given is over");
}

void lt_guard_work(lua_State *L, size_t bytes) {
    Box *b = box_of(L);
    b->work += bytes < WORK ? bytes : WORK;
    if (b->work < WORK) return;
    b->work = 0;
    lt_guard(L);
}

/* ---- values from one state to the other -------------------------------------------------------------------------- */
typedef struct Copy {
    lua_State *from, *to;
    int left;    /* values that may still be copied */
    size_t room; /* bytes of texts and arrays, likewise */
} Copy;

LT_NORETURN static void refuse(const Copy *c, const char *what) {
    lt_error(c->to, TH_TypeError,
             "a sandbox is given, and gives, numbers, texts, booleans, ndarrays and tables of them: not %s", what);
}

/* What stands once in one state, under many names, stands in the other many times. */
static void take_room(Copy *c, size_t bytes) {
    if (bytes > c->room) luaL_error(c->to, "MemoryError: values that take more bytes than the sandbox's memory has");
    c->room -= bytes;
}

static void copy_array(Copy *c, ThArray *a) {
    LtState *s = lt_state(c->to);
    if (th_array_sparse(a)) refuse(c, "a sparse matrix");
    take_room(c, (size_t)th_array_size(a) * th_dtype_bytes(th_array_dtype(a)));
    ThArray *own = th_array_empty(s->ctx, th_array_dtype(a), th_array_ndim(a), th_array_shape(a));
    LT_CHECK(c->to, s, own);
    lt_push_array(c->to, s, own); /* whatever happens now, it is somebody's */
    ThArray *flat = th_array_contiguous(a) ? th_array_retain(a) : th_array_copy(a);
    size_t bytes = (size_t)th_array_size(a) * th_dtype_bytes(th_array_dtype(a));
    if (flat && bytes) memcpy(th_array_data(own), th_array_data(flat), bytes);
    th_array_release(flat);
    if (!flat) luaL_error(c->to, "MemoryError: an array cannot be copied");
}

static void copy_value(Copy *c, int i, int depth);

static void copy_table(Copy *c, int i, int depth) {
    if (depth == DEPTH) refuse(c, "tables that are nested deeper than 16 levels, or hold themselves");
    luaL_checkstack(c->to, 4, "values");
    if (!lua_checkstack(c->from, 4)) luaL_error(c->to, "MemoryError: no room for values");
    lua_newtable(c->to);
    lua_pushnil(c->from);
    while (lua_next(c->from, i)) {
        int top = lua_gettop(c->from), key = lua_type(c->from, top - 1);
        if (key != LUA_TNUMBER && key != LUA_TSTRING) refuse(c, "a table with other keys than numbers and texts");
        copy_value(c, top - 1, depth + 1);
        copy_value(c, top, depth + 1);
        lua_rawset(c->to, -3);
        lua_settop(c->from, top - 1);
    }
}

static void copy_value(Copy *c, int i, int depth) {
    size_t n;
    const char *text;
    if (--c->left < 0) luaL_error(c->to, "MemoryError: more than a million values");
    switch (lua_type(c->from, i)) {
    case LUA_TNIL: lua_pushnil(c->to); return;
    case LUA_TBOOLEAN: lua_pushboolean(c->to, lua_toboolean(c->from, i)); return;
    case LUA_TNUMBER:
        if (lua_isinteger(c->from, i)) lua_pushinteger(c->to, lua_tointeger(c->from, i));
        else lua_pushnumber(c->to, lua_tonumber(c->from, i));
        return;
    case LUA_TSTRING:
        text = lua_tolstring(c->from, i, &n);
        take_room(c, n);
        lua_pushlstring(c->to, text, n);
        return;
    case LUA_TTABLE: copy_table(c, i, depth); return;
    default: break;
    }
    ThArray *a = lua_type(c->from, i) == LUA_TUSERDATA ? lt_array(c->from, lt_state(c->from), i) : NULL;
    if (!a) refuse(c, lua_typename(c->from, lua_type(c->from, i)));
    copy_array(c, a);
}

/* ---- making one -------------------------------------------------------------------------------------------------- */
typedef struct Plan {
    Box *b;
    lua_State *host; /* whose modules and paths it takes */
    double nodes;
} Plan;

/* package.NAME of the host: a text. */
static void take_path(lua_State *L, lua_State *host, const char *name) {
    const char *text = NULL;
    lua_getglobal(host, "package");
    if (lua_istable(host, -1)) lua_getfield(host, -1, name), text = lua_tostring(host, -1);
    else lua_pushnil(host);
    lua_getglobal(L, "package");
    if (text) lua_pushstring(L, text), lua_setfield(L, -2, name);
    lua_pop(L, 1);
    lua_pop(host, 2);
}

static void require(lua_State *L, const char *name) {
    lua_getglobal(L, "require");
    lua_pushstring(L, name);
    lua_call(L, 1, 1);
}

int luaopen_theano_core(lua_State *L);

/* In the new state: libraries, what is taken from them, the engine, what scripts see; then the door is shut. */
static int prepare(lua_State *L) {
    const Plan *p = lua_touserdata(L, 1);
    luaL_openlibs(L);
    take_path(L, p->host, "path");
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "preload");
    lua_pushcfunction(L, luaopen_theano_core);
    lua_setfield(L, -2, "theano.core");
    lua_pop(L, 2);
    lt_guard_open(L);
    require(L, "theano.box");
    lua_getfield(L, -1, "prepare");
    lua_call(L, 0, 0);
    require(L, "theano");
    lua_pop(L, 1);
    lua_getfield(L, -1, "open");
    lua_pushcfunction(L, lt_in_time);
    lua_call(L, 1, 2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &out_key);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &env_key);
    lua_settop(L, 0);
    lua_gc(L, LUA_GCCOLLECT);
    ThContext *c = lt_state(L)->ctx;
    ThLimits limits = {.nodes = p->nodes > 0 ? th_stat(c, "live_nodes") + (int64_t)p->nodes : 0, .sealed = true};
    if (p->b->room) limits.bytes = th_stat(c, "live_bytes") + (int64_t)p->b->room;
    th_context_limit(c, &limits);
    return 0;
}

static double option(lua_State *L, const char *name, double deflt) {
    lua_getfield(L, 1, name);
    double v = lua_isnil(L, -1) ? deflt : lua_tonumber(L, -1);
    if ((!lua_isnil(L, -1) && lua_type(L, -1) != LUA_TNUMBER) || !(v >= 0) || v > 1e15)
        lt_error(L, TH_ValueError, "sandboxed: %s is a positive number", name);
    lua_pop(L, 1);
    return v;
}

static int box_close(lua_State *L) {
    Box *b = luaL_checkudata(L, 1, "theano.Box");
    if (b->running) return lt_error(L, TH_RuntimeError, "a sandbox is closed while a script runs in it");
    if (b->L) {
        b->most = 0; /* closing may need a little */
        lua_close(b->L);
    }
    b->L = NULL;
    return 0;
}

static int sandboxed(lua_State *L) { /* {memory =, seconds =, steps =, nodes =} */
    luaL_checktype(L, 1, LUA_TTABLE);
    if (th_context_sealed(LT_STATE(L)->ctx)) return lt_error(L, TH_RuntimeError, "a sandbox makes no sandboxes");
    Plan p = {.host = L, .nodes = option(L, "nodes", 1e6)};
    Box *b = p.b = lua_newuserdatauv(L, sizeof *b, 0);
    memset(b, 0, sizeof *b);
    luaL_setmetatable(L, "theano.Box");
    b->room = (size_t)option(L, "memory", 256e6);
    b->seconds = option(L, "seconds", 10);
    b->steps = (lua_Integer)option(L, "steps", 0);
    b->L = lua_newstate(box_alloc, b);
    if (!b->L) return lt_error(L, TH_MemoryError, "no memory for a sandbox");
    *(Box **)lua_getextraspace(b->L) = b;
    lua_pushcfunction(b->L, prepare);
    lua_pushlightuserdata(b->L, &p);
    if (lua_pcall(b->L, 1, 0, 0)) {
        const char *why = lua_tostring(b->L, -1);
        return lt_error(L, TH_RuntimeError, "a sandbox could not be made: %s", why ? why : "no words");
    }
    if (b->room) b->most = b->used + b->room;
    return 1;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */
typedef struct Run {
    lua_State *host;
    const char *text, *name;
    size_t n;
    int first, last; /* arguments on the host's stack */
} Run;

static int inside(lua_State *L) { /* (Run) -> the script's results */
    const Run *r = lua_touserdata(L, 1);
    lua_settop(L, 0);
    if (luaL_loadbufferx(L, r->text, r->n, r->name, "t")) return lua_error(L);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &env_key);
    lua_setupvalue(L, 1, 1);
    Copy c = {r->host, L, MOST_VALUES, SIZE_MAX};
    luaL_checkstack(L, r->last - r->first + 4, "arguments");
    for (int i = r->first; i <= r->last; i++) copy_value(&c, i, 0);
    lua_sethook(L, look, LUA_MASKCOUNT, STEPS);
    lua_call(L, r->last - r->first + 1, LUA_MULTRET);
    return lua_gettop(L);
}

static void start(Box *b) {
    b->over = false;
    b->left = b->steps;
    b->until = now() + b->seconds;
    b->running = true;
    if (b->seconds > 0) th_context_deadline(lt_state(b->L)->ctx, b->seconds);
}

static void stop(Box *b) {
    lua_sethook(b->L, NULL, 0, 0);
    lua_gc(b->L, LUA_GCCOLLECT); /* graphs that nobody holds any more are bytes of the engine, which Lua does not see */
    th_context_deadline(lt_state(b->L)->ctx, 0);
    b->running = false;
}

static Box *open_box(lua_State *L) {
    Box *b = luaL_checkudata(L, 1, "theano.Box");
    if (!b->L) lt_error(L, TH_RuntimeError, "this sandbox is closed");
    if (b->running) lt_error(L, TH_RuntimeError, "a script runs in this sandbox already");
    return b;
}

static int box_run(lua_State *L) { /* (box, text, ...) -> results */
    Box *b = open_box(L);
    Run r = {.host = L, .name = "=script", .first = 3, .last = lua_gettop(L)};
    r.text = luaL_checklstring(L, 2, &r.n);
    if (!lua_checkstack(b->L, 4)) return lt_error(L, TH_MemoryError, "no memory in the sandbox");
    lua_settop(b->L, 0);
    start(b);
    lua_pushcfunction(b->L, inside);
    lua_pushlightuserdata(b->L, &r);
    int bad = lua_pcall(b->L, 1, LUA_MULTRET, 0);
    stop(b);
    if (!bad && b->over) {
        lua_settop(b->L, 0);
        return lt_error(L, TH_Interrupted, "the time or the steps that the script was given are over");
    }
    if (bad) {
        size_t n;
        const char *why = lua_type(b->L, -1) == LUA_TSTRING ? lua_tolstring(b->L, -1, &n) : NULL;
        if (why) lua_pushlstring(L, why, n);
        else lua_pushfstring(L, "script: an error that is a %s", luaL_typename(b->L, -1));
        lua_settop(b->L, 0);
        return lua_error(L);
    }
    int n = lua_gettop(b->L);
    Copy c = {b->L, L, MOST_VALUES, b->room ? b->room : SIZE_MAX};
    luaL_checkstack(L, n + 4, "results");
    for (int i = 1; i <= n; i++) copy_value(&c, i, 0);
    return n;
}

static int take_printed(lua_State *L) { /* in the box: the list as one text, which is emptied */
    lua_rawgetp(L, LUA_REGISTRYINDEX, &out_key);
    luaL_Buffer buffer;
    int n = (int)luaL_len(L, 1);
    luaL_buffinit(L, &buffer);
    for (int i = 1; i <= n; i++) {
        lua_rawgeti(L, 1, i);
        luaL_addvalue(&buffer);
    }
    luaL_pushresult(&buffer);
    for (int i = n; i >= 1; i--) lua_pushnil(L), lua_rawseti(L, 1, i);
    return 1;
}

static int box_printed(lua_State *L) {
    Box *b = open_box(L);
    lua_settop(b->L, 0);
    lua_pushcfunction(b->L, take_printed);
    if (lua_pcall(b->L, 0, 1, 0)) return lt_error(L, TH_MemoryError, "no memory in the sandbox");
    size_t n;
    const char *text = lua_tolstring(b->L, -1, &n);
    lua_pushlstring(L, text, n);
    return 1;
}

static int box_used(lua_State *L) { /* bytes of its Lua state, of its engine */
    Box *b = open_box(L);
    lua_pushinteger(L, (lua_Integer)b->used);
    lua_pushinteger(L, th_stat(lt_state(b->L)->ctx, "live_bytes"));
    return 2;
}

static int sealed(lua_State *L) { /* whether this is one */
    lua_pushboolean(L, th_context_sealed(LT_STATE(L)->ctx));
    return 1;
}

void lt_open_sandbox(lua_State *L, LtState *s) {
    static const luaL_Reg methods[] = {
        {"run", box_run}, {"printed", box_printed}, {"used", box_used}, {"close", box_close}, {NULL, NULL}};
    if (luaL_newmetatable(L, "theano.Box")) {
        lua_newtable(L);
        lua_pushlightuserdata(L, s);
        luaL_setfuncs(L, methods, 1);
        lua_setfield(L, -2, "__index");
        lua_pushlightuserdata(L, s);
        lua_pushcclosure(L, box_close, 1);
        lua_pushvalue(L, -1);
        lua_setfield(L, -3, "__gc");
        lua_setfield(L, -2, "__close");
    }
    lua_pop(L, 1);
    static const luaL_Reg fns[] = {{"sandboxed", sandboxed}, {"sealed", sealed}, {NULL, NULL}};
    lt_register(L, s, fns);
}
