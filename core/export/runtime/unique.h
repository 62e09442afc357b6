/* Distinct elements of a vector in ascending order, by sort.h. values: they alone, with NaN's sign lost, and -0.0 of
 * both zeros; else each is the first that stands in x. apart: each NaN (LOST) is a value of its own. room: 2 n
 * positions. Gives their number. */
static i64 OF(unique)(i64 n, i64 step, int values, int apart, const T *x, T *z, i64 *first, i64 *inverse, i64 *count,
                      i64 *room) {
    i64 k = 0;
    OF(sort_line)(x, step, n, values ? 2 : 0, room, room + n);
    for (i64 i = 0; i < n; i++) {
        const T v = x[room[i] * step];
        if (!i || LESS(x[room[i - 1] * step], v) || (apart && LOST(v))) {
            z[k] = values ? CLEAN(v) : v;
            if (!values) first[k] = room[i];
            if (count) count[k] = 0;
            k++;
        }
        if (count) count[k - 1]++;
        if (inverse) inverse[room[i]] = k - 1;
    }
    return k;
}
