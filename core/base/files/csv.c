/*
 * csv.c -- tables of numbers as text: reading.
 *
 * In: lines of fields, plain or gzip. Out: arrays of (rows, columns). Always holds: every row has the columns of the
 * first; a field is a number of the dtype as a whole or an error that names line and column; digits are read the same
 * way in every locale. Empty lines and comments are skipped.
 */
#include "csv.h"
#include "deflate.h"
#include "base/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = TH_FILE_CHUNK, LINE_LIMIT = 1 << 28, COLUMN_LIMIT = 1 << 24 };

struct Csv {
    Reader r;
    ThTextOptions o;
    VEC(int64_t) use; /* a copy of the wanted columns */
    char *buf;        /* bytes not yet taken: at .. end of cap */
    size_t at, end, cap;
    bool done;
    int64_t line, rows_left, columns; /* columns: of a line, -1 before the first */
    VEC(char *) field;                /* of the line at hand */
};

ThTextOptions th_text_options(void) { return (ThTextOptions){.comment = '#', .max_rows = -1, .dtype = TH_FLOAT64}; }

/* ---- lines ------------------------------------------------------------------------------------------------------- */
/* Room for more behind `end`, then one read. False at the end or on an error. */
static bool more(Csv *t) {
    if (t->at) memmove(t->buf, t->buf + t->at, t->end - t->at);
    t->end -= t->at;
    t->at = 0;
    if (t->end + CHUNK > t->cap) {
        if (t->cap >= LINE_LIMIT)
            return err(t->r.c, TH_IOError, "%s: line %lld is too long", t->r.where, (long long)t->line + 1);
        char *p = ctx_realloc(t->r.c, t->buf, t->cap, 2 * t->cap);
        if (!p) return false;
        t->buf = p;
        t->cap *= 2;
    }
    int64_t got = t->r.read(&t->r, t->buf + t->end, CHUNK - 1); /* one byte stays for a NUL */
    if (got > 0) t->end += (size_t)got;
    return got > 0;
}

/* The next line without its end, NUL-terminated in the buffer; NULL at the end or on an error. */
static char *next_line(Csv *t) {
    size_t seen = 0;
    char *nl;
    while (!(nl = memchr(t->buf + t->at + seen, '\n', t->end - t->at - seen))) {
        seen = t->end - t->at;
        if (!t->done && !more(t)) t->done = true;
        if (failed(t->r.c)) return NULL;
        if (!t->done) continue;
        if (t->at == t->end) return NULL;
        nl = t->buf + t->end++;
        break;
    }
    char *s = t->buf + t->at;
    t->at = (size_t)(nl - t->buf) + 1;
    t->line++;
    *nl = 0;
    size_t n = (size_t)(nl - s);
    if (n && s[n - 1] == '\r') s[--n] = 0;
    if (strlen(s) == n) return s;
    err(t->r.c, TH_IOError, "%s: line %lld holds a zero byte: this is no text", t->r.where, (long long)t->line);
    return NULL;
}

static char *trim(char *s) {
    while (char_is_space(*s)) s++;
    char *end = s + strlen(s);
    while (end > s && char_is_space(end[-1])) *--end = 0;
    return s;
}

/* The next line that holds something, comments taken off. */
static char *next_row(Csv *t) {
    for (char *s; (s = next_line(t));) {
        char *cut = t->o.comment ? strchr(s, t->o.comment) : NULL;
        if (cut) *cut = 0;
        s = trim(s);
        if (*s) return s;
    }
    return NULL;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */
static bool split(Csv *t, char *s) {
    t->field.n = 0;
    for (;;) {
        char *end = s;
        if (t->field.n == COLUMN_LIMIT) return err(t->r.c, TH_IOError, "%s: too many columns", t->r.where);
        while (*end && (t->o.delimiter ? *end != t->o.delimiter : !char_is_space(*end))) end++;
        bool last = !*end;
        *end = 0;
        if (!vec_push(t->r.c, &t->field, trim(s))) return false;
        if (last) return true;
        s = end + 1;
        while (!t->o.delimiter && char_is_space(*s)) s++;
    }
}

static bool bad_field(Csv *t, int column, const char *why) {
    const char *first = t->columns < 0 ? " (skiprows = 1 passes over a line of names)" : "";
    return err(t->r.c, TH_ValueError, "%s: line %lld, column %d: '%.40s' %s %s%s", t->r.where, (long long)t->line,
               column, t->field.at[column], why, th_dtype_name(t->o.dtype), first);
}

/* Whether a text of digits, points and exponents, nan or inf stands there, and no word that number_read knows besides.
 */
static bool plain_number(const char *s) {
    if (*s == '+' || *s == '-') s++;
    if (text_same(s, "nan") || text_same(s, "inf") || text_same(s, "infinity")) return true;
    return *s && s[strspn(s, "0123456789.eE+-")] == 0;
}

static bool real(const char *s, double *v) {
    char *end;
    if (!plain_number(s)) return false;
    *v = number_read(s, &end);
    return *s && !*end;
}

static bool integer(const char *s, ThDtype d, int64_t *v) {
    char *end;
    const char *digits = *s == '-' || *s == '+' ? s + 1 : s;
    if (!char_is_digit(*digits) || (*s == '-' && dtype_is_unsigned(d))) return false;
    errno = 0;
    *v = d == TH_UINT64 ? (int64_t)strtoull(s, &end, 10) : strtoll(s, &end, 10);
    if (errno || *end) return false;
    int64_t back;
    char wide[8];
    dtype_cast(wide, d, 0, (const char *)v, TH_INT64, 0, 1);
    dtype_cast((char *)&back, TH_INT64, 0, wide, d, 0, 1);
    return back == *v;
}

/* "1.5", "2j", "1-2j", "(1-2j)": the second part begins at the last sign that is no exponent's. */
static bool complex_number(char *s, ThComplex128 *v) {
    size_t n = strlen(s);
    *v = (ThComplex128){0, 0};
    if (n > 2 && s[0] == '(' && s[n - 1] == ')') {
        s[n - 1] = 0;
        s = trim(s + 1);
        n = strlen(s);
    }
    if (!n || s[n - 1] != 'j') return real(s, &v->re);
    s[n - 1] = 0;
    char *cut = s + n - 1;
    while (cut > s && !((*cut == '+' || *cut == '-') && cut[-1] != 'e' && cut[-1] != 'E')) cut--;
    if (!real(cut, &v->im)) return false;
    *cut = 0;
    return cut == s || real(trim(s), &v->re);
}

static bool parse(Csv *t, int column, char *out) {
    ThDtype d = t->o.dtype;
    char *s = t->field.at[column];
    ThValue v;
    bool ok;
    if (d == TH_BOOL) {
        bool yes = text_same(s, "true") || !strcmp(s, "1");
        v.i = yes;
        ok = yes || text_same(s, "false") || !strcmp(s, "0");
    } else if (dtype_is_discrete(d)) {
        ok = integer(s, d, &v.i);
    } else if (dtype_is_complex(d)) {
        ok = complex_number(s, &v.c);
    } else {
        ok = real(s, &v.f);
    }
    if (!ok) return bad_field(t, column, "is no");
    dtype_cast(out, d, 0, (const char *)&v,
               dtype_is_complex(d) ? TH_COMPLEX128
               : dtype_is_float(d) ? TH_FLOAT64
               : d == TH_UINT64    ? d
                                   : TH_INT64,
               0, 1);
    return true;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */
static bool check_columns(Csv *t) {
    int n = t->field.n;
    if (t->columns >= 0)
        return n == t->columns || err(t->r.c, TH_ValueError, "%s: line %lld has %d columns, the first has %lld",
                                      t->r.where, (long long)t->line, n, (long long)t->columns);
    for (int i = 0; i < t->use.n; i++) {
        int64_t k = t->use.at[i];
        if (k < -n || k >= n)
            return err(t->r.c, TH_IndexError, "%s: usecols holds %lld, the file has %d columns", t->r.where,
                       (long long)k, n);
        t->use.at[i] = k < 0 ? k + n : k;
    }
    return true;
}

/* Elements of a row in the array. */
static int64_t width(const Csv *t) { return t->o.usecols ? t->use.n : t->columns; }

static bool read_row(Csv *t, char *s, char **data, size_t *used, size_t *cap) {
    size_t item = th_dtype_bytes(t->o.dtype);
    if (!split(t, s) || !check_columns(t)) return false;
    size_t n = (size_t)(t->o.usecols ? t->use.n : t->field.n), need = *used + n * item;
    if (need > *cap) {
        size_t grown = need > 2 * *cap ? need : 2 * *cap;
        char *p = ctx_realloc(t->r.c, *data, *cap, grown);
        if (!p) return false;
        *data = p;
        *cap = grown;
    }
    for (size_t i = 0; i < n; i++)
        if (!parse(t, t->o.usecols ? (int)t->use.at[i] : (int)i, *data + *used + i * item)) return false;
    t->columns = t->field.n;
    *used = need;
    return true;
}

ThArray *csv_read(Csv *t, int64_t rows) {
    ThContext *c = t->r.c;
    size_t used = 0, cap = 0;
    char *data = NULL, *s;
    int64_t n = 0;
    if (rows < 0 || (t->rows_left >= 0 && rows > t->rows_left)) rows = t->rows_left;
    bool ok = true;
    while (ok && (rows < 0 || n < rows) && (s = next_row(t))) {
        ok = read_row(t, s, &data, &used, &cap);
        n += ok;
    }
    if (t->rows_left > 0) t->rows_left -= n;
    int64_t shape[2] = {n, t->columns < 0 ? 0 : width(t)};
    ThArray *a = ok && !failed(c) ? th_array_empty(c, t->o.dtype, 2, shape) : NULL;
    if (a && used) memcpy(a->data, data, used);
    ctx_free(c, data, cap);
    return a;
}

static bool start(Csv *t, char **names) {
    for (int64_t i = 0; i < t->o.skiprows; i++)
        if (!next_line(t)) return !failed(t->r.c);
    if (!t->o.names) return true;
    char *s = next_line(t);
    if (!s) return failed(t->r.c) ? false : err(t->r.c, TH_IOError, "%s: its line of names is missing", t->r.where);
    s = trim(s);
    if (t->o.comment && *s == t->o.comment) s = trim(s + 1);
    if (names) *names = ctx_strdup(t->r.c, s);
    return !names || *names;
}

Csv *csv_open(ThContext *c, const char *path, const ThTextOptions *options, char **names) {
    ThTextOptions o = th_text_options(), own;
    if (options && !(options = options_of(c, options, &own))) return NULL;
    if (options) o = *options;
    if (o.nusecols < 0 || (o.nusecols && !o.usecols)) return err_missing(c, "usecols"), NULL;
    Csv *t = ctx_alloc0(c, sizeof *t);
    if (!t) return NULL;
    t->o = o;
    t->columns = -1;
    t->rows_left = o.max_rows;
    t->cap = 2 * CHUNK;
    if (!reader_open_gzip(&t->r, c, path)) {
        ctx_free(c, t, sizeof *t);
        return NULL;
    }
    t->buf = ctx_alloc(c, t->cap);
    bool ok = t->buf != NULL;
    for (int i = 0; ok && i < o.nusecols; i++) ok = vec_push(c, &t->use, o.usecols[i]);
    if (ok && start(t, names)) return t;
    csv_close(t);
    return NULL;
}

void csv_close(Csv *t) {
    if (!t) return;
    ThContext *c = t->r.c;
    reader_close(&t->r);
    ctx_free(c, t->buf, t->cap);
    vec_free(c, &t->use);
    vec_free(c, &t->field);
    ctx_free(c, t, sizeof *t);
}

ThArray *th_load_text(ThContext *c, const char *path, const ThTextOptions *options, char **names) {
    if (!c) return NULL;
    if (!path) return err_missing(c, __func__), NULL;
    char *own = NULL;
    Csv *t = csv_open(c, path, options, &own);
    ThArray *a = t ? csv_read(t, -1) : NULL;
    csv_close(t);
    if (names && a) *names = own;
    else th_free(c, own);
    return a;
}
