/*
 * kernels_body.h -- the loops over sparse matrices for one type of values. T is its C type, NAME(x) names the
 * functions. Lines are done in order and by nobody else, so results do not depend on threads.
 */

/* out (lines, n) = s . d (places, n), for lines [from, to): columns in blocks that stay in registers. The
 * rows that come NEXT are fetched meanwhile: nothing else tells the processor where they lie. */
static void NAME(gather_block)(const Sparse *s, const T *d, int64_t n, T *out, int64_t line, int64_t col) {
    enum { WIDE = 256 / sizeof(T), NEXT = 6 };
    const T *v = (const T *)(const void *)s->data;
    T sum[WIDE] = {0};
    for (int64_t k = s->ptr[line]; k < s->ptr[line + 1]; k++) {
        const T *next = d + (int64_t)s->idx[k + NEXT < s->nnz ? k + NEXT : k] * n + col;
        for (int j = 0; j < WIDE; j += 64 / (int)sizeof(T)) __builtin_prefetch(next + j);
        const T *row = d + (int64_t)s->idx[k] * n + col;
        T a = v[k];
        for (int j = 0; j < WIDE; j++) sum[j] += a * row[j];
    }
    memcpy(out + line * n + col, sum, sizeof sum);
}

static void NAME(gather_rest)(const Sparse *s, const T *d, int64_t n, T *out, int64_t line, int64_t col) {
    const T *v = (const T *)(const void *)s->data;
    T *o = out + line * n;
    for (int64_t j = col; j < n; j++) o[j] = 0;
    for (int64_t k = s->ptr[line]; k < s->ptr[line + 1]; k++) {
        const T *row = d + (int64_t)s->idx[k] * n;
        T a = v[k];
        for (int64_t j = col; j < n; j++) o[j] += a * row[j];
    }
}

/* One column: four sums, added in a fixed order. */
static void NAME(gather_vector)(const Sparse *s, const T *d, T *out, int64_t from, int64_t to) {
    const T *v = (const T *)(const void *)s->data;
    const int32_t *idx = s->idx;
    for (int64_t i = from; i < to; i++) {
        int64_t k = s->ptr[i], end = s->ptr[i + 1];
        T a = 0, b = 0, c = 0, e = 0;
        for (; k + 4 <= end; k += 4) {
            a += v[k] * d[idx[k]];
            b += v[k + 1] * d[idx[k + 1]];
            c += v[k + 2] * d[idx[k + 2]];
            e += v[k + 3] * d[idx[k + 3]];
        }
        for (; k < end; k++) a += v[k] * d[idx[k]];
        out[i] = (a + b) + (c + e);
    }
}

static void NAME(gather)(const Sparse *s, const void *dense, int64_t n, void *result, int64_t from, int64_t to) {
    enum { WIDE = 256 / sizeof(T) };
    const T *d = dense;
    T *out = result;
    if (n == 1) {
        NAME(gather_vector)(s, d, out, from, to);
        return;
    }
    for (int64_t i = from; i < to; i++) {
        int64_t j = 0;
        for (; j + WIDE <= n; j += WIDE) NAME(gather_block)(s, d, n, out, i, j);
        if (j < n) NAME(gather_rest)(s, d, n, out, i, j);
    }
}

/* n values times one row of WIDE numbers, each into its row of `to`; the matrix has `left` values from here. */
static inline void NAME(scatter_line)(const T *restrict v, const int32_t *restrict idx, int64_t n, int64_t left,
                                      const T *restrict row, T *restrict to, int64_t step) {
    enum { WIDE = 64 / sizeof(T), NEXT = 8 };
    T r[WIDE];
    for (int j = 0; j < WIDE; j++) r[j] = row[j];
    for (int64_t k = 0; k < n; k++) {
        T a = v[k], *o = to + (int64_t)idx[k] * step;
        __builtin_prefetch(to + (int64_t)idx[k + NEXT < left ? k + NEXT : k] * step, 1);
#pragma GCC unroll 1
        for (int j = 0; j < WIDE; j++) o[j] += a * r[j];
    }
}

/* to += s^T . WIDE columns of d from `col`, `have` of which there are; rows of `to` are `step` apart. */
static void NAME(scatter_block)(const Sparse *s, const SparseDense *d, int64_t col, int64_t have, T *to, int64_t step) {
    enum { WIDE = 64 / sizeof(T) };
    const T *v = (const T *)(const void *)s->data, *from = (const T *)d->data + col * d->by_col;
    const int32_t *ptr = s->ptr;
    T row[WIDE] = {0};
    for (int64_t i = 0; i < s->lines; i++) {
        const T *in = from + i * d->by_row;
        if (have == WIDE && d->by_col == 1) {
            NAME(scatter_line)(v + ptr[i], s->idx + ptr[i], ptr[i + 1] - ptr[i], s->nnz - ptr[i], in, to, step);
            continue;
        }
        for (int64_t j = 0; j < have; j++) row[j] = in[j * d->by_col];
        NAME(scatter_line)(v + ptr[i], s->idx + ptr[i], ptr[i + 1] - ptr[i], s->nnz - ptr[i], row, to, step);
    }
}

static void NAME(scatter_rest)(const Sparse *s, const SparseDense *d, T *out, int64_t from, int64_t to) {
    const T *v = (const T *)(const void *)s->data, *dense = d->data;
    for (int64_t i = 0; i < s->lines; i++)
        for (int64_t k = s->ptr[i]; k < s->ptr[i + 1]; k++) {
            T a = v[k], *o = out + (int64_t)s->idx[k] * d->n;
            for (int64_t j = from; j < to; j++) o[j] += a * dense[i * d->by_row + j * d->by_col];
        }
}

/* out (places, n) += s^T . d (lines, n), columns [from, to) of it; out starts as zeros. A block of columns is summed
 * up where its rows lie one behind the other (room: 64 bytes for each place), so that it stays in a cache. */
static void NAME(scatter)(const Sparse *s, const SparseDense *d, void *room, void *result, int64_t from, int64_t to) {
    enum { WIDE = 64 / sizeof(T) };
    T *out = result, *sum = room;
    int64_t col = from;
    for (; room && col < to; col += WIDE) {
        int64_t have = to - col < WIDE ? to - col : WIDE;
        memset(sum, 0, (size_t)s->places * WIDE * sizeof(T));
        NAME(scatter_block)(s, d, col, have, sum, WIDE);
        for (int64_t i = 0; i < s->places; i++) memcpy(out + i * d->n + col, sum + i * WIDE, (size_t)have * sizeof(T));
    }
    for (; col + WIDE <= to; col += WIDE) NAME(scatter_block)(s, d, col, WIDE, out + col, d->n);
    if (col < to) NAME(scatter_rest)(s, d, out, col, to);
}

/* out (lines, n) = x . y, both by lines, n = y's places; out starts as zeros. */
static void NAME(product_dense)(const Sparse *x, const Sparse *y, void *result, int64_t from, int64_t to) {
    const T *a = (const T *)(const void *)x->data, *b = (const T *)(const void *)y->data;
    for (int64_t i = from; i < to; i++) {
        T *out = (T *)result + i * y->places;
        for (int64_t k = x->ptr[i]; k < x->ptr[i + 1]; k++)
            for (int64_t e = y->ptr[x->idx[k]]; e < y->ptr[x->idx[k] + 1]; e++) out[y->idx[e]] += a[k] * b[e];
    }
}

/* n products into the sums of their places, whose bits are set. */
static inline void NAME(product_mark)(T a, const T *restrict b, const int32_t *restrict idx, int64_t n, T *restrict sum,
                                      uint64_t *restrict bits) {
    for (int64_t e = 0; e < n; e++) {
        int32_t j = idx[e];
        bits[j >> 6] |= (uint64_t)1 << (j & 63);
        sum[j] += a * b[e];
    }
}

/* The same; new places go to the list, which is `found` long and becomes what is returned. */
static inline int64_t NAME(product_list)(T a, const T *restrict b, const int32_t *restrict idx, int64_t n,
                                         T *restrict sum, uint64_t *restrict bits, int32_t *restrict list,
                                         int64_t found) {
    for (int64_t e = 0; e < n; e++) {
        int32_t j = idx[e];
        uint64_t had = bits[j >> 6], bit = (uint64_t)1 << (j & 63);
        list[found] = j;
        found += !(had & bit);
        bits[j >> 6] = had | bit;
        sum[j] += a * b[e];
    }
    return found;
}

static inline void NAME(product_take)(T *restrict sum, const int32_t *restrict list, int64_t n, int32_t *restrict idx,
                                      T *restrict out) {
    for (int64_t e = 0; e < n; e++) {
        int32_t j = list[e];
        idx[e] = j;
        out[e] = sum[j];
        sum[j] = 0;
    }
}

/* Line i of x . y: its places, ascending, and its values; their number. m is left as it was found. */
static int64_t NAME(product_line)(const Sparse *x, const Sparse *y, int64_t i, SparseMarks *m, int32_t *idx, void *to) {
    const T *a = (const T *)(const void *)x->data, *b = (const T *)(const void *)y->data;
    const int32_t *row = x->idx, *ptr = y->ptr;
    int64_t from = x->ptr[i], end = x->ptr[i + 1], n = 0, most = 0;
    for (int64_t k = from; k < end; k++) most += ptr[row[k] + 1] - ptr[row[k]];
    if (most * 2 < m->words) { /* too few to look for them in all of the bits */
        for (int64_t k = from; k < end; k++) {
            int64_t e = ptr[row[k]], have = ptr[row[k] + 1] - e;
            n = NAME(product_list)(a[k], b + e, y->idx + e, have, m->sum, m->bits, m->list, n);
        }
        n = marks_order(m, n);
    } else {
        for (int64_t k = from; k < end; k++) {
            int64_t e = ptr[row[k]], have = ptr[row[k] + 1] - e;
            NAME(product_mark)(a[k], b + e, y->idx + e, have, m->sum, m->bits);
        }
        n = marks_find(m);
    }
    NAME(product_take)(m->sum, m->list, n, idx, to);
    return n;
}

/* Stored values into a dense matrix of zeros with these steps (elements) by line and place. */
static void NAME(to_dense)(const Sparse *s, void *result, int64_t by_line, int64_t by_place) {
    const T *v = (const T *)(const void *)s->data;
    T *out = result;
    for (int64_t i = 0; i < s->lines; i++)
        for (int64_t k = s->ptr[i]; k < s->ptr[i + 1]; k++) out[i * by_line + s->idx[k] * by_place] += v[k];
}

/* What is not zero of a dense matrix; false: more than there is room for. */
static bool NAME(from_dense)(Sparse *s, const void *dense, int64_t by_line, int64_t by_place) {
    T *v = (T *)(void *)s->data;
    int64_t n = 0;
    for (int64_t i = 0; i < s->lines; i++) {
        const T *row = (const T *)dense + i * by_line;
        for (int64_t j = 0; j < s->places; j++) {
            T x = row[j * by_place];
            if (x == 0) continue;
            if (n == s->room) return false;
            v[n] = x;
            s->idx[n++] = (int32_t)j;
        }
        s->ptr[i + 1] = (int32_t)n;
    }
    s->nnz = n;
    return true;
}

static void NAME(same_line)(const T *a, const T *b, int64_t n, bool add, T *v) {
    if (add)
        for (int64_t k = 0; k < n; k++) v[k] = a[k] + b[k];
    else
        for (int64_t k = 0; k < n; k++) v[k] = a[k] * b[k];
}

/* Sums: of the union of two matrices in order (both), or products of what both have. */
static void NAME(merge)(const Sparse *x, const Sparse *y, Sparse *s, bool both) {
    const T *a = (const T *)(const void *)x->data, *b = (const T *)(const void *)y->data;
    T *v = (T *)(void *)s->data;
    int64_t n = 0;
    for (int64_t i = 0; i < x->lines; i++) {
        int64_t p = x->ptr[i], q = y->ptr[i], pe = x->ptr[i + 1], qe = y->ptr[i + 1];
        if (pe - p == qe - q && sparse_same_places(x->idx + p, y->idx + q, pe - p)) {
            NAME(same_line)(a + p, b + q, pe - p, both, v + n);
            memcpy(s->idx + n, x->idx + p, (size_t)(pe - p) * sizeof *s->idx);
            s->ptr[i + 1] = (int32_t)(n += pe - p);
            continue;
        }
        while (p < pe && q < qe) {
            int32_t c = x->idx[p], d = y->idx[q];
            bool here = c <= d, there = d <= c;
            if (both) v[n] = here && there ? a[p] + b[q] : here ? a[p] : b[q];
            else v[n] = a[p] * b[q];
            s->idx[n] = here ? c : d;
            n += both || (here && there);
            p += here;
            q += there;
        }
        for (; both && p < pe; p++, n++) s->idx[n] = x->idx[p], v[n] = a[p];
        for (; both && q < qe; q++, n++) s->idx[n] = y->idx[q], v[n] = b[q];
        s->ptr[i + 1] = (int32_t)n;
    }
    s->nnz = n;
}

/* Values of y, 0 where it has none, at the places that x stores; both in order. */
static void NAME(take_sparse)(const Sparse *x, const Sparse *y, void *result) {
    const T *b = (const T *)(const void *)y->data;
    T *out = result;
    for (int64_t i = 0; i < x->lines; i++) {
        int64_t q = y->ptr[i], qe = y->ptr[i + 1];
        for (int64_t p = x->ptr[i]; p < x->ptr[i + 1]; p++) {
            while (q < qe && y->idx[q] < x->idx[p]) q++;
            out[p] = q < qe && y->idx[q] == x->idx[p] ? b[q] : 0;
        }
    }
}

static void NAME(take_dense)(const Sparse *x, const void *dense, int64_t by_line, int64_t by_place, void *result,
                             int64_t from, int64_t to) {
    T *out = result;
    for (int64_t i = from; i < to; i++) {
        const T *row = (const T *)dense + i * by_line;
        for (int64_t k = x->ptr[i]; k < x->ptr[i + 1]; k++) out[k] = row[x->idx[k] * by_place];
    }
}

/* Sums of numbers d, one for each stored value, by line or by place. */
static void NAME(sum)(const Sparse *s, const void *values, void *result, bool by_line) {
    const T *d = values;
    T *out = result;
    if (!by_line) {
        for (int64_t j = 0; j < s->places; j++) out[j] = 0;
        for (int64_t k = 0; k < s->nnz; k++) out[s->idx[k]] += d[k];
        return;
    }
    for (int64_t i = 0; i < s->lines; i++) {
        int64_t k = s->ptr[i], end = s->ptr[i + 1];
        T a = 0, b = 0, c = 0, e = 0;
        for (; k + 4 <= end; k += 4) a += d[k], b += d[k + 1], c += d[k + 2], e += d[k + 3];
        for (; k < end; k++) a += d[k];
        out[i] = (a + b) + (c + e);
    }
}

/* out[k] = x[line] . y[place], rows of n numbers. */
static void NAME(rows_dot)(const Sparse *s, const void *left, const void *right, int64_t n, void *result, int64_t from,
                           int64_t to) {
    const T *x = left, *y = right;
    T *out = result;
    for (int64_t i = from; i < to; i++) {
        const T *p = x + i * n;
        for (int64_t k = s->ptr[i]; k < s->ptr[i + 1]; k++) {
            const T *q = y + (int64_t)s->idx[k] * n;
            T sum[8] = {0}, rest = 0;
            int64_t j = 0;
            for (; j + 8 <= n; j += 8)
                for (int e = 0; e < 8; e++) sum[e] += p[j + e] * q[j + e];
            for (; j < n; j++) rest += p[j] * q[j];
            out[k] = (((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]))) + rest;
        }
    }
}

/* Sum of the values stored at (i, i). */
static void NAME(diagonal)(const Sparse *s, void *result) {
    const T *v = (const T *)(const void *)s->data;
    T *out = result;
    for (int64_t i = 0; i < s->lines; i++) {
        T sum = 0;
        for (int64_t k = s->ptr[i]; k < s->ptr[i + 1]; k++)
            if (s->idx[k] == i) sum += v[k];
        out[i] = sum;
    }
}

static void NAME(without_zeros)(const Sparse *x, Sparse *s) {
    const T *a = (const T *)(const void *)x->data;
    T *v = (T *)(void *)s->data;
    int64_t n = 0;
    for (int64_t i = 0; i < x->lines; i++) {
        for (int64_t k = x->ptr[i]; k < x->ptr[i + 1]; k++) {
            if (a[k] == 0) continue;
            s->idx[n] = x->idx[k];
            v[n++] = a[k];
        }
        s->ptr[i + 1] = (int32_t)n;
    }
    s->nnz = n;
}

/* Numbers that stand at one place of a line, one behind the other, are added. */
static void NAME(fold)(Sparse *s) {
    T *v = (T *)(void *)s->data;
    int64_t n = 0, k = 0;
    for (int64_t i = 0; i < s->lines; i++) {
        int64_t first = n, end = s->ptr[i + 1];
        for (; k < end; k++) {
            if (n > first && s->idx[n - 1] == s->idx[k]) v[n - 1] += v[k];
            else s->idx[n] = s->idx[k], v[n++] = v[k];
        }
        s->ptr[i + 1] = (int32_t)n;
    }
    s->nnz = n;
}

/* Sum of the values stored at each of n places. */
static void NAME(at)(const Sparse *s, const int64_t *line, const int64_t *place, int64_t n, void *result) {
    const T *v = (const T *)(const void *)s->data;
    T *out = result;
    for (int64_t e = 0; e < n; e++) {
        int64_t low = s->ptr[line[e]], high = s->ptr[line[e] + 1];
        T sum = 0;
        while (s->order && high - low > 16) {
            int64_t middle = low + (high - low) / 2;
            if (s->idx[middle] <= place[e]) low = middle;
            else high = middle;
        }
        for (int64_t k = low; k < high; k++)
            if (s->idx[k] == place[e]) sum += v[k];
        out[e] = sum;
    }
}

static const SparseLoops NAME(loops) = {
    NAME(gather),     NAME(scatter),  NAME(product_dense), NAME(product_line), NAME(to_dense),
    NAME(from_dense), NAME(merge),    NAME(take_sparse),   NAME(take_dense),   NAME(sum),
    NAME(rows_dot),   NAME(diagonal), NAME(without_zeros), NAME(fold),         NAME(at),
};
