/*
 * turn.c -- helpers of a unit that turn blocks of rows into columns and back. In: m rows of n elements, m at most one
 * vector's lanes. Out: get_<T>(to, p, st, n, m) leaves column j in to[j], row r in its lane r (lanes past m hold the
 * first row); put_<T>(p, from, st, n, m) stores such columns as rows. Blocks as wide as a vector are turned in
 * registers by exchanging halves, quarters, ..; what is left of a few columns goes element by element.
 */
#include "emit.h"

#include <stdio.h>

enum { NARROW = 3 }; /* so many columns go one by one */

/* xlo<s>_<T>(a, b), xhi: what stands at lanes with bit s, exchanged between a (set) and b (not set). */
static void exchange(Emit *e, const char *t, const char *mask, int lanes, int s, bool hi) {
    Text *h = &e->helpers;
    for (int old = 0; old < 2; old++) {
        text_put(h, old ? "#else\n" : "#if defined __clang__ || __GNUC__ > 11\n");
        text_printf(h, "INLINE %s x%s%d_%s(%s a, %s b) { return ", t, hi ? "hi" : "lo", s, t, t, t);
        text_printf(h, old ? "__builtin_shuffle(a, b, (%s){" : "__builtin_shufflevector(a, b, ", mask);
        for (int l = 0; l < lanes; l++) {
            int from = hi ? ((l & s) ? lanes + l : l + s) : ((l & s) ? lanes + l - s : l);
            text_printf(h, l ? ", %d" : "%d", from);
        }
        text_put(h, old ? "}); }\n" : "); }\n");
    }
    text_put(h, "#endif\n");
}

static void exchanges(Emit *e, ThDtype d, int lanes, const char *t) {
    char key[48], mask[16];
    snprintf(key, sizeof key, "exchange %s", t);
    if (!need(e, key)) return;
    need_mask(e, d, lanes, mask);
    for (int s = 1; s < lanes; s *= 2)
        for (int hi = 0; hi < 2; hi++) exchange(e, t, mask, lanes, s, hi);
}

/* a0, a1, .. are turned: element l of a<k> goes to element k of a<l>. */
static void turned(Emit *e, const char *t, int lanes) {
    for (int s = 1; s < lanes; s *= 2)
        for (int k = 0; k < lanes; k++)
            if (!(k & s))
                text_printf(&e->helpers, "        z = xlo%d_%s(a%d, a%d); a%d = xhi%d_%s(a%d, a%d); a%d = z;\n", s, t,
                            k, k + s, k + s, s, t, k, k + s, k);
}

static char *begin(Emit *e, const char *what, ThDtype d, int lanes, char t[16], bool *fresh) {
    char *name = arena_alloc(e->arena, 40);
    *fresh = false;
    if (!name) return NULL;
    need_type(e, d, lanes, t);
    snprintf(name, 40, "%s_%s", what, t);
    *fresh = need(e, name);
    return name;
}

const char *need_get(Emit *e, ThDtype d, int lanes) {
    char t[16];
    bool fresh;
    char *name = begin(e, "get", d, lanes, t, &fresh);
    if (!fresh) return name ? name : "";
    const char *tail = need_load(e, d, lanes, 't'), *far = need_load(e, d, lanes, 'g'), *s = type_short(d);
    exchanges(e, d, lanes, t);
    Text *h = &e->helpers;
    text_printf(h, "FN void %s(%s *to, const %s *p, i64 st, i64 n, i64 m) {\n", name, t, s);
    text_printf(h, "    for (i64 j = 0; j < n; j += %d) {\n", lanes);
    text_printf(h, "        const i64 w = n - j < %d ? n - j : %d;\n", lanes, lanes);
    text_printf(h, "        if (w <= %d) {\n", NARROW);
    text_printf(h, "            for (i64 k = j; k < n; k++) to[k] = %s(p + k, st, m);\n            break;\n        }\n",
                far);
    text_printf(h, "        %s z", t);
    for (int k = 0; k < lanes; k++) text_printf(h, ", a%d = %s(p + j + (%d < m ? %d * st : 0), w)", k, tail, k, k);
    text_put(h, ";\n");
    turned(e, t, lanes);
    for (int k = 0; k < lanes; k++)
        text_printf(h, k ? "        if (%d < w) to[j + %d] = a%d;\n" : "        to[j] = a0;\n", k, k, k);
    text_put(h, "    }\n}\n");
    return name;
}

const char *need_put(Emit *e, ThDtype d, int lanes) {
    char t[16];
    bool fresh;
    char *name = begin(e, "put", d, lanes, t, &fresh);
    if (!fresh) return name ? name : "";
    const char *tail = need_store(e, d, lanes, 't'), *far = need_store(e, d, lanes, 'g'), *s = type_short(d);
    exchanges(e, d, lanes, t);
    Text *h = &e->helpers;
    text_printf(h, "FN void %s(%s *p, const %s *from, i64 st, i64 n, i64 m) {\n", name, s, t);
    text_printf(h, "    for (i64 j = 0; j < n; j += %d) {\n", lanes);
    text_printf(h, "        const i64 w = n - j < %d ? n - j : %d;\n", lanes, lanes);
    text_printf(h, "        if (w <= %d) {\n", NARROW);
    text_printf(
        h, "            for (i64 k = j; k < n; k++) %s(p + k, from[k], st, m);\n            break;\n        }\n", far);
    text_printf(h, "        %s z", t);
    for (int k = 0; k < lanes; k++) text_printf(h, ", a%d = from[j + (%d < w ? %d : 0)]", k, k, k);
    text_put(h, ";\n");
    turned(e, t, lanes);
    for (int k = 0; k < lanes; k++) text_printf(h, "        if (%d < m) %s(p + j + %d * st, a%d, w);\n", k, tail, k, k);
    text_put(h, "    }\n}\n");
    return name;
}
