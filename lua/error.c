/*
 * error.c -- engine errors as Lua errors, and where the user stands: the first frame of the stack outside our own
 * files.
 */
#include "binding.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool ours(const LtState *s, const char *source) {
    return s->home[0] && !strncmp(source, s->home, strlen(s->home));
}

void lt_where(lua_State *L, LtState *s, const char **file, int *line) {
    lua_Debug ar;
    *file = NULL;
    *line = 0;
    for (int level = 0; lua_getstack(L, level, &ar); level++) {
        lua_getinfo(L, "Sl", &ar);
        if (ar.currentline < 0 || ours(s, ar.source)) continue;
        *file = ar.source[0] == '@' ? ar.source + 1 : ar.source[0] == '=' ? ar.source + 1 : ar.short_src;
        if (ar.source[0] != '@' &&
            ar.source[0] != '=') { /* ar is ours: copy the short name where the caller can keep it */
            lua_pushstring(L, ar.short_src);
            *file = lua_tostring(L, -1);
            lua_rawsetp(L, LUA_REGISTRYINDEX, &s->home);
        }
        *line = ar.currentline;
        return;
    }
}

void lt_enter(lua_State *L, LtState *s) {
    if (L != s->entered && L != s->main) { /* a coroutine is kept until another one comes: a host may call later */
        luaL_checkstack(L, 2, NULL);
        lua_pushthread(L);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &s->entered);
    }
    s->entered = L;
    s->thread = (unsigned long)pthread_self();
}

lua_State *lt_entered(LtState *s) {
    if (!s->entered || s->thread != (unsigned long)pthread_self()) return NULL;
    return lua_status(s->entered) == LUA_OK ? s->entered : s->main; /* one that has yielded takes no calls */
}

void lt_mark_line(lua_State *L, LtState *s) {
    lt_enter(L, s);
    const char *file;
    int line;
    lt_where(L, s, &file, &line);
    th_set_line(s->ctx, file, line);
}

LT_NORETURN static int throw_text(lua_State *L, LtState *s, const char *kind, const char *text) {
    const char *file;
    int line;
    lt_where(L, s, &file, &line);
    if (file) lua_pushfstring(L, "%s:%d: %s: %s", file, line, kind, text);
    else lua_pushfstring(L, "%s: %s", kind, text);
    lua_error(L);
}

int lt_raise(lua_State *L, LtState *s) {
    ThError e = th_error(s->ctx);
    const char *kind = e == TH_OK ? "RuntimeError" : th_error_name(e);
    lua_pushstring(L, e == TH_OK ? "the engine failed without a message" : th_error_text(s->ctx));
    th_error_clear(s->ctx);
    throw_text(L, s, kind, lua_tostring(L, -1));
}

int lt_error(lua_State *L, ThError kind, const char *format, ...) {
    char text[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    throw_text(L, lt_state(L), th_error_name(kind), text);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */
/* The name that the running C function was called by, and whether it is a method, whose object is not counted. */
static const char *called(lua_State *L, bool *method) {
    lua_Debug ar;
    *method = false;
    if (!lua_getstack(L, 0, &ar) || !lua_getinfo(L, "n", &ar)) return NULL;
    *method = ar.namewhat && !strcmp(ar.namewhat, "method");
    return ar.name && strcmp(ar.name, "?") ? ar.name : NULL; /* t[k](): Lua does not know it either */
}

void lt_most(lua_State *L, int most) {
    bool method;
    int n = lua_gettop(L);
    while (n > most && lua_isnil(L, n)) n--;
    if (n <= most) return;
    const char *name = called(L, &method);
    if (!name) name = "this function";
    int takes = most - method;
    if (!lt_is_keywords(L, n))
        lt_error(L, TH_TypeError, "%s takes %d argument%s, %d given", name, takes, takes == 1 ? "" : "s", n - method);
    lua_pushnil(L);
    lua_next(L, n);
    lt_error(L, TH_TypeError, "%s takes %d argument%s and no keywords: '%s' is not known", name, takes,
             takes == 1 ? "" : "s", lua_tostring(L, -2));
}

int lt_wrong(lua_State *L, int i, const char *wanted) {
    bool self;
    const char *name = called(L, &self);
    const char *got = lua_isnone(L, i) ? "missing" : luaL_typename(L, i);
    if (i < 0) return lt_error(L, TH_TypeError, "an entry of a table is a %s, %s is expected", got, wanted);
    return lt_error(L, TH_TypeError, "%s: argument %d is %s%s, %s is expected", name ? name : "this function", i - self,
                    lua_isnone(L, i) ? "" : "a ", got, wanted);
}

const char *lt_checklstring(lua_State *L, int i, size_t *n) {
    const char *text = lua_tolstring(L, i, n);
    if (!text) lt_wrong(L, i, "a string");
    return text;
}

const char *lt_optstring(lua_State *L, int i, const char *absent) {
    return lua_isnoneornil(L, i) ? absent : lt_checklstring(L, i, NULL);
}

lua_Integer lt_checkinteger(lua_State *L, int i) {
    int fine;
    lua_Integer v = lua_tointegerx(L, i, &fine);
    if (!fine) lt_wrong(L, i, "an integer");
    return v;
}

lua_Number lt_checknumber(lua_State *L, int i) {
    int fine;
    lua_Number v = lua_tonumberx(L, i, &fine);
    if (!fine) lt_wrong(L, i, "a number");
    return v;
}

lua_Number lt_optnumber(lua_State *L, int i, lua_Number absent) {
    return lua_isnoneornil(L, i) ? absent : lt_checknumber(L, i);
}

void lt_checktype(lua_State *L, int i, int type) {
    if (lua_type(L, i) != type) lt_wrong(L, i, type == LUA_TTABLE ? "a table" : lua_typename(L, type));
}

/* Lua writes the locale's point, of one or more bytes. */
const char *lt_push_number(lua_State *L, lua_Number v) {
    char own[64], *to = own;
    const char *text = lua_pushfstring(L, "%f", v);
    for (bool skipped = false; *text && to < own + sizeof own - 1; text++) {
        bool plain = strchr("+-0123456789abcdefinpxINF", *text) != NULL;
        if (plain || !skipped) *to++ = plain ? *text : '.';
        skipped = !plain;
    }
    lua_pop(L, 1);
    return lua_pushlstring(L, own, (size_t)(to - own));
}

const char *lt_push_text(lua_State *L, int i) {
    if (lua_type(L, i) == LUA_TNUMBER && !lua_isinteger(L, i)) return lt_push_number(L, lua_tonumber(L, i));
    return luaL_tolstring(L, i, NULL);
}

ThError lt_kind_in(const char *text, const char **said) {
    *said = text ? text : "an error that is no text";
    for (const char *p = text; p; p = strstr(p, ": ") ? strstr(p, ": ") + 2 : NULL)
        for (int e = TH_OK + 1; e < TH_ERROR_COUNT; e++) {
            const char *name = th_error_name((ThError)e);
            size_t n = strlen(name);
            if (strncmp(p, name, n) != 0 || p[n] != ':') continue;
            *said = p + n + strspn(p + n, ": ");
            return (ThError)e;
        }
    return TH_RuntimeError;
}
