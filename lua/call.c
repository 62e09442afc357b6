/*
 * call.c -- calls of compiled functions from Lua: arguments by position and by name, subsets of the results, defaults,
 * bound functions, copies. Arrays and numbers go straight to the engine; anything unusual takes a longer path.
 */
#include "binding.h"

#include <string.h>

enum { FEW = 32 };

typedef struct Call {
    LtState *s;
    LtFunction *f;
    int self;   /* stack index of the function */
    int first;  /* of the first argument */
    int n;      /* arguments */
    int subset; /* of output_subset's table, 0: none */
} Call;

/* ---- keyword arguments ------------------------------------------------------------------------------------------- */
/* Number of the input called k; -1 unknown; raises when several are. */
static int input_named(lua_State *L, const LtFunction *f, const char *k) {
    int at = -1;
    for (int i = 0; i < f->nin; i++) {
        const char *n = th_function_input_name(f->f, i);
        if (!n || strcmp(n, k)) continue;
        if (at >= 0)
            lt_error(L, TH_TypeError,
                     "Ambiguous name: %s - please check the names of the inputs of your function for duplicates.", k);
        at = i;
    }
    return at;
}

/* Says which names there are. */
LT_NORETURN static void unknown_input(lua_State *L, const LtFunction *f, const char *k) {
    luaL_Buffer b;
    bool any = false;
    luaL_buffinit(L, &b);
    for (int i = 0; i < f->nin; i++) {
        const char *n = th_function_input_name(f->f, i);
        if (!n) continue;
        luaL_addstring(&b, any ? ", " : " (the inputs are ");
        luaL_addstring(&b, n);
        any = true;
    }
    luaL_addstring(&b, any ? ")" : " (no input has a name)");
    luaL_pushresult(&b);
    lt_error(L, TH_TypeError, "Unknown input or state: %s%s", k, lua_tostring(L, -1));
}

static void too_many(lua_State *L, const LtFunction *f, int n) {
    const char *name = th_function_name(f->f);
    lt_error(L, TH_TypeError, "Too many parameter passed to theano function%s%s: %d given, %d expected",
             name ? " " : "", name ? name : "", n, f->nin);
}

/* f(a, {y = b, output_subset = {1}}): the arguments are laid out anew above the table, in the inputs' order. */
static void spread_keywords(lua_State *L, Call *c) {
    int table = lua_gettop(L), npos = table - c->first, nin = c->f->nin;
    if (npos > nin) too_many(L, c->f, npos);
    luaL_checkstack(L, nin + LUA_MINSTACK, "arguments"); /* and as much again as a call begins with */
    c->first = table + 1;
    for (int i = 0; i < nin; i++) {
        if (i < npos) lua_pushvalue(L, table - npos + i);
        else lua_pushnil(L);
    }
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        const char *k = lua_tostring(L, -2);
        int i = input_named(L, c->f, k);
        if (i < 0 && !strcmp(k, "output_subset")) {
            lua_pushvalue(L, -1);
            lua_replace(L, 2); /* the place left for it */
            continue;
        }
        if (i < 0) unknown_input(L, c->f, k);
        if (i < npos && !lua_isnil(L, c->first + i)) lt_error(L, TH_TypeError, "Multiple values for input: %s", k);
        lua_pushvalue(L, -1);
        lua_replace(L, c->first + i);
    }
    c->n = nin;
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */
static void argument(lua_State *L, LtState *s, int at, int number, ThArg *a) {
    switch (lua_type(L, at)) {
    case LUA_TNUMBER:
        if (lua_isinteger(L, at)) {
            a->kind = TH_ARG_INT;
            a->i = lua_tointeger(L, at);
        } else {
            a->kind = TH_ARG_FLOAT;
            a->f = lua_tonumber(L, at);
        }
        return;
    case LUA_TUSERDATA:
        a->array = lt_array(L, s, at);
        a->kind = TH_ARG_ARRAY;
        if (a->array) return;
        break; /* a complex value, or a mistake */
    default: break;
    }
    memset(a, 0, sizeof *a);
    lt_value(L, s, at, a, &(LtPlace){.argument = number});
}

/* ---- results ----------------------------------------------------------------------------------------------------- */
static void push_lent(lua_State *L, const Call *c, int i, ThArray *a) {
    lua_getiuservalue(L, c->self, 3);
    lua_rawgeti(L, -1, i + 1);
    if (a && lua_touserdata(L, -1) && lt_array(L, c->s, -1) == a) th_array_release(a);
    else {
        lua_pop(L, 1);
        lt_push_array(L, c->s, a);
        lua_pushvalue(L, -1);
        lua_rawseti(L, -3, i + 1);
    }
    lua_remove(L, -2);
}

/* values: NULL when all results were asked for as arrays. */
static void push_result(lua_State *L, const Call *c, int i, ThArray *a, const ThValue *values) {
    const LtOutput *o = &c->f->out[i];
    if (o->dense) lt_push_fresh(L, c->s, a, lua_upvalueindex(2));
    else if (o->state) lt_push_state(L, c->s, a);
    else if (o->lent) push_lent(L, c, i, a);
    else if (!o->scalar) lt_push_array(L, c->s, a);
    else if (a || !values) lt_push_result(L, c->s, a, false);
    else if (o->dtype == TH_FLOAT64 || o->dtype == TH_FLOAT32) lua_pushnumber(L, values[i].f);
    else lt_push_element(L, c->s, (ThDtype)o->dtype, &values[i]);
}

/* Number of the result that the entry on top of the stack names: a position from 1, or the name of a named output. */
static int subset_entry(lua_State *L, const Call *c) {
    int ok, i = (int)lua_tointegerx(L, -1, &ok) - 1;
    if (ok && lua_type(L, -1) == LUA_TNUMBER && i >= 0 && i < c->f->nout) return i;
    if (c->f->named_out && lua_type(L, -1) == LUA_TSTRING) {
        lua_getiuservalue(L, c->self, 1);
        for (i = 0; i < c->f->nout; i++) {
            lua_rawgeti(L, -1, i + 1);
            bool same = lua_rawequal(L, -1, -3);
            lua_pop(L, 1);
            if (same) return lua_pop(L, 1), i;
        }
        lua_pop(L, 1);
    }
    return lt_error(L, TH_ValueError, "output_subset: %s is none of the function's %d outputs", lt_push_text(L, -1),
                    c->f->nout);
}

/* Which results are given back, in order: numbers in which[]; returns how many. All are checked before the call. */
static int wanted(lua_State *L, const Call *c, int *which) {
    if (!lua_istable(L, c->subset)) return lt_error(L, TH_TypeError, "output_subset is a table of outputs");
    int n = lt_length_of(L, c->subset, "output_subset");
    if (n > c->f->nout)
        return lt_error(L, TH_ValueError, "output_subset has %d entries, the function %d outputs", n, c->f->nout);
    for (int i = 0; i < n; i++) {
        lua_rawgeti(L, c->subset, i + 1);
        which[i] = subset_entry(L, c);
        lua_pop(L, 1);
    }
    return n;
}

/* Every result becomes a Lua value at once, so that an error leaves none behind; then those asked for are picked. */
static int give(lua_State *L, const Call *c, ThArray **out, const ThValue *v, const int *which, int n) {
    int nout = c->f->nout, base = lua_gettop(L);
    if (nout) luaL_checkstack(L, 2 * nout + 8, "results");
    for (int i = 0; i < nout; i++) push_result(L, c, i, out[i], v);
    if (!which && !c->f->named_out) return nout;
    if (!c->f->named_out) {
        for (int i = 0; i < n; i++) lua_pushvalue(L, base + 1 + which[i]);
        return n;
    }
    lua_getiuservalue(L, c->self, 1);
    lua_createtable(L, 0, nout);
    for (int k = 0; k < (which ? n : nout); k++) {
        int i = which ? which[k] : k;
        lua_rawgeti(L, -2, i + 1);
        lua_pushvalue(L, base + 1 + i);
        lua_rawset(L, -3);
    }
    return 1;
}

int lt_call_function(lua_State *L) {
    LtState *s = LT_STATE(L);
    LtFunction *f = lua_touserdata(L, 1); /* __call of this metatable alone */
    Call c = {.s = s, .f = f, .self = 1, .first = 2, .n = lua_gettop(L) - 1};
    if (lua_type(L, -1) == LUA_TTABLE && lt_is_keywords(L, lua_gettop(L))) {
        lua_pushnil(L); /* output_subset's place */
        lua_insert(L, 2);
        c.first = 3;
        spread_keywords(L, &c);
        if (!lua_isnil(L, 2)) c.subset = 2;
    }
    if (c.n > f->nin) too_many(L, f, c.n);
    lt_collect(L, s);
    if (s->nlog) lt_drain_log(L, s); /* a compiler beside the calls has failed */
    ThArg few[FEW], *args = few;
    ThArray *fewout[FEW], **out = fewout;
    ThValue fewvalues[FEW], *values = fewvalues;
    int which[FEW], *subset = NULL, nsubset = 0;
    if (c.n > FEW) args = lua_newuserdatauv(L, sizeof *args * (size_t)c.n, 0);
    if (f->nout > FEW) {
        out = lua_newuserdatauv(L, (sizeof *out + sizeof *values) * (size_t)f->nout, 0);
        values = (ThValue *)(void *)(out + f->nout);
    }
    if (f->all_arrays) values = NULL;
    if (c.subset) {
        subset = f->nout > FEW ? lua_newuserdatauv(L, sizeof *subset * (size_t)f->nout, 0) : which;
        nsubset = wanted(L, &c, subset);
    }
    for (int i = 0; i < c.n; i++) argument(L, s, c.first + i, i + 1, &args[i]);
    lt_enter(L, s);
    lua_State *before = s->running; /* a limit of memory may have it compile, with the user's rewrites */
    s->running = L;
    int bad = th_call_args(f->f, args, c.n, out, values);
    s->running = before;
    if (bad) return lt_raise(L, s);
    if (f->nout == 1 && !subset && !f->named_out) {
        if (f->out[0].dense) lt_push_fresh(L, s, out[0], lua_upvalueindex(2));
        else push_result(L, &c, 0, out[0], values);
        return 1;
    }
    return give(L, &c, out, values, subset, nsubset);
}

/* ---- defaults ---------------------------------------------------------------------------------------------------- */
/* find_input(f, key): number (from 0) of the input that a Variable, a name or a position from 1 names. */
static int find_input(lua_State *L) {
    LtState *s = LT_STATE(L);
    LtFunction *f = lt_check_function(L, s, 1);
    ThVar *v = lt_var(L, s, 2);
    int at = -1, ok;
    lua_Integer k = lua_tointegerx(L, 2, &ok);
    if (v) {
        for (int i = 0; i < f->nin; i++)
            if (th_function_input_var(f->f, i) == v) at = i;
    } else if (lua_type(L, 2) == LUA_TSTRING) at = input_named(L, f, lua_tostring(L, 2));
    else if (ok && k >= 1 && k <= f->nin) at = (int)k - 1;
    if (at >= 0) lua_pushinteger(L, at);
    else lua_pushnil(L);
    return 1;
}

static int get_default(lua_State *L) { /* (f, number from 0) -> number or ndarray or nil */
    LtState *s = LT_STATE(L);
    LtFunction *f = lt_check_function(L, s, 1);
    ThArray *a = th_function_default(f->f, (int)luaL_checkinteger(L, 2));
    if (!a && th_error(s->ctx) != TH_OK) return lt_raise(L, s);
    ThVar *v = th_function_input_var(f->f, (int)luaL_checkinteger(L, 2));
    if (a && v) lt_push_value(L, s, th_var_type(v), a, false);
    else if (a) lt_push_result(L, s, a, false);
    else lua_pushnil(L);
    return 1;
}

static int set_default(lua_State *L) { /* (f, number from 0, value or nil) */
    LtState *s = LT_STATE(L);
    LtFunction *f = lt_check_function(L, s, 1);
    int i = (int)luaL_checkinteger(L, 2);
    ThArg v;
    memset(&v, 0, sizeof v);
    if (lua_isnil(L, 3)) {
        LT_CHECK(L, s, !th_function_set_default(f->f, i, NULL));
        return 0;
    }
    argument(L, s, 3, i + 1, &v);
    ThArray *a = v.kind == TH_ARG_ARRAY ? th_array_retain(v.array) : th_function_filter(f->f, i, &v);
    LT_CHECK(L, s, a);
    int bad = th_function_set_default(f->f, i, a);
    th_array_release(a);
    LT_CHECK(L, s, !bad);
    return 0;
}

static int share_default(lua_State *L) { /* (f, number from 0, other function, number from 0) */
    LtState *s = LT_STATE(L);
    LtFunction *f = lt_check_function(L, s, 1), *from = lt_check_function(L, s, 3);
    int i = (int)luaL_checkinteger(L, 2), j = (int)luaL_checkinteger(L, 4);
    LT_CHECK(L, s, !th_function_share_default(f->f, i, from->f, j));
    return 0;
}

/* ---- what else a function does ----------------------------------------------------------------------------------- */
static int trim(lua_State *L) {
    lt_most(L, 1);
    th_function_trim(lt_check_function(L, LT_STATE(L), 1)->f);
    return 0;
}

static int trust(lua_State *L) { /* trust(f) -> boolean; trust(f, on) */
    LtFunction *f = lt_check_function(L, LT_STATE(L), 1);
    if (!lua_isnone(L, 2)) th_function_set_trust(f->f, lua_toboolean(L, 2));
    lua_pushboolean(L, th_function_trust(f->f));
    return 1;
}

static int shareds(lua_State *L) {
    LtState *s = LT_STATE(L);
    lt_most(L, 1);
    LtFunction *f = lt_check_function(L, s, 1);
    int n = th_function_nshared(f->f);
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        lt_push_var(L, s, th_var_retain(th_function_shared(f->f, i)));
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int copy(lua_State *L) { /* copy(f, {{from, to}, ..}, delete_updates, name, profile) */
    LtState *s = LT_STATE(L);
    LtFunction *f = lt_check_function(L, s, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 5);
    int n = lt_length_of(L, 2, "swap");
    ThPair *swap = lua_newuserdatauv(L, sizeof *swap * (size_t)(n + 1), 0);
    for (int i = 0; i < n; i++) {
        lua_rawgeti(L, 2, i + 1);
        lua_rawgeti(L, -1, 1);
        lua_rawgeti(L, -2, 2);
        swap[i] = (ThPair){lt_var(L, s, -2), lt_var(L, s, -1)};
        lua_pop(L, 3);
    }
    const ThCopy o = {.swap = swap,
                      .nswap = n,
                      .delete_updates = lua_toboolean(L, 3),
                      .name = luaL_optstring(L, 4, NULL),
                      .profile = (int8_t)(lua_isnil(L, 5)       ? 0
                                          : lua_toboolean(L, 5) ? 1
                                                                : -1)};
    size_t size = sizeof *f + (size_t)f->nout * sizeof(LtOutput);
    LtFunction *to = lua_newuserdatauv(L, size, 3);
    memcpy(to, f, size);
    to->f = NULL;
    to->held = lt_hold(s, 0, true);
    lt_set_meta(L, s, LT_FUNCTION);
    to->f = th_function_copy(f->f, &o);
    lt_drain_log(L, s);
    LT_CHECK(L, s, to->f);
    for (int u = 1; u <= 2; u++) {
        lua_getiuservalue(L, 1, u);
        lua_setiuservalue(L, -2, u);
    }
    lt_lend(L, to);
    return 1;
}

/* ---- bound functions --------------------------------------------------------------------------------------------- */
typedef struct LtBound {
    ThCall *b;
    unsigned turn;
    int nout;
    LtOutput out[];
} LtBound;

static int bound_gc(lua_State *L) {
    LtBound *b = lua_touserdata(L, 1);
    th_call_release(b->b);
    b->b = NULL;
    return 0;
}

/* The table of results (upvalue 3) holds the arrays anew. */
static void renew(lua_State *L, LtState *s, LtBound *b) {
    for (int i = 0; i < b->nout; i++) {
        if (b->out[i].scalar) continue;
        ThArray *a = th_array_retain(th_call_output(b->b, i, NULL));
        if (b->out[i].state) lt_push_state(L, s, a);
        else lt_push_array(L, s, a);
        lua_rawseti(L, lua_upvalueindex(3), i + 1);
    }
}

LT_NORETURN static int bound_failed(lua_State *L, LtState *s, const ThCall *b) {
    if (th_call_error(b)) th_fail(s->ctx, th_call_error(b), th_call_error_text(b));
    lt_raise(L, s);
}

static int bound_results(lua_State *L, LtBound *b) { /* upvalues: state, LtBound, results */
    unsigned turn;
    if (b->nout > LUA_MINSTACK - 4) luaL_checkstack(L, b->nout + 4, "results");
    th_call_output(b->b, 0, &turn);
    if (turn != b->turn) {
        renew(L, LT_STATE(L), b);
        b->turn = turn;
    }
    for (int i = 0; i < b->nout; i++) {
        if (!b->out[i].scalar) {
            lua_rawgeti(L, lua_upvalueindex(3), i + 1);
            continue;
        }
        ThArray *a = th_call_output(b->b, i, NULL);
        if (b->out[i].dtype == TH_FLOAT64) lua_pushnumber(L, *(const double *)th_array_data(a));
        else lt_push_result(L, LT_STATE(L), th_array_retain(a), false);
    }
    return b->nout;
}

static int bound_call(lua_State *L) { /* upvalues: state, LtBound, results */
    LtBound *b = lua_touserdata(L, lua_upvalueindex(2));
    if (lua_gettop(L)) return lt_error(L, TH_TypeError, "a bound function takes no arguments: they are bound already");
    lt_enter(L, LT_STATE(L));
    if (th_call_run(b->b)) bound_failed(L, LT_STATE(L), b->b);
    return bound_results(L, b);
}

static int bound_slice(lua_State *L) { /* (microseconds) -> false, or true and the results */
    LtBound *b = lua_touserdata(L, lua_upvalueindex(2));
    lua_Integer n = luaL_checkinteger(L, 1);
    lua_settop(L, 0);
    lt_enter(L, LT_STATE(L));
    int bad = th_call_step(b->b, n);
    if (bad && bad != TH_CALL_MORE) bound_failed(L, LT_STATE(L), b->b);
    lua_pushboolean(L, !bad);
    return bad ? 1 : 1 + bound_results(L, b);
}

static int bind_as(lua_State *L, lua_CFunction how) { /* (f, arguments..) -> closure */
    LtState *s = LT_STATE(L);
    LtFunction *f = lt_check_function(L, s, 1);
    Call c = {.s = s, .f = f, .self = 1, .first = 2, .n = lua_gettop(L) - 1};
    if (lua_gettop(L) > 1 && lua_type(L, -1) == LUA_TTABLE && lt_is_keywords(L, lua_gettop(L))) {
        lua_pushnil(L);
        lua_insert(L, 2);
        c.first = 3;
        spread_keywords(L, &c);
        if (!lua_isnil(L, 2)) return lt_error(L, TH_TypeError, "bind takes no output_subset");
    }
    if (c.n > f->nin) too_many(L, f, c.n);
    luaL_checkstack(L, c.n + 8, "arguments");
    ThArg *args = lua_newuserdatauv(L, sizeof *args * (size_t)(c.n + 1), 0);
    for (int i = 0; i < c.n; i++) argument(L, s, c.first + i, i + 1, &args[i]);
    lua_pushlightuserdata(L, s);
    size_t size = sizeof(LtBound) + (size_t)f->nout * sizeof(LtOutput);
    LtBound *b = lua_newuserdatauv(L, size, 0);
    memset(b, 0, size);
    b->nout = f->nout;
    memcpy(b->out, f->out, (size_t)f->nout * sizeof(LtOutput));
    lt_set_meta(L, s, LT_BOUND);
    lua_State *before = s->running;
    s->running = L;
    b->b = th_call_new(f->f, args, c.n);
    s->running = before;
    LT_CHECK(L, s, b->b);
    lua_createtable(L, f->nout, 0);
    lua_pushcclosure(L, how, 3);
    return 1;
}

static int bind(lua_State *L) { return bind_as(L, bound_call); }
static int slices(lua_State *L) { return bind_as(L, bound_slice); }

void lt_open_call(lua_State *L, LtState *s) {
    static const luaL_Reg meta[] = {{"__gc", bound_gc}, {NULL, NULL}};
    lt_new_meta(L, s, LT_BOUND, "theano.Bound", meta);
    lua_pop(L, 1);
    static const luaL_Reg fns[] = {{"find_input", find_input},
                                   {"get_default", get_default},
                                   {"set_default", set_default},
                                   {"share_default", share_default},
                                   {"function_trim", trim},
                                   {"function_trust", trust},
                                   {"function_shared", shareds},
                                   {"function_copy", copy},
                                   {"function_bind", bind},
                                   {"function_slices", slices},
                                   {NULL, NULL}};
    lt_register(L, s, fns);
}
