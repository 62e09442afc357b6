/* Convolution of all groups, by the ways that `how` may tell. For each T: OF(name), FMA; CONV_SQUARES, CONV_PRODUCTS:
 * whether conv_squares.h and product.h stand before it. */
/* Image n. */
static void OF(conv_image)(const Conv *w, const ConvHow *how, const ConvHow *tiles, const T *image, const T *filter,
                           T *top, T *room) {
    (void)tiles, (void)room;
    for (i64 g = 0; g < w->groups; g++, filter += w->group, image += w->channels * w->image[1]) {
        T *to = top + g * w->filters * w->top[1];
#if CONV_PRODUCTS
        if (how->way == CONV_PLAIN) {
            const Product p = {0,
                               w->filters,
                               w->out[0] * w->out[1] * w->out[2],
                               w->channels,
                               filter,
                               image,
                               to,
                               {w->filter[0], w->filter[1]},
                               {w->image[1], 1},
                               {w->top[1], 1},
                               1,
                               0,
                               0,
                               0};
            OF(product)(&p);
            continue;
        }
#endif
#if CONV_SQUARES
        if (how->way == CONV_WINOGRAD || how->way == CONV_WINOGRAD2) {
            OF(conv_squares)(w, how, tiles, image, filter, to, room);
            continue;
        }
#endif
        for (i64 o = 0; o < w->filters; o++)
            for (i64 q0 = 0; q0 < w->out[0]; q0++)
                for (i64 q1 = 0; q1 < w->out[1]; q1++)
                    OF(conv_line)(w, how, image, filter + o * w->filter[0], q0, q1, to + o * w->top[1]);
    }
}

/* ---- gradients for images: of one image and group ---------------------------------------------------------------- */
/* Element (c, i) as one chain over filters and the taps that reach it. */
static T OF(conv_reached)(const Conv *w, const T *filter, const T *top, const i64 *i) {
    i64 n[3] = {0, 0, 0}, first[3], every[3];
    for (int d = 0; d < 3; d++)
        for (i64 r = 0; r < w->size[d]; r++) {
            if ((i[d] + w->pad[d] - r * w->dilation[d]) % w->step[d]) continue;
            if (n[d] == 0) first[d] = r;
            if (n[d] == 1) every[d] = r - first[d];
            n[d]++;
        }
    if (!n[0] || !n[1] || !n[2]) return 0;
    const i64 taps = n[0] * n[1] * n[2], all = w->filters * taps, chunk = conv_chunk(all);
    T sum = 0, part = 0;
    for (i64 t = 0, left = chunk; t < all; t++, left--) {
        if (left == 0) sum = t > chunk ? sum + part : part, part = 0, left = chunk;
        const i64 o = t / taps, tap = t % taps, u[3] = {tap / (n[1] * n[2]), tap / n[2] % n[1], tap % n[2]};
        const T *by = filter + o * w->filter[0], *at = top + o * w->top[1];
        int inside = 1;
        for (int d = 0; d < 3; d++) {
            const i64 r = n[d] > 1 ? first[d] + u[d] * every[d] : first[d];
            const i64 q = i[d] + w->pad[d] - r * w->dilation[d];
            inside = inside && q >= 0 && q / w->step[d] < w->out[d];
            by += r * w->filter[2 + d];
            if (inside) at += q / w->step[d] * w->top[2 + d];
        }
        part = FMA(inside ? *at : (T)0, *by, part);
    }
    return all > chunk ? sum + part : part;
}

/* Element (c, y, x): what each column of the result gives, added up. */
static T OF(conv_spread)(const Conv *w, const T *filter, const T *top, i64 y, i64 x) {
    T sum = 0;
    for (i64 q = 0; q < w->out[2]; q++) {
        const i64 s = x + w->pad[2] - q * w->step[2];
        int any = 0;
        T part = 0;
        if (s < 0 || s >= w->size[2]) continue;
        for (i64 f = 0; f < w->size[1]; f++) {
            const i64 at = y + w->pad[1] - f * w->dilation[1];
            if (at < 0 || at % w->step[1] || at / w->step[1] >= w->out[1]) continue;
            const T *t = top + at / w->step[1] * w->top[3] + q * w->top[4];
            const T *by = filter + f * w->filter[3] + s * w->filter[4];
            any = 1;
            for (i64 o = 0; o < w->filters; o++) part = FMA(t[o * w->top[1]], by[o * w->filter[0]], part);
        }
        if (any) sum += part;
    }
    return sum;
}

/* Columns of places, `lanes` at a time, times all taps, each of which is added where its window lies. */
static void OF(conv_fold)(const Conv *w, const ConvHow *how, T *image, const T *filter, const T *top) {
    const i64 places = w->out[1] * w->out[2];
    T sum[256];
    for (i64 c = 0; c < w->channels; c++)
        for (i64 y = 0; y < w->in[1]; y++)
            for (i64 x = 0; x < w->in[2]; x++) image[c * w->image[1] + y * w->image[3] + x * w->image[4]] = 0;
    for (i64 col = 0; col < places; col += how->lanes)
        for (i64 t = 0; t < w->size[1] * w->size[2] * w->channels; t++) {
            const i64 c = t % w->channels, r1 = t / w->channels / w->size[2], r2 = t / w->channels % w->size[2];
            const i64 n = places - col < how->lanes ? places - col : how->lanes;
            for (i64 i = 0; i < n; i++) sum[i] = 0;
            for (i64 o = 0; o < w->filters; o++) {
                const T by = filter[o * w->filter[0] + c * w->filter[1] + r1 * w->filter[3] + r2 * w->filter[4]];
                const T *at = top + o * w->top[1];
                for (i64 i = 0; i < n; i++)
                    sum[i] = FMA(at[(col + i) / w->out[2] * w->top[3] + (col + i) % w->out[2] * w->top[4]], by, sum[i]);
            }
            for (i64 i = 0; i < n; i++) {
                const i64 y = conv_at(w, 1, (col + i) / w->out[2], r1), x = conv_at(w, 2, (col + i) % w->out[2], r2);
                if (!conv_in(w, 1, y) || !conv_in(w, 2, x)) continue;
                image[c * w->image[1] + y * w->image[3] + x * w->image[4]] += sum[i];
            }
        }
}

/* Element (c, y, x): of each column of the filter what its rows give, from the last one on. */
static T OF(conv_lines)(const Conv *w, const T *filter, const T *top, i64 y, i64 x) {
    T sum = 0;
    for (i64 s = 0; s < w->size[2]; s++) {
        const i64 q = x + w->pad[2] - s * w->dilation[2];
        T line = 0;
        if (q < 0 || q >= w->out[2]) continue;
        for (i64 f = w->size[1] - 1; f >= 0; f--) {
            const i64 p = y + w->pad[1] - f * w->dilation[1];
            const T *t = top + p * w->top[3] + q * w->top[4], *by = filter + f * w->filter[3] + s * w->filter[4];
            T part = 0;
            if (p < 0 || p >= w->out[1]) continue;
            for (i64 o = 0; o < w->filters; o++) part = FMA(t[o * w->top[1]], by[o * w->filter[0]], part);
            line += part;
        }
        sum += line;
    }
    return sum;
}

static void OF(conv_to_image)(const Conv *w, const ConvHow *how, T *image, const T *filter, const T *top) {
    i64 i[3];
    const int lines = how->way == CONV_FOLD && how->run;
    if (how->way == CONV_FOLD && !lines) {
        OF(conv_fold)(w, how, image, filter, top);
        return;
    }
    for (i64 c = 0; c < w->channels; c++)
        for (i[0] = 0; i[0] < w->in[0]; i[0]++)
            for (i[1] = 0; i[1] < w->in[1]; i[1]++)
                for (i[2] = 0; i[2] < w->in[2]; i[2]++) {
                    const T *by = filter + c * w->filter[1];
                    image[c * w->image[1] + i[0] * w->image[2] + i[1] * w->image[3] + i[2] * w->image[4]] =
                        lines                     ? OF(conv_lines)(w, by, top, i[1], i[2])
                        : how->way == CONV_SPREAD ? OF(conv_spread)(w, by, top, i[1], i[2])
                                                  : OF(conv_reached)(w, by, top, i);
                }
}

/* ---- gradients for filters: of one group, over some images, to sums [tap][filter], channels before taps ---------- */
static T OF(conv_pixel)(const Conv *w, const T *image, i64 a0, i64 a1, i64 a2) {
    if (!conv_in(w, 0, a0) || !conv_in(w, 1, a1) || !conv_in(w, 2, a2)) return 0;
    return image[a0 * w->image[2] + a1 * w->image[3] + a2 * w->image[4]];
}

/* Rows at a time as (place) x (filter): one chain for these. */
static void OF(conv_lanes)(const Conv *w, const ConvHow *how, const T *image, const T *top, T *sums, T *turned) {
    const i64 rows = w->out[0] * w->out[1], across = w->out[2], taps = w->size[0] * w->size[1] * w->size[2];
    const i64 no = w->filters;
    T part[OF(CONV_WIDE)];
    for (i64 row = 0; row < rows; row += how->rows) {
        const i64 end = row + how->rows < rows ? row + how->rows : rows;
        for (i64 q = row * across; q < end * across; q++)
            for (i64 o = 0; o < no; o++)
                turned[(q - row * across) * no + o] = top[o * w->top[1] + q / across / w->out[1] * w->top[2] +
                                                          q / across % w->out[1] * w->top[3] + q % across * w->top[4]];
        for (i64 t = 0; t < w->channels * taps; t++)
            for (i64 o = 0; o < no; o += OF(CONV_WIDE)) {
                const i64 n = no - o < OF(CONV_WIDE) ? no - o : OF(CONV_WIDE), r = t % taps;
                for (i64 i = 0; i < n; i++) part[i] = 0;
                for (i64 q = row * across; q < end * across; q++) {
                    const T a = OF(conv_pixel)(w, image + t / taps * w->image[1],
                                               conv_at(w, 0, q / across / w->out[1], r / w->size[2] / w->size[1]),
                                               conv_at(w, 1, q / across % w->out[1], r / w->size[2] % w->size[1]),
                                               conv_at(w, 2, q % across, r % w->size[2]));
                    const T *by = turned + (q - row * across) * no + o;
                    for (i64 i = 0; i < n; i++) part[i] = FMA(by[i], a, part[i]);
                }
                for (i64 i = 0; i < n; i++) sums[t * no + o + i] += part[i];
            }
    }
}

/* Rows at a time, or all rows of some images as one line: sums on the lanes of a vector. */
static T OF(conv_dots)(const Conv *w, const ConvHow *how, const T *image, const T *top, i64 images, i64 row,
                       const i64 *r) {
    const i64 rows = w->out[0] * w->out[1], end = how->run || row + how->rows > rows ? rows : row + how->rows;
    T lane[64] = {0};
    for (i64 n = 0; n < images; n++) {
        i64 k = 0;
        for (i64 at = row; at < end; at++) {
            const i64 q0 = at / w->out[1], q1 = at % w->out[1];
            const T *t = top + n * w->top[0] + q0 * w->top[2] + q1 * w->top[3], *from = image + n * w->image[0];
            const i64 a0 = conv_at(w, 0, q0, r[0]), a1 = conv_at(w, 1, q1, r[1]);
            if (!how->run) k = 0;
            for (i64 x = 0; x < w->out[2]; x++, k = k + 1 < how->lanes ? k + 1 : 0)
                lane[k] = FMA(OF(conv_pixel)(w, from, a0, a1, conv_at(w, 2, x, r[2])), t[x * w->top[4]], lane[k]);
        }
    }
    for (i64 h = how->lanes / 2; h > 0; h /= 2)
        for (i64 i = 0; i < h; i++) lane[i] += lane[i + h];
    return lane[0];
}

/* ..of all images. */
static T OF(conv_all_dots)(const Conv *w, const ConvHow *how, const T *image, const T *top, i64 images, const i64 *r) {
    const i64 rows = how->run ? 1 : w->out[0] * w->out[1], step = how->run ? 1 : how->rows,
              many = how->run ? how->run : 1;
    T sum = 0;
    for (i64 n = 0; n < images; n += many)
        for (i64 row = 0; row < rows; row += step)
            sum += OF(conv_dots)(w, how, image + n * w->image[0], top + n * w->top[0],
                                 images - n < many ? images - n : many, row, r);
    return sum;
}

/* One chain over images and places. */
static T OF(conv_chain)(const Conv *w, const T *image, const T *top, i64 images, const i64 *r) {
    const i64 places = w->out[0] * w->out[1] * w->out[2], all = images * places, chunk = conv_chunk(all);
    T sum = 0, part = 0;
    for (i64 t = 0, left = chunk; t < all; t++, left--) {
        if (left == 0) sum = t > chunk ? sum + part : part, part = 0, left = chunk;
        const i64 n = t / places, q0 = t % places / (w->out[1] * w->out[2]), q1 = t / w->out[2] % w->out[1];
        const i64 q2 = t % w->out[2];
        part = FMA(OF(conv_pixel)(w, image + n * w->image[0], conv_at(w, 0, q0, r[0]), conv_at(w, 1, q1, r[1]),
                                  conv_at(w, 2, q2, r[2])),
                   top[n * w->top[0] + q0 * w->top[2] + q1 * w->top[3] + q2 * w->top[4]], part);
    }
    return all > chunk ? sum + part : part;
}

static void OF(conv_sums)(const Conv *w, const ConvHow *how, const T *image, const T *top, i64 images, T *sums,
                          T *room) {
    const i64 taps = w->size[0] * w->size[1] * w->size[2], no = w->filters;
    for (i64 i = 0; i < w->channels * taps * no; i++) sums[i] = 0;
    for (i64 n = 0; how->way == CONV_LANES && n < images; n++)
        OF(conv_lanes)(w, how, image + n * w->image[0], top + n * w->top[0], sums, room);
    for (i64 t = 0; how->way != CONV_LANES && t < w->channels * taps; t++) {
        const i64 r[3] = {t % taps / w->size[2] / w->size[1], t % taps / w->size[2] % w->size[1], t % w->size[2]};
        const T *of = image + t / taps * w->image[1];
        for (i64 o = 0; o < no; o++) {
            const T *at = top + o * w->top[1];
            sums[t * no + o] = how->way == CONV_GEMM ? OF(conv_chain)(w, of, at, images, r)
                                                     : OF(conv_all_dots)(w, how, of, at, images, r);
        }
    }
}

/* Sums by squares; filters where these are not finite, by tiles. */
static void OF(conv_part)(const Conv *w, const ConvHow *how, const ConvHow *tiles, const T *image, const T *top,
                          i64 images, T *sums, T *room) {
    (void)tiles;
#if CONV_SQUARES
    if (how->way == CONV_WINOGRAD || how->way == CONV_WINOGRAD2) {
        const i64 all = 9 * w->channels, no = w->filters;
        OF(conv_squares_back)(w, how, image, top, images, sums, room);
        for (i64 o = 0; o < no; o++) {
            Conv one = *w;
            one.filters = 1;
            if (OF(conv_finite)(sums + o, all, no)) continue;
            OF(conv_sums)(&one, tiles, image, top + o * w->top[1], images, room, room + all);
            for (i64 t = 0; t < all; t++) sums[t * no + o] = room[t];
        }
        return;
    }
#endif
    OF(conv_sums)(w, how, image, top, images, sums, room);
}

static void OF(conv_to_filter)(const Conv *w, const ConvHow *how, const ConvHow *tiles, const T *image, T *filter,
                               const T *top, T *room) {
    const i64 taps = w->size[0] * w->size[1] * w->size[2], no = w->filters, elements = w->channels * taps * no;
    T *sums = room, *rest = room + elements;
    for (i64 p = 0; p < how->parts; p++) {
        const i64 first = p * how->images, n = w->images - first < how->images ? w->images - first : how->images;
        OF(conv_part)(w, how, tiles, image + first * w->image[0], top + first * w->top[0], n, sums, rest);
        for (i64 t = 0; t < w->channels * taps; t++)
            for (i64 o = 0; o < no; o++) {
                const i64 r = t % taps;
                T *to = filter + o * w->filter[0] + t / taps * w->filter[1] +
                        r / w->size[2] / w->size[1] * w->filter[2] + r / w->size[2] % w->size[1] * w->filter[3] +
                        r % w->size[2] * w->filter[4];
                *to = p ? *to + sums[t * no + o] : sums[t * no + o];
            }
    }
}

/* target: as ConvTarget of conv_work.h. */
static void OF(conv)(int target, const i64 *numbers, const ConvHow *how, T *image, T *filter, T *top, T *room) {
    const Conv w = conv_read(numbers, how);
    if (target == 0) {
        for (i64 n = 0; n < w.images; n++)
            OF(conv_image)(&w, how, how + 1, image + n * w.image[0], filter, top + n * w.top[0], room);
        return;
    }
    for (i64 g = 0; g < w.groups; g++) {
        T *i = image + g * w.channels * w.image[1], *f = filter + g * w.group;
        const T *t = top + g * w.filters * w.top[1];
        if (target == 2) OF(conv_to_filter)(&w, how, how + 1, i, f, t, room);
        else
            for (i64 n = 0; n < w.images; n++) OF(conv_to_image)(&w, how, i + n * w.image[0], f, t + n * w.top[0]);
    }
}
