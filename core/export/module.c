/* module.c -- NAME_lua.c: the program as a module of Lua, which needs no engine: texts of runtime/module.h. */
#include "runtime/gpu/embed.h"
#include "export.h"

#include <stdio.h>

GPU_EMBED(export_module_text, "export/runtime/module.h");

enum { SHOWN_DIMS = 8 }; /* of arrays that Lua may give: any, in C */

static void put_value(Text *t, const char *at, const Param *v) {
    const char kind = v->dtype == TH_FLOAT16 ? 'e' : v->dtype == TH_BFLOAT16 ? 'E' : th_dtype_kind(v->dtype);
    text_printf(t, "    {\"%s\", '%c', %d, %d, offsetof(Box, %s), {", v->name, kind, (int)th_dtype_bytes(v->dtype),
                v->ndim, at);
    for (int d = 0; d < v->ndim; d++) text_printf(t, d ? ", %lld" : "%lld", (long long)v->shape[d]);
    text_printf(t, "%s}, %d, %d},\n", v->ndim ? "" : "0", v->moves, v->usual != NULL);
}

static void put_memory(Text *t, const char *name, int i, const Param *v) {
    int64_t n = export_parts(v->dtype);
    for (int d = 0; d < v->ndim; d++) n *= v->shape[d];
    text_printf(t, "    %s %s%d[%lld];\n", export_ctype(v->dtype), name, i, (long long)(n ? n : 1));
}

/* What a value of Lua goes to and comes from. */
static void tables(Export *x, Text *t) {
    char at[80];
    text_put(t, "static const Value fields[] = {\n");
    for (int i = 0; i < x->nfield; i++) {
        const ThArray *a = x->field[i].value;
        Param v = {.name = x->field[i].name, .dtype = (ThDtype)a->dtype, .ndim = a->ndim, .shape = ARRAY_SHAPE(a)};
        snprintf(at, sizeof at, "state.%s", v.name);
        put_value(t, at, &v);
    }
    text_put(t, "    {NULL, 0, 0, 0, 0, {0}, 0, 0}};\nstatic const Value ins[] = {\n");
    for (int i = 0; i < x->nin; i++) {
        snprintf(at, sizeof at, "in%d", i);
        put_value(t, at, &x->in[i]);
    }
    text_put(t, "    {NULL, 0, 0, 0, 0, {0}, 0, 0}};\nstatic const Value outs[] = {\n");
    for (int i = 0; i < x->nout; i++) {
        snprintf(at, sizeof at, "out%d", i);
        put_value(t, at, &x->out[i]);
    }
    text_put(t, "    {NULL, 0, 0, 0, 0, {0}, 0, 0}};\n\n");
}

static void calls(Export *x, Text *t) {
    text_printf(t, "static void box_init(Box *b) { %s_init(&b->state); }\n", x->name);
    text_printf(t, "static const char *box_error(const Box *b) { return %s_error(&b->state); }\n", x->name);
    text_printf(t, "static int box_call(Box *b, const int *given) {\n    (void)given;\n    return %s_call(&b->state",
                x->name);
    for (int i = 0; i < x->nin; i++) {
        text_printf(t, ", given[%d] ? b->in%d : NULL", i, i);
        if (x->in[i].moves) text_printf(t, ", b->shape[%d]", i);
    }
    for (int i = 0; i < x->nout; i++) {
        text_printf(t, ", b->out%d", i);
        if (x->out[i].moves) text_printf(t, ", b->shape[%d]", x->nin + i);
    }
    text_put(t, ");\n}\n\n");
}

static bool shown(Export *x) {
    for (int i = 0; i < x->nin + x->nout; i++) {
        const Param *v = i < x->nin ? &x->in[i] : &x->out[i - x->nin];
        if (v->ndim > SHOWN_DIMS)
            return err(x->c, TH_NotImplementedError, "export: %s has %d dimensions; modules of Lua take up to %d",
                       v->name, v->ndim, SHOWN_DIMS);
    }
    for (int i = 0; i < x->nfield; i++) {
        if (x->field[i].value->ndim > SHOWN_DIMS)
            return err(x->c, TH_NotImplementedError, "export: %s has %d dimensions; modules of Lua take up to %d",
                       x->field[i].name, x->field[i].value->ndim, SHOWN_DIMS);
    }
    return true;
}

bool export_module(Export *x) {
    Text *t = &x->module;
    if (!x->how->lua) return true;
    if (!shown(x)) return false;
    text_printf(t,
                "/* %s_lua.c -- %s.c as a module of Lua 5.3 and later, " EXPORT_MARK ":\n"
                " * p = require(\"%s\").new(); results = p(arguments). */\n",
                x->name, x->name, x->name);
    text_printf(t,
                "#include \"%s.h\"\n\n#include <lauxlib.h>\n#include <lua.h>\n#include <math.h>\n#include "
                "<stddef.h>\n#include <string.h>\n\n",
                x->name);
    text_printf(t, "#define NAME \"%s\"\nenum { NIN = %d, NOUT = %d, NFIELD = %d, MOST_DIMS = %d };\n\n", x->name,
                x->nin, x->nout, x->nfield, SHOWN_DIMS);
    text_put(t, "typedef struct Value {\n    const char *name;\n    char kind; /* b, i, u, f, c; e, E: float16, "
                "bfloat16 */\n    int bytes, ndim;\n"
                "    size_t at; /* in a Box */\n    int64_t shape[MOST_DIMS];\n"
                "    int moves, usual; /* the shape is the largest; it may be left out */\n} Value;\n\n");
    text_printf(t, "typedef struct Box { /* a userdata */\n    %s_state state;\n", x->name);
    text_put(t, "    int64_t shape[NIN + NOUT + 1][MOST_DIMS];\n");
    for (int i = 0; i < x->nin; i++) put_memory(t, "in", i, &x->in[i]);
    for (int i = 0; i < x->nout; i++) put_memory(t, "out", i, &x->out[i]);
    text_put(t, "} Box;\n\n");
    tables(x, t);
    calls(x, t);
    text_put(t, export_module_text);
    text_printf(t, "\nint luaopen_%s(lua_State *L);\nint luaopen_%s(lua_State *L) {\n", x->name, x->name);
    text_put(t, "    static const luaL_Reg of_box[] = {{\"__call\", module_call}, {\"__index\", module_index},\n"
                "        {\"__newindex\", module_newindex}, {NULL, NULL}};\n"
                "    static const luaL_Reg of_module[] = {{\"new\", module_new}, {\"copy\", module_copy},\n"
                "        {\"reset\", module_reset}, {NULL, NULL}};\n"
                "    luaL_newmetatable(L, NAME);\n    luaL_setfuncs(L, of_box, 0);\n    lua_pushboolean(L, 0);\n"
                "    lua_setfield(L, -2, \"__metatable\");\n    lua_pop(L, 1);\n    luaL_newlib(L, of_module);\n"
                "    return 1;\n}\n");
    return !failed(x->c) && !t->failed;
}
