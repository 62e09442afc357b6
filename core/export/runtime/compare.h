/* Results beside recorded ones: floats by their values, all by their bytes. item: bytes of a number, negative: whole.
 */
static int different, far;

static double number(const char *at, int item) {
    float f = 0;
    double d = 0;
    if (item == 4) memcpy(&f, at, 4);
    if (item == 8) memcpy(&d, at, 8);
    return item == 4 ? f : d;
}

static int near(double x, double y, double most) { return x == y || (x != x && y != y) || fabs(x - y) <= most; }

static void compare(const char *what, const void *a, const void *b, size_t bytes, int item) {
    size_t step = (size_t)(item < 0 ? -item : item);
    double most = 1; /* sums of large numbers may be small */
    if (!memcmp(a, b, bytes)) return;
    different++;
    for (size_t i = 0; item > 0 && i < bytes; i += step) {
        const double y = fabs(number((const char *)b + i, item));
        if (y > most && y - y == 0) most = y;
    }
    most *= item == 4 ? 1e-4 : 1e-9;
    for (size_t i = 0; i < bytes; i += step) {
        const char *p = (const char *)a + i, *q = (const char *)b + i;
        if (item < 0 ? !memcmp(p, q, step) : near(number(p, item), number(q, item), most)) continue;
        printf("%s: number %lu is not as recorded\n", what, (unsigned long)(i / step));
        far++;
        return;
    }
}
