/*
 * csv_write.c -- tables of numbers as text: writing.
 *
 * In: an array of at most two dimensions and a format. Out: a line a row, gzip when the path ends in .gz. Always holds:
 * the format is checked to be one conversion of a number, so it can do nothing else; the point is a point in every
 * locale.
 */
#include "file.h"
#include "base/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ThContext *c;
    char spec[40]; /* of printf, with the length of its argument; empty: the shortest digits */
    char conversion;
    ThDtype d, part;
} Format;

static const char *digits(const char *p, int most) {
    const char *from = p;
    while (char_is_digit(*p) && p - from < most) p++;
    return p;
}

static bool parse_format(Format *f, const char *format) {
    if (!format) return true;
    const char *p = format;
    if (*p == '%') p += 1 + strspn(p + 1, "-+ 0#");
    p = digits(p, 2);
    if (*p == '.') p = digits(p + 1, 2);
    if (*format != '%' || p - format > 20 || !*p || !strchr("eEfFgGdi", *p) || p[1])
        return err(f->c, TH_ValueError,
                   "format '%.40s' is not one of '%%.18e', '%%d', '%%8.3f' ...: %%, flags, width, precision and one of "
                   "e f g d",
                   format);
    f->conversion = *p;
    snprintf(f->spec, sizeof f->spec, "%.*s%s%c", (int)(p - format), format, strchr("di", *p) ? "ll" : "", *p);
    return true;
}

/* One real number; digits from the dtype of its part. */
static void put_real(Format *f, Text *t, double v, bool plus) {
    char s[512];
    if (!f->spec[0]) {
        if (plus && !(v < 0) && !(v == 0 && 1 / v < 0)) text_putc(t, '+');
        text_float(t, v, f->part);
        return;
    }
    int64_t whole;
    dtype_cast((char *)&whole, TH_INT64, 0, (const char *)&v, TH_FLOAT64, 0, 1);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (strchr("di", f->conversion)) snprintf(s, sizeof s, f->spec, (long long)whole);
    else number_format(s, sizeof s, f->spec, v);
#pragma GCC diagnostic pop
    if (plus && *s != '-' && *s != '+') text_putc(t, '+');
    text_put(t, s);
}

static void put_element(Format *f, Text *t, const char *at) {
    ThValue v;
    if (dtype_is_complex(f->d)) {
        dtype_cast((char *)&v.c, TH_COMPLEX128, 0, at, f->d, 0, 1);
        text_put(t, f->spec[0] ? " (" : "("); /* the blank is NumPy's */
        put_real(f, t, v.c.re, false);
        put_real(f, t, v.c.im, true);
        text_put(t, "j)");
    } else if (dtype_is_float(f->d) || (f->spec[0] && !strchr("di", f->conversion))) {
        dtype_cast((char *)&v.f, TH_FLOAT64, 0, at, f->d, 0, 1);
        put_real(f, t, v.f, false);
    } else if (f->d == TH_UINT64) {
        text_printf(t, "%llu", (unsigned long long)*(const uint64_t *)(const void *)at);
    } else {
        dtype_cast((char *)&v.i, TH_INT64, 0, at, f->d, 0, 1);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        text_printf(t, f->spec[0] ? f->spec : "%lld", (long long)v.i);
#pragma GCC diagnostic pop
    }
}

/* Lines of a text, each behind the comment's mark. */
static void put_comment(Writer *w, const char *text, const char *comment) {
    while (text) {
        size_t n = strcspn(text, "\n");
        writer_put(w, comment, strlen(comment));
        writer_put(w, text, n);
        writer_put(w, "\n", 1);
        text = text[n] ? text + n + 1 : NULL;
    }
}

static bool put_rows(Format *f, Writer *w, const ThArray *a, const char *delimiter) {
    int64_t rows = a->ndim ? ARRAY_SHAPE(a)[0] : 1, columns = a->ndim == 2 ? ARRAY_SHAPE(a)[1] : 1;
    Text t;
    text_init(&t, f->c);
    for (int64_t i = 0; i < rows && !t.failed; i++) {
        const char *at = a->data + (a->ndim ? i * ARRAY_STRIDES(a)[0] : 0);
        t.n = 0;
        for (int64_t k = 0; k < columns; k++) {
            if (k) text_put(&t, delimiter);
            put_element(f, &t, at + (a->ndim == 2 ? k * ARRAY_STRIDES(a)[1] : 0));
        }
        text_putc(&t, '\n');
        if (!t.failed) writer_put(w, t.at, t.n);
    }
    bool ok = !t.failed;
    text_free(&t);
    return ok;
}

int th_save_text(ThContext *c, const char *path, const ThArray *a, const char *format, const char *delimiter,
                 const char *header, const char *footer, const char *comment) {
    if (!c) return -1;
    if (!path || !a) return err_missing(c, __func__), -1;
    Writer w;
    if (!array_usable(c, a)) return -1;
    ThDtype d = (ThDtype)a->dtype;
    Format f = {.c = c, .d = d, .part = dtype_is_float(d) ? d : d == TH_COMPLEX64 ? TH_FLOAT32 : TH_FLOAT64};
    if (a->ndim > 2) {
        err(c, TH_ValueError, "text holds 1 or 2 dimensions, the array has %d", a->ndim);
        return -1;
    }
    if (!parse_format(&f, format) || !writer_open(&w, c, path)) return -1;
    put_comment(&w, header, comment ? comment : "");
    bool ok = put_rows(&f, &w, a, delimiter ? delimiter : " ");
    put_comment(&w, footer, comment ? comment : "");
    return writer_close(&w, ok) && ok ? 0 : -1;
}
