/*
 * number.c -- numbers as text and back, the same in every locale.
 *
 * In: text and numbers. Out: the other. Always holds: a host (or a script, by os.setlocale) may set a locale whose
 * point is a comma; what is read and written here does not change with it. core/base/os alone calls the C library's
 * conversions: scripts/check locale refuses them elsewhere.
 */
#include "base.h"

double number_read(const char *s, char **end) { return os_strtod(s, end); }
float number_read_single(const char *s, char **end) { return os_strtof(s, end); }
int number_vformat(char *to, size_t size, const char *format, va_list ap) { return os_vformat(to, size, format, ap); }

int number_format(char *to, size_t size, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    int n = number_vformat(to, size, format, ap);
    va_end(ap);
    return n;
}
