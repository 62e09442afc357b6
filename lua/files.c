/*
 * files.c -- arrays in files: .npy, .npz, safetensors, IDX, text, and streams of rows. Which of them a path means is
 * decided in ndfiles.lua.
 */
#include "binding.h"
#include "theano_files.h"

#include <stdio.h>
#include <string.h>

static int load_npy(lua_State *L) { /* load_npy(path, mmap mode or nil) */
    LtState *s = LT_STATE(L);
    const char *path = luaL_checkstring(L, 1), *mmap = luaL_optstring(L, 2, NULL);
    lt_push_array(L, s, mmap ? th_map_npy(s->ctx, path, mmap) : th_load_npy(s->ctx, path));
    return 1;
}

static int save_npy(lua_State *L) {
    LtState *s = LT_STATE(L);
    lt_most(L, 2);
    LT_CHECK(L, s, !th_save_npy(s->ctx, luaL_checkstring(L, 1), lt_check_array(L, s, 2)));
    return 0;
}

static int save_bytes(lua_State *L) { /* save_bytes(path, text) */
    LtState *s = LT_STATE(L);
    lt_most(L, 2);
    size_t n;
    const char *bytes = luaL_checklstring(L, 2, &n);
    LT_CHECK(L, s, !th_save_bytes(s->ctx, luaL_checkstring(L, 1), bytes, n));
    return 0;
}

static int read_elements(lua_State *L) { /* (open file, dtype): all that are whole; nil: it cannot be read so */
    LtState *s = LT_STATE(L);
    FILE *f = ((luaL_Stream *)luaL_checkudata(L, 1, LUA_FILEHANDLE))->f;
    const ThDtype d = lt_dtype(L, s, 2, TH_FLOAT64);
    const long size = !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
    const int64_t n = size > 0 ? size / (int64_t)th_dtype_bytes(d) : 0;
    ThArray *a = n ? th_array_empty(s->ctx, d, 1, &n) : NULL;
    const bool whole =
        a && !fseek(f, 0, SEEK_SET) && fread(th_array_data(a), th_dtype_bytes(d), (size_t)n, f) == (size_t)n;
    if (!whole) return th_array_release(a), th_error_clear(s->ctx), 0;
    lt_push_array(L, s, a);
    return 1;
}

static int load_idx(lua_State *L) {
    LtState *s = LT_STATE(L);
    lt_most(L, 1);
    lt_push_array(L, s, th_load_idx(s->ctx, luaL_checkstring(L, 1)));
    return 1;
}

static int save_idx(lua_State *L) {
    LtState *s = LT_STATE(L);
    lt_most(L, 2);
    LT_CHECK(L, s, !th_save_idx(s->ctx, luaL_checkstring(L, 1), lt_check_array(L, s, 2)));
    return 0;
}

/* ---- named arrays ------------------------------------------------------------------------------------------------ */
/* {name = array}, {names in file order}, {texts of the header}; frees z. */
static int push_named(lua_State *L, LtState *s, ThNpz *z) {
    lua_newtable(L);
    lua_newtable(L);
    lua_newtable(L);
    for (int i = 0; i < z->n; i++) {
        lt_push_array(L, s, th_array_retain(z->arrays[i]));
        lua_setfield(L, -4, z->names[i]);
        lua_pushstring(L, z->names[i]);
        lua_rawseti(L, -3, i + 1);
    }
    for (int i = 0; i + 1 < z->nmeta; i += 2) {
        lua_pushstring(L, z->meta[i + 1]);
        lua_setfield(L, -2, z->meta[i]);
    }
    th_npz_free(s->ctx, z);
    return 3;
}

static int load_npz(lua_State *L) {
    LtState *s = LT_STATE(L);
    lt_most(L, 1);
    ThNpz z;
    LT_CHECK(L, s, !th_load_npz(s->ctx, luaL_checkstring(L, 1), &z));
    push_named(L, s, &z);
    lua_pop(L, 1); /* no texts */
    return 2;
}

static int load_safetensors(lua_State *L) { /* load_safetensors(path, mmap mode or nil) */
    LtState *s = LT_STATE(L);
    ThNpz z;
    LT_CHECK(L, s, !th_load_safetensors(s->ctx, luaL_checkstring(L, 1), luaL_optstring(L, 2, NULL), &z));
    return push_named(L, s, &z);
}

/* The texts of table i as userdata on the stack. */
static const char **texts(lua_State *L, int i, int *n) {
    luaL_checktype(L, i, LUA_TTABLE);
    *n = lt_length(L, i, &(LtPlace){.argument = i});
    const char **t = lua_newuserdatauv(L, sizeof *t * (size_t)(*n + 1), 0);
    for (int k = 0; k < *n; k++) {
        lua_rawgeti(L, i, k + 1);
        if (lua_type(L, -1) != LUA_TSTRING)
            lt_error(L, TH_TypeError, "entry %d: a text expected, got %s", k + 1, luaL_typename(L, -1));
        t[k] = lua_tostring(L, -1);
        if (strlen(t[k]) != lua_rawlen(L, -1)) lt_error(L, TH_ValueError, "a name holds a zero byte");
        lua_pop(L, 1); /* stays alive in its table */
    }
    return t;
}

static ThArray **arrays(lua_State *L, LtState *s, int i, int n) {
    luaL_checktype(L, i, LUA_TTABLE);
    ThArray **a = lua_newuserdatauv(L, sizeof *a * (size_t)(n + 1), 0);
    for (int k = 0; k < n; k++) {
        lua_rawgeti(L, i, k + 1);
        if (!(a[k] = lt_array(L, s, -1)))
            lt_error(L, TH_TypeError, "entry %d: ndarray expected, got %s", k + 1, luaL_typename(L, -1));
        lua_pop(L, 1);
    }
    return a;
}

static int text_array(lua_State *L) { /* (text): the bytes that a file holds as one text */
    LtState *s = LT_STATE(L);
    lt_push_array(L, s, th_array_text(s->ctx, luaL_checkstring(L, 1)));
    return 1;
}

static int save_npz(lua_State *L) { /* save_npz(path, {names}, {arrays}, compressed) */
    LtState *s = LT_STATE(L);
    const char *path = luaL_checkstring(L, 1);
    int n;
    bool deflate = lua_toboolean(L, 4); /* before userdata stand there */
    const char **names = texts(L, 2, &n);
    ThArray **a = arrays(L, s, 3, n);
    LT_CHECK(L, s, !(deflate ? th_save_npz_compressed : th_save_npz)(s->ctx, path, n, names, a));
    return 0;
}

static int save_safetensors(lua_State *L) { /* save_safetensors(path, {names}, {arrays}, {key, value, ...}) */
    LtState *s = LT_STATE(L);
    const char *path = luaL_checkstring(L, 1);
    int n, nmeta;
    const char **names = texts(L, 2, &n), **meta = texts(L, 4, &nmeta);
    LT_CHECK(L, s, !th_save_safetensors(s->ctx, path, n, names, arrays(L, s, 3, n), nmeta, meta));
    return 0;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */
static char letter(lua_State *L, int t, const char *key, char absent) {
    lua_getfield(L, t, key);
    char ch = absent;
    if (lua_type(L, -1) == LUA_TSTRING) {
        if (lua_rawlen(L, -1) > 1)
            lt_error(L, TH_ValueError, "%s is one character, not '%s'", key, lua_tostring(L, -1));
        ch = *lua_tostring(L, -1);
    } else if (lua_isboolean(L, -1)) {
        ch = 0;
    }
    lua_pop(L, 1);
    return ch;
}

/* Options from the table at t; the columns stay on the stack. */
static ThTextOptions text_options(lua_State *L, LtState *s, int t) {
    ThTextOptions o = th_text_options();
    if (lua_isnoneornil(L, t)) return o;
    luaL_checktype(L, t, LUA_TTABLE);
    o.delimiter = letter(L, t, "delimiter", 0);
    o.comment = letter(L, t, "comments", '#');
    lua_getfield(L, t, "skiprows");
    o.skiprows = luaL_optinteger(L, -1, 0);
    lua_getfield(L, t, "max_rows");
    o.max_rows = luaL_optinteger(L, -1, -1);
    lua_getfield(L, t, "dtype");
    o.dtype = lt_dtype(L, s, lua_gettop(L), TH_FLOAT64);
    lua_getfield(L, t, "names");
    o.names = lua_toboolean(L, -1);
    lua_pop(L, 4);
    lua_getfield(L, t, "usecols");
    if (lua_isinteger(L, -1)) {
        lua_createtable(L, 1, 0);
        lua_insert(L, -2);
        lua_rawseti(L, -2, 1);
    }
    if (!lua_isnil(L, -1)) {
        luaL_checktype(L, -1, LUA_TTABLE);
        o.nusecols = lt_length_of(L, -1, "usecols");
        int64_t *use = lua_newuserdatauv(L, sizeof *use * (size_t)(o.nusecols + 1), 0);
        for (int i = 0; i < o.nusecols; i++) {
            lua_rawgeti(L, -2, i + 1);
            use[i] = luaL_checkinteger(L, -1);
            lua_pop(L, 1);
        }
        o.usecols = use;
    }
    return o;
}

static int load_text(lua_State *L) { /* load_text(path, options) -> (rows, columns), line of names or nil */
    LtState *s = LT_STATE(L);
    const char *path = luaL_checkstring(L, 1);
    ThTextOptions o = text_options(L, s, 2);
    char *names = NULL;
    ThArray *a = th_load_text(s->ctx, path, &o, &names);
    LT_CHECK(L, s, a);
    if (names) lua_pushstring(L, names);
    else lua_pushnil(L);
    th_free(s->ctx, names);
    lt_push_array(L, s, a);
    lua_insert(L, -2);
    return 2;
}

static int save_text(lua_State *L) { /* save_text(path, a, fmt or nil, delimiter, header, footer, comments) */
    LtState *s = LT_STATE(L);
    const char *t[7];
    for (int i = 3; i <= 7; i++) t[i - 1] = luaL_optstring(L, i, NULL);
    LT_CHECK(L, s,
             !th_save_text(s->ctx, luaL_checkstring(L, 1), lt_check_array(L, s, 2), t[2], t[3], t[4], t[5], t[6]));
    return 0;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */
static ThStream *stream_self(lua_State *L, LtState *s) {
    ThStream **p = lt_test(L, s, 1, LT_STREAM);
    if (!p) lt_error(L, TH_TypeError, "a stream of rows expected, got %s", luaL_typename(L, 1));
    if (!*p) lt_error(L, TH_ValueError, "this stream was closed");
    return *p;
}

static ThStream **stream_new(lua_State *L, LtState *s) {
    ThStream **p = lua_newuserdatauv(L, sizeof *p, 0);
    *p = NULL;
    lt_set_meta(L, s, LT_STREAM);
    return p;
}

static int stream_open(lua_State *L) { /* stream_open(path, kind, options) */
    LtState *s = LT_STATE(L);
    const char *path = luaL_checkstring(L, 1), *kind = luaL_checkstring(L, 2);
    ThTextOptions o = text_options(L, s, 3);
    ThStream **p = stream_new(L, s);
    *p = th_stream_open(s->ctx, path, *kind, &o);
    LT_CHECK(L, s, *p);
    return 1;
}

static int stream_create(lua_State *L) { /* stream_create(path, row shape, dtype) */
    LtState *s = LT_STATE(L);
    int64_t shape[TH_MAX_NDIM];
    const char *path = luaL_checkstring(L, 1);
    int n = lt_shape(L, 2, shape);
    ThDtype d = lt_dtype(L, s, 3, TH_FLOAT64);
    ThStream **p = stream_new(L, s);
    *p = th_stream_create(s->ctx, path, d, n, shape);
    LT_CHECK(L, s, *p);
    return 1;
}

static int stream_read(lua_State *L) { /* read(n): the next rows, nil at the end */
    LtState *s = LT_STATE(L);
    ThArray *a = th_stream_read(stream_self(L, s), luaL_checkinteger(L, 2));
    LT_CHECK(L, s, a);
    if (th_array_shape(a)[0]) lt_push_array(L, s, a);
    else {
        th_array_release(a);
        lua_pushnil(L);
    }
    return 1;
}

static int stream_write(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThStream *w = stream_self(L, s);
    if (!lt_array(L, s, 2)) {
        lt_push_array(L, s, lt_to_array(L, s, 2, TH_DTYPE_NONE));
        lua_replace(L, 2);
    }
    LT_CHECK(L, s, !th_stream_write(w, lt_array(L, s, 2)));
    return 0;
}

static void stream_drop(ThStream **p) {
    th_stream_release(*p);
    *p = NULL;
}

/* close(): a written file is complete and gets its name. __close does so too, unless an error is under way. */
static int stream_close(lua_State *L) {
    LtState *s = LT_STATE(L);
    ThStream **p = lt_test(L, s, 1, LT_STREAM);
    if (!p) return lt_error(L, TH_TypeError, "a stream of rows expected, got %s", luaL_typename(L, 1));
    if (!*p) return 0;
    int bad = lua_isnoneornil(L, 2) ? th_stream_close(*p) : 0;
    stream_drop(p);
    LT_CHECK(L, s, !bad);
    return 0;
}

static int stream_gc(lua_State *L) {
    stream_drop(lua_touserdata(L, 1));
    return 0;
}

void lt_open_files(lua_State *L, LtState *s) {
    static const luaL_Reg meta[] = {{"__gc", stream_gc}, {"__close", stream_close}, {NULL, NULL}};
    lt_new_meta(L, s, LT_STREAM, "stream of rows", meta);
    static const luaL_Reg methods[] = {
        {"read", stream_read}, {"write", stream_write}, {"close", stream_close}, {NULL, NULL}};
    lua_newtable(L);
    lt_register(L, s, methods);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
    static const luaL_Reg fns[] = {{"load_npy", load_npy},
                                   {"save_npy", save_npy},
                                   {"save_bytes", save_bytes},
                                   {"load_idx", load_idx},
                                   {"read_elements", read_elements},
                                   {"save_idx", save_idx},
                                   {"load_npz", load_npz},
                                   {"save_npz", save_npz},
                                   {"text_array", text_array},
                                   {"load_safetensors", load_safetensors},
                                   {"save_safetensors", save_safetensors},
                                   {"load_text", load_text},
                                   {"save_text", save_text},
                                   {"stream_open", stream_open},
                                   {"stream_create", stream_create},
                                   {NULL, NULL}};
    lt_register(L, s, fns);
}
