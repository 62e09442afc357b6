/* print.c -- pp, graph text, gradients, optimizer inspection, how arrays print: thin calls of the engine. */
#include "binding.h"

#include <string.h>

static int give(lua_State *L, LtState *s, char *t) {
    LT_CHECK(L, s, t);
    lua_pushstring(L, t);
    th_free(s->ctx, t);
    return 1;
}

static int pp(lua_State *L) {
    LtState *s = LT_STATE(L);
    return give(L, s, th_pp(lt_check_var(L, s, 1)));
}

static ThVar **vars(lua_State *L, LtState *s, int t, int *n) {
    luaL_checktype(L, t, LUA_TTABLE);
    *n = lt_length(L, t, &(LtPlace){.argument = t});
    ThVar **v = lua_newuserdatauv(L, sizeof *v * (size_t)(*n + 1), 0);
    for (int i = 0; i < *n; i++) {
        lua_rawgeti(L, t, i + 1);
        v[i] = lt_check_var(L, s, -1);
        lua_pop(L, 1);
    }
    return v;
}

static int graph_text(lua_State *L) {
    LtState *s = LT_STATE(L);
    int n;
    ThVar **v = vars(L, s, 1, &n);
    return give(L, s, th_graph_text(s->ctx, v, n));
}

static int graph_read(lua_State *L) { /* text -> {inputs}, {outputs} */
    LtState *s = LT_STATE(L);
    ThVar **in, **out;
    int nin, nout;
    LT_CHECK(L, s, !th_graph_read(s->ctx, luaL_checkstring(L, 1), &in, &nin, &out, &nout));
    lua_createtable(L, nin, 0);
    for (int i = 0; i < nin; i++) {
        lt_push_var(L, s, in[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_createtable(L, nout, 0);
    for (int i = 0; i < nout; i++) {
        lt_push_var(L, s, out[i]);
        lua_rawseti(L, -2, i + 1);
    }
    th_free(s->ctx, in);
    th_free(s->ctx, out);
    return 2;
}

static int optimize_text(lua_State *L) {
    LtState *s = LT_STATE(L);
    lua_State *before = s->running;
    const char *graph = luaL_checkstring(L, 1), *passes = luaL_checkstring(L, 2);
    s->running = L;
    char *t = th_optimize_text(s->ctx, graph, passes);
    s->running = before;
    return give(L, s, t);
}

static int optdb_fired(lua_State *L) {
    LtState *s = LT_STATE(L);
    return give(L, s, th_optdb_fired(s->ctx));
}

static int optdb_summary(lua_State *L) {
    LtState *s = LT_STATE(L);
    char *t = th_optdb_summary(s->ctx, luaL_checkstring(L, 1));
    lt_drain_log(L, s);
    return give(L, s, t);
}

static int optdb_table(lua_State *L) {
    LtState *s = LT_STATE(L);
    return give(L, s, th_optdb_table(s->ctx));
}

/* ---- looking into functions -------------------------------------------------------------------------------------- */
static int places(lua_State *L) { /* of a variable or an Apply: "mlp.lua:41 (hidden)" */
    LtState *s = LT_STATE(L);
    ThApply **a = lt_test(L, s, 1, LT_APPLY);
    return give(L, s, a ? th_apply_places(*a) : th_var_places(lt_check_var(L, s, 1)));
}

static int apply_facts(lua_State *L) { /* (node) -> rule that made it or nil, input destroyed or -1, viewed or -1 */
    LtState *s = LT_STATE(L);
    ThApply **a = lt_test(L, s, 1, LT_APPLY);
    if (!a) return lt_error(L, TH_TypeError, "Apply expected, got %s", luaL_typename(L, 1));
    lua_pushstring(L, th_apply_rule(*a));
    lua_pushinteger(L, th_apply_destroys(*a));
    lua_pushinteger(L, th_apply_views(*a));
    return 3;
}

static int function_describe(lua_State *L) {
    LtState *s = LT_STATE(L);
    return give(L, s, th_function_describe(lt_check_function(L, s, 1)->f));
}

static int function_launches(lua_State *L) {
    LtState *s = LT_STATE(L);
    return give(L, s, th_function_launches(lt_check_function(L, s, 1)->f));
}

static int function_cubin(lua_State *L) { /* (function, arch) -> bytes, log; or nil: no NVRTC */
    LtState *s = LT_STATE(L);
    LtFunction *f = lt_check_function(L, s, 1);
    const char *arch = luaL_checkstring(L, 2);
    size_t bytes;
    char *log, *image = th_function_cubin(f->f, arch, &bytes, &log);
    LT_CHECK(L, s, image || !th_error(s->ctx));
    if (image) lua_pushlstring(L, image, bytes);
    else lua_pushnil(L);
    lua_pushstring(L, log ? log : "");
    th_free(s->ctx, image);
    th_free(s->ctx, log);
    return 2;
}

/* Rewrites of the host run once more: Lua's are called on L. */
static int function_rewrites(lua_State *L) {
    LtState *s = LT_STATE(L);
    LtFunction *f = lt_check_function(L, s, 1);
    lua_State *before = s->running;
    s->running = L;
    char *t = th_function_rewrites(f->f);
    s->running = before;
    lt_drain_log(L, s);
    return give(L, s, t);
}

static int trace_begin(lua_State *L) {
    LtState *s = LT_STATE(L);
    LT_CHECK(L, s, !th_trace_begin(s->ctx, luaL_checkinteger(L, 1)));
    return 0;
}

static int trace_end(lua_State *L) {
    LtState *s = LT_STATE(L);
    return give(L, s, th_trace_end(s->ctx));
}

static int body_outputs(lua_State *L) { /* (node, number of the body from 0) -> {variables}, or nil: it has none */
    LtState *s = LT_STATE(L);
    ThApply **a = lt_test(L, s, 1, LT_APPLY);
    if (!a) return lt_error(L, TH_TypeError, "Apply expected, got %s", luaL_typename(L, 1));
    int body = (int)luaL_optinteger(L, 2, 0);
    ThVar *v = th_apply_body(*a, body, 0);
    if (!v) return 0;
    lua_newtable(L);
    for (int i = 0; v; v = th_apply_body(*a, body, ++i)) {
        lt_push_var(L, s, th_var_retain(v));
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int graphviz(lua_State *L) { /* (format, file to read, file to write) */
    LtState *s = LT_STATE(L);
    LT_CHECK(L, s, !th_graphviz(s->ctx, luaL_checkstring(L, 1), luaL_checkstring(L, 2), luaL_checkstring(L, 3)));
    return 0;
}

static ThPolicy policy(lua_State *L, int t, const char *k) {
    static const char *const names[] = {"raise", "warn", "ignore"};
    lua_getfield(L, t, k);
    const char *v = lua_isnil(L, -1) ? "raise" : luaL_checkstring(L, -1);
    lua_pop(L, 1);
    for (int i = 0; i < 3; i++)
        if (!strcmp(v, names[i])) return (ThPolicy)i;
    lt_error(L, TH_ValueError, "%s must be one of 'raise', 'warn', 'ignore', not '%s'", k, v);
    return TH_RAISE;
}

static bool flag(lua_State *L, int t, const char *k) {
    lua_getfield(L, t, k);
    bool b = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return b;
}

/* grad(cost or nil, {wrt}, options) -> {gradients}; options are normalised by lua/theano/gradient.lua */
static int grad(lua_State *L) {
    LtState *s = LT_STATE(L);
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_settop(L, 3);
    ThVar *cost = lua_isnil(L, 1) ? NULL : lt_check_var(L, s, 1);
    int n, nk, ng;
    ThVar **wrt = vars(L, s, 2, &n);
    ThGradOptions o = {.disconnected_inputs = policy(L, 3, "disconnected_inputs"),
                       .null_return = flag(L, 3, "null_return"),
                       .no_names = flag(L, 3, "no_names")};
    lua_getfield(L, 3, "consider_constant");
    o.consider_constant = vars(L, s, lua_gettop(L), &o.nconsider);
    lua_getfield(L, 3, "known");
    o.known = vars(L, s, lua_gettop(L), &nk);
    lua_getfield(L, 3, "known_grad");
    o.known_grad = vars(L, s, lua_gettop(L), &ng);
    o.nknown = nk;
    lua_getfield(L, 3, "disconnected");
    o.disconnected = luaL_checkstring(L, -1)[0];
    ThVar **out = lua_newuserdatauv(L, sizeof *out * (size_t)(n + 1), 0);
    memset(out, 0, sizeof *out * (size_t)(n + 1));
    lt_mark_line(L, s);
    LT_CHECK(L, s, !th_grad(s->ctx, cost, wrt, n, &o, out));
    lt_drain_log(L, s);
    return lt_push_vars(L, s, out, n);
}

/* ---- how arrays are printed ---------------------------------------------------------------------------------------
 */
/* A count from field k of the table at 1; math.huge is the largest. */
static int64_t option(lua_State *L, const char *k, int64_t most, int64_t absent) {
    lua_getfield(L, 1, k);
    int64_t v = absent;
    if (lua_type(L, -1) == LUA_TNUMBER && lua_tonumber(L, -1) >= (lua_Number)most) v = most;
    else if (!lua_isnil(L, -1)) v = luaL_checkinteger(L, -1);
    lua_pop(L, 1);
    return v;
}

/* A short text from field k of the table at 1 into `to`, if it is there. */
static void word_option(lua_State *L, const char *k, char *to, size_t room) {
    size_t n;
    lua_getfield(L, 1, k);
    if (!lua_isnil(L, -1)) {
        const char *v = luaL_checklstring(L, -1, &n);
        if (n >= room || strlen(v) != n)
            lt_error(L, TH_ValueError, "%s is a text of at most %d characters", k, (int)room - 1);
        memcpy(to, v, n + 1);
    }
    lua_pop(L, 1);
}

static const char *const float_modes[] = {"maxprec", "fixed", "maxprec_equal", "unique"};

static ThFloatMode floatmode(lua_State *L, ThFloatMode absent) {
    lua_getfield(L, 1, "floatmode");
    const char *v = luaL_optstring(L, -1, float_modes[absent]);
    for (int i = 0; i <= TH_FLOAT_UNIQUE; i++) {
        if (strcmp(v, float_modes[i])) continue;
        lua_pop(L, 1);
        return (ThFloatMode)i;
    }
    lt_error(L, TH_ValueError, "floatmode is 'fixed', 'unique', 'maxprec' or 'maxprec_equal', not '%s'", v);
    return absent;
}

static int set_printoptions(lua_State *L) {
    LtState *s = LT_STATE(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    ThPrintOptions o = th_print_options_get(s->ctx);
    o.precision = (int)option(L, "precision", 1 << 30, o.precision);
    o.edgeitems = (int)option(L, "edgeitems", 1 << 30, o.edgeitems);
    o.linewidth = (int)option(L, "linewidth", 1 << 30, o.linewidth);
    o.threshold = option(L, "threshold", INT64_MAX, o.threshold);
    lua_getfield(L, 1, "suppress");
    if (!lua_isnil(L, -1)) o.suppress = lua_toboolean(L, -1);
    ThPrintStyle style;
    th_print_style(s->ctx, NULL, &style);
    style.floatmode = floatmode(L, style.floatmode);
    char sign[2] = {style.sign};
    word_option(L, "sign", sign, sizeof sign);
    if (!strchr("-+ ", *sign)) return lt_error(L, TH_ValueError, "sign is '-', '+' or ' ', not '%s'", sign);
    style.sign = *sign;
    word_option(L, "nanstr", style.nanstr, sizeof style.nanstr);
    word_option(L, "infstr", style.infstr, sizeof style.infstr);
    LT_CHECK(L, s, !th_print_options(s->ctx, &o) && !th_print_style(s->ctx, &style, NULL));
    return 0;
}

static int get_printoptions(lua_State *L) {
    lt_most(L, 0);
    ThPrintOptions o = th_print_options_get(LT_STATE(L)->ctx);
    ThPrintStyle style;
    LT_CHECK(L, LT_STATE(L), !th_print_style(LT_STATE(L)->ctx, NULL, &style));
    lua_createtable(L, 0, 9);
    lua_pushinteger(L, o.precision);
    lua_setfield(L, -2, "precision");
    lua_pushinteger(L, o.edgeitems);
    lua_setfield(L, -2, "edgeitems");
    lua_pushinteger(L, o.linewidth);
    lua_setfield(L, -2, "linewidth");
    lua_pushinteger(L, o.threshold);
    lua_setfield(L, -2, "threshold");
    lua_pushboolean(L, o.suppress);
    lua_setfield(L, -2, "suppress");
    lua_pushstring(L, float_modes[style.floatmode]);
    lua_setfield(L, -2, "floatmode");
    lua_pushlstring(L, style.sign ? &style.sign : "-", 1);
    lua_setfield(L, -2, "sign");
    lua_pushstring(L, *style.nanstr ? style.nanstr : "nan");
    lua_setfield(L, -2, "nanstr");
    lua_pushstring(L, *style.infstr ? style.infstr : "inf");
    lua_setfield(L, -2, "infstr");
    return 1;
}

void lt_open_print(lua_State *L, LtState *s) {
    static const luaL_Reg fns[] = {{"pp", pp},
                                   {"graph_text", graph_text},
                                   {"graph_read", graph_read},
                                   {"optimize_text", optimize_text},
                                   {"optdb_summary", optdb_summary},
                                   {"optdb_fired", optdb_fired},
                                   {"optdb_table", optdb_table},
                                   {"grad", grad},
                                   {"places", places},
                                   {"apply_facts", apply_facts},
                                   {"function_describe", function_describe},
                                   {"function_launches", function_launches},
                                   {"function_cubin", function_cubin},
                                   {"function_rewrites", function_rewrites},
                                   {"trace_begin", trace_begin},
                                   {"trace_end", trace_end},
                                   {"graphviz", graphviz},
                                   {"set_printoptions", set_printoptions},
                                   {"get_printoptions", get_printoptions},
                                   {"body_outputs", body_outputs},
                                   {NULL, NULL}};
    lt_register(L, s, fns);
}
