/*
 * expr.c -- parses the tiny expression language of value texts, gradients and rules (grammar in expr.h).
 * In: text from our tables or a user's pattern. Out: a flat array, children before parents, root last; operators are
 * calls. Nesting is capped, so the descent over the text's parentheses stays small. Errors name the column, counted
 * from 1.
 */
#include "expr.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 64, TEXT_MAX = 4000 };

typedef struct Parse {
    ThContext *c;
    const char *text, *p, *end;
    ExNode *at; /* room for one node per character */
    int n, depth;
} Parse;

static int parse_cond(Parse *s);

static int fail(Parse *s, const char *what) {
    err(s->c, TH_ValueError, "expression `%.*s`, column %d: %s", (int)(s->end - s->text), s->text,
        (int)(s->p - s->text) + 1, what);
    return -1;
}

static void skip(Parse *s) {
    while (s->p < s->end && char_is_space(*s->p)) { s->p++; }
}

/* Takes the operator `op` when it comes next and is not the start of a longer one. */
static bool take(Parse *s, const char *op) {
    skip(s);
    size_t n = strlen(op);
    if ((size_t)(s->end - s->p) < n || strncmp(s->p, op, n) != 0) { return false; }
    char after = s->p + n < s->end ? s->p[n] : 0;
    if (n == 1 && strchr("<>!=", *op) && after == '=') { return false; }
    s->p += n;
    return true;
}

static int add(Parse *s, ExNode n) {
    s->at[s->n] = n;
    return s->n++;
}

static int call(Parse *s, const char *name, int nkid, int a, int b, int c) {
    if (a < 0 || (nkid > 1 && b < 0) || (nkid > 2 && c < 0)) { return -1; }
    const char *kept = intern(s->c, name);
    return kept ? add(s, (ExNode){.kind = EX_CALL,
                                  .nkid = (uint8_t)nkid,
                                  .name = kept,
                                  .kid = {(int16_t)a, (int16_t)b, (int16_t)c, -1}})
                : -1;
}

static int parse_number(Parse *s) {
    char buf[64];
    size_t n = 0;
    bool integer = true;
    const char *p = s->p;
    while (p < s->end && n < sizeof buf - 1 &&
           (char_is_digit(*p) || *p == '.' || *p == 'e' || *p == 'E' ||
            ((*p == '-' || *p == '+') && n && (p[-1] == 'e' || p[-1] == 'E')))) {
        integer = integer && char_is_digit(*p);
        buf[n++] = *p++;
    }
    buf[n] = 0;
    char *stop;
    double v = number_read(buf, &stop);
    if (stop != buf + n) { return fail(s, "this number does not parse"); }
    s->p = p;
    return add(s, (ExNode){.kind = EX_NUM, .num = v, .integer = integer, .kid = {-1, -1, -1, -1}});
}

/* Arguments after '(' up to ')'. Their number, or -1. */
static int parse_args(Parse *s, ExNode *call_node) {
    int n = 0;
    if (take(s, ")")) { return 0; }
    do {
        int k = parse_cond(s);
        if (k < 0) { return -1; }
        if (n == TH_LEN(call_node->kid)) { return fail(s, "more than 4 arguments"); }
        call_node->kid[n++] = (int16_t)k;
    } while (take(s, ","));
    return take(s, ")") ? n : fail(s, "`,` or `)` expected");
}

/* name, name(args), name{attrs}(args), name:(expr) */
static int parse_name(Parse *s) {
    const char *start = s->p;
    while (s->p < s->end && char_is_word(*s->p)) { s->p++; }
    ExNode node = {.kind = EX_NAME, .kid = {-1, -1, -1, -1}, .name = intern_n(s->c, start, (size_t)(s->p - start))};
    if (!node.name) { return -1; }
    if (take(s, "{")) {
        const char *from = s->p, *to = memchr(from, '}', (size_t)(s->end - from));
        if (!to) { return fail(s, "`}` expected"); }
        node.attrs = intern_n(s->c, from, (size_t)(to - from));
        s->p = to + 1;
        if (!node.attrs) { return -1; }
        skip(s);
        if (s->p >= s->end || *s->p != '(') { return fail(s, "`(` expected after attributes"); }
    }
    if (!node.attrs && s->end - s->p > 1 && s->p[0] == ':' &&
        s->p[1] == '(') { /* no spaces: else a conditional's ':' */
        s->p += 2;
        node.kind = EX_BIND;
        node.nkid = 1;
        int k = parse_cond(s);
        node.kid[0] = (int16_t)k;
        return k < 0 ? -1 : take(s, ")") ? add(s, node) : fail(s, "`)` expected");
    }
    if (take(s, "(")) {
        node.kind = EX_CALL;
        int n = parse_args(s, &node);
        node.nkid = (uint8_t)(n < 0 ? 0 : n);
        return n < 0 ? -1 : add(s, node);
    }
    return add(s, node);
}

static int parse_atom(Parse *s) {
    skip(s);
    if (s->p >= s->end) { return fail(s, "the text ends where a value is expected"); }
    char ch = *s->p;
    if (char_is_digit(ch) || ch == '.') { return parse_number(s); }
    if (char_is_letter(ch) || ch == '_') { return parse_name(s); }
    if (take(s, "(")) {
        int k = parse_cond(s);
        return k < 0 ? -1 : take(s, ")") ? k : fail(s, "`)` expected");
    }
    return fail(s, "a value is expected here");
}

/* Prefix operators bind looser than '^' and tighter than '*'. */
static int parse_unary(Parse *s) {
    if (++s->depth > DEPTH) { return fail(s, "nested too deeply"); }
    int k;
    if (take(s, "-")) {
        k = call(s, "neg", 1, parse_unary(s), -1, -1);
    } else if (take(s, "!")) {
        k = call(s, "not", 1, parse_unary(s), -1, -1);
    } else {
        k = parse_atom(s);
        if (k >= 0 && take(s, "^")) { k = call(s, "pow", 2, k, parse_unary(s), -1); }
    }
    s->depth--;
    return k;
}

typedef struct Infix {
    const char *text, *name;
} Infix;
/* Levels from loose to tight; longer operators before their prefixes. */
static const Infix level_or[] = {{"||", "or_"}, {NULL, NULL}}, level_and[] = {{"&&", "and_"}, {NULL, NULL}},
                   level_cmp[] = {{"<=", "le"}, {">=", "ge"}, {"==", "eq"}, {"!=", "neq"},
                                  {"<", "lt"},  {">", "gt"},  {NULL, NULL}},
                   level_sum[] = {{"+", "add"}, {"-", "sub"}, {NULL, NULL}},
                   level_term[] = {{"*", "mul"}, {"/", "true_div"}, {NULL, NULL}};
static const Infix *const levels[] = {level_or, level_and, level_cmp, level_sum, level_term};

static const char *take_infix(Parse *s, const Infix *level) {
    for (; level->text; level++) {
        if (take(s, level->text)) { return level->name; }
    }
    return NULL;
}

static int parse_level(Parse *s, int level) {
    if (level == TH_LEN(levels)) { return parse_unary(s); }
    int k = parse_level(s, level + 1);
    const char *name;
    while (k >= 0 && (name = take_infix(s, levels[level]))) {
        k = call(s, name, 2, k, parse_level(s, level + 1), -1);
        if (levels[level] == level_cmp) { break; /* comparisons do not chain */ }
    }
    return k;
}

static int parse_cond(Parse *s) {
    if (++s->depth > DEPTH) { return fail(s, "nested too deeply"); }
    int k = parse_level(s, 0);
    if (k >= 0 && take(s, "?")) {
        int yes = parse_cond(s);
        if (yes >= 0 && !take(s, ":")) { return fail(s, "`:` expected"); }
        k = yes < 0 ? -1 : call(s, "switch", 3, k, yes, parse_cond(s));
    }
    s->depth--;
    return k;
}

/* One expression from s->p to s->end. */
static Expr *parse_whole(Arena *a, Parse *s) {
    Expr *e = arena_alloc(a, sizeof *e);
    int len = (int)(s->end - s->p);
    if (!e || !(s->at = arena_alloc0(a, sizeof *s->at * (size_t)(len + 1)))) { return NULL; }
    int root = parse_cond(s);
    if (root < 0) { return NULL; }
    skip(s);
    if (s->p < s->end) {
        fail(s, "something is left over here");
        return NULL;
    }
    *e = (Expr){s->n, s->at}; /* every node is made after its kids, so the root is the last */
    return e;
}

Expr *expr_parse(Arena *a, const char *text) {
    size_t n = strlen(text);
    Parse s = {.c = arena_context(a), .text = text, .p = text, .end = text + n};
    if (n > TEXT_MAX) {
        err(s.c, TH_ValueError, "expression of %zu characters (at most %d)", n, TEXT_MAX);
        return NULL;
    }
    return parse_whole(a, &s);
}

int expr_parse_list(Arena *a, const char *text, Expr **out, int max) {
    ThContext *c = arena_context(a);
    const char *p = text, *end = text + strlen(text);
    int n = 0;
    if (end - text > TEXT_MAX) {
        err(c, TH_ValueError, "expressions of %d characters (at most %d)", (int)(end - text), TEXT_MAX);
        return -1;
    }
    for (;; n++) {
        const char *semi = memchr(p, ';', (size_t)(end - p)), *stop = semi ? semi : end;
        if (n == max) {
            err(c, TH_ValueError, "expressions `%s`: more than %d", text, max);
            return -1;
        }
        Parse s = {.c = c, .text = text, .p = p, .end = stop};
        skip(&s);
        out[n] = NULL;
        if (s.p < stop && !(out[n] = parse_whole(a, &s))) { return -1; }
        if (!semi) { return n + 1; }
        p = semi + 1;
    }
}
