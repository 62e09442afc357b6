/*
 * error.c -- engine errors as Lua errors, and where the user stands: the first frame of the stack outside our own
 * files.
 */
#include "binding.h"

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

void lt_mark_line(lua_State *L, LtState *s) {
    const char *file;
    int line;
    lt_where(L, s, &file, &line);
    th_set_line(s->ctx, file, line);
}

static int throw_text(lua_State *L, LtState *s, const char *kind, const char *text) {
    const char *file;
    int line;
    lt_where(L, s, &file, &line);
    if (file) lua_pushfstring(L, "%s:%d: %s: %s", file, line, kind, text);
    else lua_pushfstring(L, "%s: %s", kind, text);
    return lua_error(L);
}

int lt_raise(lua_State *L, LtState *s) {
    ThError e = th_error(s->ctx);
    const char *kind = e == TH_OK ? "RuntimeError" : th_error_name(e);
    lua_pushstring(L, e == TH_OK ? "the engine failed without a message" : th_error_text(s->ctx));
    th_error_clear(s->ctx);
    return throw_text(L, s, kind, lua_tostring(L, -1));
}

int lt_error(lua_State *L, ThError kind, const char *format, ...) {
    char text[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    return throw_text(L, lt_state(L), th_error_name(kind), text);
}
