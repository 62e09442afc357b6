/* sort_body.h -- the portable sort for one width of keys: WORD is the type, NAME(x) names its functions. */

static void NAME(insertion)(WORD *k, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        WORD v = k[i];
        int64_t j = i;
        for (; j > 0 && k[j - 1] > v; j--) k[j] = k[j - 1];
        k[j] = v;
    }
}

/* Two sorted runs into `to`, without a branch that depends on the keys. */
static void NAME(merge)(const WORD *a, int64_t na, const WORD *b, int64_t nb, WORD *to) {
    int64_t i = 0, j = 0;
    while (i < na && j < nb) {
        bool second = b[j] < a[i];
        *to++ = second ? b[j] : a[i];
        i += !second, j += second;
    }
    for (; i < na; i++) *to++ = a[i];
    for (; j < nb; j++) *to++ = b[j];
}

/* Runs of 16, then merges between the two blocks. */
static void NAME(merge_sort)(WORD *k, int64_t n, WORD *tmp) {
    enum { RUN = 16 };
    for (int64_t i = 0; i < n; i += RUN) NAME(insertion)(k + i, n - i < RUN ? n - i : RUN);
    WORD *from = k, *to = tmp;
    for (int64_t w = RUN; w < n; w *= 2) {
        for (int64_t i = 0; i < n; i += 2 * w) {
            int64_t na = n - i < w ? n - i : w, nb = n - i - na < w ? n - i - na : w;
            NAME(merge)(from + i, na, from + i + na, nb, to + i);
        }
        WORD *swap = from;
        from = to, to = swap;
    }
    if (from != k) memcpy(k, from, (size_t)n * sizeof *k);
}

/* Counting passes over the bytes, lowest first; a byte that all keys share takes none. */
static void NAME(radix)(WORD *k, int64_t n, WORD *tmp) {
    enum { BYTES = sizeof(WORD) };
    int64_t count[BYTES][256];
    memset(count, 0, sizeof count);
    for (int64_t i = 0; i < n; i++)
        for (int b = 0; b < BYTES; b++) count[b][k[i] >> (8 * b) & 255]++;
    WORD *from = k, *to = tmp;
    for (int b = 0; b < BYTES; b++) {
        int64_t *c = count[b], sum = 0;
        if (c[k[0] >> (8 * b) & 255] == n) continue;
        for (int i = 0; i < 256; i++) {
            int64_t m = c[i];
            c[i] = sum, sum += m;
        }
        for (int64_t i = 0; i < n; i++) to[c[from[i] >> (8 * b) & 255]++] = from[i];
        WORD *swap = from;
        from = to, to = swap;
    }
    if (from != k) memcpy(k, from, (size_t)n * sizeof *k);
}

static void NAME(portable)(WORD *k, int64_t n, WORD *tmp) {
    if (n <= 24) NAME(insertion)(k, n);
    else if (n < 1500) NAME(merge_sort)(k, n, tmp);
    else NAME(radix)(k, n, tmp);
}

#ifdef SELECT
/* Until k[at] is what it is in a sorted list, smaller keys before it and larger ones behind: splits in three around the
 * middle of three keys, and a sort where that goes on for too long. */
static void NAME(pick)(WORD *k, int64_t n, int64_t at, WORD *tmp) {
    int rounds = 2 * (64 - __builtin_clzll((unsigned long long)n | 1));
    while (n > 24) {
        if (rounds-- == 0) break;
        WORD a = k[0], b = k[n / 2], c = k[n - 1], low = a < b ? a : b, high = a < b ? b : a;
        WORD p = high < c ? high : low > c ? low : c;
        int64_t below = 0, same = 0, i = 0, end = n;
        while (i < end) { /* [0, below) smaller, [below, i) equal, [end, n) larger */
            WORD v = k[i];
            if (v < p) k[i++] = k[below], k[below++] = v;
            else if (v > p) k[i] = k[--end], k[end] = v;
            else i++;
        }
        same = end - below;
        if (at < below) n = below;
        else if (at < below + same) return;
        else k += end, n -= end, at -= end;
    }
    NAME(portable)(k, n, tmp);
}
#endif
