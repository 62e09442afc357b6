/* Where arrays are not zero, distinct elements. For each T: OF(name), IS(a): not zero; of those that are sorted LESS
 * and CLEAN, as sort.h has them. */
/* Positions of what is not zero, in order, the first `most` of them; at NULL: how many there are. w: dims, lengths,
 * steps. */
static i64 OF(find)(const i64 *w, const T *x, i64 most, i64 *const *at) {
    const i64 nd = w[0], *len = w + 1, *st = len + nd;
    i64 pos[32] = {0}, n = 0, d = 0;
    for (i64 i = 0; i < nd; i++)
        if (!len[i]) return 0;
    while (d >= 0 && (!at || n < most)) {
        const int is = IS(*x);
        for (i64 i = 0; at && is && i < nd; i++) at[i][n] = pos[i];
        n += is;
        for (d = nd - 1; d >= 0; d--) {
            const i64 by = ++pos[d] < len[d] ? 1 : 1 - len[d];
            x += by * st[d];
            if (by == 1) break;
            pos[d] = 0;
        }
    }
    return n;
}
