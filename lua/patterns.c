/*
 * patterns.c -- string.find, match, gmatch, gsub and rep for scripts that are not trusted: Lua's patterns, matched by a
 * program that can be stopped. In: texts, patterns, what to call every few thousand steps. Out: what Lua's own
 * functions give. Always holds: however long a match would take, the call that ends it comes within microseconds.
 */
#include "binding.h"
#include "guard.h"

#include <string.h>

enum { MOST_CAPTURES = 32, DEEPEST = 200, OFTEN = 4096, OPEN = -1, PLACE = -2 };

typedef struct Capture {
    const char *from;
    ptrdiff_t n; /* OPEN: its end is not found yet; PLACE: a position */
} Capture;

typedef struct Match {
    lua_State *L;
    const char *text, *text_end, *end; /* end: of the pattern */
    int deep, steps, n;
    Capture at[MOST_CAPTURES];
} Match;

static void step(Match *m, size_t n) {
    if (n < (size_t)(OFTEN - m->steps)) {
        m->steps += (int)n;
        return;
    }
    m->steps = 0;
    lt_guard(m->L);
}

/* ---- one character --------------------------------------------------------------------------------------------- */
/* In ASCII, whatever the locale. */
static bool small(int c) { return c >= 'a' && c <= 'z'; }
static bool capital(int c) { return c >= 'A' && c <= 'Z'; }
static bool digit(int c) { return c >= '0' && c <= '9'; }
static bool word(int c) { return small(c) || capital(c) || digit(c); }

static bool of_class(int c, int letter) {
    bool in;
    switch (capital(letter) ? letter + ('a' - 'A') : letter) {
    case 'a': in = small(c) || capital(c); break;
    case 'c': in = c < ' ' || c == 127; break;
    case 'd': in = digit(c); break;
    case 'g': in = c > ' ' && c < 127; break;
    case 'l': in = small(c); break;
    case 'p': in = c > ' ' && c < 127 && !word(c); break;
    case 's': in = c == ' ' || (c >= '\t' && c <= '\r'); break;
    case 'u': in = capital(c); break;
    case 'w': in = word(c); break;
    case 'x': in = digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); break;
    default: return letter == c;
    }
    return capital(letter) ? !in : in;
}

/* Behind the item that begins at p: a character, %x or [set]. */
static const char *item_end(Match *m, const char *p) {
    if (*p == '%') {
        if (p + 1 == m->end) luaL_error(m->L, "malformed pattern (ends with '%%')");
        return p + 2;
    }
    if (*p++ != '[') return p;
    if (p < m->end && *p == '^') p++;
    do { /* the first character closes nothing */
        if (p == m->end) luaL_error(m->L, "malformed pattern (missing ']')");
        if (*p++ == '%' && p < m->end) p++;
    } while (p >= m->end || *p != ']');
    return p + 1;
}

/* set: behind '['; last: its ']'. */
static bool in_set(int c, const char *set, const char *last) {
    const bool out = *set == '^';
    for (set += out; set < last; set++) {
        const int a = (unsigned char)*set;
        if (a == '%') {
            if (of_class(c, (unsigned char)*++set)) return !out;
        } else if (last - set > 2 && set[1] == '-') {
            set += 2;
            if (a <= c && c <= (unsigned char)*set) return !out;
        } else if (a == c) {
            return !out;
        }
    }
    return out;
}

static bool fits(const Match *m, const char *s, const char *p, const char *p_end) {
    if (s >= m->text_end) return false;
    const int c = (unsigned char)*s;
    if (*p == '.') return true;
    if (*p == '%') return of_class(c, (unsigned char)p[1]);
    return *p == '[' ? in_set(c, p + 1, p_end - 1) : (unsigned char)*p == c;
}

/* ---- a pattern ------------------------------------------------------------------------------------------------- */
static const char *match(Match *m, const char *s, const char *p);

/* As many as there are, then fewer. */
static const char *most(Match *m, const char *s, const char *p, const char *rest) {
    ptrdiff_t n = 0;
    for (; fits(m, s + n, p, rest); n++) step(m, 1);
    for (; n >= 0; n--) {
        const char *r = match(m, s + n, rest + 1);
        if (r) return r;
    }
    return NULL;
}

static const char *fewest(Match *m, const char *s, const char *p, const char *rest) {
    for (;; s++) {
        const char *r = match(m, s, rest + 1);
        if (r) return r;
        if (!fits(m, s, p, rest)) return NULL;
    }
}

static const char *balanced(Match *m, const char *s, const char *p) {
    if (m->end - p < 2) luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
    if (s >= m->text_end || *s != p[0]) return NULL;
    for (size_t open = 1; ++s < m->text_end;) {
        step(m, 1);
        if (*s == p[1]) {
            if (!--open) return s + 1;
        } else if (*s == p[0]) {
            open++;
        }
    }
    return NULL;
}

static const char *opened(Match *m, const char *s, const char *p, ptrdiff_t as) {
    if (m->n >= MOST_CAPTURES) luaL_error(m->L, "too many captures");
    m->at[m->n++] = (Capture){s, as};
    const char *r = match(m, s, p);
    if (!r) m->n--;
    return r;
}

static const char *closed(Match *m, const char *s, const char *p) {
    int i = m->n;
    while (i-- > 0 && m->at[i].n != OPEN) {}
    if (i < 0) luaL_error(m->L, "invalid pattern capture");
    m->at[i].n = s - m->at[i].from;
    const char *r = match(m, s, p);
    if (!r) m->at[i].n = OPEN;
    return r;
}

/* Behind what stands at s once more, as the capture of this digit has it. */
static const char *again(Match *m, const char *s, int which) {
    const int i = which - '1';
    if (i < 0 || i >= m->n || m->at[i].n == OPEN) luaL_error(m->L, "invalid capture index %%%d", i + 1);
    const ptrdiff_t n = m->at[i].n;
    if (n < 0 || m->text_end - s < n) return NULL;
    step(m, (size_t)n / 8);
    return memcmp(m->at[i].from, s, (size_t)n) ? NULL : s + n;
}

/* Whether s stands where the set begins: the character before it is not of it, its own is (0 at the ends). */
static bool border(const Match *m, const char *s, const char *p, const char *p_end) {
    const int before = s == m->text ? 0 : (unsigned char)s[-1], here = s < m->text_end ? (unsigned char)*s : 0;
    return !in_set(before, p + 1, p_end - 1) && in_set(here, p + 1, p_end - 1);
}

/* Of %b, %f and %1: behind p, or NULL where *s does not go on; *s: behind what was matched. */
static const char *special(Match *m, const char **s, const char *p) {
    if (p[1] == 'b') {
        *s = balanced(m, *s, p + 2);
        return p + 4;
    }
    if (p[1] == 'f') {
        if (p + 2 >= m->end || p[2] != '[') luaL_error(m->L, "missing '[' after '%%f' in pattern");
        const char *end = item_end(m, p + 2);
        if (!border(m, *s, p + 2, end)) *s = NULL;
        return end;
    }
    *s = again(m, *s, (unsigned char)p[1]);
    return p + 2;
}

static bool is_special(const Match *m, const char *p) {
    return *p == '%' && p + 1 < m->end && (p[1] == 'b' || p[1] == 'f' || digit((unsigned char)p[1]));
}

/* A single item and what stands behind it; *over: the match is decided. */
static const char *item(Match *m, const char *s, const char **p, bool *over) {
    const char *rest = item_end(m, *p), how = rest < m->end ? *rest : 0;
    *over = true;
    if (how == '*') return most(m, s, *p, rest);
    if (how == '-') return fewest(m, s, *p, rest);
    const bool one = fits(m, s, *p, rest);
    if (how == '+') return one ? most(m, s + 1, *p, rest) : NULL;
    if (how == '?') {
        const char *r = one ? match(m, s + 1, rest + 1) : NULL;
        if (r) return r;
        *p = rest + 1;
    } else {
        if (!one) return NULL;
        s++;
        *p = rest;
    }
    *over = false;
    return s;
}

static const char *match(Match *m, const char *s, const char *p) {
    if (m->deep++ == DEEPEST) luaL_error(m->L, "pattern too complex");
    for (bool over = false; s && p < m->end && !over;) {
        step(m, 1);
        if (*p == '(') {
            const bool place = p + 1 < m->end && p[1] == ')';
            s = opened(m, s, p + 1 + place, place ? PLACE : OPEN), over = true;
        } else if (*p == ')') {
            s = closed(m, s, p + 1), over = true;
        } else if (*p == '$' && p + 1 == m->end) {
            s = s == m->text_end ? s : NULL, over = true;
        } else if (is_special(m, p)) {
            p = special(m, &s, p);
        } else {
            s = item(m, s, &p, &over);
        }
    }
    m->deep--;
    return s;
}

/* ---- results --------------------------------------------------------------------------------------------------- */
static void push_capture(Match *m, int i, const char *s, const char *e) {
    if (i >= m->n) {
        if (i) luaL_error(m->L, "invalid capture index %%%d", i + 1);
        lua_pushlstring(m->L, s, (size_t)(e - s));
        return;
    }
    const Capture *c = &m->at[i];
    if (c->n == OPEN) luaL_error(m->L, "unfinished capture");
    if (c->n == PLACE) lua_pushinteger(m->L, c->from - m->text + 1);
    else lua_pushlstring(m->L, c->from, (size_t)c->n);
}

static int push_captures(Match *m, const char *s, const char *e) {
    const int n = m->n || !s ? m->n : 1;
    luaL_checkstack(m->L, n, "too many captures");
    for (int i = 0; i < n; i++) push_capture(m, i, s, e);
    return n;
}

static const char *try_at(Match *m, const char *s, const char *p) {
    m->n = m->deep = 0;
    return match(m, s, p);
}

static Match texts(lua_State *L, const char **pattern) {
    size_t n, k;
    const char *s = luaL_checklstring(L, 1, &n), *p = luaL_checklstring(L, 2, &k);
    *pattern = p;
    return (Match){.L = L, .text = s, .text_end = s + n, .end = p + k};
}

/* The place that argument i says, from 0 on; past the end: one more than there are. */
static size_t first_place(lua_State *L, int i, size_t n) {
    const lua_Integer at = luaL_optinteger(L, i, 1);
    if (at > 0) return (lua_Unsigned)at - 1 > n ? n + 1 : (size_t)at - 1;
    if (at == 0 || at < -(lua_Integer)n) return 0;
    return n - (size_t)-at;
}

static const char *plainly(Match *m, const char *s, const char *p) {
    const size_t n = (size_t)(m->end - p);
    if (!n) return s;
    for (; (size_t)(m->text_end - s) >= n; s++) {
        const char *t = memchr(s, *p, (size_t)(m->text_end - s) - n + 1);
        if (!t) return NULL;
        step(m, (size_t)(t - s) / 16 + 1);
        size_t same = 1;
        while (same < n && t[same] == p[same]) same++;
        if (same == n) return t;
        step(m, same / 4);
        s = t;
    }
    return NULL;
}

static bool is_plain(const char *p, const char *end) {
    for (; p <= end; p += strlen(p) + 1)
        if (strpbrk(p, "^$*+?.([%-")) return false;
    return true;
}

static int looked_for(lua_State *L, bool find) {
    const char *p;
    Match m = texts(L, &p);
    const size_t n = (size_t)(m.text_end - m.text), from = first_place(L, 3, n);
    lua_settop(L, 4);
    if (from > n) return lua_pushnil(L), 1;
    const char *s = m.text + from;
    if (find && (lua_toboolean(L, 4) || is_plain(p, m.end))) {
        s = plainly(&m, s, p);
        if (!s) return lua_pushnil(L), 1;
        lua_pushinteger(L, s - m.text + 1);
        lua_pushinteger(L, s - m.text + (m.end - p));
        return 2;
    }
    const bool anchored = p < m.end && *p == '^';
    do {
        const char *e = try_at(&m, s, p + anchored);
        if (e && !find) return push_captures(&m, s, e);
        if (e) {
            lua_pushinteger(L, s - m.text + 1);
            lua_pushinteger(L, e - m.text);
            return push_captures(&m, NULL, NULL) + 2;
        }
    } while (s++ < m.text_end && !anchored);
    return lua_pushnil(L), 1;
}
static int text_find(lua_State *L) { return looked_for(L, true); }
static int text_match(lua_State *L) { return looked_for(L, false); }

/* Upvalues: text, pattern, place to go on from, end of the last match. */
static int next_match(lua_State *L) {
    size_t n, k;
    const char *text = lua_tolstring(L, lua_upvalueindex(1), &n), *p = lua_tolstring(L, lua_upvalueindex(2), &k);
    Match m = {.L = L, .text = text, .text_end = text + n, .end = p + k};
    const char *last = text + lua_tointeger(L, lua_upvalueindex(4)) - 1;
    for (const char *s = text + lua_tointeger(L, lua_upvalueindex(3)); s <= m.text_end; s++) {
        const char *e = try_at(&m, s, p);
        if (!e || e == last) continue;
        lua_pushinteger(L, e - text);
        lua_replace(L, lua_upvalueindex(3));
        lua_pushinteger(L, e - text + 1);
        lua_replace(L, lua_upvalueindex(4));
        return push_captures(&m, s, e);
    }
    return 0;
}

static int text_gmatch(lua_State *L) {
    size_t n;
    luaL_checklstring(L, 1, &n);
    luaL_checkstring(L, 2);
    const size_t from = first_place(L, 3, n);
    lua_settop(L, 2);
    lua_pushinteger(L, (lua_Integer)from);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_match, 4);
    return 1;
}

/* ---- gsub ------------------------------------------------------------------------------------------------------ */
static void add_template(Match *m, luaL_Buffer *b, const char *s, const char *e) {
    size_t n;
    const char *t = lua_tolstring(m->L, 3, &n), *end = t + n;
    while (t < end) {
        const char *mark = memchr(t, '%', (size_t)(end - t));
        luaL_addlstring(b, t, (size_t)((mark ? mark : end) - t));
        if (!mark) return;
        const int c = mark + 1 < end ? (unsigned char)mark[1] : 0;
        t = mark + 2;
        if (c == '%') {
            luaL_addchar(b, '%');
        } else if (c == '0') {
            luaL_addlstring(b, s, (size_t)(e - s));
        } else if (digit(c)) {
            push_capture(m, c - '1', s, e);
            luaL_addvalue(b);
        } else {
            luaL_error(m->L, "invalid use of '%%' in replacement string");
        }
        step(m, 1);
    }
}

static void add_value(Match *m, luaL_Buffer *b, const char *s, const char *e, int kind) {
    lua_State *L = m->L;
    if (kind == LUA_TFUNCTION) {
        lua_pushvalue(L, 3);
        lua_call(L, push_captures(m, s, e), 1);
    } else if (kind == LUA_TTABLE) {
        push_capture(m, 0, s, e);
        lua_gettable(L, 3);
    } else {
        add_template(m, b, s, e);
        return;
    }
    if (!lua_toboolean(L, -1)) {
        lua_pop(L, 1);
        luaL_addlstring(b, s, (size_t)(e - s));
    } else if (lua_isstring(L, -1)) {
        luaL_addvalue(b);
    } else {
        luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    }
}

static int text_gsub(lua_State *L) {
    const char *p;
    Match m = texts(L, &p);
    const int kind = lua_type(L, 3);
    if (kind != LUA_TNUMBER && kind != LUA_TSTRING && kind != LUA_TFUNCTION && kind != LUA_TTABLE)
        luaL_typeerror(L, 3, "string/function/table");
    const lua_Integer at_most = luaL_optinteger(L, 4, m.text_end - m.text + 1);
    lua_settop(L, 4);
    const bool anchored = p < m.end && *p == '^';
    const char *s = m.text, *last = NULL;
    lua_Integer n = 0;
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    while (n < at_most) {
        const char *e = try_at(&m, s, p + anchored);
        if (e && e != last) {
            n++;
            add_value(&m, &b, s, e, kind);
            s = last = e;
        } else if (s < m.text_end) {
            luaL_addchar(&b, *s++);
        } else {
            break;
        }
        if (anchored) break;
    }
    luaL_addlstring(&b, s, (size_t)(m.text_end - s));
    luaL_pushresult(&b);
    lua_pushinteger(L, n);
    return 2;
}

/* Nothing, so many times, is nothing. */
static int text_rep(lua_State *L) { /* upvalue: Lua's */
    size_t n, between = 0;
    luaL_checklstring(L, 1, &n);
    luaL_checkinteger(L, 2);
    luaL_optlstring(L, 3, "", &between);
    if (!n && !between) return lua_pushliteral(L, ""), 1;
    lt_guard(L);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

void lt_guard_texts(lua_State *L) {
    static const luaL_Reg fns[] = {
        {"find", text_find}, {"match", text_match}, {"gmatch", text_gmatch}, {"gsub", text_gsub}, {NULL, NULL}};
    luaL_setfuncs(L, fns, 0);
    lua_getfield(L, -1, "rep");
    lua_pushcclosure(L, text_rep, 1);
    lua_setfield(L, -2, "rep");
}
