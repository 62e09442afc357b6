/*
 * text.c -- growing text, the shortest decimal of a float, and the nearest name.
 *
 * In: pieces. Out: one NUL-terminated text whose owner frees it with th_free. Always holds: after a failed allocation
 * the text ignores what follows and text_take gives NULL, so callers look once, at the end.
 */
#include "base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void text_init(Text *t, ThContext *c) { *t = (Text){.c = c}; }

/* Room for n more bytes and the NUL. */
static bool room(Text *t, size_t n) {
    if (t->failed) return false;
    if (t->n + n + 1 <= t->cap) return true;
    size_t cap = t->cap ? 2 * t->cap : 64;
    if (cap < t->n + n + 1) cap = t->n + n + 1;
    char *p = ctx_realloc_owned(t->c, t->at, cap);
    t->failed = !p;
    if (!p) return false;
    t->at = p;
    t->cap = cap;
    return true;
}

void text_put_n(Text *t, const char *s, size_t n) {
    if (!room(t, n)) return;
    if (n) memcpy(t->at + t->n, s, n);
    t->n += n;
    t->at[t->n] = 0;
}

void text_put(Text *t, const char *s) { text_put_n(t, s, strlen(s)); }
void text_putc(Text *t, char ch) { text_put_n(t, &ch, 1); }

void text_printf(Text *t, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    text_vprintf(t, format, ap);
    va_end(ap);
}

void text_vprintf(Text *t, const char *format, va_list ap) {
    va_list again;
    if (!room(t, 0)) return;
    va_copy(again, ap);
    size_t left = t->cap - t->n;
    int n = number_vformat(t->at + t->n, left, format, ap);
    bool fits = n >= 0 && (size_t)n < left;
    if (n >= 0 && !fits && room(t, (size_t)n)) fits = number_vformat(t->at + t->n, (size_t)n + 1, format, again) == n;
    va_end(again);
    if (fits) t->n += (size_t)n;
    else if (t->at) t->at[t->n] = 0;
}

/* The input that the letter at s, a word of its own, stands for as the end of the text says: "{x=2}"; -1: none. */
static int letter_input(const char *why, const char *s) {
    if ((s > why && char_is_word(s[-1])) || char_is_word(s[1])) return -1;
    for (const char *m = strchr(s, '{'); m; m = strchr(m + 1, '{'))
        if (m[1] == *s && m[2] == '=' && m[3] && m[4] == '}') return m[3] - '0';
    return -1;
}

/* " input[1] is x, input[2] is y" for the inputs that the text has spoken of by number. */
static void put_numbered(Text *t, const char *why, TextOperand *operand, void *u) {
    static const char start[] = "input[";
    int n = 0;
    if (!operand) return;
    for (const char *s = strstr(why, start); s; s = strstr(s + 1, start)) {
        Text name;
        text_init(&name, t->c);
        int input = atoi(s + sizeof start - 1);
        if (operand(u, &name, input) && name.at) {
            text_printf(t, "%s input[%d] is %s", n++ ? "," : "", input, name.at);
        }
        text_free(&name);
    }
    if (n) text_putc(t, '.');
}

/* Is the name of some input known that the text speaks of by a letter? Then the others go by their numbers. */
static bool any_named(Text *t, const char *why, TextOperand *operand, void *u) {
    bool any = false;
    for (const char *m = strchr(why, '{'); operand && m && !any; m = strchr(m + 1, '{')) {
        Text name;
        text_init(&name, t->c);
        any = m[1] && m[2] == '=' && m[3] && m[4] == '}' && operand(u, &name, m[3] - '0');
        text_free(&name);
    }
    return any;
}

const char *text_check_kind(const char *why, ThError *kind, bool *cause) {
    *cause = false;
    for (int e = 1; e < TH_ERROR_COUNT; e++) {
        const char *name = th_error_name((ThError)e), *end = why + strlen(name);
        if (strncmp(why, name, strlen(name)) != 0 || (*end != ':' && *end != '!')) continue;
        *kind = (ThError)e, *cause = *end == '!';
        return end + 1 + (end[1] == ' ');
    }
    return why;
}

void text_check(Text *t, const char *why, const int64_t v[2], TextOperand *operand, void *u) {
    static const char hint[] = " A length of 1 broadcasts only";
    bool told = false, named = any_named(t, why, operand, u);
    for (const char *s = why; *s; s++) {
        int input = named && char_is_letter(*s) ? letter_input(why, s) : -1;
        if (strncmp(s, hint, sizeof hint - 1) == 0) {
            put_numbered(t, why, operand, u);
            told = true;
            if (v[0] != 1 && v[1] != 1) break;
        }
        if (s[0] == '{' && (s[1] == '0' || s[1] == '1') && s[2] == '}') {
            text_printf(t, "%lld", (long long)v[s[1] - '0']);
            s += 2;
        } else if (s[0] == '{' && s[1] && s[2] == '=' && s[3] && s[4] == '}') s += 4;
        else if (input < 0) text_putc(t, *s);
        else if (!operand(u, t, input)) text_printf(t, "input[%d]", input);
    }
    if (!told) put_numbered(t, why, operand, u);
}

const char *text_bytes(char *to, size_t room, int64_t bytes) {
    static const char unit[] = "KMGTPE";
    int at = -1;
    int64_t n = bytes, tenth = 0;
    for (; n >= 1024; at++) tenth = n % 1024 * 10 / 1024, n /= 1024;
    if (bytes < 10000) number_format(to, room, "%lld byte%s", (long long)bytes, bytes == 1 ? "" : "s");
    else
        number_format(to, room, "%lld bytes (%lld.%lld %cB)", (long long)bytes, (long long)n, (long long)tenth,
                      unit[at]);
    return to;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */
void text_json(Text *t, const char *s) {
    if (!s) {
        text_put(t, "null");
        return;
    }
    text_putc(t, '"');
    for (const char *from = s;; s++) { /* runs without special characters at once */
        unsigned char ch = (unsigned char)*s;
        if (ch >= ' ' && ch != '"' && ch != '\\' && ch != '<' && ch != 127) continue;
        text_put_n(t, from, (size_t)(s - from));
        if (!ch) break;
        if (ch == '"' || ch == '\\') text_printf(t, "\\%c", ch);
        else text_printf(t, "\\u%04x", ch); /* '<' too: the text may stand in a page */
        from = s + 1;
    }
    text_putc(t, '"');
}

void text_json_number(Text *t, double v) {
    if (isfinite(v)) text_printf(t, "%.9g", v);
    else text_put(t, "null");
}

char *text_take(Text *t) {
    if (!t->at) text_put_n(t, "", 0);
    char *s = t->failed ? NULL : t->at;
    if (t->failed) th_free(t->c, t->at);
    *t = (Text){.c = t->c};
    return s;
}

void text_free(Text *t) {
    th_free(t->c, t->at);
    *t = (Text){.c = t->c};
}

/* ---- floats ------------------------------------------------------------------------------------------------------ */
static bool reads_back(const char *s, double v, ThDtype d) {
    if (d == TH_FLOAT32) return number_read_single(s, NULL) == (float)v;
    double x = number_read(s, NULL);
    if (dtype_is_half(d)) dtype_round(&x, d);
    return x == v;
}

/* "d.ddde+xx" one unit up in its last digit. False where a carry would lengthen it. */
static bool next_up(char *s) {
    char *p = strchr(s, 'e') - 1;
    for (; p >= s; p--) {
        if (!char_is_digit(*p)) continue;
        if (*p != '9') {
            ++*p;
            return true;
        }
        *p = '0';
    }
    return false;
}

/* Digits and exponent of "d.ddde+xx" without zeros at the end. */
static int collect(const char *s, char *digits, int *exponent) {
    int n = 0;
    for (; *s != 'e'; s++)
        if (char_is_digit(*s)) digits[n++] = *s;
    while (n > 1 && digits[n - 1] == '0') n--;
    digits[n] = 0;
    *exponent = atoi(s + 1);
    return n;
}

int text_rounded(double v, int n, char *digits, int *exponent) {
    char s[48];
    number_format(s, sizeof s, "%.*e", n - 1, fabs(v));
    return collect(s, digits, exponent);
}

/*
 * Digits without sign and point, and the power of ten of the first one; v is finite. Returns the number of digits. A
 * number of at most 15 (6) digits is given back by that precision with zeros behind, so only longer ones are searched
 * for; numbers below the normal range hold fewer digits and are searched from one. At a power of two the gap below is
 * half the gap above, so the nearest decimal of a length may fail below v where its neighbour above reads back.
 */
int text_digits(double v, ThDtype d, char *digits, int *exponent) {
    bool single = d == TH_FLOAT32, half = dtype_is_half(d);
    double tiny = single ? 1.1754943508222875e-38 : 2.2250738585072014e-308;
    char s[48];
    v = fabs(v);
    int last = half ? 5 : single ? 9 : 17, first = half || (v < tiny && v != 0) ? 1 : single ? 6 : 15;
    bool power = frexp(v, exponent) == 0.5;
    for (int n = first; n <= last; n++) {
        number_format(s, sizeof s, "%.*e", n - 1, v);
        if (reads_back(s, v, d)) break;
        if (power && number_read(s, NULL) < v && next_up(s) && reads_back(s, v, d)) break;
    }
    return collect(s, digits, exponent);
}

void text_float(Text *t, double v, ThDtype d) { text_float_to(t, v, d, 16); }

void text_float_to(Text *t, double v, ThDtype d, int most) {
    if (isnan(v) || isinf(v)) {
        text_put(t, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
        return;
    }
    char digits[32];
    int ex, n = text_digits(v, d, digits, &ex);
    if (signbit(v)) text_putc(t, '-');
    if ((v != 0 && fabs(v) < 1e-4) || ex >= most) { /* by value, so (float)1e-4, which is below it, is 1e-04 */
        text_putc(t, digits[0]);
        if (n > 1) text_printf(t, ".%s", digits + 1);
        text_printf(t, "e%c%02d", ex < 0 ? '-' : '+', abs(ex));
    } else if (ex < 0) {
        text_printf(t, "0.%.*s%s", -ex - 1, "0000", digits);
    } else {
        for (int i = 0; i <= ex; i++) text_putc(t, i < n ? digits[i] : '0');
        text_printf(t, ".%s", n > ex + 1 ? digits + ex + 1 : "0");
    }
}

bool text_same(const char *a, const char *b) {
    while (*a && char_lower(*a) == char_lower(*b)) a++, b++;
    return char_lower(*a) == char_lower(*b);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */
enum { NAME = 64 };

/* Edit distance without regard to case; both at most NAME long. */
static int distance(const char *a, size_t na, const char *b, size_t nb) {
    int row[NAME + 1];
    for (size_t j = 0; j <= nb; j++) row[j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int best = diagonal + (char_lower(a[i - 1]) != char_lower(b[j - 1]));
            diagonal = row[j];
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[nb];
}

const char *text_nearest(const char *s, const char *const *names, int n) {
    size_t ns = strlen(s);
    if (!ns || ns > NAME) return NULL;
    const char *best = NULL;
    int limit = ns < 4 ? 1 : ns < 7 ? 2 : 1 + (int)ns / 4; /* further away it is another word */
    for (int i = 0; i < n; i++) {
        size_t m = names[i] ? strlen(names[i]) : 0;
        if (!m || m > NAME) continue;
        int d = distance(s, ns, names[i], m);
        if (d > limit || d >= (int)(ns > m ? ns : m)) continue;
        best = names[i];
        limit = d - 1;
    }
    return best;
}
