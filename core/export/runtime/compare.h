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

/* Whole numbers and floats bit by bit; the sign of a NaN is the processor's own. */
static int same(const char *a, const char *b, int item) {
    const double x = number(a, item), y = number(b, item);
    return !memcmp(a, b, (size_t)(item < 0 ? -item : item)) || (item > 0 && x != x && y != y);
}

static void compare(const char *what, const void *a, const void *b, size_t bytes, int item) {
    const size_t step = (size_t)(item < 0 ? -item : item);
    double most = 1; /* sums of large numbers may be small */
    int odd = 0;
    for (size_t i = 0; i < bytes; i += step) {
        const double y = item > 0 ? fabs(number((const char *)b + i, item)) : 0;
        if (y > most && y - y == 0) most = y;
        odd |= !same((const char *)a + i, (const char *)b + i, item);
    }
    different += odd;
    most *= item == 4 ? 1e-4 : 1e-9;
    for (size_t i = 0; i < bytes; i += step) {
        const char *p = (const char *)a + i, *q = (const char *)b + i;
        if (item < 0 ? !memcmp(p, q, step) : near(number(p, item), number(q, item), most)) continue;
        printf("%s: number %lu is not as recorded\n", what, (unsigned long)(i / step));
        far++;
        return;
    }
}
