/* Winograd's way of convolution by filters of 3 x 3: core/runtime/conv/winograd.c, one square at a time. The transforms
 * of core/runtime/gemm/winograd_micro.h stand before it. how, tiles: the order in which what is not finite is computed
 * again. For each T: OF(name), FMA. */
static int OF(conv_finite)(const T *x, i64 n, i64 step) {
    T check = 0;
    for (i64 i = 0; i < n; i++) check += x[i * step] * 0;
    return check == 0;
}

/* Pixels of side x side of all channels of a plane (lens a, b) from (y, x) on as (y, x, channel), zeros outside. */
static void OF(conv_square)(const T *from, const i64 *st, i64 channels, i64 a, i64 b, i64 y, i64 x, i64 side, T *to) {
    for (i64 i = 0; i < side; i++)
        for (i64 j = 0; j < side; j++, to += channels) {
            const int inside = y + i >= 0 && y + i < a && x + j >= 0 && x + j < b;
            for (i64 c = 0; c < channels; c++) to[c] = inside ? from[c * st[1] + (y + i) * st[3] + (x + j) * st[4]] : 0;
        }
}

static void OF(conv_turn)(int kind, i64 m, i64 lanes, const T *from, i64 from_y, i64 from_x, T *to, i64 to_y,
                          i64 to_x) {
    const WinogradTiles t = {1, lanes, from, 0, from_y, from_x, to, 0, to_y, to_x};
    OF(winograd).squares[m / 4][kind](&t);
}

/* Filters of a group as [factor][channel][filter]. */
static void OF(conv_factors)(const Conv *w, const T *filter, i64 m, T *line, T *to) {
    const i64 side = m + 2, all = w->channels * w->filters;
    for (i64 c = 0; c < w->channels; c++) {
        for (i64 tap = 0; tap < 9; tap++)
            for (i64 o = 0; o < w->filters; o++)
                line[tap * w->filters + o] =
                    filter[o * w->filter[0] + c * w->filter[1] + tap / 3 * w->filter[3] + tap % 3 * w->filter[4]];
        OF(conv_turn)
        (WINOGRAD_FILTER, m, w->filters, line, 3 * w->filters, w->filters, to + c * w->filters, side * all, all);
    }
}

/* Square (y, x) of a result. */
static void OF(conv_square_top)(const Conv *w, const T *image, i64 m, i64 y, i64 x, const T *filters, T *room, T *top) {
    const i64 side = m + 2, factors = side * side, nc = w->channels, no = w->filters;
    T *line = room, *image_factors = line + factors * (nc > no ? nc : no), *products = image_factors + factors * nc;
    OF(conv_square)(image, w->image, nc, w->in[1], w->in[2], y - w->pad[1], x - w->pad[2], side, line);
    OF(conv_turn)(WINOGRAD_IMAGE, m, nc, line, side * nc, nc, image_factors, side * nc, nc);
    for (i64 f = 0; f < factors; f++) {
        T *sum = products + f * no;
        for (i64 o = 0; o < no; o++) sum[o] = 0;
        for (i64 c = 0; c < nc; c++) {
            const T *by = filters + (f * nc + c) * no, a = image_factors[f * nc + c];
            for (i64 o = 0; o < no; o++) sum[o] = FMA(by[o], a, sum[o]);
        }
    }
    OF(conv_turn)(WINOGRAD_TOP, m, no, products, side * no, no, line, m * no, no);
    for (i64 i = 0; i < m && y + i < w->out[1]; i++)
        for (i64 j = 0; j < m && x + j < w->out[2]; j++)
            for (i64 o = 0; o < no; o++)
                top[o * w->top[1] + (y + i) * w->top[3] + (x + j) * w->top[4]] = line[(i * m + j) * no + o];
}

static void OF(conv_squares)(const Conv *w, const ConvHow *how, const ConvHow *tiles, const T *image, const T *filter,
                             T *top, T *room) {
    const i64 m = how->way == CONV_WINOGRAD2 ? 2 : 4, side = m + 2;
    T *factors = room + 9 * w->filters;
    OF(conv_factors)(w, filter, m, room, factors);
    T *rest = factors + side * side * w->channels * w->filters;
    for (i64 y = 0; y < w->out[1]; y += m) {
        for (i64 x = 0; x < w->out[2]; x += m) OF(conv_square_top)(w, image, m, y, x, factors, rest, top);
        int good = 1;
        const i64 end = y + m < w->out[1] ? y + m : w->out[1];
        for (i64 o = 0; o < w->filters; o++)
            for (i64 q = y; good && q < end; q++)
                good = OF(conv_finite)(top + o * w->top[1] + q * w->top[3], w->out[2], w->top[4]);
        for (i64 o = 0; !good && o < w->filters; o++)
            for (i64 q = y; q < end; q++)
                OF(conv_line)(w, tiles, image, filter + o * w->filter[0], 0, q, top + o * w->top[1]);
    }
}

/* Sums for the filters of a group over some images, as [tap][filter] with channels before taps. */
static void OF(conv_squares_back)(const Conv *w, const ConvHow *how, const T *image, const T *top, i64 images, T *sums,
                                  T *room) {
    const i64 m = how->way == CONV_WINOGRAD2 ? 2 : 4, side = m + 2, factors = side * side, nc = w->channels;
    const i64 no = w->filters, down = (w->out[1] + m - 1) / m, across = (w->out[2] + m - 1) / m;
    const i64 most = how->rows * across;
    T *line = room, *chain = line + factors * (nc > no ? nc : no), *of_image = chain + nc;
    T *of_top = of_image + most * factors * nc, *all = of_top + most * factors * no;
    for (i64 strip = 0, strips; strip < images * down; strip += strips) {
        strips = images * down - strip < how->rows ? images * down - strip : how->rows;
        for (i64 i = 0; i < strips * across; i++) {
            const i64 n = (strip + i / across) / down, y = (strip + i / across) % down * m, x = i % across * m;
            OF(conv_square)
            (image + n * w->image[0], w->image, nc, w->in[1], w->in[2], y - w->pad[1], x - w->pad[2], side, line);
            OF(conv_turn)(WINOGRAD_IMAGE, m, nc, line, side * nc, nc, of_image + i * factors * nc, side * nc, nc);
            OF(conv_square)(top + n * w->top[0], w->top, no, w->out[1], w->out[2], y, x, m, line);
            OF(conv_turn)(WINOGRAD_BACK, m, no, line, m * no, no, of_top + i * factors * no, side * no, no);
        }
        for (i64 f = 0; f < factors; f++)
            for (i64 o = 0; o < no; o++) {
                T *to = all + (f * no + o) * nc;
                for (i64 c = 0; c < nc; c++) chain[c] = 0;
                for (i64 i = 0; i < strips * across; i++) {
                    const T a = of_top[(i * factors + f) * no + o], *b = of_image + (i * factors + f) * nc;
                    for (i64 c = 0; c < nc; c++) chain[c] = FMA(b[c], a, chain[c]);
                }
                for (i64 c = 0; c < nc; c++) to[c] = strip ? chain[c] + to[c] : chain[c];
            }
    }
    for (i64 o = 0; o < no; o++) {
        OF(conv_turn)(WINOGRAD_SUMS, m, nc, all + o * nc, side * no * nc, no * nc, line, 3 * nc, nc);
        for (i64 c = 0; c < nc; c++)
            for (i64 tap = 0; tap < 9; tap++) sums[(c * 9 + tap) * no + o] = line[tap * nc + c];
    }
}
