/*
 * mutants.c -- numbers the mistakes and writes the broken texts. In: the lines of the tables, before main. Out: at most
 * one changed entry. Texts stay well formed: an operator is swapped, an operand replaced, a literal raised by one, a
 * result negated, so that only a check of answers can see it.
 */
#include "mutants.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count, chosen = -1;
static bool listing;
static char text_of_mutant[1024];

__attribute__((constructor(150))) static void choose(void) {
    const char *s = getenv("THEANO_MUTANT");
    listing = s && strcmp(s, "list") == 0;
    if (s && !listing) chosen = atoi(s);
}

__attribute__((constructor(900))) static void end_list(void) {
    if (!listing) return;
    fflush(stdout);
    _Exit(0);
}

/* Takes a number for the mistake; true when it is the one to make. */
static bool offer(const char *table, const char *line, const char *field, const char *what, const char *before,
                  const char *after) {
    if (listing) printf("%d\t%s\t%s\t%s\t%s\t%s\t%s\n", count, table, line, field, what, before, after);
    return count++ == chosen;
}

bool mutant_here(const char *table, const char *line, const char *what) { return offer(table, line, "", what, "", ""); }

typedef struct Source {
    const char *table, *line, *field, **text;
    size_t at, n; /* the part of *text that is broken: between semicolons */
    const char *whole;
} Source;

/* One broken form of the part; kept when it is the chosen mistake. */
static void put(const Source *s, const char *what, const char *part) {
    char all[1024], old[512];
    snprintf(old, sizeof old, "%.*s", (int)s->n, s->whole + s->at);
    if (strcmp(old, part) == 0) return;
    snprintf(all, sizeof all, "%.*s%s%s", (int)s->at, s->whole, part, s->whole + s->at + s->n);
    if (!offer(s->table, s->line, s->field, what, s->whole, all)) return;
    memcpy(text_of_mutant, all, sizeof all);
    *s->text = text_of_mutant;
}

static void replace(const Source *s, const char *what, size_t at, size_t n, const char *with) {
    char part[512];
    snprintf(part, sizeof part, "%.*s%s%.*s", (int)at, s->whole + s->at, with, (int)(s->n - at - n),
             s->whole + s->at + at + n);
    put(s, what, part);
}

static bool wordy(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

static void swap_operator(const Source *s) {
    static const char *const pairs[][2] = {{"<=", ">="}, {">=", "<="}, {"==", "!="}, {"!=", "=="},
                                           {"||", "&&"}, {"<", ">"},   {">", "<"},   {"+", "-"},
                                           {"*", "+"},   {"/", "*"},   {"^", "*"}};
    const char *p = s->whole + s->at;
    for (size_t i = 1; i < s->n; i++) {
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
            size_t n = strlen(pairs[k][0]);
            if (i + n < s->n && strncmp(p + i, pairs[k][0], n) == 0) {
                replace(s, "operator", i, n, pairs[k][1]);
                return;
            }
        }
        bool between = p[i] == '-' && i + 1 < s->n && (p[i - 1] == ' ' || wordy(p[i - 1]) || p[i - 1] == ')') &&
                       !strchr("(,*/?:", p[i - 1]);
        if (between && !(i >= 2 && strchr("(,*/?:", p[i - 2]))) {
            replace(s, "operator", i, 1, "+");
            return;
        }
    }
}

/* The first operand becomes another one, or in texts of one operand twice itself. */
static void swap_operand(const Source *s, int kind) {
    const char *p = s->whole + s->at;
    for (size_t i = 0; i < s->n; i++) {
        bool alone = (i == 0 || !wordy(p[i - 1])) && (i + 1 == s->n || (!wordy(p[i + 1]) && p[i + 1] != '('));
        if (!alone || !strchr("abcxyzw", p[i])) continue;
        const char *other = NULL;
        for (const char *c = kind == MUTANT_GRAD                            ? "xyzw"
                             : kind == MUTANT_VALUE || kind == MUTANT_TRUTH ? "abc"
                                                                            : "xyc";
             *c && !other; c++) {
            for (size_t j = 0; s->whole[j] && !other; j++)
                if (s->whole[j] == *c && *c != p[i] && (j == 0 || !wordy(s->whole[j - 1])) && !wordy(s->whole[j + 1]) &&
                    s->whole[j + 1] != '(')
                    other = c;
        }
        char with[16];
        if (other) snprintf(with, sizeof with, "%c", *other);
        else snprintf(with, sizeof with, "(%c+%c)", p[i], p[i]);
        replace(s, "operand", i, 1, with);
        return;
    }
}

static void raise_literal(const Source *s) {
    const char *p = s->whole + s->at;
    for (size_t i = 0; i < s->n; i++) {
        if (!isdigit((unsigned char)p[i]) || (i && wordy(p[i - 1]))) continue;
        size_t n = 0;
        bool point = false;
        while (i + n < s->n && (isdigit((unsigned char)p[i + n]) || p[i + n] == '.')) point |= p[i + n++] == '.';
        char with[48];
        double v = strtod(p + i, NULL) + 1;
        snprintf(with, sizeof with, point ? "%.17g" : "%.0f", v);
        if (point && !strchr(with, '.')) strcat(with, ".0");
        replace(s, "literal", i, n, with);
        return;
    }
}

static void negate(const Source *s, int kind) {
    char part[512];
    int n = (int)s->n;
    const char *p = s->whole + s->at;
    if (kind == MUTANT_TRUTH) snprintf(part, sizeof part, "(%.*s) ? 0 : 1", n, p);
    else snprintf(part, sizeof part, "-(%.*s)", n, p);
    put(s, "negated", part);
}

void mutant_text(const char *table, const char *line, const char *field, int kind, const char **text) {
    Source s = {.table = table, .line = line, .field = field, .text = text, .whole = *text};
    if (!s.whole || !*s.whole) return;
    for (const char *p = s.whole; *p; p += *p == ';') {
        while (*p == ' ') p++;
        const char *end = kind == MUTANT_GRAD ? strchr(p, ';') : NULL;
        s.at = (size_t)(p - s.whole);
        s.n = end ? (size_t)(end - p) : strlen(p);
        bool zeros = strncmp(p, "zeros(", 6) == 0 || strncmp(p, "undefined", 9) == 0;
        if (s.n && !zeros) {
            if (kind != MUTANT_BEFORE) negate(&s, kind);
            swap_operator(&s);
            if (kind != MUTANT_BEFORE) swap_operand(&s, kind);
            raise_literal(&s);
        }
        p += s.n;
        if (!*p) break;
    }
}
