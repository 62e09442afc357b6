/*
 * function.c -- compile, and looking into compiled functions. Calls are call.c.
 */
#include "binding.h"

#include <string.h>

LtFunction *lt_check_function(lua_State *L, LtState *s, int i) {
    LtFunction *f = lt_test(L, s, i, LT_FUNCTION);
    if (!f) lt_error(L, TH_TypeError, "function expected, got %s", luaL_typename(L, i));
    return f;
}

static int fn_gc(lua_State *L) {
    LtFunction *f = lua_touserdata(L, 1);
    if (f->f) th_function_release(f->f);
    f->f = NULL;
    lt_let_go(LT_STATE(L), f->held);
    f->held = 0;
    return 0;
}

/* ---- compile: the Lua side hands over a normalised table --------------------------------------------------------- */
typedef struct Spec {
    ThCompile c;
    LtState *s;
} Spec;

static void *room(lua_State *L, size_t n, size_t item) {
    void *p = lua_newuserdatauv(L, n * item + 1, 0);
    memset(p, 0, n * item + 1);
    return p;
}

static bool flag(lua_State *L, int t, const char *k) {
    lua_getfield(L, t, k);
    bool b = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return b;
}

static int8_t tri(lua_State *L, int t, const char *k) { /* nil -1, false 0, true 1 */
    lua_getfield(L, t, k);
    int8_t v = lua_isnil(L, -1) ? -1 : (int8_t)lua_toboolean(L, -1);
    lua_pop(L, 1);
    return v;
}

static const char *text(lua_State *L, int t, const char *k) { /* stays alive through the table */
    lua_getfield(L, t, k);
    const char *v = lua_isnil(L, -1) ? NULL : luaL_checkstring(L, -1);
    lua_pop(L, 1);
    return v;
}

static ThVar *var_field(lua_State *L, LtState *s, int t, int k) {
    lua_rawgeti(L, t, k);
    ThVar *v = lt_var(L, s, -1);
    lua_pop(L, 1);
    return v;
}

static ThVar *var_named(lua_State *L, LtState *s, int t, const char *k) {
    lua_getfield(L, t, k);
    ThVar *v = lt_var(L, s, -1);
    lua_pop(L, 1);
    return v;
}

/* inputs: {{variable, name =, update =, mutable =, borrow =, strict =, allow_downcast =, implicit =}, ..} */
static void inputs(lua_State *L, Spec *p, int t) {
    int n = lt_length_of(L, t, "inputs");
    ThIn *in = room(L, (size_t)n, sizeof *in);
    for (int i = 0; i < n; i++) {
        lua_rawgeti(L, t, i + 1);
        int e = lua_gettop(L);
        in[i] = (ThIn){.var = var_field(L, p->s, e, 1),
                       .name = text(L, e, "name"),
                       .update = var_named(L, p->s, e, "update"),
                       .mutable_ = flag(L, e, "mutable"),
                       .borrow = flag(L, e, "borrow"),
                       .strict = flag(L, e, "strict"),
                       .implicit = flag(L, e, "implicit"),
                       .allow_downcast = tri(L, e, "allow_downcast")};
        lua_pop(L, 1);
    }
    p->c.in = in;
    p->c.nin = n;
}

static void outputs(lua_State *L, Spec *p, int t) { /* {{variable, borrow =}, ..} */
    int n = lt_length_of(L, t, "outputs");
    ThOut *out = room(L, (size_t)n, sizeof *out);
    for (int i = 0; i < n; i++) {
        lua_rawgeti(L, t, i + 1);
        int e = lua_gettop(L);
        out[i] = (ThOut){.var = var_field(L, p->s, e, 1), .borrow = flag(L, e, "borrow")};
        lua_pop(L, 1);
    }
    p->c.out = out;
    p->c.nout = n;
}

static const ThPair *pairs(lua_State *L, Spec *p, int t, const char *name, int *n) { /* {{variable, expression}, ..} */
    *n = lt_length_of(L, t, name);
    ThPair *pair = room(L, (size_t)*n, sizeof *pair);
    for (int i = 0; i < *n; i++) {
        lua_rawgeti(L, t, i + 1);
        int e = lua_gettop(L);
        pair[i] = (ThPair){var_field(L, p->s, e, 1), var_field(L, p->s, e, 2)};
        lua_pop(L, 1);
    }
    return pair;
}

static void field(lua_State *L, const char *k) {
    lua_getfield(L, 1, k);
    if (!lua_istable(L, -1)) lt_error(L, TH_TypeError, "compile: %s is a table", k);
}

/* The shareds of a list: no_default_updates. */
static ThVar **var_list(lua_State *L, LtState *s, int t, int *n) {
    *n = lt_length_of(L, t, "no_default_updates");
    ThVar **v = room(L, (size_t)*n, sizeof *v);
    for (int i = 0; i < *n; i++) v[i] = var_field(L, s, t, i + 1);
    return v;
}

void lt_lend(lua_State *L, const LtFunction *f) {
    for (int i = 0; i < f->nout; i++) {
        if (!f->out[i].lent) continue;
        lua_createtable(L, f->nout, 0);
        lua_createtable(L, 0, 1);
        lua_pushstring(L, "v"); /* weak: it keeps no result alive */
        lua_setfield(L, -2, "__mode");
        lua_setmetatable(L, -2);
        lua_setiuservalue(L, -2, 3);
        return;
    }
}

/* What calls need to know of results. */
static void describe(lua_State *L, LtFunction *f) {
    f->nin = th_function_ninputs(f->f);
    f->nout = th_function_noutputs(f->f);
    lua_getfield(L, 1, "keep_array"); /* {true, false, ..} */
    for (int i = 0; i < f->nout; i++) {
        ThType t = th_function_output_type(f->f, i);
        f->out[i].dtype = t.dtype;
        if (lua_istable(L, -1)) {
            lua_rawgeti(L, -1, i + 1);
            f->out[i].keep_array = lua_toboolean(L, -1);
            lua_pop(L, 1);
        }
        f->out[i].state = lt_is_state(t);
        f->out[i].scalar = t.ndim == 0 && !f->out[i].keep_array;
        f->out[i].lent = th_function_output_borrow(f->f, i) && !f->out[i].scalar && !f->out[i].state;
        f->out[i].dense = !f->out[i].state && !f->out[i].scalar && !f->out[i].lent && !th_type_sparse(t, NULL);
        f->all_arrays |= t.ndim == 0 && f->out[i].keep_array;
    }
    lua_pop(L, 1);
    lua_getfield(L, 1, "output_names");
    f->named_out = lua_istable(L, -1);
    lua_setiuservalue(L, -2, 1);
    lt_lend(L, f);
}

static LtFunction *new_function(lua_State *L, LtState *s, int nout) {
    size_t size = sizeof(LtFunction) + (size_t)nout * sizeof(LtOutput);
    LtFunction *f = lua_newuserdatauv(L, size, 3);
    memset(f, 0, size);
    lt_set_meta(L, s, LT_FUNCTION);
    return f;
}

/* Compiles, or loads where there is nothing to compile; what it takes is told to Lua's collector. */
static bool make(lua_State *L, LtState *s, LtFunction *f, const ThCompile *c, const ThLoad *from, const char **note) {
    int64_t before = th_stat(s->ctx, "live_bytes");
    lua_State *before_us = s->running;
    s->running = L;
    f->f = c ? th_compile(s->ctx, c) : th_model_load(s->ctx, from, note);
    s->running = before_us;
    int64_t grown = th_stat(s->ctx, "live_bytes") - before;
    f->held = lt_hold(s, grown > 0 ? (size_t)grown : 0, true);
    lt_drain_log(L, s);
    return f->f != NULL;
}

/* compile(spec): all of the table's lists are there; see lua/theano/compile.lua, which made them. */
static int compile(lua_State *L) {
    LtState *s = LT_STATE(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    Spec p = {.s = s};
    field(L, "inputs");
    inputs(L, &p, 2);
    field(L, "outputs");
    outputs(L, &p, lua_gettop(L));
    field(L, "updates");
    p.c.updates = pairs(L, &p, lua_gettop(L), "updates", &p.c.nupdates);
    field(L, "givens");
    p.c.givens = pairs(L, &p, lua_gettop(L), "givens", &p.c.ngivens);
    p.c.name = text(L, 1, "name");
    p.c.mode = text(L, 1, "mode");
    p.c.linker = text(L, 1, "linker");
    p.c.optimizer = text(L, 1, "optimizer");
    p.c.including = text(L, 1, "including");
    p.c.excluding = text(L, 1, "excluding");
    p.c.requiring = text(L, 1, "requiring");
    p.c.on_unused_input = text(L, 1, "on_unused_input");
    int8_t profile = tri(L, 1, "profile");
    p.c.profile = (int8_t)(profile < 0 ? 0 : profile ? 1 : -1);
    p.c.allow_input_downcast = tri(L, 1, "allow_input_downcast");
    lua_getfield(L, 1, "memory");
    p.c.memory = luaL_optinteger(L, -1, 0);
    lua_getfield(L, 1, "watch");
    if (!lua_isnil(L, -1)) p.c.watch = *(ThWatch **)luaL_checkudata(L, -1, "theano.watch");
    lua_getfield(L, 1, "no_default_updates");
    if (lua_istable(L, -1)) p.c.no_default_update_of = var_list(L, s, lua_gettop(L), &p.c.nno_default_update_of);
    else p.c.no_default_updates = lua_toboolean(L, -1);
    p.c.accept_inplace = flag(L, 1, "accept_inplace");
    p.c.no_rebuild_strict = flag(L, 1, "no_rebuild_strict");
    lt_mark_line(L, s);
    lt_collect(L, s);
    LtFunction *f = new_function(L, s, p.c.nout);
    LT_CHECK(L, s, make(L, s, f, &p.c, NULL, NULL));
    describe(L, f);
    return 1;
}

static int results(lua_State *L) { /* names or nil; {is a result without dimensions kept as an array, ..} */
    LtFunction *f = lt_check_function(L, LT_STATE(L), 1);
    lua_settop(L, 1);
    if (f->named_out) lua_getiuservalue(L, 1, 1);
    else lua_pushnil(L);
    lua_createtable(L, f->nout, 0);
    for (int i = 0; i < f->nout; i++) {
        lua_pushboolean(L, f->out[i].keep_array);
        lua_rawseti(L, -2, i + 1);
    }
    return 2;
}

/* ---- saved models ------------------------------------------------------------------------------------------------ */
/* (f, path, note, {levels of x86-64 whose machine code is kept, ..} or nil, key or nil) */
static int function_save(lua_State *L) {
    LtState *s = LT_STATE(L);
    LtFunction *f = lt_check_function(L, s, 1);
    ThSave how = {.path = luaL_checkstring(L, 2), .note = luaL_checkstring(L, 3)};
    how.key = luaL_optlstring(L, 5, NULL, &how.key_bytes);
    how.nnative = lua_isnoneornil(L, 4) ? 0 : (int)luaL_len(L, 4);
    const char **level = room(L, (size_t)how.nnative, sizeof *level);
    for (int i = 0; i < how.nnative; i++) {
        lua_rawgeti(L, 4, i + 1);
        level[i] = luaL_checkstring(L, -1); /* the table keeps it */
        lua_pop(L, 1);
    }
    how.native = level;
    LT_CHECK(L, s, !th_model_save(f->f, &how, NULL, NULL));
    lt_drain_log(L, s);
    return 0;
}

/* (path, describe, key or nil) -> function; describe(note): the fields keep_array and output_names as compile's table
 * has them */
static int function_load(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThLoad how = {.path = luaL_checkstring(L, 1)};
    const char *note;
    how.native = luaL_optlstring(L, 3, NULL, &how.native_bytes);
    lua_settop(L, 3);
    lt_mark_line(L, s);
    lt_collect(L, s);
    LtFunction *first = new_function(L, s, 0); /* holds it while there may be errors of Lua */
    LT_CHECK(L, s, make(L, s, first, NULL, &how, &note));
    LtFunction *f = new_function(L, s, th_function_noutputs(first->f));
    f->f = first->f;
    f->held = first->held;
    first->f = NULL;
    first->held = 0;
    lua_pushvalue(L, 2);
    lua_pushstring(L, note ? note : "");
    lua_call(L, 1, 1);
    lua_replace(L, 1);
    describe(L, f);
    return 1;
}

/* ---- exported programs --------------------------------------------------------------------------------------------
 */
/* (f, {name =, dir =, examples = {ndarray or false, ..}, names = {..} or nil}) */
static int function_export(lua_State *L) {
    LtState *s = LT_STATE(L);
    LtFunction *f = lt_check_function(L, s, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    ThExport e = {.name = text(L, 2, "name"), .dir = text(L, 2, "dir")};
    lua_getfield(L, 2, "examples");
    e.nexample = (int)luaL_len(L, 3);
    ThArray **example = room(L, (size_t)e.nexample, sizeof *example);
    for (int i = 0; i < e.nexample; i++) {
        lua_rawgeti(L, 3, i + 1);
        if (lua_toboolean(L, -1)) example[i] = lt_check_array(L, s, -1);
        lua_pop(L, 1);
    }
    e.example = example;
    e.bounded = flag(L, 2, "bounded");
    e.lua = flag(L, 2, "lua");
    e.weights = flag(L, 2, "weights");
    e.overwrite = flag(L, 2, "overwrite");
    lua_getfield(L, 2, "names");
    if (!lua_isnil(L, -1)) {
        int at = lua_gettop(L);
        e.nresult_names = (int)luaL_len(L, at);
        const char **name = room(L, (size_t)e.nresult_names, sizeof *name);
        for (int i = 0; i < e.nresult_names; i++) {
            lua_rawgeti(L, at, i + 1);
            name[i] = luaL_checkstring(L, -1); /* the table keeps it */
            lua_pop(L, 1);
        }
        e.result_names = name;
    }
    LT_CHECK(L, s, !th_function_export(f->f, &e));
    return 0;
}

/* (f) -> {{name =, dtype =, default = bool, broadcastable = {bool, ..}}, ..}: what its inputs are */
static int function_inputs(lua_State *L) {
    LtState *s = LT_STATE(L);
    LtFunction *f = lt_check_function(L, s, 1);
    int n = th_function_ninputs(f->f);
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        ThType t = th_var_type(th_function_input_var(f->f, i));
        const char *name = th_function_input_name(f->f, i);
        lua_createtable(L, 0, 4);
        if (name) lua_pushstring(L, name);
        else lua_pushboolean(L, 0);
        lua_setfield(L, -2, "name");
        lua_pushstring(L, th_dtype_name((ThDtype)t.dtype));
        lua_setfield(L, -2, "dtype");
        ThArray *usual = th_function_default(f->f, i);
        lua_pushboolean(L, usual != NULL);
        th_array_release(usual);
        lua_setfield(L, -2, "default");
        lua_createtable(L, t.ndim, 0);
        for (int d = 0; d < t.ndim; d++) {
            lua_pushboolean(L, (int)(t.broadcastable >> d & 1));
            lua_rawseti(L, -2, d + 1);
        }
        lua_setfield(L, -2, "broadcastable");
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* ---- inspection -------------------------------------------------------------------------------------------------- */
static int memory(lua_State *L) {
    lt_most(L, 1);
    lua_pushinteger(L, th_function_memory(lt_check_function(L, LT_STATE(L), 1)->f));
    return 1;
}

static int toposort(lua_State *L) {
    LtState *s = LT_STATE(L);
    LtFunction *f = lt_check_function(L, s, 1);
    int n = th_function_nnodes(f->f);
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        lt_push_apply(L, s, th_function_node(f->f, i));
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int graph_variables(lua_State *L) { /* inputs (shareds after them), outputs (updates after them) */
    LtState *s = LT_STATE(L);
    LtFunction *f = lt_check_function(L, s, 1);
    for (int which = 0; which < 2; which++) {
        lua_newtable(L);
        ThVar *v;
        for (int i = 0; (v = which ? th_function_output_var(f->f, i) : th_function_graph_input(f->f, i)); i++) {
            lt_push_var(L, s, th_var_retain(v));
            lua_rawseti(L, -2, i + 1);
        }
    }
    return 2;
}

static int names(lua_State *L) { /* input names, false where unnamed; function name */
    LtFunction *f = lt_check_function(L, LT_STATE(L), 1);
    lua_createtable(L, f->nin, 0);
    for (int i = 0; i < f->nin; i++) {
        const char *n = th_function_input_name(f->f, i);
        if (n) lua_pushstring(L, n);
        else lua_pushboolean(L, 0);
        lua_rawseti(L, -2, i + 1);
    }
    lua_pushstring(L, th_function_name(f->f));
    return 2;
}

typedef char *TextFor(ThFunction *f, const char *target, const int *size, const int64_t *value, int n);

/* (f, target, numbers of sizes, their values) -> text */
static int text_for(lua_State *L, TextFor *write) {
    LtState *s = LT_STATE(L);
    LtFunction *f = lt_check_function(L, s, 1);
    const char *target = luaL_checkstring(L, 2);
    int n = (int)luaL_len(L, 3);
    int *size = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *size, 0);
    int64_t *value = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *value, 0);
    for (int i = 0; i < n; i++) {
        lua_rawgeti(L, 3, i + 1);
        lua_rawgeti(L, 4, i + 1);
        size[i] = (int)luaL_checkinteger(L, -2);
        value[i] = luaL_checkinteger(L, -1);
        lua_pop(L, 2);
    }
    char *t = write(f->f, target, size, value, n);
    LT_CHECK(L, s, t);
    lua_pushstring(L, t);
    th_free(s->ctx, t);
    return 1;
}

static int function_ccode_for(lua_State *L) { return text_for(L, th_function_ccode_for); }
static int function_plan_for(lua_State *L) { return text_for(L, th_function_plan_for); }

static int function_text(lua_State *L) { /* (f, "plan" | "ccode" | "graph") */
    LtState *s = LT_STATE(L);
    LtFunction *f = lt_check_function(L, s, 1);
    const char *what = luaL_checkstring(L, 2);
    char *t = !strcmp(what, "plan")    ? th_function_plan(f->f)
              : !strcmp(what, "ccode") ? th_function_ccode(f->f)
                                       : th_function_graph_text(f->f);
    LT_CHECK(L, s, t);
    lua_pushstring(L, t);
    th_free(s->ctx, t);
    return 1;
}

/* profile(f, n_ops, n_apply) -> summary, totals, {{title, op, toposort indices, calls, seconds}, ..}; nil: none */
static int profile(lua_State *L) {
    static const char *const key[] = {"call_time",      "step_time", "compile_time",
                                      "optimizer_time", "plan_time", "build_time"};
    LtState *s = LT_STATE(L);
    LtFunction *f = lt_check_function(L, s, 1);
    ThProfile p;
    ThProfileStep q;
    if (!th_function_profile(f->f, &p)) return 0;
    char *t = th_function_profile_text(f->f, (int)luaL_optinteger(L, 2, 20), (int)luaL_optinteger(L, 3, 20));
    LT_CHECK(L, s, t);
    lua_pushstring(L, t);
    th_free(s->ctx, t);
    const double value[] = {p.call_time, p.step_time, p.compile_time, p.optimizer_time, p.plan_time, p.build_time};
    lua_createtable(L, 0, 8);
    lua_pushinteger(L, p.calls);
    lua_setfield(L, -2, "calls");
    lua_pushinteger(L, p.failed_calls);
    lua_setfield(L, -2, "failed_calls");
    for (int i = 0; i < 6; i++) lua_pushnumber(L, value[i]), lua_setfield(L, -2, key[i]);
    lua_createtable(L, p.nsteps, 0);
    for (int i = 0; th_function_profile_step(f->f, i, &q); i++) {
        lua_createtable(L, 0, 5);
        lua_pushstring(L, q.title);
        lua_setfield(L, -2, "title");
        lua_pushstring(L, q.op);
        lua_setfield(L, -2, "op");
        lua_pushinteger(L, q.calls);
        lua_setfield(L, -2, "calls");
        lua_pushnumber(L, q.time);
        lua_setfield(L, -2, "time");
        lua_createtable(L, q.nnodes, 0);
        for (int k = 0; k < q.nnodes; k++) lua_pushinteger(L, q.nodes[k]), lua_rawseti(L, -2, k + 1);
        lua_setfield(L, -2, "nodes");
        lua_rawseti(L, -2, i + 1);
    }
    return 3;
}

/* ---- debugprint -------------------------------------------------------------------------------------------------- */
/* {node or variable, ..} -> variables, an Apply's first output standing for it */
static ThVar **variables(lua_State *L, LtState *s, int t, int *n) {
    *n = lt_length_of(L, t, "the list of Variables");
    ThVar **v = room(L, (size_t)*n + 1, sizeof *v);
    for (int i = 0; i < *n; i++) {
        lua_rawgeti(L, t, i + 1);
        ThApply **a = lt_test(L, s, -1, LT_APPLY);
        v[i] = a ? th_apply_output(*a, 0) : lt_check_var(L, s, -1);
        lua_pop(L, 1);
    }
    return v;
}

static ThApply *const *order(lua_State *L, LtState *s, int t, int *n) {
    *n = lt_length_of(L, t, "order");
    ThApply **v = room(L, (size_t)*n + 1, sizeof(ThApply *));
    for (int i = 0; i < *n; i++) {
        lua_rawgeti(L, t, i + 1);
        ThApply **a = lt_test(L, s, -1, LT_APPLY);
        if (!a) lt_error(L, TH_TypeError, "debugprint: order is a list of Apply nodes, entry %d is none", i + 1);
        v[i] = *a;
        lua_pop(L, 1);
    }
    return v;
}

/* The texts that it points to live on the stack of L. */
static void debug_options(lua_State *L, LtState *s, int i, ThDebugPrint *o) {
    *o = (ThDebugPrint){.depth = -1, .ids = 'C'};
    if (!lua_istable(L, i)) return;
    lua_getfield(L, i, "depth");
    if (!lua_isnil(L, -1)) o->depth = (int)luaL_checkinteger(L, -1);
    lua_pop(L, 1);
    o->print_type = flag(L, i, "print_type");
    o->stop_on_name = flag(L, i, "stop_on_name");
    o->print_destroy_map = flag(L, i, "print_destroy_map");
    o->print_view_map = flag(L, i, "print_view_map");
    o->print_clients = flag(L, i, "print_clients");
    o->print_storage = flag(L, i, "print_storage");
    const char *ids = text(L, i, "ids");
    if (ids) o->ids = !strcmp(ids, "CHAR") ? 'C' : !strcmp(ids, "int") ? 'i' : !strcmp(ids, "id") ? 'd' : 0;
    if (lua_getfield(L, i, "order") == LUA_TTABLE) o->order = order(L, s, lua_gettop(L), &o->norder);
    if (lua_getfield(L, i, "seen") == LUA_TTABLE) {
        o->seen = variables(L, s, lua_gettop(L), &o->nseen);
        bool *printed = room(L, (size_t)o->nseen + 1, sizeof *printed);
        lua_getfield(L, i, "printed");
        for (int k = 0; k < o->nseen && lua_istable(L, -1); k++) {
            lua_rawgeti(L, -1, k + 1);
            printed[k] = lua_toboolean(L, -1);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
        o->printed = printed;
    }
}

/* (function | {variables}, options) -> text, {what has an id, in the order of ids} */
static int debugprint(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThDebugPrint o;
    ThVar **met = NULL;
    int nmet = 0;
    lua_settop(L, 2);
    debug_options(L, s, 2, &o);
    o.met = &met, o.nmet = &nmet;
    LtFunction *f = lt_test(L, s, 1, LT_FUNCTION);
    char *t;
    if (f) t = th_function_debugprint(f->f, &o);
    else {
        luaL_checktype(L, 1, LUA_TTABLE);
        int n;
        ThVar **v = variables(L, s, 1, &n);
        t = th_debugprint(s->ctx, v, n, &o);
    }
    LT_CHECK(L, s, t);
    lua_pushstring(L, t);
    th_free(s->ctx, t);
    lua_createtable(L, nmet, 0);
    for (int i = 0; i < nmet; i++) {
        if (th_var_owner(met[i])) lt_push_apply(L, s, th_var_owner(met[i]));
        else lt_push_var(L, s, th_var_retain(met[i]));
        lua_rawseti(L, -2, i + 1);
    }
    th_free(s->ctx, met);
    return 2;
}

void lt_open_function(lua_State *L, LtState *s) {
    static const luaL_Reg meta[] = {{"__gc", fn_gc}, {NULL, NULL}};
    lt_new_meta(L, s, LT_FUNCTION, "theano.Function", meta);
    lua_pushlightuserdata(L, s);
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->meta_ref[LT_ARRAY]);
    lua_pushcclosure(L, lt_call_function, 2);
    lua_setfield(L, -2, "__call");
    lua_setfield(L, -2, "function_meta");
    static const luaL_Reg fns[] = {{"compile", compile},
                                   {"toposort", toposort},
                                   {"function_memory", memory},
                                   {"function_names", names},
                                   {"function_results", results},
                                   {"function_save", function_save},
                                   {"function_load", function_load},
                                   {"function_export", function_export},
                                   {"function_inputs", function_inputs},
                                   {"graph_variables", graph_variables},
                                   {"function_text", function_text},
                                   {"function_ccode_for", function_ccode_for},
                                   {"function_plan_for", function_plan_for},
                                   {"function_profile", profile},
                                   {"debugprint", debugprint},
                                   {NULL, NULL}};
    lt_register(L, s, fns);
}
