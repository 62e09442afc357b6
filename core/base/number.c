/*
 * number.c -- numbers as text and back, the same in every locale.
 *
 * In: text and numbers. Out: the other. Always holds: a host (or a script, by os.setlocale) may set a locale whose
 * point is a comma; what is read and written here does not change with it. These
 * are the only calls of the C library's conversions in core: scripts/check locale refuses them elsewhere.
 */
#define _GNU_SOURCE /* strtod_l */
#include "base.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* The C library has this one ready: no memory is taken and nothing is to be freed. */
static locale_t plain(void) { return newlocale(LC_ALL_MASK, "C", (locale_t)0); }

double number_read(const char *s, char **end) { return strtod_l(s, end, plain()); }
float number_read_single(const char *s, char **end) { return strtof_l(s, end, plain()); }

int number_vformat(char *to, size_t size, const char *format, va_list ap) {
    locale_t before = uselocale(plain()); /* of this thread alone */
    int n = vsnprintf(to, size, format, ap);
    uselocale(before);
    return n;
}

int number_format(char *to, size_t size, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    int n = number_vformat(to, size, format, ap);
    va_end(ap);
    return n;
}
