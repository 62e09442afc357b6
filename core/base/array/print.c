/*
 * print.c -- the text of an array, as NumPy's str() and repr() print it.
 *
 * In: any array and the context's print options. Out: brackets, aligned columns, lines of at most 75 characters, "..."
 * in arrays of more than 1,000 elements (the defaults). Always holds: the format (scientific or not, widths) is chosen
 * from the elements that are shown, and every element of a float array has the same width.
 */
#include "base/base.h"
#include "base/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PRECISION = 100, WORD = 512 };
enum { LONGEST = 344 }; /* digits behind the point of the least numbers */

/* ---- decimal digits ---------------------------------------------------------------------------------------------- */
/* A finite number as digits before and after the point; sign is "", "-" or "+". */
typedef struct {
    char whole[328], frac[LONGEST + 2];
    int exponent; /* scientific form only */
} Decimal;

/* One column format: of the reals, or of one part of complex numbers. */
typedef struct {
    char sign; /* '-' only negative numbers have one, '+' all, ' ' leaves room for one */
    ThFloatMode mode;
    bool exp, any_finite, any_nonfinite, any_neginf, any_signed;
    double max, min; /* magnitudes of finite non-zero values */
    bool any_nonzero;
    int left, right, precision, exp_digits;
    int most; /* digits behind the point at most */
} Column;

static const char *lead(const Column *f, double v) { return signbit(v) ? "-" : f->sign == '+' ? "+" : ""; }

/* So many digits behind the first one, the value rounded at once. */
static void scientific_to(const Column *f, double v, int digits, Decimal *out) {
    char s[WORD];
    number_format(s, sizeof s, "%.*e", digits, fabs(v));
    snprintf(out->whole, sizeof out->whole, "%s%c", lead(f, v), s[0]);
    snprintf(out->frac, sizeof out->frac, "%.*s", digits, digits ? s + 2 : "");
    out->exponent = atoi(strchr(s, 'e') + 1);
}

/* So many digits behind the point. */
static void positional_to(const Column *f, double v, int digits, Decimal *out) {
    char s[WORD];
    number_format(s, sizeof s, "%.*f", digits, fabs(v));
    size_t whole = strspn(s, "0123456789");
    snprintf(out->whole, sizeof out->whole, "%s%.*s", lead(f, v), (int)whole, s);
    snprintf(out->frac, sizeof out->frac, "%s", digits ? s + whole + 1 : "");
}

/* The digits the user gets are the shortest that read back, or, where those are too many, the value rounded at once. */
static void scientific(const Column *f, double v, ThDtype d, Decimal *out) {
    char digits[40];
    int ex, n = text_digits(v, d, digits, &ex);
    if (f->mode == TH_FLOAT_FIXED) {
        scientific_to(f, v, f->most, out);
        return;
    }
    if (n > f->most + 1) n = text_rounded(v, f->most + 1, digits, &ex);
    snprintf(out->whole, sizeof out->whole, "%s%c", lead(f, v), digits[0]);
    snprintf(out->frac, sizeof out->frac, "%.*s", n - 1, digits + 1);
    out->exponent = ex;
}

static void positional(const Column *f, double v, ThDtype d, Decimal *out) {
    char digits[40];
    int ex, n = text_digits(v, d, digits, &ex);
    bool fixed = f->mode == TH_FLOAT_FIXED;
    if (fixed || n - 1 - ex > f->most) {
        positional_to(f, v, f->most, out);
        size_t m = fixed ? 0 : strlen(out->frac);
        while (m && out->frac[m - 1] == '0') out->frac[--m] = 0;
        return;
    }
    if (n - 1 < ex) { /* before the point all digits are true ones */
        positional_to(f, v, 0, out);
        return;
    }
    char *w = out->whole + sprintf(out->whole, "%s", lead(f, v));
    for (int i = 0; i <= ex; i++) *w++ = i < n ? digits[i] : '0';
    if (ex < 0) *w++ = '0';
    *w = 0;
    char *to = out->frac;
    for (int i = ex < 0 ? ex + 1 : 0; i < 0; i++) *to++ = '0';
    for (int i = ex < 0 ? 0 : ex + 1; i < n; i++) *to++ = digits[i];
    *to = 0;
    if (!strcmp(out->frac, "0")) out->frac[0] = 0; /* zero itself has the one digit 0 */
}

/* ---- how the elements of an array are written -------------------------------------------------------------------- */
typedef struct {
    ThContext *c;
    const ThArray *a;
    ThDtype d, part; /* part: dtype of a float or of one half of a complex number */
    char kind;
    bool summary, repr; /* repr: commas, and "array(" stands in front */
    int edge;
    Column re, im;
    int width; /* of integers */
    Text out;  /* failed: nothing more is looked at */
    Text pending;
    int looked; /* elements since the clock was */
} Printer;

static void note_range(Column *f, double v) {
    if (!isfinite(v)) {
        f->any_nonfinite = true;
        f->any_neginf |= isinf(v) && v < 0;
        return;
    }
    f->any_finite = true;
    f->any_signed |= signbit(v) != 0;
    v = fabs(v);
    if (v == 0) return;
    if (!f->any_nonzero || v > f->max) f->max = v;
    if (!f->any_nonzero || v < f->min) f->min = v;
    f->any_nonzero = true;
}

/* Arrays of short floats divide and compare in their own dtype, and take exponents where their digits end, as NumPy's.
 */
static void choose(Column *f, ThDtype part, bool suppress) {
    if (!f->any_nonzero) return;
    double ratio = f->max / f->min, low = 0.0001;
    double high = part == TH_FLOAT16 ? 1e3 : part == TH_FLOAT32 ? 1e6 : 1e8;
    if (part != TH_FLOAT64) dtype_round(&ratio, part), dtype_round(&low, part);
    f->exp = f->max >= high || (!suppress && (f->min < low || ratio > 1000.0));
}

static void note_width(Column *f, double v, ThDtype part) {
    Decimal s;
    if (!isfinite(v)) return;
    (f->exp ? scientific : positional)(f, v, part, &s);
    int left = (int)strlen(s.whole), right = (int)strlen(s.frac);
    int digits = !f->exp || abs(s.exponent) < 100 ? 2 : 3;
    if (left > f->left) f->left = left;
    if (right > f->precision) f->precision = right;
    if (digits > f->exp_digits) f->exp_digits = digits;
}

static const char *odd_text(const ThPrintStyle *o, double v) {
    const char *s = isnan(v) ? o->nanstr : o->infstr;
    return *s ? s : isnan(v) ? "nan" : "inf";
}

static void finish(Column *f, const ThPrintStyle *o) {
    f->right = !f->any_finite ? 0 : f->exp ? f->exp_digits + 2 + f->precision : f->precision;
    if (f->sign == ' ' && !f->any_signed) f->left++;
    if (!f->any_nonfinite) return;
    int nan = (int)strlen(odd_text(o, NAN)), inf = (int)strlen(odd_text(o, INFINITY));
    inf += f->any_neginf || f->sign != '-';
    int need = (nan > inf ? nan : inf) - (f->right + 1);
    if (f->left < need) f->left = need;
}

/* Writes one float into its column. */
static void put_float(const Printer *p, const Column *f, double v, char *out) {
    char s[WORD];
    if (!isfinite(v)) {
        const char *sign = isinf(v) && v < 0 ? "-" : f->sign == '+' ? "+" : "";
        snprintf(s, sizeof s, "%s%s", sign, odd_text(&p->c->style, v));
        sprintf(out, "%*s", f->left + f->right + 1, s);
        return;
    }
    Decimal t;
    (f->exp ? scientific : positional)(f, v, p->part, &t);
    bool less = (int)strlen(t.frac) < f->precision; /* filled up with true digits, not with zeros */
    if (f->exp) {
        if (less) scientific_to(f, v, f->precision, &t);
        sprintf(out, "%*s.%se%c%0*d", f->left, t.whole, t.frac, t.exponent < 0 ? '-' : '+', f->exp_digits,
                abs(t.exponent));
    } else {
        if (less && f->mode == TH_FLOAT_MAXPREC_EQUAL) positional_to(f, v, f->precision, &t);
        sprintf(out, "%*s.%-*s", f->left, t.whole, f->right, t.frac);
    }
}

/* Two floats; the j follows the last digit and the blanks follow the j. */
static void put_complex(const Printer *p, ThComplex128 v, char *out) {
    put_float(p, &p->re, v.re, out);
    char *im = out + strlen(out);
    put_float(p, &p->im, v.im, im);
    size_t n = strlen(im), m = n;
    while (m && im[m - 1] == ' ') m--;
    memmove(im + m + 1, im + m, n - m + 1);
    im[m] = 'j';
}

static ThValue load(const Printer *p, const char *at) {
    ThValue v = {0};
    ThDtype wide = p->kind == 'f' ? TH_FLOAT64 : p->kind == 'c' ? TH_COMPLEX128 : p->kind == 'u' ? TH_UINT64 : TH_INT64;
    dtype_cast((char *)&v, wide, 0, at, p->d, 0, 1);
    return v;
}

static int put_int(const Printer *p, ThValue v, int width, char *out) {
    const char *plus = p->re.sign == '+' && (p->kind == 'u' || v.i >= 0) ? "+" : "";
    char s[32];
    snprintf(s, sizeof s, p->kind == 'u' ? "%s%" PRIu64 : "%s%" PRId64, plus, v.i);
    return sprintf(out, "%*s", width, s);
}

static void put_element(const Printer *p, const char *at, char *out) {
    ThValue v = load(p, at);
    if (p->kind == 'b') strcpy(out, v.i ? " True" : "False");
    else if (p->kind == 'f') put_float(p, &p->re, v.f, out);
    else if (p->kind == 'c') put_complex(p, v.c, out);
    else put_int(p, v, p->width, out);
}

/* ---- scanning what is shown -------------------------------------------------------------------------------------- */
typedef void (*Visit)(Printer *p, const char *at);

/* Before each element: whether there is anything left to do, which time may have ended. */
static bool goes_on(Printer *p) {
    enum { OFTEN = 4096 };
    if (++p->looked == OFTEN) {
        p->looked = 0;
        if (ctx_stopped(p->c)) p->out.failed = !err_stopped(p->c);
    }
    return !p->out.failed;
}

/* Calls visit for every element that is shown; recursion is over the axes. */
static void scan(Printer *p, int axis, const char *at, Visit visit) {
    if (axis == p->a->ndim) {
        visit(p, at);
        return;
    }
    int64_t n = ARRAY_SHAPE(p->a)[axis], step = ARRAY_STRIDES(p->a)[axis];
    bool cut = p->summary && n > 2 * p->edge;
    for (int64_t i = 0; i < n && goes_on(p); i++) {
        if (cut && i == p->edge) i = n - p->edge;
        scan(p, axis + 1, at + i * step, visit);
    }
}

static void visit_range(Printer *p, const char *at) {
    ThValue v = load(p, at);
    note_range(&p->re, p->kind == 'c' ? v.c.re : v.f);
    if (p->kind == 'c') note_range(&p->im, v.c.im);
}

static void visit_width(Printer *p, const char *at) {
    ThValue v = load(p, at);
    if (p->kind == 'i' || p->kind == 'u') {
        char s[WORD];
        int n = put_int(p, v, 0, s);
        if (n > p->width) p->width = n;
        p->re.any_signed |= p->kind == 'i' && v.i < 0;
        return;
    }
    note_width(&p->re, p->kind == 'c' ? v.c.re : v.f, p->part);
    if (p->kind == 'c') note_width(&p->im, v.c.im, p->part);
}

/* ---- lines and brackets ------------------------------------------------------------------------------------------ */
/* Adds a word to the pending line; a line that would pass `width` goes out first, without blanks at its end. */
static void extend(Printer *p, const char *word, int width, int indent) {
    Text *l = &p->pending;
    if ((int)l->n > indent && (int)(l->n + strlen(word)) > width) {
        while (l->n && l->at[l->n - 1] == ' ') l->n--;
        text_put_n(&p->out, l->at, l->n);
        text_putc(&p->out, '\n');
        l->n = 0;
        for (int i = 0; i < indent; i++) text_putc(l, ' ');
    }
    text_put(l, word);
}

/* The innermost axis. The first line starts behind the brackets already written, which count as its indent. */
static void print_row(Printer *p, const char *at, int indent, int width) {
    int axis = p->a->ndim - 1;
    int64_t n = ARRAY_SHAPE(p->a)[axis], step = ARRAY_STRIDES(p->a)[axis];
    bool cut = p->summary && n > 2 * p->edge;
    char word[2 * WORD];
    p->pending.n = 0;
    for (int i = 0; i < indent; i++) text_putc(&p->pending, ' ');
    size_t skip = (size_t)indent, before = p->out.n;
    for (int64_t i = 0; i < n && goes_on(p); i++) {
        if (cut && i == p->edge) {
            extend(p, "...", width - 1, indent);
            text_put(&p->pending, p->repr ? ", " : " ");
            i = n - p->edge;
        }
        put_element(p, at + i * step, word);
        extend(p, word, width - 1, indent);
        if (i < n - 1) text_put(&p->pending, p->repr ? ", " : " ");
        if (p->out.n != before && skip) { /* the first line went out: its indent is the brackets' place */
            memmove(p->out.at + before, p->out.at + before + skip, p->out.n - before - skip + 1);
            p->out.n -= skip;
            skip = 0;
        }
    }
    if (!p->pending.failed && !p->out.failed) text_put_n(&p->out, p->pending.at + skip, p->pending.n - skip);
}

/* One axis in brackets; rows of an outer axis stand under each other with one empty line more per level. */
static void print_axis(Printer *p, int axis, const char *at, int indent, int width) {
    int left = p->a->ndim - axis;
    if (p->out.failed || p->pending.failed) return;
    text_putc(&p->out, '[');
    if (left == 1) {
        print_row(p, at, indent, width);
    } else {
        int64_t n = ARRAY_SHAPE(p->a)[axis], step = ARRAY_STRIDES(p->a)[axis];
        bool cut = p->summary && n > 2 * p->edge;
        for (int64_t i = 0; i < n && !p->out.failed; i++) {
            if (i)
                for (int k = 0; k < indent; k++) text_putc(&p->out, ' ');
            if (cut && i == p->edge) {
                text_put(&p->out, "...");
                i = n - p->edge - 1;
            } else {
                print_axis(p, axis + 1, at + i * step, indent + 1, width - 1);
            }
            if (p->repr && i < n - 1) text_putc(&p->out, ',');
            for (int k = 1; k < left && i < n - 1; k++) text_putc(&p->out, '\n');
        }
    }
    text_putc(&p->out, ']');
}

/* ---- scalars ----------------------------------------------------------------------------------------------------- */
/* The power of ten from which on a scalar has an exponent: where its digits end. */
static int most_positional(ThDtype d) { return d == TH_FLOAT16 ? 3 : d == TH_FLOAT32 ? 6 : 16; }

/* A part of a complex scalar: "1", "-0", "0.5", "1e+16", "nan". */
static void put_part(Text *t, double v, ThDtype d, bool plus) {
    if (plus && (isnan(v) || !signbit(v))) text_putc(t, '+');
    text_float_to(t, v, d, most_positional(d));
    if (t->n > 2 && !strcmp(t->at + t->n - 2, ".0")) t->n -= 2;
}

static void print_scalar(Printer *p) {
    ThValue v = load(p, p->a->data);
    Text *t = &p->out;
    char s[WORD];
    if (p->kind == 'b') {
        text_put(t, v.i ? "True" : "False");
    } else if (p->kind == 'f') {
        text_float_to(t, v.f, p->d, most_positional(p->d));
    } else if (p->kind == 'c') {
        bool pure = v.c.re == 0 && !signbit(v.c.re);
        if (!pure) {
            text_putc(t, '(');
            put_part(t, v.c.re, p->part, false);
        }
        put_part(t, v.c.im, p->part, !pure);
        text_put(t, pure ? "j" : "j)");
    } else {
        p->re.sign = '-';
        put_int(p, v, 0, s);
        text_put(t, s);
    }
}

/* Column formats from what is shown. */
static void measure(Printer *p, const ThPrintOptions *o) {
    const ThPrintStyle *style = &p->c->style;
    p->re.mode = p->im.mode = style->floatmode;
    p->re.most = p->im.most = style->floatmode == TH_FLOAT_UNIQUE ? LONGEST : o->precision;
    if (p->kind == 'f' || p->kind == 'c') {
        scan(p, 0, p->a->data, visit_range);
        choose(&p->re, p->part, o->suppress);
        choose(&p->im, p->part, o->suppress);
    }
    if (p->kind != 'b') scan(p, 0, p->a->data, visit_width);
    p->width += p->re.sign == ' ' && !p->re.any_signed;
    finish(&p->re, style);
    finish(&p->im, style);
}

static void start(Printer *p, ThContext *c, const ThArray *a, bool repr) {
    *p = (Printer){.c = c, .a = a, .d = (ThDtype)a->dtype, .kind = th_dtype_kind((ThDtype)a->dtype), .repr = repr};
    p->part = p->kind == 'f' ? p->d : p->d == TH_COMPLEX64 ? TH_FLOAT32 : TH_FLOAT64;
    p->summary = a->size > c->print.threshold;
    p->edge = c->print.edgeitems;
    p->re.sign = c->style.sign ? c->style.sign : '-';
    p->im.sign = '+';
    text_init(&p->out, c);
    text_init(&p->pending, c);
}

static char *end(Printer *p) {
    p->out.failed |= p->pending.failed;
    text_free(&p->pending);
    return text_take(&p->out);
}

char *th_array_str(ThContext *c, const ThArray *a) {
    if (!c) return NULL;
    if (!a) return err_missing(c, __func__), NULL;
    Printer p;
    if (!array_usable(c, a)) return NULL;
    start(&p, c, a, false);
    if (!a->ndim) {
        print_scalar(&p);
    } else if (!a->size) {
        text_put(&p.out, "[]");
    } else {
        measure(&p, &c->print);
        print_axis(&p, 0, a->data, 1, c->print.linewidth);
    }
    return end(&p);
}

/* ", shape=(2, 0), dtype=float32" where the elements do not say it, on a line of its own where it does not fit. */
static void put_rest(Printer *p) {
    ThDtype d = p->d;
    char shape[256], rest[320];
    bool implied = d == TH_INT64 || d == TH_FLOAT64 || d == TH_COMPLEX128 || d == TH_BOOL;
    bool shaped = p->a->size ? p->summary : p->a->ndim > 1, typed = !p->a->size || !implied;
    if (!shaped && !typed) return;
    snprintf(rest, sizeof rest, "%s%s%s%s%s", shaped ? "shape=" : "",
             shaped ? array_shape_text(p->a->ndim, ARRAY_SHAPE(p->a), shape, sizeof shape) : "",
             shaped && typed ? ", " : "", typed ? "dtype=" : "", typed ? th_dtype_name(d) : "");
    size_t from = p->out.n;
    while (from && p->out.at[from - 1] != '\n') from--;
    bool wrap = (int64_t)(p->out.n + 1 - from + strlen(rest) + 2) > p->c->print.linewidth;
    text_printf(&p->out, ",%s%s", wrap ? "\n      " : " ", rest);
}

char *th_array_repr(ThContext *c, const ThArray *a) {
    if (!c) return NULL;
    if (!a) return err_missing(c, __func__), NULL;
    Printer p;
    char word[2 * WORD];
    if (!array_usable(c, a)) return NULL;
    start(&p, c, a, true);
    text_put(&p.out, "array(");
    if (a->size) {
        measure(&p, &c->print);
        if (a->ndim) {
            print_axis(&p, 0, a->data, 7, c->print.linewidth - 1);
        } else {
            put_element(&p, a->data, word);
            text_put(&p.out, word + (p.kind == 'b' ? strspn(word, " ") : 0));
        }
    } else {
        text_put(&p.out, "[]");
    }
    if (!p.out.failed) put_rest(&p);
    text_putc(&p.out, ')');
    return end(&p);
}

int th_print_options(ThContext *c, const ThPrintOptions *o) {
    if (!c) return -1;
    if (!o) return err_missing(c, __func__), -1;
    bool ok = o->precision >= 0 && o->precision <= MOST_PRECISION && o->edgeitems >= 1 && o->edgeitems <= 1000000 &&
              o->threshold >= 0 && o->linewidth >= 0;
    if (ok) c->print = *o;
    else
        err(c, TH_ValueError,
            "print options: precision is between 0 and %d, edgeitems positive, threshold and linewidth not negative",
            MOST_PRECISION);
    return ok ? 0 : -1;
}

ThPrintOptions th_print_options_get(const ThContext *c) { return c ? c->print : (ThPrintOptions){0}; }

int th_print_style(ThContext *c, const ThPrintStyle *now, ThPrintStyle *before) {
    if (!c) return -1;
    bool ok = !now || ((unsigned)now->floatmode <= TH_FLOAT_UNIQUE && (!now->sign || strchr("-+ ", now->sign)) &&
                       memchr(now->nanstr, 0, sizeof now->nanstr) && memchr(now->infstr, 0, sizeof now->infstr));
    if (!ok) return err(c, TH_ValueError, "print style: floatmode is one of four, sign '-', '+' or ' '"), -1;
    if (before) *before = c->style;
    if (now) c->style = *now;
    return 0;
}
