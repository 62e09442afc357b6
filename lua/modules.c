/*
 * modules.c -- where the runner finds the modules of this project: by where it lies itself, so that what is installed
 * can be moved and never looks into the tree it was built from.
 *
 *   a build folder   BUILD/theano beside BUILD/lua/tree, which names the tree's folder lua/ (written by CMake); what
 *                    the build made of the modules (scripts/precompile) is in BUILD/lua/compiled
 *   installed        PREFIX/bin/theano with PREFIX/share/lua/5.4/theano, made ready in compiled/ there; where there is
 *                    no such folder, the one that was asked for when it was configured
 */
#include "modules.h"

#include <lauxlib.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* ---- the two folders: upvalues of the searcher ---- */
enum { MODULES = 1, COMPILED };

/* Pushes the folder of this program, or nothing and false. */
static bool push_own_folder(lua_State *L) {
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    while (n > 0 && path[n - 1] != '/') n--;
    if (n <= 1 || n == (ssize_t)sizeof path) return false;
    lua_pushlstring(L, path, (size_t)n - 1);
    return true;
}

/* Pushes the folder that has theano/ and the folder of what is made ready of it. */
static void push_folders(lua_State *L) {
    lua_settop(L, 0);
    if (push_own_folder(L)) {
        const char *own = lua_tostring(L, 1);
        if (push_file(L, lua_pushfstring(L, "%s/lua/tree", own))) {
            lua_pushfstring(L, "%s/lua/compiled", own);
            return;
        }
        luaL_gsub(L, lua_pushfstring(L, "%s/../share/lua/5.4", own), "/bin/..", "");
        if (access(lua_pushfstring(L, "%s/theano/init.lua", lua_tostring(L, -1)), R_OK) == 0) {
            lua_pop(L, 1);
            lua_pushfstring(L, "%s/theano/compiled", lua_tostring(L, -1));
            return;
        }
    }
    lua_pushliteral(L, TH_INSTALLED_LUA);
    lua_pushliteral(L, TH_INSTALLED_LUA "/theano/compiled");
}

/* ---- modules that the build has made ready (scripts/precompile) ---- */
typedef struct Pieces {
    const char *at[3];
    size_t size[3];
    int next;
} Pieces;

static const char *read_piece(lua_State *L, void *user, size_t *size) {
    Pieces *p = user;
    (void)L;
    *size = p->next < 3 ? p->size[p->next] : 0;
    return *size ? p->at[p->next++] : NULL;
}

/* The text at *at behind the 8 bytes of its length, and what follows; NULL where that is not so. */
static void take(const char **at, size_t *size, const char **text, size_t *n) {
    uint64_t value = 0;
    *text = NULL;
    *n = 0;
    if (*size < 8) return;
    for (int i = 7; i >= 0; i--) value = value << 8 | (unsigned char)(*at)[i];
    if (value > *size - 8) return;
    *text = *at + 8, *n = (size_t)value;
    *at += 8 + *n, *size -= 8 + *n;
}

/* Lua's code of a module: what stands before its file's name, and what stands behind. The name is put between them,
 * since nobody knew when it was made where it would lie. Leaves the function, or something else and false. */
static bool load_code(lua_State *L, const char *path, const char *head, size_t nhead, const char *rest, size_t nrest) {
    char digits[10];
    size_t at = sizeof digits, left = strlen(path) + 2; /* '@', the path, and one, as lundump.c reads lengths */
    luaL_Buffer b;
    do {
        digits[--at] = (char)(left & 0x7f);
        left >>= 7;
    } while (left);
    digits[sizeof digits - 1] |= (char)0x80;
    luaL_buffinit(L, &b);
    luaL_addlstring(&b, digits + at, sizeof digits - at);
    luaL_addchar(&b, '@');
    luaL_addstring(&b, path);
    luaL_pushresult(&b);
    size_t nname;
    const char *name = lua_tolstring(L, -1, &nname);
    Pieces p = {{head, name, rest}, {nhead, nname, nrest}, 0};
    return lua_load(L, read_piece, &p, path, "b") == LUA_OK; /* another Lua's code is refused */
}

/* Pushes theano.NAME as a function and its path, from code made of the very text that stands there now; or false. */
static bool push_compiled(lua_State *L, const char *name) {
    int top = lua_gettop(L);
    size_t ntext, ncode, nkept, nhead;
    const char *kept, *head;
    const char *path = lua_pushfstring(L, "%s/theano/%s.lua", lua_tostring(L, lua_upvalueindex(MODULES)), name);
    const char *made = lua_pushfstring(L, "%s/%s.luac", lua_tostring(L, lua_upvalueindex(COMPILED)), name);
    if (strchr(name, '.') || !push_file(L, path) || !push_file(L, made)) return false;
    const char *text = lua_tolstring(L, top + 3, &ntext), *code = lua_tolstring(L, top + 4, &ncode);
    take(&code, &ncode, &kept, &nkept);
    take(&code, &ncode, &head, &nhead);
    if (!kept || !head || nkept != ntext || memcmp(kept, text, ntext) != 0) return false;
    if (!load_code(L, path, head, nhead, code, ncode)) return false;
    lua_pushvalue(L, top + 1);
    return true;
}

/* The text of theano.NAME as a function and its path. 0: there is none. */
static int push_text(lua_State *L, const char *name) {
    static const char *const forms[] = {"%s/theano/%s.lua", "%s/theano/%s/init.lua"};
    const char *folder = lua_tostring(L, lua_upvalueindex(MODULES)), *inner = luaL_gsub(L, name, ".", "/");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const char *path = lua_pushfstring(L, forms[i], folder, inner);
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
    if (push_compiled(L, name)) return 2;
    lua_settop(L, 1);
    return push_text(L, name);
}

/* Our folder before Lua's own places; 5.1 folders last, for pure-Lua tools that Debian files there (busted, penlight).
 */
static void set_path(lua_State *L, const char *folder) {
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "path");
    lua_pushfstring(L, "%s/?.lua;%s/?/init.lua;%s;/usr/share/lua/5.1/?.lua;/usr/share/lua/5.1/?/init.lua", folder,
                    folder, lua_tostring(L, -1));
    lua_setfield(L, -3, "path");
    lua_pop(L, 2);
}

void modules_open(lua_State *L) {
    push_folders(L); /* on top: the modules' folder, then the other */
    set_path(L, lua_tostring(L, -2));
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "searchers");
    lua_replace(L, -2);
    for (lua_Integer i = luaL_len(L, -1); i >= 2; i--) { /* before the searcher of files */
        lua_rawgeti(L, -1, i);
        lua_rawseti(L, -2, i + 1);
    }
    lua_pushvalue(L, -3);
    lua_pushvalue(L, -3);
    lua_pushcclosure(L, find_module, 2);
    lua_rawseti(L, -2, 2);
    lua_settop(L, 0);
}
